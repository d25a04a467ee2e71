/* finite_gp.c - how long a GP-UCB run on a finite grid takes, beside what the memory allows.
 *
 * 50 observations, SE kernel with length-scale 0.2, noise 0.01, one thread, and the width of
 * beta_t = 2 ln(n t^2 pi^2 / (6 * 0.025)). The observed function is sin 7x1 + cos 5x2 (+ sin 3x3),
 * the first candidate is number 0. A step reads all of V once, so the floor is the time to read the
 * same rows and do nothing with them. peers/finite_gp.py runs the same study; `--trajectory` prints
 * the candidates chosen, to compare. Columns: a long-lived object; one made and freed each time; a
 * long-lived one that does not know that the candidates form a grid. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/simd.h"
#include "num/fgp.h"
#include "num/la.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50, REPEATS = 15, MOST_AXES = 3 };

typedef struct grid {
    const char *name;
    size_t dim, axes[MOST_AXES];
    size_t n;
    double *X; /* n x dim, column-major */
    double *y; /* n */
} grid;

static void need(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "finite_gp: %s\n", err->msg);
    exit(tacit_status_exit(status));
}

static double *doubles(size_t n)
{
    double *p = tc_alloc(n, sizeof *p);
    if (p == NULL) {
        fprintf(stderr, "finite_gp: out of memory\n");
        exit(tacit_status_exit(TACIT_E_MEMORY));
    }
    return p;
}

/* ---- the study ---- */

static double observed(const grid *g, size_t j)
{
    double y = sin(7 * g->X[j]) + cos(5 * g->X[j + g->n]);
    if (g->dim == 3)
        y += sin(3 * g->X[j + 2 * g->n]);
    return y;
}

static void grid_init(grid *g)
{
    size_t stride;
    g->n = 1;
    for (size_t d = 0; d < g->dim; d++)
        g->n *= g->axes[d];
    g->X = doubles(g->n * g->dim);
    g->y = doubles(g->n);
    stride = g->n;
    for (size_t d = 0; d < g->dim; d++) {
        stride /= g->axes[d];
        for (size_t i = 0; i < g->n; i++)
            g->X[i + d * g->n] = (double)(i / stride % g->axes[d]) / (double)(g->axes[d] - 1);
    }
    for (size_t i = 0; i < g->n; i++)
        g->y[i] = observed(g, i);
}

static void grid_fini(grid *g)
{
    tc_free(g->X);
    tc_free(g->y);
}

static double width(size_t n, size_t t)
{
    const double pi = 3.14159265358979323846, tt = (double)t * (double)t;
    return sqrt(2 * log((double)n * tt * pi * pi / (6 * 0.025)));
}

static void run(tc_fgp *f, const grid *g, size_t *chosen)
{
    double scale[MOST_AXES] = {0.2, 0.2, 0.2};
    tc_gp_hyper hyper = {
        .kind = TC_KERNEL_SE, .dim = g->dim, .variance = 1, .noise = 0.01, .scale = scale};
    tacit_error err = {0};
    size_t j = 0;
    need(tc_fgp_reset(f, &hyper, &err), &err);
    for (size_t t = 1; t <= STEPS; t++) {
        chosen[t - 1] = j;
        need(tc_fgp_observe(f, j, g->y[j], &err), &err);
        j = tc_fgp_argmax_ucb(f, width(g->n, t + 1), NULL);
    }
    chosen[STEPS] = j;
}

/* ---- measuring ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ms(double *ns)
{
    qsort(ns, REPEATS, sizeof *ns, by_size);
    return ns[REPEATS / 2] / 1e6;
}

/* Long-lived: a service's object, whose memory has been touched before. */
static double time_runs(tc_fgp *f, const grid *g, size_t *chosen)
{
    double ns[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        const uint64_t start = tc_clock_ns();
        run(f, g, chosen);
        ns[r] = (double)(tc_clock_ns() - start);
    }
    return median_ms(ns);
}

