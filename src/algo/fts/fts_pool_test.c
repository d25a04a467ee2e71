/* fts_pool_test.c - message=values: what is sent, and what is heard, against a dense Gaussian written here. */
#include "support/test.h"

#include "algo/fts/pool.h"
#include "algo/history.h"

static const double alike[] = {0.95, 0.6, 0.1};

enum { DIM = 2, ANCHORS = 5, MOST = 24, AGENTS = 4 };

typedef struct fixture {
    tc_space *space;
    tc_history history;
    tc_env env;
    tc_fts_common opts;
    tc_fts_core core;
    tc_fts_pool *pool;
} fixture;

static void start(fixture *f, double lengthscale)
{
    tacit_error err = {0};
    *f = (fixture){.opts = {.kernel = TC_KERNEL_SE, .noise = 0.01, .lengthscale = lengthscale}};
    assert_ok(tc_space_new(&f->space, &err));
    assert_ok(tc_space_add_float(f->space, "a", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(f->space, "b", 0, 1, 0, false, &err));
    assert_ok(tc_history_init(&f->history, f->space, &err));
    f->env = (tc_env){.space = f->space,
                      .history = &f->history,
                      .public_seed = tc_public_seed_from(3),
                      .agents = AGENTS};
    f->core = (tc_fts_core){.env = &f->env, .opts = &f->opts};
    assert_ok(tc_own_new(&f->core.own, &f->env, ANCHORS, &err));
    assert_ok(tc_fts_pool_new(&f->pool, &f->core, &err));
}

static void end(fixture *f)
{
    tc_fts_pool_free(f->pool);
    tc_own_free(f->core.own);
    tc_history_fini(&f->history);
    tc_space_free(f->space);
}

static double truth(const double *u)
{
    return sin(5 * u[0]) + u[1] * u[1];
}

static void observe(fixture *f, size_t n, double noise, uint64_t step)
{
    tacit_error err = {0};
    tc_stream s;
    tc_stream_public(&s, &f->env.public_seed, TC_FOR_RUN, step);
    for (size_t i = 0; i < n; i++) {
        double u[DIM] = {tc_draw_uniform(&s), tc_draw_uniform(&s)};
        assert_ok(tc_history_reserve(&f->history, &err));
        tc_history_observe(&f->history, f->space, u, truth(u) + sqrt(noise) * tc_draw_normal(&s));
        f->history.noise[f->history.n - 1] = noise;
    }
}

static void forget(fixture *f)
{
    f->history.n = 0;
}

/* ---- what is sent ---- */

static void a_message_has_points_values_and_noise(void **state)
{
    (void)state;
    fixture f;
    tacit_error err = {0};
    double numbers[1 + 128 * (DIM + 2)];
    start(&f, 0.3);
    assert_int_equal(tc_fts_pool_width(f.space), sizeof numbers / sizeof *numbers);
    observe(&f, 140, 0.04, 1); /* the last 128 of them */
    assert_ok(tc_fts_pool_write(&f.core, numbers, &err));
    const double *z;
    assert_ok(tc_own_values(f.core.own, &z, &err));
    assert_true(numbers[0] == 128);
    for (size_t i = 0; i < 128; i++) {
        const double *one = numbers + 1 + i * (DIM + 2);
        for (size_t d = 0; d < DIM; d++)
            assert_same_bits(one[d], f.history.U[12 + i + d * f.history.ld]);
        assert_same_bits(one[DIM], z[12 + i]);
        assert_same_bits(one[DIM + 1], tc_own_noise(f.core.own, 12 + i));
        assert_true(one[DIM + 1] > 0);
    }
    end(&f);
}

/* ---- what is heard ---- */

typedef struct pooled {
    size_t n;
    double u[AGENTS * MOST][DIM], z[AGENTS * MOST], noise[AGENTS * MOST];
    size_t who[AGENTS * MOST];
} pooled;

/* Agent `who` says what it knows, which is put into the pool and kept for the slow one. */
static void say(fixture *f, pooled *p, uint64_t who)
{
    tacit_error err = {0};
    double numbers[1 + 128 * (DIM + 2)];
    assert_ok(tc_fts_pool_write(&f->core, numbers, &err));
    assert_ok(tc_fts_pool_put(f->pool, who, numbers, &err));
    for (size_t i = 0; i < f->history.n; i++, p->n++) {
        const double *one = numbers + 1 + i * (DIM + 2);
        memcpy(p->u[p->n], one, sizeof p->u[0]);
        p->z[p->n] = one[DIM];
        p->noise[p->n] = one[DIM + 1];
        p->who[p->n] = who;
    }
}

static double kernel(const double *a, const double *b, double length)
{
    double r2 = 0;
    for (size_t d = 0; d < DIM; d++)
        r2 += pow((a[d] - b[d]) / length, 2);
    return exp(-r2 / 2);
}

/* b = A^-1 b by elimination; returns ln det A. */
static double solve(size_t n, double *A, double *b)
{
    double log_det = 0;
    for (size_t c = 0; c < n; c++) {
        log_det += log(A[c * n + c]);
        for (size_t r = c + 1; r < n; r++) {
            double factor = A[r * n + c] / A[c * n + c];
            for (size_t k = c; k < n; k++)
                A[r * n + k] -= factor * A[c * n + k];
            b[r] -= factor * b[c];
        }
    }
    for (size_t c = n; c-- > 0;) {
        for (size_t k = c + 1; k < n; k++)
            b[c] -= A[c * n + k] * b[k];
        b[c] /= A[c * n + c];
    }
    return log_det;
}

/* alpha = C^-1 z; returns the likelihood but for a constant. */
static double slow_fit(const pooled *p, double length, double rho, double *alpha)
{
    static double A[AGENTS * MOST * AGENTS * MOST];
    double fit = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++) {
            double k = kernel(p->u[i], p->u[j], length);
            A[i * p->n + j] = p->who[i] == p->who[j] ? k + 0.1 : rho * k;
            A[i * p->n + j] += i == j ? 0.01 + p->noise[i] : 0;
        }
    memcpy(alpha, p->z, p->n * sizeof *alpha);
    double log_det = solve(p->n, A, alpha);
    for (size_t i = 0; i < p->n; i++)
        fit += alpha[i] * p->z[i];
    return -(fit + log_det) / 2;
}

