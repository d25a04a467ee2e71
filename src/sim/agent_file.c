/* agent_file.c - reading the file of --by-agent back. See agent_file.h.
 *
 * The rows of one label are gathered first: how many runs, agents and iterations there are is known
 * only when the last has been seen. */
#include "sim/agent_file.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define HEADER "run,agent,iteration,simple_regret,cumulative_regret"
#define LABEL  "label,"

enum { RUN, AGENT, ITERATION, SIMPLE, CUMULATIVE };

typedef struct row {
    unsigned long long at[SIMPLE]; /* run, agent, iteration */
    double simple, cumulative;
} row;

typedef struct reader {
    tc_csv csv;
    bool labelled;
    row *rows; /* of the present label */
    size_t n, cap;
    size_t size[SIMPLE]; /* runs, agents, iterations from 0 */
    tc_agent_file *out;
} reader;

static bool begins(const char *text, size_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && memcmp(text, with, n) == 0;
}

/* Files from before have no column `evaluations`; nothing here needs it. */
bool tc_agent_file_is(const char *text, size_t len)
{
    static const char *const headers[] = {HEADER ",evaluations\n", HEADER "\n",
                                          LABEL HEADER ",evaluations\n", LABEL HEADER "\n"};
    bool is = false;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        is = is || begins(text, len, headers[i]);
    return is;
}

void tc_agent_file_fini(tc_agent_file *f)
{
    for (size_t i = 0; i < f->n; i++) {
        tc_agent_curves *c = &f->items[i];
        tc_free(c->label);
        tc_free(c->iteration);
        tc_free(c->simple);
        tc_free(c->cumulative);
        tc_free(c->simple_mean);
        tc_free(c->cumulative_mean);
    }
    tc_free(f->items);
    *f = (tc_agent_file){0};
}

/* -- one label ----------------------------------------------------------------------------- */

static tacit_status measure(reader *r, tacit_error *err)
{
    double cells = 1;
    for (size_t k = 0; k < SIMPLE; k++) {
        unsigned long long most = 0;
        for (size_t i = 0; i < r->n; i++)
            most = r->rows[i].at[k] > most ? r->rows[i].at[k] : most;
        cells *= (double)most + 1;
        r->size[k] = (size_t)most + 1;
    }
    if (cells != (double)r->n)
        return tc_fail(err, TACIT_E_ARG,
                       "%s has %zu rows where %.0f runs of %.0f agents with %.0f iterations have "
                       "%.0f: it is not whole",
                       r->csv.what, r->n, (double)r->size[RUN], (double)r->size[AGENT],
                       (double)r->size[ITERATION], cells);
    return TACIT_OK;
}

static tacit_status allocate(tc_agent_curves *c, tacit_error *err)
{
    size_t cells = c->agents * c->n; /* at most as many as there are rows */
    c->iteration = tc_alloc(c->n, sizeof(double));
    c->simple = tc_alloc(cells, sizeof(double));
    c->cumulative = tc_alloc(cells, sizeof(double));
    c->simple_mean = tc_alloc(c->n, sizeof(double));
    c->cumulative_mean = tc_alloc(c->n, sizeof(double));
    return c->iteration && c->simple && c->cumulative && c->simple_mean && c->cumulative_mean
               ? TACIT_OK
               : tc_fail_memory(err);
}

static void add_rows(const reader *r, tc_agent_curves *c)
{
    double runs = (double)c->runs;
    for (size_t i = 0; i < r->n; i++) {
        size_t cell = (size_t)r->rows[i].at[AGENT] * c->n + (size_t)r->rows[i].at[ITERATION];
        c->simple[cell] += r->rows[i].simple / runs;
        c->cumulative[cell] += r->rows[i].cumulative / runs;
    }
}

static void average(tc_agent_curves *c)
{
    double agents = (double)c->agents;
    for (size_t t = 0; t < c->n; t++) {
        c->iteration[t] = (double)t;
        for (size_t a = 0; a < c->agents; a++) {
            c->simple_mean[t] += c->simple[a * c->n + t] / agents;
            c->cumulative_mean[t] += c->cumulative[a * c->n + t] / agents;
        }
    }
}

