/* audit_api.c - include/tacit/audit.h over audit.h. The public audit has real entropy only. */
#include <tacit/audit.h>

#include "privacy/audit.h"
#include "privacy/public.h"

#include "base/error.h"

static TC_SIZED(sized_opts, tacit_audit_opts, confidence, confidence);
static TC_SIZED(sized_result, tacit_audit_result, runs, runs);

_Static_assert(TACIT_AUDIT_MIN_RUNS == TC_AUDIT_MIN_RUNS, "same numbers");
_Static_assert(TACIT_AUDIT_MAX_RUNS == TC_AUDIT_MAX_RUNS, "same numbers");

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
    tc_audit_result r;
    TC_TRY(tc_audit_one(i, &o, &r, err));
    tacit_audit_result result = {.name = r.name,
                                 .attack = r.attack,
                                 .control = r.control,
                                 .epsilon = r.epsilon,
                                 .delta = r.delta,
                                 .lower = r.lower,
                                 .runs = r.runs,
                                 .pass = r.pass,
                                 .as_expected = tc_audit_as_expected(&r)};
    tc_sized_give(&sized_result, out, &result);
    return TACIT_OK;
}
