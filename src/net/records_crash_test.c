/* records_crash_test.c - studies that protect records, on a store that dies at every call, reading or writing, before the
 * call and after it. What dies is opened again on what the store has, and the same program goes on.
 *
 * An observer sees each value that leaves: told to the journal, shown to the caller, sent in a message. A trial has at
 * most one value, ever; it is in the ledger, and was paid for, when it leaves; charges are no fewer than
 * values; the ledger keeps to the promise; and the study is complete in the end. Noise is real, and an evaluation yields another
 * raw value each time, so whatever is drawn twice is seen to be. */
#include <tacit/records.h>
#include <tacit/worker.h>

#include "support/coord_world.h"
#include "support/crash_store.h"

#include "agent/agent.h"
#include "privacy/record_ledger.h"
#include "study/handle.h"

#include <math.h>
#include <stdio.h>

enum {
    TRIALS = 4,
    SHARE = 2,
    EVALUATIONS = TRIALS * (1 + SHARE),
    AGENTS = 2,
    ROUNDS_MOST = 64,
    LIVES_MOST = 2000
};

#define EPSILON 1.0
#define DELTA   1e-5
/* No more than four values at epsilon 1 and four trainings, whose noise is 20 / 2 for replacing a record, come to. */
#define WITH_TRAININGS 1.2759

/* ---- the observer ---- */

typedef struct observer {
    tc_store *disk;
    const char *ledger;
    tacit_hash place;       /* of the study's evaluations */
    bool known;             /* the place is */
    bool left[EVALUATIONS]; /* last values of trials first, then the share of each trial */
    double value[EVALUATIONS];
    bool steps;   /* trials have intermediate values */
    double limit; /* of the ledger, where trainings are charged, too; else 0 */
    tacit_hash message[ROUNDS_MOST];
    bool sent[ROUNDS_MOST];
    uint64_t raw; /* evaluations so far */
} observer;

static tc_ledger *open_ledger(const observer *o)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(o->disk, o->ledger, false, &io, &err));
    assert_ok(tc_ledger_open(&l, o->ledger, &io, &err));
    return l;
}

static uint64_t count_left(const observer *o)
{
    uint64_t n = 0;
    for (size_t i = 0; i < EVALUATIONS; i++)
        n += o->left[i];
    return n;
}

static uint64_t count_charges(const observer *o, const tc_ledger *l, const char *mechanism)
{
    uint64_t n = 0;
    for (uint64_t i = tc_ledger_get_head(l).seq; i > 0; i--) {
        const tc_ledger_entry *e = tc_ledger_get(l, i, NULL);
        n += e->event.count > 0 && tc_ledger_hash_same(&e->study, &o->place) &&
             strcmp(e->mechanism, mechanism) == 0;
    }
    return n;
}

static void check_spent(const observer *o, const tc_ledger *l)
{
    tacit_error err = {0};
    tc_ledger_claim claim;
    uint64_t charges = count_charges(o, l, "reserved"), trained = count_charges(o, l, "training");
    assert_true(charges >= count_left(o) && charges <= (o->steps ? EVALUATIONS : TRIALS));
    assert_true(o->limit > 0 ? trained >= charges && trained <= TRIALS : trained == 0);
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_RECORD, NULL, DELTA, &tc_accountant_gaussian,
                                  &claim, &err));
    assert_true(claim.is_private);
    assert_int_equal(claim.entries, charges + trained);
    assert_true(charges == 0 || claim.bound.epsilon <= (o->limit > 0 ? o->limit : EPSILON));
}

