/* plan_test.c - promises: the noise they ask for, and what is chosen where nothing was said. */
#include "support/features_model.h"

#include "algo/dp_fts_de/dp_fts_de.h"
#include "base/json.h"
#include "privacy/accountant.h"
#include "privacy/ledger.h"
#include "space/partition.h"

enum { INITIAL = 10, ROUNDS = 40 };

static const tc_option *table(void)
{
    return tc_algorithm_dp_fts_de.options;
}

static void fill(tc_dp_fts_de_options *o, const char *name, const char *value)
{
    tacit_error err = {0};
    assert_ok(tc_options_set(table(), o, "dp-fts-de", name, value, &err));
}

/* Options as a user would give them: "name", "value", ..., NULL. */
static void start(tc_dp_fts_de_options *o, const char *const *words)
{
    features_model(o);
    fill(o, "features", "50");
    fill(o, "lengthscale", "0.03");
    for (; words && *words; words += 2)
        fill(o, words[0], words[1]);
}

static tacit_status promise(tc_dp_fts_de_options *o, uint64_t agents, uint64_t trials,
                            double epsilon, double delta, tacit_error *err)
{
    tc_env env = {.agents = agents, .budget = trials};
    return tc_algorithm_dp_fts_de.promise(&env, o, epsilon, delta, err);
}

static void end(tc_dp_fts_de_options *o)
{
    tc_options_fini(table(), o);
}

/* What the releases of the plan cost, event by event, as a ledger would hear of them. */
static double cost(const tc_dp_fts_de_options *o, uint64_t agents, double delta, uint64_t *releases)
{
    tacit_error err = {0};
    tacit_dp_event events[ROUNDS];
    tc_dp_fts_de_releases r;
    tacit_guarantee g;
    size_t n = 0;
    assert_ok(tc_dp_fts_de_releases_init(&r, o->releases, &err));
    for (uint64_t t = tc_dp_fts_de_releases_next(&r, 0); t < ROUNDS;
         t = tc_dp_fts_de_releases_next(&r, t + 1)) {
        tc_round_price price;
        tc_env env = {.agents = agents};
        assert_ok(tc_dp_fts_de_aggregator.price(&env, o, t, &price, &err));
        events[n++] = price.event;
    }
    tc_dp_fts_de_releases_fini(&r);
    assert_ok(tc_account(&tc_accountant_pld, events, n, delta, &g, &err));
    *releases = n;
    return g.epsilon;
}

static void test_a_promise_is_kept_and_not_wasted(void **state)
{
    (void)state;
    const char *const cases[][7] = {
        {NULL},
        {"releases", "all", NULL},
        {"releases", "0,1,4,100", NULL},
        {"releases", "all", "sampling_rate", "0.25", "mode", "paper", NULL},
        {"releases", "0,5", "sampling", "fixed", "sampling_rate", "0.5", NULL},
    };
    const uint64_t expected[] = {1, 40, 3, 40, 2};
    for (size_t k = 0; k < 5; k++) {
        tacit_error err = {0};
        tc_dp_fts_de_options o = {0};
        uint64_t releases;
        start(&o, cases[k]);
        assert_ok(promise(&o, 200, INITIAL + ROUNDS, 2, 1e-5, &err));
        double epsilon = cost(&o, 200, 1e-5, &releases);
        assert_int_equal(releases, expected[k]);
        assert_true(epsilon <= 2 && epsilon > 2 * 0.999);
        end(&o);
    }
}

static void test_noise_is_that_of_calibrate(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    double z;
    start(&o, (const char *const[]){"releases", "0,1,2", NULL});
    assert_ok(promise(&o, 200, INITIAL + ROUNDS, 1, 1e-5, &err));
    assert_ok(tc_calibrate(&tc_accountant_gaussian, 1, 1e-5, TACIT_DP_ALL, 1, 3, &z, &err));
    assert_close(o.noise_multiplier / z, 1, 1e-5);
    assert_string_equal(o.releases, "0,1,2");
    end(&o);
    start(&o, NULL);
    assert_ok(promise(&o, 200, INITIAL + ROUNDS, 1, 1e-5, &err));
    assert_ok(tc_analytic_gaussian(1, 1e-5, &z, &err));
    assert_close(o.noise_multiplier / z, 1, 1e-5);
    end(&o);
}

