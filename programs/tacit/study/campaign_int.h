/* campaign_int.h - a campaign in its two halves: campaign.c starts trials, campaign_report.c tells what came of
 * them. */
#ifndef TC_PROGRAM_CAMPAIGN_INT_H
#define TC_PROGRAM_CAMPAIGN_INT_H

#include "study/campaign.h"
#include "study/worker.h"

#include "base/memory.h"

typedef struct tc_slot {
    bool used;             /* by a trial, until it was told */
    bool ended;            /* its program has ended: `told` is to be told */
    uint64_t trial, pulls; /* pulls: that are to be run, one after another */
    tacit_batch batch;     /* of those that have ended, where they are several */
    double *values;
    char worker[TC_WORKER_MAX];
    uint64_t beat_ns; /* when the coordinator last heard of it */
    tc_job_result result;
    tacit_report told;
} tc_slot;

/* A trial that a dead worker of this host left. */
typedef struct tc_orphan {
    uint64_t trial, pulls;
    const char *worker;
} tc_orphan;

typedef struct tc_campaign {
    tc_campaign_plan plan;
    size_t n_params;
    tc_slot *slots; /* plan.jobs of them */
    tc_arena arena; /* slots' points and orphans' workers */
    tc_census census;
    tc_orphan *orphans;
    size_t n_orphans, next_orphan;
    uint64_t elsewhere;      /* trials that others run, when they were last counted */
    tacit_study_state state; /* of the study, then */
    bool met;                /* ... and whether what is finished or runs here is enough */
    bool waits;              /* it was said for what it waits */
    int64_t failures;        /* in a row */
    uint64_t reported;
    tc_progress *progress;
    /* A coordinator that does not answer: since when, when it is asked again, and how long after that. */
    bool away;
    uint64_t away_ns, ask_ns;
    int64_t pause_ms;
    /* A value was refused for good: nothing is started any more, and this is how it ends. */
    bool refused;
    tacit_error refusal;
} tc_campaign;

size_t tc_campaign_used(const tc_campaign *c); /* slots */

/* ---- a coordinator that is away (campaign_report.c) */

bool tc_campaign_may_ask(const tc_campaign *c); /* now */
/* What a call has said. A coordinator that is away is asked again later: TACIT_OK, until patience ends. */
tacit_status tc_campaign_excuse(tc_campaign *c, tacit_status st, const tacit_error *why,
                                tacit_error *err);

/* ---- reports (campaign_report.c) */

/* A job has ended: its report is made. */
tacit_status tc_campaign_end_job(tc_campaign *c, const tc_job_result *r, tacit_error *err);
/* Tells what is to be told, as far as somebody listens. */
tacit_status tc_campaign_deliver(tc_campaign *c, tacit_error *err);
/* Says what was not told, and will not be. */
void tc_campaign_say_untold(const tc_campaign *c);
/* Replies that an earlier run has paid for and not told. */
tacit_status tc_campaign_tell_paid(tc_campaign *c, tacit_error *err);
/* Signs of life, where they are due. */
void tc_campaign_beat(tc_campaign *c);

#endif
