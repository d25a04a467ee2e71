/* traffic.h - what left this machine: an agent's journal and ledgers, round by round. For `tacit inspect`.
 *
 *   traffic.c          the journal and the ledgers, put together
 *   message_numbers.c  the numbers in a message */
#ifndef TC_AGENT_TRAFFIC_H
#define TC_AGENT_TRAFFIC_H

#include "base/memory.h"
#include "study/study.h"

/* What the journal and the ledgers prove about a message. It is paid for before it is sent, so
 * without a ledger line it cannot have left. */
typedef enum tc_fate {
    TC_FATE_READY,    /* journalled, not paid for: nothing has left */
    TC_FATE_WITHHELD, /* the agent's own ledger refused: nothing leaves */
    TC_FATE_LEAVING,  /* paid for, not answered: it may have left */
    TC_FATE_SENT,
    TC_FATE_BEFORE /* another left in its place, before this storage was restored */
} tc_fate;
const char *tc_fate_name(tc_fate fate); /* "withheld" */

/* One round. Texts live in the traffic. */
typedef struct tc_passage {
    uint64_t round;
    bool published; /* else only heard */
    int64_t published_ms;
    size_t bytes;
    tacit_hash hash; /* BLAKE2b-256, as b2sum -l 256 */
    bool paid;
    bool before;        /* ... for what left before a restore: the message here has not */
    const char *ledger; /* where paid: its name, the entry there, what it says ... */
    uint64_t entry;
    uint64_t times;       /* more than one: its coordinator was restored from a backup since */
    tacit_dp_event event; /* of all of them */
    double epsilon;       /* ... and what it costs by itself at the study's delta; NAN: no delta */
    bool answered;        /* its broadcast was heard */
    uint64_t heard;       /* broadcasts, or messages of others that a relay handed on */
    size_t heard_bytes;
    tacit_hash heard_hash; /* of the last one, as the coordinator's ledger has it */
    const char *skipped;   /* why the round ended without one; NULL: it did not */
} tc_passage;

tc_fate tc_passage_fate(const tc_passage *p);

/* All-zero is empty; end with tc_traffic_fini. */
typedef struct tc_traffic {
    tc_passage *rounds; /* ascending */
    size_t n, cap;
    tc_arena memory;
    tc_text message; /* of the round that was asked for */
} tc_traffic;

#define TC_NO_MESSAGE UINT64_MAX

/* name: what the store calls the study. want: the round whose message is kept, or TC_NO_MESSAGE. E_CORRUPT: a round was answered that nothing
 * was paid for, so that part of the storage is missing. */
tacit_status tc_traffic_read(tc_traffic *t, tc_store *store, const char *name, tc_study *study,
                             uint64_t want, tacit_error *err);
void tc_traffic_fini(tc_traffic *t);
/* NULL: nothing was journalled of it. */
const tc_passage *tc_traffic_get(const tc_traffic *t, uint64_t round);

/* The numbers of a message. *v NULL: it is not a vector; else for tc_free. */
tacit_status tc_message_numbers(const tc_text *message, double **v, size_t *n, tacit_error *err);

#endif
