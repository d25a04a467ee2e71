/* coord_int.h - what the files of the coordinator share. Nobody else includes it.
 *
 *   coord.c      a request: who asks, which route, what answer
 *   route.c      the table of routes, and which one a path is of
 *   shape*.c     tables of what goes in and out (shape.h)
 *   openapi.c    routes and shapes as /openapi.json
 *   problem.c    failures as problem+json
 *   budget.c     refusals by the budget, with their numbers
 *   events.c     what listeners of /v1/events hear
 *   idempotency.c  the same request again: the same answer
 *   record_json.c  records with JSON in them
 *   token.c      bearer tokens and the roles that they carry
 *   open_study.c       studies that are open in this process
 *   tick.c       what is due, now and then
 *   studies.c    creating, listing and ending studies
 *   served.c     what a served study is asked and told: suggest, heartbeat, enqueue
 *   served_complete.c  what came of a trial
 *   served_list.c  its trials as JSON, pages of them, the best one
 *   outsource.c  served studies over the rows of a curator
 *   pages.c      lists that grow: studies, agents, evidence
 *   roster.c     agents: enrolment, keys
 *   roster_place.c  which place on the roster is free
 *   round.c      the state of a study's present round
 *   message.c    accepting a contribution
 *   message_json.c  its body, read quickly
 *   old_receipts.c  receipts of an earlier version, which told of messages
 *   closing.c    from contributions to one release
 *   broadcast.c  what a round ended with
 *   restored.c   a store that comes from a backup
 *   health.c     is it up, and how much has it done
 *   ready.c      can the store be used? */
#ifndef TC_COORD_COORD_INT_H
#define TC_COORD_COORD_INT_H

#include "coord/coord.h"
#include "coord/shape.h"
#include "study/study.h"
#include "study/study_plan.h"
#include "wire/signature.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- keys of records: numbers big-endian, so that they are in order */

typedef struct tc_key {
    uint8_t bytes[TC_RECORD_KEY_MAX];
    size_t n;
} tc_key;
tc_key tc_key_number(uint64_t a);
tc_key tc_key_numbers(uint64_t a, uint64_t b);
tc_key tc_key_hash(const tacit_hash *h);
tc_key tc_key_word(const char *word);
uint64_t tc_key_at(const void *key, size_t i); /* the i-th number of it */

/* A record whose value is a JSON object. */
tc_record tc_record_of(int64_t study, tc_record_kind kind, const tc_key *key);
/* Its value; E_CORRUPT: it is not JSON. */
tacit_status tc_record_json(const tc_record *r, json_t **out, tacit_error *err);
/* *out is NULL and *version 0 if there is none; the caller decrefs. */
tacit_status tc_record_read(tc_store *s, int64_t study, tc_record_kind kind, const tc_key *key,
                            json_t **out, uint64_t *version, tacit_error *err);

/* Changes that are being put together; ends with tc_changes_end. At most TC_CHANGES_MOST. */
enum { TC_CHANGES_MOST = 8 };
typedef struct tc_changes {
    tc_change list[TC_CHANGES_MOST];
    tc_key keys[TC_CHANGES_MOST];
    char *texts[TC_CHANGES_MOST]; /* owned */
    size_t n;
    bool failed; /* no memory */
} tc_changes;
/* Takes `value` (may be NULL where there is none). */
void tc_changes_add(tc_changes *c, tc_change_kind what, int64_t study, tc_record_kind kind,
                    const tc_key *key, uint64_t version, json_t *value);
/* The same with bytes, borrowed. */
void tc_changes_bytes(tc_changes *c, tc_change_kind what, int64_t study, tc_record_kind kind,
                      const tc_key *key, uint64_t version, const void *bytes, size_t n);
/* The end of them: commits where `so_far`, what came of putting them together, is TACIT_OK. E_CONFLICT: somebody else
 * was first; *refused (may be NULL) is the change that says so. */
tacit_status tc_changes_end(tc_store *s, tc_changes *c, tacit_status so_far, size_t *refused,
                            tacit_error *err);

/* ---- studies that are open in this process (open_study.c) */

