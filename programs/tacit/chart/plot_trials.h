/* plot_trials.h - the complete and the pruned trials of a study or of an exported file, as charts want them.
 *
 * plot_study.c draws them; plot_trials.c takes them from a study, plot_file.c from a file. */
#ifndef TC_PROGRAM_PLOT_TRIALS_H
#define TC_PROGRAM_PLOT_TRIALS_H

#include "chart/chart.h"

#include "base/memory.h"

#include <tacit/study.h>

/* What values were tried of a parameter, or of a coordinate of a finite space. */
typedef struct tc_plot_column {
    tc_axis axis;
    const double *x; /* of each trial; of a choice its index */
} tc_plot_column;

/* All-zero may be ended. */
typedef struct tc_plot_trials {
    tc_arena arena;
    const char *name; /* of the study, or of the file */
    size_t n;
    const char *of;   /* what the values are: "value", or an outcome's name */
    const char *word; /* "minimize", or what else is wanted of it; NULL: the study's direction */
    double *number, *value;
    double low, high; /* the bounds of a constraint; -INFINITY, INFINITY: none */
    bool *infeasible; /* of each; NULL: none is */
    double *best; /* so far, of those that are feasible; NULL: nobody knows which values are good */
    size_t first; /* index of the first feasible one, from which on there is a best */
    size_t top;   /* index of the best one, if that is known */
    /* Those that were ended early, in the order of their numbers: each with its last intermediate value. Of several outcomes
     * there are none. */
    size_t n_pruned;
    double *pruned_number, *pruned_value;
    size_t n_columns;
    tc_plot_column *columns;
    char subtitle[240];
} tc_plot_trials;
void tc_plot_trials_fini(tc_plot_trials *p);

enum { TC_PLOT_NOT_DIRECTED, TC_PLOT_MINIMIZE, TC_PLOT_MAXIMIZE };

/* of: an outcome's name; NULL: the first objective. E_STATE: none is complete yet. E_ARG: there is no such outcome. */
tacit_status tc_plot_trials_of_study(tc_plot_trials *p, tacit_study *s, const char *of,
                                     tacit_error *err);
/* Of a file that tacit export wrote: CSV, JSON or lines of JSON. E_ARG: it is none. */
tacit_status tc_plot_trials_of_file(tc_plot_trials *p, const char *file, int direction,
                                    tacit_error *err);
/* Does the CSV file begin as an export does? Of what cannot be looked at twice, false. */
bool tc_plot_is_export(const char *file);

/* Fills in `best` and `top`. */
tacit_status tc_plot_trials_rank(tc_plot_trials *p, bool maximize, tacit_error *err);

#endif
