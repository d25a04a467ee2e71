/* answer.c - a curator's answers about released rows, one by one.
 *
 * Whoever asks, the same happens: an answer that was given before is given again; else the value of the
 * record is perturbed if the terms of the release say so, and is in the ledger before it leaves. */
#include "curator/curator_int.h"

#include "base/api.h"
#include "base/bytes.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the handle */

static const char *keep(tacit_curator *c, const char *text)
{
    return text ? tc_arena_strdup(&c->memory, text) : NULL;
}

tacit_status tc_curator_new(tacit_curator **out, const tacit_curator_opts *opts, tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(opts);
    TC_GIVEN(opts->storage);
    TC_GIVEN(opts->secret);
    if (!(opts->budget >= 0 && isfinite(opts->budget)))
        return tc_fail_range(err, "the budget", "[0, inf)", opts->budget);
    tacit_curator *c = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    c->opts = *opts;
    c->opts.storage = keep(c, opts->storage);
    c->opts.secret = keep(c, opts->secret);
    c->opts.value_column = keep(c, opts->value_column);
    c->opts.lock = keep(c, opts->lock);
    c->opts.ledger = NULL; /* the secret has it */
    if (!c->memory.failed) {
        *out = c;
        return TACIT_OK;
    }
    tacit_curator_close(c);
    return tc_fail_memory(err);
}

void tacit_curator_close(tacit_curator *c)
{
    if (!c)
        return;
    c->outputs.store = NULL; /* borrowed */
    tc_user_ledger_close(&c->outputs);
    tc_user_ledger_close(&c->rows);
    tc_row_release_fini(&c->release);
    tc_text_fini(&c->statement);
    tc_text_fini(&c->ledger_statement);
    tc_arena_fini(&c->memory);
    tc_free(c);
}

tacit_status tacit_curator_open(tacit_curator **out, const tacit_curator_opts *opts,
                                tacit_error *err)
{
    tacit_curator *c = NULL;
    TC_GIVEN(out);
    TC_GIVEN(opts);
    TC_TRY(tc_curator_new(&c, opts, err));
    tacit_status status = tc_row_secret_read(&c->secret, c->opts.secret, &c->memory, err);
    if (status == TACIT_OK && c->opts.budget > 0 && c->secret.terms.output_epsilon == 0)
        status = tc_fail(err, TACIT_E_ARG,
                         "a budget is for private answers, and those of this release leave as they "
                         "are");
    if (status == TACIT_OK)
        *out = c;
    else
        tacit_curator_close(c);
    return status;
}

const tacit_row_secret *tacit_curator_secret(const tacit_curator *c)
{
    return c ? &c->secret : NULL;
}

/* ---- the data */

tacit_hash tc_curator_data_hash(const double *x, size_t rows, size_t dims)
{
    return tc_ledger_release_hash((const uint8_t *)x, rows * dims * sizeof *x);
}

tacit_status tacit_curator_check_data(const tacit_curator *c, size_t rows, const double *x,
                                      tacit_error *err)
{
    TC_GIVEN(c);
    TC_GIVEN(x);
    const tc_row_secret *s = &c->secret;
    bool same = rows == s->terms.rows;
    if (same) {
        tacit_hash hash = tc_curator_data_hash(x, rows, s->terms.dims);
        same = tc_ledger_hash_same(&hash, &s->data);
    }
    return same ? TACIT_OK
                : tc_fail(err, TACIT_E_STATE,
                          "this is not what was released, or its released columns have changed");
}

/* ---- the ledgers */

/* The release as it left. E_STATE: the ledger is not the one that it was charged to; another would not know
 * what rows have spent. */
static tacit_status find_release(const tacit_curator *c, tc_ledger_receipt *out, tacit_error *err)
{
    tacit_hash study;
    TC_TRY(tc_row_terms_hash(&c->secret.terms, &study, err));
    tacit_status status = tc_ledger_find(c->rows.ledger, &study, TC_ROW_ROUND, out, err);
    tacit_hash hash = tc_ledger_release_hash(out->bytes, out->size);
    if (status == TACIT_E_NOT_FOUND ||
        (status == TACIT_OK && !tc_ledger_hash_same(&hash, &c->secret.release)))
        status = tc_fail(err, TACIT_E_STATE,
                         "ledger \"%s\" does not have this release; give the storage that it was "
                         "charged to",
                         c->secret.ledger);
    return status;
}

/* Values that leave as they are have a ledger of their own: what is promised about the released
 * columns still holds. It is made with the first of them. */
