/* model_test.c - the shared Gaussian-process model: believing and forgetting, fits as text,
 * repeats. */
#include "support/test.h"

#include "algo/history.h"
#include "algo/single/model.h"
#include "base/memory.h"

typedef struct fixture {
    tc_space *space;
    tc_history history;
    tc_env env;
    tc_model_opts opts;
    tc_model model;
} fixture;

static double objective(const double *x)
{
    return sin(5 * x[0]) - (x[1] - 0.3) * (x[1] - 0.3);
}

static void observe(fixture *f, size_t n)
{
    tacit_error err = {0};
    tc_stream s;
    tc_stream_public(&s, &f->env.public_seed, TC_FOR_OBJECTIVE, f->history.n);
    for (size_t i = 0; i < n; i++) {
        double x[2] = {tc_draw_uniform(&s), tc_draw_uniform(&s)};
        assert_ok(tc_history_reserve(&f->history, &err));
        tc_history_observe(&f->history, f->space, x, objective(x));
    }
}

static int setup(void **state)
{
    static fixture f;
    tacit_error err = {0};
    memset(&f, 0, sizeof f);
    assert_ok(tc_space_new(&f.space, &err));
    assert_ok(tc_space_add_float(f.space, "a", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(f.space, "b", 0, 1, 0, false, &err));
    assert_ok(tc_history_init(&f.history, f.space, &err));
    f.env = (tc_env){.space = f.space, .history = &f.history};
    f.opts = (tc_model_opts){.kernel = TC_KERNEL_MATERN52,
                             .ard = true,
                             .fit = true,
                             .standardize = true,
                             .lengthscale = 0.3,
                             .variance = 1,
                             .noise = 1e-4};
    assert_ok(tc_model_init(&f.model, &f.env, &f.opts, true, &err));
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    tc_model_fini(&f->model);
    tc_history_fini(&f->history);
    tc_space_free(f->space);
    return 0;
}

static void predict(fixture *f, const double *x, double *mean, double *var)
{
    tacit_error err = {0};
    assert_ok(tc_gp_predict_many(f->model.gp, 1, x, 1, mean, var, &err));
}

static void test_believing_lowers_the_variance_and_forgetting_restores_the_bits(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    double taken[2] = {0.9, 0.9}, x[2] = {0.88, 0.91}, mean[3], var[3];
    observe(f, 10);
    assert_ok(tc_history_reserve(&f->history, &err));
    tc_history_take(&f->history, f->space, taken);
    assert_ok(tc_model_sync(&f->model, &err));
    predict(f, x, &mean[0], &var[0]);
    assert_ok(tc_model_believe(&f->model, &err));
    predict(f, x, &mean[1], &var[1]);
    assert_true(var[1] < 0.5 * var[0]);
    assert_close(mean[1], mean[0], 1e-6); /* a point that returns its mean changes no mean */
    tc_model_forget(&f->model);
    assert_ok(tc_model_sync(&f->model, &err));
    predict(f, x, &mean[2], &var[2]);
    assert_same_bits(mean[2], mean[0]);
    assert_same_bits(var[2], var[0]);
}

static void test_the_incumbent_is_a_mean_not_a_value(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    f->opts.standardize = false;
    f->model.hyper.noise = 1;
    observe(f, 12);
    double best = -INFINITY;
    for (size_t i = 0; i < 12; i++)
        best = fmax(best, f->history.y[i]);
    assert_ok(tc_model_sync(&f->model, &err));
    assert_true(tc_model_incumbent(&f->model) < best);
    for (size_t i = 0; i < 12; i++) {
        double x[2] = {f->history.U[i], f->history.U[i + f->history.ld]}, mean, var;
        predict(f, x, &mean, &var);
        assert_true(mean <= tc_model_incumbent(&f->model) + 1e-9);
    }
}

static void test_fits_are_due_when_the_data_have_grown(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    assert_false(tc_model_ready(&f->model));
    observe(f, 6);
    assert_true(tc_model_ready(&f->model));
    assert_true(tc_model_fit_due(&f->model));
    assert_ok(tc_model_fitted(
        &f->model, "{\"n\":6,\"scale\":[0.5,0.25],\"variance\":2,\"noise\":0.001}", &err));
    assert_false(tc_model_fit_due(&f->model));
    assert_same_bits(f->model.hyper.scale[1], 0.25);
    observe(f, 1);
    assert_true(tc_model_fit_due(&f->model));
    f->opts.refit = 5;
    assert_false(tc_model_fit_due(&f->model));
    f->opts.fit = false;
    observe(f, 50);
    assert_false(tc_model_fit_due(&f->model));
}

/* What fit writes, fitted reads, exactly; with more observations than a likelihood can afford
 * too. */
static void check_fit(fixture *f)
{
    tacit_error err = {0};
    tc_text first = {0}, second = {0};
    assert_ok(tc_model_fit(&f->model, &first, &err));
    assert_ok(tc_model_fit(&f->model, &second, &err)); /* pure */
    assert_string_equal(tc_text_get(&first), tc_text_get(&second));
    assert_ok(tc_model_fitted(&f->model, tc_text_get(&first), &err));
    assert_int_equal(f->model.fit_n, f->history.n);
    assert_true(f->model.hyper.noise < 1e-2); /* the objective has none */
    assert_ok(tc_model_sync(&f->model, &err));
    double x[2] = {0.4, 0.6}, mean, var;
    predict(f, x, &mean, &var);
    assert_close(mean * f->model.sd + f->model.mean, objective(x), 0.05);
    tc_text_fini(&first);
    tc_text_fini(&second);
}

static void test_fits_read_back(void **state)
{
    observe(*state, 40);
    check_fit(*state);
}

static void test_fits_of_many_observations(void **state)
{
    observe(*state, 400);
    check_fit(*state);
}

static void test_foreign_fits_are_refused(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    observe(f, 8);
    const char *bad[] = {
        "{",
        "{}",
        "{\"n\":9,\"scale\":[1,1],\"variance\":1,\"noise\":1}", /* more than there are */
        "{\"n\":8,\"scale\":[1],\"variance\":1,\"noise\":1}",
        "{\"n\":8,\"scale\":[1,0],\"variance\":1,\"noise\":1}",
        "{\"n\":8,\"scale\":[1,1],\"variance\":-1,\"noise\":1}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(tc_model_fitted(&f->model, bad[i], &err), TACIT_E_CORRUPT, "fit");
        assert_int_equal(f->model.fit_n, 0);
        assert_same_bits(f->model.hyper.scale[0], 0.3);
    }
}

/* The same shape in other units gives the same targets, at the ends of what a double holds too. */
static void test_units_do_not_matter(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    double z[12], y[12];
    observe(f, 12);
    assert_ok(tc_model_standardise(&f->model, &err));
    memcpy(z, f->model.z, sizeof z);
    memcpy(y, f->history.y, sizeof y);
    const double units[] = {1e-300, 1e-200, 1e-8, 1e8, 1e200, 1e307};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        for (size_t i = 0; i < 12; i++)
            f->history.y[i] = y[i] * units[u];
        assert_ok(tc_model_standardise(&f->model, &err));
        for (size_t i = 0; i < 12; i++)
            assert_close(f->model.z[i], z[i], 1e-9);
    }
}

