/* journal.c - a file that grows by whole lines of JSON. See journal.h. */
#include "papers/frame/journal.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "papers/data/dataset.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define MOST_FILE ((size_t)1 << 32)
#define CHECK     ",\"check\":\""

enum { CHECK_DIGITS = 16, KEY_DIGITS = 8 };

struct tc_journal {
    pthread_mutex_t lock; /* of what follows */
    int fd;
    bool failed; /* an append did: the file may end with half a line */
    char *path;
    const tc_experiment *experiment;
    tc_text header;
};

typedef struct reading {
    const tc_journal *j;
    tc_journal_restore restore;
    void *user;
    double *values; /* of a cell */
} reading;

static tacit_status fail_io(const char *verb, const char *path, tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "cannot %s \"%s\": %s", verb, path, strerror(errno));
}

/* ---- lines */

static void make_header(tc_text *t, const tc_experiment *e, const char *identity)
{
    char digest[TC_DIGEST + 1];
    tc_digest(identity, strlen(identity), digest);
    tc_text_addf(t, "{\"experiment\":\"%s\",\"identity\":\"%s\"}\n", e->name, digest);
}

/* Of what an arm runs. Of an arm that has changed since, a run is none. */
static void arm_key(const tc_arm *arm, char out[KEY_DIGITS + 1])
{
    char digest[TC_DIGEST + 1], numbers[64];
    tc_text text = {0};
    snprintf(numbers, sizeof numbers, "%.17g %.17g", arm->epsilon, arm->delta);
    tc_text_add(&text, arm->algorithm ? arm->algorithm : "");
    tc_text_addf(&text, "\n%s\n%s", arm->options ? arm->options : "", numbers);
    tc_digest(tc_text_get(&text), text.len, digest);
    tc_text_fini(&text);
    memcpy(out, digest, KEY_DIGITS);
    out[KEY_DIGITS] = '\0';
}

static void make_line(tc_text *t, const tc_arm *arm, uint64_t run, const double *values, size_t n,
                      double seconds)
{
    char digest[TC_DIGEST + 1], key[KEY_DIGITS + 1];
    arm_key(arm, key);
    tc_text_addf(t,
                 "{\"run\":%" PRIu64 ",\"arm\":\"%s\",\"key\":\"%s\",\"seconds\":%.3f,\"values\":[",
                 run, arm->name, key, seconds);
    for (size_t i = 0; i < n; i++) {
        tc_text_add(t, i ? "," : "");
        if (isfinite(values[i]))
            tc_text_add_double(t, values[i]);
        else
            tc_text_add(t, "null");
    }
    tc_text_add(t, "]");
    tc_digest(tc_text_get(t), t->len, digest);
    tc_text_addf(t, CHECK "%.*s\"}\n", CHECK_DIGITS, digest);
}

/* Does the line, without its end, have the check that it says? */
static bool is_whole(const char *line, size_t len)
{
    size_t tail = strlen(CHECK) + CHECK_DIGITS + strlen("\"}");
    char digest[TC_DIGEST + 1];
    if (len <= tail || memcmp(line + len - tail, CHECK, strlen(CHECK)) != 0)
        return false;
    tc_digest(line, len - tail, digest);
    return memcmp(line + len - tail + strlen(CHECK), digest, CHECK_DIGITS) == 0;
}

static bool take_values(const json_t *list, size_t n, double *out)
{
    if (!json_is_array(list) || json_array_size(list) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_number(v) && !json_is_null(v))
            return false;
        out[i] = json_is_null(v) ? NAN : json_number_value(v);
    }
    return true;
}

static tacit_status take_cell(reading *r, const json_t *o, tacit_error *err)
{
    const tc_experiment *e = r->j->experiment;
    const char *name, *key;
    char present[KEY_DIGITS + 1];
    double seconds = 0;
    int64_t run = -1;
    TC_TRY(tc_json_string(o, "", "arm", &name, err));
    TC_TRY(tc_json_string(o, "", "key", &key, err));
    TC_TRY(tc_json_number(o, "", "seconds", &seconds, err));
    TC_TRY(tc_json_int_or(o, "", "run", 0, INT64_MAX, &run, err));
    const tc_arm *arm = tc_arm_find(e, name);
    if (run < 0 || !take_values(json_object_get(o, "values"), e->x.n, r->values))
        return tc_fail(err, TACIT_E_CORRUPT, "it is not a run of %s", e->name);
    if (!arm)
        return TACIT_OK;
    arm_key(arm, present);
    if (strcmp(key, present) != 0)
        return TACIT_OK;
    return r->restore(r->user, (size_t)(arm - e->arms), (uint64_t)run, r->values, seconds, err);
}

static tacit_status take_line(reading *r, const char *line, size_t len, size_t number,
                              tacit_error *err)
{
    json_t *o = NULL;
    tacit_error why = {0};
    if (!is_whole(line, len))
        return tc_fail(err, TACIT_E_CORRUPT, "line %zu of \"%s\" is damaged", number, r->j->path);
    tacit_status status = tc_json_parse(line, len, "a run", &o, &why);
    if (status == TACIT_OK)
        status = take_cell(r, o, &why);
    json_decref(o);
    if (status == TACIT_OK)
        return status;
    if (status != TACIT_E_MEMORY)
        status = TACIT_E_CORRUPT;
    return tc_fail(err, status, "line %zu of \"%s\": %.300s", number, r->j->path, why.msg);
}

