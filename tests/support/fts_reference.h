/* fts_reference.h - an agent of fts without any cleverness, which goes over a journal and checks every
 * step of it. For the tests of fts, after support/test.h. */
#ifndef TC_SUPPORT_FTS_REFERENCE_H
#define TC_SUPPORT_FTS_REFERENCE_H

#include "support/fts_federation.h"
#include "num/blr.h"

enum { M = 12, INITIAL = 4 };

static const double lambda = 0.01;

#define BASE "\"own\": \"features\", \"features\": 12, \"initial\": 4, \"lengthscale\": 0.15"

static inline federation *fts(tc_space *s, size_t agents, const char *options)
{
    return assemble(&tc_algorithm_fts, s, agents, options);
}

typedef struct slow {
    federation *f;
    size_t who;
    tc_rff features;
    bool out[MOST_MEMBERS]; /* of the urn */
    double x[MOST_EVENTS], y[MOST_EVENTS];
    size_t n, steps;
    uint64_t followed;
} slow;

static inline void slow_features(tc_rff *f)
{
    tacit_error err = {0};
    double scale = 0.15;
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = 1, .variance = 1, .scale = &scale};
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_FEATURES, 0);
    assert_ok(tc_rff_init(f, M, 1, &err));
    tc_rff_draw(f, &h, false, &s);
}

static inline tc_stream stream_of(const slow *a, tc_purpose purpose, uint64_t step)
{
    tc_party_seed seed = tc_party_seed_from(4);
    tc_stream s;
    tc_stream_party(&s, &seed, a->who, purpose, step);
    return s;
}

/* L L' = A, row by row. */
static inline void slow_cholesky(double A[M][M])
{
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= A[i][k] * A[j][k];
            A[i][j] = i == j ? sqrt(sum) : sum / A[j][j];
        }
}

static inline void slow_back(double L[M][M], double *x) /* x = L^-T x */
{
    for (size_t i = M; i-- > 0;) {
        for (size_t k = i + 1; k < M; k++)
            x[i] -= L[k][i] * x[k];
        x[i] /= L[i][i];
    }
}

static inline void slow_forward(double L[M][M], double *x)
{
    for (size_t i = 0; i < M; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i][k] * x[k];
        x[i] /= L[i][i];
    }
}

/* The normals of a draw: an empty model has nu = 0 and L = sqrt(lambda) I. */
static inline void slow_normals(tc_stream s, double *e)
{
    tacit_error err = {0};
    tc_blr *empty = NULL;
    assert_ok(tc_blr_new(&empty, M, lambda, &err));
    tc_blr_sample(empty, &s, e);
    tc_blr_free(empty);
}

/* nu + sqrt(lambda) L^-T e, of the first n observations. */
static inline void slow_draw(const slow *a, tc_stream s, double *omega)
{
    double S[M][M] = {{0}}, nu[M] = {0}, phi[M], e[M];
    for (size_t i = 0; i < M; i++)
        S[i][i] = lambda;
    for (size_t k = 0; k < a->n; k++) {
        tc_rff_at(&a->features, &a->x[k], phi);
        for (size_t i = 0; i < M; i++) {
            nu[i] += phi[i] * a->y[k];
            for (size_t j = 0; j < M; j++)
                S[i][j] += phi[i] * phi[j];
        }
    }
    slow_cholesky(S);
    slow_forward(S, nu);
    slow_back(S, nu);
    slow_normals(s, e);
    slow_back(S, e);
    for (size_t i = 0; i < M; i++)
        omega[i] = nu[i] + sqrt(lambda) * e[i];
}

static inline bool slow_known(const slow *a, double x)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->x[i] == x)
            return true;
    return false;
}

static inline size_t slow_argmax(const slow *a, const double *omega)
{
    double top = -INFINITY;
    size_t best = 0;
    for (size_t c = 0; c < POINTS; c++) {
        double u = (double)c / (POINTS - 1), phi[M], y = 0;
        tc_rff_at(&a->features, &u, phi);
        for (size_t i = 0; i < M; i++)
            y += phi[i] * omega[i];
        if (y > top && !slow_known(a, u)) {
            top = y;
            best = c;
        }
    }
    return best;
}

static inline double slow_follow(uint64_t t)
{
    return 1 / sqrt(t == 1 ? 2 : (double)t);
}

/* The k-th agent that is neither itself nor out; agents: there is none. */
static inline uint64_t slow_choose(slow *a, tc_stream s)
{
    uint64_t list[MOST_MEMBERS], n = 0;
    for (size_t i = 0; i < a->f->agents; i++)
        if (i != a->who && !a->out[i])
            list[n++] = i;
    return n > 0 ? list[tc_draw_below(&s, n)] : a->f->agents;
}

static inline double double_at(const uint8_t *b)
{
    double x;
    memcpy(&x, b, sizeof x); /* tests run where the host is little-endian */
    return x;
}

/* The decision for the trial that event `at` leads to; returns the event that asks for it. */
static inline size_t slow_iteration(slow *a, size_t at)
{
    const member *m = a->f->member[a->who];
    uint64_t trial = a->n, t = trial - INITIAL + 1, choice = 1;
    tc_stream coin = stream_of(a, TC_FOR_COIN, trial);
    double omega[M];
    slow_draw(a, stream_of(a, TC_FOR_DRAW, trial), omega);
    if (tc_draw_uniform(&coin) < slow_follow(t))
        for (;; at++, choice++) {
            uint64_t who = slow_choose(a, stream_of(a, TC_FOR_COIN, trial | choice << 40));
            if (who == a->f->agents)
                break;
            const tc_event *e = &m->events[at];
            assert_int_equal(e->party, who);
            assert_int_equal(e->round, 0);
            a->out[who] = true;
            if (e->kind == TC_EVENT_MISS)
                continue;
            assert_int_equal(e->kind, TC_EVENT_FETCH);
            for (size_t i = 0; i < M; i++)
                omega[i] = double_at(a->f->member[who]->sent + TC_FTS_HEADER + 8 * i);
            a->followed++;
            at++;
            break;
        }
    assert_int_equal(m->events[at].kind, TC_EVENT_ASK);
    assert_int_equal(m->events[at].values[0], slow_argmax(a, omega));
    return at;
}

/* Checks all iterations of a one-shot, uniform member; returns how many followed somebody. */
static inline uint64_t check_slowly(federation *f, size_t who)
{
    const member *m = f->member[who];
    slow *a = tc_alloc(1, sizeof *a);
    assert_non_null(a);
    a->f = f;
    a->who = who;
    slow_features(&a->features);
    for (size_t i = 0; i < m->n; i++) {
        if (m->events[i].kind == TC_EVENT_PUBLISH)
            continue;
        if (a->n >= INITIAL)
            i = slow_iteration(a, i);
        assert_int_equal(m->events[i].kind, TC_EVENT_ASK);
        a->x[a->n] = m->events[i].values[0] / (POINTS - 1);
        a->y[a->n++] = m->events[++i].value;
    }
    uint64_t followed = a->followed;
    tc_rff_fini(&a->features);
    tc_free(a);
    return followed;
}

#endif
