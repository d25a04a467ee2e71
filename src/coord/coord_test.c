/* coord_test.c - the coordinator under requests that are wrong, late, repeated, or from the wrong
 * ones: each is refused with a reason, and the round is unaffected. */
#include "support/coord_study.h"

#include <sodium.h>

/* ---- studies ---- */

static void a_delta_of_one_in_n_is_refused(void **state)
{
    static const struct {
        const char *agents, *delta;
        int http;
    } cases[] = {{"200", "0.5", 400}, {"200", "0.005", 400}, {"200", "0.0049", 201},
                 {"8", "0.125", 400}, {"8", "1e-4", 201},    {"2", "0.5", 400}};
    coord_world *w = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[640];
        json_t *a;
        snprintf(body, sizeof body,
                 "{\"document\": {\"name\": \"d%zu\", \"direction\": \"maximize\", \"trials\": 9,"
                 " \"seed\": 7, \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
                 " \"releases\": \"0,1\"}, \"federation\": {\"agents\": %s},"
                 " \"privacy\": {\"noise_multiplier\": 8, \"delta\": %s}}}",
                 i, cases[i].agents, cases[i].delta);
        assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, body, &a),
                         cases[i].http);
        if (i == 0)
            assert_detail(a,
                          "privacy.delta must be below 1/N = 0.005 for 200 agents, got 0.5: such "
                          "a delta allows to publish all of one agent's data");
        else
            json_decref(a);
    }
}

/* ---- rounds ---- */

static void a_full_roster_closes_the_round(void **state)
{
    coord_world *w = *state;
    uint8_t *bytes = NULL;
    size_t n = 0;
    for (uint64_t i = 0; i < STUDY_AGENTS; i++) {
        assert_int_equal(study_post(w, i, 0, NULL), 202);
        world_tick(w);
        assert_int_equal(world_broadcast(w, w->agents[0].access, 0, NULL, NULL),
                         i + 1 < STUDY_AGENTS ? 202 : 200);
    }
    assert_int_equal(world_broadcast(w, w->agents[1].access, 0, &bytes, &n), 200);
    assert_true(n > 0 && n % (8 * STUDY_FEATURES) == 0);
    tc_free(bytes);
}

static void a_deadline_closes_the_round_and_late_ones_are_told(void **state)
{
    coord_world *w = *state;
    json_t *a;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    w->now_ms += 59999;
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[0].access, 0, NULL, NULL), 202);
    w->now_ms += 1;
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[0].access, 0, NULL, NULL), 200);
    assert_int_equal(study_post(w, 1, 0, &a), 410);
    assert_detail(a, "round 0 is closed: the message is late");
    /* The late one takes part in the next round as everybody. */
    for (uint64_t i = 0; i < STUDY_AGENTS; i++)
        assert_int_equal(study_post(w, i, 1, NULL), 202);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 1, NULL, NULL), 200);
}

static void rounds_come_one_after_another(void **state)
{
    coord_world *w = *state;
    json_t *a;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(study_post(w, 1, 1, &a), 409);
    assert_detail(a, "round 1 comes later: round 0 is open");
}

static void a_spent_budget_voids_the_round(void **state)
{
    coord_world *w = *state;
    json_t *a;
    /* The promise is for ten rounds; the study is erased and made again, its ledger goes on. */
    for (uint64_t r = 0; r < 10; r++) {
        for (uint64_t i = 0; i < STUDY_AGENTS; i++)
            assert_int_equal(study_post(w, i, r, NULL), 202);
        world_tick(w);
        assert_int_equal(world_broadcast(w, w->agents[0].access, r, NULL, NULL), 200);
    }
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
    const char again[] =
        "{\"document\": {\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 11,"
        " \"seed\": 7, \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": "
        "1}}, \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
        " \"releases\": \"all\"}, \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
        " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}}";
    assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, again, &a), 201);
    w->hash = world_hash(a);
    json_decref(a);
    char token[64];
    world_join_token(w, 1, token);
    world_keys(&w->agents[0], 99);
    assert_int_equal(world_enrol(w, &w->agents[0], token), 201);
    w->agents[0].sequence = 0;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    w->now_ms += 60000;
    world_tick(w);
    assert_int_equal(
        world_call(w, "GET", "/v1/studies/s/rounds/0/broadcast", w->agents[0].access, NULL, &a),
        410);
    assert_detail(a, "budget");
}

