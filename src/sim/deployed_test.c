/* deployed_test.c - simulated = deployed: agents that speak with a coordinator make, bit for bit, the
 * trials and get the broadcasts of the same study in federation.c. */
#include "support/coord_world.h"

#include "sim/federation.h"

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

/* ---- an agent of a deployment: a bare optimizer and the requests around it ---- */

static void apply(tc_optimizer *o, const tc_event *e)
{
    tacit_error err = {0};
    assert_ok(tc_optimizer_apply(o, e, &err));
}

static void send(coord_world *w, citizen *c, tc_optimizer *o, uint64_t round)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_publish(o, 0, &e, &err));
    assert_int_equal(world_post_bytes(w, c, round, ++c->sequence, e.bytes, e.n_bytes, NULL), 202);
    apply(o, &e);
}

static void hear(coord_world *w, const citizen *c, tc_optimizer *o, uint64_t round)
{
    tacit_error err = {0};
    tc_event e;
    uint8_t *bytes = NULL;
    size_t n = 0;
    int status = world_broadcast(w, c->access, round, &bytes, &n);
    if (status == 410)
        assert_ok(tc_optimizer_skip(o, round, "the budget is spent", 0, &e, &err));
    else {
        assert_int_equal(status, 200);
        assert_ok(tc_optimizer_absorb(o, round, bytes, n, 0, &e, &err));
    }
    apply(o, &e);
    tc_free(bytes);
}

static void fetch(coord_world *w, const citizen *c, tc_optimizer *o, const tc_need *need)
{
    char path[128];
    tacit_error err = {0};
    tc_event e;
    json_t *a;
    uint8_t *bytes = NULL;
    size_t n = 0;
    snprintf(path, sizeof path, "/v1/studies/s/rounds/%" PRIu64 "/messages/%" PRIu64, need->round,
             need->party);
    assert_int_equal(world_call(w, "GET", path, c->access, NULL, &a), 200);
    assert_ok(tc_base64_bytes(world_text(a, "release"), "release", 1 << 24, &bytes, &n, &err));
    assert_ok(tc_optimizer_fetch(o, need->round, need->party, bytes, n, 0, &e, &err));
    apply(o, &e);
    tc_free(bytes);
    json_decref(a);
}

static void one_trial(tc_optimizer *o, uint64_t agent)
{
    tacit_error err = {0};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &(tc_ask_request){.now_ms = 0}, &e, &err));
        apply(o, &e);
    } while (e.kind != TC_EVENT_ASK);
    double y = objective(NULL, agent, e.trial, e.values);
    assert_ok(tc_optimizer_tell(o, e.trial, NULL, y, 0, &e, &err));
    apply(o, &e);
}

/* All agents that may publish do, the round is closed, and those that must go on. */
static void rounds(coord_world *w, tc_optimizer **o)
{
    tacit_error err = {0};
    tc_need need;
    bool any = false;
    for (size_t i = 0; i < AGENTS; i++) {
        assert_ok(tc_optimizer_need(o[i], &need, &err));
        if (need.may & TC_NEED_PUBLISH) {
            send(w, &w->agents[i], o[i], need.round);
            any = true;
        }
    }
    if (any)
        world_tick(w);
    for (size_t i = 0; i < AGENTS; i++) {
        assert_ok(tc_optimizer_need(o[i], &need, &err));
        if (need.must & TC_NEED_ABSORB)
            hear(w, &w->agents[i], o[i], need.round);
        assert_ok(tc_optimizer_need(o[i], &need, &err));
        if (need.must & TC_NEED_FETCH)
            fetch(w, &w->agents[i], o[i], &need);
    }
}

static void deploy(coord_world *w, const tc_study_plan *p, tc_optimizer **o)
{
    tacit_error err = {0};
    for (uint64_t i = 0; i < AGENTS; i++) {
        tc_optimizer_config cfg = {.algorithm = p->doc->algorithm,
                                   .options = p->options,
                                   .space = p->doc->space,
                                   .maximize = p->doc->maximize,
                                   .public_seed = p->env.public_seed,
                                   .party_seed = tc_party_seed_from(7),
                                   .party = i,
                                   .agents = AGENTS,
                                   .budget = p->doc->trials};
        assert_ok(tc_optimizer_new(&o[i], &cfg, &err));
    }
    for (int t = 0; t < TRIALS; t++) {
        rounds(w, o);
        for (uint64_t i = 0; i < AGENTS; i++)
            one_trial(o[i], i);
    }
}

/* ---- both ---- */

static tc_study_plan *plan_of(coord_world *w)
{
    tacit_error err = {0};
    tc_study_plan *p;
    tc_study_row row;
    assert_ok(tc_store_study_get(w->store, "s", &row, &err));
    assert_ok(tc_study_plan_new(&p, row.document, row.points_csv, &row.public_seed, &err));
    tc_study_row_fini(&row);
    return p;
}

static tc_federation *simulate(const tc_study_plan *p, tc_ledger *ledger)
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
    assert_ok(tc_federation_new(&f, &cfg, &err));
    for (int t = 0; t < TRIALS; t++)
        assert_ok(tc_federation_step(f, &err));
    return f;
}

static void assert_same_trials(const tc_federation *f, tc_optimizer **o)
{
    for (uint64_t i = 0; i < AGENTS; i++)
        for (uint64_t t = 0; t < TRIALS; t++)
            assert_same_bits(tc_optimizer_trial(tc_federation_agent(f, i), t)->values[0],
                             tc_optimizer_trial(o[i], t)->values[0]);
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

static void compare(const char *url, const char *algorithm, const char *more, const char *privacy)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000};
    tc_store *store, *other;
    tc_optimizer *o[AGENTS] = {0};
    char text[1024];
    assert_ok(tc_store_open(&store, url, true, &err));
    assert_ok(tc_store_open(&other, "memory:", true, &err));
    world_open(&w, store, 7);
    snprintf(text, sizeof text, document, algorithm, more, privacy);
    world_create(&w, "s", text);
    world_enrol_all(&w, AGENTS);
    tc_study_plan *p = plan_of(&w);
    tc_ledger *ledger = open_ledger(other, "simulation");
    deploy(&w, p, o);
    tc_federation *f = simulate(p, ledger);
    assert_same_trials(f, o);
    assert_same_releases(store, ledger);
    for (int i = 0; i < AGENTS; i++)
        tc_optimizer_free(o[i]);
    tc_federation_free(f);
    tc_ledger_close(ledger);
    tc_study_plan_free(p);
    tc_store_close(other);
    world_close(&w);
}

static void dp_fts_de_is_the_same_deployed(void **state)
{
    (void)state;
    compare("memory:", "dp-fts-de", ", \"initial\": 4, \"releases\": \"0,1,3,5\"",
            "{\"epsilon\": 5, \"delta\": 0.01}");
}

static void noise_by_number_is_the_same_deployed(void **state)
{
    (void)state;
    compare("memory:", "dp-fts-de", ", \"initial\": 4, \"releases\": \"all\", \"regions\": 2",
            "{\"noise_multiplier\": 3, \"delta\": 0.01}");
}

static void fts_is_the_same_deployed(void **state)
{
    (void)state;
    compare("memory:", "fts", "", "\"none\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dp_fts_de_is_the_same_deployed),
        cmocka_unit_test(noise_by_number_is_the_same_deployed),
        cmocka_unit_test(fts_is_the_same_deployed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
