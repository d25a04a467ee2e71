/* fts.c - what an iteration costs an agent that learns from N others (the FTS paper's Fig. 3d).
 *
 * One agent on 1000 candidates of [0,1] with M = 100 features, 10 initial points and 20 iterations.
 * The others are one message, handed out under every name: its content does not change the time.
 * fts reads at most one message an iteration; rgpe and taf read all of them once, which is timed
 * apart, and then weigh N models in every iteration: medians of those.
 *
 *     bench_fts [most agents of rgpe and taf, 200] */
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "algo/optimizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 1000, INITIAL = 10, ITERATIONS = 20 };

typedef struct message {
    uint8_t *bytes;
    size_t size;
} message;

static tacit_status make_agent(tc_optimizer **out, const char *name, const tc_space *space,
                               uint64_t agents, tacit_error *err)
{
    json_t *options =
        json_pack("{s:i, s:f, s:i}", "features", 100, "lengthscale", 0.1, "initial", (int)INITIAL);
    if (!options)
        return tc_fail_memory(err);
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(name),
                               .options = options,
                               .space = space,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(1),
                               .party_seed = tc_party_seed_from(1),
                               .agents = agents,
                               .budget = INITIAL + ITERATIONS};
    tacit_status status = tc_optimizer_new(out, &cfg, err);
    json_decref(options);
    return status;
}

static tacit_status run_trial(tc_optimizer *o, tacit_error *err)
{
    const tc_ask_request request = {0};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(o, &request, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    double x = tc_optimizer_trial(o, e.trial)->values[0] / POINTS;
    TC_TRY(tc_optimizer_tell(o, e.trial, NULL, sin(20 * x) - x, 0, &e, err));
    return tc_optimizer_apply(o, &e, err);
}

/* The agent's own message, as the relay releases it. */
static tacit_status publish(tc_optimizer *o, const char *name, uint64_t agents, message *out,
                            tacit_error *err)
{
    const tc_algorithm *a = tc_algorithm_find(name);
    tc_env env = {.space = tc_optimizer_space(o), .agents = agents};
    tc_event e;
    tc_release *r;
    TC_TRY(tc_optimizer_publish(o, 0, &e, err));
    TC_TRY(
        a->relay->release(&env, tc_optimizer_options(o), e.round, 0, e.bytes, e.n_bytes, &r, err));
    out->size = tc_release_size(r);
    out->bytes = tc_alloc(out->size, 1);
    if (out->bytes)
        tc_release_encode(r, out->bytes);
    tc_release_free(r);
    return out->bytes ? tc_optimizer_apply(o, &e, err) : tc_fail_memory(err);
}

static tacit_status fetch(tc_optimizer *o, const message *m, tacit_error *err)
{
    for (;;) {
        tc_need need;
        tc_event e;
        TC_TRY(tc_optimizer_need(o, &need, err));
        if (!(need.must & TC_NEED_FETCH))
            return TACIT_OK;
        TC_TRY(tc_optimizer_fetch(o, need.round, need.party, m->bytes, m->size, 0, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the first iteration, and the median of the others. */
static tacit_status iterate(tc_optimizer *o, const message *m, double seconds[2], tacit_error *err)
{
    double each[ITERATIONS];
    for (int i = 0; i < ITERATIONS; i++) {
        uint64_t start = tc_clock_ns();
        TC_TRY(fetch(o, m, err));
        TC_TRY(run_trial(o, err));
        each[i] = 1e-9 * (double)(tc_clock_ns() - start);
    }
    qsort(each + 1, ITERATIONS - 1, sizeof *each, ascending);
    seconds[0] = each[0];
    seconds[1] = each[1 + (ITERATIONS - 1) / 2];
    return TACIT_OK;
}

static tacit_status measure(const char *name, const tc_space *space, uint64_t agents,
                            tacit_error *err)
{
    tc_optimizer *o = NULL;
    message m = {0};
    double seconds[2];
    tacit_status status = make_agent(&o, name, space, agents, err);
    for (int i = 0; i < INITIAL && status == TACIT_OK; i++)
        status = run_trial(o, err);
    if (status == TACIT_OK)
        status = publish(o, name, agents, &m, err);
    if (status == TACIT_OK)
        status = iterate(o, &m, seconds, err);
    if (status == TACIT_OK)
        printf("%-6s %9llu %12.3f %14.4f %10zu\n", name, (unsigned long long)agents,
               1e3 * seconds[0], 1e3 * seconds[1], m.size);
    tc_free(m.bytes);
    tc_optimizer_free(o);
    return status;
}

static tacit_status measure_all(const tc_space *space, uint64_t most, tacit_error *err)
{
    static const uint64_t agents[] = {10, 50, 200, 1000, 100000};
    static const char *const names[] = {"fts", "rgpe", "taf"};
    printf("%-6s %9s %12s %14s %10s\n", "who", "agents", "first, ms", "iteration, ms",
           "message, B");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
            if (k == 0 || agents[i] <= most)
                TC_TRY(measure(names[k], space, agents[i], err));
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    tacit_error err = {0};
    tc_domain *domain = NULL;
    tc_space *space = NULL;
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    tacit_status status =
        tc_domain_grid(&domain, 1, (size_t[]){POINTS}, (double[]){0}, (double[]){1}, &err);
    if (status == TACIT_OK)
        status = tc_space_from_domain(&space, domain, &err);
    if (status == TACIT_OK)
        status = measure_all(space, most, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_fts: %s\n", err.msg);
    tc_space_free(space);
    return status == TACIT_OK ? 0 : 1;
}
