/* federation_past.c - agents that have been there before (the FTS paper's t_n).
 *
 * In the paper the others have finished a study of t_n trials each when the target agent begins. To
 * look at every agent as the target, each has a former self: it runs the algorithm alone for `past`
 * trials on the agent's own objective, then publishes what it knows. The relay hands that on as the
 * agent's message of round 0, unless the network loses it; the agent itself begins anew. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/federation_int.h"

/* Trials of former selves are numbered apart, so that their noise is their own. */
#define PAST_TRIAL (UINT64_C(1) << 31)

static tc_optimizer_config config_of(const tc_federation *f, uint64_t agent)
{
    const tc_federation_config *c = &f->cfg;
    return (tc_optimizer_config){.algorithm = c->algorithm,
                                 .options = c->options,
                                 .space = c->space,
                                 .maximize = c->maximize,
                                 .public_seed = f->env.public_seed,
                                 .party_seed = tc_party_seed_from(~c->seed),
                                 .party = agent,
                                 .budget = c->past,
                                 .sibling = f->members[0].o};
}

static tacit_status run_trial(const tc_federation *f, uint64_t agent, tc_optimizer *o,
                              tacit_error *err)
{
    const tc_ask_request request = {0};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(o, &request, &e, err));
        TC_TRY(tc_optimizer_apply(o, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    const tc_trial *t = tc_optimizer_trial(o, e.trial);
    double y = f->cfg.objective(f->cfg.user, agent, PAST_TRIAL + t->number, t->values);
    TC_TRY(tc_optimizer_tell(o, t->number, NULL, y, 0, &e, err));
    return tc_optimizer_apply(o, &e, err);
}

/* What o has tried becomes all that `to` knows. */
static tacit_status hand_down(const tc_optimizer *o, tc_optimizer *to, tacit_error *err)
{
    for (uint64_t i = 0; i < tc_optimizer_trials(o); i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        tc_event e;
        TC_TRY(tc_optimizer_enqueue(to, t->values, 0, &e, err));
        TC_TRY(tc_optimizer_apply(to, &e, err));
        TC_TRY(tc_optimizer_tell(to, i, NULL, t->value, 0, &e, err));
        TC_TRY(tc_optimizer_apply(to, &e, err));
    }
    return TACIT_OK;
}

static tacit_status speak(tc_federation *f, uint64_t agent, tc_optimizer *o, tacit_error *err)
{
    tc_text *message = &f->members[agent].message;
    tc_event e;
    if (tc_federation_lost(f, agent)) {
        f->tally.lost++;
        return TACIT_OK;
    }
    TC_TRY(tc_optimizer_publish(o, 0, &e, err));
    message->len = 0;
    tc_text_add_bytes(message, e.bytes, e.n_bytes);
    if (message->failed)
        return tc_fail_memory(err);
    return tc_federation_keep(f, agent, e.round, err);
}

/* One that works alone, then one on the roster that knows the same: only that one may publish. */
static tacit_status remember(tc_federation *f, uint64_t agent, const json_t *options,
                             tc_optimizer *self[2], tacit_error *err)
{
    tc_optimizer_config alone = config_of(f, agent), listed = alone;
    TC_TRY(tc_optimizer_new(&self[0], &alone, err));
    for (uint64_t i = 0; i < f->cfg.past; i++)
        TC_TRY(run_trial(f, agent, self[0], err));
    listed.options = options;
    listed.agents = f->cfg.agents;
    TC_TRY(tc_optimizer_new(&self[1], &listed, err));
    TC_TRY(hand_down(self[0], self[1], err));
    return speak(f, agent, self[1], err);
}

/* The options of one that publishes after `past` trials. */
static tacit_status publisher_options(const tc_federation *f, json_t **out, tacit_error *err)
{
    json_t *j = f->cfg.options ? json_deep_copy(f->cfg.options) : json_object();
    if (!j || json_object_set_new(j, "initial", json_integer((json_int_t)f->cfg.past)) != 0) {
        json_decref(j);
        return tc_fail_memory(err);
    }
    *out = j;
    return TACIT_OK;
}

tacit_status tc_federation_past(tc_federation *f, tacit_error *err)
{
    json_t *options = NULL;
    TC_TRY(publisher_options(f, &options, err));
    tacit_status status = TACIT_OK;
    for (uint64_t i = 0; i < f->cfg.agents && status == TACIT_OK; i++) {
        tc_optimizer *self[2] = {NULL, NULL};
        status = remember(f, i, options, self, err);
        tc_optimizer_free(self[1]);
        tc_optimizer_free(self[0]);
    }
    json_decref(options);
    return status;
}
