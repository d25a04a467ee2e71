/* ledger.c - a ledger: reading it with all checks, and the one way for a release to leave.
 *
 * See ledger.h for the rule. The order inside tc_ledger_release: take in what others appended;
 * if the round has a release, that is the answer; check the budget; commit; hand out. A commit
 * that fails in any way goes back to the beginning, where the store says what is true.
 *
 * Whether a round has a release is read from the checked chain (ledger_rounds.c). A store commits
 * only behind the head of that chain, so no entry can be between the look and the commit. */
#include "privacy/ledger_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

/* Each conflict means that another process has appended; so many in a row mean a broken store. */
enum { MOST_CONFLICTS = 1000 };

/* ---- a ledger in memory */

tacit_status tc_ledger_new(tc_ledger **out, const char *name, tacit_error *err)
{
    TC_TRY(tc_ledger_check_name("the name of a ledger", name, err));
    tc_ledger *l = tc_alloc(1, sizeof *l);
    char *copy = tc_strdup(name);
    if (!l || !copy) {
        tc_free(l);
        tc_free(copy);
        return tc_fail_memory(err);
    }
    l->name = copy;
    l->genesis = tc_ledger_genesis(name).hash;
    *out = l;
    return TACIT_OK;
}

void tc_ledger_close(tc_ledger *l)
{
    if (!l)
        return;
    tc_arena_fini(&l->texts);
    tc_free(l->items);
    tc_free(l->rounds);
    tc_free(l->name);
    tc_free(l);
}

/* Most entries of a ledger say the same in the same words: `before` is shared if it is equal. */
static const char *keep(tc_ledger *l, const char *before, const char *s)
{
    if (!*s)
        return "";
    return before && strcmp(before, s) == 0 ? before : tc_arena_strdup(&l->texts, s);
}

tacit_status tc_ledger_push(tc_ledger *l, const tc_ledger_entry *e, const tacit_hash *head,
                            tacit_error *err)
{
    if (!tc_grow((void **)&l->items, &l->cap, l->n + 1, sizeof *l->items))
        return tc_fail_memory(err);
    TC_TRY(tc_ledger_round_reserve(l, e, err));
    static const tc_ledger_entry nothing;
    const tc_ledger_entry *last = l->n > 0 ? &l->items[l->n - 1].entry : &nothing;
    tc_ledger_item item = {*e, *head};
    item.entry.subject = keep(l, last->subject, e->subject);
    item.entry.mechanism = keep(l, last->mechanism, e->mechanism);
    item.entry.adjacency = keep(l, last->adjacency, e->adjacency);
    item.entry.not_private = keep(l, last->not_private, e->not_private);
    if (l->texts.failed) {
        l->texts.failed = false; /* this entry was not taken in; the others are whole */
        return tc_fail_memory(err);
    }
    l->items[l->n++] = item;
    tc_ledger_round_add(l, e);
    return TACIT_OK;
}

tacit_status tc_ledger_until(tc_ledger **out, const tc_ledger *l, uint64_t seq, tacit_error *err)
{
    tc_ledger *copy;
    tacit_status status = TACIT_OK;
    if (seq > l->n)
        return tc_fail(err, TACIT_E_NOT_FOUND, "the ledger %s has no entry %" PRIu64 ": it has %zu",
                       l->name, seq, l->n);
    TC_TRY(tc_ledger_new(&copy, l->name, err));
    for (size_t i = 0; i < seq && status == TACIT_OK; i++)
        status = tc_ledger_push(copy, &l->items[i].entry, &l->items[i].head, err);
    if (status == TACIT_OK)
        *out = copy;
    else
        tc_ledger_close(copy);
    return status;
}

const char *tc_ledger_name(const tc_ledger *l)
{
    return l->name;
}

tacit_head tc_ledger_get_head(const tc_ledger *l)
{
    return (tacit_head){l->n, l->n > 0 ? l->items[l->n - 1].head : l->genesis};
}

