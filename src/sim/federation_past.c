/* federation_past.c - agents that have been there before (the FTS paper's t_n).
 *
 * In the paper the others have finished a study of t_n trials each when the target agent begins. To
 * look at every agent as the target, each has a former self: it runs the algorithm alone for `past`
 * trials on the agent's own objective, then publishes what it knows. The relay hands that on as the
 * agent's message of round 0, unless the network loses it; the agent itself begins anew. Former
 * selves run in parallel, and their messages count as what agents sent in round 0. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/federation_int.h"

#include <inttypes.h>

enum { TOGETHER = 16 };

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
    TC_TRY(tc_federation_goes_on(f, err));
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
static tacit_status hand_down(const tc_federation *f, const tc_optimizer *o, tc_optimizer *to,
                              tacit_error *err)
{
    for (uint64_t i = 0; i < tc_optimizer_trials(o); i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        tc_event e;
        TC_TRY(tc_federation_goes_on(f, err));
        TC_TRY(tc_optimizer_enqueue(to, t->values, 0, &e, err));
        TC_TRY(tc_optimizer_apply(to, &e, err));
        TC_TRY(tc_optimizer_tell(to, i, NULL, t->value, 0, &e, err));
        TC_TRY(tc_optimizer_apply(to, &e, err));
    }
    return TACIT_OK;
}

/* One that works alone, and one on the roster that is told the same: only that one may publish. */
typedef struct former_self {
    uint64_t agent;
    tc_optimizer *alone, *listed;
    tacit_error err;
} former_self;

/* Some of them at a time, so that their number does not matter. */
typedef struct batch {
    tc_federation *f;
    size_t n;
    former_self selves[TOGETHER];
} batch;

static tacit_status found(former_self *s, const tc_federation *f, const json_t *options,
                          tacit_error *err)
{
    tc_optimizer_config alone = config_of(f, s->agent), listed = alone;
    listed.options = options;
    listed.agents = f->cfg.agents;
    TC_TRY(tc_optimizer_new(&s->alone, &alone, err));
    return tc_optimizer_new(&s->listed, &listed, err);
}

static tacit_status relive(const former_self *s, tc_federation *f, tacit_error *err)
{
    tc_text *message = &f->members[s->agent].message;
    tc_event e;
    for (uint64_t i = 0; i < f->cfg.past; i++)
        TC_TRY(run_trial(f, s->agent, s->alone, err));
    TC_TRY(hand_down(f, s->alone, s->listed, err));
    TC_TRY(tc_optimizer_publish(s->listed, 0, &e, err));
    tc_text_add_bytes(message, e.bytes, e.n_bytes);
    return message->failed ? tc_fail_memory(err) : TACIT_OK;
}

static void relive_one(void *ctx, size_t i)
{
    batch *b = ctx;
    (void)relive(&b->selves[i], b->f, &b->selves[i].err);
}

static tacit_status speak(tc_federation *f, uint64_t agent, tacit_error *err)
{
    f->tally.messages++;
    f->tally.bytes += f->members[agent].message.len;
    if (tc_federation_lost(f, agent)) {
        f->tally.lost++;
        return TACIT_OK;
    }
    return tc_federation_keep(f, agent, 0, err);
}

/* Optimizers share what is theirs alike, and are made and ended in one thread. */
static tacit_status run_batch(batch *b, const json_t *options, tacit_error *err)
{
    for (size_t i = 0; i < b->n; i++)
        TC_TRY(found(&b->selves[i], b->f, options, err));
    tc_pool_for(b->f->cfg.pool, b->n, relive_one, b);
    for (size_t i = 0; i < b->n; i++) {
        const former_self *s = &b->selves[i];
        if (s->err.code != TACIT_OK)
            return tc_fail(err, s->err.code, "agent %" PRIu64 ": %.400s", s->agent, s->err.msg);
        TC_TRY(speak(b->f, s->agent, err));
    }
    return TACIT_OK;
}

static tacit_status run_some(batch *b, uint64_t first, const json_t *options, tacit_error *err)
{
    uint64_t left = b->f->cfg.agents - first;
    b->n = left < TOGETHER ? (size_t)left : TOGETHER;
    for (size_t i = 0; i < b->n; i++)
        b->selves[i] = (former_self){.agent = first + i};
    tacit_status status = run_batch(b, options, err);
    for (size_t i = 0; i < b->n; i++) {
        tc_optimizer_free(b->selves[i].listed);
        tc_optimizer_free(b->selves[i].alone);
    }
    return status;
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
    batch *b = tc_alloc(1, sizeof *b);
    tacit_status status = b ? TACIT_OK : tc_fail_memory(err);
    if (b)
        b->f = f;
    for (uint64_t i = 0; i < f->cfg.agents && status == TACIT_OK; i += TOGETHER)
        status = run_some(b, i, options, err);
    tc_free(b);
    json_decref(options);
    return status;
}
