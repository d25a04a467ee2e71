/* own_test.c - the agent's own model against dense Gaussians written here: weights, means, variances, incumbents,
 * the chosen point; and what must not matter: units, noise that claims to be knowledge, crashes. */
#include "support/test.h"

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
    tc_own *own;
} fixture;

static tc_space *make_space(kind k)
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

static void start(fixture *f, kind k, size_t anchors, uint64_t seed)
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

static void end(fixture *f)
{
    tc_own_free(f->own);
    tc_history_fini(&f->history);
    tc_space_free(f->space);
}

static tc_stream stream_of(uint64_t number)
{
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, number);
    return s;
}

/* ---- functions ---- */

/* Of the encoded space: one peak, at (0.75, 0.25), and something wavy. */
static double truth(const double *u)
{
    return 2 * exp(-8 * (pow(u[0] - 0.75, 2) + pow(u[1] - 0.25, 2))) + 0.2 * sin(5 * u[0]);
}

static double truth_heard(const void *ctx, const double *u, double *grad)
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
static double waves_heard(const void *ctx, const double *u, double *grad)
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

static void many(heard_at at, const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    for (size_t i = 0; i < m; i++) {
        double u[DIM] = {X[i], X[i + ldx]};
        out[i] = at(ctx, u, NULL);
    }
}

static void truth_many(const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    many(truth_heard, ctx, m, X, ldx, out);
}

static void waves_many(const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    many(waves_heard, ctx, m, X, ldx, out);
}

static tc_heard hears_truth(const double *how, double error)
{
    return (tc_heard){.many = truth_many, .at = truth_heard, .ctx = how, .error = error};
}

static tc_heard hears_waves(const double *phase, double error)
{
    return (tc_heard){.many = waves_many, .at = waves_heard, .ctx = phase, .error = error};
}

/* ---- the history ---- */

static void add(fixture *f, const double *values, double y)
{
    tacit_error err = {0};
    assert_ok(tc_history_reserve(&f->history, &err));
    tc_history_observe(&f->history, f->space, values, y);
}

static void take(fixture *f, const double *values)
{
    tacit_error err = {0};
    assert_ok(tc_history_reserve(&f->history, &err));
    tc_history_take(&f->history, f->space, values);
}

static void random_values(const fixture *f, tc_stream *s, double *values)
{
    values[0] = f->kind == GRID ? (double)tc_draw_below(s, POINTS) : tc_draw_uniform(s);
    values[1] = f->kind == BOX ? tc_draw_uniform(s) : 0;
}

static void encoded(const fixture *f, size_t i, double *u)
{
    for (size_t d = 0; d < DIM; d++)
        u[d] = f->history.U[i + d * f->history.ld];
}

static void observe_random(fixture *f, size_t n, tc_stream *s)
{
    for (size_t i = 0; i < n; i++) {
        double values[DIM], u[DIM];
        random_values(f, s, values);
        tc_space_encode(f->space, values, u);
        add(f, values, truth(u) + 0.05 * tc_draw_normal(s));
    }
}

static void ask(fixture *f, double *values)
{
    tacit_error err = {0};
    assert_ok(tc_own_ask(f->own, f->history.n + f->history.n_taken, values, &err));
}

static void fit(fixture *f)
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
static void step(fixture *f, double *values)
{
    double u[8];
    fit(f);
    ask(f, values);
    tc_space_encode(f->space, values, u);
    add(f, values, truth(u));
}

static double best_of(const fixture *f)
{
    double best = -INFINITY;
    for (size_t i = 0; i < f->history.n; i++)
        best = fmax(best, f->history.y[i]);
    return best;
}

/* ---- the slow, obvious way ---- */

typedef struct slow_model {
    const fixture *f;
    double scale[DIM], variance, noise; /* of g */
    double slope;                       /* prior variance of a; 0: nothing was heard */
    tc_heard heard;
    double z[MOST];
    long double alpha[MOST], inverse[MOST][MOST]; /* of cov(y) */
    double log_likelihood, best;
} slow_model;

static double slow_heard(const slow_model *m, const double *u)
{
    return m->slope > 0 ? m->heard.at(m->heard.ctx, u, NULL) : 0;
}

static double slow_covariance(const slow_model *m, const double *a, const double *b)
{
    double r2 = 0;
    for (size_t d = 0; d < DIM; d++)
        r2 += pow((a[d] - b[d]) / m->scale[d], 2);
    double r = sqrt(5 * r2), g = m->variance * (1 + r + r * r / 3) * exp(-r);
    return g + 1 + m->slope * slow_heard(m, a) * slow_heard(m, b);
}

