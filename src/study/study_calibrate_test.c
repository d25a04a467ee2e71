/* study_calibrate_test.c - the noise for an epsilon is found once; whoever finds other last digits agrees. */
#include "support/test.h"

#include "algo/dp_fts_de/dp_fts_de.h"
#include "base/json.h"
#include "base/memory.h"
#include "study/store.h"
#include "study/study.h"
#include "study/study_plan.h"
#include "wire/study_doc.h"

#include <string.h>

static const char fts_de[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": "
    "\"all\","
    " \"sampling\": \"poisson\", \"sampling_rate\": 0.5},"
    " \"federation\": {\"agents\": 40}, \"privacy\": {\"epsilon\": 4, \"delta\": 1e-4}}";

static tc_study_doc *document_of(const char *text)
{
    tacit_error err = {0};
    tc_study_doc *doc;
    assert_ok(tc_study_doc_restore(&doc, text, NULL, &err));
    return doc;
}

static tacit_status plan_of(tc_study_plan **out, const tc_study_doc *doc, tacit_error *why)
{
    tc_study_row row;
    tacit_error err = {0};
    assert_ok(tc_study_row_of(&row, doc, 5, &err));
    tacit_status status = tc_study_plan_new(out, &row, why);
    tc_study_row_fini(&row);
    return status;
}

/* What a party with this document has in force; the noise multiplier alone. */
static double noise_in_force(const tc_study_doc *doc)
{
    tacit_error err = {0};
    tc_study_plan *p;
    assert_ok(plan_of(&p, doc, &err));
    double z = json_real_value(json_object_get(p->options, "noise_multiplier"));
    tc_study_plan_free(p);
    return z;
}

static double carried_noise(const tc_study_doc *doc)
{
    return json_real_value(json_object_get(doc->calibrated, "noise_multiplier"));
}

static void set_noise(tc_study_doc *doc, double z)
{
    assert_int_equal(json_object_set_new(doc->calibrated, "noise_multiplier", json_real(z)), 0);
}

static tc_study_doc *calibrated_document(const char *text)
{
    tacit_error err = {0};
    tc_study_doc *doc = document_of(text);
    assert_ok(tc_study_calibrate(doc, &err));
    assert_non_null(doc->calibrated);
    return doc;
}

/* ---- */

/* A document from before: everybody searches, and finds what was found before. */
static void test_a_document_without_it_keeps_its_bits(void **state)
{
    tacit_error err = {0};
    tc_study_doc *doc = document_of(fts_de);
    tc_study_plan *p;
    (void)state;
    assert_ok(plan_of(&p, doc, &err));
    const tc_algorithm *a = doc->algorithm;
    tc_dp_fts_de_options o;
    assert_ok(tc_options_defaults_of(a->options, &o, true, &err));
    assert_ok(tc_options_set_json(a->options, &o, a->name, doc->options, NULL, &err));
    assert_ok(a->promise(&p->env, &o, 4, 1e-4, &err));
    assert_same_bits(noise_in_force(doc), o.noise_multiplier);
    tc_options_fini(a->options, &o);
    tc_study_plan_free(p);
    tc_study_doc_free(doc);
}

static void test_what_is_found_is_carried(void **state)
{
    tacit_error err = {0};
    tc_study_doc *doc = calibrated_document(fts_de), *plain = document_of(fts_de), *again;
    double found = noise_in_force(plain), z = carried_noise(doc);
    (void)state;
    assert_true(z > found && z < found * (1 + 2e-9));
    assert_true(json_integer_value(json_object_get(doc->calibrated, "regions")) >= 1);
    assert_same_bits(noise_in_force(doc), z);
    char *text = tc_study_doc_text(doc);
    assert_ok(tc_study_doc_restore(&again, text, NULL, &err));
    assert_same_bits(carried_noise(again), z); /* also as text */
    assert_ok(tc_study_calibrate(again, &err));
    assert_same_bits(carried_noise(again), z); /* once is enough */
    /* the file that it was made of still describes the study */
    assert_ok(tc_study_doc_same(doc, plain, &err));
    assert_fails(tc_study_doc_same(plain, doc, &err), TACIT_E_STATE,
                 "privacy.calibrated is absent");
    tc_free(text);
    tc_study_doc_free(again);
    tc_study_doc_free(plain);
    tc_study_doc_free(doc);
}

/* The party that checks is one whose own search would have ended elsewhere. */
static void test_last_digits_are_no_difference(void **state)
{
    tacit_error err = {0};
    tc_study_doc *doc = calibrated_document(fts_de);
    double z = carried_noise(doc);
    const double fine[] = {1,         1 + 1e-15, 1 - 1e-15, 1 + 1e-12, 1 - 1e-12,
                           1 + 1e-10, 1 - 1e-10, 1 - 5e-9,  1 + 1e-6};
    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        set_noise(doc, z * fine[i]);
        assert_same_bits(noise_in_force(doc), z * fine[i]);
    }
    tc_study_plan *p;
    const double less[] = {1 - 1e-6, 1 - 1e-3, 0.5};
    for (size_t i = 0; i < sizeof less / sizeof *less; i++) {
        set_noise(doc, z * less[i]);
        assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG,
                     "privacy.calibrated.noise_multiplier must be at least ");
    }
    tc_study_doc_free(doc);
}

