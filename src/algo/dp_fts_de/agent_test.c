/* agent_test.c - the agent's half, through the optimizer that drives it. */
#include "support/features_model.h"

#include "algo/dp_fts_de/dp_fts_de.h"
#include "algo/optimizer.h"
#include "base/json.h"
#include "space/partition.h"

enum { N = 6, POINTS = 200, EVENTS = 200, M = 16, P = 4, INITIAL = 5 };

static const char *base =
    "{" FEATURES_MODEL "\"features\": 16, \"regions\": 4, \"initial\": 5, \"lengthscale\": 0.1, "
    "\"spectrum\": \"drawn\"}";

typedef struct party {
    tc_optimizer *o;
    tc_event events[EVENTS];
    double values[EVENTS][2];
    uint8_t *bytes[EVENTS];
    char *bodies[EVENTS];
    size_t n;
} party;

static tc_space *line(void)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){POINTS}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static tc_space *square(void)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(s, "y", 0, 1, 0, false, &err));
    return s;
}

/* `base`, and what `more` changes of it. */
static json_t *options(const char *more)
{
    tacit_error err = {0};
    json_t *j = NULL, *k = NULL;
    assert_ok(tc_json_parse(base, strlen(base), "base", &j, &err));
    assert_ok(tc_json_parse(more, strlen(more), "more", &k, &err));
    assert_int_equal(json_object_update(j, k), 0);
    json_decref(k);
    return j;
}

static tacit_status make(tc_optimizer **out, const tc_space *s, const char *more, uint64_t who,
                         uint64_t agents, const tc_optimizer *sibling, tacit_error *err)
{
    json_t *j = options(more);
    tc_optimizer_config cfg = {.algorithm = &tc_algorithm_dp_fts_de,
                               .options = j,
                               .space = s,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(3),
                               .party_seed = tc_party_seed_from(4),
                               .party = who,
                               .agents = agents,
                               .sibling = sibling};
    tacit_status status = tc_optimizer_new(out, &cfg, err);
    json_decref(j);
    return status;
}

static party *join(const tc_space *s, const char *more, uint64_t who, uint64_t agents)
{
    tacit_error err = {0};
    party *p = tc_alloc(1, sizeof *p);
    assert_non_null(p);
    assert_ok(make(&p->o, s, more, who, agents, NULL, &err));
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
    if (e->body) {
        p->events[i].body = p->bodies[i] = tc_strdup(e->body);
        assert_non_null(p->bodies[i]);
    }
    assert_ok(tc_optimizer_apply(p->o, &p->events[i], &err));
}

/* Fits that are due come first. */
static uint64_t ask(party *p)
{
    tacit_error err = {0};
    tc_ask_request req = {0};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(p->o, &req, &e, &err));
        record(p, &e);
    } while (e.kind != TC_EVENT_ASK);
    return e.trial;
}

static double objective(const double *u, size_t dim)
{
    double y = 0;
    for (size_t d = 0; d < dim; d++)
        y += sin(9 * u[d] + 1);
    return y;
}

static const double *trial(party *p)
{
    tacit_error err = {0};
    tc_event e;
    uint64_t t = ask(p);
    double u[2];
    const double *values = tc_optimizer_trial(p->o, t)->values;
    tc_space_encode(tc_optimizer_space(p->o), values, u);
    assert_ok(
        tc_optimizer_tell(p->o, t, NULL, objective(u, tc_optimizer_space(p->o)->dim), 0, &e, &err));
    record(p, &e);
    return values;
}

static void start(party *p)
{
    for (int i = 0; i < INITIAL; i++)
        trial(p);
}

static void publish(party *p)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_publish(p->o, 0, &e, &err));
    record(p, &e);
}

/* A broadcast whose sums are known: steps of block i, feature k. */
static int64_t step_of(uint64_t round, size_t i, size_t k)
{
    return (int64_t)((round + 1) * 7919 * (i + 3) * (k + 1) % 4001 - 2000) * 100000;
}

