/* proxy_test.c - something between an agent and its coordinator that repeats old answers, cuts them off,
 * hands out what was meant for others, changes a byte, or shows the ledger as it was.
 *
 * Two agents of one study; the second one's calls go through it. It lies about one kind of answer at a
 * time: each lie is refused with its sentence, the agent goes on once it hears the truth, and in the end it
 * has made the very trials of an agent that nobody lied to. Whatever it is told, no message leaves whose
 * price is not in its own ledger, and none is another than before in the same place. */
#include "support/coord_world.h"

#include "agent/agent.h"
#include "base/error.h"

enum { TRIALS = 6, ROUNDS = 4 };

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 6, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
    "                 \"releases\": \"all\"},"
    " \"federation\": {\"agents\": 2}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";

/* ---- a study, its two agents and what is between ---- */

typedef struct answer {
    int status;
    tc_text body;
} answer;

typedef struct play play;
/* Changes an answer to the second agent's question, or leaves it as it is. */
typedef void (*liar)(play *p, const tc_call *call, int *status, tc_text *body);

typedef struct party {
    play *play;
    tc_store *store;
    tc_agent *agent;
    tc_agent_config cfg;
    answer page, news;         /* of the ledger: the last that came; the last that had entries */
    answer broadcasts[ROUNDS]; /* that came, true ones */
    answer receipt;            /* the first one */
    tc_text sent[ROUNDS];      /* the bytes that left in each round */
    int posts;
} party;

struct play {
    coord_world w;
    party honest, cheated;
    liar lie; /* NULL: nothing is changed */
    bool swallows;
    size_t at; /* of a byte */
    int lies;
};

static bool has(const tc_call *call, const char *part)
{
    return strstr(call->path, part) != NULL;
}

static uint64_t round_of(const tc_call *call)
{
    const char *at = strstr(call->path, "/rounds/");
    assert_non_null(at);
    return strtoull(at + strlen("/rounds/"), NULL, 10);
}

static void set(tc_text *t, const char *text, size_t n)
{
    t->len = 0;
    tc_text_add_bytes(t, text, n);
}

static void keep(answer *a, int status, const tc_text *body)
{
    a->status = status;
    set(&a->body, tc_text_get(body), body->len);
}

static void give(const answer *a, int *status, tc_text *body)
{
    *status = a->status;
    set(body, tc_text_get(&a->body), a->body.len);
}

/* What the agent promised us: its ledger has the price, and one place has one message. */
static void check_leaving(party *me, const tc_call *call)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *mine;
    tc_ledger_receipt r;
    uint64_t round = round_of(call);
    assert_true(round < ROUNDS);
    assert_ok(tc_store_ledger(me->store, "mine", true, &io, &err));
    assert_ok(tc_ledger_open(&mine, "mine", &io, &err));
    assert_ok(tc_ledger_find(mine, &me->play->w.hash, round, &r, &err));
    tc_ledger_receipt_fini(&r);
    tc_ledger_close(mine);
    tc_text *before = &me->sent[round];
    if (before->len > 0) {
        assert_int_equal(before->len, call->n_body);
        assert_memory_equal(tc_text_get(before), call->body, call->n_body);
    }
    set(before, call->body, call->n_body);
    me->posts++;
}

static void remember(party *me, const tc_call *call, int status, const tc_text *body)
{
    if (has(call, "/privacy")) {
        keep(&me->page, status, body);
        if (strstr(tc_text_get(body), "\"seq\""))
            keep(&me->news, status, body);
    } else if (has(call, "/broadcast") && status == 200)
        keep(&me->broadcasts[round_of(call)], status, body);
    else if (has(call, "/messages") && status == 202 && me->receipt.status == 0)
        keep(&me->receipt, status, body);
}

static tacit_status carry(void *user, const tc_call *call, int *status, tc_text *body,
                          tacit_error *err)
{
    party *me = user;
    play *p = me->play;
    bool closes = false, message = strcmp(call->method, "POST") == 0 && has(call, "/messages");
    (void)err;
    if (message)
        check_leaving(me, call);
    if (message && me == &p->cheated && p->swallows) {
        give(&me->receipt, status, body);
        p->lies++;
        return TACIT_OK;
    }
    world_carry(&p->w, call, status, body, &closes);
    if (closes)
        world_tick(&p->w);
    if (me == &p->cheated && p->lie)
        p->lie(p, call, status, body);
    else
        remember(me, call, *status, body);
    return TACIT_OK;
}

