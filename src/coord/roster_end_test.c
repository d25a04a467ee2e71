/* roster_end_test.c - agents that withdraw, agents that come back, and keys that are changed twice: what was sent counts once,
 * what was taken back not at all. */
#include "support/coord_study.h"
#include "support/store_folder.h"

#include <string.h>

static uint64_t count(coord_world *w, tc_record_kind kind)
{
    tacit_error err = {0};
    uint64_t n;
    tc_record_range all = {.study = 1, .kind = kind};
    assert_ok(tc_store_record_count(w->store, &all, &n, &err));
    return n;
}

static int privacy_of(coord_world *w, const char *token)
{
    return world_call(w, "GET", "/v1/studies/s/privacy", token, NULL, NULL);
}

static int operate(coord_world *w, const char *doing, int agent, const char *body, json_t **answer)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/s/agents/%d:%s", agent, doing);
    return world_call(w, "POST", path, w->operator_token, body, answer);
}

/* ---- a study whose messages have something in them: two rewards in 2^-20 */

static int open_rewards(coord_world *w, const char *where)
{
    tacit_error err = {0};
    tc_store *store;
    *w = (coord_world){.now_ms = 1000000};
    assert_ok(tc_store_open(&store, where, true, &err));
    world_open(w, store, 7);
    world_create(w, "s",
                 "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 2000, \"seed\": 7,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"dp-pf-pne\", \"protect\": \"record\"},"
                 " \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
                 " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}");
    world_enrol_all(w, STUDY_AGENTS);
    return 0;
}

static int send_rewards(coord_world *w, uint64_t agent, int64_t reward, json_t **answer)
{
    citizen *c = &w->agents[agent];
    const int64_t rewards[2] = {reward, reward + 7};
    return world_post_bytes(w, c, 0, ++c->sequence, rewards, sizeof rewards, answer);
}

/* `as` signs. */
static int withdraw_as(coord_world *w, const citizen *c, const citizen *as, uint64_t number,
                       json_t **answer)
{
    char path[64];
    tc_text body = {0};
    tc_signature proof;
    tc_signed what = {.purpose = TC_SIGN_WITHDRAW,
                      .study = w->hash,
                      .body = c->key.bytes,
                      .n_body = sizeof c->key.bytes};
    tc_sign(&as->secret, &what, &proof);
    tc_text_add(&body, "{\"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"}");
    snprintf(path, sizeof path, "/v1/studies/s/agents/%d:withdraw", (int)number);
    int status = world_call(w, "POST", path, c->access, tc_text_get(&body), answer);
    tc_text_fini(&body);
    return status;
}

static int withdraw(coord_world *w, uint64_t agent, json_t **answer)
{
    return withdraw_as(w, &w->agents[agent], &w->agents[agent], agent, answer);
}

static void take_release(coord_world *w, uint64_t agent, uint64_t round, tc_text *out)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    assert_int_equal(world_broadcast(w, w->agents[agent].access, round, &bytes, &n), 200);
    tc_text_add_bytes(out, bytes, n);
    tc_free(bytes);
}

/* ---- withdrawing ---- */

static void nobody_waits_for_who_has_withdrawn(void **state)
{
    coord_world *w = *state;
    json_t *a;
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    assert_int_equal(study_post(w, 2, 0, NULL), 202);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 0, NULL, NULL), 202);
    assert_int_equal(withdraw(w, 0, &a), 200);
    assert_true(json_is_true(json_object_get(a, "withdrawn")));
    json_decref(a);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 0, NULL, NULL), 200);
    /* It is shut out, and says why. */
    assert_int_equal(privacy_of(w, w->agents[0].access), 401);
    assert_int_equal(study_post(w, 0, 0, NULL), 401);
    assert_int_equal(withdraw(w, 0, NULL), 200); /* the answer was lost */
    w->now_ms += 3600 * 1000;
    assert_int_equal(withdraw(w, 0, NULL), 401);
    char token[64];
    world_join_token(w, 1, token);
    citizen *c = &w->agents[0];
    assert_int_equal(world_enrol(w, c, token), 403);
    /* The roster shows it, and the place stays taken. */
    assert_int_equal(world_call(w, "GET", "/v1/studies/s/agents", w->operator_token, NULL, &a),
                     200);
    const json_t *one = json_array_get(json_object_get(a, "agents"), 0);
    assert_true(json_is_true(json_object_get(one, "withdrawn")));
    assert_true(json_is_true(json_object_get(one, "revoked")));
    json_decref(a);
    assert_int_equal(operate(w, "revoke", 0, NULL, NULL), 200); /* nothing more */
}

