/* export.c - `tacit export`: all trials for other programs, to a file or standard output. */
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

/* Through memory, so that the file is written in one piece. */
static tacit_status write_file(const tacit_space *space, const tacit_trials *all, int format,
                               const char *file, tacit_error *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return tc_fail_memory(err);
    tacit_status status = tc_trials_print(space, all, format, f, err);
    bool failed = ferror(f) != 0;
    if ((fclose(f) != 0 || failed) && status == TACIT_OK)
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        status = tc_file_write(file, text, len, err);
    free(text);
    return status;
}

static tacit_status export_study(tacit_study *s, const tc_invocation *in, tacit_error *err)
{
    const options *opts = in->opts;
    const tacit_space *space = tacit_study_space(s);
    tacit_trials *all;
    bool to_file = opts->out && strcmp(opts->out, "-") != 0;
    TC_TRY(tacit_study_trials(s, NULL, &all, err));
    tacit_status status = to_file ? write_file(space, all, in->format, opts->out, err)
                                  : tc_trials_print(space, all, in->format, stdout, err);
    if (status == TACIT_OK && to_file)
        tc_note(in->quiet, "%zu trials written to %s", tacit_trials_count(all), opts->out);
    tacit_trials_free(all);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    tacit_status status = tc_study_ref_look(&r, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = export_study(r.study, in, err);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_export = {
    .name = "export",
    .usage = "STUDY [options]",
    .summary = "write all trials of a study as CSV or JSON",
    .details = "CSV has Optuna's columns: number, state, value, params_x for each parameter,\n"
               "datetime_start, datetime_complete, worker, reason. jsonl is one object per line.\n"
               "Numbers read back as exactly the same doubles; tacit import takes the CSV.\n"
               "\n"
               "  tacit export branin --out trials.csv\n"
               "  tacit export branin --format jsonl | head\n"
               "  tacit export branin --server https://tacit.example:8443 --out trials.csv",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .default_format = TC_FORMAT_CSV,
    .run = run};
