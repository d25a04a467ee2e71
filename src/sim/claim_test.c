/* claim_test.c - what the files of a simulation with a curator say about privacy. What they say where
 * users reply is in answers_test.c. */
#include "support/curated_fixture.h"

#include "base/json.h"
#include "base/memory.h"
#include "sim/claim.h"
#include "sim/curve_file.h"

enum { D = FIXTURE_DIMS, TRIALS = 3, RUNS = 2 };

static json_t *file_of(const tc_simulation *sim, tc_text *csv)
{
    tacit_error err = {0};
    tacit_curves r;
    json_t *j;
    assert_ok(tc_simulate(sim, &r, &err));
    const tc_curve_part part = {.sim = sim, .curves = &r};
    assert_ok(tc_curves_json(&part, 1, &j, &err));
    assert_ok(tc_curves_csv(&part, 1, csv, &err));
    assert_false(csv->failed);
    tacit_curves_fini(&r);
    return j;
}

static const char *string_at(const json_t *j, const char *key)
{
    return json_string_value(json_object_get(j, key));
}

static void test_sound_files(void **state)
{
    fixture *d = *state;
    tc_text csv = {0};
    d->terms.output_epsilon = 0.5;
    d->terms.output_bound = 2;
    tc_simulation sim = simulation_of(d, TRIALS, RUNS);
    json_t *j = file_of(&sim, &csv);
    const json_t *privacy = json_object_get(j, "privacy");
    const json_t *deployed = json_object_get(privacy, "if_deployed");
    assert_true(json_is_false(json_object_get(privacy, "private")));
    assert_string_equal(string_at(privacy, "reason"), "seeded");
    assert_same_bits(json_real_value(json_object_get(deployed, "epsilon")), 3);
    assert_same_bits(json_real_value(json_object_get(deployed, "delta")), 0);
    assert_same_bits(json_real_value(json_object_get(deployed, "output_epsilon")), 0.5);
    assert_string_equal(string_at(deployed, "unit"), "row");
    assert_string_equal(string_at(deployed, "mechanism"), "laplace-rows");
    assert_non_null(strstr(string_at(deployed, "statement"),
                           "every row: epsilon 3, delta 0 (pure) over 1 release. Neighbours: one "
                           "row moves by at most the public radius"));
    assert_non_null(strstr(string_at(deployed, "statement"),
                           "A row whose value is asked for spends epsilon 0.5 more, once."));
    assert_string_equal(string_at(json_object_get(j, "release"), "mode"), "sound");
    assert_close(json_real_value(json_object_get(json_object_get(j, "options"), "input_sd")),
                 sqrt(2) * sqrt(D) / 3, 1e-6);
    assert_non_null(strstr(csv.data, "cumulative_regret_se,epsilon,delta,statement,evaluations\n"));
    assert_non_null(strstr(csv.data, ",3,0,\"NOT PRIVATE: seeded. If deployed: every row"));
    json_decref(j);
    tc_text_fini(&csv);
}

static void test_gaussian_claim(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tc_sim_claim claim;
    d->terms.delta = 1e-3;
    d->terms.noise = TACIT_ROWS_GAUSSIAN;
    tc_simulation sim = simulation_of(d, TRIALS, RUNS);
    assert_ok(tc_sim_claim_init(&claim, &sim, &err));
    assert_string_equal(claim.mechanism, "gaussian-rows");
    assert_true(claim.epsilon <= 3.001 && claim.epsilon > 2.9); /* what was asked for, used up */
    assert_same_bits(claim.delta, 1e-3);
    tc_sim_claim_fini(&claim);
}

static void test_paper_files(void **state)
{
    fixture *d = *state;
    tc_text csv = {0};
    d->terms.mode = TACIT_ROW_PAPER;
    d->terms.delta = 1e-5;
    d->terms.rank = 3;
    tc_simulation sim = simulation_of(d, TRIALS, RUNS);
    json_t *j = file_of(&sim, &csv);
    const json_t *privacy = json_object_get(j, "privacy");
    assert_true(json_is_false(json_object_get(privacy, "private")));
    assert_true(json_is_null(json_object_get(privacy, "if_deployed")));
    assert_non_null(strstr(string_at(privacy, "statement"),
                           "NOT PRIVATE: seeded. If deployed, there would be no guarantee either: "
                           "a random projection shows the column space"));
    assert_null(json_object_get(json_object_get(j, "release"), "epsilon"));
    assert_non_null(strstr(csv.data, ",,,,1\n"));
    json_decref(j);
    tc_text_fini(&csv);
}

static void test_plain_simulations_claim_nothing(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tc_sim_claim claim;
    tc_text text = {0};
    tc_simulation sim = simulation_of(d, TRIALS, RUNS);
    sim.curated = NULL;
    assert_ok(tc_sim_claim_init(&claim, &sim, &err));
    tc_sim_claim_statement(&claim, &text);
    assert_false(claim.there);
    assert_int_equal(text.len, 0);
    tc_sim_claim_fini(&claim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(test_sound_files),
        WITH_FIXTURE(test_gaussian_claim),
        WITH_FIXTURE(test_paper_files),
        WITH_FIXTURE(test_plain_simulations_claim_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
