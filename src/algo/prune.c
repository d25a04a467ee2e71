/* prune.c - the rules by which trials are ended early (prune.h).
 *
 * Values count as losses here: those of a study that maximizes have their signs turned. A judgement looks at each trial once, and
 * within its reports by halving: 10,000 trials cost less than a millisecond, and nothing is kept from one report to
 * the next. */
#include "algo/optimizer_int.h"
#include "algo/prune.h"

#include "base/error.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>

/* ---- the options ---- */

static tacit_status check_range(const char *what, uint64_t n, uint64_t least, uint64_t most,
                                tacit_error *err)
{
    if (n >= least && n <= most)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "%s of a pruning rule must be from %" PRIu64 " to %" PRIu64 ", got %" PRIu64,
                   what, least, most, n);
}

static tacit_status refuse_asha(const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG, "%s is for the rule asha", what);
}

tacit_status tc_prune_settle(tc_prune *p, tacit_error *err)
{
    if (p->rule > TC_PRUNE_ASHA)
        return tc_fail(err, TACIT_E_ARG, "a pruning rule must be none, median or asha, got %d",
                       (int)p->rule);
    if (p->rule == TC_PRUNE_NONE && (p->warmup || p->min_trials))
        return tc_fail(err, TACIT_E_ARG, "%s is for the rules median and asha",
                       p->warmup ? "warmup" : "min_trials");
    if (p->rule != TC_PRUNE_ASHA && (p->min_step || p->factor))
        return refuse_asha(p->min_step ? "min_step" : "factor", err);
    if (p->rule == TC_PRUNE_NONE)
        return TACIT_OK;
    if (p->rule == TC_PRUNE_ASHA) {
        p->min_step = p->min_step ? p->min_step : TC_PRUNE_MIN_STEP;
        p->factor = p->factor ? p->factor : TC_PRUNE_FACTOR;
        TC_TRY(check_range("min_step", p->min_step, 1, TC_STEP_MOST, err));
        TC_TRY(check_range("factor", p->factor, 2, TC_PRUNE_FACTOR_MOST, err));
    }
    if (p->min_trials == 0)
        p->min_trials = p->rule == TC_PRUNE_ASHA ? p->factor : TC_PRUNE_MEDIAN_TRIALS;
    TC_TRY(check_range("warmup", p->warmup, 0, TC_STEP_MOST, err));
    return check_range("min_trials", p->min_trials, 1, TC_STEP_MOST, err);
}

/* ---- curves ---- */

static double loss_of(const tc_optimizer *o, double value)
{
    return o->maximize ? -value : value;
}

static double value_of(const tc_optimizer *o, double loss)
{
    return o->maximize ? 0 - loss : loss; /* never -0 */
}

/* How many of its reports are at steps below this one. */
static size_t reports_below(const tc_trial *t, uint64_t step)
{
    size_t low = 0, high = t->n_steps;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->steps[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the median ---- */

static double best_so_far(const tc_optimizer *o, const tc_trial *t)
{
    double best = INFINITY;
    for (size_t i = 0; i < t->n_steps; i++)
        best = fmin(best, loss_of(o, t->steps[i].value));
    return best;
}

static double median(double *v, size_t n)
{
    tc_sort_doubles(v, n);
    return n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

/* losses: room for one of each trial. */
static void judge_by_median(const tc_optimizer *o, const tc_trial *t, const tc_prune *p,
                            double *losses, tc_verdict *out)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n_trials; i++) {
        const tc_trial *other = &o->trials[i];
        size_t at = other->state == TC_TRIAL_COMPLETE ? reports_below(other, out->step + 1) : 0;
        if (at > 0)
            losses[n++] = loss_of(o, other->steps[at - 1].value);
    }
    out->compared = n;
    if (n < p->min_trials)
        return;
    double bound = median(losses, n);
    out->bound = value_of(o, bound);
    out->stop = best_so_far(o, t) > bound;
}

/* ---- successive halving ---- */

/* One rung: what each trial had when it first came to it. Of fewer than `factor` that came the best goes on. */
static void judge_rung(const tc_optimizer *o, const tc_trial *t, const tc_prune *p, uint64_t rung,
                       double *losses, tc_verdict *out)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n_trials; i++) {
        const tc_trial *other = &o->trials[i];
        size_t at = reports_below(other, rung);
        if (at < other->n_steps)
            losses[n++] = loss_of(o, other->steps[at].value);
    }
    out->compared = n;
    if (n < p->min_trials)
        return;
    tc_sort_doubles(losses, n);
    size_t kept = n / (p->factor > 1 ? p->factor : 2);
    double bound = losses[kept > 0 ? kept - 1 : 0];
    out->bound = value_of(o, bound);
    out->stop = loss_of(o, t->steps[reports_below(t, rung)].value) > bound;
}

/* At the rungs to which the last report has come: mostly none or one, more where it went over some. */
static void judge_by_halving(const tc_optimizer *o, const tc_trial *t, const tc_prune *p,
                             double *losses, tc_verdict *out)
{
    bool first = t->n_steps == 1;
    uint64_t before = first ? 0 : t->steps[t->n_steps - 2].step;
    for (uint64_t rung = p->min_step; rung <= out->step && !out->stop; rung *= p->factor) {
        if ((first || rung > before))
            judge_rung(o, t, p, rung, losses, out);
        if (rung > TC_STEP_MOST / p->factor)
            return;
    }
}

/* ---- */

tacit_status tc_prune_judge(const tc_optimizer *o, uint64_t trial, const tc_prune *p,
                            tc_verdict *out, tacit_error *err)
{
    const tc_trial *t = tc_optimizer_trial(o, trial);
    *out = (tc_verdict){.bound = NAN, .value = NAN};
    if (!t)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no trial %" PRIu64 "; this study has %zu",
                       trial, o->n_trials);
    if (t->n_steps == 0)
        return TACIT_OK;
    out->step = t->steps[t->n_steps - 1].step;
    out->value = t->steps[t->n_steps - 1].value;
    if (p->rule == TC_PRUNE_NONE || out->step < p->warmup)
        return TACIT_OK;
    double *losses = tc_alloc(o->n_trials, sizeof *losses);
    if (!losses)
        return tc_fail_memory(err);
    if (p->rule == TC_PRUNE_MEDIAN)
        judge_by_median(o, t, p, losses, out);
    else
        judge_by_halving(o, t, p, losses, out);
    tc_free(losses);
    return TACIT_OK;
}
