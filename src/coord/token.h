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
    TC_ROLE_CLIENT,        /* asks and tells of one served study */
    TC_ROLE_CURATOR,       /* may send one release, and have a study made of it */
    TC_ROLE_TRUSTEE,       /* adds up shares for one study */
    TC_ROLE_TRUSTEE_JOINER /* may enrol as a trustee of one study */
} tc_role;
enum { TC_ROLES = TC_ROLE_TRUSTEE_JOINER + 1 };
const char *tc_role_name(tc_role r);

typedef struct tc_caller {
    tc_role role;
    int64_t study;  /* AGENT, JOINER, CLIENT, TRUSTEE, TRUSTEE_JOINER: of which alone; else 0 */
    tacit_hash of;  /* its hash: numbers are used again */
    uint64_t agent; /* AGENT; TRUSTEE: its place */
    bool
        exhausted; /* JOINER, TRUSTEE_JOINER: spent, and the time to ask again is over; AGENT: replaced with its key, or it has withdrawn */
    tacit_hash token;
    uint64_t version; /* of the token's record */
    json_t *record;   /* of the token, or NULL */
} tc_caller;
/* What names a token where the token itself must not stand: the first half of it is enough to tell a storage's tokens
 * apart, and says nothing of the token. 16 hex digits of its hash. */
enum { TC_TOKEN_ID_BYTES = 8, TC_TOKEN_ID = 2 * TC_TOKEN_ID_BYTES + 1 };
void tc_token_id(const tacit_hash *token, char out[TC_TOKEN_ID]);

/* A wrong or expired token is E_ARG, without a reason that tells which. */
tacit_status tc_caller_find(tc_coord *c, const char *bearer, tc_caller *out, tacit_error *err);
/* Only who has the token's 32 bytes hears this, so it tells strangers nothing. */
#define TC_TOKEN_USED_UP                                                                           \
    "the join token is used up: as many agents have joined with it as it was made for; ask the "   \
    "operator for another one"
/* With which one joins, as an agent or as a trustee. */
bool tc_role_joins(tc_role r);
void tc_caller_fini(tc_caller *w);

tc_key tc_token_key(const char *text); /* of its record */
/* A new text, which no token has. */
tacit_status tc_token_draw(const tc_coord *c, char text[48], tacit_error *err);
/* A new token: its text, and the change that stores it. uses 0: any number; expires_ms 0: never. */
typedef struct tc_token_terms {
    tc_role role;
    const tc_open_study *open; /* AGENT, JOINER, CLIENT, TRUSTEE, TRUSTEE_JOINER; else NULL */
    uint64_t agent, uses;
    int64_t expires_ms;
    const char *name; /* whose it is, for people and for the operator's log; NULL: it has none */
    bool place;       /* JOINER: with it `agent` alone is taken, again, by whoever has that place */
} tc_token_terms;
tacit_status tc_token_make(tc_coord *c, const tc_token_terms *t, char text[48], tc_changes *changes,
                           tacit_error *err);
bool tc_role_read(const char *name, tc_role *out);

#endif
