/* fuzz_carried.c - bundles of an agent without a network, as a coordinator finds them in its folder, and answers, as the agent does.
 *
 * Whoever carries them can write anything into them. A genuine bundle is spoiled, or the input is the file as it is. The
 * coordinator answers it or leaves it alone; what it answers is read back; and a request that is read and written
 * again is the same one. */
#include "input.h"

#include "federation/carry.h"

#include "base/file.h"
#include "base/memory.h"

#include <tacit/coordinator.h>

#include <string.h>
#include <unistd.h>

static const char study[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 4, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 4, \"initial\": 2},"
    " \"federation\": {\"agents\": 2}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";
static const char bundle[] =
    "{\"format\": \"tacit carried 1\", \"word\": \"w\", \"requests\": ["
    "{\"method\": \"GET\", \"path\": \"/v1/studies/s\", \"query\": null, \"protocol\": \"2\","
    " \"bearer\": \"%s\", \"signature\": null, \"idempotency\": null, \"body\": null},"
    "{\"method\": \"POST\", \"path\": \"/v1/studies/s/agents\", \"query\": null, \"protocol\": "
    "\"2\", \"bearer\": \"%s\", \"signature\": null, \"idempotency\": \"k\", \"body\": "
    "\"{\\\"key\\\": \\\"x\\\"}\"}]}";

/* Kept until the process ends. */
typedef struct place {
    char folder[256], asked[300], said[300], genuine[2048];
    tacit_coordinator *coordinator;
} place;

static place here;

static void remove_folder(void)
{
    (void)rmdir(here.folder);
}

static place *the_place(void)
{
    if (here.coordinator)
        return &here;
    char *token = NULL;
    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    opts.storage = "memory:";
    opts.test_seed = 7;
    REQUIRE(tacit_coordinator_open(&here.coordinator, &opts, NULL) == TACIT_OK);
    REQUIRE(tacit_coordinator_create(here.coordinator, study, NULL) == TACIT_OK);
    REQUIRE(tacit_coordinator_invite(here.coordinator, "s", 2, 0, &token, NULL) == TACIT_OK);
    snprintf(here.genuine, sizeof here.genuine, bundle, token, token);
    tacit_text_free(token);
    fuzz_temporary(here.folder, sizeof here.folder, "carried");
    REQUIRE(mkdtemp(here.folder) && atexit(remove_folder) == 0);
    snprintf(here.asked, sizeof here.asked, "%s/a-1" TC_CARRIED_ASKED, here.folder);
    snprintf(here.said, sizeof here.said, "%s/a-1" TC_CARRIED_SAID, here.folder);
    return &here;
}

/* What was read says the same when it is written. */
static void check_requests(const char *path)
{
    json_t *j = NULL, *one;
    size_t i;
    if (tc_carried_read(path, &j, NULL) != TACIT_OK)
        return;
    json_array_foreach(json_object_get(j, "requests"), i, one)
    {
        tacit_request q, back;
        if (tc_carried_parse(one, &q, NULL) != TACIT_OK)
            continue;
        json_t *again = tc_carried_request(&q);
        REQUIRE(again && tc_carried_parse(again, &back, NULL) == TACIT_OK);
        REQUIRE(strcmp(q.method, back.method) == 0 && strcmp(q.path, back.path) == 0);
        REQUIRE(q.body_size == back.body_size && !q.body == !back.body);
        json_decref(again);
    }
    json_decref(j);
}

static void check_answers(const place *p, bool genuine)
{
    json_t *j = NULL;
    bool answered = access(p->said, F_OK) == 0;
    REQUIRE(answered || !genuine);
    REQUIRE(answered ==
            (access(p->asked, F_OK) != 0)); /* it is removed when it was answered, not before */
    if (!answered)
        return;
    REQUIRE(tc_carried_read(p->said, &j, NULL) == TACIT_OK);
    REQUIRE(json_is_string(json_object_get(j, "word")) &&
            json_is_array(json_object_get(j, "answers")));
    json_decref(j);
}

FUZZ_TARGET(carried)
{
    fuzz_input in = {data, size};
    place *p = the_place();
    tc_carrier *carrier;
    unsigned how = fuzz_byte(&in) % 3;
    fuzz_piece file = how == 0   ? fuzz_copy(p->genuine, strlen(p->genuine))
                      : how == 1 ? fuzz_spoil(&in, p->genuine, strlen(p->genuine))
                                 : fuzz_copy(in.p, in.left);
    (void)unlink(p->asked);
    (void)unlink(p->said);
    REQUIRE(tc_file_write(p->asked, file.bytes, file.n, NULL) == TACIT_OK);
    check_requests(p->asked);
    REQUIRE(tc_carrier_open(&carrier, p->folder, NULL) == TACIT_OK);
    tc_carrier_work(carrier, p->coordinator);
    check_answers(p, how == 0);
    tc_carrier_close(carrier);
    (void)unlink(p->asked);
    (void)unlink(p->said);
    free(file.bytes);
    return 0;
}
