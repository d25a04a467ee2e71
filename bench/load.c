/* load.c - one round of a coordinator under load: N agents send 3.2 kB each over TLS, every one
 * acknowledged when it is on disk.
 *
 * Server and clients share this process and its cores. Clients are threads with a connection each
 * that is kept alive; an agent's message is signed before the clock starts. Prints connections a
 * second, messages a second, latencies, the time from the last message to the broadcast, and peak memory beside
 * the messages.
 *
 *     bench_load [agents, 10000] [connections, 32] [folder, a temporary one] */
#include "algo/optimizer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/client.h"
#include "net/server.h"
#include "study/study_plan.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FEATURES = 398 }; /* 16 + 8 * 398 = 3200 bytes */

typedef struct letter {
    char access[64];
    char *body, *signature;
    size_t n_body;
    uint64_t took_ns;
} letter;

typedef struct load {
    size_t agents, connections;
    char folder[64], url[64], operator_token[64];
    tc_store *store;
    tc_coord *coord;
    tc_certificate tls;
    tc_server *server;
    tc_study_plan *plan;
    letter *letters;
    size_t next;
    pthread_mutex_t lock;
    pthread_barrier_t ready;
    size_t failures;
} load;

static void check(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "bench_load: %s\n", err->msg);
    exit(1);
}

/* ---- the study, by direct calls ---- */

static json_t *ask(load *l, const char *method, const char *path, const char *token,
                   const char *body)
{
    tc_response r = {0};
    tc_request q = {.method = method,
                    .path = path,
                    .bearer = token,
                    .body = body,
                    .n_body = body ? strlen(body) : 0};
    tc_coord_handle(l->coord, &q, &r);
    json_t *j = json_loads(tc_text_get(&r.body), 0, NULL);
    if (r.status >= 300) {
        fprintf(stderr, "bench_load: %s: %s\n", path, tc_text_get(&r.body));
        exit(1);
    }
    tc_response_fini(&r);
    return j;
}

static void create(load *l)
{
    tacit_error err;
    char body[1024];
    snprintf(body, sizeof body,
             "{\"document\": {\"name\": \"load\", \"direction\": \"maximize\", \"trials\": 20, "
             "\"seed\": 1, \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, "
             "\"algorithm\": {\"name\": \"dp-fts-de\", \"features\": %d, \"initial\": 1}, "
             "\"federation\": {\"agents\": %zu}, \"privacy\": {\"epsilon\": 1, \"delta\": 1e-6}}}",
             FEATURES, l->agents);
    json_t *j = ask(l, "POST", "/v1/studies", l->operator_token, body);
    tc_study_row row = {.document = (char *)json_string_value(json_object_get(j, "document")),
                        .public_seed = tc_public_seed_from(1),
                        .created_ms = json_integer_value(json_object_get(j, "created_ms"))};
    check(tc_study_plan_new(&l->plan, &row, &err), &err);
    json_decref(j);
}

/* One message, of an agent with one trial; it is valid for all of them. */
static tc_text message(const load *l)
{
    tacit_error err;
    tc_optimizer *o;
    tc_event e;
    tc_text out = {0};
    tc_optimizer_config cfg = {.algorithm = l->plan->doc->algorithm,
                               .options = l->plan->options,
                               .space = l->plan->doc->space,
                               .maximize = true,
                               .public_seed = l->plan->env.public_seed,
                               .party_seed = tc_party_seed_from(1),
                               .agents = l->agents,
                               .budget = 20};
    check(tc_optimizer_new(&o, &cfg, &err), &err);
    check(tc_optimizer_next(o, &(tc_ask_request){.now_ms = 0}, &e, &err), &err);
    check(tc_optimizer_apply(o, &e, &err), &err);
    check(tc_optimizer_tell(o, e.trial, NULL, 1, 0, &e, &err), &err);
    check(tc_optimizer_apply(o, &e, &err), &err);
    check(tc_optimizer_publish(o, 0, &e, &err), &err);
    tc_text_add_bytes(&out, e.bytes, e.n_bytes);
    tc_optimizer_free(o);
    return out;
}

