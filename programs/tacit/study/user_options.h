/* user_options.h - "--user NAME" and "--ledger-storage URL" on a command line: the user of a study of local privacy
 * (<tacit/user.h>). For optimize.c and tell.c. */
#ifndef TC_PROGRAM_USER_OPTIONS_H
#define TC_PROGRAM_USER_OPTIONS_H

#include "study/study_ref.h"

#include <tacit/user.h>

/* char *user, *ledger_storage */
#define TC_USER_OPTIONS(type)                                                                      \
    {"user", TC_OPTION_STRING, offsetof(type, user), .value = "NAME",                              \
     .help = "ldp-*: who answers; rewards are perturbed here and charged to this user's ledger"},  \
        TC_LEDGER_STORAGE_OPTION(type)

/* char *ledger_storage */
#define TC_LEDGER_STORAGE_OPTION(type)                                                             \
    {                                                                                              \
        "ledger-storage", TC_OPTION_STRING, offsetof(type, ledger_storage),                        \
            .value = "URL",                                                                        \
            .help = "where the ledger is, if not in the user's own folder "                        \
                    "(~/.local/state/tacit), where no server can put back an old copy; with "      \
                    "--records in a storage: if not in that storage"                               \
    }

/* E_ARG: a user is given where values are told, or none where replies are. */
tacit_status tc_user_check(const tacit_document *doc, const char *user, const char *ledger_storage,
                           tacit_error *err);
/* Opens the user of an open study. Whoever has named the document has agreed to it. */
tacit_status tc_user_open(tacit_user **out, const tc_study_ref *r, const char *user,
                          const char *ledger_storage, bool quiet, tacit_error *err);

#endif
