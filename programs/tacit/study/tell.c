/* tell.c - `tacit tell`: what came of a trial. */
#include "base/memory.h"
#include "frame/point.h"
#include "study/outcome_words.h"
#include "study/pull_values.h"
#include "study/records_options.h"
#include "study/study_ref.h"
#include "study/trial_rows.h"
#include "study/user_options.h"
#include "frame/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct options {
    tc_where where;
    char *fail;
    char *values;
    char *batch;
    bool skip_if_finished;
    bool reply;
    char *user, *ledger_storage;
    tc_records_words records;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {"fail", TC_OPTION_STRING, offsetof(options, fail), .value = "REASON",
     .help = "the trial failed, and why; in place of VALUE"},
    {"values", TC_OPTION_STRING, offsetof(options, values), .value = "FILE",
     .help = "of a trial of several pulls: the value of each on a line; - is standard input"},
    {"batch", TC_OPTION_STRING, offsetof(options, batch), .value = "PULLS,SUM,SQUARES",
     .help = "the same in sums of rewards, whole numbers of 2^-28"},
    {"skip-if-finished", TC_OPTION_BOOL, offsetof(options, skip_if_finished), "false",
     .help = "a trial that is told already is left as it is, without an error"},
    TC_USER_OPTIONS(options),
    {"reply", TC_OPTION_BOOL, offsetof(options, reply), "false",
     .help = "ldp-*: VALUE is a reply that tacit curate perturb has printed"},
    TC_RECORDS_OPTIONS(options),
    TC_RECORDS_LEDGER_OPTIONS(options),
    {.name = NULL}};

typedef struct report {
    uint64_t trial;
    double value;
    bool finished;     /* it is told already */
    uint64_t pulls;    /* that were asked for */
    tacit_batch batch; /* what is told, unless there are no pulls in it */
    tc_pull_values pulled;
    double outcomes[TC_OUTCOME_PLACES]; /* that VALUE names ... */
    size_t n_outcomes;                  /* ... 0: VALUE is a number */
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
    int given = has_value + (o->fail != NULL) + (o->values != NULL) + (o->batch != NULL);
    if (given != 1)
        return tc_fail(err, TACIT_E_ARG,
                       "give either VALUE or --fail REASON or --values FILE or --batch "
                       "PULLS,SUM,SQUARES%s",
                       given ? ", not both" : "");
    if (o->fail && in->n_sets > 0)
        return tc_fail(err, TACIT_E_ARG, "--param goes with a VALUE, not with --fail");
    if (o->batch)
        return tc_pull_values_parse(&r->batch, o->batch, err);
    return has_value && !tc_outcome_words_are(in->args[2])
               ? tc_read_value("VALUE", in->args[2], false, &r->value, err)
               : TACIT_OK;
}

/* VALUE as "error=0.1,latency=3", which only the study can read. */
static tacit_status read_outcomes(const tacit_document *doc, const tc_invocation *in, report *r,
                                  tacit_error *err)
{
    tc_outcome_words names;
    tc_outcome_words_of(&names, doc);
    if (in->n_args < 3 || !tc_outcome_words_are(in->args[2]))
        return TACIT_OK;
    if (names.n == 1)
        return tc_fail(err, TACIT_E_ARG, "VALUE must be a finite number, got \"%.40s\"",
                       in->args[2]);
    TC_TRY(tc_outcome_words_read(&names, names.n, "VALUE", in->args[2], r->outcomes, err));
    r->n_outcomes = names.n;
    r->value = r->outcomes[0];
    return TACIT_OK;
}

static tacit_status read_trial(const tacit_trial *t, const tc_invocation *in, report *r,
                               tacit_error *err)
{
    r->finished = t->state == TACIT_TRIAL_COMPLETE || t->state == TACIT_TRIAL_FAIL ||
                  t->state == TACIT_TRIAL_PRUNED || t->state == TACIT_TRIAL_DELETED;
    r->pulls = t->pulls;
    if (in->n_sets == 0)
        return TACIT_OK;
    tc_point_start(&r->point, t->values);
    for (size_t i = 0; i < in->n_sets; i++)
        TC_TRY(tc_point_set_word(&r->point, in->sets[i], err));
    return tc_point_end(&r->point, err);
}

static tacit_status look_at_trial(tacit_study *s, const tc_invocation *in, report *r,
                                  tacit_error *err)
{
    tacit_trial *t;
    TC_TRY(tacit_study_trial(s, r->trial, &t, err));
    tacit_status status = read_trial(t, in, r, err);
    tacit_trial_free(t);
    return status;
}

static tacit_status print_value(const tacit_trial *t, int format, tacit_error *err)
{
    static const char *const names[] = {"trial", "state", "value", "reason", "pulls"};
    bool batch = t->pulls > 1;
    tc_table *rows = tc_table_new(batch ? 5 : 4, names);
    tc_table_integer(rows, 0, (int64_t)t->number);
    tc_table_text(rows, 1, tacit_trial_state_name(t->state));
    if (t->state == TACIT_TRIAL_COMPLETE)
        tc_table_number(rows, 2, t->value);
    tc_table_text(rows, 3, t->reason);
    if (batch)
        tc_table_integer(rows, 4, (int64_t)t->pulls);
    tc_table_end_row(rows);
    return tc_table_print(rows, (tc_format)(format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format),
                          stdout, err);
}

