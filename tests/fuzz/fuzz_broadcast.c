/* fuzz_broadcast.c - any bytes as what an agent hears: the broadcast of a round, or the message of
 * another agent that a relay handed on.
 *
 * The first byte chooses the algorithm. The genuine broadcast is spoiled or replaced; an agent that
 * absorbs it must go on to ask for points of its space. */
#include "federations.h"

/* What a relay hands on of a message. */
static fuzz_piece handed_on(const fed_study *f, uint64_t party)
{
    const tc_text *m = &f->message[party % FED_AGENTS];
    tc_release *r = NULL;
    REQUIRE(f->plan->doc->algorithm->relay->release(&f->plan->env, f->plan->opts, f->round,
                                                    party % FED_AGENTS, tc_text_get(m), m->len, &r,
                                                    NULL) == TACIT_OK);
    return fed_encode(r);
}

static void absorb(fuzz_input *in, const fed_study *f, tc_optimizer *o, const tc_need *need)
{
    tc_event e;
    fuzz_piece m = fuzz_spoil(in, f->broadcast.bytes, f->broadcast.n);
    if (tc_optimizer_absorb(o, need->round, m.bytes, m.n, 0, &e, NULL) != TACIT_OK ||
        tc_optimizer_apply(o, &e, NULL) != TACIT_OK)
        fed_apply(o, tc_optimizer_skip(o, need->round, "refused", 0, &e, NULL), &e);
    free(m.bytes);
}

static void fetch(fuzz_input *in, const fed_study *f, tc_optimizer *o, const tc_need *need)
{
    tc_event e;
    fuzz_piece genuine = handed_on(f, need->party);
    fuzz_piece m = fuzz_spoil(in, genuine.bytes, genuine.n);
    if (tc_optimizer_fetch(o, need->round, need->party, m.bytes, m.n, 0, &e, NULL) != TACIT_OK ||
        tc_optimizer_apply(o, &e, NULL) != TACIT_OK)
        fed_apply(o, tc_optimizer_miss(o, need->round, need->party, "refused", 0, &e, NULL), &e);
    free(m.bytes);
    free(genuine.bytes);
}

static void check_points(const tc_optimizer *o)
{
    for (uint64_t t = 0; t < tc_optimizer_trials(o); t++)
        REQUIRE(tc_space_check(tc_optimizer_space(o), tc_optimizer_trial(o, t)->values, NULL) ==
                TACIT_OK);
}

FUZZ_TARGET(broadcast)
{
    fuzz_input in = {data, size};
    const fed_study *f = fed_study_of(fuzz_byte(&in));
    tc_optimizer *o = fed_agent(f->plan, 1);
    uint64_t round;
    REQUIRE(fed_publish(o, 1, &round, NULL));
    for (int steps = 0; steps < 8; steps++) {
        tc_need need;
        REQUIRE(tc_optimizer_need(o, &need, NULL) == TACIT_OK);
        if (need.must & TC_NEED_ABSORB)
            absorb(&in, f, o, &need);
        else if (need.must & TC_NEED_FETCH)
            fetch(&in, f, o, &need);
        else if (need.may & TC_NEED_TRIAL)
            fed_trial(o, 1);
        else
            (void)fed_publish(o, 1, &round, NULL);
    }
    check_points(o);
    tc_optimizer_free(o);
    return 0;
}
