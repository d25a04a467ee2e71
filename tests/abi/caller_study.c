/* caller_study.c - a program of an earlier version, as caller.c is: documents and studies. */
#include "caller.h"

#include <tacit/document.h>
#include <tacit/release.h>
#include <tacit/study.h>

#include <math.h>

#define DOCUMENT(name, direction, algorithm)                                                       \
    "{\"name\": \"" name "\", \"direction\": \"" direction "\", \"trials\": 9, \"seed\": 1,"       \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {" algorithm "}}"
#define PLAIN   DOCUMENT("s", "maximize", "\"name\": \"random\"")
#define PULLS   DOCUMENT("b", "maximize", "\"name\": \"blin\", \"low\": -1, \"high\": 3")
#define PRIVATE DOCUMENT("l", "maximize", "\"name\": \"ldp-tgp\", \"reply\": \"onebit\"")
#define SEVERAL                                                                                    \
    "{\"name\": \"m\", \"objectives\": {\"error\": \"minimize\", \"gain\": \"maximize\"}, "        \
    "\"constraints\": {\"memory\": {\"min\": 1, \"max\": 2}}, \"algorithm\": \"random\", "         \
    "\"space\": "                                                                                  \
    "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}"
#define URL "sqlite:///study.db"

static void numbers(void)
{
    NUMBER(TACIT_TRIAL_ANY, 0);
    NUMBER(TACIT_TRIAL_WAITING, 1);
    NUMBER(TACIT_TRIAL_RUNNING, 2);
    NUMBER(TACIT_TRIAL_COMPLETE, 3);
    NUMBER(TACIT_TRIAL_FAIL, 4);
    NUMBER(TACIT_TRIAL_STALE, 5);
    NUMBER(TACIT_REPORT_VALUE, 1);
    NUMBER(TACIT_REPORT_REPLY, 2);
    NUMBER(TACIT_REPORT_FAILED, 3);
    NUMBER(TACIT_REPORT_PULLS, 4);
    NUMBER(TACIT_REPORT_BATCH, 5);
    NUMBER(TACIT_STUDY_RUNNING, 1);
    NUMBER(TACIT_STUDY_PAUSED, 2);
    NUMBER(TACIT_STUDY_CLOSED, 3);
    NUMBER(TACIT_LIST_NAMES, 1);
    NUMBER(TACIT_LIST_SUMMARIES, 2);
    NUMBER(TACIT_AGENTS_MOST, 16777216);
    NUMBER(TACIT_OBJECTIVES_MOST, 4);
    NUMBER(TACIT_CONSTRAINTS_MOST, 16);
    NUMBER(TACIT_LEASE_LEAST_S, 1);
    NUMBER(TACIT_LEASE_MOST_S, 2592000);
    CHECK(TACIT_UNKNOWN == UINT64_MAX);
    SAME(tacit_trial_state_name(TACIT_TRIAL_WAITING), "WAITING");
    SAME(tacit_trial_state_name(TACIT_TRIAL_RUNNING), "RUNNING");
    SAME(tacit_trial_state_name(TACIT_TRIAL_COMPLETE), "COMPLETE");
    SAME(tacit_trial_state_name(TACIT_TRIAL_FAIL), "FAIL");
    SAME(tacit_trial_state_name(TACIT_TRIAL_STALE), "STALE");
    CHECK(tacit_trial_state_name((tacit_trial_state)1000) == NULL);
}

/* ---- document.h */

static tacit_document *parse(const char *text)
{
    tacit_document *d = NULL;
    GOOD(tacit_document_parse(&d, text, &err));
    return d;
}

