/* fts_peers_test.c - rgpe and taf against the same methods written in the open. */
#include "support/test.h"

#include "support/fts_peers_reference.h"

#include "algo/fts/peers.h"
#include "algo/optimizer_int.h"

/* ---- both, step by step ---- */

static void slow_models(const federation *f, const tc_rff *rff, size_t who, method how,
                        model *models)
{
    for (size_t i = 0; i < N; i++) {
        data d = observations(f, i, i == who ? 100 : INITIAL);
        models[i] = slow_model(rff, &d, SIZE_MAX);
        models[i].here = i == who || !f->member[i]->silent;
        if (i != who && (how == TAF_DRAW || how == TAF_PAIRS))
            slow_draw(&models[i], who, i);
    }
}

/* The next trial of a member: weights as the slow ones, and no open point is better. */
static void check_next(federation *f, size_t who, method how)
{
    tacit_error err = {0};
    tc_optimizer *o = f->member[who]->o;
    const tc_peers *p = o->state;
    tc_ask_request req = {0};
    tc_event e;
    model models[N];
    double weight[N], top = -INFINITY, chosen = NAN;
    data own = observations(f, who, 100);
    tc_rff rff;
    slow_features(&rff);
    slow_models(f, &rff, who, how, models);
    if (how == RGPE)
        slow_rgpe(&rff, models, &own, who, S, weight);
    else
        slow_taf(&rff, models, &own, who, how == TAF_PAIRS, weight);
    assert_ok(tc_optimizer_next(o, &req, &e, &err));
    for (size_t i = 0; i < N; i++)
        assert_close(p->weight[i], weight[i], 1e-9);
    for (size_t c = 0; c < POINTS; c++) {
        double x = (double)c / (POINTS - 1), value;
        bool known = false;
        for (size_t i = 0; i < own.n; i++)
            known |= own.x[i] == x;
        if (known)
            continue;
        value = (how == RGPE ? rgpe_value : taf_value)(&rff, models, weight, who, x);
        top = fmax(top, value);
        chosen = (size_t)e.values[0] == c ? value : chosen;
    }
    assert_close(chosen, top, 1e-7 * top);
    tc_rff_fini(&rff);
}

static double mixed(size_t who, const double *u, size_t dim)
{
    (void)dim;
    return (who == 3 ? -1 : 1) * sin(8 * u[0] + 0.1 * (double)who) +
           (who == 1 ? cos(20 * u[0]) : 0);
}

/* Few values, so that many are equal: such pairs have no order to get wrong. */
static double coarse(size_t who, const double *u, size_t dim)
{
    return round(2 * mixed(who, u, dim)) / 2;
}

static void check_method(method how, double (*objective)(size_t, const double *, size_t))
{
    federation *f = assemble(algorithm_of(how), line(), N, options_of[how]);
    f->objective = objective;
    f->member[2]->silent = true;
    run(f, INITIAL);
    for (size_t i = 0; i < N; i++)
        publish(f, i);
    for (size_t t = 0; t < 6; t++)
        for (size_t i = 0; i < N; i++) {
            settle(f, i);
            check_next(f, i, how);
            run_trial(f, i);
        }
    for (size_t i = 0; i < N; i++) {
        size_t missed = i == 2 ? 0 : 1;
        assert_int_equal(count_events(f->member[i], TC_EVENT_PUBLISH), 1);
        assert_int_equal(count_events(f->member[i], TC_EVENT_FETCH), N - 1 - missed);
        assert_int_equal(count_events(f->member[i], TC_EVENT_MISS), missed);
    }
    disband(f);
}

static void test_rgpe_as_the_slow_one(void **state)
{
    (void)state;
    check_method(RGPE, mixed);
    check_method(RGPE, coarse);
}

/* With 2000 samples on both sides a weight is off by 0.01 or two. 1: compared; 0: they do not agree
 * on who takes part, as happens where a median is next to the limit. */
static size_t compare_with_definition(federation *f, const tc_rff *rff, size_t who)
{
    tacit_error err = {0};
    tc_ask_request req = {0};
    tc_event e;
    model models[N];
    double weight[N];
    data own = observations(f, who, 100);
    const tc_peers *p = f->member[who]->o->state;
    slow_models(f, rff, who, RGPE, models);
    slow_rgpe(rff, models, &own, who, LONG, weight);
    assert_ok(tc_optimizer_next(f->member[who]->o, &req, &e, &err));
    for (size_t i = 0; i < N; i++)
        if ((p->weight[i] < 0) != (weight[i] < 0))
            return 0;
    for (size_t i = 0; i < N; i++)
        assert_close(p->weight[i], weight[i], 0.05);
    return 1;
}

