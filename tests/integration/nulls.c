/* nulls.c - calls every function of the public headers with NULL in place of each pointer that it needs, one at a time.
 *
 * A call that returns a status must be E_ARG and name the pointer, with and without a tacit_error; one that does not must
 * return NULL, 0 or false. Each call has a process of its own, so that a crash is one failure of many. nulls_test.sh
 * runs it in an empty folder, and sees that no function is left out. */
#include <tacit/agent.h>
#include <tacit/algorithms.h>
#include <tacit/build.h>
#include <tacit/coordinator.h>
#include <tacit/experimental/audit.h>
#include <tacit/experimental/curator.h>
#include <tacit/experimental/search.h>
#include <tacit/experimental/simulate.h>
#include <tacit/experimental/surrogate.h>
#include <tacit/net.h>
#include <tacit/optimizer.h>
#include <tacit/plan.h>
#include <tacit/tacit.h>
#include <tacit/trustee.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALL_S = 30 }; /* a call that hangs has failed */

static int calls, failures;

/* True in the process that makes the call. */
static bool begin_call(const char *call)
{
    calls++;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(CALL_S);
        return true;
    }
    int ended = 0;
    if (child < 0 || waitpid(child, &ended, 0) != child) {
        printf("Bail out! no process for %s\n", call);
        exit(1);
    }
    if (WIFSIGNALED(ended))
        printf("not ok - %s: signal %d\n", call, WTERMSIG(ended));
    failures += ended != 0;
    return false;
}

static void end_call(bool good, const char *call, const char *got)
{
    if (!good)
        printf("not ok - %s: got \"%s\"\n", call, got);
    fflush(stdout);
    _exit(good ? 0 : 1);
}

static bool names(const tacit_error *why, const char *missing)
{
    size_t n = strlen(missing);
    return why->code == TACIT_E_ARG && strncmp(why->msg, missing, n) == 0 &&
           strncmp(why->msg + n, " must not be NULL", 17) == 0;
}

