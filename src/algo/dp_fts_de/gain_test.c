/* gain_test.c - what agents of dp-fts-de may gain at best: the table's arithmetic on a table that is easy to
 * check, the simulated one by what must hold of it, and where nothing is known. */
#include "support/test.h"

#include "algo/dp_fts_de/agent.h"
#include "algo/dp_fts_de/gain_table.h"

#include <math.h>

/* ---- the arithmetic ---- */

static const size_t dims[] = {1, 4}, initials[] = {3, 10};
#define SAME(r)                                                                                    \
    {                                                                                              \
        {r, r, r}, {r, r, r}, {r, r, r},                                                           \
        {                                                                                          \
            0, 0, 0                                                                                \
        }                                                                                          \
    }
/* The first point of each is as in the others. Those of 10 initial points have the fourth one, too. */
static const tc_dp_fts_de_gain_row rows[] = {
    {1, 3, 0.01, SAME(0.2)},
    {1, 3, 0.1, SAME(0.4)},
    {1, 3, 0.9, {{0.8, 0.7, 0.9}, {0.8, 0.8, 0.8}, {0.8, 0.8, 0.8}, {0, 0, 0}}},
    {1, 10, 0.1, {{0.3, 0.2, 0.5}, {0.3, 0.2, 0.5}, {0.3, 0.2, 0.5}, {0.25, 0.2, 0.5}}},
    {1, 10, 0.4, {{0.9, 0.8, 1.1}, {0.9, 0.8, 1.1}, {0.9, 0.8, 1.1}, {0.5, 0.4, 1.1}}},
    {4, 3, 0.1, SAME(0.5)},
    {4, 3, 0.9, SAME(1.02)},
    {4, 10, 0.1, {{0.6, 0.6, 0.6}, {0.1, 0.1, 0.1}, {0.6, 0.6, 0.6}, {0.6, 0.6, 0.6}}},
    {4, 10, 0.9, {{1, 1, 1}, {0.1, 0.1, 0.1}, {1, 1, 1}, {1, 1, 1}}},
};
static const tc_dp_fts_de_gain_table easy = {
    .rows = rows,
    .n = sizeof rows / sizeof *rows,
    .dims = dims,
    .initials = initials,
    .n_dims = 2,
    .n_initials = 2,
};

static double ratio(size_t dim, size_t initial, double open, size_t t)
{
    tc_expect_ratio r;
    assert_true(tc_dp_fts_de_gain_at(&easy, dim, initial, open, t, &r));
    return r.ratio;
}

static void values_lie_between_their_neighbours(void **state)
{
    (void)state;
    tc_expect_ratio r;
    assert_close(ratio(1, 3, 0.1, 0), 0.4, 1e-12);
    assert_close(ratio(1, 3, 0.01, 0), 0.2, 1e-12);
    assert_close(ratio(1, 3, sqrt(0.01 * 0.1), 0), 0.3, 1e-12);
    assert_true(tc_dp_fts_de_gain_at(&easy, 1, 3, sqrt(0.1 * 0.9), 0, &r));
    assert_close(r.ratio, 0.6, 1e-12);
    assert_close(r.low, (0.4 + 0.7) / 2, 1e-12);
    assert_close(r.high, (0.4 + 0.9) / 2, 1e-12);
}

static void beyond_the_table(void **state)
{
    (void)state;
    tc_expect_ratio r;
    assert_close(ratio(1, 3, 1e-4, 0), 0.2, 1e-12); /* no better than what was simulated */
    assert_true(tc_dp_fts_de_gain_at(&easy, 1, 3, 0.91, 0, &r));
    assert_false(tc_expect_gains(&r));
    assert_close(r.ratio, 1, 0);
    assert_close(ratio(4, 3, 0.95, 0), 1.02, 0); /* harm stays harm */
    assert_close(ratio(9, 3, 0.1, 0), 0.5, 1e-12);
    assert_close(ratio(1, 64, 0.1, 0), 0.3, 1e-12);
    assert_close(ratio(1, 1, 0.1, 0), 0.4, 1e-12);
}

