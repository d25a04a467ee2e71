/* evaluate.c - tacit_row_evaluate: the value of a record, from a program that the curator runs on it.
 *
 * The program gets the fields of the record as they stand in the file: through the placeholders of `tacit optimize`
 * (runner/runner.h), where a record is a space of choices with one choice each; or, off the command line, which all
 * users of the machine can see, as a JSON object in its environment or on standard input.
 *
 * What depends on the record must not decide whether there is an answer, or who asks would learn it. So a command is
 * first held against the header alone: what is wrong with it for every record is refused. From then on whatever
 * goes wrong is a value that the record does not have. */
#include <tacit/experimental/curator.h>

#include "base/api.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "privacy/public.h"
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORD_VARIABLE "TACIT_RECORD"
enum { TICK_MS = 250, LARGEST_VARIABLE = 128 << 10 /* of Linux */ };

/* One call. */
typedef struct evaluation {
    const tacit_row_program *program;
    uint64_t row;
} evaluation;

/* ---- the record */

/* A column whose name is none of a parameter has no placeholder, nor has a field that cannot be a choice: no text,
 * or a long one. r NULL: no fields at all. */
static tacit_status space_of(tc_space **out, const tacit_row_record *r, const char *instead,
                             tacit_error *err)
{
    TC_TRY(tc_space_new(out, err));
    for (size_t i = 0; r && i < r->n; i++) {
        const char *text = instead ? instead : r->fields[i];
        tacit_status status =
            text ? tc_space_add_choice(*out, r->names[i], 1, &text, err) : TACIT_OK;
        if (status != TACIT_OK && status != TACIT_E_ARG)
            return status;
    }
    return TACIT_OK;
}

/* Is there a text of field i? A column whose name is not UTF-8 has none. */
static bool has_text(const tacit_row_record *r, size_t i)
{
    return r->fields[i] && tc_utf8_valid(r->names[i]);
}

static bool is_text(const tacit_row_record *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (has_text(r, i) && !tc_utf8_valid(r->fields[i]))
            return false;
    return true;
}

/* All fields, as text. NULL: no memory. */
static char *record_text(const tacit_row_record *r)
{
    json_t *j = json_object();
    bool ok = j != NULL;
    for (size_t i = 0; ok && i < r->n; i++)
        ok = !has_text(r, i) || json_object_set_new(j, r->names[i], json_string(r->fields[i])) == 0;
    char *text = ok ? tc_json_text(j) : NULL;
    json_decref(j);
    return text;
}

/* ---- the command */

static tacit_status try_command(const evaluation *e, const tacit_row_record *r, const char *instead,
                                tacit_error *err)
{
    tc_space *space = NULL;
    tc_runner *runner = NULL;
    tacit_status status = space_of(&space, r, instead, err);
    if (status == TACIT_OK)
        status = tc_runner_new(&runner, space, e->program->command, 1, e->program->timeout_ms, err);
    tc_runner_free(runner);
    tc_space_free(space);
    return status;
}

/* Is there anything wrong with it for every record? *exposed: fields would stand on the command line. */
static tacit_status check_command(const evaluation *e, const tacit_row_record *r, bool *exposed,
                                  tacit_error *err)
{
    static const char any[] = "x";
    tacit_error why;
    TC_TRY(try_command(e, r, any, err));
    tacit_status status = try_command(e, NULL, NULL, &why);
    *exposed = status == TACIT_E_ARG;
    if (*exposed && e->program->fields != TACIT_ROW_ARGS)
        return tc_fail(err, TACIT_E_ARG,
                       "a record %s must stay off the command line, where all users of the machine "
                       "see it, and the command has a placeholder for a field: %s",
                       e->program->fields == TACIT_ROW_ENV ? "in the environment"
                                                           : "on standard input",
                       why.msg);
    return *exposed ? TACIT_OK : tc_pass_on(err, status, &why);
}

/* ---- the program */

static tacit_status wait_for(const evaluation *e, tc_runner *r, tc_job_result *out,
                             tacit_error *err)
{
    const tacit_row_program *p = e->program;
    for (bool done = false; !done;) {
        if (p->stop && p->stop(p->user)) {
            tc_runner_stop(r, TC_RUNNER_GRACE_MS);
            return tc_fail(err, TACIT_E_CANCELLED, "interrupted; nothing was answered");
        }
        TC_TRY(tc_runner_wait(r, TICK_MS, out, &done, err));
    }
    return TACIT_OK;
}

