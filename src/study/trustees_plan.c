/* trustees_plan.c - see trustees_plan.h.
 *
 * What is said of absent trustees and of wrong answers is said apart: every trustee that is absent is an answer less to check
 * the others with (privacy/trustees.h), so no two of these hold in full at once. */
#include "study/trustees_plan.h"

#include "base/error.h"
#include "wire/trust_answer.h"
#include "wire/trust_roster.h"
#include "wire/trust_set.h"

#include <inttypes.h>
#include <math.h>

/* ---- rounds ---- */

static tacit_status check_round(uint64_t round, tacit_error *err)
{
    if (round < TC_ROSTER_MOST_ROUNDS)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "federation.trustees: rounds must be below %d, for trustees make a key for each "
                   "beforehand, and this study has round %" PRIu64,
                   (int)TC_ROSTER_MOST_ROUNDS, round);
}

tacit_status tc_trustees_largest_round(const tc_algorithm *a, const tc_env *env, const void *opts,
                                       tc_shared_plan *out, tacit_error *err)
{
    const tc_aggregator_ops *ops = a->aggregator;
    const uint64_t end = env->budget > 0 ? env->budget : TC_NO_ROUND; /* as in study_plan.c */
    uint64_t round;
    *out = (tc_shared_plan){.agents = 0};
    TC_TRY(ops->next_round(env, opts, 0, &round, err));
    while (round < end) {
        tc_shared_plan p;
        TC_TRY(check_round(round, err));
        TC_TRY(ops->shared(env, opts, round, &p, err));
        if (p.groups * p.width > out->groups * out->width)
            *out = p;
        TC_TRY(ops->next_round(env, opts, round + 1, &round, err));
    }
    return TACIT_OK;
}

/* ---- bytes ---- */

/* The last trustee has shares as words, and not as seeds. */
tc_round_bytes tc_trustees_bytes(const tc_shared_plan *p)
{
    const tc_trustees *t = &p->trustees;
    const uint64_t N = p->agents, K = t->count, r = t->dealers;
    const size_t all = p->groups * p->width;
    const uint64_t set = tc_trust_set_size(p->agents, t->dealers),
                   answer = tc_trust_answer_size(all), noise = tc_dealing_size(t, all);
    tc_round_bytes b = {.agent_sends = tc_dealing_size(t, p->width),
                        .agent_gets = 8 * all,
                        .trustee_sends = noise + answer};
    b.coordinator_gets = N * b.agent_sends + K * b.trustee_sends;
    b.coordinator_sends = N * b.agent_gets;
    for (uint32_t k = 0; k < t->count; k++) {
        const uint64_t boxes =
            N * tc_dealing_box_size(t, k, p->width) + r * tc_dealing_box_size(t, k, all);
        b.coordinator_sends += set + boxes;
        b.trustee_gets = set + boxes > b.trustee_gets ? set + boxes : b.trustee_gets;
    }
    return b;
}

/* ---- words ---- */

static void add_wrong(uint32_t n, tc_text *out)
{
    if (n == 0)
        tc_text_add(out, "no wrong answer is");
    else
        tc_text_addf(out, "up to %u wrong answer%s", (unsigned)n, n == 1 ? " is" : "s are");
}

static void add_absent(const tc_trustees *t, tc_text *out)
{
    const uint32_t absent = tc_trustees_absent(t), noticed = tc_trustees_noticed(t, t->count),
                   named = tc_trustees_named(t, t->count);
    if (absent == 0)
        tc_text_add(out, " None of them may be absent.");
    else {
        tc_text_addf(out, " %u of them may be absent in a round; then ", (unsigned)absent);
        add_wrong(tc_trustees_noticed(t, t->count - absent), out);
        tc_text_add(out, " noticed.");
    }
    if (noticed == 0) {
        tc_text_add(out, " A wrong answer is not noticed, even if all answer.");
        return;
    }
    tc_text_add(out, " If all answer, ");
    add_wrong(noticed, out);
    tc_text_add(out, " noticed, and of these ");
    if (named > 0)
        tc_text_addf(out, "up to %u can be named.", (unsigned)named);
    else
        tc_text_add(out, "none can be named.");
}

static void add_bytes(const tc_shared_plan *p, tc_text *out)
{
    const tc_round_bytes b = tc_trustees_bytes(p);
    tc_text_addf(out,
                 " In the largest round, before their envelope: an agent sends %" PRIu64
                 " bytes and gets %" PRIu64 "; a trustee sends %" PRIu64 " and gets up to %" PRIu64
                 "; the coordinator gets %" PRIu64 " and sends %" PRIu64
                 ". Each round has three exchanges more with each trustee: its noise, its shares, "
                 "its answer.",
                 b.agent_sends, b.agent_gets, b.trustee_sends, b.trustee_gets, b.coordinator_gets,
                 b.coordinator_sends);
}

void tc_trustees_describe(const tc_trustees *t, const tc_shared_plan *p, tc_text *out)
{
    tc_text_addf(out,
                 "%u trustees add up what agents send and deal the noise: any %u answers open a "
                 "sum, %u trustee%s may collude with the coordinator, and the noise of %u is in "
                 "every sum: %.3g times (sd) what a trusted coordinator adds.",
                 (unsigned)t->count, (unsigned)t->degree + 1, (unsigned)t->colluding,
                 t->colluding == 1 ? "" : "s", (unsigned)t->dealers, tc_trustees_spread(t));
    add_absent(t, out);
    if (p->agents > 0)
        add_bytes(p, out);
}

static json_t *bytes_json(const tc_shared_plan *p)
{
    const tc_round_bytes b = tc_trustees_bytes(p);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "agent_sends", (json_int_t)b.agent_sends,
                     "agent_gets", (json_int_t)b.agent_gets, "trustee_sends",
                     (json_int_t)b.trustee_sends, "trustee_gets", (json_int_t)b.trustee_gets,
                     "coordinator_sends", (json_int_t)b.coordinator_sends, "coordinator_gets",
                     (json_int_t)b.coordinator_gets);
}

json_t *tc_trustees_json(const tc_trustees *t, const tc_shared_plan *p)
{
    json_t *j =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "count", (json_int_t)t->count,
                  "degree", (json_int_t)t->degree, "colluding", (json_int_t)t->colluding, "dealers",
                  (json_int_t)t->dealers, "absent", (json_int_t)tc_trustees_absent(t), "noticed",
                  (json_int_t)tc_trustees_noticed(t, t->count), "named",
                  (json_int_t)tc_trustees_named(t, t->count), "noise", tc_trustees_spread(t));
    if (j && p->agents > 0 && json_object_set_new(j, "bytes", bytes_json(p)) != 0) {
        json_decref(j);
        return NULL;
    }
    return j;
}
