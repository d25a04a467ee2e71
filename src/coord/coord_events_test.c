/* coord_events_test.c - what listeners hear: who may listen, ids that grow, where somebody goes on who
 * was away, and what another process on the same store has done. */
#include "support/coord_study.h"
#include "support/served_world.h"

#include "coord/shape.h"

static int listen(coord_world *w, const char *query, const char *token, const char *last,
                  tc_listener *out)
{
    tacit_error err = {0};
    tc_request q = {
        .method = "GET", .path = "/v1/events", .query = query, .bearer = token, .last_event = last};
    tc_response r = {0};
    tc_coord_handle(w->coord, &q, &r);
    assert_ok(tc_coord_check_answer(&q, &r, &err));
    assert_int_equal(r.listens, r.status == 200);
    *out = r.listener;
    tc_response_fini(&r);
    return r.status;
}

/* What it hears next, as one text of at most `size` bytes. */
static const char *hear(coord_world *w, tc_listener *l, size_t size)
{
    static char text[65536];
    size_t n = tc_coord_events(w->coord, l, text, size);
    text[n] = 0;
    return text;
}

static const char *hear_all(coord_world *w, tc_listener *l)
{
    return hear(w, l, 65535);
}

static void skip_greeting(coord_world *w, tc_listener *l)
{
    const char *text = hear_all(w, l);
    assert_non_null(strstr(text, "retry: 2000\nid: "));
    assert_null(strstr(text, "event:"));
    assert_string_equal(hear_all(w, l), "");
}

/* The events of a text, each held against its shape; how many. */
static size_t check_events(const char *text)
{
    tacit_error err = {0};
    size_t n = 0;
    for (const char *p = strstr(text, "event: "); p; p = strstr(p + 1, "\nevent: "), n++) {
        char name[32], data[512];
        assert_int_equal(sscanf(strstr(p, "event: "), "event: %31s\ndata: %511[^\n]", name, data),
                         2);
        const tc_event_shape *s = tc_event_shapes;
        while (s->name && strcmp(s->name, name) != 0)
            s++;
        if (!s->name)
            fail_msg("the event %s is not described", name);
        json_t *j = json_loads(data, JSON_REJECT_DUPLICATES, NULL);
        assert_ok(tc_shape_check(s->data, j, &err));
        assert_string_equal(world_text(j, "event"), name);
        json_decref(j);
    }
    return n;
}

static size_t occurrences(const char *text, const char *of)
{
    size_t n = 0;
    for (const char *p = strstr(text, of); p; p = strstr(p + 1, of))
        n++;
    return n;
}

static void pause_and_resume(coord_world *w)
{
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:pause", w->operator_token, NULL, NULL),
                     200);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:resume", w->operator_token, NULL, NULL),
                     200);
}

static void post_all(coord_world *w, uint64_t round)
{
    for (uint64_t i = 0; i < STUDY_AGENTS; i++)
        assert_int_equal(study_post(w, i, round, NULL), 202);
    world_tick(w);
}

/* ---- who ---- */

static void listening_needs_a_role(void **state)
{
    coord_world *w = *state;
    tc_listener l;
    char join[64];
    world_join_token(w, 1, join);
    assert_int_equal(listen(w, NULL, NULL, NULL, &l), 401);
    assert_int_equal(listen(w, NULL, join, NULL, &l), 403);
    assert_int_equal(listen(w, NULL, w->operator_token, NULL, &l), 200);
    assert_int_equal(listen(w, "study=s", w->operator_token, NULL, &l), 200);
    assert_int_equal(listen(w, "study=t", w->operator_token, NULL, &l), 404);
    assert_int_equal(listen(w, "study=s", w->agents[0].access, NULL, &l), 200);
    assert_int_equal(listen(w, NULL, w->agents[0].access, NULL, &l), 400);
    assert_int_equal(listen(w, "study=t", w->agents[0].access, NULL, &l), 403);
}

static void a_token_that_ends_ends_its_listener(void **state)
{
    coord_world *w = *state;
    tc_listener l;
    assert_int_equal(listen(w, "study=s", w->agents[1].access, NULL, &l), 200);
    skip_greeting(w, &l);
    tc_coord_events_check(w->coord, &l);
    assert_false(l.ended);
    assert_int_equal(
        world_call(w, "POST", "/v1/studies/s/agents/1:revoke", w->operator_token, NULL, NULL), 200);
    tc_coord_events_check(w->coord, &l);
    assert_true(l.ended);
}

/* ---- what ---- */

