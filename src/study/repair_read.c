/* repair_read.c - a damaged journal as it is found, and which of its events can be believed.
 *
 * The sum of an event covers the sum before it. Where one does not match, either the event has changed or
 * its sum has: the next event tells, for it goes on from the sum as it was. */
#include "study/repair_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static tacit_status take(void *user, const tc_event_row *e, const void *sum, size_t size,
                         tacit_error *err)
{
    tc_wreck *w = user;
    char *body = tc_strdup(e->body);
    if (!body || !tc_grow((void **)&w->events, &w->cap, w->n + 1, sizeof *w->events)) {
        tc_free(body);
        return tc_fail_memory(err);
    }
    tc_found *f = &w->events[w->n++];
    *f = (tc_found){.row = *e, .sum_size = size};
    f->row.body = body;
    if (size == sizeof f->sum)
        memcpy(&f->sum, sum, size);
    return TACIT_OK;
}

/* What event i was written after: the sum of the one before it as stored, and as computed. */
typedef struct before {
    bool known;
    tc_checksum stored, computed;
} before;

static bool follows(const tc_found *f, const tc_checksum *sum)
{
    tc_checksum own = tc_chain_next(sum, &f->row);
    return f->sum_size == sizeof own && tc_checksum_same(&own, &f->sum);
}

/* An event without a sum, from before there were any. */
static void judge_plain(tc_found *f, before *b, const tc_chain *end)
{
    f->whole = f->sum_size == 0;
    f->checked = true;
    *b = (before){.known = true, .stored = end->origin, .computed = end->origin};
}

static void judge_one(tc_wreck *w, size_t i, before *b)
{
    tc_found *f = &w->events[i];
    bool summed = f->sum_size == sizeof f->sum;
    bool by_computed = b->known && follows(f, &b->computed);
    f->checked = b->known;
    f->whole = b->known ? by_computed || follows(f, &b->stored) : summed;
    if (by_computed && i > 0)
        w->events[i - 1].whole = true; /* where it was not: its sum was damaged, not what it says */
    tc_checksum computed =
        b->known ? tc_chain_next(by_computed ? &b->computed : &b->stored, &f->row) : f->sum;
    *b = (before){
        .known = b->known || summed, .stored = summed ? f->sum : computed, .computed = computed};
}

static void judge(tc_wreck *w)
{
    before b = {.known = true, .stored = w->end.origin, .computed = w->end.origin};
    for (size_t i = 0; i < w->n; i++) {
        tc_found *f = &w->events[i];
        if (f->row.seq != (i > 0 ? w->events[i - 1].row.seq + 1 : 1))
            b.known = false;
        if (f->row.seq <= w->end.plain)
            judge_plain(f, &b, &w->end);
        else
            judge_one(w, i, &b);
    }
    if (w->n > 0 && w->events[w->n - 1].row.seq == w->end.end &&
        tc_checksum_same(&b.computed, &w->end.end_sum))
        w->events[w->n - 1].whole = true;
}

/* The same that a reader would stumble over. */
static bool reads(const tc_wreck *w)
{
    tc_chain at = w->end;
    if (tc_chain_begin(&at, 0, NULL, 0, NULL) != TACIT_OK)
        return false;
    for (size_t i = 0; i < w->n; i++) {
        const tc_found *f = &w->events[i];
        if (tc_chain_take(&at, &f->row, &f->sum, f->sum_size, NULL) != TACIT_OK)
            return false;
    }
    return tc_chain_finish(&at, NULL) == TACIT_OK;
}

tacit_status tc_wreck_read(tc_wreck *w, tc_store *store, int64_t study, tacit_error *err)
{
    *w = (tc_wreck){.n = 0};
    TC_TRY(tc_store_salvage(store, study, &w->end, take, w, err));
    judge(w);
    w->damaged = !reads(w);
    return TACIT_OK;
}

void tc_wreck_fini(tc_wreck *w)
{
    for (size_t i = 0; i < w->n; i++)
        tc_free((char *)w->events[i].row.body);
    tc_free(w->events);
}