/* A value that stands for "this crashed" does not drown the differences of the others. */
static void test_penalties_are_raised(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    observe(f, 12);
    f->history.y[2] = f->history.y[9] = -1.7976931348623157e308;
    assert_ok(tc_model_standardise(&f->model, &err));
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < 12; i++) {
        assert_true(isfinite(f->model.z[i]));
        if (i != 2 && i != 9) {
            low = fmin(low, f->model.z[i]);
            high = fmax(high, f->model.z[i]);
        }
    }
    assert_true(high - low > 1e-5);
    assert_true(f->model.z[2] < low);
}

static void test_known_points(void **state)
{
    fixture *f = *state;
    observe(f, 3);
    double u[2] = {f->history.U[1], f->history.U[1 + f->history.ld]};
    assert_true(tc_model_known(&f->model, u));
    u[1] += 1e-12;
    assert_false(tc_model_known(&f->model, u));
    assert_false(tc_model_repeats(&f->model)); /* a box: a repeat teaches nothing new */
    f->opts.repeat = TC_REPEAT_YES;
    assert_true(tc_model_repeats(&f->model));
}

/* ---- candidates that are observed again and again ---- */

enum { CANDIDATES = 9, MANY = 400 };

typedef struct repeated {
    tc_space *space;
    tc_history history;
    tc_env env;
    tc_model_opts opts;
    tc_model model;
} repeated;

