/* 10_worker.c - a function of yours, evaluated four trials at a time until the study has enough.
 *
 *     cc 10_worker.c $(pkg-config --cflags --libs tacit) -lm -o worker
 *
 * Kill it, and start it again: it goes on where it was. Start it twice, and both work on one study. Here the storage ends
 * with the program, so that the example leaves nothing behind: "sqlite:///tacit.db" keeps it. */
#include <tacit/worker.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char document[] =
    "{\"name\": \"valley\", \"direction\": \"minimize\", \"trials\": 40, \"seed\": 1,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -2, \"high\": 2},"
    "             \"y\": {\"type\": \"float\", \"low\": -1, \"high\": 3}}}";

/* Called by several threads at once. What does not work out is E_NUMERIC, say, with a sentence in *err. */
static tacit_status valley(void *user, uint64_t trial, const double *p, double *value,
                           tacit_error *err)
{
    double a = 1 - p[0], b = p[1] - p[0] * p[0];
    (void)user;
    (void)trial;
    (void)err;
    *value = log1p(a * a + 100 * b * b);
    return TACIT_OK;
}

static void listen(void *user, const tacit_worker_event *e)
{
    (void)user;
    if (e->kind == TACIT_WORKER_TOLD)
        printf("trial %" PRIu64 ": %.4f\n", e->trial, e->report->value);
    else if (e->kind == TACIT_WORKER_NOTE)
        printf("%s\n", e->text);
}

int main(void)
{
    tacit_error err = {0};
    tacit_study *study = NULL;
    tacit_trial *best = NULL;
    tacit_worker_opts opts = TACIT_WORKER_OPTS;
    tacit_worker_result done = TACIT_WORKER_RESULT;
    opts.evaluate = valley;
    opts.jobs = 4;
    opts.listen = listen;
    tacit_status status = tacit_study_create(&study, "memory:", document, NULL, &err);
    if (status == TACIT_OK)
        status = tacit_worker_run(study, &opts, &done, &err);
    if (status == TACIT_OK)
        status = tacit_study_best(study, &best, &err);
    if (status == TACIT_OK)
        printf("%" PRIu64 " trials; the best is trial %" PRIu64 ", %.4f at (%.3f, %.3f)\n",
               done.told, best->number, best->value, best->values[0], best->values[1]);
    else
        fprintf(stderr, "%s\n", err.msg);
    tacit_trial_free(best);
    tacit_study_close(study);
    return tacit_status_exit(status);
}
