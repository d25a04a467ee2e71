/* study_api.c - the public interface of storages and studies: checks what was given, then calls the operations of
 * whoever has the study (handle.h). See <tacit/study.h>. */
#include "study/handle.h"

#include "base/api.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static TC_SIZED(sized_storage_opts, tacit_storage_opts, user, note);
static TC_SIZED(sized_backup, tacit_backup_info, made_ms, made_ms);
static TC_SIZED(sized_ask_opts, tacit_ask_opts, pulls, pulls);
static TC_SIZED(sized_report, tacit_report, noise_sd, n_outcomes);
static TC_SIZED(sized_query, tacit_trial_query, limit, limit);
static TC_SIZED(sized_summary, tacit_study_summary, best, front);
static TC_SIZED(sized_prune, tacit_prune, factor, factor);
static TC_SIZED(sized_verdict, tacit_verdict, compared, compared);

/* Calls may look at the message of a failure, whether or not the caller wants it. */
#define WITH_ERROR(err)                                                                            \
    tacit_error unwanted;                                                                          \
    err = err ? err : &unwanted

/* ---- schemes ---- */

enum { OTHERS_MOST = 4 };

/* The one thing that is global: which code is there, which never changes again. */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;
static const tc_storage_ops *others[OTHERS_MOST];

void tc_storage_register(const tc_storage_ops *ops)
{
    pthread_mutex_lock(&registering);
    size_t i = 0;
    while (i < OTHERS_MOST && others[i] && others[i] != ops)
        i++;
    if (i < OTHERS_MOST)
        others[i] = ops;
    pthread_mutex_unlock(&registering);
}

static bool has_scheme(const tc_storage_ops *ops, const char *url, size_t len)
{
    for (size_t i = 0; ops->schemes[i]; i++)
        if (strlen(ops->schemes[i]) == len && memcmp(ops->schemes[i], url, len) == 0)
            return true;
    return false;
}

static const tc_storage_ops *find_other(const char *url, size_t len)
{
    const tc_storage_ops *found = NULL;
    pthread_mutex_lock(&registering);
    for (size_t i = 0; i < OTHERS_MOST && others[i] && !found; i++)
        if (has_scheme(others[i], url, len))
            found = others[i];
    pthread_mutex_unlock(&registering);
    return found;
}

static tacit_status find_ops(const char *url, const tc_storage_ops **out, tacit_error *err)
{
    size_t len = strcspn(url, ":");
    const tc_storage_ops *other = find_other(url, len);
    bool net =
        (len == 5 && strncmp(url, "https", 5) == 0) || (len == 4 && strncmp(url, "http", 4) == 0);
    if (!other && net)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "a storage with the scheme \"%.*s\" is a coordinator, which needs "
                       "libtacit-net: link it, and call tacit_net_register first",
                       (int)len, url);
    *out = other ? other : &tc_storage_local;
    return TACIT_OK;
}

/* ---- storages ---- */

void tc_storage_begin(tacit_storage *st, const tc_storage_ops *ops)
{
    st->ops = ops;
    atomic_init(&st->users, 1);
}

void tc_storage_unref(tacit_storage *st)
{
    if (!st || atomic_fetch_sub(&st->users, 1) != 1)
        return;
    if (st->url) /* may have a password */
        explicit_bzero(st->url, strlen(st->url));
    tc_free(st->url);
    st->ops->close(st);
}

static tacit_status open_storage(tacit_storage **out, const char *url,
                                 const tacit_storage_opts *opts, const tacit_document *doc,
                                 tacit_error *err)
{
    tacit_storage_opts full = TACIT_STORAGE_OPTS;
    const tc_storage_ops *ops;
    tacit_storage *st;
    if (opts)
        TC_TRY(tc_sized_take(&sized_storage_opts, &full, opts, "opts", err));
    if (full.threads < -1 || full.threads > 1024)
        return tc_fail(err, TACIT_E_ARG, "threads must be -1 to 1024, got %d", (int)full.threads);
    TC_TRY(find_ops(url, &ops, err));
    TC_TRY(ops->open(&st, url, &full, doc, err));
    st->patience_s = full.patience_s;
    st->url = tc_strdup(url);
    if (!st->url) {
        tc_storage_unref(st);
        return tc_fail_memory(err);
    }
    *out = st;
    return TACIT_OK;
}

