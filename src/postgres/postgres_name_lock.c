/* postgres_name_lock.c - one holder of a name at a time, among all processes that use a database.
 *
 * An advisory lock of a session that does nothing else: the server drops it with the connection, however
 * the process ends. A machine that vanishes without a word is found out within a minute by the
 * server's own probes. A server that restarts forgets the lock, and the holder is not told. */
#include "postgres/postgres_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

typedef struct hold {
    tc_name_lock base;
    PGconn *conn;
} hold;

#define TRY_LOCK                                                                                   \
    "SELECT pg_try_advisory_lock($1::bigint),"                                                     \
    " set_config('tcp_keepalives_idle', '30', false),"                                             \
    " set_config('tcp_keepalives_interval', '10', false),"                                         \
    " set_config('tcp_keepalives_count', '3', false)"

enum { ANSWER_MS = 5000 };

/* The server notices a closed connection some time later; who comes next must find the name free. So it is given
 * back first. A server that does not answer gives it back when it finds the connection closed. */
static void end(tc_name_lock *base)
{
    hold *h = (hold *)base;
    if (PQsendQuery(h->conn, "SELECT pg_advisory_unlock_all()") == 1) {
        struct pollfd answer = {.fd = PQsocket(h->conn), .events = POLLIN};
        (void)poll(&answer, 1, ANSWER_MS);
    }
    PQfinish(h->conn);
    tc_free(h);
}

/* A number of its own for each name; those of postgres_open.c are others. */
static int64_t key_of(const char *name)
{
    tacit_hash h = tc_hash_bytes(name, strlen(name));
    int64_t key;
    memcpy(&key, h.bytes, sizeof key);
    return key;
}

static tacit_status lock(const tc_postgres *s, PGconn *c, const char *name, tacit_error *err)
{
    char key[32];
    const char *values[] = {key};
    snprintf(key, sizeof key, "%" PRId64, key_of(name));
    PGresult *r = PQexecParams(c, TRY_LOCK, 1, NULL, values, NULL, NULL, 0);
    tacit_status status = tc_pg_judge(s, c, r, err);
    if (status == TACIT_OK && strcmp(PQgetvalue(r, 0, 0), "t") != 0)
        status = tc_name_taken(s->place, err);
    PQclear(r);
    return status;
}

tacit_status tc_pg_lock_name(tc_store *store, const char *name, tc_name_lock **out,
                             tacit_error *err)
{
    tc_postgres *s = (tc_postgres *)store;
    hold *h = tc_alloc(1, sizeof *h);
    if (!h)
        return tc_fail_memory(err);
    h->base.end = end;
    tacit_status status = tc_pg_connect(s, &h->conn, err);
    if (status != TACIT_OK) {
        tc_free(h);
        return status;
    }
    status = lock(s, h->conn, name, err);
    if (status == TACIT_OK)
        *out = &h->base;
    else
        end(&h->base);
    return status;
}