/* Agents without initial points have no regret before their first trial: such iterations go. */
static void drop_iterations(tc_agent_curves *c)
{
    double *const tables[] = {c->simple, c->cumulative};
    double *const lines[] = {c->iteration, c->cumulative_mean, c->simple_mean}; /* judged: last */
    size_t n = c->n, to = 0;
    for (size_t k = 0; k < 2; k++) {
        to = 0;
        for (size_t i = 0; i < c->agents * n; i++)
            if (isfinite(c->simple_mean[i % n]))
                tables[k][to++] = tables[k][i];
    }
    for (size_t k = 0; k < 3; k++) {
        to = 0;
        for (size_t t = 0; t < n; t++)
            if (isfinite(c->simple_mean[t]))
                lines[k][to++] = lines[k][t];
    }
    c->n = to;
}

/* The rows gathered so far become the curves of the last item. */
static tacit_status finish_label(reader *r, tacit_error *err)
{
    tc_agent_curves *c = &r->out->items[r->out->n - 1];
    TC_TRY(measure(r, err));
    c->runs = r->size[RUN];
    c->agents = r->size[AGENT];
    c->n = r->size[ITERATION];
    TC_TRY(allocate(c, err));
    add_rows(r, c);
    average(c);
    drop_iterations(c);
    r->n = 0;
    return c->n > 0 ? TACIT_OK : tc_fail(err, TACIT_E_ARG, "%s has no regret", r->csv.what);
}

/* -- rows ---------------------------------------------------------------------------------- */

/* An empty field: there is no such regret. */
static tacit_status read_regret(const reader *r, size_t column, double *out, tacit_error *err)
{
    const char *text = r->csv.field[column];
    *out = INFINITY;
    if (*text && !tc_parse_double(text, out))
        return tc_csv_fail(&r->csv, column + 1, err, "\"%s\" is not a number", text);
    return TACIT_OK;
}

static tacit_status read_row(reader *r, row *out, tacit_error *err)
{
    size_t first = r->labelled;
    for (size_t k = 0; k < SIMPLE; k++)
        if (!tc_parse_u64(r->csv.field[first + k], &out->at[k]) || out->at[k] > UINT32_MAX)
            return tc_csv_fail(&r->csv, first + k + 1, err, "\"%s\" is not a whole number",
                               r->csv.field[first + k]);
    TC_TRY(read_regret(r, first + SIMPLE, &out->simple, err));
    return read_regret(r, first + CUMULATIVE, &out->cumulative, err);
}

/* Another label begins other curves, and so does a first row: two may be called alike. */
static bool continues(const reader *r, const char *label, const row *next)
{
    const tc_agent_file *f = r->out;
    bool first = next->at[RUN] == 0 && next->at[AGENT] == 0 && next->at[ITERATION] == 0;
    return f->n > 0 && !first && (!label || strcmp(f->items[f->n - 1].label, label) == 0);
}

static tacit_status take_label(reader *r, const row *next, tacit_error *err)
{
    tc_agent_file *f = r->out;
    const char *label = r->labelled ? r->csv.field[0] : NULL;
    if (continues(r, label, next))
        return TACIT_OK;
    if (f->n > 0)
        TC_TRY(finish_label(r, err));
    void *items = f->items;
    if (!tc_grow(&items, &f->cap, f->n + 1, sizeof *f->items))
        return tc_fail_memory(err);
    f->items = items;
    f->items[f->n] = (tc_agent_curves){.label = label ? tc_strdup(label) : NULL};
    f->n++;
    return label && !f->items[f->n - 1].label ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status read_rows(reader *r, tacit_error *err)
{
    for (;;) {
        TC_TRY(tc_csv_next(&r->csv, err));
        if (r->csv.n == 0)
            break;
        row next;
        TC_TRY(read_row(r, &next, err));
        TC_TRY(take_label(r, &next, err));
        void *rows = r->rows;
        if (!tc_grow(&rows, &r->cap, r->n + 1, sizeof *r->rows))
            return tc_fail_memory(err);
        r->rows = rows;
        r->rows[r->n++] = next;
    }
    if (r->out->n == 0)
        return tc_fail(err, TACIT_E_ARG, "%s has a header but no rows", r->csv.what);
    return finish_label(r, err);
}

tacit_status tc_agent_file_read(tc_agent_file *out, const char *text, size_t len, const char *what,
                                tacit_error *err)
{
    reader r = {.out = out, .labelled = begins(text, len, LABEL)};
    if (!tc_agent_file_is(text, len))
        return tc_fail(err, TACIT_E_ARG, "%s was not written by tacit simulate --by-agent", what);
    tc_csv_init(&r.csv, text, len, what);
    tacit_status status = tc_csv_next(&r.csv, err); /* the header */
    if (status == TACIT_OK)
        status = read_rows(&r, err);
    tc_csv_fini(&r.csv);
    tc_free(r.rows);
    return status;
}
