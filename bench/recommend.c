/* recommend.c - which point to take at the end of a study: the best value that was seen, the tried point where the mean
 * of the model is best, or the point of the whole space where it is.
 *
 * Prints a row for each task: the regret of the three rules and the paired differences to "seen" with 95 % intervals, in
 * units of the function's standard deviation over its space; how often the model's share of noise is at least 1, 5 and
 * 20 %, and the regret of a rule that goes by the model from that share on.
 *
 *     bench_recommend [seeds, 40]
 *
 * docs/benchmarks.md, "Which point to take". */
#include "algo/history.h"
#include "algo/optimizer.h"
#include "algo/single/acquire.h"
#include "base/error.h"
#include "base/memory.h"
#include "num/sobol.h"
#include "objective/objective.h"
#include "sim/answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct task {
    const char *objective, *algorithm, *options; /* options: as JSON, or NULL */
    uint64_t trials;
    double noise; /* sd, in units of the function's own */
    bool known;   /* the noise was added on purpose, and is told */
} task;

enum { SEEN, TRIED, SPACE, RULES };
enum { SHARES = 3 };
static const double shares[SHARES] = {0.01, 0.05, 0.2};

typedef struct outcome {
    double regret[RULES]; /* NaN: the rule has none */
    double share;
} outcome;

/* ---- one study ---- */

typedef struct study {
    const task *t;
    tc_objective *f;
    tc_optimizer *o;
    tc_answers answers;
    double sd; /* of f */
    uint64_t seed;
} study;

static tacit_status function_sd(study *s, tacit_error *err)
{
    enum { POINTS = 4096 };
    const tc_space *space = tc_objective_space(s->f);
    double *x = tc_alloc(space->n_params, sizeof *x), sum = 0, squares = 0;
    tc_stream stream;
    tc_sobol q;
    if (!x)
        return tc_fail_memory(err);
    const tc_public_seed seed = tc_public_seed_from(0);
    tc_stream_public(&stream, &seed, TC_FOR_DESIGN, 0);
    tc_sobol_init(&q, space->n_params, &stream);
    for (uint64_t i = 0; i < POINTS; i++) {
        tc_sobol_point(&q, i, x);
        tc_design_values(space, x, x);
        const double y = tc_objective_value(s->f, x);
        sum += y;
        squares += y * y;
    }
    s->sd = sqrt(fmax(squares / POINTS - sum / POINTS * sum / POINTS, 0));
    tc_free(x);
    return TACIT_OK;
}

static tacit_status tell(study *s, uint64_t trial, const double *values, tacit_error *err)
{
    const tc_public_seed seed = tc_public_seed_from(s->seed);
    const double noise = s->t->noise * s->sd;
    tc_stream stream;
    tc_event e;
    tc_stream_public(&stream, &seed, TC_FOR_OBSERVATION, trial);
    double y = tc_objective_value(s->f, values) + noise * tc_draw_normal(&stream);
    TC_TRY(tc_answers_tell(&s->answers, s->seed, trial, &y, err));
    TC_TRY(tc_optimizer_tell(s->o, trial, NULL, y, 0, &e, err));
    e.noise_sd = s->t->known ? noise : 0;
    e.seq = tc_optimizer_seq(s->o) + 1;
    return tc_optimizer_apply(s->o, &e, err);
}

