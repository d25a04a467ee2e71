/* study_suite.c - see study_suite.h. */
#include "conformance/study_suite.h"
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>

static const char plain[] =
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 40, \"seed\": 5,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2},"
    "             \"c\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\"]}},"
    " \"algorithm\": {\"name\": \"gp-ei\", \"init\": 4}}";
static const char several[] = "{\"name\": \"m\", \"objectives\": {\"error\": \"minimize\", "
                              "\"gain\": \"maximize\"}, \"constraints\": "
                              "{\"memory\": {\"max\": 10}}, \"trials\": 40, \"seed\": 5, "
                              "\"space\": {\"x\": {\"type\": \"float\", "
                              "\"low\": -1, \"high\": 2}}, \"algorithm\": \"random\"}";
static const char bounded[] =
    "{\"name\": \"c\", \"direction\": \"maximize\", \"constraints\": {\"memory\": {\"max\": 10}}, "
    "\"trials\": 40, \"seed\": 5, \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": "
    "2}}}";
static const char bandit[] =
    "{\"name\": \"b\", \"direction\": \"maximize\", \"trials\": 5000, \"seed\": 2,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"blin\", \"low\": 0, \"high\": 1}}";

enum { WIDTH = 2, LEASE_MS = 60000 };

static const study_place *place;
static tacit_storage *storage;

static int open_storage(void **state)
{
    (void)state;
    storage = place->open();
    return storage ? 0 : -1;
}

static int close_storage(void **state)
{
    (void)state;
    tacit_storage_close(storage);
    return 0;
}

static tacit_study *create_in(tacit_storage *st, const char *text)
{
    tacit_error err = {0};
    tacit_document *doc;
    tacit_study *s;
    assert_ok(tacit_document_parse(&doc, text, &err));
    assert_ok(tacit_study_create_in(&s, st, doc, &err));
    tacit_document_free(doc);
    return s;
}

static tacit_study *create(void)
{
    return create_in(storage, plain);
}

static double value_of(const double *v)
{
    return (v[0] - 0.4) * (v[0] - 0.4) + 0.3 * v[1];
}

static uint64_t run_one(tacit_study *s)
{
    tacit_error err = {0};
    uint64_t trial;
    double v[WIDTH];
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_ok(tacit_study_tell(s, trial, value_of(v), &err));
    return trial;
}

static tacit_trial_state state_of(tacit_study *s, uint64_t number)
{
    tacit_error err = {0};
    tacit_trial *t;
    assert_ok(tacit_study_trial(s, number, &t, &err));
    tacit_trial_state state = t->state;
    assert_int_equal(t->number, number);
    tacit_trial_free(t);
    return state;
}

/* ---- storages and studies ---- */

static void studies_are_created_listed_and_erased(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_studies *list;
    tacit_study *s = create(), *b = create_in(storage, bandit), *none = NULL;
    uint64_t first = run_one(s);
    assert_int_equal(first, 0);
    assert_ok(tacit_storage_list(storage, TACIT_LIST_SUMMARIES, &list, &err));
    assert_int_equal(tacit_studies_count(list), 2);
    const tacit_study_summary *sum = tacit_studies_get(list, 0);
    assert_string_equal(sum->name, "s");
    assert_string_equal(sum->algorithm, "gp-ei");
    assert_string_equal(sum->direction, "minimize");
    assert_true(sum->state == TACIT_STUDY_RUNNING && sum->planned == 40 && sum->complete == 1);
    assert_true(sum->failed == 0 && sum->running == 0 && sum->best_trial == 0 &&
                sum->finished == 1);
    assert_true(isfinite(sum->best));
    assert_string_equal(tacit_studies_get(list, 1)->direction, "maximize");
    assert_int_equal(tacit_studies_get(list, 1)->best_trial, TACIT_UNKNOWN);
    assert_true(isnan(tacit_studies_get(list, 1)->best));
    assert_null(tacit_studies_get(list, 2));
    tacit_studies_free(list);
    tacit_study_close(s);
    assert_ok(tacit_storage_erase(storage, "s", &err));
    assert_int_equal(tacit_storage_erase(storage, "s", &err), TACIT_E_NOT_FOUND);
    assert_int_equal(tacit_study_open_in(&none, storage, "s", &err), TACIT_E_NOT_FOUND);
    assert_null(none);
    assert_ok(tacit_storage_list(storage, TACIT_LIST_NAMES, &list, &err));
    assert_int_equal(tacit_studies_count(list), 1);
    assert_string_equal(tacit_studies_get(list, 0)->name, "b");
    tacit_studies_free(list);
    tacit_study_close(b);
    assert_fails(tacit_storage_list(storage, (tacit_list_what)9, &list, &err), TACIT_E_ARG,
                 "no list of kind 9");
}

