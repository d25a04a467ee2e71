/* chain.h - checksums of journals: what a durable store keeps beside each event, so that a byte
 * that changed, an event that is gone and one that was put in are noticed when they are read.
 *
 * The sum of an event covers the sum before it, its number and all that it says; the first one goes
 * on from the study's own sum, its origin. Beside the events the store keeps where the journal ends.
 * A sum is 16 bytes of BLAKE2b: against accidents, not against somebody who writes to the store.
 * For the stores, and for repair.c. */
#ifndef TC_STUDY_CHAIN_H
#define TC_STUDY_CHAIN_H

#include "study/store.h"

enum { TC_CHECKSUM_BYTES = 16 };
typedef struct tc_checksum {
    uint8_t bytes[TC_CHECKSUM_BYTES];
} tc_checksum;

bool tc_checksum_same(const tc_checksum *a, const tc_checksum *b);

/* The checksum of the row, without its number. */
tc_checksum tc_chain_origin(const tc_study_row *row);
/* The checksum of event e->seq, after the event whose sum is `before`. */
tc_checksum tc_chain_next(const tc_checksum *before, const tc_event_row *e);
/* The checksum of a record's key and value. */
tc_checksum tc_chain_record(const tc_record *r);

/* What is stored of a journal's end, and how far it was read. */
typedef struct tc_chain {
    tc_checksum origin;
    uint64_t plain; /* events up to here are from before there were sums: they have none */
    uint64_t end;
    tc_checksum end_sum;
    uint64_t seq; /* the last one that was read, and its sum */
    tc_checksum sum;
} tc_chain;

/* Writing: the sum of the next event, which becomes the end. */
const tc_checksum *tc_chain_add(tc_chain *c, const tc_event_row *e);

/* Reading: goes on after event `after`, whose stored sum this is (size 0: it has none). after <= end. */
tacit_status tc_chain_begin(tc_chain *c, uint64_t after, const void *sum, size_t size,
                            tacit_error *err);
/* The next event, with its stored sum. E_CORRUPT: it is not the one that was written. */
tacit_status tc_chain_take(tc_chain *c, const tc_event_row *e, const void *sum, size_t size,
                           tacit_error *err);
/* There are no more. E_CORRUPT: the end is missing. */
tacit_status tc_chain_finish(const tc_chain *c, tacit_error *err);
/* One event by itself, with the sum before it. */
tacit_status tc_chain_one(const tc_chain *c, const tc_event_row *e, const void *sum, size_t size,
                          const void *before, size_t before_size, tacit_error *err);

/* E_CORRUPT: it does not match its stored sum. */
tacit_status tc_chain_check_study(const tc_study_row *row, const tc_checksum *stored,
                                  tacit_error *err);
tacit_status tc_chain_check_record(const tc_record *r, const void *sum, size_t size,
                                   tacit_error *err);

#endif
