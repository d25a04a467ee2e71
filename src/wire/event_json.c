/* event_json.c - the body of an event as JSON text, and back.
 *
 * Doubles are written so that they read back bit for bit. What cannot be
 * decoded was not written by tacit: E_CORRUPT, whatever is wrong with it. */
#include "wire/event_json.h"

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "wire/base64.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- writing --- */

/* A reason may be whatever a program printed; bytes that are not UTF-8 become '?'. */
static json_t *text_json(const char *text)
{
    if (tc_utf8_valid(text))
        return json_string(text);
    char *clean = tc_strdup(text);
    if (!clean)
        return NULL;
    for (char *c = clean; *c;) {
        size_t n = tc_utf8_length(c);
        if (n == 0)
            *c = '?';
        c += n ? n : 1;
    }
    json_t *j = json_string(clean);
    tc_free(clean);
    return j;
}

static bool put(json_t *j, const char *key, json_t *value)
{
    return json_object_set_new(j, key, value) == 0;
}

static bool put_params(json_t *j, const tc_space *s, const double *values)
{
    return put(j, "params", tc_space_values_json(s, values));
}

static bool put_ask(json_t *j, const tc_space *s, const tc_event *e)
{
    return put_params(j, s, e->values) && (!e->worker || put(j, "worker", text_json(e->worker))) &&
           (e->lease_ms == 0 || put(j, "lease_ms", json_integer(e->lease_ms))) &&
           (e->pulls <= 1 || put(j, "pulls", json_integer((json_int_t)e->pulls)));
}

static bool put_batch(json_t *j, const tc_batch *b)
{
    return put(j, "pulls", json_integer((json_int_t)b->n)) && put(j, "sum", json_integer(b->sum)) &&
           put(j, "squares", json_integer(b->squares));
}

static bool put_step(json_t *j, const tc_event *e)
{
    return put(j, "step", json_integer((json_int_t)e->step)) &&
           put(j, "value", json_real(e->value));
}

/* The outcomes beside the value, in the order of the document. */
static bool put_more(json_t *j, const tc_event *e)
{
    json_t *list = json_array();
    bool ok = put(j, "more", list);
    for (size_t i = 0; i < e->n_more && ok; i++)
        ok = json_array_append_new(list, json_real(e->more[i])) == 0;
    return ok;
}

static bool put_tell(json_t *j, const tc_space *s, const tc_event *e)
{
    assert(tc_trial_state_is_told(e->state));
    assert(e->state == TC_TRIAL_FAIL || isfinite(e->value));
    bool complete = e->state == TC_TRIAL_COMPLETE;
    if (e->state == TC_TRIAL_PRUNED)
        return put(j, "state", json_string(tc_trial_state_name(e->state))) && put_step(j, e) &&
               (!(e->noise_sd > 0) || put(j, "noise_sd", json_real(e->noise_sd))) &&
               (!e->reason || put(j, "reason", text_json(e->reason)));
    return put(j, "state", json_string(tc_trial_state_name(e->state))) &&
           (!complete || put(j, "value", json_real(e->value))) &&
           (!complete || e->n_more == 0 || put_more(j, e)) &&
           (!complete || !(e->noise_sd > 0) || put(j, "noise_sd", json_real(e->noise_sd))) &&
           (!complete || e->batch.n == 0 || put_batch(j, &e->batch)) &&
           (complete || !e->reason || put(j, "reason", text_json(e->reason))) &&
           (!e->values || put_params(j, s, e->values));
}

static bool put_message(json_t *j, const tc_event *e)
{
    return put(j, "round", json_integer((json_int_t)e->round)) &&
           put(j, "bytes", tc_base64_json(e->bytes, e->n_bytes));
}

static bool put_skip(json_t *j, const tc_event *e)
{
    return put(j, "round", json_integer((json_int_t)e->round)) &&
           (!e->reason || put(j, "reason", text_json(e->reason)));
}

static bool put_party(json_t *j, const tc_event *e)
{
    return put(j, "party", json_integer((json_int_t)e->party));
}

