/* export.c - `tacit export`: all trials for other programs, to a file or standard output. */
#include "base/file.h"
#include "base/memory.h"
#include "storage.h"
#include "trial_rows.h"
#include "verbs.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    char *storage;
    char *out;
} options;

static const tc_option table[] = {
    TC_STORAGE_OPTION(options),
    {"out", TC_OPTION_STRING, offsetof(options, out), .value = "FILE",
     .help = "where to write; it appears whole or not at all (default: standard output)"},
    {.name = NULL}};

static tacit_status write_trials(const tc_optimizer *o, int format, FILE *out, tacit_error *err)
{
    size_t n = tc_optimizer_trials(o);
    const tc_trial **trials = tc_alloc(n + 1, sizeof *trials);
    if (!trials)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        trials[i] = tc_optimizer_trial(o, i);
    tacit_status st = tc_trials_print(tc_optimizer_space(o), trials, n, format, out, err);
    tc_free(trials);
    return st;
}

/* Through memory, so that the file is written in one piece. */
static tacit_status write_file(const tc_optimizer *o, int format, const char *file,
                               tacit_error *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return tc_fail_memory(err);
    tacit_status st = write_trials(o, format, f, err);
    bool failed = ferror(f) != 0;
    if ((fclose(f) != 0 || failed) && st == TACIT_OK)
        st = tc_fail_memory(err);
    if (st == TACIT_OK)
        st = tc_file_write(file, text, len, err);
    free(text);
    return st;
}

static tacit_status export_study(tc_study *study, const tc_invocation *in, tacit_error *err)
{
    const options *opts = in->opts;
    const tc_optimizer *o;
    bool to_file = opts->out && strcmp(opts->out, "-") != 0;
    TC_TRY(tc_study_look(study, &o, err));
    tacit_status st = to_file ? write_file(o, in->format, opts->out, err)
                              : write_trials(o, in->format, stdout, err);
    if (st == TACIT_OK && to_file)
        tc_note(in->quiet, "%zu trials written to %s", tc_optimizer_trials(o), opts->out);
    tc_study_unlook(study);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_session s = {0};
    tacit_status st = tc_session_look(&s, in->args[0], o->storage, err);
    if (st == TACIT_OK)
        st = export_study(s.study, in, err);
    tc_session_close(&s);
    return st;
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
               "  tacit export branin --format jsonl | head",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .default_format = TC_FORMAT_CSV,
    .run = run};
