/* roster_fixed.c - the roster of a study with trustees, fixed for good once all its agents and trustees have enrolled.
 *
 * Parties that trust no coordinator compare fingerprints of one list of all keys (wire/trust_roster.h): so that list is made
 * once, stored, and never changes. What changes keys before (enrolment, another key, a return) replaces the record "members"
 * in its own set of changes; fixing replaces it, too, and keeps the bytes. So of a fixing and a change at the same moment
 * one comes first, and the other finds out. Afterwards every such change is refused.
 *
 * Who enrolled last fixes it in the same request; if that process dies between the two, the next request or tick does. */
#include "coord/audited.h"
#include "coord/coord_int.h"
#include "coord/events.h"
#include "coord/roster.h"
#include "coord/trustee.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/trust_set.h"

#include <inttypes.h>
#include <string.h>

#define MEMBERS "members"
#define ROSTER  "roster"

/* ---- is it fixed? ---- */

static tacit_status read_members(tc_coord *c, const tc_open_study *d, bool *fixed,
                                 uint64_t *version, tacit_error *err)
{
    tc_key key = tc_key_word(MEMBERS);
    json_t *j;
    TC_TRY(tc_record_read(c->cfg.store, d->id, TC_RECORD_STATE, &key, &j, version, err));
    *fixed = json_is_true(json_object_get(j, "fixed"));
    json_decref(j);
    return TACIT_OK;
}

static void change_members(const tc_open_study *d, uint64_t version, bool fixed,
                           tc_changes *changes)
{
    tc_key key = tc_key_word(MEMBERS);
    tc_changes_add(changes, version > 0 ? TC_REPLACE : TC_INSERT, d->id, TC_RECORD_STATE, &key,
                   version, json_pack("{s:b}", "fixed", (int)fixed));
}

static tacit_status refuse_fixed(tc_request_context *a, const tc_open_study *d, tacit_error *err)
{
    return tc_refuse(a, 409, TACIT_E_STATE, err,
                     "the roster of study \"%s\" is fixed: nobody joins, comes back or changes a "
                     "key any more",
                     d->name);
}

tacit_status tc_roster_moves(tc_request_context *a, const tc_open_study *d, tc_changes *changes,
                             tacit_error *err)
{
    bool fixed;
    uint64_t version;
    if (!tc_has_trustees(d))
        return TACIT_OK;
    TC_TRY(read_members(a->coord, d, &fixed, &version, err));
    if (fixed)
        return refuse_fixed(a, d, err);
    change_members(d, version, false, changes);
    return TACIT_OK;
}

tacit_status tc_roster_check_open(tc_request_context *a, const tc_open_study *d, tacit_error *err)
{
    bool fixed;
    uint64_t version;
    if (!tc_has_trustees(d))
        return TACIT_OK;
    TC_TRY(read_members(a->coord, d, &fixed, &version, err));
    return fixed ? refuse_fixed(a, d, err) : TACIT_OK;
}

/* ---- fixing ---- */

/* The keys of all parties, while they are read. */
typedef struct gathering {
    tc_public_key *agents, trustees[TC_TRUSTEES_MOST];
    tacit_hash batches[TC_TRUSTEES_MOST];
    uint64_t n_agents, n_batches, most;
} gathering;

static tacit_status take_agent(void *user, const tc_record *r, tacit_error *err)
{
    gathering *g = user;
    json_t *j;
    uint64_t number = tc_key_at(r->key, 0);
    TC_TRY(tc_record_json(r, &j, err));
    const char *key = json_string_value(json_object_get(j, "key"));
    bool ok = key && number == g->n_agents && number < g->most &&
              tc_base64_read(key, g->agents[number].bytes, sizeof g->agents->bytes);
    json_decref(j);
    g->n_agents++;
    return ok ? TACIT_OK
              : tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: agent %" PRIu64, number);
}

static tacit_status take_batch(void *user, const tc_record *r, tacit_error *err)
{
    gathering *g = user;
    uint64_t place = tc_key_at(r->key, 0);
    if (place != g->n_batches || place >= TC_TRUSTEES_MOST)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: keys of trustee %" PRIu64,
                       place);
    g->batches[g->n_batches++] = tc_hash_bytes(r->value, r->size);
    return TACIT_OK;
}

