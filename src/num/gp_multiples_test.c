/* gp_multiples_test.c - several processes at once, against the same ones one by one (gp.h). */
#include "support/test.h"

#include "base/random.h"
#include "num/gp_multiples.h"

enum { N = 21, DIM = 3, COLUMNS = 5, POINTS = 300, EACH = 3 };

static const double ratios[] = {1, 0.4, 2.5};

typedef struct fixture {
    double scale[DIM], X[N * DIM], t[N * COLUMNS];
    tc_gp *g[EACH];
    double W[EACH][N * COLUMNS];
} fixture;

/* The last points are appended. Each process has a noise of its own. */
static void make_process(fixture *f, tc_kernel_kind kind, size_t i)
{
    tacit_error err = {0};
    const size_t first = 15;
    tc_gp_hyper h = {kind, DIM, 1.3 * ratios[i], 0.01 + 0.02 * (double)i, f->scale};
    assert_ok(tc_gp_new(&f->g[i], DIM, &err));
    assert_ok(tc_gp_reset(f->g[i], &h, first, f->X, N, &err));
    for (size_t j = first; j < N; j++) {
        double x[DIM];
        for (size_t d = 0; d < DIM; d++)
            x[d] = f->X[j + d * N];
        assert_ok(tc_gp_push_known(f->g[i], x, 0, &err));
    }
    memcpy(f->W[i], f->t, sizeof f->t);
    for (size_t c = 0; c < COLUMNS; c++)
        tc_gp_solve(f->g[i], f->W[i] + c * N);
}

static void start(fixture *f, tc_kernel_kind kind)
{
    tc_public_seed seed = tc_public_seed_from(11);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    for (size_t i = 0; i < N * DIM; i++)
        f->X[i] = tc_draw_uniform(&s);
    for (size_t i = 0; i < N * COLUMNS; i++)
        f->t[i] = tc_draw_normal(&s);
    for (size_t d = 0; d < DIM; d++)
        f->scale[d] = 0.3 + 0.2 * (double)d;
    for (size_t i = 0; i < EACH; i++)
        make_process(f, kind, i);
}

static void end(fixture *f)
{
    for (size_t i = 0; i < EACH; i++)
        tc_gp_free(f->g[i]);
}

typedef struct results {
    double mean[COLUMNS * POINTS], var[POINTS], d_mean[COLUMNS * DIM], d_var[DIM];
} results;

/* The processes first, first + 1, ..., of which the first has the kernel. */
static void ask_for(fixture *f, size_t first, size_t count, results *out, bool slopes,
                    tc_gp_multiple *of)
{
    for (size_t i = 0; i < count; i++)
        of[i] = (tc_gp_multiple){.g = f->g[first + i],
                                 .W = f->W[first + i],
                                 .mean = out[i].mean,
                                 .var = out[i].var,
                                 .d_mean = slopes ? out[i].d_mean : NULL,
                                 .d_var = slopes ? out[i].d_var : NULL};
}

static void assert_one_agrees(fixture *f, size_t process, size_t c, const double *x,
                              const results *r, bool slopes)
{
    double mean, var, d_mean[DIM], d_var[DIM], scratch[(N + 1) * (DIM + 2)];
    tc_gp_targets(f->g[process], f->t + c * N);
    tc_gp_predict_grad(f->g[process], x, &mean, &var, d_mean, d_var, scratch);
    assert_close(r->mean[c], mean, 1e-11);
    assert_close(r->var[0], var, 1e-11);
    for (size_t d = 0; slopes && d < DIM; d++) {
        assert_close(r->d_mean[c * DIM + d], d_mean[d], 1e-10);
        assert_close(r->d_var[d], d_var[d], 1e-10);
    }
}

static void one_point_is_that_of_each(void **state)
{
    static results out[EACH];
    static double scratch[N * (DIM + 3)];
    (void)state;
    assert_true(tc_gp_multiples_scratch(N, DIM) <= sizeof scratch / sizeof *scratch);
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        fixture f;
        tc_gp_multiple of[EACH];
        start(&f, (tc_kernel_kind)kind);
        for (size_t first = 0; first < EACH; first++)
            for (int slopes = 0; slopes < 2; slopes++) {
                const double x[DIM] = {0.41, 0.33, 0.77};
                ask_for(&f, first, EACH - first, out, slopes, of);
                tc_gp_multiples_at(EACH - first, of, COLUMNS, x, scratch);
                for (size_t i = first; i < EACH; i++)
                    for (size_t c = 0; c < COLUMNS; c++)
                        assert_one_agrees(&f, i, c, x, &out[i - first], slopes);
            }
        end(&f);
    }
}

/* More points than a block has, and a number that no vector divides. */
static void many_points_are_those_of_each(void **state)
{
    static const size_t sizes[] = {1, 128, 287, POINTS};
    static results out[EACH];
    static double scratch[2 * N * 128], X[POINTS * DIM], mean[POINTS], var[POINTS];
    tacit_error err = {0};
    (void)state;
    assert_true(tc_gp_multiples_many_scratch(N) <= sizeof scratch / sizeof *scratch);
    for (size_t i = 0; i < POINTS * DIM; i++)
        X[i] = fmod(0.618 * (double)i, 1.0);
    for (size_t first = 0; first < EACH; first++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const size_t m = sizes[s];
            fixture f;
            tc_gp_multiple of[EACH];
            start(&f, TC_KERNEL_MATERN52);
            ask_for(&f, first, EACH - first, out, false, of);
            tc_gp_multiples_many(EACH - first, of, COLUMNS, m, X, POINTS, scratch);
            for (size_t i = first; i < EACH; i++)
                for (size_t c = 0; c < COLUMNS; c++) {
                    tc_gp_targets(f.g[i], f.t + c * N);
                    assert_ok(tc_gp_predict_many(f.g[i], m, X, POINTS, mean, var, &err));
                    for (size_t j = 0; j < m; j++) {
                        assert_close(out[i - first].mean[c * m + j], mean[j], 1e-11);
                        assert_close(out[i - first].var[j], var[j], 1e-11);
                    }
                }
            end(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_point_is_that_of_each),
        cmocka_unit_test(many_points_are_those_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
