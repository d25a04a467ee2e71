/* server.c - libmicrohttpd around the coordinator (server.h): birth, the clock, and the end. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "net/address.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    THREADS = 32,   /* messages that come at once share a sync, as many as there are threads */
    IO_THREADS = 8, /* of libmicrohttpd: they read, write and encrypt, and never wait */
    BODY_MOST = 8 << 20,
    ANSWERS_MOST = 128 << 20,
    MEMORY = 8 << 10,     /* of a connection: its headers */
    HEADERS_MOST_S = 10,  /* for the headers of a request */
    REQUEST_MOST_S = 120, /* for a whole request, and again for its answer */
    STOP_MOST_S = 5,      /* for answers on their way when the server stops */
    FILES_KEPT = 64,      /* for the store and the rest ... */
    FILES_A_THREAD = 3,   /* ... and for each thread: two of libmicrohttpd's, one to spare */
    TICK_MS = 1000
};

/* ---- the clock ---- */

void tc_server_poke(tc_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->due = true;
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

static int64_t pause_ms(const tc_server *s)
{
    return s->heartbeat_ms < TICK_MS ? (int64_t)s->heartbeat_ms : TICK_MS;
}

static int64_t tick(tc_server *s)
{
    tacit_error err = {0};
    int64_t next = INT64_MAX, now = tc_coord_now(s->coord);
    if (tc_coord_tick(s->coord, &next, &err) != TACIT_OK)
        tc_log(TC_LOG_ERROR, "closing rounds: %s", err.msg);
    int64_t most = pause_ms(s);
    return next - now < most ? (next > now ? next - now : 1) : most;
}

static struct timespec in_ms(int64_t ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* Under the lock. */
static void sleep_ms(tc_server *s, int64_t ms)
{
    struct timespec until = in_ms(ms);
    while (!s->due && !s->ending && pthread_cond_timedwait(&s->wake, &s->lock, &until) != ETIMEDOUT)
        ;
    s->due = false;
}

static void *run_ticker(void *user)
{
    tc_server *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        pthread_mutex_unlock(&s->lock);
        int64_t pause = tick(s);
        tc_feeds_check(s);
        pthread_mutex_lock(&s->lock);
        sleep_ms(s, pause);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* A tick may take long, and so may a store: hence a thread of its own. */
static void *run_timekeeper(void *user)
{
    tc_server *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        struct timespec until = in_ms(TC_AGREED_SYNC_MS);
        while (!s->ending && pthread_cond_timedwait(&s->wake, &s->lock, &until) != ETIMEDOUT)
            ;
        pthread_mutex_unlock(&s->lock);
        tc_coord_keep_time(s->coord);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Does what is due for connections. The ticker waits for the store, so this has a thread of its own: however long a
 * store hangs, slow connections are closed and heartbeats go out. */
static void *run_keeper(void *user)
{
    tc_server *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        struct timespec until = in_ms(pause_ms(s));
        while (!s->ending && pthread_cond_timedwait(&s->wake, &s->lock, &until) != ETIMEDOUT)
            ;
        pthread_mutex_unlock(&s->lock);
        tc_connection_end_slow(s);
        tc_drain_end(s, tc_clock_ns());
        tc_feeds_heartbeat(s);
        tc_server_resume_due(s);
        tc_probe_part(s);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- birth and end ---- */

/* As many connections as there may be open files, less a few. */
static tacit_status room(unsigned asked, unsigned threads, unsigned *out, tacit_error *err)
{
    struct rlimit files;
    uint64_t kept = FILES_KEPT + (uint64_t)FILES_A_THREAD * threads;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return tc_fail(err, TACIT_E_IO, "the limit on open files cannot be read: %s",
                       strerror(errno));
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
    (void)getrlimit(RLIMIT_NOFILE, &files);
    uint64_t most = files.rlim_cur > kept ? files.rlim_cur - kept : 0;
    if (most > 100000)
        most = 100000;
    if (most < 16 || asked > most)
        return tc_fail(err, TACIT_E_ARG,
                       "%u connections and %u threads need more open files than the limit of %llu "
                       "allows",
                       asked, threads, (unsigned long long)files.rlim_cur);
    *out = asked > 0 ? asked : (unsigned)most;
    return TACIT_OK;
}

static void mute(void *user, const char *fmt, va_list args)
{
    char line[256];
    (void)user;
    vsnprintf(line, sizeof line, fmt, args);
    line[strcspn(line, "\n")] = 0;
    tc_log(TC_LOG_DEBUG, "http: %s", line);
}

static tacit_status start_daemon(tc_server *s, const tc_server_config *cfg, unsigned threads,
                                 tacit_error *err)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                     MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC | (cfg->tls ? MHD_USE_TLS : 0U);
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, cfg->tls ? cfg->tls->key_pem : NULL},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, cfg->tls ? cfg->tls->cert_pem : NULL},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)TC_TLS_PRIORITIES},
        {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem strict[] = {
        {tc_head_leaves_gaps() ? MHD_OPTION_END : MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_END, 0, NULL}};
    s->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, tc_server_answer, s, MHD_OPTION_EXTERNAL_LOGGER, mute, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, tc_server_end, s, MHD_OPTION_NOTIFY_CONNECTION,
        tc_connection_notify, s, MHD_OPTION_URI_LOG_CALLBACK, tc_connection_begin, s,
        MHD_OPTION_UNESCAPE_CALLBACK, tc_server_unescape, NULL, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        cfg->per_address, MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)INT_MAX, /* ours counts (server_listen.c) */

        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TC_IDLE_MOST_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)MEMORY, MHD_OPTION_ARRAY, cfg->tls ? tls : none, MHD_OPTION_ARRAY, strict,
        MHD_OPTION_END);
    if (!s->daemon)
        return tc_fail(err, TACIT_E_IO, "the server cannot be started: %s",
                       errno ? strerror(errno) : "unknown reason");
    return TACIT_OK;
}