/* All whole lines behind the header; *end is where the last of them ends. */
static tacit_status take_lines(reading *r, const char *text, size_t len, size_t *end,
                               tacit_error *err)
{
    size_t at = r->j->header.len;
    for (size_t number = 2;; number++) {
        const char *stop = at < len ? memchr(text + at, '\n', len - at) : NULL;
        if (!stop)
            break;
        size_t size = (size_t)(stop - text) - at;
        TC_TRY(take_line(r, text + at, size, number, err));
        at += size + 1;
    }
    *end = at;
    return TACIT_OK;
}

/* ---- opening */

static tacit_status append(tc_journal *j, const char *text, size_t len, tacit_error *err)
{
    return tc_file_append(j->fd, text, len) ? TACIT_OK : fail_io("write", j->path, err);
}

static tacit_status open_file(tc_journal *j, tacit_error *err)
{
    j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->fd < 0)
        return fail_io("open", j->path, err);
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK
                   ? tc_fail(err, TACIT_E_BUSY, "another process works with \"%s\"", j->path)
                   : fail_io("lock", j->path, err);
    return TACIT_OK;
}

/* Runs of other settings are kept beside, and an empty file takes their place. */
static tacit_status put_aside(tc_journal *j, tacit_error *err)
{
    tc_text old = {0};
    tc_text_addf(&old, "%s.old", j->path);
    tacit_status status = old.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK && rename(j->path, tc_text_get(&old)) != 0)
        status = fail_io("rename", j->path, err);
    tc_text_fini(&old);
    TC_TRY(status);
    close(j->fd);
    j->fd = -1;
    return open_file(j, err);
}

static tacit_status cut(tc_journal *j, size_t end, tacit_error *err)
{
    if (ftruncate(j->fd, (off_t)end) != 0 || lseek(j->fd, (off_t)end, SEEK_SET) < 0)
        return fail_io("write", j->path, err);
    return TACIT_OK;
}

static tacit_status resume(tc_journal *j, reading *r, const char *text, size_t len, bool *anew,
                           tacit_error *err)
{
    size_t end, head = j->header.len;
    const char *header = tc_text_get(&j->header);
    if (len >= head && memcmp(text, header, head) == 0) {
        TC_TRY(take_lines(r, text, len, &end, err));
        return cut(j, end, err);
    }
    *anew = len > 0 && memcmp(text, header, len < head ? len : head) != 0;
    if (*anew)
        TC_TRY(put_aside(j, err));
    TC_TRY(cut(j, 0, err));
    return append(j, header, head, err);
}

static tacit_status build(tc_journal *j, reading *r, bool *anew, tacit_error *err)
{
    char *text = NULL;
    size_t len;
    TC_TRY(open_file(j, err));
    TC_TRY(tc_file_read(j->path, MOST_FILE, &text, &len, err));
    tacit_status status = resume(j, r, text, len, anew, err);
    tc_free(text);
    return status;
}

tacit_status tc_journal_open(tc_journal **out, const char *path, const tc_experiment *e,
                             const char *identity, tc_journal_restore restore, void *user,
                             bool *anew, tacit_error *err)
{
    tc_journal *j = tc_alloc(1, sizeof *j);
    if (!j)
        return tc_fail_memory(err);
    *j = (tc_journal){.fd = -1, .path = tc_strdup(path), .experiment = e};
    pthread_mutex_init(&j->lock, NULL);
    make_header(&j->header, e, identity);
    reading r = {j, restore, user, tc_alloc(e->x.n, sizeof(double))};
    bool aside = false;
    tacit_status status =
        !j->path || j->header.failed || !r.values ? tc_fail_memory(err) : build(j, &r, &aside, err);
    tc_free(r.values);
    if (status != TACIT_OK) {
        tc_journal_close(j);
        return status;
    }
    *anew = aside;
    *out = j;
    return TACIT_OK;
}

/* ---- adding */

static tacit_status add_locked(tc_journal *j, const tc_text *line, tacit_error *err)
{
    if (j->failed)
        return tc_fail(err, TACIT_E_IO, "an earlier write to \"%s\" failed", j->path);
    tacit_status status = append(j, tc_text_get(line), line->len, err);
    j->failed = status != TACIT_OK;
    return status;
}

tacit_status tc_journal_add(tc_journal *j, size_t arm, uint64_t run, const double *values,
                            double seconds, tacit_error *err)
{
    tc_text line = {0};
    make_line(&line, &j->experiment->arms[arm], run, values, j->experiment->x.n, seconds);
    tacit_status status = line.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK) {
        pthread_mutex_lock(&j->lock);
        status = add_locked(j, &line, err);
        pthread_mutex_unlock(&j->lock);
    }
    tc_text_fini(&line);
    return status;
}

void tc_journal_close(tc_journal *j)
{
    if (!j)
        return;
    if (j->fd >= 0)
        close(j->fd);
    pthread_mutex_destroy(&j->lock);
    tc_text_fini(&j->header);
    tc_free(j->path);
    tc_free(j);
}
