/* plan_versus_test.c - the list of --versus: items, words, and what they inherit. */
#include "sim/plan.h"

#include "base/json.h"
#include "support/test.h"

typedef struct list {
    tc_contest all;
    const tc_contender *items; /* behind the first */
    size_t n;
} list;

static tacit_status read_list(list *l, const char *text, tacit_error *err)
{
    tc_contender *first = &l->all.contenders[0];
    memset(l, 0, sizeof *l);
    first->algorithm = tc_algorithm_find("dp-fts-de");
    first->given = json_pack("{s:i, s:f}", "features", 30, "noise_multiplier", 2.0);
    first->epsilon = 3;
    first->delta = 0.01;
    l->all.n = 1;
    tacit_status status = tc_plan_versus(&l->all, text, err);
    l->items = first + 1;
    l->n = l->all.n - 1;
    return status;
}

static void end_list(list *l)
{
    for (size_t i = 0; i < l->all.n; i++)
        tc_contender_fini(&l->all.contenders[i]);
}

static void check_given(const tc_contender *c, const char *expected)
{
    tacit_error err = {0};
    json_t *j;
    assert_ok(tc_json_parse(expected, strlen(expected), "expected", &j, &err));
    assert_true(json_equal(c->given, j));
    json_decref(j);
}

static void test_items(void **state)
{
    (void)state;
    tacit_error err = {0};
    list l;
    assert_ok(read_list(&l, " ts ;dp-fts-de , regions=2,releases=0,2,5 , p1=0.5; random", &err));
    assert_int_equal(l.n, 3);
    assert_string_equal(l.items[0].label, "ts");
    assert_string_equal(l.items[0].algorithm->name, "ts");
    assert_same_bits(l.items[0].epsilon, 0); /* another algorithm: no promise, no options */
    check_given(&l.items[0], "{}");
    assert_string_equal(l.items[1].label, "dp-fts-de , regions=2,releases=0,2,5 , p1=0.5");
    check_given(&l.items[1], "{\"features\": 30, \"noise_multiplier\": 2.0, \"regions\": 2, "
                             "\"releases\": \"0,2,5\", \"p1\": 0.5}");
    assert_same_bits(l.items[1].epsilon, 3);
    assert_same_bits(l.items[1].delta, 0.01);
    assert_string_equal(l.items[2].algorithm->name, "random");
    end_list(&l);
}

static void test_noise_is_said_once(void **state)
{
    (void)state;
    tacit_error err = {0};
    list l;
    assert_ok(read_list(&l, "dp-fts-de,epsilon=1,delta=0.001;dp-fts-de,noise_multiplier=0", &err));
    assert_same_bits(l.items[0].epsilon, 1);
    assert_same_bits(l.items[0].delta, 0.001);
    check_given(&l.items[0], "{\"features\": 30}");
    assert_same_bits(l.items[1].epsilon, 0);
    check_given(&l.items[1], "{\"features\": 30, \"noise_multiplier\": 0.0}");
    end_list(&l);
}

static void refused(const char *text, const char *message)
{
    tacit_error err = {0};
    list l;
    assert_fails(read_list(&l, text, &err), TACIT_E_ARG, message);
    end_list(&l);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("", "--versus has an item without a name");
    refused("ts;", "--versus has an item without a name");
    refused(",regions=1", "--versus has an item without a name");
    refused("ts; tss", "there is no algorithm \"tss\"; did you mean \"ts\"?");
    refused("dp-fts-de,regions", "--versus: \"regions\" after dp-fts-de is not OPTION=VALUE");
    refused("dp-fts-de,=1", "is not OPTION=VALUE");
    refused("dp-fts-de,", "is not OPTION=VALUE");
    refused("dp-fts-de,regions=-1", "regions must be a whole number in [0, 1024], got \"-1\"");
    refused("dp-fts-de,epsilon=-1", "epsilon must be a number in (0, 1000000], got \"-1\"");
    refused("dp-fts-de,delta=1", "delta must be a number in (0, 0.999999], got \"1\"");
    refused("ts,delta=0.1", "--versus: delta is for algorithms that release with noise (dp-fts-de, "
                            "dp-pf-pne), and ts is none of them");
    refused("dp-fts-de,epsilon=1,noise_multiplier=1",
            "dp-fts-de has epsilon and noise_multiplier; the one follows from the other");
    refused("dp-fts-de,epsilon=1,vote_multiplier=5",
            "dp-fts-de has epsilon and vote_multiplier; the one follows from the other");
    refused("dp-fts-de,vote_multiplier=5", /* the epsilon is inherited */
            "dp-fts-de has epsilon and vote_multiplier; the one follows from the other");
    refused("ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts;ts",
            "--versus has more than 25 items");
}

/* Who adds up is said of an item, of the plan, or of nobody. */
static void test_trustees(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_simulation_plan plan = tacit_simulation_plan_default();
    list l;
    assert_ok(read_list(&l, "dp-fts-de,trustees=8;dp-fts-de,trustees=0;dp-pf-pne;ts", &err));
    assert_int_equal(l.items[0].trustees.count, 8);
    assert_int_equal(l.items[0].trustees.degree, 5);
    assert_int_equal(l.items[1].trustees.count, 0);
    assert_int_equal(l.items[2].trustees.count, 0);
    check_given(&l.items[1], "{\"features\": 30, \"noise_multiplier\": 2.0}");
    end_list(&l);
    memset(&l, 0, sizeof l);
    plan.trustees = 5;
    l.all.o = &plan;
    l.all.contenders[0].algorithm = tc_algorithm_find("dp-fts-de");
    l.all.contenders[0].given = json_object();
    l.all.n = 1;
    assert_ok(tc_plan_versus(&l.all, "dp-fts-de;dp-fts-de,trustees=3;dp-pf-pne;fts;ts", &err));
    static const uint32_t counts[] = {0, 5, 3, 5, 0, 0}; /* the first is the caller's */
    for (size_t i = 1; i < 6; i++)
        assert_int_equal(l.all.contenders[i].trustees.count, counts[i]);
    end_list(&l);
    refused("dp-fts-de,trustees=2",
            "--versus: trustees must be 0 or a whole number in 3..16, got \"2\"");
    refused("dp-fts-de,trustees=4.5",
            "--versus: trustees must be 0 or a whole number in 3..16, got \"4.5\"");
    refused("ts,trustees=3",
            "--versus: trustees are for algorithms that release sums with noise (dp-fts-de, "
            "dp-pf-pne) for agents, and ts is none of them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_noise_is_said_once),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_trustees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
