/* trustee_lies_test.c - a coordinator that lies to trustees and agents, and a trustee that comes from a backup: each lie is refused by
 * who is lied to, or harmless, and no trustee answers for two sets of a round. */
#include "support/trust_world.h"

#include "study/backup.h"
#include "wire/trust_set.h"

#include <unistd.h>

enum { AGENTS = 4, TRUSTEES = 3 };

#define DOCUMENT(trustees)                                                                         \
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 5, \"seed\": 7,"                   \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 3,"                   \
    " \"releases\": \"all\"},"                                                                     \
    " \"federation\": {\"agents\": 4, \"trustees\": " trustees ", \"deadline_s\": 60},"            \
    " \"privacy\": {\"epsilon\": 9, \"delta\": 0.01}}"

/* ---- what a lie is made of ---- */

static bool is(const tc_call *call, const char *method, const char *end)
{
    char path[256];
    snprintf(path, sizeof path, "%s", call->path);
    path[strcspn(path, "?")] = 0;
    const size_t n = strlen(path), m = strlen(end);
    return strcmp(call->method, method) == 0 && n >= m && strcmp(path + n - m, end) == 0;
}

static void answer_json(json_t *j, tc_text *out)
{
    char *text = json_dumps(j, JSON_COMPACT);
    assert_non_null(text);
    out->len = 0;
    tc_text_add(out, text);
    free(text);
    json_decref(j);
}

static uint8_t *bytes_of(const json_t *j, const char *key, size_t *n)
{
    tacit_error err = {0};
    uint8_t *bytes;
    assert_ok(tc_base64_bytes(world_text(j, key), key, 1 << 24, &bytes, n, &err));
    return bytes;
}

static void set_bytes(json_t *j, const char *key, const uint8_t *bytes, size_t n)
{
    assert_int_equal(json_object_set_new(j, key, tc_base64_json(bytes, n)), 0);
}

static json_t *parse(const tc_text *answer)
{
    json_t *j = json_loads(tc_text_get(answer), 0, NULL);
    assert_non_null(j);
    return j;
}

/* ---- lies about a set: told to trustee 0 with the first page ---- */

enum { SET_HEAD = 24, ENTRY = 40 };

typedef struct lie {
    void (*change)(struct lie *l, json_t *page);
    uint64_t round; /* in which it is told */
    uint8_t *first; /* the page of round 0: its set */
    size_t n_first;
    uint64_t told;
} lie;

static bool tell(trust_world *w, trust_party *who, const tc_call *call, int *status,
                 tc_text *answer)
{
    lie *l = w->user;
    char path[64];
    snprintf(path, sizeof path, "/rounds/%d/shares", (int)l->round);
    if (!answer || *status != 200 || !who->trustee || who->number != 0)
        return true;
    if (is(call, "GET", "/rounds/0/shares") && !l->first) {
        json_t *j = parse(answer);
        l->first = bytes_of(j, "set", &l->n_first);
        json_decref(j);
    }
    if (!is(call, "GET", path))
        return true;
    json_t *j = parse(answer);
    l->change(l, j);
    l->told++;
    answer_json(j, answer);
    return true;
}

/* The lie is refused with this sentence, by trustee 0, and by nobody else; all agents end. */
static void assert_refused(void (*change)(lie *, json_t *), uint64_t round, const char *sentence)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    lie l = {.change = change, .round = round};
    char expected[600];
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    w->hook = tell;
    w->user = &l;
    trust_run(w);
    assert_true(l.told > 0);
    assert_int_equal(w->n_said, 1);
    assert_int_equal(w->kinds[0], TACIT_TRUSTEE_REFUSED);
    snprintf(expected, sizeof expected, "0: %s", sentence);
    assert_string_equal(w->said[0], expected);
    assert_int_equal(trust_releases(w), 1); /* of two rounds; K = 3 tolerates nobody absent */
    tc_free(l.first);
    trust_end(w);
    tc_free(w);
}

