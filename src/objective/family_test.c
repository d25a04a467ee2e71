/* family_test.c - agents differ as much as they should, optima are exact, seeds repeat. */
#include "support/test.h"

#include "objective/family.h"

static tc_family_opts defaults(void)
{
    tacit_error err = {0};
    tc_family_opts o;
    assert_ok(tc_options_defaults(tc_family_options, &o, &err));
    return o;
}

static tc_family *make(const char *name, const tc_family_opts *opts, size_t agents, uint64_t seed)
{
    tacit_error err = {0};
    tc_family *f = NULL;
    assert_ok(tc_family_new(&f, name, opts, agents, tc_public_seed_from(seed), &err));
    return f;
}

static size_t points(const tc_family *f)
{
    return tc_family_space(f)->domain->n;
}

static double at(const tc_family *f, size_t agent, size_t i)
{
    double point = (double)i;
    return tc_family_value(f, agent, &point);
}

/* The correlation over the points of g_a - g_b and g_c - g_d. */
static double correlation(const tc_family *f, size_t a, size_t b, size_t c, size_t d)
{
    double n = (double)points(f), su = 0, sv = 0, suu = 0, svv = 0, suv = 0;
    for (size_t i = 0; i < points(f); i++) {
        double u = at(f, a, i) - at(f, b, i), v = at(f, c, i) - at(f, d, i);
        su += u;
        sv += v;
        suu += u * u;
        svv += v * v;
        suv += u * v;
    }
    return (suv - su * sv / n) / sqrt((suu - su * su / n) * (svv - sv * sv / n));
}

/* -- gp-family ----------------------------------------------------------------------------- */

static void the_default_is_the_papers(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    tc_family *f = make("gp-family", &o, 3, 1);
    const tc_domain *d = tc_family_space(f)->domain;
    assert_int_equal(d->n, 1000);
    assert_int_equal(d->dim, 1);
    assert_close(d->raw[0], 0, 0);
    assert_close(d->raw[999], 1, 0);
    assert_true(tc_family_maximize(f));
    tc_family_free(f);
    o.objective.dim = 2;
    f = make("gp-family", &o, 1, 1);
    assert_int_equal(points(f), 32 * 32);
    tc_family_free(f);
}

static void optima_are_exact(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    o.heterogeneity = 1;
    tc_family *f = make("gp-family", &o, 20, 7);
    for (size_t agent = 0; agent < 20; agent++) {
        double best = -INFINITY, least = INFINITY;
        for (size_t i = 0; i < points(f); i++) {
            double point = (double)i;
            best = fmax(best, at(f, agent, i));
            least = fmin(least, tc_family_regret(f, agent, &point));
        }
        assert_same_bits(tc_family_optimum(f, agent), best);
        assert_same_bits(least, 0.0);
    }
    tc_family_free(f);
}

/* Over many seeds the shared draw has variance 1 and covariance exp(-r^2 / 2 l^2). */
static void the_shared_draw_has_the_kernel(void **state)
{
    (void)state;
    enum { SEEDS = 4000 };
    tc_family_opts o = defaults();
    o.heterogeneity = 0;
    o.objective.grid = 41;
    o.objective.lengthscale = 0.1;
    double var = 0, near = 0, far = 0, mean = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        tc_family *f = make("gp-family", &o, 1, seed);
        double h = at(f, 0, 20);
        mean += h / SEEDS;
        var += h * h / SEEDS;
        near += h * at(f, 0, 24) / SEEDS; /* 0.1 away: exp(-1/2) */
        far += h * at(f, 0, 40) / SEEDS;  /* 0.5 away: 4e-6 */
        tc_family_free(f);
    }
    assert_close(mean, 0, 0.08); /* five standard errors each */
    assert_close(var, 1, 0.12);
    assert_close(near, exp(-0.5), 0.1);
    assert_close(far, 0, 0.08);
}

/* The mean over points and pairs of (g_n - g_m)^2 is 2 heterogeneity^2. */
static double own_variance(double heterogeneity)
{
    enum { AGENTS = 100 };
    tc_family_opts o = defaults();
    o.heterogeneity = heterogeneity;
    tc_family *f = make("gp-family", &o, AGENTS, 3);
    double sum = 0;
    for (size_t agent = 0; agent < AGENTS; agent += 2)
        for (size_t i = 0; i < points(f); i++)
            sum += pow(at(f, agent, i) - at(f, agent + 1, i), 2);
    sum /= AGENTS / 2.0 * (double)points(f);
    tc_family_free(f);
    return sum / 2;
}

/* g_n without h is h_n: a draw of the agent's own, and none of them is the shared one again. */
static void own_draws_are_not_the_shared_one(void **state)
{
    (void)state;
    enum { AGENTS = 20 };
    tc_family_opts o = defaults();
    o.objective.lengthscale = 0.01;
    o.heterogeneity = 1;
    tc_family *f = make("gp-family", &o, AGENTS, 3);
    o.heterogeneity = 0;
    tc_family *shared = make("gp-family", &o, 1, 3);
    for (size_t agent = 0; agent < AGENTS; agent++) {
        double uv = 0, uu = 0, vv = 0;
        for (size_t i = 0; i < points(f); i++) {
            double h = at(shared, 0, i), own = at(f, agent, i) - h;
            uv += own * h;
            uu += own * own;
            vv += h * h;
        }
        assert_true(fabs(uv) < 0.6 * sqrt(uu * vv));
    }
    tc_family_free(shared);
    tc_family_free(f);
}

