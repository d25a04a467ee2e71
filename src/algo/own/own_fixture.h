/* own_fixture.h - an agent's own model on a grid, a box or a mixed space, functions that it may hear, and its history;
 * for the tests of this folder, which include support/test.h first. */
#ifndef TC_ALGO_OWN_OWN_FIXTURE_H
#define TC_ALGO_OWN_OWN_FIXTURE_H

#include "algo/history.h"
#include "algo/own/own_int.h"

enum { MOST = 40, SIDE = 9, POINTS = SIDE * SIDE, DIM = 2 };

typedef enum kind { GRID, BOX, MIXED } kind;

typedef struct fixture {
    kind kind;
    tc_space *space;
    tc_history history;
    tc_env env;
    size_t anchors;
    bool noisy;             /* values carry noise on purpose, each with another variance */
    size_t known;           /* values that a slow model has its units from; 0: all */
    double variance, noise; /* of set_hyper */
    tc_own *own;
} fixture;

static inline tc_space *make_space(kind k)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    if (k == GRID) {
        tc_domain *d = NULL;
        size_t sides[] = {SIDE, SIDE};
        assert_ok(tc_domain_grid(&d, DIM, sides, (double[]){0, 0}, (double[]){1, 1}, &err));
        assert_ok(tc_space_from_domain(&s, d, &err));
        return s;
    }
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "a", 0, 1, 0, false, &err));
    if (k == BOX) {
        assert_ok(tc_space_add_float(s, "b", 0, 1, 0, false, &err));
        return s;
    }
    static const char *const names[] = {"red", "green", "blue"};
    assert_ok(tc_space_add_int(s, "layers", 1, 8, 1, false, &err));
    assert_ok(tc_space_add_float(s, "rate", 1e-5, 1, 0, true, &err));
    assert_ok(tc_space_add_choice(s, "colour", 3, names, &err));
    return s;
}

static inline void start(fixture *f, kind k, size_t anchors, uint64_t seed)
{
    tacit_error err = {0};
    *f = (fixture){.kind = k, .anchors = anchors, .space = make_space(k)};
    assert_ok(tc_history_init(&f->history, f->space, &err));
    f->env = (tc_env){.space = f->space,
                      .history = &f->history,
                      .public_seed = tc_public_seed_from(3),
                      .party_seed = tc_party_seed_from(seed),
                      .party = 1,
                      .agents = 5};
    assert_ok(tc_own_new(&f->own, &f->env, anchors, &err));
}

static inline void end(fixture *f)
{
    tc_own_free(f->own);
    tc_history_fini(&f->history);
    tc_space_free(f->space);
}

static inline tc_stream stream_of(uint64_t number)
{
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, number);
    return s;
}

/* ---- functions ---- */

/* A function of the encoded space: one peak, at (0.75, 0.25), and something wavy. */
static inline double truth(const double *u)
{
    return 2 * exp(-8 * (pow(u[0] - 0.75, 2) + pow(u[1] - 0.25, 2))) + 0.2 * sin(5 * u[0]);
}

static inline double truth_heard(const void *ctx, const double *u, double *grad)
{
    const double *how = ctx; /* factor, level */
    double bump = 2 * exp(-8 * (pow(u[0] - 0.75, 2) + pow(u[1] - 0.25, 2)));
    if (grad) {
        grad[0] = how[0] * (-16 * (u[0] - 0.75) * bump + cos(5 * u[0]));
        grad[1] = how[0] * -16 * (u[1] - 0.25) * bump;
    }
    return how[0] * truth(u) + how[1];
}

/* Waves that say nothing about the truth; ctx: where they begin. */
static inline double waves_heard(const void *ctx, const double *u, double *grad)
{
    const double *phase = ctx;
    double at = 7 * u[0] - 5 * u[1] + phase[0], other = 4 * u[0] + 9 * u[1] + phase[1];
    if (grad) {
        grad[0] = 7 * cos(at) + 4 * cos(other);
        grad[1] = -5 * cos(at) + 9 * cos(other);
    }
    return sin(at) + sin(other);
}

typedef double (*heard_at)(const void *ctx, const double *u, double *grad);

static inline void many(heard_at at, const void *ctx, size_t m, const double *X, size_t ldx,
                        double *out)
{
    for (size_t i = 0; i < m; i++) {
        double u[DIM] = {X[i], X[i + ldx]};
        out[i] = at(ctx, u, NULL);
    }
}

