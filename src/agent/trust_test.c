/* trust_test.c - what an agent does when its coordinator lies, forgets or pauses.
 *
 * Every lie is refused with a sentence of its own, and an agent that was lied to goes on as if nothing had been, once
 * it hears the truth again. */
#include "support/lying_coordinator.h"

/* ---- the stamp comes late ---- */

static void hide_stamp(json_t *j)
{
    json_object_set_new(j, "not_private", json_string(""));
}

static void a_stamp_that_comes_with_the_broadcast_is_seen(void **state)
{
    play p;
    (void)state;
    begin(&p, true, DE, "{\"epsilon\": 5, \"delta\": 1e-5}");
    p.at = "/studies/s";
    p.lie = hide_stamp;
    join(&p);
    assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    assert_true(claims_private(&p));
    close_round(&p);
    assert_refused(&p, TACIT_E_STATE,
                   "the broadcast of round 0 is stamped NOT PRIVATE, and this agent was not told "
                   "to accept that");
    assert_false(claims_private(&p)); /* its contribution has left, and the ledger says how */
    p.cfg.accepts_not_private = true;
    restart(&p);
    finish(&p);
    assert_int_equal(p.posted, 5);
    assert_false(claims_private(&p));
    end(&p);
}

/* ---- the study is another ---- */

static void change_document(json_t *j, const char *from, const char *to)
{
    char text[2048];
    const char *was = json_string_value(json_object_get(j, "document"));
    assert_non_null(was);
    const char *at = strstr(was, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - was), was, to, at + strlen(from));
    json_object_set_new(j, "document", json_string(text));
}

static void another_name(json_t *j)
{
    change_document(j, "\"name\":\"s\"", "\"name\":\"t\"");
}

static void another_document(json_t *j)
{
    change_document(j, "\"epsilon\":5", "\"epsilon\":6");
}

static void another_seed(json_t *j)
{
    json_object_set_new(j, "public_seed",
                        json_string("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="));
}

static void another_study_is_refused(void **state)
{
    play p;
    tacit_error err;
    (void)state;
    begin_private(&p);
    p.at = "/studies/s";
    p.lie = another_name;
    assert_not_joined(&p, "study \"s\" was asked for, and the coordinator describes \"t\"");
    p.at = NULL;
    join(&p);
    assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    tc_agent_close(p.agent);
    p.agent = NULL;
    p.at = "/studies/s";
    p.lie = another_document;
    assert_fails(tc_agent_open(&p.agent, &p.cfg, &err), TACIT_E_STATE,
                 "the storage has a study \"s\" with another document");
    p.lie = another_seed;
    assert_fails(tc_agent_open(&p.agent, &p.cfg, &err), TACIT_E_STATE,
                 "the storage has a study \"s\" with another public seed");
    p.at = NULL;
    join(&p);
    finish(&p);
    assert_int_equal(p.posted, 5);
    end(&p);
}

/* ---- the ledger is another ---- */

/* A ledger whose hashes hold, with another last entry, or without the last `fewer`. */
static char *forge(play *p, uint64_t fewer, void (*change)(tc_ledger_entry *))
{
    tacit_error err = {0};
    tc_store *s;
    tc_ledger_io io;
    tc_ledger *real = ledger_of(p->w.store, "s");
    tacit_head head = tc_ledger_genesis("s");
    uint64_t n = tc_ledger_get_head(real).seq - fewer;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    assert_ok(tc_store_ledger(s, "s", true, &io, &err));
    for (uint64_t i = 1; i <= n; i++) {
        tc_ledger_entry e = *tc_ledger_get(real, i, NULL);
        tc_ledger_receipt r;
        uint8_t *bytes;
        size_t size;
        assert_ok(tc_ledger_find(real, &e.study, e.round, &r, &err));
        if (i == n && change)
            change(&e);
        e.previous = head.hash;
        assert_ok(tc_ledger_entry_encode(&e, &bytes, &size, &err));
        tc_ledger_record record = {.seq = i,
                                   .study = e.study,
                                   .round = e.round,
                                   .entry = bytes,
                                   .entry_size = size,
                                   .release = r.bytes,
                                   .release_size = r.size,
                                   .previous = head.hash,
                                   .head = tc_ledger_entry_hash(bytes, size)};
        assert_ok(io.append(&io, &record, &err));
        head.hash = record.head;
        tc_free(bytes);
        tc_ledger_receipt_fini(&r);
    }
    tc_ledger *l = ledger_of(s, "s");
    json_t *j = tc_ledger_json(l);
    char *text = tc_json_text(j);
    assert_non_null(text);
    json_decref(j);
    tc_ledger_close(l);
    tc_ledger_close(real);
    tc_store_close(s);
    return text;
}

