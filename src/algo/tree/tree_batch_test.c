/* tree_batch_test.c - trials of many pulls behind the contract of an optimizer: how large they are,
 * who shares a cell, what late and failed ones do, and which journals are refused. */
#include "support/test.h"

#include "algo/batch.h"
#include "algo/optimizer.h"
#include "support/bandit_client.h"
#include "base/json.h"

static tc_optimizer *make(const char *algorithm, const char *options, bool maximize,
                          uint64_t budget)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    tc_optimizer *o = NULL;
    json_t *j = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    assert_ok(tc_json_parse(options, strlen(options), "options", &j, &err));
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(algorithm),
                               .options = j,
                               .space = s,
                               .maximize = maximize,
                               .budget = budget};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    tc_space_free(s);
    json_decref(j);
    return o;
}

static tc_event next(tc_optimizer *o, uint64_t most, int64_t now_ms)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = now_ms, .lease_ms = 10, .pulls = most};
    tc_event e;
    assert_ok(tc_optimizer_next(o, &req, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
    return e;
}

static double point_of(const tc_optimizer *o, uint64_t trial)
{
    return *tc_optimizer_trial(o, trial)->values;
}

/* n pulls of this reward. */
static tc_batch constant(uint64_t n, double reward)
{
    tc_batch b = {0};
    for (uint64_t i = 0; i < n; i++)
        tc_batch_add(&b, tc_reward_of(reward));
    return b;
}

static void tell(tc_optimizer *o, uint64_t trial, tc_batch b)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_tell_batch(o, trial, NULL, &b, 2, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
}

/* A cell is one ask and one tell, in whatever pieces, and the bandit sees what it asked for. */
static void test_pieces(void **state)
{
    (void)state;
    const uint64_t most[] = {1, 2, 7, 1000};
    double end[4];
    for (size_t k = 0; k < 4; k++) {
        tc_optimizer *o = make("blin", "{}", true, 2000);
        bandit_client c = bandit_begin(&tc_bandit_blin, 1, 1, 2000, NULL);
        uint64_t pulls = 0;
        while (pulls < 300) {
            double u;
            tc_event e = next(o, most[k], 0);
            tc_pulls p = bandit_ask(&c);
            c.bandit->point(c.state, p.arm, &u);
            assert_same_bits(point_of(o, e.trial), u);
            assert_int_equal(e.pulls, p.n < most[k] ? p.n : most[k]);
            tc_batch b = constant(e.pulls, 1 - fabs(u - 0.4));
            tell(o, e.trial, b);
            bandit_tell(&c, p.arm, b.n, b.sum);
            pulls += b.n;
        }
        end[k] = tc_optimizer_best(o)->value;
        assert_same_bits(end[k], end[0]);
        bandit_end(&c);
        tc_optimizer_free(o);
    }
}

/* The plan is counted in pulls; beyond it trials are single ones. */
static void test_the_budget(void **state)
{
    (void)state;
    tc_optimizer *o = make("pf-pne", "{\"c\": 1}", true, 50);
    uint64_t total = 0;
    while (total < 50) {
        tc_event e = next(o, 1000, 0);
        assert_true(e.pulls >= 1 && total + e.pulls <= 50);
        total += e.pulls;
        assert_int_equal(tc_optimizer_pulls(o, TC_TRIAL_RUNNING), e.pulls);
        tell(o, e.trial, constant(e.pulls, 0.5));
        assert_int_equal(tc_optimizer_pulls(o, TC_TRIAL_COMPLETE), total);
    }
    assert_true(tc_optimizer_trials(o) < 20);
    assert_int_equal(next(o, 1000, 0).pulls, 1);
    tc_optimizer_free(o);
}

/* Workers share the pulls of a cell at its centre; when all are out, there is one more elsewhere. */
static void test_workers_share_a_cell(void **state)
{
    (void)state;
    tc_optimizer *o = make("blin", "{}", true, 2000);
    uint64_t need = next(o, 1000, 0).pulls;
    tell(o, 0, constant(need, 0.5));
    double centre = point_of(o, next(o, need - 3, 0).trial);
    tc_event rest = next(o, 1000, 0);
    assert_same_bits(point_of(o, rest.trial), centre);
    assert_int_equal(rest.pulls, 3);
    tc_event more = next(o, 1000, 0);
    assert_int_equal(more.pulls, 1);
    assert_true(point_of(o, more.trial) != centre && fabs(point_of(o, more.trial) - centre) < 0.25);
    tell(o, more.trial, constant(1, 0.9));
    tell(o, rest.trial, constant(3, 0.9));
    tell(o, 1, constant(need - 3, 0.9)); /* one more than is needed by now */
    tc_event further = next(o, 1000, 0);
    assert_true(further.pulls > need); /* the batch is over: every cube has had its samples */
    tc_optimizer_free(o);
}

/* How many batches can be out at once; every phase needs more than one pull of a cell. */
static uint64_t ask_phase(tc_optimizer *o)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 0, .lease_ms = 10, .pulls = 4000};
    uint64_t n = 0;
    for (tc_event e;; n++) {
        assert_ok(tc_optimizer_next(o, &req, &e, &err));
        if (e.pulls == 1)
            return n;
        assert_ok(tc_optimizer_apply(o, &e, &err));
    }
}

