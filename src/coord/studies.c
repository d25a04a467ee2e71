/* studies.c - creating, showing, pausing, ending and erasing federated studies. */
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <sodium.h>
#include <string.h>

#define STATE "state"

enum { PAGE_MOST = 1000, PAGE = 100, ATTEMPTS = 32 };

/* ---- running, paused, closed ---- */

static const char *const states[] = {"running", "paused", "closed"};

/* No record: running. */
tacit_status tc_state_get(tc_coord *c, int64_t study, tc_study_state *out, uint64_t *version,
                          tacit_error *err)
{
    tc_key key = tc_key_word(STATE);
    json_t *j;
    TC_TRY(tc_record_read(c->cfg.store, study, TC_RECORD_STATE, &key, &j, version, err));
    const char *name = json_string_value(json_object_get(j, "state"));
    *out = TC_STUDY_RUNNING;
    for (size_t i = 0; name && i < sizeof states / sizeof *states; i++)
        if (strcmp(name, states[i]) == 0)
            *out = (tc_study_state)i;
    json_decref(j);
    return TACIT_OK;
}

tacit_status tc_state_running(tc_coord *c, int64_t study, uint64_t *version, tacit_error *err)
{
    tc_study_state state;
    TC_TRY(tc_state_get(c, study, &state, version, err));
    if (state == TC_STUDY_RUNNING)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE, "the study is %s", states[state]);
}

/* In a pause nobody could send: what is left of the round begins anew. */
static tacit_status extend_round(tc_coord *c, const tc_desk *d, tc_changes *changes,
                                 tacit_error *err)
{
    tc_round r;
    TC_TRY(tc_round_present(c, d->id, &r, err));
    if (r.phase != TC_PHASE_OPEN)
        return TACIT_OK;
    tc_round now = r;
    now.deadline_ms = tc_round_deadline(c, d->plan->doc);
    tc_round_change(changes, d->id, &r, &now);
    return TACIT_OK;
}

static tacit_status try_state(tc_coord *c, const tc_desk *d, tc_study_state to, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key key = tc_key_word(STATE);
    tc_study_state state;
    uint64_t version;
    tacit_status status = TACIT_OK;
    TC_TRY(tc_state_get(c, d->id, &state, &version, err));
    if (state == TC_STUDY_CLOSED && to != TC_STUDY_CLOSED)
        return tc_fail(err, TACIT_E_STATE, "the study is closed for good");
    if (state == to)
        return TACIT_OK;
    tc_changes_add(&changes, version > 0 ? TC_REPLACE : TC_INSERT, d->id, TC_RECORD_STATE, &key,
                   version, json_pack("{s:s}", "state", states[to]));
    if (state == TC_STUDY_PAUSED && to == TC_STUDY_RUNNING)
        status = extend_round(c, d, &changes, err);
    if (status == TACIT_OK)
        status = tc_changes_commit(c->cfg.store, &changes, NULL, err);
    tc_changes_fini(&changes);
    return status;
}

static tacit_status set_state(tc_ask *a, tc_desk *d, tc_study_state to, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_state(a->coord, d, to, err);
    TC_TRY(status);
    a->out->closes = to == TC_STUDY_CLOSED;
    tc_coord_say(a->coord, d->name, json_pack("{s:s, s:s}", "event", "study", "state", states[to]));
    return tc_answer(a, 200, json_pack("{s:s, s:s}", "study", d->name, "state", states[to]), err);
}

static tacit_status turn(tc_ask *a, tc_study_state to, tacit_error *err)
{
    tc_desk *d;
    TC_TRY(tc_ask_desk(a, &d, err));
    tacit_status status = set_state(a, d, to, err);
    tc_desk_release(a->coord, d);
    return status;
}

tacit_status tc_studies_pause(tc_ask *a, tacit_error *err)
{
    return turn(a, TC_STUDY_PAUSED, err);
}

tacit_status tc_studies_resume(tc_ask *a, tacit_error *err)
{
    return turn(a, TC_STUDY_RUNNING, err);
}

tacit_status tc_studies_close(tc_ask *a, tacit_error *err)
{
    return turn(a, TC_STUDY_CLOSED, err);
}

tacit_status tc_studies_erase(tc_ask *a, tacit_error *err)
{
    tc_desk *d;
    TC_TRY(tc_ask_desk(a, &d, err));
    tacit_status status = tc_store_study_erase(a->coord->cfg.store, d->id, err);
    if (status == TACIT_OK)
        tc_desk_forget(a->coord, d);
    tc_desk_release(a->coord, d);
    TC_TRY(status);
    return tc_answer(a, 200, json_pack("{s:s, s:b}", "study", a->words[0], "erased", 1), err);
}

