/* thompson_draw.c - one Thompson draw over 10,000 candidates after 50 observations, one thread.
 *
 * Ours: a function draw (path.h), fresh features each time. Beside it the textbook's way, a Cholesky
 * factor of the joint posterior covariance, measured at 3,000 candidates and scaled to 10,000: the
 * covariance by n^2, the factor by n^3. Prints medians.
 *
 *     bench_thompson_draw [repetitions, 15] */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"
#include "num/path.h"

#include <stdio.h>
#include <stdlib.h>

enum { CANDIDATES = 10000, JOINT = 3000, OBSERVED = 50, DIM = 2 };

typedef struct setting {
    tc_arena arena;
    tc_gp *gp;
    double *y;          /* OBSERVED */
    double *candidates; /* CANDIDATES x DIM */
    double *out;        /* CANDIDATES */
    double *seconds;    /* one per repetition */
    size_t repetitions;
} setting;

static tc_stream stream(uint64_t step)
{
    tc_party_seed seed = tc_party_seed_from(1);
    tc_stream s;
    tc_stream_party(&s, &seed, 0, TC_FOR_DRAW, step);
    return s;
}

static tacit_status set_up(setting *b, tacit_error *err)
{
    double *X = TC_TAKE(&b->arena, OBSERVED * DIM, double), scale[DIM] = {0.2, 0.2};
    b->y = TC_TAKE(&b->arena, OBSERVED, double);
    b->candidates = TC_TAKE(&b->arena, CANDIDATES * DIM, double);
    b->out = TC_TAKE(&b->arena, CANDIDATES, double);
    b->seconds = TC_TAKE(&b->arena, b->repetitions, double);
    if (b->arena.failed)
        return tc_fail_memory(err);
    tc_stream s = stream(0);
    for (size_t i = 0; i < OBSERVED * DIM; i++)
        X[i] = tc_draw_uniform(&s);
    for (size_t i = 0; i < CANDIDATES * DIM; i++)
        b->candidates[i] = tc_draw_uniform(&s);
    tc_draw_normals(&s, OBSERVED, b->y);
    tc_gp_hyper h = {TC_KERNEL_MATERN52, DIM, 1.0, 0.01, scale};
    TC_TRY(tc_gp_new(&b->gp, DIM, err));
    TC_TRY(tc_gp_reset(b->gp, &h, OBSERVED, X, OBSERVED, err));
    tc_gp_targets(b->gp, b->y);
    return TACIT_OK;
}

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

static double seconds_since(uint64_t begin)
{
    return (double)(tc_clock_ns() - begin) * 1e-9;
}

/* From a fresh stream to the values at all candidates. */
static tacit_status time_paths(setting *b, size_t features, double *seconds, tacit_error *err)
{
    tc_path *p;
    TC_TRY(tc_path_new(&p, features, DIM, err));
    tacit_status status = TACIT_OK;
    for (size_t r = 0; r < b->repetitions && status == TACIT_OK; r++) {
        tc_stream s = stream(r + 1);
        uint64_t begin = tc_clock_ns();
        status = tc_path_draw(p, b->gp, b->y, &s, err);
        if (status == TACIT_OK)
            status = tc_path_many(p, CANDIDATES, b->candidates, CANDIDATES, b->out, NULL, err);
        b->seconds[r] = seconds_since(begin);
    }
    tc_path_free(p);
    *seconds = median(b->repetitions, b->seconds);
    return status;
}

/* C = K(X*,X*) - V'V, V = L^-1 K(X,X*), over the first JOINT candidates. */
static void joint_covariance(const setting *b, double *V, double *C)
{
    const tc_gp_hyper *h = tc_gp_hyper_of(b->gp);
    size_t ldx, ldl;
    const double *X = tc_gp_points(b->gp, &ldx), *L = tc_gp_factor(b->gp, &ldl);
    tc_kernel k = {h->kind, h->dim, h->variance, h->scale};
    tc_kernel_cross(&k, OBSERVED, X, ldx, JOINT, b->candidates, CANDIDATES, V, OBSERVED);
    tc_solve_lower_many(OBSERVED, JOINT, L, ldl, V, OBSERVED);
    tc_kernel_gram(&k, JOINT, b->candidates, CANDIDATES, C, JOINT);
    tc_syrk('T', JOINT, OBSERVED, -1.0, V, OBSERVED, 1.0, C, JOINT);
    for (size_t i = 0; i < JOINT; i++)
        C[i + i * JOINT] += 1e-6 * h->variance;
}

static tacit_status time_joint(setting *b, double *covariance, double *factor, tacit_error *err)
{
    double *V = TC_TAKE(&b->arena, OBSERVED * JOINT, double);
    double *C = TC_TAKE(&b->arena, (size_t)JOINT * JOINT, double);
    if (b->arena.failed)
        return tc_fail_memory(err);
    uint64_t begin = tc_clock_ns();
    joint_covariance(b, V, C);
    *covariance = seconds_since(begin);
    begin = tc_clock_ns();
    TC_TRY(tc_chol(JOINT, C, JOINT, err));
    *factor = seconds_since(begin);
    return TACIT_OK;
}

static tacit_status run(setting *b, tacit_error *err)
{
    TC_TRY(set_up(b, err));
    printf("%-36s %12s %12s\n", "a draw after 50 observations, D = 2", "candidates", "ms");
    for (size_t features = 256; features <= 1024; features *= 4) {
        double seconds = 0.0;
        TC_TRY(time_paths(b, features, &seconds, err));
        printf("function draw, %4zu features%10s %12d %12.2f\n", features, "", CANDIDATES,
               seconds * 1e3);
    }
    double covariance = 0.0, factor = 0.0, ratio = (double)CANDIDATES / JOINT;
    TC_TRY(time_joint(b, &covariance, &factor, err));
    double scaled = covariance * ratio * ratio + factor * ratio * ratio * ratio;
    printf("%-36s %12d %12.2f\n", "joint Cholesky, measured once", JOINT,
           (covariance + factor) * 1e3);
    printf("%-36s %12d %12.2f\n", "joint Cholesky, scaled, not measured", CANDIDATES, scaled * 1e3);
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    setting b = {.repetitions = repetitions > 0 ? (size_t)repetitions : 15};
    tacit_error err = {0};
    tacit_status status = run(&b, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_thompson_draw: %s\n", err.msg);
    tc_gp_free(b.gp);
    tc_arena_fini(&b.arena);
    return tacit_status_exit(status);
}
