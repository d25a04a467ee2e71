/* coord_study.h - a coordinator with one study of three agents, dp-fts-de, for tests of what comes from
 * outside. */
#ifndef TEST_COORD_STUDY_H
#define TEST_COORD_STUDY_H

#include "support/coord_world.h"

enum { STUDY_AGENTS = 3, STUDY_FEATURES = 8 };

static const char study_document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": "
    "\"all\"},"
    " \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
    " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";

static inline int study_open_world(void **state)
{
    tacit_error err = {0};
    static coord_world w;
    tc_store *store;
    w = (coord_world){.now_ms = 1000000};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    world_create(&w, "s", study_document);
    world_enrol_all(&w, STUDY_AGENTS);
    *state = &w;
    return 0;
}

static inline int study_close_world(void **state)
{
    world_close(*state);
    return 0;
}

/* A message of dp-fts-de: 16 bytes of header, then the features. */
static inline tc_text study_message(coord_world *w, uint64_t agent, uint64_t round)
{
    tacit_error err = {0};
    tc_study_plan *p;
    tc_study_row row;
    tc_optimizer *o;
    tc_event e;
    tc_text out = {0};
    assert_ok(tc_store_study_get(w->store, "s", &row, &err));
    assert_ok(tc_study_plan_new(&p, &row, &err));
    tc_study_row_fini(&row);
    tc_optimizer_config cfg = {.algorithm = p->doc->algorithm,
                               .options = p->options,
                               .space = p->doc->space,
                               .maximize = true,
                               .public_seed = p->env.public_seed,
                               .party_seed = tc_party_seed_from(agent),
                               .party = agent,
                               .agents = STUDY_AGENTS,
                               .budget = 12};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    for (uint64_t t = 0; t < 2 + round; t++) {
        do { /* there may be a fit before it */
            assert_ok(tc_optimizer_next(o, &(tc_ask_request){.now_ms = 0}, &e, &err));
            assert_ok(tc_optimizer_apply(o, &e, &err));
        } while (e.kind != TC_EVENT_ASK);
        assert_ok(tc_optimizer_tell(o, e.trial, NULL, (double)t, 0, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
        tc_need need;
        assert_ok(tc_optimizer_need(o, &need, &err));
        if (need.may & TC_NEED_PUBLISH && need.round < round) {
            assert_ok(tc_optimizer_publish(o, 0, &e, &err));
            assert_ok(tc_optimizer_apply(o, &e, &err));
            assert_ok(tc_optimizer_skip(o, need.round, "test", 0, &e, &err));
            assert_ok(tc_optimizer_apply(o, &e, &err));
        }
    }
    assert_ok(tc_optimizer_publish(o, 0, &e, &err));
    tc_text_add_bytes(&out, e.bytes, e.n_bytes);
    tc_optimizer_free(o);
    tc_study_plan_free(p);
    return out;
}

static inline int study_post(coord_world *w, uint64_t agent, uint64_t round, json_t **answer)
{
    tc_text m = study_message(w, agent, round);
    citizen *c = &w->agents[agent];
    int status = world_post_bytes(w, c, round, ++c->sequence, tc_text_get(&m), m.len, answer);
    tc_text_fini(&m);
    return status;
}

static inline void assert_detail(json_t *answer, const char *part)
{
    const char *detail = world_text(answer, "detail");
    if (!strstr(detail, part))
        fail_msg("\"%s\" is not in \"%s\"", part, detail);
    json_decref(answer);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, study_open_world, study_close_world)

#endif
