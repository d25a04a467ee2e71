/* noise_test.c - a child process never hands out a word of its parent's, however it was made; and
 * memory does not tell what was drawn before.
 *
 * (That noise is not repeated within a process, and is erased, is in random_test.c.) */
#include "support/test.h"
#include "base/random.h"

#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 1500 }; /* more than two buffers */

static void draw(tc_noise *n, uint64_t *out)
{
    for (size_t i = 0; i < WORDS; i++)
        out[i] = tc_noise_u64(n);
}

static bool read_all(int fd, void *out, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t part = read(fd, (char *)out + got, size - got);
        if (part <= 0)
            return false;
        got += (size_t)part;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void assert_all_different(uint64_t *words, size_t n)
{
    qsort(words, n, sizeof *words, by_value);
    for (size_t i = 1; i < n; i++)
        assert_true(words[i] != words[i - 1]);
}

static pid_t by_fork(void)
{
    return fork();
}

/* No fork handler runs here: the kernel alone can tell. */
static pid_t by_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static bool draw_and_write(tc_noise *n, int fd)
{
    static uint64_t words[WORDS];
    draw(n, words);
    return write(fd, words, sizeof words) == sizeof words;
}

/* The child draws, and then a child of the child. */
static void child(tc_noise *n, int fd, pid_t (*make)(void))
{
    bool written = draw_and_write(n, fd);
    pid_t grandchild = make();
    if (grandchild == 0)
        _exit(draw_and_write(n, fd) ? 0 : 1);
    int status = 0;
    waitpid(grandchild, &status, 0);
    _exit(written && status == 0 && grandchild > 0 ? 0 : 1);
}

static void assert_family_differs(pid_t (*make)(void))
{
    static uint64_t words[3 * WORDS];
    tc_noise n;
    tc_noise_init(&n);
    tc_noise_u64(&n); /* the buffer is full when the process is copied */
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = make();
    assert_true(pid >= 0);
    if (pid == 0)
        child(&n, ends[1], make);
    close(ends[1]);
    draw(&n, words);
    assert_true(read_all(ends[0], words + WORDS, 2 * WORDS * sizeof *words));
    int status = 0;
    assert_true(waitpid(pid, &status, 0) == pid && status == 0);
    assert_all_different(words, 3 * WORDS);
    close(ends[0]);
    tc_noise_fini(&n);
}

static void a_forked_family_shares_no_word(void **state)
{
    (void)state;
    assert_family_differs(by_fork);
}

static void a_cloned_family_shares_no_word(void **state)
{
    (void)state;
    assert_family_differs(by_clone);
}

/* Ended noise is all zero; using it once more must not give zeros, in a child neither. */
static void noise_after_its_end_is_keyed_again(void **state)
{
    (void)state;
    tc_noise n;
    tc_noise_init(&n);
    tc_noise_fini(&n);
    assert_true(tc_noise_u64(&n) != 0);
    tc_noise_fini(&n);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(tc_noise_u64(&n) != 0 ? 0 : 1);
    int status = 0;
    assert_true(waitpid(pid, &status, 0) == pid && status == 0);
}

/* ---- a look at the memory */

enum {
    PER_BUFFER = (sizeof((tc_noise *)0)->buf - sizeof((tc_noise *)0)->key) / 8, /* words */
    REACH = 32 * 1024 /* bytes under the key in memory: more than were drawn */
};

static bool has_word(const uint8_t *bytes, size_t size, uint64_t word)
{
    for (size_t i = 0; i + sizeof word <= size; i += sizeof word)
        if (memcmp(bytes + i, &word, sizeof word) == 0)
            return true;
    return false;
}

/* Neither the memory nor all that its key makes has a word that was drawn. */
static void assert_forgotten(const tc_noise *seen, const uint64_t *words, size_t n)
{
    static uint8_t made[REACH];
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
    crypto_stream_chacha20(made, sizeof made, nonce, seen->key);
    for (size_t i = 0; i < n; i++) {
        assert_false(has_word((const uint8_t *)seen, sizeof *seen, words[i]));
        assert_false(has_word(made, sizeof made, words[i]));
    }
}

static void memory_does_not_tell_earlier_words(void **state)
{
    (void)state;
    static const size_t looks[] = {
        1, 7, PER_BUFFER - 1, PER_BUFFER + 2, 2 * PER_BUFFER, 3 * PER_BUFFER + 1, WORDS};
    static uint64_t words[WORDS + 2];
    tc_noise n;
    tc_noise_init(&n);
    size_t drawn = 0;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        for (; drawn < looks[i]; drawn++)
            words[drawn] = tc_noise_u64(&n);
        tc_noise seen = n;
        assert_forgotten(&seen, words, drawn);
        for (size_t k = 0; k < 2; k++) /* it is the whole state: what follows, it does tell */
            words[drawn + k] = tc_noise_u64(&n);
        assert_true(tc_noise_u64(&seen) == words[drawn]);
        assert_true(tc_noise_u64(&seen) == words[drawn + 1]);
        drawn += 2;
        tc_noise_fini(&seen);
    }
    tc_noise_fini(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forked_family_shares_no_word),
        cmocka_unit_test(a_cloned_family_shares_no_word),
        cmocka_unit_test(noise_after_its_end_is_keyed_again),
        cmocka_unit_test(memory_does_not_tell_earlier_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
