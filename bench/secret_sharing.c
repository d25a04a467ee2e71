/* secret_sharing.c - one round of a study with trustees: bytes and processor time of an agent, a trustee and the coordinator.
 *
 * N agents, K trustees with the usual terms, vectors of M = 100 numbers in one group. The coordinator is that of a deployment without
 * its sockets, on SQLite; trustees are those of `tacit trustee`, each with a SQLite store. An agent deals, signs and posts as
 * `tacit agent` does; its search, its own store and its look at the coordinator's ledger are left out. Bytes are bodies of requests and answers, without headers. What
 * happens once in a study (enrolling, the roster) is a line of its own. Processor time is of the whole process, so of a store's threads too.
 *
 * Of all trustees and of all agents the mean is shown. peers/secagg_plus.py has the same round with Flower's SecAgg+.
 *
 *     bench_secret_sharing [N, 0: 5, 30, 1000, 10000] [K, 0: 3, 4, 6, 8] */
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "coord/coord.h"
#include "study/study_plan.h"
#include "trustee/trustee.h"
#include "wire/base64.h"
#include "wire/dealing.h"
#include "wire/signature.h"
#include "wire/trust_roster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { M = 100, STEPS_MOST = 1000 };

/* What one kind of party has spent. */
typedef struct cost {
    double ms;
    size_t sent, heard;
} cost;

typedef struct voter {
    tc_secret_key secret;
    char access[64];
} voter;

typedef struct helper {
    struct bench *in;
    tc_store *store;
    tc_trustee *acts;
} helper;

typedef struct bench {
    char folder[64], join_agents[64], join_trustees[64];
    uint64_t n;
    tc_trustees terms;
    tc_store *store;
    tc_coord *coord;
    tc_study_plan *plan;
    voter *agents;
    helper trustees[TC_TRUSTEES_MOST];
    tc_box_key keys[TC_TRUSTEES_MOST]; /* of round 0 */
    int64_t vector[M];
    double coordinator_ms; /* in all calls so far */
    cost agent, trustee;   /* of all of them */
    tacit_hash roster_hash;
    size_t roster;    /* bytes of the answer that has it, ... */
    double roster_ms; /* ... and what another one costs the coordinator */
    double study_ms;  /* an answer that describes the study */
    bool closes;
} bench;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void check(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "bench_secret_sharing: %s\n", err->msg);
    exit(1);
}

/* ---- the coordinator ---- */

/* The status; `body` gets the answer, `who` (or NULL) pays for the bytes. */
static int handle(bench *b, const tc_request *q, cost *who, tc_text *body)
{
    tc_response r = {0};
    const double since = now_ms();
    tc_coord_handle(b->coord, q, &r);
    b->coordinator_ms += now_ms() - since;
    b->closes |= r.closes;
    if (who) {
        who->sent += q->n_body;
        who->heard += r.body.len;
    }
    tc_text_add_bytes(body, tc_text_get(&r.body), r.body.len);
    const int status = r.status;
    tc_response_fini(&r);
    return status;
}

static json_t *ask(bench *b, const tc_request *q, cost *who)
{
    tc_text body = {0};
    const int status = handle(b, q, who, &body);
    json_t *j = json_loads(tc_text_get(&body), 0, NULL);
    if (status >= 300 || !j) {
        fprintf(stderr, "bench_secret_sharing: %s: %d: %s\n", q->path, status, tc_text_get(&body));
        exit(1);
    }
    tc_text_fini(&body);
    return j;
}

static void tick(bench *b)
{
    tacit_error err = {0};
    int64_t next;
    const double since = now_ms();
    check(tc_coord_tick(b->coord, &next, &err), &err);
    b->coordinator_ms += now_ms() - since;
    b->closes = false;
}

static void create(bench *b)
{
    tacit_error err = {0};
    tc_study_row row;
    char document[1024];
    snprintf(document, sizeof document,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 21, \"seed\": 1,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", \"own\": \"features\", \"features\": %d,"
             " \"regions\": 1, \"initial\": 1, \"releases\": \"all\", \"lengthscale\": 0.2},"
             " \"federation\": {\"agents\": %" PRIu64 ", \"trustees\": %u},"
             " \"privacy\": {\"noise_multiplier\": 8}}",
             M, b->n, (unsigned)b->terms.count);
    check(tc_coord_create(b->coord, document, &err), &err);
    check(tc_store_study_get(b->store, "s", &row, &err), &err);
    check(tc_study_plan_new(&b->plan, &row, &err), &err);
    tc_study_row_fini(&row);
}

