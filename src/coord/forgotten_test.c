/* forgotten_test.c - who has a coordinator's store, or a backup, and guesses contributions of a round that is over.
 *
 * A study of dp-pf-pne that protects single records: a contribution is a few rewards, and of each there are few
 * to guess. The guesser knows all else: keys, sequences, how a body is written. Whatever is left that
 * depends on a contribution, be it a hash or a signature, would tell which guess is right. */
#include "support/coord_study.h"
#include "support/store_folder.h"

#include "base/memory.h"
#include "study/backup.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AGENTS = 3, GUESSES = 29, FILE_MOST = 1 << 22 };

/* ---- contributions ---- */

/* One reward of `guess`/GUESSES for each half of the space, of agent `who`. */
typedef struct contribution {
    int64_t rewards[2];
} contribution;

static contribution contribution_of(uint64_t who, int guess)
{
    int64_t reward = (int64_t)(0x1p20 * guess / GUESSES) + (int64_t)who;
    return (contribution){{reward, reward + 7}};
}

/* Everything that somebody can write down of a message: body, text, hash, signature. */
typedef struct traces {
    tc_text body, base64, digest, signature;
    tacit_hash hash;
    tc_signature signed_;
} traces;

static traces traces_of(const coord_world *w, const citizen *c, const contribution *m)
{
    traces t = {0};
    tc_base64_add(&t.base64, m, sizeof *m);
    tc_text_addf(&t.body, "{\"sequence\": 1, \"message\": \"%s\"}", tc_text_get(&t.base64));
    tc_signed what = {.purpose = TC_SIGN_MESSAGE,
                      .study = w->hash,
                      .sequence = 1,
                      .body = tc_text_get(&t.body),
                      .n_body = t.body.len};
    tc_sign(&c->secret, &what, &t.signed_);
    t.hash = tc_hash_bytes(tc_text_get(&t.body), t.body.len);
    tc_base64_add(&t.digest, t.hash.bytes, sizeof t.hash.bytes);
    tc_base64_add(&t.signature, t.signed_.bytes, sizeof t.signed_.bytes);
    return t;
}

static void traces_fini(traces *t)
{
    tc_text_fini(&t->body);
    tc_text_fini(&t->base64);
    tc_text_fini(&t->digest);
    tc_text_fini(&t->signature);
}

/* ---- files ---- */

static uint8_t bytes[FILE_MOST];

static size_t read_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(n < sizeof bytes);
    return n;
}

static bool holds(size_t n, const void *what, size_t size)
{
    return memmem(bytes, n, what, size) != NULL;
}

static bool tells(const char *name, const traces *t, const contribution *m)
{
    size_t n = read_file(name);
    return holds(n, m, sizeof *m) || holds(n, tc_text_get(&t->base64), t->base64.len) ||
           holds(n, t->hash.bytes, sizeof t->hash.bytes) ||
           holds(n, tc_text_get(&t->digest), t->digest.len) ||
           holds(n, t->signed_.bytes, sizeof t->signed_.bytes) ||
           holds(n, tc_text_get(&t->signature), t->signature.len);
}

/* How many of the guesses about this agent does a file confirm? */
static int confirmed(const coord_world *w, uint64_t who, const char *const *files)
{
    int n = 0;
    for (int guess = 0; guess < GUESSES; guess++) {
        contribution m = contribution_of(who, guess);
        traces t = traces_of(w, &w->agents[who], &m);
        for (size_t i = 0; files[i]; i++)
            n += tells(files[i], &t, &m);
        traces_fini(&t);
    }
    return n;
}

static const char *const of_store[] = {"store.db", "store.db-wal", NULL};
static const char *const of_backup[] = {"backup.db", NULL};

/* ---- the coordinator ---- */

static void begin(coord_world *w, const char *where)
{
    tacit_error err = {0};
    tc_store *store;
    *w = (coord_world){.now_ms = 1000000};
    assert_ok(tc_store_open(&store, where, true, &err));
    world_open(w, store, 7);
    world_create(w, "s",
                 "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 2000, \"seed\": 7,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                 " \"algorithm\": {\"name\": \"dp-pf-pne\", \"protect\": \"record\"},"
                 " \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
                 " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}");
    world_enrol_all(w, AGENTS);
}

static int post(coord_world *w, uint64_t who, int guess, uint64_t sequence, json_t **answer)
{
    contribution m = contribution_of(who, guess);
    return world_post_bytes(w, &w->agents[who], 0, sequence, &m, sizeof m, answer);
}

static void back_up(coord_world *w)
{
    tacit_error err = {0};
    char copy[128];
    snprintf(copy, sizeof copy, "%s/backup.db", folder);
    unlink(copy);
    assert_ok(tc_backup_write(w->store, copy, w->now_ms, &err));
}

static void close_round(coord_world *w)
{
    w->now_ms += 61000;
    world_tick(w);
    assert_int_equal(
        world_call(w, "GET", "/v1/studies/s/rounds/0/broadcast", w->operator_token, NULL, NULL),
        200);
}