static void documents(void)
{
    tacit_document *d = parse(PLAIN), *again = NULL, *pulls = parse(PULLS);
    double low = 0, high = 0;
    char *text = NULL;
    SAME(tacit_document_name(d), "s");
    SAME(tacit_document_algorithm(d), "random");
    CHECK(tacit_document_maximizes(d) && tacit_document_trials(d) == 9);
    CHECK(tacit_document_agents(d) == 0 && tacit_space_params(tacit_document_space(d)) == 1);
    tacit_document_range(d, &low, &high);
    CHECK(isinf(low) && low < 0 && isinf(high) && high > 0);
    tacit_document_range(pulls, &low, &high);
    CHECK(low == -1 && high == 3);
    GOOD(tacit_document_text(d, &text, &err));
    GOOD(tacit_document_restore(&again, text, NULL, &err));
    GOOD(tacit_document_same(again, d, &err));
    FAILS(tacit_document_same(again, pulls, &err), TACIT_E_STATE);
    FAILS(tacit_document_parse(&again, "{\"name\": 1}", &err), TACIT_E_ARG);
    tacit_text_free(text);
    tacit_document_free(again);
    tacit_document_free(pulls);
    tacit_document_free(d);
}

static void documents_of_files_and_replies(void)
{
    tacit_document *d = NULL;
    FILE *file = fopen("study.json", "w");
    CHECK(file != NULL && fputs(PRIVATE, file) >= 0 && fclose(file) == 0);
    FAILS(tacit_document_read(&d, "no-such-file.json", &err), TACIT_E_NOT_FOUND);
    GOOD(tacit_document_read(&d, "study.json", &err));
    CHECK(tacit_document_takes_replies(d));
    FAILS(tacit_document_check_reply(d, 0.1234567, &err), TACIT_E_ARG);
    tacit_document_free(d);
    d = parse(PLAIN);
    CHECK(!tacit_document_takes_replies(d));
    GOOD(tacit_document_check_reply(d, 0.1234567, &err));
    GOOD(tacit_document_check_import(d, &err));
    FAILS(tacit_document_plan_evaluations(d, 4, &err), TACIT_E_ARG);
    tacit_document_free(d);
    d = parse("{\"name\": \"f\", \"direction\": \"minimize\", \"trials\": 3, \"space\": {\"x\": "
              "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": "
              "\"fts\"}, \"federation\": {\"agents\": 4}, \"privacy\": \"none\"}");
    CHECK(tacit_document_agents(d) == 4 && !tacit_document_maximizes(d));
    tacit_document_free(d);
}

/* ---- study.h: a storage and its studies */

static void make_studies(void)
{
    tacit_storage_opts opts = TACIT_STORAGE_OPTS;
    tacit_storage *st = NULL;
    tacit_study *s = NULL;
    tacit_document *d = parse(PLAIN), *other = parse(PULLS);
    CHECK(opts.size == sizeof opts && !opts.create && opts.threads == 0);
    FAILS(tacit_storage_open(&st, URL, &opts, &err), TACIT_E_NOT_FOUND);
    opts.create = true;
    opts.threads = 1;
    GOOD(tacit_storage_open(&st, URL, &opts, &err));
    GOOD(tacit_study_create_in(&s, st, d, &err));
    SAME(tacit_study_name(s), "s");
    tacit_study_close(s);
    FAILS(tacit_study_open_in(&s, st, "b", &err), TACIT_E_NOT_FOUND);
    GOOD(tacit_study_create_from(&s, URL, other, NULL, &err));
    SAME(tacit_document_algorithm(tacit_study_document(s)), "blin");
    SAME(tacit_space_param_name(tacit_study_space(s), 0), "x");
    tacit_study_close(s);
    GOOD(tacit_study_open_in(&s, st, "b", &err));
    tacit_storage_close(st);
    tacit_study_close(s);
    FAILS(
        tacit_study_create(&s, URL, DOCUMENT("s", "minimize", "\"name\": \"random\""), NULL, &err),
        TACIT_E_STATE);
    tacit_document_free(d);
    tacit_document_free(other);
}

