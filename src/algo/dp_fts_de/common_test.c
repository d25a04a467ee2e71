/* common_test.c - the common configuration of all agents, beside the definition: what was released as a function on a
 * fine grid, and its noise coordinate by coordinate. */
#include "support/features_model.h"

#include "algo/dp_fts_de/agent.h"
#include "algo/history.h"
#include "space/partition.h"

#include <string.h>

enum { M = 12, AGENTS = 40, GRID = 4001, REGIONS_MOST = 3 };

typedef struct fixture {
    tc_space *space;
    tc_dp_fts_de_options opts;
    tc_env env;
    size_t P;
    uint8_t bytes[2][8 * REGIONS_MOST * M];
    tc_broadcast heard[2];
} fixture;

/* The sums of a round: anything, as large as such sums are. */
static int64_t step_of(uint64_t round, size_t k)
{
    return (int64_t)((round + 1) * 7919 * (k + 3) * (k + 1) % 4001 - 2000) * 1000000;
}

static void set_up(fixture *f, size_t P, const char *releases, bool own_gp)
{
    tacit_error err = {0};
    memset(f, 0, sizeof *f);
    f->P = P;
    assert_ok(tc_space_new(&f->space, &err));
    assert_ok(tc_space_add_float(f->space, "x", 0, 1, 0, false, &err));
    features_model(&f->opts);
    f->opts.features = M;
    f->opts.regions = (int64_t)P;
    f->opts.initial = 4;
    f->opts.noise_multiplier = 2;
    if (own_gp) {
        f->opts.own = TC_DP_FTS_DE_OWN_GP;
        f->opts.init = TC_DP_FTS_DE_INIT_DOMAIN;
    }
    tc_free(f->opts.releases);
    f->opts.releases = tc_strdup(releases);
    f->env = (tc_env){
        .space = f->space, .public_seed = tc_public_seed_from(3), .agents = AGENTS, .budget = 20};
    for (uint64_t r = 0; r < 2; r++) {
        for (size_t j = 0; j < P * M; j++)
            for (size_t b = 0; b < 8; b++)
                f->bytes[r][8 * j + b] = (uint8_t)((uint64_t)step_of(r, j) >> (8 * b));
        f->heard[r] = (tc_broadcast){.round = r, .bytes = f->bytes[r], .size = 8 * P * M};
    }
}

static void tear_down(fixture *f)
{
    tc_options_fini(tc_algorithm_dp_fts_de.options, &f->opts);
    tc_space_free(f->space);
}

static tacit_status recommend(const fixture *f, size_t n, double *x, tc_common *out,
                              tacit_error *err)
{
    *out = (tc_common){.values = x};
    return tc_algorithm_dp_fts_de.aggregator->recommend(&f->env, &f->opts, f->heard, n, out, err);
}

/* ---- the definition ---- */

typedef struct slow {
    tc_dp_fts_de_agent_state a;
    tc_history history;
    tc_env env;
    double sd; /* of the noise in each coordinate of a broadcast */
    double unit;
} slow;

static void slow_set_up(slow *s, const fixture *f)
{
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    tc_sum_scale scale;
    memset(s, 0, sizeof *s);
    assert_ok(tc_history_init(&s->history, f->space, &err));
    s->env = f->env;
    s->env.history = &s->history;
    s->a.observer = true;
    assert_ok(tc_dp_fts_de_agent.init(&s->a, &s->env, &f->opts, &err));
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = AGENTS}, &f->opts, 0, &err));
    assert_ok(tc_sum_plan_scale(&r.plan, &scale, &err));
    s->unit = ldexp(1, -r.release_grid) / tc_dp_fts_de_rate(&f->opts, AGENTS);
    s->sd = ldexp((double)scale.sd, -scale.grid) / tc_dp_fts_de_rate(&f->opts, AGENTS);
    tc_dp_fts_de_round_fini(&r);
}

static void slow_tear_down(slow *s)
{
    tc_dp_fts_de_agent.fini(&s->a);
    tc_history_fini(&s->history);
}

