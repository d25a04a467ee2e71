/* campaign_batch_test.c - batches that a program runs pull by pull: the same trials and sums as those of
 * whoever asks for the same batches and adds up the same values. */
#include "study/campaign.h"

#include "support/test.h"

#include "algo/batch.h"
#include "base/json.h"

#include <stdlib.h>
#include <unistd.h>

enum { TRIALS = 24, PULLS = 5 };

static tc_study *make_study(tc_store **store)
{
    static const char text[] = "{\"name\": \"b\", \"direction\": \"maximize\", \"trials\": 24,"
                               " \"seed\": 3, \"algorithm\": {\"name\": \"blin\"}, \"space\":"
                               " {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}";
    tacit_error err = {0};
    tc_study_doc *doc;
    tc_study *s;
    json_t *j = json_loads(text, 0, NULL);
    assert_ok(tc_study_doc_from_json(&doc, j, NULL, &err));
    assert_ok(tc_store_open(store, "memory:", true, &err));
    assert_ok(tc_study_create(&s, *store, doc, NULL, &err));
    tc_study_doc_free(doc);
    json_decref(j);
    return s;
}

static void run_program(tc_study *s, char *const *argv, uint64_t pulls)
{
    tacit_error err = {0};
    tc_runner *runner;
    tc_venue venue = tc_venue_lent(s);
    assert_ok(tc_runner_new(&runner, tc_study_document(s)->space, argv, 1, 0, &err));
    tc_campaign_plan plan = {.venue = &venue,
                             .runner = runner,
                             .budget = TRIALS,
                             .jobs = 1,
                             .pulls = pulls,
                             .quiet = true};
    assert_ok(tc_campaign_run(&plan, &err));
    tc_runner_free(runner);
}

/* The value of a pull is where it was. */
static void run_by_hand(tc_study *s)
{
    tacit_error err = {0};
    for (uint64_t done = 0; done < TRIALS;) {
        const tc_ask_request req = {.pulls = PULLS};
        uint64_t trial, pulls;
        double x;
        int64_t reward;
        tc_batch b = {0};
        assert_ok(tc_study_ask_batch(s, &req, &trial, &x, &pulls, &err));
        assert_ok(tc_study_reward(s, x, &reward, &err));
        while (b.n < pulls)
            tc_batch_add(&b, reward);
        if (pulls > 1)
            assert_ok(tc_study_tell_batch(s, trial, NULL, &b, &err));
        else
            assert_ok(tc_study_tell(s, trial, NULL, x, &err));
        done += pulls;
    }
}

static void assert_same(tc_study *a, tc_study *b)
{
    tacit_error err = {0};
    const tc_optimizer *p, *q;
    bool several = false;
    assert_ok(tc_study_look(a, &p, &err));
    assert_ok(tc_study_look(b, &q, &err));
    assert_int_equal(tc_optimizer_pulls(p, TC_TRIAL_COMPLETE), TRIALS);
    assert_int_equal(tc_optimizer_trials(p), tc_optimizer_trials(q));
    for (uint64_t t = 0; t < tc_optimizer_trials(p); t++) {
        const tc_trial *x = tc_optimizer_trial(p, t), *y = tc_optimizer_trial(q, t);
        assert_same_bits(x->values[0], y->values[0]);
        assert_same_bits(x->value, y->value);
        assert_int_equal(x->pulls, y->pulls);
        several = several || x->pulls > 1;
    }
    assert_true(several);
    tc_study_unlook(b);
    tc_study_unlook(a);
}

static void pulls_are_run_and_added(void **state)
{
    char *const argv[] = {"echo", "{x}", NULL};
    tc_store *stores[2];
    (void)state;
    tc_study *a = make_study(&stores[0]), *b = make_study(&stores[1]);
    run_program(a, argv, PULLS);
    run_by_hand(b);
    assert_same(a, b);
    tc_study_close(a);
    tc_study_close(b);
    tc_store_close(stores[0]);
    tc_store_close(stores[1]);
}

/* The second pull of every batch fails: what came before it is told. */
static void what_came_before_a_failure_is_told(void **state)
{
    char folder[] = "/tmp/tacit-batch-XXXXXX", script[160];
    tacit_error err = {0};
    const tc_optimizer *o;
    tc_store *store;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "f=%s/$TACIT_TRIAL; test -e $f && exit 3; touch $f; echo 0.25",
             folder);
    char *const argv[] = {"sh", "-c", script, NULL};
    tc_study *s = make_study(&store);
    run_program(s, argv, PULLS);
    assert_ok(tc_study_look(s, &o, &err));
    assert_int_equal(tc_optimizer_count(o, TC_TRIAL_FAIL), 0);
    for (uint64_t t = 0; t < tc_optimizer_trials(o); t++) {
        assert_int_equal(tc_optimizer_trial(o, t)->pulls, 1);
        assert_same_bits(tc_optimizer_trial(o, t)->value, 0.25);
    }
    tc_study_unlook(s);
    for (uint64_t t = 0; t < TRIALS; t++) {
        snprintf(script, sizeof script, "%s/%d", folder, (int)t);
        unlink(script);
    }
    assert_int_equal(rmdir(folder), 0);
    tc_study_close(s);
    tc_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulls_are_run_and_added),
        cmocka_unit_test(what_came_before_a_failure_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
