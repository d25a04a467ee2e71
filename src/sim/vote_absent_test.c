/* vote_absent_test.c - who is not there when a deployed study votes on its length-scale: agents that are late, that
 * join afterwards, that decline. Whoever hears the vote sends weights of the same features as all others; whoever
 * declined it sends none. */
#include "support/coord_world.h"

#include "agent/agent.h"
#include "algo/dp_fts_de/dp_fts_de.h"

enum { AGENTS = 4, INITIAL = 5, TRIALS = 9, M = 10 };

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 9, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 10, \"initial\": 5, \"own\": \"gp\","
    " \"init\": \"domain\", \"lengthscale\": 0, \"vote\": \"yes\"},"
    " \"federation\": {\"agents\": 4, \"deadline_s\": 60},"
    " \"privacy\": {\"epsilon\": 60, \"delta\": 0.01}}";

typedef struct party {
    coord_world *w;
    tc_store *store;
    tc_agent *agent;
    uint64_t number;
    char *said[3]; /* bodies, by round */
    int answers[3];
} party;

typedef struct play {
    coord_world w;
    char token[64];
    party parties[AGENTS];
} play;

static tacit_status call(void *user, const tc_call *call, int *status, tc_text *body,
                         tacit_error *err)
{
    party *p = user;
    const char *round = strstr(call->path, "/rounds/");
    bool closes;
    (void)err;
    world_carry(p->w, call, status, body, &closes);
    if (call->signature && round) {
        unsigned r = (unsigned)(round[8] - '0');
        assert_true(r < 3);
        tc_free(p->said[r]);
        p->said[r] = tc_strdup(call->body);
        p->answers[r] = *status;
    }
    if (closes)
        world_tick(p->w);
    return TACIT_OK;
}

/* epsilon: its own limit; 0: none. */
static void join(play *y, uint64_t i, double epsilon)
{
    tacit_error err = {0};
    party *p = &y->parties[i];
    p->w = &y->w;
    p->number = i;
    assert_ok(tc_store_open(&p->store, "memory:", true, &err));
    tc_agent_config cfg = {
        .transport = {call, p},
        .study = "s",
        .store = p->store,
        .join_token = y->token,
        .ledger = "mine",
        .accepts_not_private = true,
        .seeded = true,
        .seed = 7,
        .key_salt = i,
        .limited = epsilon > 0,
        .limit = {.epsilon = epsilon, .delta = 0.01, .accountant = &tc_accountant_pld}};
    assert_ok(tc_agent_open(&p->agent, &cfg, &err));
    assert_int_equal(tc_agent_number(p->agent), i);
}

/* As far as it gets; true: to its end. */
static bool go(party *p)
{
    tacit_error err = {0};
    tc_agent_next next;
    tc_study *s = tc_agent_study(p->agent);
    do {
        uint64_t trial;
        double x;
        assert_ok(tc_agent_step(p->agent, 0, &next, &err));
        if (next != TC_AGENT_TRIAL)
            continue;
        assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
        assert_ok(tc_study_tell(s, trial, NULL, sin(25 * x + (double)p->number), &err));
    } while (next != TC_AGENT_DONE && next != TC_AGENT_WAIT);
    return next == TC_AGENT_DONE;
}

static void begin(play *y)
{
    tacit_error err = {0};
    tc_store *store;
    *y = (play){.w = {.now_ms = 1000}};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&y->w, store, 7);
    world_create(&y->w, "s", document);
    world_join_token(&y->w, AGENTS, y->token);
}

static void pass_deadline(play *y)
{
    y->w.now_ms += 61000;
    world_tick(&y->w);
}

static void end(play *y)
{
    for (uint64_t i = 0; i < AGENTS; i++) {
        tc_agent_close(y->parties[i].agent);
        tc_store_close(y->parties[i].store);
        for (int r = 0; r < 3; r++)
            tc_free(y->parties[i].said[r]);
    }
    world_close(&y->w);
}

