/* federation.c - how long a whole private federation takes: dp-fts-de in lockstep, one thread.
 *
 * 200 agents on gp-family (1000 candidates of [0,1]), 4 regions, 10 initial points and 40 rounds,
 * each with a release; 5 runs one after another. The time is of all of it: features, posteriors,
 * messages, clipping, exact noise, sums, scores, events. The values that agents observe are drawn
 * before the clock starts. Seconds are processor time of the one thread, so that other work of the
 * machine disturbs them less. peers/federation.py is the same study in vectorised numpy.
 *
 *     bench_federation [repetitions, 5] */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "objective/family.h"
#include "sim/federation.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { AGENTS = 200, REGIONS = 4, INITIAL = 10, ROUNDS = 40, RUNS = 5, STEPS = INITIAL + ROUNDS };

typedef struct world {
    tc_family *family;
    double *noise; /* AGENTS x STEPS */
} world;

static tacit_status world_init(world *w, tacit_error *err)
{
    tc_family_opts opts;
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(1);
    TC_TRY(tc_options_defaults(tc_family_options, &opts, err));
    TC_TRY(tc_family_new(&w->family, "gp-family", &opts, AGENTS, seed, err));
    w->noise = tc_alloc((size_t)AGENTS * STEPS, sizeof *w->noise);
    if (!w->noise)
        return tc_fail_memory(err);
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, 0);
    tc_draw_normals(&s, (size_t)AGENTS * STEPS, w->noise);
    return TACIT_OK;
}

static double observe(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    const world *w = user;
    return tc_family_value(w->family, agent, values) + 0.1 * w->noise[agent * STEPS + trial];
}

static tacit_status run(const world *w, const json_t *options, uint64_t seed, tacit_error *err)
{
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("dp-fts-de"),
                                .options = options,
                                .space = tc_family_space(w->family),
                                .maximize = tc_family_maximize(w->family),
                                .agents = AGENTS,
                                .seed = seed,
                                .budget = STEPS,
                                .objective = observe,
                                .user = (void *)w};
    tc_federation *f;
    TC_TRY(tc_federation_new(&f, &cfg, err));
    tacit_status status = TACIT_OK;
    for (int t = 0; t < STEPS && status == TACIT_OK; t++)
        status = tc_federation_step(f, err);
    tc_federation_free(f);
    return status;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static tacit_status time_runs(const world *w, const json_t *options, double *seconds,
                              tacit_error *err)
{
    const double begin = processor_seconds();
    for (uint64_t r = 0; r < RUNS; r++)
        TC_TRY(run(w, options, r + 1, err));
    *seconds = processor_seconds() - begin;
    return TACIT_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static tacit_status measure(const world *w, int features, const char *message, size_t repetitions,
                            tacit_error *err)
{
    tacit_status status = TACIT_OK;
    double *seconds = tc_alloc(repetitions, sizeof *seconds);
    json_t *options =
        json_pack("{ss ss si si si ss ss ss sf}", "own", "features", "init", "region", "features",
                  features, "regions", REGIONS, "initial", INITIAL, "message", message, "releases",
                  "all", "absorb", "point", "lengthscale", 0.03);
    if (!seconds || !options)
        status = tc_fail_memory(err);
    for (size_t i = 0; i < repetitions && status == TACIT_OK; i++)
        status = time_runs(w, options, &seconds[i], err);
    if (status == TACIT_OK) {
        qsort(seconds, repetitions, sizeof *seconds, ascending);
        double middle = seconds[repetitions / 2];
        printf("%-22s %8d %8s %10.3f %12.3f %8.3f %8.3f\n", "tacit", features, message, middle,
               middle * 1e3 / (RUNS * STEPS), seconds[0], seconds[repetitions - 1]);
    }
    json_decref(options);
    tc_free(seconds);
    return status;
}

static tacit_status measure_all(world *w, size_t repetitions, tacit_error *err)
{
    static const char *const messages[] = {"mean", "draw"};
    TC_TRY(world_init(w, err));
    printf("dp-fts-de, %d agents, %d rounds after %d initial points, %d runs, 1 thread, medians of "
           "%zu\n",
           AGENTS, ROUNDS, INITIAL, RUNS, repetitions);
    printf("%-22s %8s %8s %10s %12s %8s %8s\n", "who", "M", "message", "seconds", "ms a step",
           "least", "most");
    for (int features = 50; features <= 100; features += 50)
        for (size_t i = 0; i < 2; i++)
            TC_TRY(measure(w, features, messages[i], repetitions, err));
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    world w = {0};
    tacit_error err = {0};
    tacit_status status = measure_all(&w, repetitions > 0 ? (size_t)repetitions : 5, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_federation: %s\n", err.msg);
    tc_family_free(w.family);
    tc_free(w.noise);
    return tacit_status_exit(status);
}
