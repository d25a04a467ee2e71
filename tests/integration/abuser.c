/* abuser.c - an agent that is enrolled, signs what it sends, and does everything that it should not.
 *
 *   abuser calm URL FINGERPRINT JOIN_FILE ROUNDS             one proper message in each round, nothing else
 *   abuser rough URL FINGERPRINT JOIN_FILE ROUNDS            the same, and all abuse before and after each
 *   abuser again URL FINGERPRINT JOIN_FILE TIMES             all abuse so many times more, after the study
 *   abuser strangers URL FINGERPRINT JOIN_FILE OPERATOR_FILE asks with every wrong token for a study that
 *                                                            there is and one that there is not
 *
 * For abuse_live_test.sh, whose studies "s" and "t" are of dp-fts-de with 20 features; strangers are of "t". It ends with status 1 and a line
 * for each thing that was not refused as it should be. */
#include "abuser_int.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "study/study_plan.h"

#include <inttypes.h>
#include <signal.h>
#include <time.h>

enum { FEATURES = 20, MESSAGE = 16 + 8 * FEATURES, PATIENCE = 600 };

void complain(abuser *a, const char *what, int status)
{
    printf("abuser: %s is answered with %d\n", what, status);
    a->failures++;
}

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ---- requests as they should be ---- */

static int ask(abuser *a, const tc_call *call, json_t **answer)
{
    int status = 0;
    tc_text body = {0};
    tacit_error err = {0};
    if (tc_client_call(a->client, call, &status, &body, &err) != TACIT_OK)
        fprintf(stderr, "abuser: %s\n", err.msg);
    if (answer)
        *answer = json_loads(tc_text_get(&body), 0, NULL);
    tc_text_fini(&body);
    return status;
}

static const char *text_of(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));
    return text ? text : "";
}

/* The study's hash, from what its coordinator says of it. */
static bool learn_study(abuser *a)
{
    json_t *j = NULL;
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/%s", a->name);
    tc_call call = {.method = "GET", .path = path, .bearer = a->token};
    bool ok = ask(a, &call, &j) == 200;
    tc_study_row row = {.document = (char *)text_of(j, "document"),
                        .created_ms = json_integer_value(json_object_get(j, "created_ms"))};
    ok = ok && tc_base64_read(text_of(j, "public_seed"), row.public_seed.bytes,
                              sizeof row.public_seed.bytes);
    if (ok)
        a->study = tc_study_hash(&row);
    json_decref(j);
    return ok;
}

static bool enrol(abuser *a)
{
    static const uint8_t seed[32] = "an agent that means no good";
    json_t *j = NULL;
    tc_text body = {0};
    char path[64];
    tc_signature proof;
    tacit_hash h = tc_hash_bytes(a->token, strlen(a->token));
    tc_signed what = {
        .purpose = TC_SIGN_ENROL, .study = a->study, .body = h.bytes, .n_body = sizeof h.bytes};
    tc_keys_from(&a->key, &a->secret, seed);
    tc_sign(&a->secret, &what, &proof);
    tc_text_add(&body, "{\"key\": \"");
    tc_base64_add(&body, a->key.bytes, sizeof a->key.bytes);
    tc_text_add(&body, "\", \"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"}");
    snprintf(path, sizeof path, "/v1/studies/%s/agents", a->name);
    tc_call call = {.method = "POST",
                    .path = path,
                    .bearer = a->token,
                    .body = tc_text_get(&body),
                    .n_body = body.len};
    int status = ask(a, &call, &j);
    snprintf(a->access, sizeof a->access, "%s", text_of(j, "access"));
    json_decref(j);
    tc_text_fini(&body);
    return (status == 201 || status == 200) && *a->access; /* 200: the place that it has */
}

static void sign(const abuser *a, uint64_t round, uint64_t sequence, const tc_text *body,
                 tc_text *out)
{
    tc_signature s;
    tc_signed what = {.purpose = TC_SIGN_MESSAGE,
                      .study = a->study,
                      .round = round,
                      .sequence = sequence,
                      .body = tc_text_get(body),
                      .n_body = body->len};
    tc_sign(&a->secret, &what, &s);
    tc_base64_add(out, s.bytes, sizeof s.bytes);
}