/* ---- messages ---- */

static void the_same_bytes_again_get_the_same_answer(void **state)
{
    coord_world *w = *state;
    citizen *c = &w->agents[0];
    json_t *a;
    tc_text m = study_message(w, 0, 0);
    assert_int_equal(world_post_bytes(w, c, 0, 1, tc_text_get(&m), m.len, NULL), 202);
    assert_int_equal(world_post_bytes(w, c, 0, 1, tc_text_get(&m), m.len, &a), 200);
    assert_true(json_is_true(json_object_get(a, "again")));
    json_decref(a);
    /* Other bytes for the same place are evidence. */
    assert_int_equal(world_post_bytes(w, c, 0, 2, tc_text_get(&m), m.len, &a), 409);
    assert_detail(a, "another message for round 0 was sent before; that there were two is kept");
    tc_record_range all = {.study = 1, .kind = TC_RECORD_EVIDENCE};
    tacit_error err = {0};
    uint64_t n;
    assert_ok(tc_store_record_count(w->store, &all, &n, &err));
    assert_int_equal(n, 1);
    tc_text_fini(&m);
}

static void messages_that_are_none_are_refused(void **state)
{
    coord_world *w = *state;
    citizen *c = &w->agents[0];
    json_t *a;
    double nan = NAN;
    tc_text m = study_message(w, 0, 0);
    assert_int_equal(world_post_bytes(w, c, 0, 1, tc_text_get(&m), m.len - 8, &a), 400);
    json_decref(a);
    assert_int_equal(world_post_bytes(w, c, 0, 1, "", 0, &a), 400);
    json_decref(a);
    assert_int_equal(world_post_bytes(w, c, 3, 1, tc_text_get(&m), m.len, &a), 400);
    json_decref(a);
    memcpy(m.data + m.len - 8, &nan, 8);
    assert_int_equal(world_post_bytes(w, c, 0, 1, tc_text_get(&m), m.len, &a), 400);
    json_decref(a);
    tc_text_fini(&m);
    /* Nothing of it has opened a round. */
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
}

static void signatures_must_hold(void **state)
{
    coord_world *w = *state;
    json_t *a;
    citizen forged = w->agents[0];
    tc_text m = study_message(w, 0, 0);
    forged.secret = w->agents[1].secret;
    assert_int_equal(world_post_bytes(w, &forged, 0, 1, tc_text_get(&m), m.len, &a), 403);
    assert_detail(a, "the signature does not hold");
    tc_text_fini(&m);
    char body[] = "{\"sequence\": 1, \"message\": \"AAAA\"}";
    tc_request q = {.method = "POST",
                    .path = "/v1/studies/s/rounds/0/messages",
                    .bearer = w->agents[0].access,
                    .body = body,
                    .n_body = strlen(body)};
    assert_int_equal(world_request(w, &q, &a), 403);
    json_decref(a);
}

static void a_revoked_agent_is_heard_no_more(void **state)
{
    coord_world *w = *state;
    json_t *a;
    assert_int_equal(
        world_call(w, "POST", "/v1/studies/s/agents/0:revoke", w->operator_token, NULL, NULL), 200);
    assert_int_equal(study_post(w, 0, 0, &a), 401);
    assert_detail(a, "the token is not valid");
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
}

static size_t tokens_of(coord_world *w)
{
    json_t *a;
    assert_int_equal(world_call(w, "GET", "/v1/tokens", w->operator_token, NULL, &a), 200);
    size_t n = json_array_size(json_object_get(a, "tokens"));
    json_decref(a);
    return n;
}

/* Neither to new agents nor to one that takes its place again, over HTTP or in the operator's own process. */
static void gives_no_tokens(coord_world *w, const char *why)
{
    const char *op = w->operator_token;
    tc_text text = {0};
    tacit_error err;
    json_t *a;
    const size_t before = tokens_of(w);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s/tokens", op, "{\"uses\": 1}", &a), 409);
    assert_detail(a, why);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s/agents/2:revoke", op, NULL, NULL), 200);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s/agents/2:readmit", op, "{}", &a), 409);
    assert_detail(a, why);
    assert_int_equal(tc_coord_invite(w->coord, "s", false, 1, 0, &text, &err), TACIT_E_STATE);
    assert_string_equal(err.msg, why);
    assert_null(text.data);
    assert_int_equal(tokens_of(w), before);
}

