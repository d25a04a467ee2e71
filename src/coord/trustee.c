/* trustee.c - the trustees of a study. */
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/error.h"

static tacit_status refuse(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_federated(a, &d, err));
    return tc_refuse(a, 409, TACIT_E_STATE, err, "study \"%s\" has no trustees", d->name);
}

tacit_status tc_trustees_enrol(tc_request_context *a, tacit_error *err)
{
    return refuse(a, err);
}

tacit_status tc_trustees_list(tc_request_context *a, tacit_error *err)
{
    return refuse(a, err);
}

tacit_status tc_trustees_revoke(tc_request_context *a, tacit_error *err)
{
    return refuse(a, err);
}

tacit_status tc_trustees_duty(tc_request_context *a, tacit_error *err)
{
    return refuse(a, err);
}

tacit_status tc_fixed_roster_get(tc_request_context *a, tacit_error *err)
{
    return refuse(a, err);
}

tacit_status tc_noise_post(tc_request_context *a, tacit_error *err)
{
    return refuse(a, err);
}

tacit_status tc_shares_get(tc_request_context *a, tacit_error *err)
{
    return refuse(a, err);
}

tacit_status tc_trustee_answer_post(tc_request_context *a, tacit_error *err)
{
    return refuse(a, err);
}