typedef struct tc_open_study {
    int64_t id, created_ms;
    char *name;
    tacit_hash hash; /* which study it is */
    tc_public_seed public_seed;
    tc_study_plan *plan;  /* of a federated study, never changes; NULL: it is a served one */
    pthread_mutex_t lock; /* one closing at a time, the ledger, and: */
    tc_ledger *ledger;
    tc_study *study;  /* of a served one: opened with its first request, by tc_open_study_served */
    int64_t asked_ms; /* when it was used last */
    uint64_t swept;   /* no contribution to a round below this one is in the store */
    pthread_mutex_t quick;  /* never held for long; what follows: */
    uint64_t counted_round; /* of which `counted` messages are known to be in the store ... */
    uint64_t counted;       /* ... at least; more where other processes took some */
    uint64_t said_round;    /* whose broadcast `said` is; such an answer never changes */
    tc_shared_text *said;   /* NULL: none yet */
    uint64_t filled; /* places below this one are taken, which is for good (roster_place.c) */
    tc_shared_text *points; /* of its document, as CSV; NULL: nobody has asked yet */
    int64_t claims_ms;      /* until when take-overs are accounted for (served.c) */
    uint64_t turn;          /* of the tick that has seen it last; under coord->lock */
    bool told;              /* under quick: listeners know these (events.c): */
    uint64_t told_round;
    int told_phase;
    char told_state[16];
    uint32_t users; /* under coord->lock */
    bool gone;      /* erased or replaced: freed with its last user */
    struct tc_open_study *next;
} tc_open_study;

/* What is counted (health.c). */
typedef enum tc_counter {
    TC_COUNT_2XX,
    TC_COUNT_4XX,
    TC_COUNT_5XX,
    TC_COUNT_CLOSED,
    TC_COUNT_VOID,
    TC_COUNT_REFUSED,
    TC_COUNTERS
} tc_counter;

/* What probes of the store have found (ready.c). */
typedef struct tc_readiness {
    pthread_mutex_t lock;
    bool running, ok; /* a probe is under way; the last one succeeded */
    uint64_t since_ns, done_ns, wrote_ns;
} tc_readiness;

struct tc_coord {
    tc_coord_config cfg;
    tc_agreed *clock;     /* NULL: cfg.now_ms serves */
    pthread_mutex_t lock; /* guards the list of open studies */
    /* Held while an agent takes its place: all who join with one token change its record. */
    pthread_mutex_t enrolling;
    tc_open_study *open_studies;
    uint64_t turn;  /* ticks so far */
    int64_t listed; /* studies up to this number are open; 0: that is not known (tick.c) */
    tc_coord_notify notify;
    void *notify_user;
    atomic_uint_fast64_t counters[TC_COUNTERS];
    atomic_size_t json; /* bytes that parsed bodies take now, about */
    tc_readiness ready;
    atomic_uint_fast64_t refused_said_ms; /* when it was last said that connections are refused */
    tc_shared_text *openapi;              /* under lock; NULL: nobody has asked yet */
    struct tc_ring *ring;                 /* of events (events.c) */
    int64_t next_sweep_ms;                /* of old answers (idempotency.c); under lock */
    int64_t said_s;        /* the second of which `said` refusals are in the log, and how many */
    uint64_t said, unsaid; /* are not (problem.c); under lock */
};

/* Just after its start a coordinator is not sure of the time (study/agreed.h), and takes nothing for past. */
bool tc_coord_is_sure(const tc_coord *c);
/* Is that moment past, for sure? */
bool tc_coord_is_past(const tc_coord *c, int64_t at_ms);

void tc_count(tc_coord *c, tc_counter which, uint64_t n);
void tc_count_answer(tc_coord *c, int status);
/* of: which study of that name. Takes event; NULL is ignored. */
void tc_coord_say(tc_coord *c, const char *study, const tacit_hash *of, json_t *event);

/* Opens or finds; end with tc_open_study_unref. E_NOT_FOUND. */
tacit_status tc_open_study_get(tc_coord *c, const char *name, tc_open_study **out,
                               tacit_error *err);
/* The same for a row that was read just now; where that study is open, nothing is read again. */
tacit_status tc_open_study_of_row(tc_coord *c, const tc_study_row *row, uint64_t turn,
                                  tc_open_study **out, tacit_error *err);