/* Discrete noise takes its share of delta: with much of it, integer orders are asked instead. */
static void test_large_epsilon_leaves_room_for_discreteness(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    double z, rdp;
    start(&o, (const char *const[]){"releases", "all", NULL});
    assert_ok(promise(&o, 200, INITIAL + ROUNDS, 16, 1e-6, &err));
    assert_ok(tc_calibrate(&tc_accountant_gaussian, 16, 1e-6, TACIT_DP_ALL, 1, ROUNDS, &z, &err));
    assert_ok(tc_calibrate(&tc_accountant_moments, 16, 1e-6, TACIT_DP_ALL, 1, ROUNDS, &rdp, &err));
    assert_true(rdp > z);
    assert_close(o.noise_multiplier, rdp, 1e-6 * rdp);
    end(&o);
}

/* z |phi_n| c / q of the agent that counts most, in round 0; the paper's bound where it is larger. */
static double error_sd(const tc_dp_fts_de_options *o, uint64_t agents)
{
    double norm = 0, peak = 0, c = tc_dp_fts_de_clip(o), root = sqrt((double)o->regions);
    for (size_t start = 0; start < (size_t)o->regions; start++) {
        double square = 0;
        for (size_t i = 0; i < (size_t)o->regions; i++) {
            double w = tc_dp_fts_de_weight(o, agents, 0, start, i);
            square += w * w;
            peak = fmax(peak, w);
        }
        norm = fmax(norm, sqrt(square));
    }
    double bound = o->mode == TC_DP_FTS_DE_PAPER ? fmax(norm, peak * root) : norm;
    return o->noise_multiplier * c * bound / tc_dp_fts_de_rate(o, agents);
}

/* delta of the plan's one release at epsilon, with what a ledger adds for discrete noise. */
static double delta_of(const tc_dp_fts_de_options *o, uint64_t agents, double epsilon)
{
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    tc_sum_scale scale;
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = agents}, o, 0, &err));
    assert_ok(tc_sum_plan_scale(&r.plan, &scale, &err));
    tc_dp_fts_de_round_fini(&r);
    return tc_gaussian_delta(1 / o->noise_multiplier, epsilon) +
           (1 + exp(epsilon)) * scale.distance;
}

/* More epsilon is never more noise, and next to none is wasted, also where a bound for any plan would
 * take all of delta. */
static void test_noise_falls_with_epsilon(void **state)
{
    (void)state;
    double before = INFINITY;
    for (double epsilon = 6; epsilon <= 15; epsilon += 0.5) {
        tacit_error err = {0};
        tc_dp_fts_de_options o = {0};
        double z;
        start(&o, NULL);
        assert_ok(promise(&o, 200, INITIAL + ROUNDS, epsilon, 1e-5, &err));
        assert_ok(tc_analytic_gaussian(epsilon, 1e-5, &z, &err));
        assert_true(o.noise_multiplier < before);
        assert_true(o.noise_multiplier >= z && o.noise_multiplier < 1.01 * z);
        assert_true(delta_of(&o, 200, epsilon) <= 1e-5);
        before = o.noise_multiplier;
        end(&o);
    }
}

/* A coin is a multiple of 2^-32, and it is the coin that is paid for. */
static void test_a_rare_coin_is_within_the_promise(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    uint64_t releases;
    start(&o, (const char *const[]){"sampling_rate", "0.0003001", "regions", "1", NULL});
    assert_ok(promise(&o, 1000, INITIAL + ROUNDS, 1, 1e-6, &err));
    assert_true(cost(&o, 1000, 1e-6, &releases) <= 1);
    end(&o);
}

