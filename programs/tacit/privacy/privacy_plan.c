/* privacy_plan.c - `tacit privacy plan`: what could be promised, before anything is spent.
 *
 * A table over all combinations of rounds, sampling rates and noise multipliers; of a study's document instead, the
 * releases that it plans (privacy_plan_study.c). */
#include "privacy/privacy_cli.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_VALUES = 64, MOST_CELLS = 4096 };

typedef struct plan_opts {
    char *rounds, *sampling_rate, *noise_multiplier;
    double delta;
    int64_t agents;
    int unit;
} plan_opts;

static const tc_option options[] = {
    {"rounds", TC_OPTION_STRING, offsetof(plan_opts, rounds), "1,10,40,100", .value = "LIST",
     .help = "numbers of releases"},
    {"sampling-rate", TC_OPTION_STRING, offsetof(plan_opts, sampling_rate), "0.1,0.25,1",
     .value = "LIST", .help = "rates at which members take part"},
    {"noise-multiplier", TC_OPTION_STRING, offsetof(plan_opts, noise_multiplier), "1,2,4,8",
     .value = "LIST", .help = "noise over sensitivity"},
    TC_DELTA_OPTION(plan_opts),
    TC_AGENTS_OPTION(plan_opts),
    TC_UNIT_OPTION(plan_opts),
    {.name = NULL}};

/* ---- the grid */

typedef struct list {
    size_t n;
    double at[MOST_VALUES];
} list;

typedef struct limits {
    const char *name;
    double min, max;
    bool min_open, whole;
} limits;

static tacit_status bad_value(const limits *l, const char *word, int length, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG,
                   "--%s must be a list of %snumbers in %c%g, %g], as in 1,10,40, got \"%.*s\"",
                   l->name, l->whole ? "whole " : "", l->min_open ? '(' : '[', l->min, l->max,
                   length, word);
}

static bool allowed(const limits *l, double v)
{
    return v <= l->max && (l->min_open ? v > l->min : v >= l->min) && (!l->whole || v == floor(v));
}

static tacit_status read_list(const char *text, const limits *l, list *out, tacit_error *err)
{
    out->n = 0;
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ",");
        char copy[64] = {0};
        if (out->n == MOST_VALUES)
            return tc_fail(err, TACIT_E_ARG, "--%s has more than %d values", l->name, MOST_VALUES);
        if (length < sizeof copy)
            memcpy(copy, word, length);
        if (!tc_parse_double(copy, &out->at[out->n]) || !allowed(l, out->at[out->n]))
            return bad_value(l, word, length < 40 ? (int)length : 40, err);
        out->n++;
        word += length;
        if (*word == '\0')
            return TACIT_OK;
    }
}

typedef struct grid {
    list rounds, rate, multiplier;
    double delta;
} grid;

static tacit_status read_grid(const plan_opts *o, bool quiet, grid *g, tacit_error *err)
{
    static const limits rounds = {"rounds", 0, TC_PRIVACY_MAX_T, false, true};
    static const limits rate = {"sampling-rate", 0, 1, true, false};
    static const limits multiplier = {"noise-multiplier", 0, TC_PRIVACY_MAX_Z, true, false};
    TC_TRY(read_list(o->rounds, &rounds, &g->rounds, err));
    TC_TRY(read_list(o->sampling_rate, &rate, &g->rate, err));
    TC_TRY(read_list(o->noise_multiplier, &multiplier, &g->multiplier, err));
    for (size_t i = 0; i < g->rate.n; i++)
        TC_TRY(tacit_unit_check((tacit_unit)o->unit, g->rate.at[i], err));
    size_t cells = g->rounds.n * g->rate.n * g->multiplier.n;
    if (cells > MOST_CELLS)
        return tc_fail(err, TACIT_E_ARG, "the plan has %zu combinations, more than %d", cells,
                       MOST_CELLS);
    return tc_privacy_delta(o->delta, o->agents, quiet, &g->delta, err);
}

