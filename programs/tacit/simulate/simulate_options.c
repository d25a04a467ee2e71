/* simulate_options.c - options of an algorithm for `tacit simulate`. See simulate.h. */
#include "base/memory.h"
#include "simulate/simulate.h"

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

tacit_status tc_simulate_take_words(const tc_optioned *a, json_t *given, size_t n,
                                    char *const *words, tacit_error *err)
{
    return tc_options_take_words(a->options, a->size, a->name, n, words, given, err);
}

tacit_status tc_simulate_take(const tc_algorithm *a, json_t *given, size_t n, char *const *words,
                              tacit_error *err)
{
    tc_optioned of = tc_optioned_algorithm(a);
    return tc_simulate_take_words(&of, given, n, words, err);
}
