/* A coordinator inside a program of your own: it serves over TLS, and an agent that knows its fingerprint takes part.
 *
 * Here both are in one process, so that the example runs by itself. Elsewhere the agent is another program on
 * another machine, which was given the URL, the fingerprint and the token.
 *
 *     cc 08_coordinator.c $(pkg-config --cflags --libs tacit-net) -o coordinator && ./coordinator */
#include <tacit/agent.h>
#include <tacit/coordinator.h>

#include <stdio.h>
#include <stdlib.h>

/* One party alone has nobody to hear; the protocol is the same for a thousand. */
static const char document[] =
    "{\"name\": \"trial\", \"direction\": \"minimize\", \"trials\": 10,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"fts\"}, \"federation\": {\"agents\": 1}, \"privacy\": \"none\"}";

static void must(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "%s\n", err->msg);
    exit(tacit_status_exit(status));
}

static tacit_status evaluate(void *user, uint64_t trial, const double *values, double *value,
                             tacit_error *err)
{
    int *evaluated = user;
    (void)trial, (void)err;
    ++*evaluated;
    *value = (values[0] - 0.25) * (values[0] - 0.25);
    return TACIT_OK;
}

static void take_part(const tacit_server *server, const char *token, tacit_error *err)
{
    tacit_agent *agent = NULL;
    tacit_agent_opts opts = TACIT_AGENT_OPTS;
    int evaluated = 0;
    opts.coordinator = tacit_server_url(server);
    opts.fingerprint = tacit_server_fingerprint(server);
    opts.study = "trial";
    opts.storage = "memory:"; /* a real agent keeps a file */
    opts.join_token = token;
    opts.accept_not_private = true; /* the document says "none" */
    must(tacit_agent_join(&agent, &opts, err), err);
    must(tacit_agent_run(agent, evaluate, &evaluated, err), err);
    printf("agent %llu evaluated %d points\n", (unsigned long long)tacit_agent_number(agent),
           evaluated);
    tacit_agent_close(agent);
}

int main(void)
{
    tacit_error err = {0};
    tacit_coordinator *coordinator = NULL;
    tacit_server *server = NULL;
    tacit_response *answer = NULL;
    char *token = NULL;

    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    opts.storage = "memory:"; /* a real one keeps a file or a database */
    must(tacit_coordinator_open(&coordinator, &opts, &err), &err);
    must(tacit_coordinator_create(coordinator, document, &err), &err);
    must(tacit_coordinator_invite(coordinator, "trial", 1, 3600, &token, &err), &err);

    tacit_server_opts at = TACIT_SERVER_OPTS;
    at.listen = "127.0.0.1:0";
    must(tacit_server_start(&server, coordinator, &at, &err), &err);
    take_part(server, token, &err);

    /* A program that has a web server of its own hands requests on instead. */
    tacit_request health = TACIT_REQUEST;
    health.method = "GET";
    health.path = "/healthz";
    must(tacit_coordinator_handle(coordinator, &health, &answer, &err), &err);
    printf("/healthz says %d\n", tacit_response_status(answer));

    tacit_response_free(answer);
    tacit_text_free(token);
    tacit_server_stop(server);
    tacit_coordinator_close(coordinator);
    return 0;
}