static void test_rgpe_weighs_by_definition(void **state)
{
    (void)state;
    federation *f = assemble(&tc_algorithm_rgpe, line(), N, "{" BASE ", \"samples\": 2000}");
    size_t compared = 0;
    tc_rff rff;
    f->objective = mixed;
    slow_features(&rff);
    run(f, INITIAL);
    for (size_t t = 0; t < 9; t++) {
        run(f, 1);
        for (size_t who = 0; who < N; who++)
            compared += compare_with_definition(f, &rff, who);
    }
    assert_true(compared >= 40);
    tc_rff_fini(&rff);
    disband(f);
}

static void test_taf_as_the_slow_one(void **state)
{
    (void)state;
    check_method(TAF_DRAW, mixed);
    check_method(TAF_MEAN, mixed);
    check_method(TAF_PAIRS, mixed);
}

/* Of agents that want the opposite, rgpe takes next to nothing. */
static double opposed(size_t who, const double *u, size_t dim)
{
    return (who == 2 ? -1 : 1) * waves(0, u, dim);
}

static void test_rgpe_leaves_an_adversary_out(void **state)
{
    (void)state;
    federation *f = assemble(&tc_algorithm_rgpe, line(), N, options_of[RGPE]);
    f->objective = opposed;
    run(f, INITIAL + 8);
    for (size_t i = 0; i < N; i++) {
        const tc_peers *p = f->member[i]->o->state;
        if (i != 2)
            assert_true(p->weight[2] <= 0);
    }
    disband(f);
}

static void test_replay_gives_the_same_bits(void **state)
{
    (void)state;
    for (method how = RGPE; how <= TAF_PAIRS; how++)
        for (int box = 0; box < 2; box++) {
            federation *f =
                assemble(algorithm_of(how), box ? square() : line(), 4, options_of[how]);
            f->member[3]->silent = true;
            run(f, INITIAL + 3);
            for (size_t i = 0; i < 4; i++)
                check_replay(f, i);
            disband(f);
        }
}

static tacit_status apply_fetch(federation *f, uint64_t party, const void *bytes, size_t n,
                                tacit_error *err)
{
    tc_event e = {.kind = TC_EVENT_FETCH, .party = party, .bytes = bytes, .n_bytes = n};
    return tc_optimizer_apply(f->member[0]->o, &e, err);
}

/* Agents of one process hold one copy of what they have all read; check_replay above compares with
 * one that is alone in its process. A draw of taf is each reader's own. */
static void test_what_all_read_is_kept_once(void **state)
{
    (void)state;
    for (method how = RGPE; how <= TAF_MEAN; how++)
        for (int box = 0; box < 2; box++) {
            federation *f =
                assemble(algorithm_of(how), box ? square() : line(), 4, options_of[how]);
            run(f, INITIAL + 2);
            for (size_t party = 0; party < 4; party++) {
                const tc_peers *a = f->member[(party + 1) % 4]->o->state;
                const tc_peers *b = f->member[(party + 2) % 4]->o->state;
                const tc_peers *own = f->member[party]->o->state;
                assert_int_equal(a->peer[party].memory == b->peer[party].memory, how != TAF_DRAW);
                assert_true(a->peer[party].memory != own->peer[party].memory);
            }
            disband(f);
        }
}

/* A reader that is given other numbers has them, and the others keep theirs. */
static void test_other_numbers_are_not_borrowed(void **state)
{
    (void)state;
    tacit_error err = {0};
    federation *f = assemble(&tc_algorithm_rgpe, line(), 3, options_of[RGPE]);
    double numbers[35] = {[0] = 2};
    run(f, INITIAL);
    for (size_t i = 0; i < 3; i++)
        publish(f, i);
    settle(f, 2);
    const tc_peers *other = f->member[2]->o->state, *p = f->member[0]->o->state;
    double mean = other->peer[1].mean[7];
    assert_ok(apply_fetch(f, 1, numbers, sizeof numbers, &err));
    assert_true(p->peer[1].memory != other->peer[1].memory);
    assert_close(p->peer[1].mean[7], 2 * p->core.features->Phi[7 * M], 1e-12);
    assert_same_bits(other->peer[1].mean[7], mean);
    disband(f);
}

