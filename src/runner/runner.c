/* runner.c - see runner.h.
 *
 * A fixed table of jobs and one poll over their pipes and pidfds. No signal
 * handler, no thread: who calls tc_runner_wait drives everything. */
#include "runner/runner.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "runner/environment.h"
#include "runner/foreign.h"
#include "runner/launch.h"
#include "runner/outcome.h"
#include "runner/template.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t MS = 1000000;   /* nanoseconds */
static const size_t DRAIN = 1u << 21; /* no pipe holds more: a noisy grandchild must not hold us */

enum { LINE_MOST = 1024 };

typedef struct job {
    tc_process process; /* pid 0: the slot is free */
    uint64_t trial;
    uint64_t due_ns; /* when it gets its next signal; 0: never */
    bool timed_out;
    bool pruned; /* a listener said so */
    tc_tail output, errors;
    char line[LINE_MOST]; /* the beginning of the line that is being written */
    size_t line_len;      /* LINE_MOST: it is too long to be an intermediate value */
} job;

struct tc_runner {
    const tc_space *space;
    tc_template *command;
    size_t jobs, running;
    int64_t timeout_ms;
    int input;                /* or -1 */
    bool silent;              /* tc_runner_silence */
    bool heard;               /* tc_runner_hear_errors */
    const char *name, *value; /* of one more variable; or NULL */
    tc_runner_check check;
    tc_runner_listener listener;
    const char *outcomes[TC_JOB_OUTCOMES_MOST]; /* names of them ... */
    size_t n_outcomes;                          /* ... 0: one value */
    job *job;                                   /* `jobs` of them */
    struct pollfd *polled;                      /* three per job: output, errors, pidfd */
};
enum { OUTPUT, ERRORS, ENDED, POLLED };

static tacit_status check_program(const tc_runner *r, tacit_error *err)
{
    const char *name = tc_template_literal(r->command, 0);
    tc_text path = {0};
    tacit_status status = name ? tc_program_find(name, &path, err) : TACIT_OK;
    tc_text_fini(&path);
    return status;
}

tacit_status tc_runner_new(tc_runner **out, const tc_space *space, char *const *argv, size_t jobs,
                           int64_t timeout_ms, tacit_error *err)
{
    tc_runner *r = tc_alloc(1, sizeof *r);
    if (!r)
        return tc_fail_memory(err);
    r->space = space;
    r->jobs = jobs;
    r->timeout_ms = timeout_ms;
    r->input = -1;
    r->job = tc_alloc(jobs, sizeof *r->job);
    r->polled = tc_alloc(POLLED * jobs, sizeof *r->polled);
    tacit_status status = r->job && r->polled ? TACIT_OK : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = tc_template_new(&r->command, space, argv, err);
    if (status == TACIT_OK)
        status = check_program(r, err);
    if (status != TACIT_OK) {
        tc_runner_free(r);
        return status;
    }
    *out = r;
    return TACIT_OK;
}

void tc_runner_free(tc_runner *r)
{
    if (!r)
        return;
    tc_runner_stop(r, 0);
    tc_template_free(r->command);
    tc_free(r->job);
    tc_free(r->polled);
    tc_free(r);
}

tacit_status tc_runner_check_foreign(const tc_runner *r, tacit_error *err)
{
    if (tc_template_has_choice(r->command, 0))
        return tc_fail(
            err, TACIT_E_ARG,
            "the name of the program has a choice of the coordinator's study in it, which "
            "would choose what runs here; --any-choices allows it");
    return tc_choices_check(r->space, err);
}

void tc_runner_set_input(tc_runner *r, int fd)
{
    r->input = fd;
}

void tc_runner_set_outcomes(tc_runner *r, const char *const *names, size_t n)
{
    memcpy(r->outcomes, names, n * sizeof *names);
    r->n_outcomes = n;
}

void tc_runner_set_check(tc_runner *r, tc_runner_check check)
{
    r->check = check;
}

void tc_runner_set_listener(tc_runner *r, tc_runner_listener listener)
{
    r->listener = listener;
}

void tc_runner_silence(tc_runner *r)
{
    r->silent = true;
}

void tc_runner_hear_errors(tc_runner *r)
{
    r->heard = true;
}

void tc_runner_set_variable(tc_runner *r, const char *name, const char *value)
{
    r->name = name;
    r->value = value;
}

static char *arena_text(tc_arena *a, tc_text *t)
{
    if (t->failed)
        a->failed = true;
    char *s = tc_arena_strdup(a, tc_text_get(t));
    tc_text_fini(t);
    return s;
}

