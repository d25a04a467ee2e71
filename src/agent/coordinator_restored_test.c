/* coordinator_restored_test.c - what an agent does when its coordinator was restored from a backup: it says why
 * and stops, goes on where it is told to, and pays for what may be released a second time. */
#include "support/coord_world.h"
#include "support/crash_store.h"

#include "agent/agent.h"
#include "base/error.h"
#include "study/backup.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-older-XXXXXX";

typedef struct play {
    coord_world w;
    tc_store *store; /* the agent's */
    char token[64];
    tc_agent_config cfg;
    tc_agent *agent;
    bool deaf;       /* no broadcast gets through */
    bool forgets;    /* it says of every round that we have not answered */
    int declines;    /* that were sent */
    int taken;       /* messages that were new to it */
    tc_store *early; /* a backup from before anybody enrolled */
    double luck;     /* of its next trials */
    int restores;    /* of the coordinator so far: no two at one time */
    bool lost;       /* the answer to the next POST does not arrive */
    tc_store *swap;  /* the coordinator is restored from it when it is asked for another key */
} play;

static void restore(play *p, tc_store *backup, uint64_t released);

/* ---- the world ---- */

static tacit_status call(void *user, const tc_call *c, int *status, tc_text *body, tacit_error *err)
{
    play *p = user;
    bool closes;
    if (p->deaf && strstr(c->path, "broadcast"))
        return tc_fail(err, TACIT_E_IO, "no answer");
    if (p->swap && strstr(c->path, ":rotate")) {
        tc_store *backup = p->swap;
        p->swap = NULL;
        restore(p, backup, 0);
    }
    p->declines += c->body && strstr(c->body, "\"decline\"") != NULL;
    world_carry(&p->w, c, status, body, &closes);
    if (p->lost && strcmp(c->method, "POST") == 0) {
        p->lost = false;
        body->len = 0;
        return tc_fail(err, TACIT_E_IO, "no answer");
    }
    p->taken += c->body && strstr(c->path, "/messages") && *status == 202;
    if (p->forgets && strstr(c->path, "broadcast") && *status == 202) {
        body->len = 0;
        tc_text_add(body, "{\"answered\": false}");
    }
    return TACIT_OK;
}

static void open_coordinator(play *p, tc_store *store)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    tc_coord_config cfg = {.store = store, .now_ms = world_clock, .user = &p->w};
    p->w.store = store;
    assert_ok(tc_coord_new(&p->w.coord, &cfg, &err));
    assert_ok(tc_coord_operator_token(p->w.coord, &token, &made, &err));
    if (made)
        snprintf(p->w.operator_token, sizeof p->w.operator_token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
}

static void join(play *p)
{
    tacit_error err = {0};
    assert_ok(tc_agent_open(&p->agent, &p->cfg, &err));
}

static tc_store *back_up_store(tc_store *from)
{
    tacit_error err = {0};
    char file[128];
    tc_store *s;
    snprintf(file, sizeof file, "%s/copy.db", folder);
    assert_ok(tc_backup_write(from, file, 5000000, &err));
    assert_ok(tc_backup_open(&s, file, &err));
    unlink(file);
    return s;
}

static tc_store *back_up(play *p)
{
    return back_up_store(p->w.store);
}

static int begin(void **state)
{
    tacit_error err = {0};
    static play p;
    tc_store *store;
    p = (play){.w = {.now_ms = 1000000}};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    open_coordinator(&p, store);
    world_create(&p.w, "s",
                 "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 9, \"seed\": 7,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
                 " \"releases\": \"all\"},"
                 " \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
                 " \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}}");
    world_join_token(&p.w, 3, p.token);
    assert_ok(tc_store_open(&p.store, "memory:", true, &err));
    p.cfg = (tc_agent_config){.store = p.store,
                              .transport = {call, &p},
                              .study = "s",
                              .join_token = p.token,
                              .ledger = "mine"};
    p.early = back_up(&p);
    join(&p);
    *state = &p;
    return 0;
}

static int end(void **state)
{
    play *p = *state;
    tc_agent_close(p->agent);
    tc_store_close(p->store);
    world_close(&p->w);
    tc_store_close(p->early);
    return 0;
}

/* ---- the agent ---- */