/* In two dimensions P = 13 would be strips of 0.77 length-scales, and 11 of 0.9. */
static void test_no_region_is_a_strip(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *space;
    int strips = 0;
    assert_ok(tc_space_new(&space, &err));
    assert_ok(tc_space_add_float(space, "a", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(space, "b", 0, 1, 0, false, &err));
    for (double epsilon = 1; epsilon < 6; epsilon += 0.1) {
        tc_env env = {.space = space, .agents = 200, .budget = INITIAL + ROUNDS};
        tc_dp_fts_de_options o = {0};
        double low[2], high[2];
        start(&o, (const char *const[]){"lengthscale", "0.1", NULL});
        assert_ok(tc_dp_fts_de_promise(&env, &o, epsilon, 1e-5, &err));
        tc_region_box(0, (size_t)o.regions, 2, low, high);
        assert_true(fmin(high[0], high[1]) >= 0.15);
        o.regions++; /* the next that would do has too much noise, or is one too many */
        while (o.regions <= 16 && error_sd(&o, 200) <= 0.25 * 0.99999) {
            tc_region_box(0, (size_t)o.regions++, 2, low, high);
            assert_true(fmin(high[0], high[1]) < 0.15);
            strips++;
        }
        end(&o);
    }
    assert_true(strips > 5);
    tc_space_free(space);
}

/* A region without agents would hear of nobody. */
static void test_there_are_no_more_regions_than_agents(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    start(&o, NULL);
    assert_ok(promise(&o, 4, INITIAL + ROUNDS, 1000, 1e-5, &err));
    assert_int_equal(o.regions, 4);
    end(&o);
    start(&o, (const char *const[]){"features", "4096", NULL}); /* or than there is room for */
    assert_ok(promise(&o, 1000, INITIAL + ROUNDS, 1000, 1e-5, &err));
    assert_int_equal(o.regions, 8);
    end(&o);
    start(&o, (const char *const[]){"features", "4096", "lengthscale", "0.003", NULL});
    assert_ok(promise(&o, 1000, INITIAL + ROUNDS, 1000, 1e-5, &err));
    assert_int_equal(o.regions, 8);
    end(&o);
}

/* The rule: one release, and as many regions as the noise allows. */
static void test_what_is_chosen(void **state)
{
    (void)state;
    const struct {
        uint64_t agents;
        double epsilon;
        int64_t regions;
    } row[] = {
        {30, 0.5, 1},   {30, 1, 1},   {30, 2, 1},   {30, 4, 1},   {30, 8, 3},
        {200, 0.5, 2},  {200, 1, 3},  {200, 2, 7},  {200, 4, 8},  {200, 8, 8},
        {1000, 0.5, 8}, {1000, 1, 8}, {1000, 2, 8}, {1000, 4, 8}, {1000, 8, 8},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        tacit_error err = {0};
        tc_dp_fts_de_options o = {0};
        start(&o, NULL);
        assert_ok(promise(&o, row[k].agents, INITIAL + ROUNDS, row[k].epsilon, 1e-5, &err));
        assert_string_equal(o.releases, "first");
        assert_int_equal(o.regions, row[k].regions);
        end(&o);
    }
}

/* As many regions as keep the error within a quarter, whatever else was said. */
static void test_regions_follow_the_noise(void **state)
{
    (void)state;
    const char *const cases[][7] = {
        {NULL},
        {"sampling_rate", "0.5", NULL},
        {"sampling", "fixed", "sampling_rate", "0.25", NULL},
        {"clip", "10", NULL},
        {"mode", "paper", NULL},
        {"mode", "paper", "clip", "6", "sampling_rate", "0.5", NULL},
        {"weights", "uniform", NULL},
    };
    static const double epsilon[] = {1, 2, 7};
    int chosen = 0;
    for (size_t k = 0; k < 3 * sizeof cases / sizeof *cases; k++) {
        tacit_error err = {0};
        tc_dp_fts_de_options o = {0};
        start(&o, cases[k / 3]);
        assert_ok(promise(&o, 300, INITIAL + ROUNDS, epsilon[k % 3], 1e-4, &err));
        int64_t P = o.regions;
        chosen += P > 1 && P < 8;
        assert_true(P == 1 || error_sd(&o, 300) <= 0.25 * 1.00001);
        for (o.regions = P + 1; o.regions <= 8; o.regions++)
            assert_true(error_sd(&o, 300) > 0.25 * 0.99999);
        end(&o);
    }
    assert_true(chosen >= 8); /* neither of the ends */
}

static void test_the_settings_of_the_paper(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    start(&o, NULL);
    assert_ok(promise(&o, 200, INITIAL + ROUNDS, 7.05, 0.0029, &err));
    assert_int_equal(o.regions, 8);
    end(&o);
}

/* What runs without a promise, said in numbers. */
static void test_resolved_defaults(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    const tc_env env = {.agents = 200};
    start(&o, NULL);
    double clip = tc_dp_fts_de_clip(&o);
    assert_ok(tc_algorithm_dp_fts_de.resolve_defaults(&env, &o, &err));
    assert_string_equal(o.releases, "all");
    assert_int_equal(o.regions, 4);
    assert_close(o.clip, 2 * 1.1 * sqrt(10), 1e-12);
    assert_close(tc_dp_fts_de_clip(&o), clip, 1e-12);
    assert_int_equal(o.message, TC_DP_FTS_DE_MEAN);
    end(&o);
    start(&o, (const char *const[]){"noise_multiplier", "0", NULL});
    clip = tc_dp_fts_de_clip(&o);
    assert_ok(tc_algorithm_dp_fts_de.resolve_defaults(&env, &o, &err));
    assert_int_equal(o.message, TC_DP_FTS_DE_DRAW);
    assert_close(tc_dp_fts_de_clip(&o), clip, 1e-12);
    end(&o);
    start(&o, (const char *const[]){"regions", "9", "clip", "5", "releases", "0,3", NULL});
    assert_ok(tc_algorithm_dp_fts_de.resolve_defaults(&env, &o, &err));
    assert_string_equal(o.releases, "0,3");
    assert_int_equal(o.regions, 9);
    assert_close(o.clip, 5, 1e-12);
    end(&o);
}

static void test_resolved_lengthscale(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    tc_space *plane = NULL;
    assert_ok(tc_space_new(&plane, &err));
    assert_ok(tc_space_add_float(plane, "x", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(plane, "y", 0, 1, 0, false, &err));
    const tc_env env = {.space = plane, .agents = 200, .budget = 30};
    start(&o, (const char *const[]){"own", "gp", "init", "auto", "lengthscale", "0", NULL});
    tc_algorithm_dp_fts_de.begin(&env, &o);
    assert_ok(tc_algorithm_dp_fts_de.resolve_defaults(&env, &o, &err));
    assert_close(o.lengthscale, 0.1 * pow(2, 0.75), 1e-12); /* nobody votes: the usual one */
    o.lengthscale = 0;
    o.vote = TC_DP_FTS_DE_VOTE_YES;
    assert_ok(tc_algorithm_dp_fts_de.resolve_defaults(&env, &o, &err));
    assert_close(o.lengthscale, 0, 0); /* not known before the vote */
    end(&o);
    tc_space_free(plane);
}

static int64_t begun_initial(const char *initial, uint64_t trials)
{
    tc_dp_fts_de_options o = {0};
    start(&o, (const char *const[]){"initial", initial, NULL});
    tc_algorithm_dp_fts_de.begin(&(tc_env){.agents = 5, .budget = trials}, &o);
    int64_t found = o.initial;
    tc_algorithm_dp_fts_de.begin(&(tc_env){.agents = 5, .budget = 2 * trials + 90}, &o);
    assert_int_equal(o.initial, found); /* once is for good */
    end(&o);
    return found;
}

static void test_a_third_of_the_trials_is_initial(void **state)
{
    static const struct {
        uint64_t trials;
        int64_t initial;
    } cases[] = {{1, 3},  {5, 3},  {9, 3},   {11, 3},    {12, 4},
                 {18, 6}, {29, 9}, {30, 10}, {1000, 10}, {0, 10}}; /* 0: nobody knows */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(begun_initial("-1", cases[i].trials), cases[i].initial);
    assert_int_equal(begun_initial("0", 60), 0);
    assert_int_equal(begun_initial("25", 30), 25);
}

static int begun_init(const char *own, const char *init)
{
    tc_dp_fts_de_options o = {0};
    start(&o, (const char *const[]){"own", own, "init", init, NULL});
    tc_algorithm_dp_fts_de.begin(&(tc_env){.agents = 5, .budget = 30}, &o);
    int found = o.init;
    end(&o);
    return found;
}

static void test_where_initial_points_are(void **state)
{
    (void)state;
    assert_int_equal(begun_init("gp", "auto"), TC_DP_FTS_DE_INIT_DOMAIN);
    assert_int_equal(begun_init("features", "auto"), TC_DP_FTS_DE_INIT_REGION);
    assert_int_equal(begun_init("features", "domain"), TC_DP_FTS_DE_INIT_DOMAIN);
    assert_int_equal(begun_init("gp", "region"),
                     TC_DP_FTS_DE_INIT_REGION); /* tc_dp_fts_de_check refuses it */
}

static void test_what_was_given_stays(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    start(&o, (const char *const[]){"regions", "3", "releases", "all", NULL});
    assert_ok(promise(&o, 200, INITIAL + ROUNDS, 1, 1e-5, &err));
    assert_int_equal(o.regions, 3);
    assert_string_equal(o.releases, "all");
    end(&o);
    start(&o, (const char *const[]){"lengthscale", "0.6", NULL}); /* one region is fine enough */
    assert_ok(promise(&o, 200, INITIAL + ROUNDS, 8, 1e-5, &err));
    assert_int_equal(o.regions, 1);
    end(&o);
}

static void refuse(const char *const *words, uint64_t agents, uint64_t trials, double epsilon,
                   const char *why)
{
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    start(&o, words);
    double z = o.noise_multiplier;
    assert_fails(promise(&o, agents, trials, epsilon, 1e-5, &err), TACIT_E_ARG, why);
    assert_same_bits(o.noise_multiplier, z);
    end(&o);
}

static void test_what_cannot_be_kept_is_refused(void **state)
{
    (void)state;
    refuse((const char *const[]){"noise_multiplier", "0", NULL}, 200, 50, 1,
           "noise_multiplier=0 adds no noise and keeps no promise; leave it out to have it "
           "computed from epsilon");
    refuse(NULL, 1, 50, 1, "a promise needs a roster of at least 2 agents, got 1");
    refuse(NULL, 200, 0, 1, "a promise needs a number of trials above the 10 initial ones, got 0");
    refuse(NULL, 200, 10, 1, "above the 10 initial ones, got 10");
    refuse((const char *const[]){"releases", "40,50", NULL}, 200, 50, 1,
           "releases=40,50 has no round among the 40 that are planned");
    refuse((const char *const[]){"releases", "soon", NULL}, 200, 50, 1, "got \"soon\"");
    refuse((const char *const[]){"features", "4096", "regions", "9", NULL}, 200, 50, 1,
           "features=4096 in 9 regions would take up to 1208 MB for every agent");
    refuse(NULL, 200, 50, 0, "epsilon must be in (0, 1e6], got 0");
}

/* ---- the vote ---- */

#define VOTING "own", "gp", "init", "domain", "lengthscale", "0"

static const char *const voting[][9] = {
    {VOTING, NULL},
    {VOTING, "releases", "0,1,4", NULL},
    {VOTING, "releases", "all", NULL},
};
static const uint64_t voting_releases[] = {1, 3, ROUNDS};

/* The same options and promise without a vote. */
static double noise_without_vote(const char *const *words, uint64_t agents, double epsilon,
                                 double delta)
{
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    start(&o, words);
    fill(&o, "vote", "no");
    assert_ok(promise(&o, agents, INITIAL + ROUNDS, epsilon, delta, &err));
    assert_int_equal(o.vote, TC_DP_FTS_DE_VOTE_NO);
    assert_close(o.vote_multiplier, 0, 0);
    double z = o.noise_multiplier;
    end(&o);
    return z;
}

/* 1/z_v^2 + R/z^2 is R/z_0^2 of the plan without a vote, and a vote takes 14 % of it. */
static void test_a_vote_is_paid_by_the_weights(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++)
        for (double epsilon = 1; epsilon <= 16; epsilon *= 2) {
            tacit_error err = {0};
            tc_dp_fts_de_options o = {0};
            double R = (double)voting_releases[k],
                   z = noise_without_vote(voting[k], 5000, epsilon, 1e-6);
            start(&o, voting[k]);
            assert_ok(promise(&o, 5000, INITIAL + ROUNDS, epsilon, 1e-6, &err));
            assert_int_equal(o.vote, TC_DP_FTS_DE_VOTE_YES);
            double vote = 1 / (o.vote_multiplier * o.vote_multiplier),
                   weights = R / (o.noise_multiplier * o.noise_multiplier);
            /* what is set aside for discreteness is another at large epsilon */
            assert_close((vote + weights) / (R / (z * z)), 1, epsilon < 8 ? 1e-6 : 0.01);
            assert_close(vote / (vote + weights), 0.14, 1e-9);
            end(&o);
        }
}

/* What a ledger will hear of, round after round, as the coordinator counts them: of what it costs with the
 * discreteness of its noise, and how many releases there are. */
static double bill(const tc_dp_fts_de_options *o, uint64_t agents, uint64_t trials, double delta,
                   uint64_t *releases)
{
    tacit_error err = {0};
    tc_env env = {.agents = agents, .budget = trials};
    tacit_dp_event events[ROUNDS + 1];
    tacit_guarantee g;
    double distance = 0;
    uint64_t round;
    size_t n = 0;
    assert_ok(tc_dp_fts_de_aggregator.next_round(&env, o, 0, &round, &err));
    for (; round != TC_NO_ROUND; n++) {
        tc_dp_fts_de_round r;
        tc_sum_scale scale;
        assert_true(n < ROUNDS + 1);
        assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = agents}, o, round, &err));
        assert_ok(tc_sum_plan_scale(&r.plan, &scale, &err));
        events[n] = scale.event;
        distance += scale.distance;
        tc_dp_fts_de_round_fini(&r);
        assert_ok(tc_dp_fts_de_aggregator.next_round(&env, o, round + 1, &round, &err));
    }
    assert_ok(tc_ledger_cost(&tc_accountant_pld, events, n, distance, delta, &g, &err));
    *releases = n;
    return g.epsilon;
}

