/* common.c - one configuration for all agents of a federation: what the releases of dp-fts-de support, beside what the
 * agents' own bests, a private vote over a grid (DP-Hype) and averages of local bests (PrivTuna) would choose.
 *
 * The objective of one joint model is the mean of the agents' functions. A row for each task: its regret under each
 * rule, in units of its standard deviation over the space, and the differences to the released mean, paired by seeds,
 * with 95 % intervals. All rules that are private keep the same (epsilon, delta) for each agent, who is there or sends
 * zeros; every rule has the same number of evaluations at each agent.
 *
 *     bench_common [seeds, 40] [agents, 50] [number of a task, all]
 *
 * Liebenow, Peinemann, Mohammadi (2025), "DP-Hype": every client evaluates a grid of configurations and votes for its best
 * one; the votes are added up with Gaussian noise, and the most votes win. Taken from the abstract and reviews of it: a vote
 * is one 1 among zeros, noise by the analytic Gaussian mechanism at sensitivity 1. Mitic, Pyrgelis, Sav (2024), "PrivTuna":
 * the average of the clients' best configurations, or of the largest cluster that DBSCAN finds (here radius 0.1 sqrt(D)
 * in the unit cube, 3 neighbours), under encryption: what comes out is not private in the sense of differential privacy.
 * A third row adds Gaussian noise to the average, of vectors in a ball of radius sqrt(D)/2.
 *
 * docs/benchmarks.md, "One configuration for all agents". */
#include "base/error.h"
#include "base/memory.h"
#include "num/sobol.h"
#include "objective/family.h"
#include "algo/single/design.h"
#include "sim/federation.h"
#include "study/store.h"

#include <tacit/privacy.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCE = 16384, GRID_MOST = 256 };

typedef struct task {
    const char *family;
    double shift, epsilon;
    uint64_t trials;
    double lengthscale; /* that dp-fts-de is told; 0: none */
} task;

enum { RELEASED, ANY_OWN, BEST_OWN, VOTE, AVERAGE, CLUSTER, AVERAGE_DP, RULES };
static const char *const names[RULES] = {
    "released",          "an agent's own best (mean)", "the best of own bests (oracle)",
    "DP-Hype",           "PrivTuna mean, not DP",      "PrivTuna DBSCAN, not DP",
    "PrivTuna mean, DP",
};

typedef struct run {
    const task *t;
    uint64_t agents, seed;
    tc_family *family;
    double optimum, sd; /* of the joint objective, to be maximised */
    double noise;       /* sigma of the analytic Gaussian mechanism at sensitivity 1 */
} run;

/* ---- the joint objective */

static double joint(const run *r, const double *values)
{
    double sum = 0;
    for (uint64_t i = 0; i < r->agents; i++)
        sum += tc_family_value(r->family, i, values) / (double)r->agents;
    return tc_family_maximize(r->family) ? sum : -sum;
}

static double regret(const run *r, const double *values)
{
    return (r->optimum - joint(r, values)) / r->sd;
}

/* Point i of a fixed sequence over the space, or candidate i of a finite one. */
static size_t point(const tc_space *s, const tc_sobol *q, size_t i, size_t n, double *values)
{
    if (s->domain) {
        values[0] = (double)(i * s->domain->n / n);
        return s->domain->n;
    }
    tc_sobol_point(q, i, values);
    tc_design_values(s, values, values);
    return n;
}

static void sequence(tc_sobol *q, const tc_space *s)
{
    const tc_public_seed seed = tc_public_seed_from(0);
    tc_stream stream;
    tc_stream_public(&stream, &seed, TC_FOR_DESIGN, 0);
    tc_sobol_init(q, s->n_params, &stream);
}

/* From the best point of the sequence, along one coordinate after another, in steps that become smaller. Every
 * parameter of the shifted families is a float. */
