/* fuzz_request.c - any requests to a coordinator that has a federated and a
 * served study, and one with trustees whose first round waits for answers.
 *
 * The input is a list of requests, parted by zero bytes: a letter for who asks,
 * the method, the path with its query, perhaps an idempotency key, and after a
 * line's end the body.
 *
 *     o POST /v1/studies/s/tokens?x=1\n{"uses": 3}
 *
 * Letters: o operator, v viewer, j joiner, a and b agents of the federated
 * study (their messages are signed as they are), c client of the served one, k
 * curator, s agent and t trustee of the study "u" with trustees (what the trustee sends is signed as it is), x a joiner
 * of its trustees, n nobody; any other is a token by itself. Every answer must have the
 * shape that its route describes, and nothing may be an error of the
 * coordinator's own.
 *
 * The studies, agents and tokens are made once. Each input has a coordinator of
 * its own, on a copy of that store; one that was not written to serves the next
 * input as well. So an input does the same whatever ran before it. */
#include "input.h"

#include "support/shared_world.h"

#include "study/backup.h"

/* A search goes further with many short inputs; kept ones are run whole. */
#ifdef TACIT_FUZZER
enum { REQUESTS_MOST = 8 };
#else
enum { REQUESTS_MOST = 64 };
#endif

static const char served_document[] =
    "{\"name\": \"q\", \"direction\": \"minimize\", \"trials\": 6, \"seed\": 3,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"random\"}}";

static const char federated_document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": "
    "7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 2, \"initial\": "
    "2, \"releases\": "
    "\"all\"},"
    " \"federation\": {\"agents\": 3, \"deadline_s\": 5},"
    " \"privacy\": {\"noise_multiplier\": 2, \"delta\": 0.01}}";

typedef struct hall {
    coord_world w;
    char viewer[64], joiner[64], client[64], curator[64];
    trust_world u;
    char trustee[64]; /* a token with which one joins */
} hall;

/* ---- the world ---- */

static void get_token(hall *h, const char *path, const char *body, char out[64])
{
    json_t *a;
    REQUIRE(world_call(&h->w, "POST", path, h->w.operator_token, body, &a) == 201);
    snprintf(out, 64, "%s", world_text(a, "token"));
    json_decref(a);
}

static void create_served(hall *h)
{
    char body[1024];
    snprintf(body, sizeof body, "{\"document\": %s}", served_document);
    REQUIRE(world_call(&h->w, "POST", "/v1/studies", h->w.operator_token, body, NULL) == 201);
}

/* Its first round is closing, and one of four trustees has answered. */
static void open_trusted(hall *h)
{
    h->u.w = h->w;
    trust_create(&h->u, "u", (tc_trustees){4, 2, 1, 3}, 60);
    trust_enrol_all(&h->u);
    trust_token(&h->u, "{\"role\": \"trustee\"}", h->trustee);
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        REQUIRE(trust_send(&h->u, 0, i, NULL) == 202);
    for (uint32_t k = 0; k < 3; k++)
        REQUIRE(trust_deal_noise(&h->u, k, 0, NULL) == 202);
    trust_tick(&h->u);
    REQUIRE(trust_do_answer(&h->u, 1, 0, NULL) == 202);
}

static void open_hall(hall *h)
{
    tc_store *store;
    *h = (hall){.w = {.now_ms = 1000000}};
    REQUIRE(tc_store_open(&store, "memory:", true, NULL) == TACIT_OK);
    world_open(&h->w, store, 7);
    create_served(h);
    world_create(&h->w, "s", federated_document);
    world_enrol_all(&h->w, 2);
    world_join_token(&h->w, 1, h->joiner);
    get_token(h, "/v1/tokens", "{\"role\": \"viewer\"}", h->viewer);
    get_token(h, "/v1/tokens", "{\"role\": \"curator\"}", h->curator);
    get_token(h, "/v1/studies/q/tokens", "{}", h->client);
    open_trusted(h);
    world_tick(&h->w);
    tc_coord_free(h->w.coord);
    h->w.coord = NULL;
}

static tc_store *copy_of(tc_store *from)
{
    tc_store *to;
    REQUIRE(tc_store_open(&to, "memory:", true, NULL) == TACIT_OK);
    REQUIRE(tc_backup_copy(to, from, false, NULL) == TACIT_OK);
    return to;
}

static void start_coordinator(hall *h, tc_store *store)
{
    tc_coord_config cfg = {
        .store = store, .now_ms = world_clock, .user = &h->w, .seeded = true, .seed = 7};
    h->w.store = store;
    REQUIRE(tc_coord_new(&h->w.coord, &cfg, NULL) == TACIT_OK);
}

static const char *token_of(const hall *h, char who, char other[2])
{
    other[0] = who;
    other[1] = 0;
    switch (who) {
    case 'o':
        return h->w.operator_token;
    case 'v':
        return h->viewer;
    case 'j':
        return h->joiner;
    case 'a':
        return h->w.agents[0].access;
    case 'b':
        return h->w.agents[1].access;
    case 'c':
        return h->client;
    case 'k':
        return h->curator;
    case 's':
        return h->u.w.agents[0].access;
    case 't':
        return h->u.t[0].access;
    case 'x':
        return h->trustee;
    case 'n':
        return NULL;
    default:
        return other;
    }
}

/* ---- a request ---- */

/* As an agent would: over the round in the path and the sequence in the body.
 */
