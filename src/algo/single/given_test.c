/* given_test.c - models over a covariance that is given: the posterior beside a dense one by the
 * textbook, nothing to learn, and matrices that are none. */
#include "support/test.h"

#include "algo/history.h"
#include "algo/optimizer.h"
#include "algo/single/given.h"
#include "algo/single/model.h"
#include "base/memory.h"

enum { N = 4 };

static const char MATRIX[] = "a,b,c,d\n2,1,0.5,0\n1,3,0.2,0.1\n0.5,0.2,1,-0.3\n0,0.1,-0.3,1.5\n";

static tc_space *space_of(const char *csv)
{
    tacit_error err = {0};
    tc_domain *d;
    tc_space *s;
    assert_ok(tc_domain_from_csv(&d, csv, strlen(csv), "the matrix", &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

/* ---- the posterior ---- */

/* Solves A x = b in place by elimination; A: n x n by rows, symmetric and definite. */
static void solve(size_t n, double *A, double *b)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

/* k(x)' (K + noise)^-1 b at candidate x, over t observations. */
static double form(const double *K, double factor, double noise, size_t t, const size_t *at,
                   size_t x, const double *b)
{
    double A[36], z[6], sum = 0;
    for (size_t i = 0; i < t; i++) {
        z[i] = b[i];
        for (size_t j = 0; j < t; j++)
            A[i * t + j] = factor * K[at[i] + at[j] * N] + (i == j ? noise : 0);
    }
    solve(t, A, z);
    for (size_t i = 0; i < t; i++)
        sum += factor * K[at[i] + x * N] * z[i];
    return sum;
}

static void test_posterior_is_that_of_the_matrix(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const size_t at[] = {0, 2, 2, 3, 0, 1};
    static const double y[] = {0.5, -1, -0.8, 2, 0.7, 0.1};
    tc_space *s = space_of(MATRIX);
    tc_history h = {0};
    tc_env env = {.space = s, .history = &h};
    tc_model_opts opts = {
        .kernel = TC_MODEL_GIVEN, .fit = true, .lengthscale = 0.3, .variance = 2.5, .noise = 0.4};
    tc_model m = {0};
    assert_ok(tc_history_init(&h, s, &err));
    assert_ok(tc_model_init(&m, &env, &opts, true, &err));
    for (size_t i = 0; i < 6; i++) {
        double point = (double)at[i];
        assert_ok(tc_history_reserve(&h, &err));
        tc_history_observe(&h, s, &point, y[i]);
    }
    assert_true(tc_model_ready(&m));
    assert_false(tc_model_fit_due(&m));
    assert_ok(tc_model_sync(&m, &err));
    const double *K = s->domain->raw;
    for (size_t x = 0; x < N; x++) {
        double row[6];
        for (size_t i = 0; i < 6; i++)
            row[i] = 2.5 * K[at[i] + x * N];
        assert_close(tc_fgp_mean(m.fgp)[x], form(K, 2.5, 0.4, 6, at, x, y), 1e-12);
        assert_close(tc_fgp_variance(m.fgp)[x],
                     2.5 * K[x + x * N] - form(K, 2.5, 0.4, 6, at, x, row), 1e-12);
    }
    tc_model_fini(&m);
    tc_history_fini(&h);
    tc_space_free(s);
}

/* ---- through the algorithms ---- */

static tacit_status open(tc_optimizer **out, const char *algorithm, const tc_space *s,
                         tacit_error *err)
{
    json_t *options = json_pack("{s:s}", "kernel", "given");
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(algorithm),
                               .options = options,
                               .space = s,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(1),
                               .party_seed = tc_party_seed_from(1)};
    tacit_status status = tc_optimizer_new(out, &cfg, err);
    json_decref(options);
    return status;
}

static void play(const char *algorithm)
{
    tacit_error err = {0};
    tc_space *s = space_of(MATRIX);
    tc_optimizer *o;
    size_t best = 0;
    assert_ok(open(&o, algorithm, s, &err));
    for (int t = 0; t < 30; t++) {
        tc_ask_request req = {.now_ms = 1};
        tc_event e;
        assert_ok(tc_optimizer_next(o, &req, &e, &err));
        assert_int_equal(e.kind, TC_EVENT_ASK); /* never a fit */
        assert_ok(tc_optimizer_apply(o, &e, &err));
        double x = tc_optimizer_trial(o, e.trial)->values[0];
        best += x == 3;
        assert_ok(tc_optimizer_tell(o, e.trial, NULL, x == 3 ? 1 : 0.2 * x, 1, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
    }
    assert_true(best > 15); /* of 30: the others are soon known */
    tc_optimizer_free(o);
    tc_space_free(s);
}

static void test_algorithms_take_it(void **state)
{
    (void)state;
    play("gp-ucb");
    play("gp-ei");
}

/* ---- refusals ---- */

static void test_what_is_no_matrix(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_optimizer *o;
    tc_space *box, *s = space_of("a,b,c\n1,0,0\n0,1,0\n");
    assert_fails(open(&o, "gp-ucb", s, &err), TACIT_E_ARG,
                 "kernel given needs as many coordinates as points, got 3 coordinates of 2 points");
    tc_space_free(s);
    s = space_of("a,b\n1,0.5\n0.4,1\n");
    assert_fails(open(&o, "gp-ei", s, &err), TACIT_E_ARG, "row 1 column 2 is 0.5, row 2 column 1");
    tc_space_free(s);
    s = space_of("a,b\n1,2\n2,1\n");
    assert_fails(open(&o, "gp-ucb", s, &err), TACIT_E_ARG, "it has the eigenvalue -1");
    tc_space_free(s);
    assert_ok(tc_space_new(&box, &err));
    assert_ok(tc_space_add_float(box, "x", 0, 1, 0, false, &err));
    assert_fails(open(&o, "gp-ucb", box, &err), TACIT_E_ARG, "kernel given needs a finite space");
    tc_space_free(box);
    s = space_of(MATRIX);
    assert_fails(open(&o, "ts", s, &err), TACIT_E_ARG, "kernel");
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_posterior_is_that_of_the_matrix),
        cmocka_unit_test(test_algorithms_take_it),
        cmocka_unit_test(test_what_is_no_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