static void a_document_must_be_the_same(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_document *doc, *other;
    tacit_study *s = create(), *again = create(), *none = NULL;
    assert_ok(tacit_document_parse(&doc, plain, &err));
    assert_ok(tacit_document_same(tacit_study_document(again), doc, &err));
    assert_string_equal(tacit_study_name(s), "s");
    assert_int_equal(tacit_space_params(tacit_study_space(s)), WIDTH);
    assert_ok(tacit_document_parse(
        &other,
        "{\"name\": \"s\", \"direction\": \"maximize\", \"seed\": 5,"
        " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2}}}",
        &err));
    assert_fails(tacit_study_create_in(&none, storage, other, &err), TACIT_E_STATE, "s");
    assert_null(none);
    tacit_document_free(doc);
    tacit_document_free(other);
    tacit_study_close(s);
    tacit_study_close(again);
}

/* A storage's handle may go before those of its studies. */
static void a_study_outlives_the_handle_of_its_storage(void **state)
{
    (void)state;
    tacit_study *s = create();
    tacit_storage_close(storage);
    storage = NULL;
    assert_int_equal(run_one(s), 0);
    tacit_study_close(s);
}

/* ---- ask and tell ---- */

/* Whoever computes it: the same point, for the same reason, with the same bits. */
static void recommends_alike(tacit_study *s, tacit_study *alone)
{
    for (int by = TACIT_BY_AUTO; by <= TACIT_BY_SEEN; by++) {
        tacit_error err = {0}, other = {0};
        tacit_recommendation *a = NULL, *b = NULL;
        const tacit_status status = tacit_study_recommend(s, (tacit_recommend_by)by, &a, &err);
        assert_int_equal(status, tacit_study_recommend(alone, (tacit_recommend_by)by, &b, &other));
        if (status != TACIT_OK) {
            assert_int_equal(by, TACIT_BY_MODEL);
            assert_string_equal(err.msg, other.msg);
            continue;
        }
        assert_int_equal(a->by, b->by);
        assert_int_equal(a->trial->number, b->trial->number);
        assert_memory_equal(a->trial->values, b->trial->values, WIDTH * sizeof *a->trial->values);
        assert_true(isnan(a->mean) ? isnan(b->mean) : a->mean == b->mean);
        assert_true(isnan(a->sd) ? isnan(b->sd) : a->sd == b->sd);
        assert_string_equal(a->because, b->because);
        tacit_recommendation_free(a);
        tacit_recommendation_free(b);
    }
}

/* Whatever is behind the handle, the same document gives the same points, bit for bit. */
static void trials_are_those_of_one_process(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create(), *alone;
    assert_ok(tacit_study_create(&alone, "memory:", plain, NULL, &err));
    for (int i = 0; i < 10; i++) {
        uint64_t trial, expected;
        double v[WIDTH], w[WIDTH];
        assert_ok(tacit_study_ask(s, &trial, v, &err));
        assert_ok(tacit_study_ask(alone, &expected, w, &err));
        assert_int_equal(trial, expected);
        assert_memory_equal(v, w, sizeof v);
        assert_ok(tacit_study_tell(s, trial, value_of(v), &err));
        assert_ok(tacit_study_tell(alone, trial, value_of(w), &err));
    }
    tacit_trial *best, *same;
    assert_ok(tacit_study_best(s, &best, &err));
    assert_ok(tacit_study_best(alone, &same, &err));
    assert_int_equal(best->number, same->number);
    assert_same_bits(best->value, same->value);
    assert_memory_equal(best->values, same->values, WIDTH * sizeof *best->values);
    tacit_trial_free(best);
    tacit_trial_free(same);
    recommends_alike(s, alone);
    tacit_study_close(alone);
    tacit_study_close(s);
}

static void reports_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_trial *t;
    uint64_t trial;
    double v[WIDTH];
    tacit_recommendation *found = NULL;
    assert_fails(tacit_study_best(s, &t, &err), TACIT_E_STATE, "no trial of s is complete yet");
    for (int by = TACIT_BY_AUTO; by <= TACIT_BY_SEEN; by++)
        assert_fails(tacit_study_recommend(s, (tacit_recommend_by)by, &found, &err), TACIT_E_STATE,
                     "no trial of s is complete yet");
    assert_fails(tacit_study_recommend(s, (tacit_recommend_by)3, &found, &err), TACIT_E_ARG,
                 "there is no way 3 to recommend a trial");
    assert_null(found);
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_int_equal(state_of(s, trial), TACIT_TRIAL_RUNNING);
    assert_fails(tacit_study_tell(s, trial, NAN, &err), TACIT_E_ARG,
                 "the value of trial 0 must be a finite number");
    assert_fails(tacit_study_tell(s, 77, 1, &err), TACIT_E_NOT_FOUND, "77");
    tacit_report r = TACIT_REPORT;
    r.value = 2;
    r.point = (const double[]){9, 0};
    assert_int_equal(tacit_study_report(s, trial, &r, &err), TACIT_E_ARG);
    r.point = (const double[]){0, 5}; /* no such choice */
    assert_int_equal(tacit_study_report(s, trial, &r, &err), TACIT_E_ARG);
    r.point = (const double[]){1.5, 1};
    assert_ok(tacit_study_report(s, trial, &r, &err));
    assert_int_equal(tacit_study_tell(s, trial, 3, &err), TACIT_E_STATE);
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_true(t->state == TACIT_TRIAL_COMPLETE && t->value == 2 && t->values[0] == 1.5);
    assert_true(t->asked_ms > 0 && t->told_ms >= t->asked_ms && t->pulls == 1);
    tacit_trial_free(t);
    r.kind = (tacit_report_kind)9;
    assert_fails(tacit_study_report(s, trial, &r, &err), TACIT_E_ARG, "no report of kind 9");
    tacit_study_close(s);
}