/* ---- the answers */

static const char *const accountants[] = {"pld", "rdp", "moments", "gaussian"};
enum { ACCOUNTANTS = sizeof accountants / sizeof *accountants };

typedef struct cell {
    tacit_dp_event event;
    double epsilon[ACCOUNTANTS]; /* NaN: no formula */
    double lower;                /* of pld */
} cell;

static tacit_status fill(cell *c, double delta, tacit_error *err)
{
    for (size_t i = 0; i < ACCOUNTANTS; i++) {
        tacit_guarantee g = TACIT_GUARANTEE;
        tacit_status status = tacit_account(accountants[i], &c->event, 1, delta, &g, err);
        c->epsilon[i] = status == TACIT_OK ? g.epsilon : NAN;
        if (status == TACIT_OK && i == 0)
            c->lower = g.lower;
        if (status != TACIT_OK && status != TACIT_E_UNSUPPORTED)
            return status;
    }
    return TACIT_OK;
}

static size_t list_cells(const grid *g, cell *cells)
{
    size_t n = 0;
    for (size_t t = 0; t < g->rounds.n; t++)
        for (size_t q = 0; q < g->rate.n; q++)
            for (size_t z = 0; z < g->multiplier.n; z++)
                cells[n++].event =
                    (tacit_dp_event){TACIT_DP_GAUSSIAN, g->multiplier.at[z],
                                     g->rate.at[q] < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL,
                                     g->rate.at[q], (uint64_t)g->rounds.at[t]};
    return n;
}

static tacit_status fill_all(const grid *g, cell *cells, size_t n, bool quiet, tacit_error *err)
{
    tc_progress *p = tc_progress_start("plan", n, quiet);
    tacit_status status = TACIT_OK;
    tc_catch_interrupts();
    for (size_t i = 0; i < n && status == TACIT_OK; i++) {
        tc_progress_update(p, i, NULL);
        status = fill(&cells[i], g->delta, err);
        if (tc_interrupted())
            status = tc_fail(err, TACIT_E_CANCELLED, "interrupted");
    }
    tc_progress_end(p);
    return status;
}

/* ---- output */

static tacit_status print_rows(const cell *cells, size_t n, const grid *g, const char *statement,
                               tc_format format, tacit_error *err)
{
    static const char *const names[] = {"rounds", "sampling_rate", "noise_multiplier", "pld",
                                        "rdp",    "moments",       "gaussian",         "pld_lower",
                                        "delta",  "statement"};
    bool people = format == TC_FORMAT_TABLE;
    tc_table *t = tc_table_new(people ? 7 : 10, names);
    for (size_t i = 0; i < n; i++) {
        tc_table_integer(t, 0, (int64_t)cells[i].event.count);
        tc_table_number(t, 1, cells[i].event.sampling_rate);
        tc_table_number(t, 2, cells[i].event.parameter);
        for (size_t k = 0; k < ACCOUNTANTS; k++)
            if (!isnan(cells[i].epsilon[k]))
                tc_privacy_cell(t, 3 + k, cells[i].epsilon[k], tacit_epsilon_text, people);
        if (!people) {
            tc_table_number(t, 7, cells[i].lower);
            tc_table_number(t, 8, g->delta);
            tc_table_text(t, 9, statement);
        }
        tc_table_end_row(t);
    }
    return tc_table_print(t, format, stdout, err);
}

