/* aggregator_test.c - the coordinator's half: order, sensitivity, refusals, cost. */
#include "support/features_model.h"

#include "algo/dp_fts_de/dp_fts_de.h"
#include "base/json.h"

enum { N = 13, P = 3, M = 6, COUNT = P * M };

typedef struct round_fixture {
    tc_dp_fts_de_options o;
    tc_env env;
    uint64_t number;
    tc_dp_fts_de_round r;
    tc_text message[N];
} fixture;

static void setup(fixture *x, uint64_t number)
{
    tacit_error err = {0};
    x->number = number;
    x->env = (tc_env){.agents = N};
    x->o.features = M;
    assert_ok(tc_dp_fts_de_round_init(&x->r, &(tc_env){.agents = N}, &x->o, number, &err));
}

static void defaults(fixture *x, size_t regions)
{
    memset(x, 0, sizeof *x);
    features_model(&x->o);
    x->o.regions = (int64_t)regions;
}

static void teardown(fixture *x)
{
    for (size_t n = 0; n < N; n++)
        tc_text_fini(&x->message[n]);
    tc_dp_fts_de_round_fini(&x->r);
    tc_options_fini(tc_algorithm_dp_fts_de.options, &x->o);
}

/* A vector of about the given length, clipped as an agent would. */
static void write_vector(fixture *x, size_t n, double length, int64_t *v)
{
    tc_public_seed seed = tc_public_seed_from(n);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DRAW, x->number);
    for (size_t k = 0; k < M; k++)
        v[k] = tc_grid_truncate(length * tc_draw_normal(&s) / sqrt(M), x->r.plan.grid);
    tc_clip_l2(v, M, x->r.clip);
    tc_dp_fts_de_form form = {
        .round = x->number, .width = M, .grid = x->r.plan.grid, .clip = x->r.clip};
    tc_text_fini(&x->message[n]);
    tc_dp_fts_de_message_write(&form, v, &x->message[n]);
    assert_false(x->message[n].failed);
}

static void write_all(fixture *x, double length)
{
    int64_t v[M];
    for (size_t n = 0; n < N; n++)
        write_vector(x, n, length, v);
}

static void *open_round(fixture *x, uint64_t seed)
{
    tacit_error err = {0};
    tc_test_noise noise;
    tc_test_noise_init(&noise, seed, 0);
    tc_entropy e = tc_entropy_of_test(&noise);
    void *st = tc_alloc(tc_dp_fts_de_aggregator.state_size, 1);
    assert_non_null(st);
    assert_ok(tc_dp_fts_de_aggregator.open(st, &x->env, &x->o, x->number, &e, &err));
    return st;
}

static void fold(fixture *x, void *st, size_t n)
{
    tacit_error err = {0};
    assert_ok(tc_dp_fts_de_aggregator.check(&x->env, &x->o, x->number, n,
                                            tc_text_get(&x->message[n]), x->message[n].len, &err));
    assert_ok(
        tc_dp_fts_de_aggregator.fold(st, n, tc_text_get(&x->message[n]), x->message[n].len, &err));
}

static tc_release *end_round(void *st)
{
    tacit_error err = {0};
    tc_release *r = NULL;
    assert_ok(tc_dp_fts_de_aggregator.close(st, &r, &err));
    tc_dp_fts_de_aggregator.fini(st);
    tc_free(st);
    return r;
}

/* All agents but `without`, in the order n = first, first + stride, ... (stride prime to N). */
static tc_release *run(fixture *x, uint64_t seed, size_t first, size_t stride, size_t without)
{
    void *st = open_round(x, seed);
    for (size_t k = 0; k < N; k++)
        if ((first + k * stride) % N != without)
            fold(x, st, (first + k * stride) % N);
    return end_round(st);
}

static void assert_same(const tc_release *a, const tc_release *b)
{
    const tc_release_view *va = tc_release_get(a), *vb = tc_release_get(b);
    assert_int_equal(va->rows * va->cols, vb->rows * vb->cols);
    assert_memory_equal(va->steps, vb->steps, va->rows * va->cols * sizeof *va->steps);
}

static void test_order_does_not_matter(void **state)
{
    (void)state;
    fixture x;
    defaults(&x, P);
    setup(&x, 12);
    write_all(&x, 5);
    tc_release *a = run(&x, 1, 0, 1, N);
    for (size_t stride = 2; stride < N; stride++) {
        tc_release *b = run(&x, 1, stride, stride, N);
        assert_same(a, b);
        tc_release_free(b);
    }
    tc_release_free(a);
    teardown(&x);
}

