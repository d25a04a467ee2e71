/* tacit/agent.h - take part in a federated study. In libtacit-net.
 *
 * An agent evaluates points on its own data and shares what the study's algorithm makes of them: messages that are
 * clipped, paid for in a ledger of the agent's own, signed and, in a private study, only ever released with noise.
 * Everything that it does is in its own storage before it has an effect outside, so it may be killed at any time:
 * joined again it goes on, and what it sends again is the same bytes. It works out options, noise and price
 * from the study's document by itself and believes the coordinator nothing that it can check.
 *
 *     tacit_agent_opts opts = TACIT_AGENT_OPTS;
 *     opts.coordinator = "https://tacit.example:8443";
 *     opts.fingerprint = "sha256//...";
 *     opts.study = "ward";
 *     opts.storage = "sqlite:///agent.db";
 *     opts.join_token = token;
 *     if (tacit_agent_join(&agent, &opts, &err) == TACIT_OK)
 *         status = tacit_agent_run(agent, evaluate, my_data, &err);
 *     tacit_agent_close(agent);
 *
 * A handle serves one thread at a time, and one process at a time is the agent of a study in a storage (E_BUSY). What opts
 * points at is copied, but for `here` and `user`. Strings that a call returns in a `char **` end with
 * tacit_text_free. `err` may be NULL. */
#ifndef TACIT_AGENT_H
#define TACIT_AGENT_H

#include <tacit/coordinator.h>
#include <tacit/ledger.h>
#include <tacit/records.h>
#include <tacit/status.h>
#include <tacit/study.h>
#include <tacit/worker.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_agent tacit_agent; /* end with tacit_agent_close */

/* ---- joining */

/* A study as the coordinator describes it. */
typedef struct tacit_agent_offer {
    size_t size;          /* sizeof of this struct as the library knows it */
    const char *document; /* JSON */
    const char *points;   /* the CSV of a finite space; NULL: a box */
} tacit_agent_offer;

/* What a coordinator answered to a request of an agent's. The library makes it, all zero, and the caller fills it in. */
typedef struct tacit_agent_answer {
    size_t size;      /* sizeof of this struct as the library knows it */
    int64_t status;   /* of HTTP: 200, 404 */
    const void *body; /* stays the caller's, until the next call or until the agent is closed */
    size_t body_size; /* 16 MiB at most */
} tacit_agent_answer;

/* ---- what happens */

typedef enum tacit_agent_event_kind {
    TACIT_AGENT_SENT =
        1, /* the message of `round` has left: `epsilon` at `delta` by itself, or `text`:
                                 why it is NOT PRIVATE */
    TACIT_AGENT_WITHHELD = 2, /* it does not leave: the agent's own ledger refused; `text`: why */
    TACIT_AGENT_HEARD = 3,    /* the broadcast of `round`, or what `party` has sent in it */
    TACIT_AGENT_SKIPPED = 4,  /* `round` ended without one, or `party` sent nothing; `text`: why */
    TACIT_AGENT_WAITS =
        5, /* in `round`, perhaps for `party`; `text`: why. Said again only where it changes */
    TACIT_AGENT_ROSTER = 6 /* of a study with trustees, before the first message leaves: `text` is
                              the fingerprint of the roster, which all parties should see alike */
} tacit_agent_event_kind;

/* The library makes it; it lives for the call. Numbers that the kind does not name are 0, texts NULL. */
typedef struct tacit_agent_event {
    size_t size;
    tacit_agent_event_kind kind;
    uint64_t round;
    uint64_t party; /* another agent; TACIT_UNKNOWN: nobody in particular */
    const char *text;
    double epsilon;      /* NaN: the study has no delta to say it at */
    double delta;        /* of the study */
    int64_t deadline_ms; /* until then it waits at the latest, Unix milliseconds; 0: not known */
} tacit_agent_event;

