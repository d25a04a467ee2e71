/* study_federation.c - what only a study of many agents has: "federation" and "privacy".
 *
 * There is no default epsilon: a promise is made in numbers, or "none" is said on purpose. See
 * study_doc.h; called by study_doc.c. */
#include "wire/study_doc_int.h"

#include "base/error.h"
#include "base/json.h"

#include <string.h>

#define DEADLINE_MAX 1e9
#define PRIVACY_MAX  1e6 /* of epsilon and of the noise multiplier */

/* --- reading --- */

static tacit_status out_of_range(const char *field, double v, const char *range, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG, "%s must be a number in %s, got %g", field, range, v);
}

static tacit_status read_agents(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"agents", "deadline_s", NULL};
    int64_t agents = 0;
    TC_TRY(tc_json_only(j, "federation", allowed, err));
    if (!json_object_get(j, "agents"))
        return tc_fail(err, TACIT_E_ARG, "federation.agents is missing: say how many there are");
    TC_TRY(tc_json_int_or(j, "federation", "agents", 1, TACIT_AGENTS_MOST, &agents, err));
    TC_TRY(tc_json_number_or(j, "federation", "deadline_s", &d->deadline_s, err));
    if (json_object_get(j, "deadline_s") && !(d->deadline_s > 0 && d->deadline_s <= DEADLINE_MAX))
        return out_of_range("federation.deadline_s", d->deadline_s, "(0, 1e9]", err);
    d->agents = (uint64_t)agents;
    return TACIT_OK;
}

static tacit_status read_delta(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    if (!json_object_get(j, "delta")) {
        if (d->promise == TC_PROMISE_EPSILON)
            return tc_fail(err, TACIT_E_ARG, "privacy.delta is missing: an epsilon needs one");
        return TACIT_OK;
    }
    TC_TRY(tc_json_number(j, "privacy", "delta", &d->delta, err));
    if (!(d->delta > 0 && d->delta < 1))
        return out_of_range("privacy.delta", d->delta, "(0, 1)", err);
    return TACIT_OK;
}

/* Which options there are, and within which bounds, the plan of the study knows (study_plan.c). */
static tacit_status read_calibrated(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    if (!j)
        return TACIT_OK;
    if (d->promise != TC_PROMISE_EPSILON || !json_is_object(j))
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.calibrated must be an object of options beside an epsilon, got %s",
                       d->promise != TC_PROMISE_EPSILON ? "it without one" : tc_json_kind(j));
    d->calibrated = json_deep_copy(j);
    return d->calibrated ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status read_privacy(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    if (!d->agents)
        return tc_fail(err, TACIT_E_ARG,
                       "privacy is a promise to the agents of a federation: \"federation\" is "
                       "missing");
    if (json_is_string(j) && strcmp(json_string_value(j), "none") == 0) {
        d->promise = TC_PROMISE_NONE;
        return TACIT_OK;
    }
    if (json_is_string(j))
        return tc_fail(err, TACIT_E_ARG, "privacy must be an object or \"none\", got \"%.100s\"",
                       json_string_value(j));
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "privacy must be an object or \"none\", got %s",
                       tc_json_kind(j));
    static const char *const allowed[] = {"epsilon", "noise_multiplier", "delta", "calibrated",
                                          NULL};
    TC_TRY(tc_json_only(j, "privacy", allowed, err));
    bool epsilon = json_object_get(j, "epsilon"), noise = json_object_get(j, "noise_multiplier");
    if (epsilon == noise)
        return tc_fail(err, TACIT_E_ARG,
                       "privacy must have either epsilon or noise_multiplier, it has %s",
                       epsilon ? "both" : "neither");
    double *to = epsilon ? &d->epsilon : &d->noise_multiplier;
    TC_TRY(tc_json_number(j, "privacy", epsilon ? "epsilon" : "noise_multiplier", to, err));
    if (!(*to > 0 && *to <= PRIVACY_MAX))
        return out_of_range(epsilon ? "privacy.epsilon" : "privacy.noise_multiplier", *to,
                            "(0, 1e6]", err);
    d->promise = epsilon ? TC_PROMISE_EPSILON : TC_PROMISE_NOISE;
    TC_TRY(read_delta(d, j, err));
    return read_calibrated(d, json_object_get(j, "calibrated"), err);
}

tacit_status tc_study_doc_read_federation(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const json_t *federation = json_object_get(j, "federation");
    const json_t *privacy = json_object_get(j, "privacy");
    if (federation && !json_is_object(federation))
        return tc_fail(err, TACIT_E_ARG, "federation must be an object, got %s",
                       tc_json_kind(federation));
    if (federation)
        TC_TRY(read_agents(d, federation, err));
    return privacy ? read_privacy(d, privacy, err) : TACIT_OK;
}

/* --- writing --- */

static json_t *federation_json(const tc_study_doc *d)
{
    json_t *j = json_pack("{s:I}", "agents", (json_int_t)d->agents);
    if (!j || d->deadline_s == 0 ||
        json_object_set_new(j, "deadline_s", json_real(d->deadline_s)) == 0)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *privacy_json(const tc_study_doc *d)
{
    if (d->promise == TC_PROMISE_NONE)
        return json_string("none");
    bool epsilon = d->promise == TC_PROMISE_EPSILON;
    json_t *j = json_pack("{s:f}", epsilon ? "epsilon" : "noise_multiplier",
                          epsilon ? d->epsilon : d->noise_multiplier);
    bool ok = j && (d->delta == 0 || json_object_set_new(j, "delta", json_real(d->delta)) == 0);
    ok = ok && (!d->calibrated || json_object_set(j, "calibrated", d->calibrated) == 0);
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

bool tc_study_doc_add_federation(const tc_study_doc *d, json_t *j)
{
    if (d->agents && json_object_set_new(j, "federation", federation_json(d)) != 0)
        return false;
    return d->promise == TC_PROMISE_UNSAID ||
           json_object_set_new(j, "privacy", privacy_json(d)) == 0;
}
