/* recommend_test.c - which trial is recommended, against a dense Gaussian process that is written here, and why. */
#include "support/test.h"

#include "algo/optimizer.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

typedef struct fixture {
    tc_space *space;
    tc_optimizer *o;
    json_t *options;
} fixture;

static void begin(fixture *f, const char *algorithm, const char *options, bool maximize)
{
    tacit_error err = {0};
    f->options = json_loads(options, 0, NULL);
    assert_non_null(f->options);
    assert_ok(tc_space_new(&f->space, &err));
    assert_ok(tc_space_add_float(f->space, "x", 0, 1, 0, false, &err));
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(algorithm),
                               .options = f->options,
                               .space = f->space,
                               .maximize = maximize,
                               .budget = 1000};
    assert_ok(tc_optimizer_new(&f->o, &cfg, &err));
}

static void end(fixture *f)
{
    tc_optimizer_free(f->o);
    tc_space_free(f->space);
    json_decref(f->options);
}

/* With the fit that is due before it. */
static tc_event ask(fixture *f)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(f->o, &req, &e, &err));
        assert_ok(tc_optimizer_apply(f->o, &e, &err));
    } while (e.kind != TC_EVENT_ASK);
    return e;
}

/* A trial at x with this value. */
static void add(fixture *f, double x, double value, double noise_sd)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_enqueue(f->o, &x, 1, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    const uint64_t trial = e.trial;
    assert_int_equal(ask(f).trial, trial);
    assert_ok(tc_optimizer_tell(f->o, trial, NULL, value, 5, &e, &err));
    e.noise_sd = noise_sd;
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
}

static tc_recommendation recommended(const fixture *f, tc_recommend_by by)
{
    tacit_error err = {0};
    tc_recommendation r;
    assert_ok(tc_optimizer_recommend(f->o, by, &r, &err));
    return r;
}

/* ---- the dense process: Matern 5/2 of length-scale 0.2, variance 1, noise 0.1, fixed ---- */

#define FIXED                                                                                      \
    "{\"fit\": false, \"standardize\": false, \"lengthscale\": 0.2, \"variance\": 1, "             \
    "\"noise\": 0.1, \"init\": 2}"
enum { MOST = 12 };

static double kernel(double a, double b)
{
    const double r = fabs(a - b) / 0.2, s = sqrt(5) * r;
    return (1 + s + s * s / 3) * exp(-s);
}

/* Solves K w = b by elimination. */
static void solve(size_t n, double K[MOST][MOST], double *b)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const double f = K[j][i] / K[i][i];
            for (size_t k = i; k < n; k++)
                K[j][k] -= f * K[i][k];
            b[j] -= f * b[i];
        }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= K[i][k] * b[k];
        b[i] /= K[i][i];
    }
}

static void predict(size_t n, const double *x, const double *y, const double *noise_sd, double at,
                    double *mean, double *sd)
{
    double K[MOST][MOST], L[MOST][MOST], w[MOST], v[MOST];
    *mean = 0;
    *sd = kernel(at, at);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            K[i][j] = L[i][j] = kernel(x[i], x[j]) + (i == j ? 0.1 + noise_sd[i] * noise_sd[i] : 0);
        w[i] = y[i];
        v[i] = kernel(at, x[i]);
    }
    solve(n, K, w);
    solve(n, L, v);
    for (size_t i = 0; i < n; i++) {
        *mean += kernel(at, x[i]) * w[i];
        *sd -= kernel(at, x[i]) * v[i];
    }
    *sd = sqrt(*sd);
}

static const double X[MOST] = {0.05, 0.9, 0.3, 0.32, 0.28, 0.6, 0.75, 0.31, 0.15, 0.5, 0.29, 0.97};
static const double Y[MOST] = {-1, 2.4, 1.2, 1.1, 1.4, 0, -2, 1.3, 0.2, 0.3, 1.2, -1.5};
static const double NOISE[MOST] = {0, 3, 0, 0.2, 0, 0, 0.1, 0, 0, 0, 0, 0.5};

