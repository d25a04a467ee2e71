/* round.h - the present round of a study (round.c), what its budget lacks (budget.c), and its end (due.c, closing.c). For the
 * files of this folder. */
#ifndef TC_COORD_ROUND_H
#define TC_COORD_ROUND_H

#include "coord/request.h"

typedef enum tc_phase {
    TC_PHASE_NONE,
    TC_PHASE_OPEN,
    TC_PHASE_CLOSING,
    TC_PHASE_CLOSED,
    TC_PHASE_VOID
} tc_phase;

/* What the budget lacked, in epsilon. */
typedef struct tc_shortage {
    bool known; /* proved; there may be none below infinity */
    double requested, spent, remaining, delta;
} tc_shortage;

typedef struct tc_round {
    tc_phase phase;
    uint64_t number;
    int64_t deadline_ms; /* 0: none, the whole roster is waited for */
    char reason[512];    /* VOID: why */
    bool refused;        /* VOID: by the budget ... */
    tc_shortage lacks;   /* ... as it was then */
    uint64_t version;    /* of its record; 0: there was no round yet */
} tc_round;

/* The latest round of a study. */
tacit_status tc_round_present(tc_coord *c, int64_t study, tc_round *out, tacit_error *err);
/* What round `number` ended with, or where it stands; NONE: not yet. */
tacit_status tc_round_find(tc_coord *c, int64_t study, uint64_t number, tc_round *out,
                           tacit_error *err);
/* Adds the change from `was` to `now`. */
void tc_round_change(tc_changes *changes, int64_t study, const tc_round *was, const tc_round *now);
/* What the budget lacks for this round, proved from the ledger: not cheap. Under d->lock (budget.c). */
void tc_budget_prove(tc_open_study *d, uint64_t round, tc_shortage *out);
/* The answer about a round that it refused: the reason, and the numbers of then. */
tacit_status tc_refuse_budget(tc_request_context *a, const tc_round *r, tacit_error *err);
/* The public deadline of a round that opens now, in whole seconds; 0: none. */
int64_t tc_round_deadline(const tc_coord *c, const tc_study_doc *d);
const char *tc_phase_name(tc_phase p);

/* The ledger as the store has it now; under d->lock (broadcast.c). */
tacit_status tc_refresh_ledger(tc_request_context *a, tc_open_study *d, tacit_error *err);

/* ---- closing */

/* due.c: a private round waits for its public deadline or the whole roster, never for a quorum. No round closes
 * while the study is paused; one that is closing already goes on. */
tacit_status tc_round_is_due(tc_coord *c, const tc_open_study *d, const tc_round *r,
                             tc_study_state state, bool *due, tacit_error *err);
/* closing.c: closes the present round if it is due; *next_ms as tc_coord_tick, INT64_MAX: nothing to wait for. */
tacit_status tc_close_due(tc_coord *c, tc_open_study *d, int64_t *next_ms, tacit_error *err);

/* stuck.c, under d->lock: the round as the tick finds it; `runs`: the study is not paused. Says once that it is stuck. */
void tc_stuck_watch(const tc_coord *c, tc_open_study *d, const tc_round *r, bool runs);
/* Of the studies that are open in this process. */
uint64_t tc_stuck_count(tc_coord *c);

#endif
