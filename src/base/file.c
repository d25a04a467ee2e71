/* file.c - whole files.
 *
 * A write goes to a new file in the same folder, which then takes the place
 * of the old one: fsync, rename, fsync of the folder, in this order. The writer
 * holds a lock on the new file until it has its name, so whoever gets that lock
 * has found the leftover of a process that died, and removes it. */
#include "base/file.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/file_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_STEP = 65536, NAME_TRIES = 100 };

static tacit_status fail_errno(tacit_error *err, const char *path, const char *verb)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return tc_fail(err, TACIT_E_NOT_FOUND, "cannot %s \"%s\": no such file or folder", verb,
                       path);
    return tc_fail(err, TACIT_E_IO, "cannot %s \"%s\": %s", verb, path, strerror(errno));
}

/* ---- reading */

/* Reads until the end: sizes that the system tells are wrong for pipes and /proc. */
static tacit_status read_all(int fd, const char *path, size_t max, char **text, size_t *len,
                             tacit_error *err)
{
    size_t cap = 0;
    for (;;) {
        if (cap - *len < 2 && !tc_grow((void **)text, &cap, *len + READ_STEP, 1))
            return tc_fail_memory(err);
        ssize_t n = read(fd, *text + *len, cap - *len - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(err, path, "read");
        if (n == 0)
            break;
        *len += (size_t)n;
        if (*len > max)
            return tc_fail(err, TACIT_E_ARG, "\"%s\" is larger than %zu bytes", path, max);
    }
    (*text)[*len] = '\0';
    return TACIT_OK;
}

tacit_status tc_file_read_open(int fd, const char *path, size_t max, char **text, size_t *len,
                               tacit_error *err)
{
    char *data = NULL;
    size_t size = 0;
    tacit_status status = read_all(fd, path, max, &data, &size, err);
    if (status != TACIT_OK) {
        tc_free(data);
        return status;
    }
    *text = data;
    *len = size;
    return TACIT_OK;
}

tacit_status tc_file_read(const char *path, size_t max, char **text, size_t *len, tacit_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, path, "read");
    tacit_status status = tc_file_read_open(fd, path, max, text, len, err);
    close(fd);
    return status;
}

/* ---- regular files */

static tacit_status check_kind(const char *path, mode_t mode, tacit_error *err)
{
    const char *kind = S_ISDIR(mode)    ? "a folder"
                       : S_ISFIFO(mode) ? "a pipe"
                       : S_ISSOCK(mode) ? "a socket"
                                        : "a device";
    if (S_ISREG(mode))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "\"%s\" must be a regular file, got %s", path, kind);
}

tacit_status tc_file_regular(const char *path, tacit_error *err)
{
    struct stat info;
    return stat(path, &info) == 0 ? check_kind(path, info.st_mode, err) : TACIT_OK;
}

/* Asked before, since opening a device may do something, and after, since the name may have changed
 * hands; O_NONBLOCK, which means nothing to regular files, for the same reason. */
tacit_status tc_file_open_regular(const char *path, int flags, int *out, tacit_error *err)
{
    struct stat info;
    TC_TRY(tc_file_regular(path, err));
    int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_errno(err, path, "open");
    tacit_status status =
        fstat(fd, &info) == 0 ? check_kind(path, info.st_mode, err) : fail_errno(err, path, "open");
    if (status == TACIT_OK)
        *out = fd;
    else
        close(fd);
    return status;
}

tacit_status tc_file_read_regular(const char *path, size_t max, char **text, size_t *len,
                                  tacit_error *err)
{
    int fd;
    TC_TRY(tc_file_open_regular(path, O_RDONLY, &fd, err));
    tacit_status status = tc_file_read_open(fd, path, max, text, len, err);
    close(fd);
    return status;
}

/* ---- writing */

static bool write_all(int fd, const char *p, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        p += n;
        len -= (size_t)n;
    }
    return true;
}

bool tc_file_append(int fd, const void *data, size_t len)
{
    return write_all(fd, data, len) && fsync(fd) == 0;
}

static tacit_status write_in_place(const char *path, const void *data, size_t len, tacit_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, path, "write");
    bool written = write_all(fd, data, len);
    int e = errno;
    bool closed = close(fd) == 0;
    errno = written ? errno : e;
    return written && closed ? TACIT_OK : fail_errno(err, path, "write");
}

static const char BESIDE[] = ".tmp-"; /* TARGET.tmp-PID-N */

/* Takes the lock of a new file. False: somebody held it for a leftover and removes it. Where a file
 * system has no locks, nobody removes anything. */
