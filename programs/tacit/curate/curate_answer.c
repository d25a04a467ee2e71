/* curate_answer.c - `tacit curate answer`: the values of released rows, for the modeler.
 *
 * One row, to a file; or, with --server, all that a coordinator's study asks for. A program that has the values is run
 * only if the ledger has no answer about the row yet. */
#include "curate/curate.h"
#include "study/study_ref.h"

#include "base/file.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct answer_opts {
    char *storage, *out, *secret, *value_column;
    char *server, *fingerprint, *token_file, *ca, *proxy, *study;
    double budget, timeout_s, patience_s;
    int64_t seed;
    int fields; /* tacit_row_fields */
} answer_opts;

static const tc_option options[] = {
    {"out", TC_OPTION_STRING, offsetof(answer_opts, out), .value = "FILE",
     .help = "where the answer is written (default: standard output)"},
    {"secret", TC_OPTION_STRING, offsetof(answer_opts, secret), .value = "FILE",
     .help = "the secret file of the release (default: DATA.secret)"},
    {"value-column", TC_OPTION_STRING, offsetof(answer_opts, value_column), .value = "NAME",
     .help = "column of the values (default: that of the release)"},
    {"timeout-s", TC_OPTION_FLOAT, offsetof(answer_opts, timeout_s), "0", .min = 0, .max = 1e7,
     .help = "seconds the program may take, then it is ended and has no value; 0: no limit"},
    {"fields", TC_OPTION_CHOICE, offsetof(answer_opts, fields), "args", .choices = "args|env|stdin",
     .help = "how the program gets the record: {name} in its arguments, which all users of the "
             "machine can see, or a JSON object in TACIT_RECORD or on standard input"},
    TC_CURATE_BUDGET_OPTION(answer_opts),
    TC_STORAGE_OPTION(answer_opts),
    TC_CURATE_SEED_OPTION(answer_opts),
    {"server", TC_OPTION_STRING, offsetof(answer_opts, server), .value = "URL",
     .help = "answer what a coordinator's study asks, until it has asked all; in place of ROW"},
    TC_SERVER_OPTIONS(answer_opts),
    {"study", TC_OPTION_STRING, offsetof(answer_opts, study), .value = "NAME",
     .help = "with --server: the study (default: the name of the release)"},
    {"patience-s", TC_OPTION_FLOAT, offsetof(answer_opts, patience_s), "3600", .min = 1, .max = 1e9,
     .help = "seconds a coordinator may stay silent before the program gives up"},
    {.name = NULL}};

/* All-zero may be closed. */
typedef struct work {
    const tc_invocation *in;
    const answer_opts *o;
    uint64_t row;
    bool given;   /* the value is on the command line */
    double value; /* NaN: there is none */
    bool warned;  /* that fields stand on the command line */
    char *secret_path;
    tacit_curator *curator;
    const tacit_row_secret *secret;
    tc_data data;
    /* With --server: */
    uint64_t answered;
    bool said; /* that values leave NOT PRIVATE */
    tc_progress *progress;
} work;

/* ---- what was typed */

static tacit_status read_value(work *w, const char *word, tacit_error *err)
{
    w->given = true;
    w->value = (double)NAN;
    if (strcmp(word, "none") != 0 && !tc_parse_double(word, &w->value))
        return tc_fail(err, TACIT_E_ARG, "VALUE must be a finite number or none, got \"%.40s\"",
                       word);
    return TACIT_OK;
}

/* What goes with a coordinator, and what does not. */
static tacit_status check_server(const tc_invocation *in, tacit_error *err)
{
    const answer_opts *o = in->opts;
    if (!o->server && (o->study || o->token_file || o->fingerprint || o->ca || o->proxy))
        return tc_fail(err, TACIT_E_ARG, "--%s is for --server, which is not given",
                       o->study         ? "study"
                       : o->token_file  ? "token-file"
                       : o->fingerprint ? "fingerprint"
                       : o->ca          ? "ca"
                                        : "proxy");
    if (!o->server && in->n_args < 2)
        return tc_fail(err, TACIT_E_ARG,
                       "ROW is missing: which row is asked about? Or say --server URL");
    if (o->server && in->n_args > 1)
        return tc_fail(err, TACIT_E_ARG, "a coordinator says which row: leave out \"%.40s\"",
                       in->args[1]);
    if (o->server && o->out)
        return tc_fail(err, TACIT_E_ARG, "--out is for an answer by file, not for --server");
    return TACIT_OK;
}