static void refine(run *r, double *best)
{
    const tc_space *s = tc_family_space(r->family);
    for (double step = 0.02; step > 1e-4; step /= 2)
        for (int sweep = 0; sweep < 8; sweep++)
            for (size_t d = 0; d < 2 * s->n_params; d++) {
                const size_t p = d / 2;
                const double range = s->params[p].high - s->params[p].low, was = best[p];
                best[p] = fmin(fmax(was + (d % 2 ? step : -step) * range, s->params[p].low),
                               s->params[p].high);
                const double y = joint(r, best);
                if (y > r->optimum)
                    r->optimum = y;
                else
                    best[p] = was;
            }
}

static void measure(run *r, double *values, double *best)
{
    const tc_space *s = tc_family_space(r->family);
    const size_t n = s->domain ? s->domain->n : REFERENCE;
    double sum = 0, squares = 0;
    tc_sobol q;
    sequence(&q, s);
    r->optimum = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        point(s, &q, i, n, values);
        const double y = joint(r, values);
        sum += y;
        squares += y * y;
        if (y > r->optimum) {
            r->optimum = y;
            memcpy(best, values, s->n_params * sizeof *best);
        }
    }
    if (!s->domain)
        refine(r, best);
    const double mean = sum / (double)n;
    r->sd = sqrt(fmax(squares / (double)n - mean * mean, 0));
}

/* ---- the agents */

static double observe(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    const run *r = user;
    (void)trial; /* noise-free: a rule that evaluates a grid sees no luck either */
    return tc_family_value(r->family, (size_t)agent, values);
}

static tacit_status options_of(const run *r, const tc_algorithm *a, json_t **out, tacit_error *err)
{
    const tc_env env = {
        .space = tc_family_space(r->family), .agents = r->agents, .budget = r->t->trials};
    void *opts = tc_alloc(a->options_size + 1, 1);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = tc_options_defaults(a->options, opts, err);
    if (status == TACIT_OK && r->t->lengthscale > 0) {
        json_t *told = json_pack("{s:f}", "lengthscale", r->t->lengthscale);
        status = tc_options_set_json(a->options, opts, a->name, told, "name", err);
        json_decref(told);
    }
    if (a->begin && status == TACIT_OK)
        a->begin(&env, opts);
    if (a->promise && status == TACIT_OK)
        status = a->promise(&env, opts, r->t->epsilon, tacit_delta_default(r->agents), err);
    *out = status == TACIT_OK ? tc_options_json(a->options, opts) : NULL;
    tc_options_fini(a->options, opts);
    tc_free(opts);
    return status == TACIT_OK && !*out ? tc_fail_memory(err) : status;
}

/* The encoded best points of the agents, agents x dim, and the regrets of these as configurations of all. */
static void own_bests(const run *r, const tc_federation *f, double *points, double *regrets)
{
    const tc_space *s = tc_family_space(r->family);
    for (uint64_t i = 0; i < r->agents; i++) {
        const tc_trial *best = tc_optimizer_best(tc_federation_agent(f, i));
        tc_space_encode(s, best->values, points + i * s->dim);
        regrets[i] = regret(r, best->values);
    }
}

static tacit_status released(const run *r, const json_t *options, tc_ledger *ledger, double *values,
                             double *out, tacit_error *err)
{
    const tc_algorithm *a = tc_algorithm_find("dp-fts-de");
    const tc_env env = {.space = tc_family_space(r->family),
                        .public_seed = tc_public_seed_from(r->seed),
                        .agents = r->agents,
                        .budget = r->t->trials};
    const tacit_hash study = {{0}};
    tc_broadcast list[64];
    tc_ledger_receipt receipts[64];
    size_t n = 0;
    void *opts = tc_alloc(a->options_size, 1);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = tc_options_defaults(a->options, opts, err);
    if (status == TACIT_OK)
        status = tc_options_set_json(a->options, opts, a->name, options, "name", err);
    for (uint64_t round = 0; round < 64 && status == TACIT_OK; round++)
        if (tc_ledger_find(ledger, &study, round, &receipts[n], err) == TACIT_OK) {
            list[n] = (tc_broadcast){
                .round = round, .bytes = receipts[n].bytes, .size = receipts[n].size};
            n++;
        }
    tc_common c = {.values = values};
    if (status == TACIT_OK)
        status = a->aggregator->recommend(&env, opts, list, n, &c, err);
    if (status == TACIT_OK)
        *out = regret(r, values);
    for (size_t i = 0; i < n; i++)
        tc_ledger_receipt_fini(&receipts[i]);
    tc_options_fini(a->options, opts);
    tc_free(opts);
    return status;
}

