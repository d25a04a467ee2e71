/* ldp_test.c - the three estimators against dense formulas over the whole history, at every ask. */
#include "support/test.h"

#include "algo/ldp/ldp_int.h"
#include "algo/optimizer.h"

enum { N = 20, MOST = 120 };

static const double SCALE = 0.25;

/* What was played, and what the reference needs of it. */
typedef struct game {
    tc_space *space;
    tc_optimizer *optimizer;
    tc_ldp_options opts;
    tc_law law;
    size_t t, arm[MOST];
    double y[MOST];
    size_t S[N], m; /* arms in the order in which they were first played */
    double cut[MOST];
} game;

static double kernel(size_t a, size_t b)
{
    double r = sqrt(3) * fabs((double)a - (double)b) / (N - 1) / SCALE;
    return (1 + r) * exp(-r);
}

/* ---- dense reference ---- */

static void cholesky(size_t n, double A[N][N])
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = A[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= A[i][k] * A[j][k];
            A[i][j] = i == j ? sqrt(sum) : sum / A[j][j];
        }
}

static void forward(size_t n, double L[N][N], double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= L[i][k] * b[k];
        b[i] /= L[i][i];
    }
}

/* phi(x) = L_S^-1 k_S(x) for every arm; U(x) = L^-1 phi(x) with V = sum phi phi' over `plays`. */
typedef struct features {
    double phi[N][N], U[N][N], var[N];
} features;

static void find_features(const game *g, const size_t *plays, size_t n, features *f)
{
    static double K[N][N], V[N][N];
    size_t m = g->m;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            K[i][j] = kernel(g->S[i], g->S[j]);
            V[i][j] = i == j ? g->law.lambda : 0;
        }
    cholesky(m, K);
    for (size_t x = 0; x < N; x++) {
        for (size_t i = 0; i < m; i++)
            f->phi[x][i] = kernel(g->S[i], x);
        forward(m, K, f->phi[x]);
    }
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m; j++)
                V[i][j] += f->phi[plays[t]][i] * f->phi[plays[t]][j];
    cholesky(m, V);
    for (size_t x = 0; x < N; x++) {
        f->var[x] = 1;
        memcpy(f->U[x], f->phi[x], m * sizeof(double));
        forward(m, V, f->U[x]);
        for (size_t i = 0; i < m; i++)
            f->var[x] += g->law.lambda * f->U[x][i] * f->U[x][i] - f->phi[x][i] * f->phi[x][i];
    }
}

static double inner(size_t m, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < m; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The arm that was asked for has the largest bound. */
static void assert_best(const game *g, const features *f, const double *r, double width,
                        size_t asked)
{
    double best = -INFINITY, score[N];
    for (size_t x = 0; x < N; x++) {
        score[x] = inner(g->m, f->U[x], r) + width * sqrt(f->var[x]);
        best = fmax(best, score[x]);
    }
    assert_close(score[asked], best, 1e-8 * (1 + fabs(best)));
}

/* ---- playing ---- */

static void start(game *g, const tc_algorithm *a, const char *options)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    memset(g, 0, sizeof *g);
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){N}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&g->space, d, &err));
    json_t *j = json_loads(options, 0, NULL);
    assert_non_null(j);
    json_object_set_new(j, "kernel", json_string("matern32"));
    json_object_set_new(j, "lengthscale", json_real(SCALE));
    tc_optimizer_config cfg = {.algorithm = a,
                               .options = j,
                               .space = g->space,
                               .maximize = true,
                               .party_seed = tc_party_seed_from(3),
                               .budget = 500};
    assert_ok(tc_optimizer_new(&g->optimizer, &cfg, &err));
    assert_ok(tc_options_defaults(a->options, &g->opts, &err));
    assert_ok(tc_options_set_json(a->options, &g->opts, a->name, j, NULL, &err));
    tc_env env = {.space = g->space, .budget = 500};
    assert_ok(tc_law_init(&g->law, &g->opts, &env, &err));
    bool replies = g->law.tail == TC_REWARD_LAPLACE || g->law.tail == TC_REWARD_BOUNDED;
    assert_true(replies == (a->curator != NULL));
    json_decref(j);
}

static void end(game *g)
{
    tc_optimizer_free(g->optimizer);
    tc_space_free(g->space);
}