/* Gauss-Jordan; returns ln det. */
static long double invert(size_t n, long double A[MOST][MOST], long double out[MOST][MOST])
{
    long double log_det = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[i][j] = i == j;
    for (size_t c = 0; c < n; c++) {
        long double pivot = A[c][c];
        log_det += logl(pivot);
        for (size_t j = 0; j < n; j++) {
            A[c][j] /= pivot;
            out[c][j] /= pivot;
        }
        for (size_t r = 0; r < n; r++) {
            long double factor = r == c ? 0 : A[r][c];
            for (size_t j = 0; j < n; j++) {
                A[r][j] -= factor * A[c][j];
                out[r][j] -= factor * out[c][j];
            }
        }
    }
    return log_det;
}

static void slow_predict(const slow_model *m, const double *u, double *mean, double *var)
{
    const size_t n = m->f->history.n;
    long double k[MOST], mu = slow_heard(m, u), v = slow_covariance(m, u, u);
    for (size_t i = 0; i < n; i++) {
        double x[DIM];
        encoded(m->f, i, x);
        k[i] = slow_covariance(m, u, x);
        mu += k[i] * m->alpha[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            v -= k[i] * m->inverse[i][j] * k[j];
    *mean = (double)mu;
    *var = (double)v;
}

/* By the mean and the standard deviation of the first values. */
static void slow_standardise(const fixture *f, double *z)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < f->anchors; i++)
        mean += f->history.y[i] / (double)f->anchors;
    for (size_t i = 0; i < f->anchors; i++)
        square += pow(f->history.y[i] - mean, 2) / (double)f->anchors;
    for (size_t i = 0; i < f->history.n; i++)
        z[i] = (f->history.y[i] - mean) / sqrt(square);
}

static void slow_fit(slow_model *m)
{
    const size_t n = m->f->history.n;
    long double A[MOST][MOST], rest[MOST], square = 0;
    assert_true(n <= MOST);
    slow_standardise(m->f, m->z);
    for (size_t i = 0; i < n; i++) {
        double a[DIM], b[DIM];
        encoded(m->f, i, a);
        rest[i] = m->z[i] - slow_heard(m, a);
        for (size_t j = 0; j < n; j++) {
            encoded(m->f, j, b);
            A[i][j] = slow_covariance(m, a, b) + (i == j ? m->noise : 0);
        }
    }
    long double log_det = invert(n, A, m->inverse);
    for (size_t i = 0; i < n; i++) {
        m->alpha[i] = 0;
        for (size_t j = 0; j < n; j++)
            m->alpha[i] += m->inverse[i][j] * rest[j];
        square += rest[i] * m->alpha[i];
    }
    m->log_likelihood = (double)(-(square + log_det) / 2);
    m->best = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double x[DIM], mean, var;
        encoded(m->f, i, x);
        slow_predict(m, x, &mean, &var);
        m->best = fmax(m->best, mean);
    }
}

typedef struct slow {
    size_t n;
    slow_model member[TC_OWN_MODELS];
    double weight[TC_OWN_MODELS];
} slow;

static const double scales[DIM] = {0.4, 0.25}, variance = 0.9, noise = 0.003;
static const char *const hyper = "\"scale\":[0.4,0.25],\"variance\":0.9,\"noise\":0.003}";

static slow_model slow_new(const fixture *f, const tc_heard *h, bool hears, double rho)
{
    slow_model m = {.f = f,
                    .scale = {scales[0], scales[1]},
                    .variance = variance * rho,
                    .noise = noise,
                    .slope = hears ? 0.25 : 0};
    if (h)
        m.heard = *h;
    slow_fit(&m);
    return m;
}

/* h: what was heard, or NULL. */
static void slow_all(slow *out, const fixture *f, const tc_heard *h)
{
    double prior[] = {h ? 0.5 : 1, 0.25, 0.25}, sum = 0, rho = h ? 0.25 + h->error : 1;
    double evidence[TC_OWN_MODELS], top = -INFINITY;
    out->n = !h ? 1 : rho >= 1 ? 2 : 3;
    if (out->n == 2)
        prior[TC_OWN_HEARD] = 0.5;
    for (size_t k = 0; k < out->n; k++) {
        out->member[k] = slow_new(f, h, k != TC_OWN_ALONE, k == TC_OWN_TRUSTED ? rho : 1);
        evidence[k] = out->member[k].log_likelihood;
    }
    if (out->n == 3) /* alone has the variance that suits it better */
        evidence[0] = fmax(evidence[0], slow_new(f, h, false, rho).log_likelihood);
    for (size_t k = 0; k < out->n; k++)
        top = fmax(top, evidence[k]);
    for (size_t k = 0; k < out->n; k++)
        sum += out->weight[k] = prior[k] * exp(evidence[k] - top);
    double left = 0;
    for (size_t k = 0; k < out->n; k++) /* what is worth less is left out */
        left += out->weight[k] = out->weight[k] < 1e-6 * sum ? 0 : out->weight[k];
    for (size_t k = 0; k < out->n; k++)
        out->weight[k] /= left;
}

