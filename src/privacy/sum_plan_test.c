/* sum_plan_test.c - scales are rounded up, releases as fine as they may be, overflow refused. */
#include "support/test.h"
#include "privacy/mechanism_int.h"

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

static tc_sum_scale scale_of(const tc_sum_plan *p)
{
    tacit_error err = {0};
    tc_sum_scale scale;
    assert_ok(tc_sum_plan_scale(p, &scale, &err));
    return scale;
}

/* ---- scale */

/* Delta by its definition, in long doubles of 64 digits. */
static long double slow_delta(const tc_sum_plan *p, int shift)
{
    long double largest = 0;
    for (size_t n = 0; n < p->agents; n++) {
        long double square = 0;
        for (size_t i = 0; i < p->blocks; i++) {
            long double w = p->weights ? p->weights[n % p->groups * p->blocks + i] : 1;
            square += w * w;
        }
        largest = fmaxl(largest, sqrtl(square));
    }
    long double delta = ldexpl(largest * (long double)p->clip, -shift);
    return shift > 0 ? delta + sqrtl((long double)(p->blocks * p->width)) : delta;
}

static void check_scale(const tc_sum_plan *p)
{
    tc_sum_scale s = scale_of(p);
    long double delta = slow_delta(p, s.shift), z = ldexpl((long double)p->multiplier, -32);
    assert_true((long double)s.sensitivity >= delta);
    /* the norm of the weights to 20 digits; the product and the root of the count to a step each */
    assert_true((long double)s.sensitivity <= delta * (1 + 0x1p-20L) + 2);
    assert_true((long double)s.sd >= z * (long double)s.sensitivity);
    assert_true((long double)s.sd < z * (long double)s.sensitivity + 1);
    assert_true(s.sd < TC_SD_HIGH);
    /* one digit more would be too much for the sampler */
    delta = slow_delta(p, s.shift - 1);
    assert_true(z * (delta * (1 + 0x1p-20L) + 2) + 1 >= (long double)TC_SD_HIGH);
    assert_int_equal(s.grid, p->grid + (int)p->weight_bits - s.shift);
    long double sd = (long double)s.sd, distance = (p->blocks * p->width) * 0.0202L / (sd * sd);
    assert_true((long double)s.distance >= distance);
    assert_true((long double)s.distance <= distance * (1 + 1e-14L));
}

static void scales_are_rounded_up_and_releases_fine(void **state)
{
    (void)state;
    static const double z[] = {1e-4, 0.013, 0.25, 0.5, 0.9, 1, 1.5, 7.3, 23.594, 411, 9000};
    for (size_t i = 0; i < sizeof z / sizeof *z; i++) {
        tc_sum_plan p = plan();
        p.multiplier = (uint64_t)ceil(ldexp(z[i], 32));
        check_scale(&p);
        p.groups = 2;
        check_scale(&p);
        p.clip = TC_SUM_CLIP_MAX;
        check_scale(&p);
        p.weights = NULL;
        p.groups = p.weight_bits = 0;
        check_scale(&p);
    }
}

static void an_exact_scale(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    p.blocks = 4;
    p.weights = NULL;
    p.groups = p.weight_bits = 0;
    tc_sum_scale s = scale_of(&p); /* sqrt(4) clip = 6e6, twice that is below 2^24 */
    assert_int_equal(s.shift, -1);
    assert_int_equal(s.grid, 21);
    assert_true(s.sensitivity == 12000000 && s.sd == 12000000);
    p.multiplier = 4 * TC_SUM_ONE; /* 24e6 is too much: 3e6 and sqrt(16) */
    s = scale_of(&p);
    assert_int_equal(s.shift, 1);
    assert_true(s.sensitivity == 3000004 && s.sd == 12000016);
    assert_int_equal(s.event.mechanism, TACIT_DP_GAUSSIAN);
    assert_same_bits(s.event.parameter, 4);
}

static void a_plan_from_real_numbers_fits_the_samplers(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const double clips[] = {1e-250, 1e-6, 0.3, 1, 11, 1e7, 1e250},
                        multipliers[] = {0.01, 0.9, 1, 23.594, 900};
    for (size_t c = 0; c < 7; c++) {
        int grid = 25 - ilogb(clips[c]);
        for (size_t m = 0; m < 5; m++) {
            tc_sum_plan p = plan();
            assert_ok(tc_sum_plan_set(&p, clips[c], multipliers[m], 0.25, &err));
            tc_sum_scale scale = scale_of(&p);
            assert_int_equal(p.grid, grid);
            assert_true(scale.sd >= TC_SD_HIGH / 2 && scale.sd < TC_SD_HIGH);
            assert_true(p.clip <= TC_SUM_CLIP_MAX && ldexp((double)p.clip, -grid) <= clips[c]);
            assert_close(ldexp((double)p.clip, -grid) / clips[c], 1, 1e-7);
            assert_true(scale.event.parameter >= multipliers[m]);
            assert_close(scale.event.parameter, multipliers[m], 3e-10);
            assert_int_equal(scale.event.sampling, TACIT_DP_POISSON);
            assert_same_bits(scale.event.sampling_rate, 0.25);
        }
    }
}

