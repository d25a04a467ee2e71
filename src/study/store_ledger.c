/* store_ledger.c - privacy ledgers in a store, whichever it is: records (record.h) and compare-and-set.
 *
 * A ledger is four kinds of records of no study. Numbers are eight bytes, big-endian.
 *
 *   LEDGER  key: number of the ledger                  value: its name
 *   HEAD    key: ledger, number and hash of its last entry    no value
 *   ENTRY   key: ledger, number of the entry           value: the entry's hash, study, round, size, the entry, the release
 *   ROUND   key: ledger, study, round                  value: number of the entry
 *
 * An append is one set of changes: the head that it follows goes, and head, entry and round come. The head is in the
 * key, so the set compares number and hash without reading anything first, and of two processes that append at once
 * one is refused. A set is all or nothing and on disk when it returns; so there is no such thing as half an entry.
 * Since the head stands apart from the entries, a lost one shows. The durable stores refuse to change or remove what
 * is here by triggers, against accidents; against intent there is the chain.
 *
 * Called through tc_store_ledger, tc_store_ledger_list and tc_ledger_io. */
#include "study/store.h"

#include "base/error.h"
#include "base/memory.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

enum { NUMBER = 8, HASH = sizeof(tacit_hash), ENTRY_HEADER = 2 * HASH + 2 * NUMBER };

/* ---- keys and values ---- */

typedef struct ledger_key {
    uint8_t bytes[TC_RECORD_KEY_MAX];
    size_t size;
} ledger_key;

static void put_number(ledger_key *k, uint64_t n)
{
    uint64_t word = htobe64(n);
    memcpy(k->bytes + k->size, &word, NUMBER);
    k->size += NUMBER;
}

static void put_hash(ledger_key *k, const tacit_hash *h)
{
    memcpy(k->bytes + k->size, h, HASH);
    k->size += HASH;
}

static uint64_t number_at(const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, NUMBER);
    return be64toh(word);
}

static ledger_key key_of(int64_t ledger)
{
    ledger_key k = {.size = 0};
    put_number(&k, (uint64_t)ledger);
    return k;
}

static ledger_key head_key(int64_t ledger, uint64_t seq, const tacit_hash *hash)
{
    static const tacit_hash none;
    ledger_key k = key_of(ledger);
    put_number(&k, seq);
    put_hash(&k, seq > 0 ? hash : &none);
    return k;
}

static ledger_key entry_key(int64_t ledger, uint64_t seq)
{
    ledger_key k = key_of(ledger);
    put_number(&k, seq);
    return k;
}

static ledger_key round_key(int64_t ledger, const tacit_hash *study, uint64_t round)
{
    ledger_key k = key_of(ledger);
    put_hash(&k, study);
    put_number(&k, round);
    return k;
}

static tc_change change_of(tc_change_kind what, tc_record_kind kind, const ledger_key *key,
                           const void *value, size_t size)
{
    return (tc_change){what,
                       {.kind = kind,
                        .key = key->bytes,
                        .key_size = key->size,
                        .value = value,
                        .size = size,
                        .version = what == TC_INSERT ? 0 : 1}};
}

/* The value of an entry's record, for tc_free; NULL: no memory. */
static uint8_t *pack_entry(const tc_ledger_record *r, size_t *size)
{
    uint64_t numbers[] = {htobe64(r->round), htobe64(r->entry_size)};
    *size = ENTRY_HEADER + r->entry_size + r->release_size;
    uint8_t *out = tc_alloc(*size, 1), *at = out;
    if (!out)
        return NULL;
    memcpy(at, &r->head, HASH);
    memcpy(at + HASH, &r->study, HASH);
    memcpy(at + 2 * HASH, numbers, sizeof numbers);
    at += ENTRY_HEADER;
    memcpy(at, r->entry, r->entry_size);
    if (r->release_size > 0)
        memcpy(at + r->entry_size, r->release, r->release_size);
    return out;
}