static void a_paused_study_takes_nothing(void **state)
{
    coord_world *w = *state;
    json_t *a;
    const char *op = w->operator_token;
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:pause", op, NULL, NULL), 200);
    assert_int_equal(study_post(w, 0, 0, &a), 409);
    assert_detail(a, "the study is paused");
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:resume", op, NULL, NULL), 200);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:close", op, NULL, NULL), 200);
    gives_no_tokens(w, "the study is closed");
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:resume", op, NULL, &a), 409);
    assert_detail(a, "closed for good");
}

static void a_study_closes_by_itself_at_its_time(void **state)
{
    coord_world *w = *state;
    json_t *a;
    const char *op = w->operator_token;
    char join[64];
    world_join_token(w, 1, join);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:expire", op, "{}", &a), 400);
    assert_detail(a, "after_s");
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:expire", op, "{\"after_s\": 10}", &a),
                     200);
    assert_int_equal(json_integer_value(json_object_get(a, "ends_ms")), w->now_ms + 10000);
    json_decref(a);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", op, NULL, &a), 200);
    assert_int_equal(json_integer_value(json_object_get(a, "ends_ms")), w->now_ms + 10000);
    assert_string_equal(json_string_value(json_object_get(a, "state")), "running");
    json_decref(a);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:pause", op, NULL, NULL), 200);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:resume", op, NULL, NULL), 200);
    w->now_ms += 9999;
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    w->now_ms += 1; /* a pause has not moved it */
    assert_int_equal(study_post(w, 2, 0, &a), 409);
    assert_detail(a, "the study is closed: its time ended at 1970-01-01T00:16:50.000Z");
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:resume", op, NULL, &a), 409);
    assert_detail(a, "closed for good");
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:expire", op, "{\"after_s\": 10}", &a),
                     409);
    assert_detail(a, "the study is closed: its time ended at");
    gives_no_tokens(w, "the study is closed: its time ended at 1970-01-01T00:16:50.000Z");
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", join, NULL, &a), 200);
    assert_string_equal(world_text(a, "no_place"),
                        "the study is closed: its time ended at 1970-01-01T00:16:50.000Z");
    json_decref(a);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", op, NULL, &a), 200);
    assert_string_equal(json_string_value(json_object_get(a, "state")), "closed");
    json_decref(a);
    world_tick(w); /* the open round ends without a release */
    assert_int_equal(
        world_call(w, "GET", "/v1/studies/s/rounds/0/broadcast", w->agents[1].access, NULL, &a),
        410);
    assert_detail(a, "the study was closed before round 0 ended");
}

static void its_time_can_be_taken_back(void **state)
{
    coord_world *w = *state;
    const char *op = w->operator_token;
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:expire", op, "{\"after_s\": 10}", NULL),
                     200);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:expire", op, "{\"after_s\": 0}", NULL),
                     200);
    w->now_ms += 1000000;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:expire", w->agents[0].access,
                                "{\"after_s\": 10}", NULL),
                     403);
}

/* ---- who may ---- */

static void roles_reach_as_far_as_they_say(void **state)
{
    coord_world *w = *state;
    const char *agent = w->agents[0].access;
    char join[64];
    world_join_token(w, 1, join);
    struct {
        const char *method, *path, *token;
        int status;
    } rows[] = {
        {"GET", "/v1/studies", NULL, 401},
        {"GET", "/v1/studies", "x", 401},
        {"GET", "/v1/studies", agent, 403},
        {"GET", "/v1/studies", join, 403},
        {"DELETE", "/v1/studies/s", agent, 403},
        {"POST", "/v1/studies/s:pause", agent, 403},
        {"GET", "/v1/studies/s", agent, 200},
        {"GET", "/v1/studies/s", join, 200},
        {"GET", "/v1/studies/t", join, 403},
        {"GET", "/v1/studies/t", w->operator_token, 404},
        {"GET", "/metrics", agent, 403},
        {"GET", "/healthz", NULL, 200},
        {"PUT", "/v1/studies/s", agent, 405},
        {"GET", "/v1/studies/s/points", agent, 404},
        {"GET", "/v1", agent, 404},
        {"GET", "/v1/studies/s/rounds/x/broadcast", agent, 400},
        {"GET", "/v1/studies/s/rounds/0/messages/1", agent, 404},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int got = world_call(w, rows[i].method, rows[i].path, rows[i].token, NULL, NULL);
        if (got != rows[i].status)
            fail_msg("%s %s: %d, not %d", rows[i].method, rows[i].path, got, rows[i].status);
    }
}

