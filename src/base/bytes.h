/* bytes.h - numbers as little-endian bytes, whatever the machine has: what is stored and sent. */
#ifndef TC_BASE_BYTES_H
#define TC_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The lowest n <= 8 bytes of a word. */
static inline void tc_put_le(uint8_t *out, uint64_t word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(word >> (8 * i));
}

static inline uint64_t tc_get_le(const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)b[i] << (8 * i);
    return word;
}

/* 8 bytes: the bits of an IEEE 754 double. */
static inline void tc_put_le_double(uint8_t *out, double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    tc_put_le(out, word, 8);
}

static inline double tc_get_le_double(const void *bytes)
{
    uint64_t word = tc_get_le(bytes, 8);
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}

#endif