/* Of neighbours in dimension and initial points, the one that gains least. */
static void between_two_the_worse_counts(void **state)
{
    (void)state;
    assert_close(ratio(1, 5, 0.1, 0), 0.4, 1e-12);  /* 0.4 and 0.3 */
    assert_close(ratio(1, 5, 0.4, 0), 0.9, 1e-12);  /* 0.6... and 0.9 */
    assert_close(ratio(2, 3, 0.1, 0), 0.5, 1e-12);  /* 0.4 and 0.5 */
    assert_close(ratio(2, 5, 0.1, 0), 0.6, 1e-12);  /* 0.4, 0.3, 0.5 and 0.6 */
    assert_close(ratio(3, 10, 0.1, 1), 0.3, 1e-12); /* 0.3 and 0.1 */
}

static void points_that_were_not_simulated(void **state)
{
    (void)state;
    tc_expect_ratio r;
    assert_false(tc_dp_fts_de_gain_at(&easy, 1, 3, 0.1, 3, &r));
    assert_close(ratio(1, 5, 0.1, 3), 0.25,
                 1e-12); /* of 10 initial points, for there is no other */
}

/* ---- the simulated table ---- */

enum { ROWS = sizeof simulated_rows / sizeof *simulated_rows };

static void check_point(const tc_expect_ratio *a, const tc_expect_ratio *before)
{
    assert_true(a->low <= a->ratio && a->ratio <= a->high);
    assert_true(a->ratio > 0 && a->ratio < 1.5);
    if (before)
        assert_true(a->ratio >= before->ratio && a->low >= before->low && a->high >= before->high);
}

static bool together(const tc_dp_fts_de_gain_row *a, const tc_dp_fts_de_gain_row *b)
{
    return a->dim == b->dim && a->initial == b->initial;
}

static void the_table_is_in_order(void **state)
{
    (void)state;
    const size_t pairs = sizeof simulated_dims / sizeof *simulated_dims *
                         (sizeof simulated_initials / sizeof *simulated_initials);
    size_t sets = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const tc_dp_fts_de_gain_row *row = &simulated_rows[i],
                                    *before = i > 0 && together(row, row - 1) ? row - 1 : NULL;
        sets += !before;
        assert_true(row->left_open > (before ? before->left_open : 0) && row->left_open < 1);
        for (size_t t = 0; t < TC_EXPECT_POINTS; t++) {
            assert_true(!before || (row->at[t].ratio > 0) == (before->at[t].ratio > 0));
            if (row->at[t].ratio > 0)
                check_point(&row->at[t], before ? &before->at[t] : NULL);
        }
    }
    assert_int_equal(sets, pairs);
}

/* ---- studies ---- */

typedef struct study {
    tc_space *space;
    tc_dp_fts_de_options opts;
    tc_env env;
} study;

static void begin_study(study *s, size_t dim, uint64_t agents, uint64_t trials)
{
    tacit_error err = {0};
    *s = (study){.space = NULL};
    assert_ok(tc_space_new(&s->space, &err));
    for (size_t d = 0; d < dim; d++) {
        char name[] = {'a', (char)('a' + d), '\0'};
        assert_ok(tc_space_add_float(s->space, name, -3, 5, 0, false, &err));
    }
    assert_ok(tc_options_defaults(tc_algorithm_dp_fts_de.options, &s->opts, &err));
    s->env = (tc_env){.space = s->space, .agents = agents, .budget = trials};
}

static tc_expect expect(study *s, double epsilon)
{
    tacit_error err = {0};
    tc_expect e;
    tc_algorithm_dp_fts_de.begin(&s->env, &s->opts);
    if (epsilon > 0)
        assert_ok(tc_algorithm_dp_fts_de.promise(&s->env, &s->opts, epsilon,
                                                 tacit_delta_default(s->env.agents), &err));
    assert_ok(tc_algorithm_dp_fts_de.expect(&s->env, &s->opts, &e, &err));
    return e;
}

static void end_study(study *s)
{
    tc_options_fini(tc_algorithm_dp_fts_de.options, &s->opts);
    tc_space_free(s->space);
}

