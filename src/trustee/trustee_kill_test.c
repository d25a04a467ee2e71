/* trustee_kill_test.c - a study with trustees whose parties die: an agent, a trustee and the coordinator at every write, before it and after
 * it, and every request and every answer is lost once. The study must end as if nothing had happened: the same trials and the same
 * releases, one for each round; nothing is paid twice; and no trustee is asked for a second answer. */
#include "support/trust_world.h"

#include <stdlib.h>

enum { AGENTS = 4, TRUSTEES = 3, TRIALS = 5, POINTS_MOST = 120 };

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 5, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 3,"
    " \"releases\": \"all\"},"
    " \"federation\": {\"agents\": 4, \"trustees\": 3, \"deadline_s\": 3600},"
    " \"privacy\": {\"epsilon\": 9, \"delta\": 0.01}}";

/* ---- what a study came to ---- */

typedef struct outcome {
    tacit_hash trials;
    tacit_head head;
    uint64_t pledged, answered, dealings, secrets, refused;
} outcome;

static uint64_t count(tc_store *s, tc_record_kind kind)
{
    tacit_error err = {0};
    const tc_record_range all = {.kind = kind};
    uint64_t n;
    assert_ok(tc_store_record_count(s, &all, &n, &err));
    return n;
}

static void add_trials(trust_world *w, tc_text *out)
{
    tacit_error err = {0};
    const tc_optimizer *o;
    for (uint64_t i = 0; i < w->n; i++) {
        tc_study *s = tc_agent_study(w->agents[i].agent);
        assert_ok(tc_study_look(s, &o, &err));
        assert_int_equal(tc_optimizer_trials(o), TRIALS);
        for (uint64_t t = 0; t < tc_optimizer_trials(o); t++)
            tc_text_addf(out, "%a %a\n", tc_optimizer_trial(o, t)->values[0],
                         tc_optimizer_trial(o, t)->value);
        tc_study_unlook(s);
    }
}

static outcome outcome_of(trust_world *w)
{
    tc_text text = {0};
    outcome out = {.refused = w->n_said};
    add_trials(w, &text);
    out.trials = tc_hash_bytes(tc_text_get(&text), text.len);
    tc_text_fini(&text);
    tc_ledger *l = trust_ledger(w->store.disk, "s");
    out.head = tc_ledger_get_head(l);
    tc_ledger_close(l);
    for (uint64_t i = 0; i < w->n; i++) {
        l = trust_ledger(w->agents[i].store.disk, "mine");
        out.pledged += tc_ledger_get_head(l).seq;
        tc_ledger_close(l);
        out.dealings += count(w->agents[i].store.disk, TC_RECORD_DEALING);
    }
    for (uint64_t i = 0; i < w->k; i++) {
        out.answered += count(w->trustees[i].store.disk, TC_RECORD_DUTY);
        out.dealings += count(w->trustees[i].store.disk, TC_RECORD_DEALING);
        out.secrets += count(w->trustees[i].store.disk, TC_RECORD_ROUND_SECRET);
    }
    return out;
}

/* Everybody has answered for every round, and keeps no key and no dealing. */
static void assert_whole(const outcome *o)
{
    assert_true(o->head.seq >= 2);
    assert_int_equal(o->pledged, o->head.seq * AGENTS);
    assert_int_equal(o->answered, o->head.seq * TRUSTEES);
    assert_int_equal(o->dealings, 0);
    assert_int_equal(o->secrets, 0);
    assert_int_equal(o->refused, 0);
}

static void assert_same(const outcome *a, const outcome *b)
{
    assert_memory_equal(&a->trials, &b->trials, sizeof a->trials);
    assert_int_equal(a->head.seq, b->head.seq);
    assert_memory_equal(&a->head.hash, &b->head.hash, sizeof a->head.hash);
    assert_whole(b);
}

typedef struct reference {
    outcome plain;
    uint64_t writes, agent_writes, trustee_writes, calls;
} reference;

