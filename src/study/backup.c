/* backup.c - backups of stores (backup.h). What a copy is, store_copy.c says; here is what goes into a backup, and how its file comes to be. */
#include "study/agreed.h"
#include "study/audit.h"
#include "study/backup.h"
#include "study/receipt.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "wire/study_doc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK "backup" /* the record of a backup's time */
#define PART ".tacit-part"

static bool is_mark(const tc_record *r)
{
    return r->study == 0 && r->kind == TC_RECORD_SERVER && r->key_size == strlen(MARK) &&
           memcmp(r->key, MARK, r->key_size) == 0;
}

static tc_record mark_record(void)
{
    return (tc_record){.kind = TC_RECORD_SERVER, .key = MARK, .key_size = strlen(MARK)};
}

/* ---- what goes into a backup ---- */

typedef struct passing {
    tc_store *from;
    bool leave_out; /* secrets of rounds, and answers */
    bool drop_mark;
    int64_t time_ms; /* of a new mark; 0: none */
    int64_t *relays; /* studies whose messages stay */
    size_t n, cap;
    tc_row_visit put;
    void *sink;
} passing;

/* A relay's messages are what it hands on. Of all other studies they are contributions. */
static tacit_status note_study(passing *p, const tc_study_row *row, tacit_error *err)
{
    tc_study_doc *doc = NULL;
    tacit_error why;
    if (tc_study_doc_restore(&doc, row->document, row->points_csv, &why) != TACIT_OK)
        return why.code == TACIT_E_MEMORY ? tc_fail_memory(err) : TACIT_OK;
    bool relay = doc->algorithm->relay != NULL;
    tc_study_doc_free(doc);
    if (!relay)
        return TACIT_OK;
    if (!tc_grow((void **)&p->relays, &p->cap, p->n + 1, sizeof *p->relays))
        return tc_fail_memory(err);
    p->relays[p->n++] = row->id;
    return TACIT_OK;
}

static bool is_relay(const passing *p, int64_t study)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->relays[i] == study)
            return true;
    return false;
}

/* ---- no ledger is cut short ---- */

static tacit_status note_end(void *user, const tc_ledger_record *r, tacit_error *err)
{
    (void)err;
    *(tacit_head *)user = (tacit_head){.seq = r->seq, .hash = r->head};
    return TACIT_OK;
}

static tacit_status check_end(void *user, const char *name, tacit_error *err)
{
    tc_ledger_io io;
    tacit_head claimed, found = {0};
    TC_TRY(tc_store_ledger(user, name, false, &io, err));
    TC_TRY(io.head(&io, &claimed, err));
    TC_TRY(io.scan(&io, 0, note_end, &found, err));
    if (claimed.seq == found.seq &&
        (found.seq == 0 || tc_ledger_hash_same(&claimed.hash, &found.hash)))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the storage is damaged: the entries of ledger \"%s\" end at number %llu, and "
                   "its head is that of entry %llu",
                   name, (unsigned long long)found.seq, (unsigned long long)claimed.seq);
}

/* ---- */

static bool goes_in(const passing *p, const tc_record *r)
{
    if (tc_agreed_is_anchor(r)) /* of the clock where the store is, not of where it will be */
        return false;
    if (is_mark(r))
        return !p->drop_mark;
    if (!p->leave_out)
        return true;
    return r->kind != TC_RECORD_ANSWER && r->kind != TC_RECORD_NOISE &&
           r->kind != TC_RECORD_SHARE_SUM && r->kind != TC_RECORD_ROUND_SECRET &&
           (r->kind != TC_RECORD_MESSAGE || r->study == 0 || is_relay(p, r->study));
}

/* A receipt of an earlier version, without what tells of the message. */
static tacit_status put_plain(const passing *p, const tc_record *r, tacit_error *err)
{
    tc_record plain = *r;
    char *text;
    TC_TRY(tc_receipt_plain(r, &text, err));
    plain.value = text;
    plain.size = strlen(text);
    tacit_status status = p->put(p->sink, &(tc_row){.record = &plain}, err);
    tc_free(text);
    return status;
}

static tacit_status pass(void *user, const tc_row *r, tacit_error *err)
{
    passing *p = user;
    if (r->study && p->leave_out)
        TC_TRY(note_study(p, r->study, err));
    if (r->record && !goes_in(p, r->record))
        return TACIT_OK;
    return r->record && tc_receipt_tells(r->record) ? put_plain(p, r->record, err)
                                                    : p->put(p->sink, r, err);
}

