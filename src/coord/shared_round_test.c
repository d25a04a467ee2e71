/* shared_round_test.c - rounds whose messages trustees add up: what they open to, and what happens where somebody is late, absent
 * or lies. */
#include "support/shared_world.h"

static const tc_trustees three = {3, 2, 1, 3}, four = {4, 2, 1, 3}, five = {5, 3, 1, 4},
                         six = {6, 3, 1, 4};
enum { ALL_AGENTS = 7 };

static void begin(trust_world *t, tc_trustees terms)
{
    trust_begin(t, trust_memory(), terms, 60);
    trust_enrol_all(t);
}

static void send_all(trust_world *t, uint64_t round)
{
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(trust_send(t, round, i, NULL), 202);
}

/* Trustees first..last-1 deal. */
static void deal(trust_world *t, uint64_t round, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k < last; k++)
        assert_int_equal(trust_deal_noise(t, k, round, NULL), 202);
}

static void answer(trust_world *t, uint64_t round, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k < last; k++)
        assert_int_equal(trust_do_answer(t, k, round, NULL), 202);
}

static int broadcast(trust_world *t, uint64_t round, json_t **a)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/s/rounds/%" PRIu64 "/broadcast", round);
    return world_call(&t->w, "GET", path, t->w.agents[0].access, NULL, a);
}

static void assert_void(trust_world *t, uint64_t round, const char *why)
{
    json_t *a;
    assert_int_equal(broadcast(t, round, &a), 410);
    assert_detail(a, why);
    trust_assert_swept(t);
}

/* "waits_for" of the round that the study shows. */
static void assert_waits_for(trust_world *t, const char *what)
{
    json_t *a;
    assert_int_equal(world_call(&t->w, "GET", "/v1/studies/s", t->w.operator_token, NULL, &a), 200);
    assert_string_equal(world_text(json_object_get(a, "round"), "waits_for"), what);
    json_decref(a);
}

/* ---- whole rounds ---- */

static void a_round_opens_to_the_sum_and_the_noise_of_r_dealers(void **state)
{
    const tc_trustees terms[] = {three, four, five, six};
    trust_world t;
    (void)state;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        const uint32_t K = terms[i].count, dealers = (UINT32_C(1) << terms[i].dealers) - 1;
        begin(&t, terms[i]);
        for (uint64_t round = 0; round < 2; round++) {
            deal(&t, round, 0, 0);
            send_all(&t, round);
            deal(&t, round, 0, K);
            trust_tick(&t);
            answer(&t, round, 0, K);
            assert_int_equal(broadcast(&t, round, NULL), 202);
            trust_tick(&t);
            trust_assert_released(&t, round, ALL_AGENTS, dealers);
            trust_assert_swept(&t);
        }
        for (uint32_t k = 0; k < K; k++) {
            assert_int_equal(trust_listed(&t, k, "answered"), 2);
            assert_int_equal(trust_listed(&t, k, "wrong"), 0);
        }
        trust_end(&t);
    }
}

/* Whoever is absent: the noise is that of exactly r dealers, and the sum is the same. */
static void an_agent_that_declines_or_is_late_adds_nothing(void **state)
{
    trust_world t;
    uint8_t zeros[64] = {0};
    (void)state;
    begin(&t, four);
    assert_int_equal(trust_send(&t, 0, 1, NULL), 202);
    assert_int_equal(
        world_post_field(&t.w, &t.w.agents[2], 0, 1, "decline", zeros, sizeof zeros, NULL), 202);
    deal(&t, 0, 1, 4); /* and not the first */
    trust_tick(&t);
    assert_int_equal(trust_do_answer(&t, 0, 0, NULL), 409); /* the round is open yet */
    t.w.now_ms += 61000;
    trust_tick(&t);
    assert_int_equal(trust_send(&t, 0, 0, NULL), 410);
    answer(&t, 0, 0, 4);
    trust_tick(&t);
    trust_assert_released(&t, 0, 2, 14);
    trust_end(&t);
}

