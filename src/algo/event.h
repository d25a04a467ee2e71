/* event.h - what happens to a party: the only input of its state.
 *
 * A study is its journal: events numbered 1, 2, 3, ... The state of an
 * optimizer is a fold over them, bit for bit, whoever replays it. What came
 * from a clock, a fit or entropy is in an event and is read back, never
 * derived again. Kinds are part of the stored format: append only. */
#ifndef TC_ALGO_EVENT_H
#define TC_ALGO_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tc_event_kind {
    TC_EVENT_ENQUEUE = 1, /* a WAITING trial: its values are tried before any are computed */
    TC_EVENT_ASK = 2,     /* a trial is handed out: values as issued, worker, lease */
    TC_EVENT_TELL = 3,    /* it came back: COMPLETE with a value, FAIL with a reason, or PRUNED */
    TC_EVENT_STALE = 4,   /* its lease ran out; a late tell is still welcome */
    TC_EVENT_FIT = 5,     /* hyper-parameters found: JSON text in `body` */
    TC_EVENT_PUBLISH =
        6, /* a contribution to a round: stored before it is sent, re-sent unchanged */
    TC_EVENT_ABSORB = 7,  /* the broadcast of a round */
    TC_EVENT_SKIP = 8,    /* a round ended without one: refused by a budget, or too late */
    TC_EVENT_FETCH = 9,   /* the message of one other agent, handed on by a relay */
    TC_EVENT_MISS = 10,   /* there is none: that agent is a straggler */
    TC_EVENT_REPORT = 11, /* a running trial has come to a value at a step: an intermediate value */
    TC_EVENT_DELETE = 12 /* a failed trial is taken out: it counts no more, its number stays used */
} tc_event_kind;

typedef enum tc_trial_state {
    TC_TRIAL_WAITING,
    TC_TRIAL_RUNNING,
    TC_TRIAL_COMPLETE,
    TC_TRIAL_FAIL,
    TC_TRIAL_STALE,
    TC_TRIAL_PRUNED, /* ended early, because of its intermediate values */
    TC_TRIAL_DELETED /* failed, and was taken out: nobody sees it who does not ask for it */
} tc_trial_state;

const char *tc_event_kind_name(tc_event_kind kind);    /* "ask" */
const char *tc_trial_state_name(tc_trial_state state); /* "COMPLETE" */
bool tc_trial_state_is_told(tc_trial_state state); /* for good: COMPLETE, FAIL, PRUNED or DELETED */

#define TC_STEP_MOST (UINT64_C(1) << 53) /* of a report: what JSON carries as it is */

/* What many pulls at one point came to: whole numbers, so that sums depend neither on their order
 * nor on who made them (batch.h). All-zero: no batch. */
typedef struct tc_batch {
    uint64_t n;      /* pulls */
    int64_t sum;     /* of their rewards, in units of 2^-28 ... */
    int64_t squares; /* ... and of their squares, each rounded down to such a unit */
} tc_batch;

/* Borrowed pointers: whoever makes an event says how long they live. */
typedef struct tc_event {
    uint64_t seq; /* place in the journal, from 1; 0 before it is stored */
    tc_event_kind kind;
    uint64_t trial;  /* of a trial's event; 0 in the others */
    int64_t time_ms; /* when, by the writer's clock; for people */
    /* ENQUEUE, ASK: required. TELL: the point really run, or NULL as issued */
    const double *values;
    tc_trial_state state; /* TELL: COMPLETE, FAIL or PRUNED */
    double value;         /* TELL, COMPLETE: in the study's own direction; of a batch, its mean.
                             REPORT and TELL, PRUNED: at `step` */
    uint64_t step;        /* REPORT; TELL, PRUNED: the last one */
    double noise_sd;      /* TELL, COMPLETE or PRUNED: of noise added to it on purpose; 0: none */
    tc_batch batch;       /* TELL, COMPLETE: of many pulls; n = 0: the trial was one value */
    /* TELL, COMPLETE, of a study with outcomes: its other objectives, each in its own direction, then what its
     * constraints bound, in the order of the document. */
    const double *more;
    size_t n_more;      /* 0: the study has one objective and no constraints */
    uint64_t pulls;     /* ASK: how often the point is wanted; 0 or 1: an ordinary trial */
    const char *reason; /* TELL, FAIL; TELL, PRUNED: by which rule, say; SKIP; MISS; or NULL */
    const char *worker; /* ASK: who runs it; or NULL */
    int64_t lease_ms;   /* ASK: how long it may take; 0 no limit */
    const char *body;   /* FIT: JSON text */
    uint64_t round;     /* PUBLISH, ABSORB, SKIP, FETCH, MISS */
    uint64_t party;     /* FETCH, MISS: whose message */
    const void *bytes;  /* PUBLISH, ABSORB, FETCH: the message, exactly */
    size_t n_bytes;
} tc_event;

#endif