static bool put_body(json_t *j, const tc_space *s, const tc_event *e)
{
    switch (e->kind) {
    case TC_EVENT_ENQUEUE:
        return put_params(j, s, e->values);
    case TC_EVENT_ASK:
        return put_ask(j, s, e);
    case TC_EVENT_TELL:
        return put_tell(j, s, e);
    case TC_EVENT_STALE:
    case TC_EVENT_DELETE:
        return true;
    case TC_EVENT_PUBLISH:
    case TC_EVENT_ABSORB:
        return put_message(j, e);
    case TC_EVENT_SKIP:
        return put_skip(j, e);
    case TC_EVENT_FETCH:
        return put_message(j, e) && put_party(j, e);
    case TC_EVENT_MISS:
        return put_skip(j, e) && put_party(j, e);
    case TC_EVENT_REPORT:
        return put_step(j, e);
    case TC_EVENT_FIT:
        break; /* has no fields */
    }
    return false;
}

char *tc_event_encode(const tc_space *s, const tc_event *e)
{
    if (e->kind == TC_EVENT_FIT)
        return tc_strdup(
            e->body); /* already JSON text, and only the algorithm knows what it says */
    tc_json_start();
    json_t *j = json_object();
    char *text = j && put_body(j, s, e) ? tc_json_text(j) : NULL;
    json_decref(j);
    return text;
}

/* --- reading --- */

static tacit_status get_params(const tc_space *s, const json_t *j, tc_arena *a, tc_event *e,
                               tacit_error *err)
{
    const json_t *params = json_object_get(j, "params");
    if (!params)
        return tc_fail(err, TACIT_E_ARG, "params is missing");
    double *values = TC_TAKE(a, s->n_params, double);
    if (!values)
        return tc_fail_memory(err);
    TC_TRY(tc_space_values_from_json(s, params, values, err));
    e->values = values;
    return TACIT_OK;
}

/* An optional text, copied into the arena; else NULL. */
static tacit_status get_text(const json_t *j, const char *key, tc_arena *a, const char **out,
                             tacit_error *err)
{
    const char *text = NULL;
    TC_TRY(tc_json_string_or(j, "", key, &text, err));
    *out = text ? tc_arena_strdup(a, text) : NULL;
    return text && !*out ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status get_enqueue(const tc_space *s, const json_t *j, tc_arena *a, tc_event *e,
                                tacit_error *err)
{
    static const char *const allowed[] = {"params", NULL};
    TC_TRY(tc_json_only(j, "", allowed, err));
    return get_params(s, j, a, e, err);
}

static tacit_status get_ask(const tc_space *s, const json_t *j, tc_arena *a, tc_event *e,
                            tacit_error *err)
{
    static const char *const allowed[] = {"params", "worker", "lease_ms", "pulls", NULL};
    int64_t pulls = 0;
    TC_TRY(tc_json_only(j, "", allowed, err));
    TC_TRY(get_text(j, "worker", a, &e->worker, err));
    TC_TRY(tc_json_int_or(j, "", "lease_ms", 0, INT64_MAX, &e->lease_ms, err));
    TC_TRY(tc_json_int_or(j, "", "pulls", 2, INT64_MAX, &pulls, err));
    e->pulls = (uint64_t)pulls;
    return get_params(s, j, a, e, err);
}

static tacit_status get_count(const json_t *j, const char *key, uint64_t *out, tacit_error *err)
{
    int64_t count = -1;
    TC_TRY(tc_json_int_or(j, "", key, 0, INT64_MAX, &count, err));
    if (count < 0)
        return tc_fail(err, TACIT_E_ARG, "%s is missing", key);
    *out = (uint64_t)count;
    return TACIT_OK;
}

/* All three numbers, or none of them. Whether they can be true is for apply.c to say. */
static tacit_status get_batch(const json_t *j, tc_batch *b, tacit_error *err)
{
    uint64_t sum, squares;
    TC_TRY(get_count(j, "pulls", &b->n, err));
    TC_TRY(get_count(j, "sum", &sum, err));
    TC_TRY(get_count(j, "squares", &squares, err));
    if (b->n == 0)
        return tc_fail(err, TACIT_E_ARG, "pulls must be at least 1, got 0");
    b->sum = (int64_t)sum;
    b->squares = (int64_t)squares;
    return TACIT_OK;
}

/* Models add the square of the noise as a variance, so the square must be finite, too. */
static tacit_status get_noise(const json_t *j, tc_event *e, tacit_error *err)
{
    TC_TRY(tc_json_number(j, "", "noise_sd", &e->noise_sd, err));
    if (!(e->noise_sd >= 0 && isfinite(e->noise_sd * e->noise_sd)))
        return tc_fail(err, TACIT_E_ARG, "noise_sd must be from 0 to 1e154, got %g", e->noise_sd);
    if (e->batch.n > 0)
        return tc_fail(err, TACIT_E_ARG, "noise_sd goes with one value, not with pulls");
    return TACIT_OK;
}

/* How many there must be, the study knows (apply.c). */
static tacit_status get_more(const json_t *list, tc_arena *a, tc_event *e, tacit_error *err)
{
    size_t n = json_array_size(list);
    double *more = TC_TAKE(a, n + 1, double);
    if (!json_is_array(list) || n == 0)
        return tc_fail(err, TACIT_E_ARG, "more must be an array of numbers, got %s",
                       n == 0 && json_is_array(list) ? "an empty one" : tc_json_kind(list));
    if (!more)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_number(v))
            return tc_fail(err, TACIT_E_ARG, "more[%zu] must be a number, got %s", i,
                           tc_json_kind(v));
        more[i] = json_number_value(v);
    }
    e->more = more;
    e->n_more = n;
    return TACIT_OK;
}

