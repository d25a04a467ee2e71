/* worker.h - who runs a trial: "HOST:BOOT:PID:START/SLOT".
 *
 * The start time makes a process number unmistakable, the boot id makes it end
 * with the machine's run. So whether a worker of this host still lives can be told
 * for certain, and what a dead one left behind can be run again. */
#ifndef TC_PROGRAM_WORKER_H
#define TC_PROGRAM_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#define TC_WORKER_MAX 256

typedef enum tc_worker_fate {
    TC_WORKER_FOREIGN, /* another host, or not a name of this form: unknown */
    TC_WORKER_ALIVE,
    TC_WORKER_DEAD
} tc_worker_fate;

typedef struct tc_process_id {
    char host[128];
    char boot[64];
    long pid;
    char start[32]; /* clock ticks after boot, as /proc writes them */
} tc_process_id;

/* Who we are, and which processes of this host were found alive or dead: many trials of one
 * process cost one look at it. */
#define TC_CENSUS_SEEN 64
typedef struct tc_census {
    tc_process_id me;
    size_t n_seen; /* ever; the last TC_CENSUS_SEEN are kept */
    struct tc_census_entry {
        long pid;
        char start[32];
        bool alive;
    } seen[TC_CENSUS_SEEN];
} tc_census;

void tc_census_begin(tc_census *c);  /* reads who we are; nobody else is known */
void tc_census_forget(tc_census *c); /* time has passed: look at everybody anew */

void tc_worker_name(const tc_census *c, size_t slot, char out[TC_WORKER_MAX]); /* of this process */
tc_worker_fate tc_worker_look_up(tc_census *c, const char *name);              /* NULL: foreign */

#endif
