/* tacit/coordinator.h - coordinate federated studies inside your own program. In libtacit-net.
 *
 * A coordinator keeps studies, the roster of their agents, rounds and ledgers in a storage of its own
 * (tacit/study.h says what a URL of a storage looks like). There are three ways to use one:
 *
 *   tacit_server_start        serves it over HTTPS, as `tacit serve` does;
 *   tacit_coordinator_handle  answers a request that reached your program by a server of its own;
 *   tacit_agent_opts.here     agents of the same process call it directly (tacit/agent.h).
 *
 * All of them may be used at once, from any number of threads; several processes may coordinate on one
 * PostgreSQL database. Everything that was acknowledged is in the storage, so a process may be killed at any time and
 * started again. Who holds the handle is the operator: tacit_coordinator_create and tacit_coordinator_invite ask
 * for no token. Strings that a call returns in a `char **` end with tacit_text_free (tacit/status.h). Pointers passed in are
 * borrowed for the call, unless it says otherwise. `err` may be NULL. Begin every struct that has a `size` with its macro. */
#ifndef TACIT_COORDINATOR_H
#define TACIT_COORDINATOR_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_coordinator tacit_coordinator; /* end with tacit_coordinator_close */

/* ---- opening */

typedef struct tacit_coordinator_opts {
    size_t size;         /* sizeof of this struct as the caller saw it */
    const char *storage; /* required: "sqlite:///coordinator.db"; an agent's own is refused */
    int64_t
        test_seed; /* -1: real noise. Else noise, keys and tokens come from it: repeatable, and every
                            release is stamped NOT PRIVATE */
} tacit_coordinator_opts;
#define TACIT_COORDINATOR_OPTS                                                                     \
    {                                                                                              \
        sizeof(tacit_coordinator_opts), NULL, -1                                                   \
    }

/* Opens the coordinator of a storage, which is made if it is absent. E_STATE: the storage is an agent's. */
TACIT_API tacit_status tacit_coordinator_open(tacit_coordinator **out,
                                              const tacit_coordinator_opts *opts, tacit_error *err);
/* Servers and agents that use it end first. NULL is allowed. */
TACIT_API void tacit_coordinator_close(tacit_coordinator *c);

/* ---- the operator's */

/* Creates the study that the JSON text describes. E_ARG: the document is wrong, and where, or cannot be run.
 * E_CONFLICT: there is a study of that name. */
TACIT_API tacit_status tacit_coordinator_create(tacit_coordinator *c, const char *document,
                                                tacit_error *err);
/* A token with which `uses` agents may join a federated study; for a served study uses is 0, and any number of
 * workers share the token. expires_s: seconds until it ends; 0: never. E_STATE: the study has closed. */
TACIT_API tacit_status tacit_coordinator_invite(tacit_coordinator *c, const char *study,
                                                uint64_t uses, double expires_s, char **token,
                                                tacit_error *err);
/* The same for `uses` trustees of a study that has them (trustee.h). */
TACIT_API tacit_status tacit_coordinator_invite_trustees(tacit_coordinator *c, const char *study,
                                                         uint64_t uses, double expires_s,
                                                         char **token, tacit_error *err);
/* The operator's token, for requests from elsewhere (`tacit remote`). It is made once for a storage and shown
 * once: *token is NULL if there is one already. another: makes one more; those that there are stay valid. */
TACIT_API tacit_status tacit_coordinator_operator_token(tacit_coordinator *c, bool another,
                                                        char **token, tacit_error *err);

/* ---- from a backup */

/* What became of a ledger of a backup, and of the federated study that it counts for. The library makes it; it lives for
 * the call. */
typedef struct tacit_restored_ledger {
    size_t size;
    const char *name;
    uint64_t entries; /* in the backup */
    uint64_t charged; /* rounds that were charged and are void */
    uint64_t next;    /* the round with which it goes on; TACIT_NO_ROUND: none */
    bool not_private; /* nobody can count what was released since: it claims nothing any more */
} tacit_restored_ledger;
#define TACIT_NO_ROUND UINT64_MAX
typedef tacit_status (*tacit_restore_visit)(void *user, const tacit_restored_ledger *ledger,
                                            tacit_error *err);

typedef struct tacit_restore_opts {
    size_t size;
    /* Rounds of each federated study that may have been released since the backup, as the operator says. They are charged and
     * never released again. TACIT_RELEASED_ALL: nobody knows, so as many as are planned. */
    uint64_t released;
    /* Nor does anybody know that no study was erased and made anew under its name: every ledger is stamped NOT PRIVATE. */
    bool unknown;
    /* Called for each ledger, before the storage is written; anything but OK ends the restore. NULL: not. */
    tacit_restore_visit visit;
    void *user;
} tacit_restore_opts;
#define TACIT_RELEASED_ALL UINT64_MAX
#define TACIT_RESTORE_OPTS                                                                         \
    {                                                                                              \
        sizeof(tacit_restore_opts), TACIT_RELEASED_ALL, false, NULL, NULL                          \
    }
/* Makes a storage of a backup (study.h: tacit_storage_backup), all of it or nothing: so that nothing in it claims less than was
 * spent, and no round is released a second time. The storage must be a new one; its file is for its owner alone. *made_ms (may be NULL): when
 * the backup was made. opts NULL: TACIT_RESTORE_OPTS. E_STATE: the storage is not empty. E_CORRUPT: what is wrong with
 * the backup. */