static tacit_status step(play *p, tc_agent_next *next, tacit_error *err)
{
    tc_study *s = tc_agent_study(p->agent);
    uint64_t trial;
    double x;
    TC_TRY(tc_agent_step(p->agent, 0, next, err));
    if (*next != TC_AGENT_TRIAL)
        return TACIT_OK;
    TC_TRY(tc_study_ask(s, NULL, 0, &trial, &x, err));
    return tc_study_tell(s, trial, NULL, x + p->luck, err);
}

static tacit_status go_on(play *p, tc_agent_next *next, tacit_error *err)
{
    *next = TC_AGENT_AGAIN;
    while (*next != TC_AGENT_WAIT && *next != TC_AGENT_DONE)
        TC_TRY(step(p, next, err));
    return TACIT_OK;
}

static void wait_for_round(play *p)
{
    tacit_error err = {0};
    tc_agent_next next;
    assert_ok(go_on(p, &next, &err));
    assert_int_equal(next, TC_AGENT_WAIT);
}

static void close_round(play *p)
{
    p->w.now_ms += 61000;
    world_tick(&p->w);
}

/* It sends, the round is released, and it hears of it with its next step. */
static void one_round(play *p)
{
    wait_for_round(p);
    close_round(p);
}

static void finish(play *p)
{
    tacit_error err = {0};
    tc_agent_next next = TC_AGENT_AGAIN;
    for (int i = 0; next != TC_AGENT_DONE; i++) {
        assert_true(i < 80);
        assert_ok(go_on(p, &next, &err));
        close_round(p);
    }
}

static void restart(play *p, bool accepts)
{
    tc_agent_close(p->agent);
    p->agent = NULL;
    p->cfg.accepts_restored = accepts;
    join(p);
}

/* Started again with a budget of its own. */
static void restart_limited(play *p, double epsilon)
{
    p->cfg.limited = true;
    p->cfg.limit =
        (tc_ledger_budget){.epsilon = epsilon, .delta = 1e-5, .accountant = &tc_accountant_pld};
    restart(p, false);
}

/* n times until it waits. */
static void go_on_for(play *p, int n)
{
    tacit_error err = {0};
    tc_agent_next next;
    for (int i = 0; i < n; i++)
        assert_ok(go_on(p, &next, &err));
}

static void assert_stops(play *p, tacit_status expected, const char *why)
{
    tacit_error err = {0};
    tc_agent_next next;
    assert_fails(go_on(p, &next, &err), expected, why);
}

/* What is in its ledger. */
static uint64_t paid(const play *p)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tacit_head head;
    assert_ok(tc_store_ledger(p->store, "mine", false, &io, &err));
    assert_ok(io.head(&io, &head, &err));
    return head.seq;
}

/* ---- the backup ---- */

static tc_store *copy_of(tc_store *from, bool exactly)
{
    tacit_error err = {0};
    tc_store *copy;
    assert_ok(tc_store_open(&copy, "memory:", true, &err));
    assert_ok(tc_backup_copy(copy, from, exactly, &err));
    return copy;
}

static tc_store *restore_store(play *p, tc_store *backup, uint64_t released)
{
    tacit_error err = {0};
    tc_store *copy = copy_of(backup, false);
    const tacit_restore_opts opts = {.released = released};
    assert_ok(
        tc_coord_restore(copy, (tc_restore_times){5000000, 6000000 + p->restores++}, &opts, &err));
    tc_store_close(backup);
    return copy;
}

/* Another coordinator answers at its place. */
static void replace_coordinator(play *p, tc_store *store)
{
    world_close(&p->w);
    open_coordinator(p, store);
}

static void restore(play *p, tc_store *backup, uint64_t released)
{
    replace_coordinator(p, restore_store(p, backup, released));
}

/* The agent's own storage, and it is started again. */
static void restore_agent(play *p, tc_store *backup, uint64_t released)
{
    tc_store *copy = restore_store(p, backup, released);
    tc_agent_close(p->agent);
    tc_store_close(p->store);
    p->agent = NULL;
    p->store = p->cfg.store = copy;
    p->luck = 0.25; /* a message that is made anew is another one */
    join(p);
}

/* ---- */

#define TOLD                                                                                       \
    "the coordinator was restored at 1970-01-01T01:40:00.000Z from a backup of "                   \
    "1970-01-01T01:23:20.000Z that ended at entry 1, assuming that no more than 2 rounds were "    \
    "released since, and this agent has seen entry 3; what it "                                    \
    "has sent is in its own ledger: --accept-restored goes on"

