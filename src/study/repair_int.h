/* repair_int.h - what the files of a repair share. */
#ifndef TC_STUDY_REPAIR_INT_H
#define TC_STUDY_REPAIR_INT_H

#include "study/chain.h"
#include "study/repair.h"

/* One event as it was found. */
typedef struct tc_found {
    tc_event_row row; /* its body is owned */
    tc_checksum sum;
    size_t sum_size; /* 0 or that of a sum; anything else: damaged */
    bool whole;      /* it matches its checksum, or has none to match */
    bool checked;    /* false: the one before it is missing, so that it cannot be */
} tc_found;

/* A journal as it was found. */
typedef struct tc_wreck {
    tc_chain end; /* as stored */
    tc_found *events;
    size_t n, cap;
    bool damaged; /* something of it does not fit together */
} tc_wreck;

/* repair_read.c. Reads what can be read, and judges each event by the sums around it. */
tacit_status tc_wreck_read(tc_wreck *w, tc_store *store, int64_t study, tacit_error *err);
void tc_wreck_fini(tc_wreck *w);

#endif
