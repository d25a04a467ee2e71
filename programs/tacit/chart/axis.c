/* axis.c - scales and round ticks (1, 2, 5 times powers of ten; decades on a log scale). */
#include "chart/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TINY 1e-300

void tc_scale_range(tc_scale *s, double low, double high, double pad)
{
    if (s->log && !(low > TINY))
        low = high > TINY ? high / 1000 : 0.1;
    if (!isfinite(low) || !isfinite(high) || low > high) {
        low = s->log ? 0.1 : 0;
        high = 1;
    }
    if (s->log) {
        double l = log10(low), h = log10(high),
               margin = fmax(pad * (h - l), h - l < 1e-9 ? 0.3 : 0);
        s->low = fmax(pow(10, l - margin), DBL_MIN);
        s->high = fmin(pow(10, h + margin), DBL_MAX);
        return;
    }
    double half = high / 2 - low / 2;          /* the whole length may be no double */
    double flat = 0.5 * fmax(fabs(low), 1e-3); /* one value only: room around it */
    double margin = half > 0.5e-12 * fmax(fabs(low), fabs(high)) ? pad * 2 * half : flat;
    s->low = fmax(low - margin, -DBL_MAX);
    s->high = fmin(high + margin, DBL_MAX);
}

double tc_scale_at(const tc_scale *s, double v)
{
    double share;
    if (s->log)
        share = v > 0 ? (log10(v) - log10(s->low)) / (log10(s->high) - log10(s->low)) : -2;
    else
        share = (v / 2 - s->low / 2) / (s->high / 2 - s->low / 2);
    return s->from + share * (s->to - s->from);
}

/* -- ticks --------------------------------------------------------------------------------- */

/* "10" with the exponent as superscript digits, or plain. */
static void decade_label(char *out, size_t size, int exponent, bool plain)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (plain) {
        snprintf(out, size, "%g", pow(10, exponent));
        return;
    }
    int e = exponent < 0 ? -exponent : exponent;
    snprintf(out, size, "10%s%s%s%s", exponent < 0 ? "⁻" : "", e >= 100 ? digits[e / 100 % 10] : "",
             e >= 10 ? digits[e / 10 % 10] : "", digits[e % 10]);
}

/* Of long whole numbers the thousands stand apart: "10 000". */
static void number_label(char *out, size_t size, double v)
{
    char plain[24];
    snprintf(plain, sizeof plain, "%.10g", v);
    size_t n = strlen(plain), used = 0;
    bool apart = fabs(v) >= 1e4 && strspn(plain, "-0123456789") == n;
    for (size_t i = 0; i < n && used + 2 < size; i++) {
        if (apart && i > 0 && plain[i - 1] != '-' && (n - i) % 3 == 0)
            out[used++] = ' ';
        out[used++] = plain[i];
    }
    out[used] = '\0';
}

static void add(tc_ticks *t, const tc_scale *s, double at)
{
    if (t->n == TC_TICKS || (s->whole && at != floor(at)))
        return;
    t->at[t->n] = at;
    number_label(t->label[t->n], sizeof t->label[0], at);
    t->n++;
}

static double round_step(double raw)
{
    double power = pow(10, floor(log10(raw))), lead = raw / power;
    return fmin(power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10), DBL_MAX);
}

static void linear_ticks(tc_ticks *t, const tc_scale *s, size_t want)
{
    double step = round_step((s->high / 2 - s->low / 2) / (double)want * 2);
    if (s->whole && step < 1)
        step = 1;
    double first = ceil(s->low / step - 1e-9), last = floor(s->high / step + 1e-9);
    for (double k = first; k <= last; k++)
        add(t, s, k * step == 0 ? 0 : k * step); /* no "-0" */
}

static void decade_ticks(tc_ticks *t, int first, int last, size_t want)
{
    int count = last - first + 1, stride = 1 + (count - 1) / (int)(want + 1);
    bool plain = first >= -4 && last <= 4; /* short enough, all of them */
    for (int e = first; e <= last && t->n < TC_TICKS; e += stride) {
        t->at[t->n] = pow(10, e);
        decade_label(t->label[t->n], sizeof t->label[0], e, plain);
        t->n++;
    }
}

static void one_two_five_ticks(tc_ticks *t, const tc_scale *s)
{
    static const double leads[] = {1, 2, 5};
    int first = (int)floor(log10(s->low)), last = (int)floor(log10(s->high));
    for (int e = first; e <= last; e++)
        for (size_t k = 0; k < 3; k++) {
            double at = leads[k] * pow(10, e);
            if (at >= s->low * (1 - 1e-9) && at <= s->high * (1 + 1e-9))
                add(t, s, at);
        }
}

void tc_ticks_choose(tc_ticks *t, const tc_scale *s, size_t want)
{
    memset(t, 0, sizeof *t);
    if (!s->log) {
        linear_ticks(t, s, want);
        return;
    }
    int first = (int)ceil(log10(s->low) - 1e-9), last = (int)floor(log10(s->high) + 1e-9);
    if (last - first >= 2) {
        decade_ticks(t, first, last, want);
        return;
    }
    one_two_five_ticks(t, s);
    if (t->n < 3) { /* less than about a factor of five: log is nearly linear */
        t->n = 0;
        linear_ticks(t, s, want);
    }
}
