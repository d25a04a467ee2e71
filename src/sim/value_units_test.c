/* value_units_test.c - values told in other units: what is told, and that algorithms which
 * standardise choose the same points. */
#include "support/federated_world.h"

#include "sim/curve_file.h"
#include "sim/value_units.h"

static const tc_value_units scaled = {.scale = 1024};
static const tc_value_units negated = {.negate = true};
static const tc_value_units binary = {.scale = 1024, .shift = -512};
static const tc_value_units decimal = {.scale = 1000, .shift = -500, .negate = true};

/* ---- the numbers ---- */

static void test_what_is_told(void **state)
{
    (void)state;
    const tc_value_units as_it_is = {0};
    assert_same_bits(tc_value_units_told(&as_it_is, 0.1), 0.1);
    assert_same_bits(tc_value_units_told(&as_it_is, -0.0), -0.0);
    assert_same_bits(tc_value_units_told(&binary, 0.75), 256);
    assert_same_bits(tc_value_units_told(&decimal, 2), -1500);
    assert_true(tc_value_units_maximize(&binary, true));
    assert_false(tc_value_units_maximize(&binary, false));
    assert_false(tc_value_units_maximize(&negated, true));
    assert_true(tc_value_units_maximize(&negated, false));
}

static void test_ranges(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_ok(tc_value_units_check(&(tc_value_units){0}, &err));
    assert_ok(tc_value_units_check(&(tc_value_units){.scale = 1e12, .shift = -1e12}, &err));
    assert_fails(tc_value_units_check(&(tc_value_units){.scale = -2}, &err), TACIT_E_ARG,
                 "the scale of values must be in (0, 1e+12], got -2");
    assert_fails(tc_value_units_check(&(tc_value_units){.scale = NAN}, &err), TACIT_E_ARG,
                 "the scale of values must be in (0, 1e+12], got nan");
    assert_fails(tc_value_units_check(&(tc_value_units){.shift = -2e12}, &err), TACIT_E_ARG,
                 "the shift of values must be in [-1e+12, 1e+12], got -2e+12");
}

static void test_units_are_part_of_an_identity(void **state)
{
    (void)state;
    tc_text text = {0};
    tc_value_units_identify(&(tc_value_units){.scale = 1}, &text);
    assert_int_equal(text.len, 0); /* checkpoints from before stay valid */
    tc_value_units_identify(&decimal, &text);
    assert_string_equal(tc_text_get(&text), "told 0x1.f4p+9 y + -0x1.f4p+8 negate 1\n");
    tc_text_fini(&text);
}

/* ---- one party ---- */

static tc_simulation single(const char *algorithm, const char *objective, uint64_t trials)
{
    tacit_error err = {0};
    tc_simulation s = {.objective = objective, .trials = trials, .runs = 2, .seed = 3};
    assert_ok(tc_algorithm_get(&s.algorithm, algorithm, &err));
    assert_ok(tc_options_defaults(tc_objective_options, &s.family.objective, &err));
    return s;
}

static tacit_curves simulate(tc_simulation s, tc_value_units units)
{
    tacit_error err = {0};
    tacit_curves r;
    s.units = units;
    assert_ok(tc_simulate(&s, &r, &err));
    return r;
}

/* Regrets are those of the objective, so the same regrets in every trial are the same points. */
static void assert_same_points(const tc_simulation *s, tc_value_units units)
{
    tacit_curves a = simulate(*s, (tc_value_units){0}), b = simulate(*s, units);
    assert_same_numbers(a.simple, b.simple, (size_t)(s->runs * s->trials));
    assert_same_numbers(a.cumulative, b.cumulative, (size_t)(s->runs * s->trials));
    tacit_curves_fini(&a);
    tacit_curves_fini(&b);
}

static const char *const names[] = {"gp-ei", "ts"};
enum { NAMES = sizeof names / sizeof *names };

/* The points are grid points: the rounding of a shift does not show in them. */
static void test_points_of_a_finite_domain(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        tc_simulation s = single(names[i], "gp-sample", 20);
        s.family.objective.dim = 2;
        s.family.objective.grid = 20;
        s.family.objective.noise = 1;
        assert_same_points(&s, scaled);
        assert_same_points(&s, negated);
        assert_same_points(&s, binary);
        assert_same_points(&s, decimal);
    }
}

/* On a box the points themselves have last digits. A power of two leaves them; a sum is rounded, and
 * then they agree up to what an ascent finds. */
static void test_points_of_a_box(void **state)
{
    (void)state;
    enum { TRIALS = 10 };
    for (size_t i = 0; i < NAMES; i++) {
        tc_simulation s = single(names[i], "branin", TRIALS);
        assert_same_points(&s, scaled);
        assert_same_points(&s, negated);
        assert_same_points(&s, (tc_value_units){.scale = 1024, .negate = true});
        tacit_curves a = simulate(s, (tc_value_units){0}), b = simulate(s, binary);
        for (size_t t = 0; t < 2 * TRIALS; t++)
            assert_close(b.cumulative[t], a.cumulative[t], 1e-3);
        tacit_curves_fini(&a);
        tacit_curves_fini(&b);
    }
}

