/* user_client.c - see user_client.h. A file has a line for each worker, of one length: its name, and the number of
 * its trial or "-". Whoever has locked the file has the names; the lock ends with the process. */
#include "study/user_client.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 54, MOST_CLIENTS = 1000, MOST_WORKERS = 1 << 16 };

/* ---- the user of a study ---- */

tacit_status tc_user_reply_open_at(tc_user_reply *u, const tc_study_ref *r,
                                   const tc_user_named *who, tacit_error *err)
{
    const tacit_document *doc = tacit_study_document(r->study);
    bool asks = r->way.served && !r->given; /* who names the document has agreed to it */
    tc_user_ledger_place at = {.given = who->ledger_storage,
                               .storage = r->way.served ? NULL : r->way.url,
                               .user = who->name,
                               .quiet = who->quiet};
    if (asks)
        TC_TRY(tc_user_consent(doc, err));
    TC_TRY(tc_user_reply_open(u, doc, &at, err));
    return asks ? tc_user_consent_spent(u, doc, err) : TACIT_OK;
}

/* ---- the file ---- */

/* The coordinator, or the file or database, however it is spelled. */
static void add_place(tc_text *out, const char *server, const char *storage)
{
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    tacit_hash h = tc_storage_hash(storage);
    sodium_bin2hex(hex, sizeof hex, h.bytes, sizeof h.bytes);
    tc_text_add(out, server ? server : hex);
}

/* Neither study nor user can be read from its name. False: no memory, or no place. */
static bool file_name(char out[PATH_MAX], const tc_where *where, const char *study,
                      const char *user)
{
    tc_text who = {0};
    const char *server;
    tacit_error none;
    if (tc_where_server(where, &server, &none) != TACIT_OK)
        return false;
    add_place(&who, server, where->storage);
    tc_text_addf(&who, "\n%s\n%s", study, user);
    bool ok = !who.failed && tc_user_folder("clients", out) && strlen(out) < PATH_MAX - 64;
    if (ok) {
        tacit_hash h = tc_ledger_study_hash(tc_text_get(&who));
        size_t n = strlen(out);
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

tacit_status tc_user_client_open(tc_user_client *c, const tc_where *where, const char *study,
                                 const char *user, size_t workers, tacit_error *err)
{
    c->fd = file_name(c->path, where, study, user) ? lock_one(c->path) : -1;
    c->open = true;
    size_t known = workers_in(c->fd);
    c->n = known > workers ? known : workers;
    c->workers = tc_alloc(c->n, sizeof *c->workers);
    if (!c->workers)
        return tc_fail_memory(err);
    for (size_t i = 0; i < c->n; i++) {
        tc_user_worker *w = &c->workers[i];
        if (read_worker(c->fd, i, w))
            continue;
        tc_random_name(w->name);
        w->trial = TC_NEW_TRIAL;
        write_worker(c->fd, i, w);
    }
    return TACIT_OK;
}

bool tc_user_client_has(const tc_user_client *c, size_t n, const char *worker)
{
    for (size_t i = 0; worker && i < n && i < c->n; i++)
        if (strcmp(c->workers[i].name, worker) == 0)
            return true;
    return false;
}

void tc_user_client_note(tc_user_client *c, size_t worker, uint64_t trial)
{
    c->workers[worker].trial = trial;
    write_worker(c->fd, worker, &c->workers[worker]);
}

void tc_user_client_close(tc_user_client *c)
{
    bool idle = true;
    for (size_t i = 0; c->workers && i < c->n; i++)
        idle = idle && c->workers[i].trial == TC_NEW_TRIAL;
    if (c->open && c->fd >= 0) {
        if (idle && c->workers)
            (void)unlink(c->path);
        close(c->fd);
    }
    tc_free(c->workers);
    *c = (tc_user_client){0};
}
