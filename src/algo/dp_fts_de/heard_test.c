/* heard_test.c - own=gp: what an agent sends, what is left of a broadcast without it, and how much of the function a
 * broadcast leaves open, each beside its definition. */
#include "support/test.h"

#include "algo/dp_fts_de/agent.h"
#include "algo/history.h"

enum { M = 8, MOST = 12, SIDE = 40 };

static const double lambda = 0.05;

typedef struct fixture {
    tc_space *space;
    tc_dp_fts_de_options opts;
    tc_env env;
    tc_history history;
    tc_dp_fts_de_agent_state agent;
} fixture;

static tc_space *make_space(bool finite)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    if (finite) {
        tc_domain *d = NULL;
        assert_ok(tc_domain_grid(&d, 1, (size_t[]){SIDE}, (double[]){0}, (double[]){1}, &err));
        assert_ok(tc_space_from_domain(&s, d, &err));
        return s;
    }
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    return s;
}

static void set_options(fixture *f, bool finite, size_t initial, uint64_t agents)
{
    tacit_error err = {0};
    memset(f, 0, sizeof *f);
    f->space = make_space(finite);
    assert_ok(tc_history_init(&f->history, f->space, &err));
    assert_ok(tc_options_defaults(tc_algorithm_dp_fts_de.options, &f->opts, &err));
    f->opts.own = TC_DP_FTS_DE_OWN_GP;
    f->opts.init = TC_DP_FTS_DE_INIT_DOMAIN;
    f->opts.lengthscale = 0.2;
    f->opts.features = M;
    f->opts.regions = 1;
    f->opts.initial = (int64_t)initial;
    f->opts.noise = lambda;
    f->opts.noise_multiplier = 0.001;
    f->opts.clip = 1000;
    tc_free(f->opts.releases);
    f->opts.releases = tc_strdup("first");
    f->env = (tc_env){.space = f->space,
                      .history = &f->history,
                      .public_seed = tc_public_seed_from(3),
                      .party_seed = tc_party_seed_from(4),
                      .party = 1,
                      .agents = agents};
}

static void set_up(fixture *f, bool finite, size_t initial, uint64_t agents)
{
    tacit_error err = {0};
    set_options(f, finite, initial, agents);
    assert_ok(tc_dp_fts_de_agent.init(&f->agent, &f->env, &f->opts, &err));
}

static void tear_down(fixture *f)
{
    tc_dp_fts_de_agent.fini(&f->agent);
    tc_history_fini(&f->history);
    tc_options_fini(tc_algorithm_dp_fts_de.options, &f->opts);
    tc_space_free(f->space);
}

/* Multiples of 2^-20, of which 1024 y - 512 is exact. */
static double objective(double x)
{
    return floor((sin(6 * x) + x) * 0x1p20) * 0x1p-20;
}

static void observe(fixture *f, size_t n, double factor, double shift)
{
    tacit_error err = {0};
    tc_stream s;
    tc_stream_public(&s, &f->env.public_seed, TC_FOR_RUN, 0);
    for (size_t i = 0; i < n; i++) {
        size_t j = tc_draw_below(&s, SIDE);
        double x = (double)j / (SIDE - 1), value = f->space->domain ? (double)j : x;
        assert_ok(tc_history_reserve(&f->history, &err));
        tc_history_observe(&f->history, f->space, &value, factor * objective(x) + shift);
    }
}

/* ---- the message ---- */

/* Gauss-Jordan: b = A^-1 b, n x n with rows of MOST. */
static void solve(size_t n, double A[MOST][MOST], double *b)
{
    for (size_t k = 0; k < n; k++) {
        double pivot = A[k][k];
        for (size_t j = 0; j < n; j++)
            A[k][j] /= pivot;
        b[k] /= pivot;
        for (size_t i = 0; i < n; i++) {
            double factor = A[i][k];
            for (size_t j = 0; i != k && j < n; j++)
                A[i][j] -= factor * A[k][j];
            if (i != k)
                b[i] -= factor * b[k];
        }
    }
}

