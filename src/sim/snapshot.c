/* snapshot.c - whole numbers in a file that is replaced as a whole. See snapshot.h. */
#include "sim/snapshot.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <sodium.h>
#include <string.h>

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

tacit_status tc_snapshot_write(const char *path, const char *identity, const tc_numbers *numbers,
                               tacit_error *err)
{
    if (numbers->n > (SIZE_MAX - FRAME_BYTES) / WORD)
        return tc_fail_memory(err);
    TC_TRY(tc_file_regular(path, err));
    size_t len = FRAME_BYTES + numbers->n * WORD;
    uint8_t *data = tc_alloc(len, 1);
    if (!data)
        return tc_fail_memory(err);
    encode(identity, numbers, data, len);
    tacit_status status = tc_file_write(path, data, len, err);
    tc_free(data);
    return status;
}

void tc_snapshot_remove(const char *path)
{
    tc_file_remove(path);
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
    TC_TRY(tc_file_read_regular(path, MOST_FILE, &data, &len, err));
    tacit_status status = decode(path, identity, (const uint8_t *)data, len, out, err);
    tc_free(data);
    return status;
}
