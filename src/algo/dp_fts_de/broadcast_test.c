/* broadcast_test.c - dp-fts-de where trustees add up: sums of groups say what a coordinator's broadcast says, the noise in
 * them is as large as is said, and what trustees know nothing of is refused. */
#include "support/features_model.h"

#include "algo/dp_fts_de/agent.h"

#include <string.h>

enum { M = 6, MOST_P = 4, MOST_AGENTS = 13, TRUSTEES = 5 };

typedef struct fixture {
    tc_space *space;
    tc_dp_fts_de_options opts;
    tc_history history;
    tc_env env, central; /* the same without trustees */
} fixture;

static void set_up(fixture *f, uint64_t agents, size_t P)
{
    tacit_error err = {0};
    memset(f, 0, sizeof *f);
    assert_ok(tc_space_new(&f->space, &err));
    assert_ok(tc_space_add_float(f->space, "x", 0, 1, 0, false, &err));
    features_model(&f->opts);
    f->opts.features = M;
    f->opts.regions = (int64_t)P;
    f->opts.initial = 4;
    f->opts.clip = 3;
    f->opts.noise_multiplier = 0;
    f->opts.vote_multiplier = 0;
    f->history = (tc_history){.dim = 1};
    f->central = (tc_env){.space = f->space,
                          .history = &f->history,
                          .public_seed = tc_public_seed_from(3),
                          .party_seed = tc_party_seed_from(4),
                          .agents = agents,
                          .budget = 60};
    f->env = f->central;
    f->env.trustees = tc_trustees_usual(TRUSTEES);
}

static void tear_down(fixture *f)
{
    tc_options_fini(tc_algorithm_dp_fts_de.options, &f->opts);
    tc_space_free(f->space);
}

static void release_once(fixture *f)
{
    tc_free(f->opts.releases);
    f->opts.releases = tc_strdup("first");
}

/* ---- the sums ---- */

/* Coordinate m of what agent n sends: within the clip norm. */
static double said(uint64_t n, size_t m)
{
    return 0.4 * sin(1.7 * (double)n + 0.9 * (double)m);
}

static void write_message(const fixture *f, const tc_env *env, uint64_t round, uint64_t n,
                          tc_text *out)
{
    tacit_error err = {0};
    tc_dp_fts_de_form form;
    int64_t v[M];
    assert_ok(tc_dp_fts_de_form_init(&form, env, &f->opts, round, &err));
    for (size_t m = 0; m < M; m++)
        v[m] = tc_grid_truncate(said(n, m), form.grid);
    out->len = 0;
    tc_dp_fts_de_message_write(&form, v, out);
}

/* What a coordinator broadcasts, without noise. */
static void centrally(const fixture *f, uint64_t round, double *omega)
{
    const tc_aggregator_ops *g = &tc_dp_fts_de_aggregator;
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    tc_test_noise noise;
    tc_release *release;
    tc_text message = {0};
    uint8_t bytes[8 * MOST_P * M];
    void *st = tc_alloc(1, g->state_size);
    tc_test_noise_init(&noise, 1, 0);
    tc_entropy e = tc_entropy_of_test(&noise);
    assert_ok(g->open(st, &f->central, &f->opts, round, &e, &err));
    for (uint64_t n = 0; n < f->central.agents; n++) {
        write_message(f, &f->central, round, n, &message);
        assert_ok(g->fold(st, n, tc_text_get(&message), message.len, &err));
    }
    assert_ok(g->close(st, &release, &err));
    assert_int_equal(tc_release_size(release), 8 * f->opts.regions * M);
    tc_release_encode(release, bytes);
    assert_ok(tc_dp_fts_de_round_init(&r, &f->central, &f->opts, round, &err));
    tc_dp_fts_de_broadcast_read(&r, bytes, omega);
    tc_dp_fts_de_round_fini(&r);
    tc_release_free(release);
    tc_text_fini(&message);
    g->fini(st);
    tc_free(st);
}