static void check_against_dense(const char *algorithm, bool maximize)
{
    fixture f;
    begin(&f, algorithm, FIXED, maximize);
    for (size_t i = 0; i < MOST; i++)
        add(&f, X[i], maximize ? Y[i] : -Y[i], NOISE[i]);
    const tc_recommendation r = recommended(&f, TC_BY_AUTO);
    double top = -INFINITY, sd = 0;
    size_t at = 0;
    for (size_t i = 0; i < MOST; i++) {
        double mean, s;
        predict(MOST, X, Y, NOISE, X[i], &mean, &s);
        if (mean > top) {
            top = mean;
            sd = s;
            at = i;
        }
    }
    assert_int_not_equal(at, 1); /* the luckiest value is not it */
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_int_equal(r.trial->number, at);
    assert_near(r.mean, maximize ? top : -top, 1e-9);
    assert_near(r.sd, sd, 1e-9);
    assert_string_equal(r.because, "values carry noise that was added on purpose");
    assert_int_equal(recommended(&f, TC_BY_SEEN).trial->number, 1);
    assert_true(isnan(recommended(&f, TC_BY_SEEN).mean));
    end(&f);
}

static void test_the_best_mean_where_something_was_tried(void **state)
{
    (void)state;
    check_against_dense("gp-ei", true);
    check_against_dense("gp-ei", false);
    check_against_dense("gp-ucb", true);
    check_against_dense("ts", false);
}

/* ---- when it is by the model ---- */

static void test_values_without_noise_are_taken_as_they_are(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "gp-ei", "{}", false);
    for (size_t i = 0; i < MOST; i++)
        add(&f, X[i], (X[i] - 0.3) * (X[i] - 0.3), 0);
    tc_recommendation r = recommended(&f, TC_BY_AUTO);
    assert_int_equal(r.by, TC_BY_SEEN);
    assert_int_equal(r.trial->number, 2);
    assert_true(r.share < TC_NOISY_SHARE);
    assert_string_equal(r.because,
                        "the model takes less than 0.1% of the variance of the values for noise");
    r = recommended(&f, TC_BY_MODEL);
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_int_equal(r.trial->number, 2);
    assert_near(r.mean, 0, 1e-3);
    assert_string_equal(r.because, "it was asked for");
    end(&f);
}

static void test_equal_values_have_no_noise(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "gp-ei", "{}", false);
    for (size_t i = 0; i < MOST; i++)
        add(&f, X[i], 0.1, 0);
    tc_recommendation r = recommended(&f, TC_BY_AUTO);
    assert_int_equal(r.by, TC_BY_SEEN);
    assert_int_equal(r.trial->number, 0);
    assert_string_equal(r.because, "all values are equal");
    end(&f);
}

static void test_a_fit_that_finds_noise_is_by_the_model(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "gp-ei", "{}", false);
    for (int i = 0; i < 40; i++) { /* 3 or 4 plays of each point */
        const double x = i % 13 / 13.0;
        add(&f, x, (x - 0.5) * (x - 0.5) + 0.5 * sin(7919.0 * i * i), 0);
    }
    assert_int_equal(recommended(&f, TC_BY_AUTO).by, TC_BY_SEEN); /* the journal has no fit yet */
    ask(&f);
    const tc_recommendation r = recommended(&f, TC_BY_AUTO);
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_true(r.share >= TC_NOISY_SHARE);
    assert_non_null(strstr(r.because, "the model takes "));
    assert_true(r.sd > 0);
    end(&f);
}

static void test_too_few_values_and_no_model(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_recommendation r;
    (void)state;
    begin(&f, "gp-ei", "{}", true);
    assert_null(recommended(&f, TC_BY_AUTO).trial);
    assert_null(recommended(&f, TC_BY_MODEL).trial);
    add(&f, 0.5, 1, 1);
    add(&f, 0.6, 2, 1);
    r = recommended(&f, TC_BY_AUTO);
    assert_int_equal(r.by, TC_BY_SEEN);
    assert_int_equal(r.trial->number, 1);
    assert_string_equal(r.because, "gp-ei has too few values for its model yet");
    assert_fails(
        tc_optimizer_recommend(f.o, TC_BY_MODEL, &r, &err), TACIT_E_STATE,
        "nothing can be recommended by the model: gp-ei has too few values for its model yet");
    end(&f);
    begin(&f, "random", "{}", true);
    add(&f, 0.5, 1, 1);
    r = recommended(&f, TC_BY_AUTO);
    assert_int_equal(r.by, TC_BY_SEEN);
    assert_string_equal(r.because, "random has no model of its values");
    assert_fails(tc_optimizer_recommend(f.o, TC_BY_MODEL, &r, &err), TACIT_E_UNSUPPORTED,
                 "nothing can be recommended by the model: random has no model of its values");
    end(&f);
}

