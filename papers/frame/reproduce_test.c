/* reproduce_test.c - the frame: paired seeds, resuming, changed settings, missing data, failures. */
#include "papers/frame/reproduce.h"

#include "base/error.h"
#include "base/file.h"
#include "support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An experiment whose values are known: a function of seed, run, arm and point. */
static atomic_int calls, fail_at; /* of fail_at: the call that fails; 0: none */

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    int call = atomic_fetch_add(&calls, 1) + 1;
    if (call == atomic_load(&fail_at))
        return tc_fail(err, TACIT_E_NUMERIC, "this one fails");
    for (size_t i = 0; i < c->n; i++)
        c->y[i] = sin((double)(c->seed % 1000) + c->x[i]) + (strcmp(c->arm->name, "b") == 0);
    if (c->run == 1)
        c->y[0] = INFINITY;
    return TACIT_OK;
}

static tc_arm arms[] = {{.name = "a", .line = "A"}, {.name = "b", .line = "B"}};
static const char *const files[] = {"x.csv", NULL};

static tc_experiment made(void)
{
    return (tc_experiment){.name = "made",
                           .paper = "none",
                           .figure = "Fig. 0",
                           .claim = "nothing",
                           .setting = "small",
                           .version = 1,
                           .runs = 5,
                           .quick_runs = 2,
                           .seconds = 4,
                           .quick_seconds = 1,
                           TC_ARMS(arms),
                           .x = {.label = "t", .n = 3, .step = 2, .quick_step = 1},
                           .y_label = "value",
                           .run = run};
}

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tacit-reproduce-XXXXXX");
    assert_non_null(mkdtemp(folder));
    atomic_store(&calls, 0);
    atomic_store(&fail_at, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char path[160];
    static const char *const names[] = {
        "made/runs.jsonl", "made/runs.jsonl.old", "made", "data/x.csv", "data", NULL};
    for (size_t i = 0; names[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)remove(path);
    }
    return rmdir(folder);
}

static void assert_same(const tc_reproduction *a, const tc_reproduction *b)
{
    size_t n = a->experiment->n_arms * a->runs * a->n;
    assert_int_equal(a->runs, b->runs);
    assert_memory_equal(a->values, b->values, n * sizeof *a->values);
    assert_memory_equal(a->mean, b->mean, a->experiment->n_arms * a->n * sizeof *a->mean);
    assert_memory_equal(a->se, b->se, a->experiment->n_arms * a->n * sizeof *a->se);
}

static void runs_are_paired_and_points_are_steps(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_experiment e = made();
    tc_reproduce r = {.out = folder, .seed = 7};
    tc_reproduction out;
    assert_ok(tc_reproduce_run(&e, &r, &out, &err));
    assert_int_equal(out.runs, 5);
    assert_int_equal(atomic_load(&calls), 10);
    assert_true(out.x[0] == 2 && out.x[2] == 6);
    const double *a = tc_reproduction_arm(&out, 0), *b = tc_reproduction_arm(&out, 1);
    for (size_t i = 0; i < 5 * out.n; i++)
        if (i != 3) /* the value that is not finite */
            assert_close(b[i] - a[i], 1, 1e-15);
    assert_true(isnan(a[3]) && isnan(out.mean[0]) && !isnan(out.mean[1]));
    assert_true(a[1] != a[4]); /* runs differ */
    tc_reproduction_fini(&out);
}

static void a_second_time_nothing_is_computed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_experiment e = made();
    tc_reproduce r = {.out = folder, .runs = 3, .seed = 7};
    tc_reproduction first, again, longer;
    assert_ok(tc_reproduce_run(&e, &r, &first, &err));
    assert_int_equal(first.restored, 0);
    atomic_store(&calls, 0);
    assert_ok(tc_reproduce_run(&e, &r, &again, &err));
    assert_int_equal(atomic_load(&calls), 0);
    assert_int_equal(again.restored, 6);
    assert_false(again.anew);
    assert_same(&first, &again);
    r.runs = 5; /* two more of each arm */
    assert_ok(tc_reproduce_run(&e, &r, &longer, &err));
    assert_int_equal(atomic_load(&calls), 4);
    assert_memory_equal(tc_reproduction_arm(&longer, 0), tc_reproduction_arm(&first, 0),
                        3 * first.n * sizeof(double));
    tc_reproduction_fini(&first);
    tc_reproduction_fini(&again);
    tc_reproduction_fini(&longer);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_experiment e = made();
    tc_reproduce r = {.out = folder, .seed = 3};
    tc_reproduction one, four;
    char path[160];
    assert_ok(tc_reproduce_run(&e, &r, &one, &err));
    snprintf(path, sizeof path, "%s/made/runs.jsonl", folder);
    assert_int_equal(remove(path), 0);
    assert_ok(tc_pool_new(&r.pool, 4, &err));
    assert_ok(tc_reproduce_run(&e, &r, &four, &err));
    assert_int_equal(four.restored, 0);
    assert_same(&one, &four);
    tc_pool_free(r.pool);
    tc_reproduction_fini(&one);
    tc_reproduction_fini(&four);
}

