/* pull_runs.c - many runs of a bandit, in parallel and from a checkpoint. See pull_runs.h. */
#include "sim/pull_runs.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/checkpoint.h"
#include "sim/runs.h"
#include "sim/snapshot.h"

#include <tacit/tacit.h>

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

typedef struct all {
    const tc_pull_runs *p;
    void *opts; /* of the bandit, checked */
    tc_pull_runs_result *result;
    bool *finished;      /* by run: restored, nothing to do */
    tacit_error *errors; /* by run */
    tc_checkpoint *checkpoint;
    char *identity; /* of the checkpoint, and with the number of the run of its snapshots */
    atomic_uint_fast64_t pulls; /* of all runs: where they are, for progress ... */
    atomic_uint_fast64_t work;  /* ... and what was done here */
    atomic_bool stop;
} all;

/* A run while it goes on. */
typedef struct playing {
    all *a;
    uint64_t seen; /* pulls that are counted */
    char *file, *identity;
} playing;

/* ---- one run as words ---- */

enum { COUNTS = 4 }; /* rounds, when the last was, numbers up and down; then the curve */

static tacit_status keep_run(all *a, uint64_t run, tacit_error *err)
{
    const tc_pull_runs_result *r = a->result;
    if (!a->checkpoint)
        return TACIT_OK;
    uint64_t *words = tc_alloc(COUNTS + r->points, sizeof *words);
    if (!words)
        return tc_fail_memory(err);
    words[0] = r->rounds[run];
    words[1] = r->last_round_at[run];
    words[2] = r->numbers_up[run];
    words[3] = r->numbers_down[run];
    memcpy(words + COUNTS, r->regret + run * r->points, r->points * sizeof *words);
    tacit_status status = tc_checkpoint_add(a->checkpoint, run, words, COUNTS + r->points, err);
    tc_free(words);
    return status;
}

static tacit_status restore(void *user, uint64_t run, const uint64_t *words, size_t n,
                            tacit_error *err)
{
    all *a = user;
    tc_pull_runs_result *r = a->result;
    if (n != COUNTS + r->points || (run < a->p->runs && a->finished[run]))
        return tc_fail(err, TACIT_E_CORRUPT, "%zu numbers are not a run of this simulation", n);
    if (run >= a->p->runs)
        return TACIT_OK; /* there were to be more, once */
    r->rounds[run] = words[0];
    r->last_round_at[run] = words[1];
    r->numbers_up[run] = words[2];
    r->numbers_down[run] = words[3];
    memcpy(r->regret + run * r->points, words + COUNTS, r->points * sizeof *words);
    a->finished[run] = true;
    return TACIT_OK;
}

/* ---- a run ---- */

static void take(all *a, uint64_t run, const tc_pull_result *one)
{
    tc_pull_runs_result *r = a->result;
    r->rounds[run] = one->rounds;
    r->last_round_at[run] = one->last_round_at;
    r->numbers_up[run] = one->numbers_up;
    r->numbers_down[run] = one->numbers_down;
    memcpy(r->regret + run * r->points, one->mean, r->points * sizeof *one->mean);
}

/* A run has come so far. */
static bool count(void *user, uint64_t pulls)
{
    playing *o = user;
    all *a = o->a;
    uint64_t sum = atomic_fetch_add(&a->pulls, pulls - o->seen) + pulls - o->seen;
    o->seen = pulls;
    if (a->p->progress && !a->p->progress(a->p->user, sum))
        atomic_store(&a->stop, true);
    return !atomic_load(&a->stop);
}

static void pass_round(void *user, uint64_t pulls, uint64_t numbers)
{
    const playing *o = user;
    o->a->p->round(o->a->p->user, pulls, numbers);
}

