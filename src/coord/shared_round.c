/* shared_round.c - how far the trustees of a round are, and the set that they add up.
 *
 * A closing round of a study with trustees waits twice. First for r dealers of noise: then its set is fixed, in one record that
 * is inserted once and never changes. Then for answers to that set: until all trustees have spoken, or their time is
 * over and t + 1 answers are there. Everything is read from the store each time, so any process may take any step. */
#include "coord/shared_round.h"
#include "coord/coord_int.h"
#include "coord/roster.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what follows from the document ---- */

tacit_status tc_shared_round_plan(const tc_open_study *d, uint64_t round, tc_shared_plan *out,
                                  tacit_error *err)
{
    const tc_study_plan *p = d->plan;
    return p->doc->algorithm->aggregator->shared(&p->env, p->opts, round, out, err);
}

tacit_status tc_shared_round_head(const tc_open_study *d, uint64_t round, tc_dealer_kind kind,
                                  uint64_t number, tc_dealing_head *out, tacit_error *err)
{
    tc_shared_plan plan;
    TC_TRY(tc_shared_round_plan(d, round, &plan, err));
    const size_t words = kind == TC_DEALER_AGENT ? plan.width : plan.groups * plan.width;
    *out = (tc_dealing_head){.epoch = TC_ROSTER_EPOCH,
                             .round = round,
                             .kind = kind,
                             .number = number,
                             .words = (uint32_t)words};
    return TACIT_OK;
}

int64_t tc_shared_wait_ms(const tc_open_study *d)
{
    enum { USUAL_MS = 60000 };
    const double deadline_s = d->plan->doc->deadline_s;
    return deadline_s > 0 ? (int64_t)(deadline_s * 1000) : USUAL_MS;
}

/* ---- the set as it is stored: the time, then its bytes ---- */

enum { TIME = 8 };

void tc_stored_set_fini(tc_stored_set *s)
{
    tc_free(s->bytes);
    *s = (tc_stored_set){.version = 0};
}

tacit_status tc_stored_set_get(tc_coord *c, const tc_open_study *d, uint64_t round,
                               tc_stored_set *out, tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record which = tc_record_of(d->id, TC_RECORD_SET, &key), got;
    tacit_error why;
    *out = (tc_stored_set){.version = 0};
    TC_TRY(tc_store_record_find(c->cfg.store, &which, &got, err));
    if (got.version == 0)
        return TACIT_OK;
    uint8_t *bytes = (uint8_t *)got.value;
    if (got.size < TIME ||
        tc_trust_set_read(bytes + TIME, got.size - TIME, &out->set, &why) != TACIT_OK) {
        tc_free(bytes);
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the set of round %" PRIu64,
                       round);
    }
    out->fixed_ms = (int64_t)tc_get_le(bytes, TIME);
    out->hash = tc_trust_set_hash(&out->set, &d->hash);
    out->version = got.version;
    out->bytes = bytes;
    return TACIT_OK;
}

/* ---- who has done what ---- */

static tacit_status note_place(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    *(uint32_t *)user |= UINT32_C(1) << (tc_key_at(r->key, 1) % TC_TRUSTEES_MOST);
    return TACIT_OK;
}

static tacit_status find_places(tc_coord *c, const tc_open_study *d, tc_record_kind kind,
                                uint64_t round, tc_record_visit visit, uint32_t *out,
                                tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record_range range = {
        .study = d->id, .kind = kind, .prefix = key.bytes, .prefix_size = key.n};
    *out = 0;
    return tc_store_record_scan(c->cfg.store, &range, visit, out, err);
}

static tacit_status note_refusal(void *user, const tc_record *r, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_record_json(r, &j, err));
    bool refuses = json_object_get(j, "refusal") != NULL;
    json_decref(j);
    return refuses ? note_place(user, r, err) : TACIT_OK;
}

static uint32_t count(uint32_t places)
{
    return (uint32_t)__builtin_popcount(places);
}

