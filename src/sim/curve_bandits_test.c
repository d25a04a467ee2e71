/* curve_bandits_test.c - results by pulls: ratios against a slow reference, files that read back. */
#include "support/test.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/curve_file.h"

enum { RUNS = 6, POINTS = 20 };

typedef struct simulated {
    tc_simulation p;
    tacit_curves r;
    json_t *options;
} simulated;

static void simulate(simulated *s, const tc_bandit *b)
{
    tacit_error err = {0};
    *s = (simulated){.options = json_pack("{s:f}", "rho", 0.5)};
    s->p = (tc_simulation){.source = &tc_source_bandits,
                           .bandit = b,
                           .options = s->options,
                           .objective = "garland",
                           .high = 1,
                           .scale = 0.1,
                           .agents = 3,
                           .trials = 1000,
                           .runs = RUNS,
                           .seed = 9,
                           .points = POINTS};
    assert_ok(tc_options_defaults(tc_family_options, &s->p.family, &err));
    assert_ok(tc_simulate(&s->p, &s->r, &err));
}

static void end(simulated *s)
{
    json_decref(s->options);
    tacit_curves_fini(&s->r);
}

static void both(simulated s[2], tc_curve_part parts[2])
{
    simulate(&s[0], &tc_bandit_hct);
    simulate(&s[1], &tc_bandit_pf_pne);
    parts[0] = (tc_curve_part){.label = "hct", .sim = &s[0].p, .curves = &s[0].r};
    parts[1] = (tc_curve_part){.label = "pf-pne, \"late\"", .sim = &s[1].p, .curves = &s[1].r};
}

/* The p-value over all 2^RUNS patterns of signs, one by one. */
static double slow_p(const double *a, const double *b, size_t point)
{
    double seen = 0, large = 0;
    for (size_t r = 0; r < RUNS; r++)
        seen += a[r * POINTS + point] - b[r * POINTS + point];
    for (unsigned signs = 0; signs < 1 << RUNS; signs++) {
        double sum = 0;
        for (size_t r = 0; r < RUNS; r++)
            sum += (signs >> r & 1 ? -1 : 1) * (a[r * POINTS + point] - b[r * POINTS + point]);
        large += fabs(sum) >= fabs(seen) * (1 - 1e-12);
    }
    return large / (1 << RUNS);
}

static void test_ratios(void **state)
{
    (void)state;
    tacit_error err = {0};
    simulated s[2];
    tc_curve_part parts[2];
    tacit_contrast *rows;
    size_t n;
    both(s, parts);
    assert_ok(tc_curve_contrasts(parts, 2, &rows, &n, &err));
    assert_int_equal(n, 3);
    const size_t at[] = {1, 9, 19}; /* a tenth, a half, all of 20 points */
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rows[i].of, 1);
        assert_int_equal(rows[i].point, at[i]);
        assert_close(rows[i].ratio.ratio,
                     s[1].r.cumulative_mean[at[i]] / s[0].r.cumulative_mean[at[i]], 1e-12);
        assert_true(rows[i].ratio.low <= rows[i].ratio.ratio &&
                    rows[i].ratio.ratio <= rows[i].ratio.high);
        assert_close(rows[i].ratio.p, slow_p(s[1].r.cumulative, s[0].r.cumulative, at[i]), 1e-15);
    }
    tc_free(rows);
    s[0].r.runs = 1; /* nothing to pair */
    assert_ok(tc_curve_contrasts(parts, 2, &rows, &n, &err));
    assert_int_equal(n, 0);
    tc_free(rows);
    s[0].r.runs = RUNS;
    end(&s[0]);
    end(&s[1]);
}

static void check_curves(const tacit_curve_set *c, const simulated s[2])
{
    assert_int_equal(c->n, 2);
    assert_string_equal(c->items[0].label, "hct");
    assert_string_equal(c->items[1].label, "pf-pne, \"late\"");
    assert_string_equal(c->items[1].algorithm, "pf-pne");
    for (size_t k = 0; k < 2; k++) {
        const tacit_curves *v = &c->items[k];
        assert_true(v->by_pulls && v->points == POINTS && v->runs == RUNS && v->seed == 9);
        assert_string_equal(v->objective, "garland");
        for (size_t i = 0; i < POINTS; i++) {
            assert_same_bits(v->at[i], (double)s[k].r.at[i]);
            assert_same_bits(v->cumulative_mean[i], s[k].r.cumulative_mean[i]);
            assert_same_bits(v->cumulative_se[i], s[k].r.cumulative_se[i]);
            assert_null(v->simple_mean);
        }
    }
}

static void test_files_read_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    simulated s[2];
    tc_curve_part parts[2];
    tc_text csv = {0};
    tacit_curve_set from_csv = {0}, from_json = {0}, one = {0};
    json_t *j;
    both(s, parts);
    assert_ok(tc_curves_csv(parts, 2, &csv, &err));
    assert_ok(tc_curves_from_csv(&from_csv, tc_text_get(&csv), csv.len, "it", &err));
    check_curves(&from_csv, s);
    assert_ok(tc_curves_json(parts, 2, &j, &err));
    assert_ok(tc_curves_from_json(&from_json, j, "it", &err));
    check_curves(&from_json, s);
    assert_int_equal(json_array_size(json_object_get(j, "ratios")), 3);
    json_decref(j);
    assert_ok(tc_curves_json(parts, 1, &j, &err));
    assert_ok(tc_curves_from_json(&one, j, "it", &err));
    assert_int_equal(one.n, 1);
    assert_true(json_number_value(json_object_get(j, "pulls_per_second")) > 0);
    json_decref(j);
    tacit_curve_set_fini(&from_csv);
    tacit_curve_set_fini(&from_json);
    tacit_curve_set_fini(&one);
    tc_text_fini(&csv);
    end(&s[0]);
    end(&s[1]);
}

/* A file by pulls needs its cumulative regret. */
static void test_what_is_missing(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_curve_set c = {0};
    const char *csv = "label,algorithm,objective,runs,seed,pulls,cumulative_regret_mean\n";
    assert_fails(tc_curves_from_csv(&c, csv, strlen(csv), "it", &err), TACIT_E_ARG,
                 "it has no column \"cumulative_regret_se\"");
    json_t *j = json_pack("{s:s, s:s, s:i, s:i, s:[]}", "algorithm", "hct", "objective", "garland",
                          "runs", 1, "seed", 0, "pulls");
    assert_fails(tc_curves_from_json(&c, j, "it", &err), TACIT_E_ARG,
                 "pulls must be an array with at least one number");
    json_decref(j);
    tacit_curve_set_fini(&c);
}

static void test_communication_is_a_mean(void **state)
{
    (void)state;
    tacit_run_counts counts[] = {
        {.rounds = 1, .last_round_at = 10, .numbers_up = 0, .numbers_down = 7},
        {.rounds = 4, .last_round_at = 20, .numbers_up = 5, .numbers_down = 7}};
    tacit_curves r = {.runs = 2, .counts = counts};
    tacit_talk t = tacit_curves_talk(&r);
    assert_true(t.rounds == 2.5 && t.last_round_at == 15 && t.numbers_up == 2.5 &&
                t.numbers_down == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_files_read_back),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_communication_is_a_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
