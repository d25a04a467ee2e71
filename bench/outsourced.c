/* outsourced.c - simple regret of an outsourced search on the grid of PO-GP-UCB, curator and modeler.
 *
 * 100 x 100 rows whose largest norm is 25, values drawn from a Gaussian process of length-scale 5,
 * noise variance 1e-5, T = 50 questions, known hyper-parameters (but for "learned"), the first row
 * uniform. Simulations as `tacit simulate --algorithm po-gp-ucb --epsilon E` runs them: each run is
 * another function, another release and another first row, the same for every line of the table.
 * Noise is drawn from seeds: simulations are NOT PRIVATE.
 *
 *     bench_outsourced [runs, 50] [questions, 50]
 *     bench_outsourced rows [n, 36000]      seconds of a modeler's asks over n rows of 3 columns */
#include "algo/optimizer.h"
#include "base/clock.h"
#include "base/error.h"
#include "sim/curated.h"
#include "sim/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double REACH = 25, LENGTHSCALE = 5, NOISE = 1e-5, BOUND = 3.5;

typedef enum kind { NON_PRIVATE, RANDOM, SOUND, LEARNED, SOUND_OUTPUTS, PAPER } kind;

typedef struct player {
    kind kind;
    double epsilon;
    double reference; /* what the same has measured elsewhere, 200 runs; 0: nothing has */
} player;

static const player players[] = {
    {RANDOM, 0, 0.399},
    {NON_PRIVATE, 0, 0.047},
    {SOUND, 1, 0.133},
    {SOUND, 2.7, 0.054},
    {SOUND, 10, 0.047},
    {SOUND, 50, 0.040},
    {LEARNED, 1, 0},
    {LEARNED, 2.7, 0},
    {LEARNED, 10, 0},
    {LEARNED, 50, 0},
    {SOUND_OUTPUTS, 1, 0.576},
    {SOUND_OUTPUTS, 2.7, 0.413},
    {SOUND_OUTPUTS, 10, 0.167},
    {SOUND_OUTPUTS, 50, 0.063},
    {PAPER, 1, 0.162},
    {PAPER, 2.7, 0.128},
    {PAPER, 10, 0.042},
    {PAPER, 50, 0.035},
};

static const char *const names[] = {
    "non-private",        "random", "sound", "sound, learned", "sound, outputs too",
    "paper (NOT PRIVATE)"};

/* ---- one line of the table */

/* The objective lives on the unit square: a unit of the curator is a part of it. */
static double unit_of(void)
{
    return 1 / (sqrt(2) * REACH);
}

static tc_objective_opts grid_of(void)
{
    return (tc_objective_opts){.lengthscale = LENGTHSCALE * unit_of(),
                               .grid = 100,
                               .noise = 1, /* gaussian */
                               .noise_scale = sqrt(NOISE)};
}

/* Where answers are private too, they get half of epsilon. */
static tacit_status make_terms(const player *p, tc_row_terms *t, tc_arena *memory, tacit_error *err)
{
    bool outputs = p->kind == SOUND_OUTPUTS, paper = p->kind == PAPER;
    double share = outputs ? p->epsilon / 2 : p->epsilon;
    tc_objective_opts opts = grid_of();
    tc_objective *o = NULL;
    *t = (tc_row_terms){.name = "grid",
                        .mode = paper ? TACIT_ROW_PAPER : TACIT_ROW_SOUND,
                        .epsilon = share,
                        .delta = paper ? 1e-5 : 0,
                        .radius = 1,
                        .rank = paper ? 10 : 0,
                        .output_epsilon = outputs ? share : 0,
                        .output_bound = BOUND};
    TC_TRY(tc_objective_new(&o, "gp-sample", &opts, tc_public_seed_from(1), err));
    tacit_status status = tc_curated_terms(t, o, unit_of(), memory, err);
    tc_objective_free(o);
    return status;
}

/* A modeler that sees the square itself has its length-scale in units of the square. */
static json_t *options_of(const player *p)
{
    double scale = p->kind == NON_PRIVATE ? LENGTHSCALE * unit_of() : LENGTHSCALE;
    if (p->kind == RANDOM)
        return json_object();
    return json_pack("{s:b, s:f, s:f}", "fit", p->kind == LEARNED, "lengthscale",
                     p->kind == LEARNED ? 0 : scale, "noise", NOISE);
}

static tacit_status run(const player *p, uint64_t runs, uint64_t questions, tc_pool *pool,
                        tacit_curves *out, tacit_error *err)
{
    tc_arena memory = {0};
    tc_row_terms terms;
    bool released = p->kind != NON_PRIVATE && p->kind != RANDOM;
    json_t *options = options_of(p);
    tc_simulation sim = {.algorithm = tc_algorithm_find(p->kind == RANDOM ? "random" : "po-gp-ucb"),
                         .options = options,
                         .objective = "gp-sample",
                         .family.objective = grid_of(),
                         .curated = released ? &terms : NULL,
                         .trials = questions,
                         .runs = runs,
                         .pool = pool};
    tacit_status status = options ? TACIT_OK : tc_fail_memory(err);
    if (status == TACIT_OK && released)
        status = make_terms(p, &terms, &memory, err);
    if (status == TACIT_OK)
        status = tc_simulate(&sim, out, err);
    json_decref(options);
    tc_arena_fini(&memory);
    return status;
}