/* Any body, with a signature over it that holds. */
static int post_body(abuser *a, uint64_t round, uint64_t sequence, const tc_text *body)
{
    char path[96];
    tc_text signature = {0};
    sign(a, round, sequence, body, &signature);
    snprintf(path, sizeof path, "/v1/studies/s/rounds/%" PRIu64 "/messages", round);
    tc_call call = {.method = "POST",
                    .path = path,
                    .bearer = a->access,
                    .signature = tc_text_get(&signature),
                    .body = tc_text_get(body),
                    .n_body = body->len};
    int status = ask(a, &call, NULL);
    tc_text_fini(&signature);
    return status;
}

static int post_bytes(abuser *a, uint64_t round, uint64_t sequence, const void *bytes, size_t n)
{
    tc_text body = {0};
    tc_text_addf(&body, "{\"sequence\": %" PRIu64 ", \"message\": \"", sequence);
    tc_base64_add(&body, bytes, n);
    tc_text_add(&body, "\"}");
    int status = post_body(a, round, sequence, &body);
    tc_text_fini(&body);
    return status;
}

/* As dp_fts_de/message.c has it. */
static void form(const abuser *a, uint64_t round, uint8_t first, uint8_t out[MESSAGE])
{
    memset(out, 0, MESSAGE);
    memcpy(out, "TDE1", 4);
    out[4] = a->grid;
    out[8] = (uint8_t)round;
    out[16] = first;
}

/* The proper message of a round, as soon as the round takes it; the grid is found by trying. */
static bool post_proper(abuser *a, uint64_t round)
{
    uint8_t m[MESSAGE];
    a->sequence++;
    for (int i = 0; i < PATIENCE; i++) {
        form(a, round, 3, m);
        int status = post_bytes(a, round, a->sequence, m, sizeof m);
        if (status == 202 || status == 200)
            return true;
        if (status == 400)
            a->grid++;
        else
            nap_ms(50);
    }
    return false;
}

/* ---- messages that must be refused ---- */

void must_refuse(abuser *a, const char *what, int status)
{
    if (status < 400 || status >= 500)
        complain(a, what, status);
}

static void abuse_messages(abuser *a, uint64_t round)
{
    uint8_t m[MESSAGE + 8];
    uint64_t later = a->sequence + 1000;
    form(a, round + 1, 9, m);
    must_refuse(a, "a message for the next round", post_bytes(a, round + 1, later, m, MESSAGE));
    must_refuse(a, "a far round", post_bytes(a, UINT64_C(1) << 40, later, m, MESSAGE));
    must_refuse(a, "no round", post_bytes(a, UINT64_MAX, later, m, MESSAGE));
    form(a, round, 9, m);
    must_refuse(a, "a long message", post_bytes(a, round, later, m, MESSAGE + 8));
    must_refuse(a, "a short message", post_bytes(a, round, later, m, MESSAGE - 8));
    must_refuse(a, "an empty message", post_bytes(a, round, later, m, 0));
    memset(m + 16, 0x7f, 8 * FEATURES);
    must_refuse(a, "numbers beyond the clip", post_bytes(a, round, later, m, MESSAGE));
    for (size_t i = 16; i < MESSAGE; i += 8)
        memcpy(m + i, "\0\0\0\0\0\0\xf8\x7f", 8); /* NaN, where doubles were expected */
    must_refuse(a, "not-a-numbers", post_bytes(a, round, later, m, MESSAGE));
    form(a, round, 9, m);
    m[4]++;
    must_refuse(a, "another grid", post_bytes(a, round, later, m, MESSAGE));
}

static void abuse_text(abuser *a, uint64_t round, const char *what, const char *text)
{
    tc_text body = {0};
    tc_text_add(&body, text);
    must_refuse(a, what, post_body(a, round, 5, &body));
    tc_text_fini(&body);
}

