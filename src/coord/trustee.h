/* trustee.h - the trustees of a study as their records have them (trustee.c, trustee_enrol.c), and the roster that is fixed
 * once all parties are there (roster_fixed.c). For the files of this folder. */
#ifndef TC_COORD_TRUSTEE_H
#define TC_COORD_TRUSTEE_H

#include "coord/request.h"
#include "wire/trust_roster.h"

enum { TC_REFUSAL_MOST = 400 };

typedef struct tc_trustee_row {
    tc_public_key key;
    bool revoked;      /* its access has ended: it counts as absent */
    tacit_hash access; /* of its access token: it has one at a time */
    tacit_hash joined; /* of the join token that it came with */
    /* Rounds: that it added up for; that it refused; in which its sums were the wrong ones; for which it signed two
     * answers. */
    uint64_t answered, refused, wrong, conflicts;
    char refusal[TC_REFUSAL_MOST + 1]; /* why it refused last */
    uint64_t version;
} tc_trustee_row;

/* E_NOT_FOUND: nobody has the place. */
tacit_status tc_trustee_get(tc_coord *c, int64_t study, uint64_t place, tc_trustee_row *out,
                            tacit_error *err);
/* Its record, new or replaced, as it is in *t. */
void tc_trustee_change(tc_changes *changes, int64_t study, uint64_t place, const tc_trustee_row *t);
/* Those who have a place, from 0 on; a place that nobody has has version 0. */
tacit_status tc_trustees_read(tc_coord *c, int64_t study, tc_trustee_row out[TC_TRUSTEES_MOST],
                              tacit_error *err);
tacit_status tc_trustees_count(tc_coord *c, int64_t study, uint64_t *out, tacit_error *err);
/* Which of them were revoked: bit k is that of place k. */
tacit_status tc_trustees_revoked(tc_coord *c, int64_t study, uint32_t *out, tacit_error *err);
/* The study in the path. E_STATE: it has no trustees. */
tacit_status tc_request_trusted(tc_request_context *a, tc_open_study **out, tacit_error *err);
/* The same, and the trustee that asks. */
tacit_status tc_request_trustee(tc_request_context *a, tc_open_study **out, tc_trustee_row *t,
                                tacit_error *err);

/* ---- the roster (roster_fixed.c) */

static inline bool tc_has_trustees(const tc_open_study *d)
{
    return d->plan && d->plan->env.trustees.count > 0;
}

/* For whoever creates a study: do all rounds get a key, and does what trustees send fit into a request of body_max bytes? */
tacit_status tc_trust_check(const tc_study_plan *p, size_t body_max, tacit_error *err);

/* Adds that the roster is another one with these changes. E_STATE: it is fixed. Nothing where a study has no trustees. */
tacit_status tc_roster_moves(tc_request_context *a, const tc_open_study *d, tc_changes *changes,
                             tacit_error *err);
/* E_STATE: the roster is fixed, and nobody comes or changes a key any more. */
tacit_status tc_roster_check_open(tc_request_context *a, const tc_open_study *d, tacit_error *err);
/* E_STATE: it is not fixed yet, and who is missing. */
tacit_status tc_roster_check_fixed(tc_request_context *a, tc_open_study *d, tacit_error *err);
/* Fixes the roster if all are there; who: as in tc_changes_log. Called after every enrolment and by the tick: a process that
 * died between the two is made up for. */
tacit_status tc_roster_fix(tc_coord *c, const tc_caller *who, tc_open_study *d, bool *fixed,
                           tacit_error *err);
/* For the study's JSON; *fingerprint is null where it is not fixed. */
tacit_status tc_roster_fingerprint_json(tc_coord *c, tc_open_study *d, json_t **out,
                                        tacit_error *err);

#endif