static tacit_status read_words(work *w, tacit_error *err)
{
    const tc_invocation *in = w->in;
    unsigned long long row = 0;
    TC_TRY(check_server(in, err));
    if (in->n_args > 1 && !tc_parse_u64(in->args[1], &row))
        return tc_fail(err, TACIT_E_ARG, "ROW must be the number of a released row, got \"%.40s\"",
                       in->args[1]);
    w->row = row;
    if ((in->n_command > 0) + (in->n_args == 3) + (w->o->value_column != NULL) > 1)
        return tc_fail(err, TACIT_E_ARG,
                       "the value comes from the program, from VALUE or from "
                       "--value-column: give one of them");
    if (w->o->timeout_s > 0 && in->n_command == 0)
        return tc_fail(err, TACIT_E_ARG, "--timeout-s is for a program");
    if (w->o->fields != TACIT_ROW_ARGS && in->n_command == 0)
        return tc_fail(err, TACIT_E_ARG, "--fields is for a program");
    return in->n_args == 3 ? read_value(w, in->args[2], err) : TACIT_OK;
}

static tacit_status check_files(const work *w, tacit_error *err)
{
    const tc_curate_file files[] = {
        {"DATA", w->in->args[0]}, {"--out", w->o->out}, {"the secret file", w->secret_path}};
    TC_TRY(tc_curate_distinct(files, sizeof files / sizeof *files, w->o->storage, err));
    if (!w->o->out)
        return TACIT_OK;
    TC_TRY(tc_file_writable(w->o->out, err));
    return tc_curate_spare(w->o->out, err);
}

/* ---- the curator and its data */

/* What is given, or a program says, needs no column. */
static const char *value_column(const work *w)
{
    if (w->given || w->in->n_command > 0)
        return NULL;
    return w->o->value_column ? w->o->value_column : w->secret->value_column;
}

/* The columns of the release, as --columns would name them. */
static tacit_status read_data(work *w, tacit_error *err)
{
    const char *file = w->in->args[0];
    const tacit_row_terms *t = &w->secret->terms;
    tc_text columns = {0};
    for (size_t d = 0; d < t->dims; d++)
        tc_text_addf(&columns, "%s%s", d ? "," : "", t->columns[d].name);
    tacit_status status =
        columns.failed ? tc_fail_memory(err)
                       : tc_data_read(&w->data, file, tc_text_get(&columns), value_column(w), err);
    tc_text_fini(&columns);
    TC_TRY(status);
    status = tacit_curator_check_data(w->curator, w->data.n, w->data.x, err);
    if (status != TACIT_OK)
        tc_fail_in(err, "%.200s", file);
    return status;
}

static tacit_status open_curator(work *w, tacit_error *err)
{
    tacit_curator_opts opts = TACIT_CURATOR_OPTS;
    opts.storage = tc_storage_url(w->o->storage);
    opts.secret = w->secret_path = tc_secret_path(w->o->secret, w->in->args[0]);
    opts.budget = w->o->budget;
    opts.test_seed = w->o->seed;
    if (!w->secret_path)
        return tc_fail_memory(err);
    TC_TRY(check_files(w, err));
    TC_TRY(tacit_curator_open(&w->curator, &opts, err));
    w->secret = tacit_curator_secret(w->curator);
    return read_data(w, err);
}

static void close_curator(work *w)
{
    tacit_curator_close(w->curator);
    tc_data_fini(&w->data);
    tc_free(w->secret_path);
}

/* ---- the value of a record */

/* A program that fails tells something about its record: the answer must not, where answers are private. */
static void say_evaluated(work *w, uint64_t row, const tacit_row_value *got)
{
    if (isnan(got->value))
        tc_note(w->in->quiet, "tacit: the program gave no value for row %" PRIu64 " (%s); %s", row,
                got->reason,
                w->secret->terms.output_epsilon > 0
                    ? "it is answered as the middle of the bounds, perturbed like any other"
                    : "the answer says that it has none");
    if (got->exposed && !w->warned)
        tc_note(w->in->quiet,
                "tacit: warning: fields of records stand on the program's command line, "
                "which all users of this machine can see (ps): --fields stdin or env "
                "keeps them off it");
    w->warned = w->warned || got->exposed;
}