static void absorb(party *p, uint64_t round)
{
    tacit_error err = {0};
    uint8_t bytes[8 * P * M];
    tc_event e;
    for (size_t j = 0; j < P * M; j++)
        for (size_t b = 0; b < 8; b++)
            bytes[8 * j + b] = (uint8_t)((uint64_t)step_of(round, j / M, j % M) >> (8 * b));
    assert_ok(tc_optimizer_absorb(p->o, round, bytes, sizeof bytes, 0, &e, &err));
    record(p, &e);
}

static void skip_round(party *p, uint64_t round)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_skip(p->o, round, "the budget is spent", 0, &e, &err));
    record(p, &e);
}

/* ---- */

static void test_initial_points_lie_in_the_start_region(void **state)
{
    (void)state;
    tc_space *spaces[] = {line(), square()};
    for (size_t k = 0; k < 2; k++) {
        size_t away = 0;
        for (uint64_t who = 0; who < N; who++) {
            party *self = join(spaces[k], "{}", who, N);
            party *any = join(spaces[k], "{\"init\": \"domain\"}", who, N);
            for (int i = 0; i < INITIAL; i++) {
                double u[2];
                tc_space_encode(spaces[k], trial(self), u);
                assert_int_equal(tc_region_of(u, P, spaces[k]->dim), who % P);
                tc_space_encode(spaces[k], trial(any), u);
                away += tc_region_of(u, P, spaces[k]->dim) != who % P;
            }
            leave(self);
            leave(any);
        }
        assert_true(away > 10);
        tc_space_free(spaces[k]);
    }
}

static void test_alone_it_never_waits(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = line();
    for (uint64_t agents = 0; agents < 2; agents++) {
        party *p = join(s, "{}", 0, agents);
        tc_need need;
        for (int i = 0; i < 12; i++) {
            assert_ok(tc_optimizer_need(p->o, &need, &err));
            assert_int_equal(need.may, TC_NEED_TRIAL);
            assert_int_equal(need.must, 0);
            trial(p);
        }
        leave(p);
    }
    tc_space_free(s);
}

static void test_rounds_come_when_listed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = line();
    party *p = join(s, "{\"releases\": \"0,3\"}", 1, N);
    tc_need need;
    for (uint64_t round = 0; round < 6; round++) {
        if (round == 0)
            start(p);
        assert_ok(tc_optimizer_need(p->o, &need, &err));
        bool releases = round == 0 || round == 3;
        assert_int_equal(need.may, releases ? TC_NEED_PUBLISH : TC_NEED_TRIAL);
        if (releases) {
            assert_int_equal(need.round, round);
            publish(p);
            assert_ok(tc_optimizer_need(p->o, &need, &err));
            assert_int_equal(need.must, TC_NEED_ABSORB);
            absorb(p, round);
        }
        trial(p);
    }
    leave(p);
    tc_space_free(s);
}

/* omega of a block from the steps, as a reader with nothing but the options would. */
static void slow_omega(uint64_t round, size_t i, double *omega)
{
    tacit_error err = {0};
    tc_dp_fts_de_options o = {0};
    tc_dp_fts_de_round r;
    json_t *j = options("{}");
    features_model(&o);
    assert_ok(tc_options_set_json(tc_algorithm_dp_fts_de.options, &o, "x", j, NULL, &err));
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = N}, &o, round, &err));
    for (size_t k = 0; k < M; k++)
        omega[k] = ldexp((double)step_of(round, i, k), -r.release_grid);
    tc_dp_fts_de_round_fini(&r);
    tc_options_fini(tc_algorithm_dp_fts_de.options, &o);
    json_decref(j);
}

static void slow_features(tc_rff *f)
{
    tacit_error err = {0};
    double scale = 0.1;
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = 1, .variance = 1, .scale = &scale};
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_FEATURES, 0);
    assert_ok(tc_rff_init(f, M, 1, &err));
    tc_rff_draw(f, &h, false, &s);
}

