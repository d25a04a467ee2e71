/* Three hospitals tune a model together, and a coordinator adds the noise: all in one process.
 *
 * Each hospital has its own loss, which nobody else sees. What leaves an agent is a clipped vector; what leaves
 * the coordinator is the sum of all vectors with noise. In a deployment the four are four processes: the coordinator is
 * behind tacit_server_start, and agents give its URL instead of `here`.
 *
 *     cc 07_three_agents.c $(pkg-config --cflags --libs tacit-net) -o three_agents && ./three_agents */
#include <tacit/agent.h>
#include <tacit/coordinator.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOSPITALS = 3 };

static const char document[] =
    "{\"name\": \"ward\", \"direction\": \"minimize\", \"trials\": 8,"
    " \"space\": {\"dose\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
    "             \"rate\": {\"type\": \"float\", \"low\": 0.001, \"high\": 1, \"log\": true}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\"},"
    " \"federation\": {\"agents\": 3},"
    " \"privacy\": {\"epsilon\": 8, \"delta\": 1e-5}}";

static void must(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "%s\n", err->msg);
    exit(tacit_status_exit(status));
}

/* The loss of one hospital: its best dose is a little off that of the others. */
static double loss(int hospital, const double *values)
{
    double dose = values[0] - 0.3 - 0.02 * hospital, rate = values[1] - 0.1;
    return dose * dose + rate * rate;
}

/* Evaluates the trials of one agent until it has to wait for the others, or is done. */
static bool work(tacit_agent *agent, int hospital, tacit_error *err)
{
    for (;;) {
        tacit_agent_next next;
        uint64_t trial;
        double values[2];
        must(tacit_agent_step(agent, 0, &next, err), err);
        if (next != TACIT_AGENT_TRIAL)
            return next == TACIT_AGENT_DONE;
        tacit_study *mine = tacit_agent_study(agent);
        must(tacit_study_ask(mine, &trial, values, err), err);
        must(tacit_study_tell(mine, trial, loss(hospital, values), err), err);
    }
}

int main(void)
{
    tacit_error err = {0};
    tacit_coordinator *coordinator = NULL;
    tacit_agent *agents[HOSPITALS] = {NULL};
    char *token = NULL, *promise = NULL;
    int done = 0;

    tacit_coordinator_opts at = TACIT_COORDINATOR_OPTS;
    at.storage = "memory:";
    must(tacit_coordinator_open(&coordinator, &at, &err), &err);
    must(tacit_coordinator_create(coordinator, document, &err), &err);
    must(tacit_coordinator_invite(coordinator, "ward", HOSPITALS, 0, &token, &err), &err);

    for (int i = 0; i < HOSPITALS; i++) {
        tacit_agent_opts opts = TACIT_AGENT_OPTS;
        opts.here = coordinator;
        opts.study = "ward";
        opts.storage = "memory:";
        opts.join_token = token;
        must(tacit_agent_join(&agents[i], &opts, &err), &err);
    }
    must(tacit_agent_promise(agents[0], &promise, &err), &err);
    printf("%s.\n", promise);

    while (done < HOSPITALS) {
        done = 0;
        for (int i = 0; i < HOSPITALS; i++)
            done += work(agents[i], i, &err);
        must(tacit_coordinator_tick(coordinator, NULL, &err), &err);
    }
    for (int i = 0; i < HOSPITALS; i++) {
        tacit_trial *best = NULL;
        must(tacit_study_best(tacit_agent_study(agents[i]), &best, &err), &err);
        printf("hospital %d: loss %.4f at dose %.2f, rate %.3f\n", i, best->value, best->values[0],
               best->values[1]);
        tacit_trial_free(best);
        tacit_agent_close(agents[i]);
    }
    tacit_text_free(promise);
    tacit_text_free(token);
    tacit_coordinator_close(coordinator);
    return 0;
}
