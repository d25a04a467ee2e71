/* optimizer_api.c - tacit/optimizer.h: the optimizer of optimizer.h with its events applied at once. */
#include <tacit/optimizer.h>

#include "algo/optimizer.h"
#include "base/api.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct tacit_optimizer {
    tc_optimizer *inner;
};

static TC_SIZED(sized_opts, tacit_optimizer_opts, budget, n_others);

static tacit_status parse_options(const char *text, json_t **out, tacit_error *err)
{
    if (!text)
        return TACIT_OK;
    TC_TRY(tc_json_parse(text, strlen(text), "options", out, err));
    if (json_is_object(*out))
        return TACIT_OK;
    tacit_status status =
        tc_fail(err, TACIT_E_ARG, "options must be a JSON object, got %s", tc_json_kind(*out));
    json_decref(*out);
    *out = NULL;
    return status;
}

static tacit_status check_direction(tacit_direction d, const char *what, tacit_error *err)
{
    return d == TACIT_MINIMIZE || d == TACIT_MAXIMIZE
               ? TACIT_OK
               : tc_fail(err, TACIT_E_ARG, "%s must be TACIT_MINIMIZE or TACIT_MAXIMIZE, got %d",
                         what, (int)d);
}

/* How many there may be, the optimizer says. */
static tacit_status check_others(const tacit_optimizer_opts *opts, tacit_error *err)
{
    char name[32];
    if (opts->n_others > 0 && !opts->others)
        return tc_fail(err, TACIT_E_ARG, "opts.others must not be NULL");
    for (size_t i = 0; i < opts->n_others && i + 1 < TC_OBJECTIVES_MOST; i++) {
        snprintf(name, sizeof name, "others[%zu]", i);
        TC_TRY(check_direction(opts->others[i], name, err));
    }
    return TACIT_OK;
}

static tacit_status check_opts(const tacit_space *space, const tacit_optimizer_opts *opts,
                               tacit_error *err)
{
    if (!opts->algorithm)
        return tc_fail(err, TACIT_E_ARG, "opts.algorithm must be given");
    TC_TRY(check_direction(opts->direction, "direction", err));
    TC_TRY(check_others(opts, err));
    if (space->n_params == 0)
        return tc_fail(err, TACIT_E_ARG, "the space has no parameter");
    return TACIT_OK;
}

static tacit_status build(tacit_optimizer *o, const tacit_space *space,
                          const tacit_optimizer_opts *opts, tacit_error *err)
{
    json_t *options = NULL;
    bool maximize[TC_OBJECTIVES_MOST] = {opts->direction == TACIT_MAXIMIZE};
    for (size_t i = 0; i < opts->n_others && i + 1 < TC_OBJECTIVES_MOST; i++)
        maximize[i + 1] = opts->others[i] == TACIT_MAXIMIZE;
    const tc_outcomes wanted = {.n_objectives = opts->n_others + 1, .maximize = maximize};
    tc_optimizer_config cfg = {.space = space,
                               .maximize = maximize[0],
                               .outcomes = &wanted,
                               .public_seed = tc_public_seed_from(opts->seed),
                               .party_seed = tc_party_seed_from(opts->seed),
                               .budget = opts->budget};
    TC_TRY(tc_algorithm_get_single(&cfg.algorithm, opts->algorithm, err));
    TC_TRY(parse_options(opts->options, &options, err));
    cfg.options = options;
    tacit_status status = tc_optimizer_new(&o->inner, &cfg, err);
    json_decref(options);
    return status;
}

tacit_status tacit_optimizer_new(tacit_optimizer **out, const tacit_space *space,
                                 const tacit_optimizer_opts *opts, tacit_error *err)
{
    tacit_optimizer_opts given;
    TC_GIVEN(out);
    TC_GIVEN(space);
    TC_TRY(tc_sized_take(&sized_opts, &given, opts, "opts", err));
    TC_TRY(check_opts(space, &given, err));
    tacit_optimizer *o = tc_alloc(1, sizeof *o);
    if (!o)
        return tc_fail_memory(err);
    tacit_status status = build(o, space, &given, err);
    if (status != TACIT_OK) {
        tacit_optimizer_free(o);
        return status;
    }
    *out = o;
    return TACIT_OK;
}

void tacit_optimizer_free(tacit_optimizer *o)
{
    if (!o)
        return;
    tc_optimizer_free(o->inner);
    tc_free(o);
}

static size_t point_size(const tacit_optimizer *o)
{
    return tc_optimizer_space(o->inner)->n_params * sizeof(double);
}

