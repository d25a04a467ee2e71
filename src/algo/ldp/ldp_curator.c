/* ldp_curator.c - one reply of one user, drawn once and remembered by the ledger. See
 * ldp_curator.h.
 *
 * Zhou and Tan (2021), Curator 1, with the clamp that makes its Lemma 1 true for every reward, and
 * with replies of less variance as alternatives. */
#include "algo/ldp/ldp_curator.h"

#include "algo/ldp/ldp_int.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Pure composition holds at any delta; accountants ask for one. */
static const double ANY_DELTA = 1e-9;

/* What all answers of one user add up to, as the ledger's accountant adds: then the last of them
 * still fits. */
static tacit_status find_budget(tc_ldp_curator *c, tacit_error *err)
{
    tc_dp_event all = tc_reply_event(&c->reply);
    tc_guarantee g;
    all.count = c->answers;
    TC_TRY(tc_account(&tc_accountant_pure, &all, 1, ANY_DELTA, &g, err));
    c->budget = g.epsilon;
    return TACIT_OK;
}

tacit_status tc_ldp_curator_init(tc_ldp_curator *c, tc_ledger *ledger, const tc_ldp_terms *terms,
                                 tacit_error *err)
{
    tc_ldp_curator made = {.ledger = ledger, .answers = terms->answers};
    if (terms->answers == 0)
        return tc_fail(err, TACIT_E_ARG, "a user must be allowed at least 1 answer, got 0");
    TC_TRY(tc_reply_init(&made.reply, terms->reply, terms->epsilon, terms->low, terms->high, err));
    TC_TRY(find_budget(&made, err));
    *c = made;
    return TACIT_OK;
}

/* ---- questions ---- */

/* A ledger has one release for one (study, round), whoever it is about. So for it the study is the
 * study of this user: the hash of both. */
static tc_ledger_charge charge_of(const tc_ldp_question *q)
{
    char text[2 * TC_LEDGER_HASH_BYTES + TC_LEDGER_MAX_NAME + 8];
    size_t at = 0;
    for (size_t i = 0; i < TC_LEDGER_HASH_BYTES; i++)
        at += (size_t)snprintf(text + at, 3, "%02x", q->study.bytes[i]);
    snprintf(text + at, sizeof text - at, "/%s", q->user);
    return (tc_ledger_charge){
        .study = tc_ledger_study_hash(text), .round = q->number, .subject = q->user};
}

static tacit_status check(const tc_ldp_question *q, tacit_error *err)
{
    size_t length = strlen(q->user);
    if (length == 0 || length > TC_LEDGER_MAX_NAME)
        return tc_fail(err, TACIT_E_ARG, "the name of a user has 1 to %d bytes, got %zu",
                       TC_LEDGER_MAX_NAME, length);
    return TACIT_OK;
}

/* ---- answers ---- */

/* The number in the stored bytes means what it says only under the terms it was drawn with. */
static tacit_status check_terms(const tc_ldp_curator *c, const tc_ledger_receipt *r,
                                const tc_ldp_question *q, tacit_error *err)
{
    const tc_ledger_entry *e = tc_ledger_get(c->ledger, r->head.seq, NULL);
    tc_dp_event event = tc_reply_event(&c->reply);
    if (r->size == sizeof(uint64_t) && e->event.mechanism == event.mechanism &&
        e->event.parameter == event.parameter &&
        strcmp(e->mechanism, tc_reply_mechanism(&c->reply)) == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CONFLICT,
                   "question %" PRIu64
                   " to user \"%s\" was answered on other terms: %s, epsilon %g",
                   q->number, q->user, e->mechanism, e->event.parameter);
}

static double value_of(const tc_reply *r, const uint8_t bytes[8])
{
    uint64_t word = 0;
    int64_t steps;
    for (size_t i = 8; i-- > 0;)
        word = word << 8 | bytes[i];
    memcpy(&steps, &word, sizeof steps);
    return r->offset + r->step * (double)steps;
}

/* Ends the receipt. */
static tacit_status deliver(const tc_ldp_curator *c, tc_ledger_receipt *r, const tc_ldp_question *q,
                            tc_ldp_answer *out, tacit_error *err)
{
    tacit_status status = check_terms(c, r, q, err);
    if (status == TACIT_OK)
        *out = (tc_ldp_answer){.value = value_of(&c->reply, r->bytes),
                               .again = r->again,
                               .is_private = r->is_private,
                               .head = r->head};
    tc_ledger_receipt_fini(r);
    return status;
}

static tacit_status refuse(const tc_ldp_curator *c, const char *user, tacit_error *err)
{
    return tc_fail(err, TACIT_E_BUDGET,
                   "user \"%s\" may give %" PRIu64 " answers of epsilon %g and has none left", user,
                   c->answers, c->reply.epsilon);
}

/* Draws and commits; another process may have been first, and then its answer is the one. The
 * ledger looks at the budget before it spends, so a refused draw is thrown away. */
static tacit_status draw(tc_ldp_curator *c, const tc_ledger_charge *charge, double y, tc_entropy *e,
                         tc_ledger_receipt *out, tacit_error *err)
{
    tc_ledger_budget budget = {c->budget, ANY_DELTA, &tc_accountant_pure};
    tc_release *release = NULL;
    TC_TRY(tc_reply_release(&release, &c->reply, y, e, err));
    tacit_status status = tc_ledger_release(c->ledger, &budget, charge, release, out, err);
    tc_release_free(release);
    return status;
}

tacit_status tc_ldp_curator_answer(tc_ldp_curator *c, const tc_ldp_question *q, double y,
                                   tc_entropy *e, tc_ldp_answer *out, tacit_error *err)
{
    TC_TRY(check(q, err));
    tc_ledger_charge charge = charge_of(q);
    tc_ledger_receipt receipt = {0};
    tacit_status status = tc_ledger_find(c->ledger, &charge.study, charge.round, &receipt, err);
    if (status == TACIT_E_NOT_FOUND)
        status = draw(c, &charge, y, e, &receipt, err);
    if (status == TACIT_E_BUDGET)
        return refuse(c, q->user, err);
    TC_TRY(status);
    return deliver(c, &receipt, q, out, err);
}

/* ---- the half of an algorithm's contract ---- */

static tacit_status reply(const void *opts, double y, tc_entropy *e, tc_release **out,
                          tacit_error *err)
{
    tc_reply r;
    TC_TRY(tc_ldp_reply(opts, &r, err));
    return tc_reply_release(out, &r, y, e, err);
}

const tc_curator_ops tc_ldp_curator_ops = {.reply = reply};