static tc_expect expect_of(size_t dim, uint64_t agents, uint64_t trials, double epsilon)
{
    study s;
    begin_study(&s, dim, agents, trials);
    tc_expect e = expect(&s, epsilon);
    end_study(&s);
    return e;
}

static bool gains(const tc_expect *e)
{
    assert_null(e->none);
    assert_true(e->n > 0);
    for (size_t t = 0; t < e->n; t++)
        if (tc_expect_gains(&e->at[t]))
            return true;
    return false;
}

static void few_agents_gain_nothing_and_many_do(void **state)
{
    (void)state;
    for (size_t dim = 1; dim <= 6; dim++) {
        tc_expect few = expect_of(dim, 8, 30, 1), many = expect_of(dim, 200, 30, 4);
        assert_false(gains(&few));
        assert_true(gains(&many));
        assert_int_equal(few.n, 4);
    }
}

static void more_of_anything_gains_more(void **state)
{
    (void)state;
    static const struct {
        uint64_t agents;
        double epsilon;
    } order[] = {{8, 1}, {20, 1}, {20, 2}, {50, 2}, {50, 8}, {1000, 8}};
    for (size_t dim = 1; dim <= 6; dim++) {
        tc_expect last = {.left_open = 1};
        for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
            tc_expect e = expect_of(dim, order[i].agents, 30, order[i].epsilon);
            assert_true(e.left_open < last.left_open);
            for (size_t t = 0; i > 0 && t < e.n; t++)
                assert_true(e.at[t].ratio <= last.at[t].ratio);
            last = e;
        }
    }
}