static uint64_t ask(game *g, size_t *arm)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    assert_ok(tc_optimizer_next(g->optimizer, &req, &e, &err));
    assert_ok(tc_optimizer_apply(g->optimizer, &e, &err));
    *arm = (size_t)e.values[0];
    return e.trial;
}

/* Peaked at arm 13, with a tail that is cut now and then. */
static double reward(size_t t, size_t arm)
{
    double u = fmod((double)(t + 1) * 0.6180339887498949, 1);
    double heavy = (u < 0.5 ? 1 : -1) * 2 * log(1 / (0.02 + fabs(2 * u - 1)));
    return exp(-fabs((double)arm - 13) / 4) + heavy;
}

static void tell(game *g, uint64_t trial, size_t arm)
{
    tacit_error err = {0};
    tc_event e;
    size_t t = g->t++;
    g->arm[t] = arm;
    g->y[t] = reward(t, arm);
    assert_ok(tc_optimizer_tell(g->optimizer, trial, NULL, g->y[t], 2, &e, &err));
    assert_ok(tc_optimizer_apply(g->optimizer, &e, &err));
}

static void list(game *g, size_t arm)
{
    for (size_t i = 0; i < g->m; i++)
        if (g->S[i] == arm)
            return;
    g->S[g->m++] = arm;
}

/* ---- tgp ---- */

/* det(V / lambda) is the product of 1 + phi' V_before^-1 phi over the plays. */
static double log_det_gain(const game *g)
{
    double gain = 0;
    features before;
    for (size_t t = 0; t < g->t; t++) {
        find_features(g, g->arm, t, &before);
        gain += log(1 + inner(g->m, before.U[g->arm[t]], before.U[g->arm[t]])) / 2;
    }
    return gain;
}

static size_t check_tgp(const tc_algorithm *a, const char *options, size_t rounds)
{
    game g;
    features f;
    size_t arm, cut = 0;
    start(&g, a, options);
    for (size_t t = 0; t < rounds; t++) {
        uint64_t trial = ask(&g, &arm);
        if (t > 0 && t % 5 == 0) {
            double r[N] = {0};
            find_features(&g, g.arm, g.t, &f);
            for (size_t s = 0; s < g.t; s++) {
                bool kept = fabs(g.y[s]) <= tc_tgp_cut(&g.law, (double)s + 1);
                for (size_t i = 0; i < g.m; i++)
                    r[i] += f.U[g.arm[s]][i] * (kept ? g.y[s] : 0);
            }
            double width = tc_tgp_width(&g.law, (double)g.t, log_det_gain(&g));
            assert_best(&g, &f, r, g.opts.width > 0 ? g.opts.width : width, arm);
        }
        tell(&g, trial, arm);
        list(&g, arm);
        cut += fabs(g.y[t]) > tc_tgp_cut(&g.law, (double)t + 1);
    }
    end(&g);
    return cut;
}

static void tgp_is_the_dense_formula(void **state)
{
    (void)state;
    assert_true(check_tgp(&tc_algorithm_ldp_tgp, "{}", 41) < 3); /* thresholds are wide */
    check_tgp(&tc_algorithm_ldp_tgp, "{\"epsilon\": 20, \"noise_bound\": 0.1, \"width\": 1.5}", 61);
    assert_true(check_tgp(&tc_algorithm_ldp_tgp,
                          "{\"epsilon\": 20, \"noise_bound\": 0.1, \"lambda\": 0.5}", 41) > 3);
    assert_true(check_tgp(&tc_algorithm_tgp_ucb,
                          "{\"alpha\": 0.8, \"reward_moment\": 1, \"scale\": \"practical\"}",
                          41) > 3);
    check_tgp(&tc_algorithm_tgp_ucb, "{\"tail\": \"weibull\", \"tail_b\": 3, \"delta\": 0.01}", 31);
}

/* ---- ata ---- */