static void invite(bench *b, bool trustees, uint64_t uses, char out[64])
{
    tacit_error err = {0};
    tc_text token = {0};
    check(tc_coord_invite(b->coord, "s", trustees, uses, 0, &token, &err), &err);
    snprintf(out, 64, "%s", tc_text_get(&token));
    tc_text_fini(&token);
}

static void open_coordinator(bench *b)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    char url[128];
    snprintf(url, sizeof url, "sqlite:///%s/coordinator.db", b->folder);
    check(tc_store_open(&b->store, url, true, &err), &err);
    check(tc_coord_new(&b->coord, &(tc_coord_config){.store = b->store}, &err), &err);
    check(tc_coord_operator_token(b->coord, &token, &made, &err), &err);
    tc_text_fini(&token);
    create(b);
    invite(b, false, b->n, b->join_agents);
    invite(b, true, b->terms.count, b->join_trustees);
}

/* ---- agents ---- */

static void sign(const voter *v, const tc_signed *what, tc_text *out)
{
    tc_signature s;
    tc_sign(&v->secret, what, &s);
    tc_base64_add(out, s.bytes, sizeof s.bytes);
}

static void enrol(bench *b, voter *v)
{
    tc_public_key key;
    tc_text body = {0};
    const tacit_hash h = tc_hash_bytes(b->join_agents, strlen(b->join_agents));
    tc_keys_fresh(&key, &v->secret);
    tc_text_add(&body, "{\"key\": \"");
    tc_base64_add(&body, key.bytes, sizeof key.bytes);
    tc_text_add(&body, "\", \"proof\": \"");
    sign(v,
         &(tc_signed){.purpose = TC_SIGN_ENROL,
                      .study = b->plan->hash,
                      .body = h.bytes,
                      .n_body = sizeof h.bytes},
         &body);
    tc_text_add(&body, "\"}");
    json_t *j = ask(b,
                    &(tc_request){.method = "POST",
                                  .path = "/v1/studies/s/agents",
                                  .bearer = b->join_agents,
                                  .body = tc_text_get(&body),
                                  .n_body = body.len},
                    NULL);
    snprintf(v->access, sizeof v->access, "%s", json_string_value(json_object_get(j, "access")));
    json_decref(j);
    tc_text_fini(&body);
}

/* The second time, when what can be remembered is. */
static double cost_of(bench *b, const tc_request *q)
{
    json_decref(ask(b, q, NULL));
    const double before = b->coordinator_ms;
    json_decref(ask(b, q, NULL));
    return b->coordinator_ms - before;
}

/* The keys of round 0, as an agent reads them. */
static void read_roster(bench *b)
{
    tacit_error err = {0};
    cost c = {0};
    const tc_request q = {
        .method = "GET", .path = "/v1/studies/s/roster", .bearer = b->agents[0].access};
    json_t *j = ask(b, &q, &c), *batches = json_object_get(j, "round_keys");
    tc_trust_roster roster;
    uint8_t *whole;
    size_t size;
    const char *encoded = json_string_value(json_object_get(j, "roster"));
    check(tc_base64_bytes(encoded ? encoded : "", "roster", 1 << 24, &whole, &size, &err), &err);
    check(tc_trust_roster_read(whole, size, &roster, &err), &err);
    b->roster_hash = tc_trust_roster_hash(&roster);
    tc_free(whole);
    for (uint32_t k = 0; k < b->terms.count; k++) {
        uint8_t *bytes;
        size_t n;
        const char *text = json_string_value(json_array_get(batches, k));
        check(tc_base64_bytes(text ? text : "", "round_keys", 1 << 24, &bytes, &n, &err), &err);
        b->keys[k] = tc_trust_batch_key(bytes, 0);
        tc_free(bytes);
    }
    b->roster = c.heard;
    b->roster_ms = cost_of(b, &q);
    b->study_ms = cost_of(
        b, &(tc_request){.method = "GET", .path = "/v1/studies/s", .bearer = b->agents[0].access});
    json_decref(j);
}