/* phi(x)'w of the region of x, after the filter. omega: P x M, in place. */
static double value_of(const slow *s, double *omega, double x)
{
    double common[M], rest[M], phi[M], sum = 0;
    const size_t region = tc_region_of(&x, s->a.features->regions, 1);
    if (s->a.filter)
        tc_dp_fts_de_filter_apply(s->a.filter, omega, common, rest);
    tc_rff_many(&s->a.features->rff, 1, &x, 1, phi, M);
    for (size_t m = 0; m < M; m++)
        sum += phi[m] * omega[region * M + m];
    return sum;
}

/* The mean of n releases at x. */
static double mean_of(const slow *s, const fixture *f, size_t n, double x)
{
    double mean = 0;
    for (uint64_t r = 0; r < n; r++) {
        double omega[REGIONS_MOST * M];
        for (size_t j = 0; j < f->P * M; j++)
            omega[j] = s->unit * (double)step_of(r, j);
        mean += value_of(s, omega, x) / (double)n;
    }
    return mean;
}

/* Every coordinate of every release has noise of its own. */
static double noise_of(const slow *s, const fixture *f, size_t n, double x)
{
    double squares = 0;
    for (size_t j = 0; j < f->P * M; j++) {
        double omega[REGIONS_MOST * M] = {0};
        omega[j] = 1;
        const double part = value_of(s, omega, x);
        squares += part * part;
    }
    return s->sd * sqrt(squares / (double)n);
}

static void check(size_t P, const char *releases, size_t n, bool own_gp, bool filtered)
{
    fixture f;
    slow s;
    tacit_error err = {0};
    tc_common c;
    double x, top = -INFINITY;
    set_up(&f, P, releases, own_gp);
    slow_set_up(&s, &f);
    assert_int_equal(s.a.filter != NULL, filtered);
    assert_ok(recommend(&f, n, &x, &c, &err));
    for (size_t i = 0; i < GRID; i++)
        top = fmax(top, mean_of(&s, &f, n, (double)i / (GRID - 1)));
    const double unit = fabs(top) + 1e-12;
    assert_true(c.mean >= top - 1e-6 * unit);
    assert_close(c.mean, mean_of(&s, &f, n, x), 1e-9 * unit);
    assert_close(c.noise_sd, noise_of(&s, &f, n, x), 1e-9 * c.noise_sd);
    assert_true(c.noise_sd > 0);
    assert_int_equal(c.releases, n);
    slow_tear_down(&s);
    tear_down(&f);
}

static void it_is_where_the_released_mean_is_largest(void **state)
{
    (void)state;
    check(1, "first", 1, true, true);
    check(1, "first", 1, false, true);
    check(3, "first", 1, false, true);
    check(1, "0,1", 1, true, false);
    check(1, "0,1", 2, true, false);
    check(2, "0,1", 2, false, false);
}

/* ---- what is not known ---- */

static void nothing_released_is_said(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_common c;
    double x;
    (void)state;
    set_up(&f, 1, "first", true);
    assert_fails(recommend(&f, 0, &x, &c, &err), TACIT_E_STATE,
                 "nothing was released yet that says where the agents' mean is largest");
    f.heard[0].size -= 8;
    assert_fails(recommend(&f, 1, &x, &c, &err), TACIT_E_CORRUPT,
                 "the broadcast of round 0 must have 96 bytes, got 88");
    tear_down(&f);
}

/* The weights are those of features whose length-scale the vote says. */
static void weights_without_the_vote_say_nothing(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_common c;
    double x;
    (void)state;
    set_up(&f, 1, "first", true);
    f.opts.lengthscale = 0;
    f.opts.vote = TC_DP_FTS_DE_VOTE_YES;
    f.opts.vote_multiplier = 2;
    f.heard[0] = f.heard[1]; /* round 1 has the weights */
    assert_fails(recommend(&f, 1, &x, &c, &err), TACIT_E_STATE, "nothing was released yet");
    f.heard[0] =
        (tc_broadcast){.round = 0, .bytes = f.bytes[0], .size = 8 * TC_DP_FTS_DE_VOTE_GRID};
    assert_fails(recommend(&f, 1, &x, &c, &err), TACIT_E_STATE, "nothing was released yet");
    assert_ok(recommend(&f, 2, &x, &c, &err));
    assert_int_equal(c.releases, 1);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_where_the_released_mean_is_largest),
        cmocka_unit_test(nothing_released_is_said),
        cmocka_unit_test(weights_without_the_vote_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
