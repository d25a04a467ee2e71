/* bandit_client.c - one client that pulls: rewards, regret, and its curve. See bandit_simulation.h.
 *
 * No batch of pulls crosses a multiple of STRETCH. So a client comes to a place where it can pause in a
 * fraction of a second, whatever its bandit asks for; and as that is so with and without pauses, its sums
 * have the same bits. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/bandit_simulation_int.h"

#include <math.h>

enum { STRETCH = 1 << 14 };

/* ---- from beginning to end ---- */

static tacit_status take_up(tc_bandit_client *c, const tc_numbers *latest, tacit_error *err)
{
    tc_reward_source_seek(&c->source, c->source.t);
    tacit_status status = c->study->bandit->load(c->state, &c->saved, latest, err);
    c->saved = (tc_numbers){0};
    return status;
}

tacit_status tc_bandit_client_begin(tc_bandit_client *c, const tc_numbers *latest, tacit_error *err)
{
    const tc_bandit_simulation *s = c->study;
    uint64_t t = c->source.t;
    tc_bandit_env env = {.dim = s->rewards->dim,
                         .clients = s->clients,
                         .budget = s->budget,
                         .seed = tc_public_seed_from(s->seed)};
    c->state = tc_alloc(1, s->bandit->client_size);
    if (!c->state)
        return tc_fail_memory(err);
    c->best = s->rewards->best(s->rewards->of, c->number);
    tc_party_seed seed = tc_party_seed_from(s->seed);
    c->points = tc_party_key_of(&seed, c->number, TC_FOR_DRAW);
    tc_reward_source_init(&c->source, s->rewards, s->seed, c->number);
    TC_TRY(s->bandit->init(c->state, &env, s->opts, err));
    c->source.t = t;
    return c->saved.n ? take_up(c, latest, err) : TACIT_OK;
}

void tc_bandit_client_end(tc_bandit_client *c)
{
    if (c->state)
        c->study->bandit->fini(c->state);
    tc_free(c->state);
    tc_free(c->value);
    c->state = c->value = NULL;
    c->n_values = c->cap = 0;
}

/* ---- noise-free rewards ---- */

static double evaluate(const tc_bandit_client *c, size_t arm)
{
    const tc_rewards *r = c->study->rewards;
    double u[TC_PARAMS_MAX];
    c->study->bandit->point(c->state, arm, u);
    return r->value(r->of, c->number, u);
}

static tacit_status make_room(tc_bandit_client *c, tacit_error *err)
{
    size_t need = c->study->bandit->arms(c->state);
    void *value = c->value;
    if (!tc_grow(&value, &c->cap, need, sizeof *c->value))
        return tc_fail_memory(err);
    c->value = value;
    while (c->n_values < need)
        c->value[c->n_values++] = NAN;
    return TACIT_OK;
}

/* An arm that keeps its number is evaluated once. */
static tacit_status value_of(tc_bandit_client *c, size_t arm, double *out, tacit_error *err)
{
    if (!c->study->bandit->arms) {
        *out = evaluate(c, arm);
        return TACIT_OK;
    }
    if (arm >= c->n_values)
        TC_TRY(make_room(c, err));
    if (isnan(c->value[arm]))
        c->value[arm] = evaluate(c, arm);
    *out = c->value[arm];
    return TACIT_OK;
}

/* ---- pulls ---- */

/* The pulls behind source.t - n had this regret each. */
static void account(tc_bandit_client *c, uint64_t n, double gap)
{
    uint64_t t = c->source.t - n;
    for (; c->next < c->study->points && c->at[c->next] <= c->source.t; c->next++)
        c->curve[c->next] = c->total + (double)(c->at[c->next] - t) * gap;
    c->total += (double)n * gap;
}

static tacit_status pull_centre(tc_bandit_client *c, const tc_pulls *p, tc_pulled *told,
                                tacit_error *err)
{
    double value;
    TC_TRY(value_of(c, p->arm, &value, err));
    tc_reward_draw(&c->source, value, p->n, told);
    account(c, told->n, fmax(c->best - value, 0));
    return TACIT_OK;
}

/* Each pull at a point of the cell that depends on (seed, client, number of the pull). */
static void pull_anywhere(tc_bandit_client *c, const tc_pulls *p, tc_pulled *told)
{
    const tc_rewards *r = c->study->rewards;
    double low[TC_PARAMS_MAX], high[TC_PARAMS_MAX], u[TC_PARAMS_MAX];
    unsigned k;
    tc_cell cell = c->study->bandit->cell(c->state, p->arm, &k);
    tc_cell_box(cell, k, r->dim, low, high);
    told->n = p->n;
    told->sum = told->squares = 0;
    for (uint64_t i = 0; i < p->n; i++) {
        tc_stream s;
        tc_pulled one;
        tc_stream_keyed(&s, &c->points, c->source.t);
        for (size_t d = 0; d < r->dim; d++)
            u[d] = low[d] + (high[d] - low[d]) * tc_draw_uniform(&s);
        double value = r->value(r->of, c->number, u);
        tc_reward_draw(&c->source, value, 1, &one);
        account(c, 1, fmax(c->best - value, 0));
        told->sum += one.sum;
        told->squares += one.squares;
    }
}

tacit_status tc_bandit_client_go(tc_bandit_client *c, uint64_t until, tacit_error *err)
{
    const tc_bandit *b = c->study->bandit;
    bool anywhere = c->study->anywhere && b->cell;
    uint64_t budget = c->study->budget, stop = until < budget ? until : budget;
    c->waits = false;
    while (c->source.t < stop) {
        tc_pulls p;
        tc_pulled told;
        uint64_t left = budget - c->source.t, stretch = STRETCH - c->source.t % STRETCH;
        b->ask(c->state, &p);
        c->waits = p.n == 0;
        if (c->waits)
            break;
        p.n = p.n < left ? p.n : left;
        p.n = p.n < stretch ? p.n : stretch;
        told.arm = p.arm;
        if (anywhere)
            pull_anywhere(c, &p, &told);
        else
            TC_TRY(pull_centre(c, &p, &told, err));
        TC_TRY(b->tell(c->state, &told, err));
    }
    return TACIT_OK;
}