static double slow_mean(const pooled *p, double length, double rho, const double *alpha,
                        const double *u)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += rho * kernel(u, p->u[i], length) * alpha[i];
    return sum;
}

static void check_heard(const tc_heard *h, const pooled *p, double length, double rho)
{
    double alpha[AGENTS * MOST], many[40], X[40 * DIM];
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(8);
    slow_fit(p, length, rho, alpha);
    tc_stream_public(&s, &seed, TC_FOR_RUN, 0);
    for (size_t i = 0; i < 40 * DIM; i++)
        X[i] = tc_draw_uniform(&s);
    h->many(h->ctx, 40, X, 40, many);
    for (size_t i = 0; i < 40; i++) {
        double u[DIM] = {X[i], X[i + 40]}, grad[DIM];
        assert_close(many[i], slow_mean(p, length, rho, alpha, u), 1e-8);
        assert_close(h->at(h->ctx, u, NULL), many[i], 1e-9);
        assert_close(h->at(h->ctx, u, grad), many[i], 1e-9);
        for (size_t d = 0; d < DIM; d++) {
            double there[DIM] = {u[0], u[1]}, gap = 1e-5, right, left;
            there[d] = u[d] + gap, right = h->at(h->ctx, there, NULL);
            there[d] = u[d] - gap, left = h->at(h->ctx, there, NULL);
            assert_close(grad[d], (right - left) / (2 * gap), 1e-5);
        }
    }
}

/* With a length-scale that is given, and the rho that suits better. */
static void values_are_heard_as_by_a_dense_gaussian(void **state)
{
    (void)state;
    fixture f;
    tacit_error err = {0};
    static pooled p;
    tc_heard h;
    bool any;
    double alpha[AGENTS * MOST];
    start(&f, 0.35);
    p.n = 0;
    assert_ok(tc_fts_pool_listen(f.pool, &h, &any, &err));
    assert_false(any);
    for (uint64_t who = 1; who < AGENTS; who++) {
        observe(&f, 8 + 5 * who, who == 2 ? 0.5 : 0.01, who);
        say(&f, &p, who);
        forget(&f);
    }
    assert_ok(tc_fts_pool_listen(f.pool, &h, &any, &err));
    assert_true(any && h.error > 0 && h.error < 0.6);
    double best = -INFINITY, rho = 0;
    for (int r = 0; r < 3; r++) {
        double value = slow_fit(&p, 0.35, alike[r], alpha);
        if (value > best)
            best = value, rho = alike[r];
    }
    check_heard(&h, &p, 0.35, rho);
    end(&f);
}

