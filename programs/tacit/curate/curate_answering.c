/* curate_answering.c - see curate_answer.h.
 *
 * A value may come from a program. It is run only if the ledger has no answer about this row yet; its
 * value is in the ledger, as the terms of the release have it, before the answer is handed out. */
#include "curate/curate_answer.h"

#include "base/file.h"
#include "base/memory.h"
#include "wire/released_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the record */

static tacit_status check_files(const tc_answering *a, tacit_error *err)
{
    char storage[TC_STORAGE_FILES][PATH_MAX];
    size_t n = tc_storage_files(a->o->storage, storage);
    tc_curate_file files[3 + TC_STORAGE_FILES] = {
        {"DATA", a->file}, {"--out", a->o->out}, {"the secret file", a->secret_path}};
    for (size_t i = 0; i < n; i++)
        files[3 + i] = (tc_curate_file){"the storage", storage[i]};
    TC_TRY(tc_curate_distinct(files, 3 + n, err));
    if (!a->o->out)
        return TACIT_OK;
    TC_TRY(tc_file_writable(a->o->out, err));
    return tc_curate_spare(a->o->out, err);
}

/* What is given, or a program says, needs no column. */
static const char *value_column(const tc_answering *a)
{
    if (a->given || a->command)
        return NULL;
    return a->o->value_column ? a->o->value_column : a->secret.value_column;
}

/* The columns of the release, as --columns would name them. */
static tacit_status read_data(tc_answering *a, tacit_error *err)
{
    tc_text columns = {0};
    for (size_t d = 0; d < a->secret.terms.dims; d++)
        tc_text_addf(&columns, "%s%s", d ? "," : "", a->secret.terms.columns[d].name);
    tacit_status st = columns.failed ? tc_fail_memory(err)
                                     : tc_data_read(&a->data, a->file, tc_text_get(&columns),
                                                    value_column(a), err);
    tc_text_fini(&columns);
    return st;
}

static tacit_status check_data(const tc_answering *a, tacit_error *err)
{
    tacit_hash hash = tc_data_hash(&a->data);
    if (a->data.n != a->secret.terms.rows || !tc_ledger_hash_same(&hash, &a->secret.data))
        return tc_fail(err, TACIT_E_STATE,
                       "%.200s is not what was released, or its released columns have changed",
                       a->file);
    return TACIT_OK;
}

static tacit_status check_terms(const tc_answering *a, tacit_error *err)
{
    if (a->o->budget > 0 && a->secret.terms.output_epsilon == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--budget is for private answers, and those of this release leave as they "
                       "are");
    return TACIT_OK;
}

tacit_status tc_answering_open(tc_answering *a, tacit_error *err)
{
    a->secret_path = tc_secret_path(a->o->secret, a->file);
    if (!a->secret_path)
        return tc_fail_memory(err);
    TC_TRY(check_files(a, err));
    TC_TRY(tc_row_secret_read(&a->secret, a->secret_path, err));
    TC_TRY(check_terms(a, err));
    TC_TRY(read_data(a, err));
    return check_data(a, err);
}

void tc_answering_close(tc_answering *a)
{
    a->outputs.store = NULL; /* borrowed */
    tc_curator_ledger_close(&a->outputs);
    tc_curator_ledger_close(&a->rows);
    tc_data_fini(&a->data);
    tc_row_secret_fini(&a->secret);
    tc_free(a->secret_path);
}

/* ---- the ledgers */

/* The release as it left. E_STATE: the ledger is not the one that it was charged to; another would not know
 * what rows have spent. */
