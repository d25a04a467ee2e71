/* vote_test.c - the vote on the length-scale: what agents say, what is picked, and its way through a study. */
#include "support/test.h"

#include "algo/dp_fts_de/dp_fts_de.h"
#include "algo/optimizer.h"
#include "base/json.h"

#include <pthread.h>

enum { N = 40, M = 12, EVENTS = 256, G = TC_DP_FTS_DE_VOTE_GRID, MIDDLE = G / 2 };

#define BASE                                                                                       \
    "\"own\": \"gp\", \"features\": 12, \"init\": \"domain\", \"noise_multiplier\": 2, "           \
    "\"releases\": \"0,2\""
#define VOTES BASE ", \"lengthscale\": 0, \"vote\": \"yes\", \"vote_multiplier\": 5"

static const char votes[] = "{" VOTES ", \"initial\": 8}";

static json_t *json_of(const char *text)
{
    tacit_error err = {0};
    json_t *j = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "options", &j, &err));
    return j;
}

static tc_dp_fts_de_options options_of(const char *text)
{
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    json_t *j = json_of(text);
    assert_ok(tc_options_defaults(tc_algorithm_dp_fts_de.options, &o, &err));
    assert_ok(tc_options_set_json(tc_algorithm_dp_fts_de.options, &o, "x", j, NULL, &err));
    json_decref(j);
    return o;
}

static void options_end(tc_dp_fts_de_options *o)
{
    tc_options_fini(tc_algorithm_dp_fts_de.options, o);
}

/* ---- an agent ---- */

typedef double function(const double *u, size_t dim);

typedef struct party {
    tc_optimizer *o;
    bool maximize;
    tc_event events[EVENTS];
    double values[EVENTS][3];
    uint8_t *bytes[EVENTS];
    char *bodies[EVENTS];
    size_t n;
} party;

static tc_space *cube(size_t dim)
{
    static const char *const names[] = {"x", "y", "z"};
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    for (size_t d = 0; d < dim; d++)
        assert_ok(tc_space_add_float(s, names[d], 0, 1, 0, false, &err));
    return s;
}

static party *join(const tc_space *s, const char *options, uint64_t who, const party *sibling,
                   bool maximize)
{
    tacit_error err = {0};
    party *p = tc_alloc(1, sizeof *p);
    json_t *j = json_of(options);
    tc_optimizer_config cfg = {.algorithm = &tc_algorithm_dp_fts_de,
                               .options = j,
                               .space = s,
                               .maximize = maximize,
                               .public_seed = tc_public_seed_from(3),
                               .party_seed = tc_party_seed_from(4),
                               .party = who,
                               .agents = N,
                               .sibling = sibling ? sibling->o : NULL};
    assert_non_null(p);
    p->maximize = maximize;
    assert_ok(tc_optimizer_new(&p->o, &cfg, &err));
    json_decref(j);
    return p;
}

static void leave(party *p)
{
    for (size_t i = 0; i < p->n; i++) {
        tc_free(p->bytes[i]);
        tc_free(p->bodies[i]);
    }
    tc_optimizer_free(p->o);
    tc_free(p);
}

static void record(party *p, const tc_event *e)
{
    tacit_error err = {0};
    size_t i = p->n++;
    assert_true(i < EVENTS);
    p->events[i] = *e;
    p->events[i].seq = i + 1;
    if (e->values) {
        memcpy(p->values[i], e->values, tc_optimizer_space(p->o)->n_params * sizeof(double));
        p->events[i].values = p->values[i];
    }
    if (e->bytes) {
        p->bytes[i] = tc_alloc(e->n_bytes, 1);
        assert_non_null(p->bytes[i]);
        memcpy(p->bytes[i], e->bytes, e->n_bytes);
        p->events[i].bytes = p->bytes[i];
    }
    if (e->body)
        p->events[i].body = p->bodies[i] = tc_strdup(e->body);
    assert_ok(tc_optimizer_apply(p->o, &p->events[i], &err));
}