static tc_study_plan *plan_of(play *y)
{
    tacit_error err = {0};
    tc_study_plan *p;
    tc_study_row row;
    assert_ok(tc_store_study_get(y->w.store, "s", &row, &err));
    assert_ok(tc_study_plan_new(&p, &row, &err));
    tc_study_row_fini(&row);
    return p;
}

static tc_ledger *ledger_of(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, name, false, &io, &err));
    assert_ok(tc_ledger_open(&l, name, &io, &err));
    return l;
}

/* What the broadcast of the vote says, as anybody reads it who has the document. */
static double picked_length(play *y, const tc_study_plan *p)
{
    tacit_error err = {0};
    tc_ledger *l = ledger_of(y->w.store, "s");
    tc_ledger_receipt receipt;
    tc_dp_fts_de_round r;
    double mean[TC_DP_FTS_DE_VOTE_GRID];
    assert_ok(tc_ledger_find(l, &p->hash, 0, &receipt, &err));
    assert_int_equal(receipt.size, 8 * TC_DP_FTS_DE_VOTE_GRID);
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = AGENTS}, p->opts, 0, &err));
    tc_dp_fts_de_broadcast_read(&r, receipt.bytes, mean);
    double length = tc_dp_fts_de_vote_lengthscale(
        1, tc_dp_fts_de_vote_pick(mean, tc_dp_fts_de_broadcast_noise(&r, 0)));
    tc_dp_fts_de_round_fini(&r);
    tc_ledger_receipt_fini(&receipt);
    tc_ledger_close(l);
    return length;
}

static void tell_same(tc_optimizer *to, const tc_optimizer *from, uint64_t t)
{
    tacit_error err = {0};
    const tc_trial *was = tc_optimizer_trial(from, t);
    tc_event e = {
        .kind = TC_EVENT_ASK, .trial = t, .values = was->values, .seq = 2 * t + 1, .lease_ms = 0};
    assert_ok(tc_optimizer_apply(to, &e, &err));
    assert_ok(tc_optimizer_tell(to, t, NULL, was->value, 0, &e, &err));
    e.seq = 2 * t + 2;
    assert_ok(tc_optimizer_apply(to, &e, &err));
}

/* The first message of an agent with the same values in a study that is told the length-scale. Base64. */
static void told_message(const tc_study_plan *p, const tc_optimizer *from, double length,
                         tc_text *out)
{
    tacit_error err = {0};
    tc_optimizer *o;
    tc_event e;
    uint8_t bytes[TC_DP_FTS_DE_HEADER + 8 * M];
    json_t *options = json_deep_copy(p->options);
    json_object_set_new(options, "lengthscale", json_real(length));
    json_object_set_new(options, "vote", json_string("no"));
    tc_optimizer_config cfg = {.algorithm = p->doc->algorithm,
                               .options = options,
                               .space = p->doc->space,
                               .maximize = true,
                               .public_seed = p->env.public_seed,
                               .party = 0,
                               .agents = AGENTS};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    for (uint64_t t = 0; t < INITIAL; t++)
        tell_same(o, from, t);
    assert_ok(tc_optimizer_publish(o, 0, &e, &err));
    assert_int_equal(e.n_bytes, sizeof bytes);
    memcpy(bytes, e.bytes, sizeof bytes);
    bytes[8] = 1; /* its round */
    tc_base64_add(out, bytes, sizeof bytes);
    tc_optimizer_free(o);
    json_decref(options);
}

static void assert_right_weights(play *y)
{
    tacit_error err = {0};
    tc_study_plan *p = plan_of(y);
    double length = picked_length(y, p);
    assert_true(length < tc_usual_lengthscale(1)); /* else a guess would do as well */
    for (uint64_t i = 0; i < AGENTS; i++) {
        const tc_optimizer *o;
        tc_text text = {0};
        tc_study *s = tc_agent_study(y->parties[i].agent);
        assert_ok(tc_study_look(s, &o, &err));
        told_message(p, o, length, &text);
        tc_study_unlook(s);
        if (!strstr(y->parties[i].said[1], tc_text_get(&text)))
            fail_msg("agent %d sent other weights than those of length-scale %g", (int)i, length);
        tc_text_fini(&text);
    }
    tc_study_plan_free(p);
}