tacit_status tacit_storage_open(tacit_storage **out, const char *url,
                                const tacit_storage_opts *opts, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(out);
    TC_GIVEN(url);
    return open_storage(out, url, opts, NULL, err);
}

void tacit_storage_close(tacit_storage *st)
{
    tc_storage_unref(st);
}

tacit_status tacit_storage_erase(tacit_storage *st, const char *name, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(st);
    TC_GIVEN(name);
    return st->ops->erase(st, name, err);
}

tacit_status tacit_storage_backup(tacit_storage *st, const char *file, tacit_backup_info *info,
                                  tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(st);
    TC_GIVEN(file);
    tacit_backup_info made = TACIT_BACKUP_INFO;
    if (info) /* before anything is written */
        TC_TRY(tc_sized_check(&sized_backup, info, "info", err));
    TC_TRY(st->ops->backup(st, file, &made, err));
    if (info)
        tc_sized_give(&sized_backup, info, &made);
    return TACIT_OK;
}

tacit_status tacit_storage_list(tacit_storage *st, tacit_list_what what, tacit_studies **out,
                                tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(st);
    TC_GIVEN(out);
    if (what != TACIT_LIST_NAMES && what != TACIT_LIST_SUMMARIES)
        return tc_fail(err, TACIT_E_ARG, "there is no list of kind %d", (int)what);
    tacit_studies *list = tc_alloc(1, sizeof *list);
    if (!list)
        return tc_fail_memory(err);
    tacit_status st_ = st->ops->list(st, what, list, err);
    if (st_ == TACIT_OK)
        *out = list;
    else
        tacit_studies_free(list);
    return st_;
}

/* ---- studies ---- */

/* The handle of a study is a user of its storage. */
static tacit_status join(tacit_study **out, tacit_study *s, tacit_storage *st)
{
    atomic_fetch_add(&st->users, 1);
    s->storage = st;
    *out = s;
    return TACIT_OK;
}

tacit_status tacit_study_open_in(tacit_study **out, tacit_storage *st, const char *name,
                                 tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(out);
    TC_GIVEN(st);
    TC_GIVEN(name);
    tacit_study *s;
    TC_TRY(st->ops->study_open(st, name, &s, err));
    return join(out, s, st);
}

tacit_status tacit_study_create_in(tacit_study **out, tacit_storage *st,
                                   const tacit_document *document, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(out);
    TC_GIVEN(st);
    TC_GIVEN(document);
    tacit_study *s;
    TC_TRY(st->ops->study_create(st, document, &s, err));
    return join(out, s, st);
}

tacit_status tacit_study_open(tacit_study **out, const char *storage, const char *name,
                              const tacit_storage_opts *opts, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(out);
    TC_GIVEN(storage);
    TC_GIVEN(name);
    tacit_storage *st;
    TC_TRY(open_storage(&st, storage, opts, NULL, err));
    tacit_status status = tacit_study_open_in(out, st, name, err);
    tc_storage_unref(st);
    return status;
}

tacit_status tacit_study_create_from(tacit_study **out, const char *storage,
                                     const tacit_document *document, const tacit_storage_opts *opts,
                                     tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(out);
    TC_GIVEN(storage);
    TC_GIVEN(document);
    tacit_storage *st;
    TC_TRY(open_storage(&st, storage, opts, document, err));
    tacit_status status = tacit_study_create_in(out, st, document, err);
    tc_storage_unref(st);
    return status;
}

tacit_status tacit_study_create(tacit_study **out, const char *storage, const char *document,
                                const tacit_storage_opts *opts, tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(storage);
    TC_GIVEN(document);
    tacit_document *doc;
    TC_TRY(tacit_document_parse(&doc, document, err));
    tacit_status status = tacit_study_create_from(out, storage, doc, opts, err);
    tacit_document_free(doc);
    return status;
}

void tacit_study_close(tacit_study *s)
{
    if (!s)
        return;
    tacit_storage *st = s->storage;
    tc_record_guard_free(s->guard);
    s->ops->close(s);
    tc_storage_unref(st);
}

bool tc_study_is_served(const tacit_study *s)
{
    return s->storage && s->storage->ops->served;
}

const char *tacit_study_name(const tacit_study *s)
{
    return s ? tacit_document_name(s->doc) : NULL;
}

const tacit_document *tacit_study_document(const tacit_study *s)
{
    return s ? s->doc : NULL;
}

const tacit_space *tacit_study_space(const tacit_study *s)
{
    return s ? tacit_document_space(s->doc) : NULL;
}

