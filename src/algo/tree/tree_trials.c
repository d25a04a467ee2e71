/* tree_trials.c - asks and tells for a bandit, of single pulls and of batches. See tree_trials.h.
 *
 * A value that was not asked for now (trials in parallel, imported ones) is told to the cell that
 * contains its point, for a cell may be pulled anywhere in it [Li, Honorio, Song 2024, remark 3.1]. For
 * the same reason a trial whose point somebody else has takes a random point of its cell.
 *
 * A batch is all that a cell still needs, at its centre; who asks for less leaves the rest to others,
 * at the same point, and who finds nothing left there goes to the next cell of the phase. A batch that comes when its cell needs fewer pulls counts as that many with its
 * mean: a mean of more pulls is no worse than one of fewer, and a bandit never has more samples
 * than it asked for. */
#include "algo/tree/tree_trials.h"

#include "algo/batch.h"
#include "algo/single/design.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

enum { TRIES = 16 };

__extension__ typedef __int128 wide;

/* ---- from the tree to the space and back ---- */

static void values_at(const tc_tree_trials *s, const double *t, double *values)
{
    if (s->env->space->domain)
        tc_space_decode(s->env->space, t, values);
    else
        tc_design_values(s->env->space, t, values);
}

/* Where tc_design_values has a parameter's value, given its encoding. An inactive parameter has all places, and
 * stands in the middle: along it a tree sees a constant, as within a step. */
static double place(const tc_param *p, const double *u)
{
    if (p->type == TC_PARAM_CHOICE)
        return (tc_param_choice_at(p, u + p->at) + 0.5) / (double)p->n_choices;
    double levels = (double)p->levels;
    if (levels < 2 || p->log)
        return u[p->at];
    return (round(u[p->at] * (levels - 1)) + 0.5) / levels;
}

static void places(const tc_tree_trials *s, const double *u, double *t)
{
    const tc_space *space = s->env->space;
    for (size_t i = 0; i < s->dim; i++)
        t[i] = space->domain ? u[i] : place(&space->params[i], u);
}

/* ---- ask ---- */

static bool is_taken(const tc_tree_trials *s, const double *values)
{
    const tc_history *h = s->env->history;
    tc_space_encode(s->env->space, values, s->row);
    return tc_among(s->row, h->n_taken, h->dim, h->taken, h->taken_ld);
}

static void draw_in_cell(const tc_tree_trials *s, size_t arm, tc_stream *stream, double *values)
{
    unsigned k;
    tc_cell cell = s->bandit->cell(s->client, arm, &k);
    tc_cell_box(cell, k, s->dim, s->low, s->high);
    for (size_t d = 0; d < s->dim; d++)
        s->t[d] = s->low[d] + (s->high[d] - s->low[d]) * tc_draw_uniform(stream);
    values_at(s, s->t, values);
}

/* False: every point that was tried is handed out. */
static bool ask_in_cell(const tc_tree_trials *s, size_t arm, uint64_t trial, double *values)
{
    tc_stream stream;
    s->bandit->point(s->client, arm, s->t);
    values_at(s, s->t, values);
    bool taken = is_taken(s, values);
    if (taken)
        tc_stream_party(&stream, &s->env->party_seed, s->env->party, TC_FOR_CANDIDATES, trial);
    for (int i = 0; taken && i < TRIES; i++) {
        draw_in_cell(s, arm, &stream, values);
        taken = is_taken(s, values);
    }
    return !taken;
}

tacit_status tc_tree_trials_ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    (void)err;
    const tc_tree_trials *s = st;
    tc_pulls p;
    s->bandit->ask(s->client, &p);
    if (p.n == 0 || !ask_in_cell(s, p.arm, trial, values))
        tc_design_uniform(s->env, trial, values);
    return TACIT_OK;
}

/* The pulls that others have at these values; *failed: somebody failed there. */
static uint64_t pulls_out(const tc_tree_trials *s, const double *values, bool *failed)
{
    const tc_history *h = s->env->history;
    uint64_t out = 0;
    *failed = false;
    tc_space_encode(s->env->space, values, s->row);
    for (size_t i = 0; i < h->n_taken; i++)
        if (tc_among(s->row, 1, h->dim, h->taken + i, h->taken_ld)) {
            *failed |= h->taken_pulls[i] == 0;
            out += h->taken_pulls[i];
        }
    return out;
}

/* The pulls of a cell that no trial has yet, at its centre; 0: none, or a trial failed there. */
static uint64_t left_in_cell(const tc_tree_trials *s, const tc_pulls *p, double *values,
                             bool *failed)
{
    s->bandit->point(s->client, p->arm, s->t);
    values_at(s, s->t, values);
    uint64_t out = pulls_out(s, values, failed);
    return !*failed && p->n > out ? p->n - out : 0;
}

/* The same of the cells after p; 0: all pulls of the phase are out. */
static uint64_t left_in_phase(const tc_tree_trials *s, tc_pulls p, double *values)
{
    uint64_t left = 0;
    bool failed;
    while (s->bandit->next && left == 0) {
        s->bandit->next(s->client, &p);
        if (p.n == 0)
            return 0;
        left = left_in_cell(s, &p, values, &failed);
    }
    return left;
}

/* False as in ask_in_cell. Where all pulls of a phase are out, one more of the first cell is as ever; a
 * cell whose centre fails is pulled beside it. */
