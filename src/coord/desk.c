/* desk.c - studies that are open in this process: what is worked out once from a document.
 *
 * A desk holds nothing that is not in the store: its plan follows from the document, which never
 * changes, and its ledger catches up before it is used. */
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static void desk_free(tc_desk *d)
{
    tc_ledger_close(d->ledger);
    tc_study_plan_free(d->plan);
    pthread_mutex_destroy(&d->lock);
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
    d->name = tc_strdup(row->name);
    if (!d->name)
        return tc_fail_memory(err);
    TC_TRY(tc_study_plan_new(&d->plan, row->document, row->points_csv, &row->public_seed, err));
    d->plan->env.pool = c->cfg.pool;
    return open_ledger(c, d, err);
}

static tacit_status open_desk(tc_coord *c, const char *name, tc_desk **out, tacit_error *err)
{
    tc_study_row row;
    TC_TRY(tc_store_study_get(c->cfg.store, name, &row, err));
    tc_desk *d = tc_alloc(1, sizeof *d);
    tacit_status status = TACIT_E_MEMORY;
    if (d) {
        pthread_mutex_init(&d->lock, NULL);
        status = fill(c, d, &row, err);
    } else {
        (void)tc_fail_memory(err);
    }
    tc_study_row_fini(&row);
    if (status != TACIT_OK && d)
        desk_free(d);
    else
        *out = d;
    return status;
}

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

/* Two may have opened it at once: one desk stays. */
static tc_desk *keep(tc_coord *c, tc_desk *mine)
{
    pthread_mutex_lock(&c->lock);
    tc_desk *d = find(c, mine->name);
    if (!d) {
        mine->next = c->desks;
        c->desks = d = mine;
    }
    d->users++;
    pthread_mutex_unlock(&c->lock);
    if (d != mine)
        desk_free(mine);
    return d;
}

tacit_status tc_desk_get(tc_coord *c, const char *name, tc_desk **out, tacit_error *err)
{
    tc_desk *d = take(c, name);
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

void tc_desk_forget(tc_coord *c, const char *name)
{
    pthread_mutex_lock(&c->lock);
    tc_desk **at = &c->desks, *d;
    while ((d = *at) != NULL && strcmp(d->name, name) != 0)
        at = &d->next;
    if (d) {
        *at = d->next;
        d->gone = true;
    }
    bool unused = d && d->users == 0;
    pthread_mutex_unlock(&c->lock);
    if (unused)
        desk_free(d);
}
