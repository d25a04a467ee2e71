/* expectation.c - see expectation.h. */
#include "federation/expectation.h"

#include "algo/expect.h"
#include "base/error.h"

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

const char *tc_expectation_sentence(const json_t *expect)
{
    return json_string_value(json_object_get(expect, "sentence"));
}
