/* user_ledger.h - a user's own ledger of replies: where it is, and what other ledgers of the user it knows.
 *
 * Whoever can put back an old copy of a ledger gets a second reply about the same reward, so the ledger does not
 * lie with the study, whose storage is the server's. It is replies.db of the user's folder, $XDG_STATE_HOME/tacit or
 * ~/.local/state/tacit, for every verb and in whatever folder a command is started: two ledgers would give two
 * replies about one reward.
 *
 * Earlier versions kept it in the study's storage, in TACIT_STORAGE or in ./tacit.db. What a user has replied there
 * is taken along into the user's own ledger before the user's first reply in a study, and each storage is read once only:
 * what is written there later, by the server or by an earlier version, is not the user's. For user_api.c and user_workers.c, and
 * for programs/tacit/curate/curate_perturb.c. */
#ifndef TC_USER_USER_LEDGER_H
#define TC_USER_USER_LEDGER_H

#include "privacy/ledger.h"
#include "study/store.h"

#include <limits.h>
#include <stdbool.h>

/* A folder of the user's below the state folder ("": that itself), which is made. False: errno says why not, or 0
 * where neither XDG_STATE_HOME nor HOME is an absolute path. */
bool tc_user_folder(const char *below, char out[PATH_MAX]);
/* The storage of the user's own ledger. E_ARG: nothing says where. */
tacit_status tc_user_ledger_url(char url[PATH_MAX], tacit_error *err);
/* The same without making a folder. False: no reply was ever charged to it. */
bool tc_user_ledger_exists(char url[PATH_MAX]);

/* Receives sentences for people; `tell` NULL: nobody hears them. */
typedef struct tc_user_note {
    void (*tell)(void *user, const char *text);
    void *user;
} tc_user_note;
void tc_user_notify(const tc_user_note *n, const char *fmt, ...) TACIT_PRINTF(2, 3);

typedef struct tc_user_ledger_place {
    const char *given;   /* a storage by hand, which is warned of once; NULL: the user's own */
    const char *storage; /* the study's; NULL: it is at a coordinator, or not known */
    tacit_hash study;    /* that asks */
    const char *name;    /* of the ledger */
    const char *user;
    tc_user_note note;
} tc_user_ledger_place;

/* All-zero may be closed. */
typedef struct tc_user_ledger {
    tc_store *store;
    tc_ledger *ledger;
} tc_user_ledger;

/* Opens the ledger, which is made if it is not there. E_STATE: an older ledger cannot be taken along. */
tacit_status tc_user_ledger_open(tc_user_ledger *l, const tc_user_ledger_place *p,
                                 tacit_error *err);
void tc_user_ledger_close(tc_user_ledger *l);
/* The ledger of this name in a storage that lasts, also for curators (src/curator): nothing is taken along. A store that
 * is there already is used. create: makes storage and ledger where they are absent. E_ARG: a storage that ends with the
 * process, and with it what was spent. */
tacit_status tc_user_ledger_open_in(tc_user_ledger *l, const char *url, const char *name,
                                    bool create, tacit_error *err);

/* Tells one storage from another, however the path of its file is spelled. */
tacit_hash tc_user_storage_hash(const char *url);

#endif
