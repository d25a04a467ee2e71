/* ask.c - `tacit ask`: the next trial, for programs that tell its value later. */
#include "base/memory.h"
#include "storage.h"
#include "trial_rows.h"
#include "verbs.h"

#include <stddef.h>
#include <string.h>

typedef struct options {
    char *storage;
    char *worker;
    double lease_s;
    int64_t count;
    int64_t threads;
} options;

static const tc_option table[] = {
    TC_STORAGE_OPTION(options),
    {"worker", TC_OPTION_STRING, offsetof(options, worker), .value = "NAME",
     .help =
         "who asks, 1 to 255 characters; the same worker gets its unfinished trials back first"},
    {"lease-s", TC_OPTION_FLOAT, offsetof(options, lease_s), "0", .min = 0, .max = 1e9,
     .help = "seconds after which the trial may be given up as STALE; 0 is never"},
    {"count", TC_OPTION_INT, offsetof(options, count), "1", .min = 1, .max = 100000,
     .help = "trials to ask for"},
    TC_THREADS_OPTION(options),
    {.name = NULL}};

typedef struct batch {
    size_t n, most, n_params;
    uint64_t *numbers;
    double *values; /* n x n_params */
} batch;

static void add(batch *b, uint64_t number, const double *values)
{
    b->numbers[b->n] = number;
    memcpy(b->values + b->n * b->n_params, values, b->n_params * sizeof *values);
    b->n++;
}

/* Vizier's rule: a worker that comes back, after a crash say, gets what it had. */
static tacit_status add_open(batch *b, tc_study *study, const char *worker, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(study, &o, err));
    for (size_t i = 0; i < tc_optimizer_trials(o) && b->n < b->most; i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        if (t->state == TC_TRIAL_RUNNING && t->worker && strcmp(t->worker, worker) == 0)
            add(b, t->number, t->values);
    }
    tc_study_unlook(study);
    return TACIT_OK;
}

static tacit_status ask_all(batch *b, tc_study *study, const options *o, tacit_error *err)
{
    int64_t lease_ms = (int64_t)(o->lease_s * 1000 + 0.5);
    if (o->worker)
        TC_TRY(add_open(b, study, o->worker, err));
    for (; b->n < b->most; b->n++)
        TC_TRY(tc_study_ask(study, o->worker, lease_ms, &b->numbers[b->n],
                            b->values + b->n * b->n_params, err));
    return TACIT_OK;
}

static tacit_status ask(const tc_session *s, const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    const tc_space *space = tc_study_document(s->study)->space;
    batch b = {.most = (size_t)o->count, .n_params = space->n_params};
    b.numbers = tc_alloc(b.most, sizeof *b.numbers);
    b.values = tc_alloc(b.most * b.n_params, sizeof *b.values);
    tacit_status st = b.numbers && b.values ? ask_all(&b, s->study, o, err) : tc_fail_memory(err);
    if (st == TACIT_OK)
        st = tc_asked_print(space, b.n, b.numbers, b.values, in->format, stdout, err);
    tc_free(b.numbers);
    tc_free(b.values);
    return st;
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

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_session s = {0};
    TC_TRY(check_worker(o->worker, err));
    tacit_status st = tc_session_name(&s, in->args[0], err);
    if (st == TACIT_OK)
        st = tc_session_open(&s, in->args[0], o->storage, true, o->threads, err);
    if (st == TACIT_OK)
        st = ask(&s, in, err);
    tc_session_close(&s);
    return st;
}

const tc_verb tc_verb_ask = {
    .name = "ask",
    .usage = "STUDY [options]",
    .summary = "get the next trial to run: its number and its parameters",
    .details = "STUDY is a name, or a document, whose study is created if it is not there.\n"
               "Report the value with tacit tell. With --format json one trial is written as\n"
               "{\"trial\": 3, \"params\": {...}}, several as an array of such.\n"
               "\n"
               "  tacit ask study.json --worker gpu-1 --format json",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
