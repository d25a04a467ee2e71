/* outsourced.c - simple regret of an outsourced search on the grid of PO-GP-UCB, curator and modeler.
 *
 * 100 x 100 rows whose largest norm is 25, values drawn from a Gaussian process of length-scale 5,
 * noise variance 1e-5, T = 50 questions, known hyper-parameters (but for "learned"), the first row uniform. Each run is
 * another function, another release and another first row, the same for every line of the table.
 * Noise is drawn from seeds: simulations are NOT PRIVATE.
 *
 *     bench_outsourced [runs, 50] [questions, 50]
 *     bench_outsourced rows [n, 36000]      seconds of a modeler's asks over n rows of 3 columns */
#include "algo/optimizer.h"
#include "algo/outsourced/row_curator.h"
#include "base/clock.h"
#include "base/error.h"
#include "objective/objective.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 100, N = SIDE * SIDE, D = 2 };

static const double REACH = 25, LENGTHSCALE = 5, NOISE = 1e-5, BOUND = 3.5;

typedef enum kind { NON_PRIVATE, RANDOM, SOUND, LEARNED, SOUND_OUTPUTS, PAPER } kind;

typedef struct player {
    kind kind;
    double epsilon;
    size_t rank;
    const char *reference; /* what the same has measured elsewhere */
} player;

static const player players[] = {
    {RANDOM, 0, 0, "0.399"},
    {NON_PRIVATE, 0, 0, "0.047"},
    {SOUND, 1, 0, "0.133"},
    {SOUND, 2.7, 0, "0.054"},
    {SOUND, 10, 0, "0.047"},
    {SOUND, 50, 0, "0.040"},
    {LEARNED, 1, 0, "-"},
    {LEARNED, 2.7, 0, "-"},
    {LEARNED, 10, 0, "-"},
    {LEARNED, 50, 0, "-"},
    {SOUND_OUTPUTS, 1, 0, "0.576"},
    {SOUND_OUTPUTS, 2.7, 0, "0.413"},
    {SOUND_OUTPUTS, 10, 0, "0.167"},
    {SOUND_OUTPUTS, 50, 0, "0.063"},
    {PAPER, 1, 10, "0.162"},
    {PAPER, 2.7, 10, "0.128"},
    {PAPER, 10, 10, "0.042"},
    {PAPER, 50, 10, "0.035"},
};

static const char *const names[] = {
    "non-private",        "random", "sound", "sound, learned", "sound, outputs too",
    "paper (NOT PRIVATE)"};

/* ---- the rows and the function */

typedef struct world {
    double x[N * D], f[N], best;
    uint64_t seed;
} world;

static tacit_status make_world(world *w, uint64_t seed, tacit_error *err)
{
    double half = REACH / sqrt(2);
    tc_objective *f = NULL;
    tc_objective_opts opts = {.lengthscale = LENGTHSCALE / (2 * half), .grid = SIDE};
    TC_TRY(tc_objective_new(&f, "gp-sample", &opts, tc_public_seed_from(seed), err));
    const tc_domain *grid = tc_objective_space(f)->domain;
    w->seed = seed;
    w->best = tc_objective_optimum(f);
    for (size_t i = 0; i < N; i++) {
        double row = (double)i;
        w->f[i] = tc_objective_value(f, &row);
        for (size_t d = 0; d < D; d++)
            w->x[i * D + d] = half * (2 * grid->u[i + d * N] - 1);
    }
    tc_objective_free(f);
    return TACIT_OK;
}

/* ---- the curator */

typedef struct release {
    size_t order[N];
    tc_domain *rows;
    double input_sd, output_sd;
} release;

static tacit_status to_domain(const double *x, size_t n, size_t d, tc_domain **out,
                              tacit_error *err)
{
    tc_text csv = {0};
    for (size_t k = 0; k < d; k++)
        tc_text_addf(&csv, "%sx%zu", k ? "," : "", k + 1);
    for (size_t i = 0; i < n * d; i++) {
        tc_text_add(&csv, i % d ? "," : "\n");
        tc_text_add_double(&csv, x[i]);
    }
    tacit_status st =
        csv.failed ? tc_fail_memory(err) : tc_domain_from_csv(out, csv.data, csv.len, "rows", err);
    tc_text_fini(&csv);
    return st;
}

static tc_row_terms terms_of(const player *p, const tc_row_column *columns)
{
    double share = p->kind == SOUND_OUTPUTS ? p->epsilon / 2 : p->epsilon;
    return (tc_row_terms){.name = "grid",
                          .mode = p->kind == PAPER ? TC_ROW_PAPER : TC_ROW_SOUND,
                          .rows = N,
                          .dims = D,
                          .columns = columns,
                          .epsilon = share,
                          .delta = p->kind == PAPER ? 1e-5 : 0,
                          .radius = 1,
                          .rank = p->rank,
                          .maximize = true,
                          .output_epsilon = p->kind == SOUND_OUTPUTS ? share : 0,
                          .output_bound = BOUND};
}

