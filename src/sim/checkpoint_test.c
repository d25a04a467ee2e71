/* checkpoint_test.c - checkpoint.c: what a file gives back, whatever happened to it. */
#include "support/test.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pool.h"
#include "sim/checkpoint.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RUNS = 3, WORDS = 1 };
#define HEADER_LEN (19 + 64 + 1)
#define LINE_LEN   ((size_t)17 * (2 + WORDS + 1))

static char path[64];

/* ---- counting syncs of folders: those of the checkpoint end up here ---- */

static int folder_syncs;

TACIT_API int fsync(int fd);

int fsync(int fd)
{
    struct stat info;
    folder_syncs += fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
    return (int)syscall(SYS_fsync, fd);
}

/* ---- what was restored ---- */

typedef struct seen {
    unsigned runs; /* a bit for each */
    bool refuse;
} seen;

static uint64_t word(uint64_t run, size_t i)
{
    return run * UINT64_C(0x9e3779b97f4a7c15) + i * UINT64_C(0xfedcba9876543211);
}

static tacit_status restore(void *user, uint64_t run, const uint64_t *words, size_t n,
                            tacit_error *err)
{
    seen *s = user;
    assert_int_equal(n, WORDS);
    for (size_t i = 0; i < n; i++)
        assert_true(words[i] == word(run, i));
    if (s->refuse)
        return tc_fail(err, TACIT_E_CORRUPT, "not wanted");
    s->runs |= 1u << run;
    return TACIT_OK;
}

static tacit_status open_it(tc_checkpoint **c, seen *s, tacit_error *err)
{
    *s = (seen){.refuse = s->refuse};
    return tc_checkpoint_open(c, path, "identity", restore, s, err);
}

static void add(tc_checkpoint *c, uint64_t run)
{
    tacit_error err = {0};
    uint64_t words[WORDS];
    for (size_t i = 0; i < WORDS; i++)
        words[i] = word(run, i);
    assert_ok(tc_checkpoint_add(c, run, words, WORDS, &err));
}

/* A file with all runs, out of order; the caller ends its text. */
static char *make_file(size_t *len)
{
    tacit_error err = {0};
    tc_checkpoint *c = NULL;
    seen s = {0};
    char *text = NULL;
    (void)unlink(path);
    assert_ok(open_it(&c, &s, &err));
    assert_int_equal(s.runs, 0);
    add(c, 2);
    add(c, 0);
    add(c, 1);
    tc_checkpoint_close(c);
    assert_ok(tc_file_read(path, 1 << 20, &text, len, &err));
    assert_int_equal(*len, HEADER_LEN + RUNS * LINE_LEN);
    return text;
}

static void write_file(const char *text, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

/* ---- tests ---- */

static void test_runs_come_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_checkpoint *c = NULL;
    seen s = {0};
    size_t len;
    char *text = make_file(&len);
    assert_ok(open_it(&c, &s, &err));
    assert_int_equal(s.runs, 7);
    tc_checkpoint_close(c);
    tc_free(text);
}

/* Killed after any byte: the whole lines are there, and what is added next is whole too. */
static void test_cut_at_every_byte(void **state)
{
    (void)state;
    tacit_error err = {0};
    size_t len, again_len;
    char *text = make_file(&len), *again;
    static const unsigned there[RUNS] = {0, 4, 5}; /* of runs 2, 0, 1 in this order */
    static const uint64_t next[RUNS] = {2, 0, 1};
    for (size_t cut = 0; cut < len; cut++) {
        tc_checkpoint *c = NULL;
        seen s = {0};
        size_t whole = cut < HEADER_LEN ? 0 : (cut - HEADER_LEN) / LINE_LEN;
        write_file(text, cut);
        assert_ok(open_it(&c, &s, &err));
        assert_int_equal(s.runs, there[whole]);
        size_t more = cut % 4 == 0; /* a line that is on disk takes its time */
        if (more)
            add(c, next[whole]);
        tc_checkpoint_close(c);
        assert_ok(tc_file_read(path, 1 << 20, &again, &again_len, &err));
        assert_int_equal(again_len, HEADER_LEN + (whole + more) * LINE_LEN);
        assert_memory_equal(again, text, again_len);
        tc_free(again);
    }
    tc_free(text);
}