/* all: the same where running trials have returned, for variances; or o itself. */
static double slow_score(const slow *o, const slow *all, const double *u)
{
    double sum = 0;
    for (size_t k = 0; k < o->n; k++) {
        double mean, var, unused;
        slow_predict(&o->member[k], u, &mean, &unused);
        slow_predict(&all->member[k], u, &unused, &var);
        double sd = sqrt(fmax(var, 1e-24)), t = (mean - o->member[k].best) / sd;
        double density = exp(-t * t / 2) / sqrt(2 * acos(-1)), below = erfc(-t / sqrt(2)) / 2;
        sum += o->weight[k] * sd * (t * below + density);
    }
    return log(sum);
}

/* ---- against it ---- */

static void set_hyper(fixture *f)
{
    tacit_error err = {0};
    char text[128];
    snprintf(text, sizeof text, "{\"n\":%zu,%s", f->history.n, hyper);
    assert_ok(tc_own_fitted(f->own, text, &err));
}

static void assert_members_agree(const fixture *f, const slow *s)
{
    for (size_t k = 0; k < TC_OWN_MODELS; k++)
        assert_close(tc_own_weight(f->own, (int)k), k < s->n ? s->weight[k] : 0, 1e-8);
    for (size_t k = 0; k < s->n; k++)
        if (s->weight[k] > 0)
            assert_close(f->own->member[k].best, s->member[k].best, 1e-8);
}

static void candidate(size_t j, double *u)
{
    u[0] = (double)(j / SIDE) / (SIDE - 1);
    u[1] = (double)(j % SIDE) / (SIDE - 1);
}

static void assert_candidates_agree(const fixture *f, const slow *s, const slow *all)
{
    for (size_t j = 0; j < POINTS; j++)
        for (size_t k = 0; k < s->n; k++) {
            const tc_own_member *m = &f->own->member[k];
            double from[TC_OWN_COLUMNS_ALL], u[DIM], mean, var, unused;
            if (m->weight == 0)
                continue;
            for (size_t c = 0; c < m->view->columns; c++)
                from[c] = m->view->from[c * m->view->stride + j];
            candidate(j, u);
            slow_predict(&s->member[k], u, &mean, &unused);
            slow_predict(&all->member[k], u, &unused, &var);
            tc_trend_point x = tc_own_point(m, from, slow_heard(&s->member[k], u),
                                            tc_fgp_variance(m->view->model.fgp)[j]);
            tc_trend_value v = tc_trend_at(&m->trend, &x);
            assert_close(v.mean, mean, 1e-8);
            assert_close(v.variance, var, 1e-8);
        }
}

static size_t slow_best(const slow *s, const unsigned char *closed)
{
    double top = -INFINITY, u[DIM];
    size_t best = POINTS;
    for (size_t j = 0; j < POINTS; j++) {
        candidate(j, u);
        double score = slow_score(s, s, u);
        if (closed[j] || score <= top)
            continue;
        top = score;
        best = j;
    }
    return best;
}

/* Nothing heard, the truth, or waves; with an error of 0.1, or of 0.8: then `trusted` is `heard`. */
static const tc_heard *choose_heard(uint64_t number, tc_heard *h)
{
    static const double how[] = {0.9, -0.3}, phase[] = {0.4, 2};
    const double error = number / 3 % 2 == 0 ? 0.1 : 0.8;
    *h = number % 3 == 1 ? hears_truth(how, error) : hears_waves(phase, error);
    return number % 3 == 0 ? NULL : h;
}

static void candidates_are_those_of_dense_gaussians(void **state)
{
    static slow s;
    (void)state;
    for (uint64_t number = 0; number < 48; number++) {
        fixture f;
        tc_heard h;
        tc_stream stream = stream_of(number);
        const unsigned char open[POINTS] = {0};
        double values[1];
        start(&f, GRID, 3 + number % 4, 1);
        observe_random(&f, f.anchors + number % 7, &stream);
        set_hyper(&f);
        observe_random(&f, number % 3, &stream); /* after the fit: appended */
        const tc_heard *heard = choose_heard(number, &h);
        if (heard)
            tc_own_hear(f.own, heard);
        ask(&f, values);
        slow_all(&s, &f, heard);
        assert_members_agree(&f, &s);
        assert_candidates_agree(&f, &s, &s);
        assert_int_equal(values[0], slow_best(&s, open));
        end(&f);
    }
}