/* Fits of its own model come before asks. */
static const double *trial(party *p, function *f)
{
    tacit_error err = {0};
    tc_ask_request req = {0};
    tc_event e;
    double u[3];
    do {
        assert_ok(tc_optimizer_next(p->o, &req, &e, &err));
        record(p, &e);
    } while (e.kind != TC_EVENT_ASK);
    const double *values = tc_optimizer_trial(p->o, e.trial)->values;
    tc_space_encode(tc_optimizer_space(p->o), values, u);
    assert_ok(
        tc_optimizer_tell(p->o, e.trial, NULL, f(u, tc_optimizer_space(p->o)->dim), 0, &e, &err));
    record(p, &e);
    return values;
}

static party *start(const tc_space *s, const char *options, uint64_t who, function *f)
{
    party *p = join(s, options, who, NULL, true);
    tc_dp_fts_de_options o = options_of(options);
    for (int64_t i = 0; i < o.initial; i++)
        trial(p, f);
    options_end(&o);
    return p;
}

static void publish(party *p, uint64_t round)
{
    tacit_error err = {0};
    tc_event e;
    tc_need need;
    assert_ok(tc_optimizer_need(p->o, &need, &err));
    assert_int_equal(need.may, TC_NEED_PUBLISH);
    assert_int_equal(need.round, round);
    assert_ok(tc_optimizer_publish(p->o, 0, &e, &err));
    record(p, &e);
    assert_ok(tc_optimizer_need(p->o, &need, &err));
    assert_int_equal(need.may, 0);
    assert_int_equal(need.must, TC_NEED_ABSORB);
}

static const tc_event *last(const party *p)
{
    return &p->events[p->n - 1];
}

/* The last event as a message of this round: its numbers. */
static void numbers_of(const party *p, const char *options, uint64_t round, double *v)
{
    tacit_error err = {0};
    tc_dp_fts_de_options o = options_of(options);
    tc_dp_fts_de_form form;
    int64_t steps[M > G ? M : G];
    assert_ok(tc_dp_fts_de_form_init(&form, &(tc_env){.agents = N}, &o, round, &err));
    assert_ok(tc_dp_fts_de_message_read(&form, last(p)->bytes, last(p)->n_bytes, steps, &err));
    for (size_t i = 0; i < form.width; i++)
        v[i] = ldexp((double)steps[i], -form.grid);
    options_end(&o);
}

/* The bytes of a broadcast of the vote that says this, before its noise. */
static void vote_bytes(const char *options, const double *mean, uint8_t bytes[8 * G])
{
    tacit_error err = {0};
    tc_dp_fts_de_options o = options_of(options);
    tc_dp_fts_de_round r;
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = N}, &o, 0, &err));
    for (size_t j = 0; j < G; j++)
        for (size_t b = 0; b < 8; b++)
            bytes[8 * j + b] =
                (uint8_t)((uint64_t)(int64_t)ldexp(mean[j], r.release_grid) >> (8 * b));
    tc_dp_fts_de_round_fini(&r);
    options_end(&o);
}

static void hear(party *p, uint64_t round, const void *bytes, size_t n)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_absorb(p->o, round, bytes, n, 0, &e, &err));
    record(p, &e);
}

static void hear_vote(party *p, const char *options, size_t pick)
{
    double mean[G] = {0};
    uint8_t bytes[8 * G];
    mean[pick] = 20;
    vote_bytes(options, mean, bytes);
    hear(p, 0, bytes, sizeof bytes);
}

static void hear_weights(party *p, uint64_t round)
{
    uint8_t bytes[8 * M];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i % 8 < 3 ? (uint8_t)(7 * i + 1) : 0;
    hear(p, round, bytes, sizeof bytes);
}

static void skip_round(party *p, uint64_t round)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_skip(p->o, round, "declined", 0, &e, &err));
    record(p, &e);
}

/* ---- the message, slowly ---- */

enum { MOST = 64 };

