/* campaign.h - runs a study's trials with a program until its budget is met.
 *
 * Ask, start, wait, tell, with several jobs at once. What a dead process of
 * this host left RUNNING is run first, under the same number and with the same
 * values, so a killed run goes on as if nothing had happened; it is claimed in the
 * journal before, so several processes run it once. Trials of living
 * processes of this host count towards the budget; those of other hosts do not, so
 * several processes may together run a few trials more than planned. Only
 * optimize.c calls this. */
#ifndef TC_PROGRAM_CAMPAIGN_H
#define TC_PROGRAM_CAMPAIGN_H

#include "cli.h"
#include "runner/runner.h"
#include "study/study.h"
#include "user_reply.h"

typedef struct tc_campaign_plan {
    tc_study *study;
    tc_runner *runner;
    uint64_t budget;      /* finished trials, COMPLETE or FAIL, at which it ends */
    size_t jobs;          /* of the runner */
    int64_t lease_ms;     /* 0: none */
    int64_t max_failures; /* in a row; 0: no limit */
    bool quiet;
    /* Perturbs what the program says; NULL: it is told as it is. A failure is then a reply like any
     * other, and does not end the campaign: whoever stops at failures tells of them. */
    tc_user_reply *user;
} tc_campaign_plan;

/* Also ends when the user has given all answers. E_BUDGET: it had none left from the beginning.
 * E_STATE: too many failures in a row. E_CANCELLED: interrupted; jobs were stopped and their
 * trials stay RUNNING, to be run again at the next start. */
tacit_status tc_campaign_run(const tc_campaign_plan *plan, tacit_error *err);

#endif