static tacit_status release_values(const tc_row_terms *t, const world *w, release *out,
                                   tacit_error *err)
{
    tc_test_noise seeded;
    tc_release *r = NULL;
    tc_transform transform;
    tc_test_noise_init(&seeded, w->seed, 1);
    tc_entropy e = tc_entropy_of_test(&seeded);
    TC_TRY(tc_row_draw(t, w->x, &e, out->order, &r, &transform, err));
    const tc_release_view *view = tc_release_get(r);
    size_t n = view->rows * view->cols;
    double *values = tc_alloc(n, sizeof *values);
    tacit_status st = values ? TACIT_OK : tc_fail_memory(err);
    for (size_t i = 0; st == TACIT_OK && i < n; i++)
        values[i] = tc_release_value(r, i);
    if (st == TACIT_OK)
        st = to_domain(values, view->rows, view->cols, &out->rows, err);
    out->input_sd = view->noise_sd;
    tc_free(values);
    tc_release_free(r);
    return st == TACIT_OK ? tc_row_output_sd(t, &out->output_sd, err) : st;
}

static tacit_status make_release(const player *p, const world *w, release *out, tacit_error *err)
{
    double half = REACH / sqrt(2);
    tc_row_column columns[D] = {{"x1", -half, half, 1}, {"x2", -half, half, 1}};
    tc_row_terms t = terms_of(p, columns);
    *out = (release){0};
    if (p->kind != NON_PRIVATE && p->kind != RANDOM)
        return release_values(&t, w, out, err);
    for (size_t i = 0; i < N; i++)
        out->order[i] = i;
    return to_domain(w->x, N, D, &out->rows, err);
}

/* The value of a row: observed with noise, then as the terms have it. */
static tacit_status answer(const player *p, const world *w, size_t record, uint64_t step, double *y,
                           tacit_error *err)
{
    tc_public_seed seed = tc_public_seed_from(w->seed);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, step);
    *y = w->f[record] + sqrt(NOISE) * tc_draw_normal(&s);
    if (p->kind != SOUND_OUTPUTS)
        return TACIT_OK;
    double low = -BOUND, high = BOUND;
    tc_laplace_plan plan = {
        .count = 1, .bounds = {&low, &high}, .epsilon = p->epsilon / 2, .unit = TC_UNIT_ROW};
    tc_test_noise seeded;
    tc_release *r = NULL;
    tc_test_noise_init(&seeded, w->seed, 100 + step);
    tc_entropy e = tc_entropy_of_test(&seeded);
    TC_TRY(tc_laplace_release(&r, &plan, y, &e, err));
    *y = tc_release_value(r, 0);
    tc_release_free(r);
    return TACIT_OK;
}

/* ---- the modeler */

static tacit_status make_modeler(const player *p, const release *r, uint64_t seed,
                                 tc_optimizer **out, tacit_error *err)
{
    tc_domain *rows = NULL;
    tc_space *space = NULL;
    TC_TRY(tc_domain_copy(&rows, r->rows, err));
    TC_TRY(tc_space_from_domain(&space, rows, err));
    json_t *options = json_pack("{s:b, s:f, s:f, s:f, s:f}", "fit", p->kind == LEARNED,
                                "lengthscale", p->kind == LEARNED ? 0 : LENGTHSCALE, "noise", NOISE,
                                "input_sd", r->input_sd, "output_sd", r->output_sd);
    bool random = p->kind == RANDOM;
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(random ? "random" : "po-gp-ucb"),
                               .options = random ? NULL : options,
                               .space = space,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(seed),
                               .party_seed = tc_party_seed_from(seed)};
    tacit_status st = tc_optimizer_new(out, &cfg, err);
    json_decref(options);
    tc_space_free(space);
    return st;
}

