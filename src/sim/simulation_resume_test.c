/* simulation_resume_test.c - simulations that were interrupted, killed, extended or tampered with:
 * what comes out has the bits of one that was left alone, or nothing comes out. */
#include "support/federated_world.h"

#include "base/file.h"
#include "base/memory.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-resume-XXXXXX", path[80];

static uint64_t stop_at;
static atomic_uint_fast64_t first_done; /* steps end in any thread */

static bool stop(void *user, uint64_t done)
{
    (void)user;
    uint_fast64_t none = 0;
    (void)atomic_compare_exchange_strong(&first_done, &none, done);
    return stop_at == 0 || done < stop_at;
}

static bool die(void *user, uint64_t done)
{
    (void)user;
    if (done == stop_at)
        kill(getpid(), SIGKILL);
    return true;
}

static void start(setup *s)
{
    make(s, "dp-fts-de", DP_OPTIONS);
    s->f.drop = 0.2;
    s->f.by_agent = true;
    s->f.progress = stop;
    stop_at = 0;
    first_done = 0;
    (void)unlink(path);
}

/* Nine steps a run, three runs: interrupted in the third, two are done. */
static void test_interrupted_and_resumed(void **state)
{
    (void)state;
    tacit_error err = {0};
    setup s;
    tacit_curves x;
    start(&s);
    tacit_curves whole = run(&s.f);
    s.f.checkpoint = path;
    stop_at = 20;
    assert_fails(tc_simulate(&s.f, &x, &err), TACIT_E_CANCELLED, "interrupted");
    stop_at = 0;
    first_done = 0;
    x = run(&s.f);
    assert_int_equal(first_done, 19); /* 18 steps were there */
    assert_same_results(&whole, &x);
    tacit_curves_fini(&x);
    first_done = 0;
    x = run(&s.f);
    assert_int_equal(first_done, 0); /* nothing was left to do */
    assert_same_results(&whole, &x);
    tacit_curves_fini(&x);
    tacit_curves_fini(&whole);
    end(&s);
}

/* The same by a word within a step, in threads as well. */
static uint64_t word_at;
static atomic_uint_fast64_t asked;

static bool word(void *user)
{
    (void)user;
    uint64_t n = atomic_fetch_add(&asked, 1) + 1;
    return word_at > 0 && n >= word_at;
}

static void test_stopped_within_a_step_and_resumed(void **state)
{
    (void)state;
    tacit_error err = {0};
    setup s;
    tacit_curves x;
    start(&s);
    s.f.stopped = word;
    word_at = 0;
    asked = 0;
    tacit_curves whole = run(&s.f);
    uint64_t all = asked;
    s.f.checkpoint = path;
    for (size_t threads = 1; threads <= 3; threads += 2)
        for (uint64_t part = 1; part < 6; part++) {
            (void)unlink(path);
            word_at = all * part / 6; /* every second one is the last question of a run */
            asked = 0;
            assert_ok(tc_pool_new(&s.f.pool, threads, &err));
            assert_fails(tc_simulate(&s.f, &x, &err), TACIT_E_CANCELLED,
                         "the simulation was interrupted");
            assert_int_equal(strlen(err.msg), strlen("the simulation was interrupted"));
            word_at = 0;
            first_done = 0;
            x = run(&s.f);
            if (threads == 1)
                assert_int_equal(first_done, (part - 1) / 2 * 9 + 1); /* runs are kept whole */
            assert_same_results(&whole, &x);
            tacit_curves_fini(&x);
            tc_pool_free(s.f.pool);
        }
    tacit_curves_fini(&whole);
    end(&s);
}

static void test_killed_and_resumed(void **state)
{
    (void)state;
    setup s;
    start(&s);
    tacit_curves whole = run(&s.f);
    s.f.checkpoint = path;
    for (uint64_t at = 1; at <= 24; at += 5) {
        int status;
        (void)unlink(path);
        stop_at = at;
        s.f.progress = die;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            tacit_curves x;
            (void)tc_simulate(&s.f, &x, NULL);
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        stop_at = 0;
        first_done = 0;
        s.f.progress = stop;
        tacit_curves x = run(&s.f);
        assert_int_equal(first_done, (at - 1) / 9 * 9 + 1);
        assert_same_results(&whole, &x);
        tacit_curves_fini(&x);
    }
    tacit_curves_fini(&whole);
    end(&s);
}

static void test_more_runs_and_fewer(void **state)
{
    (void)state;
    tacit_error err = {0};
    setup s;
    start(&s);
    s.f.runs = 5;
    tacit_curves five = run(&s.f);
    s.f.checkpoint = path;
    s.f.runs = 2;
    tacit_curves two = run(&s.f);
    first_done = 0;
    s.f.runs = 5;
    assert_ok(tc_pool_new(&s.f.pool, 3, &err)); /* neither threads nor runs are part of it */
    tacit_curves x = run(&s.f);
    assert_same_results(&five, &x);
    tacit_curves_fini(&x);
    s.f.runs = 2;
    first_done = 0;
    x = run(&s.f);
    assert_int_equal(first_done, 0);
    assert_same_results(&two, &x);
    tacit_curves_fini(&x);
    tacit_curves_fini(&two);
    tacit_curves_fini(&five);
    tc_pool_free(s.f.pool);
    end(&s);
}

