/* curve_write.c - curves as CSV rows and as JSON. See curve_file.h. */
#include "sim/curve_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/statement.h"
#include "sim/claim.h"

#include <math.h>

/* ---- CSV ---- */

static void add_number(tc_text *out, double v)
{
    tc_text_add(out, ",");
    if (isfinite(v))
        tc_text_add_double(out, v);
}

static void add_count(tc_text *out, uint64_t n)
{
    tc_text_addf(out, ",%llu", (unsigned long long)n);
}

/* What is promised at one point; the words stand in the last row. */
static void add_promise(tc_text *out, const tc_curve_part *p, const tc_sim_claim *claim, size_t t)
{
    const tc_federated_cost *cost = p->cost;
    bool none = cost ? cost->none : claim->none;
    tc_text statement = {0};
    add_number(out, none ? NAN : cost ? tc_federated_cost_at(cost, t) : claim->epsilon);
    add_number(out, none ? NAN : cost ? cost->bound.delta : claim->delta);
    if (t + 1 == p->curves->points && cost)
        tc_federated_cost_statement(cost, &statement);
    else if (t + 1 == p->curves->points)
        tc_sim_claim_statement(claim, &statement);
    tc_text_add(out, ",");
    tc_text_add_csv(out, tc_text_get(&statement));
    out->failed |= statement.failed;
    tc_text_fini(&statement);
}

static void add_row(tc_text *out, const tc_curve_part *p, const tc_sim_claim *claim, size_t t)
{
    const tacit_curves *c = p->curves;
    if (p->label) {
        tc_text_add_csv(out, p->label);
        tc_text_add(out, ",");
    }
    tc_text_addf(out, "%s,", c->algorithm);
    tc_text_add_csv(out, c->objective);
    if (p->label)
        add_count(out, p->sim->agents);
    add_count(out, c->runs);
    add_count(out, c->seed);
    add_count(out, (uint64_t)c->at[t]);
    if (!c->by_pulls) {
        add_number(out, c->simple_mean[t]);
        add_number(out, c->simple_se[t]);
    }
    add_number(out, c->cumulative_mean[t]);
    add_number(out, c->cumulative_se[t]);
    if (p->cost || claim->there)
        add_promise(out, p, claim, t);
    if (!c->by_pulls)
        add_count(out, c->initial + (uint64_t)c->at[t]);
    tc_text_add(out, "\n");
}

/* What one party's deployment would promise; nothing of other kinds. */
static tacit_status find_claim(const tc_curve_part *p, tc_sim_claim *out, tacit_error *err)
{
    *out = (tc_sim_claim){0};
    return p->label ? TACIT_OK : tc_sim_claim_init(out, p->sim, err);
}

tacit_status tc_curves_csv(const tc_curve_part *parts, size_t n, tc_text *out, tacit_error *err)
{
    const tc_curve_part *first = &parts[0];
    tc_sim_claim claim;
    TC_TRY(find_claim(first, &claim, err));
    bool pulls = first->curves->by_pulls;
    tc_text_addf(out,
                 "%salgorithm,objective,%sruns,seed,%s,%scumulative_regret_mean,"
                 "cumulative_regret_se%s%s\n",
                 first->label ? "label," : "", first->label ? "agents," : "",
                 pulls ? "pulls" : "iteration", pulls ? "" : "simple_regret_mean,simple_regret_se,",
                 first->cost || claim.there ? ",epsilon,delta,statement" : "",
                 pulls ? "" : ",evaluations");
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < parts[i].curves->points; t++)
            add_row(out, &parts[i], &claim, t);
    tc_sim_claim_fini(&claim);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static void add_agent(tc_text *out, const tc_curve_part *p, bool labelled, uint64_t run,
                      uint64_t agent)
{
    const tacit_curves *c = p->curves;
    size_t at = (size_t)(run * c->agents + agent) * c->points;
    for (size_t t = 0; t < c->points; t++) {
        if (labelled)
            tc_text_add_csv(out, p->label);
        tc_text_addf(out, "%s%llu", labelled ? "," : "", (unsigned long long)run);
        add_count(out, agent);
        add_count(out, t);
        add_number(out, c->agent_simple[at + t]);
        add_number(out, c->agent_cumulative[at + t]);
        add_count(out, c->initial + t);
        tc_text_add(out, "\n");
    }
}