static void another_price(tc_ledger_entry *e)
{
    e->event.parameter *= 2;
}

static void other_neighbours(tc_ledger_entry *e)
{
    e->adjacency = "nothing moves";
}

static void another_unit(tc_ledger_entry *e)
{
    e->unit = TACIT_UNIT_ROW;
}

static void another_round(tc_ledger_entry *e)
{
    e->round = 77;
}

static void another_release(json_t *j)
{
    char text[4096];
    const char *was = json_string_value(json_object_get(j, "release"));
    assert_non_null(was);
    snprintf(text, sizeof text, "%s", was);
    text[0] = text[0] == 'A' ? 'B' : 'A';
    json_object_set_new(j, "release", json_string(text));
}

#define NO_HEAD "0000000000000000000000000000000000000000000000000000000000000000"

static void a_broken_chain(json_t *j)
{
    json_t *first = json_array_get(json_object_get(j, "entries"), 0);
    if (first)
        json_object_set_new(first, "round", json_integer(5));
    else /* nothing after what the agent knows */
        json_object_set_new(j, "head", json_string(NO_HEAD));
}

static void no_head(json_t *j)
{
    json_object_set_new(j, "head", json_null());
}

static void no_release(json_t *j)
{
    json_object_set_new(j, "release", json_string("?"));
}

/* The agent has sent its message of round 1, and the round is over. */
static void begin_to_hear(play *p)
{
    begin_private(p);
    join(p);
    assert_int_equal(go_on(p), TC_AGENT_WAIT);
    close_round(p);
    assert_int_equal(go_on(p), TC_AGENT_WAIT);
    close_round(p);
}

static void a_ledger_that_does_not_fit_is_refused(void **state)
{
    static const struct {
        void (*change)(tc_ledger_entry *);
        const char *what;
    } cases[] = {
        {another_price, "the coordinator's ledger has another price for round 1 than the study's"},
        {another_unit, "the coordinator's ledger charges round 1 to others than the study's"},
        {other_neighbours, "the coordinator's ledger charges round 1 to others than the study's"},
        {another_round, "the coordinator's ledger has no entry for round 1"},
    };
    play p;
    (void)state;
    begin_to_hear(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = forge(&p, 0, cases[i].change);
        p.at = "/privacy";
        p.instead = text;
        assert_refused(&p, TACIT_E_STATE, cases[i].what);
        tc_free(text);
    }
    p.lie = a_broken_chain;
    assert_refused(&p, TACIT_E_STATE, "");
    p.lie = no_head;
    assert_refused(&p, TACIT_E_STATE, "the coordinator's ledger is not whole: ");
    p.at = "/broadcast";
    p.lie = no_release;
    assert_refused(&p, TACIT_E_STATE, "the coordinator's answer makes no sense: release");
    p.lie = another_release;
    assert_refused(&p, TACIT_E_STATE,
                   "the broadcast of round 1 is not the one in the coordinator's ledger");
    p.at = NULL;
    finish(&p);
    assert_int_equal(p.posted, 5);
    assert_true(claims_private(&p));
    end(&p);
}

