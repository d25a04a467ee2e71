/* arms_test.c - which points the arms are, their covariances, and who may have them. */
#include "support/test.h"

#include "algo/history.h"
#include "algo/ldp/arms.h"
#include "base/json.h"

typedef struct setting {
    tc_space *space;
    tc_history history;
    tc_env env;
    tc_arms arms;
} setting;

static void set_up(setting *s, tc_space *space)
{
    tacit_error err = {0};
    memset(s, 0, sizeof *s);
    s->space = space;
    assert_ok(tc_history_init(&s->history, space, &err));
    s->env = (tc_env){.space = space,
                      .history = &s->history,
                      .public_seed = tc_public_seed_from(1),
                      .party_seed = tc_party_seed_from(1)};
}

static void tear_down(setting *s)
{
    tc_arms_fini(&s->arms);
    tc_history_fini(&s->history);
    tc_space_free(s->space);
}

static tc_space *space_of(const char *text)
{
    tacit_error err = {0};
    json_t *j = NULL;
    tc_space *space = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "space", &j, &err));
    assert_ok(tc_space_from_json(&space, j, &err));
    json_decref(j);
    return space;
}

static tc_space *points_of(const char *csv)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *space = NULL;
    assert_ok(tc_domain_from_csv(&d, csv, strlen(csv), "points.csv", &err));
    assert_ok(tc_space_from_domain(&space, d, &err));
    return space;
}

static void take(setting *s, const double *values)
{
    tacit_error err = {0};
    assert_ok(tc_history_reserve(&s->history, &err));
    tc_history_take(&s->history, s->space, values);
}

static void observe(setting *s, const double *values, double y)
{
    tacit_error err = {0};
    assert_ok(tc_history_reserve(&s->history, &err));
    tc_history_observe(&s->history, s->space, values, y);
}

static void candidates_are_arms(void **state)
{
    (void)state;
    tacit_error err = {0};
    setting s;
    double row[3], value;
    set_up(&s, points_of("x\n0\n1\n4\n"));
    assert_ok(tc_arms_init(&s.arms, &s.env, TC_KERNEL_SE, 0.5, 99, &err));
    assert_int_equal(s.arms.n, 3);
    tc_arms_row(&s.arms, 0, row); /* scaled to 0, 1/4, 1 */
    assert_close(row[0], 1, 0);
    assert_close(row[1], exp(-0.125), 1e-15);
    assert_close(row[2], exp(-2), 1e-15);
    assert_close(tc_arms_prior(&s.arms, 1), 1, 0);
    tc_arms_values(&s.arms, 2, &value);
    assert_close(value, 2, 0);
    observe(&s, (double[]){1}, 5);
    assert_int_equal(tc_arms_told(&s.arms), 1);
    tear_down(&s);
}

static void a_box_is_sampled_without_repeats(void **state)
{
    (void)state;
    tacit_error err = {0};
    setting s;
    double values[2], u[8];
    set_up(&s, space_of("{\"x\": {\"type\": \"float\", \"low\": 1e-3, \"high\": 10, \"log\": true},"
                        " \"c\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\", \"c\"]}}"));
    assert_ok(tc_arms_init(&s.arms, &s.env, TC_KERNEL_SE, 0.5, 64, &err));
    assert_int_equal(s.arms.n, 64);
    for (size_t a = 0; a < s.arms.n; a++) {
        tc_arms_values(&s.arms, a, values);
        assert_ok(tc_space_check(s.space, values, &err));
        tc_space_encode(s.space, values, u);
        for (size_t d = 0; d < s.arms.dim; d++)
            assert_same_bits(u[d], s.arms.u[a + d * s.arms.n]);
        observe(&s, values, 0);
        assert_int_equal(tc_arms_told(&s.arms), a); /* so no two are the same point */
    }
    tear_down(&s);
}

