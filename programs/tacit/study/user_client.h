/* user_client.h - the user of a private study: whose replies it is told, and which trials are under way.
 *
 * The ledger of replies is in user_ledger.h. A client's workers have random names, which say nothing about the
 * machine. They are kept in a file of the user's folder while trials are under way, so that a client that was killed
 * comes back under the same names and gets its trials back, and a reply that was paid for and not told can be told.
 * One process has the file; a second one of the same user has another. For optimize.c, tell.c and campaign.c. */
#ifndef TC_PROGRAM_USER_CLIENT_H
#define TC_PROGRAM_USER_CLIENT_H

#include "client/random_name.h"
#include "study/user_reply.h"
#include "study/study_ref.h"

/* What a command line says of the user of a study. Borrowed. */
typedef struct tc_user_named {
    const char *name, *ledger_storage; /* ledger_storage NULL: the user's own ledger */
    const tc_where *where;             /* the study is */
    bool quiet;
} tc_user_named;
/* Opens the user's replies to an open study. E_ARG: a coordinator's study was not agreed to by naming its document,
 * and costs much (tc_user_consent). */
tacit_status tc_user_reply_open_at(tc_user_reply *u, const tc_study_ref *r,
                                   const tc_user_named *who, tacit_error *err);

typedef struct tc_user_worker {
    char name[TC_RANDOM_NAME];
    uint64_t trial; /* under way; TC_NEW_TRIAL: none */
} tc_user_worker;

/* All-zero may be closed. */
typedef struct tc_user_client {
    tc_user_worker *workers;
    size_t n; /* at least as many as were asked for; the others were those of an earlier run */
    int fd;   /* -1: there is no place to remember, and names end with the process */
    char path[PATH_MAX];
    bool open;
} tc_user_client;

/* Whose it is: the study at this coordinator or in this storage, and the user. */
tacit_status tc_user_client_open(tc_user_client *c, const tc_where *where, const char *study,
                                 const char *user, size_t workers, tacit_error *err);
/* Has one of the first n workers this name? */
bool tc_user_client_has(const tc_user_client *c, size_t n, const char *worker);
/* Before a trial is run, and after it was told (TC_NEW_TRIAL). What cannot be written is not remembered. */
void tc_user_client_note(tc_user_client *c, size_t worker, uint64_t trial);
/* Names are not used again, unless a trial is still under way. */
void tc_user_client_close(tc_user_client *c);

#endif
