/* pull_values.c - see pull_values.h. Sums are of whole numbers, so any order of the lines gives the same. */
#include "study/pull_values.h"

#include "algo/batch.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 256 };

/* ---- the range ---- */

/* An option as it is given, else its default; `none` where the algorithm has no such option. */
static double number_of(const tc_study_doc *doc, const char *name, double none)
{
    const json_t *given = json_object_get(doc->options, name);
    for (const tc_option *o = doc->algorithm->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0 && (json_is_number(given) || tc_parse_double(o->def, &none)))
            return json_is_number(given) ? json_number_value(given) : none;
    return none;
}

tc_value_range tc_value_range_of(const tc_study_doc *doc)
{
    tc_value_range r = {-(double)INFINITY, (double)INFINITY};
    if (doc->algorithm->optimizer && doc->algorithm->optimizer->batch) {
        r.low = number_of(doc, "low", r.low);
        r.high = number_of(doc, "high", r.high);
    }
    return doc->maximize ? r : (tc_value_range){0 - r.high, 0 - r.low};
}

bool tc_value_outside(tc_value_range r, double value)
{
    return value < r.low || value > r.high;
}

/* ---- values ---- */

void tc_pull_values_fini(tc_pull_values *v)
{
    tc_free(v->list);
    *v = (tc_pull_values){0};
}

/* Where values come from, and what is made of them. */
typedef struct source {
    const tc_study_doc *doc;
    const tc_study *study; /* or NULL */
    const char *file;
    uint64_t most;
} source;

static tacit_status list(tc_pull_values *v, double value, tacit_error *err)
{
    if (!tc_grow((void **)&v->list, &v->cap, (size_t)v->n, sizeof *v->list))
        return tc_fail_memory(err);
    v->list[v->n - 1] = value;
    return TACIT_OK;
}

/* A single value is welcome everywhere; only of several are rewards needed. */
static tacit_status add(tc_pull_values *v, const source *from, double value, tacit_error *err)
{
    int64_t reward;
    v->outside += tc_value_outside(tc_value_range_of(from->doc), value);
    if (v->n++ == 0)
        v->first = value;
    if (!from->study)
        return list(v, value, err);
    tacit_status st = tc_study_reward(from->study, value, &reward, err);
    if (st == TACIT_OK)
        tc_batch_add(&v->batch, reward);
    return st == TACIT_E_UNSUPPORTED && v->n == 1 ? TACIT_OK : st;
}

static tacit_status add_line(tc_pull_values *v, const source *from, char *line, tacit_error *err)
{
    double value;
    line[strcspn(line, "\r\n")] = '\0';
    if (!tc_parse_double(line, &value))
        return tc_fail(err, TACIT_E_ARG,
                       "%.200s, line %" PRIu64 ": a value must be a finite number, got \"%.50s\"",
                       from->file, v->n + 1, line);
    if (v->n == from->most)
        return tc_fail(err, TACIT_E_ARG,
                       "%.200s has more values than pulls were asked for, which are %" PRIu64,
                       from->file, from->most);
    return add(v, from, value, err);
}

static tacit_status read_lines(tc_pull_values *v, const source *from, FILE *f, tacit_error *err)
{
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, f))
        TC_TRY(add_line(v, from, line, err));
    if (ferror(f))
        return tc_fail(err, TACIT_E_IO, "cannot read \"%.200s\": %s", from->file, strerror(errno));
    if (v->n == 0)
        return tc_fail(err, TACIT_E_ARG, "%.200s has no value", from->file);
    return TACIT_OK;
}

tacit_status tc_pull_values_read(tc_pull_values *out, const tc_study_doc *doc,
                                 const tc_study *study, const char *file, uint64_t most,
                                 tacit_error *err)
{
    bool piped = strcmp(file, "-") == 0;
    tc_pull_values v = {0};
    source from = {
        .doc = doc, .study = study, .file = piped ? "standard input" : file, .most = most};
    FILE *f = piped ? stdin : fopen(file, "re");
    if (!f)
        return tc_fail(err, errno == ENOENT ? TACIT_E_NOT_FOUND : TACIT_E_IO,
                       "cannot open \"%.200s\": %s", file, strerror(errno));
    tacit_status st = read_lines(&v, &from, f, err);
    if (!piped)
        fclose(f);
    if (st == TACIT_OK)
        *out = v;
    else
        tc_pull_values_fini(&v);
    return st;
}

/* The whole number before `end`, of at most 18 digits; moves past it. */
static bool take_whole(const char **at, char end, int64_t *out)
{
    size_t digits = strspn(*at, "0123456789");
    int64_t v = 0;
    if (digits == 0 || digits > 18 || (*at)[digits] != end)
        return false;
    for (size_t i = 0; i < digits; i++)
        v = 10 * v + ((*at)[i] - '0');
    *at += digits + (end != '\0');
    *out = v;
    return true;
}

tacit_status tc_pull_values_parse(tc_batch *out, const char *word, tacit_error *err)
{
    tc_batch b;
    int64_t n;
    const char *at = word;
    bool good = take_whole(&at, ',', &n) && take_whole(&at, ',', &b.sum) &&
                take_whole(&at, '\0', &b.squares);
    b.n = good ? (uint64_t)n : 0;
    if (!good)
        return tc_fail(err, TACIT_E_ARG,
                       "--batch must be PULLS,SUM,SQUARES in whole numbers, got \"%.100s\"", word);
    *out = b;
    return TACIT_OK;
}