static void a_round_without_a_vector_is_void(void **state)
{
    trust_world t;
    uint8_t zeros[64] = {0};
    (void)state;
    begin(&t, four);
    for (int i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(
            world_post_field(&t.w, &t.w.agents[i], 0, 1, "decline", zeros, sizeof zeros, NULL),
            202);
    deal(&t, 0, 0, 4);
    trust_tick(&t);
    assert_void(&t, 0, "no agent sent a vector for round 0: there is nothing to add up");
    trust_end(&t);
}

/* ---- waiting ---- */

static void fewer_than_r_dealers_are_waited_for(void **state)
{
    trust_world t;
    json_t *a;
    (void)state;
    begin(&t, four);
    send_all(&t, 0);
    deal(&t, 0, 0, 2);
    t.w.now_ms += 100000000;
    trust_tick(&t);
    assert_int_equal(trust_count(&t, TC_RECORD_SET), 0);
    assert_waits_for(&t, "noise of trustees: 2 of 4 have dealt it, 3 are needed");
    assert_int_equal(broadcast(&t, 0, NULL), 202);
    deal(&t, 0, 3, 4);
    trust_tick(&t);
    assert_int_equal(trust_count(&t, TC_RECORD_SET), 1);
    assert_int_equal(trust_deal_noise(&t, 2, 0, &a), 410);
    assert_detail(a, "the set of round 0 is fixed: the noise is not needed any more");
    assert_waits_for(&t, "answers of trustees: 0 of 4 have answered, 3 open the sum");
    answer(&t, 0, 0, 4);
    trust_tick(&t);
    trust_assert_released(&t, 0, ALL_AGENTS, 11);
    trust_end(&t);
}

/* Up to K - t - 1 of them; then nothing is checked, and the round waits for them as long as a round may be open. */
static void absent_trustees_cost_time_and_nothing_else(void **state)
{
    trust_world t;
    (void)state;
    begin(&t, six); /* two may be absent */
    send_all(&t, 0);
    deal(&t, 0, 0, 4);
    trust_tick(&t);
    answer(&t, 0, 2, 6);
    t.w.now_ms += 59000;
    trust_tick(&t);
    assert_int_equal(broadcast(&t, 0, NULL), 202);
    t.w.now_ms += 1001;
    trust_tick(&t);
    trust_assert_released(&t, 0, ALL_AGENTS, 15);
    trust_end(&t);
}

static void one_absent_trustee_more_makes_a_round_void(void **state)
{
    trust_world t;
    (void)state;
    begin(&t, six);
    send_all(&t, 0);
    deal(&t, 0, 0, 4);
    trust_tick(&t);
    answer(&t, 0, 3, 6);
    t.w.now_ms += 119000;
    trust_tick(&t);
    assert_int_equal(broadcast(&t, 0, NULL), 202);
    t.w.now_ms += 1001;
    trust_tick(&t);
    assert_void(&t, 0, "6 trustees: 3 answered, 4 are needed");
    assert_int_equal(trust_do_answer(&t, 0, 0, NULL), 409); /* its shares are gone */
    send_all(&t, 1);                                        /* and the study goes on */
    deal(&t, 1, 0, 6);
    trust_tick(&t);
    answer(&t, 1, 0, 6);
    trust_tick(&t);
    trust_assert_released(&t, 1, ALL_AGENTS, 15);
    trust_end(&t);
}

static int refuse(trust_world *t, uint32_t place, uint64_t round, const char *why, json_t **a)
{
    return trust_post(t, place, round, "answers", "refusal", TC_SIGN_REFUSAL, why, strlen(why), a);
}

/* Who has refused is not waited for. */
static void a_refusal_counts_as_absence_and_is_shown(void **state)
{
    trust_world t;
    json_t *a;
    (void)state;
    begin(&t, four);
    send_all(&t, 0);
    assert_int_equal(refuse(&t, 0, 0, "box 1 does not open", &a), 409);
    assert_detail(a, "the set of round 0 is not fixed yet");
    deal(&t, 0, 0, 4);
    trust_tick(&t);
    assert_int_equal(refuse(&t, 0, 0, "box 1\\ndoes not open", &a), 400);
    assert_detail(a, "refusal must be one line of text, without control characters");
    assert_int_equal(refuse(&t, 0, 0, "box 1 does not open", NULL), 202);
    assert_int_equal(refuse(&t, 0, 0, "box 1 does not open", NULL), 200);
    assert_int_equal(trust_listed(&t, 0, "refused"), 1);
    assert_int_equal(trust_do_answer(&t, 0, 0, &a), 409);
    assert_detail(a, "trustee 0 has refused round 0");
    answer(&t, 0, 1, 4);
    trust_tick(&t);
    trust_assert_released(&t, 0, ALL_AGENTS, 7);
    send_all(&t, 1);
    deal(&t, 1, 0, 4);
    trust_tick(&t);
    assert_int_equal(refuse(&t, 1, 1, "the set has no agent", NULL), 202);
    assert_int_equal(refuse(&t, 2, 1, "the set has no agent", NULL), 202);
    trust_tick(&t); /* three would be needed, and two are left */
    assert_void(&t, 1, "4 trustees: 0 answered, 3 are needed");
    trust_end(&t);
}

static void a_study_that_is_closed_waits_for_no_dealers(void **state)
{
    trust_world t;
    (void)state;
    begin(&t, four);
    send_all(&t, 0);
    deal(&t, 0, 0, 2);
    trust_tick(&t);
    assert_int_equal(
        world_call(&t.w, "POST", "/v1/studies/s:close", t.w.operator_token, NULL, NULL), 200);
    trust_tick(&t);
    assert_void(&t, 0, "the study was closed before round 0 ended");
    trust_end(&t);
}

/* What is fixed is opened all the same: agents have paid for it. */
static void a_fixed_set_is_opened_though_the_study_is_closed(void **state)
{
    trust_world t;
    json_t *a;
    (void)state;
    begin(&t, four);
    send_all(&t, 0);
    deal(&t, 0, 0, 3);
    trust_tick(&t);
    assert_int_equal(
        world_call(&t.w, "POST", "/v1/studies/s:close", t.w.operator_token, NULL, NULL), 200);
    trust_tick(&t);
    answer(&t, 0, 0, 4);
    trust_tick(&t);
    trust_assert_released(&t, 0, ALL_AGENTS, 7);
    assert_int_equal(trust_get(&t, t.t[0].access, "/v1/studies/s/duty", NULL, &a), 200);
    assert_string_equal(world_text(a, "duty"), "end");
    json_decref(a);
    trust_end(&t);
}

/* ---- lies ---- */

/* Trustee `place` answers with one word changed. */
static void lie(trust_world *t, uint32_t place, uint64_t round)
{
    size_t n;
    uint8_t *bytes = trust_answer(t, place, round, &n);
    assert_non_null(bytes);
    bytes[TC_ANSWER_HEAD] ^= 1;
    assert_int_equal(trust_post_answer(t, place, round, bytes, n, NULL), 202);
    tc_free(bytes);
}

static void run_with_liar(trust_world *t, tc_trustees terms, uint32_t liar)
{
    begin(t, terms);
    send_all(t, 0);
    deal(t, 0, 0, terms.count);
    trust_tick(t);
    answer(t, 0, 0, liar);
    lie(t, liar, 0);
    answer(t, 0, liar + 1, terms.count);
    trust_tick(t);
}

static void a_liar_is_noticed_named_or_neither_by_how_many_there_are(void **state)
{
    trust_world t;
    size_t n, m;
    uint8_t *got, *want;
    (void)state;

    run_with_liar(&t, three, 1); /* t + 1 answers: nothing is checked */
    assert_int_equal(world_broadcast(&t.w, t.w.agents[0].access, 0, &got, &n), 200);
    want = trust_expected(&t, 0, ALL_AGENTS, 7, &m);
    assert_int_equal(n, m);
    assert_memory_not_equal(got, want, n);
    tc_free(got);
    tc_free(want);
    trust_end(&t);

    run_with_liar(&t, four, 1); /* noticed; nobody can be named */
    assert_void(&t, 0,
                "the answers for round 0 do not fit together: a trustee or an agent sent wrong "
                "shares");
    assert_int_equal(trust_listed(&t, 1, "wrong"), 0);
    trust_end(&t);

    run_with_liar(&t, six, 4); /* named, and left out */
    trust_assert_released(&t, 0, ALL_AGENTS, 15);
    for (uint32_t k = 0; k < 6; k++)
        assert_int_equal(trust_listed(&t, k, "wrong"), k == 4);
    trust_end(&t);
}

/* A vector beyond what the plan allows. */
static void a_sum_that_nobody_could_have_dealt_is_void(void **state)
{
    trust_world t;
    size_t n;
    (void)state;
    begin(&t, four);
    const tc_shared_plan p = trust_plan(&t, 0);
    int64_t *v = trust_numbers(p.width);
    v[3] = INT64_C(1) << 58;
    assert_int_equal(trust_send(&t, 0, 0, NULL), 202);
    assert_int_equal(trust_send(&t, 0, 1, NULL), 202);
    uint8_t *upload = trust_deal(&t, 0, TC_DEALER_AGENT, 2, v, &n);
    assert_int_equal(world_post_bytes(&t.w, &t.w.agents[2], 0, 1, upload, n, NULL), 202);
    tc_free(upload);
    deal(&t, 0, 0, 4);
    trust_tick(&t);
    answer(&t, 0, 0, 4);
    trust_tick(&t);
    json_t *a;
    assert_int_equal(broadcast(&t, 0, &a), 410);
    json_decref(a);
    trust_assert_swept(&t);
    trust_end(&t);
}

/* An agent that sends a dealing with the id of another's, as only one that works with the coordinator can. */
static void a_copied_id_is_left_out_of_the_set(void **state)
{
    trust_world t;
    size_t n, m;
    (void)state;
    begin(&t, four);
    uint8_t *first = trust_deal(&t, 0, TC_DEALER_AGENT, 0, trust_vector(&t, 0, 0), &n);
    uint8_t *copy = trust_deal(&t, 0, TC_DEALER_AGENT, 2, trust_vector(&t, 0, 2), &m);
    const size_t id = TC_DEALING_HEAD - TC_DEALING_ID;
    memcpy(copy + id, first + id, TC_DEALING_ID);
    assert_int_equal(world_post_bytes(&t.w, &t.w.agents[0], 0, 1, first, n, NULL), 202);
    assert_int_equal(trust_send(&t, 0, 1, NULL), 202);
    assert_int_equal(world_post_bytes(&t.w, &t.w.agents[2], 0, 1, copy, m, NULL), 202);
    tc_free(first);
    tc_free(copy);
    deal(&t, 0, 0, 4);
    trust_tick(&t);
    answer(&t, 0, 0, 4);
    trust_tick(&t);
    trust_assert_released(&t, 0, 3, 7);
    trust_end(&t);
}

/* ---- what is sent ---- */

static void an_upload_is_checked_by_its_form(void **state)
{
    trust_world t;
    json_t *a;
    size_t n;
    (void)state;
    begin(&t, four);
    uint8_t *of_1 = trust_deal(&t, 0, TC_DEALER_AGENT, 1, trust_vector(&t, 0, 1), &n);
    assert_int_equal(world_post_bytes(&t.w, &t.w.agents[0], 0, 1, of_1, n, &a), 400);
    json_decref(a);
    assert_int_equal(world_post_bytes(&t.w, &t.w.agents[1], 0, 1, of_1, n - 1, &a), 400);
    json_decref(a);
    assert_int_equal(world_post_bytes(&t.w, &t.w.agents[1], 0, 1, of_1, n, &a), 202);
    json_decref(a);
    assert_int_equal(trust_count(&t, TC_RECORD_MESSAGE), 1);
    tc_free(of_1);
    trust_end(&t);
}

static void noise_is_taken_once(void **state)
{
    trust_world t;
    json_t *a;
    size_t n;
    (void)state;
    begin(&t, four);
    assert_int_equal(trust_deal_noise(&t, 0, 0, &a), 409);
    assert_detail(a, "round 0 comes later");
    assert_int_equal(trust_send(&t, 0, 0, NULL), 202);
    assert_int_equal(trust_deal_noise(&t, 0, 0, NULL), 202);
    assert_int_equal(trust_deal_noise(&t, 0, 0, &a), 200);
    assert_true(json_is_true(json_object_get(a, "again")));
    json_decref(a);
    uint8_t *other = trust_deal(&t, 0, TC_DEALER_TRUSTEE, 0, trust_noise(&t, 0, 1), &n);
    assert_int_equal(trust_post(&t, 0, 0, "noise", "noise", TC_SIGN_NOISE, other, n, &a), 409);
    assert_detail(a, "other noise of trustee 0 for round 0 is there already");
    assert_int_equal(trust_post(&t, 1, 0, "noise", "noise", TC_SIGN_NOISE, other, n, &a), 400);
    json_decref(a);
    assert_int_equal(trust_post(&t, 0, 0, "noise", "noise", TC_SIGN_ANSWER, other, n, &a), 403);
    assert_detail(a, "the signature does not hold");
    assert_int_equal(trust_post(&t, 0, 99, "noise", "noise", TC_SIGN_NOISE, other, n, &a), 404);
    assert_detail(a, "the study has no round 99");
    assert_int_equal(trust_count(&t, TC_RECORD_NOISE), 1);
    tc_free(other);
    trust_end(&t);
}

static void two_answers_are_evidence(void **state)
{
    trust_world t;
    json_t *a;
    size_t n;
    (void)state;
    begin(&t, four);
    send_all(&t, 0);
    deal(&t, 0, 0, 3);
    trust_tick(&t);
    uint8_t *bytes = trust_answer(&t, 0, 0, &n);
    assert_int_equal(trust_post_answer(&t, 0, 0, bytes, n, NULL), 202);
    assert_int_equal(trust_post_answer(&t, 0, 0, bytes, n, NULL), 200);
    bytes[TC_ANSWER_HEAD] ^= 1;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(trust_post_answer(&t, 0, 0, bytes, n, &a), 409);
        assert_detail(a, "another answer of trustee 0 for round 0 is there already; that there "
                         "were two is kept");
    }
    assert_int_equal(trust_listed(&t, 0, "conflicts"), 1);
    assert_int_equal(trust_post_answer(&t, 1, 0, bytes, n, &a), 400); /* it is trustee 0's */
    json_decref(a);
    answer(&t, 0, 1, 4);
    trust_tick(&t);
    trust_assert_released(&t, 0, ALL_AGENTS, 7);
    bytes[TC_ANSWER_HEAD] ^= 1; /* the first one, after the round */
    assert_int_equal(trust_post_answer(&t, 0, 0, bytes, n, NULL), 200);
    tc_free(bytes);
    trust_end(&t);
}