/* What trustees open, with the noise of r dealers. */
static tc_release *opened(const fixture *f, uint64_t round, uint64_t seed)
{
    const tc_aggregator_ops *g = &tc_dp_fts_de_aggregator;
    tacit_error err = {0};
    tc_shared_plan plan;
    tc_release *release;
    tc_text message = {0};
    int64_t v[MOST_P * M], sums[MOST_P * M] = {0};
    assert_ok(g->shared(&f->env, &f->opts, round, &plan, &err));
    for (uint64_t n = 0; n < f->env.agents; n++) {
        write_message(f, &f->env, round, n, &message);
        assert_ok(g->check(&f->env, &f->opts, round, n, tc_text_get(&message), message.len, &err));
        assert_ok(g->vector(&f->env, &f->opts, round, tc_text_get(&message), message.len, v, &err));
        for (size_t m = 0; m < plan.width; m++)
            sums[n % plan.groups * plan.width + m] += v[m];
    }
    for (uint32_t k = 0; k < plan.trustees.dealers; k++) {
        tc_test_noise noise;
        tc_entropy e = tc_shared_test_entropy(&noise, seed, k, round);
        assert_ok(tc_shared_noise(&plan, &e, v, &err));
        for (size_t j = 0; j < plan.groups * plan.width; j++)
            sums[j] += v[j];
    }
    assert_ok(tc_shared_release(&plan, sums, true, &release, &err));
    tc_text_fini(&message);
    return release;
}

static void read_opened(const fixture *f, uint64_t round, uint64_t seed, double *omega)
{
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    uint8_t bytes[8 * MOST_P * M];
    tc_release *release = opened(f, round, seed);
    assert_ok(tc_dp_fts_de_round_init(&r, &f->env, &f->opts, round, &err));
    assert_int_equal(tc_release_size(release), 8 * tc_dp_fts_de_broadcast_count(&r));
    tc_release_encode(release, bytes);
    tc_dp_fts_de_broadcast_read(&r, bytes, omega);
    tc_dp_fts_de_round_fini(&r);
    tc_release_free(release);
}

/* With all weights, in rounds where agents count most in their own region, less so, and all alike; and where there are fewer
 * agents than regions. */
static void sums_of_groups_say_what_a_coordinator_says(void **state)
{
    static const struct {
        uint64_t agents, round;
        size_t P;
    } cases[] = {{13, 0, 1}, {13, 0, 4}, {13, 36, 4}, {13, 50, 4}, {12, 36, 3}, {3, 0, 4}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fixture f;
        double by_one[MOST_P * M], by_groups[MOST_P * M];
        set_up(&f, cases[c].agents, cases[c].P);
        centrally(&f, cases[c].round, by_one);
        read_opened(&f, cases[c].round, 1, by_groups);
        for (size_t j = 0; j < cases[c].P * M; j++)
            assert_close(by_groups[j], by_one[j], 1e-5);
        tear_down(&f);
    }
}

/* ---- the noise ---- */

static double noise_in(const fixture *f, const tc_env *env, uint64_t round, size_t block)
{
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    assert_ok(tc_dp_fts_de_round_init(&r, env, &f->opts, round, &err));
    double sd = tc_dp_fts_de_broadcast_noise(&r, block);
    tc_dp_fts_de_round_fini(&r);
    return sd;
}

/* One region, or several of which each agent counts in one: sqrt(r/h) of a coordinator's. */
static void noise_is_larger_by_the_spread(void **state)
{
    (void)state;
    for (size_t P = 1; P <= MOST_P; P += 3) {
        fixture f;
        set_up(&f, 12, P);
        f.opts.noise_multiplier = 1.5;
        double spread = tc_trustees_spread(&f.env.trustees);
        for (size_t i = 0; i < P; i++)
            assert_close(noise_in(&f, &f.env, 0, i) / noise_in(&f, &f.central, 0, i), spread, 1e-5);
        tear_down(&f);
    }
}

/* Draws of it, in a round where weights are neither one nor alike. */
static void noise_is_as_large_as_is_said(void **state)
{
    enum { DRAWS = 300 };
    fixture f;
    double quiet[MOST_P * M], omega[MOST_P * M], squares[MOST_P] = {0};
    (void)state;
    set_up(&f, 12, MOST_P);
    read_opened(&f, 36, 1, quiet);
    f.opts.noise_multiplier = 1.5;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        read_opened(&f, 36, seed, omega);
        for (size_t j = 0; j < MOST_P * M; j++)
            squares[j / M] += pow(omega[j] - quiet[j], 2) / (DRAWS * M);
    }
    for (size_t i = 0; i < MOST_P; i++)
        assert_close(sqrt(squares[i]) / noise_in(&f, &f.env, 36, i), 1, 0.05);
    tear_down(&f);
}