static bool own(int fd)
{
    struct stat info;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/* Opens a file that nobody has, named after the target. O_EXCL settles who
 * owns a name. */
static int open_beside(const char *target, mode_t mode, char name[PATH_MAX])
{
    for (int i = 0; i < NAME_TRIES; i++) {
        if (snprintf(name, PATH_MAX, "%s%s%ld-%d", target, BESIDE, (long)getpid(), i) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            return fd;
        if (fd >= 0 && own(fd))
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

/* "base.tmp-123-0" */
static bool is_beside(const char *entry, const char *base)
{
    size_t n = strlen(base), m = sizeof BESIDE - 1;
    if (strncmp(entry, base, n) != 0 || strncmp(entry + n, BESIDE, m) != 0)
        return false;
    const char *at = entry + n + m;
    size_t pid = strspn(at, "0123456789"), rest = pid;
    if (pid > 0 && at[pid] == '-')
        rest += 1 + strspn(at + pid + 1, "0123456789");
    return rest > pid + 1 && at[rest] == '\0';
}

static void remove_stale(int folder, const char *entry)
{
    int fd = openat(folder, entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, entry, 0);
    close(fd);
}

/* Removes what killed writers of this file left. Nothing depends on it, so it cannot fail. */
static void sweep(const char *target)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(target, '/');
    DIR *d = tc_file_folder(target, folder) ? opendir(folder) : NULL;
    if (d == NULL)
        return;
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (is_beside(e->d_name, slash ? slash + 1 : target))
            remove_stale(dirfd(d), e->d_name);
    closedir(d);
}

/* After this the rename itself survives a power cut. Some file systems cannot
 * do it; the data are safe either way, so failure is not reported. */
static void sync_folder(const char *target)
{
    char folder[PATH_MAX];
    int fd = tc_file_folder(target, folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

enum { BY_UMASK = 010000 }; /* no mode */

/* fsync has reported what close could: the file is closed after it has its name. Who opens a file while it is
 * empty reads what comes later: until it has its mode it is for its owner alone. */
static tacit_status replace(const char *target, mode_t mode, const void *data, size_t len,
                            tacit_error *err)
{
    char name[PATH_MAX];
    int fd = open_beside(target, mode == BY_UMASK ? 0666 : 0600, name);
    if (fd < 0)
        return fail_errno(err, target, "write");
    bool good = (mode == BY_UMASK || fchmod(fd, mode) == 0) && tc_file_append(fd, data, len) &&
                rename(name, target) == 0;
    tacit_status status = good ? TACIT_OK : fail_errno(err, target, "write");
    if (!good)
        unlink(name);
    close(fd);
    if (!good)
        return status;
    sync_folder(target);
    sweep(target);
    return TACIT_OK;
}

/* secret: for its owner alone, whatever the mode of the one that is there. */
static tacit_status write_file(const char *path, bool secret, const void *data, size_t len,
                               tacit_error *err)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        return write_in_place(path, data, len, err);
    char target[PATH_MAX]; /* behind symbolic links, which stay links */
    if (!exists || realpath(path, target) == NULL)
        return replace(path, secret ? 0600 : BY_UMASK, data, len, err);
    return replace(target, secret ? 0600 : old.st_mode & 07777, data, len, err);
}

tacit_status tc_file_write(const char *path, const void *data, size_t len, tacit_error *err)
{
    return write_file(path, false, data, len, err);
}

tacit_status tc_file_write_secret(const char *path, const void *data, size_t len, tacit_error *err)
{
    return write_file(path, true, data, len, err);
}

void tc_file_remove(const char *path)
{
    unlink(path);
    sweep(path);
}

void tc_file_sync_name(const char *path)
{
    char target[PATH_MAX];
    sync_folder(realpath(path, target) != NULL ? target : path);
}

tacit_status tc_file_writable(const char *path, tacit_error *err)
{
    struct stat info;
    char folder[PATH_MAX];
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return fail_errno(err, path, "write");
    }
    if (exists && !S_ISREG(info.st_mode))
        return access(path, W_OK) == 0 ? TACIT_OK : fail_errno(err, path, "write");
    bool good = tc_file_folder(path, folder) && stat(folder, &info) == 0;
    if (good && !S_ISDIR(info.st_mode)) {
        errno = ENOTDIR;
        good = false;
    }
    good = good && access(folder, W_OK | X_OK) == 0;
    return good ? TACIT_OK : fail_errno(err, path, "write");
}
