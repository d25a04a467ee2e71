/* privacy_api.c - include/tacit/privacy.h over the parts of this folder. */
#include <tacit/privacy.h>

#include "privacy/best_of.h"
#include "privacy/dp_report.h"
#include "privacy/filter.h"
#include "privacy/public.h"
#include "privacy/relation.h"
#include "privacy/sampler.h"
#include "privacy/statement.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

static TC_SIZED(sized_guarantee, tacit_guarantee, order, order);
static TC_SIZED(sized_repeats, tacit_repeats, shape, shape);

/* ---- accounting */

const char *const *tacit_accountants(void)
{
    static const char *const names[] = {"pld", "rdp", "moments", "gaussian", "pure", NULL};
    return names;
}

tacit_status tacit_account(const char *accountant, const tacit_dp_event *events, size_t n,
                           double delta, tacit_guarantee *out, tacit_error *err)
{
    const tc_accountant *a = NULL;
    TC_TRY(tc_sized_check(&sized_guarantee, out, "out", err));
    if (n > 0)
        TC_GIVEN(events);
    TC_TRY(tc_accountant_of(&a, accountant, err));
    tacit_guarantee found;
    TC_TRY(tc_account(a, events, n, delta, &found, err));
    tc_sized_give(&sized_guarantee, out, &found);
    return TACIT_OK;
}

tacit_status tacit_calibrate(const char *accountant, double epsilon, double delta,
                             tacit_dp_sampling sampling, double sampling_rate, uint64_t rounds,
                             double *noise_multiplier, tacit_error *err)
{
    const tc_accountant *a = NULL;
    TC_GIVEN(noise_multiplier);
    TC_TRY(tc_accountant_of(&a, accountant, err));
    return tc_calibrate(a, epsilon, delta, sampling, sampling_rate, rounds, noise_multiplier, err);
}

tacit_status tacit_analytic_gaussian(double epsilon, double delta, double *sd, tacit_error *err)
{
    TC_GIVEN(sd);
    return tc_analytic_gaussian(epsilon, delta, sd, err);
}

tacit_status tacit_dp_event_json(const tacit_dp_event *event, char **json, tacit_error *err)
{
    TC_GIVEN(event);
    TC_GIVEN(json);
    TC_TRY(tc_dp_event_check(event, err));
    json_t *j = tc_dp_event_json(event);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    *json = text;
    return TACIT_OK;
}

tacit_status tacit_dp_event_replaced(const tacit_dp_event *event, tacit_dp_event *out,
                                     tacit_error *err)
{
    TC_GIVEN(event);
    TC_GIVEN(out);
    TC_TRY(tc_dp_event_check(event, err));
    *out = tc_dp_event_replaced(event);
    return TACIT_OK;
}

static tacit_status check_events(const char *name, const tacit_dp_event *events, size_t n,
                                 tacit_error *err)
{
    if (n > 0 && !events)
        return tc_fail(err, TACIT_E_ARG, "%s must not be NULL", name);
    for (size_t i = 0; i < n; i++)
        if (tc_dp_event_check(&events[i], err) != TACIT_OK)
            return tc_fail_in(err, "%s[%zu]", name, i);
    return TACIT_OK;
}

tacit_status tacit_dp_event_parse(const char *json, tacit_dp_event *events, size_t room, size_t *n,
                                  tacit_error *err)
{
    json_t *j = NULL;
    TC_GIVEN(json);
    TC_GIVEN(n);
    if (room > 0)
        TC_GIVEN(events);
    TC_TRY(tc_json_parse(json, strlen(json), "dp_event", &j, err));
    tacit_dp_event *found = tc_alloc(room + 1, sizeof *found);
    tacit_status status = found ? tc_dp_report_parse(j, found, room, n, err) : tc_fail_memory(err);
    if (status == TACIT_OK && *n > 0)
        memcpy(events, found, *n * sizeof *found);
    tc_free(found);
    json_decref(j);
    return status;
}

tacit_status tacit_dp_event_within(const tacit_dp_event *reported, size_t n,
                                   const tacit_dp_event *cap, size_t caps, tacit_error *err)
{
    TC_TRY(check_events("reported", reported, n, err));
    TC_TRY(check_events("cap", cap, caps, err));
    return tc_dp_report_within(reported, n, cap, caps, err);
}

/* ---- saying it */

static tacit_status take_guarantee(tacit_guarantee *given, const tacit_guarantee *g,
                                   tacit_error *err)
{
    TC_TRY(tc_sized_take(&sized_guarantee, given, g, "g", err));
    if (!given->accountant)
        return tc_fail(err, TACIT_E_ARG, "g->accountant must not be NULL");
    return TACIT_OK;
}

/* g NULL: none. */
static tacit_status add_bound(tc_text *words, const tacit_guarantee *g, uint64_t releases,
                              tacit_unit unit, tacit_error *err)
{
    tacit_guarantee given;
    if (!g)
        return TACIT_OK;
    TC_TRY(take_guarantee(&given, g, err));
    tc_statement_add_bound(words, &given, releases, unit);
    return TACIT_OK;
}

tacit_status tacit_statement(const tacit_guarantee *g, uint64_t releases, tacit_unit unit,
                             tacit_dp_sampling sampling, char **text, tacit_error *err)
{
    tc_text words = {0};
    TC_GIVEN(text);
    TC_TRY(tc_check_unit(unit, err));
    TC_TRY(tc_check_choice("sampling", (int)sampling, TACIT_DP_POISSON_REPLACED, err));
    TC_TRY(add_bound(&words, g, releases, unit, err));
    tc_statement_add_scope(&words, unit, sampling);
    return tc_text_hand_out(&words, text, err);
}

