/* plan.c - a plan of simulations from its beginning to what was found: tacit_simulate. See plan.h.
 *
 * Everything that can be wrong is found before the first run. */
#include "sim/plan.h"

#include "base/api.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/claim.h"
#include "sim/curated.h"
#include "study/trustees_plan.h"

#include <tacit/experimental/fields.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ALGORITHM_DEFAULT "gp-ei"
#define SNAPSHOT_S        5 /* the default of checkpoint_every */

#define AT_PLAN(member)               offsetof(tacit_simulation_plan, member)
#define AT_FAMILY(member)             offsetof(tacit_simulation_plan, family.member)
#define AT_OBJECTIVE(member)          offsetof(tacit_simulation_plan, family.objective.member)
#define ROW(type, owner, member, ...) TC_OPTION_FIELD(type, AT_##owner(member), __VA_ARGS__)
#define NO_MORE(row)
static const tc_option fields[] = {TACIT_PLAN_FIELDS(ROW, NO_MORE){.name = NULL}};

tacit_simulation_plan tacit_simulation_plan_default(void)
{
    tacit_simulation_plan plan = {0};
    (void)tc_options_defaults(fields, &plan, NULL); /* no string has a default: it cannot fail */
    return plan;
}

bool tc_plan_given(const tc_contest *a, const char *option)
{
    for (const char *const *name = a->o->given; name && *name; name++)
        if (strcmp(*name, option) == 0)
            return true;
    return false;
}

void tc_plan_note(const tc_contest *a, const char *fmt, ...)
{
    char sentence[1024];
    va_list args;
    if (!a->o->note)
        return;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    a->o->note(a->o->user, sentence);
}

/* ---- limits ---- */

static int count_choices(const char *choices)
{
    int n = 1;
    for (; *choices; choices++)
        n += *choices == '|';
    return n;
}

/* 0 stands for "not given" wherever the table has no default. */
static tacit_status check_limits(const tacit_simulation_plan *o, tacit_error *err)
{
    for (const tc_option *f = fields; f->name; f++) {
        const char *at = (const char *)o + f->offset;
        double v = f->type == TC_OPTION_INT      ? (double)*(const int64_t *)at
                   : f->type == TC_OPTION_FLOAT  ? *(const double *)at
                   : f->type == TC_OPTION_CHOICE ? *(const int *)at
                                                 : 0;
        double high = f->type == TC_OPTION_CHOICE ? count_choices(f->choices) - 1 : f->max;
        if (v != 0 && !(v >= f->min && v <= high))
            return tc_fail(err, TACIT_E_ARG, "--%s must be in [%g, %g], not %g", f->name, f->min,
                           high, v);
    }
    if (o->n_sets > 0 && !o->sets)
        return tc_fail(err, TACIT_E_ARG, "sets is NULL, and there are %zu of them", o->n_sets);
    return TACIT_OK;
}

/* ---- which kind ---- */

/* By pulls there are bandits, which have names of their own (plan_bandits.c). */
static tacit_status choose_algorithm(tc_contest *a, tacit_error *err)
{
    const char *name = a->o->algorithm;
    if (a->o->pulls > 0)
        return TACIT_OK;
    if (a->o->reward_low != 0 || a->o->reward_high != 1)
        return tc_fail(err, TACIT_E_ARG, "--reward-low and --reward-high are for --pulls");
    if (a->o->checkpoint_every != SNAPSHOT_S)
        return tc_fail(err, TACIT_E_ARG, "--checkpoint-every is for --pulls");
    if (name || !a->doc)
        return tc_algorithm_get(&a->algorithm, name ? name : ALGORITHM_DEFAULT, err);
    a->algorithm = a->doc->algorithm;
    return TACIT_OK;
}

static bool is_family(const char *objective)
{
    for (size_t i = 0; objective && tc_families()[i]; i++)
        if (strcmp(tc_families()[i]->name, objective) == 0)
            return true;
    return false;
}

