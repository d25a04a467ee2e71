/* tree.c - bandits by pulls: pulls per second on a free objective, and regret on shifted garland.
 *
 * Speed: one thread, 1 - |x - 0.37| with uniform noise, one noise draw per pull. hct at growing T shows
 * whether the cost of a pull is flat; pf-pne has 1000 clients. Alone: one client on garland, noise
 * U(-0.1, 0.1), in the columns of peers/tree.py, which runs PyXAB on the same. Regret: M = 10 clients,
 * garland shifted by a normal of sd 0.05, the same noise, mean cumulative regret per client and its
 * standard error. Seconds are processor time.
 *
 *     bench_tree [runs of the regret table, 10] [its T, 10000] */
#include "base/error.h"
#include "base/memory.h"
#include "sim/bandit_simulation.h"
#include "sim/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { OPTIONS_SIZE = 256, CLIENTS = 10, RUNS_MAX = 1000 };

static double slope(const void *of, uint64_t client, const double *u)
{
    (void)of;
    (void)client;
    return 1 - fabs(u[0] - 0.37);
}

static double one(const void *of, uint64_t client)
{
    (void)of;
    (void)client;
    return 1;
}

/* A bandit by name, with its defaults. */
static tacit_status find(const char *name, const tc_bandit **out, void *opts, tacit_error *err)
{
    TC_TRY(tc_bandit_get(out, name, err));
    if ((*out)->options_size > OPTIONS_SIZE)
        return tc_fail(err, TACIT_E_INTERNAL, "the options of %s need %zu bytes", name,
                       (*out)->options_size);
    return tc_options_defaults((*out)->options, opts, err);
}

/* ---- speed ---- */

