/* federation_int.h - what federation.c, federation_round.c and federation_trial.c share. Nobody
 * else includes it. */
#ifndef TC_SIM_FEDERATION_INT_H
#define TC_SIM_FEDERATION_INT_H

#include "sim/federation.h"
#include "study/store.h"

enum { TC_CHUNK_MOST = 256 };

typedef struct tc_member {
    tc_optimizer *o;
    tc_text message;          /* of the round that is open */
    bool publishes, received; /* its message arrived, and is well-formed */
    /* Relays: its last message that arrived, as it was released. */
    bool kept;
    uint64_t kept_round;
    tc_text handed;
    uint64_t fetches, fetched_bytes, misses; /* what it asked the relay for */
} tc_member;

/* The round that is open, and how it ended. */
typedef struct tc_lockstep {
    bool open, began; /* began: there was one before */
    bool is_void;     /* it was refused; `why` */
    uint64_t number;
    tc_ledger_receipt receipt; /* of its release */
    tacit_error why;           /* is_void: the reason */
} tc_lockstep;

struct tc_federation {
    tc_federation_config cfg;
    tc_env env;        /* what a coordinator knows */
    tc_ledger *ledger; /* cfg.ledger, or its own: */
    tc_store *own_store;
    tc_ledger *own_ledger;
    tc_member *members;
    uint64_t active;        /* the first so many agents take part now: all of them, or `acting` */
    size_t chunk, n_chunks; /* of the active ones */
    tacit_error *failures;  /* one for each chunk */
    bool stepped;
    tc_lockstep round;
    tacit_message_counts tally;
    tacit_simulated_release *releases;
    size_t releases_cap;
    char *rejection;
};

/* E_CANCELLED: it was told to stop. */
tacit_status tc_federation_goes_on(const tc_federation *f, tacit_error *err);
/* Chooses who is active from now on. */
tacit_status tc_federation_choose_active(tc_federation *f, tacit_error *err);
/* Calls body(f, i) for every active agent, chunks of them in parallel; a chunk ends with its first
 * failure, and the first chunk that failed speaks. */
typedef tacit_status (*tc_member_body)(tc_federation *f, uint64_t i, tacit_error *err);
tacit_status tc_federation_each(tc_federation *f, tc_member_body body, tacit_error *err);
/* What the first chunk that failed says. */
tacit_status tc_federation_failure(const tc_federation *f, tacit_error *err);

/* federation_past.c: the messages of earlier studies, made when the federation begins. */
tacit_status tc_federation_past(tc_federation *f, tacit_error *err);
/* federation_round.c: does the message of this agent in the present round not arrive? */
bool tc_federation_lost(const tc_federation *f, uint64_t agent);
/* A message is left out; the first refusal is kept for the report. */
tacit_status tc_federation_reject(tc_federation *f, uint64_t agent, const char *why,
                                  tacit_error *err);
/* federation_shared.c: tc_closing.release, of what trustees would open; user: the federation. */
tacit_status tc_federation_open_shared(void *user, tc_release **out, tacit_error *err);
/* Bytes that an agent would send in this round: its shares, boxed. */
tacit_status tc_federation_upload(const tc_federation *f, uint64_t *out, tacit_error *err);
/* Keeps the message of an agent for the relay, as it is released in `round`. */
tacit_status tc_federation_keep(tc_federation *f, uint64_t agent, uint64_t round, tacit_error *err);
/* Does a round of an aggregator come after the present one? */
tacit_status tc_federation_release_ahead(const tc_federation *f, bool *out, tacit_error *err);
/* All rounds that are due. */
tacit_status tc_federation_rounds(tc_federation *f, tacit_error *err);
/* federation_trial.c: fetches what the relay has, then one trial of each active agent. */
tacit_status tc_federation_trials(tc_federation *f, tacit_error *err);

#endif
