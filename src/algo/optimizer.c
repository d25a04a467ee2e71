/* optimizer.c - an optimizer's birth, end and view. The fold over events is in apply.c, the events
 * it wants journalled are composed in compose.c. See optimizer.h. */
#include "algo/optimizer_int.h"

#include "algo/history.h"
#include "base/error.h"

static tacit_status read_options(tc_optimizer *o, const tc_optimizer_config *cfg, tacit_error *err)
{
    const tc_algorithm *a = o->algorithm;
    o->opts = tc_alloc(a->options_size ? a->options_size : 1, 1);
    if (!o->opts)
        return tc_fail_memory(err);
    TC_TRY(tc_options_defaults_of(a->options, o->opts, cfg->older, err));
    if (!cfg->options)
        return TACIT_OK;
    return tc_options_set_json(a->options, o->opts, a->name, cfg->options, "name", err);
}

/* Many agents of one process would otherwise hold as many copies of their candidates. */
static tacit_status share_space(tc_optimizer *o, const tc_optimizer_config *cfg, tacit_error *err)
{
    if (cfg->sibling) {
        o->shared = cfg->sibling->shared;
    } else {
        o->shared = tc_alloc(1, sizeof *o->shared);
        if (!o->shared)
            return tc_fail_memory(err);
    }
    o->shared->users++;
    if (!cfg->sibling)
        TC_TRY(tc_space_copy(&o->shared->space, cfg->space, err));
    o->space = o->shared->space;
    return TACIT_OK;
}

static void leave_space(tc_shared_space *s)
{
    if (!s || --s->users > 0)
        return;
    tc_space_free(s->space);
    tc_free(s);
}

static tacit_status build(tc_optimizer *o, const tc_optimizer_config *cfg, tacit_error *err)
{
    o->algorithm = cfg->algorithm;
    o->maximize = cfg->maximize;
    TC_TRY(read_options(o, cfg, err));
    TC_TRY(share_space(o, cfg, err));
    TC_TRY(tc_history_init(&o->history, o->space, err));
    o->values = tc_alloc(o->space->n_params, sizeof *o->values);
    if (!o->values)
        return tc_fail_memory(err);
    bool kin = cfg->sibling && cfg->sibling->algorithm == cfg->algorithm;
    o->env = (tc_env){.space = o->space,
                      .history = &o->history,
                      .public_seed = cfg->public_seed,
                      .party_seed = cfg->party_seed,
                      .party = cfg->party,
                      .agents = cfg->agents,
                      .trustees = cfg->trustees,
                      .budget = cfg->budget,
                      .version = cfg->version,
                      .pool = cfg->pool,
                      .sibling = kin ? cfg->sibling->state : NULL};
    TC_TRY(tc_outcomes_take(o, cfg->outcomes, err));
    o->state = tc_alloc(o->algorithm->optimizer->state_size, 1);
    if (!o->state)
        return tc_fail_memory(err);
    if (o->algorithm->begin)
        o->algorithm->begin(&o->env, o->opts);
    o->alive = true;
    tacit_status status = o->algorithm->optimizer->init(o->state, &o->env, o->opts, err);
    o->env.sibling = NULL;
    return status;
}

tacit_status tc_optimizer_new(tc_optimizer **out, const tc_optimizer_config *cfg, tacit_error *err)
{
    tc_optimizer *o = tc_alloc(1, sizeof *o);
    if (!o)
        return tc_fail_memory(err);
    tacit_status status = build(o, cfg, err);
    if (status != TACIT_OK) {
        tc_optimizer_free(o);
        return status;
    }
    *out = o;
    return TACIT_OK;
}

void tc_optimizer_free(tc_optimizer *o)
{
    if (!o)
        return;
    if (o->alive)
        o->algorithm->optimizer->fini(o->state);
    tc_free(o->state);
    if (o->opts)
        tc_options_fini(o->algorithm->options, o->opts);
    tc_free(o->opts);
    tc_history_fini(&o->history);
    leave_space(o->shared);
    for (size_t i = 0; i < o->n_trials; i++)
        tc_free(o->trials[i].steps);
    tc_free(o->trials);
    tc_free(o->taken);
    tc_free(o->front);
    tc_arena_fini(&o->arena);
    tc_free(o->values);
    tc_text_fini(&o->made);
    tc_free(o);
}

uint64_t tc_optimizer_seq(const tc_optimizer *o)
{
    return o->seq;
}

size_t tc_optimizer_trials(const tc_optimizer *o)
{
    return o->n_trials;
}

const tc_trial *tc_optimizer_trial(const tc_optimizer *o, uint64_t number)
{
    return number < o->n_trials ? &o->trials[number] : NULL;
}

const tc_trial *tc_optimizer_best(const tc_optimizer *o)
{
    return o->has_best ? &o->trials[o->best] : NULL;
}

size_t tc_optimizer_count(const tc_optimizer *o, tc_trial_state state)
{
    return o->count[state];
}

uint64_t tc_optimizer_pulls(const tc_optimizer *o, tc_trial_state state)
{
    return o->pulls[state];
}

const tc_space *tc_optimizer_space(const tc_optimizer *o)
{
    return o->space;
}

const tc_algorithm *tc_optimizer_algorithm(const tc_optimizer *o)
{
    return o->algorithm;
}

const void *tc_optimizer_options(const tc_optimizer *o)
{
    return o->opts;
}