tacit_status tacit_optimizer_ask(tacit_optimizer *o, uint64_t *trial, double *values,
                                 tacit_error *err)
{
    tc_ask_request req = {.now_ms = tc_clock_unix_ms()};
    tc_event e;
    TC_GIVEN(o);
    TC_GIVEN(trial);
    TC_GIVEN(values);
    do {
        TC_TRY(tc_optimizer_next(o->inner, &req, &e, err));
        TC_TRY(tc_optimizer_apply(o->inner, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    *trial = e.trial;
    memcpy(values, tc_optimizer_trial(o->inner, e.trial)->values, point_size(o));
    return TACIT_OK;
}

/* Objectives beside the first. */
static size_t others(const tacit_optimizer *o)
{
    return tc_outcomes_more(tc_optimizer_outcomes(o->inner));
}

/* One value where several are wanted. */
static tacit_status check_single(const tacit_optimizer *o, tacit_error *err)
{
    return others(o) == 0 ? TACIT_OK
                          : tc_fail(err, TACIT_E_ARG,
                                    "the optimizer has %zu objectives: give the value of each "
                                    "(tacit_optimizer_tell_outcomes, tacit_optimizer_add_outcomes)",
                                    others(o) + 1);
}

/* values NULL: as issued. */
static tacit_status tell(tacit_optimizer *o, uint64_t trial, const double *values,
                         const double *outcomes, tacit_error *err)
{
    tc_event e;
    TC_TRY(tc_optimizer_tell_outcomes(o->inner, trial, values, outcomes[0], outcomes + 1, others(o),
                                      tc_clock_unix_ms(), &e, err));
    return tc_optimizer_apply(o->inner, &e, err);
}

tacit_status tacit_optimizer_tell(tacit_optimizer *o, uint64_t trial, double value,
                                  tacit_error *err)
{
    TC_GIVEN(o);
    TC_TRY(check_single(o, err));
    return tell(o, trial, NULL, &value, err);
}

tacit_status tacit_optimizer_tell_at(tacit_optimizer *o, uint64_t trial, const double *values,
                                     double value, tacit_error *err)
{
    TC_GIVEN(o);
    TC_GIVEN(values);
    TC_TRY(check_single(o, err));
    return tell(o, trial, values, &value, err);
}

tacit_status tacit_optimizer_tell_outcomes(tacit_optimizer *o, uint64_t trial, const double *values,
                                           const double *outcomes, tacit_error *err)
{
    TC_GIVEN(o);
    TC_GIVEN(outcomes);
    return tell(o, trial, values, outcomes, err);
}

tacit_status tacit_optimizer_fail(tacit_optimizer *o, uint64_t trial, const char *reason,
                                  tacit_error *err)
{
    tc_event e;
    TC_GIVEN(o);
    TC_TRY(tc_optimizer_fail(o->inner, trial, reason, tc_clock_unix_ms(), &e, err));
    return tc_optimizer_apply(o->inner, &e, err);
}

/* A WAITING trial that is told at once, as tc_study_import does it. */
static tacit_status add(tacit_optimizer *o, const double *values, const double *outcomes,
                        uint64_t *trial, tacit_error *err)
{
    tc_event waiting;
    for (size_t k = 0; k <= others(o); k++) /* before there is a trial */
        if (!isfinite(outcomes[k]))
            return tc_fail(err, TACIT_E_ARG, "value must be a finite number, got %g", outcomes[k]);
    TC_TRY(tc_optimizer_enqueue(o->inner, values, tc_clock_unix_ms(), &waiting, err));
    TC_TRY(tc_optimizer_apply(o->inner, &waiting, err));
    TC_TRY(tell(o, waiting.trial, NULL, outcomes, err));
    if (trial)
        *trial = waiting.trial;
    return TACIT_OK;
}

tacit_status tacit_optimizer_add(tacit_optimizer *o, const double *values, double value,
                                 uint64_t *trial, tacit_error *err)
{
    TC_GIVEN(o);
    TC_GIVEN(values);
    TC_TRY(check_single(o, err));
    return add(o, values, &value, trial, err);
}

tacit_status tacit_optimizer_add_outcomes(tacit_optimizer *o, const double *values,
                                          const double *outcomes, uint64_t *trial, tacit_error *err)
{
    TC_GIVEN(o);
    TC_GIVEN(values);
    TC_GIVEN(outcomes);
    return add(o, values, outcomes, trial, err);
}

tacit_status tacit_optimizer_best(const tacit_optimizer *o, uint64_t *trial, double *values,
                                  double *value, tacit_error *err)
{
    TC_GIVEN(o);
    if (others(o) > 0)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "the optimizer has %zu objectives, and so no best trial", others(o) + 1);
    const tc_trial *best = tc_optimizer_best(o->inner);
    if (!best)
        return tc_fail(err, TACIT_E_STATE, "no trial is complete yet");
    if (trial)
        *trial = best->number;
    if (values)
        memcpy(values, best->values, point_size(o));
    if (value)
        *value = best->value;
    return TACIT_OK;
}
