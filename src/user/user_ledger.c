/* user_ledger.c - see user_ledger.h.
 *
 * The file "ledgers" of the user's folder has a line
 * - for each storage that was warned of ("warned HASH of");
 * - for each reply that was taken along: from where, its number there and the head of the chain after it ("taken HASH
 *   NUMBER HEAD"). A process that was killed while it took a ledger along is continued by the next one from here;
 * - for each storage whose older ledger was looked for, found or not, and for each study whose older ledgers were
 *   ("closed HASH storage", "closed HASH study"). A closed one is never read again: the server could write replies there
 *   that the user never gave, each time up to the user's cap.
 * The file is locked while a ledger is taken along. If the process dies between ledger and file, one reply is charged
 * twice: more than was spent, never less. */
#include "user/user_ledger.h"

#include "base/error.h"
#include "base/file_name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEX = 2 * TC_LEDGER_HASH_BYTES + 1, LINE_BYTES = 256 };

/* Where the program keeps studies if nothing else is said. */
#define DEFAULT_STORAGE "sqlite:///tacit.db"

void tc_user_notify(const tc_user_note *n, const char *fmt, ...)
{
    char text[512];
    va_list args;
    if (!n->tell)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    n->tell(n->user, text);
}

/* ---- storages ---- */

static const char *file_of(const char *url)
{
    static const char scheme[] = "sqlite:///";
    return strncmp(url, scheme, sizeof scheme - 1) == 0 ? url + sizeof scheme - 1 : NULL;
}

tacit_hash tc_user_storage_hash(const char *url)
{
    char real[PATH_MAX];
    const char *file = file_of(url);
    return tc_ledger_study_hash(!file ? url : tc_file_resolve(file, real) ? real : file);
}

tacit_status tc_user_ledger_open_in(tc_user_ledger *l, const char *url, const char *name,
                                    bool create, tacit_error *err)
{
    tc_ledger_io io;
    if (strncmp(url, "memory:", 7) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "storage \"memory:\" does not last, so nobody would know what was spent: a "
                       "curator needs sqlite:///FILE or postgresql://HOST/DATABASE");
    if (!l->store)
        TC_TRY(tc_store_open(&l->store, url, create, err));
    TC_TRY(tc_store_ledger(l->store, name, create, &io, err));
    return tc_ledger_open(&l->ledger, name, &io, err);
}

void tc_user_ledger_close(tc_user_ledger *l)
{
    tc_ledger_close(l->ledger);
    tc_store_close(l->store);
    *l = (tc_user_ledger){0};
}

/* ---- the folder ---- */

/* The only environment that the library reads: there must be one ledger, whoever calls. An XDG path that is not
 * absolute is to be passed over, says its specification. */
static bool folder_name(char out[PATH_MAX])
{
    const char *state = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");
    if (state && *state == '/')
        return snprintf(out, PATH_MAX, "%s/tacit", state) < PATH_MAX;
    return home && *home == '/' &&
           snprintf(out, PATH_MAX, "%s/.local/state/tacit", home) < PATH_MAX;
}

/* Makes the folder and those above it, for their owner alone. */
static bool make_folder(char *path)
{
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
            *at = '/';
            if (!ok)
                return false;
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool tc_user_folder(const char *below, char out[PATH_MAX])
{
    char folder[PATH_MAX];
    errno = 0;
    if (!folder_name(folder) ||
        snprintf(out, PATH_MAX, "%s%s%s", folder, *below ? "/" : "", below) >= PATH_MAX)
        return false;
    return make_folder(out);
}

static bool url_in(const char *folder, char url[PATH_MAX])
{
    return snprintf(url, PATH_MAX, "sqlite:///%s/replies.db", folder) < PATH_MAX;
}

tacit_status tc_user_ledger_url(char url[PATH_MAX], tacit_error *err)
{
    char folder[PATH_MAX];
    if (!tc_user_folder("", folder))
        return errno == 0 ? tc_fail(err, TACIT_E_ARG,
                                    "where is the user's ledger? Set HOME or XDG_STATE_HOME to an "
                                    "absolute path")
                          : tc_fail(err, TACIT_E_IO, "%.200s, the folder of the user's ledger: %s",
                                    folder, strerror(errno));
    return url_in(folder, url)
               ? TACIT_OK
               : tc_fail(err, TACIT_E_ARG, "the path of the user's ledger is too long");
}

bool tc_user_ledger_exists(char url[PATH_MAX])
{
    char folder[PATH_MAX];
    return folder_name(folder) && url_in(folder, url) && access(file_of(url), F_OK) == 0;
}

/* ---- what is known of other ledgers ---- */

/* All-zero may be closed. */
typedef struct notes {
    FILE *file; /* locked */
} notes;

static tacit_status notes_open(notes *n, tacit_error *err)
{
    char path[PATH_MAX];
    size_t used = tc_user_folder("", path) ? strlen(path) : PATH_MAX;
    if (used >= PATH_MAX - sizeof "/ledgers")
        return tc_fail(err, TACIT_E_IO, "there is no folder to remember the user's ledgers in");
    memcpy(path + used, "/ledgers", sizeof "/ledgers");
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    n->file = fd >= 0 ? fdopen(fd, "r+") : NULL;
    if (!n->file) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return tc_fail(err, TACIT_E_IO, "%.200s: %s", path, strerror(why));
    }
    while (flock(fd, LOCK_EX) != 0)
        if (errno != EINTR)
            return tc_fail(err, TACIT_E_IO, "%.200s: %s", path, strerror(errno));
    return TACIT_OK;
}