/* What standardises nothing notices the units: they do arrive. */
static void test_units_arrive(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_simulation s = single("ts", "gp-sample", 20);
    const char *text = "{\"standardize\": false, \"fit\": false}";
    json_t *options = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "options", &options, &err));
    s.options = options;
    s.family.objective.grid = 50;
    tacit_curves a = simulate(s, (tc_value_units){0}), b = simulate(s, decimal);
    assert_true(a.cumulative[19] != b.cumulative[19]);
    tacit_curves_fini(&a);
    tacit_curves_fini(&b);
    json_decref(options);
}

static void test_files_have_the_units(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_simulation s = single("random", "branin", 3);
    s.units = decimal;
    tacit_curves r = simulate(s, s.units);
    json_t *j = NULL;
    assert_ok(tc_curves_json(&(tc_curve_part){.sim = &s, .curves = &r}, 1, &j, &err));
    const json_t *of = json_object_get(j, "objective_options");
    assert_same_bits(json_real_value(json_object_get(of, "value-scale")), 1000);
    assert_same_bits(json_real_value(json_object_get(of, "value-shift")), -500);
    assert_true(json_is_true(json_object_get(of, "value-negate")));
    json_decref(j);
    tacit_curves_fini(&r);
}

/* ---- federations ---- */

static void test_points_of_a_federation(void **state)
{
    (void)state;
    static const double points[] = {7, 31};
    const tacit_known_trial known[] = {{.agent = 0, .values = &points[0], .value = 1.5},
                                       {.agent = 1, .values = &points[1], .value = -0.5}};
    for (size_t i = 0; i < NAMES; i++) {
        const tc_value_units units[] = {scaled, negated, binary, decimal};
        setup s;
        make(&s, names[i], "{\"init\": 8}");
        s.f.family.objective.lengthscale = 0.2; /* far from all points, candidates would be level */
        s.f.agents = 2;
        s.f.trials = 10;
        s.f.known = known; /* in units of the objective, too */
        s.f.n_known = 2;
        s.f.by_agent = true;
        tacit_curves a = run(&s.f);
        for (size_t k = 0; k < 4; k++) {
            s.f.units = units[k];
            tacit_curves b = run(&s.f);
            assert_same_results(&a, &b);
            tacit_curves_fini(&b);
        }
        tacit_curves_fini(&a);
        end(&s);
    }
}

static bool same_points(const tacit_curves *a, const tacit_curves *b)
{
    size_t n = (size_t)(a->runs * a->agents * a->points);
    return memcmp(a->agent_cumulative, b->agent_cumulative, n * sizeof *a->agent_cumulative) == 0;
}

/* Agents of dp-fts-de begin with 3 points, and then ask by what they know and have heard. */
static tacit_curves federate(const char *options, tc_value_units units)
{
    setup s;
    make(&s, "dp-fts-de", options);
    s.f.family.objective.dim = 2;
    s.f.family.objective.grid = 12;
    s.f.family.objective.lengthscale = 0.3;
    s.f.trials = 7;
    s.f.by_agent = true;
    s.f.units = units;
    tacit_curves r = run(&s.f);
    assert_int_equal(r.initial, 3);
    end(&s);
    return r;
}

/* With default options; with a vote; with one release; and in a broadcast that is wrong. */
static void test_points_of_a_private_federation(void **state)
{
    (void)state;
    static const char *const options[] = {"{}", "{\"vote\": \"yes\", \"vote_multiplier\": 2}",
                                          "{\"releases\": \"first\", \"noise_multiplier\": 0.3}",
                                          "{\"broadcast\": \"reversed\"}"};
    const tc_value_units units[] = {scaled, negated, binary, decimal};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        tacit_curves a = federate(options[i], (tc_value_units){0});
        for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
            tacit_curves b = federate(options[i], units[k]);
            assert_same_results(&a, &b);
            tacit_curves_fini(&b);
        }
        tacit_curves_fini(&a);
    }
}

/* The model on shared features believes its public guess of units: it notices other ones. */
static void test_shared_features_notice_units(void **state)
{
    (void)state;
    const char *options = "{\"own\": \"features\", \"initial\": 3}";
    tacit_curves a = federate(options, (tc_value_units){0}), b = federate(options, decimal);
    assert_false(same_points(&a, &b));
    tacit_curves_fini(&a);
    tacit_curves_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_told),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_units_are_part_of_an_identity),
        cmocka_unit_test(test_points_of_a_finite_domain),
        cmocka_unit_test(test_points_of_a_box),
        cmocka_unit_test(test_units_arrive),
        cmocka_unit_test(test_files_have_the_units),
        cmocka_unit_test(test_points_of_a_federation),
        cmocka_unit_test(test_points_of_a_private_federation),
        cmocka_unit_test(test_shared_features_notice_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