/* Whose noise is left alone: that of trustees that were revoked, if the others are enough. It may be why they were. */
static uint32_t left_alone(const tc_trustees *t, uint32_t revoked)
{
    const uint32_t all = (UINT32_C(1) << t->count) - 1;
    return count(all & ~revoked) >= t->dealers ? revoked : 0;
}

/* Before the set is fixed. A trustee that was revoked deals no more; what it has dealt is there, and used if it is needed. */
static void decide_dealers(const tc_trustees *t, bool ended, uint64_t round, tc_shared_progress *p)
{
    const uint32_t all = (UINT32_C(1) << t->count) - 1;
    p->dealt &= ~left_alone(t, p->revoked);
    const uint32_t able = count(p->dealt | (all & ~p->revoked));
    p->step = ended || able < t->dealers      ? TC_SHARED_VOID
              : count(p->dealt) >= t->dealers ? TC_SHARED_FIX
                                              : TC_SHARED_WAIT;
    p->next_ms = INT64_MAX;
    if (ended)
        snprintf(p->why, sizeof p->why, "the study was closed before round %" PRIu64 " ended",
                 round);
    else
        snprintf(p->why, sizeof p->why,
                 "%u trustees: %u can deal noise, the others were revoked; %u are needed",
                 (unsigned)t->count, (unsigned)able, (unsigned)t->dealers);
}

/* Afterwards. */
static void decide_answers(const tc_coord *c, const tc_open_study *d, tc_shared_progress *p)
{
    const tc_trustees *t = &d->plan->env.trustees;
    const uint32_t all = (UINT32_C(1) << t->count) - 1, needed = t->degree + 1;
    const uint32_t mute = (p->refused | p->revoked) & ~p->answered;
    const int64_t wait_ms = tc_shared_wait_ms(d);
    bool enough = count(p->answered) >= needed;
    int64_t until_ms = p->fixed_ms + (enough ? wait_ms : 2 * wait_ms);
    bool over = (p->answered | mute) == all || (!enough && count(all & ~mute) < needed) ||
                tc_coord_is_past(c, until_ms);
    p->step = !over ? TC_SHARED_WAIT : enough ? TC_SHARED_OPEN : TC_SHARED_VOID;
    p->next_ms = until_ms;
    snprintf(p->why, sizeof p->why, "%u trustees: %u answered, %u are needed", (unsigned)t->count,
             (unsigned)count(p->answered), (unsigned)needed);
}

tacit_status tc_shared_look(tc_coord *c, const tc_open_study *d, uint64_t round, bool ended,
                            tc_shared_progress *out, tacit_error *err)
{
    tc_shared_progress p = {.step = TC_SHARED_WAIT};
    tc_stored_set set;
    TC_TRY(tc_stored_set_get(c, d, round, &set, err));
    p.fixed = set.version > 0;
    p.fixed_ms = set.fixed_ms;
    tc_stored_set_fini(&set);
    TC_TRY(tc_trustees_revoked(c, d->id, &p.revoked, err));
    TC_TRY(find_places(c, d, TC_RECORD_NOISE, round, note_place, &p.dealt, err));
    TC_TRY(find_places(c, d, TC_RECORD_SHARE_SUM, round, note_place, &p.answered, err));
    TC_TRY(find_places(c, d, TC_RECORD_TRUSTEE_RECEIPT, round, note_refusal, &p.refused, err));
    if (p.fixed)
        decide_answers(c, d, &p);
    else
        decide_dealers(&d->plan->env.trustees, ended, round, &p);
    *out = p;
    return TACIT_OK;
}

void tc_shared_word(const tc_open_study *d, const tc_shared_progress *p, char out[200])
{
    const tc_trustees *t = &d->plan->env.trustees;
    if (p->fixed)
        snprintf(out, 200, "answers of trustees: %u of %u have answered, %u open the sum",
                 (unsigned)count(p->answered), (unsigned)t->count, (unsigned)t->degree + 1);
    else
        snprintf(out, 200, "noise of trustees: %u of %u have dealt it, %u are needed",
                 (unsigned)count(p->dealt), (unsigned)t->count, (unsigned)t->dealers);
}

/* ---- the time of a set ---- */

