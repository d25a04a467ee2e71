/* plan_api_test.c - what a federated study plans, from its document: releases, cost, expectation. */
#include <tacit/plan.h>
#include <tacit/release.h>

#include "support/test.h"
#include "wire/dealing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>

#define DOCUMENT(algorithm, rest)                                                                  \
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 8, \"seed\": 7,"                   \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {" algorithm "}" rest "}"
#define FEDERATED                                                                                  \
    DOCUMENT("\"name\": \"dp-fts-de\", \"features\": 6, \"initial\": 3, \"releases\": \"0,1,3\"",  \
             ", \"federation\": {\"agents\": 2}, \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}")

static tacit_document *parse(const char *text)
{
    tacit_error err = {0};
    tacit_document *d;
    assert_ok(tacit_document_parse(&d, text, &err));
    return d;
}

static void every_release_has_its_price(void **state)
{
    (void)state;
    static const uint64_t rounds[] = {0, 1, 3};
    tacit_error err = {0};
    tacit_document *d = parse(FEDERATED);
    tacit_plan *p;
    char *before, *after;
    assert_ok(tacit_document_text(d, &before, &err));
    assert_ok(tacit_plan_new(&p, d, &err));
    assert_ok(tacit_document_text(d, &after, &err)); /* its noise was found in a copy */
    assert_string_equal(before, after);
    tacit_text_free(before);
    tacit_text_free(after);
    tacit_document_free(d);
    const tacit_plan_summary *s = tacit_plan_summarize(p);
    assert_null(s->statement);
    assert_null(tacit_plan_get(p, 0));
    for (int twice = 0; twice < 2; twice++) {
        assert_ok(tacit_plan_cost(p, &err));
        assert_int_equal(s->releases, 3);
        for (size_t i = 0; i < 3; i++) {
            const tacit_planned *one = tacit_plan_get(p, i);
            assert_int_equal(one->round, rounds[i]);
            assert_int_equal(one->message_bytes, 16 + 8 * 6); /* the features of the document */
            assert_int_equal(one->event.mechanism, TACIT_DP_GAUSSIAN);
            assert_true(one->epsilon > 0 && one->epsilon_so_far >= one->epsilon);
            assert_true(i == 0 || one->epsilon_so_far > tacit_plan_get(p, i - 1)->epsilon_so_far);
        }
        assert_null(tacit_plan_get(p, 3));
        assert_same_bits(s->epsilon, tacit_plan_get(p, 2)->epsilon_so_far);
    }
    assert_true(s->epsilon > 4.9 && s->epsilon <= 5);
    assert_close(s->delta, 1e-5, 0);
    assert_int_equal(s->unit, TACIT_UNIT_AGENT);
    assert_string_equal(s->not_private, "");
    assert_memory_equal(s->statement, "Nothing is spent yet. Planned: every agent: epsilon ", 52);
    assert_non_null(strstr(s->statement, tacit_statement_trust()));
    tacit_plan_free(p);
}

static void it_says_what_to_expect(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_plan *p;
    tacit_document *d = parse(FEDERATED);
    assert_ok(tacit_plan_new(&p, d, &err));
    const tacit_plan_summary *s = tacit_plan_summarize(p);
    assert_int_equal(s->size, sizeof *s);
    assert_non_null(strstr(s->expect, "\"sentence\""));
    assert_non_null(s->expect_sentence);
    assert_true((s->lengthscale > 0) == (*s->lengthscale_sentence != '\0'));
    tacit_plan_free(p);
    tacit_document_free(d);
}

/* With one colluding trustee more, two of four dealers are left where there were three to count on. */
static void assert_towards_two(const tacit_plan *p)
{
    static const char words[] = " Towards a coordinator and 2 trustees: epsilon ";
    tacit_error err = {0};
    tacit_dp_event events[3];
    tacit_guarantee g = TACIT_GUARANTEE;
    const char *said = strstr(tacit_plan_summarize(p)->statement, words);
    assert_non_null(said);
    for (size_t i = 0; i < 3; i++) {
        events[i] = tacit_plan_get(p, i)->event;
        events[i].parameter *= sqrt(2.0 / 3);
    }
    assert_ok(tacit_account("gaussian", events, 3, 1e-5, &g, &err));
    const double epsilon = strtod(said + sizeof words - 1, NULL);
    assert_true(epsilon >= g.epsilon && epsilon < g.epsilon * (1 + 1e-4));
    assert_null(strstr(said, "3 trustees: epsilon"));
}

