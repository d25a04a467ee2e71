/* simulate_reply.c - private users in `tacit simulate` for one party: --reply, what follows from it
 * for the algorithm's model, and what is said about it all. */
#include "simulate/simulate.h"

#include "algo/ldp/ldp.h"
#include "base/json.h"
#include "privacy/privacy_cli.h"
#include "sim/claim.h"

#include <math.h>

/* -- the reply ----------------------------------------------------------------------------- */

/* E_ARG: one of the three options is there without the others. */
static tacit_status check_words(const tc_simulate_opts *o, tacit_error *err)
{
    bool wanted = o->reply != TC_SIMULATE_NO_REPLY;
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

tacit_status tc_simulate_reply(const tc_simulate_plan *p, tc_reply *out, bool *given,
                               tacit_error *err)
{
    const tc_simulate_opts *o = p->o;
    TC_TRY(check_words(o, err));
    *given = o->reply != TC_SIMULATE_NO_REPLY;
    if (!*given)
        return TACIT_OK;
    if (p->algorithm->curator && p->algorithm->curator->reply)
        return tc_fail(err, TACIT_E_ARG,
                       "%s is told replies by its own options: use --set reply=..., epsilon, bound "
                       "and noise_bound instead of --reply",
                       p->algorithm->name);
    tacit_reply_kind kind = (tacit_reply_kind)(o->reply - 1); /* "none" comes first */
    return tc_reply_init(out, kind, o->reply_epsilon, -o->reply_bound, o->reply_bound, err);
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
tacit_status tc_simulate_reply_model(const tc_algorithm *a, const tc_reply *reply, json_t *given,
                                     bool quiet, tacit_error *err)
{
    bool model = tc_options_find(a->options, "noise") && tc_options_find(a->options, "variance") &&
                 tc_options_find(a->options, "standardize");
    if (!model || is_given(given, "noise") || is_given(given, "variance") ||
        is_given(given, "standardize"))
        return TACIT_OK;
    double noise = reply->sd * reply->sd, variance = reply->high * reply->high / 4;
    if (json_object_set_new(given, "noise", json_real(noise)) ||
        json_object_set_new(given, "variance", json_real(variance)) ||
        json_object_set_new(given, "standardize", json_false()))
        return tc_fail_memory(err);
    tc_note(quiet,
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

tacit_status tc_simulate_theorem(const tc_simulation *sim, tc_text *out, tacit_error *err)
{
    tc_optioned of = tc_optioned_algorithm(sim->algorithm);
    void *opts;
    TC_TRY(tc_optioned_new(&of, sim->options, &opts, err));
    tacit_status status = verdict(sim, opts, out, err);
    tc_optioned_free(&of, opts);
    return status;
}

static tacit_status add_statement(const tc_simulation *sim, tc_text *out, tacit_error *err)
{
    tc_sim_claim claim;
    TC_TRY(tc_sim_claim_init(&claim, sim, err));
    tc_sim_claim_statement(&claim, out);
    tc_sim_claim_fini(&claim);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static void print_paragraph(const tc_text *text)
{
    if (text->len == 0)
        return;
    putchar('\n');
    tc_privacy_paragraph(tc_text_get(text));
}

tacit_status tc_simulate_print_privacy(const tc_simulation *sim, tacit_error *err)
{
    tc_text statement = {0}, theorem = {0};
    tacit_status status = tc_simulate_theorem(sim, &theorem, err);
    if (status == TACIT_OK)
        status = add_statement(sim, &statement, err);
    if (status == TACIT_OK) {
        print_paragraph(&theorem);
        print_paragraph(&statement);
    }
    tc_text_fini(&statement);
    tc_text_fini(&theorem);
    return status;
}
