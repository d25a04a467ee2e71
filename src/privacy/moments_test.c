/* moments_test.c - the published numbers, to the printed digits, and an obvious second sum. */
#include "privacy/accountant.h"

#include "support/test.h"

#include <stdio.h>

static tacit_guarantee moments(double q, double z, uint64_t rounds, double delta)
{
    tacit_error err = {0};
    tacit_dp_event e = {TACIT_DP_GAUSSIAN, z, q < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL, q, rounds};
    tacit_guarantee g;
    assert_ok(tc_account(&tc_accountant_moments, &e, 1, delta, &g, &err));
    return g;
}

typedef struct published {
    double q, z;
    uint64_t rounds;
    double agents; /* delta = agents^-1.1 */
    const char *epsilon;
} published;

static void gives_the_published_numbers(void **state)
{
    (void)state;
    static const published table[] = {
        {0.15, 1.0, 40, 200, "5.93"}, {0.25, 1.0, 40, 200, "9.91"}, {0.50, 1.0, 40, 200, "20.12"},
        {0.25, 1.2, 40, 200, "7.39"}, {0.25, 1.5, 40, 200, "5.22"}, {0.35, 1.0, 60, 29, "15.17"},
        {0.35, 1.6, 60, 29, "7.12"},  {0.35, 2.0, 60, 29, "5.14"},  {0.35, 3.0, 60, 29, "3.05"},
        {0.35, 4.0, 60, 29, "2.16"},  {0.10, 1.0, 60, 29, "3.75"},  {0.15, 1.0, 60, 29, "5.98"},
        {0.20, 1.0, 60, 29, "7.69"},  {0.25, 1.0, 60, 29, "9.82"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const published *p = &table[i];
        char text[32];
        tacit_guarantee g = moments(p->q, p->z, p->rounds, pow(p->agents, -1.1));
        snprintf(text, sizeof text, "%.2f", g.epsilon);
        assert_string_equal(text, p->epsilon);
    }
}

/* alpha(lambda) as the paper writes it, in plain arithmetic. */
static double plain_alpha(double q, double z, int lambda)
{
    double sum = 0, choose = 1;
    for (int k = 0; k <= lambda + 1; k++) {
        sum += choose * pow(q, k) * pow(1 - q, lambda + 1 - k) * exp((k * k - k) / (2 * z * z));
        choose = choose * (lambda + 1 - k) / (k + 1);
    }
    return log(sum);
}

static void agrees_with_the_plain_sum(void **state)
{
    (void)state;
    const double q[] = {0.01, 0.3, 0.9, 1}, z[] = {1.2, 2, 7};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            double best = INFINITY;
            int at = 0;
            for (int lambda = 1; lambda <= 32; lambda++) {
                double e = (50 * plain_alpha(q[i], z[j], lambda) - log(1e-4)) / lambda;
                at = e < best ? lambda : at;
                best = fmin(best, e);
            }
            tacit_guarantee g = moments(q[i], z[j], 50, 1e-4);
            assert_close(g.epsilon, best, 1e-9 * best);
            assert_close(g.order, at, 0);
            assert_close(g.lower, 0, 0);
        }
}

static void adds_different_events(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tacit_dp_event two[] = {{TACIT_DP_GAUSSIAN, 2, TACIT_DP_POISSON, 0.1, 30},
                                  {TACIT_DP_GAUSSIAN, 3, TACIT_DP_ALL, 1, 7}};
    double best = INFINITY;
    for (int lambda = 1; lambda <= 32; lambda++)
        best = fmin(best,
                    (30 * plain_alpha(0.1, 2, lambda) + 7 * plain_alpha(1, 3, lambda) - log(1e-5)) /
                        lambda);
    tacit_guarantee g;
    assert_ok(tc_account(&tc_accountant_moments, two, 2, 1e-5, &g, &err));
    assert_close(g.epsilon, best, 1e-9);
}

static void names_what_it_cannot_do(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_guarantee g = {.epsilon = -1};
    tacit_dp_event e = {TACIT_DP_LAPLACE, 0.5, TACIT_DP_POISSON, 0.1, 3};
    assert_fails(
        tc_account(&tc_accountant_moments, &e, 1, 0.1, &g, &err), TACIT_E_UNSUPPORTED,
        "accountant \"moments\" has no formula for Laplace(0.5) Poisson-sampled (rate 0.1)");
    e = (tacit_dp_event){TACIT_DP_GAUSSIAN, 2, TACIT_DP_FIXED_SIZE, 0.1, 3};
    assert_fails(tc_account(&tc_accountant_moments, &e, 1, 0.1, &g, &err), TACIT_E_UNSUPPORTED,
                 "Gaussian(2) sampled without replacement");
    assert_close(g.epsilon, -1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_published_numbers),
        cmocka_unit_test(agrees_with_the_plain_sum),
        cmocka_unit_test(adds_different_events),
        cmocka_unit_test(names_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
