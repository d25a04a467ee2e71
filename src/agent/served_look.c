/* served_look.c - how a served study stands, and its trials, page by page (served_client.h). */
#include "agent/served_int.h"

#include "base/error.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- looking ---- */

static bool read_study_state(const json_t *j, tacit_study_state *out)
{
    static const char *const names[] = {"running", "paused", "closed"};
    const char *name = json_string_value(json_object_get(j, "state"));
    for (int i = TACIT_STUDY_RUNNING; name && i <= TACIT_STUDY_CLOSED; i++)
        if (strcmp(name, names[i - TACIT_STUDY_RUNNING]) == 0) {
            *out = (tacit_study_state)i;
            return true;
        }
    return false;
}

tacit_status tc_remote_show(tc_remote *s, tacit_study_summary *out, tacit_error *err)
{
    json_t *j;
    int64_t complete = -1, failed = -1, running = -1, planned = -1, pruned = 0;
    int64_t feasible = -1, front = 0;
    tacit_study_state state = TACIT_STUDY_RUNNING;
    TC_TRY(tc_remote_ask(&s->cfg, &(tc_errand){.method = "GET", .rest = ""}, &j, err));
    bool good = tc_remote_whole(j, "complete", &complete) &&
                tc_remote_whole(j, "failed", &failed) && tc_remote_whole(j, "running", &running) &&
                tc_remote_whole(j, "trials", &planned) && tc_remote_whole(j, "pruned", &pruned) &&
                tc_remote_whole(j, "feasible", &feasible) && tc_remote_whole(j, "front", &front) &&
                complete >= 0 && failed >= 0 && running >= 0 && planned >= 0;
    bool stands = read_study_state(j, &state);
    json_decref(j);
    if (!good)
        return tc_remote_strange("a study that does not say how many trials it has", err);
    if (!stands)
        return tc_remote_strange("a study that neither runs nor is paused or closed", err);
    out->complete = (uint64_t)complete;
    out->failed = (uint64_t)failed;
    out->pruned = (uint64_t)pruned;
    out->finished = out->complete + out->failed + out->pruned;
    out->running = (uint64_t)running;
    out->planned = (uint64_t)planned;
    out->state = state;
    out->objectives = tacit_document_objectives(s->doc);
    out->feasible = feasible >= 0 ? (uint64_t)feasible : out->complete;
    out->front = (uint64_t)front;
    return TACIT_OK;
}

/* A page of trials should be some megabytes of text at most, well below what a client takes. */
enum { PAGE = 1000, PAGE_BYTES = 4 << 20, TRIAL_BYTES = 512, VALUE_BYTES = 32 };

static int page_size(const tc_study_doc *doc)
{
    const tc_space *space = doc->space;
    size_t bytes =
        TRIAL_BYTES + (doc->outcomes ? doc->outcomes->n : 0) * (TC_NAME_MAX + VALUE_BYTES);
    for (size_t i = 0; i < space->n_params; i++)
        bytes += strlen(space->params[i].name) + VALUE_BYTES;
    size_t n = PAGE_BYTES / bytes;
    return n < 1 ? 1 : n < PAGE ? (int)n : PAGE;
}

/* *next: the cursor of the next page; -1: this was the last. */
static tacit_status get_page(tc_remote *s, const char *query, tc_trial_list *out, int64_t *next,
                             tacit_error *err)
{
    tc_text rest = {0};
    json_t *j;
    tc_text_addf(&rest, "/trials?%s", query);
    tacit_status status =
        rest.failed
            ? tc_fail_memory(err)
            : tc_remote_ask(&s->cfg, &(tc_errand){.method = "GET", .rest = tc_text_get(&rest)}, &j,
                            err);
    tc_text_fini(&rest);
    TC_TRY(status);
    *next = -1;
    status = tc_remote_add_all(s, j, out, err);
    if (status == TACIT_OK && !tc_remote_whole(j, "next", next))
        status = tc_remote_strange("a cursor that is no number", err);
    json_decref(j);
    return status;
}

tacit_status tc_remote_trials(tc_remote *s, const tacit_trial_query *q, tc_trial_list *out,
                              tacit_error *err)
{
    uint64_t left = q->limit ? q->limit : UINT64_MAX, page = (uint64_t)page_size(s->doc);
    int64_t after = (int64_t)q->first - 1, next = 0;
    if (q->first > INT64_MAX)
        return TACIT_OK;
    for (size_t before = out->n; next >= 0 && left > 0; before = out->n) {
        char query[96];
        int n = snprintf(query, sizeof query, "limit=%" PRIu64, left < page ? left : page);
        if (after >= 0)
            n += snprintf(query + n, sizeof query - (size_t)n, "&after=%" PRId64, after);
        if (q->state != TACIT_TRIAL_ANY)
            snprintf(query + n, sizeof query - (size_t)n, "&state=%s",
                     tacit_trial_state_name(q->state));
        TC_TRY(get_page(s, query, out, &next, err));
        if (next >= 0 && next <= after)
            return tc_remote_strange("pages that do not end", err);
        if (out->n - before > left)
            return tc_remote_strange("more trials than were asked for", err);
        left -= out->n - before;
        after = next;
    }
    return TACIT_OK;
}

