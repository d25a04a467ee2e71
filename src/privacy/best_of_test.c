/* best_of_test.c - the best of K runs against dp_accounting (tests/golden/best_of.py), and the bound
 * against the exact divergence of a search that can be written down. */
#include "privacy/best_of.h"
#include "privacy/best_of_golden.h"
#include "privacy/rdp.h"

#include "support/test.h"

enum { ROWS = sizeof table / sizeof *table };

static tacit_repeats repeats_of(double mean, double shape)
{
    bool poisson = isinf(shape);
    return (tacit_repeats){sizeof(tacit_repeats),
                           poisson ? TACIT_REPEATS_POISSON : TACIT_REPEATS_NEGATIVE_BINOMIAL, mean,
                           poisson ? 0 : shape};
}

static tacit_dp_event event_of(const golden *g)
{
    return (tacit_dp_event){TACIT_DP_GAUSSIAN, g->z, g->q < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL,
                            g->q, g->rounds};
}

static size_t integers(double out[TC_RDP_ORDERS])
{
    size_t n = 0;
    for (int order = 2; order < 64; order++)
        out[n++] = order;
    for (int order = 128; order <= 1024; order *= 2)
        out[n++] = order;
    return n;
}

static void equal_orders_give_equal_epsilons(void **state)
{
    (void)state;
    double orders[TC_RDP_ORDERS], rdp[TC_RDP_ORDERS];
    size_t n = integers(orders);
    for (size_t i = 0; i < ROWS; i++) {
        const golden *g = &table[i];
        tacit_dp_event e = event_of(g);
        tacit_repeats r = repeats_of(g->mean, g->shape);
        for (size_t k = 0; k < n; k++)
            rdp[k] = tc_rdp_sum(&e, 1, orders[k]);
        tc_best_of_rdp(&r, n, orders, rdp, rdp);
        double least = INFINITY;
        for (size_t k = 0; k < n; k++)
            least = fmin(least, tc_rdp_epsilon(rdp[k], orders[k], g->delta));
        assert_close(least, g->at_integers, 1e-6 * g->at_integers);
    }
}

static void own_orders_are_no_worse(void **state)
{
    (void)state;
    tacit_error err;
    for (size_t i = 0; i < ROWS; i++) {
        const golden *g = &table[i];
        tacit_dp_event e = event_of(g);
        tacit_repeats r = repeats_of(g->mean, g->shape);
        tacit_guarantee found = TACIT_GUARANTEE;
        assert_ok(tacit_account_best_of(&r, &e, 1, g->delta, &found, &err));
        assert_true(found.epsilon <= g->epsilon * 1.002);
        assert_true(found.epsilon <= g->at_integers * (1 + 1e-9));
        assert_true(found.epsilon > 0);
        assert_string_equal(found.accountant, "rdp");
    }
}

/* ---- a search that can be written down */

/* The generating function E[t^K] of a truncated negative binomial with gamma = e^-x, or Poisson. */
static double generating(const tacit_repeats *r, double t)
{
    if (r->kind == TACIT_REPEATS_POISSON)
        return exp(r->mean * (t - 1));
    double gamma = exp(-tc_repeats_log_gamma(r->mean, r->shape)), h = r->shape;
    if (h == 0)
        return log1p(-(1 - gamma) * t) / log(gamma);
    return (pow(1 - (1 - gamma) * t, -h) - 1) / (pow(gamma, -h) - 1);
}

/* Probabilities of {nothing, worst, ..., best} where one run yields the score k with p[k]. */
static void outcomes(const tacit_repeats *r, size_t n, const double *p, double *out)
{
    double below = 0, before = generating(r, 0);
    out[0] = before;
    for (size_t k = 0; k < n; k++) {
        below += p[k];
        double now = generating(r, below);
        out[k + 1] = now - before;
        before = now;
    }
}

static double divergence(size_t n, const double *p, const double *q, double order)
{
    double largest = -INFINITY, sum = 0, term[9];
    for (size_t i = 0; i < n; i++) {
        term[i] = p[i] > 0 ? order * log(p[i]) + (1 - order) * log(q[i]) : -INFINITY;
        largest = fmax(largest, term[i]);
    }
    for (size_t i = 0; i < n; i++)
        sum += exp(term[i] - largest);
    return (largest + log(sum)) / (order - 1);
}

/* Runs are randomised response over n scores: in one world the worst score is the true one, in the
 * other the best. Their divergence is exact, and so is that of the best of K. */
static void bound_holds_for(const tacit_repeats *r, size_t n, double epsilon)
{
    double p[8], q[8], all_p[9], all_q[9];
    for (size_t k = 0; k < n; k++) {
        p[k] = (k == 0 ? exp(epsilon) : 1) / (exp(epsilon) + (double)n - 1);
        q[k] = (k == n - 1 ? exp(epsilon) : 1) / (exp(epsilon) + (double)n - 1);
    }
    outcomes(r, n, p, all_p);
    outcomes(r, n, q, all_q);
    double orders[TC_RDP_ORDERS], rdp[TC_RDP_ORDERS], best[TC_RDP_ORDERS];
    size_t m = integers(orders);
    for (size_t k = 0; k < m; k++)
        rdp[k] = fmax(divergence(n, p, q, orders[k]), divergence(n, q, p, orders[k]));
    tc_best_of_rdp(r, m, orders, rdp, best);
    for (size_t k = 0; k < m && orders[k] < 64; k++) {
        /* the exact values have a rounding of their own */
        assert_true(divergence(n + 1, all_p, all_q, orders[k]) <= best[k] + 1e-9);
        assert_true(divergence(n + 1, all_q, all_p, orders[k]) <= best[k] + 1e-9);
    }
}

