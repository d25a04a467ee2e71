/* message_numbers.c - the numbers in a message, as its first bytes say how to read them.
 *
 * Vectors are a header of 16 bytes and then words of 8, all little-endian: of dp-fts-de signed steps of
 * 2^-k (algo/dp_fts_de/message.c), of fts, rgpe and taf doubles (algo/fts/message.c). Messages of
 * the tree algorithms are sums by cell, not a vector. */
#include "agent/traffic_int.h"

#include <endian.h>
#include <math.h>
#include <string.h>

enum { HEADER = 16, WORD = 8 };

static uint64_t word_at(const uint8_t *bytes)
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

static int grid_of(const uint8_t *bytes)
{
    uint32_t grid;
    memcpy(&grid, bytes + 4, sizeof grid);
    return (int32_t)le32toh(grid);
}

static bool begins(const uint8_t *bytes, const char *magic)
{
    return memcmp(bytes, magic, 4) == 0;
}

void tc_message_numbers(tacit_agent_round *r, tc_arena *memory)
{
    const uint8_t *b = r->message;
    bool whole = r->message_size > HEADER && (r->message_size - HEADER) % WORD == 0;
    bool steps = whole && begins(b, "TDE1");
    bool reals = whole && (begins(b, "TFT1") || begins(b, "TRG1") || begins(b, "TTA1"));
    size_t n = steps || reals ? (r->message_size - HEADER) / WORD : 0;
    double *v = n > 0 ? TC_TAKE(memory, n, double) : NULL;
    int grid = v ? grid_of(b) : 0;
    for (size_t i = 0; v && i < n; i++) {
        uint64_t word = word_at(b + HEADER + WORD * i);
        v[i] = steps ? ldexp((double)(int64_t)word, -grid) : as_double(word);
    }
    r->numbers = v;
    r->n_numbers = v ? n : 0;
}
