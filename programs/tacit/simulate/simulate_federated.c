/* simulate_federated.c - `tacit simulate` for a federation: one algorithm, or several on the same
 * runs.
 *
 * Everything that can be wrong is found before the first run, and nothing is written before the
 * last. */
#include "algo/charge.h"
#include "algo/expect.h"
#include "base/memory.h"
#include "privacy/privacy_cli.h"
#include "sim/runs.h"
#include "simulate/simulate.h"
#include "simulate/watch.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define OBJECTIVE_DEFAULT "gp-family"

enum { ROUNDS_DEFAULT = 40, INITIAL_DEFAULT = 10 };

typedef struct contest {
    const tc_simulate_plan *p;
    tc_contender contenders[TC_CONTENDERS_MOST];
    size_t n;
    tc_family *family;         /* of one agent: for its space */
    json_t *objective_options; /* of the family, as used */
    size_t dim;                /* of an objective that takes any --dim; else 0 */
    tc_warm warm;
    uint64_t agents;
    const char *objective;
} contest;

static void contest_fini(contest *a)
{
    for (size_t i = 0; i < a->n; i++)
        tc_contender_fini(&a->contenders[i]);
    tc_family_free(a->family);
    json_decref(a->objective_options);
    tc_warm_fini(&a->warm);
}

/* -- who takes part ------------------------------------------------------------------------ */

static bool sets(const tc_invocation *in, const char *option)
{
    size_t len = strlen(option);
    for (size_t i = 0; i < in->n_sets; i++)
        if (strncmp(in->sets[i], option, len) == 0 && in->sets[i][len] == '=')
            return true;
    return false;
}

/* "dp-fts-de,regions=1": what tells it from others on this command line. */
static tacit_status make_label(tc_contender *c, const tc_simulate_plan *p, tacit_error *err)
{
    tc_text text = {0};
    tc_text_add(&text, c->algorithm->name);
    for (size_t i = 0; i < p->in->n_sets; i++)
        tc_text_addf(&text, ",%s", p->in->sets[i]);
    if (c->epsilon > 0)
        tc_text_addf(&text, ",epsilon=%g", c->epsilon);
    c->label = tc_text_take(&text);
    return c->label ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status no_promise(const tc_contender *c, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG, "the algorithm %s promises nothing; use dp-fts-de",
                   c->algorithm->name);
}

/* Noise follows from a promise. --set noise_multiplier replaces the promise of a document; a multiplier of the vote alone
 * does not, so it contradicts that one too. */
static tacit_status check_noise(const tc_contender *c, const tc_simulate_plan *p, tacit_error *err)
{
    const char *option = p->o->epsilon > 0 && sets(p->in, "noise_multiplier") ? "noise_multiplier"
                         : c->epsilon > 0 && sets(p->in, "vote_multiplier")   ? "vote_multiplier"
                                                                              : NULL;
    if (!option)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "%s and --set %s must not both be given: the one follows from the other",
                   p->o->epsilon > 0 ? "--epsilon" : "privacy.epsilon", option);
}

