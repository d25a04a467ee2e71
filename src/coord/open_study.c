/* open_study.c - studies that are open in this process: what is worked out once from a document.
 *
 * Such an object holds nothing that is not in the store. That of a federated study has its plan, which follows from
 * the document and never changes, and its ledger, which catches up before it is used. That of a served
 * study has the study itself (study/study.h), which is opened when somebody asks for it. But another process
 * may erase a study and make one of the same name: so a record of the study names the one it is, and an open study
 * that finds another there, or none, is opened anew. */
#include "coord/open_study.h"
#include "coord/coord_int.h"
#include "coord/events.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <string.h>

static void open_study_free(tc_open_study *d)
{
    tc_ledger_close(d->ledger);
    tc_study_plan_free(d->plan);
    tc_study_close(d->study);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->advice);
    pthread_mutex_destroy(&d->quick);
    tc_shared_text_end(d->advised);
    tc_shared_text_end(d->cached);
    tc_shared_text_end(d->points);
    tc_shared_text_end(d->roster);
    tc_free(d->name);
    tc_free(d);
}

static tacit_status is_federated(const tc_study_row *row, bool *out, tacit_error *err)
{
    json_t *j;
    tacit_status status = tc_json_parse(row->document, strlen(row->document), "document", &j, err);
    if (status != TACIT_OK)
        return tc_study_row_fault(row, status, err);
    *out = json_object_get(j, "federation") != NULL;
    json_decref(j);
    return TACIT_OK;
}

static tacit_status fill(tc_coord *c, tc_open_study *d, const tc_study_row *row, tacit_error *err)
{
    bool federated = false;
    d->id = row->id;
    d->created_ms = row->created_ms;
    d->hash = tc_study_hash(row);
    d->public_seed = row->public_seed;
    d->name = tc_strdup(row->name);
    if (!d->name)
        return tc_fail_memory(err);
    TC_TRY(is_federated(row, &federated, err));
    if (!federated)
        return TACIT_OK;
    TC_TRY(tc_study_plan_new(&d->plan, row, err));
    d->plan->env.pool = c->cfg.pool;
    /* One ledger for each name: a study that is erased and made again goes on spending where the first
     * one stopped. */
    tc_ledger_io io;
    TC_TRY(tc_store_ledger(c->cfg.store, d->name, true, &io, err));
    return tc_ledger_open(&d->ledger, d->name, &io, err);
}

/* ---- is it still the same study? ---- */

#define MADE "made"

/* *same: there is a record, and it names this very study. */
static tacit_status read_mark(tc_coord *c, const tc_open_study *d, bool *same, uint64_t *version,
                              tacit_error *err)
{
    tc_key key = tc_key_word(MADE);
    tacit_hash hash;
    json_t *j;
    TC_TRY(tc_record_read(c->cfg.store, d->id, TC_RECORD_STATE, &key, &j, version, err));
    const char *text = json_string_value(json_object_get(j, "hash"));
    *same = text && tc_base64_read(text, hash.bytes, sizeof hash.bytes) &&
            tc_ledger_hash_same(&hash, &d->hash);
    json_decref(j);
    return TACIT_OK;
}

static tacit_status write_mark(tc_coord *c, const tc_open_study *d, uint64_t version,
                               tacit_error *err)
{
    tc_key key = tc_key_word(MADE);
    tc_changes changes = {.n = 0};
    tc_text hash = {0};
    tc_base64_add(&hash, d->hash.bytes, sizeof d->hash.bytes);
    tc_changes_add(&changes, version > 0 ? TC_REPLACE : TC_INSERT, d->id, TC_RECORD_STATE, &key,
                   version, json_pack("{s:s}", "hash", tc_text_get(&hash)));
    tc_text_fini(&hash);
    return tc_changes_end(c->cfg.store, &changes, TACIT_OK, NULL, err);
}

static bool is_row_of(const tc_open_study *d, const tc_study_row *row)
{
    tacit_hash now = tc_study_hash(row);
    return row->id == d->id && tc_ledger_hash_same(&now, &d->hash);
}

/* Is the row that d was made of the one in the store now? */
static tacit_status is_stored(tc_coord *c, const tc_open_study *d, bool *out, tacit_error *err)
{
    tc_study_row row;
    TC_TRY(tc_store_study_get(c->cfg.store, d->name, &row, err));
    *out = is_row_of(d, &row);
    tc_study_row_fini(&row);
    return TACIT_OK;
}

static tacit_status replaced(const tc_open_study *d, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CONFLICT, "study \"%s\" was replaced", d->name);
}

/* E_CONFLICT: the study was replaced while d was made. */
static tacit_status mark(tc_coord *c, const tc_open_study *d, tacit_error *err)
{
    bool same, stored;
    uint64_t version;
    TC_TRY(read_mark(c, d, &same, &version, err));
    if (same)
        return TACIT_OK;
    TC_TRY(is_stored(c, d, &stored, err));
    return stored ? write_mark(c, d, version, err) : replaced(d, err);
}

