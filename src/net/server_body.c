/* server_body.c - the body of a request: whether it comes, and whose room it takes.
 *
 * A body takes room as it arrives, not as long as it is said to be: who only announces takes nothing. All
 * bodies together have a limit, and those of one token a share of it, so that nobody shuts out the
 * others; what most requests send is so short that it needs no room at all. Called by server_request.c. */
#include "net/server_int.h"

#include <string.h>
#include <strings.h>

enum { SMALL = 4096, STEP = 64 << 10, EXCESS_MOST = 1 << 20 };
#define BODIES_MOST ((size_t)256 << 20) /* of all requests together */
#define SHARE_MOST  ((size_t)64 << 20)  /* of those with one token */

/* ---- what the headers say ---- */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

bool tc_body_comes(struct MHD_Connection *c, size_t *n)
{
    const char *length = header(c, MHD_HTTP_HEADER_CONTENT_LENGTH);
    unsigned long long v;
    *n = SIZE_MAX;
    if (!length)
        return header(c, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL;
    if (tc_parse_u64(length, &v))
        *n = v;
    return *n > 0;
}

static enum MHD_Result count(void *user, enum MHD_ValueKind kind, const char *name,
                             const char *value)
{
    unsigned *n = user;
    (void)kind;
    (void)value;
    *n += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 ||
          strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    return MHD_YES;
}

/* A proxy that reads the other of the two takes the rest of the body for a request. */
bool tc_body_is_clear(struct MHD_Connection *c)
{
    unsigned n = 0;
    MHD_get_connection_values(c, MHD_HEADER_KIND, count, &n);
    return n <= 1;
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
    if (p->refused == 0 && p->body.len + n >= p->body.max)
        p->refused = 413;
    if (p->refused == 0 && !reserve(p->server, p, p->body.len + n))
        p->refused = 503;
    if (p->refused == 0) {
        tc_text_add_bytes(&p->body, bytes, n);
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