static void list_studies(void)
{
    tacit_storage *st = NULL;
    tacit_studies *list = NULL;
    GOOD(tacit_storage_open(&st, URL, NULL, &err));
    GOOD(tacit_storage_list(st, TACIT_LIST_NAMES, &list, &err));
    CHECK(tacit_studies_count(list) == 2 && tacit_studies_get(list, 2) == NULL);
    SAME(tacit_studies_get(list, 1)->name, "b");
    CHECK(tacit_studies_get(list, 0)->algorithm == NULL); /* names alone */
    tacit_studies_free(list);
    GOOD(tacit_storage_list(st, TACIT_LIST_SUMMARIES, &list, &err));
    MADE(tacit_studies_get(list, 0));
    SAME(tacit_studies_get(list, 0)->algorithm, "random");
    CHECK(tacit_studies_get(list, 0)->complete == 1);
    tacit_studies_free(list);
    GOOD(tacit_storage_erase(st, "b", &err));
    FAILS(tacit_storage_erase(st, "b", &err), TACIT_E_NOT_FOUND);
    tacit_storage_close(st);
}

static void back_up(void)
{
    tacit_storage *st = NULL;
    tacit_backup_info info = TACIT_BACKUP_INFO;
    GOOD(tacit_storage_open(&st, URL, NULL, &err));
    GOOD(tacit_storage_backup(st, "backup.db", &info, &err));
    CHECK(info.size == sizeof info && info.studies == 1 && info.made_ms > 0);
    FAILS(tacit_storage_backup(st, "backup.db", NULL, &err), TACIT_E_CONFLICT);
    tacit_storage_close(st);
}

/* ---- study.h: trials */

static uint64_t count(tacit_study *s, tacit_trial_state state)
{
    tacit_trial_query query = TACIT_TRIAL_QUERY;
    tacit_trials *list = NULL;
    CHECK(query.size == sizeof query && query.state == TACIT_TRIAL_ANY);
    query.state = state;
    GOOD(tacit_study_trials(s, &query, &list, &err));
    size_t n = tacit_trials_count(list);
    tacit_trials_free(list);
    return n;
}

static void check_told(tacit_study *s, uint64_t number, double at, double value)
{
    tacit_trial *t = NULL;
    GOOD(tacit_study_trial(s, number, &t, &err));
    MADE(t);
    CHECK(t->number == number && t->state == TACIT_TRIAL_COMPLETE && t->pulls == 1);
    CHECK(t->values[0] == at && t->value == value && t->worker == NULL && t->reason == NULL);
    CHECK(t->asked_ms > 0 && t->told_ms >= t->asked_ms && t->lease_ms == 0);
    tacit_trial_free(t);
}

/* Trial 6 is the best one, and nothing says that values are noisy. */
static void recommend(tacit_study *s)
{
    tacit_recommendation *r = NULL;
    GOOD(tacit_study_recommend(s, TACIT_BY_AUTO, &r, &err));
    CHECK(r->size >= sizeof *r && r->by == TACIT_BY_SEEN && r->trial->number == 6);
    CHECK(r->mean != r->mean && r->sd != r->sd && r->because[0]);
    SAME(tacit_recommend_by_name(r->by), "seen");
    SAME(tacit_recommend_by_name(TACIT_BY_MODEL), "model");
    tacit_recommendation_free(r);
}

/* Trial 0 is queued, 1 fails. */
static void ask_and_tell(tacit_study *s)
{
    const double wanted = 0.25;
    uint64_t trial = 9;
    double x = 0;
    tacit_trial *t = NULL;
    FAILS(tacit_study_best(s, &t, &err), TACIT_E_STATE);
    GOOD(tacit_study_enqueue(s, &wanted, &trial, &err));
    CHECK(trial == 0 && count(s, TACIT_TRIAL_WAITING) == 1);
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    CHECK(trial == 0 && x == wanted && count(s, TACIT_TRIAL_RUNNING) == 1);
    GOOD(tacit_study_tell(s, 0, 7, &err));
    check_told(s, 0, wanted, 7);
    FAILS(tacit_study_tell(s, 0, 8, &err), TACIT_E_STATE);
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    GOOD(tacit_study_fail(s, trial, "no power", &err));
    GOOD(tacit_study_trial(s, 1, &t, &err));
    CHECK(t->state == TACIT_TRIAL_FAIL && isnan(t->value));
    SAME(t->reason, "no power");
    tacit_trial_free(t);
}

