/* append_places.h - a store's ledger takes an entry in its place only: after the last one, which it names, and once for
 * each round. */
#ifndef TEST_APPEND_PLACES_H
#define TEST_APPEND_PLACES_H

#include "support/test.h"

#include "privacy/ledger.h"

/* io: an empty ledger. It has two entries afterwards. */
static inline void check_append_places(const tc_ledger_io *io)
{
    tacit_error err = {0};
    tc_ledger_record r = {.seq = 2, .entry = (const uint8_t *)"e", .entry_size = 1};
    r.head.bytes[0] = 1;
    assert_fails(io->append(io, &r, &err), TACIT_E_CONFLICT, "has moved to entry 0");
    r.seq = 1;
    assert_ok(io->append(io, &r, &err));
    assert_fails(io->append(io, &r, &err), TACIT_E_CONFLICT, "has moved to entry 1");
    r.seq = 2;
    r.round = 1;
    assert_fails(io->append(io, &r, &err), TACIT_E_CONFLICT, "has moved to entry 1");
    r.previous = r.head;
    r.round = 0;
    assert_fails(io->append(io, &r, &err), TACIT_E_CONFLICT, "has a release of round 0");
    r.round = 1;
    assert_ok(io->append(io, &r, &err));
}

#endif
