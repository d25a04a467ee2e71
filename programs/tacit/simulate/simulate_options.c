/* simulate_options.c - options of an algorithm for `tacit simulate`. See simulate.h. */
#include "base/memory.h"
#include "simulate/simulate.h"

#include <string.h>

tacit_status tc_simulate_given(const tc_simulate_plan *p, json_t **out, tacit_error *err)
{
    bool from_doc = p->doc && p->doc->algorithm == p->algorithm && p->doc->options;
    json_t *given = from_doc ? json_deep_copy(p->doc->options) : json_object(), *value;
    const char *key;
    if (!given)
        return tc_fail_memory(err);
    if (from_doc) {
        json_object_foreach(p->doc->chosen, key, value) json_object_del(given, key);
    }
    *out = given;
    return TACIT_OK;
}

/* Checks name=value against the table and keeps its typed value in `given`. */
static tacit_status take_word(const tc_optioned *a, void *opts, const char *word, json_t *given,
                              tacit_error *err)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return tc_fail(err, TACIT_E_ARG, "--set takes name=value, not \"%s\"", word);
    char *name = tc_strndup(word, (size_t)(equals - word));
    if (!name)
        return tc_fail_memory(err);
    tacit_status status = tc_options_set(a->options, opts, a->name, name, equals + 1, err);
    json_t *all = status == TACIT_OK ? tc_options_json(a->options, opts) : NULL;
    if (status == TACIT_OK && (!all || json_object_set(given, name, json_object_get(all, name))))
        status = tc_fail_memory(err);
    json_decref(all);
    tc_free(name);
    return status;
}

tacit_status tc_simulate_take_words(const tc_optioned *a, json_t *given, size_t n,
                                    char *const *words, tacit_error *err)
{
    void *opts;
    TC_TRY(tc_optioned_new(a, given, &opts, err));
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < n && status == TACIT_OK; i++)
        status = take_word(a, opts, words[i], given, err);
    tc_optioned_free(a, opts);
    return status;
}

tacit_status tc_simulate_take(const tc_algorithm *a, json_t *given, size_t n, char *const *words,
                              tacit_error *err)
{
    tc_optioned of = tc_optioned_algorithm(a);
    return tc_simulate_take_words(&of, given, n, words, err);
}
