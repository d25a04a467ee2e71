/* record_keep.c - a record by itself: found, and put in the place of what was found (store.h).
 *
 * Keys, certificates, heads and places are kept like this. Whoever needs several records to change
 * together calls tc_store_change. */
#include "study/store.h"

#include "base/error.h"

tacit_status tc_store_record_find(tc_store *s, const tc_record *which, tc_record *out,
                                  tacit_error *err)
{
    tacit_error why = {0};
    tc_record got;
    tacit_status status = tc_store_record_get(s, which, &got, &why);
    if (status == TACIT_E_NOT_FOUND) {
        got = *which;
        got.value = NULL;
        got.size = 0;
        got.version = 0;
    } else if (status != TACIT_OK) {
        return tc_pass_on(err, status, &why);
    }
    *out = got;
    return TACIT_OK;
}

tacit_status tc_store_record_keep(tc_store *s, const tc_record *which, uint64_t version,
                                  const void *value, size_t size, tacit_error *err)
{
    tc_change c = {version > 0 ? TC_REPLACE : TC_INSERT, *which};
    c.record.version = version;
    c.record.value = value;
    c.record.size = size;
    return tc_store_change(s, &c, 1, NULL, err);
}
