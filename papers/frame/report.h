/* report.h - what an experiment has shown: table, verdicts, CSV and JSON.
 *
 * The table has a row for every line and shown point: what the paper prints, tacit in paper mode, tacit
 * as it is by default. A verdict on a statement comes from eight paired runs or more. BELOW holds or
 * fails where the sign-flip test has p < 0.01, by Holm's rule for all such statements of an experiment
 * together; LEVEL holds where the 95 % interval of the ratio lies within [0.8, 1.25], and fails where it
 * lies outside; NO WORSE holds where it ends below 1.25, and fails where it begins above; SAME holds where
 * no run differs. Else it is undecided. */
#ifndef TC_PAPERS_REPORT_H
#define TC_PAPERS_REPORT_H

#include "base/text.h"
#include "papers/frame/reproduce.h"
#include "sim/compare.h"

#include <jansson.h>

/* One row of the table. NaN: there is no such number. */
typedef struct tc_outcome {
    const char *line;
    size_t at;
    double printed, tolerance;
    double paper_mean, paper_se;
    double default_mean, default_se;
} tc_outcome;

/* In the order of lines and points. Caller: tc_free. */
tacit_status tc_report_outcomes(const tc_reproduction *r, tc_outcome **rows, size_t *n,
                                tacit_error *err);
/* Within the tolerance and two standard errors of what is printed? */
bool tc_outcome_agrees(const tc_outcome *o);

typedef struct tc_verdict {
    const tc_statement *statement;
    const char *word;  /* "holds", "fails", "undecided", "too few runs" */
    tacit_ratio ratio; /* a / b; NaN members where it cannot be told */
    double p;          /* by Holm's rule; NaN: there are too few runs for it */
    bool same;         /* in every run */
} tc_verdict;
/* One for each statement. Caller: tc_free. */
tacit_status tc_report_verdicts(const tc_reproduction *r, tc_verdict **rows, size_t *n,
                                tacit_error *err);

/* "N = 50 (t = 10)" or the name of the point. */
void tc_report_point(const tc_reproduction *r, size_t at, tc_text *out);
/* "0.0123 ± 0.0004", "5.934" where there is one run, "–" where there is no number. */
void tc_report_moments(double mean, double se, tc_text *out);
/* " (ratio 0.5, 0.4 to 0.6, p = 0.002)"; too few runs: the ratio alone; nothing where there is none. */
void tc_report_ratio(const tc_verdict *v, tc_text *out);

/* experiment,arm,line,mode,runs,x,mean,se: a row for every arm and point. */
void tc_report_csv(const tc_reproduction *r, tc_text *out);
/* Everything, as an object; caller decrefs. */
tacit_status tc_report_json(const tc_reproduction *r, json_t **out, tacit_error *err);
/* Setting and command, the table (a star marks what is printed and does not agree) and the verdicts as
 * Markdown: what papers/tools/results puts into papers/results.md. */
tacit_status tc_report_markdown(const tc_reproduction *r, tc_text *out, tacit_error *err);

#endif
