/* pulls.c - clients that pull, and the rounds between them. See pulls.h. */
#include "sim/pulls.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

typedef struct client {
    const tc_pull_study *study;
    uint64_t number;
    void *state; /* of the bandit */
    tc_reward_source source;
    tc_party_key points; /* where a cell is pulled, if anywhere */
    double best;         /* reward of the optimum */
    double *value;       /* noise-free reward of each arm so far; NaN: not known yet */
    size_t n_values, cap;
    size_t next; /* point of the curve */
    double total;
    double *curve; /* points */
    const uint64_t *at;
    bool waits;
    tacit_error err;
} client;

typedef struct runs {
    const tc_pull_study *study;
    client *clients;
    tc_pull_result *result;
    tc_numbers message, broadcast[2]; /* clients may still read the last broadcast */
    const tc_numbers *latest;
    void *server;
} runs;

/* ---- one client ---- */

static tacit_status begin(client *c, tacit_error *err)
{
    const tc_pull_study *s = c->study;
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
    return s->bandit->init(c->state, &env, s->opts, err);
}

static void end(client *c)
{
    if (c->state)
        c->study->bandit->fini(c->state);
    tc_free(c->state);
    tc_free(c->value);
    c->state = c->value = NULL;
    c->n_values = c->cap = 0;
}

static double evaluate(const client *c, size_t arm)
{
    const tc_rewards *r = c->study->rewards;
    double u[TC_PARAMS_MAX];
    c->study->bandit->point(c->state, arm, u);
    return r->value(r->of, c->number, u);
}

static tacit_status make_room(client *c, tacit_error *err)
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
static tacit_status value_of(client *c, size_t arm, double *out, tacit_error *err)
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

/* The pulls behind source.t - n had this regret each. */
static void account(client *c, uint64_t n, double gap)
{
    uint64_t t = c->source.t - n;
    for (; c->next < c->study->points && c->at[c->next] <= c->source.t; c->next++)
        c->curve[c->next] = c->total + (double)(c->at[c->next] - t) * gap;
    c->total += (double)n * gap;
}

static tacit_status pull_centre(client *c, const tc_pulls *p, tc_pulled *told, tacit_error *err)
{
    double value;
    TC_TRY(value_of(c, p->arm, &value, err));
    tc_reward_draw(&c->source, value, p->n, told);
    account(c, told->n, fmax(c->best - value, 0));
    return TACIT_OK;
}

/* Each pull at a point of the cell that depends on (seed, client, number of the pull). */
static void pull_anywhere(client *c, const tc_pulls *p, tc_pulled *told)
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

/* Until it waits, or the budget is spent. */
static tacit_status pull(client *c, tacit_error *err)
{
    const tc_bandit *b = c->study->bandit;
    bool anywhere = c->study->anywhere && b->cell;
    c->waits = false;
    while (c->source.t < c->study->budget) {
        tc_pulls p;
        tc_pulled told;
        uint64_t left = c->study->budget - c->source.t;
        b->ask(c->state, &p);
        c->waits = p.n == 0;
        if (c->waits)
            break;
        p.n = p.n < left ? p.n : left;
        told.arm = p.arm;
        if (anywhere)
            pull_anywhere(c, &p, &told);
        else
            TC_TRY(pull_centre(c, &p, &told, err));
        TC_TRY(b->tell(c->state, &told, err));
    }
    return TACIT_OK;
}

static void watch(const client *c)
{
    if (c->study->watch)
        c->study->watch(c->study->user, c->number, c->state);
}

/* ---- all of them ---- */

static tacit_status first_failure(const runs *r, tacit_error *err)
{
    for (uint64_t m = 0; m < r->study->clients; m++)
        if (r->clients[m].err.code != TACIT_OK) {
            if (err)
                *err = r->clients[m].err;
            return r->clients[m].err.code;
        }
    return TACIT_OK;
}

static void live_alone(void *ctx, size_t m)
{
    client *c = &((runs *)ctx)->clients[m];
    if (begin(c, &c->err) == TACIT_OK && pull(c, &c->err) == TACIT_OK)
        watch(c);
    end(c);
}

static void begin_one(void *ctx, size_t m)
{
    client *c = &((runs *)ctx)->clients[m];
    begin(c, &c->err);
}

static void pull_one(void *ctx, size_t m)
{
    client *c = &((runs *)ctx)->clients[m];
    pull(c, &c->err);
}

static void absorb_one(void *ctx, size_t m)
{
    runs *r = ctx;
    client *c = &r->clients[m];
    r->study->bandit->absorb(c->state, r->latest, &c->err);
}

static tacit_status for_all(runs *r, void (*body)(void *, size_t), tacit_error *err)
{
    tc_pool_for(r->study->pool, (size_t)r->study->clients, body, r);
    return first_failure(r, err);
}

/* ---- rounds ---- */

static tacit_status collect(runs *r, tacit_error *err)
{
    const tc_bandit *b = r->study->bandit;
    for (uint64_t m = 0; m < r->study->clients; m++) {
        r->message.n = 0;
        TC_TRY(b->publish(r->clients[m].state, &r->message, err));
        TC_TRY(b->fold(r->server, &r->message, err));
        r->result->numbers_up += r->message.n;
    }
    return TACIT_OK;
}

