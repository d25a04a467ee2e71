/* curate_answer.c - `tacit curate answer`: the values of released rows, for the modeler.
 *
 * One row, to a file; or, with --server, all that a coordinator's study asks for. */
#include "curate/curate_answer.h"
#include "federation/server_options.h"
#include "study/storage.h"

#include "base/memory.h"
#include "wire/released_json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const tc_option options[] = {
    {"out", TC_OPTION_STRING, offsetof(tc_answer_opts, out), .value = "FILE",
     .help = "where the answer is written (default: standard output)"},
    {"secret", TC_OPTION_STRING, offsetof(tc_answer_opts, secret), .value = "FILE",
     .help = "the secret file of the release (default: DATA.secret)"},
    {"value-column", TC_OPTION_STRING, offsetof(tc_answer_opts, value_column), .value = "NAME",
     .help = "column of the values (default: that of the release)"},
    {"timeout-s", TC_OPTION_FLOAT, offsetof(tc_answer_opts, timeout_s), "0", .min = 0, .max = 1e7,
     .help = "seconds the program may take, then it is ended and has no value; 0: no limit"},
    {"fields", TC_OPTION_CHOICE, offsetof(tc_answer_opts, fields), "args",
     .choices = TC_FIELDS_CHOICES,
     .help = "how the program gets the record: {name} in its arguments, which all users of the "
             "machine can see, or a JSON object in TACIT_RECORD or on standard input"},
    TC_CURATE_BUDGET_OPTION(tc_answer_opts),
    TC_STORAGE_OPTION(tc_answer_opts),
    TC_CURATE_SEED_OPTION(tc_answer_opts),
    {"server", TC_OPTION_STRING, offsetof(tc_answer_opts, server), .value = "URL",
     .help = "answer what a coordinator's study asks, until it has asked all; in place of ROW"},
    TC_SERVER_OPTIONS(tc_answer_opts),
    {"study", TC_OPTION_STRING, offsetof(tc_answer_opts, study), .value = "NAME",
     .help = "with --server: the study (default: the name of the release)"},
    {"patience-s", TC_OPTION_FLOAT, offsetof(tc_answer_opts, patience_s), "3600", .min = 1,
     .max = 1e9, .help = "seconds a coordinator may stay silent before the program gives up"},
    {.name = NULL}};

typedef struct question {
    uint64_t row;
    bool known;   /* its value was given */
    double value; /* NaN: there is none */
} question;

/* ---- what was typed */

static tacit_status read_value(question *q, const char *word, tacit_error *err)
{
    q->known = true;
    q->value = (double)NAN;
    if (strcmp(word, "none") != 0 && !tc_parse_double(word, &q->value))
        return tc_fail(err, TACIT_E_ARG, "VALUE must be a finite number or none, got \"%.40s\"",
                       word);
    return TACIT_OK;
}

/* What goes with a coordinator, and what does not. */
static tacit_status check_server(const tc_invocation *in, tacit_error *err)
{
    const tc_answer_opts *o = in->opts;
    if (!o->server && (o->study || o->token_file || o->fingerprint))
        return tc_fail(err, TACIT_E_ARG, "--%s is for --server, which is not given",
                       o->study        ? "study"
                       : o->token_file ? "token-file"
                                       : "fingerprint");
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

static tacit_status read_words(const tc_invocation *in, question *q, tacit_error *err)
{
    const tc_answer_opts *o = in->opts;
    unsigned long long row = 0;
    TC_TRY(check_server(in, err));
    if (in->n_args > 1 && !tc_parse_u64(in->args[1], &row))
        return tc_fail(err, TACIT_E_ARG, "ROW must be the number of a released row, got \"%.40s\"",
                       in->args[1]);
    q->row = row;
    if ((in->n_command > 0) + (in->n_args == 3) + (o->value_column != NULL) > 1)
        return tc_fail(err, TACIT_E_ARG,
                       "the value comes from the program, from VALUE or from "
                       "--value-column: give one of them");
    if (o->timeout_s > 0 && in->n_command == 0)
        return tc_fail(err, TACIT_E_ARG, "--timeout-s is for a program");
    if (o->fields != TC_FIELDS_ARGS && in->n_command == 0)
        return tc_fail(err, TACIT_E_ARG, "--fields is for a program");
    return in->n_args == 3 ? read_value(q, in->args[2], err) : TACIT_OK;
}

/* ---- one answer */

static tacit_status write_answer(const tc_answering *w, uint64_t row, const tc_row_answer *a,
                                 tacit_error *err)
{
    tc_answer doc = {.release = w->secret.release,
                     .row = row,
                     .value = a->value,
                     .sd = a->sd,
                     .is_private = a->is_private};
    snprintf(doc.name, sizeof doc.name, "%s", w->secret.terms.name);
    if (!a->is_private)
        tc_note(w->quiet, "tacit: the value of row %" PRIu64 " leaves NOT PRIVATE", row);
    if (isnan(a->value))
        tc_note(w->quiet, "tacit: row %" PRIu64 " has no value, and the answer says so", row);
    if (a->again)
        tc_note(w->quiet, "tacit: row %" PRIu64 " was answered before: nothing was spent", row);
    return tc_curate_write(w->o->out, tc_answer_encode(&doc), err);
}

static tacit_status answer(tc_answering *w, const question *q, tacit_error *err)
{
    tc_row_answer a;
    TC_TRY(tc_answering_row(w, q->row, q->known ? &q->value : NULL, &a, err));
    return write_answer(w, q->row, &a, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const tc_answer_opts *o = in->opts;
    question q = {0};
    tc_answering w = {.o = o,
                      .file = in->args[0],
                      .command = in->n_command > 0 ? in->command : NULL,
                      .quiet = in->quiet};
    tc_catch_interrupts();
    TC_TRY(read_words(in, &q, err));
    w.given = q.known;
    tacit_status st = tc_answering_open(&w, err);
    if (st == TACIT_OK)
        st = o->server ? tc_curate_serve(&w, in, err) : answer(&w, &q, err);
    tc_answering_close(&w);
    return st;
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
    .options_size = sizeof(tc_answer_opts),
    .min_args = 1,
    .max_args = 3,
    .takes_command = true,
    .secrets = true,
    .run = run,
};