/* An open study that this turn has not seen yet, as tc_open_study_get gives it; *out NULL: there is none any more.
 * *gone: it was erased, and is forgotten. */
tacit_status tc_open_study_next(tc_coord *c, uint64_t turn, tc_open_study **out, bool *gone,
                                tacit_error *err);
/* Forgets the open studies that this turn has not seen: they are gone from the store. */
void tc_open_study_sweep(tc_coord *c, uint64_t turn);
/* Closes the tc_study of a served one that has no user but the caller, if it was not used for long. */
void tc_open_study_rest(tc_coord *c, tc_open_study *d);
/* Its document; lives until d is given back. */
tacit_status tc_open_study_document(tc_coord *c, tc_open_study *d, const tc_study_doc **out,
                                    tacit_error *err);
/* The tc_study of a served one, opened if it is not; lives until d is given back. */
tacit_status tc_open_study_served(tc_coord *c, tc_open_study *d, tc_study **out, tacit_error *err);
void tc_open_study_unref(tc_coord *c, tc_open_study *d);
/* Is this very study open here under that name? Nothing is read for it. */
bool tc_study_is_open(tc_coord *c, const char *name, int64_t id, const tacit_hash *hash);
/* No later get finds this one. */
void tc_open_study_forget(tc_coord *c, tc_open_study *d);
/* The same of a study that was erased, by whomever: it is said, and contributions to it are forgotten. */
void tc_open_study_erased(tc_coord *c, tc_open_study *d);

/* ---- who asks (token.c) */

typedef enum tc_role {
    TC_ROLE_NOBODY,
    TC_ROLE_VIEWER,
    TC_ROLE_AGENT,  /* on the roster of one study */
    TC_ROLE_JOINER, /* may enrol with one study */
    TC_ROLE_OPERATOR,
    TC_ROLE_CLIENT, /* asks and tells of one served study */
    TC_ROLE_CURATOR /* may send one release, and have a study made of it */
} tc_role;
enum { TC_ROLES = TC_ROLE_CURATOR + 1 };
const char *tc_role_name(tc_role r);

typedef struct tc_caller {
    tc_role role;
    int64_t study;  /* AGENT, JOINER, CLIENT: of which alone; else 0 */
    tacit_hash of;  /* its hash: numbers are used again */
    uint64_t agent; /* AGENT */
    bool exhausted; /* JOINER: spent, and the time to ask again is over */
    tacit_hash token;
    uint64_t version; /* of the token's record */
    json_t *record;   /* of the token, or NULL */
} tc_caller;
/* A wrong or expired token is E_ARG, without a reason that tells which. */
tacit_status tc_caller_find(tc_coord *c, const char *bearer, tc_caller *out, tacit_error *err);
void tc_caller_fini(tc_caller *w);

/* A new token: its text, and the change that stores it. uses 0: any number; expires_ms 0: never. */
typedef struct tc_token_terms {
    tc_role role;
    const tc_open_study *open; /* AGENT, JOINER, CLIENT; else NULL */
    uint64_t agent, uses;
    int64_t expires_ms;
} tc_token_terms;
tacit_status tc_token_make(tc_coord *c, const tc_token_terms *t, char text[48], tc_changes *changes,
                           tacit_error *err);

/* ---- requests (route.c, coord.c, problem.c) */

enum { TC_WORDS_MOST = 3 };
typedef struct tc_ask {
    tc_coord *coord;
    const tc_request *q;
    tc_caller caller;
    tc_open_study *open; /* as tc_ask_study found it last, held until the request ends; or NULL */
    const struct tc_route *route;
    char words[TC_WORDS_MOST][128]; /* of the path: {study}, {round}, {agent} */
    json_t *body;                   /* or NULL; it has the shape that the route takes */
    size_t reserved;                /* of the room for such */
    tc_response *out;
    uint64_t since; /* when it began, for tc_store_settle; not of a GET */
    bool already; /* nothing was written: the answer rests on what others wrote, perhaps just now */
    bool hushed;  /* why it was refused is for who asked, and not for the log */
    json_t *more; /* of a refusal: fields beside those of every problem; NULL: none */
} tc_ask;

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
    tacit_status (*handle)(tc_ask *a, tacit_error *err);
    const char *summary;
} tc_route;
extern const tc_route tc_routes[]; /* ends with a NULL method */
/* Does the path fit the pattern? Fills the words that stand for {...}. */
bool tc_route_fits(const char *pattern, const char *path, char words[TC_WORDS_MOST][128]);

