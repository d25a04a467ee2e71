/* event.c - the names of events and trial states, as stored and shown. */
#include "algo/event.h"

const char *tc_event_kind_name(tc_event_kind kind)
{
    switch (kind) {
    case TC_EVENT_ENQUEUE:
        return "enqueue";
    case TC_EVENT_ASK:
        return "ask";
    case TC_EVENT_TELL:
        return "tell";
    case TC_EVENT_STALE:
        return "stale";
    case TC_EVENT_FIT:
        return "fit";
    case TC_EVENT_PUBLISH:
        return "publish";
    case TC_EVENT_ABSORB:
        return "absorb";
    case TC_EVENT_SKIP:
        return "skip";
    case TC_EVENT_FETCH:
        return "fetch";
    case TC_EVENT_MISS:
        return "miss";
    case TC_EVENT_REPORT:
        return "report";
    case TC_EVENT_DELETE:
        return "delete";
    }
    return "unknown";
}

const char *tc_trial_state_name(tc_trial_state state)
{
    switch (state) {
    case TC_TRIAL_WAITING:
        return "WAITING";
    case TC_TRIAL_RUNNING:
        return "RUNNING";
    case TC_TRIAL_COMPLETE:
        return "COMPLETE";
    case TC_TRIAL_FAIL:
        return "FAIL";
    case TC_TRIAL_STALE:
        return "STALE";
    case TC_TRIAL_PRUNED:
        return "PRUNED";
    case TC_TRIAL_DELETED:
        return "DELETED";
    }
    return "UNKNOWN";
}

bool tc_trial_state_is_told(tc_trial_state state)
{
    return state == TC_TRIAL_COMPLETE || state == TC_TRIAL_FAIL || state == TC_TRIAL_PRUNED ||
           state == TC_TRIAL_DELETED;
}