/* The same epsilon and noise; who is trusted is said, and what leaves is shares. */
static void trustees_are_planned_for(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_plan *central, *p;
    tacit_document *d = parse(FEDERATED);
    assert_ok(tacit_plan_new(&central, d, &err));
    tacit_document_free(d);
    d = parse(DOCUMENT("\"name\": \"dp-fts-de\", \"features\": 6, \"initial\": 3, \"releases\": "
                       "\"0,1,3\"",
                       ", \"federation\": {\"agents\": 2, \"trustees\": 5}, \"privacy\": "
                       "{\"epsilon\": 5, \"delta\": 1e-5}"));
    assert_ok(tacit_plan_new(&p, d, &err));
    tacit_document_free(d);
    assert_ok(tacit_plan_cost(central, &err));
    assert_ok(tacit_plan_cost(p, &err));
    const tacit_plan_summary *s = tacit_plan_summarize(p), *c = tacit_plan_summarize(central);
    assert_null(c->trustees);
    assert_null(c->trustees_sentence);
    assert_string_equal(c->trust, tacit_statement_trust());
    assert_close(s->epsilon, c->epsilon, 1e-6);
    for (size_t i = 0; i < 3; i++) {
        assert_close(tacit_plan_get(p, i)->event.parameter,
                     tacit_plan_get(central, i)->event.parameter, 1e-6);
        /* head, five boxes, three of them with a seed */
        assert_int_equal(tacit_plan_get(p, i)->message_bytes,
                         TC_DEALING_HEAD + 5 * TC_BOX_OVERHEAD + 3 * 32 + 2 * 8 * 6);
    }
    assert_non_null(strstr(s->trust, "up to 1 of the 5 trustees"));
    assert_non_null(strstr(s->statement, s->trust));
    assert_null(strstr(s->statement, tacit_statement_trust()));
    assert_towards_two(p);
    assert_non_null(strstr(s->trustees, "\"agent_sends\""));
    assert_memory_equal(s->trustees_sentence, "5 trustees add up what agents send", 34);
    tacit_plan_free(p);
    tacit_plan_free(central);
}

static void refused(const char *text, const char *why)
{
    tacit_error err = {0};
    tacit_plan *p;
    tacit_document *d = parse(text);
    assert_fails(tacit_plan_new(&p, d, &err), TACIT_E_ARG, why);
    tacit_document_free(d);
}

static void what_trustees_cannot_do_is_refused_before_a_study_is_made(void **state)
{
#define TRUSTEES ", \"federation\": {\"agents\": 2, \"trustees\": 3}"
    (void)state;
    refused(DOCUMENT("\"name\": \"fts\"", TRUSTEES ", \"privacy\": \"none\""),
            "federation.trustees: fts has no sums that trustees could add up; a study with "
            "trustees takes one of dp-fts-de, dp-pf-pne");
    refused(DOCUMENT("\"name\": \"dp-fts-de\", \"initial\": 3, \"sampling_rate\": 0.5",
                     TRUSTEES ", \"privacy\": {\"noise_multiplier\": 2}"),
            "federation.trustees: sampling_rate must be 1, got 0.5: nobody draws a secret coin for "
            "others");
    refused(DOCUMENT("\"name\": \"dp-pf-pne\", \"protect\": \"record\"",
                     TRUSTEES ", \"privacy\": {\"noise_multiplier\": 2}"),
            "federation.trustees: protect must be client, got record: trustees deal no noise for "
            "single rewards");
    refused(DOCUMENT("\"name\": \"dp-fts-de\"",
                     TRUSTEES ", \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": "
                              "1e-5, \"range\": [0, 1]}"),
            "federation.trustees: with privacy.unit \"record\" values have their noise before "
            "anything is sent, and need no trustees");
    refused(
        DOCUMENT("\"name\": \"dp-fts-de\", \"initial\": 3, \"releases\": \"0,1\"",
                 TRUSTEES ", \"privacy\": {\"noise_multiplier\": 1e-3}"),
        "the noise multiplier 0.001 is too small: each of 2 honest dealers would draw noise of");
    refused("{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 5000, \"space\": {\"x\": "
            "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": "
            "\"dp-fts-de\", \"initial\": 3, \"releases\": \"0,4096\"}" TRUSTEES
            ", \"privacy\": {\"noise_multiplier\": 2}}",
            "federation.trustees: rounds must be below 4096, for trustees make a key for each "
            "beforehand, and this study has round 4096");
#undef TRUSTEES
}

