/* load.c - one round of a coordinator under load: N agents send 3.2 kB each over TLS, every one
 * acknowledged when it is on disk.
 *
 * The server is a process of its own. Clients are one thread with many connections that are kept alive;
 * requests are made and signed before the clock starts (support/crowd.h). Prints handshakes a second,
 * messages a second, latencies, the time from the last message to the broadcast, the server's memory and
 * processor time, the goals, and what the machine can do at best.
 *
 *     bench_load [agents, 10000] [connections, as agents] [at once, 64] [folder, a temporary one] */
#include "algo/optimizer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "net/server.h"
#include "study/study_plan.h"
#include "support/crowd.h"
#include "support/limits.h"
#include "support/process.h"
#include "wire/base64.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FEATURES = 398, MESSAGE = 16 + 8 * FEATURES }; /* 3200 bytes */
enum { GOAL_RATE = 3000, GOAL_CONNECTION = 25000, GOAL_TIMES = 3 };

typedef struct load {
    size_t agents, connections, at_once;
    char folder[64], operator_token[64];
    tc_store *store;
    tc_coord *coord;
    tc_study_plan *plan;
    crowd_letter *letters;
    char access[64]; /* of the first agent */
} load;

static void check(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "bench_load: %s\n", err->msg);
    exit(1);
}

static void open_store(load *l, const char *folder)
{
    tacit_error err;
    char url[128];
    snprintf(url, sizeof url, "sqlite:///%s/load.db", folder);
    check(tc_store_open(&l->store, url, true, &err), &err);
    check(tc_coord_new(&l->coord, &(tc_coord_config){.store = l->store}, &err), &err);
}

static void close_store(load *l)
{
    tc_coord_free(l->coord);
    tc_store_close(l->store);
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
             "\"algorithm\": {\"name\": \"dp-fts-de\", \"own\": \"features\", \"features\": %d, "
             "\"initial\": 1, \"lengthscale\": 0.2}, "
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

static void enrol(load *l, char access[64], const char *token, tc_secret_key *secret)
{
    tc_public_key key;
    tc_signature proof;
    tc_text body = {0};
    tacit_hash h = tc_hash_bytes(token, strlen(token));
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
    snprintf(access, 64, "%s", json_string_value(json_object_get(j, "access")));
    json_decref(j);
    tc_text_fini(&body);
}

static void write_letter(load *l, crowd_letter *to, const tc_text *m, const char *access,
                         const tc_secret_key *secret)
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
    tc_text_addf(&text,
                 "POST /v1/studies/load/rounds/0/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n"
                 "Authorization: Bearer %s\r\nTacit-Signature: ",
                 body.len, access);
    tc_base64_add(&text, s.bytes, sizeof s.bytes);
    tc_text_addf(&text, "\r\n\r\n%s", tc_text_get(&body));
    to->n = text.len;
    to->bytes = tc_text_take(&text);
    tc_text_fini(&body);
}

static void write_letters(load *l)
{
    char body[64], access[64];
    snprintf(body, sizeof body, "{\"uses\": %zu}", l->agents);
    json_t *j = ask(l, "POST", "/v1/studies/load/tokens", l->operator_token, body);
    const char *token = json_string_value(json_object_get(j, "token"));
    tc_text m = message(l);
    l->letters = tc_alloc(l->agents, sizeof *l->letters);
    for (size_t i = 0; i < l->agents; i++) {
        tc_secret_key secret;
        enrol(l, access, token, &secret);
        write_letter(l, &l->letters[i], &m, access, &secret);
        if (i == 0)
            memcpy(l->access, access, sizeof access);
    }
    json_decref(j);
    tc_text_fini(&m);
}

/* ---- the study's file ---- */

static void move_file(const char *from, const char *to)
{
    tacit_error err;
    char *bytes;
    size_t n;
    check(tc_file_read(from, (size_t)1 << 30, &bytes, &n, &err), &err);
    FILE *f = fopen(to, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) {
        perror(to);
        exit(1);
    }
    unlink(from);
    tc_free(bytes);
}

/* Ten thousand agents that enrol one after another are as many syncs: where there is a file system in
 * memory, that is done there. */
static void prepare(load *l)
{
    tacit_error err;
    tc_text token = {0};
    bool made;
    char scratch[64] = "/dev/shm/tacit-load-XXXXXX", from[128], to[128];
    bool apart = mkdtemp(scratch) != NULL;
    open_store(l, apart ? scratch : l->folder);
    check(tc_coord_operator_token(l->coord, &token, &made, &err), &err);
    snprintf(l->operator_token, sizeof l->operator_token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    create(l);
    write_letters(l);
    close_store(l);
    if (!apart)
        return;
    snprintf(from, sizeof from, "%s/load.db", scratch);
    snprintf(to, sizeof to, "%s/load.db", l->folder);
    move_file(from, to);
    rmdir(scratch);
}

/* ---- the server's process: bench_load serve FOLDER ---- */

static int serve(const char *folder)
{
    static load l;
    tacit_error err;
    tc_certificate tls;
    tc_server *server;
    open_store(&l, folder);
    check(tc_certificate_get(l.store, "127.0.0.1", &tls, &err), &err);
    tc_server_config cfg = {.coord = l.coord, .listen = "127.0.0.1:0", .tls = &tls};
    check(tc_server_start(&server, &cfg, &err), &err);
    bench_process_serve(tc_server_port(server));
    tc_server_stop(server);
    tc_certificate_fini(&tls);
    close_store(&l);
    return 0;
}

/* ---- */

static double seconds_since(uint64_t start)
{
    return (double)(tc_clock_ns() - start) * 1e-9;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const crowd_letter *)a)->took_ns, y = ((const crowd_letter *)b)->took_ns;
    return (x > y) - (x < y);
}

