/* older_ledger.h - a ledger that an earlier version wrote: tests/fixtures/ledger-*.sql, by `tacit curate` when ledgers had
 * tables of their own. It is to be there to the last bit, and goes on. */
#ifndef TEST_OLDER_LEDGER_H
#define TEST_OLDER_LEDGER_H

#include "support/test.h"

#include "base/memory.h"
#include "privacy/mechanism.h"
#include "study/store.h"

#include <stdio.h>
#include <stdlib.h>

/* The text of a fixture, for tc_free. */
static inline char *read_fixture(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/tests/fixtures/%s", getenv("TACIT_SOURCE"), name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s cannot be read", path);
    char *text = tc_alloc(1 << 16, 1);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 16) - 1, f);
    assert_true(n > 0 && n < (1 << 16) - 1);
    fclose(f);
    return text;
}

/* `head`: of entry 4, in hexadecimal, as the earlier version said it. again: this was done before. */
static inline void check_older_ledger(tc_store *s, const char *head, bool again)
{
    tc_ledger_io io;
    tc_ledger *l = NULL;
    tacit_error err = {0};
    tacit_head at;
    char hex[2 * sizeof at.hash + 1];
    assert_ok(tc_store_ledger(s, "loans", false, &io, &err));
    assert_ok(tc_ledger_open(&l, "loans", &io, &err));
    assert_int_equal(tc_ledger_get_head(l).seq, again ? 5 : 4);
    tc_ledger_get(l, 4, &at);
    for (size_t i = 0; i < sizeof at.hash; i++)
        snprintf(hex + 2 * i, 3, "%02x", at.hash.bytes[i]);
    assert_string_equal(hex, head);
    for (uint64_t seq = 1; seq <= 4; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        tc_ledger_receipt found;
        assert_ok(tc_ledger_find(l, &e->study, e->round, &found, &err)); /* checks its bytes */
        tc_ledger_receipt_fini(&found);
    }
    tc_release *r;
    tc_ledger_receipt receipt;
    tc_ledger_charge c = {tc_ledger_study_hash("{}"), 1, NULL};
    assert_ok(tc_none_release(&r, 1, 1, &(double){7}, TACIT_UNIT_ROW, "it is a test", &err));
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    assert_int_equal(receipt.again, again);
    assert_int_equal(receipt.head.seq, 5);
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
    tc_ledger_close(l);
}

#endif
