/* shared_sum_audit_test.c - attacks the sum that trustees add up, with the view of each adversary that a promise names.
 *
 * An agent deals its vector or zeros; all other agents are the adversary's and deal what it knows, here nothing. It has the coordinator, which
 * sees the sums that are opened, and some trustees: their shares of the agent's dealing and of the honest dealers' noise, and the noise that they dealt
 * themselves, which it subtracts. What is left is the vector and the honest dealers' noise: the score is its projection on the vector, and
 * a linear score of all that was seen, shares too, is learned (audit_learn.c). Everything goes through dealings and sums of shares, as
 * in a study. Seeded, so that a verdict never depends on luck. */
#include "privacy/audit_int.h"
#include "privacy/share.h"
#include "privacy/shared_sum.h"

#include "support/test.h"
#include "base/bytes.h"
#include "base/error.h"

#include <math.h>

enum { GROUPS = 2, WIDTH = 4, COUNT = GROUPS * WIDTH, AGENTS = 3, TRUSTEES = 3, GROUP = 1 };
enum { FEATURES = COUNT + 2 * WIDTH };

/* The claim holds at every delta; at this one few runs say much. */
#define DELTA 0.05

typedef struct setting {
    uint32_t trustees; /* that the adversary has */
    uint32_t claimed;  /* what is claimed against so many */
    bool
        twice; /* one trustee more was restored from a backup, and answers for a set without the agent as well */
} setting;

typedef struct attack {
    const setting *setting;
    tc_shared_plan plan;
    tc_shared_scale scale;
    int64_t target[WIDTH];
} attack;

typedef struct view {
    uint64_t sums[TRUSTEES][COUNT];  /* of all trustees */
    uint64_t agent[TRUSTEES][WIDTH]; /* shares of the agent's dealing */
    int64_t known[COUNT];            /* noise of the adversary's own trustees */
} view;

static tacit_status deal(const attack *s, const int64_t *v, size_t n, size_t at, tc_entropy *e,
                         uint64_t shares[][WIDTH], view *o, tacit_error *err)
{
    const tc_trustees *t = &s->plan.trustees;
    uint8_t secret[TC_SHARE_SECRET], dealing[TRUSTEES * 8 * COUNT];
    for (size_t i = 0; i < 4; i++)
        tc_put_le(secret + 8 * i, e->u64(e->ctx), 8);
    tc_share_deal(t, secret, v, n, dealing);
    for (uint32_t k = 0; k < t->count; k++) {
        const uint8_t *share = dealing + tc_share_offset(t, k, n);
        tacit_status status = tc_share_add(t, k, share, n, o->sums[k] + at, err);
        if (status == TACIT_OK && shares)
            status = tc_share_add(t, k, share, n, shares[k], err);
        TC_TRY(status);
    }
    return TACIT_OK;
}

/* The agent deals its vector in world 1, zeros in world 0; then r trustees deal noise. */
static tacit_status play(const attack *s, int world, tc_entropy *e, view *o, tacit_error *err)
{
    static const int64_t zeros[WIDTH];
    memset(o, 0, sizeof *o);
    tacit_status status =
        deal(s, world ? s->target : zeros, WIDTH, (size_t)GROUP * WIDTH, e, o->agent, o, err);
    for (uint32_t k = 0; k < s->plan.trustees.dealers && status == TACIT_OK; k++) {
        int64_t noise[COUNT];
        status = tc_shared_noise(&s->plan, e, noise, err);
        for (size_t i = 0; i < COUNT && k < s->setting->trustees; i++)
            o->known[i] += noise[i];
        if (status == TACIT_OK)
            status = deal(s, noise, COUNT, 0, e, NULL, o, err);
    }
    return status;
}

static bool opened(const attack *s, const view *o, int64_t out[COUNT])
{
    const uint64_t *answers[TRUSTEES];
    for (uint32_t k = 0; k < TRUSTEES; k++)
        answers[k] = o->sums[k];
    return tc_share_open(&s->plan.trustees, answers, COUNT, out).finding == TC_SHARE_CONSISTENT;
}

