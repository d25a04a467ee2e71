/* caller_worker.c - a program of an earlier version, as caller.c is: workers, and users of local privacy. The home
 * folder must be empty, too: the user's ledger is made there (support/empty_folder). */
#include "caller.h"

#include <tacit/release.h>
#include <tacit/records.h>
#include <tacit/user.h>
#include <tacit/worker.h>

#include <math.h>
#include <time.h>

#define SPACE "\"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}"
#define PLAIN                                                                                      \
    "{\"name\": \"w\", \"direction\": \"minimize\", \"trials\": 4, \"seed\": 3, " SPACE            \
    ", \"algorithm\": {\"name\": \"random\"}}"
#define PULLS                                                                                      \
    "{\"name\": \"b\", \"direction\": \"maximize\", \"trials\": 4, \"seed\": 3, " SPACE            \
    ", \"algorithm\": {\"name\": \"blin\", \"low\": 0, \"high\": 1}}"
#define PRIVATE                                                                                    \
    "{\"name\": \"doses\", \"direction\": \"maximize\", \"trials\": 8, " SPACE                     \
    ", \"algorithm\": {\"name\": \"ldp-tgp\", \"epsilon\": 1, \"reply\": \"onebit\", \"bound\": "  \
    "1, \"noise_bound\": 1, \"answers\": 3}}"

static void numbers(void)
{
    NUMBER(TACIT_WORKER_STANDING, 1);
    NUMBER(TACIT_WORKER_STARTED, 2);
    NUMBER(TACIT_WORKER_TOLD, 3);
    NUMBER(TACIT_WORKER_UNTOLD, 4);
    NUMBER(TACIT_WORKER_NOTE, 5);
    NUMBER(TACIT_WORKER_FAILED, 0);
    NUMBER(TACIT_WORKER_ENOUGH, 1);
    NUMBER(TACIT_WORKER_ANSWERED, 2);
    NUMBER(TACIT_WORKER_TIME, 3);
    NUMBER(TACIT_WORKER_STOPPED, 4);
    NUMBER(TACIT_WORKER_FAILURES, 5);
    NUMBER(TACIT_WORKER_CLOSED, 6);
    CHECK(TACIT_CONSENT_EPSILON == 10.0);
    SAME(TACIT_USER_LEDGER, "replies");
}

static tacit_study *make_study(const char *document)
{
    tacit_study *s = NULL;
    GOOD(tacit_study_create(&s, "memory:", document, NULL, &err));
    return s;
}

/* ---- worker.h */

/* What a worker is to do, and what it has done. */
typedef struct scene {
    tacit_study *study;
    bool fails, tells, stops, cancels, spins, kept;
    int called, standing, started, told, untold, notes;
    tacit_report_kind kind; /* of the last report */
} scene;

static tacit_status evaluate(void *user, uint64_t trial, const double *values, double *value,
                             tacit_error *error)
{
    scene *s = user;
    s->called++;
    *value = values[0];
    for (clock_t begin = clock(); s->spins && clock() - begin < CLOCKS_PER_SEC / 50;)
        continue;
    if (s->tells) /* before the worker does, which then cannot */
        GOOD(tacit_study_tell(s->study, trial, 0.5, &err));
    if (s->cancels)
        return TACIT_E_CANCELLED;
    if (!s->fails)
        return TACIT_OK;
    return refuse("no data", TACIT_E_NUMERIC, error);
}

static void listen(void *user, const tacit_worker_event *e)
{
    scene *s = user;
    MADE(e);
    switch (e->kind) {
    case TACIT_WORKER_STANDING:
        CHECK(e->summary && e->summary->size >= sizeof *e->summary && e->summary->planned > 0);
        CHECK(e->report == NULL);
        s->standing++;
        break;
    case TACIT_WORKER_STARTED:
        CHECK(e->trial < 8 && e->summary == NULL && e->report == NULL);
        s->started++;
        break;
    case TACIT_WORKER_TOLD:
        CHECK(e->report && e->report->size >= sizeof *e->report && e->text == NULL);
        s->kind = e->report ? e->report->kind : (tacit_report_kind)0;
        s->told++;
        break;
    case TACIT_WORKER_UNTOLD:
        CHECK(e->report != NULL && e->text && *e->text);
        s->untold++;
        break;
    case TACIT_WORKER_NOTE:
        CHECK(e->text && *e->text);
        s->notes++;
        break;
    }
}