const tc_ledger_entry *tc_ledger_get(const tc_ledger *l, uint64_t seq, tacit_head *head)
{
    const tc_ledger_item *item = &l->items[seq - 1];
    if (head)
        *head = (tacit_head){seq, item->head};
    return &item->entry;
}

tacit_status tc_ledger_check_seen(const tc_ledger *l, const tacit_head *seen, tacit_error *err)
{
    if (seen->seq > l->n)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the ledger was rolled back: it had %" PRIu64 " entries and has %zu",
                       seen->seq, l->n);
    const tacit_hash *mine = seen->seq == 0 ? &l->genesis : &l->items[seen->seq - 1].head;
    if (!tc_ledger_hash_same(mine, &seen->hash))
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the ledger does not have the head that was seen after entry %" PRIu64
                       ": its history was replaced",
                       seen->seq);
    return TACIT_OK;
}

/* ---- reading from the store */

static tacit_status check_filed(const tc_ledger_record *r, const tc_ledger_entry *e,
                                tacit_error *err)
{
    tacit_hash hash = tc_ledger_release_hash(r->release, r->release_size);
    if (r->seq != e->seq || r->round != e->round || !tc_ledger_hash_same(&r->study, &e->study))
        return tc_fail(err, TACIT_E_CORRUPT,
                       "ledger entry %" PRIu64 " is filed under another study, round or number",
                       e->seq);
    if (!tc_ledger_hash_same(&hash, &e->release))
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the release of ledger entry %" PRIu64 " does not match its hash", e->seq);
    if (r->release_size != e->rows * e->cols * 8)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the release of ledger entry %" PRIu64
                       " has %zu bytes, which is not %" PRIu64 " x %" PRIu64 " values",
                       e->seq, r->release_size, e->rows, e->cols);
    return TACIT_OK;
}

static tacit_status decode_stored(tc_ledger_entry *out, const tc_ledger_record *r, uint64_t seq,
                                  tacit_error *err)
{
    tacit_error why;
    if (tc_ledger_entry_decode(out, r->entry, r->entry_size, &why) == TACIT_OK)
        return TACIT_OK;
    tacit_hash hash = tc_ledger_entry_hash(r->entry, r->entry_size);
    if (!tc_ledger_hash_same(&hash, &r->head))
        return tc_fail(err, TACIT_E_CORRUPT, "ledger entry %" PRIu64 " does not match its hash",
                       seq);
    return tc_fail(err, TACIT_E_CORRUPT, "ledger entry %" PRIu64 " makes no sense: %s", seq,
                   why.msg);
}

static tacit_status take_in(void *user, const tc_ledger_record *r, tacit_error *err)
{
    tc_ledger *l = user;
    tacit_head before = tc_ledger_get_head(l);
    tc_ledger_entry e = {0};
    TC_TRY(decode_stored(&e, r, before.seq + 1, err));
    TC_TRY(tc_ledger_check_entry(&e, r->entry, r->entry_size, &before, &r->head, err));
    TC_TRY(check_filed(r, &e, err));
    return tc_ledger_push(l, &e, &r->head, err);
}

/* The stored head is that of its entry; an entry beyond it is one that came meanwhile. */
static tacit_status check_head(const tc_ledger *l, const tacit_head *stored, tacit_error *err)
{
    if (stored->seq > l->n)
        return tc_fail(err, TACIT_E_CORRUPT, "ledger entry %zu is missing", l->n + 1);
    if (stored->seq > 0 && !tc_ledger_hash_same(&l->items[stored->seq - 1].head, &stored->hash))
        return tc_fail(err, TACIT_E_CORRUPT,
                       "ledger entry %" PRIu64 " does not match the head of the ledger",
                       stored->seq);
    return TACIT_OK;
}

