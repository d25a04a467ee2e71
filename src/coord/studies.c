/* studies.c - creating, showing, pausing, ending (also at a time that was set) and erasing studies, federated and served. */
#include "coord/audited.h"
#include "coord/coord_int.h"
#include "coord/events.h"
#include "coord/roster.h"
#include "coord/shared_round.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <sodium.h>
#include <string.h>

#define STATE "state"

enum { ATTEMPTS = 32 };

/* ---- running, paused, closed ---- */

static const char *const states[] = {"running", "paused", "closed"};
static const char *const actions[] = {"study.resume", "study.pause", "study.close"};

const char *tc_state_name(tc_study_state s)
{
    return states[s];
}

/* What the record says, and what that comes to now. No record: running, without an end. */
typedef struct standing {
    tc_study_state said, state;
    int64_t ends_ms; /* 0: none */
    uint64_t version;
} standing;

/* A study whose time is over is closed: nobody has to do it, and all processes agree, for they share the time. */
static tacit_status find_standing(tc_coord *c, int64_t study, standing *out, tacit_error *err)
{
    tc_key key = tc_key_word(STATE);
    json_t *j;
    TC_TRY(tc_record_read(c->cfg.store, study, TC_RECORD_STATE, &key, &j, &out->version, err));
    const char *name = json_string_value(json_object_get(j, "state"));
    out->said = TC_STUDY_RUNNING;
    out->ends_ms = 0;
    for (size_t i = 0; name && i < sizeof states / sizeof *states; i++)
        if (strcmp(name, states[i]) == 0)
            out->said = (tc_study_state)i;
    (void)tc_json_whole(json_object_get(j, "ends_ms"), &out->ends_ms);
    json_decref(j);
    bool over = out->ends_ms > 0 && tc_coord_is_past(c, out->ends_ms);
    out->state = over ? TC_STUDY_CLOSED : out->said;
    return TACIT_OK;
}

tacit_status tc_state_get(tc_coord *c, int64_t study, tc_study_state *out, uint64_t *version,
                          tacit_error *err)
{
    standing s;
    TC_TRY(find_standing(c, study, &s, err));
    *out = s.state;
    *version = s.version;
    return TACIT_OK;
}

/* Why it takes nothing. */
static tacit_status refuse(const standing *s, tacit_error *err)
{
    char iso[32];
    if (s->state == s->said)
        return tc_fail(err, TACIT_E_STATE, "the study is %s", states[s->state]);
    tc_clock_iso(iso, s->ends_ms);
    return tc_fail(err, TACIT_E_STATE, "the study is closed: its time ended at %s", iso);
}

tacit_status tc_state_running(tc_coord *c, int64_t study, uint64_t *version, tacit_error *err)
{
    standing s;
    TC_TRY(find_standing(c, study, &s, err));
    *version = s.version;
    return s.state == TC_STUDY_RUNNING ? TACIT_OK : refuse(&s, err);
}

tacit_status tc_state_open(tc_coord *c, int64_t study, tacit_error *err)
{
    standing s;
    TC_TRY(find_standing(c, study, &s, err));
    return s.state == TC_STUDY_CLOSED ? refuse(&s, err) : TACIT_OK;
}

/* Nobody could send during the pause, so the open round gets a new deadline. */
static tacit_status extend_round(tc_coord *c, const tc_open_study *d, tc_changes *changes,
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

static void change_standing(tc_changes *changes, int64_t study, const standing *was,
                            tc_study_state to, int64_t ends_ms)
{
    tc_key key = tc_key_word(STATE);
    json_t *j = json_pack("{s:s}", "state", states[to]);
    if (j && ends_ms > 0 && json_object_set_new(j, "ends_ms", json_integer(ends_ms)) != 0) {
        json_decref(j);
        j = NULL;
    }
    tc_changes_add(changes, was->version > 0 ? TC_REPLACE : TC_INSERT, study, TC_RECORD_STATE, &key,
                   was->version, j);
}

static tacit_status try_state(tc_request_context *a, const tc_open_study *d, tc_study_state to,
                              tacit_error *err)
{
    tc_coord *c = a->coord;
    tc_changes changes = {.n = 0};
    standing s;
    tacit_status status = TACIT_OK;
    TC_TRY(find_standing(c, d->id, &s, err));
    if (s.state == TC_STUDY_CLOSED && to != TC_STUDY_CLOSED)
        return tc_fail(err, TACIT_E_STATE, "the study is closed for good");
    a->already = s.state == to;
    if (a->already)
        return TACIT_OK;
    change_standing(&changes, d->id, &s, to, s.ends_ms);
    if (d->plan && s.state == TC_STUDY_PAUSED && to == TC_STUDY_RUNNING)
        status = extend_round(c, d, &changes, err);
    const tc_act act = tc_act_of(actions[to], d, "it was %s", states[s.state]);
    return tc_changes_log(c, &a->caller, &changes, status, &act, NULL, err);
}

static tacit_status set_state(tc_request_context *a, tc_study_state to, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_study(a, &d, err));
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_state(a, d, to, err);
    TC_TRY(status);
    a->out->closes = to == TC_STUDY_CLOSED;
    tc_emit_state(a->coord, d, states[to]);
    return tc_answer_json(a, 200, json_pack("{s:s, s:s}", "study", d->name, "state", states[to]),
                          err);
}