/* ---- what a call may be given ---- */

enum { WORKER_BYTES = 255 };

static tacit_status check_worker(const char *what, const char *worker, tacit_error *err)
{
    size_t n = strlen(worker);
    if (n == 0 || n > WORKER_BYTES)
        return tc_fail(err, TACIT_E_ARG, "%s must have 1 to %d characters, got %zu", what,
                       WORKER_BYTES, n);
    for (size_t i = 0; i < n; i++)
        if (worker[i] < ' ' || worker[i] > '~')
            return tc_fail(err, TACIT_E_ARG,
                           "%s must be printable characters of ASCII, got byte 0x%02x at %zu", what,
                           (unsigned)(unsigned char)worker[i], i + 1);
    return TACIT_OK;
}

static tacit_status check_lease(int64_t ms, tacit_error *err)
{
    if (ms == 0 || ms >= 1000 * TACIT_LEASE_LEAST_S)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "lease_ms must be 0 or at least %d, got %lld",
                   1000 * TACIT_LEASE_LEAST_S, (long long)ms);
}

/* ---- studies that protect records ---- */

static bool protects_records(const tacit_study *s)
{
    return s->doc->promise == TC_PROMISE_RECORDS;
}

static tacit_status check_guard(const tacit_study *s, tacit_error *err)
{
    if (s->guard)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "study \"%s\" protects validation records: say how many there are before "
                   "anything is evaluated",
                   s->doc->name);
}

void tc_study_set_guard(tacit_study *s, tc_record_guard *g)
{
    s->guard = g;
}

/* Does the next ask get it, before a new one? */
static bool is_next(const tacit_trial *t, int64_t now_ms)
{
    bool late =
        t->state == TACIT_TRIAL_RUNNING && t->lease_ms > 0 && now_ms - t->asked_ms > t->lease_ms;
    return late || t->state == TACIT_TRIAL_WAITING || t->state == TACIT_TRIAL_STALE;
}

/* Has somebody left a trial that is paid for, so that an ask gets that? All that wait must be: which of
 * them comes first is for the study to say. */
static tacit_status paid_one_waits(tacit_study *s, bool *out, tacit_error *err)
{
    tacit_trial_query all = TACIT_TRIAL_QUERY;
    tacit_trials list = {0};
    int64_t now_ms;
    size_t waiting = 0, paid = 0;
    TC_TRY(s->ops->now(s, &now_ms, err));
    tacit_status status = s->ops->trials(s, &all, NULL, &list, err);
    for (size_t i = 0; status == TACIT_OK && i < list.n; i++) {
        bool has = false;
        if (!is_next(&list.list[i], now_ms))
            continue;
        status = tc_record_guard_has(s->guard, list.list[i].number, &has, err);
        waiting++;
        paid += has;
    }
    tc_trials_fini(&list);
    *out = waiting > 0 && paid == waiting;
    return status;
}

tacit_status tc_study_may_evaluate(tacit_study *s, tacit_error *err)
{
    tacit_error why = {0};
    bool waits;
    if (!protects_records(s))
        return TACIT_OK;
    TC_TRY(check_guard(s, err));
    tacit_status status = tc_record_guard_may(s->guard, &why);
    if (status != TACIT_E_BUDGET)
        return tc_pass_on(err, status, &why);
    TC_TRY(paid_one_waits(s, &waits, err));
    return waits ? TACIT_OK : tc_pass_on(err, status, &why);
}

tacit_status tc_study_reserve(tacit_study *s, uint64_t trial, tacit_error *err)
{
    if (!protects_records(s))
        return TACIT_OK;
    TC_TRY(check_guard(s, err));
    return tc_record_guard_reserve(s->guard, trial, err);
}

/* Paid for before anybody can evaluate them. Those that nobody paid for are given back; where some are paid for, the
 * others are not handed out. */
static tacit_status reserve_all(tacit_study *s, tacit_trials *got, tacit_error *err)
{
    tacit_error why = {0}, none;
    tacit_status status = TACIT_OK;
    size_t paid = 0;
    while (paid < got->n && status == TACIT_OK) {
        status = tc_study_reserve(s, got->list[paid].number, &why);
        paid += status == TACIT_OK;
    }
    for (size_t i = paid; i < got->n; i++)
        (void)s->ops->requeue(s, got->list[i].number, &none);
    got->n = paid;
    return paid > 0 && status == TACIT_E_BUDGET ? TACIT_OK : tc_pass_on(err, status, &why);
}

