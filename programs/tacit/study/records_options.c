/* records_options.c - see records_options.h. */
#include "study/records_options.h"

#include "base/guard.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

bool tc_records_given(const tc_records_words *w)
{
    return w->n > 0 || w->range || w->sensitivity > 0 || w->class_floor > 0 || w->per_person > 0 ||
           w->trainer;
}

static tacit_status read_range(const char *text, double *low, double *high, tacit_error *err)
{
    char first[64];
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : sizeof first;
    if (n < sizeof first) {
        snprintf(first, sizeof first, "%.*s", (int)n, text);
        if (tc_parse_double(first, low) && tc_parse_double(colon + 1, high) && *low < *high)
            return TACIT_OK;
    }
    return tc_fail(err, TACIT_E_ARG,
                   "--range must be LOW:HIGH with LOW below HIGH, as 0:1, got \"%.80s\"", text);
}

tacit_status tc_records_read(const tc_records_words *w, tacit_records_opts *out, tacit_error *err)
{
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    o.records = (uint64_t)w->n;
    o.class_floor = (uint64_t)w->class_floor;
    o.per_person = (uint64_t)w->per_person;
    o.sensitivity = w->sensitivity;
    o.trainer = w->trainer;
    o.ledger = w->ledger;
    o.epsilon = w->epsilon;
    o.delta = w->delta;
    if (w->range)
        TC_TRY(read_range(w->range, &o.low, &o.high, err));
    *out = o;
    return TACIT_OK;
}

tacit_status tc_records_check(const tacit_document *doc, const tc_records_words *w,
                              tacit_error *err)
{
    tacit_records_opts o;
    bool given = tc_records_given(w), needed = tacit_document_protects_records(doc);
    TC_TRY(tc_records_read(w, &o, err));
    if (!given && !needed)
        return TACIT_OK;
    if (!given)
        return tc_fail(err, TACIT_E_ARG,
                       "study %s protects validation records: say with --records how many there "
                       "are, or give the --sensitivity of the metric",
                       tacit_document_name(doc));
    return tacit_records_check(doc, &o, err);
}

tacit_status tc_records_declare(tacit_study *s, const tc_records_words *w,
                                const char *ledger_storage, bool quiet, tacit_error *err)
{
    tacit_records_opts o;
    char *text;
    const tacit_document *doc = tacit_study_document(s);
    TC_TRY(tc_records_check(doc, w, err));
    if (!tacit_document_protects_records(doc))
        return TACIT_OK;
    TC_TRY(tc_records_read(w, &o, err));
    o.ledger_storage = ledger_storage;
    tc_guard_process(); /* the values that noise hides pass through here */
    TC_TRY(tacit_study_protect(s, &o, err));
    TC_TRY(tacit_study_protection(s, &text, err));
    tc_note(quiet, "%s", text);
    tacit_text_free(text);
    return TACIT_OK;
}
