/* row_answer.c - the value of one row, drawn once and remembered by the ledger. See row_curator.h. */
#include "algo/outsourced/row_curator.h"

#include "base/bytes.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

static const char *const AS_THEY_ARE = "the values of rows that are asked for leave as they are";

/* ---- which question */

typedef struct question {
    tc_ledger_charge charge;
    char subject[TC_LEDGER_MAX_NAME + 1];
} question;

/* A release's answers are a study of their own, with rows as rounds. */
static tacit_status ask(question *q, const tc_row_terms *t, const tacit_hash *release, uint64_t row,
                        tacit_error *err)
{
    char hash[2 * TC_LEDGER_HASH_BYTES + 1], text[sizeof hash + 16];
    if (row >= t->rows)
        return tc_fail(err, TACIT_E_ARG, "row %" PRIu64 " does not exist; the release has 0 to %zu",
                       row, t->rows - 1);
    snprintf(q->subject, sizeof q->subject, "%s/%" PRIu64, t->name, row); /* 64 bytes and 20 */
    sodium_bin2hex(hash, sizeof hash, release->bytes, sizeof release->bytes);
    snprintf(text, sizeof text, "%s/answers", hash);
    q->charge = (tc_ledger_charge){
        .study = tc_ledger_study_hash(text), .round = row, .subject = q->subject};
    return TACIT_OK;
}

/* Two releases number the same rows differently, and how is secret: what a row has spent on answers
 * can be told within one release only. */
static tacit_status check_single(const tc_ledger *l, const question *q, tacit_error *err)
{
    uint64_t n = tc_ledger_get_head(l).seq;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->unit == TACIT_UNIT_ROW && *e->subject &&
            !tc_ledger_hash_same(&e->study, &q->charge.study))
            return tc_fail(err, TACIT_E_STATE,
                           "ledger \"%s\" has answers about another release (%s): rows of two "
                           "releases cannot be told to be the same, so no budget could be kept",
                           tc_ledger_name(l), e->subject);
    }
    return TACIT_OK;
}

/* ---- drawing */

/* bound: low and high, which the plan points to. */
static tc_laplace_plan plan_of(const tc_row_terms *t, double bound[2])
{
    bound[0] = -t->output_bound;
    bound[1] = t->output_bound;
    return (tc_laplace_plan){.count = 1,
                             .bounds = {&bound[0], &bound[1]},
                             .epsilon = t->output_epsilon,
                             .unit = TACIT_UNIT_ROW,
                             .single = true};
}

static tacit_status draw(const tc_row_terms *t, double y, tc_entropy *e, tc_release **out,
                         tacit_error *err)
{
    double bound[2];
    tc_laplace_plan plan = plan_of(t, bound);
    if (t->output_epsilon == 0)
        return tc_none_release(out, 1, 1, &y, TACIT_UNIT_ROW, AS_THEY_ARE, err);
    return tc_laplace_release(out, &plan, &y, e, err);
}

tacit_status tc_row_output_sd(const tc_row_terms *t, double *sd, tacit_error *err)
{
    double bound[2];
    tc_laplace_plan plan = plan_of(t, bound);
    tc_laplace_noise noise = {0};
    if (t->output_epsilon != 0)
        TC_TRY(tc_laplace_plan_noise(&plan, &noise, err));
    *sd = noise.noise_sd;
    return TACIT_OK;
}

/* ---- answering */

static tacit_status commit(tc_ledger *l, const tc_ledger_budget *budget, const question *q,
                           const tc_row_terms *t, const tacit_hash *release,
                           const tc_release *drawn, tc_row_answer *out, tacit_error *err)
{
    const tc_release_view *view = tc_release_get(drawn);
    tc_ledger_receipt receipt = {0};
    TC_TRY(tc_ledger_release(l, budget, &q->charge, drawn, &receipt, err));
    *out = (tc_row_answer){.value = tc_release_read(view, receipt.bytes, 0),
                           .sd = view->reals ? 0 : view->noise_sd,
                           .is_private = receipt.is_private,
                           .again = receipt.again,
                           .release = *release,
                           .row = q->charge.round};
    snprintf(out->name, sizeof out->name, "%s", t->name);
    tc_ledger_receipt_fini(&receipt);
    return TACIT_OK;
}

tacit_status tc_row_curator_answer(tc_ledger *l, const tc_ledger_budget *budget,
                                   const tc_row_terms *t, const tacit_hash *release, uint64_t row,
                                   double y, tc_entropy *e, tc_row_answer *out, tacit_error *err)
{
    question q;
    tc_release *drawn = NULL;
    TC_TRY(tc_row_terms_check(t, err));
    TC_TRY(ask(&q, t, release, row, err));
    TC_TRY(tc_ledger_catch_up(l, err));
    if (t->output_epsilon > 0)
        TC_TRY(check_single(l, &q, err));
    TC_TRY(draw(t, isfinite(y) ? y : NAN, e, &drawn, err));
    tacit_status status = commit(l, budget, &q, t, release, drawn, out, err);
    tc_release_free(drawn);
    return status;
}

/* Reads an answer as its entry says, if that is an answer of these terms: with another bound or epsilon the noise is
 * another than the terms say. */
static tacit_status read_answer(const tc_ledger_entry *e, const question *q, const tc_row_terms *t,
                                const uint8_t *bytes, tc_row_answer *out, tacit_error *err)
{
    double bound[2];
    tc_laplace_plan plan = plan_of(t, bound);
    tc_laplace_noise noise = {0};
    bool noisy = t->output_epsilon != 0;
    if (noisy)
        TC_TRY(tc_laplace_plan_noise(&plan, &noise, err));
    bool same = strcmp(e->subject, q->subject) == 0 && e->unit == TACIT_UNIT_ROW &&
                (e->event.mechanism == TACIT_DP_LAPLACE) == noisy;
    if (noisy)
        same &= e->event.parameter == noise.event.parameter && e->step == ldexp(1, -noise.grid);
    if (!same)
        return tc_fail(err, TACIT_E_CONFLICT,
                       "row %" PRIu64 " was answered under other terms (ledger entry %" PRIu64 ")",
                       q->charge.round, e->seq);
    tc_release_view view = {.offset = e->offset, .step = e->step};
    out->value = noisy ? tc_release_read(&view, bytes, 0) : tc_get_le_double(bytes);
    out->sd = noise.noise_sd;
    return TACIT_OK;
}

tacit_status tc_row_curator_recall(tc_ledger *l, const tc_row_terms *t, const tacit_hash *release,
                                   uint64_t row, tc_row_answer *out, tacit_error *err)
{
    question q;
    tc_ledger_receipt receipt = {0};
    TC_TRY(tc_row_terms_check(t, err));
    TC_TRY(ask(&q, t, release, row, err));
    tacit_status status = tc_ledger_find(l, &q.charge.study, q.charge.round, &receipt, err);
    if (status == TACIT_E_NOT_FOUND)
        return tc_fail(err, TACIT_E_NOT_FOUND, "row %" PRIu64 " has not been answered before", row);
    TC_TRY(status);
    tc_row_answer found = {
        .is_private = receipt.is_private, .again = true, .release = *release, .row = row};
    snprintf(found.name, sizeof found.name, "%s", t->name);
    status =
        read_answer(tc_ledger_get(l, receipt.head.seq, NULL), &q, t, receipt.bytes, &found, err);
    tc_ledger_receipt_fini(&receipt);
    if (status == TACIT_OK)
        *out = found;
    return status;
}