/* Answers; take `j`. */
tacit_status tc_answer(tc_ask *a, int status, json_t *j, tacit_error *err);
/* 200, with a text that others are sent, too; NULL: there was no memory for it. Its user stays the caller's. */
tacit_status tc_answer_shared(tc_ask *a, const char *content_type, tc_shared_text *text,
                              tacit_error *err);
/* 200, as plain text. */
tacit_status tc_answer_text(tc_ask *a, const char *text, tacit_error *err);
/* A failure with an HTTP status of its own: remembered in the answer, returned as `code`. */
tacit_status tc_refuse(tc_ask *a, int http, tacit_status code, tacit_error *err, const char *fmt,
                       ...) TACIT_PRINTF(5, 6);
/* more: fields beside those of every problem; borrowed, may be NULL. */
void tc_problem(tc_response *out, int http, tacit_status code, const char *detail, json_t *more);
int tc_problem_http(tacit_status code);
/* May one more refusal of who asks (401, 403, 429) go into the log? Anybody can bring them about, so there are
 * only so many in a second; the next that may says first how many did not. */
bool tc_problem_is_said(tc_coord *c);

/* Fields of the body, which has its shape already. Text: NULL if absent; borrowed. Numbers: what the
 * table says if absent. */
const char *tc_ask_text(const tc_ask *a, const char *field);
int64_t tc_ask_whole(const tc_ask *a, const char *field);
double tc_ask_real(const tc_ask *a, const char *field);

/* The study in the path, if the caller's token is one of this study (or of all). Whoever
 * has a token of another study does not learn whether there is such a one. It is held until the request
 * ends, or asks for one again. */
tacit_status tc_ask_study(tc_ask *a, tc_open_study **out, tacit_error *err);
/* The same where the route is for one of the two kinds. E_STATE: it is of the other. */
tacit_status tc_ask_federated(tc_ask *a, tc_open_study **out, tacit_error *err);
tacit_status tc_ask_served(tc_ask *a, tc_open_study **out, tacit_error *err);

/* The number in word i of the path. */
tacit_status tc_ask_number(const tc_ask *a, size_t i, const char *what, uint64_t *out,
                           tacit_error *err);

/* ?name=value of a query. Absent: *out stays. E_ARG: not a value that is allowed. */
tacit_status tc_query_text(const char *query, const char *name, char *out, size_t size,
                           tacit_error *err);
tacit_status tc_query_number(const char *query, const char *name, uint64_t low, uint64_t high,
                             uint64_t *out, tacit_error *err);

/* ---- handlers */