static void notes_close(notes *n)
{
    if (n->file)
        fclose(n->file);
    *n = (notes){0};
}

static void hex_of(char out[HEX], const tacit_hash *h)
{
    sodium_bin2hex(out, HEX, h->bytes, sizeof h->bytes);
}

/* The next line that begins with this word and hash, without them; false: there is none. */
static bool notes_next(const notes *n, const char *word, const tacit_hash *of,
                       char rest[LINE_BYTES])
{
    char start[LINE_BYTES], hex[HEX], line[LINE_BYTES];
    hex_of(hex, of);
    size_t length = (size_t)snprintf(start, sizeof start, "%s %s ", word, hex);
    while (fgets(line, sizeof line, n->file))
        if (strncmp(line, start, length) == 0) {
            snprintf(rest, LINE_BYTES, "%.*s", (int)strcspn(line + length, "\n"), line + length);
            return true;
        }
    return false;
}

static tacit_status notes_add(notes *n, const char *word, const tacit_hash *of, const char *rest,
                              tacit_error *err)
{
    char hex[HEX];
    hex_of(hex, of);
    fseek(n->file, 0, SEEK_END);
    if (fprintf(n->file, "%s %s %s\n", word, hex, rest) < 0 || fflush(n->file) != 0 ||
        fdatasync(fileno(n->file)) != 0)
        return tc_fail(err, TACIT_E_IO, "what is known of the user's ledgers cannot be written: %s",
                       strerror(errno));
    return TACIT_OK;
}

/* ---- a storage by hand ---- */

static bool same_storage(const char *a, const char *b)
{
    tacit_hash x = tc_user_storage_hash(a), y = tc_user_storage_hash(b);
    return tc_ledger_hash_same(&x, &y);
}

/* Warns once; every time, if that cannot be stored. */
static void warn_once(const tc_user_ledger_place *p)
{
    tacit_hash storage = tc_user_storage_hash(p->given);
    notes n = {0};
    tacit_error none;
    char own[PATH_MAX], rest[LINE_BYTES];
    if (!p->note.tell || (tc_user_ledger_exists(own) && same_storage(own, p->given)))
        return;
    bool remembers = notes_open(&n, &none) == TACIT_OK;
    bool known = remembers && notes_next(&n, "warned", &storage, rest);
    if (!known)
        tc_user_notify(
            &p->note,
            "tacit: warning: the ledger of replies is in a storage that was given by hand. "
            "Whoever can put back an old copy of it gets a second reply about the same reward, "
            "and the user's own ledger does not know what is spent there");
    if (!known && remembers)
        (void)notes_add(&n, "warned", &storage, "of", &none);
    notes_close(&n);
}

/* ---- what was replied before ---- */

typedef struct older {
    tacit_hash id; /* of this storage, ledger and user */
    tc_user_ledger from;
} older;

static tacit_hash hash_words(const tacit_hash *first, const char *name, const char *user)
{
    char hex[HEX], text[HEX + 2 * TC_LEDGER_MAX_NAME + 8];
    hex_of(hex, first);
    snprintf(text, sizeof text, "%s/%.*s/%.*s", hex, TC_LEDGER_MAX_NAME, name, TC_LEDGER_MAX_NAME,
             user);
    return tc_ledger_study_hash(text);
}

/* Is it charged to this user? What is charged to everybody is the user's, too. */
static bool concerns(const tc_ledger_entry *e, const char *user)
{
    bool everybody = !*e->subject && e->unit != TACIT_UNIT_ROW;
    return everybody || (e->unit == TACIT_UNIT_USER && strcmp(e->subject, user) == 0);
}

static bool costs_nothing(const tc_ledger_entry *e)
{
    return e->event.count == 0 && e->rows == 0 && e->is_private;
}

/* Replies are charged to one user by name. Anything else in such a ledger is not ours to copy. */
static tacit_status check_entry(const tc_ledger_entry *e, const tc_user_ledger_place *p,
                                tacit_error *err)
{
    if (*e->subject || costs_nothing(e))
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_STATE,
        "ledger \"%.60s\" of the study's storage, or of TACIT_STORAGE or ./tacit.db, has "
        "a release that is charged to everybody (entry %" PRIu64
        "), which cannot be taken along to the user's own ledger: name that storage by "
        "hand to go on with it",
        p->name, e->seq);
}

/* How an entry is written down: its number, and the head of the chain after it. */
static void entry_text(const older *o, uint64_t seq, char out[LINE_BYTES])
{
    char hex[HEX];
    tacit_head head;
    (void)tc_ledger_get(o->from.ledger, seq, &head);
    hex_of(hex, &head.hash);
    snprintf(out, LINE_BYTES, "%" PRIu64 " %s", seq, hex);
}

