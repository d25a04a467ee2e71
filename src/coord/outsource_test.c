/* outsource_test.c - a curator sends its released rows and has them searched: the same rows are asked as
 * by the modeler at home, one token is for one release, and a crash costs neither. */
#include "support/served_world.h"

#include "study/study.h"
#include "support/crash_store.h"
#include "wire/released_json.h"
#include "wire/released_study.h"

enum { ROWS = 7 };

static tc_released sample(void)
{
    tacit_error err = {0};
    static char *columns[] = {"income", "rate"};
    static double values[2 * ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        values[2 * i] = 0.1 + (double)(i * i % 5);
        values[2 * i + 1] = 1.0 / 3 + (double)i;
    }
    tc_released r = {.name = "loans",
                     .mode = "paper",
                     .maximize = true,
                     .not_private = "a seed",
                     .statement = "none",
                     .input_sd = 0.25,
                     .ledger = "rows",
                     .head = {.seq = 1},
                     .rows = ROWS,
                     .cols = 2,
                     .columns = columns,
                     .values = values};
    assert_ok(tc_released_hash(&r, &r.release, &err));
    return r;
}

/* The body of a request; for tc_free. */
static char *body_of(const char *name, const char *more)
{
    tc_released r = sample();
    tc_text t = {0};
    tacit_error err = {0};
    char *text = NULL;
    assert_ok(tacit_released_text(&r, &text, &err));
    tc_text_addf(
        &t,
        "{\"name\": \"%s\", \"trials\": 60, \"options\": {\"fit\": false}, \"released\": ", name);
    tc_text_add(&t, text);
    tc_text_addf(&t, "%s}", more);
    tc_free(text);
    assert_false(t.failed);
    return t.data;
}

static int send_rows(coord_world *w, const char *token, const char *name, const char *more,
                     json_t **answer)
{
    char *body = body_of(name, more);
    int status = world_call(w, "POST", "/v1/studies:outsource", token, body, answer);
    tc_free(body);
    return status;
}

static double answer_about(uint64_t row)
{
    return (double)(row * 3 % 5);
}

/* ---- as at home ---- */

static tc_study *open_home(tc_store *store)
{
    tacit_error err = {0};
    tc_released r = sample();
    json_t *options = json_pack("{s:b}", "fit", 0);
    tc_study_doc *doc;
    tc_study *study;
    assert_ok(
        tc_released_study(&doc, &r, &(tc_released_plan){.trials = 60, .options = options}, &err));
    assert_ok(tc_study_create(&study, store, doc, NULL, &err));
    tc_study_doc_free(doc);
    json_decref(options);
    return study;
}

static void the_same_rows_are_asked(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    char curator[64], client[64], path[96], body[64];
    json_t *a;
    tc_store *store;
    served_token(&s->w, "/v1/tokens", "{\"role\": \"curator\"}", curator);
    assert_int_equal(send_rows(&s->w, curator, "loans", "", &a), 201);
    assert_string_equal(world_text(a, "name"), "loans");
    snprintf(client, sizeof client, "%s", world_text(a, "token"));
    json_decref(a);
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_study *home = open_home(store);
    const char *suggest = "/v1/studies/loans/trials:suggest", *ask = "{\"worker\": \"c\"}";
    for (uint64_t i = 0; i < ROWS; i++) {
        double row;
        uint64_t trial;
        assert_ok(tc_study_ask(home, NULL, 0, &trial, &row, &err));
        assert_int_equal(world_call(&s->w, "POST", suggest, client, ask, &a), 200);
        const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
        assert_int_equal(served_whole(json_object_get(t, "params"), "point"), (int64_t)row);
        json_decref(a);
        assert_ok(tc_study_tell(home, trial, NULL, answer_about((uint64_t)row), &err));
        snprintf(path, sizeof path, "/v1/studies/loans/trials/%" PRIu64 ":complete", i);
        snprintf(body, sizeof body, "{\"value\": %g}", answer_about((uint64_t)row));
        assert_int_equal(world_call(&s->w, "POST", path, client, body, NULL), 200);
    }
    assert_int_equal(world_call(&s->w, "POST", suggest, client, ask, &a), 410);
    assert_says(a, "all 7 trials that were planned"); /* no row is asked twice */
    tc_study_close(home);
    tc_store_close(store);
}

/* ---- one token, one release ---- */

static void the_same_again_is_the_same_study(void **state)
{
    served_world *s = *state;
    char curator[64], first[64];
    json_t *a;
    const char *op = s->w.operator_token;
    served_token(&s->w, "/v1/tokens", "{\"role\": \"curator\"}", curator);
    assert_int_equal(send_rows(&s->w, curator, "loans", "", &a), 201);
    snprintf(first, sizeof first, "%s", world_text(a, "token"));
    json_decref(a);
    assert_int_equal(send_rows(&s->w, curator, "loans", "", &a), 200);
    assert_string_not_equal(world_text(a, "token"), first);
    assert_int_equal(
        world_call(&s->w, "GET", "/v1/studies/loans", world_text(a, "token"), NULL, NULL), 200);
    json_decref(a);
    assert_int_equal(world_call(&s->w, "GET", "/v1/studies/loans", first, NULL, NULL), 401);
    assert_int_equal(send_rows(&s->w, curator, "other", "", &a), 403);
    assert_says(a, "the token is for one release, and study \"loans\" was made of it");
    assert_int_equal(send_rows(&s->w, curator, "loans", ", \"seed\": 3", &a), 409);
    assert_says(a, "there is another study \"loans\"");
    assert_int_equal(send_rows(&s->w, op, "loans", "", NULL), 200);
    assert_int_equal(world_call(&s->w, "DELETE", "/v1/studies/loans", op, NULL, NULL), 200);
    assert_int_equal(send_rows(&s->w, curator, "loans", "", &a), 409);
    assert_says(a, "was made of the release and is erased");
}

