/* store_copy.c - everything in a store, row by row: out (dump) and into an empty one (load). For all stores alike.
 *
 * A store brings one thing to it, `transact` (store.h): all that is read is of one moment, all that is written is there
 * together or not at all. The rest is its ordinary members. Called through tc_store_dump and tc_store_load. */
#include "study/store.h"

#include "base/error.h"
#include "base/memory.h"

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
    tacit_status status = tc_store_scan(d->from, row->id, 0, dump_event, d, err);
    if (status == TACIT_E_CORRUPT)
        return tc_fail_in(err, "study \"%s\"", row->name);
    TC_TRY(status);
    return dump_records(d, row->id, err);
}

tacit_status tc_store_dump_in(tc_store *in, tc_row_visit visit, void *user, tacit_error *err)
{
    dumping d = {.from = in, .visit = visit, .user = user};
    TC_TRY(tc_store_study_list(in, dump_study, &d, err));
    return dump_records(&d, 0, err);
}

static tacit_status dump_all(tc_store *in, void *user, tacit_error *err)
{
    const dumping *d = user;
    return tc_store_dump_in(in, d->visit, d->user, err);
}

tacit_status tc_store_dump(tc_store *s, tc_row_visit visit, void *user, tacit_error *err)
{
    return tc_store_transact(s, false, dump_all, &(dumping){.visit = visit, .user = user}, err);
}

/* ---- in ---- */

enum { TOGETHER = 200 };

typedef struct loading {
    tc_store *to;
    tc_row_source fill;
    void *user;
    int64_t study;                 /* whose events come; 0: none yet */
    uint64_t seq;                  /* of the last one */
    tc_event_row events[TOGETHER]; /* that are not appended yet, with texts of our own */
    size_t n;
    tc_arena texts;
} loading;

static tacit_status flush(loading *l, tacit_error *err)
{
    tc_event_id end;
    if (l->n == 0)
        return TACIT_OK;
    tc_append a = {.study = l->study, .head = l->seq - l->n, .events = l->events, .n = l->n};
    TC_TRY(tc_store_append_id(l->to, &a, &end, err));
    l->n = 0;
    tc_arena_fini(&l->texts);
    return TACIT_OK;
}

static tacit_status load_event(loading *l, int64_t study, const tc_event_row *e, tacit_error *err)
{
    if (study != l->study || l->n == TOGETHER)
        TC_TRY(flush(l, err));
    l->seq = study == l->study ? l->seq + 1 : 1;
    l->study = study;
    if (e->seq != l->seq)
        return tc_fail(err, TACIT_E_CORRUPT, "event %llu of study number %lld is missing",
                       (unsigned long long)l->seq, (long long)study);
    l->events[l->n] = *e;
    l->events[l->n].body = tc_arena_strdup(&l->texts, e->body);
    return l->events[l->n++].body ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status load_row(void *user, const tc_row *r, tacit_error *err)
{
    loading *l = user;
    int64_t id;
    if (r->event)
        return load_event(l, r->of, r->event, err);
    if (r->study)
        return tc_store_study_put(l->to, r->study, &id, err);
    return tc_store_change(l->to, &(tc_change){TC_INSERT, *r->record}, 1, NULL, err);
}

static tacit_status refuse_row(void *user, const tc_row *r, tacit_error *err)
{
    const char *place = user;
    (void)r;
    return tc_fail(err, TACIT_E_STATE, "%s is not empty; a copy needs a store of its own",
                   place ? place : "the storage");
}

static tacit_status load_all(tc_store *in, void *user, tacit_error *err)
{
    loading *l = user;
    l->to = in;
    TC_TRY(tc_store_dump_in(in, refuse_row, (void *)in->place, err));
    TC_TRY(l->fill(l->user, load_row, l, err));
    return flush(l, err);
}

tacit_status tc_store_load(tc_store *s, tc_row_source fill, void *user, tacit_error *err)
{
    loading *l = tc_alloc(1, sizeof *l);
    if (!l)
        return tc_fail_memory(err);
    l->fill = fill;
    l->user = user;
    tacit_status status = tc_store_transact(s, true, load_all, l, err);
    tc_arena_fini(&l->texts);
    tc_free(l);
    return status;
}
