/* user_workers.h - names of a user's workers, and which trials they have under way.
 *
 * The names are random and say nothing about the machine. They are kept in a file of the user's folder while trials are
 * under way, so that a process that was killed comes back under the same names and gets its trials back, and a
 * reply that was paid for and not told can be told. One process has the file; a second one of the same user has
 * another. For src/worker. */
#ifndef TC_USER_USER_WORKERS_H
#define TC_USER_USER_WORKERS_H

#include "base/random_name.h"
#include "user/user.h"

typedef struct tc_user_worker {
    char name[TC_RANDOM_NAME];
    uint64_t trial; /* under way; TC_NEW_TRIAL: none */
} tc_user_worker;

/* All-zero may be closed. */
typedef struct tc_user_workers {
    tc_user_worker *list;
    size_t n; /* at least as many as were asked for; the others were those of an earlier run */
    int fd;   /* -1: there is no place to remember, and names end with the process */
    char path[PATH_MAX];
    bool open;
} tc_user_workers;

/* Those of the user `name` of this study at this coordinator (served: `url` as it was given) or in this storage. */
tacit_status tc_user_workers_open(tc_user_workers *w, bool served, const char *url,
                                  const char *study, const char *name, size_t n, tacit_error *err);
/* Has one of the first n workers this name? */
bool tc_user_workers_have(const tc_user_workers *w, size_t n, const char *worker);
/* Before a trial is run, and after it was told (TC_NEW_TRIAL). What cannot be written is not remembered. */
void tc_user_workers_note(tc_user_workers *w, size_t worker, uint64_t trial);
/* Names are not used again, unless a trial is still under way. */
void tc_user_workers_close(tc_user_workers *w);

#endif
