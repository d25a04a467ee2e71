/* ledger_api_int.h - what the two files of the public ledger share. */
#ifndef TC_STUDY_LEDGER_API_INT_H
#define TC_STUDY_LEDGER_API_INT_H

#include <tacit/ledger.h>

#include "study/store.h"

struct tacit_ledger {
    tc_store *store;   /* NULL: imported */
    tc_ledger_io io;   /* where there is a store */
    tc_ledger *ledger; /* lives in the store */
};

tacit_head tc_head_public(const tc_ledger_head *h);

#endif
