/* idempotency_test.c - the same request under the same key is carried out once; crashes in between are
 * told, and what is kept of an answer cannot be read in the store. */
#include "support/coord_study.h"

static int ask(coord_world *w, const char *path, const char *token, const char *key,
               const char *body, tc_response *out)
{
    tacit_error err = {0};
    tc_request q = {.method = "POST",
                    .path = path,
                    .bearer = token,
                    .idempotency = key,
                    .body = body,
                    .n_body = strlen(body)};
    *out = (tc_response){0};
    tc_coord_handle(w->coord, &q, out);
    assert_ok(tc_coord_check_answer(&q, out, &err));
    return out->status;
}

static uint64_t count(coord_world *w, tc_record_kind kind)
{
    tacit_error err = {0};
    uint64_t n;
    assert_ok(tc_store_record_count(w->store, &(tc_record_range){.kind = kind}, &n, &err));
    return n;
}

#define VIEWER "{\"role\": \"viewer\"}"

static void the_same_again_is_the_same_answer(void **state)
{
    coord_world *w = *state;
    tc_response a, b, c;
    uint64_t tokens = count(w, TC_RECORD_TOKEN);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k-1", VIEWER, &a), 201);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k-1", VIEWER, &b), 201);
    assert_false(a.replayed);
    assert_true(b.replayed);
    assert_string_equal(tc_text_get(&a.body), tc_text_get(&b.body));
    assert_int_equal(count(w, TC_RECORD_TOKEN), tokens + 1);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k-2", VIEWER, &c), 201);
    assert_string_not_equal(tc_text_get(&a.body), tc_text_get(&c.body));
    assert_int_equal(count(w, TC_RECORD_TOKEN), tokens + 2);
    tc_response_fini(&a);
    tc_response_fini(&b);
    tc_response_fini(&c);
}

static void assert_sentence(tc_response *r, const char *part)
{
    if (!strstr(tc_text_get(&r->body), part))
        fail_msg("\"%s\" is not in %s", part, tc_text_get(&r->body));
    tc_response_fini(r);
}

static void another_request_under_the_key_is_refused(void **state)
{
    coord_world *w = *state;
    tc_response r;
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &r), 201);
    tc_response_fini(&r);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER " ", &r), 422);
    assert_sentence(&r, "was used for another request");
    assert_int_equal(ask(w, "/v1/studies/s/tokens", w->operator_token, "k", VIEWER, &r), 400);
    tc_response_fini(&r); /* a body that is none comes first */
    assert_int_equal(ask(w, "/v1/studies/s/tokens", w->operator_token, "k", "{}", &r), 422);
    tc_response_fini(&r);
}

static void a_key_belongs_to_its_token(void **state)
{
    coord_world *w = *state;
    tc_response a, b;
    json_t *made;
    assert_int_equal(
        world_call(w, "POST", "/v1/tokens", w->operator_token, "{\"role\": \"operator\"}", &made),
        201);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &a), 201);
    assert_int_equal(ask(w, "/v1/tokens", world_text(made, "token"), "k", VIEWER, &b), 201);
    assert_false(b.replayed);
    assert_string_not_equal(tc_text_get(&a.body), tc_text_get(&b.body));
    json_decref(made);
    tc_response_fini(&a);
    tc_response_fini(&b);
}

static void keys_are_short_and_printable(void **state)
{
    static const char longest[] =
        "0123456789012345678901234567890123456789012345678901234567890123";
    static const char *const bad[] = {
        "", "\xc3\xa9", "a\tb",
        "01234567890123456789012345678901234567890123456789012345678901234"};
    coord_world *w = *state;
    tc_response r;
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, longest, VIEWER, &r), 201);
    tc_response_fini(&r);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ask(w, "/v1/tokens", w->operator_token, bad[i], VIEWER, &r), 400);
        assert_sentence(&r, "Idempotency-Key must be 1 to 64 printable ASCII characters");
    }
}

/* A refusal changed nothing: the request may be repaired and sent again. */
/* Whoever holds the store needs no token, and has none to seal an answer with. */
static void a_key_is_for_who_has_a_token(void **state)
{
    coord_world *w = *state;
    tc_response r = {0};
    tc_request q = {.method = "POST",
                    .path = "/v1/tokens",
                    .is_operator = true,
                    .idempotency = "k",
                    .body = VIEWER,
                    .n_body = strlen(VIEWER)};
    tc_coord_handle(w->coord, &q, &r);
    assert_int_equal(r.status, 400);
    assert_sentence(&r, "an Idempotency-Key is for requests with a token");
}

