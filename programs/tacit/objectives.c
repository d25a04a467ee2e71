/* objectives.c - `tacit objectives`: the built-in functions, and one of them in detail. */
#include "objective/objective.h"
#include "verbs.h"

#include <string.h>

static const tc_option options[] = {{.name = NULL}};

static tacit_status list(const tc_invocation *in, tacit_error *err)
{
    static const char *const names[] = {"objective", "summary", "source"};
    tc_table *t = tc_table_new(3, names);
    for (size_t i = 0; t && tc_objectives()[i]; i++) {
        const tc_objective_info *o = tc_objectives()[i];
        tc_table_text(t, 0, o->name);
        tc_table_text(t, 1, o->summary);
        tc_table_text(t, 2, o->source);
        tc_table_end_row(t);
    }
    return t ? tc_table_print(t, (tc_format)in->format, stdout, err) : tc_fail_memory(err);
}

static void add_row(tc_table *t, const char *field, const char *value)
{
    tc_table_text(t, 0, field);
    tc_table_text(t, 1, value);
    tc_table_end_row(t);
}

static void add_facts(tc_table *t, const tc_objective_info *info, const tc_objective *o)
{
    const tc_space *space = tc_objective_space(o);
    char text[64];
    add_row(t, "objective", info->name);
    add_row(t, "summary", info->summary);
    add_row(t, "source", info->source);
    add_row(t, "direction", tc_objective_maximize(o) ? "maximize" : "minimize");
    snprintf(text, sizeof text, tc_objective_any_dim(o) ? "%zu; --dim takes another" : "%zu",
             space->n_params);
    add_row(t, "dimension", text);
    for (size_t d = 0; d < space->n_params; d++) {
        const tc_param *p = &space->params[d];
        snprintf(text, sizeof text, "%g to %g", p->low, p->high);
        add_row(t, p->name, text);
    }
    tc_double_text(text, tc_objective_optimum(o));
    add_row(t, "optimum", text);
}

static const tc_objective_info *info_of(const char *name)
{
    for (size_t i = 0; tc_objectives()[i]; i++)
        if (strcmp(tc_objectives()[i]->name, name) == 0)
            return tc_objectives()[i];
    return NULL;
}

static tacit_status show(const tc_invocation *in, const char *name, tacit_error *err)
{
    static const char *const names[] = {"field", "value"};
    tc_objective_opts opts;
    tc_objective *o;
    TC_TRY(tc_options_defaults(tc_objective_options, &opts, err));
    TC_TRY(tc_objective_new(&o, name, &opts, tc_public_seed_from(0), err));
    tc_table *t = tc_table_new(2, names);
    if (t)
        add_facts(t, info_of(name), o);
    tc_objective_free(o);
    return t ? tc_table_print(t, (tc_format)in->format, stdout, err) : tc_fail_memory(err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    return in->n_args ? show(in, in->args[0], err) : list(in, err);
}

const tc_verb tc_verb_objectives = {
    .name = "objectives",
    .usage = "[NAME]",
    .summary = "the built-in objectives, or one of them in detail",
    .details = "Functions with a known optimum, for tacit simulate. A gp-sample has another\n"
               "shape, and so another optimum, for every seed; seed 0 is shown.\n"
               "\n"
               "  tacit objectives\n"
               "  tacit objectives hartmann6",
    .options = options,
    .max_args = 1,
    .run = run,
};
