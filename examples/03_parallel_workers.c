/* 03_parallel_workers.c - two processes that share one study in a SQLite file.
 *
 * Each opens the study by itself; nothing else connects them. Every ask knows the trials that the
 * other has told and those that it still runs, and no two get the same trial. One of them could be killed and
 * started again, or run on another day. */
#define _POSIX_C_SOURCE 200809L
#include <tacit/study.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 2, TRIALS_EACH = 15 };

static const char document[] =
    "{\"name\": \"shared\", \"direction\": \"minimize\", \"trials\": 30,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -2, \"high\": 2},"
    "             \"y\": {\"type\": \"float\", \"low\": -1, \"high\": 3}},"
    " \"algorithm\": {\"name\": \"ts\"}}";

/* Rosenbrock's valley, flattened by a logarithm; least at (1, 1). */
static double valley(const double *p)
{
    double a = 1 - p[0], b = p[1] - p[0] * p[0];
    return log1p(a * a + 100 * b * b);
}

static tacit_status work(tacit_study *study, tacit_error *err)
{
    for (int i = 0; i < TRIALS_EACH; i++) {
        uint64_t trial;
        double point[2];
        tacit_status status = tacit_study_ask(study, &trial, point, err);
        if (status == TACIT_OK)
            status = tacit_study_tell(study, trial, valley(point), err);
        if (status != TACIT_OK)
            return status;
    }
    return TACIT_OK;
}

/* What a worker process does; returns its exit status. */
static int worker(const char *storage)
{
    tacit_error err;
    tacit_study *study;
    if (tacit_study_create(&study, storage, document, NULL, &err) != TACIT_OK) {
        fprintf(stderr, "worker: %s\n", err.msg);
        return tacit_status_exit(err.code);
    }
    tacit_status status = work(study, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "worker: %s\n", err.msg);
    tacit_study_close(study);
    return tacit_status_exit(status);
}

/* Starts the workers and waits; true if all of them ended well. */
static int run_workers(const char *storage)
{
    int good = 0, started = 0;
    for (int i = 0; i < WORKERS; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(worker(storage));
        started += child > 0;
    }
    for (int i = 0, status; i < started; i++)
        good += wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return good == WORKERS;
}

static int report(const char *storage)
{
    tacit_study *study;
    tacit_trial *best;
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    if (tacit_study_open(&study, storage, "shared", NULL, NULL) != TACIT_OK)
        return 1;
    tacit_status status = tacit_study_summarize(study, &sum, NULL);
    if (status == TACIT_OK)
        status = tacit_study_best(study, &best, NULL);
    if (status == TACIT_OK) {
        printf("%" PRIu64 " trials by %d workers; best: trial %" PRIu64 ", %.4f at (%.3f, %.3f)\n",
               sum.complete, WORKERS, best->number, best->value, best->values[0], best->values[1]);
        tacit_trial_free(best);
    }
    tacit_study_close(study);
    return status != TACIT_OK || sum.complete != (uint64_t)WORKERS * TRIALS_EACH;
}

static void remove_files(const char *folder)
{
    static const char *const names[] = {"study.db", "study.db-wal", "study.db-shm"};
    char file[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, names[i]);
        unlink(file);
    }
    rmdir(folder);
}

int main(void)
{
    char folder[] = "/tmp/tacit-example-XXXXXX", storage[128];
    if (!mkdtemp(folder))
        return 1;
    snprintf(storage, sizeof storage, "sqlite:///%s/study.db", folder);
    int failed = !run_workers(storage) || report(storage);
    remove_files(folder);
    return failed;
}
