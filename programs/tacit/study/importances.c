/* importances.c - `tacit importances`: which parameters of a study matter, by a model of its trials. */
#include "study/outcome_words.h"
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <tacit/experimental/surrogate.h>

#include <stddef.h>

typedef struct options {
    tc_where where;
    char *of;
} options;

static const tc_option table[] = {
    {"of", TC_OPTION_STRING, offsetof(options, of), .value = "NAME",
     .help = "of this objective or constraint (default: the first objective)"},
    TC_WHERE_OPTIONS(options),
    {.name = NULL}};

static tacit_status print_list(const tacit_importances *list, int format, tacit_error *err)
{
    static const char *const names[] = {"parameter", "total",     "total_low", "total_high",
                                        "first",     "first_low", "first_high"};
    tc_table *t = tc_table_new(7, names);
    const tacit_importance *of;
    for (size_t i = 0; (of = tacit_importances_get(list, i)); i++) {
        const double numbers[] = {of->total, of->total_low, of->total_high,
                                  of->first, of->first_low, of->first_high};
        tc_table_text(t, 0, of->name);
        for (size_t k = 0; k < 6; k++)
            tc_table_number(t, 1 + k, numbers[k]);
        tc_table_end_row(t);
    }
    return tc_table_print(t, (tc_format)format, stdout, err);
}

static tacit_status print(tacit_study *study, const char *of, int format, tacit_error *err)
{
    tc_outcome_words names;
    size_t outcome;
    tacit_surrogate *model;
    tacit_importances *list;
    TC_TRY(tc_outcome_words_of_study(&names, study, of, &outcome, err));
    TC_TRY(tacit_surrogate_new_of(&model, study, outcome, err));
    tacit_status status = tacit_surrogate_importances(model, &list, err);
    tacit_surrogate_free(model);
    TC_TRY(status);
    status = print_list(list, format, err);
    tacit_importances_free(list);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    tacit_status status = tc_study_ref_look(&r, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = print(r.study, o->of, in->format, err);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_importances = {
    .name = "importances",
    .usage = "STUDY [options]",
    .summary = "show which parameters of a study matter",
    .details =
        "Sobol' indices of a Gaussian process over all complete trials: of what the objective\n"
        "varies over the space, the share that a parameter has by itself (first), and together\n"
        "with others (total; about 0: the parameter does nothing). low and high hold nine of ten\n"
        "functions that the model takes to be possible: a wide range asks for more trials.\n"
        "Parameters vary evenly over their ranges, on a log scale where the space has one. Of\n"
        "several objectives the first is modelled, or what --of names, which may be a "
        "constraint's\n"
        "outcome too; whether or not trials are feasible.\n"
        "\n"
        "The model is computed from the values that the study has. Of private replies, or values\n"
        "with noise, that costs no privacy; in an agent's own storage they are its party's own.\n"
        "\n"
        "  tacit importances branin\n"
        "  tacit importances trade --of latency\n"
        "  tacit importances branin --server https://tacit.example:8443 --format json\n"
        "  tacit plot branin --kind importances --out importances.svg",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
