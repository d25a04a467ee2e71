/* kill_at.c - to be preloaded: ends a process at its n-th call that changes a file or tells
 * a server something.
 *
 *   TACIT_KILL_AT=n     SIGKILL instead of the n-th write, sync, truncation, renaming, removal or
 *                       message to a server
 *   TACIT_KILL_TORN=1   if that call is a write or a message, its first half is done before
 *
 * Calls are counted from 1 over all threads. Without TACIT_KILL_AT everything goes through. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_long calls;

/* True for the call at which the process is to end. */
static int is_last_call(void)
{
    const char *at = getenv("TACIT_KILL_AT");
    return at && atomic_fetch_add(&calls, 1) + 1 == strtol(at, NULL, 10);
}

static int is_torn(void)
{
    return getenv("TACIT_KILL_TORN") != NULL;
}

static void end_process(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* ---- writes */

EXPORT ssize_t write(int fd, const void *data, size_t n);
EXPORT ssize_t pwrite(int fd, const void *data, size_t n, off_t at);
EXPORT ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at);
EXPORT ssize_t writev(int fd, const struct iovec *parts, int n);
EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t at);
EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int n, off64_t at);

ssize_t write(int fd, const void *data, size_t n)
{
    if (is_last_call()) {
        if (is_torn())
            syscall(SYS_write, fd, data, n / 2);
        end_process();
    }
    return syscall(SYS_write, fd, data, n);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    if (is_last_call()) {
        if (is_torn())
            syscall(SYS_pwrite64, fd, data, n / 2, at);
        end_process();
    }
    return syscall(SYS_pwrite64, fd, data, n, at);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    return pwrite64(fd, data, n, at);
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    if (is_last_call()) {
        if (is_torn())
            syscall(SYS_writev, fd, parts, n / 2);
        end_process();
    }
    return syscall(SYS_writev, fd, parts, n);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int n, off64_t at)
{
    if (is_last_call()) {
        if (is_torn())
            syscall(SYS_pwritev, fd, parts, n / 2, at, 0L);
        end_process();
    }
    return syscall(SYS_pwritev, fd, parts, n, at, 0L);
}

ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t at)
{
    return pwritev64(fd, parts, n, at);
}

/* ---- messages */

EXPORT ssize_t send(int fd, const void *data, size_t n, int flags);

ssize_t send(int fd, const void *data, size_t n, int flags)
{
    if (is_last_call()) {
        if (is_torn())
            sendto(fd, data, n / 2, flags, NULL, 0);
        end_process();
    }
    return sendto(fd, data, n, flags, NULL, 0);
}

/* ---- everything else that changes a file */

EXPORT int fsync(int fd);
EXPORT int fdatasync(int fd);
EXPORT int ftruncate(int fd, off_t size);
EXPORT int ftruncate64(int fd, off64_t size);
EXPORT int rename(const char *from, const char *to);
EXPORT int unlink(const char *path);

int fsync(int fd)
{
    if (is_last_call())
        end_process();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    if (is_last_call())
        end_process();
    return (int)syscall(SYS_fdatasync, fd);
}

int ftruncate64(int fd, off64_t size)
{
    if (is_last_call())
        end_process();
    return (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size)
{
    return ftruncate64(fd, size);
}

int rename(const char *from, const char *to)
{
    if (is_last_call())
        end_process();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlink(const char *path)
{
    if (is_last_call())
        end_process();
    return unlinkat(AT_FDCWD, path, 0);
}
