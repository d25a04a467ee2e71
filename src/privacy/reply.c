/* reply.c - one reply of one user: one bit, piecewise, Laplace (mechanism.h).
 *
 * A value becomes an integer u in -G..G (clamped), and nothing but u is used. Let r >= exp(-epsilon)
 * be the bound of exp_upper.h, all in units of 2^-62.
 *
 * One bit. The reply is + with probability (2^62 + c) / 2^63, c = trunc(u A / G), |c| <= A, where
 *     A = floor(2^62 (1 - r) / (1 + r)).
 * Both signs have probabilities between (2^62 - A) / 2^63 and (2^62 + A) / 2^63, so a likelihood
 * ratio is at most (1 + a)/(1 - a) with a = A / 2^62 <= (1-r)/(1+r): at most 1/r <= e^epsilon.
 * Its mean is c / 2^62; the value of + is the half width times 2^62 / A, so the mean reply is the
 * value itself, up to one part in A.
 *
 * Piecewise. There are K = L + 2H cells; u chooses a window of L neighbouring cells, starting at
 * cell H + u. With probability B / 2^63 the reply is a uniform cell of the window, else a uniform
 * one of the other 2H. So a cell has one of two probabilities, whatever the window:
 *     inside  B / (2^63 L),    outside  (2^63 - B) / (2^63 2H),
 * and the ratio is B 2H / ((2^63 - B) L). With B = floor(2^63 L / (L + D)) and D >= 2H r we have
 * B / (2^63 - B) <= L / D, hence ratio <= 2H / D <= 1/r <= e^epsilon; the inverse ratio is below
 * one, which init verifies. Around the middle cell the window has mean u and the others have mean
 * -u L / 2H: the mean reply is exactly proportional to u, and `step` undoes the factor. Any L is
 * sound; L = 2H exp(-epsilon/2) has the least variance (Wang et al. 2019). */
#include "privacy/exp_upper.h"
#include "privacy/mechanism_int.h"
#include "privacy/release_int.h"
#include "privacy/sampler.h"

#include "base/error.h"
#include "base/text.h"

#include <math.h>
#include <sodium.h>

enum { MAX_EPSILON = 64, ONE_BIT_BITS = 52, HALF_BITS = 50, FRACTION_BITS = 10 };
enum { SIZE_LIMIT = 1000, STACK = 4096 /* bytes: more than a draw uses, lazy binding too */ };

#define CERTAIN (UINT64_C(1) << 63)

static double half_width(const tc_reply *r)
{
    return (r->high - r->low) / 2;
}

static void init_one_bit(tc_reply *r)
{
    uint64_t bound = tc_exp_minus_upper(r->epsilon);
    tc_wide a = ((tc_wide)(TC_EXP_ONE - bound) << 62) / (TC_EXP_ONE + bound);
    r->inside = (uint64_t)a;
    r->reach = INT64_C(1) << ONE_BIT_BITS;
    r->step = half_width(r) * ldexp(1, 62) / (double)r->inside;
    r->sd = r->step; /* in the middle of the range */
}

static double piecewise_sd(double epsilon)
{
    double root = exp(epsilon / 2), less = root - 1;
    return sqrt(1 / less + (root + 3) / (3 * less * less)); /* at the ends of the range */
}

/* The products are below 2^63 2^61: L <= 2^51, and D is counted in 2^-10 of a cell. */
static tacit_status init_piecewise(tc_reply *r, tacit_error *err)
{
    const uint64_t others = UINT64_C(1) << (HALF_BITS + 1); /* 2H */
    r->reach = INT64_C(1) << HALF_BITS;
    r->window = tc_exp_minus_upper(r->epsilon / 2) >> (62 - HALF_BITS - 1);
    r->window += r->window == 0;
    uint64_t window = r->window << FRACTION_BITS;
    uint64_t d = (tc_exp_minus_upper(r->epsilon) + 1) / 2; /* 2H 2^10 / 2^62 = 1/2 */
    r->inside = (uint64_t)(((tc_wide)window << 63) / ((tc_wide)window + d));
    tc_wide in = (tc_wide)r->inside * others, out = (tc_wide)(CERTAIN - r->inside) * r->window;
    if (in <= out)
        return tc_fail(err, TACIT_E_ARG, "epsilon %g is too small for piecewise replies",
                       r->epsilon);
    double factor = (double)(in - out) / (ldexp(1, 63) * (double)others);
    r->step = half_width(r) / (2 * factor * (double)r->reach);
    r->sd = half_width(r) * piecewise_sd(r->epsilon);
    return TACIT_OK;
}

static void init_laplace(tc_reply *r)
{
    double steps = round(ldexp(r->epsilon, 31)); /* then t is about 2^32 */
    r->reach = (int64_t)fmin(fmax(steps, 0x1p20), 0x1p38);
    r->scale = tc_laplace_scale(2 * (uint64_t)r->reach, 1, r->epsilon);
    r->step = half_width(r) / (double)r->reach;
    r->sd = sqrt(2) * (double)r->scale * r->step;
}

