/* trustees_deployed_test.c - simulated = deployed where a study has trustees: agents whose vectors leave as shares, and trustees that add them
 * up and deal the noise, make bit for bit the trials and the releases of the same study in federation.c, where nothing is shared. */
#include "support/trust_world.h"

#include "sim/federation.h"

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 8, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 12, \"initial\": 4%s},"
    " \"federation\": {\"agents\": 5, \"trustees\": %s, \"deadline_s\": 3600},"
    " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";

static double objective(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    (void)user;
    (void)trial;
    return trust_objective(agent, values[0]);
}

static tc_study_plan *plan_of(trust_world *w)
{
    tacit_error err = {0};
    tc_study_plan *p;
    tc_study_row row;
    assert_ok(tc_store_study_get(w->store.disk, "s", &row, &err));
    assert_ok(tc_study_plan_new(&p, &row, &err));
    tc_study_row_fini(&row);
    return p;
}

static tc_federation *simulate(const tc_study_plan *p, tc_ledger *ledger)
{
    tacit_error err = {0};
    tc_federation *f;
    const tc_federation_config cfg = {.algorithm = p->doc->algorithm,
                                      .options = p->options,
                                      .space = p->doc->space,
                                      .maximize = true,
                                      .agents = p->env.agents,
                                      .trustees = p->env.trustees,
                                      .seed = 7,
                                      .budget = p->env.budget,
                                      .objective = objective,
                                      .ledger = ledger,
                                      .limit = p->limited ? &p->limit : NULL,
                                      .study = p->hash};
    assert_ok(tc_federation_new(&f, &cfg, &err));
    for (uint64_t t = 0; t < p->env.budget; t++)
        assert_ok(tc_federation_step(f, &err));
    return f;
}

static void assert_same_trials(const tc_federation *f, trust_world *w)
{
    tacit_error err = {0};
    const tc_optimizer *o;
    for (uint64_t i = 0; i < w->n; i++) {
        tc_study *s = tc_agent_study(w->agents[i].agent);
        assert_ok(tc_study_look(s, &o, &err));
        assert_int_equal(tc_optimizer_trials(o), 8);
        for (uint64_t t = 0; t < 8; t++)
            assert_same_bits(tc_optimizer_trial(tc_federation_agent(f, i), t)->values[0],
                             tc_optimizer_trial(o, t)->values[0]);
        tc_study_unlook(s);
    }
}

static void assert_same_releases(trust_world *w, const tc_ledger *simulated)
{
    tc_ledger *l = trust_ledger(w->store.disk, "s");
    const uint64_t n = tc_ledger_get_head(simulated).seq;
    assert_true(n >= 1);
    assert_int_equal(tc_ledger_get_head(l).seq, n);
    for (uint64_t i = 1; i <= n; i++)
        assert_memory_equal(&tc_ledger_get(l, i, NULL)->release,
                            &tc_ledger_get(simulated, i, NULL)->release, TC_LEDGER_HASH_BYTES);
    tc_ledger_close(l);
}

static void compare(uint64_t trustees, const char *terms, const char *more)
{
    char text[1024];
    trust_world *w = tc_alloc(1, sizeof *w);
    tc_store *other = trust_memory();
    snprintf(text, sizeof text, document, more, terms);
    trust_begin(w, 5, trustees, text);
    trust_run(w);
    tc_study_plan *p = plan_of(w);
    tc_ledger *ledger = trust_ledger(other, "simulation");
    tc_federation *f = simulate(p, ledger);
    assert_same_trials(f, w);
    assert_same_releases(w, ledger);
    tc_federation_free(f);
    tc_ledger_close(ledger);
    tc_study_plan_free(p);
    tc_store_close(other);
    trust_end(w);
    tc_free(w);
}

static void three_trustees_are_the_same_deployed(void **state)
{
    (void)state;
    compare(3, "3", ", \"releases\": \"0,1,3\"");
    compare(3, "3", ", \"own\": \"features\", \"lengthscale\": 0.2, \"releases\": \"all\"");
}

/* More than the dealers that a round takes. */
static void more_trustees_are_the_same_deployed(void **state)
{
    (void)state;
    compare(5, "5", ", \"releases\": \"0,1,3\", \"regions\": 2");
    compare(8, "8", "");
    compare(6, "{\"count\": 6, \"degree\": 3, \"colluding\": 1, \"dealers\": 3}",
            ", \"releases\": \"0,2\"");
}

static void a_vote_is_the_same_deployed(void **state)
{
    (void)state;
    compare(3, "3",
            ", \"own\": \"gp\", \"init\": \"domain\", \"lengthscale\": 0, \"vote\": \"yes\","
            " \"releases\": \"0,2,3\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_trustees_are_the_same_deployed),
        cmocka_unit_test(more_trustees_are_the_same_deployed),
        cmocka_unit_test(a_vote_is_the_same_deployed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
