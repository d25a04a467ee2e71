/* served_list.c - the trials of a served study: pages of them, the best one, and the one that is recommended.
 *
 * Of a study that is told private replies the values are those replies: nothing else has ever come. Who sent
 * one, and when, is not shown. */
#include "coord/request.h"
#include "coord/served.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { PAGE_MOST = 1000, PAGE = 100, PAGE_BYTES = 256 << 10 };

/* ---- one ---- */

static json_t *text_json(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *time_json(int64_t ms)
{
    return ms > 0 ? json_integer((json_int_t)ms) : json_null();
}

static json_t *steps_json(const tc_trial *t)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < t->n_steps; i++)
        if (json_array_append_new(list,
                                  json_pack("{s:I, s:f}", "step", (json_int_t)t->steps[i].step,
                                            "value", t->steps[i].value)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static int add_outcomes(json_t *j, const tc_study_outcomes *names, const tc_optimizer *o,
                        const tc_trial *t)
{
    return json_object_set_new(j, "outcomes", tc_outcomes_json(names, t->value, t->more)) |
           json_object_set_new(j, "feasible", json_boolean(tc_optimizer_feasible(o, t)));
}

/* For a private reply, leaves out the sender and the time. NULL: no memory. */
static json_t *trial_json(const tc_study_doc *doc, const tc_optimizer *o, const tc_trial *t)
{
    bool complete = t->state == TC_TRIAL_COMPLETE;
    bool told = tc_trial_state_is_told(t->state);
    bool shown = !tc_algorithm_takes_replies(tc_optimizer_algorithm(o));
    json_t *j = json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:o}", "trial", (json_int_t)t->number,
                          "state", tc_trial_state_name(t->state), "params",
                          tc_space_values_json(tc_optimizer_space(o), t->values), "value",
                          complete ? json_real(t->value) : json_null(), "worker",
                          text_json(shown ? t->worker : NULL), "started_ms",
                          time_json(shown ? t->asked_ms : 0), "ended_ms",
                          time_json(shown && told ? t->told_ms : 0));
    int bad = j ? 0 : 1;
    if (j && told && !complete)
        bad |= json_object_set_new(j, "reason", text_json(t->reason));
    if (j && t->pulls > 1)
        bad |= json_object_set_new(j, "pulls", json_integer((json_int_t)t->pulls));
    if (j && t->n_steps > 0)
        bad |= json_object_set_new(j, "steps", steps_json(t));
    if (j && complete && doc->outcomes)
        bad |= add_outcomes(j, doc->outcomes, o, t);
    if (!bad)
        return j;
    json_decref(j);
    return NULL;
}

size_t tc_served_size(const json_t *j)
{
    return json_dumpb(j, NULL, 0, JSON_COMPACT);
}

/* ---- a page ---- */

typedef struct page {
    uint64_t first, most; /* numbers from here on, and how many */
    int state;            /* -1: any but DELETED */
    json_t *trials;
    size_t bytes;  /* of them */
    uint64_t last; /* of them */
    bool more;
} page;

/* Reads ?state=. Accepts the upper-case names only. */
static tacit_status read_state(const tc_request_context *a, int *out, tacit_error *err)
{
    char text[16] = "";
    *out = -1;
    TC_TRY(tc_query_text(a->q->query, "state", text, sizeof text, err));
    for (int s = TC_TRIAL_WAITING; s <= TC_TRIAL_DELETED; s++)
        if (strcmp(text, tc_trial_state_name((tc_trial_state)s)) == 0)
            *out = s;
    return !*text || *out >= 0
               ? TACIT_OK
               : tc_fail(err, TACIT_E_ARG,
                         "state must be WAITING, RUNNING, COMPLETE, FAIL, STALE, PRUNED or "
                         "DELETED, got \"%s\"",
                         text);
}

static tacit_status read_page(const tc_request_context *a, page *p, tacit_error *err)
{
    uint64_t after = UINT64_MAX;
    p->most = PAGE;
    TC_TRY(tc_query_number(a->q->query, "after", 0, INT64_MAX, &after, err));
    TC_TRY(tc_query_number(a->q->query, "limit", 1, PAGE_MOST, &p->most, err));
    p->first = after + 1; /* not given: 0 */
    return read_state(a, &p->state, err);
}

