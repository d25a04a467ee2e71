/* fts_peers_box_test.c - the search of rgpe and taf for a point of a box. */
#include "support/test.h"

#include "support/fts_peers_reference.h"

#include "algo/fts/peers.h"
#include "algo/optimizer_int.h"

/* The acquisition at a point of the box, as the last ask left its weights. */
static double value_at(tc_peers *p, const double *u)
{
    tc_rff_at(&p->core.features->rff, u, p->phi);
    for (size_t k = 0; k < p->n_active; k++) {
        const tc_peer *q = &p->peer[p->active[k]];
        if (!q->memory) { /* its own process */
            tc_own_value v = tc_own_at(p->core.own, u, NULL, NULL);
            p->mean[k] = v.mean;
            p->var[k] = v.variance;
            continue;
        }
        p->mean[k] = tc_peer_mean(q, M, p->phi);
        p->var[k] = tc_peer_variance(p, q, p->phi, p->Sphi);
    }
    return p->kind->value(p, p->mean, p->var, NULL, NULL);
}

/* The best of the points that were asked already, which is not asked for again. */
static double best_known(tc_peers *p)
{
    const tc_history *h = p->core.env->history;
    double best = -INFINITY;
    for (size_t i = 0; i < h->n; i++)
        best = fmax(best, value_at(p, (double[]){h->U[i], h->U[i + h->ld]}));
    return best;
}

/* No step of 1e-3 along an axis makes the point that is asked for better, unless the summit above
 * it is known. */
static void check_stationary(federation *f, size_t who)
{
    tacit_error err = {0};
    tc_ask_request req = {0};
    tc_event e;
    settle(f, who);
    assert_ok(tc_optimizer_next(f->member[who]->o, &req, &e, &err));
    tc_peers *p = f->member[who]->o->state;
    double here = fmax(value_at(p, e.values), best_known(p));
    for (size_t k = 0; k < 4; k++) {
        double u[2] = {e.values[0], e.values[1]};
        u[k / 2] = fmin(fmax(u[k / 2] + (k % 2 ? 1e-3 : -1e-3), 0), 1);
        assert_true(value_at(p, u) <= here + 1e-12);
    }
}

static void test_gradients_are_those_of_differences(void **state)
{
    (void)state;
    for (method how = RGPE; how <= TAF_MEAN; how++) {
        federation *f = assemble(algorithm_of(how), square(), 3, options_of[how]);
        run(f, INITIAL + 4);
        for (size_t i = 0; i < 27; i++) {
            tc_peers *p = f->member[i % 3]->o->state;
            double u[2] = {0.05 + 0.1 * (double)(i / 3), 0.93 - 0.11 * (double)(i / 3)}, grad[2];
            assert_close(tc_peers_score(p, u, grad), value_at(p, u), 1e-12);
            for (size_t d = 0; d < 2; d++) {
                double high[2] = {u[0], u[1]}, low[2] = {u[0], u[1]};
                high[d] += 1e-5;
                low[d] -= 1e-5;
                double slope = (value_at(p, high) - value_at(p, low)) / 2e-5;
                assert_close(grad[d], slope, 1e-6 * (1 + fabs(slope)));
            }
        }
        disband(f);
    }
}

/* With an own process among the models, and a trial that runs. */
static void test_gradients_beside_an_own_process(void **state)
{
    static const char options[] = "{\"features\": 7, \"initial\": 5, \"lengthscale\": 0.2}";
    (void)state;
    for (method how = RGPE; how <= TAF_DRAW; how++) {
        federation *f = assemble(algorithm_of(how), square(), 3, options);
        tacit_error err = {0};
        bool mixed = false;
        run(f, INITIAL + 4);
        for (size_t i = 0; i < 27; i++) {
            tc_peers *p = f->member[i % 3]->o->state;
            double u[2] = {0.05 + 0.1 * (double)(i / 3), 0.93 - 0.11 * (double)(i / 3)}, grad[2];
            if (i / 3 == 4)
                ask(f->member[i % 3]);
            assert_ok(tc_own_open(p->core.own, &err));
            assert_close(tc_peers_score(p, u, grad), value_at(p, u), 1e-12);
            for (size_t d = 0; d < 2; d++) {
                double high[2] = {u[0], u[1]}, low[2] = {u[0], u[1]};
                high[d] += 1e-5;
                low[d] -= 1e-5;
                double slope = (value_at(p, high) - value_at(p, low)) / 2e-5;
                assert_close(grad[d], slope, 1e-4 * (1 + fabs(slope)));
            }
            tc_own_close(p->core.own);
            for (size_t k = 0; k < p->n_active; k++)
                mixed |= p->n_active > 1 && p->active[k] == i % 3;
        }
        assert_true(mixed);
        disband(f);
    }
}

static double uphill(size_t who, const double *u, size_t dim)
{
    (void)who;
    (void)dim;
    return u[0] + 2 * u[1];
}

/* Where all want the same corner, every ascent ends there, and it is asked for once. */
static void test_a_summit_is_asked_for_once(void **state)
{
    (void)state;
    static const char smooth[] =
        "{\"own\": \"features\", \"features\": 20, \"initial\": 5, \"lengthscale\": 2}";
    for (method how = RGPE; how <= TAF_DRAW; how++) {
        federation *f = assemble(algorithm_of(how), square(), 2, smooth);
        size_t at_corner = 0;
        f->objective = uphill;
        run(f, INITIAL + 3);
        settle(f, 0);
        for (size_t i = 0; i < 4; i++)
            ask(f->member[0]);
        const tc_optimizer *o = f->member[0]->o;
        for (size_t i = 0; i < tc_optimizer_trials(o); i++) {
            const double *a = tc_optimizer_trial(o, i)->values;
            at_corner += a[0] == 1 && a[1] == 1;
            for (size_t j = 0; j < i; j++) {
                const double *b = tc_optimizer_trial(o, j)->values;
                assert_true(a[0] != b[0] || a[1] != b[1]);
            }
        }
        assert_int_equal(at_corner, 1);
        disband(f);
    }
}

/* Otherwise what lies between them is never looked at. */
static void test_each_trial_looks_at_other_points(void **state)
{
    (void)state;
    federation *f = assemble(&tc_algorithm_rgpe, square(), 2, options_of[RGPE]);
    run(f, INITIAL + 1);
    settle(f, 0);
    const tc_peers *p = f->member[0]->o->state;
    double before[2 * 512];
    size_t same = 0;
    ask(f->member[0]);
    memcpy(before, p->X, sizeof before);
    ask(f->member[0]);
    for (size_t i = 0; i < 512; i++)
        same += before[2 * i] == p->X[2 * i] && before[2 * i + 1] == p->X[2 * i + 1];
    assert_true(same < 10); /* an ascent may end where one ended before */
    disband(f);
}

static void test_points_of_a_box_are_stationary(void **state)
{
    (void)state;
    for (method how = RGPE; how <= TAF_MEAN; how++) {
        federation *f = assemble(algorithm_of(how), square(), 3, options_of[how]);
        run(f, INITIAL);
        for (size_t i = 0; i < 3; i++)
            publish(f, i);
        for (size_t t = 0; t < 4; t++)
            for (size_t i = 0; i < 3; i++) {
                check_stationary(f, i);
                run_trial(f, i);
            }
        disband(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_those_of_differences),
        cmocka_unit_test(test_gradients_beside_an_own_process),
        cmocka_unit_test(test_points_of_a_box_are_stationary),
        cmocka_unit_test(test_a_summit_is_asked_for_once),
        cmocka_unit_test(test_each_trial_looks_at_other_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
