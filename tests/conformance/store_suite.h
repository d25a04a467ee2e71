/* store_suite.h - what every store must do: one suite, run for each of them. */
#ifndef TEST_STORE_SUITE_H
#define TEST_STORE_SUITE_H

#include "study/store.h"

typedef struct store_kind {
    const char *name;
    tc_store *(*open_fresh)(void); /* an empty store */
    tc_store *(*open_again)(void); /* a second handle on the same; NULL: this kind has none */
} store_kind;

/* The number of tests that failed. A store must pass all. */
int store_suite_run(const store_kind *kind);  /* studies and journals */
int record_suite_run(const store_kind *kind); /* records */
int copy_suite_run(const store_kind *kind);   /* copies of all of it */
int audit_suite_run(const store_kind *kind);  /* the operator's log */

#endif