tacit_status tc_studies_pause(tc_request_context *a, tacit_error *err)
{
    return set_state(a, TC_STUDY_PAUSED, err);
}

tacit_status tc_studies_resume(tc_request_context *a, tacit_error *err)
{
    return set_state(a, TC_STUDY_RUNNING, err);
}

tacit_status tc_studies_close(tc_request_context *a, tacit_error *err)
{
    return set_state(a, TC_STUDY_CLOSED, err);
}

/* ---- a time at which it ends by itself ---- */

static tacit_status try_end(tc_request_context *a, const tc_open_study *d, int64_t ends_ms,
                            tacit_error *err)
{
    tc_changes changes = {.n = 0};
    char iso[32] = "never";
    standing s;
    TC_TRY(find_standing(a->coord, d->id, &s, err));
    if (s.state == TC_STUDY_CLOSED)
        return refuse(&s, err);
    if (ends_ms > 0)
        tc_clock_iso(iso, ends_ms);
    change_standing(&changes, d->id, &s, s.said, ends_ms);
    const tc_act act = tc_act_of("study.expire", d, "%s", iso);
    return tc_changes_log(a->coord, &a->caller, &changes, TACIT_OK, &act, NULL, err);
}

/* {"after_s": 2592000}, from now on; 0: it has no such end any more. */
tacit_status tc_studies_expire(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    double after_s = tc_request_real(a, "after_s");
    TC_TRY(tc_request_study(a, &d, err));
    int64_t ends_ms = after_s > 0 ? tc_coord_now(a->coord) + (int64_t)(after_s * 1000) : 0;
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_end(a, d, ends_ms, err);
    TC_TRY(status);
    return tc_answer_json(
        a, 200, json_pack("{s:s, s:I}", "study", d->name, "ends_ms", (json_int_t)ends_ms), err);
}

tacit_status tc_studies_erase(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_study(a, &d, err));
    const tc_act act = tc_act_of("study.delete", d, "%s", "");
    TC_TRY(tc_act_begin(a->coord, &a->caller, &act, err));
    tacit_status status = tc_store_study_erase(a->coord->cfg.store, d->id, err);
    tc_act_end(a->coord, &a->caller, &act, status);
    TC_TRY(status);
    tc_open_study_erased(a->coord, d);
    return tc_answer_json(a, 200, json_pack("{s:s, s:b}", "study", a->words[0], "erased", 1), err);
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
    return tc_changes_end(c->cfg.store, &changes, TACIT_OK, NULL, err);
}

static tacit_status take_time(const tc_coord *c, int64_t *out, tacit_error *err)
{
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_time(c, out, err);
    return status;
}

/* Options that contradict each other show when a round has a price. A relay's rounds have none, so it is asked. */
static tacit_status rehearse_round(const tc_study_plan *p, tacit_error *err)
{
    const tc_algorithm *a = p->doc->algorithm;
    tc_round_price unused;
    return a->aggregator ? tc_study_plan_price(p, 0, &unused, err) : a->relay->agree(p->opts, err);
}