/* Is candidate c among the points of p's trials? */
static bool known(party *p, size_t c)
{
    for (uint64_t t = 0; t < tc_optimizer_trials(p->o); t++)
        if ((size_t)tc_optimizer_trial(p->o, t)->values[0] == c)
            return true;
    return false;
}

/* The best candidate by one pass over all, not within `radius` of candidate `from`. */
static size_t slow_best(party *p, const tc_rff *f, size_t from, double radius)
{
    double omega[P][M], top = -INFINITY;
    size_t best = POINTS;
    for (size_t i = 0; i < P; i++)
        slow_omega(0, i, omega[i]);
    for (size_t c = 0; c < POINTS; c++) {
        double u = (double)c / (POINTS - 1), gap = fabs(u - (double)from / (POINTS - 1));
        double y = tc_rff_value(f, omega[tc_region_of(&u, P, 1)], &u);
        if (known(p, c) || (from < POINTS && gap < radius) || y <= top)
            continue;
        top = y;
        best = c;
    }
    return best;
}

static void test_the_first_query_maximises_the_broadcast(void **state)
{
    (void)state;
    tc_space *s = line();
    tc_rff f;
    slow_features(&f);
    for (uint64_t who = 0; who < N; who++) {
        party *p = join(s, "{\"absorb\": \"point\"}", who, N);
        start(p);
        publish(p);
        absorb(p, 0);
        size_t expected = slow_best(p, &f, POINTS, 0);
        assert_int_equal(trial(p)[0], expected);
        leave(p);
    }
    tc_rff_fini(&f);
    tc_space_free(s);
}

/* The second query follows with probability 1/sqrt(2): of six agents most do. */
static void test_a_second_query_keeps_away(void **state)
{
    (void)state;
    tc_space *s = line();
    tc_rff f;
    size_t again = 0;
    slow_features(&f);
    for (uint64_t who = 0; who < N; who++) {
        party *p = join(s, "{\"releases\": \"first\", \"absorb\": \"point\"}", who, N);
        start(p);
        publish(p);
        absorb(p, 0);
        size_t first = (size_t)trial(p)[0], expected = slow_best(p, &f, first, 0.05);
        again += (size_t)trial(p)[0] == expected;
        leave(p);
    }
    assert_true(again >= 2);
    tc_rff_fini(&f);
    tc_space_free(s);
}

/* The ablation leaves nothing of the broadcast: own draws, and uniform points where it would be
 * followed, whatever it says and however it would be absorbed. */
static void test_uniform_points_ignore_the_broadcast(void **state)
{
    (void)state;
    tc_space *s = line();
    party *a = join(s, "{\"broadcast\": \"uniform\", \"releases\": \"0,3\"}", 2, N);
    party *b =
        join(s, "{\"broadcast\": \"uniform\", \"releases\": \"0,3\", \"absorb\": \"point\"}", 2, N);
    start(a);
    start(b);
    publish(a);
    publish(b);
    absorb(a, 0);
    absorb(b, 0);
    for (int i = 0; i < 3; i++)
        assert_same_bits(trial(a)[0], trial(b)[0]);
    leave(a);
    leave(b);
    tc_space_free(s);
}

/* After a round without a broadcast an agent queries as one that never follows, also where a
 * broadcast would be its prior. */
static void test_without_a_broadcast_it_goes_on_alone(void **state)
{
    (void)state;
    tc_space *spaces[] = {line(), square()};
    for (size_t k = 0; k < 2; k++) {
        party *skips = join(spaces[k], "{}", 2, N);
        party *never = join(spaces[k], "{\"p1\": 1, \"absorb\": \"point\"}", 2, N);
        start(skips);
        start(never);
        publish(skips);
        publish(never);
        skip_round(skips, 0);
        absorb(never, 0);
        const double *a = trial(skips), *b = trial(never);
        for (size_t d = 0; d < spaces[k]->n_params; d++)
            assert_same_bits(a[d], b[d]);
        leave(skips);
        leave(never);
        tc_space_free(spaces[k]);
    }
}

