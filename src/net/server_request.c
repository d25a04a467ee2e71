/* server_request.c - one request, from its headers to its answer.
 *
 * It passes tc_server_answer once for its headers, once for each piece of its body, and once when it is
 * complete; then a thread of a queue asks the coordinator (server_queue.c), and it passes once more with its answer. Whose body is
 * to come is asked for its token and its length first: the coordinator says whether it may be sent, and
 * all bodies together have a limit. Called by libmicrohttpd, as server.c has told it. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/memory.h"
#include "wire/protocol.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { QUERY_MOST = 4096, WAIT_MOST_S = 60 };

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static const char *bearer(struct MHD_Connection *c)
{
    static const char scheme[] = "Bearer ";
    const char *v = header(c, MHD_HTTP_HEADER_AUTHORIZATION);
    return v && strncasecmp(v, scheme, sizeof scheme - 1) == 0 ? v + sizeof scheme - 1 : NULL;
}

/* libmicrohttpd has taken the query apart: what would be read as a part of another one is escaped. */
static void add_escaped(tc_text *out, const char *text, const char *these)
{
    for (; *text; text++)
        tc_text_addf(out, strchr(these, *text) ? "%%%02X" : "%c", *text);
}

static enum MHD_Result add_argument(void *user, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    tc_text *query = user;
    (void)kind;
    if (query->len > 0)
        tc_text_add(query, "&");
    add_escaped(query, name, "%&=");
    tc_text_add(query, "=");
    add_escaped(query, value ? value : "", "%&");
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

void tc_server_add_headers(struct MHD_Response *m, const tc_response *r, const char *next_key)
{
    const tc_protocols ours = tc_protocols_ours();
    MHD_add_response_header(m, TC_PROTOCOL_HEADER, tc_protocols_format(&ours).text);
    if (*next_key)
        MHD_add_response_header(m, TC_NEXT_KEY_HEADER, next_key);
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
        tc_server_add_headers(m, &r, "");
    return m;
}

static enum MHD_Result send_response(tc_pending *p, const tc_response *r, struct MHD_Response *m)
{
    if (!m)
        return MHD_NO;
    tc_server_add_headers(m, r, p->server->next_key);
    if (p->is_last)
        MHD_add_response_header(m, MHD_HTTP_HEADER_CONNECTION, "close");
    if (r->status == 401 && bearer(p->connection))
        tc_rate_failed(p->server->rate, address(p->connection));
    tc_connection_turn(p->server, p->peer, TC_TURN_BODY);
    enum MHD_Result sent = MHD_queue_response(p->connection, (unsigned)r->status, m);
    MHD_destroy_response(m);
    return sent;
}

static enum MHD_Result refuse(tc_pending *p, int status, const char *kind, const char *detail)
{
    bool full;
    tc_response r = {.status = status, .content_type = PROBLEM, .allow = "GET"};
    tc_text_addf(&r.body,
                 "{\"type\": \"urn:tacit:problem:%s\", \"title\": \"%s\", \"status\": %d, "
                 "\"detail\": \"%s\"}",
                 kind, detail, status, detail);
    r.retry_after_ms = status == 503 ? 1000 : 0;
    tc_coord_counted(p->server->coord, status);
    enum MHD_Result sent = send_response(p, &r, tc_answer_response(p, &r, true, &full));
    tc_response_fini(&r);
    return sent;
}

/* A request that only reads can be repeated, and so can a suggestion, which its worker is given again. */
static bool is_repeatable(const tc_pending *p)
{
    return strcmp(p->method, MHD_HTTP_METHOD_GET) == 0 || p->pace == TC_PACE_ASK;
}

static enum MHD_Result send_back(tc_pending *p, tc_response *r)
{
    bool full;
    struct MHD_Response *m = tc_answer_response(p, r, !is_repeatable(p), &full);
    return full ? refuse(p, 503, "busy", "too many answers are on their way; ask again")
                : send_response(p, r, m);
}

static enum MHD_Result refuse_body(tc_pending *p, int status)
{
    return status == 413 ? refuse(p, 413, "arg", "the body is too large")
                         : refuse(p, 503, "busy", "too many bodies at once");
}

static bool is_head(const char *method)
{
    return strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
}

/* libmicrohttpd leaves out the body of an answer to HEAD by itself. */
static tc_request request_of(const tc_pending *p, const char *method, const char *path)
{
    return (tc_request){.method = is_head(method) ? MHD_HTTP_METHOD_GET : method,
                        .path = path,
                        .protocol = header(p->connection, TC_PROTOCOL_HEADER),
                        .bearer = bearer(p->connection),
                        .signature = header(p->connection, "Tacit-Signature"),
                        .idempotency = header(p->connection, "Idempotency-Key"),
                        .last_event = header(p->connection, "Last-Event-ID"),
                        .shares = true,
                        .at_once = p->pace == TC_PACE_PROBE};
}

void tc_server_ask(tc_server *s, const tc_pending *p, tc_response *out)
{
    tc_text query = {.max = QUERY_MOST};
    tc_request q = request_of(p, p->method, p->path);
    MHD_get_connection_values(p->connection, MHD_GET_ARGUMENT_KIND, add_argument, &query);
    q.query = query.len > 0 ? tc_text_get(&query) : NULL;
    q.body = tc_text_get(&p->body);
    q.n_body = p->body.len;
    if (query.failed)
        out->status = 414;
    else
        tc_coord_handle(s->coord, &q, out);
    tc_text_fini(&query);
}

static enum MHD_Result answer(tc_server *s, tc_pending *p, tc_response *r)
{
    if (r->status == 414)
        return refuse(p, 414, "arg", "the query is too long");
    if (!r->listens)
        return send_back(p, r);
    return is_head(p->method) ? refuse(p, 405, "unsupported", "events have no HEAD")
                              : tc_server_feed(s, p, r);
}

bool tc_server_admit(tc_server *s, tc_pending *p)
{
    tc_request q = request_of(p, p->method, p->path);
    p->admitted = tc_coord_admit(s->coord, &q, &p->body_most, &p->answer);
    return p->admitted;
}

bool tc_server_knows(tc_server *s, const tc_pending *p)
{
    return tc_coord_knows(s->coord, bearer(p->connection));
}

static enum MHD_Result send_away(tc_server *s, tc_pending *p)
{
    bool ending;
    (void)tc_server_changes(s, p->study, &ending);
    return refuse(p, 503, "busy",
                  ending ? "the server stops" : "too many requests wait; ask again");
}

/* A thread of a queue is done with it. */
static enum MHD_Result give(tc_server *s, tc_pending *p)
{
    if (p->turned_away == 429) {
        tc_coord_counted(s->coord, 429);
        tc_connection_turn(s, p->peer, TC_TURN_BODY);
        return MHD_queue_response(p->connection, 429, s->too_many);
    }
    return p->turned_away ? send_away(s, p) : answer(s, p, &p->answer);
}

/* True: neither this request nor the check of its caller needs the store. */
static bool is_at_once(const tc_pending *p)
{
    return p->pace == TC_PACE_AT_ONCE || p->pace == TC_PACE_PROBE;
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

/* It may be sent; is it short enough? */
static enum MHD_Result begin_body(tc_server *s, tc_pending *p)
{
    size_t most = p->body_most < s->body_max ? p->body_most : s->body_max;
    p->step = TC_STEP_HEADERS;
    p->body.max = most + 1;
    tc_connection_turn(s, p->peer, TC_TURN_BODY);
    return tc_body_length(p->connection) > most ? refuse_body(p, 413) : MHD_YES;
}

/* Before a byte of a body is kept: may it be sent? */
static enum MHD_Result admit(tc_server *s, tc_pending *p, const char *method, const char *path)
{
    p->body.max = 1;
    if (tc_body_length(p->connection) == 0)
        return MHD_YES;
    p->method = method;
    p->path = path;
    p->pace = tc_coord_pace(is_head(method) ? MHD_HTTP_METHOD_GET : method, path);
    if (is_at_once(p))
        return tc_server_admit(s, p) ? begin_body(s, p) : send_back(p, &p->answer);
    p->step = TC_STEP_ADMIT_BODY;
    tc_connection_turn(s, p->peer, TC_TURN_OURS);
    return tc_queue_add(s->quick, p) ? MHD_YES : send_away(s, p);
}

/* The study of "/v1/studies/NAME/..."; of other paths whatever there is. */
static uint64_t study_of(const tc_server *s, const char *path)
{
    static const char studies[] = "/v1/studies/";
    const char *name = path + strspn(path, "/");
    if (strncmp(path, studies, sizeof studies - 1) == 0)
        name = path + sizeof studies - 1;
    return tc_server_name(s, name, strcspn(name, "/:"));
}

static tc_pending *begin(tc_server *s, struct MHD_Connection *c, const char *path)
{
    const char *token = bearer(c);
    tc_pending *p = tc_alloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->server = s;
    p->connection = c;
    p->peer = tc_connection_of(c);
    p->until_ns = wait_until(c);
    p->study = study_of(s, path);
    p->token = token ? tc_server_name(s, token, strlen(token)) : 0;
    p->share = p->token % TC_SHARES;
    p->suspect = token && !tc_rate_trusts(s->rate, address(c));
    tc_connection_turn(s, p->peer, TC_TURN_BODY);
    pthread_mutex_lock(&s->lock);
    s->asking++;
    pthread_mutex_unlock(&s->lock);
    return p;
}

/* A connection stays open if no body comes: another handshake would cost more than this. Its state is the
 * answer that it will get, for nothing is allocated. */
static enum MHD_Result turn_away(tc_server *s, struct MHD_Connection *c, void **state)
{
    tc_connection_turn(s, tc_connection_of(c), TC_TURN_BODY);
    tc_coord_counted(s->coord, 429);
    if (tc_body_length(c) > 0)
        return MHD_queue_response(c, 429, s->too_many);
    *state = s->too_many;
    return MHD_YES;
}

/* The headers are there. A head that can be read in two ways has no second chance: nothing that follows it
 * is read as a request. */
static enum MHD_Result meet(tc_server *s, struct MHD_Connection *c, const char *path,
                            const char *method, const char *version, void **state)
{
    const tc_connection *conn = tc_connection_of(c);
    if (!conn)
        return MHD_NO;
    tc_head_fault fault = tc_head_check(c, conn->behind_uri, method, path, version);
    if (!tc_rate_allows(s->rate, address(c)))
        return fault.http != 0 ? MHD_NO : turn_away(s, c, state);
    tc_pending *p = *state = begin(s, c, path);
    if (!p)
        return MHD_NO;
    p->in_chunks = strcmp(version, MHD_HTTP_VERSION_1_0) != 0;
    p->is_last = fault.http != 0;
    return fault.http != 0 ? refuse(p, fault.http, "arg", fault.why) : admit(s, p, method, path);
}

enum MHD_Result tc_server_answer(void *user, struct MHD_Connection *c, const char *path,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **state)
{
    tc_server *s = user;
    tc_pending *p = *state;
    if (!p)
        return meet(s, c, path, method, version, state);
    if (*state != s->too_many && p->answered)
        return give(s, p);
    if (*state != s->too_many && p->step == TC_STEP_BODY)
        return begin_body(s, p);
    if (*upload_size == 0)
        tc_connection_read_all(c);
    if (*state == s->too_many)
        return MHD_queue_response(c, 429, s->too_many);
    if (*upload_size > 0) {
        enum MHD_Result more = tc_body_take(p, upload, *upload_size);
        *upload_size = 0;
        return more;
    }
    if (p->refused)
        return refuse_body(p, p->refused);
    tc_connection_turn(s, p->peer, TC_TURN_OURS);
    p->method = method;
    p->path = path;
    /* Only what asks nothing of the store is answered at once: a thread of libmicrohttpd must not wait. */
    tc_request q = request_of(p, p->method, p->path);
    p->pace = tc_coord_pace(q.method, q.path);
    bool slow = p->pace == TC_PACE_STUDY || p->pace == TC_PACE_ASK;
    if (p->pace == TC_PACE_PROBE && tc_probe_take(s, p))
        return MHD_YES;
    if (is_at_once(p)) {
        tc_server_ask(s, p, &p->answer);
        return answer(s, p, &p->answer);
    }
    p->step = slow && !p->admitted ? TC_STEP_ADMIT : TC_STEP_ASK;
    return tc_queue_add(slow && p->admitted ? s->slow : s->quick, p) ? MHD_YES : send_away(s, p);
}

void tc_server_end(void *user, struct MHD_Connection *c, void **state,
                   enum MHD_RequestTerminationCode code)
{
    tc_server *s = user;
    tc_pending *p = *state;
    tc_connection *conn = tc_connection_of(c);
    tc_connection_turn(s, conn, TC_TURN_IDLE);
    if (conn)
        conn->drains = conn->unread && code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
    if (!p || *state == s->too_many)
        return;
    tc_body_end(p);
    tc_response_fini(&p->answer);
    pthread_mutex_lock(&s->lock);
    s->asking--;
    if (s->ending)
        pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    tc_free(p);
}

/* A zero byte would end a path early, and an escaped slash is a part of a name, of which there is none:
 * such a path is left as it came, and found nowhere. */
size_t tc_server_unescape(void *user, struct MHD_Connection *c, char *text)
{
    (void)user;
    (void)c;
    bool odd =
        strstr(text, "%00") || (*text == '/' && (strstr(text, "%2F") || strstr(text, "%2f")));
    return odd ? strlen(text) : MHD_http_unescape(text);
}