static tacit_status put_mark(const passing *p, tacit_error *err)
{
    char text[64];
    tc_record mark = mark_record();
    mark.size = (size_t)snprintf(text, sizeof text, "{\"time_ms\": %lld}", (long long)p->time_ms);
    mark.value = text;
    return p->put(p->sink, &(tc_row){.record = &mark}, err);
}

static tacit_status read_all(tc_store *in, void *user, tacit_error *err)
{
    TC_TRY(tc_store_ledger_list(in, check_end, in, err));
    return tc_store_dump_in(in, pass, user, err);
}

static tacit_status fill(void *user, tc_row_visit put, void *sink, tacit_error *err)
{
    passing *p = user;
    p->put = put;
    p->sink = sink;
    TC_TRY(tc_store_transact(p->from, false, read_all, p, err));
    return p->time_ms > 0 ? put_mark(p, err) : TACIT_OK;
}

static tacit_status copy(tc_store *to, passing *p, tacit_error *err)
{
    tacit_status status = tc_store_load(to, fill, p, err);
    tc_free(p->relays);
    return status;
}

tacit_status tc_backup_copy(tc_store *to, tc_store *from, bool as_backup, tacit_error *err)
{
    return copy(to, &(passing){.from = from, .drop_mark = !as_backup}, err);
}

/* ---- the file ---- */

static tacit_status file_failed(const char *file, const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "%s cannot be %s: %s", file, what, strerror(errno));
}

static void remove_file(const char *file)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char name[4300];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", file, ends[i]);
        unlink(name);
    }
}

/* What processes left beside it that were killed: FILE.PID.tacit-part, and what SQLite has beside that. */
static void sweep_dead(const char *file)
{
    char path[4200], name[4600];
    snprintf(path, sizeof path, "%s", file);
    const char *folder = dirname(path);
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *end = strstr(e->d_name, PART), *pid = end;
        while (pid && pid > e->d_name && pid[-1] >= '0' && pid[-1] <= '9')
            pid--;
        if (!pid || pid == end || kill((pid_t)strtol(pid, NULL, 10), 0) == 0 || errno != ESRCH)
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
        unlink(name);
    }
    if (d)
        closedir(d);
}

/* Of a coordinator's storage, before it is copied and afterwards: so the backup has the entry of its own beginning. Whoever holds the storage can
 * copy it in other ways, so a storage that cannot be written to is backed up all the same. */
static void log_backup(tc_store *from, int64_t now_ms, const char *outcome)
{
    tc_audit_head head;
    tacit_error why = {0};
    const tc_audit_entry entry = {.at_ms = now_ms,
                                  .role = "storage",
                                  .token = "",
                                  .name = "",
                                  .action = "backup.make",
                                  .outcome = outcome,
                                  .study = "",
                                  .of = "",
                                  .detail = ""};
    tacit_status status = tc_audit_head_get(from, &head, &why);
    if (status == TACIT_OK && head.seq > 0)
        status = tc_audit_change(from, NULL, 0, &entry, NULL, &why);
    if (status != TACIT_OK)
        tc_log(TC_LOG_WARN, "a backup is not in the operator's log: %s", why.msg);
}

static tacit_status write_store(tc_store *from, const char *file, int64_t now_ms, tacit_error *err)
{
    char url[4300];
    tc_store *to;
    passing p = {.from = from, .leave_out = true, .drop_mark = true, .time_ms = now_ms};
    snprintf(url, sizeof url, "sqlite:///%s", file);
    TC_TRY(tc_store_open(&to, url, true, err));
    tacit_status status = copy(to, &p, err);
    tc_store_close(to);
    return status;
}

static tacit_status sync_path(const char *path, tacit_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    errno = failed;
    return failed ? file_failed(path, "brought to disk", err) : TACIT_OK;
}

static tacit_status sync_folder(const char *file, tacit_error *err)
{
    char path[4200];
    snprintf(path, sizeof path, "%s", file);
    return sync_path(dirname(path), err);
}

/* By a second name, which fails where there is a file, and not by renaming, which would replace it. */
static tacit_status give_name(const char *temporary, const char *file, tacit_error *err)
{
    TC_TRY(sync_path(temporary, err));
    if (link(temporary, file) != 0)
        return errno == EEXIST
                   ? tc_fail(err, TACIT_E_CONFLICT,
                             "%s exists: a backup replaces no file, give it another name", file)
                   : file_failed(file, "written", err);
    unlink(temporary);
    return sync_folder(file, err);
}

