/* operator_log.c - the operator's log of a coordinator, read whole and checked: <tacit/net.h>. */
#include <tacit/net.h>

#include "base/api.h"
#include "base/error.h"
#include "base/json.h"
#include "study/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 1000 };

typedef struct reading {
    tc_audit_head at;   /* as far as it was read */
    tc_audit_head seen; /* what was noted down earlier; seq 0: nothing */
    json_t *entries;
} reading;

static bool read_seen(const char *text, tc_audit_head *out)
{
    unsigned long long seq;
    const char *colon = strchr(text, ':');
    char number[32];
    size_t n = colon ? (size_t)(colon - text) : sizeof number;
    if (n == 0 || n >= sizeof number || strlen(colon + 1) != sizeof out->hash - 1 ||
        strspn(colon + 1, "0123456789abcdef") != sizeof out->hash - 1)
        return false;
    memcpy(number, text, n);
    number[n] = 0;
    if (!tc_parse_u64(number, &seq) || seq == 0)
        return false;
    out->seq = seq;
    memcpy(out->hash, colon + 1, sizeof out->hash);
    return true;
}

static tacit_status begin(reading *r, const char *seen, tacit_error *err)
{
    *r = (reading){.entries = NULL};
    memset(r->at.hash, '0', sizeof r->at.hash - 1);
    if (seen && !read_seen(seen, &r->seen))
        return tc_fail(err, TACIT_E_ARG,
                       "seen must be the number and the hash of an entry, as NUMBER:HASH, got "
                       "\"%.100s\"",
                       seen);
    r->entries = json_array();
    return r->entries ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status strange(tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "the coordinator's answer makes no sense: it is no log");
}

static tacit_status lost(const reading *r, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the operator's log does not have entry %" PRIu64
                   " as it was seen: entries were removed or replaced",
                   r->seen.seq);
}

static tacit_status take_entry(reading *r, json_t *e, tacit_error *err)
{
    TC_TRY(tc_audit_follow(&r->at, e, err));
    if (r->at.seq == r->seen.seq && strcmp(r->at.hash, r->seen.hash) != 0)
        return lost(r, err);
    return json_array_append(r->entries, e) == 0 ? TACIT_OK : tc_fail_memory(err);
}

/* Entries that came since the head was read may be beyond it. */
static tacit_status check_end(const reading *r, const json_t *head, tacit_error *err)
{
    int64_t seq;
    const char *hash = json_string_value(json_object_get(head, "hash"));
    if (!tc_json_whole(json_object_get(head, "seq"), &seq) || seq < 0 || !hash)
        return strange(err);
    bool same = (uint64_t)seq != r->at.seq || strcmp(hash, r->at.hash) == 0;
    if (r->at.seq < (uint64_t)seq || !same)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the operator's log is not whole: it ends with entry %" PRIu64
                       ", and its head is that of entry %" PRId64,
                       r->at.seq, seq);
    return r->at.seq < r->seen.seq ? lost(r, err) : TACIT_OK;
}

static tacit_status take_page(reading *r, const json_t *page, bool *more, tacit_error *err)
{
    json_t *entries = json_object_get(page, "entries");
    size_t i;
    json_t *e;
    if (!json_is_array(entries))
        return strange(err);
    json_array_foreach(entries, i, e) TC_TRY(take_entry(r, e, err));
    *more = json_array_size(entries) > 0 && json_is_integer(json_object_get(page, "next"));
    return *more ? TACIT_OK : check_end(r, json_object_get(page, "head"), err);
}

static tacit_status read_page(tacit_storage *st, reading *r, bool *more, tacit_error *err)
{
    char path[96], *answer = NULL;
    json_t *page;
    snprintf(path, sizeof path, "/v1/audit?after=%" PRIu64 "&limit=%d", r->at.seq, PAGE);
    TC_TRY(tacit_net_call(st, "GET", NULL, path, NULL, &answer, err));
    tacit_status status = tc_json_parse(answer, strlen(answer), "the answer", &page, err);
    tacit_text_free(answer);
    TC_TRY(status);
    status = take_page(r, page, more, err);
    json_decref(page);
    return status;
}

/* Takes the entries. */
static tacit_status write_log(reading *r, char **out, tacit_error *err)
{
    json_t *j = json_pack("{s:o, s:{s:I, s:s}}", "entries", r->entries, "head", "seq",
                          (json_int_t)r->at.seq, "hash", r->at.hash);
    char *json = tc_json_text(j);
    json_decref(j);
    if (!json)
        return tc_fail_memory(err);
    *out = json;
    return TACIT_OK;
}

tacit_status tacit_net_audit(tacit_storage *st, const char *seen, char **log, tacit_error *err)
{
    reading r;
    bool more = true;
    TC_GIVEN(st);
    TC_GIVEN(log);
    TC_TRY(begin(&r, seen, err));
    while (more) {
        tacit_status status = read_page(st, &r, &more, err);
        if (status != TACIT_OK) {
            json_decref(r.entries);
            return status;
        }
    }
    return write_log(&r, log, err);
}