/* An option that only a federation has makes the simulation one of a federation. */
static bool is_federation(const tc_contest *a)
{
    const tacit_simulation_plan *o = a->o;
    bool promised = (o->epsilon > 0 || o->delta > 0) && !tc_is_modeler(a->algorithm) &&
                    o->unit != TACIT_PLAN_UNIT_RECORD;
    return tc_algorithm_federated(a->algorithm) || (a->doc && a->doc->agents) ||
           is_family(o->objective) || o->agents || o->acting || o->rounds || o->drop > 0 ||
           o->trustees || o->past || o->tell != TC_PLAN_TELL_NONE || promised || o->versus ||
           o->known || o->by_agent || o->checkpoint;
}

static tacit_status prepare(tc_contest *a, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    TC_TRY(check_limits(o, err));
    a->doc = o->document;
    a->seed = o->seeded || !a->doc || !a->doc->has_seed ? o->seed : a->doc->seed;
    TC_TRY(choose_algorithm(a, err));
    TC_TRY(tc_plan_curator_check(a, err));
    TC_TRY(tc_plan_check_records(a, err));
    if (o->threads != 1)
        TC_TRY(tc_pool_new(&a->pool, (size_t)o->threads, err));
    TC_TRY(o->pulls > 0       ? tc_plan_bandits(a, err)
           : is_federation(a) ? tc_plan_federation(a, err)
                              : tc_plan_single(a, err));
    for (size_t i = 0; i < a->n && o->checkpoint; i++)
        TC_TRY(tacit_simulation_checkpoint(o->checkpoint, i, &a->contenders[i].checkpoint, err));
    return TACIT_OK;
}

tacit_status tacit_simulation_checkpoint(const char *file, size_t i, char **out, tacit_error *err)
{
    TC_GIVEN(file);
    TC_GIVEN(out);
    tc_text name = {0};
    tc_text_add(&name, file);
    if (i > 0)
        tc_text_addf(&name, ".%zu", i + 1);
    char *text = tc_text_take(&name);
    if (!text)
        return tc_fail_memory(err);
    *out = text;
    return TACIT_OK;
}

/* ---- the runs ---- */

/* A federation keeps whole runs alone. */
static tacit_status interrupted(const tc_contender *c, const char *checkpoint, tacit_error *err)
{
    if (!c->label)
        return TACIT_E_CANCELLED; /* it says so already */
    if (checkpoint && c->bandit)
        return tc_fail(err, TACIT_E_CANCELLED,
                       "interrupted; finished runs are in %s, and the same command goes on there",
                       checkpoint);
    if (checkpoint)
        return tc_fail(err, TACIT_E_CANCELLED,
                       "interrupted; finished runs are in %s, and the same command goes on after "
                       "them; a run that was not finished begins anew",
                       c->checkpoint);
    return tc_fail(err, TACIT_E_CANCELLED, "interrupted; with --checkpoint FILE %s",
                   c->bandit ? "the same command would go on where it stopped"
                             : "finished runs are kept, and the same command goes on after them");
}

/* A plan that cannot be run leaves no file behind. */
static tacit_status run_contender(tc_contest *a, tc_contender *c, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    char label[64];
    uint64_t steps;
    bool fresh = c->checkpoint && access(c->checkpoint, F_OK) != 0;
    if (c->label)
        snprintf(label, sizeof label, "%.40s on %.16s", c->label, a->objective);
    else
        snprintf(label, sizeof label, "%s on %s", c->algorithm->name, a->objective);
    c->sim.pool = a->pool;
    c->sim.checkpoint = c->checkpoint;
    c->sim.progress = o->progress;
    c->sim.stopped = o->stopped;
    c->sim.user = o->user;
    tacit_status status = tc_simulation_steps(&c->sim, &steps, err);
    if (status == TACIT_OK && o->begin)
        o->begin(o->user, label, steps);
    if (status == TACIT_OK)
        status = tc_simulate(&c->sim, &c->curves, err);
    if (fresh && !c->bandit && (status == TACIT_E_ARG || status == TACIT_E_UNSUPPORTED))
        unlink(c->checkpoint);
    if (status == TACIT_E_CANCELLED)
        return interrupted(c, o->checkpoint, err);
    TC_TRY(status);
    c->charged = c->sim.source == &tc_source_federation;
    if (c->charged && c->records)
        return tc_federated_cost_records(&c->cost, &c->curves, tc_plan_accountant(a), &c->noise,
                                         err);
    if (!c->charged)
        return TACIT_OK;
    TC_TRY(tc_federated_cost_init(&c->cost, &c->curves, tc_plan_accountant(a), c->delta, err));
    c->cost.trustees = c->sim.trustees;
    return TACIT_OK;
}

