/* modeler.c - the algorithm "po-gp-ucb": the largest upper confidence bound among released rows.
 *
 * Kharkovskii, Dai, Low (2020), the modeler of PO-GP-UCB: GP-UCB on what the curator released, with
 * beta_t = 2 ln(n t^2 pi^2 / (6 delta)) after t - 1 answers. Released rows carry noise of a known size;
 * the kernel allows for it (blur.h). With input_sd = 0 this is the paper's modeler, and plain GP-UCB.
 * Rows are never asked twice unless told: the curator would give the same answer.
 *
 * Distances are those of the rows in their own units, not of the bounding box: the curator has brought
 * all columns to common units, and the noise is the same in each. O(t n) an ask. A space that is not
 * finite is searched on a sample of it. */
#include "algo/outsourced/modeler.h"

#include "algo/outsourced/blur.h"
#include "algo/single/model.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 512 };        /* of a space that is not finite */
enum { MOST_BELIEVED = 128 }; /* rows handed out whose answers are pretended */

/* The noise is at least this part of the variance, or a row asked twice has no pivot. */
#define LEAST_NOISE 1e-12

/* ---- life */

static double spread_of(const tc_modeler *m)
{
    double widest = 0;
    for (size_t d = 0; d < m->arms.dim; d++) {
        const double *x = m->X + d * m->arms.n;
        double low = x[0], high = x[0];
        for (size_t i = 1; i < m->arms.n; i++) {
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
        }
        widest = fmax(widest, high - low);
    }
    return widest > 0 && isfinite(widest) ? widest : 1;
}

static tacit_status take_rows(tc_modeler *m, tacit_error *err)
{
    const tc_domain *d = m->env->space->domain;
    TC_TRY(tc_arms_init(&m->arms, m->env, TC_KERNEL_SE, 1, SAMPLE, err));
    m->X = d ? d->raw : m->arms.u;
    m->spread = spread_of(m);
    return tc_fgp_new(&m->fgp, m->arms.n, m->arms.dim, m->X, d ? d->axes : NULL, m->env->pool, err);
}

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    tc_modeler *m = st;
    size_t dim = env->space->dim;
    m->env = env;
    m->opts = opts;
    m->scale = tc_alloc(dim, sizeof *m->scale);
    m->blurred = tc_alloc(dim, sizeof *m->blurred);
    if (!m->scale || !m->blurred)
        return tc_fail_memory(err);
    TC_TRY(take_rows(m, err));
    const tc_modeler_options *o = m->opts;
    for (size_t d = 0; d < dim; d++)
        m->scale[d] = o->lengthscale > 0 ? o->lengthscale : m->spread / 4;
    double noise = o->noise + o->output_sd * o->output_sd;
    m->hyper = (tc_gp_hyper){.kind = TC_KERNEL_SE,
                             .dim = dim,
                             .variance = o->variance,
                             .noise = fmax(noise, LEAST_NOISE * o->variance),
                             .scale = m->scale};
    m->sd = 1;
    m->fresh = true;
    return TACIT_OK;
}

static void fini(void *st)
{
    tc_modeler *m = st;
    tc_fgp_free(m->fgp);
    tc_arms_fini(&m->arms);
    tc_free(m->scale);
    tc_free(m->blurred);
    tc_free(m->told);
    tc_free(m->z);
}

/* ---- following the history */

static tacit_status tell(void *st, tacit_error *err)
{
    tc_modeler *m = st;
    if (!tc_grow((void **)&m->told, &m->told_cap, m->told_n + 1, sizeof *m->told))
        return tc_fail_memory(err);
    m->told[m->told_n++] = tc_arms_told(&m->arms);
    return TACIT_OK;
}

/* Known hyper-parameters need one row to begin with; learning needs a few more, and more where there
 * are many coordinates. */
bool tc_modeler_ready(const tc_modeler *m)
{
    size_t by_dim = 2 * m->arms.dim + 2;
    size_t few = by_dim < 6 ? 6 : by_dim > 30 ? 30 : by_dim;
    size_t most = m->arms.n > 1 ? m->arms.n - 1 : 1;
    size_t wanted = m->opts->init > 0 ? (size_t)m->opts->init : m->opts->fit ? few : 1;
    return m->env->history->n >= (wanted < most ? wanted : most);
}