static void failures_are_told(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_trial *t;
    uint64_t trial;
    double v[WIDTH];
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_ok(tacit_study_fail(s, trial, "out of memory", &err));
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_FAIL);
    assert_string_equal(t->reason, "out of memory");
    assert_true(isnan(t->value));
    tacit_trial_free(t);
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_ok(tacit_study_fail(s, trial, NULL, &err));
    assert_int_equal(state_of(s, trial), TACIT_TRIAL_FAIL);
    tacit_study_close(s);
}

static void a_worker_gets_its_trials_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_trials *first, *again;
    tacit_ask_opts q = TACIT_ASK_OPTS;
    q.count = 3;
    q.worker = "w 1";
    q.lease_ms = LEASE_MS;
    assert_ok(tacit_study_ask_many(s, &q, &first, &err));
    assert_int_equal(tacit_trials_count(first), 3);
    assert_ok(tacit_study_tell(s, tacit_trials_get(first, 1)->number, 1, &err));
    assert_ok(tacit_study_ask_many(s, &q, &again, &err));
    assert_int_equal(tacit_trials_count(again), 3);
    assert_int_equal(tacit_trials_get(again, 0)->number, 0);
    assert_int_equal(tacit_trials_get(again, 1)->number, 2);
    assert_int_equal(tacit_trials_get(again, 2)->number, 3);
    assert_memory_equal(tacit_trials_get(again, 1)->values, tacit_trials_get(first, 2)->values,
                        WIDTH * sizeof(double));
    assert_null(tacit_trials_get(again, 3));
    tacit_trials_free(first);
    tacit_trials_free(again);
    q.worker = "";
    assert_fails(tacit_study_ask_many(s, &q, &again, &err), TACIT_E_ARG,
                 "worker must have 1 to 255");
    q.worker = "a\nb";
    assert_fails(tacit_study_ask_many(s, &q, &again, &err), TACIT_E_ARG, "byte 0x0a at 2");
    q.worker = "w";
    q.lease_ms = 999;
    assert_fails(tacit_study_ask_many(s, &q, &again, &err), TACIT_E_ARG,
                 "lease_ms must be 0 or at least 1000");
    tacit_study_close(s);
}

static void pulls_are_one_trial(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create_in(storage, bandit);
    tacit_trials *got;
    tacit_trial *t;
    double values[100];
    tacit_ask_opts q = TACIT_ASK_OPTS;
    tacit_report r = TACIT_REPORT;
    q.pulls = 100;
    assert_ok(tacit_study_ask_many(s, &q, &got, &err));
    uint64_t number = tacit_trials_get(got, 0)->number, pulls = tacit_trials_get(got, 0)->pulls;
    tacit_trials_free(got);
    assert_true(pulls > 1 && pulls <= 100);
    for (size_t i = 0; i < pulls; i++)
        values[i] = i % 2 ? 0.75 : 0.25;
    r.kind = TACIT_REPORT_PULLS;
    r.pulls = values;
    assert_fails(tacit_study_report(s, number, &r, &err), TACIT_E_ARG, "at least one");
    r.n_pulls = 2;
    assert_ok(tacit_study_report(s, number, &r, &err));
    assert_ok(tacit_study_trial(s, number, &t, &err));
    assert_true(t->pulls == 2 && fabs(t->value - 0.5) < 1e-6);
    tacit_trial_free(t);
    tacit_batch sums = {0, 0, 0};
    tacit_status status = tacit_study_add_pull(s, &sums, 0.5, &err);
    assert_int_equal(status, place->served ? TACIT_E_UNSUPPORTED : TACIT_OK);
    if (!place->served)
        assert_true(sums.pulls == 1 && sums.sum == 1 << 27);
    tacit_study_close(s);
}

/* ---- points of others ---- */

static void tell_all(tacit_study *s, const double *outcomes)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_ok(tacit_study_tell_outcomes(s, trial, outcomes, &err));
}

