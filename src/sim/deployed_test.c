/* deployed_test.c - simulated = deployed: agents that speak with a coordinator make, bit for bit, the
 * trials and get the broadcasts of the same study in federation.c. */
#include "support/coord_world.h"

#include "agent/agent.h"
#include "sim/federation.h"
#include "sim/record_noise.h"
#include "study/handle.h"

enum { AGENTS = 6, TRIALS = 12 };

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"%s\", \"features\": 20%s},"
    " \"federation\": {\"agents\": 6, \"deadline_s\": 60}, \"privacy\": %s}";

static double objective(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    (void)user;
    (void)trial;
    return sin(9 * values[0]) + 0.01 * (double)agent * values[0];
}

/* ---- agents of a deployment, whose network is a function call ---- */

typedef struct party {
    tc_store *store;
    tc_agent *agent;
    tacit_study *handle; /* of a study that protects records */
} party;

/* Agent i has 300 or 3000 records, of whose metric the range is 4 wide. */
static const char records[] = "300,3000", range[] = "-2:2";
#define RECORDS "{\"unit\": \"record\", \"epsilon\": 2, \"delta\": 1e-5, \"range\": [-2, 2]}"

static tacit_status call(void *user, const tc_call *call, int *status, tc_text *body,
                         tacit_error *err)
{
    bool closes;
    (void)err;
    world_carry(user, call, status, body, &closes);
    if (closes)
        world_tick(user);
    return TACIT_OK;
}

static void guard(party *p)
{
    tacit_error err = {0};
    tc_record_guard *g;
    assert_ok(tc_agent_guard(p->agent, &g, &err));
    assert_ok(tc_study_lend(&p->handle, tc_agent_study(p->agent), &err));
    tc_study_set_guard(p->handle, g);
}

static void join(coord_world *w, party *p, uint64_t i, const char *token, bool protects)
{
    tacit_error err = {0};
    const tc_metric_terms terms = {.low = -2, .high = 2, .records = i % 2 ? 3000 : 300};
    tc_agent_config cfg = {.transport = {call, w},
                           .study = "s",
                           .join_token = token,
                           .ledger = "mine",
                           .accepts_not_private = true,
                           .seeded = true,
                           .seed = 7,
                           .key_salt = i};
    assert_ok(tc_store_open(&p->store, "memory:", true, &err));
    cfg.store = p->store;
    cfg.records = protects ? &terms : NULL;
    assert_ok(tc_agent_open(&p->agent, &cfg, &err));
    assert_int_equal(tc_agent_number(p->agent), i);
    if (protects)
        guard(p);
}

static void one_trial(party *p, uint64_t agent)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    tc_study *s = tc_agent_study(p->agent);
    if (p->handle) {
        assert_ok(tacit_study_ask(p->handle, &trial, &x, &err));
        assert_ok(tacit_study_tell(p->handle, trial, objective(NULL, agent, trial, &x), &err));
        return;
    }
    assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
    assert_ok(tc_study_tell(s, trial, NULL, objective(NULL, agent, trial, &x), &err));
}

/* How agents take turns: step by step, or each as far as it gets before the next one starts. */
typedef enum order { IN_STEP, EAGER } order;

/* Until it is done, or waits where it is eager; false: it is done. */
static bool take_turn(party *p, uint64_t i, order how)
{
    tacit_error err = {0};
    tc_agent_next next;
    do {
        assert_ok(tc_agent_step(p->agent, 0, &next, &err));
        if (next == TC_AGENT_TRIAL)
            one_trial(p, i);
    } while (how == EAGER && next != TC_AGENT_DONE && next != TC_AGENT_WAIT);
    return next != TC_AGENT_DONE;
}

static void join_all(coord_world *w, party *parties, uint64_t n, bool protects)
{
    char token[64];
    world_join_token(w, (int)n, token);
    for (uint64_t i = 0; i < n; i++)
        join(w, &parties[i], i, token, protects);
}