static tacit_status open_outputs(tacit_curator *c, bool create, tacit_error *err)
{
    tc_text name = {0};
    tc_text_addf(&name, "%s.outputs", c->secret.ledger);
    c->outputs.store = c->rows.store; /* borrowed */
    tacit_status status = name.failed ? tc_fail_memory(err)
                                      : tc_user_ledger_open_in(&c->outputs, c->opts.storage,
                                                               tc_text_get(&name), create, err);
    tc_text_fini(&name);
    if (status == TACIT_OK)
        c->answers = c->outputs.ledger;
    return status == TACIT_E_NOT_FOUND && !create ? TACIT_OK : status;
}

static tacit_status open_ledgers(tacit_curator *c, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    if (c->ready)
        return TACIT_OK;
    if (!c->rows.ledger)
        TC_TRY(tc_user_ledger_open_in(&c->rows, c->opts.storage, c->secret.ledger, false, err));
    tacit_status status = find_release(c, &receipt, err);
    tc_ledger_receipt_fini(&receipt);
    TC_TRY(status);
    if (c->secret.terms.output_epsilon == 0)
        TC_TRY(open_outputs(c, false, err));
    else
        c->answers = c->rows.ledger;
    c->ready = true;
    return TACIT_OK;
}

/* ---- the answer */

static tacit_status check_row(const tacit_curator *c, uint64_t row, tacit_error *err)
{
    if (row < c->secret.terms.rows)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "row %" PRIu64 " does not exist; the release has 0 to %zu",
                   row, c->secret.terms.rows - 1);
}

tacit_status tacit_curator_recall(tacit_curator *c, uint64_t row, tacit_row_answer *out,
                                  tacit_error *err)
{
    TC_GIVEN(c);
    TC_GIVEN(out);
    TC_TRY(check_row(c, row, err));
    TC_TRY(open_ledgers(c, err));
    if (!c->answers)
        return tc_fail(err, TACIT_E_NOT_FOUND, "row %" PRIu64 " has not been answered before", row);
    return tc_row_curator_recall(c->answers, &c->secret.terms, &c->secret.release, row, out, err);
}

tacit_status tacit_curator_answer(tacit_curator *c, uint64_t row, double value,
                                  tacit_row_answer *out, tacit_error *err)
{
    TC_GIVEN(c);
    TC_GIVEN(out);
    const tc_row_terms *t = &c->secret.terms;
    tc_ledger_budget limit;
    const tc_ledger_budget *budget;
    tc_curator_noise noise;
    TC_TRY(check_row(c, row, err));
    TC_TRY(open_ledgers(c, err));
    if (!c->answers)
        TC_TRY(open_outputs(c, true, err));
    /* What leaves as it is has no budget: that of the handle was for the release. */
    TC_TRY(tc_curator_budget(&limit, t->output_epsilon > 0 ? c->opts.budget : 0, t, c->answers,
                             &budget, err));
    tc_curator_noise_init(&noise, c->opts.test_seed, row + 1);
    tacit_status status = tc_row_curator_answer(c->answers, budget, t, &c->secret.release, row,
                                                value, &noise.entropy, out, err);
    tc_curator_noise_fini(&noise);
    return status == TACIT_E_BUDGET
               ? tc_curator_over_budget(budget, c->answers, t->output_epsilon, err)
               : status;
}

/* ---- are these the rows? */

/* Values are whole multiples of a step, which the first that is not 0 gives away; in paper mode they are the doubles
 * themselves. Where doubles have rounded the numbers of steps, nobody can tell. */
static bool is_release(const tc_row_terms *t, const tc_ledger_receipt *r, const tc_domain *rows)
{
    const int64_t most = INT64_C(1) << 53;
    double step = 0;
    if (rows->n != t->rows || r->size != 8 * rows->n * rows->dim)
        return false;
    for (size_t i = 0; i < rows->n * rows->dim; i++) {
        double value = rows->raw[i / rows->dim + i % rows->dim * rows->n];
        int64_t word = (int64_t)tc_get_le(r->bytes + 8 * i, 8);
        if (t->mode == TACIT_ROW_SOUND && (word > most || word < -most))
            return true;
        if (step == 0 && word != 0)
            step = value / (double)word;
        bool steps = word == 0 ? value == 0 : step > 0 && value == step * (double)word;
        bool bits =
            tc_get_le_double(r->bytes + 8 * i) == value; /* as they are, where nothing is hidden */
        if (t->mode == TACIT_ROW_SOUND ? !steps : !bits)
            return false;
    }
    return true;
}

tacit_status tc_curator_check_rows(tacit_curator *c, const tc_domain *rows, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    TC_TRY(open_ledgers(c, err));
    tacit_status status = find_release(c, &receipt, err);
    if (status == TACIT_OK && !is_release(&c->secret.terms, &receipt, rows))
        status = tc_fail(err, TACIT_E_STATE,
                         "the coordinator's study is not over the rows of release %s, so answers "
                         "would be about others",
                         c->secret.terms.name);
    tc_ledger_receipt_fini(&receipt);
    return status;
}