static void enrol(load *l, letter *to, const char *token, tc_secret_key *secret)
{
    tc_public_key key;
    tc_signature proof;
    tc_text body = {0};
    tc_ledger_hash h = tc_hash_bytes(token, strlen(token));
    tc_signed what = {.purpose = TC_SIGN_ENROL,
                      .study = l->plan->hash,
                      .body = h.bytes,
                      .n_body = sizeof h.bytes};
    tc_keys_fresh(&key, secret);
    tc_sign(secret, &what, &proof);
    tc_text_add(&body, "{\"key\": \"");
    tc_base64_add(&body, key.bytes, sizeof key.bytes);
    tc_text_add(&body, "\", \"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"}");
    json_t *j = ask(l, "POST", "/v1/studies/load/agents", token, tc_text_get(&body));
    snprintf(to->access, sizeof to->access, "%s", json_string_value(json_object_get(j, "access")));
    json_decref(j);
    tc_text_fini(&body);
}

static void write_letter(load *l, letter *to, const tc_text *m, const tc_secret_key *secret)
{
    tc_text body = {0}, text = {0};
    tc_signature s;
    tc_text_add(&body, "{\"sequence\": 1, \"message\": \"");
    tc_base64_add(&body, tc_text_get(m), m->len);
    tc_text_add(&body, "\"}");
    tc_signed what = {.purpose = TC_SIGN_MESSAGE,
                      .study = l->plan->hash,
                      .sequence = 1,
                      .body = tc_text_get(&body),
                      .n_body = body.len};
    tc_sign(secret, &what, &s);
    tc_base64_add(&text, s.bytes, sizeof s.bytes);
    to->n_body = body.len;
    to->body = tc_text_take(&body);
    to->signature = tc_text_take(&text);
}

static void write_letters(load *l)
{
    char body[64];
    snprintf(body, sizeof body, "{\"uses\": %zu}", l->agents);
    json_t *j = ask(l, "POST", "/v1/studies/load/tokens", l->operator_token, body);
    const char *token = json_string_value(json_object_get(j, "token"));
    tc_text m = message(l);
    l->letters = tc_alloc(l->agents, sizeof *l->letters);
    uint64_t start = tc_clock_ns();
    for (size_t i = 0; i < l->agents; i++) {
        tc_secret_key secret;
        enrol(l, &l->letters[i], token, &secret);
        write_letter(l, &l->letters[i], &m, &secret);
    }
    printf("enrolled %zu agents, one after another: %.0f a second\n", l->agents,
           (double)l->agents / ((double)(tc_clock_ns() - start) * 1e-9));
    json_decref(j);
    tc_text_fini(&m);
}

/* ---- the clients ---- */

static letter *take(load *l)
{
    pthread_mutex_lock(&l->lock);
    letter *mine = l->next < l->agents ? &l->letters[l->next++] : NULL;
    pthread_mutex_unlock(&l->lock);
    return mine;
}

static void fail(load *l)
{
    pthread_mutex_lock(&l->lock);
    l->failures++;
    pthread_mutex_unlock(&l->lock);
}

static void post(load *l, tc_client *c, letter *m)
{
    tacit_error err;
    tc_text answer = {0};
    int status = 0;
    uint64_t start = tc_clock_ns();
    tc_call call = {.method = "POST",
                    .path = "/v1/studies/load/rounds/0/messages",
                    .bearer = m->access,
                    .signature = m->signature,
                    .body = m->body,
                    .n_body = m->n_body};
    if (tc_client_call(c, &call, &status, &answer, &err) != TACIT_OK || status != 202)
        fail(l);
    m->took_ns = tc_clock_ns() - start;
    tc_text_fini(&answer);
}

static void *run_client(void *user)
{
    load *l = user;
    tacit_error err;
    tc_client *c;
    tc_text answer = {0};
    int status;
    check(tc_client_new(&c, l->url, l->tls.fingerprint, &err), &err);
    check(
        tc_client_call(c, &(tc_call){.method = "GET", .path = "/healthz"}, &status, &answer, &err),
        &err);
    tc_text_fini(&answer);
    pthread_barrier_wait(&l->ready); /* all are connected */
    for (letter *m; (m = take(l)) != NULL;)
        post(l, c, m);
    tc_client_free(c);
    return NULL;
}

