/* failures.c - see failures.h. */
#include "worker/failures.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

static bool is_alike(const tc_job_result *a, const tc_job_result *b)
{
    return strcmp(a->reason, b->reason) == 0 && strcmp(a->said, b->said) == 0;
}

void tc_failures_note(tc_failures *f, const tc_job_result *r, bool partly)
{
    bool good = r->ok || r->pruned;
    f->succeeded = f->succeeded || partly || good;
    if (good) {
        f->in_a_row = 0;
        return;
    }
    f->differ = f->differ || (f->in_a_row > 0 && !is_alike(&f->last, r));
    f->last = *r;
    f->in_a_row++;
}

tacit_status tc_failures_check(const tc_failures *f, const tacit_worker_opts *opts,
                               tacit_error *err)
{
    uint64_t most = opts->max_failures, alike = opts->max_alike;
    if (most > 0 && f->in_a_row >= most)
        return tc_fail(err, TACIT_E_STATE, "%" PRIu64 " trials failed in a row, the last with: %s",
                       f->in_a_row, f->last.reason);
    if (alike == 0 || f->succeeded || f->differ || f->in_a_row < alike)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the first %" PRIu64 " trials of this run failed alike (%s%s%s): the "
                   "%s seems to be broken",
                   f->in_a_row, f->last.reason, *f->last.said ? ": " : "", f->last.said,
                   opts->command ? "command" : "function");
}