/* In turns, until all are done. */
static void deploy(coord_world *w, party *parties, order how, bool protects)
{
    join_all(w, parties, AGENTS, protects);
    for (bool any = true; any;) {
        any = false;
        for (uint64_t i = 0; i < AGENTS; i++)
            any |= take_turn(&parties[how == EAGER ? AGENTS - 1 - i : i],
                             how == EAGER ? AGENTS - 1 - i : i, how);
    }
}

static void part(party *parties, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        tacit_study_close(parties[i].handle);
        tc_agent_close(parties[i].agent);
        tc_store_close(parties[i].store);
    }
}

/* ---- both ---- */

static tc_study_plan *plan_of(coord_world *w)
{
    tacit_error err = {0};
    tc_study_plan *p;
    tc_study_row row;
    assert_ok(tc_store_study_get(w->store, "s", &row, &err));
    assert_ok(tc_study_plan_new(&p, &row, &err));
    tc_study_row_fini(&row);
    return p;
}

static double noised(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    tacit_error err = {0};
    double y = objective(NULL, agent, trial, values);
    assert_ok(tc_record_noise_add(user, 7, agent, trial, &y, &err));
    return y;
}

static double noise_of(void *user, uint64_t agent)
{
    return tc_record_noise_sd(user, agent);
}

static tc_federation *simulate(const tc_study_plan *p, tc_ledger *ledger, tc_record_noise *noise)
{
    tacit_error err = {0};
    tc_federation *f;
    tc_federation_config cfg = {.algorithm = p->doc->algorithm,
                                .options = p->options,
                                .space = p->doc->space,
                                .maximize = true,
                                .agents = AGENTS,
                                .seed = 7,
                                .budget = TRIALS,
                                .objective = objective,
                                .ledger = ledger,
                                .limit = p->limited ? &p->limit : NULL,
                                .study = p->hash};
    if (p->doc->promise == TC_PROMISE_RECORDS) {
        const tc_record_terms terms = {records, range, true, 2, 1e-5, TRIALS};
        assert_ok(tc_record_noise_init(noise, &terms, &err));
        assert_ok(tc_record_plan_noise(p->doc, &noise->plan.z, &err)); /* as it is carried */
        cfg.objective = noised;
        cfg.noise_sd = noise_of;
        cfg.user = noise;
    }
    assert_ok(tc_federation_new(&f, &cfg, &err));
    for (int t = 0; t < TRIALS; t++)
        assert_ok(tc_federation_step(f, &err));
    return f;
}

static void assert_same_trials(const tc_federation *f, party *parties)
{
    tacit_error err = {0};
    const tc_optimizer *o;
    for (uint64_t i = 0; i < AGENTS; i++) {
        tc_study *s = tc_agent_study(parties[i].agent);
        assert_ok(tc_study_look(s, &o, &err));
        for (uint64_t t = 0; t < TRIALS; t++)
            assert_same_bits(tc_optimizer_trial(tc_federation_agent(f, i), t)->values[0],
                             tc_optimizer_trial(o, t)->values[0]);
        tc_study_unlook(s);
    }
}

static tc_ledger *open_ledger(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, name, true, &io, &err));
    assert_ok(tc_ledger_open(&l, name, &io, &err));
    return l;
}

/* The bytes of every release are those of the simulation. */
static void assert_same_releases(tc_store *deployed, const tc_ledger *simulated)
{
    tc_ledger *l = open_ledger(deployed, "s");
    uint64_t n = tc_ledger_get_head(simulated).seq;
    assert_int_equal(tc_ledger_get_head(l).seq, n);
    for (uint64_t i = 1; i <= n; i++)
        assert_memory_equal(&tc_ledger_get(l, i, NULL)->release,
                            &tc_ledger_get(simulated, i, NULL)->release, TC_LEDGER_HASH_BYTES);
    tc_ledger_close(l);
}

