/* report.c - rows of the table, and words for numbers. See report.h; report_file.c writes them down. */
#include "papers/frame/report.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* ---- rows */

/* Is arm a the first of its line? */
static bool opens_line(const tc_experiment *e, size_t a)
{
    for (size_t k = 0; k < a; k++)
        if (strcmp(e->arms[k].line, e->arms[a].line) == 0)
            return false;
    return true;
}

static void take_printed(const tc_experiment *e, tc_outcome *o)
{
    for (const tc_printed *p = e->printed; p && p->line; p++)
        if (p->at == o->at && strcmp(p->line, o->line) == 0) {
            o->printed = p->value;
            o->tolerance = p->tolerance;
        }
}

static void take_arm(const tc_reproduction *r, size_t a, tc_outcome *o)
{
    tc_arm_mode mode = r->experiment->arms[a].mode;
    double mean = r->mean[a * r->n + o->at], se = r->se[a * r->n + o->at];
    if (mode != TC_ARM_DEFAULT) {
        o->paper_mean = mean;
        o->paper_se = se;
    }
    if (mode != TC_ARM_PAPER) {
        o->default_mean = mean;
        o->default_se = se;
    }
}

static tc_outcome outcome_of(const tc_reproduction *r, const char *line, size_t at)
{
    const tc_experiment *e = r->experiment;
    tc_outcome o = {.line = line, .at = at, .printed = NAN, .paper_mean = NAN, .default_mean = NAN};
    take_printed(e, &o);
    for (size_t a = 0; a < e->n_arms; a++)
        if (strcmp(e->arms[a].line, line) == 0)
            take_arm(r, a, &o);
    return o;
}

tacit_status tc_report_outcomes(const tc_reproduction *r, tc_outcome **rows, size_t *n,
                                tacit_error *err)
{
    const tc_experiment *e = r->experiment;
    size_t shown = e->shown ? e->n_shown : r->n, count = 0;
    tc_outcome *out = tc_alloc(e->n_arms * shown, sizeof *out);
    if (!out)
        return tc_fail_memory(err);
    for (size_t a = 0; a < e->n_arms; a++)
        for (size_t i = 0; opens_line(e, a) && i < shown; i++)
            out[count++] = outcome_of(r, e->arms[a].line, e->shown ? e->shown[i] : i);
    *rows = out;
    *n = count;
    return TACIT_OK;
}

bool tc_outcome_agrees(const tc_outcome *o)
{
    double mean = isnan(o->paper_mean) ? o->default_mean : o->paper_mean;
    double se = isnan(o->paper_mean) ? o->default_se : o->paper_se;
    return fabs(mean - o->printed) <= o->tolerance * (1 + 1e-9) + 2 * se;
}

/* ---- words */

void tc_report_point(const tc_reproduction *r, size_t at, tc_text *out)
{
    const tc_points *p = &r->experiment->x;
    if (p->names)
        tc_text_add(out, p->names[at]);
    else
        tc_text_addf(out, "%g", r->x[at]);
}

/* Two digits of the error, and as many of the mean as that leaves. */
void tc_report_moments(double mean, double se, tc_text *out)
{
    if (!isfinite(mean)) {
        tc_text_add(out, "–");
        return;
    }
    if (!(se > 1e-9 * fabs(mean))) { /* exact, but for rounding */
        tc_text_addf(out, "%.4g", mean);
        return;
    }
    int digits = 1 - (int)floor(log10(se));
    digits = digits < 0 ? 0 : digits > 12 ? 12 : digits;
    tc_text_addf(out, "%.*f ± %.*f", digits, mean, digits, se);
}

void tc_report_ratio(const tc_verdict *v, tc_text *out)
{
    if (isnan(v->ratio.ratio))
        return;
    tc_text_addf(out, " (ratio %.3g", v->ratio.ratio);
    if (!isnan(v->p) && !isnan(v->ratio.low))
        tc_text_addf(out, ", %.3g to %.3g", v->ratio.low, v->ratio.high);
    if (!isnan(v->p))
        tc_text_addf(out, ", p = %.2g", v->p);
    tc_text_add(out, ")");
}
