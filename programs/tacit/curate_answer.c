/* curate_answer.c - `tacit curate answer`: the value of one released row, for the modeler.
 *
 * A value may come from a program. It is run only if the ledger has no answer about this row yet; its
 * value is in the ledger, as the terms of the release have it, before the answer is written. */
#include "curate_int.h"
#include "storage.h"

#include "base/file.h"
#include "base/memory.h"
#include "wire/released_json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct answer_opts {
    char *storage, *out, *secret, *value_column;
    double budget, timeout_s;
    int64_t seed;
} answer_opts;

static const tc_option options[] = {
    {"out", TC_OPTION_STRING, offsetof(answer_opts, out), .value = "FILE",
     .help = "where the answer is written (default: standard output)"},
    {"secret", TC_OPTION_STRING, offsetof(answer_opts, secret), .value = "FILE",
     .help = "the secret file of the release (default: DATA.secret)"},
    {"value-column", TC_OPTION_STRING, offsetof(answer_opts, value_column), .value = "NAME",
     .help = "column of the values (default: that of the release)"},
    {"timeout-s", TC_OPTION_FLOAT, offsetof(answer_opts, timeout_s), "0", .min = 0, .max = 1e7,
     .help = "seconds the program may take, then it is ended and nothing is answered; 0: no limit"},
    TC_CURATE_BUDGET_OPTION(answer_opts),
    TC_STORAGE_OPTION(answer_opts),
    TC_CURATE_SEED_OPTION(answer_opts),
    {.name = NULL}};

typedef struct work {
    const tc_invocation *in;
    const answer_opts *o;
    uint64_t row;
    bool known;   /* is there a value, or known to be none? */
    double value; /* NaN: there is none */
    char *secret_path;
    tc_row_secret secret;
    tc_data data;
    tc_curator_ledger rows, outputs;
    tc_ledger *answers; /* the one of both that answers are charged to; NULL: not there yet */
} work;

static tacit_status read_value(work *w, const char *word, tacit_error *err)
{
    w->known = true;
    w->value = NAN;
    if (strcmp(word, "none") != 0 && !tc_parse_double(word, &w->value))
        return tc_fail(err, TACIT_E_ARG, "VALUE must be a finite number or none, got \"%.40s\"",
                       word);
    return TACIT_OK;
}

static tacit_status read_words(work *w, tacit_error *err)
{
    unsigned long long row;
    if (!tc_parse_u64(w->in->args[1], &row))
        return tc_fail(err, TACIT_E_ARG, "ROW must be the number of a released row, got \"%.40s\"",
                       w->in->args[1]);
    w->row = row;
    if ((w->in->n_command > 0) + (w->in->n_args == 3) + (w->o->value_column != NULL) > 1)
        return tc_fail(err, TACIT_E_ARG,
                       "the value comes from the program, from VALUE or from "
                       "--value-column: give one of them");
    if (w->o->timeout_s > 0 && w->in->n_command == 0)
        return tc_fail(err, TACIT_E_ARG, "--timeout-s is for a program");
    return w->in->n_args == 3 ? read_value(w, w->in->args[2], err) : TACIT_OK;
}

static tacit_status check_files(const work *w, tacit_error *err)
{
    char storage[TC_STORAGE_FILES][PATH_MAX];
    size_t n = tc_storage_files(w->o->storage, storage);
    tc_curate_file files[3 + TC_STORAGE_FILES] = {
        {"DATA", w->in->args[0]}, {"--out", w->o->out}, {"the secret file", w->secret_path}};
    for (size_t i = 0; i < n; i++)
        files[3 + i] = (tc_curate_file){"the storage", storage[i]};
    TC_TRY(tc_curate_distinct(files, 3 + n, err));
    if (!w->o->out)
        return TACIT_OK;
    TC_TRY(tc_file_writable(w->o->out, err));
    return tc_curate_spare(w->o->out, err);
}

/* ---- the record */

/* What is given, or a program says, needs no column. */
static const char *value_column(const work *w)
{
    if (w->known || w->in->n_command > 0)
        return NULL;
    return w->o->value_column ? w->o->value_column : w->secret.value_column;
}

/* The columns of the release, as --columns would name them. */
static tacit_status read_data(work *w, tacit_error *err)
{
    tc_text columns = {0};
    for (size_t d = 0; d < w->secret.terms.dims; d++)
        tc_text_addf(&columns, "%s%s", d ? "," : "", w->secret.terms.columns[d].name);
    tacit_status st = columns.failed ? tc_fail_memory(err)
                                     : tc_data_read(&w->data, w->in->args[0], tc_text_get(&columns),
                                                    value_column(w), err);
    tc_text_fini(&columns);
    return st;
}

