/* fuzz_audit.c - any text as an operator's log that a coordinator sends.
 *
 * What follows in the chain must do so from the entry before it and from no other, and must not when a byte of its hash is
 * another one. */
#include "fuzz.h"

#include "base/json.h"
#include "base/memory.h"
#include "study/audit.h"

#include <string.h>

static void check_refused(const tc_audit_head *before, const json_t *entry)
{
    tc_audit_head other = *before;
    other.seq++;
    REQUIRE(tc_audit_follow(&other, entry, NULL) == TACIT_E_CORRUPT);
    other = *before;
    other.hash[0] = other.hash[0] == '0' ? '1' : '0';
    REQUIRE(tc_audit_follow(&other, entry, NULL) == TACIT_E_CORRUPT);
}

FUZZ_TARGET(audit)
{
    json_t *j = NULL, *e;
    size_t i;
    tc_audit_head at = {.seq = 0};
    memset(at.hash, '0', sizeof at.hash - 1);
    if (tc_json_parse((const char *)data, size, "log", &j, NULL) != TACIT_OK)
        return 0;
    json_array_foreach(json_object_get(j, "entries"), i, e)
    {
        tc_audit_head before = at;
        if (tc_audit_follow(&at, e, NULL) == TACIT_OK) {
            REQUIRE(at.seq == before.seq + 1 && strlen(at.hash) == sizeof at.hash - 1);
            check_refused(&before, e);
        } else {
            REQUIRE(at.seq == before.seq && strcmp(at.hash, before.hash) == 0);
        }
    }
    json_decref(j);
    return 0;
}