tacit_status tc_study_make_private(tacit_study *s, uint64_t trial, tacit_report *r,
                                   tacit_error *err)
{
    if (!protects_records(s))
        return TACIT_OK;
    TC_TRY(check_guard(s, err));
    if (r->kind == TACIT_REPORT_PRUNED && tc_study_doc_share(s->doc) > 0) {
        r->noise_sd = tc_record_guard_sd(s->guard); /* its last intermediate value has it */
        return TACIT_OK;
    }
    if (r->kind != TACIT_REPORT_VALUE && r->kind != TACIT_REPORT_FAILED)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "study \"%s\" protects validation records: a trial is one evaluation, and "
                       "is reported as a value or as failed",
                       s->doc->name);
    double y = r->kind == TACIT_REPORT_VALUE ? r->value : (double)NAN;
    TC_TRY(tc_record_guard_release(s->guard, trial, y, &r->value, err));
    r->kind = TACIT_REPORT_VALUE;
    r->reason = NULL;
    r->noise_sd = tc_record_guard_sd(s->guard);
    return TACIT_OK;
}

tacit_status tc_study_recall_private(tacit_study *s, uint64_t trial, tacit_report *r,
                                     tacit_error *err)
{
    tacit_report told = TACIT_REPORT;
    if (!s->guard)
        return tc_fail(err, TACIT_E_NOT_FOUND, "nothing was released");
    TC_TRY(tc_record_guard_recall(s->guard, trial, &told.value, err));
    told.noise_sd = tc_record_guard_sd(s->guard);
    *r = told;
    return TACIT_OK;
}

/* ---- ask ---- */

/* Has this worker a trial that it left unfinished? It gets that one back, and it was paid for. */
static tacit_status has_open(tacit_study *s, const char *worker, tc_reading *reading, bool *out,
                             tacit_error *err)
{
    tacit_trial_query running = TACIT_TRIAL_QUERY;
    tacit_trials got = {0};
    running.state = TACIT_TRIAL_RUNNING;
    *out = false;
    if (!worker)
        return TACIT_OK;
    tacit_status status = s->ops->trials(s, &running, reading, &got, err);
    for (size_t i = 0; i < got.n && status == TACIT_OK; i++)
        *out |= got.list[i].worker && strcmp(got.list[i].worker, worker) == 0;
    tc_trials_fini(&got);
    return status;
}

static tacit_status may_ask(tacit_study *s, const char *worker, tc_reading *reading,
                            tacit_error *err)
{
    bool open;
    tacit_error why = {0};
    tacit_status status = tc_study_may_evaluate(s, &why);
    if (status != TACIT_E_BUDGET)
        return tc_pass_on(err, status, &why);
    TC_TRY(has_open(s, worker, reading, &open, err));
    return open ? TACIT_OK : tc_pass_on(err, status, &why);
}

/* No more than the document has planned and nobody has yet: what is beyond could never be told. */
static tacit_status limit_count(tacit_study *s, tc_reading *reading, uint64_t *count,
                                tacit_error *err)
{
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    if (*count == 1)
        return TACIT_OK;
    TC_TRY(s->ops->summarize(s, reading, &now, err));
    uint64_t used = now.complete + now.failed + now.running, planned = s->doc->trials;
    uint64_t left = planned > used ? planned - used : 1;
    *count = *count < left ? *count : left;
    return TACIT_OK;
}

/* Every pull would be an evaluation of its own. A refusal leaves no trial behind. */
static tacit_status ask_reserved(tacit_study *s, const tacit_ask_opts *q, tc_reading *reading,
                                 tacit_trials *out, tacit_error *err)
{
    tc_reading own = {0};
    tacit_ask_opts single = *q;
    single.pulls = 0;
    if (!reading)
        reading = &own;
    TC_TRY(may_ask(s, q->worker, reading, err));
    TC_TRY(limit_count(s, reading, &single.count, err));
    TC_TRY(s->ops->ask(s, &single, reading, out, err));
    return reserve_all(s, out, err);
}

