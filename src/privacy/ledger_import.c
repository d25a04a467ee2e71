/* ledger_import.c - an exported ledger, read back with every hash computed again. */
#include "privacy/ledger_int.h"

#include "base/error.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "claims" is what `tacit privacy export` adds, for people and scripts: not read here, where all is computed again. */
static const char *const file_fields[] = {"format",   "name",   "entries",     "head", "composed",
                                          "restored", "claims", "not_private", NULL};
static const char *const entry_fields[] = {
    "seq",       "study",     "round",    "unit",        "subject",  "event", "distance",
    "mechanism", "adjacency", "private",  "not_private", "rows",     "cols",  "offset",
    "step",      "release",   "previous", "head",        "relation", NULL};
static const char *const page_fields[] = {"format",   "name", "entries",     "head", "restored",
                                          "composed", "next", "not_private", NULL};

/* ---- fields */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hash(const char *s, tacit_hash *out)
{
    if (strlen(s) != 2 * sizeof out->bytes)
        return false;
    for (size_t i = 0; i < sizeof out->bytes; i++) {
        int high = digit(s[2 * i]), low = digit(s[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out->bytes[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

static tacit_status read_hash(const json_t *j, const char *path, const char *key, tacit_hash *out,
                              tacit_error *err)
{
    const char *text;
    TC_TRY(tc_json_string(j, path, key, &text, err));
    if (!parse_hash(text, out))
        return tc_fail(err, TACIT_E_ARG, "%s%s%s must be %d hexadecimal digits", path,
                       *path ? "." : "", key, 2 * TC_LEDGER_HASH_BYTES);
    return TACIT_OK;
}

static tacit_status read_count(const json_t *j, const char *path, const char *key, uint64_t *out,
                               tacit_error *err)
{
    int64_t v = -1;
    TC_TRY(tc_json_int_or(j, path, key, 0, INT64_MAX, &v, err));
    if (v < 0)
        return tc_fail(err, TACIT_E_ARG, "%s.%s is missing; it must be a whole number", path, key);
    *out = (uint64_t)v;
    return TACIT_OK;
}

static tacit_status read_text_or_null(const json_t *j, const char *path, const char *key,
                                      const char **out, tacit_error *err)
{
    *out = "";
    if (json_is_null(json_object_get(j, key)))
        return TACIT_OK;
    return tc_json_string(j, path, key, out, err);
}

static tacit_status read_unit(const json_t *j, const char *path, tacit_unit *out, tacit_error *err)
{
    const char *name;
    TC_TRY(tc_json_string(j, path, "unit", &name, err));
    for (int unit = TACIT_UNIT_AGENT; unit <= TC_UNIT_LAST; unit++)
        if (strcmp(name, tacit_unit_name((tacit_unit)unit)) == 0) {
            *out = (tacit_unit)unit;
            return TACIT_OK;
        }
    return tc_fail(err, TACIT_E_ARG, "%s.unit must be " TC_UNIT_NAMES ", got \"%s\"", path, name);
}

static tacit_status read_event(const json_t *j, const char *path, tacit_dp_event *out,
                               tacit_error *err)
{
    tacit_status status = tc_dp_event_from_json(out, json_object_get(j, "event"), err);
    if (status != TACIT_OK)
        tc_fail_in(err, "%s.event", path);
    return status;
}

/* Exports of before it was stated have none. */
static tacit_status read_relation(const json_t *j, const char *path, tacit_relation *out,
                                  tacit_error *err)
{
    const char *name;
    if (!json_object_get(j, "relation"))
        return TACIT_OK;
    TC_TRY(tc_json_string(j, path, "relation", &name, err));
    return tc_relation_parse(path, name, out, err);
}

/* ---- one entry */

static tacit_status read_entry(const json_t *j, const char *path, tc_ledger_entry *e,
                               tacit_hash *head, tacit_error *err)
{
    TC_TRY(tc_json_only(j, path, entry_fields, err));
    TC_TRY(read_count(j, path, "seq", &e->seq, err));
    TC_TRY(read_hash(j, path, "study", &e->study, err));
    TC_TRY(read_count(j, path, "round", &e->round, err));
    TC_TRY(read_unit(j, path, &e->unit, err));
    TC_TRY(read_text_or_null(j, path, "subject", &e->subject, err));
    TC_TRY(read_event(j, path, &e->event, err));
    TC_TRY(tc_json_number(j, path, "distance", &e->distance, err));
    TC_TRY(tc_json_string(j, path, "mechanism", &e->mechanism, err));
    TC_TRY(tc_json_string(j, path, "adjacency", &e->adjacency, err));
    TC_TRY(read_relation(j, path, &e->relation, err));
    TC_TRY(read_text_or_null(j, path, "not_private", &e->not_private, err));
    TC_TRY(tc_json_bool_or(j, path, "private", &e->is_private, err));
    TC_TRY(read_count(j, path, "rows", &e->rows, err));
    TC_TRY(read_count(j, path, "cols", &e->cols, err));
    TC_TRY(tc_json_number(j, path, "offset", &e->offset, err));
    TC_TRY(tc_json_number(j, path, "step", &e->step, err));
    TC_TRY(read_hash(j, path, "release", &e->release, err));
    TC_TRY(read_hash(j, path, "previous", &e->previous, err));
    return read_hash(j, path, "head", head, err);
}

static tacit_status add_entry(tc_ledger *l, const json_t *j, tacit_error *err)
{
    char path[48];
    tc_ledger_entry e = {0};
    tacit_hash head;
    uint8_t *bytes;
    size_t size;
    snprintf(path, sizeof path, "entries[%zu]", l->n);
    TC_TRY(read_entry(j, path, &e, &head, err));
    if (tc_ledger_entry_encode(&e, &bytes, &size, err) != TACIT_OK)
        return tc_fail_in(err, "%s", path);
    tacit_head before = tc_ledger_get_head(l);
    tacit_status status = tc_ledger_check_entry(&e, bytes, size, &before, &head, err);
    tc_free(bytes);
    TC_TRY(status);
    return tc_ledger_push(l, &e, &head, err);
}

/* ---- the file */

/* Exports of before relations were stated have none here. */
static void forget_relations(json_t *mine, const json_t *said)
{
    for (size_t i = 0; i < json_array_size(mine); i++)
        if (!json_object_get(json_array_get(said, i), "relation"))
            json_object_del(json_array_get(mine, i), "relation");
}

static tacit_status check_composed(const tc_ledger *l, const json_t *j, tacit_error *err)
{
    json_t *mine = tc_ledger_composed_json(l);
    if (!mine)
        return tc_fail_memory(err);
    forget_relations(mine, json_object_get(j, "composed"));
    bool same = json_equal(mine, json_object_get(j, "composed"));
    json_decref(mine);
    if (same)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT, "\"composed\" is not what the entries of the ledger say");
}

/* It repeats what a note of the chain says; absent where there is none. */
static tacit_status check_restored(const tc_ledger *l, const json_t *j, tacit_error *err)
{
    const json_t *said = json_object_get(j, "restored");
    json_t *mine;
    TC_TRY(tc_ledger_restored_json(l, &mine, err));
    bool same = mine ? json_equal(mine, said) : !said;
    json_decref(mine);
    return same ? TACIT_OK
                : tc_fail(err, TACIT_E_CORRUPT,
                          "\"restored\" is not what the entries of the ledger say");
}

static tacit_status get_entries(const json_t *j, const json_t **out, tacit_error *err)
{
    const json_t *entries = json_object_get(j, "entries");
    if (!json_is_array(entries))
        return tc_fail(err, TACIT_E_ARG, "entries must be an array, got %s", tc_json_kind(entries));
    *out = entries;
    return TACIT_OK;
}

static tacit_status read_entries(tc_ledger *l, const json_t *j, tacit_error *err)
{
    const json_t *entries;
    tacit_hash head;
    TC_TRY(get_entries(j, &entries, err));
    for (size_t i = 0; i < json_array_size(entries); i++)
        TC_TRY(add_entry(l, json_array_get(entries, i), err));
    TC_TRY(read_hash(j, "", "head", &head, err));
    tacit_head mine = tc_ledger_get_head(l);
    if (!tc_ledger_hash_same(&head, &mine.hash))
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the head of the ledger is not that of its entry %" PRIu64, mine.seq);
    TC_TRY(check_restored(l, j, err));
    return check_composed(l, j, err);
}

/* *name is borrowed from j. */
static tacit_status read_format(const json_t *j, const char *const fields[], const char **name,
                                tacit_error *err)
{
    const char *format;
    TC_TRY(tc_json_only(j, "", fields, err));
    TC_TRY(tc_json_string(j, "", "format", &format, err));
    if (strcmp(format, "tacit ledger 2") != 0)
        return tc_fail(err, TACIT_E_ARG, "format must be \"tacit ledger 2\", got \"%s\"", format);
    return tc_json_string(j, "", "name", name, err);
}

tacit_status tc_ledger_from_json(tc_ledger **out, const json_t *j, tacit_error *err)
{
    const char *name;
    TC_TRY(read_format(j, file_fields, &name, err));
    tc_ledger *l = NULL;
    TC_TRY(tc_ledger_new(&l, name, err));
    tacit_status status = read_entries(l, j, err);
    if (status != TACIT_OK) {
        tc_ledger_close(l);
        return status;
    }
    *out = l;
    return TACIT_OK;
}

/* ---- pages */

/* Entries that the ledger has are skipped: an import that is repeated adds nothing. */
static tacit_status add_new_entries(tc_ledger *l, const json_t *j, tacit_error *err)
{
    const json_t *entries;
    TC_TRY(get_entries(j, &entries, err));
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *e = json_array_get(entries, i);
        int64_t seq;
        bool had = tc_json_whole(json_object_get(e, "seq"), &seq) && seq > 0 &&
                   (uint64_t)seq <= tc_ledger_get_head(l).seq;
        if (!had)
            TC_TRY(add_entry(l, e, err));
    }
    return TACIT_OK;
}

/* A page that is not the last must bring us further, or there would be no end. */
static tacit_status check_next(const tc_ledger *l, const json_t *next, tacit_error *err)
{
    int64_t seq;
    uint64_t mine = tc_ledger_get_head(l).seq;
    if (tc_json_whole(next, &seq) && seq > 0 && (uint64_t)seq == mine)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the next page of the ledger does not go on after entry %" PRIu64, mine);
}

static tacit_status check_end(const tc_ledger *l, const json_t *j, tacit_error *err)
{
    tacit_hash head;
    tacit_head mine = tc_ledger_get_head(l);
    TC_TRY(read_hash(j, "", "head", &head, err));
    if (tc_ledger_hash_same(&head, &mine.hash))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the ledger was rolled back or replaced: its head is not the one after entry "
                   "%" PRIu64,
                   mine.seq);
}

static tacit_status add_page(tc_ledger *l, const json_t *page, bool *more, tacit_error *err)
{
    const json_t *next = json_object_get(page, "next");
    uint64_t before = tc_ledger_get_head(l).seq;
    TC_TRY(add_new_entries(l, page, err));
    bool last = !next || json_is_null(next);
    if (!last && tc_ledger_get_head(l).seq == before)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "a page of the ledger after entry %" PRIu64 " has nothing new", before);
    TC_TRY(last ? check_end(l, page, err) : check_next(l, next, err));
    *more = !last;
    return TACIT_OK;
}

tacit_status tc_ledger_add_page(tc_ledger **l, const json_t *page, bool *more, tacit_error *err)
{
    const char *name;
    tc_ledger *all = *l;
    TC_TRY(read_format(page, page_fields, &name, err));
    if (!all)
        TC_TRY(tc_ledger_new(&all, name, err));
    else if (strcmp(name, all->name) != 0)
        return tc_fail(err, TACIT_E_CORRUPT, "the ledger was called \"%s\" and is \"%.255s\" now",
                       all->name, name);
    tacit_status status = add_page(all, page, more, err);
    if (status == TACIT_OK)
        *l = all;
    else if (!*l)
        tc_ledger_close(all);
    return status;
}