static bool stop(void *user)
{
    const scene *s = user;
    return s->stops && s->called > 0;
}

static tacit_worker_opts opts_of(scene *s)
{
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    CHECK(o.size == sizeof o);
    o.evaluate = evaluate;
    o.stop = stop;
    o.listen = listen;
    o.user = s;
    return o;
}

/* Runs a study of its own with these options and returns how it ended. */
static tacit_worker_end run(scene *s, tacit_worker_opts *o, const char *document,
                            tacit_status expected)
{
    tacit_worker_result r = TACIT_WORKER_RESULT;
    CHECK(r.size == sizeof r && r.end == TACIT_WORKER_FAILED);
    s->study = make_study(document);
    CHECK(tacit_worker_run(s->study, o, &r, &err) == expected);
    CHECK(r.told == (uint64_t)s->told);
    tacit_study_close(s->study);
    return r.end;
}

/* Reports that it has come to 1, and is ended for it. */
static tacit_status evaluate_trial(void *user, tacit_evaluation *e, tacit_error *error)
{
    scene *s = user;
    CHECK(e->size == sizeof *e && e->trial < 4 && e->values[0] >= 0 && e->n_outcomes == 1);
    s->called++;
    e->outcomes[0] = 1;
    e->pruned = s->kept ? 0 : 1;
    return tacit_study_report_step(s->study, e->trial, 1, e->outcomes[0], NULL, NULL, error);
}

static void steps(void)
{
    tacit_evaluate_trial f = evaluate_trial;
    tacit_prune rule = TACIT_PRUNE;
    tacit_document *d = NULL;
    scene s = {0};
    tacit_worker_opts o = opts_of(&s);
    o.evaluate = NULL;
    o.evaluate_trial = f;
    CHECK(run(&s, &o, PLAIN, TACIT_OK) == TACIT_WORKER_ENOUGH);
    CHECK(s.called == 4 && s.told == 4 && s.kind == TACIT_REPORT_PRUNED);
    GOOD(tacit_document_parse(&d, PLAIN, &err));
    o.prune = &rule; /* is for programs */
    FAILS(tacit_worker_check(d, &o, &err), TACIT_E_ARG);
    tacit_document_free(d);
}

static void functions(void)
{
    tacit_evaluate f = evaluate;
    scene all = {0}, two = {0}, threads = {0}, failing = {0}, alike = {0}, pulled = {0};
    tacit_worker_opts o = opts_of(&all);
    o.evaluate = f;
    CHECK(run(&all, &o, PLAIN, TACIT_OK) == TACIT_WORKER_ENOUGH);
    CHECK(all.called == 4 && all.started == 4 && all.told == 4 && all.standing > 0);
    CHECK(all.kind == TACIT_REPORT_VALUE);
    scene given = {.kept = true};
    o = opts_of(&given);
    o.evaluate = NULL;
    o.evaluate_trial = evaluate_trial;
    CHECK(run(&given, &o, PLAIN, TACIT_OK) == TACIT_WORKER_ENOUGH && given.told == 4);
    o = opts_of(&two);
    o.trials = 2;
    o.lease_ms = 60000;
    o.alone = true;
    o.any_choices = true;
    CHECK(run(&two, &o, PLAIN, TACIT_OK) == TACIT_WORKER_ENOUGH && two.told == 2);
    o = opts_of(&threads);
    o.jobs = 2;
    CHECK(run(&threads, &o, PLAIN, TACIT_OK) == TACIT_WORKER_ENOUGH && threads.told == 4);
    failing.fails = true;
    o = opts_of(&failing);
    o.max_failures = 3;
    CHECK(run(&failing, &o, PLAIN, TACIT_E_STATE) == TACIT_WORKER_FAILURES);
    CHECK(failing.told == 3 && failing.kind == TACIT_REPORT_FAILED);
    o = opts_of(&alike);
    alike.fails = true;
    CHECK(o.max_alike == 3);
    CHECK(run(&alike, &o, PLAIN, TACIT_E_STATE) == TACIT_WORKER_FAILURES && alike.told == 3);
    o = opts_of(&pulled);
    o.pulls = 2;
    CHECK(run(&pulled, &o, PULLS, TACIT_OK) == TACIT_WORKER_ENOUGH);
    CHECK(pulled.called == 4 && pulled.told < 4 && pulled.kind == TACIT_REPORT_BATCH);
}