static json_t *cell_json(const cell *c)
{
    json_t *j = json_object();
    bool ok = j &&
              json_object_set_new(j, "rounds", json_integer((json_int_t)c->event.count)) == 0 &&
              json_object_set_new(j, "sampling_rate", json_real(c->event.sampling_rate)) == 0 &&
              json_object_set_new(j, "noise_multiplier", json_real(c->event.parameter)) == 0;
    for (size_t i = 0; i < ACCOUNTANTS && ok; i++)
        ok = json_object_set_new(j, accountants[i], tc_privacy_number(c->epsilon[i])) == 0;
    if (ok && json_object_set_new(j, "pld_lower", tc_privacy_number(c->lower)) == 0)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *plan_json(const cell *cells, size_t n, const grid *g, const char *statement)
{
    json_t *rows = json_array(), *j = json_object();
    bool ok = rows && j;
    for (size_t i = 0; i < n && ok; i++)
        ok = json_array_append_new(rows, cell_json(&cells[i])) == 0;
    if (ok && json_object_set_new(j, "delta", json_real(g->delta)) == 0 &&
        json_object_set_new(j, "statement", json_string(statement)) == 0 &&
        json_object_set(j, "plan", rows) == 0) {
        json_decref(rows);
        return j;
    }
    json_decref(rows);
    json_decref(j);
    return NULL;
}

static tacit_status print(const cell *cells, size_t n, const grid *g, int unit, int format,
                          tacit_error *err)
{
    tc_text statement = {0};
    char delta[32], *scope;
    TC_TRY(tacit_statement(NULL, 0, (tacit_unit)unit, TACIT_DP_ALL, &scope, err));
    tacit_delta_text(delta, g->delta);
    tc_text_addf(&statement, "Epsilon for every %s, at delta %s, by each accountant. %s",
                 tacit_unit_name((tacit_unit)unit), delta, scope);
    tacit_text_free(scope);
    const char *text = tc_text_get(&statement);
    tacit_status status;
    if (format == TC_FORMAT_JSON)
        status = tc_privacy_print_json(plan_json(cells, n, g, text), false, err);
    else
        status = print_rows(cells, n, g, text, (tc_format)format, err);
    if (status == TACIT_OK && format == TC_FORMAT_TABLE) {
        putchar('\n');
        tc_privacy_paragraph(text);
    }
    tc_text_fini(&statement);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const plan_opts *o = in->opts;
    grid g;
    if (in->n_args > 0)
        return tc_privacy_plan_study(in, in->args[0], err);
    TC_TRY(read_grid(o, in->quiet, &g, err));
    cell *cells = tc_alloc(g.rounds.n * g.rate.n * g.multiplier.n, sizeof *cells);
    if (!cells)
        return tc_fail_memory(err);
    size_t n = list_cells(&g, cells);
    tacit_status status = fill_all(&g, cells, n, in->quiet, err);
    if (status == TACIT_OK)
        status = print(cells, n, &g, o->unit, in->format, err);
    tc_free(cells);
    return status;
}

const tc_verb tc_verb_privacy_plan = {
    .name = "privacy plan",
    .usage = "[STUDY.json] [options]",
    .summary = "what releases would cost, of a study or over a grid, before anything is spent",
    .details =
        "Shows what Gaussian releases would cost for all combinations of three lists, by\n"
        "every accountant. Nothing is spent, and nothing depends on data: choose here, then\n"
        "fix the choice in the study document.\n"
        "\n"
        "Noise on a mean is proportional to noise multiplier over sampling rate: compare\n"
        "rows at equal quotient. An empty cell: the accountant has no formula for sampling.\n"
        "Rates below 1 need --unit agent.\n"
        "\n"
        "With the document of a federated study: the releases that it plans, what each is about,\n"
        "its noise, and epsilon of it alone and of all so far, at the document's delta. What the\n"
        "lists say does not count then. Last comes what the study may gain at best over agents\n"
        "that work alone, if their functions are alike (JSON: expect), from a table that\n"
        "simulations made; dp-fts-de alone has one.\n"
        "\n"
        "  tacit privacy plan ward.json\n"
        "  tacit privacy plan --agents 200\n"
        "  tacit privacy plan --rounds 1,3,40 --sampling-rate 1 --noise-multiplier 4,8,16 \\\n"
        "      --delta 1e-5 --format csv",
    .options = options,
    .options_size = sizeof(plan_opts),
    .max_args = 1,
    .run = run,
};