static void repeated_start(repeated *r, bool standardize)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    memset(r, 0, sizeof *r);
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){CANDIDATES}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&r->space, d, &err));
    assert_ok(tc_history_init(&r->history, r->space, &err));
    r->env = (tc_env){.space = r->space, .history = &r->history};
    r->opts = (tc_model_opts){.kernel = TC_KERNEL_MATERN52,
                              .standardize = standardize,
                              .lengthscale = 0.3,
                              .variance = 1,
                              .noise = 0.5};
    assert_ok(tc_model_init(&r->model, &r->env, &r->opts, true, &err));
}

static void repeated_end(repeated *r)
{
    tc_model_fini(&r->model);
    tc_history_fini(&r->history);
    tc_space_free(r->space);
}

static void repeated_observe(repeated *r)
{
    tacit_error err = {0};
    size_t i = r->history.n;
    double j = (double)(i * i / 3 % (i < 30 ? 4 : CANDIDATES));
    assert_ok(tc_history_reserve(&r->history, &err));
    tc_history_observe(&r->history, r->space, &j, sin(1.7 * (double)i) + j);
}

/* The posterior with one row for each observation. */
static void assert_is_unmerged(const repeated *r)
{
    tacit_error err = {0};
    const tc_domain *d = r->space->domain;
    tc_fgp *g = NULL;
    assert_ok(tc_fgp_new(&g, d->n, 1, d->u, NULL, NULL, &err));
    assert_ok(tc_fgp_reset(g, &r->model.hyper, &err));
    for (size_t i = 0; i < r->history.n; i++)
        assert_ok(tc_fgp_observe(g, r->history.point[i], r->model.z[i], &err));
    for (size_t x = 0; x < d->n; x++) {
        assert_close(tc_fgp_mean(r->model.fgp)[x], tc_fgp_mean(g)[x], 1e-10);
        assert_close(tc_fgp_variance(r->model.fgp)[x], tc_fgp_variance(g)[x], 1e-12);
    }
    tc_fgp_free(g);
}

static void test_repeats_share_rows(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (int standardize = 0; standardize < 2; standardize++) {
        repeated r;
        size_t most = 0;
        repeated_start(&r, standardize);
        for (size_t i = 0; i < MANY; i++) {
            repeated_observe(&r);
            assert_ok(tc_model_sync(&r.model, &err));
            most = tc_fgp_size(r.model.fgp) > most ? tc_fgp_size(r.model.fgp) : most;
            if (i % 60 == 7 || i == MANY - 1)
                assert_is_unmerged(&r);
        }
        assert_true(most <= 2 * CANDIDATES + 65);
        repeated_end(&r);
    }
}

/* Noise of their own: rows of candidates, merged or not, against the exact process at the observed points. */
static void test_noise_of_repeats(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (int standardize = 0; standardize < 2; standardize++) {
        repeated r;
        tc_model exact = {0};
        repeated_start(&r, standardize);
        assert_ok(tc_model_init(&exact, &r.env, &r.opts, false, &err));
        for (size_t i = 0; i < 120; i++) { /* from the 83rd or so on rows are merged */
            repeated_observe(&r);
            r.history.noise[i] = i < 10 ? 0 : 0.4 * (double)(i % 3);
            assert_ok(tc_model_sync(&r.model, &err));
            if (i % 10 != 9)
                continue;
            assert_ok(tc_model_sync(&exact, &err));
            double mean[CANDIDATES], var[CANDIDATES];
            assert_ok(tc_gp_predict_many(exact.gp, CANDIDATES, r.space->domain->u, CANDIDATES, mean,
                                         var, &err));
            for (size_t x = 0; x < CANDIDATES; x++) {
                assert_close(tc_fgp_mean(r.model.fgp)[x], mean[x], 1e-8);
                assert_close(tc_fgp_variance(r.model.fgp)[x], var[x], 1e-8);
            }
            assert_close(tc_model_incumbent(&r.model), tc_model_incumbent(&exact), 1e-8);
            assert_true((tc_model_next_noise(&exact) > 0) == (i > 10));
        }
        assert_true(tc_fgp_size(r.model.fgp) < 100);
        tc_model_fini(&exact);
        repeated_end(&r);
    }
}