/* ---- creating ---- */

#define LAST "created"

/* Now, or a little later: no two studies of a store have the same, for it is what tells apart a study
 * and another one of the same document and seed (study_plan.h). */
static tacit_status try_time(const tc_coord *c, int64_t *out, tacit_error *err)
{
    tc_key key = tc_key_word(LAST);
    tc_changes changes = {.n = 0};
    json_t *j;
    uint64_t version;
    int64_t last = -1;
    TC_TRY(tc_record_read(c->cfg.store, 0, TC_RECORD_SERVER, &key, &j, &version, err));
    (void)tc_json_whole(json_object_get(j, "ms"), &last);
    json_decref(j);
    int64_t now = tc_coord_now(c);
    *out = now > last ? now : last + 1;
    tc_changes_add(&changes, version > 0 ? TC_REPLACE : TC_INSERT, 0, TC_RECORD_SERVER, &key,
                   version, json_pack("{s:I}", "ms", (json_int_t)*out));
    tacit_status status = tc_changes_commit(c->cfg.store, &changes, NULL, err);
    tc_changes_fini(&changes);
    return status;
}

static tacit_status take_time(const tc_coord *c, int64_t *out, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_time(c, out, err);
    return status;
}

/* Makes the plan once, so that a document that cannot be run is refused before it is stored. */
static tacit_status make_row(const tc_study_doc *doc, tc_study_row *row, tacit_error *err)
{
    const tc_domain *domain = doc->space->domain;
    tc_study_plan *plan;
    *row = (tc_study_row){
        .name = tc_strdup(doc->name),
        .document = tc_study_doc_text(doc),
        .points_csv = domain ? tc_domain_csv(domain) : NULL,
        .public_seed = doc->has_seed ? tc_public_seed_from(doc->seed) : tc_public_seed_fresh(),
    };
    tacit_status status =
        row->name && row->document && (!domain || row->points_csv) ? TACIT_OK : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = tc_study_plan_new(&plan, row, err);
    if (status == TACIT_OK)
        tc_study_plan_free(plan);
    else
        tc_study_row_fini(row);
    return status;
}

static tacit_status put(tc_ask *a, const tc_study_doc *doc, tacit_error *err)
{
    tc_study_row row;
    int64_t id;
    TC_TRY(make_row(doc, &row, err));
    tacit_status status = take_time(a->coord, &row.created_ms, err);
    if (status == TACIT_OK)
        status = tc_store_study_put(a->coord->cfg.store, &row, &id, err);
    tc_study_row_fini(&row);
    return status;
}

static tacit_status read_document(const tc_ask *a, tc_study_doc **out, tacit_error *err)
{
    static const char *const allowed[] = {"document", "points_csv", NULL};
    const char *csv = NULL;
    const json_t *document = json_object_get(a->body, "document");
    TC_TRY(tc_json_only(a->body, "", allowed, err));
    TC_TRY(tc_json_string_or(a->body, "", "points_csv", &csv, err));
    if (!json_is_object(document))
        return tc_fail(err, TACIT_E_ARG, "document must be an object, got %s",
                       tc_json_kind(document));
    if (csv || json_is_object(json_object_get(document, "points"))) {
        char *text = tc_json_text(document);
        if (!text)
            return tc_fail_memory(err);
        tacit_status status = tc_study_doc_restore(out, text, csv, err);
        tc_free(text);
        return status == TACIT_E_CORRUPT
                   ? tc_fail(err, TACIT_E_ARG, "points_csv does not fit the document")
                   : status;
    }
    if (json_object_get(document, "points"))
        return tc_fail(err, TACIT_E_ARG,
                       "points must be sent as points_csv: this is not the "
                       "machine that has the file");
    return tc_study_doc_from_json(out, document, NULL, err);
}

tacit_status tc_studies_create(tc_ask *a, tacit_error *err)
{
    tc_study_doc *doc;
    TC_TRY(read_document(a, &doc, err));
    tacit_status status = put(a, doc, err);
    if (status == TACIT_OK)
        snprintf(a->words[0], sizeof a->words[0], "%s", doc->name);
    tc_study_doc_free(doc);
    TC_TRY(status);
    TC_TRY(tc_studies_show(a, err));
    a->out->status = 201;
    return TACIT_OK;
}

/* ---- showing ---- */

static json_t *round_json(const tc_round *r)
{
    if (r->phase == TC_PHASE_NONE)
        return json_null();
    return json_pack("{s:I, s:s, s:I}", "number", (json_int_t)r->number, "phase",
                     tc_phase_name(r->phase), "deadline_ms", (json_int_t)r->deadline_ms);
}

