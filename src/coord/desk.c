/* desk.c - studies that are open in this process: what is worked out once from a document.
 *
 * A desk holds nothing that is not in the store: its plan follows from the document, which never
 * changes, and its ledger catches up before it is used. But another process may erase a study and
 * make one of the same name: so a record of the study names the one it is, and a desk that finds
 * another there, or none, is opened anew. */
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <string.h>

static void desk_free(tc_desk *d)
{
    tc_ledger_close(d->ledger);
    tc_study_plan_free(d->plan);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->quick);
    tc_text_fini(&d->said);
    tc_free(d->name);
    tc_free(d);
}

/* One ledger for each name: a study that is erased and made again goes on spending where the first
 * one stopped. */
static tacit_status open_ledger(tc_coord *c, tc_desk *d, tacit_error *err)
{
    tc_ledger_io io;
    TC_TRY(tc_store_ledger(c->cfg.store, d->name, true, &io, err));
    return tc_ledger_open(&d->ledger, d->name, &io, err);
}

static tacit_status fill(tc_coord *c, tc_desk *d, const tc_study_row *row, tacit_error *err)
{
    d->id = row->id;
    d->created_ms = row->created_ms;
    d->name = tc_strdup(row->name);
    if (!d->name)
        return tc_fail_memory(err);
    TC_TRY(tc_study_plan_new(&d->plan, row, err));
    d->plan->env.pool = c->cfg.pool;
    return open_ledger(c, d, err);
}

/* ---- is it still the same study? ---- */

#define MADE "made"

/* *same: there is a record, and it names the study of this desk. */
static tacit_status read_mark(tc_coord *c, const tc_desk *d, bool *same, uint64_t *version,
                              tacit_error *err)
{
    tc_key key = tc_key_word(MADE);
    tc_ledger_hash hash;
    json_t *j;
    TC_TRY(tc_record_read(c->cfg.store, d->id, TC_RECORD_STATE, &key, &j, version, err));
    const char *text = json_string_value(json_object_get(j, "hash"));
    *same = text && tc_base64_read(text, hash.bytes, sizeof hash.bytes) &&
            tc_ledger_hash_same(&hash, &d->plan->hash);
    json_decref(j);
    return TACIT_OK;
}

static tacit_status write_mark(tc_coord *c, const tc_desk *d, uint64_t version, tacit_error *err)
{
    tc_key key = tc_key_word(MADE);
    tc_changes changes = {.n = 0};
    tc_text hash = {0};
    tc_base64_add(&hash, d->plan->hash.bytes, sizeof d->plan->hash.bytes);
    tc_changes_add(&changes, version > 0 ? TC_REPLACE : TC_INSERT, d->id, TC_RECORD_STATE, &key,
                   version, json_pack("{s:s}", "hash", tc_text_get(&hash)));
    tc_text_fini(&hash);
    tacit_status status = tc_changes_commit(c->cfg.store, &changes, NULL, err);
    tc_changes_fini(&changes);
    return status;
}

/* Is the row that the desk was made of the one in the store now? */
static tacit_status is_stored(tc_coord *c, const tc_desk *d, bool *out, tacit_error *err)
{
    tc_study_row row;
    TC_TRY(tc_store_study_get(c->cfg.store, d->name, &row, err));
    tc_ledger_hash now = tc_study_hash(&row);
    *out = row.id == d->id && tc_ledger_hash_same(&now, &d->plan->hash);
    tc_study_row_fini(&row);
    return TACIT_OK;
}

/* E_CONFLICT: the study was replaced while the desk was made. */
static tacit_status mark(tc_coord *c, const tc_desk *d, tacit_error *err)
{
    bool same, stored;
    uint64_t version;
    TC_TRY(read_mark(c, d, &same, &version, err));
    if (same)
        return TACIT_OK;
    TC_TRY(is_stored(c, d, &stored, err));
    return stored ? write_mark(c, d, version, err)
                  : tc_fail(err, TACIT_E_CONFLICT, "study \"%s\" was replaced", d->name);
}