/* C <- C^-1 by Gauss-Jordan with pivots; returns ln |det|. */
static double invert(size_t n, double C[MOST][MOST])
{
    static double A[MOST][2 * MOST];
    double logdet = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            A[i][j] = C[i][j];
            A[i][n + j] = i == j;
        }
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k; i < n; i++)
            pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
        for (size_t j = 0; j < 2 * n; j++) {
            double t = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = t;
        }
        double by = A[k][k];
        logdet += log(fabs(by));
        for (size_t j = 0; j < 2 * n; j++)
            A[k][j] /= by;
        for (size_t i = 0; i < n; i++) {
            double times = i == k ? 0 : A[i][k];
            for (size_t j = 0; j < 2 * n && times != 0; j++)
                A[i][j] -= times * A[k][j];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            C[i][j] = A[i][n + j];
    return logdet;
}

/* ln of the likelihood of y, its level integrated out and its scale maximised. */
static double slow_likelihood(size_t n, size_t dim, double U[MOST][3], const double *y,
                              double length, double share)
{
    static double C[MOST][MOST];
    double yy = 0, y1 = 0, ones = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double r2 = 0;
            for (size_t d = 0; d < dim; d++)
                r2 += (U[i][d] - U[j][d]) * (U[i][d] - U[j][d]);
            C[i][j] = exp(-r2 / (2 * length * length)) + (i == j ? share : 0);
        }
    double logdet = invert(n, C);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            yy += y[i] * C[i][j] * y[j];
            y1 += C[i][j] * y[j];
            ones += C[i][j];
        }
    double q = yy - y1 * y1 / ones;
    return -(double)(n - 1) / 2 * log(q) - logdet / 2 - log(ones) / 2;
}

/* Of the first n trials of p. */
static void slow_vote(const party *p, size_t n, double *v)
{
    static const double shares[] = {1e-4, 1e-2, 0.1, 0.5};
    static double U[MOST][3];
    const tc_space *s = tc_optimizer_space(p->o);
    double y[MOST], mean = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        tc_space_encode(s, tc_optimizer_trial(p->o, i)->values, U[i]);
        y[i] = tc_optimizer_trial(p->o, i)->value;
    }
    for (size_t j = 0; j < G; j++) {
        double length = 0.1 * pow((double)s->dim, 0.75) * pow(1.6, (double)j - MIDDLE), sum = 0,
               first = 0;
        for (size_t k = 0; k < 4; k++) {
            double l = slow_likelihood(n, s->dim, U, y, length, shares[k]);
            first = k == 0 ? l : first;
            sum += exp(l - first);
        }
        v[j] = first + log(sum / 4);
        mean += v[j] / G;
    }
    for (size_t j = 0; j < G; j++)
        norm += (v[j] - mean) * (v[j] - mean);
    for (size_t j = 0; j < G; j++)
        v[j] = (v[j] - mean) / fmax(1, sqrt(norm));
}

static double norm_of(size_t n, const double *v)
{
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += v[i] * v[i];
    return sqrt(square);
}

static double wave(const double *u, size_t dim)
{
    double y = 0;
    for (size_t d = 0; d < dim; d++)
        y += sin((7 + 2 * (double)d) * u[d] + 1);
    return y;
}

static double level(const double *u, size_t dim)
{
    (void)u;
    (void)dim;
    return 0.7;
}

static double slope(const double *u, size_t dim)
{
    (void)dim;
    return u[0];
}

static double elsewhere(const double *u, size_t dim)
{
    return 1000 * wave(u, dim) - 500;
}

static double upside_down(const double *u, size_t dim)
{
    return 3 - wave(u, dim) / 8;
}

