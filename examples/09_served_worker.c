/* 09_served_worker.c - a worker of a served study: the coordinator chooses the points, this program evaluates them.
 *
 *     cc 09_served_worker.c $(pkg-config --cflags --libs tacit-net) -lm -o worker
 *     ./worker https://tacit.example:8443 sha256//... TOKEN branin gpu-1
 *
 * Start as many as you like, on as many machines: no two of them get the same trial. A worker that is killed and started
 * again under its name gets its trial back; of one that never comes back the lease ends, and another worker gets it.
 * Without arguments it is its own coordinator, so that the example runs by itself. */
#include <tacit/coordinator.h>
#include <tacit/net.h>
#include <tacit/study.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEASE_MS = 60000 };

static const char document[] =
    "{\"name\": \"served\", \"direction\": \"minimize\", \"trials\": 20, \"seed\": 1,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -2, \"high\": 2},"
    "             \"y\": {\"type\": \"float\", \"low\": -1, \"high\": 3}}}";

static void must(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "%s\n", err->msg);
    exit(tacit_status_exit(status));
}

/* What takes long elsewhere. Between its steps a worker says that it is alive. */
static double evaluate(tacit_study *study, const tacit_trial *trial, const char *worker)
{
    double sum = 0;
    tacit_error err = {0};
    for (size_t i = 0; i < tacit_space_params(tacit_study_space(study)); i++) {
        sum += (trial->values[i] - 0.5) * (trial->values[i] - 0.5);
        must(tacit_study_renew(study, trial->number, worker, LEASE_MS, NULL, &err), &err);
    }
    return sum;
}

/* Until the coordinator has given out as many trials as were planned. */
static int work(tacit_study *study, const char *worker)
{
    tacit_error err = {0};
    tacit_ask_opts ask = TACIT_ASK_OPTS;
    ask.worker = worker;
    ask.lease_ms = LEASE_MS;
    for (int done = 0;; done++) {
        tacit_trials *got;
        tacit_status status = tacit_study_ask_many(study, &ask, &got, &err);
        if (status == TACIT_E_BUDGET)
            return done;
        must(status, &err);
        const tacit_trial *trial = tacit_trials_get(got, 0);
        double value = evaluate(study, trial, worker);
        if (isfinite(value))
            must(tacit_study_tell(study, trial->number, value, &err), &err);
        else
            must(tacit_study_fail(study, trial->number, "no finite value", &err), &err);
        tacit_trials_free(got);
    }
}

static int run_worker(const char *url, const char *fingerprint, const char *token, const char *name,
                      const char *worker)
{
    tacit_error err = {0};
    tacit_study *study;
    tacit_trial *best;
    tacit_storage_opts opts = TACIT_STORAGE_OPTS;
    opts.token = token;
    opts.fingerprint = fingerprint;
    must(tacit_study_open(&study, url, name, &opts, &err), &err);
    int done = work(study, worker);
    must(tacit_study_best(study, &best, &err), &err);
    printf("%s ran %d trials; the best of all is trial %" PRIu64 ", %.4f\n", worker, done,
           best->number, best->value);
    tacit_trial_free(best);
    tacit_study_close(study);
    return 0;
}

/* What an operator does once, with `tacit serve` and `tacit remote`. */
static int run_alone(void)
{
    tacit_error err = {0};
    tacit_coordinator *coordinator = NULL;
    tacit_server *server = NULL;
    char *token = NULL;
    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    tacit_server_opts at = TACIT_SERVER_OPTS;
    opts.storage = "memory:";
    at.listen = "127.0.0.1:0";
    must(tacit_coordinator_open(&coordinator, &opts, &err), &err);
    must(tacit_coordinator_create(coordinator, document, &err), &err);
    must(tacit_coordinator_invite(coordinator, "served", 0, 0, &token, &err), &err);
    must(tacit_server_start(&server, coordinator, &at, &err), &err);
    int failed = run_worker(tacit_server_url(server), tacit_server_fingerprint(server), token,
                            "served", "worker-1");
    tacit_text_free(token);
    tacit_server_stop(server);
    tacit_coordinator_close(coordinator);
    return failed;
}

int main(int argc, char **argv)
{
    tacit_net_register();
    if (argc == 1)
        return run_alone();
    if (argc == 6)
        return run_worker(argv[1], argv[2], argv[3], argv[4], argv[5]);
    fprintf(stderr, "usage: %s [URL FINGERPRINT TOKEN STUDY WORKER]\n", argv[0]);
    return 2;
}
