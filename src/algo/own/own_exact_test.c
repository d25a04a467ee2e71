/* own_exact_test.c - the agent's own model against dense Gaussians written here: weights, means, variances, incumbents,
 * scores and the chosen point, with and without trials that run. */
#include "support/test.h"

#include "algo/own/own_fixture.h"

/* ---- the slow, obvious way ---- */

typedef struct slow_model {
    const fixture *f;
    double scale[DIM], variance, noise; /* of g */
    double level, slope;                /* prior variances of c and a; slope 0: nothing was heard */
    double unit;                        /* of what was heard */
    double next_noise;                  /* of the next value; 0 unless noise is known */
    tc_heard heard;
    double z[MOST];
    long double alpha[MOST], inverse[MOST][MOST]; /* of cov(y) */
    double log_likelihood, best;
} slow_model;

static double slow_heard(const slow_model *m, const double *u)
{
    return m->slope > 0 ? m->unit * m->heard.at(m->heard.ctx, u, NULL) : 0;
}

static double slow_covariance(const slow_model *m, const double *a, const double *b)
{
    double r2 = 0;
    for (size_t d = 0; d < DIM; d++)
        r2 += pow((a[d] - b[d]) / m->scale[d], 2);
    double r = sqrt(5 * r2), g = m->variance * (1 + r + r * r / 3) * exp(-r);
    return g + m->level + m->slope * slow_heard(m, a) * slow_heard(m, b);
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

static void slow_fit(slow_model *m)
{
    const size_t n = m->f->history.n;
    long double A[MOST][MOST], rest[MOST], square = 0;
    assert_true(n <= MOST);
    m->unit = slow_standardise(m->f, m->f->anchors, m->z);
    const double sd = slow_standardise(m->f, m->f->known > 0 ? m->f->known : n, m->z);
    m->unit /= sd;
    m->next_noise = m->f->noisy ? m->noise + m->f->history.noise[n - 1] / (sd * sd) : 0;
    for (size_t i = 0; i < n; i++) {
        double a[DIM], b[DIM];
        encoded(m->f, i, a);
        rest[i] = m->z[i] - slow_heard(m, a);
        for (size_t j = 0; j < n; j++) {
            encoded(m->f, j, b);
            A[i][j] = slow_covariance(m, a, b);
            A[i][j] += i == j ? m->noise + m->f->history.noise[i] / (sd * sd) : 0;
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

static slow_model slow_new(const fixture *f, const tc_heard *h, bool hears, double rho)
{
    slow_model m = {.f = f,
                    .scale = {told_scales()[0], told_scales()[1]},
                    .variance = f->variance * rho,
                    .noise = f->noise,
                    .level = hears ? 1 : 0.1,
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
        var *= var / (var + o->member[k].next_noise); /* of what the mean will move by */
        double sd = sqrt(fmax(var, 1e-24)), t = (mean - o->member[k].best) / sd;
        double density = exp(-t * t / 2) / sqrt(2 * acos(-1)), below = erfc(-t / sqrt(2)) / 2;
        sum += o->weight[k] * sd * (t * below + density);
    }
    return log(sum);
}

/* ---- against it ---- */

static void assert_members_agree(const fixture *f, const slow *s)
{
    for (size_t k = 0; k < TC_OWN_MODELS; k++)
        assert_close(tc_own_weight(f->own, (int)k), k < s->n ? s->weight[k] : 0, 1e-8);
    for (size_t k = 0; k < s->n; k++)
        if (s->weight[k] > 0)
            assert_close(f->own->member[k].best, s->member[k].best, 1e-8);
}

/* The best mean of the mixture where something was tried, as if no trial ran. */
static void assert_recommends(const fixture *f, const slow *s)
{
    tacit_error err = {0};
    tc_recommended r;
    double top = -INFINITY, there = 0, spread = 0;
    const tc_model *m = &f->own->wide.model;
    assert_ok(tc_own_recommend(f->own, &r, &err));
    assert_null(r.none);
    assert_int_equal(r.noise, f->noisy ? TC_NOISE_ADDED : TC_NOISE_UNKNOWN);
    for (size_t i = 0; i < f->history.n; i++) {
        double u[DIM], mean = 0, square = 0;
        encoded(f, i, u);
        for (size_t k = 0; k < s->n; k++) {
            double mu, var;
            slow_predict(&s->member[k], u, &mu, &var);
            mean += s->weight[k] * mu;
            square += s->weight[k] * (var + mu * mu);
        }
        top = fmax(top, mean);
        if (i == r.at) {
            there = mean;
            spread = sqrt(square - mean * mean);
        }
    }
    assert_close(there, top, 1e-8);
    assert_close((r.mean - m->mean) / m->sd, top, 1e-7);
    assert_close(r.sd / m->sd, spread, 1e-6);
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
            const double heard = slow_heard(&s->member[k], u) / s->member[k].unit;
            tc_trend_point x = tc_own_point(m, from, heard, tc_fgp_variance(m->view->model.fgp)[j]);
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
        f.noisy = number / 4 % 3 == 2;
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
        assert_recommends(&f, &s);
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
        f.noisy = number / 4 % 3 == 2;
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
        assert_recommends(&f, &s);
        end(&f);
    }
}

/* ---- far below the incumbent ---- */

/* ln h(z) by its asymptotic series, for z < -20. */
static double slow_log_h(double z)
{
    const double q = 1 / (z * z);
    return -z * z / 2 - log(2 * acos(-1)) / 2 + log(q) +
           log1p(-3 * q + 15 * q * q - 105 * q * q * q + 945 * q * q * q * q);
}

static double slow_far_score(const slow *s, const double *u, double *nearest)
{
    double part[TC_OWN_MODELS], top = -INFINITY, sum = 0;
    *nearest = -INFINITY;
    for (size_t k = 0; k < s->n; k++) {
        double mean, var;
        slow_predict(&s->member[k], u, &mean, &var);
        const double z = (mean - s->member[k].best) / sqrt(var);
        part[k] = s->weight[k] > 0 ? log(s->weight[k]) + log(var) / 2 + slow_log_h(z) : -INFINITY;
        *nearest = s->weight[k] > 0 ? fmax(*nearest, z) : *nearest;
        top = fmax(top, part[k]);
    }
    for (size_t k = 0; k < s->n; k++)
        sum += exp(part[k] - top);
    return top + log(sum);
}

/* A process that hardly varies: every score underflows without logarithms. */
static void far_scores_do_not_underflow(void **state)
{
    static slow s;
    tacit_error err = {0};
    size_t far = 0, deep = 0;
    (void)state;
    for (uint64_t number = 0; number < 18; number++) {
        fixture f;
        tc_heard h;
        tc_stream stream = stream_of(1100 + number);
        double values[DIM];
        start(&f, BOX, 6, 1);
        observe_random(&f, 8, &stream);
        tell_hyper(&f, number % 2 ? 1e-3 : 1e-5, 1e-5);
        const tc_heard *heard = choose_heard(number / 2, &h);
        if (heard)
            tc_own_hear(f.own, heard);
        ask(&f, values);
        slow_all(&s, &f, heard);
        for (int i = 0; i < 60; i++) {
            double u[DIM] = {tc_draw_uniform(&stream), tc_draw_uniform(&stream)}, grad[DIM], fast;
            double nearest, expected = slow_far_score(&s, u, &nearest);
            if (nearest > -20)
                continue;
            double one = tc_own_score(f.own, 0, u, grad);
            assert_close(one, expected, 1e-6 * fabs(expected));
            assert_ok(tc_own_score_many(f.own, 1, u, 1, &fast, &err));
            assert_close(fast, one, 1e-8 * fabs(one));
            assert_true(isfinite(grad[0]) && isfinite(grad[1]));
            assert_true(grad[0] != 0 || grad[1] != 0); /* a search finds its way */
            far++;
            deep += expected < -800; /* e^-800 is 0 */
        }
        end(&f);
    }
    assert_true(far > 100 && deep > 20);
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
        set_hyper(&later);
        const tc_heard *heard = choose_heard(number / 2, &h);
        if (heard)
            tc_own_hear(f.own, heard);
        for (size_t i = 0; i < 1 + number % 4; i++) {
            random_values(&f, &stream, values);
            take(&f, values);
            add(&later, values, 0);
        }
        later.known = f.history.n;
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
        assert_recommends(&f, &s);
        end(&f);
        end(&later);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_those_of_dense_gaussians),
        cmocka_unit_test(repeated_candidates_count_as_often),
        cmocka_unit_test(a_box_is_that_of_dense_gaussians),
        cmocka_unit_test(far_scores_do_not_underflow),
        cmocka_unit_test(running_trials_are_believed_to_return_their_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