static void test_the_message_is_the_likelihood(void **state)
{
    (void)state;
    function *const functions[] = {wave, slope};
    for (size_t dim = 1; dim <= 3; dim++)
        for (uint64_t who = 0; who < 4; who++) {
            tc_space *s = cube(dim);
            party *p = start(s, votes, who, functions[who % 2]);
            double v[G], slow[G];
            publish(p, 0);
            numbers_of(p, votes, 0, v);
            slow_vote(p, 8, slow);
            for (size_t j = 0; j < G; j++)
                assert_close(v[j], slow[j], 2e-5);
            assert_true(norm_of(G, v) <= 1 && norm_of(G, v) > 0.3);
            leave(p);
            tc_space_free(s);
        }
}

/* Later points are where the search of the agent's own went, and a vote takes seconds beyond 64. */
static void test_the_first_values_count(void **state)
{
    (void)state;
    static const char many[] = "{" VOTES ", \"initial\": 70}";
    tc_space *s = cube(1);
    party *p = start(s, many, 1, wave);
    double v[G], slow[G];
    publish(p, 0);
    numbers_of(p, many, 0, v);
    slow_vote(p, 64, slow);
    for (size_t j = 0; j < G; j++)
        assert_close(v[j], slow[j], 2e-5);
    leave(p);
    tc_space_free(s);
}

static void test_units_and_direction_do_not_matter(void **state)
{
    (void)state;
    function *const same[] = {wave, elsewhere, upside_down};
    tc_space *s = cube(2);
    double first[G] = {0};
    for (int k = 0; k < 3; k++) {
        party *p = join(s, votes, 2, NULL, k < 2);
        double v[G];
        for (int i = 0; i < 8; i++)
            trial(p, same[k]);
        publish(p, 0);
        numbers_of(p, votes, 0, v);
        for (size_t j = 0; j < G; j++)
            assert_close(v[j], k == 0 ? v[j] : first[j], 1e-6);
        if (k == 0)
            memcpy(first, v, sizeof v);
        leave(p);
    }
    tc_space_free(s);
}

static void test_nothing_to_say_is_zeros(void **state)
{
    (void)state;
    static const char few[] = "{" VOTES ", \"initial\": 2}",
                      three[] = "{" VOTES ", \"initial\": 3}";
    const struct {
        const char *options;
        function *f;
        bool zero;
    } row[] = {{few, wave, true}, {three, wave, false}, {votes, level, true}, {votes, wave, false}};
    tc_space *s = cube(1);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        party *p = start(s, row[k].options, 0, row[k].f);
        double v[G];
        publish(p, 0);
        numbers_of(p, row[k].options, 0, v);
        assert_true((norm_of(G, v) == 0) == row[k].zero);
        leave(p);
    }
    tc_space_free(s);
}

/* ---- the grid and the pick ---- */

/* By additions, multiplications, divisions and square roots alone, which IEEE 754 fixes to the last bit. */
static void test_the_grid_is_the_same_everywhere(void **state)
{
    (void)state;
    static const double grid[][G] = {
        {0x1.f400000000000p-7, 0x1.9000000000000p-6, 0x1.4000000000000p-5, 0x1.0000000000000p-4,
         0x1.999999999999ap-4, 0x1.47ae147ae147cp-3, 0x1.0624dd2f1a9fdp-2, 0x1.a36e2eb1c432fp-2,
         0x1.4f8b588e368f3p-1},
        {0x1.a472bdbc2b2b6p-6, 0x1.505bcafcef55fp-5, 0x1.0d163bfd8c44cp-4, 0x1.ae89f995ad3aep-4,
         0x1.586e61448a958p-3, 0x1.138b8103a2113p-2, 0x1.b8df34d29ce85p-2, 0x1.60b290a87d86bp-1,
         0x1.1a2873b9fe056p+0},
        {0x1.1cf039cf81bf5p-5, 0x1.c7e6c2e59c655p-5, 0x1.6cb89beae3844p-4, 0x1.23c6e3224f9d0p-3,
         0x1.d2d7d1d07f61ap-3, 0x1.757974a6cc4e2p-2, 0x1.2ac79085703e8p-1, 0x1.de0c1a6f19fdap-1,
         0x1.7e701525ae648p+0},
        {0x1.df351375bcd80p-5, 0x1.7f5da92afd79ap-4, 0x1.32b1542264615p-3, 0x1.eab5536a3a356p-3,
         0x1.88910f882e912p-2, 0x1.3a0da6068ba75p-1, 0x1.f67c3cd745d88p-1, 0x1.91fcfd7904ad4p+0,
         0x1.4197312d9d577p+1},
    };
    static const size_t dims[] = {1, 2, 3, 6};
    for (size_t k = 0; k < 4; k++) {
        for (size_t j = 0; j < G; j++)
            assert_same_bits(tc_dp_fts_de_vote_lengthscale(dims[k], j), grid[k][j]);
        for (size_t j = 0; j + 1 < G; j++)
            assert_close(grid[k][j + 1] / grid[k][j], 1.6, 1e-15);
        assert_same_bits(tc_dp_fts_de_vote_lengthscale(dims[k], MIDDLE),
                         tc_usual_lengthscale(dims[k]));
    }
}