static tacit_status fill_page(const tc_study_doc *doc, const tc_optimizer *o, page *p,
                              tacit_error *err)
{
    for (uint64_t i = p->first; i < tc_optimizer_trials(o) && !p->more; i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        if (p->state >= 0 ? (int)t->state != p->state : t->state == TC_TRIAL_DELETED)
            continue;
        p->more = json_array_size(p->trials) == p->most || p->bytes >= PAGE_BYTES;
        if (p->more)
            return TACIT_OK;
        json_t *j = trial_json(doc, o, t);
        p->last = i;
        p->bytes += j ? tc_served_size(j) : 0;
        if (json_array_append_new(p->trials, j) != 0)
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

tacit_status tc_served_list(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    const tc_optimizer *o;
    page p = {.more = false};
    TC_TRY(read_page(a, &p, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    p.trials = json_array();
    tacit_status status = p.trials ? tc_study_look(study, &o, err) : tc_fail_memory(err);
    if (status == TACIT_OK) {
        status = fill_page(tc_study_document(study), o, &p, err);
        tc_study_unlook(study);
    }
    if (status == TACIT_OK)
        return tc_answer_json(a, 200,
                              json_pack("{s:o, s:o}", "trials", p.trials, "next",
                                        p.more ? json_integer((json_int_t)p.last) : json_null()),
                              err);
    json_decref(p.trials);
    return status;
}

/* ---- the best ---- */

static tacit_status none_yet(const tc_open_study *d, const tc_study_doc *doc, const tc_optimizer *o,
                             tacit_error *err)
{
    const size_t n = tacit_document_objectives(doc);
    if (n > 1)
        return tc_fail(err, TACIT_E_NOT_FOUND,
                       "study \"%s\" has %zu objectives, and so a front in place of one best trial",
                       d->name, n);
    return tc_fail(err, TACIT_E_NOT_FOUND, "no trial of study \"%s\" is %s yet", d->name,
                   tc_optimizer_count(o, TC_TRIAL_COMPLETE) > 0 ? "feasible" : "complete");
}

tacit_status tc_served_best(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    const tc_optimizer *o;
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    TC_TRY(tc_study_look(study, &o, err));
    const tc_trial *t = tc_optimizer_best(o);
    const tc_study_doc *doc = tc_study_document(study);
    json_t *j = t ? trial_json(doc, o, t) : NULL;
    tacit_status status = t ? TACIT_OK : none_yet(d, doc, o, err);
    tc_study_unlook(study);
    return t ? tc_answer_json(a, 200, j, err) : status;
}

/* ---- the front ---- */

/* NULL: no memory. */
static json_t *front_json(const tc_study_doc *doc, const tc_optimizer *o)
{
    json_t *list = json_array();
    size_t n;
    const size_t *front = tc_optimizer_front(o, &n);
    bool ok = list != NULL;
    for (size_t i = 0; i < n && ok; i++)
        ok = json_array_append_new(list, trial_json(doc, o, tc_optimizer_trial(o, front[i]))) == 0;
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

tacit_status tc_served_front(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    const tc_optimizer *o;
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    const tc_study_doc *doc = tc_study_document(study);
    if (tacit_document_objectives(doc) == 1)
        return tc_fail(err, TACIT_E_NOT_FOUND,
                       "study \"%s\" has one objective, and so a best trial in place of a front",
                       d->name);
    TC_TRY(tc_study_look(study, &o, err));
    json_t *list = front_json(doc, o);
    tc_study_unlook(study);
    return list ? tc_answer_json(a, 200, json_pack("{s:o, s:n}", "trials", list, "next"), err)
                : tc_fail_memory(err);
}

/* ---- the recommendation ---- */

static tacit_status read_by(const tc_request_context *a, tc_recommend_by *out, tacit_error *err)
{
    char text[16] = "";
    TC_TRY(tc_query_text(a->q->query, "by", text, sizeof text, err));
    *out = strcmp(text, "model") == 0 ? TC_BY_MODEL : *text ? TC_BY_SEEN : TC_BY_AUTO;
    return TACIT_OK;
}

static json_t *number_json(double v)
{
    return isnan(v) ? json_null() : json_real(v);
}

/* NULL: no memory. */
static json_t *recommendation_json(const tc_study_doc *doc, const tc_optimizer *o,
                                   const tc_recommendation *r)
{
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:s}", "by", r->by == TC_BY_MODEL ? "model" : "seen", "params",
        tc_space_values_json(tc_optimizer_space(o), r->trial->values), "mean", number_json(r->mean),
        "sd", number_json(r->sd), "trial", trial_json(doc, o, r->trial), "because", r->because);
}

tacit_status tc_served_recommend(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    tc_recommend_by by;
    TC_TRY(tc_request_served(a, &d, err));
    TC_TRY(read_by(a, &by, err));
    tc_study *study;
    const tc_optimizer *o;
    tc_recommendation r;
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    TC_TRY(tc_study_look(study, &o, err));
    tacit_status status = tc_optimizer_recommend(o, by, &r, err);
    const tc_study_doc *doc = tc_study_document(study);
    json_t *j = status == TACIT_OK && r.trial ? recommendation_json(doc, o, &r) : NULL;
    if (status == TACIT_OK && !r.trial)
        status = none_yet(d, doc, o, err);
    tc_study_unlook(study);
    return status == TACIT_OK ? tc_answer_json(a, 200, j, err) : status;
}
