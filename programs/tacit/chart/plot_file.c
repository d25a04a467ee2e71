/* plot_file.c - the complete and the pruned trials of a file that tacit export wrote. See plot_trials.h.
 *
 * A file has no space: a parameter whose texts are all numbers is one, any other is a choice of the texts that occur. */
#include "chart/plot_trials.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "frame/cli.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES ((size_t)1 << 30)
enum { MOST_PARAMS = 512 };

/* The file as texts: those of COMPLETE rows. */
typedef struct texts {
    tc_arena *arena;
    const char *file;
    size_t n_params, rows, cap;
    const char *names[MOST_PARAMS];
    const char **cells; /* rows x n_params */
    double *number, *value;
    bool *missed; /* its bounds, as an export of a study with constraints says */
    size_t cells_cap, value_cap, missed_cap;
    size_t feasible_at;                   /* column of CSV that says so; 0: none does */
    size_t reason_at;                     /* column of CSV with the reasons; 0: there is none */
    double *pruned_number, *pruned_value; /* those that were ended early */
    size_t n_pruned, pruned_cap, early_cap;
} texts;

static tacit_status add_row(texts *t, double number, double value, bool missed, tacit_error *err)
{
    const size_t need = (t->rows + 1) * (t->n_params ? t->n_params : 1);
    if (!tc_grow((void **)&t->cells, &t->cells_cap, need, sizeof *t->cells) ||
        !tc_grow((void **)&t->number, &t->cap, t->rows + 1, sizeof *t->number) ||
        !tc_grow((void **)&t->value, &t->value_cap, t->rows + 1, sizeof *t->value) ||
        !tc_grow((void **)&t->missed, &t->missed_cap, t->rows + 1, sizeof *t->missed))
        return tc_fail_memory(err);
    t->missed[t->rows] = missed;
    t->number[t->rows] = number;
    t->value[t->rows] = value;
    t->rows++;
    return TACIT_OK;
}

static tacit_status add_pruned(texts *t, double number, double value, tacit_error *err)
{
    if (!tc_grow((void **)&t->pruned_number, &t->pruned_cap, t->n_pruned + 1,
                 sizeof *t->pruned_number) ||
        !tc_grow((void **)&t->pruned_value, &t->early_cap, t->n_pruned + 1,
                 sizeof *t->pruned_value))
        return tc_fail_memory(err);
    t->pruned_number[t->n_pruned] = number;
    t->pruned_value[t->n_pruned++] = value;
    return TACIT_OK;
}

static tacit_status not_ours(const texts *t, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG, "%s is not what tacit export writes", t->file);
}

/* ---- CSV */

static const char *const csv_starts[] = {"trial,state,value,", "number,state,value,", NULL};

