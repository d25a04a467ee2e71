/* shared_sum_test.c - the sum of trustees is that of a coordinator; its scale, its noise, and what is refused. */
#include "privacy/shared_sum.h"

#include "support/test.h"
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/share.h"

#include <math.h>

enum { AGENTS = 10, GROUPS = 3, WIDTH = 5, COUNT = GROUPS * WIDTH, GRID = 20, CLIP = 3000000 };

static tc_shared_plan plan(void)
{
    return (tc_shared_plan){.trustees = tc_trustees_usual(5),
                            .agents = AGENTS,
                            .groups = GROUPS,
                            .width = WIDTH,
                            .grid = GRID,
                            .clip = CLIP,
                            .multiplier = 3 * TC_SUM_ONE};
}

static void vector_of(size_t agent, int64_t v[WIDTH])
{
    for (size_t k = 0; k < WIDTH; k++)
        v[k] = (int64_t)((agent + 1) * 70001 * (k + 1)) * ((agent + k) % 2 == 0 ? 1 : -1);
    tc_clip_l2(v, WIDTH, CLIP);
}

/* ---- the same as a coordinator's */

/* A coordinator that adds up the same vectors by group, with weight 1 in their own block. */
static tc_release *central(uint64_t multiplier)
{
    static const uint32_t weights[GROUPS * GROUPS] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const tc_sum_plan p = {.agents = AGENTS,
                           .blocks = GROUPS,
                           .width = WIDTH,
                           .groups = GROUPS,
                           .weights = weights,
                           .grid = GRID,
                           .clip = CLIP,
                           .multiplier = multiplier,
                           .rate = TC_SUM_ONE};
    tacit_error err = {0};
    tc_sum_scale scale;
    tc_test_noise noise;
    tc_sum *s;
    tc_release *r;
    tc_test_noise_init(&noise, 3, 1);
    tc_entropy e = tc_entropy_of_test(&noise);
    assert_ok(tc_sum_plan_scale(&p, &scale, &err));
    assert_int_equal(scale.shift, 0);
    assert_ok(tc_sum_open(&s, &p, &e, &err));
    for (size_t n = 0; n < AGENTS; n++) {
        int64_t v[WIDTH];
        vector_of(n, v);
        assert_ok(tc_sum_fold(s, n, v, &err));
    }
    assert_ok(tc_sum_close(s, &r, &err));
    tc_sum_free(s);
    return r;
}

/* Deals n integers and adds them to the trustees' sums of groups x width words, from word `at` on. */
static void deal(const tc_trustees *t, const uint8_t secret[32], const int64_t *v, size_t n,
                 size_t at, uint64_t sums[][COUNT])
{
    uint8_t dealing[TC_TRUSTEES_MOST * 8 * COUNT];
    tacit_error err = {0};
    tc_share_deal(t, secret, v, n, dealing);
    for (uint32_t k = 0; k < t->count; k++)
        assert_ok(tc_share_add(t, k, dealing + tc_share_offset(t, k, n), n, sums[k] + at, &err));
}

/* Agents deal their vectors, two dealers split `noise` between them, and trustees 1..4 answer. */
static void open_sums(const tc_shared_plan *p, const int64_t noise[COUNT], int64_t out[COUNT])
{
    uint64_t sums[5][COUNT] = {0};
    const uint64_t *answers[5] = {NULL, sums[1], sums[2], sums[3], sums[4]};
    uint8_t secret[32];
    int64_t part[COUNT], rest[COUNT];
    for (size_t n = 0; n < AGENTS; n++) {
        int64_t v[WIDTH];
        vector_of(n, v);
        tc_shared_test_secret(1, false, n, 0, secret);
        deal(&p->trustees, secret, v, WIDTH, n % GROUPS * WIDTH, sums);
    }
    for (size_t i = 0; i < COUNT; i++) {
        part[i] = noise[i] / 3 - 12345;
        rest[i] = noise[i] - part[i];
    }
    tc_shared_test_secret(1, true, 0, 0, secret);
    deal(&p->trustees, secret, part, COUNT, 0, sums);
    tc_shared_test_secret(1, true, 1, 0, secret);
    deal(&p->trustees, secret, rest, COUNT, 0, sums);
    assert_int_equal(tc_share_open(&p->trustees, answers, COUNT, out).finding, TC_SHARE_CONSISTENT);
}

