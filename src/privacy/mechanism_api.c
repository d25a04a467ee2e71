/* mechanism_api.c - the mechanisms from outside: the upper half of include/tacit/release.h.
 *
 * Thin: every rule is in mechanism.h. Noise comes from the operating system in every one of these
 * calls, so whoever is outside of the library cannot make a release that only looks private. */
#include "privacy/ledger_int.h"
#include "privacy/mechanism.h"
#include "privacy/public.h"

#include "base/error.h"
#include "base/memory.h"

/* Noise for one call; erased by secret_end. */
typedef struct secret {
    tc_noise noise;
    tc_entropy entropy;
} secret;

static tc_entropy *secret_start(secret *s)
{
    tc_noise_init(&s->noise);
    s->entropy = tc_entropy_of(&s->noise);
    return &s->entropy;
}

static void secret_end(secret *s)
{
    tc_noise_fini(&s->noise);
}

/* ---- Laplace vector */

static TC_SIZED(sized_laplace, tacit_laplace_plan, epsilon, epsilon);

tacit_status tacit_laplace_release(tacit_release **out, const tacit_laplace_plan *plan,
                                   const double *x, tacit_error *err)
{
    TC_GIVEN(out);
    tacit_laplace_plan given;
    TC_TRY(tc_sized_take(&sized_laplace, &given, plan, "plan", err));
    TC_GIVEN(plan->low);
    TC_GIVEN(plan->high);
    TC_GIVEN(x);
    TC_TRY(tc_check_unit(given.unit, err));
    tc_laplace_plan p = {.count = given.count,
                         .bounds = {given.low, given.high},
                         .sensitivity = given.sensitivity,
                         .epsilon = given.epsilon,
                         .unit = given.unit};
    secret s;
    tacit_status status = tc_laplace_release(out, &p, x, secret_start(&s), err);
    secret_end(&s);
    return status;
}

/* ---- rows */

static TC_SIZED(sized_rows, tacit_rows_plan, delta, delta);

tacit_status tacit_rows_release(tacit_release **out, size_t *order, const tacit_rows_plan *plan,
                                const double *x, tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(order);
    tacit_rows_plan given;
    TC_TRY(tc_sized_take(&sized_rows, &given, plan, "plan", err));
    TC_GIVEN(plan->low);
    TC_GIVEN(plan->high);
    TC_GIVEN(x);
    TC_TRY(tc_check_choice("plan->noise", (int)given.noise, TACIT_ROWS_GAUSSIAN, err));
    tc_rows_plan p = {.rows = given.rows,
                      .dims = given.dims,
                      .bounds = {given.low, given.high},
                      .radius = given.radius,
                      .epsilon = given.epsilon,
                      .delta = given.delta,
                      .noise = given.noise};
    secret s;
    tacit_status status = tc_rows_release(out, order, &p, x, secret_start(&s), err);
    secret_end(&s);
    return status;
}

/* ---- replies */

struct tacit_reply {
    tc_reply reply;
};

tacit_status tacit_reply_new(tacit_reply **out, tacit_reply_kind kind, double epsilon, double low,
                             double high, tacit_error *err)
{
    TC_GIVEN(out);
    TC_TRY(tc_check_choice("kind", (int)kind, TACIT_REPLY_LAPLACE, err));
    tc_reply reply;
    TC_TRY(tc_reply_init(&reply, kind, epsilon, low, high, err));
    tacit_reply *p = tc_alloc(1, sizeof *p);
    if (!p)
        return tc_fail_memory(err);
    p->reply = reply;
    *out = p;
    return TACIT_OK;
}

void tacit_reply_free(tacit_reply *p)
{
    tc_free(p);
}

tacit_status tacit_reply_release(const tacit_reply *p, double y, tacit_release **out,
                                 tacit_error *err)
{
    TC_GIVEN(p);
    TC_GIVEN(out);
    secret s;
    tacit_status status = tc_reply_release(out, &p->reply, y, secret_start(&s), err);
    secret_end(&s);
    return status;
}

/* ---- none */

tacit_status tacit_none_release(tacit_release **out, size_t rows, size_t cols, const double *x,
                                tacit_unit unit, const char *why, tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(x);
    TC_GIVEN(why);
    TC_TRY(tc_check_unit(unit, err));
    if (!*why)
        return tc_fail(err, TACIT_E_ARG, "why must say why the release is not private");
    TC_TRY(tc_ledger_check_text("why", why, err)); /* statements print it, a ledger stores it */
    if (rows == 0 || cols == 0 || rows > TC_CLIP_MAX_COUNT / cols)
        return tc_fail(err, TACIT_E_ARG, "a release has 1 to %zu values, got %zu rows of %zu",
                       TC_CLIP_MAX_COUNT, rows, cols);
    return tc_none_release(out, rows, cols, x, unit, why, err);
}
