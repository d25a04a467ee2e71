/* server_body.c - the body of a request: how long it is, and whose room it takes.
 *
 * A body takes room as it arrives, not as long as it is said to be: who only announces takes nothing. All
 * bodies together have a limit, and those of one token a share of it, so that nobody shuts out the
 * others; what most requests send is so short that it needs no room at all. Called by server_request.c. */
#include "net/server_int.h"

#include <string.h>

enum { SMALL = 4096, STEP = 64 << 10, EXCESS_MOST = 1 << 20 };
#define BODIES_MOST ((size_t)256 << 20) /* of all requests together */
#define SHARE_MOST  ((size_t)64 << 20)  /* of those with one token */

size_t tc_body_length(struct MHD_Connection *c)
{
    const char *said =
        MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    unsigned long long n;
    return said && tc_parse_u64(said, &n) ? n : 0;
}

/* ---- room ---- */

/* Room for n bytes, in steps that double: the text grows so, too. */
static bool reserve(tc_server *s, tc_pending *p, size_t n)
{
    size_t want = p->reserved > 0 ? p->reserved : STEP;
    if (n <= SMALL || n <= p->reserved)
        return true;
    while (want < n)
        want *= 2;
    size_t more = want - p->reserved;
    pthread_mutex_lock(&s->lock);
    size_t *share = &s->shares[p->share].bodies;
    bool room = more <= BODIES_MOST - s->bodies && more <= SHARE_MOST - *share;
    if (room) {
        s->bodies += more;
        *share += more;
        p->reserved = want;
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

/* A body that is not kept is read on for a while, so that its sender gets the answer; one without an end
 * is hung up on. */
enum MHD_Result tc_body_take(tc_pending *p, const char *bytes, size_t n)
{
    if (p->refused == 0 && !reserve(p->server, p, p->body.len + n))
        p->refused = 503;
    if (p->refused == 0) {
        tc_text_add_bytes(&p->body, bytes, n);
        explicit_bzero((char *)bytes,
                       n); /* libmicrohttpd's buffer, which lives with the connection */
        p->refused = p->body.failed ? 503 : 0;
        return MHD_YES;
    }
    p->excess += n;
    return p->excess <= EXCESS_MOST ? MHD_YES : MHD_NO;
}

void tc_body_end(tc_pending *p)
{
    tc_server *s = p->server;
    if (p->body.data)
        explicit_bzero(p->body.data, p->body.len);
    tc_text_fini(&p->body);
    pthread_mutex_lock(&s->lock);
    s->bodies -= p->reserved;
    s->shares[p->share].bodies -= p->reserved;
    pthread_mutex_unlock(&s->lock);
    p->reserved = 0;
}