static void somebody_elses_name_is_taken(void **state)
{
    served_world *s = *state;
    char one[64], two[64];
    json_t *a;
    served_token(&s->w, "/v1/tokens", "{\"role\": \"curator\"}", one);
    served_token(&s->w, "/v1/tokens", "{\"role\": \"curator\"}", two);
    assert_int_equal(send_rows(&s->w, one, "t", "", &a), 409);
    assert_says(a, "there is another study \"t\"");
    assert_int_equal(send_rows(&s->w, one, "loans", "", NULL), 201); /* nothing was spent on it */
    assert_int_equal(send_rows(&s->w, two, "loans", "", &a), 409);
    assert_says(a, "there is a study \"loans\" already");
    assert_int_equal(send_rows(&s->w, two, "mine", "", NULL), 201);
}

static void what_is_no_release_is_refused(void **state)
{
    served_world *s = *state;
    char curator[64];
    json_t *a;
    served_token(&s->w, "/v1/tokens", "{\"role\": \"curator\"}", curator);
    const char *path = "/v1/studies:outsource";
    assert_int_equal(world_call(&s->w, "POST", path, curator,
                                "{\"name\": \"x\", \"trials\": 3, \"released\": {}}", &a),
                     400);
    assert_says(a, "released");
    assert_int_equal(send_rows(&s->w, curator, "../x", "", &a), 400);
    assert_says(a, "name must be");
    assert_int_equal(send_rows(&s->w, curator, "x", ", \"more\": 1", NULL), 400);
    char *body = body_of("x", "");
    char *fit = strstr(body, "\"fit\""); /* an option that there is not */
    memcpy(fit, "\"fot\"", 5);
    assert_int_equal(world_call(&s->w, "POST", path, curator, body, &a), 400);
    assert_says(a, "fot");
    tc_free(body);
    body = body_of("x", "");
    char *row = strstr(body, "\"rows\":[[0.1");
    assert_non_null(row);
    row[11] = '2'; /* another row than was released */
    assert_int_equal(world_call(&s->w, "POST", path, curator, body, &a), 400);
    assert_says(a, "rows are not those that were released");
    tc_free(body);
    assert_int_equal(send_rows(&s->w, curator, "x", "", NULL), 201);
}

/* One curator has one client's token, however often it asks. */
static void tokens_do_not_pile_up(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    char curator[64];
    json_t *a;
    uint64_t before, now;
    tc_record_range all = {.kind = TC_RECORD_TOKEN};
    served_token(&s->w, "/v1/tokens", "{\"role\": \"curator\"}", curator);
    assert_int_equal(send_rows(&s->w, curator, "loans", "", NULL), 201);
    assert_ok(tc_store_record_count(s->w.store, &all, &before, &err));
    for (int i = 0; i < 5; i++)
        assert_int_equal(send_rows(&s->w, curator, "loans", "", NULL), 200);
    assert_int_equal(send_rows(&s->w, curator, "loans", "", &a), 200);
    assert_ok(tc_store_record_count(s->w.store, &all, &now, &err));
    assert_int_equal(now, before);
    char body[128]; /* one that the operator has withdrawn is no hindrance */
    snprintf(body, sizeof body, "{\"token\": \"%s\"}", world_text(a, "token"));
    json_decref(a);
    assert_int_equal(
        world_call(&s->w, "POST", "/v1/tokens:withdraw", s->w.operator_token, body, NULL), 200);
    assert_int_equal(send_rows(&s->w, curator, "loans", "", NULL), 200);
}

/* ---- crashes ---- */

static void a_crash_at_any_write_is_repeated(void **state)
{
    tacit_error err = {0};
    (void)state;
    bool died = true;
    for (uint64_t at = 1; died; at++)
        for (int after = 0; after < 2; after++) {
            static coord_world w;
            crash_store store;
            tc_store *disk;
            char curator[64];
            w = (coord_world){.now_ms = 1000000};
            assert_ok(tc_store_open(&disk, "memory:", true, &err));
            crash_init(&store, disk);
            world_open(&w, &store.base, 7);
            served_token(&w, "/v1/tokens", "{\"role\": \"curator\"}", curator);
            store.at = store.writes + at;
            store.after = after;
            int status = send_rows(&w, curator, "loans", "", NULL);
            died = store.dead;
            assert_int_equal(status, died ? 500 : 201);
            tc_coord_free(w.coord);
            crash_restart(&store);
            world_open(&w, &store.base, 7);
            status = send_rows(&w, curator, "loans", "", NULL);
            assert_true(status == 200 || (died && status == 201));
            assert_int_equal(send_rows(&w, curator, "loans", "", NULL), 200);
            assert_int_equal(send_rows(&w, curator, "more", "", NULL), 403);
            tc_coord_free(w.coord);
            crash_fini(&store);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SERVED(the_same_rows_are_asked),
        IN_SERVED(the_same_again_is_the_same_study),
        IN_SERVED(tokens_do_not_pile_up),
        IN_SERVED(somebody_elses_name_is_taken),
        IN_SERVED(what_is_no_release_is_refused),
        cmocka_unit_test(a_crash_at_any_write_is_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
