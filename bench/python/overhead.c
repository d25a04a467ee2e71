/* overhead.c - the trials of overhead.py by the C interface: asked and told, or run by tacit_worker_run.
 *
 * A library that overhead.py loads beside pytacit, so that both use the same libtacit in the same process, in turns. */
#include <tacit/worker.h>

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef struct overhead {
    double wall_us; /* of all trials; creating and closing the study is not counted */
    double cpu_us;  /* of all threads of the process */
    double sum;     /* of all values: Python's trials must have the same */
    char message[256];
} overhead;

/* What overhead.py calls; it declares them again. */
TACIT_API int overhead_ask_tell(const char *url, const char *document, uint64_t trials,
                                overhead *out);
TACIT_API int overhead_optimize(const char *url, const char *document, uint64_t trials,
                                overhead *out);

static double now_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double objective(const double *point)
{
    return point[0] + point[1];
}

static tacit_status ask_tell(tacit_study *study, uint64_t trials, double *sum, tacit_error *err)
{
    tacit_status status = TACIT_OK;
    for (uint64_t i = 0; i < trials && status == TACIT_OK; i++) {
        double point[2];
        uint64_t trial;
        status = tacit_study_ask(study, &trial, point, err);
        if (status == TACIT_OK) {
            double value = objective(point);
            *sum += value;
            status = tacit_study_tell(study, trial, value, err);
        }
    }
    return status;
}

static tacit_status evaluate(void *user, uint64_t trial, const double *point, double *value,
                             tacit_error *err)
{
    double *sum = user;
    (void)trial;
    (void)err;
    *value = objective(point);
    *sum += *value;
    return TACIT_OK;
}

static tacit_status optimize(tacit_study *study, uint64_t trials, double *sum, tacit_error *err)
{
    tacit_worker_opts opts = TACIT_WORKER_OPTS;
    opts.evaluate = evaluate;
    opts.trials = trials;
    opts.user = sum;
    return tacit_worker_run(study, &opts, NULL, err);
}

typedef tacit_status run(tacit_study *study, uint64_t trials, double *sum, tacit_error *err);

static int measure(run *trials_of, const char *url, const char *document, uint64_t trials,
                   overhead *out)
{
    tacit_error err = {0};
    tacit_study *study = NULL;
    tacit_storage_opts opts = TACIT_STORAGE_OPTS;
    *out = (overhead){0};
    opts.create = true;
    tacit_status status = tacit_study_create(&study, url, document, &opts, &err);
    double wall = now_us(CLOCK_MONOTONIC), cpu = now_us(CLOCK_PROCESS_CPUTIME_ID);
    if (status == TACIT_OK)
        status = trials_of(study, trials, &out->sum, &err);
    out->wall_us = now_us(CLOCK_MONOTONIC) - wall;
    out->cpu_us = now_us(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    tacit_study_close(study);
    for (size_t i = 0; i < sizeof out->message - 1 && err.msg[i] != '\0'; i++)
        out->message[i] = err.msg[i];
    return status;
}

int overhead_ask_tell(const char *url, const char *document, uint64_t trials, overhead *out)
{
    return measure(ask_tell, url, document, trials, out);
}

int overhead_optimize(const char *url, const char *document, uint64_t trials, overhead *out)
{
    return measure(optimize, url, document, trials, out);
}