static char **make_argv(const tc_runner *r, uint64_t trial, const double *values, tc_arena *a)
{
    size_t n = tc_template_words(r->command);
    char **argv = TC_TAKE(a, n + 2, char *); /* a spare word in front, NULL behind */
    size_t kept = 0;
    for (size_t i = 0; argv && i < n; i++) {
        tc_text word = {0};
        if (tc_template_leaves_out(r->command, i, values))
            continue;
        tc_template_write(r->command, i, trial, values, &word);
        argv[1 + kept++] = arena_text(a, &word);
    }
    return argv ? argv + 1 : NULL;
}

static char *params_variable(const tc_runner *r, const double *values, tc_arena *a)
{
    json_t *params = tc_space_values_json(r->space, values);
    char *json = params ? tc_json_text(params) : NULL;
    json_decref(params);
    tc_text t = {.failed = !json};
    if (json)
        tc_text_addf(&t, "TACIT_PARAMS=%s", json);
    tc_free(json);
    return arena_text(a, &t);
}

static bool is_named(const char *variable, const char *name)
{
    size_t n = strcspn(variable, "=");
    return name && strlen(name) == n && memcmp(variable, name, n) == 0;
}

static char **make_envp(const tc_runner *r, uint64_t trial, const double *values, tc_arena *a)
{
    size_t n = 0, k = 0;
    while (environ[n])
        n++;
    char **envp = TC_TAKE(a, n + 4, char *);
    if (!envp)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (tc_environment_passes(environ[i]) && !is_named(environ[i], r->name))
            envp[k++] = environ[i];
    tc_text t = {0};
    if (r->name) {
        tc_text_addf(&t, "%s=%s", r->name, r->value);
        envp[k++] = arena_text(a, &t);
    }
    tc_text_addf(&t, "TACIT_TRIAL=%" PRIu64, trial);
    envp[k++] = arena_text(a, &t);
    envp[k++] = params_variable(r, values, a);
    return envp;
}

static job *free_slot(tc_runner *r)
{
    for (size_t i = 0; i < r->jobs; i++)
        if (r->job[i].process.pid == 0)
            return &r->job[i];
    return NULL;
}

static tacit_status launch(tc_runner *r, job *j, uint64_t trial, const double *values,
                           tacit_error *err)
{
    tc_arena a = {0};
    tc_text path = {0};
    tc_launch l = {.argv = make_argv(r, trial, values, &a),
                   .envp = make_envp(r, trial, values, &a),
                   .in_fd = r->input,
                   .silent = r->silent,
                   .heard = r->heard && !r->silent};
    tacit_status status =
        a.failed || !l.argv ? tc_fail_memory(err) : tc_program_find(l.argv[0], &path, err);
    if (status == TACIT_OK) {
        l.path = tc_text_get(&path);
        status = tc_launch_start(&l, &j->process, err);
    }
    tc_text_fini(&path);
    tc_arena_fini(&a);
    return status;
}

tacit_status tc_runner_start(tc_runner *r, uint64_t trial, const double *values, tacit_error *err)
{
    job *j = free_slot(r);
    if (!j)
        return tc_fail(err, TACIT_E_STATE, "all %zu jobs are running", r->jobs);
    TC_TRY(launch(r, j, trial, values, err));
    j->trial = trial;
    j->due_ns = r->timeout_ms > 0 ? tc_clock_ns() + (uint64_t)r->timeout_ms * MS : 0;
    r->running++;
    return TACIT_OK;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Whoever does not take our standard error loses it, as from us. */
static void pass_on(const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(STDERR_FILENO, bytes, n);
        if (done < 0 && errno != EINTR)
            return;
        bytes += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
}

/* ---- intermediate values ---- */

/* SIGTERM now, SIGKILL when the grace is over (signal_late). */
static void end_early(job *j)
{
    j->pruned = true;
    kill(-j->process.pid, SIGTERM);
    j->due_ns = tc_clock_ns() + TC_RUNNER_GRACE_MS * MS;
}

static void say_stray(const tc_runner *r, const job *j, size_t len)
{
    char line[160];
    if (!r->listener.strays || !tc_outcome_strays(j->line, len))
        return;
    tc_outcome_last_line(j->line, len, line, sizeof line);
    r->listener.strays(r->listener.user, j->trial, line);
}

static void end_line(const tc_runner *r, job *j)
{
    uint64_t step;
    double value;
    size_t len = j->line_len;
    j->line_len = 0;
    if (len == LINE_MOST || j->pruned || j->timed_out)
        return;
    if (!tc_outcome_step(j->line, len, &step, &value))
        say_stray(r, j, len);
    else if (r->listener.step(r->listener.user, j->trial, step, value))
        end_early(j);
}

static void hear(const tc_runner *r, job *j, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == '\n')
            end_line(r, j);
        else if (j->line_len < LINE_MOST)
            j->line[j->line_len++] = bytes[i];
}

