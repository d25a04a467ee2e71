/* token.h - who asks: bearer tokens and the roles that they carry (token.c). For the files of this folder. */
#ifndef TC_COORD_TOKEN_H
#define TC_COORD_TOKEN_H

#include "coord/open_study.h"
#include "coord/record_json.h"

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
/* Only who has the token's 32 bytes hears this, so it tells strangers nothing. */
#define TC_TOKEN_USED_UP                                                                           \
    "the join token is used up: as many agents have joined with it as it was made for; ask the "   \
    "operator for another one"
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

#endif
