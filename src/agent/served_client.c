/* served_client.c - see served_client.h: the calls of a client, and what their answers must look like. */
#include "agent/served_int.h"

#include "algo/ldp/ldp_curator.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/hash_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- requests about this study ---- */

tacit_status tc_remote_ask(const tc_remote_config *cfg, const tc_errand *e, json_t **out,
                           tacit_error *err)
{
    tc_text path = {0};
    char *text = e->has_body ? tc_json_text(e->body) : NULL;
    json_decref(e->body);
    tc_text_addf(&path, "/v1/studies/%s%s", cfg->study, e->rest);
    tc_call call = {.method = e->method,
                    .path = tc_text_get(&path),
                    .body = text,
                    .n_body = text ? strlen(text) : 0};
    tacit_status status = path.failed || (e->has_body && !text)
                              ? tc_fail_memory(err)
                              : tc_remote_call(cfg, &call, e->once, out, err);
    tc_free(text);
    tc_text_fini(&path);
    return status;
}

tacit_status tc_remote_strange(const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "the coordinator's answer makes no sense: %s", what);
}

tacit_status tc_remote_check_name(const char *name, tacit_error *err)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t n = strlen(name);
    if (n > 0 && n <= 64 && strspn(name, allowed) == n && *name != '.')
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "\"%.80s\" is not the name of a study", name);
}

/* ---- the document ---- */

static tacit_status get_points(const tc_remote_config *cfg, tc_text *csv, tacit_error *err)
{
    tc_text path = {0};
    tc_text_addf(&path, "/v1/studies/%s/points", cfg->study);
    tc_call call = {.method = "GET", .path = tc_text_get(&path)};
    tacit_status status =
        path.failed ? tc_fail_memory(err) : tc_remote_fetch(cfg, &call, false, csv, err);
    tc_text_fini(&path);
    return status;
}

static bool has_points(const char *document)
{
    json_t *j = json_loads(document, 0, NULL);
    bool has = json_object_get(j, "points") != NULL;
    json_decref(j);
    return has;
}

static tacit_status restore(const tc_remote_config *cfg, const char *document, tc_study_doc **out,
                            tacit_error *err)
{
    tc_text csv = {0};
    tacit_error why = {0};
    bool points = has_points(document);
    tacit_status status = points ? get_points(cfg, &csv, err) : TACIT_OK;
    if (status == TACIT_OK &&
        tc_study_doc_restore(out, document, points ? tc_text_get(&csv) : NULL, &why) != TACIT_OK)
        status = why.code == TACIT_E_MEMORY ? tc_fail_memory(err) : tc_remote_strange(why.msg, err);
    tc_text_fini(&csv);
    return status;
}

static tacit_status get_document(tc_remote *s, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_remote_ask(&s->cfg, &(tc_errand){.method = "GET", .rest = ""}, &j, err));
    const char *document = json_string_value(json_object_get(j, "document"));
    tacit_status status = document ? restore(&s->cfg, document, &s->doc, err)
                                   : tc_remote_strange("a study without a document", err);
    if (status == TACIT_OK && tc_hash_read(j, "", "hash", &s->hash, NULL) != TACIT_OK)
        status = tc_remote_strange("a study without a hash", err);
    json_decref(j);
    return status;
}

static tacit_status check_document(const tc_remote *s, tacit_error *err)
{
    if (strcmp(s->doc->name, s->cfg.study) != 0)
        return tc_remote_strange("a study of another name", err);
    if (s->doc->agents > 0)
        return tc_fail(
            err, TACIT_E_STATE,
            "study %s is federated: tacit agent takes part in it, and each agent has its "
            "trials in a storage of its own",
            s->cfg.study);
    return TACIT_OK;
}

tacit_status tc_remote_open(tc_remote **out, const tc_remote_config *cfg, tacit_error *err)
{
    TC_TRY(tc_remote_check_name(cfg->study, err));
    tc_remote *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    s->cfg = *cfg;
    s->cfg.away = &s->away;
    tacit_status status = get_document(s, err);
    if (status == TACIT_OK)
        status = check_document(s, err);
    if (status == TACIT_OK)
        *out = s;
    else
        tc_remote_close(s);
    return status;
}

void tc_remote_close(tc_remote *s)
{
    if (!s)
        return;
    tc_study_doc_free(s->doc);
    tc_free(s->attempts);
    tc_free(s);
}

