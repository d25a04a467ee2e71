/* dealt.h - what a party of a study with trustees has dealt for a round (wire/dealing.h): made once, in its store before it is
 * sent, and the same bytes whenever it is sent again.
 *
 * A second dealing for a round would be a second message with the same data: so the store takes one for each round, and
 * forgets it when the round is over. Called by agents (their vectors) and trustees (their noise). */
#ifndef TC_AGENT_DEALT_H
#define TC_AGENT_DEALT_H

#include "agent/roster.h"
#include "wire/dealing.h"

/* A record's key of a study and a round: by rounds they ascend. */
typedef struct tc_round_key {
    uint8_t bytes[40];
} tc_round_key;
tc_round_key tc_round_key_of(const tacit_hash *study, uint64_t round);
uint64_t tc_round_key_round(const void *key);

/* Who deals. Borrowed. */
typedef struct tc_dealt_by {
    tc_store *store;
    const tc_study_plan *plan;
    const tc_kept_roster *roster;
    tc_dealer_kind kind;
    uint64_t number;
    const tc_secret_key *identity;
    const uint64_t *test_seed; /* NULL: real secrets */
} tc_dealt_by;

/* The upload of the round that is kept; *there false: none is, and *out is untouched. */
tacit_status tc_dealt_find(const tc_dealt_by *by, uint64_t round, tc_text *out, bool *there,
                           tacit_error *err);
/* Deals n integers for a round and keeps the upload, which *out gets. E_CONFLICT: another process of this party has. */
tacit_status tc_dealt_make(const tc_dealt_by *by, uint64_t round, const int64_t *values, size_t n,
                           tc_text *out, tacit_error *err);
/* Forgets what was dealt for rounds below `end`. */
tacit_status tc_dealt_forget(tc_store *store, const tacit_hash *study, uint64_t end,
                             tacit_error *err);
/* Removes records of this kind of rounds below `end`, for good. */
tacit_status tc_round_records_drop(tc_store *store, tc_record_kind kind, const tacit_hash *study,
                                   uint64_t end, tacit_error *err);

#endif