tacit_status tc_ledger_catch_up(tc_ledger *l, tacit_error *err)
{
    if (!l->io.append)
        return TACIT_OK;
    tacit_head stored;
    size_t before = l->n;
    TC_TRY(l->io.head(&l->io, &stored, err));
    if (stored.seq < before)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the ledger was rolled back: it had %zu entries and has %" PRIu64, before,
                       stored.seq);
    if (stored.seq > before || before == 0)
        TC_TRY(l->io.scan(&l->io, before, take_in, l, err));
    TC_TRY(check_head(l, &stored, err));
    if (l->n == stored.seq)
        return TACIT_OK;
    TC_TRY(l->io.head(&l->io, &stored, err)); /* more came, or they do not belong */
    if (stored.seq < l->n)
        return tc_fail(err, TACIT_E_CORRUPT, "ledger entry %" PRIu64 " is beyond the ledger's head",
                       stored.seq + 1);
    return TACIT_OK;
}

tacit_status tc_ledger_open(tc_ledger **out, const char *name, const tc_ledger_io *io,
                            tacit_error *err)
{
    tc_ledger *l = NULL;
    TC_TRY(tc_ledger_new(&l, name, err));
    l->io = *io;
    tacit_status status = tc_ledger_catch_up(l, err);
    if (status != TACIT_OK) {
        tc_ledger_close(l);
        return status;
    }
    *out = l;
    return TACIT_OK;
}

/* ---- what may leave */

void tc_ledger_receipt_fini(tc_ledger_receipt *r)
{
    tc_free(r->bytes);
    *r = (tc_ledger_receipt){0};
}

/* The bytes must be those of entry `seq` of the chain that was checked. */
static tacit_status check_found(const tc_ledger *l, const tacit_hash *study, uint64_t round,
                                const tc_ledger_receipt *r, tacit_error *err)
{
    if (r->head.seq == 0 || r->head.seq > l->n)
        return tc_fail(err, TACIT_E_CORRUPT, "the ledger has a release without an entry");
    tc_ledger_record record = {.seq = r->head.seq,
                               .study = *study,
                               .round = round,
                               .release = r->bytes,
                               .release_size = r->size};
    return check_filed(&record, &l->items[r->head.seq - 1].entry, err);
}

static tacit_status writable(const tc_ledger *l, tacit_error *err)
{
    if (l->io.append)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the ledger \"%s\" was read from a file; it has no releases to give", l->name);
}

/* What the chain says of an entry's release, beside its bytes. */
static void describe(const tc_ledger *l, uint64_t seq, tc_ledger_receipt *r)
{
    const tc_ledger_entry *e = tc_ledger_get(l, seq, &r->head);
    r->is_private = e->is_private;
    r->not_private = e->not_private;
}

/* Brings the bytes of a release, which the caller frees even if they turn out wrong. The chain has every entry up to
 * its head, so the store is not asked for a round that is not in it. */
static tacit_status fetch(tc_ledger *l, const tacit_hash *study, uint64_t round,
                          tc_ledger_receipt *r, tacit_error *err)
{
    TC_TRY(tc_ledger_catch_up(l, err));
    uint64_t known = tc_ledger_round_entry(l, study, round);
    if (known == 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "the ledger has no release of round %" PRIu64,
                       round);
    tacit_status status = l->io.find(&l->io, study, round, &r->head.seq, &r->bytes, &r->size, err);
    if (status == TACIT_E_NOT_FOUND)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the store does not find the release of ledger entry %" PRIu64
                       " (round %" PRIu64 "): it is damaged",
                       known, round);
    TC_TRY(status);
    return check_found(l, study, round, r, err);
}

tacit_status tc_ledger_find(tc_ledger *l, const tacit_hash *study, uint64_t round,
                            tc_ledger_receipt *out, tacit_error *err)
{
    tc_ledger_receipt r = {.again = true};
    TC_TRY(writable(l, err));
    tacit_status status = fetch(l, study, round, &r, err);
    if (status != TACIT_OK) {
        tc_ledger_receipt_fini(&r);
        return status;
    }
    describe(l, r.head.seq, &r);
    *out = r;
    return TACIT_OK;
}

