/* events.h - what listeners hear (events.c): of rounds, studies and trials, never of single agents. For the files
 * of this folder. */
#ifndef TC_COORD_EVENTS_H
#define TC_COORD_EVENTS_H

#include "coord/round.h"

struct tc_ring;
tacit_status tc_ring_new(struct tc_ring **out, tacit_error *err);
void tc_ring_free(struct tc_ring *r); /* NULL is allowed */
/* A round has come to this phase, here or in another process; said once. */
void tc_emit_round(tc_coord *c, tc_open_study *d, const tc_round *r);
/* "running", "paused", "closed", "erased"; said once. */
void tc_emit_state(tc_coord *c, tc_open_study *d, const char *state);
/* As the tick finds a study: what others have done is said here, too. */
tacit_status tc_emit_found(tc_coord *c, tc_open_study *d, const tc_round *r, tc_study_state state,
                           tacit_error *err);
/* No event, but those who wait for something of this study ask again: of its roster, or of trustees' work. */
void tc_emit_change(tc_coord *c, const tc_open_study *d);
/* of: which study of that name. Takes event; NULL is ignored. */
void tc_emit_event(tc_coord *c, const char *study, const tacit_hash *of, json_t *event);

#endif
