/* token_api_test.c - tokens that are replaced, withdrawn by their id and listed. */
#include "support/coord_study.h"

static int post(coord_world *w, const char *path, const char *body, json_t **answer)
{
    return world_call(w, "POST", path, w->operator_token, body, answer);
}

static int reads(coord_world *w, const char *token)
{
    return world_call(w, "GET", "/v1/studies/s", token, NULL, NULL);
}

typedef struct made {
    char token[64], id[32];
} made;

static made take(json_t *answer)
{
    made m;
    snprintf(m.token, sizeof m.token, "%s", world_text(answer, "token"));
    snprintf(m.id, sizeof m.id, "%s", world_text(answer, "id"));
    json_decref(answer);
    return m;
}

static made make(coord_world *w, const char *path, const char *body)
{
    json_t *a;
    assert_int_equal(post(w, path, body, &a), 201);
    return take(a);
}

static made replace(coord_world *w, const char *fmt, const char *what)
{
    char body[192];
    snprintf(body, sizeof body, fmt, what);
    return make(w, "/v1/tokens:replace", body);
}

static void assert_refused(coord_world *w, int http, const char *path, const char *body,
                           const char *why)
{
    json_t *a;
    assert_int_equal(post(w, path, body, &a), http);
    assert_string_equal(world_text(a, "detail"), why);
    json_decref(a);
}

/* ---- replacing ---- */

static void the_old_one_ends_at_once(void **state)
{
    coord_world *w = *state;
    made old = make(w, "/v1/tokens", "{\"role\": \"viewer\", \"name\": \"alice\"}");
    made new = replace(w, "{\"id\": \"%s\"}", old.id);
    assert_int_equal(reads(w, old.token), 401);
    assert_int_equal(reads(w, new.token), 200);
    old = new;
    new = replace(w, "{\"token\": \"%s\"}", old.token);
    assert_int_equal(reads(w, old.token), 401);
    assert_int_equal(reads(w, new.token), 200);
}

static void or_after_a_while(void **state)
{
    coord_world *w = *state;
    made old = make(w, "/v1/tokens", "{\"role\": \"viewer\"}");
    made new = replace(w, "{\"id\": \"%s\", \"grace_s\": 600}", old.id);
    assert_int_equal(reads(w, old.token), 200);
    assert_int_equal(reads(w, new.token), 200);
    w->now_ms += 600 * 1000 - 1;
    assert_int_equal(reads(w, old.token), 200);
    w->now_ms += 1;
    assert_int_equal(reads(w, old.token), 401);
    assert_int_equal(reads(w, new.token), 200);
}

/* Grace gives no token more time than it had. */
static void an_end_that_was_given_holds(void **state)
{
    coord_world *w = *state;
    made old = make(w, "/v1/tokens", "{\"role\": \"viewer\", \"expires_s\": 60}");
    made new = replace(w, "{\"id\": \"%s\", \"grace_s\": 600}", old.id);
    made long_lived = replace(w, "{\"id\": \"%s\", \"expires_s\": 0}", new.id);
    w->now_ms += 60 * 1000;
    assert_int_equal(reads(w, old.token), 401);
    assert_int_equal(reads(w, new.token), 401);
    assert_int_equal(reads(w, long_lived.token), 200);
}

static void an_operator_replaces_its_own(void **state)
{
    coord_world *w = *state;
    char old[64];
    made new = make(w, "/v1/tokens:replace", "{\"grace_s\": 60}");
    snprintf(old, sizeof old, "%s", w->operator_token);
    snprintf(w->operator_token, sizeof w->operator_token, "%s", new.token);
    assert_int_equal(world_call(w, "GET", "/v1/tokens", old, NULL, NULL), 200);
    w->now_ms += 60 * 1000;
    assert_int_equal(world_call(w, "GET", "/v1/tokens", old, NULL, NULL), 401);
    assert_int_equal(world_call(w, "GET", "/v1/tokens", new.token, NULL, NULL), 200);
}

/* With what is left of its uses, and no more. */
static void the_uses_of_a_join_token_pass_on(void **state)
{
    coord_world *w = *state;
    citizen a = {.sequence = 0}, b = a, c = a;
    char document[512], token[64], body[128];
    snprintf(document, sizeof document, "%s", study_document);
    memcpy(strstr(document, "\"name\": \"s\""), "\"name\": \"t\"", 11);
    world_create(w, "t", document);
    world_join_token(w, 2, token);
    world_keys(&a, 41);
    world_keys(&b, 42);
    world_keys(&c, 43);
    assert_int_equal(world_enrol(w, &a, token), 201);
    snprintf(body, sizeof body, "{\"token\": \"%s\", \"grace_s\": 5}", token);
    assert_refused(w, 400, "/v1/tokens:replace", body,
                   "grace_s must be 0 for a token of the role joiner: what is left of it passes to "
                   "the new one");
    made new = replace(w, "{\"token\": \"%s\"}", token);
    assert_int_equal(world_enrol(w, &b, token), 401);
    assert_int_equal(world_enrol(w, &b, new.token), 201);
    assert_int_equal(world_enrol(w, &c, new.token), 401);
}

