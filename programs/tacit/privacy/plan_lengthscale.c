/* plan_lengthscale.c - see plan_lengthscale.h. */
#include "privacy/plan_lengthscale.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

static const char name[] = "lengthscale";

/* The option in force after `settle`, which changes the struct: opts is a zeroed one to be ended by the caller. */
static tacit_status find_settled(const tc_study_plan *p, void *opts, double *out, tacit_error *err)
{
    const tc_algorithm *a = p->doc->algorithm;
    TC_TRY(tc_options_defaults(a->options, opts, err));
    TC_TRY(tc_options_set_json(a->options, opts, a->name, p->options, NULL, err));
    TC_TRY(a->settle(&p->env, opts, err));
    json_t *settled = tc_options_json(a->options, opts);
    if (!settled)
        return tc_fail_memory(err);
    *out = json_number_value(json_object_get(settled, name));
    json_decref(settled);
    return TACIT_OK;
}

tacit_status tc_plan_lengthscale(const tc_study_plan *p, double *out, tacit_error *err)
{
    const tc_algorithm *a = p->doc->algorithm;
    const json_t *said = json_object_get(p->options, name);
    *out = 0;
    if (!a->settle || !json_is_number(said) || json_number_value(said) > 0)
        return TACIT_OK;
    void *opts = tc_alloc(1, a->options_size);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = find_settled(p, opts, out, err);
    tc_options_fini(a->options, opts);
    tc_free(opts);
    return status;
}

void tc_plan_lengthscale_add(tc_text *out, const tc_study_plan *p, double lengthscale)
{
    const size_t dim = p->env.space->dim;
    tc_text_addf(out,
                 "The length-scale is the usual one in %zu dimension%s, %.3g: none is given, and "
                 "agents do not vote on it.",
                 dim, dim == 1 ? "" : "s", lengthscale);
}
