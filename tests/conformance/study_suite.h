/* study_suite.h - what the handles of <tacit/study.h> must do, whatever storage is behind them: one suite, run for
 * each. It knows nothing but the public headers. */
#ifndef TEST_STUDY_SUITE_H
#define TEST_STUDY_SUITE_H

#include <tacit/study.h>

typedef struct study_place {
    const char *name;
    tacit_storage *(*open)(void);       /* an empty storage */
    tacit_storage *(*open_again)(void); /* a second handle on the same; NULL: this kind has none */
    bool served;                        /* at a coordinator */
} study_place;

/* The number of tests that failed. */
int study_suite_run(const study_place *place);

#endif
