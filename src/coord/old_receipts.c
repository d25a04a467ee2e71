/* old_receipts.c - takes hashes and signatures out of the receipts that an earlier version wrote.
 *
 * Once for a store, at the first start of a coordinator on it; a mark says that it was done. Several processes may
 * do it at the same time: a receipt that another one has changed is read again. */
#include "coord/coord_int.h"
#include "coord/record_json.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/receipt.h"

#include <string.h>

enum { BATCH = 256, ATTEMPTS = 64 };

#define MARK "plain receipts"

/* Receipts to be written again. */
typedef struct batch {
    tc_change changes[BATCH];
    tc_key keys[BATCH];
    char *texts[BATCH];
    size_t n;
    bool again; /* there may be more */
} batch;

static void batch_fini(batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        tc_free(b->texts[i]);
    b->n = 0;
}

static tacit_status take(void *user, const tc_record *r, tacit_error *err)
{
    batch *b = user;
    if (!tc_receipt_tells(r))
        return TACIT_OK;
    if (b->n == BATCH) {
        b->again = true;
        return TACIT_OK;
    }
    tc_key *key = &b->keys[b->n];
    TC_TRY(tc_receipt_plain(r, &b->texts[b->n], err));
    memcpy(key->bytes, r->key, r->key_size);
    key->n = r->key_size;
    tc_record plain = tc_record_of(r->study, r->kind, key);
    plain.version = r->version;
    plain.value = b->texts[b->n];
    plain.size = strlen(b->texts[b->n]);
    b->changes[b->n++] = (tc_change){TC_REPLACE, plain};
    return TACIT_OK;
}

static tacit_status rewrite(tc_store *s, int64_t study, tc_record_kind kind, bool *changed,
                            tacit_error *err)
{
    tc_record_range all = {.study = study, .kind = kind};
    batch *b = tc_alloc(1, sizeof *b);
    tacit_status status = b ? TACIT_OK : tc_fail_memory(err);
    int conflicts = 0;
    for (bool more = true; status == TACIT_OK && more;) {
        b->again = false;
        status = tc_store_record_scan(s, &all, take, b, err);
        if (status == TACIT_OK && b->n > 0)
            status = tc_store_change(s, b->changes, b->n, NULL, err);
        *changed |= b->n > 0;
        more = b->again;
        if (status == TACIT_E_CONFLICT && ++conflicts < ATTEMPTS) {
            status = TACIT_OK;
            more = true;
        }
        batch_fini(b);
    }
    tc_free(b);
    return status;
}

typedef struct studies {
    int64_t *ids;
    size_t n, cap;
} studies;

static tacit_status note_study(void *user, const tc_study_row *row, tacit_error *err)
{
    studies *s = user;
    if (!tc_grow((void **)&s->ids, &s->cap, s->n + 1, sizeof *s->ids))
        return tc_fail_memory(err);
    s->ids[s->n++] = row->id;
    return TACIT_OK;
}

/* The store's log may still have what was replaced: a removal, even of nothing, folds it in. */
static tacit_status rewrite_all(tc_store *store, const studies *s, tacit_error *err)
{
    bool changed = false;
    for (size_t i = 0; i < s->n; i++) {
        TC_TRY(rewrite(store, s->ids[i], TC_RECORD_RECEIPT, &changed, err));
        TC_TRY(rewrite(store, s->ids[i], TC_RECORD_EVIDENCE, &changed, err));
    }
    tc_key mark = tc_key_word(MARK);
    tc_record_range nothing = {
        .kind = TC_RECORD_MESSAGE, .prefix = mark.bytes, .prefix_size = mark.n};
    return changed ? tc_store_record_drop(store, &nothing, err) : TACIT_OK;
}

tacit_status tc_old_receipts(tc_store *store, tacit_error *err)
{
    tc_key key = tc_key_word(MARK);
    tc_record mark = tc_record_of(0, TC_RECORD_SERVER, &key), got;
    studies s = {.n = 0};
    TC_TRY(tc_store_record_find(store, &mark, &got, err));
    tc_free((void *)got.value);
    if (got.version > 0)
        return TACIT_OK;
    tacit_status status = tc_store_study_list(store, note_study, &s, err);
    if (status == TACIT_OK)
        status = rewrite_all(store, &s, err);
    tc_free(s.ids);
    TC_TRY(status);
    tacit_error why = {0};
    status = tc_store_record_keep(store, &mark, 0, "{}", 2, &why);
    return status == TACIT_OK || status == TACIT_E_CONFLICT ? TACIT_OK
                                                            : tc_pass_on(err, status, &why);
}
