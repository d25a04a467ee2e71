/* base64.c - see base64.h. */
#include "wire/base64.h"

#include "base/error.h"
#include "base/memory.h"

#include <sodium.h>
#include <string.h>

#define VARIANT sodium_base64_VARIANT_ORIGINAL

/* For tc_free; NULL: no memory. */
static char *encode(const void *bytes, size_t n)
{
    size_t size = sodium_base64_encoded_len(n, VARIANT);
    char *text = tc_alloc(size, 1);
    return text ? sodium_bin2base64(text, size, bytes, n, VARIANT) : NULL;
}

void tc_base64_add(tc_text *out, const void *bytes, size_t n)
{
    char *text = encode(bytes, n);
    if (text)
        tc_text_add(out, text);
    else
        out->failed = true;
    tc_free(text);
}

json_t *tc_base64_json(const void *bytes, size_t n)
{
    char *text = encode(bytes, n);
    json_t *j = text ? json_string(text) : NULL;
    tc_free(text);
    return j;
}

/* ---- reading ---- */

enum { BLOCK = 64 };

/* Six bits of a character; *wrong becomes 1 if it is none of the 64. Without branches and tables, so
 * that a compiler does many at once and time says nothing of what was read. */
static inline uint8_t six_bits(uint8_t c, uint8_t *wrong)
{
    uint8_t upper = (uint8_t)(c - 'A') < 26, lower = (uint8_t)(c - 'a') < 26;
    uint8_t digit = (uint8_t)(c - '0') < 10, plus = c == '+', slash = c == '/';
    *wrong |= (uint8_t)(1 ^ (upper | lower | digit | plus | slash));
    return (uint8_t)((c & -upper) - (upper * 'A') + (c & -lower) - lower * ('a' - 26) +
                     (c & -digit) + digit * 4 + plus * 62 + slash * 63);
}

/* Whole groups of four characters, at most BLOCK of them; 3 bytes each. */
static uint8_t read_block(const char *text, size_t n, uint8_t *out)
{
    uint8_t from[BLOCK], six[BLOCK], wrong = 0;
    memset(from, 'A', sizeof from);
    memcpy(from, text, n);
    for (size_t i = 0; i < BLOCK; i++)
        six[i] = six_bits(from[i], &wrong);
    for (size_t i = 0; i < n; i += 4, out += 3) {
        out[0] = (uint8_t)(six[i] << 2 | six[i + 1] >> 4);
        out[1] = (uint8_t)(six[i + 1] << 4 | six[i + 2] >> 2);
        out[2] = (uint8_t)(six[i + 2] << 6 | six[i + 3]);
    }
    sodium_memzero(six, sizeof six);
    sodium_memzero(from, sizeof from);
    return wrong;
}

/* All but the last group, where padding may be, is read here: a message is thousands of characters, and
 * libsodium takes one at a time. The last one and all rules about padding are libsodium's, which takes
 * some bytes above 127 for letters. */
bool tc_base64_decode(const char *text, void *out, size_t room, size_t *n)
{
    const char *end;
    size_t len = strlen(text), whole = len > 0 ? (len - 1) / 4 * 4 : 0, bytes = whole / 4 * 3, last;
    uint8_t *to = out, wrong = 0;
    if (bytes > room)
        return false;
    for (size_t at = 0; at < whole; at += BLOCK)
        wrong |= read_block(text + at, whole - at < BLOCK ? whole - at : BLOCK, to + at / 4 * 3);
    for (size_t at = whole; at < len; at++)
        wrong |= (uint8_t)text[at] & 0x80;
    if (wrong || sodium_base642bin(to + bytes, room - bytes, text + whole, len - whole, NULL, &last,
                                   &end, VARIANT) != 0)
        return false;
    *n = bytes + last;
    return end == text + len;
}

bool tc_base64_read(const char *text, void *out, size_t n)
{
    size_t got;
    return tc_base64_decode(text, out, n, &got) && got == n;
}

tacit_status tc_base64_bytes(const char *text, const char *what, size_t most, uint8_t **out,
                             size_t *n, tacit_error *err)
{
    size_t len = strlen(text), size = len / 4 * 3 + 3, got;
    if (len / 4 * 3 > most + 3)
        return tc_fail(err, TACIT_E_ARG, "%s is longer than %zu bytes", what, most);
    uint8_t *bytes = tc_alloc(size, 1);
    if (!bytes)
        return tc_fail_memory(err);
    bool ok = tc_base64_decode(text, bytes, size, &got);
    if (!ok || got > most) {
        tc_free(bytes);
        return ok ? tc_fail(err, TACIT_E_ARG, "%s is longer than %zu bytes", what, most)
                  : tc_fail(err, TACIT_E_ARG, "%s must be base64", what);
    }
    *out = bytes;
    *n = got;
    return TACIT_OK;
}
