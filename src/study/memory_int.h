/* memory_int.h - what the files of the memory store share: memory.c and memory_ledger.c. */
#ifndef TC_STUDY_MEMORY_INT_H
#define TC_STUDY_MEMORY_INT_H

#include "study/store.h"

#include <pthread.h>

/* The ledgers of one store, under their own mutex. */
typedef struct tc_memory_ledgers {
    pthread_mutex_t lock;
    struct tc_memory_ledger **all; /* all[i] has id i + 1 */
    size_t n, cap;
} tc_memory_ledgers;

void tc_memory_ledgers_init(tc_memory_ledgers *m);
void tc_memory_ledgers_fini(tc_memory_ledgers *m);
tacit_status tc_memory_ledger_open(tc_memory_ledgers *m, const char *name, bool create,
                                   tc_ledger_io *out, tacit_error *err);
tacit_status tc_memory_ledger_list(tc_memory_ledgers *m, tc_ledger_name_visit visit, void *user,
                                   tacit_error *err);

#endif