/* Moves the trial with this number to place `before`, where the list then ends. */
static bool pick(tc_trial_list *out, size_t before, uint64_t number)
{
    size_t i = before, n = out->n;
    while (i < n && out->list[i].number != number)
        i++;
    if (i < n)
        out->list[before] = out->list[i];
    out->n = i < n ? before + 1 : before;
    return i < n;
}

/* Two trials are asked for, so that it does not matter whether the cursor's own is among them. A deleted one is among those
 * with that state alone, which a coordinator of an earlier version does not have. */
tacit_status tc_remote_trial(tc_remote *s, uint64_t number, tc_trial_list *out, tacit_error *err)
{
    char query[64];
    int64_t next;
    tacit_error why = {0};
    size_t before = out->n;
    int n = snprintf(query, sizeof query, number == 0 ? "limit=1" : "limit=2");
    if (number > 0)
        n += snprintf(query + n, sizeof query - (size_t)n, "&after=%" PRIu64, number - 1);
    TC_TRY(get_page(s, query, out, &next, err));
    if (pick(out, before, number))
        return TACIT_OK;
    snprintf(query + n, sizeof query - (size_t)n, "&state=%s",
             tc_trial_state_name(TC_TRIAL_DELETED));
    tacit_status status = get_page(s, query, out, &next, &why);
    if (status == TACIT_OK && pick(out, before, number))
        return TACIT_OK;
    out->n = before;
    if (status != TACIT_OK && status != TACIT_E_ARG)
        return tc_pass_on(err, status, &why);
    return tc_fail(err, TACIT_E_NOT_FOUND, "there is no trial %" PRIu64, number);
}

tacit_status tc_remote_best(tc_remote *s, tc_trial_list *out, tacit_error *err)
{
    json_t *j;
    tacit_error why = {0};
    tacit_status status =
        tc_remote_ask(&s->cfg, &(tc_errand){.method = "GET", .rest = "/best"}, &j, &why);
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = tc_remote_add(s, j, out, err);
    json_decref(j);
    return status;
}

static bool read_found(const json_t *j, tc_remote_found *out)
{
    const char *by = json_string_value(json_object_get(j, "by"));
    const char *because = json_string_value(json_object_get(j, "because"));
    const json_t *mean = json_object_get(j, "mean"), *sd = json_object_get(j, "sd");
    if (!by || !because)
        return false;
    *out = (tc_remote_found){.by_model = strcmp(by, "model") == 0, .mean = NAN, .sd = NAN};
    snprintf(out->because, sizeof out->because, "%s", because);
    if (!out->by_model)
        return strcmp(by, "seen") == 0;
    out->mean = json_number_value(mean);
    out->sd = json_number_value(sd);
    return json_is_number(mean) && json_is_number(sd) && isfinite(out->mean) && out->sd >= 0 &&
           isfinite(out->sd);
}

/* None is complete, or the coordinator does not know the route. */
static tacit_status best_instead(tc_remote *s, const char *by, tc_trial_list *out,
                                 tc_remote_found *found, tacit_error *err)
{
    TC_TRY(tc_remote_best(s, out, err));
    if (out->n > 0 && by && strcmp(by, "model") == 0)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "the coordinator is of an earlier version, which recommends nothing by the "
                       "model: ask for what was seen");
    *found = (tc_remote_found){.mean = NAN, .sd = NAN};
    snprintf(found->because, sizeof found->because,
             "the coordinator is of an earlier version, which has nothing else");
    return TACIT_OK;
}

tacit_status tc_remote_recommend(tc_remote *s, const char *by, tc_trial_list *out,
                                 tc_remote_found *found, tacit_error *err)
{
    json_t *j;
    char rest[64];
    tacit_error why = {0};
    snprintf(rest, sizeof rest, "/recommendation%s%s", by ? "?by=" : "", by ? by : "");
    tacit_status status =
        tc_remote_ask(&s->cfg, &(tc_errand){.method = "GET", .rest = rest}, &j, &why);
    if (status == TACIT_E_NOT_FOUND)
        return best_instead(s, by, out, found, err);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = tc_remote_add(s, json_object_get(j, "trial"), out, err);
    if (status == TACIT_OK && !read_found(j, found))
        status = tc_remote_strange("a recommendation that does not say how it was made", err);
    json_decref(j);
    return status;
}
