/* failures.c - see failures.h. */
#include "worker/failures.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

void tc_failures_note(tc_failures *f, const tc_job_result *r)
{
    if (r->ok) {
        f->succeeded = true;
        f->in_a_row = 0;
        return;
    }
    f->differ = f->differ || (f->in_a_row > 0 && strcmp(f->reason, r->reason) != 0);
    memcpy(f->reason, r->reason, sizeof f->reason);
    f->in_a_row++;
    f->alike++;
}

tacit_status tc_failures_check(const tc_failures *f, const tacit_worker_opts *opts,
                               tacit_error *err)
{
    uint64_t most = opts->max_failures, alike = opts->max_alike;
    if (most > 0 && f->in_a_row >= most)
        return tc_fail(err, TACIT_E_STATE,
                       "%" PRIu64 " trials failed in a row, the last with \"%s\"", f->in_a_row,
                       f->reason);
    if (alike == 0 || f->succeeded || f->differ || f->alike < alike)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the first %" PRIu64 " trials of this run failed alike, with \"%s\": the "
                   "command seems to be broken",
                   f->alike, f->reason);
}
