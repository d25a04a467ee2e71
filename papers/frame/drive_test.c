/* drive_test.c - cells are the simulations of sim/, with the options that their words say. */
#include "papers/frame/drive.h"

#include "papers/baselines/baselines.h"
#include "sim/simulation.h"
#include "support/test.h"

#include <string.h>

static tc_arm_run cell(const tc_arm *arm, size_t n, const double *x, double *y)
{
    return (tc_arm_run){.arm = arm, .seed = 5, .n = n, .x = x, .y = y};
}

static void words_fill_a_table(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_family_opts o = {0};
    assert_ok(tc_words_read(tc_family_options, &o, "f", "distance=0.5,dim=3", &err));
    assert_true(o.distance == 0.5 && o.objective.dim == 3 && o.heterogeneity == 0.1);
    tc_options_fini(tc_family_options, &o);
    o = (tc_family_opts){0};
    assert_fails(tc_words_read(tc_family_options, &o, "f", "distance", &err), TACIT_E_ARG,
                 "f: \"distance\" must be name=value");
    tc_options_fini(tc_family_options, &o);
}

static void one_party_is_tc_simulate(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arm arm = {.algorithm = "random"};
    double x[] = {3, 7}, y[2];
    tc_arm_run c = cell(&arm, 2, x, y);
    tc_single_task t = {.objective = "branin", .words = "shift=0.1", .trials = 7};
    assert_ok(tc_drive_single_points(&c, &t, &err));
    tc_simulation sim = {.algorithm = tc_algorithm_find("random"),
                         .objective = "branin",
                         .family.objective = {.shift = 0.1, .noise_scale = 0.1, .lengthscale = 0.2},
                         .trials = 7,
                         .runs = 1,
                         .seed = 5};
    tacit_curves r;
    assert_ok(tc_simulate(&sim, &r, &err));
    assert_same_bits(y[0], r.simple[2]);
    assert_same_bits(y[1], r.simple[6]);
    tacit_curves_fini(&r);
}

static void a_federation_is_tc_federated(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arm arm = {.algorithm = "ts", .options = "init=2,fit=false"};
    double x[] = {0, 1, 2}, y[3], first[3];
    tc_arm_run c = cell(&arm, 3, x, y);
    tc_federated_task t = {.objective = "gp-family", .words = "grid=40", .agents = 3};
    assert_ok(tc_drive_federated(&c, &t, &err));
    t.targets = 1;
    c.y = first;
    assert_ok(tc_drive_federated(&c, &t, &err));
    json_t *options = json_pack("{s:i, s:b}", "init", 2, "fit", 0);
    tc_simulation f = {.source = &tc_source_federation,
                       .algorithm = tc_algorithm_find("ts"),
                       .options = options,
                       .objective = "gp-family",
                       .agents = 3,
                       .trials = 2,
                       .runs = 1,
                       .seed = 5,
                       .by_agent = true};
    assert_ok(tc_words_read(tc_family_options, &f.family, "f", "grid=40", &err));
    tacit_curves r;
    assert_ok(tc_simulate(&f, &r, &err));
    double simple[3], sum[3];
    assert_ok(tc_drive_federated_curves(&c, &t, 2, simple, sum, &err));
    for (size_t i = 0; i < 3; i++) {
        assert_same_bits(simple[i], r.simple[i]);
        assert_same_bits(sum[i], r.cumulative[i]);
        assert_same_bits(y[i], r.simple[i]);
        assert_same_bits(first[i], r.agent_simple[i]);
    }
    tacit_curves_fini(&r);
    tc_options_fini(tc_family_options, &f.family);
    json_decref(options);
}

/* The same regret as without a clock; others do not act, and time does not run backwards. */
static void targets_can_be_timed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arm arm = {.algorithm = "fts", .options = "initial=2,features=10"};
    double x[] = {0, 1, 2, 3}, y[4], simple[4], seconds[4];
    tc_arm_run c = cell(&arm, 4, x, y);
    tc_federated_task t = {
        .objective = "gp-family", .words = "grid=40", .agents = 5, .past = 4, .targets = 2};
    assert_ok(tc_drive_federated(&c, &t, &err));
    assert_ok(tc_drive_federated_timed(&c, &t, 3, simple, seconds, &err));
    assert_same_bits(seconds[0], 0);
    for (size_t i = 0; i < 4; i++) {
        assert_same_bits(simple[i], y[i]);
        assert_true(i == 0 || seconds[i] >= seconds[i - 1]);
    }
    t.past = 0; /* now everybody has to act */
    assert_fails(tc_drive_federated_timed(&c, &t, 3, simple, seconds, &err), TACIT_E_ARG,
                 "fts cannot be timed: there must be initial points, and agents that need no "
                 "message of this study");
}