static inline void truth_many(const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    many(truth_heard, ctx, m, X, ldx, out);
}

static inline void waves_many(const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    many(waves_heard, ctx, m, X, ldx, out);
}

static inline tc_heard hears_truth(const double *how, double error)
{
    return (tc_heard){.many = truth_many, .at = truth_heard, .ctx = how, .error = error};
}

static inline tc_heard hears_waves(const double *phase, double error)
{
    return (tc_heard){.many = waves_many, .at = waves_heard, .ctx = phase, .error = error};
}

/* ---- the history ---- */

static inline void add(fixture *f, const double *values, double y)
{
    tacit_error err = {0};
    assert_ok(tc_history_reserve(&f->history, &err));
    tc_history_observe(&f->history, f->space, values, y);
    const size_t i = f->history.n - 1;
    f->history.noise[i] = f->noisy ? 0.02 * (double)(1 + i % 3) : 0;
}

static inline void take(fixture *f, const double *values)
{
    tacit_error err = {0};
    assert_ok(tc_history_reserve(&f->history, &err));
    tc_history_take(&f->history, f->space, values);
}

static inline void random_values(const fixture *f, tc_stream *s, double *values)
{
    values[0] = f->kind == GRID ? (double)tc_draw_below(s, POINTS) : tc_draw_uniform(s);
    values[1] = f->kind == BOX ? tc_draw_uniform(s) : 0;
}

static inline void encoded(const fixture *f, size_t i, double *u)
{
    for (size_t d = 0; d < DIM; d++)
        u[d] = f->history.U[i + d * f->history.ld];
}

static inline void observe_random(fixture *f, size_t n, tc_stream *s)
{
    for (size_t i = 0; i < n; i++) {
        double values[DIM], u[DIM];
        random_values(f, s, values);
        tc_space_encode(f->space, values, u);
        add(f, values, truth(u) + 0.05 * tc_draw_normal(s));
    }
}

static inline void ask(fixture *f, double *values)
{
    tacit_error err = {0};
    assert_ok(tc_own_ask(f->own, f->history.n + f->history.n_taken, values, &err));
}

static inline void fit(fixture *f)
{
    tacit_error err = {0};
    tc_text text = {0};
    if (tc_own_fit_due(f->own)) {
        assert_ok(tc_own_fit(f->own, &text, &err));
        assert_ok(tc_own_fitted(f->own, tc_text_get(&text), &err));
    }
    tc_text_fini(&text);
}

/* Asks, and tells the truth. */
static inline void step(fixture *f, double *values)
{
    double u[8];
    fit(f);
    ask(f, values);
    tc_space_encode(f->space, values, u);
    add(f, values, truth(u));
}

static inline double best_of(const fixture *f)
{
    double best = -INFINITY;
    for (size_t i = 0; i < f->history.n; i++)
        best = fmax(best, f->history.y[i]);
    return best;
}

/* By the mean and the standard deviation of the first n values, less the noise that they carry; returns the latter. */
static inline double slow_standardise(const fixture *f, size_t n, double *z)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += f->history.y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += pow(f->history.y[i] - mean, 2) / (double)n;
    double noise = 0, least = f->noisy ? square * fmin(1, sqrt(2 / (double)n)) : 0;
    for (size_t i = 0; i < n; i++)
        noise += f->history.noise[i] / (double)n;
    square = fmax(square - noise, least);
    for (size_t i = 0; i < f->history.n; i++)
        z[i] = (f->history.y[i] - mean) / sqrt(square);
    return sqrt(square);
}

/* ---- hyper-parameters that are told, not fitted ---- */

static inline const double *told_scales(void)
{
    static const double scales[DIM] = {0.4, 0.25};
    return scales;
}

static inline void tell_hyper(fixture *f, double variance, double noise)
{
    tacit_error err = {0};
    char text[160];
    f->variance = variance;
    f->noise = noise;
    snprintf(text, sizeof text, "{\"n\":%zu,\"scale\":[%g,%g],\"variance\":%g,\"noise\":%g}",
             f->history.n, told_scales()[0], told_scales()[1], variance, noise);
    assert_ok(tc_own_fitted(f->own, text, &err));
}

static inline void set_hyper(fixture *f)
{
    tell_hyper(f, 0.9, 0.003);
}

static inline void start_with(fixture *f, kind k, size_t n, uint64_t number)
{
    tc_stream stream = stream_of(number);
    start(f, k, n, 1);
    observe_random(f, n, &stream);
    fit(f);
}

#endif
