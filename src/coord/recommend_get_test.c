/* recommend_get_test.c - the common configuration of a federated study over its releases, and the refusals. */
#include "support/coord_study.h"

#include "coord/shape.h"

#include <string.h>

static void open_world(coord_world *w, const char *name, const char *algorithm, const char *privacy)
{
    tacit_error err = {0};
    tc_store *store;
    char document[640];
    *w = (coord_world){.now_ms = 1000000};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(w, store, 7);
    snprintf(document, sizeof document,
             "{\"name\": \"%s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": %s, \"federation\": {\"agents\": 3, \"deadline_s\": 60}%s}",
             name, algorithm, privacy);
    world_create(w, name, document);
    world_enrol_all(w, STUDY_AGENTS);
}

static int get(coord_world *w, const char *token, const char *query, json_t **a)
{
    char path[160];
    snprintf(path, sizeof path, "/v1/studies/%s/recommendation", w->study);
    const tc_request q = {.method = "GET", .path = path, .query = query, .bearer = token};
    return world_request(w, &q, a);
}

static void refused(coord_world *w, const char *query, int status, const char *words)
{
    json_t *a;
    assert_int_equal(get(w, w->operator_token, query, &a), status);
    if (!strstr(world_text(a, "detail"), words))
        fail_msg("\"%s\" is not in \"%s\"", words, world_text(a, "detail"));
    json_decref(a);
}

static void close_round(coord_world *w, uint64_t round)
{
    for (uint64_t i = 0; i < STUDY_AGENTS; i++)
        assert_int_equal(study_post(w, i, round, NULL), 202);
    world_tick(w);
}

static void it_follows_from_the_releases(void **state)
{
    (void)state;
    coord_world w;
    tacit_error err = {0};
    json_t *first, *again, *agents;
    open_world(&w, "s",
               "{\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": \"0,3\"}",
               ", \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}");
    refused(&w, NULL, 409, "nothing was released yet that says where the agents' mean is largest");
    refused(&w, "by=model", 400,
            "by is for served studies, and study \"s\" is one of a federation");
    close_round(&w, 0);
    assert_int_equal(get(&w, w.operator_token, NULL, &first), 200);
    assert_ok(tc_shape_check(&tc_shape_recommendation, first, &err));
    assert_string_equal(world_text(first, "by"), "released");
    const char *said = "the mean of 1 release is largest there; it is computed from what was "
                       "released, which costs no privacy";
    const double mean = json_number_value(json_object_get(first, "mean")),
                 sd = json_number_value(json_object_get(first, "sd"));
    assert_memory_equal(world_text(first, "because"), said, strlen(said));
    assert_int_equal(strstr(world_text(first, "because"), "; but noise alone could be as large") !=
                         NULL,
                     mean < 3 * sd);
    const double x = json_number_value(json_object_get(json_object_get(first, "params"), "x"));
    assert_true(x >= 0 && x <= 1);
    assert_true(json_number_value(json_object_get(first, "sd")) > 0);
    /* The same for everybody, and whenever it is asked for. */
    assert_int_equal(get(&w, w.operator_token, NULL, &again), 200);
    assert_int_equal(get(&w, w.agents[1].access, NULL, &agents), 200);
    assert_true(json_equal(first, again) && json_equal(first, agents));
    json_decref(again);
    json_decref(agents);
    close_round(&w, 3);
    assert_int_equal(get(&w, w.operator_token, NULL, &again), 200);
    assert_int_equal(json_integer_value(json_object_get(again, "releases")), 2);
    assert_false(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    world_close(&w);
}

static void other_algorithms_say_that_they_have_none(void **state)
{
    (void)state;
    coord_world w;
    open_world(&w, "r", "{\"name\": \"fts\", \"initial\": 2}", ", \"privacy\": \"none\"");
    refused(&w, NULL, 501, "fts releases no function of the space");
    world_close(&w);
    open_world(&w, "p", "{\"name\": \"pf-pne\"}", ", \"privacy\": \"none\"");
    refused(&w, NULL, 501, "pf-pne releases no function of the space");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_follows_from_the_releases),
        cmocka_unit_test(other_algorithms_say_that_they_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