/* Pointers are borrowed from the record. */
static tacit_status unpack_entry(const tc_record *from, tc_ledger_record *out, tacit_error *err)
{
    const uint8_t *at = from->value, *key = from->key;
    uint64_t seq = from->key_size == 2 * NUMBER ? number_at(key + NUMBER) : 0;
    uint64_t entry = from->size >= ENTRY_HEADER ? number_at(at + 2 * HASH + NUMBER) : UINT64_MAX;
    if (seq == 0 || from->size < ENTRY_HEADER || entry > from->size - ENTRY_HEADER)
        return tc_fail(err, TACIT_E_CORRUPT, "ledger entry %" PRIu64 " is incomplete", seq);
    tc_ledger_record r = {.seq = seq, .round = number_at(at + 2 * HASH)};
    memcpy(&r.head, at, HASH);
    memcpy(&r.study, at + HASH, HASH);
    r.entry = at + ENTRY_HEADER;
    r.entry_size = (size_t)entry;
    r.release = r.entry + r.entry_size;
    r.release_size = from->size - ENTRY_HEADER - r.entry_size;
    *out = r;
    return TACIT_OK;
}

/* ---- reading ---- */

typedef struct head_found {
    tacit_head head;
    uint64_t n;
} head_found;

static tacit_status take_head(void *user, const tc_record *r, tacit_error *err)
{
    head_found *f = user;
    (void)err;
    if (r->key_size != 2 * NUMBER + HASH)
        return TACIT_OK; /* not a head: so there is none */
    const uint8_t *key = r->key;
    f->head.seq = number_at(key + NUMBER);
    memcpy(&f->head.hash, key + 2 * NUMBER, HASH);
    f->n++;
    return TACIT_OK;
}

static tacit_status ledger_head(const tc_ledger_io *io, tacit_head *out, tacit_error *err)
{
    head_found f = {.n = 0};
    ledger_key k = key_of(io->id);
    tc_record_range heads = {
        .kind = TC_RECORD_LEDGER_HEAD, .prefix = k.bytes, .prefix_size = k.size};
    TC_TRY(tc_store_record_scan(io->store, &heads, take_head, &f, err));
    if (f.n != 1)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the storage is damaged: ledger number %" PRId64 " has %" PRIu64 " heads",
                       io->id, f.n);
    *out = f.head;
    return TACIT_OK;
}

typedef struct entry_scan {
    tc_ledger_visit visit;
    void *user;
    uint64_t seq;  /* of the last one */
    bool visiting; /* the store has found nothing wrong with the next one */
} entry_scan;

static tacit_status pass_entry(void *user, const tc_record *r, tacit_error *err)
{
    entry_scan *s = user;
    tc_ledger_record entry;
    s->visiting = true;
    TC_TRY(unpack_entry(r, &entry, err));
    TC_TRY(s->visit(s->user, &entry, err));
    s->seq = entry.seq;
    s->visiting = false;
    return TACIT_OK;
}

static tacit_status ledger_scan(const tc_ledger_io *io, uint64_t after, tc_ledger_visit visit,
                                void *user, tacit_error *err)
{
    entry_scan s = {.visit = visit, .user = user, .seq = after};
    ledger_key prefix = key_of(io->id), last = entry_key(io->id, after);
    tc_record_range entries = {.kind = TC_RECORD_LEDGER_ENTRY,
                               .prefix = prefix.bytes,
                               .prefix_size = prefix.size,
                               .after = last.bytes,
                               .after_size = last.size};
    tacit_status status = tc_store_record_scan(io->store, &entries, pass_entry, &s, err);
    if (status == TACIT_E_CORRUPT && !s.visiting) /* the store says it of a record */
        return tc_fail_in(err, "ledger entry %" PRIu64, s.seq + 1);
    return status;
}

