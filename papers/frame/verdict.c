/* verdict.c - what paired runs say about the statements of a paper. See report.h.
 *
 * An experiment with fifty statements would find a false one every other time at p < 0.01. So p-values
 * of the differences that an experiment claims are taken together by Holm's rule: with m of them in
 * ascending order, the k-th is multiplied by m - k + 1, and none counts for less than one before it. */
#include "papers/frame/report.h"

#include "base/error.h"

#include <math.h>

#define SURE  0.01 /* p-value below which a difference is one */
#define LEVEL 1.25 /* a ratio within [1/LEVEL, LEVEL] is none */

enum { LEAST_RUNS = 8 }; /* with fewer the sign-flip test cannot be sure of anything */

static void take_column(const tc_reproduction *r, const char *arm, size_t at, double *out)
{
    const tc_experiment *e = r->experiment;
    const double *values = tc_reproduction_arm(r, (size_t)(tc_arm_find(e, arm) - e->arms));
    for (uint64_t run = 0; run < r->runs; run++)
        out[run] = values[run * r->n + at];
}

/* ---- one statement */

static tacit_status compare(const tc_reproduction *r, const tc_statement *s, double *scratch,
                            tc_verdict *out, tacit_error *err)
{
    double *a = scratch, *b = scratch + r->runs;
    *out = (tc_verdict){.statement = s, .same = true, .p = NAN, .ratio = {NAN, NAN, NAN, NAN}};
    take_column(r, s->a.arm, s->a.at, a);
    take_column(r, s->b.arm, s->b.at, b);
    for (uint64_t run = 0; run < r->runs; run++) {
        if (!isfinite(a[run]) || !isfinite(b[run]))
            return TACIT_OK;
        out->same = out->same && a[run] == b[run];
    }
    if (r->runs < 2)
        return TACIT_OK;
    TC_TRY(tc_paired_compare(a, b, (size_t)r->runs, &out->ratio, err));
    if (r->runs >= LEAST_RUNS)
        out->p = out->ratio.p;
    return TACIT_OK;
}

static const char *word_of(const tc_verdict *v)
{
    const tacit_ratio *q = &v->ratio;
    bool low = q->low >= 1 / LEVEL, high = q->high <= LEVEL;
    switch (v->statement->relation) {
    case TC_SAME:
        return v->same ? "holds" : "fails";
    case TC_LEVEL:
        if (low && high)
            return "holds";
        return q->low > LEVEL || q->high < 1 / LEVEL ? "fails" : "undecided";
    case TC_NO_WORSE:
        return high ? "holds" : q->low > LEVEL ? "fails" : "undecided";
    default:
        return v->p >= SURE ? "undecided" : q->ratio < 1 ? "holds" : "fails";
    }
}

/* ---- all of them */

static bool claims_difference(const tc_verdict *v)
{
    return v->statement->relation == TC_BELOW && !isnan(v->p);
}

/* How many of the other claims have a p-value no larger than that of `i`; ties in their order. */
static size_t rank_of(const tc_verdict *rows, size_t n, size_t i)
{
    size_t before = 0;
    for (size_t k = 0; k < n; k++)
        if (k != i && claims_difference(&rows[k]))
            before +=
                rows[k].ratio.p < rows[i].ratio.p || (rows[k].ratio.p == rows[i].ratio.p && k < i);
    return before;
}

static void adjust(tc_verdict *rows, size_t n)
{
    size_t claims = 0;
    for (size_t i = 0; i < n; i++)
        claims += claims_difference(&rows[i]);
    for (size_t i = 0; i < n; i++)
        if (claims_difference(&rows[i]))
            rows[i].p = fmin(1, rows[i].ratio.p * (double)(claims - rank_of(rows, n, i)));
    for (size_t i = 0; i < n; i++) /* none below one of a smaller p-value */
        for (size_t k = 0; k < n && claims_difference(&rows[i]); k++)
            if (claims_difference(&rows[k]) && rows[k].ratio.p <= rows[i].ratio.p)
                rows[i].p = fmax(rows[i].p, rows[k].p);
}

/* With so few runs even the smallest p-value, if all of them agree, would not be sure. */
static bool too_few(const tc_verdict *rows, size_t n, uint64_t runs)
{
    size_t claims = 0;
    for (size_t i = 0; i < n; i++)
        claims += claims_difference(&rows[i]);
    return (double)claims * exp2(1 - (double)runs) >= SURE;
}

static tacit_status judge_all(const tc_reproduction *r, tc_verdict *rows, size_t n, double *scratch,
                              tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        TC_TRY(compare(r, &r->experiment->statements[i], scratch, &rows[i], err));
    adjust(rows, n);
    bool few = too_few(rows, n, r->runs);
    for (size_t i = 0; i < n; i++) {
        bool claim = rows[i].statement->relation == TC_BELOW;
        rows[i].word = r->runs < LEAST_RUNS || (few && claim) ? "too few runs"
                       : isnan(rows[i].ratio.ratio)           ? "undecided"
                                                              : word_of(&rows[i]);
    }
    return TACIT_OK;
}

tacit_status tc_report_verdicts(const tc_reproduction *r, tc_verdict **rows, size_t *n,
                                tacit_error *err)
{
    size_t count = 0;
    const tc_statement *s = r->experiment->statements;
    while (s && s[count].text)
        count++;
    tc_verdict *out = tc_alloc(count + 1, sizeof *out);
    double *scratch = tc_alloc(2 * r->runs, sizeof *scratch);
    tacit_status status = out && scratch ? TACIT_OK : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = judge_all(r, out, count, scratch, err);
    tc_free(scratch);
    if (status != TACIT_OK) {
        tc_free(out);
        return status;
    }
    *rows = out;
    *n = count;
    return TACIT_OK;
}
