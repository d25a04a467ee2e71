/* carry_agent.c - an agent's requests as files, and its answers from files (carry.h).
 *
 * A request goes into a bundle, and the agent waits for the bundle's answers, however long they take. Each carrying costs
 * somebody a walk. So with a message go the questions that follow it: what its round ended with, and what is new in the ledger after
 * that, once for the broadcast and once for the message after it. An answer is used once, and only for the very request that
 * it answers; what nobody asks is dropped with the next bundle.
 *
 * The outbox keeps the number of the latest bundle, so that no name is used twice, and the bundle itself: an agent that was killed
 * waits for the same answers when it asks the same again, and asks anew when it does not. */
#include "federation/carry.h"
#include "federation/server_options.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random_name.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define STATE "tacit-carry" /* .json in the outbox */

struct tc_carry {
    char *outbox, *inbox;
    bool quiet;
    char id[TC_RANDOM_NAME];
    int lock;       /* the outbox, open and locked */
    int64_t number; /* of the latest bundle; 0: none */
    json_t *asked;  /* the latest bundle; NULL: there is none */
    json_t *said; /* the answers to it, in its order: null once used; NULL: they are not here yet */
    json_t *given; /* the body that the caller reads now */
    /* From the last question about the ledger: after which entry the next one asks, and for how many. */
    bool looked;
    int64_t after, limit;
};

void tc_carry_close(tc_carry *c)
{
    if (!c)
        return;
    if (c->lock >= 0)
        close(c->lock);
    tc_free(c->outbox);
    tc_free(c->inbox);
    json_decref(c->asked);
    json_decref(c->said);
    json_decref(c->given);
    tc_free(c);
}

/* ---- files ---- */

static void name_of(const tc_carry *c, char out[128])
{
    snprintf(out, 128, "%s-%" PRId64, c->id, c->number);
}

static char *path_of(const tc_carry *c, const char *folder, const char *end)
{
    char name[128];
    name_of(c, name);
    return tc_carried_path(folder, name, end);
}

/* *out NULL: the file is not there, or still being copied. */
static tacit_status read_latest(const tc_carry *c, const char *folder, const char *end,
                                json_t **out, tacit_error *err)
{
    tacit_error why = {0};
    char *path = path_of(c, folder, end);
    *out = NULL;
    tacit_status status = path ? tc_carried_read(path, out, &why) : tc_fail_memory(&why);
    tc_free(path);
    bool none = status == TACIT_E_NOT_FOUND || status == TACIT_E_ARG;
    return none ? TACIT_OK : tc_pass_on(err, status, &why);
}

static tacit_status keep_state(const tc_carry *c, tacit_error *err)
{
    char *path = tc_carried_path(c->outbox, STATE, ".json");
    tacit_status status =
        path ? tc_carried_write(path,
                                json_pack("{s:s, s:s, s:I}", "format", TC_CARRIED_FORMAT, "id",
                                          c->id, "number", (json_int_t)c->number),
                                err)
             : tc_fail_memory(err);
    tc_free(path);
    return status;
}

static tacit_status read_state(tc_carry *c, tacit_error *err)
{
    json_t *j = NULL;
    tacit_error why = {0};
    char *path = tc_carried_path(c->outbox, STATE, ".json");
    tacit_status status = path ? tc_carried_read(path, &j, &why) : tc_fail_memory(&why);
    tc_free(path);
    if (status == TACIT_E_NOT_FOUND) {
        tc_random_name(c->id);
        return keep_state(c, err);
    }
    TC_TRY(tc_pass_on(err, status, &why));
    const char *id = json_string_value(json_object_get(j, "id"));
    c->number = json_integer_value(json_object_get(j, "number"));
    bool good = id && strlen(id) < sizeof c->id && !strchr(id, '/') && c->number >= 0;
    if (good)
        snprintf(c->id, sizeof c->id, "%s", id);
    json_decref(j);
    return good ? read_latest(c, c->outbox, TC_CARRIED_ASKED, &c->asked, err)
                : tc_fail(err, TACIT_E_CORRUPT, "%s/%s.json is damaged: remove it", c->outbox,
                          STATE);
}

