/* sum_test.c - the Gaussian sum: exact in any order, bounded per agent, noise in every case. */
#include "support/test.h"
#include "base/random.h"
#include "privacy/mechanism_int.h"
#include "privacy/sampler.h"

enum { AGENTS = 6, BLOCKS = 3, WIDTH = 4, COUNT = BLOCKS * WIDTH };

static const uint32_t weights[AGENTS * BLOCKS] = {
    40000, 10000, 0, 30000, 65536, 1, 12345, 54321, 777, 1, 2, 65535, 0, 0, 0, 20000, 20000, 20000,
};

static tc_sum_plan plan(void)
{
    return (tc_sum_plan){.agents = AGENTS,
                         .blocks = BLOCKS,
                         .width = WIDTH,
                         .groups = AGENTS,
                         .weights = weights,
                         .weight_bits = 16,
                         .grid = 20,
                         .clip = 3000000,
                         .multiplier = TC_SUM_ONE,
                         .rate = TC_SUM_ONE};
}

static tc_test_noise noise;

static tc_entropy seeded(uint64_t step)
{
    tc_test_noise_init(&noise, 77, step);
    return tc_entropy_of_test(&noise);
}

static void vector_of(size_t agent, int64_t v[WIDTH])
{
    for (size_t k = 0; k < WIDTH; k++)
        v[k] = (int64_t)((agent + 1) * 700001 * (k + 3)) * (k % 2 == 0 ? 1 : -1);
}

static tc_release *sum_of(const tc_sum_plan *p, uint64_t step, const size_t *agents, size_t n)
{
    tacit_error err = {0};
    tc_entropy e = seeded(step);
    tc_sum *s;
    tc_release *r;
    assert_ok(tc_sum_open(&s, p, &e, &err));
    for (size_t i = 0; i < n; i++) {
        int64_t v[WIDTH];
        vector_of(agents[i], v);
        assert_ok(tc_sum_fold(s, agents[i], v, &err));
    }
    assert_ok(tc_sum_close(s, &r, &err));
    tc_sum_free(s);
    return r;
}

/* ---- exactness */

static void sums_do_not_depend_on_the_order(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    static const size_t up[] = {0, 1, 2, 3, 4, 5}, mixed[] = {4, 1, 5, 0, 3, 2};
    tc_release *a = sum_of(&p, 1, up, 6), *b = sum_of(&p, 1, mixed, 6);
    assert_memory_equal(tc_release_get(a)->steps, tc_release_get(b)->steps, COUNT * 8);
    tc_release_free(a);
    tc_release_free(b);
}

/* ---- against a slow sum in 128 bits */

__extension__ typedef __int128 wide;

/* floor((x + h) / 2^shift) by division. */
static int64_t slow_rounding(wide x, int shift)
{
    if (shift <= 0)
        return (int64_t)(x * ((wide)1 << -shift));
    wide unit = (wide)1 << shift, up = x + unit / 2;
    return (int64_t)((up >= 0 ? up : up - (unit - 1)) / unit);
}

typedef struct federation {
    tc_sum_plan plan;
    tc_sum_scale scale;
    uint32_t weights[AGENTS * BLOCKS];
    int64_t v[AGENTS][WIDTH]; /* before clipping */
} federation;

static tc_stream draws(uint64_t step)
{
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, step);
    return s;
}

/* Everything at random but the noise multiplier. */
static void federate(federation *f, double z, tc_stream *s)
{
    tacit_error err = {0};
    f->plan = plan();
    f->plan.groups = 1 + (size_t)tc_draw_below(s, AGENTS);
    f->plan.weights = f->weights;
    f->plan.weight_bits = 31;
    f->plan.clip = 1 + (tc_draw_u64(s) >> (38 + tc_draw_below(s, 12)));
    f->plan.multiplier = (uint64_t)ceil(ldexp(z, 32));
    for (size_t i = 0; i < AGENTS * BLOCKS; i++)
        f->weights[i] = (uint32_t)(tc_draw_u64(s) >> (33 + tc_draw_below(s, 12)));
    unsigned small = 24 + (unsigned)tc_draw_below(s, 20);
    for (size_t n = 0; n < AGENTS; n++)
        for (size_t k = 0; k < WIDTH; k++)
            f->v[n][k] = (int64_t)tc_draw_u64(s) >> small;
    assert_ok(tc_sum_plan_scale(&f->plan, &f->scale, &err));
}

