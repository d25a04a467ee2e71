/* served_client.h - a client of a served study: the optimizer is at the coordinator, the work is done here.
 *
 * Every call is one request, which is sent again with growing pauses while the coordinator does not
 * answer or is too busy: suggest and complete are idempotent by the protocol (coord/README.md). A
 * refusal is a tacit_error with the code, and so the exit code, that the same refusal has where the
 * study is in a storage. Answers are not believed: whatever does not fit the study's document is
 * E_IO "makes no sense". Numbers are the coordinator's, bit for bit. Called by src/client; one thread at a time. */
#ifndef TC_AGENT_SERVED_CLIENT_H
#define TC_AGENT_SERVED_CLIENT_H

#include <tacit/ledger.h>
#include <tacit/study.h>

#include "agent/transport.h"
#include "algo/optimizer.h"
#include "algo/prune.h"
#include "wire/study_doc.h"

typedef struct tc_remote tc_remote;

/* All borrowed as long as it is used. */
typedef struct tc_remote_config {
    tc_transport transport;
    const char *study; /* its name; NULL where a call is about no single one */
    const char *token;
    /* How long a request may take that is sent again and again, pauses and all; 0: it is sent once. */
    int64_t patience_ms;
    long timeout_s; /* of one request; 0: as the transport likes */
    bool *away;     /* after a request: did nobody answer, or was he too busy? NULL: not said */
    /* Waits so long. why: the first pause in a row, and what went wrong; else NULL. False: stop
     * trying. NULL: sleeps. */
    bool (*wait)(void *user, int64_t ms, const char *why);
    uint64_t (*now_ns)(void *user); /* what a request took is counted by; NULL: tc_clock_ns */
    void *user;
} tc_remote_config;

/* Asks for the document. E_STATE: the study is federated. */
tacit_status tc_remote_open(tc_remote **out, const tc_remote_config *cfg, tacit_error *err);
void tc_remote_close(tc_remote *s); /* NULL is allowed */
const tc_study_doc *tc_remote_document(const tc_remote *s);
/* What the coordinator says tells it apart from all other studies. */
const tacit_hash *tc_remote_hash(const tc_remote *s);

/* From now on. For those who have other things to do while a coordinator is away: with patience 0 each request is
 * sent once, and they come back. */
void tc_remote_set_pace(tc_remote *s, int64_t patience_ms, long timeout_s);
/* Did the last request fail because nobody answered it, or because the coordinator was too busy? */
bool tc_remote_away(const tc_remote *s);

/* ---- trials that came from the coordinator. All-zero is empty; end with fini. */
typedef struct tc_trial_list {
    tc_trial *list;
    size_t n, cap;
    tc_arena memory; /* of what they point at */
} tc_trial_list;
void tc_trial_list_fini(tc_trial_list *l);

/* ---- work */

typedef struct tc_remote_request {
    const char *worker;
    double lease_s; /* 0: as long as the coordinator likes */
    uint64_t count; /* 1 to 1000 */
    uint64_t pulls; /* 0: one each */
    /* The trial of a worker that is gone, which this one takes over; NULL: none. Count is 1 then. */
    const char *from;
    uint64_t trial;
} tc_remote_request;
enum { TC_REMOTE_COUNT_MOST = 1000 };

/* Adds what this worker is to run, unfinished trials of his first. E_BUDGET: all are given out. E_STATE: the
 * study is paused or closed, or `from` does not run that trial any more. */
tacit_status tc_remote_suggest(tc_remote *s, const tc_remote_request *q, tc_trial_list *out,
                               tacit_error *err);

/* What came of a trial: a value, a reply, the values of its pulls or a reason. E_STATE: it was told otherwise before. E_ARG: the study is told replies and this is none; it is not sent. */
tacit_status tc_remote_complete(tc_remote *s, uint64_t trial, const tacit_report *r,
                                tacit_error *err);

/* Intermediate values of a trial, 1 to TC_STEPS_AT_ONCE, and whether to end the trial, by a settled rule: the verdict is of the
 * first by which it should be ended, and those after that are not taken. */
tacit_status tc_remote_report_steps(tc_remote *s, uint64_t trial, const tc_steps *steps,
                                    const tc_prune *p, tc_verdict *out, tacit_error *err);

/* A sign of life, sent once: the next one is as good. lease_s 0: as long as the coordinator likes. *until_ms (may be
 * NULL): when the lease ends now; 0: never. E_STATE: that worker does not run it. */
tacit_status tc_remote_heartbeat(tc_remote *s, uint64_t trial, const char *worker, double lease_s,
                                 int64_t *until_ms, tacit_error *err);
/* Takes a RUNNING trial back; for an operator. */
tacit_status tc_remote_requeue(tc_remote *s, uint64_t trial, tacit_error *err);
/* A point to be tried first. Sent once: again, it would be another trial. */
tacit_status tc_remote_delete_trial(tc_remote *s, uint64_t trial, tacit_error *err);
tacit_status tc_remote_enqueue(tc_remote *s, const double *values, uint64_t *trial,
                               tacit_error *err);

/* ---- looking */

/* How it stands, all but the best trial and the texts. */
tacit_status tc_remote_show(tc_remote *s, tacit_study_summary *out, tacit_error *err);
/* Pauses, resumes or closes it; for an operator. */
tacit_status tc_remote_set_state(tc_remote *s, tacit_study_state state, tacit_error *err);
/* Adds trials, page by page. */
tacit_status tc_remote_trials(tc_remote *s, const tacit_trial_query *q, tc_trial_list *out,
                              tacit_error *err);
/* Adds one. E_NOT_FOUND. */
tacit_status tc_remote_trial(tc_remote *s, uint64_t number, tc_trial_list *out, tacit_error *err);
/* Adds the best one; nothing where none is complete. */
tacit_status tc_remote_best(tc_remote *s, tc_trial_list *out, tacit_error *err);

/* How a trial was recommended; mean and sd are NaN where it is not by the model. */
typedef struct tc_remote_found {
    bool by_model;
    double mean, sd;
    char because[160];
} tc_remote_found;
/* Adds the trial that is recommended, by "model", "seen" or NULL: as the coordinator decides; nothing where none is
 * complete. A coordinator of an earlier version has what was seen alone: E_UNSUPPORTED by model. */
tacit_status tc_remote_recommend(tc_remote *s, const char *by, tc_trial_list *out,
                                 tc_remote_found *found, tacit_error *err);

/* ---- any request (served_request.c) */

/* A name in a path must not become another path. E_ARG: no study has this name. */
tacit_status tc_remote_check_name(const char *name, tacit_error *err);

/* The answer to a request that succeeded; *out ends with tc_text_fini. A refusal is a failure. once: it is
 * not sent again. */
tacit_status tc_remote_fetch(const tc_remote_config *cfg, const tc_call *call, bool once,
                             tc_text *out, tacit_error *err);
/* The same as JSON, for json_decref. */
tacit_status tc_remote_call(const tc_remote_config *cfg, const tc_call *call, bool once,
                            json_t **out, tacit_error *err);
/* The error of an answer with this HTTP status and body: "the coordinator says 404: ...", with the code that
 * the problem names. */
tacit_status tc_remote_refusal(int http, const tc_text *body, tacit_error *err);
/* The request that makes a study: for tc_free. NULL: no memory. */
char *tc_remote_creation(const tc_study_doc *doc);

#endif
