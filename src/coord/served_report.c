/* served_report.c - an intermediate value of a trial of a served study, and whether to end the trial.
 *
 * The answer is made from the journal as it is: the same report again adds nothing to it, and is judged again. So whoever lost an
 * answer may ask again. A report says of which attempt it is, as the suggestion said: so neither a worker that has lost its
 * trial nor a request that was held up cuts a curve. Listeners hear of the end of a trial, not of its steps. */
#include "coord/request.h"
#include "coord/served.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static tacit_status read_rule(const tc_request_context *a, tc_prune *out, tacit_error *err)
{
    const char *rule = tc_request_text(a, "prune");
    *out = (tc_prune){.warmup = (uint64_t)tc_request_whole(a, "warmup"),
                      .min_trials = (uint64_t)tc_request_whole(a, "min_trials"),
                      .min_step = (uint64_t)tc_request_whole(a, "min_step"),
                      .factor = (uint64_t)tc_request_whole(a, "factor")};
    while (rule && strcmp(rule, tacit_prune_rule_name((tacit_prune_rule)out->rule)) != 0)
        out->rule++; /* the shape has its words from the same list */
    return tc_prune_settle(out, err);
}

static json_t *verdict_json(uint64_t trial, const tc_verdict *v)
{
    return json_pack("{s:I, s:b, s:I, s:f, s:o, s:I}", "trial", (json_int_t)trial, "stop", v->stop,
                     "step", (json_int_t)v->step, "value", v->value, "bound",
                     isnan(v->bound) ? json_null() : json_real(v->bound), "compared",
                     (json_int_t)v->compared);
}

tacit_status tc_served_report(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    uint64_t trial;
    tc_prune rule;
    tc_verdict v;
    const tc_step at = {.step = (uint64_t)tc_request_whole(a, "step"),
                        .value = tc_request_real(a, "value")};
    TC_TRY(tc_request_number(a, 1, "trial", &trial, err));
    TC_TRY(read_rule(a, &rule, err));
    TC_TRY(tc_state_open(a->coord, d->id, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    const uint64_t attempt = (uint64_t)tc_request_whole(a, "attempt");
    TC_TRY(tc_study_report_step_of(study, trial, attempt, &at, &rule, &v, err));
    return tc_answer_json(a, 200, verdict_json(trial, &v), err);
}
