/* plot.h - what the files of `tacit plot` share: each kind of chart as SVG text. */
#ifndef TC_PROGRAM_PLOT_H
#define TC_PROGRAM_PLOT_H

#include "base/text.h"
#include "chart/plot_trials.h"
#include "study/study_ref.h"

#include <tacit/experimental/simulate.h>
#include <tacit/ledger.h>
#include <tacit/study.h>

/* plot_regret.c. names[i]: where curve i comes from, to tell equal ones apart; may be NULL.
 * title NULL: made from the curves. */
tacit_status tc_plot_regret(const tacit_curves *curves, size_t n, const char *const *names,
                            const char *title, bool cumulative, tc_text *svg, tacit_error *err);

/* plot_agents.c. A thin line for every agent, or for MOST of them evenly chosen, and the mean. */
tacit_status tc_plot_agents(const tacit_curves *curves, size_t n, const char *title,
                            bool cumulative, tc_text *svg, tacit_error *err);

/* plot_study.c */
tacit_status tc_plot_history(tc_plot_trials *p, const char *title, bool log, tc_text *svg,
                             tacit_error *err);
tacit_status tc_plot_slice(tc_plot_trials *p, const char *title, bool log, tc_text *svg,
                           tacit_error *err);

/* plot_steps.c: what trials reported on their way. E_STATE: nothing. */
tacit_status tc_plot_steps(tacit_study *s, const char *title, bool log, tc_text *svg,
                           tacit_error *err);

/* plot_model.c: by a model of the study's trials (<tacit/experimental/surrogate.h>). pair: "a,b", two parameters; at: the
 * trial that says what the others are, -1: the best. of: an outcome's name; NULL: the first objective. */
tacit_status tc_plot_importances(tacit_study *s, const char *of, const char *title, tc_text *svg,
                                 tacit_error *err);
tacit_status tc_plot_contour(tacit_study *s, const char *pair, const char *of, int64_t at,
                             const char *title, tc_text *svg, tacit_error *err);

/* plot_pareto.c. E_ARG: the study has not two objectives. */
tacit_status tc_plot_pareto(tacit_study *s, const char *title, tc_text *svg, tacit_error *err);

/* plot_privacy.c: what a ledger had spent after each release. limit 0: none is drawn. E_STATE: nothing was released, or something
 * that has no epsilon. */
tacit_status tc_plot_spending(tacit_ledger *l, double delta, double limit, const char *title,
                              tc_text *svg, tacit_error *err);

/* plot_ledger.c: opens the ledger that a command line means; end it with tacit_ledger_close. *b: as given, 0 where not; of a
 * study at a coordinator its document fills in the rest. */
typedef struct tc_plot_budget {
    double delta, limit;
} tc_plot_budget;
tacit_status tc_plot_ledger(const tc_where *where, const char *name, bool quiet, tc_plot_budget *b,
                            tacit_ledger **out, tacit_error *err);

/* png.c: runs rsvg-convert. E_UNSUPPORTED: it is not installed. */
tacit_status tc_png_write(const char *file, const tc_text *svg, tacit_error *err);

#endif
