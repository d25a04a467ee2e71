/* journal_test.c - runs.jsonl: what it holds, what a crash leaves, what damage is. */
#include "papers/frame/journal.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const tc_arm arms[] = {{.name = "a", .line = "A"}, {.name = "b", .line = "B"}};
static const tc_experiment experiment = {.name = "made", TC_ARMS(arms), .x = {.n = 2}};

typedef struct seen {
    size_t n, arm[8];
    uint64_t run[8];
    double values[8][2];
} seen;

static tacit_status restore(void *user, size_t arm, uint64_t run, const double *values,
                            double seconds, tacit_error *err)
{
    seen *s = user;
    (void)seconds;
    (void)err;
    s->arm[s->n] = arm;
    s->run[s->n] = run;
    memcpy(s->values[s->n++], values, sizeof s->values[0]);
    return TACIT_OK;
}

static char path[64], old[80];

static int set_up(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/tacit-journal-XXXXXX");
    int fd = mkstemp(path);
    snprintf(old, sizeof old, "%s.old", path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    (void)remove(old);
    return remove(path);
}

static tacit_status open_again(const char *identity, seen *s, bool *anew, tacit_error *err)
{
    tc_journal *j;
    *s = (seen){0};
    TC_TRY(tc_journal_open(&j, path, &experiment, identity, restore, s, anew, err));
    tc_journal_close(j);
    return TACIT_OK;
}

/* Two cells of the identity "one". */
static void fill(void)
{
    tacit_error err = {0};
    tc_journal *j;
    seen s = {0};
    bool anew;
    assert_ok(tc_journal_open(&j, path, &experiment, "one", restore, &s, &anew, &err));
    assert_int_equal(s.n, 0);
    assert_ok(tc_journal_add(j, 1, 4, (double[]){0.1, NAN}, 0.5, &err));
    assert_ok(tc_journal_add(j, 0, 0, (double[]){-1.0 / 3, 5e-324}, 2, &err));
    tc_journal_close(j);
}

static void cells_come_back_bit_for_bit(void **state)
{
    (void)state;
    tacit_error err = {0};
    seen s;
    bool anew;
    fill();
    assert_ok(open_again("one", &s, &anew, &err));
    assert_false(anew);
    assert_int_equal(s.n, 2);
    assert_true(s.arm[0] == 1 && s.run[0] == 4 && s.values[0][0] == 0.1 && isnan(s.values[0][1]));
    assert_true(s.arm[1] == 0 && s.run[1] == 0 && s.values[1][0] == -1.0 / 3);
    assert_true(s.values[1][1] == 5e-324);
}

static void half_a_line_is_dropped(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    size_t len;
    seen s;
    bool anew;
    fill();
    assert_ok(tc_file_read(path, 10000, &text, &len, &err));
    for (size_t cut = 1; cut < 40; cut += 7) {
        assert_ok(tc_file_write(path, text, len - cut, &err));
        assert_ok(open_again("one", &s, &anew, &err));
        assert_int_equal(s.n, 1);
    }
    for (size_t keep = 0; keep < 60; keep += 13) { /* not even the first line */
        assert_ok(tc_file_write(path, text, keep, &err));
        assert_ok(open_again("one", &s, &anew, &err));
        assert_int_equal(s.n, 0);
        assert_false(anew);
    }
    tc_free(text);
}

static void damage_is_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text, sentence[200];
    size_t len;
    seen s;
    bool anew;
    fill();
    assert_ok(tc_file_read(path, 10000, &text, &len, &err));
    char *at = strstr(text, "0.1");
    *at = '7';
    assert_ok(tc_file_write(path, text, len, &err));
    snprintf(sentence, sizeof sentence, "line 2 of \"%s\" is damaged", path);
    assert_fails(open_again("one", &s, &anew, &err), TACIT_E_CORRUPT, sentence);
    tc_free(text);
}

static void other_settings_are_put_aside(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *before, *after;
    size_t n, m;
    seen s;
    bool anew;
    fill();
    assert_ok(tc_file_read(path, 10000, &before, &n, &err));
    assert_ok(open_again("two", &s, &anew, &err));
    assert_true(anew);
    assert_int_equal(s.n, 0);
    assert_ok(tc_file_read(old, 10000, &after, &m, &err));
    assert_int_equal(n, m);
    assert_memory_equal(before, after, n);
    tc_free(before);
    tc_free(after);
}

static void an_arm_that_changed_is_run_again(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_arm changed[] = {{.name = "a", .line = "A", .options = "x=1"},
                              {.name = "b", .line = "another word"}};
    tc_experiment e = experiment;
    tc_journal *j;
    seen s = {0};
    bool anew;
    fill();
    e.arms = changed;
    assert_ok(tc_journal_open(&j, path, &e, "one", restore, &s, &anew, &err));
    assert_int_equal(s.n, 1); /* what b runs is the same */
    assert_int_equal(s.arm[0], 1);
    tc_journal_close(j);
}

static void two_processes_do_not_share_it(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_journal *j;
    seen s = {0};
    bool anew;
    char sentence[200];
    assert_ok(tc_journal_open(&j, path, &experiment, "one", restore, &s, &anew, &err));
    snprintf(sentence, sizeof sentence, "another process works with \"%s\"", path);
    assert_fails(open_again("one", &s, &anew, &err), TACIT_E_BUSY, sentence);
    tc_journal_close(j);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(cells_come_back_bit_for_bit),
                                       TEST(half_a_line_is_dropped),
                                       TEST(damage_is_named),
                                       TEST(other_settings_are_put_aside),
                                       TEST(an_arm_that_changed_is_run_again),
                                       TEST(two_processes_do_not_share_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
