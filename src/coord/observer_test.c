/* observer_test.c - what those learn who only look: viewers, other agents, readers of metrics and logs. Not
 * whether an agent has sent, nor whether it declined, nor what it sent. */
#include "support/coord_study.h"

#include "base/log.h"

static tc_text metrics(coord_world *w)
{
    tc_request q = {.method = "GET", .path = "/metrics", .bearer = w->operator_token};
    tc_response r = {0};
    tc_coord_handle(w->coord, &q, &r);
    assert_int_equal(r.status, 200);
    return r.body;
}

static unsigned long counted(coord_world *w, const char *row)
{
    tc_text text = metrics(w);
    const char *at = strstr(tc_text_get(&text), row);
    unsigned long n = 0;
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(row), " %lu", &n), 1);
    tc_text_fini(&text);
    return n;
}

static int decline(coord_world *w, uint64_t agent, uint64_t round)
{
    tc_text m = study_message(w, agent, round);
    citizen *c = &w->agents[agent];
    memset(m.data, 0, m.len);
    int status = world_post_field(w, c, round, ++c->sequence, "decline", m.data, m.len, NULL);
    tc_text_fini(&m);
    return status;
}

static void nobody_watches_messages_come(void **state)
{
    coord_world *w = *state;
    static const char taken[] = "tacit_requests_total{status=\"2xx\"}",
                      refused[] = "tacit_requests_total{status=\"4xx\"}";
    unsigned long before = counted(w, taken), never = counted(w, refused);
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(study_post(w, 0, 0, NULL), 409);
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    assert_int_equal(world_broadcast(w, w->agents[0].access, 0, NULL, NULL), 202);
    /* Those of the test itself are counted, once they are answered. */
    assert_int_equal(counted(w, taken), before + 2);
    assert_int_equal(counted(w, refused), never);
    assert_int_equal(world_call(w, "GET", "/v1/studies/t", w->operator_token, NULL, NULL), 404);
    assert_int_equal(counted(w, refused), never + 1);
}

/* The metrics after a round in which one has declined, or none. */
static tc_text after_a_round(bool declined)
{
    void *state;
    assert_int_equal(study_open_world(&state), 0);
    coord_world *w = state;
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    assert_int_equal(declined ? decline(w, 2, 0) : study_post(w, 2, 0, NULL), 202);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->agents[0].access, 0, NULL, NULL), 200);
    tc_text text = metrics(w);
    assert_int_equal(study_close_world(&state), 0);
    return text;
}

static void no_metric_counts_declines(void **state)
{
    (void)state;
    tc_text with = after_a_round(true), without = after_a_round(false);
    assert_string_equal(tc_text_get(&with), tc_text_get(&without));
    tc_text_fini(&with);
    tc_text_fini(&without);
}

static void keep_line(tc_log_level level, const char *line, void *user)
{
    (void)level;
    tc_text_addf(user, "%s\n", line);
}

static void no_log_names_who_declined(void **state)
{
    coord_world *w = *state;
    tc_text kept = {0};
    tc_log_set(keep_line, &kept, TC_LOG_DEBUG);
    int first = decline(w, 2, 0), second = study_post(w, 0, 0, NULL);
    w->now_ms += 60000;
    world_tick(w);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    assert_int_equal(first, 202);
    assert_int_equal(second, 202);
    assert_int_equal(world_broadcast(w, w->agents[0].access, 0, NULL, NULL), 200);
    assert_string_equal(tc_text_get(&kept), "");
    tc_text_fini(&kept);
}

/* The sender is told which number of its message is wrong; the log has nothing of the message. */
static void no_log_quotes_a_message(void **state)
{
    coord_world *w = *state;
    json_t *a;
    tc_text m = study_message(w, 0, 0), kept = {0};
    int64_t huge = 123456789123;
    memcpy(m.data + m.len - sizeof huge, &huge, sizeof huge);
    tc_log_set(keep_line, &kept, TC_LOG_DEBUG);
    int status = world_post_bytes(w, &w->agents[0], 0, 1, tc_text_get(&m), m.len, &a);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    assert_int_equal(status, 400);
    assert_detail(a, "123456789123");
    assert_string_equal(tc_text_get(&kept),
                        "POST /v1/studies/{study}/rounds/{round}/messages: 400 the message was "
                        "refused\n");
    tc_text_fini(&kept);
    tc_text_fini(&m);
}

/* While it is stored, and when its round is over. */
static void nobody_reads_a_stored_contribution(void **state)
{
    coord_world *w = *state;
    json_t *a;
    char viewer[64];
    static const char path[] = "/v1/studies/s/rounds/0/messages/0";
    assert_int_equal(
        world_call(w, "POST", "/v1/tokens", w->operator_token, "{\"role\": \"viewer\"}", &a), 201);
    snprintf(viewer, sizeof viewer, "%s", world_text(a, "token"));
    json_decref(a);
    const char *tokens[] = {w->operator_token, viewer, w->agents[0].access, w->agents[1].access};
    for (int over = 0; over < 2; over++) {
        if (over == 0)
            assert_int_equal(study_post(w, 0, 0, NULL), 202);
        w->now_ms += over * 60000;
        world_tick(w);
        for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
            int status = world_call(w, "GET", path, tokens[i], NULL, &a);
            if (status != 404 && status != 403)
                fail_msg("reader %zu: %d", i, status);
            assert_null(json_object_get(a, "release"));
            if (status == 404)
                assert_detail(a, "hands on no message of a single agent");
            else
                json_decref(a);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(nobody_watches_messages_come),       cmocka_unit_test(no_metric_counts_declines),
        IN_WORLD(no_log_names_who_declined),          IN_WORLD(no_log_quotes_a_message),
        IN_WORLD(nobody_reads_a_stored_contribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
