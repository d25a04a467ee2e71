/* ldp_curator.c - one reply of one user, drawn once and remembered by the ledger. See
 * ldp_curator.h.
 *
 * Zhou and Tan (2021), Curator 1, with the clamp that makes its Lemma 1 true for every reward, and
 * with replies of less variance as alternatives. */
#include "algo/ldp/ldp_curator.h"

#include "algo/ldp/ldp_int.h"
#include "base/bytes.h"
#include "base/error.h"
#include "privacy/statement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pure composition holds at any delta; accountants ask for one. */
static const double ANY_DELTA = 1e-9;

/* Answers of the same user that were committed by others while this one was drawn. */
enum { MOST_RACES = 1000 };

tacit_status tc_ldp_curator_init(tc_ldp_curator *c, tc_ledger *ledger, const tc_ldp_terms *terms,
                                 tacit_error *err)
{
    tc_ldp_curator made = {.ledger = ledger, .answers = terms->answers};
    if (terms->answers == 0)
        return tc_fail(err, TACIT_E_ARG, "a user must be allowed at least 1 answer, got 0");
    TC_TRY(tc_reply_init(&made.reply, terms->reply, terms->epsilon, terms->low, terms->high, err));
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

/* ---- the cap ----
 *
 * It is an entry of its own: a pledge of no events, which costs nobody anything. Its study is the
 * hash of the user's name and its round is the cap. Where there are several, of processes that raced or
 * of ledgers that became one, the least counts. */

static tacit_hash cap_study(const char *user)
{
    char text[TC_LEDGER_MAX_NAME + 32];
    snprintf(text, sizeof text, "cap on the answers of/%s", user);
    return tc_ledger_study_hash(text);
}

/* 0: there is none. */
static uint64_t stored_cap(const tc_ledger *l, const char *user)
{
    tacit_hash study = cap_study(user);
    uint64_t least = 0, n = tc_ledger_get_head(l).seq;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->event.count == 0 && tc_ledger_hash_same(&e->study, &study) &&
            (least == 0 || e->round < least))
            least = e->round;
    }
    return least;
}

static tacit_status store_cap(tc_ldp_curator *c, const char *user, tacit_error *err)
{
    const tacit_dp_event nothing = {.mechanism = TACIT_DP_PURE, .parameter = 1, .sampling_rate = 1};
    tc_ledger_charge charge = {.study = cap_study(user), .round = c->answers, .subject = user};
    tc_ledger_receipt receipt = {0};
    tc_release *pledge = NULL;
    TC_TRY(tc_pledge(&pledge, &nothing, 0, TACIT_UNIT_USER, true, err));
    tacit_status status = tc_ledger_release(c->ledger, NULL, &charge, pledge, &receipt, err);
    tc_release_free(pledge);
    tc_ledger_receipt_fini(&receipt);
    return status;
}

static uint64_t count_answers(const tc_ledger *l, const char *user)
{
    uint64_t given = 0, n = tc_ledger_get_head(l).seq;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        given += e->unit == TACIT_UNIT_USER && e->event.count > 0 && strcmp(e->subject, user) == 0;
    }
    return given;
}

/* Epsilons add up where no noise has a delta; releases about agents, of whom a user may be a part, may. */
static tacit_status claim_of(const tc_ledger *l, const char *user, tc_ledger_claim *out,
                             tacit_error *err)
{
    if (tc_ledger_guarantee(l, TACIT_UNIT_USER, user, ANY_DELTA, &tc_accountant_pure, out, NULL) ==
        TACIT_OK)
        return TACIT_OK;
    return tc_ledger_guarantee(l, TACIT_UNIT_USER, user, ANY_DELTA, NULL, out, err);
}

/* What the user has spent is infinite where others have charged it in ways that do not add up. */
tacit_status tc_ldp_curator_look(tc_ldp_curator *c, const char *user, tc_ldp_standing *out,
                                 tacit_error *err)
{
    tc_ledger_claim claim;
    TC_TRY(tc_ledger_catch_up(c->ledger, err));
    uint64_t stored = stored_cap(c->ledger, user);
    tacit_status status = claim_of(c->ledger, user, &claim, err);
    if (status == TACIT_E_MEMORY)
        return status;
    *out = (tc_ldp_standing){
        .given = count_answers(c->ledger, user),
        .cap = stored > 0 && stored < c->answers ? stored : c->answers,
        .spent = status == TACIT_OK ? claim.bound.epsilon : (double)INFINITY,
    };
    return TACIT_OK;
}

static tacit_status allow(const tc_ldp_curator *c, const char *user, const tc_ldp_standing *s,
                          uint64_t more, tacit_error *err)
{
    char spent[32];
    if (s->given <= s->cap && more <= s->cap - s->given)
        return TACIT_OK;
    tacit_epsilon_text(spent, s->spent);
    return tc_fail(err, TACIT_E_BUDGET,
                   "user \"%.60s\" may give %" PRIu64 " answers in all%s, has given %" PRIu64
                   " (epsilon %s) and is asked for %" PRIu64 " more",
                   user, s->cap, s->cap < c->answers ? ", the cap of the first one" : "", s->given,
                   spent, more);
}

