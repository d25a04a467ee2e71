/* store.c - storage URLs, and the members of stores by name.
 *
 * The only caller of a store's members: the rest of tacit calls tc_store_*.
 * A new store is one file that passes tests/conformance, and one line here; with a library that not everybody
 * wants it is a module (store_module.h). */
#include "study/backup.h"
#include "study/store.h"
#include "study/store_module.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>
#include <time.h>

static const tc_store_ops *const stores[] = {&tc_store_sqlite, &tc_store_memory};

/* Stores that are modules; their `open` takes the whole URL. */
static const struct loadable {
    const char *scheme, *alias, *module;
} loadables[] = {{"postgresql", "postgres", "postgresql"}};

static bool is_word(const char *word, const char *url, size_t len)
{
    return word && strlen(word) == len && memcmp(word, url, len) == 0;
}

static const tc_store_ops *find_scheme(const char *url, size_t len)
{
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++)
        if (is_word(stores[i]->scheme, url, len) || is_word(stores[i]->alias, url, len))
            return stores[i];
    return NULL;
}

static const char *find_module(const char *url, size_t len)
{
    for (size_t i = 0; i < sizeof loadables / sizeof loadables[0]; i++)
        if (is_word(loadables[i].scheme, url, len) || is_word(loadables[i].alias, url, len))
            return loadables[i].module;
    return NULL;
}

static tacit_status open_module(tc_store **out, const char *module, const char *url, bool create,
                                tacit_error *err)
{
    const tc_store_module *m;
    TC_TRY(tc_store_module_load(&m, module, err));
    return m->ops->open(out, url, create, err);
}

tacit_status tc_store_open(tc_store **out, const char *url, bool create, tacit_error *err)
{
    tc_store *s;
    TC_TRY(tc_store_open_any(&s, url, create, err));
    tacit_status status = tc_backup_refuse(s, err);
    if (status == TACIT_OK)
        *out = s;
    else
        tc_store_close(s);
    return status;
}

tacit_status tc_store_open_any(tc_store **out, const char *url, bool create, tacit_error *err)
{
    const char *colon = strchr(url, ':');
    if (!colon)
        return tc_fail(err, TACIT_E_ARG,
                       "storage \"%s\" is not a URL: write sqlite:///%s for a file, "
                       "postgresql://HOST/DATABASE, or memory:",
                       url, *url ? url : "tacit.db");
    size_t len = (size_t)(colon - url);
    const char *module = find_module(url, len);
    if (module)
        return open_module(out, module, url, create, err);
    const tc_store_ops *ops = find_scheme(url, len);
    if (!ops) /* the rest is not shown: it may have a password in it */
        return tc_fail(err, TACIT_E_ARG,
                       "the storage has the unknown scheme \"%.*s\": use sqlite:///FILE, "
                       "postgresql://HOST/DATABASE or memory:",
                       (int)len, url);
    const char *path = colon + 1;
    if (ops == &tc_store_memory)
        return *path ? tc_fail(err, TACIT_E_ARG,
                               "storage \"%s\" takes no path: write just memory:", url)
                     : ops->open(out, path, create, err);
    if (strncmp(path, "///", 3) != 0 || !path[3])
        return tc_fail(err, TACIT_E_ARG,
                       "storage \"%s\" must be sqlite:///FILE (three slashes, four for an absolute "
                       "path)",
                       url);
    return ops->open(out, path + 3, create, err);
}

void tc_store_close(tc_store *s)
{
    if (s)
        s->ops->close(s);
}

tacit_status tc_store_study_put(tc_store *s, const tc_study_row *row, int64_t *id, tacit_error *err)
{
    return s->ops->study_put(s, row, id, err);
}

tacit_status tc_store_study_get(tc_store *s, const char *name, tc_study_row *out, tacit_error *err)
{
    return s->ops->study_get(s, name, out, err);
}

tacit_status tc_store_study_list(tc_store *s, tc_study_visit visit, void *user, tacit_error *err)
{
    return s->ops->study_list(s, 0, visit, user, err);
}

tacit_status tc_store_study_list_after(tc_store *s, int64_t after, tc_study_visit visit, void *user,
                                       tacit_error *err)
{
    return s->ops->study_list(s, after, visit, user, err);
}

tacit_status tc_store_append_id(tc_store *s, const tc_append *a, tc_event_id *end, tacit_error *err)
{
    assert(a->n > 0);
    return s->ops->append(s, a, end, err);
}

tacit_status tc_store_append(tc_store *s, const tc_append *a, uint64_t *head, tacit_error *err)
{
    tc_event_id end;
    TC_TRY(tc_store_append_id(s, a, &end, err));
    *head = end.seq;
    return TACIT_OK;
}

