/* federated_record.c - a finished run as 64-bit words, for a checkpoint.
 *
 * tally | number of releases | releases | simple | cumulative | the same of every agent. Doubles
 * are kept as their bits: what is read back is what was computed. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/federated_int.h"

#include <string.h>

enum { TALLY_WORDS = 10, RELEASE_WORDS = 9 };

static uint64_t bits(double v)
{
    uint64_t w;
    memcpy(&w, &v, sizeof w);
    return w;
}

static double number(uint64_t w)
{
    double v;
    memcpy(&v, &w, sizeof v);
    return v;
}

/* ---- writing ---- */

static uint64_t *put_tally(uint64_t *w, const tc_federation_tally *t)
{
    const uint64_t all[TALLY_WORDS] = {t->releases,        t->refusals, t->messages, t->bytes,
                                       t->broadcast_bytes, t->lost,     t->rejected, t->fetches,
                                       t->fetched_bytes,   t->misses};
    memcpy(w, all, sizeof all);
    return w + TALLY_WORDS;
}

static uint64_t *put_release(uint64_t *w, const tc_federated_release *r)
{
    const tacit_dp_event *e = &r->event;
    const uint64_t all[RELEASE_WORDS] = {r->round,
                                         r->trials,
                                         (uint64_t)e->mechanism,
                                         bits(e->parameter),
                                         (uint64_t)e->sampling,
                                         bits(e->sampling_rate),
                                         e->count,
                                         bits(r->distance),
                                         (uint64_t)r->unit};
    memcpy(w, all, sizeof all);
    return w + RELEASE_WORDS;
}

static uint64_t *put_curve(uint64_t *w, const double *v, size_t n)
{
    for (size_t i = 0; v && i < n; i++)
        *w++ = bits(v[i]);
    return w;
}

static size_t count_words(const tc_federated_row *row, const tc_federated_result *shape)
{
    size_t T = (size_t)shape->iterations, N = row->agent_simple ? (size_t)shape->agents : 0;
    return TALLY_WORDS + 1 + RELEASE_WORDS * row->n_releases + 2 * T + 2 * N * T;
}

tacit_status tc_federated_row_words(const tc_federated_row *row, const tc_federated_result *shape,
                                    uint64_t **out, size_t *n, tacit_error *err)
{
    size_t T = (size_t)shape->iterations, all = T * (size_t)shape->agents;
    size_t count = count_words(row, shape);
    uint64_t *words = tc_alloc(count, sizeof *words);
    if (!words)
        return tc_fail_memory(err);
    uint64_t *w = put_tally(words, &row->tally);
    *w++ = row->n_releases;
    for (size_t i = 0; i < row->n_releases; i++)
        w = put_release(w, &row->releases[i]);
    w = put_curve(w, row->simple, T);
    w = put_curve(w, row->cumulative, T);
    w = put_curve(w, row->agent_simple, all);
    (void)put_curve(w, row->agent_cumulative, all);
    *out = words;
    *n = count;
    return TACIT_OK;
}

/* ---- reading ---- */

static const uint64_t *get_tally(const uint64_t *w, tc_federation_tally *t)
{
    *t = (tc_federation_tally){.releases = w[0],
                               .refusals = w[1],
                               .messages = w[2],
                               .bytes = w[3],
                               .broadcast_bytes = w[4],
                               .lost = w[5],
                               .rejected = w[6],
                               .fetches = w[7],
                               .fetched_bytes = w[8],
                               .misses = w[9]};
    return w + TALLY_WORDS;
}

static const uint64_t *get_release(const uint64_t *w, tc_federated_release *r)
{
    *r = (tc_federated_release){.round = w[0],
                                .trials = w[1],
                                .event = {.mechanism = (tacit_dp_mechanism)w[2],
                                          .parameter = number(w[3]),
                                          .sampling = (tacit_dp_sampling)w[4],
                                          .sampling_rate = number(w[5]),
                                          .count = w[6]},
                                .distance = number(w[7]),
                                .unit = (tacit_unit)w[8]};
    return w + RELEASE_WORDS;
}

static const uint64_t *get_curve(const uint64_t *w, double *v, size_t n)
{
    for (size_t i = 0; v && i < n; i++)
        v[i] = number(*w++);
    return w;
}

static tacit_status check_length(tc_federated_row *row, const tc_federated_result *shape,
                                 const uint64_t *words, size_t n, tacit_error *err)
{
    row->n_releases = n > TALLY_WORDS ? (size_t)words[TALLY_WORDS] : 0;
    if (n > TALLY_WORDS && row->n_releases <= n && count_words(row, shape) == n)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT, "%zu numbers are not a run of this simulation", n);
}

tacit_status tc_federated_row_read(tc_federated_row *row, const tc_federated_result *shape,
                                   const uint64_t *words, size_t n, tacit_error *err)
{
    size_t T = (size_t)shape->iterations, all = T * (size_t)shape->agents;
    TC_TRY(check_length(row, shape, words, n, err));
    row->releases = tc_alloc(row->n_releases + 1, sizeof *row->releases);
    if (!row->releases)
        return tc_fail_memory(err);
    const uint64_t *w = get_tally(words, &row->tally) + 1;
    for (size_t i = 0; i < row->n_releases; i++)
        w = get_release(w, &row->releases[i]);
    w = get_curve(w, row->simple, T);
    w = get_curve(w, row->cumulative, T);
    w = get_curve(w, row->agent_simple, all);
    (void)get_curve(w, row->agent_cumulative, all);
    return TACIT_OK;
}
