/* server_crew.c - requests about served studies, answered by threads of their own.
 *
 * A suggestion may compute for seconds, and whoever asks the same study meanwhile waits for it. The threads
 * that read and write connections must not: each has many of them. So such a request is suspended and
 * queued here; a thread of the crew asks the coordinator and resumes it with its answer.
 *
 * In the order in which they came, but: of one study one suggestion is computed at a time, and a few other
 * requests are at work, so that a busy study leaves room for the others; and suggestions take half of the
 * crew at most. Who finds too many waiting for the same study is sent away. Called by server_request.c. */
#include "net/server_int.h"

#include "base/error.h"
#include "base/memory.h"

enum { CREW = 32, ASKS_MOST = CREW / 2, STUDY_MOST = 8, WAITING_MOST = 128 };

struct tc_crew {
    pthread_mutex_t lock; /* everything below */
    pthread_cond_t changed;
    tc_pending *first, **last;    /* the queue */
    const tc_pending *busy[CREW]; /* what thread i is at; NULL: nothing */
    pthread_t threads[CREW];
    size_t n; /* of them */
    bool ending;
};

/* What a thread of the crew is told. */
typedef struct member {
    tc_server *server;
    size_t i;
} member;

/* ---- whose turn is it? Under the lock. ---- */

static bool may_begin(const tc_crew *c, const tc_pending *p)
{
    size_t asks = 0, same = 0;
    for (size_t i = 0; i < CREW; i++) {
        const tc_pending *b = c->busy[i];
        if (!b)
            continue;
        asks += b->pace == TC_PACE_ASK;
        same += b->pace == p->pace && b->study == p->study;
    }
    return p->pace == TC_PACE_ASK ? asks < ASKS_MOST && same == 0 : same < STUDY_MOST;
}

static tc_pending *take(tc_crew *c)
{
    tc_pending **at = &c->first;
    while (*at && !c->ending && !may_begin(c, *at))
        at = &(*at)->next;
    tc_pending *p = *at;
    if (p) {
        *at = p->next;
        if (!*at)
            c->last = at;
    }
    return p;
}

static size_t waiting(const tc_crew *c, uint64_t study)
{
    size_t n = 0;
    for (const tc_pending *p = c->first; p; p = p->next)
        n += p->study == study;
    return n;
}

/* ---- work ---- */

/* Without the lock. Once resumed, a request is another thread's: so it is struck off before. */
static void work(tc_server *s, tc_pending *p, size_t me, bool ending)
{
    tc_crew *c = s->crew;
    if (!ending)
        tc_server_ask(s, p, &p->answer);
    p->answered = true;
    pthread_mutex_lock(&c->lock);
    c->busy[me] = NULL;
    pthread_cond_broadcast(&c->changed); /* others of its study may begin */
    pthread_mutex_unlock(&c->lock);
    MHD_resume_connection(p->connection);
}

static void *run(void *user)
{
    member me = *(member *)user;
    tc_crew *c = me.server->crew;
    tc_free(user);
    pthread_mutex_lock(&c->lock);
    for (;;) {
        tc_pending *p = take(c);
        if (p) {
            bool ending = c->ending;
            c->busy[me.i] = p;
            pthread_mutex_unlock(&c->lock);
            work(me.server, p, me.i, ending);
            pthread_mutex_lock(&c->lock);
        } else if (c->ending) {
            break;
        } else {
            pthread_cond_wait(&c->changed, &c->lock);
        }
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

bool tc_crew_take(tc_server *s, tc_pending *p)
{
    tc_crew *c = s->crew;
    pthread_mutex_lock(&c->lock);
    bool room = !c->ending && waiting(c, p->study) < WAITING_MOST;
    if (room) {
        MHD_suspend_connection(p->connection);
        p->next = NULL;
        *c->last = p;
        c->last = &p->next;
        pthread_cond_signal(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    return room;
}

/* ---- birth and end ---- */

static tacit_status add_thread(tc_server *s, tacit_error *err)
{
    tc_crew *c = s->crew;
    member *m = tc_alloc(1, sizeof *m);
    if (!m)
        return tc_fail_memory(err);
    *m = (member){.server = s, .i = c->n};
    if (pthread_create(&c->threads[c->n], NULL, run, m) != 0) {
        tc_free(m);
        return tc_fail_memory(err);
    }
    c->n++;
    return TACIT_OK;
}

tacit_status tc_crew_start(tc_server *s, tacit_error *err)
{
    tc_crew *c = s->crew = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    c->last = &c->first;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    for (size_t i = 0; i < CREW; i++)
        TC_TRY(add_thread(s, err));
    return TACIT_OK;
}

void tc_crew_end(tc_server *s)
{
    tc_crew *c = s->crew;
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->ending = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->n; i++)
        pthread_join(c->threads[i], NULL);
}

void tc_crew_free(tc_crew *c)
{
    if (!c)
        return;
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    tc_free(c);
}
