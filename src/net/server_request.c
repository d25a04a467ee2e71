/* server_request.c - one request, from its headers to its answer.
 *
 * It passes tc_server_answer once for its headers, once for each piece of its body, and once when it is
 * complete; then it goes to the coordinator. Whose body is to come is asked for its token and its
 * length first: the coordinator says whether it may be sent, and all bodies together have a limit.
 * Called by libmicrohttpd, as server.c has told it. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum { EXCESS_MOST = 1 << 20, WAIT_MOST_S = 60 };
#define BODIES_MOST ((size_t)256 << 20) /* of all requests together */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static const char *bearer(struct MHD_Connection *c)
{
    static const char scheme[] = "Bearer ";
    const char *v = header(c, MHD_HTTP_HEADER_AUTHORIZATION);
    return v && strncmp(v, scheme, sizeof scheme - 1) == 0 ? v + sizeof scheme - 1 : NULL;
}

static enum MHD_Result add_argument(void *user, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    tc_text *query = user;
    (void)kind;
    tc_text_addf(query, "%s%s=%s", query->len > 0 ? "&" : "", name, value ? value : "");
    return MHD_YES;
}

static const struct sockaddr *address(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/* ---- answers ---- */

#define PROBLEM "application/problem+json"

static void add_number(struct MHD_Response *m, const char *name, int64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, v);
    MHD_add_response_header(m, name, text);
}