static tacit_status next(tc_optimizer *o, uint64_t *trial, size_t *row, tacit_error *err)
{
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(o, &req, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    *trial = e.trial;
    *row = (size_t)tc_optimizer_trial(o, e.trial)->values[0];
    return TACIT_OK;
}

static tacit_status play(const player *p, const world *w, const release *r, tc_optimizer *o,
                         uint64_t questions, double *regret, tacit_error *err)
{
    double best = -INFINITY, y;
    for (uint64_t t = 0; t < questions; t++) {
        uint64_t trial;
        size_t row;
        tc_event e;
        TC_TRY(next(o, &trial, &row, err));
        TC_TRY(answer(p, w, r->order[row], t, &y, err));
        best = fmax(best, w->f[r->order[row]]);
        TC_TRY(tc_optimizer_tell(o, trial, NULL, y, 1, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    }
    *regret = w->best - best;
    return TACIT_OK;
}

static tacit_status run(const player *p, const world *w, uint64_t questions, double *regret,
                        tacit_error *err)
{
    static release r;
    tc_optimizer *o = NULL;
    tacit_status st = make_release(p, w, &r, err);
    if (st == TACIT_OK)
        st = make_modeler(p, &r, w->seed, &o, err);
    if (st == TACIT_OK)
        st = play(p, w, &r, o, questions, regret, err);
    tc_optimizer_free(o);
    tc_domain_free(r.rows);
    return st;
}

static tacit_status table(uint64_t runs, uint64_t questions, tacit_error *err)
{
    static world w;
    enum { PLAYERS = sizeof players / sizeof *players };
    double sum[PLAYERS] = {0}, squares[PLAYERS] = {0}, regret;
    for (uint64_t i = 0; i < runs; i++) {
        TC_TRY(make_world(&w, i + 1, err));
        for (size_t k = 0; k < PLAYERS; k++) {
            TC_TRY(run(&players[k], &w, questions, &regret, err));
            sum[k] += regret;
            squares[k] += regret * regret;
        }
    }
    double n = (double)runs;
    printf("%-22s %7s %8s %8s %10s\n", "release", "epsilon", "regret", "s.e.", "reference");
    for (size_t k = 0; k < PLAYERS; k++) {
        double mean = sum[k] / n, var = fmax(squares[k] / n - mean * mean, 0);
        printf("%-22s %7g %8.4f %8.4f %10s\n", names[players[k].kind], players[k].epsilon, mean,
               sqrt(var / fmax(n - 1, 1)), players[k].reference);
    }
    return TACIT_OK;
}

/* ---- many rows */

static tacit_status ask_all(tc_optimizer *o, uint64_t questions, tacit_error *err)
{
    for (uint64_t t = 0; t < questions; t++) {
        uint64_t trial;
        size_t row;
        tc_event e;
        TC_TRY(next(o, &trial, &row, err));
        TC_TRY(tc_optimizer_tell(o, trial, NULL, sin((double)row), 1, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    }
    return TACIT_OK;
}

static tacit_status time_rows(size_t n, tacit_error *err)
{
    enum { COLUMNS = 3, QUESTIONS = 50 };
    static release r;
    double *x = tc_alloc(n * COLUMNS, sizeof *x);
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream s;
    tc_optimizer *o = NULL;
    if (!x)
        return tc_fail_memory(err);
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    for (size_t i = 0; i < n * COLUMNS; i++)
        x[i] = 25 * tc_draw_uniform(&s);
    r = (release){.input_sd = 1};
    tacit_status st = to_domain(x, n, COLUMNS, &r.rows, err);
    if (st == TACIT_OK)
        st = make_modeler(&(player){.kind = SOUND}, &r, 1, &o, err);
    uint64_t begin = tc_clock_ns();
    if (st == TACIT_OK)
        st = ask_all(o, QUESTIONS, err);
    if (st == TACIT_OK)
        printf("%zu rows of %d columns, %d questions: %.3f s\n", n, COLUMNS, QUESTIONS,
               (double)(tc_clock_ns() - begin) * 1e-9);
    tc_optimizer_free(o);
    tc_domain_free(r.rows);
    tc_free(x);
    return st;
}

/* argv[i] if it is there and a whole number; 0: it is not one. */
static uint64_t word(int argc, char **argv, int i, uint64_t otherwise)
{
    unsigned long long n = 0;
    if (argc <= i)
        return otherwise;
    return tc_parse_u64(argv[i], &n) ? n : 0;
}

int main(int argc, char **argv)
{
    tacit_error err = {0};
    bool rows = argc > 1 && strcmp(argv[1], "rows") == 0;
    uint64_t first = rows ? word(argc, argv, 2, 36000) : word(argc, argv, 1, 50);
    uint64_t questions = rows ? 50 : word(argc, argv, 2, 50);
    if (first == 0 || questions == 0) {
        fprintf(stderr, "bench_outsourced [runs] [questions] | rows [n]\n");
        return 2;
    }
    tacit_status st = rows ? time_rows((size_t)first, &err) : table(first, questions, &err);
    if (st != TACIT_OK)
        fprintf(stderr, "bench_outsourced: %s\n", err.msg);
    return st == TACIT_OK ? 0 : 1;
}
