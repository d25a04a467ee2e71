/* algorithms.c - `tacit algorithms`: what there is, and the options of one. */
#include "frame/verbs.h"

#include <tacit/algorithms.h>

static tacit_status list(const tacit_algorithms *all, int format, tacit_error *err)
{
    static const char *const names[] = {"name", "parties", "summary", "source"};
    const tacit_algorithm *a;
    tc_table *t = tc_table_new(4, names);
    for (size_t i = 0; (a = tacit_algorithms_get(all, i)); i++) {
        tc_table_text(t, 0, a->name);
        tc_table_text(t, 1, a->federated ? "many" : "one");
        tc_table_text(t, 2, a->summary);
        tc_table_text(t, 3, a->source);
        tc_table_end_row(t);
    }
    return tc_table_print(t, (tc_format)format, stdout, err);
}

static tacit_status show(const tacit_algorithms *one, int format, tacit_error *err)
{
    static const char *const names[] = {"option", "default", "range", "help"};
    const tacit_algorithm *a = tacit_algorithms_get(one, 0);
    const tacit_option *o;
    tc_table *t = tc_table_new(4, names);
    for (size_t k = 0; (o = tacit_algorithms_option(one, 0, k)); k++) {
        tc_table_text(t, 0, o->name);
        tc_table_text(t, 1, o->initial);
        tc_table_text(t, 2, o->range);
        tc_table_text(t, 3, o->summary);
        tc_table_end_row(t);
    }
    if (format == TC_FORMAT_TABLE)
        printf("%s: %s\nfrom %s\n\n", a->name, a->summary, a->source);
    return tc_table_print(t, (tc_format)format, stdout, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const char *name = in->n_args > 0 ? in->args[0] : NULL;
    tacit_algorithms *found;
    TC_TRY(tacit_algorithms_new(&found, name, err));
    tacit_status status = name ? show(found, in->format, err) : list(found, in->format, err);
    tacit_algorithms_free(found);
    return status;
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
