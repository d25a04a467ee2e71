/* trustees_plan_test.c - what trustees can do without and the bytes of a round: from terms alone, in numbers and words. */
#include "study/trustees_plan.h"

#include "base/json.h"
#include "base/memory.h"
#include "support/test.h"
#include "wire/dealing.h"

#include <string.h>

static tc_shared_plan round_of(uint32_t trustees)
{
    return (tc_shared_plan){
        .trustees = tc_trustees_usual(trustees), .agents = 30, .groups = 2, .width = 100};
}

/* What is sent by all is what is got. */
static void bytes_are_those_of_the_formats(void **state)
{
    (void)state;
    for (uint32_t K = 3; K <= 16; K++) {
        const tc_shared_plan p = round_of(K);
        const tc_round_bytes b = tc_trustees_bytes(&p);
        const uint64_t t = p.trustees.degree, r = p.trustees.dealers;
        const uint64_t box = TC_BOX_OVERHEAD, head = TC_DEALING_HEAD, words = 8 * 100;
        const uint64_t deal = head + K * box + 32 * t + words * (K - t);
        const uint64_t noise = head + K * box + 32 * t + 2 * words * (K - t);
        const uint64_t answer = 4 + 4 + 8 + 4 + 32 + 4 + 2 * words;
        const uint64_t set = 4 + 4 + 8 + 4 + 4 + 40 * (30 + r);
        assert_int_equal(b.agent_sends, deal);
        assert_int_equal(b.agent_gets, 2 * words);
        assert_int_equal(b.trustee_sends, noise + answer);
        assert_int_equal(b.trustee_gets, set + 30 * (box + words) + r * (box + 2 * words));
        assert_int_equal(b.coordinator_gets, 30 * deal + K * (noise + answer));
        /* every box of a dealing goes to its trustee; of noise those of r dealers */
        assert_int_equal(b.coordinator_sends,
                         30 * 2 * words + K * set + 30 * (deal - head) + r * (noise - head));
    }
}

static void assert_described(const tc_trustees *t, const char *said)
{
    const tc_shared_plan none = {.agents = 0};
    tc_text text = {0};
    tc_trustees_describe(t, &none, &text);
    assert_string_equal(tc_text_get(&text), said);
    tc_text_fini(&text);
}

/* Never all at once: what is noticed where some are absent is said of that case. */
static void what_a_round_can_do_without_is_said(void **state)
{
    (void)state;
    tc_trustees t = tc_trustees_usual(3);
    assert_described(
        &t, "3 trustees add up what agents send and deal the noise: any 3 answers open a sum, 1 "
            "trustee may collude with the coordinator, and the noise of 3 is in every sum: 1.22 "
            "times (sd) what a trusted coordinator adds. None of them may be absent. A wrong "
            "answer is not noticed, even if all answer.");
    t = tc_trustees_usual(5);
    assert_described(
        &t, "5 trustees add up what agents send and deal the noise: any 4 answers open a sum, 1 "
            "trustee may collude with the coordinator, and the noise of 4 is in every sum: 1.15 "
            "times (sd) what a trusted coordinator adds. 1 of them may be absent in a round; then "
            "no wrong answer is noticed. If all answer, up to 1 wrong answer is noticed, and of "
            "these none can be named.");
    t = (tc_trustees){.count = 9, .degree = 5, .colluding = 2, .dealers = 8};
    assert_described(
        &t, "9 trustees add up what agents send and deal the noise: any 6 answers open a sum, 2 "
            "trustees may collude with the coordinator, and the noise of 8 is in every sum: 1.15 "
            "times (sd) what a trusted coordinator adds. 1 of them may be absent in a round; then "
            "up to 2 wrong answers are noticed. If all answer, up to 3 wrong answers are noticed, "
            "and of these up to 1 can be named.");
}

static void the_same_is_there_for_programs(void **state)
{
    (void)state;
    const tc_shared_plan p = round_of(5), none = {.agents = 0};
    const char *key;
    json_t *value;
    json_t *j = tc_trustees_json(&p.trustees, &p), *bare = tc_trustees_json(&p.trustees, &none);
    static const struct {
        const char *name;
        json_int_t value;
    } members[] = {{"count", 5},  {"degree", 3},  {"colluding", 1}, {"dealers", 4},
                   {"absent", 1}, {"noticed", 1}, {"named", 0}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        assert_int_equal(json_integer_value(json_object_get(j, members[i].name)), members[i].value);
    assert_close(json_real_value(json_object_get(j, "noise")), sqrt(4.0 / 3), 1e-12);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(j, "bytes"), "agent_sends")),
        tc_trustees_bytes(&p).agent_sends);
    json_object_foreach(json_object_get(j, "bytes"), key, value)
        assert_true(json_integer_value(value) > 0);
    assert_null(json_object_get(bare, "bytes"));
    json_decref(j);
    json_decref(bare);
}

/* ---- which round is the largest ---- */

static tacit_status largest(const char *options, uint64_t budget, tc_shared_plan *out,
                            tacit_error *why)
{
    tacit_error err = {0};
    const tc_algorithm *a = tc_algorithm_find("dp-fts-de");
    const tc_env env = {.agents = 30, .budget = budget, .trustees = tc_trustees_usual(5)};
    void *opts = tc_alloc(1, a->options_size);
    json_t *given;
    assert_ok(tc_json_parse(options, strlen(options), "options", &given, &err));
    assert_ok(tc_options_defaults(a->options, opts, &err));
    assert_ok(tc_options_set_json(a->options, opts, a->name, given, NULL, &err));
    tacit_status status = tc_trustees_largest_round(a, &env, opts, out, why);
    tc_options_fini(a->options, opts);
    tc_free(opts);
    json_decref(given);
    return status;
}

static void the_largest_round_is_found(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_shared_plan p;
    assert_ok(largest("{\"initial\": 3, \"vote\": \"yes\", \"vote_multiplier\": 2, \"releases\": "
                      "\"first\", \"regions\": 2, \"features\": 40}",
                      20, &p, &err));
    assert_int_equal(p.width, 40); /* not the vote */
    assert_int_equal(p.groups, 2);
    assert_ok(largest("{\"initial\": 3, \"releases\": \"first\"}", 3, &p, &err));
    assert_int_equal(p.agents, 0); /* no round */
    assert_ok(largest("{\"initial\": 3, \"releases\": \"all\"}", 4099, &p, &err));
    assert_fails(largest("{\"initial\": 3, \"releases\": \"all\"}", 4100, &p, &err), TACIT_E_ARG,
                 "federation.trustees: rounds must be below 4096");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_the_formats),
        cmocka_unit_test(what_a_round_can_do_without_is_said),
        cmocka_unit_test(the_same_is_there_for_programs),
        cmocka_unit_test(the_largest_round_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
