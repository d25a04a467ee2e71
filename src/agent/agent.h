/* agent.h - a party of a federated study: enrols, asks, evaluates, sends, hears.
 *
 * Everything an agent does is in its own store before it has an effect outside: its key before it
 * enrols; a message is journalled, then its price enters the agent's own ledger, then the message is sent. So it may
 * be killed at any instant; started again it goes on, and what it sends again is the same bytes. It believes
 * nothing about the study that it can work out by itself: options, noise and price follow from the
 * document (study_plan.h), and the coordinator's ledger must extend what was seen of it before. */
#ifndef TC_AGENT_AGENT_H
#define TC_AGENT_AGENT_H

#include "agent/transport.h"
#include "study/record_guard.h"
#include "study/study.h"

#include <tacit/agent.h>

typedef struct tc_agent tc_agent;

/* How an agent calls itself in a sentence about its own limit. */
#define TC_AGENT_ITSELF "this agent"

typedef struct tc_agent_config {
    tc_store *store; /* the agent's own; borrowed */
    tc_transport transport;
    const char *study;      /* its name */
    const char *as;         /* what the store calls it; NULL: the same */
    const char *join_token; /* needed to enrol; NULL: has been enrolled before */
    const char *ledger;     /* the name of its own ledger; all studies on the same data share one */
    /* ... and what may be spent of it in all; else epsilon 10, delta min(1e-5, 1/N^2) */
    bool limited;
    tc_ledger_budget
        limit; /* held by a filter; its accountant is for the plan of one document; its owner
                             * is TC_AGENT_ITSELF */
    const tc_metric_terms
        *records;             /* in a study that protects them; borrowed; NULL: not declared */
    tc_trainer trainer;       /* of its program there */
    const char *roster;       /* the fingerprint that a roster must have; NULL: any */
    bool accepts_not_private; /* takes part in a study that protects nothing */
    bool accepts_restored;    /* goes on with a coordinator whose ledger is older than was seen */
    tc_pool *pool;            /* may be NULL */
    bool seeded;              /* test mode: party seed and key from `seed` */
    uint64_t seed, key_salt;  /* key_salt tells the keys of agents with one seed apart */
    void (*listen)(void *listener, const tacit_agent_event *e); /* NULL: nobody */
    void *listener;
} tc_agent_config;

/* What would come of opening an agent. Codes are OK where there is nothing to say. */
typedef struct tc_agent_outlook {
    tc_study_doc *document; /* as the coordinator describes it; ends with tc_study_doc_free */
    tacit_error objection;  /* why this agent takes no part in such a study */
    tacit_error no_place;   /* why the coordinator has no place for an agent without a storage */
} tc_agent_outlook;
/* With the join token and before anything is made here or there: cfg->store may be NULL. */
tacit_status tc_agent_preview(const tc_agent_config *cfg, tc_agent_outlook *out, tacit_error *err);

/* Enrols where it has not, and opens the journal. E_IO: the coordinator does not answer; to be tried
 * again. E_ARG, E_STATE: it refuses, or the study is not what it was. */
tacit_status tc_agent_open(tc_agent **out, const tc_agent_config *cfg, tacit_error *err);
void tc_agent_close(tc_agent *a); /* NULL is allowed */

/* Without opening it: its place at the coordinator ends; its key there is replaced by a new one. *number: which place. E_IO: no
 * answer; the same again is safe. E_STATE: there is no place in the store, or the coordinator refuses. */
tacit_status tc_agent_withdraw(const tc_agent_config *cfg, uint64_t *number, tacit_error *err);
tacit_status tc_agent_new_key(const tc_agent_config *cfg, uint64_t *number, tacit_error *err);

tc_study *tc_agent_study(tc_agent *a);
uint64_t tc_agent_number(const tc_agent *a); /* on the roster */
/* What the study may spend, for whom and towards whom, or why it is NOT PRIVATE: a sentence without its
 * full stop. */
tacit_status tc_agent_promise(const tc_agent *a, tc_text *out, tacit_error *err);

/* Why what it sends is NOT PRIVATE, as far as is known by now; "": it is. */
const char *tc_agent_not_private(const tc_agent *a);

/* What the agent's own ledger has spent, over all studies, of what it may. */
typedef struct tc_agent_spending {
    double epsilon, delta; /* a proved upper bound; INFINITY: no guarantee; NaN: nobody asks */
    double limit;          /* of epsilon; 0: there is none */
} tc_agent_spending;
tacit_status tc_agent_spent(tc_agent *a, tc_agent_spending *out, tacit_error *err);

/* What stands between this agent's evaluations and its study, for the handle on it; NULL: the study protects no records. It
 * charges the agent's own ledger, which it borrows. */
tacit_status tc_agent_guard(tc_agent *a, tc_record_guard **out, tacit_error *err);

/* What comes next. TRIAL: ask the study, evaluate and tell. WAIT: the round is not over; step
 * again. DONE: all planned trials are told and no round is under way. */
typedef enum tc_agent_next {
    TC_AGENT_TRIAL,
    TC_AGENT_WAIT,
    TC_AGENT_AGAIN,
    TC_AGENT_DONE
} tc_agent_next;

/* Does what rounds ask for, as far as it can be done now. wait_s: how long the coordinator may hold a
 * question whose answer is not there yet. E_IO: not reached; nothing is lost, step again later. */
tacit_status tc_agent_step(tc_agent *a, long wait_s, tc_agent_next *next, tacit_error *err);

/* The mechanism, in an agent's ledger, of a price that was paid for a message which left before its storage
 * was restored from a backup: what it made in its place since has not left. */
#define TC_AGENT_LEFT "left before a restore"

/* Is `place` where an agent's ledger has a second price of this study's rounds (`hash` is the plan's), paid
 * after its coordinator was restored from a backup? */
tacit_status tc_agent_paid_again(tc_store *store, const char *study, const tacit_hash *hash,
                                 const tacit_hash *place, bool *out, tacit_error *err);

#endif