static tacit_status ask(tacit_study *s, const tacit_ask_opts *q, tc_reading *reading,
                        tacit_trials *out, tacit_error *err)
{
    if (q->worker)
        TC_TRY(check_worker("worker", q->worker, err));
    TC_TRY(check_lease(q->lease_ms, err));
    if (q->count > TACIT_ASK_MOST)
        return tc_fail(err, TACIT_E_ARG, "count must be at most %d, got %" PRIu64, TACIT_ASK_MOST,
                       q->count);
    return protects_records(s) ? ask_reserved(s, q, reading, out, err)
                               : s->ops->ask(s, q, reading, out, err);
}

tacit_status tacit_study_ask(tacit_study *s, uint64_t *trial, double *values, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(trial);
    TC_GIVEN(values);
    tacit_ask_opts q = TACIT_ASK_OPTS;
    tacit_trials got = {0};
    q.count = 1;
    tacit_status status = ask(s, &q, NULL, &got, err);
    if (status == TACIT_OK) {
        *trial = got.list[0].number;
        memcpy(values, got.list[0].values,
               tacit_space_params(tacit_study_space(s)) * sizeof *values);
    }
    tc_trials_fini(&got);
    return status;
}

/* A list of the caller's, filled by `status`, or none. */
static tacit_status hand_out(tacit_trials *list, tacit_status status, tacit_trials **out)
{
    if (status == TACIT_OK)
        *out = list;
    else
        tacit_trials_free(list);
    return status;
}

tacit_status tc_study_ask_on(tacit_study *s, const tacit_ask_opts *opts, tc_reading *reading,
                             tacit_trials **out, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(out);
    tacit_ask_opts q = TACIT_ASK_OPTS;
    if (opts)
        TC_TRY(tc_sized_take(&sized_ask_opts, &q, opts, "opts", err));
    q.count = q.count ? q.count : 1;
    tacit_trials *list = tc_alloc(1, sizeof *list);
    return list ? hand_out(list, ask(s, &q, reading, list, err), out) : tc_fail_memory(err);
}

tacit_status tacit_study_ask_many(tacit_study *s, const tacit_ask_opts *opts, tacit_trials **out,
                                  tacit_error *err)
{
    return tc_study_ask_on(s, opts, NULL, out, err);
}

/* ---- tell ---- */

tacit_status tacit_study_report(tacit_study *s, uint64_t trial, const tacit_report *report,
                                tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    tacit_report r;
    TC_TRY(tc_sized_take(&sized_report, &r, report, "report", err));
    if (r.kind < TACIT_REPORT_VALUE || r.kind > TACIT_REPORT_PRUNED)
        return tc_fail(err, TACIT_E_ARG, "there is no report of kind %d", (int)r.kind);
    if (r.kind == TACIT_REPORT_PULLS && r.n_pulls == 0)
        return tc_fail(err, TACIT_E_ARG, "a report of pulls must have at least one");
    if (r.kind == TACIT_REPORT_PULLS && !r.pulls)
        return tc_fail(err, TACIT_E_ARG, "report.pulls must not be NULL");
    if (!(r.noise_sd >= 0 && isfinite(r.noise_sd)))
        return tc_fail(err, TACIT_E_ARG, "report.noise_sd must be a number >= 0, got %g",
                       r.noise_sd);
    TC_TRY(tc_study_check_outcomes(s, &r, err));
    TC_TRY(tc_study_make_private(s, trial, &r, err));
    return s->ops->report(s, trial, &r, err);
}

tacit_status tacit_study_tell(tacit_study *s, uint64_t trial, double value, tacit_error *err)
{
    tacit_report r = TACIT_REPORT;
    r.value = value;
    return tacit_study_report(s, trial, &r, err);
}

tacit_status tacit_study_fail(tacit_study *s, uint64_t trial, const char *reason, tacit_error *err)
{
    tacit_report r = TACIT_REPORT;
    r.kind = TACIT_REPORT_FAILED;
    r.reason = reason;
    return tacit_study_report(s, trial, &r, err);
}

tacit_status tacit_study_add_pull(tacit_study *s, tacit_batch *batch, double value,
                                  tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(batch);
    return s->ops->add_pull(s, batch, value, err);
}

/* ---- intermediate values ---- */

_Static_assert((int)TC_PRUNE_ASHA == (int)TACIT_PRUNE_ASHA, "rules in the same order");

const char *tacit_prune_rule_name(tacit_prune_rule rule)
{
    static const char *const names[] = {"none", "median", "asha"};
    return rule <= TACIT_PRUNE_ASHA ? names[rule] : NULL;
}

