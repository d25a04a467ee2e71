/* bandit_simulation.c - many clients that pull, and the rounds between them. See bandit_simulation.h. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/bandit_simulation_int.h"

#include <inttypes.h>

typedef tc_bandit_client client;
typedef tc_bandit_run run;

enum { SLICE = 1 << 18, SLICE_LEAST = 64, SHIFT = 4 };

/* ---- all that live ---- */

static void watch(const client *c)
{
    if (c->study->watch)
        c->study->watch(c->study->user, c->number, c->state);
}

static void begin_one(void *ctx, size_t i)
{
    run *r = ctx;
    client *c = &r->clients[r->first + i];
    tc_bandit_client_begin(c, r->latest, &c->err);
}

static void pull_one(void *ctx, size_t i)
{
    run *r = ctx;
    client *c = &r->clients[r->first + i];
    tc_bandit_client_go(c, r->until, &c->err);
}

static void absorb_one(void *ctx, size_t i)
{
    run *r = ctx;
    client *c = &r->clients[r->first + i];
    r->study->bandit->absorb(c->state, r->latest, &c->err);
}

static tacit_status first_failure(const run *r, tacit_error *err)
{
    for (uint64_t m = r->first; m < r->first + r->live; m++)
        if (r->clients[m].err.code != TACIT_OK) {
            if (err)
                *err = r->clients[m].err;
            return r->clients[m].err.code;
        }
    return TACIT_OK;
}

static tacit_status for_all(run *r, void (*body)(void *, size_t), tacit_error *err)
{
    tc_pool_for(r->study->pool, (size_t)r->live, body, r);
    return first_failure(r, err);
}

/* ---- rounds ---- */

/* A server knows nothing of earlier rounds: a study that is taken up again makes another. */
static tacit_status make_server(run *r, tacit_error *err)
{
    const tc_bandit_simulation *s = r->study;
    tc_bandit_env env = {.dim = s->rewards->dim,
                         .clients = s->clients,
                         .budget = s->budget,
                         .seed = tc_public_seed_from(s->seed)};
    if (r->server)
        return TACIT_OK;
    r->server = tc_alloc(1, s->bandit->server_size);
    if (!r->server)
        return tc_fail_memory(err);
    return s->bandit->server_init(r->server, &env, s->opts, r->result->rounds, err);
}

static tacit_status collect(run *r, tacit_error *err)
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

static tacit_status hold_round(run *r, tacit_error *err)
{
    tc_numbers *broadcast = &r->broadcast[r->result->rounds % 2];
    broadcast->n = 0;
    TC_TRY(make_server(r, err));
    TC_TRY(collect(r, err));
    TC_TRY(r->study->bandit->close(r->server, broadcast, err));
    r->latest = broadcast;
    r->result->rounds++;
    r->result->last_round_at = r->clients[0].source.t;
    r->result->numbers_down += broadcast->n * r->study->clients;
    if (r->study->round)
        r->study->round(r->study->user, r->result->last_round_at,
                        r->result->numbers_up + r->result->numbers_down);
    return for_all(r, absorb_one, err);
}

/* Clients are in lockstep: where one waits, none has spent its budget. */
static tacit_status round_if_all_wait(run *r, uint64_t waiting, tacit_error *err)
{
    if (waiting == r->live && r->study->bandit->publish)
        return hold_round(r, err);
    uint64_t spent = 0;
    for (uint64_t m = r->first; m < r->first + r->live; m++)
        spent += r->clients[m].source.t == r->study->budget;
    if (waiting > 0 && (spent > 0 || !r->study->bandit->publish))
        return tc_fail(err, TACIT_E_INTERNAL,
                       "%" PRIu64 " of %" PRIu64 " clients of %s wait for a broadcast", waiting,
                       r->study->clients, r->study->bandit->name);
    return TACIT_OK;
}

/* ---- a life ---- */

/* How far clients go before the next pause: from where the last of them is. */
static uint64_t next_pause(const run *r)
{
    const tc_bandit_simulation *s = r->study;
    uint64_t t = s->budget, slice = (s->slice ? s->slice : SLICE) / r->live;
    if (!s->keep && !s->progress)
        return s->budget;
    for (uint64_t m = r->first; m < r->first + r->live; m++)
        t = r->clients[m].source.t < t ? r->clients[m].source.t : t;
    return t + (slice > SLICE_LEAST || s->slice ? slice + 1 : SLICE_LEAST);
}

static uint64_t pulls_so_far(const run *r)
{
    uint64_t sum = r->first * r->study->budget;
    for (uint64_t m = r->first; m < r->first + r->live; m++)
        sum += r->clients[m].source.t;
    return sum;
}

static tacit_status pause(run *r, tacit_error *err)
{
    const tc_bandit_simulation *s = r->study;
    TC_TRY(tc_bandit_snapshot_keep(r, err));
    if (s->progress && !s->progress(s->user, pulls_so_far(r)))
        return tc_fail(err, TACIT_E_CANCELLED, "the simulation was interrupted");
    return TACIT_OK;
}