static void assert_same_release(const tc_release *a, const tc_release *b)
{
    const tc_release_view *x = tc_release_get(a), *y = tc_release_get(b);
    assert_string_equal(x->mechanism, y->mechanism);
    assert_int_equal(x->rows, y->rows);
    assert_int_equal(x->cols, y->cols);
    assert_same_bits(x->step, y->step);
    assert_memory_equal(x->steps, y->steps, COUNT * 8);
    assert_int_equal(x->event.mechanism, y->event.mechanism);
    assert_same_bits(x->event.parameter, y->event.parameter);
    assert_int_equal(x->event.sampling, y->event.sampling);
    assert_int_equal(x->event.count, y->event.count);
    assert_int_equal(x->unit, y->unit);
    assert_int_equal(x->is_private, y->is_private);
}

/* With the noise that the coordinator drew, dealt by two trustees instead; and without any. */
static void test_the_release_is_that_of_a_coordinator(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_shared_plan p = plan();
    const uint64_t five = 5 * TC_SUM_ONE;
    tc_release *bare = central(0), *noisy = central(five), *r;
    int64_t noise[COUNT] = {0}, sums[COUNT];
    p.multiplier = 0;
    open_sums(&p, noise, sums);
    assert_ok(tc_shared_release(&p, sums, true, &r, &err));
    assert_same_release(r, bare);
    tc_release_free(r);
    for (size_t i = 0; i < COUNT; i++)
        noise[i] = tc_release_get(noisy)->steps[i] - tc_release_get(bare)->steps[i];
    p.multiplier = five;
    open_sums(&p, noise, sums);
    assert_ok(tc_shared_release(&p, sums, true, &r, &err));
    assert_same_release(r, noisy);
    tc_release_free(r);
    tc_release_free(noisy);
    tc_release_free(bare);
}

/* ---- scale */

static void test_scale_of_a_known_plan(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_shared_plan p = plan();
    tc_shared_scale s;
    assert_ok(tc_shared_plan_scale(&p, &s, &err));
    assert_int_equal(s.dealt, 5196153);                    /* ceil(9e6 / sqrt(3)) */
    assert_int_equal(s.most, 4 * 3000000 + 12 * 10392306); /* ceil(2 s_k) */
    assert_close(s.sd, 10392306, 0);
    assert_int_equal(s.event.mechanism, TACIT_DP_GAUSSIAN);
    assert_close(s.event.parameter, 3, 0);
    assert_int_equal(s.event.sampling, TACIT_DP_ALL);
    assert_int_equal(s.event.count, 1);
    assert_close(s.distance, 3.740739909547086e-15, 1e-29); /* 15 * 0.0202 / (3 s_k^2) */
    assert_true(s.distance >= 15 * 0.0202 / (3 * 5196153.0 * 5196153.0));
    assert_string_equal(s.adjacency,
                        "all vectors of one agent are replaced by zero; roster, groups, clip norm "
                        "and the terms of trustees are public constants, and trustees deal the "
                        "same noise");
}

static void test_a_release_says_what_it_is(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_shared_plan p = plan();
    const int64_t sums[COUNT] = {-7, 1000000};
    tc_release *r;
    assert_ok(tc_shared_release(&p, sums, false, &r, &err));
    const tc_release_view *v = tc_release_get(r);
    assert_true(v->is_private && v->not_private == NULL);
    assert_int_equal(v->unit, TACIT_UNIT_AGENT);
    assert_false(v->single);
    assert_close(v->sensitivity, 3000000.0 / (1 << GRID), 0);
    assert_close(v->noise_sd, 10392306.0 / (1 << GRID), 0);
    assert_close(tc_release_value(r, 0), -7.0 / (1 << GRID), 0);
    tc_release_free(r);
    assert_ok(tc_shared_release(&p, sums, true, &r, &err));
    assert_false(tc_release_get(r)->is_private);
    assert_string_equal(tc_release_get(r)->not_private,
                        "the noise was drawn from a seed (test mode)");
    tc_release_free(r);
    tc_shared_plan silent = p;
    silent.multiplier = 0;
    assert_ok(tc_shared_release(&silent, sums, false, &r, &err));
    assert_false(tc_release_get(r)->is_private);
    assert_string_equal(tc_release_get(r)->not_private, "the noise multiplier is 0");
    assert_int_equal(tc_release_get(r)->event.mechanism, TACIT_DP_NONPRIVATE);
    tc_release_free(r);
}