tacit_status tc_backup_write(tc_store *from, const char *file, int64_t now_ms, tacit_error *err)
{
    char temporary[4200];
    if (strlen(file) > 4000)
        return tc_fail(err, TACIT_E_ARG, "the name of a backup must have at most 4000 bytes");
    if (access(file, F_OK) == 0)
        return tc_fail(err, TACIT_E_CONFLICT,
                       "%s exists: a backup replaces no file, give it another name", file);
    sweep_dead(file);
    snprintf(temporary, sizeof temporary, "%s.%ld" PART, file, (long)getpid());
    remove_file(temporary);
    log_backup(from, now_ms, "begun");
    tacit_status status = write_store(from, temporary, now_ms, err);
    if (status == TACIT_OK)
        status = give_name(temporary, file, err);
    if (status != TACIT_OK)
        remove_file(temporary);
    log_backup(from, now_ms, status == TACIT_OK ? "done" : "failed");
    return status;
}

/* ---- what is a backup is not served ---- */

tacit_status tc_backup_refuse(tc_store *s, tacit_error *err)
{
    tc_record which = mark_record(), got;
    TC_TRY(tc_store_record_find(s, &which, &got, err));
    tc_free((void *)got.value);
    if (got.version == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "this is a backup: `tacit restore` makes a storage of it, and counts what was "
                   "released since");
}

tacit_status tc_backup_open(tc_store **out, const char *file, tacit_error *err)
{
    char url[4200];
    if (strlen(file) > 4000)
        return tc_fail(err, TACIT_E_ARG, "the name of a backup must have at most 4000 bytes");
    snprintf(url, sizeof url, "sqlite:///%s", file);
    return tc_store_open_any(out, url, false, err);
}

tacit_status tc_backup_time(tc_store *backup, int64_t *time_ms, tacit_error *err)
{
    tc_record which = mark_record(), got;
    tacit_error why;
    json_t *j = NULL;
    tacit_status status = tc_store_record_get(backup, &which, &got, &why);
    if (status == TACIT_E_NOT_FOUND)
        return tc_fail(err, TACIT_E_ARG,
                       "this is a store and not a backup: only what `tacit backup` wrote can be "
                       "restored");
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = tc_json_parse(got.value, got.size, "backup", &j, err);
    tc_free((void *)got.value);
    TC_TRY(status);
    bool there = tc_json_whole(json_object_get(j, "time_ms"), time_ms) && *time_ms > 0;
    json_decref(j);
    return there ? TACIT_OK
                 : tc_fail(err, TACIT_E_CORRUPT, "the backup is damaged: it has no time");
}

/* ---- checking ---- */

typedef struct checking {
    tc_store *store;
    uint64_t seq; /* of the last event */
} checking;

static tacit_status check_event(void *user, const tc_event_row *e, tacit_error *err)
{
    checking *c = user;
    return e->seq == ++c->seq
               ? TACIT_OK
               : tc_fail(err, TACIT_E_CORRUPT, "event %llu is missing", (unsigned long long)c->seq);
}

static tacit_status check_study(void *user, const tc_study_row *row, tacit_error *err)
{
    checking *c = user;
    tc_study_doc *doc = NULL;
    c->seq = 0;
    tacit_status status = tc_study_doc_restore(&doc, row->document, row->points_csv, err);
    tc_study_doc_free(doc);
    if (status == TACIT_OK)
        status = tc_store_scan(c->store, row->id, 0, check_event, c, err);
    return status == TACIT_OK ? status : tc_fail_in(err, "study \"%s\"", row->name);
}

static tacit_status check_ledger(void *user, const char *name, tacit_error *err)
{
    const checking *c = user;
    tc_ledger_io io;
    tc_ledger *l = NULL;
    tacit_status status = tc_store_ledger(c->store, name, false, &io, err);
    if (status == TACIT_OK)
        status = tc_ledger_open(&l, name, &io, err);
    tc_ledger_close(l);
    return status == TACIT_OK ? status : tc_fail_in(err, "ledger \"%s\"", name);
}

tacit_status tc_backup_check(tc_store *backup, tacit_error *err)
{
    checking c = {.store = backup};
    TC_TRY(tc_store_study_list(backup, check_study, &c, err));
    return tc_store_ledger_list(backup, check_ledger, &c, err);
}