/* Nothing is sent to a coordinator that has forgotten what it released. */
static void a_ledger_that_was_rolled_back_gets_no_message(void **state)
{
    play p;
    tc_agent_next next;
    tacit_error err;
    (void)state;
    begin_to_hear(&p);
    assert_ok(tc_agent_step(p.agent, 0, &next, &err)); /* it hears of round 1 */
    assert_int_equal(p.posted, 2);
    char *text = forge(&p, 1, NULL);
    p.at = "/privacy";
    p.instead = text;
    assert_refused(&p, TACIT_E_STATE,
                   "the coordinator is not what it was: the ledger was rolled back: it had 2 "
                   "entries and has 1");
    assert_int_equal(p.posted, 2);
    p.at = NULL;
    assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    assert_int_equal(p.posted, 3);
    p.at = "/privacy"; /* and who waits long, looks again */
    assert_refused(&p, TACIT_E_STATE, "the ledger was rolled back");
    p.at = NULL;
    finish(&p);
    tc_free(text);
    end(&p);
}

static void an_answer_that_is_no_json_changes_nothing(void **state)
{
    static const char *const paths[] = {"/broadcast", "/privacy"};
    char deep[40000];
    play p;
    (void)state;
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    begin_to_hear(&p);
    for (int i = 0; i < 2; i++) {
        p.at = paths[i];
        p.instead = "<html>busy</html>";
        assert_refused(&p, TACIT_E_IO, "the coordinator's answer makes no sense: ");
        p.instead = deep;
        assert_refused(&p, TACIT_E_IO, "the coordinator's answer makes no sense: ");
    }
    p.at = NULL;
    finish(&p);
    assert_int_equal(p.posted, 5);
    end(&p);
}

/* ---- not now ---- */

static void turn(play *p, const char *how)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/s:%s", how);
    assert_int_equal(world_call(&p->w, "POST", path, p->w.operator_token, NULL, NULL), 200);
}

static void a_paused_study_is_waited_for(void **state)
{
    play p;
    (void)state;
    begin_private(&p);
    join(&p);
    turn(&p, "pause");
    for (int i = 0; i < 3; i++)
        assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    assert_int_equal(p.posted, 0);
    turn(&p, "resume");
    assert_int_equal(go_on(&p), TC_AGENT_WAIT);
    assert_int_equal(p.posted, 1);
    close_round(&p);
    turn(&p, "close");
    assert_refused(&p, TACIT_E_STATE, "the coordinator refuses the message of round 1: ");
    end(&p);
}

/* A relay's message that did not arrive is sent again, after a while and after a restart. */
static void a_message_of_a_relay_arrives(void **state)
{
    play p;
    (void)state;
    for (int again = 0; again < 2; again++) {
        begin(&p, false,
              "\"fts\", \"own\": \"features\", \"features\": 8, \"initial\": 2, \"follow\": 0.01, "
              "\"schedule\": \"constant\"",
              "\"none\"");
        p.cfg.accepts_not_private = true;
        join(&p);
        p.down = true;
        assert_refused(&p, TACIT_E_IO, "no answer");
        assert_refused(&p, TACIT_E_IO, "no answer");
        p.down = false;
        if (again)
            restart(&p);
        tc_agent_next next;
        tacit_error err;
        assert_ok(tc_agent_step(p.agent, 0, &next, &err));
        assert_int_equal(p.posted, 1);
        end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stamp_that_comes_with_the_broadcast_is_seen),
        cmocka_unit_test(another_study_is_refused),
        cmocka_unit_test(a_ledger_that_does_not_fit_is_refused),
        cmocka_unit_test(a_ledger_that_was_rolled_back_gets_no_message),
        cmocka_unit_test(an_answer_that_is_no_json_changes_nothing),
        cmocka_unit_test(a_paused_study_is_waited_for),
        cmocka_unit_test(a_message_of_a_relay_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