static tacit_status gather(tc_coord *c, const tc_open_study *d, gathering *g, tacit_error *err)
{
    tc_record_range agents = {.study = d->id, .kind = TC_RECORD_AGENT};
    tc_record_range batches = {.study = d->id, .kind = TC_RECORD_ROUND_KEYS};
    tc_trustee_row rows[TC_TRUSTEES_MOST];
    TC_TRY(tc_store_record_scan(c->cfg.store, &agents, take_agent, g, err));
    TC_TRY(tc_store_record_scan(c->cfg.store, &batches, take_batch, g, err));
    TC_TRY(tc_trustees_read(c, d->id, rows, err));
    for (uint32_t k = 0; k < d->plan->env.trustees.count; k++)
        g->trustees[k] = rows[k].key;
    return TACIT_OK;
}

static tacit_status find_terms(const tc_open_study *d, tc_roster_terms *out, tacit_error *err)
{
    uint64_t rounds;
    TC_TRY(tc_study_plan_count_rounds(d->plan, TC_ROSTER_MOST_ROUNDS, &rounds, err));
    *out = (tc_roster_terms){.study = d->hash,
                             .agents = d->plan->env.agents,
                             .trustees = d->plan->env.trustees.count,
                             .rounds = (uint32_t)rounds};
    return TACIT_OK;
}

/* Takes what was gathered at version `version` of the members. E_CONFLICT: they have changed since. */
static tacit_status store_roster(tc_coord *c, const tc_caller *who, const tc_open_study *d,
                                 uint64_t version, const gathering *g, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_roster_terms terms;
    tc_key key = tc_key_word(ROSTER);
    TC_TRY(find_terms(d, &terms, err));
    size_t n = tc_trust_roster_size(terms.agents, terms.trustees);
    uint8_t *bytes = tc_alloc(n, 1);
    if (!bytes)
        return tc_fail_memory(err);
    tc_trust_roster_write(&terms, g->agents, g->trustees, g->batches, bytes);
    const tc_fingerprint print = tc_trust_roster_fingerprint(bytes, n);
    change_members(d, version, true, &changes);
    tc_changes_bytes(&changes, TC_INSERT, d->id, TC_RECORD_ROSTER, &key, 0, bytes, n);
    const tc_act act = tc_act_of("roster.fix", d, "%" PRIu64 " agents and %u trustees, %s",
                                 terms.agents, (unsigned)terms.trustees, print.text);
    tacit_status status = tc_changes_log(c, who, &changes, TACIT_OK, &act, NULL, err);
    tc_free(bytes);
    return status;
}

/* The members were read before anybody is counted: whoever changes them meanwhile is noticed. */
static tacit_status try_fix(tc_coord *c, const tc_caller *who, tc_open_study *d, bool *fixed,
                            tacit_error *err)
{
    const uint64_t agents = d->plan->env.agents, trustees = d->plan->env.trustees.count;
    uint64_t version, n, k;
    TC_TRY(read_members(c, d, fixed, &version, err));
    if (*fixed)
        return TACIT_OK;
    TC_TRY(tc_trustees_count(c, d->id, &k, err));
    if (k < trustees)
        return TACIT_OK;
    TC_TRY(tc_roster_count(c, d, &n, err));
    if (n < agents)
        return TACIT_OK;
    gathering g = {.agents = tc_alloc(agents, sizeof *g.agents), .most = agents};
    if (!g.agents)
        return tc_fail_memory(err);
    tacit_status status = gather(c, d, &g, err);
    bool all = status == TACIT_OK && g.n_agents == agents && g.n_batches == trustees;
    if (all)
        status = store_roster(c, who, d, version, &g, err);
    *fixed = all && status == TACIT_OK;
    tc_free(g.agents);
    if (*fixed)
        tc_emit_change(c, d);
    return status;
}

tacit_status tc_roster_fix(tc_coord *c, const tc_caller *who, tc_open_study *d, bool *fixed,
                           tacit_error *err)
{
    enum { ATTEMPTS = 32 };
    tacit_status status = TACIT_E_CONFLICT;
    *fixed = false;
    if (!tc_has_trustees(d))
        return TACIT_OK;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = try_fix(c, who, d, fixed, err);
    return status;
}

/* ---- who is missing ---- */

typedef struct missing {
    uint64_t enrolled, trustees_enrolled;
} missing;

