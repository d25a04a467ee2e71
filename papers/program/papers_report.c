/* papers_report.c - what an experiment has shown, for people and as files. */
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "papers/program/papers_int.h"

#include <math.h>

void tc_duration(char *out, size_t size, double seconds)
{
    if (seconds < 90)
        snprintf(out, size, "%.0f s", fmax(seconds, 1));
    else if (seconds < 5400)
        snprintf(out, size, "%.0f min", seconds / 60);
    else
        snprintf(out, size, "%.1f h", seconds / 3600);
}

/* -- files --------------------------------------------------------------------------------- */

static tacit_status write_file(const tc_reproduction *r, const char *out, const char *name,
                               const tc_text *text, tacit_error *err)
{
    tc_text path = {0};
    tc_text_addf(&path, "%s/%s/%s", out, r->experiment->name, name);
    tacit_status status =
        path.failed || text->failed
            ? tc_fail_memory(err)
            : tc_file_write(tc_text_get(&path), tc_text_get(text), text->len, err);
    tc_text_fini(&path);
    return status;
}

static tacit_status make_summary(const tc_reproduction *r, tc_text *out, tacit_error *err)
{
    json_t *o;
    TC_TRY(tc_report_json(r, &o, err));
    char *text = tc_json_text(o);
    json_decref(o);
    if (!text)
        return tc_fail_memory(err);
    tc_text_addf(out, "%s\n", text);
    tc_free(text);
    return TACIT_OK;
}

static tacit_status make_curves(const tc_reproduction *r, tc_text *out, tacit_error *err)
{
    (void)err;
    tc_report_csv(r, out);
    return TACIT_OK;
}

tacit_status tc_reproduce_files(const tc_reproduction *r, const char *out, tacit_error *err)
{
    static const struct {
        const char *name;
        tacit_status (*make)(const tc_reproduction *r, tc_text *out, tacit_error *err);
    } files[] = {{"figure.svg", tc_reproduce_figure},
                 {"table.md", tc_report_markdown},
                 {"curves.csv", make_curves},
                 {"summary.json", make_summary}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        tc_text text = {0};
        tacit_status status = files[i].make(r, &text, err);
        if (status == TACIT_OK)
            status = write_file(r, out, files[i].name, &text, err);
        tc_text_fini(&text);
        TC_TRY(status);
    }
    return TACIT_OK;
}

/* -- the table ----------------------------------------------------------------------------- */

/* A cell of text that is made for it. */
static void put(tc_table *t, size_t column, tc_text *text)
{
    tc_table_text(t, column, tc_text_get(text));
    tc_text_fini(text);
}

static void put_moments(tc_table *t, size_t column, double mean, double se)
{
    tc_text text = {0};
    tc_report_moments(mean, se, &text);
    put(t, column, &text);
}

static void put_row(const tc_reproduction *r, const tc_outcome *o, tc_table *t)
{
    tc_text point = {0}, printed = {0};
    tc_report_point(r, o->at, &point);
    if (isnan(o->printed))
        tc_text_add(&printed, "–");
    else
        tc_text_addf(&printed, "%g%s", o->printed, tc_outcome_agrees(o) ? "" : " *");
    tc_table_text(t, 0, o->line);
    put(t, 1, &point);
    put(t, 2, &printed);
    put_moments(t, 3, o->paper_mean, o->paper_se);
    put_moments(t, 4, o->default_mean, o->default_se);
    tc_table_end_row(t);
}

static tacit_status show_table(const tc_reproduction *r, tc_format format, tacit_error *err)
{
    const char *const names[] = {r->experiment->y_label, r->experiment->x.label, "paper",
                                 "tacit (paper mode)", "tacit (default)"};
    tc_outcome *rows;
    size_t n;
    TC_TRY(tc_report_outcomes(r, &rows, &n, err));
    tc_table *t = tc_table_new(sizeof names / sizeof *names, names);
    bool differs = false;
    for (size_t i = 0; t && i < n; i++) {
        put_row(r, &rows[i], t);
        differs = differs || (!isnan(rows[i].printed) && !tc_outcome_agrees(&rows[i]));
    }
    tc_free(rows);
    TC_TRY(t ? tc_table_print(t, format, stdout, err) : tc_fail_memory(err));
    if (differs && format == TC_FORMAT_TABLE)
        puts("* not within two standard errors of ours");
    return TACIT_OK;
}

static tacit_status show_verdicts(const tc_reproduction *r, tacit_error *err)
{
    tc_verdict *rows;
    size_t n;
    TC_TRY(tc_report_verdicts(r, &rows, &n, err));
    for (size_t i = 0; i < n; i++) {
        tc_text ratio = {0};
        tc_report_ratio(&rows[i], &ratio);
        printf("%-12s %s%s\n", rows[i].word, rows[i].statement->text, tc_text_get(&ratio));
        tc_text_fini(&ratio);
    }
    tc_free(rows);
    return TACIT_OK;
}

static void show_head(const tc_reproduction *r)
{
    const tc_experiment *e = r->experiment;
    printf("%s: %s, %s\n", e->name, e->paper, e->figure);
    printf("The paper: %s.\n%s.\n", e->claim, e->setting);
    if (e->stand_in)
        printf("Not as in the paper: %s.\n", e->stand_in);
    putchar('\n');
}

tacit_status tc_reproduce_show(const tc_reproduction *r, tc_format format, tacit_error *err)
{
    if (format == TC_FORMAT_JSON || format == TC_FORMAT_JSONL) {
        tc_text text = {0};
        tacit_status status = make_summary(r, &text, err);
        fputs(tc_text_get(&text), stdout);
        tc_text_fini(&text);
        return status;
    }
    if (format == TC_FORMAT_CSV)
        return show_table(r, format, err);
    show_head(r);
    TC_TRY(show_table(r, format, err));
    TC_TRY(show_verdicts(r, err));
    putchar('\n');
    return TACIT_OK;
}