/* `call` ends in err, and has NULL for what `missing` names. */
#define REFUSED(missing, call)                                                                     \
    do {                                                                                           \
        if (begin_call(#call)) {                                                                   \
            tacit_error why = {0}, *err = &why;                                                    \
            bool good = (call) == TACIT_E_ARG && names(&why, missing);                             \
            err = NULL;                                                                            \
            end_call(good && (call) == TACIT_E_ARG, #call, why.msg);                               \
        }                                                                                          \
    } while (0)
#define EMPTY(call)                                                                                \
    do {                                                                                           \
        if (begin_call(#call)) {                                                                   \
            end_call(!(call), #call, "something");                                                 \
        }                                                                                          \
    } while (0)
#define HARMLESS(call)                                                                             \
    do {                                                                                           \
        if (begin_call(#call)) {                                                                   \
            call;                                                                                  \
            end_call(true, #call, "");                                                             \
        }                                                                                          \
    } while (0)

/* ---- what calls are about ---- */

static tacit_error error;
#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != TACIT_OK) {                                                                  \
            printf("Bail out! line %d: %s\n", __LINE__, error.msg);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static const char document_text[] =
    "{\"name\": \"one\", \"direction\": \"minimize\", \"trials\": 5,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"random\"}}";
static const char federated_text[] =
    "{\"name\": \"ward\", \"direction\": \"minimize\", \"trials\": 10,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\"}, \"federation\": {\"agents\": 3},"
    " \"privacy\": {\"epsilon\": 8, \"delta\": 1e-5}}";
static const char trusted_text[] =
    "{\"name\": \"trusted\", \"direction\": \"minimize\", \"trials\": 10,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\"}, \"federation\": {\"agents\": 3, \"trustees\": 3},"
    " \"privacy\": {\"epsilon\": 8, \"delta\": 1e-5}}";
static const char replies_text[] =
    "{\"name\": \"doses\", \"direction\": \"maximize\", \"trials\": 5,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"ldp-tgp\", \"epsilon\": 1, \"reply\": \"onebit\", \"bound\": 1}}";

static double x[4] = {0.5, 0.5, 0.5, 0.5};
static size_t sizes[4];
static uint64_t number;
static char room[TACIT_VALUE_SIZE], *text;
static tacit_space *space;
static tacit_document *document, *federated;
static tacit_storage *storage;
static tacit_study *study, *replies;
static tacit_trial *trial;
static tacit_recommendation *found;
static tacit_trials *trials;
static tacit_studies *studies;

static void open_studies(void)
{
    MUST(tacit_space_new(&space, &error));
    MUST(tacit_space_add_float(space, "x", 0, 1, 0, false, &error));
    MUST(tacit_document_parse(&document, document_text, &error));
    MUST(tacit_document_parse(&federated, federated_text, &error));
    MUST(tacit_storage_open(&storage, "memory:", NULL, &error));
    MUST(tacit_study_create_in(&study, storage, document, &error));
    MUST(tacit_study_create(&replies, "memory:", replies_text, NULL, &error));
}

static void close_studies(void)
{
    tacit_study_close(replies);
    tacit_study_close(study);
    tacit_storage_close(storage);
    tacit_document_free(federated);
    tacit_document_free(document);
    tacit_space_free(space);
}

static tacit_status evaluate(void *user, uint64_t n, const double *values, double *value,
                             tacit_error *err)
{
    (void)user;
    (void)n;
    (void)err;
    *value = values[0];
    return TACIT_OK;
}

static tacit_status visit_event(void *user, const tacit_event *event, tacit_error *err)
{
    (void)user;
    (void)event;
    (void)err;
    return TACIT_OK;
}

/* ---- status.h, build.h, space.h, document.h ---- */

static void call_space(void)
{
    const char *const choices[] = {"a", "b"};
    tacit_space *out;
    REFUSED("out", tacit_space_new(NULL, err));
    REFUSED("out", tacit_space_from_json(NULL, "{}", err));
    REFUSED("text", tacit_space_from_json(&out, NULL, err));
    REFUSED("out", tacit_space_from_points(NULL, "points.csv", err));
    REFUSED("file", tacit_space_from_points(&out, NULL, err));
    HARMLESS(tacit_space_free(NULL));
    REFUSED("space", tacit_space_add_float(NULL, "y", 0, 1, 0, false, err));
    REFUSED("name", tacit_space_add_float(space, NULL, 0, 1, 0, false, err));
    REFUSED("space", tacit_space_add_int(NULL, "y", 0, 1, 1, false, err));
    REFUSED("name", tacit_space_add_int(space, NULL, 0, 1, 1, false, err));
    REFUSED("space", tacit_space_add_choice(NULL, "y", 2, choices, err));
    REFUSED("name", tacit_space_add_choice(space, NULL, 2, choices, err));
    REFUSED("choices", tacit_space_add_choice(space, "y", 2, NULL, err));
    REFUSED("space", tacit_space_add_numbers(NULL, "y", 1, x, err));
    REFUSED("name", tacit_space_add_numbers(space, NULL, 1, x, err));
    REFUSED("choices", tacit_space_add_numbers(space, "y", 1, NULL, err));
    REFUSED("space", tacit_space_add_bool(NULL, "y", err));
    REFUSED("name", tacit_space_add_bool(space, NULL, err));
    REFUSED("space", tacit_space_set_ordered(NULL, "y", err));
    REFUSED("name", tacit_space_set_ordered(space, NULL, err));
    REFUSED("space", tacit_space_set_when(NULL, "y", "x", 1, choices, err));
    REFUSED("name", tacit_space_set_when(space, NULL, "x", 1, choices, err));
    REFUSED("parent", tacit_space_set_when(space, "y", NULL, 1, choices, err));
    REFUSED("values", tacit_space_set_when(space, "y", "x", 1, NULL, err));
    REFUSED("space", tacit_space_add_linear(NULL, "x <= 1", err));
    REFUSED("text", tacit_space_add_linear(space, NULL, err));
    EMPTY(tacit_space_linears(NULL));
    EMPTY(tacit_space_linear(NULL, 0));
    EMPTY(tacit_space_linear(space, 0));
    EMPTY(tacit_space_param_parent(NULL, 0) != SIZE_MAX);
    EMPTY(tacit_space_active(NULL, x, 0));
    EMPTY(tacit_space_active(space, NULL, 0));
    EMPTY(tacit_space_active(space, x, 1));
    EMPTY(tacit_space_choice_kind(NULL, 0));
    EMPTY(!isnan(tacit_space_choice_number(NULL, 0, 0)));
    EMPTY(tacit_space_params(NULL));
    EMPTY(tacit_space_param_name(NULL, 0));
    REFUSED("space", tacit_space_check(NULL, x, err));
    REFUSED("values", tacit_space_check(space, NULL, err));
    REFUSED("space", tacit_space_get(NULL, x, "x", x, err));
    REFUSED("values", tacit_space_get(space, NULL, "x", x, err));
    REFUSED("name", tacit_space_get(space, x, NULL, x, err));
    REFUSED("value", tacit_space_get(space, x, "x", NULL, err));
    REFUSED("space", tacit_space_format(NULL, x, "x", room, err));
    REFUSED("values", tacit_space_format(space, NULL, "x", room, err));
    REFUSED("name", tacit_space_format(space, x, NULL, room, err));
    REFUSED("text", tacit_space_format(space, x, "x", NULL, err));
    REFUSED("space", tacit_space_parse(NULL, "x", "0", x, err));
    REFUSED("name", tacit_space_parse(space, NULL, "0", x, err));
    REFUSED("text", tacit_space_parse(space, "x", NULL, x, err));
    REFUSED("values", tacit_space_parse(space, "x", "0", NULL, err));
    EMPTY(tacit_space_columns(NULL));
    EMPTY(tacit_space_column_name(NULL, 0));
    EMPTY(tacit_space_column_name(space, 1));
    EMPTY(tacit_space_column_type(NULL, 0));
    EMPTY(tacit_space_column_type(space, 1));
    EMPTY(!isnan(tacit_space_column_value(NULL, x, 0)));
    EMPTY(!isnan(tacit_space_column_value(space, NULL, 0)));
    EMPTY(!isnan(tacit_space_column_value(space, x, 1)));
    EMPTY(tacit_space_param_log(NULL, 0));
    EMPTY(tacit_space_choice(NULL, 0, 0));
    REFUSED("space", tacit_space_find(NULL, x, sizes, err));
    REFUSED("columns", tacit_space_find(space, NULL, sizes, err));
    REFUSED("point", tacit_space_find(space, x, NULL, err));
}

static void call_document(void)
{
    tacit_document *out;
    HARMLESS(tacit_text_free(NULL));
    HARMLESS(tacit_build_parts(NULL, NULL));
    REFUSED("scheme", tacit_build_module(NULL, room, err));
    REFUSED("version", tacit_build_module("postgresql", NULL, err));
    REFUSED("out", tacit_document_parse(NULL, document_text, err));
    REFUSED("text", tacit_document_parse(&out, NULL, err));
    REFUSED("out", tacit_document_read(NULL, "one.json", err));
    REFUSED("file", tacit_document_read(&out, NULL, err));
    REFUSED("out", tacit_document_restore(NULL, document_text, NULL, err));
    REFUSED("text", tacit_document_restore(&out, NULL, NULL, err));
    HARMLESS(tacit_document_free(NULL));
    EMPTY(tacit_document_name(NULL));
    EMPTY(tacit_document_space(NULL));
    EMPTY(tacit_document_algorithm(NULL));
    EMPTY(tacit_document_maximizes(NULL));
    EMPTY(tacit_document_trials(NULL));
    tacit_outcome outcome = TACIT_OUTCOME;
    EMPTY(tacit_document_objectives(NULL));
    EMPTY(tacit_document_outcomes(NULL));
    REFUSED("d", tacit_document_outcome(NULL, 0, &outcome, err));
    REFUSED("out", tacit_document_outcome(document, 0, NULL, err));
    EMPTY(tacit_document_agents(NULL));
    EMPTY(tacit_document_takes_replies(NULL));
    EMPTY(tacit_document_protects_records(NULL));
    REFUSED("d", tacit_document_check_import(NULL, err));
    REFUSED("d", tacit_document_plan_evaluations(NULL, 4, err));
    REFUSED("d", tacit_document_check_reply(NULL, 0, err));
    HARMLESS(tacit_document_range(NULL, x, x + 1));
    HARMLESS(tacit_document_range(document, NULL, NULL));
    REFUSED("d", tacit_document_text(NULL, &text, err));
    REFUSED("out", tacit_document_text(document, NULL, err));
    REFUSED("stored", tacit_document_same(NULL, document, err));
    REFUSED("given", tacit_document_same(document, NULL, err));
}

/* ---- optimizer.h, algorithms.h, plan.h ---- */

static void call_optimizer(void)
{
    tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
    tacit_optimizer *o, *out;
    opts.direction = TACIT_MINIMIZE;
    MUST(tacit_optimizer_new(&o, space, &opts, &error));
    REFUSED("out", tacit_optimizer_new(NULL, space, &opts, err));
    REFUSED("space", tacit_optimizer_new(&out, NULL, &opts, err));
    REFUSED("opts", tacit_optimizer_new(&out, space, NULL, err));
    HARMLESS(tacit_optimizer_free(NULL));
    REFUSED("o", tacit_optimizer_ask(NULL, &number, x, err));
    REFUSED("trial", tacit_optimizer_ask(o, NULL, x, err));
    REFUSED("values", tacit_optimizer_ask(o, &number, NULL, err));
    REFUSED("o", tacit_optimizer_tell(NULL, 0, 1, err));
    REFUSED("o", tacit_optimizer_tell_at(NULL, 0, x, 1, err));
    REFUSED("values", tacit_optimizer_tell_at(o, 0, NULL, 1, err));
    REFUSED("o", tacit_optimizer_fail(NULL, 0, NULL, err));
    REFUSED("o", tacit_optimizer_add(NULL, x, 0, NULL, err));
    REFUSED("values", tacit_optimizer_add(o, NULL, 0, NULL, err));
    REFUSED("o", tacit_optimizer_tell_outcomes(NULL, 0, x, x, err));
    REFUSED("outcomes", tacit_optimizer_tell_outcomes(o, 0, x, NULL, err));
    REFUSED("o", tacit_optimizer_add_outcomes(NULL, x, x, NULL, err));
    REFUSED("values", tacit_optimizer_add_outcomes(o, NULL, x, NULL, err));
    REFUSED("outcomes", tacit_optimizer_add_outcomes(o, x, NULL, NULL, err));
    REFUSED("o", tacit_optimizer_best(NULL, NULL, NULL, NULL, err));
    tacit_optimizer_free(o);
}

static void call_plan(void)
{
    tacit_plan *out;
    REFUSED("out", tacit_algorithms_new(NULL, NULL, err));
    EMPTY(tacit_algorithms_get(NULL, 0));
    EMPTY(tacit_algorithms_option(NULL, 0, 0));
    HARMLESS(tacit_algorithms_free(NULL));
    REFUSED("out", tacit_plan_new(NULL, federated, err));
    REFUSED("document", tacit_plan_new(&out, NULL, err));
    HARMLESS(tacit_plan_free(NULL));
    REFUSED("p", tacit_plan_cost(NULL, err));
    EMPTY(tacit_plan_summarize(NULL));
    EMPTY(tacit_plan_get(NULL, 0));
}

/* ---- study.h ---- */

static void call_storage(void)
{
    tacit_storage *out;
    REFUSED("out", tacit_storage_open(NULL, "memory:", NULL, err));
    REFUSED("url", tacit_storage_open(&out, NULL, NULL, err));
    HARMLESS(tacit_storage_close(NULL));
    REFUSED("st", tacit_storage_erase(NULL, "one", err));
    REFUSED("name", tacit_storage_erase(storage, NULL, err));
    REFUSED("st", tacit_storage_backup(NULL, "backup.db", NULL, err));
    REFUSED("file", tacit_storage_backup(storage, NULL, NULL, err));
    REFUSED("storage", tacit_storage_repair(NULL, "one", NULL, NULL, err));
    REFUSED("name", tacit_storage_repair("memory:", NULL, NULL, NULL, err));
    REFUSED("storage", tacit_storage_restore(NULL, "backup.db", NULL, NULL, err));
    REFUSED("file", tacit_storage_restore("memory:", NULL, NULL, NULL, err));
    REFUSED("st", tacit_storage_list(NULL, TACIT_LIST_NAMES, &studies, err));
    REFUSED("out", tacit_storage_list(storage, TACIT_LIST_NAMES, NULL, err));
    EMPTY(tacit_studies_count(NULL));
    EMPTY(tacit_studies_get(NULL, 0));
    HARMLESS(tacit_studies_free(NULL));
}

static void call_study(void)
{
    tacit_study *out;
    REFUSED("out", tacit_study_open(NULL, "memory:", "one", NULL, err));
    REFUSED("storage", tacit_study_open(&out, NULL, "one", NULL, err));
    REFUSED("name", tacit_study_open(&out, "memory:", NULL, NULL, err));
    REFUSED("out", tacit_study_open_in(NULL, storage, "one", err));
    REFUSED("st", tacit_study_open_in(&out, NULL, "one", err));
    REFUSED("name", tacit_study_open_in(&out, storage, NULL, err));
    REFUSED("out", tacit_study_create(NULL, "memory:", document_text, NULL, err));
    REFUSED("storage", tacit_study_create(&out, NULL, document_text, NULL, err));
    REFUSED("document", tacit_study_create(&out, "memory:", NULL, NULL, err));
    REFUSED("out", tacit_study_create_from(NULL, "memory:", document, NULL, err));
    REFUSED("storage", tacit_study_create_from(&out, NULL, document, NULL, err));
    REFUSED("document", tacit_study_create_from(&out, "memory:", NULL, NULL, err));
    REFUSED("out", tacit_study_create_in(NULL, storage, document, err));
    REFUSED("st", tacit_study_create_in(&out, NULL, document, err));
    REFUSED("document", tacit_study_create_in(&out, storage, NULL, err));
    HARMLESS(tacit_study_close(NULL));
    EMPTY(tacit_study_name(NULL));
    EMPTY(tacit_study_document(NULL));
    EMPTY(tacit_study_space(NULL));
    HARMLESS(tacit_trial_free(NULL));
    EMPTY(tacit_trials_count(NULL));
    EMPTY(tacit_trials_get(NULL, 0));
    HARMLESS(tacit_trials_free(NULL));
    REFUSED("s", tacit_study_set_state(NULL, TACIT_STUDY_PAUSED, err));
    HARMLESS(tacit_study_set_patience(NULL, 1, 1));
    EMPTY(tacit_study_is_away(NULL));
}

static void call_trials(void)
{
    tacit_report report = TACIT_REPORT;
    tacit_batch batch = {0};
    tacit_study_summary summary = TACIT_STUDY_SUMMARY;
    int64_t ms;
    report.kind = TACIT_REPORT_PULLS;
    report.n_pulls = 3;
    REFUSED("s", tacit_study_ask(NULL, &number, x, err));
    REFUSED("trial", tacit_study_ask(study, NULL, x, err));
    REFUSED("values", tacit_study_ask(study, &number, NULL, err));
    REFUSED("s", tacit_study_ask_many(NULL, NULL, &trials, err));
    REFUSED("out", tacit_study_ask_many(study, NULL, NULL, err));
    REFUSED("s", tacit_study_tell(NULL, 0, 0, err));
    REFUSED("s", tacit_study_tell_outcomes(NULL, 0, x, err));
    REFUSED("outcomes", tacit_study_tell_outcomes(study, 0, NULL, err));
    REFUSED("s", tacit_study_fail(NULL, 0, NULL, err));
    REFUSED("s", tacit_study_report(NULL, 0, &report, err));
    REFUSED("report", tacit_study_report(study, 0, NULL, err));
    REFUSED("report.pulls", tacit_study_report(study, 0, &report, err));
    REFUSED("s", tacit_study_report_step(NULL, 0, 1, 0, NULL, NULL, err));
    REFUSED("s", tacit_study_add_pull(NULL, &batch, 0, err));
    REFUSED("batch", tacit_study_add_pull(study, NULL, 0, err));
    REFUSED("s", tacit_study_enqueue(NULL, x, NULL, err));
    REFUSED("values", tacit_study_enqueue(study, NULL, NULL, err));
    REFUSED("s", tacit_study_rerun_failed(NULL, NULL, err));
    REFUSED("s", tacit_study_delete_trial(NULL, 0, err));
    REFUSED("s", tacit_study_import(NULL, 1, x, x, err));
    REFUSED("values", tacit_study_import(study, 1, NULL, x, err));
    REFUSED("y", tacit_study_import(study, 1, x, NULL, err));
    REFUSED("s", tacit_study_import_outcomes(NULL, 1, x, x, err));
    REFUSED("values", tacit_study_import_outcomes(study, 1, NULL, x, err));
    REFUSED("outcomes", tacit_study_import_outcomes(study, 1, x, NULL, err));
    REFUSED("s", tacit_study_renew(NULL, 0, "ann", 0, NULL, err));
    REFUSED("worker", tacit_study_renew(study, 0, NULL, 0, NULL, err));
    REFUSED("s", tacit_study_take_over(NULL, 0, "ann", "ben", 0, NULL, err));
    REFUSED("from", tacit_study_take_over(study, 0, NULL, "ben", 0, NULL, err));
    REFUSED("to", tacit_study_take_over(study, 0, "ann", NULL, 0, NULL, err));
    REFUSED("s", tacit_study_requeue(NULL, 0, err));
    REFUSED("s", tacit_study_now(NULL, &ms, err));
    REFUSED("out_ms", tacit_study_now(study, NULL, err));
    HARMLESS(tacit_study_keep_time(NULL));
    REFUSED("s", tacit_study_best(NULL, &trial, err));
    REFUSED("out", tacit_study_best(study, NULL, err));
    REFUSED("s", tacit_study_front(NULL, &trials, err));
    REFUSED("out", tacit_study_front(study, NULL, err));
    REFUSED("s", tacit_study_hypervolume(NULL, x, x, err));
    REFUSED("reference", tacit_study_hypervolume(study, NULL, x, err));
    REFUSED("out", tacit_study_hypervolume(study, x, NULL, err));
    REFUSED("s", tacit_study_recommend(NULL, TACIT_BY_AUTO, &found, err));
    REFUSED("out", tacit_study_recommend(study, TACIT_BY_AUTO, NULL, err));
    HARMLESS(tacit_recommendation_free(NULL));
    REFUSED("s", tacit_study_trial(NULL, 0, &trial, err));
    REFUSED("out", tacit_study_trial(study, 0, NULL, err));
    REFUSED("s", tacit_study_trials(NULL, NULL, &trials, err));
    REFUSED("out", tacit_study_trials(study, NULL, NULL, err));
    REFUSED("s", tacit_study_summarize(NULL, &summary, err));
    REFUSED("out", tacit_study_summarize(study, NULL, err));
    REFUSED("s", tacit_study_events(NULL, 0, visit_event, NULL, err));
    REFUSED("visit", tacit_study_events(study, 0, NULL, NULL, err));
}

/* ---- worker.h, user.h ---- */

static void call_worker(void)
{
    tacit_worker_opts opts = TACIT_WORKER_OPTS;
    tacit_user_opts user = TACIT_USER_OPTS;
    tacit_user *u, *out;
    opts.evaluate = evaluate;
    user.ledger_storage = "sqlite:///replies.db";
    MUST(tacit_user_open(&u, replies, "ann", &user, &error));
    REFUSED("document", tacit_worker_check(NULL, &opts, err));
    REFUSED("opts", tacit_worker_check(document, NULL, err));
    REFUSED("study", tacit_worker_run(NULL, &opts, NULL, err));
    REFUSED("opts", tacit_worker_run(study, NULL, NULL, err));
    REFUSED("out", tacit_user_open(NULL, replies, "ann", &user, err));
    REFUSED("study", tacit_user_open(&out, NULL, "ann", &user, err));
    REFUSED("name", tacit_user_open(&out, replies, NULL, &user, err));
    HARMLESS(tacit_user_close(NULL));
    REFUSED("u", tacit_user_reply(NULL, 0, 0, x, err));
    REFUSED("reply", tacit_user_reply(u, 0, 0, NULL, err));
    REFUSED("u", tacit_user_recall(NULL, 0, x, err));
    REFUSED("reply", tacit_user_recall(u, 0, NULL, err));
    REFUSED("u", tacit_user_tell(NULL, 0, 0, err));
    REFUSED("storage", tacit_user_ledger(NULL, err));
    tacit_user_close(u);
}

/* ---- records.h ---- */

static void call_records(void)
{
    tacit_records_opts opts = TACIT_RECORDS_OPTS;
    char *said;
    REFUSED("document", tacit_records_check(NULL, &opts, err));
    REFUSED("opts", tacit_records_check(document, NULL, err));
    REFUSED("s", tacit_study_protect(NULL, &opts, err));
    REFUSED("opts", tacit_study_protect(study, NULL, err));
    REFUSED("s", tacit_study_protection(NULL, &said, err));
    REFUSED("text", tacit_study_protection(study, NULL, err));
    EMPTY(tacit_study_noise_sd(NULL) > 0);
}

/* ---- privacy.h, release.h, ledger.h ---- */

static void call_privacy(void)
{
    const tacit_dp_event event = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_ALL, 1, 1};
    tacit_guarantee g = TACIT_GUARANTEE;
    tacit_repeats repeats = TACIT_REPEATS;
    tacit_filter *f;
    MUST(tacit_filter_new(&f, 1, 1e-5, &error));
    HARMLESS(tacit_delta_check(NULL, 1e-5, 3, NULL));
    REFUSED("events", tacit_account(NULL, NULL, 1, 1e-5, &g, err));
    REFUSED("out", tacit_account(NULL, &event, 1, 1e-5, NULL, err));
    REFUSED("noise_multiplier", tacit_calibrate(NULL, 1, 1e-5, TACIT_DP_ALL, 1, 1, NULL, err));
    REFUSED("sd", tacit_analytic_gaussian(1, 1e-5, NULL, err));
    REFUSED("event", tacit_dp_event_json(NULL, &text, err));
    REFUSED("json", tacit_dp_event_json(&event, NULL, err));
    tacit_dp_event replaced;
    REFUSED("event", tacit_dp_event_replaced(NULL, &replaced, err));
    REFUSED("out", tacit_dp_event_replaced(&event, NULL, err));
    size_t n;
    REFUSED("json", tacit_dp_event_parse(NULL, &replaced, 1, &n, err));
    REFUSED("events", tacit_dp_event_parse("{}", NULL, 1, &n, err));
    REFUSED("n", tacit_dp_event_parse("{}", &replaced, 1, NULL, err));
    REFUSED("reported", tacit_dp_event_within(NULL, 1, &event, 1, err));
    REFUSED("cap", tacit_dp_event_within(&event, 1, NULL, 1, err));
    REFUSED("text", tacit_statement_of(NULL, 0, TACIT_UNIT_AGENT, TACIT_RELATION_USUAL, NULL, err));
    REFUSED("g->accountant",
            tacit_statement_of(&g, 0, TACIT_UNIT_AGENT, TACIT_RELATION_USUAL, &text, err));
    REFUSED("text", tacit_statement(NULL, 0, TACIT_UNIT_AGENT, TACIT_DP_ALL, NULL, err));
    REFUSED("g->accountant", tacit_statement(&g, 0, TACIT_UNIT_AGENT, TACIT_DP_ALL, &text, err));
    HARMLESS(tacit_epsilon_text(NULL, 1));
    HARMLESS(tacit_delta_text(NULL, 1));
    HARMLESS(tacit_lower_text(NULL, 1));
    REFUSED("repeats", tacit_account_best_of(NULL, &event, 1, 1e-5, &g, err));
    REFUSED("events", tacit_account_best_of(&repeats, NULL, 1, 1e-5, &g, err));
    REFUSED("out", tacit_account_best_of(&repeats, &event, 1, 1e-5, NULL, err));
    REFUSED("repeats", tacit_calibrate_best_of(NULL, 1, 1e-5, TACIT_DP_ALL, 1, 1, x, err));
    REFUSED("noise_multiplier",
            tacit_calibrate_best_of(&repeats, 1, 1e-5, TACIT_DP_ALL, 1, 1, NULL, err));
    REFUSED("g", tacit_statement_best_of(NULL, &repeats, &text, err));
    REFUSED("g->accountant", tacit_statement_best_of(&g, &repeats, &text, err));
    g.accountant = "rdp";
    REFUSED("repeats", tacit_statement_best_of(&g, NULL, &text, err));
    REFUSED("text", tacit_statement_best_of(&g, &repeats, NULL, err));
    REFUSED("out", tacit_sample_discrete_gaussian(1, 1, NULL, err));
    REFUSED("out", tacit_sample_discrete_laplace(1, 1, NULL, err));
    REFUSED("out", tacit_filter_new(NULL, 1, 1e-5, err));
    HARMLESS(tacit_filter_free(NULL));
    REFUSED("f", tacit_filter_would(NULL, &event, NULL, err));
    REFUSED("event", tacit_filter_would(f, NULL, NULL, err));
    REFUSED("f", tacit_filter_spend(NULL, &event, err));
    REFUSED("event", tacit_filter_spend(f, NULL, err));
    EMPTY(tacit_filter_remaining(NULL) != 0);
    tacit_filter_free(f);
}

static void call_mechanisms(void)
{
    tacit_sum_plan sum = TACIT_SUM_PLAN;
    tacit_laplace_plan laplace = TACIT_LAPLACE_PLAN;
    tacit_rows_plan rows = TACIT_ROWS_PLAN;
    tacit_cost cost = TACIT_COST;
    tacit_release *out;
    tacit_reply *p;
    tacit_sum *s;
    sum.agents = sum.width = 1;
    sum.clip_norm = sum.noise_multiplier = 1;
    MUST(tacit_sum_open(&s, &sum, &error));
    MUST(tacit_reply_new(&p, TACIT_REPLY_AUTO, 1, 0, 1, &error));
    REFUSED("plan", tacit_sum_cost(NULL, &cost, err));
    REFUSED("out", tacit_sum_cost(&sum, NULL, err));
    REFUSED("out", tacit_sum_open(NULL, &sum, err));
    REFUSED("plan", tacit_sum_open(&s, NULL, err));
    REFUSED("s", tacit_sum_fold(NULL, 0, x, err));
    REFUSED("v", tacit_sum_fold(s, 0, NULL, err));
    REFUSED("s", tacit_sum_close(NULL, &out, err));
    REFUSED("out", tacit_sum_close(s, NULL, err));
    HARMLESS(tacit_sum_free(NULL));
    REFUSED("out", tacit_laplace_release(NULL, &laplace, x, err));
    REFUSED("plan", tacit_laplace_release(&out, NULL, x, err));
    REFUSED("plan->low", tacit_laplace_release(&out, &laplace, x, err));
    REFUSED("out", tacit_rows_release(NULL, sizes, &rows, x, err));
    REFUSED("order", tacit_rows_release(&out, NULL, &rows, x, err));
    REFUSED("plan", tacit_rows_release(&out, sizes, NULL, x, err));
    REFUSED("plan->low", tacit_rows_release(&out, sizes, &rows, x, err));
    REFUSED("out", tacit_reply_new(NULL, TACIT_REPLY_AUTO, 1, 0, 1, err));
    REFUSED("p", tacit_reply_release(NULL, 0, &out, err));
    REFUSED("out", tacit_reply_release(p, 0, NULL, err));
    HARMLESS(tacit_reply_free(NULL));
    REFUSED("out", tacit_none_release(NULL, 1, 1, x, TACIT_UNIT_ROW, "a test", err));
    REFUSED("x", tacit_none_release(&out, 1, 1, NULL, TACIT_UNIT_ROW, "a test", err));
    REFUSED("why", tacit_none_release(&out, 1, 1, x, TACIT_UNIT_ROW, NULL, err));
    tacit_reply_free(p);
    tacit_sum_free(s);
}

static void call_release(void)
{
    tacit_cost cost = TACIT_COST;
    tacit_release *r;
    uint8_t bytes[8] = {0};
    MUST(tacit_none_release(&r, 1, 1, x, TACIT_UNIT_ROW, "a test", &error));
    HARMLESS(tacit_release_free(NULL));
    HARMLESS(tacit_release_mechanism(NULL));
    EMPTY(tacit_release_rows(NULL));
    EMPTY(tacit_release_cols(NULL));
    EMPTY(!isnan(tacit_release_value(NULL, 0, 0)));
    EMPTY(tacit_release_steps(NULL));
    HARMLESS(tacit_release_step(NULL));
    HARMLESS(tacit_release_offset(NULL));
    HARMLESS(tacit_release_noise_sd(NULL));
    HARMLESS(tacit_release_adjacency(NULL));
    REFUSED("r", tacit_release_cost(NULL, &cost, err));
    REFUSED("out", tacit_release_cost(r, NULL, err));
    EMPTY(tacit_release_private(NULL));
    HARMLESS(tacit_release_not_private(NULL));
    REFUSED("r", tacit_release_statement(NULL, NULL, 1e-5, &text, err));
    REFUSED("text", tacit_release_statement(r, NULL, 1e-5, NULL, err));
    EMPTY(tacit_release_size(NULL));
    REFUSED("r", tacit_release_encode(NULL, bytes, 8, err));
    REFUSED("out", tacit_release_encode(r, NULL, 8, err));
    REFUSED("r", tacit_release_decode(NULL, bytes, 8, x, err));
    REFUSED("bytes", tacit_release_decode(r, NULL, 8, x, err));
    REFUSED("values", tacit_release_decode(r, bytes, 8, NULL, err));
    tacit_release_free(r);
}

static void visit_name(void *user, const char *name)
{
    (void)user;
    (void)name;
}

static void call_ledger(void)
{
    tacit_ledger_entry entry = TACIT_LEDGER_ENTRY;
    tacit_spent spent = TACIT_SPENT;
    tacit_head head;
    tacit_ledger *l, *out;
    MUST(tacit_ledger_create(&l, "memory:", "nulls", &error));
    HARMLESS(tacit_hash_text(NULL, NULL));
    HARMLESS(tacit_hash_text(NULL, room));
    REFUSED("out", tacit_ledger_create(NULL, "memory:", "l", err));
    REFUSED("storage", tacit_ledger_create(&out, NULL, "l", err));
    REFUSED("name", tacit_ledger_create(&out, "memory:", NULL, err));
    REFUSED("out", tacit_ledger_open(NULL, "memory:", "l", err));
    REFUSED("storage", tacit_ledger_open(&out, NULL, "l", err));
    REFUSED("name", tacit_ledger_open(&out, "memory:", NULL, err));
    REFUSED("out", tacit_ledger_until(NULL, l, 0, err));
    REFUSED("l", tacit_ledger_until(&out, NULL, 0, err));
    REFUSED("out", tacit_ledger_import(NULL, "{}", err));
    REFUSED("json", tacit_ledger_import(&out, NULL, err));
    HARMLESS(tacit_ledger_close(NULL));
    REFUSED("storage", tacit_ledger_list(NULL, visit_name, NULL, err));
    REFUSED("visit", tacit_ledger_list("memory:", NULL, NULL, err));
    HARMLESS(tacit_ledger_name(NULL));
    HARMLESS(tacit_ledger_not_private(NULL));
    REFUSED("l", tacit_ledger_head(NULL, &head, err));
    REFUSED("out", tacit_ledger_head(l, NULL, err));
    REFUSED("l", tacit_ledger_spent(NULL, TACIT_UNIT_ROW, NULL, NULL, 1e-5, &spent, err));
    REFUSED("out", tacit_ledger_spent(l, TACIT_UNIT_ROW, NULL, NULL, 1e-5, NULL, err));
    REFUSED("l", tacit_ledger_statement(NULL, TACIT_UNIT_ROW, NULL, NULL, 1e-5, &text, err));
    REFUSED("text", tacit_ledger_statement(l, TACIT_UNIT_ROW, NULL, NULL, 1e-5, NULL, err));
    REFUSED("l", tacit_ledger_get(NULL, 1, &entry, err));
    REFUSED("out", tacit_ledger_get(l, 1, NULL, err));
    REFUSED("l", tacit_ledger_export(NULL, &text, err));
    REFUSED("json", tacit_ledger_export(l, NULL, err));
    REFUSED("l", tacit_ledger_verify(NULL, NULL, err));
    tacit_ledger_close(l);
}

static void call_receipts(void)
{
    tacit_charge charge = TACIT_CHARGE;
    tacit_budget budget = TACIT_BUDGET;
    tacit_cost cost = TACIT_COST;
    tacit_receipt *out;
    tacit_release *r;
    tacit_ledger *l;
    charge.study = "one";
    budget.epsilon = 1;
    budget.delta = 1e-5;
    MUST(tacit_ledger_create(&l, "memory:", "nulls", &error));
    MUST(tacit_none_release(&r, 1, 1, x, TACIT_UNIT_ROW, "a test", &error));
    REFUSED("l", tacit_ledger_release(NULL, NULL, &charge, r, &out, err));
    REFUSED("charge", tacit_ledger_release(l, NULL, NULL, r, &out, err));
    REFUSED("r", tacit_ledger_release(l, NULL, &charge, NULL, &out, err));
    REFUSED("out", tacit_ledger_release(l, NULL, &charge, r, NULL, err));
    REFUSED("l", tacit_ledger_find(NULL, &charge, &out, err));
    REFUSED("charge", tacit_ledger_find(l, NULL, &out, err));
    REFUSED("out", tacit_ledger_find(l, &charge, NULL, err));
    REFUSED("l", tacit_ledger_would(NULL, &budget, NULL, &cost, err));
    REFUSED("budget", tacit_ledger_would(l, NULL, NULL, &cost, err));
    REFUSED("cost", tacit_ledger_would(l, &budget, NULL, NULL, err));
    EMPTY(tacit_receipt_bytes(NULL));
    EMPTY(tacit_receipt_size(NULL));
    EMPTY(tacit_receipt_head(NULL).seq);
    EMPTY(tacit_receipt_again(NULL));
    EMPTY(tacit_receipt_private(NULL));
    HARMLESS(tacit_receipt_not_private(NULL));
    HARMLESS(tacit_receipt_free(NULL));
    tacit_release_free(r);
    tacit_ledger_close(l);
}

/* ---- coordinator.h, agent.h, trustee.h, net.h ---- */

static void call_coordinator(tacit_coordinator *c)
{
    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    tacit_server_opts server = TACIT_SERVER_OPTS;
    tacit_request request = TACIT_REQUEST;
    tacit_coordinator *out;
    tacit_response *response;
    tacit_server *served;
    opts.storage = "memory:";
    server.listen = "127.0.0.1:0";
    request.method = "GET";
    request.path = "/healthz";
    request.body_size = 1;
    REFUSED("out", tacit_coordinator_open(NULL, &opts, err));
    REFUSED("opts", tacit_coordinator_open(&out, NULL, err));
    HARMLESS(tacit_coordinator_close(NULL));
    REFUSED("c", tacit_coordinator_create(NULL, document_text, err));
    REFUSED("document", tacit_coordinator_create(c, NULL, err));
    REFUSED("c", tacit_coordinator_invite(NULL, "ward", 1, 0, &text, err));
    REFUSED("study", tacit_coordinator_invite(c, NULL, 1, 0, &text, err));
    REFUSED("token", tacit_coordinator_invite(c, "ward", 1, 0, NULL, err));
    REFUSED("c", tacit_coordinator_invite_trustees(NULL, "ward", 1, 0, &text, err));
    REFUSED("study", tacit_coordinator_invite_trustees(c, NULL, 1, 0, &text, err));
    REFUSED("token", tacit_coordinator_invite_trustees(c, "ward", 1, 0, NULL, err));
    REFUSED("c", tacit_coordinator_operator_token(NULL, false, &text, err));
    REFUSED("token", tacit_coordinator_operator_token(c, false, NULL, err));
    REFUSED("c", tacit_coordinator_handle(NULL, &request, &response, err));
    REFUSED("request", tacit_coordinator_handle(c, NULL, &response, err));
    REFUSED("request.body", tacit_coordinator_handle(c, &request, &response, err));
    REFUSED("out", tacit_coordinator_handle(c, &request, NULL, err));
    EMPTY(tacit_response_status(NULL));
    EMPTY(tacit_response_type(NULL));
    EMPTY(tacit_response_protocol(NULL));
    EMPTY(tacit_response_body(NULL));
    EMPTY(tacit_response_size(NULL));
    EMPTY(tacit_response_retry_ms(NULL));
    EMPTY(tacit_response_waits(NULL));
    HARMLESS(tacit_response_free(NULL));
    REFUSED("c", tacit_coordinator_tick(NULL, NULL, err));
    REFUSED("opts", tacit_server_check(NULL, err));
    REFUSED("out", tacit_server_start(NULL, c, &server, err));
    REFUSED("c", tacit_server_start(&served, NULL, &server, err));
    REFUSED("opts", tacit_server_start(&served, c, NULL, err));
    HARMLESS(tacit_server_stop(NULL));
    EMPTY(tacit_server_url(NULL));
    EMPTY(tacit_server_fingerprint(NULL));
    EMPTY(tacit_server_next_fingerprint(NULL));
}

static void call_agent(tacit_agent *a, const tacit_agent_opts *opts)
{
    tacit_worker_opts work = TACIT_WORKER_OPTS;
    tacit_agent_next next;
    tacit_agent_summary now = TACIT_AGENT_SUMMARY;
    tacit_traffic *traffic;
    tacit_agent *out;
    work.evaluate = evaluate;
    REFUSED("out", tacit_agent_join(NULL, opts, err));
    REFUSED("opts", tacit_agent_join(&out, NULL, err));
    REFUSED("opts", tacit_agent_withdraw(NULL, NULL, err));
    REFUSED("opts", tacit_agent_new_key(NULL, NULL, err));
    HARMLESS(tacit_agent_close(NULL));
    EMPTY(tacit_agent_number(NULL));
    REFUSED("a", tacit_agent_promise(NULL, &text, err));
    REFUSED("text", tacit_agent_promise(a, NULL, err));
    REFUSED("a", tacit_agent_summarize(NULL, &now, err));
    REFUSED("out", tacit_agent_summarize(a, NULL, err));
    EMPTY(tacit_agent_study(NULL));
    REFUSED("a", tacit_agent_step(NULL, 0, &next, err));
    REFUSED("next", tacit_agent_step(a, 0, NULL, err));
    REFUSED("a", tacit_agent_work(NULL, &work, err));
    REFUSED("opts", tacit_agent_work(a, NULL, err));
    REFUSED("a", tacit_agent_run(NULL, evaluate, NULL, err));
    REFUSED("evaluate", tacit_agent_run(a, NULL, NULL, err));
    REFUSED("out", tacit_agent_inspect(NULL, "memory:", "ward", err));
    REFUSED("storage", tacit_agent_inspect(&traffic, NULL, "ward", err));
    REFUSED("study", tacit_agent_inspect(&traffic, "memory:", NULL, err));
    EMPTY(tacit_traffic_count(NULL));
    EMPTY(tacit_traffic_get(NULL, 0));
    HARMLESS(tacit_traffic_free(NULL));
    REFUSED("storage", tacit_agent_alone(NULL, "ward", evaluate, NULL, 1, x, NULL, err));
    REFUSED("study", tacit_agent_alone("memory:", NULL, evaluate, NULL, 1, x, NULL, err));
    REFUSED("evaluate", tacit_agent_alone("memory:", "ward", NULL, NULL, 1, x, NULL, err));
    REFUSED("values", tacit_agent_alone("memory:", "ward", evaluate, NULL, 1, NULL, NULL, err));
}

static void call_trustee(tacit_trustee *t, const tacit_trustee_opts *opts)
{
    tacit_trustee_summary now = TACIT_TRUSTEE_SUMMARY;
    tacit_trustee *out;
    bool done;
    REFUSED("out", tacit_trustee_join(NULL, opts, err));
    REFUSED("opts", tacit_trustee_join(&out, NULL, err));
    HARMLESS(tacit_trustee_close(NULL));
    EMPTY(tacit_trustee_place(NULL));
    REFUSED("t", tacit_trustee_step(NULL, 0, &done, err));
    REFUSED("done", tacit_trustee_step(t, 0, NULL, err));
    REFUSED("t", tacit_trustee_run(NULL, err));
    REFUSED("t", tacit_trustee_summarize(NULL, &now, err));
    REFUSED("out", tacit_trustee_summarize(t, NULL, err));
}

static void call_with_trustees(tacit_coordinator *c)
{
    tacit_trustee_opts joining = TACIT_TRUSTEE_OPTS;
    tacit_trustee *t;
    char *token;
    MUST(tacit_coordinator_create(c, trusted_text, &error));
    MUST(tacit_coordinator_invite_trustees(c, "trusted", 3, 0, &token, &error));
    joining.here = c;
    joining.study = "trusted";
    joining.storage = "memory:";
    joining.join_token = token;
    MUST(tacit_trustee_join(&t, &joining, &error));
    call_trustee(t, &joining);
    tacit_trustee_close(t);
    tacit_text_free(token);
}

static void call_net(void)
{
    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    tacit_agent_opts joining = TACIT_AGENT_OPTS;
    tacit_coordinator *c;
    tacit_agent *a;
    char *token;
    opts.storage = "memory:";
    MUST(tacit_coordinator_open(&c, &opts, &error));
    MUST(tacit_coordinator_create(c, federated_text, &error));
    MUST(tacit_coordinator_invite(c, "ward", 3, 0, &token, &error));
    joining.here = c;
    joining.study = "ward";
    joining.storage = "memory:";
    joining.join_token = token;
    MUST(tacit_agent_join(&a, &joining, &error));
    call_coordinator(c);
    call_agent(a, &joining);
    call_with_trustees(c);
    HARMLESS(tacit_net_parts(NULL, NULL));
    REFUSED("st", tacit_net_call(NULL, "GET", NULL, "/v1/studies", NULL, &text, err));
    REFUSED("method", tacit_net_call(storage, NULL, NULL, "/v1/studies", NULL, &text, err));
    REFUSED("path", tacit_net_call(storage, "GET", NULL, NULL, NULL, &text, err));
    REFUSED("answer", tacit_net_call(storage, "GET", NULL, "/v1/studies", NULL, NULL, err));
    REFUSED("st", tacit_net_create(NULL, document, &text, err));
    REFUSED("document", tacit_net_create(storage, NULL, &text, err));
    REFUSED("answer", tacit_net_create(storage, document, NULL, err));
    REFUSED("st", tacit_net_audit(NULL, NULL, &text, err));
    REFUSED("log", tacit_net_audit(storage, NULL, NULL, err));
    tacit_agent_close(a);
    tacit_coordinator_close(c);
    tacit_text_free(token);
}

/* ---- experimental/ ---- */

static void call_search(void)
{
    const tacit_dp_event event = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_ALL, 1, 1};
    tacit_search_opts opts = TACIT_SEARCH_OPTS;
    tacit_search_winner winner = TACIT_SEARCH_WINNER;
    tacit_guarantee g = TACIT_GUARANTEE;
    opts.evaluate = evaluate;
    opts.events = &event;
    opts.n_events = 1;
    opts.delta = 1e-5;
    REFUSED("document", tacit_search_cost(NULL, &opts, &g, err));
    REFUSED("opts", tacit_search_cost(document, NULL, &g, err));
    REFUSED("out", tacit_search_cost(document, &opts, NULL, err));
    REFUSED("document", tacit_search_statement(NULL, &opts, &text, err));
    REFUSED("opts", tacit_search_statement(document, NULL, &text, err));
    REFUSED("text", tacit_search_statement(document, &opts, NULL, err));
    REFUSED("document", tacit_search_run(NULL, &opts, x, &winner, err));
    REFUSED("opts", tacit_search_run(document, NULL, x, &winner, err));
    REFUSED("values", tacit_search_run(document, &opts, NULL, &winner, err));
    REFUSED("out", tacit_search_run(document, &opts, x, NULL, err));
    REFUSED("ledger", tacit_search_run(document, &opts, x, &winner, err));
}

static void call_surrogate(void)
{
    tacit_surrogate *m = NULL;
    tacit_importances *list;
    REFUSED("out", tacit_surrogate_new(NULL, study, err));
    REFUSED("study", tacit_surrogate_new(&m, NULL, err));
    REFUSED("out", tacit_surrogate_new_of(NULL, study, 0, err));
    REFUSED("study", tacit_surrogate_new_of(&m, NULL, 0, err));
    HARMLESS(tacit_surrogate_free(NULL));
    for (uint64_t i = 0; i < 6; i++) {
        const double at = 0.1 * (double)i;
        (void)tacit_study_import(study, 1, &at, &at, NULL);
    }
    if (tacit_surrogate_new(&m, study, NULL) != TACIT_OK) {
        printf("Bail out! no model\n");
        exit(1);
    }
    REFUSED("m", tacit_surrogate_predict(NULL, 1, x, x, x, err));
    REFUSED("points", tacit_surrogate_predict(m, 1, NULL, x, x, err));
    REFUSED("mean", tacit_surrogate_predict(m, 1, x, NULL, x, err));
    REFUSED("m", tacit_surrogate_importances(NULL, &list, err));
    REFUSED("out", tacit_surrogate_importances(m, NULL, err));
    EMPTY(tacit_importances_count(NULL));
    EMPTY(tacit_importances_get(NULL, 0));
    HARMLESS(tacit_importances_free(NULL));
    tacit_surrogate_free(m);
}

static void call_curator(tacit_curator *c, const tacit_curator_opts *opts,
                         const tacit_row_terms *terms)
{
    tacit_curator_service service = {0};
    tacit_row_answer answer = {0};
    tacit_curator *out;
    REFUSED("out", tacit_curator_release(NULL, opts, terms, x, NULL, err));
    REFUSED("opts", tacit_curator_release(&out, NULL, terms, x, NULL, err));
    REFUSED("terms", tacit_curator_release(&out, opts, NULL, x, NULL, err));
    REFUSED("x", tacit_curator_release(&out, opts, terms, NULL, NULL, err));
    REFUSED("out", tacit_curator_open(NULL, opts, err));
    REFUSED("opts", tacit_curator_open(&out, NULL, err));
    HARMLESS(tacit_curator_close(NULL));
    EMPTY(tacit_curator_secret(NULL));
    REFUSED("c", tacit_curator_check_data(NULL, 4, x, err));
    REFUSED("x", tacit_curator_check_data(c, 4, NULL, err));
    REFUSED("c", tacit_curator_answer(NULL, 0, 0, &answer, err));
    REFUSED("out", tacit_curator_answer(c, 0, 0, NULL, err));
    REFUSED("c", tacit_curator_recall(NULL, 0, &answer, err));
    REFUSED("out", tacit_curator_recall(c, 0, NULL, err));
    REFUSED("c", tacit_curator_serve(NULL, study, &service, err));
    REFUSED("study", tacit_curator_serve(c, NULL, &service, err));
    REFUSED("service", tacit_curator_serve(c, study, NULL, err));
    REFUSED("service->value", tacit_curator_serve(c, study, &service, err));
    REFUSED("out", tacit_row_answer_read(NULL, "answer.json", err));
    REFUSED("file", tacit_row_answer_read(&answer, NULL, err));
    REFUSED("out", tacit_row_answer_parse(NULL, "{}", 2, "a test", err));
    REFUSED("text", tacit_row_answer_parse(&answer, NULL, 2, "a test", err));
    REFUSED("what", tacit_row_answer_parse(&answer, "{}", 2, NULL, err));
    REFUSED("a", tacit_row_answer_text(NULL, &text, err));
    REFUSED("out", tacit_row_answer_text(&answer, NULL, err));
}

static void call_modeler(const tacit_released *r)
{
    tacit_row_answer answer = {0};
    tacit_published published;
    tacit_released *read;
    tacit_modeler *m, *out;
    MUST(tacit_modeler_open(&m, "memory:", r, NULL, &error));
    REFUSED("out", tacit_released_read(NULL, "released.json", err));
    REFUSED("file", tacit_released_read(&read, NULL, err));
    REFUSED("out", tacit_released_parse(NULL, "{}", 2, "a test", err));
    REFUSED("text", tacit_released_parse(&read, NULL, 2, "a test", err));
    REFUSED("what", tacit_released_parse(&read, "{}", 2, NULL, err));
    HARMLESS(tacit_released_free(NULL));
    REFUSED("r", tacit_released_text(NULL, &text, err));
    REFUSED("out", tacit_released_text(r, NULL, err));
    REFUSED("out", tacit_modeler_open(NULL, "memory:", r, NULL, err));
    REFUSED("storage", tacit_modeler_open(&out, NULL, r, NULL, err));
    REFUSED("released", tacit_modeler_open(&out, "memory:", NULL, NULL, err));
    HARMLESS(tacit_modeler_close(NULL));
    REFUSED("m", tacit_modeler_next(NULL, &number, err));
    REFUSED("row", tacit_modeler_next(m, NULL, err));
    REFUSED("m", tacit_modeler_tell(NULL, &answer, NULL, err));
    REFUSED("a", tacit_modeler_tell(m, NULL, NULL, err));
    EMPTY(tacit_modeler_study(NULL));
    REFUSED("r", tacit_released_publish(NULL, storage, NULL, NULL, &published, err));
    REFUSED("coordinator", tacit_released_publish(r, NULL, NULL, NULL, &published, err));
    REFUSED("out", tacit_released_publish(r, storage, NULL, NULL, NULL, err));
    tacit_modeler_close(m);
}

static void call_curated(void)
{
    const tacit_row_column column = {"income", 0, 1, 1};
    tacit_curator_opts opts = TACIT_CURATOR_OPTS;
    tacit_row_terms terms = TACIT_ROW_TERMS;
    const tacit_curator_report *report;
    tacit_curator *c;
    opts.storage = "sqlite:///curator.db";
    opts.secret = "rows.secret";
    terms.name = "rows";
    terms.rows = 4;
    terms.dims = 1;
    terms.columns = &column;
    terms.epsilon = 1;
    MUST(tacit_curator_release(&c, &opts, &terms, x, &report, &error));
    call_curator(c, &opts, &terms);
    call_modeler(report->released);
    tacit_curator_close(c);
}

static void call_row_program(void)
{
    char name[] = "true", *const command[] = {name, NULL};
    tacit_row_program program = {command, TACIT_ROW_STDIN, 0, NULL, NULL}, none = {0};
    tacit_row_record record = {0, NULL, NULL}, nameless = {1, NULL, NULL};
    tacit_row_value value;
    tacit_perturb_opts opts = TACIT_PERTURB_OPTS, anonymous = TACIT_PERTURB_OPTS;
    tacit_perturbed perturbed;
    opts.name = "ann";
    opts.study = "doses";
    REFUSED("p", tacit_row_evaluate(NULL, 0, &record, &value, err));
    REFUSED("p->command", tacit_row_evaluate(&none, 0, &record, &value, err));
    REFUSED("record", tacit_row_evaluate(&program, 0, NULL, &value, err));
    REFUSED("record->names", tacit_row_evaluate(&program, 0, &nameless, &value, err));
    REFUSED("out", tacit_row_evaluate(&program, 0, &record, NULL, err));
    REFUSED("opts", tacit_perturb(NULL, 0, 0, 1, x, &perturbed, err));
    REFUSED("opts->name", tacit_perturb(&anonymous, 0, 0, 1, x, &perturbed, err));
    REFUSED("replies", tacit_perturb(&opts, 0, 0, 1, NULL, &perturbed, err));
    REFUSED("out", tacit_perturb(&opts, 0, 0, 1, x, NULL, err));
    REFUSED("out", tacit_audit_run(0, NULL, NULL, err));
}

static void call_simulation(void)
{
    tacit_simulation_plan plan = tacit_simulation_plan_default();
    const tacit_contrast *rows;
    tacit_curve_set set = {0};
    tacit_simulation *s, *out;
    tacit_ratio ratio;
    plan.algorithm = "random";
    plan.trials = 3;
    plan.runs = 1;
    plan.threads = 1;
    MUST(tacit_simulate(&s, &plan, &error));
    const tacit_curves *curves = tacit_simulation_get(s, 0)->curves;
    REFUSED("out", tacit_simulate(NULL, &plan, err));
    REFUSED("plan", tacit_simulate(&out, NULL, err));
    HARMLESS(tacit_simulation_free(NULL));
    EMPTY(tacit_simulation_count(NULL));
    EMPTY(tacit_simulation_get(NULL, 0));
    REFUSED("s", tacit_simulation_contrasts(NULL, &rows, sizes, err));
    REFUSED("rows", tacit_simulation_contrasts(s, NULL, sizes, err));
    REFUSED("n", tacit_simulation_contrasts(s, &rows, NULL, err));
    REFUSED("s", tacit_simulation_text(NULL, TACIT_CURVES_CSV, &text, err));
    REFUSED("out", tacit_simulation_text(s, TACIT_CURVES_CSV, NULL, err));
    REFUSED("file", tacit_simulation_checkpoint(NULL, 0, &text, err));
    REFUSED("out", tacit_simulation_checkpoint("runs", 0, NULL, err));
    HARMLESS(tacit_curves_fini(NULL));
    HARMLESS(tacit_curve_set_fini(NULL));
    REFUSED("out", tacit_curves_read(NULL, "curves.csv", err));
    REFUSED("file", tacit_curves_read(&set, NULL, err));
    REFUSED("a", tacit_curves_compare(NULL, curves, 0, &ratio, err));
    REFUSED("b", tacit_curves_compare(curves, NULL, 0, &ratio, err));
    REFUSED("out", tacit_curves_compare(curves, curves, 0, NULL, err));
    EMPTY(tacit_curves_talk(NULL).rounds > 0);
    tacit_simulation_free(s);
}

int main(void)
{
    open_studies();
    call_space();
    call_document();
    call_optimizer();
    call_plan();
    call_storage();
    call_study();
    call_trials();
    call_worker();
    call_records();
    call_privacy();
    call_mechanisms();
    call_release();
    call_ledger();
    call_receipts();
    call_net();
    call_curated();
    call_row_program();
    call_simulation();
    call_search();
    call_surrogate();
    close_studies();
    printf("%d calls, %d of them not as they should be\n", calls, failures);
    return failures == 0 ? 0 : 1;
}