static tacit_status count_missing(tc_coord *c, tc_open_study *d, missing *out, tacit_error *err)
{
    TC_TRY(tc_roster_count(c, d, &out->enrolled, err));
    return tc_trustees_count(c, d->id, &out->trustees_enrolled, err);
}

tacit_status tc_roster_check_fixed(tc_request_context *a, tc_open_study *d, tacit_error *err)
{
    missing m;
    bool fixed;
    TC_TRY(tc_roster_fix(a->coord, &a->caller, d, &fixed, err));
    if (fixed || !tc_has_trustees(d))
        return TACIT_OK;
    TC_TRY(count_missing(a->coord, d, &m, err));
    return tc_refuse(a, 409, TACIT_E_STATE, err,
                     "the roster is not fixed yet: %" PRIu64 " of %" PRIu64 " agents and %" PRIu64
                     " of %u trustees have enrolled",
                     m.enrolled, d->plan->env.agents, m.trustees_enrolled,
                     (unsigned)d->plan->env.trustees.count);
}

/* ---- showing it ---- */

static tacit_status read_roster(tc_coord *c, const tc_open_study *d, tc_record *out,
                                tacit_error *err)
{
    tc_key key = tc_key_word(ROSTER);
    tc_record which = tc_record_of(d->id, TC_RECORD_ROSTER, &key);
    return tc_store_record_find(c->cfg.store, &which, out, err);
}

/* Read once: the roster is as long as there are agents, and each of them asks. */
static tacit_status find_fingerprint(tc_coord *c, tc_open_study *d, tc_fingerprint *out,
                                     tacit_error *err)
{
    const uint64_t since = tc_store_moment(c->cfg.store);
    tc_record got;
    TC_TRY(read_roster(c, d, &got, err));
    if (got.version > 0)
        *out = tc_trust_roster_fingerprint(got.value, got.size);
    tc_free((void *)got.value);
    if (!out->text[0])
        return TACIT_OK;
    TC_TRY(tc_store_wait_durable(c->cfg.store, since, err));
    pthread_mutex_lock(&d->quick);
    d->fingerprint = *out;
    pthread_mutex_unlock(&d->quick);
    return TACIT_OK;
}

tacit_status tc_roster_fingerprint_json(tc_coord *c, tc_open_study *d, json_t **out,
                                        tacit_error *err)
{
    pthread_mutex_lock(&d->quick);
    tc_fingerprint print = d->fingerprint;
    pthread_mutex_unlock(&d->quick);
    if (!print.text[0])
        TC_TRY(find_fingerprint(c, d, &print, err));
    *out = print.text[0] ? json_string(print.text) : json_null();
    return *out ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status add_batch(void *user, const tc_record *r, tacit_error *err)
{
    return json_array_append_new(user, tc_base64_json(r->value, r->size)) == 0
               ? TACIT_OK
               : tc_fail_memory(err);
}

static tacit_status roster_json(tc_coord *c, const tc_open_study *d, json_t **out, tacit_error *err)
{
    tc_record_range batches = {.study = d->id, .kind = TC_RECORD_ROUND_KEYS};
    tc_record got;
    TC_TRY(read_roster(c, d, &got, err));
    if (got.version == 0)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the roster of study \"%s\"",
                       d->name);
    json_t *list = json_array();
    tacit_status status = tc_store_record_scan(c->cfg.store, &batches, add_batch, list, err);
    if (status == TACIT_OK)
        *out = json_pack("{s:s, s:o, s:O}", "fingerprint",
                         tc_trust_roster_fingerprint(got.value, got.size).text, "roster",
                         tc_base64_json(got.value, got.size), "round_keys", list);
    json_decref(list);
    tc_free((void *)got.value);
    return status;
}

/* One copy for all who ask. What is shown is on disk first: parties keep it for good. */
static tacit_status make_roster(tc_request_context *a, tc_open_study *d, tacit_error *err)
{
    const uint64_t since = tc_store_moment(a->coord->cfg.store);
    json_t *j = NULL;
    TC_TRY(roster_json(a->coord, d, &j, err));
    tacit_status status = tc_store_wait_durable(a->coord->cfg.store, since, err);
    tc_shared_text *mine = tc_shared_text_of(status == TACIT_OK ? tc_json_text(j) : NULL);
    json_decref(j);
    TC_TRY(status);
    status = tc_answer_shared(a, "application/json", mine, err);
    pthread_mutex_lock(&d->quick);
    if (mine && !d->roster)
        d->roster = tc_shared_text_use(mine);
    pthread_mutex_unlock(&d->quick);
    tc_shared_text_end(mine);
    return status;
}

