/* search_test.c - which point a target leads to: the rule of what is shut, alone and together. */
#include "support/test.h"

#include "algo/thompson/thompson.h"

enum { POINTS = 101, M = 12, AGENTS = 40, KNOWN = 6 };

/* One agent of a finite line: its history, and a search over the shared features. */
typedef struct agent {
    tc_env env;
    tc_history history;
    double U[POINTS], y[POINTS], taken[4];
    size_t point[POINTS], taken_point[4];
    tc_search search;
} agent;

static tc_space *line(void)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){POINTS}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static tc_features *features(const tc_space *s, size_t regions)
{
    tacit_error err = {0};
    tc_env env = {.space = s, .public_seed = tc_public_seed_from(2)};
    tc_features_spec spec = {.M = M, .regions = regions, .lengthscale = 0.2};
    tc_features *f = NULL;
    assert_ok(tc_features_new(&f, &env, &spec, &err));
    return f;
}

static void join(agent *a, const tc_space *s, const tc_features *f, uint64_t party)
{
    tacit_error err = {0};
    memset(a, 0, sizeof *a);
    a->history = (tc_history){.dim = s->dim,
                              .ld = POINTS,
                              .U = a->U,
                              .y = a->y,
                              .point = a->point,
                              .taken_ld = 4,
                              .taken = a->taken,
                              .taken_point = a->taken_point};
    a->env = (tc_env){.space = s,
                      .history = &a->history,
                      .party = party,
                      .party_seed = tc_party_seed_from(1),
                      .public_seed = tc_public_seed_from(2)};
    assert_ok(tc_search_init(&a->search, &a->env, f, &err));
}

static void observe(agent *a, size_t candidate)
{
    a->point[a->history.n] = candidate;
    a->U[a->history.n++] = a->env.space->domain->u[candidate];
}

static void take(agent *a, size_t candidate)
{
    a->taken_point[a->history.n_taken] = candidate;
    a->taken[a->history.n_taken++] = a->env.space->domain->u[candidate];
}

static double score_of(const tc_features *f, const tc_target *t, size_t c)
{
    size_t region = 0, place = f->place[c];
    while (place >= f->start[region + 1])
        region++;
    double sum = 0;
    for (size_t m = 0; m < M; m++)
        sum += t->omega[(t->regions > 1 ? region * M : 0) + m] * f->Phi[place * M + m];
    return sum;
}

static bool near(const agent *a, const tc_target *t, double u)
{
    for (size_t i = t->since; i < a->history.n; i++)
        if (fabs(a->U[i] - u) < t->radius)
            return true;
    for (size_t i = 0; i < a->history.n_taken; i++)
        if (fabs(a->taken[i] - u) < t->radius)
            return true;
    return false;
}

static bool known(const agent *a, size_t c)
{
    for (size_t i = 0; i < a->history.n; i++)
        if (a->point[i] == c)
            return true;
    for (size_t i = 0; i < a->history.n_taken; i++)
        if (a->taken_point[i] == c)
            return true;
    return false;
}

/* level 0: neither known nor near; 1: not known; 2: any. Candidates of a line are in the order of
 * their places. */
static size_t best_of_level(const agent *a, const tc_features *f, const tc_target *t, int level)
{
    size_t best = POINTS;
    for (size_t c = 0; c < POINTS; c++) {
        if ((level < 2 && known(a, c)) ||
            (level < 1 && t->radius > 0 && near(a, t, a->env.space->domain->u[c])))
            continue;
        if (best == POINTS || score_of(f, t, c) > score_of(f, t, best))
            best = c;
    }
    return best;
}

static size_t reference(const agent *a, const tc_features *f, const tc_target *t)
{
    size_t best = POINTS;
    for (int level = 0; level < 3 && best == POINTS; level++)
        best = best_of_level(a, f, t, level);
    return best;
}

static size_t maximise(agent *a, const tc_target *t)
{
    tacit_error err = {0};
    double value;
    assert_ok(tc_search_maximise(&a->search, t, 7, &value, &err));
    return (size_t)value;
}

static void each_rule_comes_in_its_turn(void **state)
{
    tc_space *s = line();
    tc_features *f = features(s, 4);
    static agent a;
    double omega[4 * M];
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream stream;
    (void)state;
    tc_stream_public(&stream, &seed, TC_FOR_DRAW, 0);
    tc_draw_normals(&stream, 4 * M, omega);
    join(&a, s, f, 0);
    tc_target t = {.omega = omega, .regions = 4, .radius = 0.1};
    for (size_t i = 0; i < POINTS; i++) {
        size_t c = maximise(&a, &t);
        assert_int_equal(c, reference(&a, f, &t));
        assert_false(known(&a, c));
        observe(&a, c);
    }
    assert_int_equal(best_of_level(&a, f, &t, 0), POINTS);
    assert_int_equal(best_of_level(&a, f, &t, 1), POINTS);
    assert_int_equal(maximise(&a, &t), best_of_level(&a, f, &t, 2));
    tc_search_fini(&a.search);
    tc_features_unref(f);
    tc_space_free(s);
}

/* What one call shuts for itself alone, a radius or an open trial, is open for the next; what was
 * observed is not. */