/* algorithm: dp-fts-de, with its ledger; or one that works alone. */
static tacit_status federate(const run *r, const char *algorithm, const json_t *options,
                             tc_ledger *ledger, tc_federation **out, tacit_error *err)
{
    const tc_federation_config cfg = {.algorithm = tc_algorithm_find(algorithm),
                                      .options = options,
                                      .space = tc_family_space(r->family),
                                      .maximize = tc_family_maximize(r->family),
                                      .agents = r->agents,
                                      .seed = r->seed,
                                      .budget = r->t->trials,
                                      .paired = true,
                                      .objective = observe,
                                      .ledger = ledger,
                                      .user = (void *)r};
    TC_TRY(tc_federation_new(out, &cfg, err));
    for (uint64_t t = 0; t < r->t->trials; t++)
        TC_TRY(tc_federation_step(*out, err));
    return TACIT_OK;
}

/* ---- the other rules */

static void normals(const run *r, uint64_t step, size_t n, double *out)
{
    const tc_public_seed seed = tc_public_seed_from(r->seed);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, step);
    tc_draw_normals(&s, n, out);
}

/* Every agent evaluates the same grid of as many points as it has trials, and votes for its best one. */
static double vote(const run *r, double *values)
{
    const tc_space *s = tc_family_space(r->family);
    const size_t n = r->t->trials < GRID_MOST ? (size_t)r->t->trials : GRID_MOST;
    double votes[GRID_MOST], best_votes = -INFINITY;
    size_t winner = 0;
    tc_sobol q;
    sequence(&q, s);
    normals(r, 1, n, votes);
    for (size_t k = 0; k < n; k++)
        votes[k] *= r->noise;
    for (uint64_t i = 0; i < r->agents; i++) {
        double top = -INFINITY;
        size_t choice = 0;
        for (size_t k = 0; k < n; k++) {
            point(s, &q, k, n, values);
            const double y = tc_family_value(r->family, i, values);
            const double good = tc_family_maximize(r->family) ? y : -y;
            if (good > top) {
                top = good;
                choice = k;
            }
        }
        votes[choice] += 1;
    }
    for (size_t k = 0; k < n; k++)
        if (votes[k] > best_votes) {
            best_votes = votes[k];
            winner = k;
        }
    point(s, &q, winner, n, values);
    return regret(r, values);
}

/* Of a point of the unit cube; of a finite space the nearest candidate. */
static double regret_at(const run *r, const double *u, double *values)
{
    const tc_space *s = tc_family_space(r->family);
    if (!s->domain) {
        for (size_t d = 0; d < s->dim; d++)
            values[d] = fmin(fmax(u[d], 0), 1);
        tc_design_values(s, values, values); /* every coordinate is a float: as encoded */
        return regret(r, values);
    }
    const tc_domain *all = s->domain;
    double least = INFINITY;
    for (size_t k = 0; k < all->n; k++) {
        double square = 0;
        for (size_t d = 0; d < s->dim; d++)
            square += (all->u[k + d * all->n] - u[d]) * (all->u[k + d * all->n] - u[d]);
        if (square < least) {
            least = square;
            values[0] = (double)k;
        }
    }
    return regret(r, values);
}

/* The mean of those in `in`; NULL: of all. */
static void average(const run *r, const double *points, const bool *in, double *out)
{
    const size_t dim = tc_family_space(r->family)->dim;
    double n = 0;
    memset(out, 0, dim * sizeof *out);
    for (uint64_t i = 0; i < r->agents; i++) {
        n += !in || in[i];
        for (size_t d = 0; (!in || in[i]) && d < dim; d++)
            out[d] += points[i * dim + d];
    }
    for (size_t d = 0; d < dim; d++)
        out[d] /= n;
}

