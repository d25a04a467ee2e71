/* blin_test.c - blin beside a slow one that follows its batches cube by cube. */
#include "support/test.h"

#include "support/bandit_client.h"

#include <stdlib.h>

enum { CUBES = 5000, EDGES = 64 };

static int64_t reward(size_t dim, tc_cell cell, uint64_t j)
{
    double u[2] = {0, 0}, f = 0.95;
    tc_cell_centre(cell, 2, dim, u);
    for (size_t d = 0; d < dim; d++)
        f -= 0.8 * fabs(u[d] - 0.61) / (double)dim;
    return tc_reward_of(f) + bandit_noise(cell.depth, cell.index, j, TC_REWARD_ONE / 10);
}

/* The exponents of the edges, by the definition. */
static size_t edges_of(double T, double d, unsigned *out)
{
    double sum = 0, c = log2(T / log2(T)) / ((d + 2) * 2);
    double batches = ceil(log2(log2(T)) / -log2((d + 1) / (d + 2))) + 1;
    size_t n = 0;
    for (double i = 0; i < batches; i++, c *= (d + 1) / (d + 2)) {
        sum += c;
        for (int up = 0; up < 2; up++) {
            double j = fmax(up ? ceil(sum) : floor(sum), 1);
            if (n == 0 || j > out[n - 1])
                out[n++] = (unsigned)j;
        }
    }
    return n;
}

typedef struct cube {
    uint64_t index;
    double mean;
} cube;

/* Pulls one batch to its end and checks every ask; false: the budget ended. */
static bool follow_batch(bandit_client *live, size_t dim, unsigned j, double share, cube *v,
                         size_t n, uint64_t *left)
{
    uint64_t samples = (uint64_t)ceil(share * exp2(2.0 * j));
    for (size_t i = 0; i < n; i++) {
        tc_pulls p = bandit_ask(live);
        unsigned k;
        tc_cell cell = live->bandit->cell(live->state, p.arm, &k);
        assert_int_equal(cell.depth, j * dim);
        assert_int_equal(cell.index, v[i].index);
        assert_int_equal(p.n, samples);
        if (*left < samples)
            return false;
        *left -= samples;
        int64_t sum = 0;
        for (uint64_t s = 0; s < samples; s++)
            sum += reward(dim, cell, s);
        v[i].mean = (double)sum / (double)samples / (double)TC_REWARD_ONE;
        bandit_tell(live, p.arm, samples, sum);
    }
    return true;
}

static size_t narrow(cube *v, size_t n, unsigned j)
{
    double best = -INFINITY;
    for (size_t i = 0; i < n; i++)
        best = fmax(best, v[i].mean);
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        if (best - v[i].mean <= 0.25 * exp2(-(double)j))
            v[left++] = v[i];
    return left;
}

static size_t cut(cube *v, size_t n, size_t times)
{
    for (; times > 0; times--) {
        assert_true(2 * n <= CUBES);
        for (size_t i = n; i > 0; i--) {
            uint64_t index = v[i - 1].index;
            v[2 * i - 2].index = 2 * index;
            v[2 * i - 1].index = 2 * index + 1;
        }
        n *= 2;
    }
    return n;
}

static void compare(size_t dim, uint64_t T, const char *samples, bool finishes)
{
    bandit_client live = bandit_begin(&tc_bandit_blin, dim, 1, T, (const char *[]){samples, NULL});
    cube *v = tc_alloc(CUBES, sizeof *v);
    assert_non_null(v);
    unsigned edges[EDGES];
    size_t n_edges = edges_of((double)T, (double)dim, edges), n = cut(v, 1, edges[0] * dim), b = 0;
    uint64_t left = T;
    bool done = false;
    double share = strtod(samples + 8, NULL) * log((double)T); /* behind "samples=" */
    while (follow_batch(&live, dim, edges[b], share, v, n, &left)) {
        n = narrow(v, n, edges[b]);
        done = b + 1 == n_edges;
        if (done)
            break;
        n = cut(v, n, (edges[b + 1] - edges[b]) * dim);
        b++;
    }
    assert_true(b >= 2);
    assert_true(done == finishes);
    for (size_t i = 0; done && i < 3 * n; i++) { /* the cubes in turn, one pull each */
        tc_pulls p = bandit_ask(&live);
        assert_int_equal(p.n, 1);
        assert_int_equal(p.arm, i % n);
        bandit_tell(&live, p.arm, 1, 0);
    }
    tc_free(v);
    bandit_end(&live);
}

static void test_blin_is_its_definition(void **state)
{
    (void)state;
    compare(1, 2000, "samples=0.75", false);
    compare(1, 1000000, "samples=0.02", true);
    compare(2, 80000, "samples=0.75", false);
}

static void test_points_that_are_gone(void **state)
{
    (void)state;
    bandit_client live = bandit_begin(&tc_bandit_blin, 1, 1, 100000, NULL);
    const double far = 0.01, near = 0.61;
    for (int batch = 0; batch < 40; batch++) {
        tc_pulls p = bandit_ask(&live);
        unsigned k;
        tc_cell cell = live.bandit->cell(live.state, p.arm, &k);
        int64_t f =
            reward(1, cell, 0) - bandit_noise(cell.depth, cell.index, 0, TC_REWARD_ONE / 10);
        bandit_tell(&live, p.arm, p.n, (int64_t)p.n * f);
    }
    assert_true(live.bandit->arm_of(live.state, &far) == TC_NO_ARM);
    assert_true(live.bandit->arm_of(live.state, &near) != TC_NO_ARM);
    bandit_end(&live);
}

static void test_too_many_dimensions(void **state)
{
    (void)state;
    tacit_error err = {0};
    void *opts = bandit_options(&tc_bandit_blin, NULL),
         *c = tc_alloc(1, tc_bandit_blin.client_size);
    tc_bandit_env env = {.dim = 25, .clients = 1, .budget = 1000};
    assert_fails(tc_bandit_blin.init(c, &env, opts, &err), TACIT_E_ARG,
                 "2^25 cubes in dimension 25; at most 2^24");
    tc_bandit_blin.fini(c);
    tc_free(c);
    tc_free(opts);
}

/* Ten dimensions: the second batch would have more cubes than pulls, and is not begun. */
static void test_ten_dimensions(void **state)
{
    (void)state;
    bandit_client live = bandit_begin(&tc_bandit_blin, 10, 1, 50000, NULL);
    uint64_t t = 0;
    while (t < 50000) {
        tc_pulls p = bandit_ask(&live);
        double u[10], f = 1;
        live.bandit->point(live.state, p.arm, u);
        for (size_t d = 0; d < 10; d++)
            f -= 0.02 * fabs(u[d] - 0.3);
        t += p.n;
        bandit_tell(&live, p.arm, p.n, (int64_t)p.n * tc_reward_of(f));
    }
    assert_int_equal(bandit_ask(&live).n, 1);
    bandit_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blin_is_its_definition),
        cmocka_unit_test(test_points_that_are_gone),
        cmocka_unit_test(test_too_many_dimensions),
        cmocka_unit_test(test_ten_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