/* A^-1/2 of a symmetric matrix by Jacobi rotations; A is destroyed. */
static void inverse_root(size_t n, double A[N][N], double R[N][N])
{
    static double Q[N][N];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            Q[i][j] = i == j;
    for (int sweep = 0; sweep < 30; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                double angle = 0.5 * atan2(2 * A[p][q], A[q][q] - A[p][p]);
                double c = cos(angle), s = sin(angle);
                for (size_t i = 0; i < n; i++) {
                    double x = A[i][p], y = A[i][q], u = Q[i][p], v = Q[i][q];
                    A[i][p] = c * x - s * y;
                    A[i][q] = s * x + c * y;
                    Q[i][p] = c * u - s * v;
                    Q[i][q] = s * u + c * v;
                }
                for (size_t i = 0; i < n; i++) {
                    double x = A[p][i], y = A[q][i];
                    A[p][i] = c * x - s * y;
                    A[q][i] = s * x + c * y;
                }
            }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            R[i][j] = 0;
            for (size_t k = 0; k < n; k++)
                R[i][j] += Q[i][k] * Q[j][k] / sqrt(A[k][k]);
        }
}

/* phi = K_SS^-1/2 k_S and U = V^-1/2 phi, as the papers print them. */
static void find_symmetric(const game *g, features *f)
{
    static double A[N][N], R[N][N];
    size_t m = g->m;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            A[i][j] = kernel(g->S[i], g->S[j]);
    inverse_root(m, A, R);
    for (size_t x = 0; x < N; x++)
        for (size_t i = 0; i < m; i++) {
            f->phi[x][i] = 0;
            for (size_t j = 0; j < m; j++)
                f->phi[x][i] += R[i][j] * kernel(g->S[j], x);
        }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            A[i][j] = i == j ? g->law.lambda : 0;
            for (size_t t = 0; t < g->t; t++)
                A[i][j] += f->phi[g->arm[t]][i] * f->phi[g->arm[t]][j];
        }
    inverse_root(m, A, R);
    for (size_t x = 0; x < N; x++)
        for (size_t i = 0; i < m; i++)
            f->U[x][i] = inner(m, R[i], f->phi[x]);
}

static size_t check_ata(const tc_algorithm *a, const char *options, size_t rounds)
{
    game g;
    features f;
    size_t arm, cut = 0;
    start(&g, a, options);
    for (size_t t = 0; t < rounds; t++) {
        uint64_t trial = ask(&g, &arm);
        if (t > 0) {
            double r[N] = {0}, b = tc_ata_cut(&g.law, (double)g.t, g.m);
            find_features(&g, g.arm, g.t, &f);
            if (g.opts.root == TC_ROOT_SYMMETRIC)
                find_symmetric(&g, &f);
            for (size_t i = 0; i < g.m; i++)
                for (size_t s = 0; s < g.t; s++) {
                    double term = f.U[g.arm[s]][i] * g.y[s];
                    bool kept = fabs(term) <= (g.opts.cut == TC_CUT_PAST ? g.cut[s] : b);
                    r[i] += kept ? term : 0;
                    cut += !kept;
                }
            double width = tc_ata_width(&g.law, (double)g.t, g.m);
            assert_best(&g, &f, r, g.opts.width > 0 ? g.opts.width : width, arm);
        }
        tell(&g, trial, arm);
        list(&g, arm);
        g.cut[t] = tc_ata_cut(&g.law, (double)g.t, g.m);
    }
    end(&g);
    return cut;
}

static void ata_is_the_dense_formula(void **state)
{
    (void)state;
    check_ata(&tc_algorithm_ldp_ata, "{}", 60);
    assert_true(check_ata(&tc_algorithm_ldp_ata, "{\"epsilon\": 5, \"width\": 1}", 110) > 100);
    assert_true(check_ata(&tc_algorithm_ldp_ata,
                          "{\"epsilon\": 5, \"width\": 1, \"cut\": \"past\", \"lambda\": 0.3}",
                          110) > 100);
    assert_true(check_ata(&tc_algorithm_ldp_ata,
                          "{\"epsilon\": 5, \"width\": 1, \"root\": \"symmetric\"}", 70) > 50);
    check_ata(&tc_algorithm_ldp_ata, "{\"root\": \"symmetric\", \"cut\": \"past\"}", 40);
    assert_true(check_ata(&tc_algorithm_ata_gp_ucb,
                          "{\"alpha\": 0.7, \"width\": 0.8, \"scale\": \"practical\"}", 90) > 50);
}

/* ---- moma ---- */

