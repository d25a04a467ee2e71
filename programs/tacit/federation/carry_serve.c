/* carry_serve.c - bundles of agents without a network, answered by a coordinator (carry.h).
 *
 * Requests of a bundle are answered in their order, and one that must wait for a round holds up those after it. How far a
 * bundle is, is known to this process alone: another one begins again, and what it asks twice is answered as it was.
 *
 * A bundle that was answered is removed: it has a token, and a message that the storage erases when its round is closed. */
#include "federation/carry.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An agent's has four at most. Anybody may have written one, and its answers are in memory until it is whole. */
enum { REQUESTS_MOST = 16 };

/* One that is under way, or was found to be none. */
typedef struct bundle {
    char name[256]; /* without its end */
    bool odd, said; /* said: that there was a failure */
    off_t size;     /* of the file that was looked at, */
    time_t changed;
    json_t *asked, *answers;
    size_t n_bytes; /* of the answers */
    struct bundle *next;
} bundle;

struct tc_carrier {
    char *folder;
    bundle *first;
};

static void bundle_free(bundle *b)
{
    json_decref(b->asked);
    json_decref(b->answers);
    tc_free(b);
}

void tc_carrier_close(tc_carrier *c)
{
    if (!c)
        return;
    for (bundle *b = c->first, *next; b; b = next) {
        next = b->next;
        bundle_free(b);
    }
    tc_free(c->folder);
    tc_free(c);
}

tacit_status tc_carrier_open(tc_carrier **out, const char *folder, tacit_error *err)
{
    TC_TRY(tc_carried_folder("--carry", folder, err));
    tc_carrier *c = tc_alloc(1, sizeof *c);
    if (c)
        c->folder = tc_strdup(folder);
    if (!c || !c->folder) {
        tc_carrier_close(c);
        return tc_fail_memory(err);
    }
    *out = c;
    return TACIT_OK;
}

static bundle *find(const tc_carrier *c, const char *name)
{
    bundle *b = c->first;
    while (b && strcmp(b->name, name) != 0)
        b = b->next;
    return b;
}

static void forget(tc_carrier *c, const bundle *b)
{
    for (bundle **at = &c->first; *at; at = &(*at)->next)
        if (*at == b) {
            bundle *gone = *at;
            *at = gone->next;
            bundle_free(gone);
            return;
        }
}

/* ---- one bundle ---- */

static tacit_status begin(bundle *b, const char *path, tacit_error *err)
{
    TC_TRY(tc_carried_read(path, &b->asked, err));
    b->answers = json_array();
    if (!b->answers)
        return tc_fail_memory(err);
    if (!json_is_string(json_object_get(b->asked, "word")) ||
        !json_is_array(json_object_get(b->asked, "requests")))
        return tc_fail(err, TACIT_E_ARG, "%s: a bundle has a word and requests", path);
    if (json_array_size(json_object_get(b->asked, "requests")) > REQUESTS_MOST)
        return tc_fail(err, TACIT_E_ARG, "%s: a bundle has at most %d requests", path,
                       REQUESTS_MOST);
    return TACIT_OK;
}

/* Too busy, or a round that is not over: later. */
static bool is_early(const tacit_response *r)
{
    int status = tacit_response_status(r);
    return tacit_response_waits(r) || status == 429 || status >= 500;
}

/* *end: nothing more of this bundle can be answered now, or at all. */
static tacit_status answer_one(bundle *b, const json_t *asked, tacit_coordinator *coordinator,
                               bool *early, int *http, tacit_error *err)
{
    tacit_request q;
    tacit_response *r;
    TC_TRY(tc_carried_parse(asked, &q, err));
    TC_TRY(tacit_coordinator_handle(coordinator, &q, &r, err));
    *http = tacit_response_status(r);
    *early = is_early(r);
    json_t *one = *early ? NULL
                         : json_pack("{s:i, s:s%}", "status", *http, "body", tacit_response_body(r),
                                     tacit_response_size(r));
    b->n_bytes += *early ? 0 : tacit_response_size(r);
    tacit_response_free(r);
    if (*early)
        return TACIT_OK;
    if (b->n_bytes > TC_CARRIED_MOST) {
        json_decref(one);
        return tc_fail(err, TACIT_E_ARG, "the answers are larger than %d MiB",
                       TC_CARRIED_MOST >> 20);
    }
    return json_array_append_new(b->answers, one) == 0 ? TACIT_OK : tc_fail_memory(err);
}