/* The body of its message and the signature over it. */
static void deal(bench *b, uint64_t i, tc_text *body, tc_text *signature)
{
    tacit_error err = {0};
    uint8_t secret[TC_SHARE_SECRET];
    const size_t n = tc_dealing_size(&b->terms, M);
    uint8_t *upload = tc_alloc(n, 1);
    const tc_dealer d = {.trustees = b->terms,
                         .roster = b->roster_hash,
                         .epoch = TC_ROSTER_EPOCH,
                         .kind = TC_DEALER_AGENT,
                         .number = i,
                         .identity = &b->agents[i].secret,
                         .keys = b->keys};
    tc_noise noise;
    tc_noise_init(&noise);
    for (size_t j = 0; j < sizeof secret; j++)
        secret[j] = (uint8_t)tc_noise_u64(&noise);
    tc_noise_fini(&noise);
    check(upload ? tc_dealing_write(&d, secret, b->vector, M, upload, &err) : tc_fail_memory(&err),
          &err);
    tc_text_add(body, "{\"sequence\": 1, \"message\": \"");
    tc_base64_add(body, upload, n);
    tc_text_add(body, "\"}");
    sign(&b->agents[i],
         &(tc_signed){.purpose = TC_SIGN_MESSAGE,
                      .study = b->plan->hash,
                      .sequence = 1,
                      .body = tc_text_get(body),
                      .n_body = body->len},
         signature);
    tc_free(upload);
}

static void post(bench *b, uint64_t i)
{
    tc_text body = {0}, signature = {0};
    const double since = now_ms();
    deal(b, i, &body, &signature);
    b->agent.ms += now_ms() - since;
    json_decref(ask(b,
                    &(tc_request){.method = "POST",
                                  .path = "/v1/studies/s/rounds/0/messages",
                                  .bearer = b->agents[i].access,
                                  .signature = tc_text_get(&signature),
                                  .body = tc_text_get(&body),
                                  .n_body = body.len},
                    &b->agent));
    tc_text_fini(&body);
    tc_text_fini(&signature);
    if (b->closes)
        tick(b);
}

static void hear(bench *b, uint64_t i)
{
    json_decref(ask(b,
                    &(tc_request){.method = "GET",
                                  .path = "/v1/studies/s/rounds/0/broadcast",
                                  .bearer = b->agents[i].access},
                    &b->agent));
}

/* ---- trustees ---- */

static tacit_status carry(void *user, const tc_call *call, int *status, tc_text *body,
                          tacit_error *err)
{
    helper *h = user;
    char path[256];
    (void)err;
    snprintf(path, sizeof path, "%s", call->path);
    char *query = strchr(path, '?');
    if (query)
        *query++ = 0;
    *status = handle(h->in,
                     &(tc_request){.method = call->method,
                                   .path = path,
                                   .query = query,
                                   .bearer = call->bearer,
                                   .signature = call->signature,
                                   .idempotency = call->idempotency,
                                   .body = call->body,
                                   .n_body = call->n_body},
                     &h->in->trustee, body);
    return TACIT_OK;
}

static void open_trustee(bench *b, uint32_t k)
{
    tacit_error err = {0};
    helper *h = &b->trustees[k];
    char url[128];
    h->in = b;
    snprintf(url, sizeof url, "sqlite:///%s/trustee%u.db", b->folder, (unsigned)k);
    check(tc_store_open(&h->store, url, true, &err), &err);
    const tc_trustee_config cfg = {
        .store = h->store, .transport = {carry, h}, .study = "s", .join_token = b->join_trustees};
    check(tc_trustee_open(&h->acts, &cfg, &err), &err);
}

/* Whatever each has to do; its own time is what is not the coordinator's. */
static void let_trustees_act(bench *b)
{
    tacit_error err = {0};
    for (uint32_t k = 0; k < b->terms.count; k++) {
        tc_trustee_next next = TC_TRUSTEE_AGAIN;
        const double since = now_ms(), theirs = b->coordinator_ms;
        for (int i = 0; i < STEPS_MOST && next == TC_TRUSTEE_AGAIN; i++)
            check(tc_trustee_step(b->trustees[k].acts, 0, &next, &err), &err);
        b->trustee.ms += now_ms() - since - (b->coordinator_ms - theirs);
        if (b->closes)
            tick(b);
    }
}

