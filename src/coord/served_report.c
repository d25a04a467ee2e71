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

/* The worker adds the noise and says how much, as when a trial is complete (served_complete.c). */
static tacit_status check_noise(const tc_request_context *a, const tc_study_doc *doc,
                                tacit_error *err)
{
    const double sd = tc_request_real(a, "noise_sd");
    if (!(sd >= 0))
        return tc_fail(err, TACIT_E_ARG, "noise_sd must be a number >= 0, got %g", sd);
    TC_TRY(tc_study_takes_steps(doc, err));
    return doc->promise != TC_PROMISE_RECORDS || sd > 0
               ? TACIT_OK
               : tc_fail(err, TACIT_E_ARG,
                         "study %s protects validation records: it is told values with noise, and "
                         "noise_sd, and nothing else",
                         doc->name);
}

/* Reports that come with this one, before it. */
static tacit_status check_earlier(const tc_request_context *a, tacit_error *err)
{
    size_t n = json_array_size(json_object_get(a->body, "earlier_steps"));
    size_t values = json_array_size(json_object_get(a->body, "earlier_values"));
    if (n != values)
        return tc_fail(
            err, TACIT_E_ARG,
            "earlier_steps and earlier_values must be as long as each other, got %zu and "
            "%zu",
            n, values);
    return n < TC_STEPS_AT_ONCE
               ? TACIT_OK
               : tc_fail(err, TACIT_E_ARG, "earlier_steps must have at most %d numbers, got %zu",
                         TC_STEPS_AT_ONCE - 1, n);
}

static tc_step report_at(const tc_request_context *a, size_t i)
{
    const json_t *steps = json_object_get(a->body, "earlier_steps");
    const json_t *values = json_object_get(a->body, "earlier_values");
    if (i == json_array_size(steps))
        return (tc_step){.step = (uint64_t)tc_request_whole(a, "step"),
                         .value = tc_request_real(a, "value")};
    return (tc_step){.step = (uint64_t)json_integer_value(json_array_get(steps, i)),
                     .value = json_number_value(json_array_get(values, i))};
}

/* As if each had come by itself, from a worker that ends its trial when it is told to. */
static tacit_status report_all(const tc_request_context *a, tc_study *study, uint64_t trial,
                               const tc_prune *rule, tc_verdict *v, tacit_error *err)
{
    const uint64_t attempt = (uint64_t)tc_request_whole(a, "attempt");
    size_t n = json_array_size(json_object_get(a->body, "earlier_steps"));
    *v = (tc_verdict){.stop = false};
    for (size_t i = 0; i <= n && !v->stop; i++) {
        const tc_step at = report_at(a, i);
        TC_TRY(tc_study_report_step_of(study, trial, attempt, &at, rule, v, err));
    }
    return TACIT_OK;
}

tacit_status tc_served_report(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    uint64_t trial;
    tc_prune rule;
    tc_verdict v;
    TC_TRY(tc_request_number(a, 1, "trial", &trial, err));
    TC_TRY(read_rule(a, &rule, err));
    TC_TRY(check_earlier(a, err));
    TC_TRY(tc_state_open(a->coord, d->id, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    TC_TRY(check_noise(a, tc_study_document(study), err));
    TC_TRY(report_all(a, study, trial, &rule, &v, err));
    return tc_answer_json(a, 200, verdict_json(trial, &v), err);
}
