/* receipt.c - receipts without what tells of a message. See receipt.h. */
#include "study/receipt.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <string.h>

static const char *const telling[] = {"digest", "signature"};

/* Agents keep heads, which are no JSON, in records of this kind and of no study. */
bool tc_receipt_tells(const tc_record *r)
{
    if (r->study == 0 || (r->kind != TC_RECORD_RECEIPT && r->kind != TC_RECORD_EVIDENCE))
        return false;
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (memmem(r->value, r->size, telling[i], strlen(telling[i])))
            return true;
    return false;
}

tacit_status tc_receipt_plain(const tc_record *r, char **out, tacit_error *err)
{
    json_t *j;
    tacit_status status = tc_json_parse(r->value, r->size, "receipt", &j, err);
    if (status == TACIT_E_ARG)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: a receipt is not JSON");
    TC_TRY(status);
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        json_object_del(j, telling[i]);
    *out = tc_json_text(j);
    json_decref(j);
    return *out ? TACIT_OK : tc_fail_memory(err);
}