static void replay(lie *l, json_t *page)
{
    set_bytes(page, "set", l->first, l->n_first);
}

static void a_set_of_another_round_is_refused(void **state)
{
    (void)state;
    assert_refused(replay, 1, "the set must be that of epoch 1 and round 1, got 1 and 0");
}

static void double_id(lie *l, json_t *page)
{
    size_t n;
    uint8_t *set = bytes_of(page, "set", &n);
    (void)l;
    memcpy(set + SET_HEAD + ENTRY + 8, set + SET_HEAD + 8, TC_DEALING_ID);
    set_bytes(page, "set", set, n);
    tc_free(set);
}

static void an_id_twice_is_refused(void **state)
{
    (void)state;
    assert_refused(double_id, 1, "two entries of the set have the same dealing id");
}

static void foreign(lie *l, json_t *page)
{
    size_t n;
    uint8_t *set = bytes_of(page, "set", &n);
    (void)l;
    set[SET_HEAD + 3 * ENTRY] = 9; /* the last agent's number */
    set_bytes(page, "set", set, n);
    tc_free(set);
}

static void an_agent_of_no_roster_is_refused(void **state)
{
    (void)state;
    assert_refused(foreign, 1, "agent 9 of the set is not among the 4 of the roster");
}

/* Agent 1 is said to have dealt what agent 0 did: colluding parties who sign a victim's boxes again. */
static void copy_box(lie *l, json_t *page)
{
    size_t n, n_set;
    uint8_t *boxes = bytes_of(page, "boxes", &n), *set = bytes_of(page, "set", &n_set);
    (void)l;
    const size_t box = TC_BOX_OVERHEAD + TC_SHARE_SEED;
    assert_true(n > 2 * box);
    memcpy(boxes + box, boxes, box);
    set_bytes(page, "boxes", boxes, n);
    tc_free(boxes);
    tc_free(set);
}

static void a_copied_box_is_refused(void **state)
{
    (void)state;
    assert_refused(copy_box, 1,
                   "the box of agent 1 for trustee 0 in round 1 does not open with the keys of "
                   "these two: somebody else made it, or it was changed");
}

/* Several parties have sent boxes that are none, or so it looks. */
static void spoil(lie *l, json_t *page)
{
    static const size_t places[] = {1, 3, AGENTS + 2};
    size_t n;
    uint8_t *boxes = bytes_of(page, "boxes", &n);
    (void)l;
    const size_t box = TC_BOX_OVERHEAD + TC_SHARE_SEED;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        boxes[places[i] * box + 50] ^= 1;
    set_bytes(page, "boxes", boxes, n);
    tc_free(boxes);
}

static void all_whose_boxes_are_none_are_named(void **state)
{
    (void)state;
    assert_refused(spoil, 1,
                   "the box of agent 1 for trustee 0 in round 1 does not open with the keys of "
                   "these two: somebody else made it, or it was changed; nor can boxes of 2 more "
                   "be added up: agent 3, trustee 2");
}

static void withhold(lie *l, json_t *page)
{
    size_t n;
    uint8_t *boxes = bytes_of(page, "boxes", &n);
    (void)l;
    const size_t box = TC_BOX_OVERHEAD + TC_SHARE_SEED;
    set_bytes(page, "boxes", boxes, n - 2 * box);
    tc_free(boxes);
}

static void withheld_boxes_are_refused(void **state)
{
    (void)state;
    assert_refused(withhold, 1, "2 of the 7 boxes of the set are withheld");
}

static void add_junk(lie *l, json_t *page)
{
    size_t n;
    uint8_t *boxes = bytes_of(page, "boxes", &n), *more = tc_alloc(n + 5, 1);
    (void)l;
    memcpy(more, boxes, n);
    set_bytes(page, "boxes", more, n + 5);
    tc_free(boxes);
    tc_free(more);
}

static void boxes_of_no_set_are_refused(void **state)
{
    (void)state;
    assert_refused(add_junk, 1,
                   "the boxes are not those of the set: 5 bytes are left over after 7 of 7 boxes");
}