static tacit_status put_time(tc_coord *c, const tc_open_study *d, uint64_t round,
                             const tc_stored_set *s, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key key = tc_key_number(round);
    tc_put_le(s->bytes, (uint64_t)tc_coord_now(c), TIME);
    tc_changes_bytes(&changes, TC_REPLACE, d->id, TC_RECORD_SET, &key, s->version, s->bytes,
                     TIME + s->set.n_bytes);
    return tc_changes_end(c->cfg.store, &changes, TACIT_OK, NULL, err);
}

tacit_status tc_shared_renew(tc_coord *c, const tc_open_study *d, uint64_t round, tacit_error *err)
{
    enum { APART_MS = 60000 };
    tc_stored_set s;
    TC_TRY(tc_stored_set_get(c, d, round, &s, err));
    bool ahead = s.version > 0 && s.fixed_ms - tc_coord_now(c) > APART_MS && tc_coord_is_sure(c);
    tacit_status status = ahead ? put_time(c, d, round, &s, err) : TACIT_OK;
    tc_stored_set_fini(&s);
    return status;
}

/* ---- fixing the set ---- */

/* Dealings of a round, while they are read; `list` has those of trustees first. */
typedef struct dealings {
    const tc_open_study *open;
    tc_set_entry *list;
    size_t n, cap, most;  /* no more than `most` */
    const bool *left_out; /* by the number of who deals */
    size_t n_left_out;
} dealings;

static tacit_status take_dealing(void *user, const tc_record *r, tacit_error *err)
{
    dealings *s = user;
    tc_dealing_head head;
    tacit_error why;
    if (r->size == 0 || s->n == s->most) /* the agent declined; or there are dealers enough */
        return TACIT_OK;
    const uint64_t number = tc_key_at(r->key, 1);
    if (number < s->n_left_out && s->left_out[number])
        return TACIT_OK;
    if (tc_dealing_read(&s->open->plan->env.trustees, r->value, r->size, &head, &why) != TACIT_OK)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: a dealing of round %" PRIu64,
                       tc_key_at(r->key, 0));
    if (!tc_grow((void **)&s->list, &s->cap, s->n + 1, sizeof *s->list))
        return tc_fail_memory(err);
    s->list[s->n].number = head.number;
    memcpy(s->list[s->n].id, head.id, sizeof head.id);
    s->n++;
    return TACIT_OK;
}

static tacit_status read_dealings(tc_coord *c, dealings *s, tc_record_kind kind, uint64_t round,
                                  tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record_range range = {
        .study = s->open->id, .kind = kind, .prefix = key.bytes, .prefix_size = key.n};
    return tc_store_record_scan(c->cfg.store, &range, take_dealing, s, err);
}

typedef struct indexed {
    const tc_set_entry *entry;
    size_t at;
} indexed;

