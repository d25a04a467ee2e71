/* url.c - see url.h. What is not understood entirely is refused: whoever reads a URL otherwise than
 * libcurl does, checks one host and speaks to another. */
#include "net/url.h"

#include "base/error.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

enum { HOST_MOST = 255 };

static tacit_status refuse(const char *text, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG,
                   "the URL must be like https://host:8443, without a user or a path, got \"%s\"",
                   text);
}

/* A name or a number, of letters that mean nothing else in a URL. */
static bool is_host(const char *host, bool bracket)
{
    const char *letters = bracket ? "0123456789abcdefABCDEF:."
                                  : "0123456789abcdefghijklmnopqrstuvwxyz"
                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-_";
    return *host && strspn(host, letters) == strlen(host);
}

static bool is_loopback(const char *host, bool bracket)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (bracket)
        return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
    return strcmp(host, "localhost") == 0 ||
           (inet_pton(AF_INET, host, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127);
}

/* "" or ":8443" or the same with a slash. */
static bool is_tail(const char *tail)
{
    char digits[8] = "";
    unsigned long long port;
    size_t n = strcspn(tail, "/");
    if (tail[n] == '/' && tail[n + 1])
        return false;
    if (n == 0)
        return true;
    if (*tail != ':' || n - 1 >= sizeof digits)
        return false;
    memcpy(digits, tail + 1, n - 1);
    return tc_parse_u64(digits, &port) && port > 0 && port <= UINT16_MAX;
}

tacit_status tc_url_parse(tc_url *out, const char *text, tacit_error *err)
{
    char host[HOST_MOST + 1] = "";
    bool tls = strncmp(text, "https://", 8) == 0;
    if (!tls && strncmp(text, "http://", 7) != 0)
        return tc_fail(err, TACIT_E_ARG, "the URL must begin with https://, got \"%s\"", text);
    const char *begin = text + (tls ? 8 : 7);
    bool bracket = *begin == '[';
    begin += bracket;
    size_t n = strcspn(begin, bracket ? "]" : ":/");
    if (n > HOST_MOST || (bracket && !begin[n]))
        return refuse(text, err);
    memcpy(host, begin, n);
    const char *tail = begin + n + bracket;
    if (!is_host(host, bracket) || !is_tail(tail))
        return refuse(text, err);
    *out =
        (tc_url){.tls = tls, .loopback = is_loopback(host, bracket), .n_bytes = strcspn(tail, "/")};
    out->n_bytes += (size_t)(tail - text);
    return TACIT_OK;
}