/* ---- opening ---- */

enum { ATTEMPTS = 8, IDLE_MS = 3600 * 1000 };

static tacit_status read_row(tc_coord *c, const char *name, tc_study_row *out, tacit_error *err)
{
    tacit_error why;
    tacit_status status = tc_store_study_get(c->cfg.store, name, out, &why);
    if (status == TACIT_E_NOT_FOUND) /* without the name of the store */
        return tc_fail(err, status, "there is no study \"%s\"", name);
    return tc_pass_on(err, status, &why);
}

static tacit_status open_once(tc_coord *c, const char *name, tc_open_study **out, tacit_error *err)
{
    tc_study_row row;
    tc_open_study *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->advice, NULL);
    pthread_mutex_init(&d->quick, NULL);
    tacit_status status = read_row(c, name, &row, err);
    if (status == TACIT_OK) {
        status = fill(c, d, &row, err);
        tc_study_row_fini(&row);
    }
    if (status == TACIT_OK)
        status = mark(c, d, err);
    if (status != TACIT_OK)
        open_study_free(d);
    else
        *out = d;
    return status;
}

static tacit_status open_anew(tc_coord *c, const char *name, tc_open_study **out, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = open_once(c, name, out, err);
    return status;
}

/* ---- the tc_study of a served one ---- */

static int64_t study_clock(void *user)
{
    return tc_coord_now(user);
}

static tacit_status open_study(tc_coord *c, tc_open_study *d, tacit_error *err)
{
    tc_study_row row;
    TC_TRY(read_row(c, d->name, &row, err));
    tacit_status status = is_row_of(d, &row)
                              ? tc_study_open_row(&d->study, c->cfg.store, &row, c->cfg.pool, err)
                              : replaced(d, err);
    tc_study_row_fini(&row);
    if (status == TACIT_OK && c->clock)
        tc_study_lend_clock(d->study, c->clock);
    else if (status == TACIT_OK)
        tc_study_set_clock(d->study, study_clock, c);
    return status;
}

