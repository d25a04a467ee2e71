/* perturb.c - tacit_perturb: what a user may report in place of a reward, on terms that no study's document has.
 *
 * The curator of local privacy (algo/ldp/ldp_curator.h): replies go through the user's ledger, the same question gets
 * the same reply, and nothing goes beyond the cap. With a seed replies are drawn beside any ledger, as many as wanted,
 * and are NOT PRIVATE. */
#include <tacit/experimental/curator.h>

#include "algo/ldp/ldp_curator.h"
#include "base/api.h"
#include "base/error.h"
#include "base/text.h"
#include "curator/curator_int.h"
#include "privacy/public.h"

#include <tacit/user.h>

/* Pure composition holds at any delta; accountants ask for one. */
static const double ANY_DELTA = 1e-9;

/* Test mode. */
static tacit_status draw_seeded(const tacit_perturb_opts *o, double reward, size_t count,
                                double *replies, tacit_perturbed *out, tacit_error *err)
{
    tc_curator_noise noise;
    tc_reply reply;
    TC_TRY(tc_reply_init(&reply, o->reply, o->epsilon, o->low, o->high, err));
    tc_curator_noise_init(&noise, o->test_seed, 0);
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < count && status == TACIT_OK; i++) {
        tc_release *r = NULL;
        status = tc_reply_release(&r, &reply, reward, &noise.entropy, err);
        if (status == TACIT_OK)
            replies[i] = tc_release_value(r, 0);
        tc_release_free(r);
    }
    tc_curator_noise_fini(&noise);
    *out = (tacit_perturbed){.mechanism = tc_reply_mechanism(&reply)};
    return status;
}

/* All or nothing: what is refused is refused before the first reply is drawn. */
static tacit_status answer(const tacit_perturb_opts *o, tc_ldp_curator *c, double reward,
                           uint64_t first, size_t count, double *replies, tacit_perturbed *out,
                           tacit_error *err)
{
    tc_ldp_question q = {.study = tc_ledger_study_hash(o->study), .user = o->name, .number = first};
    tc_curator_noise noise;
    TC_TRY(tc_ldp_curator_allow(c, &q, count, err));
    *out = (tacit_perturbed){.mechanism = tc_reply_mechanism(&c->reply), .is_private = true};
    tc_curator_noise_init(&noise, -1, 0);
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < count && status == TACIT_OK; i++, q.number++) {
        tc_ldp_answer a = {0};
        status = tc_ldp_curator_answer(c, &q, reward, &noise.entropy, &a, err);
        replies[i] = a.value;
        out->is_private = out->is_private && a.is_private;
        out->again += a.again;
    }
    tc_curator_noise_fini(&noise);
    return status;
}

/* Nobody should see an epsilon without what it is about: all that the user has ever answered. */
static tacit_status state(const tacit_perturb_opts *o, const tc_ledger *l, tacit_perturbed *out,
                          tacit_error *err)
{
    tc_ledger_claim claim;
    tc_text text = {0};
    if (tc_ledger_guarantee(l, TACIT_UNIT_USER, o->name, ANY_DELTA, &tc_accountant_pure, &claim,
                            NULL) !=
        TACIT_OK) /* there are releases with a delta about agents, of whom the user may be a part */
        TC_TRY(tc_ledger_guarantee(l, TACIT_UNIT_USER, o->name, ANY_DELTA, NULL, &claim, err));
    tc_ledger_statement(l, &claim, &text);
    out->epsilon = claim.bound.epsilon;
    out->is_private = out->is_private && claim.is_private;
    out->statement = tc_text_take(&text);
    tc_text_fini(&text);
    return out->statement ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tacit_perturb(const tacit_perturb_opts *opts, double reward, uint64_t first,
                           size_t count, double *replies, tacit_perturbed *out, tacit_error *err)
{
    TC_GIVEN(opts);
    TC_GIVEN(opts->name);
    TC_GIVEN(opts->study);
    TC_GIVEN(replies);
    TC_GIVEN(out);
    TC_TRY(tc_check_choice("reply", (int)opts->reply, TACIT_REPLY_LAPLACE, err));
    if (opts->test_seed >= 0)
        return draw_seeded(opts, reward, count, replies, out, err);
    const tc_ldp_terms terms = {.reply = opts->reply,
                                .epsilon = opts->epsilon,
                                .low = opts->low,
                                .high = opts->high,
                                .answers = opts->answers};
    const tc_user_ledger_place at = {.given = opts->storage,
                                     .study = tc_ledger_study_hash(opts->study),
                                     .name = opts->ledger ? opts->ledger : TACIT_USER_LEDGER,
                                     .user = opts->name,
                                     .note = {opts->note, opts->user}};
    tc_user_ledger l = {0};
    tc_ldp_curator c;
    tacit_perturbed made;
    tacit_status status = tc_user_ledger_open(&l, &at, err);
    if (status == TACIT_OK)
        status = tc_ldp_curator_init(&c, l.ledger, &terms, err);
    if (status == TACIT_OK)
        status = answer(opts, &c, reward, first, count, replies, &made, err);
    if (status == TACIT_OK)
        status = state(opts, l.ledger, &made, err);
    tc_user_ledger_close(&l);
    if (status == TACIT_OK)
        *out = made;
    return status;
}
