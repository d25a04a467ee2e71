/* curate_evaluate.c - the value of a record, from a program that the curator runs on it.
 *
 * The program gets the fields of the record as they stand in the file, through the placeholders of
 * `tacit optimize` (runner/runner.h): to the runner a record is a space of choices with one choice each.
 * Nothing of this leaves: the curator answers with the value, as its terms have it. */
#include "curate_int.h"

#include "base/file.h"
#include "base/memory.h"
#include "runner/runner.h"
#include "space/csv.h"

#include <inttypes.h>
#include <string.h>

enum { LARGEST = 1 << 30, TICK_MS = 250 };

/* ---- the record as a space */

/* A field that cannot be a choice (no text or a long one, a name of no parameter) has no placeholder;
 * a command that uses it is refused by the runner, which lists those there are. */
static tacit_status add_field(tc_space *s, const char *name, const char *text, tacit_error *err)
{
    tacit_status st = tc_space_add_choice(s, name, 1, &text, err);
    return st == TACIT_E_ARG ? TACIT_OK : st;
}

static tacit_status copy_header(const tc_csv *csv, tc_arena *memory, char ***out, tacit_error *err)
{
    char **names = TC_TAKE(memory, csv->n + 1, char *);
    for (size_t i = 0; names && i < csv->n; i++)
        names[i] = tc_arena_strdup(memory, csv->field[i]);
    *out = names;
    return memory->failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status add_number(tc_space *s, char *const *names, size_t n, size_t record,
                               tacit_error *err)
{
    char text[32];
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], "record") == 0)
            return TACIT_OK; /* the file's own column wins */
    snprintf(text, sizeof text, "%zu", record + 1);
    return add_field(s, "record", text, err);
}

static tacit_status read_fields(tc_csv *csv, size_t record, tc_space *s, tc_arena *memory,
                                tacit_error *err)
{
    char **names;
    TC_TRY(tc_csv_next(csv, err));
    size_t n = csv->n;
    TC_TRY(copy_header(csv, memory, &names, err));
    for (size_t i = 0; i <= record; i++)
        TC_TRY(tc_csv_next(csv, err));
    for (size_t i = 0; i < n && i < csv->n; i++)
        TC_TRY(add_field(s, names[i], csv->field[i], err));
    return add_number(s, names, n, record, err);
}

static tacit_status read_record(const char *file, size_t record, tc_space *s, tacit_error *err)
{
    char *text = NULL;
    size_t len = 0;
    tc_csv csv;
    tc_arena memory = {0};
    TC_TRY(tc_file_read(file, LARGEST, &text, &len, err));
    tc_csv_init(&csv, text, len, file);
    tacit_status st = read_fields(&csv, record, s, &memory, err);
    tc_csv_fini(&csv);
    tc_arena_fini(&memory);
    tc_free(text);
    return st;
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
    double *first = tc_alloc(s->n_params, sizeof *first); /* the only choice of every field */
    if (!first)
        return tc_fail_memory(err);
    tacit_status st = tc_runner_start(r, row, first, err);
    tc_free(first);
    return st == TACIT_OK ? wait_for(r, out, err) : st;
}

static tacit_status evaluate(const tc_space *s, const tc_evaluation *e, double *value,
                             tacit_error *err)
{
    tc_runner *runner = NULL;
    tc_job_result result;
    TC_TRY(tc_runner_new(&runner, s, e->command, 1, e->timeout_ms, err));
    tacit_status st = run_program(runner, s, e->row, &result, err);
    tc_runner_free(runner);
    TC_TRY(st);
    if (!result.ok)
        return tc_fail(err, TACIT_E_STATE,
                       "the program gave no value for row %" PRIu64
                       ", and nothing was answered: %s",
                       e->row, result.reason);
    *value = result.value;
    return TACIT_OK;
}

tacit_status tc_curate_evaluate(const tc_evaluation *e, double *value, tacit_error *err)
{
    tc_space *s = NULL;
    TC_TRY(tc_space_new(&s, err));
    tacit_status st = read_record(e->data, e->record, s, err);
    if (st == TACIT_OK)
        st = evaluate(s, e, value, err);
    tc_space_free(s);
    return st;
}
