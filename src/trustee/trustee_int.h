/* trustee_int.h - what the files of a trustee share. No other folder of src includes it.
 *
 *   trustee.c    opening and closing, what it says, what it has done
 *   identity.c   its key, its place, its token and the keys of rounds: made once, kept in its store
 *   duty.c       what is due: a step
 *   noise.c      it deals noise
 *   answering.c  a set: its checks, its boxes, the sums, the answer */
#ifndef TC_TRUSTEE_TRUSTEE_INT_H
#define TC_TRUSTEE_TRUSTEE_INT_H

#include "agent/dealt.h"
#include "agent/offer.h"
#include "agent/roster.h"
#include "privacy/shared_sum.h"
#include "trustee/trustee.h"

struct tc_trustee {
    tc_trustee_config cfg;
    char *name; /* of the study */
    tc_study_plan *plan;
    tc_trust_rounds rounds;
    tc_public_key public_key;
    tc_secret_key secret_key;
    bool has_key;    /* it is in the store, and the keys of rounds were made with it */
    char access[64]; /* bearer token; "": it has no place yet */
    uint64_t place;
    tacit_hash of;  /* the study that they are of */
    bool forgotten; /* the coordinator does not know its token any more: it enrols again */
    bool ended;     /* the study was over when it was last asked */
    tc_kept_roster roster;
    char waits[160];     /* for what, as it was said last */
    uint64_t said_round; /* a refusal of this round was said, and sent */
    bool said;
};

/* ---- trustee.c */

tacit_status tc_trustee_request(tc_trustee *t, const tc_call *call, tc_answered *out,
                                tacit_error *err);
void tc_trustee_emit(tc_trustee *t, const tacit_trustee_event *e); /* all but its size */
void tc_trustee_emit_waits(tc_trustee *t, const char *what);
/* Posts {"field": text} to /rounds/ROUND/what. Signed are the bytes, or the text. */
typedef struct tc_trustee_post {
    uint64_t round;
    const char *what, *field;
    tc_signed_purpose purpose;
    const void *bytes; /* in base64; or: */
    size_t n;
    const char *text; /* as it is */
} tc_trustee_post;
/* *taken: the coordinator has it, now or before; else it is out of date. E_STATE: it refuses it for another reason. */
tacit_status tc_trustee_send(tc_trustee *t, const tc_trustee_post *p, bool *taken,
                             tacit_error *err);

/* ---- identity.c */

/* Loads what is kept. */
tacit_status tc_trustee_identity_load(tc_trustee *t, tacit_error *err);
/* Makes and keeps the keys where there are none, enrols, keeps the place. */
tacit_status tc_trustee_identity_enrol(tc_trustee *t, tacit_error *err);
/* Keeps that the study is over. */
tacit_status tc_trustee_identity_end(tc_trustee *t, tacit_error *err);
/* The secret of a round. *there false: there is none. Erase it after use. */
tacit_status tc_trustee_secret(tc_trustee *t, uint64_t round, tc_box_secret *out, bool *there,
                               tacit_error *err);
/* Erases those of this round and of all before it, for good. */
tacit_status tc_trustee_secrets_drop(tc_trustee *t, uint64_t round, tacit_error *err);

/* ---- answering.c */

/* A round for which it has answered. End with tc_duty_fini. */
typedef struct tc_duty {
    bool answered;
    tacit_hash set;
    uint8_t *answer; /* in memory with the set: owned */
    size_t n;
} tc_duty;
tacit_status tc_duty_find(tc_trustee *t, uint64_t round, tc_duty *out, tacit_error *err);
void tc_duty_fini(tc_duty *d);
/* Did it answer for this round, or for one after it? */
tacit_status tc_duty_is_past(tc_trustee *t, uint64_t round, bool *out, tacit_error *err);
tacit_status tc_trustee_answer(tc_trustee *t, uint64_t round, long wait_s, tc_trustee_next *next,
                               tacit_error *err);
/* Sends why nothing leaves for this round, once, and says it. */
tacit_status tc_trustee_refuse(tc_trustee *t, uint64_t round, const tacit_error *why,
                               tacit_trustee_event_kind kind, tacit_error *err);

/* ---- noise.c */

tacit_status tc_trustee_deal(tc_trustee *t, uint64_t round, tc_trustee_next *next,
                             tacit_error *err);

#endif
