/* report_file.c - CSV, JSON and Markdown of what an experiment has shown. See report.h. */
#include "base/error.h"
#include "base/json.h"
#include "papers/frame/report.h"

#include <inttypes.h>
#include <math.h>

static const char *const relations[] = {
    [TC_BELOW] = "below", [TC_LEVEL] = "level", [TC_NO_WORSE] = "no worse", [TC_SAME] = "same"};
static const char *const modes[] = {"paper", "default", "both"};

/* ---- CSV */

void tc_report_csv(const tc_reproduction *r, tc_text *out)
{
    const tc_experiment *e = r->experiment;
    tc_text_add(out, "experiment,arm,line,mode,runs,seed,x,mean,se\n");
    for (size_t k = 0; k < e->n_arms * r->n; k++) {
        const tc_arm *arm = &e->arms[k / r->n];
        tc_text_addf(out, "%s,%s,", e->name, arm->name);
        tc_text_add_csv(out, arm->line);
        tc_text_addf(out, ",%s,%" PRIu64 ",%" PRIu64 ",", modes[arm->mode], r->runs, r->seed);
        tc_text_add_double(out, r->x[k % r->n]);
        tc_text_add(out, ",");
        if (isfinite(r->mean[k]))
            tc_text_add_double(out, r->mean[k]);
        tc_text_add(out, ",");
        if (isfinite(r->mean[k]))
            tc_text_add_double(out, r->se[k]);
        tc_text_add(out, "\n");
    }
}

/* ---- JSON: makers give NULL where there is no memory, and takers pass that on */

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *text_or_null(const char *s)
{
    return s ? json_string(s) : json_null();
}

