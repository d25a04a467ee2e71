/* study_federation.c - what only a study of many agents has: "federation". See study_doc.h; called by study_doc.c. */
#include "wire/study_doc_int.h"

#include "base/error.h"
#include "base/json.h"

#define DEADLINE_MAX 1e9

/* --- reading --- */

/* Terms that are not given are the usual ones for so many trustees. */
static tacit_status read_terms(tc_trustees *t, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"count", "degree", "colluding", "dealers", NULL};
    static const char at[] = "federation.trustees";
    int64_t count = 0;
    TC_TRY(tc_json_only(j, at, allowed, err));
    if (!json_object_get(j, "count"))
        return tc_fail(err, TACIT_E_ARG,
                       "federation.trustees.count is missing: say how many trustees there are");
    TC_TRY(tc_json_int_or(j, at, "count", TC_TRUSTEES_LEAST, TC_TRUSTEES_MOST, &count, err));
    *t = tc_trustees_usual((uint32_t)count);
    int64_t colluding = t->colluding;
    TC_TRY(tc_json_int_or(j, at, "colluding", 1, TC_TRUSTEES_MOST, &colluding, err));
    t->colluding = (uint32_t)colluding;
    t->degree = tc_trustees_least_degree(t->count, t->colluding);
    int64_t degree = t->degree;
    TC_TRY(tc_json_int_or(j, at, "degree", 1, TC_TRUSTEES_MOST, &degree, err));
    t->degree = (uint32_t)degree;
    int64_t dealers = degree + 1;
    TC_TRY(tc_json_int_or(j, at, "dealers", 1, TC_TRUSTEES_MOST, &dealers, err));
    t->dealers = (uint32_t)dealers;
    return tc_trustees_check(t, err);
}

static tacit_status read_trustees(tc_study_doc *d, const json_t *federation, tacit_error *err)
{
    const json_t *j = json_object_get(federation, "trustees");
    int64_t count = 0;
    if (!j)
        return TACIT_OK;
    if (json_is_object(j))
        return read_terms(&d->trustees, j, err);
    TC_TRY(tc_json_int_or(federation, "federation", "trustees", TC_TRUSTEES_LEAST, TC_TRUSTEES_MOST,
                          &count, err));
    d->trustees = tc_trustees_usual((uint32_t)count);
    return TACIT_OK;
}

static tacit_status read_agents(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"agents", "deadline_s", "trustees", NULL};
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
    return read_trustees(d, j, err);
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

static bool add_deadline(const tc_study_doc *d, json_t *j)
{
    return d->deadline_s == 0 ||
           json_object_set_new(j, "deadline_s", json_real(d->deadline_s)) == 0;
}

/* In full: the usual terms of another version may be others. */
static bool add_trustees(const tc_trustees *t, json_t *j)
{
    return t->count == 0 ||
           json_object_set_new(j, "trustees",
                               json_pack("{s:I, s:I, s:I, s:I}", "count", (json_int_t)t->count,
                                         "degree", (json_int_t)t->degree, "colluding",
                                         (json_int_t)t->colluding, "dealers",
                                         (json_int_t)t->dealers)) == 0;
}

static json_t *federation_json(const tc_study_doc *d)
{
    json_t *j = json_pack("{s:I}", "agents", (json_int_t)d->agents);
    if (j && add_deadline(d, j) && add_trustees(&d->trustees, j))
        return j;
    json_decref(j);
    return NULL;
}

bool tc_study_doc_add_federation(const tc_study_doc *d, json_t *j)
{
    return !d->agents || json_object_set_new(j, "federation", federation_json(d)) == 0;
}
