/* federation_shared.c - a round of a simulation whose messages trustees add up (privacy/shared_sum.h).
 *
 * Shares are linear and nothing is rounded: what trustees open is the sum of the agents' integers by group and of the noise of the
 * r dealers of smallest place. So that is what is added up here, with the noise that these dealers draw in a
 * deployment with the same seed (federation_shared_test.c goes through shares and gets the same bits). */
#include "base/error.h"
#include "base/memory.h"
#include "sim/federation_int.h"
#include "wire/dealing.h"

typedef struct sums {
    const tc_aggregator_ops *ops;
    tc_shared_plan plan;
    int64_t *v, *all; /* room for groups x width each */
    tc_arena memory;
} sums;

static tacit_status find_plan(const tc_federation *f, tc_shared_plan *out, tacit_error *err)
{
    return f->cfg.algorithm->aggregator->shared(&f->env, tc_optimizer_options(f->members[0].o),
                                                f->round.number, out, err);
}

static void add(const int64_t *v, size_t n, int64_t *to)
{
    for (size_t j = 0; j < n; j++)
        to[j] += v[j];
}

/* A message that cannot be shared is left out, as if it had not come. */
static tacit_status add_agent(tc_federation *f, sums *s, uint64_t i, tacit_error *err)
{
    const tc_text *t = &f->members[i].message;
    tacit_error why = {0};
    tacit_status status = s->ops->vector(&f->env, tc_optimizer_options(f->members[0].o),
                                         f->round.number, tc_text_get(t), t->len, s->v, &why);
    if (status == TACIT_E_ARG || status == TACIT_E_STATE)
        return tc_federation_reject(f, i, why.msg, err);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    add(s->v, s->plan.width, s->all + i % s->plan.groups * s->plan.width);
    return TACIT_OK;
}

static tacit_status add_noise(const tc_federation *f, sums *s, tacit_error *err)
{
    for (uint32_t k = 0; k < s->plan.trustees.dealers; k++) {
        tc_test_noise noise;
        tc_entropy e = tc_shared_test_entropy(&noise, f->cfg.seed, k, f->round.number);
        TC_TRY(tc_shared_noise(&s->plan, &e, s->v, err));
        add(s->v, s->plan.groups * s->plan.width, s->all);
    }
    return TACIT_OK;
}

static tacit_status add_up(tc_federation *f, sums *s, tacit_error *err)
{
    const size_t count = s->plan.groups * s->plan.width;
    s->v = TC_TAKE(&s->memory, count, int64_t);
    s->all = TC_TAKE(&s->memory, count, int64_t);
    if (s->memory.failed)
        return tc_fail_memory(err);
    for (uint64_t i = 0; i < f->cfg.agents; i++) {
        TC_TRY(tc_federation_goes_on(f, err));
        if (f->members[i].received)
            TC_TRY(add_agent(f, s, i, err));
    }
    return add_noise(f, s, err);
}

tacit_status tc_federation_open_shared(void *user, tc_release **out, tacit_error *err)
{
    tc_federation *f = user;
    sums s = {.ops = f->cfg.algorithm->aggregator};
    TC_TRY(find_plan(f, &s.plan, err));
    tacit_status status = add_up(f, &s, err);
    if (status == TACIT_OK)
        status = tc_shared_release(&s.plan, s.all, true, out, err);
    tc_arena_fini(&s.memory);
    return status;
}

tacit_status tc_federation_upload(const tc_federation *f, uint64_t *out, tacit_error *err)
{
    tc_shared_plan plan;
    TC_TRY(find_plan(f, &plan, err));
    *out = tc_dealing_size(&plan.trustees, plan.width);
    return TACIT_OK;
}