/* Of one party, and of a federation whose messages cost nothing: evaluations are what is paid for. */
static void records_pay_for_evaluations(void **state)
{
    (void)state;
    static const char *const more[] = {"", ", \"federation\": {\"agents\": 2}"},
                             *const algorithms[] = {"gp-ei", "fts"};
    tacit_error err = {0};
    for (int i = 0; i < 2; i++) {
        char text[640];
        tacit_plan *p;
        snprintf(text, sizeof text,
                 "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 9, \"space\": {\"x\": "
                 "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": \"%s\"%s, "
                 "\"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, \"range\": "
                 "[0, 3]}}",
                 algorithms[i], more[i]);
        tacit_document *d = parse(text);
        assert_ok(tacit_plan_new(&p, d, &err));
        assert_ok(tacit_plan_cost(p, &err));
        const tacit_plan_summary *s = tacit_plan_summarize(p);
        assert_string_equal(s->not_private, "");
        assert_int_equal(s->unit, TACIT_UNIT_RECORD);
        assert_int_equal(s->releases, 9);
        assert_true(s->epsilon <= 1 && s->epsilon > 0.999);
        assert_close(tacit_plan_get(p, 8)->event.parameter, 3 * 3.7306316, 1e-3);
        assert_null(tacit_plan_get(p, 9));
        assert_null(s->expect_sentence);
        assert_non_null(strstr(s->statement, "times its sensitivity, which is 3 / records"));
        tacit_plan_free(p);
        tacit_document_free(d);
    }
}

static void replies_are_planned_for_one_user(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_plan *p = NULL;
    tacit_document *d =
        parse(DOCUMENT("\"name\": \"ldp-tgp\", \"epsilon\": 0.5, \"answers\": 3", ""));
    assert_ok(tacit_plan_new(&p, d, &err));
    assert_ok(tacit_plan_cost(p, &err));
    const tacit_plan_summary *s = tacit_plan_summarize(p);
    assert_int_equal(s->unit, TACIT_UNIT_USER);
    assert_int_equal(s->releases, 3);
    assert_true(s->epsilon == 1.5 && s->delta == 0);
    assert_string_equal(s->accountant, "pure");
    assert_true(tacit_plan_get(p, 1)->epsilon == 0.5 && tacit_plan_get(p, 1)->epsilon_so_far == 1);
    assert_string_equal(tacit_plan_get(p, 2)->about, "a reply");
    assert_non_null(strstr(s->statement, "every user: epsilon 1.5, delta 0 (pure) over 3 releases. "
                                         "Neighbours: any two values of one user"));
    tacit_plan_free(p);
    tacit_document_free(d);
}

static void what_cannot_be_planned_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_plan *p = NULL;
    tacit_document *alone = parse(DOCUMENT("\"name\": \"gp-ei\"", "")),
                   *relay = parse(DOCUMENT("\"name\": \"fts\"", ", \"federation\": {\"agents\": 2},"
                                                                " \"privacy\": \"none\""));
    assert_int_equal(tacit_plan_new(&p, alone, &err), TACIT_E_ARG);
    assert_int_equal(tacit_plan_new(&p, NULL, NULL), TACIT_E_ARG);
    assert_null(p);
    assert_ok(tacit_plan_new(&p, relay, &err));
    assert_null(tacit_plan_summarize(p)->expect);
    assert_fails(tacit_plan_cost(p, &err), TACIT_E_UNSUPPORTED,
                 "fts releases no sums: messages are handed on without noise");
    tacit_plan_free(p);
    tacit_plan_free(NULL);
    tacit_document_free(alone);
    tacit_document_free(relay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_release_has_its_price),
        cmocka_unit_test(it_says_what_to_expect),
        cmocka_unit_test(trustees_are_planned_for),
        cmocka_unit_test(what_trustees_cannot_do_is_refused_before_a_study_is_made),
        cmocka_unit_test(records_pay_for_evaluations),
        cmocka_unit_test(replies_are_planned_for_one_user),
        cmocka_unit_test(what_cannot_be_planned_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