/* More observations than candidates: rows are merged, and nothing changes. */
static void repeated_candidates_count_as_often(void **state)
{
    static slow s;
    fixture f;
    static const double how[] = {0.9, -0.3};
    tc_heard h = hears_truth(how, 0.1);
    tc_stream stream = stream_of(77);
    double values[1];
    (void)state;
    start(&f, GRID, 4, 1);
    for (size_t i = 0; i < MOST; i++) {
        double u[DIM], at[] = {(double)(i % 4 * 17)};
        candidate(i % 4 * 17, u);
        add(&f, at, truth(u) + 0.05 * tc_draw_normal(&stream));
    }
    set_hyper(&f);
    tc_own_hear(f.own, &h);
    ask(&f, values);
    slow_all(&s, &f, &h);
    assert_members_agree(&f, &s);
    const double few = tc_own_weight(f.own, TC_OWN_ALONE);
    for (size_t i = 0; i < 40; i++) { /* now rows are merged: 80 of 4 candidates */
        double u[DIM], at[] = {(double)(i % 4 * 17)};
        candidate(i % 4 * 17, u);
        add(&f, at, truth(u));
    }
    ask(&f, values);
    assert_true(f.own->wide.model.rows.n < 80);
    assert_true(tc_own_weight(f.own, TC_OWN_ALONE) <= few + 1e-3);
    assert_close(tc_own_weight(f.own, 0) + tc_own_weight(f.own, 1) + tc_own_weight(f.own, 2), 1,
                 1e-12);
    end(&f);
}

static void a_box_is_that_of_dense_gaussians(void **state)
{
    static slow s;
    tacit_error err = {0};
    (void)state;
    for (uint64_t number = 0; number < 24; number++) {
        fixture f;
        tc_heard h;
        tc_stream stream = stream_of(100 + number);
        double values[DIM], top = -INFINITY;
        start(&f, BOX, 3 + number % 4, 1);
        observe_random(&f, f.anchors + number % 7, &stream);
        set_hyper(&f);
        observe_random(&f, number % 3, &stream);
        const tc_heard *heard = choose_heard(number, &h);
        if (heard)
            tc_own_hear(f.own, heard);
        ask(&f, values);
        slow_all(&s, &f, heard);
        assert_members_agree(&f, &s);
        for (int i = 0; i < 100; i++) {
            double u[DIM] = {tc_draw_uniform(&stream), tc_draw_uniform(&stream)}, grad[DIM], fast;
            double slow_one = slow_score(&s, &s, u), one = tc_own_score(f.own, 0, u, grad);
            top = fmax(top, slow_one);
            if (slow_one < -25) /* erfc of the slow one has lost its digits */
                continue;
            assert_close(one, slow_one, 1e-5);
            assert_ok(tc_own_score_many(f.own, 1, u, 1, &fast, &err));
            assert_close(fast, one, 1e-9);
            for (size_t d = 0; d < DIM; d++) {
                const double was = u[d], gap = 1e-6;
                u[d] = was + gap;
                double right = tc_own_score(f.own, 0, u, NULL);
                u[d] = was - gap;
                double left = tc_own_score(f.own, 0, u, NULL);
                u[d] = was;
                double slope = (right - left) / (2 * gap);
                assert_close(grad[d], slope, 1e-4 * (1 + fabs(slope)));
            }
        }
        assert_true(slow_score(&s, &s, values) >= top - 1e-6);
        end(&f);
    }
}

/* ---- trials that run ---- */