/* What all agents but `without` release, noise aside. */
static void slow_sum(const federation *f, size_t without, int64_t out[COUNT])
{
    wide exact[COUNT] = {0};
    for (size_t n = 0; n < AGENTS; n++) {
        int64_t v[WIDTH];
        memcpy(v, f->v[n], sizeof v);
        tc_clip_l2(v, WIDTH, f->plan.clip);
        const uint32_t *w = f->weights + n % f->plan.groups * BLOCKS;
        for (size_t i = 0; i < COUNT && n != without; i++)
            exact[i] += (wide)w[i / WIDTH] * v[i % WIDTH];
    }
    for (size_t i = 0; i < COUNT; i++)
        out[i] = slow_rounding(exact[i], f->scale.shift);
}

static tc_release *sum_up(const federation *f, bool anybody, uint64_t step)
{
    tacit_error err = {0};
    tc_entropy e = seeded(step);
    tc_sum *s;
    tc_release *r;
    assert_ok(tc_sum_open(&s, &f->plan, &e, &err));
    for (size_t n = 0; n < AGENTS && anybody; n++)
        assert_ok(tc_sum_fold(s, (n * 5) % AGENTS, f->v[(n * 5) % AGENTS], &err));
    assert_ok(tc_sum_close(s, &r, &err));
    tc_sum_free(s);
    return r;
}

static const double multipliers[] = {0, 1e-7, 0.001, 0.7, 1, 30, 5000, 1e6};
enum { MULTIPLIERS = sizeof multipliers / sizeof *multipliers };

static void sums_are_noise_plus_what_a_slow_sum_says(void **state)
{
    (void)state;
    tc_stream s = draws(0);
    int finest = 0, coarsest = 0;
    for (uint64_t round = 0; round < 100 * MULTIPLIERS; round++) {
        federation f;
        federate(&f, multipliers[round % MULTIPLIERS], &s);
        tc_release *r = sum_up(&f, true, round), *noise_alone = sum_up(&f, false, round);
        int64_t expected[COUNT];
        slow_sum(&f, AGENTS, expected);
        for (size_t i = 0; i < COUNT; i++)
            expected[i] += tc_release_get(noise_alone)->steps[i];
        assert_memory_equal(tc_release_get(r)->steps, expected, sizeof expected);
        assert_same_bits(tc_release_get(r)->step, ldexp(1, -f.scale.grid));
        finest = f.scale.shift < finest ? f.scale.shift : finest;
        coarsest = f.scale.shift > coarsest ? f.scale.shift : coarsest;
        tc_release_free(r);
        tc_release_free(noise_alone);
    }
    assert_true(finest < -3 && coarsest > 40); /* both directions were tried */
}

/* A plan with its weights in short is the same sum. */
static void sums_take_weights_by_group(void **state)
{
    static const uint32_t own[BLOCKS] = {65536, 40000, 50000}, away[BLOCKS] = {3, 20000, 777};
    static const size_t agents[] = {0, 1, 2, 3, 4, 5};
    uint32_t table[BLOCKS * BLOCKS];
    (void)state;
    for (size_t i = 0; i < BLOCKS * BLOCKS; i++)
        table[i] = i / BLOCKS == i % BLOCKS ? own[i % BLOCKS] : away[i % BLOCKS];
    tc_sum_plan whole = plan(), brief = plan();
    whole.groups = brief.groups = BLOCKS;
    whole.weights = table;
    brief.weights = own;
    brief.away = away;
    tc_release *a = sum_of(&whole, 3, agents, 6), *b = sum_of(&brief, 3, agents, 6);
    assert_memory_equal(tc_release_get(a)->steps, tc_release_get(b)->steps,
                        COUNT * sizeof(int64_t));
    tc_release_free(a);
    tc_release_free(b);
}

