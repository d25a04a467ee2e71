/* release.c - releases: their birth (for mechanisms), their reading (for everybody). */
#include "privacy/release_int.h"

#include "privacy/public.h"

#include "base/bytes.h"
#include "base/error.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

const char *tacit_unit_name(tacit_unit unit)
{
    static const char *const names[] = {"agent", "row", "user", "record"};
    return unit >= TACIT_UNIT_AGENT && unit <= TC_UNIT_LAST ? names[unit] : NULL;
}

tacit_status tacit_unit_check(tacit_unit unit, double sampling_rate, tacit_error *err)
{
    TC_TRY(tc_check_unit(unit, err));
    if (!(sampling_rate > 0 && sampling_rate <= 1))
        return tc_fail_range(err, "the sampling rate", "(0, 1]", sampling_rate);
    if (sampling_rate < 1 && unit != TACIT_UNIT_AGENT)
        return tc_fail(err, TACIT_E_ARG,
                       "sampling with a rate below 1 is accounted for agents only, got rate %g "
                       "for unit %s; what its releases cost at rate 1 bounds every rate",
                       sampling_rate, tacit_unit_name(unit));
    return TACIT_OK;
}

tacit_dp_event tc_release_event(tacit_dp_mechanism mechanism, double parameter)
{
    return (tacit_dp_event){.mechanism = mechanism,
                            .parameter = parameter,
                            .sampling = TACIT_DP_ALL,
                            .sampling_rate = 1,
                            .count = 1};
}

static tc_release *release_of(size_t rows, size_t cols)
{
    if (rows != 0 && cols > SIZE_MAX / rows)
        return NULL;
    tc_release *r = tc_alloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->view.rows = rows;
    r->view.cols = cols;
    r->view.step = 1;
    return r;
}

static tacit_status finish(tc_release **out, tc_release *r, tacit_error *err)
{
    if (r->memory.failed) {
        tc_release_free(r);
        return tc_fail_memory(err);
    }
    r->view.steps = r->steps;
    r->view.reals = r->reals;
    *out = r;
    return TACIT_OK;
}

tacit_status tc_release_new(tc_release **out, size_t rows, size_t cols, const tc_entropy *e,
                            tacit_error *err)
{
    tc_release *r = release_of(rows, cols);
    if (r == NULL)
        return tc_fail_memory(err);
    r->steps = TC_TAKE(&r->memory, rows * cols, int64_t);
    r->view.is_private = e->secret;
    if (!e->secret)
        r->view.not_private = "the noise was drawn from a seed (test mode)";
    return finish(out, r, err);
}

tacit_status tc_release_new_bare(tc_release **out, size_t rows, size_t cols, const char *why,
                                 tacit_error *err)
{
    tc_release *r = release_of(rows, cols);
    if (r == NULL)
        return tc_fail_memory(err);
    r->reals = TC_TAKE(&r->memory, rows * cols, double);
    r->view.not_private = tc_arena_strdup(&r->memory, why);
    r->view.event = tc_release_event(TACIT_DP_NONPRIVATE, 1);
    return finish(out, r, err);
}

/* Its values may never have been committed to a ledger: then they must not be found later. */
void tc_release_free(tc_release *r)
{
    if (r == NULL)
        return;
    if (r->steps != NULL)
        sodium_memzero(r->steps, tc_release_size(r));
    if (r->reals != NULL)
        sodium_memzero(r->reals, tc_release_size(r));
    tc_arena_fini(&r->memory);
    tc_free(r);
}

const tc_release_view *tc_release_get(const tc_release *r)
{
    return &r->view;
}

double tc_release_value(const tc_release *r, size_t i)
{
    if (r->reals != NULL)
        return r->reals[i];
    return r->view.offset + r->view.step * (double)r->steps[i];
}

/* The last factor is larger than what exp and two products can have lost by rounding. */
double tc_release_slack(const tc_release *r, double epsilon)
{
    return (1 + exp(epsilon)) * r->view.distance * (1 + 0x1p-40);
}

size_t tc_release_size(const tc_release *r)
{
    return r->view.rows * r->view.cols * 8;
}

void tc_release_encode(const tc_release *r, uint8_t *out)
{
    size_t n = r->view.rows * r->view.cols;
    for (size_t i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, r->reals != NULL ? (const void *)&r->reals[i] : &r->steps[i], sizeof word);
        for (size_t byte = 0; byte < 8; byte++)
            out[8 * i + byte] = (uint8_t)(word >> (8 * byte));
    }
}

double tc_release_read(const tc_release_view *v, const uint8_t *bytes, size_t i)
{
    if (v->reals)
        return tc_get_le_double(bytes + 8 * i);
    return v->offset + v->step * (double)(int64_t)tc_get_le(bytes + 8 * i, 8);
}
