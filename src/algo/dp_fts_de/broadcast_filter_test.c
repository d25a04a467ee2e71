/* broadcast_filter_test.c - what a broadcast says, beside the definitions: real agents whose messages are
 * averaged, and the posterior mean of all regions in one dense matrix. */
#include "support/features_model.h"

#include "algo/dp_fts_de/agent.h"

enum { M = 8, P = 2, L = P * M, INITIAL = 4, AGENTS = 60, RUNS = 20000 };

static const double lambda = 0.05, own = 0.5;

typedef struct fixture {
    tc_space *space;
    tc_dp_fts_de_options opts;
    tc_env env;
    tc_history history;
    double U[INITIAL], y[INITIAL];
    tc_dp_fts_de_agent_state agent;
} fixture;

static void set_options(fixture *f)
{
    tacit_error err = {0};
    memset(f, 0, sizeof *f);
    assert_ok(tc_space_new(&f->space, &err));
    assert_ok(tc_space_add_float(f->space, "x", 0, 1, 0, false, &err));
    features_model(&f->opts);
    f->opts.features = M;
    f->opts.regions = P;
    f->opts.initial = INITIAL;
    f->opts.noise = lambda;
    tc_free(f->opts.releases);
    f->opts.releases = tc_strdup("first");
    f->history = (tc_history){.dim = 1, .ld = INITIAL, .U = f->U, .y = f->y};
    f->env = (tc_env){.space = f->space,
                      .history = &f->history,
                      .public_seed = tc_public_seed_from(3),
                      .party_seed = tc_party_seed_from(4),
                      .agents = AGENTS};
}

static void set_up(fixture *f)
{
    tacit_error err = {0};
    set_options(f);
    assert_ok(tc_dp_fts_de_agent.init(&f->agent, &f->env, &f->opts, &err));
    assert_non_null(f->agent.filter);
}

static void tear_down(fixture *f)
{
    tc_dp_fts_de_agent.fini(&f->agent);
    tc_options_fini(tc_algorithm_dp_fts_de.options, &f->opts);
    tc_space_free(f->space);
}

/* ---- A: the mean of the messages of agents that start in region i ---- */

static void add_message(const fixture *f, size_t i, tc_stream *s, const double *w, double *sum)
{
    tacit_error err = {0};
    tc_blr *model;
    assert_ok(tc_blr_new(&model, M, lambda, &err));
    for (size_t k = 0; k < INITIAL; k++) {
        double x = ((double)i + tc_draw_uniform(s)) / P, phi[M], y = 0;
        tc_rff_many(&f->agent.features->rff, 1, &x, 1, phi, M);
        for (size_t m = 0; m < M; m++)
            y += phi[m] * w[m];
        tc_blr_add(model, phi, y + sqrt(lambda) * tc_draw_normal(s));
    }
    const double *nu = tc_blr_mean(model);
    for (size_t m = 0; m < M; m++)
        sum[m] += nu[m] / RUNS;
    tc_blr_free(model);
}

static void messages_are_shrunk_as_foretold(void **state)
{
    fixture f;
    const double w[M] = {1, -0.5, 0.3, 2, -1, 0.7, 0, 1.5};
    (void)state;
    set_up(&f);
    for (size_t i = 0; i < P; i++) {
        double sum[M] = {0};
        tc_stream s;
        tc_stream_public(&s, &f.env.public_seed, TC_FOR_RUN, i);
        for (size_t n = 0; n < RUNS; n++)
            add_message(&f, i, &s, w, sum);
        for (size_t m = 0; m < M; m++) {
            double foretold = 0;
            for (size_t k = 0; k < M; k++)
                foretold += f.agent.filter->A[i * M * M + k * M + m] * w[k];
            assert_close(sum[m], foretold, 0.03);
        }
    }
    tear_down(&f);
}

/* ---- the posterior mean, densely ---- */

/* Gauss-Jordan: solves S x = b. */
static void solve(double S[L][L], double *b)
{
    for (size_t k = 0; k < L; k++) {
        double pivot = S[k][k];
        for (size_t j = 0; j < L; j++)
            S[k][j] /= pivot;
        b[k] /= pivot;
        for (size_t i = 0; i < L; i++) {
            double factor = S[i][k];
            for (size_t j = 0; i != k && j < L; j++)
                S[i][j] -= factor * S[k][j];
            if (i != k)
                b[i] -= factor * b[k];
        }
    }
}

static double shared(size_t i, size_t j)
{
    return i == j ? 1 : 1 - own;
}