/* An ablation shows what broadcasts are worth, in a simulation. Here real agents would pay for what nobody can use. */
static tacit_status refuse_ablation(const tc_study_plan *p, tacit_error *err)
{
    const char *broadcast = json_string_value(json_object_get(p->options, "broadcast"));
    bool promised = !*tc_study_plan_not_private(p);
    if (!promised || !broadcast || strcmp(broadcast, "normal") == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "algorithm.broadcast must be normal in a private study, got %s: such an "
                   "ablation is for tacit simulate, and here it would spend privacy for nothing",
                   broadcast);
}

/* Makes it once, so that a document that cannot be run is refused before it is stored. */
static tacit_status rehearse(const tc_study_doc *doc, const tc_study_row *row, size_t body_max,
                             tacit_error *err)
{
    tc_study_plan *plan = NULL;
    tc_study *study = NULL;
    tacit_status status = doc->agents > 0 ? tc_study_plan_new(&plan, row, err)
                                          : tc_study_open_row(&study, NULL, row, NULL, err);
    if (status == TACIT_OK && plan)
        status = refuse_ablation(plan, err);
    if (status == TACIT_OK && plan)
        status = rehearse_round(plan, err);
    if (status == TACIT_OK && plan)
        status = tc_trust_check(plan, body_max, err);
    tc_study_plan_free(plan);
    tc_study_close(study);
    return status;
}

/* It is logged before it is there, and again when it is. */
static tacit_status put_row(tc_coord *c, const tc_caller *who, const tc_study_row *row,
                            tacit_error *err)
{
    char of[2 * TC_LEDGER_HASH_BYTES + 1];
    int64_t id;
    tacit_hash hash = tc_study_hash(row);
    sodium_bin2hex(of, sizeof of, hash.bytes, sizeof hash.bytes);
    tc_act act = tc_act_of("study.create", NULL, "%s", of);
    act.study = row->name;
    TC_TRY(tc_act_begin(c, who, &act, err));
    tacit_status status = tc_store_study_put(c->cfg.store, row, &id, err);
    tc_act_end(c, who, &act, status);
    return status;
}

tacit_status tc_studies_put(tc_coord *c, const tc_caller *who, tc_study_doc *doc, tacit_error *err)
{
    tc_study_row row;
    if (doc->agents > 0 && doc->delta > 0)
        TC_TRY(tacit_delta_check("privacy.delta", doc->delta, doc->agents, err));
    TC_TRY(tc_study_calibrate(doc, err));
    TC_TRY(tc_study_row_of(&row, doc, 0, err));
    tacit_status status = rehearse(doc, &row, c->cfg.body_max, err);
    if (status == TACIT_OK)
        status = take_time(c, &row.created_ms, err);
    if (status == TACIT_OK)
        status = put_row(c, who, &row, err);
    tacit_hash of = tc_study_hash(&row);
    tc_study_row_fini(&row);
    if (status == TACIT_OK)
        tc_emit_event(c, doc->name, &of,
                      json_pack("{s:s, s:s}", "event", "study", "state", "running"));
    return status;
}

tacit_status tc_coord_create(tc_coord *c, const char *document, tacit_error *err)
{
    json_t *json;
    tc_study_doc *doc;
    TC_TRY(tc_json_parse(document, strlen(document), "the study document", &json, err));
    tacit_status status = tc_study_doc_from_json(&doc, json, NULL, err);
    json_decref(json);
    TC_TRY(status);
    status = tc_studies_put(c, NULL, doc, err);
    tc_study_doc_free(doc);
    return status;
}

static tacit_status read_document(const tc_request_context *a, tc_study_doc **out, tacit_error *err)
{
    const char *csv = tc_request_text(a, "points_csv");
    const json_t *document = json_object_get(a->body, "document");
    if (csv || json_is_object(json_object_get(document, "points")))
        return tc_study_doc_with_points(out, document, csv, err);
    if (json_object_get(document, "points"))
        return tc_fail(err, TACIT_E_ARG,
                       "points must be sent as points_csv: this is not the "
                       "machine that has the file");
    return tc_study_doc_from_json(out, document, NULL, err);
}

tacit_status tc_studies_create(tc_request_context *a, tacit_error *err)
{
    tc_study_doc *doc;
    TC_TRY(read_document(a, &doc, err));
    tacit_status status = tc_studies_put(a->coord, &a->caller, doc, err);
    if (status == TACIT_OK)
        snprintf(a->words[0], sizeof a->words[0], "%s", doc->name);
    tc_study_doc_free(doc);
    TC_TRY(status);
    TC_TRY(tc_studies_show(a, err));
    a->out->status = 201;
    return TACIT_OK;
}

