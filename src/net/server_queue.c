/* server_queue.c - the threads that ask the coordinator, so that those of libmicrohttpd never wait for a store.
 *
 * A thread of libmicrohttpd has many connections. If it waited for a database that hangs, or for an optimizer,
 * all of them would. So every request but those about the process itself is suspended and queued here; a thread of
 * a queue asks the coordinator and resumes it with its answer. There are two queues:
 *
 *   quick  asks for everything, but for requests about served studies only whether their token allows them: role
 *          and study (tc_coord_admit). Only then do they get a place in the queue of their study.
 *   slow   answers those: a suggestion may compute for seconds, and whoever asks the same study meanwhile waits.
 *          One suggestion of a study is computed at a time, and a few other requests are at work, so that a busy
 *          study leaves room for the others; suggestions take half of its threads at most.
 *
 * Tokens take turns: next is a request of the token that was served least recently, and those of one token keep their
 * order. A study has so many places in the slow queue; when all are taken, the token with the most of them loses
 * its newest to a token that has fewer. So nobody is sent away for what others do, as long as it asks for less
 * than they. Called by server.c, server_request.c and server_park.c. */
#include "net/server_int.h"

#include "base/error.h"
#include "base/memory.h"

enum {
    SLOW_THREADS = 32,
    ASKS_MOST = SLOW_THREADS / 2,
    STUDY_MOST = 8,    /* requests of one study at work, suggestions aside */
    PLACES = 128,      /* requests that wait for one study */
    QUICK_MOST = 4096, /* requests that wait in the quick queue, or half of the connections ... */
    QUICK_SHARE = 1024 /* ... and those of one token */
};

/* What a thread is at; kept apart from the request, which is another thread's once it is resumed. */
typedef struct task {
    bool busy;
    tc_pace pace;
    uint64_t study;
} task;

struct tc_request_queue {
    tc_server *server;
    bool slow;
    pthread_mutex_t lock; /* everything below */
    pthread_cond_t changed;
    tc_pending *first, **last; /* the queue */
    size_t n_waiting, most;
    task *tasks; /* of thread i */
    pthread_t *threads;
    size_t n;                    /* of them */
    uint64_t turn;               /* grows with every request that begins */
    uint64_t served[TC_SHARES];  /* the turn in which a token was served last, by its share */
    uint16_t waiting[TC_SHARES]; /* requests of a token in the queue */
    bool ending;
};

/* What a thread of a queue is told. */
typedef struct member {
    tc_request_queue *queue;
    size_t i;
} member;

/* ---- the queue, under the lock ---- */

static void append(tc_request_queue *q, tc_pending *p)
{
    p->next = NULL;
    *q->last = p;
    q->last = &p->next;
    q->n_waiting++;
    q->waiting[p->share]++;
}

/* `at`: what points to it. */
static tc_pending *take_out(tc_request_queue *q, tc_pending **at)
{
    tc_pending *p = *at;
    *at = p->next;
    if (!*at)
        q->last = at;
    q->n_waiting--;
    q->waiting[p->share]--;
    return p;
}

static bool may_begin(const tc_request_queue *q, const tc_pending *p)
{
    size_t asks = 0, same = 0;
    if (!q->slow || q->ending)
        return true;
    for (size_t i = 0; i < q->n; i++) {
        const task *t = &q->tasks[i];
        asks += t->busy && t->pace == TC_PACE_ASK;
        same += t->busy && t->pace == p->pace && t->study == p->study;
    }
    return p->pace == TC_PACE_ASK ? asks < ASKS_MOST && same == 0 : same < STUDY_MOST;
}

static tc_pending *take(tc_request_queue *q)
{
    tc_pending **best = NULL;
    for (tc_pending **at = &q->first; *at; at = &(*at)->next)
        if ((!best || q->served[(*at)->share] < q->served[(*best)->share]) && may_begin(q, *at))
            best = at;
    if (!best)
        return NULL;
    tc_pending *p = take_out(q, best);
    q->served[p->share] = ++q->turn;
    return p;
}

/* Among the requests that wait for the study of p, finds the token with the most: what points to its newest one. *most:
 * how many it has; *mine: how many are of p's own token; *all: how many there are. */
static tc_pending **find_greedy(tc_request_queue *q, const tc_pending *p, size_t *most,
                                size_t *mine, size_t *all)
{
    tc_pending **places[PLACES], **greedy = NULL;
    *most = *mine = *all = 0;
    for (tc_pending **at = &q->first; *at && *all < PLACES; at = &(*at)->next)
        if ((*at)->study == p->study)
            places[(*all)++] = at;
    for (size_t i = 0; i < *all; i++) {
        size_t n = 0;
        *mine += (*places[i])->token == p->token;
        for (size_t j = 0; j < *all; j++)
            n += (*places[j])->token == (*places[i])->token;
        if (n >= *most) { /* of equals the newest */
            *most = n;
            greedy = places[i];
        }
    }
    return greedy;
}

/* Is there a place for p? *loser: who gives up its own for it, or NULL. */
static bool has_place(tc_request_queue *q, const tc_pending *p, tc_pending **loser)
{
    size_t most, mine, all;
    *loser = NULL;
    if (q->ending)
        return false;
    if (!q->slow)
        return q->n_waiting < q->most && q->waiting[p->share] < QUICK_SHARE;
    tc_pending **greedy = find_greedy(q, p, &most, &mine, &all);
    if (all < PLACES)
        return true;
    if (most <= mine + 1)
        return false;
    *loser = take_out(q, greedy);
    return true;
}

/* ---- work ---- */

/* Without the lock. p->answer, or the status of a refusal of ours. */
static void finish(tc_pending *p, int turned_away)
{
    p->answered = true;
    p->turned_away = turned_away;
    MHD_resume_connection(p->connection);
}

