/* openapi_test.c - the description for programs says what there is: every route, and nothing else. */
#include "support/coord_study.h"

#include "coord/request.h"

#include <ctype.h>

static json_t *read_document(coord_world *w)
{
    json_t *j;
    assert_int_equal(world_call(w, "GET", "/openapi.json", NULL, NULL, &j), 200);
    assert_non_null(j);
    return j;
}

static void lower(char *text)
{
    for (; *text; text++)
        *text = (char)tolower((unsigned char)*text);
}

static const json_t *operation_of(const json_t *paths, const tc_route *r)
{
    char method[16];
    snprintf(method, sizeof method, "%s", r->method);
    lower(method);
    return json_object_get(json_object_get(paths, r->path), method);
}

static void every_route_is_described_and_nothing_else(void **state)
{
    json_t *j = read_document(*state), *paths = json_object_get(j, "paths"), *methods;
    const char *path;
    size_t routes = 0, described = 0;
    assert_string_equal(world_text(j, "openapi"), "3.1.0");
    for (const tc_route *r = tc_routes; r->method; r++, routes++) {
        const json_t *o = operation_of(paths, r);
        if (!o)
            fail_msg("%s %s is not described", r->method, r->path);
        assert_true(json_object_size(json_object_get(o, "responses")) >= 2);
        assert_int_equal(json_object_get(o, "requestBody") != NULL, r->takes != NULL);
        assert_int_equal(json_array_size(json_object_get(o, "security")), r->roles != 0);
        assert_true(strlen(world_text(o, "summary")) > 0);
    }
    json_object_foreach(paths, path, methods)
    {
        described += json_object_size(methods);
    }
    assert_int_equal(described, routes);
    json_decref(j);
}

static void operations_have_names_of_their_own(void **state)
{
    json_t *j = read_document(*state), *seen = json_object(), *methods, *o;
    const char *path, *method;
    json_object_foreach(json_object_get(j, "paths"), path, methods)
    {
        json_object_foreach(methods, method, o)
        {
            const char *name = world_text(o, "operationId");
            if (json_object_get(seen, name))
                fail_msg("two operations are called %s", name);
            json_object_set_new(seen, name, json_true());
        }
    }
    json_decref(seen);
    json_decref(j);
}

/* Follows all references. */
static void check_references(const json_t *root, json_t *j)
{
    const char *key, *ref = json_string_value(json_object_get(j, "$ref"));
    json_t *v;
    size_t i;
    if (ref) {
        char where[32], name[64];
        assert_int_equal(sscanf(ref, "#/components/%31[^/]/%63s", where, name), 2);
        const json_t *there = json_object_get(json_object_get(root, "components"), where);
        if (!json_object_get(there, name))
            fail_msg("%s leads nowhere", ref);
    }
    json_object_foreach(j, key, v)
    {
        check_references(root, v);
    }
    json_array_foreach(j, i, v)
    {
        check_references(root, v);
    }
}

static void references_lead_somewhere(void **state)
{
    json_t *j = read_document(*state);
    check_references(j, j);
    json_decref(j);
}

/* A routes's answers in tables: at most one that is not JSON, and statuses that differ. */
static void tables_make_sense(void **state)
{
    (void)state;
    for (const tc_route *r = tc_routes; r->method; r++) {
        assert_true(r->status >= 200 && r->status < 300);
        assert_true((r->gives != NULL) != (r->text != NULL));
        assert_true(r->also_status != r->status && (r->also_status > 0) == (r->also_gives != NULL));
        assert_true((r->body == TC_BODY_NONE) == (r->takes == NULL));
        assert_true(!r->once || (strcmp(r->method, "POST") == 0 && r->roles && r->gives));
        assert_true(!r->again || r->once);
    }
}

static const json_t *schema(const json_t *j, const char *name)
{
    return json_object_get(json_object_get(json_object_get(j, "components"), "schemas"), name);
}

static void fields_are_described(void **state)
{
    json_t *j = read_document(*state);
    const json_t *suggest = schema(j, "Suggest");
    const json_t *count = json_object_get(json_object_get(suggest, "properties"), "count");
    assert_string_equal(world_text(count, "type"), "integer");
    assert_int_equal(json_integer_value(json_object_get(count, "minimum")), 1);
    assert_int_equal(json_integer_value(json_object_get(count, "maximum")), 1000);
    assert_int_equal(json_integer_value(json_object_get(count, "default")), 1);
    assert_true(json_is_false(json_object_get(suggest, "additionalProperties")));
    assert_int_equal(json_array_size(json_object_get(suggest, "required")), 1);
    assert_int_equal(json_array_size(json_object_get(schema(j, "Complete"), "oneOf")), 6);
    assert_non_null(schema(j, "RoundEvent"));
    assert_non_null(schema(j, "Problem"));
    json_decref(j);
}

/* What tests ask of every answer would notice. */
static void an_answer_that_is_not_as_described_is_noticed(void **state)
{
    tacit_error err = {0};
    tc_request q = {.method = "GET", .path = "/v1/studies"};
    tc_response r = {.status = 200, .content_type = "application/json"};
    (void)state;
    tc_text_add(&r.body, "{\"studies\": [\"s\"], \"next\": null}");
    assert_ok(tc_coord_check_answer(&q, &r, &err));
    r.status = 201;
    assert_fails(tc_coord_check_answer(&q, &r, &err), TACIT_E_INTERNAL,
                 "does not have this status");
    r.status = 404;
    assert_fails(tc_coord_check_answer(&q, &r, &err), TACIT_E_INTERNAL, "no problem+json");
    tc_text_fini(&r.body);
    r.status = 200;
    tc_text_add(&r.body, "{\"studies\": [1], \"next\": null}");
    assert_fails(tc_coord_check_answer(&q, &r, &err), TACIT_E_INTERNAL, "studies[0] must be a str");
    tc_response_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(every_route_is_described_and_nothing_else),
        IN_WORLD(operations_have_names_of_their_own),
        IN_WORLD(references_lead_somewhere),
        IN_WORLD(fields_are_described),
        cmocka_unit_test(tables_make_sense),
        cmocka_unit_test(an_answer_that_is_not_as_described_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