/* ---- two sets for one round ---- */

/* After trustee 0 has answered for round 0 it is told to answer once more, without agent 0: the difference would be that
 * agent's share. */
typedef struct second_set {
    uint8_t *page; /* the answer of round 0, as it came */
    bool answered;
    uint64_t answers, told, most; /* so often it is told */
    bool varied;                  /* another set each time */
    char refusal[200];
} second_set;

/* other: changes the id of a dealing, too */
static void drop_agent_0(json_t *j, uint8_t other)
{
    size_t n, n_boxes;
    uint8_t *set = bytes_of(j, "set", &n), *boxes = bytes_of(j, "boxes", &n_boxes);
    const size_t box = TC_BOX_OVERHEAD + TC_SHARE_SEED;
    set[16] = AGENTS - 1; /* so many agents */
    memmove(set + SET_HEAD, set + SET_HEAD + ENTRY, n - SET_HEAD - ENTRY);
    set[SET_HEAD + 8] ^= other;
    set_bytes(j, "set", set, n - ENTRY);
    set_bytes(j, "boxes", boxes + box, n_boxes - box);
    tc_free(set);
    tc_free(boxes);
}

static bool ask_twice(trust_world *w, trust_party *who, const tc_call *call, int *status,
                      tc_text *answer)
{
    second_set *s = w->user;
    if (!who->trustee || who->number != 0)
        return true;
    if (!answer && is(call, "POST", "/rounds/0/answers") && strstr(call->body, "\"answer\""))
        s->answers++;
    if (!answer && is(call, "POST", "/rounds/0/answers") && strstr(call->body, "\"refusal\""))
        snprintf(s->refusal, sizeof s->refusal, "%s", call->body);
    if (!answer)
        return true;
    if (is(call, "GET", "/rounds/0/shares") && *status == 200 && !s->page)
        s->page = (uint8_t *)tc_strdup(tc_text_get(answer));
    s->answered |= is(call, "POST", "/rounds/0/answers") && *status == 202;
    if (s->answered && s->told < s->most && is(call, "GET", "/duty")) {
        *status = 200;
        answer_json(json_pack("{s:s, s:i}", "duty", "answer", "round", 0), answer);
        s->told++;
    } else if (s->answered && s->told > 0 && is(call, "GET", "/rounds/0/shares")) {
        json_t *j = json_loads((char *)s->page, 0, NULL);
        drop_agent_0(j, s->varied ? (uint8_t)s->told : 0);
        *status = 200;
        answer_json(j, answer);
    }
    return true;
}

static uint64_t count(tc_store *s, tc_record_kind kind)
{
    tacit_error err = {0};
    const tc_record_range all = {.kind = kind};
    uint64_t n;
    assert_ok(tc_store_record_count(s, &all, &n, &err));
    return n;
}

static void a_second_set_is_refused_and_kept(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    second_set s = {.most = 3};
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    w->hook = ask_twice;
    w->user = &s;
    trust_run(w);
    assert_int_equal(s.told, 3);
    assert_int_equal(s.answers, 1);
    assert_string_equal(s.refusal, "{\"refusal\":\"it has answered for another set of round 0\"}");
    assert_int_equal(w->n_said, 1);
    assert_int_equal(w->kinds[0], TACIT_TRUSTEE_CONFLICT);
    assert_string_equal(w->said[0], "0: it has answered for another set of round 0");
    assert_int_equal(count(w->trustees[0].store.disk, TC_RECORD_EVIDENCE), 1);
    assert_int_equal(trust_releases(w), 2); /* and the rounds go on */
    tc_free(s.page);
    trust_end(w);
    tc_free(w);
}