/* The document's promise, as far as the command line makes none. */
static tacit_status take_promise(tc_contender *c, const tc_simulate_plan *p, tacit_error *err)
{
    const tc_study_doc *d = p->doc && p->doc->algorithm == c->algorithm ? p->doc : NULL;
    bool open = p->o->epsilon == 0 && !sets(p->in, "noise_multiplier");
    c->epsilon = open && d ? d->epsilon : p->o->epsilon;
    c->delta = p->o->delta == 0 && d ? d->delta : p->o->delta;
    TC_TRY(check_noise(c, p, err));
    if (c->epsilon > 0)
        tc_contender_drop_noise(c);
    if (!open || !d || (d->promise != TC_PROMISE_NONE && d->promise != TC_PROMISE_NOISE))
        return TACIT_OK;
    if (!tc_options_find(c->algorithm->options, "noise_multiplier")) /* nothing to set */
        return d->promise == TC_PROMISE_NONE ? TACIT_OK : no_promise(c, err);
    if (json_object_set_new(c->given, "noise_multiplier", json_real(d->noise_multiplier)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

static tacit_status enlist(contest *a, tacit_error *err)
{
    const tc_simulate_plan *p = a->p;
    tc_contender *first = &a->contenders[0];
    a->n = 1;
    first->algorithm = p->algorithm;
    TC_TRY(tc_simulate_given(p, &first->given, err));
    TC_TRY(tc_simulate_take(p->algorithm, first->given, p->in->n_sets, p->in->sets, err));
    TC_TRY(take_promise(first, p, err));
    TC_TRY(make_label(first, p, err));
    if (!p->o->versus)
        return TACIT_OK;
    size_t more;
    tacit_status status =
        tc_simulate_versus(p->o->versus, first, first + 1, TC_CONTENDERS_MOST - 1, &more, err);
    a->n += more;
    return status;
}

/* -- how large ----------------------------------------------------------------------------- */

static tacit_status choose_agents(contest *a, tacit_error *err)
{
    const tc_simulate_plan *p = a->p;
    a->agents = p->o->agents > 0 ? (uint64_t)p->o->agents : p->doc ? p->doc->agents : 0;
    for (size_t i = 0; i < a->n && a->agents == 0; i++)
        if (tc_algorithm_federated(a->contenders[i].algorithm))
            return tc_fail(err, TACIT_E_ARG,
                           "algorithm %s is for a federation of agents: say of how many with "
                           "--agents",
                           a->contenders[i].algorithm->name);
    if (a->agents == 0)
        a->agents = 1;
    if (p->o->trials > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--trials is for one party; a federation has --rounds, which come after "
                       "the initial points");
    return TACIT_OK;
}

/* Does a document say how many trials there are? */
static bool is_planned(const tc_simulate_plan *p)
{
    return p->o->rounds == 0 && p->doc;
}

/* The whole-number option that says how many points an agent begins with; NULL: none. */
static const tc_option *initial_option(const tc_algorithm *a)
{
    const tc_option *o = tc_options_find(a->options, "initial");
    if (!o)
        o = tc_options_find(a->options, "init");
    return o && o->type == TC_OPTION_INT ? o : NULL;
}

/* Where nothing is said all begin with as many points as the first, which begins with its own
 * number or with ten: curves are compared after equal numbers of trials. */
static tacit_status choose_initial(tc_contender *c, const tc_contender *first, tacit_error *err)
{
    const tc_option *o = initial_option(c->algorithm);
    uint64_t own = 0, n = INITIAL_DEFAULT;
    if (o && json_object_get(c->given, o->name))
        return TACIT_OK;
    if (c != first)
        TC_TRY(tc_simulation_initial(&first->f, &n, err));
    else
        TC_TRY(tc_simulation_initial(&c->f, &own, err));
    if (own > 0)
        return TACIT_OK;
    if (!o)
        c->f.initial = n;
    else if (json_object_set_new(c->given, o->name, json_integer((json_int_t)n)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* The first contender's own choice of initial points. A document has so many trials in all; else so many rounds
 * come after the initial points. */
static tacit_status begin_first(const contest *a, tc_contender *c, tacit_error *err)
{
    const tc_simulate_plan *p = a->p;
    uint64_t initial = 0;
    json_t *options;
    if (!c->algorithm->begin || !initial_option(c->algorithm))
        return TACIT_OK;
    if (!is_planned(p)) {
        TC_TRY(tc_simulation_begin(&c->f, &initial, err));
    } else {
        const tc_env env = {.agents = a->agents, .budget = p->doc->trials};
        TC_TRY(tc_options_begun(c->algorithm, c->given, &env, &options, err));
        initial = (uint64_t)json_integer_value(json_object_get(options, "initial"));
        json_decref(options);
    }
    if (json_object_set_new(c->given, "initial", json_integer((json_int_t)initial)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* Known trials stand for initial points, so that rounds, t and what is promised count from the first
 * query: what agents knew before is released once, not once for every trial. */
static tacit_status begin_warm(const contest *a, tc_contender *c, tacit_error *err)
{
    const tc_option *o = tc_options_find(c->algorithm->options, "initial");
    json_int_t known = (json_int_t)(a->warm.n / a->agents);
    json_t *options;
    if (known == 0 || !o || o->type != TC_OPTION_INT)
        return TACIT_OK;
    TC_TRY(tc_simulation_options(&c->f, &options, err));
    json_int_t initial = json_integer_value(json_object_get(options, "initial"));
    json_decref(options);
    bool open = initial < 0; /* as many as the first contender has, and that one was here before */
    if (!open && initial < known &&
        json_object_set_new(c->given, "initial", json_integer(known)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* The option by which agents of a federated algorithm are told the length-scale; NULL: none. */
static const tc_option *lengthscale_option(const tc_algorithm *a)
{
    return tc_algorithm_federated(a) ? tc_options_find(a->options, "lengthscale") : NULL;
}

/* --tell constants: agents that share features get the length-scale of the objective as their public
 * guess, held to the range of the option. A length-scale that is given wins. */
static tacit_status tell_lengthscale(const contest *a, tc_contender *c, tacit_error *err)
{
    const tc_option *o = lengthscale_option(c->algorithm);
    if (a->p->o->tell != TC_SIMULATE_TELL_CONSTANTS || !o || json_object_get(c->given, o->name))
        return TACIT_OK;
    double known = tc_family_lengthscale(a->objective, &a->p->o->family);
    double least = fmax(o->min, 1e-3); /* an option's 0 leaves the length-scale open */
    double told = fmin(fmax(known, least), o->max);
    if (json_object_set_new(c->given, o->name, json_real(told)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

static tacit_status choose_rounds(const tc_simulate_plan *p, uint64_t initial, uint64_t *out,
                                  tacit_error *err)
{
    if (is_planned(p) && p->doc->trials <= initial)
        return tc_fail(err, TACIT_E_ARG,
                       "the document has %llu trials, and agents begin with %llu initial points: "
                       "no round is left; say --rounds, or fewer points",
                       (unsigned long long)p->doc->trials, (unsigned long long)initial);
    if (is_planned(p))
        *out = p->doc->trials - initial;
    return TACIT_OK;
}

/* As many as there are is as good as not said: it is the same simulation. */
static uint64_t acting_of(const contest *a)
{
    uint64_t acting = (uint64_t)a->p->o->acting;
    return acting < a->agents ? acting : 0;
}

static tc_simulation federated_of(const contest *a, const tc_contender *c)
{
    const tc_simulate_plan *p = a->p;
    return (tc_simulation){.source = &tc_source_federation,
                           .algorithm = c->algorithm,
                           .options = c->given,
                           .objective = a->objective,
                           .family = p->o->family,
                           .units = p->o->units,
                           .agents = a->agents,
                           .trials = p->o->rounds > 0 ? (uint64_t)p->o->rounds : ROUNDS_DEFAULT,
                           .runs = (uint64_t)p->o->runs,
                           .seed = p->seed,
                           .drop = p->o->drop,
                           .past = c->algorithm->relay ? (uint64_t)p->o->past : 0,
                           .acting = acting_of(a),
                           .paired = true,
                           .known = a->warm.known,
                           .n_known = a->warm.n,
                           .by_agent = p->o->by_agent != NULL,
                           .checkpoint = c->checkpoint,
                           .pool = p->pool};
}

/* -- what is promised ---------------------------------------------------------------------- */

static const tc_accountant *accountant_of(const contest *a)
{
    static const tc_accountant *const by_option[] = {
        &tc_accountant_pld, &tc_accountant_rdp, &tc_accountant_moments, &tc_accountant_gaussian};
    return by_option[a->p->o->accountant];
}

/* One event suffices: rounds differ in their weights, not in their mechanism. */
static tacit_status check_accountant(const contest *a, const tc_contender *c, const tc_env *env,
                                     const void *opts, tacit_error *err)
{
    tc_round_price price;
    tacit_guarantee bound;
    if (!c->algorithm->aggregator)
        return TACIT_OK;
    TC_TRY(tc_round_price_of(c->algorithm, env, opts, 0, &price, err));
    return tc_ledger_cost(accountant_of(a), &price.event, 1, 0, c->delta, &bound, err);
}

static tacit_status find_expectation(tc_contender *c, const tc_env *env, const void *opts,
                                     tacit_error *err)
{
    tc_expect e;
    bool known;
    TC_TRY(tc_expect_find(c->algorithm, env, opts, &e, &known, err));
    if (!known)
        return TACIT_OK;
    c->expect = tc_expect_json(&e, env->agents, c->epsilon);
    return c->expect ? TACIT_OK : tc_fail_memory(err);
}

/* What a report says about the options; it comes last, for they are as they run no more. */
static tacit_status describe(tc_contender *c, const tc_env *env, void *opts, tacit_error *err)
{
    tc_text theorem = {0};
    if (c->algorithm->theorem)
        c->algorithm->theorem(env, opts, c->f.trials, &theorem);
    c->theorem = tc_text_take(&theorem);
    TC_TRY(find_expectation(c, env, opts, err));
    if (c->algorithm->settle)
        TC_TRY(c->algorithm->settle(env, opts, err));
    c->shown = tc_options_json(c->algorithm->options, opts);
    return c->theorem && c->shown ? TACIT_OK : tc_fail_memory(err);
}

/* Noise and releases for the promise go into opts, and from there into all that is run and shown. */
static tacit_status settle(const contest *a, tc_contender *c, void *opts, tacit_error *err)
{
    uint64_t initial;
    TC_TRY(tc_simulation_initial(&c->f, &initial, err));
    tc_env env = {
        .space = tc_family_space(a->family), .agents = a->agents, .budget = initial + c->f.trials};
    if (c->epsilon > 0 && !c->algorithm->promise)
        return no_promise(c, err);
    if (c->algorithm->begin)
        c->algorithm->begin(&env, opts);
    if (c->epsilon > 0)
        TC_TRY(c->algorithm->promise(&env, opts, c->epsilon, c->delta, err));
    TC_TRY(check_accountant(a, c, &env, opts, err));
    c->options = tc_options_json(c->algorithm->options, opts);
    return c->options ? describe(c, &env, opts, err) : tc_fail_memory(err);
}

static tacit_status settle_options(const contest *a, tc_contender *c, tacit_error *err)
{
    tc_optioned of = tc_optioned_algorithm(c->algorithm);
    void *opts;
    TC_TRY(tc_optioned_new(&of, c->given, &opts, err));
    tacit_status status = settle(a, c, opts, err);
    tc_optioned_free(&of, opts);
    c->f.options = c->options;
    c->f.epsilon = c->epsilon;
    c->f.delta = c->epsilon > 0 ? c->delta : 0;
    return status;
}

tacit_status tc_simulate_checkpoint(const char *file, size_t i, char **out, tacit_error *err)
{
    tc_text name = {0};
    if (!file)
        return TACIT_OK;
    tc_text_add(&name, file);
    if (i > 0)
        tc_text_addf(&name, ".%zu", i + 1);
    *out = tc_text_take(&name);
    return *out ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status prepare(contest *a, size_t i, tacit_error *err)
{
    tc_contender *c = &a->contenders[i], *first = &a->contenders[0];
    bool quiet = a->p->in->quiet || (i > 0 && c->delta == first->delta);
    uint64_t initial;
    TC_TRY(tc_privacy_delta(c->delta, (int64_t)a->agents, quiet, &c->delta, err));
    TC_TRY(tc_simulate_checkpoint(a->p->o->checkpoint, i, &c->checkpoint, err));
    c->f = federated_of(a, c);
    c->objective_options = a->objective_options;
    c->dim = a->dim;
    TC_TRY(tell_lengthscale(a, c, err));
    if (i == 0)
        TC_TRY(begin_first(a, c, err));
    TC_TRY(begin_warm(a, c, err));
    TC_TRY(choose_initial(c, first, err));
    TC_TRY(tc_simulation_initial(&c->f, &initial, err));
    c->f.trials = first->f.trials;
    if (i == 0)
        TC_TRY(choose_rounds(a->p, initial, &c->f.trials, err));
    return settle_options(a, c, err);
}

static tacit_status check_past(const contest *a, tacit_error *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->p->o->past == 0 || a->contenders[i].algorithm->relay)
            return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--past is for algorithms that hand messages on (fts, rgpe, taf), and %s is "
                   "none of them",
                   a->contenders[0].algorithm->name);
}

/* Agents of a relay read messages of all others, which only the past makes without them. */
static tacit_status check_acting(const contest *a, tacit_error *err)
{
    if ((uint64_t)a->p->o->acting > a->agents)
        return tc_fail(err, TACIT_E_ARG,
                       "--acting must be at most --agents, which is %llu, not %lld",
                       (unsigned long long)a->agents, (long long)a->p->o->acting);
    for (size_t i = 0; i < a->n; i++)
        if (acting_of(a) > 0 && a->contenders[i].algorithm->relay && a->p->o->past == 0)
            return tc_fail(err, TACIT_E_ARG,
                           "--acting does not go with %s, whose agents read messages of all "
                           "others, unless these come from earlier studies: --past N",
                           a->contenders[i].algorithm->name);
    return TACIT_OK;
}

static tacit_status check_drop(const contest *a, tacit_error *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->p->o->drop == 0 || tc_algorithm_federated(a->contenders[i].algorithm))
            return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--drop is for algorithms whose agents send messages, and %s is none of them",
                   a->contenders[0].algorithm->name);
}

/* --tell constants needs something to tell, and somebody who can be told. */
static tacit_status check_tell(const contest *a, tacit_error *err)
{
    if (a->p->o->tell != TC_SIMULATE_TELL_CONSTANTS)
        return TACIT_OK;
    if (tc_family_lengthscale(a->objective, &a->p->o->family) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--tell constants is for objectives that are drawn with a length-scale "
                       "(gp-family, gp-sample, rkhs-*), not for %s",
                       a->objective);
    for (size_t i = 0; i < a->n; i++)
        if (lengthscale_option(a->contenders[i].algorithm))
            return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--tell constants is for algorithms whose agents share features (fts, "
                   "dp-fts-de, rgpe, taf), and %s is none of them",
                   a->contenders[0].algorithm->name);
}

static size_t parameters_of(const tc_space *space)
{
    return space->domain ? space->domain->dim : space->n_params;
}

/* The space of a document is not used, which surprises where the objective could have as many dimensions. */
static void note_dim(const contest *a)
{
    const tc_simulate_plan *p = a->p;
    const size_t said = p->doc ? parameters_of(p->doc->space) : 0;
    if (said == 0 || a->dim == 0 || said == a->dim || tc_given(p->in, "dim"))
        return;
    tc_note(p->in->quiet,
            "tacit: the document has %zu parameter%s and the objective %s has %zu; --dim %zu gives "
            "it as many",
            said, said == 1 ? "" : "s", a->objective, a->dim, said);
}

static tacit_status prepare_all(contest *a, tacit_error *err)
{
    const tc_simulate_plan *p = a->p;
    a->objective = p->o->objective ? p->o->objective : OBJECTIVE_DEFAULT;
    TC_TRY(enlist(a, err));
    TC_TRY(check_past(a, err));
    TC_TRY(check_drop(a, err));
    TC_TRY(tc_simulate_check_promise(p, a->contenders, a->n, err));
    TC_TRY(tc_simulate_check_objective(p, a->objective, err));
    TC_TRY(choose_agents(a, err));
    TC_TRY(check_acting(a, err));
    TC_TRY(tc_family_new(&a->family, a->objective, &p->o->family, 1, tc_public_seed_from(p->seed),
                         err));
    TC_TRY(check_tell(a, err));
    TC_TRY(tc_family_used(a->objective, &p->o->family, tc_family_space(a->family),
                          &a->objective_options, err));
    a->dim = tc_family_any_dim(a->family) ? parameters_of(tc_family_space(a->family)) : 0;
    if (p->o->warm)
        TC_TRY(tc_warm_read(&a->warm, p->o->warm, tc_family_space(a->family), a->agents, err));
    for (size_t i = 0; i < a->n; i++)
        TC_TRY(prepare(a, i, err));
    note_dim(a);
    return TACIT_OK;
}

/* -- the runs ------------------------------------------------------------------------------ */

/* A federation keeps whole runs alone. */
static tacit_status interrupted(const char *checkpoint, tacit_error *err)
{
    if (checkpoint)
        return tc_fail(err, TACIT_E_CANCELLED,
                       "interrupted; finished runs are in %s, and the same command goes on after "
                       "them; a run that was not finished begins anew",
                       checkpoint);
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted; with --checkpoint FILE finished runs are kept, and the same "
                   "command goes on after them");
}

/* A plan that cannot be run leaves no file behind. */
static tacit_status watch(tc_contender *c, const char *label, bool quiet, tacit_error *err)
{
    bool fresh = c->checkpoint && access(c->checkpoint, F_OK) != 0;
    tacit_status status = tc_watch_simulation(&c->f, label, quiet, &c->result, err);
    if (fresh && (status == TACIT_E_ARG || status == TACIT_E_UNSUPPORTED))
        unlink(c->checkpoint);
    return status;
}

static tacit_status run_one(const contest *a, tc_contender *c, tacit_error *err)
{
    char label[64];
    snprintf(label, sizeof label, "%.40s on %.16s", c->label, a->objective);
    tacit_status status = watch(c, label, a->p->in->quiet, err);
    if (status == TACIT_E_CANCELLED)
        return interrupted(c->checkpoint, err);
    if (status != TACIT_OK)
        return status;
    return tc_federated_cost_init(&c->cost, &c->result, accountant_of(a), c->delta, err);
}

static tacit_status run_all(contest *a, tacit_error *err)
{
    TC_TRY(prepare_all(a, err));
    for (size_t i = 0; i < a->n; i++)
        TC_TRY(run_one(a, &a->contenders[i], err));
    return tc_simulate_report(a->contenders, a->n, a->p, err);
}

tacit_status tc_simulate_federation(const tc_simulate_plan *p, tacit_error *err)
{
    contest *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    a->p = p;
    tacit_status status = run_all(a, err);
    contest_fini(a);
    tc_free(a);
    return status;
}