static tacit_status answer_missing(tc_request_context *a, tc_open_study *d, tacit_error *err)
{
    missing m;
    TC_TRY(count_missing(a->coord, d, &m, err));
    a->out->wait = true;
    return tc_answer_json(
        a, 202,
        json_pack("{s:I, s:I, s:I, s:I}", "agents", (json_int_t)d->plan->env.agents, "enrolled",
                  (json_int_t)m.enrolled, "trustees", (json_int_t)d->plan->env.trustees.count,
                  "trustees_enrolled", (json_int_t)m.trustees_enrolled),
        err);
}

tacit_status tc_fixed_roster_get(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    bool fixed;
    TC_TRY(tc_request_trusted(a, &d, err));
    pthread_mutex_lock(&d->quick);
    tc_shared_text *there = tc_shared_text_use(d->roster);
    pthread_mutex_unlock(&d->quick);
    if (there) {
        tacit_status status = tc_answer_shared(a, "application/json", there, err);
        tc_shared_text_end(there);
        return status;
    }
    TC_TRY(tc_roster_fix(a->coord, &a->caller, d, &fixed, err));
    return fixed ? make_roster(a, d, err) : answer_missing(a, d, err);
}

/* ---- what a study must be ---- */

/* A body has its bytes in base64, and a little around them. */
static tacit_status check_size(const char *what, uint64_t round, size_t bytes, size_t most,
                               tacit_error *err)
{
    enum { AROUND = 256 };
    if (bytes / 3 * 4 + AROUND <= most)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "federation.trustees: %s of round %" PRIu64
                   " would have %zu bytes, and a request may have %zu: fewer trustees or smaller "
                   "messages are needed",
                   what, round, bytes, most);
}

static tacit_status check_round(const tc_study_plan *p, uint64_t round, size_t body_max,
                                tacit_error *err)
{
    tc_shared_plan plan;
    tc_shared_scale scale;
    TC_TRY(p->doc->algorithm->aggregator->shared(&p->env, p->opts, round, &plan, err));
    TC_TRY(tc_shared_plan_scale(&plan, &scale, err));
    TC_TRY(check_size("an upload", round, tc_dealing_size(&p->env.trustees, plan.width), body_max,
                      err));
    return check_size("the noise of a trustee", round,
                      tc_dealing_size(&p->env.trustees, plan.groups * plan.width), body_max, err);
}

/* What a party is told of all others in one answer: the roster with the round keys, and a set with its first page of boxes. */
static tacit_status check_told(const tc_study_plan *p, uint64_t rounds, tacit_error *err)
{
    enum {
        TAKEN_MOST = 16 << 20,
        PAGE = 1 << 20,
        AROUND = 4096
    }; /* of agent/transport.h, trustee_get.c */
    const tc_env *e = &p->env;
    const size_t roster = tc_trust_roster_size(e->agents, e->trustees.count),
                 keys = e->trustees.count * sizeof(tc_box_key) * (size_t)rounds,
                 set = tc_trust_set_size(e->agents, e->trustees.dealers) + PAGE;
    const size_t most = roster + keys > set ? roster + keys : set;
    if (roster > 0 && most / 3 * 4 + AROUND <= TAKEN_MOST)
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_ARG,
        "federation.trustees: with %zu agents each party would be told %zu bytes about all of "
        "them in one answer, and it takes %d: fewer agents are needed",
        (size_t)e->agents, most / 3 * 4 + AROUND, TAKEN_MOST);
}

tacit_status tc_trust_check(const tc_study_plan *p, size_t body_max, tacit_error *err)
{
    uint64_t rounds, round;
    if (p->env.trustees.count == 0)
        return TACIT_OK;
    TC_TRY(tc_study_plan_count_rounds(p, TC_ROSTER_MOST_ROUNDS, &rounds, err));
    TC_TRY(check_told(p, rounds, err));
    TC_TRY(tc_study_plan_next_round(p, 0, &round, err));
    while (round != TC_NO_ROUND) {
        TC_TRY(check_round(p, round, body_max, err));
        TC_TRY(tc_study_plan_next_round(p, round + 1, &round, err));
    }
    return TACIT_OK;
}