/* A broadcast that came before is free to use again: as a prior it stays, and the agent goes on as if there had
 * been no second round. One that is only followed is followed no more. */
static void test_a_prior_outlives_a_spent_budget(void **state)
{
    (void)state;
    tc_space *s = line();
    static const char *const absorbs[] = {"prior", "point"};
    for (size_t k = 0; k < 2; k++) {
        char options[2][128];
        snprintf(options[0], 128, "{\"releases\": \"0,1\", \"absorb\": \"%s\"}", absorbs[k]);
        snprintf(options[1], 128, "{\"releases\": \"0,9\", \"absorb\": \"%s\"}", absorbs[k]);
        party *skips = join(s, options[0], 2, N), *hears = join(s, options[1], 2, N);
        start(skips);
        start(hears);
        publish(skips);
        publish(hears);
        absorb(skips, 0);
        absorb(hears, 0);
        assert_same_bits(trial(skips)[0], trial(hears)[0]);
        publish(skips);
        skip_round(skips, 1);
        size_t same = 0;
        for (int i = 0; i < 6; i++)
            same += trial(skips)[0] == trial(hears)[0];
        assert_true(k == 0 ? same == 6 : same < 6);
        leave(skips);
        leave(hears);
    }
    tc_space_free(s);
}

static void test_more_than_fits_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = line();
    tc_optimizer *o = NULL;
    assert_fails(
        make(&o, s, "{\"features\": 4096, \"regions\": 64}", 0, N, NULL, &err), TACIT_E_ARG,
        "features=4096 in 64 regions would take up to 8590 MB for every agent with "
        "absorb=prior; at most 1073 MB are allowed: take fewer of either, or absorb=point");
    assert_null(o);
    tc_space_free(s);
}

/* Runs the same events through a second optimizer, then asks both. */
static void check_replay(const tc_space *s, const char *more)
{
    tacit_error err = {0};
    party *p = join(s, more, 3, N);
    start(p);
    for (uint64_t round = 0; round < 5; round++) {
        publish(p);
        if (round == 2)
            skip_round(p, round);
        else
            absorb(p, round);
        trial(p);
    }
    tc_optimizer *again = NULL;
    assert_ok(make(&again, s, more, 3, N, p->o, &err)); /* shares the features */
    for (size_t i = 0; i < p->n; i++)
        assert_ok(tc_optimizer_apply(again, &p->events[i], &err));
    tc_event a, b;
    assert_ok(tc_optimizer_publish(p->o, 0, &a, &err));
    assert_ok(tc_optimizer_publish(again, 0, &b, &err));
    assert_int_equal(a.n_bytes, TC_DP_FTS_DE_HEADER + 8 * M);
    assert_memory_equal(a.bytes, b.bytes, a.n_bytes);
    assert_ok(tc_optimizer_apply(again, &b, &err));
    publish(p);
    absorb(p, 5);
    assert_ok(tc_optimizer_apply(again, &p->events[p->n - 1], &err));
    const size_t before = p->n;
    const uint64_t asked = ask(p);
    tc_ask_request req = {0};
    for (size_t i = before; i < p->n; i++) { /* a fit, if one is due, and the point */
        assert_ok(tc_optimizer_next(again, &req, &b, &err));
        assert_int_equal(b.kind, p->events[i].kind);
        if (b.body)
            assert_string_equal(b.body, p->events[i].body);
        for (size_t d = 0; b.values && d < s->n_params; d++)
            assert_same_bits(b.values[d], tc_optimizer_trial(p->o, asked)->values[d]);
        assert_ok(tc_optimizer_apply(again, &p->events[i], &err));
    }
    leave(p); /* the features live on */
    assert_ok(tc_optimizer_next(again, &req, &b, &err));
    tc_optimizer_free(again);
}

