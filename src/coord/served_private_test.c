/* served_private_test.c - who may do what with a served study, and what a study that is told private
 * replies takes and shows. */
#include "support/served_world.h"

#include "algo/ldp/ldp_curator.h"

/* ---- roles ---- */

static const char federated_document[] =
    "{\"name\": \"f\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2},"
    " \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
    " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";

typedef struct
try {
    const char *method, *path, *token, *body;
    int status;
    const char *part; /* of the refusal, or NULL */
}
try;

static void attempt(coord_world *w, const try *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const try *r = &rows[i];
        json_t *a;
        int got = world_call(w, r->method, r->path, r->token, r->body, &a);
        if (got != r->status)
            fail_msg("row %zu, %s %s: %d, not %d", i, r->method, r->path, got, r->status);
        if (r->part)
            assert_says(a, r->part);
        else
            json_decref(a);
    }
}

static void roles_reach_as_far_as_they_say(void **state)
{
    served_world *s = *state;
    coord_world *w = &s->w;
    char viewer[64], curator[64], joiner[64], other[64];
    served_token(w, "/v1/tokens", "{\"role\": \"viewer\"}", viewer);
    served_token(w, "/v1/tokens", "{\"role\": \"curator\"}", curator);
    world_create(w, "u",
                 "{\"name\": \"u\", \"direction\": \"minimize\", \"space\": {\"x\": {\"type\": "
                 "\"float\", \"low\": 0, \"high\": 1}}}");
    served_token(w, "/v1/studies/u/tokens", "{}", other);
    world_create(w, "f", federated_document);
    served_token(w, "/v1/studies/f/tokens", "{\"uses\": 3}", joiner);
    world_keys(&w->agents[0], 1);
    assert_int_equal(world_enrol(w, &w->agents[0], joiner), 201);
    const char *agent = w->agents[0].access, *op = w->operator_token, *mine = s->client;
    const char ask[] = "{\"worker\": \"w\"}", *suggest = "/v1/studies/t/trials:suggest";
    const try rows[] = {
        {"POST", suggest, NULL, ask, 401, "a token is needed"},
        {"POST", suggest, "nonsense", ask, 401, "the token is not valid"},
        {"POST", suggest, viewer, ask, 403, "a token of the role viewer does not allow this"},
        {"POST", suggest, curator, ask, 403, "a token of the role curator does not allow this"},
        {"POST", suggest, agent, ask, 403, "a token of the role agent does not allow this"},
        {"POST", suggest, joiner, ask, 403, "a token of the role joiner does not allow this"},
        {"POST", suggest, other, ask, 403, "the token is for another study"},
        {"POST", "/v1/studies/none/trials:suggest", other, ask, 403, "for another study"},
        {"POST", suggest, mine, ask, 200, NULL},
        {"POST", suggest, op, ask, 200, NULL},
        {"GET", "/v1/studies/t/trials", viewer, NULL, 200, NULL},
        {"GET", "/v1/studies/t/trials", other, NULL, 403, "for another study"},
        {"GET", "/v1/studies/t/trials", agent, NULL, 403, NULL},
        {"GET", "/v1/studies/t/best", viewer, NULL, 404, NULL},
        {"GET", "/v1/studies/t/recommendation", viewer, NULL, 404,
         "no trial of study \"t\" is complete"},
        {"GET", "/v1/studies/t/recommendation", mine, NULL, 404,
         "no trial of study \"t\" is complete"},
        {"GET", "/v1/studies/t/recommendation", other, NULL, 403, "for another study"},
        {"GET", "/v1/studies/t/recommendation", curator, NULL, 403, NULL},
        {"GET", "/v1/studies/t", mine, NULL, 200, NULL},
        {"GET", "/v1/studies/t", curator, NULL, 403, NULL},
        {"GET", "/v1/studies", mine, NULL, 403, NULL},
        {"POST", "/v1/studies/t/trials/0:complete", viewer, "{\"value\": 1}", 403, NULL},
        {"POST", "/v1/studies/t/trials/0:heartbeat", viewer, ask, 403, NULL},
        {"POST", "/v1/studies/t/trials", viewer, "{\"params\": {}}", 403, NULL},
        {"POST", "/v1/studies:outsource", mine, "{}", 403, NULL},
        {"POST", "/v1/studies/t:pause", mine, NULL, 403, NULL},
        {"DELETE", "/v1/studies/t", mine, NULL, 403, NULL},
        {"POST", "/v1/studies/t/tokens", mine, "{}", 403, NULL},
        {"GET", "/metrics", mine, NULL, 403, NULL},
        /* Each kind of study has its own routes. */
        {"POST", "/v1/studies/f/trials:suggest", op, ask, 409, "\"f\" is one of a federation"},
        {"GET", "/v1/studies/f/trials", viewer, NULL, 409, "its agents have the trials"},
        {"GET", "/v1/studies/t/rounds/0/broadcast", viewer, NULL, 409, "\"t\" is a served one"},
        {"GET", "/v1/studies/t/privacy", viewer, NULL, 409, "no agents and no rounds"},
        {"POST", "/v1/studies/t/tokens", op, "{\"uses\": 2}", 400, "uses is for tokens with which"},
        {"POST", "/v1/tokens", op, "{\"role\": \"client\"}", 400, "role"},
        {"POST", "/v1/tokens", op, "{\"role\": \"agent\"}", 400, "role"},
    };
    attempt(w, rows, sizeof rows / sizeof *rows);
    char body[96];
    snprintf(body, sizeof body, "{\"token\": \"%s\"}", mine);
    const try ends[] = {{"POST", "/v1/tokens:withdraw", op, body, 200, NULL},
                        {"POST", suggest, mine, ask, 401, "the token is not valid"}};
    attempt(w, ends, 2);
}