/* ---- showing ---- */

/* As far as it is public: who has sent is not. A place that is free is waited for like an agent. */
static json_t *awaited_json(const tc_round *r, uint64_t agents, uint64_t enrolled,
                            const char *trustees)
{
    uint64_t free = agents > enrolled ? agents - enrolled : 0;
    if (r->phase == TC_PHASE_CLOSING && *trustees)
        return json_string(trustees);
    if (r->phase != TC_PHASE_OPEN)
        return NULL;
    return json_sprintf("%s%llu agents that are not revoked: %llu have enrolled, and %llu places "
                        "are free; which of them have sent is not shown",
                        r->deadline_ms > 0 ? "its deadline, or all of " : "all of ",
                        (unsigned long long)agents, (unsigned long long)enrolled,
                        (unsigned long long)free);
}

static json_t *round_json(const tc_round *r, uint64_t agents, uint64_t enrolled,
                          const char *trustees)
{
    if (r->phase == TC_PHASE_NONE)
        return json_null();
    return json_pack("{s:I, s:s, s:I, s:o*}", "number", (json_int_t)r->number, "phase",
                     tc_phase_name(r->phase), "deadline_ms", (json_int_t)r->deadline_ms,
                     "waits_for", awaited_json(r, agents, enrolled, trustees));
}

static json_t *seed_json(const tc_public_seed *seed)
{
    tc_text t = {0};
    tc_base64_add(&t, seed->bytes, sizeof seed->bytes);
    json_t *j = json_string(tc_text_get(&t));
    tc_text_fini(&t);
    return j;
}

static json_t *hash_json(const tacit_hash *h)
{
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    return json_string(sodium_bin2hex(hex, sizeof hex, h->bytes, sizeof h->bytes));
}

/* What studies of both kinds show. NULL: no memory. */
static json_t *common_json(const tc_open_study *d, const standing *now, const tc_study_doc *doc)
{
    char *text = tc_study_doc_text(doc);
    json_t *j = !text ? NULL
                      : json_pack("{s:s, s:s, s:s, s:o, s:o, s:I}", "name", d->name, "state",
                                  states[now->state], "document", text, "hash", hash_json(&d->hash),
                                  "public_seed", seed_json(&d->public_seed), "created_ms",
                                  (json_int_t)d->created_ms);
    tc_free(text);
    if (j && now->ends_ms > 0 &&
        json_object_set_new(j, "ends_ms", json_integer((json_int_t)now->ends_ms)) != 0) {
        json_decref(j);
        return NULL;
    }
    return j;
}

const char *tc_study_not_private(const tc_coord *c, const tc_open_study *d)
{
    const char *why = tc_study_plan_not_private(d->plan);
    return c->cfg.seeded && !*why ? "noise comes from a seed" : why;
}

/* What a closing round waits for. */
static tacit_status word_trustees(tc_request_context *a, tc_open_study *d, const tc_round *r,
                                  char out[200], tacit_error *err)
{
    tc_shared_progress p;
    *out = 0;
    if (!tc_has_trustees(d) || r->phase != TC_PHASE_CLOSING)
        return TACIT_OK;
    TC_TRY(tc_shared_look(a->coord, d, r->number, false, &p, err));
    tc_shared_word(d, &p, out);
    return TACIT_OK;
}

