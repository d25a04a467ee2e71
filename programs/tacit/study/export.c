/* export.c - `tacit export`: all trials for other programs, to a file or standard output.
 *
 * The file's name says the format, unless --format does. */
#include "base/file.h"
#include "study/study_ref.h"
#include "study/trial_rows.h"
#include "frame/verbs.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    tc_where where;
    char *out;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {"out", TC_OPTION_STRING, offsetof(options, out), .value = "FILE",
     .help = "where to write; it appears whole or not at all (default: standard output)"},
    {.name = NULL}};

static bool to_file(const options *o)
{
    return o->out && strcmp(o->out, "-") != 0;
}

/* --format wins; then what the file is called. */
static tacit_status choose_format(const tc_invocation *in, int *format, tacit_error *err)
{
    const options *o = in->opts;
    *format = in->format;
    if (tc_given(in, "format") || !to_file(o))
        return TACIT_OK;
    if (tc_ends_in(o->out, ".json"))
        *format = TC_FORMAT_JSON;
    else if (tc_ends_in(o->out, ".jsonl"))
        *format = TC_FORMAT_JSONL;
    else if (!tc_ends_in(o->out, ".csv"))
        return tc_fail(err, TACIT_E_ARG,
                       "--out must end in .csv, .json or .jsonl, not \"%s\", unless --format says "
                       "what to write",
                       o->out);
    return TACIT_OK;
}

/* Through memory, so that the file is written in one piece. */
static tacit_status write_file(const tacit_document *doc, const tacit_trials *all, int format,
                               const char *file, tacit_error *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return tc_fail_memory(err);
    tacit_status status = tc_trials_print(doc, all, format, f, err);
    bool failed = ferror(f) != 0;
    if ((fclose(f) != 0 || failed) && status == TACIT_OK)
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        status = tc_file_write(file, text, len, err);
    free(text);
    return status;
}

static tacit_status export_study(tacit_study *s, const tc_invocation *in, int format,
                                 tacit_error *err)
{
    const options *opts = in->opts;
    const tacit_document *doc = tacit_study_document(s);
    tacit_trials *all;
    TC_TRY(tacit_study_trials(s, NULL, &all, err));
    tacit_status status = to_file(opts) ? write_file(doc, all, format, opts->out, err)
                                        : tc_trials_print(doc, all, format, stdout, err);
    if (status == TACIT_OK && to_file(opts))
        tc_note(in->quiet, "%zu trials written to %s", tacit_trials_count(all), opts->out);
    tacit_trials_free(all);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    int format;
    TC_TRY(choose_format(in, &format, err));
    tacit_status status = tc_study_ref_look(&r, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = export_study(r.study, in, format, err);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_export = {
    .name = "export",
    .usage = "STUDY [options]",
    .summary = "write all trials of a study as CSV or JSON",
    .details =
        "The name of the file says the format: .csv, .json or .jsonl; --format says it for "
        "others,\n"
        "and wins. CSV has the columns trial, state, value, params_x for each parameter,\n"
        "datetime_start, datetime_complete, worker, reason: Optuna's, but for the first, which is\n"
        "number there. Several outcomes add outcomes_NAME for each, and feasible where there are\n"
        "constraints; value is then the first objective. JSON is an array of trials, jsonl one "
        "object per line, with the\n"
        "parameters typed as the space says. Numbers read back as exactly the same doubles; tacit\n"
        "import takes all three.\n"
        "\n"
        "  tacit export branin --out trials.csv\n"
        "  tacit export branin --out trials.json\n"
        "  tacit export branin --format jsonl | head\n"
        "  tacit export branin --server https://tacit.example:8443 --out trials.csv",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .default_format = TC_FORMAT_CSV,
    .run = run};