/* Where there are several outcomes: as `tacit trials` has it. */
static tacit_status print_state(tacit_study *s, uint64_t trial, int format, tacit_error *err)
{
    tacit_trial *t;
    const tacit_document *doc = tacit_study_document(s);
    TC_TRY(tacit_study_trial(s, trial, &t, err));
    tacit_status status = tacit_document_outcomes(doc) > 1
                              ? tc_trial_print(doc, t, format, stdout, err)
                              : print_value(t, format, err);
    tacit_trial_free(t);
    return status;
}

/* A reward is 0 or 1 at the ends of the public range and beyond: who means more should hear of it. */
static void note_outside(const tacit_document *doc, uint64_t outside, uint64_t n, bool quiet)
{
    tc_value_range range = tc_value_range_of(doc);
    if (outside > 0)
        tc_note(quiet,
                "tacit: warning: %" PRIu64 " of %" PRIu64 " value%s outside %g to %g, which is the "
                "study's low and high: the nearer end counts",
                outside, n, n == 1 ? " is" : "s are", range.low, range.high);
}

/* One value alone is an ordinary report, which every algorithm takes. */
static tacit_status read_values(const tc_study_ref *ref, const tc_invocation *in, report *r,
                                tacit_error *err)
{
    const options *o = in->opts;
    TC_TRY(tc_pull_values_read(&r->pulled, ref->study, ref->way.served, o->values, r->pulls, err));
    note_outside(tacit_study_document(ref->study), r->pulled.outside, r->pulled.n, in->quiet);
    r->value = r->pulled.first;
    if (r->pulled.n > 1)
        r->batch = r->pulled.batch;
    return TACIT_OK;
}

/* ---- local privacy: what is told is a reply */

static tacit_status check_private(const tacit_document *doc, const tc_invocation *in,
                                  const report *r, tacit_error *err)
{
    const options *o = in->opts;
    if (!o->reply || !tacit_document_takes_replies(doc))
        TC_TRY(tc_user_check(doc, o->user, o->ledger_storage, err));
    TC_TRY(tc_records_check(doc, &o->records, in, err));
    if (!tacit_document_takes_replies(doc))
        return o->reply ? tc_fail(err, TACIT_E_ARG,
                                  "--reply is for algorithms that are told private replies, and "
                                  "%s is told values as they are",
                                  tacit_document_algorithm(doc))
                        : TACIT_OK;
    if (o->reply && o->user)
        return tc_fail(err, TACIT_E_ARG,
                       "give either --user or --reply: a reply is not perturbed "
                       "again");
    if (o->values || o->batch || (o->reply && o->fail))
        return tc_fail(err, TACIT_E_ARG, "%s is told one private reply a trial, %s",
                       tacit_document_algorithm(doc),
                       o->fail ? "also where the evaluation failed: perturb the value nan"
                               : "never --values or --batch");
    return o->reply ? tacit_document_check_reply(doc, r->value, err) : TACIT_OK;
}

/* A failure is a reply too: the middle of the bounds, perturbed. Of a trial that is finished, or said to be, it is the
 * reply that was given before, and nothing else: who says so may be wrong, or lie. */
static tacit_status send_reply(const tc_study_ref *ref, const tc_invocation *in, const report *r,
                               tacit_report *told, tacit_error *err)
{
    const options *o = in->opts;
    tacit_user *u = NULL;
    tacit_error why = {0};
    double reward = o->fail ? (double)NAN : r->value;
    told->kind = TACIT_REPORT_REPLY;
    TC_TRY(tc_user_open(&u, ref, o->user, o->ledger_storage, in->quiet, err));
    tacit_status status = r->finished ? tacit_user_recall(u, r->trial, &told->value, &why)
                                      : tacit_user_reply(u, r->trial, reward, &told->value, &why);
    tacit_user_close(u);
    if (r->finished && status == TACIT_E_NOT_FOUND)
        return tc_fail(err, TACIT_E_STATE,
                       "trial %" PRIu64 " was told already, and not with a reply that user "
                       "\"%.60s\" has given; nothing was told",
                       r->trial, o->user);
    return status == TACIT_OK ? tacit_study_report(ref->study, r->trial, told, err)
                              : tc_pass_on(err, status, &why);
}

/* What is told of values as they are. */
static void fill_report(tacit_report *told, const options *o, const report *r)
{
    bool batch = r->batch.pulls > 0 || o->batch, listed = r->pulled.list && r->pulled.n > 1;
    told->kind = o->fail    ? TACIT_REPORT_FAILED
                 : o->reply ? TACIT_REPORT_REPLY
                 : listed   ? TACIT_REPORT_PULLS
                 : batch    ? TACIT_REPORT_BATCH
                            : TACIT_REPORT_VALUE;
    told->value = r->value;
    told->reason = o->fail;
    told->pulls = r->pulled.list;
    told->n_pulls = (size_t)r->pulled.n;
    told->outcomes = r->n_outcomes > 0 ? r->outcomes : NULL;
    told->n_outcomes = r->n_outcomes;
    told->batch = r->batch;
}

