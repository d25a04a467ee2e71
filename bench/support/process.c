/* process.c - see process.h. */
#include "process.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
    perror(what);
    exit(1);
}

bench_process bench_process_start(const char *const *args)
{
    int in[2], out[2];
    char line[32] = "";
    if (pipe(in) != 0 || pipe(out) != 0)
        die("bench: pipe");
    bench_process p = {.pid = fork(), .in = in[1]};
    if (p.pid < 0)
        die("bench: fork");
    if (p.pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        execv("/proc/self/exe", (char *const *)args);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    ssize_t n = read(out[0], line, sizeof line - 1);
    close(out[0]);
    p.port = (uint16_t)(n > 0 ? strtoul(line, NULL, 10) : 0);
    if (p.port == 0) {
        fprintf(stderr, "bench: the server did not start\n");
        exit(1);
    }
    return p;
}

void bench_process_serve(uint16_t port)
{
    char byte;
    printf("%" PRIu16 "\n", port);
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
}

void bench_process_end(bench_process *p)
{
    close(p->in);
    waitpid(p->pid, NULL, 0);
}

/* ---- /proc ---- */

static void read_file(pid_t pid, const char *name, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(out, 1, size - 1, f) : 0;
    out[n] = 0;
    if (f)
        fclose(f);
}

static double kilobytes(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtod(at + strlen(name), NULL) : 0;
}

static int count_files(pid_t pid)
{
    char path[64];
    int n = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

bench_usage bench_process_usage(pid_t pid)
{
    char text[4096];
    bench_usage u = {.files = count_files(pid)};
    unsigned long user = 0, system = 0;
    read_file(pid, "stat", text, sizeof text);
    const char *after = strrchr(text, ')'); /* the name may have blanks */
    if (after)
        sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    u.user_s = (double)user / (double)sysconf(_SC_CLK_TCK);
    u.system_s = (double)system / (double)sysconf(_SC_CLK_TCK);
    read_file(pid, "status", text, sizeof text);
    u.now_mb = kilobytes(text, "VmRSS:") / 1024;
    u.peak_mb = kilobytes(text, "VmHWM:") / 1024;
    return u;
}