/* For a set that the coordinator never fixed. */
static void an_answer_to_another_set_is_refused(void **state)
{
    trust_world t;
    json_t *a;
    size_t n;
    (void)state;
    begin(&t, four);
    send_all(&t, 0);
    deal(&t, 0, 0, 3);
    trust_tick(&t);
    uint8_t *bytes = trust_answer(&t, 0, 0, &n);
    bytes[20] ^= 1;
    assert_int_equal(trust_post_answer(&t, 0, 0, bytes, n, &a), 400);
    json_decref(a);
    assert_int_equal(trust_count(&t, TC_RECORD_SHARE_SUM), 0);
    tc_free(bytes);
    trust_end(&t);
}

/* ---- what a trustee hears ---- */

static void assert_duty(trust_world *t, uint32_t place, const char *duty, uint64_t round)
{
    json_t *a;
    int status = trust_get(t, t->t[place].access, "/v1/studies/s/duty", NULL, &a);
    assert_int_equal(status, duty ? 200 : 202);
    if (duty)
        assert_string_equal(world_text(a, "duty"), duty);
    assert_int_equal(json_integer_value(json_object_get(a, "round")), round);
    json_decref(a);
}

static void duties_come_in_order(void **state)
{
    trust_world t;
    (void)state;
    begin(&t, four);
    assert_duty(&t, 0, NULL, 0);
    assert_int_equal(trust_send(&t, 0, 0, NULL), 202);
    assert_duty(&t, 0, "deal", 0);
    deal(&t, 0, 0, 1);
    assert_duty(&t, 0, NULL, 0);
    assert_duty(&t, 1, "deal", 0);
    deal(&t, 0, 1, 3);
    assert_int_equal(trust_send(&t, 0, 1, NULL), 202);
    assert_int_equal(trust_send(&t, 0, 2, NULL), 202);
    trust_tick(&t);
    for (uint32_t k = 0; k < 4; k++)
        assert_duty(&t, k, "answer", 0);
    answer(&t, 0, 0, 1);
    assert_duty(&t, 0, NULL, 0);
    answer(&t, 0, 1, 4);
    trust_tick(&t);
    assert_duty(&t, 0, NULL, 0);
    assert_int_equal(trust_do_answer(&t, 0, 0, NULL), 409);
    trust_end(&t);
}

