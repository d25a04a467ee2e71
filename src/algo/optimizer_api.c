/* optimizer_api.c - tacit/optimizer.h: the optimizer of optimizer.h with its events applied at once. */
#include <tacit/optimizer.h>

#include "algo/optimizer.h"
#include "base/api.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

struct tacit_optimizer {
    tc_optimizer *inner;
};

static TC_SIZED(sized_opts, tacit_optimizer_opts, budget, budget);

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

static tacit_status check_opts(const tacit_space *space, const tacit_optimizer_opts *opts,
                               tacit_error *err)
{
    if (!opts->algorithm)
        return tc_fail(err, TACIT_E_ARG, "opts.algorithm must be given");
    if (opts->direction != TACIT_MINIMIZE && opts->direction != TACIT_MAXIMIZE)
        return tc_fail(err, TACIT_E_ARG,
                       "direction must be TACIT_MINIMIZE or TACIT_MAXIMIZE, got %d",
                       (int)opts->direction);
    if (space->n_params == 0)
        return tc_fail(err, TACIT_E_ARG, "the space has no parameter");
    return TACIT_OK;
}

static tacit_status build(tacit_optimizer *o, const tacit_space *space,
                          const tacit_optimizer_opts *opts, tacit_error *err)
{
    json_t *options = NULL;
    tc_optimizer_config cfg = {.space = space,
                               .maximize = opts->direction == TACIT_MAXIMIZE,
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

/* values NULL: as issued. */
static tacit_status tell(tacit_optimizer *o, uint64_t trial, const double *values, double value,
                         tacit_error *err)
{
    tc_event e;
    TC_TRY(tc_optimizer_tell(o->inner, trial, values, value, tc_clock_unix_ms(), &e, err));
    return tc_optimizer_apply(o->inner, &e, err);
}

tacit_status tacit_optimizer_tell(tacit_optimizer *o, uint64_t trial, double value,
                                  tacit_error *err)
{
    TC_GIVEN(o);
    return tell(o, trial, NULL, value, err);
}

tacit_status tacit_optimizer_tell_at(tacit_optimizer *o, uint64_t trial, const double *values,
                                     double value, tacit_error *err)
{
    TC_GIVEN(o);
    TC_GIVEN(values);
    return tell(o, trial, values, value, err);
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
tacit_status tacit_optimizer_add(tacit_optimizer *o, const double *values, double value,
                                 uint64_t *trial, tacit_error *err)
{
    tc_event waiting;
    TC_GIVEN(o);
    TC_GIVEN(values);
    if (!isfinite(value)) /* before there is a trial */
        return tc_fail(err, TACIT_E_ARG, "value must be a finite number, got %g", value);
    TC_TRY(tc_optimizer_enqueue(o->inner, values, tc_clock_unix_ms(), &waiting, err));
    TC_TRY(tc_optimizer_apply(o->inner, &waiting, err));
    TC_TRY(tell(o, waiting.trial, NULL, value, err));
    if (trial)
        *trial = waiting.trial;
    return TACIT_OK;
}

tacit_status tacit_optimizer_best(const tacit_optimizer *o, uint64_t *trial, double *values,
                                  double *value, tacit_error *err)
{
    TC_GIVEN(o);
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
