/* ts.c - the algorithm "ts": Thompson sampling. Ask where one draw of the posterior is largest.
 *
 * The draw is a function (num/path.h): random features for the prior, an exact
 * correction for the data; features, weights and noise are drawn anew for every
 * trial from (party seed, trial). width stretches the draw about the mean:
 * mean + width (draw - mean), as in the theorems (1: the posterior itself). */
#include "algo/single/acquire.h"
#include "algo/single/single.h"
#include "base/error.h"
#include "num/path.h"

#include <math.h>

typedef struct options {
    tc_model_opts model;
    int search, start;
    int64_t features, start_regions;
    double width;
} options;

enum { START_SOBOL, START_UNIFORM, START_REGION }; /* in the order of the option's choices */

typedef struct state {
    const options *opts;
    tc_model model;
    tc_acquirer acquirer; /* spaces that are not finite */
    tc_path *path;
    double *scratch; /* a slot for each start, then draw and mean */
    size_t scratch_cap, slot_size;
    double *draw, *mean; /* in scratch: at the points that are scored */
} state;

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    state *s = st;
    const options *o = opts;
    const tc_space *space = env->space;
    s->opts = o;
    TC_TRY(tc_model_init(&s->model, env, &o->model, false, err));
    TC_TRY(tc_path_new(&s->path, (size_t)o->features, space->dim, err));
    return space->domain ? TACIT_OK : tc_acquirer_init(&s->acquirer, &s->model, o->search, err);
}

static void fini(void *st)
{
    state *s = st;
    tc_model_fini(&s->model);
    tc_acquirer_fini(&s->acquirer);
    tc_path_free(s->path);
    tc_free(s->scratch);
}

/* out = mean + width (out - mean), for m points */
static tacit_status stretch(state *s, size_t m, const double *X, size_t ldx, double *mean,
                            double *out, tacit_error *err)
{
    if (s->opts->width == 1)
        return TACIT_OK;
    TC_TRY(tc_gp_predict_many(s->model.gp, m, X, ldx, mean, NULL, err));
    for (size_t i = 0; i < m; i++)
        out[i] = mean[i] + s->opts->width * (out[i] - mean[i]);
    return TACIT_OK;
}

static tacit_status score(void *ctx, size_t m, const double *X, size_t ldx, double *out,
                          tacit_error *err)
{
    state *s = ctx;
    TC_TRY(tc_path_many(s->path, m, X, ldx, out, s->model.env->pool, err));
    return stretch(s, m, X, ldx, s->mean, out, err);
}

/* Scratch of a slot: path | gp | gradient of the mean | unused gradient of the variance. */
static double at(void *ctx, size_t slot, const double *x, double *grad)
{
    const state *s = ctx;
    double w = s->opts->width, *path = s->scratch + slot * s->slot_size;
    double value =
        grad ? tc_path_value_grad(s->path, x, grad, path) : tc_path_value(s->path, x, path);
    if (w == 1)
        return value;
    size_t dim = s->model.hyper.dim;
    double *gp = path + tc_path_scratch_size(s->path);
    double *dmean = gp + tc_gp_scratch_size(s->model.gp), *dvar = dmean + dim, mean, var;
    tc_gp_predict_grad(s->model.gp, x, &mean, &var, dmean, dvar, gp);
    for (size_t d = 0; grad && d < dim; d++)
        grad[d] = dmean[d] + w * (grad[d] - dmean[d]);
    return mean + w * (value - mean);
}

static tacit_status reserve(state *s, size_t points, tacit_error *err)
{
    s->slot_size =
        tc_path_scratch_size(s->path) + tc_gp_scratch_size(s->model.gp) + 2 * s->model.hyper.dim;
    size_t slots = TC_ACQUIRE_STARTS * s->slot_size;
    if (!tc_grow((void **)&s->scratch, &s->scratch_cap, slots + 2 * points, sizeof *s->scratch))
        return tc_fail_memory(err);
    s->draw = s->scratch + slots;
    s->mean = s->draw + points;
    return TACIT_OK;
}

