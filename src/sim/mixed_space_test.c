/* mixed_space_test.c - what agents share helps them where parameters are log, int and choice, and one of them does
 * nothing: the objective "tuning", its valley at another learning rate for each agent. */
#include "support/federated_world.h"

enum { ITERATION = 5 };

/* The mean over runs and acting agents of the simple regret at ITERATION. */
static double regret_with(const char *broadcast, double shift)
{
    setup s;
    char options[160];
    snprintf(options, sizeof options,
             "{\"initial\": 5, \"noise_multiplier\": 0.2, \"releases\": \"first\", \"regions\": 1,"
             " \"broadcast\": \"%s\"}",
             broadcast);
    make(&s, "dp-fts-de", options);
    s.f.objective = "tuning";
    s.f.family.objective.shift = shift;
    s.f.family.objective.grid = 0;
    s.f.agents = 20;
    s.f.acting = 6;
    s.f.trials = ITERATION;
    s.f.runs = 12;
    tacit_curves x = run(&s.f);
    assert_int_equal(x.counts[0].sent.releases, 1);
    double regret = x.simple_mean[ITERATION];
    tacit_curves_fini(&x);
    end(&s);
    return regret;
}

static void test_alike_agents_help_each_other(void **state)
{
    (void)state;
    double together = regret_with("normal", 0.02), alone = regret_with("none", 0.02);
    assert_true(together < 0.8 * alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike_agents_help_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
