/* agent_talk.h - what `tacit agent` says on standard error while it works and at the end. For agent.c.
 *
 * On a terminal one line is redrawn: trials, the best one, the round, for whom it waits, what of epsilon is spent. Else
 * each event is a plain line. What a person must know is a line in both: notes, and a message that is withheld. */
#ifndef TC_PROGRAM_AGENT_TALK_H
#define TC_PROGRAM_AGENT_TALK_H

#include "study/worker_talk.h"

#include <tacit/agent.h>

/* All-zero but `quiet` before start: then notes are written, and nothing else. */
typedef struct tc_agent_talk {
    bool quiet;
    tc_worker_talk worker;
    tacit_agent *agent;
    uint64_t planned, finished;
    char best[32], point[224], round[96], spent[96]; /* as the line has them */
    char spent_at[160];                              /* the same for a plain line */
} tc_agent_talk;

void tc_agent_talk_start(tc_agent_talk *t, tacit_agent *agent);
void tc_agent_talk_end(tc_agent_talk *t);

/* `listen` of tacit_agent_opts, and of tacit_worker_opts; user is a tc_agent_talk. */
void tc_agent_talk_round(void *user, const tacit_agent_event *e);
void tc_agent_talk_trial(void *user, const tacit_worker_event *e);
void tc_agent_talk_note(void *user, const char *text);
/* Several times a second: the line as it is by now. */
void tc_agent_talk_tick(tc_agent_talk *t);

/* E_BUDGET: the agent's own ledger has refused messages of this study, how many and why. */
tacit_status tc_agent_talk_withheld(const char *storage, const char *study, tacit_error *err);

#endif
