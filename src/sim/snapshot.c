/* snapshot.c - whole numbers in a file that is replaced as a whole. See snapshot.h. */
#include "sim/snapshot.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAGIC     "tacit-snapshot 1"
#define MOST_FILE ((size_t)1 << 40)

enum { MAGIC_BYTES = sizeof MAGIC - 1, HASH_BYTES = 32, WORD = 8 };
enum { HEAD_BYTES = MAGIC_BYTES + HASH_BYTES + WORD, FRAME_BYTES = HEAD_BYTES + HASH_BYTES };

static void hash_of(const void *data, size_t n, uint8_t out[HASH_BYTES])
{
    (void)crypto_generichash(out, HASH_BYTES, data, n, NULL, 0);
}

/* ---- numbers as bytes ---- */

static void put_word(uint64_t w, uint8_t *out)
{
    for (int i = 0; i < WORD; i++)
        out[i] = (uint8_t)(w >> 8 * i);
}

static uint64_t get_word(const uint8_t *in)
{
    uint64_t w = 0;
    for (int i = 0; i < WORD; i++)
        w |= (uint64_t)in[i] << 8 * i;
    return w;
}

static void encode(const char *identity, const tc_numbers *numbers, uint8_t *out, size_t len)
{
    memcpy(out, MAGIC, MAGIC_BYTES);
    hash_of(identity, strlen(identity), out + MAGIC_BYTES);
    put_word(numbers->n, out + MAGIC_BYTES + HASH_BYTES);
    for (size_t i = 0; i < numbers->n; i++)
        put_word((uint64_t)numbers->v[i], out + HEAD_BYTES + i * WORD);
    hash_of(out, len - HASH_BYTES, out + len - HASH_BYTES);
}

/* ---- writing ---- */

static char *name_beside(const char *path)
{
    tc_text name = {0};
    tc_text_addf(&name, "%s.new", path);
    return tc_text_take(&name);
}

static bool write_all(int fd, const uint8_t *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

static bool write_file(const char *path, const uint8_t *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool good = write_all(fd, data, len) && fsync(fd) == 0;
    int why = errno;
    close(fd);
    errno = why;
    return good;
}

static tacit_status replace(const char *path, const uint8_t *data, size_t len, tacit_error *err)
{
    char *name = name_beside(path);
    if (!name)
        return tc_fail_memory(err);
    bool good = write_file(name, data, len) && rename(name, path) == 0;
    int why = errno;
    if (!good)
        unlink(name);
    tc_free(name);
    if (!good)
        return tc_fail(err, TACIT_E_IO, "cannot write the snapshot \"%s\": %s", path,
                       strerror(why));
    return TACIT_OK;
}

tacit_status tc_snapshot_write(const char *path, const char *identity, const tc_numbers *numbers,
                               tacit_error *err)
{
    if (numbers->n > (SIZE_MAX - FRAME_BYTES) / WORD)
        return tc_fail_memory(err);
    size_t len = FRAME_BYTES + numbers->n * WORD;
    uint8_t *data = tc_alloc(len, 1);
    if (!data)
        return tc_fail_memory(err);
    encode(identity, numbers, data, len);
    tacit_status status = replace(path, data, len, err);
    tc_free(data);
    return status;
}

void tc_snapshot_remove(const char *path)
{
    char *name = name_beside(path);
    unlink(path);
    if (name)
        unlink(name);
    tc_free(name);
}

/* ---- reading ---- */

static bool is_whole(const uint8_t *data, size_t len)
{
    uint8_t sum[HASH_BYTES];
    if (len < FRAME_BYTES ||
        get_word(data + MAGIC_BYTES + HASH_BYTES) != (len - FRAME_BYTES) / WORD || len % WORD != 0)
        return false;
    hash_of(data, len - HASH_BYTES, sum);
    return memcmp(sum, data + len - HASH_BYTES, HASH_BYTES) == 0;
}

static tacit_status decode(const char *path, const char *identity, const uint8_t *data, size_t len,
                           tc_numbers *out, tacit_error *err)
{
    uint8_t hash[HASH_BYTES];
    if (len < MAGIC_BYTES || memcmp(data, MAGIC, MAGIC_BYTES) != 0)
        return tc_fail(err, TACIT_E_STATE, "\"%s\" is not a snapshot of a simulation", path);
    if (!is_whole(data, len))
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the snapshot \"%s\" is damaged; without it the run begins again", path);
    hash_of(identity, strlen(identity), hash);
    if (memcmp(data + MAGIC_BYTES, hash, HASH_BYTES) != 0)
        return tc_fail(err, TACIT_E_STATE,
                       "\"%s\" is the snapshot of another simulation; it is left as it is", path);
    for (const uint8_t *at = data + HEAD_BYTES; at < data + len - HASH_BYTES; at += WORD)
        TC_TRY(tc_numbers_add(out, (int64_t)get_word(at), err));
    return TACIT_OK;
}

tacit_status tc_snapshot_read(const char *path, const char *identity, tc_numbers *out,
                              tacit_error *err)
{
    char *data;
    size_t len;
    TC_TRY(tc_file_read(path, MOST_FILE, &data, &len, err));
    tacit_status status = decode(path, identity, (const uint8_t *)data, len, out, err);
    tc_free(data);
    return status;
}
