/* modeler_test.c - po-gp-ucb: its choices against a dense reference, and which rows it asks. */
#include "support/test.h"

#include "algo/optimizer.h"
#include "base/json.h"
#include "base/memory.h"
#include "num/la.h"

#include <stdio.h>

enum { N = 40, D = 2, TRIALS = 12 };

static const double LENGTH = 3, VARIANCE = 1.5, NOISE = 1e-3, INPUT_SD = 0.8, OUTPUT_SD = 0.2,
                    DELTA = 0.025;

static double point(size_t i, size_t d)
{
    return 10 * sin(12.9898 * (double)(i + 1) + 4.1 * (double)d);
}

static tc_space *make_space(size_t n)
{
    tacit_error err = {0};
    char csv[4096];
    int at = snprintf(csv, sizeof csv, "a,b\n");
    for (size_t i = 0; i < n; i++)
        at +=
            snprintf(csv + at, sizeof csv - (size_t)at, "%.17g,%.17g\n", point(i, 0), point(i, 1));
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_from_csv(&d, csv, (size_t)at, "rows", &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static tc_optimizer *make(const tc_space *s, const char *options, uint64_t seed)
{
    tacit_error err = {0};
    json_t *j = NULL;
    tc_optimizer *o = NULL;
    assert_ok(tc_json_parse(options, strlen(options), "options", &j, &err));
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find("po-gp-ucb"),
                               .options = j,
                               .space = s,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(seed),
                               .party_seed = tc_party_seed_from(seed)};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    json_decref(j);
    return o;
}

static size_t ask(tc_optimizer *o, uint64_t *trial)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &req, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
    } while (e.kind != TC_EVENT_ASK);
    *trial = e.trial;
    return (size_t)tc_optimizer_trial(o, e.trial)->values[0];
}

static void tell(tc_optimizer *o, uint64_t trial, double y)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_tell(o, trial, NULL, y, 1, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
}

static double value(size_t row)
{
    return cos(point(row, 0) / 3) + sin(point(row, 1) / 4);
}

/* ---- the choice */

static double covariance(size_t i, size_t j)
{
    double wide = LENGTH * LENGTH + 2 * INPUT_SD * INPUT_SD, square = 0;
    if (i == j)
        return VARIANCE;
    for (size_t d = 0; d < D; d++)
        square += pow(point(i, d) - point(j, d), 2);
    return VARIANCE * (LENGTH * LENGTH / wide) * exp(-square / (2 * wide));
}

/* mean + sqrt(beta) sd of row i after t answers, by solving the whole system */
static double bound(size_t i, size_t t, const size_t *rows, const double *y)
{
    tacit_error err = {0};
    double K[TRIALS * TRIALS], k[TRIALS], b[TRIALS], step = (double)t + 1;
    for (size_t r = 0; r < t; r++) {
        for (size_t c = 0; c < t; c++)
            K[r + c * t] =
                covariance(rows[r], rows[c]) + (r == c ? NOISE + OUTPUT_SD * OUTPUT_SD : 0);
        k[r] = b[r] = covariance(i, rows[r]);
    }
    assert_ok(tc_chol(t, K, t, &err));
    tc_chol_solve(t, K, t, b);
    double beta = 2 * log(N * step * step * pow(acos(-1), 2) / (6 * DELTA));
    return tc_dot(t, b, y) + sqrt(beta * (covariance(i, i) - tc_dot(t, k, b)));
}

static void test_asks_for_the_largest_bound(void **state)
{
    (void)state;
    tc_space *s = make_space(N);
    tc_optimizer *o = make(s,
                           "{\"fit\": false, \"lengthscale\": 3, \"variance\": 1.5, \"noise\": "
                           "1e-3, \"input_sd\": 0.8, \"output_sd\": 0.2}",
                           4);
    size_t rows[TRIALS];
    double y[TRIALS];
    for (size_t t = 0; t < TRIALS; t++) {
        uint64_t trial;
        rows[t] = ask(o, &trial);
        double chosen = t > 0 ? bound(rows[t], t, rows, y) : INFINITY;
        for (size_t i = 0; i < N && t > 0; i++) {
            bool known = false;
            for (size_t k = 0; k < t; k++)
                known = known || rows[k] == i;
            assert_true(known || bound(i, t, rows, y) <= chosen + 1e-9);
        }
        y[t] = value(rows[t]);
        tell(o, trial, y[t]);
    }
    tc_optimizer_free(o);
    tc_space_free(s);
}

/* ---- which rows */

