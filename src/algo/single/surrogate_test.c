/* surrogate_test.c - a model of many values of a known function has its means and its Sobol' indices; a choice is one
 * parameter; the same values give the same bits. */
#include "support/test.h"

#include "algo/single/surrogate.h"
#include "num/sobol.h"

#include "algo/single/design.h"

enum { MOST = 400, PARAMS = 3 };

static const double pi = 3.14159265358979323846;

typedef double objective(const double *values);

typedef struct fixture {
    tc_space *space;
    double at[MOST][PARAMS], y[MOST];
    const double *points[MOST];
    tc_surrogate *model;
} fixture;

static double ishigami(const double *x)
{
    return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * x[2] * x[2] * x[2] * x[2] * sin(x[0]);
}

/* rate on a log scale from 1e-4 to 1: log10 is even on [-4, 0], with variance 16/12. A choice of three values 0, 3 and
 * -3: variance 6. Units do nothing. */
static double mixed(const double *x)
{
    return 5 + log10(x[0]) + (x[1] == 1 ? 3 : x[1] == 2 ? -3 : 0);
}

static double flat(const double *x)
{
    (void)x;
    return 2;
}

static tc_space *angles(void)
{
    tacit_error err = {0};
    tc_space *s;
    assert_ok(tc_space_new(&s, &err));
    for (int i = 0; i < PARAMS; i++)
        assert_ok(
            tc_space_add_float(s, (const char *[]){"a", "b", "c"}[i], -pi, pi, 0, false, &err));
    return s;
}

static tc_space *mixture(void)
{
    tacit_error err = {0};
    tc_space *s;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "rate", 1e-4, 1, 0, true, &err));
    assert_ok(tc_space_add_choice(s, "kind", 3, (const char *[]){"x", "y", "z"}, &err));
    assert_ok(tc_space_add_int(s, "units", 1, 64, 1, false, &err));
    return s;
}

static tc_surrogate_data data_of(fixture *f, tc_space *space, objective *of, size_t n)
{
    tc_sobol q;
    tc_stream s;
    const tc_public_seed seed = tc_public_seed_from(7);
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    tc_sobol_init(&q, PARAMS, &s);
    f->space = space;
    for (size_t i = 0; i < n; i++) {
        double t[PARAMS];
        tc_sobol_point(&q, i, t);
        tc_design_values(space, t, f->at[i]);
        f->points[i] = f->at[i];
        f->y[i] = of(f->at[i]);
    }
    return (tc_surrogate_data){.space = space, .n = n, .points = f->points, .y = f->y};
}

static void make(fixture *f, tc_space *space, objective *of, size_t n)
{
    tacit_error err = {0};
    const tc_surrogate_data data = data_of(f, space, of, n);
    assert_ok(tc_surrogate_new(&f->model, &data, &err));
}

static void end(fixture *f)
{
    tc_surrogate_free(f->model);
    tc_space_free(f->space);
}

static fixture f;

static void test_means_are_those_of_the_function(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double at[2][PARAMS] = {{0.3, -1.2, 2.0}, {-2, 0.5, -0.7}};
    double mean[2], sd[2];
    make(&f, angles(), ishigami, MOST);
    assert_ok(tc_surrogate_predict(f.model, 2, at[0], mean, sd, &err));
    for (int i = 0; i < 2; i++) {
        assert_close(mean[i], ishigami(at[i]), 0.15);
        assert_true(sd[i] > 0 && sd[i] < 0.5);
    }
    end(&f);
}

static void test_indices_of_ishigami(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_importance of[PARAMS];
    const double p4 = pow(pi, 4), v1 = 0.5 * (1 + 0.1 * p4 / 5) * (1 + 0.1 * p4 / 5), v2 = 49.0 / 8,
                 v13 = 0.01 * p4 * p4 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
    const double first[PARAMS] = {v1 / v, v2 / v, 0},
                 total[PARAMS] = {(v1 + v13) / v, v2 / v, v13 / v};
    make(&f, angles(), ishigami, MOST);
    assert_ok(tc_surrogate_importances(f.model, of, &err));
    for (int i = 0; i < PARAMS; i++) {
        assert_close(of[i].first, first[i], 0.02);
        assert_close(of[i].total, total[i], 0.02);
        assert_true(of[i].first_low <= first[i] + 0.02 && of[i].first_high >= first[i] - 0.02);
        assert_true(of[i].total_low <= total[i] + 0.02 && of[i].total_high >= total[i] - 0.02);
        assert_true(of[i].total_high - of[i].total_low < 0.2);
    }
    end(&f);
}