/* A coordinator that makes up sets does not fill the trustee's disk. */
static void evidence_has_an_end(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    second_set s = {.most = 40, .varied = true};
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    w->hook = ask_twice;
    w->user = &s;
    trust_run(w);
    assert_int_equal(s.told, 40);
    assert_int_equal(s.answers, 1);
    assert_int_equal(count(w->trustees[0].store.disk, TC_RECORD_EVIDENCE), 16);
    assert_int_equal(trust_releases(w), 2);
    tc_free(s.page);
    trust_end(w);
    tc_free(w);
}

/* ---- the roster ---- */

/* Told to everybody. */
static bool swap_keys(trust_world *w, trust_party *who, const tc_call *call, int *status,
                      tc_text *answer)
{
    (void)w;
    (void)who;
    if (!answer || *status != 200 || !is(call, "GET", "/roster"))
        return true;
    json_t *j = parse(answer), *keys = json_object_get(j, "round_keys");
    json_t *first = json_array_get(keys, 0);
    json_incref(first);
    json_array_set(keys, 0, json_array_get(keys, 1));
    json_array_set_new(keys, 1, first);
    answer_json(j, answer);
    return true;
}

/* All parties end with this, each by itself. */
static void assert_roster_refused(trust_hook hook, const char *agent, const char *trustee)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    w->may_fail = true;
    trust_enrol(w);
    w->hook = hook;
    for (int turn = 0; turn < 200 && !w->agents[2].done; turn++)
        (void)trust_turn(&w->agents[2]);
    assert_string_equal(w->failed, agent);
    for (int turn = 0; turn < 200 && !w->trustees[1].done; turn++)
        (void)trust_turn(&w->trustees[1]);
    assert_string_equal(w->failed, trustee);
    assert_int_equal(count(w->agents[2].store.disk, TC_RECORD_ROSTER), 0);
    assert_int_equal(count(w->agents[2].store.disk, TC_RECORD_DEALING), 0);
    trust_end(w);
    tc_free(w);
}

static void swapped_round_keys_are_refused(void **state)
{
    (void)state;
    assert_roster_refused(
        swap_keys,
        "agent 2: the roster of study \"s\" is refused: the round keys of trustee 0 are not those "
        "of the roster",
        "trustee 1: the roster of study \"s\" is refused: the round keys of trustee 0 are not "
        "those of the roster");
}

/* The coordinator puts a key of its own in everybody's place. */
static bool other_agents(trust_world *w, trust_party *who, const tc_call *call, int *status,
                         tc_text *answer)
{
    enum { ROSTER_HEAD = 56, KEY = 32 };
    size_t n;
    (void)w;
    if (!answer || *status != 200 || !is(call, "GET", "/roster"))
        return true;
    json_t *j = parse(answer);
    uint8_t *roster = bytes_of(j, "roster", &n);
    uint8_t *at = who->trustee ? roster + ROSTER_HEAD + KEY * AGENTS + 2 * KEY * who->number
                               : roster + ROSTER_HEAD + KEY * who->number;
    at[0] ^= 1;
    set_bytes(j, "roster", roster, n);
    tc_free(roster);
    answer_json(j, answer);
    return true;
}

static void a_foreign_key_in_ones_place_is_refused(void **state)
{
    (void)state;
    assert_roster_refused(other_agents,
                          "agent 2: the roster of study \"s\" is refused: the roster does not have "
                          "this agent's own key at its place 2: the coordinator has put another "
                          "one there",
                          "trustee 1: the roster of study \"s\" is refused: the roster does not "
                          "have this trustee's own key at its place 1: the coordinator has put "
                          "another one there");
}

/* A whole other roster, in which another agent's key has changed, is told to who has accepted the first. */
static bool change_agent_0(trust_world *w, trust_party *who, const tc_call *call, int *status,
                           tc_text *answer)
{
    enum { ROSTER_HEAD = 56 };
    size_t n;
    (void)w;
    (void)who;
    if (!answer || *status != 200 || !is(call, "GET", "/roster"))
        return true;
    json_t *j = parse(answer);
    uint8_t *roster = bytes_of(j, "roster", &n);
    roster[ROSTER_HEAD] ^= 1;
    set_bytes(j, "roster", roster, n);
    tc_free(roster);
    answer_json(j, answer);
    return true;
}

