/* hash_json.c - see hash_json.h. */
#include "wire/hash_json.h"

#include "base/error.h"

#include <sodium.h>
#include <string.h>

void tc_hash_text(char out[TC_HASH_TEXT], const tacit_hash *h)
{
    sodium_bin2hex(out, TC_HASH_TEXT, h->bytes, sizeof h->bytes);
}

tacit_status tc_hash_read(const json_t *j, const char *path, const char *key, tacit_hash *out,
                          tacit_error *err)
{
    const char *text;
    TC_TRY(tc_json_string(j, path, key, &text, err));
    if (strlen(text) != TC_HASH_TEXT - 1 || strspn(text, "0123456789abcdef") != TC_HASH_TEXT - 1)
        return tc_fail(err, TACIT_E_ARG, "%s%s%s must be %d hexadecimal digits, got \"%.80s\"",
                       path, *path ? "." : "", key, TC_HASH_TEXT - 1, text);
    sodium_hex2bin(out->bytes, sizeof out->bytes, text, TC_HASH_TEXT - 1, NULL, NULL, NULL);
    return TACIT_OK;
}