static void a_round_is_said_once_in_each_phase(void **state)
{
    coord_world *w = *state;
    tc_listener l;
    assert_int_equal(listen(w, NULL, w->operator_token, NULL, &l), 200);
    skip_greeting(w, &l);
    world_tick(w);
    assert_string_equal(hear_all(w, &l), "");
    assert_int_equal(study_post(w, 0, 0, NULL), 202);
    assert_string_equal(hear_all(w, &l), ""); /* an arrival is nobody's business */
    world_tick(w);
    const char *text = hear_all(w, &l);
    assert_int_equal(check_events(text), 1);
    assert_non_null(strstr(text, "\"phase\":\"open\""));
    assert_int_equal(study_post(w, 1, 0, NULL), 202);
    assert_int_equal(study_post(w, 2, 0, NULL), 202);
    assert_string_equal(hear_all(w, &l), "");
    world_tick(w);
    world_tick(w);
    text = hear_all(w, &l);
    assert_int_equal(check_events(text), 2);
    assert_non_null(strstr(text, "\"phase\":\"closing\""));
    assert_non_null(strstr(text, "\"phase\":\"closed\""));
    assert_null(strstr(text, "agent"));
    assert_string_equal(hear_all(w, &l), "");
}

static void studies_are_heard_of_by_those_who_may(void **state)
{
    coord_world *w = *state;
    tc_listener all, mine, theirs;
    char body[1024], *name;
    assert_int_equal(listen(w, NULL, w->operator_token, NULL, &all), 200);
    assert_int_equal(listen(w, "study=s", w->agents[0].access, NULL, &mine), 200);
    skip_greeting(w, &all);
    skip_greeting(w, &mine);
    snprintf(body, sizeof body, "{\"document\": %s}", study_document);
    name = strstr(body, "\"s\"");
    name[1] = 't';
    assert_int_equal(world_call(w, "POST", "/v1/studies", w->operator_token, body, NULL), 201);
    assert_int_equal(listen(w, "study=t", w->operator_token, NULL, &theirs), 200);
    skip_greeting(w, &theirs);
    pause_and_resume(w);
    const char *text = hear_all(w, &all);
    assert_int_equal(check_events(text), 3);
    assert_non_null(strstr(text, "\"state\":\"running\",\"study\":\"t\""));
    text = hear_all(w, &mine);
    assert_int_equal(check_events(text), 2);
    assert_null(strstr(text, "\"t\""));
    assert_string_equal(hear_all(w, &theirs), "");
}

/* Who listened to a study that is gone must not hear of the next one of its name. */
static void a_study_that_is_erased_ends_its_listeners(void **state)
{
    coord_world *w = *state;
    tc_listener all, mine;
    assert_int_equal(listen(w, NULL, w->operator_token, NULL, &all), 200);
    assert_int_equal(listen(w, "study=s", w->agents[0].access, NULL, &mine), 200);
    skip_greeting(w, &all);
    skip_greeting(w, &mine);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
    world_create(w, "s", study_document);
    assert_int_equal(check_events(hear_all(w, &mine)), 1);
    assert_true(mine.ended);
    assert_int_equal(check_events(hear_all(w, &all)), 2);
    assert_false(all.ended);
}

/* ---- going on ---- */

static void copy_id(const char *text, char out[64])
{
    const char *last = NULL;
    for (const char *p = strstr(text, "id: "); p; p = strstr(p + 1, "\nid: "))
        last = strstr(p, "id: ");
    assert_non_null(last);
    assert_int_equal(sscanf(last, "id: %63s", out), 1);
}

static void who_was_away_goes_on(void **state)
{
    coord_world *w = *state;
    tc_listener l, again;
    char id[64], first[64], next[64];
    assert_int_equal(listen(w, NULL, w->operator_token, NULL, &l), 200);
    copy_id(hear_all(w, &l), id);
    pause_and_resume(w);
    assert_int_equal(listen(w, NULL, w->operator_token, id, &again), 200);
    const char *text = hear_all(w, &again);
    assert_int_equal(check_events(text), 2);
    assert_null(strstr(text, "reset"));
    copy_id(text, next);
    copy_id(hear_all(w, &l), first);
    assert_string_equal(first, next); /* both are at the same place */
    assert_true(strtoull(strchr(next, '-') + 1, NULL, 10) ==
                strtoull(strchr(id, '-') + 1, NULL, 10) + 2);
    assert_int_equal(listen(w, NULL, w->operator_token, next, &again), 200);
    skip_greeting(w, &again);
}

static void who_missed_something_is_told(void **state)
{
    coord_world *w = *state;
    tc_listener l;
    char id[64], future[64];
    assert_int_equal(listen(w, NULL, w->operator_token, NULL, &l), 200);
    copy_id(hear_all(w, &l), id);
    snprintf(future, sizeof future, "%.*s-99999", (int)strcspn(id, "-"), id);
    for (int i = 0; i < 600; i++) /* more than the ring has */
        pause_and_resume(w);
    const char *unknown[] = {id, "0000000000000000-1", "17", "", "x-y", future};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        tc_listener again;
        assert_int_equal(listen(w, NULL, w->operator_token, unknown[i], &again), 200);
        const char *text = hear_all(w, &again);
        assert_int_equal(check_events(text), 1);
        assert_non_null(strstr(text, "event: reset\n"));
    }
    assert_string_equal(hear_all(w, &l), ""); /* and who was too slow is dropped */
    assert_true(l.ended);
}