static void refusals_are_not_kept(void **state)
{
    coord_world *w = *state;
    tc_response r;
    char body[sizeof study_document + 32];
    snprintf(body, sizeof body, "{\"document\": %s}", study_document);
    assert_int_equal(ask(w, "/v1/studies", w->operator_token, "k", body, &r),
                     409); /* it is there */
    tc_response_fini(&r);
    assert_int_equal(count(w, TC_RECORD_ANSWER), 0);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &r), 201);
    tc_response_fini(&r);
}

/* ---- a process that died in between ---- */

static tacit_status copy_record(void *user, const tc_record *r, tacit_error *err)
{
    tc_record *out = user;
    (void)err;
    if (((const char *)r->key)[0] != 'k')
        return TACIT_OK;
    *out = *r;
    out->key = memcpy(tc_alloc(r->key_size, 1), r->key, r->key_size);
    out->value = memcpy(tc_alloc(r->size, 1), r->value, r->size);
    return TACIT_OK;
}

static tc_record read_answer(coord_world *w)
{
    tacit_error err = {0};
    tc_record got = {0};
    tc_record_range all = {.kind = TC_RECORD_ANSWER};
    assert_ok(tc_store_record_scan(w->store, &all, copy_record, &got, &err));
    assert_non_null(got.key);
    return got;
}

static void free_record(tc_record *r)
{
    tc_free((void *)r->key);
    tc_free((void *)r->value);
}

/* As if it had died after the mark was made and before the answer was kept. */
static void lose_answer(coord_world *w)
{
    tacit_error err = {0};
    tc_record r = read_answer(w);
    tc_change c = {.what = TC_REPLACE, .record = r};
    c.record.size = 40;
    assert_ok(tc_store_change(w->store, &c, 1, NULL, &err));
    free_record(&r);
}

static void a_first_attempt_without_an_answer_is_told(void **state)
{
    coord_world *w = *state;
    tc_response r;
    uint64_t before = count(w, TC_RECORD_TOKEN);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &r), 201);
    tc_response_fini(&r);
    lose_answer(w);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &r), 409);
    assert_sentence(&r, "is under way, or ended without an answer");
    assert_int_equal(count(w, TC_RECORD_TOKEN), before + 1);
}

/* Enrolment gives the same place again: it is simply asked again. */
static void handlers_that_may_be_asked_twice_are(void **state)
{
    coord_world *w = *state;
    char token[64];
    tc_response a, b;
    citizen c = w->agents[0];
    world_join_token(w, 3, token);
    tacit_hash h = tc_hash_bytes(token, strlen(token));
    tc_signed what = {
        .purpose = TC_SIGN_ENROL, .study = w->hash, .body = h.bytes, .n_body = sizeof h.bytes};
    tc_signature proof;
    tc_text body = {0};
    tc_sign(&c.secret, &what, &proof);
    tc_text_add(&body, "{\"key\": \"");
    tc_base64_add(&body, c.key.bytes, sizeof c.key.bytes);
    tc_text_add(&body, "\", \"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"}");
    assert_int_equal(ask(w, "/v1/studies/s/agents", token, "k", tc_text_get(&body), &a), 200);
    lose_answer(w);
    assert_int_equal(ask(w, "/v1/studies/s/agents", token, "k", tc_text_get(&body), &b), 200);
    assert_false(b.replayed);
    tc_response_fini(&a);
    assert_int_equal(ask(w, "/v1/studies/s/agents", token, "k", tc_text_get(&body), &a), 200);
    assert_true(a.replayed); /* and now there is an answer */
    assert_string_equal(tc_text_get(&a.body), tc_text_get(&b.body));
    tc_response_fini(&a);
    tc_response_fini(&b);
    tc_text_fini(&body);
}

/* ---- what the store knows ---- */

static void the_store_cannot_read_an_answer(void **state)
{
    coord_world *w = *state;
    tc_response r;
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &r), 201);
    tc_record kept = read_answer(w);
    json_t *j = json_loads(tc_text_get(&r.body), 0, NULL);
    const char *token = world_text(j, "token");
    assert_true(kept.size > r.body.len);
    assert_null(memmem(kept.value, kept.size, token, strlen(token)));
    assert_null(memmem(kept.value, kept.size, "viewer", 6));
    json_decref(j);
    free_record(&kept);
    tc_response_fini(&r);
}