static void heterogeneity_is_the_sd_of_own_draws(void **state)
{
    (void)state;
    /* About 50 pairs x 10 independent stretches of the axis: 6 % standard error. */
    assert_close(own_variance(0.1), 0.01, 0.0025);
    assert_close(own_variance(0.5), 0.25, 0.06);
    assert_close(own_variance(0), 0, 0);
}

static void own_draws_are_independent(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    tc_family *f = make("gp-family", &o, 40, 5);
    double sum = 0, worst = 0;
    for (size_t k = 0; k + 4 <= 40; k += 4) {
        double r = correlation(f, k, k + 1, k + 2, k + 3);
        sum += r / 10;
        worst = fmax(worst, fabs(r));
    }
    assert_close(sum, 0, 0.35);
    assert_true(worst < 0.9);
    tc_family_free(f);
}

static void a_distance_is_exact(void **state)
{
    (void)state;
    static const double distances[] = {0.02, 1.2};
    for (size_t k = 0; k < 2; k++) {
        tc_family_opts o = defaults();
        o.distance = distances[k];
        tc_family *f = make("gp-family", &o, 50, 11);
        double low = INFINITY;
        for (size_t i = 0; i < points(f); i++)
            low = fmin(low, at(f, 0, i));
        assert_same_bits(low, 0.0);
        assert_same_bits(tc_family_optimum(f, 0), 1.0);
        for (size_t agent = 1; agent < 50; agent++) {
            double most = 0;
            for (size_t i = 0; i < points(f); i++)
                most = fmax(most, fabs(at(f, 0, i) - at(f, agent, i)));
            assert_close(most, distances[k], 4e-16);
        }
        tc_family_free(f);
    }
}

static void more_agents_change_no_agent(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    tc_family *few = make("gp-family", &o, 3, 9), *many = make("gp-family", &o, 30, 9);
    tc_family *other = make("gp-family", &o, 3, 10);
    size_t same = 0;
    for (size_t agent = 0; agent < 3; agent++)
        for (size_t i = 0; i < points(few); i++) {
            assert_same_bits(at(few, agent, i), at(many, agent, i));
            same += at(few, agent, i) == at(other, agent, i);
        }
    assert_int_equal(same, 0);
    tc_family_free(few);
    tc_family_free(many);
    tc_family_free(other);
}

/* -- noise --------------------------------------------------------------------------------- */

static double observed_sd(const tc_family *f, const double *values)
{
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(1);
    double squares = 0, truth = tc_family_value(f, 0, values);
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, 0);
    for (size_t i = 0; i < 20000; i++)
        squares += pow(tc_family_observe(f, 0, values, &s) - truth, 2) / 20000;
    return sqrt(squares);
}

static void families_have_their_own_noise(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    double centre[2] = {0, 0};
    tc_family *f = make("gp-family", &o, 1, 0), *b = make("branin", &o, 1, 0);
    assert_close(observed_sd(f, centre), 0.1, 0.003);
    assert_close(observed_sd(b, centre), 0, 0);
    tc_family_free(f);
    tc_family_free(b);
    o.objective.noise = 1;
    o.objective.noise_scale = 0.5;
    b = make("branin", &o, 1, 0);
    assert_close(observed_sd(b, centre), 0.5, 0.015);
    tc_family_free(b);
    o.objective.noise = 0;
    f = make("gp-family", &o, 1, 0);
    assert_close(observed_sd(f, centre), 0, 0);
    tc_family_free(f);
}

/* -- shifted objectives -------------------------------------------------------------------- */

static tc_objective *objective_of(const char *name, double shift, uint64_t seed)
{
    tacit_error err = {0};
    tc_objective_opts o;
    tc_objective *made = NULL;
    assert_ok(tc_options_defaults(tc_objective_options, &o, &err));
    o.shift = shift;
    assert_ok(tc_objective_new(&made, name, &o, tc_public_seed_from(seed), &err));
    return made;
}

static void random_point(const tc_space *space, tc_stream *s, double *x)
{
    double u[64];
    for (size_t d = 0; d < space->dim; d++)
        u[d] = tc_draw_uniform(s);
    tc_space_decode(space, u, x);
}

