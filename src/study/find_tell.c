/* find_tell.c - what a trial was told with, as the journal has it (study.h): for whoever is sent the same
 * report twice and must find out whether it is the same. Called by coord/. */
#include "study/study_int.h"

#include "base/error.h"
#include "wire/event_json.h"

#include <inttypes.h>

typedef struct search {
    const tc_space *space;
    tc_arena *memory;
    tc_event *out;
    bool found;
} search;

static tacit_status look_at(void *user, const tc_event_row *row, tacit_error *err)
{
    search *f = user;
    *f->out = (tc_event){
        .seq = row->seq, .kind = row->kind, .trial = row->trial, .time_ms = row->time_ms};
    f->found = true;
    return tc_event_decode(f->space, row->body, f->memory, f->out, err);
}

tacit_status tc_study_find_tell(tc_study *s, uint64_t trial, tc_arena *a, tc_event *out,
                                tacit_error *err)
{
    search f = {.space = s->doc->space, .memory = a, .out = out};
    TC_TRY(tc_store_find_tell(s->store, s->id, trial, look_at, &f, err));
    return f.found ? TACIT_OK
                   : tc_fail(err, TACIT_E_NOT_FOUND, "trial %" PRIu64 " is not told yet", trial);
}