void tc_curves_agents_csv(const tc_curve_part *parts, size_t n, tc_text *out)
{
    tc_text_addf(out, "%srun,agent,iteration,simple_regret,cumulative_regret,evaluations\n",
                 n > 1 ? "label," : "");
    for (size_t i = 0; i < n; i++)
        for (uint64_t run = 0; run < parts[i].curves->runs; run++)
            for (uint64_t agent = 0; agent < parts[i].curves->agents; agent++)
                add_agent(out, &parts[i], n > 1, run, agent);
}

/* ---- numbers as JSON; NULL: no memory ---- */

/* Takes `value`, also on failure; NULL is a failure. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *kept(json_t *j, bool good)
{
    if (good)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

/* Every `stride`-th of x. */
static json_t *numbers(const double *x, size_t n, size_t stride)
{
    json_t *a = json_array();
    bool good = a != NULL;
    for (size_t i = 0; good && i < n; i++)
        good = json_array_append_new(a, number(x[i * stride])) == 0;
    return kept(a, good);
}

static json_t *counts(const double *x, size_t n, uint64_t more)
{
    json_t *a = json_array();
    bool good = a != NULL;
    for (size_t i = 0; good && i < n; i++)
        good = json_array_append_new(a, count(more + (uint64_t)x[i])) == 0;
    return kept(a, good);
}

static json_t *moments(const double *mean, const double *se, size_t n)
{
    return json_pack("{s:o, s:o}", "mean", numbers(mean, n, 1), "se", numbers(se, n, 1));
}

/* ---- what was sent ---- */

static json_t *messages_json(const tacit_curves *c, uint64_t agents)
{
    const tacit_message_counts *t = &c->counts[0].sent;
    return json_pack("{s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:s?, s:I, s:I, s:i}", "count",
                     (json_int_t)t->messages, "bytes", (json_int_t)t->bytes, "per_agent_bytes",
                     (double)t->bytes / (double)agents, "releases", (json_int_t)t->releases,
                     "refusals", (json_int_t)t->refusals, "broadcast_bytes",
                     (json_int_t)t->broadcast_bytes, "lost", (json_int_t)t->lost, "rejected",
                     (json_int_t)t->rejected, "rejection", c->rejection, "fetches",
                     (json_int_t)t->fetches, "fetched_bytes", (json_int_t)t->fetched_bytes,
                     "of_run", 0);
}

tacit_talk tacit_curves_talk(const tacit_curves *c)
{
    tacit_talk sum = {0};
    if (!c || !c->counts || c->runs == 0)
        return sum;
    double n = (double)c->runs;
    for (size_t r = 0; r < c->runs; r++) {
        sum.rounds += (double)c->counts[r].rounds;
        sum.last_round_at += (double)c->counts[r].last_round_at;
        sum.numbers_up += (double)c->counts[r].numbers_up;
        sum.numbers_down += (double)c->counts[r].numbers_down;
    }
    return (tacit_talk){sum.rounds / n, sum.last_round_at / n, sum.numbers_up / n,
                        sum.numbers_down / n};
}

static json_t *talk_json(const tacit_curves *c)
{
    tacit_talk t = tacit_curves_talk(c);
    return json_pack("{s:f, s:f, s:f, s:f}", "rounds", t.rounds, "last_round_at", t.last_round_at,
                     "numbers_up", t.numbers_up, "numbers_down", t.numbers_down);
}

/* ---- what a deployment would promise ---- */

