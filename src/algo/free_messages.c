/* free_messages.c - the options of a federation whose messages cost nothing (tc_algorithm.free_messages): values carry the
 * noise already, for single records. For study documents (wire/) and simulations (sim/). */
#include "algo/algorithm.h"

#include "base/error.h"

#include <string.h>

static bool is_given(const json_t *given, const char *word)
{
    const size_t len = strcspn(word, "=");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)given, key, value)
    {
        if (strncmp(key, word, len) == 0 && !key[len])
            return true;
    }
    return false;
}

/* A document that gives the length-scale, or another model of the agents, leaves nothing to vote on. */
static bool is_open(const json_t *given, const char *word)
{
    static const char *const excludes_vote[] = {"lengthscale", "own", "sampling", "sampling_rate",
                                                NULL};
    bool vote = strncmp(word, "vote=", 5) == 0;
    for (size_t i = 0; vote && excludes_vote[i]; i++)
        if (json_object_get(given, excludes_vote[i]))
            return false;
    return !is_given(given, word);
}

tacit_status tc_algorithm_free_messages(const tc_algorithm *a, const json_t *given, json_t *into,
                                        tacit_error *err)
{
    for (const char *const *word = a->free_messages; word && *word; word++)
        if (is_open(given, *word))
            TC_TRY(tc_options_take_words(a->options, a->options_size, a->name, 1, word, into, err));
    return TACIT_OK;
}