/* The variance of h dealers is never below (z clip)^2, and a dealer's noise is one that the sampler draws. */
static void test_every_multiplier_has_a_grid_or_a_reason(void **state)
{
    (void)state;
    static const double norms[] = {1e-9, 0.37, 1, 8, 12345.678};
    for (uint32_t K = TC_TRUSTEES_LEAST; K <= TC_TRUSTEES_MOST; K++)
        for (size_t i = 0; i < 5; i++)
            for (double z = 0.09; z < 10000; z *= 1.37) {
                tacit_error err = {0};
                tc_shared_plan p = {
                    .trustees = tc_trustees_usual(K), .agents = 1000, .groups = 4, .width = 100};
                tc_shared_scale s;
                assert_ok(tc_shared_plan_set(&p, norms[i], z, &err));
                assert_ok(tc_shared_plan_scale(&p, &s, &err));
                assert_true(s.dealt >= TC_SD_LOW && s.dealt < TC_SD_HIGH);
                assert_true(p.clip <= TC_SUM_CLIP_MAX && p.clip >= 1 << 10);
                assert_true(p.clip >= 1 << 25 || s.dealt >= TC_SD_HIGH / 2 - 8192);
                const double h = p.trustees.dealers - p.trustees.colluding;
                const double clip = ldexp((double)p.clip, -p.grid);
                assert_true(clip <= norms[i] && clip > norms[i] * (1 - 0x1p-10));
                const double needed = z * (double)p.clip;
                assert_true(h * (double)s.dealt * (double)s.dealt >= needed * needed);
                assert_true((double)s.dealt < needed / sqrt(h) + 2);
            }
}

static void test_what_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_shared_plan p = plan();
    tc_shared_scale s;
    tc_release *r;
    int64_t sums[COUNT] = {0};
    assert_fails(
        tc_shared_plan_set(&p, 1, 0.02, &err), TACIT_E_ARG,
        "the noise multiplier 0.02 is too small: each of 3 honest dealers would draw noise "
        "of 387454 steps, and 2^20 to 2^24 are allowed");
    assert_fails(tc_shared_plan_set(&p, 1, 40000, &err), TACIT_E_ARG,
                 "the noise multiplier 4e+04 is too large for 3 honest dealers: each can draw "
                 "noise of 2^14 clip norms at most");
    assert_fails(tc_shared_plan_set(&p, 1, 2e6, &err), TACIT_E_ARG,
                 "the noise multiplier must be in [0, 1e6], got 2000000");
    assert_fails(tc_shared_plan_set(&p, 0, 2, &err), TACIT_E_ARG,
                 "the clip norm must be in [1e-250, 1e250], got 0");
    assert_int_equal(p.grid, GRID); /* as it was */
    p.groups = 11;
    assert_fails(tc_shared_plan_scale(&p, &s, &err), TACIT_E_ARG,
                 "groups must be in 1..10, as many as agents, got 11");
    p = plan();
    p.clip = TC_SUM_CLIP_MAX + 1;
    assert_fails(tc_shared_plan_scale(&p, &s, &err), TACIT_E_ARG,
                 "the clip norm must be in 1..2^26 steps, got 67108865");
    p = plan();
    p.trustees.degree = 2;
    assert_fails(tc_shared_plan_scale(&p, &s, &err), TACIT_E_ARG, "federation.trustees.degree");
    p = plan();
    p.agents = 0;
    assert_fails(tc_shared_plan_scale(&p, &s, &err), TACIT_E_ARG,
                 "agents must be in 1..16777216, got 0");
    p = plan();
    p.width = 1 << 24;
    assert_fails(tc_shared_plan_scale(&p, &s, &err), TACIT_E_ARG,
                 "a sum has 1 to 16777216 coordinates, got 3 groups of 16777216");
    p = plan();
    assert_ok(tc_shared_plan_scale(&p, &s, &err));
    sums[COUNT - 1] = -(int64_t)s.most;
    assert_ok(tc_shared_release(&p, sums, false, &r, &err));
    tc_release_free(r);
    sums[COUNT - 1]--;
    assert_fails(tc_shared_release(&p, sums, false, &r, &err), TACIT_E_STATE,
                 "the sum that was opened is beyond what agents and noise add up to: an agent or a "
                 "trustee dealt a vector that is too long");
}

/* ---- noise */

