/* carry.h - requests of an agent and answers of its coordinator as files, for an agent without a network.
 *
 * A bundle is a file ID-NUMBER.request.json with requests in the order in which they are answered, and a file
 * ID-NUMBER.answer.json with the answers to them. ID is one agent's folder. Whoever carries them copies the first to the
 * coordinator and the second back. Nothing that is carried twice, late or not at all does harm: an answer belongs to one
 * bundle (its `word`), a message that arrives again is the same message, and what is missing is asked again.
 *
 * Files have tokens in them: they are for their owner's eyes, and so is what they are carried on. */
#ifndef TC_PROGRAM_CARRY_H
#define TC_PROGRAM_CARRY_H

#include "base/json.h"

#include <tacit/agent.h>

/* ---- carry_agent.c: the agent's side */

typedef struct tc_carry tc_carry; /* end with tc_carry_close */
/* outbox: a folder for bundles, where the agent also keeps which one is the latest; inbox: where answers come; both there, they
 * may be one. E_ARG, E_IO: which folder is none, or cannot be written. */
tacit_status tc_carry_open(tc_carry **out, const char *outbox, const char *inbox, bool quiet,
                           tacit_error *err);
void tc_carry_close(tc_carry *c); /* NULL is allowed */
/* As tacit_agent_opts.exchange. Waits for as long as it takes. E_CANCELLED: interrupted. */
tacit_status tc_carry_exchange(tc_carry *c, const tacit_request *q, tacit_agent_answer *answer,
                               tacit_error *err);

/* ---- carry_serve.c: the coordinator's side */

typedef struct tc_carrier tc_carrier; /* end with tc_carrier_close */
tacit_status tc_carrier_open(tc_carrier **out, const char *folder, tacit_error *err);
void tc_carrier_close(tc_carrier *c); /* NULL is allowed */
/* Answers the bundles in the folder as far as that is possible now: a round that is not over is asked about again with the next
 * call. One that was answered is removed. What is no bundle is said once and left alone. */
void tc_carrier_work(tc_carrier *c, tacit_coordinator *coordinator);

/* ---- carry_file.c: what both have */

enum { TC_CARRIED_MOST = 64 << 20 };
#define TC_CARRIED_FORMAT "tacit carried 1"
#define TC_CARRIED_ASKED  ".request.json"
#define TC_CARRIED_SAID   ".answer.json"
/* E_ARG: it is no folder. E_IO: nothing can be written there. */
tacit_status tc_carried_folder(const char *option, const char *folder, tacit_error *err);
/* folder/NAME with this end, for tc_free; NULL: no memory. */
char *tc_carried_path(const char *folder, const char *name, const char *end);
/* E_NOT_FOUND: it is not there. E_ARG: it is not of this format; nothing else was checked. */
tacit_status tc_carried_read(const char *path, json_t **out, tacit_error *err);
/* At once and durably, for its owner's eyes. Takes the reference; NULL is no memory. */
tacit_status tc_carried_write(const char *path, json_t *j, tacit_error *err);
/* One request as JSON and back; what the second fills in points into j. */
json_t *tc_carried_request(const tacit_request *q); /* NULL: no memory */
tacit_status tc_carried_parse(const json_t *j, tacit_request *out, tacit_error *err);

#endif
