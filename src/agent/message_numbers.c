/* message_numbers.c - the numbers in a message, as its first bytes say how to read them.
 *
 * Vectors are a header of 16 bytes and then words of 8, all little-endian: of dp-fts-de signed steps of
 * 2^-k (algo/dp_fts_de/message.c), of fts, rgpe and taf doubles (algo/fts/message.c). Messages of
 * the tree algorithms are sums by cell, not a vector. */
#include "agent/traffic.h"

#include "base/error.h"

#include <endian.h>
#include <math.h>
#include <string.h>

enum { HEADER = 16, WORD = 8 };

static uint64_t word_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, WORD);
    return le64toh(word);
}

static double as_double(uint64_t word)
{
    double v;
    memcpy(&v, &word, sizeof v);
    return v;
}

static int grid_of(const char *bytes)
{
    uint32_t grid;
    memcpy(&grid, bytes + 4, sizeof grid);
    return (int32_t)le32toh(grid);
}

static bool begins(const char *bytes, const char *magic)
{
    return memcmp(bytes, magic, 4) == 0;
}

tacit_status tc_message_numbers(const tc_text *message, double **v, size_t *n, tacit_error *err)
{
    const char *b = tc_text_get(message);
    bool whole = message->len > HEADER && (message->len - HEADER) % WORD == 0;
    bool steps = whole && begins(b, "TDE1");
    bool reals = whole && (begins(b, "TFT1") || begins(b, "TRG1") || begins(b, "TTA1"));
    *v = NULL;
    *n = 0;
    if (!steps && !reals)
        return TACIT_OK;
    size_t count = (message->len - HEADER) / WORD;
    double *out = tc_alloc(count, sizeof *out);
    if (!out)
        return tc_fail_memory(err);
    int grid = grid_of(b);
    for (size_t i = 0; i < count; i++) {
        uint64_t word = word_at(b + HEADER + WORD * i);
        out[i] = steps ? ldexp((double)(int64_t)word, -grid) : as_double(word);
    }
    *v = out;
    *n = count;
    return TACIT_OK;
}
