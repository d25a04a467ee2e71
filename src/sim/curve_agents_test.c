/* curve_agents_test.c - the curves of agents read back: means, labels, gaps, and refusals. */
#include "support/test.h"

#include "base/error.h"
#include "sim/curve_file.h"

#include <math.h>
#include <string.h>

#define HEADER "run,agent,iteration,simple_regret,cumulative_regret\n"

static tacit_status read_text(tacit_curve_set *f, const char *text, tacit_error *err)
{
    *f = (tacit_curve_set){0};
    return tc_curves_from_csv(f, text, strlen(text), "a.csv", err);
}

/* Two runs of two agents: the mean over runs, and over agents. */
static void test_means(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_curve_set f;
    assert_ok(read_text(&f,
                        HEADER "0,0,0,4,0\n0,0,1,2,2\n0,1,0,8,0\n0,1,1,0,0\n"
                               "1,0,0,2,0\n1,0,1,1,1\n1,1,0,6,0\n1,1,1,4,4\n",
                        &err));
    assert_int_equal(f.n, 1);
    const tacit_curves *c = &f.items[0];
    assert_null(c->label);
    assert_int_equal(c->runs, 2);
    assert_int_equal(c->agents, 2);
    assert_int_equal(c->points, 2);
    const double simple[] = {4, 2, 8, 0, 2, 1, 6, 4}, means[] = {6, 1, 4, 2.5};
    for (size_t i = 0; i < 8; i++)
        assert_same_bits(c->agent_simple[i], simple[i]);
    for (size_t i = 0; i < 4; i++)
        assert_same_bits(c->simple[i], means[i]);
    assert_same_bits(c->agent_cumulative[7], 4);
    assert_same_bits(c->cumulative[3], 2.5);
    assert_same_bits(c->at[1], 1);
    assert_same_bits(c->simple_mean[0], 5);
    assert_same_bits(c->simple_mean[1], 1.75);
    assert_same_bits(c->cumulative_mean[1], 1.75);
    tacit_curve_set_fini(&f);
}

/* Files have one more column by now, which changes nothing. */
static void test_evaluations(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEADER "0,0,0,4,0\n0,0,1,2,2\n",
        "run,agent,iteration,simple_regret,cumulative_regret,evaluations\n0,0,0,4,0,10\n"
        "0,0,1,2,2,11\n",
        "label," HEADER "ts,0,0,0,4,0\nts,0,0,1,2,2\n",
        "label,run,agent,iteration,simple_regret,cumulative_regret,evaluations\n"
        "ts,0,0,0,4,0,10\nts,0,0,1,2,2,11\n"};
    for (size_t i = 0; i < 4; i++) {
        tacit_error err = {0};
        tacit_curve_set f;
        assert_ok(read_text(&f, texts[i], &err));
        assert_int_equal(f.n, 1);
        assert_int_equal(f.items[0].points, 2);
        assert_same_bits(f.items[0].simple[1], 2);
        assert_same_bits(f.items[0].cumulative[1], 2);
        tacit_curve_set_fini(&f);
    }
}

/* Also two that are called alike, one after the other. */
static void test_labels(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_curve_set f;
    assert_ok(read_text(&f,
                        "label," HEADER "\"ts,init=2\",0,0,0,1,0\n\"ts,init=2\",0,0,1,0.5,1\n"
                        "ts,0,0,0,3,0\nts,0,0,1,2,1\nts,0,0,0,7,0\nts,0,0,1,6,1\n",
                        &err));
    assert_int_equal(f.n, 3);
    assert_string_equal(f.items[0].label, "ts,init=2");
    assert_string_equal(f.items[1].label, "ts");
    assert_string_equal(f.items[2].label, "ts");
    assert_same_bits(f.items[1].simple_mean[1], 2);
    assert_same_bits(f.items[2].simple_mean[1], 6);
    tacit_curve_set_fini(&f);
}

/* Before their first trial agents without initial points have none. */
static void test_empty_fields(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_curve_set f;
    assert_ok(read_text(&f,
                        HEADER "0,0,0,,\n0,0,1,2,2\n0,0,2,1,3\n"
                               "0,1,0,,\n0,1,1,4,4\n0,1,2,3,7\n",
                        &err));
    const tacit_curves *c = &f.items[0];
    assert_int_equal(c->points, 2);
    assert_same_bits(c->at[0], 1);
    assert_same_bits(c->agent_simple[0], 2);
    assert_same_bits(c->agent_simple[3], 3);
    assert_same_bits(c->agent_cumulative[3], 7);
    assert_same_bits(c->simple[1], 2);
    assert_same_bits(c->simple_mean[1], 2);
    assert_same_bits(c->cumulative_mean[1], 5);
    tacit_curve_set_fini(&f);
}

static void bad(const char *text, const char *message)
{
    tacit_error err = {0};
    tacit_curve_set f;
    assert_fails(read_text(&f, text, &err), TACIT_E_ARG, message);
    tacit_curve_set_fini(&f);
}

static void test_refusals(void **state)
{
    (void)state;
    bad("agent,value\n0,1\n", "a.csv has no column \"algorithm\"");
    bad("run,agent\n0,1\n", "a.csv has no column \"iteration\": it was not written by tacit");
    bad("", "a.csv has no column \"algorithm\"");
    bad(HEADER, "a.csv has a header but no rows");
    bad(HEADER "0,0,0,,\n", "a.csv has no regret");
    bad(HEADER "0,0,0,1,0\n0,1,1,1,0\n",
        "a.csv has 2 rows where 1 runs of 2 agents with 2 iterations have 4: it is not whole");
    bad(HEADER "0,0,4294967295,1,0\n", "it is not whole");
    bad(HEADER "0,0,4294967296,1,0\n",
        "a.csv: row 2, column 3: \"4294967296\" is not a whole number");
    bad(HEADER "0,-1,0,1,0\n", "a.csv: row 2, column 2: \"-1\" is not a whole number");
    bad(HEADER "0,0,0,much,0\n", "a.csv: row 2, column 4: \"much\" is not a number");
    bad("label," HEADER "ts,0,0,0,1,x\n", "a.csv: row 2, column 6: \"x\" is not a number");
    bad(HEADER "0,0,0,1\n", "a.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means), cmocka_unit_test(test_evaluations),
        cmocka_unit_test(test_labels), cmocka_unit_test(test_empty_fields),
        cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