static void other(const tc_simulation *f)
{
    tacit_error err = {0};
    tacit_curves x;
    assert_fails(tc_simulate(f, &x, &err), TACIT_E_STATE,
                 "is the checkpoint of another simulation");
}

static void test_everything_that_matters_is_part_of_it(void **state)
{
    (void)state;
    setup s;
    double point[5] = {1, 2, 3, 4, 5};
    tacit_known_trial known[5];
    for (size_t i = 0; i < 5; i++)
        known[i] = (tacit_known_trial){.agent = i, .values = &point[i], .value = 1};
    start(&s);
    s.f.runs = 1;
    s.f.checkpoint = path;
    tacit_curves x = run(&s.f);
    tacit_curves_fini(&x);
    tc_simulation f = s.f;
    f.agents++;
    other(&f);
    f = s.f;
    f.trials++;
    other(&f);
    f = s.f;
    f.seed++;
    other(&f);
    f = s.f;
    f.initial = 4;
    other(&f);
    f = s.f;
    f.drop = 0.25;
    other(&f);
    f = s.f;
    f.epsilon = 1;
    f.delta = 1e-5;
    other(&f);
    f = s.f;
    f.by_agent = false;
    other(&f);
    f = s.f;
    f.family.heterogeneity = 0.2;
    other(&f);
    f = s.f;
    f.objective = "branin";
    other(&f);
    f = s.f;
    f.known = known;
    f.n_known = 5;
    other(&f);
    json_object_set_new(s.options, "gap", json_real(14));
    other(&s.f);
    json_object_set_new(s.options, "gap", json_real(15)); /* the default: the same after all */
    x = run(&s.f);
    tacit_curves_fini(&x);
    end(&s);
}

/* A table is known by what is in it. */
static void test_a_table_that_changes(void **state)
{
    (void)state;
    tacit_error err = {0};
    char file[96], name[112];
    setup s;
    start(&s);
    snprintf(file, sizeof file, "%s/table.csv", folder);
    snprintf(name, sizeof name, "table:%s", file);
    s.f.objective = name;
    s.f.family.objective.grid = 0;
    s.f.checkpoint = path;
    assert_ok(tc_file_write(file, "x,value\n0,1\n1,2\n2,5\n", 20, &err));
    tacit_curves x = run(&s.f);
    tacit_curves_fini(&x);
    x = run(&s.f);
    tacit_curves_fini(&x);
    assert_ok(tc_file_write(file, "x,value\n0,1\n1,2\n2,4\n", 20, &err));
    other(&s.f);
    assert_int_equal(unlink(file), 0);
    end(&s);
}

static void write_file(const char *text, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

/* Cut anywhere, it is done again from there; changed in any byte, it is noticed. checkpoint_test.c
 * cuts after every byte. */
static void test_cut_and_changed_everywhere(void **state)
{
    (void)state;
    tacit_error err = {0};
    setup s;
    size_t len;
    char *text;
    tacit_curves x;
    (void)unlink(path);
    make(&s, "random", "{}");
    s.f.objective = "branin";
    s.f.family.objective.grid = 0;
    s.f.agents = s.f.trials = s.f.runs = 2;
    s.f.checkpoint = path;
    tacit_curves whole = run(&s.f);
    assert_ok(tc_file_read(path, 1 << 20, &text, &len, &err));
    for (size_t cut = 0; cut <= len; cut += 13) {
        write_file(text, cut);
        x = run(&s.f);
        assert_same_results(&whole, &x);
        tacit_curves_fini(&x);
    }
    for (size_t i = 0; i + 1 < len; i++) {
        text[i] = (char)(text[i] ^ 4);
        write_file(text, len);
        tacit_status status = tc_simulate(&s.f, &x, &err);
        assert_true(status == TACIT_E_CORRUPT || status == TACIT_E_STATE);
        text[i] = (char)(text[i] ^ 4);
    }
    tc_free(text);
    tacit_curves_fini(&whole);
    end(&s);
}

/* A line that is there twice is not something that was written. */
static void test_a_run_twice(void **state)
{
    (void)state;
    tacit_error err = {0};
    setup s;
    size_t len;
    char *text, *twice;
    tacit_curves x;
    start(&s);
    s.f.runs = 1;
    s.f.checkpoint = path;
    x = run(&s.f);
    tacit_curves_fini(&x);
    assert_ok(tc_file_read(path, 1 << 20, &text, &len, &err));
    size_t header = (size_t)(strchr(text, '\n') - text) + 1;
    twice = tc_alloc(2 * len, 1);
    assert_non_null(twice);
    memcpy(twice, text, len);
    memcpy(twice + len, text + header, len - header);
    write_file(twice, 2 * len - header);
    assert_fails(tc_simulate(&s.f, &x, &err), TACIT_E_CORRUPT, "line 3 of the checkpoint");
    assert_non_null(strstr(err.msg, "run 0 is there already"));
    tc_free(twice);
    tc_free(text);
    end(&s);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/runs", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupted_and_resumed),
        cmocka_unit_test(test_stopped_within_a_step_and_resumed),
        cmocka_unit_test(test_killed_and_resumed),
        cmocka_unit_test(test_more_runs_and_fewer),
        cmocka_unit_test(test_everything_that_matters_is_part_of_it),
        cmocka_unit_test(test_a_table_that_changes),
        cmocka_unit_test(test_cut_and_changed_everywhere),
        cmocka_unit_test(test_a_run_twice),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