/* Phi'(Phi Phi' + lambda I + noise)^-1 z, z by mean and standard deviation of the first `initial` values, less their
 * noise. */
static void slow_message(const fixture *f, double *w)
{
    const tc_history *h = &f->history;
    const size_t anchors = (size_t)f->opts.initial, n = h->n;
    double mean = 0, square = 0, z[MOST], K[MOST][MOST], phi[MOST][M];
    for (size_t i = 0; i < anchors; i++)
        mean += h->y[i] / (double)anchors;
    for (size_t i = 0; i < anchors; i++)
        square += pow(h->y[i] - mean, 2) / (double)anchors;
    double noise = 0;
    for (size_t i = 0; i < anchors; i++)
        noise += h->noise[i] / (double)anchors;
    if (noise > 0)
        square = fmax(square - noise, square * fmin(1, sqrt(2 / (double)anchors)));
    for (size_t i = 0; i < n; i++) {
        z[i] = (h->y[i] - mean) / sqrt(square);
        tc_rff_many(&f->agent.features->rff, 1, &h->U[i], 1, phi[i], M);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            K[i][j] = i == j ? lambda + h->noise[i] / square : 0;
            for (size_t m = 0; m < M; m++)
                K[i][j] += phi[i][m] * phi[j][m];
        }
    solve(n, K, z);
    for (size_t m = 0; m < M; m++) {
        w[m] = 0;
        for (size_t i = 0; i < n; i++)
            w[m] += phi[i][m] * z[i];
    }
}

static void the_message_is_the_mean_of_values_standardised_locally(void **state)
{
    (void)state;
    for (int finite = 0; finite < 2; finite++)
        for (size_t more = 0; more < 5; more += 4) {
            fixture f;
            tacit_error err = {0};
            double w[M], expected[M];
            set_up(&f, finite, 6, 10);
            observe(&f, 6 + more, 3, 100);
            assert_ok(tc_dp_fts_de_heard_message(&f.agent, w, &err));
            slow_message(&f, expected);
            for (size_t m = 0; m < M; m++)
                assert_close(w[m], expected[m], 1e-9);
            tear_down(&f);
        }
}

/* An agent whose values are noisier says less, and does so by itself: as if lambda were larger. */
static void noisy_values_count_for_less_in_a_message(void **state)
{
    (void)state;
    for (int finite = 0; finite < 2; finite++) {
        fixture f;
        tacit_error err = {0};
        double w[M], expected[M];
        set_up(&f, finite, 6, 10);
        observe(&f, 8, 3, 100);
        for (double noise = 0.1; noise < 0.9; noise *= 2) {
            for (size_t i = 0; i < f.history.n; i++)
                f.history.noise[i] = noise * (1 + (double)(i % 2));
            assert_ok(tc_dp_fts_de_heard_message(&f.agent, w, &err));
            slow_message(&f, expected);
            for (size_t m = 0; m < M; m++)
                assert_close(w[m], expected[m], 1e-9);
        }
        tear_down(&f);
    }
}

static tc_text message(fixture *f)
{
    tacit_error err = {0};
    tc_text out = {0};
    assert_ok(tc_dp_fts_de_agent.publish(&f->agent, 0, &out, &err));
    return out;
}

static tc_text message_in_units(bool finite, double factor, double shift)
{
    fixture f;
    set_up(&f, finite, 6, 10);
    observe(&f, 6, factor, shift);
    tc_text out = message(&f);
    tear_down(&f);
    return out;
}

/* What the agent of this party sends with an ablation, in steps. */
static void ablated(int broadcast, uint64_t party, int64_t *steps)
{
    fixture f;
    tacit_error err = {0};
    set_options(&f, false, 6, 10);
    f.opts.broadcast = broadcast;
    f.env.party = party;
    assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
    observe(&f, 6, 1, (double)party);
    tc_text out = message(&f);
    assert_ok(tc_dp_fts_de_message_read(&f.agent.form, tc_text_get(&out), out.len, steps, &err));
    tc_text_fini(&out);
    tear_down(&f);
}

