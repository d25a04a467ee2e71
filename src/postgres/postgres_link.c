/* postgres_link.c - the connections of a PostgreSQL store: made when needed, lent to one thread at a
 * time, replaced when they broke.
 *
 * A connection that lay idle is looked at before it is used: the end of the server shows as the end
 * of the stream. So a restart between two calls is not noticed by the second. A connection that
 * breaks under way is another matter: whether a statement was carried out is then unknown. Work that
 * may be done twice is begun anew on a new connection; other work fails with E_IO, and the next
 * call finds a new connection.
 *
 * libpq keeps the last things that were sent and received in the buffers of a connection, and TLS does the same. So a
 * connection that has carried a contribution is closed when contributions are to be forgotten: at once if
 * it is idle, else when it is given back. The next use makes another one. The first connection never
 * carries any, so that one of them stays.
 *
 * A server that crashes, or one of whose processes does, ends all sessions before it takes new ones. So a
 * session that still lives proves that nothing was taken back since it began. Moments are counted, and
 * each connection knows the moment at which it was made. */
#include "postgres/postgres_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- making one */

static void ignore_notice(void *user, const char *message)
{
    (void)user;
    (void)message;
}

/* What of a server's or role's settings would break our promises. A transaction that idles is ours
 * only if this machine has vanished: its lock must not stay. A session that idles may have a hold, and is
 * not to be ended for that (servers before version 14 have no such setting). */
#define SESSION                                                                                    \
    "SELECT set_config('lock_timeout', $1::text, false),"                                          \
    " set_config('idle_in_transaction_session_timeout', '60s', false),"                            \
    " set_config('default_transaction_isolation', 'read committed', false),"                       \
    " set_config('search_path', 'pg_catalog', false),"                                             \
    " CASE WHEN current_setting('idle_session_timeout', true) IS NOT NULL"                         \
    " THEN set_config('idle_session_timeout', '0', false) END,"                                    \
    " set_config('synchronous_commit', CASE current_setting('synchronous_commit')"                 \
    " WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)"

static tacit_status set_session(tc_postgres *s, PGconn *c, tacit_error *err)
{
    char wait[32];
    const char *values[] = {wait};
    snprintf(wait, sizeof wait, "%llu", (unsigned long long)s->busy_ms);
    PGresult *r = PQexecParams(c, SESSION, 1, NULL, values, NULL, NULL, 0);
    tacit_status status = tc_pg_judge(s, c, r, err);
    PQclear(r);
    return status;
}

static tacit_status check_server(const tc_postgres *s, PGconn *c, tacit_error *err)
{
    const char *encoding = PQparameterStatus(c, "server_encoding");
    if (PQserverVersion(c) < 120000)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "%s is of PostgreSQL %s; tacit needs version 12 or newer", s->place,
                       PQparameterStatus(c, "server_version"));
    if (!encoding || strcmp(encoding, "UTF8") != 0)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "%s is encoded in %s; tacit needs UTF8", s->place,
                       encoding ? encoding : "nothing known");
    return TACIT_OK;
}

static tacit_status name_place(tc_postgres *s, PGconn *c, tacit_error *err)
{
    tc_text t = {0};
    tc_text_addf(&t, "database \"%s\" at %s:%s", PQdb(c), PQhost(c), PQport(c));
    s->base.place = s->place = tc_text_take(&t);
    tc_text_fini(&t);
    return s->place ? TACIT_OK : tc_fail_memory(err);
}

/* Later words win over earlier ones; the URL stands for all that it says. */
static const char *const words[] = {"connect_timeout", "fallback_application_name", "dbname",
                                    "client_encoding", NULL};
enum { WORDS = sizeof words / sizeof words[0] };

static void fill_values(const tc_postgres *s, const char *values[WORDS])
{
    values[0] = "10";
    values[1] = "tacit";
    values[2] = s->url;
    values[3] = "UTF8";
    values[4] = NULL;
}

static PGconn *dial(const tc_postgres *s)
{
    const char *values[WORDS];
    fill_values(s, values);
    return PQconnectdbParams(words, values, 1);
}

/* A server that starts up, or recovers from a crash, refuses and will soon be there. */
static bool is_coming(const tc_postgres *s)
{
    const char *values[WORDS];
    fill_values(s, values);
    return PQpingParams(words, values, 1) == PQPING_REJECT;
}

static PGconn *dial_patiently(const tc_postgres *s)
{
    uint64_t start = tc_clock_ns();
    PGconn *c = dial(s);
    while (c && PQstatus(c) != CONNECTION_OK && tc_clock_ns() - start < s->busy_ms * 1000000 &&
           is_coming(s)) {
        PQfinish(c);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        c = dial(s);
    }
    return c;
}