TACIT_API tacit_status tacit_storage_restore(const char *storage, const char *file,
                                             const tacit_restore_opts *opts, int64_t *made_ms,
                                             tacit_error *err);

/* ---- requests that your own server received */

/* One HTTP request; a header field that is absent is NULL. src/coord/README.md has the routes. */
typedef struct tacit_request {
    size_t size;             /* sizeof of this struct as the caller saw it */
    const char *method;      /* "POST" */
    const char *path;        /* "/v1/studies", without the query */
    const char *query;       /* "after=3&limit=10", or NULL */
    const char *protocol;    /* Tacit-Protocol: the version that it is written in */
    const char *bearer;      /* of Authorization: Bearer */
    const char *signature;   /* Tacit-Signature */
    const char *idempotency; /* Idempotency-Key */
    const void *body;        /* JSON */
    size_t body_size;
    /* 1: it is the operator's, who holds the handle and needs no token; bearer is NULL then. */
    uint64_t as_operator;
} tacit_request;
#define TACIT_REQUEST                                                                              \
    {                                                                                              \
        sizeof(tacit_request), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0                \
    }

typedef struct tacit_response tacit_response; /* end with tacit_response_free */

/* Answers a request. A refusal is an answer too: its status says so, its body is problem+json. /v1/events, which
 * never ends, is E_UNSUPPORTED here. E_ARG: a member is missing or contradicts another. E_MEMORY. */
TACIT_API tacit_status tacit_coordinator_handle(tacit_coordinator *c, const tacit_request *request,
                                                tacit_response **out, tacit_error *err);
TACIT_API int tacit_response_status(const tacit_response *r);       /* of HTTP: 200, 404 */
TACIT_API const char *tacit_response_type(const tacit_response *r); /* Content-Type */
/* "1-2", for the header Tacit-Protocol of every answer: the versions of the protocol that this library speaks. */
TACIT_API const char *tacit_response_protocol(const tacit_response *r);
TACIT_API const char *tacit_response_body(const tacit_response *r); /* with a 0 after it */
TACIT_API size_t tacit_response_size(const tacit_response *r);      /* without that */
/* Retry-After, in milliseconds; 0: not said. */
TACIT_API int64_t tacit_response_retry_ms(const tacit_response *r);
/* The answer is "not yet": ask the same again when something has changed, or in a while. */
TACIT_API bool tacit_response_waits(const tacit_response *r);
TACIT_API void tacit_response_free(tacit_response *r); /* NULL is allowed */

/* Closes rounds that are complete or whose time is up. A server does it by itself; a program without one calls this
 * after requests and at the latest in *next_ms milliseconds. next_ms may be NULL. */
TACIT_API tacit_status tacit_coordinator_tick(tacit_coordinator *c, int64_t *next_ms,
                                              tacit_error *err);

/* ---- a server over HTTPS */

typedef struct tacit_server tacit_server; /* end with tacit_server_stop */

typedef struct tacit_server_opts {
    size_t size;          /* sizeof of this struct as the caller saw it */
    const char *listen;   /* "127.0.0.1:8443", "[::1]:0"; port 0: any free one */
    const char *host;     /* name or address for the certificate; NULL: that of `listen` */
    bool insecure;        /* plain HTTP; on loopback only */
    unsigned threads;     /* that answer requests; 0: 32 */
    unsigned connections; /* at once; 0: as many as the limit on open files allows */
    unsigned per_address; /* of these from one address; 0: no limit of its own */
    unsigned rate;        /* requests a second of one address; 0: no limit */
    unsigned handshakes;  /* TLS handshakes a second of one address; 0: no limit */
    size_t answers_most;  /* bytes of all answers on their way; 0: 128 MiB */
    /* What becomes of the key when the server starts: 0: it stays. TACIT_KEY_ANNOUNCE: another one is made, unless there is one
     * already, and announced to whoever speaks with this one. TACIT_KEY_CHANGE: the one that was announced takes its place; E_STATE where
     * none was. Either can be repeated. */
    uint64_t key;
} tacit_server_opts;
#define TACIT_KEY_ANNOUNCE UINT64_C(1)
#define TACIT_KEY_CHANGE   UINT64_C(2)
#define TACIT_SERVER_OPTS                                                                          \
    {                                                                                              \
        sizeof(tacit_server_opts), "127.0.0.1:8443", NULL, false, 0, 0, 0, 0, 0, 0, 0              \
    }

/* Could a server with these options listen now? Makes nothing. E_ARG: not an address, or plain HTTP off loopback.
 * E_IO: it cannot be listened at, and why. */
TACIT_API tacit_status tacit_server_check(const tacit_server_opts *opts, tacit_error *err);
/* Starts to serve in threads of its own. The key and the certificate are made once and kept in the
 * storage; agents know the coordinator by the fingerprint. */
TACIT_API tacit_status tacit_server_start(tacit_server **out, tacit_coordinator *c,
                                          const tacit_server_opts *opts, tacit_error *err);
/* Answers what was asked, then ends. NULL is allowed. */
TACIT_API void tacit_server_stop(tacit_server *s);
TACIT_API const char *tacit_server_url(const tacit_server *s); /* "https://127.0.0.1:8443" */
TACIT_API const char *tacit_server_fingerprint(const tacit_server *s); /* "" where insecure */
/* Of the key that is announced; "": none is. */
TACIT_API const char *tacit_server_next_fingerprint(const tacit_server *s);

#ifdef __cplusplus
}
#endif
#endif