static tacit_status hold_round(runs *r, tacit_error *err)
{
    tc_numbers *broadcast = &r->broadcast[r->result->rounds % 2];
    broadcast->n = 0;
    TC_TRY(collect(r, err));
    TC_TRY(r->study->bandit->close(r->server, broadcast, err));
    r->latest = broadcast;
    r->result->rounds++;
    r->result->last_round_at = r->clients[0].source.t;
    r->result->numbers_down += broadcast->n * r->study->clients;
    return for_all(r, absorb_one, err);
}

/* Clients are in lockstep: they wait all together, or none does. */
static tacit_status count_waiting(const runs *r, uint64_t *out, tacit_error *err)
{
    uint64_t waiting = 0;
    for (uint64_t m = 0; m < r->study->clients; m++)
        waiting += r->clients[m].waits;
    if (waiting > 0 && waiting < r->study->clients)
        return tc_fail(err, TACIT_E_INTERNAL,
                       "%" PRIu64 " of %" PRIu64 " clients of %s wait for a broadcast", waiting,
                       r->study->clients, r->study->bandit->name);
    *out = waiting;
    return TACIT_OK;
}

static tacit_status live_together(runs *r, tacit_error *err)
{
    const tc_pull_study *s = r->study;
    tc_bandit_env env = {.dim = s->rewards->dim,
                         .clients = s->clients,
                         .budget = s->budget,
                         .seed = tc_public_seed_from(s->seed)};
    uint64_t waiting;
    r->server = tc_alloc(1, s->bandit->server_size);
    if (!r->server)
        return tc_fail_memory(err);
    TC_TRY(s->bandit->server_init(r->server, &env, s->opts, 0, err));
    TC_TRY(for_all(r, begin_one, err));
    for (;;) {
        TC_TRY(for_all(r, pull_one, err));
        TC_TRY(count_waiting(r, &waiting, err));
        if (waiting == 0)
            break;
        TC_TRY(hold_round(r, err));
    }
    for (uint64_t m = 0; m < s->clients; m++)
        watch(&r->clients[m]);
    return TACIT_OK;
}

/* ---- a study ---- */

/* Quotient and rest apart: budget x points might overflow. */
void tc_pulls_points(uint64_t budget, size_t points, uint64_t *at)
{
    for (size_t i = 0; i < points; i++)
        at[i] = budget / points * (i + 1) + budget % points * (i + 1) / points;
}

static tacit_status make_result(const tc_pull_study *s, tc_pull_result *out, tacit_error *err)
{
    out->clients = s->clients;
    out->points = s->points;
    out->at = tc_alloc(s->points, sizeof *out->at);
    out->mean = tc_alloc(s->points, sizeof *out->mean);
    if (s->clients <= SIZE_MAX / s->points)
        out->regret = tc_alloc((size_t)s->clients * s->points, sizeof *out->regret);
    if (!out->at || !out->mean || !out->regret)
        return tc_fail_memory(err);
    tc_pulls_points(s->budget, s->points, out->at);
    return TACIT_OK;
}

static tacit_status make_clients(runs *r, tacit_error *err)
{
    r->clients = tc_alloc((size_t)r->study->clients, sizeof *r->clients);
    if (!r->clients)
        return tc_fail_memory(err);
    for (uint64_t m = 0; m < r->study->clients; m++)
        r->clients[m] = (client){.study = r->study,
                                 .number = m,
                                 .curve = r->result->regret + m * r->study->points,
                                 .at = r->result->at};
    return TACIT_OK;
}

static void average(tc_pull_result *r)
{
    for (size_t i = 0; i < r->points; i++) {
        double sum = 0;
        for (uint64_t m = 0; m < r->clients; m++)
            sum += r->regret[m * r->points + i];
        r->mean[i] = sum / (double)r->clients;
    }
}

static void end_all(runs *r)
{
    for (uint64_t m = 0; r->clients && m < r->study->clients; m++)
        end(&r->clients[m]);
    tc_free(r->clients);
    if (r->server)
        r->study->bandit->server_fini(r->server);
    tc_free(r->server);
    tc_numbers_fini(&r->message);
    tc_numbers_fini(&r->broadcast[0]);
    tc_numbers_fini(&r->broadcast[1]);
}

static tacit_status run(runs *r, tacit_error *err)
{
    TC_TRY(make_result(r->study, r->result, err));
    TC_TRY(make_clients(r, err));
    if (r->study->bandit->publish)
        return live_together(r, err);
    return for_all(r, live_alone, err);
}

tacit_status tc_pulls_run(const tc_pull_study *study, tc_pull_result *out, tacit_error *err)
{
    tc_pull_result result = {0};
    runs r = {.study = study, .result = &result};
    uint64_t begun = tc_clock_ns();
    tacit_status status = run(&r, err);
    end_all(&r);
    if (status != TACIT_OK) {
        tc_pull_result_fini(&result);
        return status;
    }
    average(&result);
    result.seconds = (double)(tc_clock_ns() - begun) * 1e-9;
    *out = result;
    return TACIT_OK;
}

void tc_pull_result_fini(tc_pull_result *r)
{
    tc_free(r->at);
    tc_free(r->regret);
    tc_free(r->mean);
    *r = (tc_pull_result){0};
}