static void ends(void)
{
    scene stopped = {0}, cancelled = {0}, first = {0}, slow = {0};
    stopped.stops = true;
    tacit_worker_opts o = opts_of(&stopped);
    CHECK(run(&stopped, &o, PLAIN, TACIT_E_CANCELLED) == TACIT_WORKER_STOPPED);
    CHECK(stopped.told == 1);
    cancelled.cancels = true;
    o = opts_of(&cancelled);
    CHECK(run(&cancelled, &o, PLAIN, TACIT_E_CANCELLED) == TACIT_WORKER_STOPPED);
    first.tells = true;
    o = opts_of(&first);
    CHECK(run(&first, &o, PLAIN, TACIT_OK) == TACIT_WORKER_ENOUGH);
    CHECK(first.notes >= 4 && first.told == 0 && first.untold == 0); /* caller_net.c has UNTOLD */
    slow.spins = true;
    o = opts_of(&slow);
    o.time_ms = 1;
    CHECK(run(&slow, &o, PLAIN, TACIT_OK) == TACIT_WORKER_TIME && slow.told <= 1);
}

static void programs(void)
{
    char echo[] = "echo", value[] = "{x}", nowhere[] = "no-such-program-of-tacit", all[] = "sleep",
         seconds[] = "600";
    char *const command[] = {echo, value, NULL}, *const absent[] = {nowhere, NULL},
                *const slow[] = {all, seconds, NULL};
    scene s = {0}, timed = {0};
    tacit_worker_opts o = opts_of(&s);
    tacit_document *d = NULL;
    o.evaluate = NULL;
    GOOD(tacit_document_parse(&d, PLAIN, &err));
    FAILS(tacit_worker_check(d, &o, &err), TACIT_E_ARG); /* nothing evaluates */
    o.command = absent;
    FAILS(tacit_worker_check(d, &o, &err), TACIT_E_NOT_FOUND);
    o.command = command;
    GOOD(tacit_worker_check(d, &o, &err));
    CHECK(run(&s, &o, PLAIN, TACIT_OK) == TACIT_WORKER_ENOUGH);
    CHECK(s.called == 0 && s.told == 4 && s.kind == TACIT_REPORT_VALUE);
    o = opts_of(&timed);
    o.evaluate = NULL;
    o.command = slow;
    o.trials = 1;
    o.timeout_ms = 10;
    CHECK(run(&timed, &o, PLAIN, TACIT_OK) == TACIT_WORKER_ENOUGH);
    CHECK(timed.kind == TACIT_REPORT_FAILED);
    tacit_document_free(d);
}

/* ---- user.h */

static void take_note(void *user, const char *text)
{
    *(int *)user += strstr(text, "ann") != NULL;
}

static void users(void)
{
    tacit_study *s = make_study(PRIVATE), *plain = make_study(PLAIN);
    tacit_user_opts opts = TACIT_USER_OPTS;
    tacit_user *ann = NULL;
    tacit_trial *t = NULL;
    uint64_t trial = 0;
    double x = 0, reply = 0, again = 0;
    int notes = 0;
    char *storage = NULL;
    CHECK(opts.size == sizeof opts && opts.ledger_storage == NULL);
    FAILS(tacit_user_ledger(&storage, &err), TACIT_E_NOT_FOUND);
    FAILS(tacit_user_open(&ann, plain, "ann", NULL, &err), TACIT_E_ARG);
    opts.agreed = true;
    opts.note = take_note;
    opts.user = &notes;
    GOOD(tacit_user_open(&ann, s, "ann", &opts, &err));
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    FAILS(tacit_user_recall(ann, trial, &reply, &err), TACIT_E_NOT_FOUND);
    GOOD(tacit_user_reply(ann, trial, 0.5, &reply, &err));
    CHECK(fabs(fabs(reply) - 4.32795) < 1e-4 && notes == 0);
    GOOD(tacit_user_reply(ann, trial, -0.5, &again, &err));
    CHECK(again == reply && notes > 0);
    GOOD(tacit_user_recall(ann, trial, &again, &err));
    CHECK(again == reply);
    GOOD(tacit_user_tell(ann, trial, 0.5, &err));
    GOOD(tacit_study_trial(s, trial, &t, &err));
    CHECK(t->state == TACIT_TRIAL_COMPLETE && t->value == reply);
    tacit_trial_free(t);
    GOOD(tacit_user_ledger(&storage, &err));
    SAYS(storage, "replies.db");
    tacit_text_free(storage);
    tacit_user_close(ann);
    tacit_study_close(s);
    tacit_study_close(plain);
}