static void end_hearing(const tc_runner *r, job *j)
{
    if (r->listener.heard && !j->pruned && !j->timed_out &&
        r->listener.heard(r->listener.user, j->trial))
        end_early(j);
}

/* ---- pipes ---- */

typedef enum stream { STANDARD_OUTPUT, STANDARD_ERROR } stream;

static void take(const tc_runner *r, job *j, stream which, const char *bytes, size_t n)
{
    tc_tail_add(which == STANDARD_OUTPUT ? &j->output : &j->errors, bytes, n);
    if (which == STANDARD_ERROR)
        pass_on(bytes, n);
    else if (r->listener.step)
        hear(r, j, bytes, n);
}

/* Takes what a pipe holds now. */
static void read_pipe(const tc_runner *r, job *j, stream which)
{
    int *fd = which == STANDARD_OUTPUT ? &j->process.out_fd : &j->process.err_fd;
    char chunk[4096];
    size_t total = 0;
    while (*fd >= 0 && total < DRAIN) {
        ssize_t n = read(*fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            close_end(fd);
            return;
        }
        take(r, j, which, chunk, (size_t)n);
        total += (size_t)n;
    }
}

static void read_pipes(const tc_runner *r, job *j)
{
    read_pipe(r, j, STANDARD_OUTPUT);
    read_pipe(r, j, STANDARD_ERROR);
    end_hearing(r, j);
}

/* Waits for a job that has ended or was killed, and frees its slot. What it leaves of its
 * group is killed first, while its number cannot belong to anybody else. */
static int reap(tc_runner *r, job *j, bool kill_group)
{
    int status = 0;
    if (kill_group)
        kill(-j->process.pid, SIGKILL);
    while (waitpid(j->process.pid, &status, 0) < 0 && errno == EINTR)
        ;
    read_pipe(r, j, STANDARD_ERROR); /* its last words, also where it was stopped */
    close_end(&j->process.out_fd);
    close_end(&j->process.err_fd);
    close(j->process.pidfd);
    tc_tail_fini(&j->output);
    tc_tail_fini(&j->errors);
    *j = (job){0};
    r->running--;
    return status;
}

