/* alike_test.c - an ablation has the regions of the arms that it is compared with. */
#include "algo/algorithm.h"
#include "algo/dp_fts_de/dp_fts_de.h"
#include "papers/frame/drive.h"
#include "papers/experiments/alike.h"
#include "support/test.h"

/* P of an arm on three axes. */
static size_t regions_of(const tc_experiment *e, const char *name, uint64_t agents)
{
    tacit_error err = {0};
    const tc_arm *arm = tc_arm_find(e, name);
    const tc_algorithm *a = tc_algorithm_find("dp-fts-de");
    tc_space *space = NULL;
    tc_dp_fts_de_options o = {0};
    char words[500];
    assert_non_null(arm);
    assert_ok(tc_space_new(&space, &err));
    for (int i = 0; i < 3; i++)
        assert_ok(
            tc_space_add_float(space, (const char[]){(char)('a' + i), 0}, 0, 1, 0, false, &err));
    snprintf(words, sizeof words, "%s,%s", tc_arm_base("dp-fts-de"), arm->options);
    assert_ok(tc_words_read(a->options, &o, "dp-fts-de", words, &err));
    tc_env env = {.space = space, .agents = agents, .budget = 21};
    if (arm->epsilon > 0)
        assert_ok(a->promise(&env, &o, arm->epsilon, arm->delta, &err));
    size_t regions = tc_dp_fts_de_regions(&o);
    tc_options_fini(a->options, &o);
    tc_space_free(space);
    return regions;
}

static void check(const char *name, uint64_t agents)
{
    static const char *const arms[] = {"e1", "e2", "e8", "free"};
    tacit_error err = {0};
    const tc_experiment *e;
    assert_ok(tc_experiment_get(&e, name, &err));
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++)
        for (const tc_statement *s = e->statements; s->text; s++)
            if (strcmp(s->a.arm, arms[i]) == 0 && strcmp(s->b.arm, "ts") != 0)
                assert_int_equal(regions_of(e, s->a.arm, agents), regions_of(e, s->b.arm, agents));
    assert_int_equal(regions_of(e, "uniform-1", agents), 1);
    assert_int_equal(regions_of(e, "uniform", agents), 2);
    assert_int_equal(regions_of(e, "uniform-4", agents), 4);
}

static void ablations_have_the_same_regions(void **state)
{
    (void)state;
    check("alike-motionsense-24", 24);
    check("alike-motionsense-96", 96);
    check("alike-motionsense-192", 192);
    check("alike-digits-45", 45);
    check("alike-digits-90", 90);
    check("alike-digits-180", 180);
    check("alike-digits-writers", 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ablations_have_the_same_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