tacit_status tc_prune_take(const tacit_prune *rule, tc_prune *out, tacit_error *err)
{
    tacit_prune given = TACIT_PRUNE;
    if (rule)
        TC_TRY(tc_sized_take(&sized_prune, &given, rule, "rule", err));
    *out = (tc_prune){.rule = (tc_prune_rule)given.rule,
                      .warmup = given.warmup,
                      .min_trials = given.min_trials,
                      .min_step = given.min_step,
                      .factor = given.factor};
    return tc_prune_settle(out, err);
}

tacit_status tacit_study_report_step(tacit_study *s, uint64_t trial, uint64_t step, double value,
                                     const tacit_prune *rule, tacit_verdict *verdict,
                                     tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    return tc_study_report_steps(s, trial, &(tc_steps){&(tc_step){step, value}, 1}, rule, verdict,
                                 err);
}

/* Which of the trial's intermediate values one at this step is: as many as its curve has at steps before it. A run that begins
 * again comes to the same number at the same step. E_STATE: the trial was told, and nothing may be charged for it. */
static tacit_status index_of(tacit_study *s, uint64_t trial, uint64_t step, uint64_t *out,
                             tacit_error *err)
{
    tacit_trial *t;
    TC_TRY(tacit_study_trial(s, trial, &t, err));
    const bool open = t->state == TACIT_TRIAL_RUNNING || t->state == TACIT_TRIAL_STALE;
    *out = 0;
    for (size_t i = 0; i < t->n_steps; i++)
        *out += t->steps[i].step < step;
    tacit_trial_free(t);
    return open ? TACIT_OK
                : tc_fail(err, TACIT_E_STATE, "trial %" PRIu64 " is not being run", trial);
}

/* Each is paid for and gets its noise before anything else sees it. */
static tacit_status report_private(tacit_study *s, uint64_t trial, const tc_steps *steps,
                                   const tc_prune *p, tc_verdict *out, tacit_error *err)
{
    TC_TRY(check_guard(s, err));
    for (size_t i = 0; i < steps->n && !out->stop; i++) {
        tc_step at = steps->list[i];
        const tc_steps one = {.list = &at, .n = 1, .noise_sd = tc_record_guard_sd(s->guard)};
        uint64_t index;
        if (at.step > TC_STEP_MOST) /* nothing is charged for what the study refuses */
            return tc_fail(err, TACIT_E_ARG, "step must be at most %" PRIu64 ", got %" PRIu64,
                           TC_STEP_MOST, at.step);
        TC_TRY(index_of(s, trial, at.step, &index, err));
        TC_TRY(tc_record_guard_release_step(s->guard, trial, index, at.value, &at.value, err));
        TC_TRY(s->ops->report_steps(s, trial, &one, p, out, err));
    }
    return TACIT_OK;
}

tacit_status tc_study_report_steps(tacit_study *s, uint64_t trial, const tc_steps *steps,
                                   const tacit_prune *rule, tacit_verdict *verdict,
                                   tacit_error *err)
{
    tc_prune p;
    tc_verdict v = {.stop = false};
    TC_TRY(tc_prune_take(rule, &p, err));
    if (verdict)
        TC_TRY(tc_sized_check(&sized_verdict, verdict, "verdict", err));
    TC_TRY(tc_study_takes_steps(s->doc, err));
    TC_TRY((protects_records(s) ? report_private : s->ops->report_steps)(s, trial, steps, &p, &v,
                                                                         err));
    const tacit_verdict made = {
        .stop = v.stop, .step = v.step, .value = v.value, .bound = v.bound, .compared = v.compared};
    if (verdict)
        tc_sized_give(&sized_verdict, verdict, &made);
    return TACIT_OK;
}

tacit_status tacit_study_enqueue(tacit_study *s, const double *values, uint64_t *trial,
                                 tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    uint64_t number;
    TC_TRY(tacit_space_check(tacit_study_space(s), values, err));
    TC_TRY(s->ops->enqueue(s, values, &number, err));
    if (trial)
        *trial = number;
    return TACIT_OK;
}

/* Of trial i: is it the first failure at its point, and the last word about it? */
static bool wants_rerun(const tacit_trials *all, size_t i, size_t width)
{
    const tacit_trial *t = tacit_trials_get(all, i);
    if (t->state != TACIT_TRIAL_FAIL)
        return false;
    for (size_t k = 0; k < tacit_trials_count(all); k++) {
        const tacit_trial *other = tacit_trials_get(all, k);
        bool counts = k < i || other->state != TACIT_TRIAL_FAIL;
        if (counts && memcmp(t->values, other->values, width * sizeof *t->values) == 0)
            return false;
    }
    return true;
}