/* Silence stays in the middle, with noise and without. */
static void test_nothing_heard_is_the_middle(void **state)
{
    (void)state;
    double mean[G] = {0};
    assert_int_equal(tc_dp_fts_de_vote_pick(mean, 1), MIDDLE);
    assert_int_equal(tc_dp_fts_de_vote_pick(mean, 0), MIDDLE);
    for (size_t j = 0; j < G; j++)
        mean[j] = -3;
    assert_int_equal(tc_dp_fts_de_vote_pick(mean, 0), MIDDLE);
    mean[2] = mean[6] = -2; /* of two that are as good, the shorter one */
    assert_int_equal(tc_dp_fts_de_vote_pick(mean, 0), 2);
    mean[1] = mean[5] = -2; /* and the one that is nearer */
    assert_int_equal(tc_dp_fts_de_vote_pick(mean, 0), 5);
}

/* 0.3 j^2 of the noise towards shorter ones, twice as much towards longer ones. */
static void test_leaving_the_middle_has_a_price(void **state)
{
    (void)state;
    for (int steps = -MIDDLE; steps <= MIDDLE; steps++)
        for (double sd = 0.01; sd < 10; sd *= 3) {
            double mean[G] = {0}, price = sd * (steps < 0 ? 0.3 : 0.6) * steps * steps;
            mean[MIDDLE + steps] = price * 1.0001;
            assert_int_equal(tc_dp_fts_de_vote_pick(mean, sd), MIDDLE + steps);
            mean[MIDDLE + steps] = price * 0.9999;
            assert_int_equal(tc_dp_fts_de_vote_pick(mean, sd), MIDDLE);
        }
}

static void test_more_votes_never_hurt(void **state)
{
    (void)state;
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DRAW, 0);
    for (int k = 0; k < 2000; k++) {
        double mean[G];
        for (size_t j = 0; j < G; j++)
            mean[j] = tc_draw_normal(&s);
        size_t pick = tc_dp_fts_de_vote_pick(mean, 0.2), j = tc_draw_below(&s, G);
        mean[pick] += 0.1;
        assert_int_equal(tc_dp_fts_de_vote_pick(mean, 0.2), pick);
        mean[j] += 0.5;
        size_t now = tc_dp_fts_de_vote_pick(mean, 0.2);
        assert_true(now == pick || now == j);
        mean[j] += 100;
        assert_int_equal(tc_dp_fts_de_vote_pick(mean, 0.2), j);
    }
}

/* ---- through a study ---- */

static void test_weights_follow_the_vote_at_once(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = cube(1);
    party *p = start(s, votes, 1, wave);
    tc_need need;
    publish(p, 0);
    hear_vote(p, votes, 3);
    publish(p, 1); /* release 0 of weights, without a trial in between */
    assert_int_equal(last(p)->n_bytes, TC_DP_FTS_DE_HEADER + 8 * M);
    hear_weights(p, 1);
    for (int t = 0; t < 2; t++) {
        assert_ok(tc_optimizer_need(p->o, &need, &err));
        assert_int_equal(need.may, TC_NEED_TRIAL);
        trial(p, wave);
    }
    publish(p, 3); /* release 2 */
    hear_weights(p, 3);
    for (int t = 0; t < 3; t++)
        trial(p, wave);
    assert_ok(tc_optimizer_need(p->o, &need, &err));
    assert_int_equal(need.may, TC_NEED_TRIAL); /* for ever */
    leave(p);
    tc_space_free(s);
}