tacit_status tc_studies_create(tc_ask *a, tacit_error *err);
tacit_status tc_studies_list(tc_ask *a, tacit_error *err);
tacit_status tc_studies_show(tc_ask *a, tacit_error *err);
tacit_status tc_studies_points(tc_ask *a, tacit_error *err);
tacit_status tc_studies_pause(tc_ask *a, tacit_error *err);
tacit_status tc_studies_resume(tc_ask *a, tacit_error *err);
tacit_status tc_studies_close(tc_ask *a, tacit_error *err);
tacit_status tc_studies_erase(tc_ask *a, tacit_error *err);
tacit_status tc_tokens_make(tc_ask *a, tacit_error *err);
tacit_status tc_tokens_withdraw(tc_ask *a, tacit_error *err);
tacit_status tc_join_tokens_make(tc_ask *a, tacit_error *err);
tacit_status tc_served_suggest(tc_ask *a, tacit_error *err);
tacit_status tc_served_heartbeat(tc_ask *a, tacit_error *err);
tacit_status tc_served_release(tc_ask *a, tacit_error *err);
tacit_status tc_served_enqueue(tc_ask *a, tacit_error *err);
tacit_status tc_served_complete(tc_ask *a, tacit_error *err);
tacit_status tc_served_list(tc_ask *a, tacit_error *err);
tacit_status tc_served_best(tc_ask *a, tacit_error *err);
tacit_status tc_outsource_post(tc_ask *a, tacit_error *err);
tacit_status tc_roster_list(tc_ask *a, tacit_error *err);
tacit_status tc_evidence_list(tc_ask *a, tacit_error *err);
tacit_status tc_roster_enrol(tc_ask *a, tacit_error *err);
tacit_status tc_roster_rotate(tc_ask *a, tacit_error *err);
tacit_status tc_roster_revoke(tc_ask *a, tacit_error *err);
tacit_status tc_message_post(tc_ask *a, tacit_error *err);
tacit_status tc_message_get(tc_ask *a, tacit_error *err);
tacit_status tc_broadcast_get(tc_ask *a, tacit_error *err);
tacit_status tc_privacy_get(tc_ask *a, tacit_error *err);
tacit_status tc_health_live(tc_ask *a, tacit_error *err);
tacit_status tc_health_ready(tc_ask *a, tacit_error *err);
tacit_status tc_health_metrics(tc_ask *a, tacit_error *err);
tacit_status tc_openapi_get(tc_ask *a, tacit_error *err);
tacit_status tc_events_get(tc_ask *a, tacit_error *err);

/* A message's body in its usual form; NULL: another form, to be parsed, or no memory (message_json.c). */
json_t *tc_message_json(const char *body, size_t n);

/* ---- the same request again (idempotency.c) */

/* The handler of a request with an Idempotency-Key, or the answer that it gave before. */
tacit_status tc_handle_once(tc_ask *a, tacit_error *err);
/* Erases answers that are older than a day; looks once a minute. */
tacit_status tc_answers_sweep(tc_coord *c, tacit_error *err);

/* ---- a study's state (studies.c) */

typedef enum tc_study_state { TC_STUDY_RUNNING, TC_STUDY_PAUSED, TC_STUDY_CLOSED } tc_study_state;
/* *version: of the record, for TC_REQUIRE. */
tacit_status tc_state_get(tc_coord *c, int64_t study, tc_study_state *out, uint64_t *version,
                          tacit_error *err);
/* E_STATE: paused or closed. */
tacit_status tc_state_running(tc_coord *c, int64_t study, uint64_t *version, tacit_error *err);

/* E_STATE: closed. What has begun may end while a study is paused. */
tacit_status tc_state_open(tc_coord *c, int64_t study, tacit_error *err);
/* Stores a new study; E_ARG: it cannot run. E_CONFLICT: the name is taken. */
tacit_status tc_studies_put(tc_coord *c, tc_study_doc *doc, tacit_error *err);
/* "paused" */
const char *tc_state_name(tc_study_state s);

/* ---- a served study (served*.c) */

/* Pulls that a study has planned; where no candidate is asked twice, no more than there are. */
uint64_t tc_served_planned(const tc_optimizer *o, const tc_study_doc *doc);
/* An answer that has this many bytes is long enough: a page or a suggestion ends there. */
#define TC_ANSWER_MOST ((size_t)8 << 20)
/* Bytes of it as text, about. */
size_t tc_served_size(const json_t *j);
/* Says what became of a trial, unless the study is told private replies. value NULL: it has none. */
void tc_served_say(tc_coord *c, const tc_open_study *d, const tc_study_doc *doc, uint64_t trial,
                   tc_trial_state state, const double *value);

/* ---- an agent (roster.c) */

/* Instead of a round: no message yet, or one that an older version took and did not note. */
enum { TC_SPOKE_NEVER = -1, TC_SPOKE_UNKNOWN = -2 };
typedef struct tc_member_row {
    tc_public_key key;
    uint64_t sequence; /* of its last message */
    int64_t spoke;     /* the last round that it sent a message for, and did not decline */
    bool revoked;
    tacit_hash access; /* of its access token: it has one at a time */
    tacit_hash joined; /* of the join token that it came with */
    uint64_t version;
} tc_member_row;
tacit_status tc_roster_get(tc_coord *c, int64_t study, uint64_t agent, tc_member_row *out,
                           tacit_error *err);
