/* worker_scans_test.c - the worker loop reads the journal once a trial, though it looks at the study before each ask. */
#include <tacit/worker.h>

#include "support/counted_scans.h"

#include "study/handle.h"

enum { TRIALS = 12 };

static tacit_status square(void *user, uint64_t trial, const double *x, double *value,
                           tacit_error *err)
{
    (void)user;
    (void)trial;
    (void)err;
    *value = *x * *x;
    return TACIT_OK;
}

/* One more than the trials: the last look finds that they are enough. And one at the start, which looks for trials that a
 * dead process left. */
static void a_worker_reads_the_journal_once_a_trial(void **state)
{
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        tacit_error err = {0};
        tacit_worker_opts w = TACIT_WORKER_OPTS;
        clear_folder(NULL);
        tc_store *store = open_counted(stored ? url : "memory:");
        tc_study *study = make_study(store);
        tacit_study *s = NULL;
        assert_ok(tc_study_lend(&s, study, &err));
        w.evaluate = square;
        w.trials = TRIALS;
        scans = 0;
        assert_ok(tacit_worker_run(s, &w, NULL, &err));
        assert_int_equal(scans, TRIALS + 2);
        tacit_study_close(s);
        tc_study_close(study);
        tc_store_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_reads_the_journal_once_a_trial),
    };
    return cmocka_run_group_tests_name("worker_scans", tests, make_folder, remove_folder);
}