/* The largest sum that a plan may have, in both directions. */
static void sums_reach_their_bound(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { MANY = 16 };
    static uint32_t heavy[1] = {UINT32_C(1) << 31};
    tc_sum_plan p = {.agents = MANY,
                     .blocks = 1,
                     .width = 2,
                     .groups = 1,
                     .weights = heavy,
                     .weight_bits = 31,
                     .clip = TC_SUM_CLIP_MAX,
                     .rate = TC_SUM_ONE};
    tc_entropy e = seeded(0);
    for (int sign = -1; sign <= 1; sign += 2) {
        tc_sum *s;
        tc_release *r;
        assert_ok(tc_sum_open(&s, &p, &e, &err));
        for (size_t n = 0; n < MANY; n++)
            assert_ok(tc_sum_fold(s, n, (int64_t[]){0, sign * INT64_MAX}, &err));
        assert_ok(tc_sum_close(s, &r, &err));
        assert_true(tc_release_get(r)->steps[1] == sign * (INT64_C(1) << 61));
        assert_true(tc_release_get(r)->steps[0] == 0);
        tc_sum_free(s);
        tc_release_free(r);
    }
}

/* ---- what one agent can move */

static tc_wide square_between(const int64_t *a, const int64_t *b)
{
    tc_wide square = 0;
    for (size_t i = 0; i < COUNT; i++)
        square += (tc_wide)((wide)(a[i] - b[i]) * (a[i] - b[i]));
    return square;
}

/* Neighbours at random: each agent in turn becomes zero, with the others as they are. The term for
 * the rounding is needed: without it, some are farther apart than the bound. */
static void neighbours_are_within_the_sensitivity(void **state)
{
    (void)state;
    tc_stream s = draws(1);
    size_t need_slack = 0;
    for (uint64_t round = 0; round < 500 * MULTIPLIERS; round++) {
        federation f;
        int64_t all[COUNT], less[COUNT];
        federate(&f, multipliers[round % MULTIPLIERS], &s);
        slow_sum(&f, AGENTS, all);
        for (size_t n = 0; n < AGENTS; n++) {
            slow_sum(&f, n, less);
            tc_wide square = square_between(all, less), delta = f.scale.sensitivity;
            assert_true(square <= delta * delta);
            delta -= f.scale.shift > 0 ? tc_root_up(COUNT) : 0;
            need_slack += square > delta * delta;
        }
    }
    assert_true(need_slack > 10);
}

/* However long its vector: the fold itself clips. */
static void no_contribution_exceeds_the_sensitivity(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_sum_scale scale;
    assert_ok(tc_sum_plan_scale(&p, &scale, &err));
    for (size_t agent = 0; agent < AGENTS; agent++) {
        tc_release *empty = sum_of(&p, 3, NULL, 0), *r;
        tc_entropy e = seeded(3);
        tc_sum *s;
        assert_ok(tc_sum_open(&s, &p, &e, &err));
        assert_ok(tc_sum_fold(s, agent, (int64_t[]){INT64_MIN, INT64_MAX, 1, -5}, &err));
        assert_ok(tc_sum_close(s, &r, &err));
        tc_wide square = square_between(tc_release_get(r)->steps, tc_release_get(empty)->steps);
        assert_true(square <= (tc_wide)scale.sensitivity * scale.sensitivity);
        tc_sum_free(s);
        tc_release_free(empty);
        tc_release_free(r);
    }
}

/* ---- noise, sampling, stamps */

static void noise_has_its_size_also_without_anybody(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    p.weights = NULL;
    p.groups = p.weight_bits = 0;
    p.blocks = 1;
    p.width = 20000;
    tc_release *r = sum_of(&p, 4, NULL, 0);
    const tc_release_view *v = tc_release_get(r);
    double mean = 0, square = 0;
    for (size_t i = 0; i < p.width; i++) {
        mean += tc_release_value(r, i);
        square += tc_release_value(r, i) * tc_release_value(r, i);
    }
    double sd = ldexp(3000000, -20), n = (double)p.width;
    assert_close(v->noise_sd, sd, 1e-12);
    assert_close(v->sensitivity, sd, 1e-12);
    assert_close(mean / n, 0, 5 * sd / sqrt(n));
    assert_close(square / n / (sd * sd), 1, 5 * sqrt(2 / n));
    assert_close(v->distance, 20000 * 0.0202 / (16 * 9e12), 1e-23); /* on a grid of 2^-22 */
    assert_close(tc_release_slack(r, 2), (1 + exp(2)) * v->distance, 1e-18);
    tc_release_free(r);
}

