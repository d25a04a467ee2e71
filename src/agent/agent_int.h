/* agent_int.h - what the files of an agent share. No other folder of src includes it.
 *
 *   agent.c     opening and closing
 *   identity.c  its key, its place and its token: made once, kept in its store
 *   leave.c     it withdraws, or changes its key
 *   offer.c     the study as the coordinator describes it
 *   policy.c    does this agent take part in such a study?
 *   rounds.c    the steps of a round
 *   limit.c     what a round may cost, over all studies
 *   sending.c   a message: paid for, signed, sent until it has arrived
 *   shares.c    a message that leaves as shares, where the study has trustees; dealt.c: once (dealt.h)
 *   roster.c    the keys of all parties, checked and kept (roster.h)
 *   decline.c   a round that our own ledger refuses
 *   ledger_check.c  the coordinator's ledger: does it extend what was seen?
 *   coordinator_restored.c  a coordinator that comes from a backup
 *   agent_restored.c  an agent that comes from a backup
 *   request.c   its requests; answered.c: what answers say (answered.h)
 *   traffic.c   what left this machine, from journal and ledgers; message_numbers.c: the numbers in a message
 *   alone.c     what the agent would have reached without its federation
 *   events.c    what it says while it works
 *   served_client.c, served_look.c, served_request.c  a client of a served study (served_int.h) */
#ifndef TC_AGENT_AGENT_INT_H
#define TC_AGENT_AGENT_INT_H

#include "agent/agent.h"
#include "agent/answered.h"
#include "agent/offer.h"
#include "agent/roster.h"
#include "study/study_cost.h"
#include "wire/signature.h"

/* The last message. `known`: what is here is what the journal has. `pending`: not known to have
 * arrived. A round's message stays until the next one takes its place. */
typedef struct tc_outbox {
    bool known, pending;
    uint64_t round;
    tc_text message;
    bool dealt; /* with trustees, what leaves in its place is here, and in the store: */
    tc_text upload;
} tc_outbox;

/* What a study's document plans for one unit (limit.c). End with tc_planned_fini. */
typedef struct tc_planned {
    bool known;
    uint64_t round; /* of plans that are about one round */
    tc_study_cost cost;
    tc_ledger_document document; /* the same, as ledgers take it */
} tc_planned;

/* For what it waits, once that was said. */
typedef struct tc_waiting {
    bool said;
    uint64_t round, party;
    int64_t deadline_ms;
    const char *what; /* a constant */
} tc_waiting;

struct tc_agent {
    tc_agent_config cfg;
    char *name;       /* of the study */
    char *local_name; /* what the store calls it */
    tc_public_key public_key;
    tc_secret_key secret_key;
    bool has_key;  /* it is in the store */
    bool has_next; /* so is the one that is to take its place, and the coordinator may know it: */
    uint8_t next[32]; /* its seed */
    char access[64];  /* bearer token */
    uint64_t number;
    tacit_hash of;       /* the study that number and token are of; zeros: it was not kept */
    tc_name_lock *alone; /* while it takes its place: nobody else takes one in this study */
    tc_study *study;
    tc_ledger *ledger;
    tc_ledger *theirs; /* a copy of the coordinator's; NULL: not read yet */
    const char *stamp; /* why what it sends is NOT PRIVATE, as far as is known; NULL: it is */
    tc_outbox outbox;
    tc_planned planned;
    uint32_t waits;        /* answers in a row that said "not yet" */
    uint32_t conflicts;    /* steps in a row in which another process of this agent was first */
    tc_kept_roster roster; /* of a study with trustees, once it is fixed */
    bool shares_swept;     /* the store has no dealing of a round that is over */
    bool caught_up;        /* of agent_restored.c: no later message can have left */
    bool paused;           /* so it was when we asked last */
    tc_waiting waiting;
    bool said_sent; /* ... of this round: a message that is sent again is said once */
    uint64_t said_round;
};

/* ---- request.c */

/* path is what follows /v1/studies/NAME. E_IO also where the coordinator is too busy (429, 503) or failed. A token that the
 * coordinator does not know any more is renewed. */
tacit_status tc_agent_request(tc_agent *a, const tc_call *call, tc_answered *out, tacit_error *err);
/* The same with a body, which it ends. signature: of the body; NULL: none. */
tacit_status tc_agent_post(tc_agent *a, const char *path, const char *bearer, const char *signature,
                           tc_text *body, tc_answered *out, tacit_error *err);
tc_asker tc_agent_asker(tc_agent *a);

/* ---- identity.c */

/* Loads what is kept. *enrolled: a place is known, too. */
tacit_status tc_identity_load(tc_agent *a, bool *enrolled, tacit_error *err);
/* Takes the key that is kept as the next one: tells the coordinator, which may know of it, and keeps it. Where the coordinator does not
 * know this agent's token any more, it enrols again with its join token. */
tacit_status tc_identity_change(tc_agent *a, tacit_error *err);
/* Makes and keeps a next key, unless there is one. */
tacit_status tc_identity_prepare(tc_agent *a, tacit_error *err);
/* Is the place that is kept one in this study? E_STATE: it is in another. */
tacit_status tc_identity_check(const tc_agent *a, const tacit_hash *study, tacit_error *err);
/* Makes and keeps a key where there is none, enrols with the study of this hash, keeps the place. */
tacit_status tc_identity_enrol(tc_agent *a, const tacit_hash *study, tacit_error *err);

/* ---- offer.c */

/* Has the study been closed for good? */
tacit_status tc_offer_closed(tc_agent *a, bool *out, tacit_error *err);

/* ---- policy.c */

