/* released_study.c - from released rows to the document of a study (released_study.h). */
#include "wire/released_study.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "wire/released_json.h"

#include <string.h>

static tacit_status set_number(const tc_algorithm *a, void *opts, const char *name, double v,
                               tacit_error *err)
{
    char text[32];
    tc_double_text(text, v);
    return tc_options_set(a->options, opts, a->name, name, text, err);
}

/* What the release says of its noise, then what is given. */
static tacit_status set_all(const tc_algorithm *a, void *opts, const tc_released *r,
                            const json_t *given, tacit_error *err)
{
    TC_TRY(tc_options_defaults(a->options, opts, err));
    TC_TRY(set_number(a, opts, "input_sd", r->input_sd, err));
    TC_TRY(set_number(a, opts, "output_sd", r->output_sd, err));
    return given ? tc_options_set_json(a->options, opts, a->name, given, NULL, err) : TACIT_OK;
}

static tacit_status make_options(const tc_algorithm *a, const tc_released *r, const json_t *given,
                                 json_t **out, tacit_error *err)
{
    void *opts = tc_alloc(1, a->options_size);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = set_all(a, opts, r, given, err);
    *out = status == TACIT_OK ? tc_options_json(a->options, opts) : NULL;
    tc_options_fini(a->options, opts);
    tc_free(opts);
    return status == TACIT_OK && !*out ? tc_fail_memory(err) : status;
}

static tacit_status fill(tc_study_doc *d, const tc_released *r, const tc_released_plan *p,
                         tacit_error *err)
{
    tc_domain *rows = NULL;
    d->name = tc_strdup(p->name ? p->name : r->name);
    d->maximize = r->maximize;
    d->trials = p->trials > 0 ? p->trials : TC_RELEASED_TRIALS;
    d->has_seed = true;
    d->seed = p->seed;
    d->algorithm = tc_algorithm_find(TC_RELEASED_ALGORITHM);
    if (!d->name)
        return tc_fail_memory(err);
    TC_TRY(tc_released_domain(r, &rows, err));
    TC_TRY(tc_space_from_domain(&d->space, rows, err));
    return make_options(d->algorithm, r, p->options, &d->options, err);
}

tacit_status tc_released_study(tc_study_doc **out, const struct tc_released *r,
                               const tc_released_plan *p, tacit_error *err)
{
    tc_study_doc *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    tacit_status status = fill(d, r, p, err);
    if (status == TACIT_OK)
        *out = d;
    else
        tc_study_doc_free(d);
    return status;
}

tacit_status tc_released_study_from_json(tc_study_doc **out, const json_t *released,
                                         const tc_released_plan *p, tacit_error *err)
{
    tc_released *r = NULL;
    char *text = tc_json_text(released);
    if (!text)
        return tc_fail_memory(err);
    tacit_status status = tacit_released_parse(&r, text, strlen(text), "released", err);
    tc_free(text);
    if (status == TACIT_OK)
        status = tc_released_study(out, r, p, err);
    tacit_released_free(r);
    return status;
}
