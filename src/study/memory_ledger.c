/* memory_ledger.c - ledgers in memory, for simulations and tests. Called through tc_ledger_io.
 *
 * Records are only added, under the mutex of all ledgers. */
#include "study/memory_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef struct record {
    tc_ledger_record r; /* entry and release are in one block, which is owned */
    uint8_t *bytes;
} record;

typedef struct tc_memory_ledger {
    char *name;
    record *records; /* records[i].r.seq == i + 1 */
    size_t n, cap;
} ledger;

void tc_memory_ledgers_init(tc_memory_ledgers *m)
{
    pthread_mutex_init(&m->lock, NULL);
}

static void ledger_free(ledger *l)
{
    for (size_t i = 0; i < l->n; i++)
        tc_free(l->records[i].bytes);
    tc_free(l->records);
    tc_free(l->name);
    tc_free(l);
}

void tc_memory_ledgers_fini(tc_memory_ledgers *m)
{
    for (size_t i = 0; i < m->n; i++)
        ledger_free(m->all[i]);
    tc_free(m->all);
    pthread_mutex_destroy(&m->lock);
}

void tc_memory_ledgers_swap(tc_memory_ledgers *a, tc_memory_ledgers *b)
{
    ledger **all = a->all;
    size_t n = a->n, cap = a->cap;
    a->all = b->all, a->n = b->n, a->cap = b->cap;
    b->all = all, b->n = n, b->cap = cap;
}

/* ---- the members of tc_ledger_io: each one takes the lock */

static ledger *lock_ledger(const tc_ledger_io *io)
{
    tc_memory_ledgers *m = io->store;
    pthread_mutex_lock(&m->lock);
    return m->all[io->id - 1];
}

static void unlock_ledger(const tc_ledger_io *io)
{
    pthread_mutex_unlock(&((tc_memory_ledgers *)io->store)->lock);
}

static bool same_hash(const tacit_hash *a, const tacit_hash *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static const record *find_round(const ledger *l, const tacit_hash *study, uint64_t round)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->records[i].r.round == round && same_hash(&l->records[i].r.study, study))
            return &l->records[i];
    return NULL;
}

static tacit_status check_place(const ledger *l, const tc_ledger_record *r, tacit_error *err)
{
    if (r->seq != l->n + 1 || (l->n > 0 && !same_hash(&l->records[l->n - 1].r.head, &r->previous)))
        return tc_fail(err, TACIT_E_CONFLICT, "the ledger \"%s\" has moved to entry %zu", l->name,
                       l->n);
    if (find_round(l, &r->study, r->round))
        return tc_fail(err, TACIT_E_CONFLICT, "the ledger \"%s\" has a release of round %llu",
                       l->name, (unsigned long long)r->round);
    return TACIT_OK;
}

static tacit_status append_locked(ledger *l, const tc_ledger_record *r, tacit_error *err)
{
    TC_TRY(check_place(l, r, err));
    uint8_t *bytes = tc_alloc(r->entry_size + r->release_size + 1, 1);
    if (!bytes || !tc_grow((void **)&l->records, &l->cap, l->n + 1, sizeof *l->records)) {
        tc_free(bytes);
        return tc_fail_memory(err);
    }
    memcpy(bytes, r->entry, r->entry_size);
    if (r->release_size > 0)
        memcpy(bytes + r->entry_size, r->release, r->release_size);
    record *to = &l->records[l->n++];
    *to = (record){*r, bytes};
    to->r.entry = bytes;
    to->r.release = bytes + r->entry_size;
    return TACIT_OK;
}

static tacit_status memory_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                  tacit_error *err)
{
    tacit_status st = append_locked(lock_ledger(io), r, err);
    unlock_ledger(io);
    return st;
}

static tacit_status memory_head(const tc_ledger_io *io, tacit_head *out, tacit_error *err)
{
    (void)err;
    const ledger *l = lock_ledger(io);
    *out = (tacit_head){.seq = l->n};
    if (l->n > 0)
        out->hash = l->records[l->n - 1].r.head;
    unlock_ledger(io);
    return TACIT_OK;
}

static tacit_status memory_scan(const tc_ledger_io *io, uint64_t after, tc_ledger_visit visit,
                                void *user, tacit_error *err)
{
    const ledger *l = lock_ledger(io);
    tacit_status st = TACIT_OK;
    for (uint64_t i = after; st == TACIT_OK && i < l->n; i++)
        st = visit(user, &l->records[i].r, err);
    unlock_ledger(io);
    return st;
}

static tacit_status copy_release(const ledger *l, const tacit_hash *study, uint64_t round,
                                 uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err)
{
    const record *found = find_round(l, study, round);
    if (!found)
        return tc_fail(err, TACIT_E_NOT_FOUND, "the ledger \"%s\" has no release of round %llu",
                       l->name, (unsigned long long)round);
    uint8_t *copy = tc_alloc(found->r.release_size + 1, 1);
    if (!copy)
        return tc_fail_memory(err);
    memcpy(copy, found->r.release, found->r.release_size);
    *seq = found->r.seq;
    *release = copy;
    *size = found->r.release_size;
    return TACIT_OK;
}

static tacit_status memory_find(const tc_ledger_io *io, const tacit_hash *study, uint64_t round,
                                uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err)
{
    tacit_status st = copy_release(lock_ledger(io), study, round, seq, release, size, err);
    unlock_ledger(io);
    return st;
}

/* ---- opening */

static tacit_status add_ledger(tc_memory_ledgers *m, const char *name, tacit_error *err)
{
    if (!tc_grow((void **)&m->all, &m->cap, m->n + 1, sizeof *m->all))
        return tc_fail_memory(err);
    ledger *l = tc_alloc(1, sizeof *l);
    char *copy = tc_strdup(name);
    if (!l || !copy) {
        tc_free(l);
        tc_free(copy);
        return tc_fail_memory(err);
    }
    l->name = copy;
    m->all[m->n++] = l;
    return TACIT_OK;
}

static tacit_status open_locked(tc_memory_ledgers *m, const char *name, bool create, int64_t *id,
                                tacit_error *err)
{
    size_t i = 0;
    while (i < m->n && strcmp(m->all[i]->name, name) != 0)
        i++;
    if (i == m->n && !create)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no ledger \"%s\"", name);
    if (i == m->n)
        TC_TRY(add_ledger(m, name, err));
    *id = (int64_t)i + 1;
    return TACIT_OK;
}

tacit_status tc_memory_ledger_open(tc_memory_ledgers *m, const char *name, bool create,
                                   tc_ledger_io *out, tacit_error *err)
{
    tc_ledger_io io = {.store = m,
                       .append = memory_append,
                       .head = memory_head,
                       .scan = memory_scan,
                       .find = memory_find};
    pthread_mutex_lock(&m->lock);
    tacit_status st = open_locked(m, name, create, &io.id, err);
    pthread_mutex_unlock(&m->lock);
    if (st == TACIT_OK)
        *out = io;
    return st;
}

/* A ledger and its name stay where they are until the store is closed. */
static const char *name_of(tc_memory_ledgers *m, size_t i)
{
    pthread_mutex_lock(&m->lock);
    const char *name = i < m->n ? m->all[i]->name : NULL;
    pthread_mutex_unlock(&m->lock);
    return name;
}

tacit_status tc_memory_ledger_list(tc_memory_ledgers *m, tc_ledger_name_visit visit, void *user,
                                   tacit_error *err)
{
    const char *name;
    for (size_t i = 0; (name = name_of(m, i)) != NULL; i++)
        TC_TRY(visit(user, name, err));
    return TACIT_OK;
}
