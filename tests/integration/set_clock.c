/* set_clock.c - to be preloaded: the wall clock of a process, and of all that it starts, is ahead by so many seconds as
 * stand in a file, in decimal (TACIT_CLOCK_FILE). The file is read as it is at each question, so that a test sets
 * the clock of processes that run. Clocks that count from another moment are left alone. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { DIGITS = 16 }; /* of the file; the rest of it is not read */

static const char *shared; /* the file; NULL: there is none */

__attribute__((constructor)) static void map_file(void)
{
    const char *name = getenv("TACIT_CLOCK_FILE");
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *p = mmap(NULL, DIGITS, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (p != MAP_FAILED)
        shared = p;
}

static time_t ahead_s(void)
{
    char text[DIGITS + 1] = "";
    int kept = errno;
    for (int i = 0; shared && i < DIGITS; i++)
        text[i] = shared[i];
    time_t s = (time_t)strtol(text, NULL, 10);
    errno = kept;
    return s;
}

EXPORT int clock_gettime(clockid_t which, struct timespec *out);
EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone);
EXPORT time_t time(time_t *out);

int clock_gettime(clockid_t which, struct timespec *out)
{
    int rc = (int)syscall(SYS_clock_gettime, which, out);
    if (rc == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        out->tv_sec += ahead_s();
    return rc;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec t;
    (void)zone;
    int rc = clock_gettime(CLOCK_REALTIME, &t);
    *out = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
    return rc;
}

time_t time(time_t *out)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    if (out)
        *out = t.tv_sec;
    return t.tv_sec;
}