static void test_what_is_no_vote_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = cube(1);
    party *p = start(s, votes, 1, wave);
    uint8_t bytes[8 * M] = {0};
    const size_t wrong[] = {0, 8, 8 * (G - 1), 8 * G + 1, 8 * M};
    tc_event e;
    publish(p, 0);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_ok(tc_optimizer_absorb(p->o, 0, bytes, wrong[k], 0, &e, &err));
        e.seq = p->n + 1;
        assert_fails(tc_optimizer_apply(p->o, &e, &err), TACIT_E_CORRUPT,
                     "the broadcast of round 0 must have 72 bytes, got ");
    }
    leave(p);
    tc_space_free(s);
}

/* A study that is given what another one picks: the same weights, the same points. */
static void test_the_picked_length_scale_is_the_given_one(void **state)
{
    (void)state;
    tc_space *s = cube(2);
    for (size_t pick = 0; pick < G; pick += 3) {
        char told[512];
        double voted[M], given[M];
        snprintf(told, sizeof told,
                 "{" BASE ", \"initial\": 8, \"vote\": \"no\", \"lengthscale\": %.17g}",
                 tc_dp_fts_de_vote_lengthscale(2, pick));
        party *a = start(s, votes, 1, wave), *b = start(s, told, 1, wave);
        publish(a, 0);
        hear_vote(a, votes, pick);
        publish(a, 1);
        numbers_of(a, votes, 1, voted);
        publish(b, 0);
        numbers_of(b, told, 0, given);
        for (size_t i = 0; i < M; i++)
            assert_same_bits(voted[i], given[i]);
        assert_true(norm_of(M, given) > 0.1);
        hear_weights(a, 1);
        hear_weights(b, 0);
        for (int t = 0; t < 2; t++) {
            const double *x = trial(a, wave), *y = trial(b, wave);
            assert_same_bits(x[0], y[0]);
            assert_same_bits(x[1], y[1]);
        }
        leave(a);
        leave(b);
    }
    tc_space_free(s);
}

/* From its journal it is the same agent, wherever it stopped. */
static void test_a_replay_has_the_same_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = cube(1);
    party *p = start(s, votes, 1, wave);
    size_t stops[4], k = 0;
    stops[k++] = p->n;
    publish(p, 0);
    stops[k++] = p->n;
    hear_vote(p, votes, 6);
    stops[k++] = p->n;
    publish(p, 1);
    hear_weights(p, 1);
    stops[k++] = p->n;
    trial(p, wave);
    trial(p, wave);
    publish(p, 3);
    for (size_t i = 0; i < k; i++) {
        party *q = join(s, votes, 1, NULL, true);
        for (size_t e = 0; e < stops[i]; e++)
            record(q, &p->events[e]);
        for (size_t e = stops[i]; e < p->n; e++) {
            const tc_event *was = &p->events[e];
            if (was->kind == TC_EVENT_PUBLISH)
                publish(q, was->round);
            else if (was->kind == TC_EVENT_ASK) {
                const double *x = trial(q, wave);
                assert_same_bits(x[0], was->values[0]);
            } else if (was->kind == TC_EVENT_ABSORB)
                record(q, was);
            if (was->kind == TC_EVENT_PUBLISH)
                assert_memory_equal(last(q)->bytes, was->bytes, was->n_bytes);
        }
        leave(q);
    }
    assert_ok(tc_optimizer_need(p->o, &(tc_need){0}, &err));
    leave(p);
    tc_space_free(s);
}