/* With delta = 1/N^2, the probability that the data of any of the N agents leak is at most 1/N. */
static json_t *warning_json(double delta, uint64_t agents)
{
    tc_text text = {0};
    double most = 1 / ((double)agents * (double)agents);
    if (!(delta > most))
        return json_null();
    tc_text_addf(&text, "delta %g is above 1/N^2 = %g for %llu agents", delta, most,
                 (unsigned long long)agents);
    json_t *j = text.failed ? NULL : json_string(tc_text_get(&text));
    tc_text_fini(&text);
    return j;
}

/* Takes j. */
static json_t *with_records(json_t *j, const tc_federated_cost *c)
{
    const tc_record_noise *r = c->records;
    json_t *list = json_array(), *sds = json_array();
    bool ok = j && list && sds;
    for (size_t i = 0; ok && i < r->n; i++)
        ok = json_array_append_new(list, json_integer((json_int_t)r->records[i])) == 0 &&
             json_array_append_new(sds, json_real(r->noise_sd[i])) == 0;
    ok = ok && json_object_set_new(j, "unit", json_string(tacit_unit_name(c->unit))) == 0 &&
         json_object_set(j, "records", list) == 0 && json_object_set(j, "noise_sd", sds) == 0;
    json_decref(list);
    json_decref(sds);
    if (!ok)
        json_decref(j);
    return ok ? j : NULL;
}

static json_t *federation_promise(const tc_federated_cost *c, uint64_t agents)
{
    if (c->none)
        return json_null();
    tc_text statement = {0};
    tc_federated_cost_bound(c, &statement);
    json_t *j =
        statement.failed
            ? NULL
            : json_pack("{s:o, s:f, s:s, s:s, s:I, s:o, s:o, s:s}", "epsilon",
                        number(c->bound.epsilon), "delta", c->bound.delta, "accountant",
                        c->accountant, "bound", c->bound.accountant, "releases",
                        (json_int_t)c->releases, "by_round",
                        numbers(c->by_round, (size_t)c->rounds, 1), "warning",
                        warning_json(c->bound.delta, agents), "statement", tc_text_get(&statement));
    tc_text_fini(&statement);
    return c->records ? with_records(j, c) : j;
}

static json_t *single_promise(const tc_sim_claim *c)
{
    if (c->none)
        return json_null();
    json_t *output = c->unit == TACIT_UNIT_ROW ? json_real(c->output_epsilon) : NULL;
    if (c->unit == TACIT_UNIT_ROW && !output)
        return NULL;
    return json_pack("{s:f, s:f, s:s, s:s, s:o*, s:s, s:f, s:s}", "epsilon", c->epsilon, "delta",
                     c->delta, "per", c->per, "unit", tacit_unit_name(c->unit), "output_epsilon",
                     output, "mechanism", c->mechanism, "noise_sd", c->noise_sd, "statement",
                     tc_text_get(&c->promise));
}

static json_t *privacy_json(const tc_curve_part *p, const tc_sim_claim *claim)
{
    tc_text statement = {0};
    if (p->cost)
        tc_federated_cost_statement(p->cost, &statement);
    else
        tc_sim_claim_statement(claim, &statement);
    const char *text = tc_text_get(&statement);
    json_t *j = NULL;
    if (!statement.failed && p->cost)
        j = json_pack("{s:b, s:s, s:s, s:o}", "private", 0, "reason", "seeded", "statement", text,
                      "if_deployed", federation_promise(p->cost, p->sim->agents));
    else if (!statement.failed)
        j = json_pack("{s:b, s:s, s:o, s:s}", "private", 0, "reason", "seeded", "if_deployed",
                      single_promise(claim), "statement", text);
    tc_text_fini(&statement);
    return j;
}

/* ---- the plan ---- */

