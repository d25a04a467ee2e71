/* search.c - the candidate of a finite space that a target likes best; which points are shut.
 *
 * A broadcast is a fixed function: followed twice, it would lead to the same point. So the second
 * query of one broadcast keeps away from what was asked since it came. */
#include "algo/thompson/thompson.h"

#include "base/error.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

enum { BOX_POINTS = 512, BOX_STARTS = 4 };

tacit_status tc_search_init(tc_search *s, const tc_env *env, const tc_features *f, tacit_error *err)
{
    const tc_space *space = env->space;
    s->env = env;
    s->features = f;
    s->n = space->domain ? f->n : BOX_POINTS;
    s->score = TC_TAKE(&s->memory, s->n, double);
    s->shut = TC_TAKE(&s->memory, s->n, unsigned char);
    s->values = TC_TAKE(&s->memory, space->n_params, double);
    s->u = TC_TAKE(&s->memory, space->dim, double);
    if (!space->domain) {
        s->X = TC_TAKE(&s->memory, s->n * space->dim, double);
        s->starts = TC_TAKE(&s->memory, BOX_STARTS * space->dim, double);
        s->free = TC_TAKE(&s->memory, space->dim, unsigned char);
    }
    if (s->memory.failed)
        return tc_fail_memory(err);
    for (size_t d = 0; s->free && d < space->dim; d++)
        s->free[d] = tc_space_continuous(space, d);
    return TACIT_OK;
}

void tc_search_fini(tc_search *s)
{
    tc_arena_fini(&s->memory);
}

static double distance2(const double *u, size_t dim, const double *U, size_t ld)
{
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += (u[d] - U[d * ld]) * (u[d] - U[d * ld]);
    return sum;
}

/* Is u within the square root of `reach` of an observation from `since` on, or of an open trial?
 * A reach of 0 asks for the very point. */
static bool meets(const tc_history *h, size_t since, double reach, const double *u)
{
    for (size_t i = since; i < h->n; i++) {
        double far = distance2(u, h->dim, h->U + i, h->ld);
        if (far < reach || far == 0)
            return true;
    }
    for (size_t i = 0; i < h->n_taken; i++) {
        double far = distance2(u, h->dim, h->taken + i, h->taken_ld);
        if (far < reach || far == 0)
            return true;
    }
    return false;
}

static bool near(const tc_search *s, const double *u)
{
    const tc_target *t = s->target;
    return t->radius > 0 && meets(s->env->history, t->since, t->radius * t->radius, u);
}

unsigned char tc_search_shut(const tc_search *s, const double *u)
{
    unsigned known = meets(s->env->history, 0, 0, u) ? TC_SEARCH_KNOWN : 0;
    return (unsigned char)(known | (near(s, u) ? TC_SEARCH_NEAR : 0));
}

/* The largest score of those without the bits `avoid`; s->n if there is none. Ties: the first. */
static size_t largest(const tc_search *s, unsigned avoid)
{
    size_t best = s->n;
    for (size_t i = 0; i < s->n; i++)
        if (!(s->shut[i] & avoid) && (best == s->n || s->score[i] > s->score[best]))
            best = i;
    return best;
}

size_t tc_search_pick(const tc_search *s)
{
    size_t best = largest(s, TC_SEARCH_KNOWN | TC_SEARCH_NEAR);
    if (best == s->n)
        best = largest(s, TC_SEARCH_KNOWN);
    return best < s->n ? best : largest(s, 0);
}

static void shut_candidate(tc_search *s, size_t candidate)
{
    s->shut[s->features->place[candidate]] |= TC_SEARCH_KNOWN;
}

/* Candidates are known by number; distances are needed only where there is a radius. */
static void shut_candidates(tc_search *s)
{
    const tc_history *h = s->env->history;
    const tc_domain *d = s->env->space->domain;
    memset(s->shut, 0, s->n);
    for (size_t i = 0; i < h->n; i++)
        shut_candidate(s, h->point[i]);
    for (size_t i = 0; i < h->n_taken; i++)
        shut_candidate(s, h->taken_point[i]);
    if (s->target->radius == 0 || (s->target->since == h->n && h->n_taken == 0))
        return;
    for (size_t p = 0; p < s->n; p++) {
        for (size_t k = 0; k < d->dim; k++)
            s->u[k] = d->u[s->features->order[p] + k * d->n];
        s->shut[p] |= near(s, s->u) ? TC_SEARCH_NEAR : 0;
    }
}

static void score_places(tc_search *s, size_t from, size_t to, const double *omega)
{
    size_t M = s->features->rff.M;
    if (to > from)
        tc_gemv('T', M, to - from, 1, s->features->Phi + from * M, M, omega, 0, s->score + from);
}

static void maximise_finite(tc_search *s, double *values)
{
    const tc_features *f = s->features;
    const tc_target *t = s->target;
    if (t->regions == 1)
        score_places(s, 0, s->n, t->omega);
    else
        for (size_t i = 0; i < t->regions; i++)
            score_places(s, f->start[i], f->start[i + 1], t->omega + i * f->rff.M);
    shut_candidates(s);
    values[0] = (double)f->order[tc_search_pick(s)];
}

tacit_status tc_search_maximise(tc_search *s, const tc_target *t, uint64_t trial, double *values,
                                tacit_error *err)
{
    s->target = t;
    if (!s->env->space->domain)
        return tc_search_box(s, trial, values, err);
    maximise_finite(s, values);
    return TACIT_OK;
}
