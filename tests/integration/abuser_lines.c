/* abuser_lines.c - requests that are no requests, and lines that are held (abuser.c). */
#include "abuser_int.h"

#include "base/text.h"

/* ---- requests that are no requests ---- */

static void head_of(const abuser *a, const char *more, tc_text *out)
{
    tc_text_addf(out,
                 "POST /v1/studies/s/rounds/0/messages HTTP/1.1\r\nHost: localhost\r\n"
                 "Authorization: Bearer %s\r\nContent-Type: application/json\r\n%s",
                 a->access, more);
}

/* Says it on a line of its own; an answer must be a refusal, and silence is one, too. */
static void say_raw(abuser *a, const char *what, const tc_text *text, bool hang_up)
{
    char answer[2048];
    line l;
    if (!line_open(&l, a->port)) {
        complain(a, "a handshake", 0);
        return;
    }
    (void)line_send(&l, tc_text_get(text), text->len);
    if (!hang_up) {
        int status = line_hear(&l, answer, sizeof answer);
        if (status != 0)
            must_refuse(a, what, status);
    }
    line_drop(&l);
}

static void abuse_head(abuser *a, const char *what, const char *more, bool hang_up)
{
    tc_text text = {0};
    head_of(a, more, &text);
    say_raw(a, what, &text, hang_up);
    tc_text_fini(&text);
}

static void abuse_long_head(abuser *a)
{
    tc_text text = {0};
    head_of(a, "X-Long: ", &text);
    for (int i = 0; i < 1 << 14; i++)
        tc_text_add(&text, "0123456789");
    tc_text_add(&text, "\r\n\r\n");
    say_raw(a, "a long header", &text, false);
    tc_text_fini(&text);
}

/* Chunks that go on beyond every limit. Those that end soon after it are answered, of 8 MiB and a half;
 * on those that do not the coordinator hangs up. */
static void abuse_chunks(abuser *a, bool ends)
{
    static char chunk[16384 + 16];
    char answer[2048];
    tc_text text = {0};
    line l;
    int n = snprintf(chunk, sizeof chunk, "4000\r\n");
    memset(chunk + n, ' ', 16384);
    memcpy(chunk + n + 16384, "\r\n", 2);
    head_of(a, "Transfer-Encoding: chunked\r\n\r\n", &text);
    bool up = line_open(&l, a->port) && line_send(&l, tc_text_get(&text), text.len);
    for (int i = 0; up && i < (ends ? 544 : 4000); i++)
        up = line_send(&l, chunk, (size_t)n + 16384 + 2);
    if (ends)
        must_refuse(a, "a body beyond the limit",
                    up && line_say(&l, "0\r\n\r\n") ? line_hear(&l, answer, sizeof answer) : 0);
    else if (up)
        complain(a, "a body without an end", 0);
    line_drop(&l);
    tc_text_fini(&text);
}

/* Another request follows, which a proxy would take for a part of this one: it is never answered. */
static void abuse_hidden(abuser *a, const char *head, size_t n)
{
    static const char hidden[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    char answer[4096], more[4096];
    line l;
    if (!line_open(&l, a->port)) {
        complain(a, "a handshake", 0);
        return;
    }
    (void)line_send(&l, head, n);
    (void)line_send(&l, hidden, sizeof hidden - 1);
    must_refuse(a, head, line_hear(&l, answer, sizeof answer));
    int second = line_hear(&l, more, sizeof more);
    if (second != 0 || strstr(answer, "200 OK"))
        complain(a, "a request in another one", second);
    line_drop(&l);
}

static void abuse_heads(abuser *a)
{
    static const struct {
        const char *text;
        size_t n;
    } heads[] = {
#define HEAD(text) {"GET /healthz" text "\r\n\r\n", sizeof("GET /healthz" text "\r\n\r\n") - 1}
        HEAD(" HTTP/1.1\r\nHost: x\r\nContent-Length : 37"),
        HEAD("\0/more HTTP/1.1\r\nHost: x"),
        HEAD(" HTTP/1.1\r\nHost: x\r\n\0Content-Length: 37"),
        HEAD(" HTTP/1.1\r\nHost: x\r\nHost: y"),
        HEAD(" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b"),
        HEAD(" HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nTransfer-Encoding: chunked"),
        HEAD(" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity, chunked"),
#undef HEAD
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        abuse_hidden(a, heads[i].text, heads[i].n);
}

void abuse_requests(abuser *a)
{
    abuse_head(a, "a huge body", "Content-Length: 99999999999\r\n\r\n{", false);
    abuse_head(a, "a length that is none", "Content-Length: -1\r\n\r\n{", false);
    abuse_head(a, "two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}{", false);
    abuse_head(a, "less than was promised", "Content-Length: 4000\r\n\r\n{\"sequence\"", true);
    abuse_head(a, "half a header", "Content-Le", true);
    abuse_head(a, "more than was promised",
               "Content-Length: 2\r\n\r\n{}{}{}{} garbage / HTTP/9.9\r\n\r\n", false);
    abuse_long_head(a);
    abuse_heads(a);
    abuse_chunks(a, true);
    abuse_chunks(a, false);
}

/* The first bytes of a ClientHello, and of nothing. */
void abuse_tls(abuser *a)
{
    static const uint8_t hello[] = {22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3};
    for (size_t n = 0; n <= sizeof hello; n++) {
        int s = line_dial(a->port);
        if (s < 0)
            complain(a, "a connection", 0);
        else if (write(s, hello, n) >= 0)
            (void)close(s);
    }
    int s = line_dial(a->port);
    if (s >= 0 && write(s, "GET /healthz HTTP/1.1\r\n\r\n", 25) >= 0)
        (void)close(s);
}

/* ---- lines that are held ---- */

void hold_lines(abuser *a)
{
    tc_text text = {0};
    head_of(a, "X-Slow: ", &text);
    for (size_t i = 0; i < IDLE; i++)
        a->idle[i] = line_dial(a->port);
    for (size_t i = 0; i < LORIS; i++)
        if (line_open(&a->loris[i], a->port))
            (void)line_send(&a->loris[i], tc_text_get(&text), text.len);
    tc_text_fini(&text);
}

/* One more byte of each header that never ends. */
void drip(abuser *a)
{
    for (size_t i = 0; i < LORIS; i++)
        if (a->loris[i].socket >= 0 && !line_say(&a->loris[i], "x"))
            line_drop(&a->loris[i]);
}

void let_go(abuser *a)
{
    for (size_t i = 0; i < IDLE; i++)
        if (a->idle[i] >= 0)
            (void)close(a->idle[i]);
    for (size_t i = 0; i < LORIS; i++)
        line_drop(&a->loris[i]);
}