static void sign(const citizen *c, const tacit_hash *study, const tc_request *q, tc_text *out)
{
    const char *round = strstr(q->path, "/rounds/"), *sequence = strstr(q->body, "\"sequence\":");
    tc_signature s;
    tc_signed what = {.purpose = TC_SIGN_MESSAGE,
                      .study = *study,
                      .round = round ? strtoull(round + 8, NULL, 10) : 0,
                      .sequence = sequence ? strtoull(sequence + 11, NULL, 10) : 0,
                      .body = q->body,
                      .n_body = q->n_body};
    tc_sign(&c->secret, &what, &s);
    tc_base64_add(out, s.bytes, sizeof s.bytes);
}

/* As a trustee would: the bytes or the sentence, over the round in the path. */
static void sign_sent(const hall *h, const tc_request *q, tc_text *out)
{
    static const struct {
        const char *field;
        tc_signed_purpose purpose;
    } kinds[] = {
        {"noise", TC_SIGN_NOISE}, {"answer", TC_SIGN_ANSWER}, {"refusal", TC_SIGN_REFUSAL}};
    const char *round = strstr(q->path, "/rounds/");
    json_t *j = json_loadb(q->body, q->n_body, 0, NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *text = json_string_value(json_object_get(j, kinds[i].field));
        uint8_t *bytes = NULL;
        size_t n = 0;
        tc_signature s;
        if (!text || (i < 2 && tc_base64_bytes(text, "it", 1 << 20, &bytes, &n, NULL) != TACIT_OK))
            continue;
        tc_signed what = {.purpose = kinds[i].purpose,
                          .study = h->u.w.hash,
                          .round = round ? strtoull(round + 8, NULL, 10) : 0,
                          .body = bytes ? (const void *)bytes : text,
                          .n_body = bytes ? n : strlen(text)};
        tc_sign(&h->u.t[0].secret, &what, &s);
        tc_text_fini(out);
        tc_base64_add(out, s.bytes, sizeof s.bytes);
        tc_free(bytes);
    }
    json_decref(j);
}

static void check_answer(const tc_request *q, const tc_response *r)
{
    tacit_error err = {0};
    REQUIRE(r->status >= 200 && r->status < 500);
    if (tc_coord_check_answer(q, r, &err) != TACIT_OK)
        fprintf(stderr, "%s\n", err.msg);
    REQUIRE(err.code == TACIT_OK);
}

/* The same for all, and as large as a thousand other answers. */
static bool is_description(const tc_request *q)
{
    return strcmp(q->path, "/openapi.json") == 0;
}

static void handle(hall *h, const tc_request *q)
{
    tc_response r = {0};
    size_t most = 0;
    tc_request head = *q; /* which is asked about alone if a body comes */
    head.body = NULL;
    head.n_body = 0;
    if (q->n_body == 0 || tc_coord_admit(h->w.coord, &head, &most, &r)) {
        tc_response_fini(&r);
        r = (tc_response){0};
        tc_coord_handle(h->w.coord, q, &r);
    }
    check_answer(q, &r);
    tc_response_fini(&r);
}

/* "o POST /path?query\nbody"; cuts the text up. */
static void run_one(hall *h, char *text)
{
    char other[2], *method = text[0] ? text + 1 + (text[1] == ' ') : text;
    const char *token = token_of(h, text[0], other);
    char *body = strchr(method, '\n');
    if (body)
        *body++ = 0;
    char *path = strchr(method, ' ');
    if (path)
        *path++ = 0;
    char *key = path ? strchr(path, ' ') : NULL;
    if (key)
        *key++ = 0;
    char *query = path ? strchr(path, '?') : NULL;
    if (query)
        *query++ = 0;
    tc_request q = {.method = method,
                    .path = path ? path : "",
                    .query = query,
                    .bearer = token,
                    .idempotency = key,
                    .body = body ? body : "",
                    .n_body = body ? strlen(body) : 0};
    tc_text signature = {0};
    if (text[0] == 'a' || text[0] == 'b') {
        sign(&h->w.agents[text[0] == 'b'], &h->w.hash, &q, &signature);
        q.signature = tc_text_get(&signature);
    } else if (text[0] == 's') {
        sign(&h->u.w.agents[0], &h->u.w.hash, &q, &signature);
        q.signature = tc_text_get(&signature);
    } else if (text[0] == 't') {
        sign_sent(h, &q, &signature);
        q.signature = tc_text_get(&signature);
    }
    if (!is_description(&q))
        handle(h, &q);
    tc_text_fini(&signature);
}

/* Before something is written, no tick has anything to do. */
static void run_all(hall *h, const crash_store *store, const uint8_t *data, size_t size)
{
    for (int i = 0; size > 0 && i < REQUESTS_MOST; i++) {
        char *text = tc_strndup((const char *)data, size);
        REQUIRE(text);
        size_t n = strlen(text) + 1;
        run_one(h, text);
        tc_free(text);
        data += n < size ? n : size;
        size -= n < size ? n : size;
        h->w.now_ms += 1000;
        if (store->writes > 0)
            world_tick(&h->w);
    }
}

FUZZ_TARGET(request)
{
    static hall first;
    static tc_store *clean; /* a copy that nobody has written to */
    crash_store counting;   /* it never crashes: it counts what is written */
    if (!first.w.store) {
        open_hall(&first);
        clean = copy_of(first.w.store);
    }
    hall h = first;
    crash_init(&counting, clean);
    start_coordinator(&h, &counting.base);
    run_all(&h, &counting, data, size);
    tc_coord_free(h.w.coord);
    bool spoilt = counting.writes > 0;
    if (!spoilt)
        counting.disk = NULL; /* it stays open */
    crash_fini(&counting);
    if (spoilt) /* now, so that an input frees what it takes: libFuzzer looks for leaks */
        clean = copy_of(first.w.store);
    return 0;
}