static void bound_is_above_the_exact_divergence(void **state)
{
    (void)state;
    static const double shapes[] = {INFINITY, 0, 0.5, 1, 4}, means[] = {1.01, 3, 50, 300};
    static const double epsilons[] = {0.02, 0.5, 2};
    for (size_t s = 0; s < 5; s++)
        for (size_t m = 0; m < 4; m++)
            for (size_t e = 0; e < 3; e++)
                for (size_t n = 2; n <= 8; n += 3) {
                    tacit_repeats r = repeats_of(means[m], shapes[s]);
                    bound_holds_for(&r, n, epsilons[e]);
                }
}

/* The mean by summing k P(k), with P from the definition. */
static void gamma_gives_the_mean(void **state)
{
    (void)state;
    static const double shapes[] = {0, 0.01, 0.5, 1, 7}, means[] = {1.001, 2, 10, 300};
    for (size_t s = 0; s < 5; s++)
        for (size_t m = 0; m < 4; m++) {
            double h = shapes[s], gamma = exp(-tc_repeats_log_gamma(means[m], h)), mean = 0;
            double term = h > 0 ? h * (1 - gamma) / (pow(gamma, -h) - 1)
                                : (1 - gamma) / -log(gamma); /* P(1) */
            for (double k = 1; k < 4e5 && term > 0; k++) {
                mean += k * term;
                term *= (1 - gamma) * (k + h) / (k + 1);
            }
            assert_close(mean, means[m], 1e-9 * means[m]);
        }
    assert_true(tc_repeats_log_gamma(1, 1) < 1e-14);
}

/* ---- the other way round, and what is refused */

static void calibrated_noise_is_enough_and_barely(void **state)
{
    (void)state;
    tacit_error err;
    tacit_repeats r = repeats_of(10, 1);
    double z = 0;
    assert_ok(tacit_calibrate_best_of(&r, 2, 1e-5, TACIT_DP_POISSON, 0.01, 1000, &z, &err));
    for (int less = 0; less < 2; less++) {
        tacit_dp_event e = {TACIT_DP_GAUSSIAN, less ? z * (1 - 2e-6) : z, TACIT_DP_POISSON, 0.01,
                            1000};
        tacit_guarantee g = TACIT_GUARANTEE;
        assert_ok(tacit_account_best_of(&r, &e, 1, 1e-5, &g, &err));
        assert_true(less ? g.epsilon > 2 : g.epsilon <= 2);
    }
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        tacit_repeats r;
        const char *sentence;
    } bad[] = {
        {{sizeof(tacit_repeats), (tacit_repeats_kind)2, 10, 1},
         "kind must be 0 (Poisson) or 1 (negative binomial), got 2"},
        {{sizeof(tacit_repeats), TACIT_REPEATS_POISSON, 0.5, 0},
         "mean must be in [1, 1e9], got 0.5"},
        {{sizeof(tacit_repeats), TACIT_REPEATS_POISSON, 10, 1},
         "shape must be 0 for Poisson, got 1"},
        {{sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 10, -0.5},
         "shape must be in [0, 1e3], got -0.5"},
        {{sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, NAN, 1},
         "mean must be in [1, 1e9], got nan"},
    };
    tacit_dp_event e = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_ALL, 1, 1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tacit_error err = {0};
        tacit_guarantee g = TACIT_GUARANTEE;
        double z = 0;
        assert_int_equal(tacit_account_best_of(&bad[i].r, &e, 1, 1e-5, &g, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, bad[i].sentence);
        assert_int_equal(tacit_calibrate_best_of(&bad[i].r, 1, 1e-5, TACIT_DP_ALL, 1, 1, &z, &err),
                         TACIT_E_ARG);
        assert_string_equal(err.msg, bad[i].sentence);
    }
}

/* A release that is not private has no bound, however often it runs; no release costs nothing. */
static void edges(void **state)
{
    (void)state;
    tacit_error err;
    tacit_repeats r = repeats_of(10, 1);
    tacit_dp_event none = {TACIT_DP_NONPRIVATE, 1, TACIT_DP_ALL, 1, 1};
    tacit_guarantee g = TACIT_GUARANTEE;
    assert_ok(tacit_account_best_of(&r, &none, 1, 1e-5, &g, &err));
    assert_true(isinf(g.epsilon));
    assert_ok(tacit_account_best_of(&r, NULL, 0, 1e-5, &g, &err));
    assert_true(g.epsilon == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_orders_give_equal_epsilons),
        cmocka_unit_test(own_orders_are_no_worse),
        cmocka_unit_test(bound_is_above_the_exact_divergence),
        cmocka_unit_test(gamma_gives_the_mean),
        cmocka_unit_test(calibrated_noise_is_enough_and_barely),
        cmocka_unit_test(refusals),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