static void ablations_send_what_they_say(void **state)
{
    int64_t normal[M], reversed[M], strange[M], other[M];
    double square = 0, usual = 0;
    (void)state;
    ablated(TC_DP_FTS_DE_NORMAL, 1, normal);
    ablated(TC_DP_FTS_DE_REVERSED, 1, reversed);
    for (size_t m = 0; m < M; m++)
        assert_int_equal(reversed[m], -normal[m]);
    ablated(TC_DP_FTS_DE_STRANGE, 1, strange);
    ablated(TC_DP_FTS_DE_STRANGE, 2, other);
    assert_memory_equal(strange, other, sizeof strange); /* the same function for all */
    for (size_t m = 0; m < M; m++) {
        square += (double)strange[m] * (double)strange[m];
        usual += (double)normal[m] * (double)normal[m];
    }
    assert_true(square > 100 * usual); /* as long as the clip norm allows, 1000 here */
}

static void the_message_has_no_units(void **state)
{
    const double units[][2] = {{1024, -512}, {0x1p-30, 0}, {0x1p100, 0}};
    (void)state;
    for (int finite = 0; finite < 2; finite++) {
        tc_text plain = message_in_units(finite, 1, 0);
        for (size_t u = 0; u < 3; u++) {
            tc_text other = message_in_units(finite, units[u][0], units[u][1]);
            assert_int_equal(plain.len, other.len);
            assert_memory_equal(tc_text_get(&plain), tc_text_get(&other), plain.len);
            tc_text_fini(&other);
        }
        tc_text other = message_in_units(finite, 1000, -500);
        for (size_t m = 0; m < M; m++) {
            int64_t a = tc_dp_fts_de_int64(tc_text_get(&plain) + TC_DP_FTS_DE_HEADER + 8 * m),
                    b = tc_dp_fts_de_int64(tc_text_get(&other) + TC_DP_FTS_DE_HEADER + 8 * m);
            assert_close((double)a, (double)b, 1 + 1e-9 * fabs((double)a));
        }
        tc_text_fini(&other);
        tc_text_fini(&plain);
    }
}

/* Values that do not differ, or too few of them: zeros. */
static void without_units_the_message_is_empty(void **state)
{
    (void)state;
    for (size_t initial = 1; initial < 7; initial += 5) {
        fixture f;
        set_up(&f, false, initial, 10);
        observe(&f, initial, initial > 1 ? 0 : 1, 0.1);
        tc_text out = message(&f);
        for (size_t m = 0; m < M; m++)
            assert_int_equal(tc_dp_fts_de_int64(tc_text_get(&out) + TC_DP_FTS_DE_HEADER + 8 * m),
                             0);
        tc_text_fini(&out);
        tear_down(&f);
    }
}

/* ---- its share of a broadcast ---- */

/* A broadcast of `regions` blocks in which this agent's message is the only one, and the noise is one number. */
static void absorb_itself_and(fixture *f, double noise)
{
    tacit_error err = {0};
    const size_t P = tc_dp_fts_de_regions(&f->opts);
    uint8_t bytes[8 * 4 * M];
    tc_text sent = message(f);
    tc_dp_fts_de_round r;
    assert_ok(tc_dp_fts_de_round_init(&r, &f->env, &f->opts, 0, &err));
    assert_ok(tc_dp_fts_de_agent.published(&f->agent, 0, &err));
    for (size_t j = 0; j < P * M; j++) {
        double nu = ldexp(
            (double)tc_dp_fts_de_int64(tc_text_get(&sent) + TC_DP_FTS_DE_HEADER + 8 * (j % M)),
            -f->agent.form.grid);
        double share = tc_dp_fts_de_weight(
            &f->opts, f->env.agents, 0, tc_dp_fts_de_start_region(&f->opts, f->env.party), j / M);
        uint64_t step = (uint64_t)(int64_t)llround(ldexp(share * nu + noise, r.release_grid));
        for (size_t b = 0; b < 8; b++)
            bytes[8 * j + b] = (uint8_t)(step >> (8 * b));
    }
    assert_ok(tc_dp_fts_de_agent.absorb(&f->agent, 0, bytes, 8 * P * M, &err));
    tc_dp_fts_de_round_fini(&r);
    tc_text_fini(&sent);
}

