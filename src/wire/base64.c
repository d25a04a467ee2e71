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

bool tc_base64_decode(const char *text, void *out, size_t room, size_t *n)
{
    const char *end;
    size_t len = strlen(text);
    return sodium_base642bin(out, room, text, len, NULL, n, &end, VARIANT) == 0 &&
           end == text + len;
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
