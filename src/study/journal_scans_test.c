/* journal_scans_test.c - how often the journal is read: once a trial, also where the steps of an ask look at the study
 * first; and that an ask knows what was told before it, here or by others. */
#include <tacit/study.h>

#include "support/counted_scans.h"

#include "study/handle.h"

enum { TRIALS = 12 };

/* The number of the trial. reading: of the steps before; NULL: there were none. */
static uint64_t ask_on(tacit_study *s, tc_reading *reading, const char *worker)
{
    tacit_ask_opts q = TACIT_ASK_OPTS;
    tacit_trials *got = NULL;
    tacit_error err = {0};
    q.worker = worker;
    assert_ok(tc_study_ask_on(s, &q, reading, &got, &err));
    assert_int_equal(got->n, 1);
    uint64_t number = got->list[0].number;
    tacit_trials_free(got);
    return number;
}

static uint64_t ask(tacit_study *s, const char *worker)
{
    return ask_on(s, NULL, worker);
}

static uint64_t count_complete(tacit_study *s, tc_reading *reading)
{
    tacit_study_summary summary = TACIT_STUDY_SUMMARY;
    tacit_error err = {0};
    assert_ok(tc_study_summarize_on(s, reading, &summary, &err));
    return summary.complete;
}

/* As the worker loop does it (looks) or a program that knows what it wants. */
static void run_trials(tacit_study *s, bool looks, const char *worker)
{
    for (uint64_t i = 0; i < TRIALS; i++) {
        tacit_error err = {0};
        tc_reading reading = {0};
        uint64_t before = scans;
        if (looks)
            assert_int_equal(count_complete(s, &reading), i);
        uint64_t number = ask_on(s, looks ? &reading : NULL, worker);
        assert_ok(tacit_study_tell(s, number, (double)i, &err));
        assert_int_equal(scans - before, 1);
    }
    assert_int_equal(count_complete(s, NULL), TRIALS);
}

static void an_ask_reads_the_journal_once(void **state)
{
    (void)state;
    for (int how = 0; how < 8; how++) {
        tacit_error err = {0};
        clear_folder(NULL);
        tc_store *store = open_counted(how & 4 ? url : "memory:");
        tc_study *study = make_study(store);
        tacit_study *s = NULL;
        assert_ok(tc_study_lend(&s, study, &err));
        run_trials(s, how & 1, how & 2 ? "w" : NULL);
        tacit_study_close(s);
        tc_study_close(study);
        tc_store_close(store);
    }
}

/* Nothing that was told here before an ask is missing in it, though a look came before the tell. */
static void an_ask_knows_what_was_told_since_the_look(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store = open_counted("memory:"), *other = open_counted("memory:");
    tc_study *study = make_study(store), *same = make_study(other);
    tacit_study *s = NULL;
    double mine, theirs;
    assert_ok(tc_study_lend(&s, study, &err));
    for (uint64_t i = 0; i < TRIALS; i++) {
        uint64_t number, twin;
        assert_ok(tc_study_ask(study, "w", 0, &number, &mine, &err));
        assert_ok(tc_study_ask(same, "w", 0, &twin, &theirs, &err));
        assert_int_equal(number, twin);
        assert_same_bits(mine, theirs);
        count_complete(s, NULL);
        assert_ok(tc_study_tell(study, number, NULL, mine * mine, &err));
        assert_ok(tc_study_tell(same, twin, NULL, theirs * theirs, &err));
    }
    tacit_study_close(s);
    tc_study_close(study);
    tc_study_close(same);
    tc_store_close(store);
    tc_store_close(other);
}

/* Two studies over one store, as in two processes: what one tells, the next ask of the other knows, however short ago the
 * other has looked. A third study that does everything itself says what is right. */
static void an_ask_knows_what_others_told_since_the_look(void **state)
{
    (void)state;
    tacit_error err = {0};
    clear_folder(NULL);
    tc_store *store = NULL, *alone = NULL;
    assert_ok(tc_store_open(&store, url, true, &err));
    assert_ok(tc_store_open(&alone, "memory:", true, &err));
    tc_study *asks = make_study(store), *tells = make_study(store), *both = make_study(alone);
    tacit_study *s = NULL;
    assert_ok(tc_study_lend(&s, asks, &err));
    for (uint64_t i = 0; i < TRIALS; i++) {
        uint64_t number, twin;
        double mine, right;
        assert_ok(tc_study_ask(asks, "w", 0, &number, &mine, &err));
        assert_ok(tc_study_ask(both, "w", 0, &twin, &right, &err));
        assert_int_equal(number, twin);
        assert_same_bits(mine, right);
        count_complete(s, NULL);
        assert_ok(tc_study_tell(tells, number, NULL, mine * mine, &err));
        assert_ok(tc_study_tell(both, twin, NULL, right * right, &err));
    }
    tacit_study_close(s);
    tc_study_close(asks);
    tc_study_close(tells);
    tc_study_close(both);
    tc_store_close(store);
    tc_store_close(alone);
}

/* An ask that only gives back what its worker has leaves no reading behind for a later ask without a worker. */
static void a_reading_ends_with_its_ask(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store = open_counted("memory:");
    tc_study *study = make_study(store);
    tacit_study *s = NULL;
    assert_ok(tc_study_lend(&s, study, &err));
    uint64_t number = ask(s, "w");
    assert_int_equal(ask(s, "w"), number);
    uint64_t before = scans;
    ask(s, NULL);
    assert_int_equal(scans - before, 1);
    tacit_study_close(s);
    tc_study_close(study);
    tc_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ask_reads_the_journal_once),
        cmocka_unit_test(an_ask_knows_what_was_told_since_the_look),
        cmocka_unit_test(an_ask_knows_what_others_told_since_the_look),
        cmocka_unit_test(a_reading_ends_with_its_ask),
    };
    return cmocka_run_group_tests_name("journal_scans", tests, make_folder, remove_folder);
}