/* Says in out->reason why the process failed; false if it did not. */
static bool failed_process(const tc_runner *r, int status, bool timed_out, tc_job_result *out)
{
    if (timed_out)
        snprintf(out->reason, sizeof out->reason, "timed out after %g s",
                 (double)r->timeout_ms / 1000);
    else if (WIFSIGNALED(status))
        snprintf(out->reason, sizeof out->reason, "killed by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        snprintf(out->reason, sizeof out->reason, "exit status %d", WEXITSTATUS(status));
    else
        return false;
    return true;
}

static bool read_outcomes(const tc_runner *r, const char *text, size_t len, tc_job_result *out)
{
    bool ok = tc_outcome_values(text, len, r->outcomes, r->n_outcomes, out->outcomes, out->reason,
                                sizeof out->reason);
    out->value = out->outcomes[0];
    return ok;
}

static bool read_value(const tc_runner *r, const tc_tail *output, tc_job_result *out)
{
    size_t len;
    const char *text = tc_tail_get(output, &len);
    if (r->n_outcomes > 0)
        return read_outcomes(r, text, len, out);
    if (!tc_outcome_value(text, len, &out->value, out->reason, sizeof out->reason))
        return false;
    if (!r->check.accepts)
        return true;
    json_t *said = tc_outcome_object(text, len);
    bool ok = r->check.accepts(r->check.user, said, out->reason, sizeof out->reason);
    json_decref(said);
    if (!ok)
        tc_outcome_clean(out->reason);
    return ok;
}

static void read_errors(const tc_tail *errors, tc_job_result *out)
{
    size_t len;
    const char *text = tc_tail_get(errors, &len);
    tc_outcome_last_line(text, len, out->said, sizeof out->said);
}

static tacit_status finish(tc_runner *r, job *j, tc_job_result *out, tacit_error *err)
{
    read_pipes(r, j);
    if (r->listener.step)
        end_line(r, j); /* the last one may have no end */
    end_hearing(r, j);
    bool timed_out = j->timed_out, pruned = j->pruned, no_memory = j->output.failed;
    *out = (tc_job_result){.trial = j->trial};
    out->ok = read_value(r, &j->output, out);
    read_errors(&j->errors, out);
    int status = reap(r, j, timed_out || pruned);
    if (no_memory)
        return tc_fail_memory(err);
    if (pruned)
        *out = (tc_job_result){.trial = out->trial, .pruned = true};
    else if (failed_process(r, status, timed_out, out))
        out->ok = false;
    if (!out->ok)
        out->value = 0;
    return TACIT_OK;
}

/* SIGTERM when the time is up, SIGKILL when the grace is. */
static void signal_late(tc_runner *r, uint64_t now)
{
    for (size_t i = 0; i < r->jobs; i++) {
        job *j = &r->job[i];
        if (j->process.pid == 0 || j->due_ns == 0 || now < j->due_ns)
            continue;
        bool warned = j->timed_out || j->pruned;
        kill(-j->process.pid, warned ? SIGKILL : SIGTERM);
        j->due_ns = warned ? 0 : now + TC_RUNNER_GRACE_MS * MS;
        j->timed_out = !j->pruned;
    }
}

/* Milliseconds until `until`, the next signal or the next event, whichever is first. */
static int poll_time(const tc_runner *r, uint64_t now, uint64_t until)
{
    for (size_t i = 0; i < r->jobs; i++)
        if (r->job[i].process.pid != 0 && r->job[i].due_ns != 0 && r->job[i].due_ns < until)
            until = r->job[i].due_ns;
    if (until == UINT64_MAX)
        return -1;
    if (until <= now)
        return 0;
    uint64_t ms = (until - now + MS - 1) / MS;
    return ms > 3600000 ? 3600000 : (int)ms;
}

/* Sleeps until something moves and takes the output there is. False: a signal came. */
static bool poll_jobs(tc_runner *r, int time_ms)
{
    for (size_t i = 0; i < r->jobs; i++) {
        const job *j = &r->job[i];
        bool used = j->process.pid != 0;
        const int fds[POLLED] = {
            [OUTPUT] = j->process.out_fd, [ERRORS] = j->process.err_fd, [ENDED] = j->process.pidfd};
        for (size_t k = 0; k < POLLED; k++)
            r->polled[POLLED * i + k] = (struct pollfd){.fd = used ? fds[k] : -1, .events = POLLIN};
    }
    int n = poll(r->polled, POLLED * r->jobs, time_ms);
    if (n < 0)
        return false;
    for (size_t i = 0; i < r->jobs; i++)
        if (r->polled[POLLED * i + OUTPUT].revents || r->polled[POLLED * i + ERRORS].revents)
            read_pipes(r, &r->job[i]);
    return true;
}

/* A job that the last poll saw end; NULL: none. */
static job *ended_job(tc_runner *r)
{
    for (size_t i = 0; i < r->jobs; i++)
        if (r->job[i].process.pid != 0 && r->polled[POLLED * i + ENDED].revents != 0)
            return &r->job[i];
    return NULL;
}

tacit_status tc_runner_wait(tc_runner *r, int64_t wait_ms, tc_job_result *out, bool *done,
                            tacit_error *err)
{
    uint64_t now = tc_clock_ns();
    uint64_t until = wait_ms < 0 ? UINT64_MAX : now + (uint64_t)wait_ms * MS;
    *done = false;
    while (r->running > 0) {
        signal_late(r, now);
        if (!poll_jobs(r, poll_time(r, now, until)))
            return TACIT_OK;
        job *j = ended_job(r);
        if (j) {
            *done = true;
            return finish(r, j, out, err);
        }
        now = tc_clock_ns();
        if (now >= until)
            return TACIT_OK;
    }
    return TACIT_OK;
}

static void signal_all(tc_runner *r, int number)
{
    for (size_t i = 0; i < r->jobs; i++)
        if (r->job[i].process.pid != 0)
            kill(-r->job[i].process.pid, number);
}

void tc_runner_stop(tc_runner *r, int64_t grace_ms)
{
    if (grace_ms > 0 && r->running > 0)
        signal_all(r, SIGTERM);
    uint64_t now = tc_clock_ns();
    uint64_t until = now + (uint64_t)grace_ms * MS;
    while (grace_ms > 0 && r->running > 0 && now < until) {
        if (poll_jobs(r, (int)((until - now) / MS) + 1))
            for (job *j; (j = ended_job(r)) != NULL;)
                reap(r, j, true);
        now = tc_clock_ns();
    }
    for (size_t i = 0; r->job && i < r->jobs; i++)
        if (r->job[i].process.pid != 0)
            reap(r, &r->job[i], true);
}
