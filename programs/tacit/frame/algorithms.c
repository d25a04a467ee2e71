/* algorithms.c - `tacit algorithms`: what there is, and the options of one. */
#include "algo/algorithm.h"
#include "base/json.h"
#include "base/memory.h"
#include "frame/verbs.h"

static tacit_status list(int format, tacit_error *err)
{
    static const char *const names[] = {"name", "parties", "summary", "source"};
    tc_table *t = tc_table_new(4, names);
    for (const tc_algorithm *const *a = tc_algorithms(); *a; a++) {
        tc_table_text(t, 0, (*a)->name);
        tc_table_text(t, 1, tc_algorithm_federated(*a) ? "many" : "one");
        tc_table_text(t, 2, (*a)->summary);
        tc_table_text(t, 3, (*a)->source);
        tc_table_end_row(t);
    }
    return tc_table_print(t, (tc_format)format, stdout, err);
}

static bool put_option(tc_table *t, const tc_option *o)
{
    tc_text range = {0};
    tc_option allowed = *o;
    allowed.def = NULL; /* it has a column of its own */
    tc_option_range(&allowed, &range);
    tc_table_text(t, 0, o->name);
    tc_table_text(t, 1, o->def);
    tc_table_text(t, 2, tc_text_get(&range));
    tc_table_text(t, 3, o->help);
    tc_table_end_row(t);
    bool ok = !range.failed;
    tc_text_fini(&range);
    return ok;
}

static tacit_status show(const tc_algorithm *a, int format, tacit_error *err)
{
    static const char *const names[] = {"option", "default", "range", "help"};
    tc_table *t = tc_table_new(4, names);
    bool ok = t != NULL;
    for (const tc_option *o = a->options; ok && o && o->name; o++)
        ok = put_option(t, o);
    if (!ok) {
        tc_table_free(t);
        return tc_fail_memory(err);
    }
    if (format == TC_FORMAT_TABLE)
        printf("%s: %s\nfrom %s\n\n", a->name, a->summary, a->source);
    return tc_table_print(t, (tc_format)format, stdout, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const tc_algorithm *a;
    if (in->n_args == 0)
        return list(in->format, err);
    TC_TRY(tc_algorithm_get(&a, in->args[0], err));
    return show(a, in->format, err);
}

const tc_verb tc_verb_algorithms = {
    .name = "algorithms",
    .usage = "[NAME] [options]",
    .summary = "list the algorithms, or the options of one",
    .details = "The options of an algorithm stand beside its name in the study document:\n"
               "\"algorithm\": {\"name\": \"gp-ei\", ...}. What is for many parties needs a\n"
               "\"federation\" there, or --agents of tacit simulate.\n"
               "\n"
               "  tacit algorithms\n"
               "  tacit algorithms gp-ei",
    .max_args = 1,
    .run = run};