/* ---- private replies: of one bit, with a share of ones that is largest at 0.3 ---- */

static void check_replies(const char *algorithm, int rounds)
{
    enum { USERS = 16, POINTS = 19 };
    const double M = 2 * (exp(1) + 1) / (exp(1) - 1);
    fixture f;
    char options[160];
    snprintf(options, sizeof options,
             "{\"epsilon\": 1, \"reply\": \"onebit\", \"bound\": 1, \"noise_bound\": 1}");
    begin(&f, algorithm, options, true);
    add(&f, 0.969, M, 0);
    for (int k = 0; k < rounds; k++)
        add(&f, 0.969, -M, 0);
    for (int u = 0; u < USERS; u++)
        for (int k = 1; k < POINTS; k++) {
            const double x = k / 20.0, share = 0.75 - 1.2 * (x - 0.3) * (x - 0.3);
            add(&f, x, (5 * u + 3 * k) % USERS < (int)(USERS * share + 0.5) ? M : -M, 0);
        }
    const tc_recommendation r = recommended(&f, TC_BY_AUTO);
    assert_int_equal(recommended(&f, TC_BY_SEEN).trial->number, 0); /* the first of all ties */
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_true(fabs(r.trial->values[0] - 0.3) < 0.16);
    assert_true(r.mean > 0.2 * M && r.mean < M);
    assert_true(r.sd > 0.05 && r.sd < M); /* 16 replies of magnitude M, and what neighbours say */
    assert_string_equal(r.because, "values are private replies, of which a single one says little");
    end(&f);
}

static void test_replies_that_tie_are_told_apart(void **state)
{
    (void)state;
    check_replies("ldp-tgp", 1);
    check_replies("ldp-ata", 1);
    check_replies("ldp-moma", 20); /* it wants several plays of a point for an epoch */
}

/* ---- it is pure ---- */

static void test_asks_are_the_same_after_it(void **state)
{
    static const char *const names[] = {"gp-ei",   "ts",       "ldp-tgp",
                                        "ldp-ata", "ldp-moma", "po-gp-ucb"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        fixture f, g;
        begin(&f, names[k], "{}", true);
        begin(&g, names[k], "{}", true);
        for (size_t i = 0; i < MOST; i++) {
            add(&f, X[i], Y[i], k == 0 ? NOISE[i] : 0);
            add(&g, X[i], Y[i], k == 0 ? NOISE[i] : 0);
            const tc_recommendation r = recommended(&f, TC_BY_AUTO);
            assert_non_null(r.trial);
        }
        const tc_event a = ask(&f), b = ask(&g);
        assert_int_equal(a.seq, b.seq);
        assert_true(tc_optimizer_trial(f.o, a.trial)->values[0] ==
                    tc_optimizer_trial(g.o, b.trial)->values[0]);
        end(&f);
        end(&g);
    }
}