/* Means are those of the observations, variances those of all: as if what runs had returned. */
static void running_trials_are_believed_to_return_their_means(void **state)
{
    static slow s, all;
    tacit_error err = {0};
    (void)state;
    for (uint64_t number = 0; number < 24; number++) {
        fixture f, later;
        tc_heard h;
        tc_stream stream = stream_of(250 + number), again = stream;
        const kind k = number % 2 ? GRID : BOX;
        double values[DIM], u[DIM];
        start(&f, k, 5, 1);
        start(&later, k, 5, 1);
        observe_random(&f, 7, &stream);
        observe_random(&later, 7, &again);
        set_hyper(&f);
        const tc_heard *heard = choose_heard(number / 2, &h);
        if (heard)
            tc_own_hear(f.own, heard);
        for (size_t i = 0; i < 1 + number % 4; i++) {
            random_values(&f, &stream, values);
            take(&f, values);
            add(&later, values, 0);
        }
        slow_all(&s, &f, heard);
        slow_all(&all, &later, heard);
        for (size_t m = 0; m < s.n; m++) /* what runs is expected to be as good as its mean */
            for (size_t i = f.history.n; i < later.history.n; i++) {
                double mean, var;
                encoded(&later, i, u);
                slow_predict(&s.member[m], u, &mean, &var);
                s.member[m].best = fmax(s.member[m].best, mean);
            }
        ask(&f, values);
        assert_ok(tc_own_sync(f.own, &err));
        tc_own_mix(f.own);
        assert_members_agree(&f, &s);
        if (k == GRID)
            assert_candidates_agree(&f, &s, &all);
        for (int i = 0; i < 40 && k == BOX; i++) {
            double grad[DIM], fast;
            random_values(&f, &stream, u);
            double slow_one = slow_score(&s, &all, u), one = tc_own_score(f.own, 0, u, grad);
            assert_ok(tc_own_score_many(f.own, 1, u, 1, &fast, &err));
            assert_close(fast, one, 1e-9);
            if (slow_one > -25)
                assert_close(one, slow_one, 1e-5);
        }
        tc_own_view_forget(&f.own->wide);
        tc_own_view_forget(&f.own->narrow);
        end(&f);
        end(&later);
    }
}

static void running_trials_spread(void **state)
{
    static const double how[] = {0.9, -0.3};
    (void)state;
    for (int k = GRID; k <= BOX; k++)
        for (int informed = 0; informed < 2; informed++) {
            fixture f;
            tc_heard h = hears_truth(how, 0.1);
            tc_stream stream = stream_of(200);
            double asked[6][DIM], u[6][DIM], again[DIM], widest = 0;
            start(&f, (kind)k, 5, 1);
            observe_random(&f, 8, &stream);
            set_hyper(&f);
            if (informed)
                tc_own_hear(f.own, &h);
            for (size_t i = 0; i < 6; i++) {
                ask(&f, asked[i]);
                tc_space_encode(f.space, asked[i], u[i]);
                for (size_t j = 0; j < i; j++) {
                    double gap = hypot(u[i][0] - u[j][0], u[i][1] - u[j][1]);
                    assert_true(gap > 5e-4);
                    widest = fmax(widest, gap);
                }
                take(&f, asked[i]);
            }
            assert_true(widest > 0.05);
            while (f.history.n_taken > 0)
                tc_history_untake(&f.history, 0);
            ask(&f, again); /* nothing of it is left */
            assert_memory_equal(again, asked[0], f.space->n_params * sizeof *again);
            end(&f);
        }
}

/* ---- what hearing does ---- */

static void start_with(fixture *f, kind k, size_t n, uint64_t number)
{
    tc_stream stream = stream_of(number);
    start(f, k, n, 1);
    observe_random(f, n, &stream);
    fit(f);
}

static void a_right_function_is_trusted(void **state)
{
    /* in the agent's units: level and scale are about those of the anchors */
    static const double how[] = {2, -0.8};
    (void)state;
    for (int k = GRID; k <= BOX; k++)
        for (uint64_t number = 0; number < 5; number++) {
            fixture f;
            tc_heard h = hears_truth(how, 0);
            double values[DIM], u[DIM];
            start_with(&f, (kind)k, 8, 300 + number);
            tc_own_hear(f.own, &h);
            ask(&f, values);
            tc_space_encode(f.space, values, u);
            assert_true(tc_own_weight(f.own, TC_OWN_ALONE) < 0.1);
            assert_true(hypot(u[0] - 0.75, u[1] - 0.25) < 0.15);
            end(&f);
        }
}

static void another_function_is_not(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 10; number++) {
        fixture f;
        const double phase[] = {(double)number, 2.7 * (double)number};
        tc_heard h = hears_waves(phase, 0);
        double values[DIM];
        start_with(&f, BOX, 15, 400 + number);
        tc_own_hear(f.own, &h);
        ask(&f, values);
        assert_true(tc_own_weight(f.own, TC_OWN_ALONE) > 0.8);
        assert_true(tc_own_weight(f.own, TC_OWN_TRUSTED) < 0.01);
        end(&f);
    }
}

