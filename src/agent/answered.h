/* answered.h - one request to a coordinator about one study, and what its answer says.
 *
 * An answer is not believed: it is read only where it is modest, and its words are cleaned before they reach a journal or a
 * terminal. Called by agents (request.c), trustees (../trustee) and clients of served studies. */
#ifndef TC_AGENT_ANSWERED_H
#define TC_AGENT_ANSWERED_H

#include "agent/transport.h"

#include <tacit/status.h>

#include <jansson.h>
#include <stdbool.h>

/* End with tc_answered_fini. body is NULL where it is not JSON. */
typedef struct tc_answered {
    int status;
    tc_text text;
    json_t *body;
} tc_answered;
void tc_answered_fini(tc_answered *r);

/* call->path is what follows /v1/studies/STUDY. E_IO: nothing came back, or the coordinator is too busy (429, 503) or
 * failed. */
tacit_status tc_answered_get(const tc_transport *way, const char *study, const tc_call *call,
                             tc_answered *out, tacit_error *err);

/* Who asks about a study, with tokens of his own: for what agents and trustees ask alike (offer.h, roster.h). */
typedef struct tc_asker {
    tacit_status (*request)(void *user, const tc_call *call, tc_answered *out, tacit_error *err);
    void *user;
    const char *study; /* its name */
} tc_asker;

/* Does this JSON stay small in memory? Its reader has not looked at it yet. */
bool tc_answered_is_modest(const char *text, size_t n);
/* The sentence of a refusal. */
const char *tc_answered_detail(const tc_answered *r);
/* E_IO "the coordinator's answer makes no sense". */
tacit_status tc_answered_strange(const char *what, tacit_error *err);
/* E_STATE "the coordinator refuses ...: " and its sentence. */
tacit_status tc_answered_refusal(const tc_answered *r, const char *what, tacit_error *err);
/* The bytes of a release, for tc_free. E_STATE: they are none. */
tacit_status tc_answered_release(const char *text, uint8_t **bytes, size_t *n, tacit_error *err);

#endif
