/* simulate.h - what the files of `tacit simulate` share.
 *
 *   simulate.c           the verb and its options
 *   simulate_files.c     are all files that the command names different ones?
 *   simulate_warm.c      trials that exist before, from --warm
 *   report.c             what was found: files, and tables of one party
 *   report_federation.c  tables of a federation
 *   report_bandits.c       tables of bandits by pulls
 *   watch.c              progress and Ctrl-C; `tacit demo` has them, too */
#ifndef TC_PROGRAM_SIMULATE_H
#define TC_PROGRAM_SIMULATE_H

#include "base/json.h"
#include "frame/cli.h"
#include "simulate/watch.h"

typedef struct tc_simulate_opts {
    tacit_simulation_plan plan;
    char *seed, *unit, *out, *by_agent, *warm;
    int64_t threads;
} tc_simulate_opts;

/* simulate_files.c. E_ARG: a file would be written that another option writes or reads. */
tacit_status tc_simulate_files(const tc_simulate_opts *o, const char *document, tacit_error *err);

/* simulate_warm.c: trials from a CSV file with the columns agent, value and the parameters. */
typedef struct tc_warm {
    tacit_known_trial *known;
    size_t n, cap;
    double *values; /* of all, one after another */
    size_t values_cap;
} tc_warm;
tacit_status tc_warm_read(tc_warm *w, const char *file, const tacit_space *space, uint64_t agents,
                          tacit_error *err);
void tc_warm_fini(tc_warm *w);

/* ---- output */

/* One algorithm, with its options as JSON. */
typedef struct tc_shown {
    const tacit_simulated *s;
    json_t *options, *shown, *given, *expect;
    double drop;
} tc_shown;

tacit_status tc_simulate_report(tacit_simulation *all, const tc_simulate_opts *o, int format,
                                tacit_error *err);
tacit_status tc_report_federation(tacit_simulation *all, const tc_shown *c, size_t n,
                                  tacit_error *err);
tacit_status tc_report_bandits(tacit_simulation *all, const tc_shown *c, size_t n,
                               const tacit_simulation_plan *p, tacit_error *err);

/* Ratios to the first, where there are any. regret: "simple", "cumulative". */
tacit_status tc_report_ratios(tacit_simulation *all, const tc_shown *first, const char *regret,
                              tacit_error *err);
/* "regions 4" or "releases 0,1,...,39": the value of an option. */
void tc_report_add_value(tc_text *out, const json_t *v);
/* Parts after ", ", in lines of 80 columns of which `indent` are empty. */
void tc_report_wrapped(const char *text, int indent);
/* "0.0123 ± 0.0004" */
void tc_simulate_moments(tc_table *t, size_t column, double mean, double se);
#define TC_REPORT_MOMENTS "%.4g ± %.2g"
/* Is iteration i shown in a table: 0, 1, 2, 5, 10, 20, 50, ... and the last. */
bool tc_report_milestone(uint64_t i, uint64_t last);

#endif
