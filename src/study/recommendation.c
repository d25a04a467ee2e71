/* recommendation.c - recommendations as handles give them out (<tacit/study.h>, handle.h). */
#include "study/handle.h"

#include "base/error.h"

#include <string.h>

/* The stored order is the public one. */
_Static_assert((int)TC_BY_AUTO == (int)TACIT_BY_AUTO && (int)TC_BY_MODEL == (int)TACIT_BY_MODEL &&
                   (int)TC_BY_SEEN == (int)TACIT_BY_SEEN,
               "ways to recommend in the same order");

const char *tacit_recommend_by_name(tacit_recommend_by by)
{
    switch (by) {
    case TACIT_BY_MODEL:
        return "model";
    case TACIT_BY_SEEN:
        return "seen";
    case TACIT_BY_AUTO:
        break;
    }
    return NULL;
}

/* With what it points at. */
typedef struct whole {
    tacit_recommendation shown;
    tacit_trial *trial;
    char because[TC_REASON_ROOM];
} whole;

tacit_status tc_found_take(tc_found *f, tacit_recommendation **out, tacit_error *err)
{
    whole *w = tc_alloc(1, sizeof *w);
    if (!w)
        return tc_fail_memory(err);
    tacit_status status = tc_trials_take_first(&f->trials, &w->trial, err);
    if (status != TACIT_OK) {
        tc_free(w);
        return status;
    }
    memcpy(w->because, f->because, sizeof w->because);
    w->shown = (tacit_recommendation){.size = sizeof w->shown,
                                      .by = f->by,
                                      .trial = w->trial,
                                      .mean = f->mean,
                                      .sd = f->sd,
                                      .because = w->because};
    *out = &w->shown;
    return TACIT_OK;
}

void tacit_recommendation_free(tacit_recommendation *r)
{
    whole *w = (whole *)(void *)r;
    if (w)
        tacit_trial_free(w->trial);
    tc_free(w);
}