static void another_roster_later_is_refused(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    tacit_error err = {0};
    bool idle;
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    trust_enrol(w);
    trust_party *t = &w->trustees[1];
    assert_ok(trust_step(t, &idle, &err));
    const char *first = tc_trustee_roster(t->acts);
    assert_memory_equal(first, "sha256//", 8);
    char kept[64];
    snprintf(kept, sizeof kept, "%s", first);
    trust_part(t);
    w->hook = change_agent_0;
    assert_ok(trust_step(t, &idle, &err));
    assert_int_equal(trust_step(t, &idle, &err), TACIT_E_STATE);
    char begin[200];
    snprintf(begin, sizeof begin,
             "the roster of study \"s\" has changed: it was %s, and the coordinator gives sha256//",
             kept);
    assert_memory_equal(err.msg, begin, strlen(begin));
    trust_end(w);
    tc_free(w);
}

/* Trustee 0 is told of another roster from the beginning: all keys that it uses are right, its own too, but that of an agent
 * that sends nothing. Nobody compares fingerprints. */
static bool tell_trustee_0_another(trust_world *w, trust_party *who, const tc_call *call,
                                   int *status, tc_text *answer)
{
    enum { AGENT_3 = 56 + 3 * 32 };
    size_t n;
    (void)w;
    if (!answer || *status != 200 || !who->trustee || who->number != 0 ||
        !is(call, "GET", "/roster"))
        return true;
    json_t *j = parse(answer);
    uint8_t *roster = bytes_of(j, "roster", &n);
    roster[AGENT_3] ^= 1;
    set_bytes(j, "roster", roster, n);
    tc_free(roster);
    answer_json(j, answer);
    return true;
}

/* So a coordinator can have no sums of parties that believe in different committees: that of a trustee to which it has
 * invented all other dealers would have noise that it knows. */
static void boxes_of_another_roster_are_refused(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    trust_enrol(w);
    w->agents[3].absent = true;
    w->hook = tell_trustee_0_another;
    trust_run(w);
    assert_int_equal(trust_releases(w), 0);
    for (uint64_t i = 0; i < w->n_said; i++)
        assert_int_equal(w->kinds[i], TACIT_TRUSTEE_REFUSED);
    assert_int_equal(w->n_said, 2); /* one in each round: K = 3 tolerates nobody who refuses */
    assert_string_equal(w->said[0],
                        "0: the box of agent 0 for trustee 0 in round 0 was made for another "
                        "roster, epoch, round, trustee or dealing; nor can boxes of 4 more be "
                        "added up: agent 1, agent 2, trustee 1, trustee 2");
    assert_int_equal(count(w->trustees[0].store.disk, TC_RECORD_DUTY), 0);
    trust_end(w);
    tc_free(w);
}

/* All parties are told from outside which roster to expect: what the coordinator gives is another one. */
static void a_roster_that_was_not_expected_is_refused(void **state)
{
    static const char other[] = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    trust_world *w = tc_alloc(1, sizeof *w);
    char found[64], expected[400];
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    trust_enrol(w);
    tacit_error err = {0};
    bool idle;
    assert_ok(trust_step(&w->trustees[0], &idle, &err));
    snprintf(found, sizeof found, "%s", tc_trustee_roster(w->trustees[0].acts));
    for (uint64_t i = 0; i < AGENTS; i++)
        trust_part(&w->agents[i]);
    trust_part(&w->trustees[1]);
    w->pinned = other;
    w->may_fail = true;
    for (int turn = 0; turn < 200 && !w->agents[2].done; turn++)
        (void)trust_turn(&w->agents[2]);
    snprintf(expected, sizeof expected,
             "agent 2: the roster of study \"s\" is refused: the coordinator's roster has the "
             "fingerprint %s, and the one that was given is %s: they are two rosters",
             found, other);
    assert_string_equal(w->failed, expected);
    assert_int_equal(count(w->agents[2].store.disk, TC_RECORD_DEALING), 0);
    for (int turn = 0; turn < 200 && !w->trustees[1].done; turn++)
        (void)trust_turn(&w->trustees[1]);
    snprintf(expected, sizeof expected,
             "trustee 1: the roster of study \"s\" is refused: the coordinator's roster has the "
             "fingerprint %s, and the one that was given is %s: they are two rosters",
             found, other);
    assert_string_equal(w->failed, expected);
    trust_end(w);
    tc_free(w);
}

