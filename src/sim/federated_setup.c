/* federated_setup.c - what a federated simulation was asked to do: checks, lengths, identity. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/federated_int.h"
#include "sim/runs.h"

#include <tacit/tacit.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- initial points ---- */

tacit_status tc_federated_options(const tc_federated *f, json_t **out, tacit_error *err)
{
    return tc_options_in_force(f->algorithm, f->options, out, err);
}

/* Single-party algorithms call it "init"; elsewhere that word is a choice and not a number. */
static uint64_t initial_of(const json_t *options)
{
    const json_t *j = json_object_get(options, "initial");
    if (!json_is_integer(j))
        j = json_object_get(options, "init");
    return json_is_integer(j) && json_integer_value(j) > 0 ? (uint64_t)json_integer_value(j) : 0;
}

/* Some algorithms choose by the number of trials, which are the initial ones and the rounds: the smallest number
 * that they choose themselves once it is added. It never falls with the number of trials, so this ends. */
tacit_status tc_federated_begin(const tc_federated *f, uint64_t *out, tacit_error *err)
{
    uint64_t initial = 0;
    for (bool more = true; more;) {
        const tc_env env = {.agents = f->agents, .budget = f->rounds + initial};
        json_t *options;
        TC_TRY(tc_options_begun(f->algorithm, f->options, &env, &options, err));
        const uint64_t chosen = initial_of(options);
        json_decref(options);
        more = chosen > initial;
        initial = chosen;
    }
    *out = initial;
    return TACIT_OK;
}

static tacit_status find_initial(const tc_federated *f, uint64_t *out, tacit_error *err)
{
    *out = f->initial;
    return f->initial > 0 ? TACIT_OK : tc_federated_begin(f, out, err);
}

/* ---- checks ---- */

static tacit_status check_range(const char *what, uint64_t v, uint64_t low, uint64_t high,
                                tacit_error *err)
{
    if (v >= low && v <= high)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s is %" PRIu64 "; allowed are %" PRIu64 " to %" PRIu64, what,
                   v, low, high);
}

static tacit_status check_privacy(const tc_federated *f, tacit_error *err)
{
    if (!(f->epsilon >= 0) || !isfinite(f->epsilon))
        return tc_fail(err, TACIT_E_ARG, "epsilon must be a finite number >= 0, got %g",
                       f->epsilon);
    if (f->epsilon == 0)
        return TACIT_OK;
    if (!(f->delta > 0 && f->delta < 1))
        return tc_fail(err, TACIT_E_ARG, "delta must be between 0 and 1, got %g", f->delta);
    if (f->algorithm->relay)
        return tc_fail(err, TACIT_E_ARG,
                       "%s hands on messages without protection: no epsilon can be promised",
                       f->algorithm->name);
    return TACIT_OK;
}

static tacit_status count_given(const tc_federated *f, const uint64_t *count, uint64_t *out,
                                tacit_error *err)
{
    for (uint64_t i = 1; i < f->agents; i++)
        if (count[i] != count[0])
            return tc_fail(err, TACIT_E_ARG,
                           "agent %" PRIu64 " is given %" PRIu64 " trials and agent 0 %" PRIu64
                           "; all must be given as many",
                           i, count[i], count[0]);
    *out = count[0];
    return TACIT_OK;
}

static tacit_status check_known(const tc_federated *f, uint64_t *given, tacit_error *err)
{
    *given = 0;
    if (f->n_known == 0)
        return TACIT_OK;
    uint64_t *count = tc_alloc((size_t)f->agents, sizeof *count);
    tacit_status status = count ? TACIT_OK : tc_fail_memory(err);
    for (size_t i = 0; status == TACIT_OK && i < f->n_known; i++) {
        uint64_t agent = f->known[i].agent;
        if (agent < f->agents)
            count[agent]++;
        else
            status =
                tc_fail(err, TACIT_E_ARG,
                        "a trial is given to agent %" PRIu64 ", and there are %" PRIu64 " agents",
                        agent, f->agents);
    }
    if (status == TACIT_OK)
        status = count_given(f, count, given, err);
    tc_free(count);
    return status;
}

/* Rounds and t count from the initial points on. Were there more known trials than that, rounds
 * would be due that no query comes before: one set of data, released and paid for many times. */
static tacit_status check_begin(const tc_federated *f, uint64_t given, uint64_t initial,
                                tacit_error *err)
{
    const tc_option *o = tc_options_find(f->algorithm->options, "initial");
    if (!f->algorithm->aggregator || !o || o->type != TC_OPTION_INT || given <= initial)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "every agent is given %" PRIu64 " trials, which stand for initial points: "
                   "initial must be at least as many, got %" PRIu64,
                   given, initial);
}