static void calls_leave_nothing_behind_but_what_was_observed(void **state)
{
    tc_space *s = line();
    tc_features *f = features(s, 4);
    static agent a;
    double omega[4 * M];
    tc_public_seed seed = tc_public_seed_from(6);
    tc_stream stream;
    (void)state;
    tc_stream_public(&stream, &seed, TC_FOR_DRAW, 0);
    join(&a, s, f, 0);
    for (size_t i = 0; i < POINTS - 1; i++) {
        tc_draw_normals(&stream, 4 * M, omega);
        tc_target t = {.omega = omega,
                       .regions = i % 2 ? 4 : 1,
                       .since = i > 3 ? i - 3 : 0,
                       .radius = i % 3 ? 0 : 0.05};
        size_t c = maximise(&a, &t);
        assert_int_equal(c, reference(&a, f, &t));
        a.history.n_taken = 0;
        if (i % 5 == 1)
            take(&a, c);
        else
            observe(&a, c);
    }
    tc_search_fini(&a.search);
    tc_features_unref(f);
    tc_space_free(s);
}

static void open_trials_are_shut_too(void **state)
{
    tc_space *s = line();
    tc_features *f = features(s, 1);
    static agent a;
    double omega[M];
    tc_public_seed seed = tc_public_seed_from(4);
    tc_stream stream;
    (void)state;
    tc_stream_public(&stream, &seed, TC_FOR_DRAW, 0);
    tc_draw_normals(&stream, M, omega);
    join(&a, s, f, 0);
    tc_target t = {.omega = omega, .regions = 1};
    size_t first = maximise(&a, &t);
    take(&a, first);
    assert_int_not_equal(maximise(&a, &t), first);
    assert_int_equal(maximise(&a, &t), reference(&a, f, &t));
    t.radius = 0.2;
    assert_int_equal(maximise(&a, &t), reference(&a, f, &t));
    t.since = 5; /* of more observations than there are: only the open one counts */
    assert_int_equal(maximise(&a, &t), reference(&a, f, &t));
    tc_search_fini(&a.search);
    tc_features_unref(f);
    tc_space_free(s);
}

/* An overflow leaves no score that is a number; the answer is still a candidate. */
static void targets_that_are_not_numbers_lead_somewhere(void **state)
{
    tc_space *s = line();
    tc_features *f = features(s, 4);
    static agent a;
    double omega[M];
    (void)state;
    for (size_t m = 0; m < M; m++)
        omega[m] = (double)NAN;
    join(&a, s, f, 0);
    tc_target t = {.omega = omega, .regions = 1};
    assert_in_range(maximise(&a, &t), 0, POINTS - 1);
    tc_search_fini(&a.search);
    tc_features_unref(f);
    tc_space_free(s);
}

static void together_is_one_by_one(void **state)
{
    static agent agents[AGENTS];
    static double omega[AGENTS][4 * M];
    tc_space *s = line();
    tc_features *f = features(s, 4);
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream stream;
    tacit_error err = {0};
    tc_search *searches[AGENTS];
    tc_target targets[AGENTS];
    uint64_t trials[AGENTS] = {0};
    double found[AGENTS], *values[AGENTS];
    (void)state;
    tc_stream_public(&stream, &seed, TC_FOR_DRAW, 0);
    for (size_t i = 0; i < AGENTS; i++) {
        join(&agents[i], s, f, i);
        tc_draw_normals(&stream, 4 * M, omega[i]);
        for (size_t k = 0; k < KNOWN; k++)
            observe(&agents[i], tc_draw_below(&stream, POINTS));
        searches[i] = &agents[i].search;
        values[i] = &found[i];
        targets[i] = (tc_target){.omega = omega[i % 2 ? 1 : i],
                                 .regions = i % 3 ? 4 : 1,
                                 .since = KNOWN / 2,
                                 .radius = i % 5 ? 0.3 : 0};
    }
    assert_ok(tc_search_maximise_many(searches, targets, trials, values, AGENTS, &err));
    for (size_t i = 0; i < AGENTS; i++) {
        assert_int_equal(found[i], maximise(&agents[i], &targets[i]));
        assert_int_equal(found[i], reference(&agents[i], f, &targets[i]));
        tc_search_fini(&agents[i].search);
    }
    tc_features_unref(f);
    tc_space_free(s);
}

/* A space that is not finite: the searches are made one after the other. */
static void boxes_are_searched_one_by_one(void **state)
{
    static agent agents[3];
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    tc_features *f = features(s, 2);
    double omega[3][2 * M], found[3], alone, *values[] = {&found[0], &found[1], &found[2]};
    tc_search *searches[3];
    tc_target targets[3];
    uint64_t trials[] = {1, 2, 3};
    tc_public_seed seed = tc_public_seed_from(6);
    tc_stream stream;
    (void)state;
    tc_stream_public(&stream, &seed, TC_FOR_DRAW, 0);
    for (size_t i = 0; i < 3; i++) {
        join(&agents[i], s, f, i);
        tc_draw_normals(&stream, 2 * M, omega[i]);
        searches[i] = &agents[i].search;
        targets[i] = (tc_target){.omega = omega[i], .regions = 2};
    }
    assert_ok(tc_search_maximise_many(searches, targets, trials, values, 3, &err));
    for (size_t i = 0; i < 3; i++) {
        assert_ok(tc_search_maximise(searches[i], &targets[i], trials[i], &alone, &err));
        assert_same_bits(found[i], alone);
        tc_search_fini(&agents[i].search);
    }
    tc_features_unref(f);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_comes_in_its_turn),
        cmocka_unit_test(calls_leave_nothing_behind_but_what_was_observed),
        cmocka_unit_test(open_trials_are_shut_too),
        cmocka_unit_test(targets_that_are_not_numbers_lead_somewhere),
        cmocka_unit_test(together_is_one_by_one),
        cmocka_unit_test(boxes_are_searched_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
