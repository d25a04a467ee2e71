/* served_int.h - what the calls of a client of a served study share: one request, and a trial of an answer. */
#ifndef TC_AGENT_SERVED_INT_H
#define TC_AGENT_SERVED_INT_H

#include "agent/served_client.h"

/* Which attempt of a trial was handed out here last. */
typedef struct tc_attempt {
    uint64_t trial, attempt;
} tc_attempt;

struct tc_remote {
    tc_remote_config cfg;
    tc_study_doc *doc;
    tacit_hash hash;
    bool away;
    tc_attempt *attempts; /* of trials that were asked for here, and not told since */
    size_t n_attempts, cap_attempts;
};

/* A request about the study. Takes `body`, which may be NULL where `has_body` is false. rest: what follows the
 * study's name. */
typedef struct tc_errand {
    const char *method, *rest;
    bool has_body, once;
    json_t *body;
} tc_errand;
tacit_status tc_remote_ask(const tc_remote_config *cfg, const tc_errand *e, json_t **out,
                           tacit_error *err);

/* E_IO "the coordinator's answer makes no sense: what". */
tacit_status tc_remote_strange(const char *what, tacit_error *err);

/* A whole number that is not negative; absent or null: *out stays. */
bool tc_remote_whole(const json_t *j, const char *key, int64_t *out);

/* Adds the trial, or all of "trials", with state, value, worker and times. */
tacit_status tc_remote_add(const tc_remote *s, const json_t *j, tc_trial_list *l, tacit_error *err);
tacit_status tc_remote_add_all(const tc_remote *s, const json_t *answer, tc_trial_list *l,
                               tacit_error *err);

#endif