/* The points of all that failed, last of all: the journal is read before. */
static void run_again(tacit_study *s)
{
    uint64_t queued = 9;
    GOOD(tacit_study_rerun_failed(s, &queued, &err));
    CHECK(queued > 0 && queued < 9 && count(s, TACIT_TRIAL_WAITING) == queued);
    GOOD(tacit_study_rerun_failed(s, &queued, &err));
    CHECK(queued == 0);
}

/* Trial 1, which is in no list then. */
static void delete_one(tacit_study *s)
{
    const uint64_t all = count(s, TACIT_TRIAL_ANY);
    FAILS(tacit_study_delete_trial(s, 0, &err), TACIT_E_STATE);
    GOOD(tacit_study_delete_trial(s, 1, &err));
    CHECK(count(s, TACIT_TRIAL_ANY) == all - 1 && count(s, TACIT_TRIAL_DELETED) == 1);
}

static void check_event(const tacit_event *e)
{
    MADE(e);
    CHECK(e->time_ms > 0 && e->body[0] == '{');
    if (e->seq == 1)
        SAME(e->kind, "enqueue");
    if (e->seq == 4) {
        SAME(e->kind, "ask");
        CHECK(e->trial == 1);
    }
}

static tacit_status visit(void *user, const tacit_event *e, tacit_error *error)
{
    uint64_t *last = user;
    CHECK(e->seq == *last + 1);
    check_event(e);
    *last = e->seq;
    if (*last < 5)
        return TACIT_OK;
    return refuse("enough", TACIT_E_CANCELLED, error);
}

static void read_journal(tacit_study *s)
{
    tacit_event_visit from = visit;
    uint64_t last = 0;
    FAILS(tacit_study_events(s, 0, from, &last, &err), TACIT_E_CANCELLED);
    CHECK(last == 5);
    FAILS(tacit_study_events(s, 1000, from, &last, &err), TACIT_E_CONFLICT);
}

/* Trials 2 to 4: of workers. */
static void leases(tacit_study *s)
{
    tacit_ask_opts ask = TACIT_ASK_OPTS;
    tacit_trials *got = NULL;
    tacit_trial *t = NULL;
    int64_t until = 0, now = 0;
    CHECK(ask.size == sizeof ask && ask.pulls == 0);
    ask.count = (uint64_t)TACIT_ASK_MOST + 1;
    FAILS(tacit_study_ask_many(s, &ask, &got, &err), TACIT_E_ARG);
    ask.count = 3;
    ask.worker = "ann";
    ask.lease_ms = 60000;
    GOOD(tacit_study_ask_many(s, &ask, &got, &err));
    CHECK(tacit_trials_count(got) == 3 && tacit_trials_get(got, 3) == NULL);
    CHECK(tacit_trials_get(got, 1)->number == 3);
    tacit_trials_free(got);
    tacit_study_keep_time(s);
    GOOD(tacit_study_now(s, &now, &err));
    GOOD(tacit_study_renew(s, 2, "ann", 90000, &until, &err));
    CHECK(until > now + 60000);
    FAILS(tacit_study_renew(s, 2, "bob", 90000, NULL, &err), TACIT_E_STATE);
    GOOD(tacit_study_take_over(s, 2, "ann", "bob", 80000, &t, &err));
    CHECK(t->number == 2);
    tacit_trial_free(t);
    GOOD(tacit_study_trial(s, 2, &t, &err));
    SAME(t->worker, "bob");
    CHECK(t->state == TACIT_TRIAL_RUNNING && t->lease_ms == 80000);
    tacit_trial_free(t);
    GOOD(tacit_study_requeue(s, 4, &err));
    CHECK(count(s, TACIT_TRIAL_STALE) == 1);
}