/* No byte can change without being noticed. The end of the last line may: it is then torn. */
static void test_every_byte_counts(void **state)
{
    (void)state;
    size_t len;
    char *text = make_file(&len), expected[64];
    for (size_t i = 0; i < len; i++) {
        tacit_error err = {0};
        tc_checkpoint *c = NULL;
        seen s = {0};
        text[i] = (char)(text[i] ^ 1);
        write_file(text, len);
        tacit_status status = open_it(&c, &s, &err);
        text[i] = (char)(text[i] ^ 1);
        if (i == len - 1) {
            assert_int_equal(status, TACIT_OK);
            assert_int_equal(s.runs, 5);
            tc_checkpoint_close(c);
        } else if (i < HEADER_LEN - 1) {
            assert_int_equal(status, TACIT_E_STATE);
        } else {
            /* A line that lost its end takes the next one with it; its own number is named. */
            snprintf(expected, sizeof expected, "line %zu of the checkpoint \"",
                     i == HEADER_LEN - 1 ? 1 : 2 + (i - HEADER_LEN) / LINE_LEN);
            assert_int_equal(status, TACIT_E_CORRUPT);
            assert_memory_equal(err.msg, expected, strlen(expected));
        }
    }
    tc_free(text);
}

static void test_other_files_are_left_alone(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_checkpoint *c = NULL;
    seen s = {0};
    size_t len, after_len;
    char *text = make_file(&len), *after;
    assert_fails(
        tc_checkpoint_open(&c, path, "another", restore, &s, &err), TACIT_E_STATE,
        "is the checkpoint of another simulation: algorithm, options, objective, agents, "
        "rounds or pulls, seed, privacy, trustees, drop, past, acting, value units, warm and "
        "by-agent must be the same");
    assert_ok(tc_file_read(path, 1 << 20, &after, &after_len, &err));
    assert_int_equal(after_len, len);
    assert_memory_equal(after, text, len);
    tc_free(after);
    tc_free(text);
    write_file("notes", 5);
    assert_fails(open_it(&c, &s, &err), TACIT_E_STATE, "is not a checkpoint of a simulation");
    assert_ok(tc_file_read(path, 1 << 20, &after, &after_len, &err));
    assert_string_equal(after, "notes");
    tc_free(after);
    write_file("tacit-checkpoint 2 ab\n", 22);
    assert_fails(open_it(&c, &s, &err), TACIT_E_STATE, "is of another version of tacit");
    assert_fails(tc_checkpoint_open(&c, "/nowhere/at/all", "identity", restore, &s, &err),
                 TACIT_E_NOT_FOUND, "cannot open \"/nowhere/at/all\": no such file or folder");
    assert_null(c);
}

static void test_one_at_a_time(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_checkpoint *a = NULL, *b = NULL;
    seen s = {0};
    (void)unlink(path);
    assert_ok(open_it(&a, &s, &err));
    assert_fails(open_it(&b, &s, &err), TACIT_E_BUSY, "another process works with the checkpoint");
    tc_checkpoint_close(a);
    assert_ok(open_it(&b, &s, &err));
    tc_checkpoint_close(b);
}

static void test_a_run_that_is_not_taken(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_checkpoint *c = NULL;
    seen s = {.refuse = true};
    size_t len;
    tc_free(make_file(&len));
    assert_fails(open_it(&c, &s, &err), TACIT_E_CORRUPT, "line 2 of the checkpoint");
    assert_non_null(strstr(err.msg, ": not wanted"));
}

static void add_one(void *ctx, size_t i)
{
    add(ctx, i);
}