bool tc_plot_is_export(const char *file)
{
    char start[32] = "";
    struct stat about;
    bool found = false;
    if (stat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return false; /* a pipe can be read once */
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(start, 1, sizeof start - 1, f) : 0;
    for (size_t i = 0; csv_starts[i]; i++)
        found |= n > 0 && strncmp(start, csv_starts[i], strlen(csv_starts[i])) == 0;
    if (f)
        fclose(f);
    return found;
}

/* Columns of parameters begin at *first and are n_params. */
static tacit_status read_header(texts *t, tc_csv *csv, size_t *first, tacit_error *err)
{
    TC_TRY(tc_csv_next(csv, err));
    if (csv->n < 3 || strcmp(csv->field[1], "state") != 0 || strcmp(csv->field[2], "value") != 0)
        return not_ours(t, err);
    *first = 3;
    for (size_t k = *first; k < csv->n && strncmp(csv->field[k], "params_", 7) == 0; k++) {
        if (t->n_params == MOST_PARAMS)
            return tc_fail(err, TACIT_E_ARG, "%s has more than %d parameters", t->file,
                           MOST_PARAMS);
        t->names[t->n_params++] = tc_arena_strdup(t->arena, csv->field[k] + 7);
    }
    for (size_t k = *first; k < csv->n; k++) {
        if (strcmp(csv->field[k], "feasible") == 0)
            t->feasible_at = k;
        if (strcmp(csv->field[k], "reason") == 0)
            t->reason_at = k;
    }
    return TACIT_OK;
}

/* CSV has the last intermediate value in the sentence of the reason alone; one that is not ours is passed over. */
static tacit_status read_csv_pruned(texts *t, const tc_csv *csv, tacit_error *err)
{
    double number, value;
    char last[32];
    if (t->reason_at == 0 || !tc_parse_double(csv->field[0], &number) ||
        sscanf(csv->field[t->reason_at], "pruned at step %*u with %31s", last) != 1 ||
        !tc_parse_double(last, &value))
        return TACIT_OK;
    return add_pruned(t, number, value, err);
}

static tacit_status read_csv_row(texts *t, const tc_csv *csv, size_t first, tacit_error *err)
{
    double number, value;
    if (strcmp(csv->field[1], "PRUNED") == 0)
        return read_csv_pruned(t, csv, err);
    if (strcmp(csv->field[1], "COMPLETE") != 0)
        return TACIT_OK;
    if (!tc_parse_double(csv->field[0], &number) || !tc_parse_double(csv->field[2], &value))
        return tc_csv_fail(csv, 0, err, "the trial and its value must be finite numbers");
    bool missed = t->feasible_at > 0 && strcmp(csv->field[t->feasible_at], "no") == 0;
    TC_TRY(add_row(t, number, value, missed, err));
    for (size_t k = 0; k < t->n_params; k++)
        t->cells[(t->rows - 1) * t->n_params + k] =
            tc_arena_strdup(t->arena, csv->field[first + k]);
    return TACIT_OK;
}

static tacit_status read_csv(texts *t, tc_csv *csv, tacit_error *err)
{
    size_t first;
    TC_TRY(read_header(t, csv, &first, err));
    for (;;) {
        TC_TRY(tc_csv_next(csv, err));
        if (csv->n == 0)
            return TACIT_OK;
        TC_TRY(read_csv_row(t, csv, first, err));
    }
}

/* ---- JSON: an array of trials, one trial, or a trial on each line */

static const char *cell_text(texts *t, const json_t *value)
{
    char number[32] = "";
    if (json_is_string(value))
        return tc_arena_strdup(t->arena, json_string_value(value));
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (json_is_number(value))
        tc_double_text(number, json_number_value(value));
    return tc_arena_strdup(t->arena, number);
}

static bool has_name(const texts *t, const char *name)
{
    size_t k = 0;
    while (k < t->n_params && strcmp(t->names[k], name) != 0)
        k++;
    return k < t->n_params;
}

/* A parameter that is inactive in one trial may be active in the next: all trials together say which there are. */
static tacit_status collect_names(texts *t, const json_t *trials, tacit_error *err)
{
    size_t i;
    json_t *trial, *of;
    const char *name;
    json_array_foreach(trials, i, trial)
    {
        json_t *params = json_object_get(trial, "params");
        if (!json_is_object(trial) || !json_is_object(params))
            return not_ours(t, err);
        json_object_foreach(params, name, of)
        {
            if (has_name(t, name))
                continue;
            if (t->n_params == MOST_PARAMS)
                return tc_fail(err, TACIT_E_ARG, "%s has more than %d parameters", t->file,
                               MOST_PARAMS);
            t->names[t->n_params++] = tc_arena_strdup(t->arena, name);
        }
    }
    return TACIT_OK;
}

static tacit_status read_pruned(texts *t, const json_t *trial, double number, tacit_error *err)
{
    double value;
    const json_t *steps = json_object_get(trial, "steps");
    const size_t n = json_array_size(steps);
    if (n == 0)
        return TACIT_OK;
    TC_TRY(tc_json_number(json_array_get(steps, n - 1), "steps", "value", &value, err));
    return add_pruned(t, number, value, err);
}

static tacit_status read_object(texts *t, const json_t *trial, tacit_error *err)
{
    const char *state = NULL;
    double number = (double)t->rows, value;
    const json_t *params = json_object_get(trial, "params");
    TC_TRY(tc_json_string(trial, "", "state", &state, err));
    const bool complete = strcmp(state, "COMPLETE") == 0, pruned = strcmp(state, "PRUNED") == 0;
    if (!complete && !pruned)
        return TACIT_OK;
    TC_TRY(tc_json_number_or(trial, "", "number", &number, err));
    TC_TRY(tc_json_number_or(trial, "", "trial", &number, err));
    if (pruned)
        return read_pruned(t, trial, number, err);
    TC_TRY(tc_json_number(trial, "", "value", &value, err));
    TC_TRY(add_row(t, number, value, json_is_false(json_object_get(trial, "feasible")), err));
    for (size_t k = 0; k < t->n_params && !t->arena->failed; k++)
        t->cells[(t->rows - 1) * t->n_params + k] =
            cell_text(t, json_object_get(params, t->names[k]));
    return TACIT_OK;
}

/* Adds what one JSON text holds to the trials. */
static tacit_status add_json(json_t *trials, const char *text, size_t len, const char *file,
                             tacit_error *err)
{
    json_t *read;
    TC_TRY(tc_json_parse(text, len, file, &read, err));
    int failed =
        json_is_array(read) ? json_array_extend(trials, read) : json_array_append(trials, read);
    json_decref(read);
    return failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status add_lines(json_t *trials, const char *text, size_t len, const char *file,
                              tacit_error *err)
{
    const char *end = text + len;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((stop ? stop : end) - text);
        if (n > 0)
            TC_TRY(add_json(trials, text, n, file, err));
        text += stop ? n + 1 : n;
    }
    return TACIT_OK;
}

static tacit_status read_json(texts *t, const char *text, size_t len, bool lines, tacit_error *err)
{
    json_t *trials = json_array();
    if (!trials)
        return tc_fail_memory(err);
    tacit_status status = lines ? add_lines(trials, text, len, t->file, err)
                                : add_json(trials, text, len, t->file, err);
    if (status == TACIT_OK)
        status = collect_names(t, trials, err);
    for (size_t i = 0; i < json_array_size(trials) && status == TACIT_OK; i++)
        status = read_object(t, json_array_get(trials, i), err);
    json_decref(trials);
    return status;
}

static tacit_status read_file(texts *t, tacit_error *err)
{
    char *text;
    size_t len;
    tc_csv csv;
    TC_TRY(tc_file_read(t->file, MOST_BYTES, &text, &len, err));
    tacit_status status;
    bool lines = tc_ends_in(t->file, ".jsonl");
    if (lines || tc_ends_in(t->file, ".json")) {
        status = read_json(t, text, len, lines, err);
    } else {
        tc_csv_init(&csv, text, len, t->file);
        status = read_csv(t, &csv, err);
        tc_csv_fini(&csv);
    }
    tc_free(text);
    return status;
}

/* ---- from texts to axes */

static bool numbers_of(const texts *t, size_t k, double *x, bool *whole)
{
    *whole = true;
    for (size_t i = 0; i < t->rows; i++) {
        x[i] = NAN; /* an empty cell: the parameter is inactive */
        if (!*t->cells[i * t->n_params + k])
            continue;
        if (!tc_parse_double(t->cells[i * t->n_params + k], &x[i]))
            return false;
        *whole = *whole && x[i] == floor(x[i]);
    }
    return true;
}

/* Texts in the order in which they occur. */
static void names_of(const texts *t, size_t k, double *x, tc_axis *axis)
{
    const char **names = TC_TAKE(t->arena, t->rows, const char *);
    for (size_t i = 0; i < t->rows && names; i++) {
        const char *text = t->cells[i * t->n_params + k];
        size_t j = 0;
        x[i] = NAN;
        if (!*text)
            continue;
        while (j < axis->n_names && strcmp(names[j], text) != 0)
            j++;
        names[j] = text;
        axis->n_names += j == axis->n_names;
        x[i] = (double)j;
    }
    axis->names = names;
}

static void take_columns(tc_plot_trials *p, const texts *t)
{
    p->n_columns = t->n_params;
    p->columns = TC_TAKE(&p->arena, t->n_params, tc_plot_column);
    for (size_t k = 0; k < t->n_params && p->columns; k++) {
        double *x = TC_TAKE(&p->arena, t->rows, double);
        tc_axis *axis = &p->columns[k].axis;
        axis->label = t->names[k];
        p->columns[k].x = x;
        if (x && !numbers_of(t, k, x, &axis->whole))
            names_of(t, k, x, axis);
    }
}

static void take_pruned(tc_plot_trials *p, const texts *t)
{
    p->pruned_number = TC_TAKE(&p->arena, t->n_pruned, double);
    p->pruned_value = TC_TAKE(&p->arena, t->n_pruned, double);
    if (t->n_pruned == 0 || p->arena.failed)
        return;
    memcpy(p->pruned_number, t->pruned_number, t->n_pruned * sizeof *p->pruned_number);
    memcpy(p->pruned_value, t->pruned_value, t->n_pruned * sizeof *p->pruned_value);
    p->n_pruned = t->n_pruned;
}

/* How many there are; returns how long that is. */
static size_t count_all(tc_plot_trials *p)
{
    int n = snprintf(p->subtitle, sizeof p->subtitle, "%zu trial%s", p->n, p->n == 1 ? "" : "s");
    if (p->n_pruned > 0)
        n += snprintf(p->subtitle + n, sizeof p->subtitle - (size_t)n, ", %zu pruned", p->n_pruned);
    return (size_t)n;
}

static tacit_status take(tc_plot_trials *p, const texts *t, int direction, tacit_error *err)
{
    if (t->rows == 0)
        return tc_fail(err, TACIT_E_STATE, "%s has no completed trial to draw", t->file);
    p->n = t->rows;
    p->name = t->file;
    p->number = TC_TAKE(&p->arena, p->n, double);
    p->value = TC_TAKE(&p->arena, p->n, double);
    take_columns(p, t);
    take_pruned(p, t);
    bool *missed = TC_TAKE(&p->arena, p->n, bool), any = false;
    if (p->arena.failed)
        return tc_fail_memory(err);
    memcpy(p->number, t->number, p->n * sizeof *p->number);
    memcpy(p->value, t->value, p->n * sizeof *p->value);
    memcpy(missed, t->missed, p->n * sizeof *missed);
    for (size_t i = 0; i < p->n; i++)
        any = any || missed[i];
    p->infeasible = any ? missed : NULL;
    const size_t n = count_all(p);
    if (direction == TC_PLOT_NOT_DIRECTED)
        return TACIT_OK;
    TC_TRY(tc_plot_trials_rank(p, direction == TC_PLOT_MAXIMIZE, err));
    if (p->first == p->n)
        snprintf(p->subtitle + n, sizeof p->subtitle - n, "; none feasible yet");
    else
        snprintf(p->subtitle + n, sizeof p->subtitle - n, "; best %.6g in trial %.0f",
                 p->value[p->top], p->number[p->top]);
    return TACIT_OK;
}

tacit_status tc_plot_trials_of_file(tc_plot_trials *p, const char *file, int direction,
                                    tacit_error *err)
{
    texts t = {.arena = &p->arena, .file = file};
    tacit_status status = read_file(&t, err);
    if (status == TACIT_OK)
        status = p->arena.failed ? tc_fail_memory(err) : take(p, &t, direction, err);
    tc_free(t.cells);
    tc_free(t.number);
    tc_free(t.value);
    tc_free(t.missed);
    tc_free(t.pruned_number);
    tc_free(t.pruned_value);
    return status;
}
