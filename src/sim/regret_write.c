/* regret_write.c - a simulation's curves as CSV rows and as one JSON object. See regret_file.h. */
#include "sim/regret_file.h"

#include "base/error.h"
#include "base/memory.h"

void tc_regret_csv(const tc_simulation *sim, const tc_simulation_result *r, tc_text *out)
{
    tc_text_add(out, "algorithm,objective,runs,seed,iteration,simple_regret_mean,simple_regret_se,"
                     "cumulative_regret_mean,cumulative_regret_se\n");
    for (size_t t = 0; t < r->trials; t++) {
        const double columns[] = {r->simple_mean[t], r->simple_se[t], r->cumulative_mean[t],
                                  r->cumulative_se[t]};
        tc_text_addf(out, "%s,%s,%llu,%llu,%zu", sim->algorithm->name, sim->objective,
                     (unsigned long long)sim->runs, (unsigned long long)sim->seed, t + 1);
        for (size_t k = 0; k < 4; k++) {
            tc_text_add(out, ",");
            tc_text_add_double(out, columns[k]);
        }
        tc_text_add(out, "\n");
    }
}

static json_t *numbers(size_t n, const double *x)
{
    json_t *a = json_array();
    for (size_t i = 0; a && i < n; i++)
        if (json_array_append_new(a, json_real(x[i])) != 0) {
            json_decref(a);
            return NULL;
        }
    return a;
}

static json_t *iterations(size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; a && i < n; i++)
        if (json_array_append_new(a, json_integer((json_int_t)(i + 1))) != 0) {
            json_decref(a);
            return NULL;
        }
    return a;
}

/* Takes `value`, also on failure; NULL is a failure. */
static bool set(json_t *obj, const char *key, json_t *value)
{
    return value && json_object_set_new(obj, key, value) == 0;
}

static json_t *moments(size_t n, const double *mean, const double *se)
{
    json_t *j = json_object();
    if (j && set(j, "mean", numbers(n, mean)) && set(j, "se", numbers(n, se)))
        return j;
    json_decref(j);
    return NULL;
}

static bool fill(json_t *j, const tc_simulation *sim, const tc_simulation_result *r,
                 json_t *options)
{
    size_t n = (size_t)r->trials;
    return set(j, "algorithm", json_string(sim->algorithm->name)) &&
           set(j, "objective", json_string(sim->objective)) &&
           set(j, "runs", json_integer((json_int_t)r->runs)) &&
           set(j, "trials", json_integer((json_int_t)r->trials)) &&
           set(j, "seed", json_integer((json_int_t)sim->seed)) &&
           set(j, "options", json_incref(options)) &&
           set(j, "objective_options",
               tc_options_json(tc_objective_options, &sim->objective_opts)) &&
           set(j, "iterations", iterations(n)) &&
           set(j, "simple_regret", moments(n, r->simple_mean, r->simple_se)) &&
           set(j, "cumulative_regret", moments(n, r->cumulative_mean, r->cumulative_se)) &&
           set(j, "seconds", json_real(r->seconds));
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
    json_decref(options);
    if (status != TACIT_OK) {
        json_decref(j);
        return status;
    }
    *out = j;
    return TACIT_OK;
}
