/* plan_versus.c - who takes part: the first algorithm, and the list of --versus: "ts; dp-fts-de,regions=1,releases=0,2; fts".
 *
 * Items are parted by ";". An item is the name of an algorithm, then OPTION=VALUE words; one
 * without "=" belongs to the value before it, as in releases=0,2. epsilon and delta are a promise
 * as --epsilon and --delta are. Where that is for records, all items have it; but unit=agent is one for agents instead,
 * and unit=none promises nothing and adds no noise. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/plan.h"

#include <math.h>
#include <string.h>

/* As --epsilon and --delta. */
#define MOST_EPSILON 1e6
#define MOST_DELTA   0.999999

#define BANDIT_DEFAULT "fed-hct"

/* An item, cut into words in a copy of its text. */
enum { WORDS_MOST = 64 };
typedef struct item {
    char *text;
    const char *name;
    const char *words[WORDS_MOST];
    size_t n;
} item;

void tc_contender_fini(tc_contender *c)
{
    tc_free(c->label);
    tc_free(c->checkpoint);
    json_decref(c->given);
    json_decref(c->options);
    json_decref(c->shown);
    tc_free(c->theorem);
    json_decref(c->expect);
    json_decref(c->terms);
    tacit_curves_fini(&c->curves);
    tc_federated_cost_fini(&c->cost);
    tc_record_noise_fini(&c->noise);
    for (size_t i = 0; i < sizeof c->texts / sizeof *c->texts; i++)
        tc_free(c->texts[i]);
    tc_free(c->spent);
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
    if (it->n == WORDS_MOST)
        return tc_fail(err, TACIT_E_ARG, "--versus: %s has more than %d options", it->name,
                       WORDS_MOST);
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

/* Takes a word unit=... out of the list. Whatever is not for records is as without --unit. */
static tacit_status take_unit(const tc_contest *a, tc_contender *c, item *it, tacit_error *err)
{
    const bool records = a->o && a->o->unit == TACIT_PLAN_UNIT_RECORD;
    c->records = records;
    for (size_t i = 0; i < it->n; i++) {
        if (strncmp(it->words[i], "unit=", 5) != 0)
            continue;
        const char *unit = it->words[i] + 5;
        const bool agent = strcmp(unit, "agent") == 0, none = strcmp(unit, "none") == 0;
        if (!records || !(agent || none || strcmp(unit, "record") == 0))
            return tc_fail(err, TACIT_E_ARG,
                           "--versus: unit must be record, agent or none, with --unit record, got "
                           "\"%s\"",
                           unit);
        memmove(&it->words[i], &it->words[i + 1], (--it->n - i) * sizeof it->words[0]);
        c->records = !agent && !none;
        c->open = none;
        c->delta = a->o->delta;
        c->epsilon = agent && tc_plan_charges(c->algorithm) ? a->o->epsilon : 0;
        return TACIT_OK;
    }
    return TACIT_OK;
}

/* Takes a word trustees=K out of the list; 0: none. Else they are those of the first, as far as the algorithm takes any. */
static tacit_status take_trustees(tc_contest *a, tc_contender *c, item *it, tacit_error *err)
{
    const bool takes = tc_plan_takes_trustees(c->algorithm) && !c->records;
    c->trustees = takes ? tc_plan_trustees(a) : (tc_trustees){0};
    for (size_t i = 0; i < it->n; i++) {
        double n;
        if (strncmp(it->words[i], "trustees=", 9) != 0)
            continue;
        if (!takes)
            return tc_fail(err, TACIT_E_ARG,
                           "--versus: trustees are for algorithms that release sums with noise "
                           "(" TC_PLAN_CHARGING ") for agents, and %s is none of them",
                           it->name);
        if (!tc_parse_double(it->words[i] + 9, &n) || n != floor(n) ||
            (n != 0 && (n < TC_TRUSTEES_LEAST || n > TC_TRUSTEES_MOST)))
            return tc_fail(err, TACIT_E_ARG,
                           "--versus: trustees must be 0 or a whole number in %d..%d, got \"%s\"",
                           TC_TRUSTEES_LEAST, TC_TRUSTEES_MOST, it->words[i] + 9);
        memmove(&it->words[i], &it->words[i + 1], (--it->n - i) * sizeof it->words[0]);
        c->trustees = n > 0 ? tc_trustees_usual((uint32_t)n) : (tc_trustees){0};
        return TACIT_OK;
    }
    return TACIT_OK;
}

/* Noise is said once: what the item itself says replaces what it inherits. */
static tacit_status resolve_promise(tc_contender *c, item *it, tacit_error *err)
{
    bool own = false, delta = false, noise = has_word(it, "noise_multiplier");
    TC_TRY(take_promise(it, "epsilon", MOST_EPSILON, &c->epsilon, &own, err));
    TC_TRY(take_promise(it, "delta", MOST_DELTA, &c->delta, &delta, err));
    if (delta && !tc_plan_charges(c->algorithm))
        return tc_fail(err, TACIT_E_ARG,
                       "--versus: delta is for algorithms that release with noise "
                       "(" TC_PLAN_CHARGING "), and %s is none of them",
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

static tc_optioned optioned(const tc_contender *c)
{
    return c->bandit ? tc_optioned_bandit(c->bandit) : tc_optioned_algorithm(c->algorithm);
}

static tacit_status find_bandit(const char *name, const tc_bandit **out, tacit_error *err)
{
    for (size_t i = 0; tc_bandits()[i]; i++)
        if (strcmp(tc_bandits()[i]->name, name) == 0) {
            *out = tc_bandits()[i];
            return TACIT_OK;
        }
    if (tc_algorithm_find(name))
        return tc_fail(err, TACIT_E_ARG, "--pulls is for bandits, and %s is none", name);
    return tc_bandit_get(out, name, err);
}

/* An item with the first algorithm's name inherits its options. */
static tacit_status fill(tc_contest *a, tc_contender *c, item *it, tacit_error *err)
{
    const tc_contender *first = &a->contenders[0];
    TC_TRY(first->bandit ? find_bandit(it->name, &c->bandit, err)
                         : tc_algorithm_get(&c->algorithm, it->name, err));
    bool same = c->algorithm == first->algorithm && c->bandit == first->bandit;
    c->given = same ? json_deep_copy(first->given) : json_object();
    if (!c->given)
        return tc_fail_memory(err);
    c->epsilon = same ? first->epsilon : 0;
    c->delta = first->delta;
    if (c->algorithm) {
        TC_TRY(take_unit(a, c, it, err));
        TC_TRY(resolve_promise(c, it, err));
        TC_TRY(take_trustees(a, c, it, err));
    }
    tc_optioned of = optioned(c);
    return tc_optioned_take(&of, c->given, it->n, it->words, err);
}

/* -- the list ------------------------------------------------------------------------------ */

static tacit_status add_item(tc_contest *a, const char *text, size_t len, tacit_error *err)
{
    if (a->n == TACIT_CONTENDERS_MOST)
        return tc_fail(err, TACIT_E_ARG, "--versus has more than %d items",
                       TACIT_CONTENDERS_MOST - 1);
    tc_contender *c = &a->contenders[a->n++];
    item it = {.text = tc_strndup(text, len)};
    c->label = tc_strndup(text, len);
    if (c->label)
        cut_spaces(c->label);
    tacit_status status = it.text && c->label ? cut_item(&it, err) : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = fill(a, c, &it, err);
    tc_free(it.text);
    return status;
}

tacit_status tc_plan_versus(tc_contest *a, const char *list, tacit_error *err)
{
    for (;;) {
        list = skip_spaces(list);
        size_t len = strcspn(list, ";");
        TC_TRY(add_item(a, list, len, err));
        if (list[len] == '\0')
            return TACIT_OK;
        list += len + 1;
    }
}

/* -- all of them --------------------------------------------------------------------------- */

/* What the author of the document says about the plan's algorithm. What tacit chose is chosen again, by what
 * the plan says too. */
static tacit_status take_from_document(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    const tc_study_doc *doc = a->doc;
    bool from_doc = doc && doc->algorithm == c->algorithm && doc->options;
    const char *key;
    json_t *value;
    c->given = from_doc ? json_deep_copy(doc->options) : json_object();
    if (!c->given)
        return tc_fail_memory(err);
    if (from_doc) {
        json_object_foreach(doc->chosen, key, value) json_object_del(c->given, key);
    }
    return TACIT_OK;
}

/* "dp-fts-de,regions=1": what tells the first contender from others of this plan. */
static tacit_status make_label(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    tc_text text = {0};
    tc_text_add(&text, optioned(c).name);
    for (size_t i = 0; i < a->o->n_sets; i++)
        tc_text_addf(&text, ",%s", a->o->sets[i]);
    if (c->epsilon > 0)
        tc_text_addf(&text, ",epsilon=%g", c->epsilon);
    if (c->trustees.count > 0)
        tc_text_addf(&text, ",trustees=%u", (unsigned)c->trustees.count);
    if (c->records)
        tc_text_add(&text, ",unit=record");
    c->label = tc_text_take(&text);
    return c->label ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_plan_first(tc_contest *a, tacit_error *err)
{
    tc_contender *c = &a->contenders[0];
    a->n = 1;
    c->algorithm = a->algorithm;
    if (a->o->pulls > 0)
        TC_TRY(find_bandit(a->o->algorithm ? a->o->algorithm : BANDIT_DEFAULT, &c->bandit, err));
    TC_TRY(take_from_document(a, c, err));
    tc_optioned of = optioned(c);
    return tc_optioned_take(&of, c->given, a->o->n_sets, a->o->sets, err);
}

tacit_status tc_plan_others(tc_contest *a, tacit_error *err)
{
    TC_TRY(make_label(a, &a->contenders[0], err));
    return a->o->versus ? tc_plan_versus(a, a->o->versus, err) : TACIT_OK;
}