tacit_status tc_store_confirm(tc_store *s, int64_t study, tc_event_id which, tacit_error *err)
{
    return s->ops->confirm ? s->ops->confirm(s, study, which, err) : TACIT_OK;
}

tacit_status tc_store_scan_after(tc_store *s, int64_t study, tc_event_id after,
                                 tc_event_visit visit, void *user, tacit_error *err)
{
    return s->ops->scan(s, study, after, visit, user, err);
}

tacit_status tc_store_scan(tc_store *s, int64_t study, uint64_t after, tc_event_visit visit,
                           void *user, tacit_error *err)
{
    return tc_store_scan_after(s, study, (tc_event_id){.seq = after}, visit, user, err);
}

tacit_status tc_store_find_tell(tc_store *s, int64_t study, uint64_t trial, tc_event_visit visit,
                                void *user, tacit_error *err)
{
    return s->ops->find_tell(s, study, trial, visit, user, err);
}

tacit_status tc_store_change(tc_store *s, const tc_change *c, size_t n, size_t *refused,
                             tacit_error *err)
{
    assert(n > 0);
    return s->ops->change(s, c, n, refused, err);
}

tacit_status tc_store_record_get(tc_store *s, const tc_record *which, tc_record *out,
                                 tacit_error *err)
{
    return s->ops->record_get(s, which, out, err);
}

tacit_status tc_store_record_scan(tc_store *s, const tc_record_range *range, tc_record_visit visit,
                                  void *user, tacit_error *err)
{
    return s->ops->record_scan(s, range, visit, user, err);
}

tacit_status tc_store_record_count(tc_store *s, const tc_record_range *range, uint64_t *out,
                                   tacit_error *err)
{
    return s->ops->record_count(s, range, out, err);
}

tacit_status tc_store_record_drop(tc_store *s, const tc_record_range *range, tacit_error *err)
{
    return s->ops->record_drop(s, range, err);
}

void tc_store_forget(tc_store *s)
{
    if (s->ops->forget)
        s->ops->forget(s);
}

uint64_t tc_store_moment(tc_store *s)
{
    return s->ops->moment ? s->ops->moment(s) : 0;
}

tacit_status tc_store_wait_durable(tc_store *s, uint64_t since, tacit_error *err)
{
    return s->ops->wait_durable ? s->ops->wait_durable(s, since, err) : TACIT_OK;
}

tacit_status tc_store_wall(tc_store *s, int64_t *out_ns, tacit_error *err)
{
    struct timespec t;
    if (s->ops->wall)
        return s->ops->wall(s, out_ns, err);
    clock_gettime(CLOCK_REALTIME, &t);
    *out_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    return TACIT_OK;
}

bool tc_store_is_private(const tc_store *s)
{
    return !s->ops->lock_name;
}

tacit_status tc_store_room(tc_store *s, uint64_t *out, tacit_error *err)
{
    *out = UINT64_MAX;
    return s->ops->room ? s->ops->room(s, out, err) : TACIT_OK;
}

tacit_status tc_store_study_erase(tc_store *s, int64_t study, tacit_error *err)
{
    return s->ops->study_erase(s, study, err);
}

tacit_status tc_store_transact(tc_store *s, bool writes, tc_store_work work, void *user,
                               tacit_error *err)
{
    return s->ops->transact(s, writes, work, user, err);
}

tacit_status tc_store_salvage(tc_store *s, int64_t study, struct tc_chain *end,
                              tc_salvage_visit visit, void *user, tacit_error *err)
{
    if (s->ops->salvage)
        return s->ops->salvage(s, study, end, visit, user, err);
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "a storage of this kind cannot be repaired: restore a backup");
}

tacit_status tc_store_restart(tc_store *in, int64_t study, uint64_t end, tacit_error *err)
{
    return in->ops->restart(in, study, end, err);
}

/* A URL that makes no sense is for open to say. */
tacit_status tc_store_mend(const char *url, tc_mend_report report, void *user, tacit_error *err)
{
    static const char prefix[] = "sqlite:///";
    if (strncmp(url, prefix, strlen(prefix)) != 0 || !url[strlen(prefix)])
        return TACIT_OK;
    return tc_store_sqlite.mend(url + strlen(prefix), report, user, err);
}

tacit_status tc_store_lock_name(tc_store *s, const char *name, tc_name_lock **out, tacit_error *err)
{
    if (s->ops->lock_name)
        return s->ops->lock_name(s, name, out, err);
    *out = NULL;
    return TACIT_OK;
}

void tc_name_unlock(tc_name_lock *h)
{
    if (h)
        h->end(h);
}
