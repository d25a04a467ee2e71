/* shape.h - what a JSON object looks like, as a table: the one source for checking what comes in, for
 * checking in tests what goes out, and for /openapi.json.
 *
 *   shape.c         checks an object against a table
 *   shape_table.c   the objects of federated studies, tokens and the rest
 *   shape_served.c  the objects of served studies
 *   shape_trustee.c the objects of studies with trustees
 *   openapi.c       the same tables as OpenAPI 3.1
 *
 * To add a field: a row in a table. To add an object: a table, and its name in shapes below. Called by
 * coord.c for every body and query, by openapi.c, and by tests for every answer. */
#ifndef TC_COORD_SHAPE_H
#define TC_COORD_SHAPE_H

#include <tacit/status.h>

#include <jansson.h>
#include <stdbool.h>

typedef enum tc_field_type {
    TC_FIELD_TEXT,
    TC_FIELD_WHOLE,
    TC_FIELD_NUMBER,
    TC_FIELD_YES,    /* true or false */
    TC_FIELD_OBJECT, /* of the shape `of` */
    TC_FIELD_MAP,    /* an object whose fields the study's document names */
    TC_FIELD_ANY
} tc_field_type;

enum {
    TC_NEEDED = 1,  /* must be there */
    TC_LIST_OF = 2, /* an array of it */
    TC_OR_NULL = 4, /* null is allowed, too */
    TC_ONE_OF = 8   /* of the fields with this flag exactly one must be there */
};

typedef struct tc_field {
    const char *name;
    tc_field_type type;
    unsigned flags;
    /* Numbers: the value; texts: the bytes; lists: of each member. Both 0: no limits. */
    double low, high;
    double otherwise;         /* of a number that is absent */
    const char *const *words; /* TEXT: one of these (ends with NULL); NULL: any */
    const struct tc_shape *of;
    const char *help;
    const char *example; /* as JSON; NULL: none */
} tc_field;

typedef struct tc_shape {
    const char *name; /* as /openapi.json calls it: "NewToken" */
    const char *help;
    const tc_field *fields; /* ends with a NULL name */
    bool open;              /* fields that are not in the table are allowed */
} tc_shape;

/* One sentence, with the field's path: "trials[3].value must be a number, got null". */
tacit_status tc_shape_check(const tc_shape *s, const json_t *j, tacit_error *err);
/* The same for ?a=1&b=2: unknown names, texts that are no numbers, ranges. query may be NULL. */
tacit_status tc_shape_check_query(const tc_field *fields, const char *query, tacit_error *err);

/* NULL: the table has no such field. */
const tc_field *tc_shape_field(const tc_shape *s, const char *name);

/* Bodies. */
extern const tc_shape tc_shape_new_study, tc_shape_new_token, tc_shape_withdraw, tc_shape_replace,
    tc_shape_study_token, tc_shape_enrol, tc_shape_leave, tc_shape_readmit, tc_shape_expire,
    tc_shape_expires, tc_shape_rotate, tc_shape_new_message, tc_shape_enrol_trustee,
    tc_shape_new_noise, tc_shape_new_answer;
extern const tc_shape tc_shape_suggest, tc_shape_complete, tc_shape_report, tc_shape_heartbeat,
    tc_shape_enqueue, tc_shape_outsource;
/* Answers. */
extern const tc_shape tc_shape_study, tc_shape_study_list, tc_shape_state, tc_shape_erased,
    tc_shape_token, tc_shape_withdrawn, tc_shape_access, tc_shape_revoked, tc_shape_accepted,
    tc_shape_relayed, tc_shape_phase, tc_shape_broadcast, tc_shape_privacy, tc_shape_agent_list,
    tc_shape_evidence_list, tc_shape_problem, tc_shape_token_list, tc_shape_audit,
    tc_shape_trustee_access, tc_shape_trustee_list, tc_shape_trustee_revoked, tc_shape_fixed_roster,
    tc_shape_missing, tc_shape_duty, tc_shape_dealt, tc_shape_shares;
extern const tc_shape tc_shape_suggested, tc_shape_trial, tc_shape_trial_state, tc_shape_lease,
    tc_shape_trial_list, tc_shape_recommendation, tc_shape_outsourced, tc_shape_verdict;
/* Events: the data of those that /v1/events sends, by name. Ends with a NULL name. */
typedef struct tc_event_shape {
    const char *name;
    const tc_shape *data;
} tc_event_shape;
extern const tc_event_shape tc_event_shapes[];
/* Queries. */
extern const tc_field tc_query_page[], tc_query_numbers[], tc_query_ledger[], tc_query_trials[],
    tc_query_recommend[], tc_query_wait[], tc_query_events[], tc_query_shares[];

#endif
