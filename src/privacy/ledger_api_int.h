/* ledger_api_int.h - what the two files of the public ledger share. */
#ifndef TC_PRIVACY_LEDGER_API_INT_H
#define TC_PRIVACY_LEDGER_API_INT_H

#include <tacit/ledger.h>

#include "privacy/ledger_handle.h"

struct tacit_ledger {
    tc_ledger_io io; /* where there is a storage */
    void *storage;   /* NULL: imported */
    void (*close)(void *storage);
    tc_ledger *ledger; /* lives in the storage */
    char *not_private; /* of the study of this name; NULL: nothing is known against it */
};

#endif
