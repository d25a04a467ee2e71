/* served_storage.c - "https://HOST:PORT" as a storage of <tacit/study.h>: a coordinator with its studies.
 *
 * Registered by tacit_net_register, called through study/handle.h. */
#include "client/served_int.h"

#include <tacit/net.h>

#include "base/api.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

static const tc_storage_ops storage_ops;

void tacit_net_register(void)
{
    tc_storage_register(&storage_ops);
}

/* ---- the way ---- */

enum { PATIENCE_S = 10 };

int64_t tc_served_patience_ms(double patience_s)
{
    double s = patience_s == 0 ? PATIENCE_S : patience_s;
    return s > 0 ? (int64_t)(fmin(s, 1e12) * 1000) : 0;
}

static void storage_close(tacit_storage *base)
{
    served_storage *st = (served_storage *)base;
    tc_client_free(st->client);
    if (st->token)
        explicit_bzero(st->token, strlen(st->token));
    tc_free(st->token);
    pthread_mutex_destroy(&st->lock);
    tc_free(st);
}

/* For who opens a handle later: nothing is kept here. */
static tacit_status tell_of_keys(void *user, const tc_pins *pins, tacit_error *err)
{
    const served_storage *st = user;
    tc_text text = {0};
    (void)err;
    if (!st->note)
        return TACIT_OK;
    if (pins->next)
        tc_text_addf(&text,
                     "the coordinator announces another key: from now on give the fingerprints "
                     "\"%s;%s\"",
                     pins->now, pins->next);
    else
        tc_text_addf(&text, "the coordinator has changed its key, as announced: %s", pins->now);
    st->note(st->cfg.user, tc_text_get(&text));
    tc_text_fini(&text);
    return TACIT_OK;
}

static tacit_status open_way(served_storage *st, const char *url, const tacit_storage_opts *opts,
                             tacit_error *err)
{
    st->token = tc_strdup(opts->token);
    if (!st->token)
        return tc_fail_memory(err);
    const tc_client_opts way = {
        .fingerprint = opts->fingerprint, .ca = opts->ca, .proxy = opts->proxy};
    TC_TRY(tc_client_new(&st->client, url, &way, err));
    if (opts->stop)
        tc_client_stop_at(st->client, opts->stop, opts->user);
    st->cfg = (tc_remote_config){.transport = tc_client_transport(st->client),
                                 .token = st->token,
                                 .patience_ms = tc_served_patience_ms(opts->patience_s),
                                 .wait = opts->wait,
                                 .user = opts->user};
    st->note = opts->note;
    return tc_client_believe(st->client, NULL, tell_of_keys, st, err);
}

/* Nothing is sent yet. */
static tacit_status storage_open(tacit_storage **out, const char *url,
                                 const tacit_storage_opts *opts, const tacit_document *doc,
                                 tacit_error *err)
{
    (void)doc;
    if (!opts->token || !*opts->token)
        return tc_fail(err, TACIT_E_ARG, "a coordinator wants a token, and none was given");
    if (!(opts->patience_s < (double)INFINITY))
        return tc_fail(err, TACIT_E_ARG, "patience_s must be a finite number, got %g",
                       opts->patience_s);
    served_storage *st = tc_alloc(1, sizeof *st);
    if (!st)
        return tc_fail_memory(err);
    tc_storage_begin(&st->base, &storage_ops);
    pthread_mutex_init(&st->lock, NULL);
    tacit_status status = open_way(st, url, opts, err);
    if (status == TACIT_OK)
        *out = &st->base;
    else
        storage_close(&st->base);
    return status;
}

/* ---- requests ---- */

/* With the lock. The path is of three parts, each may be "". */
static tacit_status call(const served_storage *st, const char *method, const char *path,
                         const char *name, const char *rest, bool once, json_t **out,
                         tacit_error *err)
{
    tc_text full = {0};
    tc_text_addf(&full, "%s%s%s", path, name, rest);
    tc_call c = {.method = method, .path = tc_text_get(&full)};
    tacit_status status =
        full.failed ? tc_fail_memory(err) : tc_remote_call(&st->cfg, &c, once, out, err);
    tc_text_fini(&full);
    return status;
}

