/* older_head_test.c - what an agent does when its coordinator was restored from a backup: it says why
 * and stops, goes on where it is told to, and pays for what may be released a second time. */
#include "support/coord_world.h"

#include "agent/agent.h"
#include "base/error.h"
#include "study/copy.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-older-XXXXXX";

typedef struct play {
    coord_world w;
    tc_store *store; /* the agent's */
    char token[64];
    tc_agent_config cfg;
    tc_agent *agent;
} play;

/* ---- the world ---- */

static tacit_status call(void *user, const tc_call *c, int *status, tc_text *body, tacit_error *err)
{
    play *p = user;
    bool closes;
    (void)err;
    world_carry(&p->w, c, status, body, &closes);
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
                 " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}");
    world_join_token(&p.w, 3, p.token);
    assert_ok(tc_store_open(&p.store, "memory:", true, &err));
    p.cfg = (tc_agent_config){.store = p.store,
                              .transport = {call, &p},
                              .study = "s",
                              .join_token = p.token,
                              .ledger = "mine"};
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
    return tc_study_tell(s, trial, NULL, x, err);
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

static uint64_t entries(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger_head head;
    assert_ok(tc_store_ledger(s, name, false, &io, &err));
    assert_ok(io.head(&io, &head, &err));
    return head.seq;
}

/* ---- the backup ---- */

static tc_store *back_up(play *p)
{
    tacit_error err = {0};
    char file[128], url[160];
    tc_store *s;
    snprintf(file, sizeof file, "%s/copy.db", folder);
    snprintf(url, sizeof url, "sqlite:///%s", file);
    assert_ok(tc_backup_write(p->w.store, file, 5000000, &err));
    assert_ok(tc_store_open(&s, url, false, &err));
    unlink(file);
    return s;
}

static tacit_status ignore(void *user, const tc_restore_row *row, tacit_error *err)
{
    (void)user;
    (void)row;
    (void)err;
    return TACIT_OK;
}

static void restore(play *p, tc_store *backup, uint64_t released)
{
    tacit_error err = {0};
    tc_store *copy;
    assert_ok(tc_store_open(&copy, "memory:", true, &err));
    assert_ok(tc_backup_copy(copy, backup, false, &err));
    tc_restore_terms terms = {.backup_ms = 5000000, .now_ms = 6000000, .released = released};
    assert_ok(tc_coord_restore(copy, &terms, ignore, NULL, &err));
    tc_store_close(backup);
    world_close(&p->w);
    open_coordinator(p, copy);
}

/* ---- */

#define TOLD                                                                                       \
    "the coordinator was restored at 1970-01-01T01:40:00.000Z from a backup of "                   \
    "1970-01-01T01:23:20.000Z that ended at entry 1, and this agent has seen entry 3; what it "    \
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

static void it_says_why_and_stops(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next;
    restore(p, forget_two_rounds(p), 2);
    uint64_t spent = entries(p->store, "mine");
    restart(p, false);
    assert_fails(go_on(p, &next, &err), TACIT_E_CORRUPT, TOLD);
    assert_int_equal(entries(p->store, "mine"), spent);
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
    tacit_error err = {0};
    tc_agent_next next;
    restore(p, forget_two_rounds(p), 1);
    restart(p, true);
    assert_fails(go_on(p, &next, &err), TACIT_E_CORRUPT,
                 "the coordinator was restored from a backup and does not count round 2, whose "
                 "release this agent has heard: its operator must restore it with more rounds "
                 "assumed to be released");
}

static void without_a_note_it_is_a_rollback(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next;
    tc_store *copy, *backup = forget_two_rounds(p);
    assert_ok(tc_store_open(&copy, "memory:", true, &err));
    assert_ok(tc_backup_copy(copy, backup, false, &err));
    tc_store_close(backup);
    world_close(&p->w);
    open_coordinator(p, copy);
    restart(p, true);
    assert_fails(go_on(p, &next, &err), TACIT_E_CORRUPT,
                 "the coordinator is not what it was: the ledger was rolled back: it had 3 entries "
                 "and has 1");
}

/* It has sent round 1 and not heard of it; the coordinator forgot that there was one. */
static void what_may_be_released_again_is_paid_again(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next;
    one_round(p);
    tc_store *backup = back_up(p);
    wait_for_round(p);
    assert_int_equal(entries(p->store, "mine"), 2);
    restore(p, backup, 0);
    for (int i = 0; i < 3; i++) { /* it hears first */
        assert_ok(go_on(p, &next, &err));
        assert_int_equal(entries(p->store, "mine"), 2);
    }
    for (int i = 0; i < 4; i++)
        assert_ok(go_on(p, &next, &err));
    assert_int_equal(entries(p->store, "mine"), 3);
    restart(p, false);
    for (int i = 0; i < 8; i++) /* once */
        assert_ok(go_on(p, &next, &err));
    assert_int_equal(entries(p->store, "mine"), 3);
    close_round(p);
    finish(p);
}

static void a_round_that_is_over_is_not_paid_again(void **state)
{
    play *p = *state;
    one_round(p);
    tc_store *backup = back_up(p);
    wait_for_round(p);
    restore(p, backup, 1);
    wait_for_round(p); /* of round 2: it has skipped 1 */
    assert_int_equal(entries(p->store, "mine"), 3);
    finish(p);
}

#define IN_PLAY(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLAY(it_says_why_and_stops),
        IN_PLAY(told_to_it_goes_on_and_spends_no_round_twice),
        IN_PLAY(a_release_it_heard_must_be_counted),
        IN_PLAY(without_a_note_it_is_a_rollback),
        IN_PLAY(what_may_be_released_again_is_paid_again),
        IN_PLAY(a_round_that_is_over_is_not_paid_again),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
