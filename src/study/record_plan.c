/* record_plan.c - see record_plan.h. */
#include "study/record_plan.h"

#include "base/error.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

/* More noise than was found, so that a check by another C library agrees (study_calibrate.c). */
#define SLACK 0x1p-30

static const char key[] = "noise_multiplier";

tacit_status tc_record_plan_calibrate(tc_study_doc *doc, tacit_error *err)
{
    double z;
    if (doc->promise != TC_PROMISE_RECORDS || doc->calibrated)
        return TACIT_OK;
    TC_TRY(tc_value_calibrate(doc->epsilon, doc->delta, tc_study_doc_evaluations(doc), &z, err));
    doc->calibrated = json_pack("{s:f}", key, z * (1 + SLACK));
    return doc->calibrated ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_record_plan_noise(const tc_study_doc *doc, double *z, tacit_error *err)
{
    static const char *const allowed[] = {key, NULL};
    double given;
    tacit_guarantee g;
    if (!doc->calibrated)
        return tc_value_calibrate(doc->epsilon, doc->delta, tc_study_doc_evaluations(doc), z, err);
    TC_TRY(tc_json_only(doc->calibrated, "privacy.calibrated", allowed, err));
    TC_TRY(tc_json_number(doc->calibrated, "privacy.calibrated", key, &given, err));
    if (!(given > 0 && given <= 1e6))
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.calibrated.%s must be a number in (0, 1e6], got %g", key, given);
    TC_TRY(tc_value_cost(given, tc_study_doc_evaluations(doc), doc->delta, &g, err));
    if (g.epsilon > doc->epsilon)
        return tc_fail(
            err, TACIT_E_ARG,
            "privacy.calibrated.%s of %.12g gives epsilon %.12g at delta %g over %" PRIu64
            " evaluations, and privacy.epsilon is %g",
            key, given, g.epsilon, doc->delta, tc_study_doc_evaluations(doc), doc->epsilon);
    *z = given;
    return TACIT_OK;
}

/* Narrower than the document's only where the program clips each record's loss to it. */
static tacit_status check_range(const tc_study_doc *doc, const tc_metric_terms *t, tacit_error *err)
{
    bool clips = doc->metric->ranged || doc->metric->high == 0;
    bool same = t->low == doc->low && t->high == doc->high;
    if (t->low < t->high && (same || (clips && t->low >= doc->low && t->high <= doc->high)))
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_ARG,
        "range must be %s the [%g, %g] of the study's document (metric %s), got [%g, %g]",
        clips ? "within" : "equal to", doc->low, doc->high, doc->metric->name, t->low, t->high);
}

/* At 1/n nothing is promised to a record. */
#define DELTA_MOST 1e-5 /* where n is not declared */
static tacit_status check_delta(const tc_study_doc *doc, const tc_metric_terms *t, tacit_error *err)
{
    if (t->records == 0 && doc->delta > DELTA_MOST)
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.delta must be at most %g where the number of records is not "
                       "declared, got %g",
                       DELTA_MOST, doc->delta);
    if (t->records == 0 || doc->delta < 1 / (double)t->records)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "privacy.delta must be below 1/n = %g for %" PRIu64
                   " records, got %g: such a delta allows to publish one whole record",
                   1 / (double)t->records, t->records, doc->delta);
}

#define NOISE_MOST 1e150 /* values with more noise cannot be squared */
static tacit_status check_noise(const tc_value_plan *p, tacit_error *err)
{
    tc_value_scale scale;
    TC_TRY(tc_value_plan_scale(p, &scale, err));
    return scale.noise_sd <= NOISE_MOST
               ? TACIT_OK
               : tc_fail(err, TACIT_E_ARG,
                         "the noise of one evaluation must be at most %g, got %g: the range or "
                         "the sensitivity is too large",
                         NOISE_MOST, scale.noise_sd);
}

tacit_status tc_record_plan_own_range(const tc_study_doc *doc, const tc_metric_terms *terms,
                                      tacit_error *err)
{
    if (terms->low != 0 || terms->high != 0 || terms->sensitivity != 0)
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_ARG,
        "range is missing: somebody else wrote the document of study \"%s\" (metric %s, "
        "[%g, %g]), so say the range to which your program keeps the loss of each record",
        doc->name, doc->metric->name, doc->low, doc->high);
}

tacit_status tc_record_plan_of(const tc_study_doc *doc, const tc_metric_terms *terms,
                               tc_value_plan *out, tacit_error *err)
{
    tc_metric_terms t = *terms;
    tc_value_plan p = {.per_person = t.per_person};
    if (t.low == 0 && t.high == 0) {
        t.low = doc->low;
        t.high = doc->high;
    }
    TC_TRY(check_range(doc, &t, err));
    TC_TRY(check_delta(doc, &t, err));
    TC_TRY(tc_metric_sensitivity(doc->metric, &t, &p.sensitivity, err));
    TC_TRY(tc_record_plan_noise(doc, &p.z, err));
    p.low = t.low;
    p.high = t.high;
    p.failed = doc->maximize ? t.low : t.high;
    TC_TRY(check_noise(&p, err));
    *out = p;
    return TACIT_OK;
}