/* Where its snapshots are, and whose. */
static tacit_status name_snapshot(playing *o, uint64_t run, tacit_error *err)
{
    tc_text file = {0}, identity = {0};
    tc_text_addf(&file, "%s.run-%" PRIu64, o->a->p->checkpoint, run);
    tc_text_addf(&identity, "%s\nrun %" PRIu64, o->a->identity, run);
    o->file = tc_text_take(&file);
    o->identity = tc_text_take(&identity);
    return o->file && o->identity ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status play_on(playing *o, uint64_t run, const tc_family *family, uint64_t seed,
                            tacit_error *err)
{
    all *a = o->a;
    const tc_pull_runs *p = a->p;
    tc_family_rewards scaled = {family, p->low, p->high};
    tc_rewards rewards;
    tc_pull_result result = {0};
    tc_pull_keep keep = {o->file, o->identity, p->every_s};
    TC_TRY(tc_rewards_of_family(&rewards, &scaled, err));
    rewards.noise = p->noise;
    rewards.scale = p->scale;
    tc_pull_study study = {.bandit = p->bandit,
                           .opts = a->opts,
                           .rewards = &rewards,
                           .clients = p->clients,
                           .budget = p->budget,
                           .seed = seed,
                           .points = p->points,
                           .anywhere = p->anywhere,
                           .pool = p->pool,
                           .keep = o->file ? &keep : NULL,
                           .round = p->round ? pass_round : NULL,
                           .progress = count,
                           .user = o};
    TC_TRY(tc_pulls_run(&study, &result, err));
    take(a, run, &result);
    atomic_fetch_add(&a->work, result.pulls);
    tc_pull_result_fini(&result);
    return keep_run(a, run, err);
}

static tacit_status play(playing *o, uint64_t run, tacit_error *err)
{
    const tc_pull_runs *p = o->a->p;
    tc_run_seeds seeds = tc_run_seeds_of(p->seed, run);
    tc_family *family = NULL;
    TC_TRY(
        tc_family_new(&family, p->objective, &p->family, (size_t)p->clients, seeds.objective, err));
    tacit_status status = play_on(o, run, family, seeds.study, err);
    tc_family_free(family);
    return status;
}

/* A run that is finished is in the checkpoint: its snapshot has had its day, also where a process was
 * killed between the two. */
static tacit_status play_run(playing *o, uint64_t run, tacit_error *err)
{
    all *a = o->a;
    if (atomic_load(&a->stop))
        return tc_fail(err, TACIT_E_CANCELLED, "the simulation was interrupted");
    if (a->checkpoint)
        TC_TRY(name_snapshot(o, run, err));
    if (!a->finished[run])
        TC_TRY(play(o, run, err));
    if (o->file)
        tc_snapshot_remove(o->file);
    (void)count(o, a->p->clients * a->p->budget);
    return TACIT_OK;
}

static void play_one(void *ctx, size_t run)
{
    all *a = ctx;
    playing o = {.a = a};
    if (play_run(&o, run, &a->errors[run]) != TACIT_OK)
        atomic_store(&a->stop, true); /* without this run there is no result */
    tc_free(o.file);
    tc_free(o.identity);
}

/* ---- all of them ---- */

static tacit_status add_options(tc_text *out, json_t *options, tacit_error *err)
{
    char *text = options ? tc_json_text(options) : NULL;
    json_decref(options);
    if (!text)
        return tc_fail_memory(err);
    tc_text_addf(out, "%s\n", text);
    tc_free(text);
    return TACIT_OK;
}

/* Everything that a run depends on. Not how many there are: a simulation may be extended. */
static tacit_status identity(const all *a, tc_text *out, tacit_error *err)
{
    const tc_pull_runs *p = a->p;
    tc_text_addf(out, "tacit %s\nby pulls, 2\n%s\n%s\n", TACIT_VERSION, p->bandit->name,
                 p->objective);
    TC_TRY(add_options(out, tc_options_json(p->bandit->options, a->opts), err));
    TC_TRY(add_options(out, tc_options_json(tc_family_options, &p->family), err));
    TC_TRY(tc_runs_add_table(out, p->objective, err));
    tc_text_addf(out,
                 "clients %" PRIu64 " budget %" PRIu64 " seed %" PRIu64
                 " points %zu low %a high %a noise %d scale %a anywhere %d\n",
                 p->clients, p->budget, p->seed, p->points, p->low, p->high, (int)p->noise,
                 p->scale, p->anywhere);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status open_checkpoint(all *a, tacit_error *err)
{
    tc_text text = {0};
    if (!a->p->checkpoint)
        return TACIT_OK;
    tacit_status status = identity(a, &text, err);
    if (status != TACIT_OK) {
        tc_text_fini(&text);
        return status;
    }
    a->identity = tc_text_take(&text);
    return tc_checkpoint_open(&a->checkpoint, a->p->checkpoint, a->identity, restore, a, err);
}

static tacit_status check(const tc_pull_runs *p, tacit_error *err)
{
    if (!p->clients || !p->budget || !p->runs || !p->points)
        return tc_fail(err, TACIT_E_ARG,
                       "clients, budget, runs and points must be at least 1, not %" PRIu64
                       ", %" PRIu64 ", %" PRIu64 " and %zu",
                       p->clients, p->budget, p->runs, p->points);
    if (!(p->scale >= 0 && p->scale <= 1))
        return tc_fail(err, TACIT_E_ARG, "the scale of the noise must be in [0, 1], not %g",
                       p->scale);
    return TACIT_OK;
}

static tacit_status make_result(const tc_pull_runs *p, tc_pull_runs_result *r, tacit_error *err)
{
    size_t runs = (size_t)p->runs;
    r->runs = p->runs;
    r->points = p->points;
    r->at = tc_alloc(p->points, sizeof *r->at);
    r->mean = tc_alloc(p->points, sizeof *r->mean);
    r->se = tc_alloc(p->points, sizeof *r->se);
    r->regret = runs <= SIZE_MAX / p->points ? tc_alloc(runs * p->points, sizeof *r->regret) : NULL;
    r->rounds = tc_alloc(runs, sizeof *r->rounds);
    r->numbers_up = tc_alloc(runs, sizeof *r->numbers_up);
    r->numbers_down = tc_alloc(runs, sizeof *r->numbers_down);
    r->last_round_at = tc_alloc(runs, sizeof *r->last_round_at);
    bool good = r->at && r->mean && r->se && r->regret && r->rounds && r->numbers_up &&
                r->numbers_down && r->last_round_at;
    return good ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status prepare(all *a, tacit_error *err)
{
    const tc_bandit *b = a->p->bandit;
    a->opts = tc_alloc(1, b->options_size);
    a->finished = tc_alloc((size_t)a->p->runs, sizeof *a->finished);
    a->errors = tc_alloc((size_t)a->p->runs, sizeof *a->errors);
    if (!a->opts || !a->finished || !a->errors)
        return tc_fail_memory(err);
    TC_TRY(tc_options_defaults(b->options, a->opts, err));
    if (a->p->options)
        TC_TRY(tc_options_set_json(b->options, a->opts, b->name, a->p->options, "name", err));
    TC_TRY(make_result(a->p, a->result, err));
    return open_checkpoint(a, err);
}

static tacit_status run_all(all *a, tacit_error *err)
{
    TC_TRY(check(a->p, err));
    TC_TRY(prepare(a, err));
    if (a->p->runs == 1)
        play_one(a, 0);
    else
        tc_pool_for(a->p->pool, (size_t)a->p->runs, play_one, a);
    TC_TRY(tc_runs_failure(a->errors, (size_t)a->p->runs, err));
    tc_pull_runs_result *r = a->result;
    tc_pulls_points(a->p->budget, r->points, r->at);
    for (size_t i = 0; i < r->points; i++)
        tc_runs_moments(r->regret, (size_t)r->runs, r->points, i, &r->mean[i], &r->se[i]);
    return TACIT_OK;
}

tacit_status tc_pull_runs_run(const tc_pull_runs *p, tc_pull_runs_result *out, tacit_error *err)
{
    tc_pull_runs_result result = {0};
    all a = {.p = p, .result = &result};
    uint64_t begun = tc_clock_ns();
    tacit_status status = run_all(&a, err);
    tc_checkpoint_close(a.checkpoint);
    if (a.opts)
        tc_options_fini(p->bandit->options, a.opts);
    tc_free(a.opts);
    tc_free(a.finished);
    tc_free(a.errors);
    tc_free(a.identity);
    if (status != TACIT_OK) {
        tc_pull_runs_result_fini(&result);
        return status;
    }
    result.pulls = atomic_load(&a.work);
    result.seconds = (double)(tc_clock_ns() - begun) * 1e-9;
    *out = result;
    return TACIT_OK;
}

void tc_pull_runs_result_fini(tc_pull_runs_result *r)
{
    tc_free(r->at);
    tc_free(r->mean);
    tc_free(r->se);
    tc_free(r->regret);
    tc_free(r->rounds);
    tc_free(r->numbers_up);
    tc_free(r->numbers_down);
    tc_free(r->last_round_at);
    *r = (tc_pull_runs_result){0};
}
