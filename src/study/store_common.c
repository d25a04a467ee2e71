/* store_common.c - what the code of a store calls: refusals that every store words alike, and rows.
 *
 * For stores alone; a store module (store_module.h) has its own copy. So nothing here may need a store. */
#include "study/store.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

tacit_status tc_name_taken(const char *place, tacit_error *err)
{
    return tc_fail(err, TACIT_E_BUSY, "another process holds it in %s", place);
}

tacit_status tc_study_gone(tacit_error *err)
{
    return tc_fail(err, TACIT_E_NOT_FOUND, "there is no such study any more");
}

/* A tell changes what would be asked next, a report not even that; neither makes anything wrong that was computed without it:
 * the values are in the event, and no number depends on it. Only the trial that was told is no
 * longer free to be asked again, or to lose its lease. */
bool tc_append_disturbed(const tc_append *a, tc_event_kind kind, uint64_t trial)
{
    if (kind != TC_EVENT_TELL && kind != TC_EVENT_REPORT)
        return true;
    for (size_t i = 0; i < a->n; i++)
        if (a->events[i].trial == trial)
            return true;
    return false;
}

tacit_status tc_append_conflict(const tc_append *a, uint64_t end, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CONFLICT, "the journal has moved from event %llu to %llu",
                   (unsigned long long)a->head, (unsigned long long)end);
}

tacit_status tc_event_gone(uint64_t seq, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CONFLICT, "the journal does not have that event %llu any more",
                   (unsigned long long)seq);
}

void tc_study_row_fini(tc_study_row *row)
{
    tc_free(row->name);
    tc_free(row->document);
    tc_free(row->points_csv);
    explicit_bzero(row, sizeof *row); /* the party's seed is a secret */
}

tacit_status tc_study_row_copy(tc_study_row *out, const tc_study_row *row, tacit_error *err)
{
    tc_study_row copy = *row;
    copy.name = tc_strdup(row->name);
    copy.document = tc_strdup(row->document);
    copy.points_csv = row->points_csv ? tc_strdup(row->points_csv) : NULL;
    if (!copy.name || !copy.document || (row->points_csv && !copy.points_csv)) {
        tc_study_row_fini(&copy);
        return tc_fail_memory(err);
    }
    *out = copy;
    return TACIT_OK;
}
