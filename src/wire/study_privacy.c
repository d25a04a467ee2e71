/* study_privacy.c - "privacy": what a study promises, and to whom.
 *
 * To the agents of a federation: {"epsilon": 4, "delta": 1e-4}, {"noise_multiplier": 1.5, ...} or "none". There is no
 * default epsilon: a promise is made in numbers, or "none" is said on purpose.
 *
 * To the validation records of whoever evaluates, in any study:
 *     {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}
 *     {"unit": "record", "epsilon": 1, "delta": 1e-5, "range": [0, 5]}
 * "evaluations": 80 plans more of them than trials: each trial then has its share of intermediate values.
 * Each evaluation is then released with noise before anybody else sees it (study/record_guard.h). How many records there are
 * each party declares for itself. See study_doc.h; called by study_doc.c. */
#include "wire/study_doc_int.h"

#include "base/error.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

#define PRIVACY_MAX 1e6 /* of epsilon and of the noise multiplier */
#define P_MIN_MOST  0.5

/* --- reading: numbers --- */

static tacit_status out_of_range(const char *field, double v, const char *range, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG, "%s must be a number in %s, got %g", field, range, v);
}

static tacit_status read_delta(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    if (!json_object_get(j, "delta")) {
        if (d->promise != TC_PROMISE_NOISE)
            return tc_fail(err, TACIT_E_ARG, "privacy.delta is missing: an epsilon needs one");
        return TACIT_OK;
    }
    TC_TRY(tc_json_number(j, "privacy", "delta", &d->delta, err));
    if (!(d->delta > 0 && d->delta < 1))
        return out_of_range("privacy.delta", d->delta, "(0, 1)", err);
    return TACIT_OK;
}

static tacit_status read_epsilon(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    TC_TRY(tc_json_number(j, "privacy", "epsilon", &d->epsilon, err));
    if (!(d->epsilon > 0 && d->epsilon <= PRIVACY_MAX))
        return out_of_range("privacy.epsilon", d->epsilon, "(0, 1e6]", err);
    return TACIT_OK;
}

/* Which options there are, and within which bounds, the plan of the study knows (study_plan.c, record_plan.c). */
static tacit_status read_calibrated(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    if (!j)
        return TACIT_OK;
    if (d->promise == TC_PROMISE_NOISE || !json_is_object(j))
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.calibrated must be an object of options beside an epsilon, got %s",
                       d->promise == TC_PROMISE_NOISE ? "it without one" : tc_json_kind(j));
    d->calibrated = json_deep_copy(j);
    return d->calibrated ? TACIT_OK : tc_fail_memory(err);
}

/* --- reading: agents --- */

static tacit_status read_agents(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"unit",  "epsilon",    "noise_multiplier",
                                          "delta", "calibrated", NULL};
    TC_TRY(tc_json_only(j, "privacy", allowed, err));
    bool epsilon = json_object_get(j, "epsilon"), noise = json_object_get(j, "noise_multiplier");
    if (epsilon == noise)
        return tc_fail(err, TACIT_E_ARG,
                       "privacy must have either epsilon or noise_multiplier, it has %s",
                       epsilon ? "both" : "neither");
    d->promise = epsilon ? TC_PROMISE_EPSILON : TC_PROMISE_NOISE;
    if (epsilon)
        TC_TRY(read_epsilon(d, j, err));
    else
        TC_TRY(tc_json_number(j, "privacy", "noise_multiplier", &d->noise_multiplier, err));
    if (noise && !(d->noise_multiplier > 0 && d->noise_multiplier <= PRIVACY_MAX))
        return out_of_range("privacy.noise_multiplier", d->noise_multiplier, "(0, 1e6]", err);
    TC_TRY(read_delta(d, j, err));
    return read_calibrated(d, json_object_get(j, "calibrated"), err);
}

/* --- reading: records --- */

static tacit_status read_range(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    if (!j)
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.range is missing: [low, high] bounds the loss of each record");
    const json_t *low = json_array_get(j, 0), *high = json_array_get(j, 1);
    if (json_array_size(j) != 2 || !json_is_number(low) || !json_is_number(high))
        return tc_fail(err, TACIT_E_ARG, "privacy.range must be two numbers, [low, high], got %s",
                       json_is_array(j) ? "another list" : tc_json_kind(j));
    d->low = json_number_value(low);
    d->high = json_number_value(high);
    if (d->low < d->high)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "privacy.range must be [low, high] with low < high, got [%g, %g]", d->low,
                   d->high);
}

/* The range that follows from the metric: [0, 1], or [0, ln(1/p_min)]. */
static tacit_status find_range(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    bool clips = d->metric->high == 0; /* probabilities */
    if (json_object_get(j, "range"))
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.range must not be given with the metric %s, which has its own",
                       d->metric->name);
    if (clips && !json_object_get(j, "p_min"))
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.p_min is missing: log-loss needs the least probability, to which "
                       "others are clipped");
    TC_TRY(tc_json_number_or(j, "privacy", "p_min", &d->p_min, err));
    if (clips && !(d->p_min > 0 && d->p_min <= P_MIN_MOST))
        return out_of_range("privacy.p_min", d->p_min, "(0, 0.5]", err);
    d->low = 0;
    d->high = clips ? -log(d->p_min) : d->metric->high;
    return TACIT_OK;
}

