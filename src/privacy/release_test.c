/* release_test.c - what a release carries, its bytes, and the constant of its slack. */
#include "support/test.h"
#include "privacy/mechanism.h"
#include "privacy/release_int.h"

static void none_releases_values_and_says_so(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double x[6] = {1.5, -2, 0.1, 1e300, -0.0, 7};
    tc_release *r;
    assert_ok(tc_none_release(&r, 2, 3, x, TACIT_UNIT_AGENT, "fts has no formal privacy", &err));
    const tc_release_view *v = tc_release_get(r);
    assert_string_equal(v->mechanism, "none");
    assert_false(v->is_private);
    assert_string_equal(v->not_private, "fts has no formal privacy");
    assert_int_equal(v->event.mechanism, TACIT_DP_NONPRIVATE);
    assert_true(v->rows == 2 && v->cols == 3 && v->steps == NULL && v->event.count == 1);
    for (size_t i = 0; i < 6; i++)
        assert_same_bits(tc_release_value(r, i), x[i]);
    uint8_t bytes[48];
    assert_int_equal(tc_release_size(r), sizeof bytes);
    tc_release_encode(r, bytes);
    static const uint8_t one_and_a_half[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
    assert_memory_equal(bytes, one_and_a_half, 8);
    tc_release_free(r);
    tc_release_free(NULL);
}

static void steps_are_little_endian_words(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_entropy e = {.secret = true};
    tc_release *r;
    assert_ok(tc_release_new(&r, 1, 2, &e, &err));
    r->steps[0] = 0x0102030405060708;
    r->steps[1] = -2;
    r->view.step = 0.25;
    r->view.offset = 10;
    uint8_t bytes[16];
    tc_release_encode(r, bytes);
    static const uint8_t expected[16] = {8,    7,    6,    5,    4,    3,    2,    1,
                                         0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    assert_memory_equal(bytes, expected, 16);
    assert_same_bits(tc_release_value(r, 1), 9.5);
    assert_true(tc_release_get(r)->is_private);
    tc_release_free(r);
}

static void units_have_names(void **state)
{
    (void)state;
    assert_string_equal(tacit_unit_name(TACIT_UNIT_AGENT), "agent");
    assert_string_equal(tacit_unit_name(TACIT_UNIT_ROW), "row");
    assert_string_equal(tacit_unit_name(TACIT_UNIT_USER), "user");
}

/* The distance itself, summed over all integers of weight. */
static double distance_at(double s)
{
    double total = 0, distance = 0;
    int reach = (int)(12 * s);
    for (int x = -reach; x <= reach; x++)
        total += exp(-x * (double)x / (2 * s * s));
    for (int x = 0; x <= reach; x++) {
        long double from = ((long double)x - 0.5L) / s, to = ((long double)x + 0.5L) / s;
        long double rounded = (erfcl(from * sqrtl(0.5L)) - erfcl(to * sqrtl(0.5L))) / 2;
        long double off = fabsl(expl(-(long double)x * x / (2 * s * s)) / total - rounded);
        distance += (double)(x == 0 ? off : 2 * off) / 2;
    }
    return distance;
}

static void the_constant_of_the_slack_is_an_upper_bound(void **state)
{
    (void)state;
    static const double sd[] = {1024, 1500, 4096};
    for (size_t i = 0; i < 3; i++) {
        double scaled = distance_at(sd[i]) * sd[i] * sd[i];
        assert_true(scaled < TC_RELEASE_DISTANCE);
        assert_close(scaled, 0.020164, 2e-5);
    }
}

static void slack_grows_with_epsilon(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_entropy e = {.secret = true};
    tc_release *r;
    assert_ok(tc_release_new(&r, 1, 1, &e, &err));
    r->view.distance = 400 * 40 * TC_RELEASE_DISTANCE / 0x1p40; /* 400 coordinates, 40 rounds */
    assert_close(tc_release_slack(r, 4), 1.6e-8, 1e-9);
    assert_true(tc_release_slack(r, 4) >= (1 + exp(4)) * r->view.distance);
    tc_release_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_releases_values_and_says_so),
        cmocka_unit_test(steps_are_little_endian_words),
        cmocka_unit_test(units_have_names),
        cmocka_unit_test(the_constant_of_the_slack_is_an_upper_bound),
        cmocka_unit_test(slack_grows_with_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
