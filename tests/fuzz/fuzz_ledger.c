/* fuzz_ledger.c - any bytes as an entry of a ledger, any text as an exported ledger.
 *
 * The first byte chooses which. The bytes of an entry are canonical: what is accepted must encode to the
 * very same. A ledger that is accepted must export to the same ledger. */
#include "fuzz.h"

#include "base/json.h"
#include "base/memory.h"
#include "privacy/ledger.h"

#include <string.h>

static void check_entry(const uint8_t *data, size_t size)
{
    tc_ledger_entry e;
    uint8_t *bytes;
    size_t n;
    if (tc_ledger_entry_decode(&e, data, size, NULL) != TACIT_OK)
        return;
    REQUIRE(tc_ledger_entry_encode(&e, &bytes, &n, NULL) == TACIT_OK);
    REQUIRE(n == size && memcmp(bytes, data, n) == 0);
    tc_free(bytes);
}

static void check_again(const tc_ledger *l)
{
    tc_ledger *again = NULL;
    json_t *j = tc_ledger_json(l);
    REQUIRE(j && tc_ledger_from_json(&again, j, NULL) == TACIT_OK);
    tacit_head a = tc_ledger_get_head(l), b = tc_ledger_get_head(again);
    REQUIRE(a.seq == b.seq && tc_ledger_hash_same(&a.hash, &b.hash));
    json_decref(j);
    tc_ledger_close(again);
}

static void check_export(const uint8_t *data, size_t size)
{
    json_t *j = NULL;
    tc_ledger *l = NULL;
    if (tc_json_parse((const char *)data, size, "ledger", &j, NULL) != TACIT_OK)
        return;
    if (tc_ledger_from_json(&l, j, NULL) == TACIT_OK)
        check_again(l);
    tc_ledger_close(l);
    json_decref(j);
}

FUZZ_TARGET(ledger)
{
    if (size == 0)
        return 0;
    if (data[0] % 2)
        check_entry(data + 1, size - 1);
    else
        check_export(data + 1, size - 1);
    return 0;
}