/* The bytes of a release, for tc_free. */
static tacit_status read_release(const tc_ledger_io *io, const tacit_hash *study, uint64_t round,
                                 uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err)
{
    ledger_key where = round_key(io->id, study, round), key;
    tc_record at = change_of(TC_REQUIRE, TC_RECORD_LEDGER_ROUND, &where, NULL, 0).record, entry;
    tc_ledger_record found;
    TC_TRY(tc_store_record_find(io->store, &at, &at, err));
    if (at.version == 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "the ledger has no release of round %" PRIu64,
                       round);
    uint64_t number = at.size == NUMBER ? number_at(at.value) : 0;
    tc_free((void *)at.value);
    key = entry_key(io->id, number);
    entry = change_of(TC_REQUIRE, TC_RECORD_LEDGER_ENTRY, &key, NULL, 0).record;
    TC_TRY(tc_store_record_find(io->store, &entry, &entry, err));
    if (entry.version == 0)
        return tc_fail(err, TACIT_E_CORRUPT, "ledger entry %" PRIu64 " is missing", number);
    tacit_status status = unpack_entry(&entry, &found, err);
    if (status == TACIT_OK) {
        uint8_t *value = (uint8_t *)entry.value; /* what is handed out stands at its beginning */
        *seq = number;
        *size = found.release_size;
        memmove(value, found.release, found.release_size);
        *release = value;
        return TACIT_OK;
    }
    tc_free((void *)entry.value);
    return status;
}

/* Another process may have committed it and not yet have brought it to disk: bytes that a loss of power can take back
 * must not leave. E_BUSY of wait_durable: it may have been taken back, and is looked for again. */
static tacit_status ledger_find(const tc_ledger_io *io, const tacit_hash *study, uint64_t round,
                                uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err)
{
    enum { TRIES = 3 };
    for (int i = 1;; i++) {
        uint64_t since = tc_store_moment(io->store);
        TC_TRY(read_release(io, study, round, seq, release, size, err));
        tacit_status status = tc_store_wait_durable(io->store, since, err);
        if (status == TACIT_OK)
            return TACIT_OK;
        tc_free(*release);
        *release = NULL;
        if (status != TACIT_E_BUSY || i == TRIES)
            return status;
    }
}

/* ---- appending ---- */

static tacit_status refuse_append(const tc_ledger_io *io, const tc_ledger_record *r, bool in_place,
                                  tacit_error *err)
{
    tacit_head head;
    if (in_place)
        return tc_fail(err, TACIT_E_CONFLICT, "the ledger has a release of round %" PRIu64,
                       r->round);
    TC_TRY(ledger_head(io, &head, err));
    return tc_fail(err, TACIT_E_CONFLICT, "the ledger has moved to entry %" PRIu64, head.seq);
}

static tacit_status ledger_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                  tacit_error *err)
{
    enum { OLD_HEAD, NEW_HEAD, ENTRY, ROUND, CHANGES };
    ledger_key old_head = head_key(io->id, r->seq - 1, &r->previous),
               new_head = head_key(io->id, r->seq, &r->head), entry = entry_key(io->id, r->seq),
               round = round_key(io->id, &r->study, r->round);
    uint64_t seq = htobe64(r->seq);
    size_t size, refused = 0;
    uint8_t *packed = pack_entry(r, &size);
    if (!packed)
        return tc_fail_memory(err);
    const tc_change changes[CHANGES] = {
        [OLD_HEAD] = change_of(TC_ERASE, TC_RECORD_LEDGER_HEAD, &old_head, NULL, 0),
        [NEW_HEAD] = change_of(TC_INSERT, TC_RECORD_LEDGER_HEAD, &new_head, NULL, 0),
        [ENTRY] = change_of(TC_INSERT, TC_RECORD_LEDGER_ENTRY, &entry, packed, size),
        [ROUND] = change_of(TC_INSERT, TC_RECORD_LEDGER_ROUND, &round, &seq, NUMBER),
    };
    tacit_status status = tc_store_change(io->store, changes, CHANGES, &refused, err);
    tc_free(packed);
    return status == TACIT_E_CONFLICT ? refuse_append(io, r, refused == ROUND, err) : status;
}

