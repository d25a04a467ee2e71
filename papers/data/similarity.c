/* similarity.c - correlations of agents' objectives, and what one query by others' advice is worth. See
 * similarity.h. */
#include "papers/data/similarity.h"

#include "base/error.h"
#include "base/memory.h"
#include "objective/family.h"
#include "papers/frame/drive.h"

#include <math.h>

/* Regrets of all agents at all candidates: r[a * n + i]. */
typedef struct surfaces {
    size_t agents, n;
    double *r;
    double *mean, *sd; /* of each agent */
} surfaces;

static void look(surfaces *s, const tc_family *f)
{
    for (size_t a = 0; a < s->agents; a++) {
        double *r = s->r + a * s->n, sum = 0, square = 0;
        for (size_t i = 0; i < s->n; i++) {
            r[i] = tc_family_regret(f, a, &(double){(double)i});
            sum += r[i];
        }
        s->mean[a] = sum / (double)s->n;
        for (size_t i = 0; i < s->n; i++)
            square += (r[i] - s->mean[a]) * (r[i] - s->mean[a]);
        s->sd[a] = sqrt(square / (double)s->n);
    }
}

static double correlation(const surfaces *s, size_t a, size_t b)
{
    const double *p = s->r + a * s->n, *q = s->r + b * s->n;
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += (p[i] - s->mean[a]) * (q[i] - s->mean[b]);
    double scale = s->sd[a] * s->sd[b] * (double)s->n;
    return scale > 0 ? sum / scale : 0;
}

static double mean_correlation(const surfaces *s)
{
    double sum = 0;
    for (size_t a = 0; a < s->agents; a++)
        for (size_t b = 0; b < a; b++)
            sum += correlation(s, a, b);
    return sum / ((double)(s->agents * (s->agents - 1)) / 2);
}

/* The regret of agent a where all others together have the least. */
static double advised(const surfaces *s, size_t a)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (size_t b = 0; b < s->agents; b++)
            sum += b == a ? 0 : s->r[b * s->n + i];
        if (sum < least) {
            least = sum;
            best = i;
        }
    }
    return s->r[a * s->n + best];
}

static tacit_status measure(const tc_family *f, size_t agents, tc_similarity *out, tacit_error *err)
{
    const tc_domain *d = tc_family_space(f)->domain;
    if (!d)
        return tc_fail(err, TACIT_E_ARG, "similarity needs a finite set of candidates");
    tc_arena memory = {0};
    surfaces s = {.agents = agents,
                  .n = d->n,
                  .r = TC_TAKE(&memory, agents * d->n, double),
                  .mean = TC_TAKE(&memory, agents, double),
                  .sd = TC_TAKE(&memory, agents, double)};
    if (!memory.failed) {
        look(&s, f);
        *out = (tc_similarity){.correlation = mean_correlation(&s)};
        for (size_t a = 0; a < agents; a++) {
            out->others += advised(&s, a) / (double)agents;
            out->random += s.mean[a] / (double)agents;
        }
    }
    tacit_status status = memory.failed ? tc_fail_memory(err) : TACIT_OK;
    tc_arena_fini(&memory);
    return status;
}

tacit_status tc_similarity_of(const char *objective, const char *words, size_t agents,
                              tc_similarity *out, tacit_error *err)
{
    tc_family_opts opts = {0};
    tc_family *f = NULL;
    if (agents < 2)
        return tc_fail(err, TACIT_E_ARG, "similarity is about two agents or more");
    tacit_status status = tc_words_read(tc_family_options, &opts, objective, words, err);
    if (status == TACIT_OK)
        status = tc_family_new(&f, objective, &opts, agents, tc_public_seed_from(0), err);
    if (status == TACIT_OK)
        status = measure(f, agents, out, err);
    tc_family_free(f);
    tc_options_fini(tc_family_options, &opts);
    return status;
}