/* Replacing one agent by zero (or leaving it out: the same) moves the sum by at most Delta. */
static void check_sensitivity(fixture *x, uint64_t number)
{
    tacit_error err = {0};
    tc_sum_scale scale;
    setup(x, number);
    write_all(x, 1e3); /* all at the clip norm */
    assert_ok(tc_sum_plan_scale(&x->r.plan, &scale, &err));
    tc_release *all = run(x, 5, 0, 1, N);
    double largest = 0;
    for (size_t n = 0; n < N; n++) {
        tc_release *less = run(x, 5, 0, 1, n);
        double square = 0;
        for (size_t k = 0; k < COUNT; k++) {
            double d = (double)(tc_release_get(all)->steps[k] - tc_release_get(less)->steps[k]);
            square += d * d; /* exact: d has at most 24 bits */
        }
        assert_true(square <= (double)scale.sensitivity * (double)scale.sensitivity);
        largest = fmax(largest, sqrt(square));
        tc_release_free(less);
    }
    /* and in sound mode the bound is tight but for rounding */
    if (x->o.mode == TC_DP_FTS_DE_SOUND)
        assert_true(largest > 0.9999 * (double)scale.sensitivity);
    tc_release_free(all);
}

static void test_no_agent_moves_the_sum_further_than_delta(void **state)
{
    (void)state;
    const uint64_t rounds[] = {0, 15, 39};
    for (int mode = TC_DP_FTS_DE_SOUND; mode <= TC_DP_FTS_DE_PAPER; mode++)
        for (size_t k = 0; k < 3; k++) {
            fixture x;
            defaults(&x, P);
            x.o.mode = mode;
            check_sensitivity(&x, rounds[k]);
            teardown(&x);
        }
}

static void test_absent_is_the_same_as_zero(void **state)
{
    (void)state;
    fixture x;
    defaults(&x, P);
    setup(&x, 0);
    write_all(&x, 2);
    tc_release *absent = run(&x, 3, 0, 1, 4);
    int64_t v[M];
    write_vector(&x, 4, 0, v);
    tc_release *zero = run(&x, 3, 0, 1, N);
    assert_same(absent, zero);
    tc_release_free(absent);
    tc_release_free(zero);
    teardown(&x);
}

static void test_one_region_without_noise_is_the_average(void **state)
{
    (void)state;
    fixture x;
    int64_t v[M];
    double mean[M] = {0};
    defaults(&x, 1);
    x.o.noise_multiplier = 0;
    setup(&x, 3);
    for (size_t n = 0; n < N; n++) {
        write_vector(&x, n, 2, v);
        for (size_t k = 0; k < M; k++)
            mean[k] += ldexp((double)v[k], -x.r.plan.grid) / N;
    }
    tc_release *r = run(&x, 1, 0, 1, N);
    const tc_release_view *view = tc_release_get(r);
    for (size_t k = 0; k < M; k++)
        assert_close(tc_release_value(r, k), mean[k], 1e-7); /* weights are multiples of 2^-31 */
    assert_true(fabs(mean[0]) > 0.01);
    assert_false(view->is_private);
    assert_string_equal(view->not_private, "the noise multiplier is 0");
    tc_release_free(r);
    teardown(&x);
}

static void refuse(fixture *x, void *st, uint64_t agent, const void *bytes, size_t n,
                   const char *why)
{
    tacit_error err = {0};
    assert_fails(tc_dp_fts_de_aggregator.check(&x->env, &x->o, x->number, agent, bytes, n, &err),
                 TACIT_E_ARG, why);
    assert_fails(tc_dp_fts_de_aggregator.fold(st, agent, bytes, n, &err), TACIT_E_ARG, why);
}

static void test_refusals_leave_the_round_as_it_was(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture x, y;
    defaults(&x, P);
    setup(&x, 2);
    write_all(&x, 2);
    defaults(&y, P);
    setup(&y, 1);
    write_all(&y, 2);
    tc_release *clean = run(&x, 8, 0, 1, N);
    void *st = open_round(&x, 8);
    char bytes[TC_DP_FTS_DE_HEADER + 8 * M];
    memcpy(bytes, tc_text_get(&x.message[0]), sizeof bytes);
    refuse(&x, st, N, bytes, sizeof bytes, "agent 13 is not on the roster of 13 agents");
    refuse(&x, st, 0, bytes, sizeof bytes - 1, "must have 64 bytes");
    refuse(&x, st, 0, tc_text_get(&y.message[0]), y.message[0].len, "of round 1, and round 2");
    memset(bytes + TC_DP_FTS_DE_HEADER, 0x7f, 8); /* what a NaN would be taken for */
    refuse(&x, st, 0, bytes, sizeof bytes, "coordinate 0");
    for (size_t n = 0; n < N; n++)
        fold(&x, st, n);
    assert_fails(
        tc_dp_fts_de_aggregator.fold(st, 3, tc_text_get(&x.message[3]), x.message[3].len, &err),
        TACIT_E_STATE, "agent 3 is in the sum already");
    tc_release *r = end_round(st);
    assert_same(clean, r);
    tc_release_free(r);
    tc_release_free(clean);
    teardown(&x);
    teardown(&y);
}

