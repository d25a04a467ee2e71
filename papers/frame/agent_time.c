/* agent_time.c - one agent, its messages and a clock. See agent_time.h. */
#include "papers/frame/agent_time.h"

#include "algo/optimizer.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sort.h"

#include <math.h>

enum { POINTS = 1000, INITIAL = 10 };

typedef struct message {
    uint8_t *bytes;
    size_t size;
} message;

static tacit_status make_agent(tc_optimizer **out, const char *name, const tc_space *space,
                               int features, uint64_t agents, tacit_error *err)
{
    json_t *options = json_pack("{s:s, s:i, s:f, s:i}", "own", "features", "features", features,
                                "lengthscale", 0.1, "initial", (int)INITIAL);
    if (!options)
        return tc_fail_memory(err);
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(name),
                               .options = options,
                               .space = space,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(1),
                               .party_seed = tc_party_seed_from(1),
                               .agents = agents,
                               .budget = INITIAL + TC_AGENT_ITERATIONS};
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

static tacit_status iterate(tc_optimizer *o, const message *m, double *seconds, tacit_error *err)
{
    for (int i = 0; i < TC_AGENT_ITERATIONS; i++) {
        uint64_t start = tc_clock_thread_ns();
        TC_TRY(fetch(o, m, err));
        TC_TRY(run_trial(o, err));
        seconds[i] = 1e-9 * (double)(tc_clock_thread_ns() - start);
    }
    return TACIT_OK;
}

static tacit_status take(tc_agent_time *out, const char *name, const tc_space *space, int features,
                         uint64_t agents, tacit_error *err)
{
    tc_optimizer *o = NULL;
    message m = {0};
    tacit_status status = make_agent(&o, name, space, features, agents, err);
    for (int i = 0; i < INITIAL && status == TACIT_OK; i++)
        status = run_trial(o, err);
    if (status == TACIT_OK)
        status = publish(o, name, agents, &m, err);
    if (status == TACIT_OK)
        status = iterate(o, &m, out->seconds, err);
    out->message = m.size;
    tc_free(m.bytes);
    tc_optimizer_free(o);
    return status;
}

tacit_status tc_agent_time_take(tc_agent_time *out, const char *algorithm, int features,
                                uint64_t agents, tacit_error *err)
{
    tc_domain *domain = NULL;
    tc_space *space = NULL;
    const tc_algorithm *a;
    TC_TRY(tc_algorithm_get(&a, algorithm, err));
    if (!a->relay)
        return tc_fail(err, TACIT_E_ARG, "agents of %s send each other no messages", algorithm);
    TC_TRY(tc_domain_grid(&domain, 1, (size_t[]){POINTS}, (double[]){0}, (double[]){1}, err));
    TC_TRY(tc_space_from_domain(&space, domain, err));
    tacit_status status = take(out, algorithm, space, features, agents, err);
    tc_space_free(space);
    return status;
}

double tc_agent_time_median(const tc_agent_time *t)
{
    enum { N = TC_AGENT_ITERATIONS - 1 };
    double each[N];
    for (int i = 0; i < N; i++)
        each[i] = t->seconds[i + 1];
    tc_sort_doubles(each, N);
    return each[N / 2];
}
