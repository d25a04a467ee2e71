/* server_crew.c - the threads that ask the coordinator, so that those of libmicrohttpd never wait for a store.
 *
 * A thread of libmicrohttpd has many connections. If it waited for a database that hangs, or for an optimizer,
 * all of them would. So every request but those about the process itself is suspended and queued here; a thread of
 * a crew asks the coordinator and resumes it with its answer. There are two crews:
 *
 *   quick  asks for everything, but for requests about served studies only whether their token allows them: role
 *          and study (tc_coord_admit). Only then do they get a place in the queue of their study.
 *   slow   answers those: a suggestion may compute for seconds, and whoever asks the same study meanwhile waits.
 *          One suggestion of a study is computed at a time, and a few other requests are at work, so that a busy
 *          study leaves room for the others; suggestions take half of the crew at most.
 *
 * Tokens take turns: next is a request of the token that was served least recently, and those of one token keep their
 * order. A study has so many places in the slow queue; when all are taken, the token with the most of them loses
 * its newest to a token that has fewer. So nobody is sent away for what others do, as long as it asks for less
 * than they. Called by server_request.c and server_hold.c. */
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

struct tc_crew {
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

/* What a thread of a crew is told. */
typedef struct member {
    tc_crew *crew;
    size_t i;
} member;

/* ---- the queue, under the lock ---- */

static void append(tc_crew *c, tc_pending *p)
{
    p->next = NULL;
    *c->last = p;
    c->last = &p->next;
    c->n_waiting++;
    c->waiting[p->share]++;
}

/* `at`: what points to it. */
static tc_pending *take_out(tc_crew *c, tc_pending **at)
{
    tc_pending *p = *at;
    *at = p->next;
    if (!*at)
        c->last = at;
    c->n_waiting--;
    c->waiting[p->share]--;
    return p;
}

static bool may_begin(const tc_crew *c, const tc_pending *p)
{
    size_t asks = 0, same = 0;
    if (!c->slow || c->ending)
        return true;
    for (size_t i = 0; i < c->n; i++) {
        const task *t = &c->tasks[i];
        asks += t->busy && t->pace == TC_PACE_ASK;
        same += t->busy && t->pace == p->pace && t->study == p->study;
    }
    return p->pace == TC_PACE_ASK ? asks < ASKS_MOST && same == 0 : same < STUDY_MOST;
}

static tc_pending *take(tc_crew *c)
{
    tc_pending **best = NULL;
    for (tc_pending **at = &c->first; *at; at = &(*at)->next)
        if ((!best || c->served[(*at)->share] < c->served[(*best)->share]) && may_begin(c, *at))
            best = at;
    if (!best)
        return NULL;
    tc_pending *p = take_out(c, best);
    c->served[p->share] = ++c->turn;
    return p;
}

/* Of those that wait for the study of p: what points to the newest of the token that has most of them. *most: how
 * many these are; *mine: how many are of p's own token; *all: how many there are. */
static tc_pending **find_greedy(tc_crew *c, const tc_pending *p, size_t *most, size_t *mine,
                                size_t *all)
{
    tc_pending **places[PLACES], **greedy = NULL;
    *most = *mine = *all = 0;
    for (tc_pending **at = &c->first; *at && *all < PLACES; at = &(*at)->next)
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
static bool has_place(tc_crew *c, const tc_pending *p, tc_pending **loser)
{
    size_t most, mine, all;
    *loser = NULL;
    if (c->ending)
        return false;
    if (!c->slow)
        return c->n_waiting < c->most && c->waiting[p->share] < QUICK_SHARE;
    tc_pending **greedy = find_greedy(c, p, &most, &mine, &all);
    if (all < PLACES)
        return true;
    if (most <= mine + 1)
        return false;
    *loser = take_out(c, greedy);
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
static bool queue(tc_crew *c, tc_pending *p, bool suspend)
{
    tc_pending *loser;
    pthread_mutex_lock(&c->lock);
    bool room = has_place(c, p, &loser);
    if (room && suspend)
        MHD_suspend_connection(p->connection);
    if (room) {
        append(c, p);
        pthread_cond_signal(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    if (loser)
        finish(loser, 503);
    return room;
}

bool tc_crew_take(tc_crew *c, tc_pending *p)
{
    return queue(c, p, true);
}

void tc_crew_take_back(tc_crew *c, tc_pending *p)
{
    pthread_mutex_lock(&c->lock);
    append(c, p);
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

size_t tc_crew_waiting(tc_crew *c)
{
    pthread_mutex_lock(&c->lock);
    size_t n = c->n_waiting;
    pthread_mutex_unlock(&c->lock);
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

/* "Not yet" is held, without a thread, until its study changes; then it comes back to this queue. */
static void ask(tc_server *s, tc_pending *p)
{
    for (;;) {
        bool ending;
        uint64_t before = tc_server_changes(s, p->study, &ending);
        tc_server_ask(s, p, &p->answer);
        if (p->answer.closes)
            tc_server_poke(s);
        if (ending || !p->answer.wait || !tc_server_may_hold(p))
            break;
        tc_response_fini(&p->answer);
        p->answer = (tc_response){0};
        if (tc_server_hold(s, p, before))
            return;
    }
    finish(p, 0);
}

static void work(tc_crew *c, tc_pending *p, bool ending)
{
    bool is_asked = p->step == TC_STEP_ASK;
    int away = c->slow && ending                              ? 503
               : p->suspect && !tc_server_knows(c->server, p) ? 429
               : is_asked && tc_answers_full(c->server, p)    ? 503 /* before it is computed */
                                                              : 0;
    if (away != 0)
        finish(p, away);
    else if (is_asked)
        ask(c->server, p);
    else
        admit(c->server, p);
}

static void *run(void *user)
{
    member me = *(member *)user;
    tc_crew *c = me.crew;
    tc_free(user);
    pthread_mutex_lock(&c->lock);
    for (;;) {
        tc_pending *p = take(c);
        if (p) {
            bool ending = c->ending;
            c->tasks[me.i] = (task){.busy = true, .pace = p->pace, .study = p->study};
            pthread_mutex_unlock(&c->lock);
            work(c, p, ending);
            pthread_mutex_lock(&c->lock);
            c->tasks[me.i].busy = false;
            if (c->slow)
                pthread_cond_broadcast(&c->changed); /* others of its study may begin */
        } else if (c->ending) {
            break;
        } else {
            pthread_cond_wait(&c->changed, &c->lock);
        }
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- birth and end ---- */

static tacit_status add_thread(tc_crew *c, tacit_error *err)
{
    member *m = tc_alloc(1, sizeof *m);
    if (!m)
        return tc_fail_memory(err);
    *m = (member){.crew = c, .i = c->n};
    pthread_mutex_lock(&c->lock);
    bool ok = pthread_create(&c->threads[c->n], NULL, run, m) == 0;
    c->n += ok;
    pthread_mutex_unlock(&c->lock);
    if (ok)
        return TACIT_OK;
    tc_free(m);
    return tc_fail_memory(err);
}

static tacit_status start(tc_crew **out, tc_server *s, bool slow, size_t threads, tacit_error *err)
{
    tc_crew *c = *out = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    c->server = s;
    c->slow = slow;
    c->last = &c->first;
    c->most = s->connections / 2 < QUICK_MOST ? s->connections / 2 : QUICK_MOST;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->tasks = tc_alloc(threads, sizeof *c->tasks);
    c->threads = tc_alloc(threads, sizeof *c->threads);
    if (!c->tasks || !c->threads)
        return tc_fail_memory(err);
    for (size_t i = 0; i < threads; i++)
        TC_TRY(add_thread(c, err));
    return TACIT_OK;
}

tacit_status tc_crews_start(tc_server *s, size_t threads, tacit_error *err)
{
    TC_TRY(start(&s->slow, s, true, SLOW_THREADS, err));
    return start(&s->quick, s, false, threads, err);
}

static void end(tc_crew *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->ending = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->n; i++)
        pthread_join(c->threads[i], NULL);
    c->n = 0;
}

/* The quick one first: it hands requests to the other. */
void tc_crews_end(tc_server *s)
{
    end(s->quick);
    end(s->slow);
}

static void crew_free(tc_crew *c)
{
    if (!c)
        return;
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    tc_free(c->tasks);
    tc_free(c->threads);
    tc_free(c);
}

void tc_crews_free(tc_server *s)
{
    crew_free(s->quick);
    crew_free(s->slow);
}
