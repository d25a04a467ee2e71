/* sqlite_name_lock.c - one holder of a name at a time, among all processes that have a store file open.
 *
 * The lock is one byte of an empty file beside the store, FILE-hold: a byte for each name, so that holders of
 * different names do not meet. It is a lock of the open file, not of the process: the kernel drops it with
 * the last descriptor, however the process ends, and programs that are run from it do not inherit that. The
 * store's own file is left alone, for closing a second descriptor of it would drop SQLite's locks
 * (sqlite_open.c). FILE-hold stays: to remove it would let two processes lock two files of one name. */
#include "study/sqlite_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "wire/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct hold {
    tc_name_lock base;
    int fd;
} hold;

static void end(tc_name_lock *base)
{
    hold *h = (hold *)base;
    close(h->fd);
    tc_free(h);
}

static off_t byte_of(const char *name)
{
    tacit_hash h = tc_hash_bytes(name, strlen(name));
    uint64_t at;
    memcpy(&at, h.bytes, sizeof at);
    return (off_t)(at >> 2);
}

static tacit_status lock(const tc_sqlite *s, int fd, const char *name, tacit_error *err)
{
    struct flock byte = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte_of(name), .l_len = 1};
    if (fcntl(fd, F_OFD_SETLK, &byte) == 0)
        return TACIT_OK;
    if (errno == EAGAIN || errno == EACCES)
        return tc_name_taken(s->file, err);
    return tc_fail(err, TACIT_E_IO, "%s-hold could not be locked: %s", s->file, strerror(errno));
}

static tacit_status open_beside(const tc_sqlite *s, int *fd, tacit_error *err)
{
    tc_text path = {0};
    tc_text_addf(&path, "%s-hold", sqlite3_db_filename(s->db, "main"));
    *fd = path.failed ? -1
                      : open(tc_text_get(&path), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    int why = errno;
    bool failed = path.failed;
    tc_text_fini(&path);
    if (failed)
        return tc_fail_memory(err);
    return *fd >= 0 ? TACIT_OK
                    : tc_fail(err, TACIT_E_IO, "%s-hold could not be opened: %s", s->file,
                              strerror(why));
}

tacit_status tc_sqlite_lock_name(tc_store *store, const char *name, tc_name_lock **out,
                                 tacit_error *err)
{
    const tc_sqlite *s = (const tc_sqlite *)store;
    hold *h = tc_alloc(1, sizeof *h);
    if (!h)
        return tc_fail_memory(err);
    h->base.end = end;
    tacit_status status = open_beside(s, &h->fd, err);
    if (status != TACIT_OK) {
        tc_free(h);
        return status;
    }
    status = lock(s, h->fd, name, err);
    if (status == TACIT_OK)
        *out = &h->base;
    else
        end(&h->base);
    return status;
}
