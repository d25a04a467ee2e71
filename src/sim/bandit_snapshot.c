/* bandit_snapshot.c - a study by pulls as whole numbers: snapshots while it goes on. See bandit_simulation.h.
 *
 *     clients, points, first, live, rounds, last_round_at, numbers_up, numbers_down
 *     length of the last broadcast, and the broadcast
 *     of every client that is done (those before `first`): its curve
 *     of every client that lives: pulls, regret, its curve so far, length of its state, and the state
 *
 * What is left out is found again: noise is a function of the number of the pull, a server knows nothing
 * of earlier rounds, noise-free rewards are evaluated once more.
 *
 * A snapshot costs time that grows with the state. It is taken once it would cost 1/50 of the time since
 * the last one, and not before every_s. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "sim/bandit_simulation_int.h"
#include "sim/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { COST_SHARE = 50 };

/* ---- writing ---- */

static int64_t bits_of(double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static tacit_status add_curve(tc_numbers *out, const double *curve, size_t n, tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        TC_TRY(tc_numbers_add(out, bits_of(curve[i]), err));
    return TACIT_OK;
}

static tacit_status add_client(tc_numbers *out, const tc_bandit_client *c, tacit_error *err)
{
    TC_TRY(tc_numbers_add(out, (int64_t)c->source.t, err));
    TC_TRY(tc_numbers_add(out, bits_of(c->total), err));
    TC_TRY(tc_numbers_add(out, (int64_t)c->next, err));
    TC_TRY(add_curve(out, c->curve, c->next, err));
    size_t length = out->n; /* known when the state is there */
    TC_TRY(tc_numbers_add(out, 0, err));
    TC_TRY(c->study->bandit->save(c->state, out, err));
    out->v[length] = (int64_t)(out->n - length - 1);
    return TACIT_OK;
}

static tacit_status add_head(tc_numbers *out, const tc_bandit_run *r, tacit_error *err)
{
    const tc_bandit_result *k = r->result;
    const uint64_t head[] = {k->clients, k->points,        r->first,      r->live,
                             k->rounds,  k->last_round_at, k->numbers_up, k->numbers_down};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        TC_TRY(tc_numbers_add(out, (int64_t)head[i], err));
    TC_TRY(tc_numbers_add(out, r->latest ? (int64_t)r->latest->n : 0, err));
    for (size_t i = 0; r->latest && i < r->latest->n; i++)
        TC_TRY(tc_numbers_add(out, r->latest->v[i], err));
    return TACIT_OK;
}

static tacit_status gather(tc_bandit_run *r, tacit_error *err)
{
    tc_numbers *out = &r->snapshot;
    out->n = 0;
    TC_TRY(add_head(out, r, err));
    for (uint64_t m = 0; m < r->first; m++)
        TC_TRY(add_curve(out, r->clients[m].curve, r->study->points, err));
    for (uint64_t m = r->first; m < r->first + r->live; m++)
        TC_TRY(add_client(out, &r->clients[m], err));
    return TACIT_OK;
}

tacit_status tc_bandit_snapshot_keep(tc_bandit_run *r, tacit_error *err)
{
    const tc_bandit_snapshots *keep = r->study->keep;
    uint64_t now = tc_clock_ns();
    if (!keep || !r->study->bandit->save || now - r->begun_ns < r->pause_ns)
        return TACIT_OK;
    TC_TRY(gather(r, err));
    TC_TRY(tc_snapshot_write(keep->file, keep->identity, &r->snapshot, err));
    r->begun_ns = tc_clock_ns();
    r->pause_ns = (uint64_t)fmax(keep->every_s * 1e9, (double)(r->begun_ns - now) * COST_SHARE);
    return TACIT_OK;
}

/* ---- reading ---- */

/* A sticky reader: what is missing or out of range makes all of it bad. */
typedef struct reader {
    const int64_t *v;
    size_t left;
    bool bad;
} reader;

static uint64_t take(reader *in, uint64_t most)
{
    if (in->left == 0 || (uint64_t)*in->v > most)
        in->bad = true;
    if (in->bad)
        return 0;
    in->left--;
    return (uint64_t)*in->v++;
}

static double take_double(reader *in)
{
    uint64_t bits = take(in, UINT64_MAX);
    double v;
    memcpy(&v, &bits, sizeof v);
    in->bad |= !isfinite(v);
    return v;
}

static void take_curve(reader *in, double *curve, size_t n)
{
    for (size_t i = 0; i < n && !in->bad; i++)
        curve[i] = take_double(in);
}

static void take_client(reader *in, tc_bandit_client *c)
{
    const tc_bandit_simulation *s = c->study;
    c->source.t = take(in, s->budget);
    c->total = take_double(in);
    c->next = (size_t)take(in, s->points);
    for (size_t i = 0; i < s->points && !in->bad; i++) /* the points that lie behind it */
        in->bad |= (c->at[i] <= c->source.t) != (i < c->next);
    take_curve(in, c->curve, in->bad ? 0 : c->next);
    size_t n = (size_t)take(in, in->left);
    in->bad |= n == 0 || n > in->left;
    if (in->bad)
        return;
    c->saved = (tc_numbers){.v = (int64_t *)in->v, .n = n};
    in->v += n;
    in->left -= n;
}

static tacit_status take_broadcast(reader *in, tc_bandit_run *r, tacit_error *err)
{
    size_t n = (size_t)take(in, in->left);
    uint64_t rounds = r->result->rounds;
    in->bad |= n > in->left || (rounds == 0 && n > 0);
    if (in->bad || rounds == 0)
        return TACIT_OK;
    tc_numbers *latest = &r->broadcast[(rounds - 1) % 2];
    for (size_t i = 0; i < n; i++)
        TC_TRY(tc_numbers_add(latest, *in->v++, err));
    in->left -= n;
    r->latest = latest;
    return TACIT_OK;
}

static void take_head(reader *in, tc_bandit_run *r)
{
    tc_bandit_result *k = r->result;
    uint64_t clients = r->study->clients, budget = r->study->budget;
    in->bad |= take(in, clients) != clients;
    in->bad |= take(in, SIZE_MAX) != r->study->points;
    r->first = take(in, clients);
    r->live = take(in, clients - r->first);
    k->rounds = take(in, budget);
    k->last_round_at = take(in, budget);
    k->numbers_up = take(in, INT64_MAX);
    k->numbers_down = take(in, INT64_MAX);
    in->bad |= r->live == 0 || (r->study->bandit->publish && r->live != clients);
}

static tacit_status scatter(tc_bandit_run *r, tacit_error *err)
{
    reader in = {r->snapshot.v, r->snapshot.n, false};
    take_head(&in, r);
    TC_TRY(take_broadcast(&in, r, err));
    for (uint64_t m = 0; m < r->first && !in.bad; m++)
        take_curve(&in, r->clients[m].curve, r->study->points);
    for (uint64_t m = r->first; m < r->first + r->live && !in.bad; m++)
        take_client(&in, &r->clients[m]);
    if (in.bad || in.left > 0)
        return tc_fail(err, TACIT_E_CORRUPT, "the snapshot \"%s\" is not one of this run",
                       r->study->keep->file);
    return TACIT_OK;
}

tacit_status tc_bandit_snapshot_resume(tc_bandit_run *r, tacit_error *err)
{
    const tc_bandit_snapshots *keep = r->study->keep;
    r->begun_ns = tc_clock_ns();
    if (!keep || !r->study->bandit->save)
        return TACIT_OK;
    r->pause_ns = (uint64_t)(keep->every_s * 1e9);
    tacit_error missing = {0};
    tacit_status status = tc_snapshot_read(keep->file, keep->identity, &r->snapshot, &missing);
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &missing);
    return scatter(r, err);
}