static bool near(const run *r, const double *points, uint64_t a, uint64_t b)
{
    const size_t dim = tc_family_space(r->family)->dim;
    double square = 0;
    for (size_t d = 0; d < dim; d++) {
        const double gap = points[a * dim + d] - points[b * dim + d];
        square += gap * gap;
    }
    return square <= 0.01 * (double)dim;
}

/* DBSCAN: grows a cluster from every agent with enough neighbours; keeps the largest. False: there is none. */
static bool largest_cluster(const run *r, const double *points, bool *out)
{
    const uint64_t n = r->agents;
    uint64_t most = 0, *queue = malloc(n * sizeof *queue);
    bool *in = malloc(n * sizeof *in);
    if (!queue || !in)
        abort();
    for (uint64_t first = 0; first < n; first++) {
        uint64_t from = 0, to = 1;
        memset(in, 0, n * sizeof *in);
        queue[0] = first;
        in[first] = true;
        while (from < to) {
            const uint64_t a = queue[from++];
            uint64_t neighbours = 0;
            for (uint64_t b = 0; b < n; b++)
                neighbours += near(r, points, a, b);
            for (uint64_t b = 0; neighbours >= 3 && b < n; b++)
                if (!in[b] && near(r, points, a, b)) {
                    in[b] = true;
                    queue[to++] = b;
                }
        }
        if (to > most && to > 1) {
            most = to;
            memcpy(out, in, n * sizeof *in);
        }
    }
    free(queue);
    free(in);
    return most > 0;
}

static void local_rules(const run *r, const double *points, double *values, double *out)
{
    const size_t dim = tc_family_space(r->family)->dim;
    double u[64], noise[64];
    bool *in = calloc(r->agents, sizeof *in);
    if (!in || dim > 64)
        abort();
    average(r, points, NULL, u);
    out[AVERAGE] = regret_at(r, u, values);
    normals(r, 2, dim, noise);
    for (size_t d = 0; d < dim; d++)
        u[d] += noise[d] * r->noise * sqrt((double)dim) / 2 / (double)r->agents;
    out[AVERAGE_DP] = regret_at(r, u, values);
    if (largest_cluster(r, points, in))
        average(r, points, in, u);
    else
        average(r, points, NULL, u);
    out[CLUSTER] = regret_at(r, u, values);
    free(in);
}

/* ---- one run */

static tacit_status together(const run *r, double *values, double *points, double *regrets,
                             double *out, tacit_error *err)
{
    tc_store *store = NULL;
    tc_ledger *ledger = NULL;
    tc_federation *f = NULL;
    tc_ledger_io io;
    json_t *options = NULL;
    tacit_status status = options_of(r, tc_algorithm_find("dp-fts-de"), &options, err);
    if (status == TACIT_OK)
        status = tc_store_open(&store, "memory:", true, err);
    if (status == TACIT_OK)
        status = tc_store_ledger(store, "simulation", true, &io, err);
    if (status == TACIT_OK)
        status = tc_ledger_open(&ledger, "simulation", &io, err);
    if (status == TACIT_OK)
        status = federate(r, "dp-fts-de", options, ledger, &f, err);
    if (status == TACIT_OK) {
        own_bests(r, f, points, regrets);
        out[ANY_OWN] = 0;
        out[BEST_OWN] = INFINITY;
        for (uint64_t i = 0; i < r->agents; i++) {
            out[ANY_OWN] += regrets[i] / (double)r->agents;
            out[BEST_OWN] = fmin(out[BEST_OWN], regrets[i]);
        }
        status = released(r, options, ledger, values, &out[RELEASED], err);
    }
    tc_federation_free(f);
    tc_ledger_close(ledger);
    tc_store_close(store);
    json_decref(options);
    return status;
}

static tacit_status all_rules(const run *r, double *values, double *points, double *regrets,
                              double *out, tacit_error *err)
{
    tc_federation *alone = NULL;
    TC_TRY(together(r, values, points, regrets, out, err));
    tacit_status status = federate(r, "gp-ei", NULL, NULL, &alone, err);
    if (status == TACIT_OK) {
        own_bests(r, alone, points, regrets);
        local_rules(r, points, values, out);
        out[VOTE] = vote(r, values);
    }
    tc_federation_free(alone);
    return status;
}

