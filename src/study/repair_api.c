/* repair_api.c - tacit_storage_repair of <tacit/study.h>: mends a study, says what was lost, keeps what was there. */
#include <tacit/study.h>

#include "base/api.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static TC_SIZED(sized_opts, tacit_repair_opts, user, user);
static TC_SIZED(sized_info, tacit_repair_info, lost, lost);

typedef struct keeping {
    const tacit_repair_opts *opts;
    const char *study;
    tc_text lines; /* of the file for the journal as it was */
    tc_text file;  /* the name that it got */
} keeping;

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
    keeping *k = user;
    json_t *j = event_line(e, whole);
    char *text = tc_json_text(j);
    json_decref(j);
    if (text) {
        tc_text_add(&k->lines, text);
        tc_text_add(&k->lines, "\n");
    }
    bool written = text && !k->lines.failed;
    tc_free(text);
    return written ? TACIT_OK : tc_fail_memory(err);
}

/* A new file, for its owner alone; under the next free name where the caller has chosen none. */
static int make_file(keeping *k)
{
    const char *chosen = k->opts->keep;
    int fd = -1;
    for (int i = 1; fd < 0 && i < 1000; i++) {
        tc_text_fini(&k->file);
        if (chosen)
            tc_text_add(&k->file, chosen);
        else
            tc_text_addf(&k->file, i > 1 ? "%s-damaged.jsonl.%d" : "%s-damaged.jsonl", k->study, i);
        errno = ENOMEM;
        if (!k->file.failed)
            fd = open(tc_text_get(&k->file), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      S_IRUSR | S_IWUSR);
        if (fd < 0 && (chosen || errno != EEXIST))
            break;
    }
    return fd;
}

static tacit_status say(void *user, const char *line, tacit_error *err)
{
    const keeping *k = user;
    (void)err;
    if (k->opts->say)
        k->opts->say(k->opts->user, line);
    return TACIT_OK;
}

static tacit_status kept(void *user, tacit_error *err)
{
    keeping *k = user;
    tc_text line = {0};
    int fd = make_file(k);
    bool written = fd >= 0 && tc_file_append(fd, tc_text_get(&k->lines), k->lines.len);
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (!written)
        return tc_fail(err, TACIT_E_IO,
                       "%s cannot be written: %s; nothing was changed, name another file to keep "
                       "the damaged journal in",
                       tc_text_get(&k->file), strerror(why));
    tc_file_sync_name(tc_text_get(&k->file));
    tc_text_addf(&line, "kept: the damaged journal as it was, %s", tc_text_get(&k->file));
    tacit_status status = line.failed ? tc_fail_memory(err) : say(k, tc_text_get(&line), err);
    tc_text_fini(&line);
    return status;
}

static tacit_status repair(const char *url, keeping *k, tacit_repair_info *out, tacit_error *err)
{
    const tc_repair_io io = {.user = k, .keep = keep, .kept = kept, .say = say};
    tc_store *store = NULL;
    TC_TRY(tc_store_mend(url, say, k, err));
    TC_TRY(tc_store_open(&store, url, false, err));
    tacit_status status = tc_study_repair(store, k->study, &io, out, err);
    tc_store_close(store);
    return status;
}

tacit_status tacit_storage_repair(const char *storage, const char *name,
                                  const tacit_repair_opts *opts, tacit_repair_info *info,
                                  tacit_error *err)
{
    tacit_repair_opts full = TACIT_REPAIR_OPTS;
    tacit_error unwanted;
    tacit_repair_info done;
    TC_GIVEN(storage);
    TC_GIVEN(name);
    if (opts)
        TC_TRY(tc_sized_take(&sized_opts, &full, opts, "opts", err));
    if (info) /* before anything is changed */
        TC_TRY(tc_sized_check(&sized_info, info, "info", err));
    keeping k = {.opts = &full, .study = name};
    tacit_status status = repair(storage, &k, &done, err ? err : &unwanted);
    tc_text_fini(&k.lines);
    tc_text_fini(&k.file);
    if (status == TACIT_OK && info)
        tc_sized_give(&sized_info, info, &done);
    return status;
}