static void shares_are_for_trustees_alone(void **state)
{
    trust_world t;
    json_t *a;
    static const char path[] = "/v1/studies/s/rounds/0/shares";
    (void)state;
    begin(&t, four);
    send_all(&t, 0);
    assert_int_equal(trust_get(&t, t.t[0].access, path, NULL, NULL), 202);
    deal(&t, 0, 0, 3);
    trust_tick(&t);
    assert_int_equal(trust_get(&t, t.w.agents[0].access, path, NULL, &a), 403);
    assert_detail(a, "a token of the role agent does not allow this");
    assert_int_equal(trust_get(&t, t.w.operator_token, path, NULL, NULL), 403);
    assert_int_equal(trust_get(&t, t.t[0].access, path, "after=7", &a), 400);
    assert_detail(a, "after must be at most 6, the dealings of the set");
    assert_int_equal(trust_get(&t, t.t[0].access, path, "after=6", &a), 200);
    assert_string_equal(world_text(a, "boxes"), "");
    assert_null(json_object_get(a, "set"));
    json_decref(a);
    answer(&t, 0, 0, 4);
    trust_tick(&t);
    assert_int_equal(trust_get(&t, t.t[0].access, path, NULL, &a), 410);
    assert_detail(a, "round 0 is closed: its shares are gone");
    trust_end(&t);
}