typedef struct tacit_agent_opts {
    size_t size;             /* sizeof of this struct as the caller saw it */
    const char *coordinator; /* "https://HOST:PORT"; plain http:// to loopback only */
    const char *
        fingerprint; /* of the coordinator, "sha256//...", or several with ; between them; https needs it or `ca` */
    tacit_coordinator *here; /* in place of both: a coordinator of this process */
    const char *study;       /* required: its name */
    const char *storage;     /* required: the agent's own, for its key, its trials and its ledger */
    const char *as;          /* what the storage calls the study; NULL: the same */
    const char *join_token;  /* needed to join; NULL: has joined before */
    const char *ledger;      /* studies on the same data share one; NULL: "agent" */
    /* What the whole of that ledger may spend, held by a filter over several studies. 0: epsilon 10 at delta
     * min(1e-5, 1/N^2) of N agents, and no study that may spend more. */
    double epsilon, delta;
    bool
        accept_not_private; /* take part in a study that protects nothing, or promises too little */
    bool accept_restored;   /* go on with a coordinator that was restored from a backup */
    double patience_s;      /* so long a coordinator may stay silent; then a call is E_IO */
    /* Called before a place is taken. Anything but OK: the agent takes no part, and that is what tacit_agent_join
     * returns. NULL: every study is welcome. Not called where the token is used up and the place is known. */
    tacit_status (*consider)(void *user, const tacit_agent_offer *offer, tacit_error *err);
    /* Asked several times a second while a call waits; true: it ends with E_CANCELLED. NULL: never. */
    bool (*stop)(void *user);
    /* What a person may want to know: that the coordinator is silent and is tried again. NULL: nothing is said. */
    void (*note)(void *user, const char *text);
    void *user;
    int64_t
        test_seed; /* -1: real secrets. Else the agent's come from it: repeatable, NOT PRIVATE */
    uint64_t test_key; /* with it: tells the keys of several agents apart */
    /* In a study that protects validation records: what they are (records.h); required there. Evaluations are charged to the
     * ledger above, so ledger, ledger_storage, epsilon and delta of it stay unset. NULL: none. */
    const tacit_records_opts *records;
    /* In place of coordinator, fingerprint and here: carries a request to the coordinator and brings back its answer, by whatever
     * way the caller has; tacit_coordinator_handle answers it there. Messages are signed, but the way itself must keep
     * secrets: requests carry tokens. E_IO: nothing came back, and it is tried again as after any silence. E_CANCELLED: nothing
     * came back, and the call of the agent that asked ends with it; made again later, it asks the same again. */
    tacit_status (*exchange)(void *user, const tacit_request *request, tacit_agent_answer *answer,
                             tacit_error *err);
    /* Told what happens in rounds, as soon as it is in the agent's storage. What happens to trials tells `listen` of
     * tacit_worker_opts. NULL: nobody. */
    void (*listen)(void *user, const tacit_agent_event *event);
    /* As in tacit_storage_opts (study.h): an authority besides or instead of the fingerprint, and a proxy. */
    const char *ca, *proxy;
    /* In a study with trustees: the fingerprint of its roster, "sha256//...", as the other parties say it. Another roster is
     * refused. NULL: the one that the coordinator gives, and no other later. */
    const char *roster;
} tacit_agent_opts;
#define TACIT_AGENT_OPTS                                                                           \
    {                                                                                              \
        sizeof(tacit_agent_opts), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, false,     \
            false, 3600, NULL, NULL, NULL, NULL, -1, 0, NULL, NULL, NULL, NULL, NULL, NULL         \
    }

/* Takes a place in the study, or comes back to the one that this storage has. E_ARG: an option is wrong, and which. E_STATE: the
 * coordinator refuses, the study is one that this agent takes no part in, or it is not the one that it was; or the storage
 * is a coordinator's, which an agent would lock out. E_BUSY: another process is this agent. E_IO: the coordinator was
 * silent for patience_s. A refusal leaves no trace. */
TACIT_API tacit_status tacit_agent_join(tacit_agent **out, const tacit_agent_opts *opts,
                                        tacit_error *err);
TACIT_API void tacit_agent_close(tacit_agent *a); /* NULL is allowed */

