/* server_head.c - the head of a request: does everybody read it in the same way?
 *
 * A proxy before this server may read a doubtful head in another way than libmicrohttpd does. What it took
 * for a body would then run here as a second request, under the proxy's name. So a head that can be read in
 * two ways is refused, and its connection is closed before another byte is taken for a request.
 *
 * libmicrohttpd 0.9 has no such check. It also ends a path or a line at a zero byte, forgets the rest of it,
 * and joins lines that are folded. But the words that it hands out lie in the buffer that the head was read
 * into, with zeros where it was taken apart. So what was forgotten is a gap between two words: the head is
 * whole if each word begins where the one before it ends. From 1.0 on it refuses such heads by itself if it is
 * told to be strict, and leaves other traces; then names and repetitions are checked here and nothing else.
 * Called by server.c, server_request.c and server_connection.c. */
#include "net/server_int.h"

#include "wire/protocol.h"

#include <string.h>
#include <strings.h>

/* Headers that may appear only once: of two, one reader takes the first and another the last. */
static const char *const single[] = {MHD_HTTP_HEADER_HOST,
                                     MHD_HTTP_HEADER_AUTHORIZATION,
                                     MHD_HTTP_HEADER_CONTENT_LENGTH,
                                     MHD_HTTP_HEADER_TRANSFER_ENCODING,
                                     MHD_HTTP_HEADER_CONTENT_TYPE,
                                     MHD_HTTP_HEADER_EXPECT,
                                     TC_PROTOCOL_HEADER,
                                     "Tacit-Signature",
                                     "Idempotency-Key",
                                     "Last-Event-ID"};

#define GAP "the headers have a zero byte, a folded line, or a line that does not end in CR LF"

enum { N_SINGLE = sizeof single / sizeof *single };

/* The head, as far as it was read. */
typedef struct head {
    const char *at; /* behind the last word; NULL: libmicrohttpd looks for gaps */
    bool seen[N_SINGLE];
    tc_head_fault fault;
} head;

/* ---- characters ---- */

static bool is_visible(const char *p)
{
    while (*p > ' ' && *p < 0x7f)
        p++;
    return *p == 0;
}

/* A token of RFC 9110, section 5.6.2. */
static bool is_token(const char *p, size_t n)
{
    static const char others[] = "!#$%&'*+-.^_`|~0123456789";
    for (size_t i = 0; i < n; i++) {
        char lower = (char)(p[i] | 0x20);
        if (p[i] == 0 || (!(lower >= 'a' && lower <= 'z') && !strchr(others, p[i])))
            return false;
    }
    return n > 0;
}

/* Bytes of 128 and more are allowed there, too. */
static bool is_value(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

/* ---- words ---- */

static enum MHD_Result spoil(head *h, const char *why)
{
    h->fault = (tc_head_fault){.http = 400, .why = why};
    return MHD_NO;
}

/* Ends of lines, a CR and an LF each, which are zeros now. */
static bool are_line_ends(const char *at, size_t n)
{
    return memcmp(at, "\0\0\0\0", 2 * n) == 0;
}

static bool is_again(head *h, const char *name)
{
    size_t i = 0;
    while (i < N_SINGLE && strcasecmp(single[i], name) != 0)
        i++;
    bool again = i < N_SINGLE && h->seen[i];
    if (i < N_SINGLE)
        h->seen[i] = true;
    return again;
}

static enum MHD_Result read_field(void *user, enum MHD_ValueKind kind, const char *name,
                                  size_t n_name, const char *value, size_t n_value)
{
    head *h = user;
    (void)kind;
    if (h->at && (!are_line_ends(h->at, 1) || name != h->at + 2))
        return spoil(h, GAP);
    if (!is_token(name, n_name))
        return spoil(h,
                     "the name of a header has a space or another character that is not allowed");
    const char *from = name + n_name + 1; /* where the colon was */
    if ((h->at && value != from + strspn(from, " \t")) || !is_value(value, n_value))
        return spoil(h, "a header has a control character");
    if (is_again(h, name))
        return spoil(h, "a header that may be there once is there twice");
    h->at = h->at ? value + n_value : NULL;
    return MHD_YES;
}

static bool saw(const head *h, const char *name)
{
    for (size_t i = 0; i < N_SINGLE; i++)
        if (strcmp(single[i], name) == 0)
            return h->seen[i];
    return false;
}

/* ---- the whole ---- */

bool tc_head_leaves_gaps(void)
{
    return strncmp(MHD_get_version(), "0.", 2) == 0;
}

const char *tc_head_behind_uri(const char *uri)
{
    return uri && is_visible(uri) ? uri + strlen(uri) + 1 : NULL;
}

/* Chunks are not read: what libmicrohttpd allows in them has corners of its own, and nobody needs them for
 * a body that is limited anyway. */
static void check_length(head *h)
{
    bool coded = saw(h, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    if (coded && saw(h, MHD_HTTP_HEADER_CONTENT_LENGTH))
        spoil(h, "a request has Content-Length or Transfer-Encoding, not both");
    else if (coded)
        h->fault = (tc_head_fault){
            .http = 411, .why = "a body needs a Content-Length; Transfer-Encoding is not taken"};
}

/* libmicrohttpd 0.9: is the first line as it came, and do the headers end where the last one does? */
static void check_line(head *h, const char *behind_uri, const char *method, const char *path,
                       const char *version)
{
    if (!is_token(method, strlen(method)) || path != method + strlen(method) + 1 ||
        version != behind_uri)
        spoil(h,
              "the first line is not a method, a path and a version with one space between them");
}

static void check_end(head *h, struct MHD_Connection *c, const char *method)
{
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!size || h->at + 4 != method + size->header_size || !are_line_ends(h->at, 2))
        spoil(h, GAP);
}

tc_head_fault tc_head_check(struct MHD_Connection *c, const char *behind_uri, const char *method,
                            const char *path, const char *version)
{
    head h = {.at = tc_head_leaves_gaps() ? version + strlen(version) : NULL};
    if (h.at)
        check_line(&h, behind_uri, method, path, version);
    if (h.fault.http == 0)
        MHD_get_connection_values_n(c, MHD_HEADER_KIND, read_field, &h);
    if (h.fault.http == 0 && h.at)
        check_end(&h, c, method);
    if (h.fault.http != 0)
        return h.fault;
    if (strcmp(version, MHD_HTTP_VERSION_1_0) != 0 && !saw(&h, MHD_HTTP_HEADER_HOST))
        spoil(&h, "a request of HTTP/1.1 needs the header Host");
    else
        check_length(&h);
    return h.fault;
}