tacit_status tacit_statement_of(const tacit_guarantee *g, uint64_t releases, tacit_unit unit,
                                tacit_relation relation, char **text, tacit_error *err)
{
    tc_text words = {0};
    TC_GIVEN(text);
    TC_TRY(tc_check_unit(unit, err));
    TC_TRY(tc_check_choice("relation", (int)relation, TC_RELATION_LAST, err));
    TC_TRY(add_bound(&words, g, releases, unit, err));
    tc_statement_add_related(&words, unit, relation);
    return tc_text_hand_out(&words, text, err);
}

/* ---- the best of several runs */

tacit_status tacit_account_best_of(const tacit_repeats *repeats, const tacit_dp_event *events,
                                   size_t n, double delta, tacit_guarantee *out, tacit_error *err)
{
    tacit_repeats r;
    tacit_guarantee found;
    TC_TRY(tc_sized_take(&sized_repeats, &r, repeats, "repeats", err));
    TC_TRY(tc_sized_check(&sized_guarantee, out, "out", err));
    if (n > 0)
        TC_GIVEN(events);
    TC_TRY(tc_repeats_check(&r, err));
    tc_best_of best = tc_best_of_accountant(&r);
    TC_TRY(tc_account(&best.accountant, events, n, delta, &found, err));
    tc_sized_give(&sized_guarantee, out, &found);
    return TACIT_OK;
}

tacit_status tacit_calibrate_best_of(const tacit_repeats *repeats, double epsilon, double delta,
                                     tacit_dp_sampling sampling, double sampling_rate,
                                     uint64_t rounds, double *noise_multiplier, tacit_error *err)
{
    tacit_repeats r;
    TC_TRY(tc_sized_take(&sized_repeats, &r, repeats, "repeats", err));
    TC_GIVEN(noise_multiplier);
    TC_TRY(tc_repeats_check(&r, err));
    tc_best_of best = tc_best_of_accountant(&r);
    return tc_calibrate(&best.accountant, epsilon, delta, sampling, sampling_rate, rounds,
                        noise_multiplier, err);
}

tacit_status tacit_statement_best_of(const tacit_guarantee *g, const tacit_repeats *repeats,
                                     char **text, tacit_error *err)
{
    tacit_guarantee given;
    tacit_repeats r;
    tc_text words = {0};
    TC_TRY(take_guarantee(&given, g, err));
    TC_TRY(tc_sized_take(&sized_repeats, &r, repeats, "repeats", err));
    TC_GIVEN(text);
    TC_TRY(tc_repeats_check(&r, err));
    tc_statement_add_best_of(&words, &given, &r);
    return tc_text_hand_out(&words, text, err);
}

/* ---- noise */

static tacit_status check_scale(const char *name, uint64_t scale, uint64_t limit, tacit_error *err)
{
    if (scale >= 1 && scale <= limit)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s must be in [1, %" PRIu64 "], got %" PRIu64, name, limit,
                   scale);
}

tacit_status tacit_sample_discrete_gaussian(uint64_t sd, size_t n, int64_t *out, tacit_error *err)
{
    if (n > 0)
        TC_GIVEN(out);
    TC_TRY(check_scale("sd", sd, TC_SAMPLER_MAX_SD, err));
    tc_noise noise;
    tc_noise_init(&noise);
    tc_entropy entropy = tc_entropy_of(&noise);
    for (size_t i = 0; i < n; i++)
        out[i] = tc_sample_gaussian(&entropy, sd);
    tc_noise_fini(&noise);
    return TACIT_OK;
}

tacit_status tacit_sample_discrete_laplace(uint64_t scale, size_t n, int64_t *out, tacit_error *err)
{
    if (n > 0)
        TC_GIVEN(out);
    TC_TRY(check_scale("scale", scale, TC_SAMPLER_MAX_SCALE, err));
    tc_noise noise;
    tc_noise_init(&noise);
    tc_entropy entropy = tc_entropy_of(&noise);
    for (size_t i = 0; i < n; i++)
        out[i] = tc_sample_laplace(&entropy, scale);
    tc_noise_fini(&noise);
    return TACIT_OK;
}

/* ---- filters */

struct tacit_filter {
    tc_filter filter;
};

tacit_status tacit_filter_new(tacit_filter **out, double epsilon, double delta, tacit_error *err)
{
    TC_GIVEN(out);
    tc_filter filter;
    TC_TRY(tc_filter_init(&filter, epsilon, delta, err));
    tacit_filter *f = tc_alloc(1, sizeof *f);
    if (!f)
        return tc_fail_memory(err);
    f->filter = filter;
    *out = f;
    return TACIT_OK;
}

void tacit_filter_free(tacit_filter *f)
{
    tc_free(f);
}

tacit_status tacit_filter_would(const tacit_filter *f, const tacit_dp_event *event,
                                double *remaining, tacit_error *err)
{
    TC_GIVEN(f);
    TC_GIVEN(event);
    return tc_filter_would(&f->filter, event, remaining, err);
}

tacit_status tacit_filter_spend(tacit_filter *f, const tacit_dp_event *event, tacit_error *err)
{
    TC_GIVEN(f);
    TC_GIVEN(event);
    return tc_filter_spend(&f->filter, event, err);
}

double tacit_filter_remaining(const tacit_filter *f)
{
    return f ? tc_filter_remaining(&f->filter) : 0;
}