static void join(play *p, party *me, uint64_t number, const char *token)
{
    tacit_error err = {0};
    me->play = p;
    assert_ok(tc_store_open(&me->store, "memory:", true, &err));
    me->cfg = (tc_agent_config){.store = me->store,
                                .transport = {carry, me},
                                .study = "s",
                                .join_token = token,
                                .ledger = "mine",
                                .accepts_not_private = true,
                                .seeded = true,
                                .seed = 7,
                                .key_salt = number};
    assert_ok(tc_agent_open(&me->agent, &me->cfg, &err));
    assert_int_equal(tc_agent_number(me->agent), number);
}

static void restart(party *me)
{
    tacit_error err = {0};
    tc_agent_close(me->agent);
    me->agent = NULL;
    assert_ok(tc_agent_open(&me->agent, &me->cfg, &err));
}

static void begin(play *p)
{
    tacit_error err = {0};
    char token[64];
    tc_store *store;
    *p = (play){.w = {.now_ms = 1000000}};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&p->w, store, 7);
    world_create(&p->w, "s", document);
    world_join_token(&p->w, 2, token);
    join(p, &p->honest, 0, token);
    join(p, &p->cheated, 1, token);
}

static void party_end(party *me)
{
    tc_agent_close(me->agent);
    tc_store_close(me->store);
    tc_text_fini(&me->page.body);
    tc_text_fini(&me->news.body);
    tc_text_fini(&me->receipt.body);
    for (size_t i = 0; i < ROUNDS; i++) {
        tc_text_fini(&me->broadcasts[i].body);
        tc_text_fini(&me->sent[i]);
    }
}

static void end(play *p)
{
    party_end(&p->honest);
    party_end(&p->cheated);
    world_close(&p->w);
}

/* ---- going on ---- */

static void one_trial(party *me)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    tc_study *s = tc_agent_study(me->agent);
    assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
    assert_ok(tc_study_tell(s, trial, NULL, x * (1 - x), &err));
}

/* Until it waits, is done or refuses. */
static tacit_status go_on(party *me, tc_agent_next *next, tacit_error *err)
{
    *next = TC_AGENT_AGAIN;
    for (int i = 0; i < 100 && *next != TC_AGENT_WAIT && *next != TC_AGENT_DONE; i++) {
        TC_TRY(tc_agent_step(me->agent, 0, next, err));
        if (*next == TC_AGENT_TRIAL)
            one_trial(me);
    }
    return TACIT_OK;
}

static void both_go_on(play *p, tc_agent_next *next)
{
    tacit_error err = {0};
    assert_ok(go_on(&p->honest, next, &err));
    assert_ok(go_on(&p->cheated, next, &err));
}

/* Both have sent round 1, which is over; the second one has not heard it yet. */
static void begin_to_hear(play *p)
{
    tc_agent_next next = TC_AGENT_AGAIN;
    tacit_error err = {0};
    begin(p);
    assert_ok(go_on(&p->cheated, &next, &err)); /* has sent round 0 */
    while (p->honest.posts == 0 || next != TC_AGENT_TRIAL) {
        if (next == TC_AGENT_TRIAL)
            one_trial(&p->honest);
        assert_ok(tc_agent_step(p->honest.agent, 0, &next, &err)); /* until it has heard it */
    }
    assert_ok(go_on(&p->cheated, &next, &err));
    one_trial(&p->honest);
    assert_ok(go_on(&p->honest, &next, &err));
    assert_int_equal(p->cheated.posts, 2);
    assert_int_equal(p->cheated.broadcasts[1].status, 0);
    assert_int_equal(p->honest.broadcasts[1].status, 200);
}

/* Its trials, as an agent makes them that nobody lies to. */
static void trials_of(party *me, double out[TRIALS])
{
    tacit_error err = {0};
    const tc_optimizer *o;
    tc_study *s = tc_agent_study(me->agent);
    assert_ok(tc_study_look(s, &o, &err));
    assert_int_equal(tc_optimizer_trials(o), TRIALS);
    for (size_t i = 0; i < TRIALS; i++)
        out[i] = tc_optimizer_trial(o, i)->values[0];
    tc_study_unlook(s);
}