tacit_status tacit_study_rerun_failed(tacit_study *s, uint64_t *queued, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    tacit_trials *all;
    uint64_t n = 0, trial;
    size_t width = tacit_space_params(tacit_study_space(s));
    tacit_status status = TACIT_OK;
    TC_TRY(tacit_study_trials(s, NULL, &all, err));
    for (size_t i = 0; i < tacit_trials_count(all) && status == TACIT_OK; i++) {
        if (!wants_rerun(all, i, width))
            continue;
        status = s->ops->enqueue(s, tacit_trials_get(all, i)->values, &trial, err);
        n += status == TACIT_OK;
    }
    tacit_trials_free(all);
    if (status == TACIT_OK && queued)
        *queued = n;
    return status;
}

tacit_status tacit_study_delete_trial(tacit_study *s, uint64_t trial, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    return s->ops->delete_trial(s, trial, err);
}

tacit_status tacit_study_import(tacit_study *s, size_t n, const double *values, const double *y,
                                tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    if (n == 0)
        return TACIT_OK;
    TC_GIVEN(values);
    TC_GIVEN(y);
    const size_t each = tacit_document_outcomes(s->doc);
    if (each > 1)
        return tc_fail(err, TACIT_E_ARG,
                       "study %s is told %zu outcomes of a trial: give all of them "
                       "(tacit_study_import_outcomes)",
                       s->doc->name, each);
    return tacit_study_import_outcomes(s, n, values, y, err);
}

tacit_status tacit_study_import_outcomes(tacit_study *s, size_t n, const double *values,
                                         const double *outcomes, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    if (n == 0)
        return TACIT_OK;
    TC_GIVEN(values);
    TC_GIVEN(outcomes);
    TC_TRY(tacit_document_check_import(s->doc, err));
    return s->ops->import(s, n, values, outcomes, err);
}

/* ---- leases ---- */

tacit_status tacit_study_renew(tacit_study *s, uint64_t trial, const char *worker, int64_t lease_ms,
                               int64_t *until_ms, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(worker);
    int64_t until = 0;
    TC_TRY(check_worker("worker", worker, err));
    TC_TRY(check_lease(lease_ms, err));
    TC_TRY(s->ops->renew(s, trial, worker, lease_ms, &until, err));
    if (until_ms)
        *until_ms = until;
    return TACIT_OK;
}

/* The only trial of a list that is then over. */
static tacit_status hand_out_one(tacit_trials *got, tacit_status status, tacit_trial **out,
                                 tacit_error *err)
{
    if (status == TACIT_OK && out)
        status = tc_trials_take_first(got, out, err);
    tc_trials_fini(got);
    return status;
}

tacit_status tacit_study_take_over(tacit_study *s, uint64_t trial, const char *from, const char *to,
                                   int64_t lease_ms, tacit_trial **out, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(from);
    TC_GIVEN(to);
    tacit_trials got = {0};
    const tc_claim claim = {.from = from, .to = to, .lease_ms = lease_ms};
    TC_TRY(check_worker("from", from, err));
    TC_TRY(check_worker("to", to, err));
    TC_TRY(check_lease(lease_ms, err));
    if (protects_records(s))
        TC_TRY(check_guard(s, err));
    tacit_status status = s->ops->take_over(s, trial, &claim, &got, err);
    if (status == TACIT_OK)
        status = reserve_all(s, &got, err);
    return hand_out_one(&got, status, out, err);
}

tacit_status tacit_study_requeue(tacit_study *s, uint64_t trial, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    return s->ops->requeue(s, trial, err);
}

tacit_status tacit_study_now(tacit_study *s, int64_t *out_ms, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(out_ms);
    return s->ops->now(s, out_ms, err);
}

void tacit_study_keep_time(tacit_study *s)
{
    if (s)
        s->ops->keep_time(s);
}

/* ---- looking ---- */

tacit_status tacit_study_best(tacit_study *s, tacit_trial **out, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(out);
    tacit_trials got = {0};
    TC_TRY(tc_study_check_single(s, err));
    tacit_status status = s->ops->best(s, &got, err);
    if (status == TACIT_OK && got.n == 0)
        status = tc_study_least_violating(s, &got, err);
    if (status == TACIT_OK && got.n == 0)
        status = tc_fail(err, TACIT_E_STATE, "no trial of %s is complete yet", tacit_study_name(s));
    return hand_out_one(&got, status, out, err);
}