/* The sum is what it would have been without the message: noise of a test comes from the round alone. */
static void a_message_is_taken_back_from_the_open_round(void **state)
{
    tc_text with = {0}, without = {0}, all = {0};
    (void)state;
    for (int way = 0; way < 3; way++) {
        coord_world w;
        open_rewards(&w, "memory:");
        if (way != 1)
            assert_int_equal(send_rewards(&w, 0, 500000, NULL), 202);
        if (way == 0)
            assert_int_equal(withdraw(&w, 0, NULL), 200);
        assert_int_equal(send_rewards(&w, 1, 400000, NULL), 202);
        assert_int_equal(send_rewards(&w, 2, 300000, NULL), 202);
        if (way == 1)
            assert_int_equal(operate(&w, "revoke", 0, NULL, NULL), 200);
        world_tick(&w);
        take_release(&w, 1, 0, way == 0 ? &with : way == 1 ? &without : &all);
        if (way == 0)
            assert_int_equal(count(&w, TC_RECORD_RECEIPT), 3); /* that it had answered stays */
        world_close(&w);
    }
    assert_int_equal(with.len, without.len);
    assert_memory_equal(with.data, without.data, with.len);
    assert_true(with.len != all.len || memcmp(with.data, all.data, all.len) != 0);
    tc_text_fini(&with);
    tc_text_fini(&without);
    tc_text_fini(&all);
}

static void what_was_released_stays(void **state)
{
    coord_world *w = *state;
    tc_text before = {0}, after = {0};
    json_t *a;
    for (uint64_t i = 0; i < STUDY_AGENTS; i++)
        assert_int_equal(study_post(w, i, 0, NULL), 202);
    world_tick(w);
    take_release(w, 1, 0, &before);
    assert_int_equal(withdraw(w, 0, NULL), 200);
    world_tick(w);
    take_release(w, 1, 0, &after);
    assert_memory_equal(before.data, after.data, before.len);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s/privacy", w->operator_token, NULL, &a),
                     200);
    assert_int_equal(json_array_size(json_object_get(a, "entries")), 1);
    json_decref(a);
    tc_text_fini(&before);
    tc_text_fini(&after);
    /* The others go on. */
    assert_int_equal(study_post(w, 1, 1, NULL), 202);
    assert_int_equal(study_post(w, 2, 1, NULL), 202);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 1, NULL, NULL), 200);
}

static void an_agent_withdraws_itself_only(void **state)
{
    coord_world *w = *state;
    json_t *a;
    assert_int_equal(withdraw_as(w, &w->agents[0], &w->agents[0], 1, &a), 403);
    assert_detail(a, "an agent can withdraw itself only");
    assert_int_equal(withdraw_as(w, &w->agents[0], &w->agents[1], 0, &a), 403);
    assert_detail(a, "proof is not a signature of the agent's key with itself");
    assert_int_equal(operate(w, "withdraw", 0, "{\"proof\": \"AAAA\"}", NULL), 403);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
}

static bool is_in_file(const char *end, const void *what, size_t n)
{
    static char bytes[1 << 22];
    char name[160];
    snprintf(name, sizeof name, "%s%s", file, end);
    FILE *f = fopen(name, "rb");
    if (!f)
        return false;
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(size < sizeof bytes);
    return memmem(bytes, size, what, n) != NULL;
}

