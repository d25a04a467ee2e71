/* file_name.c - names of files. See file_name.h.
 *
 * realpath(3) knows only what is there. Of a file that is not, the folder is resolved and the name
 * put behind it; a link that leads nowhere yet is followed by hand, as open(2) with O_CREAT would. */
#include "base/file_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MOST = 40 }; /* as the system's own limit */

bool tc_file_folder(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(folder, n == 0 ? "." : path, n == 0 ? 1 : n);
    folder[n == 0 ? 1 : n] = '\0';
    return true;
}

/* "folder/base", whole. */
static bool join(const char *folder, const char *base, char out[PATH_MAX])
{
    const char *between = strcmp(folder, "/") == 0 ? "" : "/";
    int n = snprintf(out, PATH_MAX, "%s%s%s", folder, between, base);
    return n > 0 && n < PATH_MAX;
}

/* One step along a link; false if `path` is none. */
static bool follow(char path[PATH_MAX])
{
    char target[PATH_MAX], folder[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n <= 0 || !tc_file_folder(path, folder))
        return false;
    target[n] = '\0';
    if (target[0] != '/')
        return join(folder, target, path);
    memcpy(path, target, (size_t)n + 1);
    return true;
}

static bool resolve_new(const char *path, char name[PATH_MAX])
{
    char folder[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return *base != '\0' && tc_file_folder(path, folder) && realpath(folder, real) != NULL &&
           join(real, base, name);
}

bool tc_file_resolve(const char *path, char name[PATH_MAX])
{
    char at[PATH_MAX];
    if (strlen(path) >= PATH_MAX)
        return false;
    memcpy(at, path, strlen(path) + 1);
    for (int i = 0; i < LINKS_MOST; i++) {
        if (realpath(at, name) != NULL)
            return true;
        if (errno != ENOENT)
            return false;
        if (!follow(at))
            return resolve_new(at, name);
    }
    return false;
}

bool tc_file_same(const char *a, const char *b)
{
    struct stat x, y;
    char one[PATH_MAX], other[PATH_MAX];
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return tc_file_resolve(a, one) && tc_file_resolve(b, other) && strcmp(one, other) == 0;
}