/* Coordinates within range whose norm is not: clipped, so that Delta holds for liars too. */
static void test_a_liar_is_clipped(void **state)
{
    (void)state;
    fixture x;
    int64_t v[M];
    defaults(&x, P);
    setup(&x, 0);
    write_all(&x, 1);
    tc_dp_fts_de_form form = {.round = 0, .width = M, .grid = x.r.plan.grid, .clip = x.r.clip};
    for (size_t k = 0; k < M; k++)
        v[k] = (int64_t)x.r.clip;
    tc_text_fini(&x.message[0]);
    tc_dp_fts_de_message_write(&form, v, &x.message[0]);
    tc_release *liar = run(&x, 1, 0, 1, N);
    tc_clip_l2(v, M, x.r.clip);
    tc_text_fini(&x.message[0]);
    tc_dp_fts_de_message_write(&form, v, &x.message[0]);
    tc_release *honest = run(&x, 1, 0, 1, N);
    assert_same(liar, honest);
    tc_release_free(liar);
    tc_release_free(honest);
    teardown(&x);
}

static void assert_plan(fixture *x, const char *expected)
{
    tacit_error err = {0};
    tc_round_price price;
    json_t *k = NULL;
    assert_ok(tc_dp_fts_de_aggregator.price(&x->env, &x->o, 0, &price, &err));
    json_t *j = tc_dp_event_json(&price.event);
    assert_ok(tc_json_parse(expected, strlen(expected), "expected", &k, &err));
    assert_true(json_equal(j, k));
    json_decref(j);
    json_decref(k);
}

static void test_events_are_planned(void **state)
{
    (void)state;
    fixture x;
    defaults(&x, P);
    setup(&x, 0);
    assert_plan(&x, "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 1.0}");
    x.o.mode = TC_DP_FTS_DE_PAPER;
    x.o.sampling_rate = 0.25;
    assert_plan(&x, "{\"dp_event\": \"PoissonSampled\", \"sampling_probability\": 0.25, \"event\": "
                    "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 1.0}}");
    x.o.sampling = TC_DP_FTS_DE_FIXED;
    assert_plan(&x, "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 1.0}");
    x.o.noise_multiplier = 0;
    assert_plan(&x, "{\"dp_event\": \"NonPrivate\"}");
    teardown(&x);
}

/* What closes costs what was planned, and noise from a seed is not private. */
static void test_a_release_says_what_it_cost(void **state)
{
    (void)state;
    fixture x;
    defaults(&x, P);
    x.o.noise_multiplier = 2;
    setup(&x, 0);
    void *st = open_round(&x, 1); /* nobody comes: noise all the same */
    tc_release *r = end_round(st);
    const tc_release_view *v = tc_release_get(r);
    double square = 0;
    for (size_t k = 0; k < COUNT; k++)
        square += tc_release_value(r, k) * tc_release_value(r, k) / COUNT;
    assert_true(sqrt(square) > 0.5 * v->noise_sd && sqrt(square) < 1.6 * v->noise_sd);
    assert_close(v->noise_sd, 2 * v->sensitivity, 1e-6 * v->noise_sd);
    assert_int_equal(v->event.mechanism, TACIT_DP_GAUSSIAN);
    assert_close(v->event.parameter, 2, 1e-9);
    assert_false(v->is_private);
    tc_release_free(r);
    teardown(&x);
}

/* With equal weights and equal vectors the sum counts the agents that are in it. */
static void test_fixed_sampling_takes_that_many(void **state)
{
    (void)state;
    fixture x;
    int64_t v[M] = {0};
    uint64_t distinct = 0;
    defaults(&x, 1);
    x.o.noise_multiplier = 0;
    x.o.sampling = TC_DP_FTS_DE_FIXED;
    x.o.sampling_rate = 0.4;
    setup(&x, 0);
    v[0] = (int64_t)x.r.clip;
    tc_dp_fts_de_form form = {.round = 0, .width = M, .grid = x.r.plan.grid, .clip = x.r.clip};
    for (size_t n = 0; n < N; n++)
        tc_dp_fts_de_message_write(&form, v, &x.message[n]);
    double one = ldexp((double)x.r.clip, -x.r.plan.grid) / N;
    for (uint64_t seed = 0; seed < 20; seed++) {
        tc_release *r = run(&x, seed, 0, 1, N), *without = run(&x, seed, 0, 1, 0);
        assert_close(tc_release_value(r, 0) / one, 5, 1e-6);
        distinct |= tc_release_get(without)->steps[0] == tc_release_get(r)->steps[0] ? 1u : 2u;
        tc_release_free(r);
        tc_release_free(without);
    }
    assert_int_equal(distinct, 3); /* agent 0 is in some samples and not in others */
    teardown(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_no_agent_moves_the_sum_further_than_delta),
        cmocka_unit_test(test_absent_is_the_same_as_zero),
        cmocka_unit_test(test_one_region_without_noise_is_the_average),
        cmocka_unit_test(test_refusals_leave_the_round_as_it_was),
        cmocka_unit_test(test_a_liar_is_clipped),
        cmocka_unit_test(test_events_are_planned),
        cmocka_unit_test(test_a_release_says_what_it_cost),
        cmocka_unit_test(test_fixed_sampling_takes_that_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