/* A value leaves, now. */
static void see_value(observer *o, uint64_t trial, double value)
{
    tacit_error err = {0};
    tc_ledger_receipt paid;
    double released;
    assert_true(trial < EVALUATIONS && o->known);
    if (o->left[trial])
        assert_same_bits(value, o->value[trial]);
    o->left[trial] = true;
    o->value[trial] = value;
    tc_ledger *l = open_ledger(o);
    assert_ok(tc_ledger_find(l, &o->place, 2 * trial, &paid, &err)); /* the reservation */
    assert_true(tc_ledger_get(l, paid.head.seq, NULL)->event.count == 1);
    tc_ledger_receipt_fini(&paid);
    assert_ok(tc_record_find(l, &o->place, trial, &released, &err));
    assert_same_bits(value, released);
    check_spent(o, l);
    tc_ledger_close(l);
}

/* A round has one message, however often it is sent. */
static void see_message(observer *o, const tc_call *call)
{
    const char *at = strstr(call->path, "/rounds/");
    unsigned long long round;
    if (strcmp(call->method, "POST") != 0 || !at || !strstr(at, "/messages"))
        return;
    assert_int_equal(sscanf(at, "/rounds/%llu/", &round), 1);
    assert_true(round < ROUNDS_MOST);
    tacit_hash hash = tc_hash_bytes(call->body, call->n_body);
    if (o->sent[round])
        assert_memory_equal(&hash, &o->message[round], sizeof hash);
    o->sent[round] = true;
    o->message[round] = hash;
}

/* What the journal has is told. Returns how many trials are complete. */
static uint64_t see_journal(observer *o, const char *name)
{
    tacit_error err = {0};
    tc_study *s;
    const tc_optimizer *opt;
    uint64_t complete = 0;
    tacit_status status = tc_study_open(&s, o->disk, name, NULL, &err);
    if (status == TACIT_E_NOT_FOUND)
        return 0;
    assert_ok(status);
    assert_ok(tc_study_look(s, &opt, &err));
    for (uint64_t t = 0; t < tc_optimizer_trials(opt); t++) {
        const tc_trial *trial = tc_optimizer_trial(opt, t);
        assert_true(trial->state != TC_TRIAL_FAIL);
        complete += trial->state == TC_TRIAL_PRUNED;
        for (size_t i = 0; i < trial->n_steps; i++)
            see_value(o, TRIALS + t * SHARE + i, trial->steps[i].value);
        if (trial->state != TC_TRIAL_COMPLETE)
            continue;
        see_value(o, t, trial->value);
        complete++;
    }
    tc_study_unlook(s);
    tc_study_close(s);
    return complete;
}

static void learn_place(observer *o, const tacit_study *s)
{
    tacit_hash study;
    tc_store *store;
    s->ops->identify(s, &study, &store);
    o->place = tc_record_guard_place(&study);
    o->known = true;
}

/* ---- the program ---- */

/* Trial 1 fails, whenever it is evaluated. */
static tacit_status evaluate(void *user, uint64_t trial, const double *values, double *value,
                             tacit_error *err)
{
    observer *o = user;
    (void)values;
    *value = 0.2 + 1e-4 * (double)++o->raw;
    return trial == 1 ? tc_fail(err, TACIT_E_NUMERIC, "no convergence") : TACIT_OK;
}

static void listen(void *user, const tacit_worker_event *e)
{
    if (e->kind == TACIT_WORKER_TOLD || e->kind == TACIT_WORKER_UNTOLD)
        see_value(user, e->trial, e->report->value);
}

static tacit_status work(tacit_study *s, observer *o, uint64_t trials, tacit_error *err)
{
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    w.evaluate = evaluate;
    w.listen = listen;
    w.user = o;
    w.trials = trials;
    w.alone = true;
    return tacit_worker_run(s, &w, NULL, err);
}

/* Two intermediate values, and then the last one; trial 2 is ended early. */
static tacit_status in_steps(tacit_study *s, observer *o, uint64_t trial, tacit_error *err)
{
    tacit_report pruned = TACIT_REPORT;
    pruned.kind = TACIT_REPORT_PRUNED;
    for (uint64_t i = 0; i < SHARE; i++) {
        tacit_verdict v = TACIT_VERDICT;
        const double raw = 0.2 + 1e-4 * (double)++o->raw;
        TC_TRY(tacit_study_report_step(s, trial, 3 * (i + 1), raw, NULL, &v, err));
        see_value(o, TRIALS + trial * SHARE + i, v.value);
    }
    return trial == 2 ? tacit_study_report(s, trial, &pruned, err)
                      : tacit_study_tell(s, trial, 0.2 + 1e-4 * (double)++o->raw, err);
}

