/* caller_coordinator.c - a program of an earlier version, as caller.c is: a coordinator, requests that it answers, its server,
 * and a storage of a backup. */
#include "caller.h"

#include <tacit/coordinator.h>
#include <tacit/release.h>
#include <tacit/study.h>

#define SPACE "\"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}"
#define SERVED                                                                                     \
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 4, \"seed\": 3, " SPACE            \
    ", \"algorithm\": {\"name\": \"random\"}}"
#define FEDERATED                                                                                  \
    "{\"name\": \"ward\", \"direction\": \"maximize\", \"trials\": 5, " SPACE                      \
    ", \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2},"                 \
    " \"federation\": {\"agents\": 2}, \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}}"

static void numbers(void)
{
    CHECK(TACIT_NO_ROUND == UINT64_MAX);
    CHECK(TACIT_RELEASED_ALL == UINT64_MAX);
}

static tacit_coordinator *open_at(const char *storage, int64_t test_seed)
{
    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    tacit_coordinator *c = NULL;
    CHECK(opts.size == sizeof opts && opts.test_seed == -1);
    FAILS(tacit_coordinator_open(&c, &opts, &err), TACIT_E_ARG); /* no storage */
    opts.storage = storage;
    opts.test_seed = test_seed;
    GOOD(tacit_coordinator_open(&c, &opts, &err));
    return c;
}

/* ---- the operator's */

/* Returns the operator's token. */
static char *make_studies(tacit_coordinator *c)
{
    char *token = NULL, *again = NULL;
    GOOD(tacit_coordinator_create(c, SERVED, &err));
    GOOD(tacit_coordinator_create(c, FEDERATED, &err));
    FAILS(tacit_coordinator_create(c, SERVED, &err), TACIT_E_CONFLICT);
    GOOD(tacit_coordinator_invite(c, "ward", 2, 60, &token, &err));
    CHECK(strlen(token) > 20);
    tacit_text_free(token);
    FAILS(tacit_coordinator_invite(c, "ward", 0, 0, &token, &err), TACIT_E_ARG);
    FAILS(tacit_coordinator_invite(c, "nobody", 1, 0, &token, &err), TACIT_E_NOT_FOUND);
    GOOD(tacit_coordinator_operator_token(c, false, &token, &err));
    GOOD(tacit_coordinator_operator_token(c, false, &again, &err));
    CHECK(token != NULL && again == NULL); /* it is shown once */
    GOOD(tacit_coordinator_operator_token(c, true, &again, &err));
    CHECK(again != NULL && strcmp(token, again) != 0);
    tacit_text_free(again);
    return token;
}

/* Secrets of a test come from its seed. */
static void seeds(void)
{
    char *token[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        tacit_coordinator *c = open_at("memory:", i < 2 ? 7 : 8);
        GOOD(tacit_coordinator_operator_token(c, false, &token[i], &err));
        tacit_coordinator_close(c);
    }
    CHECK(strcmp(token[0], token[1]) == 0 && strcmp(token[0], token[2]) != 0);
    for (int i = 0; i < 3; i++)
        tacit_text_free(token[i]);
}

/* ---- requests */

/* The answer to a request must have this status and say this. */
static void answers(tacit_coordinator *c, const tacit_request *q, int status, const char *says)
{
    tacit_response *r = NULL;
    GOOD(tacit_coordinator_handle(c, q, &r, &err));
    CHECK(tacit_response_status(r) == status);
    SAYS(tacit_response_body(r), says);
    CHECK(tacit_response_size(r) == strlen(tacit_response_body(r)));
    SAYS(tacit_response_type(r), status < 400 ? "application/json" : "problem+json");
    SAYS(tacit_response_protocol(r), "1-"); /* a later library may speak more */
    CHECK(tacit_response_retry_ms(r) == 0);
    CHECK(tacit_response_waits(r) == (status == 202));
    tacit_response_free(r);
}

static void requests(tacit_coordinator *c, const char *token)
{
    static const char body[] = "{\"uses\": 1}", other[] = "{\"uses\": 2}";
    tacit_request q = TACIT_REQUEST;
    tacit_response *r = NULL;
    int64_t next = -1;
    CHECK(q.size == sizeof q && q.body_size == 0);
    q.method = "GET";
    q.path = "/v1/studies";
    answers(c, &q, 401, "a token is needed");
    q.as_operator = 1;
    answers(c, &q, 200, "\"ward\"");
    q.as_operator = 0;
    q.bearer = token;
    answers(c, &q, 200, "\"ward\"");
    q.signature = "an agent's messages alone have one";
    answers(c, &q, 200, "\"ward\"");
    q.signature = NULL;
    q.query = "limit=1";
    answers(c, &q, 200, "\"next\"");
    q.query = NULL;
    q.protocol = "1";
    answers(c, &q, 200, "\"ward\"");
    q.protocol = "99";
    answers(c, &q, 400, "protocol 99");
    q.protocol = NULL;
    q.path = "/v1/studies/ward/rounds/0/broadcast";
    answers(c, &q, 202, "\"round\"");
    q.path = "/v1/events";
    FAILS(tacit_coordinator_handle(c, &q, &r, &err), TACIT_E_UNSUPPORTED);
    q.method = "POST";
    q.path = "/v1/studies/ward/tokens";
    q.idempotency = "once";
    q.body = body;
    q.body_size = strlen(body);
    answers(c, &q, 201, "\"token\"");
    q.body = other;
    answers(c, &q, 422, "Idempotency-Key");
    GOOD(tacit_coordinator_tick(c, &next, &err));
    CHECK(next >= 0);
}

