/* tick.c - what is due: rounds of federated studies, leases of served ones (coord.h).
 *
 * It comes every second, for every study there is, and documents may be large: so it reads those alone that
 * it has not seen. Each study is open then, and an open study finds out by itself whether it is still
 * there. Now and then all are read: of two studies that are made at once, the one with the larger number
 * may be there first.
 *
 * Of served studies only those are looked at that somebody has asked this process about: of the others the
 * next suggestion finds what is stale. */
#include "coord/coord_int.h"
#include "coord/round.h"

#include "base/error.h"

enum { ALL_ANEW = 60 }; /* ticks */

typedef struct ticking {
    tc_coord *coord;
    uint64_t turn;
    int64_t next_ms;
    int64_t listed;    /* the largest number of a study so far */
    bool missed;       /* one could not be opened */
    tacit_error first; /* failure */
    bool failed;
} ticking;

static tacit_status expire(tc_coord *c, tc_open_study *d, int64_t *next_ms, tacit_error *err)
{
    tc_open_study_rest(c, d);
    if (pthread_mutex_trylock(&d->lock) != 0) /* it is being opened, which may take long */
        return TACIT_OK;
    tc_study *study = d->study;
    pthread_mutex_unlock(&d->lock);
    return study ? tc_study_expire(study, next_ms, err) : TACIT_OK;
}

/* One study that fails does not hold up the others. */
static void note_failure(ticking *t, const char *study, tacit_status status, const tacit_error *why)
{
    if (status == TACIT_OK || status == TACIT_E_NOT_FOUND || t->failed) /* just erased */
        return;
    t->failed = true;
    (void)tc_fail(&t->first, status, "study \"%s\": %.400s", study, why->msg);
}

/* Gives d back. */
static void tick_one(ticking *t, tc_open_study *d)
{
    tacit_error why = {0};
    int64_t next = INT64_MAX;
    tacit_status status =
        d->plan ? tc_close_due(t->coord, d, &next, &why) : expire(t->coord, d, &next, &why);
    note_failure(t, d->name, status, &why);
    tc_open_study_unref(t->coord, d);
    if (status == TACIT_OK && next < t->next_ms)
        t->next_ms = next;
}

static tacit_status tick_row(void *user, const tc_study_row *row, tacit_error *err)
{
    ticking *t = user;
    tacit_error why = {0};
    tc_open_study *d;
    (void)err;
    tacit_status status = tc_open_study_of_row(t->coord, row, t->turn, &d, &why);
    note_failure(t, row->name, status, &why);
    if (status == TACIT_OK)
        tick_one(t, d);
    else
        t->missed = true; /* it is not open: it must be read again */
    if (row->id > t->listed)
        t->listed = row->id;
    return TACIT_OK;
}

static tacit_status tick_rest(ticking *t, tacit_error *err)
{
    for (;;) {
        tc_open_study *d;
        bool gone;
        TC_TRY(tc_open_study_next(t->coord, t->turn, &d, &gone, err));
        if (d)
            tick_one(t, d);
        else if (!gone)
            return TACIT_OK;
    }
}

static tacit_status tick_all(ticking *t, tacit_error *err)
{
    tc_coord *c = t->coord;
    bool all = t->listed == 0 || t->turn % ALL_ANEW == 0;
    int64_t after = all ? 0 : t->listed;
    TC_TRY(tc_store_study_list_after(c->cfg.store, after, tick_row, t, err));
    if (!all)
        return tick_rest(t, err);
    tc_open_study_sweep(c, t->turn);
    return TACIT_OK;
}

tacit_status tc_coord_tick(tc_coord *c, int64_t *next_ms, tacit_error *err)
{
    ticking t = {.coord = c, .next_ms = INT64_MAX};
    tc_coord_keep_time(c);
    pthread_mutex_lock(&c->lock);
    t.turn = ++c->turn;
    t.listed = c->listed;
    pthread_mutex_unlock(&c->lock);
    TC_TRY(tick_all(&t, err));
    pthread_mutex_lock(&c->lock);
    c->listed = t.missed ? 0 : t.listed;
    pthread_mutex_unlock(&c->lock);
    *next_ms = t.next_ms; /* also where a sweep fails: rounds go on */
    TC_TRY(tc_answers_sweep(c, err));
    TC_TRY(tc_tokens_sweep(c, err));
    return t.failed ? tc_fail(err, t.first.code, "%s", t.first.msg) : TACIT_OK;
}
