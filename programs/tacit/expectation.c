/* expectation.c - see expectation.h. */
#include "expectation.h"

#include "algo/expect.h"
#include "base/error.h"
#include "study/study.h"

tacit_status tc_expectation_of_plan(const tc_study_plan *p, json_t **out, tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    tc_expect e;
    bool known;
    TC_TRY(tc_expect_find(d->algorithm, &p->env, p->opts, &e, &known, err));
    json_t *j = known ? tc_expect_json(&e, d->agents, d->epsilon) : NULL;
    if (known && !j)
        return tc_fail_memory(err);
    *out = j;
    return TACIT_OK;
}

tacit_status tc_expectation_of(tc_study_doc *doc, json_t **out, tacit_error *err)
{
    tc_study_row row;
    tc_study_plan *p;
    TC_TRY(tc_study_calibrate(doc, err));
    TC_TRY(tc_study_row_of(&row, doc, 0, err));
    tacit_status status = tc_study_plan_new(&p, &row, err);
    tc_study_row_fini(&row);
    TC_TRY(status);
    status = tc_expectation_of_plan(p, out, err);
    tc_study_plan_free(p);
    return status;
}

const char *tc_expectation_sentence(const json_t *expect)
{
    return json_string_value(json_object_get(expect, "sentence"));
}
