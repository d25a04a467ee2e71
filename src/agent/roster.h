/* roster.h - the roster of a study with trustees (wire/trust_roster.h), as each of its parties gets, checks and keeps it.
 *
 * It comes from a coordinator that nobody trusts. A party checks that it is of the document's study, that its own key stands
 * at its own place and that the trustees' keys are those that it names; from outside it may be given the fingerprint. What was
 * accepted once is kept in the party's own store, and another one is never accepted. Called by agents and trustees. */
#ifndef TC_AGENT_ROSTER_H
#define TC_AGENT_ROSTER_H

#include "agent/answered.h"
#include "study/store.h"
#include "study/study_plan.h"
#include "wire/trust_roster.h"

/* The rounds of a study in their order: a trustee has a key for each. End with tc_trust_rounds_fini. */
typedef struct tc_trust_rounds {
    uint64_t *list;
    uint32_t n;
} tc_trust_rounds;
/* E_ARG: the study has more rounds than a roster can have keys for. */
tacit_status tc_trust_rounds_of(const tc_study_plan *p, tc_trust_rounds *out, tacit_error *err);
void tc_trust_rounds_fini(tc_trust_rounds *r);
/* Where the round is in the list; n: nowhere. */
uint32_t tc_trust_rounds_find(const tc_trust_rounds *r, uint64_t round);

/* End with tc_kept_roster_fini. All-zero: there is none yet. */
typedef struct tc_kept_roster {
    tc_trust_roster view; /* of `bytes` */
    uint8_t *bytes;       /* the roster, and the batches of trustees 0..K-1 after it */
    size_t n;
    tc_fingerprint fingerprint;
    tacit_hash hash; /* what boxes are bound to */
    tc_trust_rounds rounds;
} tc_kept_roster;
void tc_kept_roster_fini(tc_kept_roster *r);
static inline bool tc_kept_roster_is_there(const tc_kept_roster *r)
{
    return r->bytes != NULL;
}
/* The keys of all trustees for a round of the study: K of them. */
void tc_kept_roster_keys(const tc_kept_roster *r, uint64_t round, tc_box_key *out);

/* Who asks. All borrowed. */
typedef struct tc_kept_roster_party {
    tc_asker who;
    const char *token; /* of access */
    tc_store *store;
    const tc_study_plan *plan;
    tc_dealer_kind kind;
    uint64_t number;
    tc_public_key key;
    const char *pinned; /* the fingerprint that it must have; NULL: any */
    long wait_s;        /* so long the coordinator may hold the question */
} tc_kept_roster_party;
/* Asks for the roster, holds it against the one that is kept, or keeps it. *out stays all-zero where the roster is not fixed
 * yet and none is kept. E_STATE: it is not to be accepted, and why. */
tacit_status tc_kept_roster_get(const tc_kept_roster_party *p, tc_kept_roster *out,
                                tacit_error *err);

#endif
