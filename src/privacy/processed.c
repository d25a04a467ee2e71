/* processed.c - numbers that were computed from private releases alone (mechanism.h). */
#include "privacy/mechanism.h"
#include "privacy/release_int.h"

tacit_dp_event tc_event_processed(void)
{
    return (tacit_dp_event){.mechanism = TACIT_DP_PURE, .parameter = 1, .sampling_rate = 1};
}

void tc_release_set_processed(tc_release *r)
{
    if (r->view.steps) /* readers know doubles by the name of their mechanism */
        r->view.mechanism = "processed";
    r->view.adjacency = TC_PROCESSED_ADJACENCY;
    r->view.event = tc_event_processed();
    r->view.distance = 0;
    r->view.unit = TACIT_UNIT_RECORD;
    r->view.single = false;
    r->view.is_private = true;
    r->view.not_private = NULL;
}