static void events_come_whole(void **state)
{
    coord_world *w = *state;
    tc_listener l;
    size_t n = 0, calls = 0;
    assert_int_equal(listen(w, NULL, w->operator_token, NULL, &l), 200);
    skip_greeting(w, &l);
    for (int i = 0; i < 10; i++)
        pause_and_resume(w);
    for (const char *text = hear(w, &l, 250); *text; text = hear(w, &l, 250), calls++) {
        assert_int_equal(strncmp(text, "id: ", 4), 0);
        assert_string_equal(text + strlen(text) - 2, "\n\n");
        n += check_events(text);
    }
    assert_int_equal(n, 20);
    assert_true(calls >= 10);
    pause_and_resume(w);
    assert_string_equal(hear(w, &l, 10), ""); /* no event is so short */
    assert_true(l.ended);
}

/* ---- another process on the same store ---- */

static void what_another_process_did_is_heard(void **state)
{
    coord_world *w = *state, other = *w;
    tacit_error err = {0};
    tc_listener l;
    tc_coord_config cfg = {
        .store = w->store, .now_ms = world_clock, .user = w, .seeded = true, .seed = 7};
    assert_ok(tc_coord_new(&other.coord, &cfg, &err));
    world_tick(&other);
    assert_int_equal(listen(&other, NULL, w->operator_token, NULL, &l), 200);
    skip_greeting(&other, &l);
    post_all(w, 0); /* the first process takes, closes and goes on */
    post_all(w, 1);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:pause", w->operator_token, NULL, NULL),
                     200);
    assert_string_equal(hear_all(&other, &l), "");
    world_tick(&other);
    const char *text = hear_all(&other, &l);
    assert_int_equal(check_events(text), 3);
    assert_int_equal(occurrences(text, "\"phase\":\"closed\""), 2);
    assert_non_null(strstr(text, "\"state\":\"paused\""));
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
    world_tick(&other);
    text = hear_all(&other, &l);
    assert_int_equal(check_events(text), 1);
    assert_non_null(strstr(text, "\"state\":\"erased\""));
    world_tick(&other);
    assert_string_equal(hear_all(&other, &l), "");
    tc_coord_free(other.coord);
}

/* ---- studies of one name ---- */

/* Values of trials were said of the first one: neither a client of the second hears them, wherever it says that
 * it was, nor is anything left of them. */
static void what_was_said_of_an_erased_study_is_gone(void **state)
{
    served_world *s = *state;
    tc_listener all, mine, later;
    char first[64];
    assert_int_equal(listen(&s->w, NULL, s->w.operator_token, NULL, &all), 200);
    copy_id(hear_all(&s->w, &all), first); /* before anything was said */
    assert_int_equal(listen(&s->w, NULL, s->w.operator_token, first, &later), 200);
    assert_int_equal(served_suggest(s, "w", 1, NULL), 200);
    assert_int_equal(served_post(s, "/trials/0:complete", "{\"value\": 41.5}", NULL), 200);
    assert_non_null(strstr(hear_all(&s->w, &all), "41.5"));
    const char *op = s->w.operator_token;
    assert_int_equal(world_call(&s->w, "DELETE", "/v1/studies/t", op, NULL, NULL), 200);
    world_create(&s->w, "t", served_document);
    served_token(&s->w, "/v1/studies/t/tokens", "{}", s->client);
    assert_int_equal(listen(&s->w, "study=t", s->client, first, &mine), 200);
    const char *text = hear_all(&s->w, &mine);
    assert_null(strstr(text, "reset"));
    assert_null(strstr(text, "41.5"));
    assert_null(strstr(text, "erased"));
    assert_int_equal(check_events(text), 1); /* that it runs */
    assert_false(mine.ended);
    text = hear_all(&s->w, &later); /* who may hear all goes on, without what is gone */
    assert_null(strstr(text, "41.5"));
    assert_int_equal(check_events(text), 2);
    assert_false(later.ended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(listening_needs_a_role),
        IN_WORLD(a_token_that_ends_ends_its_listener),
        IN_WORLD(a_round_is_said_once_in_each_phase),
        IN_WORLD(studies_are_heard_of_by_those_who_may),
        IN_WORLD(a_study_that_is_erased_ends_its_listeners),
        IN_WORLD(who_was_away_goes_on),
        IN_WORLD(who_missed_something_is_told),
        IN_WORLD(events_come_whole),
        IN_WORLD(what_another_process_did_is_heard),
        IN_SERVED(what_was_said_of_an_erased_study_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
