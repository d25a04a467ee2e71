/* request.h - a request on its way to an answer: routes (route.c), bodies and answers (coord.c), refusals (problem.c),
 * the same request again (idempotency.c). For the files of this folder. */
#ifndef TC_COORD_REQUEST_H
#define TC_COORD_REQUEST_H

#include "coord/shape.h"
#include "coord/token.h"

enum { TC_WORDS_MOST = 3 };
typedef struct tc_request_context {
    tc_coord *coord;
    const tc_request *q;
    tc_caller caller;
    tc_open_study *open; /* as tc_request_study found it last, until the request ends; or NULL */
    const struct tc_route *route;
    char words[TC_WORDS_MOST][128]; /* of the path: {study}, {round}, {agent} */
    json_t *body;                   /* or NULL; it has the shape that the route takes */
    size_t reserved;                /* of the room for such */
    tc_response *out;
    uint64_t since; /* when it began, for tc_store_wait_durable; not of a GET */
    bool already; /* nothing was written: the answer rests on what others wrote, perhaps just now */
    bool hushed;  /* why it was refused is for who asked, and not for the log */
    json_t *more; /* of a refusal: fields beside those of every problem; NULL: none */
} tc_request_context;

/* What answers a request: the handler of its route. */
typedef tacit_status tc_handler(tc_request_context *a, tacit_error *err);

/* How large a body a route takes: its limit holds before a byte of it is read. */
typedef enum tc_body {
    TC_BODY_NONE,
    TC_BODY_SMALL,   /* a few fields */
    TC_BODY_MESSAGE, /* a few fields, one of them long */
    TC_BODY_POINT,   /* a point, or the values of a batch */
    TC_BODY_STUDY    /* a document, perhaps with many points */
} tc_body;

/* A route: who may use it, what it takes and what it gives. Bodies and queries are checked against it
 * before the handler runs, answers in the tests, and /openapi.json shows it. */
typedef struct tc_route {
    const char *method, *path; /* "/v1/studies/{study}" */
    unsigned roles;            /* who may: bits 1 << tc_role. 0: anybody, without a token */
    tc_body body;
    const tc_shape *takes; /* of the body; NULL: there is none */
    const tc_field *query; /* ends with a NULL name; NULL: there are no parameters */
    int status;            /* of success ... */
    const tc_shape *gives; /* ... and its answer; NULL: it is not JSON but of this type: */
    const char *text;
    int also_status; /* another one; 0: none */
    const tc_shape *also_gives;
    bool once;  /* it makes something: it takes an Idempotency-Key (idempotency.c) */
    bool again; /* its handler may be asked twice by itself */
    tc_pace pace;
    tc_handler *handle;
    const char *summary;
} tc_route;
extern const tc_route tc_routes[]; /* ends with a NULL method */
/* Does the path fit the pattern? Fills the words that stand for {...}. */
bool tc_route_fits(const char *pattern, const char *path, char words[TC_WORDS_MOST][128]);

/* Answers; take `j`. */
tacit_status tc_answer_json(tc_request_context *a, int status, json_t *j, tacit_error *err);
/* 201: a token that was made (token_api.c). */
tacit_status tc_answer_token(tc_request_context *a, const char *text, const char *role,
                             int64_t uses, int64_t expires_ms, tacit_error *err);
/* 200, with a text that others are sent, too; NULL: there was no memory for it. Its user stays the caller's. */
tacit_status tc_answer_shared(tc_request_context *a, const char *content_type, tc_shared_text *text,
                              tacit_error *err);
/* 200, as plain text. */
tacit_status tc_answer_text(tc_request_context *a, const char *text, tacit_error *err);
/* A failure with an HTTP status of its own: remembered in the answer, returned as `code`. */
tacit_status tc_refuse(tc_request_context *a, int http, tacit_status code, tacit_error *err,
                       const char *fmt, ...) TACIT_PRINTF(5, 6);
/* more: fields beside those of every problem; borrowed, may be NULL. */
void tc_problem(tc_response *out, int http, tacit_status code, const char *detail, json_t *more);
int tc_problem_http(tacit_status code);
/* May one more refusal of a client (401, 403, 429) go into the log? Anybody can cause them, so only so many
 * are logged in a second; the next one that is logged says first how many were not. */
bool tc_problem_is_said(tc_coord *c);

/* Fields of the body, which has its shape already. Text: NULL if absent; borrowed. Numbers: what the
 * table says if absent. */
const char *tc_request_text(const tc_request_context *a, const char *field);
int64_t tc_request_whole(const tc_request_context *a, const char *field);
double tc_request_real(const tc_request_context *a, const char *field);

/* The study in the path, if the caller's token is one of this study (or of all). Whoever
 * has a token of another study does not learn whether there is such a one. It is held until the request
 * ends, or asks for one again. */
tacit_status tc_request_study(tc_request_context *a, tc_open_study **out, tacit_error *err);
/* The same where the route is for one of the two kinds. E_STATE: it is of the other. */
tacit_status tc_request_federated(tc_request_context *a, tc_open_study **out, tacit_error *err);
tacit_status tc_request_served(tc_request_context *a, tc_open_study **out, tacit_error *err);

/* The number in word i of the path. */
tacit_status tc_request_number(const tc_request_context *a, size_t i, const char *what,
                               uint64_t *out, tacit_error *err);

/* ?name=value of a query. Absent: *out stays. E_ARG: not a value that is allowed. */
tacit_status tc_query_text(const char *query, const char *name, char *out, size_t size,
                           tacit_error *err);
tacit_status tc_query_number(const char *query, const char *name, uint64_t low, uint64_t high,
                             uint64_t *out, tacit_error *err);

/* ---- handlers, one for each route */

tc_handler tc_studies_create, tc_studies_list, tc_studies_show, tc_studies_points, tc_studies_pause,
    tc_studies_resume, tc_studies_close, tc_studies_expire, tc_studies_erase, tc_tokens_make,
    tc_tokens_withdraw, tc_tokens_replace, tc_tokens_list, tc_audit_get, tc_join_tokens_make,
    tc_served_suggest, tc_served_heartbeat, tc_served_report, tc_served_requeue,
    tc_served_delete_trial, tc_served_enqueue, tc_served_complete, tc_served_list, tc_served_best,
    tc_served_front, tc_served_recommend, tc_recommendation_get, tc_outsource_post, tc_roster_list,
    tc_evidence_list, tc_roster_enrol, tc_roster_rotate, tc_roster_revoke, tc_roster_withdraw,
    tc_roster_readmit, tc_message_post, tc_message_get, tc_broadcast_get, tc_privacy_get,
    tc_health_live, tc_health_ready, tc_health_metrics, tc_openapi_get, tc_events_get,
    tc_trustees_enrol, tc_trustees_list, tc_trustees_revoke, tc_trustees_duty, tc_fixed_roster_get,
    tc_noise_post, tc_shares_get, tc_trustee_answer_post;

/* A message's body in its usual form; NULL: another form, to be parsed, or no memory (message_json.c). */
json_t *tc_message_json(const char *body, size_t n);

/* ---- the same request again (idempotency.c) */

/* The handler of a request with an Idempotency-Key, or the answer that it gave before. */
tacit_status tc_handle_once(tc_request_context *a, tacit_error *err);
/* Erases answers that are older than a day; looks once a minute. */
tacit_status tc_answers_sweep(tc_coord *c, tacit_error *err);
/* Records of tokens that ended a day ago go (token_sweep.c). */
tacit_status tc_tokens_sweep(tc_coord *c, tacit_error *err);

#endif