/* Rounds 0, 1 and 2 are heard; the backup knows of 0. */
static tc_store *forget_two_rounds(play *p)
{
    one_round(p);
    wait_for_round(p);
    tc_store *backup = back_up(p);
    close_round(p);
    one_round(p);
    wait_for_round(p); /* of round 3: what was released is heard */
    return backup;
}

/* Round 0 was heard and is in the backup; round 1 was answered, and nothing heard of it. */
static tc_store *forget_an_answer(play *p)
{
    one_round(p);
    tc_store *backup = back_up(p);
    wait_for_round(p);
    return backup;
}

static void it_says_why_and_stops(void **state)
{
    play *p = *state;
    restore(p, forget_two_rounds(p), 2);
    uint64_t spent = paid(p);
    restart(p, false);
    assert_stops(p, TACIT_E_STATE, TOLD);
    assert_int_equal(paid(p), spent);
}

static void told_to_it_goes_on_and_spends_no_round_twice(void **state)
{
    play *p = *state;
    restore(p, forget_two_rounds(p), 2);
    restart(p, true);
    finish(p);
    restart(p, false); /* once is enough */
    finish(p);
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(p->w.store, "s", false, &io, &err));
    assert_ok(tc_ledger_open(&l, "s", &io, &err)); /* refuses a round that is there twice */
    assert_true(tc_ledger_get_head(l).seq > 5);
    tc_ledger_close(l);
}

static void a_release_it_heard_must_be_counted(void **state)
{
    play *p = *state;
    restore(p, forget_two_rounds(p), 1);
    restart(p, true);
    assert_stops(p, TACIT_E_STATE,
                 "the coordinator was restored from a backup and does not count round 2, whose "
                 "release this agent has heard: its operator must restore it with more rounds "
                 "assumed to be released");
}

static void without_a_note_it_is_a_rollback(void **state)
{
    play *p = *state;
    tc_store *backup = forget_two_rounds(p);
    replace_coordinator(p, copy_of(backup, false));
    tc_store_close(backup);
    restart(p, true);
    assert_stops(p, TACIT_E_STATE,
                 "the coordinator is not what it was: the ledger was rolled back: it had 3 entries "
                 "and has 1");
}

/* The coordinator lives on while its database is replaced by a replica that lagged behind. An agent that
 * runs waits for round 3 then, which nobody will ever close. */
static void it_does_not_wait_at_a_replica_that_lagged(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next;
    crash_store front;
    tc_store *backup = forget_two_rounds(p), *older = copy_of(backup, true);
    tc_store_close(backup);
    crash_init(&front, copy_of(p->w.store, true));
    replace_coordinator(p, &front.base);
    p->w.store = NULL; /* `front` is of this test */
    go_on_for(p, 6);   /* now it has the whole ledger in memory */
    tc_store_close(front.disk);
    front.disk = older;
    tacit_status status = TACIT_OK;
    for (int i = 0; i < 6 && status == TACIT_OK; i++)
        status = go_on(p, &next, &err);
    assert_int_equal(status, TACIT_E_STATE); /* E_IO would be tried again, for ever */
    assert_string_equal(err.msg,
                        "the coordinator refuses its ledger: the ledger of study \"s\" has lost "
                        "entries in the coordinator's storage, or is damaged there: nothing is "
                        "released from it any more; its operator must restore a backup");
    tc_store *empty;
    assert_ok(tc_store_open(&empty, "memory:", true, &err));
    replace_coordinator(p, empty);
    crash_fini(&front);
}

/* It has sent round 1 and not heard of it; the coordinator forgot that there was one. */
static void what_may_be_released_again_is_paid_again(void **state)
{
    play *p = *state;
    tc_store *backup = forget_an_answer(p);
    assert_int_equal(paid(p), 2);
    restore(p, backup, 0);
    for (int i = 0; i < 3; i++) { /* it hears first */
        go_on_for(p, 1);
        assert_int_equal(paid(p), 2);
    }
    go_on_for(p, 4);
    assert_int_equal(paid(p), 3);
    restart(p, false);
    go_on_for(p, 8); /* once */
    assert_int_equal(paid(p), 3);
    close_round(p);
    finish(p);
}

