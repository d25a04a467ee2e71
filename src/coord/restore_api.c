/* restore_api.c - tacit_storage_restore of <tacit/coordinator.h>: a backup becomes a storage that may be served.
 *
 * The backup is copied into memory, checked, and made sound there (restored.c); the
 * storage gets the result in one transaction. So whatever fails, and wherever this process is killed,
 * the storage stays empty. */
#include "coord/coord.h"

#include "base/api.h"
#include "base/clock.h"
#include "study/backup.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static TC_SIZED(sized_opts, tacit_restore_opts, user, user);

typedef struct restoring {
    tc_store *backup, *copy, *to;
    tc_restore_times at;
} restoring;

/* ---- the storage that is to be filled ---- */

static tacit_status refuse(void *user, const tc_row *r, tacit_error *err)
{
    (void)r;
    return tc_fail(err, TACIT_E_STATE,
                   "the storage %s is not empty: a backup is restored into a new one",
                   (const char *)user);
}

/* A place for a name that may hold a password: the scheme and what follows the host. */
static const char *what_of(const char *url)
{
    return strncmp(url, "sqlite:", 7) == 0 ? url : "in PostgreSQL";
}

/* A file that was there, and empty, may be one that others can read. */
static tacit_status make_private(const char *url, tacit_error *err)
{
    static const char scheme[] = "sqlite:///";
    const char *file = url + sizeof scheme - 1;
    if (strncmp(url, scheme, sizeof scheme - 1) != 0 || chmod(file, 0600) == 0 || errno == ENOENT)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_IO, "%s cannot be made readable for its owner alone: %s", file,
                   strerror(errno));
}

/* Before anything is made there. */
static tacit_status look_at_target(const char *url, tacit_error *err)
{
    tc_store *s;
    tacit_error why;
    if (strcmp(url, "memory:") == 0)
        return tc_fail(err, TACIT_E_ARG, "a backup cannot be restored into memory");
    tacit_status status = tc_store_open(&s, url, false, &why);
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status == TACIT_E_CORRUPT) /* perhaps only empty, from a restore that was killed */
        status = tc_store_open(&s, url, true, &why);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = tc_store_dump(s, refuse, (void *)what_of(url), err);
    tc_store_close(s);
    return status;
}

/* ---- the steps ---- */

static tacit_status open_backup(restoring *r, const char *file, tacit_error *err)
{
    TC_TRY(tc_backup_open(&r->backup, file, err));
    if (tc_backup_time(r->backup, &r->at.backup_ms, err) != TACIT_OK ||
        tc_backup_check(r->backup, err) != TACIT_OK)
        return tc_fail_in(err, "%s", file);
    return TACIT_OK;
}

static tacit_status restore(restoring *r, const char *storage, const char *file,
                            const tacit_restore_opts *opts, tacit_error *err)
{
    TC_TRY(look_at_target(storage, err));
    TC_TRY(open_backup(r, file, err));
    r->at.now_ms = tc_clock_unix_ms();
    TC_TRY(tc_store_open(&r->copy, "memory:", true, err));
    TC_TRY(tc_backup_copy(r->copy, r->backup, true, err));
    TC_TRY(tc_coord_restore(r->copy, r->at, opts, err));
    TC_TRY(make_private(storage, err));
    TC_TRY(tc_store_open(&r->to, storage, true, err));
    return tc_backup_copy(r->to, r->copy, false, err);
}

tacit_status tacit_storage_restore(const char *storage, const char *file,
                                   const tacit_restore_opts *opts, int64_t *made_ms,
                                   tacit_error *err)
{
    tacit_restore_opts full = TACIT_RESTORE_OPTS;
    tacit_error unwanted;
    restoring r = {0};
    TC_GIVEN(storage);
    TC_GIVEN(file);
    if (opts)
        TC_TRY(tc_sized_take(&sized_opts, &full, opts, "opts", err));
    tacit_status status = restore(&r, storage, file, &full, err ? err : &unwanted);
    tc_store_close(r.to);
    tc_store_close(r.copy);
    tc_store_close(r.backup);
    if (status == TACIT_OK && made_ms)
        *made_ms = r.at.backup_ms;
    return status;
}