static void add_headers(struct MHD_Response *m, const tc_response *r)
{
    if (r->content_type)
        MHD_add_response_header(m, MHD_HTTP_HEADER_CONTENT_TYPE, r->content_type);
    MHD_add_response_header(m, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (r->wait || r->retry_after_ms > 0)
        add_number(m, MHD_HTTP_HEADER_RETRY_AFTER, r->wait ? 1 : (r->retry_after_ms + 999) / 1000);
    if (r->status == 401)
        MHD_add_response_header(m, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    if (r->status == 405)
        MHD_add_response_header(m, MHD_HTTP_HEADER_ALLOW, r->allow);
    if (r->replayed)
        MHD_add_response_header(m, "Idempotency-Replayed", "true");
}

struct MHD_Response *tc_server_too_many(void)
{
    static const char problem[] =
        "{\"type\": \"urn:tacit:problem:busy\", \"title\": \"too many requests\", "
        "\"status\": 429, \"detail\": \"this address asks too often; ask again in a second\"}";
    struct MHD_Response *m = MHD_create_response_from_buffer(
        sizeof problem - 1, (void *)(uintptr_t)problem, MHD_RESPMEM_PERSISTENT);
    tc_response r = {.status = 429, .content_type = PROBLEM, .retry_after_ms = 1000};
    if (m)
        add_headers(m, &r);
    return m;
}

static enum MHD_Result send_back(tc_pending *p, const tc_response *r)
{
    struct MHD_Response *m = MHD_create_response_from_buffer(
        r->body.len, (void *)tc_text_get(&r->body), MHD_RESPMEM_MUST_COPY);
    if (!m)
        return MHD_NO;
    add_headers(m, r);
    if (r->status == 401 && bearer(p->connection))
        tc_rate_failed(p->server->rate, address(p->connection));
    tc_guest_turn(p->server, p->guest, true);
    enum MHD_Result sent = MHD_queue_response(p->connection, (unsigned)r->status, m);
    MHD_destroy_response(m);
    return sent;
}

static enum MHD_Result refuse(tc_pending *p, int status, const char *kind, const char *detail)
{
    tc_response r = {.status = status, .content_type = PROBLEM};
    tc_text_addf(&r.body,
                 "{\"type\": \"urn:tacit:problem:%s\", \"title\": \"%s\", \"status\": %d, "
                 "\"detail\": \"%s\"}",
                 kind, detail, status, detail);
    r.retry_after_ms = status == 503 ? 1000 : 0;
    enum MHD_Result sent = send_back(p, &r);
    tc_response_fini(&r);
    return sent;
}

static enum MHD_Result refuse_large(tc_pending *p)
{
    return refuse(p, 413, "arg", "the body is too large");
}

static enum MHD_Result refuse_busy(tc_pending *p)
{
    return refuse(p, 503, "busy", "too many bodies at once");
}

static tc_request request_of(const tc_pending *p, const char *method, const char *path)
{
    return (tc_request){.method = method,
                        .path = path,
                        .bearer = bearer(p->connection),
                        .signature = header(p->connection, "Tacit-Signature"),
                        .idempotency = header(p->connection, "Idempotency-Key"),
                        .last_event = header(p->connection, "Last-Event-ID")};
}

static void ask(tc_server *s, tc_pending *p, const char *method, const char *path, tc_response *out)
{
    tc_text query = {.max = 4096};
    tc_request q = request_of(p, method, path);
    MHD_get_connection_values(p->connection, MHD_GET_ARGUMENT_KIND, add_argument, &query);
    q.query = query.len > 0 ? tc_text_get(&query) : NULL;
    q.body = tc_text_get(&p->body);
    q.n_body = p->body.len;
    tc_coord_handle(s->coord, &q, out);
    tc_text_fini(&query);
}

static enum MHD_Result serve(tc_server *s, tc_pending *p, const char *method, const char *path)
{
    for (;;) {
        tc_response r = {0};
        bool ending;
        uint64_t before = tc_server_changes(s, &ending);
        ask(s, p, method, path, &r);
        if (r.closes)
            tc_server_poke(s);
        bool wants = r.wait && !ending && tc_clock_ns() < p->until_ns;
        enum MHD_Result sent = wants       ? MHD_YES
                               : r.listens ? tc_server_feed(s, p, &r)
                                           : send_back(p, &r);
        tc_response_fini(&r);
        if (!wants || tc_server_hold(s, p, before))
            return sent;
    }
}

/* ?wait=SECONDS */
static uint64_t wait_until(struct MHD_Connection *c)
{
    const char *v = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "wait");
    unsigned long long s;
    if (!v || !tc_parse_u64(v, &s) || s == 0)
        return 0;
    return tc_clock_ns() + (s < WAIT_MOST_S ? s : WAIT_MOST_S) * UINT64_C(1000000000);
}

/* Whether a body comes, and how long it is said to be; SIZE_MAX: that is not said. */
static bool body_comes(struct MHD_Connection *c, size_t *n)
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

static bool reserve(tc_server *s, tc_pending *p, size_t n)
{
    pthread_mutex_lock(&s->lock);
    bool room = n <= BODIES_MOST - s->bodies;
    if (room) {
        s->bodies += n;
        p->reserved = n;
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

/* Before a byte of a body is kept: may it be sent, is it short enough, is there room? */
static enum MHD_Result admit(tc_server *s, tc_pending *p, const char *method, const char *path)
{
    size_t said, most = 0;
    tc_response r = {0};
    p->body.max = 1;
    if (!body_comes(p->connection, &said))
        return MHD_YES;
    tc_request q = request_of(p, method, path);
    if (!tc_coord_admit(s->coord, &q, &most, &r)) {
        enum MHD_Result sent = send_back(p, &r);
        tc_response_fini(&r);
        return sent;
    }
    most = most < s->body_max ? most : s->body_max;
    p->body.max = most + 1;
    if (said != SIZE_MAX && said > most)
        return refuse_large(p);
    return reserve(s, p, said < most ? said : most) ? MHD_YES : refuse_busy(p);
}

static tc_pending *begin(tc_server *s, struct MHD_Connection *c)
{
    tc_pending *p = tc_alloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->server = s;
    p->connection = c;
    p->guest = tc_guest_of(c);
    p->until_ns = wait_until(c);
    pthread_mutex_lock(&s->lock);
    s->asking++;
    if (p->guest)
        p->guest->in_headers = false; /* its body has more time */
    pthread_mutex_unlock(&s->lock);
    return p;
}

/* A body that did not say its length is read on for a while, so that its sender gets the answer; one
 * without an end is hung up on. */
static enum MHD_Result take_piece(tc_pending *p, const char *bytes, size_t n)
{
    p->too_large = p->too_large || p->body.len + n >= p->body.max;
    if (!p->too_large) {
        tc_text_add_bytes(&p->body, bytes, n);
        return MHD_YES;
    }
    p->excess += n;
    return p->excess <= EXCESS_MOST ? MHD_YES : MHD_NO;
}

/* A connection stays open if no body comes: another handshake would cost more than this. Its state is the
 * answer that it will get, for nothing is allocated. */
static enum MHD_Result turn_away(tc_server *s, struct MHD_Connection *c, void **state)
{
    size_t n;
    tc_guest_turn(s, tc_guest_of(c), true);
    if (body_comes(c, &n))
        return MHD_queue_response(c, 429, s->too_many);
    *state = s->too_many;
    return MHD_YES;
}

enum MHD_Result tc_server_answer(void *user, struct MHD_Connection *c, const char *path,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **state)
{
    tc_server *s = user;
    tc_pending *p = *state;
    (void)version;
    if (!p) {
        if (!tc_rate_allows(s->rate, address(c), bearer(c) != NULL))
            return turn_away(s, c, state);
        *state = p = begin(s, c);
        return p ? admit(s, p, method, path) : MHD_NO;
    }
    if (*state == s->too_many)
        return MHD_queue_response(c, 429, s->too_many);
    if (*upload_size > 0) {
        enum MHD_Result more = take_piece(p, upload, *upload_size);
        *upload_size = 0;
        return more;
    }
    if (p->too_large)
        return refuse_large(p);
    tc_guest_turn(s, p->guest, false);
    return serve(s, p, method, path);
}

void tc_server_end(void *user, struct MHD_Connection *c, void **state,
                   enum MHD_RequestTerminationCode code)
{
    tc_server *s = user;
    tc_pending *p = *state;
    (void)c;
    (void)code;
    if (!p || *state == s->too_many)
        return;
    if (p->body.data)
        explicit_bzero(p->body.data, p->body.len);
    tc_text_fini(&p->body);
    tc_guest_turn(s, p->guest, true);
    pthread_mutex_lock(&s->lock);
    s->asking--;
    s->bodies -= p->reserved;
    if (s->ending)
        pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    tc_free(p);
}

/* A zero byte would end a path early: such a path is left as it came, and found nowhere. */
size_t tc_server_unescape(void *user, struct MHD_Connection *c, char *text)
{
    (void)user;
    (void)c;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}
