/* ledger_export.c - a ledger for strangers: JSON in the words of google's dp_accounting.
 *
 *   {"format": "tacit ledger 2", "name": "main", "entries": [
 *      {"seq": 1, "study": "9f..", "round": 0, "unit": "agent", "subject": null,
 *       "event": {"dp_event": "Gaussian", "noise_multiplier": 1}, "distance": 1.8e-13,
 *       "mechanism": "gaussian-sum", "adjacency": "...", "private": true, "not_private": null,
 *       "rows": 1, "cols": 20, "offset": 0, "step": 2.4e-7,
 *       "release": "51..", "previous": "e0..", "head": "07..", "relation": "zero-out"}],
 *    "head": "07..",
 *    "composed": [{"unit": "agent", "subject": null, "relation": "zero-out", "event":
 *      {"dp_event": "Composed", "events": [{"dp_event": "SelfComposed", "count": 40, ...}]}}]}
 *
 * "composed" is what dp_accounting takes, unit by unit: subject null stands for a unit that no
 * entry names; events are those that the unit is charged for, under that relation (null: its entries have several,
 * which do not compose). examples/python/check_ledger.py does it. "distance" has to be added to delta as ledger_account.c says. The hashes can be
 * computed again from the fields (ledger_entry.c) and "release" from the bytes that were sent;
 * "rows", "cols", "offset" and "step" turn those into values (ledger.h). */
#include "privacy/ledger_int.h"

#include "base/error.h"
#include "base/json.h"

/* 64 lower-case digits and a NUL. */
static void write_hex(char out[2 * TC_LEDGER_HASH_BYTES + 1], const tacit_hash *h)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof h->bytes; i++) {
        out[2 * i] = digits[h->bytes[i] >> 4];
        out[2 * i + 1] = digits[h->bytes[i] & 15];
    }
    out[2 * sizeof h->bytes] = 0;
}

static json_t *hash_json(const tacit_hash *h)
{
    char text[2 * TC_LEDGER_HASH_BYTES + 1];
    write_hex(text, h);
    return json_string(text);
}

static json_t *text_or_null(const char *s)
{
    return *s ? json_string(s) : json_null();
}

/* jansson's "o" takes over what it is given, also when something else fails, and NULL is a
 * failure of the whole. */
static json_t *entry_json(const tc_ledger_item *item)
{
    const tc_ledger_entry *e = &item->entry;
    return json_pack("{s:I, s:o, s:I, s:s, s:o, s:o, s:f, s:s, s:s, s:b, s:o, s:I, s:I, s:f, s:f, "
                     "s:o, s:o, s:o, s:s}",
                     "seq", (json_int_t)e->seq, "study", hash_json(&e->study), "round",
                     (json_int_t)e->round, "unit", tacit_unit_name(e->unit), "subject",
                     text_or_null(e->subject), "event", tc_dp_event_json(&e->event), "distance",
                     e->distance, "mechanism", e->mechanism, "adjacency", e->adjacency, "private",
                     (int)e->is_private, "not_private", text_or_null(e->not_private), "rows",
                     (json_int_t)e->rows, "cols", (json_int_t)e->cols, "offset", e->offset, "step",
                     e->step, "release", hash_json(&e->release), "previous",
                     hash_json(&e->previous), "head", hash_json(&item->head), "relation",
                     tacit_relation_name(tc_ledger_relation(e)));
}

static json_t *entries_json(const tc_ledger *l, uint64_t after, uint64_t end)
{
    json_t *list = json_array();
    for (size_t i = after; list && i < end; i++)
        if (json_array_append_new(list, entry_json(&l->items[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* ---- what units compose to */

typedef struct units {
    json_t *list;
    tacit_unit unit;
} units;

static json_t *events_json(const tc_ledger_spending *s)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < s->n; i++)
        if (json_array_append_new(list, tc_dp_event_json(&s->events[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static tacit_status add_unit(void *user, const tc_ledger_spending *s, tacit_error *err)
{
    units *u = user;
    if (s->entries == 0)
        return TACIT_OK;
    const char *relation = s->stranger ? NULL : tacit_relation_name(s->relation);
    json_t *one = json_pack("{s:s, s:o, s:o, s:{s:s, s:o}}", "unit", tacit_unit_name(u->unit),
                            "subject", text_or_null(s->subject), "relation",
                            relation ? json_string(relation) : json_null(), "event", "dp_event",
                            "Composed", "events", events_json(s));
    return json_array_append_new(u->list, one) == 0 ? TACIT_OK : tc_fail_memory(err);
}

json_t *tc_ledger_composed_json(const tc_ledger *l)
{
    units u = {.list = json_array()};
    tacit_status status = u.list ? TACIT_OK : TACIT_E_MEMORY;
    for (int unit = TACIT_UNIT_AGENT; status == TACIT_OK && unit <= TC_UNIT_LAST; unit++) {
        u.unit = (tacit_unit)unit;
        if (!tc_ledger_has_unit(l, u.unit))
            continue;
        status = tc_ledger_each_unit(l, u.unit, add_unit, &u, NULL);
    }
    if (status == TACIT_OK)
        return u.list;
    json_decref(u.list);
    return NULL;
}

/* Leaves out what the rest of an entry or of a total says anyway: others on the wire may not know the field. */
static void leave_out_usual(const tc_ledger *l, json_t *page)
{
    json_t *entries = json_object_get(page, "entries"),
           *composed = json_object_get(page, "composed");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        json_t *j = json_array_get(entries, i);
        const tc_ledger_entry *e =
            tc_ledger_get(l, (uint64_t)json_integer_value(json_object_get(j, "seq")), NULL);
        if (tc_ledger_relation(e) == tc_relation_usual(e->unit, e->event.sampling, e->mechanism))
            json_object_del(j, "relation");
    }
    for (size_t i = 0; i < json_array_size(composed); i++)
        json_object_del(json_array_get(composed, i), "relation");
}

static json_t *page_json(const tc_ledger *l, uint64_t after, uint64_t most)
{
    uint64_t from = after < l->n ? after : l->n;
    uint64_t end = most < l->n - from ? from + most : l->n;
    bool last = end == l->n;
    tc_json_start();
    tacit_head head = tc_ledger_get_head(l);
    json_t *restored, *j;
    if (tc_ledger_restored_json(l, &restored, NULL) != TACIT_OK)
        return NULL;
    j = json_pack("{s:s, s:s, s:o, s:o, s:o}", "format", "tacit ledger 2", "name", l->name,
                  "entries", entries_json(l, from, end), "head", hash_json(&head.hash),
                  last ? "composed" : "next",
                  last ? tc_ledger_composed_json(l) : json_integer((json_int_t)end));
    if (!restored || json_object_set_new(j, "restored", restored) == 0)
        return j;
    json_decref(j);
    return NULL;
}

json_t *tc_ledger_json(const tc_ledger *l)
{
    return page_json(l, 0, UINT64_MAX);
}

json_t *tc_ledger_json_page(const tc_ledger *l, uint64_t after, uint64_t most)
{
    json_t *page = page_json(l, after, most);
    leave_out_usual(l, page);
    return page;
}
