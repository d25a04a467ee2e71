/* memory_record.c - records in memory, for simulations and tests: one ordered list under the mutex
 * of the store. Called by memory.c. */
#include "study/memory_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* A record with its key and value in one block of its own. */
typedef struct tc_memory_record {
    tc_record r;
    uint8_t bytes[];
} record;

void tc_memory_records_fini(tc_memory_records *m)
{
    for (size_t i = 0; i < m->n; i++)
        tc_free(m->all[i]);
    tc_free(m->all);
}

/* ---- order ---- */

static int compare(const tc_record *a, const tc_record *b)
{
    if (a->study != b->study)
        return a->study < b->study ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return tc_record_key_compare(a->key, a->key_size, b->key, b->key_size);
}

/* The place of the first record that is not before r. */
static size_t place(const tc_memory_records *m, const tc_record *r)
{
    size_t low = 0, high = m->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (compare(&m->all[mid]->r, r) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static record *find(const tc_memory_records *m, const tc_record *r)
{
    size_t at = place(m, r);
    return at < m->n && compare(&m->all[at]->r, r) == 0 ? m->all[at] : NULL;
}

/* The places [from, to) of a range. */
static void span(const tc_memory_records *m, const tc_record_range *range, size_t *from, size_t *to)
{
    tc_key_bounds b;
    tc_record_bounds(range, &b);
    tc_record low = {
        .study = range->study, .kind = range->kind, .key = b.low, .key_size = b.low_size};
    tc_record high = {
        .study = range->study, .kind = range->kind, .key = b.high, .key_size = b.high_size};
    *from = place(m, &low);
    *to = place(m, &high);
}

/* ---- changing ---- */

static record *copy(const tc_record *r, uint64_t version)
{
    record *c = tc_alloc(1, sizeof *c + r->key_size + r->size);
    if (!c)
        return NULL;
    c->r = *r;
    c->r.key = memcpy(c->bytes, r->key, r->key_size);
    c->r.value = c->bytes + r->key_size;
    if (r->size > 0)
        memcpy(c->bytes + r->key_size, r->value, r->size);
    c->r.version = version;
    return c;
}

static void free_copies(record **copies, size_t n)
{
    for (size_t i = 0; copies && i < n; i++)
        tc_free(copies[i]);
    tc_free(copies);
}

/* What the changes will put in place; NULL for those that put nothing. */
static tacit_status prepare(tc_memory_records *m, const tc_change *c, size_t n, record ***out,
                            tacit_error *err)
{
    record **copies = tc_alloc(n, sizeof *copies);
    bool ok = copies && tc_grow((void **)&m->all, &m->cap, m->n + n, sizeof(record *));
    for (size_t i = 0; ok && i < n; i++)
        if (c[i].what == TC_INSERT || c[i].what == TC_REPLACE)
            ok = (copies[i] = copy(&c[i].record,
                                   c[i].what == TC_INSERT ? 1 : c[i].record.version + 1)) != NULL;
    if (!ok) {
        free_copies(copies, n);
        return tc_fail_memory(err);
    }
    *out = copies;
    return TACIT_OK;
}

static void remove_span(tc_memory_records *m, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        tc_free(m->all[i]);
    if (to > from)
        memmove(m->all + from, m->all + to, (m->n - to) * sizeof(record *));
    m->n -= to - from;
}

/* There is room. */
static void apply(tc_memory_records *m, const tc_change *c, record *new)
{
    size_t at = place(m, &c->record);
    if (c->what == TC_REPLACE || c->what == TC_ERASE)
        remove_span(m, at, at + 1);
    if (!new)
        return;
    memmove(m->all + at + 1, m->all + at, (m->n - at) * sizeof(record *));
    m->all[at] = new;
    m->n++;
}

tacit_status tc_memory_change(tc_memory_records *m, const tc_change *c, size_t n, size_t *refused,
                              tacit_error *err)
{
    record **copies;
    for (size_t i = 0; i < n; i++) {
        const record *there = find(m, &c[i].record);
        uint64_t version = there ? there->r.version : 0;
        if (tc_change_fits(&c[i], version))
            continue;
        if (refused)
            *refused = i;
        return tc_change_conflict(err);
    }
    TC_TRY(prepare(m, c, n, &copies, err));
    for (size_t i = 0; i < n; i++)
        apply(m, &c[i], copies[i]);
    tc_free(copies);
    return TACIT_OK;
}

/* ---- reading and removing ---- */

tacit_status tc_memory_record_get(const tc_memory_records *m, const tc_record *which,
                                  tc_record *out, tacit_error *err)
{
    const record *there = find(m, which);
    if (!there)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no such record of kind %d",
                       (int)which->kind);
    uint8_t *value = tc_alloc(there->r.size + 1, 1);
    if (!value)
        return tc_fail_memory(err);
    memcpy(value, there->r.value, there->r.size);
    *out = *which;
    out->version = there->r.version;
    out->value = value;
    out->size = there->r.size;
    return TACIT_OK;
}

tacit_status tc_memory_record_scan(const tc_memory_records *m, const tc_record_range *range,
                                   tc_record_visit visit, void *user, tacit_error *err)
{
    size_t from, to;
    span(m, range, &from, &to);
    if (range->most > 0 && to > from && to - from > range->most)
        to = from + (size_t)range->most;
    for (size_t i = from; i < to; i++)
        TC_TRY(visit(user, &m->all[i]->r, err));
    return TACIT_OK;
}

uint64_t tc_memory_record_count(const tc_memory_records *m, const tc_record_range *range)
{
    size_t from, to;
    span(m, range, &from, &to);
    return to > from ? to - from : 0;
}

void tc_memory_record_drop(tc_memory_records *m, const tc_record_range *range)
{
    size_t from, to;
    span(m, range, &from, &to);
    if (to > from)
        remove_span(m, from, to);
}

void tc_memory_record_erase(tc_memory_records *m, int64_t study)
{
    size_t from = 0, to;
    while (from < m->n && m->all[from]->r.study < study)
        from++;
    for (to = from; to < m->n && m->all[to]->r.study == study;)
        to++;
    remove_span(m, from, to);
}