static void absorb_itself(fixture *f)
{
    absorb_itself_and(f, 0);
}

static double heard_length(const fixture *f)
{
    double sum = 0;
    for (size_t j = 0; j < tc_dp_fts_de_regions(&f->opts) * M; j++)
        sum += f->agent.omega[j] * f->agent.omega[j];
    return sqrt(sum);
}

/* Even where nobody else starts in its region. */
static void nobody_hears_itself(void **state)
{
    (void)state;
    for (uint64_t agents = 2; agents < 12; agents += 3)
        for (int64_t regions = 1; regions <= 4 && (uint64_t)regions <= agents; regions *= 2) {
            fixture f;
            tacit_error err = {0};
            set_options(&f, false, 6, agents);
            f.opts.regions = regions;
            assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
            observe(&f, 6, 1, 0);
            absorb_itself(&f);
            assert_true(heard_length(&f) < 1e-6);
            tear_down(&f);
        }
}

/* Of its region's sum nothing is left but noise, which must not grow beyond twice of what it was: the filter reads it as
 * the same as where two agents share the region. */
static double loudest(uint64_t agents)
{
    fixture f;
    tacit_error err = {0};
    double top = 0;
    set_options(&f, false, 6, agents);
    f.opts.regions = 4;
    f.opts.gap = 6;
    assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
    observe(&f, 6, 1, 0);
    absorb_itself_and(&f, 0.125);
    for (size_t j = 0; j < 4 * M; j++)
        top = fmax(top, fabs(f.agent.omega[j]));
    tear_down(&f);
    return top;
}

static void an_agent_alone_in_its_region_hears_no_loud_noise(void **state)
{
    (void)state;
    assert_true(loudest(4) > 0.01 && loudest(4) < 1.5 * loudest(8));
}

/* It cannot know whether a coin has left it out: nothing is taken out. */
static void a_sampled_agent_takes_out_nothing(void **state)
{
    fixture f;
    tacit_error err = {0};
    (void)state;
    set_options(&f, false, 6, 8);
    f.opts.sampling_rate = 0.5;
    assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
    observe(&f, 6, 1, 0);
    absorb_itself(&f);
    assert_true(heard_length(&f) > 0.1);
    tear_down(&f);
}

/* ---- what goes together ---- */

static void refuse(void (*change)(fixture *f), const char *why)
{
    fixture f;
    tacit_error err = {0};
    set_options(&f, false, 6, 10);
    change(&f);
    assert_fails(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err), TACIT_E_ARG, why);
    tear_down(&f);
}

static void region(fixture *f)
{
    f->opts.init = TC_DP_FTS_DE_INIT_REGION;
}

static void mean(fixture *f)
{
    f->opts.y_mean = 1;
}

static void scale(fixture *f)
{
    f->opts.y_scale = 2;
}

static void point(fixture *f)
{
    f->opts.absorb = TC_DP_FTS_DE_POINT;
}

static void follow(fixture *f)
{
    f->opts.p1 = 0.5;
}

static void schedule(fixture *f)
{
    f->opts.schedule = TC_DP_FTS_DE_INVERSE;
}

static void uniform(fixture *f)
{
    f->opts.broadcast = TC_DP_FTS_DE_UNIFORM;
}