/* Another choice than one's own, of regions say, is judged by the noise that it needs. */
static void test_other_choices_need_their_noise(void **state)
{
    tacit_error err = {0};
    tc_study_doc *doc = calibrated_document(fts_de);
    double z = carried_noise(doc);
    int64_t regions = json_integer_value(json_object_get(doc->calibrated, "regions"));
    tc_study_plan *p;
    (void)state;
    json_object_set_new(doc->calibrated, "regions", json_integer(regions + 1));
    assert_same_bits(noise_in_force(doc), z);
    set_noise(doc, z * 0.99);
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG, "must be at least ");
    json_object_set_new(doc->calibrated, "regions", json_integer(-1));
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG, "regions");
    json_object_clear(doc->calibrated);
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG,
                 "privacy.calibrated must have all that follows from epsilon, and regions is "
                 "missing");
    json_object_set_new(doc->calibrated, "regions", json_integer(regions));
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG, "must be at least ");
    tc_study_doc_free(doc);
}

/* ---- the vote of dp-fts-de has noise of its own ---- */

static const char voting[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 4, \"own\": \"gp\","
    " \"init\": \"domain\", \"lengthscale\": 0, \"releases\": \"0,3\"%s},"
    " \"federation\": {\"agents\": 100}, \"privacy\": {\"epsilon\": 4, \"delta\": 1e-4}}";

static double carried_vote(const tc_study_doc *doc)
{
    return json_real_value(json_object_get(doc->calibrated, "vote_multiplier"));
}

static void set_vote(tc_study_doc *doc, double z)
{
    assert_int_equal(json_object_set_new(doc->calibrated, "vote_multiplier", json_real(z)), 0);
}

/* It is carried and judged as the noise of the weights is: by size, not to the last digit. */
static void test_the_noise_of_a_vote_is_carried(void **state)
{
    (void)state;
    tacit_error err = {0};
    char text[sizeof voting];
    tc_study_plan *p;
    snprintf(text, sizeof text, voting, "");
    tc_study_doc *doc = calibrated_document(text), *plain = document_of(text);
    const double z = carried_vote(doc);
    const double fine[] = {1,         1 + 1e-15, 1 - 1e-15, 1 + 1e-12,
                           1 - 1e-12, 1 + 1e-10, 1 - 1e-10, 1 + 1e-6};
    const double less[] = {1 - 1e-6, 1 - 1e-3, 0.5, 0};
    assert_string_equal(json_string_value(json_object_get(doc->calibrated, "vote")), "yes");
    assert_ok(plan_of(&p, plain, &err));
    double found = json_real_value(json_object_get(p->options, "vote_multiplier"));
    tc_study_plan_free(p);
    assert_true(z > found && z < found * (1 + 2e-9));
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        set_vote(doc, z * fine[i]);
        assert_ok(plan_of(&p, doc, &err));
        assert_same_bits(json_real_value(json_object_get(p->options, "vote_multiplier")),
                         z * fine[i]);
        tc_study_plan_free(p);
    }
    for (size_t i = 0; i < sizeof less / sizeof *less; i++) {
        set_vote(doc, z * less[i]);
        assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG,
                     "privacy.calibrated.vote_multiplier must be at least ");
    }
    tc_study_doc_free(plain);
    tc_study_doc_free(doc);
}

