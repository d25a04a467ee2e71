/* listeners.c - many idle listeners of /v1/events: what they cost the server, and that none stays after
 * its client died.
 *
 * The server and the clients are processes of their own. The clients are killed, not ended; afterwards
 * the server's open files are counted until they are as many as before, or two heartbeats have passed.
 *
 *     bench_listeners [listeners, 1000] [heartbeat in ms, 2000] */
#include "base/clock.h"
#include "base/error.h"
#include "net/server.h"
#include "support/crowd.h"
#include "support/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GOAL_MB = 25, AT_ONCE = 64 };

static void check(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "bench_listeners: %s\n", err->msg);
    exit(1);
}

/* bench_listeners serve FILE HEARTBEAT: the operator's token goes into the file. */
static int serve(const char *file, const char *heartbeat)
{
    tacit_error err;
    tc_store *store;
    tc_coord *coord;
    tc_certificate tls;
    tc_server *server;
    tc_text token = {0};
    bool made;
    check(tc_store_open(&store, "memory:", true, &err), &err);
    check(tc_coord_new(&coord, &(tc_coord_config){.store = store}, &err), &err);
    check(tc_coord_operator_token(coord, &token, &made, &err), &err);
    check(tc_certificate_get(store, "127.0.0.1", &tls, &err), &err);
    FILE *f = fopen(file, "w");
    if (!f || fputs(tc_text_get(&token), f) < 0 || fclose(f) != 0)
        return 1;
    tc_server_config cfg = {.coord = coord,
                            .listen = "127.0.0.1:0",
                            .tls = &tls,
                            .heartbeat_ms = (unsigned)strtoul(heartbeat, NULL, 10)};
    check(tc_server_start(&server, &cfg, &err), &err);
    bench_process_serve(tc_server_port(server));
    tc_server_stop(server);
    tc_text_fini(&token);
    tc_certificate_fini(&tls);
    tc_coord_free(coord);
    tc_store_close(store);
    return 0;
}

/* The clients' process: says a byte when all listen, and then waits to be killed. */
static void listen_until_killed(uint16_t port, size_t n, const char *token, int ready)
{
    char request[256];
    crowd_letter l = {.bytes = request};
    snprintf(request, sizeof request,
             "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n",
             token);
    l.n = strlen(request);
    crowd *c = crowd_connect(port, n, AT_ONCE);
    crowd_listen(c, &l);
    if (write(ready, "", 1) != 1)
        _exit(1);
    for (;;)
        if (crowd_drain(c, 1000) > 0)
            fprintf(stderr, "bench_listeners: a listener has ended\n");
}

static pid_t start_clients(uint16_t port, size_t n, const char *token)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        exit(1);
    pid_t pid = fork();
    if (pid == 0)
        listen_until_killed(port, n, token, ready[1]);
    close(ready[1]);
    if (pid < 0 || read(ready[0], &byte, 1) != 1)
        exit(1);
    close(ready[0]);
    return pid;
}

static void read_token(const char *file, char out[64])
{
    FILE *f = fopen(file, "r");
    if (!f || !fgets(out, 64, f))
        exit(1);
    fclose(f);
    unlink(file);
}

/* Open files beyond those of the start, once they are none or the time is up. */
static int left_after(pid_t server, int before, long ms, double *took_s)
{
    uint64_t start = tc_clock_ns();
    int left;
    do {
        usleep(50000);
        left = bench_process_usage(server).files - before;
        *took_s = (double)(tc_clock_ns() - start) * 1e-9;
    } while (left > 0 && *took_s * 1e3 < (double)ms);
    return left;
}

int main(int argc, char **argv)
{
    char file[] = "/tmp/tacit-listeners-XXXXXX", token[64];
    if (argc > 3 && strcmp(argv[1], "serve") == 0)
        return serve(argv[2], argv[3]);
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    const char *heartbeat = argc > 2 ? argv[2] : "2000";
    long beat = strtol(heartbeat, NULL, 10);
    double took;
    close(mkstemp(file));
    bench_process s =
        bench_process_start((const char *const[]){argv[0], "serve", file, heartbeat, NULL});
    read_token(file, token);
    bench_usage before = bench_process_usage(s.pid);
    pid_t clients = start_clients(s.port, n, token);
    usleep((useconds_t)(2500 * beat)); /* two heartbeats at least */
    bench_usage with = bench_process_usage(s.pid);
    double mb = (with.peak_mb - before.now_mb) * 1.048576;
    printf("%zu listeners: %.1f MB, %.1f kB each; goal %d MB: %.2f of it\n", n, mb,
           mb * 1e3 / (double)n, GOAL_MB, mb / GOAL_MB);
    printf("%d connections open; processor time of the server: %.2f s\n", with.files - before.files,
           with.user_s + with.system_s - before.user_s - before.system_s);
    kill(clients, SIGKILL);
    waitpid(clients, NULL, 0);
    int left = left_after(s.pid, before.files, 2 * beat + 5000, &took);
    printf("killed: %d connections left after %.1f s, with a heartbeat every %.1f s\n", left, took,
           (double)beat * 1e-3);
    bench_process_end(&s);
    return left > 0;
}
