/* sqlite_mark.c - FILE-mark: how far the store had come, where its log cannot forget it.
 *
 * SQLite reads a write-ahead log as far as its checksums hold. A flipped byte ends it there, and a log that
 * was removed has ended at the start: what was committed after that is gone without a word, together with
 * whatever row would have told of it. So the number of transactions is written beside the store as well.
 * The file itself counts them, too (row 0 of heads); to have fewer than the mark is to have lost some.
 *
 * The mark costs one small write after each commit and sync, and no sync of its own:
 *
 *   synced     was on disk when it was written here. What a loss of power leaves of the mark is an older
 *              one, never a newer: the bound holds, if the disk keeps what it has synced.
 *   committed  was in the log when it was written here. The kernel keeps both while it runs: the bound holds
 *              after kill -9, but not after a loss of power, which may keep the mark and lose the end
 *              of the log. The mark has a hash of the boot's id, so that the two are told apart; keyed by
 *              the store, so that it tells nobody on which machine a user works.
 *
 * Processes that share a store write one mark without a lock. An older number that comes last is a weaker
 * bound, and still true. A mark of another store of that name, or one that cannot be read, says nothing. It is
 * removed with the log, by who closes the store last. */
#include "study/sqlite_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BOOT_BYTES = 36, MAGIC_BYTES = 8 };

typedef struct image {
    char magic[MAGIC_BYTES];
    tc_checksum store;
    tc_checksum boot;           /* all zero: it could not be told */
    uint64_t committed, synced; /* little-endian */
    tc_checksum check;          /* of all before it */
} image;

static const char magic[MAGIC_BYTES] = {'t', 'a', 'c', 'i', 't', ' ', 'm', '1'};

static tc_checksum check_of(const image *i)
{
    tc_checksum out;
    crypto_generichash(out.bytes, sizeof out.bytes, (const uint8_t *)i, offsetof(image, check),
                       NULL, 0);
    return out;
}

static tc_checksum boot_of(const tc_checksum *store)
{
    char id[BOOT_BYTES];
    tc_checksum out = {{0}};
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return out;
    if (read(fd, id, sizeof id) == (ssize_t)sizeof id)
        crypto_generichash(out.bytes, sizeof out.bytes, (const uint8_t *)id, sizeof id,
                           store->bytes, sizeof store->bytes);
    close(fd);
    return out;
}

static bool same_boot(const image *i)
{
    static const tc_checksum unknown;
    tc_checksum now = boot_of(&i->store);
    return !tc_checksum_same(&now, &unknown) && tc_checksum_same(&now, &i->boot);
}

tc_marked tc_mark_read(const char *path)
{
    tc_text name = {0};
    image i;
    tc_text_addf(&name, "%s-mark", path);
    int fd = name.failed ? -1 : open(tc_text_get(&name), O_RDONLY | O_CLOEXEC);
    tc_text_fini(&name);
    if (fd < 0)
        return (tc_marked){.found = false};
    bool whole = read(fd, &i, sizeof i) == (ssize_t)sizeof i;
    close(fd);
    if (!whole || memcmp(i.magic, magic, sizeof magic) != 0)
        return (tc_marked){.found = false};
    tc_checksum check = check_of(&i);
    uint64_t least = le64toh(same_boot(&i) ? i.committed : i.synced);
    return (tc_marked){.found = tc_checksum_same(&check, &i.check),
                       .age = {.transactions = least, .store = i.store}};
}

tacit_status tc_mark_check(const tc_sqlite *s, const tc_marked *before, const tc_store_age *now,
                           tacit_error *err)
{
    if (!before->found || !tc_checksum_same(&before->age.store, &now->store) ||
        now->transactions >= before->age.transactions)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "%s has lost what was written last: of %" PRIu64 " transactions %" PRIu64
                   " are there, because its log %s-wal is damaged or gone, or an older copy stands "
                   "in its place; `tacit studies --repair STUDY` goes on with what can be read",
                   s->file, before->age.transactions, now->transactions, s->file);
}

/* The caller holds m->lock. A write that fails leaves an older bound. */
static void write_mark(const tc_mark *m)
{
    image i = {.store = m->store,
               .boot = m->boot,
               .committed = htole64(m->committed),
               .synced = htole64(m->synced)};
    memcpy(i.magic, magic, sizeof magic);
    i.check = check_of(&i);
    if (m->fd >= 0 && pwrite(m->fd, &i, sizeof i, 0) < 0)
        return;
}

/* As SQLite does with the log: root's visit must not leave a mark that the store's owner cannot open. */
static void give_to_owner(const tc_sqlite *s, int fd)
{
    struct stat store, mark;
    if (geteuid() == 0 && stat(sqlite3_db_filename(s->db, "main"), &store) == 0 &&
        fstat(fd, &mark) == 0 && (mark.st_uid != store.st_uid || mark.st_gid != store.st_gid))
        (void)!fchown(fd, store.st_uid, store.st_gid);
}

tacit_status tc_mark_open(tc_sqlite *s, const tc_store_age *now, tacit_error *err)
{
    tc_mark *m = &s->mark;
    tc_text name = {0};
    tc_text_addf(&name, "%s-mark", sqlite3_db_filename(s->db, "main"));
    m->path = name.failed ? NULL : tc_strdup(tc_text_get(&name));
    tc_text_fini(&name);
    if (!m->path)
        return tc_fail_memory(err);
    m->fd = open(m->path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (m->fd < 0 && (errno == EACCES || errno == EPERM))
        return TACIT_OK; /* another user's: this handle does without */
    if (m->fd < 0)
        return tc_fail(err, TACIT_E_IO, "%s-mark cannot be opened: %s", s->file, strerror(errno));
    give_to_owner(s, m->fd);
    m->store = now->store;
    m->committed = now->transactions;
    m->boot = boot_of(&m->store);
    return TACIT_OK;
}

void tc_mark_committed(tc_mark *m, uint64_t transactions)
{
    pthread_mutex_lock(&m->lock);
    m->committed = transactions;
    write_mark(m);
    pthread_mutex_unlock(&m->lock);
}

uint64_t tc_mark_transactions(tc_mark *m)
{
    pthread_mutex_lock(&m->lock);
    uint64_t n = m->committed;
    pthread_mutex_unlock(&m->lock);
    return n;
}

void tc_mark_synced(tc_mark *m, uint64_t transactions)
{
    pthread_mutex_lock(&m->lock);
    if (transactions > m->synced) {
        m->synced = transactions;
        write_mark(m);
    }
    pthread_mutex_unlock(&m->lock);
}

/* A process that opens the store at this moment, and loses the mark to us, only has a weaker bound. */
void tc_mark_close(tc_mark *m)
{
    if (m->fd >= 0)
        close(m->fd);
    size_t stem = m->path ? strlen(m->path) - strlen("mark") : 0;
    tc_text log = {0};
    tc_text_addf(&log, "%.*swal", (int)stem, m->path ? m->path : "");
    if (m->path && !log.failed && access(tc_text_get(&log), F_OK) != 0)
        unlink(m->path);
    tc_text_fini(&log);
    tc_free(m->path);
    pthread_mutex_destroy(&m->lock);
}
