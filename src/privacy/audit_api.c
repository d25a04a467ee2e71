/* audit_api.c - include/tacit/audit.h over audit.h. The public audit has real entropy only. */
#include <tacit/experimental/audit.h>

#include "privacy/audit.h"
#include "privacy/public.h"

#include "base/error.h"

static TC_SIZED(sized_opts, tacit_audit_opts, confidence, confidence);
static TC_SIZED(sized_result, tacit_audit_result, runs, runs);

size_t tacit_audit_count(void)
{
    return tc_audit_count();
}

const char *tacit_audit_name(size_t i)
{
    return i < tc_audit_count() ? tc_audit_name(i) : NULL;
}

tacit_status tacit_audit_run(size_t i, const tacit_audit_opts *opts, tacit_audit_result *out,
                             tacit_error *err)
{
    tacit_audit_opts given = TACIT_AUDIT_OPTS;
    if (opts)
        TC_TRY(tc_sized_take(&sized_opts, &given, opts, "opts", err));
    TC_TRY(tc_sized_check(&sized_result, out, "out", err));
    tc_audit_options o = {.runs = given.runs, .confidence = given.confidence};
    tacit_audit_result result;
    TC_TRY(tc_audit_one(i, &o, &result, err));
    tc_sized_give(&sized_result, out, &result);
    return TACIT_OK;
}
