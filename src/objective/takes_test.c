/* takes_test.c - an option that an objective takes changes it, and no other does: each objective is
 * built with and without each option. */
#include "support/test.h"

#include "objective/family.h"

#include <string.h>

/* Another value than the default of each option that some objectives pass over. */
static const char *const others[][2] = {{"lengthscale", "0.07"},        {"grid", "12"},
                                        {"heterogeneity", "0.6"},       {"distance", "0.5"},
                                        {"table-value", "cost"},        {"table-goal", "minimize"},
                                        {"table-columns", "replicates"}};
#define OPTIONS (sizeof others / sizeof *others)

enum { AGENTS = 2, PROBES = 5 };
#define TABLE_FILE "takes_test.csv"

static void write_table(void)
{
    FILE *f = fopen(TABLE_FILE, "w");
    assert_non_null(f);
    fputs("x1,value_1,value_2,cost_1,cost_2\n0,1,2,3,3\n0.5,3,5,4,1\n1,2,9,7,6\n", f);
    assert_int_equal(fclose(f), 0);
}

/* What there is to see of a family: its candidates, its optima and some values. False: refused. */
static bool look(const char *name, const char *option, const char *value, double *seen, size_t *n)
{
    tacit_error err = {0};
    tc_family_opts o;
    tc_family *f = NULL;
    assert_ok(tc_options_defaults(tc_family_options, &o, &err));
    if (option)
        assert_ok(tc_options_set(tc_family_options, &o, "o", option, value, &err));
    tacit_status status = tc_family_new(&f, name, &o, AGENTS, tc_public_seed_from(3), &err);
    tc_options_fini(tc_family_options, &o);
    if (status != TACIT_OK)
        return false;
    const tc_space *s = tc_family_space(f);
    double u[TC_PARAMS_MAX], x[TC_PARAMS_MAX];
    seen[(*n)++] = s->domain ? (double)s->domain->n : 0;
    seen[(*n)++] = tc_family_maximize(f);
    for (size_t a = 0; a < AGENTS; a++) {
        seen[(*n)++] = tc_family_optimum(f, a);
        for (size_t i = 0; i < PROBES; i++) {
            for (size_t d = 0; d < s->dim; d++)
                u[d] = (double)(i + 1) / (PROBES + 1);
            tc_space_decode(s, u, x);
            seen[(*n)++] = tc_family_value(f, a, x);
        }
    }
    tc_family_free(f);
    return true;
}

static bool changes(const char *name, const char *option, const char *value)
{
    double plain[64], with[64];
    size_t n = 0, m = 0;
    assert_true(look(name, NULL, NULL, plain, &n));
    if (!look(name, option, value, with, &m))
        return false; /* refused, which is as good */
    assert_int_equal(n, m);
    return memcmp(plain, with, n * sizeof *plain) != 0;
}

static void check_all_options(const char *name)
{
    for (size_t k = 0; k < OPTIONS; k++) {
        const char *who = NULL;
        bool takes = tc_objective_takes(name, others[k][0], &who);
        if (takes != changes(name, others[k][0], others[k][1]))
            fail_msg("%s and %s: takes is %d", name, others[k][0], takes);
        assert_non_null(who);
    }
}

static void test_takers_change(void **state)
{
    (void)state;
    write_table();
    for (size_t i = 0; tc_objectives()[i]; i++)
        check_all_options(tc_objectives()[i]->name);
    check_all_options("gp-family");
    check_all_options("table:" TABLE_FILE);
    remove(TABLE_FILE);
}

static void test_words(void **state)
{
    (void)state;
    const char *who = NULL;
    assert_false(tc_objective_takes("branin", "distance", &who));
    assert_string_equal(who, "gp-family");
    assert_false(tc_objective_takes("branin", "grid", &who));
    assert_string_equal(who, "gp-sample, gp-family and rkhs-*");
    assert_false(tc_objective_takes("gp-family", "table-goal", &who));
    assert_string_equal(who, "table:FILE.csv");
    assert_true(tc_objective_takes("branin", "noise", &who));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_takers_change),
                                       cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