static tacit_status get(const served_storage *st, const char *path, const char *name,
                        const char *rest, json_t **out, tacit_error *err)
{
    return call(st, "GET", path, name, rest, false, out, err);
}

/* The answer as text, for whoever called. With the lock. */
static tacit_status answer_to(const served_storage *st, const tc_call *c, bool once, char **answer,
                              tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_remote_call(&st->cfg, c, once, &j, err));
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    *answer = text;
    return TACIT_OK;
}

static tacit_status coordinator_of(tacit_storage *base, served_storage **out, tacit_error *err)
{
    if (!base)
        return tc_fail(err, TACIT_E_ARG, "st must not be NULL");
    if (base->ops != &storage_ops)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "the storage is of this process: only a coordinator answers requests");
    *out = (served_storage *)base;
    return TACIT_OK;
}

tacit_status tacit_net_call(tacit_storage *base, const char *method, const char *study,
                            const char *path, const char *body, char **answer, tacit_error *err)
{
    served_storage *st;
    tc_text full = {0};
    TC_GIVEN(method);
    TC_GIVEN(path);
    TC_GIVEN(answer);
    TC_TRY(coordinator_of(base, &st, err));
    if (study)
        TC_TRY(tc_study_name_check(study, err));
    tc_text_addf(&full, "%s%s%s", study ? "/v1/studies/" : "", study ? study : "", path);
    tc_call c = {.method = method,
                 .path = tc_text_get(&full),
                 .body = body,
                 .n_body = body ? strlen(body) : 0};
    pthread_mutex_lock(&st->lock);
    tacit_status status = full.failed ? tc_fail_memory(err)
                                      : answer_to(st, &c, strcmp(method, "GET") != 0, answer, err);
    pthread_mutex_unlock(&st->lock);
    tc_text_fini(&full);
    return status;
}

tacit_status tacit_net_create(tacit_storage *base, const tacit_document *document, char **answer,
                              tacit_error *err)
{
    served_storage *st;
    TC_GIVEN(document);
    TC_GIVEN(answer);
    TC_TRY(coordinator_of(base, &st, err));
    char *body = tc_remote_creation(document);
    if (!body)
        return tc_fail_memory(err);
    tacit_status status = tacit_net_call(base, "POST", NULL, "/v1/studies", body, answer, err);
    tc_free(body);
    return status;
}

/* Sent once: a second answer would say that there is no such study. */
static tacit_status erase(const served_storage *st, const char *name, tacit_error *err)
{
    json_t *answer;
    TC_TRY(tc_remote_check_name(name, err));
    TC_TRY(call(st, "DELETE", "/v1/studies/", name, "", true, &answer, err));
    json_decref(answer);
    return TACIT_OK;
}

static tacit_status storage_erase(tacit_storage *base, const char *name, tacit_error *err)
{
    served_storage *st = (served_storage *)base;
    pthread_mutex_lock(&st->lock);
    tacit_status status = erase(st, name, err);
    pthread_mutex_unlock(&st->lock);
    return status;
}

static tacit_status storage_backup(tacit_storage *base, const char *file, tacit_backup_info *info,
                                   tacit_error *err)
{
    (void)base;
    (void)file;
    (void)info;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "a coordinator's storage is backed up where it is, not over the network");
}

/* ---- one study ---- */

static tacit_status storage_study_open(tacit_storage *base, const char *name, tacit_study **out,
                                       tacit_error *err)
{
    served_storage *st = (served_storage *)base;
    pthread_mutex_lock(&st->lock);
    tacit_status status = tc_served_open(st, name, out, err);
    pthread_mutex_unlock(&st->lock);
    return status;
}

static tacit_status post_study(const served_storage *st, const tc_study_doc *doc, tacit_error *err)
{
    json_t *answer;
    char *body = tc_remote_creation(doc);
    if (!body)
        return tc_fail_memory(err);
    tc_call c = {.method = "POST", .path = "/v1/studies", .body = body, .n_body = strlen(body)};
    tacit_status status = tc_remote_call(&st->cfg, &c, false, &answer, err);
    tc_free(body);
    if (status == TACIT_OK)
        json_decref(answer);
    return status;
}

