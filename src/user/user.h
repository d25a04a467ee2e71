/* user.h - the handle of <tacit/user.h>, for user_api.c and the worker (src/worker).
 *
 * An algorithm with a curator (algo/ldp/ldp.h) is told replies, never rewards. A reward is perturbed on the terms in
 * the study's document by the curator of algo/ldp/ldp_curator.h, through the user's ledger, and only the reply goes
 * on. The question is the trial. */
#ifndef TC_USER_USER_H
#define TC_USER_USER_H

#include <tacit/user.h>

#include "algo/ldp/ldp_curator.h"
#include "user/user_ledger.h"

struct tacit_user {
    tacit_study *study; /* borrowed */
    char *name;
    tacit_hash asks; /* the study, as the ledger has it */
    tc_user_ledger ledger;
    tc_noise noise;
    tc_entropy entropy;
    tc_ldp_curator curator;
    tc_user_note note;
};

#define TC_NEW_TRIAL UINT64_MAX
/* May the user take this trial, with `running` others on their way? What was answered before may
 * always be answered. E_BUDGET says why not. */
tacit_status tc_user_may(tacit_user *u, uint64_t trial, size_t running, tacit_error *err);

#endif