/* ---- releasing */

static tc_ledger_entry entry_of(const tc_ledger *l, const tc_ledger_charge *c, const tc_release *r,
                                const tc_ledger_receipt *bytes)
{
    const tc_release_view *v = tc_release_get(r);
    tacit_head before = tc_ledger_get_head(l);
    return (tc_ledger_entry){
        .seq = before.seq + 1,
        .study = c->study,
        .round = c->round,
        .unit = v->unit,
        .subject = c->subject ? c->subject : "",
        .event = v->event,
        .relation = v->relation,
        .distance = v->distance,
        .mechanism = v->mechanism,
        .adjacency = v->adjacency,
        .is_private = v->is_private,
        .not_private = v->is_private ? "" : v->not_private,
        .rows = v->rows,
        .cols = v->cols,
        .offset = v->offset,
        .step = v->step,
        .release = tc_ledger_release_hash(bytes->bytes, bytes->size),
        .previous = before.hash,
    };
}

/* Once it is committed nothing can fail any more but memory, and then asking again helps. */
tacit_status tc_ledger_commit(tc_ledger *l, const tc_ledger_entry *e, tc_ledger_receipt *r,
                              tacit_error *err)
{
    tc_ledger_record record = {.seq = e->seq,
                               .study = e->study,
                               .round = e->round,
                               .release = r->bytes,
                               .release_size = r->size,
                               .previous = e->previous};
    uint8_t *bytes;
    TC_TRY(tc_ledger_entry_encode(e, &bytes, &record.entry_size, err));
    record.entry = bytes;
    record.head = tc_ledger_entry_hash(bytes, record.entry_size);
    tacit_status status = l->io.append(&l->io, &record, err);
    tc_free(bytes);
    TC_TRY(status);
    TC_TRY(tc_ledger_push(l, e, &record.head, err));
    describe(l, e->seq, r);
    return TACIT_OK;
}

/* What is to be released, and what is handed out in the end. */
typedef struct attempt {
    const tc_ledger_budget *budget;
    const tc_ledger_charge *charge;
    const tc_release *release;
    tc_ledger_receipt fresh; /* its bytes, until they are handed out */
} attempt;

/* The stored release of the round, if it is the one that is asked for. E_NOT_FOUND. */
static tacit_status stored_release(tc_ledger *l, const attempt *a, tc_ledger_receipt *out,
                                   tacit_error *err)
{
    const tc_ledger_charge *c = a->charge;
    tc_ledger_receipt r;
    TC_TRY(tc_ledger_find(l, &c->study, c->round, &r, err));
    tc_ledger_entry asked = entry_of(l, c, a->release, &a->fresh);
    tacit_status status = tc_ledger_check_same(tc_ledger_get(l, r.head.seq, NULL), &asked, err);
    if (status != TACIT_OK) {
        tc_ledger_receipt_fini(&r);
        return status;
    }
    *out = r;
    return TACIT_OK;
}

/* Nobody could tell what the ledger has spent if this release were about other neighbours. */
static tacit_status check_relation(const tc_ledger *l, const tc_ledger_entry *e, tacit_error *err)
{
    tacit_relation asked = tc_ledger_charged_for(e, e->unit), total = asked;
    for (size_t i = 0; i < l->n && asked != TACIT_RELATION_USUAL; i++) {
        const tc_ledger_entry *before = &l->items[i].entry;
        tacit_relation next = tc_ledger_charged_for(before, e->unit);
        if (next == TACIT_RELATION_USUAL || tc_relation_compose(&total, next))
            continue;
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "this release is about %s neighbours and ledger entry %" PRIu64
                       " about %s ones; only equal relations compose",
                       tacit_relation_name(asked), before->seq, tacit_relation_name(next));
    }
    return TACIT_OK;
}

