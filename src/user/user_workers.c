/* user_workers.c - see user_workers.h. A file has a line for each worker, of one length: its name, and the number of
 * its trial or "-". Whoever has locked the file has the names; the lock ends with the process. */
#include "user/user_workers.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 54, MOST_CLIENTS = 1000, MOST_WORKERS = 1 << 16 };

/* Neither study nor user can be read from its name. False: no memory, or no place. */
static bool file_name(char out[PATH_MAX], bool served, const char *url, const char *study,
                      const char *user)
{
    tc_text who = {0};
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    tacit_hash h = tc_user_storage_hash(url);
    sodium_bin2hex(hex, sizeof hex, h.bytes, sizeof h.bytes);
    tc_text_addf(&who, "%s\n%s\n%s", served ? url : hex, study, user);
    bool ok = !who.failed && tc_user_folder("clients", out) && strlen(out) < PATH_MAX - 64;
    if (ok) {
        size_t n = strlen(out);
        h = tc_ledger_study_hash(tc_text_get(&who));
        out[n++] = '/';
        for (size_t i = 0; i < 16; i++, n += 2)
            snprintf(out + n, PATH_MAX - n, "%02x", h.bytes[i]);
    }
    tc_text_fini(&who);
    return ok;
}

/* The first that no living process has; -1: there is none. Who had it may have removed it before we locked:
 * then it is made again. */
static int lock_one(char path[PATH_MAX])
{
    size_t stem = strlen(path);
    for (int i = 0; i < MOST_CLIENTS; i++) {
        struct stat ours, there;
        snprintf(path + stem, PATH_MAX - stem, "-%d", i);
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &ours) == 0 && stat(path, &there) == 0 &&
            ours.st_ino == there.st_ino)
            return fd;
        close(fd);
    }
    return -1;
}

static bool read_worker(int fd, size_t i, tc_user_worker *w)
{
    char line[LINE + 1] = "";
    if (fd < 0 || pread(fd, line, LINE, (off_t)(i * LINE)) != LINE)
        return false;
    if (strspn(line, "0123456789abcdef") != TC_RANDOM_NAME - 1 || line[TC_RANDOM_NAME - 1] != ' ')
        return false;
    memcpy(w->name, line, TC_RANDOM_NAME - 1);
    w->name[TC_RANDOM_NAME - 1] = '\0';
    w->trial =
        line[TC_RANDOM_NAME] == '-' ? TC_NEW_TRIAL : strtoull(line + TC_RANDOM_NAME, NULL, 10);
    return true;
}

static void write_worker(int fd, size_t i, const tc_user_worker *w)
{
    char line[LINE + 1], number[24] = "-";
    if (fd < 0)
        return;
    if (w->trial != TC_NEW_TRIAL)
        snprintf(number, sizeof number, "%" PRIu64, w->trial);
    snprintf(line, sizeof line, "%s %-20s\n", w->name, number);
    if (pwrite(fd, line, LINE, (off_t)(i * LINE)) == LINE)
        (void)fdatasync(fd);
}

static size_t workers_in(int fd)
{
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0 || info.st_size > (off_t)MOST_WORKERS * LINE)
        return 0;
    return (size_t)info.st_size / LINE;
}

tacit_status tc_user_workers_open(tc_user_workers *w, bool served, const char *url,
                                  const char *study, const char *name, size_t n, tacit_error *err)
{
    w->fd = file_name(w->path, served, url, study, name) ? lock_one(w->path) : -1;
    w->open = true;
    size_t known = workers_in(w->fd);
    w->n = known > n ? known : n;
    w->list = tc_alloc(w->n, sizeof *w->list);
    if (!w->list)
        return tc_fail_memory(err);
    for (size_t i = 0; i < w->n; i++) {
        tc_user_worker *one = &w->list[i];
        if (read_worker(w->fd, i, one))
            continue;
        tc_random_name(one->name);
        one->trial = TC_NEW_TRIAL;
        write_worker(w->fd, i, one);
    }
    return TACIT_OK;
}

bool tc_user_workers_have(const tc_user_workers *w, size_t n, const char *worker)
{
    for (size_t i = 0; worker && i < n && i < w->n; i++)
        if (strcmp(w->list[i].name, worker) == 0)
            return true;
    return false;
}

void tc_user_workers_note(tc_user_workers *w, size_t worker, uint64_t trial)
{
    w->list[worker].trial = trial;
    write_worker(w->fd, worker, &w->list[worker]);
}

void tc_user_workers_close(tc_user_workers *w)
{
    bool idle = true;
    for (size_t i = 0; w->list && i < w->n; i++)
        idle = idle && w->list[i].trial == TC_NEW_TRIAL;
    if (w->open && w->fd >= 0) {
        if (idle && w->list)
            (void)unlink(w->path);
        close(w->fd);
    }
    tc_free(w->list);
    *w = (tc_user_workers){0};
}