static tacit_status add_trustees(tc_request_context *a, tc_open_study *d, json_t *j,
                                 tacit_error *err)
{
    uint64_t enrolled;
    json_t *roster;
    if (!tc_has_trustees(d))
        return TACIT_OK;
    TC_TRY(tc_trustees_count(a->coord, d->id, &enrolled, err));
    TC_TRY(tc_roster_fingerprint_json(a->coord, d, &roster, err));
    json_t *more = json_pack("{s:I, s:I, s:o}", "trustees", (json_int_t)d->plan->env.trustees.count,
                             "trustees_enrolled", (json_int_t)enrolled, "roster", roster);
    bool added = more && json_object_update(j, more) == 0;
    json_decref(more);
    return added ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status add_federated(tc_request_context *a, tc_open_study *d, json_t *j,
                                  tacit_error *err)
{
    uint64_t enrolled;
    tc_round r;
    char trustees[200];
    TC_TRY(tc_roster_count(a->coord, d, &enrolled, err));
    TC_TRY(tc_round_present(a->coord, d->id, &r, err));
    TC_TRY(word_trustees(a, d, &r, trustees, err));
    TC_TRY(add_trustees(a, d, j, err));
    json_t *more = json_pack("{s:O, s:I, s:I, s:o, s:s}", "options", d->plan->options, "agents",
                             (json_int_t)d->plan->env.agents, "enrolled", (json_int_t)enrolled,
                             "round", round_json(&r, d->plan->env.agents, enrolled, trustees),
                             "not_private", tc_study_not_private(a->coord, d));
    bool added = more && json_object_update(j, more) == 0;
    json_decref(more);
    return added ? tc_roster_look(a, d, j, err) : tc_fail_memory(err);
}

static json_t *served_json(const tc_study_doc *doc, const tc_optimizer *o)
{
    bool private = tc_algorithm_takes_replies(doc->algorithm) ||
                   doc->promise == TC_PROMISE_RECORDS; /* noised before they are told */
    json_t *options = tc_options_json(doc->algorithm->options, tc_optimizer_options(o));
    return json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I}", "options", options, "not_private",
                     private ? "" : "values are told as they are", "trials",
                     (json_int_t)doc->trials, "complete",
                     (json_int_t)tc_optimizer_count(o, TC_TRIAL_COMPLETE), "running",
                     (json_int_t)tc_optimizer_count(o, TC_TRIAL_RUNNING), "failed",
                     (json_int_t)tc_optimizer_count(o, TC_TRIAL_FAIL), "pruned",
                     (json_int_t)tc_optimizer_count(o, TC_TRIAL_PRUNED));
}

static tacit_status add_outcomes(const tc_optimizer *o, json_t *j, tacit_error *err)
{
    size_t front;
    tc_optimizer_front(o, &front);
    int bad = json_object_set_new(j, "feasible",
                                  json_integer((json_int_t)tc_optimizer_feasible_count(o)));
    if (tc_optimizer_outcomes(o)->n_objectives > 1)
        bad |= json_object_set_new(j, "front", json_integer((json_int_t)front));
    return bad ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status add_served(tc_request_context *a, tc_open_study *d, json_t *j, tacit_error *err)
{
    tc_study *study;
    const tc_optimizer *o;
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    TC_TRY(tc_study_look(study, &o, err));
    const tc_study_doc *doc = tc_study_document(study);
    json_t *more = served_json(doc, o);
    tacit_status status = more && doc->outcomes ? add_outcomes(o, more, err) : TACIT_OK;
    tc_study_unlook(study);
    if (status != TACIT_OK) {
        json_decref(more);
        return status;
    }
    bool added = more && json_object_update(j, more) == 0;
    json_decref(more);
    return added ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_studies_show(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_study(a, &d, err));
    standing now;
    const tc_study_doc *doc;
    TC_TRY(find_standing(a->coord, d->id, &now, err));
    TC_TRY(tc_open_study_document(a->coord, d, &doc, err));
    json_t *j = common_json(d, &now, doc);
    if (!j)
        return tc_fail_memory(err);
    tacit_status status = d->plan ? add_federated(a, d, j, err) : add_served(a, d, j, err);
    if (status == TACIT_OK)
        return tc_answer_json(a, 200, j, err);
    json_decref(j);
    return status;
}

/* The points of a study as CSV, made once: they never change, and there may be many. NULL: no memory. */
static tc_shared_text *points_csv(tc_open_study *d, const tc_domain *domain)
{
    pthread_mutex_lock(&d->quick);
    if (!d->points)
        d->points = tc_shared_text_of(tc_domain_csv(domain));
    tc_shared_text *csv = tc_shared_text_use(d->points);
    pthread_mutex_unlock(&d->quick);
    return csv;
}

tacit_status tc_studies_points(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_study(a, &d, err));
    const tc_study_doc *doc;
    TC_TRY(tc_open_study_document(a->coord, d, &doc, err));
    const tc_domain *domain = doc->space->domain;
    if (!domain)
        return tc_refuse(a, 404, TACIT_E_NOT_FOUND, err, "study \"%s\" has a space, not points",
                         d->name);
    tc_shared_text *csv = points_csv(d, domain);
    tacit_status status = tc_answer_shared(a, "text/csv", csv, err);
    tc_shared_text_end(csv);
    return status;
}