tacit_status tc_federated_shape_of(const tc_federated *f, tc_federated_shape *out, tacit_error *err)
{
    tc_federated_shape s;
    TC_TRY(check_range("agents", f->agents, 1, 1 << 24, err));
    TC_TRY(check_range("rounds", f->rounds, 1, 10000000, err));
    TC_TRY(check_range("runs", f->runs, 1, 1000000, err));
    TC_TRY(check_range("initial", f->initial, 0, 10000000, err));
    TC_TRY(check_range("acting", f->acting, 0, f->agents, err));
    if (!(f->drop >= 0 && f->drop <= 1))
        return tc_fail(err, TACIT_E_ARG, "drop must be in [0, 1], got %g", f->drop);
    if (f->algorithm->curator && f->algorithm->curator->reply)
        return tc_fail(err, TACIT_E_ARG, "%s is told replies of users, and a federation has none",
                       f->algorithm->name);
    TC_TRY(tc_value_units_check(&f->units, err));
    TC_TRY(check_privacy(f, err));
    TC_TRY(check_known(f, &s.given, err));
    TC_TRY(find_initial(f, &s.initial, err));
    TC_TRY(check_begin(f, s.given, s.initial, err));
    if (s.initial < s.given)
        s.initial = s.given;
    s.iterations = f->rounds + 1;
    *out = s;
    return TACIT_OK;
}

tacit_status tc_federated_initial(const tc_federated *f, uint64_t *out, tacit_error *err)
{
    tc_federated_shape s;
    TC_TRY(tc_federated_shape_of(f, &s, err));
    *out = s.initial;
    return TACIT_OK;
}

tacit_status tc_federated_steps(const tc_federated *f, uint64_t *out, tacit_error *err)
{
    tc_federated_shape s;
    TC_TRY(tc_federated_shape_of(f, &s, err));
    *out = f->runs * (s.initial - s.given + f->rounds);
    return TACIT_OK;
}

/* ---- identity ---- */

static tacit_status add_options(tc_text *out, json_t *options, tacit_error *err)
{
    char *text = tc_json_text(options);
    json_decref(options);
    if (!text)
        return tc_fail_memory(err);
    tc_text_add(out, text);
    tc_text_add(out, "\n");
    tc_free(text);
    return TACIT_OK;
}

static tacit_status add_known(tc_text *out, const tc_federated *f, tacit_error *err)
{
    tc_family *family = NULL;
    if (f->n_known == 0)
        return TACIT_OK;
    TC_TRY(tc_family_new(&family, f->objective, &f->family, 1,
                         tc_run_seeds_of(f->seed, 0).objective, err));
    size_t width = tc_family_space(family)->n_params;
    tc_family_free(family);
    for (size_t i = 0; i < f->n_known; i++) {
        tc_text_addf(out, "%" PRIu64 " %a", f->known[i].agent, f->known[i].value);
        for (size_t d = 0; d < width; d++)
            tc_text_addf(out, " %a", f->known[i].values[d]);
        tc_text_add(out, "\n");
    }
    return TACIT_OK;
}

/* Not the number of runs or threads: a simulation may be extended, on another machine. */
tacit_status tc_federated_identity(const tc_federated *f, const tc_federated_shape *shape,
                                   tc_text *out, tacit_error *err)
{
    json_t *options;
    tc_text_addf(out, "tacit %s\n%s\n", TACIT_VERSION, f->algorithm->name);
    TC_TRY(tc_federated_options(f, &options, err));
    TC_TRY(add_options(out, options, err));
    tc_text_addf(out, "%s\n", f->objective);
    TC_TRY(add_options(out, tc_options_json(tc_family_options, &f->family), err));
    TC_TRY(tc_runs_add_table(out, f->objective, err));
    tc_text_addf(out,
                 "\nagents %" PRIu64 " rounds %" PRIu64 " initial %" PRIu64 " seed %" PRIu64
                 " drop %a past %" PRIu64 " epsilon %a delta %a by_agent %d\n",
                 f->agents, f->rounds, shape->initial, f->seed, f->drop, f->past, f->epsilon,
                 f->delta, f->by_agent);
    if (f->acting > 0)
        tc_text_addf(out, "acting %" PRIu64 "\n", f->acting);
    if (f->paired)
        tc_text_add(out, "paired\n");
    tc_value_units_identify(&f->units, out);
    TC_TRY(add_known(out, f, err));
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}