/* Agent 3 is away for the vote; it has enrolled before, or joins when it is over. */
static void run_without_the_last(bool joined)
{
    play *y = tc_alloc(1, sizeof *y);
    begin(y);
    for (uint64_t i = 0; i + 1 < AGENTS + (uint64_t)joined; i++)
        join(y, i, 0);
    for (uint64_t i = 0; i + 1 < AGENTS; i++)
        assert_false(go(&y->parties[i])); /* waits for the vote */
    pass_deadline(y);
    for (uint64_t i = 0; i + 1 < AGENTS; i++)
        assert_false(go(&y->parties[i])); /* has sent its weights */
    if (!joined)
        join(y, AGENTS - 1, 0);
    (void)go(&y->parties[AGENTS - 1]); /* its vote is late, its weights are the last ones */
    assert_int_equal(y->parties[0].answers[0], 202);
    assert_int_equal(y->parties[AGENTS - 1].answers[0], 410);
    for (uint64_t i = 0; i < AGENTS; i++) {
        assert_int_equal(y->parties[i].answers[1], 202);
        assert_true(go(&y->parties[i]));
    }
    assert_right_weights(y);
    end(y);
    tc_free(y);
}

static void an_agent_that_was_away_hears_the_vote_later(void **state)
{
    (void)state;
    run_without_the_last(true);
}

static void an_agent_that_joins_later_hears_the_vote(void **state)
{
    (void)state;
    run_without_the_last(false);
}

/* Declined messages are zeros, as long as a vote and as weights. */
static void assert_declined(const party *p)
{
    for (int r = 0; r < 2; r++)
        assert_non_null(strstr(p->said[r], "\"decline\""));
    tc_ledger *l = ledger_of(p->store, "mine");
    assert_int_equal(tc_ledger_get_head(l).seq, 0);
    tc_ledger_close(l);
}

/* One that cannot afford the vote goes on alone; the others' weights are those of the vote. */
static void an_agent_that_declines_the_vote_sends_no_weights(void **state)
{
    (void)state;
    play *y = tc_alloc(1, sizeof *y);
    begin(y);
    for (uint64_t i = 0; i < AGENTS; i++)
        join(y, i, i == 2 ? 1e-3 : 0);
    for (int k = 0; k < 3; k++)
        for (uint64_t i = 0; i < AGENTS; i++)
            (void)go(&y->parties[i]);
    for (uint64_t i = 0; i < AGENTS; i++)
        assert_true(go(&y->parties[i]));
    assert_declined(&y->parties[2]);
    tc_ledger *l = ledger_of(y->w.store, "s");
    assert_int_equal(tc_ledger_get_head(l).seq, 2);
    tc_ledger_close(l);
    end(y);
    tc_free(y);
}

/* Nobody can afford it: the round closes with noise alone, is charged, and the study ends with everybody alone. */
static void a_vote_of_nobody_closes(void **state)
{
    (void)state;
    play *y = tc_alloc(1, sizeof *y);
    begin(y);
    for (uint64_t i = 0; i < AGENTS; i++)
        join(y, i, 1e-3);
    (void)go(&y->parties[0]);
    pass_deadline(y);
    tc_ledger *l = ledger_of(y->w.store, "s");
    assert_true(tc_ledger_get_head(l).seq >= 1);
    tc_ledger_close(l);
    for (int k = 0; k < 3; k++)
        for (uint64_t i = 0; i < AGENTS; i++)
            (void)go(&y->parties[i]);
    pass_deadline(y);
    for (uint64_t i = 0; i < AGENTS; i++) {
        assert_true(go(&y->parties[i]));
        assert_declined(&y->parties[i]);
    }
    end(y);
    tc_free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_agent_that_was_away_hears_the_vote_later),
        cmocka_unit_test(an_agent_that_joins_later_hears_the_vote),
        cmocka_unit_test(an_agent_that_declines_the_vote_sends_no_weights),
        cmocka_unit_test(a_vote_of_nobody_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
