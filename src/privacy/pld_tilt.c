/* pld_tilt.c - the exponential tilt, and the window in which the composition is computed.
 *
 * With K(s) = sum of count * ln E[exp(s loss)], the tilted masses p exp(lambda l)/E[exp(lambda l)]
 * of the parts compose to the tilted masses of the composition, exp(lambda l - K(lambda)) times the
 * plain ones. lambda is chosen, as an order of Renyi DP is, so that they are centred near the
 * epsilon that is looked for: then an FFT, whose round-off is relative to the largest masses,
 * resolves the ones that delta is made of, however small delta is. Any lambda and any window give
 * valid bounds; these only decide how tight they are.
 *
 * Masses outside the window: for every a > 0 (Chernoff) the tilted mass of losses >= w is at most
 * exp(K(lambda + a) - K(lambda) - a w), and likewise to the left. Called by pld.c. */
#include "privacy/pld_int.h"

#include <math.h>

#define OUTSIDE   1e-7 /* tilted mass that the window may leave out */
#define BLOCK     64
#define STEEPEST  4.0   /* |lambda| h at most */
#define FLATTEST  1e-10 /* lambda h at least */
#define PRECISION 0.02  /* of ln lambda */
#define GOLDEN    0.61803398874989484820

/* sum of p_j r^j, four partial sums wide */
static double dot(const double *p, const double *power, size_t n)
{
    double s[4] = {0, 0, 0, 0};
    size_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (size_t k = 0; k < 4; k++)
            s[k] += p[j + k] * power[j + k];
    for (; j < n; j++)
        s[0] += p[j] * power[j];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* ln(exp(a) + exp(b)) */
static double log_add(double a, double b)
{
    double big = fmax(a, b);
    return big == -INFINITY ? big : big + log1p(exp(fmin(a, b) - big));
}

/* ln of the sum over the block that starts at i; -INFINITY where it is empty. */
static double log_block(const tc_pld_measure *m, size_t i, const double *power, double lambda)
{
    double sum = dot(m->p + i, power, m->n - i < BLOCK ? m->n - i : BLOCK);
    return sum > 0 ? log(sum) + lambda * tc_pld_loss(m, i) : -INFINITY;
}

double tc_pld_log_mgf(const tc_pld_measure *m, double lambda)
{
    double power[BLOCK], total = -INFINITY;
    for (size_t j = 0; j < BLOCK; j++)
        power[j] = exp(lambda * m->h * (double)j);
    for (size_t i = 0; i < m->n; i += BLOCK)
        total = log_add(total, log_block(m, i, power, lambda));
    return total;
}

double tc_pld_mean_size(const tc_pld_measure *m, double lambda)
{
    double mean = 0, weight = 0, ratio = exp(lambda * m->h), log_m = tc_pld_log_mgf(m, lambda);
    for (size_t i = 0; i < m->n; i++, weight *= ratio) {
        if (i % BLOCK == 0)
            weight = exp(lambda * tc_pld_loss(m, i) - log_m);
        if (m->p[i] > 0)
            mean += m->p[i] * weight * fabs(tc_pld_loss(m, i));
    }
    return mean;
}

const tc_pld_measure *tc_pld_measure_of(const tc_pld_part *part, int bound)
{
    return bound == TC_PLD_ABOVE ? &part->above : &part->below;
}

double tc_pld_total(const tc_pld_parts *parts, int bound, double lambda)
{
    double k = 0;
    for (size_t i = 0; i < parts->n; i++)
        k += (double)parts->part[i].count *
             tc_pld_log_mgf(tc_pld_measure_of(&parts->part[i], bound), lambda);
    return k;
}

double tc_pld_offset(const tc_pld_parts *parts, int bound)
{
    double offset = 0;
    for (size_t i = 0; i < parts->n; i++)
        offset += (double)parts->part[i].count * tc_pld_measure_of(&parts->part[i], bound)->offset;
    return offset;
}

/* First and last grid index that the sum of losses can have. */
static void support(const tc_pld_parts *parts, int bound, double *first, double *last)
{
    *first = *last = 0;
    for (size_t i = 0; i < parts->n; i++) {
        const tc_pld_measure *m = tc_pld_measure_of(&parts->part[i], bound);
        double count = (double)parts->part[i].count;
        *first += count * (double)m->first;
        *last += count * (double)(m->first + (int64_t)m->n - 1);
    }
}

/* ---- choosing lambda and the window */

typedef struct search {
    const tc_pld_parts *parts;
    double lambda, at_lambda; /* K(lambda) */
    double log_delta, hint;
} search;

/* ln of the masses near epsilon `hint` over their tilted ones: least where the tilted mean is the
 * hint, and with it the share of round-off in delta. */
static double scale_at_hint(const search *s, double x)
{
    double l = exp(x);
    return tc_pld_total(s->parts, TC_PLD_ABOVE, l) - l * s->hint;
}

/* The epsilon that order lambda proves (Canonne, Kamath, Steinke 2020, proposition 12). */
static double proved_epsilon(const search *s, double x)
{
    double l = exp(x);
    double convert = l * log(l) - (1 + l) * log1p(l);
    return (tc_pld_total(s->parts, TC_PLD_ABOVE, l) - s->log_delta + convert) / l;
}

static double right_end(const search *s, double x)
{
    double a = exp(x);
    return (tc_pld_total(s->parts, TC_PLD_ABOVE, s->lambda + a) - s->at_lambda - log(OUTSIDE)) / a;
}

static double left_end(const search *s, double x)
{
    double a = exp(x);
    return (tc_pld_total(s->parts, TC_PLD_ABOVE, s->lambda - a) - s->at_lambda - log(OUTSIDE)) / a;
}

/* Golden section; the functions above are quasi-convex in x, since K is convex. */
static double minimise(double (*f)(const search *, double), const search *s, double low,
                       double high)
{
    double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
    double fa = f(s, a), fb = f(s, b);
    while (high - low > PRECISION) {
        if (fa <= fb) {
            high = b, b = a, fb = fa;
            a = high - GOLDEN * (high - low);
            fa = f(s, a);
        } else {
            low = a, a = b, fa = fb;
            b = low + GOLDEN * (high - low);
            fb = f(s, b);
        }
    }
    return 0.5 * (low + high);
}

/* Without a hint the tilted mean is the epsilon that Renyi DP proves, which may be far too high
 * where losses have a heavy tail. */
static void choose_lambda(search *s, double hint, tc_pld_tilt *t)
{
    double h = s->parts->h, low = log(FLATTEST / h), high = log(STEEPEST / h);
    s->hint = t->guess = hint;
    double x = minimise(hint > 0 ? scale_at_hint : proved_epsilon, s, low, high);
    if (!(hint > 0))
        t->guess = proved_epsilon(s, x);
    t->lambda = s->lambda = exp(x);
    s->at_lambda = tc_pld_total(s->parts, TC_PLD_ABOVE, s->lambda);
}

void tc_pld_plan(const tc_pld_parts *parts, double delta, double hint, tc_pld_tilt *t)
{
    double h = parts->h, low = log(FLATTEST / h), high = log(STEEPEST / h);
    search s = {.parts = parts, .log_delta = log(delta)};
    choose_lambda(&s, hint, t);
    double right = minimise(right_end, &s, low, high), left = minimise(left_end, &s, low, high);
    t->right = exp(right);
    t->left = exp(left);
    double first, last, offset = tc_pld_offset(parts, TC_PLD_ABOVE);
    support(parts, TC_PLD_ABOVE, &first, &last);
    double from = floor((-left_end(&s, left) - offset) / h);
    double to = ceil((right_end(&s, right) - offset) / h);
    from = fmin(fmax(from, first - 2), last); /* a measure below may start two points earlier */
    to = fmax(fmin(to, last), from);
    t->start = (int64_t)from;
    t->size = to - from + 1;
}

tc_pld_tails tc_pld_outside(const tc_pld_parts *parts, int bound, const tc_pld_tilt *t, size_t n)
{
    double first, last, h = parts->h, offset = tc_pld_offset(parts, bound);
    support(parts, bound, &first, &last);
    double before = (double)t->start - 1, after = (double)t->start + (double)n;
    double k = tc_pld_total(parts, bound, t->lambda);
    tc_pld_tails tails = {0, 0};
    if (last >= after)
        tails.right = exp(tc_pld_total(parts, bound, t->lambda + t->right) - k -
                          t->right * (offset + after * h));
    if (first <= before)
        tails.left = exp(tc_pld_total(parts, bound, t->lambda - t->left) - k +
                         t->left * (offset + before * h));
    tails.right = fmin(1, tails.right);
    tails.left = fmin(1, tails.left);
    return tails;
}
