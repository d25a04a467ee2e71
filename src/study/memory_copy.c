/* memory_copy.c - copies out of and into the memory store (store.h: dump, load).
 *
 * Written with the store's own members, so that it shows what a copy is. A load goes into a store of
 * its own first, which takes the place of the empty one when it is whole. Nobody else may use a memory
 * store while it is copied. */
#include "study/memory_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>

/* ---- out ---- */

typedef struct dumping {
    tc_store *from;
    tc_row_visit visit;
    void *user;
    int64_t study; /* whose events these are */
} dumping;

static tacit_status dump_event(void *user, const tc_event_row *e, tacit_error *err)
{
    const dumping *d = user;
    return d->visit(d->user, &(tc_row){.event = e, .of = d->study}, err);
}

static tacit_status dump_record(void *user, const tc_record *r, tacit_error *err)
{
    const dumping *d = user;
    return d->visit(d->user, &(tc_row){.record = r}, err);
}

static tacit_status dump_records(dumping *d, int64_t study, tacit_error *err)
{
    for (int kind = TC_RECORD_FIRST; kind <= TC_RECORD_LAST; kind++) {
        tc_record_range all = {.study = study, .kind = (tc_record_kind)kind};
        TC_TRY(tc_store_record_scan(d->from, &all, dump_record, d, err));
    }
    return TACIT_OK;
}

static tacit_status dump_study(void *user, const tc_study_row *row, tacit_error *err)
{
    dumping *d = user;
    d->study = row->id;
    TC_TRY(d->visit(d->user, &(tc_row){.study = row}, err));
    TC_TRY(tc_store_scan(d->from, row->id, 0, dump_event, d, err));
    return dump_records(d, row->id, err);
}

tacit_status tc_memory_dump(tc_store *s, tc_row_visit visit, void *user, tacit_error *err)
{
    dumping d = {.from = s, .visit = visit, .user = user};
    TC_TRY(tc_store_study_list(s, dump_study, &d, err));
    return dump_records(&d, 0, err);
}

/* ---- in ---- */

/* Numbers count up: those of studies that were erased before the copy are used up the same way. */
static tacit_status load_study(tc_store *to, const tc_study_row *row, tacit_error *err)
{
    int64_t id = 0;
    TC_TRY(tc_store_study_put(to, row, &id, err));
    while (id < row->id) {
        TC_TRY(tc_store_study_erase(to, id, err));
        TC_TRY(tc_store_study_put(to, row, &id, err));
    }
    return id == row->id
               ? TACIT_OK
               : tc_fail(err, TACIT_E_STATE, "study number %lld comes late", (long long)row->id);
}

static tacit_status load_row(void *user, const tc_row *r, tacit_error *err)
{
    tc_store *to = user;
    uint64_t head;
    if (r->study)
        return load_study(to, r->study, err);
    if (r->event)
        return tc_store_append(
            to, &(tc_append){.study = r->of, .head = TC_ANY_HEAD, .events = r->event, .n = 1},
            &head, err);
    return tc_store_change(to, &(tc_change){TC_INSERT, *r->record}, 1, NULL, err);
}

static tacit_status stop(void *user, const tc_row *r, tacit_error *err)
{
    (void)user;
    (void)r;
    return tc_load_refusal("the storage", err);
}

tacit_status tc_memory_load(tc_store *s, tc_row_source fill, void *user, tacit_error *err)
{
    tc_store *fresh;
    TC_TRY(tc_memory_dump(s, stop, NULL, err));
    TC_TRY(tc_store_open(&fresh, "memory:", true, err));
    tacit_status status = fill(user, load_row, fresh, err);
    if (status == TACIT_OK)
        tc_memory_swap(s, fresh);
    tc_store_close(fresh);
    return status;
}