static json_t *seed_json(const tc_public_seed *seed)
{
    tc_text t = {0};
    tc_base64_add(&t, seed->bytes, sizeof seed->bytes);
    json_t *j = json_string(tc_text_get(&t));
    tc_text_fini(&t);
    return j;
}

static json_t *hash_json(const tc_ledger_hash *h)
{
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    return json_string(sodium_bin2hex(hex, sizeof hex, h->bytes, sizeof h->bytes));
}

static tacit_status show(tc_ask *a, tc_desk *d, tacit_error *err)
{
    tc_study_state state;
    uint64_t version, enrolled;
    tc_round r;
    tc_record_range all = {.study = d->id, .kind = TC_RECORD_AGENT};
    TC_TRY(tc_state_get(a->coord, d->id, &state, &version, err));
    TC_TRY(tc_store_record_count(a->coord->cfg.store, &all, &enrolled, err));
    TC_TRY(tc_round_present(a->coord, d->id, &r, err));
    char *text = tc_study_doc_text(d->plan->doc);
    const char *not_private = a->coord->cfg.seeded ? "noise comes from a seed" : "";
    json_t *j = !text ? NULL
                      : json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:O, s:I, s:I, s:o, s:s}", "name",
                                  d->name, "state", states[state], "document", text, "hash",
                                  hash_json(&d->plan->hash), "public_seed",
                                  seed_json(&d->plan->env.public_seed), "created_ms",
                                  (json_int_t)d->created_ms, "options", d->plan->options, "agents",
                                  (json_int_t)d->plan->env.agents, "enrolled", (json_int_t)enrolled,
                                  "round", round_json(&r), "not_private", not_private);
    tc_free(text);
    return tc_answer(a, 200, j, err);
}

tacit_status tc_studies_show(tc_ask *a, tacit_error *err)
{
    tc_desk *d;
    TC_TRY(tc_ask_desk(a, &d, err));
    tacit_status status = show(a, d, err);
    tc_desk_release(a->coord, d);
    return status;
}

static tacit_status answer_points(tc_ask *a, const tc_desk *d, tacit_error *err)
{
    const tc_domain *domain = d->plan->doc->space->domain;
    char *csv = domain ? tc_domain_csv(domain) : NULL;
    if (!domain)
        return tc_refuse(a, 404, TACIT_E_NOT_FOUND, err, "study \"%s\" has a space, not points",
                         d->name);
    if (csv)
        tc_text_add(&a->out->body, csv);
    bool failed = !csv || a->out->body.failed;
    tc_free(csv);
    if (failed)
        return tc_fail_memory(err);
    a->out->status = 200;
    a->out->content_type = "text/csv";
    return TACIT_OK;
}

tacit_status tc_studies_points(tc_ask *a, tacit_error *err)
{
    tc_desk *d;
    TC_TRY(tc_ask_desk(a, &d, err));
    tacit_status status = answer_points(a, d, err);
    tc_desk_release(a->coord, d);
    return status;
}

/* ---- listing: in order of creation, a cursor is the last name seen ---- */

typedef struct page {
    const char *after;
    bool begun;
    size_t most, n;
    json_t *names;
    bool more;
} page;

static tacit_status list_one(void *user, const tc_study_row *row, tacit_error *err)
{
    page *p = user;
    if (!p->begun) {
        p->begun = strcmp(row->name, p->after) == 0;
        return TACIT_OK;
    }
    if (p->n == p->most) {
        p->more = true;
        return TACIT_OK;
    }
    p->n++;
    return json_array_append_new(p->names, json_string(row->name)) == 0 ? TACIT_OK
                                                                        : tc_fail_memory(err);
}

tacit_status tc_studies_list(tc_ask *a, tacit_error *err)
{
    char after[128] = "";
    uint64_t most = PAGE;
    TC_TRY(tc_query_text(a->q->query, "after", after, sizeof after, err));
    TC_TRY(tc_query_number(a->q->query, "limit", 1, PAGE_MOST, &most, err));
    page p = {.after = after, .begun = !*after, .most = (size_t)most, .names = json_array()};
    tacit_status status =
        p.names ? tc_store_study_list(a->coord->cfg.store, list_one, &p, err) : tc_fail_memory(err);
    if (status != TACIT_OK) {
        json_decref(p.names);
        return status;
    }
    json_t *last = p.more ? json_incref(json_array_get(p.names, p.n - 1)) : json_null();
    return tc_answer(a, 200, json_pack("{s:o, s:o}", "studies", p.names, "next", last), err);
}
