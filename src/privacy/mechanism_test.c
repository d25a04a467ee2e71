/* mechanism_test.c - discrete Laplace noise beside the continuous event that accounts for it.
 *
 * The reference composes discrete noise exactly: its privacy loss lies on a lattice of 2/t. */
#include "support/test.h"

#include "privacy/accountant.h"
#include "privacy/mechanism_int.h"

enum { MOST_MOVE = 5, MOST_DRAWS = 64, CELLS = MOST_MOVE * MOST_DRAWS + 1 };

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* P(x) of noise of t steps, with everything up to 0 in [0] and everything from D on in [D]: there
 * the loss does not change any more. At x it is (D - 2x) / t. */
static void one_draw(double *p, int move, int t)
{
    double a = exp(-1.0 / t);
    for (int x = 0; x <= move; x++)
        p[x] = pow(a, x) / (1 + a) * (x == 0 || x == move ? 1 : 1 - a);
}

/* The least delta for epsilon of `draws` independent draws, each of which moves by D steps. */
static double exact_delta(int move, int t, int draws, double epsilon)
{
    double p[MOST_MOVE + 1], sum[CELLS] = {1};
    one_draw(p, move, t);
    for (int k = 0; k < draws; k++)
        for (int x = (k + 1) * move; x >= 0; x--) {
            double next = 0;
            for (int i = 0; i <= move && i <= x; i++)
                next += p[i] * sum[x - i];
            sum[x] = next;
        }
    double delta = 0;
    for (int x = 0; x <= draws * move; x++) {
        double loss = (double)(draws * move - 2 * x) / t;
        delta += loss > epsilon ? -expm1(epsilon - loss) * sum[x] : 0;
    }
    return delta;
}

static double claimed(const tc_accountant *a, double parameter, uint64_t count, double delta)
{
    tacit_error err = {0};
    tacit_guarantee g;
    tacit_dp_event e = {.mechanism = TACIT_DP_LAPLACE,
                        .parameter = parameter,
                        .sampling = TACIT_DP_ALL,
                        .sampling_rate = 1,
                        .count = count};
    assert_ok(tc_account(a, &e, 1, delta, &g, &err));
    return g.epsilon;
}

static const double deltas[] = {0.3, 0.05, 1e-3, 1e-5};
static const int draws[] = {1, 2, 7, 16, MOST_DRAWS};

/* What the whole file is for: epsilon = D/t, taken for the continuous event, is not enough. */
static void the_same_scale_is_not_as_private(void **state)
{
    (void)state;
    double epsilon = claimed(&tc_accountant_pld, 1, 16, 1e-5);
    assert_true(exact_delta(1, 1, 16, epsilon) > 1e-3);
    for (int t = 1; t <= 6; t++) {
        double step = 1.0 / t;
        assert_true(exact_delta(1, t, 16, claimed(&tc_accountant_pld, step, 16, 0.05)) > 0.05);
    }
}

static void holds(const tc_accountant *a, int move, int t, double parameter)
{
    for (size_t i = 0; i < COUNT(draws); i++)
        for (size_t j = 0; j < COUNT(deltas); j++) {
            double epsilon = claimed(a, parameter, (uint64_t)draws[i], deltas[j]);
            assert_true(exact_delta(move, t, draws[i], epsilon) <= deltas[j] * (1 + 1e-12));
        }
}

static void a_quarter_of_the_square_makes_it_so(void **state)
{
    (void)state;
    for (int move = 1; move <= MOST_MOVE; move += 2)
        for (int t = 1; t <= 5; t += 2) {
            double parameter = (double)move / t + 0.25 / (t * t);
            holds(&tc_accountant_pld, move, t, parameter);
            holds(&tc_accountant_rdp, move, t, parameter);
        }
}

static void small_scales_have_it(void **state)
{
    (void)state;
    static const double epsilons[] = {0.3, 1, 2};
    for (size_t i = 0; i < COUNT(epsilons); i++)
        for (int move = 1; move <= 3; move += 2) {
            int t = (int)tc_laplace_scale((uint64_t)move, 1, epsilons[i]);
            holds(&tc_accountant_pld, move, t, epsilons[i]);
        }
}

/* n coordinates that move by one step each are n draws, and one event. */
static void many_coordinates_are_one_event(void **state)
{
    (void)state;
    for (int t = 1; t <= 5; t += 2)
        for (int n = 2; n <= 8; n *= 2)
            for (size_t j = 0; j < COUNT(deltas); j++) {
                double parameter = n * (1.0 / t + 0.25 / (t * t));
                double epsilon = claimed(&tc_accountant_pld, parameter, 4, deltas[j]);
                assert_true(exact_delta(1, t, 4 * n, epsilon) <= deltas[j]);
            }
}

/* D + n/(4t) <= epsilon t, times 2^50: the left side rounded up, the right side down. */
static void assert_scale(uint64_t move, uint64_t n, uint64_t t, double epsilon)
{
    tc_wide left = ((tc_wide)move << 50) + ((tc_wide)n << 48) / t + 1;
    assert_true(left <= (tc_wide)ldexp(epsilon, 50) * t);
}

static void every_scale_has_it(void **state)
{
    (void)state;
    static const double epsilons[] = {1e-5, 0.1, 1, 1 / 3.0, 64, 1024};
    static const uint64_t counts[] = {1, 2, 1000, 1 << 24}, moves[] = {0, 1, 1023, 1 << 30};
    for (size_t i = 0; i < COUNT(epsilons); i++)
        for (size_t j = 0; j < COUNT(counts); j++)
            for (size_t k = 0; k < COUNT(moves); k++) {
                uint64_t n = counts[j], move = n + moves[k];
                uint64_t t = tc_laplace_scale(move, n, epsilons[i]);
                double least = (double)move / epsilons[i];
                assert_scale(move, n, t, epsilons[i]);
                assert_true((double)t <=
                            least * (1 + 1e-9) + (double)n / (4 * epsilons[i] * least) + 3);
            }
}

/* From a step of 2^-30 of the scale on, what is added is one step, unless epsilon is tiny. */
static void the_mechanisms_have_it(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const double epsilons[] = {1e-5, 0.1, 1, 10, 64};
    for (size_t i = 0; i < COUNT(epsilons); i++) {
        tc_reply r;
        assert_ok(tc_reply_init(&r, TACIT_REPLY_LAPLACE, epsilons[i], -1, 1, &err));
        assert_true(r.scale >= UINT64_C(1) << 30);
        assert_scale(2 * (uint64_t)r.reach, 1, r.scale, epsilons[i]);
        for (size_t n = 1; n <= 10000; n *= 100) {
            tc_laplace_grid g;
            assert_ok(tc_laplace_grid_for(0.7, n, epsilons[i], 1, &g, &err));
            assert_true(g.scale >= UINT64_C(1) << 30);
            assert_true(g.delta >= (uint64_t)ldexp(0.7, g.grid) + n); /* a step for each rounding */
            assert_scale(g.delta, n, g.scale, epsilons[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_scale_is_not_as_private),
        cmocka_unit_test(a_quarter_of_the_square_makes_it_so),
        cmocka_unit_test(small_scales_have_it),
        cmocka_unit_test(many_coordinates_are_one_event),
        cmocka_unit_test(every_scale_has_it),
        cmocka_unit_test(the_mechanisms_have_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
