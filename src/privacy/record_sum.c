/* record_sum.c - the Laplace sum over records (mechanism.h): open, fold, close.
 *
 * All in integers: a coordinate of a contribution is held to +-reach, which moves no two values
 * apart, so that a record that moves it by `record` steps moves the total by no more, in one coordinate.
 * Nothing is rounded. With t from tc_laplace_scale(record, 1, epsilon) the release is as safe as
 * the event TACIT_DP_LAPLACE says (mechanism.c): the other coordinates are the same in both worlds.
 *
 * Noise is drawn when the sum is opened and serves once, in the process that drew it (sum.c). */
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"

#include "base/error.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>

enum { MAX_COUNT = 1 << 24, MAX_EPSILON = 1024, TOTAL_BITS = 60, GRID_LIMIT = 1000 };

#define ADJACENCY                                                                                  \
    "one record of one agent is replaced by any other in the public range, and is in "             \
    "this sum alone; roster, range, number of records and noise are public constants"

struct tc_record_sum {
    tc_record_plan plan;
    uint64_t scale;
    bool secret, closed;
    uint64_t process; /* that drew the noise */
    uint8_t *folded;  /* by agent */
    int64_t *total, *noise;
    tc_arena memory;
};

/* ---- the plan */

static tacit_status check(const tc_record_plan *p, tacit_error *err)
{
    if (p->agents == 0 || p->agents > MAX_COUNT || p->width == 0 || p->width > MAX_COUNT)
        return tc_fail(err, TACIT_E_ARG,
                       "a sum over records has 1 to %d agents and coordinates, got %zu and %zu",
                       MAX_COUNT, p->agents, p->width);
    if (p->record == 0 || p->reach == 0 || p->reach > (UINT64_C(1) << TOTAL_BITS) / p->agents)
        return tc_fail(err, TACIT_E_ARG,
                       "%zu agents within +-%" PRIu64 " steps, records of %" PRIu64
                       ": both must be > 0 and the sum below 2^%d",
                       p->agents, p->reach, p->record, TOTAL_BITS);
    if (p->grid < -GRID_LIMIT || p->grid > GRID_LIMIT)
        return tc_fail(err, TACIT_E_ARG, "the grid must be in [-%d, %d], got %d", GRID_LIMIT,
                       GRID_LIMIT, p->grid);
    return tc_epsilon_check(p->epsilon, MAX_EPSILON, err);
}

tacit_status tc_record_plan_scale(const tc_record_plan *p, tc_record_scale *out, tacit_error *err)
{
    TC_TRY(check(p, err));
    if ((double)p->record / p->epsilon > (double)(TC_SAMPLER_MAX_SCALE / 2))
        return tc_fail(err, TACIT_E_ARG,
                       "records of %" PRIu64 " steps at epsilon %g need more noise than 2^39 steps",
                       p->record, p->epsilon);
    *out = (tc_record_scale){.scale = tc_laplace_scale(p->record, 1, p->epsilon),
                             .event = tc_release_event(TACIT_DP_LAPLACE, p->epsilon),
                             .adjacency = ADJACENCY};
    return TACIT_OK;
}

/* ---- open */

static void draw(tc_record_sum *s, tc_entropy *e)
{
    tc_entropy_fresh(e);
    for (size_t i = 0; i < s->plan.width; i++)
        s->noise[i] = tc_sample_laplace(e, s->scale);
    tc_entropy_fresh(e);
}

tacit_status tc_record_sum_open(tc_record_sum **out, const tc_record_plan *p, tc_entropy *e,
                                tacit_error *err)
{
    tc_record_scale scale;
    TC_TRY(tc_record_plan_scale(p, &scale, err));
    tc_record_sum *s = tc_alloc(1, sizeof *s);
    if (s == NULL)
        return tc_fail_memory(err);
    s->plan = *p;
    s->scale = scale.scale;
    s->secret = e->secret;
    s->process = tc_this_process();
    s->folded = TC_TAKE(&s->memory, p->agents, uint8_t);
    s->total = TC_TAKE(&s->memory, p->width, int64_t);
    s->noise = TC_TAKE(&s->memory, p->width, int64_t);
    if (s->memory.failed) {
        tc_arena_fini(&s->memory);
        tc_free(s);
        return tc_fail_memory(err);
    }
    draw(s, e);
    *out = s;
    return TACIT_OK;
}

/* ---- fold */

static tacit_status check_process(const tc_record_sum *s, tacit_error *err)
{
    if (s->process == tc_this_process())
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the sum was opened before a fork: only the process that opened it may fold or "
                   "close it, since its noise serves once");
}

static int64_t held(int64_t v, int64_t reach)
{
    return v < -reach ? -reach : v > reach ? reach : v;
}

tacit_status tc_record_sum_fold(tc_record_sum *s, size_t agent, const int64_t *v, tacit_error *err)
{
    TC_TRY(check_process(s, err));
    if (agent >= s->plan.agents)
        return tc_fail(err, TACIT_E_ARG, "agent %zu is not among the %zu of the roster", agent,
                       s->plan.agents);
    if (s->closed || s->folded[agent])
        return tc_fail(err, TACIT_E_STATE,
                       s->closed ? "the sum is closed, agent %zu comes too late"
                                 : "agent %zu is in the sum already",
                       agent);
    for (size_t i = 0; i < s->plan.width; i++)
        s->total[i] += held(v[i], (int64_t)s->plan.reach);
    s->folded[agent] = 1;
    return TACIT_OK;
}

/* ---- close */

static void describe(tc_release_view *v, const tc_record_sum *s)
{
    v->mechanism = "laplace-sum";
    v->step = ldexp(1, -s->plan.grid);
    v->event = tc_release_event(TACIT_DP_LAPLACE, s->plan.epsilon);
    v->unit = TACIT_UNIT_ROW;
    v->single = true;
    v->adjacency = ADJACENCY;
    v->sensitivity = ldexp((double)s->plan.record, -s->plan.grid);
    v->noise_sd = sqrt(2) * ldexp((double)s->scale, -s->plan.grid);
}

static void erase(tc_record_sum *s)
{
    sodium_memzero(s->folded, s->plan.agents);
    sodium_memzero(s->total, s->plan.width * sizeof *s->total);
    sodium_memzero(s->noise, s->plan.width * sizeof *s->noise);
}

tacit_status tc_record_sum_close(tc_record_sum *s, tc_release **out, tacit_error *err)
{
    TC_TRY(check_process(s, err));
    if (s->closed)
        return tc_fail(err, TACIT_E_STATE, "the sum is closed already");
    const tc_entropy drawn_from = {.secret = s->secret};
    tc_release *r;
    TC_TRY(tc_release_new(&r, 1, s->plan.width, &drawn_from, err));
    for (size_t i = 0; i < s->plan.width; i++)
        r->steps[i] = s->total[i] + s->noise[i];
    describe(&r->view, s);
    s->closed = true;
    erase(s);
    *out = r;
    return TACIT_OK;
}

void tc_record_sum_free(tc_record_sum *s)
{
    if (s == NULL)
        return;
    erase(s);
    tc_arena_fini(&s->memory);
    tc_free(s);
}
