/* plot.h - what the files of `tacit plot` share: each kind of chart as SVG text. */
#ifndef TC_PROGRAM_PLOT_H
#define TC_PROGRAM_PLOT_H

#include "base/text.h"

#include <tacit/experimental/simulate.h>
#include <tacit/study.h>

/* plot_regret.c. names[i]: where curve i comes from, to tell equal ones apart; may be NULL.
 * title NULL: made from the curves. */
tacit_status tc_plot_regret(const tacit_curves *curves, size_t n, const char *const *names,
                            const char *title, bool cumulative, tc_text *svg, tacit_error *err);

/* plot_agents.c. A thin line for every agent, or for MOST of them evenly chosen, and the mean. */
tacit_status tc_plot_agents(const tacit_curves *curves, size_t n, const char *title,
                            bool cumulative, tc_text *svg, tacit_error *err);

/* plot_study.c. E_STATE: no trial is complete yet. */
tacit_status tc_plot_history(tacit_study *s, const char *title, bool log, tc_text *svg,
                             tacit_error *err);
tacit_status tc_plot_slice(tacit_study *s, const char *title, bool log, tc_text *svg,
                           tacit_error *err);

/* png.c: runs rsvg-convert. E_UNSUPPORTED: it is not installed. */
tacit_status tc_png_write(const char *file, const tc_text *svg, tacit_error *err);

#endif