/* 30,000 draws: the relative error of a variance has a deviation of 0.8 %. The seed is fixed. */
static void test_noise_has_its_variance(void **state)
{
    (void)state;
    enum { DRAWS = 30000 };
    static int64_t out[DRAWS];
    tacit_error err = {0};
    tc_shared_plan p = plan();
    tc_test_noise t;
    double square = 0, mean = 0;
    p.agents = p.groups = 300;
    p.width = 100;
    tc_entropy e = tc_shared_test_entropy(&t, 9, 2, 4);
    assert_false(e.secret);
    assert_ok(tc_shared_noise(&p, &e, out, &err));
    for (size_t i = 0; i < DRAWS; i++) {
        mean += (double)out[i] / DRAWS;
        square += (double)out[i] * (double)out[i] / DRAWS;
    }
    assert_close(mean / 5196153, 0, 0.025);
    assert_close(square / 5196153 / 5196153, 1, 0.035);
}

static void draw(uint64_t seed, uint32_t place, uint64_t round, int64_t out[COUNT])
{
    const tc_shared_plan p = plan();
    tacit_error err = {0};
    tc_test_noise t;
    tc_entropy e = tc_shared_test_entropy(&t, seed, place, round);
    assert_ok(tc_shared_noise(&p, &e, out, &err));
}

/* A function of seed, trustee and round, and another one of each. */
static void test_seeded_noise_repeats_itself(void **state)
{
    (void)state;
    int64_t a[COUNT], b[COUNT];
    uint8_t x[32], y[32];
    draw(7, 1, 2, a);
    draw(7, 1, 2, b);
    assert_memory_equal(a, b, sizeof a);
    draw(8, 1, 2, b);
    assert_memory_not_equal(a, b, sizeof a);
    draw(7, 2, 2, b);
    assert_memory_not_equal(a, b, sizeof a);
    draw(7, 1, 3, b);
    assert_memory_not_equal(a, b, sizeof a);
    tc_shared_test_secret(7, true, 1, 2, x);
    tc_shared_test_secret(7, false, 1, 2, y);
    assert_memory_not_equal(x, y, 32);
    tc_shared_test_secret(7, true, 1, 3, y);
    assert_memory_not_equal(x, y, 32);
}

static void test_without_noise_nothing_is_drawn(void **state)
{
    (void)state;
    tc_shared_plan p = plan();
    tacit_error err = {0};
    tc_test_noise t;
    int64_t out[COUNT] = {1, 2, 3};
    tc_entropy e = tc_shared_test_entropy(&t, 1, 1, 1);
    p.multiplier = 0;
    assert_ok(tc_shared_noise(&p, &e, out, &err));
    for (size_t i = 0; i < COUNT; i++)
        assert_true(out[i] == 0);
}

/* ---- the bound that `distance` stands on, where it can be computed: small s_k */

enum { REACH = 60, SPAN = 2 * REACH + 1 };

static void gaussian(double variance, double out[SPAN])
{
    double sum = 0;
    for (int x = -REACH; x <= REACH; x++)
        sum += out[x + REACH] = exp(-x * x / (2 * variance));
    for (int i = 0; i < SPAN; i++)
        out[i] /= sum;
}

static void convolve(const double a[SPAN], const double b[SPAN], double out[SPAN])
{
    for (int x = -REACH; x <= REACH; x++) {
        out[x + REACH] = 0;
        for (int y = -REACH; y <= REACH; y++)
            if (x - y >= -REACH && x - y <= REACH)
                out[x + REACH] += a[y + REACH] * b[x - y + REACH];
    }
}

static void test_sums_of_discrete_gaussians_are_nearly_one(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    for (double s = 0.5; s < 1.2; s += 0.1) {
        double one[SPAN], sum[SPAN], next[SPAN], whole[SPAN], tau = 0, largest = 0;
        gaussian(s * s, one);
        memcpy(sum, one, sizeof sum);
        for (int h = 2; h <= 6; h++) {
            tau += 10 * exp(-2 * pi * pi * s * s * (h - 1) / h);
            convolve(sum, one, next);
            memcpy(sum, next, sizeof sum);
            gaussian(h * s * s, whole);
            for (int x = -8; x <= 8; x++)
                largest = fmax(largest, fabs(log(sum[x + REACH] / whole[x + REACH])));
            assert_true(largest <= tau);
            assert_true(largest > tau / 40); /* it says something */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_release_is_that_of_a_coordinator),
        cmocka_unit_test(test_scale_of_a_known_plan),
        cmocka_unit_test(test_a_release_says_what_it_is),
        cmocka_unit_test(test_every_multiplier_has_a_grid_or_a_reason),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_noise_has_its_variance),
        cmocka_unit_test(test_seeded_noise_repeats_itself),
        cmocka_unit_test(test_without_noise_nothing_is_drawn),
        cmocka_unit_test(test_sums_of_discrete_gaussians_are_nearly_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
