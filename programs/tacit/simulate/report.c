/* report.c - what a simulation has found: files, and tables for people. */
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "privacy/privacy_cli.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- pieces -------------------------------------------------------------------------------- */

bool tc_report_milestone(uint64_t i, uint64_t last)
{
    uint64_t lead = i;
    while (lead > 0 && lead % 10 == 0)
        lead /= 10;
    return lead <= 2 || lead == 5 || i == last;
}

void tc_simulate_moments(tc_table *t, size_t column, double mean, double se)
{
    char cell[64] = "none yet"; /* no initial points: no regret before the first trial */
    if (isfinite(mean))
        snprintf(cell, sizeof cell, TC_REPORT_MOMENTS, mean, se);
    tc_table_text(t, column, cell);
}

/* A list as it is or, if it is long, its ends: "0,1,...,39". */
static void add_list(tc_text *out, const char *list)
{
    const char *second = strchr(list, ','), *third = second ? strchr(second + 1, ',') : NULL;
    if (third && strlen(list) > 24)
        tc_text_addf(out, "%.*s,...%s", (int)(third - list), list, strrchr(list, ','));
    else
        tc_text_add(out, list);
}

void tc_report_add_value(tc_text *out, const json_t *v)
{
    if (json_is_string(v))
        add_list(out, json_string_value(v));
    else if (json_is_boolean(v))
        tc_text_add(out, json_is_true(v) ? "true" : "false");
    else
        tc_text_addf(out, "%.6g", json_number_value(v));
}

void tc_report_wrapped(const char *text, int indent)
{
    int at = printf("%*s", indent, "");
    while (*text) {
        const char *comma = strstr(text, ", ");
        int n = comma ? (int)(comma - text) + 1 : (int)strlen(text);
        if (at > indent && at + 1 + n > 80)
            at = printf("\n%*s", indent, "") - 1;
        at += printf("%s%.*s", at > indent ? " " : "", n, text);
        text += n + (comma != NULL);
    }
    putchar('\n');
}

static void ratio_row(tc_table *t, size_t of, double at, const tacit_ratio *ratio)
{
    char cell[64];
    snprintf(cell, sizeof cell, "%c / A", (char)('A' + of));
    tc_table_text(t, 0, cell);
    tc_table_integer(t, 1, (int64_t)at);
    snprintf(cell, sizeof cell, "%.3g", ratio->ratio);
    tc_table_text(t, 2, cell);
    snprintf(cell, sizeof cell, "%.3g to %.3g", ratio->low, ratio->high);
    tc_table_text(t, 3, isnan(ratio->low) ? "–" : cell);
    snprintf(cell, sizeof cell, "%.2g", ratio->p);
    tc_table_text(t, 4, cell);
    tc_table_end_row(t);
}

tacit_status tc_report_ratios(tacit_simulation *all, const tc_shown *first, const char *regret,
                              tacit_error *err)
{
    const tacit_curves *c = first->s->curves;
    const char *const names[] = {"ratio of", c->by_pulls ? "pulls" : "iteration", "ratio",
                                 "95 % interval", "p"};
    const tacit_contrast *rows;
    size_t n;
    bool bare = false;
    TC_TRY(tacit_simulation_contrasts(all, &rows, &n, err));
    if (n == 0)
        return TACIT_OK;
    tc_table *t = tc_table_new(5, names);
    for (size_t i = 0; t && i < n; i++) {
        ratio_row(t, rows[i].of, c->at[rows[i].point], &rows[i].ratio);
        bare = bare || isnan(rows[i].ratio.low);
    }
    if (!t)
        return tc_fail_memory(err);
    printf("\nRatios of mean %s regrets, runs paired:\n\n", regret);
    TC_TRY(tc_table_print(t, TC_FORMAT_TABLE, stdout, err));
    if (bare && c->runs < TACIT_INTERVAL_RUNS)
        printf("–: an interval takes %d runs, and there are %llu.\n", TACIT_INTERVAL_RUNS,
               (unsigned long long)c->runs);
    else if (bare)
        printf("–: too few runs, too much alike, or too few with any regret: no interval.\n");
    return TACIT_OK;
}

/* -- one party ----------------------------------------------------------------------------- */

static void print_paragraph(const char *text)
{
    if (!*text)
        return;
    putchar('\n');
    tc_privacy_paragraph(text);
}