static void test_a_vote_is_within_the_promise(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++)
        for (double epsilon = 0.5; epsilon <= 16; epsilon *= 2) {
            tacit_error err = {0};
            tc_dp_fts_de_options o = {0};
            uint64_t releases;
            start(&o, voting[k]);
            fill(&o, "vote", "yes");
            assert_ok(promise(&o, 300, INITIAL + ROUNDS, epsilon, 1e-5, &err));
            double cost = bill(&o, 300, INITIAL + ROUNDS, 1e-5, &releases);
            assert_int_equal(releases, voting_releases[k] + 1);
            assert_true(cost <= epsilon &&
                        cost > 0.85 * epsilon); /* 16 is held by integer orders */
            end(&o);
        }
}

/* At least 4 agents for each unit of the vote's noise. */
static void test_when_there_is_a_vote(void **state)
{
    (void)state;
    static const uint64_t agents[] = {2, 8, 20, 50, 100, 200, 1000};
    int yes = 0, no = 0;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
            for (double epsilon = 0.5; epsilon <= 8; epsilon *= 2) {
                tacit_error err = {0};
                tc_dp_fts_de_options o = {0};
                double z = noise_without_vote(voting[k], agents[i], epsilon, 1e-5);
                bool affords = (double)agents[i] >= 4 * z / sqrt(0.14 * (double)voting_releases[k]);
                start(&o, voting[k]);
                assert_ok(promise(&o, agents[i], INITIAL + ROUNDS, epsilon, 1e-5, &err));
                assert_int_equal(o.vote, affords ? TC_DP_FTS_DE_VOTE_YES : TC_DP_FTS_DE_VOTE_NO);
                assert_true((o.vote_multiplier > 0) == affords);
                if (!affords)
                    assert_same_bits(o.noise_multiplier, z);
                *(affords ? &yes : &no) += 1;
                end(&o);
            }
    assert_true(yes > 10 && no > 10);
}

