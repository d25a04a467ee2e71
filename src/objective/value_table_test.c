/* value_table_test.c - objectives from CSV files, alone and one column per agent. */
#include "support/test.h"

#include "objective/family.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-table-XXXXXX";
static char file[64], name[80];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/t.csv", folder);
    snprintf(name, sizeof name, "table:%s", file);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder);
}

static void write_file(const char *text)
{
    tacit_error err = {0};
    assert_ok(tc_file_write(file, text, strlen(text), &err));
}

static tc_family_opts defaults(void)
{
    tacit_error err = {0};
    tc_family_opts o;
    assert_ok(tc_options_defaults(tc_family_options, &o, &err));
    return o;
}

static tc_objective_opts objective_defaults(void)
{
    tacit_error err = {0};
    tc_objective_opts o;
    assert_ok(tc_options_defaults(tc_objective_options, &o, &err));
    return o;
}

static tc_objective *make(const tc_objective_opts *o)
{
    tacit_error err = {0};
    tc_objective *made = NULL;
    assert_ok(tc_objective_new(&made, name, o, tc_public_seed_from(0), &err));
    return made;
}

static tc_family *family(const tc_family_opts *o, size_t agents)
{
    tacit_error err = {0};
    tc_family *made = NULL;
    assert_ok(tc_family_new(&made, name, o, agents, tc_public_seed_from(0), &err));
    return made;
}

static double at(const tc_family *f, size_t agent, double row)
{
    return tc_family_value(f, agent, &row);
}

/* -- one objective ------------------------------------------------------------------------- */

static void rows_are_candidates(void **state)
{
    (void)state;
    write_file("lr,value,depth\n0.1,3.5,2\n0.3,-1,4\n0.2,7.25,8\n");
    tc_objective_opts o = objective_defaults();
    tc_objective *f = make(&o);
    const tc_domain *d = tc_objective_space(f)->domain;
    assert_int_equal(d->n, 3);
    assert_int_equal(d->dim, 2);
    assert_string_equal(d->names[0], "lr");
    assert_string_equal(d->names[1], "depth");
    assert_same_bits(d->raw[1], 0.3);
    assert_same_bits(d->raw[3 + 2], 8.0);
    static const double values[] = {3.5, -1, 7.25};
    for (size_t i = 0; i < 3; i++) {
        double row = (double)i;
        assert_same_bits(tc_objective_value(f, &row), values[i]);
        assert_same_bits(tc_objective_regret(f, &row), 7.25 - values[i]);
    }
    assert_same_bits(tc_objective_optimum(f), 7.25);
    assert_true(tc_objective_maximize(f));
    assert_false(tc_objective_any_dim(f));
    tc_objective_free(f);
}

static void a_loss_is_minimised(void **state)
{
    (void)state;
    write_file("x,loss\n1,3\n2,1\n3,2\n");
    tacit_error err = {0};
    tc_objective_opts o = objective_defaults();
    assert_ok(tc_options_set(tc_objective_options, &o, "o", "table-value", "loss", &err));
    assert_ok(tc_options_set(tc_objective_options, &o, "o", "table-goal", "minimize", &err));
    tc_objective *f = make(&o);
    double first = 0;
    assert_false(tc_objective_maximize(f));
    assert_same_bits(tc_objective_optimum(f), 1.0);
    assert_same_bits(tc_objective_regret(f, &first), 2.0);
    tc_objective_free(f);
    tc_options_fini(tc_objective_options, &o);
}

static void only_v_and_numbered_v_are_values(void **state)
{
    (void)state;
    write_file("value_decay,values,value_,value_2,value_1\n1,2,3,4,5\n");
    tc_objective_opts o = objective_defaults();
    tc_objective *f = make(&o);
    double row = 0;
    assert_int_equal(tc_objective_space(f)->domain->dim, 3);
    assert_same_bits(tc_objective_value(f, &row), 4.0); /* the first in the file's order */
    tc_objective_free(f);
}

/* -- replicates ---------------------------------------------------------------------------- */

static void replicates_are_drawn_and_averaged(void **state)
{
    (void)state;
    write_file("x,value_1,value_2,value_3\n0,1,2,6\n1,4,4,4\n");
    tc_family_opts o = defaults();
    o.objective.table_columns = 1;
    tc_family *f = family(&o, 1000); /* all agents see the same measurements */
    assert_close(at(f, 0, 0), 3, 1e-15);
    assert_close(tc_family_optimum(f, 999), 4, 1e-15);
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, 0);
    size_t seen[7] = {0};
    for (size_t i = 0; i < 3000; i++) {
        double row = 0;
        seen[(size_t)tc_family_observe(f, i % 1000, &row, &s)]++;
    }
    assert_int_equal(seen[1] + seen[2] + seen[6], 3000);
    for (size_t v = 1; v < 7; v += v == 2 ? 4 : 1)
        assert_in_range(seen[v], 850, 1150); /* six standard errors */
    tc_family_free(f);
}

static void an_objective_draws_them_too(void **state)
{
    (void)state;
    write_file("x,value_1,value_2\n0,1,3\n");
    tc_objective_opts o = objective_defaults();
    o.table_columns = 1;
    tc_objective *f = make(&o);
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, 0);
    double row = 0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < 100; i++) {
        double y = tc_objective_observe(f, &row, &s);
        assert_true(y == 1 || y == 3);
        low = fmin(low, y);
        high = fmax(high, y);
    }
    assert_true(low == 1 && high == 3);
    assert_same_bits(tc_objective_value(f, &row), 2.0);
    tc_objective_free(f);
}