static void a_replacement_is_asked_for_clearly(void **state)
{
    coord_world *w = *state;
    const char *path = "/v1/tokens:replace";
    char body[128];
    assert_refused(w, 404, path, "{\"token\": \"nobody's\"}", "there is no such token");
    assert_refused(w, 404, path, "{\"id\": \"0123456789abcdef\"}", "there is no such token");
    assert_refused(w, 400, path, "{\"id\": \"x\"}",
                   "id must be 16 hex digits, as lists of tokens show it");
    assert_refused(w, 400, path, "{\"id\": \"0123456789abcdef\", \"token\": \"t\"}",
                   "give one of token and id");
    snprintf(body, sizeof body, "{\"token\": \"%s\"}", w->agents[0].access);
    assert_refused(w, 400, path, body,
                   "an agent's token is its own to replace: tacit agent --new-key does it");
    made viewer = make(w, "/v1/tokens", "{\"role\": \"viewer\"}");
    assert_int_equal(world_call(w, "POST", path, viewer.token, "{}", NULL), 403);
    tc_request q = {.method = "POST", .path = path, .is_operator = true, .body = "{}", .n_body = 2};
    assert_int_equal(world_request(w, &q, NULL), 400); /* it has no token of its own */
}

/* An answer that was lost is given again, and makes no third token. */
static void the_same_request_again_has_the_same_answer(void **state)
{
    coord_world *w = *state;
    made old = make(w, "/v1/tokens", "{\"role\": \"viewer\"}"), got[2];
    char body[64];
    snprintf(body, sizeof body, "{\"id\": \"%s\"}", old.id);
    for (int i = 0; i < 2; i++) {
        json_t *a;
        tc_request q = {.method = "POST",
                        .path = "/v1/tokens:replace",
                        .bearer = w->operator_token,
                        .idempotency = "k",
                        .body = body,
                        .n_body = strlen(body)};
        assert_int_equal(world_request(w, &q, &a), 201);
        got[i] = take(a);
    }
    assert_string_equal(got[0].token, got[1].token);
}

/* ---- withdrawing ---- */

static void a_token_that_was_lost_is_withdrawn_by_its_id(void **state)
{
    coord_world *w = *state;
    const char *path = "/v1/tokens:withdraw";
    char body[128];
    made m = make(w, "/v1/tokens", "{\"role\": \"viewer\"}");
    snprintf(body, sizeof body, "{\"id\": \"%s\", \"grace_s\": 30}", m.id);
    assert_int_equal(post(w, path, body, NULL), 200);
    w->now_ms += 29999;
    assert_int_equal(reads(w, m.token), 200);
    w->now_ms += 1;
    assert_int_equal(reads(w, m.token), 401);
    m = make(w, "/v1/tokens", "{\"role\": \"viewer\"}");
    snprintf(body, sizeof body, "{\"id\": \"%s\"}", m.id);
    assert_int_equal(post(w, path, body, NULL), 200);
    assert_int_equal(reads(w, m.token), 401);
    assert_refused(w, 404, path, body, "there is no such token");
}

/* ---- names ---- */

static void names_are_plain(void **state)
{
    static const char *const bad[] = {"-a", ".a", "a b", "a,b", "=1+1", "a\\u0000", "\\u00e9"};
    coord_world *w = *state;
    char body[128];
    json_t *a;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(body, sizeof body, "{\"role\": \"viewer\", \"name\": \"%s\"}", bad[i]);
        assert_int_equal(post(w, "/v1/tokens", body, NULL), 400);
    }
    assert_int_equal(post(w, "/v1/tokens", "{\"role\": \"viewer\", \"name\": \"a b\"}", &a), 400);
    assert_detail(a, "name must be letters, digits and ._@+-, and begin with a letter or a digit, "
                     "got \"a b\"");
    (void)make(w, "/v1/tokens",
               "{\"role\": \"viewer\", \"name\": \"Ada.Lovelace+x@st-7.example\"}");
}

/* ---- listing ---- */

static void tokens_are_listed_without_their_texts(void **state)
{
    coord_world *w = *state;
    made alice = make(w, "/v1/tokens", "{\"role\": \"viewer\", \"name\": \"alice\"}");
    size_t seen = 0;
    bool found = false, more = true;
    char query[64] = "limit=1";
    while (more) {
        json_t *a;
        tc_request q = {
            .method = "GET", .path = "/v1/tokens", .query = query, .bearer = w->operator_token};
        assert_int_equal(world_request(w, &q, &a), 200);
        const json_t *one = json_array_get(json_object_get(a, "tokens"), 0);
        char *all = json_dumps(one, 0);
        assert_null(strstr(all, alice.token));
        assert_string_not_equal(world_text(one, "role"), "agent");
        if (strcmp(world_text(one, "id"), alice.id) == 0)
            found = strcmp(world_text(one, "name"), "alice") == 0;
        if (strcmp(world_text(one, "role"), "joiner") == 0)
            assert_string_equal(world_text(one, "study"), "s");
        free(all);
        seen++;
        more = json_is_string(json_object_get(a, "next"));
        if (more)
            snprintf(query, sizeof query, "limit=1&after=%s", world_text(a, "next"));
        json_decref(a);
    }
    assert_true(found);
    assert_int_equal(seen, 3); /* the operator's, that of three joiners, alice's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(the_old_one_ends_at_once),
        IN_WORLD(or_after_a_while),
        IN_WORLD(an_end_that_was_given_holds),
        IN_WORLD(an_operator_replaces_its_own),
        IN_WORLD(the_uses_of_a_join_token_pass_on),
        IN_WORLD(a_replacement_is_asked_for_clearly),
        IN_WORLD(the_same_request_again_has_the_same_answer),
        IN_WORLD(a_token_that_was_lost_is_withdrawn_by_its_id),
        IN_WORLD(names_are_plain),
        IN_WORLD(tokens_are_listed_without_their_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