/* Of an open length-scale, the one of the grid that is worth most. */
static void the_length_that_suits_is_found(void **state)
{
    (void)state;
    fixture f;
    tacit_error err = {0};
    static pooled p;
    tc_heard h;
    bool any;
    double alpha[AGENTS * MOST], best = -INFINITY, length = 0, rho = 0;
    start(&f, 0);
    p.n = 0;
    for (uint64_t who = 1; who < AGENTS; who++) {
        observe(&f, 18, 0.02, who);
        say(&f, &p, who);
        forget(&f);
    }
    assert_ok(tc_fts_pool_listen(f.pool, &h, &any, &err));
    for (int j = -2; j <= 2; j++)
        for (int r = 0; r < 3; r++) {
            double l = tc_usual_lengthscale(DIM) * pow(1.6, j), a = alike[r];
            double value = slow_fit(&p, l, a, alpha) - pow(j * log(1.6), 2) / 2;
            if (value > best)
                best = value, length = l, rho = a;
        }
    assert_true(length > tc_usual_lengthscale(DIM)); /* the truth is smoother than usual */
    check_heard(&h, &p, length, rho);
    end(&f);
}

/* An agent with few records counts for little: its noise is in its message. */
static void much_noise_counts_for_little(void **state)
{
    (void)state;
    double off[2];
    for (int told = 0; told < 2; told++) {
        fixture f;
        tacit_error err = {0};
        static pooled p;
        tc_heard h;
        bool any;
        start(&f, 0.35);
        p.n = 0;
        for (uint64_t who = 1; who < 4; who += 2) {
            observe(&f, 20, 0.0001, who);
            say(&f, &p, who);
            forget(&f);
        }
        double before[49], u[DIM];
        assert_ok(tc_fts_pool_listen(f.pool, &h, &any, &err));
        for (size_t i = 0; i < 49; i++) {
            u[0] = (double)(i / 7) / 6, u[1] = (double)(i % 7) / 6;
            before[i] = h.at(h.ctx, u, NULL);
        }
        observe(&f, 20, 1, 2); /* nearly nothing but noise */
        for (size_t i = 0; i < f.history.n; i++)
            f.history.noise[i] = told ? 1 : 1e-6;
        say(&f, &p, 2);
        assert_ok(tc_fts_pool_listen(f.pool, &h, &any, &err));
        off[told] = 0;
        for (size_t i = 0; i < 49; i++) {
            u[0] = (double)(i / 7) / 6, u[1] = (double)(i % 7) / 6;
            off[told] += pow(h.at(h.ctx, u, NULL) - before[i], 2);
        }
        end(&f);
    }
    assert_true(off[1] < off[0] / 2);
}

/* Whatever a message says, it is heard as a function, or not at all. */
static void absurd_messages_are_not_heard(void **state)
{
    (void)state;
    fixture f;
    tacit_error err = {0};
    static const double first[] = {-1, 0, 0.5, 129, 1e300};
    static const struct {
        size_t at;
        double value;
    } bad[] = {{1, -0.1}, {2, 1.1}, {3, 1e7}, {4, -1}, {4, 1e9}, {3, 0}};
    double numbers[1 + 128 * (DIM + 2)];
    tc_heard h;
    bool any;
    start(&f, 0.3);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        memset(numbers, 0, sizeof numbers);
        numbers[0] = first[i], numbers[3] = 1;
        assert_ok(tc_fts_pool_put(f.pool, 1, numbers, &err));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(numbers, 0, sizeof numbers);
        numbers[0] = 1, numbers[3] = 1;
        numbers[bad[i].at] = bad[i].value;
        assert_ok(tc_fts_pool_put(f.pool, 1, numbers, &err));
    }
    assert_ok(tc_fts_pool_put(f.pool, AGENTS, numbers, &err)); /* from nobody */
    assert_ok(tc_fts_pool_listen(f.pool, &h, &any, &err));
    assert_false(any);
    numbers[0] = 1, numbers[3] = 1;
    assert_ok(tc_fts_pool_put(f.pool, 1, numbers, &err));
    assert_ok(tc_fts_pool_listen(f.pool, &h, &any, &err));
    assert_true(any);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_has_points_values_and_noise),
        cmocka_unit_test(values_are_heard_as_by_a_dense_gaussian),
        cmocka_unit_test(the_length_that_suits_is_found),
        cmocka_unit_test(much_noise_counts_for_little),
        cmocka_unit_test(absurd_messages_are_not_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
