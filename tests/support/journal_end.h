/* journal_end.h - the number of a journal's last event. */
#ifndef TEST_JOURNAL_END_H
#define TEST_JOURNAL_END_H

#include "base/error.h"
#include "study/store.h"

static inline tacit_status note_end(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)err;
    *(uint64_t *)user = e->seq;
    return TACIT_OK;
}

static inline tacit_status journal_end(tc_store *s, int64_t study, uint64_t *end, tacit_error *err)
{
    uint64_t last = 0;
    TC_TRY(tc_store_scan(s, study, 0, note_end, &last, err));
    *end = last;
    return TACIT_OK;
}

#endif