static tacit_status trial(study *s, tacit_error *err)
{
    const tc_ask_request ask = {.now_ms = 0};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(s->o, &ask, &e, err));
        e.seq = tc_optimizer_seq(s->o) + 1;
        TC_TRY(tc_optimizer_apply(s->o, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    const tc_trial *t = tc_optimizer_trial(s->o, tc_optimizer_trials(s->o) - 1);
    return tell(s, t->number, t->values, err);
}

/* ---- the optimum of the model over the space: a Gaussian process fitted to all values ---- */

static tacit_status mean_many(void *ctx, size_t m, const double *X, size_t ldx, double *out,
                              tacit_error *err)
{
    return tc_gp_predict_many(((tc_model *)ctx)->gp, m, X, ldx, out, NULL, err);
}

static double mean_at(void *ctx, size_t slot, const double *x, double *grad)
{
    const tc_model *m = ctx;
    double *scratch = malloc((tc_gp_scratch_size(m->gp) + m->hyper.dim) * sizeof *scratch);
    double mean = 0, var;
    (void)slot;
    if (!scratch)
        abort();
    if (grad)
        tc_gp_predict_grad(m->gp, x, &mean, &var, grad, scratch, scratch + m->hyper.dim);
    else
        tc_gp_predict(m->gp, x, &mean, &var, scratch);
    free(scratch);
    return mean;
}

static tacit_status search(tc_model *m, double *values, tacit_error *err)
{
    tc_acquirer a = {0};
    tc_text fit = {0};
    const tc_acquisition f = {.score = mean_many, .at = mean_at, .ctx = m};
    tacit_status status = tc_model_fit(m, &fit, err);
    if (status == TACIT_OK)
        status = tc_model_fitted(m, tc_text_get(&fit), err);
    if (status == TACIT_OK)
        status = tc_model_sync(m, err);
    if (status == TACIT_OK)
        status = tc_acquirer_init(&a, m, TC_SEARCH_LBFGS, err);
    if (status == TACIT_OK)
        status = tc_acquire(&a, &f, 0, values, err);
    tc_acquirer_fini(&a);
    tc_text_fini(&fit);
    return status;
}

static tacit_status over_space(const study *s, double *regret, tacit_error *err)
{
    static const tc_model_opts opts = {.kernel = TC_KERNEL_MATERN52,
                                       .ard = true,
                                       .fit = true,
                                       .standardize = true,
                                       .lengthscale = 0.3,
                                       .variance = 1,
                                       .noise = 1e-4,
                                       .repeat = TC_REPEAT_YES};
    const tc_space *space = tc_objective_space(s->f);
    tc_history h = {0};
    tc_model m = {0};
    double *values = tc_alloc(space->n_params, sizeof *values);
    tc_env env = {.space = space, .history = &h, .party_seed = tc_party_seed_from(s->seed)};
    tacit_status status = values ? tc_history_init(&h, space, err) : tc_fail_memory(err);
    for (uint64_t i = 0; i < tc_optimizer_trials(s->o) && status == TACIT_OK; i++) {
        const tc_trial *t = tc_optimizer_trial(s->o, i);
        status = tc_history_reserve(&h, err);
        if (status != TACIT_OK)
            break;
        tc_history_observe(&h, space, t->values,
                           tc_objective_maximize(s->f) ? t->value : -t->value);
        h.noise[h.n - 1] = t->noise_sd * t->noise_sd;
    }
    if (status == TACIT_OK)
        status = tc_model_init(&m, &env, &opts, false, err);
    if (status == TACIT_OK)
        status = search(&m, values, err);
    if (status == TACIT_OK)
        *regret = tc_objective_regret(s->f, values) / s->sd;
    tc_model_fini(&m);
    tc_history_fini(&h);
    tc_free(values);
    return status;
}

/* ---- one run ---- */

static tacit_status take(const study *s, tc_recommend_by by, double *regret, tc_recommendation *r,
                         tacit_error *err)
{
    TC_TRY(tc_optimizer_recommend(s->o, by, r, err));
    *regret = tc_objective_regret(s->f, r->trial->values) / s->sd;
    return TACIT_OK;
}

static tacit_status judge(const study *s, outcome *out, tacit_error *err)
{
    tc_recommendation r;
    TC_TRY(take(s, TC_BY_SEEN, &out->regret[SEEN], &r, err));
    TC_TRY(take(s, TC_BY_MODEL, &out->regret[TRIED], &r, err));
    out->share = r.share;
    out->regret[SPACE] = NAN;
    if (tc_objective_space(s->f)->domain ||
        tc_algorithm_takes_replies(tc_optimizer_algorithm(s->o)))
        return TACIT_OK;
    return over_space(s, &out->regret[SPACE], err);
}

static tacit_status play(study *s, outcome *out, tacit_error *err)
{
    TC_TRY(function_sd(s, err));
    for (uint64_t i = 0; i < s->t->trials; i++)
        TC_TRY(trial(s, err));
    return judge(s, out, err);
}

static tacit_status run(const task *t, uint64_t seed, outcome *out, tacit_error *err)
{
    study s = {.t = t, .seed = seed};
    tc_objective_opts opts;
    json_t *options = t->options ? json_loads(t->options, 0, NULL) : NULL;
    tc_optimizer_config cfg = {.options = options,
                               .public_seed = tc_public_seed_from(seed),
                               .party_seed = tc_party_seed_from(seed),
                               .budget = t->trials};
    TC_TRY(tc_algorithm_get(&cfg.algorithm, t->algorithm, err));
    TC_TRY(tc_options_defaults(tc_objective_options, &opts, err));
    tacit_status status =
        tc_objective_new(&s.f, t->objective, &opts, tc_public_seed_from(seed), err);
    if (status == TACIT_OK)
        status = tc_answers_init(&s.answers, cfg.algorithm, options, NULL, err);
    if (status == TACIT_OK) {
        cfg.space = tc_objective_space(s.f);
        cfg.maximize = tc_objective_maximize(s.f);
        status = tc_optimizer_new(&s.o, &cfg, err);
    }
    if (status == TACIT_OK)
        status = play(&s, out, err);
    tc_optimizer_free(s.o);
    tc_answers_fini(&s.answers);
    tc_objective_free(s.f);
    tc_options_fini(tc_objective_options, &opts);
    json_decref(options);
    return status;
}

/* ---- the table ---- */

static double mean(size_t n, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] / (double)n;
    return sum;
}