/* One agent's vector is in one sum alone, with a norm of at most the clip norm: z is the price, whatever weights are. */
static void a_round_costs_its_noise_multiplier(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_round_price price;
    tc_shared_plan plan;
    (void)state;
    set_up(&f, 12, MOST_P);
    f.opts.noise_multiplier = 1.5;
    for (uint64_t round = 0; round < 50; round += 12) {
        assert_ok(tc_dp_fts_de_aggregator.price(&f.env, &f.opts, round, &price, &err));
        assert_ok(tc_dp_fts_de_aggregator.shared(&f.env, &f.opts, round, &plan, &err));
        assert_int_equal(price.event.mechanism, TACIT_DP_GAUSSIAN);
        assert_close(price.event.parameter, 1.5, 1e-9);
        assert_int_equal(price.event.sampling, TACIT_DP_ALL);
        assert_close(ldexp((double)plan.clip, -plan.grid), 3 / sqrt(MOST_P), 1e-6);
        assert_true(ldexp((double)plan.clip, -plan.grid) <= 3 / sqrt(MOST_P));
    }
    tear_down(&f);
}

/* ---- the vote ---- */

static void a_vote_is_one_group(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_shared_plan plan;
    (void)state;
    set_up(&f, 12, 2);
    f.opts.own = TC_DP_FTS_DE_OWN_GP;
    f.opts.init = TC_DP_FTS_DE_INIT_DOMAIN;
    f.opts.lengthscale = 0;
    f.opts.vote = TC_DP_FTS_DE_VOTE_YES;
    f.opts.noise_multiplier = 2;
    f.opts.vote_multiplier = 5;
    assert_ok(tc_dp_fts_de_aggregator.shared(&f.env, &f.opts, 0, &plan, &err));
    assert_int_equal(plan.groups, 1);
    assert_int_equal(plan.width, TC_DP_FTS_DE_VOTE_GRID);
    assert_close(ldexp((double)plan.clip, -plan.grid), TC_DP_FTS_DE_VOTE_CLIP, 1e-6);
    assert_close(noise_in(&f, &f.env, 0, 0), 5.0 / 12 * tc_trustees_spread(&f.env.trustees), 1e-5);
    assert_ok(tc_dp_fts_de_aggregator.shared(&f.env, &f.opts, 1, &plan, &err));
    assert_int_equal(plan.groups, 2);
    assert_int_equal(plan.width, M);
    tear_down(&f);
}

/* ---- who reads it ---- */

/* What comes back to an agent that alone has sent something is what it said itself: nothing is left of it. */
static void an_agent_takes_out_its_own_part(void **state)
{
    fixture f;
    tacit_error err = {0};
    double U[4] = {0.1, 0.4, 0.6, 0.9}, y[4] = {1, -1, 0.5, 2};
    tc_dp_fts_de_agent_state a;
    tc_text message = {0};
    uint8_t bytes[8 * 2 * M];
    int64_t v[M], sums[2 * M] = {0};
    (void)state;
    set_up(&f, 5, 2);
    f.opts.own = TC_DP_FTS_DE_OWN_GP;
    f.opts.init = TC_DP_FTS_DE_INIT_DOMAIN;
    f.history = (tc_history){.dim = 1, .n = 4, .ld = 4, .U = U, .y = y};
    f.env.party = 3; /* of group 1 */
    memset(&a, 0, sizeof a);
    assert_ok(tc_dp_fts_de_agent.init(&a, &f.env, &f.opts, &err));
    assert_ok(tc_dp_fts_de_agent.publish(&a, 0, &message, &err));
    assert_ok(tc_dp_fts_de_agent.published(&a, 0, &err));
    assert_ok(tc_dp_fts_de_aggregator.vector(&f.env, &f.opts, 0, tc_text_get(&message), message.len,
                                             v, &err));
    assert_true(v[0] != 0);
    memcpy(sums + M, v, sizeof v);
    for (size_t j = 0; j < 2 * M; j++)
        for (size_t b = 0; b < 8; b++)
            bytes[8 * j + b] = (uint8_t)((uint64_t)sums[j] >> (8 * b));
    assert_fails(tc_dp_fts_de_agent.absorb(&a, 0, bytes, 8 * M, &err), TACIT_E_CORRUPT,
                 "the broadcast of round 0 must have 96 bytes, got 48");
    assert_ok(tc_dp_fts_de_agent.absorb(&a, 0, bytes, sizeof bytes, &err));
    for (size_t j = 0; j < 2 * M; j++)
        assert_close(a.omega[j], 0, 1e-6);
    tc_text_fini(&message);
    tc_dp_fts_de_agent.fini(&a);
    tear_down(&f);
}