static tacit_status storage_outsource(tacit_storage *base, const char *body, json_t **answer,
                                      tacit_error *err)
{
    served_storage *st = (served_storage *)base;
    tc_call c = {
        .method = "POST", .path = "/v1/studies:outsource", .body = body, .n_body = strlen(body)};
    pthread_mutex_lock(&st->lock);
    tacit_status status = tc_remote_call(&st->cfg, &c, false, answer, err);
    pthread_mutex_unlock(&st->lock);
    return status;
}

static tacit_status open_or_create(served_storage *st, const tc_study_doc *doc, tacit_study **out,
                                   tacit_error *err)
{
    tacit_status status = tc_served_open(st, doc->name, out, err);
    if (status != TACIT_E_NOT_FOUND)
        return status;
    status = post_study(st, doc, err);
    if (status != TACIT_E_STATE && status != TACIT_E_CONFLICT) /* else somebody was faster */
        TC_TRY(status);
    return tc_served_open(st, doc->name, out, err);
}

/* A caller that gives a document agrees to that one, and to no other that the coordinator may have. */
static tacit_status check_same(const tacit_study *s, const tc_study_doc *doc, tacit_error *err)
{
    if (tc_study_doc_same(s->doc, doc, err) == TACIT_OK)
        return TACIT_OK;
    return tc_fail_in(err, "the coordinator's study %s is another one", doc->name);
}

static tacit_status storage_study_create(tacit_storage *base, const tacit_document *doc,
                                         tacit_study **out, tacit_error *err)
{
    served_storage *st = (served_storage *)base;
    tacit_study *s = NULL;
    pthread_mutex_lock(&st->lock);
    tacit_status status = open_or_create(st, doc, &s, err);
    pthread_mutex_unlock(&st->lock);
    TC_TRY(status);
    status = check_same(s, doc, err);
    if (status == TACIT_OK)
        *out = s;
    else
        s->ops->close(s);
    return status;
}

/* ---- a list of studies ---- */

static bool is_known(const tacit_studies *all, const char *name)
{
    for (size_t i = all->n; i-- > 0;)
        if (strcmp(name, all->list[i].name) == 0)
            return true;
    return false;
}

/* A page of names; *more says whether there is another after the last one. One that brings no new name would
 * come for ever. */
static tacit_status take_page(const json_t *answer, tacit_studies *all, bool *more,
                              tacit_error *err)
{
    const json_t *list = json_object_get(answer, "studies");
    size_t before = all->n;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name)
            return tc_fail(err, TACIT_E_IO,
                           "the coordinator's answer makes no sense: a study without a name");
        if (!is_known(all, name))
            TC_TRY(tc_studies_add(all, &(tacit_study_summary){.name = name}, err));
    }
    *more = json_is_string(json_object_get(answer, "next")) && all->n > before;
    return TACIT_OK;
}

/* After the last name that is still there: one that was erased since is no place in the list. */
static tacit_status get_page(const served_storage *st, tacit_studies *all, json_t **out,
                             tacit_error *err)
{
    for (;;) {
        bool first = all->n == 0;
        tacit_status status = get(st, first ? "/v1/studies" : "/v1/studies?after=",
                                  first ? "" : all->list[all->n - 1].name, "", out, err);
        if (status != TACIT_E_NOT_FOUND || first)
            return status;
        all->n--;
    }
}

static tacit_status list_names(const served_storage *st, tacit_studies *all, tacit_error *err)
{
    for (bool more = true; more;) {
        json_t *answer;
        TC_TRY(get_page(st, all, &answer, err));
        tacit_status status = take_page(answer, all, &more, err);
        json_decref(answer);
        TC_TRY(status);
    }
    return TACIT_OK;
}

/* ---- and what they say of themselves ---- */

static uint64_t count_of(const json_t *j, const char *key)
{
    int64_t n;
    return tc_json_whole(json_object_get(j, key), &n) && n >= 0 ? (uint64_t)n : TACIT_UNKNOWN;
}