static void a_failure_leaves_what_was_done(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_experiment e = made();
    tc_reproduce r = {.out = folder, .runs = 4, .seed = 1};
    tc_reproduction out;
    atomic_store(&fail_at, 6);
    assert_fails(tc_reproduce_run(&e, &r, &out, &err), TACIT_E_NUMERIC, "this one fails");
    atomic_store(&calls, 0);
    atomic_store(&fail_at, 0);
    assert_ok(tc_reproduce_run(&e, &r, &out, &err));
    assert_int_equal(out.restored, 5);
    assert_int_equal(atomic_load(&calls), 3);
    tc_reproduction_fini(&out);
}

/* Stops after three cells. */
static bool enough(void *user, uint64_t done)
{
    (void)user;
    return done < 3;
}

static void an_interruption_can_be_resumed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_experiment e = made();
    tc_reproduce r = {.out = folder, .seed = 1, .progress = enough};
    tc_reproduction out;
    assert_fails(tc_reproduce_run(&e, &r, &out, &err), TACIT_E_CANCELLED, "interrupted");
    r.progress = NULL;
    assert_ok(tc_reproduce_run(&e, &r, &out, &err));
    assert_int_equal(out.restored, 3);
    tc_reproduction_fini(&out);
}

static void other_settings_begin_anew(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_experiment e = made();
    tc_reproduce r = {.out = folder, .runs = 2, .seed = 1};
    tc_reproduction out;
    assert_ok(tc_reproduce_run(&e, &r, &out, &err));
    tc_reproduction_fini(&out);
    for (int change = 0; change < 3; change++) {
        if (change == 0)
            r.seed = 2;
        else if (change == 1)
            r.quick = true;
        else
            e.version = 2;
        assert_ok(tc_reproduce_run(&e, &r, &out, &err));
        assert_true(out.anew);
        assert_int_equal(out.restored, 0);
        tc_reproduction_fini(&out);
    }
}

static void quick_is_smaller_and_estimates_follow(void **state)
{
    (void)state;
    tc_experiment e = made();
    tc_reproduce r = {.out = folder};
    assert_int_equal(tc_reproduce_runs(&e, &r), 5);
    assert_close(tc_reproduce_estimate(&e, &r), 20, 1e-12);
    r.quick = true;
    assert_int_equal(tc_reproduce_runs(&e, &r), 2);
    assert_close(tc_reproduce_estimate(&e, &r), 2, 1e-12);
    assert_true(tc_points_at(&e.x, true, 2) == 3);
    r.runs = 7;
    assert_close(tc_reproduce_estimate(&e, &r), 7, 1e-12);
}

static void missing_data_are_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_experiment e = made();
    tc_reproduce r = {.out = folder};
    tc_reproduction out;
    char path[160], text[300];
    e.data = "data";
    e.files = files;
    assert_fails(tc_reproduce_run(&e, &r, &out, &err), TACIT_E_NOT_FOUND,
                 "made needs data/x.csv: name the folder of data sets with --data or TACIT_DATA");
    r.data = folder;
    snprintf(text, sizeof text, "made needs data/x.csv, which is not in %s", folder);
    assert_fails(tc_reproduce_run(&e, &r, &out, &err), TACIT_E_NOT_FOUND, text);
    snprintf(path, sizeof path, "mkdir %s/data", folder);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/data/x.csv", folder);
    assert_ok(tc_file_write(path, "1", 1, &err));
    assert_ok(tc_reproduce_run(&e, &r, &out, &err));
    tc_reproduction_fini(&out);
    assert_ok(tc_file_write(path, "2", 1, &err)); /* other data, other results */
    assert_ok(tc_reproduce_run(&e, &r, &out, &err));
    assert_true(out.anew);
    tc_reproduction_fini(&out);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(runs_are_paired_and_points_are_steps),
        TEST(a_second_time_nothing_is_computed),
        TEST(threads_do_not_matter),
        TEST(a_failure_leaves_what_was_done),
        TEST(an_interruption_can_be_resumed),
        TEST(other_settings_begin_anew),
        TEST(quick_is_smaller_and_estimates_follow),
        TEST(missing_data_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