static void a_round_that_is_over_is_not_paid_again(void **state)
{
    play *p = *state;
    restore(p, forget_an_answer(p), 1);
    wait_for_round(p); /* of round 2: it has skipped 1 */
    assert_int_equal(paid(p), 3);
    finish(p);
}

/* A proper restore explains the break that it made, and no later one: here the storage is a copy. */
static void a_known_note_explains_nothing(void **state)
{
    play *p = *state;
    restore(p, forget_two_rounds(p), 2);
    restart(p, true);
    go_on_for(p, 9);
    tc_store *copy = copy_of(p->w.store, true);
    close_round(p);
    wait_for_round(p);
    uint64_t mine = paid(p);
    replace_coordinator(p, copy);
    close_round(p); /* the same round, other noise */
    for (int accepts = 0; accepts < 2; accepts++) {
        restart(p, accepts);
        assert_stops(p, TACIT_E_STATE,
                     "the coordinator is not what it was: the ledger does not have the head that "
                     "was seen after entry 5: its history was replaced");
    }
    assert_int_equal(paid(p), mine);
}

/* Two restores, each accepted; then a copy of the time between them. */
static void nor_does_an_older_one(void **state)
{
    play *p = *state;
    restore(p, forget_two_rounds(p), 2);
    tc_store *between = copy_of(p->w.store, true), *backup = back_up(p);
    restart(p, true);
    go_on_for(p, 9);
    one_round(p);
    wait_for_round(p);
    restore(p, backup, 3);
    restart(p, true);
    wait_for_round(p);
    replace_coordinator(p, between);
    restart(p, true);
    assert_stops(p, TACIT_E_STATE,
                 "the coordinator is not what it was: the ledger was rolled back");
}

/* Round 2 was heard and forgotten; the restored coordinator releases it again, with another agent. */
static void another_release_of_what_it_heard_is_refused(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    restore(p, forget_two_rounds(p), 1);
    tc_agent *first = p->agent;
    tc_store *mine = p->store, *other;
    assert_ok(tc_store_open(&other, "memory:", true, &err));
    p->cfg.store = other;
    join(p);
    wait_for_round(p);
    close_round(p);
    wait_for_round(p);
    tc_agent_close(p->agent);
    tc_store_close(other);
    p->cfg.store = mine;
    p->agent = first;
    restart(p, true);
    assert_stops(p, TACIT_E_STATE,
                 "has released round 2 a second time, whose first release this agent has heard: "
                 "its operator must close the study");
}

/* Our ledger allows the first release of round 1 and not a second one. */
static void a_second_payment_that_is_refused_is_declined(void **state)
{
    play *p = *state;
    restore(p, forget_an_answer(p), 0);
    restart_limited(p, 1e-3);
    for (int i = 0; p->declines == 0; i++) {
        assert_true(i < 12);
        go_on_for(p, 1);
    }
    assert_int_equal(paid(p), 2);
}

/* Killed between learning of the restore and hearing of the round. */
static void started_again_it_still_hears_first(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next;
    restore(p, forget_an_answer(p), 1);
    restart(p, false);
    p->deaf = true;
    assert_stops(p, TACIT_E_IO, "no answer");
    p->deaf = false;
    restart(p, false);
    assert_ok(tc_agent_step(p->agent, 0, &next, &err));
    assert_int_equal(paid(p), 2);
    finish(p);
}

/* Three enrolled after the backup; they come back in another order, each to its place. */
static void who_enrolled_after_the_backup_enrols_again(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_store *stores[3] = {p->store};
    tc_store *backup = p->early;
    p->early = NULL;
    tc_agent_close(p->agent);
    for (int i = 1; i < 3; i++) {
        assert_ok(tc_store_open(&stores[i], "memory:", true, &err));
        p->cfg.store = stores[i];
        join(p);
        assert_int_equal(tc_agent_number(p->agent), i);
        tc_agent_close(p->agent);
    }
    restore(p, backup, 1);
    p->cfg.join_token = NULL;
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE,
                 "a join token would enrol this agent again");
    p->cfg.join_token = p->token;
    for (int i = 2; i >= 0; i--) {
        p->cfg.store = stores[i];
        join(p);
        assert_int_equal(tc_agent_number(p->agent), i);
        if (i > 0) {
            tc_agent_close(p->agent);
            tc_store_close(stores[i]);
        }
    }
    finish(p);
}

/* ---- another key, while the coordinator is restored ---- */