/* How the rows were released; the epsilon stands with what it promises, if it promises anything. */
static json_t *release_json(const tc_row_terms *t)
{
    json_t *j = tc_row_terms_json(t);
    if (!j)
        return NULL;
    json_object_del(j, "name");
    json_object_del(j, "maximize");
    if (t->mode == TACIT_ROW_PAPER)
        json_object_del(j, "epsilon");
    return j;
}

static json_t *rewards_json(const tc_simulation *sim)
{
    return json_pack("{s:f, s:f, s:s, s:f}", "low", sim->low, "high", sim->high, "noise",
                     sim->noise == TC_REWARD_BERNOULLI ? "bernoulli" : "uniform", "scale",
                     sim->scale);
}

/* Grids have as many on every axis; 0: there is none. */
static int64_t points_per_axis(const tc_space *s)
{
    return s->domain && s->domain->axes ? (int64_t)s->domain->axes[0] : 0;
}

tacit_status tc_family_used(const char *objective, const tc_family_opts *family,
                            const tc_space *space, json_t **out, tacit_error *err)
{
    tc_family_opts o = tc_family_resolve_defaults(objective, family);
    const char *who;
    o.objective.dim = (int64_t)(space->domain ? space->domain->dim : space->n_params);
    o.objective.grid = points_per_axis(space);
    json_t *j = tc_options_json(tc_family_options, &o);
    if (!j)
        return tc_fail_memory(err);
    for (const tc_option *row = tc_family_options; row->name; row++)
        if (!tc_objective_takes(objective, row->name, &who))
            (void)json_object_del(j, row->name);
    *out = j;
    return TACIT_OK;
}

static json_t *objective_json(const tc_curve_part *p)
{
    const tc_simulation *sim = p->sim;
    json_t *j = p->objective_options ? json_deep_copy(p->objective_options)
                : p->label           ? tc_options_json(tc_family_options, &sim->family)
                           : tc_options_json(tc_objective_options, &sim->family.objective);
    return kept(j, j && (sim->bandit || tc_value_units_set(&sim->units, j)));
}

/* Takes `options`, also on failure. */
static bool fill_plan(json_t *j, const tc_curve_part *p, json_t *options)
{
    const tc_simulation *sim = p->sim;
    const tacit_curves *c = p->curves;
    bool federation = p->cost != NULL;
    bool good =
        (!p->label || set(j, "label", json_string(p->label))) &&
        set(j, "algorithm", json_string(c->algorithm)) &&
        set(j, "objective", json_string(c->objective)) &&
        (!p->label || set(j, "agents", count(sim->agents))) &&
        (sim->acting == 0 || set(j, "acting", count(sim->acting))) &&
        set(j, "runs", count(c->runs)) && (!federation || set(j, "initial", count(c->initial))) &&
        set(j, c->by_pulls ? "budget" : "trials", count(c->initial + sim->trials)) &&
        set(j, "seed", count(c->seed)) && (!federation || set(j, "drop", json_real(sim->drop)));
    if (!good)
        json_decref(options);
    return good && set(j, "options", options) && set(j, "objective_options", objective_json(p)) &&
           (!sim->curated || set(j, "release", release_json(sim->curated))) &&
           (!sim->bandit || set(j, "rewards", rewards_json(sim)));
}

/* ---- one part ---- */

static json_t *by_run_json(const tacit_curves *c)
{
    size_t last = c->points - 1, n = (size_t)c->runs;
    json_t *j = json_object();
    return kept(j,
                (!c->simple || set(j, "simple_regret", numbers(c->simple + last, n, c->points))) &&
                    set(j, "cumulative_regret", numbers(c->cumulative + last, n, c->points)));
}

