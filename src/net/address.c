/* address.c - see address.h. Numbers only: a name may mean other machines tomorrow. */
#include "net/address.h"

#include "base/error.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

static tacit_status refuse(const char *text, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG,
                   "listen must be an address and a port like 127.0.0.1:8443 or [::1]:8443, got "
                   "\"%s\"",
                   text);
}

static bool take_v4(tc_address *a, uint16_t port)
{
    struct sockaddr_in *in = (struct sockaddr_in *)&a->at;
    if (inet_pton(AF_INET, a->host, &in->sin_addr) != 1)
        return false;
    in->sin_family = AF_INET;
    in->sin_port = htons(port);
    a->loopback = ntohl(in->sin_addr.s_addr) >> 24 == 127;
    return true;
}

static bool take_v6(tc_address *a, uint16_t port)
{
    struct sockaddr_in6 *in = (struct sockaddr_in6 *)&a->at;
    if (inet_pton(AF_INET6, a->host, &in->sin6_addr) != 1)
        return false;
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(port);
    a->loopback = IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
    a->v6 = true;
    return true;
}

tacit_status tc_address_parse(tc_address *out, const char *text, tacit_error *err)
{
    tc_address a = {.v6 = false};
    unsigned long long port;
    bool bracket = *text == '[';
    const char *host = bracket ? text + 1 : text;
    const char *end = bracket ? strchr(host, ']') : strrchr(host, ':');
    const char *colon = bracket && end ? end + 1 : end;
    if (!end || *colon != ':' || (size_t)(end - host) >= sizeof a.host || end == host ||
        !tc_parse_u64(colon + 1, &port) || port > UINT16_MAX)
        return refuse(text, err);
    memcpy(a.host, host, (size_t)(end - host));
    if (!(bracket ? take_v6(&a, (uint16_t)port) : take_v4(&a, (uint16_t)port)))
        return refuse(text, err);
    *out = a;
    return TACIT_OK;
}

tacit_status tc_address_try(const tc_address *a, const char *text, tacit_error *err)
{
    int one = 1;
    socklen_t size = a->v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    int s = socket(a->v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0) /* as the server will */
        (void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (s >= 0 && a->v6)
        (void)setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    bool ok = s >= 0 && bind(s, (const struct sockaddr *)&a->at, size) == 0;
    tacit_status status =
        ok ? TACIT_OK
           : tc_fail(err, TACIT_E_IO, "%s cannot be listened at: %s", text, strerror(errno));
    if (s >= 0)
        close(s);
    return status;
}