/* The last entry that was taken along; what was before it was, too, or is not the user's. 0: none was. */
static uint64_t last_taken(const notes *n, const older *o)
{
    char rest[LINE_BYTES], now[LINE_BYTES];
    uint64_t last = 0, entries = tc_ledger_get_head(o->from.ledger).seq;
    rewind(n->file);
    while (notes_next(n, "taken", &o->id, rest)) {
        uint64_t seq = strtoull(rest, NULL, 10);
        if (seq <= last || seq > entries)
            continue;
        entry_text(o, seq, now);
        last = strcmp(rest, now) == 0 ? seq : last;
    }
    return last;
}

static tacit_status take_entry(tc_ledger *to, const older *o, uint64_t seq, notes *n,
                               tacit_error *err)
{
    char text[LINE_BYTES];
    entry_text(o, seq, text);
    tacit_hash otherwise = hash_words(&o->id, "taken along", text);
    TC_TRY(tc_ledger_adopt(to, o->from.ledger, seq, &otherwise, err));
    return notes_add(n, "taken", &o->id, text, err);
}

static tacit_status take_entries(tc_ledger *to, const older *o, notes *n,
                                 const tc_user_ledger_place *p, tacit_error *err)
{
    uint64_t taken = 0, entries = tc_ledger_get_head(o->from.ledger).seq;
    for (uint64_t seq = last_taken(n, o) + 1; seq <= entries; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(o->from.ledger, seq, NULL);
        if (!concerns(e, p->user))
            continue;
        TC_TRY(check_entry(e, p, err));
        if (!*e->subject)
            continue;
        taken += e->event.count > 0;
        TC_TRY(take_entry(to, o, seq, n, err));
    }
    if (taken > 0)
        tc_user_notify(&p->note,
                       "%" PRIu64
                       " repl%s that user \"%.60s\" has given through a ledger of an earlier "
                       "version now count%s in the user's own ledger",
                       taken, taken == 1 ? "y" : "ies", p->user, taken == 1 ? "s" : "");
    return TACIT_OK;
}

/* what: "storage" or "study". */
static bool is_closed(const notes *n, const char *what, const tacit_hash *id)
{
    char rest[LINE_BYTES];
    rewind(n->file);
    while (notes_next(n, "closed", id, rest))
        if (strcmp(rest, what) == 0)
            return true;
    return false;
}

/* Takes along what this storage has, once: afterwards it is closed, also if there was nothing. */
static tacit_status take_from(tc_ledger *to, const char *storage, notes *n,
                              const tc_user_ledger_place *p, tacit_error *err)
{
    older o = {0};
    tacit_error why = {0};
    tacit_hash where = tc_user_storage_hash(storage);
    o.id = hash_words(&where, p->name, p->user);
    if (is_closed(n, "storage", &o.id))
        return TACIT_OK;
    tacit_status status = tc_user_ledger_open_in(&o.from, storage, p->name, false, &why);
    if (status == TACIT_OK)
        status = take_entries(to, &o, n, p, &why);
    tc_user_ledger_close(&o.from);
    if (status == TACIT_OK || status == TACIT_E_NOT_FOUND)
        return notes_add(n, "closed", &o.id, "storage", err);
    return tc_fail(err, status, "what user \"%.60s\" has replied before cannot be read: %s",
                   p->user, why.msg);
}

/* Where earlier versions kept the ledger: beside the study, in TACIT_STORAGE, in the folder of the command. */
static tacit_status take_all(tc_ledger *to, const char *own, notes *n,
                             const tc_user_ledger_place *p, tacit_error *err)
{
    const char *places[] = {p->storage, secure_getenv("TACIT_STORAGE"), DEFAULT_STORAGE};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *at = places[i];
        if (at && *at && strncmp(at, "memory:", 7) != 0 && !same_storage(at, own))
            TC_TRY(take_from(to, at, n, p, err));
    }
    return TACIT_OK;
}

/* Before the user's first reply in a study, and never after. */
static tacit_status take_along(tc_ledger *to, const char *own, const tc_user_ledger_place *p,
                               tacit_error *err)
{
    notes n = {0};
    tacit_hash study = hash_words(&p->study, p->name, p->user);
    tacit_status status = notes_open(&n, err);
    if (status == TACIT_OK && !is_closed(&n, "study", &study)) {
        status = take_all(to, own, &n, p, err);
        if (status == TACIT_OK)
            status = notes_add(&n, "closed", &study, "study", err);
    }
    notes_close(&n);
    return status;
}

tacit_status tc_user_ledger_open(tc_user_ledger *l, const tc_user_ledger_place *p, tacit_error *err)
{
    char own[PATH_MAX];
    if (p->given) {
        TC_TRY(tc_user_ledger_open_in(l, p->given, p->name, true, err));
        warn_once(p);
        return TACIT_OK;
    }
    TC_TRY(tc_user_ledger_url(own, err));
    TC_TRY(tc_user_ledger_open_in(l, own, p->name, true, err));
    return take_along(l->ledger, own, p, err);
}
