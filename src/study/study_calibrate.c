/* study_calibrate.c - the options that keep an epsilon: found once, carried in the document, checked by all.
 *
 * To find the noise for an epsilon takes an accountant and a search, and both end in the C library's exp and
 * log, whose last digits are not the same everywhere. The coordinator and its agents must have
 * the same noise to the last bit: it is the price of a round, and ledgers are compared by it. So whoever creates a
 * study searches, and its document says what was found (privacy.calibrated). Everybody else checks that
 * the promise is kept with it, by their own accountant.
 *
 * The noise is taken a billionth larger than what was found: then the check does not depend on last digits
 * either. Documents from before have nothing to carry; each party searches for itself. */
#include "study/study_plan_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "study/study.h"
#include "study/study_cost.h"

#include <string.h>

#define SLACK  0x1p-30 /* libraries agree on an epsilon to 12 digits at least */
#define SEARCH 6e-7    /* how far the ends of two searches may be apart (privacy/calibrate.c) */

/* What a search finds with last digits of its own; an algorithm has the first, and may have the others. */
static const char *const noises[] = {"noise_multiplier", "vote_multiplier"};
enum { NOISES = sizeof noises / sizeof *noises };

static bool is_noise(const char *option)
{
    bool found = false;
    for (int i = 0; i < NOISES; i++)
        found |= strcmp(option, noises[i]) == 0;
    return found;
}

/* The options that the document gives; carried: and carries; promised: with what a search finds for its
 * epsilon beside them. As JSON. */
static tacit_status options_of(const tc_study_plan *p, bool carried, bool promised, json_t **out,
                               tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    const tc_option *table = d->algorithm->options;
    void *opts = tc_alloc(1, d->algorithm->options_size);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = tc_study_plan_given(d, opts, err);
    if (status == TACIT_OK && carried)
        status = tc_options_set_json(table, opts, "privacy.calibrated", d->calibrated, NULL, err);
    if (status == TACIT_OK && promised)
        status = d->algorithm->promise(&p->env, opts, d->epsilon, d->delta, err);
    json_t *j = status == TACIT_OK ? tc_options_json(table, opts) : NULL;
    tc_options_fini(table, opts);
    tc_free(opts);
    TC_TRY(status);
    if (!j)
        return tc_fail_memory(err);
    *out = j;
    return TACIT_OK;
}

/* ---- finding ---- */

/* Where epsilon is 1/z there is nothing to search for, and no digit to lose. */
static tacit_status add_slack(const tc_study_plan *p, json_t *calibrated, tacit_error *err)
{
    uint64_t first;
    tc_round_price price;
    TC_TRY(tc_study_plan_next_round(p, 0, &first, err));
    TC_TRY(tc_study_plan_price(p, first == TC_NO_ROUND ? 0 : first, &price, err));
    for (int i = 0; i < NOISES && price.event.mechanism == TACIT_DP_GAUSSIAN; i++) {
        json_t *z = json_object_get(calibrated, noises[i]);
        if (z && json_real_set(z, json_real_value(z) * (1 + SLACK)) != 0)
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

/* The noise, and the members of `now` that are others in `before`. NULL: no memory. */
static json_t *found(json_t *before, json_t *now)
{
    const char *key;
    json_t *value, *out = json_object();
    bool ok = out != NULL;
    json_object_foreach(now, key, value)
    {
        json_t *was = json_object_get(before, key);
        bool first = strcmp(key, noises[0]) == 0; /* also where it is the default by chance */
        if (ok && (first || !was || !json_equal(was, value)))
            ok = json_object_set_new(out, key, json_deep_copy(value)) == 0;
    }
    if (ok)
        return out;
    json_decref(out);
    return NULL;
}

static tacit_status calibrate(const tc_study_plan *p, json_t **out, tacit_error *err)
{
    json_t *before;
    TC_TRY(options_of(p, false, false, &before, err));
    json_t *calibrated = found(before, p->options);
    json_decref(before);
    if (!calibrated)
        return tc_fail_memory(err);
    tacit_status status = add_slack(p, calibrated, err);
    if (status == TACIT_OK)
        *out = calibrated;
    else
        json_decref(calibrated);
    return status;
}

tacit_status tc_study_calibrate(tc_study_doc *doc, tacit_error *err)
{
    tc_study_row row;
    tc_study_plan *p;
    if (doc->agents == 0 || doc->promise != TC_PROMISE_EPSILON || doc->calibrated)
        return TACIT_OK;
    TC_TRY(tc_study_row_of(&row, doc, 0, err));
    tacit_status status = tc_study_plan_new(&p, &row, err);
    tc_study_row_fini(&row);
    TC_TRY(status);
    status = calibrate(p, &doc->calibrated, err);
    tc_study_plan_free(p);
    return status;
}

/* ---- checking ---- */

static double number_in(const json_t *options, const char *name)
{
    return json_number_value(json_object_get(options, name));
}

/* As much noise as this party finds, or more. Less is another search's end, if it is within the search's
 * tolerance and the promise is kept. */
static tacit_status check_noise(const tc_study_plan *p, const char *name, const json_t *options,
                                const json_t *carried, tacit_error *err)
{
    const double own = number_in(options, name), theirs = number_in(carried, name);
    bool kept = theirs >= own;
    if (!kept && theirs >= own * (1 - SEARCH)) {
        tacit_guarantee g;
        TC_TRY(tc_study_cost_at(p, p->doc->delta, &g, err));
        kept = g.epsilon <= p->doc->epsilon;
    }
    if (kept)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "privacy.calibrated.%s must be at least %.12g to keep epsilon %g at delta %g, "
                   "got %.12g",
                   name, own, p->doc->epsilon, p->doc->delta, theirs);
}

static tacit_status check_noises(const tc_study_plan *p, const json_t *own, const json_t *carried,
                                 tacit_error *err)
{
    for (int i = 0; i < NOISES; i++)
        TC_TRY(check_noise(p, noises[i], own, carried, err));
    return TACIT_OK;
}

/* The first option that is another, noise apart; NULL: there is none. */
static const char *other_choice(json_t *own, const json_t *carried)
{
    const char *key;
    json_t *value;
    json_object_foreach(own, key, value)
    {
        if (!is_noise(key) && !json_equal(value, json_object_get(carried, key)))
            return key;
    }
    return NULL;
}

/* A party that would have chosen otherwise, by a last digit, takes the choice and searches the noise for
 * it. What is no choice of the search must be carried as the document gives it. */
static tacit_status check(const tc_study_plan *p, const json_t *carried, tacit_error *err)
{
    json_t *own;
    TC_TRY(options_of(p, false, true, &own, err));
    if (other_choice(own, carried)) {
        json_decref(own);
        TC_TRY(options_of(p, true, true, &own, err));
    }
    const char *other = other_choice(own, carried);
    tacit_status status =
        other ? tc_fail(err, TACIT_E_ARG,
                        "privacy.calibrated must have all that follows from epsilon, and %s is "
                        "missing",
                        other)
              : check_noises(p, own, carried, err);
    json_decref(own);
    return status;
}

tacit_status tc_study_plan_carried(tc_study_plan *p, tacit_error *err)
{
    const tc_option *table = p->doc->algorithm->options;
    TC_TRY(
        tc_options_set_json(table, p->opts, "privacy.calibrated", p->doc->calibrated, NULL, err));
    json_t *carried = tc_options_json(table, p->opts);
    if (!carried)
        return tc_fail_memory(err);
    tacit_status status = check(p, carried, err);
    json_decref(carried);
    return status;
}