static tacit_status get_complete(const json_t *j, tc_arena *a, tc_event *e, tacit_error *err)
{
    static const char *const allowed[] = {"state", "value", "more",    "noise_sd", "params",
                                          "pulls", "sum",   "squares", NULL};
    TC_TRY(tc_json_only(j, "", allowed, err));
    e->state = TC_TRIAL_COMPLETE;
    if (json_object_get(j, "pulls") || json_object_get(j, "sum") || json_object_get(j, "squares"))
        TC_TRY(get_batch(j, &e->batch, err));
    if (json_object_get(j, "noise_sd"))
        TC_TRY(get_noise(j, e, err));
    if (json_object_get(j, "more"))
        TC_TRY(get_more(json_object_get(j, "more"), a, e, err));
    return tc_json_number(j, "", "value", &e->value, err);
}

static tacit_status get_fail(const json_t *j, tc_arena *a, tc_event *e, tacit_error *err)
{
    static const char *const allowed[] = {"state", "reason", "params", NULL};
    TC_TRY(tc_json_only(j, "", allowed, err));
    e->state = TC_TRIAL_FAIL;
    return get_text(j, "reason", a, &e->reason, err);
}

static tacit_status get_step(const json_t *j, tc_event *e, tacit_error *err)
{
    TC_TRY(get_count(j, "step", &e->step, err));
    if (e->step > TC_STEP_MOST)
        return tc_fail(err, TACIT_E_ARG, "step must be at most 2^53");
    return tc_json_number(j, "", "value", &e->value, err);
}

static tacit_status get_report(const json_t *j, tc_event *e, tacit_error *err)
{
    static const char *const allowed[] = {"step", "value", NULL};
    TC_TRY(tc_json_only(j, "", allowed, err));
    return get_step(j, e, err);
}

static tacit_status get_pruned(const json_t *j, tc_arena *a, tc_event *e, tacit_error *err)
{
    static const char *const allowed[] = {"state", "step", "value", "noise_sd", "reason", NULL};
    TC_TRY(tc_json_only(j, "", allowed, err));
    TC_TRY(get_text(j, "reason", a, &e->reason, err));
    e->state = TC_TRIAL_PRUNED;
    if (json_object_get(j, "noise_sd"))
        TC_TRY(get_noise(j, e, err));
    return get_step(j, e, err);
}

static tacit_status get_tell(const tc_space *s, const json_t *j, tc_arena *a, tc_event *e,
                             tacit_error *err)
{
    const char *state;
    TC_TRY(tc_json_string(j, "", "state", &state, err));
    if (strcmp(state, tc_trial_state_name(TC_TRIAL_COMPLETE)) == 0)
        TC_TRY(get_complete(j, a, e, err));
    else if (strcmp(state, tc_trial_state_name(TC_TRIAL_FAIL)) == 0)
        TC_TRY(get_fail(j, a, e, err));
    else if (strcmp(state, tc_trial_state_name(TC_TRIAL_PRUNED)) == 0)
        return get_pruned(j, a, e, err);
    else
        return tc_fail(err, TACIT_E_ARG, "state must be COMPLETE, FAIL or PRUNED, got \"%.100s\"",
                       state);
    return json_object_get(j, "params") ? get_params(s, j, a, e, err) : TACIT_OK;
}

