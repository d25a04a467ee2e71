/* model_grid_test.c - every model stands where its coordinates say, for any number of threads. */
#include "papers/data/model_grid.h"

#include "base/error.h"
#include "base/memory.h"
#include "support/test.h"

#include <string.h>

/* Says where it was asked. */
static tacit_status place(const void *data, size_t agent, const double *x, double *out,
                          tacit_error *err)
{
    (void)data;
    (void)err;
    *out = (double)agent * 1000 + x[0] * 100 + x[1] * 10 + x[2];
    return TACIT_OK;
}

static tacit_status broken(const void *data, size_t agent, const double *x, double *out,
                           tacit_error *err)
{
    (void)x;
    (void)out;
    return agent == *(const size_t *)data ? tc_fail(err, TACIT_E_NUMERIC, "it broke") : TACIT_OK;
}

static tc_model_grid small(void)
{
    return (tc_model_grid){.names = {"a", "b", "c"},
                           .points = {2, 2, 2},
                           .low = {1, 2, 3},
                           .high = {2, 4, 6},
                           .agents = 2,
                           .error = place};
}

static void models_are_where_the_table_says(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_model_grid g = small();
    tc_text t = {0};
    assert_ok(tc_model_grid_table(&g, &t, &err));
    assert_non_null(strstr(tc_text_get(&t), "a,b,c,value_1,value_2\n1.000000,2.000000,3.000000,"
                                            "123.000000,1123.000000\n1.000000,2.000000,6.000000,"));
    assert_non_null(
        strstr(tc_text_get(&t), "\n2.000000,2.000000,6.000000,226.000000,1226.000000\n"));
    tc_text_fini(&t);
}

static void logarithms_are_in_the_table_and_plain_in_the_model(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_model_grid g = small();
    tc_text t = {0};
    g.log = true;
    g.low[0] = 0.01;
    g.high[0] = 100;
    assert_ok(tc_model_grid_table(&g, &t, &err));
    assert_non_null(strstr(tc_text_get(&t), "log10_a,log10_b,log10_c,value_1,"));
    assert_non_null(strstr(tc_text_get(&t), "\n2.000000,0.301030,0.477121,10023.000000,"));
    tc_text_fini(&t);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_model_grid g = small();
    tc_text one = {0}, many = {0};
    assert_ok(tc_model_grid_table(&g, &one, &err));
    assert_ok(tc_pool_new(&g.pool, 3, &err));
    assert_ok(tc_model_grid_table(&g, &many, &err));
    assert_string_equal(tc_text_get(&one), tc_text_get(&many));
    tc_pool_free(g.pool);
    tc_text_fini(&one);
    tc_text_fini(&many);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

static void a_failure_and_a_stop_are_told(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_model_grid g = small();
    tc_text t = {0};
    size_t bad = 1;
    g.error = broken;
    g.data = &bad;
    assert_int_equal(tc_model_grid_table(&g, &t, &err), TACIT_E_NUMERIC);
    assert_non_null(strstr(err.msg, "it broke"));
    g = small();
    g.proceed = never;
    assert_int_equal(tc_model_grid_table(&g, &t, &err), TACIT_E_CANCELLED);
    assert_int_equal(t.len, 0);
    tc_text_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_where_the_table_says),
        cmocka_unit_test(logarithms_are_in_the_table_and_plain_in_the_model),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_failure_and_a_stop_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
