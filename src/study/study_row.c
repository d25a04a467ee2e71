/* study_row.c - a study as it is stored: how a new one becomes a row (canonical text, candidates, seeds), and
 * whose fault it is if a row is no study. For src/study and src/coord. */
#include "study/study.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/record_plan.h"

/* With the noise of a study that protects records, which is found once. */
static tacit_status document_text(const tc_study_doc *doc, char **out, tacit_error *err)
{
    tc_study_doc whole = *doc;
    TC_TRY(tc_record_plan_calibrate(&whole, err));
    *out = tc_study_doc_text(&whole);
    if (!doc->calibrated)
        json_decref(whole.calibrated);
    return TACIT_OK;
}

tacit_status tc_study_row_of(tc_study_row *out, const tc_study_doc *doc, int64_t created_ms,
                             tacit_error *err)
{
    const tc_domain *domain = doc->space->domain;
    char *text;
    TC_TRY(document_text(doc, &text, err));
    tc_study_row row = {
        .name = tc_strdup(doc->name),
        .document = text,
        .points_csv = domain ? tc_domain_csv(domain) : NULL,
        .public_seed = doc->has_seed ? tc_public_seed_from(doc->seed) : tc_public_seed_fresh(),
        .party_seed = doc->has_seed ? tc_party_seed_from(doc->seed) : tc_party_seed_fresh(),
        .created_ms = created_ms,
    };
    bool complete = row.name && row.document && (!domain || row.points_csv);
    if (complete)
        *out = row;
    else
        tc_study_row_fini(&row);
    return complete ? TACIT_OK : tc_fail_memory(err);
}

/* A row without an id was given by somebody, and is that one's mistake. */
tacit_status tc_study_row_fault(const tc_study_row *row, tacit_status status, tacit_error *err)
{
    if (row->id == 0 || (status != TACIT_E_ARG && status != TACIT_E_NOT_FOUND))
        return status;
    (void)tc_fail_in(err, "the stored document of study \"%s\" is damaged", row->name);
    if (err)
        err->code = TACIT_E_CORRUPT;
    return TACIT_E_CORRUPT;
}
