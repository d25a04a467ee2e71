/* audit_bound.c - from scores to a lower bound on epsilon.
 *
 * An event is "the score is at least t" against world 0, or "at most t" against world 1: by
 * Neyman and Pearson no event is better where scores grow with the likelihood ratio. The first
 * half of the runs chooses the kind of score, direction and threshold by an estimate of the bound;
 * the second half, which had no say in that, is counted and bounded exactly. So the choice costs no
 * confidence. */
#include "privacy/audit_int.h"

#include "base/sort.h"
#include "privacy/clopper_pearson.h"

#include <math.h>

/* Scores that speak for `world` at least as much as the threshold does. */
typedef struct event {
    size_t kind; /* of score */
    int world;
    double threshold;
    double promise; /* the estimate of the bound that chose it */
} event;

/* Wilson's interval: simple and close enough for a choice, not used for the verdict. */
static double about(double k, double n, double side)
{
    const double z = 4;
    double spread = sqrt(k * (1 - k / n) + z * z / 4);
    return (k + z * z / 2 + side * z * spread) / (n + z * z);
}

static double estimate(size_t hits, size_t misses, size_t n, double delta)
{
    double p = about((double)hits, (double)n, -1) - delta;
    return p > 0 ? log(p / about((double)misses, (double)n, 1)) : -INFINITY;
}

/* The i-th score of a sorted half, counted from the end that speaks for `world`. */
static double from_end(const double *sorted, size_t n, int world, size_t i)
{
    return world == 1 ? sorted[n - 1 - i] : sorted[i];
}

static bool speaks_for(int world, double score, double threshold)
{
    return world == 1 ? score >= threshold : score <= threshold;
}

/* Tries every score of `world` as a threshold; both halves are sorted. */
static void try_world(int world, const tc_audit_scores *kinds, size_t kind, size_t n, double delta,
                      event *best)
{
    const double *own = kinds[kind].of[world], *other = kinds[kind].of[1 - world];
    size_t misses = 0;
    for (size_t i = 0; i < n; i++) {
        double t = from_end(own, n, world, i);
        if (i + 1 < n && from_end(own, n, world, i + 1) == t)
            continue; /* of equal scores all count or none */
        while (misses < n && speaks_for(world, from_end(other, n, world, misses), t))
            misses++;
        double promise = estimate(i + 1, misses, n, delta);
        if (promise > best->promise)
            *best = (event){kind, world, t, promise};
    }
}

static size_t count(const double *scores, size_t n, const event *e)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++)
        hits += speaks_for(e->world, scores[i], e->threshold);
    return hits;
}

double tc_audit_bound(const tc_audit_scores *kinds, size_t number, size_t n, double delta,
                      double alpha)
{
    size_t half = n / 2, rest = n - half;
    event best = {.promise = -INFINITY};
    for (size_t kind = 0; kind < number; kind++) {
        tc_sort_doubles(kinds[kind].of[0], half);
        tc_sort_doubles(kinds[kind].of[1], half);
        try_world(1, kinds, kind, half, delta, &best);
        try_world(0, kinds, kind, half, delta, &best);
    }
    if (best.promise == -INFINITY)
        return 0;
    const tc_audit_scores *chosen = &kinds[best.kind];
    size_t hits = count(chosen->of[best.world] + half, rest, &best);
    size_t misses = count(chosen->of[1 - best.world] + half, rest, &best);
    double p = tc_clopper_pearson_lower(hits, rest, alpha / 2);
    double q = tc_clopper_pearson_upper(misses, rest, alpha / 2);
    return p > delta ? fmax(0, log((p - delta) / q)) : 0;
}
