/* process.c - see process.h. Linux: /proc. */
#include "worker/process.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first line of a file, without its end; false: not readable. */
static bool read_line(const char *path, char *out, int size)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool ok = fgets(out, size, f) != NULL;
    fclose(f);
    if (ok)
        out[strcspn(out, "\n")] = '\0';
    return ok;
}

/* State (field 3) and start time (field 22) of a process. The command, field 2, is in
 * parentheses and may hold anything: count from the last one. */
static bool read_stat(long pid, char *state, char *start, size_t size)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!read_line(path, line, sizeof line))
        return false;
    char *at = strrchr(line, ')');
    if (!at || at[1] != ' ' || at[2] == '\0')
        return false;
    *state = at[2];
    char *save = NULL, *field = strtok_r(at + 2, " ", &save);
    for (int i = 3; field && i < 22; i++)
        field = strtok_r(NULL, " ", &save);
    if (!field)
        return false;
    snprintf(start, size, "%s", field);
    return true;
}

/* ---- runs of this process ---- */

/* Global, since runs of one process must know each other: they could not be told apart otherwise. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tc_processes *going_on;
static uint64_t begun;

static void enter(tc_processes *c)
{
    pthread_mutex_lock(&lock);
    c->run = begun++;
    c->next = going_on;
    going_on = c;
    pthread_mutex_unlock(&lock);
}

void tc_processes_end(tc_processes *c)
{
    pthread_mutex_lock(&lock);
    for (tc_processes **at = &going_on; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* Does this run of ours, "SLOT" or "SLOT.RUN", go on? */
static bool goes_on(const char *slot)
{
    const char *dot = strchr(slot, '.');
    uint64_t run = dot ? strtoull(dot + 1, NULL, 10) : 0;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const tc_processes *c = going_on; c && !found; c = c->next)
        found = c->run == run;
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- */

void tc_processes_begin(tc_processes *c)
{
    tc_process_id *me = &c->me;
    char state;
    *c = (tc_processes){0};
    if (gethostname(me->host, sizeof me->host) != 0)
        snprintf(me->host, sizeof me->host, "-");
    me->host[sizeof me->host - 1] = '\0';
    if (!read_line("/proc/sys/kernel/random/boot_id", me->boot, sizeof me->boot))
        snprintf(me->boot, sizeof me->boot, "-");
    me->pid = (long)getpid();
    if (!read_stat(me->pid, &state, me->start, sizeof me->start))
        snprintf(me->start, sizeof me->start, "-");
    enter(c);
}

void tc_processes_forget(tc_processes *c)
{
    c->n_seen = 0;
}

void tc_processes_name(const tc_processes *c, size_t slot, char out[TC_WORKER_MAX])
{
    const tc_process_id *me = &c->me;
    int n = snprintf(out, TC_WORKER_MAX, "%s:%s:%ld:%s/%zu", me->host, me->boot, me->pid, me->start,
                     slot);
    if (c->run > 0 && n > 0 && n < TC_WORKER_MAX)
        snprintf(out + n, TC_WORKER_MAX - (size_t)n, ".%" PRIu64, c->run);
}

/* Copies the part of `name` up to `end` and moves past it; false: too long or absent. */
static bool take_part(const char **name, char end, char *out, size_t size)
{
    const char *stop = strchr(*name, end);
    if (!stop || stop == *name || (size_t)(stop - *name) >= size)
        return false;
    memcpy(out, *name, (size_t)(stop - *name));
    out[stop - *name] = '\0';
    *name = stop + 1;
    return true;
}

static bool parse(const char *name, tc_process_id *out)
{
    char pid[32], *end;
    if (!take_part(&name, ':', out->host, sizeof out->host) ||
        !take_part(&name, ':', out->boot, sizeof out->boot) ||
        !take_part(&name, ':', pid, sizeof pid) ||
        !take_part(&name, '/', out->start, sizeof out->start))
        return false;
    out->pid = strtol(pid, &end, 10);
    return *end == '\0' && out->pid > 0;
}

/* A zombie is dead; a process that we may not look at is alive. */
static bool is_alive(const tc_process_id *w)
{
    char state, start[32];
    if (read_stat(w->pid, &state, start, sizeof start))
        return state != 'Z' && state != 'X' && strcmp(start, w->start) == 0;
    return kill((pid_t)w->pid, 0) == 0 || errno == EPERM;
}

static bool was_alive(tc_processes *c, const tc_process_id *w)
{
    size_t kept = c->n_seen < TC_PROCESSES_SEEN ? c->n_seen : TC_PROCESSES_SEEN;
    for (size_t i = 0; i < kept; i++)
        if (c->seen[i].pid == w->pid && strcmp(c->seen[i].start, w->start) == 0)
            return c->seen[i].alive;
    struct tc_process_seen *e = &c->seen[c->n_seen++ % TC_PROCESSES_SEEN];
    e->pid = w->pid;
    memcpy(e->start, w->start, sizeof e->start);
    e->alive = is_alive(w);
    return e->alive;
}

tc_worker_fate tc_processes_look_up(tc_processes *c, const char *name)
{
    tc_process_id w;
    if (!name || !parse(name, &w) || strcmp(w.host, c->me.host) != 0)
        return TC_WORKER_FOREIGN;
    if (strcmp(w.boot, c->me.boot) != 0)
        return TC_WORKER_DEAD;
    if (w.pid == c->me.pid && strcmp(w.start, c->me.start) == 0)
        return goes_on(strchr(name, '/') + 1) ? TC_WORKER_ALIVE : TC_WORKER_DEAD;
    return was_alive(c, &w) ? TC_WORKER_ALIVE : TC_WORKER_DEAD;
}