/* Waves that claim to be exact cost little: means of the best values over seeds, paired. */
static void noise_that_claims_to_be_exact_costs_little(void **state)
{
    enum { SEEDS = 30, ANCHORS = 5, QUERIES = 12 };
    double alone = 0, misled = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int hears = 0; hears < 2; hears++) {
            fixture f;
            const double phase[] = {1.3 * (double)seed, 0.7 * (double)seed};
            tc_heard h = hears_waves(phase, 0);
            double values[DIM];
            start(&f, BOX, ANCHORS, seed);
            if (hears)
                tc_own_hear(f.own, &h);
            for (size_t i = 0; i < ANCHORS + QUERIES; i++)
                step(&f, values);
            *(hears ? &misled : &alone) += best_of(&f) / SEEDS;
            end(&f);
        }
    assert_true(alone > 1.8); /* it does optimise */
    assert_true(misled > alone - 0.02);
}

static void what_is_heard_is_replaced_and_forgotten(void **state)
{
    static const double how[] = {2, -0.8}, phase[] = {1, 2};
    (void)state;
    for (int k = GRID; k <= BOX; k++) {
        fixture f, fresh;
        tc_heard right = hears_truth(how, 0.2), wrong = hears_waves(phase, 0);
        double values[DIM], expected[DIM], alone[DIM];
        start_with(&f, (kind)k, 8, 500);
        start_with(&fresh, (kind)k, 8, 500);
        ask(&f, alone);
        tc_own_hear(f.own, &wrong);
        ask(&f, values);
        tc_own_hear(f.own, &right);
        ask(&f, values);
        tc_own_hear(fresh.own, &right);
        ask(&fresh, expected);
        for (int m = 0; m < TC_OWN_MODELS; m++)
            assert_same_bits(tc_own_weight(f.own, m), tc_own_weight(fresh.own, m));
        assert_memory_equal(values, expected, f.space->n_params * sizeof *values);
        tc_own_forget(f.own);
        ask(&f, values);
        assert_memory_equal(values, alone, f.space->n_params * sizeof *values);
        assert_same_bits(tc_own_weight(f.own, TC_OWN_ALONE), 1);
        end(&f);
        end(&fresh);
    }
}

/* One that has lived through fits, asks and another function has the bits of one that is told all of it at once. */
static void the_past_leaves_no_trace(void **state)
{
    static const double how[] = {2, -0.8}, phase[] = {1, 2};
    (void)state;
    for (int k = GRID; k <= BOX; k++) {
        fixture f, fresh;
        tacit_error err = {0};
        tc_heard right = hears_truth(how, 0.2), wrong = hears_waves(phase, 0.5);
        double values[DIM] = {0}, expected[DIM] = {0};
        tc_text last = {0};
        start(&f, (kind)k, 5, 1);
        start(&fresh, (kind)k, 5, 1);
        tc_own_hear(f.own, &wrong);
        for (size_t i = 0; i < 30; i++) {
            double u[DIM];
            if (i == 12)
                tc_own_hear(f.own, &right);
            if (tc_own_fit_due(f.own)) {
                tc_text_fini(&last);
                last = (tc_text){0};
                assert_ok(tc_own_fit(f.own, &last, &err));
                assert_ok(tc_own_fitted(f.own, tc_text_get(&last), &err));
            }
            ask(&f, values);
            tc_space_encode(f.space, values, u);
            add(&f, values, truth(u));
            add(&fresh, values, truth(u));
        }
        assert_ok(tc_own_fitted(fresh.own, tc_text_get(&last), &err));
        tc_own_hear(fresh.own, &right);
        ask(&f, values);
        ask(&fresh, expected);
        assert_memory_equal(values, expected, f.space->n_params * sizeof *values);
        for (int m = 0; m < TC_OWN_MODELS; m++)
            assert_same_bits(tc_own_weight(f.own, m), tc_own_weight(fresh.own, m));
        tc_text_fini(&last);
        end(&f);
        end(&fresh);
    }
}

/* A hostile function of any size: weights are numbers, and points are those of an agent alone. */
static void a_huge_function_is_not_believed(void **state)
{
    static double how[] = {0, 0};
    (void)state;
    for (int k = GRID; k <= BOX; k++)
        for (double size = 1e5; size < 1e19; size *= 100) {
            fixture f;
            tc_heard h = hears_truth(how, 0);
            double values[DIM];
            how[0] = -size;
            how[1] = size / 3;
            start_with(&f, (kind)k, 10, 600);
            tc_own_hear(f.own, &h);
            ask(&f, values);
            assert_true(isfinite(values[0]));
            assert_true(tc_own_weight(f.own, TC_OWN_ALONE) > 0.98);
            end(&f);
        }
}

/* ---- units ---- */

/* Multiples of 2^-20 below 4: 1024 y - 512 is exact. */
static double coarse(const double *u)
{
    return floor(truth(u) * 0x1p20) * 0x1p-20;
}