static tacit_status run_program(work *w, uint64_t row, double *value, tacit_error *err)
{
    tc_arena memory = {0};
    tacit_row_record record;
    tacit_row_value got;
    tacit_row_program p = {.command = w->in->command,
                           .fields = (tacit_row_fields)w->o->fields,
                           .timeout_ms = (int64_t)ceil(w->o->timeout_s * 1000),
                           .stop = tc_stop_at_interrupt};
    tacit_status status =
        tc_data_record(w->in->args[0], w->secret->order[row], &memory, &record, err);
    if (status == TACIT_OK)
        status = tacit_row_evaluate(&p, row, &record, &got, err);
    tc_arena_fini(&memory);
    TC_TRY(status);
    say_evaluated(w, row, &got);
    *value = got.value;
    return TACIT_OK;
}

/* Of a row that has not been answered before. A field that is empty says that there is no value, which is an
 * answer. */
static tacit_status find_value(void *user, uint64_t row, double *value, tacit_error *err)
{
    work *w = user;
    if (w->in->n_command > 0)
        return run_program(w, row, value, err);
    if (!w->data.y)
        return tc_fail(err, TACIT_E_NOT_FOUND,
                       "row %" PRIu64
                       " has not been answered before, and its value is not at hand: "
                       "give it, --value-column or a program",
                       row);
    *value = w->data.y[w->secret->order[row]];
    return TACIT_OK;
}

/* ---- one answer, to a file */

static tacit_status write_answer(const work *w, const tacit_row_answer *a, tacit_error *err)
{
    char *text = NULL;
    if (!a->is_private)
        tc_note(w->in->quiet, "tacit: the value of row %" PRIu64 " leaves NOT PRIVATE", a->row);
    if (isnan(a->value))
        tc_note(w->in->quiet, "tacit: row %" PRIu64 " has no value, and the answer says so",
                a->row);
    if (a->again)
        tc_note(w->in->quiet, "tacit: row %" PRIu64 " was answered before: nothing was spent",
                a->row);
    TC_TRY(tacit_row_answer_text(a, &text, err));
    return tc_curate_write(w->o->out, text, err);
}

static tacit_status answer_one(work *w, tacit_error *err)
{
    tacit_row_answer a;
    tacit_status status =
        w->given ? TACIT_E_NOT_FOUND : tacit_curator_recall(w->curator, w->row, &a, err);
    if (status == TACIT_E_NOT_FOUND) {
        if (!w->given)
            TC_TRY(find_value(w, w->row, &w->value, err));
        status = tacit_curator_answer(w->curator, w->row, w->value, &a, err);
    }
    return status == TACIT_OK ? write_answer(w, &a, err) : status;
}

/* ---- all that a coordinator asks for */

static void say_answered(void *user, const tacit_row_answer *a)
{
    work *w = user;
    char note[64];
    if (!a->is_private && !w->said)
        tc_note(w->in->quiet, "tacit: values of rows leave NOT PRIVATE");
    w->said = w->said || !a->is_private;
    snprintf(note, sizeof note, "row %" PRIu64, a->row);
    tc_progress_update(w->progress, ++w->answered, note);
}

static tacit_status print_end(const work *w, tacit_study *study, tacit_error *err)
{
    static const char *const columns[] = {"study", "answered", "best_row", "best_value"};
    tacit_trial *best = NULL;
    tacit_status status = tacit_study_best(study, &best, err);
    if (status != TACIT_OK && status != TACIT_E_NOT_FOUND) /* none is complete */
        return status;
    tc_table *t = tc_table_new(4, columns);
    tc_table_text(t, 0, tacit_study_name(study));
    tc_table_integer(t, 1, (int64_t)w->answered);
    if (best) {
        tc_table_integer(t, 2, (int64_t)best->values[0]);
        tc_table_number(t, 3, best->value);
    }
    tc_table_end_row(t);
    tacit_trial_free(best);
    return tc_table_print(t, (tc_format)w->in->format, stdout, err);
}