static int make_reference(void **state)
{
    static reference r;
    trust_world *w = tc_alloc(1, sizeof *w);
    trust_begin(w, AGENTS, TRUSTEES, document);
    const uint64_t before = w->store.writes;
    trust_run(w);
    r.plain = outcome_of(w);
    r.writes = w->store.writes - before;
    r.agent_writes = w->agents[1].store.writes;
    r.trustee_writes = w->trustees[1].store.writes;
    r.calls = w->calls;
    assert_whole(&r.plain);
    trust_end(w);
    tc_free(w);
    *state = &r;
    return 0;
}

/* ---- one of them dies ---- */

typedef enum victim { COORDINATOR, AGENT, TRUSTEE, NETWORK } victim;

typedef struct loss {
    uint64_t at;
    bool answer;
} loss;

/* The hook is asked before a call and after it. */
static bool lose(trust_world *w, trust_party *who, const tc_call *call, int *status,
                 tc_text *answer)
{
    const loss *l = w->user;
    (void)who;
    (void)call;
    (void)status;
    return w->calls != l->at || (answer != NULL) != l->answer;
}

static void run_with(const reference *r, victim who, uint64_t at, bool after)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    loss l = {at, after};
    trust_begin(w, AGENTS, TRUSTEES, document);
    crash_store *store = who == COORDINATOR ? &w->store
                         : who == AGENT     ? &w->agents[1].store
                                            : &w->trustees[1].store;
    if (who == NETWORK) {
        w->hook = lose;
        w->user = &l;
    } else {
        store->at = store->writes + at;
        store->after = after;
    }
    trust_run(w);
    const outcome out = outcome_of(w);
    assert_same(&r->plain, &out);
    trust_end(w);
    tc_free(w);
}

/* At every point, before it and after it; where there are very many, at some that are spread evenly. */
static void run_at_points(const reference *r, victim who, uint64_t n)
{
    const uint64_t most = getenv("TACIT_DEEP") ? n : POINTS_MOST, step = n / most + (n % most > 0);
    uint64_t points = 0;
    for (uint64_t at = 1; at <= n; at += step)
        for (int after = 0; after < 2; after++, points++)
            run_with(r, who, at, after);
    print_message("%d points\n", (int)points);
}

static void the_coordinator_dies_at_every_write(void **state)
{
    const reference *r = *state;
    assert_true(r->writes > 20);
    run_at_points(r, COORDINATOR, r->writes);
}

static void an_agent_dies_at_every_write(void **state)
{
    const reference *r = *state;
    assert_true(r->agent_writes > 20);
    run_at_points(r, AGENT, r->agent_writes);
}

static void a_trustee_dies_at_every_write(void **state)
{
    const reference *r = *state;
    assert_true(r->trustee_writes > 10);
    run_at_points(r, TRUSTEE, r->trustee_writes);
}

static void every_request_and_every_answer_is_lost(void **state)
{
    const reference *r = *state;
    run_at_points(r, NETWORK, r->calls);
}

/* What it has answered has the sets of all rounds in it, and is not read in each. */
static void rounds_that_are_over_are_not_read_again(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, document);
    trust_run(w);
    for (uint64_t k = 0; k < TRUSTEES; k++) {
        assert_int_equal(count(w->trustees[k].store.disk, TC_RECORD_DUTY), 2);
        assert_int_equal(w->trustees[k].store.duties, 0);
    }
    trust_end(w);
    tc_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_coordinator_dies_at_every_write),
        cmocka_unit_test(an_agent_dies_at_every_write),
        cmocka_unit_test(a_trustee_dies_at_every_write),
        cmocka_unit_test(every_request_and_every_answer_is_lost),
        cmocka_unit_test(rounds_that_are_over_are_not_read_again),
    };
    return cmocka_run_group_tests(tests, make_reference, NULL);
}