static tacit_status send(const tc_study_ref *ref, const tc_invocation *in, report *r,
                         tacit_error *err)
{
    const options *o = in->opts;
    const tacit_document *doc = tacit_study_document(ref->study);
    tacit_report told = TACIT_REPORT;
    told.point = in->n_sets ? r->point.values : NULL;
    if (o->user) /* whatever anybody says of the trial: nothing but a reply is ever composed */
        return send_reply(ref, in, r, &told, err);
    if (o->values && !r->finished)
        TC_TRY(read_values(ref, in, r, err));
    else if (!o->fail && !o->batch && !r->finished)
        note_outside(doc, tc_value_outside(tc_value_range_of(doc), r->value), 1, in->quiet);
    if (o->batch && ref->way.served)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "--batch is for a storage: a coordinator is told the --values");
    fill_report(&told, o, r);
    return tacit_study_report(ref->study, r->trial, &told, err);
}

static tacit_status tell(const tc_study_ref *ref, const tc_invocation *in, report *r,
                         tacit_error *err)
{
    const options *o = in->opts;
    const tacit_document *doc = tacit_study_document(ref->study);
    TC_TRY(read_outcomes(doc, in, r, err));
    TC_TRY(check_private(doc, in, r, err));
    TC_TRY(tc_records_declare(ref->study, &o->records, o->ledger_storage, in, true, err));
    TC_TRY(tc_point_init(&r->point, tacit_study_space(ref->study), err));
    TC_TRY(look_at_trial(ref->study, in, r, err));
    if (r->finished && o->skip_if_finished)
        tc_note(in->quiet, "trial %" PRIu64 " is finished; nothing was changed", r->trial);
    else
        TC_TRY(send(ref, in, r, err));
    return print_state(ref->study, r->trial, in->format, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref ref = {0};
    report r = {0};
    tacit_status status = read_words(in, &r, err);
    if (status == TACIT_OK)
        status = tc_study_ref_look(&ref, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = tell(&ref, in, &r, err);
    tc_point_fini(&r.point);
    tc_pull_values_fini(&r.pulled);
    tc_study_ref_close(&ref);
    return status;
}

const tc_verb tc_verb_tell = {
    .name = "tell",
    .usage = "STUDY TRIAL (VALUE | --fail REASON | --values FILE) [options]",
    .summary = "report the value of a trial, or that it failed",
    .details =
        "The report is on disk when the program ends. A trial is told once: a second\n"
        "report is refused, or ignored with --skip-if-finished.\n"
        "\n"
        "Of a study with several objectives, or with constraints, VALUE has all outcomes by name:\n"
        "error=0.1,latency=3, or a JSON object. The value of one objective is called value.\n"
        "The trial is shown with all of them, and with constraints whether it is feasible.\n"
        "\n"
        "A trial of several pulls (ask --pulls) is told with --values, or with sums that\n"
        "you made yourself: the number of pulls, the sum of the rewards (value - low) /\n"
        "(high - low) in whole numbers of 2^-28, and that of their squares, each rounded\n"
        "down. Fewer pulls than were asked for are welcome.\n"
        "\n"
        "A study with ldp-tgp, ldp-ata or ldp-moma is told private replies. With --user the\n"
        "reward, or the failure, is perturbed here and charged to that user's ledger, which\n"
        "is ~/.local/state/tacit/replies.db (or below XDG_STATE_HOME) in whatever folder you\n"
        "are and wherever the study is; --ledger-storage names another one, and is warned of\n"
        "once. With --reply VALUE is a reply that tacit curate perturb has printed. VALUE may\n"
        "be -, the first line of standard input: other users of the machine see command lines.\n"
        "\n"
        "A study that protects validation records needs --records, as at ask. VALUE gets noise "
        "here,\n"
        "once, before anything else sees it; a failure is told as the worse end of the range with\n"
        "noise.\n"
        "\n"
        "With a coordinator (--server) the same report again is welcome: who lost the answer asks\n"
        "again. With --user it gets the reply and nothing else, whatever it says about the trial.\n"
        "\n"
        "  tacit tell branin 3 0.41\n"
        "  tacit tell branin 4 --fail \"out of memory\"\n"
        "  tacit tell branin 5 0.39 --param lr=0.012\n"
        "  tacit tell trade 3 error=0.08,latency=4.1,memory_mb=310\n"
        "  ./pull 0.5 0.25 500 | tacit tell garland 6 --values -\n"
        "  ./try 0.3 | tacit tell doses 7 - --user ann\n"
        "  tacit tell branin 3 0.41 --server https://tacit.example:8443 --token-file client.txt",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 2,
    .max_args = 3,
    .takes_sets = true,
    .sets_flag = "param",
    .sets_help = "the point really run, where it was not the one asked for; may be repeated",
    .run = run};
