/* outcome_names.c - outcomes of a trial by name, see outcome_names.h. Reading them from a document is study_outcomes.c. */
#include "wire/outcome_names.h"

#include "base/error.h"
#include "base/json.h"

#include <string.h>

size_t tc_outcomes_find(const tc_study_outcomes *o, const char *name)
{
    size_t i = 0;
    while (i < o->n && strcmp(o->name[i], name) != 0)
        i++;
    return i;
}

void tc_outcomes_list(const tc_study_outcomes *o, tc_text *out)
{
    for (size_t i = 0; i < o->n; i++)
        tc_text_addf(out, "%s%s", i > 0 ? ", " : "", o->name[i]);
}

static tacit_status refuse(const tc_study_outcomes *o, const char *path, const char *name,
                           const char *why, tacit_error *err)
{
    tc_text all = {0};
    tc_outcomes_list(o, &all);
    tacit_status status =
        all.failed ? tc_fail_memory(err)
                   : tc_fail(err, TACIT_E_ARG, "%s.%.64s %s: the study's outcomes are %s", path,
                             name, why, tc_text_get(&all));
    tc_text_fini(&all);
    return status;
}

tacit_status tc_outcomes_from_json(const tc_study_outcomes *o, const json_t *j, const char *path,
                                   double *out, tacit_error *err)
{
    const char *key;
    json_t *member;
    double read[TC_OUTCOMES_MOST];
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "%s must be an object, got %s", path, tc_json_kind(j));
    json_object_foreach((json_t *)j, key,
                        member) if (tc_outcomes_find(o, key) == o->n) return refuse(o, path, key,
                                                                                    "is none", err);
    for (size_t i = 0; i < o->n; i++) {
        if (!json_object_get(j, o->name[i]))
            return refuse(o, path, o->name[i], "is missing", err);
        TC_TRY(tc_json_number(j, path, o->name[i], &read[i], err));
    }
    memcpy(out, read, o->n * sizeof *out);
    return TACIT_OK;
}

json_t *tc_outcomes_json(const tc_study_outcomes *o, double value, const double *more)
{
    json_t *j = json_object();
    for (size_t i = 0; j && i < o->n; i++)
        if (json_object_set_new(j, o->name[i], json_real(i == 0 ? value : more[i - 1])) != 0) {
            json_decref(j);
            j = NULL;
        }
    return j;
}