static void test_a_choice_is_one_parameter(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_importance of[PARAMS];
    const double v = 16.0 / 12 + 6, share[PARAMS] = {16.0 / 12 / v, 6 / v, 0};
    make(&f, mixture(), mixed, 120);
    assert_ok(tc_surrogate_importances(f.model, of, &err));
    for (int i = 0; i < PARAMS; i++) {
        assert_close(of[i].first, share[i], 0.03);
        assert_close(of[i].total, share[i], 0.03);
    }
    end(&f);
}

/* What few values leave open shows in the ranges. */
static void test_more_values_say_more(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_importance few[PARAMS], many[PARAMS];
    make(&f, angles(), ishigami, 20);
    assert_ok(tc_surrogate_importances(f.model, few, &err));
    end(&f);
    make(&f, angles(), ishigami, MOST);
    assert_ok(tc_surrogate_importances(f.model, many, &err));
    end(&f);
    for (int i = 0; i < PARAMS; i++)
        assert_true(few[i].total_high - few[i].total_low > many[i].total_high - many[i].total_low);
}

static void test_the_same_values_give_the_same_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_importance one[PARAMS], two[PARAMS];
    make(&f, mixture(), mixed, 40);
    assert_ok(tc_surrogate_importances(f.model, one, &err));
    assert_ok(tc_surrogate_importances(f.model, two, &err));
    assert_memory_equal(one, two, sizeof one);
    end(&f);
    make(&f, mixture(), mixed, 40);
    assert_ok(tc_surrogate_importances(f.model, two, &err));
    assert_memory_equal(one, two, sizeof one);
    end(&f);
}

/* To minimise y is to maximise -y: but for the side on which values that are far off are raised. */
static void test_directions(void **state)
{
    (void)state;
    tacit_error err = {0};
    double down, up;
    tc_surrogate_data data = data_of(&f, angles(), ishigami, 60);
    const double at[PARAMS] = {0.1, 0.2, 0.3};
    assert_ok(tc_surrogate_new(&f.model, &data, &err));
    assert_ok(tc_surrogate_predict(f.model, 1, at, &down, NULL, &err));
    tc_surrogate_free(f.model);
    data.maximize = true;
    assert_ok(tc_surrogate_new(&f.model, &data, &err));
    assert_ok(tc_surrogate_predict(f.model, 1, at, &up, NULL, &err));
    assert_close(down, up, 1e-6);
    end(&f);
}

static void test_a_flat_function_has_no_importances(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_importance of[PARAMS];
    make(&f, angles(), flat, 20);
    assert_ok(tc_surrogate_importances(f.model, of, &err));
    for (int i = 0; i < PARAMS; i++)
        assert_true(of[i].first == 0 && of[i].total == 0);
    end(&f);
}

static void test_too_few_values(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_surrogate_data data = data_of(&f, angles(), ishigami, 7);
    assert_int_equal(tc_surrogate_least(f.space), 8);
    assert_fails(tc_surrogate_new(&f.model, &data, &err), TACIT_E_STATE,
                 "a model of this space needs at least 8 completed trials, there are 7");
    data.n = 1;
    assert_fails(tc_surrogate_new(&f.model, &data, &err), TACIT_E_STATE, "there is 1");
    tc_space_free(f.space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means_are_those_of_the_function),
        cmocka_unit_test(test_indices_of_ishigami),
        cmocka_unit_test(test_a_choice_is_one_parameter),
        cmocka_unit_test(test_more_values_say_more),
        cmocka_unit_test(test_the_same_values_give_the_same_bits),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_a_flat_function_has_no_importances),
        cmocka_unit_test(test_too_few_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
