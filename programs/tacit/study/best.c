/* best.c - `tacit best`: the trial of a study to take. */
#include "study/outcome_words.h"
#include "study/study_ref.h"
#include "study/trial_rows.h"
#include "frame/verbs.h"

#include <math.h>
#include <stddef.h>

typedef struct options {
    tc_where where;
    int by; /* tacit_recommend_by */
    char *reference;
} options;

static const tc_option table[] = {
    TC_CHOICE_OPTION("by", offsetof(options, by), "auto", "auto|model|seen",
                     "the best mean of the model, or the best value that was seen; auto: the model "
                     "where values are noisy"),
    {"reference", TC_OPTION_STRING, offsetof(options, reference), .value = "NAME=NUMBER,...",
     .help = "several objectives: also the volume that the front dominates, up to this point "
             "(default: that of the document)"},
    TC_WHERE_OPTIONS(options),
    {.name = NULL}};

/* That of the option, or of the document; *out NULL: there is none. */
static tacit_status find_reference(const options *o, const tc_outcome_words *names,
                                   double at[TACIT_OBJECTIVES_MOST], const double **out,
                                   tacit_error *err)
{
    *out = o->reference || isfinite(names->of[0].reference) ? at : NULL;
    if (o->reference)
        return tc_outcome_words_read(names, names->objectives, "--reference", o->reference, at,
                                     err);
    for (size_t i = 0; i < names->objectives; i++)
        at[i] = names->of[i].reference;
    return TACIT_OK;
}

static tacit_status print_front(const options *o, tacit_study *s, const tc_invocation *in,
                                tacit_error *err)
{
    tc_outcome_words names;
    double at[TACIT_OBJECTIVES_MOST];
    const double *reference;
    tc_outcome_words_of(&names, tacit_study_document(s));
    if (tc_given(in, "by"))
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "--by is for one objective: study %s has %zu, and so a front in place of "
                       "one best trial",
                       tacit_study_name(s), names.objectives);
    TC_TRY(find_reference(o, &names, at, &reference, err));
    return tc_front_print(s, reference, in, err);
}

static tacit_status print(const options *o, tacit_study *s, const tc_invocation *in,
                          tacit_error *err)
{
    tacit_recommendation *r;
    if (tacit_document_objectives(tacit_study_document(s)) > 1)
        return print_front(o, s, in, err);
    if (o->reference)
        return tc_fail(err, TACIT_E_ARG,
                       "--reference is for several objectives, and study %s has one",
                       tacit_study_name(s));
    TC_TRY(tacit_study_recommend(s, (tacit_recommend_by)o->by, &r, err));
    tacit_status status = tc_best_found_print(s, r, in, err);
    tacit_recommendation_free(r);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    tacit_status status = tc_study_ref_look(&r, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = print(o, r.study, in, err);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_best = {
    .name = "best",
    .usage = "STUDY [options]",
    .summary = "show the best trial of a study",
    .details =
        "By what was seen: the best value; of equals, the first. By the model: of the points that\n"
        "were tried, the one where the mean of the algorithm's model is best, with its standard\n"
        "deviation. Of noisy values the best is mostly the luckiest, so --by auto is by the model\n"
        "where values are private replies, where noise was added to them on purpose, where the\n"
        "algorithm is for heavy tails, and where the model takes 1% of their variance or more for\n"
        "noise, unless trials were ended early (--prune), whose values are not final: no such "
        "trial\n"
        "is chosen, by the model neither. A note on standard error says which, and why; so do\n"
        "\"by\" and \"because\" of the one object that --format json prints.\n"
        "\n"
        "With constraints the best is the best of the feasible trials. Where none is feasible "
        "yet,\n"
        "the one that misses its bounds by least is shown, and the exit status is 4: its violation "
        "is\n"
        "the sum, over the bounds that it misses, of by how much, as a share of the bound's size.\n"
        "With several objectives the front is shown: the feasible trials that no other one\n"
        "dominates. --reference adds its hypervolume, a member of the object of --format json.\n"
        "\n"
        "  tacit best branin --format json\n"
        "  tacit best branin --by seen\n"
        "  tacit best trade --reference error=1,latency=10\n"
        "  tacit best branin --server https://tacit.example:8443",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