const tc_study_doc *tc_remote_document(const tc_remote *s)
{
    return s->doc;
}

const tacit_hash *tc_remote_hash(const tc_remote *s)
{
    return &s->hash;
}

void tc_remote_set_pace(tc_remote *s, int64_t patience_ms, long timeout_s)
{
    s->cfg.patience_ms = patience_ms;
    s->cfg.timeout_s = timeout_s;
}

bool tc_remote_away(const tc_remote *s)
{
    return s->away;
}

/* ---- a trial ---- */

void tc_trial_list_fini(tc_trial_list *l)
{
    tc_free(l->list);
    tc_arena_fini(&l->memory);
    *l = (tc_trial_list){0};
}

static bool read_state(const char *name, tc_trial_state *out)
{
    for (int s = TC_TRIAL_WAITING; name && s <= TC_TRIAL_DELETED; s++)
        if (strcmp(name, tc_trial_state_name((tc_trial_state)s)) == 0) {
            *out = (tc_trial_state)s;
            return true;
        }
    return false;
}

bool tc_remote_whole(const json_t *j, const char *key, int64_t *out)
{
    const json_t *v = json_object_get(j, key);
    return !v || json_is_null(v) || (tc_json_whole(v, out) && *out >= 0);
}

static bool read_text(const json_t *j, const char *key, tc_arena *memory, char **out)
{
    const json_t *v = json_object_get(j, key);
    if (!v || json_is_null(v))
        return true;
    if (!json_is_string(v))
        return false;
    *out = tc_arena_strdup(memory, json_string_value(v));
    return true;
}

static bool read_value(const json_t *j, tc_trial *t)
{
    const json_t *v = json_object_get(j, "value");
    if (t->state != TC_TRIAL_COMPLETE)
        return !v || json_is_null(v);
    t->value = json_number_value(v);
    return json_is_number(v) && isfinite(t->value);
}

static bool read_step(const json_t *j, tc_step *out)
{
    int64_t step = -1;
    const json_t *value = json_object_get(j, "value");
    out->value = json_number_value(value);
    bool good = tc_json_whole(json_object_get(j, "step"), &step) && step >= 0;
    out->step = (uint64_t)step;
    return good && json_is_number(value) && isfinite(out->value);
}

/* True also where memory has failed, which is then remembered. */
static bool read_steps(const json_t *j, tc_arena *memory, tc_trial *t)
{
    const json_t *list = json_object_get(j, "steps");
    size_t n = json_array_size(list);
    bool good = !list || json_is_array(list);
    t->steps = n > 0 ? TC_TAKE(memory, n, tc_step) : NULL;
    for (size_t i = 0; good && t->steps && i < n; i++)
        good = read_step(json_array_get(list, i), &t->steps[i]);
    t->n_steps = t->steps ? n : 0;
    return good;
}

/* All outcomes of a complete trial, by name. */
static tacit_status read_outcomes(const tc_remote *s, const json_t *j, tc_arena *memory,
                                  tc_trial *t, tacit_error *err)
{
    double all[TC_OUTCOMES_MOST];
    tacit_error why;
    const tc_study_outcomes *o = s->doc->outcomes;
    if (!o || t->state != TC_TRIAL_COMPLETE)
        return TACIT_OK;
    t->more = TC_TAKE(memory, o->n - 1, double);
    if (!t->more)
        return tc_fail_memory(err);
    const json_t *given = json_object_get(j, "outcomes");
    if (tc_outcomes_from_json(o, given, "outcomes", all, &why) != TACIT_OK)
        return tc_remote_strange(why.msg, err);
    if (all[0] != t->value)
        return tc_remote_strange("a trial whose first outcome is not its value", err);
    memcpy(t->more, all + 1, (o->n - 1) * sizeof *all);
    return TACIT_OK;
}

/* Reads what every trial has: number, pulls and point. */
static tacit_status read_point(const tc_remote *s, const json_t *j, tc_arena *memory, tc_trial *t,
                               tacit_error *err)
{
    int64_t number = -1, pulls = 1, attempt = 0;
    tacit_error why;
    if (!tc_remote_whole(j, "trial", &number) || number < 0 || !tc_remote_whole(j, "pulls", &pulls))
        return tc_remote_strange("a trial without a number, or of no whole number of pulls", err);
    if (!tc_remote_whole(j, "attempt", &attempt))
        return tc_remote_strange("a trial of no whole number of attempts", err);
    t->number = (uint64_t)number;
    t->attempt = (uint64_t)attempt;
    t->pulls = pulls > 1 ? (uint64_t)pulls : 1;
    t->values = TC_TAKE(memory, s->doc->space->n_params, double);
    if (!t->values)
        return tc_fail_memory(err);
    if (tc_space_values_from_json(s->doc->space, json_object_get(j, "params"), t->values, &why) !=
        TACIT_OK)
        return tc_remote_strange(why.msg, err);
    return TACIT_OK;
}