static tacit_status find_release(const tc_answering *a, tc_ledger_receipt *out, tacit_error *err)
{
    tacit_hash study;
    TC_TRY(tc_row_terms_hash(&a->secret.terms, &study, err));
    tacit_status st = tc_ledger_find(a->rows.ledger, &study, TC_ROW_ROUND, out, err);
    tacit_hash hash = tc_ledger_release_hash(out->bytes, out->size);
    if (st == TACIT_E_NOT_FOUND ||
        (st == TACIT_OK && !tc_ledger_hash_same(&hash, &a->secret.release)))
        st = tc_fail(err, TACIT_E_STATE,
                     "ledger \"%s\" does not have this release; give the --storage that it was "
                     "charged to",
                     a->secret.ledger);
    return st;
}

/* Values that leave as they are have a ledger of their own: what is promised about the released
 * columns still holds. It is made with the first of them. */
static tacit_status open_outputs(tc_answering *a, bool create, tacit_error *err)
{
    tc_text name = {0};
    tc_text_addf(&name, "%s.outputs", a->secret.ledger);
    a->outputs.store = a->rows.store; /* borrowed */
    tacit_status st = name.failed ? tc_fail_memory(err)
                                  : tc_curator_ledger_open(&a->outputs, a->o->storage,
                                                           tc_text_get(&name), create, err);
    tc_text_fini(&name);
    if (st == TACIT_OK)
        a->answers = a->outputs.ledger;
    return st == TACIT_E_NOT_FOUND && !create ? TACIT_OK : st;
}

static tacit_status open_ledgers(tc_answering *a, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    if (a->rows.ledger)
        return TACIT_OK;
    TC_TRY(tc_curator_ledger_open(&a->rows, a->o->storage, a->secret.ledger, false, err));
    tacit_status st = find_release(a, &receipt, err);
    tc_ledger_receipt_fini(&receipt);
    TC_TRY(st);
    if (a->secret.terms.output_epsilon == 0)
        return open_outputs(a, false, err);
    a->answers = a->rows.ledger;
    return TACIT_OK;
}

/* ---- the answer */

static tacit_status draw(tc_answering *a, uint64_t row, double value, tc_row_answer *out,
                         tacit_error *err)
{
    const tc_row_terms *t = &a->secret.terms;
    tc_ledger_budget limit;
    const tc_ledger_budget *budget;
    tc_curator_noise noise;
    if (!a->answers)
        TC_TRY(open_outputs(a, true, err));
    TC_TRY(tc_curate_budget(&limit, a->o->budget, t, a->answers, &budget, err));
    tc_curator_noise_init(&noise, a->o->seed, row + 1);
    tacit_status st = tc_row_curator_answer(a->answers, budget, t, &a->secret.release, row, value,
                                            &noise.entropy, out, err);
    tc_curator_noise_fini(&noise);
    return st == TACIT_E_BUDGET ? tc_curate_over_budget(budget, a->answers, t->output_epsilon, err)
                                : st;
}

static tacit_status recall(tc_answering *a, uint64_t row, tc_row_answer *out, tacit_error *err)
{
    tacit_status st = TACIT_E_NOT_FOUND;
    if (a->answers)
        st = tc_row_curator_recall(a->answers, &a->secret.terms, &a->secret.release, row, out, err);
    if (st == TACIT_E_NOT_FOUND)
        return tc_fail(err, st,
                       "row %" PRIu64
                       " has not been answered before, and its value is not at hand: "
                       "give it, --value-column or a program",
                       row);
    return st;
}

/* A program that fails tells something about its record: the answer must not, where answers are private. */
static void say_evaluated(tc_answering *a, uint64_t row, const tc_evaluated *got)
{
    if (isnan(got->value))
        tc_note(a->quiet, "tacit: the program gave no value for row %" PRIu64 " (%s); %s", row,
                got->reason,
                a->secret.terms.output_epsilon > 0
                    ? "it is answered as the middle of the bounds, perturbed like any other"
                    : "the answer says that it has none");
    if (got->exposed && !a->warned)
        tc_note(a->quiet, "tacit: warning: fields of records stand on the program's command line, "
                          "which all users of this machine can see (ps): --fields stdin or env "
                          "keeps them off it");
    a->warned = a->warned || got->exposed;
}

