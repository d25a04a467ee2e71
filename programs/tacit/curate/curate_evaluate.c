/* curate_evaluate.c - the value of a record, from a program that the curator runs on it.
 *
 * The program gets the fields of the record as they stand in the file: through the placeholders of `tacit optimize`
 * (runner/runner.h), where a record is a space of choices with one choice each; or, off the command line, which all
 * users of the machine can see, as a JSON object in its environment or on standard input.
 *
 * What depends on the record must not decide whether there is an answer, or who asks would learn it. So a command is
 * first held against the header alone: what is wrong with it for every record is refused. From then on whatever
 * goes wrong is a value that the record does not have. */
#include "curate/curate.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGEST = 1 << 30, TICK_MS = 250, LARGEST_VARIABLE = 128 << 10 /* of Linux */ };

/* ---- the record */

typedef struct record {
    size_t n;
    char **names,
        **fields; /* n: the columns, and "record" unless a column has that name; NULL: there is none */
    tc_arena memory;
} record;

static tacit_status copy_row(const tc_csv *csv, size_t n, tc_arena *memory, char **out,
                             tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        out[i] = i < csv->n ? tc_arena_strdup(memory, csv->field[i]) : NULL;
    return memory->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* The number of the record, from 1, unless the file has a column of that name. */
static void add_number(record *r, size_t number)
{
    char text[32];
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->names[i], "record") == 0)
            return;
    snprintf(text, sizeof text, "%zu", number + 1);
    r->names[r->n] = tc_arena_strdup(&r->memory, "record");
    r->fields[r->n++] = tc_arena_strdup(&r->memory, text);
}

