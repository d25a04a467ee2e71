/* study_options.c - what a study keeps of its algorithm: the version of its behaviour, and its options, as given, by
 * default, and as chosen when the study is new.
 *
 * Algorithms change from one tacit to the next, and a study goes on as it began: a new document says, beside what its
 * author wrote, what may be otherwise tomorrow, and what a stored document does not say is as it was before there was
 * a choice. For defaults of options, some of which follow from the number of trials: every option whose default has ever
 * changed (tc_option.before) is written with the value in force; a stored document without it has the former default. For
 * all other behaviour: "version" (tc_algorithm.version) is written; a stored document without it has version 1, and
 * version 1 is not written, so that programs which know of no versions read it. */
#include "wire/study_doc_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>
#include <tacit/tacit.h>

tacit_status tc_study_doc_take_version(tc_study_doc *d, tacit_error *err)
{
    uint64_t newest = tc_algorithm_version(d->algorithm);
    int64_t version = (int64_t)(d->older ? 1 : newest);
    TC_TRY(tc_json_int_or(d->options, "algorithm", "version", 1, INT32_MAX, &version, err));
    d->version_given = json_object_get(d->options, "version") != NULL;
    json_object_del(d->options, "version");
    d->version = (uint64_t)version;
    if (d->version <= newest)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "algorithm.version is %" PRIu64 ", and this tacit (%s) has %s up to version "
                   "%" PRIu64 ": use a newer tacit",
                   d->version, TACIT_VERSION, d->algorithm->name, newest);
}

/* All options in force as a struct (end with tc_options_fini, tc_free). */
static tacit_status in_force(const tc_study_doc *d, const json_t *options, bool older, bool begins,
                             void **out, tacit_error *err)
{
    const tc_algorithm *a = d->algorithm;
    const tc_env env = {
        .agents = d->agents, .budget = d->trials, .trustees = d->trustees, .version = d->version};
    void *opts = tc_alloc(1, a->options_size ? a->options_size : 1);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = tc_options_defaults_of(a->options, opts, older, err);
    if (status == TACIT_OK)
        status = tc_options_set_json(a->options, opts, a->name, options, NULL, err);
    if (status == TACIT_OK && begins && a->begin)
        a->begin(&env, opts);
    if (status == TACIT_OK) {
        *out = opts;
        return TACIT_OK;
    }
    tc_options_fini(a->options, opts);
    tc_free(opts);
    return status;
}

static tacit_status as_json(const tc_study_doc *d, const json_t *options, bool older, bool begins,
                            json_t **out, tacit_error *err)
{
    const tc_option *table = d->algorithm->options;
    void *opts;
    TC_TRY(in_force(d, options, older, begins, &opts, err));
    json_t *all = tc_options_json(table, opts);
    tc_options_fini(table, opts);
    tc_free(opts);
    if (!all)
        return tc_fail_memory(err);
    *out = all;
    return TACIT_OK;
}

tacit_status tc_study_doc_options(const tc_study_doc *d, json_t **out, tacit_error *err)
{
    return as_json(d, d->options, d->older, false, out, err);
}

/* The option was not given, or as the word or number that leaves it open. */
static bool is_left_open(const tc_study_doc *d, const char *option, const json_t *said,
                         const json_t *begun)
{
    return !json_object_get(d->options, option) ||
           !json_equal(json_object_get(said, option), json_object_get(begun, option));
}

static bool add_chosen(tc_study_doc *d, const json_t *said, const json_t *begun)
{
    for (const tc_option *o = d->algorithm->options; o->name; o++)
        if (o->before && is_left_open(d, o->name, said, begun) &&
            json_object_set(d->chosen, o->name, json_object_get(begun, o->name)) != 0)
            return false;
    return json_object_update(d->options, d->chosen) == 0;
}

/* Where records are protected, messages cost nothing. How much noise there is, "privacy" says. */
static tacit_status choose_messages(tc_study_doc *d, tacit_error *err)
{
    if (d->promise != TC_PROMISE_RECORDS)
        return TACIT_OK;
    TC_TRY(tc_algorithm_free_messages(d->algorithm, d->options, d->chosen, err));
    json_object_del(d->chosen, "noise_multiplier");
    return json_object_update(d->options, d->chosen) == 0 ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_study_doc_choose(tc_study_doc *d, tacit_error *err)
{
    json_t *said = NULL, *begun = NULL;
    if (d->version == 0)
        d->version = tc_algorithm_version(d->algorithm);
    d->chosen = json_object();
    if (!d->chosen)
        return tc_fail_memory(err);
    TC_TRY(choose_messages(d, err));
    tacit_status status = as_json(d, d->options, false, false, &said, err);
    if (status == TACIT_OK)
        status = as_json(d, d->options, false, true, &begun, err);
    if (status == TACIT_OK && !add_chosen(d, said, begun))
        status = tc_fail_memory(err);
    json_decref(said);
    json_decref(begun);
    return status;
}

/* What nobody gave is as the stored study has it. */
tacit_status tc_study_doc_options_like(const tc_study_doc *given, const tc_study_doc *stored,
                                       json_t **out, tacit_error *err)
{
    json_t *options = json_copy(given->options), *value;
    bool ok = options != NULL;
    const char *key;
    json_object_foreach(given->chosen, key, value)
    {
        json_t *kept = json_object_get(stored->options, key);
        if (ok && kept)
            ok = json_object_set(options, key, kept) == 0;
        else if (ok)
            json_object_del(options, key);
    }
    tacit_status status =
        ok ? as_json(given, options, stored->older, false, out, err) : tc_fail_memory(err);
    json_decref(options);
    return status;
}
