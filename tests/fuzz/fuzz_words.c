/* fuzz_words.c - any text as a short word of the protocol: base64, a signature, the URL of a coordinator,
 * an address to listen at, a query, a path.
 *
 * The first byte chooses which. What base64 accepts must encode to the same text, and a random signature
 * must not hold. */
#include "fuzz.h"

#include "base/memory.h"
#include "coord/request.h"
#include "net/address.h"
#include "net/url.h"
#include "wire/signature.h"

#include <string.h>

static void check_base64(const char *text)
{
    uint8_t *bytes, room[8];
    size_t n, m;
    tc_text again = {0};
    if (tc_base64_decode(text, room, sizeof room, &m))
        REQUIRE(m <= sizeof room);
    if (tc_base64_bytes(text, "text", 1 << 16, &bytes, &n, NULL) != TACIT_OK)
        return;
    tc_base64_add(&again, bytes, n);
    REQUIRE(strcmp(tc_text_get(&again), text) == 0);
    tc_text_fini(&again);
    tc_free(bytes);
}

static void check_signature(const char *text)
{
    static const uint8_t seed[32] = {1};
    tc_public_key key;
    tc_secret_key secret;
    tc_signature s;
    tc_signed what = {.purpose = TC_SIGN_MESSAGE, .round = 3, .body = "body", .n_body = 4};
    tc_keys_from(&key, &secret, seed);
    if (tc_base64_read(text, s.bytes, sizeof s.bytes))
        REQUIRE(!tc_signature_holds(&key, &what, &s));
}

static void check_url(const char *text)
{
    tc_url url;
    if (tc_url_parse(&url, text, NULL) == TACIT_OK)
        REQUIRE(url.n_bytes <= strlen(text));
}

static void check_address(const char *text)
{
    tc_address at;
    if (tc_address_parse(&at, text, NULL) == TACIT_OK)
        REQUIRE(memchr(at.host, 0, sizeof at.host));
}

static void check_query(const char *text)
{
    char value[16] = "";
    uint64_t n = 5;
    if (tc_query_text(text, "state", value, sizeof value, NULL) == TACIT_OK)
        REQUIRE(memchr(value, 0, sizeof value));
    if (tc_query_number(text, "limit", 1, 10, &n, NULL) == TACIT_OK)
        REQUIRE(n >= 1 && n <= 10);
}

static void check_path(const char *text)
{
    char words[TC_WORDS_MOST][128];
    for (const tc_route *r = tc_routes; r->method; r++)
        if (tc_route_fits(r->path, text, words))
            REQUIRE(!strchr(r->path, '{') || (*words[0] && memchr(words[0], 0, 128)));
}

FUZZ_TARGET(words)
{
    static void (*const checks[])(const char *) = {check_base64,  check_signature, check_url,
                                                   check_address, check_query,     check_path};
    if (size == 0)
        return 0;
    char *text = tc_strndup((const char *)data + 1, size - 1);
    REQUIRE(text);
    checks[data[0] % (sizeof checks / sizeof *checks)](text);
    tc_free(text);
    return 0;
}
