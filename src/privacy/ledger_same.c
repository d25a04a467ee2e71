/* ledger_same.c - whether a stored entry is the one that a caller asks for.
 *
 * A round that was released gives its stored bytes to whoever asks again. That is right for the
 * same question alone: one about another unit, or at another price, must not get them; nor one with
 * another step, which would read other values in them. */
#include "privacy/ledger_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

static bool same_event(const tacit_dp_event *a, const tacit_dp_event *b)
{
    bool parameters = a->mechanism == TACIT_DP_NONPRIVATE || a->parameter == b->parameter;
    return a->mechanism == b->mechanism && parameters && a->sampling == b->sampling &&
           a->sampling_rate == b->sampling_rate && a->count == b->count;
}

/* NULL: none. */
static const char *first_difference(const tc_ledger_entry *a, const tc_ledger_entry *b)
{
    if (a->unit != b->unit)
        return "unit";
    if (strcmp(a->subject, b->subject) != 0)
        return "subject";
    if (strcmp(a->mechanism, b->mechanism) != 0)
        return "mechanism";
    if (!same_event(&a->event, &b->event))
        return "event";
    if (tc_ledger_relation(a) != tc_ledger_relation(b))
        return "relation";
    if (strcmp(a->adjacency, b->adjacency) != 0)
        return "adjacency";
    if (a->rows != b->rows || a->cols != b->cols)
        return "shape";
    if (a->offset != b->offset)
        return "offset";
    return a->step != b->step ? "step" : NULL;
}

tacit_status tc_ledger_check_same(const tc_ledger_entry *stored, const tc_ledger_entry *asked,
                                  tacit_error *err)
{
    const char *what = first_difference(stored, asked);
    if (!what)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CONFLICT,
                   "round %" PRIu64 " of this study was released as ledger entry %" PRIu64
                   " with another %s; another release needs another round",
                   stored->round, stored->seq, what);
}
