/* enqueue.c - `tacit enqueue`: points to be tried before any that is computed. */
#include "frame/point.h"
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <inttypes.h>
#include <stddef.h>

typedef struct options {
    tc_where where;
    bool failed;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {"failed", TC_OPTION_BOOL, offsetof(options, failed), "false",
     .help = "the points of all failed trials once more, in place of --param"},
    {.name = NULL}};

static tacit_status check(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    if (o->failed == (in->n_sets > 0))
        return tc_fail(err, TACIT_E_ARG,
                       "give either the point, --param NAME=VALUE for each parameter, or --failed");
    return TACIT_OK;
}

static tacit_status read_point(tc_point *p, const tc_invocation *in, tacit_error *err)
{
    tc_point_start(p, NULL);
    for (size_t i = 0; i < in->n_sets; i++)
        TC_TRY(tc_point_set_word(p, in->sets[i], err));
    return tc_point_end(p, err);
}

static tacit_status enqueue_point(tacit_study *s, const tc_point *p, int format, tacit_error *err)
{
    static const char *const names[] = {"trial", "state"};
    uint64_t trial;
    TC_TRY(tacit_study_enqueue(s, p->values, &trial, err));
    tc_table *t = tc_table_new(2, names);
    tc_table_integer(t, 0, (int64_t)trial);
    tc_table_text(t, 1, tacit_trial_state_name(TACIT_TRIAL_WAITING));
    tc_table_end_row(t);
    return tc_table_print(t, tc_format_of_row(format), stdout, err);
}

/* Whoever wants a study of as many values as were planned must say so: failed trials count. */
static tacit_status advise(tacit_study *s, uint64_t queued, bool quiet, tacit_error *err)
{
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    TC_TRY(tacit_study_summarize(s, &now, err));
    bool single = tacit_document_agents(tacit_study_document(s)) == 0;
    if (single && queued > 0 && now.finished + queued > now.planned)
        tc_note(quiet,
                "failed trials count towards the %" PRIu64 " that are planned: tacit optimize "
                "--trials %" PRIu64 " runs all that are queued",
                now.planned, now.finished + queued);
    return TACIT_OK;
}

static tacit_status enqueue_failed(tacit_study *s, const tc_invocation *in, tacit_error *err)
{
    static const char *const names[] = {"queued"};
    uint64_t queued;
    TC_TRY(tacit_study_rerun_failed(s, &queued, err));
    tc_table *t = tc_table_new(1, names);
    tc_table_integer(t, 0, (int64_t)queued);
    tc_table_end_row(t);
    TC_TRY(tc_table_print(t, tc_format_of_row(in->format), stdout, err));
    return advise(s, queued, in->quiet, err);
}

/* A document's space is known before its study exists, so a wrong point creates nothing. */
static tacit_status open_study(tc_study_ref *r, tc_point *p, const tc_invocation *in,
                               tacit_error *err)
{
    const options *o = in->opts;
    const tc_study_terms terms = {.create = true, .quiet = in->quiet, .threads = 1};
    TC_TRY(tc_study_ref_name(r, in->args[0], err));
    if (!r->given)
        return tc_study_ref_look(r, in->args[0], &o->where, in->quiet, err);
    TC_TRY(tc_point_init(p, tacit_document_space(r->given), err));
    if (!o->failed)
        TC_TRY(read_point(p, in, err));
    tc_point_fini(p);
    return tc_study_ref_open(r, in->args[0], &o->where, &terms, err);
}

static tacit_status enqueue(tc_study_ref *r, tc_point *p, const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    TC_TRY(open_study(r, p, in, err));
    if (o->failed)
        return enqueue_failed(r->study, in, err);
    TC_TRY(tc_point_init(p, tacit_study_space(r->study), err));
    TC_TRY(read_point(p, in, err));
    return enqueue_point(r->study, p, in->format, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    tc_study_ref r = {0};
    tc_point p = {0};
    TC_TRY(check(in, err));
    tacit_status status = enqueue(&r, &p, in, err);
    tc_point_fini(&p);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_enqueue = {
    .name = "enqueue",
    .usage = "STUDY (--param NAME=VALUE ... | --failed) [options]",
    .summary = "put points of your own before those that are computed",
    .details =
        "The point's trial is WAITING, and the next ask gets it: for what is known to be good, or\n"
        "where a search should begin. A study document as STUDY creates the study if need be.\n"
        "\n"
        "With --failed the points of failed trials are queued once more, each once, and none that\n"
        "is queued, runs or has succeeded meanwhile. The failed trials themselves stay, with "
        "their\n"
        "reasons, and count towards the number that is planned: tacit optimize --trials raises "
        "it, or\n"
        "tacit delete takes them out.\n"
        "\n"
        "A coordinator (--server) takes points as long as fewer trials are there than are "
        "planned.\n"
        "\n"
        "  tacit enqueue study.json --param lr=0.01 --param layers=3\n"
        "  tacit enqueue branin --failed",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .takes_sets = true,
    .sets_flag = "param",
    .sets_help = "a parameter of the point and its value; one for each",
    .run = run};