static void what_was_taken_back_is_in_no_file(void **state)
{
    const int64_t secret[2] = {123456, 123463};
    coord_world w;
    (void)state;
    open_rewards(&w, url);
    assert_int_equal(send_rewards(&w, 0, secret[0], NULL), 202);
    assert_true(is_in_file("", secret, sizeof secret) || is_in_file("-wal", secret, sizeof secret));
    assert_int_equal(withdraw(&w, 0, NULL), 200);
    assert_false(is_in_file("", secret, sizeof secret));
    assert_false(is_in_file("-wal", secret, sizeof secret));
    world_close(&w);
}

/* ---- coming back ---- */

static void place_token(coord_world *w, int agent, char out[64])
{
    json_t *a;
    assert_int_equal(operate(w, "readmit", agent, "{}", &a), 201);
    assert_string_equal(world_text(a, "role"), "joiner");
    snprintf(out, 64, "%s", world_text(a, "token"));
    json_decref(a);
}

/* What a study says of the token that asks; "": a new key gets a place with it. */
static void check_no_place(coord_world *w, const char *token, const char *why)
{
    json_t *a;
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", token, NULL, &a), 200);
    const char *said = json_string_value(json_object_get(a, "no_place"));
    assert_string_equal(said ? said : "", why);
    json_decref(a);
}

/* Who has no storage yet makes one only if there is a place for it. */
static void a_token_says_whether_there_is_a_place(void **state)
{
    coord_world *w = *state;
    char first[64], last[64], other[64];
    world_join_token(w, 1, other);
    check_no_place(w, other, "the roster of 3 agents is full");
    check_no_place(w, w->operator_token, "");
    check_no_place(w, w->agents[1].access, "");
    assert_int_equal(operate(w, "revoke", 0, NULL, NULL), 200);
    check_no_place(w, other, "the roster of 3 agents is full");
    place_token(w, 0, first);
    place_token(w, 0, last);
    check_no_place(
        w, first, "the token is not the last one of place 0, or its agent was revoked again since");
    check_no_place(w, last, "");
}

/* Another machine, another key, and other data. */
static void lose_key(coord_world *w)
{
    citizen lost = w->agents[0];
    char token[64];
    json_t *a;
    assert_int_equal(operate(w, "revoke", 0, NULL, NULL), 200);
    place_token(w, 0, token);
    world_keys(&w->agents[0], 77);
    w->agents[0].sequence = 0;
    assert_int_equal(world_enrol(w, &w->agents[0], token), 200);
    assert_int_equal(w->agents[0].number, 0);
    assert_int_equal(world_enrol(w, &lost, token), 403);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(send_rewards(w, 0, 100000 + i, &a), 200);
        assert_true(json_is_true(json_object_get(a, "again")));
        json_decref(a);
    }
    assert_int_equal(count(w, TC_RECORD_MESSAGE), 1);
    assert_int_equal(count(w, TC_RECORD_EVIDENCE), 0);
}

static void a_party_that_lost_its_key_counts_once(void **state)
{
    tc_text once = {0}, again = {0};
    (void)state;
    for (int way = 0; way < 2; way++) {
        coord_world w;
        open_rewards(&w, "memory:");
        assert_int_equal(send_rewards(&w, 0, 500000, NULL), 202);
        if (way == 1)
            lose_key(&w);
        assert_int_equal(send_rewards(&w, 1, 400000, NULL), 202);
        assert_int_equal(send_rewards(&w, 2, 300000, NULL), 202);
        world_tick(&w);
        take_release(&w, 1, 0, way == 0 ? &once : &again);
        world_close(&w);
    }
    assert_int_equal(once.len, again.len);
    assert_memory_equal(once.data, again.data, once.len);
    tc_text_fini(&once);
    tc_text_fini(&again);
}