/* E_STATE: another study than was asked for, or one that this agent takes no part in, and why. */
tacit_status tc_policy_check(const tc_agent_config *cfg, const tc_offer *o, const tc_study_plan *p,
                             tacit_error *err);
/* The limit of an agent that was given none: rounds are held to it, too. An agent that accepts what is not
 * private has none in a study that is NOT PRIVATE, or that promises too little; in others it has. */
tacit_status tc_policy_limit(tc_agent_config *cfg, const tc_study_plan *p, bool not_private,
                             tacit_error *err);

/* The limit of a study that protects records. */
tc_ledger_budget tc_policy_records_limit(const tc_agent_config *cfg, const tc_study_doc *d);

/* ---- limit.c */

/* Fills in what is not known yet. */
tacit_status tc_planned_find(tc_planned *out, const tc_study_plan *p, uint64_t round,
                             tacit_error *err);
void tc_planned_fini(tc_planned *p);
/* The budget of a round that is paid for at this place in the ledger. */
tacit_status tc_limit_of(tc_agent *a, uint64_t round, const tacit_hash *place,
                         tc_ledger_budget *out, tacit_error *err);

/* ---- sending.c */

typedef enum tc_sent {
    TC_SENT,       /* it arrived, now or earlier, or came too late */
    TC_SEND_LATER, /* the study is paused, or an earlier round is not over */
    TC_DECLINED    /* our own ledger refuses: the coordinator knows that nothing will come */
} tc_sent;
/* Sends what is in the outbox, if it is not known to have arrived. why: of TC_DECLINED. */
tacit_status tc_send(tc_agent *a, tc_sent *out, tacit_error *why, tacit_error *err);
/* Puts the journal's last message in the outbox, unless it is there. */
tacit_status tc_outbox_fill(tc_agent *a, tacit_error *err);
/* The agent's ledger says for good that the release of this round was NOT PRIVATE, which the price
 * paid for it did not say. */
tacit_status tc_send_stamp(tc_agent *a, uint64_t round, tacit_error *err);

/* ---- shares.c */

/* Has the study trustees? */
bool tc_shares_needed(const tc_agent *a);
/* Bytes of what leaves in a round. */
tacit_status tc_shares_size(const tc_agent *a, uint64_t round, size_t *out, tacit_error *err);
/* *there: the roster is fixed, and this agent has accepted it. */
tacit_status tc_shares_roster(tc_agent *a, bool *there, tacit_error *err);
/* Deals the message in the outbox, once and for all; then outbox.upload is what leaves. */
tacit_status tc_shares_make(tc_agent *a, tacit_error *err);
/* No round is under way: forgets what was dealt for those before. */
tacit_status tc_shares_sweep(tc_agent *a, tacit_error *err);

/* ---- events.c */

void tc_agent_emit(tc_agent *a, const tacit_agent_event *e); /* all but its size */
void tc_agent_emit_sent(tc_agent *a, uint64_t round);
/* what: a constant. party TACIT_UNKNOWN: nobody in particular. deadline_ms 0: none is known. */
void tc_agent_emit_waits(tc_agent *a, uint64_t round, uint64_t party, int64_t deadline_ms,
                         const char *what);

/* ---- decline.c */

/* Was this round declined before? Then it stays so, whatever our ledger allows by now. */
tacit_status tc_declined(tc_agent *a, uint64_t round, bool *out, tacit_error *err);
/* Keeps that it is, before anybody is told. */
tacit_status tc_declined_keep(tc_agent *a, uint64_t round, tacit_error *err);

/* ---- ledger_check.c */

/* The coordinator's ledger extends what this agent saw last. E_STATE: it does not, and why. */
tacit_status tc_check_their_head(tc_agent *a, tacit_error *err);
/* The same, and the release of a round is in it, at the price that was planned and charged to whom
 * was planned. *is_private: as the ledger has it. */
tacit_status tc_check_their_release(tc_agent *a, uint64_t round, const uint8_t *release, size_t n,
                                    bool *is_private, tacit_error *err);

/* The entry of a round has the planned price, unit, subject and neighbours. E_STATE: it has not. */
tacit_status tc_check_their_price(const tc_study_plan *p, const tc_ledger_entry *e, uint64_t round,
                                  tacit_error *err);

/* ---- coordinator_restored.c */

/* The coordinator's ledger, held against `seen`, the last head that this agent saw. broken: it does not
 * extend it, and why; NULL: it does. E_STATE: this agent does not go on. *anew: what was seen is to be
 * forgotten, for the agent was told to go on. */
tacit_status tc_coordinator_restored_check(tc_agent *a, const tc_ledger *l, const tacit_head *seen,
                                           const tacit_error *broken, bool *anew, tacit_error *err);
/* Where our own ledger has the price of a round: a message that is sent again to a coordinator that
 * was restored since is paid for once more. */
tacit_status tc_coordinator_restored_place(tc_agent *a, uint64_t round, tacit_hash *out,
                                           tacit_error *err);
/* Was this round's message paid for before the restore, and not since? Then we hear first. */
tacit_status tc_coordinator_restored_waits(tc_agent *a, uint64_t round, bool *out,
                                           tacit_error *err);

/* ---- agent_restored.c */

/* Our storage was restored from a backup, and the message of this round has left, or may have, after
 * it was made. */
tacit_status tc_agent_restored_left(tc_agent *a, uint64_t round, bool *out, tacit_error *err);
/* The price of this round, in the place that holds now, was that of a message which left: another one does
 * not leave for it, whatever the coordinator says. */
tacit_status tc_agent_restored_bars(tc_agent *a, uint64_t round, bool *out, tacit_error *err);

#endif