/* Half of a 95 % interval of the mean. */
static double half_width(size_t n, const double *v)
{
    double m = mean(n, v), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] - m) * (v[i] - m);
    return n > 1 ? 2.02 * sqrt(sum / (double)(n - 1) / (double)n) : 0;
}

static void print_row(const task *t, size_t n, const outcome *all, double *v)
{
    printf("%s\t%s%s\t%g\t%" PRIu64, t->objective, t->algorithm, t->known ? " (known)" : "",
           t->noise, t->trials);
    for (int rule = SEEN; rule < RULES; rule++) {
        for (size_t i = 0; i < n; i++)
            v[i] = all[i].regret[rule];
        printf("\t%.4f", mean(n, v));
    }
    for (int rule = TRIED; rule < RULES; rule++) {
        for (size_t i = 0; i < n; i++)
            v[i] = all[i].regret[rule] - all[i].regret[SEEN];
        printf("\t%+.4f ± %.4f", mean(n, v), half_width(n, v));
    }
    for (int k = 0; k < SHARES; k++) {
        size_t by_model = 0;
        for (size_t i = 0; i < n; i++) {
            const bool noisy = all[i].share >= shares[k];
            by_model += noisy;
            v[i] = all[i].regret[noisy ? TRIED : SEEN];
        }
        printf("\t%.4f (%zu)", mean(n, v), by_model);
    }
    printf("\n");
    fflush(stdout);
}

static tacit_status run_task(const task *t, uint64_t seeds, tacit_error *err)
{
    outcome *all = tc_alloc(seeds, sizeof *all);
    double *v = tc_alloc(seeds, sizeof *v);
    tacit_status status = all && v ? TACIT_OK : tc_fail_memory(err);
    for (uint64_t i = 0; i < seeds && status == TACIT_OK; i++)
        status = run(t, i + 1, &all[i], err);
    if (status == TACIT_OK)
        print_row(t, seeds, all, v);
    tc_free(all);
    tc_free(v);
    return status;
}

int main(int argc, char **argv)
{
    static const char ldp[] = "{\"name\": \"ldp-tgp\", \"reply\": \"onebit\", \"epsilon\": 1, "
                              "\"bound\": 1, \"noise_bound\": 1, \"width\": 9}";
    static const task tasks[] = {
        {"branin", "gp-ei", NULL, 40, 0, false},      {"branin", "gp-ei", NULL, 40, 0.1, false},
        {"branin", "gp-ei", NULL, 40, 0.3, false},    {"branin", "gp-ei", NULL, 40, 1, false},
        {"branin", "gp-ei", NULL, 40, 1, true},       {"hartmann6", "gp-ei", NULL, 50, 0, false},
        {"hartmann6", "gp-ei", NULL, 50, 0.1, false}, {"hartmann6", "gp-ei", NULL, 50, 0.3, false},
        {"hartmann6", "gp-ei", NULL, 50, 1, false},   {"hartmann6", "gp-ei", NULL, 50, 1, true},
        {"branin", "ts", NULL, 40, 0.3, false},       {"branin", "ts", NULL, 40, 1, false},
        {"rkhs-se", "ldp-tgp", ldp, 300, 0.1, false}, {"rkhs-se", "ldp-tgp", ldp, 1000, 0.1, false},
        {"rkhs-se", "ldp-tgp", ldp, 3000, 0.1, false}};
    const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 40;
    printf("# regrets in sd of the function, %" PRIu64
           " seeds; differences to seen with 95 %% intervals\n",
           seeds);
    printf("# function\talgorithm\tnoise\ttrials\tseen\ttried\tspace\ttried - seen\tspace - "
           "seen\tshare 1%%\tshare "
           "5%%\tshare 20%%\n");
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        tacit_error err = {0};
        if (run_task(&tasks[i], seeds, &err) != TACIT_OK) {
            fprintf(stderr, "bench_recommend: %s\n", err.msg);
            return tacit_status_exit(err.code);
        }
    }
    return 0;
}
