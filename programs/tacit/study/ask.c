/* ask.c - `tacit ask`: the next trial, for programs that tell its value later. */
#include "study/records_options.h"
#include "study/study_ref.h"
#include "study/trial_rows.h"
#include "study/user_options.h"
#include "frame/verbs.h"

#include <stddef.h>
#include <string.h>

typedef struct options {
    tc_where where;
    char *worker;
    double lease_s;
    int64_t count;
    int64_t pulls;
    int64_t threads;
    tc_records_words records;
    char *ledger_storage;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {"worker", TC_OPTION_STRING, offsetof(options, worker), .value = "NAME",
     .help =
         "who asks, 1 to 255 characters; the same worker gets its unfinished trials back first"},
    {"lease-s", TC_OPTION_FLOAT, offsetof(options, lease_s), "0", .min = 0,
     .max = TACIT_LEASE_MOST_S,
     .help = "seconds, 1 to 2592000 (30 days), after which the trial may be given up as STALE; 0 "
             "is never, or "
             "3600 at a coordinator"},
    {"count", TC_OPTION_INT, offsetof(options, count), "1", .min = 1, .max = 100000,
     .help = "trials to ask for"},
    {"pulls", TC_OPTION_INT, offsetof(options, pulls), "0", .min = 0, .max = 0x1p34,
     .help = "take trials of up to so many pulls, where the algorithm wants them; 0 is one each"},
    TC_THREADS_OPTION(options),
    TC_RECORDS_OPTIONS(options),
    TC_RECORDS_LEDGER_OPTIONS(options),
    TC_LEDGER_STORAGE_OPTION(options),
    {.name = NULL}};

static tacit_status ask(tacit_study *s, const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tacit_trials *got;
    tacit_ask_opts q = TACIT_ASK_OPTS;
    q.worker = o->worker;
    q.lease_ms = (int64_t)(o->lease_s * 1000 + 0.5);
    q.count = (uint64_t)o->count;
    q.pulls = (uint64_t)o->pulls;
    TC_TRY(tacit_study_ask_many(s, &q, &got, err));
    tacit_status status =
        tc_asked_print(tacit_study_space(s), got, o->pulls > 0, in->format, stdout, err);
    tacit_trials_free(got);
    return status;
}

enum { WORKER_BYTES = 255 };

static tacit_status check_worker(const char *worker, tacit_error *err)
{
    size_t n = worker ? strlen(worker) : 1;
    if (n == 0 || n > WORKER_BYTES)
        return tc_fail(err, TACIT_E_ARG, "--worker must have 1 to %d characters, got %zu",
                       WORKER_BYTES, n);
    for (size_t i = 0; worker && i < n; i++)
        if (worker[i] < ' ' || worker[i] > '~')
            return tc_fail(err, TACIT_E_ARG,
                           "--worker must be printable characters of ASCII, got byte 0x%02x at %zu",
                           (unsigned)(unsigned char)worker[i], i + 1);
    return TACIT_OK;
}

static tacit_status check_lease(double s, tacit_error *err)
{
    if (s == 0 || s >= TACIT_LEASE_LEAST_S)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "--lease-s must be 0 or at least %d second, got %g",
                   TACIT_LEASE_LEAST_S, s);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    tc_study_terms terms = {.create = true, .quiet = in->quiet, .threads = o->threads};
    TC_TRY(check_worker(o->worker, err));
    TC_TRY(check_lease(o->lease_s, err));
    tacit_status status = tc_study_ref_name(&r, in->args[0], err);
    if (status == TACIT_OK && r.given)
        status = tc_records_check(r.given, &o->records, in, err);
    if (status == TACIT_OK)
        status = tc_study_ref_open(&r, in->args[0], &o->where, &terms, err);
    if (status == TACIT_OK)
        status = tc_records_declare(r.study, &o->records, o->ledger_storage, in, true, err);
    if (status == TACIT_OK)
        status = ask(r.study, in, err);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_ask = {
    .name = "ask",
    .usage = "STUDY [options]",
    .summary = "get the next trial to run: its number and its parameters",
    .details =
        "STUDY is a name, or a document, whose study is created if it is not there.\n"
        "Report the value with tacit tell. With --format json one trial is written as\n"
        "{\"trial\": 3, \"params\": {...}}, several as an array of such.\n"
        "\n"
        "With --pulls a trial may be a batch: a bandit algorithm (blin) then says how often\n"
        "it wants the point, and is told once of all the values (tell --values). Workers that\n"
        "run at the same time share a point if none takes all of its pulls.\n"
        "\n"
        "A study that protects validation records needs --records, here and at tell: the price of\n"
        "the evaluation is in their ledger before the trial is printed.\n"
        "\n"
        "A coordinator (--server) gives out as many trials as the document plans, and no more: "
        "then\n"
        "it exits with 9. It lets a document's study be made by an operator only.\n"
        "\n"
        "  tacit ask study.json --worker gpu-1 --format json\n"
        "  tacit ask branin --worker gpu-1 --lease-s 600 --server https://tacit.example:8443 \\\n"
        "      --fingerprint sha256//... --token-file client.txt",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