/* ---- a trustee from a backup ---- */

static void restore_from_backup(trust_party *p)
{
    tacit_error err = {0};
    char folder[] = "/tmp/tacit-trustee-XXXXXX", file[64];
    tc_store *backup;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/backup.db", folder);
    assert_ok(tc_backup_write(p->store.disk, file, 1, &err));
    trust_part(p);
    crash_fini(&p->store);
    crash_init(&p->store, trust_memory());
    assert_ok(tc_backup_open(&backup, file, &err));
    assert_ok(tc_backup_copy(p->store.disk, backup, false, &err));
    tc_store_close(backup);
    unlink(file);
    rmdir(folder);
}

static void a_restored_trustee_answers_nothing(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    tacit_error err = {0};
    (void)state;
    trust_begin(w, AGENTS, 5, DOCUMENT("5"));
    trust_enrol(w);
    assert_true(count(w->trustees[2].store.disk, TC_RECORD_ROUND_SECRET) > 0);
    restore_from_backup(&w->trustees[2]);
    assert_int_equal(count(w->trustees[2].store.disk, TC_RECORD_ROUND_SECRET), 0);
    assert_int_equal(trust_open(&w->trustees[2], &err), TACIT_E_STATE);
    assert_string_equal(err.msg,
                        "this storage was restored from a backup, which leaves the keys of rounds "
                        "out: this trustee answers nothing more in study \"s\", and counts as one "
                        "of the 1 that may work with the coordinator");
    w->trustees[2].absent = true; /* the other four go on without it */
    trust_run(w);
    assert_int_equal(trust_releases(w), 2);
    trust_end(w);
    tc_free(w);
}

/* ---- a coordinator that has forgotten a trustee's token ---- */

typedef struct forgetting {
    bool begun;
    uint64_t enrolled;
} forgetting;

static bool forget(trust_world *w, trust_party *who, const tc_call *call, int *status,
                   tc_text *answer)
{
    forgetting *f = w->user;
    if (!answer || !f->begun || !who->trustee || who->number != 1)
        return true;
    if (f->enrolled == 0 && is(call, "GET", "/v1/studies/s") &&
        strcmp(call->bearer, w->join_trustees) != 0) {
        *status = 401;
        answer_json(json_pack("{s:s}", "detail", "the token is not valid"), answer);
    }
    f->enrolled += is(call, "POST", "/trustees") && *status == 200;
    return true;
}

/* After its first answer, when a secret of a round is gone: it enrols again with the same keys, and has its place. */
static void a_forgotten_trustee_enrols_again(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    forgetting f = {.begun = false};
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    w->hook = forget;
    w->user = &f;
    trust_enrol(w);
    for (int turn = 0; turn < 1000 && count(w->trustees[1].store.disk, TC_RECORD_DUTY) == 0; turn++)
        for (uint64_t i = 0; i < AGENTS + TRUSTEES; i++)
            (void)trust_turn(i < AGENTS ? &w->agents[i] : &w->trustees[i - AGENTS]);
    assert_int_equal(count(w->trustees[1].store.disk, TC_RECORD_DUTY), 1);
    trust_part(&w->trustees[1]);
    f.begun = true;
    trust_run(w);
    assert_int_equal(f.enrolled, 1);
    assert_int_equal(w->n_said, 0);
    assert_int_equal(trust_releases(w), 2);
    trust_end(w);
    tc_free(w);
}