static json_t *numbers(const double *v, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < n; i++)
        if (json_array_append_new(list, number(v[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *points(const tc_reproduction *r)
{
    const tc_points *p = &r->experiment->x;
    json_t *o = json_pack("{s:s, s:o}", "label", p->label, "at", numbers(r->x, r->n));
    json_t *names = o && p->names ? json_array() : NULL;
    for (size_t i = 0; names && i < r->n; i++)
        (void)json_array_append_new(names, json_string(p->names[i]));
    if (names)
        (void)json_object_set_new(o, "names", names);
    return o;
}

static json_t *arm_of(const tc_reproduction *r, size_t a)
{
    const tc_arm *arm = &r->experiment->arms[a];
    return json_pack("{s:s, s:s, s:s, s:s*, s:s*, s:o, s:o}", "name", arm->name, "line", arm->line,
                     "mode", modes[arm->mode], "algorithm", arm->algorithm, "options", arm->options,
                     "mean", numbers(r->mean + a * r->n, r->n), "se",
                     numbers(r->se + a * r->n, r->n));
}

static json_t *moments(double mean, double se)
{
    return isfinite(mean) ? json_pack("{s:f, s:f}", "mean", mean, "se", se) : json_null();
}

static json_t *outcome(const tc_outcome *o, double x)
{
    json_t *agrees = isnan(o->printed) ? json_null() : json_boolean(tc_outcome_agrees(o));
    return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o}", "line", o->line, "x", x, "printed",
                     number(o->printed), "agrees", agrees, "paper_mode",
                     moments(o->paper_mean, o->paper_se), "default",
                     moments(o->default_mean, o->default_se));
}

static json_t *verdict(const tc_reproduction *r, const tc_verdict *v)
{
    const tc_statement *s = v->statement;
    return json_pack("{s:s, s:s, s:{s:s, s:f}, s:{s:s, s:f}, s:s, s:o, s:o, s:o, s:o}", "statement",
                     s->text, "relation", relations[s->relation], "a", "arm", s->a.arm, "x",
                     r->x[s->a.at], "b", "arm", s->b.arm, "x", r->x[s->b.at], "verdict", v->word,
                     "ratio", number(v->ratio.ratio), "low", number(v->ratio.low), "high",
                     number(v->ratio.high), "p", number(v->p));
}

/* Takes the item, NULL for no memory. */
static bool add(json_t *list, json_t *item)
{
    return json_array_append_new(list, item) == 0;
}

static bool fill_lists(const tc_reproduction *r, const tc_outcome *rows, size_t n_rows,
                       const tc_verdict *verdicts, size_t n_verdicts, json_t *o)
{
    json_t *arms = json_object_get(o, "arms"), *table = json_object_get(o, "table"),
           *statements = json_object_get(o, "statements");
    for (size_t a = 0; a < r->experiment->n_arms; a++)
        if (!add(arms, arm_of(r, a)))
            return false;
    for (size_t i = 0; i < n_rows; i++)
        if (!add(table, outcome(&rows[i], r->x[rows[i].at])))
            return false;
    for (size_t i = 0; i < n_verdicts; i++)
        if (!add(statements, verdict(r, &verdicts[i])))
            return false;
    return true;
}

/* What the table and the verdicts have in common: both are made, used and freed together. */
typedef struct findings {
    tc_outcome *rows;
    tc_verdict *verdicts;
    size_t n_rows, n_verdicts;
} findings;

static tacit_status find(const tc_reproduction *r, findings *f, tacit_error *err)
{
    TC_TRY(tc_report_outcomes(r, &f->rows, &f->n_rows, err));
    return tc_report_verdicts(r, &f->verdicts, &f->n_verdicts, err);
}

static void findings_fini(findings *f)
{
    tc_free(f->rows);
    tc_free(f->verdicts);
}

tacit_status tc_report_json(const tc_reproduction *r, json_t **out, tacit_error *err)
{
    const tc_experiment *e = r->experiment;
    findings f = {0};
    tc_json_start();
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:o, s:i, s:I, s:I, s:b, s:o, s:s, s:[], s:[], "
        "s:[]}",
        "experiment", e->name, "paper", e->paper, "figure", e->figure, "claim", e->claim, "setting",
        e->setting, "stand_in", text_or_null(e->stand_in), "version", (int)e->version, "runs",
        (json_int_t)r->runs, "seed", (json_int_t)r->seed, "quick", r->quick, "x", points(r), "y",
        e->y_label, "arms", "table", "statements");
    tacit_status status = o ? find(r, &f, err) : tc_fail_memory(err);
    if (status == TACIT_OK && !fill_lists(r, f.rows, f.n_rows, f.verdicts, f.n_verdicts, o))
        status = tc_fail_memory(err);
    findings_fini(&f);
    if (status != TACIT_OK) {
        json_decref(o);
        return status;
    }
    *out = o;
    return TACIT_OK;
}

/* ---- Markdown */

/* Sizes and runs, what is not as in the paper, and the command that does it again. */
static void add_setting(const tc_reproduction *r, tc_text *out)
{
    const tc_experiment *e = r->experiment;
    tc_text_addf(out, "%s; %" PRIu64 " run%s, seed %" PRIu64 "%s. ", e->setting, r->runs,
                 r->runs == 1 ? "" : "s", r->seed, r->quick ? ", quick" : "");
    if (e->stand_in)
        tc_text_addf(out, "Not as in the paper: %s. ", e->stand_in);
    tc_text_addf(out, "`tacit-papers %s --runs %" PRIu64, e->name, r->runs);
    if (r->seed != 1)
        tc_text_addf(out, " --seed %" PRIu64, r->seed);
    tc_text_addf(out, "%s%s`\n\n", r->quick ? " --quick" : "", e->data ? " --data DIR" : "");
}

static void add_row(const tc_reproduction *r, const tc_outcome *o, tc_text *out)
{
    tc_text_addf(out, "| %s | ", o->line);
    tc_report_point(r, o->at, out);
    tc_text_add(out, " | ");
    if (isnan(o->printed))
        tc_text_add(out, "–");
    else
        tc_text_addf(out, "%g%s", o->printed, tc_outcome_agrees(o) ? "" : " *");
    tc_text_add(out, " | ");
    tc_report_moments(o->paper_mean, o->paper_se, out);
    tc_text_add(out, " | ");
    tc_report_moments(o->default_mean, o->default_se, out);
    tc_text_add(out, " |\n");
}

static void add_verdict(const tc_verdict *v, tc_text *out)
{
    tc_text_addf(out, "- %s: **%s**", v->statement->text, v->word);
    tc_report_ratio(v, out);
    tc_text_add(out, "\n");
}

tacit_status tc_report_markdown(const tc_reproduction *r, tc_text *out, tacit_error *err)
{
    const tc_experiment *e = r->experiment;
    findings f = {0};
    tacit_status status = find(r, &f, err);
    add_setting(r, out);
    tc_text_addf(
        out, "| %s | %s | paper | tacit (paper mode) | tacit (default) |\n|---|---|---|---|---|\n",
        e->y_label, e->x.label);
    for (size_t i = 0; status == TACIT_OK && i < f.n_rows; i++)
        add_row(r, &f.rows[i], out);
    tc_text_add(out, f.n_verdicts ? "\n" : "");
    for (size_t i = 0; status == TACIT_OK && i < f.n_verdicts; i++)
        add_verdict(&f.verdicts[i], out);
    findings_fini(&f);
    if (status == TACIT_OK && out->failed)
        status = tc_fail_memory(err);
    return status;
}
