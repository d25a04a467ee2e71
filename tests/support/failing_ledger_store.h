/* failing_ledger_store.h - a store for one ledger, kept in the test, that can fail on demand and whose
 * records a test may damage. And releases with chosen values: for those a test includes
 * privacy/release_int.h before, which only tests beside the mechanisms may. */
#ifndef TACIT_TESTS_SUPPORT_FAILING_LEDGER_STORE_H
#define TACIT_TESTS_SUPPORT_FAILING_LEDGER_STORE_H

#include "support/test.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/ledger.h"

enum { FAKE_RECORDS = 128 };

typedef struct fake_record {
    uint64_t seq, round;
    tacit_hash study, head;
    uint8_t entry[2000], release[2000];
    size_t entry_size, release_size;
} fake_record;

typedef struct failing_ledger_store {
    fake_record records[FAKE_RECORDS];
    size_t n;
    tacit_head head;
    tacit_status fail_append; /* the next append returns this ... */
    bool append_anyway;       /* ... but has happened */
    tacit_status fail_find;   /* every find after a failed append returns this */
    bool failed;
    size_t appends, scans;
} failing_ledger_store;

static inline tacit_status fake_store(failing_ledger_store *d, const tc_ledger_record *r,
                                      tacit_error *err)
{
    const tacit_hash none = {0};
    const tacit_hash *previous = d->n == 0 ? &none : &r->previous;
    if (r->seq != d->head.seq + 1 || !tc_ledger_hash_same(&d->head.hash, previous))
        return tc_fail(err, TACIT_E_CONFLICT, "the ledger has moved");
    for (size_t i = 0; i < d->n; i++)
        if (d->records[i].round == r->round && tc_ledger_hash_same(&d->records[i].study, &r->study))
            return tc_fail(err, TACIT_E_CONFLICT, "the round was released");
    fake_record *to = &d->records[d->n++];
    assert_true(d->n < FAKE_RECORDS && r->entry_size <= 2000 && r->release_size <= 2000);
    to->seq = r->seq;
    to->round = r->round;
    to->study = r->study;
    to->head = r->head;
    memcpy(to->entry, r->entry, to->entry_size = r->entry_size);
    memcpy(to->release, r->release, to->release_size = r->release_size);
    d->head = (tacit_head){r->seq, r->head};
    return TACIT_OK;
}

static inline tacit_status fake_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                       tacit_error *err)
{
    failing_ledger_store *d = io->store;
    tacit_status fails = d->fail_append;
    d->appends++;
    if (fails == TACIT_OK)
        return fake_store(d, r, err);
    d->fail_append = TACIT_OK;
    d->failed = true;
    if (d->append_anyway)
        assert_int_equal(fake_store(d, r, err), TACIT_OK);
    return tc_fail(err, fails, "the store broke down");
}

static inline tacit_status fake_head(const tc_ledger_io *io, tacit_head *out, tacit_error *err)
{
    (void)err;
    *out = ((failing_ledger_store *)io->store)->head;
    return TACIT_OK;
}

static inline tacit_status fake_scan(const tc_ledger_io *io, uint64_t after, tc_ledger_visit visit,
                                     void *user, tacit_error *err)
{
    failing_ledger_store *d = io->store;
    d->scans++;
    for (size_t i = after; i < d->n; i++) {
        const fake_record *from = &d->records[i];
        tc_ledger_record r = {.seq = from->seq,
                              .study = from->study,
                              .round = from->round,
                              .entry = from->entry,
                              .release = from->release,
                              .entry_size = from->entry_size,
                              .release_size = from->release_size,
                              .head = from->head};
        TC_TRY(visit(user, &r, err));
    }
    return TACIT_OK;
}

static inline tacit_status fake_find(const tc_ledger_io *io, const tacit_hash *study,
                                     uint64_t round, uint64_t *seq, uint8_t **release, size_t *size,
                                     tacit_error *err)
{
    failing_ledger_store *d = io->store;
    if (d->failed && d->fail_find != TACIT_OK)
        return tc_fail(err, d->fail_find, "the store cannot be read");
    for (size_t i = 0; i < d->n; i++) {
        const fake_record *r = &d->records[i];
        if (r->round != round || !tc_ledger_hash_same(&r->study, study))
            continue;
        *release = tc_alloc(r->release_size + 1, 1);
        if (!*release)
            return tc_fail_memory(err);
        memcpy(*release, r->release, r->release_size);
        *size = r->release_size;
        *seq = r->seq;
        return TACIT_OK;
    }
    return tc_fail(err, TACIT_E_NOT_FOUND, "no such release");
}

static inline tc_ledger_io fake_io(failing_ledger_store *d)
{
    return (tc_ledger_io){
        .store = d, .append = fake_append, .head = fake_head, .scan = fake_scan, .find = fake_find};
}

static inline tc_ledger *fake_open(failing_ledger_store *d)
{
    tacit_error err = {0};
    tc_ledger *l = NULL;
    tc_ledger_io io = fake_io(d);
    assert_ok(tc_ledger_open(&l, "test", &io, &err));
    return l;
}

/* ---- releases */

#ifdef TC_PRIVACY_RELEASE_INT_H

/* Three numbers, of which the first is `value`. */
static inline tc_release *forced_release(tacit_dp_event event, int64_t value)
{
    tacit_error err = {0};
    tc_release *r = NULL;
    tc_entropy secret = {.secret = true};
    assert_ok(tc_release_new(&r, 1, 3, &secret, &err));
    r->steps[0] = value;
    r->view.mechanism = "gaussian-sum";
    r->view.adjacency = "all vectors of one agent are replaced by zero";
    r->view.event = event;
    return r;
}

/* ... of one unit, whom a charge may name. */
static inline tc_release *forced_single(tacit_dp_event event, int64_t value)
{
    tc_release *r = forced_release(event, value);
    r->view.mechanism = "laplace-reply";
    r->view.single = true;
    return r;
}

static inline tacit_dp_event gaussian_event(double z)
{
    return tc_release_event(TACIT_DP_GAUSSIAN, z);
}

static inline tc_ledger_charge charge_of(const char *study, uint64_t round, const char *subject)
{
    return (tc_ledger_charge){tc_ledger_study_hash(study), round, subject};
}

/* Releases `event` to (study, round) without a limit and forgets the bytes. */
static inline void spend(tc_ledger *l, const char *study, uint64_t round, const char *subject,
                         tacit_dp_event event)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of(study, round, subject);
    tc_release *r =
        subject ? forced_single(event, (int64_t)round) : forced_release(event, (int64_t)round);
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
}

#endif

#endif