static tacit_study_state state_of(const json_t *shown)
{
    const char *name = json_string_value(json_object_get(shown, "state"));
    if (name && strcmp(name, "paused") == 0)
        return TACIT_STUDY_PAUSED;
    return name && strcmp(name, "closed") == 0 ? TACIT_STUDY_CLOSED : TACIT_STUDY_RUNNING;
}

/* Of several objectives that of the first. */
static const char *direction_of(const json_t *doc)
{
    json_t *objectives = json_object_get(doc, "objectives");
    return json_string_value(objectives ? json_object_iter_value(json_object_iter(objectives))
                                        : json_object_get(doc, "direction"));
}

/* A federated study has no trials of its own, and no best one. */
static tacit_status add_summary(tacit_studies *out, const char *name, const json_t *shown,
                                const json_t *best, tacit_error *err)
{
    const char *text = json_string_value(json_object_get(shown, "document"));
    json_t *doc = text ? json_loads(text, 0, NULL) : NULL;
    const json_t *value = json_object_get(best, "value");
    tacit_study_summary s = {
        .name = name,
        .algorithm = json_string_value(json_object_get(json_object_get(doc, "algorithm"), "name")),
        .direction = direction_of(doc),
        .state = state_of(shown),
        .planned = count_of(doc, "trials"),
        .complete = count_of(shown, "complete"),
        .failed = count_of(shown, "failed"),
        .running = count_of(shown, "running"),
        .finished = TACIT_UNKNOWN,
        .best_trial = count_of(best, "trial"),
        .best = json_is_number(value) ? json_number_value(value) : (double)NAN};
    const json_t *objectives = json_object_get(doc, "objectives");
    s.objectives = objectives ? json_object_size(objectives) : 1;
    s.feasible = count_of(shown, json_object_get(shown, "feasible") ? "feasible" : "complete");
    s.front = objectives ? count_of(shown, "front") : 0;
    if (s.complete != TACIT_UNKNOWN && s.failed != TACIT_UNKNOWN)
        s.finished = s.complete + s.failed;
    tacit_status status = tc_studies_add(out, &s, err);
    json_decref(doc);
    return status;
}

static tacit_status add_shown(const served_storage *st, const char *name, tacit_studies *out,
                              tacit_error *err)
{
    json_t *shown, *best = NULL;
    tacit_status status = get(st, "/v1/studies/", name, "", &shown, err);
    if (status == TACIT_E_NOT_FOUND) /* erased since it was named */
        return TACIT_OK;
    TC_TRY(status);
    uint64_t complete = count_of(shown, "complete");
    if (complete > 0 && complete != TACIT_UNKNOWN && !json_object_get(shown, "front"))
        status = get(st, "/v1/studies/", name, "/best", &best, err);
    if (status == TACIT_OK || status == TACIT_E_NOT_FOUND)
        status = add_summary(out, name, shown, best, err);
    json_decref(shown);
    json_decref(best);
    return status;
}

static tacit_status list_summaries(const served_storage *st, tacit_studies *out, tacit_error *err)
{
    tacit_studies names = {0};
    tacit_status status = list_names(st, &names, err);
    for (size_t i = 0; i < names.n && status == TACIT_OK; i++)
        status = add_shown(st, names.list[i].name, out, err);
    tc_free(names.list);
    tc_arena_fini(&names.memory);
    return status;
}

static tacit_status storage_list(tacit_storage *base, tacit_list_what what, tacit_studies *out,
                                 tacit_error *err)
{
    served_storage *st = (served_storage *)base;
    pthread_mutex_lock(&st->lock);
    tacit_status status =
        what == TACIT_LIST_NAMES ? list_names(st, out, err) : list_summaries(st, out, err);
    pthread_mutex_unlock(&st->lock);
    return status;
}

static const tc_storage_ops storage_ops = {.schemes = {"https", "http"},
                                           .served = true,
                                           .open = storage_open,
                                           .close = storage_close,
                                           .study_open = storage_study_open,
                                           .study_create = storage_study_create,
                                           .list = storage_list,
                                           .erase = storage_erase,
                                           .backup = storage_backup,
                                           .outsource = storage_outsource};
