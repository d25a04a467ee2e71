/* record_terms.c - see record_terms.h. */
#include "study/record_terms.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static tc_record which(const tacit_hash *place)
{
    return (tc_record){
        .kind = TC_RECORD_TERMS, .key = place->bytes, .key_size = sizeof place->bytes};
}

static tacit_status compare(const tc_record *kept, const char *study, const char *text,
                            tacit_error *err)
{
    if (kept->size == strlen(text) && memcmp(kept->value, text, kept->size) == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CONFLICT,
                   "the records of study \"%s\" were declared otherwise before, and are the same "
                   "for all of its trials: %.*s; now: %s",
                   study, (int)kept->size, (const char *)kept->value, text);
}

/* Another process may keep the same at the same time. */
tacit_status tc_record_terms_keep(tc_store *store, const tacit_hash *place, const char *study,
                                  const char *text, tacit_error *err)
{
    const tc_record at = which(place);
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; i < 2 && status == TACIT_E_CONFLICT; i++) {
        tc_record kept;
        TC_TRY(tc_store_record_find(store, &at, &kept, err));
        if (kept.version > 0) {
            status = compare(&kept, study, text, err);
            tc_free((void *)kept.value);
            return status;
        }
        status = tc_store_record_keep(store, &at, 0, text, strlen(text), err);
    }
    return status;
}
