/* best.c - `tacit best`: the trial of a study to take. */
#include "study/study_ref.h"
#include "study/trial_rows.h"
#include "frame/verbs.h"

#include <stddef.h>

typedef struct options {
    tc_where where;
    int by; /* tacit_recommend_by */
} options;

static const tc_option table[] = {
    TC_CHOICE_OPTION("by", offsetof(options, by), "auto", "auto|model|seen",
                     "the best mean of the model, or the best value that was seen; auto: the model "
                     "where values are noisy"),
    TC_WHERE_OPTIONS(options),
    {.name = NULL}};

static tacit_status print(const options *o, tacit_study *s, const tc_invocation *in,
                          tacit_error *err)
{
    tacit_recommendation *r;
    TC_TRY(tacit_study_recommend(s, (tacit_recommend_by)o->by, &r, err));
    tacit_status status =
        tc_recommendation_print(tacit_study_space(s), r, in->format, in->quiet, stdout, err);
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
        "noise. A note on standard error says which, and why; so do \"by\" and \"because\" of the\n"
        "one object that --format json prints.\n"
        "\n"
        "  tacit best branin --format json\n"
        "  tacit best branin --by seen\n"
        "  tacit best branin --server https://tacit.example:8443",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
