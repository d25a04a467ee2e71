/* document_api.c - include/tacit/document.h on top of study_doc.h. */
#include <tacit/document.h>

#include "algo/ldp/ldp_curator.h"
#include "base/api.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "wire/study_doc.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

tacit_status tacit_document_parse(tacit_document **out, const char *text, tacit_error *err)
{
    json_t *json;
    TC_GIVEN(out);
    TC_GIVEN(text);
    TC_TRY(tc_json_parse(text, strlen(text), "the study document", &json, err));
    tacit_status status = tc_study_doc_from_json(out, json, NULL, err);
    json_decref(json);
    return status;
}

tacit_status tacit_document_read(tacit_document **out, const char *file, tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(file);
    return tc_study_doc_read(out, file, err);
}

tacit_status tacit_document_restore(tacit_document **out, const char *text, const char *points_csv,
                                    tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(text);
    return tc_study_doc_restore(out, text, points_csv, err);
}

void tacit_document_free(tacit_document *d)
{
    tc_study_doc_free(d);
}

const char *tacit_document_name(const tacit_document *d)
{
    return d ? d->name : NULL;
}

const tacit_space *tacit_document_space(const tacit_document *d)
{
    return d ? d->space : NULL;
}

const char *tacit_document_algorithm(const tacit_document *d)
{
    return d ? d->algorithm->name : NULL;
}

bool tacit_document_maximizes(const tacit_document *d)
{
    return d && d->maximize;
}

uint64_t tacit_document_trials(const tacit_document *d)
{
    return d ? d->trials : 0;
}

static TC_SIZED(sized_outcome, tacit_outcome, high, reference);

size_t tacit_document_objectives(const tacit_document *d)
{
    return !d ? 0 : d->outcomes ? d->outcomes->what.n_objectives : 1;
}

size_t tacit_document_outcomes(const tacit_document *d)
{
    return !d ? 0 : d->outcomes ? d->outcomes->n : 1;
}

tacit_status tacit_document_outcome(const tacit_document *d, size_t i, tacit_outcome *out,
                                    tacit_error *err)
{
    TC_GIVEN(d);
    TC_TRY(tc_sized_check(&sized_outcome, out, "out", err));
    const size_t n = tacit_document_outcomes(d), k = tacit_document_objectives(d);
    const tc_study_outcomes *o = d->outcomes;
    if (i >= n)
        return tc_fail(err, TACIT_E_ARG, "there is no outcome %zu; the study has %zu", i, n);
    const tacit_outcome found = {.name = o ? o->name[i] : TC_OUTCOME_VALUE,
                                 .objective = i < k,
                                 .maximize = i < k && (o ? o->maximize[i] : d->maximize),
                                 .low = i < k ? -(double)INFINITY : o->low[i - k],
                                 .high = i < k ? (double)INFINITY : o->high[i - k],
                                 .reference = i < k && o && o->what.reference ? o->reference[i]
                                                                              : (double)NAN};
    tc_sized_give(&sized_outcome, out, &found);
    return TACIT_OK;
}

uint64_t tacit_document_agents(const tacit_document *d)
{
    return d ? d->agents : 0;
}

bool tacit_document_takes_replies(const tacit_document *d)
{
    return d && tc_algorithm_takes_replies(d->algorithm);
}

bool tacit_document_protects_records(const tacit_document *d)
{
    return d && d->promise == TC_PROMISE_RECORDS;
}

tacit_status tacit_document_plan_evaluations(tacit_document *d, uint64_t evaluations,
                                             tacit_error *err)
{
    TC_GIVEN(d);
    if (!tacit_document_protects_records(d) || d->agents > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "evaluations are planned for a study of one party that protects validation "
                       "records, and study %s %s",
                       d->name, d->agents > 0 ? "is federated" : "does not");
    if (evaluations < d->trials || evaluations > TC_EVALUATIONS_MOST)
        return tc_fail(err, TACIT_E_ARG,
                       "evaluations of study %s must be from %" PRIu64 ", one for each trial, to "
                       "1e12, got %" PRIu64,
                       d->name, d->trials, evaluations);
    if (d->evaluations > 0 && d->evaluations != evaluations)
        return tc_fail(err, TACIT_E_ARG,
                       "study %s plans %" PRIu64 " evaluations in its document, got %" PRIu64,
                       d->name, d->evaluations, evaluations);
    d->evaluations = evaluations;
    return TACIT_OK;
}

tacit_status tacit_document_check_reply(const tacit_document *d, double value, tacit_error *err)
{
    TC_GIVEN(d);
    if (!tacit_document_takes_replies(d))
        return TACIT_OK;
    return tc_ldp_check_reply(d->algorithm, d->options, d->name, value, err);
}

/* Is each release about records, of which every one is in one release at most? */
static bool protects_single_records(const tc_study_doc *d)
{
    const char *word = json_string_value(json_object_get(d->options, "protect"));
    return d->algorithm->aggregator && d->algorithm->aggregator->unit && word &&
           strcmp(word, "record") == 0;
}

tacit_status tacit_document_check_import(const tacit_document *d, tacit_error *err)
{
    TC_GIVEN(d);
    if (tacit_document_protects_records(d))
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "study \"%s\" protects validation records, and earlier results were made "
                       "without its noise",
                       d->name);
    if (protects_single_records(d))
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "study \"%s\" protects single records, each in one round, and nobody has "
                       "counted those of earlier results",
                       d->name);
    return TACIT_OK;
}

/* An option as it is given, else its default; `none` where the algorithm has no such option. */
static double number_of(const tc_study_doc *doc, const char *name, double none)
{
    const json_t *given = json_object_get(doc->options, name);
    for (const tc_option *o = doc->algorithm->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0 && (json_is_number(given) || tc_parse_double(o->def, &none)))
            return json_is_number(given) ? json_number_value(given) : none;
    return none;
}

void tacit_document_range(const tacit_document *d, double *low, double *high)
{
    double from = -(double)INFINITY, to = (double)INFINITY;
    if (d && d->algorithm->optimizer && d->algorithm->optimizer->batch) {
        from = number_of(d, "low", from);
        to = number_of(d, "high", to);
    }
    const bool as_given = tacit_document_maximizes(d);
    if (low)
        *low = as_given ? from : 0 - to;
    if (high)
        *high = as_given ? to : 0 - from;
}

tacit_status tacit_document_text(const tacit_document *d, char **out, tacit_error *err)
{
    TC_GIVEN(d);
    TC_GIVEN(out);
    char *text = tc_study_doc_text(d);
    if (!text)
        return tc_fail_memory(err);
    *out = text;
    return TACIT_OK;
}

tacit_status tacit_document_same(const tacit_document *stored, const tacit_document *given,
                                 tacit_error *err)
{
    TC_GIVEN(stored);
    TC_GIVEN(given);
    return tc_study_doc_same(stored, given, err);
}