static void end_access(trust_world *t, const char *what)
{
    char path[96];
    snprintf(path, sizeof path, "/v1/studies/s/%s:revoke", what);
    assert_int_equal(world_call(&t->w, "POST", path, t->w.operator_token, "{}", NULL), 200);
}

/* Its boxes may be why: the round that is open is not void for them. */
static void what_was_sent_by_who_is_ended_is_left_out(void **state)
{
    trust_world t;
    (void)state;
    begin(&t, five);
    assert_int_equal(trust_send(&t, 0, 0, NULL), 202);
    assert_int_equal(trust_send(&t, 0, 1, NULL), 202);
    deal(&t, 0, 0, 3);
    end_access(&t, "agents/1");
    end_access(&t, "trustees/0");
    assert_int_equal(trust_send(&t, 0, 2, NULL), 202);
    deal(&t, 0, 3, 4);
    trust_tick(&t);
    assert_waits_for(&t, "noise of trustees: 3 of 5 have dealt it, 4 are needed");
    deal(&t, 0, 4, 5);
    trust_tick(&t);
    answer(&t, 0, 1, 5);
    trust_tick(&t);
    trust_assert_released(&t, 0, 5, 30); /* agents 0 and 2, trustees 1 to 4 */
    trust_end(&t);
}

/* Where the others are not enough its noise is used: it dealt it when it was a trustee. */
static void noise_of_who_is_ended_is_used_where_it_is_needed(void **state)
{
    trust_world t;
    (void)state;
    begin(&t, (tc_trustees){.count = 4, .degree = 2, .colluding = 1, .dealers = 4});
    send_all(&t, 0);
    deal(&t, 0, 0, 1);
    end_access(&t, "trustees/0");
    deal(&t, 0, 1, 4);
    trust_tick(&t);
    answer(&t, 0, 1, 4);
    trust_tick(&t);
    trust_assert_released(&t, 0, ALL_AGENTS, 15);
    trust_end(&t);
}