/* ---- an agent whose boxes are none ---- */

/* What agent 1 sends is lost once: it is in its storage by then. */
static bool lose_once(trust_world *w, trust_party *who, const tc_call *call, int *status,
                      tc_text *answer)
{
    bool *lost = w->user;
    (void)status, (void)answer;
    if (*lost || who->trustee || who->number != 1 || !is(call, "POST", "/rounds/0/messages"))
        return true;
    *lost = true;
    return false;
}

static void turn_all(trust_world *w)
{
    for (uint64_t i = 0; i < AGENTS + TRUSTEES; i++)
        (void)trust_turn(i < AGENTS ? &w->agents[i] : &w->trustees[i - AGENTS]);
    trust_tick(w);
}

static tacit_status note_key(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    tc_text_add_bytes(user, r->key, r->key_size);
    return TACIT_OK;
}

/* A bit of each box is turned round. */
static void spoil_dealing(tc_store *s)
{
    tacit_error err = {0};
    const tc_trustees terms = tc_trustees_usual(TRUSTEES);
    const tc_record_range all = {.kind = TC_RECORD_DEALING};
    tc_dealing_head head;
    tc_record got;
    uint8_t key[64];
    tc_text found = {0};
    assert_ok(tc_store_record_scan(s, &all, note_key, &found, &err));
    assert_true(found.len > 0 && found.len <= sizeof key);
    memcpy(key, found.data, found.len);
    const tc_record w = {.kind = TC_RECORD_DEALING, .key = key, .key_size = found.len};
    assert_ok(tc_store_record_get(s, &w, &got, &err));
    uint8_t *upload = (uint8_t *)got.value;
    assert_ok(tc_dealing_read(&terms, upload, got.size, &head, &err));
    for (uint32_t k = 0; k < TRUSTEES; k++)
        upload[tc_dealing_box(&terms, upload, k) - upload + 50] ^= 1;
    assert_ok(tc_store_record_keep(s, &w, got.version, upload, got.size, &err));
    tc_free(upload);
    tc_text_fini(&found);
}

/* The coordinator cannot see it: the round is void. The sentence says whose access is to end, and the next round goes on. */
static void an_agent_that_blocks_rounds_is_named_and_ended(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    bool lost = false;
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    trust_enrol(w);
    w->hook = lose_once;
    w->user = &lost;
    for (int turn = 0; turn < 1000 && !lost; turn++)
        turn_all(w);
    assert_true(lost);
    trust_part(&w->agents[1]);
    spoil_dealing(w->agents[1].store.disk);
    for (int turn = 0; turn < 1000 && w->n_said == 0; turn++)
        turn_all(w);
    assert_string_equal(w->said[0],
                        "0: the box of agent 1 for trustee 0 in round 0 does not open with the "
                        "keys of these two: somebody else made it, or it was changed");
    assert_int_equal(
        world_call(&w->w, "POST", "/v1/studies/s/agents/1:revoke", w->w.operator_token, "{}", NULL),
        200);
    w->agents[1].absent = true;
    trust_run(w);
    assert_int_equal(trust_releases(w), 1); /* of two rounds */
    trust_end(w);
    tc_free(w);
}

/* ---- a seed ---- */

/* The coordinator stamps releases where its own noise comes from a seed, and knows nothing of that of trustees. */
static bool hide_the_stamp(trust_world *w, trust_party *who, const tc_call *call, int *status,
                           tc_text *answer)
{
    (void)w, (void)who;
    if (!answer || *status != 200 || !is(call, "GET", "/v1/studies/s"))
        return true;
    json_t *j = parse(answer);
    assert_string_equal(world_text(j, "not_private"), "noise comes from a seed");
    assert_int_equal(json_object_set_new(j, "not_private", json_string("")), 0);
    answer_json(j, answer);
    return true;
}