static bool fill_curves(json_t *j, const tc_curve_part *p)
{
    const tacit_curves *c = p->curves;
    size_t n = c->points;
    return set(j, c->by_pulls ? "pulls" : "iterations", counts(c->at, n, 0)) &&
           (c->by_pulls || set(j, "evaluations", counts(c->at, n, c->initial))) &&
           (c->by_pulls || set(j, "simple_regret", moments(c->simple_mean, c->simple_se, n))) &&
           set(j, "cumulative_regret", moments(c->cumulative_mean, c->cumulative_se, n)) &&
           (p->cost || set(j, "by_run", by_run_json(c)));
}

static bool fill_rest(json_t *j, const tc_curve_part *p, const tc_sim_claim *claim)
{
    const tacit_curves *c = p->curves;
    double speed = c->pulls ? (double)c->pulls / c->seconds : NAN;
    return (!p->cost || set(j, "messages", messages_json(c, p->sim->agents))) &&
           (!c->by_pulls || set(j, "communication", talk_json(c))) &&
           (!(p->cost || claim->there) || set(j, "privacy", privacy_json(p, claim))) &&
           (!p->trustees || set(j, "trustees", json_deep_copy(p->trustees))) &&
           (!p->expect || set(j, "expect", json_deep_copy(p->expect))) &&
           (!p->theorem || !*p->theorem || set(j, "theorem", json_string(p->theorem))) &&
           (!c->by_pulls || (set(j, "seconds", json_real(c->seconds)) &&
                             set(j, "pulls_per_second", number(speed))));
}

static tacit_status part_json(const tc_curve_part *p, json_t **out, tacit_error *err)
{
    tc_sim_claim claim;
    json_t *options = p->options ? json_deep_copy(p->options) : NULL;
    if (!p->options)
        TC_TRY(tc_simulation_options(p->sim, &options, err));
    tacit_status status = find_claim(p, &claim, err);
    if (status != TACIT_OK) {
        json_decref(options);
        return status;
    }
    json_t *j = json_object();
    j = kept(j, fill_plan(j, p, options) && fill_curves(j, p) && fill_rest(j, p, &claim));
    tc_sim_claim_fini(&claim);
    *out = j;
    return j ? TACIT_OK : tc_fail_memory(err);
}

/* ---- several ---- */

static json_t *row_json(const tc_curve_part *parts, const tacit_contrast *row)
{
    const tacit_curves *first = parts[0].curves;
    const tacit_ratio *q = &row->ratio;
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "label", parts[row->of].label, "over",
                     parts[0].label, first->by_pulls ? "pulls" : "iteration",
                     (json_int_t)first->at[row->point], "ratio", number(q->ratio), "low",
                     number(q->low), "high", number(q->high), "p", number(q->p));
}

static tacit_status ratios_json(const tc_curve_part *parts, size_t n, json_t **out,
                                tacit_error *err)
{
    tacit_contrast *rows;
    size_t n_rows;
    TC_TRY(tc_curve_contrasts(parts, n, &rows, &n_rows, err));
    json_t *list = json_array();
    bool good = list != NULL;
    for (size_t i = 0; good && i < n_rows; i++)
        good = json_array_append_new(list, row_json(parts, &rows[i])) == 0;
    tc_free(rows);
    *out = kept(list, good);
    return good ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_curves_json(const tc_curve_part *parts, size_t n, json_t **out, tacit_error *err)
{
    if (n == 1)
        return part_json(&parts[0], out, err);
    json_t *results = json_array(), *ratios = NULL, *part;
    tacit_status status = results ? TACIT_OK : tc_fail_memory(err);
    for (size_t i = 0; i < n && status == TACIT_OK; i++) {
        status = part_json(&parts[i], &part, err);
        if (status == TACIT_OK && json_array_append_new(results, part) != 0)
            status = tc_fail_memory(err);
    }
    if (status == TACIT_OK)
        status = ratios_json(parts, n, &ratios, err);
    if (status != TACIT_OK) {
        json_decref(results);
        return status;
    }
    *out = json_pack("{s:o, s:o}", "results", results, "ratios", ratios);
    return *out ? TACIT_OK : tc_fail_memory(err);
}