static tacit_status start(tc_server *s, const tc_server_config *cfg, tacit_error *err)
{
    tc_address a;
    unsigned connections, threads = cfg->threads > 0 ? cfg->threads : THREADS;
    TC_TRY(tc_address_parse(&a, cfg->listen, err));
    if (!cfg->tls && !a.loopback)
        return tc_fail(err, TACIT_E_ARG,
                       "without TLS only a loopback address can be listened at, not %s", a.host);
    TC_TRY(room(cfg->connections, threads, &connections, err));
    TC_TRY(tc_rate_new(&s->rate, cfg->rate, cfg->failures, cfg->tls ? cfg->handshakes : 0, err));
    s->too_many = tc_server_too_many();
    if (!s->too_many)
        return tc_fail_memory(err);
    TC_TRY(tc_server_bind(s, &a, cfg->listen, err));
    s->connections_most = connections;
    TC_TRY(tc_queues_start(s, threads, err));
    TC_TRY(tc_probe_start(s, err));
    TC_TRY(start_daemon(s, cfg, threads < IO_THREADS ? threads : IO_THREADS, err));
    if (pthread_create(&s->ticker, NULL, run_ticker, s) != 0)
        return tc_fail_memory(err);
    s->ticking = true;
    if (pthread_create(&s->keeper, NULL, run_keeper, s) != 0)
        return tc_fail_memory(err);
    s->keeping = true;
    if (pthread_create(&s->timekeeper, NULL, run_timekeeper, s) != 0)
        return tc_fail_memory(err);
    s->timing = true;
    return tc_server_accept(s, err);
}

tacit_status tc_server_start(tc_server **out, const tc_server_config *cfg, tacit_error *err)
{
    pthread_condattr_t monotonic;
    tc_server *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    s->coord = cfg->coord;
    if (cfg->tls)
        memcpy(s->next_key, cfg->tls->next, sizeof s->next_key);
    s->listener = s->doors = s->bell = s->parting = -1;
    tc_party_seed fresh = tc_party_seed_fresh();
    memcpy(s->secret, fresh.bytes, sizeof s->secret);
    s->body_max = cfg->body_max > 0 ? cfg->body_max : BODY_MOST;
    s->answers_most = cfg->answers_max > 0 ? cfg->answers_max : ANSWERS_MOST;
    s->request_most_s = cfg->request_most_s > 0 ? cfg->request_most_s : REQUEST_MOST_S;
    s->headers_most_s = cfg->headers_most_s > 0 ? cfg->headers_most_s : HEADERS_MOST_S;
    s->heartbeat_ms = tc_feeds_heartbeat_ms(cfg->heartbeat_ms);
    s->heartbeat_ns = s->recheck_ns = tc_clock_ns();
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    tc_coord_listen(s->coord, tc_server_changed, s);
    tacit_status status = start(s, cfg, err);
    if (status != TACIT_OK) {
        tc_server_stop(s);
        return status;
    }
    *out = s;
    return TACIT_OK;
}

/* Parked requests are answered now; requests under way get a little time, and slow clients no more than
 * before. */
static void drain(tc_server *s)
{
    uint64_t end = tc_clock_ns() + STOP_MOST_S * UINT64_C(1000000000);
    for (bool busy = true; busy && tc_clock_ns() < end;) {
        tc_connection_end_slow(s);
        struct timespec soon = in_ms(TICK_MS);
        pthread_mutex_lock(&s->lock);
        while (s->asking > 0 && pthread_cond_timedwait(&s->wake, &s->lock, &soon) != ETIMEDOUT)
            ;
        busy = s->asking > 0;
        pthread_mutex_unlock(&s->lock);
    }
}

void tc_server_stop(tc_server *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    tc_server_deafen(s);
    tc_server_resume_all(s);
    tc_feeds_wake(s);
    if (s->ticking)
        pthread_join(s->ticker, NULL);
    if (s->keeping)
        pthread_join(s->keeper, NULL);
    if (s->timing)
        pthread_join(s->timekeeper, NULL);
    tc_probe_end(s);
    tc_queues_end(s); /* what it has begun it ends, however long that takes; then it is sent */
    drain(s);
    if (s->daemon)
        MHD_stop_daemon(s->daemon);
    tc_coord_listen(s->coord, NULL, NULL); /* after the last request */
    tc_drain_end(s, UINT64_MAX);
    if (s->parting >= 0)
        close(s->parting);
    if (s->doors >= 0)
        close(s->doors);
    if (s->bell >= 0)
        close(s->bell);
    if (s->too_many)
        MHD_destroy_response(s->too_many);
    tc_queues_free(s);
    tc_probe_free(s->probe);
    tc_rate_free(s->rate);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    tc_free(s);
}