static void known_noise_is_for_tests_alone(void **state)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    tacit_error err = {0};
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, DOCUMENT("3"));
    w->hook = hide_the_stamp;
    assert_int_equal(trust_open(&w->trustees[0], &err), TACIT_E_STATE);
    assert_string_equal(err.msg,
                        "study \"s\" is no test: secrets and noise of its trustees must not "
                        "come from a seed");
    assert_int_equal(count(w->trustees[0].store.disk, TC_RECORD_TRUSTEE), 0);
    trust_end(w);
    tc_free(w);
}

/* ---- who is absent ---- */

static void revoke_trustee(trust_world *w, uint64_t k)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/studies/s/trustees/%d:revoke", (int)k);
    assert_int_equal(world_call(&w->w, "POST", path, w->w.operator_token, "{}", NULL), 200);
}

/* A round waits for noise as long as there may be any; revoked: the operator has given the trustees that are away up. */
static uint64_t releases_without(const char *document, uint64_t trustees, uint64_t agents_away,
                                 uint64_t trustees_away, bool revoked)
{
    trust_world *w = tc_alloc(1, sizeof *w);
    trust_begin(w, AGENTS, trustees, document);
    trust_enrol(w);
    for (uint64_t i = 0; i < agents_away; i++)
        w->agents[i].absent = true;
    for (uint64_t i = 0; i < trustees_away; i++)
        w->trustees[i].absent = true;
    for (uint64_t i = 0; i < trustees_away && revoked; i++)
        revoke_trustee(w, i);
    trust_run(w);
    const uint64_t n = trust_releases(w);
    assert_int_equal(w->n_said, 0);
    trust_end(w);
    tc_free(w);
    return n;
}

/* K - t - 1 trustees and half of the agents. */
static void as_many_may_be_absent_as_is_said(void **state)
{
    (void)state;
    assert_int_equal(releases_without(DOCUMENT("3"), 3, 2, 0, false), 2);
    assert_int_equal(releases_without(DOCUMENT("5"), 5, 0, 1, false), 2);
    assert_int_equal(releases_without(DOCUMENT("5"), 5, 2, 1, false), 2);
    assert_int_equal(releases_without(DOCUMENT("8"), 8, 2, 2, true), 2);
}

/* One more, and nothing is released: rounds are void, and agents go on alone. */
static void one_more_and_nothing_is_released(void **state)
{
    (void)state;
    assert_int_equal(releases_without(DOCUMENT("3"), 3, 0, 1, true), 0);
    assert_int_equal(releases_without(DOCUMENT("5"), 5, 0, 2, true), 0);
    assert_int_equal(releases_without(DOCUMENT("8"), 8, 0, 3, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_of_another_round_is_refused),
        cmocka_unit_test(an_id_twice_is_refused),
        cmocka_unit_test(an_agent_of_no_roster_is_refused),
        cmocka_unit_test(a_copied_box_is_refused),
        cmocka_unit_test(all_whose_boxes_are_none_are_named),
        cmocka_unit_test(withheld_boxes_are_refused),
        cmocka_unit_test(boxes_of_no_set_are_refused),
        cmocka_unit_test(a_second_set_is_refused_and_kept),
        cmocka_unit_test(evidence_has_an_end),
        cmocka_unit_test(swapped_round_keys_are_refused),
        cmocka_unit_test(a_foreign_key_in_ones_place_is_refused),
        cmocka_unit_test(another_roster_later_is_refused),
        cmocka_unit_test(boxes_of_another_roster_are_refused),
        cmocka_unit_test(a_roster_that_was_not_expected_is_refused),
        cmocka_unit_test(a_restored_trustee_answers_nothing),
        cmocka_unit_test(a_forgotten_trustee_enrols_again),
        cmocka_unit_test(an_agent_that_blocks_rounds_is_named_and_ended),
        cmocka_unit_test(known_noise_is_for_tests_alone),
        cmocka_unit_test(as_many_may_be_absent_as_is_said),
        cmocka_unit_test(one_more_and_nothing_is_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