static void agent_0_is_the_objective_itself(void **state)
{
    (void)state;
    for (size_t k = 0; tc_objectives()[k]; k++) {
        const char *name = tc_objectives()[k]->name;
        if (strncmp(name, "rkhs-", 5) == 0 || strstr(name, "-linear"))
            continue; /* takes no shift: its candidates, or its constraint, do not move */
        tc_family_opts o = defaults();
        o.objective.shift = 0.1;
        tc_family *f = make(name, &o, 4, 21);
        tc_objective *alone = objective_of(name, 0.1, 21);
        tc_stream s;
        tc_public_seed seed = tc_public_seed_from(2);
        double x[64];
        size_t differ = 0;
        tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
        for (size_t i = 0; i < 50; i++) {
            random_point(tc_family_space(f), &s, x);
            assert_same_bits(tc_family_value(f, 0, x), tc_objective_value(alone, x));
            assert_same_bits(tc_family_regret(f, 0, x), tc_objective_regret(alone, x));
            for (size_t agent = 1; agent < 4; agent++)
                differ += tc_family_value(f, agent, x) != tc_family_value(f, agent - 1, x);
        }
        assert_true(differ > 140);
        assert_same_bits(tc_family_optimum(f, 3), tc_objective_optimum(alone));
        assert_int_equal(tc_family_maximize(f), tc_objective_maximize(alone));
        tc_objective_free(alone);
        tc_family_free(f);
    }
}

/* On a fine scan every agent comes near the common optimum and none beats it. */
static void every_agent_attains_the_optimum(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    o.objective.shift = 0.3;
    tc_family *f = make("garland", &o, 5, 6);
    for (size_t agent = 0; agent < 5; agent++) {
        double least = INFINITY;
        for (size_t i = 0; i <= 100000; i++) {
            double x = (double)i / 100000;
            double regret = tc_family_optimum(f, agent) - tc_family_value(f, agent, &x);
            assert_true(regret > -1e-12);
            least = fmin(least, regret);
        }
        assert_true(least < 0.01);
    }
    tc_family_free(f);
}

static void without_a_shift_agents_are_alike(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    tc_family *f = make("hartmann6", &o, 1000000, 6);
    double x[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    assert_same_bits(tc_family_value(f, 999999, x), tc_family_value(f, 0, x));
    tc_family_free(f);
    o.objective.grid = 9; /* gp-sample's own candidates */
    f = make("gp-sample", &o, 2, 6);
    assert_int_equal(points(f), 81);
    assert_same_bits(at(f, 1, 80), at(f, 0, 80));
    tc_family_free(f);
}

/* -- refusals ------------------------------------------------------------------------------ */

static void refused(const char *name, const tc_family_opts *o, size_t agents, const char *message)
{
    tacit_error err = {0};
    tc_family *f = NULL;
    assert_fails(tc_family_new(&f, name, o, agents, tc_public_seed_from(0), &err), TACIT_E_ARG,
                 message);
    assert_null(f);
}

static void names_and_agents_are_checked(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    refused("gp-familly", &o, 2,
            "there is no family of objectives \"gp-familly\"; did you mean \"gp-family\"? "
            "Families: gp-family, table:FILE.csv, branin");
    refused("gp-family", &o, 0, "a family needs at least 1 agent, not 0");
    refused("gp-family", &o, (size_t)1 << 40,
            "1099511627776 agents with 1000 candidates each are too many; allowed are 268435456 "
            "values");
    o.objective.dim = 3;
    refused("branin", &o, 2, "dim is 3, but the objective branin has 2 dimensions");
}

static void gp_family_options_are_checked(void **state)
{
    (void)state;
    tc_family_opts o = defaults();
    o.objective.shift = 0.1;
    refused("gp-family", &o, 2, "gp-family takes no shift: its candidates do not move");
    o = defaults();
    o.heterogeneity = -1;
    refused("gp-family", &o, 2, "heterogeneity must be a number >= 0, not -1");
    o = defaults();
    o.distance = NAN;
    refused("gp-family", &o, 2, "distance must be a number >= 0, not nan");
    o = defaults();
    o.objective.lengthscale = 11;
    refused("gp-family", &o, 2, "lengthscale must be in (0, 10], not 11");
    o = defaults();
    o.objective.grid = 1;
    refused("gp-family", &o, 2, "grid is 1 per axis in 1 dimension; allowed are at least 2");
    o.objective.grid = -4;
    refused("gp-family", &o, 2, "gp-family takes a dim of 1 to 64 and a grid of at least 2");
    o = defaults();
    o.objective.noise_scale = -1;
    refused("gp-family", &o, 2, "noise-scale must be a number >= 0, not -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_the_papers),
        cmocka_unit_test(optima_are_exact),
        cmocka_unit_test(the_shared_draw_has_the_kernel),
        cmocka_unit_test(own_draws_are_not_the_shared_one),
        cmocka_unit_test(heterogeneity_is_the_sd_of_own_draws),
        cmocka_unit_test(own_draws_are_independent),
        cmocka_unit_test(a_distance_is_exact),
        cmocka_unit_test(more_agents_change_no_agent),
        cmocka_unit_test(families_have_their_own_noise),
        cmocka_unit_test(agent_0_is_the_objective_itself),
        cmocka_unit_test(every_agent_attains_the_optimum),
        cmocka_unit_test(without_a_shift_agents_are_alike),
        cmocka_unit_test(names_and_agents_are_checked),
        cmocka_unit_test(gp_family_options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
