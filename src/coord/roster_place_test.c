/* roster_place_test.c - which place on the roster an agent gets: the one that it had, if it says so and that is
 * free; else one that is. And who is woken by what a coordinator says. */
#include "support/coord_study.h"
#include "support/served_world.h"

#include "coord/roster.h"

/* ---- places ---- */

/* wish < 0: none. The status; *number: the place. */
static int enrol(coord_world *w, uint8_t salt, const char *token, int wish, uint64_t *number)
{
    citizen c = {.number = UINT64_MAX};
    tc_text body = {0};
    tc_signature proof;
    json_t *a;
    world_keys(&c, salt);
    tacit_hash h = tc_hash_bytes(token, strlen(token));
    tc_signed what = {
        .purpose = TC_SIGN_ENROL, .study = w->hash, .body = h.bytes, .n_body = sizeof h.bytes};
    tc_sign(&c.secret, &what, &proof);
    tc_text_add(&body, "{\"key\": \"");
    tc_base64_add(&body, c.key.bytes, sizeof c.key.bytes);
    tc_text_add(&body, "\", \"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"");
    if (wish >= 0)
        tc_text_addf(&body, ", \"agent\": %d", wish);
    tc_text_add(&body, "}");
    int status = world_call(w, "POST", "/v1/studies/s/agents", token, tc_text_get(&body), &a);
    if (status < 300)
        *number = (uint64_t)json_integer_value(json_object_get(a, "agent"));
    json_decref(a);
    tc_text_fini(&body);
    return status;
}

static void open_empty(coord_world *w)
{
    tacit_error err = {0};
    tc_store *store;
    *w = (coord_world){.now_ms = 1000000};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(w, store, 7);
    world_create(w, "s", study_document);
}

/* Every order of wishes, each of three agents for a place or none: all get one, no two the same, and the
 * first gets what it wished for. */
static void everybody_gets_a_place_of_its_own(void **state)
{
    (void)state;
    for (int code = 0; code < 64; code++) {
        static coord_world world;
        coord_world *w = &world;
        uint64_t got[STUDY_AGENTS];
        char token[64];
        bool seen[STUDY_AGENTS] = {false};
        open_empty(w);
        served_token(w, "/v1/studies/s/tokens", "{\"uses\": 4}", token);
        for (int i = 0; i < STUDY_AGENTS; i++) {
            int wish = (code >> (2 * i) & 3) - 1;
            assert_int_equal(enrol(w, (uint8_t)i, token, wish, &got[i]), 201);
            assert_true(got[i] < STUDY_AGENTS);
            if (wish >= 0 && !seen[wish])
                assert_int_equal(got[i], wish);
            assert_false(seen[got[i]]);
            seen[got[i]] = true;
        }
        uint64_t none = 77;
        assert_int_equal(enrol(w, 9, token, 0, &none), 409);
        assert_int_equal(enrol(w, 1, token, 0, &none), 200); /* who is known has its place */
        assert_int_equal(none, got[1]);
        world_close(w);
    }
}

static tacit_status note_version(void *user, const tc_record *r, tacit_error *err)
{
    uint64_t *versions = user;
    (void)err;
    versions[tc_key_at(r->key, 0)] = r->version;
    return TACIT_OK;
}

/* As a crash of the database's server takes back an enrolment. */
static void lose_place(coord_world *w, uint64_t place)
{
    tacit_error err = {0};
    tc_study_row row;
    uint64_t versions[STUDY_AGENTS] = {0};
    tc_key key = tc_roster_key(place);
    assert_ok(tc_store_study_get(w->store, "s", &row, &err));
    tc_record_range all = {.study = row.id, .kind = TC_RECORD_AGENT};
    assert_ok(tc_store_record_scan(w->store, &all, note_version, versions, &err));
    tc_change c = {.what = TC_ERASE, .record = tc_record_of(row.id, TC_RECORD_AGENT, &key)};
    c.record.version = versions[place];
    assert_ok(tc_store_change(w->store, &c, 1, NULL, &err));
    tc_study_row_fini(&row);
}

/* Nobody is told that the roster is full because of an enrolment that was. */
static void a_place_that_was_lost_is_given_again(void **state)
{
    static coord_world world;
    coord_world *w = &world;
    char token[64];
    uint64_t got;
    (void)state;
    open_empty(w);
    served_token(w, "/v1/studies/s/tokens", "{\"uses\": 9}", token);
    for (uint8_t i = 0; i < STUDY_AGENTS; i++)
        assert_int_equal(enrol(w, i, token, -1, &got), 201);
    assert_int_equal(enrol(w, 9, token, -1, &got), 409);
    lose_place(w, 1);
    assert_int_equal(enrol(w, 9, token, 0, &got), 201); /* its wish is another's */
    assert_int_equal(got, 1);
    assert_int_equal(enrol(w, 10, token, -1, &got), 409);
    world_close(w);
}

/* ---- who is woken ---- */

typedef struct heard {
    int woken, unmoved;
    char study[64];
} heard;

static void hear(void *user, const char *study, bool waited_for)
{
    heard *h = user;
    h->woken += waited_for;
    h->unmoved += !waited_for;
    snprintf(h->study, sizeof h->study, "%s", study);
}

/* Nobody waits for a trial: its event goes to listeners, and wakes no held question. */
static void a_trial_wakes_nobody(void **state)
{
    served_world *s = *state;
    heard h = {0};
    json_t *a;
    tc_coord_listen(s->w.coord, hear, &h);
    assert_int_equal(served_suggest(s, "w", 1, &a), 200);
    json_decref(a);
    assert_int_equal(h.woken, 0);
    assert_int_equal(h.unmoved, 1);
    assert_string_equal(h.study, "t");
    assert_int_equal(
        world_call(&s->w, "POST", "/v1/studies/t:pause", s->w.operator_token, NULL, NULL), 200);
    assert_int_equal(h.woken, 1);
    assert_int_equal(h.unmoved, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_gets_a_place_of_its_own),
        cmocka_unit_test(a_place_that_was_lost_is_given_again),
        IN_SERVED(a_trial_wakes_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