TACIT_API uint64_t tacit_agent_number(const tacit_agent *a); /* on the roster */
/* What the study may spend, for whom and towards whom, or why it is NOT PRIVATE; a sentence without its full stop. */
TACIT_API tacit_status tacit_agent_promise(tacit_agent *a, char **text, tacit_error *err);
/* How the agent stands, beside its trials (tacit_study_summarize). */
typedef struct tacit_agent_summary {
    size_t size;
    tacit_worker_end
        end; /* how tacit_agent_work ended last; FAILED: by something else, or not yet */
    /* What the agent's own ledger has spent, over all studies: a proved upper bound at `delta`. INFINITY: no guarantee. NaN:
     * the agent has no limit, and says so by limit 0. */
    double epsilon, delta;
    double limit;            /* what it may spend of epsilon */
    const char *not_private; /* why what it sends is NOT PRIVATE; "": it is. Until the next call */
} tacit_agent_summary;
#define TACIT_AGENT_SUMMARY                                                                        \
    {                                                                                              \
        sizeof(tacit_agent_summary), TACIT_WORKER_FAILED, 0, 0, 0, NULL                            \
    }
/* The caller sets out->size. */
TACIT_API tacit_status tacit_agent_summarize(tacit_agent *a, tacit_agent_summary *out,
                                             tacit_error *err);
/* The agent's own trials; ends with the agent. Earlier results may enter it before the first step (tacit_study_import). */
TACIT_API tacit_study *tacit_agent_study(tacit_agent *a);

/* ---- the place on the roster */

/* Leaves the study for good: nobody waits for this agent any more, and its message to the round that is open is erased, unless
 * that round has begun to close. What was released stays released and charged. The storage keeps its trials and its
 * ledger. Only an operator can readmit it. Of opts count the way to the coordinator, study, storage, as, patience_s, stop, note
 * and user. *number (may be NULL): its place. The same call again is safe. E_STATE: the storage has no place in the study, or
 * the coordinator refuses. E_NOT_FOUND: there is no such storage. E_BUSY: the agent is at work. */
TACIT_API tacit_status tacit_agent_withdraw(const tacit_agent_opts *opts, uint64_t *number,
                                            tacit_error *err);
/* Gives the agent another signing key and another access token; those of before end. The new key is signed by the one before. The
 * same opts and failures. Killed in between, the next start of the agent ends it. */
TACIT_API tacit_status tacit_agent_new_key(const tacit_agent_opts *opts, uint64_t *number,
                                           tacit_error *err);

/* ---- working */

typedef enum tacit_agent_next {
    TACIT_AGENT_TRIAL = 1, /* ask tacit_agent_study for a trial, evaluate it and tell; then step */
    TACIT_AGENT_WAIT = 2,  /* a round is not over: step again */
    TACIT_AGENT_DONE = 3   /* all planned trials are told, and no round is under way */
} tacit_agent_next;

/* Does what rounds ask for, as far as it can be done now, and says what comes next. wait_s: so long the coordinator may
 * hold a question that it cannot answer yet; 0: it answers at once. */
TACIT_API tacit_status tacit_agent_step(tacit_agent *a, double wait_s, tacit_agent_next *next,
                                        tacit_error *err);

/* Steps and evaluates until the study is DONE, by a function or by a program: as tacit_worker_run (worker.h). Up to `jobs` trials are
 * evaluated at once, between two looks at the rounds: the next round begins when all of them are told. Trials that an earlier process
 * left unfinished come first. trials, alone and `as` of the options do not matter. E_STATE, and TACIT_WORKER_FAILURES in
 * tacit_agent_summary: too many trials failed, as max_failures and max_alike say. */
TACIT_API tacit_status tacit_agent_work(tacit_agent *a, const tacit_worker_opts *opts,
                                        tacit_error *err);
/* The same with a function alone. */
TACIT_API tacit_status tacit_agent_run(tacit_agent *a, tacit_evaluate evaluate, void *user,
                                       tacit_error *err);

/* ---- what left this machine */

