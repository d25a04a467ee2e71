/* search.c - the candidate of a finite space that a target likes best; which points are shut.
 *
 * A broadcast is a fixed function: followed twice, it would lead to the same point. So the second
 * query of one broadcast keeps away from what was asked since it came. */
#include "algo/thompson/thompson.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { BOX_POINTS = 512, BOX_STARTS = 4, TOGETHER = 32 };

tacit_status tc_search_init(tc_search *s, const tc_env *env, const tc_features *f, tacit_error *err)
{
    const tc_space *space = env->space;
    s->env = env;
    s->features = f;
    s->n = space->domain ? f->slots : BOX_POINTS;
    s->shut = TC_TAKE(&s->memory, s->n, unsigned char);
    s->values = TC_TAKE(&s->memory, space->n_params, double);
    s->u = TC_TAKE(&s->memory, space->dim, double);
    if (!space->domain) {
        s->score = TC_TAKE(&s->memory, s->n, double);
        s->X = TC_TAKE(&s->memory, s->n * space->dim, double);
        s->starts = TC_TAKE(&s->memory, BOX_STARTS * space->dim, double);
        s->free = TC_TAKE(&s->memory, space->dim, unsigned char);
    }
    if (s->memory.failed)
        return tc_fail_memory(err);
    for (size_t d = 0; s->free && d < space->dim; d++)
        s->free[d] = tc_space_continuous(space, d);
    for (size_t q = 0; space->domain && q < s->n; q++)
        s->shut[q] = f->held[q] < f->n ? 0 : TC_SEARCH_EMPTY;
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

/* ---- a finite space ---- */

static void shut_candidate(tc_search *s, size_t candidate)
{
    s->shut[s->features->slot[candidate]] |= TC_SEARCH_KNOWN;
}

static void shut_near(tc_search *s)
{
    const tc_domain *d = s->env->space->domain;
    for (size_t c = 0; c < d->n; c++) {
        for (size_t k = 0; k < d->dim; k++)
            s->u[k] = d->u[c + k * d->n];
        s->shut[s->features->slot[c]] |= near(s, s->u) ? TC_SEARCH_NEAR : 0;
    }
}

static void open_slots(size_t n, unsigned char *shut)
{
    for (size_t q = 0; q < n; q++)
        shut[q] &= TC_SEARCH_EMPTY;
}

/* Candidates are known by number; distances are needed only where there is a radius. What was
 * observed stays shut, so that a call marks what is new; all else is opened again by the next. */
static void shut_candidates(tc_search *s)
{
    const tc_history *h = s->env->history;
    const bool radius = s->target->radius > 0 && (s->target->since < h->n || h->n_taken > 0);
    if (s->passing) {
        open_slots(s->n, s->shut);
        s->marked = 0;
    }
    for (; s->marked < h->n; s->marked++)
        shut_candidate(s, h->point[s->marked]);
    for (size_t i = 0; i < h->n_taken; i++)
        shut_candidate(s, h->taken_point[i]);
    if (radius)
        shut_near(s);
    s->passing = radius || h->n_taken > 0;
}

static tc_score score_of(tc_search *s, const tc_target *t)
{
    s->target = t;
    shut_candidates(s);
    return (tc_score){
        .omega = t->omega, .step = t->regions > 1 ? s->features->rff.M : 0, .shut = s->shut};
}

/* The first slot with a candidate: where no score is a number. */
static size_t any_slot(const tc_features *f)
{
    return f->slot[f->order[0]];
}

/* A search that found nothing open takes what is near others, and then what is known. */
static size_t second_choice(const tc_features *f, const tc_score *score)
{
    size_t best;
    tc_score_best(f, 1, score, TC_SEARCH_EMPTY | TC_SEARCH_KNOWN, &best);
    if (best == f->slots)
        tc_score_best(f, 1, score, TC_SEARCH_EMPTY, &best);
    return best < f->slots ? best : any_slot(f);
}

/* Up to TOGETHER searches over the same features. */
static void maximise_finite(tc_search *const *s, const tc_target *t, double *const *values,
                            size_t k)
{
    const tc_features *f = s[0]->features;
    tc_score score[TOGETHER];
    size_t best[TOGETHER];
    for (size_t j = 0; j < k; j++)
        score[j] = score_of(s[j], &t[j]);
    tc_score_best(f, k, score, TC_SEARCH_EMPTY | TC_SEARCH_KNOWN | TC_SEARCH_NEAR, best);
    for (size_t j = 0; j < k; j++) {
        size_t slot = best[j] < f->slots ? best[j] : second_choice(f, &score[j]);
        values[j][0] = (double)f->held[slot];
    }
}

tacit_status tc_search_maximise(tc_search *s, const tc_target *t, uint64_t trial, double *values,
                                tacit_error *err)
{
    if (s->env->space->domain) {
        maximise_finite(&s, t, &values, 1);
        return TACIT_OK;
    }
    s->target = t;
    return tc_search_box(s, trial, values, err);
}

tacit_status tc_search_maximise_many(tc_search *const *s, const tc_target *t, const uint64_t *trial,
                                     double *const *values, size_t k, tacit_error *err)
{
    if (k > 0 && s[0]->env->space->domain) {
        for (size_t j = 0; j < k; j += TOGETHER)
            maximise_finite(s + j, t + j, values + j, k - j < TOGETHER ? k - j : TOGETHER);
        return TACIT_OK;
    }
    for (size_t j = 0; j < k; j++)
        TC_TRY(tc_search_maximise(s[j], &t[j], trial[j], values[j], err));
    return TACIT_OK;
}