static double wait_for_broadcast(load *l, crowd *c)
{
    tc_text text = {0};
    crowd_letter one = {.status = 202};
    uint64_t start = tc_clock_ns();
    tc_text_addf(&text,
                 "GET /v1/studies/load/rounds/0/broadcast?wait=30 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                 "Authorization: Bearer %s\r\n\r\n",
                 l->access);
    one.bytes = tc_text_get(&text);
    one.n = text.len;
    while (one.status == 202)
        crowd_send(c, &one, 1, 1);
    double took = seconds_since(start);
    if (one.status != 200)
        printf("the round did not close: %d\n", one.status);
    tc_text_fini(&text);
    return took;
}

static size_t failures(const load *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->agents; i++)
        n += l->letters[i].status != 202;
    return n;
}

static void say_latencies(load *l)
{
    qsort(l->letters, l->agents, sizeof *l->letters, by_time);
    printf("latency, %zu at once: p50 %.2f ms, p99 %.2f ms\n", l->at_once,
           (double)l->letters[l->agents / 2].took_ns * 1e-6,
           (double)l->letters[l->agents * 99 / 100].took_ns * 1e-6);
}

static void say_time(const load *l, const bench_usage *before, const bench_usage *after)
{
    double each = 1e6 / (double)l->agents;
    printf("the server's processor time a message: %.0f us, and %.0f us of the system\n",
           (after->user_s - before->user_s) * each, (after->system_s - before->system_s) * each);
}

static void say_memory(const load *l, const bench_usage *connected, const bench_usage *after,
                       const bench_usage *started)
{
    double messages = (double)l->agents * MESSAGE / 1e6, mb = 1.048576;
    double allowed = GOAL_TIMES * messages + (double)l->connections * GOAL_CONNECTION / 1e6;
    printf("the server's memory: %.1f MB at its start, %.1f kB a connection, peak %.1f MB\n",
           started->peak_mb * mb,
           (connected->now_mb - started->now_mb) * mb * 1e3 / (double)l->connections,
           after->peak_mb * mb);
    printf(
        "goal: at most %d times the %.0f MB of messages and %d kB a connection, %.0f MB: %.2f of "
        "it\n",
        GOAL_TIMES, messages, GOAL_CONNECTION / 1000, allowed, after->peak_mb * mb / allowed);
}

static size_t run(load *l, pid_t server, uint16_t port)
{
    bench_usage started = bench_process_usage(server);
    uint64_t start = tc_clock_ns();
    crowd *c = crowd_connect(port, l->connections, l->at_once);
    printf("%zu handshakes: %.0f a second\n", l->connections,
           (double)l->connections / seconds_since(start));
    bench_usage connected = bench_process_usage(server);
    start = tc_clock_ns();
    crowd_send(c, l->letters, l->agents, l->at_once);
    double rate = (double)l->agents / seconds_since(start);
    bench_usage sent = bench_process_usage(server);
    double closing = wait_for_broadcast(l, c);
    bench_usage after = bench_process_usage(server);
    size_t failed = failures(l);
    printf("%zu messages of %d bytes: %.0f a second, durable; %zu failed\n", l->agents, MESSAGE,
           rate, failed);
    printf("goal: %d messages a second: %.2f of it\n", GOAL_RATE, rate / GOAL_RATE);
    say_latencies(l);
    printf("from the last message to the broadcast: %.2f s\n", closing);
    say_time(l, &connected, &sent);
    say_memory(l, &connected, &after, &started);
    crowd_close(c);
    return failed;
}

static void say_limits(const char *folder)
{
    printf("this machine: %.0f syncs of 4 kB a second; %.0f inserts of %d bytes, 32 to a sync; "
           "%.0f signatures checked by a thread\n",
           bench_limit_syncs(folder), bench_limit_inserts(folder, MESSAGE, 32), MESSAGE,
           bench_limit_verifies());
}

static size_t number(int argc, char **argv, int i, size_t otherwise)
{
    return argc > i ? strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    static load l = {.folder = "/tmp/tacit-load-XXXXXX"};
    char file[128];
    if (argc > 2 && strcmp(argv[1], "serve") == 0)
        return serve(argv[2]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    l.agents = number(argc, argv, 1, 10000);
    l.connections = number(argc, argv, 2, l.agents);
    l.at_once = number(argc, argv, 3, 64);
    if (argc > 4)
        snprintf(l.folder, sizeof l.folder, "%s", argv[4]);
    else if (!mkdtemp(l.folder))
        return 1;
    say_limits(l.folder);
    prepare(&l);
    bench_process server =
        bench_process_start((const char *const[]){argv[0], "serve", l.folder, NULL});
    size_t failed = run(&l, server.pid, server.port);
    bench_process_end(&server);
    snprintf(file, sizeof file, "%s/load.db", l.folder);
    unlink(file);
    if (argc <= 4)
        rmdir(l.folder);
    return failed > 0;
}
