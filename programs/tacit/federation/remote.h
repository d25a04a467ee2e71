/* remote.h - what the files of `tacit remote` share: remote.c (the family), remote_tokens.c (tokens), remote_audit.c (the
 * operator's log). For them alone. */
#ifndef TC_PROGRAM_REMOTE_H
#define TC_PROGRAM_REMOTE_H

#include "federation/server_options.h"
#include "frame/cli.h"

#include <tacit/document.h>

#include <jansson.h>

/* Of all members of the family; each has a table of those that it takes. */
typedef struct tc_remote_options {
    char *server, *token_file, *fingerprint, *ca, *proxy, *out, *name, *seen;
    int64_t uses;
    double expires_s, grace_s, after_s;
    int role;
    bool never;
} tc_remote_options;

/* A request, as of tacit_net_call; or the document of a study to be made; or the operator's log, checked. */
typedef struct tc_remote_request {
    const char *method, *study, *path, *body;
    const tacit_document *create;
    bool log;
} tc_remote_request;

tacit_status tc_remote_send(const tc_invocation *in, const tc_remote_request *q, json_t **out,
                            tacit_error *err);
/* As JSON, or as a table of fields. */
tacit_status tc_remote_print(const json_t *j, int format, tacit_error *err);
/* Both. */
tacit_status tc_remote_do(const tc_invocation *in, const tc_remote_request *q, tacit_error *err);
/* GETs all pages of a list of objects: `name` is its field in the answers. columns: fields that a table has, ends with NULL. */
tacit_status tc_remote_list(const tc_invocation *in, const tc_remote_request *q, const char *name,
                            const char *const *columns, tacit_error *err);
/* Objects as JSON, or as rows: of a field that ends in _ms the time. `whole` is what JSON shows of it all. */
tacit_status tc_remote_print_rows(const json_t *whole, const json_t *list,
                                  const char *const *columns, int format, FILE *out,
                                  tacit_error *err);

extern const tc_verb tc_verb_remote_token, tc_verb_remote_tokens, tc_verb_remote_replace,
    tc_verb_remote_withdraw, tc_verb_remote_readmit, tc_verb_remote_audit;

#endif