static void without_noise_nothing_is_rounded(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    p.multiplier = 0;
    tc_sum_scale s = scale_of(&p);
    assert_int_equal(s.shift, 0);
    assert_int_equal(s.grid, 36);
    assert_true(s.sd == 0);
    assert_same_bits(s.distance, 0);
    assert_int_equal(s.event.mechanism, TACIT_DP_NONPRIVATE);
}

/* ---- refusals */

static void refuse(const tc_sum_plan *p, const char *why)
{
    tacit_error err = {0};
    tc_sum_scale scale;
    assert_fails(tc_sum_plan_scale(p, &scale, &err), TACIT_E_ARG, why);
}

static void bad_shapes_are_refused(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    p.agents = 0;
    refuse(&p, "agents must be in");
    p = plan();
    p.width = 0;
    refuse(&p, "3 blocks of 0");
    p = plan();
    p.blocks = SIZE_MAX / 2;
    refuse(&p, "coordinates");
    p = plan();
    p.weight_bits = 32;
    refuse(&p, "weight_bits must be in 0..31 (0 without weights), got 32");
    p = plan();
    p.groups = 0;
    refuse(&p, "groups must be in 1..6 (0 without weights), got 0");
    p.groups = AGENTS + 1;
    refuse(&p, "groups must be in 1..6 (0 without weights), got 7");
    p.weights = NULL;
    p.groups = 1;
    refuse(&p, "groups must be in 1..6 (0 without weights), got 1");
    p = plan();
    p.away = weights;
    p.groups = BLOCKS + 1;
    refuse(&p, "weights by group need 1 to 3 groups, as many as blocks, got 4");
    p.weights = NULL;
    p.groups = p.weight_bits = 0;
    refuse(&p, "weights by group need 1 to 3 groups, as many as blocks, got 0");
}

/* Groups count for themselves in the block of their own number, and alike in the others. */
static void the_short_form_of_weights_is_the_table(void **state)
{
    static const uint32_t own[BLOCKS] = {65536, 40000, 50000}, away[BLOCKS] = {3, 20000, 777};
    (void)state;
    for (size_t groups = 1; groups <= BLOCKS; groups++) {
        uint32_t table[BLOCKS * BLOCKS];
        for (size_t i = 0; i < groups * BLOCKS; i++)
            table[i] = i / BLOCKS == i % BLOCKS ? own[i % BLOCKS] : away[i % BLOCKS];
        tc_sum_plan whole = plan(), brief = plan();
        whole.groups = brief.groups = groups;
        whole.weights = table;
        brief.weights = own;
        brief.away = away;
        for (uint64_t z = TC_SUM_ONE; z > 100; z /= 64) {
            whole.multiplier = brief.multiplier = z;
            tc_sum_scale a = scale_of(&whole), b = scale_of(&brief);
            assert_true(a.shift == b.shift && a.grid == b.grid && a.sd == b.sd);
            assert_true(a.sensitivity == b.sensitivity);
        }
        check_scale(&whole);
    }
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    p.clip = TC_SUM_CLIP_MAX + 1;
    refuse(&p, "the clip norm must be in 1..2^26 steps, got 67108865");
    p.clip = 0;
    refuse(&p, "the clip norm must be in 1..2^26 steps, got 0");
    p = plan();
    p.rate = 0;
    refuse(&p, "sampling rate");
    p = plan();
    p.multiplier = UINT64_MAX;
    refuse(&p, "the noise multiplier must be in [0, 1e6], got 4294967296");
    p = plan();
    p.multiplier = 1000000 * TC_SUM_ONE + 1;
    refuse(&p, "the noise multiplier must be in [0, 1e6], got 1000000.0000000002");
    p = plan();
    p.rate = TC_SUM_ONE + 1;
    refuse(&p, "the sampling rate must be in (0, 1], got 1.0000000002328306");
    p = plan();
    static const uint32_t nothing[AGENTS * BLOCKS] = {0};
    p.weights = nothing;
    refuse(&p, "all weights are 0");
}

/* Little noise beside many agents asks for more than 64 bits; much noise in many coordinates would
 * be for the rounding alone. */
static void extreme_noise_is_refused(void **state)
{
    (void)state;
    tc_sum_plan p = {.agents = 1 << 24,
                     .blocks = 1,
                     .width = 1,
                     .clip = TC_SUM_CLIP_MAX,
                     .multiplier = 1,
                     .rate = TC_SUM_ONE};
    refuse(&p, "the noise multiplier 2.33e-10 is too small for 16777216 agents and 1 coordinates");
    p.multiplier = UINT64_C(1) << 15; /* 2^26 2^-17 2^11 = 2^20 */
    tc_sum_scale s = scale_of(&p);
    assert_int_equal(s.shift, -11);
    assert_true(s.sd == TC_SD_LOW);
    p = (tc_sum_plan){.agents = 9, .blocks = 256, .width = 256, .clip = 1 << 25};
    p.rate = TC_SUM_ONE;
    p.multiplier = 65000 * TC_SUM_ONE;
    assert_true(scale_of(&p).sensitivity == 2 + 256);
    p.multiplier = 65536 * TC_SUM_ONE;
    refuse(&p, "the noise multiplier 6.55e+04 is too large for 9 agents and 65536 coordinates");
}