/* The same with ask and tell: what a dead self left is taken back first. */
static tacit_status by_hand(tacit_study *s, observer *o, tacit_error *err)
{
    tacit_trial_query running = TACIT_TRIAL_QUERY;
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    tacit_trials *left;
    running.state = TACIT_TRIAL_RUNNING;
    TC_TRY(tacit_study_trials(s, &running, &left, err));
    tacit_status status = TACIT_OK;
    for (size_t i = 0; status == TACIT_OK && i < tacit_trials_count(left); i++)
        status = tacit_study_requeue(s, tacit_trials_get(left, i)->number, err);
    tacit_trials_free(left);
    TC_TRY(status);
    TC_TRY(tacit_study_summarize(s, &now, err));
    while (now.finished < TRIALS) {
        uint64_t trial;
        double x, y;
        TC_TRY(tacit_study_ask(s, &trial, &x, err));
        tacit_error none = {0};
        if (o->steps)
            TC_TRY(in_steps(s, o, trial, err));
        else
            TC_TRY(evaluate(o, trial, &x, &y, &none) == TACIT_OK
                       ? tacit_study_tell(s, trial, y, err)
                       : tacit_study_fail(s, trial, none.msg, err));
        TC_TRY(tacit_study_summarize(s, &now, err));
    }
    return TACIT_OK;
}

/* ---- a study of one party ---- */

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 4, \"seed\": 7, \"space\": {\"x\": "
    "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"random\"}, "
    "\"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, \"metric\": \"error\"}}";

static tacit_status open_study(tc_store *store, bool steps, tc_study **out, tacit_error *err)
{
    tacit_document *doc;
    tacit_status status = tc_study_open(out, store, "s", NULL, err);
    if (status != TACIT_E_NOT_FOUND)
        return status;
    TC_TRY(tacit_document_parse(&doc, document, err));
    status = steps ? tacit_document_plan_evaluations(doc, EVALUATIONS, err) : TACIT_OK;
    if (status == TACIT_OK)
        status = tc_study_create(out, store, doc, NULL, err);
    tacit_document_free(doc);
    return status;
}

static tacit_status go(tacit_study *s, observer *o, bool hand, tacit_error *err)
{
    tacit_records_opts mine = TACIT_RECORDS_OPTS;
    mine.records = 1000;
    if (o->limit > 0) {
        mine.trainer = "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 20}";
        mine.epsilon = o->limit;
        mine.delta = DELTA;
    }
    learn_place(o, s);
    TC_TRY(tacit_study_protect(s, &mine, err));
    return hand ? by_hand(s, o, err) : work(s, o, 0, err);
}

static tacit_status live(tc_store *store, observer *o, bool hand, tacit_error *err)
{
    tc_study *study;
    tacit_study *s;
    TC_TRY(open_study(store, o->steps, &study, err));
    assert_int_equal(tc_study_lend(&s, study, err), TACIT_OK);
    tacit_status status = go(s, o, hand, err);
    tacit_study_close(s);
    tc_study_close(study);
    return status;
}

static tc_store *memory_store(void)
{
    tacit_error err = {0};
    tc_store *s;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    return s;
}

typedef struct plan {
    uint64_t at;  /* the call of the first life at which it ends */
    bool further; /* the next life ends, too, one call later than this one did; and so on */
    bool after;   /* the last write happens */
    bool hand, trains, steps;
} plan;