/* ---- records.h */

#define RECORDS                                                                                    \
    "{\"name\": \"kept\", \"direction\": \"minimize\", \"trials\": 3, \"space\": {\"x\": "         \
    "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": \"random\", \"privacy\": "    \
    "{\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, \"metric\": \"auc\"}}"

static void records(void)
{
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    tacit_study *s = NULL;
    tacit_document *d = NULL;
    tacit_trial *t = NULL;
    char *text = NULL;
    uint64_t trial = 0;
    double x = 0;
    CHECK(o.size == sizeof o && o.test_seed == -1 && o.ledger == NULL && o.ledger_storage == NULL &&
          o.trainer == NULL);
    GOOD(tacit_document_parse(&d, RECORDS, &err));
    CHECK(tacit_document_protects_records(d));
    FAILS(tacit_records_check(d, &o, &err), TACIT_E_ARG);
    o.records = 4000;
    o.class_floor = 1000;
    o.per_person = 2;
    o.low = 0;
    o.high = 1;
    o.sensitivity = 0;
    o.ledger = "ward";
    o.ledger_storage = "sqlite:///ward.db";
    o.epsilon = 2;
    o.delta = 1e-5;
    o.trainer = "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 20}";
    FAILS(tacit_records_check(d, &o, &err), TACIT_E_ARG); /* not with several records of a person */
    o.trainer = NULL;
    GOOD(tacit_records_check(d, &o, &err));
    GOOD(tacit_study_create_from(&s, "memory:", d, NULL, &err));
    FAILS(tacit_study_ask(s, &trial, &x, &err), TACIT_E_STATE);
    CHECK(tacit_study_noise_sd(s) <= 0);
    GOOD(tacit_study_protect(s, &o, &err));
    CHECK(fabs(tacit_study_noise_sd(s) - 3.7306 * sqrt(3.0) * 0.002) < 1e-5);
    GOOD(tacit_study_protection(s, &text, &err));
    SAYS(text, "epsilon 1, delta 1e-05");
    tacit_text_free(text);
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    GOOD(tacit_study_tell(s, trial, 0.5, &err));
    GOOD(tacit_study_trial(s, trial, &t, &err));
    CHECK(t->value > 0.4 && t->value < 0.6);
    tacit_trial_free(t);
    tacit_study_close(s);
    tacit_document_free(d);
}

/* Another user, with a ledger of another storage, who may give three answers. */
static void a_user_works(void)
{
    tacit_user_opts opts = TACIT_USER_OPTS;
    tacit_user *bob = NULL;
    tacit_worker_result r = TACIT_WORKER_RESULT;
    scene s = {0};
    tacit_worker_opts o = opts_of(&s);
    opts.ledger_storage = "sqlite:///bob.db";
    s.study = make_study(PRIVATE);
    FAILS(tacit_worker_run(s.study, &o, &r, &err), TACIT_E_ARG); /* replies need a user */
    GOOD(tacit_user_open(&bob, s.study, "bob", &opts, &err));
    o.as = bob;
    GOOD(tacit_worker_run(s.study, &o, &r, &err));
    CHECK(r.end == TACIT_WORKER_ANSWERED && r.told == 3 && s.kind == TACIT_REPORT_REPLY);
    FAILS(tacit_worker_run(s.study, &o, &r, &err), TACIT_E_BUDGET);
    CHECK(r.end == TACIT_WORKER_FAILED && r.told == 0);
    tacit_user_close(bob);
    tacit_study_close(s.study);
}

int main(void)
{
    numbers();
    functions();
    steps();
    ends();
    programs();
    users();
    records();
    a_user_works();
    return report("caller_worker");
}
