/* delete_trial.c - a failed trial is taken out of a study (study.h). Called by study_local.c and coord/.
 *
 * Nothing is wiped: the journal has one event more, and the fold leaves the trial out from there on. What was proposed
 * while it was there stays as it is, so a replay gives the same bits. */
#include "study/study_int.h"

#include "base/error.h"

static tacit_status delete_seen(tc_study *s, const tc_optimizer *o, void *user, tacit_error *err)
{
    const uint64_t *trial = user;
    tc_event e = {0};
    bool same = false;
    TC_TRY(tc_optimizer_delete(o, *trial, tc_study_now(s), &e, &same, err));
    return same ? TACIT_OK : tc_study_append_seen(s, &e, 1, true, err);
}

tacit_status tc_study_delete_trial(tc_study *s, uint64_t trial, tacit_error *err)
{
    return tc_study_change(s, delete_seen, &trial, err);
}