/* From nothing: construction, page faults and release included. */
static double time_fresh(const grid *g, const size_t *axes, size_t *chosen)
{
    double ns[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        const uint64_t start = tc_clock_ns();
        tacit_error err = {0};
        tc_fgp *f = NULL;
        need(tc_fgp_new(&f, g->n, g->dim, g->X, axes, NULL, &err), &err);
        run(f, g, chosen);
        tc_fgp_free(f);
        ns[r] = (double)(tc_clock_ns() - start);
    }
    return median_ms(ns);
}

TC_CLONES static double read_row(size_t n, const double *v)
{
    double lane[16] = {0}, sum = 0;
    for (size_t j = 0; j + 16 <= n; j += 16)
        for (size_t k = 0; k < 16; k++)
            lane[k] += v[j + k];
    for (size_t k = 0; k < 16; k++)
        sum += lane[k];
    return sum;
}

/* Rows 0..t-1 of V for t = 0..STEPS-1, only read. */
static double time_floor(size_t n)
{
    double ns[REPEATS], *V = doubles(STEPS * n);
    volatile double sink = 0; /* keeps the reading alive */
    memset(V, 1, STEPS * n * sizeof *V);
    for (int r = 0; r < REPEATS; r++) {
        const uint64_t start = tc_clock_ns();
        for (size_t t = 0; t < STEPS; t++)
            for (size_t i = 0; i < t; i++)
                sink += read_row(n, V + i * n);
        ns[r] = (double)(tc_clock_ns() - start);
    }
    (void)sink;
    tc_free(V);
    return median_ms(ns);
}

/* ---- output ---- */

static void print_trajectory(const grid *g, const size_t *chosen)
{
    printf("%s", g->name);
    for (size_t t = 0; t <= STEPS; t++)
        printf(" %zu", chosen[t]);
    printf("\n");
}

static void print_row(const grid *g)
{
    size_t chosen[STEPS + 1], best = 0;
    tacit_error err = {0};
    tc_fgp *f = NULL;
    double ours, plain;
    need(tc_fgp_new(&f, g->n, g->dim, g->X, g->axes, NULL, &err), &err);
    ours = time_runs(f, g, chosen);
    tc_fgp_free(f);
    need(tc_fgp_new(&f, g->n, g->dim, g->X, NULL, NULL, &err), &err);
    plain = time_runs(f, g, chosen);
    for (size_t j = 1; j < g->n; j++)
        if (tc_fgp_mean(f)[j] > tc_fgp_mean(f)[best])
            best = j;
    tc_fgp_free(f);
    printf("%-9s %6zu %10.2f %10.2f %10.2f %10.2f %10zu\n", g->name, g->n, ours,
           time_fresh(g, g->axes, chosen), plain, time_floor(g->n), best);
}

int main(int argc, char **argv)
{
    grid grids[] = {{.name = "100x100", .dim = 2, .axes = {100, 100}},
                    {.name = "40x30x30", .dim = 3, .axes = {40, 30, 30}}};
    const bool trajectory = argc > 1 && strcmp(argv[1], "--trajectory") == 0;
    if (argc > 2 || (argc == 2 && !trajectory)) {
        fprintf(stderr, "usage: finite_gp [--trajectory]\n");
        return tacit_status_exit(TACIT_E_ARG);
    }
    if (!trajectory) {
        printf("GP-UCB, %d observations, 1 thread, medians of %d in ms; BLAS: %s\n", STEPS, REPEATS,
               tc_la_library());
        printf("%-9s %6s %10s %10s %10s %10s %10s\n", "grid", "n", "tacit", "fresh", "no grid",
               "floor", "best mean");
    }
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        grid_init(&grids[i]);
        if (trajectory) {
            size_t chosen[STEPS + 1];
            time_fresh(&grids[i], grids[i].axes, chosen);
            print_trajectory(&grids[i], chosen);
        } else {
            print_row(&grids[i]);
        }
        grid_fini(&grids[i]);
    }
    return 0;
}