static void a_damaged_answer_is_an_error(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tc_response r;
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &r), 201);
    tc_response_fini(&r);
    tc_record kept = read_answer(w);
    ((uint8_t *)kept.value)[kept.size - 1] ^= 1;
    tc_change c = {.what = TC_REPLACE, .record = kept};
    assert_ok(tc_store_change(w->store, &c, 1, NULL, &err));
    free_record(&kept);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &r), 500);
    tc_response_fini(&r);
}

static void answers_go_after_a_day(void **state)
{
    coord_world *w = *state;
    tc_response r;
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "old", VIEWER, &r), 201);
    tc_response_fini(&r);
    world_tick(w);
    w->now_ms += 12 * 3600 * 1000;
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "new", VIEWER, &r), 201);
    tc_response_fini(&r);
    w->now_ms += 12 * 3600 * 1000;
    world_tick(w); /* a day, and not more */
    assert_int_equal(count(w, TC_RECORD_ANSWER), 6);
    w->now_ms += 60 * 1000;
    world_tick(w);
    assert_int_equal(count(w, TC_RECORD_ANSWER), 3);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "new", VIEWER, &r), 201);
    assert_true(r.replayed);
    tc_response_fini(&r);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "old", VIEWER, &r), 201);
    assert_false(r.replayed);
    tc_response_fini(&r);
}

/* More than are swept at once. */
static void all_that_is_old_goes(void **state)
{
    coord_world *w = *state;
    for (int i = 0; i < 300; i++) {
        char key[16];
        tc_response r;
        snprintf(key, sizeof key, "k%d", i);
        assert_int_equal(ask(w, "/v1/tokens", w->operator_token, key, VIEWER, &r), 201);
        tc_response_fini(&r);
    }
    assert_int_equal(count(w, TC_RECORD_ANSWER), 900);
    w->now_ms += 24 * 3600 * 1000 + 1;
    world_tick(w);
    assert_int_equal(count(w, TC_RECORD_ANSWER), 0);
}

static void a_token_has_so_many_keys_a_day(void **state)
{
    coord_world *w = *state;
    tc_response r;
    for (int i = 0; i < 1000; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        assert_int_equal(ask(w, "/v1/tokens", w->operator_token, key, VIEWER, &r), 201);
        tc_response_fini(&r);
    }
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "one more", VIEWER, &r), 429);
    assert_sentence(&r, "this token has used 1000 values of Idempotency-Key within a day");
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k7", VIEWER, &r), 201);
    assert_true(r.replayed);
    tc_response_fini(&r);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, NULL, VIEWER, &r), 201);
    tc_response_fini(&r);
    w->now_ms += 24 * 3600 * 1000 + 1;
    world_tick(w);
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "one more", VIEWER, &r), 201);
    tc_response_fini(&r);
}

/* ---- a join token that many share ---- */

/* The status of an enrolment under an Idempotency-Key. */
static int enrol_under(coord_world *w, const citizen *c, const char *token, const char *key)
{
    tc_text body = {0};
    tc_response r;
    tc_signature proof;
    tacit_hash h = tc_hash_bytes(token, strlen(token));
    tc_signed what = {
        .purpose = TC_SIGN_ENROL, .study = w->hash, .body = h.bytes, .n_body = sizeof h.bytes};
    tc_sign(&c->secret, &what, &proof);
    tc_text_add(&body, "{\"key\": \"");
    tc_base64_add(&body, c->key.bytes, sizeof c->key.bytes);
    tc_text_add(&body, "\", \"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"}");
    int status = ask(w, "/v1/studies/s/agents", token, key, tc_text_get(&body), &r);
    if (status == 429)
        assert_null(strstr(tc_text_get(&r.body), "locked"));
    tc_response_fini(&r);
    tc_text_fini(&body);
    return status;
}

static void nobody_uses_up_the_keys_of_others(void **state)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000000};
    tc_store *store;
    char token[64], key[16];
    citizen greedy, other;
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    world_create(&w, "s", study_document);
    world_join_token(&w, 3, token);
    world_keys(&greedy, 1);
    world_keys(&other, 2);
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_int_equal(enrol_under(&w, &greedy, token, key), i == 0 ? 201 : 200);
    }
    assert_int_equal(enrol_under(&w, &greedy, token, "one more"), 429);
    assert_int_equal(enrol_under(&w, &other, token, "mine"), 201);
    assert_int_equal(enrol_under(&w, &other, token, "mine"), 201);
    w.now_ms += 24 * 3600 * 1000 + 1;
    world_tick(&w);
    assert_int_equal(count(&w, TC_RECORD_ANSWER), 0);
    world_close(&w);
}

