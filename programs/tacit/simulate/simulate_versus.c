/* simulate_versus.c - the list of --versus: "ts; dp-fts-de,regions=1,releases=0,2; fts".
 *
 * Items are parted by ";". An item is the name of an algorithm, then OPTION=VALUE words; one
 * without "=" belongs to the value before it, as in releases=0,2. epsilon and delta are a promise
 * as --epsilon and --delta are. */
#include "base/memory.h"
#include "simulate/simulate.h"

#include <string.h>

/* As --epsilon and --delta. */
#define MOST_EPSILON 1e6
#define MOST_DELTA   0.999999

typedef tc_versus_item item;

void tc_contender_fini(tc_contender *c)
{
    tc_free(c->label);
    tc_free(c->checkpoint);
    json_decref(c->given);
    json_decref(c->options);
    json_decref(c->shown);
    tc_free(c->theorem);
    json_decref(c->expect);
    tc_curves_fini(&c->result);
    tc_federated_cost_fini(&c->cost);
}

void tc_contender_drop_noise(tc_contender *c)
{
    json_object_del(c->given, "noise_multiplier");
    json_object_del(c->given, "vote_multiplier");
}

/* -- words --------------------------------------------------------------------------------- */

static const char *skip_spaces(const char *s)
{
    return s + strspn(s, " \t\n");
}

static void cut_spaces(char *s)
{
    size_t n = strlen(s);
    while (n > 0 && strchr(" \t\n", s[n - 1]))
        s[--n] = '\0';
}

/* A comma ends a word only where the next one has a "=" of its own. */
static char *end_of_word(char *s)
{
    for (char *comma = strchr(s, ','); comma; comma = strchr(comma + 1, ',')) {
        size_t n = strcspn(comma + 1, ",=");
        if (comma[1 + n] == '=')
            return comma;
    }
    return NULL;
}

static tacit_status add_word(item *it, char *word, tacit_error *err)
{
    word = (char *)skip_spaces(word);
    cut_spaces(word);
    if (it->n == TC_VERSUS_WORDS)
        return tc_fail(err, TACIT_E_ARG, "--versus: %s has more than %d options", it->name,
                       TC_VERSUS_WORDS);
    if (!strchr(word, '=') || word[0] == '=')
        return tc_fail(err, TACIT_E_ARG, "--versus: \"%s\" after %s is not OPTION=VALUE", word,
                       it->name);
    it->words[it->n++] = word;
    return TACIT_OK;
}

/* Cuts it->text; the words point into it. */
static tacit_status cut_item(item *it, tacit_error *err)
{
    char *comma = strchr(it->text, ',');
    if (comma)
        *comma = '\0';
    cut_spaces(it->text);
    it->name = it->text;
    if (!*it->name)
        return tc_fail(err, TACIT_E_ARG,
                       "--versus has an item without a name; write it as \"ts; fts,features=50\"");
    while (comma) {
        char *word = comma + 1;
        comma = end_of_word(word);
        if (comma)
            *comma = '\0';
        TC_TRY(add_word(it, word, err));
    }
    return TACIT_OK;
}

/* -- one contender ------------------------------------------------------------------------- */

/* Takes a word epsilon=E or delta=D out of the list. */
static tacit_status take_promise(item *it, const char *name, double most, double *out, bool *found,
                                 tacit_error *err)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < it->n; i++) {
        if (strncmp(it->words[i], name, len) != 0 || it->words[i][len] != '=')
            continue;
        const char *text = it->words[i] + len + 1;
        if (!tc_parse_double(text, out) || !(*out > 0 && *out <= most))
            return tc_fail(err, TACIT_E_ARG,
                           "--versus: %s must be a number in (0, %.7g], got \"%s\"", name, most,
                           text);
        memmove(&it->words[i], &it->words[i + 1], (--it->n - i) * sizeof it->words[0]);
        *found = true;
        return TACIT_OK;
    }
    return TACIT_OK;
}

static bool has_word(const item *it, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < it->n; i++)
        if (strncmp(it->words[i], name, len) == 0 && it->words[i][len] == '=')
            return true;
    return false;
}

/* Noise is said once: what the item itself says replaces what it inherits. */
static tacit_status settle_promise(tc_contender *c, item *it, tacit_error *err)
{
    bool own = false, delta = false, noise = has_word(it, "noise_multiplier");
    TC_TRY(take_promise(it, "epsilon", MOST_EPSILON, &c->epsilon, &own, err));
    TC_TRY(take_promise(it, "delta", MOST_DELTA, &c->delta, &delta, err));
    if (delta && !tc_simulate_charges(c->algorithm))
        return tc_fail(err, TACIT_E_ARG,
                       "--versus: delta is for algorithms that release with noise "
                       "(" TC_SIMULATE_CHARGING "), and %s is none of them",
                       it->name);
    if (noise && !own)
        c->epsilon = 0;
    if (c->epsilon > 0 && (noise || has_word(it, "vote_multiplier")))
        return tc_fail(err, TACIT_E_ARG,
                       "--versus: %s has epsilon and %s; the one follows from the other", it->name,
                       noise ? "noise_multiplier" : "vote_multiplier");
    if (own)
        tc_contender_drop_noise(c);
    return TACIT_OK;
}

static tacit_status fill(tc_contender *c, item *it, const tc_contender *first, tacit_error *err)
{
    TC_TRY(tc_algorithm_get(&c->algorithm, it->name, err));
    bool same = c->algorithm == first->algorithm;
    c->given = same ? json_deep_copy(first->given) : json_object();
    if (!c->given)
        return tc_fail_memory(err);
    c->epsilon = same ? first->epsilon : 0;
    c->delta = first->delta;
    TC_TRY(settle_promise(c, it, err));
    return tc_simulate_take(c->algorithm, c->given, it->n, it->words, err);
}

/* -- the list ------------------------------------------------------------------------------ */

static tacit_status read_item(char *text, const char *label, tc_versus_take take, void *user,
                              tacit_error *err)
{
    item it = {.text = text};
    TC_TRY(cut_item(&it, err));
    return take(user, label, &it, err);
}

tacit_status tc_versus_each(const char *list, size_t most, tc_versus_take take, void *user,
                            tacit_error *err)
{
    tacit_status status = TACIT_OK;
    for (size_t n = 0; status == TACIT_OK; n++) {
        list = skip_spaces(list);
        size_t len = strcspn(list, ";");
        if (n == most)
            return tc_fail(err, TACIT_E_ARG, "--versus has more than %zu items", most);
        char *text = tc_strndup(list, len), *label = tc_strndup(list, len);
        if (label)
            cut_spaces(label);
        status = text && label ? read_item(text, label, take, user, err) : tc_fail_memory(err);
        tc_free(text);
        tc_free(label);
        if (list[len] == '\0')
            break;
        list += len + 1;
    }
    return status;
}

/* Those of tc_simulate_versus so far. */
typedef struct contenders {
    const tc_contender *first;
    tc_contender *out;
    size_t *n;
} contenders;

static tacit_status add_contender(void *user, const char *label, item *it, tacit_error *err)
{
    contenders *all = user;
    tc_contender *c = &all->out[*all->n];
    *all->n += 1;
    c->label = tc_strdup(label);
    return c->label ? fill(c, it, all->first, err) : tc_fail_memory(err);
}

tacit_status tc_simulate_versus(const char *list, const tc_contender *first, tc_contender *out,
                                size_t most, size_t *n, tacit_error *err)
{
    contenders all = {first, out, n};
    *n = 0;
    return tc_versus_each(list, most, add_contender, &all, err);
}