static tacit_status read_fields(tc_csv *csv, size_t number, record *r, tacit_error *err)
{
    TC_TRY(tc_csv_next(csv, err));
    size_t n = csv->n;
    r->names = TC_TAKE(&r->memory, n + 1, char *);
    r->fields = TC_TAKE(&r->memory, n + 1, char *);
    if (r->memory.failed)
        return tc_fail_memory(err);
    TC_TRY(copy_row(csv, n, &r->memory, r->names, err));
    r->n = n;
    for (size_t i = 0; i <= number; i++)
        TC_TRY(tc_csv_next(csv, err));
    TC_TRY(copy_row(csv, n, &r->memory, r->fields, err));
    add_number(r, number);
    return r->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status read_record(const char *file, size_t number, record *r, tacit_error *err)
{
    char *text = NULL;
    size_t len = 0;
    tc_csv csv;
    TC_TRY(tc_file_read(file, LARGEST, &text, &len, err));
    tc_csv_init(&csv, text, len, file);
    tacit_status st = read_fields(&csv, number, r, err);
    tc_csv_fini(&csv);
    tc_free(text);
    return st;
}

/* A column whose name is none of a parameter has no placeholder, nor has a field that cannot be a choice: no text,
 * or a long one. r NULL: no fields at all. */
static tacit_status space_of(tc_space **out, const record *r, const char *instead, tacit_error *err)
{
    TC_TRY(tc_space_new(out, err));
    for (size_t i = 0; r && i < r->n; i++) {
        const char *text = instead ? instead : r->fields[i];
        tacit_status st = text ? tc_space_add_choice(*out, r->names[i], 1, &text, err) : TACIT_OK;
        if (st != TACIT_OK && st != TACIT_E_ARG)
            return st;
    }
    return TACIT_OK;
}

/* Is there a text of field i? A column whose name is not UTF-8 has none. */
static bool has_text(const record *r, size_t i)
{
    return r->fields[i] && tc_utf8_valid(r->names[i]);
}

static bool is_text(const record *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (has_text(r, i) && !tc_utf8_valid(r->fields[i]))
            return false;
    return true;
}

/* All fields, as text. NULL: no memory. */
static char *record_text(const record *r)
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

static tacit_status try_command(const tc_evaluation *e, const record *r, const char *instead,
                                tacit_error *err)
{
    tc_space *space = NULL;
    tc_runner *runner = NULL;
    tacit_status st = space_of(&space, r, instead, err);
    if (st == TACIT_OK)
        st = tc_runner_new(&runner, space, e->command, 1, e->timeout_ms, err);
    tc_runner_free(runner);
    tc_space_free(space);
    return st;
}

/* Is there anything wrong with it for every record? *exposed: fields would stand on the command line. */
static tacit_status check_command(const tc_evaluation *e, const record *r, bool *exposed,
                                  tacit_error *err)
{
    static const char any[] = "x";
    tacit_error why;
    TC_TRY(try_command(e, r, any, err));
    tacit_status st = try_command(e, NULL, NULL, &why);
    *exposed = st == TACIT_E_ARG;
    if (*exposed && e->fields != TC_FIELDS_ARGS)
        return tc_fail(err, TACIT_E_ARG,
                       "--fields %s keeps the record off the command line, where all users of the "
                       "machine see it, and the command has a placeholder for a field: %s",
                       e->fields == TC_FIELDS_ENV ? "env" : "stdin", why.msg);
    return st == TACIT_OK || *exposed ? TACIT_OK : tc_fail(err, st, "%s", why.msg);
}

/* ---- the program */

static tacit_status wait_for(tc_runner *r, tc_job_result *out, tacit_error *err)
{
    for (bool done = false; !done;) {
        if (tc_interrupted()) {
            tc_runner_stop(r, TC_RUNNER_GRACE_MS);
            return tc_fail(err, TACIT_E_CANCELLED, "interrupted; nothing was answered");
        }
        TC_TRY(tc_runner_wait(r, TICK_MS, out, &done, err));
    }
    return TACIT_OK;
}

static tacit_status run_program(tc_runner *r, const tc_space *s, uint64_t row, tc_job_result *out,
                                tacit_error *err)
{
    double *first = tc_alloc(s->n_params + 1, sizeof *first); /* the only choice of every field */
    if (!first)
        return tc_fail_memory(err);
    tacit_status st = tc_runner_start(r, row, first, err);
    tc_free(first);
    return st == TACIT_OK ? wait_for(r, out, err) : st;
}

/* in: what the program reads, or -1. E_ARG: a field that the command needs cannot be a word. */
static tacit_status run_on(const tc_evaluation *e, const record *r, int in, tc_job_result *out,
                           tacit_error *err)
{
    tc_space *space = NULL;
    tc_runner *runner = NULL;
    tacit_status st = space_of(&space, r, NULL, err);
    if (st == TACIT_OK)
        st = tc_runner_new(&runner, space, e->command, 1, e->timeout_ms, err);
    if (st == TACIT_OK) {
        tc_runner_set_input(runner, in);
        st = run_program(runner, space, e->row, out, err);
    }
    tc_runner_free(runner);
    tc_space_free(space);
    return st;
}

static tacit_status run_with_args(const tc_evaluation *e, const record *r, tc_job_result *out,
                                  tacit_error *err)
{
    tacit_error why = {0};
    tacit_status st = run_on(e, r, -1, out, &why);
    bool named = st == TACIT_E_NOT_FOUND && strchr(e->command[0], '{'); /* by the record */
    if (st != TACIT_E_ARG && !named)
        return st == TACIT_OK ? st : tc_fail(err, st, "%s", why.msg);
    *out = (tc_job_result){.ok = false};
    snprintf(out->reason, sizeof out->reason, "%.250s", why.msg);
    return TACIT_OK;
}

static tacit_status run_with_env(const tc_evaluation *e, const char *text, tc_job_result *out,
                                 tacit_error *err)
{
    if (strlen(text) + sizeof TC_RECORD_VARIABLE + 1 > LARGEST_VARIABLE) {
        *out = (tc_job_result){.reason = "the record is too long for the environment"};
        return TACIT_OK;
    }
    if (setenv(TC_RECORD_VARIABLE, text, 1) != 0)
        return tc_fail_memory(err);
    tacit_status st = run_on(e, NULL, -1, out, err);
    unsetenv(TC_RECORD_VARIABLE);
    return st;
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

static tacit_status run_with_stdin(const tc_evaluation *e, const char *text, tc_job_result *out,
                                   tacit_error *err)
{
    int fd = open_unnamed();
    bool ok = fd >= 0 && dprintf(fd, "%s\n", text) >= 0 && lseek(fd, 0, SEEK_SET) == 0;
    tacit_status st =
        ok ? run_on(e, NULL, fd, out, err)
           : tc_fail(err, TACIT_E_IO, "no input for the program: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return st;
}

static tacit_status run_off_line(const tc_evaluation *e, const record *r, tc_job_result *out,
                                 tacit_error *err)
{
    if (!is_text(r)) {
        *out = (tc_job_result){.reason = "the record is not UTF-8 text"};
        return TACIT_OK;
    }
    char *text = record_text(r);
    if (!text)
        return tc_fail_memory(err);
    tacit_status st = e->fields == TC_FIELDS_ENV ? run_with_env(e, text, out, err)
                                                 : run_with_stdin(e, text, out, err);
    tc_free(text);
    return st;
}

static tacit_status evaluate(const tc_evaluation *e, const record *r, tc_evaluated *out,
                             tacit_error *err)
{
    tc_job_result result = {0};
    TC_TRY(check_command(e, r, &out->exposed, err));
    TC_TRY(e->fields == TC_FIELDS_ARGS ? run_with_args(e, r, &result, err)
                                       : run_off_line(e, r, &result, err));
    out->value = result.ok ? result.value : (double)NAN;
    memcpy(out->reason, result.reason, sizeof out->reason);
    return TACIT_OK;
}

tacit_status tc_curate_evaluate(const tc_evaluation *e, tc_evaluated *out, tacit_error *err)
{
    record r = {0};
    tacit_status st = read_record(e->data, e->record, &r, err);
    if (st == TACIT_OK)
        st = evaluate(e, &r, out, err);
    tc_arena_fini(&r.memory);
    return st;
}
