/* study_row.c - a new study as it is stored: canonical text, candidates, seeds. For study.c and coord/,
 * which differ in whose clock they write down. */
#include "study/study.h"

#include "base/error.h"
#include "base/memory.h"

tacit_status tc_study_row_of(tc_study_row *out, const tc_study_doc *doc, int64_t created_ms,
                             tacit_error *err)
{
    const tc_domain *domain = doc->space->domain;
    tc_study_row row = {
        .name = tc_strdup(doc->name),
        .document = tc_study_doc_text(doc),
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