/* Scales values to units of the largest magnitude, so that nothing overflows or vanishes. */
static void scale_values(tc_modeler *m)
{
    const tc_history *h = m->env->history;
    double largest = 0, mean = 0, squares = 0, n = (double)h->n;
    for (size_t i = 0; i < h->n; i++)
        largest = fmax(largest, fabs(h->y[i]));
    if (largest == 0)
        largest = 1;
    for (size_t i = 0; i < h->n; i++)
        mean += h->y[i] / largest / n;
    for (size_t i = 0; i < h->n; i++) {
        m->z[i] = h->y[i] / largest - mean;
        squares += m->z[i] * m->z[i];
    }
    double sd = sqrt(squares / n);
    if (!(sd > 0))
        sd = 1;
    for (size_t i = 0; i < h->n; i++)
        m->z[i] /= sd;
    m->sd = sd * largest;
    m->mean = mean * largest;
}

tacit_status tc_modeler_standardise(tc_modeler *m, tacit_error *err)
{
    const tc_history *h = m->env->history;
    if (!tc_grow((void **)&m->z, &m->z_cap, h->n + 1, sizeof *m->z))
        return tc_fail_memory(err);
    if (m->opts->fit)
        scale_values(m);
    else if (h->n > 0)
        memcpy(m->z, h->y, h->n * sizeof *m->z);
    return TACIT_OK;
}

static tacit_status restart(tc_modeler *m, tacit_error *err)
{
    tc_gp_hyper h = {.scale = m->blurred};
    TC_TRY(tc_fgp_own(m->fgp, tc_blur(&m->hyper, m->opts->input_sd, &h), err));
    TC_TRY(tc_fgp_reset(m->fgp, &h, err));
    m->n = 0;
    m->fresh = false;
    return TACIT_OK;
}

/* Standardised values change with every answer, so their targets are set anew. */
static tacit_status sync(tc_modeler *m, tacit_error *err)
{
    if (m->fresh)
        TC_TRY(restart(m, err));
    TC_TRY(tc_modeler_standardise(m, err));
    for (; m->n < m->told_n; m->n++)
        TC_TRY(m->opts->fit ? tc_fgp_push(m->fgp, m->told[m->n], err)
                            : tc_fgp_observe(m->fgp, m->told[m->n], m->z[m->n], err));
    if (m->opts->fit)
        tc_fgp_targets(m->fgp, m->z);
    return TACIT_OK;
}

/* ---- asking */

/* Flags of the rows that must not be asked now; none if that would leave nothing. */
static const unsigned char *close_rows(tc_modeler *m)
{
    size_t closed = 0;
    tc_arms_close(&m->arms);
    for (size_t i = 0; i < m->told_n && !m->opts->repeat; i++)
        m->arms.closed[m->told[i]] = 1;
    for (size_t i = 0; i < m->arms.n; i++)
        closed += m->arms.closed[i];
    return closed < m->arms.n ? m->arms.closed : tc_arms_close(&m->arms);
}

static size_t uniform_row(tc_modeler *m, uint64_t trial)
{
    const unsigned char *closed = close_rows(m);
    tc_stream s;
    tc_stream_party(&s, &m->env->party_seed, m->env->party, TC_FOR_DESIGN, trial);
    for (;;) {
        size_t row = (size_t)tc_draw_below(&s, m->arms.n);
        if (!closed[row])
            return row;
    }
}

/* Rows that are out are pretended to come back with their predicted mean: the variance falls there,
 * and questions that are asked together spread. */
static tacit_status believe(tc_modeler *m, tacit_error *err)
{
    const tc_history *h = m->env->history;
    if (h->n_taken == 0)
        return TACIT_OK;
    const unsigned char *out = tc_arms_close(&m->arms);
    TC_TRY(tc_fgp_mark(m->fgp, err));
    for (size_t i = 0, n = 0; i < m->arms.n && n < MOST_BELIEVED; i++)
        if (out[i]) {
            TC_TRY(tc_fgp_push(m->fgp, i, err));
            n++;
        }
    return TACIT_OK;
}

static double width(const tc_modeler *m)
{
    double n = (double)m->arms.n, t = (double)m->told_n + 1;
    return sqrt(2 * log(n * t * t * M_PI * M_PI / (6 * m->opts->delta)));
}

