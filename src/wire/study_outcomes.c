/* study_outcomes.c - "objectives", "constraints" and "reference" of a study document (outcome_names.h). Called by study_doc.c.
 *
 * They are for studies whose values nobody protects: each outcome that leaves a party, or is told with noise, would be a
 * query of its own. */
#include "wire/study_doc_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define OUTCOME_COLUMN "outcomes_" /* what outcomes begin with in exported tables */

/* --- reading --- */

/* `field` is "objectives" or "constraints". */
static tacit_status add_name(tc_study_doc *d, const char *field, const char *name, tacit_error *err)
{
    tc_study_outcomes *o = d->outcomes;
    tacit_status status = tc_name_check_of("outcome", name, err);
    if (status == TACIT_E_ARG)
        return tc_fail_in(err, "%s", field);
    TC_TRY(status);
    if (strcmp(name, "feasible") == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "%s: outcome name \"feasible\" is reserved: tables of trials have a column "
                       "or key of that name",
                       field);
    if (tc_outcomes_find(o, name) < o->n)
        return tc_fail(err, TACIT_E_ARG, "constraints.%s is an objective, too: give another name",
                       name);
    memcpy(o->name[o->n], name, strlen(name) + 1);
    o->n++;
    return TACIT_OK;
}

/* "minimize" or "maximize" of an objective. */
static tacit_status read_objective(tc_study_doc *d, const json_t *all, const char *name,
                                   tacit_error *err)
{
    const char *word;
    tc_study_outcomes *o = d->outcomes;
    TC_TRY(add_name(d, "objectives", name, err));
    TC_TRY(tc_json_string(all, "objectives", name, &word, err));
    return tc_study_doc_direction("objectives.", name, word, &o->maximize[o->n - 1], err);
}

static tacit_status read_objectives(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const char *name;
    json_t *member;
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "objectives must be an object, got %s", tc_json_kind(j));
    size_t n = json_object_size(j);
    if (n < 2 || n > TACIT_OBJECTIVES_MOST)
        return tc_fail(err, TACIT_E_ARG, "objectives must have 2 to %d members, got %zu%s",
                       TACIT_OBJECTIVES_MOST, n,
                       n == 1 ? ": one objective is said by \"direction\"" : "");
    json_object_foreach((json_t *)j, name, member) TC_TRY(read_objective(d, j, name, err));
    d->maximize = d->outcomes->maximize[0];
    return TACIT_OK;
}

static tacit_status read_bound(const json_t *j, const char *path, const char *key, double *out,
                               tacit_error *err)
{
    return json_object_get(j, key) ? tc_json_number(j, path, key, out, err) : TACIT_OK;
}

static tacit_status read_constraint(tc_study_doc *d, const char *name, const json_t *j,
                                    tacit_error *err)
{
    static const char *const allowed[] = {"min", "max", NULL};
    tc_study_outcomes *o = d->outcomes;
    char path[sizeof "constraints." + TC_NAME_MAX];
    TC_TRY(add_name(d, "constraints", name, err));
    snprintf(path, sizeof path, "constraints.%s", name);
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "%s must be an object, got %s", path, tc_json_kind(j));
    TC_TRY(tc_json_only(j, path, allowed, err));
    size_t i = o->what.n_constraints++;
    o->low[i] = -(double)INFINITY;
    o->high[i] = (double)INFINITY;
    TC_TRY(read_bound(j, path, "min", &o->low[i], err));
    TC_TRY(read_bound(j, path, "max", &o->high[i], err));
    if (json_object_size(j) == 0)
        return tc_fail(err, TACIT_E_ARG, "%s must have \"min\" or \"max\" or both", path);
    if (o->low[i] >= o->high[i])
        return tc_fail(err, TACIT_E_ARG, "%s.min must be below max, got %g and %g", path, o->low[i],
                       o->high[i]);
    return TACIT_OK;
}

static tacit_status read_constraints(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const char *name;
    json_t *member;
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "constraints must be an object, got %s", tc_json_kind(j));
    size_t n = json_object_size(j);
    if (n < 1 || n > TACIT_CONSTRAINTS_MOST)
        return tc_fail(err, TACIT_E_ARG, "constraints must have 1 to %d members, got %zu",
                       TACIT_CONSTRAINTS_MOST, n);
    json_object_foreach((json_t *)j, name, member) TC_TRY(read_constraint(d, name, member, err));
    return TACIT_OK;
}

/* After the objectives and before the constraints, of which it has none. */
static tacit_status read_reference(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    tc_study_outcomes *o = d->outcomes;
    TC_TRY(tc_outcomes_from_json(o, j, "reference", o->reference, err));
    o->what.reference = o->reference;
    return TACIT_OK;
}

