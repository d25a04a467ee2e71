/* trustee_erase_test.c - when a trustee's answer leaves, nobody can open the boxes of its round any more: the secret of the round's
 * key is in no file of its storage, neither of SQLite's database nor of its log; those of later rounds are. */
#include "support/store_folder.h"
#include "support/trust_world.h"

#include <unistd.h>

enum { AGENTS = 3, TRUSTEES = 3, SECRET = 32, ROUNDS_MOST = 8 };

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 6, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 3,"
    " \"releases\": \"all\"},"
    " \"federation\": {\"agents\": 3, \"trustees\": 3, \"deadline_s\": 3600},"
    " \"privacy\": {\"epsilon\": 9, \"delta\": 0.01}}";

typedef struct secrets {
    uint8_t of[ROUNDS_MOST][SECRET];
    uint64_t n, answers;
} secrets;

static tacit_status keep(void *user, const tc_record *r, tacit_error *err)
{
    secrets *s = user;
    (void)err;
    assert_true(s->n < ROUNDS_MOST && r->size == SECRET);
    memcpy(s->of[s->n++], r->value, SECRET);
    return TACIT_OK;
}

/* Is it in this file? One that is not there has nothing. */
static bool is_in(const char *end, const uint8_t *secret)
{
    char path[4200];
    snprintf(path, sizeof path, "%s%s", file, end);
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    fseek(f, 0, SEEK_END);
    const long n = ftell(f);
    rewind(f);
    char *bytes = tc_alloc((size_t)n + 1, 1);
    assert_int_equal(fread(bytes, 1, (size_t)n, f), n);
    fclose(f);
    const bool found = memmem(bytes, (size_t)n, secret, SECRET) != NULL;
    tc_free(bytes);
    return found;
}

static bool is_stored(const uint8_t *secret)
{
    return is_in("", secret) || is_in("-wal", secret) || is_in("-journal", secret);
}

/* Rounds of this study are 0, 1, ...: the answer of one is about to leave. */
static bool look(trust_world *w, trust_party *who, const tc_call *call, int *status,
                 tc_text *answer)
{
    secrets *s = w->user;
    unsigned long long round;
    (void)status;
    if (answer || !who->trustee || who->number != 0 || strcmp(call->method, "POST") != 0 ||
        !strstr(call->path, "/answers"))
        return true;
    assert_int_equal(sscanf(strstr(call->path, "/rounds/"), "/rounds/%llu/", &round), 1);
    for (uint64_t i = 0; i < s->n; i++)
        assert_int_equal(is_stored(s->of[i]), i > round);
    s->answers++;
    return true;
}

static void a_secret_is_gone_before_its_answer_leaves(void **state)
{
    tacit_error err = {0};
    trust_world *w = tc_alloc(1, sizeof *w);
    secrets s = {.n = 0};
    tc_store *disk;
    const tc_record_range all = {.kind = TC_RECORD_ROUND_SECRET};
    (void)state;
    trust_begin(w, AGENTS, TRUSTEES, document);
    crash_fini(&w->trustees[0].store);
    assert_ok(tc_store_open(&disk, url, true, &err));
    crash_init(&w->trustees[0].store, disk);
    trust_enrol(w);
    assert_ok(tc_store_record_scan(disk, &all, keep, &s, &err));
    assert_true(s.n >= 3);
    for (uint64_t i = 0; i < s.n; i++)
        assert_true(is_stored(s.of[i]));
    w->user = &s;
    w->hook = look;
    trust_run(w);
    assert_int_equal(s.answers, s.n);
    for (uint64_t i = 0; i < s.n; i++)
        assert_false(is_stored(s.of[i]));
    trust_end(w);
    tc_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_secret_is_gone_before_its_answer_leaves, clear_folder,
                                        NULL),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