/* ---- one cell of the table ---- */

static void begin(bench *b, uint64_t n, uint32_t k)
{
    tacit_error err = {0};
    *b = (bench){.folder = "/tmp/tacit-sharing-XXXXXX", .n = n, .terms = tc_trustees_usual(k)};
    b->agents = tc_alloc(n, sizeof *b->agents);
    check(tc_trustees_check(&b->terms, &err), &err);
    if (!b->agents || !mkdtemp(b->folder)) {
        perror("bench_secret_sharing");
        exit(1);
    }
    for (size_t j = 0; j < M; j++)
        b->vector[j] = (int64_t)(j * 7919 % 100003) - 50000;
    open_coordinator(b);
}

static void end(bench *b)
{
    char command[96];
    for (uint32_t k = 0; k < b->terms.count; k++) {
        tc_trustee_close(b->trustees[k].acts);
        tc_store_close(b->trustees[k].store);
    }
    tc_study_plan_free(b->plan);
    tc_coord_free(b->coord);
    tc_store_close(b->store);
    tc_free(b->agents);
    snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
    if (system(command) != 0)
        fprintf(stderr, "bench_secret_sharing: %s is left\n", b->folder);
}

static void gather(bench *b)
{
    for (uint64_t i = 0; i < b->n; i++)
        enrol(b, &b->agents[i]);
    for (uint32_t k = 0; k < b->terms.count; k++)
        open_trustee(b, k);
    let_trustees_act(b); /* each reads the roster */
    read_roster(b);
}

/* before: ms of the coordinator until the round began. */
static void print_row(const bench *b, double before)
{
    const double agents = (double)b->n, trustees = (double)b->terms.count;
    const cost *a = &b->agent, *t = &b->trustee;
    printf("%6" PRIu64 " %2u %2u %8.0f %8.0f %8.2f %10.0f %10.0f %9.1f %10.1f %10zu %8.2f %8.2f "
           "%10.1f\n",
           b->n, (unsigned)b->terms.count, (unsigned)b->terms.degree, (double)a->sent / agents,
           (double)a->heard / agents, a->ms / agents, (double)t->sent / trustees,
           (double)t->heard / trustees, t->ms / trustees, b->coordinator_ms, b->roster,
           b->roster_ms, b->study_ms, before);
    fflush(stdout);
}

static void measure(uint64_t n, uint32_t k)
{
    static bench b;
    begin(&b, n, k);
    gather(&b);
    const double before = b.coordinator_ms;
    b.agent = b.trustee = (cost){0};
    b.coordinator_ms = 0;
    for (uint64_t i = 0; i < n; i++)
        post(&b, i);
    let_trustees_act(&b); /* noise */
    tick(&b);             /* the set */
    let_trustees_act(&b); /* answers */
    tick(&b);             /* the release */
    for (uint64_t i = 0; i < n; i++)
        hear(&b, i);
    print_row(&b, before);
    end(&b);
}

int main(int argc, char **argv)
{
    static const uint64_t agents[] = {5, 30, 1000, 10000};
    static const uint32_t trustees[] = {3, 4, 6, 8};
    const uint64_t one_n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const uint32_t one_k = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    printf("one round, M = %d; ms of processor time; once in a study: the roster's bytes, ms of an "
           "answer with "
           "it, ms of one about the study, ms of all before the round\n"
           "%6s %2s %2s %26s %31s %10s %38s\n"
           "%6s %2s %2s %8s %8s %8s %10s %10s %9s %10s %10s %8s %8s %10s\n",
           M, "", "", "", "an agent", "a trustee", "coord.", "once", "N", "K", "t", "sends",
           "hears", "ms", "sends", "hears", "ms", "ms", "roster", "ms", "study", "ms");
    for (size_t i = 0; i < (one_n > 0 ? 1 : sizeof agents / sizeof *agents); i++)
        for (size_t j = 0; j < (one_k > 0 ? 1 : sizeof trustees / sizeof *trustees); j++)
            measure(one_n > 0 ? one_n : agents[i], one_k > 0 ? one_k : trustees[j]);
    return 0;
}