static void tell_value(tc_optimizer *o, uint64_t trial)
{
    const tc_trial *t = tc_optimizer_trial(o, trial);
    tell(o, trial, constant(t->pulls, 1 - fabs(*t->values - 0.4)));
}

/* Several workers have the cells of a phase, all at once and each in full; in which order they come back
 * makes no difference to what is asked next. */
static void test_workers_share_a_phase(void **state)
{
    (void)state;
    const char *const names[] = {"blin", "pf-pne"}, *const options[] = {"{}", "{\"c\": 1}"};
    for (size_t k = 0; k < 2; k++) {
        tc_optimizer *one = make(names[k], options[k], true, 4000);
        tc_optimizer *many = make(names[k], options[k], true, 4000);
        for (int phase = 0; phase < 3; phase++) {
            uint64_t first = tc_optimizer_trials(many), n = ask_phase(many);
            assert_true(n >= 2);
            for (uint64_t i = first; i < first + n; i++) {
                assert_int_equal(next(one, 4000, 0).pulls, tc_optimizer_trial(many, i)->pulls);
                assert_same_bits(point_of(one, i), point_of(many, i));
                tell_value(one, i);
            }
            for (uint64_t i = first + n; i-- > first;)
                tell_value(many, i);
        }
        tc_optimizer_free(one);
        tc_optimizer_free(many);
    }
}

/* What is too much counts as what was needed, with its mean: bit for bit a batch of the right size. */
static void test_a_batch_that_comes_late(void **state)
{
    (void)state;
    tc_optimizer *late = make("blin", "{}", true, 2000), *right = make("blin", "{}", true, 2000);
    for (int i = 0; i < 2; i++) {
        tc_optimizer *o = i ? right : late;
        uint64_t need = next(o, 1000, 0).pulls;
        assert_int_equal(next(o, 1000, 0).pulls, need); /* the other cube */
        tc_event extra = next(o, 1000, 0);              /* a single pull in the first */
        assert_int_equal(extra.pulls, 1);
        tell(o, extra.trial, constant(1, 0.25));
        tell(o, 0, constant(need - (uint64_t)i, 0.75));
        tell(o, 1, constant(need, 0.5));
    }
    for (int i = 0; i < 5; i++) {
        tc_event a = next(late, 1000, 0), b = next(right, 1000, 0);
        assert_int_equal(a.pulls, b.pulls);
        assert_same_bits(point_of(late, a.trial), point_of(right, b.trial));
        double y = 1 - fabs(point_of(late, a.trial) - 0.3);
        tell(late, a.trial, constant(a.pulls, y));
        tell(right, b.trial, constant(b.pulls, y));
    }
    tc_optimizer_free(late);
    tc_optimizer_free(right);
}