static void run_to_end(play *p, double out[TRIALS])
{
    tc_agent_next next = TC_AGENT_AGAIN;
    for (int i = 0; i < 50 && next != TC_AGENT_DONE; i++)
        both_go_on(p, &next);
    assert_int_equal(next, TC_AGENT_DONE);
    trials_of(&p->cheated, out);
}

/* From here on nobody lies; nothing of it is left. */
static void finish(play *p)
{
    static play calm;
    double mine[TRIALS], calm_ones[TRIALS];
    p->lie = NULL;
    p->swallows = false;
    assert_true(p->lies > 0);
    run_to_end(p, mine);
    begin(&calm);
    run_to_end(&calm, calm_ones);
    for (size_t i = 0; i < TRIALS; i++)
        assert_same_bits(mine[i], calm_ones[i]);
    for (size_t i = 0; i < ROUNDS; i++)
        assert_int_equal(p->cheated.sent[i].len, calm.cheated.sent[i].len);
    end(&calm);
    end(p);
}

/* Rounds of which something left. */
static int rounds_sent(const party *me)
{
    int n = 0;
    for (size_t i = 0; i < ROUNDS; i++)
        n += me->sent[i].len > 0;
    return n;
}

/* What is sent again after a restart is what was sent before. */
static void assert_refused(play *p, liar lie, tacit_status code, const char *what)
{
    tacit_error err = {0};
    tc_agent_next next;
    int rounds = rounds_sent(&p->cheated), lies = p->lies;
    p->lie = lie;
    assert_fails(go_on(&p->cheated, &next, &err), code, what);
    assert_true(p->lies > lies);
    assert_int_equal(rounds_sent(&p->cheated), rounds);
    p->lie = NULL;
}

/* ---- old answers ---- */

static void an_old_broadcast(play *p, const tc_call *call, int *status, tc_text *body)
{
    if (!has(call, "/broadcast") || *status != 200)
        return;
    give(&p->honest.broadcasts[round_of(call) - 1], status, body);
    p->lies++;
}

static void the_last_page_again(play *p, const tc_call *call, int *status, tc_text *body)
{
    if (!has(call, "/privacy"))
        return;
    give(&p->cheated.page, status, body);
    p->lies++;
}

static void the_last_entries_again(play *p, const tc_call *call, int *status, tc_text *body)
{
    if (!has(call, "/privacy"))
        return;
    give(&p->cheated.news, status, body);
    p->lies++;
}

static void old_answers_are_refused(void **state)
{
    play p;
    (void)state;
    begin_to_hear(&p);
    for (int again = 0; again < 2; again++) {
        assert_refused(&p, the_last_entries_again, TACIT_E_STATE,
                       "the coordinator's ledger has no entry for round 1");
        restart(&p.cheated);
    }
    for (int again = 0; again < 2; again++) {
        assert_refused(&p, an_old_broadcast, TACIT_E_STATE,
                       "the broadcast of round 1 is not the one in the coordinator's ledger");
        restart(&p.cheated);
    }
    assert_refused(&p, the_last_page_again, TACIT_E_STATE,
                   "the ledger was rolled back or replaced: its head is not the one after entry 0");
    finish(&p);
}

/* Its message did not arrive, and it is told that it did: the round is not over, so it looks again. */
static void an_old_receipt_is_found_out(void **state)
{
    play p;
    tc_agent_next next;
    tacit_error err = {0};
    (void)state;
    begin_to_hear(&p);
    p.swallows = true;
    assert_ok(go_on(&p.cheated, &next, &err));
    assert_int_equal(next, TC_AGENT_WAIT);
    assert_int_equal(p.lies, 1);
    p.swallows = false;
    for (int i = 0; i < 4; i++)
        both_go_on(&p, &next);
    assert_true(p.cheated.posts > 3);
    finish(&p);
}

/* ---- cut off ---- */

static const char *cut_path;

static void half_of_it(play *p, const tc_call *call, int *status, tc_text *body)
{
    if (!has(call, cut_path) || *status != 200)
        return;
    body->len = body->len * p->at / 8;
    p->lies++;
}

static void what_is_cut_off_is_refused(void **state)
{
    static const char *const paths[] = {"/broadcast", "/privacy"};
    play p;
    (void)state;
    begin_to_hear(&p);
    for (size_t i = 0; i < 2; i++)
        for (p.at = 0; p.at < 8; p.at++) {
            cut_path = paths[i];
            assert_refused(&p, half_of_it, TACIT_E_IO, "the coordinator's answer makes no sense: ");
        }
    finish(&p);
}