/* Running trials are believed with the noise of the last value; a model made later has the same bits. */
static void test_noisy_models_replay_to_the_same_bits(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_model later = {0};
    double taken[2] = {0.9, 0.9}, x[2] = {0.88, 0.91}, mean[2], var[2], quiet;
    for (size_t i = 0; i < 14; i++) {
        observe(f, 1);
        f->history.noise[i] = 0.05;
        if (i > 6)
            assert_ok(tc_model_sync(&f->model, &err));
    }
    assert_ok(tc_history_reserve(&f->history, &err));
    tc_history_take(&f->history, f->space, taken);
    assert_ok(tc_model_init(&later, &f->env, &f->opts, true, &err));
    assert_ok(tc_model_sync(&f->model, &err));
    assert_ok(tc_model_sync(&later, &err));
    predict(f, x, &mean[0], &quiet);
    assert_ok(tc_model_believe(&f->model, &err));
    assert_ok(tc_model_believe(&later, &err));
    predict(f, x, &mean[0], &var[0]);
    assert_ok(tc_gp_predict_many(later.gp, 1, x, 1, &mean[1], &var[1], &err));
    assert_same_bits(mean[0], mean[1]);
    assert_same_bits(var[0], var[1]);
    assert_true(var[0] < quiet && var[0] > 0.03); /* noise leaves something open */
    tc_model_fini(&later);
}

/* Synced after each observation, in three leaps, or all at once: the same bits. Beliefs leave
 * none. */
static void test_shared_rows_replay_to_the_same_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (int standardize = 0; standardize < 2; standardize++) {
        repeated lived, leapt;
        double taken = 2;
        repeated_start(&lived, standardize);
        repeated_start(&leapt, standardize);
        for (size_t i = 0; i < MANY; i++) {
            repeated_observe(&lived);
            repeated_observe(&leapt);
            assert_ok(tc_model_sync(&lived.model, &err));
            if (i == 50)
                tc_history_take(&lived.history, lived.space, &taken);
            assert_ok(tc_model_believe(&lived.model, &err));
            tc_model_forget(&lived.model);
            if (i == 90 || i == 300 || i == MANY - 1)
                assert_ok(tc_model_sync(&leapt.model, &err));
        }
        for (size_t x = 0; x < CANDIDATES; x++) {
            assert_same_bits(tc_fgp_mean(lived.model.fgp)[x], tc_fgp_mean(leapt.model.fgp)[x]);
            assert_same_bits(tc_fgp_variance(lived.model.fgp)[x],
                             tc_fgp_variance(leapt.model.fgp)[x]);
        }
        repeated_end(&lived);
        repeated_end(&leapt);
    }
}

/* A fit stands on so many observations: they are merged at once, then and in a replay. */
static void test_fits_restart_with_shared_rows(void **state)
{
    (void)state;
    static const char fit[] = "{\"n\":200,\"scale\":[0.4],\"variance\":2,\"noise\":0.3}";
    tacit_error err = {0};
    repeated lived, replayed;
    repeated_start(&lived, true);
    repeated_start(&replayed, true);
    for (size_t i = 0; i < 230; i++) {
        repeated_observe(&lived);
        repeated_observe(&replayed);
        assert_ok(tc_model_sync(&lived.model, &err));
        if (i == 199) {
            assert_ok(tc_model_fitted(&lived.model, fit, &err));
            assert_ok(tc_model_fitted(&replayed.model, fit, &err));
            assert_ok(tc_model_sync(&lived.model, &err));
            assert_int_equal(tc_fgp_size(lived.model.fgp), CANDIDATES);
        }
    }
    assert_ok(tc_model_sync(&replayed.model, &err));
    assert_is_unmerged(&lived);
    for (size_t x = 0; x < CANDIDATES; x++)
        assert_same_bits(tc_fgp_mean(lived.model.fgp)[x], tc_fgp_mean(replayed.model.fgp)[x]);
    repeated_end(&lived);
    repeated_end(&replayed);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_believing_lowers_the_variance_and_forgetting_restores_the_bits),
        TEST(test_the_incumbent_is_a_mean_not_a_value),
        TEST(test_fits_are_due_when_the_data_have_grown),
        TEST(test_fits_read_back),
        TEST(test_fits_of_many_observations),
        TEST(test_foreign_fits_are_refused),
        TEST(test_units_do_not_matter),
        TEST(test_penalties_are_raised),
        TEST(test_known_points),
        TEST(test_noisy_models_replay_to_the_same_bits),
        cmocka_unit_test(test_repeats_share_rows),
        cmocka_unit_test(test_noise_of_repeats),
        cmocka_unit_test(test_shared_rows_replay_to_the_same_bits),
        cmocka_unit_test(test_fits_restart_with_shared_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
