/* regret_write.c - a simulation's curves as CSV rows and as one JSON object. See regret_file.h. */
#include "sim/regret_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "sim/claim.h"
#include "sim/regret_int.h"

#include <math.h>

/* ---- CSV */

/* The price stands in every row, the words in the last. */
static void add_claim(tc_text *out, const tc_sim_claim *c, bool last)
{
    tc_text statement = {0};
    tc_text_add(out, ",");
    if (!c->none)
        tc_text_add_double(out, c->epsilon);
    tc_text_add(out, ",");
    if (!c->none)
        tc_text_add_double(out, c->delta);
    tc_text_add(out, ",");
    if (last)
        tc_sim_claim_statement(c, &statement);
    tc_text_add_csv(out, tc_text_get(&statement));
    out->failed = out->failed || statement.failed;
    tc_text_fini(&statement);
}

static void add_rows(const tc_simulation *sim, const tc_simulation_result *r, const tc_sim_claim *c,
                     tc_text *out)
{
    for (size_t t = 0; t < r->trials; t++) {
        const double columns[] = {r->simple_mean[t], r->simple_se[t], r->cumulative_mean[t],
                                  r->cumulative_se[t]};
        tc_text_addf(out, "%s,%s,%llu,%llu,%zu", sim->algorithm->name, sim->objective,
                     (unsigned long long)sim->runs, (unsigned long long)sim->seed, t + 1);
        for (size_t k = 0; k < 4; k++) {
            tc_text_add(out, ",");
            tc_text_add_double(out, columns[k]);
        }
        if (c->there)
            add_claim(out, c, t + 1 == r->trials);
        tc_text_addf(out, ",%zu\n", t + 1);
    }
}

void tc_regret_csv(const tc_simulation *sim, const tc_simulation_result *r, tc_text *out)
{
    tc_sim_claim claim = {0};
    if (tc_sim_claim_init(&claim, sim, NULL) != TACIT_OK) /* the simulation ran: no memory */
        out->failed = true;
    tc_text_add(out, "algorithm,objective,runs,seed,iteration,simple_regret_mean,simple_regret_se,"
                     "cumulative_regret_mean,cumulative_regret_se");
    tc_text_add(out, claim.there ? ",epsilon,delta,statement,evaluations\n" : ",evaluations\n");
    add_rows(sim, r, &claim, out);
    tc_sim_claim_fini(&claim);
}

/* ---- JSON */

json_t *tc_regret_numbers(size_t n, const double *x)
{
    json_t *a = json_array();
    for (size_t i = 0; a && i < n; i++)
        if (json_array_append_new(a, isfinite(x[i]) ? json_real(x[i]) : json_null()) != 0) {
            json_decref(a);
            return NULL;
        }
    return a;
}

json_t *tc_regret_iterations(size_t n, size_t first)
{
    json_t *a = json_array();
    for (size_t i = 0; a && i < n; i++)
        if (json_array_append_new(a, json_integer((json_int_t)(first + i))) != 0) {
            json_decref(a);
            return NULL;
        }
    return a;
}

bool tc_regret_set(json_t *object, const char *key, json_t *value)
{
    return value && json_object_set_new(object, key, value) == 0;
}

json_t *tc_regret_moments(size_t n, const double *mean, const double *se)
{
    json_t *j = json_object();
    if (j && tc_regret_set(j, "mean", tc_regret_numbers(n, mean)) &&
        tc_regret_set(j, "se", tc_regret_numbers(n, se)))
        return j;
    json_decref(j);
    return NULL;
}

/* Row r of n has its last number at the end of trial `trials`. */
static json_t *last_numbers(const double *rows, size_t n, size_t trials)
{
    json_t *a = json_array();
    for (size_t r = 0; a && r < n; r++)
        if (json_array_append_new(a, json_real(rows[r * trials + trials - 1])) != 0) {
            json_decref(a);
            return NULL;
        }
    return a;
}

static json_t *by_run_json(const tc_simulation_result *r)
{
    size_t n = (size_t)r->runs, trials = (size_t)r->trials;
    json_t *j = json_object();
    if (j && tc_regret_set(j, "simple_regret", last_numbers(r->simple, n, trials)) &&
        tc_regret_set(j, "cumulative_regret", last_numbers(r->cumulative, n, trials)))
        return j;
    json_decref(j);
    return NULL;
}