/* Returns how often it died. */
static uint64_t play(const plan *p)
{
    crash_store store;
    uint64_t deaths = 0, at = p->at;
    tacit_error err = {0};
    crash_init(&store, memory_store());
    store.after = p->after;
    store.at_call = at;
    observer o = {.disk = store.disk,
                  .ledger = "records",
                  .steps = p->steps,
                  .limit = p->trains ? WITH_TRAININGS : 0};
    tacit_status status;
    while ((status = live(&store.base, &o, p->hand, &err)) != TACIT_OK) {
        if (!store.dead)
            fail_msg("call %d: %s", (int)at, err.msg);
        assert_true(++deaths < LIVES_MOST);
        if (o.known)
            (void)see_journal(&o, "s");
        crash_restart(&store);
        at++;
        store.at_call = p->further ? store.calls + at : 0;
    }
    assert_int_equal(see_journal(&o, "s"), TRIALS);
    assert_int_equal(count_left(&o), p->steps ? EVALUATIONS - 1 : TRIALS); /* one was ended early */
    crash_fini(&store);
    return deaths;
}

static void at_every_call_of(const plan *kind)
{
    for (int after = 0; after < 2; after++) {
        plan p = *kind;
        p.at = 1;
        p.after = after;
        while (play(&p) > 0)
            p.at++;
        assert_true(p.at > 30);
        print_message("%d calls\n", (int)p.at - 1);
        p.at = 1;
        p.further = true;
        uint64_t deaths = play(&p);
        assert_true(deaths > 10);
        print_message("%d lives\n", (int)deaths + 1);
    }
}

static void at_every_call(bool hand, bool trains)
{
    at_every_call_of(&(plan){.hand = hand, .trains = trains});
}

/* Between the charge of an intermediate value and its release, too: it is drawn once, and a run that begins again is told it. */
static void intermediate_values_die_at_every_call(void **state)
{
    (void)state;
    at_every_call_of(&(plan){.hand = true, .steps = true});
}

static void a_worker_dies_at_every_call(void **state)
{
    (void)state;
    at_every_call(false, false);
}

static void ask_and_tell_die_at_every_call(void **state)
{
    (void)state;
    at_every_call(true, false);
}

/* Charges of a training are as good as those of a value: the training's come first. */
static void trainings_are_paid_for_at_every_call(void **state)
{
    (void)state;
    at_every_call(false, true);
    at_every_call(true, true);
}

/* ---- an agent of a federation ---- */

typedef struct party {
    struct world *of;
    crash_store store;
    tc_agent *agent;
    tacit_study *study;
    observer seen;
} party;

typedef struct world {
    coord_world w;
    tc_store *store; /* the coordinator's */
    char token[64];
    party parties[AGENTS];
} world;

static tacit_status carry(void *user, const tc_call *call, int *status, tc_text *body,
                          tacit_error *err)
{
    party *a = user;
    bool closes;
    (void)err;
    see_message(&a->seen, call);
    world_carry(&a->of->w, call, status, body, &closes);
    if (closes)
        world_tick(&a->of->w);
    return TACIT_OK;
}

static tacit_status join_study(party *a, tacit_error *err)
{
    static const tc_metric_terms terms = {.high = 1, .records = 1000};
    tc_record_guard *guard;
    tc_agent_config cfg = {.store = &a->store.base,
                           .transport = {carry, a},
                           .study = "s",
                           .join_token = a->of->token,
                           .ledger = "mine",
                           .records = &terms};
    TC_TRY(tc_agent_open(&a->agent, &cfg, err));
    assert_int_equal(tc_study_lend(&a->study, tc_agent_study(a->agent), err), TACIT_OK);
    learn_place(&a->seen, a->study);
    TC_TRY(tc_agent_guard(a->agent, &guard, err));
    tc_study_set_guard(a->study, guard);
    return TACIT_OK;
}

static void leave(party *a)
{
    tacit_study_close(a->study);
    tc_agent_close(a->agent);
    a->study = NULL;
    a->agent = NULL;
}

