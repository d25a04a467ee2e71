/* outcomes.c - gp-ei with outcome constraints and several objectives, one thread.
 *
 * Prints a line of JSON for each run: the best feasible value (null: none) or the hypervolume after every ten trials, the
 * share of feasible trials, the seconds of the whole run, and the milliseconds of an ask near its end. All tasks minimise.
 * A file of first points has a line for each run: task (blanks as _), seed, number of points, and their values one after
 * another; without it the algorithm begins by itself.
 *
 *     bench_outcomes TASK|all [first seed, 1] [seeds, 5] [file of first points, or -] [trials] */
#include "algo/optimizer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"
#include "num/pareto.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIM = 8, MOST_TRIALS = 1000 };

typedef struct task {
    const char *name;
    size_t dim, trials, n_objectives, n_constraints;
    double reference[4];
    void (*evaluate)(const double *x, double *objectives,
                     double *constraints); /* met at 0 and below */
} task;

static double branin(double x, double y)
{
    const double inner = y - 5.1 * x * x / (4 * M_PI * M_PI) + 5 * x / M_PI - 6;
    return inner * inner + 10 * (1 - 1 / (8 * M_PI)) * cos(x) + 10;
}

static void branin_disk(const double *x, double *f, double *c)
{
    f[0] = branin(x[0], x[1]);
    c[0] = (x[0] - 2.5) * (x[0] - 2.5) + (x[1] - 7.5) * (x[1] - 7.5) - 50;
}

