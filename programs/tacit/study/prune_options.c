/* prune_options.c - see prune_options.h. */
#include "study/prune_options.h"

#include "base/error.h"

/* The first of the options that is given. */
static tacit_status refuse_given(const tc_invocation *in, const char *const *names,
                                 const char *what, tacit_error *err)
{
    for (; *names; names++)
        if (tc_given(in, *names))
            return tc_fail(err, TACIT_E_ARG, "--%s is for %s", *names, what);
    return TACIT_OK;
}

tacit_status tc_prune_read(const tc_prune_words *words, const tc_invocation *in, tacit_prune *room,
                           tacit_worker_opts *w, tacit_error *err)
{
    static const char *const both[] = {"prune-warmup", "prune-min-trials", NULL};
    static const char *const asha[] = {"prune-min-step", "prune-factor", NULL};
    *room = (tacit_prune)TACIT_PRUNE;
    room->rule = (tacit_prune_rule)words->rule;
    if (room->rule == TACIT_PRUNE_NONE)
        TC_TRY(refuse_given(in, both, "--prune median or --prune asha", err));
    if (room->rule != TACIT_PRUNE_ASHA)
        TC_TRY(refuse_given(in, asha, "--prune asha", err));
    if (room->rule == TACIT_PRUNE_NONE)
        return TACIT_OK;
    room->warmup = (uint64_t)words->warmup;
    room->min_trials = (uint64_t)words->min_trials;
    if (room->rule == TACIT_PRUNE_ASHA) {
        room->min_step = (uint64_t)words->min_step;
        room->factor = (uint64_t)words->factor;
    }
    w->prune = room;
    return TACIT_OK;
}
