/* gp_ei.c - gp-ei and ts from the first trial to the last, fits included, one thread.
 *
 * Prints a row for each (task, algorithm): median seconds of a run, and the simple regret at the
 * end over the seeds. bench/peers/ prints the same rows for others; bench/run joins them.
 *
 *     bench_gp_ei [branin seeds, 10] [hartmann6 seeds, 20] */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"
#include "sim/simulation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct task {
    const char *objective, *algorithm;
    uint64_t trials, seeds;
} task;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(size_t n, double *v)
{
    qsort(v, n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double mean(size_t n, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double standard_error(size_t n, const double *v)
{
    double m = mean(n, v), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] - m) * (v[i] - m);
    return n > 1 ? sqrt(sum / (double)(n - 1) / (double)n) : 0;
}

/* One seed: the time it took and the regret it ended with. */
static tacit_status run_once(const task *t, uint64_t seed, double *seconds, double *regret,
                             tacit_error *err)
{
    tc_simulation sim = {.objective = t->objective, .trials = t->trials, .runs = 1, .seed = seed};
    TC_TRY(tc_algorithm_get(&sim.algorithm, t->algorithm, err));
    TC_TRY(tc_options_defaults(tc_objective_options, &sim.family.objective, err));
    tacit_curves result;
    uint64_t begin = tc_clock_ns();
    tacit_status status = tc_simulate(&sim, &result, err);
    tc_options_fini(tc_objective_options, &sim.family.objective);
    TC_TRY(status);
    *seconds = (double)(tc_clock_ns() - begin) * 1e-9;
    *regret = result.simple[t->trials - 1];
    tacit_curves_fini(&result);
    return TACIT_OK;
}

static tacit_status run_task(const task *t, tacit_error *err)
{
    double *seconds = tc_alloc(t->seeds, sizeof *seconds);
    double *regret = tc_alloc(t->seeds, sizeof *regret);
    tacit_status status = seconds && regret ? TACIT_OK : tc_fail_memory(err);
    for (uint64_t i = 0; i < t->seeds && status == TACIT_OK; i++)
        status = run_once(t, i + 1, &seconds[i], &regret[i], err);
    if (status == TACIT_OK) {
        double m = mean(t->seeds, regret), se = standard_error(t->seeds, regret);
        printf("%s/%" PRIu64 "\ttacit %s\t%" PRIu64 "\t%.4f\t%.3e\t%.1e\t%.3e\n", t->objective,
               t->trials, t->algorithm, t->seeds, median(t->seeds, seconds), m, se,
               median(t->seeds, regret));
        fflush(stdout);
    }
    tc_free(seconds);
    tc_free(regret);
    return status;
}

int main(int argc, char **argv)
{
    uint64_t few = argc > 1 ? strtoull(argv[1], NULL, 10) : 10;
    uint64_t many = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    const task tasks[] = {{"branin", "gp-ei", 100, few},
                          {"hartmann6", "gp-ei", 60, many},
                          {"hartmann6", "ts", 60, many}};

    printf("# tacit: %s, one thread\n", tc_la_library());
    printf("# task\twho\tseeds\tseconds\tregret\tse\tmedian\n");
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        tacit_error err = {0};
        if (tasks[i].seeds > 0 && run_task(&tasks[i], &err) != TACIT_OK) {
            fprintf(stderr, "bench_gp_ei: %s\n", err.msg);
            return tacit_status_exit(err.code);
        }
    }
    return 0;
}