static void compare_in(order how, const char *algorithm, const char *more, const char *privacy)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000};
    tc_store *store, *other;
    party parties[AGENTS] = {0};
    char text[1024];
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    assert_ok(tc_store_open(&other, "memory:", true, &err));
    world_open(&w, store, 7);
    snprintf(text, sizeof text, document, algorithm, more, privacy);
    world_create(&w, "s", text);
    tc_study_plan *p = plan_of(&w);
    tc_ledger *ledger = open_ledger(other, "simulation");
    tc_record_noise noise = {0};
    deploy(&w, parties, how, p->doc->promise == TC_PROMISE_RECORDS);
    tc_federation *f = simulate(p, ledger, &noise);
    assert_same_trials(f, parties);
    assert_same_releases(store, ledger);
    part(parties, AGENTS);
    tc_federation_free(f);
    tc_record_noise_fini(&noise);
    tc_ledger_close(ledger);
    tc_study_plan_free(p);
    tc_store_close(other);
    world_close(&w);
}

static void compare(const char *algorithm, const char *more, const char *privacy)
{
    compare_in(IN_STEP, algorithm, more, privacy);
    compare_in(EAGER, algorithm, more, privacy);
}

static void dp_fts_de_is_the_same_deployed(void **state)
{
    (void)state;
    compare("dp-fts-de", ", \"initial\": 4, \"releases\": \"0,1,3,5\"",
            "{\"epsilon\": 5, \"delta\": 0.01}");
    compare("dp-fts-de",
            ", \"own\": \"features\", \"initial\": 4, \"lengthscale\": 0.2, "
            "\"releases\": \"0,1,3,5\"",
            "{\"epsilon\": 5, \"delta\": 0.01}");
}

/* One release; own=features: which agents read through the filter. */
static void a_promise_alone_is_the_same_deployed(void **state)
{
    const char *privacy = "{\"epsilon\": 5, \"delta\": 0.01}";
    (void)state;
    compare("dp-fts-de", "", privacy);
    compare("dp-fts-de", ", \"own\": \"features\", \"initial\": 4, \"lengthscale\": 0.2", privacy);
}

static void noise_by_number_is_the_same_deployed(void **state)
{
    (void)state;
    compare("dp-fts-de", ", \"initial\": 4, \"releases\": \"all\", \"regions\": 2",
            "{\"noise_multiplier\": 3, \"delta\": 0.01}");
}

/* A Gaussian process of its own: fits are events, and what was heard has the agent's share taken out. */
static void an_own_process_is_the_same_deployed(void **state)
{
    const char *privacy = "{\"epsilon\": 5, \"delta\": 0.01}";
    (void)state;
    compare("dp-fts-de", ", \"initial\": 4, \"regions\": 1, \"own\": \"gp\", \"init\": \"domain\"",
            privacy);
    compare("dp-fts-de",
            ", \"initial\": 3, \"regions\": 2, \"releases\": \"0,1,4\", \"own\": \"gp\", "
            "\"init\": \"domain\"",
            privacy);
    compare("dp-fts-de",
            ", \"initial\": 4, \"own\": \"gp\", \"init\": \"domain\", \"lengthscale\": 0, "
            "\"vote\": \"yes\"",
            privacy);
}

/* Agents find their length-scale in round 0, and send weights without a trial in between. */
static void a_vote_is_the_same_deployed(void **state)
{
    (void)state;
    compare("dp-fts-de",
            ", \"initial\": 4, \"own\": \"gp\", \"init\": \"domain\", \"lengthscale\": 0,"
            " \"vote\": \"yes\", \"releases\": \"0,2,3\"",
            "{\"epsilon\": 5, \"delta\": 0.01}");
    compare("dp-fts-de",
            ", \"initial\": 4, \"own\": \"gp\", \"init\": \"domain\", \"lengthscale\": 0,"
            " \"vote\": \"yes\", \"vote_multiplier\": 2",
            "{\"noise_multiplier\": 3, \"delta\": 0.01}");
}

static void fts_is_the_same_deployed(void **state)
{
    (void)state;
    compare("fts", ", \"own\": \"features\", \"initial\": 4", "\"none\"");
}

