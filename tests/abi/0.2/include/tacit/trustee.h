/* tacit/trustee.h - be a trustee of a federated study whose coordinator is trusted with nothing. In libtacit-net.
 *
 * In a study with trustees an agent's message leaves as shares, one for each trustee; a trustee adds up the shares that it
 * gets and answers with the sums. Fewer than t + 1 trustees together learn nothing of a message. Trustees deal the noise,
 * too. A trustee has no data and needs no trust in the coordinator; what it must do is to keep its storage to
 * itself, never to bring back an older copy of it, and to answer once for each round, which this library sees to.
 *
 *     tacit_trustee_opts opts = TACIT_TRUSTEE_OPTS;
 *     opts.coordinator = "https://tacit.example:8443";
 *     opts.fingerprint = "sha256//...";
 *     opts.study = "ward";
 *     opts.storage = "sqlite:///trustee.db";
 *     opts.join_token = token;
 *     if (tacit_trustee_join(&trustee, &opts, &err) == TACIT_OK)
 *         status = tacit_trustee_run(trustee, &err);
 *     tacit_trustee_close(trustee);
 *
 * A handle serves one thread at a time, and one process at a time is the trustee of a study in a storage (E_BUSY). What opts
 * points at is copied, but for `here` and `user`. `err` may be NULL. */
#ifndef TACIT_TRUSTEE_H
#define TACIT_TRUSTEE_H

#include <tacit/agent.h>
#include <tacit/coordinator.h>
#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_trustee tacit_trustee; /* end with tacit_trustee_close */

typedef enum tacit_trustee_event_kind {
    TACIT_TRUSTEE_ROSTER =
        1, /* `text`: the fingerprint of the roster, which all parties should see alike */
    TACIT_TRUSTEE_DEALT = 2, /* noise for `round` has left */
    TACIT_TRUSTEE_ANSWERED =
        3, /* the sums of `agents` agents in `round` have left, and the round's key is gone */
    TACIT_TRUSTEE_REFUSED =
        4, /* nothing leaves for `round`; `text`: why, as the coordinator's operator hears it */
    TACIT_TRUSTEE_CONFLICT =
        5, /* the same, and it had answered for another set: the coordinator lies, or was
                                   restored from a backup. Both sets are kept */
    TACIT_TRUSTEE_WAITS = 6 /* `text`: for what. Said again only where it changes */
} tacit_trustee_event_kind;

/* The library makes it; it lives for the call. Numbers that the kind does not name are 0, texts NULL. */
typedef struct tacit_trustee_event {
    size_t size;
    tacit_trustee_event_kind kind;
    uint64_t round;
    uint64_t agents;
    const char *text;
} tacit_trustee_event;

typedef struct tacit_trustee_opts {
    size_t size;             /* sizeof of this struct as the caller saw it */
    const char *coordinator; /* the way to it: these as in tacit_agent_opts (agent.h) */
    const char *fingerprint, *ca, *proxy;
    tacit_coordinator *here;
    const char *study;      /* required: its name */
    const char *storage;    /* required: the trustee's own, for its keys and its answers */
    const char *join_token; /* of role "trustee"; needed to join. NULL: has joined before */
    const char *roster; /* the roster's fingerprint, "sha256//..."; NULL: any, and no other later */
    double patience_s;  /* so long a coordinator may stay silent; then a call is E_IO */
    /* Asked several times a second while a call waits; true: it ends with E_CANCELLED. NULL: never. */
    bool (*stop)(void *user);
    /* What a person may want to know: that the coordinator is silent and is tried again. NULL: nothing is said. */
    void (*note)(void *user, const char *text);
    /* Told what happens, as soon as it is in the storage. NULL: nobody. */
    void (*listen)(void *user, const tacit_trustee_event *event);
    void *user;
    int64_t test_seed; /* -1: real secrets. Else they come from it: repeatable, NOT PRIVATE */
    uint64_t test_key; /* with it: tells the keys of several trustees apart */
    /* In place of the way above, as in tacit_agent_opts. */
    tacit_status (*exchange)(void *user, const tacit_request *request, tacit_agent_answer *answer,
                             tacit_error *err);
} tacit_trustee_opts;
#define TACIT_TRUSTEE_OPTS                                                                         \
    {                                                                                              \
        sizeof(tacit_trustee_opts), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 3600,    \
            NULL, NULL, NULL, NULL, -1, 0, NULL                                                    \
    }

/* Takes a place among the study's trustees, or comes back to the one that this storage has. E_ARG: an option is wrong, and which.
 * E_STATE: the coordinator refuses, the study has no trustees or is not the one that it was, or the storage was restored from a
 * backup, which leaves the keys of rounds out. E_BUSY: another process is this trustee. E_IO: the coordinator was silent
 * for patience_s. What is refused before a place is asked for
 * leaves no trace. */
TACIT_API tacit_status tacit_trustee_join(tacit_trustee **out, const tacit_trustee_opts *opts,
                                          tacit_error *err);
TACIT_API void tacit_trustee_close(tacit_trustee *t); /* NULL is allowed */

TACIT_API uint64_t tacit_trustee_place(const tacit_trustee *t); /* from 0 */

/* Does what is due, as far as it can be done now. *done: the study is over for trustees. wait_s: so long the coordinator may
 * hold a question that it cannot answer yet; 0: it answers at once. */
TACIT_API tacit_status tacit_trustee_step(tacit_trustee *t, double wait_s, bool *done,
                                          tacit_error *err);
/* Steps until the study is over. */
TACIT_API tacit_status tacit_trustee_run(tacit_trustee *t, tacit_error *err);

typedef struct tacit_trustee_summary {
    size_t size;
    uint64_t rounds;   /* of the study */
    uint64_t answered; /* ... for which this trustee has answered */
    uint64_t
        conflicts; /* sets that it was asked to answer for after another one of a round; 16 at most */
    const char *roster; /* its fingerprint; "": it is not fixed yet. Until the next call */
} tacit_trustee_summary;
#define TACIT_TRUSTEE_SUMMARY                                                                      \
    {                                                                                              \
        sizeof(tacit_trustee_summary), 0, 0, 0, NULL                                               \
    }
/* The caller sets out->size. */
TACIT_API tacit_status tacit_trustee_summarize(tacit_trustee *t, tacit_trustee_summary *out,
                                               tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