static double resident_mb(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1024;
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static tacit_status time_one(const char *name, uint64_t clients, uint64_t T, tacit_error *err)
{
    _Alignas(max_align_t) char opts[OPTIONS_SIZE] = {0};
    tc_rewards free_of_charge = {.dim = 1, .value = slope, .best = one, .scale = 0.1};
    tc_bandit_simulation s = {.opts = opts,
                              .rewards = &free_of_charge,
                              .clients = clients,
                              .budget = T,
                              .seed = 1,
                              .points = 1};
    tc_bandit_result r = {0};
    TC_TRY(find(name, &s.bandit, opts, err));
    double begun = processor_seconds();
    TC_TRY(tc_bandit_simulate(&s, &r, err));
    double seconds = processor_seconds() - begun;
    printf("%-9s %8" PRIu64 " %10" PRIu64 " %9.3f %12.3g %8.0f\n", name, clients, T, seconds,
           (double)(clients * T) / seconds, resident_mb());
    tc_bandit_result_fini(&r);
    return TACIT_OK;
}

static tacit_status speed(tacit_error *err)
{
    printf("%-9s %8s %10s %9s %12s %8s\n", "bandit", "clients", "pulls each", "seconds", "pulls/s",
           "MB");
    TC_TRY(time_one("hct", 1, 10000, err));
    TC_TRY(time_one("hct", 1, 100000, err));
    TC_TRY(time_one("hct", 1, 1000000, err));
    TC_TRY(time_one("hct", 1, 10000000, err));
    TC_TRY(time_one("hoo", 1, 1000000, err));
    TC_TRY(time_one("blin", 1, 10000000, err));
    TC_TRY(time_one("fed-hct", 10, 1000000, err));
    TC_TRY(time_one("pf-pne", 1000, 1000000, err));
    return time_one("fed-pne", 1000, 1000000, err);
}

/* ---- regret ---- */

static tacit_status play(tc_bandit_simulation *s, uint64_t run, double shift, double *regret,
                         tc_bandit_result *r, tacit_error *err)
{
    tc_run_seeds seeds = tc_run_seeds_of(1, run);
    tc_family_opts o;
    tc_family *family = NULL;
    tc_rewards rewards;
    TC_TRY(tc_options_defaults(tc_family_options, &o, err));
    o.objective.shift = shift;
    TC_TRY(tc_family_new(&family, "garland", &o, (size_t)s->clients, seeds.objective, err));
    tc_family_rewards scaled = {family, 0, 1};
    tacit_status status = tc_rewards_of_family(&rewards, &scaled, err);
    rewards.scale = 0.1;
    s->rewards = &rewards;
    s->seed = seeds.study;
    if (status == TACIT_OK)
        status = tc_bandit_simulate(s, r, err);
    if (status == TACIT_OK)
        *regret = r->mean[0];
    tc_family_free(family);
    return status;
}

static tacit_status regret_of(const char *name, size_t runs, uint64_t T, tacit_error *err)
{
    _Alignas(max_align_t) char opts[OPTIONS_SIZE] = {0};
    double regret[RUNS_MAX], mean, se;
    tc_bandit_simulation s = {.opts = opts, .clients = CLIENTS, .budget = T, .points = 1};
    tc_bandit_result r = {0};
    TC_TRY(find(name, &s.bandit, opts, err));
    for (size_t run = 0; run < runs; run++) {
        tc_bandit_result_fini(&r);
        TC_TRY(play(&s, run, 0.05, &regret[run], &r, err));
    }
    tc_runs_moments(regret, runs, 1, 0, &mean, &se);
    printf("%-9s %10.0f %8.0f %8" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", name, mean, se, r.rounds,
           r.numbers_up, r.numbers_down);
    tc_bandit_result_fini(&r);
    return TACIT_OK;
}

static tacit_status regrets(size_t runs, uint64_t T, tacit_error *err)
{
    printf("\ngarland, M = %d, T = %" PRIu64
           ", %zu runs; rounds and numbers are those of the last\n",
           CLIENTS, T, runs);
    printf("%-9s %10s %8s %8s %12s %12s\n", "bandit", "regret", "se", "rounds", "numbers up",
           "down");
    for (size_t i = 0; tc_bandits()[i]; i++)
        TC_TRY(regret_of(tc_bandits()[i]->name, runs, T, err));
    return TACIT_OK;
}

/* ---- alone, beside a peer ---- */

static tacit_status alone(const char *name, uint64_t T, size_t runs, tacit_error *err)
{
    _Alignas(max_align_t) char opts[OPTIONS_SIZE] = {0};
    double regret[RUNS_MAX], mean, se, begun = processor_seconds();
    tc_bandit_simulation s = {.opts = opts, .clients = 1, .budget = T, .points = 1};
    TC_TRY(find(name, &s.bandit, opts, err));
    for (size_t run = 0; run < runs; run++) {
        tc_bandit_result r = {0};
        TC_TRY(play(&s, run, 0, &regret[run], &r, err));
        tc_bandit_result_fini(&r);
    }
    double seconds = (processor_seconds() - begun) / (double)runs;
    tc_runs_moments(regret, runs, 1, 0, &mean, &se);
    printf("%-9s %10" PRIu64 " %6zu %10.6f %12.3g %10.1f %8.1f\n", name, T, runs, seconds,
           (double)T / seconds, mean, se);
    return TACIT_OK;
}

static tacit_status beside_peers(tacit_error *err)
{
    printf("\n%-9s %10s %6s %10s %12s %10s %8s\n", "bandit", "pulls", "runs", "seconds", "pulls/s",
           "regret", "se");
    TC_TRY(alone("hct", 10000, 100, err));
    TC_TRY(alone("hct", 100000, 20, err));
    return alone("hoo", 10000, 100, err);
}

int main(int argc, char **argv)
{
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
    double T = argc > 2 ? strtod(argv[2], NULL) : 10000;
    tacit_error err = {0};
    tacit_status status = speed(&err);
    if (status == TACIT_OK)
        status = beside_peers(&err);
    if (status == TACIT_OK && runs > 0 && runs <= RUNS_MAX && T >= 1 && T <= 1e9)
        status = regrets((size_t)runs, (uint64_t)T, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_tree: %s\n", err.msg);
    return tacit_status_exit(status);
}