/* A cell whose centre failed is pulled elsewhere, as often as before. */
static void test_a_batch_that_failed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_event e;
    tc_optimizer *o = make("blin", "{}", true, 2000);
    uint64_t need = next(o, 1000, 0).pulls;
    assert_ok(tc_optimizer_fail(o, 0, "no power", 3, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
    assert_int_equal(tc_optimizer_pulls(o, TC_TRIAL_FAIL), 1);
    tc_event again = next(o, 1000, 0);
    assert_int_equal(again.pulls, need);
    assert_true(point_of(o, again.trial) != point_of(o, 0));
    tell(o, again.trial, constant(need, 0.5));
    assert_true(fabs(point_of(o, next(o, 1000, 0).trial) - point_of(o, 0)) >= 0.25);
    tc_optimizer_free(o);
}

/* A lease that ran out: handed on, in the size the next one wants; the first may still tell all. */
static void test_a_stale_batch(void **state)
{
    (void)state;
    tc_optimizer *o = make("blin", "{}", true, 2000);
    uint64_t need = next(o, 1000, 0).pulls;
    const uint64_t most[] = {1000, 5, 0};
    const uint64_t got[] = {need, 5, 1};
    for (int i = 0; i < 3; i++) {
        int64_t now = 100 * (i + 1);
        assert_int_equal(next(o, most[i], now).kind, TC_EVENT_STALE);
        assert_int_equal(tc_optimizer_pulls(o, TC_TRIAL_STALE), need);
        tc_event again = next(o, most[i], now);
        assert_int_equal(again.trial, 0);
        assert_int_equal(again.pulls, got[i]);
    }
    tell(o, 0, constant(need, 0.5));
    assert_int_equal(tc_optimizer_trial(o, 0)->pulls, need);
    tc_optimizer_free(o);
}

/* Rewards and means in the study's own direction and scale. */
static void test_values(void **state)
{
    (void)state;
    tacit_error err = {0};
    int64_t reward;
    tc_optimizer *o = make("blin", "{\"low\": -3, \"high\": 1}", false, 2000);
    const double value[] = {3, 4, -1, -2, 1, 2};
    const double share[] = {0, 0, 1, 1, 0.5, 0.25};
    for (size_t i = 0; i < 6; i++) {
        assert_ok(tc_optimizer_reward(o, value[i], &reward, &err));
        assert_int_equal(reward, tc_reward_of(share[i]));
    }
    assert_fails(tc_optimizer_reward(o, NAN, &reward, &err), TACIT_E_ARG, "finite");
    next(o, 1000, 0);
    tell(o, 0, constant(4, 0.25));
    assert_same_bits(tc_optimizer_trial(o, 0)->value, 2);
    next(o, 1000, 0);
    tell(o, 1, constant(2, 0.75));
    assert_int_equal(tc_optimizer_best(o)->number, 1);
    assert_same_bits(tc_optimizer_best(o)->value, 0); /* not -0 */
    tc_optimizer_free(o);
}

/* A plain value for a batch is one pull of it; a batch is one pull for those that want no more. */
static void test_single_values_and_single_wishes(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_event e;
    tc_optimizer *o = make("blin", "{}", true, 2000), *hct = make("hct", "{}", true, 2000);
    uint64_t need = next(o, 1000, 0).pulls;
    assert_ok(tc_optimizer_tell(o, 0, NULL, 0.5, 2, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
    assert_int_equal(next(o, 1000, 0).pulls, need - 1);
    for (uint64_t t = 0; t < 50; t++) {
        assert_int_equal(next(hct, 1000, 0).pulls, 1);
        tell(hct, t, constant(1, 0.5));
    }
    tc_optimizer_free(o);
    tc_optimizer_free(hct);
}

static void test_refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_event e;
    int64_t reward;
    tc_batch b = constant(1, 0.5);
    tc_optimizer *o = make("blin", "{}", true, 2000), *gp = make("random", "{}", true, 2000);
    assert_int_equal(next(gp, 1000, 0).pulls, 1);
    assert_fails(tc_optimizer_tell_batch(gp, 0, NULL, &b, 0, &e, &err), TACIT_E_UNSUPPORTED,
                 "random takes one value for a trial, not a batch of pulls");
    assert_fails(tc_optimizer_reward(gp, 1, &reward, &err), TACIT_E_UNSUPPORTED, "random");
    assert_fails(tc_optimizer_tell_batch(o, 0, NULL, &b, 0, &e, &err), TACIT_E_NOT_FOUND,
                 "no trial 0");
    next(o, 3, 0);
    b = constant(4, 0.5);
    assert_fails(tc_optimizer_tell_batch(o, 0, NULL, &b, 0, &e, &err), TACIT_E_ARG,
                 "trial 0: pulls must be in 1..3, as many as were asked for, got 4");
    double outside = 2;
    b = constant(3, 0.5);
    assert_fails(tc_optimizer_tell_batch(o, 0, &outside, &b, 0, &e, &err), TACIT_E_ARG, "x");
    tell(o, 0, b);
    assert_fails(tc_optimizer_tell_batch(o, 0, NULL, &b, 0, &e, &err), TACIT_E_STATE,
                 "told already");
    tc_optimizer_free(o);
    tc_optimizer_free(gp);
}

static void refuse(tc_optimizer *o, tc_event e, const char *message)
{
    tacit_error err = {0};
    uint64_t seq = tc_optimizer_seq(o);
    assert_fails(tc_optimizer_apply(o, &e, &err), TACIT_E_CORRUPT, message);
    assert_int_equal(tc_optimizer_seq(o), seq);
}

static void test_corrupt_journals(void **state)
{
    (void)state;
    double x = 0.5;
    tc_optimizer *o = make("blin", "{}", true, 2000), *gp = make("random", "{}", true, 2000);
    tc_event ask = {.kind = TC_EVENT_ASK, .values = &x, .pulls = TC_BATCH_MOST + 1};
    tc_event told = {
        .kind = TC_EVENT_TELL, .state = TC_TRIAL_COMPLETE, .value = 0.5, .batch = constant(5, 0.5)};
    refuse(o, ask, "asks for too many pulls");
    ask.pulls = 2;
    refuse(gp, ask, "is a batch, and this algorithm takes single values");
    next(gp, 1, 0);
    refuse(gp, told, "is a batch, and this algorithm takes single values");
    next(o, 4, 0);
    refuse(o, told, "event 0 (tell, trial 0): pulls must be in 1..4");
    told.batch = (tc_batch){4, -7, 0};
    refuse(o, told, "the sum of 4 rewards");
    next(o, 4, 1000); /* STALE */
    ask.pulls = 5;
    refuse(o, ask, "asks for too many pulls");
    tell(o, 0, constant(4, 0.5));
    tc_optimizer_free(o);
    tc_optimizer_free(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_the_budget),
        cmocka_unit_test(test_workers_share_a_cell),
        cmocka_unit_test(test_workers_share_a_phase),
        cmocka_unit_test(test_a_batch_that_comes_late),
        cmocka_unit_test(test_a_batch_that_failed),
        cmocka_unit_test(test_a_stale_batch),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_single_values_and_single_wishes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_corrupt_journals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
