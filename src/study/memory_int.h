/* memory_int.h - what the files of the memory store share: memory.c and memory_record.c. */
#ifndef TC_STUDY_MEMORY_INT_H
#define TC_STUDY_MEMORY_INT_H

#include "study/store.h"

/* The records of one store, in the order of (study, kind, key), under the store's mutex. */
typedef struct tc_memory_records {
    struct tc_memory_record **all;
    size_t n, cap;
} tc_memory_records;

void tc_memory_records_fini(tc_memory_records *m);
tacit_status tc_memory_change(tc_memory_records *m, const tc_change *c, size_t n, size_t *refused,
                              tacit_error *err);
tacit_status tc_memory_record_get(const tc_memory_records *m, const tc_record *which,
                                  tc_record *out, tacit_error *err);
tacit_status tc_memory_record_scan(const tc_memory_records *m, const tc_record_range *range,
                                   tc_record_visit visit, void *user, tacit_error *err);
uint64_t tc_memory_record_count(const tc_memory_records *m, const tc_record_range *range);
void tc_memory_record_drop(tc_memory_records *m, const tc_record_range *range);
void tc_memory_record_erase(tc_memory_records *m, int64_t study); /* all of a study */

#endif