/* Answers near the end of what a double holds leave no bound that is a number: then any row. */
static size_t best_row(tc_modeler *m, uint64_t trial)
{
    size_t row = tc_fgp_argmax_ucb(m->fgp, width(m), close_rows(m));
    return row < m->arms.n ? row : uniform_row(m, trial);
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    tc_modeler *m = st;
    if (!tc_modeler_ready(m)) {
        tc_arms_values(&m->arms, uniform_row(m, trial), values);
        return TACIT_OK;
    }
    TC_TRY(sync(m, err));
    tacit_status status = believe(m, err);
    if (status == TACIT_OK)
        tc_arms_values(&m->arms, best_row(m, trial), values);
    if (tc_fgp_size(m->fgp) > m->n)
        tc_fgp_restore(m->fgp);
    return status;
}

/* The values of released rows are answers, with noise of a known size in them. fit: standardised by mean and sd. */
static tacit_status recommend(void *st, tc_recommended *out, tacit_error *err)
{
    tc_modeler *m = st;
    tc_pick pick = TC_PICK;
    if (!tc_modeler_ready(m)) {
        *out = (tc_recommended){.none = TC_RECOMMEND_TOO_FEW};
        return TACIT_OK;
    }
    TC_TRY(sync(m, err));
    const double *mean = tc_fgp_mean(m->fgp), *variance = tc_fgp_variance(m->fgp);
    *out = (tc_recommended){.noise = m->opts->output_sd > 0 ? TC_NOISE_ADDED : TC_NOISE_UNKNOWN,
                            .share = tc_noise_share(m->hyper.noise, m->told_n, m->z)};
    for (size_t i = 0; i < m->told_n; i++)
        tc_pick_offer(&pick, m->env->history, i, mean[m->told[i]]);
    if (!tc_pick_end(&pick, out))
        return TACIT_OK;
    out->mean = m->mean + m->sd * pick.top;
    out->sd = m->sd * sqrt(fmax(variance[m->told[out->at]], 0));
    return TACIT_OK;
}

/* ---- options */

static const tc_option table[] = {
    TC_FLOAT_OPTION("input_sd", offsetof(tc_modeler_options, input_sd), "0", 0, 1e12,
                    "standard deviation of the noise in every coordinate of the released rows"),
    TC_FLOAT_OPTION("output_sd", offsetof(tc_modeler_options, output_sd), "0", 0, 1e12,
                    "standard deviation of the noise that the curator adds to an answer"),
    TC_BOOL_OPTION(
        "fit", offsetof(tc_modeler_options, fit), "true",
        "learn the hyper-parameters from released rows and answers; false keeps those given"),
    TC_BOOL_OPTION("ard", offsetof(tc_modeler_options, ard), "false",
                   "learn one length-scale per coordinate instead of one for all"),
    TC_FLOAT_OPTION(
        "lengthscale", offsetof(tc_modeler_options, lengthscale), "0", 0, 1e12,
        "length-scale in units of the rows, fixed or where fits start; 0: a quarter of their "
        "spread"),
    TC_FLOAT_OPTION("variance", offsetof(tc_modeler_options, variance), "1", 0, 1e12,
                    "signal variance: fixed, or where fits start", .min_open = true),
    TC_FLOAT_OPTION("noise", offsetof(tc_modeler_options, noise), "0.0001", 0, 1e12,
                    "noise variance of the values before the curator: fixed, or where fits start",
                    .min_open = true),
    TC_INT_OPTION("init", offsetof(tc_modeler_options, init), "0", 0, 1e6,
                  "uniform rows before the model is used; 0: 1, or a few where it learns"),
    TC_BOOL_OPTION("repeat", offsetof(tc_modeler_options, repeat), "false",
                   "may a row be asked twice?"),
    TC_FLOAT_OPTION("delta", offsetof(tc_modeler_options, delta), "0.025", 0, 1,
                    "probability with which the bounds may fail", .min_open = true),
    {.name = NULL},
};

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(tc_modeler),
    .init = init,
    .fini = fini,
    .ask = ask,
    .tell = tell,
    .recommend = recommend,
    .fit_due = tc_modeler_fit_due,
    .fit = tc_modeler_fit,
    .fitted = tc_modeler_fitted,
};

const tc_algorithm tc_algorithm_po_gp_ucb = {
    .name = "po-gp-ucb",
    .summary = "GP-UCB on rows that a curator released, aware of their noise",
    .source = "Kharkovskii, Dai, Low (2020)",
    .options = table,
    .options_size = sizeof(tc_modeler_options),
    .optimizer = &optimizer,
};
