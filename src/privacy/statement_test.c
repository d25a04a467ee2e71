/* statement_test.c - a statement has all its parts, and no rounding makes a promise smaller. */
#include "privacy/statement.h"

#include "base/random.h"
#include "privacy/shared_sum.h"

#include "support/test.h"

static void says_everything(void **state)
{
    (void)state;
    tacit_guarantee g = {
        .epsilon = 7.05421, .lower = 7.05, .delta = 0.00294352, .accountant = "pld"};
    tc_text t = {0};
    tc_statement_add(&t, &g, 40, TACIT_UNIT_AGENT, TACIT_DP_POISSON);
    const char *s = tc_text_get(&t);
    assert_ptr_equal(
        strstr(s, "every agent: epsilon 7.05421, delta 0.00294352 (pld) over 40 releases. "), s);
    assert_non_null(strstr(s, "Neighbours: all that one agent contributes is replaced by zeros"));
    assert_non_null(strstr(s, "Not protected: being on the roster, being online"));
    tc_text_fini(&t);
}

static void knows_units_and_adjacencies(void **state)
{
    (void)state;
    const tacit_unit units[] = {TACIT_UNIT_AGENT, TACIT_UNIT_ROW, TACIT_UNIT_USER};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(tc_statement_adjacency(units[i], TACIT_DP_ALL),
                                    tc_statement_adjacency(units[j], TACIT_DP_ALL));
            assert_string_not_equal(tc_statement_not_protected(units[i]),
                                    tc_statement_not_protected(units[j]));
        }
    assert_non_null(
        strstr(tc_statement_adjacency(TACIT_UNIT_AGENT, TACIT_DP_FIXED_SIZE), "another"));
}

/* The delta of a Gaussian of standard deviation sd at epsilon, for a move by m. */
static double delta_of(double m, double sd, double epsilon)
{
    double a = m / (2 * sd), b = epsilon * sd / m;
    return (erfc((b - a) / sqrt(2)) - exp(epsilon) * erfc((b + a) / sqrt(2))) / 2;
}

/* That m radii have m times epsilon is not all: delta grows, by what the sentence says at most. */
static void radii_cost_what_the_sentence_says(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_non_null(strstr(tc_statement_not_protected(TACIT_UNIT_ROW),
                           "moves beyond the radius (over m radii epsilon is m times, delta m "
                           "e^((m-1) epsilon) times as large)"));
    assert_non_null(
        strstr(tc_statement_not_protected(TACIT_UNIT_USER), "(m replies cost m times as much)"));
    double sd, epsilon = 0.5, delta = 1e-5;
    assert_ok(tc_analytic_gaussian(epsilon, delta, &sd, &err));
    for (int m = 2; m <= 8; m++) {
        double exact = delta_of(m, sd, m * epsilon);
        assert_true(exact > 2 * delta && exact <= m * exp((m - 1) * epsilon) * delta);
    }
}

static void does_not_invent_a_guarantee(void **state)
{
    (void)state;
    tacit_guarantee g = {.epsilon = INFINITY, .delta = 1e-5, .accountant = "rdp"};
    tc_text t = {0};
    tc_statement_add(&t, &g, 1, TACIT_UNIT_USER, TACIT_DP_ALL);
    assert_non_null(strstr(tc_text_get(&t), "every user: no guarantee (rdp) over 1 release. "));
    assert_null(strstr(tc_text_get(&t), "inf,"));
    tc_text_fini(&t);
}

static void epsilon_is_rounded_up(void **state)
{
    (void)state;
    char s[32];
    tc_stream stream;
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream_public(&stream, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < 20000; i++) {
        double shown, epsilon = exp(40 * tc_draw_uniform(&stream) - 20);
        tacit_epsilon_text(s, epsilon);
        assert_true(tc_parse_double(s, &shown));
        assert_true(shown >= epsilon && shown <= epsilon * (1 + 1.2e-5));
    }
    tacit_epsilon_text(s, 0);
    assert_string_equal(s, "0");
    tacit_epsilon_text(s, 9.9999991);
    assert_string_equal(s, "10");
    tacit_epsilon_text(s, 10 * (1 + 4e-16));
    assert_string_equal(s, "10.0001"); /* the last bit counts */
    tacit_epsilon_text(s, 1.0000001);
    assert_string_equal(s, "1.00001");
    tacit_epsilon_text(s, INFINITY);
    assert_string_equal(s, "infinite");
    tacit_epsilon_text(s, NAN);
    assert_string_equal(s, "infinite");
}

static void delta_is_rounded_up_and_a_lower_bound_down(void **state)
{
    (void)state;
    char s[32];
    tc_stream stream;
    tc_public_seed seed = tc_public_seed_from(4);
    tc_stream_public(&stream, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < 20000; i++) {
        double shown, x = exp(-700 * tc_draw_uniform(&stream));
        tacit_delta_text(s, x);
        assert_true(tc_parse_double(s, &shown) && shown >= x && shown <= x * (1 + 1.2e-5));
        tacit_lower_text(s, x);
        assert_true(tc_parse_double(s, &shown) && shown <= x && shown >= x * (1 - 1.2e-5));
    }
}