/* No complete trial is feasible, if there is one. */
static tacit_status recommend_infeasible(tacit_study *s, tc_found *found, tacit_error *err)
{
    found->by = TACIT_BY_SEEN;
    found->mean = found->sd = (double)NAN;
    snprintf(found->because, sizeof found->because,
             "no trial is feasible yet, and this one misses its bounds by least");
    return tc_study_least_violating(s, &found->trials, err);
}

tacit_status tacit_study_recommend(tacit_study *s, tacit_recommend_by by,
                                   tacit_recommendation **out, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(out);
    tc_found found = {.by = TACIT_BY_SEEN};
    if (by < TACIT_BY_AUTO || by > TACIT_BY_SEEN)
        return tc_fail(err, TACIT_E_ARG, "there is no way %d to recommend a trial", (int)by);
    TC_TRY(tc_study_check_single(s, err));
    tacit_status status = s->ops->recommend(s, by, &found, err);
    if (status == TACIT_OK && found.trials.n == 0)
        status = recommend_infeasible(s, &found, err);
    if (status == TACIT_OK && found.trials.n == 0)
        status = tc_fail(err, TACIT_E_STATE, "no trial of %s is complete yet", tacit_study_name(s));
    if (status == TACIT_OK)
        status = tc_found_take(&found, out, err);
    tc_trials_fini(&found.trials);
    return status;
}

tacit_status tacit_study_trial(tacit_study *s, uint64_t number, tacit_trial **out, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(out);
    tacit_trials got = {0};
    return hand_out_one(&got, s->ops->trial(s, number, &got, err), out, err);
}

tacit_status tc_study_trials_on(tacit_study *s, const tacit_trial_query *query, tc_reading *reading,
                                tacit_trials **out, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(out);
    tacit_trial_query q = TACIT_TRIAL_QUERY;
    if (query)
        TC_TRY(tc_sized_take(&sized_query, &q, query, "query", err));
    if (q.state < TACIT_TRIAL_ANY || q.state > TACIT_TRIAL_DELETED)
        return tc_fail(err, TACIT_E_ARG, "there is no state %d of a trial", (int)q.state);
    tacit_trials *list = tc_alloc(1, sizeof *list);
    return list ? hand_out(list, s->ops->trials(s, &q, reading, list, err), out)
                : tc_fail_memory(err);
}

tacit_status tacit_study_trials(tacit_study *s, const tacit_trial_query *query, tacit_trials **out,
                                tacit_error *err)
{
    return tc_study_trials_on(s, query, NULL, out, err);
}

tacit_status tc_study_summarize_on(tacit_study *s, tc_reading *reading, tacit_study_summary *out,
                                   tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    TC_TRY(tc_sized_check(&sized_summary, out, "out", err));
    TC_TRY(s->ops->summarize(s, reading, &now, err));
    now.name = tacit_study_name(s);
    now.algorithm = tacit_document_algorithm(s->doc);
    now.direction = tacit_document_maximizes(s->doc) ? "maximize" : "minimize";
    tc_sized_give(&sized_summary, out, &now);
    return TACIT_OK;
}

tacit_status tacit_study_summarize(tacit_study *s, tacit_study_summary *out, tacit_error *err)
{
    return tc_study_summarize_on(s, NULL, out, err);
}

tacit_status tacit_study_events(tacit_study *s, uint64_t after, tacit_event_visit visit, void *user,
                                tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    TC_GIVEN(visit);
    return s->ops->events(s, after, visit, user, err);
}

/* ---- of a coordinator's study ---- */

tacit_status tacit_study_set_state(tacit_study *s, tacit_study_state state, tacit_error *err)
{
    WITH_ERROR(err);
    TC_GIVEN(s);
    if (state < TACIT_STUDY_RUNNING || state > TACIT_STUDY_CLOSED)
        return tc_fail(err, TACIT_E_ARG, "there is no state %d of a study", (int)state);
    return s->ops->set_state(s, state, err);
}

void tacit_study_set_patience(tacit_study *s, double patience_s, int32_t timeout_s)
{
    if (s)
        s->ops->set_patience(s, patience_s, timeout_s);
}

bool tacit_study_is_away(tacit_study *s)
{
    return s && s->ops->is_away(s);
}