/* ---- */

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const letter *)a)->took_ns, y = ((const letter *)b)->took_ns;
    return (x > y) - (x < y);
}

static double wait_for_broadcast(load *l)
{
    tc_request q = {.method = "GET",
                    .path = "/v1/studies/load/rounds/0/broadcast",
                    .bearer = l->letters[0].access};
    uint64_t start = tc_clock_ns();
    for (int status = 202; status == 202; usleep(1000)) {
        tc_response r = {0};
        tc_coord_handle(l->coord, &q, &r);
        status = r.status;
        tc_response_fini(&r);
    }
    return (double)(tc_clock_ns() - start) * 1e-9;
}

static void run(load *l)
{
    pthread_t *threads = tc_alloc(l->connections, sizeof *threads);
    uint64_t start = tc_clock_ns();
    for (size_t i = 0; i < l->connections; i++)
        pthread_create(&threads[i], NULL, run_client, l);
    pthread_barrier_wait(&l->ready);
    uint64_t connected = tc_clock_ns();
    for (size_t i = 0; i < l->connections; i++)
        pthread_join(threads[i], NULL);
    double seconds = (double)(tc_clock_ns() - connected) * 1e-9;
    double closing = wait_for_broadcast(l);
    qsort(l->letters, l->agents, sizeof *l->letters, by_time);
    printf("%zu connections: %.0f a second\n", l->connections,
           (double)l->connections / ((double)(connected - start) * 1e-9));
    printf("%zu messages of %d bytes: %.0f a second, durable; %zu failed\n", l->agents,
           16 + 8 * FEATURES, (double)l->agents / seconds, l->failures);
    printf("latency: p50 %.2f ms, p99 %.2f ms\n", (double)l->letters[l->agents / 2].took_ns * 1e-6,
           (double)l->letters[l->agents * 99 / 100].took_ns * 1e-6);
    printf("from the last message to the broadcast: %.2f s\n", closing);
    tc_free(threads);
}

static void open_site(load *l)
{
    tacit_error err;
    tc_text token = {0};
    char url[128];
    bool made;
    snprintf(url, sizeof url, "sqlite:///%s/load.db", l->folder);
    check(tc_store_open(&l->store, url, true, &err), &err);
    check(tc_coord_new(&l->coord, &(tc_coord_config){.store = l->store}, &err), &err);
    check(tc_coord_operator_token(l->coord, &token, &made, &err), &err);
    snprintf(l->operator_token, sizeof l->operator_token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    check(tc_certificate_get(l->store, "127.0.0.1", &l->tls, &err), &err);
    tc_server_config cfg = {
        .coord = l->coord, .listen = "127.0.0.1:0", .tls = &l->tls, .threads = 32};
    check(tc_server_start(&l->server, &cfg, &err), &err);
    snprintf(l->url, sizeof l->url, "https://127.0.0.1:%u", tc_server_port(l->server));
}

int main(int argc, char **argv)
{
    static load l = {.lock = PTHREAD_MUTEX_INITIALIZER, .folder = "/tmp/tacit-load-XXXXXX"};
    struct rusage before, after;
    l.agents = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    l.connections = argc > 2 ? strtoul(argv[2], NULL, 10) : 32;
    if (argc > 3)
        snprintf(l.folder, sizeof l.folder, "%s", argv[3]);
    else if (!mkdtemp(l.folder))
        return 1;
    pthread_barrier_init(&l.ready, NULL, (unsigned)l.connections + 1);
    open_site(&l);
    create(&l);
    write_letters(&l);
    getrusage(RUSAGE_SELF, &before);
    run(&l);
    getrusage(RUSAGE_SELF, &after);
    printf("peak memory: %.0f MB more than before, the messages are %.0f MB\n",
           (double)(after.ru_maxrss - before.ru_maxrss) / 1024,
           (double)l.agents * (16 + 8 * FEATURES) / 1048576);
    tc_server_stop(l.server);
    return l.failures > 0;
}
