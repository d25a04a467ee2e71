/* runner.h - evaluates a trial by running a program.
 *
 * The command is a template: "{lr}" in any argument becomes the value of
 * parameter lr ("{{" and "}}" are literal braces); "{trial}" its number; words of inactive parameters may be
 * left out (template.h). No shell
 * is involved, and a choice may not stand in a word that a shell would read as code.
 * The program also finds TACIT_TRIAL (the number) and TACIT_PARAMS (the parameters
 * as a JSON object) in its environment, and nothing on standard input. It gets
 * neither our open files and connections nor our secrets (environment.h). The
 * value is the last number on the last non-empty line of standard output, or the
 * "value" of a JSON object there; what is not plainly a number makes the trial
 * fail, never fall back to an earlier line (outcome.h). Standard error passes
 * through to ours, or by us (tc_runner_hear_errors). A job never outlives a time-out: its process group gets SIGTERM, then
 * SIGKILL; and the program itself is killed when we die. One thread at a time. */
#ifndef TC_RUNNER_RUNNER_H
#define TC_RUNNER_RUNNER_H

#include "base/json.h"
#include "space/space.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tc_runner tc_runner;

enum { TC_JOB_OUTCOMES_MOST = 20 };
typedef struct tc_job_result {
    uint64_t trial;
    bool ok;
    bool pruned;  /* it was ended because a listener said so; then it is not ok */
    double value; /* ok */
    double outcomes[TC_JOB_OUTCOMES_MOST]; /* ok, where several are wanted: `value` first */
    char reason[256]; /* not ok: "exit status 3", "killed by signal 9", "timed out after 600 s",
                             "no number on the last line: \"done\"", "value is nan", ... */
    char said[128];   /* not ok: its last line on standard error, where that is heard; else "" */
} tc_job_result;

/* What a job gets between SIGTERM and SIGKILL. */
#define TC_RUNNER_GRACE_MS 5000

/* E_ARG: empty command, unknown placeholder (names it, lists the parameters), a parameter that
 * no argument uses is fine. E_NOT_FOUND: there is no such program (found out here unless its name
 * has a placeholder). argv is copied, space is borrowed until free. timeout_ms 0: none. */
tacit_status tc_runner_new(tc_runner **out, const tc_space *space, char *const *argv, size_t jobs,
                           int64_t timeout_ms, tacit_error *err);
void tc_runner_free(tc_runner *r); /* kills what still runs */
/* For a study whose document somebody else wrote. E_ARG: a choice has a character that the program, or a
 * script around it, could take for an option, a path elsewhere or code; or a choice is part of the program's
 * own name. */
tacit_status tc_runner_check_foreign(const tc_runner *r, tacit_error *err);

/* What programs that are started from now on read as standard input: an open descriptor, borrowed; -1: nothing. */
void tc_runner_set_input(tc_runner *r, int fd);
/* One more variable of their environment, in the place of ours of that name; both are borrowed. name NULL: none. */
void tc_runner_set_variable(tc_runner *r, const char *name, const char *value);

/* What programs print are these n outcomes, as an object; the names are borrowed. n is TC_JOB_OUTCOMES_MOST at most. */
void tc_runner_set_outcomes(tc_runner *r, const char *const *names, size_t n);

/* Standard error of programs that are started from now on is thrown away. */
void tc_runner_silence(tc_runner *r);

/* Standard error of programs that are started from now on goes through us to ours, so that its last line is known. */
void tc_runner_hear_errors(tc_runner *r);

/* Whether a value counts, which a program printed with this object on its last line (NULL: with none): false with a reason,
 * and the job has failed. Borrowed; without it every value counts. */
typedef struct tc_runner_check {
    bool (*accepts)(void *user, const json_t *said, char *reason, size_t size);
    void *user;
} tc_runner_check;
void tc_runner_set_check(tc_runner *r, tc_runner_check check);

/* Hears each intermediate value that a program prints (tc_outcome_step), while it runs and once more when it has ended. True: the job
 * is ended like one whose time is up, its later lines do not count, and it comes to `pruned`, also where it
 * ends by itself meanwhile. `strays` hears of lines that were meant as one and are none, as one line of UTF-8. Borrowed;
 * without it lines before the last are not looked at. */
typedef struct tc_runner_listener {
    bool (*step)(void *user, uint64_t trial, uint64_t step, double value);
    /* What was printed by now was heard: whoever only takes notes in `step` acts now. True: as in `step`. NULL: nobody. */
    bool (*heard)(void *user, uint64_t trial);
    void (*strays)(void *user, uint64_t trial, const char *line); /* NULL: nobody */
    void *user;
} tc_runner_listener;
void tc_runner_set_listener(tc_runner *r, tc_runner_listener listener);

/* E_NOT_FOUND: the program does not exist or may not be run. E_STATE: full. */
tacit_status tc_runner_start(tc_runner *r, uint64_t trial, const double *values, tacit_error *err);
/* Waits up to wait_ms (-1: for ever) for one job to end. *done tells whether one did.
 * Returns early, *done false, when a signal arrives; at once when nothing runs. */
tacit_status tc_runner_wait(tc_runner *r, int64_t wait_ms, tc_job_result *out, bool *done,
                            tacit_error *err);
/* Stops all jobs (SIGTERM, grace, SIGKILL); they report nothing. */
void tc_runner_stop(tc_runner *r, int64_t grace_ms);

#endif
