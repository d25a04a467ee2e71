/* pages_test.c - lists come in pages that together are the list; refusals carry their numbers. */
#include "support/coord_study.h"

static int get(coord_world *w, const char *path, const char *query, const char *token, json_t **out)
{
    tc_request q = {.method = "GET", .path = path, .query = query, .bearer = token};
    return world_request(w, &q, out);
}

static void assert_names(coord_world *w, const char *query, const char *names, const char *next)
{
    json_t *a, *one;
    size_t i;
    char got[256] = "";
    assert_int_equal(get(w, "/v1/studies", query, w->operator_token, &a), 200);
    json_array_foreach(json_object_get(a, "studies"), i, one)
    {
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s ", json_string_value(one));
    }
    assert_string_equal(got, names);
    if (next)
        assert_string_equal(world_text(a, "next"), next);
    else
        assert_true(json_is_null(json_object_get(a, "next")));
    json_decref(a);
}

static void add_study(coord_world *w, char name)
{
    char body[1024];
    snprintf(body, sizeof body, "{\"document\": %s}", study_document);
    *(strstr(body, "\"s\"") + 1) = name;
    assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, body, NULL), 201);
}

static void studies_come_in_pages(void **state)
{
    coord_world *w = *state;
    json_t *a;
    for (const char *p = "zayb"; *p; p++)
        add_study(w, *p);
    assert_names(w, NULL, "s z a y b ", NULL);
    assert_names(w, "limit=2", "s z ", "z");
    assert_names(w, "limit=2&after=z", "a y ", "y");
    assert_names(w, "limit=2&after=y", "b ", NULL);
    assert_names(w, "limit=5", "s z a y b ", NULL); /* as many as there are: no page after it */
    assert_names(w, "after=b", "", NULL);
    assert_int_equal(get(w, "/v1/studies", "after=q", w->operator_token, &a), 404);
    assert_detail(a, "after is no study, or no longer: \"q\"");
    assert_int_equal(get(w, "/v1/studies", "limit=1001", w->operator_token, &a), 400);
    assert_detail(a, "limit must be a whole number in [1, 1000]");
}

static void the_roster_comes_in_pages(void **state)
{
    coord_world *w = *state;
    json_t *a, *one;
    assert_int_equal(
        world_call(w, "POST", "/v1/studies/s/agents/1:revoke", w->operator_token, NULL, NULL), 200);
    assert_int_equal(get(w, "/v1/studies/s/agents", "limit=2", w->operator_token, &a), 200);
    assert_int_equal(json_array_size(json_object_get(a, "agents")), 2);
    assert_int_equal(json_integer_value(json_object_get(a, "next")), 1);
    one = json_array_get(json_object_get(a, "agents"), 1);
    assert_int_equal(json_integer_value(json_object_get(one, "agent")), 1);
    assert_true(json_is_true(json_object_get(one, "revoked")));
    assert_int_equal(strlen(world_text(one, "fingerprint")), 64);
    assert_int_equal(json_object_size(one), 4); /* nothing that says when it was there */
    json_decref(a);
    assert_int_equal(get(w, "/v1/studies/s/agents", "after=1", w->operator_token, &a), 200);
    assert_int_equal(json_array_size(json_object_get(a, "agents")), 1);
    assert_true(json_is_null(json_object_get(a, "next")));
    json_decref(a);
    assert_int_equal(get(w, "/v1/studies/s/agents", NULL, w->agents[0].access, NULL), 403);
}

static void evidence_comes_in_pages(void **state)
{
    coord_world *w = *state;
    json_t *a, *one;
    assert_int_equal(get(w, "/v1/studies/s/evidence", NULL, w->operator_token, &a), 200);
    assert_int_equal(json_array_size(json_object_get(a, "evidence")), 0);
    json_decref(a);
    for (uint64_t i = 0; i < STUDY_AGENTS; i++) {
        assert_int_equal(study_post(w, i, 0, NULL), 202);
        assert_int_equal(study_post(w, i, 0, NULL), 409); /* another sequence: another message */
    }
    assert_int_equal(get(w, "/v1/studies/s/evidence", "limit=2", w->operator_token, &a), 200);
    assert_int_equal(json_array_size(json_object_get(a, "evidence")), 2);
    assert_string_equal(world_text(a, "next"), "0.1");
    json_decref(a);
    assert_int_equal(get(w, "/v1/studies/s/evidence", "after=0.1", w->operator_token, &a), 200);
    one = json_array_get(json_object_get(a, "evidence"), 0);
    assert_int_equal(json_integer_value(json_object_get(one, "agent")), 2);
    assert_int_equal(json_integer_value(json_object_get(one, "sequence")), 2);
    assert_true(json_is_null(json_object_get(a, "next")));
    json_decref(a);
    assert_int_equal(get(w, "/v1/studies/s/evidence", "after=1", w->operator_token, &a), 400);
    assert_detail(a, "after must be ROUND.AGENT");
    assert_int_equal(get(w, "/v1/studies/s/evidence", NULL, w->agents[0].access, NULL), 403);
}