/* How many have enrolled (roster_place.c). */
tacit_status tc_roster_count(tc_coord *c, tc_open_study *d, uint64_t *out, tacit_error *err);
/* A place for who enrols: the one that it wishes for, if that is free, else the first that is. It is taken when
 * its record is inserted. E_STATE: there is none. */
tacit_status tc_roster_choose(tc_ask *a, tc_open_study *d, uint64_t *agent, tacit_error *err);
json_t *tc_roster_json(const tc_member_row *m); /* its record; NULL: no memory */
tc_key tc_roster_key(uint64_t agent);
/* Visits the revoked agents of a study, in order. visit must not call the store. */
tacit_status tc_roster_revoked(tc_coord *c, int64_t study, tc_record_visit visit, void *user,
                               tacit_error *err);
uint64_t tc_roster_revoked_agent(const tc_record *r);

/* ---- the present round (round.c) */

typedef enum tc_phase {
    TC_PHASE_NONE,
    TC_PHASE_OPEN,
    TC_PHASE_CLOSING,
    TC_PHASE_CLOSED,
    TC_PHASE_VOID
} tc_phase;

/* What the budget lacked, in epsilon. */
typedef struct tc_shortage {
    bool known; /* proved; there may be none below infinity */
    double requested, spent, remaining, delta;
} tc_shortage;

typedef struct tc_round {
    tc_phase phase;
    uint64_t number;
    int64_t deadline_ms; /* 0: none, the whole roster is waited for */
    char reason[512];    /* VOID: why */
    bool refused;        /* VOID: by the budget ... */
    tc_shortage lacks;   /* ... as it was then */
    uint64_t version;    /* of its record; 0: there was no round yet */
} tc_round;

/* The latest round of a study. */
tacit_status tc_round_present(tc_coord *c, int64_t study, tc_round *out, tacit_error *err);
/* What round `number` ended with, or where it stands; NONE: not yet. */
tacit_status tc_round_find(tc_coord *c, int64_t study, uint64_t number, tc_round *out,
                           tacit_error *err);
/* Adds the change from `was` to `now`. */
void tc_round_change(tc_changes *changes, int64_t study, const tc_round *was, const tc_round *now);
/* What the budget lacks for this round, proved from the ledger: not cheap. Under d->lock (budget.c). */
void tc_budget_prove(tc_open_study *d, uint64_t round, tc_shortage *out);
/* The answer about a round that it refused: the reason, and the numbers of then. */
tacit_status tc_refuse_budget(tc_ask *a, const tc_round *r, tacit_error *err);
/* The public deadline of a round that opens now, in whole seconds; 0: none. */
int64_t tc_round_deadline(const tc_coord *c, const tc_study_doc *d);
const char *tc_phase_name(tc_phase p);

/* ---- what listeners hear (events.c): of rounds, studies and trials, never of single agents */

tacit_status tc_ring_new(struct tc_ring **out, tacit_error *err);
void tc_ring_free(struct tc_ring *r); /* NULL is allowed */
/* A round has come to this phase, here or in another process; said once. */
void tc_say_round(tc_coord *c, tc_open_study *d, const tc_round *r);
/* "running", "paused", "closed", "erased"; said once. */
void tc_say_state(tc_coord *c, tc_open_study *d, const char *state);
/* As the tick finds a study: what others have done is said here, too. */
tacit_status tc_say_found(tc_coord *c, tc_open_study *d, const tc_round *r, tc_study_state state,
                          tacit_error *err);

/* ---- closing (closing.c) */

/* Closes the present round if it is due; *next_ms as tc_coord_tick, INT64_MAX: nothing to wait for. */
tacit_status tc_close_due(tc_coord *c, tc_open_study *d, int64_t *next_ms, tacit_error *err);

/* ---- old_receipts.c */

/* Takes hashes and signatures of messages out of a store that an earlier version has written. */
tacit_status tc_old_receipts(tc_store *store, tacit_error *err);

/* ---- restored.c */

/* Keeps that this store was served in test mode: what was released is NOT PRIVATE, also where a backup
 * does not have it. */
tacit_status tc_seeded_keep(tc_store *store, tacit_error *err);

#endif