static tacit_status step(party *a, tc_agent_next *next, tacit_error *err)
{
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    if (!a->agent)
        TC_TRY(join_study(a, err));
    TC_TRY(tc_agent_step(a->agent, 0, next, err));
    if (*next != TC_AGENT_TRIAL)
        return TACIT_OK;
    TC_TRY(tacit_study_summarize(a->study, &now, err));
    return work(a->study, &a->seen, now.finished + 1, err);
}

/* False: it is done. */
static bool turn(party *a, uint64_t *deaths, const plan *p)
{
    tacit_error err = {0};
    tc_agent_next next = TC_AGENT_WAIT;
    tacit_status status = step(a, &next, &err);
    if (status == TACIT_OK)
        return next != TC_AGENT_DONE;
    if (!a->store.dead)
        fail_msg("%s", err.msg);
    leave(a);
    assert_true(++*deaths < LIVES_MOST);
    if (a->seen.known)
        (void)see_journal(&a->seen, "s");
    crash_restart(&a->store);
    a->store.at_call = p->further ? a->store.calls + p->at + *deaths : 0;
    return true;
}

static void begin(world *v, const char *algorithm, const plan *p)
{
    char text[640];
    snprintf(text, sizeof text,
             "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 4, \"seed\": 7, "
             "\"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": "
             "{\"name\": %s}, \"federation\": {\"agents\": 2}, \"privacy\": {\"unit\": \"record\", "
             "\"epsilon\": 1, \"delta\": 1e-5, \"metric\": \"error\"}}",
             algorithm);
    *v = (world){.w = {.now_ms = 1000}, .store = memory_store()};
    world_open(&v->w, v->store, 7);
    world_create(&v->w, "s", text);
    world_join_token(&v->w, AGENTS, v->token);
    for (size_t i = 0; i < AGENTS; i++) {
        party *a = &v->parties[i];
        a->of = v;
        crash_init(&a->store, memory_store());
        a->seen = (observer){.disk = a->store.disk, .ledger = "mine"};
    }
    v->parties[1].store.at_call = p->at;
    v->parties[1].store.after = p->after;
}

static uint64_t play_federation(const char *algorithm, const plan *p)
{
    world *v = tc_alloc(1, sizeof *v);
    uint64_t deaths = 0;
    assert_non_null(v);
    begin(v, algorithm, p);
    for (bool any = true; any;) {
        any = false;
        for (size_t i = 0; i < AGENTS; i++)
            any |= turn(&v->parties[i], &deaths, p);
        world_tick(&v->w);
    }
    for (size_t i = 0; i < AGENTS; i++) {
        party *a = &v->parties[i];
        assert_int_equal(see_journal(&a->seen, "s"), TRIALS);
        assert_true(a->seen.sent[0]);
        leave(a);
        crash_fini(&a->store);
    }
    tc_coord_free(v->w.coord);
    tc_store_close(v->store);
    tc_free(v);
    return deaths;
}

static void federate(const char *algorithm)
{
    for (int after = 0; after < 2; after++) {
        plan p = {.at = 1, .after = after};
        while (play_federation(algorithm, &p) > 0)
            p.at++;
        assert_true(p.at > 60);
        print_message("%d calls\n", (int)p.at - 1);
        p = (plan){.at = 1, .further = true, .after = after};
        assert_true(play_federation(algorithm, &p) > 10);
    }
}

static void an_agent_of_sums_dies_at_every_call(void **state)
{
    (void)state;
    federate("\"dp-fts-de\", \"features\": 8, \"initial\": 2");
}

/* Its messages are the values themselves. */
static void an_agent_of_values_dies_at_every_call(void **state)
{
    (void)state;
    federate("\"fts\", \"initial\": 2, \"mode\": \"general\", \"message\": \"values\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_dies_at_every_call),
        cmocka_unit_test(ask_and_tell_die_at_every_call),
        cmocka_unit_test(intermediate_values_die_at_every_call),
        cmocka_unit_test(trainings_are_paid_for_at_every_call),
        cmocka_unit_test(an_agent_of_sums_dies_at_every_call),
        cmocka_unit_test(an_agent_of_values_dies_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
