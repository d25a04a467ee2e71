/* recommend.c - which trial of a study to take: the best value that was seen, or the point that the model holds for best.
 * See optimizer.h.
 *
 * Of noisy values the best is mostly the luckiest, and of one-bit replies the first of many equals. Frazier (2018) has
 * the rules: best seen, best mean where something was tried, best mean anywhere. The second is what is here. */
#include "algo/optimizer_int.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Does trial t lie where observation i was made? */
static bool lies_at(const tc_optimizer *o, const tc_trial *t, size_t i, double *u)
{
    const tc_history *h = &o->history;
    if (o->space->domain)
        return (size_t)t->values[0] == h->point[i];
    tc_space_encode(o->space, t->values, u);
    size_t d = 0;
    while (d < h->dim && u[d] == h->U[i + d * h->ld])
        d++;
    return d == h->dim;
}

/* Observations are in the order in which they came, trials in that of their numbers. */
static tacit_status find_trial(const tc_optimizer *o, size_t i, const tc_trial **out,
                               tacit_error *err)
{
    double *u = tc_alloc(o->space->dim, sizeof *u);
    if (!u)
        return tc_fail_memory(err);
    *out = NULL;
    for (size_t t = 0; t < o->n_trials && !*out; t++)
        if (o->trials[t].state == TC_TRIAL_COMPLETE && lies_at(o, &o->trials[t], i, u))
            *out = &o->trials[t];
    tc_free(u);
    return TACIT_OK;
}

static void take_seen(const tc_optimizer *o, tc_recommendation *out)
{
    *out = (tc_recommendation){
        .by = TC_BY_SEEN, .trial = tc_optimizer_best(o), .mean = NAN, .sd = NAN, .share = NAN};
}

static tacit_status take_model(const tc_optimizer *o, const tc_recommended *r,
                               tc_recommendation *out, tacit_error *err)
{
    const tc_trial *t;
    TC_TRY(find_trial(o, r->at, &t, err));
    if (!t)
        return tc_fail(err, TACIT_E_INTERNAL, "observation %zu is of no complete trial", r->at);
    out->by = TC_BY_MODEL;
    out->mean = o->maximize ? r->mean : -r->mean;
    out->sd = r->sd;
    out->trial = t;
    return TACIT_OK;
}

static bool all_equal(const tc_history *h)
{
    for (size_t i = 1; i < h->n; i++)
        if (h->y[i] != h->y[0])
            return false;
    return true;
}

/* Unfinished values beside finished ones look like noise to a fit, which therefore decides nothing here. */
static bool some_ended_early(const tc_optimizer *o, char *out, size_t room)
{
    const size_t n = tc_optimizer_count(o, TC_TRIAL_PRUNED);
    if (n > 0)
        snprintf(out, room, "%zu %s ended early and %s not final", n,
                 n == 1 ? "trial was" : "trials were",
                 n == 1 ? "its value is" : "their values are");
    return n > 0;
}

/* Why the values count as noisy; false: they do not. */
static bool noisy(const tc_optimizer *o, const tc_recommended *r, char *out, size_t room)
{
    if (tc_algorithm_takes_replies(o->algorithm))
        snprintf(out, room, "values are private replies, of which a single one says little");
    else if (r->noise == TC_NOISE_ADDED)
        snprintf(out, room, "values carry noise that was added on purpose");
    else if (r->noise == TC_NOISE_EXPECTED)
        snprintf(out, room, "%s is for values whose noise has heavy tails", o->algorithm->name);
    else if (some_ended_early(o, out, room))
        return false;
    else if (all_equal(&o->history)) {
        snprintf(out, room, "all values are equal");
        return false;
    } else if (r->share < 0.001)
        snprintf(out, room,
                 "the model takes less than 0.1%% of the variance of the values for noise");
    else
        snprintf(out, room, "the model takes %.3g%% of the variance of the values for noise",
                 100 * r->share);
    return r->noise != TC_NOISE_UNKNOWN || r->share >= TC_NOISY_SHARE;
}

static tacit_status find(const tc_optimizer *o, tc_recommended *r, tacit_error *err)
{
    const tc_optimizer_ops *ops = o->algorithm->optimizer;
    *r = (tc_recommended){.none = "has no model of its values"};
    return ops->recommend ? ops->recommend(o->state, r, err) : TACIT_OK;
}

static tacit_status refuse(const tc_optimizer *o, const char *why, tacit_error *err)
{
    const bool later =
        strcmp(why, TC_RECOMMEND_TOO_FEW) == 0 || strcmp(why, TC_RECOMMEND_NONE_WHOLE) == 0;
    return tc_fail(err, later ? TACIT_E_STATE : TACIT_E_UNSUPPORTED,
                   "nothing can be recommended by the model: %s %s", o->algorithm->name, why);
}

/* Who asks for the model is told what it was made of. */
static void say_asked(const tc_optimizer *o, char *out, size_t room)
{
    char early[TC_REASON_ROOM / 2];
    if (some_ended_early(o, early, sizeof early))
        snprintf(out, room, "it was asked for; %s, yet the model counts %s", early,
                 tc_optimizer_count(o, TC_TRIAL_PRUNED) == 1 ? "it" : "them");
    else
        snprintf(out, room, "it was asked for");
}

/* The model learns from what was ended early, and may like such a point best. */
static void say_passed(char *out, size_t room)
{
    const size_t n = strlen(out);
    snprintf(out + n, room - n,
             "; the point that the model likes best is of a trial that was ended early, so this is "
             "the best of those that ran to their end");
}

/* By the model, if the caller or the values want it so. */
static tacit_status choose(const tc_optimizer *o, tc_recommend_by by, tc_recommendation *out,
                           tacit_error *err)
{
    tc_recommended r;
    char why[sizeof out->because];
    TC_TRY(find(o, &r, err));
    if (r.none) {
        snprintf(out->because, sizeof out->because, "%s %s", o->algorithm->name, r.none);
        return by == TC_BY_MODEL ? refuse(o, r.none, err) : TACIT_OK;
    }
    out->share = r.share;
    const bool is_noisy = noisy(o, &r, why, sizeof why);
    if (is_noisy || by == TC_BY_MODEL)
        TC_TRY(take_model(o, &r, out, err));
    if (!is_noisy && by == TC_BY_MODEL)
        say_asked(o, why, sizeof why);
    if (out->by == TC_BY_MODEL && r.passed)
        say_passed(why, sizeof why);
    memcpy(out->because, why, sizeof why);
    return TACIT_OK;
}

/* There are values, and none of them is best. */
static const char *why_no_best(const tc_optimizer *o)
{
    if (tc_optimizer_count(o, TC_TRIAL_COMPLETE) == 0)
        return "no trial has run to its end yet";
    return o->outcomes.n_objectives > 1 ? "several objectives have a front, and no best trial"
                                        : "no trial keeps to all constraints yet";
}

tacit_status tc_optimizer_recommend(const tc_optimizer *o, tc_recommend_by by,
                                    tc_recommendation *out, tacit_error *err)
{
    tc_recommendation made;
    take_seen(o, &made);
    if (by == TC_BY_SEEN)
        snprintf(made.because, sizeof made.because, "it was asked for");
    else if (o->history.n > 0)
        TC_TRY(choose(o, by, &made, err));
    if (!made.trial && o->history.n > 0)
        snprintf(made.because, sizeof made.because, "%s", why_no_best(o));
    *out = made;
    return TACIT_OK;
}
