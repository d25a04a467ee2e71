/* federated_file.c - results of simulated federations as CSV and JSON. See federated_file.h. */
#include "sim/federated_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/statement.h"
#include "sim/regret_int.h"

#include <math.h>

/* -- ratios -------------------------------------------------------------------------------- */

enum { MOST_POINTS = 5 };

/* 1, 5, 10, 20 as far as there are so many, and the last. */
static size_t choose_points(uint64_t last, uint64_t out[MOST_POINTS])
{
    static const uint64_t fixed[] = {1, 5, 10, 20};
    size_t n = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed && fixed[i] < last; i++)
        out[n++] = fixed[i];
    out[n++] = last;
    return n;
}

static tacit_status fill_rows(const tc_federated_part *parts, size_t n, tc_federated_contrast *rows,
                              size_t *n_rows, tacit_error *err)
{
    uint64_t points[MOST_POINTS];
    size_t n_points = choose_points(parts[0].result->iterations - 1, points);
    size_t k = 0;
    for (size_t i = 1; i < n; i++)
        for (size_t t = 0; t < n_points; t++, k++) {
            rows[k].of = i;
            rows[k].iteration = points[t];
            TC_TRY(tc_federated_compare(parts[i].result, parts[0].result, points[t], &rows[k].ratio,
                                        err));
        }
    *n_rows = k;
    return TACIT_OK;
}

tacit_status tc_federated_contrasts(const tc_federated_part *parts, size_t n,
                                    tc_federated_contrast **rows, size_t *n_rows, tacit_error *err)
{
    size_t count = 0;
    tc_federated_contrast *made = tc_alloc(n * MOST_POINTS, sizeof *made);
    if (!made)
        return tc_fail_memory(err);
    if (parts[0].result->runs > 1) {
        tacit_status status = fill_rows(parts, n, made, &count, err);
        if (status != TACIT_OK) {
            tc_free(made);
            return status;
        }
    }
    *rows = made;
    *n_rows = count;
    return TACIT_OK;
}

/* -- CSV ----------------------------------------------------------------------------------- */

static void add_number(tc_text *out, double v)
{
    tc_text_add(out, ",");
    if (isfinite(v))
        tc_text_add_double(out, v);
}

static void add_names(tc_text *out, const tc_federated_part *p)
{
    tc_text_add_csv(out, p->label);
    tc_text_addf(out, ",%s,", p->f->algorithm->name);
    tc_text_add_csv(out, p->f->objective);
    tc_text_addf(out, ",%llu,%llu,%llu", (unsigned long long)p->f->agents,
                 (unsigned long long)p->f->runs, (unsigned long long)p->f->seed);
}

static void add_cost(tc_text *out, const tc_federated_part *p, uint64_t t)
{
    tc_text statement = {0};
    add_number(out, p->cost->none ? NAN : tc_federated_cost_at(p->cost, t));
    add_number(out, p->cost->none ? NAN : p->cost->bound.delta);
    tc_text_add(out, ",");
    if (t + 1 == p->result->iterations) {
        tc_federated_cost_statement(p->cost, &statement);
        tc_text_add_csv(out, tc_text_get(&statement));
        out->failed |= statement.failed;
        tc_text_fini(&statement);
    }
}

void tc_federated_csv(const tc_federated_part *parts, size_t n, tc_text *out)
{
    tc_text_add(out, "label,algorithm,objective,agents,runs,seed,iteration,simple_regret_mean,"
                     "simple_regret_se,cumulative_regret_mean,cumulative_regret_se,epsilon,delta,"
                     "statement,evaluations\n");
    for (size_t i = 0; i < n; i++) {
        const tc_federated_result *r = parts[i].result;
        for (uint64_t t = 0; t < r->iterations; t++) {
            add_names(out, &parts[i]);
            tc_text_addf(out, ",%llu", (unsigned long long)t);
            add_number(out, r->simple_mean[t]);
            add_number(out, r->simple_se[t]);
            add_number(out, r->cumulative_mean[t]);
            add_number(out, r->cumulative_se[t]);
            add_cost(out, &parts[i], t);
            tc_text_addf(out, ",%llu\n", (unsigned long long)(r->initial + t));
        }
    }
}