static void abuse_nested(abuser *a, uint64_t round)
{
    tc_text body = {0};
    tc_text_add(&body, "{\"sequence\": 5, \"message\": ");
    for (int i = 0; i < 200000; i++)
        tc_text_add(&body, "[");
    must_refuse(a, "deep nesting", post_body(a, round, 5, &body));
    tc_text_fini(&body);
}

static void abuse_json(abuser *a, uint64_t round)
{
    static const char *const texts[][2] = {
        {"a key twice", "{\"sequence\": 5, \"sequence\": 6, \"message\": \"AAAA\"}"},
        {"a key too many", "{\"sequence\": 5, \"message\": \"AAAA\", \"more\": 1}"},
        {"a key too few", "{\"message\": \"AAAA\"}"},
        {"NaN", "{\"sequence\": NaN, \"message\": \"AAAA\"}"},
        {"a number too large", "{\"sequence\": 1e999, \"message\": \"AAAA\"}"},
        {"an integer too large", "{\"sequence\": 9223372036854775808, \"message\": \"AAAA\"}"},
        {"a negative sequence", "{\"sequence\": -1, \"message\": \"AAAA\"}"},
        {"not base64", "{\"sequence\": 5, \"message\": \"****\"}"},
        {"not UTF-8", "{\"sequence\": 5, \"message\": \"\xff\xfe\"}"},
        {"no object", "[1, 2, 3]"},
        {"no JSON", "sequence=5&message=AAAA"},
        {"nothing", ""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        abuse_text(a, round, texts[i][0], texts[i][1]);
    abuse_nested(a, round);
}

/* After the proper message: the same again is welcome, anything else is not. */
static void abuse_place(abuser *a, uint64_t round)
{
    uint8_t m[MESSAGE];
    form(a, round, 3, m);
    int status = post_bytes(a, round, a->sequence, m, sizeof m);
    if (status != 200)
        complain(a, "the same message again", status);
    must_refuse(a, "an old sequence", post_bytes(a, round + 1, a->sequence, m, sizeof m));
    form(a, round, 4, m);
    for (uint64_t i = 0; i < 20; i++) {
        status = post_bytes(a, round, a->sequence + 1 + i, m, sizeof m);
        if (status != 409)
            complain(a, "another message for the same place", status);
    }
}

/* ---- the plays ---- */

static void abuse_all(abuser *a, uint64_t round)
{
    abuse_messages(a, round);
    abuse_json(a, round);
    abuse_requests(a);
    abuse_tls(a);
    drip(a);
}

static bool join(abuser *a)
{
    bool ok = learn_study(a) && enrol(a);
    printf("%s\n", ok ? "enrolled" : "not enrolled");
    fflush(stdout);
    return ok;
}

static bool take_part(abuser *a, uint64_t rounds, bool rough)
{
    if (!join(a))
        return false;
    if (rough)
        hold_lines(a);
    for (uint64_t r = 0; r < rounds; r++) {
        if (rough)
            abuse_all(a, r);
        if (!post_proper(a, r))
            complain(a, "a proper message", 0);
        if (rough)
            abuse_place(a, r);
    }
    if (rough)
        let_go(a);
    return true;
}

static bool abuse_again(abuser *a, uint64_t times)
{
    if (!join(a))
        return false;
    for (uint64_t i = 0; i < times; i++) {
        hold_lines(a);
        abuse_all(a, 0);
        let_go(a);
    }
    return true;
}

/* What one token is told about a path: the status, and the answer's text. Slowly: who is wrong more than
 * ten times a second is told only that. */
static int ask_stranger(abuser *a, const char *token, const char *method, const char *path,
                        tc_text *out)
{
    int status = 0;
    tacit_error err = {0};
    tc_call call = {.method = method, .path = path, .bearer = token};
    if (strcmp(method, "POST") == 0) {
        call.body = strstr(path, "/messages") ? "{\"sequence\": 1, \"message\": \"AAAA\"}" : "{}";
        call.n_body = strlen(call.body);
    }
    nap_ms(120);
    if (tc_client_call(a->client, &call, &status, out, &err) != TACIT_OK)
        complain(a, err.msg, 0);
    return status;
}

/* Of the study that there is and of the other it must be told the same. *asked counts. */
static void probe(abuser *a, const char *token, const char *method, const char *end, int *asked)
{
    static const char *const studies[] = {"s", "nosuch"};
    int status[2];
    tc_text answer[2] = {{0}};
    char path[128];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/v1/studies/%s%s", studies[i], end);
        status[i] = ask_stranger(a, token, method, path, &answer[i]);
        must_refuse(a, path, status[i]);
        ++*asked;
    }
    if (status[0] != status[1] || strcmp(tc_text_get(&answer[0]), tc_text_get(&answer[1])) != 0)
        complain(a, "a study that there is, not as one that there is not,", status[0]);
    tc_text_fini(&answer[0]);
    tc_text_fini(&answer[1]);
}

static bool make_viewer(abuser *a, const char *operator_token, char out[64])
{
    static const char body[] = "{\"role\": \"viewer\"}";
    json_t *j = NULL;
    tc_call call = {.method = "POST",
                    .path = "/v1/tokens",
                    .bearer = operator_token,
                    .body = body,
                    .n_body = sizeof body - 1};
    int status = ask(a, &call, &j);
    snprintf(out, 64, "%s", text_of(j, "token"));
    json_decref(j);
    return status == 201;
}

/* Nobody, a token that is none, a viewer, and those of another study. */
static bool ask_as_strangers(abuser *a, const char *operator_token)
{
    static const char *const reads[] = {"", "/privacy", "/rounds/0/broadcast"};
    char viewer[64];
    int asked = 0;
    if (!learn_study(a) || !enrol(a) || !make_viewer(a, operator_token, viewer))
        return false;
    const char *const tokens[] = {NULL, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", a->token,
                                  a->access, viewer};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        for (size_t k = 0; tokens[i] != viewer && k < sizeof reads / sizeof *reads; k++)
            probe(a, tokens[i], "GET", reads[k], &asked);
        probe(a, tokens[i], "POST", "/rounds/0/messages", &asked);
        probe(a, tokens[i], "POST", ":close", &asked);
        probe(a, tokens[i], "DELETE", "", &asked);
    }
    printf("asked %d\n", asked);
    return true;
}