static void a_revoked_trustee_is_absent(void **state)
{
    trust_world t;
    json_t *a;
    static const char revoke[] = "/v1/studies/s/trustees/%u:revoke";
    char path[64];
    (void)state;
    begin(&t, four);
    send_all(&t, 0);
    snprintf(path, sizeof path, revoke, 3U);
    assert_int_equal(world_call(&t.w, "POST", path, t.w.operator_token, NULL, NULL), 200);
    assert_int_equal(world_call(&t.w, "POST", path, t.w.operator_token, NULL, NULL), 200);
    assert_int_equal(trust_get(&t, t.t[3].access, "/v1/studies/s/duty", NULL, NULL), 401);
    assert_int_equal(trust_enrol_keys(&t, &t.t[3], t.rounds, &a), 403);
    assert_detail(a, "this trustee was revoked");
    deal(&t, 0, 0, 3);
    trust_tick(&t);
    answer(&t, 0, 0, 3);
    trust_tick(&t); /* nobody is waited for */
    trust_assert_released(&t, 0, ALL_AGENTS, 7);
    snprintf(path, sizeof path, revoke, 2U);
    assert_int_equal(world_call(&t.w, "POST", path, t.w.operator_token, NULL, NULL), 200);
    send_all(&t, 1);
    trust_tick(&t);
    assert_void(&t, 1, "4 trustees: 2 can deal noise, the others were revoked; 3 are needed");
    trust_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_opens_to_the_sum_and_the_noise_of_r_dealers),
        cmocka_unit_test(an_agent_that_declines_or_is_late_adds_nothing),
        cmocka_unit_test(a_round_without_a_vector_is_void),
        cmocka_unit_test(fewer_than_r_dealers_are_waited_for),
        cmocka_unit_test(absent_trustees_cost_time_and_nothing_else),
        cmocka_unit_test(one_absent_trustee_more_makes_a_round_void),
        cmocka_unit_test(a_refusal_counts_as_absence_and_is_shown),
        cmocka_unit_test(a_study_that_is_closed_waits_for_no_dealers),
        cmocka_unit_test(a_fixed_set_is_opened_though_the_study_is_closed),
        cmocka_unit_test(a_liar_is_noticed_named_or_neither_by_how_many_there_are),
        cmocka_unit_test(a_sum_that_nobody_could_have_dealt_is_void),
        cmocka_unit_test(a_copied_id_is_left_out_of_the_set),
        cmocka_unit_test(an_upload_is_checked_by_its_form),
        cmocka_unit_test(noise_is_taken_once),
        cmocka_unit_test(two_answers_are_evidence),
        cmocka_unit_test(an_answer_to_another_set_is_refused),
        cmocka_unit_test(duties_come_in_order),
        cmocka_unit_test(shares_are_for_trustees_alone),
        cmocka_unit_test(what_was_sent_by_who_is_ended_is_left_out),
        cmocka_unit_test(noise_of_who_is_ended_is_used_where_it_is_needed),
        cmocka_unit_test(a_revoked_trustee_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