static tacit_status run_once(const task *t, uint64_t agents, uint64_t seed, double *out,
                             tacit_error *err)
{
    run r = {.t = t, .agents = agents, .seed = seed};
    tc_family_opts opts;
    tc_arena scratch = {0};
    TC_TRY(tacit_analytic_gaussian(t->epsilon, tacit_delta_default(agents), &r.noise, err));
    TC_TRY(tc_options_defaults(tc_family_options, &opts, err));
    opts.objective.shift = t->shift;
    tacit_status status =
        tc_family_new(&r.family, t->family, &opts, agents, tc_public_seed_from(seed), err);
    if (status == TACIT_OK) {
        const tc_space *s = tc_family_space(r.family);
        double *values = TC_TAKE(&scratch, s->n_params, double);
        double *points = TC_TAKE(&scratch, agents * s->dim, double);
        double *regrets = TC_TAKE(&scratch, agents, double);
        double *best = TC_TAKE(&scratch, s->n_params, double);
        status = scratch.failed ? tc_fail_memory(err) : TACIT_OK;
        if (status == TACIT_OK) {
            measure(&r, values, best);
            status = all_rules(&r, values, points, regrets, out, err);
        }
    }
    tc_arena_fini(&scratch);
    tc_family_free(r.family);
    tc_options_fini(tc_family_options, &opts);
    return status;
}

/* ---- the table */

static void print_task(const task *t, uint64_t agents, size_t n, const double *all)
{
    for (int rule = 0; rule < RULES; rule++) {
        double mean = 0, gap = 0, squares = 0;
        for (size_t i = 0; i < n; i++) {
            mean += all[i * RULES + (size_t)rule] / (double)n;
            gap += (all[i * RULES + (size_t)rule] - all[i * RULES + RELEASED]) / (double)n;
        }
        for (size_t i = 0; i < n; i++) {
            const double d = all[i * RULES + (size_t)rule] - all[i * RULES + RELEASED] - gap;
            squares += d * d;
        }
        printf("%s\t%g\t%" PRIu64 "\t%g\t%g\t%s\t%.4f\t%+.4f ± %.4f\n", t->family, t->shift, agents,
               t->epsilon, t->lengthscale, names[rule], mean, gap,
               n > 1 ? 2.02 * sqrt(squares / (double)(n - 1) / (double)n) : 0);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const task tasks[] = {{"gp-family", 0, 1, 30, 0},    {"gp-family", 0, 7, 30, 0},
                                 {"gp-family", 0, 1, 30, 0.03}, {"gp-family", 0, 7, 30, 0.03},
                                 {"branin", 0.05, 1, 30, 0},    {"branin", 0.05, 7, 30, 0},
                                 {"branin", 0.2, 1, 30, 0},     {"branin", 0.2, 7, 30, 0},
                                 {"hartmann6", 0.05, 1, 40, 0}, {"hartmann6", 0.05, 7, 40, 0}};
    const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 40;
    const uint64_t agents = argc > 2 ? strtoull(argv[2], NULL, 10) : 50;
    double *all = tc_alloc(seeds * RULES, sizeof *all);
    printf("# regret of one configuration for all, in sd of the mean function, %" PRIu64 " seeds\n",
           seeds);
    printf("# family\tshift\tagents\tepsilon\ttold\trule\tregret\tmore than released\n");
    for (size_t k = 0; all && k < sizeof tasks / sizeof *tasks; k++) {
        if (argc > 3 && strtoull(argv[3], NULL, 10) != k)
            continue;
        tacit_error err = {0};
        for (uint64_t i = 0; i < seeds; i++)
            if (run_once(&tasks[k], agents, i + 1, all + i * RULES, &err) != TACIT_OK) {
                fprintf(stderr, "bench_common: %s\n", err.msg);
                return tacit_status_exit(err.code);
            }
        print_task(&tasks[k], agents, seeds, all);
    }
    tc_free(all);
    return 0;
}
