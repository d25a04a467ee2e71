/* roster.h - an agent of a federated study, as its record has it (roster.c, roster_end.c, roster_place.c). For the files of this
 * folder. */
#ifndef TC_COORD_ROSTER_H
#define TC_COORD_ROSTER_H

#include "coord/request.h"
#include "wire/signature.h"

/* Instead of a round: no message yet, or one that an older version took and did not note. */
enum { TC_SPOKE_NEVER = -1, TC_SPOKE_UNKNOWN = -2 };
typedef struct tc_member_row {
    tc_public_key key;
    uint64_t sequence; /* of its last message */
    int64_t spoke;     /* the last round that it sent a message for, and did not decline */
    bool revoked;      /* or withdrawn: its access has ended, and nobody waits for it */
    bool withdrawn;    /* ... by itself */
    uint64_t former;   /* messages up to this sequence were sent with a key that was lost */
    tacit_hash access; /* of its access token: it has one at a time */
    tacit_hash joined; /* of the join token that it came with */
    tacit_hash
        readmit; /* of the last token that was made for its place since it ended; zeros: none */
    uint64_t version;
} tc_member_row;
tacit_status tc_roster_get(tc_coord *c, int64_t study, uint64_t agent, tc_member_row *out,
                           tacit_error *err);
/* Its record, new or replaced, as it is in *m. */
void tc_roster_change(tc_changes *changes, int64_t study, uint64_t agent, const tc_member_row *m);
/* One use less of the join token that asks. */
tacit_status tc_roster_spend_token(tc_request_context *a, tc_changes *changes, tacit_error *err);
/* The token that asks is read afresh: another enrolment may have used it meanwhile. */
tacit_status tc_roster_refresh_caller(tc_request_context *a, tacit_error *err);
/* The end of its access token. */
tacit_status tc_roster_end_access(tc_request_context *a, const tc_member_row *m,
                                  tc_changes *changes, tacit_error *err);
/* The same, but for an hour it is good for asking the very same again, should the answer be lost. */
tacit_status tc_roster_leave_access(tc_request_context *a, const tc_member_row *m,
                                    tc_changes *changes, tacit_error *err);
/* The refusal of one that was revoked or has withdrawn. */
tacit_status tc_roster_gone(tc_request_context *a, const tc_member_row *m, tacit_error *err);
/* It is waited for again (roster_end.c). */
tacit_status tc_roster_unmark(tc_request_context *a, int64_t study, uint64_t agent,
                              tc_changes *changes, tacit_error *err);
/* How many have enrolled (roster_place.c). */
tacit_status tc_roster_count(tc_coord *c, tc_open_study *d, uint64_t *out, tacit_error *err);
/* A place for who enrols: the one that it wishes for, if that is free, else the first that is. It is taken when
 * its record is inserted. E_STATE: there is none. */
tacit_status tc_roster_choose(tc_request_context *a, tc_open_study *d, uint64_t *agent,
                              tacit_error *err);
/* Adds "no_place" for who asks with a join token that a new key gets no place with: why. An agent that has no storage yet makes none
 * then. */
tacit_status tc_roster_look(tc_request_context *a, tc_open_study *d, json_t *out, tacit_error *err);
json_t *tc_roster_json(const tc_member_row *m); /* its record; NULL: no memory */
tc_key tc_roster_key(uint64_t agent);
/* Visits the revoked agents of a study, in order. visit must not call the store. */
tacit_status tc_roster_revoked(tc_coord *c, int64_t study, tc_record_visit visit, void *user,
                               tacit_error *err);
uint64_t tc_roster_revoked_agent(const tc_record *r);

#endif