/* Noise of the sums is one thing in all regions: by the filter as a linear map of each number that was opened. */
static void noise_behind_the_filter_adds_up_by_groups(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_dp_fts_de_agent_state a;
    tc_dp_fts_de_round r;
    double phi[M], shares[4], scratch[4 * M], squares = 0;
    (void)state;
    set_up(&f, 12, 2);
    release_once(&f);
    f.opts.init = TC_DP_FTS_DE_INIT_DOMAIN;
    f.opts.gap = 1; /* both groups count in both regions */
    f.opts.noise_multiplier = 2;
    memset(&a, 0, sizeof a);
    assert_ok(tc_dp_fts_de_agent.init(&a, &f.env, &f.opts, &err));
    assert_non_null(a.filter);
    assert_ok(tc_dp_fts_de_round_init(&r, &f.env, &f.opts, 0, &err));
    for (size_t m = 0; m < M; m++)
        phi[m] = cos(0.8 * (double)m);
    for (size_t g = 0; g < 2; g++)
        for (size_t m = 0; m < M; m++) {
            double omega[2 * M] = {0}, common[M], rest[M], value = 0;
            for (size_t i = 0; i < 2; i++)
                omega[i * M + m] = shares[g * 2 + i] = tc_dp_fts_de_share_of(&r, g, i);
            tc_dp_fts_de_filter_apply(a.filter, omega, common, rest);
            for (size_t j = 0; j < M; j++)
                value += phi[j] * omega[M + j];
            squares += value * value;
        }
    assert_close(tc_dp_fts_de_filter_noise(a.filter, 1, phi, shares, 2, scratch), sqrt(squares),
                 1e-9);
    tc_dp_fts_de_round_fini(&r);
    tc_dp_fts_de_agent.fini(&a);
    tear_down(&f);
}

/* A common configuration is stated with the noise that its releases have. */
static void a_recommendation_has_the_noise_of_trustees(void **state)
{
    fixture f;
    tacit_error err = {0};
    uint8_t bytes[2][8 * M];
    tc_broadcast heard[2];
    double x, sd[2], phi[M];
    tc_dp_fts_de_agent_state a;
    tc_common out = {.values = &x};
    (void)state;
    set_up(&f, 12, 1);
    f.opts.absorb = TC_DP_FTS_DE_POINT; /* no filter */
    f.opts.noise_multiplier = 2;
    memset(&a, 0, sizeof a);
    assert_ok(tc_dp_fts_de_agent.init(&a, &f.env, &f.opts, &err)); /* for its features */
    for (uint64_t round = 0; round < 2; round++) {
        tc_release *release = opened(&f, round, 7);
        tc_release_encode(release, bytes[round]);
        heard[round] = (tc_broadcast){.round = round, .bytes = bytes[round], .size = 8 * M};
        tc_release_free(release);
    }
    for (size_t n = 1; n <= 2; n++) {
        assert_ok(tc_dp_fts_de_recommend(&f.env, &f.opts, heard, n, &out, &err));
        assert_int_equal(out.releases, n);
        sd[n - 1] = out.noise_sd;
        tc_rff_many(&a.features->rff, 1, &x, 1, phi, M);
        double norm = 0;
        for (size_t m = 0; m < M; m++)
            norm += phi[m] * phi[m];
        assert_close(sd[n - 1], noise_in(&f, &f.env, 0, 0) * sqrt(norm / (double)n), 1e-9);
    }
    tc_dp_fts_de_agent.fini(&a);
    release_once(&f);
    f.opts.absorb = TC_DP_FTS_DE_PRIOR;
    assert_ok(tc_dp_fts_de_recommend(&f.env, &f.opts, heard, 1, &out, &err));
    assert_true(out.noise_sd > 0 && out.noise_sd < sd[0]); /* the filter has shrunk it */
    tear_down(&f);
}