static void count(const run *r, uint64_t *waiting, uint64_t *unfinished)
{
    *waiting = *unfinished = 0;
    for (uint64_t m = r->first; m < r->first + r->live; m++) {
        *waiting += r->clients[m].waits;
        *unfinished += r->clients[m].source.t < r->study->budget;
    }
}

/* The clients from r->first on, r->live of them, to their end. */
static tacit_status live(run *r, tacit_error *err)
{
    uint64_t waiting, unfinished;
    TC_TRY(for_all(r, begin_one, err));
    r->result->pulls -= pulls_so_far(r);
    for (;;) {
        r->until = next_pause(r);
        TC_TRY(for_all(r, pull_one, err));
        count(r, &waiting, &unfinished);
        if (unfinished == 0)
            break;
        TC_TRY(round_if_all_wait(r, waiting, err));
        TC_TRY(pause(r, err));
    }
    r->result->pulls += pulls_so_far(r);
    for (uint64_t m = r->first; m < r->first + r->live; m++) {
        watch(&r->clients[m]);
        tc_bandit_client_end(&r->clients[m]);
    }
    return TACIT_OK;
}

/* Without rounds nobody needs the others: so many at a time as keep the threads busy. */
static tacit_status live_in_shifts(run *r, tacit_error *err)
{
    uint64_t M = r->study->clients, most = SHIFT * tc_pool_threads(r->study->pool);
    while (r->first < M) {
        if (r->live == 0)
            r->live = M - r->first < most ? M - r->first : most;
        TC_TRY(live(r, err));
        r->first += r->live;
        r->live = 0;
    }
    return TACIT_OK;
}

/* ---- a study ---- */

/* Quotient and rest apart: budget x points might overflow. */
uint64_t tc_bandit_point(uint64_t budget, size_t points, size_t i)
{
    return budget / points * (i + 1) + budget % points * (i + 1) / points;
}

double tc_bandit_least_bytes(const tc_bandit *b, uint64_t clients, size_t points)
{
    size_t each = sizeof(client) + points * sizeof(double) + (b->publish ? b->client_size : 0);
    return (double)clients * (double)each;
}

static tacit_status make_result(const tc_bandit_simulation *s, tc_bandit_result *out,
                                tacit_error *err)
{
    out->clients = s->clients;
    out->points = s->points;
    out->at = tc_alloc(s->points, sizeof *out->at);
    out->mean = tc_alloc(s->points, sizeof *out->mean);
    if (s->clients <= SIZE_MAX / s->points)
        out->regret = tc_alloc((size_t)s->clients * s->points, sizeof *out->regret);
    if (!out->at || !out->mean || !out->regret)
        return tc_fail_memory(err);
    for (size_t i = 0; i < s->points; i++)
        out->at[i] = tc_bandit_point(s->budget, s->points, i);
    return TACIT_OK;
}

static tacit_status make_clients(run *r, tacit_error *err)
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

static void average(tc_bandit_result *r)
{
    for (size_t i = 0; i < r->points; i++) {
        double sum = 0;
        for (uint64_t m = 0; m < r->clients; m++)
            sum += r->regret[m * r->points + i];
        r->mean[i] = sum / (double)r->clients;
    }
}

static void end_all(run *r)
{
    for (uint64_t m = 0; r->clients && m < r->study->clients; m++)
        tc_bandit_client_end(&r->clients[m]);
    tc_free(r->clients);
    if (r->server)
        r->study->bandit->server_fini(r->server);
    tc_free(r->server);
    tc_numbers_fini(&r->message);
    tc_numbers_fini(&r->broadcast[0]);
    tc_numbers_fini(&r->broadcast[1]);
    tc_numbers_fini(&r->snapshot);
}

static tacit_status run_study(run *r, tacit_error *err)
{
    TC_TRY(make_result(r->study, r->result, err));
    TC_TRY(make_clients(r, err));
    TC_TRY(tc_bandit_snapshot_resume(r, err));
    if (!r->study->bandit->publish)
        return live_in_shifts(r, err);
    if (r->result->rounds == 0) /* what it has against the options is better said at once */
        TC_TRY(make_server(r, err));
    r->live = r->study->clients;
    return live(r, err);
}

tacit_status tc_bandit_simulate(const tc_bandit_simulation *study, tc_bandit_result *out,
                                tacit_error *err)
{
    tc_bandit_result result = {0};
    run r = {.study = study, .result = &result};
    tacit_status status = run_study(&r, err);
    end_all(&r);
    if (status != TACIT_OK) {
        tc_bandit_result_fini(&result);
        return status;
    }
    average(&result);
    *out = result;
    return TACIT_OK;
}

void tc_bandit_result_fini(tc_bandit_result *r)
{
    tc_free(r->at);
    tc_free(r->regret);
    tc_free(r->mean);
    *r = (tc_bandit_result){0};
}
