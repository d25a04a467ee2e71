/* fn_ucb_net_test.c - the network against loops, its gradients against finite differences. */
#include "support/test.h"

#include "papers/baselines/fn_ucb_net.h"
#include "base/random.h"

enum { N = 7, DIM = 3, WIDTH = 5, P = WIDTH * (DIM + 2) + 1 };

typedef struct world {
    tc_fn_net net;
    double theta[P], centre[P], X[N * (DIM + 1)], y[N], weight[N], H[N * WIDTH], f[N];
} world;

static void begin(world *w, uint64_t seed)
{
    tc_public_seed of = tc_public_seed_from(seed);
    tc_stream s;
    tc_stream_public(&s, &of, TC_FOR_FEATURES, 0);
    w->net = (tc_fn_net){DIM, WIDTH};
    assert_int_equal(tc_fn_net_params(&w->net), P);
    tc_draw_normals(&s, P, w->theta);
    tc_draw_normals(&s, P, w->centre);
    tc_draw_normals(&s, N * DIM, w->X);
    tc_draw_normals(&s, N, w->y);
    for (size_t i = 0; i < N; i++) {
        w->X[i + DIM * N] = 1;
        w->weight[i] = 0.1 * (double)(i + 1);
    }
}

/* Straight from the formula. */
static double value(const world *w, const double *theta, size_t i)
{
    const double *v = theta + WIDTH * (DIM + 1);
    double f = v[WIDTH];
    for (size_t j = 0; j < WIDTH; j++) {
        double h = 0;
        for (size_t d = 0; d <= DIM; d++)
            h += theta[j * (DIM + 1) + d] * w->X[i + d * N];
        f += v[j] * fmax(h, 0) / sqrt(WIDTH);
    }
    return f;
}

static double loss_of(const world *w, const double *theta, double decay)
{
    double twice = 0;
    for (size_t i = 0; i < N; i++)
        twice += w->weight[i] * pow(value(w, theta, i) - w->y[i], 2);
    for (size_t k = 0; k < P; k++)
        twice += decay * pow(theta[k] - w->centre[k], 2);
    return twice / 2;
}

static void test_values(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        begin(&w, seed);
        tc_fn_net_values(&w.net, w.theta, N, w.X, w.H, w.f);
        for (size_t i = 0; i < N; i++)
            assert_close(w.f[i], value(&w, w.theta, i), 1e-13);
    }
}

/* f is linear in one weight at a time, but for kinks: seeds without one nearby. */
static void test_gradients(void **state)
{
    (void)state;
    const double step = 1e-6;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        double G[N * P];
        begin(&w, seed);
        tc_fn_net_gradients(&w.net, w.theta, N, w.X, w.H, G);
        for (size_t k = 0; k < P; k++)
            for (size_t i = 0; i < N; i++) {
                double up[P], down[P];
                memcpy(up, w.theta, sizeof up);
                memcpy(down, w.theta, sizeof down);
                up[k] += step;
                down[k] -= step;
                double slope = (value(&w, up, i) - value(&w, down, i)) / (2 * step);
                assert_close(G[i + k * N], slope, 1e-8);
            }
    }
}

static void test_the_slope_of_the_loss(void **state)
{
    (void)state;
    const double step = 1e-5, decay = 0.3;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        double grad[P];
        begin(&w, seed);
        tc_fn_loss loss = {N, w.X, w.y, w.weight, w.centre, decay};
        double at = tc_fn_net_slope(&w.net, w.theta, &loss, w.H, w.f, grad);
        assert_close(at, loss_of(&w, w.theta, decay), 1e-12);
        for (size_t k = 0; k < P; k++) {
            double up[P], down[P];
            memcpy(up, w.theta, sizeof up);
            memcpy(down, w.theta, sizeof down);
            up[k] += step;
            down[k] -= step;
            double slope = (loss_of(&w, up, decay) - loss_of(&w, down, decay)) / (2 * step);
            assert_close(grad[k], slope, 1e-8);
        }
    }
}

/* A unit at its kink, or dead, has the gradient 0: nothing that is not a number comes of it. */
static void test_dead_units(void **state)
{
    (void)state;
    world w;
    double G[N * P];
    begin(&w, 1);
    for (size_t k = 0; k < DIM + 1; k++)
        w.theta[k] = 0;
    tc_fn_net_gradients(&w.net, w.theta, N, w.X, w.H, G);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < DIM + 1; k++)
            assert_close(G[i + k * N], 0, 0);
        assert_close(G[i + (size_t)(P - 1) * N], 1, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_the_slope_of_the_loss),
        cmocka_unit_test(test_dead_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
