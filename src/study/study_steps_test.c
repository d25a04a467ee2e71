/* study_steps_test.c - intermediate values in the journal: they survive a crash at any write, cost no reading of the
 * whole journal, hold up no ask, change no proposal, and are refused where they would tell too much. */
#include "support/counted_scans.h"
#include "support/crash_store.h"

static uint64_t ask(tc_study *s, const char *worker)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    assert_ok(tc_study_ask(s, worker, 0, &trial, &x, &err));
    return trial;
}

static tc_prune settled(tc_prune p)
{
    tacit_error err = {0};
    assert_ok(tc_prune_settle(&p, &err));
    return p;
}

/* ---- crashes ---- */

enum { TRIALS = 9, STEPS = 3 };

static double at_step(uint64_t trial, uint64_t step)
{
    return (double)((trial * 5) % 7) + 1.0 / (double)step;
}

/* How a trial stands; false: there is none. */
static bool look_at(tc_study *s, uint64_t trial, tc_trial *out)
{
    tacit_error err = {0};
    const tc_optimizer *o;
    assert_ok(tc_study_look(s, &o, &err));
    const tc_trial *t = tc_optimizer_trial(o, trial);
    if (t)
        *out = *t; /* its steps stay until the next look */
    tc_study_unlook(s);
    return t != NULL;
}

/* One trial to its end, or to a failure of the store. */
static tacit_status run_trial(tc_study *s, uint64_t trial, const tc_prune *p, tacit_error *err)
{
    for (uint64_t step = 1; step <= STEPS; step++) {
        tc_verdict v;
        const tc_step at = {step, at_step(trial, step)};
        TC_TRY(tc_study_report_step(s, trial, &at, p, &v, err));
        if (v.stop)
            return tc_study_prune(s, trial, NULL, 0, err);
    }
    return tc_study_tell(s, trial, NULL, at_step(trial, STEPS), err);
}

/* What is open is run again from its beginning, under the same number: then come new ones. */
static tacit_status run_all(tc_study *s, const tc_prune *p, tacit_error *err)
{
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        const tc_optimizer *o;
        TC_TRY(tc_study_look(s, &o, err));
        const tc_trial *t = tc_optimizer_trial(o, trial);
        bool told = t && tc_trial_state_is_told(t->state), asked = t != NULL;
        tc_study_unlook(s);
        uint64_t number = trial;
        double x;
        if (!asked)
            TC_TRY(tc_study_ask(s, "w", 0, &number, &x, err));
        assert_int_equal(number, trial);
        if (!told)
            TC_TRY(run_trial(s, trial, p, err));
    }
    return TACIT_OK;
}

/* All trials with their states and curves, bit for bit. */
static void fingerprint(tc_study *s, tc_text *out)
{
    out->len = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        tc_trial t;
        assert_true(look_at(s, trial, &t));
        tc_text_addf(out, "%d %a %a:", (int)t.state, t.values[0], t.value);
        for (size_t i = 0; i < t.n_steps; i++)
            tc_text_addf(out, " %llu=%a", (unsigned long long)t.steps[i].step, t.steps[i].value);
        tc_text_add(out, "\n");
    }
    assert_false(out->failed);
}

static void crash_everywhere(tc_prune_rule rule, size_t least_pruned)
{
    const tc_prune p = settled((tc_prune){.rule = rule, .min_trials = 3});
    tc_text expected = {0}, got = {0};
    uint64_t calls = 0;
    for (uint64_t at = 0; at == 0 || at <= calls; at++) {
        tacit_error err = {0};
        tc_store *disk;
        crash_store store;
        assert_ok(tc_store_open(&disk, "memory:", true, &err));
        crash_init(&store, disk);
        tc_study *s = make_study(&store.base);
        uint64_t before = store.calls;
        store.at_call = at ? before + at : 0;
        store.after = at % 2;
        tacit_status status = run_all(s, &p, &err);
        if (at == 0) {
            assert_ok(status);
            calls = store.calls - before;
            fingerprint(s, &expected);
        } else if (status != TACIT_OK) { /* the process is dead, another one goes on */
            tc_study_close(s);
            crash_restart(&store);
            store.at_call = 0;
            assert_ok(tc_study_open(&s, &store.base, "s", NULL, &err));
            assert_ok(run_all(s, &p, &err));
        }
        fingerprint(s, &got);
        assert_string_equal(tc_text_get(&got), tc_text_get(&expected));
        const tc_optimizer *o;
        assert_ok(tc_study_look(s, &o, &err));
        assert_true(tc_optimizer_count(o, TC_TRIAL_PRUNED) >= least_pruned);
        assert_true(tc_optimizer_count(o, TC_TRIAL_COMPLETE) >= 3);
        tc_study_unlook(s);
        tc_study_close(s);
        crash_fini(&store);
    }
    assert_true(calls > 80); /* was every one tried? */
    tc_text_fini(&expected);
    tc_text_fini(&got);
}