/* A broadcast with more noise leaves more open. */
static void the_filter_counts_on_the_noise_of_trustees(void **state)
{
    fixture f;
    tacit_error err = {0};
    double error[2];
    (void)state;
    set_up(&f, 12, 1);
    release_once(&f);
    f.opts.own = TC_DP_FTS_DE_OWN_GP;
    f.opts.init = TC_DP_FTS_DE_INIT_DOMAIN;
    f.opts.noise_multiplier = 2;
    const tc_env *of[] = {&f.central, &f.env};
    for (int i = 0; i < 2; i++) {
        tc_dp_fts_de_agent_state a;
        memset(&a, 0, sizeof a);
        assert_ok(tc_dp_fts_de_agent.init(&a, of[i], &f.opts, &err));
        assert_non_null(a.filter);
        error[i] = a.filter->error;
        tc_dp_fts_de_agent.fini(&a);
    }
    assert_true(error[1] > error[0] + 0.005);
    tear_down(&f);
}

/* ---- messages ---- */

static void messages_are_of_the_grid_that_trustees_add_up_on(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_text message = {0};
    tc_shared_plan plan;
    int64_t v[M];
    char why[96];
    (void)state;
    set_up(&f, 12, 1);
    f.opts.noise_multiplier = 20; /* a coarser one than a coordinator's */
    assert_ok(tc_dp_fts_de_aggregator.shared(&f.env, &f.opts, 0, &plan, &err));
    write_message(&f, &f.env, 0, 2, &message);
    assert_ok(tc_dp_fts_de_aggregator.vector(&f.env, &f.opts, 0, tc_text_get(&message), message.len,
                                             v, &err));
    for (size_t m = 0; m < M; m++)
        assert_int_equal(v[m], tc_grid_truncate(said(2, m), plan.grid));
    tc_dp_fts_de_form form = {.round = 0, .width = M, .grid = plan.grid - 1, .clip = plan.clip};
    message.len = 0;
    tc_dp_fts_de_message_write(&form, v, &message);
    snprintf(why, sizeof why, "the message is on grid %d, and round 0 is on grid %d", plan.grid - 1,
             plan.grid);
    assert_fails(tc_dp_fts_de_aggregator.check(&f.env, &f.opts, 0, 2, tc_text_get(&message),
                                               message.len, &err),
                 TACIT_E_ARG, why);
    assert_fails(tc_dp_fts_de_aggregator.vector(&f.env, &f.opts, 0, tc_text_get(&message),
                                                message.len, v, &err),
                 TACIT_E_ARG, why);
    tc_text_fini(&message);
    tear_down(&f);
}

/* Each coordinate may be as large as the clip norm; together they may not. */
static void a_vector_is_clipped_before_it_is_shared(void **state)
{
    fixture f;
    tacit_error err = {0};
    tc_text message = {0};
    tc_shared_plan plan;
    tc_dp_fts_de_form form;
    int64_t v[M];
    double square = 0;
    (void)state;
    set_up(&f, 12, 1);
    assert_ok(tc_dp_fts_de_aggregator.shared(&f.env, &f.opts, 0, &plan, &err));
    assert_ok(tc_dp_fts_de_form_init(&form, &f.env, &f.opts, 0, &err));
    for (size_t m = 0; m < M; m++)
        v[m] = (int64_t)plan.clip;
    tc_dp_fts_de_message_write(&form, v, &message);
    assert_ok(tc_dp_fts_de_aggregator.check(&f.env, &f.opts, 0, 2, tc_text_get(&message),
                                            message.len, &err));
    assert_ok(tc_dp_fts_de_aggregator.vector(&f.env, &f.opts, 0, tc_text_get(&message), message.len,
                                             v, &err));
    for (size_t m = 0; m < M; m++)
        square += (double)v[m] * (double)v[m];
    assert_true(square <= (double)plan.clip * (double)plan.clip);
    assert_close(sqrt(square) / (double)plan.clip, 1, 1e-4);
    tc_text_fini(&message);
    tear_down(&f);
}