static const tacit_study_summary *summary_of(tacit_studies *all, const char *name)
{
    for (size_t i = 0; i < tacit_studies_count(all); i++)
        if (strcmp(tacit_studies_get(all, i)->name, name) == 0)
            return tacit_studies_get(all, i);
    return NULL;
}

static void several_objectives_have_a_front(void **state)
{
    (void)state;
    static const double told[][3] = {{3, 9, 1}, {1, 5, 10}, {2, 5, 1}, {0, 99, 11}, {4, 9, 0}};
    tacit_error err = {0};
    tacit_study *s = create_in(storage, several);
    tacit_trials *front;
    tacit_trial *t;
    tacit_studies *all;
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    double volume;
    uint64_t trial;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        tell_all(s, told[i]);
    assert_ok(tacit_study_trial(s, 3, &t, &err));
    assert_int_equal(t->n_outcomes, 3);
    assert_memory_equal(t->outcomes, told[3], sizeof told[3]);
    assert_false(t->feasible);
    assert_true(fabs(t->violation - 0.1) < 1e-12);
    tacit_trial_free(t);
    assert_ok(tacit_study_front(s, &front, &err));
    assert_int_equal(tacit_trials_count(front), 2);
    assert_int_equal(tacit_trials_get(front, 0)->number, 1);
    assert_int_equal(tacit_trials_get(front, 1)->number, 0);
    tacit_trials_free(front);
    assert_ok(tacit_study_hypervolume(s, (const double[]){4, 0}, &volume, &err));
    assert_true(fabs(volume - (1 * 9 + 2 * 5)) < 1e-12);
    assert_int_equal(tacit_study_best(s, &t, &err), TACIT_E_UNSUPPORTED);
    assert_ok(tacit_study_summarize(s, &now, &err));
    assert_true(now.objectives == 2 && now.feasible == 4 && now.front == 2);
    assert_true(now.best_trial == TACIT_UNKNOWN && isnan(now.best));
    assert_ok(tacit_storage_list(storage, TACIT_LIST_SUMMARIES, &all, &err));
    const tacit_study_summary *listed = summary_of(all, "m");
    assert_true(listed->objectives == 2 && listed->feasible == 4 && listed->front == 2);
    assert_string_equal(listed->direction, "minimize");
    assert_true(listed->best_trial == TACIT_UNKNOWN && isnan(listed->best));
    tacit_studies_free(all);
    double x;
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_fails(tacit_study_tell(s, trial, 1, &err), TACIT_E_ARG,
                 "study m is told 3 outcomes of a trial (error, gain, memory), got 1");
    assert_fails(tacit_study_tell_outcomes(s, trial, (const double[]){1, 2, INFINITY}, &err),
                 TACIT_E_ARG, "the outcomes of trial 5 must be finite numbers, got inf");
    assert_ok(tacit_study_fail(s, trial, "no memory", &err));
    tacit_study_close(s);
}

static void the_best_keeps_to_constraints(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create_in(storage, bounded);
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    tacit_recommendation *r;
    tacit_trial *t;
    tacit_studies *all;
    tell_all(s, (const double[]){9, 30});
    tell_all(s, (const double[]){1, 20});
    assert_ok(tacit_study_best(s, &t, &err));
    assert_true(t->number == 1 && !t->feasible && t->violation == 1);
    tacit_trial_free(t);
    assert_ok(tacit_study_recommend(s, TACIT_BY_AUTO, &r, &err));
    assert_int_equal(r->trial->number, 1);
    assert_string_equal(r->because,
                        "no trial is feasible yet, and this one misses its bounds by least");
    tacit_recommendation_free(r);
    tell_all(s, (const double[]){2, 10});
    tell_all(s, (const double[]){3, 10});
    assert_ok(tacit_study_best(s, &t, &err));
    assert_true(t->number == 3 && t->feasible && t->violation == 0);
    tacit_trial_free(t);
    assert_ok(tacit_study_summarize(s, &now, &err));
    assert_true(now.objectives == 1 && now.feasible == 2 && now.best_trial == 3 && now.best == 3);
    assert_ok(tacit_storage_list(storage, TACIT_LIST_SUMMARIES, &all, &err));
    assert_true(summary_of(all, "c")->feasible == 2 && summary_of(all, "c")->best == 3);
    tacit_studies_free(all);
    tacit_study_close(s);
}

static void a_queued_point_comes_first(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    uint64_t queued, trial;
    double v[WIDTH];
    const double point[WIDTH] = {0.125, 1}, outside[WIDTH] = {0.125, 2};
    assert_ok(tacit_study_enqueue(s, point, &queued, &err));
    assert_int_equal(state_of(s, queued), TACIT_TRIAL_WAITING);
    assert_int_equal(tacit_study_enqueue(s, outside, &queued, &err), TACIT_E_ARG);
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_int_equal(trial, queued);
    assert_memory_equal(v, point, sizeof v);
    tacit_study_close(s);
}

