/* dataset.c - files of data sets, plain or packed, and the cache of grids. See dataset.h. */
#include "papers/data/dataset.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define CHUNK ((size_t)1 << 16)

void tc_digest(const void *text, size_t len, char out[TC_DIGEST + 1])
{
    uint8_t hash[TC_DIGEST / 2];
    (void)crypto_generichash(hash, sizeof hash, text, len, NULL, 0);
    sodium_bin2hex(out, TC_DIGEST + 1, hash, sizeof hash);
}

/* ---- files */

/* The path of the file, or of the packed one; E_NOT_FOUND: neither is there. */
static tacit_status find(const char *data, const char *folder, const char *file, char **out,
                         tacit_error *err)
{
    static const char *const ends[] = {"", ".gz"};
    for (size_t i = 0; i < 2; i++) {
        tc_text path = {0};
        tc_text_addf(&path, "%s/%s/%s%s", data, folder, file, ends[i]);
        if (path.failed) {
            tc_text_fini(&path);
            return tc_fail_memory(err);
        }
        if (access(tc_text_get(&path), R_OK) == 0) {
            *out = tc_text_take(&path);
            return TACIT_OK;
        }
        tc_text_fini(&path);
    }
    return tc_fail(err, TACIT_E_NOT_FOUND, "there is no %s/%s/%s", data, folder, file);
}

