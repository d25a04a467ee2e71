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

#include <inttypes.h>

tacit_status tc_study_takes_steps(const tc_study_doc *doc, tacit_error *err)
{
    if (tc_algorithm_takes_replies(doc->algorithm))
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "study %s is told one private reply a trial: an intermediate value would tell "
            "more, and is refused",
            doc->name);
    if (doc->promise == TC_PROMISE_RECORDS)
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "study %s protects validation records: each intermediate value would be "
            "another evaluation of them, which its promise does not pay for, and is refused",
            doc->name);
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
    const tc_step *at;
} reporting;

static tacit_status report_seen(tc_study *s, const tc_optimizer *o, void *user, tacit_error *err)
{
    const reporting *r = user;
    tc_event e;
    bool same;
    TC_TRY(tc_optimizer_report(o, r->trial, r->at, tc_study_now(s), &e, &same, err));
    return same ? TACIT_OK : tc_study_append_seen(s, &e, 1, false, err);
}

tacit_status tc_study_report_step(tc_study *s, uint64_t trial, const tc_step *at, const tc_prune *p,
                                  tc_verdict *out, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_takes_steps(s->doc, err));
    TC_TRY(tc_study_change(s, report_seen, &(reporting){.trial = trial, .at = at}, err));
    TC_TRY(tc_study_look(s, &o, err));
    tacit_status status = tc_prune_judge(o, trial, p, out, err);
    tc_study_unlook(s);
    return status;
}
