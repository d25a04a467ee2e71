/* carry_file.c - the files of carry.h: read, written, and one request as JSON. */
#include "federation/carry.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

tacit_status tc_carried_folder(const char *option, const char *folder, tacit_error *err)
{
    struct stat about;
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return tc_fail(err, TACIT_E_ARG, "%s must be a folder that is there, got \"%.200s\"",
                       option, folder);
    if (access(folder, R_OK | W_OK | X_OK) != 0)
        return tc_fail(err, TACIT_E_IO, "%s: nothing can be written in \"%.200s\"", option, folder);
    return TACIT_OK;
}

char *tc_carried_path(const char *folder, const char *name, const char *end)
{
    tc_text t = {0};
    tc_text_addf(&t, "%s/%s%s", folder, name, end);
    char *path = t.failed ? NULL : tc_strdup(tc_text_get(&t));
    tc_text_fini(&t);
    return path;
}

tacit_status tc_carried_read(const char *path, json_t **out, tacit_error *err)
{
    char *text;
    size_t n;
    json_t *j = NULL;
    TC_TRY(tc_file_read_regular(path, TC_CARRIED_MOST, &text, &n, err));
    tacit_status status = tc_json_parse(text, n, path, &j, err);
    explicit_bzero(text, n);
    tc_free(text);
    TC_TRY(status);
    const char *format = json_string_value(json_object_get(j, "format"));
    if (format && strcmp(format, TC_CARRIED_FORMAT) == 0) {
        *out = j;
        return TACIT_OK;
    }
    json_decref(j);
    return tc_fail(err, TACIT_E_ARG, "%s: format must be \"%s\"", path, TC_CARRIED_FORMAT);
}

tacit_status tc_carried_write(const char *path, json_t *j, tacit_error *err)
{
    char *text = j ? tc_json_text(j) : NULL;
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tacit_status status = tc_file_write_secret(path, text, strlen(text), err);
    explicit_bzero(text, strlen(text));
    tc_free(text);
    return status;
}

/* ---- a request ---- */

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

json_t *tc_carried_request(const tacit_request *q)
{
    json_t *body = q->body ? json_stringn(q->body, q->body_size) : json_null();
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "method", q->method, "path",
                     q->path, "query", text_or_null(q->query), "protocol",
                     text_or_null(q->protocol), "bearer", text_or_null(q->bearer), "signature",
                     text_or_null(q->signature), "idempotency", text_or_null(q->idempotency),
                     "body", body);
}

static const char *text_of(const json_t *j, const char *key, bool *odd)
{
    const json_t *v = json_object_get(j, key);
    *odd = *odd || !(json_is_string(v) || json_is_null(v));
    return json_string_value(v);
}

tacit_status tc_carried_parse(const json_t *j, tacit_request *out, tacit_error *err)
{
    static const char *const known[] = {"method",    "path",        "query", "protocol", "bearer",
                                        "signature", "idempotency", "body",  NULL};
    tacit_request q = TACIT_REQUEST;
    bool odd = false;
    TC_TRY(tc_json_only(j, "request", known, err));
    q.method = text_of(j, "method", &odd);
    q.path = text_of(j, "path", &odd);
    q.query = text_of(j, "query", &odd);
    q.protocol = text_of(j, "protocol", &odd);
    q.bearer = text_of(j, "bearer", &odd);
    q.signature = text_of(j, "signature", &odd);
    q.idempotency = text_of(j, "idempotency", &odd);
    q.body = text_of(j, "body", &odd);
    q.body_size = json_string_length(json_object_get(j, "body"));
    if (odd || !q.method || !q.path)
        return tc_fail(err, TACIT_E_ARG, "a request has a member of another kind, or no path");
    *out = q;
    return TACIT_OK;
}