static double distance(const double *a, const double *b, size_t m)
{
    double sum = 0;
    for (size_t i = 0; i < m; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* The upper median of the distances of estimate j to the others. */
static double median_distance(size_t k, size_t m, double z[][N], size_t j)
{
    double d[16];
    size_t n = 0;
    for (size_t s = 0; s < k; s++) {
        if (s == j)
            continue;
        size_t at = n++;
        double gap = distance(z[j], z[s], m);
        for (; at > 0 && d[at - 1] > gap; at--)
            d[at] = d[at - 1];
        d[at] = gap;
    }
    return d[n / 2];
}

static void check_moma(const tc_algorithm *a, const char *options, size_t rounds)
{
    game g;
    features f;
    size_t arm, epochs[MOST], n = 0;
    start(&g, a, options);
    size_t k = (size_t)g.opts.k;
    for (size_t t = 0; t < rounds; t++) {
        uint64_t trial = ask(&g, &arm);
        if (t % k != 0)
            assert_int_equal(arm, g.arm[t - 1]); /* an epoch is one arm */
        if (t > 0 && t % k == 0) {
            double z[16][N] = {{0}}, least = INFINITY;
            size_t best = 0;
            epochs[n++] = g.arm[t - 1];
            list(&g, g.arm[t - 1]);
            find_features(&g, epochs, n, &f);
            for (size_t s = 0; s < t; s++)
                for (size_t i = 0; i < g.m; i++)
                    z[s % k][i] += f.U[g.arm[s]][i] * g.y[s];
            for (size_t j = 0; j < k; j++) {
                double median = median_distance(k, g.m, z, j);
                best = median < least ? j : best;
                least = fmin(median, least);
            }
            double width = tc_moma_width(&g.law, (double)n, g.m);
            assert_best(&g, &f, z[best], g.opts.width > 0 ? g.opts.width : width, arm);
        }
        tell(&g, trial, arm);
    }
    end(&g);
}

static void moma_is_the_dense_formula(void **state)
{
    (void)state;
    check_moma(&tc_algorithm_ldp_moma, "{\"k\": 5}", 100);
    check_moma(&tc_algorithm_ldp_moma, "{\"k\": 3, \"width\": 0.5, \"lambda\": 0.2}", 110);
    check_moma(&tc_algorithm_moma_gp_ucb, "{\"k\": 4, \"alpha\": 0.6, \"scale\": \"practical\"}",
               100);
}

/* Trials that run side by side fill the epochs of several arms; the one begun first goes on
 * first. */
static void moma_fills_epochs_side_by_side(void **state)
{
    (void)state;
    game g;
    size_t arm[4], again;
    uint64_t trial[4];
    start(&g, &tc_algorithm_ldp_moma, "{\"k\": 3}");
    for (size_t i = 0; i < 4; i++)
        trial[i] = ask(&g, &arm[i]);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(arm[i], arm[j]);
    for (size_t i = 4; i-- > 0;)
        tell(&g, trial[i], arm[i]); /* the last one came back first */
    uint64_t next = ask(&g, &again);
    assert_int_equal(again, arm[3]);
    uint64_t other = ask(&g, &again);
    assert_int_equal(again, arm[2]);
    tell(&g, next, arm[3]);
    tell(&g, other, arm[2]);
    ask(&g, &again);
    assert_int_equal(again, arm[3]);
    end(&g);
}

/* Coins that matter, and a journal: the same bits again. */
static void replays_with_coins_have_the_same_bits(void **state)
{
    (void)state;
    static const char options[] =
        "{\"accuracy\": 0.99, \"scale\": \"practical\", \"horizon\": 3, \"width\": 0.3}";
    static const char symmetric[] =
        "{\"accuracy\": 0.99, \"scale\": \"practical\", \"horizon\": 3, "
        "\"width\": 0.3, \"root\": \"symmetric\"}";
    for (int pass = 0; pass < 3; pass++) {
        const tc_algorithm *a = pass == 1 ? &tc_algorithm_ldp_moma : &tc_algorithm_ldp_ata;
        game one, two;
        size_t x, y;
        start(&one, a, pass == 2 ? symmetric : options);
        start(&two, a, pass == 2 ? symmetric : options);
        for (size_t t = 0; t < 110; t++) {
            uint64_t first = ask(&one, &x), second = ask(&two, &y);
            assert_int_equal(x, y);
            tell(&one, first, x);
            tell(&two, second, y);
        }
        end(&one);
        end(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tgp_is_the_dense_formula),
        cmocka_unit_test(ata_is_the_dense_formula),
        cmocka_unit_test(moma_is_the_dense_formula),
        cmocka_unit_test(moma_fills_epochs_side_by_side),
        cmocka_unit_test(replays_with_coins_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
