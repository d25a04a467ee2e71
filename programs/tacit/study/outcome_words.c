/* outcome_words.c - see outcome_words.h. */
#include "study/outcome_words.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tc_outcome_words_of(tc_outcome_words *o, const tacit_document *doc)
{
    *o = (tc_outcome_words){.n = tacit_document_outcomes(doc),
                            .objectives = tacit_document_objectives(doc)};
    for (size_t i = 0; i < o->n; i++) {
        o->of[i] = (tacit_outcome)TACIT_OUTCOME;
        (void)tacit_document_outcome(doc, i, &o->of[i], NULL); /* there is one */
    }
}

size_t tc_outcome_words_find(const tc_outcome_words *o, const char *name)
{
    size_t i = 0;
    while (i < o->n && strcmp(o->of[i].name, name) != 0)
        i++;
    return i;
}

tacit_status tc_outcome_words_of_study(tc_outcome_words *o, const tacit_study *s, const char *of,
                                       size_t *out, tacit_error *err)
{
    tc_outcome_words_of(o, tacit_study_document(s));
    *out = of ? tc_outcome_words_find(o, of) : 0;
    return *out < o->n ? TACIT_OK
                       : tc_fail(err, TACIT_E_ARG, "--of: study %s has no outcome \"%.64s\"",
                                 tacit_study_name(s), of);
}

bool tc_outcome_words_are(const char *word)
{
    return *word == '{' || strchr(word, '=');
}

void tc_outcome_words_text(const tc_outcome_words *o, size_t n, const double *values, char *out,
                           size_t size)
{
    size_t at = 0;
    *out = '\0';
    for (size_t i = 0; i < n && at < size; i++) {
        int more =
            snprintf(out + at, size - at, "%s%s=%.6g", i > 0 ? ", " : "", o->of[i].name, values[i]);
        at += more > 0 ? (size_t)more : 0;
    }
}

/* What the word must be, and which part of it is not. */
static tacit_status refuse(const tc_outcome_words *o, size_t n, const char *what, const char *word,
                           const char *why, tacit_error *err)
{
    tc_text form = {0};
    for (size_t i = 0; i < n; i++)
        tc_text_addf(&form, "%s%s=NUMBER", i > 0 ? "," : "", o->of[i].name);
    tacit_status status = form.failed
                              ? tc_fail_memory(err)
                              : tc_fail(err, TACIT_E_ARG, "%s must be %s, got \"%.100s\": %s", what,
                                        tc_text_get(&form), word, why);
    tc_text_fini(&form);
    return status;
}

enum { WHY = 160 };

/* One "name=number" in a text of its own. False: why it is none. */
static bool read_part(const tc_outcome_words *o, size_t n, char *part, double *out, char why[WHY])
{
    char *value = strchr(part, '=');
    if (!value) {
        snprintf(why, WHY, "\"%.40s\" is not NAME=NUMBER", part);
        return false;
    }
    *value++ = '\0';
    part += strspn(part, " ");
    const size_t i = tc_outcome_words_find(o, part);
    if (i >= n)
        snprintf(why, WHY, "\"%.64s\" is no %s of the study", part,
                 n == o->n ? "outcome" : "objective");
    else if (!isnan(out[i]))
        snprintf(why, WHY, "%s is given twice", part);
    else if (!tc_parse_double(value, &out[i]))
        snprintf(why, WHY, "\"%.40s\" of %s is not a finite number", value, part);
    else
        return true;
    return false;
}

static bool read_parts(const tc_outcome_words *o, size_t n, char *text, double *out, char why[WHY])
{
    char *rest = NULL;
    for (char *part = strtok_r(text, ",", &rest); part; part = strtok_r(NULL, ",", &rest))
        if (!read_part(o, n, part, out, why))
            return false;
    for (size_t i = 0; i < n; i++)
        if (isnan(out[i])) {
            snprintf(why, WHY, "%s is missing", o->of[i].name);
            return false;
        }
    return true;
}

static tacit_status read_object(const tc_outcome_words *o, const char *what, const char *word,
                                double *out, tacit_error *err)
{
    json_t *j = NULL;
    TC_TRY(tc_json_parse(word, strlen(word), what, &j, err));
    tacit_status status = tc_outcome_words_json(o, what, j, out, err);
    json_decref(j);
    return status;
}

tacit_status tc_outcome_words_read(const tc_outcome_words *o, size_t n, const char *what,
                                   const char *word, double *out, tacit_error *err)
{
    double read[TC_OUTCOME_PLACES];
    char why[WHY];
    if (*word == '{' && n == o->n)
        return read_object(o, what, word, out, err);
    for (size_t i = 0; i < n; i++)
        read[i] = (double)NAN;
    char *text = tc_strdup(word);
    if (!text)
        return tc_fail_memory(err);
    bool good = read_parts(o, n, text, read, why);
    tc_free(text);
    if (!good)
        return refuse(o, n, what, word, why, err);
    memcpy(out, read, n * sizeof *out);
    return TACIT_OK;
}

tacit_status tc_outcome_words_json(const tc_outcome_words *o, const char *what, const json_t *j,
                                   double *out, tacit_error *err)
{
    const char *name;
    json_t *value;
    double read[TC_OUTCOME_PLACES];
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "%s must be an object, got %s", what, tc_json_kind(j));
    json_object_foreach((json_t *)j, name,
                        value) if (tc_outcome_words_find(o, name) ==
                                   o->n) return tc_fail(err, TACIT_E_ARG,
                                                        "%s.%.64s is no outcome of the study", what,
                                                        name);
    for (size_t i = 0; i < o->n; i++)
        TC_TRY(tc_json_number(j, what, o->of[i].name, &read[i], err));
    memcpy(out, read, o->n * sizeof *out);
    return TACIT_OK;
}
