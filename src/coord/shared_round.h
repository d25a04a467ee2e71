/* shared_round.h - a round whose messages trustees add up: its set, their answers, and the release that these open
 * (shared_round.c, shared_open.c). For the files of this folder. */
#ifndef TC_COORD_SHARED_ROUND_H
#define TC_COORD_SHARED_ROUND_H

#include "coord/round.h"
#include "coord/trustee.h"
#include "wire/trust_set.h"

/* The sum of a round, as the study's algorithm has it. */
tacit_status tc_shared_round_plan(const tc_open_study *d, uint64_t round, tc_shared_plan *out,
                                  tacit_error *err);
/* What the head of a dealing must say: of agent or trustee `number`. */
tacit_status tc_shared_round_head(const tc_open_study *d, uint64_t round, tc_dealer_kind kind,
                                  uint64_t number, tc_dealing_head *out, tacit_error *err);

/* ---- the set */

/* End with tc_stored_set_fini. version 0: it is not fixed yet. */
typedef struct tc_stored_set {
    tc_trust_set set;
    tacit_hash hash;
    int64_t fixed_ms; /* by the agreed time */
    uint64_t version;
    uint8_t *bytes; /* owned */
} tc_stored_set;
tacit_status tc_stored_set_get(tc_coord *c, const tc_open_study *d, uint64_t round,
                               tc_stored_set *out, tacit_error *err);
void tc_stored_set_fini(tc_stored_set *s);

/* ---- how far it is */

typedef enum tc_shared_step {
    TC_SHARED_WAIT, /* for dealers, or for answers */
    TC_SHARED_FIX,  /* there are dealers enough: its set can be fixed */
    TC_SHARED_OPEN, /* there are answers enough, and no more are waited for */
    TC_SHARED_VOID  /* it can never be opened */
} tc_shared_step;

/* Sets of trustees: bit k is that of place k. */
typedef struct tc_shared_progress {
    bool fixed;
    int64_t fixed_ms;
    uint32_t dealt, answered, refused, revoked;
    tc_shared_step step;
    int64_t
        next_ms; /* WAIT: when to look again, whatever comes; INT64_MAX: nothing but a dealing helps */
    char why[160]; /* VOID */
} tc_shared_progress;

/* ended: the study is closed, and no set is fixed any more. */
tacit_status tc_shared_look(tc_coord *c, const tc_open_study *d, uint64_t round, bool ended,
                            tc_shared_progress *out, tacit_error *err);
/* In words, for `waits_for` of a round that is closing: counts only. */
void tc_shared_word(const tc_open_study *d, const tc_shared_progress *p, char out[200]);
/* So long it is waited for answers that are still missing when enough are there; for too few, twice that. */
int64_t tc_shared_wait_ms(const tc_open_study *d);

/* ---- the steps, each a set of changes that any process repeats */

/* A set that was fixed at a time that is still to come is from a clock that was ahead of ours: its time begins anew. */
tacit_status tc_shared_renew(tc_coord *c, const tc_open_study *d, uint64_t round, tacit_error *err);

/* E_STATE: the set would have no agent. E_CONFLICT: another process was first. */
tacit_status tc_shared_fix(tc_coord *c, tc_open_study *d, const tc_round *r, tacit_error *err);
/* Opens the sums. E_STATE: the answers do not fit together, or the sums are none. */
tacit_status tc_shared_open(tc_coord *c, tc_open_study *d, uint64_t round, tc_release **out,
                            tacit_error *err);

#endif