static bool ask_batch_in_phase(const tc_tree_trials *s, const tc_pulls *p, uint64_t trial,
                               double *values, uint64_t *pulls)
{
    bool failed;
    uint64_t left = left_in_cell(s, p, values, &failed);
    if (left == 0 && !failed)
        left = left_in_phase(s, *p, values);
    if (left > 0) {
        *pulls = left;
        return true;
    }
    bool found = ask_in_cell(s, p->arm, trial, values);
    *pulls = found && failed ? p->n : 1;
    return found;
}

tacit_status tc_tree_trials_ask_batch(void *st, uint64_t trial, double *values, uint64_t *pulls,
                                      tacit_error *err)
{
    (void)err;
    const tc_tree_trials *s = st;
    tc_pulls p;
    *pulls = 1;
    s->bandit->ask(s->client, &p);
    if (p.n == 0 || !ask_batch_in_phase(s, &p, trial, values, pulls))
        tc_design_uniform(s->env, trial, values);
    return TACIT_OK;
}

/* ---- tell ---- */

/* Is the last observation from where the bandit would pull now? */
static bool is_answer(const tc_tree_trials *s, size_t arm)
{
    const tc_history *h = s->env->history;
    s->bandit->point(s->client, arm, s->t);
    values_at(s, s->t, s->values);
    tc_space_encode(s->env->space, s->values, s->row);
    return tc_among(s->row, 1, h->dim, h->U + h->n - 1, h->ld);
}

/* p: what the bandit asks for now. */
static size_t arm_told(const tc_tree_trials *s, const tc_pulls *p)
{
    const tc_history *h = s->env->history;
    if (p->n > 0 && is_answer(s, p->arm))
        return p->arm;
    for (size_t d = 0; d < h->dim; d++)
        s->row[d] = h->U[h->n - 1 + d * h->ld];
    places(s, s->row, s->t);
    return s->bandit->arm_of(s->client, s->t);
}

int64_t tc_tree_trials_reward(const void *st, double y)
{
    const tc_tree_range *r = ((const tc_tree_trials *)st)->range;
    return tc_reward_of(fmin(fmax((y - r->low) / (r->high - r->low), 0), 1));
}

double tc_tree_trials_value(const void *st, double reward)
{
    const tc_tree_range *r = ((const tc_tree_trials *)st)->range;
    return r->low + (r->high - r->low) * reward;
}

tacit_status tc_tree_trials_tell(void *st, tacit_error *err)
{
    tc_tree_trials *s = st;
    const tc_history *h = s->env->history;
    tc_batch one = {0};
    tc_batch_add(&one, tc_tree_trials_reward(s, h->y[h->n - 1]));
    return tc_tree_trials_tell_batch(s, &one, err);
}

/* part/n of a sum over n > 0 pulls. */
static int64_t share(int64_t sum, uint64_t part, uint64_t n)
{
    return n > 0 ? (int64_t)((wide)sum * (wide)part / (wide)n) : 0;
}

/* How many pulls the bandit takes for an arm; `asked` is what it asks for. Arms before that one have
 * theirs. */
static uint64_t room(const tc_tree_trials *s, const tc_pulls *asked, size_t arm)
{
    tc_pulls p = {.arm = arm - 1};
    if (asked->n > 0 && arm == asked->arm)
        return asked->n;
    if (!s->bandit->next || arm == 0)
        return 1;
    s->bandit->next(s->client, &p);
    return p.n > 0 && p.arm == arm ? p.n : 1;
}

tacit_status tc_tree_trials_tell_batch(void *st, const tc_batch *batch, tacit_error *err)
{
    tc_tree_trials *s = st;
    tc_pulls asked;
    s->bandit->ask(s->client, &asked);
    size_t arm = arm_told(s, &asked);
    if (arm == TC_NO_ARM)
        return TACIT_OK; /* that part has been narrowed away, or has its samples */
    uint64_t most = room(s, &asked, arm), n = batch->n < most ? batch->n : most;
    tc_pulled p = {arm, n, share(batch->sum, n, batch->n), share(batch->squares, n, batch->n)};
    return s->bandit->tell(s->client, &p, err);
}

/* ---- birth and end ---- */

tc_bandit_env tc_tree_env(const tc_env *env)
{
    const tc_space *s = env->space;
    return (tc_bandit_env){.dim = s->domain ? s->dim : s->n_params,
                           .clients = env->agents ? env->agents : 1,
                           .budget = env->budget,
                           .seed = env->public_seed};
}

tacit_status tc_tree_trials_init(tc_tree_trials *s, const tc_env *env, const tc_bandit *b,
                                 const tc_tree_range *range, const void *opts, tacit_error *err)
{
    tc_bandit_env be = tc_tree_env(env);
    if (!(range->low < range->high))
        return tc_fail(err, TACIT_E_ARG, "%s: low must be below high, not %g and %g", b->name,
                       range->low, range->high);
    s->env = env;
    s->range = range;
    s->bandit = b;
    s->dim = be.dim;
    s->t = TC_TAKE(&s->memory, s->dim, double);
    s->low = TC_TAKE(&s->memory, s->dim, double);
    s->high = TC_TAKE(&s->memory, s->dim, double);
    s->row = TC_TAKE(&s->memory, env->space->dim, double);
    s->values = TC_TAKE(&s->memory, env->space->n_params, double);
    s->client = TC_TAKE(&s->memory, b->client_size, char);
    if (s->memory.failed)
        return tc_fail_memory(err);
    return b->init(s->client, &be, opts, err);
}

void tc_tree_trials_fini(void *st)
{
    tc_tree_trials *s = st;
    if (s->client)
        s->bandit->fini(s->client);
    tc_arena_fini(&s->memory);
}