static tacit_status check_data(const work *w, tacit_error *err)
{
    tc_ledger_hash hash = tc_data_hash(&w->data);
    if (w->data.n != w->secret.terms.rows || !tc_ledger_hash_same(&hash, &w->secret.data))
        return tc_fail(err, TACIT_E_STATE,
                       "%.200s is not what was released, or its released columns have changed",
                       w->in->args[0]);
    if (w->row >= w->secret.terms.rows)
        return tc_fail(err, TACIT_E_ARG, "row %" PRIu64 " does not exist; the release has 0 to %zu",
                       w->row, w->secret.terms.rows - 1);
    return TACIT_OK;
}

static tacit_status check_terms(const work *w, tacit_error *err)
{
    if (w->o->budget > 0 && w->secret.terms.output_epsilon == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--budget is for private answers, and those of this release leave as they "
                       "are");
    return TACIT_OK;
}

/* A field that is empty says that there is no value, which is an answer. */
static tacit_status find_value(work *w, tacit_error *err)
{
    w->secret_path = tc_secret_path(w->o->secret, w->in->args[0]);
    if (!w->secret_path)
        return tc_fail_memory(err);
    TC_TRY(check_files(w, err));
    TC_TRY(tc_row_secret_read(&w->secret, w->secret_path, err));
    TC_TRY(check_terms(w, err));
    TC_TRY(read_data(w, err));
    TC_TRY(check_data(w, err));
    if (!w->known && w->data.y && w->in->n_command == 0) {
        w->known = true;
        w->value = w->data.y[w->secret.order[w->row]];
    }
    return TACIT_OK;
}

/* ---- the ledgers */

/* Is the ledger the one that the release was charged to? Another would not know what rows have spent. */
static tacit_status check_ledger(const work *w, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    tc_ledger_hash study;
    TC_TRY(tc_row_terms_hash(&w->secret.terms, &study, err));
    tacit_status st = tc_ledger_find(w->rows.ledger, &study, TC_ROW_ROUND, &receipt, err);
    tc_ledger_hash hash = tc_ledger_release_hash(receipt.bytes, receipt.size);
    if (st == TACIT_E_NOT_FOUND ||
        (st == TACIT_OK && !tc_ledger_hash_same(&hash, &w->secret.release)))
        st = tc_fail(err, TACIT_E_STATE,
                     "ledger \"%s\" does not have this release; give the --storage that it was "
                     "charged to",
                     w->secret.ledger);
    tc_ledger_receipt_fini(&receipt);
    return st;
}

/* Values that leave as they are have a ledger of their own: what is promised about the released
 * columns still holds. It is made with the first of them. */
static tacit_status open_outputs(work *w, bool create, tacit_error *err)
{
    tc_text name = {0};
    tc_text_addf(&name, "%s.outputs", w->secret.ledger);
    w->outputs.store = w->rows.store; /* borrowed */
    tacit_status st = name.failed ? tc_fail_memory(err)
                                  : tc_curator_ledger_open(&w->outputs, w->o->storage,
                                                           tc_text_get(&name), create, err);
    tc_text_fini(&name);
    if (st == TACIT_OK)
        w->answers = w->outputs.ledger;
    return st == TACIT_E_NOT_FOUND && !create ? TACIT_OK : st;
}

static tacit_status open_ledgers(work *w, tacit_error *err)
{
    TC_TRY(tc_curator_ledger_open(&w->rows, w->o->storage, w->secret.ledger, false, err));
    TC_TRY(check_ledger(w, err));
    if (w->secret.terms.output_epsilon == 0)
        return open_outputs(w, false, err);
    w->answers = w->rows.ledger;
    return TACIT_OK;
}

/* ---- the answer */

static tacit_status write_answer(const work *w, const tc_row_answer *a, tacit_error *err)
{
    tc_answer doc = {.release = w->secret.release,
                     .row = w->row,
                     .value = a->value,
                     .sd = a->sd,
                     .is_private = a->is_private};
    snprintf(doc.name, sizeof doc.name, "%s", w->secret.terms.name);
    if (!a->is_private)
        tc_note(w->in->quiet, "tacit: the value of row %" PRIu64 " leaves NOT PRIVATE", w->row);
    if (isnan(a->value))
        tc_note(w->in->quiet, "tacit: row %" PRIu64 " has no value, and the answer says so",
                w->row);
    if (a->again)
        tc_note(w->in->quiet, "tacit: row %" PRIu64 " was answered before: nothing was spent",
                w->row);
    return tc_curate_write(w->o->out, tc_answer_encode(&doc), err);
}

