/* memory.c - the store that keeps nothing: simulations, tests, and the one to copy.
 *
 * Everything is under one mutex. A study's row stays until the store is closed, also
 * of an erased one, so it may be read without it once found. Called through tc_store_* only. */
#include "study/memory_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <pthread.h>
#include <string.h>

typedef struct tell {
    uint64_t trial;
    size_t at; /* its event */
} tell;

typedef struct journal {
    tc_study_row row;
    bool erased;
    tc_event_row *events; /* events[i].seq == i + 1; bodies are owned */
    size_t n, cap;
    tell *told; /* by trial, ascending */
    size_t n_told, told_cap;
} journal;

typedef struct memory_store {
    tc_store base;
    pthread_mutex_t lock;
    journal **studies; /* studies[i] has id i + 1 */
    size_t n, cap;
    tc_memory_records records;
    bool keeps_numbers; /* of studies that are put */
} memory_store;

static tacit_status memory_open(tc_store **out, const char *path, bool create, tacit_error *err)
{
    (void)path;
    (void)create;
    memory_store *m = tc_alloc(1, sizeof *m);
    if (!m)
        return tc_fail_memory(err);
    m->base.ops = &tc_store_memory;
    pthread_mutex_init(&m->lock, NULL);
    *out = &m->base;
    return TACIT_OK;
}

static void drop_events(journal *j)
{
    for (size_t i = 0; i < j->n; i++)
        tc_free((char *)j->events[i].body);
    tc_free(j->events);
    tc_free(j->told);
    j->events = NULL;
    j->told = NULL;
    j->n = j->cap = j->n_told = j->told_cap = 0;
}

static void journal_free(journal *j)
{
    drop_events(j);
    tc_study_row_fini(&j->row);
    tc_free(j);
}

static void drop_all(memory_store *m)
{
    for (size_t i = 0; i < m->n; i++)
        journal_free(m->studies[i]);
    tc_free(m->studies);
    m->studies = NULL;
    m->n = m->cap = 0;
    tc_memory_records_fini(&m->records);
    m->records = (tc_memory_records){0};
}

static void memory_close(tc_store *s)
{
    memory_store *m = (memory_store *)s;
    drop_all(m);
    pthread_mutex_destroy(&m->lock);
    tc_free(m);
}

/* The journal of a study, or NULL. Under the lock. */
static journal *find_name(const memory_store *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (!m->studies[i]->erased && strcmp(m->studies[i]->row.name, name) == 0)
            return m->studies[i];
    return NULL;
}

static journal *find_id(const memory_store *m, int64_t id)
{
    journal *j = id >= 1 && (uint64_t)id <= m->n ? m->studies[id - 1] : NULL;
    return j && !j->erased ? j : NULL;
}

/* A journal with the next number, as that of a study that is gone. */
static tacit_status add_journal(memory_store *m, tacit_error *err)
{
    journal *j = tc_alloc(1, sizeof *j);
    if (!j || !tc_grow((void **)&m->studies, &m->cap, m->n + 1, sizeof *m->studies)) {
        tc_free(j);
        return tc_fail_memory(err);
    }
    j->erased = true;
    m->studies[m->n++] = j;
    return TACIT_OK;
}

static tacit_status put_locked(memory_store *m, const tc_study_row *row, int64_t *id,
                               tacit_error *err)
{
    size_t number = m->keeps_numbers ? (size_t)row->id : m->n + 1;
    if (find_name(m, row->name))
        return tc_fail(err, TACIT_E_CONFLICT, "there is a study \"%s\" already", row->name);
    if (number <= m->n)
        return tc_fail(err, TACIT_E_STATE, "study number %lld comes late", (long long)row->id);
    while (m->n < number)
        TC_TRY(add_journal(m, err));
    journal *j = m->studies[m->n - 1];
    TC_TRY(tc_study_row_copy(&j->row, row, err));
    j->erased = false;
    *id = j->row.id = (int64_t)m->n;
    return TACIT_OK;
}

static tacit_status memory_study_put(tc_store *s, const tc_study_row *row, int64_t *id,
                                     tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    tacit_status status = put_locked(m, row, id, err);
    pthread_mutex_unlock(&m->lock);
    return status;
}

static tacit_status memory_study_get(tc_store *s, const char *name, tc_study_row *out,
                                     tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    const journal *j = find_name(m, name);
    pthread_mutex_unlock(&m->lock);
    if (!j)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no study \"%s\"", name);
    return tc_study_row_copy(out, &j->row, err);
}

