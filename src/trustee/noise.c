/* noise.c - a trustee deals noise for a round: a discrete Gaussian in every coordinate of the sums, shared among all trustees.
 *
 * It is drawn and dealt once, is in the store before it leaves, and is never added to what this trustee answers: it comes
 * back to it, as to all others, as a share. */
#include "trustee/trustee_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <sodium.h>

static tacit_status draw(const tc_trustee *t, const tc_shared_plan *p, uint64_t round, int64_t *out,
                         tacit_error *err)
{
    if (t->cfg.seeded) {
        tc_test_noise test;
        tc_entropy e = tc_shared_test_entropy(&test, t->cfg.seed, (uint32_t)t->place, round);
        return tc_shared_noise(p, &e, out, err);
    }
    tc_noise secret;
    tc_noise_init(&secret);
    tc_entropy e = tc_entropy_of(&secret);
    tacit_status status = tc_shared_noise(p, &e, out, err);
    tc_noise_fini(&secret);
    return status;
}

static tacit_status make(const tc_trustee *t, const tc_dealt_by *by, uint64_t round, tc_text *out,
                         tacit_error *err)
{
    tc_shared_plan p = {.width = 0};
    TC_TRY(
        t->plan->doc->algorithm->aggregator->shared(&t->plan->env, t->plan->opts, round, &p, err));
    const size_t n = p.groups * p.width;
    int64_t *noise = tc_alloc(n, sizeof *noise);
    if (!noise)
        return tc_fail_memory(err);
    tacit_status status = draw(t, &p, round, noise, err);
    if (status == TACIT_OK)
        status = tc_dealt_make(by, round, noise, n, out, err);
    sodium_memzero(noise, n * sizeof *noise);
    tc_free(noise);
    return status;
}

static tacit_status deal(tc_trustee *t, uint64_t round, tc_text *out, tacit_error *err)
{
    const tc_dealt_by by = {.store = t->cfg.store,
                            .plan = t->plan,
                            .roster = &t->roster,
                            .kind = TC_DEALER_TRUSTEE,
                            .number = t->place,
                            .identity = &t->secret_key,
                            .test_seed = t->cfg.seeded ? &t->cfg.seed : NULL};
    bool there = false;
    TC_TRY(tc_dealt_forget(t->cfg.store, &t->of, round, err));
    TC_TRY(tc_dealt_find(&by, round, out, &there, err));
    return there ? TACIT_OK : make(t, &by, round, out, err);
}

tacit_status tc_trustee_deal(tc_trustee *t, uint64_t round, tc_trustee_next *next, tacit_error *err)
{
    tc_text upload = {0};
    tacit_error why = {0};
    bool past, taken = false;
    TC_TRY(tc_duty_is_past(t, round, &past, err));
    *next = TC_TRUSTEE_WAIT;
    if (past) { /* what was dealt for it is forgotten, and a second dealing is not made */
        tc_fail(&why, TACIT_E_STATE,
                "it has answered for round %" PRIu64 " or a later one, and deals no noise for it",
                round);
        return tc_trustee_refuse(t, round, &why, TACIT_TRUSTEE_REFUSED, err);
    }
    tacit_status status = deal(t, round, &upload, err);
    const tc_trustee_post post = {.round = round,
                                  .what = "noise",
                                  .field = "noise",
                                  .purpose = TC_SIGN_NOISE,
                                  .bytes = tc_text_get(&upload),
                                  .n = upload.len};
    if (status == TACIT_OK)
        status = tc_trustee_send(t, &post, &taken, err);
    tc_text_fini(&upload);
    if (status != TACIT_OK || !taken)
        return status;
    *next = TC_TRUSTEE_AGAIN;
    tc_trustee_emit(t, &(tacit_trustee_event){.kind = TACIT_TRUSTEE_DEALT, .round = round});
    return TACIT_OK;
}