/* A file with an enrolment lies about, and is carried again when its answer was forgotten. */
static void an_old_enrolment_ends_no_access(void **state)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000000};
    citizen *c = &w.agents[0];
    tc_store *store;
    char token[64];
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    world_create(&w, "s", study_document);
    world_join_token(&w, 3, token);
    world_keys(c, 1);
    assert_int_equal(enrol_under(&w, c, token, "carried"), 201);
    w.now_ms += 24 * 3600 * 1000 + 1;
    world_tick(&w);
    assert_int_equal(enrol_under(&w, c, token, "carried"), 200); /* nobody has heard the first */
    assert_int_equal(world_enrol(&w, c, token), 200);            /* this one is heard, */
    assert_int_equal(study_post(&w, 0, 0, NULL), 202);           /* and used */
    w.now_ms += 24 * 3600 * 1000 + 1;
    world_tick(&w);
    assert_int_equal(enrol_under(&w, c, token, "carried"), 409);
    assert_int_equal(world_call(&w, "GET", "/v1/studies/s", c->access, NULL, NULL), 200);
    assert_int_equal(world_enrol(&w, c, token), 200); /* over a connection it has just been asked */
    world_close(&w);
}

/* Each agent counts from one, and two of them share a join token. */
static void agents_of_one_token_may_use_the_same_key(void **state)
{
    tacit_error err = {0};
    coord_world w = {.now_ms = 1000000};
    tc_store *store;
    char token[64];
    citizen one, other;
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&w, store, 7);
    world_create(&w, "s", study_document);
    world_join_token(&w, 3, token);
    world_keys(&one, 1);
    world_keys(&other, 2);
    assert_int_equal(enrol_under(&w, &one, token, "1"), 201);
    assert_int_equal(enrol_under(&w, &other, token, "1"), 201);
    assert_int_equal(enrol_under(&w, &one, token, "1"), 201); /* its own answer again */
    assert_int_equal(enrol_under(&w, &one, token, "2"), 200);
    assert_int_equal(count(&w, TC_RECORD_ANSWER), 9);
    world_close(&w);
}

/* A clock that was far ahead, and was put right, does not keep old answers. */
static void a_clock_may_be_set_back(void **state)
{
    coord_world *w = *state;
    tc_response r;
    const int64_t day = 24 * 3600 * 1000;
    w->now_ms += 30 * day;
    world_tick(w);
    w->now_ms -= 30 * day;
    assert_int_equal(ask(w, "/v1/tokens", w->operator_token, "k", VIEWER, &r), 201);
    tc_response_fini(&r);
    assert_true(count(w, TC_RECORD_ANSWER) > 0);
    w->now_ms += day + 1;
    world_tick(w);
    assert_int_equal(count(w, TC_RECORD_ANSWER), 0);
}

/* ---- of which study ---- */

static void an_answer_goes_with_its_study(void **state)
{
    coord_world *w = *state;
    tc_response r;
    const char *path = "/v1/studies/s/tokens", *op = w->operator_token;
    assert_int_equal(ask(w, path, op, "k", "{}", &r), 201);
    tc_response_fini(&r);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", op, NULL, NULL), 200);
    assert_int_equal(ask(w, path, op, "k", "{}", &r), 404);
    assert_sentence(&r, "there is no study");
    w->now_ms++;
    world_create(w, "s", study_document);
    assert_int_equal(ask(w, path, op, "k", "{}", &r), 422); /* another study of the same name */
    assert_sentence(&r, "was used for another request");
    assert_int_equal(ask(w, path, op, "k2", "{}", &r), 201);
    tc_response_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(the_same_again_is_the_same_answer),
        IN_WORLD(another_request_under_the_key_is_refused),
        IN_WORLD(a_key_belongs_to_its_token),
        IN_WORLD(keys_are_short_and_printable),
        IN_WORLD(a_key_is_for_who_has_a_token),
        IN_WORLD(refusals_are_not_kept),
        IN_WORLD(a_first_attempt_without_an_answer_is_told),
        IN_WORLD(handlers_that_may_be_asked_twice_are),
        IN_WORLD(the_store_cannot_read_an_answer),
        IN_WORLD(a_damaged_answer_is_an_error),
        IN_WORLD(answers_go_after_a_day),
        IN_WORLD(all_that_is_old_goes),
        IN_WORLD(a_token_has_so_many_keys_a_day),
        cmocka_unit_test(nobody_uses_up_the_keys_of_others),
        cmocka_unit_test(agents_of_one_token_may_use_the_same_key),
        cmocka_unit_test(an_old_enrolment_ends_no_access),
        IN_WORLD(a_clock_may_be_set_back),
        IN_WORLD(an_answer_goes_with_its_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
