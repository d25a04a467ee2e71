/* coord_int.h - the coordinator itself, and which file of this folder has what. No other folder of src includes it, nor
 * the headers beside it: request.h, token.h, audited.h, open_study.h, round.h, roster.h, trustee.h, shared_round.h, served.h,
 * events.h, record_json.h.
 *
 * Three names are the same in all of them: `c` is the coordinator, `a` the request that is being answered, with its caller
 * (tc_request_context), and `d` the study that it is about, as it is open here (tc_open_study).
 *
 *   coord.c      a request: who asks, which route, what answer
 *   route.c      the table of routes, and which one a path is of
 *   shape*.c     tables of what goes in and out (shape.h)
 *   openapi.c    routes and shapes as /openapi.json
 *   problem.c    failures as problem+json
 *   budget.c     refusals by the budget, with their numbers
 *   events.c     what listeners of /v1/events hear
 *   idempotency.c  the same request again: the same answer
 *   record_json.c  records with JSON in them
 *   token.c      bearer tokens and the roles that they carry
 *   token_api.c  tokens made, replaced, withdrawn, listed
 *   audited.c    the operator's log
 *   open_study.c  studies that are open in this process
 *   tick.c       what is due, now and then
 *   studies.c    creating, listing and ending studies
 *   served.c     what a served study is asked and told: suggest, heartbeat, enqueue
 *   served_complete.c  what came of a trial
 *   served_report.c    what a trial has come to so far
 *   served_list.c  its trials as JSON, pages of them, the best one
 *   outsource.c  served studies over the rows of a curator
 *   pages.c      lists that grow: studies, agents, evidence
 *   roster.c     agents: enrolment, keys
 *   roster_end.c  agents that are revoked or withdraw, and that come back
 *   roster_place.c  which place on the roster is free
 *   trustee.c    trustees: their records, the list of them, their end
 *   trustee_enrol.c  a trustee takes its place
 *   trustee_get.c    what it is told: its duty, and the shares that it adds up
 *   trustee_post.c   what it sends: noise, answers, refusals
 *   roster_fixed.c   the keys of all parties of a study with trustees, fixed once
 *   shared_round.c   the set of a round that trustees add up, and how far they are
 *   shared_open.c    the release from their answers
 *   round.c      the state of a study's present round
 *   message.c    accepting a contribution
 *   message_json.c  its body, read quickly
 *   old_receipts.c  receipts of an earlier version, which told of messages
 *   due.c        is it time to close a round?
 *   closing.c    closes it: one release of its messages
 *   stuck.c      does it come to its end?
 *   broadcast.c  what a round ended with
 *   restored.c   a store that comes from a backup
 *   restore_api.c  makes a storage of a backup (tacit_storage_restore)
 *   health.c     is it up, and how much has it done
 *   ready.c      can the store be used? */
#ifndef TC_COORD_COORD_INT_H
#define TC_COORD_COORD_INT_H

#include "coord/coord.h"
#include "coord/record_json.h"

#include "base/shared_text.h"
#include "study/agreed.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

/* What is counted (health.c). */
typedef enum tc_counter {
    TC_COUNT_2XX,
    TC_COUNT_4XX,
    TC_COUNT_5XX,
    TC_COUNT_CLOSED,
    TC_COUNT_VOID,
    TC_COUNT_REFUSED,
    TC_COUNTERS
} tc_counter;

/* What probes of the store have found (ready.c). */
typedef struct tc_readiness {
    pthread_mutex_t lock;
    bool running, ok; /* a probe is under way; the last one succeeded */
    uint64_t since_ns, done_ns, wrote_ns;
} tc_readiness;

struct tc_coord {
    tc_coord_config cfg;
    tc_agreed *clock;     /* NULL: cfg.now_ms serves */
    pthread_mutex_t lock; /* guards the list of open studies */
    /* Held while an agent takes its place: all who join with one token change its record. */
    pthread_mutex_t enrolling;
    struct tc_open_study *open_studies;
    uint64_t turn;  /* ticks so far */
    int64_t listed; /* studies up to this number are open; 0: that is not known (tick.c) */
    tc_coord_notify notify;
    void *notify_user;
    atomic_uint_fast64_t counters[TC_COUNTERS];
    atomic_size_t json; /* bytes that parsed bodies take now, about */
    tc_readiness ready;
    atomic_uint_fast64_t refused_said_ms; /* when it was last said that connections are refused */
    tc_shared_text *openapi;              /* under lock; NULL: nobody has asked yet */
    struct tc_ring *ring;                 /* of events (events.c) */
    int64_t next_sweep_ms;                /* of old answers (idempotency.c); under lock */
    int64_t next_tokens_ms;               /* the next pass over tokens (token_sweep.c), */
    tc_key tokens_swept;   /* and how far this one is; size 0: none is under way; under lock */
    int64_t said_s;        /* the second of which `said` refusals are in the log, and how many */
    uint64_t said, unsaid; /* are not (problem.c); under lock */
};

/* Just after its start a coordinator is not sure of the time (study/agreed.h), and takes nothing for past. */
bool tc_coord_is_sure(const tc_coord *c);
/* Is that moment past, for sure? */
bool tc_coord_is_past(const tc_coord *c, int64_t at_ms);

void tc_count(tc_coord *c, tc_counter which, uint64_t n);
void tc_count_answer(tc_coord *c, int status);

/* Takes hashes and signatures of messages out of a store that an earlier version has written. */
tacit_status tc_old_receipts(tc_store *store, tacit_error *err);
/* Keeps that this store was served in test mode: what was released is NOT PRIVATE, also where a backup
 * does not have it. */
tacit_status tc_seeded_keep(tc_store *store, tacit_error *err);

#endif