static tacit_status serve(work *w, tacit_study *study, tacit_error *err)
{
    const tacit_curator_service s = {
        .value = find_value, .answered = say_answered, .stop = tc_stop_at_interrupt, .user = w};
    w->progress = tc_progress_start(
        tacit_study_name(study), tacit_document_trials(tacit_study_document(study)), w->in->quiet);
    tacit_status status = tacit_curator_serve(w->curator, study, &s, err);
    tc_progress_end(w->progress);
    return status == TACIT_OK ? print_end(w, study, err) : status;
}

static tacit_status answer_all(work *w, tacit_error *err)
{
    const answer_opts *o = w->o;
    const tc_where where = {.server = o->server,
                            .fingerprint = o->fingerprint,
                            .token_file = o->token_file,
                            .ca = o->ca,
                            .proxy = o->proxy};
    tc_study_ref ref = {0};
    tacit_status status = tc_study_ref_open(
        &ref, o->study ? o->study : w->secret->terms.name, &where,
        &(tc_study_terms){.quiet = w->in->quiet, .patience_s = o->patience_s}, err);
    if (status == TACIT_OK)
        status = serve(w, ref.study, err);
    tc_study_ref_close(&ref);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    work w = {.in = in, .o = in->opts};
    tc_catch_interrupts();
    TC_TRY(read_words(&w, err));
    tacit_status status = open_curator(&w, err);
    if (status == TACIT_OK)
        status = w.o->server ? answer_all(&w, err) : answer_one(&w, err);
    close_curator(&w);
    return status;
}

const tc_verb tc_verb_curate_answer = {
    .name = "curate answer",
    .usage = "DATA.csv (ROW [VALUE] | --server URL) [options] [-- PROGRAM [ARGUMENT ...]]",
    .summary = "answer the modeler's questions about released rows",
    .details =
        "ROW is a number of the release, from 0, as tacit model next prints it. The secret file\n"
        "says which record it is; its value is VALUE, or that of the value column (empty: it has\n"
        "none, which is an answer, too; VALUE is none by hand), or what\n"
        "PROGRAM prints, as in tacit optimize: {name} in an argument becomes the field of column\n"
        "name in this record, {record} its number in DATA from 1, {trial} the ROW. A command line\n"
        "is seen by all users of the machine (ps). --fields stdin keeps the record off it: the\n"
        "program reads one JSON object of all fields, and record, as text; with --fields env it "
        "is\n"
        "in TACIT_RECORD. A program that fails, takes too long or prints no number has no value\n"
        "for its record, and that is answered, once and for all: try it out first. The same\n"
        "question gets the same answer, runs no program and costs nothing. If the release was "
        "made\n"
        "with --output-epsilon, the answer is clamped and perturbed, and charged to its row;\n"
        "otherwise it leaves as it is, and the ledger LEDGER.outputs says NOT PRIVATE. A private\n"
        "answer about a row without a value has the middle of the bounds in its place, so that\n"
        "nobody sees which those are; without output epsilon the answer is null.\n"
        "\n"
        "With --server the modeler is a coordinator (tacit curate publish): its study says which\n"
        "row, and gets exactly what the file would have held, until it has asked all that was\n"
        "planned. The study must be over the rows of this release. Killed and started again, it "
        "goes\n"
        "on; a row whose answer was lost on its way is answered again from the ledger.\n"
        "\n"
        "  tacit curate answer loans.csv 1742 --out answer.json\n"
        "  tacit curate answer loans.csv 1742 0.31 --out answer.json\n"
        "  tacit curate answer loans.csv 1742 --out answer.json -- ./evaluate --id {id}\n"
        "  tacit curate answer loans.csv 1742 --out answer.json --fields stdin -- ./evaluate\n"
        "  tacit curate answer loans.csv --server https://tacit.example:8443 \\\n"
        "      --fingerprint sha256//... --token-file client.txt -- ./evaluate --id {id}",
    .options = options,
    .options_size = sizeof(answer_opts),
    .min_args = 1,
    .max_args = 3,
    .takes_command = true,
    .secrets = true,
    .run = run,
};