/* A study made without a vote, by a party that would not have had one by a last digit, stays one. */
static void test_a_vote_is_a_choice(void **state)
{
    (void)state;
    tacit_error err = {0};
    char text[sizeof voting + 40];
    tc_study_plan *p;
    snprintf(text, sizeof text, voting, ", \"vote\": \"no\"");
    tc_study_doc *without = calibrated_document(text);
    snprintf(text, sizeof text, voting, "");
    tc_study_doc *doc = calibrated_document(text);
    double z = carried_noise(doc);
    json_object_set_new(doc->calibrated, "vote", json_string("no"));
    json_object_del(doc->calibrated, "vote_multiplier");
    assert_ok(plan_of(&p, doc, &err)); /* more noise than it needs */
    tc_study_plan_free(p);
    set_noise(doc, carried_noise(without));
    assert_ok(plan_of(&p, doc, &err));
    tc_study_plan_free(p);
    json_object_set_new(doc->calibrated, "vote", json_string("yes"));
    set_vote(doc, 1e3); /* ever so little for the vote does not pay for the weights */
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG,
                 "privacy.calibrated.noise_multiplier must be at least ");
    set_noise(doc, z);
    assert_ok(plan_of(&p, doc, &err));
    tc_study_plan_free(p);
    tc_study_doc_free(without);
    tc_study_doc_free(doc);
    snprintf(text, sizeof text, voting, ", \"vote_multiplier\": 3");
    assert_fails(tc_study_doc_restore(&doc, text, NULL, &err), TACIT_E_CORRUPT,
                 "privacy.epsilon and algorithm.vote_multiplier must not both be given");
}

/* ---- */