tacit_status tc_pg_connect(tc_postgres *s, PGconn **out, tacit_error *err)
{
    PGconn *c = dial_patiently(s);
    if (!c)
        return tc_fail_memory(err);
    PQsetNoticeProcessor(c, ignore_notice, NULL);
    tacit_status status = s->place ? TACIT_OK : name_place(s, c, err);
    if (status == TACIT_OK && PQstatus(c) != CONNECTION_OK)
        status = tc_pg_fail(s, c, err);
    if (status == TACIT_OK)
        status = check_server(s, c, err);
    if (status == TACIT_OK)
        status = set_session(s, c, err);
    if (status == TACIT_OK)
        *out = c;
    else
        PQfinish(c);
    return status;
}

/* ---- lending */

/* Whatever the server said since, it did not say it to a question of ours. */
static bool is_alive(PGconn *c)
{
    struct pollfd fd = {.fd = PQsocket(c), .events = POLLIN};
    while (PQstatus(c) == CONNECTION_OK && poll(&fd, 1, 0) > 0)
        if (!PQconsumeInput(c))
            return false;
    return PQstatus(c) == CONNECTION_OK;
}

/* What is connected from now on; NULL: nothing. Whoever waits for an older one learns of it. */
static void set_conn(tc_postgres *s, tc_pg_link *l, PGconn *c)
{
    PQfinish(l->conn);
    l->conn = c;
    pthread_mutex_lock(&s->lock);
    l->born = c ? ++s->moment : 0;
    l->secret = l->stale = false;
    pthread_cond_broadcast(&s->returned);
    pthread_mutex_unlock(&s->lock);
}

/* Lent to us. */
static tacit_status ready(tc_postgres *s, tc_pg_link *l, tacit_error *err)
{
    if (l->conn && is_alive(l->conn))
        return TACIT_OK;
    set_conn(s, l, NULL);
    PGconn *c = NULL;
    TC_TRY(tc_pg_connect(s, &c, err));
    tacit_status status = tc_pg_prepare(s, c, err);
    if (status == TACIT_OK)
        set_conn(s, l, c);
    else
        PQfinish(c);
    return status;
}

/* One that is connected, if there is; else one that is not. secret: it is going to carry something that must be
 * forgotten. */
static tc_pg_link *find_idle(tc_postgres *s, bool secret)
{
    tc_pg_link *found = NULL;
    for (int i = secret ? 1 : 0; i < TC_PG_LINKS; i++) {
        tc_pg_link *l = &s->links[i];
        if (!l->lent && (!found || (l->conn && !found->conn)))
            found = l;
    }
    return found;
}

static tc_pg_link *lend(tc_postgres *s, bool secret)
{
    tc_pg_link *l;
    pthread_mutex_lock(&s->lock);
    while (!(l = find_idle(s, secret)))
        pthread_cond_wait(&s->returned, &s->lock);
    l->lent = true;
    pthread_mutex_unlock(&s->lock);
    return l;
}

/* What is not idle after that is in a state that nobody knows. */
static void clean(tc_postgres *s, tc_pg_link *l)
{
    PGTransactionStatusType state = PQtransactionStatus(l->conn);
    if (state == PQTRANS_INTRANS || state == PQTRANS_INERROR)
        PQclear(PQexec(l->conn, "ROLLBACK"));
    if (PQtransactionStatus(l->conn) != PQTRANS_IDLE ||
        PQpipelineStatus(l->conn) != PQ_PIPELINE_OFF)
        set_conn(s, l, NULL);
}

static void give_back(tc_postgres *s, tc_pg_link *l)
{
    if (l->conn)
        clean(s, l);
    pthread_mutex_lock(&s->lock);
    if (l->stale) { /* nobody makes it stale again: it carries nothing then */
        pthread_mutex_unlock(&s->lock);
        set_conn(s, l, NULL);
        pthread_mutex_lock(&s->lock);
    }
    l->lent = false;
    pthread_cond_broadcast(&s->returned); /* some wait for any, some for an old one */
    pthread_mutex_unlock(&s->lock);
}

void tc_pg_links_fini(tc_postgres *s)
{
    for (int i = 0; i < TC_PG_LINKS; i++)
        PQfinish(s->links[i].conn);
}

/* ---- using one */

static void mark_secret(tc_postgres *s, tc_pg_link *l)
{
    pthread_mutex_lock(&s->lock);
    l->secret = true;
    pthread_mutex_unlock(&s->lock);
}

static tacit_status try_once(tc_postgres *s, bool secret, tc_pg_work work, void *user, bool *broken,
                             tacit_error *err)
{
    tc_pg_link *l = lend(s, secret);
    tacit_status status = ready(s, l, err);
    *broken = false;
    if (status == TACIT_OK) {
        if (secret)
            mark_secret(s, l);
        status = work(s, l->conn, user, err);
        *broken = status != TACIT_OK && PQstatus(l->conn) != CONNECTION_OK;
    }
    give_back(s, l);
    return status;
}