/* ---- somebody else's ---- */

static void the_others_page(play *p, const tc_call *call, int *status, tc_text *body)
{
    if (!has(call, "/privacy"))
        return;
    give(&p->honest.page, status, body);
    p->lies++;
}

static void the_others_entries(play *p, const tc_call *call, int *status, tc_text *body)
{
    if (!has(call, "/privacy"))
        return;
    give(&p->honest.news, status, body);
    p->lies++;
}

/* The other one has read the beginning before, and was given what is new: of one who begins anew that is
 * no ledger. */
static void a_page_for_another_agent_is_refused(void **state)
{
    play p;
    (void)state;
    begin_to_hear(&p);
    restart(&p.cheated);
    assert_refused(&p, the_others_page, TACIT_E_STATE,
                   "the ledger was rolled back or replaced: its head is not the one after entry 0");
    assert_refused(&p, the_others_entries, TACIT_E_STATE, "ledger entry 1 is missing");
    finish(&p);
}

/* ---- a byte ---- */

static void another_byte(play *p, const tc_call *call, int *status, tc_text *body)
{
    if (!has(call, "/broadcast") || *status != 200)
        return;
    char *release = strstr(body->data, "\"release\"");
    assert_non_null(release);
    release = strchr(strchr(release, ':'), '"') + 1;
    size_t n = strcspn(release, "\"=");
    char *byte = release + p->at % n;
    *byte = *byte == 'A' ? 'B' : 'A';
    p->lies++;
}

static void a_byte_that_changed_is_noticed(void **state)
{
    play p;
    (void)state;
    begin_to_hear(&p);
    for (p.at = 0; p.at < 400; p.at += 13)
        assert_refused(&p, another_byte, TACIT_E_STATE,
                       "the broadcast of round 1 is not the one in the coordinator's ledger");
    finish(&p);
}

/* ---- an older head ---- */

/* The ledger with its first p->at entries: their hashes hold, and so does the head. */
static void the_ledger_as_it_was(play *p, const tc_call *call, int *status, tc_text *body)
{
    tc_call first = *call;
    bool closes;
    if (!has(call, "/privacy"))
        return;
    first.path = "/v1/studies/s/privacy?after=0&limit=1000";
    body->len = 0;
    world_carry(&p->w, &first, status, body, &closes);
    json_t *j = json_loadb(tc_text_get(body), body->len, 0, NULL);
    json_t *entries = json_object_get(j, "entries");
    assert_true(json_array_size(entries) > p->at);
    json_object_set(j, "head", json_object_get(json_array_get(entries, p->at), "previous"));
    while (json_array_size(entries) > p->at)
        json_array_remove(entries, p->at);
    char *text = tc_json_text(j);
    assert_non_null(text);
    set(body, text, strlen(text));
    tc_free(text);
    json_decref(j);
    p->lies++;
}

static void an_older_head_is_refused(void **state)
{
    play p;
    tc_agent_next next;
    tacit_error err = {0};
    (void)state;
    begin_to_hear(&p);
    p.at = 0;
    assert_refused(&p, the_ledger_as_it_was, TACIT_E_STATE,
                   "the coordinator is not what it was: the ledger was rolled back: it had 1 "
                   "entries and has 0");
    p.at = 1; /* as it was when this agent saw it last */
    assert_refused(&p, the_ledger_as_it_was, TACIT_E_STATE,
                   "the coordinator's ledger has no entry for round 1");
    assert_ok(tc_agent_step(p.cheated.agent, 0, &next, &err)); /* hears round 1 */
    for (int again = 0; again < 2; again++) {
        assert_refused(&p, the_ledger_as_it_was, TACIT_E_STATE,
                       "the coordinator is not what it was: the ledger was rolled back: it had 2 "
                       "entries and has 1");
        restart(&p.cheated);
    }
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_answers_are_refused),
        cmocka_unit_test(an_old_receipt_is_found_out),
        cmocka_unit_test(what_is_cut_off_is_refused),
        cmocka_unit_test(a_page_for_another_agent_is_refused),
        cmocka_unit_test(a_byte_that_changed_is_noticed),
        cmocka_unit_test(an_older_head_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