/* ---- a server */

static void servers(tacit_coordinator *c)
{
    tacit_server_opts opts = TACIT_SERVER_OPTS;
    tacit_server *s = NULL;
    SAME(opts.listen, "127.0.0.1:8443");
    CHECK(opts.size == sizeof opts && opts.host == NULL && !opts.insecure);
    opts.listen = "0.0.0.0:0";
    opts.insecure = true;
    FAILS(tacit_server_check(&opts, &err), TACIT_E_ARG);
    opts.listen = "127.0.0.1:0";
    opts.threads = 2;
    opts.connections = 8;
    opts.per_address = 8;
    opts.rate = 100;
    opts.handshakes = 100;
    opts.answers_most = (size_t)64 << 20;
    GOOD(tacit_server_check(&opts, &err));
    GOOD(tacit_server_start(&s, c, &opts, &err));
    SAYS(tacit_server_url(s), "http://127.0.0.1:");
    SAME(tacit_server_fingerprint(s), "");
    opts.listen = tacit_server_url(s) + strlen("http://");
    FAILS(tacit_server_check(&opts, &err), TACIT_E_IO); /* it is taken */
    tacit_server_stop(s);
    opts.listen = "127.0.0.1:0";
    opts.insecure = false;
    opts.host = "localhost";
    GOOD(tacit_server_start(&s, c, &opts, &err));
    SAYS(tacit_server_url(s), "https://127.0.0.1:");
    CHECK(strncmp(tacit_server_fingerprint(s), "sha256//", 8) == 0);
    SAME(tacit_server_next_fingerprint(s), "");
    tacit_server_stop(s);
    opts.key = TACIT_KEY_CHANGE;
    FAILS(tacit_server_start(&s, c, &opts, &err), TACIT_E_STATE); /* to none */
    opts.key = TACIT_KEY_ANNOUNCE;
    GOOD(tacit_server_start(&s, c, &opts, &err));
    CHECK(strncmp(tacit_server_next_fingerprint(s), "sha256//", 8) == 0);
    tacit_server_stop(s);
}

/* ---- a backup */

typedef struct seen {
    int ledgers;
    uint64_t charged, next;
    bool not_private, refuses;
} seen;

static tacit_status visit(void *user, const tacit_restored_ledger *l, tacit_error *error)
{
    seen *s = user;
    MADE(l);
    SAME(l->name, "ward");
    CHECK(l->entries == 0);
    s->ledgers++;
    s->charged = l->charged;
    s->next = l->next;
    s->not_private = l->not_private;
    if (!s->refuses)
        return TACIT_OK;
    return refuse("not that ledger", TACIT_E_STATE, error);
}

static void restore(const char *storage, uint64_t released, bool unknown, seen *into)
{
    tacit_restore_visit each = visit;
    tacit_restore_opts opts = TACIT_RESTORE_OPTS;
    int64_t made_ms = 0;
    CHECK(opts.size == sizeof opts && opts.released == TACIT_RELEASED_ALL && !opts.unknown);
    opts.released = released;
    opts.unknown = unknown;
    opts.visit = each;
    opts.user = into;
    into->refuses = true;
    FAILS(tacit_storage_restore(storage, "backup.db", &opts, &made_ms, &err), TACIT_E_STATE);
    CHECK(made_ms == 0);
    into->refuses = false;
    GOOD(tacit_storage_restore(storage, "backup.db", &opts, &made_ms, &err));
    CHECK(made_ms > 0 && into->ledgers == 2);
    FAILS(tacit_storage_restore(storage, "backup.db", &opts, NULL, &err), TACIT_E_STATE);
}

static void backups(void)
{
    tacit_storage *st = NULL;
    seen all = {0}, none = {0}, unknown = {0};
    GOOD(tacit_storage_open(&st, "sqlite:///coordinator.db", NULL, &err));
    GOOD(tacit_storage_backup(st, "backup.db", NULL, &err));
    tacit_storage_close(st);
    restore("sqlite:///all.db", TACIT_RELEASED_ALL, false, &all);
    CHECK(all.charged > 0 && all.next == TACIT_NO_ROUND && !all.not_private);
    restore("sqlite:///none.db", 0, false, &none);
    CHECK(none.charged == 0 && none.next == 0 && !none.not_private);
    restore("sqlite:///unknown.db", TACIT_RELEASED_ALL, true, &unknown);
    CHECK(unknown.not_private);
}

int main(void)
{
    numbers();
    tacit_coordinator *c = open_at("sqlite:///coordinator.db", -1);
    char *token = make_studies(c);
    requests(c, token);
    servers(c);
    tacit_text_free(token);
    tacit_coordinator_close(c);
    seeds();
    backups();
    return report("caller_coordinator");
}
