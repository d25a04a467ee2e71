/* demo_local.c - `tacit demo --local`: one party, in a few seconds, without any file.
 *
 * Three algorithms on two classical functions, the same runs for each, and what to try next. */
#include "base/file.h"
#include "base/memory.h"
#include "demo/demo_int.h"
#include "chart/plot.h"
#include "simulate/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define SEED  1
#define RUNS  10
#define EARLY 20 /* trials of the table's first column */

static const char *const algorithms[] = {"random", "ts", "gp-ei"};
static const struct {
    const char *name;
    uint64_t trials;
} objectives[] = {{"branin", 30}, {"hartmann6", 50}};

#define N_ALGORITHMS (sizeof algorithms / sizeof algorithms[0])
#define N_OBJECTIVES (sizeof objectives / sizeof objectives[0])
#define N_CELLS      (N_OBJECTIVES * N_ALGORITHMS)

/* One algorithm on one objective; cell i of a demo is objective i / N, algorithm i % N. */
typedef struct cell {
    tc_simulation sim;
    tc_curves result;
} cell;

static tacit_status run_cell(cell *c, size_t i, tc_pool *pool, bool quiet, tacit_error *err)
{
    char label[64];
    c->sim = (tc_simulation){.objective = objectives[i / N_ALGORITHMS].name,
                             .trials = objectives[i / N_ALGORITHMS].trials,
                             .runs = RUNS,
                             .seed = SEED,
                             .pool = pool};
    TC_TRY(tc_algorithm_get(&c->sim.algorithm, algorithms[i % N_ALGORITHMS], err));
    TC_TRY(tc_options_defaults(tc_objective_options, &c->sim.family.objective, err));
    snprintf(label, sizeof label, "%s on %s", algorithms[i % N_ALGORITHMS], c->sim.objective);
    return tc_watch_simulation(&c->sim, label, quiet, &c->result, err);
}

/* -- the table ----------------------------------------------------------------------------- */

static void add_row(tc_table *t, const cell *c)
{
    const tc_curves *r = &c->result;
    size_t last = r->points - 1;
    char text[64];
    tc_table_text(t, 0, c->sim.objective);
    tc_table_text(t, 1, c->sim.algorithm->name);
    tc_watch_moments(text, sizeof text, r->simple_mean[EARLY - 1], r->simple_se[EARLY - 1]);
    tc_table_text(t, 2, text);
    tc_table_integer(t, 3, (int64_t)r->points);
    tc_watch_moments(text, sizeof text, r->simple_mean[last], r->simple_se[last]);
    tc_table_text(t, 4, text);
    snprintf(text, sizeof text, "%.2f", r->seconds);
    tc_table_text(t, 5, text);
    tc_table_end_row(t);
}

static tacit_status print_cells(const cell *cells, int format, tacit_error *err)
{
    static const char *const names[] = {"objective", "algorithm",    "regret after 20",
                                        "trials",    "final regret", "seconds"};
    tc_table *t = tc_table_new(6, names);
    for (size_t i = 0; t && i < N_CELLS; i++)
        add_row(t, &cells[i]);
    return t ? tc_table_print(t, (tc_format)format, stdout, err) : tc_fail_memory(err);
}

static void print_next_steps(void)
{
    puts("\nRegret is the distance to the true optimum, mean ± standard error of 10 runs:\n"
         "smaller is better. random guesses; ts and gp-ei learn a model as they go.\n"
         "\n"
         "Try next:\n"
         "  tacit simulate --algorithm gp-ei --objective ackley --dim 3 --runs 20\n"
         "  tacit algorithms gp-ei\n"
         "  tacit optimize --help");
}

/* -- files --------------------------------------------------------------------------------- */

static tacit_status write_text(const char *dir, const char *stem, const char *extension,
                               const tc_text *text, tacit_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.%s", dir, stem, extension);
    if (n < 0 || (size_t)n >= sizeof path)
        return tc_fail(err, TACIT_E_ARG, "the path of --out is too long");
    return text->failed ? tc_fail_memory(err)
                        : tc_file_write(path, tc_text_get(text), text->len, err);
}

static tacit_status write_csv(const char *dir, const cell *c, tacit_error *err)
{
    tc_text text = {0};
    char stem[64];
    snprintf(stem, sizeof stem, "%s-%s", c->sim.objective, c->sim.algorithm->name);
    const tc_curve_part part = {.sim = &c->sim, .curves = &c->result};
    tacit_status status = tc_curves_csv(&part, 1, &text, err);
    if (status == TACIT_OK)
        status = write_text(dir, stem, "csv", &text, err);
    tc_text_fini(&text);
    return status;
}

static tacit_status write_chart(const char *dir, const cell *cells, tacit_error *err)
{
    tc_curves curves[N_ALGORITHMS]; /* borrowed from the cells */
    tc_text svg = {0};
    for (size_t i = 0; i < N_ALGORITHMS; i++) {
        curves[i] = cells[i].result;
        curves[i].label = curves[i].algorithm;
    }
    tacit_status status = tc_plot_regret(curves, N_ALGORITHMS, NULL, NULL, false, &svg, err);
    if (status == TACIT_OK)
        status = write_text(dir, cells->sim.objective, "svg", &svg, err);
    tc_text_fini(&svg);
    return status;
}

tacit_status tc_demo_make_folder(const char *dir, tacit_error *err)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return tc_fail(err, TACIT_E_IO, "the folder \"%s\" could not be made: %s", dir,
                       strerror(errno));
    return TACIT_OK;
}

static tacit_status write_files(const char *dir, const cell *cells, bool quiet, tacit_error *err)
{
    for (size_t i = 0; i < N_CELLS; i++)
        TC_TRY(write_csv(dir, &cells[i], err));
    for (size_t k = 0; k < N_OBJECTIVES; k++)
        TC_TRY(write_chart(dir, &cells[k * N_ALGORITHMS], err));
    tc_note(quiet, "wrote %zu CSV files and %zu charts to %s", N_CELLS, N_OBJECTIVES, dir);
    return TACIT_OK;
}

/* -- the whole ----------------------------------------------------------------------------- */

static tacit_status demo(cell *cells, tc_pool *pool, const tc_invocation *in, const char *out,
                         tacit_error *err)
{
    if (out)
        TC_TRY(tc_demo_make_folder(out, err));
    for (size_t i = 0; i < N_CELLS; i++)
        TC_TRY(run_cell(&cells[i], i, pool, in->quiet, err));
    TC_TRY(print_cells(cells, in->format, err));
    if (in->format == TC_FORMAT_TABLE)
        print_next_steps();
    return out ? write_files(out, cells, in->quiet, err) : TACIT_OK;
}

tacit_status tc_demo_local(const tc_invocation *in, const char *out, tacit_error *err)
{
    cell cells[N_CELLS] = {0};
    tc_pool *pool;
    TC_TRY(tc_pool_new(&pool, 0, err));
    tacit_status status = demo(cells, pool, in, out, err);
    for (size_t i = 0; i < N_CELLS; i++)
        tc_curves_fini(&cells[i].result);
    tc_pool_free(pool);
    return status;
}