/* ---- what is left ---- */

static void no_guess_is_confirmed(void **state)
{
    coord_world w;
    json_t *a;
    (void)state;
    assert_int_equal(clear_folder(NULL), 0);
    begin(&w, url);
    for (uint64_t i = 0; i + 1 < AGENTS; i++)
        assert_int_equal(post(&w, i, 10 + (int)i, 1, NULL), 202);
    assert_int_equal(post(&w, 0, 10, 1, NULL), 200);
    assert_int_equal(post(&w, 0, 11, 1, &a), 409); /* another one in its place */
    json_decref(a);
    assert_true(confirmed(&w, 0, of_store) > 0); /* the guesser is able to find it */
    back_up(&w);
    close_round(&w);
    assert_int_equal(post(&w, 2, 3, 1, NULL), 410); /* late */
    for (uint64_t i = 0; i < AGENTS; i++) {
        assert_int_equal(confirmed(&w, i, of_backup), 0); /* of the open round */
        assert_int_equal(confirmed(&w, i, of_store), 0);
    }
    back_up(&w);
    for (uint64_t i = 0; i < AGENTS; i++)
        assert_int_equal(confirmed(&w, i, of_backup), 0);
    world_close(&w);
}

/* An agent that was killed sends again what it does not know to have arrived. */
static void what_was_answered_is_answered_after_the_round(void **state)
{
    coord_world w;
    json_t *a;
    (void)state;
    begin(&w, "memory:");
    assert_int_equal(post(&w, 0, 10, 1, NULL), 202);
    close_round(&w);
    assert_int_equal(post(&w, 0, 10, 1, &a), 200);
    assert_true(json_is_true(json_object_get(a, "again")));
    json_decref(a);
    assert_int_equal(post(&w, 0, 10, 2, &a), 409); /* that is another message, whatever is in it */
    json_decref(a);
    world_close(&w);
}

/* ---- nothing but the release depends on a contribution ---- */

static tacit_status add_record(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    tc_text_add_bytes(user, r->key, r->key_size);
    tc_text_add_bytes(user, r->value, r->size);
    return TACIT_OK;
}

static tc_text all_records(tc_store *s)
{
    static const tc_record_kind kinds[] = {TC_RECORD_STATE, TC_RECORD_ROUND, TC_RECORD_MESSAGE,
                                           TC_RECORD_RECEIPT, TC_RECORD_EVIDENCE};
    tacit_error err = {0};
    tc_text out = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        tc_record_range all = {.study = 1, .kind = kinds[i]};
        assert_ok(tc_store_record_scan(s, &all, add_record, &out, &err));
    }
    assert_true(out.len > 0);
    return out;
}

/* A hash with a key that is left, or anything else of that kind, would differ. */
static void records_do_not_depend_on_contributions(void **state)
{
    tc_text left[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        coord_world w;
        begin(&w, "memory:");
        assert_int_equal(post(&w, 0, 5 + i, 1, NULL), 202);
        assert_int_equal(post(&w, 0, 8 + i, 1, NULL), 409);
        assert_int_equal(post(&w, 1, 20 + i, 1, NULL), 202);
        close_round(&w);
        assert_int_equal(post(&w, 2, 3 + i, 1, NULL), 410);
        left[i] = all_records(w.store);
        world_close(&w);
    }
    assert_int_equal(left[0].len, left[1].len);
    assert_memory_equal(left[0].data, left[1].data, left[0].len);
    tc_text_fini(&left[0]);
    tc_text_fini(&left[1]);
}

/* ---- stores of an earlier version ---- */

/* As it wrote receipts and evidence. */
static void put_old(coord_world *w, tc_record_kind kind, uint64_t who, int guess)
{
    tacit_error err = {0};
    contribution m = contribution_of(who, guess);
    traces t = traces_of(w, &w->agents[who], &m);
    tc_text value = {0};
    uint8_t key[16] = {0};
    key[15] = (uint8_t)who;
    tc_text_addf(&value,
                 "{\"digest\": \"%s\", \"signature\": \"%s\", \"key\": \"AAAA\", \"sequence\": 1, "
                 "\"late\": false}",
                 tc_text_get(&t.digest), tc_text_get(&t.signature));
    tc_change c = {TC_INSERT,
                   {.study = 1,
                    .kind = kind,
                    .key = key,
                    .key_size = sizeof key,
                    .value = tc_text_get(&value),
                    .size = value.len}};
    assert_ok(tc_store_change(w->store, &c, 1, NULL, &err));
    tc_text_fini(&value);
    traces_fini(&t);
}

/* The mark that receipts are plain is not in an old store. */
static void forget_mark(tc_store *s)
{
    tacit_error err = {0};
    tc_record_range mark = {
        .kind = TC_RECORD_SERVER, .prefix = "plain receipts", .prefix_size = 14};
    assert_ok(tc_store_record_drop(s, &mark, &err));
}

