/* control_hash.c - negative control: a published hash that covers contributions.
 *
 * A chain of hashes makes a ledger hard to rewrite, and it is tempting to let it cover everything
 * that was received. But a hash is a deterministic function of what it covers: whoever can guess
 * the data checks the guess. The noise beside it is then of no use. The published chain covers
 * public values only. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <sodium.h>
#include <string.h>

enum { AGENTS = 3, WIDTH = 8, HASH = 32 };

typedef struct state {
    int64_t vectors[2][AGENTS * WIDTH]; /* of the first agent: zeros in world 0 */
    tc_sum_plan plan;
} state;

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)setting;
    state *s = p;
    s->plan = (tc_sum_plan){.agents = AGENTS, .blocks = 1, .width = WIDTH};
    TC_TRY(tc_sum_plan_set(&s->plan, 1, 1, 1, err));
    for (size_t i = 0; i < AGENTS * WIDTH; i++)
        s->vectors[1][i] = (int64_t)(e->u64(e->ctx) % 1000);
    memcpy(s->vectors[0] + WIDTH, s->vectors[1] + WIDTH, sizeof s->vectors[0] / AGENTS * 2);
    s->vectors[1][0] = 1; /* not zero */
    tacit_dp_event pretended = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_ALL, 1, 1};
    return tc_audit_claim_event(&pretended, TC_AUDIT_DELTA, claim, err);
}

static void hash_of(const state *s, int world, const tc_release *r, uint8_t hash[HASH])
{
    crypto_generichash_state h;
    crypto_generichash_init(&h, NULL, 0, HASH);
    crypto_generichash_update(&h, (const uint8_t *)s->vectors[world], sizeof s->vectors[world]);
    crypto_generichash_update(&h, (const uint8_t *)tc_release_get(r)->steps, tc_release_size(r));
    crypto_generichash_final(&h, hash, HASH);
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    const state *s = p;
    uint8_t published[HASH], guess[HASH];
    tc_release *r;
    TC_TRY(tc_audit_sum_up(&s->plan, 0, AGENTS, s->vectors[world], WIDTH, e, &r, err));
    hash_of(s, world, r, published);
    hash_of(s, 1, r, guess);
    look->score = memcmp(published, guess, HASH) == 0;
    tc_release_free(r);
    return TACIT_OK;
}

const tc_audit_case tc_control_hash = {
    .name = "hash-over-contributions",
    .attack = "one agent's vector or zero; does the published hash match the guess",
    .control = true,
    .most_runs = 4000,
    .state_size = sizeof(state),
    .open = prepare,
    .run = run,
};
