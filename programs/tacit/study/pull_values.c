/* pull_values.c - see pull_values.h. Sums are of whole numbers, so any order of the lines gives the same. */
#include "study/pull_values.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 256 };

/* ---- the range ---- */

tc_value_range tc_value_range_of(const tacit_document *doc)
{
    tc_value_range r;
    tacit_document_range(doc, &r.low, &r.high);
    return r;
}

bool tc_value_outside(tc_value_range r, double value)
{
    return value < r.low || value > r.high;
}

/* ---- one value ---- */

tacit_status tc_read_value(const char *name, const char *word, bool nan, double *out,
                           tacit_error *err)
{
    char line[LINE_BYTES];
    bool piped = strcmp(word, "-") == 0;
    if (piped && !fgets(line, sizeof line, stdin))
        return tc_fail(err, TACIT_E_ARG, "%s is - and standard input has no line", name);
    if (piped) {
        line[strcspn(line, "\r\n")] = '\0';
        word = line;
    }
    if (nan && strcmp(word, "nan") == 0)
        *out = (double)NAN;
    else if (!tc_parse_double(word, out))
        return tc_fail(err, TACIT_E_ARG, "%s must be a finite number%s, got \"%.40s\"", name,
                       nan ? " or nan" : "", word);
    return TACIT_OK;
}

/* ---- values ---- */

void tc_pull_values_fini(tc_pull_values *v)
{
    tc_free(v->list);
    *v = (tc_pull_values){0};
}

/* Where values come from, and what is made of them. */
typedef struct source {
    tacit_study *study;
    tc_value_range range;
    bool listed;
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
    v->outside += tc_value_outside(from->range, value);
    if (v->n++ == 0)
        v->first = value;
    if (from->listed)
        return list(v, value, err);
    tacit_status status = tacit_study_add_pull(from->study, &v->batch, value, err);
    return status == TACIT_E_UNSUPPORTED && v->n == 1 ? TACIT_OK : status;
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

tacit_status tc_pull_values_read(tc_pull_values *out, tacit_study *study, bool listed,
                                 const char *file, uint64_t most, tacit_error *err)
{
    bool piped = strcmp(file, "-") == 0;
    tc_pull_values v = {0};
    source from = {.study = study,
                   .range = tc_value_range_of(tacit_study_document(study)),
                   .listed = listed,
                   .file = piped ? "standard input" : file,
                   .most = most};
    FILE *f = piped ? stdin : fopen(file, "re");
    if (!f)
        return tc_fail(err, errno == ENOENT ? TACIT_E_NOT_FOUND : TACIT_E_IO,
                       "cannot open \"%.200s\": %s", file, strerror(errno));
    tacit_status status = read_lines(&v, &from, f, err);
    if (!piped)
        fclose(f);
    if (status == TACIT_OK)
        *out = v;
    else
        tc_pull_values_fini(&v);
    return status;
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

tacit_status tc_pull_values_parse(tacit_batch *out, const char *word, tacit_error *err)
{
    tacit_batch b;
    int64_t n;
    const char *at = word;
    bool good = take_whole(&at, ',', &n) && take_whole(&at, ',', &b.sum) &&
                take_whole(&at, '\0', &b.squares);
    b.pulls = good ? (uint64_t)n : 0;
    if (!good)
        return tc_fail(err, TACIT_E_ARG,
                       "--batch must be PULLS,SUM,SQUARES in whole numbers, got \"%.100s\"", word);
    *out = b;
    return TACIT_OK;
}
