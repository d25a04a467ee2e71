/* process.h - who runs a trial: "HOST:BOOT:PID:START/SLOT", or "/SLOT.RUN" in a process that has run several workers.
 *
 * The start time makes a process number unmistakable, the boot id makes it end
 * with the machine's run. So whether a worker of this host still lives can be told
 * for certain, and what a dead one left behind can be run again. So can what a run of this process left that has
 * ended. */
#ifndef TC_WORKER_PROCESS_H
#define TC_WORKER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* This process, and which processes of this host were found alive or dead: many trials of one
 * process cost one look at it. */
#define TC_PROCESSES_SEEN 64
typedef struct tc_processes {
    tc_process_id me;
    uint64_t run;              /* which of this process, from 0 on */
    struct tc_processes *next; /* of those that have not ended */
    size_t n_seen;             /* ever; the last TC_PROCESSES_SEEN are kept */
    struct tc_process_seen {
        long pid;
        char start[32];
        bool alive;
    } seen[TC_PROCESSES_SEEN];
} tc_processes;

/* Reads who we are, a run of our own; nobody else is known. Stays where it is until its end. */
void tc_processes_begin(tc_processes *c);
void tc_processes_end(tc_processes *c);    /* all-zero is allowed */
void tc_processes_forget(tc_processes *c); /* time has passed: look at everybody anew */

void tc_processes_name(const tc_processes *c, size_t slot,
                       char out[TC_WORKER_MAX]);                        /* of this process */
tc_worker_fate tc_processes_look_up(tc_processes *c, const char *name); /* NULL: foreign */

#endif