static int by_id(const void *a, const void *b)
{
    const indexed *x = a, *y = b;
    int order = memcmp(x->entry->id, y->entry->id, sizeof x->entry->id);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/* An agent that takes the id of another's dealing would have every trustee refuse the set: it is left out. Ids are random, so
 * the one that was first in the list keeps its own. */
static tacit_status drop_copies(dealings *s, uint64_t round, tacit_error *err)
{
    indexed *order = tc_alloc(s->n + 1, sizeof *order);
    bool *copy = tc_alloc(s->n + 1, sizeof *copy);
    size_t kept = 0;
    for (size_t i = 0; order && i < s->n; i++)
        order[i] = (indexed){&s->list[i], i};
    if (order)
        qsort(order, s->n, sizeof *order, by_id);
    for (size_t i = 1; order && copy && i < s->n; i++)
        copy[order[i].at] =
            memcmp(order[i].entry->id, order[i - 1].entry->id, sizeof s->list->id) == 0;
    for (size_t i = 0; order && copy && i < s->n; i++) {
        if (copy[i])
            tc_log(TC_LOG_WARN,
                   "study \"%s\", round %" PRIu64 ": the upload of agent %" PRIu64
                   " is left out: it has the id of another's",
                   s->open->name, round, s->list[i].number);
        else
            s->list[kept++] = s->list[i];
    }
    bool memory = order && copy;
    tc_free(order);
    tc_free(copy);
    s->n = memory ? kept : s->n;
    return memory ? TACIT_OK : tc_fail_memory(err);
}

/* The round closes still, and nobody has fixed its set. */
static tacit_status store_set(tc_coord *c, const tc_open_study *d, const tc_round *r,
                              const dealings *s, size_t dealers, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key key = tc_key_number(r->number), state = tc_key_word("round");
    const size_t agents = s->n - dealers, n = tc_trust_set_size(agents, dealers);
    uint8_t *bytes = tc_alloc(TIME + n, 1);
    if (!bytes)
        return tc_fail_memory(err);
    tc_put_le(bytes, (uint64_t)tc_coord_now(c), TIME);
    tc_trust_set_write(TC_ROSTER_EPOCH, r->number, s->list + dealers, agents, s->list, dealers,
                       bytes + TIME);
    tc_changes_add(&changes, TC_REQUIRE, d->id, TC_RECORD_STATE, &state, r->version, NULL);
    tc_changes_bytes(&changes, TC_INSERT, d->id, TC_RECORD_SET, &key, 0, bytes, TIME + n);
    tacit_status status = tc_changes_end(c->cfg.store, &changes, TACIT_OK, NULL, err);
    tc_free(bytes);
    return status;
}

static tacit_status read_noise(tc_coord *c, dealings *s, uint64_t round, tacit_error *err)
{
    const tc_trustees *t = &s->open->plan->env.trustees;
    bool left_out[TC_TRUSTEES_MOST] = {false};
    uint32_t revoked;
    TC_TRY(tc_trustees_revoked(c, s->open->id, &revoked, err));
    for (uint32_t k = 0; k < t->count; k++)
        left_out[k] = left_alone(t, revoked) >> k & 1;
    s->most = t->dealers;
    s->left_out = left_out;
    s->n_left_out = t->count;
    TC_TRY(read_dealings(c, s, TC_RECORD_NOISE, round, err));
    if (s->n == t->dealers)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CONFLICT, "a trustee was revoked meanwhile");
}

typedef struct gone {
    bool *left_out;
    uint64_t agents;
} gone;

static tacit_status note_gone(void *user, const tc_record *r, tacit_error *err)
{
    gone *g = user;
    const uint64_t agent = tc_roster_revoked_agent(r);
    (void)err;
    if (agent < g->agents)
        g->left_out[agent] = true;
    return TACIT_OK;
}

/* Of all agents but those that were revoked: where one sends boxes that are none, an operator can only end its access, and
 * its upload would make this round void, too. */
static tacit_status read_vectors(tc_coord *c, dealings *s, uint64_t round, tacit_error *err)
{
    gone g = {.agents = s->open->plan->env.agents};
    g.left_out = tc_alloc((size_t)g.agents, sizeof *g.left_out);
    if (!g.left_out)
        return tc_fail_memory(err);
    s->most = SIZE_MAX;
    s->left_out = g.left_out;
    s->n_left_out = (size_t)g.agents;
    tacit_status status = tc_roster_revoked(c, s->open->id, note_gone, &g, err);
    if (status == TACIT_OK)
        status = read_dealings(c, s, TC_RECORD_MESSAGE, round, err);
    tc_free(g.left_out);
    return status;
}

tacit_status tc_shared_fix(tc_coord *c, tc_open_study *d, const tc_round *r, tacit_error *err)
{
    const size_t dealers = d->plan->env.trustees.dealers;
    dealings s = {.open = d};
    tacit_status status = read_noise(c, &s, r->number, err);
    if (status == TACIT_OK)
        status = read_vectors(c, &s, r->number, err);
    if (status == TACIT_OK)
        status = drop_copies(&s, r->number, err);
    if (status == TACIT_OK && s.n <= dealers)
        status = tc_fail(err, TACIT_E_STATE,
                         "no agent sent a vector for round %" PRIu64 ": there is nothing to add up",
                         r->number);
    if (status == TACIT_OK)
        status = store_set(c, d, r, &s, dealers, err);
    tc_free(s.list);
    return status;
}