static tacit_status run_program(tc_answering *a, uint64_t row, double *value, tacit_error *err)
{
    tc_evaluated got;
    double ms = ceil(a->o->timeout_s * 1000);
    tc_evaluation e = {.data = a->file,
                       .record = a->secret.order[row],
                       .row = row,
                       .command = a->command,
                       .fields = (tc_fields)a->o->fields,
                       .timeout_ms = (int64_t)ms};
    TC_TRY(tc_curate_evaluate(&e, &got, err));
    say_evaluated(a, row, &got);
    *value = got.value;
    return TACIT_OK;
}

/* Without a value only a question that was answered before has an answer. A field that is empty says that
 * there is no value, which is an answer. */
tacit_status tc_answering_row(tc_answering *a, uint64_t row, const double *given,
                              tc_row_answer *out, tacit_error *err)
{
    double value;
    if (row >= a->secret.terms.rows)
        return tc_fail(err, TACIT_E_ARG, "row %" PRIu64 " does not exist; the release has 0 to %zu",
                       row, a->secret.terms.rows - 1);
    TC_TRY(open_ledgers(a, err));
    if (given)
        return draw(a, row, *given, out, err);
    if (a->data.y && !a->command)
        return draw(a, row, a->data.y[a->secret.order[row]], out, err);
    tacit_status st = recall(a, row, out, err);
    if (st != TACIT_E_NOT_FOUND || !a->command)
        return st;
    TC_TRY(run_program(a, row, &value, err));
    return draw(a, row, value, out, err);
}

/* ---- are these the rows? */

static int64_t word_at(const uint8_t *bytes)
{
    uint64_t word = 0;
    for (size_t i = 8; i-- > 0;)
        word = word << 8 | bytes[i];
    return (int64_t)word;
}

/* By what the released numbers of steps must be multiplied to be these values; NaN: doubles have rounded
 * them. values: row by row. */
static double step_of(const tc_ledger_receipt *r, const double *values, size_t n)
{
    const uint8_t *bytes = r->bytes;
    double step = 1;
    for (size_t i = n; i-- > 0;) {
        int64_t word = word_at(bytes + 8 * i);
        if (word > INT64_C(1) << 53 || word < -(INT64_C(1) << 53))
            return (double)NAN;
        if (word != 0)
            step = fabs(values[i] / (double)word);
    }
    return step;
}

static tacit_status compare(const tc_answering *a, const tc_ledger_receipt *r, const double *values,
                            size_t rows, size_t cols, tacit_error *err)
{
    tacit_hash hash;
    tacit_error why;
    size_t n = rows * cols;
    tc_released got = {.rows = rows, .cols = cols, .values = (double *)(uintptr_t)values};
    bool good = rows == a->secret.terms.rows && r->size == 8 * n;
    if (good && a->secret.terms.mode == TC_ROW_SOUND)
        got.step = step_of(r, values, n);
    if (good && !isnan(got.step))
        good = isfinite(got.step) && tc_released_hash(&got, &hash, &why) == TACIT_OK &&
               tc_ledger_hash_same(&hash, &a->secret.release);
    return good ? TACIT_OK
                : tc_fail(err, TACIT_E_STATE,
                          "the coordinator's study is not over the rows of release %s, so answers "
                          "would be about others",
                          a->secret.terms.name);
}

tacit_status tc_answering_is_of(tc_answering *a, const tc_domain *rows, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    TC_TRY(open_ledgers(a, err));
    double *values = tc_alloc(rows->n * rows->dim, sizeof *values);
    if (!values)
        return tc_fail_memory(err);
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = 0; k < rows->dim; k++)
            values[i * rows->dim + k] = rows->raw[i + k * rows->n];
    tacit_status st = find_release(a, &receipt, err);
    if (st == TACIT_OK)
        st = compare(a, &receipt, values, rows->n, rows->dim, err);
    tc_ledger_receipt_fini(&receipt);
    tc_free(values);
    return st;
}
