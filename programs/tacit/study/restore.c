/* restore.c - `tacit restore`: a backup becomes a storage that may be served.
 *
 * The backup is copied into memory, checked, and made sound there (coord.h: tc_coord_restore); the
 * storage gets the result in one transaction. So whatever fails, and wherever this process is killed,
 * the storage stays empty. */
#include "algo/algorithm.h"
#include "base/clock.h"
#include "coord/coord.h"
#include "study/storage.h"
#include "study/backup.h"
#include "frame/verbs.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct options {
    char *storage, *released;
} options;

static const tc_option table[] = {
    TC_STORAGE_OPTION(options),
    {"assume-released", TC_OPTION_STRING, offsetof(options, released), .def = "all", .value = "N",
     .help = "rounds of each study that may have been released since the backup: they are charged "
             "and not released again; all is as many as are planned; unknown stamps NOT PRIVATE as "
             "well, for studies that were made anew under their name"},
    {.name = NULL}};

typedef struct restoring {
    tc_store *backup, *copy, *to;
    tc_restore_terms terms;
    tc_table *table;
    uint64_t lost;
} restoring;

static tacit_status parse_released(const char *text, uint64_t *out, tacit_error *err)
{
    char *end;
    *out = TC_RELEASED_ALL;
    if (strcmp(text, "all") == 0 || strcmp(text, "unknown") == 0)
        return TACIT_OK;
    errno = 0;
    *out = strtoull(text, &end, 10);
    bool whole = *text >= '0' && *text <= '9' && !*end && errno == 0 && *out < UINT64_C(1) << 53;
    return whole ? TACIT_OK
                 : tc_fail(err, TACIT_E_ARG,
                           "--assume-released must be a whole number, all or unknown, got \"%s\"",
                           text);
}

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
    tacit_status st = tc_store_open(&s, url, false, &why);
    if (st == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (st == TACIT_E_CORRUPT) /* perhaps only empty, from a restore that was killed */
        st = tc_store_open(&s, url, true, &why);
    if (st != TACIT_OK)
        return tc_fail(err, st, "%s", why.msg);
    st = tc_store_dump(s, refuse, (void *)what_of(url), err);
    tc_store_close(s);
    return st;
}

/* ---- what is said ---- */

static tacit_status take_row(void *user, const tc_restore_row *row, tacit_error *err)
{
    restoring *r = user;
    (void)err;
    r->lost += row->lost;
    tc_table_text(r->table, 0, row->name);
    tc_table_integer(r->table, 1, (int64_t)row->entries);
    tc_table_integer(r->table, 2, (int64_t)row->lost);
    if (row->next != TC_NO_ROUND)
        tc_table_integer(r->table, 3, (int64_t)row->next);
    tc_table_text(r->table, 4, row->stamped ? "NOT PRIVATE any more" : "counted");
    tc_table_end_row(r->table);
    return TACIT_OK;
}

static void say(const restoring *r, const tc_invocation *in)
{
    char time[32];
    tc_clock_iso(time, r->terms.backup_ms);
    tc_note(in->quiet, "restored from a backup of %s", time);
    if (r->lost > 0)
        tc_note(in->quiet,
                "rounds that may have been released since are charged and void; agents that have "
                "heard of one that is not among them will refuse");
    if (r->terms.released == TC_RELEASED_ALL && !r->terms.unknown)
        tc_note(in->quiet,
                "\"counted\" assumes that no study was erased and made again under its name since; "
                "else restore with --assume-released unknown");
    tc_note(
        in->quiet,
        "tokens that were withdrawn, agents that were revoked and keys that were replaced since "
        "the backup are valid again, and join tokens have their uses again: look them through");
    tc_note(in->quiet, "agents that enrolled since are not known any more: they enrol again with "
                       "their key, given a join token");
}

/* ---- the steps ---- */

static tacit_status open_backup(restoring *r, const char *file, tacit_error *err)
{
    TC_TRY(tc_backup_open(&r->backup, file, err));
    if (tc_backup_time(r->backup, &r->terms.backup_ms, err) != TACIT_OK ||
        tc_backup_check(r->backup, err) != TACIT_OK)
        return tc_fail_in(err, "%s", file);
    return TACIT_OK;
}

static tacit_status make_sound(restoring *r, tacit_error *err)
{
    TC_TRY(tc_store_open(&r->copy, "memory:", true, err));
    TC_TRY(tc_backup_copy(r->copy, r->backup, true, err));
    return tc_coord_restore(r->copy, &r->terms, take_row, r, err);
}

static tacit_status restore(restoring *r, const tc_invocation *in, tacit_error *err)
{
    static const char *const columns[] = {"ledger", "entries", "charged", "next round", "spend"};
    const options *o = in->opts;
    const char *url = tc_storage_url(o->storage);
    TC_TRY(parse_released(o->released, &r->terms.released, err));
    r->terms.unknown = strcmp(o->released, "unknown") == 0;
    TC_TRY(look_at_target(url, err));
    TC_TRY(open_backup(r, in->args[0], err));
    r->terms.now_ms = tc_clock_unix_ms();
    r->table = tc_table_new(5, columns);
    TC_TRY(make_sound(r, err));
    TC_TRY(make_private(url, err));
    TC_TRY(tc_store_open(&r->to, url, true, err));
    return tc_backup_copy(r->to, r->copy, false, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    restoring r = {0};
    tacit_status st = restore(&r, in, err);
    tc_store_close(r.to);
    tc_store_close(r.copy);
    tc_store_close(r.backup);
    if (st != TACIT_OK) {
        tc_table_free(r.table);
        return st;
    }
    say(&r, in);
    return tc_table_print(r.table, (tc_format)in->format, stdout, err);
}

const tc_verb tc_verb_restore = {
    .name = "restore",
    .usage = "FILE [options]",
    .summary = "make a storage of what tacit backup wrote",
    .details =
        "The storage must be a new one. Everything is checked before anything is written, and all "
        "of it is\n"
        "written or nothing. What a coordinator released after the backup is not in it, but was "
        "spent: the next\n"
        "rounds of each federated study, --assume-released of them, are charged to its ledger and "
        "never\n"
        "released again. Where nobody knows how many there were, leave it at all: the study then "
        "has no rounds\n"
        "left, and its agents go on by themselves. That counts everything, unless a study was "
        "erased\n"
        "and made again under its name since: unknown stamps all ledgers NOT PRIVATE. Agents who "
        "saw\n"
        "a newer ledger stop and say why; tacit agent --accept-restored goes on.\n"
        "\n"
        "  tacit restore /backup/tacit-2026-11-15.db --storage sqlite:////srv/tacit.db\n"
        "  tacit restore tacit.db --storage postgresql:///tacit --assume-released 0",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .secrets = true,
    .run = run};