/* A trial at x that came to this value when it was ended. */
static void end_early(fixture *f, double x, double value)
{
    tacit_error err = {0};
    tc_event e;
    bool same;
    assert_ok(tc_optimizer_enqueue(f->o, &x, 1, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    const uint64_t trial = ask(f).trial;
    assert_ok(tc_optimizer_report(f->o, trial, &(tc_step){1, value}, 2, &e, &same, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    assert_ok(tc_optimizer_prune(f->o, trial, NULL, 3, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
}

/* Values without noise, among unfinished ones that are far from them: the fit sees noise, and there is none. */
static void unfinished_values_are_not_noise(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "gp-ei", "{}", false);
    for (size_t i = 0; i < MOST; i++)
        add(&f, X[i], (X[i] - 0.3) * (X[i] - 0.3), 0);
    end_early(&f, 0.301, 1.4);
    ask(&f);
    tc_recommendation r = recommended(&f, TC_BY_AUTO);
    assert_int_equal(r.by, TC_BY_SEEN);
    assert_string_equal(r.because, "1 trial was ended early and its value is not final");
    for (size_t i = 0; i < MOST; i++)
        end_early(&f, X[i] + 0.002, 1 + 0.1 * (double)(i % 4));
    ask(&f);
    r = recommended(&f, TC_BY_AUTO);
    assert_true(r.share >= TC_NOISY_SHARE); /* else the test shows nothing */
    assert_int_equal(r.by, TC_BY_SEEN);
    assert_int_equal(r.trial->number, 2);
    assert_string_equal(r.because, "13 trials were ended early and their values are not final");
    r = recommended(&f, TC_BY_MODEL);
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_string_equal(r.because,
                        "it was asked for; 13 trials were ended early and their values are not "
                        "final, yet the model counts them");
    add(&f, 0.7, 0.16, 0.1); /* noise that was added on purpose is noise */
    r = recommended(&f, TC_BY_AUTO);
    assert_string_equal(r.because, "values carry noise that was added on purpose");
    end(&f);
}

/* The model likes a point whose trial was ended early: nobody knows what that would have come to, so it recommends the best of
 * the others, which need not be the one whose value is best. */
static void the_model_passes_over_pruned_trials(void **state)
{
    static const double x[] = {0.1, 0.3, 0.32, 0.28, 0.9, 0.5}, y[] = {1.1, 1.05, 1, 1.02, -1, 5},
                        none[6] = {0};
    double mean, sd, top = -INFINITY, top_sd = 0;
    size_t at = 0;
    fixture f;
    (void)state;
    begin(&f, "gp-ei", FIXED, false);
    for (size_t i = 0; i < 5; i++)
        add(&f, x[i], -y[i], 0);
    end_early(&f, x[5], -y[5]);
    for (size_t i = 0; i < 5; i++) {
        predict(6, x, y, none, x[i], &mean, &sd);
        if (mean > top) {
            at = i;
            top = mean;
            top_sd = sd;
        }
    }
    predict(6, x, y, none, x[5], &mean, &sd);
    assert_true(mean > top && at != 0); /* else the test shows nothing */
    const tc_recommendation r = recommended(&f, TC_BY_MODEL);
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_int_equal(r.trial->number, at);
    assert_near(r.mean, -top, 1e-9);
    assert_near(r.sd, top_sd, 1e-9);
    assert_string_equal(
        r.because, "it was asked for; 1 trial was ended early and its value is not final, yet the "
                   "model counts it; the point that the model likes best is of a trial that was "
                   "ended early, so this is the best of those that ran to their end");
    assert_int_equal(recommended(&f, TC_BY_SEEN).trial->number, 0);
    end(&f);
}

static void where_noise_was_added_it_passes_them_over_too(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "ts", FIXED, true);
    add(&f, 0.1, 1, 0.5);
    add(&f, 0.9, 2, 0.5);
    end_early(&f, 0.5, 6);
    const tc_recommendation r = recommended(&f, TC_BY_AUTO);
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_int_equal(r.trial->number, 1);
    assert_string_equal(r.because,
                        "values carry noise that was added on purpose; the point that the model "
                        "likes best is of a trial that was ended early, so this is the best of "
                        "those that ran to their end");
    end(&f);
}

static void of_pruned_trials_alone_none_is_recommended(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_recommendation r;
    (void)state;
    begin(&f, "gp-ei", FIXED, false);
    for (int i = 0; i < 4; i++)
        end_early(&f, 0.1 + 0.2 * i, i);
    r = recommended(&f, TC_BY_AUTO);
    assert_null(r.trial);
    assert_string_equal(r.because, "no trial has run to its end yet");
    assert_fails(tc_optimizer_recommend(f.o, TC_BY_MODEL, &r, &err), TACIT_E_STATE,
                 "nothing can be recommended by the model: gp-ei has no trial that ran to its end "
                 "yet");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_passes_over_pruned_trials),
        cmocka_unit_test(where_noise_was_added_it_passes_them_over_too),
        cmocka_unit_test(of_pruned_trials_alone_none_is_recommended),
        cmocka_unit_test(unfinished_values_are_not_noise),
        cmocka_unit_test(test_the_best_mean_where_something_was_tried),
        cmocka_unit_test(test_values_without_noise_are_taken_as_they_are),
        cmocka_unit_test(test_equal_values_have_no_noise),
        cmocka_unit_test(test_a_fit_that_finds_noise_is_by_the_model),
        cmocka_unit_test(test_too_few_values_and_no_model),
        cmocka_unit_test(test_replies_that_tie_are_told_apart),
        cmocka_unit_test(test_asks_are_the_same_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