/* Whatever the number of agents: in a document from before, auto is all that there is. */
static void test_where_no_vote_is_possible(void **state)
{
    (void)state;
    const char *const cases[][9] = {
        {NULL},
        {"lengthscale", "0", NULL},
        {"own", "gp", "init", "domain", NULL},
        {VOTING, "sampling_rate", "0.5", NULL},
        {VOTING, "sampling", "fixed", NULL},
        {VOTING, "mode", "paper", NULL},
        {VOTING, "initial", "2", NULL}, /* nobody would have anything to say */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tacit_error err = {0};
        tc_dp_fts_de_options o = {0};
        start(&o, cases[k]);
        assert_ok(promise(&o, 5000, INITIAL + ROUNDS, 8, 1e-5, &err));
        assert_int_equal(o.vote, TC_DP_FTS_DE_VOTE_AUTO);
        assert_close(o.vote_multiplier, 0, 0);
        assert_false(tc_dp_fts_de_votes(&o));
        end(&o);
    }
}

static void test_votes_that_contradict_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *words[13], *why;
    } row[] = {
        {{"vote", "yes", "lengthscale", "0", NULL}, "vote=yes needs own=gp"},
        {{VOTING, "vote", "yes", "lengthscale", "0.1", NULL},
         "lengthscale is 0.1, so there is nothing to vote on"},
        {{VOTING, "vote", "yes", "sampling_rate", "0.5", NULL},
         "a vote needs all agents: sampling_rate must be 1, got 0.5"},
        {{VOTING, "vote", "yes", "sampling", "fixed", NULL},
         "a vote needs all agents: sampling must be poisson, got fixed"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        tacit_error err = {0};
        tc_dp_fts_de_options o = {0};
        refuse(row[k].words, 500, INITIAL + ROUNDS, 4, row[k].why);
        start(&o, row[k].words);
        o.vote_multiplier = 1;
        assert_fails(tc_dp_fts_de_check(&o, &err), TACIT_E_ARG, row[k].why);
        end(&o);
    }
    for (int k = 0; k < 2; k++) {
        tacit_error err = {0};
        tc_dp_fts_de_options o = {0};
        start(&o, (const char *const[]){VOTING, "vote", "yes", NULL});
        o.vote_multiplier = k;
        o.noise_multiplier = 1 - k;
        assert_fails(tc_dp_fts_de_check(&o, &err), TACIT_E_ARG,
                     k ? "vote_multiplier and noise_multiplier must both be 0 or both above, got 1 "
                         "and 0"
                       : "vote_multiplier and noise_multiplier must both be 0 or both above, got 0 "
                         "and 1");
        end(&o);
    }
}