static void draw(fixture *f)
{
    f->opts.message = TC_DP_FTS_DE_DRAW;
}

static void nothing_at_first(fixture *f)
{
    f->opts.initial = 0;
}

static void vote(fixture *f)
{
    f->opts.vote = TC_DP_FTS_DE_VOTE_YES;
    f->opts.vote_multiplier = 1;
    f->opts.lengthscale = 0;
}

static void vote_on_nothing(fixture *f)
{
    vote(f);
    f->opts.lengthscale = 0.25;
}

static void vote_of_some(fixture *f)
{
    vote(f);
    f->opts.sampling_rate = 0.5;
}

static void vote_without_noise(fixture *f)
{
    vote(f);
    f->opts.vote_multiplier = 0;
}

static void vote_on_features(fixture *f)
{
    vote(f);
    f->opts.own = TC_DP_FTS_DE_OWN_FEATURES;
}

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    refuse(region, "init=region is for own=features, and own is gp");
    refuse(mean, "y_mean is for own=features, and own is gp");
    refuse(scale, "y_scale is for own=features, and own is gp");
    refuse(point, "absorb=point is for own=features, and own is gp");
    refuse(follow, "p1 is for own=features, and own is gp");
    refuse(schedule, "schedule is for own=features, and own is gp");
    refuse(uniform, "broadcast=uniform is for own=features, and own is gp");
    refuse(draw, "message=draw is for own=features, and own is gp");
    refuse(vote_on_nothing, "lengthscale is 0.25, so there is nothing to vote on");
    refuse(vote_of_some, "a vote needs all agents: sampling_rate must be 1, got 0.5");
    refuse(vote_without_noise, "vote_multiplier and noise_multiplier must both be 0 or both above, "
                               "got 0 and 0.001");
    refuse(vote_on_features, "vote=yes needs own=gp");
    refuse(nothing_at_first, "own=gp needs an initial point at least, got initial=0");
}

static void a_fit_of_another_model_is_refused(void **state)
{
    fixture f;
    tacit_error err = {0};
    (void)state;
    set_options(&f, false, 6, 10);
    f.opts.own = TC_DP_FTS_DE_OWN_FEATURES;
    assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
    assert_false(tc_dp_fts_de_agent.fit_due(&f.agent));
    assert_fails(tc_dp_fts_de_agent.fitted(&f.agent, "{}", &err), TACIT_E_CORRUPT,
                 "the journal has a fit, and own=features fits nothing");
    tear_down(&f);
}

/* ---- how much a broadcast leaves open ---- */

static double error_of(uint64_t agents, double multiplier, size_t initial)
{
    fixture f;
    tacit_error err = {0};
    set_options(&f, false, initial, agents);
    f.opts.noise_multiplier = multiplier;
    f.opts.message = TC_DP_FTS_DE_MEAN;
    assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
    assert_non_null(f.agent.filter);
    double error = f.agent.filter->error;
    assert_true(error >= 0 && error <= 1);
    tear_down(&f);
    return error;
}

static void more_agents_and_less_noise_leave_less_open(void **state)
{
    double last = 2;
    (void)state;
    for (uint64_t agents = 2; agents <= 2048; agents *= 4) {
        double error = error_of(agents, 0.01, 5);
        assert_true(error < last);
        last = error;
    }
    assert_true(last < 0.05);
    last = -1;
    for (double multiplier = 0; multiplier < 100; multiplier = 4 * multiplier + 0.001) {
        double error = error_of(50, multiplier, 5);
        assert_true(error >= last);
        last = error;
    }
    assert_true(last > 0.95);
    assert_true(error_of(50, 0.01, 10) < error_of(50, 0.01, 3));
}