/* E_CONFLICT: somebody was faster. */
static tacit_status try_commit(tc_ledger *l, attempt *a, tacit_error *err)
{
    const tc_ledger_charge *c = a->charge;
    TC_TRY(tc_ledger_catch_up(l, err));
    if (tc_ledger_round_entry(l, &c->study, c->round) != 0)
        return tc_fail(err, TACIT_E_CONFLICT, "the ledger has a release of round %" PRIu64,
                       c->round);
    tc_ledger_entry e = entry_of(l, c, a->release, &a->fresh);
    tacit_dp_event charged = tc_ledger_charged(&e, e.unit);
    TC_TRY(check_relation(l, &e, err));
    if (a->budget)
        TC_TRY(tc_ledger_would(l, a->budget, e.unit, c->subject, &charged, e.distance, err));
    return tc_ledger_commit(l, &e, &a->fresh, err);
}

/* Asks the store what is true after a commit that did not succeed. `failed` and err hold its
 * failure, which stands unless the round has a release now. */
static tacit_status find_outcome(tc_ledger *l, const attempt *a, tacit_status failed,
                                 tc_ledger_receipt *out, tacit_error *err)
{
    tacit_error why;
    tacit_status status = stored_release(l, a, out, &why);
    if (status != TACIT_OK && status != TACIT_E_CORRUPT && status != TACIT_E_CONFLICT)
        return failed;
    if (status != TACIT_OK && err)
        *err = why;
    return status;
}

static tacit_status release_bytes(tc_ledger *l, attempt *a, tc_ledger_receipt *out,
                                  tacit_error *err)
{
    for (int i = 0; i < MOST_CONFLICTS; i++) {
        tacit_error why = {0};
        tacit_status status = stored_release(l, a, out, &why);
        if (status != TACIT_E_NOT_FOUND)
            return tc_pass_on(err, status, &why);
        status = try_commit(l, a, err);
        if (status == TACIT_OK) {
            *out = a->fresh;
            a->fresh.bytes = NULL;
            return TACIT_OK;
        }
        if (status != TACIT_E_CONFLICT)
            return find_outcome(l, a, status, out, err);
    }
    return tc_fail(err, TACIT_E_CONFLICT, "the ledger \"%s\" moves too fast to append to it",
                   l->name);
}

/* What concerns everybody is paid for by everybody: else each of fifty sums, charged to one of
 * fifty names, would leave the ledger with a fiftieth of what every unit has spent. */
static tacit_status check_subject(const tc_release_view *v, const char *subject, tacit_error *err)
{
    if (!subject)
        return TACIT_OK;
    TC_TRY(tc_ledger_check_name("subject", subject, err));
    if (v->single)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "subject must be NULL, got \"%s\": this release (%s) concerns every %s", subject,
                   v->mechanism, tacit_unit_name(v->unit));
}

tacit_status tc_ledger_release(tc_ledger *l, const tc_ledger_budget *b, const tc_ledger_charge *c,
                               const tc_release *r, tc_ledger_receipt *out, tacit_error *err)
{
    const tc_release_view *v = tc_release_get(r);
    TC_TRY(writable(l, err));
    if (!tc_sampling_is_proved(&v->event, v->relation))
        TC_TRY(tacit_unit_check(v->unit, tc_dp_event_rate(&v->event), err));
    TC_TRY(check_subject(v, c->subject, err));
    attempt a = {b, c, r, {.size = tc_release_size(r)}};
    a.fresh.bytes = tc_alloc(a.fresh.size + 1, 1);
    if (!a.fresh.bytes)
        return tc_fail_memory(err);
    tc_release_encode(r, a.fresh.bytes);
    tacit_status status = release_bytes(l, &a, out, err);
    tc_free(a.fresh.bytes);
    return status;
}
