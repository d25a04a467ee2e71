/* dealt.c - see dealt.h. */
#include "agent/dealt.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/shared_sum.h"

#include <endian.h>
#include <sodium.h>
#include <string.h>

/* ---- keys of records ---- */

tc_round_key tc_round_key_of(const tacit_hash *study, uint64_t round)
{
    tc_round_key k;
    const uint64_t be = htobe64(round);
    memcpy(k.bytes, study->bytes, sizeof study->bytes);
    memcpy(k.bytes + sizeof study->bytes, &be, sizeof be);
    return k;
}

uint64_t tc_round_key_round(const void *key)
{
    uint64_t be;
    memcpy(&be, (const uint8_t *)key + sizeof(tacit_hash), sizeof be);
    return be64toh(be);
}

static tc_record record_of(const tc_round_key *k, tc_record_kind kind)
{
    return (tc_record){.kind = kind, .key = k->bytes, .key_size = sizeof k->bytes};
}

static tacit_status note_first(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    *(uint64_t *)user = tc_round_key_round(r->key);
    return TACIT_OK;
}

tacit_status tc_round_records_drop(tc_store *store, tc_record_kind kind, const tacit_hash *study,
                                   uint64_t end, tacit_error *err)
{
    const tc_record_range one = {
        .kind = kind, .prefix = study->bytes, .prefix_size = sizeof study->bytes, .most = 1};
    bool any = false;
    for (;;) {
        uint64_t first = end;
        TC_TRY(tc_store_record_scan(store, &one, note_first, &first, err));
        if (first >= end)
            break;
        const tc_round_key k = tc_round_key_of(study, first);
        const tc_record_range all = {
            .kind = kind, .prefix = k.bytes, .prefix_size = sizeof k.bytes};
        TC_TRY(tc_store_record_drop(store, &all, err));
        any = true;
    }
    if (any)
        tc_store_forget(store);
    return TACIT_OK;
}

tacit_status tc_dealt_forget(tc_store *store, const tacit_hash *study, uint64_t end,
                             tacit_error *err)
{
    return tc_round_records_drop(store, TC_RECORD_DEALING, study, end, err);
}

/* ---- dealing ---- */

tacit_status tc_dealt_find(const tc_dealt_by *by, uint64_t round, tc_text *out, bool *there,
                           tacit_error *err)
{
    const tc_round_key k = tc_round_key_of(&by->plan->hash, round);
    const tc_record w = record_of(&k, TC_RECORD_DEALING);
    tc_record got;
    TC_TRY(tc_store_record_find(by->store, &w, &got, err));
    *there = got.version > 0;
    if (!*there)
        return TACIT_OK;
    out->len = 0;
    tc_text_add_bytes(out, got.value, got.size);
    tc_free((void *)got.value);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static void draw_secret(const tc_dealt_by *by, uint64_t round, uint8_t out[TC_SHARE_SECRET])
{
    if (by->test_seed) {
        tc_shared_test_secret(*by->test_seed, by->kind == TC_DEALER_TRUSTEE, by->number, round,
                              out);
        return;
    }
    tc_random_start();
    tc_party_seed fresh = tc_party_seed_fresh();
    memcpy(out, fresh.bytes, TC_SHARE_SECRET);
    sodium_memzero(&fresh, sizeof fresh);
}

static tacit_status write_upload(const tc_dealt_by *by, uint64_t round, const int64_t *values,
                                 size_t n, uint8_t *out, tacit_error *err)
{
    tc_box_key keys[TC_TRUSTEES_MOST];
    uint8_t secret[TC_SHARE_SECRET];
    tc_kept_roster_keys(by->roster, round, keys);
    const tc_dealer d = {.trustees = by->plan->env.trustees,
                         .roster = by->roster->hash,
                         .epoch = by->roster->view.epoch,
                         .round = round,
                         .kind = by->kind,
                         .number = by->number,
                         .identity = by->identity,
                         .keys = keys};
    draw_secret(by, round, secret);
    tacit_status status = tc_dealing_write(&d, secret, values, n, out, err);
    sodium_memzero(secret, sizeof secret);
    return status;
}

tacit_status tc_dealt_make(const tc_dealt_by *by, uint64_t round, const int64_t *values, size_t n,
                           tc_text *out, tacit_error *err)
{
    const size_t size = tc_dealing_size(&by->plan->env.trustees, n);
    const tc_round_key k = tc_round_key_of(&by->plan->hash, round);
    const tc_record w = record_of(&k, TC_RECORD_DEALING);
    uint8_t *upload = tc_alloc(size, 1);
    if (!upload)
        return tc_fail_memory(err);
    tacit_status status = write_upload(by, round, values, n, upload, err);
    if (status == TACIT_OK)
        status = tc_store_record_keep(by->store, &w, 0, upload, size, err);
    if (status == TACIT_OK) {
        out->len = 0;
        tc_text_add_bytes(out, upload, size);
        status = out->failed ? tc_fail_memory(err) : TACIT_OK;
    }
    tc_free(upload);
    return status;
}
