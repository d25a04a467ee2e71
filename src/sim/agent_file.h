/* agent_file.h - the file of `tacit simulate --by-agent`, read back: a curve for every agent.
 *
 * federated_file.h writes it: run,agent,iteration,simple_regret,cumulative_regret,evaluations,
 * with a label first where several algorithms were compared; evaluations may be missing. What is kept of an agent is its mean over runs. */
#ifndef TC_SIM_AGENT_FILE_H
#define TC_SIM_AGENT_FILE_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

/* The agents of one algorithm. Agent a has n numbers from a * n on. */
typedef struct tc_agent_curves {
    char *label; /* NULL: the file has none */
    size_t runs, agents, n;
    double *iteration;                     /* n */
    double *simple, *cumulative;           /* agents x n */
    double *simple_mean, *cumulative_mean; /* n: over all agents */
} tc_agent_curves;

typedef struct tc_agent_file {
    size_t n, cap;
    tc_agent_curves *items;
} tc_agent_file;

/* Does it begin as such a file does? */
bool tc_agent_file_is(const char *text, size_t len);
/* E_ARG: it is none, or rows are missing. Iterations without a regret are left out. End *out with
 * tc_agent_file_fini, also after a failure. */
tacit_status tc_agent_file_read(tc_agent_file *out, const char *text, size_t len, const char *what,
                                tacit_error *err);
void tc_agent_file_fini(tc_agent_file *f);

#endif
