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
    int64_t trials;
} objectives[] = {{"branin", 30}, {"hartmann6", 50}};

#define N_ALGORITHMS (sizeof algorithms / sizeof algorithms[0])
#define N_OBJECTIVES (sizeof objectives / sizeof objectives[0])
#define N_CELLS      (N_OBJECTIVES * N_ALGORITHMS)

/* One algorithm on one objective; cell i of a demo is objective i / N, algorithm i % N. */
typedef struct cell {
    tacit_simulation *simulation;
    const tacit_curves *curves;
} cell;

static tacit_status run_cell(cell *c, size_t i, bool quiet, tacit_error *err)
{
    tacit_simulation_plan plan = tacit_simulation_plan_default();
    tc_watch watch;
    plan.algorithm = algorithms[i % N_ALGORITHMS];
    plan.objective = objectives[i / N_ALGORITHMS].name;
    plan.trials = objectives[i / N_ALGORITHMS].trials;
    plan.runs = RUNS;
    plan.seed = SEED;
    TC_TRY(tc_watch_simulate(&watch, &plan, quiet, &c->simulation, err));
    c->curves = tacit_simulation_get(c->simulation, 0)->curves;
    return TACIT_OK;
}

/* -- the table ----------------------------------------------------------------------------- */

static void add_row(tc_table *t, const cell *c)
{
    const tacit_curves *r = c->curves;
    size_t last = r->points - 1;
    char text[64];
    tc_table_text(t, 0, c->curves->objective);
    tc_table_text(t, 1, c->curves->algorithm);
    snprintf(text, sizeof text, "%.4g ± %.2g", r->simple_mean[EARLY - 1], r->simple_se[EARLY - 1]);
    tc_table_text(t, 2, text);
    tc_table_integer(t, 3, (int64_t)r->points);
    snprintf(text, sizeof text, "%.4g ± %.2g", r->simple_mean[last], r->simple_se[last]);
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
                               const char *text, tacit_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.%s", dir, stem, extension);
    if (n < 0 || (size_t)n >= sizeof path)
        return tc_fail(err, TACIT_E_ARG, "the path of --out is too long");
    return tc_file_write(path, text, strlen(text), err);
}

static tacit_status write_csv(const char *dir, const cell *c, tacit_error *err)
{
    char stem[64], *text;
    snprintf(stem, sizeof stem, "%s-%s", c->curves->objective, c->curves->algorithm);
    TC_TRY(tacit_simulation_text(c->simulation, TACIT_CURVES_CSV, &text, err));
    tacit_status status = write_text(dir, stem, "csv", text, err);
    tacit_text_free(text);
    return status;
}

static tacit_status write_chart(const char *dir, const cell *cells, tacit_error *err)
{
    tacit_curves curves[N_ALGORITHMS]; /* borrowed from the cells */
    tc_text svg = {0};
    for (size_t i = 0; i < N_ALGORITHMS; i++) {
        curves[i] = *cells[i].curves;
        curves[i].label = curves[i].algorithm;
    }
    tacit_status status = tc_plot_regret(curves, N_ALGORITHMS, NULL, NULL, false, &svg, err);
    if (status == TACIT_OK)
        status = svg.failed
                     ? tc_fail_memory(err)
                     : write_text(dir, cells->curves->objective, "svg", tc_text_get(&svg), err);
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

static tacit_status demo(cell *cells, const tc_invocation *in, const char *out, tacit_error *err)
{
    if (out)
        TC_TRY(tc_demo_make_folder(out, err));
    for (size_t i = 0; i < N_CELLS; i++)
        TC_TRY(run_cell(&cells[i], i, in->quiet, err));
    TC_TRY(print_cells(cells, in->format, err));
    if (in->format == TC_FORMAT_TABLE)
        print_next_steps();
    return out ? write_files(out, cells, in->quiet, err) : TACIT_OK;
}

tacit_status tc_demo_local(const tc_invocation *in, const char *out, tacit_error *err)
{
    cell cells[N_CELLS] = {{0}};
    tacit_status status = demo(cells, in, out, err);
    for (size_t i = 0; i < N_CELLS; i++)
        tacit_simulation_free(cells[i].simulation);
    return status;
}