/* -- one column per agent ------------------------------------------------------------------ */

static void agents_have_their_columns(void **state)
{
    (void)state;
    write_file("x,value_1,y,value_2,value_3\n0,1,5,10,0.5\n1,2,6,-3,0.25\n");
    tc_family_opts o = defaults();
    tc_family *f = family(&o, 3);
    static const double values[3][2] = {{1, 2}, {10, -3}, {0.5, 0.25}}, best[] = {2, 10, 0.5};
    for (size_t agent = 0; agent < 3; agent++) {
        assert_same_bits(at(f, agent, 0), values[agent][0]);
        assert_same_bits(at(f, agent, 1), values[agent][1]);
        assert_same_bits(tc_family_optimum(f, agent), best[agent]);
    }
    tc_family_free(f);
    f = family(&o, 2); /* fewer agents than columns */
    assert_same_bits(tc_family_optimum(f, 1), best[1]);
    tc_family_free(f);
}

static void one_column_is_everybodys(void **state)
{
    (void)state;
    write_file("\xEF\xBB\xBFx,\"value\"\r\n0,1\r\n1,2");
    tc_family_opts o = defaults();
    tc_family *f = family(&o, 100000);
    assert_same_bits(at(f, 99999, 1), 2.0);
    assert_same_bits(tc_family_optimum(f, 99999), 2.0);
    tc_family_free(f);
}

/* -- refusals ------------------------------------------------------------------------------ */

/* `said` follows the file's name. */
static void refused(const char *text, size_t agents, const char *said)
{
    tacit_error err = {0};
    tc_family_opts o = defaults();
    tc_family *f = NULL;
    char message[400];
    write_file(text);
    snprintf(message, sizeof message, "%s%s", file, said);
    assert_fails(tc_family_new(&f, name, &o, agents, tc_public_seed_from(0), &err), TACIT_E_ARG,
                 message);
    assert_null(f);
}

static void bad_files_are_refused_by_place(void **state)
{
    (void)state;
    refused("", 1, " is empty: a header with the names is needed");
    refused("x,value\n", 1, " has a header but no rows");
    refused("x,value\n1,2\n2,much\n", 1, ": row 3, column 2: a number is needed, got \"much\"");
    refused("x,value\n1,nan\n", 1, ": row 2, column 2: a number is needed, got \"nan\"");
    refused("x,value\n1\n", 1, ": row 2: the row has 1 field, the first row has 2");
    refused("x,x,value\n1,2,3\n", 1,
            ": row 1, column 2: the name \"x\" was given to column 1 already");
    refused("value,x y\n1,2\n", 1, ": row 1, column 2: parameter name \"x y\"");
    refused("value,x\n1,2\n1,\n", 1, ": row 3, column 2: a number is needed, got \"\"");
    refused("x,y\n1,2\n", 1,
            " has no column value or value_1: table-value names the value columns");
    refused("value\n1\n", 1, " has value columns only: at least one parameter column is needed");
    refused("x,value_1,value_2\n1,2,3\n", 3,
            " has 2 value columns for 3 agents: one for all or one for each is needed");
}

static void a_missing_file_and_name(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_objective_opts o = objective_defaults();
    tc_objective *f = NULL;
    tc_public_seed seed = tc_public_seed_from(0);
    assert_fails(tc_objective_new(&f, "table:/nowhere/t.csv", &o, seed, &err), TACIT_E_NOT_FOUND,
                 "/nowhere/t.csv");
    assert_fails(tc_objective_new(&f, "table:", &o, seed, &err), TACIT_E_ARG,
                 "a table needs a file, as in table:FILE.csv");
    char empty[] = "";
    o.table_value = empty;
    assert_fails(tc_objective_new(&f, name, &o, seed, &err), TACIT_E_ARG,
                 "table-value must name a column, not be empty");
    assert_null(f);
}

static void options_of_other_objectives_are_refused(void **state)
{
    (void)state;
    write_file("x,value\n0,1\n");
    tacit_error err = {0};
    tc_objective *f = NULL;
    for (size_t i = 0; i < 3; i++) {
        tc_objective_opts o = objective_defaults();
        o.dim = i == 0;
        o.grid = i == 1 ? 3 : 0;
        o.shift = i == 2 ? 0.1 : 0;
        assert_fails(tc_objective_new(&f, name, &o, tc_public_seed_from(0), &err), TACIT_E_ARG,
                     "a table takes no dim, grid or shift: its rows are the candidates");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_candidates),
        cmocka_unit_test(a_loss_is_minimised),
        cmocka_unit_test(only_v_and_numbered_v_are_values),
        cmocka_unit_test(replicates_are_drawn_and_averaged),
        cmocka_unit_test(an_objective_draws_them_too),
        cmocka_unit_test(agents_have_their_columns),
        cmocka_unit_test(one_column_is_everybodys),
        cmocka_unit_test(bad_files_are_refused_by_place),
        cmocka_unit_test(a_missing_file_and_name),
        cmocka_unit_test(options_of_other_objectives_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