static uint64_t fail_one(tacit_study *s)
{
    tacit_error err = {0};
    uint64_t trial;
    double v[WIDTH];
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_ok(tacit_study_fail(s, trial, "no power", &err));
    return trial;
}

static uint64_t rerun(tacit_study *s)
{
    tacit_error err = {0};
    uint64_t queued = 9;
    assert_ok(tacit_study_rerun_failed(s, &queued, &err));
    return queued;
}

/* Each point once, as long as nobody has a word about it but that it failed. */
static void failed_points_are_queued_once_more(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    uint64_t trial;
    double v[WIDTH];
    tacit_trial *t;
    assert_int_equal(rerun(s), 0);
    uint64_t failed = fail_one(s);
    assert_int_equal(rerun(s), 1);
    assert_int_equal(rerun(s), 0);
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_ok(tacit_study_trial(s, failed, &t, &err));
    assert_true(trial != failed && memcmp(t->values, v, sizeof v) == 0);
    assert_int_equal(t->state, TACIT_TRIAL_FAIL);
    tacit_trial_free(t);
    assert_int_equal(rerun(s), 0); /* it runs */
    assert_ok(tacit_study_fail(s, trial, "again", &err));
    assert_int_equal(rerun(s), 1); /* both are of one point */
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_ok(tacit_study_tell(s, trial, 0.5, &err));
    assert_int_equal(rerun(s), 0);
    tacit_study_close(s);
}

static size_t count_of(tacit_study *s, tacit_trial_state state)
{
    tacit_error err = {0};
    tacit_trials *list;
    tacit_trial_query q = TACIT_TRIAL_QUERY;
    q.state = state;
    assert_ok(tacit_study_trials(s, &q, &list, &err));
    const size_t n = tacit_trials_count(list);
    for (size_t i = 0; i < n; i++)
        assert_true((tacit_trials_get(list, i)->state == TACIT_TRIAL_DELETED) ==
                    (state == TACIT_TRIAL_DELETED));
    tacit_trials_free(list);
    return n;
}