/* In rounds after that it is an agent as others are, and two messages are two. */
static void with_another_key_it_speaks_once_a_round(void **state)
{
    coord_world *w = *state;
    char token[64];
    json_t *a;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(operate(w, "revoke", 0, NULL, NULL), 200);
    place_token(w, 0, token);
    world_keys(&w->agents[0], 77);
    assert_int_equal(world_enrol(w, &w->agents[0], token), 200);
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    assert_int_equal(study_post(w, 2, 0, NULL), 202);
    world_tick(w);
    assert_int_equal(study_post(w, 0, 1, NULL), 202);
    assert_int_equal(study_post(w, 0, 1, &a), 409);
    assert_detail(a, "another message for round 1 was sent before; that there were two is kept");
    assert_int_equal(count(w, TC_RECORD_EVIDENCE), 1);
}

static void it_is_waited_for_again(void **state)
{
    coord_world *w = *state;
    char token[64];
    assert_int_equal(operate(w, "revoke", 0, NULL, NULL), 200);
    place_token(w, 0, token);
    assert_int_equal(world_enrol(w, &w->agents[0], token),
                     200); /* with its key, which it still has */
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    assert_int_equal(study_post(w, 2, 0, NULL), 202);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 0, NULL, NULL), 202);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 0, NULL, NULL), 200);
}

/* Its message was taken back; the round that it was for is answered all the same. */
static void who_withdrew_and_came_back_does_not_speak_twice(void **state)
{
    coord_world *w = *state;
    char token[64];
    json_t *a;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(withdraw(w, 0, NULL), 200);
    place_token(w, 0, token);
    world_keys(&w->agents[0], 78);
    assert_int_equal(world_enrol(w, &w->agents[0], token), 200);
    assert_int_equal(study_post(w, 0, 0, &a), 200);
    assert_true(json_is_true(json_object_get(a, "again")));
    json_decref(a);
    assert_int_equal(count(w, TC_RECORD_MESSAGE), 0);
    /* And no round waits for what will not come. */
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    assert_int_equal(study_post(w, 2, 0, NULL), 202);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[1].access, 0, NULL, NULL), 200);
}

/* Of several tokens of a place the last one counts, and none that was made before the agent's end. */
static void a_place_token_of_before_is_worth_nothing(void **state)
{
    coord_world *w = *state;
    char first[64], last[64], body[96];
    citizen other = w->agents[0];
    json_t *a;
    world_keys(&other, 91);
    assert_int_equal(operate(w, "revoke", 0, NULL, NULL), 200);
    place_token(w, 0, first);
    place_token(w, 0, last);
    snprintf(body, sizeof body, "{\"token\": \"%s\"}", last);
    assert_int_equal(world_call(w, "POST", "/v1/tokens:replace", w->operator_token, body, &a), 400);
    assert_detail(a, "a token of one agent's place is not replaced: tacit remote readmit makes "
                     "another one, and ends this one");
    assert_int_equal(world_enrol(w, &other, first), 401);
    assert_int_equal(world_enrol(w, &w->agents[0], last), 200);
    assert_int_equal(operate(w, "revoke", 0, NULL, NULL), 200);
    assert_int_equal(world_enrol(w, &other, first), 401);
    place_token(w, 0, last);
    assert_int_equal(world_enrol(w, &w->agents[0], last), 200);
}