/* All messages are heard by a Gaussian process of the agent's own, or are models beside it. */
static void who_has_an_own_process_is_the_same_deployed(void **state)
{
    (void)state;
    compare("fts", "", "\"none\"");
    compare("fts", ", \"mode\": \"general\", \"initial\": 4, \"reads\": 2", "\"none\"");
    compare("rgpe", ", \"samples\": 20", "\"none\"");
    compare("taf", "", "\"none\"");
}

/* Noise in values, by the number of records, and messages without. */
static void records_are_the_same_deployed(void **state)
{
    (void)state;
    compare("fts", ", \"initial\": 4", RECORDS);
    compare("dp-fts-de", ", \"initial\": 4", RECORDS);
    compare("taf", "", RECORDS);
}

static void fts_in_rounds_is_the_same_deployed(void **state)
{
    (void)state;
    compare("fts",
            ", \"own\": \"features\", \"initial\": 4, \"mode\": \"general\","
            " \"schedule\": \"constant\", \"follow\": 0.5",
            "\"none\"");
}

/* ---- whom a ledger charges ---- */

enum { RECORD_AGENTS = 3 };

/* Entry by entry, an agent has pledged what the coordinator's ledger charges, to the same. */
static void assert_same_charges(tc_store *coordinator, tc_store *agent)
{
    tc_ledger *theirs = open_ledger(coordinator, "s"), *mine = open_ledger(agent, "mine");
    assert_true(tc_ledger_get_head(theirs).seq >= 2);
    assert_true(tc_ledger_get_head(mine).seq >= tc_ledger_get_head(theirs).seq);
    for (uint64_t i = 1; i <= tc_ledger_get_head(theirs).seq; i++) {
        const tc_ledger_entry *a = tc_ledger_get(theirs, i, NULL),
                              *b = tc_ledger_get(mine, i, NULL);
        assert_int_equal(a->unit, TACIT_UNIT_ROW);
        assert_int_equal(b->unit, TACIT_UNIT_ROW);
        assert_int_equal(a->round, b->round);
        assert_string_equal(a->subject, b->subject);
        assert_string_equal(a->adjacency, b->adjacency);
        assert_same_bits(a->event.parameter, b->event.parameter);
        assert_false(a->is_private || b->is_private); /* all of it is from seeds */
    }
    tc_ledger_close(theirs);
    tc_ledger_close(mine);
}

static uint64_t releases_of(tc_store *s)
{
    tc_ledger *l = open_ledger(s, "s");
    uint64_t n = tc_ledger_get_head(l).seq;
    tc_ledger_close(l);
    return n;
}

static void records_are_charged_as_records(void **state)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000};
    tc_store *store;
    party parties[RECORD_AGENTS] = {0};
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    world_create(&w, "s",
                 "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 2000, \"seed\": 7,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"dp-pf-pne\", \"protect\": \"record\"},"
                 " \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
                 " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}");
    join_all(&w, parties, RECORD_AGENTS, false);
    for (int k = 0; releases_of(store) < 2; k++) {
        assert_true(k < 100);
        for (uint64_t i = 0; i < RECORD_AGENTS; i++)
            (void)take_turn(&parties[i], i, EAGER);
    }
    for (uint64_t i = 0; i < RECORD_AGENTS; i++)
        assert_same_charges(store, parties[i].store);
    part(parties, RECORD_AGENTS);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dp_fts_de_is_the_same_deployed),
        cmocka_unit_test(a_promise_alone_is_the_same_deployed),
        cmocka_unit_test(noise_by_number_is_the_same_deployed),
        cmocka_unit_test(an_own_process_is_the_same_deployed),
        cmocka_unit_test(a_vote_is_the_same_deployed),
        cmocka_unit_test(fts_is_the_same_deployed),
        cmocka_unit_test(who_has_an_own_process_is_the_same_deployed),
        cmocka_unit_test(fts_in_rounds_is_the_same_deployed),
        cmocka_unit_test(records_are_the_same_deployed),
        cmocka_unit_test(records_are_charged_as_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