/* Names, numbers and the latest bundle are those of one agent. Where a file system has no locks, nobody looks. */
static tacit_status take_outbox(tc_carry *c, tacit_error *err)
{
    c->lock = open(c->outbox, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->lock >= 0 && flock(c->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return tc_fail(err, TACIT_E_BUSY,
                       "another agent is at work with the outbox %s: each has one of its own",
                       c->outbox);
    return TACIT_OK;
}

tacit_status tc_carry_open(tc_carry **out, const char *outbox, const char *inbox, bool quiet,
                           tacit_error *err)
{
    TC_TRY(tc_carried_folder("--outbox", outbox, err));
    TC_TRY(tc_carried_folder("--inbox", inbox, err));
    tc_carry *c = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    *c = (tc_carry){
        .outbox = tc_strdup(outbox), .inbox = tc_strdup(inbox), .quiet = quiet, .lock = -1};
    tacit_status status = c->outbox && c->inbox ? take_outbox(c, err) : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = read_state(c, err);
    if (status == TACIT_OK)
        *out = c;
    else
        tc_carry_close(c);
    return status;
}

/* ---- bundles ---- */

static tacit_status add(json_t *list, const tacit_request *q, tacit_error *err)
{
    return json_array_append_new(list, tc_carried_request(q)) == 0 ? TACIT_OK : tc_fail_memory(err);
}

/* Length of the path up to "/rounds/", and the round; 0: it is not about a message to a round. */
static size_t message_of(const tacit_request *q, unsigned long long *round)
{
    static const char before[] = "/rounds/", after[] = "/messages";
    char digits[24];
    const char *at = strstr(q->path, before);
    const char *number = at ? at + sizeof before - 1 : NULL,
               *end = number ? strchr(number, '/') : NULL;
    if (!end || strcmp(q->method, "POST") != 0 || strcmp(end, after) != 0 ||
        (size_t)(end - number) >= sizeof digits)
        return 0;
    snprintf(digits, sizeof digits, "%.*s", (int)(end - number), number);
    return tc_parse_u64(digits, round) ? (size_t)(at - q->path) : 0;
}

/* Until these were answered, the agent will not ask anything else. */
static tacit_status foresee(const tc_carry *c, json_t *list, const tacit_request *q,
                            tacit_error *err)
{
    enum { LOOKS = 2 };
    char path[1024], query[64];
    unsigned long long round;
    tacit_request next = TACIT_REQUEST;
    size_t study = message_of(q, &round);
    if (study == 0 || study > 900)
        return TACIT_OK;
    next.method = "GET";
    next.path = path;
    next.query = "wait=20";
    next.protocol = q->protocol;
    next.bearer = q->bearer;
    snprintf(path, sizeof path, "%.*s/rounds/%llu/broadcast", (int)study, q->path, round);
    TC_TRY(add(list, &next, err));
    next.query = query;
    snprintf(path, sizeof path, "%.*s/privacy", (int)study, q->path);
    for (int i = 0; i < LOOKS && c->looked; i++) {
        snprintf(query, sizeof query, "after=%" PRId64 "&limit=%" PRId64, c->after + i, c->limit);
        TC_TRY(add(list, &next, err));
    }
    return TACIT_OK;
}

static void remove_latest(const tc_carry *c)
{
    char *asked = path_of(c, c->outbox, TC_CARRIED_ASKED);
    char *said = path_of(c, c->inbox, TC_CARRIED_SAID);
    if (asked)
        (void)unlink(asked);
    if (said)
        (void)unlink(said);
    tc_free(asked);
    tc_free(said);
}

/* In the place of the bundle before it. */
static tacit_status write_bundle(tc_carry *c, const tacit_request *q, tacit_error *err)
{
    char word[TC_RANDOM_NAME];
    json_t *list = json_array();
    tacit_status status = list ? add(list, q, err) : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = foresee(c, list, q, err);
    if (status != TACIT_OK) {
        json_decref(list);
        return status;
    }
    tc_random_name(word);
    json_decref(c->said);
    json_decref(c->asked);
    c->said = NULL;
    c->asked =
        json_pack("{s:s, s:s, s:o}", "format", TC_CARRIED_FORMAT, "word", word, "requests", list);
    if (!c->asked)
        return tc_fail_memory(err);
    if (c->number > 0)
        remove_latest(c);
    c->number++;
    TC_TRY(keep_state(c, err));
    char *path = path_of(c, c->outbox, TC_CARRIED_ASKED);
    status = path ? tc_carried_write(path, json_incref(c->asked), err) : tc_fail_memory(err);
    tc_free(path);
    return status;
}

/* Which request of the latest bundle it is, not answered or not used yet; its size: none. */
static size_t place_of(const tc_carry *c, const json_t *request)
{
    const json_t *list = json_object_get(c->asked, "requests");
    size_t i, n = json_array_size(list);
    for (i = 0; i < n; i++) {
        bool used = c->said && !json_is_object(json_array_get(c->said, i));
        if (!used && json_equal(json_array_get(list, i), request))
            break;
    }
    return i;
}

/* The answers of another bundle under this name are none. */
static tacit_status look_for_answers(tc_carry *c, tacit_error *err)
{
    json_t *j;
    if (c->said || !c->asked)
        return TACIT_OK;
    TC_TRY(read_latest(c, c->inbox, TC_CARRIED_SAID, &j, err));
    const json_t *answers = json_object_get(j, "answers");
    if (json_is_array(answers) &&
        json_equal(json_object_get(j, "word"), json_object_get(c->asked, "word")))
        c->said = json_incref((json_t *)(uintptr_t)answers);
    json_decref(j);
    return TACIT_OK;
}

static tacit_status wait_for_answers(tc_carry *c, tacit_error *err)
{
    enum { PAUSE_MS = 500 };
    char name[128];
    name_of(c, name);
    TC_TRY(look_for_answers(c, err));
    if (!c->said)
        tc_note(c->quiet, "carry %s/%s%s to the coordinator, and its answer %s%s into %s",
                c->outbox, name, TC_CARRIED_ASKED, name, TC_CARRIED_SAID, c->inbox);
    while (!c->said) {
        if (!tc_server_wait(true, PAUSE_MS, NULL))
            return tc_fail(err, TACIT_E_CANCELLED,
                           "interrupted; the same command goes on where it stopped");
        TC_TRY(look_for_answers(c, err));
    }
    return TACIT_OK;
}

/* ---- one request ---- */

/* "after=3&limit=100" */
static bool read_page(const char *query, unsigned long long *after, unsigned long long *limit)
{
    char first[24];
    const char *amp = strchr(query, '&');
    if (strncmp(query, "after=", 6) != 0 || !amp || strncmp(amp, "&limit=", 7) != 0 ||
        (size_t)(amp - query) - 6 >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(amp - query) - 6, query + 6);
    return tc_parse_u64(first, after) && tc_parse_u64(amp + 7, limit);
}

/* What the next question about the ledger will be. */
static void note_ledger(tc_carry *c, const tacit_request *q, const char *body)
{
    unsigned long long after, limit;
    if (!tc_ends_in(q->path, "/privacy") || !q->query || !read_page(q->query, &after, &limit))
        return;
    json_t *j = json_loads(body, 0, NULL);
    c->looked = j != NULL;
    c->after = (long long)after + (long long)json_array_size(json_object_get(j, "entries"));
    c->limit = (long long)limit;
    json_decref(j);
}

/* False: it was not answered, for a request before it was refused. */
static bool use(tc_carry *c, size_t i, const tacit_request *q, tacit_agent_answer *answer)
{
    json_t *one = json_array_get(c->said, i);
    if (!json_is_object(one))
        return false;
    json_t *body = json_object_get(one, "body");
    json_decref(c->given);
    c->given = json_incref(body);
    answer->status = json_integer_value(json_object_get(one, "status"));
    answer->body = json_string_value(body);
    answer->body_size = json_string_length(body);
    if (answer->body)
        note_ledger(c, q, answer->body);
    (void)json_array_set_new(c->said, i, json_null());
    return true;
}

/* An enrolment or a change of the key that is carried twice has the same answer twice: another one would end the access that the
 * first gave. */
static void name_place(tacit_request *q, char key[64])
{
    if (q->idempotency || strcmp(q->method, "POST") != 0 ||
        !(tc_ends_in(q->path, "/agents") || tc_ends_in(q->path, ":rotate")))
        return;
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a: tells bodies of one agent apart */
    for (size_t i = 0; i < q->body_size; i++)
        hash = (hash ^ ((const unsigned char *)q->body)[i]) * UINT64_C(1099511628211);
    snprintf(key, 64, "carried-%016" PRIx64, hash);
    q->idempotency = key;
}

tacit_status tc_carry_exchange(tc_carry *c, const tacit_request *asked, tacit_agent_answer *answer,
                               tacit_error *err)
{
    char key[64];
    tacit_request q = *asked;
    name_place(&q, key);
    json_t *request = tc_carried_request(&q);
    if (!request)
        return tc_fail_memory(err);
    tacit_status status = look_for_answers(c, err);
    size_t i = place_of(c, request);
    bool known = i < json_array_size(json_object_get(c->asked, "requests"));
    while (status == TACIT_OK) {
        if (!known) {
            status = write_bundle(c, &q, err);
            i = 0;
        }
        if (status == TACIT_OK)
            status = wait_for_answers(c, err);
        if (status == TACIT_OK && use(c, i, &q, answer))
            break;
        known = false;
    }
    json_decref(request);
    return status;
}
