/* delete.c - `tacit delete`: failed trials are taken out of a study. */
#include "base/text.h"
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <inttypes.h>
#include <stddef.h>

typedef struct options {
    tc_where where;
    bool failed;
} options;

static const tc_option table[] = {TC_WHERE_OPTIONS(options),
                                  {"failed", TC_OPTION_BOOL, offsetof(options, failed), "false",
                                   .help = "all failed trials, in place of TRIAL"},
                                  {.name = NULL}};

static tacit_status read_words(const tc_invocation *in, uint64_t *trial, tacit_error *err)
{
    const options *o = in->opts;
    unsigned long long number = 0;
    if (o->failed == (in->n_args == 2))
        return tc_fail(err, TACIT_E_ARG,
                       "give either TRIAL, the number of a failed trial, or --failed");
    if (in->n_args == 2 && !tc_parse_u64(in->args[1], &number))
        return tc_fail(err, TACIT_E_ARG, "TRIAL must be the number of a trial, got \"%s\"",
                       in->args[1]);
    *trial = number;
    return TACIT_OK;
}

static tacit_status delete_one(tacit_study *s, uint64_t trial, int format, tacit_error *err)
{
    static const char *const names[] = {"trial", "state"};
    TC_TRY(tacit_study_delete_trial(s, trial, err));
    tc_table *t = tc_table_new(2, names);
    tc_table_integer(t, 0, (int64_t)trial);
    tc_table_text(t, 1, tacit_trial_state_name(TACIT_TRIAL_DELETED));
    tc_table_end_row(t);
    return tc_table_print(t, tc_format_of_row(format), stdout, err);
}

static tacit_status delete_failed(tacit_study *s, int format, tacit_error *err)
{
    static const char *const names[] = {"deleted"};
    tacit_trials *failed;
    tacit_trial_query query = TACIT_TRIAL_QUERY;
    tacit_status status = TACIT_OK;
    query.state = TACIT_TRIAL_FAIL;
    TC_TRY(tacit_study_trials(s, &query, &failed, err));
    const size_t n = tacit_trials_count(failed);
    for (size_t i = 0; i < n && status == TACIT_OK; i++)
        status = tacit_study_delete_trial(s, tacit_trials_get(failed, i)->number, err);
    tacit_trials_free(failed);
    TC_TRY(status);
    tc_table *t = tc_table_new(1, names);
    tc_table_integer(t, 0, (int64_t)n);
    tc_table_end_row(t);
    return tc_table_print(t, tc_format_of_row(format), stdout, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    uint64_t trial = 0;
    TC_TRY(read_words(in, &trial, err));
    tacit_status status = tc_study_ref_look(&r, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = o->failed ? delete_failed(r.study, in->format, err)
                           : delete_one(r.study, trial, in->format, err);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_delete = {
    .name = "delete",
    .usage = "STUDY (TRIAL | --failed) [options]",
    .summary = "take failed trials out of a study",
    .details =
        "A deleted trial is in no list, export, count or plot any more (tacit trials --state\n"
        "deleted shows it), and no longer counts towards the trials that are planned: the study\n"
        "has room for another one, and may propose that point again. Its number is not used "
        "again.\n"
        "\n"
        "Only a trial that failed can be deleted. The trials after one with a value were proposed\n"
        "with that value, and a journal must give the same proposals whenever it is read. The\n"
        "journal keeps what was deleted; ledgers give nothing back. tacit erase wipes a whole\n"
        "study.\n"
        "\n"
        "A coordinator (--server) takes it from the operator alone.\n"
        "\n"
        "  tacit delete branin 7\n"
        "  tacit delete branin --failed",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 2,
    .run = run};
