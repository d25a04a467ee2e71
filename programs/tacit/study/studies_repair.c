/* studies_repair.c - `tacit studies --repair`: mends a study, says what was lost, keeps what was there. */
#include "study/studies_repair.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct desk {
    const char *file; /* for the journal as it was */
    bool chosen;      /* by the user */
    tc_text lines;    /* of that file */
    char name[300];   /* which it got */
} desk;

/* One event as a line of JSON. A body that is not UTF-8 is no text of JSON: then its bytes, in hexadecimal. */
static json_t *event_line(const tc_event_row *e, bool whole)
{
    json_t *body = json_string(e->body);
    tc_text hex = {0};
    for (const char *p = e->body; !body && *p; p++)
        tc_text_addf(&hex, "%02x", (unsigned)(unsigned char)*p);
    const char *key = body ? "body" : "body_hex";
    if (!body)
        body = json_string(tc_text_get(&hex));
    tc_text_fini(&hex);
    return json_pack("{s:I, s:i, s:s, s:I, s:I, s:b, s:o}", "event", (json_int_t)e->seq, "kind",
                     (int)e->kind, "name", tc_event_kind_name(e->kind), "trial",
                     (json_int_t)e->trial, "time_ms", (json_int_t)e->time_ms, "whole", (int)whole,
                     key, body);
}

static tacit_status keep(void *user, const tc_event_row *e, bool whole, tacit_error *err)
{
    desk *d = user;
    json_t *j = event_line(e, whole);
    char *text = tc_json_text(j);
    json_decref(j);
    if (text) {
        tc_text_add(&d->lines, text);
        tc_text_add(&d->lines, "\n");
    }
    bool written = text && !d->lines.failed;
    tc_free(text);
    return written ? TACIT_OK : tc_fail_memory(err);
}

/* A new file, for its owner alone; under the next free name where the user has chosen none. */
static int make_file(desk *d)
{
    int fd = -1;
    for (int i = 1; fd < 0 && i < 1000; i++) {
        snprintf(d->name, sizeof d->name, i > 1 ? "%.270s.%d" : "%.270s", d->file, i);
        fd = open(d->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (fd < 0 && (d->chosen || errno != EEXIST))
            break;
    }
    return fd;
}

static tacit_status kept(void *user, tacit_error *err)
{
    desk *d = user;
    int fd = make_file(d);
    bool written = fd >= 0 && tc_file_append(fd, tc_text_get(&d->lines), d->lines.len);
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (!written)
        return tc_fail(
            err, TACIT_E_IO,
            "%s cannot be written: %s; nothing was changed, name another file with --keep", d->name,
            strerror(why));
    tc_file_sync_name(d->name);
    printf("kept: the damaged journal as it was, %s\n", d->name);
    return TACIT_OK;
}

static tacit_status say(void *user, const char *line, tacit_error *err)
{
    (void)user;
    (void)err;
    printf("%s\n", line);
    return TACIT_OK;
}

static tacit_status repair(const char *url, const char *name, desk *d, tacit_error *err)
{
    const tc_repair_desk desk_of = {.user = d, .keep = keep, .kept = kept, .say = say};
    tc_repair_result result;
    tc_store *store = NULL;
    TC_TRY(tc_store_mend(url, say, NULL, err));
    TC_TRY(tc_store_open(&store, url, false, err));
    tacit_status st = tc_study_repair(store, name, &desk_of, &result, err);
    tc_store_close(store);
    TC_TRY(st);
    if (result.damaged)
        printf("study %s is mended: %" PRIu64 " events kept, %" PRIu64 " lost\n", name, result.kept,
               result.lost);
    else
        printf("study %s is whole: there is nothing to repair\n", name);
    return TACIT_OK;
}

tacit_status tc_studies_repair(const char *url, const char *name, const char *keep_file,
                               tacit_error *err)
{
    tc_text file = {0};
    tc_text_addf(&file, "%s-damaged.jsonl", name);
    desk d = {.file = keep_file ? keep_file : tc_text_get(&file), .chosen = keep_file != NULL};
    tacit_status st = file.failed ? tc_fail_memory(err)
                      : strlen(d.file) > 270
                          ? tc_fail(err, TACIT_E_ARG, "--keep must have at most 270 bytes, got %zu",
                                    strlen(d.file))
                          : repair(url, name, &d, err);
    tc_text_fini(&d.lines);
    tc_text_fini(&file);
    return st;
}
