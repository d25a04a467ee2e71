/* simulate_warm.c - trials that exist before a simulation begins, from a CSV file.
 *
 * The header has "agent" (from 0), "value" and the parameters of the objective; of a finite one
 * "point" (from 0) or its coordinates. Nothing else: a column that is misspelled must not be passed
 * over. */
#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "frame/point.h"
#include "simulate/simulate.h"

#include <string.h>

#define MOST_BYTES ((size_t)1 << 30)
#define NONE       SIZE_MAX

typedef struct reader {
    tc_csv csv;
    tc_point point;
    size_t *what; /* by column: what it sets in the point, or NONE */
    size_t agent, value;
    uint64_t agents;
    tc_warm *out;
} reader;

static tacit_status unknown_column(const reader *r, size_t k, tacit_error *err)
{
    const tacit_space *s = r->point.space;
    size_t params = tacit_space_params(s);
    tc_text names = {0};
    for (size_t i = 0; i < tacit_space_columns(s); i++)
        tc_text_addf(&names, "%s%s",
                     i == 0        ? ""
                     : i == params ? ", or its coordinates "
                                   : ", ",
                     tacit_space_column_name(s, i));
    tacit_status status =
        tc_csv_fail(&r->csv, k + 1, err,
                    "\"%s\" is neither agent, value nor a parameter of the objective (%.200s)",
                    r->csv.field[k], tc_text_get(&names));
    tc_text_fini(&names);
    return status;
}

static tacit_status read_header(reader *r, tacit_error *err)
{
    tc_csv *c = &r->csv;
    TC_TRY(tc_csv_next(c, err));
    r->agent = r->value = NONE;
    r->what = tc_alloc(c->n + 1, sizeof *r->what);
    if (!r->what)
        return tc_fail_memory(err);
    for (size_t k = 0; k < c->n; k++) {
        r->what[k] = tc_point_find(&r->point, c->field[k]);
        if (strcmp(c->field[k], "agent") == 0)
            r->agent = k;
        else if (strcmp(c->field[k], "value") == 0)
            r->value = k;
        else if (r->what[k] == NONE)
            return unknown_column(r, k, err);
    }
    if (r->agent == NONE || r->value == NONE)
        return tc_fail(err, TACIT_E_ARG, "%s: the header has no column \"%s\"", c->what,
                       r->agent == NONE ? "agent" : "value");
    return TACIT_OK;
}

static tacit_status read_point(reader *r, tacit_error *err)
{
    const tc_csv *c = &r->csv;
    tacit_error why;
    tc_point_start(&r->point, NULL);
    for (size_t k = 0; k < c->n; k++)
        if (k != r->agent && k != r->value &&
            tc_point_set(&r->point, r->what[k], c->field[k], &why) != TACIT_OK)
            return tc_csv_fail(c, k + 1, err, "%s", why.msg);
    if (tc_point_end(&r->point, &why) != TACIT_OK)
        return tc_csv_fail(c, 0, err, "%s", why.msg);
    return TACIT_OK;
}

static tacit_status keep(reader *r, uint64_t agent, double y, tacit_error *err)
{
    tc_warm *w = r->out;
    size_t d = tacit_space_params(r->point.space);
    if (!tc_grow((void **)&w->values, &w->values_cap, (w->n + 1) * d, sizeof *w->values) ||
        !tc_grow((void **)&w->known, &w->cap, w->n + 1, sizeof *w->known))
        return tc_fail_memory(err);
    memcpy(w->values + w->n * d, r->point.values, d * sizeof *w->values);
    w->known[w->n++] = (tacit_known_trial){.agent = agent, .value = y};
    return TACIT_OK;
}

static tacit_status read_row(reader *r, tacit_error *err)
{
    const tc_csv *c = &r->csv;
    unsigned long long agent;
    double y;
    if (!tc_parse_u64(c->field[r->agent], &agent) || agent >= r->agents)
        return tc_csv_fail(c, r->agent + 1, err,
                           "agent must be a number from 0 to %llu, got \"%s\"",
                           (unsigned long long)r->agents - 1, c->field[r->agent]);
    if (!tc_parse_double(c->field[r->value], &y))
        return tc_csv_fail(c, r->value + 1, err, "value must be a finite number, got \"%s\"",
                           c->field[r->value]);
    TC_TRY(read_point(r, err));
    return keep(r, agent, y, err);
}

static tacit_status read_all(reader *r, tacit_error *err)
{
    TC_TRY(read_header(r, err));
    for (;;) {
        TC_TRY(tc_csv_next(&r->csv, err));
        if (r->csv.n == 0)
            break;
        TC_TRY(read_row(r, err));
    }
    tc_warm *w = r->out;
    if (w->n == 0)
        return tc_fail(err, TACIT_E_ARG, "%s: there is a header and no trial", r->csv.what);
    for (size_t i = 0; i < w->n; i++) /* now that nothing moves any more */
        w->known[i].values = w->values + i * tacit_space_params(r->point.space);
    return TACIT_OK;
}

tacit_status tc_warm_read(tc_warm *w, const char *file, const tacit_space *space, uint64_t agents,
                          tacit_error *err)
{
    reader r = {.out = w, .agents = agents};
    char *text;
    size_t len;
    TC_TRY(tc_file_read(file, MOST_BYTES, &text, &len, err));
    tc_csv_init(&r.csv, text, len, file);
    tacit_status status = tc_point_init(&r.point, space, err);
    if (status == TACIT_OK)
        status = read_all(&r, err);
    tc_point_fini(&r.point);
    tc_csv_fini(&r.csv);
    tc_free(r.what);
    tc_free(text);
    return status;
}

void tc_warm_fini(tc_warm *w)
{
    tc_free(w->known);
    tc_free(w->values);
    *w = (tc_warm){0};
}