static void overflow_is_refused_before_anything_is_drawn(void **state)
{
    (void)state;
    tacit_error err = {0};
    static uint32_t heavy[17];
    for (size_t n = 0; n < 17; n++)
        heavy[n] = UINT32_C(1) << 31;
    tc_sum_plan p = {.agents = 16,
                     .blocks = 1,
                     .width = 1,
                     .groups = 16,
                     .weights = heavy,
                     .weight_bits = 31,
                     .clip = TC_SUM_CLIP_MAX,
                     .multiplier = TC_SUM_ONE,
                     .rate = TC_SUM_ONE};
    scale_of(&p); /* 2^4 2^31 2^26 = 2^61 */
    p.agents = p.groups = 17;
    refuse(&p, "the weights of 17 agents in one block are too large: with vectors of up to "
               "67108864 steps they could overflow the sum, which holds 2^61 steps");
    p.groups = 1; /* the same weights */
    refuse(&p, "could overflow the sum");
    heavy[1] = 0; /* half of them, and one more if their number is odd */
    p.groups = 2;
    p.agents = 32;
    scale_of(&p);
    p.agents = 33;
    refuse(&p, "could overflow the sum");
    tc_entropy e = {.u64 = NULL}; /* would crash if it were asked */
    tc_sum *s = NULL;
    assert_fails(tc_sum_open(&s, &p, &e, &err), TACIT_E_ARG, "could overflow the sum");
    assert_null(s);
}

/* The norm over blocks can be the larger of the two. */
static void an_agent_beyond_64_bits_is_refused(void **state)
{
    (void)state;
    enum { MANY = 258 };
    static uint32_t heavy[MANY];
    for (size_t i = 0; i < MANY; i++)
        heavy[i] = UINT32_C(1) << 31;
    tc_sum_plan p = {.agents = 1,
                     .blocks = 256,
                     .width = 1,
                     .groups = 1,
                     .weights = heavy,
                     .weight_bits = 31,
                     .clip = TC_SUM_CLIP_MAX,
                     .multiplier = TC_SUM_ONE,
                     .rate = TC_SUM_ONE};
    scale_of(&p); /* sqrt(256) 2^31 2^26 = 2^61 */
    p.blocks = 257;
    refuse(&p, "the weights of one agent in 257 blocks are too large: with vectors of up to "
               "67108864 steps its part of the sums could have a norm over 2^61 steps");
}

static void bad_real_numbers_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    assert_fails(tc_sum_plan_set(&p, 0, 1, 1, &err), TACIT_E_ARG,
                 "the clip norm must be in [1e-250, 1e250], got 0");
    assert_fails(tc_sum_plan_set(&p, NAN, 1, 1, &err), TACIT_E_ARG, "clip norm");
    assert_fails(tc_sum_plan_set(&p, 1e-320, 1, 1, &err), TACIT_E_ARG, "clip norm");
    assert_fails(tc_sum_plan_set(&p, INFINITY, 1, 1, &err), TACIT_E_ARG, "clip norm");
    assert_fails(tc_sum_plan_set(&p, 1, -1, 1, &err), TACIT_E_ARG,
                 "the noise multiplier must be in [0, 1e6], got -1");
    assert_fails(tc_sum_plan_set(&p, 1, NAN, 1, &err), TACIT_E_ARG, "multiplier");
    assert_fails(tc_sum_plan_set(&p, 1, 1, 1.5, &err), TACIT_E_ARG,
                 "the sampling rate must be in (0, 1], got 1.5");
    assert_fails(tc_sum_plan_set(&p, 1, 1, 1.0000001, &err), TACIT_E_ARG,
                 "the sampling rate must be in (0, 1], got 1.0000001");
    assert_fails(tc_sum_plan_set(&p, 1, 1000000.25, 1, &err), TACIT_E_ARG,
                 "the noise multiplier must be in [0, 1e6], got 1000000.25");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_are_rounded_up_and_releases_fine),
        cmocka_unit_test(an_exact_scale),
        cmocka_unit_test(a_plan_from_real_numbers_fits_the_samplers),
        cmocka_unit_test(without_noise_nothing_is_rounded),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(the_short_form_of_weights_is_the_table),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(extreme_noise_is_refused),
        cmocka_unit_test(overflow_is_refused_before_anything_is_drawn),
        cmocka_unit_test(an_agent_beyond_64_bits_is_refused),
        cmocka_unit_test(bad_real_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
