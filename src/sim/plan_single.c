/* plan_single.c - a plan for one party: an algorithm on an objective, private users, and what follows from
 * their replies for the algorithm's model. See plan.h. */
#include "algo/ldp/ldp.h"
#include "base/error.h"
#include "base/memory.h"
#include "sim/plan.h"

#include <math.h>

#define OBJECTIVE_DEFAULT "branin"

enum { TRIALS_DEFAULT = 60 };
static const double LENGTH_DEFAULT = 0.2;

/* -- the reply ----------------------------------------------------------------------------- */

/* E_ARG: one of the three options is there without the others. */
static tacit_status check_words(const tacit_simulation_plan *o, tacit_error *err)
{
    bool wanted = o->reply != TC_PLAN_NO_REPLY;
    if (!wanted && (o->reply_epsilon > 0 || o->reply_bound > 0))
        return tc_fail(err, TACIT_E_ARG, "--reply-%s is for --reply, which is not given",
                       o->reply_epsilon > 0 ? "epsilon" : "bound");
    if (wanted && o->reply_epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--reply needs --reply-epsilon: there is no default");
    if (wanted && o->reply_bound == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--reply needs --reply-bound: a public bound on the size of rewards");
    return TACIT_OK;
}

/* The reply that the plan asks for becomes that of sim. E_ARG: its options do not fit each other or the
 * algorithm. */
static tacit_status take_reply(tc_contest *a, tc_simulation *sim, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    TC_TRY(check_words(o, err));
    if (o->reply == TC_PLAN_NO_REPLY)
        return TACIT_OK;
    if (a->algorithm->curator && a->algorithm->curator->reply)
        return tc_fail(err, TACIT_E_ARG,
                       "%s is told replies by its own options: use --set reply=..., epsilon, bound "
                       "and noise_bound instead of --reply",
                       a->algorithm->name);
    tacit_reply_kind kind = (tacit_reply_kind)(o->reply - 1); /* "none" comes first */
    sim->reply = &a->reply;
    return tc_reply_init(&a->reply, kind, o->reply_epsilon, -o->reply_bound, o->reply_bound, err);
}

/* -- the model ----------------------------------------------------------------------------- */

static bool is_given(const json_t *given, const char *name)
{
    return json_object_get(given, name) != NULL;
}

/* The scales of a model follow from public numbers: the noise from the law of the reply, the signal
 * from the bound, of which the other half is left to the rewards' own noise; of a given matrix, which
 * is then one of correlations, it is the factor. They are in units of
 * rewards, so values are not standardised. Whoever gives one of these says how the model is scaled,
 * and then nothing is set. */
static tacit_status scale_model(const tc_contest *a, json_t *given, tacit_error *err)
{
    const tc_reply *reply = &a->reply;
    const tc_option *options = a->algorithm->options;
    bool model = tc_options_find(options, "noise") && tc_options_find(options, "variance") &&
                 tc_options_find(options, "standardize");
    if (!model || is_given(given, "noise") || is_given(given, "variance") ||
        is_given(given, "standardize"))
        return TACIT_OK;
    double noise = reply->sd * reply->sd, variance = reply->high * reply->high / 4;
    if (json_object_set_new(given, "noise", json_real(noise)) ||
        json_object_set_new(given, "variance", json_real(variance)) ||
        json_object_set_new(given, "standardize", json_false()))
        return tc_fail_memory(err);
    tc_plan_note(
        a,
        "The model has noise=%.6g (replies have sd %.6g) and variance=%.6g (half the bound), "
        "standardize=false; --set any of them to choose otherwise.",
        noise, reply->sd, variance);
    return TACIT_OK;
}

/* -- what is said -------------------------------------------------------------------------- */

/* In the order of the choices of --noise, for a scale of 1. Nothing is known of the measurements in
 * a table. */
static tc_known_noise noise_of(const tc_objective_opts *o)
{
    static const tc_known_noise laws[] = {
        {0, INFINITY}, {INFINITY, INFINITY}, {1, INFINITY}, {INFINITY, 3}, {INFINITY, 2}};
    tc_known_noise law = laws[o->noise_scale > 0 ? o->noise : 0];
    law.reach = law.reach == 0 ? 0 : law.reach * o->noise_scale;
    return law;
}

static tacit_status verdict(const tc_simulation *sim, const void *opts, tc_text *out,
                            tacit_error *err)
{
    tc_objective *objective;
    TC_TRY(tc_objective_new(&objective, sim->objective, &sim->family.objective,
                            tc_public_seed_from(sim->seed), err));
    tc_env env = {.space = tc_objective_space(objective), .budget = sim->trials};
    tc_known_noise noise = noise_of(&sim->family.objective);
    tc_ldp_theorem(sim->algorithm, &env, opts, &noise, out);
    tc_objective_free(objective);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* Whether a theorem is about this simulation, in one sentence; adds nothing where there is none. */
static tacit_status add_theorem(const tc_simulation *sim, tc_text *out, tacit_error *err)
{
    tc_optioned of = tc_optioned_algorithm(sim->algorithm);
    void *opts;
    TC_TRY(tc_optioned_new(&of, sim->options, &opts, err));
    tacit_status status = verdict(sim, opts, out, err);
    tc_optioned_free(&of, opts);
    return status;
}

/* -- records ------------------------------------------------------------------------------- */

static tacit_status take_records(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    tc_objective *objective;
    c->records = a->o->unit == TACIT_PLAN_UNIT_RECORD;
    if (!c->records)
        return TACIT_OK;
    TC_TRY(tc_plan_records_options(c, err));
    TC_TRY(tc_objective_new(&objective, c->sim.objective, &c->sim.family.objective,
                            tc_public_seed_from(c->sim.seed), err));
    const bool maximize = tc_objective_maximize(objective);
    tc_objective_free(objective);
    return tc_plan_records_noise(a, c, maximize, c->sim.trials, err);
}

/* ---- the whole ---- */

/* The options are those of families; one objective alone has no law and length of its own. */
static tc_objective_opts objective_of(const tc_family_opts *family)
{
    tc_objective_opts o = family->objective;
    if (o.noise == TACIT_NOISE_OWN)
        o.noise = 0;
    if (o.lengthscale == 0)
        o.lengthscale = LENGTH_DEFAULT;
    return o;
}

tacit_status tc_plan_single(tc_contest *a, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    tc_contender *c = &a->contenders[0];
    tc_text theorem = {0};
    uint64_t planned = a->doc ? a->doc->trials : TRIALS_DEFAULT;
    a->objective = o->objective ? o->objective : OBJECTIVE_DEFAULT;
    a->agents = 1;
    if (tc_plan_given(a, "accountant"))
        return tc_fail(err, TACIT_E_ARG, "--accountant is for a federation, and this is one party");
    TC_TRY(tc_plan_check_objective(a, err));
    c->sim = (tc_simulation){.algorithm = a->algorithm,
                             .objective = a->objective,
                             .family.objective = objective_of(&o->family),
                             .units = o->units,
                             .trials = o->trials ? (uint64_t)o->trials : planned,
                             .runs = (uint64_t)o->runs,
                             .seed = a->seed};
    TC_TRY(take_reply(a, &c->sim, err));
    TC_TRY(tc_plan_first(a, err));
    c->sim.options = c->given;
    TC_TRY(take_records(a, c, err));
    if (c->sim.reply)
        TC_TRY(scale_model(a, c->given, err));
    TC_TRY(tc_plan_curator(a, &c->sim, err));
    TC_TRY(tc_simulation_options(&c->sim, &c->options, err));
    tacit_status status = add_theorem(&c->sim, &theorem, err);
    c->theorem = tc_text_take(&theorem);
    return status == TACIT_OK && !c->theorem ? tc_fail_memory(err) : status;
}
