/* trustee_kill_test.c - a study with trustees whose parties die: an agent, a trustee and the coordinator at every write, before it and after
 * it, and every request and every answer is lost once. The study must end as if nothing had happened: the same trials and the same
 * releases, one for each round; nothing is paid twice; and no trustee is asked for a second answer.
 *
 * All of it twice: with everybody there, and with half of the agents and K - t - 1 trustees away for good, where nobody who is
 * left can be spared: rounds end by their deadline, and are opened by t + 1 answers with the noise of r dealers. */
#include "support/trust_world.h"

#include <stdlib.h>

enum { AGENTS = 4, TRIALS = 5 };

/* Who is in a study, and how many of them enrol and are not seen again: the last ones. */
typedef struct cast {
    uint64_t trustees, agents_away, trustees_away;
    uint64_t points; /* at most so many, unless TACIT_DEEP is set */
    const char *document;
} cast;

#define DOCUMENT(trustees, deadline_s)                                                             \
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 5, \"seed\": 7,"                   \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 3,"                   \
    " \"releases\": \"all\"},"                                                                     \
    " \"federation\": {\"agents\": 4, \"trustees\": " trustees ", \"deadline_s\": " deadline_s     \
    "},"                                                                                           \
    " \"privacy\": {\"epsilon\": 9, \"delta\": 0.01}}"

static const cast everybody = {.trustees = 3, .points = 120, .document = DOCUMENT("3", "3600")};
static const cast few = {.trustees = 5,
                         .agents_away = 2,
                         .trustees_away = 1,
                         .points = 40,
                         .document = DOCUMENT("5", "5")};

static void begin(trust_world *w, const cast *c)
{
    trust_begin(w, AGENTS, c->trustees, c->document);
}

static void run(trust_world *w, const cast *c)
{
    trust_enrol(w);
    for (uint64_t i = AGENTS - c->agents_away; i < AGENTS; i++)
        w->agents[i].absent = true;
    for (uint64_t i = c->trustees - c->trustees_away; i < c->trustees; i++)
        w->trustees[i].absent = true;
    trust_run(w);
}

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
    for (uint64_t i = 0; i < w->n && !w->agents[i].absent; i++) {
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
    for (uint64_t i = 0; i < w->n && !w->agents[i].absent; i++) {
        l = trust_ledger(w->agents[i].store.disk, "mine");
        out.pledged += tc_ledger_get_head(l).seq;
        tc_ledger_close(l);
        out.dealings += count(w->agents[i].store.disk, TC_RECORD_DEALING);
    }
    for (uint64_t i = 0; i < w->k && !w->trustees[i].absent; i++) {
        out.answered += count(w->trustees[i].store.disk, TC_RECORD_DUTY);
        out.dealings += count(w->trustees[i].store.disk, TC_RECORD_DEALING);
        out.secrets += count(w->trustees[i].store.disk, TC_RECORD_ROUND_SECRET);
    }
    return out;
}

/* Everybody who is there has answered for every round, and keeps no key and no dealing. */
static void assert_whole(const outcome *o, const cast *c)
{
    assert_true(o->head.seq >= 2);
    assert_int_equal(o->pledged, o->head.seq * (AGENTS - c->agents_away));
    assert_int_equal(o->answered, o->head.seq * (c->trustees - c->trustees_away));
    assert_int_equal(o->dealings, 0);
    assert_int_equal(o->secrets, 0);
    assert_int_equal(o->refused, 0);
}

static void assert_same(const outcome *a, const outcome *b, const cast *c)
{
    assert_memory_equal(&a->trials, &b->trials, sizeof a->trials);
    assert_int_equal(a->head.seq, b->head.seq);
    assert_memory_equal(&a->head.hash, &b->head.hash, sizeof a->head.hash);
    assert_whole(b, c);
}

typedef struct reference {
    const cast *of;
    outcome plain;
    uint64_t writes, agent_writes, trustee_writes, calls;
} reference;

static reference make_reference(const cast *c)
{
    reference r = {.of = c};
    trust_world *w = tc_alloc(1, sizeof *w);
    begin(w, c);
    const uint64_t before = w->store.writes;
    run(w, c);
    r.plain = outcome_of(w);
    r.writes = w->store.writes - before;
    r.agent_writes = w->agents[1].store.writes;
    r.trustee_writes = w->trustees[1].store.writes;
    r.calls = w->calls;
    assert_whole(&r.plain, c);
    trust_end(w);
    tc_free(w);
    return r;
}

static int make_references(void **state)
{
    static reference both[2];
    both[0] = make_reference(&everybody);
    both[1] = make_reference(&few);
    *state = both;
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
    begin(w, r->of);
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
    run(w, r->of);
    const outcome out = outcome_of(w);
    assert_same(&r->plain, &out, r->of);
    trust_end(w);
    tc_free(w);
}

/* At every point, before it and after it; where there are very many, at some that are spread evenly. */
static void run_at_points(const reference *r, victim who, uint64_t n)
{
    const uint64_t most = getenv("TACIT_DEEP") ? n : r->of->points,
                   step = n / most + (n % most > 0);
    uint64_t points = 0;
    for (uint64_t at = 1; at <= n; at += step)
        for (int after = 0; after < 2; after++, points++)
            run_with(r, who, at, after);
    print_message("%d points\n", (int)points);
}

static void the_coordinator_dies_at_every_write(void **state)
{
    const reference *both = *state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(both[i].writes > 20);
        run_at_points(&both[i], COORDINATOR, both[i].writes);
    }
}

static void an_agent_dies_at_every_write(void **state)
{
    const reference *both = *state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(both[i].agent_writes > 20);
        run_at_points(&both[i], AGENT, both[i].agent_writes);
    }
}

static void a_trustee_dies_at_every_write(void **state)
{
    const reference *both = *state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(both[i].trustee_writes > 10);
        run_at_points(&both[i], TRUSTEE, both[i].trustee_writes);
    }
}

static void every_request_and_every_answer_is_lost(void **state)
{
    const reference *both = *state;
    for (size_t i = 0; i < 2; i++)
        run_at_points(&both[i], NETWORK, both[i].calls);
}

/* What it has answered has the sets of all rounds in it, and is not read in each. */
static void rounds_that_are_over_are_not_read_again(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    (void)state;
    trust_begin(w, AGENTS, everybody.trustees, everybody.document);
    trust_run(w);
    for (uint64_t k = 0; k < everybody.trustees; k++) {
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
    return cmocka_run_group_tests(tests, make_references, NULL);
}