static void play(kind k, size_t anchors, double factor, double shift, bool informed, size_t queries,
                 double out[][DIM])
{
    static const double how[] = {2, -0.8};
    fixture f;
    tc_heard h = hears_truth(how, 0.2);
    start(&f, k, anchors, 9);
    if (informed)
        tc_own_hear(f.own, &h);
    for (size_t i = 0; i < anchors + queries; i++) {
        double u[DIM];
        fit(&f);
        ask(&f, out[i]);
        tc_space_encode(f.space, out[i], u);
        add(&f, out[i], factor * coarse(u) + shift);
    }
    end(&f);
}

static void exact_units_give_the_same_bits(void **state)
{
    (void)state;
    for (int k = GRID; k <= BOX; k++)
        for (size_t anchors = 1; anchors < 7; anchors += 2)
            for (int informed = 0; informed < 2; informed++) {
                double plain[16][DIM] = {{0}}, other[16][DIM] = {{0}};
                play((kind)k, anchors, 1, 0, informed, 8, plain);
                play((kind)k, anchors, 1024, -512, informed, 8, other);
                assert_memory_equal(plain, other, sizeof plain);
            }
}

static void units_give_the_same_candidates(void **state)
{
    (void)state;
    for (int informed = 0; informed < 2; informed++) {
        double plain[16][DIM] = {{0}}, other[16][DIM] = {{0}};
        play(GRID, 5, 1, 0, informed, 8, plain);
        play(GRID, 5, 1000, -500, informed, 8, other);
        assert_memory_equal(plain, other, sizeof plain);
    }
}

/* ---- anchors ---- */

static const double *values_of(fixture *f)
{
    tacit_error err = {0};
    const double *z;
    assert_ok(tc_own_values(f->own, &z, &err));
    return z;
}

static void values_are_in_units_of_the_anchors(void **state)
{
    fixture f;
    double z[MOST];
    (void)state;
    start_with(&f, BOX, 6, 700);
    tc_stream stream = stream_of(701);
    observe_random(&f, 9, &stream);
    slow_standardise(&f, z);
    for (size_t i = 0; i < f.history.n; i++)
        assert_close(values_of(&f)[i], z[i], 1e-12);
    end(&f);
}

/* Anchors that do not differ say nothing of a scale. What comes later has one. */
static void equal_anchors_have_no_scale(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double levels[] = {0, 0.1, -7, 1e30};
    for (size_t l = 0; l < 4; l++)
        for (int k = GRID; k <= BOX; k++) {
            fixture f;
            tc_stream stream = stream_of(800);
            double values[DIM];
            start(&f, (kind)k, 10, 1);
            for (size_t i = 0; i < 10; i++) {
                random_values(&f, &stream, values);
                add(&f, values, levels[l]);
            }
            fit(&f);
            ask(&f, values);
            for (size_t i = 0; i < 3; i++) {
                random_values(&f, &stream, values);
                add(&f, values, levels[l] + (levels[l] == 0 ? 1 : fabs(levels[l])) * (double)i);
                fit(&f);
                ask(&f, values);
                for (size_t j = 0; j < f.history.n; j++) {
                    assert_same_bits(values_of(&f)[j], 0);
                    assert_true(isfinite(f.own->wide.model.z[j]));
                }
            }
            assert_ok(tc_model_standardise(&f.own->wide.model, &err));
            for (size_t j = 0; j < f.history.n; j++)
                assert_true(fabs(f.own->wide.model.z[j]) < 5);
            end(&f);
        }
}

static void few_anchors_have_no_message(void **state)
{
    (void)state;
    for (size_t anchors = 1; anchors < 4; anchors++) {
        fixture f;
        start_with(&f, BOX, anchors, 900);
        assert_true((values_of(&f)[0] == 0) == (anchors < 3));
        end(&f);
    }
}

/* One anchor: it goes on, and finds something. */
static void one_anchor_is_enough_to_go_on(void **state)
{
    fixture f;
    double values[DIM];
    (void)state;
    start(&f, BOX, 1, 2);
    for (size_t i = 0; i < 20; i++)
        step(&f, values);
    assert_true(best_of(&f) > 1.7);
    end(&f);
}