/* A relayed message also says whose it is. */
static tacit_status get_round(const json_t *j, tc_event *e, tacit_error *err)
{
    bool relayed = e->kind == TC_EVENT_FETCH || e->kind == TC_EVENT_MISS;
    if (relayed)
        TC_TRY(get_count(j, "party", &e->party, err));
    else if (json_object_get(j, "party"))
        return tc_fail(err, TACIT_E_ARG, "party is only known of relayed messages");
    return get_count(j, "round", &e->round, err);
}

static tacit_status get_message(const json_t *j, tc_arena *a, tc_event *e, tacit_error *err)
{
    static const char *const allowed[] = {"round", "bytes", "party", NULL};
    const char *text;
    TC_TRY(tc_json_only(j, "", allowed, err));
    TC_TRY(get_round(j, e, err));
    TC_TRY(tc_json_string(j, "", "bytes", &text, err));
    size_t len = strlen(text);
    unsigned char *bytes = TC_TAKE(a, len + 1, unsigned char);
    if (!bytes)
        return tc_fail_memory(err);
    if (!tc_base64_decode(text, bytes, len + 1, &e->n_bytes))
        return tc_fail(err, TACIT_E_ARG, "bytes must be base64");
    e->bytes = bytes;
    return TACIT_OK;
}

static tacit_status get_skip(const json_t *j, tc_arena *a, tc_event *e, tacit_error *err)
{
    static const char *const allowed[] = {"round", "reason", "party", NULL};
    TC_TRY(tc_json_only(j, "", allowed, err));
    TC_TRY(get_round(j, e, err));
    return get_text(j, "reason", a, &e->reason, err);
}

static tacit_status get_body(const tc_space *s, const json_t *j, const char *text, tc_arena *a,
                             tc_event *e, tacit_error *err)
{
    static const char *const nothing[] = {NULL};
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "it must be an object, got %s", tc_json_kind(j));
    switch (e->kind) {
    case TC_EVENT_ENQUEUE:
        return get_enqueue(s, j, a, e, err);
    case TC_EVENT_ASK:
        return get_ask(s, j, a, e, err);
    case TC_EVENT_TELL:
        return get_tell(s, j, a, e, err);
    case TC_EVENT_STALE:
    case TC_EVENT_DELETE:
        return tc_json_only(j, "", nothing, err);
    case TC_EVENT_PUBLISH:
    case TC_EVENT_ABSORB:
    case TC_EVENT_FETCH:
        return get_message(j, a, e, err);
    case TC_EVENT_MISS:
    case TC_EVENT_SKIP:
        return get_skip(j, a, e, err);
    case TC_EVENT_REPORT:
        return get_report(j, e, err);
    case TC_EVENT_FIT:
        e->body = tc_arena_strdup(a, text);
        return e->body ? TACIT_OK : tc_fail_memory(err);
    }
    return tc_fail(err, TACIT_E_ARG, "%d is not a kind of event", (int)e->kind);
}

static tacit_status decode(const tc_space *s, const char *text, tc_arena *a, tc_event *e,
                           tacit_error *err)
{
    json_t *j = NULL;
    TC_TRY(tc_json_parse(text, strlen(text), "text", &j, err));
    tacit_status status = get_body(s, j, text, a, e, err);
    json_decref(j);
    return status;
}

tacit_status tc_event_decode(const tc_space *s, const char *text, tc_arena *a, tc_event *e,
                             tacit_error *err)
{
    tacit_error why = {0};
    tc_event full = {.seq = e->seq, .kind = e->kind, .trial = e->trial, .time_ms = e->time_ms};
    tacit_status status = decode(s, text, a, &full, &why);
    if (status != TACIT_OK)
        return tc_fail(err, status == TACIT_E_ARG ? TACIT_E_CORRUPT : status,
                       "the body of %s event %llu: %s", tc_event_kind_name(e->kind),
                       (unsigned long long)e->seq, why.msg);
    *e = full;
    return TACIT_OK;
}
