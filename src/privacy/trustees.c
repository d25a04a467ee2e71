/* trustees.c - see trustees.h. */
#include "privacy/trustees.h"

#include "base/error.h"

#include <math.h>

/* K <= 2t + 1 - c */
uint32_t tc_trustees_least_degree(uint32_t count, uint32_t colluding)
{
    return (count + colluding) / 2;
}

tc_trustees tc_trustees_usual(uint32_t count)
{
    tc_trustees t = {.count = count, .colluding = count >= 7 ? 2 : 1};
    t.degree = tc_trustees_least_degree(count, t.colluding);
    t.dealers = t.degree + 1;
    return t;
}

static tacit_status check_member(const char *name, uint32_t value, uint32_t low, uint32_t high,
                                 const char *why, tacit_error *err)
{
    if (value >= low && value <= high)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "federation.trustees.%s must be in %u..%u%s, got %u", name,
                   (unsigned)low, (unsigned)high, why, (unsigned)value);
}

tacit_status tc_trustees_check(const tc_trustees *t, tacit_error *err)
{
    const uint32_t K = t->count;
    TC_TRY(check_member("count", K, TC_TRUSTEES_LEAST, TC_TRUSTEES_MOST, "", err));
    TC_TRY(check_member("colluding", t->colluding, 1, (K - 1) / 2,
                        ", fewer than half of the trustees", err));
    TC_TRY(check_member(
        "degree", t->degree, tc_trustees_least_degree(K, t->colluding), K - 1,
        " with so many trustees and colluding ones, or a coordinator could open two sums", err));
    return check_member("dealers", t->dealers, t->colluding + 1, K,
                        ", more than there are colluding trustees", err);
}

uint32_t tc_trustees_absent(const tc_trustees *t)
{
    const uint32_t needed = t->dealers > t->degree + 1 ? t->dealers : t->degree + 1;
    return t->count - needed;
}

uint32_t tc_trustees_noticed(const tc_trustees *t, uint32_t answers)
{
    return answers > t->degree + 1 ? answers - t->degree - 1 : 0;
}

uint32_t tc_trustees_named(const tc_trustees *t, uint32_t answers)
{
    const uint32_t spare = tc_trustees_noticed(t, answers);
    const uint32_t safe = spare > t->colluding ? spare - t->colluding : 0;
    return spare / 2 < safe ? spare / 2 : safe;
}

double tc_trustees_spread(const tc_trustees *t)
{
    return sqrt((double)t->dealers / (double)(t->dealers - t->colluding));
}

double tc_trustees_left(const tc_trustees *t, uint32_t colluding)
{
    if (colluding <= t->colluding)
        return 1;
    if (colluding >= t->dealers || colluding > t->degree ||
        t->count + colluding > 2 * t->degree + 1)
        return 0;
    return sqrt((double)(t->dealers - colluding) / (double)(t->dealers - t->colluding));
}