/* A program says -1e30 where it crashed: among the anchors, and later. */
static void crashes_do_not_blind_it(void **state)
{
    (void)state;
    for (size_t crash = 2; crash < 9; crash += 5)
        for (int k = GRID; k <= BOX; k++) {
            fixture f;
            double values[DIM], u[DIM];
            start(&f, (kind)k, 6, 3);
            for (size_t i = 0; i < 30; i++) {
                fit(&f);
                ask(&f, values);
                tc_space_encode(f.space, values, u);
                add(&f, values, i == crash || u[0] < 0.2 ? -1e30 : truth(u));
                assert_true(isfinite(tc_own_weight(f.own, 0)));
            }
            assert_true(best_of(&f) > 1.7);
            end(&f);
        }
}

/* ---- spaces of every kind ---- */

static double mixed_truth(const fixture *f, const double *values)
{
    double u[8];
    tc_space_encode(f->space, values, u);
    return -pow(values[0] - 0.6, 2) - pow((values[1] - 5) / 8, 2) -
           pow(log10(values[2]) / 5 + 0.6, 2) - (values[3] == 1 ? 0 : 0.3);
}

static void mixed_spaces_work(void **state)
{
    static const double how[] = {0, 0};
    (void)state;
    for (int informed = 0; informed < 2; informed++) {
        fixture f;
        tc_heard h = hears_truth(how, 0.5);
        double values[4];
        start(&f, MIXED, 6, 4);
        if (informed)
            tc_own_hear(f.own, &h);
        for (size_t i = 0; i < 35; i++) {
            fit(&f);
            ask(&f, values);
            assert_true(values[1] == floor(values[1]) && values[1] >= 1 && values[1] <= 8);
            assert_true(values[2] >= 1e-5 && values[2] <= 1);
            assert_true(values[3] == 0 || values[3] == 1 || values[3] == 2);
            add(&f, values, mixed_truth(&f, values));
        }
        assert_true(best_of(&f) > -0.05);
        end(&f);
    }
}

/* Agents of one study begin at different points. */
static void initial_points_are_the_agents_own(void **state)
{
    fixture a, b, c;
    double x[DIM], y[DIM], z[DIM];
    (void)state;
    start(&a, BOX, 5, 1);
    start(&b, BOX, 5, 1);
    start(&c, BOX, 5, 2);
    ask(&a, x);
    ask(&b, y);
    ask(&c, z);
    assert_memory_equal(x, y, sizeof x);
    assert_true(x[0] != z[0]);
    end(&a);
    end(&b);
    end(&c);
}

/* A fit that no factor can be made of is an error, and the next fit goes on. */
static void a_failed_ask_leaves_it_whole(void **state)
{
    static const double how[] = {2, -0.8};
    (void)state;
    for (int k = GRID; k <= BOX; k++) {
        fixture f;
        tacit_error err = {0};
        tc_heard h = hears_truth(how, 0);
        double before[DIM], after[DIM];
        tc_stream stream = stream_of(1000);
        start(&f, (kind)k, 8, 1);
        observe_random(&f, 8, &stream);
        set_hyper(&f);
        tc_own_hear(f.own, &h);
        ask(&f, before);
        char text[128];
        snprintf(text, sizeof text,
                 "{\"n\":8,\"scale\":[1e-320,1e-320],\"variance\":1e308,\"noise\":1e-300}");
        assert_ok(tc_own_fitted(f.own, text, &err));
        tc_own_ask(f.own, 8, after, &err); /* whatever it says */
        set_hyper(&f);
        ask(&f, after);
        assert_memory_equal(before, after, f.space->n_params * sizeof *before);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_those_of_dense_gaussians),
        cmocka_unit_test(repeated_candidates_count_as_often),
        cmocka_unit_test(a_box_is_that_of_dense_gaussians),
        cmocka_unit_test(running_trials_are_believed_to_return_their_means),
        cmocka_unit_test(running_trials_spread),
        cmocka_unit_test(a_right_function_is_trusted),
        cmocka_unit_test(another_function_is_not),
        cmocka_unit_test(noise_that_claims_to_be_exact_costs_little),
        cmocka_unit_test(what_is_heard_is_replaced_and_forgotten),
        cmocka_unit_test(the_past_leaves_no_trace),
        cmocka_unit_test(a_huge_function_is_not_believed),
        cmocka_unit_test(exact_units_give_the_same_bits),
        cmocka_unit_test(units_give_the_same_candidates),
        cmocka_unit_test(values_are_in_units_of_the_anchors),
        cmocka_unit_test(equal_anchors_have_no_scale),
        cmocka_unit_test(few_anchors_have_no_message),
        cmocka_unit_test(one_anchor_is_enough_to_go_on),
        cmocka_unit_test(crashes_do_not_blind_it),
        cmocka_unit_test(mixed_spaces_work),
        cmocka_unit_test(initial_points_are_the_agents_own),
        cmocka_unit_test(a_failed_ask_leaves_it_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
