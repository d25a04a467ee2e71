/* record.c - a finished run as 64-bit words, for a checkpoint.
 *
 * counts | number of releases | releases | simple | cumulative | the same of every agent. Doubles are
 * kept as their bits: what is read back is what was computed. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/step_source.h"

#include <string.h>

enum { COUNT_WORDS = sizeof(tacit_run_counts) / sizeof(uint64_t), RELEASE_WORDS = 9 };

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

/* The curves in their order, those that there are. */
typedef struct curve {
    double *v;
    size_t n;
} curve;
enum { CURVES = 4 };

static void curves_of(const tc_run *r, curve out[CURVES])
{
    size_t T = r->shape->points, all = T * (size_t)r->shape->agents;
    const curve each[CURVES] = {
        {r->simple, T}, {r->cumulative, T}, {r->agent_simple, all}, {r->agent_cumulative, all}};
    memcpy(out, each, sizeof each);
}

static size_t count_words(const tc_run *r)
{
    curve c[CURVES];
    size_t n = COUNT_WORDS + 1 + RELEASE_WORDS * r->n_releases;
    curves_of(r, c);
    for (size_t k = 0; k < CURVES; k++)
        n += c[k].v ? c[k].n : 0;
    return n;
}

static void put_release(uint64_t *w, const tacit_simulated_release *r)
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
}

static tacit_simulated_release get_release(const uint64_t *w)
{
    return (tacit_simulated_release){.round = w[0],
                                     .trials = w[1],
                                     .event = {.mechanism = (tacit_dp_mechanism)w[2],
                                               .parameter = number(w[3]),
                                               .sampling = (tacit_dp_sampling)w[4],
                                               .sampling_rate = number(w[5]),
                                               .count = w[6]},
                                     .distance = number(w[7]),
                                     .unit = (tacit_unit)w[8]};
}

tacit_status tc_run_words(const tc_run *r, uint64_t **out, size_t *n, tacit_error *err)
{
    curve c[CURVES];
    *n = count_words(r);
    uint64_t *words = tc_alloc(*n, sizeof *words), *w = words + COUNT_WORDS;
    if (!words)
        return tc_fail_memory(err);
    memcpy(words, &r->counts, sizeof r->counts);
    *w++ = r->n_releases;
    for (size_t i = 0; i < r->n_releases; i++, w += RELEASE_WORDS)
        put_release(w, &r->releases[i]);
    curves_of(r, c);
    for (size_t k = 0; k < CURVES; k++)
        for (size_t i = 0; c[k].v && i < c[k].n; i++)
            *w++ = bits(c[k].v[i]);
    *out = words;
    return TACIT_OK;
}

tacit_status tc_run_read(tc_run *r, const uint64_t *words, size_t n, tacit_error *err)
{
    curve c[CURVES];
    r->n_releases = n > COUNT_WORDS ? (size_t)words[COUNT_WORDS] : 0;
    if (n <= COUNT_WORDS || r->n_releases > n || count_words(r) != n)
        return tc_fail(err, TACIT_E_CORRUPT, "%zu numbers are not a run of this simulation", n);
    r->releases = tc_alloc(r->n_releases + 1, sizeof *r->releases);
    if (!r->releases)
        return tc_fail_memory(err);
    memcpy(&r->counts, words, sizeof r->counts);
    const uint64_t *w = words + COUNT_WORDS + 1;
    for (size_t i = 0; i < r->n_releases; i++, w += RELEASE_WORDS)
        r->releases[i] = get_release(w);
    curves_of(r, c);
    for (size_t k = 0; k < CURVES; k++)
        for (size_t i = 0; c[k].v && i < c[k].n; i++)
            c[k].v[i] = number(*w++);
    return TACIT_OK;
}