static void test_replay_gives_the_same_bits(void **state)
{
    (void)state;
    tc_space *spaces[] = {line(), square()};
    for (size_t k = 0; k < 2; k++) {
        check_replay(spaces[k], "{}");
        check_replay(spaces[k], "{\"absorb\": \"point\"}");
        check_replay(spaces[k], "{\"message\": \"draw\", \"schedule\": \"inverse\"}");
        check_replay(spaces[k], "{\"broadcast\": \"uniform\"}");
        check_replay(spaces[k], "{\"own\": \"gp\", \"init\": \"domain\"}");
        check_replay(spaces[k], "{\"own\": \"gp\", \"init\": \"domain\", \"broadcast\": \"none\"}");
        tc_space_free(spaces[k]);
    }
}

static double message_norm(const tc_space *s, const char *more, bool *zero)
{
    tacit_error err = {0};
    party *p = join(s, more, 1, N);
    tc_event e;
    double square_sum = 0;
    start(p);
    assert_ok(tc_optimizer_publish(p->o, 0, &e, &err));
    const uint8_t *b = e.bytes;
    int32_t grid = 0;
    memcpy(&grid, b + 4, 4);
    for (size_t k = 0; k < M; k++) {
        double x = ldexp((double)tc_dp_fts_de_int64(b + TC_DP_FTS_DE_HEADER + 8 * k), -grid);
        square_sum += x * x;
    }
    *zero = square_sum == 0;
    leave(p);
    return sqrt(square_sum);
}

static void test_messages_are_clipped(void **state)
{
    (void)state;
    tc_space *s = line();
    bool zero;
    double free_norm = message_norm(s, "{\"clip\": 1000}", &zero);
    assert_false(zero);
    assert_true(free_norm > 0.5);
    double norm = message_norm(s, "{\"clip\": 0.2}", &zero);
    assert_true(norm <= 0.1 && norm > 0.0999);
    message_norm(s, "{\"broadcast\": \"noise\"}", &zero);
    assert_true(zero);
    tc_space_free(s);
}

static void test_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = line();
    tc_optimizer *o = NULL;
    assert_fails(make(&o, s, "{}", N, N, NULL, &err), TACIT_E_ARG,
                 "party 6 is not on the roster of 6 agents");
    assert_fails(make(&o, s, "{\"releases\": \"soon\"}", 0, N, NULL, &err), TACIT_E_ARG,
                 "got \"soon\"");
    assert_fails(make(&o, s, "{\"regions\": -1}", 0, N, NULL, &err), TACIT_E_ARG, "regions");
    assert_null(o);
    party *p = join(s, "{}", 0, N);
    tc_event e = {.kind = TC_EVENT_ABSORB, .bytes = "12345678", .n_bytes = 8};
    start(p);
    assert_fails(tc_optimizer_apply(p->o, &e, &err), TACIT_E_CORRUPT, "waits for");
    publish(p);
    assert_fails(tc_optimizer_apply(p->o, &e, &err), TACIT_E_CORRUPT,
                 "the broadcast of round 0 must have 512 bytes, got 8");
    e.kind = TC_EVENT_PUBLISH;
    assert_fails(tc_optimizer_apply(p->o, &e, &err), TACIT_E_CORRUPT, "may publish in");
    absorb(p, 0);
    trial(p);
    leave(p);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_initial_points_lie_in_the_start_region),
        cmocka_unit_test(test_alone_it_never_waits),
        cmocka_unit_test(test_rounds_come_when_listed),
        cmocka_unit_test(test_the_first_query_maximises_the_broadcast),
        cmocka_unit_test(test_a_second_query_keeps_away),
        cmocka_unit_test(test_uniform_points_ignore_the_broadcast),
        cmocka_unit_test(test_without_a_broadcast_it_goes_on_alone),
        cmocka_unit_test(test_a_prior_outlives_a_spent_budget),
        cmocka_unit_test(test_more_than_fits_is_refused),
        cmocka_unit_test(test_replay_gives_the_same_bits),
        cmocka_unit_test(test_messages_are_clipped),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
