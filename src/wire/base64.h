/* base64.h - bytes as text: base64 with padding (RFC 4648, section 4), by libsodium.
 *
 * The one form in which bytes stand in JSON: journals, records, requests and answers. */
#ifndef TC_WIRE_BASE64_H
#define TC_WIRE_BASE64_H

#include "base/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <tacit/status.h>

void tc_base64_add(tc_text *out, const void *bytes, size_t n);
json_t *tc_base64_json(const void *bytes, size_t n); /* NULL: no memory */

/* Exactly n bytes. False: not that. */
bool tc_base64_read(const char *text, void *out, size_t n);
/* At most `room` bytes; *n: how many. False: not base64, or more. */
bool tc_base64_decode(const char *text, void *out, size_t room, size_t *n);
/* Reads any number of bytes; caller: tc_free. E_ARG: not base64, or more than `most` bytes; `what` names it. */
tacit_status tc_base64_bytes(const char *text, const char *what, size_t most, uint8_t **out,
                             size_t *n, tacit_error *err);

#endif