/* Trials 2 to 4 again, and 5 and 6 from elsewhere. */
static void reports(tacit_study *s)
{
    const double points[2] = {0.125, 0.5}, values[2] = {1, 9};
    tacit_report r = TACIT_REPORT;
    tacit_trial *t = NULL;
    CHECK(r.size == sizeof r && r.kind == TACIT_REPORT_VALUE && r.batch.pulls == 0 &&
          !(r.noise_sd > 0));
    r.value = 3;
    r.point = &points[1];
    GOOD(tacit_study_report(s, 2, &r, &err));
    GOOD(tacit_study_trial(s, 2, &t, &err));
    CHECK(t->values[0] == 0.5 && t->value == 3);
    tacit_trial_free(t);
    r.kind = TACIT_REPORT_FAILED;
    r.point = NULL;
    r.reason = "why not";
    GOOD(tacit_study_report(s, 3, &r, &err));
    GOOD(tacit_study_trial(s, 3, &t, &err));
    CHECK(t->state == TACIT_TRIAL_FAIL);
    SAME(t->reason, "why not");
    tacit_trial_free(t);
    GOOD(tacit_study_import(s, 2, points, values, &err));
    GOOD(tacit_study_best(s, &t, &err));
    CHECK(t->number == 6 && t->value == 9 && t->values[0] == 0.5);
    tacit_trial_free(t);
    recommend(s);
}

static void summaries(tacit_study *s)
{
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_trial_query query = TACIT_TRIAL_QUERY;
    tacit_trials *list = NULL;
    GOOD(tacit_study_summarize(s, &sum, &err));
    CHECK(sum.size == sizeof sum && sum.state == TACIT_STUDY_RUNNING && sum.planned == 9);
    SAME(sum.name, "s");
    SAME(sum.algorithm, "random");
    SAME(sum.direction, "maximize");
    CHECK(sum.complete == 4 && sum.failed == 2 && sum.finished == 6);
    CHECK(sum.running <= 1 && sum.best_trial == 6 && sum.best == 9);
    query.first = 3;
    query.limit = 2;
    GOOD(tacit_study_trials(s, &query, &list, &err));
    CHECK(tacit_trials_count(list) == 2 && tacit_trials_get(list, 0)->number == 3);
    tacit_trials_free(list);
    CHECK(count(s, TACIT_TRIAL_ANY) == 7);
}

static void trials(void)
{
    tacit_study *s = NULL;
    GOOD(tacit_study_create(&s, "memory:", PLAIN, NULL, &err));
    ask_and_tell(s);
    leases(s);
    reports(s);
    summaries(s);
    read_journal(s);
    run_again(s);
    delete_one(s);
    FAILS(tacit_study_set_state(s, TACIT_STUDY_PAUSED, &err), TACIT_E_UNSUPPORTED);
    tacit_study_set_patience(s, 1, 1);
    CHECK(!tacit_study_is_away(s));
    tacit_study_close(s);
}

static void outcomes(void)
{
    static const double told[2][3] = {{3, 5, 1.5}, {2, 4, 4}};
    const double reference[2] = {4, 4};
    tacit_study *s = NULL;
    tacit_outcome of = TACIT_OUTCOME;
    tacit_report r = TACIT_REPORT;
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_trial *t = NULL;
    tacit_trials *list = NULL;
    uint64_t trial = 0;
    double x = 0, volume = 0;
    GOOD(tacit_study_create(&s, "memory:", SEVERAL, NULL, &err));
    const tacit_document *d = tacit_study_document(s);
    CHECK(tacit_document_objectives(d) == 2 && tacit_document_outcomes(d) == 3);
    GOOD(tacit_document_outcome(d, 1, &of, &err));
    SAME(of.name, "gain");
    CHECK(of.size == sizeof of && of.objective && of.maximize);
    GOOD(tacit_document_outcome(d, 2, &of, &err));
    CHECK(!of.objective && of.low == 1 && of.high == 2 && isnan(of.reference));
    FAILS(tacit_document_outcome(d, 3, &of, &err), TACIT_E_ARG);
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    FAILS(tacit_study_tell(s, trial, 1, &err), TACIT_E_ARG);
    GOOD(tacit_study_tell_outcomes(s, trial, told[0], &err));
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    r.outcomes = told[1];
    r.n_outcomes = 3;
    GOOD(tacit_study_report(s, trial, &r, &err));
    GOOD(tacit_study_trial(s, trial, &t, &err));
    CHECK(t->n_outcomes == 3 && t->outcomes[1] == 4 && !t->feasible && t->violation == 1);
    tacit_trial_free(t);
    GOOD(tacit_study_front(s, &list, &err));
    CHECK(tacit_trials_count(list) == 1 && tacit_trials_get(list, 0)->feasible);
    tacit_trials_free(list);
    FAILS(tacit_study_hypervolume(s, NULL, &volume, &err), TACIT_E_ARG);
    GOOD(tacit_study_hypervolume(s, reference, &volume, &err));
    CHECK(fabs(volume - 1) < 1e-12);
    GOOD(tacit_study_summarize(s, &sum, &err));
    CHECK(sum.objectives == 2 && sum.feasible == 1 && sum.front == 1);
    FAILS(tacit_study_best(s, &t, &err), TACIT_E_UNSUPPORTED);
    GOOD(tacit_study_import_outcomes(s, 1, &x, told[0], &err));
    tacit_study_close(s);
}

