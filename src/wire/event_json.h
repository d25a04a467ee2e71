/* event_json.h - the body of an event as JSON text, exact to the last bit.
 *
 * Kind, trial, seq and time are columns of the store; the rest is the body:
 *   ask      {"params": {...}, "worker": "...", "lease_ms": 1000, "pulls": 500}
 *   tell     {"state": "COMPLETE", "value": 0.5, "params": {...}}   params only if not as issued
 *            {"state": "COMPLETE", "value": 0.5, "pulls": 500, "sum": 67108864000, "squares": 33554432000}
 *            {"state": "COMPLETE", "value": 0.5, "noise_sd": 0.02}    noise was added on purpose
 *            {"state": "FAIL", "reason": "exit status 1"}
 *            {"state": "PRUNED", "step": 5, "value": 0.41, "reason": "median 0.38 of 7 trials"}
 *   report   {"step": 3, "value": 0.5}
 *   enqueue  {"params": {...}}        fit  {...}        stale  {}        delete  {}
 *   publish, absorb  {"round": 3, "bytes": "base64"}    skip  {"round": 3, "reason": "deadline"}
 * "pulls" stands in an ask of two or more and in the tell of a batch. A journal without it is one of
 * single pulls, as the first ones were; a program that does not know the word refuses the event. */
#ifndef TC_WIRE_EVENT_JSON_H
#define TC_WIRE_EVENT_JSON_H

#include "algo/event.h"
#include "base/memory.h"
#include "space/space.h"

/* Text for e (tc_free); NULL: no memory. */
char *tc_event_encode(const tc_space *s, const tc_event *e);
/* Fills the body's fields of e (kind, trial, seq, time_ms are set already). Pointers
 * live in `a`. E_CORRUPT: not a body of that kind for this space. */
tacit_status tc_event_decode(const tc_space *s, const char *text, tc_arena *a, tc_event *e,
                             tacit_error *err);

#endif