static void a_token_ends_with_its_uses_and_its_time(void **state)
{
    coord_world *w = *state;
    citizen c;
    char token[64], body[] = "{\"uses\": 5, \"expires_s\": 10}";
    json_t *a;
    assert_int_equal(world_call(w, "POST", "/v1/studies/s/tokens", w->operator_token, body, &a),
                     201);
    snprintf(token, sizeof token, "%s", world_text(a, "token"));
    json_decref(a);
    world_keys(&c, 77);
    assert_int_equal(world_enrol(w, &c, token), 409); /* the roster is full */
    /* Who is on it is given the same place again. */
    citizen again = w->agents[2];
    assert_int_equal(world_enrol(w, &again, token), 200);
    assert_int_equal(again.number, 2);
    w->now_ms += 10000;
    assert_int_equal(world_enrol(w, &again, token), 401);
}

/* ---- documents ---- */

static void studies_that_cannot_run_are_refused(void **state)
{
    coord_world *w = *state;
    static const char *const cases[][2] = {
        {"{}", "document is missing; it must be an object"},
        {"{\"document\": {\"name\": \"t\"}}", "direction"},
        {"{\"document\": {\"name\": \"t\", \"direction\": \"minimize\", \"space\": {\"x\": "
         "{\"type\": "
         "\"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"dp-fts-de\"}}}",
         "is for a federation of agents"},
        {"{\"document\": {\"name\": \"t\", \"direction\": \"minimize\", \"space\": {\"x\": "
         "{\"type\": "
         "\"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"dp-fts-de\"}, "
         "\"federation\": {\"agents\": 3}}}",
         "privacy is missing"},
        {"{\"document\": {\"name\": \"t\", \"direction\": \"minimize\", \"space\": {\"x\": "
         "{\"type\": "
         "\"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"fts\"}, "
         "\"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 1, \"delta\": 0.01}}}",
         "promises nothing"},
        {"{\"document\": {\"name\": \"t\", \"direction\": \"minimize\", \"space\": {\"x\": "
         "{\"type\": "
         "\"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"fts\", \"p1\": 0.2}, "
         "\"federation\": {\"agents\": 3}, \"privacy\": \"none\"}}",
         "p1 is for own=features, and own is gp"},
        {"{\"document\": {\"name\": \"t\", \"direction\": \"minimize\", \"space\": {\"x\": "
         "{\"type\": "
         "\"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"dp-fts-de\", \"own\": "
         "\"gp\", \"init\": \"domain\", \"lengthscale\": 0, \"vote\": \"yes\"}, "
         "\"federation\": {\"agents\": 3}, \"privacy\": {\"noise_multiplier\": 2}}}",
         "vote_multiplier and noise_multiplier must both be 0 or both above, got 0 and 2"},
        {"{\"document\": {\"points\": \"/etc/passwd\"}}", "points must be sent as points_csv"},
        {"{\"a\": 1, \"a\": 2}", "duplicate"},
        {"[1]", "must be a JSON object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *a;
        assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, cases[i][0], &a),
                         400);
        assert_detail(a, cases[i][1]);
    }
    json_t *a;
    char body[2048];
    snprintf(body, sizeof body, "{\"document\": %s}", study_document);
    assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, body, &a), 409);
    assert_detail(a, "there is a study \"s\" already");
}

static void write_ablation(char *out, size_t size, const char *name, const char *options,
                           const char *privacy)
{
    snprintf(out, size,
             "{\"name\": \"%s\", \"direction\": \"maximize\", \"trials\": 9, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", %s, \"features\": 8, \"initial\": 2},"
             " \"federation\": {\"agents\": 3}, \"privacy\": %s}",
             name, options, privacy);
}

#define EPSILON "{\"epsilon\": 5, \"delta\": 0.01}"
#define NOISE   "{\"noise_multiplier\": 8}"