static tacit_status ask_box(state *s, uint64_t trial, double *values, tacit_error *err)
{
    tc_acquisition f = {.score = score, .at = at, .ctx = s};
    TC_TRY(reserve(s, s->acquirer.n_wide + s->acquirer.n_near, err));
    return tc_acquire(&s->acquirer, &f, trial, values, err);
}

static tacit_status ask_finite(state *s, double *values, tacit_error *err)
{
    const tc_domain *d = s->model.env->space->domain;
    const unsigned char *closed = tc_model_close(&s->model);
    double top = -INFINITY;
    TC_TRY(reserve(s, d->n, err));
    TC_TRY(score(s, d->n, d->u, d->n, s->draw, err));
    for (size_t j = 0; j < d->n; j++)
        if (!closed[j] && s->draw[j] > top) {
            top = s->draw[j];
            values[0] = (double)j;
        }
    return TACIT_OK;
}

static void first_point(const state *s, uint64_t trial, double *values)
{
    const tc_env *env = s->model.env;
    if (s->opts->start == START_UNIFORM)
        tc_design_uniform(env, trial, values);
    else if (s->opts->start == START_REGION)
        tc_design_region(env, (size_t)s->opts->start_regions, trial, values);
    else
        tc_design_point(&s->model.design, trial, values);
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    state *s = st;
    const tc_env *env = s->model.env;
    tc_stream stream;
    if (!tc_model_ready(&s->model)) {
        first_point(s, trial, values);
        return TACIT_OK;
    }
    TC_TRY(tc_model_sync(&s->model, err));
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_DRAW, trial);
    TC_TRY(tc_path_draw(s->path, s->model.gp, s->model.z, &stream, err));
    return env->space->domain ? ask_finite(s, values, err) : ask_box(s, trial, values, err);
}

static tacit_status recommend(void *st, tc_recommended *out, tacit_error *err)
{
    return tc_model_recommend(&((state *)st)->model, out, err);
}

static bool fit_due(const void *st)
{
    return tc_model_fit_due(&((const state *)st)->model);
}

static tacit_status fit(void *st, tc_text *out, tacit_error *err)
{
    return tc_model_fit(&((state *)st)->model, out, err);
}

static tacit_status fitted(void *st, const char *body, tacit_error *err)
{
    return tc_model_fitted(&((state *)st)->model, body, err);
}

static const tc_option table[] = {
    TC_MODEL_OPTIONS(options, model, TC_KERNEL_CHOICES, "covariance function of the model"),
    TC_CHOICE_OPTION("search", offsetof(options, search), "lbfgs", TC_SEARCH_CHOICES,
                     "how the draw is maximised on a box"),
    TC_INT_OPTION("features", offsetof(options, features), "512", 16, 65536,
                  "random features of a draw"),
    TC_FLOAT_OPTION("width", offsetof(options, width), "1", 0, 1e3,
                    "stretches a draw about the posterior mean"),
    TC_CHOICE_OPTION("start", offsetof(options, start), "sobol", "sobol|uniform|region",
                     "the first points: a Sobol' sequence, uniform, or uniform in one region"),
    TC_INT_OPTION("start_regions", offsetof(options, start_regions), "4", 1, 64,
                  "of start=region: how many there are; the party draws one"),
    {.name = NULL},
};

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(state),
    .init = init,
    .fini = fini,
    .ask = ask,
    .recommend = recommend,
    .fit_due = fit_due,
    .fit = fit,
    .fitted = fitted,
};

const tc_algorithm tc_algorithm_ts = {
    .name = "ts",
    .summary = "Gaussian process, Thompson sampling: parallel and federated studies build on it",
    .source = "Thompson (1933); pathwise draws: Wilson et al. (2020)",
    .options = table,
    .options_size = sizeof(options),
    .optimizer = &optimizer,
};
