/* shared_forgotten_test.c - what is left of a round with trustees in the coordinator's storage, and what a backup has of one.
 *
 * With the identity of an agent, which may be lost one day, its boxes could be opened: so none of them outlives its round, nor the
 * noise that was dealt, nor what trustees added up. A backup that was made meanwhile has none of it either. */
#include "support/shared_world.h"
#include "support/store_folder.h"

#include "study/backup.h"

#include <dirent.h>
#include <unistd.h>

static const tc_trustees four = {4, 2, 1, 3};
enum { WHAT = 11, LENGTH = 24 }; /* 3 uploads, 4 of noise, 4 answers: some bytes of each */

typedef struct traces {
    uint8_t of[WHAT][LENGTH];
    size_t n;
} traces;

static void note(traces *s, const uint8_t *bytes)
{
    memcpy(s->of[s->n++], bytes, LENGTH);
}

/* Of the boxes, so beyond the head, whose id stays in the set. */
static void note_dealings(trust_world *t, traces *s)
{
    size_t n;
    for (uint64_t i = 0; i < TRUST_AGENTS; i++) {
        uint8_t *bytes = trust_deal(t, 0, TC_DEALER_AGENT, i, trust_vector(t, 0, i), &n);
        note(s, bytes + TC_DEALING_HEAD + 5);
        tc_free(bytes);
    }
    for (uint32_t k = 0; k < 4; k++) {
        uint8_t *bytes = trust_deal(t, 0, TC_DEALER_TRUSTEE, k, trust_noise(t, 0, k), &n);
        note(s, bytes + TC_DEALING_HEAD + 5);
        tc_free(bytes);
    }
}

static void note_answers(trust_world *t, traces *s)
{
    size_t n;
    for (uint32_t k = 0; k < 4; k++) {
        uint8_t *bytes = trust_answer(t, k, 0, &n);
        note(s, bytes + TC_ANSWER_HEAD);
        tc_free(bytes);
    }
}

/* How many of the traces are in the files of the folder. */
static size_t found(const traces *s)
{
    static uint8_t bytes[1 << 22];
    size_t all = 0;
    bool in[WHAT] = {false};
    struct dirent *e;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while ((e = readdir(d))) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = e->d_type == DT_REG ? fopen(path, "rb") : NULL;
        const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
        assert_true(n < sizeof bytes);
        for (size_t i = 0; i < s->n; i++)
            in[i] |= memmem(bytes, n, s->of[i], LENGTH) != NULL;
        if (f)
            fclose(f);
    }
    closedir(d);
    for (size_t i = 0; i < s->n; i++)
        all += in[i];
    return all;
}

static void begin(trust_world *t)
{
    tacit_error err = {0};
    tc_store *store;
    assert_ok(tc_store_open(&store, url, true, &err));
    trust_begin(t, store, four, 60);
    trust_enrol_all(t);
}

/* Until the set of round 0 is fixed. */
static void deal(trust_world *t)
{
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(trust_send(t, 0, i, NULL), 202);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(trust_deal_noise(t, k, 0, NULL), 202);
    trust_tick(t);
}

static void nothing_of_a_round_is_left_in_the_storage(void **state)
{
    trust_world t;
    traces s = {.n = 0};
    (void)state;
    begin(&t);
    note_dealings(&t, &s);
    deal(&t);
    note_answers(&t, &s);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(trust_do_answer(&t, k, 0, NULL), 202);
    assert_int_equal(found(&s), WHAT - 1); /* the control: they were there */
    assert_int_equal(trust_do_answer(&t, 3, 0, NULL), 202);
    trust_tick(&t);
    trust_assert_released(&t, 0, 7, 7);
    trust_assert_swept(&t);
    assert_int_equal(found(&s), 0);
    trust_end(&t);
    assert_int_equal(found(&s), 0);
}

/* A void round leaves nothing, either: its sums were never opened. */
static void nothing_of_a_void_round_is_left(void **state)
{
    trust_world t;
    traces s = {.n = 0};
    (void)state;
    begin(&t);
    note_dealings(&t, &s);
    deal(&t);
    note_answers(&t, &s);
    assert_int_equal(trust_do_answer(&t, 0, 0, NULL), 202);
    assert_int_equal(found(&s), 8);
    t.w.now_ms += 121000;
    trust_tick(&t);
    assert_int_equal(world_broadcast(&t.w, t.w.agents[0].access, 0, NULL, NULL), 410);
    assert_int_equal(found(&s), 0);
    trust_end(&t);
}

/* ---- backups ---- */

static uint64_t count(tc_store *s, tc_record_kind kind)
{
    tacit_error err = {0};
    uint64_t n;
    assert_ok(tc_store_record_count(s, &(tc_record_range){.study = 1, .kind = kind}, &n, &err));
    return n;
}

static void fingerprint(trust_world *t, char out[64])
{
    json_t *a;
    assert_int_equal(trust_get(t, t->w.operator_token, "/v1/studies/s/roster", NULL, &a), 200);
    snprintf(out, 64, "%s", world_text(a, "fingerprint"));
    json_decref(a);
}

/* The coordinator goes on from it, as if nothing was released since. */
static void restore(trust_world *t, tc_store *backup)
{
    tacit_error err = {0};
    tc_store *copy, *to;
    const tacit_restore_opts opts = {.released = 0};
    assert_ok(tc_store_open(&copy, "memory:", true, &err));
    assert_ok(tc_store_open(&to, "memory:", true, &err));
    assert_ok(tc_backup_copy(copy, backup, true, &err));
    assert_ok(tc_coord_restore(copy, (tc_restore_times){5000000, 6000000}, &opts, &err));
    assert_ok(tc_backup_copy(to, copy, false, &err));
    tc_store_close(copy);
    world_close(&t->w);
    world_open(&t->w, to, TRUST_SEED);
}

static void a_backup_has_the_roster_and_nothing_that_was_dealt(void **state)
{
    trust_world t;
    tacit_error err = {0};
    tc_store *backup;
    char before[64], after[64], path[128];
    (void)state;
    begin(&t);
    fingerprint(&t, before);
    deal(&t);
    assert_int_equal(trust_do_answer(&t, 0, 0, NULL), 202);
    snprintf(path, sizeof path, "%s/copy.db", folder);
    assert_ok(tc_backup_write(t.w.store, path, 5000000, &err));
    assert_ok(tc_backup_open(&backup, path, &err));
    assert_int_equal(count(backup, TC_RECORD_MESSAGE), 0);
    assert_int_equal(count(backup, TC_RECORD_NOISE), 0);
    assert_int_equal(count(backup, TC_RECORD_SHARE_SUM), 0);
    assert_int_equal(count(backup, TC_RECORD_ROUND_KEYS), 4);
    assert_int_equal(count(backup, TC_RECORD_SET), 1);
    restore(&t, backup);
    tc_store_close(backup);
    fingerprint(&t, after);
    assert_string_equal(before, after);
    assert_int_equal(world_broadcast(&t.w, t.w.agents[0].access, 0, NULL, NULL), 410);
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        assert_int_equal(trust_send(&t, 1, i, NULL), 202);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(trust_deal_noise(&t, k, 1, NULL), 202);
    trust_tick(&t);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(trust_do_answer(&t, k, 1, NULL), 202);
    trust_tick(&t);
    trust_assert_released(&t, 1, 7, 7);
    trust_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_of_a_round_is_left_in_the_storage, clear_folder),
        cmocka_unit_test_setup(nothing_of_a_void_round_is_left, clear_folder),
        cmocka_unit_test_setup(a_backup_has_the_roster_and_nothing_that_was_dealt, clear_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