static tacit_status read_trial(const tc_remote *s, const json_t *j, tc_arena *memory, tc_trial *t,
                               tacit_error *err)
{
    TC_TRY(read_point(s, j, memory, t, err));
    if (!read_state(json_string_value(json_object_get(j, "state")), &t->state) || !read_value(j, t))
        return tc_remote_strange("a trial whose state or value is none", err);
    TC_TRY(read_outcomes(s, j, memory, t, err));
    if (!read_text(j, "worker", memory, &t->worker) ||
        !read_text(j, "reason", memory, &t->reason) ||
        !tc_remote_whole(j, "started_ms", &t->asked_ms) ||
        !tc_remote_whole(j, "ended_ms", &t->told_ms))
        return tc_remote_strange("a trial whose worker, reason or times are none", err);
    if (!read_steps(j, memory, t))
        return tc_remote_strange("a trial whose intermediate values are none", err);
    return memory->failed ? tc_fail_memory(err) : TACIT_OK;
}

typedef tacit_status (*reader)(const tc_remote *s, const json_t *j, tc_arena *memory, tc_trial *t,
                               tacit_error *err);

static tacit_status add(const tc_remote *s, const json_t *j, reader read, tc_trial_list *l,
                        tacit_error *err)
{
    if (!tc_grow((void **)&l->list, &l->cap, l->n + 1, sizeof *l->list))
        return tc_fail_memory(err);
    tc_trial *t = &l->list[l->n];
    *t = (tc_trial){.state = TC_TRIAL_RUNNING};
    TC_TRY(read(s, j, &l->memory, t, err));
    l->n++;
    return TACIT_OK;
}

static tacit_status add_all(const tc_remote *s, const json_t *answer, reader read, tc_trial_list *l,
                            tacit_error *err)
{
    const json_t *list = json_object_get(answer, "trials");
    if (!json_is_array(list))
        return tc_remote_strange("no list of trials", err);
    for (size_t i = 0; i < json_array_size(list); i++)
        TC_TRY(add(s, json_array_get(list, i), read, l, err));
    return TACIT_OK;
}

tacit_status tc_remote_add(const tc_remote *s, const json_t *j, tc_trial_list *l, tacit_error *err)
{
    return add(s, j, read_trial, l, err);
}

tacit_status tc_remote_add_all(const tc_remote *s, const json_t *answer, tc_trial_list *l,
                               tacit_error *err)
{
    return add_all(s, answer, read_trial, l, err);
}

/* ---- attempts ---- */

static tc_attempt *find_attempt(const tc_remote *s, uint64_t trial)
{
    for (size_t i = 0; i < s->n_attempts; i++)
        if (s->attempts[i].trial == trial)
            return &s->attempts[i];
    return NULL;
}

/* A coordinator of an earlier version says none: 0. */
static tacit_status keep_attempt(tc_remote *s, const tc_trial *t, tacit_error *err)
{
    tc_attempt *a = find_attempt(s, t->number);
    if (!a &&
        !tc_grow((void **)&s->attempts, &s->cap_attempts, s->n_attempts + 1, sizeof *s->attempts))
        return tc_fail_memory(err);
    if (!a)
        a = &s->attempts[s->n_attempts++];
    *a = (tc_attempt){.trial = t->number, .attempt = t->attempt};
    return TACIT_OK;
}

static void forget_attempt(tc_remote *s, uint64_t trial)
{
    tc_attempt *a = find_attempt(s, trial);
    if (a)
        *a = s->attempts[--s->n_attempts];
}

/* ---- work ---- */

static tacit_status check_suggested(const tc_trial_list *l, size_t before,
                                    const tc_remote_request *q, tacit_error *err)
{
    if (l->n == before || l->n - before > q->count)
        return tc_remote_strange("another number of trials than was asked for", err);
    if (q->from && l->list[before].number != q->trial)
        return tc_remote_strange("another trial than was asked for", err);
    return TACIT_OK;
}

