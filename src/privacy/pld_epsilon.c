/* pld_epsilon.c - reading epsilon at delta off a composition, with everything that is not exact put
 * on the safe side.
 *
 * All masses are in units of scale = exp(K(lambda) - lambda * guess), in which a mass of loss l is
 * exp(lambda (guess - l)) times its tilted mass. From the top of the window down, with
 *     X_k = exp(l_k) * (Q of all masses at l_k and above),
 *     f(l_{k-1}) = f(l_k) + (1 - exp(-h)) X_k,
 * and between two points the curve is linear in exp(eps), so the crossing with delta has a formula.
 *
 * Upper value: each mass counts with its round-off added. What lies beyond the top of the window
 * adds at most exp(lambda (guess - top)) times its tilted mass; what lies below it has come round
 * the circle to a higher loss, which only adds; what the sources left out adds itself.
 * Lower value: each mass counts with its round-off taken off, not below 0, and mass that came round
 * is taken off: a tilted mass t at any loss contributes at most
 *     t * max_v exp(-lambda v) (1 - exp(-v)) = t * lambda^lambda / (1 + lambda)^(1 + lambda),
 * v = l - eps, times exp(lambda (guess - eps)). The relative errors of the masses of the parts, in
 * total sum of count * error of tilted mass, are treated in the same way, in both values. */
#include "privacy/pld_int.h"

#include <math.h>

typedef struct reading {
    double h, lambda, guess;
    double start;           /* loss of the first point of the window */
    double misplaced;       /* tilted mass that may be anywhere, times the factor above */
    double log_scale, slip; /* and the relative error of it and of the sums */
} reading;

static double loss_at(const reading *r, double k)
{
    return r->start + k * r->h;
}

static double weight(const reading *r, double loss)
{
    return exp(r->lambda * (r->guess - loss));
}

/* Goes down until the curve, plus or less what may be misplaced, reaches `target` (scaled): returns
 * epsilon, or -INFINITY where the window ends before. sign: +1 upper, -1 lower. */
static double cross(const reading *r, const double *p, size_t n, double error, int sign,
                    double target)
{
    double gap = -expm1(-r->h), keep = exp(-r->h), ratio = exp(r->lambda * r->h);
    double f = 0, x = 0, w = 0;
    for (size_t k = n; k-- > 0;) {
        w = k % 64 == 63 || k == n - 1 ? weight(r, loss_at(r, (double)k)) : w * ratio;
        double mass = fmax(0, sign > 0 ? fmax(p[k], 0) + error : p[k] - error);
        x = mass * w + keep * x;
        double next = f + gap * x, aside = r->misplaced * w * ratio; /* at l_{k-1} */
        double goal = target - (double)sign * aside;
        if (!isfinite(next) || !isfinite(goal))
            return sign > 0 ? loss_at(r, (double)k) : -INFINITY;
        if (next >= goal) {
            double share = x > 0 ? fmin(fmax((goal - f) / x, 0), gap) : 0;
            return loss_at(r, (double)k) + log1p(-share);
        }
        f = next;
    }
    return -INFINITY;
}

/* delta in scaled units; INFINITY or 0 where that leaves the doubles. */
static double scaled(const reading *r, double delta)
{
    return exp(log(delta) - r->log_scale);
}

/* Tilted mass that is in error, as a share: that of the densities and of the weights exp(lambda l),
 * and that of the excess of a half cell, at most 16 u |loss| of its mass, which 1/(1 - exp(-h))
 * makes larger and which the next grid point may have to bear (pld_measure.c). */
static double spread(const tc_pld_parts *parts, int bound, double lambda)
{
    double sum = 0, h = parts->h;
    for (size_t i = 0; i < parts->n; i++) {
        const tc_pld_part *part = &parts->part[i];
        const tc_pld_measure *m = tc_pld_measure_of(part, bound);
        double size = tc_pld_mean_size(m, lambda) + fabs(m->offset);
        double often = bound == TC_PLD_ABOVE ? 24 : 64; /* roundings of one excess */
        double excess = often * (size / fmin(h, 1) + 1), weights = 4 * lambda * size + 128;
        sum += (double)part->count * TC_PLD_ULP * (part->error + excess + weights);
    }
    return expm1(sum * exp(lambda * h));
}

static reading reading_of(const tc_pld_parts *parts, const tc_pld_tilt *t, int bound, size_t n,
                          double elsewhere)
{
    double l = t->lambda, k = tc_pld_total(parts, bound, l);
    reading r = {.h = parts->h, .lambda = l, .guess = t->guess};
    r.start = tc_pld_offset(parts, bound) + (double)t->start * parts->h;
    r.misplaced = (spread(parts, bound, l) + elsewhere) * exp(l * log(l) - (1 + l) * log1p(l));
    r.log_scale = k - l * t->guess;
    r.slip = 8 * TC_PLD_ULP * (fabs(k) + l * (fabs(t->guess) + fabs(r.start)) + (double)n + 100);
    return r;
}

/* Rounding of offset + index * h, beside which the grid itself is exact. */
static double blur(const tc_pld_parts *parts, const tc_pld_tilt *t)
{
    double sum = fabs((double)t->start * parts->h) + fabs(t->guess);
    for (size_t i = 0; i < parts->n; i++)
        sum += (double)parts->part[i].count * fabs(parts->part[i].above.offset);
    return 8 * TC_PLD_ULP * sum;
}

/* What an error e in every mass does to delta: scale * sum_j e exp(-lambda v_j) (1 - exp(-v_j)). */
static double roundoff(const reading *r, double error, double eps)
{
    double per_mass = 1 / expm1(r->lambda * r->h) - 1 / expm1((r->lambda + 1) * r->h);
    return exp(r->log_scale) * weight(r, eps) * (error * per_mass + r->misplaced);
}

tc_pld_range tc_pld_epsilon(const tc_pld_parts *parts, const tc_pld_tilt *t, const tc_pld_sum *sum,
                            double delta)
{
    tc_pld_range out = {0, INFINITY, 0};
    double pad = blur(parts, t);
    tc_pld_tails tails = tc_pld_outside(parts, TC_PLD_ABOVE, t, sum->n);
    reading r = reading_of(parts, t, TC_PLD_ABOVE, sum->n, 0);
    double beyond = tails.right * weight(&r, loss_at(&r, (double)sum->n));
    double target = scaled(&r, delta - parts->lost) * (1 - r.slip) - beyond;
    if (delta > parts->lost && target > 0) {
        double eps = cross(&r, sum->p[TC_PLD_ABOVE], sum->n, sum->error[TC_PLD_ABOVE], 1, target);
        eps = fmax(eps, loss_at(&r, -1)); /* at the end of the window delta is met already */
        out.roundoff = roundoff(&r, sum->error[TC_PLD_ABOVE], fmax(eps, 0));
        out.upper = fmax(0, eps + pad);
    }
    tails = tc_pld_outside(parts, TC_PLD_BELOW, t, sum->n);
    r = reading_of(parts, t, TC_PLD_BELOW, sum->n, tails.left + tails.right);
    target = scaled(&r, delta) * (1 + r.slip);
    double eps = cross(&r, sum->p[TC_PLD_BELOW], sum->n, sum->error[TC_PLD_BELOW], -1, target);
    out.lower = fmax(0, eps - pad);
    return out;
}