/* Others may have heard the vote: on features of its own guess, its vector would be in their way. */
static void test_an_agent_that_missed_the_vote_sends_zeros(void **state)
{
    (void)state;
    tc_space *s = cube(1);
    party *p = start(s, votes, 1, wave), *alone = join(s, votes, 1, NULL, true);
    double v[M];
    publish(p, 0);
    skip_round(p, 0);
    publish(p, 1);
    numbers_of(p, votes, 1, v);
    assert_close(norm_of(M, v), 0, 0);
    hear_weights(p, 1); /* weights of features that it does not know */
    for (int i = 0; i < 8; i++)
        trial(alone, wave);
    publish(alone, 0);
    skip_round(alone, 0);
    publish(alone, 1);
    skip_round(alone, 1);
    for (int t = 0; t < 2; t++) {
        const double *x = trial(p, wave), *y = trial(alone, wave);
        assert_same_bits(x[0], y[0]);
    }
    publish(p, 3);
    numbers_of(p, votes, 3, v);
    assert_close(norm_of(M, v), 0, 0);
    leave(p);
    leave(alone);
    tc_space_free(s);
}

/* ---- siblings ---- */

enum { SIBLINGS = 6 };

static void *take_part(void *ctx)
{
    party *p = ctx;
    for (int i = 0; i < 8; i++)
        trial(p, wave);
    publish(p, 0);
    hear_vote(p, votes, 5);
    publish(p, 1);
    return NULL;
}

/* Whoever hears the vote first makes what all share. */
static void test_siblings_hear_it_on_several_threads(void **state)
{
    (void)state;
    tc_space *s = cube(2);
    party *threaded[SIBLINGS], *single[SIBLINGS];
    pthread_t threads[SIBLINGS];
    for (uint64_t i = 0; i < SIBLINGS; i++)
        threaded[i] = join(s, votes, i, i > 0 ? threaded[0] : NULL, true);
    for (int i = 0; i < SIBLINGS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_part, threaded[i]), 0);
    for (int i = 0; i < SIBLINGS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (uint64_t i = 0; i < SIBLINGS; i++) {
        single[i] = join(s, votes, i, NULL, true);
        take_part(single[i]);
        assert_memory_equal(last(threaded[i])->bytes, last(single[i])->bytes,
                            last(single[i])->n_bytes);
        leave(single[i]);
    }
    for (int i = 0; i < SIBLINGS; i++)
        leave(threaded[i]);
    tc_space_free(s);
}

static void test_siblings_hear_the_same_vote(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = cube(1);
    party *p = start(s, votes, 0, wave), *q = join(s, votes, 1, p, true);
    double mean[G] = {0};
    uint8_t bytes[8 * G];
    tc_event e;
    for (int i = 0; i < 8; i++)
        trial(q, wave);
    publish(p, 0);
    publish(q, 0);
    hear_vote(p, votes, 4);
    mean[2] = 20;
    vote_bytes(votes, mean, bytes);
    assert_ok(tc_optimizer_absorb(q->o, 0, bytes, sizeof bytes, 0, &e, &err));
    e.seq = q->n + 1;
    assert_fails(tc_optimizer_apply(q->o, &e, &err), TACIT_E_CORRUPT,
                 "two agents of this study heard different votes: length-scales 0.1 and 0.0390625");
    leave(q);
    leave(p);
    tc_space_free(s);
}

/* ---- the sum ---- */

/* Coordinates as large as a message may have them, without the agent's own clipping. */
static void write_long(const tc_dp_fts_de_round *r, tc_text *out)
{
    int64_t v[G];
    tc_dp_fts_de_form form = tc_dp_fts_de_round_form(r, 0);
    for (size_t j = 0; j < G; j++)
        v[j] = j % 2 == 0 ? (int64_t)r->clip : -(int64_t)r->clip;
    tc_dp_fts_de_message_write(&form, v, out);
}

