/* path.c - function draws from a GP posterior by pathwise conditioning; see path.h.
 *
 * f(x) = phi(x)'w + sum_i c_i k(x, X_i), c = (K + s2 I)^-1 (y - Phi w - eps). Called by Thompson
 * sampling, on finite domains through tc_path_many and on boxes through the gradients. */
#include "num/path.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 512 /* points of tc_path_many at a time: a unit of parallel work that stays in L1 */
};

struct tc_path {
    tc_rff prior;
    double *w; /* M */
    double *c; /* t */
    size_t c_cap;
    const tc_gp *gp; /* borrowed */
};

tacit_status tc_path_new(tc_path **out, size_t features, size_t dim, tacit_error *err)
{
    tc_path *p = tc_alloc(1, sizeof *p);
    if (p == NULL)
        return tc_fail_memory(err);
    p->w = tc_alloc(features, sizeof(double));
    tacit_status status = p->w == NULL ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK)
        status = tc_rff_init(&p->prior, features, dim, err);
    if (status != TACIT_OK) {
        tc_path_free(p);
        return status;
    }
    *out = p;
    return TACIT_OK;
}

void tc_path_free(tc_path *p)
{
    if (p == NULL)
        return;
    tc_rff_fini(&p->prior);
    tc_free(p->w);
    tc_free(p->c);
    tc_free(p);
}

tacit_status tc_path_draw(tc_path *p, const tc_gp *g, const double *y, tc_stream *s,
                          tacit_error *err)
{
    const tc_gp_hyper *h = tc_gp_hyper_of(g);
    size_t t = tc_gp_size(g), ldx, ldl;
    const double *X = tc_gp_points(g, &ldx), *L = tc_gp_factor(g, &ldl);
    if (!tc_grow((void **)&p->c, &p->c_cap, t + 1, sizeof *p->c))
        return tc_fail_memory(err);
    tc_rff_draw(&p->prior, h, false, s);
    tc_draw_normals(s, p->prior.M, p->w);
    p->gp = g;
    if (t == 0)
        return TACIT_OK;
    const double *known = tc_gp_known(g);
    tc_rff_apply(&p->prior, p->w, t, X, ldx, p->c);
    for (size_t i = 0; i < t; i++)
        p->c[i] = y[i] - p->c[i] - sqrt(h->noise + known[i]) * tc_draw_normal(s);
    tc_chol_solve(t, L, ldl, p->c);
    return TACIT_OK;
}

static tc_kernel kernel_of(const tc_gp *g)
{
    const tc_gp_hyper *h = tc_gp_hyper_of(g);
    return (tc_kernel){h->kind, h->dim, h->variance, h->scale};
}

size_t tc_path_scratch_size(const tc_path *p)
{
    return (tc_gp_size(p->gp) + 1) * (p->prior.dim + 1);
}

double tc_path_value(const tc_path *p, const double *x, double *scratch)
{
    size_t t = tc_gp_size(p->gp), ldx;
    const double *X = tc_gp_points(p->gp, &ldx);
    double value = tc_rff_value(&p->prior, p->w, x);
    if (t == 0)
        return value;
    tc_kernel k = kernel_of(p->gp);
    tc_kernel_row(&k, x, t, X, ldx, scratch);
    return value + tc_dot(t, scratch, p->c);
}

double tc_path_value_grad(const tc_path *p, const double *x, double *grad, double *scratch)
{
    size_t t = tc_gp_size(p->gp), ldx;
    const double *X = tc_gp_points(p->gp, &ldx);
    double value = tc_rff_value_grad(&p->prior, p->w, x, grad);
    if (t == 0)
        return value;
    tc_kernel k = kernel_of(p->gp);
    tc_kernel_row_grad(&k, x, t, X, ldx, scratch, scratch + t, t);
    tc_gemv('T', t, p->prior.dim, 1.0, scratch + t, t, p->c, 1.0, grad);
    return value + tc_dot(t, scratch, p->c);
}

typedef struct evaluation {
    const tc_path *p;
    size_t n;
    const double *X;
    size_t ldx;
    double *out;
} evaluation;

/* The observed points one after the other, each over the whole block: rows of kernel values run
 * along contiguous candidates, and every candidate sums in the same order. */
static void evaluate_block(void *ctx, size_t block)
{
    const evaluation *e = ctx;
    const tc_path *p = e->p;
    size_t i0 = block * BLOCK, len = e->n - i0 < BLOCK ? e->n - i0 : BLOCK;
    size_t t = tc_gp_size(p->gp), ldx;
    const double *X = tc_gp_points(p->gp, &ldx);
    double row[BLOCK], *out = e->out + i0;
    tc_kernel k = kernel_of(p->gp);
    tc_rff_apply(&p->prior, p->w, len, e->X + i0, e->ldx, out);
    for (size_t i = 0; i < t; i++) {
        tc_kernel_cross(&k, len, e->X + i0, e->ldx, 1, X + i, ldx, row, BLOCK);
        tc_axpy(len, p->c[i], row, out);
    }
}

tacit_status tc_path_many(const tc_path *p, size_t n, const double *X, size_t ldx, double *out,
                          tc_pool *pool, tacit_error *err)
{
    (void)err;
    evaluation e = {p, n, X, ldx, out};
    tc_pool_for(pool, (n + BLOCK - 1) / BLOCK, evaluate_block, &e);
    return TACIT_OK;
}