static tacit_status print_single(const tc_shown *shown, tacit_error *err)
{
    static const char *const names[] = {"trial", "simple regret", "cumulative regret"};
    const tacit_curves *c = shown->s->curves;
    tc_table *t = tc_table_new(3, names);
    for (size_t i = 0; t && i < c->points; i++) {
        if (!tc_report_milestone(i + 1, c->points))
            continue;
        tc_table_integer(t, 0, (int64_t)i + 1);
        tc_simulate_moments(t, 1, c->simple_mean[i], c->simple_se[i]);
        tc_simulate_moments(t, 2, c->cumulative_mean[i], c->cumulative_se[i]);
        tc_table_end_row(t);
    }
    printf("%s on %s: %llu run%s of %zu trials, seed %llu, %.2f s; mean ± standard error\n\n",
           c->algorithm, c->objective, (unsigned long long)c->runs, c->runs == 1 ? "" : "s",
           c->points, (unsigned long long)c->seed, c->seconds);
    if (!t)
        return tc_fail_memory(err);
    TC_TRY(tc_table_print(t, TC_FORMAT_TABLE, stdout, err));
    print_paragraph(shown->s->theorem);
    print_paragraph(shown->s->statement);
    return TACIT_OK;
}

/* -- for people ---------------------------------------------------------------------------- */

static tacit_status parse(const char *text, json_t **out, tacit_error *err)
{
    return text ? tc_json_parse(text, strlen(text), "options", out, err) : TACIT_OK;
}

static tacit_status look(tc_shown *c, const tacit_simulated *s, double drop, tacit_error *err)
{
    *c = (tc_shown){.s = s, .drop = drop};
    TC_TRY(parse(s->options, &c->options, err));
    TC_TRY(parse(s->shown, &c->shown, err));
    TC_TRY(parse(s->given, &c->given, err));
    return parse(s->expect, &c->expect, err);
}

static tacit_status print_tables(tacit_simulation *all, const tacit_simulation_plan *p,
                                 tacit_error *err)
{
    tc_shown c[TACIT_CONTENDERS_MOST] = {{0}};
    size_t n = tacit_simulation_count(all);
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < n && status == TACIT_OK; i++)
        status = look(&c[i], tacit_simulation_get(all, i), p->drop, err);
    if (status == TACIT_OK && n > 0) /* a plan has at least one */
        status = !c->s->label             ? print_single(c, err)
                 : c->s->curves->by_pulls ? tc_report_bandits(all, c, n, p, err)
                                          : tc_report_federation(all, c, n, err);
    for (size_t i = 0; i < n; i++) {
        json_decref(c[i].options);
        json_decref(c[i].shown);
        json_decref(c[i].given);
        json_decref(c[i].expect);
    }
    return status;
}

/* -- all of it ----------------------------------------------------------------------------- */

static bool is_json(const char *file)
{
    size_t n = strlen(file);
    return n > 5 && strcmp(file + n - 5, ".json") == 0;
}

/* To a file, or to standard output. */
static tacit_status put(const tacit_simulation *all, tacit_curve_form form, const char *file,
                        tacit_error *err)
{
    char *text;
    TC_TRY(tacit_simulation_text(all, form, &text, err));
    tacit_status status = TACIT_OK;
    if (file)
        status = tc_file_write(file, text, strlen(text), err);
    else
        fputs(text, stdout);
    tacit_text_free(text);
    return status;
}

/* A file that cannot be written takes nothing else with it. Files come first: who reads the table may go
 * away, and that ends the program. */
tacit_status tc_simulate_report(tacit_simulation *all, const tc_simulate_opts *o, int format,
                                tacit_error *err)
{
    tacit_status first = TACIT_OK, status = TACIT_OK;
    if (o->out)
        first = put(all, is_json(o->out) ? TACIT_CURVES_JSON : TACIT_CURVES_CSV, o->out, err);
    if (o->by_agent)
        status = put(all, TACIT_CURVES_BY_AGENT, o->by_agent, first == TACIT_OK ? err : NULL);
    first = first == TACIT_OK ? status : first;
    tacit_error *why = first == TACIT_OK ? err : NULL;
    if (format == TC_FORMAT_TABLE)
        status = print_tables(all, &o->plan, why);
    else
        status =
            put(all, format == TC_FORMAT_CSV ? TACIT_CURVES_CSV : TACIT_CURVES_JSON, NULL, why);
    return first == TACIT_OK ? status : first;
}
