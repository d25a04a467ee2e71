/* campaign.h - runs a study's trials with a program until its budget is met.
 *
 * Ask, start, wait, tell, with several jobs at once. What a dead process of
 * this host left RUNNING is run first, under the same number and with the same
 * values, so a killed run goes on as if nothing had happened; it is claimed in the
 * journal before, so several processes run it once. Trials of living
 * processes of this host count towards the budget; those of other hosts do not, so
 * several processes may together run a few trials more than planned.
 *
 * Users of private studies do not say on which machine they are: their workers have random names, in a storage, too, and leases
 * tell who lives.
 *
 * At a coordinator leases tell who lives, of any host: while a program runs, a sign of life goes out
 * three times a lease. All trials that run count towards the budget, and who has nothing to start waits
 * for those of others, for they may be given up: the last of several clients to live finishes the study. While
 * it is away, or the study is paused, programs that run go on, and their values are told later. A study that is
 * closed ends the campaign when its programs have ended.
 * Called by optimize.c and agent.c. */
#ifndef TC_PROGRAM_CAMPAIGN_H
#define TC_PROGRAM_CAMPAIGN_H

#include "frame/cli.h"
#include "runner/runner.h"
#include "study/user_client.h"
#include "study/study_ref.h"

typedef struct tc_campaign_plan {
    tacit_study *study;
    bool served;       /* by a coordinator */
    double patience_s; /* with which it was opened there */
    tc_runner *runner;
    uint64_t budget;      /* finished trials, COMPLETE or FAIL, at which it ends */
    size_t jobs;          /* of the runner */
    int64_t lease_ms;     /* 0: none; a coordinator needs one */
    int64_t max_failures; /* in a row; 0: no limit */
    /* Above 1, in a storage: trials may be batches of so many pulls at most, where the algorithm wants
     * them. The program is run once for each; where it fails, the pulls before it are told. */
    uint64_t pulls;
    /* No other process can be running trials of this study, on whatever host: what is RUNNING at the start was
     * left behind. An agent's storage that was moved to another host goes on by this. */
    bool alone;
    bool quiet;
    /* Perturbs what the program says; NULL: it is told as it is. A failure is then a reply like any
     * other, and does not end the campaign: whoever stops at failures tells of them. */
    tc_user_reply *user;
    /* With a user: names of workers, for as many jobs, and what they left undone. Else NULL. */
    tc_user_client *client;
} tc_campaign_plan;

/* Also ends when the user has given all answers. E_BUDGET: it had none left from the beginning.
 * E_STATE: too many failures in a row, or the study takes nothing any more. E_CANCELLED: interrupted; jobs were stopped and their
 * trials stay RUNNING, to be run again at the next start. */
tacit_status tc_campaign_run(const tc_campaign_plan *plan, tacit_error *err);

#endif