static tacit_status draw(work *w, tc_row_answer *out, tacit_error *err)
{
    const tc_row_terms *t = &w->secret.terms;
    tc_ledger_budget limit;
    const tc_ledger_budget *budget;
    tc_curator_noise noise;
    if (!w->answers)
        TC_TRY(open_outputs(w, true, err));
    TC_TRY(tc_curate_budget(&limit, w->o->budget, t, w->answers, &budget, err));
    tc_curator_noise_init(&noise, w->o->seed, w->row + 1);
    tacit_status st = tc_row_curator_answer(w->answers, budget, t, &w->secret.release, w->row,
                                            w->value, &noise.entropy, out, err);
    tc_curator_noise_fini(&noise);
    return st == TACIT_E_BUDGET ? tc_curate_over_budget(budget, w->answers, t->output_epsilon, err)
                                : st;
}

static tacit_status recall(work *w, tc_row_answer *out, tacit_error *err)
{
    tacit_status st = TACIT_E_NOT_FOUND;
    if (w->answers)
        st = tc_row_curator_recall(w->answers, &w->secret.terms, &w->secret.release, w->row, out,
                                   err);
    if (st == TACIT_E_NOT_FOUND)
        return tc_fail(err, st,
                       "row %" PRIu64
                       " has not been answered before, and its value is not at hand: "
                       "give it, --value-column or a program",
                       w->row);
    return st;
}

static tacit_status run_program(work *w, tacit_error *err)
{
    double ms = ceil(w->o->timeout_s * 1000);
    tc_evaluation e = {.data = w->in->args[0],
                       .record = w->secret.order[w->row],
                       .row = w->row,
                       .command = w->in->command,
                       .timeout_ms = (int64_t)ms};
    return tc_curate_evaluate(&e, &w->value, err);
}

/* Without a value only a question that was answered before has an answer. */
static tacit_status answer(work *w, tacit_error *err)
{
    tc_row_answer a;
    TC_TRY(open_ledgers(w, err));
    tacit_status st = w->known ? draw(w, &a, err) : recall(w, &a, err);
    if (st == TACIT_E_NOT_FOUND && w->in->n_command > 0) {
        TC_TRY(run_program(w, err));
        st = draw(w, &a, err);
    }
    return st == TACIT_OK ? write_answer(w, &a, err) : st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    work w = {.in = in, .o = in->opts};
    tc_catch_interrupts();
    tacit_status st = read_words(&w, err);
    if (st == TACIT_OK)
        st = find_value(&w, err);
    if (st == TACIT_OK)
        st = answer(&w, err);
    w.outputs.store = NULL;
    tc_curator_ledger_close(&w.outputs);
    tc_curator_ledger_close(&w.rows);
    tc_data_fini(&w.data);
    tc_row_secret_fini(&w.secret);
    tc_free(w.secret_path);
    return st;
}

const tc_verb tc_verb_curate_answer = {
    .name = "curate answer",
    .usage = "DATA.csv ROW [VALUE] [options] [-- PROGRAM [ARGUMENT ...]]",
    .summary = "answer the modeler's question about one released row",
    .details =
        "ROW is a number of the release, from 0, as tacit model next prints it. The secret file\n"
        "says which record it is; its value is VALUE, or that of the value column (empty: it has\n"
        "none, which is an answer, too; VALUE is none by hand), or what\n"
        "PROGRAM prints, as in tacit optimize: {name} in an argument becomes the field of column\n"
        "name in this record, {record} its number in DATA from 1, {trial} the ROW. The same\n"
        "question gets the same answer, runs no program and costs nothing. If the release was "
        "made\n"
        "with --output-epsilon, the answer is clamped and perturbed, and charged to its row;\n"
        "otherwise it leaves as it is, and the ledger LEDGER.outputs says NOT PRIVATE. A private\n"
        "answer about a row without a value has the middle of the bounds in its place.\n"
        "\n"
        "  tacit curate answer loans.csv 1742 --out answer.json\n"
        "  tacit curate answer loans.csv 1742 0.31 --out answer.json\n"
        "  tacit curate answer loans.csv 1742 --out answer.json -- ./evaluate --id {id}",
    .options = options,
    .options_size = sizeof(answer_opts),
    .min_args = 2,
    .max_args = 3,
    .takes_command = true,
    .run = run,
};