/* ---- events ---- */

static void listen_to(coord_world *w, tc_listener *l)
{
    tc_response r = {0};
    tc_request q = {.method = "GET", .path = "/v1/events", .bearer = w->operator_token};
    tc_coord_handle(w->coord, &q, &r);
    assert_true(r.listens);
    *l = r.listener;
    tc_response_fini(&r);
}

static void heard(coord_world *w, tc_listener *l, char out[4096])
{
    size_t at = 0, n;
    while ((n = tc_coord_events(w->coord, l, out + at, 4095 - at)) > 0)
        at += n;
    out[at] = 0;
}

static void listeners_hear_of_trials(void **state)
{
    served_world *s = *state;
    tc_listener l;
    char out[4096];
    listen_to(&s->w, &l);
    (void)served_one(s, "w", NULL);
    assert_int_equal(served_value(s, 0, 0.5), 200);
    assert_int_equal(served_value(s, 0, 0.5), 200);
    heard(&s->w, &l, out);
    assert_non_null(strstr(out, "\"state\":\"RUNNING\""));
    const char *end = strstr(out, "\"state\":\"COMPLETE\",\"value\":0.5");
    assert_non_null(end);
    assert_null(strstr(end + 1, "\"state\":\"COMPLETE\"")); /* said once */
}

/* ---- private replies ---- */

static const char private_document[] =
    "{\"name\": \"t\", \"direction\": \"maximize\", \"trials\": 6, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"ldp-tgp\", \"epsilon\": 1, \"reply\": \"onebit\", \"arms\": 20}}";

/* The larger one of the two replies that there are. */
static double possible_reply(void)
{
    tacit_error err = {0};
    tc_ldp_terms terms;
    tc_ldp_curator c;
    json_t *options = json_pack("{s:f, s:s}", "epsilon", 1.0, "reply", "onebit");
    assert_ok(tc_ldp_terms_read(&terms, tc_algorithm_find("ldp-tgp"), options, &err));
    json_decref(options);
    assert_ok(tc_ldp_curator_init(&c, NULL, &terms, &err));
    return c.reply.offset + c.reply.step;
}

static void only_replies_are_taken(void **state)
{
    tacit_error err = {0};
    static served_world s;
    tc_store *store;
    tc_listener l;
    char good[64], out[4096];
    json_t *a;
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    served_start(&s, store, private_document);
    listen_to(&s.w, &l);
    double reply = possible_reply();
    (void)served_one(&s, "ann", NULL);
    static const char *const refused[][2] = {
        {"{\"value\": 0.5}", "ldp-tgp is told one private \"reply\" a trial and nothing else"},
        {"{\"values\": [0.5]}", "nothing else"},
        {"{\"failed\": \"crashed\"}", "or nan where there is none"},
        {"{\"reply\": 0.5}", "0.5 is no reply of study t"},
        {"{\"reply\": null}", "reply must be a number"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(served_complete(&s, 0, refused[i][0], &a), 400);
        assert_says(a, refused[i][1]);
    }
    snprintf(good, sizeof good, "{\"reply\": %.17g}", reply);
    assert_int_equal(served_complete(&s, 0, good, NULL), 200);
    assert_int_equal(served_complete(&s, 0, good, NULL), 200);
    snprintf(good, sizeof good, "{\"reply\": %.17g}", -reply);
    assert_int_equal(served_complete(&s, 0, good, NULL), 409);
    assert_int_equal(served_get(&s, "/trials", NULL, &a), 200);
    const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
    assert_same_bits(json_number_value(json_object_get(t, "value")), reply);
    static const char *const hidden[] = {"worker", "started_ms", "ended_ms"};
    for (size_t i = 0; i < 3; i++)
        assert_true(json_is_null(json_object_get(t, hidden[i])));
    json_decref(a);
    assert_int_equal(served_get(&s, "", NULL, &a), 200);
    assert_string_equal(world_text(a, "not_private"), "");
    json_decref(a);
    heard(&s.w, &l, out);
    assert_null(strstr(out, "\"trial\"")); /* nobody hears when somebody replies */
    world_close(&s.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SERVED(roles_reach_as_far_as_they_say),
        IN_SERVED(listeners_hear_of_trials),
        cmocka_unit_test(only_replies_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