static uint64_t round_from(const tc_dp_fts_de_options *o, uint64_t trials, uint64_t from)
{
    tacit_error err = {0};
    tc_env env = {.agents = 9, .budget = trials};
    uint64_t round;
    assert_ok(tc_dp_fts_de_aggregator.next_round(&env, o, from, &round, &err));
    return round;
}

/* Round 0 is the vote, round r + 1 release r, and none comes after the last trial, however many there are. */
static void test_rounds_of_a_study_that_votes(void **state)
{
    (void)state;
    const uint64_t never = TC_NO_ROUND;
    tc_dp_fts_de_options o = {0};
    start(&o, (const char *const[]){VOTING, "vote", "yes", "releases", "1,4", NULL});
    o.vote_multiplier = 1;
    assert_int_equal(round_from(&o, 0, 0), 0);
    assert_int_equal(round_from(&o, 0, 1), 2);
    assert_int_equal(round_from(&o, 0, 3), 5);
    assert_int_equal(round_from(&o, 0, 6), never);
    assert_int_equal(round_from(&o, INITIAL, 0), never); /* nobody would hear of it */
    assert_int_equal(round_from(&o, INITIAL + 1, 0), 0);
    assert_int_equal(round_from(&o, INITIAL + 1, 1), never);
    assert_int_equal(round_from(&o, INITIAL + 2, 1), 2);
    assert_int_equal(round_from(&o, INITIAL + 4, 3), never);
    assert_int_equal(round_from(&o, INITIAL + 5, 3), 5); /* a study that goes on for longer */
    end(&o);
    start(&o, (const char *const[]){VOTING, "vote", "yes", "releases", "all", NULL});
    o.vote_multiplier = 1;
    for (uint64_t from = 0; from <= 3; from++)
        assert_int_equal(round_from(&o, INITIAL + 3, from), from);
    assert_int_equal(round_from(&o, INITIAL + 3, 4), never);
    assert_int_equal(round_from(&o, INITIAL + 7, 4), 4);
    for (uint64_t round = 1; round < 9; round++)
        assert_int_equal(tc_dp_fts_de_release_of(&o, round), round - 1);
    end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_promise_is_kept_and_not_wasted),
        cmocka_unit_test(test_noise_is_that_of_calibrate),
        cmocka_unit_test(test_large_epsilon_leaves_room_for_discreteness),
        cmocka_unit_test(test_noise_falls_with_epsilon),
        cmocka_unit_test(test_a_rare_coin_is_within_the_promise),
        cmocka_unit_test(test_no_region_is_a_strip),
        cmocka_unit_test(test_there_are_no_more_regions_than_agents),
        cmocka_unit_test(test_what_is_chosen),
        cmocka_unit_test(test_regions_follow_the_noise),
        cmocka_unit_test(test_the_settings_of_the_paper),
        cmocka_unit_test(test_resolved_defaults),
        cmocka_unit_test(test_resolved_lengthscale),
        cmocka_unit_test(test_a_third_of_the_trials_is_initial),
        cmocka_unit_test(test_where_initial_points_are),
        cmocka_unit_test(test_what_was_given_stays),
        cmocka_unit_test(test_what_cannot_be_kept_is_refused),
        cmocka_unit_test(test_a_vote_is_paid_by_the_weights),
        cmocka_unit_test(test_a_vote_is_within_the_promise),
        cmocka_unit_test(test_when_there_is_a_vote),
        cmocka_unit_test(test_where_no_vote_is_possible),
        cmocka_unit_test(test_votes_that_contradict_are_refused),
        cmocka_unit_test(test_rounds_of_a_study_that_votes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