tacit_status tc_ldp_curator_allow(tc_ldp_curator *c, const tc_ldp_question *first, uint64_t n,
                                  tacit_error *err)
{
    tc_ldp_standing s;
    tc_ldp_question q = *first;
    uint64_t fresh = 0;
    TC_TRY(check(first, err));
    TC_TRY(tc_ldp_curator_look(c, q.user, &s, err));
    for (uint64_t i = 0; i < n; i++, q.number++) {
        tc_ledger_charge charge = charge_of(&q);
        tc_ledger_receipt receipt = {0};
        tacit_error none;
        tacit_status status =
            tc_ledger_find(c->ledger, &charge.study, charge.round, &receipt, &none);
        tc_ledger_receipt_fini(&receipt);
        if (status != TACIT_OK && status != TACIT_E_NOT_FOUND)
            return tc_pass_on(err, status, &none);
        fresh += status == TACIT_E_NOT_FOUND;
    }
    return fresh > 0 ? allow(c, q.user, &s, fresh, err) : TACIT_OK;
}

/* ---- answers ---- */

/* The number in the stored bytes means what it says only under the terms it was drawn with. */
static tacit_status check_terms(const tc_ldp_curator *c, const tc_ledger_receipt *r,
                                const tc_ldp_question *q, tacit_error *err)
{
    const tc_ledger_entry *e = tc_ledger_get(c->ledger, r->head.seq, NULL);
    tacit_dp_event event = tc_reply_event(&c->reply);
    bool law = r->size == sizeof(uint64_t) && e->event.mechanism == event.mechanism &&
               e->event.parameter == event.parameter &&
               strcmp(e->mechanism, tc_reply_mechanism(&c->reply)) == 0;
    if (law && e->offset == c->reply.offset && e->step == c->reply.step)
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_CONFLICT,
        "question %" PRIu64 " to user \"%.60s\" was answered on other terms: %s, epsilon %g%s",
        q->number, q->user, e->mechanism, e->event.parameter, law ? ", other bounds" : "");
}

static double value_at(const tc_reply *r, int64_t steps)
{
    return r->offset + r->step * (double)steps;
}

static double value_of(const tc_reply *r, const uint8_t bytes[8])
{
    return value_at(r, (int64_t)tc_get_le(bytes, 8));
}

/* The farthest that a reply can be from the offset, in steps. */
static double most_steps(const tc_reply *r)
{
    if (r->kind == TACIT_REPLY_ONE_BIT)
        return 1;
    return r->kind == TACIT_REPLY_PIECEWISE ? 2 * (double)r->reach + (double)r->window - 1 : 0x1p62;
}

bool tc_ldp_curator_could_answer(const tc_ldp_curator *c, double value)
{
    const tc_reply *r = &c->reply;
    double steps = round((value - r->offset) / r->step);
    if (!(fabs(steps) <= most_steps(r)) || (r->kind == TACIT_REPLY_ONE_BIT && steps == 0))
        return false;
    return value_at(r, (int64_t)steps) == value;
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

/* The budget has room for one answer beyond what was counted, up to rounding: if another process
 * commits one of this user first, the ledger refuses, and it is counted again. What was counted may
 * be the answer to this very question, given by another process: look for it before refusing. */
static tacit_status commit(tc_ldp_curator *c, const tc_ldp_question *q, const tc_release *release,
                           tc_ledger_receipt *out, tacit_error *err)
{
    tc_ledger_charge charge = charge_of(q);
    for (int i = 0; i < MOST_RACES; i++) {
        tc_ldp_standing s;
        TC_TRY(tc_ldp_curator_look(c, q->user, &s, err));
        tacit_status status = tc_ledger_find(c->ledger, &charge.study, charge.round, out, err);
        if (status != TACIT_E_NOT_FOUND)
            return status;
        TC_TRY(allow(c, q->user, &s, 1, err));
        tc_ledger_budget budget = {(s.spent + c->reply.epsilon) * (1 + 1e-12), ANY_DELTA,
                                   &tc_accountant_pure};
        status = tc_ledger_release(c->ledger, isfinite(budget.epsilon) ? &budget : NULL, &charge,
                                   release, out, err);
        if (status != TACIT_E_BUDGET)
            return status;
    }
    return tc_fail(err, TACIT_E_CONFLICT, "user \"%.60s\" is answering elsewhere at the same time",
                   q->user);
}

/* Draws and commits; another process may have been first, and then its answer is the one. What is
 * refused is thrown away. */
static tacit_status draw(tc_ldp_curator *c, const tc_ldp_question *q, double y, tc_entropy *e,
                         tc_ledger_receipt *out, tacit_error *err)
{
    tc_release *release = NULL;
    TC_TRY(tc_ldp_curator_allow(c, q, 1, err));
    if (stored_cap(c->ledger, q->user) == 0)
        TC_TRY(store_cap(c, q->user, err));
    TC_TRY(tc_reply_release(&release, &c->reply, y, e, err));
    tacit_status status = commit(c, q, release, out, err);
    tc_release_free(release);
    return status;
}

tacit_status tc_ldp_curator_recall(tc_ldp_curator *c, const tc_ldp_question *q, tc_ldp_answer *out,
                                   tacit_error *err)
{
    TC_TRY(check(q, err));
    TC_TRY(tc_ledger_catch_up(c->ledger, err));
    tc_ledger_charge charge = charge_of(q);
    tc_ledger_receipt receipt = {0};
    TC_TRY(tc_ledger_find(c->ledger, &charge.study, charge.round, &receipt, err));
    return deliver(c, &receipt, q, out, err);
}

tacit_status tc_ldp_curator_answer(tc_ldp_curator *c, const tc_ldp_question *q, double y,
                                   tc_entropy *e, tc_ldp_answer *out, tacit_error *err)
{
    TC_TRY(check(q, err));
    tc_ledger_charge charge = charge_of(q);
    tc_ledger_receipt receipt = {0};
    tacit_status status = tc_ledger_find(c->ledger, &charge.study, charge.round, &receipt, err);
    if (status == TACIT_E_NOT_FOUND)
        status = draw(c, q, y, e, &receipt, err);
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