static void release_round(const tc_study_plan *p, tc_ledger *l, uint64_t round)
{
    tacit_error err = {0};
    const tc_aggregator_ops *ops = p->doc->algorithm->aggregator;
    tc_ledger_charge charge = {.study = p->hash, .round = round};
    tc_ledger_receipt receipt;
    tc_release *release;
    tc_noise noise;
    void *state = tc_alloc(1, ops->state_size);
    assert_non_null(state);
    tc_noise_init(&noise);
    tc_entropy e = tc_entropy_of(&noise);
    assert_ok(ops->open(state, &p->env, p->opts, round, &e, &err));
    assert_ok(ops->close(state, &release, &err));
    ops->fini(state);
    tc_free(state);
    tc_noise_fini(&noise);
    assert_ok(tc_ledger_release(l, &p->limit, &charge, release, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(release);
}

/* The vote and all weights, to the last; then nothing more. */
static void test_the_ledger_takes_a_vote_and_its_weights(void **state)
{
    (void)state;
    static const char *const releases[] = {"first", "0,3", "all"};
    static const uint64_t entries[] = {2, 3, 9};
    for (size_t k = 0; k < 3; k++) {
        tacit_error err = {0};
        char text[sizeof voting];
        tc_store *store;
        tc_ledger_io io;
        tc_ledger *l;
        tc_study_plan *p;
        tc_round_price price;
        uint64_t round;
        snprintf(text, sizeof text, voting, "");
        tc_study_doc *doc = document_of(text);
        json_object_set_new(doc->options, "releases", json_string(releases[k]));
        assert_ok(tc_study_calibrate(doc, &err));
        assert_ok(plan_of(&p, doc, &err));
        assert_ok(tc_store_open(&store, "memory:", true, &err));
        assert_ok(tc_store_ledger(store, "s", true, &io, &err));
        assert_ok(tc_ledger_open(&l, "s", &io, &err));
        assert_ok(tc_study_plan_next_round(p, 0, &round, &err));
        while (round != TC_NO_ROUND) {
            release_round(p, l, round);
            assert_ok(tc_study_plan_next_round(p, round + 1, &round, &err));
        }
        assert_int_equal(tc_ledger_get_head(l).seq, entries[k]);
        const tc_ledger_entry *vote = tc_ledger_get(l, 1, NULL), *next = tc_ledger_get(l, 2, NULL);
        assert_true(vote->event.parameter >= carried_vote(doc));
        assert_close(vote->event.parameter, carried_vote(doc), 1e-6);
        assert_close(next->event.parameter, carried_noise(doc), 1e-6);
        assert_true(vote->distance > 0 && vote->distance < next->distance * 9);
        assert_ok(tc_study_plan_price(p, 1, &price, &err));
        assert_fails(tc_ledger_would(l, &p->limit, TACIT_UNIT_AGENT, NULL, &price.event, 0, &err),
                     TACIT_E_BUDGET, "");
        tc_ledger_close(l);
        tc_store_close(store);
        tc_study_plan_free(p);
        tc_study_doc_free(doc);
    }
}

static void check_tree(const char *protect)
{
    tacit_error err = {0};
    char text[700];
    tc_study_plan *p;
    snprintf(text, sizeof text,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 4000,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-pf-pne\", \"protect\": \"%s\"},"
             " \"federation\": {\"agents\": 300}, \"privacy\": {\"epsilon\": 3, \"delta\": 1e-5}}",
             protect);
    tc_study_doc *doc = calibrated_document(text), *plain = document_of(text);
    double z = carried_noise(doc), found = noise_in_force(plain);
    if (strcmp(protect, "record") == 0) /* a division: all machines agree */
        assert_same_bits(z, found);
    else
        assert_true(z > found && z < found * (1 + 2e-9));
    assert_same_bits(noise_in_force(doc), z);
    set_noise(doc, z * (1 - 1e-6));
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG, "must be at least ");
    tc_study_doc_free(plain);
    tc_study_doc_free(doc);
}

static void test_trees_carry_theirs(void **state)
{
    (void)state;
    check_tree("client");
    check_tree("record");
}

static void test_where_there_is_no_epsilon(void **state)
{
    tacit_error err = {0};
    char text[sizeof fts_de + 100];
    const char *privacy = strstr(fts_de, "\"privacy\"");
    static const struct {
        const char *privacy, *why;
    } bad[] = {
        {"{\"noise_multiplier\": 1, \"calibrated\": {\"regions\": 2}}",
         "privacy.calibrated must be an object of options beside an epsilon, got it without one"},
        {"{\"epsilon\": 1, \"delta\": 1e-5, \"calibrated\": 3}",
         "privacy.calibrated must be an object of options beside an epsilon, got a number"},
    };
    (void)state;
    snprintf(text, sizeof text, "%.*s\"privacy\": {\"noise_multiplier\": 1}}",
             (int)(privacy - fts_de), fts_de);
    tc_study_doc *doc = document_of(text);
    assert_ok(tc_study_calibrate(doc, &err));
    assert_null(doc->calibrated);
    tc_study_doc_free(doc);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "%.*s\"privacy\": %s}", (int)(privacy - fts_de), fts_de,
                 bad[i].privacy);
        assert_fails(tc_study_doc_restore(&doc, text, NULL, &err), TACIT_E_CORRUPT, bad[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_document_without_it_keeps_its_bits),
        cmocka_unit_test(test_what_is_found_is_carried),
        cmocka_unit_test(test_last_digits_are_no_difference),
        cmocka_unit_test(test_other_choices_need_their_noise),
        cmocka_unit_test(test_the_noise_of_a_vote_is_carried),
        cmocka_unit_test(test_a_vote_is_a_choice),
        cmocka_unit_test(test_the_ledger_takes_a_vote_and_its_weights),
        cmocka_unit_test(test_trees_carry_theirs),
        cmocka_unit_test(test_where_there_is_no_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
