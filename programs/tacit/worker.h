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

void tc_worker_name(char out[TC_WORKER_MAX], size_t slot); /* of this process */
tc_worker_fate tc_worker_look_up(const char *name);        /* NULL: foreign */

#endif
