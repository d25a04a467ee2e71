/* fuzz_round.c - any bytes as the messages of a round, of every federated algorithm.
 *
 * The first byte chooses the algorithm; then each agent's genuine message is spoiled, or replaced. What
 * `check` lets pass must fold, or be refused and leave the round as it was; and what comes of messages
 * that fit must not depend on their order. A relay must be able to hand on what it took. */
#include "federations.h"

static tacit_status check(const fed_study *f, const fed_message *m)
{
    const tc_algorithm *a = f->plan->doc->algorithm;
    return (a->relay ? a->relay->check : a->aggregator->check)(
        &f->plan->env, f->plan->opts, f->round, m->agent, m->piece.bytes, m->piece.n, NULL);
}

static void hand_on(const fed_study *f, const fed_message *m)
{
    tc_release *r = NULL;
    REQUIRE(f->plan->doc->algorithm->relay->release(&f->plan->env, f->plan->opts, f->round,
                                                    m->agent, m->piece.bytes, m->piece.n, &r,
                                                    NULL) == TACIT_OK);
    fuzz_piece out = fed_encode(r);
    free(out.bytes);
}

static void add_up(const fed_study *f, const fed_message *const *list, size_t n)
{
    const fed_message *back[FED_AGENTS];
    fuzz_piece one, other;
    size_t left_out, left_out_back;
    for (size_t i = 0; i < n; i++)
        back[i] = list[n - 1 - i];
    fed_fold(f, list, n, &left_out, &one);
    fed_fold(f, back, n, &left_out_back, &other);
    if (left_out == 0 && left_out_back == 0) {
        REQUIRE(one.n == other.n && !one.bytes == !other.bytes);
        REQUIRE(!one.bytes || memcmp(one.bytes, other.bytes, one.n) == 0);
    }
    free(one.bytes);
    free(other.bytes);
}

FUZZ_TARGET(round)
{
    fuzz_input in = {data, size};
    const fed_study *f = fed_study_of(fuzz_byte(&in));
    fed_message messages[FED_AGENTS];
    const fed_message *good[FED_AGENTS];
    size_t n = 0;
    for (uint64_t i = 0; i < FED_AGENTS; i++) {
        messages[i].agent = i;
        messages[i].piece = fuzz_spoil(&in, tc_text_get(&f->message[i]), f->message[i].len);
        if (check(f, &messages[i]) == TACIT_OK)
            good[n++] = &messages[i];
    }
    if (f->plan->doc->algorithm->aggregator)
        add_up(f, good, n);
    else
        for (size_t i = 0; i < n; i++)
            hand_on(f, good[i]);
    for (size_t i = 0; i < FED_AGENTS; i++)
        free(messages[i].piece.bytes);
    return 0;
}