static bool read_token(const char *file, char out[64])
{
    char *text;
    size_t len;
    tacit_error err = {0};
    if (tc_file_read(file, 4096, &text, &len, &err) != TACIT_OK)
        return false;
    snprintf(out, 64, "%.*s", (int)strcspn(text, "\r\n"), text);
    tc_free(text);
    return true;
}

static bool run(abuser *a, char **argv)
{
    char operator_token[64];
    unsigned long long rounds;
    bool strangers = strcmp(argv[1], "strangers") == 0;
    a->name = strangers ? "t" : "s";
    if (!read_token(argv[4], a->token))
        return false;
    if (strangers)
        return read_token(argv[5], operator_token) && ask_as_strangers(a, operator_token);
    if (!tc_parse_u64(argv[5], &rounds))
        return false;
    return strcmp(argv[1], "again") == 0 ? abuse_again(a, rounds)
                                         : take_part(a, rounds, strcmp(argv[1], "rough") == 0);
}

int main(int argc, char **argv)
{
    static abuser a;
    tacit_error err = {0};
    if (argc != 6 || !strrchr(argv[2], ':'))
        return 2;
    (void)signal(SIGPIPE, SIG_IGN); /* who is hung up on goes on */
    a.port = (uint16_t)strtoul(strrchr(argv[2], ':') + 1, NULL, 10);
    if (tc_client_new(&a.client, argv[2], &(tc_client_opts){.fingerprint = argv[3]}, &err) !=
        TACIT_OK) {
        fprintf(stderr, "abuser: %s\n", err.msg);
        return 2;
    }
    if (!run(&a, argv))
        complain(&a, "a proper request", 0);
    tc_client_free(a.client);
    printf("abuser: %d complaints\n", a.failures);
    return a.failures > 0;
}
