/* drive.c - cells that are simulations. See drive.h. */
#include "papers/frame/drive.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "papers/baselines/baselines.h"
#include "sim/simulation.h"

#include <math.h>
#include <string.h>

/* ---- words */

static tacit_status set_word(const tc_option *table, void *opts, const char *what, char *word,
                             tacit_error *err)
{
    char *equals = strchr(word, '=');
    if (!equals)
        return tc_fail(err, TACIT_E_ARG, "%s: \"%s\" must be name=value", what, word);
    *equals = '\0';
    return tc_options_set(table, opts, what, word, equals + 1, err);
}

static tacit_status set_words(const tc_option *table, void *opts, const char *what, char *words,
                              tacit_error *err)
{
    char *rest = NULL;
    for (char *w = strtok_r(words, ",", &rest); w; w = strtok_r(NULL, ",", &rest))
        TC_TRY(set_word(table, opts, what, w, err));
    return TACIT_OK;
}

static tacit_status add_words(const tc_option *table, void *opts, const char *what,
                              const char *words, tacit_error *err)
{
    if (!words)
        return TACIT_OK;
    char *copy = tc_strdup(words);
    if (!copy)
        return tc_fail_memory(err);
    tacit_status status = set_words(table, opts, what, copy, err);
    tc_free(copy);
    return status;
}

const char *tc_arm_base(const char *algorithm)
{
    static const char *const relays[] = {"fts", "rgpe", "taf"};
    for (size_t i = 0; i < sizeof relays / sizeof *relays; i++)
        if (strcmp(algorithm, relays[i]) == 0)
            return "own=features,initial=10,lengthscale=0.2";
    return strcmp(algorithm, "dp-fts-de") == 0
               ? "own=features,init=region,initial=10,lengthscale=0.2"
               : NULL;
}

tacit_status tc_words_read(const tc_option *table, void *opts, const char *what, const char *words,
                           tacit_error *err)
{
    TC_TRY(tc_options_defaults(table, opts, err));
    return add_words(table, opts, what, words, err);
}

/* ---- options of the arm */

/* What has a table of options. */
typedef struct optioned {
    const char *name;
    const tc_option *options;
    size_t size;
    const char *more; /* words behind those of the arm; or NULL */
    bool given_only;  /* without defaults: what a release says of its noise may take their place */
} optioned;

static bool is_given(const char *words, const char *name)
{
    size_t len = strlen(name);
    for (const char *w = words; w && *w; w = strchr(w, ',') ? strchr(w, ',') + 1 : NULL)
        if (strncmp(w, name, len) == 0 && w[len] == '=')
            return true;
    return false;
}

static void drop_defaults(const tc_arm_run *c, const optioned *o, json_t *options)
{
    for (const tc_option *row = o->options; row->name; row++)
        if (!is_given(c->arm->options, row->name) && !is_given(o->more, row->name))
            json_object_del(options, row->name);
}

/* Changes options before they are used; NULL: they are as the words say. */
typedef tacit_status (*resolve_fn)(void *user, void *opts, tacit_error *err);

static tacit_status fill_options(const tc_arm_run *c, const optioned *o, void *opts,
                                 resolve_fn resolve, void *user, json_t **out, tacit_error *err)
{
    TC_TRY(tc_words_read(o->options, opts, o->name, tc_arm_base(o->name), err));
    TC_TRY(add_words(o->options, opts, o->name, c->arm->options, err));
    TC_TRY(add_words(o->options, opts, o->name, o->more, err));
    if (resolve)
        TC_TRY(resolve(user, opts, err));
    json_t *j = tc_options_json(o->options, opts);
    if (!j)
        return tc_fail_memory(err);
    if (o->given_only)
        drop_defaults(c, o, j);
    *out = j;
    return TACIT_OK;
}

static tacit_status options_of(const tc_arm_run *c, const optioned *o, resolve_fn resolve,
                               void *user, json_t **out, tacit_error *err)
{
    void *opts = tc_alloc(1, o->size ? o->size : 1);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = fill_options(c, o, opts, resolve, user, out, err);
    tc_options_fini(o->options, opts);
    tc_free(opts);
    return status;
}

/* The only use of progress in a cell is to be told to stop. */
static bool proceed(void *user, uint64_t done)
{
    const tc_arm_run *c = user;
    (void)done;
    return !c->proceed || c->proceed(c->user);
}

/* ---- federations */

/* When the last `n` steps ended, by the processor time of this thread. */
typedef struct stopwatch {
    const tc_arm_run *cell;
    uint64_t *ends, n; /* n 0: nobody asks */
} stopwatch;

static bool step_ended(void *user, uint64_t done)
{
    const stopwatch *w = user;
    if (w->n > 0)
        w->ends[done % w->n] = tc_clock_thread_ns();
    return proceed((void *)w->cell, done);
}

typedef struct promise {
    const tc_arm_run *cell;
    const tc_simulation *f;
} promise;

