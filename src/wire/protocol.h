/* protocol.h - the version of the protocol between a coordinator and those who ask it.
 *
 * Every request says in the header Tacit-Protocol in which version it is written: "2". Every answer says in the same
 * header which versions the coordinator speaks: "1-2". Version 1 is that of tacit 0.1, which has no such header: a
 * request without it is of version 1, and an answer without it comes from a coordinator that speaks 1 alone.
 *
 * Who asks begins with its newest version. A coordinator that does not speak it refuses and does nothing; it is asked
 * again in the newest that both speak. Where there is none, both sides say so in one sentence.
 *
 * A change that an older program would not understand, or would understand in another way, is a new version: raise
 * TC_PROTOCOL, say below what is new, and raise TC_PROTOCOL_OLDEST once the oldest is no longer spoken. What the other
 * side can ignore needs none. Pure. Called by coord (requests), net (both headers) and tests.
 *
 *   1  tacit 0.1
 *   2  the header itself */
#ifndef TC_WIRE_PROTOCOL_H
#define TC_WIRE_PROTOCOL_H

#include "base/error.h"

#include <stdint.h>

#define TC_PROTOCOL_HEADER "Tacit-Protocol"
/* Of answers over TLS: the fingerprint of the key that will take the place of the one that answers. */
#define TC_NEXT_KEY_HEADER "Tacit-Next-Key"
#define TC_PROTOCOL        2 /* the newest that this program speaks */
#define TC_PROTOCOL_TEXT   "2"
#define TC_PROTOCOL_OLDEST 1

/* The versions that a side speaks, inclusive. */
typedef struct tc_protocols {
    uint64_t oldest, newest;
} tc_protocols;
tc_protocols tc_protocols_ours(void);

/* As a coordinator's answer has them: "1-2". */
typedef struct tc_protocols_text {
    char text[48];
} tc_protocols_text;
tc_protocols_text tc_protocols_format(const tc_protocols *p);

/* For a coordinator that speaks `ours`: can a request with this header be answered? NULL: it has none. E_ARG: that is
 * no version. E_UNSUPPORTED: one sentence, which versions both speak and who must be updated. */
tacit_status tc_protocol_check_request(const tc_protocols *ours, const char *header,
                                       tacit_error *err);
/* For a client that speaks `ours`: *version is the newest that the coordinator which answered with this header speaks,
 * too. E_UNSUPPORTED: there is none; the same sentence from the other side. `who`: the coordinator's URL. */
tacit_status tc_protocol_agree(const tc_protocols *ours, const char *header, const char *who,
                               uint64_t *version, tacit_error *err);

#endif