static void print_line(const player *p, double mean, double se)
{
    printf("%-22s %7g %8.4f %8.4f", names[p->kind], p->epsilon, mean, se);
    if (p->reference == 0)
        printf(" %10s %8s\n", "-", "-");
    else
        printf(" %10.3f %8.1f\n", p->reference, se > 0 ? (mean - p->reference) / se : 0);
    fflush(stdout);
}

/* 200 runs of all lines take minutes: fewer are the default, and the last line says what that means. */
static tacit_status table(uint64_t runs, uint64_t questions, tc_pool *pool, tacit_error *err)
{
    enum { PLAYERS = sizeof players / sizeof *players };
    uint64_t begin = tc_clock_ns();
    printf("%-22s %7s %8s %8s %10s %8s\n", "release", "epsilon", "regret", "s.e.", "reference",
           "off, s.e.");
    for (size_t k = 0; k < PLAYERS; k++) {
        tacit_curves r;
        TC_TRY(run(&players[k], runs, questions, pool, &r, err));
        print_line(&players[k], r.simple_mean[questions - 1], r.simple_se[questions - 1]);
        tacit_curves_fini(&r);
    }
    printf("%llu runs, %.0f s. References are of 200 runs elsewhere. Of 14 lines one may well "
           "be 2 s.e. off in 50 runs; bench_outsourced 200 tells, in four times the time.\n",
           (unsigned long long)runs, (double)(tc_clock_ns() - begin) * 1e-9);
    return TACIT_OK;
}

/* ---- many rows */

static tacit_status make_rows(size_t n, tc_space **out, tacit_error *err)
{
    enum { COLUMNS = 3 };
    tc_public_seed seed = tc_public_seed_from(1);
    tc_domain *rows = NULL;
    tc_text csv = {0};
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    tc_text_add(&csv, "x1,x2,x3");
    for (size_t i = 0; i < n * COLUMNS; i++) {
        tc_text_add(&csv, i % COLUMNS ? "," : "\n");
        tc_text_add_double(&csv, 25 * tc_draw_uniform(&s));
    }
    tacit_status status = csv.failed ? tc_fail_memory(err)
                                     : tc_domain_from_csv(&rows, csv.data, csv.len, "rows", err);
    tc_text_fini(&csv);
    return status == TACIT_OK ? tc_space_from_domain(out, rows, err) : status;
}

static tacit_status ask_one(tc_optimizer *o, tacit_error *err)
{
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(o, &req, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    double row = tc_optimizer_trial(o, e.trial)->values[0];
    TC_TRY(tc_optimizer_tell(o, e.trial, NULL, sin(row), 1, &e, err));
    return tc_optimizer_apply(o, &e, err);
}

static tacit_status ask_all(tc_optimizer *o, size_t n, tacit_error *err)
{
    enum { QUESTIONS = 50 };
    uint64_t begin = tc_clock_ns();
    for (int t = 0; t < QUESTIONS; t++)
        TC_TRY(ask_one(o, err));
    printf("%zu rows of 3 columns, %d questions: %.3f s\n", n, QUESTIONS,
           (double)(tc_clock_ns() - begin) * 1e-9);
    return TACIT_OK;
}

static tacit_status time_rows(size_t n, tacit_error *err)
{
    tc_space *space = NULL;
    tc_optimizer *o = NULL;
    json_t *options = json_pack("{s:b, s:f, s:f, s:f}", "fit", 0, "lengthscale", LENGTHSCALE,
                                "noise", NOISE, "input_sd", 1.0);
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find("po-gp-ucb"),
                               .options = options,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(1),
                               .party_seed = tc_party_seed_from(1)};
    tacit_status status = options ? make_rows(n, &space, err) : tc_fail_memory(err);
    cfg.space = space;
    if (status == TACIT_OK)
        status = tc_optimizer_new(&o, &cfg, err);
    if (status == TACIT_OK)
        status = ask_all(o, n, err);
    tc_optimizer_free(o);
    tc_space_free(space);
    json_decref(options);
    return status;
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
    tc_pool *pool = NULL;
    bool rows = argc > 1 && strcmp(argv[1], "rows") == 0;
    uint64_t first = rows ? word(argc, argv, 2, 36000) : word(argc, argv, 1, 50);
    uint64_t questions = rows ? 50 : word(argc, argv, 2, 50);
    if (first == 0 || questions == 0) {
        fprintf(stderr, "bench_outsourced [runs] [questions] | rows [n]\n");
        return 2;
    }
    tacit_status status = rows ? TACIT_OK : tc_pool_new(&pool, 0, &err); /* 0: all cores */
    if (status == TACIT_OK)
        status = rows ? time_rows((size_t)first, &err) : table(first, questions, pool, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_outsourced: %s\n", err.msg);
    tc_pool_free(pool);
    return status == TACIT_OK ? 0 : 1;
}