static void round_numbers_stay_what_they_are(void **state)
{
    (void)state;
    const struct {
        void (*text)(char out[32], double v);
        double v;
        const char *expected;
    } cases[] = {
        {tacit_delta_text, 1e-5, "1e-05"},
        {tacit_delta_text, 0, "0"},
        {tacit_delta_text, 0.00294352, "0.00294352"},
        {tacit_delta_text, nextafter(1e-5, 1), "1.00001e-05"},
        {tacit_delta_text, 0.99999999, "1"},
        {tacit_delta_text, NAN, "1"},
        {tacit_lower_text, 0, "0"},
        {tacit_lower_text, 3, "3"},
        {tacit_lower_text, 0.99999999, "0.999999"},
        {tacit_lower_text, nextafter(10, 0), "9.99999"},
        {tacit_lower_text, -1.0000001, "-1.00001"},
        {tacit_lower_text, INFINITY, "infinite"},
        {tacit_lower_text, NAN, "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char s[32];
        cases[i].text(s, cases[i].v);
        assert_string_equal(s, cases[i].expected);
    }
}

/* At both ends of the doubles six digits may not do. */
static void the_ends_of_the_range_are_bounds_too(void **state)
{
    (void)state;
    static const double ends[] = {0x1p-1074, 0x3p-1074, 0x1.23456789p-1070, 0x1.fffffffffffffp1023};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char s[32];
        double shown;
        tacit_epsilon_text(s, ends[i]);
        assert_true(tc_parse_double(s, &shown) && shown >= ends[i]);
        tacit_lower_text(s, ends[i]);
        assert_true(tc_parse_double(s, &shown) && shown <= ends[i]);
    }
}

/* ---- trustees */

static void assert_trust(tc_trustees t, const char *said)
{
    tc_text text = {0};
    tc_statement_add_trust(&text, &t);
    if (!strstr(tc_text_get(&text), said))
        print_error("%s\n", tc_text_get(&text));
    assert_non_null(strstr(tc_text_get(&text), said));
    tc_text_fini(&text);
}

static void says_against_whom_trustees_protect(void **state)
{
    (void)state;
    assert_trust((tc_trustees){0}, tacit_statement_trust());
    assert_trust(tc_trustees_usual(3),
                 "Against an adversary who controls the coordinator, up to 1 of the 3 trustees and "
                 "any set of other agents; towards everybody else, too. Assumed: ");
    assert_trust(tc_trustees_usual(5), "up to 1 of the 5 trustees");
    assert_trust(tc_trustees_usual(8), "up to 2 of the 8 trustees");
    /* a row for each number beyond, rounded down, until nothing is left */
    assert_trust(tc_trustees_usual(3),
                 "hold others to the clip norm. With 2 colluding trustees the "
                 "noise multiplier is 0.707 times what is planned. With 3 or "
                 "more nothing is promised");
    assert_trust(tc_trustees_usual(4), "clip norm. With 2 or more nothing is promised");
    assert_trust((tc_trustees){.count = 6, .degree = 5, .colluding = 1, .dealers = 6},
                 "With 2 colluding trustees the noise multiplier is 0.894 times what is planned. "
                 "With 3 colluding trustees the noise multiplier is 0.774 times what is planned. "
                 "With 4 colluding trustees the noise multiplier is 0.632 times what is planned. "
                 "With 5 colluding trustees the noise multiplier is 0.447 times what is planned. "
                 "With 6 or more nothing is promised");
}

/* Absence is not what is hidden. */
static void sums_of_trustees_have_neighbours_of_their_own(void **state)
{
    (void)state;
    const tc_trustees t = tc_trustees_usual(5), none = {0};
    tc_text shared = {0}, central = {0}, plain = {0};
    tc_statement_add_round_scope(&shared, TACIT_UNIT_AGENT, TACIT_DP_ALL, &t);
    tc_statement_add_round_scope(&central, TACIT_UNIT_AGENT, TACIT_DP_ALL, &none);
    tc_statement_add_scope(&plain, TACIT_UNIT_AGENT, TACIT_DP_ALL);
    assert_string_equal(tc_text_get(&central), tc_text_get(&plain));
    assert_non_null(strstr(tc_text_get(&shared), "Neighbours: " TC_SHARED_ADJACENCY
                                                 ". Not protected: being on the roster, whether "
                                                 "and when an agent takes part in a round"));
    assert_null(strstr(tc_text_get(&shared), "its absence"));
    tc_text_fini(&shared);
    tc_text_fini(&central);
    tc_text_fini(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_everything),
        cmocka_unit_test(knows_units_and_adjacencies),
        cmocka_unit_test(radii_cost_what_the_sentence_says),
        cmocka_unit_test(does_not_invent_a_guarantee),
        cmocka_unit_test(epsilon_is_rounded_up),
        cmocka_unit_test(delta_is_rounded_up_and_a_lower_bound_down),
        cmocka_unit_test(round_numbers_stay_what_they_are),
        cmocka_unit_test(says_against_whom_trustees_protect),
        cmocka_unit_test(sums_of_trustees_have_neighbours_of_their_own),
        cmocka_unit_test(the_ends_of_the_range_are_bounds_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