tacit_status tc_study_doc_read_outcomes(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const json_t *objectives = json_object_get(j, "objectives");
    const json_t *constraints = json_object_get(j, "constraints");
    const json_t *reference = json_object_get(j, "reference");
    if (objectives && json_object_get(j, "direction"))
        return tc_fail(err, TACIT_E_ARG, "direction and objectives must not both be given");
    if (reference && !objectives)
        return tc_fail(err, TACIT_E_ARG,
                       "reference goes with objectives: one objective has no hypervolume");
    if (!objectives)
        TC_TRY(tc_study_doc_read_direction(d, j, err));
    if (!objectives && !constraints)
        return TACIT_OK;
    tc_study_outcomes *o = d->outcomes = tc_alloc(1, sizeof *o);
    if (!o)
        return tc_fail_memory(err);
    if (objectives) {
        TC_TRY(read_objectives(d, objectives, err));
    } else {
        memcpy(o->name[o->n++], TC_OUTCOME_VALUE, sizeof TC_OUTCOME_VALUE);
        o->maximize[0] = d->maximize;
    }
    o->what = (tc_outcomes){
        .n_objectives = o->n, .maximize = o->maximize, .low = o->low, .high = o->high};
    if (reference)
        TC_TRY(read_reference(d, reference, err));
    return constraints ? read_constraints(d, constraints, err) : TACIT_OK;
}

/* --- what they go with --- */

/* Adds the names of algorithms that take outcomes. */
static void list_algorithms(tc_text *out)
{
    for (const tc_algorithm *const *a = tc_algorithms(); *a; a++)
        if ((*a)->outcomes)
            tc_text_addf(out, "%s%s", out->len > 0 ? ", " : "", (*a)->name);
}

static tacit_status refuse_algorithm(const tc_study_doc *d, const char *field, tacit_error *err)
{
    tc_text able = {0};
    list_algorithms(&able);
    tacit_status status =
        able.failed ? tc_fail_memory(err)
                    : tc_fail(err, TACIT_E_ARG,
                              "%s must not be given with the algorithm %s, which is told one value "
                              "a trial; those that are told several are %s",
                              field, d->algorithm->name, tc_text_get(&able));
    tc_text_fini(&able);
    return status;
}

/* No parameter shares a name with an outcome: both are columns of exported trials, and keys. */
static tacit_status check_names(const tc_study_doc *d, tacit_error *err)
{
    for (size_t i = 0; i < d->space->n_params; i++) {
        const char *param = tacit_space_param_name(d->space, i);
        const char *bare = strncmp(param, OUTCOME_COLUMN, sizeof OUTCOME_COLUMN - 1) == 0
                               ? param + sizeof OUTCOME_COLUMN - 1
                               : param;
        size_t k = tc_outcomes_find(d->outcomes, bare);
        if (k < d->outcomes->n)
            return tc_fail(err, TACIT_E_ARG,
                           "%s.%s must not have the name of a parameter: tables of trials have "
                           "both",
                           k < d->outcomes->what.n_objectives ? "objectives" : "constraints", bare);
    }
    return TACIT_OK;
}

tacit_status tc_study_doc_check_outcomes(const tc_study_doc *d, tacit_error *err)
{
    if (!d->outcomes)
        return TACIT_OK;
    const char *field = d->outcomes->what.n_objectives > 1 ? "objectives" : "constraints";
    if (d->agents > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "%s must not be given in a federation, whose agents tell one value a trial",
                       field);
    if (d->promise == TC_PROMISE_RECORDS)
        return tc_fail(err, TACIT_E_ARG,
                       "%s must not be given where validation records are protected: noise is "
                       "added to one value a trial, and other outcomes would tell of the records, "
                       "too",
                       field);
    if (!d->algorithm->outcomes)
        return refuse_algorithm(d, field, err);
    return check_names(d, err);
}

/* --- writing --- */

static json_t *direction_json(bool maximize)
{
    return json_string(maximize ? "maximize" : "minimize");
}

static json_t *bounds_json(double low, double high)
{
    json_t *j = json_object();
    int bad = 0;
    if (isfinite(low))
        bad |= json_object_set_new(j, "min", json_real(low));
    if (isfinite(high))
        bad |= json_object_set_new(j, "max", json_real(high));
    if (!bad)
        return j;
    json_decref(j);
    return NULL;
}

/* A failed member makes the whole NULL. */
static json_t *objectives_json(const tc_study_outcomes *o)
{
    json_t *j = json_object();
    int bad = 0;
    for (size_t i = 0; i < o->what.n_objectives; i++)
        bad |= json_object_set_new(j, o->name[i], direction_json(o->maximize[i]));
    if (!bad)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *reference_json(const tc_study_outcomes *o)
{
    json_t *j = json_object();
    int bad = 0;
    for (size_t i = 0; i < o->what.n_objectives; i++)
        bad |= json_object_set_new(j, o->name[i], json_real(o->reference[i]));
    if (!bad)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *constraints_json(const tc_study_outcomes *o)
{
    json_t *j = json_object();
    int bad = 0;
    for (size_t i = 0; i < o->what.n_constraints; i++)
        bad |= json_object_set_new(j, o->name[o->what.n_objectives + i],
                                   bounds_json(o->low[i], o->high[i]));
    if (!bad)
        return j;
    json_decref(j);
    return NULL;
}

bool tc_study_doc_add_outcomes(const tc_study_doc *d, json_t *j)
{
    const tc_study_outcomes *o = d->outcomes;
    bool several = o && o->what.n_objectives > 1;
    int bad = json_object_set_new(j, several ? "objectives" : "direction",
                                  several ? objectives_json(o) : direction_json(d->maximize));
    if (o && o->what.n_constraints > 0)
        bad |= json_object_set_new(j, "constraints", constraints_json(o));
    if (o && o->what.reference)
        bad |= json_object_set_new(j, "reference", reference_json(o));
    return !bad;
}
