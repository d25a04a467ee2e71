/* source_federation.c - trials of a federation, the steps of a run. See simulation.h.
 *
 * A run is a family of objectives and a federation over it. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/federation.h"
#include "sim/step_source.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct lockstep {
    tc_run *run;
    tc_family *family;
    tc_ledger_budget limit;
    tc_federation *federation;
} lockstep;

/* The noise of an observation: paired between algorithms, whatever they ask. */
static double observe(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    const lockstep *s = user;
    tc_stream noise;
    tc_stream_public(&noise, &s->run->seeds.objective, TC_FOR_OBSERVATION, agent << 32 | trial);
    double y = tc_family_observe(s->family, (size_t)agent, values, &noise);
    y = tc_value_units_told(&s->run->sim->units, y);
    const tc_record_noise *records = s->run->sim->records;
    tacit_error err; /* the noise of every agent was made once, when the plan was */
    if (records &&
        tc_record_noise_add(records, s->run->seeds.study, agent, trial, &y, &err) != TACIT_OK)
        return NAN; /* no memory: a value that is refused */
    return y;
}

static double noise_of(void *user, uint64_t agent)
{
    return tc_record_noise_sd(((const lockstep *)user)->run->sim->records, agent);
}

static bool stopped(void *user)
{
    return tc_run_stopped(((lockstep *)user)->run);
}

static tacit_status found(lockstep *s, tacit_error *err)
{
    const tc_run *r = s->run;
    const tc_simulation *sim = r->sim;
    bool maximize = tc_value_units_maximize(&sim->units, tc_family_maximize(s->family));
    tc_federation_config cfg = {.algorithm = sim->algorithm,
                                .options = sim->options,
                                .space = tc_family_space(s->family),
                                .maximize = maximize,
                                .agents = sim->agents,
                                .trustees = sim->trustees,
                                .seed = r->seeds.study,
                                .budget = r->shape->initial + sim->trials,
                                .drop = sim->drop,
                                .past = sim->past,
                                .acting = sim->acting,
                                .paired = sim->paired,
                                .pool = r->inner,
                                .objective = observe,
                                .noise_sd = sim->records ? noise_of : NULL,
                                .stopped = stopped,
                                .user = s,
                                .limit = sim->epsilon > 0 ? &s->limit : NULL,
                                .study = r->study};
    TC_TRY(tc_federation_new(&s->federation, &cfg, err));
    if (sim->epsilon == 0 || !sim->algorithm->aggregator)
        return TACIT_OK;
    return tc_federation_budget(s->federation, sim->epsilon, sim->delta, &s->limit, err);
}

static tacit_status open_federation(void *state, tc_run *r, tacit_error *err)
{
    lockstep *s = state;
    const tc_simulation *sim = r->sim;
    s->run = r;
    TC_TRY(tc_family_new(&s->family, sim->objective, &sim->family, (size_t)sim->agents,
                         r->seeds.objective, err));
    TC_TRY(found(s, err));
    for (size_t i = 0; i < sim->n_known; i++) {
        const tacit_known_trial *k = &sim->known[i];
        double told = tc_value_units_told(&sim->units, k->value);
        TC_TRY(tc_federation_know(s->federation, k->agent, k->values, told, err));
    }
    return TACIT_OK;
}

static void close_federation(void *state)
{
    lockstep *s = state;
    tc_federation_free(s->federation);
    tc_family_free(s->family);
}

static tacit_status step_federation(void *state, tc_run *r, uint64_t t, double *regret,
                                    tacit_error *err)
{
    lockstep *s = state;
    if (t >= r->shape->given)
        TC_TRY(tc_federation_step(s->federation, err));
    for (uint64_t n = 0; n < r->shape->agents; n++) {
        const tc_trial *trial = tc_optimizer_trial(tc_federation_agent(s->federation, n), t);
        regret[n] = tc_family_regret(s->family, (size_t)n, trial->values);
    }
    return TACIT_OK;
}

static tacit_status take_releases(void *state, tc_run *r, tacit_error *err)
{
    const lockstep *s = state;
    size_t n;
    const tacit_simulated_release *releases = tc_federation_releases(s->federation, &n);
    r->counts.sent = *tc_federation_counts(s->federation);
    r->releases = tc_alloc(n + 1, sizeof *releases);
    if (!r->releases)
        return tc_fail_memory(err);
    if (n > 0)
        memcpy(r->releases, releases, n * sizeof *releases);
    r->n_releases = n;
    const char *why = tc_federation_rejection(s->federation);
    r->rejection = why ? tc_strdup(why) : NULL;
    return why && !r->rejection ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- initial points ---- */

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
tacit_status tc_simulation_begin(const tc_simulation *f, uint64_t *out, tacit_error *err)
{
    uint64_t initial = 0;
    for (bool more = true; more;) {
        const tc_env env = {
            .agents = f->agents, .trustees = f->trustees, .budget = f->trials + initial};
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

/* ---- checks ---- */

static tacit_status check_range(const char *what, uint64_t v, uint64_t low, uint64_t high,
                                tacit_error *err)
{
    if (v >= low && v <= high)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s is %" PRIu64 "; allowed are %" PRIu64 " to %" PRIu64, what,
                   v, low, high);
}

static tacit_status check_privacy(const tc_simulation *f, tacit_error *err)
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

static tacit_status count_given(const tc_simulation *f, const uint64_t *count, uint64_t *out,
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

static tacit_status check_known(const tc_simulation *f, uint64_t *given, tacit_error *err)
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
static tacit_status check_begin(const tc_simulation *f, uint64_t given, uint64_t initial,
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

static tacit_status shape_federation(const tc_simulation *f, tc_run_shape *out, tacit_error *err)
{
    tc_run_shape s = {.agents = f->acting > 0 ? f->acting : f->agents};
    TC_TRY(check_range("agents", f->agents, 1, 1 << 24, err));
    TC_TRY(check_range("rounds", f->trials, 1, 10000000, err));
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
    s.initial = f->initial;
    if (f->initial == 0)
        TC_TRY(tc_simulation_begin(f, &s.initial, err));
    TC_TRY(check_begin(f, s.given, s.initial, err));
    if (s.initial < s.given)
        s.initial = s.given;
    s.steps = s.initial - s.given + f->trials;
    s.points = (size_t)f->trials + 1;
    *out = s;
    return TACIT_OK;
}

tacit_status tc_simulation_initial(const tc_simulation *sim, uint64_t *out, tacit_error *err)
{
    tc_run_shape s;
    TC_TRY(shape_federation(sim, &s, err));
    *out = s.initial;
    return TACIT_OK;
}

const tc_step_source tc_source_federation = {.shape = shape_federation,
                                             .size = sizeof(lockstep),
                                             .open = open_federation,
                                             .step = step_federation,
                                             .end = take_releases,
                                             .close = close_federation};