/* ---- what trustees know nothing of ---- */

static void assert_refused(fixture *f, const char *why)
{
    tacit_error err = {0};
    tc_round_price price;
    tc_shared_plan plan;
    tc_dp_fts_de_agent_state a;
    memset(&a, 0, sizeof a);
    assert_fails(tc_dp_fts_de_aggregator.price(&f->env, &f->opts, 0, &price, &err), TACIT_E_ARG,
                 why);
    assert_fails(tc_dp_fts_de_aggregator.shared(&f->env, &f->opts, 0, &plan, &err), TACIT_E_ARG,
                 why);
    assert_fails(tc_dp_fts_de_promise(&f->env, &f->opts, 2, 1e-5, &err), TACIT_E_ARG, why);
    assert_fails(tc_dp_fts_de_agent.init(&a, &f->env, &f->opts, &err), TACIT_E_ARG, why);
    tc_dp_fts_de_agent.fini(&a);
    tear_down(f);
}

static void options_that_trustees_do_not_know_are_refused(void **state)
{
    fixture f;
    (void)state;
    set_up(&f, 12, 2);
    f.opts.noise_multiplier = 1;
    f.opts.sampling_rate = 0.5;
    assert_refused(&f, "federation.trustees: sampling_rate must be 1, got 0.5: nobody draws a "
                       "secret coin for others");
    set_up(&f, 12, 2);
    f.opts.noise_multiplier = 1;
    f.opts.sampling = TC_DP_FTS_DE_FIXED;
    f.opts.sampling_rate = 0.5;
    assert_refused(&f, "federation.trustees: sampling must be poisson, got fixed: nobody draws a "
                       "secret coin for others");
    set_up(&f, 12, 2);
    f.opts.noise_multiplier = 1;
    f.opts.mode = TC_DP_FTS_DE_PAPER;
    assert_refused(&f, "federation.trustees: mode must be sound, got paper: trustees add up "
                       "vectors without weights, and the paper's bound is about weights");
}

/* ---- the promise ---- */

/* Noise multipliers are those of a coordinator; a vote needs more agents by the spread. */
static void a_promise_takes_the_same_multiplier(void **state)
{
    (void)state;
    uint64_t first[2] = {0};
    double z[2];
    for (int i = 0; i < 2; i++)
        for (uint64_t agents = 2; agents < 4000; agents++) {
            fixture f;
            tacit_error err = {0};
            set_up(&f, agents, 1);
            f.opts.own = TC_DP_FTS_DE_OWN_GP;
            f.opts.init = TC_DP_FTS_DE_INIT_DOMAIN;
            f.opts.lengthscale = 0;
            f.opts.noise_multiplier = 1;
            release_once(&f);
            assert_ok(tc_dp_fts_de_promise(i ? &f.env : &f.central, &f.opts, 2, 1e-6, &err));
            bool votes = f.opts.vote == TC_DP_FTS_DE_VOTE_YES;
            z[i] = f.opts.noise_multiplier;
            tear_down(&f);
            if (votes) {
                first[i] = agents;
                break;
            }
        }
    assert_true(first[0] > 0);
    assert_close((double)first[1] / (double)first[0], sqrt(4.0 / 3), 0.05);
    assert_close(z[1] / z[0], 1, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_groups_say_what_a_coordinator_says),
        cmocka_unit_test(noise_is_larger_by_the_spread),
        cmocka_unit_test(noise_is_as_large_as_is_said),
        cmocka_unit_test(a_round_costs_its_noise_multiplier),
        cmocka_unit_test(a_vote_is_one_group),
        cmocka_unit_test(an_agent_takes_out_its_own_part),
        cmocka_unit_test(noise_behind_the_filter_adds_up_by_groups),
        cmocka_unit_test(a_recommendation_has_the_noise_of_trustees),
        cmocka_unit_test(the_filter_counts_on_the_noise_of_trustees),
        cmocka_unit_test(messages_are_of_the_grid_that_trustees_add_up_on),
        cmocka_unit_test(a_vector_is_clipped_before_it_is_shared),
        cmocka_unit_test(options_that_trustees_do_not_know_are_refused),
        cmocka_unit_test(a_promise_takes_the_same_multiplier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
