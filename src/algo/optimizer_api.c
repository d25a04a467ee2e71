/* optimizer_api.c - tacit/optimizer.h: the optimizer of optimizer.h with its events applied at once. */
#include <tacit/optimizer.h>

#include "algo/optimizer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <string.h>

struct tacit_optimizer {
    tc_optimizer *inner;
    tacit_error err;
};

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
    if (!space || !opts || !opts->algorithm)
        return tc_fail(err, TACIT_E_ARG, "space, opts and opts.algorithm must be given");
    if (opts->size != sizeof *opts)
        return tc_fail(err, TACIT_E_ARG, "opts.size must be sizeof(tacit_optimizer_opts), got %zu",
                       opts->size);
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
    if (!out)
        return tc_fail(err, TACIT_E_ARG, "out must be given");
    TC_TRY(check_opts(space, opts, err));
    tacit_optimizer *o = tc_alloc(1, sizeof *o);
    if (!o)
        return tc_fail_memory(err);
    tacit_status status = build(o, space, opts, err);
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

tacit_status tacit_optimizer_ask(tacit_optimizer *o, uint64_t *trial, double *values)
{
    tc_ask_request req = {.now_ms = tc_clock_unix_ms()};
    tc_event e;
    if (!trial || !values)
        return tc_fail(&o->err, TACIT_E_ARG, "trial and values must be given");
    do {
        TC_TRY(tc_optimizer_next(o->inner, &req, &e, &o->err));
        TC_TRY(tc_optimizer_apply(o->inner, &e, &o->err));
    } while (e.kind != TC_EVENT_ASK);
    *trial = e.trial;
    memcpy(values, tc_optimizer_trial(o->inner, e.trial)->values, point_size(o));
    return TACIT_OK;
}

tacit_status tacit_optimizer_tell_at(tacit_optimizer *o, uint64_t trial, const double *values,
                                     double value)
{
    tc_event e;
    TC_TRY(tc_optimizer_tell(o->inner, trial, values, value, tc_clock_unix_ms(), &e, &o->err));
    return tc_optimizer_apply(o->inner, &e, &o->err);
}

tacit_status tacit_optimizer_tell(tacit_optimizer *o, uint64_t trial, double value)
{
    return tacit_optimizer_tell_at(o, trial, NULL, value);
}

tacit_status tacit_optimizer_fail(tacit_optimizer *o, uint64_t trial, const char *reason)
{
    tc_event e;
    TC_TRY(tc_optimizer_fail(o->inner, trial, reason, tc_clock_unix_ms(), &e, &o->err));
    return tc_optimizer_apply(o->inner, &e, &o->err);
}

tacit_status tacit_optimizer_best(tacit_optimizer *o, uint64_t *trial, double *values,
                                  double *value)
{
    const tc_trial *best = tc_optimizer_best(o->inner);
    if (!best)
        return tc_fail(&o->err, TACIT_E_STATE, "no trial is complete yet");
    if (trial)
        *trial = best->number;
    if (values)
        memcpy(values, best->values, point_size(o));
    if (value)
        *value = best->value;
    return TACIT_OK;
}

const char *tacit_optimizer_errmsg(const tacit_optimizer *o)
{
    return o->err.msg;
}