/* After a request that is refused the others are of no use: they were asked in the hope that it is not. */
static tacit_status answer(bundle *b, tacit_coordinator *coordinator, bool *whole, tacit_error *err)
{
    const json_t *all = json_object_get(b->asked, "requests");
    bool early = false;
    int http = 200;
    while (!early && http < 400 && json_array_size(b->answers) < json_array_size(all))
        TC_TRY(answer_one(b, json_array_get(all, json_array_size(b->answers)), coordinator, &early,
                          &http, err));
    *whole = !early;
    return TACIT_OK;
}

static tacit_status work_on(tc_carrier *c, bundle *b, tacit_coordinator *coordinator,
                            const char *from, const char *to, tacit_error *err)
{
    bool whole = false;
    TC_TRY(answer(b, coordinator, &whole, err));
    if (!whole)
        return TACIT_OK;
    TC_TRY(tc_carried_write(to,
                            json_pack("{s:s, s:O, s:O}", "format", TC_CARRIED_FORMAT, "word",
                                      json_object_get(b->asked, "word"), "answers", b->answers),
                            err));
    (void)unlink(from); /* else the next call does it */
    forget(c, b);
    return TACIT_OK;
}

/* NULL: no memory. */
static bundle *add(tc_carrier *c, const char *name)
{
    bundle *b = tc_alloc(1, sizeof *b);
    if (!b)
        return NULL;
    snprintf(b->name, sizeof b->name, "%s", name);
    b->next = c->first;
    c->first = b;
    return b;
}

/* It begins again with the next call, unless it is no bundle: then only its name stays. A failure is said once. */
static tacit_status give_up(bundle *b, tacit_status status)
{
    bool again = b->said;
    json_decref(b->asked);
    json_decref(b->answers);
    b->asked = b->answers = NULL;
    b->n_bytes = 0;
    b->odd = status == TACIT_E_ARG || status == TACIT_E_UNSUPPORTED;
    b->said = true;
    return again && !b->odd ? TACIT_OK : status;
}

/* What is no bundle may be one that is still being copied: it is looked at again when the file is another one. */
static tacit_status take(tc_carrier *c, const char *name, tacit_coordinator *coordinator,
                         const char *from, const char *to, tacit_error *err)
{
    struct stat now;
    bundle *b = find(c, name);
    if (stat(from, &now) != 0)
        return TACIT_OK;
    if (b && b->odd && b->size == now.st_size && b->changed == now.st_mtime)
        return TACIT_OK;
    if (b && b->odd) {
        forget(c, b);
        b = NULL;
    }
    if (!b && !(b = add(c, name)))
        return tc_fail_memory(err);
    b->size = now.st_size;
    b->changed = now.st_mtime;
    tacit_status status = b->asked ? TACIT_OK : begin(b, from, err);
    if (status == TACIT_OK)
        status = work_on(c, b, coordinator, from, to, err);
    return status == TACIT_OK ? status : give_up(b, status);
}

static void look_at(tc_carrier *c, const char *file, tacit_coordinator *coordinator)
{
    char name[256];
    tacit_error why = {0};
    size_t n = strlen(file), end = sizeof TC_CARRIED_ASKED - 1;
    if (n <= end || n >= sizeof name || *file == '.' ||
        strcmp(file + n - end, TC_CARRIED_ASKED) != 0)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(n - end), file);
    char *from = tc_carried_path(c->folder, name, TC_CARRIED_ASKED);
    char *to = tc_carried_path(c->folder, name, TC_CARRIED_SAID);
    if (from && to && access(to, F_OK) == 0)
        (void)unlink(from); /* it was answered */
    else if (from && to && take(c, name, coordinator, from, to, &why) != TACIT_OK)
        tc_log(TC_LOG_WARN, "--carry: %s: %s", name, why.msg);
    tc_free(from);
    tc_free(to);
}

/* Somebody has taken its file away. */
static void forget_gone(tc_carrier *c)
{
    for (bundle *b = c->first, *next; b; b = next) {
        char *from = tc_carried_path(c->folder, b->name, TC_CARRIED_ASKED);
        next = b->next;
        if (from && access(from, F_OK) != 0)
            forget(c, b);
        tc_free(from);
    }
}

void tc_carrier_work(tc_carrier *c, tacit_coordinator *coordinator)
{
    DIR *d = opendir(c->folder);
    for (const struct dirent *e; d && (e = readdir(d));)
        look_at(c, e->d_name, coordinator);
    if (d) {
        closedir(d);
        forget_gone(c);
    }
}