/* NULL: no memory. */
static json_t *request_json(const tc_remote_request *q)
{
    json_t *j = json_pack("{s:s, s:I, s:I}", "worker", q->worker, "count", (json_int_t)q->count,
                          "pulls", (json_int_t)q->pulls);
    int bad = j ? 0 : 1;
    if (q->lease_s > 0)
        bad |= json_object_set_new(j, "lease_s", json_real(q->lease_s));
    if (q->from)
        bad |= json_object_set_new(j, "from", json_string(q->from)) |
               json_object_set_new(j, "trial", json_integer((json_int_t)q->trial));
    if (!bad)
        return j;
    json_decref(j);
    return NULL;
}

tacit_status tc_remote_suggest(tc_remote *s, const tc_remote_request *q, tc_trial_list *out,
                               tacit_error *err)
{
    json_t *answer;
    size_t before = out->n;
    tc_errand e = {
        .method = "POST", .rest = "/trials:suggest", .has_body = true, .body = request_json(q)};
    TC_TRY(tc_remote_ask(&s->cfg, &e, &answer, err));
    tacit_status status = add_all(s, answer, read_point, out, err);
    json_decref(answer);
    if (status == TACIT_OK)
        status = check_suggested(out, before, q, err);
    for (size_t i = before; i < out->n && status == TACIT_OK; i++)
        status = keep_attempt(s, &out->list[i], err);
    return status;
}