static void add_agent(tc_text *out, const tc_federated_part *p, bool labelled, uint64_t run,
                      uint64_t agent)
{
    const tc_federated_result *r = p->result;
    size_t at = (size_t)((run * r->agents + agent) * r->iterations);
    for (uint64_t t = 0; t < r->iterations; t++) {
        if (labelled)
            tc_text_add_csv(out, p->label);
        tc_text_addf(out, "%s%llu,%llu,%llu", labelled ? "," : "", (unsigned long long)run,
                     (unsigned long long)agent, (unsigned long long)t);
        add_number(out, r->agent_simple[at + t]);
        add_number(out, r->agent_cumulative[at + t]);
        tc_text_addf(out, ",%llu\n", (unsigned long long)(r->initial + t));
    }
}

void tc_federated_agents_csv(const tc_federated_part *parts, size_t n, tc_text *out)
{
    tc_text_addf(out, "%srun,agent,iteration,simple_regret,cumulative_regret,evaluations\n",
                 n > 1 ? "label," : "");
    for (size_t i = 0; i < n; i++)
        for (uint64_t run = 0; run < parts[i].result->runs; run++)
            for (uint64_t agent = 0; agent < parts[i].result->agents; agent++)
                add_agent(out, &parts[i], n > 1, run, agent);
}

/* -- JSON ---------------------------------------------------------------------------------- */

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *messages_json(const tc_federated_result *r, uint64_t agents)
{
    const tc_federation_tally *t = &r->tally;
    json_t *j = json_object();
    if (j && tc_regret_set(j, "count", count(t->messages)) &&
        tc_regret_set(j, "bytes", count(t->bytes)) &&
        tc_regret_set(j, "per_agent_bytes", json_real((double)t->bytes / (double)agents)) &&
        tc_regret_set(j, "releases", count(t->releases)) &&
        tc_regret_set(j, "refusals", count(t->refusals)) &&
        tc_regret_set(j, "broadcast_bytes", count(t->broadcast_bytes)) &&
        tc_regret_set(j, "lost", count(t->lost)) &&
        tc_regret_set(j, "rejected", count(t->rejected)) &&
        tc_regret_set(j, "rejection", r->rejection ? json_string(r->rejection) : json_null()) &&
        tc_regret_set(j, "fetches", count(t->fetches)) &&
        tc_regret_set(j, "fetched_bytes", count(t->fetched_bytes)) &&
        tc_regret_set(j, "of_run", count(0)))
        return j;
    json_decref(j);
    return NULL;
}

/* With 1/N^2 for each of N agents, that anybody's data leak is as likely as 1/N at most. */
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