tacit_status tc_open_study_served(tc_coord *c, tc_open_study *d, tc_study **out, tacit_error *err)
{
    pthread_mutex_lock(&d->lock);
    tacit_status status = d->study ? TACIT_OK : open_study(c, d, err);
    d->asked_ms = tc_coord_now(c);
    *out = d->study;
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* Every other user needs c->lock to find d, and then finds it without a tc_study. */
void tc_open_study_rest(tc_coord *c, tc_open_study *d)
{
    tc_study *idle = NULL;
    pthread_mutex_lock(&c->lock);
    if (d->users == 1 && pthread_mutex_trylock(&d->lock) == 0) {
        if (tc_coord_now(c) - d->asked_ms > IDLE_MS) {
            idle = d->study;
            d->study = NULL;
        }
        pthread_mutex_unlock(&d->lock);
    }
    pthread_mutex_unlock(&c->lock);
    tc_study_close(idle);
}

tacit_status tc_open_study_document(tc_coord *c, tc_open_study *d, const tc_study_doc **out,
                                    tacit_error *err)
{
    tc_study *study = NULL;
    if (!d->plan)
        TC_TRY(tc_open_study_served(c, d, &study, err));
    *out = d->plan ? d->plan->doc : tc_study_document(study);
    return TACIT_OK;
}

/* ---- the list ---- */

/* Under c->lock. */
static tc_open_study *find(const tc_coord *c, const char *name)
{
    tc_open_study *d = c->open_studies;
    while (d && strcmp(d->name, name) != 0)
        d = d->next;
    return d;
}

static tc_open_study *take(tc_coord *c, const char *name)
{
    pthread_mutex_lock(&c->lock);
    tc_open_study *d = find(c, name);
    if (d)
        d->users++;
    pthread_mutex_unlock(&c->lock);
    return d;
}

bool tc_study_is_open(tc_coord *c, const char *name, int64_t id, const tacit_hash *hash)
{
    pthread_mutex_lock(&c->lock);
    const tc_open_study *d = find(c, name);
    bool open = d && d->id == id && tc_ledger_hash_same(&d->hash, hash);
    pthread_mutex_unlock(&c->lock);
    return open;
}

/* Two threads may have opened it at once: one object stays. One of another study of this name is old. */
static tc_open_study *keep(tc_coord *c, tc_open_study *mine)
{
    pthread_mutex_lock(&c->lock);
    tc_open_study *d = find(c, mine->name);
    bool same = d && tc_ledger_hash_same(&d->hash, &mine->hash);
    if (!same) {
        mine->next = c->open_studies;
        c->open_studies = d = mine;
    }
    d->users++;
    pthread_mutex_unlock(&c->lock);
    if (d != mine)
        open_study_free(mine);
    return d;
}

/* An open study that is gone from the store is given back, and *d is NULL. */
static tacit_status check_fresh(tc_coord *c, tc_open_study **d, tacit_error *err)
{
    bool same;
    uint64_t version;
    tacit_status status = read_mark(c, *d, &same, &version, err);
    if (status == TACIT_OK && same)
        return TACIT_OK;
    if (status == TACIT_OK) {
        tc_open_study_erased(c, *d);
    }
    tc_open_study_unref(c, *d);
    *d = NULL;
    return status;
}

tacit_status tc_open_study_get(tc_coord *c, const char *name, tc_open_study **out, tacit_error *err)
{
    tc_open_study *d = take(c, name);
    if (d)
        TC_TRY(check_fresh(c, &d, err));
    if (!d) {
        TC_TRY(open_anew(c, name, &d, err));
        d = keep(c, d);
    }
    *out = d;
    return TACIT_OK;
}

/* The open study of this very row, if there is one. */
static tc_open_study *take_seen(tc_coord *c, const tc_study_row *row)
{
    pthread_mutex_lock(&c->lock);
    tc_open_study *d = find(c, row->name);
    bool same = d && d->id == row->id && d->created_ms == row->created_ms;
    if (same)
        d->users++;
    pthread_mutex_unlock(&c->lock);
    return same ? d : NULL;
}

tacit_status tc_open_study_of_row(tc_coord *c, const tc_study_row *row, uint64_t turn,
                                  tc_open_study **out, tacit_error *err)
{
    tc_open_study *d = take_seen(c, row);
    if (!d)
        TC_TRY(tc_open_study_get(c, row->name, &d, err));
    pthread_mutex_lock(&c->lock);
    if (d->turn < turn)
        d->turn = turn;
    pthread_mutex_unlock(&c->lock);
    *out = d;
    return TACIT_OK;
}

static tc_open_study *take_next(tc_coord *c, uint64_t turn)
{
    pthread_mutex_lock(&c->lock);
    tc_open_study *d = c->open_studies;
    while (d && d->turn >= turn)
        d = d->next;
    if (d) {
        d->turn = turn;
        d->users++;
    }
    pthread_mutex_unlock(&c->lock);
    return d;
}

tacit_status tc_open_study_next(tc_coord *c, uint64_t turn, tc_open_study **out, bool *gone,
                                tacit_error *err)
{
    tc_open_study *d = take_next(c, turn);
    *gone = false;
    if (d) {
        TC_TRY(check_fresh(c, &d, err));
        *gone = !d;
    }
    *out = d;
    return TACIT_OK;
}

/* Under c->lock: the first open study that an earlier turn has seen and this one has not. */
static tc_open_study *find_lost(const tc_coord *c, uint64_t turn)
{
    tc_open_study *d = c->open_studies;
    while (d && (d->turn == 0 || d->turn >= turn))
        d = d->next;
    return d;
}

void tc_open_study_sweep(tc_coord *c, uint64_t turn)
{
    for (;;) {
        pthread_mutex_lock(&c->lock);
        tc_open_study *d = find_lost(c, turn);
        if (d)
            d->users++;
        pthread_mutex_unlock(&c->lock);
        if (!d)
            return;
        tc_open_study_erased(c, d);
        tc_open_study_unref(c, d);
    }
}

void tc_open_study_unref(tc_coord *c, tc_open_study *d)
{
    pthread_mutex_lock(&c->lock);
    bool last = --d->users == 0 && d->gone;
    pthread_mutex_unlock(&c->lock);
    if (last)
        open_study_free(d);
}

void tc_open_study_forget(tc_coord *c, tc_open_study *d)
{
    pthread_mutex_lock(&c->lock);
    tc_open_study **at = &c->open_studies;
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
        open_study_free(d);
}

void tc_open_study_erased(tc_coord *c, tc_open_study *d)
{
    tc_emit_state(c, d, "erased");
    tc_open_study_forget(c, d);
    tc_store_forget(c->cfg.store);
}

/* ---- which kind ---- */

/* A route of one kind of studies that is asked about the other. */
static tacit_status other_kind(const tc_open_study *d, const char *why, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE, "study \"%s\" is %s", d->name, why);
}

tacit_status tc_request_federated(tc_request_context *a, tc_open_study **out, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_study(a, &d, err));
    if (!d->plan)
        return other_kind(d, "a served one: it has trials, no agents and no rounds", err);
    *out = d;
    return TACIT_OK;
}

tacit_status tc_request_served(tc_request_context *a, tc_open_study **out, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_study(a, &d, err));
    if (d->plan)
        return other_kind(d, "one of a federation: its agents have the trials", err);
    *out = d;
    return TACIT_OK;
}