/* ---- what was found ---- */

static tc_curve_part part_of(const tc_contest *a, const tc_contender *c)
{
    return (tc_curve_part){.label = c->label,
                           .sim = &c->sim,
                           .curves = &c->curves,
                           .cost = c->charged ? &c->cost : NULL,
                           .options = c->shown,
                           .objective_options = a->objective_options,
                           .expect = c->expect,
                           .trustees = c->terms,
                           .theorem = c->label ? NULL : c->theorem};
}

/* The next of the contender's texts; NULL where there is none to make. */
static const char *keep_text(tc_contender *c, size_t *n, char *text)
{
    return c->texts[(*n)++] = text;
}

/* NULL: no memory. */
static char *trustees_text(const tc_contender *c)
{
    tc_text text = {0};
    tc_trustees_describe(&c->trustees, &c->largest, &text);
    return tc_text_take(&text);
}

static tacit_status show_trustees(tc_contender *c, size_t *n, tacit_error *err)
{
    if (c->trustees.count == 0)
        return TACIT_OK;
    c->found.trustees_sentence = keep_text(c, n, trustees_text(c));
    c->found.trustees = keep_text(c, n, tc_json_text(c->terms));
    return c->found.trustees && c->found.trustees_sentence ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status add_statement(const tc_contender *c, tc_text *statement, tc_text *scope,
                                  tacit_error *err)
{
    tc_sim_claim claim;
    if (c->charged) {
        tc_federated_cost_statement(&c->cost, statement);
        if (c->records)
            tc_record_noise_describe(&c->noise, scope);
        tc_statement_add_round_scope(scope, c->cost.unit, TACIT_DP_ALL, &c->sim.trustees);
    } else if (!c->bandit) {
        TC_TRY(tc_sim_claim_init(&claim, &c->sim, err));
        tc_sim_claim_statement(&claim, statement);
        tc_sim_claim_fini(&claim);
    }
    return TACIT_OK;
}

static tacit_status show_cost(tc_contender *c, tacit_error *err)
{
    tacit_simulated *f = &c->found;
    f->none = c->cost.none;
    f->bound = c->cost.bound;
    f->releases = c->cost.releases;
    f->unit = c->records ? TACIT_UNIT_RECORD : c->cost.unit;
    for (size_t i = 0; i < c->noise.n; i++)
        f->noise_sd = c->noise.noise_sd[i] > f->noise_sd ? c->noise.noise_sd[i] : f->noise_sd;
    if (!c->charged || (c->curves.n_releases == 0 && !c->records))
        return TACIT_OK;
    f->spent = c->spent = tc_alloc(c->curves.points, sizeof *c->spent);
    for (size_t i = 0; c->spent && i < c->curves.points; i++)
        c->spent[i] = tc_federated_cost_at(&c->cost, i);
    return c->spent ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status show(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    tc_text statement = {0}, scope = {0};
    size_t n = 0;
    c->found = (tacit_simulated){.label = c->label,
                                 .curves = &c->curves,
                                 .agents = a->agents,
                                 .acting = c->sim.acting,
                                 .trials = c->sim.trials,
                                 .sends = c->algorithm && tc_algorithm_federated(c->algorithm),
                                 .dim = a->dim,
                                 .theorem = c->theorem ? c->theorem : ""};
    TC_TRY(show_cost(c, err));
    c->found.options = keep_text(c, &n, tc_json_text(c->options));
    c->found.shown = keep_text(c, &n, tc_json_text(c->shown ? c->shown : c->options));
    c->found.given = keep_text(c, &n, tc_json_text(c->given));
    c->found.expect = keep_text(c, &n, c->expect ? tc_json_text(c->expect) : NULL);
    tacit_status status = add_statement(c, &statement, &scope, err);
    c->found.statement = keep_text(c, &n, tc_text_take(&statement));
    c->found.scope = keep_text(c, &n, tc_text_take(&scope));
    TC_TRY(status);
    TC_TRY(show_trustees(c, &n, err));
    const tacit_simulated *f = &c->found;
    bool good =
        f->options && f->shown && f->given && (f->expect || !c->expect) && f->statement && f->scope;
    return good ? TACIT_OK : tc_fail_memory(err);
}

/* ---- the interface ---- */

static tacit_status simulate_all(tc_contest *a, tacit_error *err)
{
    TC_TRY(prepare(a, err));
    for (size_t i = 0; i < a->n; i++)
        TC_TRY(run_contender(a, &a->contenders[i], err));
    tc_pool_free(a->pool);
    a->pool = NULL;
    for (size_t i = 0; i < a->n; i++)
        TC_TRY(show(a, &a->contenders[i], err));
    return TACIT_OK;
}

tacit_status tacit_simulate(tacit_simulation **out, const tacit_simulation_plan *plan,
                            tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(plan);
    tc_contest *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    a->plan = *plan;
    a->o = &a->plan;
    tacit_status status = simulate_all(a, err);
    if (status != TACIT_OK) {
        tacit_simulation_free(a);
        return status;
    }
    *out = a;
    return TACIT_OK;
}

void tacit_simulation_free(tacit_simulation *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        tc_contender_fini(&s->contenders[i]);
    tc_family_free(s->family);
    json_decref(s->objective_options);
    tc_arena_fini(&s->memory);
    tc_pool_free(s->pool);
    tc_free(s->contrasts);
    tc_free(s);
}

size_t tacit_simulation_count(const tacit_simulation *s)
{
    return s ? s->n : 0;
}

const tacit_simulated *tacit_simulation_get(const tacit_simulation *s, size_t i)
{
    return s && i < s->n ? &s->contenders[i].found : NULL;
}

tacit_status tacit_simulation_contrasts(tacit_simulation *s, const tacit_contrast **rows, size_t *n,
                                        tacit_error *err)
{
    TC_GIVEN(s);
    TC_GIVEN(rows);
    TC_GIVEN(n);
    tc_curve_part parts[TACIT_CONTENDERS_MOST];
    tacit_contrast *made;
    for (size_t i = 0; i < s->n; i++)
        parts[i] = part_of(s, &s->contenders[i]);
    TC_TRY(tc_curve_contrasts(parts, s->n, &made, n, err));
    tc_free(s->contrasts);
    *rows = s->contrasts = made;
    return TACIT_OK;
}

static tacit_status add_json(const tc_curve_part *parts, size_t n, tc_text *out, tacit_error *err)
{
    json_t *j = NULL;
    TC_TRY(tc_curves_json(parts, n, &j, err));
    char *text = tc_json_text(j);
    json_decref(j);
    if (text)
        tc_text_addf(out, "%s\n", text);
    out->failed |= !text;
    tc_free(text);
    return TACIT_OK;
}

tacit_status tacit_simulation_text(const tacit_simulation *s, tacit_curve_form form, char **out,
                                   tacit_error *err)
{
    TC_GIVEN(s);
    TC_GIVEN(out);
    tc_curve_part parts[TACIT_CONTENDERS_MOST];
    tc_text text = {0};
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < s->n; i++)
        parts[i] = part_of(s, &s->contenders[i]);
    if (form == TACIT_CURVES_BY_AGENT && !s->contenders[0].curves.agent_simple)
        return tc_fail(err, TACIT_E_STATE,
                       "the plan has no by_agent: curves of agents are not kept");
    if (form == TACIT_CURVES_BY_AGENT)
        tc_curves_agents_csv(parts, s->n, &text);
    else
        status = form == TACIT_CURVES_JSON ? add_json(parts, s->n, &text, err)
                                           : tc_curves_csv(parts, s->n, &text, err);
    char *whole = tc_text_take(&text);
    if (status == TACIT_OK && !whole)
        return tc_fail_memory(err);
    if (status == TACIT_OK)
        *out = whole;
    else
        tc_free(whole);
    return status;
}