static json_t *numbers_json(const double *v, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < n; i++)
        if (json_array_append_new(list, json_real(v[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static json_t *report_json(const tc_remote *s, const tacit_report *r)
{
    static const char *const keys[] = {[TACIT_REPORT_VALUE] = "value",
                                       [TACIT_REPORT_REPLY] = "reply",
                                       [TACIT_REPORT_FAILED] = "failed",
                                       [TACIT_REPORT_PRUNED] = "pruned",
                                       [TACIT_REPORT_PULLS] = "values"};
    json_t *j = json_object(), *said;
    const char *key = keys[r->kind];
    if (r->n_outcomes > 1) {
        key = "outcomes";
        said = tc_outcomes_json(s->doc->outcomes, r->outcomes[0], r->outcomes + 1);
    } else if (r->kind == TACIT_REPORT_PULLS)
        said = numbers_json(r->pulls, r->n_pulls);
    else if (r->kind == TACIT_REPORT_FAILED)
        said = json_string(r->reason && *r->reason ? r->reason : "no reason given");
    else if (r->kind == TACIT_REPORT_PRUNED)
        said = json_true();
    else
        said = json_real(r->value);
    int bad = json_object_set_new(j, key, said);
    if (r->kind == TACIT_REPORT_PRUNED && r->reason && *r->reason)
        bad |= json_object_set_new(j, "reason", json_string(r->reason));
    if (r->noise_sd > 0)
        bad |= json_object_set_new(j, "noise_sd", json_real(r->noise_sd));
    if (r->point)
        bad |= json_object_set_new(j, "params", tc_space_values_json(s->doc->space, r->point));
    if (!bad)
        return j;
    json_decref(j);
    return NULL;
}

/* Is the answer about this trial, and did it come to what was said? */
static tacit_status check_told(const json_t *answer, uint64_t trial, const tacit_report *r,
                               tacit_error *err)
{
    int64_t number = -1;
    tc_trial_state state, expected = r->kind == TACIT_REPORT_FAILED   ? TC_TRIAL_FAIL
                                     : r->kind == TACIT_REPORT_PRUNED ? TC_TRIAL_PRUNED
                                                                      : TC_TRIAL_COMPLETE;
    if (!tc_json_whole(json_object_get(answer, "trial"), &number) || number != (int64_t)trial ||
        !read_state(json_string_value(json_object_get(answer, "state")), &state) ||
        state != expected)
        return tc_remote_strange("another trial or state than was reported", err);
    return TACIT_OK;
}

/* The last check before a report leaves: in a study that is told private replies, neither a reward nor a word about
 * one is sent, whatever the caller or the coordinator says. */
static tacit_status check_private(const tc_study_doc *doc, const tacit_report *r, tacit_error *err)
{
    if (!tc_algorithm_takes_replies(doc->algorithm))
        return TACIT_OK;
    if (r->kind != TACIT_REPORT_REPLY)
        return tc_fail(err, TACIT_E_ARG,
                       "study %s is told private replies, never rewards or failures: nothing was "
                       "sent",
                       doc->name);
    return tc_ldp_check_reply(doc->algorithm, doc->options, doc->name, r->value, err);
}

tacit_status tc_remote_complete(tc_remote *s, uint64_t trial, const tacit_report *r,
                                tacit_error *err)
{
    char rest[64];
    json_t *answer;
    TC_TRY(check_private(s->doc, r, err));
    snprintf(rest, sizeof rest, "/trials/%" PRIu64 ":complete", trial);
    tc_errand e = {.method = "POST", .rest = rest, .has_body = true, .body = report_json(s, r)};
    TC_TRY(tc_remote_ask(&s->cfg, &e, &answer, err));
    tacit_status status = check_told(answer, trial, r, err);
    json_decref(answer);
    if (status == TACIT_OK)
        forget_attempt(s, trial);
    return status;
}

/* Adds all reports but the last. -1: no memory. */
static int add_earlier(json_t *j, const tc_steps *steps)
{
    json_t *at = json_array(), *values = json_array();
    int bad = 0;
    for (size_t i = 0; i + 1 < steps->n; i++)
        bad |= json_array_append_new(at, json_integer((json_int_t)steps->list[i].step)) |
               json_array_append_new(values, json_real(steps->list[i].value));
    bad |= json_object_set_new(j, "earlier_steps", at) |
           json_object_set_new(j, "earlier_values", values);
    return bad;
}

/* NULL: no memory. */
static json_t *steps_json(const tc_attempt *of, const tc_steps *steps, const tc_prune *p)
{
    const tc_step *last = &steps->list[steps->n - 1];
    json_t *j = json_pack("{s:I, s:f}", "step", (json_int_t)last->step, "value", last->value);
    bool failed = !j || (steps->n > 1 && add_earlier(j, steps) != 0);
    if (!failed && steps->noise_sd > 0)
        failed = json_object_set_new(j, "noise_sd", json_real(steps->noise_sd)) != 0;
    if (!failed && of && of->attempt > 0)
        failed = json_object_set_new(j, "attempt", json_integer((json_int_t)of->attempt)) != 0;
    if (failed) {
        json_decref(j);
        return NULL;
    }
    if (p->rule == TC_PRUNE_NONE)
        return j;
    json_t *rule =
        json_pack("{s:s, s:I, s:I}", "prune", tacit_prune_rule_name((tacit_prune_rule)p->rule),
                  "warmup", (json_int_t)p->warmup, "min_trials", (json_int_t)p->min_trials);
    int bad = json_object_update(j, rule);
    if (p->rule == TC_PRUNE_ASHA)
        bad |= json_object_set_new(j, "min_step", json_integer((json_int_t)p->min_step)) |
               json_object_set_new(j, "factor", json_integer((json_int_t)p->factor));
    json_decref(rule);
    if (!bad)
        return j;
    json_decref(j);
    return NULL;
}

static tacit_status read_verdict(const json_t *j, tc_verdict *out, tacit_error *err)
{
    tc_step at;
    int64_t compared = -1;
    const json_t *bound = json_object_get(j, "bound"), *stop = json_object_get(j, "stop");
    if (!json_is_boolean(stop) || !read_step(j, &at) ||
        !tc_json_whole(json_object_get(j, "compared"), &compared) || compared < 0 ||
        !(json_is_number(bound) || json_is_null(bound)))
        return tc_remote_strange("a verdict about a trial that is none", err);
    *out = (tc_verdict){.stop = json_is_true(stop),
                        .step = at.step,
                        .value = at.value,
                        .bound = json_is_number(bound) ? json_number_value(bound) : (double)NAN,
                        .compared = (uint64_t)compared};
    return TACIT_OK;
}

/* Where the trial is there, it is the route that is not. */
static tacit_status refuse_step(tc_remote *s, uint64_t trial, tacit_status status,
                                const tacit_error *why, tacit_error *err)
{
    tc_trial_list got = {0};
    bool there = status == TACIT_E_NOT_FOUND && tc_remote_trial(s, trial, &got, NULL) == TACIT_OK;
    tc_trial_list_fini(&got);
    return there ? tc_fail(err, TACIT_E_UNSUPPORTED,
                           "the coordinator is of an earlier version, which takes no intermediate "
                           "values")
                 : tc_pass_on(err, status, why);
}

static tacit_status check_steps(uint64_t trial, const tc_steps *steps, tacit_error *err)
{
    for (size_t i = 0; i < steps->n; i++) {
        const tc_step *at = &steps->list[i];
        if (!isfinite(at->value) || at->step > TC_STEP_MOST)
            return tc_fail(err, TACIT_E_ARG,
                           "trial %" PRIu64 " reports a finite number at a step from 0 to 2^53, "
                           "got %g at step %" PRIu64,
                           trial, at->value, at->step);
    }
    return TACIT_OK;
}

tacit_status tc_remote_report_steps(tc_remote *s, uint64_t trial, const tc_steps *steps,
                                    const tc_prune *p, tc_verdict *out, tacit_error *err)
{
    char rest[64];
    json_t *answer;
    tacit_error why = {0};
    TC_TRY(check_steps(trial, steps, err));
    snprintf(rest, sizeof rest, "/trials/%" PRIu64 ":report", trial);
    tc_errand e = {.method = "POST",
                   .rest = rest,
                   .has_body = true,
                   .body = steps_json(find_attempt(s, trial), steps, p)};
    tacit_status status = tc_remote_ask(&s->cfg, &e, &answer, &why);
    if (status != TACIT_OK)
        return refuse_step(s, trial, status, &why, err);
    status = read_verdict(answer, out, err);
    json_decref(answer);
    return status;
}

tacit_status tc_remote_heartbeat(tc_remote *s, uint64_t trial, const char *worker, double lease_s,
                                 int64_t *until_ms, tacit_error *err)
{
    char rest[64];
    json_t *answer, *body = json_pack("{s:s}", "worker", worker);
    int64_t until = 0;
    if (body && lease_s > 0 && json_object_set_new(body, "lease_s", json_real(lease_s)) != 0) {
        json_decref(body);
        body = NULL;
    }
    snprintf(rest, sizeof rest, "/trials/%" PRIu64 ":heartbeat", trial);
    tc_errand e = {.method = "POST", .rest = rest, .has_body = true, .once = true, .body = body};
    TC_TRY(tc_remote_ask(&s->cfg, &e, &answer, err));
    bool good = tc_remote_whole(answer, "lease_until_ms", &until);
    json_decref(answer);
    if (!good)
        return tc_remote_strange("a lease that ends at no time", err);
    if (until_ms)
        *until_ms = until;
    return TACIT_OK;
}

/* A request whose answer says nothing new. */
static tacit_status order_by(tc_remote *s, const char *method, const char *rest, tacit_error *err)
{
    json_t *answer;
    TC_TRY(tc_remote_ask(&s->cfg, &(tc_errand){.method = method, .rest = rest}, &answer, err));
    json_decref(answer);
    return TACIT_OK;
}

static tacit_status order(tc_remote *s, const char *rest, tacit_error *err)
{
    return order_by(s, "POST", rest, err);
}

tacit_status tc_remote_delete_trial(tc_remote *s, uint64_t trial, tacit_error *err)
{
    char rest[64];
    snprintf(rest, sizeof rest, "/trials/%" PRIu64, trial);
    return order_by(s, "DELETE", rest, err);
}

tacit_status tc_remote_requeue(tc_remote *s, uint64_t trial, tacit_error *err)
{
    char rest[64];
    snprintf(rest, sizeof rest, "/trials/%" PRIu64 ":release", trial);
    return order(s, rest, err);
}

tacit_status tc_remote_set_state(tc_remote *s, tacit_study_state state, tacit_error *err)
{
    static const char *const orders[] = {[TACIT_STUDY_RUNNING] = ":resume",
                                         [TACIT_STUDY_PAUSED] = ":pause",
                                         [TACIT_STUDY_CLOSED] = ":close"};
    return order(s, orders[state], err);
}

tacit_status tc_remote_enqueue(tc_remote *s, const double *values, uint64_t *trial,
                               tacit_error *err)
{
    json_t *answer, *params = tc_space_values_json(s->doc->space, values);
    int64_t number = -1;
    tc_errand e = {.method = "POST",
                   .rest = "/trials",
                   .has_body = true,
                   .once = true,
                   .body = params ? json_pack("{s:o}", "params", params) : NULL};
    TC_TRY(tc_remote_ask(&s->cfg, &e, &answer, err));
    bool good = tc_json_whole(json_object_get(answer, "trial"), &number) && number >= 0;
    json_decref(answer);
    if (!good)
        return tc_remote_strange("a trial without a number", err);
    *trial = (uint64_t)number;
    return TACIT_OK;
}