static void a_promise_sets_the_noise(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arm arm = {
        .algorithm = "dp-fts-de", .options = "features=10,initial=2", .epsilon = 1, .delta = 1e-3};
    double x[] = {0, 1}, y[2], loud[2];
    tc_arm_run c = cell(&arm, 2, x, y);
    tc_federated_task t = {.objective = "gp-family", .words = "grid=40", .agents = 5};
    assert_ok(tc_drive_federated(&c, &t, &err));
    arm.epsilon = 0; /* z = 1 in every round is something else */
    c.y = loud;
    assert_ok(tc_drive_federated(&c, &t, &err));
    assert_true(y[1] != loud[1]);
    arm = (tc_arm){.algorithm = "ts", .epsilon = 1, .delta = 1e-3};
    assert_fails(tc_drive_federated(&c, &t, &err), TACIT_E_ARG,
                 "the algorithm ts promises nothing");
}

/* Experiments were designed with the model on shared features; a default that has changed since does not change them. */
static void arms_keep_the_model_of_their_time(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const words[][3] = {
        {"dp-fts-de", "own=features,init=region,initial=10,lengthscale=0.2", "own=gp,init=domain"},
        {"fts", "own=features,initial=10,lengthscale=0.2", "own=gp"},
        {"rgpe", "own=features,initial=10,lengthscale=0.2", "own=gp"},
        {"taf", "own=features,initial=10,lengthscale=0.2", "own=gp"}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        tc_arm arm = {.algorithm = words[k][0]},
               full = {.algorithm = words[k][0], .options = words[k][1]},
               other = {.algorithm = words[k][0], .options = words[k][2]};
        double x[] = {0, 1, 2}, y[3], same[3], differs[3];
        tc_federated_task t = {.objective = "gp-family", .words = "grid=400", .agents = 4};
        tc_arm_run c = cell(&arm, 3, x, y), d = cell(&full, 3, x, same),
                   e = cell(&other, 3, x, differs);
        assert_ok(tc_drive_federated(&c, &t, &err));
        assert_ok(tc_drive_federated(&d, &t, &err));
        assert_ok(tc_drive_federated(&e, &t, &err));
        for (size_t i = 0; i < 3; i++)
            assert_same_bits(y[i], same[i]);
        assert_true(y[0] != differs[0]);
    }
}

static void pulls_reach_the_budget(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arm arm = {.algorithm = "hct"};
    double x[] = {50, 100}, y[2];
    tc_arm_run c = cell(&arm, 2, x, y);
    tc_bandit_task t = {.objective = "garland", .clients = 2, .high = 1, .noise = 0.1};
    assert_ok(tc_drive_pulls(&c, &t, &err));
    assert_true(y[0] > 0 && y[1] > y[0] && y[1] < 100);
    arm.options = "nu=-1";
    assert_fails(tc_drive_pulls(&c, &t, &err), TACIT_E_ARG, "nu");
}

static void what_is_sent_is_what_the_runs_count(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arm arm = {.algorithm = "fed1-ucb"};
    double x[] = {1, 1000, 2000}, y[3];
    tc_arm_run c = cell(&arm, 3, x, y);
    tc_bandit_task t = {
        .objective = "garland", .clients = 2, .high = 1, .noise = 0.1, .sent = true};
    assert_ok(tc_drive_pulls(&c, &t, &err));
    tc_simulation p = {.source = &tc_source_bandits,
                       .objective = "garland",
                       .high = 1,
                       .noise = TC_REWARD_UNIFORM,
                       .scale = 0.1,
                       .agents = 2,
                       .trials = 2000,
                       .runs = 1,
                       .seed = c.seed,
                       .points = 3};
    tacit_curves r = {0};
    assert_ok(tc_paper_bandit_get(&p.bandit, "fed1-ucb", &err));
    assert_ok(tc_words_read(tc_family_options, &p.family, "garland", NULL, &err));
    assert_ok(tc_simulate(&p, &r, &err));
    assert_true(r.counts[0].rounds > 0);
    assert_same_bits(y[2], (double)(r.counts[0].numbers_up + r.counts[0].numbers_down) / 2);
    assert_true(y[0] == 0 && y[1] <= y[2]);
    tacit_curves_fini(&r);
    tc_options_fini(tc_family_options, &p.family);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

static void a_cell_can_be_stopped(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arm arm = {.algorithm = "random"};
    double x[] = {3}, y[1];
    tc_arm_run c = cell(&arm, 1, x, y);
    c.proceed = never;
    tc_single_task t = {.objective = "branin", .trials = 3};
    assert_int_equal(tc_drive_single_points(&c, &t, &err), TACIT_E_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_fill_a_table),
        cmocka_unit_test(one_party_is_tc_simulate),
        cmocka_unit_test(a_federation_is_tc_federated),
        cmocka_unit_test(targets_can_be_timed),
        cmocka_unit_test(a_promise_sets_the_noise),
        cmocka_unit_test(what_is_sent_is_what_the_runs_count),
        cmocka_unit_test(arms_keep_the_model_of_their_time),
        cmocka_unit_test(pulls_reach_the_budget),
        cmocka_unit_test(a_cell_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