/* The noise that keeps the arm's promise; the space is that of an agent. */
static tacit_status keep_promise(void *user, void *opts, tacit_error *err)
{
    const promise *p = user;
    const tc_arm *arm = p->cell->arm;
    tc_family *family;
    if (!p->f->algorithm->promise)
        return tc_fail(err, TACIT_E_ARG, "the algorithm %s promises nothing", arm->algorithm);
    TC_TRY(tc_family_new(&family, p->f->objective, &p->f->family, 1, tc_public_seed_from(0), err));
    const tc_option *o = tc_options_find(p->f->algorithm->options, "initial");
    uint64_t initial =
        o && o->type == TC_OPTION_INT ? (uint64_t) * (int64_t *)((char *)opts + o->offset) : 0;
    tc_env env = {
        .space = tc_family_space(family), .agents = p->f->agents, .budget = initial + p->f->trials};
    tacit_status status = p->f->algorithm->promise(&env, opts, arm->epsilon, arm->delta, err);
    tc_family_free(family);
    return status;
}

/* The mean over the first `targets` agents of one run. */
static void take_targets(const tc_arm_run *c, const tc_federated_task *t, const tacit_curves *r)
{
    const double *by_agent = t->cumulative ? r->agent_cumulative : r->agent_simple;
    for (size_t i = 0; i < c->n; i++) {
        double sum = 0;
        for (uint64_t a = 0; a < t->targets; a++)
            sum += by_agent[a * c->n + i];
        c->y[i] = sum / (double)t->targets;
    }
}

/* May the others be silent? */
static bool alone(const tc_simulation *f)
{
    return !tc_algorithm_federated(f->algorithm) || (f->algorithm->relay && f->past > 0);
}

static tacit_status federate(const tc_arm_run *c, const tc_federated_task *t, tc_simulation *f,
                             tacit_curves *r, tacit_error *err)
{
    json_t *options = NULL;
    promise p = {c, f};
    TC_TRY(tc_algorithm_get(&f->algorithm, c->arm->algorithm, err));
    TC_TRY(tc_words_read(tc_family_options, &f->family, t->objective, t->words, err));
    optioned o = {f->algorithm->name, f->algorithm->options, f->algorithm->options_size};
    TC_TRY(options_of(c, &o, c->arm->epsilon > 0 ? keep_promise : NULL, &p, &options, err));
    f->options = options;
    f->past = f->algorithm->relay ? t->past : 0;
    f->acting = alone(f) ? t->targets : 0;
    tacit_status status = tc_simulate(f, r, err);
    json_decref(options);
    return status;
}

static tacit_status run_federated(const stopwatch *w, const tc_federated_task *t, uint64_t rounds,
                                  tacit_curves *r, tacit_error *err)
{
    const tc_arm_run *c = w->cell;
    tc_simulation f = {.source = &tc_source_federation,
                       .objective = t->objective,
                       .agents = t->agents,
                       .trials = rounds,
                       .runs = 1,
                       .seed = c->seed,
                       .initial = t->initial,
                       .by_agent = t->targets > 0,
                       .paired = t->paired,
                       .progress = step_ended,
                       .user = (void *)w};
    tacit_status status = federate(c, t, &f, r, err);
    tc_options_fini(tc_family_options, &f.family);
    return status;
}

tacit_status tc_drive_federated(const tc_arm_run *c, const tc_federated_task *t, tacit_error *err)
{
    tacit_curves r = {0};
    TC_TRY(run_federated(&(stopwatch){.cell = c}, t, c->n - 1, &r, err));
    if (t->targets > 0)
        take_targets(c, t, &r);
    else
        memcpy(c->y, t->cumulative ? r.cumulative : r.simple, c->n * sizeof *c->y);
    tacit_curves_fini(&r);
    return TACIT_OK;
}

tacit_status tc_drive_federated_curves(const tc_arm_run *c, const tc_federated_task *t,
                                       uint64_t rounds, double *simple, double *cumulative,
                                       tacit_error *err)
{
    tacit_curves r = {0};
    tc_federated_task all = *t;
    all.targets = 0;
    TC_TRY(run_federated(&(stopwatch){.cell = c}, &all, rounds, &r, err));
    memcpy(simple, r.simple, (rounds + 1) * sizeof *simple);
    memcpy(cumulative, r.cumulative, (rounds + 1) * sizeof *cumulative);
    tacit_curves_fini(&r);
    return TACIT_OK;
}

/* The last of the initial points ends iteration 0. */
static tacit_status read_watch(const stopwatch *w, const tc_federated_task *t,
                               const tacit_curves *r, double *seconds, tacit_error *err)
{
    if (r->initial == 0 || r->agents != t->targets)
        return tc_fail(err, TACIT_E_ARG,
                       "%s cannot be timed: there must be initial points, and agents that need "
                       "no message of this study",
                       w->cell->arm->algorithm);
    for (uint64_t i = 0; i < w->n; i++)
        seconds[i] = 1e-9 *
                     (double)(w->ends[(r->initial + i) % w->n] - w->ends[r->initial % w->n]) /
                     (double)r->agents;
    return TACIT_OK;
}

