/* protocol.c - which versions of the protocol two programs speak, and what to do where they have none in common
 * (protocol.h). */
#include "wire/protocol.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tacit/tacit.h>

enum { FIRST = 1 }; /* of programs that name none */

tc_protocols tc_protocols_ours(void)
{
    return (tc_protocols){.oldest = TC_PROTOCOL_OLDEST, .newest = TC_PROTOCOL};
}

tc_protocols_text tc_protocols_format(const tc_protocols *p)
{
    tc_protocols_text t;
    snprintf(t.text, sizeof t.text, "%" PRIu64 "-%" PRIu64, p->oldest, p->newest);
    return t;
}

/* For sentences: "protocol 2", "protocols 1 to 2". */
static tc_protocols_text name_them(const tc_protocols *p)
{
    tc_protocols_text t;
    if (p->oldest == p->newest)
        snprintf(t.text, sizeof t.text, "protocol %" PRIu64, p->oldest);
    else
        snprintf(t.text, sizeof t.text, "protocols %" PRIu64 " to %" PRIu64, p->oldest, p->newest);
    return t;
}

static bool read_version(const char *text, uint64_t *out)
{
    unsigned long long v;
    if (!tc_parse_u64(text, &v) || v < FIRST || v > UINT32_MAX)
        return false;
    *out = v;
    return true;
}

/* "1-2" */
static bool read_range(const char *text, tc_protocols *out)
{
    char low[16];
    size_t n = strcspn(text, "-");
    if (text[n] != '-' || n >= sizeof low)
        return false;
    memcpy(low, text, n);
    low[n] = 0;
    return read_version(low, &out->oldest) && read_version(text + n + 1, &out->newest) &&
           out->oldest <= out->newest;
}

tacit_status tc_protocol_check_request(const tc_protocols *ours, const char *header,
                                       tacit_error *err)
{
    uint64_t v = FIRST;
    if (header && !read_version(header, &v))
        return tc_fail(err, TACIT_E_ARG,
                       "%s must be a whole number from %d to %" PRIu32 ", got \"%.40s\"",
                       TC_PROTOCOL_HEADER, FIRST, UINT32_MAX, header);
    if (v >= ours->oldest && v <= ours->newest)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "the request is of protocol %" PRIu64 "%s, and this coordinator (tacit %s) "
                   "speaks %s: update %s",
                   v, header ? "" : " (tacit 0.1)", TACIT_VERSION, name_them(ours).text,
                   v < ours->oldest ? "the tacit that asks" : "the coordinator");
}

tacit_status tc_protocol_agree(const tc_protocols *ours, const char *header, const char *who,
                               uint64_t *version, tacit_error *err)
{
    tc_protocols theirs = {.oldest = FIRST, .newest = FIRST};
    if (header && !read_range(header, &theirs)) /* not quoted: it may hold anything */
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "%s answers with a header " TC_PROTOCOL_HEADER
                       " that is no range of versions like 1-2",
                       who);
    uint64_t newest = theirs.newest < ours->newest ? theirs.newest : ours->newest;
    if (newest < ours->oldest || newest < theirs.oldest)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "the coordinator %s speaks %s%s, and this tacit (%s) speaks %s: update %s",
                       who, name_them(&theirs).text, header ? "" : " (tacit 0.1)", TACIT_VERSION,
                       name_them(ours).text,
                       newest < ours->oldest ? "the coordinator" : "this tacit");
    *version = newest;
    return TACIT_OK;
}