static void test_open_trials_are_not_repeated(void **state)
{
    (void)state;
    for (method how = RGPE; how <= TAF_DRAW; how++) {
        federation *f = assemble(algorithm_of(how), line(), 2, options_of[how]);
        run(f, INITIAL + 1);
        settle(f, 0);
        uint64_t a = ask(f->member[0]), b = ask(f->member[0]);
        const tc_optimizer *o = f->member[0]->o;
        assert_true(tc_optimizer_trial(o, a)->values[0] != tc_optimizer_trial(o, b)->values[0]);
        disband(f);
    }
}

static void test_alone_it_never_waits(void **state)
{
    (void)state;
    for (method how = RGPE; how <= TAF_DRAW; how++) {
        federation *f = assemble(algorithm_of(how), line(), 1, options_of[how]);
        for (size_t i = 0; i < 9; i++) {
            assert_int_equal(need_of(f, 0).may, TC_NEED_TRIAL);
            assert_int_equal(need_of(f, 0).must, 0);
            run_trial(f, 0);
        }
        disband(f);
    }
}

/* ---- what is refused ---- */

static void test_refused_messages_change_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    federation *f = assemble(&tc_algorithm_rgpe, line(), 3, options_of[RGPE]);
    run(f, INITIAL);
    for (size_t i = 0; i < 3; i++)
        publish(f, i);
    double numbers[35] = {0};
    assert_fails(apply_fetch(f, 2, numbers, sizeof numbers, &err), TACIT_E_CORRUPT,
                 "is not the message that was asked for");
    assert_fails(apply_fetch(f, 1, numbers, 272, &err), TACIT_E_CORRUPT,
                 "the message of agent 1 in round 0 must have 280 bytes, got 272");
    numbers[34] = INFINITY;
    assert_fails(apply_fetch(f, 1, numbers, sizeof numbers, &err), TACIT_E_CORRUPT,
                 "number 34 of the message of agent 1 in round 0 must be finite, got inf");
    assert_int_equal(need_of(f, 0).party, 1);
    settle(f, 0);
    check_replay(f, 0);
    disband(f);
}

/* Numbers that are finite and no covariance must not break anything. */
static void test_nonsense_that_is_finite_is_survived(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (method how = RGPE; how <= TAF_DRAW; how++) {
        federation *f = assemble(algorithm_of(how), line(), 2, options_of[how]);
        run(f, INITIAL);
        for (size_t i = 0; i < 2; i++)
            publish(f, i);
        double numbers[36];
        for (size_t i = 0; i < 36; i++)
            numbers[i] = i % 2 ? -1e3 : 1e3;
        assert_ok(apply_fetch(f, 1, numbers, how == RGPE ? 280 : 288, &err));
        tc_ask_request req = {0};
        tc_event e;
        assert_ok(tc_optimizer_next(f->member[0]->o, &req, &e, &err));
        disband(f);
    }
}

static void test_options_have_ranges(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    federation f = {.algorithm = &tc_algorithm_rgpe, .space = line(), .agents = 3};
    f.options = "{\"samples\": 0}";
    assert_fails(make(&o, &f, 0, NULL, &err), TACIT_E_ARG, "samples");
    f.algorithm = &tc_algorithm_taf;
    static const char *bad[][2] = {{"{\"rho\": 0}", "rho"},
                                   {"{\"distance\": \"far\"}", "distance"},
                                   {"{\"improvement\": \"no\"}", "improvement"}};
    for (size_t i = 0; i < 3; i++) {
        f.options = bad[i][0];
        assert_fails(make(&o, &f, 0, NULL, &err), TACIT_E_ARG, bad[i][1]);
    }
    f.options = "{}";
    assert_fails(make(&o, &f, 5, NULL, &err), TACIT_E_ARG,
                 "party 5 is not on the roster of 3 agents");
    assert_null(o);
    tc_space_free(f.space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rgpe_as_the_slow_one),
        cmocka_unit_test(test_rgpe_weighs_by_definition),
        cmocka_unit_test(test_taf_as_the_slow_one),
        cmocka_unit_test(test_rgpe_leaves_an_adversary_out),
        cmocka_unit_test(test_replay_gives_the_same_bits),
        cmocka_unit_test(test_what_all_read_is_kept_once),
        cmocka_unit_test(test_other_numbers_are_not_borrowed),
        cmocka_unit_test(test_open_trials_are_not_repeated),
        cmocka_unit_test(test_alone_it_never_waits),
        cmocka_unit_test(test_refused_messages_change_nothing),
        cmocka_unit_test(test_nonsense_that_is_finite_is_survived),
        cmocka_unit_test(test_options_have_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