static void a_place_token_is_for_one_place(void **state)
{
    coord_world *w = *state;
    citizen stranger = {.sequence = 0};
    char token[64];
    json_t *a;
    assert_int_equal(operate(w, "readmit", 0, "{}", &a), 409);
    assert_detail(a, "agent 0 has its place: it must be revoked first");
    assert_int_equal(operate(w, "readmit", 7, "{}", NULL), 404);
    assert_int_equal(operate(w, "revoke", 0, NULL, NULL), 200);
    place_token(w, 0, token);
    assert_int_equal(world_enrol(w, &w->agents[1], token), 409); /* it has a place */
    assert_int_equal(privacy_of(w, w->agents[1].access), 200);
    world_keys(&stranger, 79);
    assert_int_equal(world_enrol(w, &stranger, token), 200);
    assert_int_equal(world_enrol(w, &stranger, token), 200); /* the answer was lost */
    world_keys(&stranger, 80);
    assert_int_equal(world_enrol(w, &stranger, token), 409); /* the place is taken again */
}

/* ---- another key, and the answer is lost ---- */

static int rotate(coord_world *w, const citizen *old, const citizen *fresh, json_t **answer)
{
    tc_text body = {0};
    tc_signature proof, possession;
    tc_signed what = {.purpose = TC_SIGN_ROTATE,
                      .study = w->hash,
                      .body = fresh->key.bytes,
                      .n_body = sizeof fresh->key.bytes};
    tc_sign(&old->secret, &what, &proof);
    tc_sign(&fresh->secret, &what, &possession);
    tc_text_add(&body, "{\"sequence\": 0, \"key\": \"");
    tc_base64_add(&body, fresh->key.bytes, sizeof fresh->key.bytes);
    tc_text_add(&body, "\", \"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\", \"possession\": \"");
    tc_base64_add(&body, possession.bytes, sizeof possession.bytes);
    tc_text_add(&body, "\"}");
    int status = world_call(w, "POST", "/v1/studies/s/agents/0:rotate", old->access,
                            tc_text_get(&body), answer);
    tc_text_fini(&body);
    return status;
}

static void a_lost_answer_is_asked_for_again(void **state)
{
    coord_world *w = *state;
    citizen old = w->agents[0], fresh = old, other = old;
    json_t *a;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    world_keys(&fresh, 81);
    world_keys(&other, 82);
    tc_listener hears = {.token = tc_hash_bytes(old.access, strlen(old.access))};
    tc_coord_events_check(w->coord, &hears);
    assert_false(hears.ended);
    assert_int_equal(rotate(w, &old, &fresh, NULL), 200);
    tc_coord_events_check(w->coord, &hears);
    assert_true(hears.ended);
    /* The token of before is good for that alone, and for nobody without the new key. */
    assert_int_equal(privacy_of(w, old.access), 401);
    assert_int_equal(rotate(w, &old, &other, NULL), 403);
    assert_int_equal(rotate(w, &old, &fresh, &a), 200);
    snprintf(fresh.access, sizeof fresh.access, "%s", world_text(a, "access"));
    json_decref(a);
    assert_int_equal(privacy_of(w, fresh.access), 200);
    w->now_ms += 3600 * 1000;
    assert_int_equal(rotate(w, &old, &fresh, NULL), 401);
    /* What was sent with the key of before is the same message still. */
    tc_text m = study_message(w, 0, 0);
    assert_int_equal(world_post_bytes(w, &fresh, 0, 1, tc_text_get(&m), m.len, NULL), 200);
    tc_text_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(nobody_waits_for_who_has_withdrawn),
        cmocka_unit_test(a_message_is_taken_back_from_the_open_round),
        IN_WORLD(what_was_released_stays),
        IN_WORLD(an_agent_withdraws_itself_only),
        IN_FOLDER(what_was_taken_back_is_in_no_file),
        cmocka_unit_test(a_party_that_lost_its_key_counts_once),
        IN_WORLD(with_another_key_it_speaks_once_a_round),
        IN_WORLD(it_is_waited_for_again),
        IN_WORLD(who_withdrew_and_came_back_does_not_speak_twice),
        IN_WORLD(a_place_token_of_before_is_worth_nothing),
        IN_WORLD(a_place_token_is_for_one_place),
        IN_WORLD(a_token_says_whether_there_is_a_place),
        IN_WORLD(a_lost_answer_is_asked_for_again),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