/* `suspend`: it is still at work for libmicrohttpd. */
static bool queue(tc_request_queue *q, tc_pending *p, bool suspend)
{
    tc_pending *loser;
    pthread_mutex_lock(&q->lock);
    bool room = has_place(q, p, &loser);
    if (room && suspend)
        MHD_suspend_connection(p->connection);
    if (room) {
        append(q, p);
        pthread_cond_signal(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    if (loser)
        finish(loser, 503);
    return room;
}

bool tc_queue_add(tc_request_queue *q, tc_pending *p)
{
    return queue(q, p, true);
}

void tc_queue_add_again(tc_request_queue *q, tc_pending *p)
{
    pthread_mutex_lock(&q->lock);
    append(q, p);
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

size_t tc_queue_waiting(tc_request_queue *q)
{
    pthread_mutex_lock(&q->lock);
    size_t n = q->n_waiting;
    pthread_mutex_unlock(&q->lock);
    return n;
}

/* May it go on? A request with a body is resumed to send it; one about a served study goes to its queue. */
static void admit(tc_server *s, tc_pending *p)
{
    if (!tc_server_admit(s, p)) {
        finish(p, 0);
    } else if (p->step == TC_STEP_ADMIT_BODY) {
        p->step = TC_STEP_BODY;
        MHD_resume_connection(p->connection);
    } else {
        p->step = TC_STEP_ASK;
        if (!queue(s->slow, p, false))
            finish(p, 503);
    }
}

/* "Not yet" is parked, without a thread, until its study changes; then it comes back to this queue. */
static void ask(tc_server *s, tc_pending *p)
{
    for (;;) {
        bool ending;
        uint64_t before = tc_server_changes(s, p->study, &ending);
        tc_server_ask(s, p, &p->answer);
        if (p->answer.closes)
            tc_server_poke(s);
        if (ending || !p->answer.wait || !tc_server_may_park(p))
            break;
        tc_response_fini(&p->answer);
        p->answer = (tc_response){0};
        if (tc_server_park(s, p, before))
            return;
    }
    finish(p, 0);
}

static void work(tc_request_queue *q, tc_pending *p, bool ending)
{
    bool is_asked = p->step == TC_STEP_ASK;
    int away = q->slow && ending                              ? 503
               : p->suspect && !tc_server_knows(q->server, p) ? 429
               : is_asked && tc_answers_full(q->server, p)    ? 503 /* before it is computed */
                                                              : 0;
    if (away != 0)
        finish(p, away);
    else if (is_asked)
        ask(q->server, p);
    else
        admit(q->server, p);
}

static void *run(void *user)
{
    member me = *(member *)user;
    tc_request_queue *q = me.queue;
    tc_free(user);
    pthread_mutex_lock(&q->lock);
    for (;;) {
        tc_pending *p = take(q);
        if (p) {
            bool ending = q->ending;
            q->tasks[me.i] = (task){.busy = true, .pace = p->pace, .study = p->study};
            pthread_mutex_unlock(&q->lock);
            work(q, p, ending);
            pthread_mutex_lock(&q->lock);
            q->tasks[me.i].busy = false;
            if (q->slow)
                pthread_cond_broadcast(&q->changed); /* others of its study may begin */
        } else if (q->ending) {
            break;
        } else {
            pthread_cond_wait(&q->changed, &q->lock);
        }
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* ---- birth and end ---- */

static tacit_status add_thread(tc_request_queue *q, tacit_error *err)
{
    member *m = tc_alloc(1, sizeof *m);
    if (!m)
        return tc_fail_memory(err);
    *m = (member){.queue = q, .i = q->n};
    pthread_mutex_lock(&q->lock);
    bool ok = pthread_create(&q->threads[q->n], NULL, run, m) == 0;
    q->n += ok;
    pthread_mutex_unlock(&q->lock);
    if (ok)
        return TACIT_OK;
    tc_free(m);
    return tc_fail_memory(err);
}

static tacit_status start(tc_request_queue **out, tc_server *s, bool slow, size_t threads,
                          tacit_error *err)
{
    tc_request_queue *q = *out = tc_alloc(1, sizeof *q);
    if (!q)
        return tc_fail_memory(err);
    q->server = s;
    q->slow = slow;
    q->last = &q->first;
    q->most = s->connections_most / 2 < QUICK_MOST ? s->connections_most / 2 : QUICK_MOST;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->tasks = tc_alloc(threads, sizeof *q->tasks);
    q->threads = tc_alloc(threads, sizeof *q->threads);
    if (!q->tasks || !q->threads)
        return tc_fail_memory(err);
    for (size_t i = 0; i < threads; i++)
        TC_TRY(add_thread(q, err));
    return TACIT_OK;
}

tacit_status tc_queues_start(tc_server *s, size_t threads, tacit_error *err)
{
    TC_TRY(start(&s->slow, s, true, SLOW_THREADS, err));
    return start(&s->quick, s, false, threads, err);
}

static void end(tc_request_queue *q)
{
    if (!q)
        return;
    pthread_mutex_lock(&q->lock);
    q->ending = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    for (size_t i = 0; i < q->n; i++)
        pthread_join(q->threads[i], NULL);
    q->n = 0;
}

/* The quick one first: it hands requests to the other. */
void tc_queues_end(tc_server *s)
{
    end(s->quick);
    end(s->slow);
}

static void queue_free(tc_request_queue *q)
{
    if (!q)
        return;
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    tc_free(q->tasks);
    tc_free(q->threads);
    tc_free(q);
}

void tc_queues_free(tc_server *s)
{
    queue_free(s->quick);
    queue_free(s->slow);
}