static void a_small_space_is_sampled_whole(void **state)
{
    (void)state;
    tacit_error err = {0};
    setting s;
    set_up(&s, space_of("{\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 7}}"));
    assert_ok(tc_arms_init(&s.arms, &s.env, TC_KERNEL_SE, 0.5, 256, &err));
    assert_int_equal(s.arms.n, 7);
    tear_down(&s);
}

static void a_point_between_arms_counts_for_the_nearest(void **state)
{
    (void)state;
    tacit_error err = {0};
    setting s;
    double value, off;
    set_up(&s, space_of("{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}"));
    assert_ok(tc_arms_init(&s.arms, &s.env, TC_KERNEL_SE, 0.5, 8, &err));
    tc_arms_values(&s.arms, 5, &value);
    off = value + 1e-6;
    observe(&s, &off, 1);
    assert_int_equal(tc_arms_told(&s.arms), 5);
    tear_down(&s);
}

static void given_covariances(void **state)
{
    (void)state;
    tacit_error err = {0};
    setting s;
    double row[3];
    set_up(&s, points_of("a,b,c\n2,0.5,0\n0.5,1,0.25\n0,0.25,3\n"));
    assert_ok(tc_arms_init(&s.arms, &s.env, TC_ARMS_GIVEN, 0.5, 9, &err));
    tc_arms_row(&s.arms, 1, row);
    assert_close(row[0], 0.5, 0);
    assert_close(row[1], 1, 0);
    assert_close(row[2], 0.25, 0);
    assert_close(tc_arms_prior(&s.arms, 2), 3, 0);
    tear_down(&s);
}

static void refuse(tc_space *space, const char *sentence)
{
    tacit_error err = {0};
    setting s;
    set_up(&s, space);
    assert_fails(tc_arms_init(&s.arms, &s.env, TC_ARMS_GIVEN, 0.5, 9, &err), TACIT_E_ARG, sentence);
    tear_down(&s);
}

static void given_covariances_are_checked(void **state)
{
    (void)state;
    refuse(space_of("{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}"),
           "kernel given needs a finite space: points, whose coordinates are their covariances");
    refuse(points_of("a\n1\n0.5\n"),
           "kernel given needs as many coordinates as points, got 1 coordinates of 2 points");
    refuse(points_of("a,b\n1,0.5\n0.25,1\n"),
           "kernel given: the points are no covariance matrix: row 1 column 2 is 0.5, row 2 column "
           "1 is 0.25");
    refuse(points_of("a,b\n1,2\n2,1\n"),
           "kernel given: the points are no covariance matrix: it has the eigenvalue -1");
}

static void arms_that_are_out_are_closed(void **state)
{
    (void)state;
    tacit_error err = {0};
    setting s;
    set_up(&s, points_of("x\n0\n1\n4\n"));
    assert_ok(tc_arms_init(&s.arms, &s.env, TC_KERNEL_SE, 0.5, 9, &err));
    take(&s, (double[]){1});
    take(&s, (double[]){1});
    const unsigned char *closed = tc_arms_close(&s.arms);
    assert_true(!closed[0] && closed[1] && !closed[2]);
    for (uint64_t trial = 0; trial < 50; trial++)
        assert_int_not_equal(tc_arms_any(&s.arms, trial), 1);
    take(&s, (double[]){0});
    take(&s, (double[]){2});
    closed = tc_arms_close(&s.arms); /* all are out: all are open again */
    assert_true(!closed[0] && !closed[1] && !closed[2]);
    size_t seen[3] = {0};
    for (uint64_t trial = 0; trial < 300; trial++)
        seen[tc_arms_any(&s.arms, trial)]++;
    for (size_t a = 0; a < 3; a++)
        assert_true(seen[a] > 60);
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_arms),
        cmocka_unit_test(a_box_is_sampled_without_repeats),
        cmocka_unit_test(a_small_space_is_sampled_whole),
        cmocka_unit_test(a_point_between_arms_counts_for_the_nearest),
        cmocka_unit_test(given_covariances),
        cmocka_unit_test(given_covariances_are_checked),
        cmocka_unit_test(arms_that_are_out_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
