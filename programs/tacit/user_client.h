/* user_client.h - what a user of private studies keeps on this machine beside the study, which is at a
 * coordinator: the default ledger of replies, and which trials are under way.
 *
 * Both are in one folder of the user's, $XDG_STATE_HOME/tacit or ~/.local/state/tacit, whatever folder a
 * command is started in: two ledgers would give two replies about one reward.
 *
 * A client's workers have random names, which say nothing about the machine. They are kept in a file while
 * trials are under way, so that a client that was killed comes back under the same names and gets its trials
 * back, and a reply that was paid for and not told can be told. One process has the file; a second one of
 * the same user has another. For optimize.c, tell.c and campaign.c. */
#ifndef TC_PROGRAM_USER_CLIENT_H
#define TC_PROGRAM_USER_CLIENT_H

#include "user_reply.h"

enum { TC_RANDOM_NAME = 33 };
/* 128 bits of the system's, in hexadecimal. */
void tc_random_name(char out[TC_RANDOM_NAME]);

/* Where the ledger of replies is, if no option says it: TACIT_STORAGE if set, else replies.db of the folder,
 * which is made. E_ARG: neither XDG_STATE_HOME nor HOME says where. */
tacit_status tc_user_ledger_default(char url[PATH_MAX], tacit_error *err);
/* Opens the user's replies to a study of a coordinator. agreed: its document was named. E_ARG: it was not, and costs
 * much (tc_user_consent). */
tacit_status tc_user_reply_open_served(tc_user_reply *u, const tc_study_doc *doc, const char *user,
                                       const char *ledger, bool agreed, bool quiet,
                                       tacit_error *err);

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

/* Whose it is: the study at this coordinator, and the user. */
tacit_status tc_user_client_open(tc_user_client *c, const char *coordinator, const char *study,
                                 const char *user, size_t workers, tacit_error *err);
/* Before a trial is run, and after it was told (TC_NEW_TRIAL). What cannot be written is not remembered. */
void tc_user_client_note(tc_user_client *c, size_t worker, uint64_t trial);
/* Names are not used again, unless a trial is still under way. */
void tc_user_client_close(tc_user_client *c);

#endif
