/* server_answer.c - answers on their way: one copy of each, and a limit over all.
 *
 * An answer is in memory until the other side has taken it, and who asks need not read. So large answers take
 * room: all together have a limit, those of one token a share of it, and who finds no room gets 503. What is the
 * same for all (a broadcast, points, the API's description) is shared by all who are sent it, and takes none. What
 * most requests are answered with is so short that it always finds room. Called by server_request.c and
 * server_queue.c. */
#include "net/server_int.h"

#include "base/memory.h"

#include <string.h>

enum { SMALL = 4096, SHARES = 8 /* of the limit, one token has one */ };

/* What libmicrohttpd gives back when it is sent. */
typedef struct tc_sent {
    tc_server *server;
    size_t share, reserved;
    char *data;             /* or */
    tc_shared_text *shared; /* not ours */
} tc_sent;

/* ---- room ---- */

/* A token that has nothing on its way may exceed its share, or nobody could read what is larger. Under the lock. */
static bool has_room(const tc_server *s, size_t used, size_t n)
{
    size_t left = s->answers < s->answers_most ? s->answers_most - s->answers : 0;
    size_t share = s->answers_most / SHARES;
    if (s->answers == 0 || n <= SMALL)
        return true;
    return n <= left && (used == 0 || (used < share && n <= share - used));
}

bool tc_answers_full(tc_server *s, const tc_pending *p)
{
    if (strcmp(p->method, MHD_HTTP_METHOD_GET) != 0)
        return false;
    pthread_mutex_lock(&s->lock);
    bool full = s->shares[p->share].answers >= s->answers_most / SHARES;
    pthread_mutex_unlock(&s->lock);
    return full;
}

/* force: it has had its effect, and cannot be asked for again. */
static bool reserve(tc_server *s, tc_sent *t, size_t n, bool force)
{
    pthread_mutex_lock(&s->lock);
    size_t *used = &s->shares[t->share].answers;
    bool room = force || has_room(s, *used, n);
    if (room) {
        s->answers += n;
        *used += n;
        t->reserved = n;
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

/* ---- one answer ---- */

static void sent_free(void *user)
{
    tc_sent *t = user;
    tc_server *s = t->server;
    pthread_mutex_lock(&s->lock);
    s->answers -= t->reserved;
    s->shares[t->share].answers -= t->reserved;
    pthread_mutex_unlock(&s->lock);
    tc_free(t->data);
    tc_shared_text_end(t->shared);
    tc_free(t);
}

/* Moves the text, without its spare capacity. */
static void take_text(tc_sent *t, tc_text *body)
{
    char *less = body->cap > body->len + 1 ? tc_resize(body->data, body->len + 1, 1) : NULL;
    t->data = less ? less : body->data;
    *body = (tc_text){.data = NULL};
}

struct MHD_Response *tc_answer_response(tc_pending *p, tc_response *r, bool force, bool *full)
{
    size_t n = r->shared ? r->shared->len : r->body.len;
    tc_sent *t = tc_alloc(1, sizeof *t);
    *full = false;
    if (!t)
        return NULL;
    t->server = p->server;
    t->share = p->share;
    if (!reserve(p->server, t, r->shared ? 0 : n, force)) {
        *full = true;
        sent_free(t);
        return NULL;
    }
    t->shared = r->shared;
    r->shared = NULL;
    if (!t->shared)
        take_text(t, &r->body);
    void *bytes = t->shared ? t->shared->data : t->data;
    struct MHD_Response *m = MHD_create_response_from_buffer_with_free_callback_cls(
        n, bytes ? bytes : (void *)(uintptr_t) "", sent_free, t);
    if (!m)
        sent_free(t);
    return m;
}
