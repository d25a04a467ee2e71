/* pool.c - a fixed set of threads that share loops.
 *
 * One loop runs at a time. Its caller works along with the threads; all take
 * the next index from an atomic counter. A caller that finds the pool taken,
 * from inside a body or from another thread, runs its loop alone: same
 * result, no waiting, no deadlock. */
#include "base/pool.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };

struct tc_pool {
    pthread_mutex_t turn; /* held by the caller of the running loop */

    pthread_mutex_t lock; /* guards what follows, up to `quit` */
    pthread_cond_t start, done;
    unsigned long long loops; /* loops begun; a change wakes the threads */
    size_t busy;              /* threads that have not finished the present loop */
    bool quit;

    /* The loop. Written under `lock` before `loops` changes. */
    void (*body)(void *ctx, size_t i);
    void *ctx;
    size_t n;
    atomic_size_t next;

    size_t workers; /* threads besides the caller */
    pthread_t threads[];
};

static void work(tc_pool *p)
{
    size_t i;
    while ((i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->n)
        p->body(p->ctx, i);
}

static void *worker(void *pool)
{
    tc_pool *p = pool;
    unsigned long long seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->loops == seen && !p->quit)
            pthread_cond_wait(&p->start, &p->lock);
        if (p->quit)
            break;
        seen = p->loops;
        pthread_mutex_unlock(&p->lock);
        work(p);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static size_t cores(void)
{
    cpu_set_t set; /* what this process may use, not what the machine has */
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (size_t)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

/* Results do not depend on the number of threads, so where the system gives
 * fewer than asked for, the pool is smaller and not an error. */
static void start_workers(tc_pool *p, size_t workers)
{
    while (p->workers < workers) {
        int e = pthread_create(&p->threads[p->workers], NULL, worker, p);
        if (e != 0) {
            tc_log(TC_LOG_WARN, "only %zu of %zu threads could be started: %s", p->workers + 1,
                   workers + 1, strerror(e));
            return;
        }
        p->workers++;
    }
}

tacit_status tc_pool_new(tc_pool **out, size_t threads, tacit_error *err)
{
    if (threads == 0)
        threads = cores();
    if (threads > MOST_THREADS)
        return tc_fail(err, TACIT_E_ARG, "threads must be in [1, %d], got %zu", MOST_THREADS,
                       threads);
    tc_pool *p = tc_alloc(1, sizeof *p + (threads - 1) * sizeof p->threads[0]);
    if (p == NULL)
        return tc_fail_memory(err);
    pthread_mutex_init(&p->turn, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->done, NULL);
    start_workers(p, threads - 1);
    *out = p;
    return TACIT_OK;
}

void tc_pool_free(tc_pool *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->workers; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->start);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->turn);
    tc_free(p);
}

size_t tc_pool_threads(const tc_pool *p)
{
    return p == NULL ? 1 : p->workers + 1;
}

static void run_shared(tc_pool *p, size_t n, void (*body)(void *ctx, size_t i), void *ctx)
{
    pthread_mutex_lock(&p->lock);
    p->body = body;
    p->ctx = ctx;
    p->n = n;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    p->busy = p->workers;
    p->loops++;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);

    work(p);

    pthread_mutex_lock(&p->lock);
    while (p->busy > 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void tc_pool_for(tc_pool *p, size_t n, void (*body)(void *ctx, size_t i), void *ctx)
{
    if (p != NULL && p->workers > 0 && n > 1 && pthread_mutex_trylock(&p->turn) == 0) {
        run_shared(p, n, body, ctx);
        pthread_mutex_unlock(&p->turn);
        return;
    }
    for (size_t i = 0; i < n; i++)
        body(ctx, i);
}