static tacit_status try_twice(tc_postgres *s, bool secret, bool again, tc_pg_work work, void *user,
                              tacit_error *err)
{
    bool broken;
    if (s->within)
        return work(s, s->within, user, err);
    tacit_status status = try_once(s, secret, work, user, &broken, err);
    return broken && again ? try_once(s, secret, work, user, &broken, err) : status;
}

tacit_status tc_pg_with(tc_postgres *s, bool again, tc_pg_work work, void *user, tacit_error *err)
{
    return try_twice(s, false, again, work, user, err);
}

tacit_status tc_pg_with_secret(tc_postgres *s, bool again, tc_pg_work work, void *user,
                               tacit_error *err)
{
    return try_twice(s, true, again, work, user, err);
}

/* ---- forgetting */

/* The next one that carried a secret and is idle, lent to us; those that others have are closed by them. */
static tc_pg_link *lend_secret(tc_postgres *s)
{
    tc_pg_link *found = NULL;
    pthread_mutex_lock(&s->lock);
    for (tc_pg_link *l = s->links; l < s->links + TC_PG_LINKS; l++) {
        l->stale = l->stale || l->secret;
        if (l->stale && !l->lent)
            found = l;
    }
    if (found)
        found->lent = true;
    pthread_mutex_unlock(&s->lock);
    return found;
}

void tc_pg_forget(tc_store *store)
{
    tc_postgres *s = (tc_postgres *)store;
    tc_pg_link *l;
    while ((l = lend_secret(s)))
        give_back(s, l);
}

/* ---- one that was there before */

/* Connected at that moment already? */
static bool is_old(const tc_pg_link *l, uint64_t since)
{
    return l->born > 0 && l->born <= since;
}

/* An idle one. NULL, and *busy: those that there are are lent. */
static tc_pg_link *find_old(tc_postgres *s, uint64_t since, bool *busy)
{
    *busy = false;
    for (tc_pg_link *l = s->links; l < s->links + TC_PG_LINKS; l++) {
        if (is_old(l, since) && !l->lent)
            return l;
        *busy = *busy || is_old(l, since);
    }
    return NULL;
}

/* NULL: there is none any more. */
static tc_pg_link *lend_old(tc_postgres *s, uint64_t since)
{
    tc_pg_link *l;
    bool busy;
    pthread_mutex_lock(&s->lock);
    while (!(l = find_old(s, since, &busy)) && busy)
        pthread_cond_wait(&s->returned, &s->lock);
    if (l)
        l->lent = true;
    pthread_mutex_unlock(&s->lock);
    return l;
}

tacit_status tc_pg_with_since(tc_postgres *s, uint64_t since, tc_pg_work work, void *user,
                              bool *none, tacit_error *err)
{
    tc_pg_link *l;
    *none = false;
    while ((l = lend_old(s, since))) {
        bool alive = is_alive(l->conn);
        tacit_status status = alive ? work(s, l->conn, user, err) : TACIT_OK;
        if (PQstatus(l->conn) != CONNECTION_OK) { /* the next one, if that lives */
            set_conn(s, l, NULL);
            alive = false;
        }
        give_back(s, l);
        if (alive)
            return status;
    }
    *none = true;
    return TACIT_OK;
}

static tacit_status do_nothing(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    (void)s;
    (void)c;
    (void)user;
    (void)err;
    return TACIT_OK;
}

/* Only a live connection proves that the server did not crash: an idle one is checked, and replaced if it broke. Should that
 * fail, whoever reads next will say why. Where all are lent there are enough. */
uint64_t tc_pg_moment(tc_store *store)
{
    tc_postgres *s = (tc_postgres *)store;
    tacit_error ignored;
    pthread_mutex_lock(&s->lock);
    bool idle = find_idle(s, false) != NULL;
    pthread_mutex_unlock(&s->lock);
    if (idle)
        (void)tc_pg_with(s, false, do_nothing, NULL, &ignored);
    pthread_mutex_lock(&s->lock);
    uint64_t now = ++s->moment;
    pthread_mutex_unlock(&s->lock);
    return now;
}

typedef struct question {
    tc_pg_sql which;
    const tc_pg_args *args;
    PGresult *answer;
} question;

static tacit_status run_question(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    question *q = user;
    return tc_pg_run(s, c, q->which, q->args, &q->answer, err);
}

tacit_status tc_pg_ask(tc_postgres *s, bool again, tc_pg_sql which, const tc_pg_args *args,
                       PGresult **out, tacit_error *err)
{
    question q = {.which = which, .args = args};
    TC_TRY(tc_pg_with(s, again, run_question, &q, err));
    *out = q.answer;
    return TACIT_OK;
}

tacit_status tc_pg_ask_secret(tc_postgres *s, tc_pg_sql which, const tc_pg_args *args,
                              PGresult **out, tacit_error *err)
{
    question q = {.which = which, .args = args};
    TC_TRY(tc_pg_with_secret(s, true, run_question, &q, err));
    *out = q.answer;
    return TACIT_OK;
}