static tacit_status memory_study_list(tc_store *s, int64_t after, tc_study_visit visit, void *user,
                                      tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    for (size_t i = after > 0 ? (size_t)after : 0;; i++) {
        pthread_mutex_lock(&m->lock);
        while (i < m->n && m->studies[i]->erased)
            i++;
        const journal *j = i < m->n ? m->studies[i] : NULL;
        pthread_mutex_unlock(&m->lock);
        if (!j)
            return TACIT_OK;
        TC_TRY(visit(user, &j->row, err));
    }
}

/* Where `trial` is or belongs among the told ones. */
static size_t told_at(const journal *j, uint64_t trial)
{
    size_t low = 0, high = j->n_told;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->told[middle].trial < trial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static tacit_status mark_told(journal *j, uint64_t trial, tacit_error *err)
{
    size_t at = told_at(j, trial);
    if (at < j->n_told && j->told[at].trial == trial)
        return tc_fail(err, TACIT_E_STATE, "trial %llu has been told already",
                       (unsigned long long)trial);
    memmove(j->told + at + 1, j->told + at, (j->n_told - at) * sizeof *j->told);
    j->told[at] = (tell){.trial = trial, .at = j->n};
    j->n_told++;
    return TACIT_OK;
}

static void unmark_told(journal *j, uint64_t trial)
{
    size_t at = told_at(j, trial);
    memmove(j->told + at, j->told + at + 1, (j->n_told - at - 1) * sizeof *j->told);
    j->n_told--;
}

static tacit_status add_event(journal *j, const tc_event_row *e, tacit_error *err)
{
    char *body = tc_strdup(e->body);
    if (!body)
        return tc_fail_memory(err);
    tacit_status status = e->kind == TC_EVENT_TELL ? mark_told(j, e->trial, err) : TACIT_OK;
    if (status != TACIT_OK) {
        tc_free(body);
        return status;
    }
    tc_event_row *copy = &j->events[j->n++];
    *copy = *e;
    copy->seq = j->n;
    copy->body = body;
    return TACIT_OK;
}

static void take_back(journal *j, size_t n)
{
    while (j->n > n) {
        tc_event_row *e = &j->events[--j->n];
        if (e->kind == TC_EVENT_TELL)
            unmark_told(j, e->trial);
        tc_free((char *)e->body);
    }
}

static tacit_status check_head(const journal *j, const tc_append *a, tacit_error *err)
{
    if (a->head == TC_ANY_HEAD)
        return TACIT_OK;
    if (a->head > j->n || a->mark != 0)
        return tc_append_conflict(a, j->n, err);
    for (uint64_t i = a->head; !a->late && i < j->n; i++)
        if (tc_append_disturbed(a, j->events[i].kind, j->events[i].trial))
            return tc_append_conflict(a, j->n, err);
    return TACIT_OK;
}

static tacit_status append_locked(memory_store *m, const tc_append *a, tc_event_id *end,
                                  tacit_error *err)
{
    journal *j = find_id(m, a->study);
    if (!j)
        return tc_study_gone(err);
    TC_TRY(check_head(j, a, err));
    if (!tc_grow((void **)&j->events, &j->cap, j->n + a->n, sizeof *j->events) ||
        !tc_grow((void **)&j->told, &j->told_cap, j->n_told + a->n, sizeof *j->told))
        return tc_fail_memory(err);
    size_t before = j->n;
    for (size_t i = 0; i < a->n; i++) {
        tacit_status status = add_event(j, &a->events[i], err);
        if (status != TACIT_OK) {
            take_back(j, before);
            return status;
        }
    }
    *end = (tc_event_id){.seq = j->n};
    return TACIT_OK;
}

static tacit_status memory_append(tc_store *s, const tc_append *a, tc_event_id *end,
                                  tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    tacit_status status = append_locked(m, a, end, err);
    pthread_mutex_unlock(&m->lock);
    return status;
}

static tacit_status scan_locked(memory_store *m, int64_t study, tc_event_id after,
                                tc_event_visit visit, void *user, tacit_error *err)
{
    journal *j = find_id(m, study);
    if (!j)
        return tc_study_gone(err);
    if (after.seq > j->n || after.mark != 0)
        return tc_event_gone(after.seq, err);
    for (uint64_t i = after.seq; i < j->n; i++)
        TC_TRY(visit(user, &j->events[i], err));
    return TACIT_OK;
}

static tacit_status memory_scan(tc_store *s, int64_t study, tc_event_id after, tc_event_visit visit,
                                void *user, tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    tacit_status status = scan_locked(m, study, after, visit, user, err);
    pthread_mutex_unlock(&m->lock);
    return status;
}

static tacit_status told_locked(memory_store *m, int64_t study, uint64_t trial,
                                tc_event_visit visit, void *user, tacit_error *err)
{
    const journal *j = find_id(m, study);
    if (!j)
        return tc_study_gone(err);
    size_t at = told_at(j, trial);
    if (at == j->n_told || j->told[at].trial != trial)
        return TACIT_OK;
    return visit(user, &j->events[j->told[at].at], err);
}

static tacit_status memory_find_tell(tc_store *s, int64_t study, uint64_t trial,
                                     tc_event_visit visit, void *user, tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    tacit_status status = told_locked(m, study, trial, visit, user, err);
    pthread_mutex_unlock(&m->lock);
    return status;
}

/* ---- records ---- */

static tacit_status check_studies(const memory_store *m, const tc_change *c, size_t n,
                                  tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (c[i].record.study != 0 && !find_id(m, c[i].record.study))
            return tc_study_gone(err);
    return TACIT_OK;
}

static tacit_status memory_change(tc_store *s, const tc_change *c, size_t n, size_t *refused,
                                  tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    tacit_status status = check_studies(m, c, n, err);
    if (status == TACIT_OK)
        status = tc_memory_change(&m->records, c, n, refused, err);
    pthread_mutex_unlock(&m->lock);
    return status;
}

static tacit_status memory_record_get(tc_store *s, const tc_record *which, tc_record *out,
                                      tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    tacit_status status = tc_memory_record_get(&m->records, which, out, err);
    pthread_mutex_unlock(&m->lock);
    return status;
}

static tacit_status memory_record_scan(tc_store *s, const tc_record_range *range,
                                       tc_record_visit visit, void *user, tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    tacit_status status = tc_memory_record_scan(&m->records, range, visit, user, err);
    pthread_mutex_unlock(&m->lock);
    return status;
}

static tacit_status memory_record_count(tc_store *s, const tc_record_range *range, uint64_t *out,
                                        tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    (void)err;
    pthread_mutex_lock(&m->lock);
    *out = tc_memory_record_count(&m->records, range);
    pthread_mutex_unlock(&m->lock);
    return TACIT_OK;
}

static tacit_status memory_record_drop(tc_store *s, const tc_record_range *range, tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    (void)err;
    pthread_mutex_lock(&m->lock);
    tc_memory_record_drop(&m->records, range);
    pthread_mutex_unlock(&m->lock);
    return TACIT_OK;
}

static tacit_status memory_study_erase(tc_store *s, int64_t study, tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    pthread_mutex_lock(&m->lock);
    journal *j = find_id(m, study);
    if (j) {
        tc_memory_record_erase(&m->records, study);
        drop_events(j);
        j->erased = true;
    }
    pthread_mutex_unlock(&m->lock);
    return j ? TACIT_OK : tc_study_gone(err);
}

/* What was written into an empty store goes again. Nobody else may use a memory store meanwhile. */
static tacit_status memory_transact(tc_store *s, bool writes, tc_store_work work, void *user,
                                    tacit_error *err)
{
    memory_store *m = (memory_store *)s;
    bool empty = m->n == 0 && m->records.n == 0;
    m->keeps_numbers = writes;
    tacit_status status = work(s, user, err);
    m->keeps_numbers = false;
    if (status != TACIT_OK && writes && empty)
        drop_all(m);
    return status;
}

const tc_store_ops tc_store_memory = {
    .scheme = "memory",
    .open = memory_open,
    .close = memory_close,
    .study_put = memory_study_put,
    .study_get = memory_study_get,
    .study_list = memory_study_list,
    .append = memory_append,
    .scan = memory_scan,
    .find_tell = memory_find_tell,
    .change = memory_change,
    .record_get = memory_record_get,
    .record_scan = memory_record_scan,
    .record_count = memory_record_count,
    .record_drop = memory_record_drop,
    .study_erase = memory_study_erase,
    .transact = memory_transact,
};