static json_t *deployed_json(const tc_sim_claim *c)
{
    if (c->none)
        return json_null();
    json_t *j = json_object();
    bool rows = c->unit == TACIT_UNIT_ROW;
    if (j && tc_regret_set(j, "epsilon", json_real(c->epsilon)) &&
        tc_regret_set(j, "delta", json_real(c->delta)) &&
        tc_regret_set(j, "per", json_string(c->per)) &&
        tc_regret_set(j, "unit", json_string(tacit_unit_name(c->unit))) &&
        (!rows || tc_regret_set(j, "output_epsilon", json_real(c->output_epsilon))) &&
        tc_regret_set(j, "mechanism", json_string(c->mechanism)) &&
        tc_regret_set(j, "noise_sd", json_real(c->noise_sd)) &&
        tc_regret_set(j, "statement", json_string(tc_text_get(&c->promise))))
        return j;
    json_decref(j);
    return NULL;
}

static json_t *privacy_json(const tc_sim_claim *c)
{
    tc_text statement = {0};
    json_t *j = json_object();
    tc_sim_claim_statement(c, &statement);
    bool ok = j && !statement.failed && tc_regret_set(j, "private", json_false()) &&
              tc_regret_set(j, "reason", json_string("seeded")) &&
              tc_regret_set(j, "if_deployed", deployed_json(c)) &&
              tc_regret_set(j, "statement", json_string(tc_text_get(&statement)));
    tc_text_fini(&statement);
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

/* Only where something would be hidden: of plain optimization nothing is claimed. */
static tacit_status set_privacy(json_t *j, const tc_simulation *sim, tacit_error *err)
{
    tc_sim_claim claim;
    TC_TRY(tc_sim_claim_init(&claim, sim, err));
    bool ok = !claim.there || tc_regret_set(j, "privacy", privacy_json(&claim));
    tc_sim_claim_fini(&claim);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* How the rows were released; the epsilon stands with what it promises, if it promises anything. */
static json_t *release_json(const tc_row_terms *t)
{
    json_t *j = tc_row_terms_json(t);
    if (!j)
        return NULL;
    json_object_del(j, "name");
    json_object_del(j, "maximize");
    if (t->mode == TC_ROW_PAPER)
        json_object_del(j, "epsilon");
    return j;
}

static json_t *objective_json(const tc_simulation *sim)
{
    json_t *j = tc_options_json(tc_objective_options, &sim->objective_opts);
    if (j && tc_value_units_set(&sim->units, j))
        return j;
    json_decref(j);
    return NULL;
}

static bool fill(json_t *j, const tc_simulation *sim, const tc_simulation_result *r,
                 json_t *options)
{
    size_t n = (size_t)r->trials;
    return tc_regret_set(j, "algorithm", json_string(sim->algorithm->name)) &&
           tc_regret_set(j, "objective", json_string(sim->objective)) &&
           tc_regret_set(j, "runs", json_integer((json_int_t)r->runs)) &&
           tc_regret_set(j, "trials", json_integer((json_int_t)r->trials)) &&
           tc_regret_set(j, "seed", json_integer((json_int_t)sim->seed)) &&
           tc_regret_set(j, "options", json_incref(options)) &&
           tc_regret_set(j, "objective_options", objective_json(sim)) &&
           (!sim->curated || tc_regret_set(j, "release", release_json(sim->curated))) &&
           tc_regret_set(j, "iterations", tc_regret_iterations(n, 1)) &&
           tc_regret_set(j, "evaluations", tc_regret_iterations(n, 1)) &&
           tc_regret_set(j, "simple_regret", tc_regret_moments(n, r->simple_mean, r->simple_se)) &&
           tc_regret_set(j, "cumulative_regret",
                         tc_regret_moments(n, r->cumulative_mean, r->cumulative_se)) &&
           tc_regret_set(j, "by_run", by_run_json(r));
}

tacit_status tc_regret_json(const tc_simulation *sim, const tc_simulation_result *r, json_t **out,
                            tacit_error *err)
{
    json_t *options = NULL, *j = json_object();
    if (!j)
        return tc_fail_memory(err);
    tacit_status status = tc_simulation_options(sim, &options, err);
    if (status == TACIT_OK && !fill(j, sim, r, options))
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        status = set_privacy(j, sim, err);
    json_decref(options);
    if (status != TACIT_OK) {
        json_decref(j);
        return status;
    }
    *out = j;
    return TACIT_OK;
}