static tacit_status unpack(gzFile f, const char *path, tc_text *out, tacit_error *err)
{
    char *chunk = tc_alloc(CHUNK, 1);
    if (!chunk)
        return tc_fail_memory(err);
    int n;
    while ((n = gzread(f, chunk, (unsigned)CHUNK)) > 0)
        tc_text_add_bytes(out, chunk, (size_t)n);
    tc_free(chunk);
    if (n < 0)
        return tc_fail(err, TACIT_E_IO, "cannot read \"%s\": it is damaged", path);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status read_path(const char *path, char **text, size_t *len, tacit_error *err)
{
    tc_text out = {0};
    gzFile f = gzopen(path, "rb"); /* also reads what is not packed */
    if (!f)
        return tc_fail(err, TACIT_E_IO, "cannot read \"%s\": %s", path, strerror(errno));
    tacit_status status = unpack(f, path, &out, err);
    if (gzclose(f) != Z_OK && status == TACIT_OK) /* it ends in the middle */
        status = tc_fail(err, TACIT_E_IO, "cannot read \"%s\": it is damaged", path);
    size_t size = out.len;
    if (status == TACIT_OK) {
        tc_text_add(&out, "");
        *text = tc_text_take(&out);
        *len = size;
        return *text ? TACIT_OK : tc_fail_memory(err);
    }
    tc_text_fini(&out);
    return status;
}

tacit_status tc_dataset_read(const char *data, const char *folder, const char *file, char **text,
                             size_t *len, tacit_error *err)
{
    char *path;
    TC_TRY(find(data, folder, file, &path, err));
    tacit_status status = read_path(path, text, len, err);
    tc_free(path);
    return status;
}

tacit_status tc_dataset_check(const tc_experiment *e, const char *data, tacit_error *err)
{
    for (size_t i = 0; e->data && e->files[i]; i++) {
        char *path;
        if (!data)
            return tc_fail(err, TACIT_E_NOT_FOUND,
                           "%s needs %s/%s: name the folder of data sets with --data or "
                           "TACIT_DATA",
                           e->name, e->data, e->files[i]);
        tacit_status status = find(data, e->data, e->files[i], &path, err);
        if (status == TACIT_E_NOT_FOUND)
            return tc_fail(err, status, "%s needs %s/%s, which is not in %s", e->name, e->data,
                           e->files[i], data);
        TC_TRY(status);
        tc_free(path);
    }
    return TACIT_OK;
}

tacit_status tc_dataset_identity(const tc_experiment *e, const char *data, tc_text *out,
                                 tacit_error *err)
{
    for (size_t i = 0; e->data && e->files[i]; i++) {
        char *text, digest[TC_DIGEST + 1];
        size_t len;
        TC_TRY(tc_dataset_read(data, e->data, e->files[i], &text, &len, err));
        tc_digest(text, len, digest);
        tc_free(text);
        tc_text_addf(out, " %s %s", e->files[i], digest);
    }
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- the cache */

enum { CACHED_MOST = 1 << 28 };

/* Beside a file stands the hash of what it holds: one that was cut or changed since is made again. */
static tacit_status write_both(const char *path, const char *check, const tc_text *text,
                               tacit_error *err)
{
    char digest[TC_DIGEST + 1];
    tc_digest(tc_text_get(text), text->len, digest);
    TC_TRY(tc_file_write(path, tc_text_get(text), text->len, err));
    return tc_file_write(check, digest, TC_DIGEST, err);
}

static tacit_status make_file(const char *path, const char *check, tc_cache_make make, void *user,
                              tacit_error *err)
{
    tc_text text = {0};
    tacit_status status = make(user, &text, err);
    if (status == TACIT_OK && text.failed)
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        status = write_both(path, check, &text, err);
    tc_text_fini(&text);
    return status;
}

static bool is_whole(const char *path, const char *check)
{
    tacit_error unused;
    char *text = NULL, *said = NULL, digest[TC_DIGEST + 1];
    size_t len = 0, digits = 0;
    bool whole = tc_file_read(path, CACHED_MOST, &text, &len, &unused) == TACIT_OK &&
                 tc_file_read(check, TC_DIGEST, &said, &digits, &unused) == TACIT_OK;
    if (whole) {
        tc_digest(text, len, digest);
        whole = digits == TC_DIGEST && memcmp(said, digest, TC_DIGEST) == 0;
    }
    tc_free(text);
    tc_free(said);
    return whole;
}

static tacit_status cache_path(const tc_setup *s, const char *name, const char *key, char **path,
                               tacit_error *err)
{
    char digest[TC_DIGEST + 1];
    tc_text folder = {0}, file = {0};
    tc_digest(key, strlen(key), digest);
    tc_text_addf(&folder, "%s/cache", s->out);
    tc_text_addf(&file, "%s/%s-%.16s.csv", tc_text_get(&folder), name, digest);
    tacit_status status = folder.failed || file.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK && mkdir(tc_text_get(&folder), 0777) != 0 && errno != EEXIST)
        status = tc_fail(err, TACIT_E_IO, "cannot make the folder \"%s\": %s", tc_text_get(&folder),
                         strerror(errno));
    tc_text_fini(&folder);
    if (status != TACIT_OK) {
        tc_text_fini(&file);
        return status;
    }
    *path = tc_text_take(&file);
    return TACIT_OK;
}

tacit_status tc_cache_get(const tc_setup *s, const char *name, const char *key, tc_cache_make make,
                          void *user, char **path, tacit_error *err)
{
    char *file;
    tc_text check = {0};
    TC_TRY(cache_path(s, name, key, &file, err));
    tc_text_addf(&check, "%s.check", file);
    tacit_status status = check.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK && !is_whole(file, tc_text_get(&check)))
        status = make_file(file, tc_text_get(&check), make, user, err);
    tc_text_fini(&check);
    if (status == TACIT_OK)
        *path = file;
    else
        tc_free(file);
    return status;
}

tacit_status tc_cache_table(const tc_setup *s, const char *name, tc_text *key, tc_cache_make make,
                            void *user, char **objective, tacit_error *err)
{
    char *path;
    tc_text table = {0};
    tacit_status status = key->failed
                              ? tc_fail_memory(err)
                              : tc_cache_get(s, name, tc_text_get(key), make, user, &path, err);
    tc_text_fini(key);
    TC_TRY(status);
    tc_text_addf(&table, "table:%s", path);
    tc_free(path);
    *objective = tc_text_take(&table);
    return *objective ? TACIT_OK : tc_fail_memory(err);
}