/* ---- opening ---- */

enum { ATTEMPTS = 8 };

static tacit_status read_row(tc_coord *c, const char *name, tc_study_row *out, tacit_error *err)
{
    tacit_error why;
    tacit_status status = tc_store_study_get(c->cfg.store, name, out, &why);
    if (status == TACIT_E_NOT_FOUND) /* without the name of the store */
        return tc_fail(err, status, "there is no study \"%s\"", name);
    return status == TACIT_OK ? status : tc_fail(err, status, "%s", why.msg);
}

static tacit_status open_once(tc_coord *c, const char *name, tc_desk **out, tacit_error *err)
{
    tc_study_row row;
    tc_desk *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->quick, NULL);
    tacit_status status = read_row(c, name, &row, err);
    if (status == TACIT_OK) {
        status = fill(c, d, &row, err);
        tc_study_row_fini(&row);
    }
    if (status == TACIT_OK)
        status = mark(c, d, err);
    if (status != TACIT_OK)
        desk_free(d);
    else
        *out = d;
    return status;
}

static tacit_status open_desk(tc_coord *c, const char *name, tc_desk **out, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = open_once(c, name, out, err);
    return status;
}

/* ---- the list ---- */

/* Under c->lock. */
static tc_desk *find(const tc_coord *c, const char *name)
{
    tc_desk *d = c->desks;
    while (d && strcmp(d->name, name) != 0)
        d = d->next;
    return d;
}

static tc_desk *take(tc_coord *c, const char *name)
{
    pthread_mutex_lock(&c->lock);
    tc_desk *d = find(c, name);
    if (d)
        d->users++;
    pthread_mutex_unlock(&c->lock);
    return d;
}

/* Two may have opened it at once: one desk stays. One of another study of this name is old. */
static tc_desk *keep(tc_coord *c, tc_desk *mine)
{
    pthread_mutex_lock(&c->lock);
    tc_desk *d = find(c, mine->name);
    bool same = d && tc_ledger_hash_same(&d->plan->hash, &mine->plan->hash);
    if (!same) {
        mine->next = c->desks;
        c->desks = d = mine;
    }
    d->users++;
    pthread_mutex_unlock(&c->lock);
    if (d != mine)
        desk_free(mine);
    return d;
}

/* A desk whose study is gone is given back, and *d is NULL. */
static tacit_status check_fresh(tc_coord *c, tc_desk **d, tacit_error *err)
{
    bool same;
    uint64_t version;
    tacit_status status = read_mark(c, *d, &same, &version, err);
    if (status == TACIT_OK && same)
        return TACIT_OK;
    if (status == TACIT_OK)
        tc_desk_forget(c, *d);
    tc_desk_release(c, *d);
    *d = NULL;
    return status;
}

tacit_status tc_desk_get(tc_coord *c, const char *name, tc_desk **out, tacit_error *err)
{
    tc_desk *d = take(c, name);
    if (d)
        TC_TRY(check_fresh(c, &d, err));
    if (!d) {
        TC_TRY(open_desk(c, name, &d, err));
        d = keep(c, d);
    }
    *out = d;
    return TACIT_OK;
}

void tc_desk_release(tc_coord *c, tc_desk *d)
{
    pthread_mutex_lock(&c->lock);
    bool last = --d->users == 0 && d->gone;
    pthread_mutex_unlock(&c->lock);
    if (last)
        desk_free(d);
}

void tc_desk_forget(tc_coord *c, tc_desk *d)
{
    pthread_mutex_lock(&c->lock);
    tc_desk **at = &c->desks;
    while (*at && *at != d)
        at = &(*at)->next;
    bool listed = *at != NULL;
    if (listed) {
        *at = d->next;
        d->gone = true;
    }
    bool unused = listed && d->users == 0;
    pthread_mutex_unlock(&c->lock);
    if (unused)
        desk_free(d);
}
