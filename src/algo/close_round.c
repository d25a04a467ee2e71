/* close_round.c - one release for one round. See close_round.h.
 *
 * A crash between any two steps loses nothing: what is repeated finds the same release in the ledger, or
 * makes a new one of which nobody has seen a byte. */
#include "algo/close_round.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/mechanism.h"

#include <inttypes.h>

struct tc_round_sum {
    const tc_closing *closing;
    void *state; /* of the aggregator */
};

tacit_status tc_round_add(tc_round_sum *sum, uint64_t agent, const void *bytes, size_t n,
                          tacit_error *err)
{
    const tc_closing *c = sum->closing;
    tacit_error why = {0};
    tacit_status status = c->algorithm->aggregator->fold(sum->state, agent, bytes, n, &why);
    if (status == TACIT_E_ARG || status == TACIT_E_STATE)
        return c->left_out(c->user, agent, why.msg, err);
    return tc_pass_on(err, status, &why);
}

/* Draws all noise of the round. */
static tacit_status open_sum(const tc_closing *c, void *state, tacit_error *err)
{
    const tc_aggregator_ops *ops = c->algorithm->aggregator;
    tc_entropy entropy;
    if (c->test_seed) {
        tc_test_noise seeded;
        tc_test_noise_init(&seeded, *c->test_seed, c->round);
        entropy = tc_entropy_of_test(&seeded);
        return ops->open(state, c->env, c->opts, c->round, &entropy, err);
    }
    tc_noise secret;
    tc_noise_init(&secret);
    entropy = tc_entropy_of(&secret);
    tacit_status status = ops->open(state, c->env, c->opts, c->round, &entropy, err);
    tc_noise_fini(&secret);
    return status;
}

/* Whether the algorithm can open and close the round follows from public constants and the messages: a refusal now
 * is a refusal for good. */
static tacit_status for_good(tacit_status status)
{
    return status == TACIT_E_ARG ? TACIT_E_STATE : status;
}

/* To read the messages may fail for any reason of this process: the round can be closed later. */
static tacit_status for_now(tacit_status status)
{
    return status == TACIT_E_STATE || status == TACIT_E_BUDGET ? TACIT_E_INTERNAL : status;
}

/* Noise, every message, then the release. */
static tacit_status sum_up(const tc_closing *c, tc_release **out, tacit_error *err)
{
    const tc_aggregator_ops *ops = c->algorithm->aggregator;
    tc_round_sum sum = {.closing = c, .state = tc_alloc(1, ops->state_size)};
    tacit_error why = {0};
    if (!sum.state)
        return tc_fail_memory(err);
    tacit_status status = for_good(open_sum(c, sum.state, &why));
    if (status == TACIT_OK)
        status = for_now(c->messages(c->user, &sum, &why));
    if (status == TACIT_OK)
        status = for_good(ops->close(sum.state, out, &why));
    ops->fini(sum.state);
    tc_free(sum.state);
    return tc_pass_on(err, status, &why);
}

/* What trustees opened is as public as messages are: a refusal is one for good. */
static tacit_status opened_elsewhere(const tc_closing *c, tc_release **out, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = for_good(c->release(c->user, out, &why));
    return tc_pass_on(err, status, &why);
}

/* The release of this round that the ledger has. E_NOT_FOUND: none. E_STATE: it may have left before the ledger
 * was restored from a backup, and its bytes are gone. */
static tacit_status find_release(const tc_closing *c, tc_ledger_receipt *out, tacit_error *err)
{
    tc_ledger_receipt found = {0};
    TC_TRY(tc_ledger_find(c->ledger, &c->study, c->round, &found, err));
    if (tc_ledger_is_lost(tc_ledger_get(c->ledger, found.head.seq, NULL))) {
        tc_ledger_receipt_fini(&found);
        return tc_fail(err, TACIT_E_STATE,
                       "round %" PRIu64 " may have been released before the coordinator was "
                       "restored from a backup",
                       c->round);
    }
    *out = found;
    return TACIT_OK;
}

tacit_status tc_close_round(const tc_closing *c, tc_ledger_receipt *out, tacit_error *err)
{
    const char *subject = tc_round_charge_subject(&c->charge);
    const tc_ledger_charge where = {.study = c->study, .round = c->round, .subject = subject};
    tc_release *release = NULL;
    tacit_error why = {0};

    /* A process that died, or another one that runs, may have released the round. */
    tacit_status found = find_release(c, out, &why);
    if (found != TACIT_E_NOT_FOUND)
        return tc_pass_on(err, found, &why);

    /* The budget is asked before noise is drawn: from the price, which is public. */
    if (c->limit)
        TC_TRY(tc_ledger_would(c->ledger, c->limit, c->charge.unit, subject, &c->price.event,
                               c->price.distance, err));

    TC_TRY(c->release ? opened_elsewhere(c, &release, err) : sum_up(c, &release, err));
    if (c->already_private)
        tc_release_set_processed(release);

    /* The ledger commits the release and hands out its bytes; if another process was faster, then the bytes
     * of that one, and the noise drawn here never leaves. */
    tacit_status status = tc_ledger_release(c->ledger, c->limit, &where, release, out, err);
    tc_release_free(release);
    return status;
}