/* ---- names ---- */

/* Names are few, and all of them are read: ledgers are numbered 1, 2, 3, ..., so one that is lost shows. It would be
 * begun anew otherwise, and release everything a second time. */
typedef struct name_scan {
    int64_t last;       /* the number of the last one */
    const char *wanted; /* NULL: the next one ... */
    char *name;         /* ... which is copied; NULL: there is none */
    int64_t found;      /* the number of the one that is wanted; 0: it is not there */
} name_scan;

static tacit_status take_name(void *user, const tc_record *r, tacit_error *err)
{
    name_scan *s = user;
    int64_t id = r->key_size == NUMBER ? (int64_t)number_at(r->key) : 0;
    if (id != ++s->last)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the storage is damaged: ledger number %" PRId64 " is missing", s->last);
    if (!s->wanted) {
        s->name = tc_alloc(r->size + 1, 1);
        if (!s->name)
            return tc_fail_memory(err);
        memcpy(s->name, r->value, r->size);
        return TACIT_OK;
    }
    if (strlen(s->wanted) == r->size && memcmp(s->wanted, r->value, r->size) == 0)
        s->found = id;
    return TACIT_OK;
}

/* Creates an empty ledger. E_CONFLICT: this number is taken. */
static tacit_status make_ledger(tc_store *store, int64_t id, const char *name, tacit_error *err)
{
    ledger_key number = key_of(id), head = head_key(id, 0, NULL);
    const tc_change changes[] = {
        change_of(TC_INSERT, TC_RECORD_LEDGER, &number, name, strlen(name)),
        change_of(TC_INSERT, TC_RECORD_LEDGER_HEAD, &head, NULL, 0),
    };
    return tc_store_change(store, changes, 2, NULL, err);
}

/* Where another process makes a ledger at the same moment, its number is taken, and the names are read again. */
static tacit_status get_or_make(tc_store *store, const char *name, bool create, int64_t *id,
                                tacit_error *err)
{
    static const tc_record_range names = {.kind = TC_RECORD_LEDGER};
    for (int64_t before = -1;;) {
        name_scan s = {.wanted = name};
        TC_TRY(tc_store_record_scan(store, &names, take_name, &s, err));
        *id = s.found > 0 ? s.found : s.last + 1;
        if (s.found > 0)
            return TACIT_OK;
        if (!create)
            return tc_fail(err, TACIT_E_NOT_FOUND, "there is no ledger \"%s\"%s%s", name,
                           store->place ? " in " : "", store->place ? store->place : "");
        if (s.last == before)
            return tc_fail(err, TACIT_E_CORRUPT,
                           "the storage is damaged: its index does not find ledger number %" PRId64,
                           s.last + 1);
        before = s.last;
        tacit_status status = make_ledger(store, *id, name, err);
        if (status != TACIT_E_CONFLICT)
            return status;
    }
}

tacit_status tc_store_ledger(tc_store *s, const char *name, bool create, tc_ledger_io *out,
                             tacit_error *err)
{
    tc_ledger_io io = {.store = s,
                       .append = ledger_append,
                       .head = ledger_head,
                       .scan = ledger_scan,
                       .find = ledger_find};
    TC_TRY(get_or_make(s, name, create, &io.id, err));
    *out = io;
    return TACIT_OK;
}

/* One at a time, so that visit may call the store. */
tacit_status tc_store_ledger_list(tc_store *s, tc_ledger_name_visit visit, void *user,
                                  tacit_error *err)
{
    for (name_scan at = {.last = 0};;) {
        ledger_key last = key_of(at.last);
        tc_record_range next = {
            .kind = TC_RECORD_LEDGER, .after = last.bytes, .after_size = last.size, .most = 1};
        at.name = NULL;
        TC_TRY(tc_store_record_scan(s, &next, take_name, &at, err));
        if (!at.name)
            return TACIT_OK;
        tacit_status status = visit(user, at.name, err);
        tc_free(at.name);
        TC_TRY(status);
    }
}
