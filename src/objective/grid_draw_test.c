/* grid_draw_test.c - the factor against the kernel, a draw against the sums it stands for. */
#include "support/test.h"

#include "objective/objective_int.h"

#include "base/memory.h"

static double se(double x, double y, double l)
{
    return exp(-0.5 * (x - y) * (x - y) / (l * l));
}

/* The largest |F F' - K| over all pairs of an axis. */
static double worst_entry(const tc_grid_gp *g, double l)
{
    size_t n = g->per_axis;
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t r = 0; r < g->rank; r++)
                sum += g->factor[i + r * n] * g->factor[j + r * n];
            double x = (double)i / (double)(n - 1), y = (double)j / (double)(n - 1);
            worst = fmax(worst, fabs(sum - se(x, y, l)));
        }
    return worst;
}

static void the_factor_is_exact(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double l;
    } cases[] = {{1000, 0.03}, {32, 0.03}, {2, 10}, {300, 0.001}, {500, 0.2}, {100, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tacit_error err = {0};
        tc_grid_gp g;
        assert_ok(tc_grid_gp_init(&g, 1, cases[i].n, cases[i].l, &err));
        assert_true(g.rank <= cases[i].n);
        assert_true(worst_entry(&g, cases[i].l) < 2e-12);
        tc_grid_gp_fini(&g);
    }
}

static void the_rank_follows_the_lengthscale(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_grid_gp g;
    assert_ok(tc_grid_gp_init(&g, 1, 1000, 0.03, &err));
    assert_int_equal(g.rank, 92);
    tc_grid_gp_fini(&g);
    assert_ok(tc_grid_gp_init(&g, 1, 1000, 0.2, &err));
    assert_in_range(g.rank, 15, 33);
    tc_grid_gp_fini(&g);
    assert_ok(tc_grid_gp_init(&g, 1, 300, 0.001, &err)); /* points do not see each other */
    assert_int_equal(g.rank, 300);
    tc_grid_gp_fini(&g);
}

/* Point (i1, ..., id), first axis slowest, is the sum over all (j1, ..., jd) of prod F[i, j] z. */
static double plain_sum(const tc_grid_gp *g, size_t point, const double *z)
{
    size_t terms = 1, n = g->per_axis, r = g->rank;
    double sum = 0;
    for (size_t d = 0; d < g->dim; d++)
        terms *= r;
    for (size_t t = 0; t < terms; t++) {
        double product = z[t];
        for (size_t d = 0, i = point, j = t; d < g->dim; d++, i /= n, j /= r)
            product *= g->factor[i % n + (j % r) * n];
        sum += product;
    }
    return sum;
}

static void a_draw_is_the_kronecker_product(void **state)
{
    (void)state;
    for (size_t dim = 1; dim <= 4; dim++) {
        tacit_error err = {0};
        tc_grid_gp g;
        tc_arena a = {0};
        tc_stream s;
        tc_public_seed seed = tc_public_seed_from(4);
        assert_ok(tc_grid_gp_init(&g, dim, 7, 0.3, &err));
        double *z = TC_TAKE(&a, g.points, double), *out = TC_TAKE(&a, g.points, double);
        double *scratch = TC_TAKE(&a, g.points, double);
        assert_false(a.failed);
        size_t terms = 1;
        for (size_t d = 0; d < dim; d++)
            terms *= g.rank;
        tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
        tc_draw_normals(&s, terms, z);
        tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
        tc_grid_gp_draw(&g, &s, scratch, out);
        for (size_t i = 0; i < g.points; i += dim == 4 ? 97 : 1)
            assert_close(out[i], plain_sum(&g, i, z), 1e-12);
        tc_arena_fini(&a);
        tc_grid_gp_fini(&g);
    }
}

static void sizes_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_grid_gp g;
    assert_fails(tc_grid_gp_init(&g, 1, 1, 0.1, &err), TACIT_E_ARG,
                 "grid is 1 per axis in 1 dimension; allowed are at least 2 per axis and at most "
                 "1000000 candidates");
    assert_fails(tc_grid_gp_init(&g, 64, 2, 0.1, &err), TACIT_E_ARG,
                 "grid is 2 per axis in 64 dimensions");
    assert_fails(tc_grid_gp_init(&g, 1, 1000000, 0.001, &err), TACIT_E_ARG,
                 "grid is 1000000 per axis, which is too many for a length-scale of 0.001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_is_exact),
        cmocka_unit_test(the_rank_follows_the_lengthscale),
        cmocka_unit_test(a_draw_is_the_kronecker_product),
        cmocka_unit_test(sizes_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
