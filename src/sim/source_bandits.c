/* source_bandits.c - a run of a bandit by pulls, from its last snapshot where there is one. See simulation.h. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/bandit_simulation.h"
#include "sim/snapshot.h"
#include "sim/step_source.h"

#include <inttypes.h>
#include <string.h>

static bool count(void *user, uint64_t pulls)
{
    return tc_run_count(user, pulls, NULL) == TACIT_OK;
}

static void pass_round(void *user, uint64_t pulls, uint64_t numbers)
{
    const tc_simulation *sim = ((tc_run *)user)->sim;
    sim->round(sim->user, pulls, numbers);
}

/* Where the snapshots of a run are. */
static char *snapshot_file(const tc_run *r)
{
    tc_text file = {0};
    tc_text_addf(&file, "%s.run-%" PRIu64, r->sim->checkpoint, r->number);
    return tc_text_take(&file);
}

static tacit_status pull(tc_run *r, const tc_rewards *rewards, const void *opts,
                         const tc_bandit_snapshots *keep, tacit_error *err)
{
    const tc_simulation *sim = r->sim;
    tc_bandit_result one = {0};
    tc_bandit_simulation study = {.bandit = sim->bandit,
                                  .opts = opts,
                                  .rewards = rewards,
                                  .clients = sim->agents,
                                  .budget = sim->trials,
                                  .seed = r->seeds.study,
                                  .points = sim->points,
                                  .anywhere = sim->anywhere,
                                  .pool = sim->pool,
                                  .keep = keep,
                                  .round = sim->round ? pass_round : NULL,
                                  .progress = count,
                                  .user = r};
    TC_TRY(tc_bandit_simulate(&study, &one, err));
    r->counts = (tacit_run_counts){.rounds = one.rounds,
                                   .last_round_at = one.last_round_at,
                                   .numbers_up = one.numbers_up,
                                   .numbers_down = one.numbers_down};
    r->pulls = one.pulls;
    memcpy(r->cumulative, one.mean, sim->points * sizeof *one.mean);
    tc_bandit_result_fini(&one);
    (void)count(r, r->shape->steps);
    return TACIT_OK;
}

static tacit_status pull_family(tc_run *r, const tc_family *family, const tc_bandit_snapshots *keep,
                                tacit_error *err)
{
    const tc_simulation *sim = r->sim;
    tc_family_rewards scaled = {family, sim->low, sim->high};
    tc_optioned of = tc_optioned_bandit(sim->bandit);
    tc_rewards rewards;
    void *opts;
    TC_TRY(tc_rewards_of_family(&rewards, &scaled, err));
    rewards.noise = sim->noise;
    rewards.scale = sim->scale;
    TC_TRY(tc_optioned_new(&of, sim->options, &opts, err));
    tacit_status status = pull(r, &rewards, opts, keep, err);
    tc_optioned_free(&of, opts);
    return status;
}

static tacit_status run_pulls(tc_run *r, tacit_error *err)
{
    const tc_simulation *sim = r->sim;
    tc_family *family = NULL;
    tc_text identity = {0};
    char *file = sim->checkpoint ? snapshot_file(r) : NULL;
    tc_text_addf(&identity, "%s\nrun %" PRIu64, r->identity, r->number);
    tc_bandit_snapshots keep = {file, tc_text_get(&identity), sim->every_s};
    tacit_status status = identity.failed || (sim->checkpoint && !file)
                              ? tc_fail_memory(err)
                              : tc_family_new(&family, sim->objective, &sim->family,
                                              (size_t)sim->agents, r->seeds.objective, err);
    if (status == TACIT_OK)
        status = pull_family(r, family, file ? &keep : NULL, err);
    tc_family_free(family);
    tc_text_fini(&identity);
    tc_free(file);
    return status;
}

/* Its snapshot has had its day. */
static void remove_snapshot(const tc_run *r)
{
    char *file = snapshot_file(r);
    if (file)
        tc_snapshot_remove(file);
    tc_free(file);
}

static tacit_status shape_pulls(const tc_simulation *sim, tc_run_shape *out, tacit_error *err)
{
    json_t *options;
    if (!sim->agents || !sim->trials || !sim->runs || !sim->points)
        return tc_fail(err, TACIT_E_ARG,
                       "agents, pulls, runs and points must be at least 1, not %" PRIu64
                       ", %" PRIu64 ", %" PRIu64 " and %zu",
                       sim->agents, sim->trials, sim->runs, sim->points);
    if (!(sim->scale >= 0 && sim->scale <= 1))
        return tc_fail(err, TACIT_E_ARG, "the scale of the noise must be in [0, 1], not %g",
                       sim->scale);
    TC_TRY(tc_simulation_options(sim, &options, err)); /* once, before every run fails by them */
    json_decref(options);
    *out = (tc_run_shape){
        .agents = sim->agents, .steps = sim->agents * sim->trials, .points = sim->points};
    return TACIT_OK;
}

const tc_step_source tc_source_bandits = {
    .shape = shape_pulls, .whole = run_pulls, .kept = remove_snapshot};