static void no_crash_changes_anything(void **state)
{
    (void)state;
    crash_everywhere(TC_PRUNE_MEDIAN, 2);
    crash_everywhere(TC_PRUNE_ASHA, 2);
}

/* ---- what it costs ---- */

typedef struct counted {
    uint64_t events;
} counted;

static tacit_status count_event(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)err;
    counted *c = user;
    c->events++;
    assert_true(e->kind != TC_EVENT_FIT);
    return TACIT_OK;
}

/* Two readings of what is new, however long the journal is, and no fit. The same report again is no event. */
static void a_report_reads_what_is_new(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_prune p = settled((tc_prune){.rule = TC_PRUNE_MEDIAN});
    tc_store *store = open_counted("memory:");
    tc_study *s = make_study(store);
    tc_verdict v;
    uint64_t trial = ask(s, NULL);
    for (uint64_t step = 1; step <= 1000; step++) {
        uint64_t before = scans;
        assert_ok(tc_study_report_step(s, trial, &(tc_step){step, 1}, &p, &v, &err));
        assert_int_equal(scans - before, 2);
        assert_ok(tc_study_report_step(s, trial, &(tc_step){step, 1}, &p, &v, &err));
    }
    counted c = {0};
    assert_ok(tc_store_scan(store, 1, 0, count_event, &c, &err));
    assert_int_equal(c.events, 1001);
    tc_study_close(s);
    tc_store_close(store);
}

/* An ask is proposed, another worker reports, and the ask is stored as it was proposed. A report of the trial that is
 * being renewed is in the way, and both get through. */
static void reports_hold_up_no_ask(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store = open_counted("memory:");
    tc_study *s = make_study(store);
    uint64_t trial = ask(s, "w");
    const char *report = "{\"step\":1,\"value\":2}", *asked = "{\"params\":{\"x\":0.5}}";
    const tc_event_row reported = {.kind = TC_EVENT_REPORT, .trial = trial, .body = report};
    const tc_event_row next = {.kind = TC_EVENT_ASK, .trial = 1, .body = asked};
    const tc_event_row stale = {.kind = TC_EVENT_STALE, .trial = trial, .body = "{}"};
    uint64_t head;
    tc_append a = {.study = 1, .head = 1, .events = &reported, .n = 1};
    assert_ok(tc_store_append(store, &a, &head, &err));
    a.events = &stale;
    assert_fails(tc_store_append(store, &a, &head, &err), TACIT_E_CONFLICT, "moved");
    a.events = &next;
    assert_ok(tc_store_append(store, &a, &head, &err));
    assert_int_equal(head, 3);
    tc_study_close(s);
    tc_store_close(store);
}

/* The next proposals are those that there would have been without the reports. */
static void reports_change_no_proposal(void **state)
{
    (void)state;
    double x[2][6];
    for (int with = 0; with < 2; with++) {
        tacit_error err = {0};
        const tc_prune p = settled((tc_prune){.rule = TC_PRUNE_NONE});
        tc_store *store = open_counted("memory:");
        tc_study *s = make_study(store);
        for (uint64_t i = 0; i < 6; i++) {
            uint64_t trial;
            tc_verdict v;
            assert_ok(tc_study_ask(s, NULL, 0, &trial, &x[with][i], &err));
            for (uint64_t step = 0; with && step < 5; step++)
                assert_ok(tc_study_report_step(s, trial, &(tc_step){step, 3.5}, &p, &v, &err));
            assert_ok(tc_study_tell(s, trial, NULL, x[with][i] * x[with][i], &err));
        }
        tc_study_close(s);
        tc_store_close(store);
    }
    for (int i = 0; i < 6; i++)
        assert_same_bits(x[1][i], x[0][i]);
}

