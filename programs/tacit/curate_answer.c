/* curate_answer.c - `tacit curate answer`: the value of one released row, for the modeler. */
#include "curate_int.h"
#include "storage.h"

#include "base/memory.h"
#include "wire/released_json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct answer_opts {
    char *storage, *out, *secret, *value_column;
    double budget;
    int64_t seed;
} answer_opts;

static const tc_option options[] = {
    {"out", TC_OPTION_STRING, offsetof(answer_opts, out), .value = "FILE",
     .help = "where the answer is written (default: standard output)"},
    {"secret", TC_OPTION_STRING, offsetof(answer_opts, secret), .value = "FILE",
     .help = "the secret file of the release (default: DATA.secret)"},
    {"value-column", TC_OPTION_STRING, offsetof(answer_opts, value_column), .value = "NAME",
     .help = "column of the values (default: value, if there is one)"},
    TC_CURATE_BUDGET_OPTION(answer_opts),
    TC_STORAGE_OPTION(answer_opts),
    TC_CURATE_SEED_OPTION(answer_opts),
    {.name = NULL}};

typedef struct work {
    const tc_invocation *in;
    const answer_opts *o;
    uint64_t row;
    double value; /* NaN: not at hand */
    char *secret_path;
    tc_row_secret secret;
    tc_data data;
    tc_curator_ledger rows, outputs;
} work;

static tacit_status read_words(work *w, tacit_error *err)
{
    unsigned long long row;
    if (!tc_parse_u64(w->in->args[1], &row))
        return tc_fail(err, TACIT_E_ARG, "ROW must be the number of a released row, got \"%.40s\"",
                       w->in->args[1]);
    w->row = row;
    w->value = NAN;
    if (w->in->n_args == 3 && !tc_parse_double(w->in->args[2], &w->value))
        return tc_fail(err, TACIT_E_ARG, "VALUE must be a finite number, got \"%.40s\"",
                       w->in->args[2]);
    return TACIT_OK;
}

/* ---- the record */

/* The columns of the release, as --columns would name them. */
static tacit_status read_data(work *w, tacit_error *err)
{
    tc_text columns = {0};
    for (size_t d = 0; d < w->secret.terms.dims; d++)
        tc_text_addf(&columns, "%s%s", d ? "," : "", w->secret.terms.columns[d].name);
    tacit_status st = columns.failed ? tc_fail_memory(err)
                                     : tc_data_read(&w->data, w->in->args[0], tc_text_get(&columns),
                                                    w->o->value_column, err);
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

static tacit_status find_value(work *w, tacit_error *err)
{
    w->secret_path = tc_secret_path(w->o->secret, w->in->args[0]);
    if (!w->secret_path)
        return tc_fail_memory(err);
    TC_TRY(tc_row_secret_read(&w->secret, w->secret_path, err));
    TC_TRY(read_data(w, err));
    TC_TRY(check_data(w, err));
    if (isnan(w->value) && w->data.y)
        w->value = w->data.y[w->secret.order[w->row]];
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
 * columns still holds. */
static tacit_status open_outputs(work *w, tacit_error *err)
{
    tc_text name = {0};
    tc_text_addf(&name, "%s.outputs", w->secret.ledger);
    w->outputs.store = w->rows.store; /* borrowed */
    tacit_status st = name.failed ? tc_fail_memory(err)
                                  : tc_curator_ledger_open(&w->outputs, w->o->storage,
                                                           tc_text_get(&name), true, err);
    tc_text_fini(&name);
    return st;
}

static tacit_status open_ledgers(work *w, tacit_error *err)
{
    TC_TRY(tc_curator_ledger_open(&w->rows, w->o->storage, w->secret.ledger, false, err));
    TC_TRY(check_ledger(w, err));
    return w->secret.terms.output_epsilon > 0 ? TACIT_OK : open_outputs(w, err);
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
    if (a->again)
        tc_note(w->in->quiet, "tacit: row %" PRIu64 " was answered before: nothing was spent",
                w->row);
    return tc_curate_write(w->o->out, tc_answer_encode(&doc), err);
}

static tacit_status answer(work *w, tacit_error *err)
{
    const tc_row_terms *t = &w->secret.terms;
    tc_ledger_budget limit;
    tc_curator_noise noise;
    tc_row_answer a;
    bool hidden = t->output_epsilon > 0;
    TC_TRY(open_ledgers(w, err));
    tc_curator_noise_init(&noise, w->o->seed, w->row + 1);
    tacit_status st =
        tc_row_curator_answer(hidden ? w->rows.ledger : w->outputs.ledger,
                              hidden ? tc_curate_budget(&limit, w->o->budget, t) : NULL, t,
                              &w->secret.release, w->row, w->value, &noise.entropy, &a, err);
    tc_curator_noise_fini(&noise);
    return st == TACIT_OK ? write_answer(w, &a, err) : st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    work w = {.in = in, .o = in->opts};
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
    .usage = "DATA.csv ROW [VALUE] [options]",
    .summary = "answer the modeler's question about one released row",
    .details =
        "ROW is a number of the release, from 0, as tacit model next prints it. The secret file\n"
        "says which record it is; its value is VALUE, or that of the value column. The same\n"
        "question gets the same answer and costs nothing. If the release was made with\n"
        "--output-epsilon, the answer is clamped and perturbed, and charged to its row; otherwise\n"
        "it leaves as it is, and the ledger LEDGER.outputs says NOT PRIVATE.\n"
        "\n"
        "  tacit curate answer loans.csv 1742 --value-column profit --out answer.json\n"
        "  tacit curate answer loans.csv 1742 0.31 --out answer.json",
    .options = options,
    .options_size = sizeof(answer_opts),
    .min_args = 2,
    .max_args = 3,
    .run = run,
};