static void ablations_spend_no_privacy(void **state)
{
    coord_world *w = *state;
    static const struct {
        const char *options, *privacy, *got; /* NULL: it is created */
    } cases[] = {
        {"\"broadcast\": \"none\"", EPSILON, "got none:"},
        {"\"broadcast\": \"noise\"", EPSILON, "got noise:"},
        {"\"broadcast\": \"strange\"", NOISE, "got strange:"},
        {"\"broadcast\": \"reversed\"", NOISE, "got reversed:"},
        {"\"own\": \"features\", \"broadcast\": \"uniform\"", EPSILON, "got uniform:"},
        {"\"broadcast\": \"normal\"", EPSILON, NULL},
        {"\"broadcast\": \"none\"", "\"none\"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char document[640], body[768], name[16], words[80];
        json_t *a;
        snprintf(name, sizeof name, "a%zu", i);
        write_ablation(document, sizeof document, name, cases[i].options, cases[i].privacy);
        snprintf(body, sizeof body, "{\"document\": %s}", document);
        assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, body, &a),
                         cases[i].got ? 400 : 201);
        snprintf(words, sizeof words, "algorithm.broadcast must be normal in a private study, %s",
                 cases[i].got ? cases[i].got : "");
        if (cases[i].got)
            assert_detail(a, words);
        else
            json_decref(a);
    }
}

/* It was created before they were refused. */
static void a_stored_ablation_still_opens(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    int64_t id;
    char document[640], name[] = "old";
    write_ablation(document, sizeof document, name, "\"broadcast\": \"none\"", NOISE);
    tc_study_row row = {.name = name, .document = document, .created_ms = 7};
    assert_ok(tc_store_study_put(w->store, &row, &id, &err));
    assert_int_equal(world_call(w, "GET", "/v1/studies/old", w->operator_token, NULL, NULL), 200);
}

/* Of the points of a document, as a client sends them beside it. */
static void hash_points(const char *csv, char out[65])
{
    unsigned char digest[32];
    crypto_generichash(digest, sizeof digest, (const unsigned char *)csv, strlen(csv), NULL, 0);
    sodium_bin2hex(out, 65, digest, sizeof digest);
}

static int create_with_points(coord_world *w, const char *hash, json_t **answer)
{
    char body[1024];
    snprintf(body, sizeof body,
             "{\"document\": {\"name\": \"t\", \"direction\": \"minimize\", \"trials\": 18, "
             "\"points\": {\"rows\": 3, \"hash\": \"%s\"}, \"algorithm\": \"dp-fts-de\", "
             "\"federation\": {\"agents\": 3}, \"privacy\": \"none\"}, "
             "\"points_csv\": \"x\\n0\\n1\\n2\\n\"}",
             hash);
    return world_call(w, "POST", "/v1/studies", w->operator_token, body, answer);
}

/* It is a new study, whatever way its points come. */
static void a_study_with_points_has_the_defaults_of_today(void **state)
{
    coord_world *w = *state;
    char hash[65];
    json_t *a;
    hash_points("x\n0\n1\n2\n", hash);
    assert_int_equal(create_with_points(w, hash, &a), 201);
    assert_non_null(strstr(world_text(a, "document"),
                           "{\"name\":\"dp-fts-de\",\"lengthscale\":0.0,\"initial\":6,"
                           "\"init\":\"domain\",\"own\":\"gp\"}"));
    json_decref(a);
    hash[0] = hash[0] == '0' ? '1' : '0';
    assert_int_equal(create_with_points(w, hash, &a), 400);
    assert_detail(a, "points.hash is not that of the candidates");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_delta_of_one_in_n_is_refused),
        IN_WORLD(a_full_roster_closes_the_round),
        IN_WORLD(a_deadline_closes_the_round_and_late_ones_are_told),
        IN_WORLD(rounds_come_one_after_another),
        IN_WORLD(a_spent_budget_voids_the_round),
        IN_WORLD(the_same_bytes_again_get_the_same_answer),
        IN_WORLD(messages_that_are_none_are_refused),
        IN_WORLD(signatures_must_hold),
        IN_WORLD(a_revoked_agent_is_heard_no_more),
        IN_WORLD(a_paused_study_takes_nothing),
        IN_WORLD(a_study_closes_by_itself_at_its_time),
        IN_WORLD(its_time_can_be_taken_back),
        IN_WORLD(roles_reach_as_far_as_they_say),
        IN_WORLD(a_token_ends_with_its_uses_and_its_time),
        IN_WORLD(studies_that_cannot_run_are_refused),
        IN_WORLD(ablations_spend_no_privacy),
        IN_WORLD(a_stored_ablation_still_opens),
        IN_WORLD(a_study_with_points_has_the_defaults_of_today),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