static void test_from_many_threads(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_checkpoint *c = NULL;
    tc_pool *pool = NULL;
    seen s = {0};
    (void)unlink(path);
    assert_ok(tc_pool_new(&pool, 3, &err));
    assert_ok(open_it(&c, &s, &err));
    tc_pool_for(pool, 20, add_one, c);
    tc_checkpoint_close(c);
    assert_ok(open_it(&c, &s, &err));
    assert_int_equal(s.runs, (1u << 20) - 1);
    tc_checkpoint_close(c);
    tc_pool_free(pool);
}

/* A limit on file sizes stands for a full disk: the line stops in the middle. Then there is room
 * again, but nothing may follow half a line. */
static tacit_status add_on_full_disk(tc_checkpoint *c, uint64_t run, tacit_error *err)
{
    struct rlimit before, small;
    uint64_t words[WORDS] = {word(run, 0)};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = HEADER_LEN + LINE_LEN + LINE_LEN / 2;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    tacit_status status = tc_checkpoint_add(c, run, words, WORDS, err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    return status;
}

static void expect_size(size_t size)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, size);
}

static void test_nothing_follows_half_a_line(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_checkpoint *c = NULL;
    seen s = {0};
    uint64_t words[WORDS] = {word(2, 0)};
    (void)unlink(path);
    assert_ok(open_it(&c, &s, &err));
    add(c, 0);
    assert_fails(add_on_full_disk(c, 1, &err), TACIT_E_IO, "cannot write the checkpoint \"");
    assert_non_null(strstr(err.msg, "File too large"));
    expect_size(HEADER_LEN + LINE_LEN + LINE_LEN / 2);
    for (int i = 0; i < 2; i++)
        assert_fails(tc_checkpoint_add(c, 2, words, WORDS, &err), TACIT_E_IO,
                     "an earlier write to the checkpoint \"");
    expect_size(HEADER_LEN + LINE_LEN + LINE_LEN / 2);
    tc_checkpoint_close(c);
    assert_ok(open_it(&c, &s, &err));
    assert_int_equal(s.runs, 1);
    add(c, 2);
    tc_checkpoint_close(c);
    assert_ok(open_it(&c, &s, &err));
    assert_int_equal(s.runs, 5);
    tc_checkpoint_close(c);
}

static void test_regular_files_only(void **state)
{
    tacit_error err = {0};
    tc_checkpoint *c = NULL;
    seen s = {0};
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_fails(open_it(&c, &s, &err), TACIT_E_ARG, "must be a regular file, got a pipe");
    assert_fails(tc_checkpoint_open(&c, *state, "identity", restore, &s, &err), TACIT_E_ARG,
                 "must be a regular file, got a folder");
    assert_null(c);
    (void)unlink(path);
}

/* A name that was never synced may be lost with the power, and all runs with it: also when the one
 * who made the file was killed before. */
static void test_its_name_is_on_disk(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_checkpoint *c = NULL;
    seen s = {0};
    (void)unlink(path);
    for (int i = 1; i <= 2; i++) {
        folder_syncs = 0;
        assert_ok(open_it(&c, &s, &err));
        assert_int_equal(folder_syncs, 1);
        add(c, (uint64_t)i);
        assert_int_equal(folder_syncs, 1);
        tc_checkpoint_close(c);
    }
}

static int make_folder(void **state)
{
    static char folder[] = "/tmp/tacit-checkpoint-XXXXXX";
    *state = mkdtemp(folder);
    snprintf(path, sizeof path, "%s/runs", folder);
    return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)unlink(path);
    return rmdir(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_come_back),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_byte_counts),
        cmocka_unit_test(test_other_files_are_left_alone),
        cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test(test_a_run_that_is_not_taken),
        cmocka_unit_test(test_from_many_threads),
        cmocka_unit_test(test_nothing_follows_half_a_line),
        cmocka_unit_test(test_regular_files_only),
        cmocka_unit_test(test_its_name_is_on_disk),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