static void a_failed_trial_is_deleted(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_trial *t;
    double v[WIDTH];
    uint64_t told = run_one(s), failed = fail_one(s), open;
    assert_ok(tacit_study_ask(s, &open, v, &err));
    assert_int_equal(tacit_study_delete_trial(s, told, &err), TACIT_E_STATE);
    assert_int_equal(tacit_study_delete_trial(s, open, &err), TACIT_E_STATE);
    assert_int_equal(tacit_study_delete_trial(s, 9, &err), TACIT_E_NOT_FOUND);
    assert_int_equal(count_of(s, TACIT_TRIAL_DELETED), 0);
    for (int again = 0; again < 2; again++) /* the same again does nothing */
        assert_ok(tacit_study_delete_trial(s, failed, &err));
    assert_int_equal(count_of(s, TACIT_TRIAL_ANY), 2);
    assert_int_equal(count_of(s, TACIT_TRIAL_FAIL), 0);
    assert_int_equal(count_of(s, TACIT_TRIAL_DELETED), 1);
    assert_ok(tacit_study_summarize(s, &sum, &err));
    assert_true(sum.failed == 0 && sum.complete == 1 && sum.finished == 1 && sum.running == 1);
    assert_ok(tacit_study_trial(s, failed, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_DELETED);
    assert_non_null(t->reason);
    assert_true(isnan(t->value));
    tacit_trial_free(t);
    assert_int_equal(state_of(s, told), TACIT_TRIAL_COMPLETE);
    assert_int_equal(state_of(s, open), TACIT_TRIAL_RUNNING);
    assert_int_equal(rerun(s), 0); /* nothing is left of it */
    assert_int_equal(run_one(s), 3);
    assert_int_equal(tacit_study_tell(s, failed, 1, &err), TACIT_E_STATE);
    tacit_study_close(s);
}

static void an_import_is_all_or_none(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    const double points[] = {0, 0, 1, 1, 1, 0}, y[] = {3, 2, 1}, bad[] = {3, NAN, 1};
    if (place->served) {
        assert_fails(tacit_study_import(s, 3, points, y, &err), TACIT_E_UNSUPPORTED, "coordinator");
    } else {
        assert_int_equal(tacit_study_import(s, 3, points, bad, &err), TACIT_E_ARG);
        assert_ok(tacit_study_summarize(s, &sum, &err));
        assert_int_equal(sum.complete, 0);
        assert_ok(tacit_study_import(s, 3, points, y, &err));
        assert_ok(tacit_study_summarize(s, &sum, &err));
        assert_true(sum.complete == 3 && sum.best_trial == 2 && sum.best == 1);
        assert_string_equal(sum.name, "s");
    }
    tacit_study_close(s);
}

/* ---- leases ---- */

static uint64_t ask_as(tacit_study *s, const char *worker)
{
    tacit_error err = {0};
    tacit_trials *got;
    tacit_ask_opts q = TACIT_ASK_OPTS;
    q.worker = worker;
    q.lease_ms = LEASE_MS;
    assert_ok(tacit_study_ask_many(s, &q, &got, &err));
    uint64_t number = tacit_trials_get(got, 0)->number;
    tacit_trials_free(got);
    return number;
}

static void leases_are_renewed_and_pass_on(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_trial *t;
    int64_t until = 0;
    uint64_t trial = ask_as(s, "one");
    assert_ok(tacit_study_renew(s, trial, "one", LEASE_MS, &until, &err));
    assert_true(until > 0);
    assert_int_equal(tacit_study_renew(s, trial, "two", LEASE_MS, NULL, &err), TACIT_E_STATE);
    assert_int_equal(tacit_study_take_over(s, trial, "two", "three", LEASE_MS, &t, &err),
                     TACIT_E_STATE);
    assert_ok(tacit_study_take_over(s, trial, "one", "two", LEASE_MS, &t, &err));
    assert_int_equal(t->number, trial);
    tacit_trial_free(t);
    assert_ok(tacit_study_take_over(s, trial, "two", "three", LEASE_MS, NULL, &err));
    assert_ok(tacit_study_renew(s, trial, "three", LEASE_MS, NULL, &err));
    assert_ok(tacit_study_requeue(s, trial, &err));
    assert_int_equal(state_of(s, trial), TACIT_TRIAL_STALE);
    assert_ok(tacit_study_requeue(s, trial, &err)); /* the same again */
    assert_int_equal(ask_as(s, "four"), trial);
    assert_ok(tacit_study_tell(s, trial, 1, &err));
    assert_int_equal(tacit_study_requeue(s, trial, &err), TACIT_E_STATE);
    int64_t now = 0;
    tacit_study_keep_time(s);
    assert_int_equal(tacit_study_now(s, &now, &err),
                     place->served ? TACIT_E_UNSUPPORTED : TACIT_OK);
    tacit_study_close(s);
}

/* ---- intermediate values ---- */

static tacit_verdict report_step(tacit_study *s, uint64_t trial, uint64_t step, double value)
{
    tacit_error err = {0};
    tacit_prune rule = TACIT_PRUNE;
    tacit_verdict v = TACIT_VERDICT;
    rule.rule = TACIT_PRUNE_MEDIAN;
    rule.min_trials = 2;
    assert_ok(tacit_study_report_step(s, trial, step, value, &rule, &v, &err));
    assert_int_equal(v.step, step);
    assert_same_bits(v.value, value);
    return v;
}

static void steps_are_reported_and_judged(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_report pruned = TACIT_REPORT;
    tacit_prune rule = TACIT_PRUNE;
    tacit_trial *t;
    for (int i = 0; i < 2; i++) {
        uint64_t trial = ask_as(s, "one");
        tacit_verdict v = report_step(s, trial, 1, 0.25 + i);
        assert_int_equal(v.stop, 0);
        assert_true(isnan(v.bound));
        assert_ok(tacit_study_report_step(s, trial, 4, 0.125, NULL, NULL, &err));
        assert_ok(tacit_study_tell(s, trial, 0.125, &err));
    }
    uint64_t trial = ask_as(s, "two");
    pruned.kind = TACIT_REPORT_PRUNED;
    assert_fails(tacit_study_report(s, trial, &pruned, &err), TACIT_E_STATE,
                 "trial 2 has reported no intermediate value, so there is nothing to prune it by");
    assert_int_equal(report_step(s, trial, 1, 0.5).stop, 0);
    for (int again = 0; again < 2; again++) {
        tacit_verdict v = report_step(s, trial, 3, 0.75); /* the median is 0.75, its best was 0.5 */
        assert_int_equal(v.stop, 0);
        assert_same_bits(v.bound, 0.75);
        assert_int_equal(v.compared, 2);
    }
    if (place->served) { /* nothing is taken back within a run: the worker begins anew */
        assert_fails(
            tacit_study_report_step(s, trial, 1, 1, NULL, NULL, &err), TACIT_E_STATE,
            "trial 2 is at step 3 in this attempt: a report of step 1 can only repeat what "
            "was reported there");
        assert_ok(tacit_study_report_step(s, trial, 1, 0.5, NULL, NULL, &err)); /* a repetition */
        assert_int_equal(ask_as(s, "two"), trial);
    }
    assert_int_equal(report_step(s, trial, 1, 1).stop, 1);
    pruned.reason = "median 0.75 of 2 trials";
    assert_ok(tacit_study_report(s, trial, &pruned, &err));
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_string_equal(t->reason, "pruned at step 1 with 1 (median 0.75 of 2 trials)");
    assert_int_equal(t->state, TACIT_TRIAL_PRUNED);
    assert_true(isnan(t->value));
    assert_int_equal(t->n_steps, 1);
    assert_int_equal(t->steps[0].step, 1);
    assert_same_bits(t->steps[0].value, 1);
    tacit_trial_free(t);
    assert_ok(tacit_study_trial(s, 0, &t, &err));
    assert_int_equal(t->n_steps, 2);
    assert_int_equal(t->steps[1].step, 4);
    tacit_trial_free(t);
    assert_ok(tacit_study_summarize(s, &sum, &err));
    assert_int_equal(sum.pruned, 1);
    assert_int_equal(sum.failed, 0);
    assert_int_equal(sum.finished, 3);
    assert_int_equal(tacit_study_report_step(s, trial, 2, 1, NULL, NULL, &err), TACIT_E_STATE);
    assert_int_equal(tacit_study_report_step(s, 99, 2, 1, NULL, NULL, &err), TACIT_E_NOT_FOUND);
    trial = ask_as(s, "three");
    assert_int_equal(tacit_study_report_step(s, trial, 2, NAN, NULL, NULL, &err), TACIT_E_ARG);
    rule.factor = 4;
    assert_fails(tacit_study_report_step(s, 0, 2, 1, &rule, NULL, &err), TACIT_E_ARG,
                 "factor is for the rule asha");
    tacit_study_close(s);
}

/* ---- looking ---- */

static void trials_are_listed_by_state_and_number(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_trials *got;
    tacit_trial_query q = TACIT_TRIAL_QUERY;
    for (int i = 0; i < 6; i++)
        (void)run_one(s);
    (void)ask_as(s, "w");
    assert_ok(tacit_study_trials(s, NULL, &got, &err));
    assert_int_equal(tacit_trials_count(got), 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(tacit_trials_get(got, i)->number, i);
    assert_string_equal(tacit_trials_get(got, 6)->worker, "w");
    tacit_trials_free(got);
    q.state = TACIT_TRIAL_COMPLETE;
    q.first = 2;
    q.limit = 3;
    assert_ok(tacit_study_trials(s, &q, &got, &err));
    assert_int_equal(tacit_trials_count(got), 3);
    assert_int_equal(tacit_trials_get(got, 0)->number, 2);
    assert_int_equal(tacit_trials_get(got, 2)->number, 4);
    tacit_trials_free(got);
    q.state = TACIT_TRIAL_RUNNING;
    q.limit = 0;
    assert_ok(tacit_study_trials(s, &q, &got, &err));
    assert_int_equal(tacit_trials_count(got), 1);
    tacit_trials_free(got);
    q.first = 100;
    assert_ok(tacit_study_trials(s, &q, &got, &err));
    assert_int_equal(tacit_trials_count(got), 0);
    tacit_trials_free(got);
    q.state = (tacit_trial_state)8;
    assert_fails(tacit_study_trials(s, &q, &got, &err), TACIT_E_ARG, "no state 8 of a trial");
    tacit_trial *none = NULL;
    assert_fails(tacit_study_trial(s, 7, &none, &err), TACIT_E_NOT_FOUND, "there is no trial 7");
    assert_null(none);
    tacit_study_close(s);
}

static tacit_status count_event(void *user, const tacit_event *e, tacit_error *err)
{
    (void)err;
    uint64_t *n = user;
    assert_non_null(e->body);
    assert_true(strcmp(e->kind, "ask") == 0 || strcmp(e->kind, "tell") == 0);
    n[0]++;
    n[1] = e->seq;
    return n[0] == 3 ? TACIT_E_CANCELLED : TACIT_OK;
}

static void events_are_read_since_any(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    uint64_t seen[2] = {0, 0};
    (void)run_one(s);
    tacit_status status = tacit_study_events(s, 0, count_event, seen, &err);
    if (place->served) {
        assert_int_equal(status, TACIT_E_UNSUPPORTED);
    } else {
        assert_ok(status);
        assert_true(seen[0] == 2 && seen[1] == 2);
        (void)run_one(s);
        assert_int_equal(tacit_study_events(s, 2, count_event, seen, &err), TACIT_E_CANCELLED);
        assert_true(seen[0] == 3 && seen[1] == 3); /* the visit ended it */
        assert_int_equal(tacit_study_events(s, 99, count_event, seen, &err), TACIT_E_CONFLICT);
    }
    tacit_study_close(s);
}

/* ---- states of a study ---- */

static void a_coordinator_pauses_a_study(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    uint64_t open, trial;
    double v[WIDTH];
    if (!place->served) {
        assert_fails(tacit_study_set_state(s, TACIT_STUDY_PAUSED, &err), TACIT_E_UNSUPPORTED,
                     "only a coordinator's");
        tacit_study_close(s);
        return;
    }
    assert_ok(tacit_study_ask(s, &open, v, &err));
    assert_ok(tacit_study_set_state(s, TACIT_STUDY_PAUSED, &err));
    assert_int_equal(tacit_study_ask(s, &trial, v, &err), TACIT_E_STATE);
    assert_ok(tacit_study_summarize(s, &sum, &err));
    assert_int_equal(sum.state, TACIT_STUDY_PAUSED);
    assert_ok(tacit_study_tell(s, open, 1, &err)); /* reports are welcome */
    assert_ok(tacit_study_set_state(s, TACIT_STUDY_RUNNING, &err));
    (void)run_one(s);
    assert_ok(tacit_study_set_state(s, TACIT_STUDY_CLOSED, &err));
    assert_int_equal(tacit_study_set_state(s, TACIT_STUDY_RUNNING, &err), TACIT_E_STATE);
    tacit_study_close(s);
}

/* ---- many at once ---- */

enum { THREADS = 4, EACH = 4 };

static void *work(void *s)
{
    for (int i = 0; i < EACH; i++)
        (void)run_one(s);
    return NULL;
}

static void threads_share_a_handle(void **state)
{
    (void)state;
    tacit_error err = {0};
    pthread_t threads[THREADS];
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_study *s = create();
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, s), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_ok(tacit_study_summarize(s, &sum, &err));
    assert_true(sum.complete == THREADS * EACH && sum.running == 0);
    tacit_study_close(s);
}

static void handles_share_a_study(void **state)
{
    (void)state;
    tacit_error err = {0};
    if (!place->open_again)
        return; /* memory: has one handle, and no other to compare with */
    tacit_study *s = create(), *other;
    tacit_storage *second = place->open_again();
    assert_ok(tacit_study_open_in(&other, second, "s", &err));
    for (uint64_t i = 0; i < 6; i++)
        assert_int_equal(run_one(i % 2 ? s : other), i);
    tacit_study_close(other);
    tacit_storage_close(second);
    tacit_study_close(s);
}

/* ---- callers of other versions ---- */

static void structs_may_grow(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = create();
    tacit_trials *got;
    struct {
        tacit_ask_opts known;
        uint64_t later;
    } q = {{sizeof q, 1, NULL, 0, 0}, 0};
    assert_ok(tacit_study_ask_many(s, &q.known, &got, &err));
    tacit_trials_free(got);
    q.later = 1;
    assert_fails(tacit_study_ask_many(s, &q.known, &got, &err), TACIT_E_UNSUPPORTED,
                 "opts has a member that this version of tacit does not know");
    assert_ok(tacit_study_ask_many(s, NULL, &got, &err));
    assert_int_equal(tacit_trials_count(got), 1);
    tacit_trials_free(got);
    q.known.size = 3;
    assert_fails(tacit_study_ask_many(s, &q.known, &got, &err), TACIT_E_ARG,
                 "opts.size must be sizeof(tacit_ask_opts)");
    struct {
        tacit_study_summary known;
        uint64_t later;
    } sum = {{.size = sizeof sum}, 7};
    assert_ok(tacit_study_summarize(s, &sum.known, &err));
    assert_true(sum.known.size == sizeof sum && sum.known.running == 2 && sum.later == 0);
    tacit_study_close(s);
}

#define IN_STORAGE(test) cmocka_unit_test_setup_teardown(test, open_storage, close_storage)

int study_suite_run(const study_place *p)
{
    const struct CMUnitTest tests[] = {
        IN_STORAGE(studies_are_created_listed_and_erased),
        IN_STORAGE(a_document_must_be_the_same),
        IN_STORAGE(a_study_outlives_the_handle_of_its_storage),
        IN_STORAGE(trials_are_those_of_one_process),
        IN_STORAGE(reports_are_checked),
        IN_STORAGE(failures_are_told),
        IN_STORAGE(a_worker_gets_its_trials_back),
        IN_STORAGE(pulls_are_one_trial),
        IN_STORAGE(steps_are_reported_and_judged),
        IN_STORAGE(several_objectives_have_a_front),
        IN_STORAGE(the_best_keeps_to_constraints),
        IN_STORAGE(a_queued_point_comes_first),
        IN_STORAGE(failed_points_are_queued_once_more),
        IN_STORAGE(a_failed_trial_is_deleted),
        IN_STORAGE(an_import_is_all_or_none),
        IN_STORAGE(leases_are_renewed_and_pass_on),
        IN_STORAGE(trials_are_listed_by_state_and_number),
        IN_STORAGE(events_are_read_since_any),
        IN_STORAGE(a_coordinator_pauses_a_study),
        IN_STORAGE(threads_share_a_handle),
        IN_STORAGE(handles_share_a_study),
        IN_STORAGE(structs_may_grow),
    };
    place = p;
    return cmocka_run_group_tests_name(p->name, tests, NULL, NULL);
}