static void test_first_row_is_uniform(void **state)
{
    (void)state;
    enum { ROWS = 8, DRAWS = 2000 };
    tc_space *s = make_space(ROWS);
    size_t count[ROWS] = {0};
    uint64_t trial;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        tc_optimizer *o = make(s, "{\"fit\": false}", seed);
        count[ask(o, &trial)]++;
        tc_optimizer_free(o);
    }
    double chi2 = 0, mean = (double)DRAWS / ROWS;
    for (size_t i = 0; i < ROWS; i++)
        chi2 += pow((double)count[i] - mean, 2) / mean;
    assert_true(chi2 < 29.9); /* 7 degrees of freedom, one in 10,000 */
    tc_space_free(s);
}

static void check_rows_once(const char *options)
{
    enum { ROWS = 15 };
    tc_space *s = make_space(ROWS);
    tc_optimizer *o = make(s, options, 2);
    bool seen[ROWS] = {false};
    uint64_t trial;
    for (size_t t = 0; t < ROWS; t++) {
        size_t row = ask(o, &trial);
        assert_false(seen[row]);
        seen[row] = true;
        tell(o, trial, value(row));
    }
    tell(o, (ask(o, &trial), trial), 0); /* all are known: any */
    tc_optimizer_free(o);
    tc_space_free(s);
}

static void test_no_row_is_asked_twice(void **state)
{
    (void)state;
    check_rows_once("{\"fit\": false, \"lengthscale\": 3}");
    check_rows_once("{\"input_sd\": 0.5}");
    check_rows_once("{\"ard\": true, \"init\": 3}");
}

/* With much noise in the answers the best row is worth a second look. */
static void test_repeats_when_told(void **state)
{
    (void)state;
    tc_space *s = make_space(3);
    tc_optimizer *o =
        make(s, "{\"fit\": false, \"lengthscale\": 0.01, \"output_sd\": 1, \"repeat\": true}", 1);
    uint64_t trial;
    size_t rows[20];
    bool again = false;
    for (size_t t = 0; t < 20; t++) {
        rows[t] = ask(o, &trial);
        tell(o, trial, rows[t] == 1 ? 3 : -3);
    }
    for (size_t t = 1; t < 20; t++)
        again = again || rows[t] == rows[t - 1];
    assert_true(again);
    tc_optimizer_free(o);
    tc_space_free(s);
}

/* ---- learning */

/* Noise in the answers that is known of is no signal: the fit must not go below it. */
static void test_fit_knows_the_noise_of_answers(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = make_space(N);
    tc_optimizer *o = make(s, "{\"output_sd\": 2, \"init\": 8}", 3);
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    double noise = 0, sum = 0, squares = 0;
    uint64_t trial;
    for (size_t t = 0; t < 8; t++) {
        double y = value(ask(o, &trial));
        sum += y;
        squares += y * y;
        tell(o, trial, y);
    }
    assert_ok(tc_optimizer_next(o, &req, &e, &err));
    assert_int_equal(e.kind, TC_EVENT_FIT);
    json_t *j = NULL;
    assert_ok(tc_json_parse(e.body, strlen(e.body), "fit", &j, &err));
    assert_ok(tc_json_number(j, "", "noise", &noise, &err));
    double var = squares / 8 - pow(sum / 8, 2);
    assert_true(noise >= 4 / var * (1 - 1e-9));
    json_decref(j);
    tc_optimizer_free(o);
    tc_space_free(s);
}

static void test_damaged_fits_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"{}",
                                      "{\"n\":0,\"scale\":[1,1],\"variance\":1,\"noise\":1}",
                                      "{\"n\":9,\"scale\":[1,1],\"variance\":1,\"noise\":1}",
                                      "{\"n\":1,\"scale\":[1],\"variance\":1,\"noise\":1}",
                                      "{\"n\":1,\"scale\":[1,-1],\"variance\":1,\"noise\":1}",
                                      "{\"n\":1,\"scale\":[1,1],\"variance\":0,\"noise\":1}",
                                      "{\"n\":1,\"scale\":[1,1],\"variance\":1}",
                                      "[1]"};
    tacit_error err = {0};
    tc_space *s = make_space(N);
    tc_optimizer *o = make(s, "{}", 3);
    uint64_t trial;
    tell(o, (ask(o, &trial), trial), 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tc_event e = {.kind = TC_EVENT_FIT, .body = bad[i]};
        assert_fails(tc_optimizer_apply(o, &e, &err), TACIT_E_CORRUPT, "does not fit this study");
    }
    tc_optimizer_free(o);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asks_for_the_largest_bound),
        cmocka_unit_test(test_first_row_is_uniform),
        cmocka_unit_test(test_no_row_is_asked_twice),
        cmocka_unit_test(test_repeats_when_told),
        cmocka_unit_test(test_fit_knows_the_noise_of_answers),
        cmocka_unit_test(test_damaged_fits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