static void receipts_of_an_earlier_version_are_made_plain(void **state)
{
    coord_world w;
    tacit_error err = {0};
    (void)state;
    assert_int_equal(clear_folder(NULL), 0);
    begin(&w, url);
    forget_mark(w.store);
    put_old(&w, TC_RECORD_RECEIPT, 0, 4);
    put_old(&w, TC_RECORD_EVIDENCE, 1, 9);
    assert_true(confirmed(&w, 0, of_store) > 0 && confirmed(&w, 1, of_store) > 0);
    back_up(&w); /* before any coordinator of this version has seen it */
    assert_int_equal(confirmed(&w, 0, of_backup) + confirmed(&w, 1, of_backup), 0);
    tc_coord_free(w.coord);
    tc_coord_config cfg = {
        .store = w.store, .now_ms = world_clock, .user = &w, .seeded = true, .seed = 7};
    assert_ok(tc_coord_new(&w.coord, &cfg, &err));
    assert_int_equal(confirmed(&w, 0, of_store) + confirmed(&w, 1, of_store), 0);
    assert_int_equal(post(&w, 0, 4, 1, NULL), 200); /* it is still known to be answered */
    world_close(&w);
}

/* ---- memory ---- */

enum { WIDTH = 40 };

/* Kept inverted, so that the search does not find itself. */
static uint8_t inverted[WIDTH];

static size_t copies_in(const uint8_t *block, size_t n)
{
    size_t copies = 0;
    for (size_t i = 0; i + WIDTH <= n; i++) {
        size_t k = 0;
        while (k < WIDTH && (block[i + k] ^ inverted[k]) == 0xff)
            k++;
        copies += k == WIDTH;
    }
    return copies;
}

/* How often it stands in the heap and in the stacks of this process. */
static size_t copies_in_memory(void)
{
    FILE *maps = fopen("/proc/self/maps", "r"), *memory = fopen("/proc/self/mem", "rb");
    char line[512];
    size_t copies = 0;
    assert_non_null(maps);
    assert_non_null(memory);
    setbuf(memory, NULL);
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char mode[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3 || strncmp(mode, "rw", 2) != 0 ||
            strstr(line, "[v") || to - from > 1UL << 28)
            continue;
        for (unsigned long at = from; at < to; at += FILE_MOST - WIDTH) {
            size_t want = to - at < FILE_MOST ? to - at : FILE_MOST;
            if ((unsigned long)(uintptr_t)bytes >= from && (unsigned long)(uintptr_t)bytes < to)
                break; /* where we read to */
            if (fseek(memory, (long)at, SEEK_SET) != 0)
                break;
            copies += copies_in(bytes, fread(bytes, 1, want, memory));
        }
    }
    fclose(maps);
    fclose(memory);
    return copies;
}

/* A message of dp-fts-de with coordinates that nobody would meet by chance. text: it is searched for as it was
 * sent, in base64. */
static void post_features(coord_world *w, uint64_t who, bool text)
{
    tc_text m = study_message(w, who, 0), base64 = {0};
    for (size_t i = 16; i < m.len; i++)
        m.data[i] = i % 8 < 3 ? (char)(i * 37 + 11 * who + 101) : 0;
    tc_base64_add(&base64, m.data, m.len);
    const char *needle = text ? base64.data + 40 : m.data + 24;
    for (size_t i = 0; i < WIDTH; i++)
        inverted[i] = (uint8_t)((uint8_t)needle[i] ^ 0xff);
    assert_int_equal(world_post_bytes(w, &w->agents[who], 0, 1, m.data, m.len, NULL), 202);
    tc_text_fini(&m);
    tc_text_fini(&base64);
}

/* With a store in a file, and one in memory; the contribution as bytes, and as text. */
static void memory_forgets_contributions(void **state)
{
    const char *const where[] = {url, "memory:"};
    (void)state;
#ifdef __SANITIZE_THREAD__
    print_message("not searched: ThreadSanitizer has a hundred terabytes of memory of its own\n");
    skip();
#endif
    for (int i = 0; i < 4; i++) {
        tacit_error err = {0};
        coord_world w = {.now_ms = 1000000};
        tc_store *store;
        assert_int_equal(clear_folder(NULL), 0);
        assert_ok(tc_store_open(&store, where[i / 2], true, &err));
        world_open(&w, store, 7);
        world_create(&w, "s", study_document);
        world_enrol_all(&w, AGENTS);
        post_features(&w, 0, i % 2 == 1);
        if (i % 2 == 0)
            assert_true(copies_in_memory() > 0); /* the search is able to find it */
        close_round(&w);
        assert_int_equal(copies_in_memory(), 0);
        world_close(&w);
    }
}

int main(void)
{
    tc_memory_wipe(true); /* as tacit serve does (base/guard.h); before SQLite is used */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_forgets_contributions),
        cmocka_unit_test(no_guess_is_confirmed),
        cmocka_unit_test(what_was_answered_is_answered_after_the_round),
        cmocka_unit_test(records_do_not_depend_on_contributions),
        cmocka_unit_test(receipts_of_an_earlier_version_are_made_plain),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