static tc_release *sum_of(const tc_dp_fts_de_options *o, const tc_text *message, bool with)
{
    tacit_error err = {0};
    tc_env env = {.agents = N};
    tc_test_noise noise;
    tc_release *out = NULL;
    tc_test_noise_init(&noise, 9, 0);
    tc_entropy e = tc_entropy_of_test(&noise);
    void *st = tc_alloc(1, tc_dp_fts_de_aggregator.state_size);
    assert_non_null(st);
    assert_ok(tc_dp_fts_de_aggregator.open(st, &env, o, 0, &e, &err));
    if (with)
        assert_ok(tc_dp_fts_de_aggregator.fold(st, 3, tc_text_get(message), message->len, &err));
    assert_ok(tc_dp_fts_de_aggregator.close(st, &out, &err));
    tc_dp_fts_de_aggregator.fini(st);
    tc_free(st);
    return out;
}

/* Of 1/N and norm 1, whatever an agent sends; nine coordinates of noise with the vote's own multiplier. */
static void test_the_sum_of_the_vote(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = options_of(votes);
    tc_dp_fts_de_round r;
    tc_sum_scale scale;
    tc_text message = {0};
    double square = 0;
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = N}, &o, 0, &err));
    assert_ok(tc_sum_plan_scale(&r.plan, &scale, &err));
    assert_close(scale.event.parameter, 5, 1e-6);
    assert_true(scale.event.parameter >= 5);
    assert_int_equal(scale.event.sampling, TACIT_DP_ALL);
    assert_close(ldexp((double)scale.sensitivity, -r.release_grid), 1.0 / N, 1e-5);
    assert_close(ldexp((double)scale.sd, -r.release_grid), 5.0 / N, 1e-5);
    write_long(&r, &message);
    tc_release *with = sum_of(&o, &message, true), *without = sum_of(&o, &message, false);
    const tc_release_view *a = tc_release_get(with), *b = tc_release_get(without);
    assert_int_equal(a->rows * a->cols, G);
    for (size_t j = 0; j < G; j++)
        square += pow((double)(a->steps[j] - b->steps[j]), 2);
    assert_true(sqrt(square) <= (double)scale.sensitivity);
    assert_true(sqrt(square) > 0.999 * (double)scale.sensitivity);
    assert_same_bits(a->event.parameter, scale.event.parameter);
    tc_release_free(with);
    tc_release_free(without);
    tc_text_fini(&message);
    tc_dp_fts_de_round_fini(&r);
    options_end(&o);
}

static void test_rounds_are_named(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = options_of(votes);
    assert_string_equal(tc_dp_fts_de_aggregator.about(&o, 0), "vote on the length-scale");
    assert_string_equal(tc_dp_fts_de_aggregator.about(&o, 1), "weights");
    o.vote = TC_DP_FTS_DE_VOTE_NO;
    assert_null(tc_dp_fts_de_aggregator.about(&o, 0));
    options_end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_message_is_the_likelihood),
        cmocka_unit_test(test_the_first_values_count),
        cmocka_unit_test(test_units_and_direction_do_not_matter),
        cmocka_unit_test(test_nothing_to_say_is_zeros),
        cmocka_unit_test(test_the_grid_is_the_same_everywhere),
        cmocka_unit_test(test_nothing_heard_is_the_middle),
        cmocka_unit_test(test_leaving_the_middle_has_a_price),
        cmocka_unit_test(test_more_votes_never_hurt),
        cmocka_unit_test(test_weights_follow_the_vote_at_once),
        cmocka_unit_test(test_what_is_no_vote_is_refused),
        cmocka_unit_test(test_the_picked_length_scale_is_the_given_one),
        cmocka_unit_test(test_a_replay_has_the_same_bits),
        cmocka_unit_test(test_an_agent_that_missed_the_vote_sends_zeros),
        cmocka_unit_test(test_siblings_hear_it_on_several_threads),
        cmocka_unit_test(test_siblings_hear_the_same_vote),
        cmocka_unit_test(test_the_sum_of_the_vote),
        cmocka_unit_test(test_rounds_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