static tacit_status read_metric(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const char *name = "mean";
    TC_TRY(tc_json_string_or(j, "privacy", "metric", &name, err));
    TC_TRY(tc_metric_get(&d->metric, "privacy.metric", name, err));
    bool clips = !d->metric->ranged && d->metric->high == 0;
    if (!clips && json_object_get(j, "p_min"))
        return tc_fail(err, TACIT_E_ARG, "privacy.p_min is for the metric log-loss alone");
    return d->metric->ranged ? read_range(d, json_object_get(j, "range"), err)
                             : find_range(d, j, err);
}

/* How many evaluations the noise is computed for; not given: one a trial. */
static tacit_status read_evaluations(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    int64_t n = 0;
    if (!json_object_get(j, "evaluations"))
        return TACIT_OK;
    if (d->agents > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.evaluations is for a study of one party: agents of a federation "
                       "keep intermediate values, and each trial is one evaluation");
    TC_TRY(tc_json_int_or(j, "privacy", "evaluations", (int64_t)d->trials, TC_EVALUATIONS_MOST, &n,
                          err));
    d->evaluations = (uint64_t)n;
    return TACIT_OK;
}

static tacit_status read_records(tc_study_doc *d, const json_t *document, const json_t *j,
                                 tacit_error *err)
{
    static const char *const allowed[] = {"unit",  "epsilon",     "delta",      "metric", "range",
                                          "p_min", "evaluations", "calibrated", NULL};
    d->promise = TC_PROMISE_RECORDS;
    TC_TRY(tc_json_only(j, "privacy", allowed, err));
    if (!json_object_get(document, "trials"))
        return tc_fail(err, TACIT_E_ARG,
                       "trials is missing: the noise of an evaluation follows from how many there "
                       "will be");
    TC_TRY(read_evaluations(d, j, err));
    TC_TRY(read_epsilon(d, j, err));
    TC_TRY(read_delta(d, j, err));
    TC_TRY(read_metric(d, j, err));
    return read_calibrated(d, json_object_get(j, "calibrated"), err);
}

/* --- reading: the whole --- */

static tacit_status read_words(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    if (strcmp(json_string_value(j), "none") != 0)
        return tc_fail(err, TACIT_E_ARG, "privacy must be an object or \"none\", got \"%.100s\"",
                       json_string_value(j));
    d->promise = TC_PROMISE_NONE;
    return TACIT_OK;
}

static tacit_status read_unit(const json_t *j, bool *records, tacit_error *err)
{
    const char *unit = "agent";
    TC_TRY(tc_json_string_or(j, "privacy", "unit", &unit, err));
    *records = strcmp(unit, "record") == 0;
    if (*records || strcmp(unit, "agent") == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "privacy.unit must be \"agent\" or \"record\", got \"%.60s\"",
                   unit);
}

tacit_status tc_study_doc_read_privacy(tc_study_doc *d, const json_t *document, tacit_error *err)
{
    const json_t *j = json_object_get(document, "privacy");
    bool records = false;
    if (!j)
        return TACIT_OK;
    if (!json_is_string(j) && !json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "privacy must be an object or \"none\", got %s",
                       tc_json_kind(j));
    if (json_is_object(j))
        TC_TRY(read_unit(j, &records, err));
    if (records)
        return read_records(d, document, j, err);
    if (!d->agents)
        return tc_fail(err, TACIT_E_ARG,
                       "privacy is a promise to the agents of a federation: \"federation\" is "
                       "missing; a study of one party can protect its records, \"unit\": "
                       "\"record\"");
    return json_is_string(j) ? read_words(d, j, err) : read_agents(d, j, err);
}

/* --- writing --- */

static json_t *agents_json(const tc_study_doc *d)
{
    bool epsilon = d->promise == TC_PROMISE_EPSILON;
    return json_pack("{s:f}", epsilon ? "epsilon" : "noise_multiplier",
                     epsilon ? d->epsilon : d->noise_multiplier);
}

static json_t *records_json(const tc_study_doc *d)
{
    json_t *j = json_pack("{s:s, s:f, s:s}", "unit", "record", "epsilon", d->epsilon, "metric",
                          d->metric->name);
    bool ok = j && (!d->metric->ranged ||
                    json_object_set_new(j, "range", json_pack("[f, f]", d->low, d->high)) == 0);
    ok = ok &&
         (d->evaluations == 0 ||
          json_object_set_new(j, "evaluations", json_integer((json_int_t)d->evaluations)) == 0);
    ok = ok && (d->p_min == 0 || json_object_set_new(j, "p_min", json_real(d->p_min)) == 0);
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *privacy_json(const tc_study_doc *d)
{
    if (d->promise == TC_PROMISE_NONE)
        return json_string("none");
    json_t *j = d->promise == TC_PROMISE_RECORDS ? records_json(d) : agents_json(d);
    bool ok = j && (d->delta == 0 || json_object_set_new(j, "delta", json_real(d->delta)) == 0);
    ok = ok && (!d->calibrated || json_object_set(j, "calibrated", d->calibrated) == 0);
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

bool tc_study_doc_add_privacy(const tc_study_doc *d, json_t *j)
{
    return d->promise == TC_PROMISE_UNSAID ||
           json_object_set_new(j, "privacy", privacy_json(d)) == 0;
}