static void close_agent(play *p)
{
    tc_agent_close(p->agent);
    p->agent = NULL;
}

static size_t places(play *p)
{
    json_t *a;
    assert_int_equal(
        world_call(&p->w, "GET", "/v1/studies/s/agents", p->w.operator_token, NULL, &a), 200);
    size_t n = json_array_size(json_object_get(a, "agents"));
    json_decref(a);
    return n;
}

static void print_of(play *p, uint64_t agent, char out[65])
{
    json_t *a;
    assert_int_equal(
        world_call(&p->w, "GET", "/v1/studies/s/agents", p->w.operator_token, NULL, &a), 200);
    snprintf(
        out, 65, "%s",
        world_text(json_array_get(json_object_get(a, "agents"), (size_t)agent), "fingerprint"));
    json_decref(a);
}

/* The coordinator that answers knows neither key. */
static void a_key_changes_though_nobody_knows_the_agent(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    uint64_t number = 9;
    char before[65], after[65];
    print_of(p, 0, before);
    close_agent(p);
    p->swap = p->early;
    p->early = NULL;
    assert_ok(tc_agent_new_key(&p->cfg, &number, &err));
    assert_int_equal(number, 0);
    assert_int_equal(places(p), 1);
    print_of(p, 0, after);
    assert_string_not_equal(before, after);
    join(p);
    assert_int_equal(tc_agent_number(p->agent), 0);
    finish(p);
}

/* It knows the present key, and an earlier access: to give that key up would be to lose the place. */
static void a_key_changes_though_its_access_is_forgotten(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    uint64_t number = 9;
    char before[65], after[65];
    tc_store *first = p->store;
    close_agent(p);
    assert_ok(tc_store_open(&p->store, "memory:", true, &err));
    p->cfg.store = p->store;
    p->lost = true;
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_IO, "no answer");
    p->swap = back_up(p);
    join(p); /* with another access */
    assert_int_equal(tc_agent_number(p->agent), 1);
    close_agent(p);
    print_of(p, 1, before);
    p->cfg.join_token = NULL;
    assert_fails(tc_agent_new_key(&p->cfg, &number, &err), TACIT_E_STATE,
                 "the coordinator refuses another key for agent 1: the token is not valid; a join "
                 "token would enrol this agent again, or its operator can revoke it and readmit it "
                 "with a token of its place");
    p->cfg.join_token = p->token;
    assert_ok(tc_agent_new_key(&p->cfg, &number, &err));
    assert_int_equal(number, 1);
    assert_int_equal(places(p), 2);
    print_of(p, 1, after);
    assert_string_not_equal(before, after);
    join(p);
    assert_int_equal(tc_agent_number(p->agent), 1);
    close_agent(p);
    tc_store_close(first);
}

/* ---- the agent's own backup ---- */

static size_t evidence(play *p)
{
    json_t *a;
    assert_int_equal(
        world_call(&p->w, "GET", "/v1/studies/s/evidence", p->w.operator_token, NULL, &a), 200);
    size_t n = json_array_size(json_object_get(a, "evidence"));
    json_decref(a);
    return n;
}

/* Round 0 is in the backup; then round 1 was answered and released, and round 2 answered. */
static tc_store *outlive_its_backup(play *p)
{
    one_round(p);
    tc_store *backup = back_up_store(p->store);
    wait_for_round(p);
    close_round(p);
    wait_for_round(p);
    return backup;
}

/* Of the last entry of its ledger. */
static const char *last_mechanism(const play *p)
{
    static char name[64];
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(p->store, "mine", false, &io, &err));
    assert_ok(tc_ledger_open(&l, "mine", &io, &err));
    snprintf(name, sizeof name, "%s", tc_ledger_get(l, tc_ledger_get_head(l).seq, NULL)->mechanism);
    tc_ledger_close(l);
    return name;
}

static void restored_itself_it_answers_no_round_twice(void **state)
{
    play *p = *state;
    tc_store *backup = outlive_its_backup(p);
    uint64_t spent = paid(p);
    restore_agent(p, backup, 0);
    wait_for_round(p);
    assert_int_equal(paid(p), spent + 1); /* and the note */
    assert_string_equal(last_mechanism(p), TC_AGENT_LEFT);
    go_on_for(p, 8); /* who waits long, looks again */
    restart(p, false);
    go_on_for(p, 8);
    assert_int_equal(evidence(p), 0);
    assert_int_equal(paid(p), spent + 1);
    close_round(p);
    finish(p);
    assert_int_equal(evidence(p), 0);
    assert_int_equal(p->declines, 0);
}