static json_t *deployed_json(const tc_federated_cost *c, uint64_t agents)
{
    if (c->none)
        return json_null();
    tc_text statement = {0};
    json_t *j = json_object();
    tc_federated_cost_bound(c, &statement);
    bool ok = j && !statement.failed && tc_regret_set(j, "epsilon", number(c->bound.epsilon)) &&
              tc_regret_set(j, "delta", json_real(c->bound.delta)) &&
              tc_regret_set(j, "accountant", json_string(c->accountant)) &&
              tc_regret_set(j, "bound", json_string(c->bound.accountant)) &&
              tc_regret_set(j, "releases", count(c->releases)) &&
              tc_regret_set(j, "by_round", tc_regret_numbers((size_t)c->rounds, c->by_round)) &&
              tc_regret_set(j, "warning", warning_json(c->bound.delta, agents)) &&
              tc_regret_set(j, "statement", json_string(tc_text_get(&statement)));
    tc_text_fini(&statement);
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *privacy_json(const tc_federated_cost *c, uint64_t agents)
{
    tc_text statement = {0};
    tc_federated_cost_statement(c, &statement);
    json_t *j = json_object();
    bool ok = j && !statement.failed && tc_regret_set(j, "private", json_false()) &&
              tc_regret_set(j, "reason", json_string("seeded")) &&
              tc_regret_set(j, "statement", json_string(tc_text_get(&statement))) &&
              tc_regret_set(j, "if_deployed", deployed_json(c, agents));
    tc_text_fini(&statement);
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

/* Grids have as many on every axis; 0: there is none. */
static int64_t points_per_axis(const tc_space *s)
{
    return s->domain && s->domain->axes ? (int64_t)s->domain->axes[0] : 0;
}

tacit_status tc_federated_objective_json(const char *objective, const tc_family_opts *family,
                                         const tc_space *space, json_t **out, tacit_error *err)
{
    tc_family_opts o = tc_family_settle(objective, family);
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

static json_t *objective_json(const tc_federated_part *p)
{
    json_t *j = p->objective_options ? json_deep_copy(p->objective_options)
                                     : tc_options_json(tc_family_options, &p->f->family);
    if (j && tc_value_units_set(&p->f->units, j))
        return j;
    json_decref(j);
    return NULL;
}

static bool fill_plan(json_t *j, const tc_federated_part *p)
{
    const tc_federated *f = p->f;
    return tc_regret_set(j, "label", json_string(p->label)) &&
           tc_regret_set(j, "algorithm", json_string(f->algorithm->name)) &&
           tc_regret_set(j, "objective", json_string(f->objective)) &&
           tc_regret_set(j, "agents", count(f->agents)) &&
           (f->acting == 0 || tc_regret_set(j, "acting", count(f->acting))) &&
           tc_regret_set(j, "runs", count(f->runs)) &&
           tc_regret_set(j, "initial", count(p->result->initial)) &&
           tc_regret_set(j, "trials", count(p->result->initial + f->rounds)) &&
           tc_regret_set(j, "seed", count(f->seed)) &&
           tc_regret_set(j, "drop", json_real(f->drop)) &&
           tc_regret_set(j, "options", json_deep_copy(p->options ? p->options : f->options)) &&
           tc_regret_set(j, "objective_options", objective_json(p));
}

static json_t *part_json(const tc_federated_part *p)
{
    const tc_federated_result *r = p->result;
    size_t n = (size_t)r->iterations;
    json_t *j = json_object();
    if (j && fill_plan(j, p) && tc_regret_set(j, "iterations", tc_regret_iterations(n, 0)) &&
        tc_regret_set(j, "evaluations", tc_regret_iterations(n, (size_t)r->initial)) &&
        tc_regret_set(j, "simple_regret", tc_regret_moments(n, r->simple_mean, r->simple_se)) &&
        tc_regret_set(j, "cumulative_regret",
                      tc_regret_moments(n, r->cumulative_mean, r->cumulative_se)) &&
        tc_regret_set(j, "messages", messages_json(r, p->f->agents)) &&
        tc_regret_set(j, "privacy", privacy_json(p->cost, p->f->agents)) &&
        (!p->expect || tc_regret_set(j, "expect", json_deep_copy(p->expect))))
        return j;
    json_decref(j);
    return NULL;
}

static json_t *row_json(const tc_federated_part *parts, const tc_federated_contrast *row)
{
    const tc_federated_ratio *q = &row->ratio;
    json_t *j = json_object();
    if (j && tc_regret_set(j, "label", json_string(parts[row->of].label)) &&
        tc_regret_set(j, "over", json_string(parts[0].label)) &&
        tc_regret_set(j, "iteration", count(row->iteration)) &&
        tc_regret_set(j, "ratio", number(q->ratio)) && tc_regret_set(j, "low", number(q->low)) &&
        tc_regret_set(j, "high", number(q->high)) && tc_regret_set(j, "p", number(q->p)))
        return j;
    json_decref(j);
    return NULL;
}

static json_t *list_parts(const tc_federated_part *parts, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < n; i++)
        if (json_array_append_new(list, part_json(&parts[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *list_rows(const tc_federated_part *parts, const tc_federated_contrast *rows,
                         size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < n; i++)
        if (json_array_append_new(list, row_json(parts, &rows[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static tacit_status comparison_json(const tc_federated_part *parts, size_t n, json_t **out,
                                    tacit_error *err)
{
    tc_federated_contrast *rows;
    size_t n_rows;
    TC_TRY(tc_federated_contrasts(parts, n, &rows, &n_rows, err));
    json_t *j = json_object();
    bool ok = j && tc_regret_set(j, "results", list_parts(parts, n)) &&
              tc_regret_set(j, "ratios", list_rows(parts, rows, n_rows));
    tc_free(rows);
    if (!ok) {
        json_decref(j);
        return tc_fail_memory(err);
    }
    *out = j;
    return TACIT_OK;
}

tacit_status tc_federated_json(const tc_federated_part *parts, size_t n, json_t **out,
                               tacit_error *err)
{
    json_t *j = NULL;
    if (n > 1)
        TC_TRY(comparison_json(parts, n, &j, err));
    else if (!(j = part_json(&parts[0])))
        return tc_fail_memory(err);
    *out = j;
    return TACIT_OK;
}
