/* served_range_test.c - a lease has one range (study/study.h): what a coordinator takes, and what its
 * description says. The command line's options are held against the same constants in operator_test.sh. */
#include "support/served_world.h"

#include "study/study.h"

static int suggest(coord_world *w, const char *lease, json_t **answer)
{
    char body[128];
    snprintf(body, sizeof body, "{\"worker\": \"a\", \"lease_s\": %s}", lease);
    return world_call(w, "POST", "/v1/studies/t/trials:suggest", w->operator_token, body, answer);
}

static void a_lease_is_within_its_range(void **state)
{
    coord_world *w = &((served_world *)*state)->w;
    char text[32];
    json_t *a;
    snprintf(text, sizeof text, "%d", TACIT_LEASE_LEAST_S);
    assert_int_equal(suggest(w, text, NULL), 200);
    snprintf(text, sizeof text, "%d", TACIT_LEASE_MOST_S);
    assert_int_equal(suggest(w, text, NULL), 200);
    snprintf(text, sizeof text, "%d", TACIT_LEASE_MOST_S + 1);
    assert_int_equal(suggest(w, text, &a), 400);
    assert_says(a, "lease_s");
    assert_int_equal(suggest(w, "0.5", &a), 400);
    assert_says(a, "lease_s");
}

static const json_t *schema(const json_t *j, const char *name)
{
    const json_t *all = json_object_get(json_object_get(j, "components"), "schemas");
    const json_t *s = json_object_get(json_object_get(all, name), "properties");
    assert_non_null(s);
    return json_object_get(s, "lease_s");
}

static void its_description_says_so(void **state)
{
    static const char *const names[] = {"Suggest", "Heartbeat"};
    coord_world *w = &((served_world *)*state)->w;
    json_t *a;
    assert_int_equal(world_call(w, "GET", "/openapi.json", NULL, NULL, &a), 200);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *s = schema(a, names[i]);
        assert_close(json_number_value(json_object_get(s, "minimum")), TACIT_LEASE_LEAST_S, 0);
        assert_close(json_number_value(json_object_get(s, "maximum")), TACIT_LEASE_MOST_S, 0);
    }
    json_decref(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SERVED(a_lease_is_within_its_range),
        IN_SERVED(its_description_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