static void close_round(coord_world *w, uint64_t round)
{
    for (uint64_t i = 0; i < STUDY_AGENTS; i++)
        assert_int_equal(study_post(w, i, round, NULL), 202);
    world_tick(w);
}

static void the_ledger_comes_in_pages(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tc_ledger *copy = NULL;
    json_t *a;
    bool more = true;
    char query[32];
    size_t pages = 0;
    for (uint64_t round = 0; round < 3; round++)
        close_round(w, round);
    for (; more; pages++) {
        snprintf(query, sizeof query, "limit=2&after=%zu", 2 * pages);
        assert_int_equal(get(w, "/v1/studies/s/privacy", query, w->agents[0].access, &a), 200);
        assert_ok(tc_ledger_add_page(&copy, a, &more, &err));
        json_decref(a);
    }
    assert_int_equal(pages, 2);
    assert_int_equal(get(w, "/v1/studies/s/privacy", NULL, w->agents[0].access, &a), 200);
    json_t *again = tc_ledger_json_page(copy, 0, UINT64_MAX);
    assert_true(json_equal(a, again));
    json_decref(a);
    json_decref(again);
    tc_ledger_close(copy);
}

/* ---- refusals ---- */

static double number(const json_t *j, const char *key)
{
    assert_true(json_is_number(json_object_get(j, key)));
    return json_number_value(json_object_get(j, key));
}

/* The budget of a study that is made again under its name is what the first one left. */
/* As /openapi.json has it. */
static const char *requested_means(coord_world *w)
{
    static char text[128];
    tc_response r = {0};
    tc_coord_handle(w->coord, &(tc_request){.method = "GET", .path = "/openapi.json"}, &r);
    const char *field = strstr(tc_text_get(&r.body), "\"requested\"");
    const char *words = field ? strstr(field, "Refused by the budget: ") : NULL;
    assert_non_null(words);
    assert_int_equal(sscanf(words, "%127[^\"]", text), 1);
    tc_response_fini(&r);
    return text;
}

static void a_refusal_by_the_budget_has_its_numbers(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    char path[64];
    json_t *a = NULL;
    tc_ledger *copy;
    tc_ledger_claim claim;
    uint64_t round = 0;
    int status = 200;
    for (int lives = 0; status == 200 && lives < 4; lives++) {
        for (round = 0; status == 200 && round < 10; round++) {
            close_round(w, round);
            snprintf(path, sizeof path, "/v1/studies/s/rounds/%" PRIu64 "/broadcast", round);
            json_decref(a);
            status = get(w, path, NULL, w->operator_token, &a);
        }
        if (status == 200) {
            assert_int_equal(
                world_call(w, "DELETE", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
            world_create(w, "s", study_document);
            world_enrol_all(w, STUDY_AGENTS);
            for (size_t i = 0; i < STUDY_AGENTS; i++)
                w->agents[i].sequence = 0;
        }
    }
    assert_int_equal(status, 410);
    assert_string_equal(world_text(a, "type"), "urn:tacit:problem:budget");
    double spent = number(a, "spent"), asked = number(a, "requested");
    assert_true(spent <= 5 && asked > 0 && spent + asked > 5);
    assert_string_equal(requested_means(w),
                        "Refused by the budget: the epsilon that this would have added to what is "
                        "spent");
    assert_close(number(a, "remaining"), 5 - spent, 0);
    assert_close(number(a, "delta"), 0.01, 0);
    json_decref(a);
    assert_int_equal(get(w, "/v1/studies/s/privacy", NULL, w->operator_token, &a), 200);
    assert_ok(tc_ledger_from_json(&copy, a, &err)); /* anybody gets the same from the ledger */
    assert_ok(
        tc_ledger_guarantee(copy, TACIT_UNIT_AGENT, NULL, 0.01, &tc_accountant_pld, &claim, &err));
    assert_close(claim.bound.epsilon, spent, 1e-9);
    json_decref(a);
    tc_ledger_close(copy);
}

static void a_method_that_is_not_there_is_told_which_are(void **state)
{
    coord_world *w = *state;
    tc_request q = {.method = "PUT", .path = "/v1/studies/s", .bearer = w->operator_token};
    tc_response r = {0};
    tc_coord_handle(w->coord, &q, &r);
    assert_int_equal(r.status, 405);
    assert_string_equal(r.allow, "GET, DELETE");
    tc_response_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(studies_come_in_pages),
        IN_WORLD(the_roster_comes_in_pages),
        IN_WORLD(evidence_comes_in_pages),
        IN_WORLD(the_ledger_comes_in_pages),
        IN_WORLD(a_refusal_by_the_budget_has_its_numbers),
        IN_WORLD(a_method_that_is_not_there_is_told_which_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