/* Entry (r, c) of A_i A_j. */
static double product(const double *A, size_t i, size_t j, size_t r, size_t c)
{
    double sum = 0;
    for (size_t k = 0; k < M; k++)
        sum += A[i * M * M + k * M + r] * A[j * M * M + c * M + k];
    return sum;
}

/* S = A K A' + cov(e), then K A' S^-1 nu. */
static void reference(const double *A, double members, double sd, const double *nu, double *out)
{
    static double S[L][L];
    double b[L];
    memcpy(b, nu, sizeof b);
    for (size_t p = 0; p < L; p++)
        for (size_t q = 0; q < L; q++) {
            size_t i = p / M, j = q / M, r = p % M, c = q % M;
            double square = product(A, i, j, r, c);
            S[p][q] = shared(i, j) * square;
            if (i == j)
                S[p][q] += (A[i * M * M + c * M + r] - square) / members + (p == q ? sd * sd : 0);
        }
    solve(S, b);
    for (size_t p = 0; p < L; p++) {
        out[p] = 0;
        for (size_t q = 0; q < L; q++)
            out[p] += shared(p / M, q / M) * A[q / M * M * M + p % M * M + q % M] * b[q];
    }
}

static double noise_sd(const fixture *f)
{
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    tc_sum_scale scale;
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = AGENTS}, &f->opts, 0, &err));
    assert_ok(tc_sum_plan_scale(&r.plan, &scale, &err));
    tc_dp_fts_de_round_fini(&r);
    return ldexp((double)scale.sd, -scale.grid);
}

static void the_filter_is_the_posterior_mean(void **state)
{
    fixture f;
    double omega[L], expected[L], common[M], rest[M];
    (void)state;
    set_up(&f);
    for (size_t p = 0; p < L; p++)
        omega[p] = sin(2.3 * (double)p);
    reference(f.agent.filter->A, AGENTS / P, noise_sd(&f), omega, expected);
    tc_dp_fts_de_filter_apply(f.agent.filter, omega, common, rest);
    for (size_t p = 0; p < L; p++)
        assert_close(omega[p], expected[p], 1e-5); /* others count exp(-15) */
    tear_down(&f);
}

/* ---- when there is one ---- */

static bool applies(void (*change)(fixture *f))
{
    fixture f;
    tacit_error err = {0};
    set_options(&f);
    change(&f);
    assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
    bool there = f.agent.filter != NULL;
    tear_down(&f);
    return there;
}

static void nothing(fixture *f)
{
    (void)f;
}

static void everywhere(fixture *f)
{
    f->opts.init = TC_DP_FTS_DE_INIT_DOMAIN;
    f->opts.weights = TC_DP_FTS_DE_EVERYWHERE;
}

static void several_releases(fixture *f)
{
    tc_free(f->opts.releases);
    f->opts.releases = tc_strdup("0,3");
}

static void draws(fixture *f)
{
    f->opts.message = TC_DP_FTS_DE_DRAW;
}

static void followed(fixture *f)
{
    f->opts.absorb = TC_DP_FTS_DE_POINT;
}

static void mixed(fixture *f)
{
    f->opts.weights = TC_DP_FTS_DE_EVERYWHERE;
}

static void few_agents(fixture *f)
{
    f->env.agents = 3;
    f->opts.regions = 4;
}

static void no_points(fixture *f)
{
    f->opts.initial = 0;
}

static void many_features(fixture *f)
{
    f->opts.features = 2100;
}

static void it_is_there_where_its_model_holds(void **state)
{
    (void)state;
    assert_true(applies(nothing) && applies(everywhere));
    assert_false(applies(several_releases));
    assert_false(applies(draws));
    assert_false(applies(followed));
    assert_false(applies(mixed));
    assert_false(applies(few_agents));
    assert_false(applies(no_points));
    assert_false(applies(many_features));
}

static void without_noise_and_at_many_points_it_holds(void **state)
{
    fixture f;
    tacit_error err = {0};
    double omega[L], common[M], rest[M];
    (void)state;
    set_options(&f);
    f.opts.initial = 1000;
    f.opts.noise_multiplier = 0;
    f.opts.message = TC_DP_FTS_DE_MEAN;
    assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
    for (size_t p = 0; p < L; p++)
        omega[p] = 1;
    tc_dp_fts_de_filter_apply(f.agent.filter, omega, common, rest);
    for (size_t p = 0; p < L; p++)
        assert_true(isfinite(omega[p]));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_shrunk_as_foretold),
        cmocka_unit_test(the_filter_is_the_posterior_mean),
        cmocka_unit_test(it_is_there_where_its_model_holds),
        cmocka_unit_test(without_noise_and_at_many_points_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