static tacit_status run_program(const evaluation *e, tc_runner *r, const tc_space *s,
                                tc_job_result *out, tacit_error *err)
{
    double *first = tc_alloc(s->n_params + 1, sizeof *first); /* the only choice of every field */
    if (!first)
        return tc_fail_memory(err);
    tacit_status status = tc_runner_start(r, e->row, first, err);
    tc_free(first);
    return status == TACIT_OK ? wait_for(e, r, out, err) : status;
}

/* in: what the program reads, or -1. variable: the record in its environment, or NULL. E_ARG: a field that the command
 * needs cannot be a word. */
static tacit_status run_on(const evaluation *e, const tacit_row_record *r, int in,
                           const char *variable, tc_job_result *out, tacit_error *err)
{
    tc_space *space = NULL;
    tc_runner *runner = NULL;
    tacit_status status = space_of(&space, r, NULL, err);
    if (status == TACIT_OK)
        status = tc_runner_new(&runner, space, e->program->command, 1, e->program->timeout_ms, err);
    if (status == TACIT_OK) {
        tc_runner_set_input(runner, in);
        tc_runner_set_variable(runner, variable ? RECORD_VARIABLE : NULL, variable);
        status = run_program(e, runner, space, out, err);
    }
    tc_runner_free(runner);
    tc_space_free(space);
    return status;
}

static tacit_status run_with_args(const evaluation *e, const tacit_row_record *r,
                                  tc_job_result *out, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = run_on(e, r, -1, NULL, out, &why);
    bool named =
        status == TACIT_E_NOT_FOUND && strchr(e->program->command[0], '{'); /* by the record */
    if (status != TACIT_E_ARG && !named)
        return tc_pass_on(err, status, &why);
    *out = (tc_job_result){.ok = false};
    snprintf(out->reason, sizeof out->reason, "%.250s", why.msg);
    return TACIT_OK;
}

static tacit_status run_with_env(const evaluation *e, const char *text, tc_job_result *out,
                                 tacit_error *err)
{
    if (strlen(text) + sizeof RECORD_VARIABLE + 1 > LARGEST_VARIABLE) {
        *out = (tc_job_result){.reason = "the record is too long for the environment"};
        return TACIT_OK;
    }
    return run_on(e, NULL, -1, text, out, err);
}

/* A file that nobody else can open, and no pipe: a program that does not read cannot hold us up. Its number is none of
 * the three that mean something. */
static int open_unnamed(void)
{
    int made = memfd_create("record", MFD_CLOEXEC);
    int fd = made >= 0 ? fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (made >= 0)
        close(made);
    return fd;
}

static tacit_status run_with_stdin(const evaluation *e, const char *text, tc_job_result *out,
                                   tacit_error *err)
{
    int fd = open_unnamed();
    bool ok = fd >= 0 && dprintf(fd, "%s\n", text) >= 0 && lseek(fd, 0, SEEK_SET) == 0;
    tacit_status status =
        ok ? run_on(e, NULL, fd, NULL, out, err)
           : tc_fail(err, TACIT_E_IO, "no input for the program: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return status;
}

static tacit_status run_off_line(const evaluation *e, const tacit_row_record *r, tc_job_result *out,
                                 tacit_error *err)
{
    if (!is_text(r)) {
        *out = (tc_job_result){.reason = "the record is not UTF-8 text"};
        return TACIT_OK;
    }
    char *text = record_text(r);
    if (!text)
        return tc_fail_memory(err);
    tacit_status status = e->program->fields == TACIT_ROW_ENV ? run_with_env(e, text, out, err)
                                                              : run_with_stdin(e, text, out, err);
    tc_free(text);
    return status;
}

tacit_status tacit_row_evaluate(const tacit_row_program *p, uint64_t row,
                                const tacit_row_record *record, tacit_row_value *out,
                                tacit_error *err)
{
    TC_GIVEN(p);
    TC_GIVEN(p->command);
    TC_GIVEN(record);
    TC_GIVEN(out);
    if (record->n > 0) {
        TC_GIVEN(record->names);
        TC_GIVEN(record->fields);
    }
    TC_TRY(tc_check_choice("fields", (int)p->fields, TACIT_ROW_STDIN, err));
    const evaluation e = {p, row};
    tc_job_result result = {0};
    bool exposed = false;
    TC_TRY(check_command(&e, record, &exposed, err));
    TC_TRY(p->fields == TACIT_ROW_ARGS ? run_with_args(&e, record, &result, err)
                                       : run_off_line(&e, record, &result, err));
    *out = (tacit_row_value){.value = result.ok ? result.value : (double)NAN, .exposed = exposed};
    memcpy(out->reason, result.reason, sizeof out->reason);
    return TACIT_OK;
}