/* Iterations that the study will not have are not spoken of. */
static void iterations_end_with_the_trials(void **state)
{
    (void)state;
    static const struct {
        uint64_t trials;
        size_t n;
    } cases[] = {{4, 1}, {7, 1}, {8, 2}, {13, 2}, {15, 3}, {28, 3}, {29, 4}, {100, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tc_expect e = expect_of(2, 50, cases[i].trials, 4);
        assert_int_equal(e.n, cases[i].n);
        assert_int_equal(e.iteration[e.n - 1], simulated_iterations[e.n - 1]);
    }
}

static void what_agents_find_is_what_counts(void **state)
{
    (void)state;
    tacit_error err = {0};
    study s;
    tc_dp_fts_de_agent_state a = {0};
    begin_study(&s, 2, 20, 30);
    s.opts.lengthscale = 0.1 * pow(2, 0.75);
    tc_expect e = expect(&s, 4);
    tc_history h = {.dim = 2};
    tc_env env = s.env;
    env.history = &h;
    env.public_seed = tc_public_seed_from(5); /* of any study: it hardly matters */
    assert_ok(tc_dp_fts_de_agent.init(&a, &env, &s.opts, &err));
    assert_close(e.left_open, a.filter->error, 0.03);
    tc_dp_fts_de_agent.fini(&a);
    end_study(&s);
}

static double left_open_at(double lengthscale)
{
    study s;
    begin_study(&s, 2, 20, 30);
    s.opts.vote = TC_DP_FTS_DE_VOTE_NO;
    s.opts.lengthscale = lengthscale;
    double open = expect(&s, 4).left_open;
    end_study(&s);
    return open;
}

/* One that the features follow badly is not rewarded, and one that is too long neither. */
static void a_length_scale_that_is_given(void **state)
{
    (void)state;
    const double usual = left_open_at(0);
    assert_true(left_open_at(0.07) > 1.5 * usual);
    assert_close(left_open_at(0.4), usual, 0);
}

/* ---- nothing is known ---- */

static void unknown(study *s, double epsilon, const char *want)
{
    tc_expect e = expect(s, epsilon);
    assert_non_null(e.none);
    assert_string_equal(e.none, want);
    assert_int_equal(e.n, 0);
    end_study(s);
}

static void where_nothing_was_simulated(void **state)
{
    (void)state;
    study s;
    begin_study(&s, 2, 1, 30);
    unknown(&s, 0, "an agent alone hears nobody");
    begin_study(&s, 2, 20, 30);
    s.opts.broadcast = TC_DP_FTS_DE_NONE;
    unknown(&s, 4, "only broadcast=normal was simulated");
    begin_study(&s, 2, 20, 30);
    s.opts.noise_multiplier = 0;
    unknown(&s, 0, "only studies with noise were simulated");
    begin_study(&s, 2, 20, 30);
    s.opts.own = TC_DP_FTS_DE_OWN_FEATURES;
    unknown(&s, 4, "only own=gp was simulated");
    begin_study(&s, 2, 20, 30);
    s.opts.regions = 2;
    unknown(&s, 4, "only regions=1 was simulated");
    begin_study(&s, 2, 20, 30);
    s.opts.mode = TC_DP_FTS_DE_PAPER;
    unknown(&s, 4, "only mode=sound was simulated");
    begin_study(&s, 2, 20, 0);
    unknown(&s, 0, "the number of trials is not known");
    begin_study(&s, 2, 20, 3);
    unknown(&s, 0, "no trial comes after the initial points");
    begin_study(&s, 2, 20, 30); /* a noise multiplier and no promise: every round releases */
    unknown(&s, 0, "only one release of weights (releases=first) was simulated");
}

static void special_options_have_no_number(void **state)
{
    (void)state;
    static const char *const special = "only the defaults of features, kernel, unit, noise, clip "
                                       "and sampling_rate were simulated";
    static const char *const far =
        "the length-scale is more than 2.5 times off the usual one, which was simulated";
    for (int k = 0; k < 8; k++) {
        study s;
        begin_study(&s, k == 0 ? 7 : 2, 20, 30);
        s.opts.initial = k == 1 ? 2 : -1;
        s.opts.features = k == 2 ? 1 : 100;
        s.opts.clip = k == 3 ? 0.001 : 0;
        s.opts.noise = k == 4 ? 1 : 0.01;
        s.opts.sampling_rate = k == 5 ? 0.5 : 1;
        s.opts.lengthscale = k == 6 ? 5 : k == 7 ? 0.01 : 0;
        unknown(&s, 4,
                k == 0   ? "only up to 6 coordinates were simulated (a choice has one for each of "
                           "its values)"
                : k == 1 ? "with fewer than 3 initial points agents have nothing to say"
                : k < 6  ? special
                         : far);
    }
}

/* The table is entered with a number that follows from the options: one that was made under other defaults would be
 * entered in the wrong place. bench/gain_table makes it again. */
static void the_table_is_of_these_defaults(void **state)
{
    (void)state;
    static const struct {
        uint64_t agents;
        double epsilon;
    } of[] = {{8, 1}, {8, 4}, {20, 1}, {20, 2}, {20, 4}, {50, 1}, {50, 4}, {200, 1}, {200, 4}};
    enum { OF = sizeof of / sizeof *of };
    const size_t all = sizeof simulated_rows / sizeof *simulated_rows;
    for (size_t from = 0; from < all; from += OF)
        for (size_t i = 0; i < OF; i++) {
            const tc_dp_fts_de_gain_row *row = &simulated_rows[from];
            study s;
            begin_study(&s, row->dim, of[i].agents, row->initial == 3 ? 13 : 30);
            s.opts.initial = (int64_t)row->initial;
            const double open = expect(&s, of[i].epsilon).left_open;
            double nearest = INFINITY;
            for (size_t j = 0; j < OF; j++)
                nearest = fmin(nearest, fabs(row[j].left_open / open - 1));
            assert_true(nearest < 0.01);
            end_study(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_lie_between_their_neighbours),
        cmocka_unit_test(beyond_the_table),
        cmocka_unit_test(between_two_the_worse_counts),
        cmocka_unit_test(points_that_were_not_simulated),
        cmocka_unit_test(the_table_is_in_order),
        cmocka_unit_test(few_agents_gain_nothing_and_many_do),
        cmocka_unit_test(more_of_anything_gains_more),
        cmocka_unit_test(iterations_end_with_the_trials),
        cmocka_unit_test(what_agents_find_is_what_counts),
        cmocka_unit_test(a_length_scale_that_is_given),
        cmocka_unit_test(where_nothing_was_simulated),
        cmocka_unit_test(special_options_have_no_number),
        cmocka_unit_test(the_table_is_of_these_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