/* The messages of the others, in the sum as heard.c leaves it. */
static void add_message(const fixture *f, tc_stream *s, const double *w, double *sum)
{
    tacit_error err = {0};
    tc_blr *model;
    assert_ok(tc_blr_new(&model, M, lambda, &err));
    for (int64_t k = 0; k < f->opts.initial; k++) {
        double x = tc_draw_uniform(s), phi[M], y = 0;
        tc_rff_many(&f->agent.features->rff, 1, &x, 1, phi, M);
        for (size_t m = 0; m < M; m++)
            y += phi[m] * w[m];
        tc_blr_add(model, phi, y + sqrt(lambda) * tc_draw_normal(s));
    }
    for (size_t m = 0; m < M; m++)
        sum[m] += tc_blr_mean(model)[m];
    tc_blr_free(model);
}

static double noise_sd(const fixture *f)
{
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    tc_sum_scale scale_of;
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = f->env.agents}, &f->opts, 0, &err));
    assert_ok(tc_sum_plan_scale(&r.plan, &scale_of, &err));
    tc_dp_fts_de_round_fini(&r);
    return ldexp((double)scale_of.sd, -scale_of.grid);
}

/* One federation of alike agents whose function is phi'w: adds to the error of what is heard, and to all there is. */
static void add_run(const fixture *f, tc_stream *s, double *left, double *whole)
{
    const double agents = (double)f->env.agents, sd = noise_sd(f);
    double w[M], omega[M] = {0}, common[M], rest[M];
    for (size_t m = 0; m < M; m++)
        w[m] = tc_draw_normal(s);
    for (uint64_t i = 1; i < f->env.agents; i++)
        add_message(f, s, w, omega);
    for (size_t m = 0; m < M; m++) /* (omega - its own/N)/(1 - 1/N) */
        omega[m] = (omega[m] / agents + sd * tc_draw_normal(s)) / (1 - 1 / agents);
    tc_dp_fts_de_filter_apply(f->agent.filter, omega, common, rest);
    for (int k = 0; k < 32; k++) {
        double x = tc_draw_uniform(s), phi[M], off = 0, there = 0;
        tc_rff_many(&f->agent.features->rff, 1, &x, 1, phi, M);
        for (size_t m = 0; m < M; m++) {
            off += phi[m] * (omega[m] - w[m]);
            there += phi[m] * w[m];
        }
        *left += off * off;
        *whole += there * there;
    }
}

static void the_error_is_what_it_says(void **state)
{
    enum { RUNS = 1500 };
    const struct {
        uint64_t agents;
        size_t initial;
        double multiplier;
    } cases[] = {{3, 4, 0.001}, {10, 4, 0.001}, {10, 6, 0.01}, {10, 3, 0.05}};
    (void)state;
    for (size_t c = 0; c < 4; c++) {
        fixture f;
        tacit_error err = {0};
        tc_stream s;
        double left = 0, whole = 0;
        set_options(&f, false, cases[c].initial, cases[c].agents);
        f.opts.noise_multiplier = cases[c].multiplier;
        assert_ok(tc_dp_fts_de_agent.init(&f.agent, &f.env, &f.opts, &err));
        tc_stream_public(&s, &f.env.public_seed, TC_FOR_RUN, 7 + c);
        for (int i = 0; i < RUNS; i++)
            add_run(&f, &s, &left, &whole);
        assert_close(f.agent.filter->error, left / whole, 0.02);
        tear_down(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_message_is_the_mean_of_values_standardised_locally),
        cmocka_unit_test(noisy_values_count_for_less_in_a_message),
        cmocka_unit_test(the_message_has_no_units),
        cmocka_unit_test(without_units_the_message_is_empty),
        cmocka_unit_test(ablations_send_what_they_say),
        cmocka_unit_test(nobody_hears_itself),
        cmocka_unit_test(an_agent_alone_in_its_region_hears_no_loud_noise),
        cmocka_unit_test(a_sampled_agent_takes_out_nothing),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(a_fit_of_another_model_is_refused),
        cmocka_unit_test(more_agents_and_less_noise_leave_less_open),
        cmocka_unit_test(the_error_is_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