/* What an agent's journal and ledgers prove about a message: it is paid for before it is sent. */
typedef enum tacit_message_state {
    TACIT_MESSAGE_READY = 1,    /* made, not paid for: it has not left */
    TACIT_MESSAGE_WITHHELD = 2, /* the agent's own ledger refused the price: it does not leave */
    TACIT_MESSAGE_LEAVING = 3,  /* paid for, not answered: it may have left */
    TACIT_MESSAGE_SENT = 4,     /* paid for, and its round was answered */
    TACIT_MESSAGE_BEFORE = 5 /* another left in its place, before this storage was restored from a
                                   backup: its bytes are not known */
} tacit_message_state;
TACIT_API const char *tacit_message_state_name(tacit_message_state state); /* "sent"; NULL: none */

/* One round: the message that the agent made, what it cost, and what came back. The library makes it. */
typedef struct tacit_agent_round {
    size_t size;
    uint64_t round;
    const char *about; /* what agents send in this round; "": all rounds are about the same */
    tacit_message_state state;
    const uint8_t *message; /* as it was made; NULL: there is none here, or state is BEFORE */
    size_t message_size;
    tacit_hash hash;       /* of it, BLAKE2b-256, as b2sum -l 256 */
    int64_t made_ms;       /* Unix milliseconds */
    const double *numbers; /* the message as a vector; NULL: it is none */
    size_t n_numbers;

    const char *ledger; /* of this storage, where it is paid for; NULL: it is not. Then: */
    uint64_t entry;     /* ... the entry there (tacit_ledger_get), */
    uint64_t times; /* ... how often; above 1 its coordinator was restored from a backup since, */
    tacit_dp_event event; /* ... what it says, of all of them, */
    double epsilon; /* ... and what they cost by themselves at delta; NaN: there is no delta */
    double delta;   /* of the study; 0: it has none */
    const char *not_private; /* why the study protects nothing; "": it does */

    uint64_t heard;        /* broadcasts, or messages of others that a relay handed on */
    size_t heard_bytes;    /* of all of them */
    tacit_hash heard_hash; /* of the last one, as the coordinator's ledger has it */
    const char *skipped;   /* why the round ended without one; NULL: it did not */

    /* Of a study with trustees, whose messages leave as shares; 0: they leave as they are. */
    uint64_t trustees;    /* trustees 0 to trustees - 1 get a share each */
    uint64_t readers;     /* so many of them together can read the message, and nobody fewer */
    uint64_t share_bytes; /* of what leaves in the place of `message` */
} tacit_agent_round;

typedef struct tacit_traffic tacit_traffic; /* end with tacit_traffic_free */

/* All rounds of a study that an agent's storage knows of, in ascending order. Reads the storage and asks nobody; the agent
 * may be at work. study: what the storage calls it. What its ledgers have spent in all says tacit_ledger_spent.
 * E_STATE: the study is of one party: nothing of it is ever sent. E_CORRUPT: a round was answered that nothing was
 * paid for, so part of the storage is missing. */
TACIT_API tacit_status tacit_agent_inspect(tacit_traffic **out, const char *storage,
                                           const char *study, tacit_error *err);
TACIT_API size_t tacit_traffic_count(const tacit_traffic *t);
TACIT_API const tacit_agent_round *tacit_traffic_get(const tacit_traffic *t, size_t i);
TACIT_API void tacit_traffic_free(tacit_traffic *t); /* NULL is allowed */

/* ---- what it was worth */

/* What an agent would have reached alone: its search once more from the same start, by the same program, which does
 * not listen. Trials up to the last broadcast are those of the agent's storage, *start of them (may be NULL); the others
 * are evaluated here, and nothing of them is stored. values[0..n) are the values of the first n trials; NaN: it
 * failed. What evaluate fails with ends the call. E_UNSUPPORTED: agents of this algorithm cannot search alone
 * (dp-fts-de can); or the study protects validation records (records.h), which nobody would pay for here: make a
 * study of one party of them. E_STATE: the study is not an agent's. */
TACIT_API tacit_status tacit_agent_alone(const char *storage, const char *study,
                                         tacit_evaluate evaluate, void *user, size_t n,
                                         double *values, size_t *start, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