static double hartmann6(const double *x)
{
    static const double weight[] = {1, 1.2, 3, 3.2};
    static const double scale[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                       {0.05, 10, 17, 0.1, 8, 14},
                                       {3, 3.5, 1.7, 10, 17, 8},
                                       {17, 8, 0.05, 10, 0.1, 14}};
    static const double centre[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                        {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                        {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                        {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double away = 0;
        for (int d = 0; d < 6; d++)
            away += scale[i][d] * (x[d] - centre[i][d]) * (x[d] - centre[i][d]);
        sum -= weight[i] * exp(-away);
    }
    return sum;
}

static void hartmann6_ball(const double *x, double *f, double *c)
{
    double squares = 0;
    for (int d = 0; d < 6; d++)
        squares += x[d] * x[d];
    f[0] = hartmann6(x);
    c[0] = sqrt(squares) - 1;
}

static void branin_currin(const double *x, double *f, double *c)
{
    (void)c;
    const double u = x[0], damped = x[1] > 0 ? 1 - exp(-1 / (2 * x[1])) : 1;
    f[0] = branin(15 * u - 5, 15 * x[1]);
    f[1] =
        damped * (((2300 * u + 1900) * u + 2092) * u + 60) / (((100 * u + 500) * u + 4) * u + 20);
}

/* k objectives of the first k-1 coordinates; the others say how far from the front. */
static void dtlz2(size_t k, size_t dim, const double *x, double *f)
{
    double away = 1;
    for (size_t d = k - 1; d < dim; d++)
        away += (x[d] - 0.5) * (x[d] - 0.5);
    for (size_t j = 0; j < k; j++) {
        f[j] = away;
        for (size_t d = 0; d + j + 1 < k; d++)
            f[j] *= cos(x[d] * M_PI / 2);
        if (j > 0)
            f[j] *= sin(x[k - 1 - j] * M_PI / 2);
    }
}

static void dtlz2_two(const double *x, double *f, double *c)
{
    (void)c;
    dtlz2(2, 4, x, f);
}

static void dtlz2_three(const double *x, double *f, double *c)
{
    (void)c;
    dtlz2(3, 5, x, f);
}

static void dtlz2_four(const double *x, double *f, double *c)
{
    (void)c;
    dtlz2(4, 6, x, f);
}

static const task tasks[] = {
    {"branin disk", 2, 40, 1, 1, {0}, branin_disk},
    {"hartmann6 ball", 6, 50, 1, 1, {0}, hartmann6_ball},
    {"branin-currin", 2, 100, 2, 0, {18, 6}, branin_currin},
    {"dtlz2", 4, 100, 2, 0, {1.1, 1.1}, dtlz2_two},
    {"dtlz2 of three", 5, 100, 3, 0, {1.1, 1.1, 1.1}, dtlz2_three},
    {"dtlz2 of four", 6, 100, 4, 0, {1.1, 1.1, 1.1, 1.1}, dtlz2_four},
};

typedef struct run {
    const task *task;
    uint64_t seed;
    size_t trials;
    tc_optimizer *o;
    double objectives[MOST_TRIALS][4];
    bool feasible[MOST_TRIALS];
} run;

/* Branin's own ranges differ; all others are cubes. */
static tacit_status make_space(const task *t, tc_space **out, tacit_error *err)
{
    tc_space *s;
    TC_TRY(tc_space_new(&s, err));
    tacit_status status = TACIT_OK;
    for (size_t d = 0; d < t->dim && status == TACIT_OK; d++) {
        char name[24];
        snprintf(name, sizeof name, "x%zu", d);
        const bool disk = t->evaluate == branin_disk;
        const double low = disk && d == 0 ? -5 : 0, high = disk ? (d == 0 ? 10 : 15) : 1;
        status = tc_space_add_float(s, name, low, high, 0, false, err);
    }
    if (status == TACIT_OK)
        *out = s;
    else
        tc_space_free(s);
    return status;
}

static tacit_status make_optimizer(run *r, tacit_error *err)
{
    static const bool minimize[4] = {false};
    static const double low[1] = {-INFINITY}, high[1] = {0};
    const tc_outcomes wanted = {.n_objectives = r->task->n_objectives,
                                .maximize = minimize,
                                .n_constraints = r->task->n_constraints,
                                .low = low,
                                .high = high};
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find("gp-ei"),
                               .public_seed = tc_public_seed_from(r->seed),
                               .party_seed = tc_party_seed_from(r->seed),
                               .budget = r->trials,
                               .outcomes = &wanted};
    tc_space *space;
    TC_TRY(make_space(r->task, &space, err));
    cfg.space = space;
    tacit_status status = tc_optimizer_new(&r->o, &cfg, err);
    tc_space_free(space);
    return status;
}

static bool is_run(const run *r, char *line)
{
    char *space = strchr(line, ' ');
    if (!space || strlen(r->task->name) != (size_t)(space - line))
        return false;
    for (char *c = line; c < space; c++)
        if ((*c == '_' ? ' ' : *c) != r->task->name[c - line])
            return false;
    return strtoull(space, NULL, 10) == r->seed;
}

static tacit_status enqueue(run *r, const char *line, tacit_error *err)
{
    char *rest = strchr(line, ' ');
    (void)strtoull(rest, &rest, 10);
    const uint64_t n = strtoull(rest, &rest, 10);
    for (uint64_t i = 0; i < n; i++) {
        double x[MOST_DIM];
        tc_event e;
        for (size_t d = 0; d < r->task->dim; d++)
            x[d] = strtod(rest, &rest);
        TC_TRY(tc_optimizer_enqueue(r->o, x, 0, &e, err));
        TC_TRY(tc_optimizer_apply(r->o, &e, err));
    }
    return TACIT_OK;
}

static tacit_status begin_with(run *r, const char *path, tacit_error *err)
{
    static char line[1 << 16];
    FILE *file = fopen(path, "r");
    if (!file)
        return tc_fail(err, TACIT_E_NOT_FOUND, "%s cannot be read", path);
    tacit_status status = tc_fail(err, TACIT_E_NOT_FOUND, "%s has no points of this run", path);
    while (fgets(line, sizeof line, file))
        if (is_run(r, line))
            status = enqueue(r, line, err);
    fclose(file);
    return status;
}

static tacit_status one_trial(run *r, size_t i, tacit_error *err)
{
    const task *t = r->task;
    double f[4], more[4], c[1];
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(r->o, &req, &e, err));
        TC_TRY(tc_optimizer_apply(r->o, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    t->evaluate(tc_optimizer_trial(r->o, e.trial)->values, f, c);
    memcpy(r->objectives[i], f, sizeof f);
    r->feasible[i] = t->n_constraints == 0 || c[0] <= 0;
    memcpy(more, f + 1, (t->n_objectives - 1) * sizeof *more);
    if (t->n_constraints > 0)
        more[t->n_objectives - 1] = c[0];
    TC_TRY(tc_optimizer_tell_outcomes(r->o, e.trial, NULL, f[0], more,
                                      t->n_objectives - 1 + t->n_constraints, 1, &e, err));
    return tc_optimizer_apply(r->o, &e, err);
}

/* NaN: no feasible trial. */
static tacit_status measure(const run *r, size_t n, double *out, tacit_error *err)
{
    const task *t = r->task;
    const size_t k = t->n_objectives;
    double rows[MOST_TRIALS * 4], best = NAN, reference[4];
    for (size_t i = 0; i < n; i++)
        if (r->feasible[i])
            best = fmin(best, r->objectives[i][0]);
    *out = best;
    if (k == 1)
        return TACIT_OK;
    for (size_t j = 0; j < k; j++) {
        reference[j] = -t->reference[j];
        for (size_t i = 0; i < n; i++)
            rows[i * k + j] = -r->objectives[i][j];
    }
    return tc_hypervolume(n, k, rows, reference, out, err);
}

static tacit_status print(const run *r, double seconds, double ask_ms, tacit_error *err)
{
    size_t feasible = 0;
    printf("{\"task\":\"%s\",\"contestant\":\"tacit\",\"seed\":%" PRIu64 ",\"best\":[",
           r->task->name, r->seed);
    for (size_t n = 10; n <= r->trials; n += 10) {
        double at;
        TC_TRY(measure(r, n, &at, err));
        printf(isnan(at) ? "%snull" : "%s%.9g", n > 10 ? "," : "", at);
    }
    for (size_t i = 0; i < r->trials; i++)
        feasible += r->feasible[i];
    printf("],\"feasible\":%.3f,\"seconds\":%.3f,\"ask_ms\":%.2f}\n",
           (double)feasible / (double)r->trials, seconds, ask_ms);
    fflush(stdout);
    return TACIT_OK;
}

/* Of the last asks, without those that had a fit before them. */
static tacit_status make_run(run *r, const char *points, tacit_error *err)
{
    enum { LAST = 5 };
    const uint64_t begin = tc_clock_ns();
    double ask_ms = INFINITY;
    TC_TRY(make_optimizer(r, err));
    if (points)
        TC_TRY(begin_with(r, points, err));
    for (size_t i = 0; i < r->trials; i++) {
        const uint64_t before = tc_clock_ns();
        TC_TRY(one_trial(r, i, err));
        if (i + LAST >= r->trials)
            ask_ms = fmin(ask_ms, (double)(tc_clock_ns() - before) * 1e-6);
    }
    return print(r, (double)(tc_clock_ns() - begin) * 1e-9, ask_ms, err);
}

static tacit_status run_seed(const task *t, uint64_t seed, size_t trials, const char *points,
                             tacit_error *err)
{
    run *r = tc_alloc(1, sizeof *r);
    if (!r)
        return tc_fail_memory(err);
    r->task = t;
    r->seed = seed;
    r->trials = trials > 0 ? trials : t->trials;
    tacit_status status = make_run(r, points, err);
    tc_optimizer_free(r->o);
    tc_free(r);
    return status;
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "all";
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const uint64_t seeds = argc > 3 ? strtoull(argv[3], NULL, 10) : 5;
    const char *points = argc > 4 && strcmp(argv[4], "-") != 0 ? argv[4] : NULL;
    const size_t trials = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;

    fprintf(stderr, "# tacit: %s, one thread\n", tc_la_library());
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        if (strcmp(which, "all") != 0 && strcmp(which, tasks[i].name) != 0)
            continue;
        for (uint64_t seed = first; seed < first + seeds; seed++) {
            tacit_error err = {0};
            if (trials <= MOST_TRIALS &&
                run_seed(&tasks[i], seed, trials, points, &err) == TACIT_OK)
                continue;
            fprintf(stderr, "bench_outcomes: %s\n", err.code ? err.msg : "too many trials");
            return 1;
        }
    }
    return 0;
}
