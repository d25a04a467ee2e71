/* theorem.c - whether the paper's regret bound is about this study. For reports. */
#include "algo/ldp/ldp_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct verdict {
    tc_text *out;
    bool holds;
} verdict;

static void against(verdict *v, const char *why)
{
    tc_text_add(v->out, v->holds ? " does not apply: " : "; ");
    tc_text_add(v->out, why);
    v->holds = false;
}

/* The bound is about k(x, x) <= 1. */
static bool large_prior(const tc_env *env, const tc_ldp_options *o)
{
    const tc_domain *d = env->space->domain;
    if (o->kernel != TC_ARMS_GIVEN || !d || d->dim != d->n)
        return false;
    for (size_t i = 0; i < d->n; i++)
        if (d->raw[i + i * d->n] > 1 + 1e-9)
            return true;
    return false;
}

static void check_common(verdict *v, const tc_env *env, const tc_ldp_options *o)
{
    if (o->width > 0)
        against(v, "the width is given");
    else if (o->scale == TC_SCALE_PRACTICAL)
        against(v, "scale=practical has smaller constants");
    if (!env->space->domain)
        against(v, "the arms are a sample of the space");
    if (large_prior(env, o))
        against(v, "a given variance is above 1");
}

/* Logarithms of T are in the widths of all but tgp. */
static void check_horizon(verdict *v, const tc_env *env, const tc_law *law)
{
    char why[96];
    snprintf(why, sizeof why, "horizon is %g and %" PRIu64 " trials are planned", law->T,
             env->budget);
    if ((double)env->budget > law->T)
        against(v, why);
}

static void check_epochs(verdict *v, const tc_law *law, const tc_ldp_options *o)
{
    char why[96];
    double plays = tc_moma_plays(law);
    snprintf(why, sizeof why, "k is %lld and the proof needs %g", (long long)o->k, plays);
    if ((double)o->k < plays)
        against(v, why);
}

static void check_replies(verdict *v, const tc_ldp_options *o, const tc_known_noise *noise)
{
    char why[96];
    if (o->reply != TACIT_REPLY_LAPLACE)
        against(v, "it is about Laplace replies");
    if (!noise || noise->reach <= o->noise_bound)
        return;
    if (isinf(noise->reach))
        snprintf(why, sizeof why, "the noise is unbounded and noise_bound is %g", o->noise_bound);
    else
        snprintf(why, sizeof why, "the noise reaches %g and noise_bound is %g", noise->reach,
                 o->noise_bound);
    against(v, why);
}

/* For Weibull tails the paper has only a remark on orders, without constants. */
static void check_tails(verdict *v, const tc_ldp_options *o, const tc_known_noise *noise)
{
    char why[96];
    if (o->tail == TC_TAIL_WEIBULL)
        against(v, "it is not about tail=weibull");
    snprintf(why, sizeof why, "the noise has no moment of order %g", 1 + o->alpha);
    if (noise && noise->order <= 1 + o->alpha)
        against(v, why);
}

typedef struct theorem {
    const tc_algorithm *algorithm;
    const char *name;
    bool replies, epochs, horizon;
} theorem;

static const theorem theorems[] = {
    {&tc_algorithm_ldp_tgp, "Theorem 3 of Zhou and Tan (2021)", .replies = true},
    {&tc_algorithm_ldp_ata, "Theorem 2 of Zhou and Tan (2021)", .replies = true, .horizon = true},
    {&tc_algorithm_ldp_moma, "Corollary 1 of Zhou and Tan (2021)", .replies = true, .epochs = true,
     .horizon = true},
    {&tc_algorithm_tgp_ucb, "the bound of Chowdhury and Gopalan (2019) for TGP-UCB"},
    {&tc_algorithm_ata_gp_ucb, "the bound of Chowdhury and Gopalan (2019) for ATA-GP-UCB",
     .horizon = true},
    {&tc_algorithm_moma_gp_ucb, "Theorem 4 of Zhou and Tan (2021)", .epochs = true,
     .horizon = true},
};

static const theorem *find(const tc_algorithm *a)
{
    for (size_t i = 0; i < sizeof theorems / sizeof *theorems; i++)
        if (theorems[i].algorithm == a)
            return &theorems[i];
    return NULL;
}

static void check_law(verdict *v, const theorem *t, const tc_env *env, const tc_ldp_options *o)
{
    tc_law law;
    tacit_status status = tc_law_init(&law, o, env, NULL);
    if (t->horizon && status == TACIT_OK)
        check_horizon(v, env, &law);
    if (t->epochs && status == TACIT_OK)
        check_epochs(v, &law, o);
}

bool tc_ldp_theorem(const tc_algorithm *a, const tc_env *env, const void *opts,
                    const tc_known_noise *noise, tc_text *out)
{
    const theorem *t = find(a);
    verdict v = {.out = out, .holds = true};
    if (!t)
        return false;
    tc_text_add(out, t->name);
    check_common(&v, env, opts);
    check_law(&v, t, env, opts);
    if (t->replies)
        check_replies(&v, opts, noise);
    else
        check_tails(&v, opts, noise);
    if (v.holds)
        tc_text_addf(out, " applies if the objective's norm is within %s",
                     t->replies ? "bound and the noise within noise_bound"
                                : "bound and the moments are as given");
    tc_text_add(out, ".");
    return v.holds;
}
