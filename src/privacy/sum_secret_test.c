/* sum_secret_test.c - the noise of a sum serves once: not in a child process as well, and nothing of
 * it is left in memory afterwards. */
#include "support/test.h"
#include "privacy/mechanism.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGENTS = 6, BLOCKS = 3, WIDTH = 4, COUNT = BLOCKS * WIDTH };

static tc_sum_plan plan(void)
{
    return (tc_sum_plan){.agents = AGENTS,
                         .blocks = BLOCKS,
                         .width = WIDTH,
                         .grid = 20,
                         .clip = 3000000,
                         .multiplier = TC_SUM_ONE,
                         .rate = TC_SUM_ONE};
}

static tc_entropy seeded(uint64_t step)
{
    static tc_test_noise noise;
    tc_test_noise_init(&noise, 77, step);
    return tc_entropy_of_test(&noise);
}

/* ---- another process */

static pid_t by_fork(void)
{
    return fork();
}

/* No fork handler runs here: the kernel alone can tell. */
static pid_t by_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static bool refused(tacit_status status, const tacit_error *err)
{
    return status == TACIT_E_STATE && strstr(err->msg, "the sum was opened before a fork") != NULL;
}

/* Neither fold nor close; a sum of its own it may open and close. */
static bool child_may_not(tc_sum *s, const tc_sum_plan *p)
{
    tacit_error err = {0};
    tc_release *r = NULL;
    if (!refused(tc_sum_fold(s, 1, (int64_t[WIDTH]){1}, &err), &err))
        return false;
    if (!refused(tc_sum_close(s, &r, &err), &err) || r != NULL)
        return false;
    tc_sum_free(s);
    tc_entropy e = seeded(1);
    bool own = tc_sum_open(&s, p, &e, &err) == TACIT_OK && tc_sum_close(s, &r, &err) == TACIT_OK;
    tc_release_free(r);
    tc_sum_free(s);
    return own;
}

static void assert_stays_in_its_process(pid_t (*make)(void))
{
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_entropy e = seeded(8);
    tc_sum *s;
    tc_release *r;
    int status = 1;
    assert_ok(tc_sum_open(&s, &p, &e, &err));
    assert_ok(tc_sum_fold(s, 0, (int64_t[WIDTH]){1}, &err));
    pid_t pid = make();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(child_may_not(s, &p) ? 0 : 1);
    assert_true(waitpid(pid, &status, 0) == pid);
    assert_int_equal(status, 0);
    assert_ok(tc_sum_fold(s, 1, (int64_t[WIDTH]){1}, &err)); /* the parent goes on */
    assert_ok(tc_sum_close(s, &r, &err));
    tc_release_free(r);
    tc_sum_free(s);
}

static void a_sum_stays_in_its_process(void **state)
{
    (void)state;
    assert_stays_in_its_process(by_fork);
    assert_stays_in_its_process(by_clone);
}

/* ---- what is left in memory */

/* The first megabytes of the heap; 0: it is elsewhere (sanitizers, valgrind). */
static size_t read_heap(uint8_t *out, size_t size)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    size_t found = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        uintptr_t from, to;
        if (!strstr(line, "[heap]") || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2)
            continue;
        found = to - from < size ? to - from : size;
        int memory = open("/proc/self/mem", O_RDONLY);
        ssize_t got = pread(memory, out, found, (off_t)from);
        found = got > 0 ? (size_t)got : 0;
        close(memory);
        break;
    }
    if (maps)
        fclose(maps);
    return found;
}

/* How often these numbers stand in the heap. */
static size_t copies_of(const int64_t numbers[WIDTH])
{
    static uint8_t heap[4 << 20];
    size_t size = read_heap(heap, sizeof heap), copies = 0, length = WIDTH * sizeof *numbers;
    for (size_t i = 0; i + length <= size; i += sizeof *numbers)
        copies += memcmp(heap + i, numbers, length) == 0;
    return copies;
}

/* Of a sum of nobody the release is the noise itself: of a closed sum there is one copy, the
 * release, and when that is freed there is none. */
static void memory_forgets_the_noise(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_entropy e = seeded(9);
    tc_sum *s;
    tc_release *r;
    static int64_t last[WIDTH]; /* of the last block: not where an allocator keeps its lists */
    assert_ok(tc_sum_open(&s, &p, &e, &err));
    assert_ok(tc_sum_close(s, &r, &err));
    memcpy(last, tc_release_get(r)->steps + COUNT - WIDTH, sizeof last);
    size_t copies = copies_of(last);
    if (copies > 0) {
        assert_int_equal(copies, 1);
        tc_release_free(r);
        assert_int_equal(copies_of(last), 0);
        tc_sum_free(s);
        return;
    }
    tc_release_free(r);
    tc_sum_free(s);
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_stays_in_its_process),
        cmocka_unit_test(memory_forgets_the_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
