/* audit_rows.c - attacks the release of a data set row by row, Laplace and Gaussian.
 *
 * Worst-case neighbours: one row moves by the radius along the diagonal, where its L1 norm is
 * largest. A second row lies so far away that its place in the secret order shows: the order
 * hides nothing from this attacker. The score is the log-likelihood ratio of the moved row; another
 * is learned from both rows.
 *
 * The order itself is drawn anew, so that it tells nothing of the order in the data set: there the
 * worlds have the same rows in opposite order, and the claim is an epsilon of 0. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>

enum { ROWS = 2, DIMS = 2 };

static const double FAR = 1000;

typedef struct state {
    double low[DIMS], high[DIMS], x[2][ROWS * DIMS];
    tc_rows_plan plan;
    double sd;
} state;

static tacit_status release(const state *s, int world, tc_entropy *e, tc_release **out,
                            tacit_error *err)
{
    size_t order[ROWS];
    return tc_rows_release(out, order, &s->plan, s->x[world], e, err);
}

static tacit_status prepare(void *p, const void *noise, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    state *s = p;
    s->plan = (tc_rows_plan){.rows = ROWS,
                             .dims = DIMS,
                             .radius = 1,
                             .epsilon = 1,
                             .delta = TC_AUDIT_DELTA,
                             .noise = *(const tacit_rows_noise *)noise};
    for (size_t k = 0; k < DIMS; k++) {
        s->low[k] = -2 * FAR;
        s->high[k] = 2 * FAR;
        s->x[1][k] = s->plan.radius / sqrt(DIMS) * (1 - 0x1p-40); /* within the radius for sure */
        s->x[0][DIMS + k] = s->x[1][DIMS + k] = FAR;
    }
    s->plan.bounds = (tc_bounds){s->low, s->high};
    tc_release *r;
    TC_TRY(release(s, 0, e, &r, err));
    s->sd = tc_release_get(r)->noise_sd;
    tacit_status status = tc_audit_claim_of(r, 1, TC_AUDIT_DELTA, claim, err);
    tc_release_free(r);
    return status;
}

/* ln of p(y | at b) / p(y | at a). */
static double log_ratio(const state *s, double y, double a, double b)
{
    if (s->plan.noise == TACIT_ROWS_LAPLACE)
        return sqrt(2) * (fabs(y - a) - fabs(y - b)) / s->sd;
    return (b - a) * (y - (a + b) / 2) / (s->sd * s->sd);
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    const state *s = p;
    tc_release *r;
    TC_TRY(release(s, world, e, &r, err));
    size_t moved = tc_release_value(r, 0) < FAR / 2 ? 0 : 1;
    look->score = 0;
    for (size_t k = 0; k < DIMS; k++) {
        look->x[k] = tc_release_value(r, moved * DIMS + k);
        look->x[DIMS + k] = tc_release_value(r, (1 - moved) * DIMS + k) - FAR;
        look->score += log_ratio(s, look->x[k], s->x[0][k], s->x[1][k]);
    }
    tc_release_free(r);
    return TACIT_OK;
}

static tacit_status prepare_order(void *p, const void *noise, tc_audit_claim *claim, tc_entropy *e,
                                  tacit_error *err)
{
    state *s = p;
    TC_TRY(prepare(p, noise, claim, e, err));
    for (size_t i = 0; i < ROWS * DIMS; i++)
        s->x[1][i] = s->x[0][(i + DIMS) % (ROWS * DIMS)];
    *claim = (tc_audit_claim){0};
    return TACIT_OK;
}

/* Which row comes first. */
static tacit_status run_order(void *p, int world, tc_entropy *e, tc_audit_look *look,
                              tacit_error *err)
{
    tc_release *r;
    TC_TRY(release(p, world, e, &r, err));
    look->score = tc_release_value(r, 0) > FAR / 2;
    tc_release_free(r);
    return TACIT_OK;
}

static const tacit_rows_noise laplace = TACIT_ROWS_LAPLACE, gaussian = TACIT_ROWS_GAUSSIAN;

const tc_audit_case tc_audit_laplace_rows = {
    .name = "laplace-rows",
    .attack = "one row moves by the radius along the diagonal; likelihood ratio, or learned",
    .features = ROWS * DIMS,
    .state_size = sizeof(state),
    .setting = &laplace,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_gaussian_rows = {
    .name = "gaussian-rows",
    .attack = "one row moves by the radius; likelihood ratio, or learned",
    .features = ROWS * DIMS,
    .state_size = sizeof(state),
    .setting = &gaussian,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_rows_order = {
    .name = "rows-order",
    .attack = "the same rows in opposite order; which comes first",
    .state_size = sizeof(state),
    .setting = &laplace,
    .open = prepare_order,
    .run = run_order,
};