static uint64_t ask_pulls(tacit_study *s, uint64_t most)
{
    tacit_ask_opts ask = TACIT_ASK_OPTS;
    tacit_trials *got = NULL;
    ask.pulls = most;
    GOOD(tacit_study_ask_many(s, &ask, &got, &err));
    uint64_t number = tacit_trials_get(got, 0)->number;
    CHECK(tacit_trials_get(got, 0)->pulls == 2);
    tacit_trials_free(got);
    return number;
}

/* Rewards of [-1, 3] count as [0, 1]: 1 is a half. */
/* A trial that is ended early, beside two that are not. */
static void intermediate_values(void)
{
    static const char document[] =
        "{\"name\": \"steps\", \"direction\": \"minimize\", \"trials\": 9,"
        " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
        " \"algorithm\": {\"name\": \"random\"}}";
    tacit_study *s;
    tacit_trial *t;
    uint64_t trial;
    double x;
    tacit_prune rule = TACIT_PRUNE;
    tacit_verdict v = TACIT_VERDICT;
    tacit_report r = TACIT_REPORT;
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    CHECK(rule.size == sizeof rule && rule.rule == TACIT_PRUNE_NONE && v.size == sizeof v);
    SAME(tacit_prune_rule_name(TACIT_PRUNE_MEDIAN), "median");
    GOOD(tacit_study_create(&s, "memory:", document, NULL, &err));
    rule.rule = TACIT_PRUNE_ASHA;
    rule.warmup = 1;
    rule.min_trials = 2;
    rule.min_step = 2;
    rule.factor = 2;
    for (int i = 0; i < 2; i++) {
        GOOD(tacit_study_ask(s, &trial, &x, &err));
        GOOD(tacit_study_report_step(s, trial, 2, 1 + i, &rule, &v, &err));
        CHECK(v.stop == (uint64_t)i && v.step == 2 && v.value == 1 + i);
    }
    CHECK(v.bound == 1 && v.compared == 2);
    r.kind = TACIT_REPORT_PRUNED;
    GOOD(tacit_study_report(s, trial, &r, &err));
    GOOD(tacit_study_trial(s, trial, &t, &err));
    CHECK(t->state == TACIT_TRIAL_PRUNED && t->n_steps == 1);
    SAME(t->reason, "pruned at step 2 with 2");
    const tacit_step *step = t->steps;
    CHECK(step->step == 2 && step->value == 2);
    tacit_trial_free(t);
    GOOD(tacit_study_summarize(s, &sum, &err));
    CHECK(sum.pruned == 1 && sum.finished == 1);
    rule.rule = TACIT_PRUNE_MEDIAN;
    FAILS(tacit_study_report_step(s, 0, 3, 1, &rule, &v, &err), TACIT_E_ARG);
    tacit_study_close(s);
}