/* ---- taken up again ---- */

/* A lease that is renewed, and one that passes on, leave the curve; the next report of an earlier step begins it anew. */
static void a_trial_that_is_run_again_begins_its_curve_again(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_prune p = settled((tc_prune){.rule = TC_PRUNE_NONE});
    tc_store *store = open_counted("memory:");
    tc_study *s = make_study(store);
    tc_verdict v;
    tc_trial t;
    uint64_t trial = ask(s, "dead");
    for (uint64_t step = 1; step <= 4; step++)
        assert_ok(tc_study_report_step(s, trial, &(tc_step){step, 5}, &p, &v, &err));
    assert_ok(tc_study_reclaim(s, trial, &(tc_claim){.from = "dead", .to = "alive"}, &err));
    assert_true(look_at(s, trial, &t));
    assert_int_equal(t.n_steps, 4);
    assert_ok(tc_study_report_step(s, trial, &(tc_step){1, 6}, &p, &v, &err));
    assert_true(look_at(s, trial, &t));
    assert_int_equal(t.n_steps, 1);
    assert_same_bits(t.steps[0].value, 6);
    assert_ok(tc_study_requeue(s, trial, &err));
    assert_ok(tc_study_report_step(s, trial, &(tc_step){2, 7}, &p, &v, &err)); /* STALE, and late */
    assert_ok(tc_study_prune(s, trial, NULL, 0, &err));
    assert_true(look_at(s, trial, &t));
    assert_int_equal(t.state, TC_TRIAL_PRUNED);
    assert_int_equal(t.steps[t.n_steps - 1].step, 2);
    assert_fails(tc_study_report_step(s, trial, &(tc_step){3, 7}, &p, &v, &err), TACIT_E_STATE,
                 "trial 0 was told already: it is PRUNED");
    tc_study_close(s);
    tc_store_close(store);
}

/* ---- refusals ---- */

static void assert_refused(const char *rest, const char *why)
{
    tacit_error err = {0};
    tacit_study *s;
    tc_text text = {0};
    tc_text_addf(&text,
                 "{\"name\": \"r\", \"direction\": \"minimize\", \"trials\": 50, \"seed\": 5,"
                 " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, %s}",
                 rest);
    assert_ok(tacit_study_create(&s, "memory:", tc_text_get(&text), NULL, &err));
    assert_fails(tacit_study_report_step(s, 0, 1, 0.5, NULL, NULL, &err), TACIT_E_UNSUPPORTED, why);
    tacit_study_close(s);
    tc_text_fini(&text);
}

static void studies_that_take_no_steps_say_why(void **state)
{
    (void)state;
    assert_refused("\"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, "
                   "\"metric\": \"error\"}",
                   "study r protects validation records, and each intermediate value is one more "
                   "evaluation of them: it plans 50 for 50 trials; give it \"evaluations\" in "
                   "\"privacy\", 100 for one intermediate value a trial");
    assert_refused("\"algorithm\": {\"name\": \"ldp-tgp\", \"epsilon\": 1}",
                   "study r is told one private reply a trial: an intermediate value would tell "
                   "more, and is refused");
    assert_refused("\"constraints\": {\"c\": {\"max\": 1}}",
                   "study r is told 2 outcomes of a trial: an intermediate value would be of the "
                   "first alone, and is refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_crash_changes_anything),
        cmocka_unit_test(a_report_reads_what_is_new),
        cmocka_unit_test(reports_hold_up_no_ask),
        cmocka_unit_test(reports_change_no_proposal),
        cmocka_unit_test(a_trial_that_is_run_again_begins_its_curve_again),
        cmocka_unit_test(studies_that_take_no_steps_say_why),
    };
    return cmocka_run_group_tests_name("study_steps", tests, make_folder, remove_folder);
}