/* Share of rounds in which one agent's vector is in the sum. */
static double share_of_rounds(const tc_sum_plan *p, uint64_t rounds)
{
    double in = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        tc_release *empty = sum_of(p, 100 + round, NULL, 0);
        tc_release *r = sum_of(p, 100 + round, (const size_t[]){1}, 1);
        in += tc_release_get(r)->steps[0] != tc_release_get(empty)->steps[0];
        tc_release_free(r);
        tc_release_free(empty);
    }
    return in / (double)rounds;
}

static void coins_follow_the_rate(void **state)
{
    (void)state;
    enum { ROUNDS = 4000 };
    tc_sum_plan p = plan();
    for (p.groups = 2; p.groups <= AGENTS; p.groups += AGENTS - 2) { /* by group, by agent */
        p.rate = TC_SUM_ONE / 4;
        assert_close(share_of_rounds(&p, ROUNDS), 0.25, 5 * sqrt(0.25 * 0.75 / ROUNDS));
        p.rate = TC_SUM_ONE;
        assert_close(share_of_rounds(&p, 20), 1, 0);
    }
}

static void seeded_sums_are_stamped(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_release *r = sum_of(&p, 5, NULL, 0);
    assert_false(tc_release_get(r)->is_private);
    assert_non_null(strstr(tc_release_get(r)->not_private, "test mode"));
    tc_release_free(r);
    tc_noise secret;
    tc_noise_init(&secret);
    tc_entropy e = tc_entropy_of(&secret);
    tc_sum *s;
    assert_ok(tc_sum_open(&s, &p, &e, &err));
    assert_ok(tc_sum_close(s, &r, &err));
    assert_true(tc_release_get(r)->is_private);
    assert_null(tc_release_get(r)->not_private);
    assert_int_equal(tc_release_get(r)->unit, TACIT_UNIT_AGENT);
    tc_release_free(r);
    tc_sum_free(s);
    tc_noise_fini(&secret);
}

static void no_noise_is_not_private(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    p.multiplier = 0;
    tc_release *r = sum_of(&p, 6, NULL, 0);
    const tc_release_view *v = tc_release_get(r);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(v->steps[i] == 0);
    assert_false(v->is_private);
    assert_string_equal(v->not_private, "the noise multiplier is 0");
    assert_int_equal(v->event.mechanism, TACIT_DP_NONPRIVATE);
    tc_release_free(r);
}

static void nobody_is_counted_twice(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_entropy e = seeded(7);
    tc_sum *s;
    tc_release *r;
    int64_t v[WIDTH] = {1, 2, 3, 4};
    assert_ok(tc_sum_open(&s, &p, &e, &err));
    assert_ok(tc_sum_fold(s, 2, v, &err));
    assert_fails(tc_sum_fold(s, 2, v, &err), TACIT_E_STATE, "agent 2 is in the sum already");
    assert_fails(tc_sum_fold(s, AGENTS, v, &err), TACIT_E_ARG, "agent 6 is not among");
    assert_ok(tc_sum_close(s, &r, &err));
    assert_fails(tc_sum_fold(s, 3, v, &err), TACIT_E_STATE, "comes too late");
    assert_fails(tc_sum_close(s, &r, &err), TACIT_E_STATE, "closed already");
    tc_release_free(r);
    tc_sum_free(s);
    tc_sum_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_do_not_depend_on_the_order),
        cmocka_unit_test(sums_are_noise_plus_what_a_slow_sum_says),
        cmocka_unit_test(sums_take_weights_by_group),
        cmocka_unit_test(sums_reach_their_bound),
        cmocka_unit_test(neighbours_are_within_the_sensitivity),
        cmocka_unit_test(no_contribution_exceeds_the_sensitivity),
        cmocka_unit_test(noise_has_its_size_also_without_anybody),
        cmocka_unit_test(coins_follow_the_rate),
        cmocka_unit_test(seeded_sums_are_stamped),
        cmocka_unit_test(no_noise_is_not_private),
        cmocka_unit_test(nobody_is_counted_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