/* Else a step could be rounded to nothing, or a reply be infinite. */
static tacit_status check_size(const tc_reply *r, tacit_error *err)
{
    bool close = !(r->step >= ldexp(1, -SIZE_LIMIT)), far = !(r->sd <= ldexp(1, SIZE_LIMIT));
    if (!close && !far)
        return TACIT_OK;
    char width[32];
    tc_double_text(width, r->high - r->low);
    return tc_fail(err, TACIT_E_ARG,
                   close ? "bounds %s apart are too close: a reply's step would be below 2^-%d"
                         : "bounds %s apart are too far: a reply's noise would be above 2^%d",
                   width, SIZE_LIMIT);
}

tacit_status tc_reply_init(tc_reply *r, tacit_reply_kind kind, double epsilon, double low,
                           double high, tacit_error *err)
{
    TC_TRY(tc_epsilon_check(epsilon, MAX_EPSILON, err));
    TC_TRY(tc_bounds_check((tc_bounds){&low, &high}, 1, err));
    if (kind == TACIT_REPLY_AUTO)
        kind = epsilon < 1.29 ? TACIT_REPLY_ONE_BIT : TACIT_REPLY_PIECEWISE;
    tc_reply made = {.kind = kind, .epsilon = epsilon, .low = low, .high = high};
    made.offset = low + (high - low) / 2;
    if (kind == TACIT_REPLY_ONE_BIT)
        init_one_bit(&made);
    else if (kind == TACIT_REPLY_PIECEWISE)
        TC_TRY(init_piecewise(&made, err));
    else
        init_laplace(&made);
    TC_TRY(check_size(&made, err));
    *r = made;
    return TACIT_OK;
}

/* u: what is not finite is the midpoint; the clamp is in integers. */
static int64_t position(const tc_reply *r, double y)
{
    if (!isfinite(y))
        return 0;
    double t = (y - r->offset) / half_width(r) * (double)r->reach;
    double reach = (double)r->reach;
    return (int64_t)round(fmin(fmax(t, -reach), reach));
}

/* The bits are drawn before y is looked at, in this and the next two. */
static int64_t draw_one_bit(const tc_reply *r, double y, tc_entropy *e)
{
    uint64_t word = tc_sample_below(e, CERTAIN);
    int64_t u = position(r, y);
    uint64_t m = (uint64_t)(u < 0 ? -u : u);
    uint64_t c = (uint64_t)((tc_wide)m * r->inside / (uint64_t)r->reach);
    uint64_t threshold = u < 0 ? TC_EXP_ONE - c : TC_EXP_ONE + c;
    return word < threshold ? 1 : -1;
}

static int64_t draw_piecewise(const tc_reply *r, double y, tc_entropy *e)
{
    uint64_t half = (uint64_t)r->reach;
    int inside = tc_sample_bernoulli(e, r->inside, CERTAIN);
    uint64_t in = tc_sample_below(e, r->window), out = tc_sample_below(e, 2 * half);
    uint64_t start = (uint64_t)((int64_t)half + position(r, y));
    uint64_t elsewhere = out < start ? out : out + r->window;
    uint64_t cell = inside ? start + in : elsewhere;
    return 2 * (int64_t)cell -
           (int64_t)(2 * half + r->window - 1); /* twice the way from the middle */
}

static int64_t draw_laplace(const tc_reply *r, double y, tc_entropy *e)
{
    int64_t noise = tc_sample_laplace(e, r->scale);
    return noise + position(r, y);
}

/* Not inlined, so that all it leaves is on the stack below its caller's, which erases it. */
__attribute__((noinline)) static int64_t draw(const tc_reply *r, double y, tc_entropy *e)
{
    return r->kind == TACIT_REPLY_ONE_BIT     ? draw_one_bit(r, y, e)
           : r->kind == TACIT_REPLY_PIECEWISE ? draw_piecewise(r, y, e)
                                              : draw_laplace(r, y, e);
}

static const char *const names[] = {
    [TACIT_REPLY_ONE_BIT] = "one-bit-reply",
    [TACIT_REPLY_PIECEWISE] = "piecewise-reply",
    [TACIT_REPLY_LAPLACE] = "laplace-reply",
};

const char *tc_reply_mechanism(const tc_reply *r)
{
    return names[r->kind];
}

tacit_dp_event tc_reply_event(const tc_reply *r)
{
    return tc_release_event(r->kind == TACIT_REPLY_LAPLACE ? TACIT_DP_LAPLACE : TACIT_DP_PURE,
                            r->epsilon);
}

tacit_status tc_reply_release(tc_release **out, const tc_reply *r, double y, tc_entropy *e,
                              tacit_error *err)
{
    tc_release *made;
    TC_TRY(tc_release_new(&made, 1, 1, e, err));
    tc_entropy_fresh(e);
    made->steps[0] = draw(r, y, e);
    sodium_stackzero(STACK);
    tc_entropy_fresh(e);
    made->view.mechanism = tc_reply_mechanism(r);
    made->view.offset = r->offset;
    made->view.step = r->step;
    made->view.event = tc_reply_event(r);
    made->view.unit = TACIT_UNIT_USER;
    made->view.single = true;
    made->view.adjacency =
        "any two values of one user, clamped to the public bounds, for each reply";
    made->view.sensitivity = r->high - r->low;
    made->view.noise_sd = r->sd;
    *out = made;
    return TACIT_OK;
}
