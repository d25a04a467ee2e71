/* algorithms_api.c - include/tacit/algorithms.h: the registry as data. */
#include <tacit/algorithms.h>

#include "algo/algorithm.h"
#include "base/api.h"
#include "base/memory.h"

typedef struct described {
    tacit_algorithm shown;
    size_t n;
    tacit_option *options;
} described;

struct tacit_algorithms {
    size_t n;
    described *list;
    tc_arena memory;
};

static tacit_option describe_option(const tc_option *o, tc_arena *memory)
{
    static const tacit_option_type types[] = {[TC_OPTION_FLOAT] = TACIT_OPTION_FLOAT,
                                              [TC_OPTION_INT] = TACIT_OPTION_INT,
                                              [TC_OPTION_BOOL] = TACIT_OPTION_BOOL,
                                              [TC_OPTION_CHOICE] = TACIT_OPTION_CHOICE,
                                              [TC_OPTION_STRING] = TACIT_OPTION_STRING};
    tc_text range = {0};
    tc_option allowed = *o;
    allowed.def = NULL; /* it has a member of its own */
    tc_option_range(&allowed, &range);
    memory->failed = memory->failed || range.failed;
    tacit_option out = {.size = sizeof out,
                        .name = o->name,
                        .summary = o->help,
                        .initial = o->def,
                        .range = tc_arena_strdup(memory, tc_text_get(&range)),
                        .type = types[o->type],
                        .limited = o->min != 0 || o->max != 0,
                        .low = o->min,
                        .high = o->max,
                        .choices = o->choices};
    tc_text_fini(&range);
    return out;
}

static described describe(const tc_algorithm *a, tc_arena *memory)
{
    described d = {.shown = {.size = sizeof d.shown,
                             .name = a->name,
                             .summary = a->summary,
                             .source = a->source,
                             .federated = tc_algorithm_federated(a),
                             .takes_replies = tc_algorithm_takes_replies(a)}};
    while (a->options && a->options[d.n].name)
        d.n++;
    d.options = TC_TAKE(memory, d.n, tacit_option);
    for (size_t i = 0; d.options && i < d.n; i++)
        d.options[i] = describe_option(&a->options[i], memory);
    return d;
}

static tacit_status describe_all(tacit_algorithms *l, const char *name, tacit_error *err)
{
    const tc_algorithm *one = NULL, *const *list = tc_algorithms();
    if (name) {
        TC_TRY(tc_algorithm_get(&one, name, err));
        list = &one;
    }
    while (name ? l->n < 1 : list[l->n] != NULL)
        l->n++;
    l->list = TC_TAKE(&l->memory, l->n, described);
    for (size_t i = 0; l->list && i < l->n; i++)
        l->list[i] = describe(list[i], &l->memory);
    return l->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

tacit_status tacit_algorithms_new(tacit_algorithms **out, const char *name, tacit_error *err)
{
    TC_GIVEN(out);
    tacit_algorithms *l = tc_alloc(1, sizeof *l);
    if (!l)
        return tc_fail_memory(err);
    tacit_status status = describe_all(l, name, err);
    if (status == TACIT_OK)
        *out = l;
    else
        tacit_algorithms_free(l);
    return status;
}

void tacit_algorithms_free(tacit_algorithms *list)
{
    if (!list)
        return;
    tc_arena_fini(&list->memory);
    tc_free(list);
}

const tacit_algorithm *tacit_algorithms_get(const tacit_algorithms *list, size_t i)
{
    return list && i < list->n ? &list->list[i].shown : NULL;
}

const tacit_option *tacit_algorithms_option(const tacit_algorithms *list, size_t i, size_t k)
{
    return list && i < list->n && k < list->list[i].n ? &list->list[i].options[k] : NULL;
}