/* The second set of a trustee that forgot: the same noise, without the agent. */
static bool opened_without(const attack *s, view *o, int64_t out[COUNT])
{
    for (uint32_t k = 0; k < TRUSTEES; k++)
        for (size_t i = 0; i < WIDTH; i++) {
            uint64_t *word = &o->sums[k][(size_t)GROUP * WIDTH + i];
            *word = tc_field_sub(*word, o->agent[k][i]);
        }
    return opened(s, o, out);
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    const attack *s = p;
    int64_t sums[COUNT], without[COUNT] = {0};
    view o;
    TC_TRY(play(s, world, e, &o, err));
    assert_true(opened(s, &o, sums));
    look->score = 0;
    for (size_t i = 0; i < 2 * WIDTH; i++)
        look->x[COUNT + i] = i / WIDTH < s->setting->trustees
                                 ? (double)o.agent[i / WIDTH][i % WIDTH] / (double)TC_FIELD_P
                                 : 0;
    if (s->setting->twice)
        assert_true(opened_without(s, &o, without));
    for (size_t i = 0; i < COUNT; i++) {
        const int64_t seen = s->setting->twice ? sums[i] - without[i] : sums[i] - o.known[i];
        look->x[i] = (double)seen / s->scale.sd;
        if (i / WIDTH == GROUP)
            look->score += look->x[i] * (double)s->target[i % WIDTH];
    }
    return TACIT_OK;
}

static tacit_status prepare(void *p, const void *which, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    attack *s = p;
    (void)e;
    s->setting = which;
    s->plan = (tc_shared_plan){.trustees = tc_trustees_usual(TRUSTEES),
                               .agents = AGENTS,
                               .groups = GROUPS,
                               .width = WIDTH};
    TC_TRY(tc_shared_plan_set(&s->plan, 1, 1, err));
    TC_TRY(tc_shared_plan_scale(&s->plan, &s->scale, err));
    for (size_t i = 0; i < WIDTH; i++)
        s->target[i] = (i % 2 ? -100 : 100) * (int64_t)s->plan.clip;
    tc_clip_l2(s->target, WIDTH, s->plan.clip);
    tacit_dp_event event = s->scale.event;
    event.parameter *= tc_trustees_left(&s->plan.trustees, s->setting->claimed);
    return tc_audit_claim_event(&event, DELTA, claim, err);
}

static tacit_audit_result audit(const setting *s)
{
    const tacit_audit_opts o = {.runs = 10000, .confidence = 0.95, .test_seed = 1};
    const tc_audit_case c = {.name = "shared sum",
                             .attack = "",
                             .features = FEATURES,
                             .state_size = sizeof(attack),
                             .setting = s,
                             .open = prepare,
                             .run = run};
    tacit_error err = {0};
    tacit_audit_result r;
    assert_ok(tc_audit_case_run(&c, &o, 0.01, 0, &r, &err));
    print_message("%u trustees%s: epsilon at least %.3f, claimed against %u: %.3f\n",
                  (unsigned)s->trustees, s->twice ? " and one that answers twice" : "", r.lower,
                  (unsigned)s->claimed, r.epsilon);
    return r;
}

/* Sound, and not by much where the claim is tight: an audit that sees nothing passes everything. */
static void test_what_is_promised_holds(void **state)
{
    (void)state;
    const tacit_audit_result coordinator = audit(&(setting){.trustees = 0, .claimed = 0}),
                             usual = audit(&(setting){.trustees = 1, .claimed = 1}),
                             more = audit(&(setting){.trustees = 2, .claimed = 2});
    assert_true(coordinator.pass && usual.pass && more.pass);
    assert_true(coordinator.lower < usual.lower && usual.lower < more.lower);
    assert_true(usual.lower > 0.7 * usual.epsilon);
    assert_true(more.lower > 0.7 * more.epsilon);
}

/* Controls: more trustees than the claim is about, and a trustee that was restored. */
static void test_what_is_not_promised_is_seen(void **state)
{
    (void)state;
    const tacit_audit_result more = audit(&(setting){.trustees = 2, .claimed = 1}),
                             restored = audit(&(setting){.claimed = 1, .twice = true});
    assert_false(more.pass);
    assert_false(restored.pass);
    assert_true(restored.lower > 2 * restored.epsilon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_promised_holds),
        cmocka_unit_test(test_what_is_not_promised_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
