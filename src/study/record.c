/* record.c - what all stores do alike with records: the order of keys, and what a change expects. */
#include "study/record.h"

#include "base/error.h"

#include <string.h>

int tc_record_key_compare(const void *a, size_t na, const void *b, size_t nb)
{
    size_t shared = na < nb ? na : nb;
    int order = shared > 0 ? memcmp(a, b, shared) : 0;
    return order != 0 ? order : (na > nb) - (na < nb);
}

/* The first key after all that begin with the prefix: its last byte that can grow, grown. */
static void bound_above(const tc_record_range *range, tc_key_bounds *out)
{
    size_t n = range->prefix_size;
    const uint8_t *prefix = range->prefix;
    while (n > 0 && prefix[n - 1] == UINT8_MAX)
        n--;
    if (n == 0) { /* above every key, which is shorter */
        memset(out->high, UINT8_MAX, sizeof out->high);
        out->high_size = sizeof out->high;
        return;
    }
    memcpy(out->high, prefix, n);
    out->high[n - 1]++;
    out->high_size = n;
}

/* The next key after k is k with a zero byte. */
static void bound_below(const tc_record_range *range, tc_key_bounds *out)
{
    bool after =
        range->after_size > 0 && tc_record_key_compare(range->after, range->after_size,
                                                       range->prefix, range->prefix_size) >= 0;
    const void *from = after ? range->after : range->prefix;
    out->low_size = after ? range->after_size : range->prefix_size;
    if (out->low_size > 0)
        memcpy(out->low, from, out->low_size);
    if (after)
        out->low[out->low_size++] = 0;
}

void tc_record_bounds(const tc_record_range *range, tc_key_bounds *out)
{
    bound_below(range, out);
    bound_above(range, out);
}

bool tc_change_fits(const tc_change *c, uint64_t version)
{
    switch (c->what) {
    case TC_INSERT:
        return version == 0;
    case TC_REPLACE:
    case TC_ERASE:
        return version > 0 && version == c->record.version;
    case TC_REQUIRE:
        return version == c->record.version;
    }
    return false;
}

tacit_status tc_change_conflict(tacit_error *err)
{
    return tc_fail(err, TACIT_E_CONFLICT,
                   "somebody else changed the same thing at the same moment");
}