static tacit_status run_timed(const stopwatch *w, const tc_federated_task *t, double *simple,
                              double *seconds, tacit_error *err)
{
    tacit_curves r = {0};
    TC_TRY(run_federated(w, t, w->n - 1, &r, err));
    memcpy(simple, r.simple, w->n * sizeof *simple);
    tacit_status status = read_watch(w, t, &r, seconds, err);
    tacit_curves_fini(&r);
    return status;
}

tacit_status tc_drive_federated_timed(const tc_arm_run *c, const tc_federated_task *t,
                                      uint64_t rounds, double *simple, double *seconds,
                                      tacit_error *err)
{
    stopwatch w = {.cell = c, .n = rounds + 1};
    w.ends = tc_alloc(w.n, sizeof *w.ends);
    if (!w.ends)
        return tc_fail_memory(err);
    tacit_status status = run_timed(&w, t, simple, seconds, err);
    tc_free(w.ends);
    return status;
}

/* ---- one party */

static tacit_status simulate(const tc_arm_run *c, const tc_single_task *t, tc_simulation *sim,
                             double *curve, tacit_error *err)
{
    json_t *options = NULL;
    tacit_curves r = {0};
    TC_TRY(tc_algorithm_get_single(&sim->algorithm, c->arm->algorithm, err));
    TC_TRY(
        tc_words_read(tc_objective_options, &sim->family.objective, t->objective, t->words, err));
    optioned o = {sim->algorithm->name, sim->algorithm->options, sim->algorithm->options_size,
                  t->options, true};
    TC_TRY(options_of(c, &o, NULL, NULL, &options, err));
    sim->options = options;
    tacit_status status = tc_simulate(sim, &r, err);
    if (status == TACIT_OK)
        memcpy(curve, t->cumulative ? r.cumulative : r.simple, t->trials * sizeof *curve);
    tacit_curves_fini(&r);
    json_decref(options);
    return status;
}

tacit_status tc_drive_single(const tc_arm_run *c, const tc_single_task *t, double *curve,
                             tacit_error *err)
{
    tc_simulation sim = {.objective = t->objective,
                         .reply = t->reply,
                         .curated = t->curated,
                         .trials = t->trials,
                         .runs = 1,
                         .seed = c->seed,
                         .progress = proceed,
                         .user = (void *)c};
    tacit_status status = simulate(c, t, &sim, curve, err);
    tc_options_fini(tc_objective_options, &sim.family.objective);
    return status;
}

tacit_status tc_drive_single_points(const tc_arm_run *c, const tc_single_task *t, tacit_error *err)
{
    double *curve = tc_alloc(t->trials, sizeof *curve);
    if (!curve)
        return tc_fail_memory(err);
    tacit_status status = tc_drive_single(c, t, curve, err);
    for (size_t i = 0; status == TACIT_OK && i < c->n; i++)
        c->y[i] = curve[(size_t)c->x[i] - 1];
    tc_free(curve);
    return status;
}

/* ---- bandits by pulls */

/* All points from this round on have at least what has been sent by then. */
static void note_round(void *user, uint64_t pulls, uint64_t numbers)
{
    const tc_arm_run *c = user;
    for (size_t i = 0; i < c->n; i++)
        if (c->x[i] >= (double)pulls)
            c->y[i] = (double)numbers;
}

static void take_sent(const tc_arm_run *c, const tc_bandit_task *t)
{
    for (size_t i = 0; i < c->n; i++)
        c->y[i] /= (double)t->clients;
}

static tacit_status pull(const tc_arm_run *c, const tc_bandit_task *t, tc_simulation *p,
                         tacit_error *err)
{
    json_t *options = NULL;
    tacit_curves r = {0};
    TC_TRY(tc_paper_bandit_get(&p->bandit, c->arm->algorithm, err));
    TC_TRY(tc_words_read(tc_family_options, &p->family, t->objective, t->words, err));
    optioned o = {p->bandit->name, p->bandit->options, p->bandit->options_size};
    TC_TRY(options_of(c, &o, NULL, NULL, &options, err));
    p->options = options;
    memset(c->y, 0, c->n * sizeof *c->y);
    tacit_status status = tc_simulate(p, &r, err);
    if (status == TACIT_OK && t->sent)
        take_sent(c, t);
    else if (status == TACIT_OK)
        memcpy(c->y, r.cumulative, c->n * sizeof *c->y);
    tacit_curves_fini(&r);
    json_decref(options);
    return status;
}

tacit_status tc_drive_pulls(const tc_arm_run *c, const tc_bandit_task *t, tacit_error *err)
{
    tc_simulation p = {.source = &tc_source_bandits,
                       .objective = t->objective,
                       .low = t->low,
                       .high = t->high,
                       .noise = TC_REWARD_UNIFORM,
                       .scale = t->noise,
                       .agents = t->clients,
                       .trials = (uint64_t)c->x[c->n - 1],
                       .runs = 1,
                       .seed = c->seed,
                       .points = c->n,
                       .round = t->sent ? note_round : NULL,
                       .progress = proceed,
                       .user = (void *)c};
    tacit_status status = pull(c, t, &p, err);
    tc_options_fini(tc_family_options, &p.family);
    return status;
}
