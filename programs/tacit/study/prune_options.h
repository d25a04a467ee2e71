/* prune_options.h - "--prune median" and its numbers on a command line: by which rule the intermediate values of a trial end
 * it (<tacit/study.h>). For optimize.c and federation/agent.c. */
#ifndef TC_PROGRAM_PRUNE_OPTIONS_H
#define TC_PROGRAM_PRUNE_OPTIONS_H

#include "frame/cli.h"

#include <stddef.h>
#include <tacit/worker.h>

typedef struct tc_prune_words {
    int rule; /* of tacit_prune_rule */
    int64_t warmup, min_trials, min_step, factor;
} tc_prune_words;

/* For a member `prune` of the struct. */
#define TC_PRUNE_OPTIONS(type)                                                                     \
    TC_CHOICE_OPTION(                                                                              \
        "prune", offsetof(type, prune.rule), "none", "none|median|asha",                           \
        "end a trial early whose lines {\"step\": 3, \"value\": 0.41} say that it is worse "       \
        "than the median of others at its step, or not among the best of them at a few steps"),    \
        TC_INT_OPTION("prune-warmup", offsetof(type, prune.warmup), "0", 0, 9007199254740992.0,    \
                      "no trial is ended at a step below this one"),                               \
        TC_INT_OPTION("prune-min-trials", offsetof(type, prune.min_trials), "0", 0,                \
                      9007199254740992.0,                                                          \
                      "trials to compare with, before which none is ended; 0: for median 5 that "  \
                      "are complete, for asha as many as --prune-factor"),                         \
        TC_INT_OPTION("prune-min-step", offsetof(type, prune.min_step), "1", 1,                    \
                      9007199254740992.0, "asha: the step at which trials are compared first"),    \
        TC_INT_OPTION("prune-factor", offsetof(type, prune.factor), "3", 2, 1000,                  \
                      "asha: the best of so many go on, and are compared again after so many "     \
                      "times the steps")

/* The rule for w->prune, in *room, where there is one. E_ARG: a number is given that the rule does not have. */
tacit_status tc_prune_read(const tc_prune_words *words, const tc_invocation *in, tacit_prune *room,
                           tacit_worker_opts *w, tacit_error *err);

#endif
