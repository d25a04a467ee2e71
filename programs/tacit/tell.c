/* tell.c - `tacit tell`: what came of a trial. */
#include "base/memory.h"
#include "point.h"
#include "storage.h"
#include "verbs.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

typedef struct options {
    char *storage;
    char *fail;
    bool skip_if_finished;
} options;

static const tc_option table[] = {
    TC_STORAGE_OPTION(options),
    {"fail", TC_OPTION_STRING, offsetof(options, fail), .value = "REASON",
     .help = "the trial failed, and why; in place of VALUE"},
    {"skip-if-finished", TC_OPTION_BOOL, offsetof(options, skip_if_finished), "false",
     .help = "a trial that is told already is left as it is, without an error"},
    {.name = NULL}};

typedef struct report {
    uint64_t trial;
    double value;
    bool finished; /* it is told already */
    tc_point point;
} report;

static tacit_status read_words(const tc_invocation *in, report *r, tacit_error *err)
{
    const options *o = in->opts;
    unsigned long long trial;
    if (!tc_parse_u64(in->args[1], &trial))
        return tc_fail(err, TACIT_E_ARG, "TRIAL must be the number of a trial, got \"%s\"",
                       in->args[1]);
    r->trial = trial;
    bool has_value = in->n_args == 3;
    if (has_value == (o->fail != NULL))
        return tc_fail(err, TACIT_E_ARG, "give either VALUE or --fail REASON%s",
                       has_value ? ", not both" : "");
    if (o->fail && in->n_sets > 0)
        return tc_fail(err, TACIT_E_ARG, "--param goes with a VALUE, not with --fail");
    if (has_value && !tc_parse_double(in->args[2], &r->value))
        return tc_fail(err, TACIT_E_ARG, "VALUE must be a finite number, got \"%s\"", in->args[2]);
    return TACIT_OK;
}

/* "name=value" onto the point as issued. */
static tacit_status set_param(tc_point *p, const char *word, tacit_error *err)
{
    const char *equals = strchr(word, '=');
    char *name = tc_strndup(word, (size_t)(equals - word));
    if (!name)
        return tc_fail_memory(err);
    size_t what = tc_point_find(p, name);
    tacit_status st = what == SIZE_MAX
                          ? tc_fail(err, TACIT_E_ARG, "the study has no parameter \"%s\"", name)
                          : tc_point_set(p, what, equals + 1, err);
    tc_free(name);
    return st;
}

static tacit_status read_trial(const tc_optimizer *o, const tc_invocation *in, report *r,
                               tacit_error *err)
{
    const tc_trial *t = tc_optimizer_trial(o, r->trial);
    if (!t)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no trial %" PRIu64 "; the study has %zu",
                       r->trial, tc_optimizer_trials(o));
    r->finished = t->state == TC_TRIAL_COMPLETE || t->state == TC_TRIAL_FAIL;
    if (in->n_sets == 0)
        return TACIT_OK;
    tc_point_start(&r->point, t->values);
    for (size_t i = 0; i < in->n_sets; i++)
        TC_TRY(set_param(&r->point, in->sets[i], err));
    return tc_point_end(&r->point, err);
}

static tacit_status look_at_trial(tc_study *study, const tc_invocation *in, report *r,
                                  tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(study, &o, err));
    tacit_status st = read_trial(o, in, r, err);
    tc_study_unlook(study);
    return st;
}

static tacit_status print_state(tc_study *study, uint64_t trial, int format, tacit_error *err)
{
    static const char *const names[] = {"trial", "state", "value", "reason"};
    const tc_optimizer *o;
    TC_TRY(tc_study_look(study, &o, err));
    const tc_trial *t = tc_optimizer_trial(o, trial);
    tc_table *rows = tc_table_new(4, names);
    tc_table_integer(rows, 0, (int64_t)trial);
    tc_table_text(rows, 1, tc_trial_state_name(t->state));
    if (t->state == TC_TRIAL_COMPLETE)
        tc_table_number(rows, 2, t->value);
    tc_table_text(rows, 3, t->reason);
    tc_table_end_row(rows);
    tc_study_unlook(study);
    return tc_table_print(rows, (tc_format)(format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format),
                          stdout, err);
}

static tacit_status tell(tc_study *study, const tc_invocation *in, report *r, tacit_error *err)
{
    const options *o = in->opts;
    TC_TRY(tc_point_init(&r->point, tc_study_document(study)->space, err));
    TC_TRY(look_at_trial(study, in, r, err));
    if (r->finished && o->skip_if_finished)
        tc_note(in->quiet, "trial %" PRIu64 " is finished; nothing was changed", r->trial);
    else if (o->fail)
        TC_TRY(tc_study_fail(study, r->trial, o->fail, err));
    else
        TC_TRY(tc_study_tell(study, r->trial, in->n_sets ? r->point.values : NULL, r->value, err));
    return print_state(study, r->trial, in->format, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_session s = {0};
    report r = {0};
    tacit_status st = read_words(in, &r, err);
    if (st == TACIT_OK)
        st = tc_session_look(&s, in->args[0], o->storage, err);
    if (st == TACIT_OK)
        st = tell(s.study, in, &r, err);
    tc_point_fini(&r.point);
    tc_session_close(&s);
    return st;
}

const tc_verb tc_verb_tell = {
    .name = "tell",
    .usage = "STUDY TRIAL (VALUE | --fail REASON) [options]",
    .summary = "report the value of a trial, or that it failed",
    .details = "The report is on disk when the program ends. A trial is told once: a second\n"
               "report is refused, or ignored with --skip-if-finished.\n"
               "\n"
               "  tacit tell branin 3 0.41\n"
               "  tacit tell branin 4 --fail \"out of memory\"\n"
               "  tacit tell branin 5 0.39 --param lr=0.012",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 2,
    .max_args = 3,
    .takes_sets = true,
    .sets_flag = "param",
    .sets_help = "the point really run, where it was not the one asked for; may be repeated",
    .run = run};