/* Round 1 was answered after both backups; the agent, restored, has learned that. The backup of the
 * coordinator. */
static tc_store *lose_an_answer(play *p)
{
    one_round(p);
    tc_store *theirs = back_up(p), *ours = back_up_store(p->store);
    wait_for_round(p);
    restore_agent(p, ours, 0);
    wait_for_round(p);
    assert_string_equal(last_mechanism(p), TC_AGENT_LEFT);
    assert_int_equal(paid(p), 3); /* two rounds and the note */
    p->taken = 0;
    return theirs;
}

/* What it made anew has a price of its own. */
static void assert_pays_again_once(play *p)
{
    for (int i = 0; i < 2; i++) {
        go_on_for(p, 12);
        assert_int_equal(p->taken, 1);
        assert_int_equal(paid(p), 4);
        assert_string_not_equal(last_mechanism(p), TC_AGENT_LEFT);
        restart(p, false);
    }
    finish(p);
    assert_int_equal(evidence(p), 0);
    assert_int_equal(p->declines, 0);
}

static void both_restored_it_pays_again_and_answers(void **state)
{
    play *p = *state;
    restore(p, lose_an_answer(p), 0);
    assert_pays_again_once(p);
}

static void so_it_does_when_started_again(void **state)
{
    play *p = *state;
    restore(p, lose_an_answer(p), 0);
    restart(p, false);
    assert_pays_again_once(p);
}

/* Without a note of a restore there is no other price. */
static void a_coordinator_that_says_so_gets_no_second_message(void **state)
{
    play *p = *state;
    tc_store_close(lose_an_answer(p));
    p->forgets = true;
    go_on_for(p, 12);
    restart(p, true);
    go_on_for(p, 12);
    p->forgets = false;
    assert_int_equal(p->taken, 0);
    assert_int_equal(paid(p), 3);
    assert_int_equal(evidence(p), 0);
    close_round(p);
    finish(p);
}

/* With a budget; nobody can tell what its ledger has spent. */
static void lose_count(play *p)
{
    restart_limited(p, 50);
    one_round(p);
    restore_agent(p, back_up_store(p->store), TACIT_RELEASED_ALL);
    finish(p);
}

/* No budget fits. */
static void restored_itself_without_a_count_it_declines(void **state)
{
    play *p = *state;
    lose_count(p);
    assert_true(p->declines > 0);
    assert_int_equal(paid(p), 5); /* four notes: one for each kind of unit */
}

static void unless_it_is_told_to_go_on(void **state)
{
    play *p = *state;
    p->cfg.accepts_not_private = true;
    lose_count(p);
    assert_int_equal(p->declines, 0);
    assert_true(paid(p) > 6);
}

#define IN_PLAY(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLAY(it_says_why_and_stops),
        IN_PLAY(told_to_it_goes_on_and_spends_no_round_twice),
        IN_PLAY(a_release_it_heard_must_be_counted),
        IN_PLAY(without_a_note_it_is_a_rollback),
        IN_PLAY(it_does_not_wait_at_a_replica_that_lagged),
        IN_PLAY(what_may_be_released_again_is_paid_again),
        IN_PLAY(a_round_that_is_over_is_not_paid_again),
        IN_PLAY(a_known_note_explains_nothing),
        IN_PLAY(nor_does_an_older_one),
        IN_PLAY(another_release_of_what_it_heard_is_refused),
        IN_PLAY(a_second_payment_that_is_refused_is_declined),
        IN_PLAY(started_again_it_still_hears_first),
        IN_PLAY(who_enrolled_after_the_backup_enrols_again),
        IN_PLAY(a_key_changes_though_nobody_knows_the_agent),
        IN_PLAY(a_key_changes_though_its_access_is_forgotten),
        IN_PLAY(restored_itself_it_answers_no_round_twice),
        IN_PLAY(both_restored_it_pays_again_and_answers),
        IN_PLAY(so_it_does_when_started_again),
        IN_PLAY(a_coordinator_that_says_so_gets_no_second_message),
        IN_PLAY(restored_itself_without_a_count_it_declines),
        IN_PLAY(unless_it_is_told_to_go_on),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
