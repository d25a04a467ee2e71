/* study_steps.c - intermediate values of running trials, and whether a trial should be ended early (study.h).
 *
 * A report is an event of the journal, and survives the end of the process like an ask; it is on disk with the next tell.
 * That is enough: where a loss of power takes the last reports, their trials are run again and make them again, and a trial that
 * was pruned because of them was told later, so that they are on disk. What a report costs is an append and a
 * reading of what is new in the journal, whatever the length of the study; no model is fitted, and no ask of
 * another worker is held up (store_common.c). */
#include "study/study_int.h"

#include "algo/outsourced/outsourced.h"
#include "base/error.h"
#include "base/number.h"

#include <inttypes.h>

tacit_status tc_study_takes_steps(const tc_study_doc *doc, tacit_error *err)
{
    if (tc_algorithm_takes_replies(doc->algorithm))
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "study %s is told one private reply a trial: an intermediate value would tell "
            "more, and is refused",
            doc->name);
    if (doc->promise == TC_PROMISE_RECORDS && tc_study_doc_share(doc) == 0)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "study %s protects validation records, and each intermediate value is one "
                       "more evaluation of them: it plans %" PRIu64 " for %" PRIu64
                       " trials; give it \"evaluations\" in \"privacy\", %" PRIu64
                       " for one intermediate value a trial",
                       doc->name, tc_study_doc_evaluations(doc), doc->trials, 2 * doc->trials);
    if (doc->outcomes)
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "study %s is told %zu outcomes of a trial: an intermediate value would be of "
            "the first alone, and is refused",
            doc->name, doc->outcomes->n);
    if (doc->algorithm == &tc_algorithm_po_gp_ucb)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "study %s is over released rows, which a curator answers with one value: it "
                       "takes no intermediate values",
                       doc->name);
    return TACIT_OK;
}

typedef struct reporting {
    uint64_t trial;
    bool strict;      /* only what the last attempt may say */
    uint64_t attempt; /* 0: not said */
    const tc_step *at;
} reporting;

/* ---- who may draw a curve */

static tacit_status check_attempt(const tc_trial *t, uint64_t attempt, tacit_error *err)
{
    if (attempt == t->attempt || (attempt == 0 && t->attempt == 1))
        return TACIT_OK;
    if (attempt == 0)
        return tc_fail(err, TACIT_E_STATE,
                       "trial %" PRIu64 " was handed out %" PRIu64
                       " times: a report says of which attempt it is, as the suggestion does",
                       t->number, t->attempt);
    if (attempt > t->attempt)
        return tc_fail(err, TACIT_E_STATE,
                       "trial %" PRIu64 " was handed out %" PRIu64
                       " times: there is no attempt %" PRIu64,
                       t->number, t->attempt, attempt);
    return tc_fail(err, TACIT_E_STATE,
                   "trial %" PRIu64 " was handed out anew: attempt %" PRIu64
                   " draws its curve now, and this report is of attempt %" PRIu64,
                   t->number, t->attempt, attempt);
}

static bool has_step(const tc_trial *t, const tc_step *at)
{
    for (size_t i = t->n_steps; i > 0 && t->steps[i - 1].step >= at->step; i--)
        if (t->steps[i - 1].step == at->step)
            return tc_same_bits(t->steps[i - 1].value, at->value);
    return false;
}

/* *known: it says what the curve has already. A first report of an attempt may begin the curve anywhere. */
static tacit_status check_order(const tc_trial *t, const tc_step *at, bool *known, tacit_error *err)
{
    const uint64_t last = t->n_steps > 0 ? t->steps[t->n_steps - 1].step : 0;
    if (!t->reported || t->n_steps == 0 || at->step > last)
        return TACIT_OK;
    *known = has_step(t, at);
    return *known ? TACIT_OK
                  : tc_fail(err, TACIT_E_STATE,
                            "trial %" PRIu64 " is at step %" PRIu64
                            " in this attempt: a report of step %" PRIu64
                            " can only repeat what was reported there",
                            t->number, last, at->step);
}

static tacit_status report_seen(tc_study *s, const tc_optimizer *o, void *user, tacit_error *err)
{
    const reporting *r = user;
    tc_event e;
    bool same, known = false;
    TC_TRY(tc_optimizer_report(o, r->trial, r->at, tc_study_now(s), &e, &same, err));
    if (r->strict) {
        const tc_trial *t = tc_optimizer_trial(o, r->trial);
        TC_TRY(check_attempt(t, r->attempt, err));
        TC_TRY(check_order(t, r->at, &known, err));
    }
    return same || known ? TACIT_OK : tc_study_append_seen(s, &e, 1, false, err);
}

static tacit_status report_and_judge(tc_study *s, reporting *r, const tc_prune *p, tc_verdict *out,
                                     tacit_error *err)
{
    const uint64_t trial = r->trial;
    const tc_optimizer *o;
    TC_TRY(tc_study_takes_steps(s->doc, err));
    TC_TRY(tc_study_change(s, report_seen, r, err));
    TC_TRY(tc_study_look(s, &o, err));
    tacit_status status = tc_prune_judge(o, trial, p, out, err);
    tc_study_unlook(s);
    return status;
}

tacit_status tc_study_report_step(tc_study *s, uint64_t trial, const tc_step *at, const tc_prune *p,
                                  tc_verdict *out, tacit_error *err)
{
    return report_and_judge(s, &(reporting){.trial = trial, .at = at}, p, out, err);
}

tacit_status tc_study_report_step_of(tc_study *s, uint64_t trial, uint64_t attempt,
                                     const tc_step *at, const tc_prune *p, tc_verdict *out,
                                     tacit_error *err)
{
    reporting r = {.trial = trial, .strict = true, .attempt = attempt, .at = at};
    return report_and_judge(s, &r, p, out, err);
}
