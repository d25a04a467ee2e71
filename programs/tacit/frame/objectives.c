/* objectives.c - `tacit objectives`: the built-in functions and families, and one in detail. */
#include "objective/family.h"
#include "base/text.h"
#include "frame/verbs.h"

#include <string.h>

static const tc_option options[] = {{.name = NULL}};

static void list_one(tc_table *t, const char *name, const char *summary, const char *source)
{
    tc_table_text(t, 0, name);
    tc_table_text(t, 1, summary);
    tc_table_text(t, 2, source);
    tc_table_end_row(t);
}

static tacit_status list(const tc_invocation *in, tacit_error *err)
{
    static const char *const names[] = {"objective", "summary", "source"};
    tc_table *t = tc_table_new(3, names);
    for (size_t i = 0; tc_objectives()[i]; i++)
        list_one(t, tc_objectives()[i]->name, tc_objectives()[i]->summary,
                 tc_objectives()[i]->source);
    for (size_t i = 0; tc_families()[i]; i++)
        list_one(t, tc_families()[i]->name, tc_families()[i]->summary, tc_families()[i]->source);
    return t ? tc_table_print(t, (tc_format)in->format, stdout, err) : tc_fail_memory(err);
}

const char *tc_objective_name(size_t i)
{
    size_t n = 0;
    while (tc_objectives()[n])
        n++;
    const tc_objective_info *const *family = tc_families();
    if (i < n)
        return tc_objectives()[i]->name;
    for (size_t k = 0; family[k]; k++)
        if (k == i - n)
            return family[k]->name;
    return NULL;
}

static void add_row(tc_table *t, const char *field, const char *value)
{
    tc_table_text(t, 0, field);
    tc_table_text(t, 1, value);
    tc_table_end_row(t);
}

static void add_facts(tc_table *t, const tc_objective_info *info, const char *name)
{
    add_row(t, "objective", name);
    if (info) { /* of a table nothing more is known */
        add_row(t, "summary", info->summary);
        add_row(t, "source", info->source);
    }
}

static void add_range(tc_table *t, const char *name, double low, double high)
{
    char text[80];
    snprintf(text, sizeof text, "%g to %g", low, high);
    add_row(t, name, text);
}

/* Appends "svm", or "svm, forest". */
static void add_choices(tc_text *text, const tc_param *p, const unsigned char *allowed)
{
    const char *between = "";
    for (size_t i = 0; i < p->n_choices; i++) {
        if (allowed && !allowed[i])
            continue;
        tc_text_addf(text, "%s%s", between, p->choices[i]);
        between = ", ";
    }
}

static void add_parameter(tc_table *t, const tc_space *s, const tc_param *p)
{
    tc_text text = {0};
    if (p->type == TC_PARAM_CHOICE) {
        tc_text_add(&text, "one of ");
        add_choices(&text, p, NULL);
        tc_text_add(&text, p->ordered && p->kind != TC_CHOICE_BOOL ? ", in this order" : "");
    } else {
        tc_text_addf(&text, "%g to %g%s", p->low, p->high,
                     p->type == TC_PARAM_INT ? ", whole numbers"
                     : p->log                ? ", on a log scale"
                                             : "");
    }
    if (p->allowed) {
        tc_text_addf(&text, "; where %s is ", s->params[p->parent].name);
        add_choices(&text, &s->params[p->parent], p->allowed);
    }
    add_row(t, p->name, tc_text_get(&text));
    tc_text_fini(&text);
}

/* The names are those of columns in a file of --warm. */
static void add_candidates(tc_table *t, const tc_domain *d)
{
    char text[32];
    for (size_t k = 0; k < d->dim; k++)
        add_range(t, d->names[k], d->low[k], d->high[k]);
    snprintf(text, sizeof text, "%zu", d->n);
    add_row(t, "candidates", text);
}

static void add_space(tc_table *t, const tc_space *space, bool maximize, const char *other)
{
    char text[64];
    const tc_domain *d = space->domain;
    add_row(t, "direction", maximize ? "maximize" : "minimize");
    snprintf(text, sizeof text, "%zu%s", d ? d->dim : space->n_params, other);
    add_row(t, "dimension", text);
    for (size_t i = 0; !d && i < space->n_params; i++)
        add_parameter(t, space, &space->params[i]);
    if (d)
        add_candidates(t, d);
    for (size_t i = 0; i < tacit_space_linears(space); i++)
        add_row(t, "constraint", tacit_space_linear(space, i));
}

static void add_optimum(tc_table *t, double optimum)
{
    char text[32];
    tc_double_text(text, optimum);
    add_row(t, "optimum", text);
}

static const tc_objective_info *info_in(const tc_objective_info *const *list, const char *name)
{
    for (size_t i = 0; list[i]; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

static tacit_status show_one(tc_table *t, const char *name, tacit_error *err)
{
    tc_objective_opts opts;
    tc_objective *o;
    TC_TRY(tc_options_defaults(tc_objective_options, &opts, err));
    TC_TRY(tc_objective_new(&o, name, &opts, tc_public_seed_from(0), err));
    add_facts(t, info_in(tc_objectives(), name), name);
    add_space(t, tc_objective_space(o), tc_objective_maximize(o),
              tc_objective_any_dim(o) ? "; --dim takes another" : "");
    add_optimum(t, tc_objective_optimum(o));
    tc_objective_free(o);
    return TACIT_OK;
}

/* Of the family, its first agent. */
static tacit_status show_family(tc_table *t, const tc_objective_info *info, tacit_error *err)
{
    tc_family_opts opts;
    tc_family *f;
    TC_TRY(tc_options_defaults(tc_family_options, &opts, err));
    TC_TRY(tc_family_new(&f, info->name, &opts, 1, tc_public_seed_from(0), err));
    add_facts(t, info, info->name);
    add_space(t, tc_family_space(f), tc_family_maximize(f), "; --dim takes another");
    add_optimum(t, tc_family_optimum(f, 0));
    tc_family_free(f);
    return TACIT_OK;
}

static tacit_status show(const tc_invocation *in, const char *name, tacit_error *err)
{
    static const char *const names[] = {"field", "value"};
    const tc_objective_info *family = info_in(tc_families(), name);
    tc_table *t = tc_table_new(2, names);
    if (!t)
        return tc_fail_memory(err);
    tacit_status status = family ? show_family(t, family, err) : show_one(t, name, err);
    if (status == TACIT_OK)
        return tc_table_print(t, (tc_format)in->format, stdout, err);
    tc_table_free(t);
    return status;
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
               "shape, and so another optimum, for every seed; seed 0 is shown. A family is one\n"
               "objective for each agent of a federation; agent 0 is shown. So is every other\n"
               "objective there, shifted by another vector for each agent.\n"
               "\n"
               "table:FILE.csv is an objective from measurements: every row a candidate, the\n"
               "column \"value\", or value_1, value_2, ... of several agents, what came out.\n"
               "\n"
               "  tacit objectives\n"
               "  tacit objectives hartmann6",
    .options = options,
    .max_args = 1,
    .run = run,
};