static void batches(void)
{
    const double pulls[2] = {1, 3};
    tacit_batch b = {0, 0, 0};
    tacit_report r = TACIT_REPORT;
    tacit_study *s = NULL;
    tacit_trial *t = NULL;
    GOOD(tacit_study_create(&s, "memory:", PULLS, NULL, &err));
    GOOD(tacit_study_add_pull(s, &b, pulls[0], &err));
    CHECK(b.pulls == 1 && b.sum == 1 << 27 && b.squares == 1 << 26);
    GOOD(tacit_study_add_pull(s, &b, pulls[1], &err));
    r.kind = TACIT_REPORT_BATCH;
    r.batch = b;
    uint64_t number = ask_pulls(s, 2);
    GOOD(tacit_study_report(s, number, &r, &err));
    GOOD(tacit_study_trial(s, number, &t, &err));
    CHECK(t->pulls == 2 && fabs(t->value - 2) < 1e-6);
    tacit_trial_free(t);
    r.kind = TACIT_REPORT_PULLS;
    r.pulls = pulls;
    r.n_pulls = 2;
    number = ask_pulls(s, 2);
    GOOD(tacit_study_report(s, number, &r, &err));
    GOOD(tacit_study_trial(s, number, &t, &err));
    CHECK(t->pulls == 2 && fabs(t->value - 2) < 1e-6);
    tacit_trial_free(t);
    tacit_study_close(s);
}

/* In a storage of this process nobody can tell a reply from a value; caller_net.c has a coordinator's. */
static void replies(void)
{
    tacit_report r = TACIT_REPORT;
    tacit_study *s = NULL;
    uint64_t trial = 0;
    double x = 0;
    GOOD(tacit_study_create(&s, "memory:", PLAIN, NULL, &err));
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    r.value = 0.5;
    r.kind = (tacit_report_kind)1000;
    FAILS(tacit_study_report(s, trial, &r, &err), TACIT_E_ARG);
    r.kind = TACIT_REPORT_REPLY;
    GOOD(tacit_study_report(s, trial, &r, &err));
    check_told(s, trial, x, 0.5);
    tacit_study_close(s);
}

/* ---- study.h: repair */

/* Changes one letter of this text where the file has it. */
static void damage(const char *name, const char *text)
{
    static char bytes[1 << 20];
    FILE *file = fopen(name, "r+b");
    size_t length = strlen(text), n = file ? fread(bytes, 1, sizeof bytes, file) : 0, found = 0;
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(bytes + i, text, length) == 0 && ++found)
            CHECK(fseek(file, (long)i, SEEK_SET) == 0 && fputc('#', file) == '#');
    CHECK(found > 0);
    CHECK(file != NULL && fclose(file) == 0);
}

static void take_line(void *user, const char *line)
{
    *(int *)user += strstr(line, "kept.jsonl") != NULL;
}

static void repair(void)
{
    tacit_repair_opts opts = TACIT_REPAIR_OPTS;
    tacit_repair_info info = TACIT_REPAIR_INFO;
    tacit_study *s = NULL;
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    int named = 0;
    opts.keep = "kept.jsonl";
    opts.say = take_line;
    opts.user = &named;
    CHECK(opts.size == sizeof opts && info.size == sizeof info);
    GOOD(tacit_storage_repair(URL, "s", &opts, &info, &err));
    CHECK(!info.damaged && info.lost == 0 && named == 0);
    damage("study.db", "0.71828125");
    GOOD(tacit_study_open(&s, URL, "s", NULL, &err));
    FAILS(tacit_study_summarize(s, &sum, &err), TACIT_E_CORRUPT);
    tacit_study_close(s);
    GOOD(tacit_storage_repair(URL, "s", &opts, &info, &err));
    CHECK(info.damaged && info.kept >= 1 && info.lost == 1 && named == 1);
}

static void storages(void)
{
    tacit_study *s = NULL;
    uint64_t trial = 0;
    double x = 0;
    make_studies();
    GOOD(tacit_study_open(&s, URL, "s", NULL, &err));
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    GOOD(tacit_study_tell(s, trial, 0.71828125, &err));
    tacit_study_close(s);
    list_studies();
    back_up();
    repair();
}

int main(void)
{
    numbers();
    documents();
    documents_of_files_and_replies();
    storages();
    trials();
    outcomes();
    batches();
    intermediate_values();
    replies();
    return report("caller_study");
}
