/* study_federation.c - what only a study of many agents has: "federation". See study_doc.h; called by study_doc.c. */
#include "wire/study_doc_int.h"

#include "base/error.h"
#include "base/json.h"

#define DEADLINE_MAX 1e9

/* --- reading --- */

static tacit_status read_agents(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"agents", "deadline_s", NULL};
    int64_t agents = 0;
    TC_TRY(tc_json_only(j, "federation", allowed, err));
    if (!json_object_get(j, "agents"))
        return tc_fail(err, TACIT_E_ARG, "federation.agents is missing: say how many there are");
    TC_TRY(tc_json_int_or(j, "federation", "agents", 1, TACIT_AGENTS_MOST, &agents, err));
    TC_TRY(tc_json_number_or(j, "federation", "deadline_s", &d->deadline_s, err));
    if (json_object_get(j, "deadline_s") && !(d->deadline_s > 0 && d->deadline_s <= DEADLINE_MAX))
        return tc_fail(err, TACIT_E_ARG,
                       "federation.deadline_s must be a number in (0, 1e9], got %g", d->deadline_s);
    d->agents = (uint64_t)agents;
    return TACIT_OK;
}

tacit_status tc_study_doc_read_federation(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const json_t *federation = json_object_get(j, "federation");
    if (federation && !json_is_object(federation))
        return tc_fail(err, TACIT_E_ARG, "federation must be an object, got %s",
                       tc_json_kind(federation));
    if (federation)
        TC_TRY(read_agents(d, federation, err));
    return TACIT_OK;
}

/* --- writing --- */

static json_t *federation_json(const tc_study_doc *d)
{
    json_t *j = json_pack("{s:I}", "agents", (json_int_t)d->agents);
    if (!j || d->deadline_s == 0 ||
        json_object_set_new(j, "deadline_s", json_real(d->deadline_s)) == 0)
        return j;
    json_decref(j);
    return NULL;
}

bool tc_study_doc_add_federation(const tc_study_doc *d, json_t *j)
{
    return !d->agents || json_object_set_new(j, "federation", federation_json(d)) == 0;
}
