/* study_same.c - whether two documents describe the same study.
 *
 * Both are written canonically, with every option spelled out, and compared
 * member by member: the first difference is named with both values. A study may be extended to more trials, unless it protects
 * records, whose noise was computed for the trials that were planned, or has trustees, who have made a key for each of its
 * rounds. */
#include "wire/study_doc_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct path {
    char text[200];
    bool fixed; /* not even the number of trials may differ */
} path;

static path path_of(const path *parent, const char *key)
{
    path p = {.fixed = parent->fixed};
    snprintf(p.text, sizeof p.text, "%.120s%s%.70s", parent->text, *parent->text ? "." : "", key);
    return p;
}

static tacit_status differs(const path *at, const json_t *stored, const json_t *given,
                            tacit_error *err)
{
    char *was = stored ? tc_json_text(stored) : tc_strdup("absent");
    char *is = given ? tc_json_text(given) : tc_strdup("absent");
    tacit_status status =
        was && is ? tc_fail(err, TACIT_E_STATE,
                            "%s is %.120s in the stored study but %.120s in the one given",
                            at->text, was, is)
                  : tc_fail_memory(err);
    tc_free(was);
    tc_free(is);
    return status;
}

static tacit_status compare(const path *at, const json_t *stored, const json_t *given,
                            tacit_error *err);

static tacit_status compare_members(const path *at, const json_t *stored, const json_t *given,
                                    tacit_error *err)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)stored, key, member)
    {
        path p = path_of(at, key);
        TC_TRY(compare(&p, member, json_object_get(given, key), err));
    }
    json_object_foreach((json_t *)given, key, member)
    {
        path p = path_of(at, key);
        if (!json_object_get(stored, key))
            return differs(&p, NULL, member, err);
    }
    return TACIT_OK;
}

/* The members are the same; of the space and of outcomes their order matters too. */
static tacit_status compare_order(const char *field, const json_t *stored, const json_t *given,
                                  tacit_error *err)
{
    stored = json_object_get(stored, field);
    given = json_object_get(given, field);
    void *a = json_object_iter((json_t *)stored), *b = json_object_iter((json_t *)given);
    for (; a && b; a = json_object_iter_next((json_t *)stored, a),
                   b = json_object_iter_next((json_t *)given, b))
        if (strcmp(json_object_iter_key(a), json_object_iter_key(b)) != 0)
            return tc_fail(err, TACIT_E_STATE,
                           "%s has another order: \"%s\" in the stored study where the one "
                           "given has \"%s\"",
                           field, json_object_iter_key(a), json_object_iter_key(b));
    return TACIT_OK;
}

static tacit_status compare(const path *at, const json_t *stored, const json_t *given,
                            tacit_error *err)
{
    if (strcmp(at->text, "trials") == 0 && !at->fixed)
        return TACIT_OK;
    if (strcmp(at->text, "privacy.calibrated") == 0 && !given)
        return TACIT_OK; /* written by a coordinator, not by who made the study */
    if (json_is_object(stored) && json_is_object(given))
        return compare_members(at, stored, given, err);
    return given && json_equal(stored, given) ? TACIT_OK : differs(at, stored, given, err);
}

/* If the document gives no version, it is the stored study's. */
static uint64_t version_like(const tc_study_doc *d, const tc_study_doc *stored)
{
    return d->algorithm == stored->algorithm && !d->version_given ? stored->version : d->version;
}

static tacit_status complete_json(const tc_study_doc *d, const tc_study_doc *stored, json_t **out,
                                  tacit_error *err)
{
    json_t *options = NULL;
    TC_TRY(d != stored && d->algorithm == stored->algorithm
               ? tc_study_doc_options_like(d, stored, &options, err)
               : tc_study_doc_options(d, &options, err));
    json_t *version = json_integer((json_int_t)version_like(d, stored));
    bool ok = json_object_set_new(options, "version", version) == 0;
    json_t *j = ok ? tc_study_doc_json(d, options) : NULL;
    json_decref(options);
    if (!j)
        return tc_fail_memory(err);
    *out = j;
    return TACIT_OK;
}

static bool is_fixed(const tc_study_doc *d)
{
    return d->promise == TC_PROMISE_RECORDS || d->trustees.count > 0;
}

tacit_status tc_study_doc_same(const tc_study_doc *stored, const tc_study_doc *given,
                               tacit_error *err)
{
    static const char *const ordered[] = {"objectives", "constraints", "space"};
    json_t *a = NULL, *b = NULL;
    tacit_status status = complete_json(stored, stored, &a, err);
    if (status == TACIT_OK)
        status = complete_json(given, stored, &b, err);
    if (status == TACIT_OK)
        status = compare(&(path){.fixed = is_fixed(stored)}, a, b, err);
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered && status == TACIT_OK; i++)
        status = compare_order(ordered[i], a, b, err);
    json_decref(a);
    json_decref(b);
    return status;
}
