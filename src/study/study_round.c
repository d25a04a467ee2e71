/* study_round.c - a party of a federated study: joining, and the steps of its rounds, each of which
 * is an event of its journal before anything else happens (study.h). Called by agent/. */
#include "study/study_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/event_json.h"

#include <inttypes.h>
#include <string.h>

#define PLACE "place" /* the record of a party's number */

static tc_record place_record(int64_t study)
{
    return (tc_record){
        .study = study, .kind = TC_RECORD_STATE, .key = PLACE, .key_size = sizeof PLACE - 1};
}

/* ---- joining ---- */

tacit_status tc_study_read_place(tc_store *store, int64_t study, bool *there, uint64_t *out,
                                 tacit_error *err)
{
    tc_record which = place_record(study), got;
    unsigned long long v;
    char text[24] = "";
    TC_TRY(tc_store_record_find(store, &which, &got, err));
    *there = got.version > 0;
    if (!*there)
        return TACIT_OK;
    if (got.size < sizeof text)
        memcpy(text, got.value, got.size);
    tc_free((void *)got.value);
    if (!tc_parse_u64(text, &v))
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: a place is not a number");
    *out = v;
    return TACIT_OK;
}

static tacit_status write_place(tc_store *store, int64_t study, uint64_t party, tacit_error *err)
{
    char text[24];
    tc_record which = place_record(study);
    int n = snprintf(text, sizeof text, "%" PRIu64, party);
    return tc_store_record_keep(store, &which, 0, text, (size_t)n, err);
}

tacit_status tc_study_place(tc_study *s, const tc_study_row *row, tc_optimizer_config *cfg,
                            tacit_error *err)
{
    bool there;
    if (!s->plan)
        TC_TRY(tc_study_plan_new(&s->plan, row, err));
    TC_TRY(tc_study_read_place(s->store, s->id, &there, &cfg->party, err));
    if (!there)
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" is coordinated here, not taken part in: its agents have the "
                       "trials",
                       s->doc->name);
    cfg->options = s->plan->options;
    cfg->agents = s->plan->env.agents;
    cfg->trustees = s->plan->env.trustees;
    cfg->budget = s->plan->env.budget;
    return TACIT_OK;
}

static tacit_status differs(const char *name, const char *what, tacit_error *err)
{
    return tc_fail(
        err, TACIT_E_STATE,
        "the storage has a study \"%s\" with another %s: this one can be kept beside it, "
        "with the same ledger, under a name of its own (--as)",
        name, what);
}

static tacit_status compare(const tc_study_row *row, const tc_study_offer *offer, const char *name,
                            tacit_error *err)
{
    if (strcmp(row->document, offer->document) != 0)
        return differs(name, "document", err);
    if (memcmp(&row->public_seed, &offer->public_seed, sizeof row->public_seed) != 0)
        return differs(name, "public seed", err);
    if (row->created_ms != offer->created_ms) /* erased and made again by its coordinator */
        return differs(name, "time of creation", err);
    return TACIT_OK;
}

/* Is the stored study the one that is offered? A crash between study and place is mended here. */
static tacit_status check_same(tc_store *store, const tc_study_offer *offer, const char *name,
                               tacit_error *err)
{
    tc_study_row row;
    uint64_t party = offer->party;
    bool there;
    TC_TRY(tc_store_study_get(store, name, &row, err));
    tacit_status status = compare(&row, offer, name, err);
    int64_t id = row.id;
    tc_study_row_fini(&row);
    TC_TRY(status);
    TC_TRY(tc_study_read_place(store, id, &there, &party, err));
    if (!there)
        return write_place(store, id, offer->party, err);
    return party == offer->party ? TACIT_OK : differs(name, "place on the roster", err);
}

static tc_study_row row_of(const tc_study_offer *offer)
{
    return (tc_study_row){.document = (char *)offer->document,
                          .points_csv = (char *)offer->points_csv,
                          .public_seed = offer->public_seed,
                          .created_ms = offer->created_ms};
}

typedef struct looking {
    const tc_study_offer *offer;
    const char *name;
    tacit_hash hash;
} looking;

/* A ledger is charged once for a round of a study. Two places in one study would be two messages with the
 * same data for one price. */
static tacit_status look_at_kept(void *user, const tc_study_row *row, tacit_error *err)
{
    const looking *l = user;
    if (strcmp(row->name, l->name) == 0)
        return compare(row, l->offer, l->name, err);
    tacit_hash hash = tc_study_hash(row);
    if (!tc_ledger_hash_same(&hash, &l->hash))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE, "the storage has this very study as \"%s\"", row->name);
}

tacit_status tc_study_check_offer(tc_store *store, const tc_study_offer *offer, tacit_error *err)
{
    tc_study_plan *plan;
    tc_study_row row = row_of(offer);
    TC_TRY(tc_study_plan_new(&plan, &row, err));
    looking l = {
        .offer = offer, .name = offer->name ? offer->name : plan->doc->name, .hash = plan->hash};
    tacit_status status = tc_store_study_list(store, look_at_kept, &l, err);
    tc_study_plan_free(plan);
    return status;
}

static tacit_status put(tc_store *store, const tc_study_offer *offer, const tc_party_seed *seed,
                        const char *name, tacit_error *err)
{
    tc_study_row row = row_of(offer);
    int64_t id;
    row.name = (char *)name;
    row.party_seed = seed ? *seed : tc_party_seed_fresh();
    tacit_status status = tc_store_study_put(store, &row, &id, err);
    explicit_bzero(&row, sizeof row);
    return status == TACIT_OK ? write_place(store, id, offer->party, err) : status;
}

tacit_status tc_study_join(tc_study **out, tc_store *store, const tc_study_offer *offer,
                           const tc_party_seed *seed, tc_pool *pool, tacit_error *err)
{
    tc_study_plan *plan; /* also checks the document before anything is stored */
    tacit_error why = {0};
    tc_study_row row = row_of(offer);
    TC_TRY(tc_study_plan_new(&plan, &row, err));
    const char *name = offer->name ? offer->name : plan->doc->name;
    tacit_status status = put(store, offer, seed, name, &why);
    if (status == TACIT_E_CONFLICT)
        status = check_same(store, offer, name, &why);
    if (status == TACIT_OK)
        status = tc_study_open(out, store, name, pool, &why);
    tc_study_plan_free(plan);
    return tc_pass_on(err, status, &why);
}

const tc_study_plan *tc_study_get_plan(const tc_study *s)
{
    return s->plan;
}

/* ---- rounds ---- */

/* One step of a round. */
typedef struct step {
    tc_event_kind kind;
    uint64_t round, party;
    const void *bytes; /* ABSORB, FETCH */
    size_t n;
    const char *reason;  /* SKIP, MISS; or NULL */
    tc_text *message;    /* PUBLISH: what is to be sent ... */
    uint64_t *published; /* ... and of which round it is */
} step;

static tacit_status compose_step(const tc_study *s, const step *t, tc_event *e, tacit_error *err)
{
    int64_t now = tc_study_now(s);
    switch (t->kind) {
    case TC_EVENT_ABSORB:
        return tc_optimizer_absorb(s->opt, t->round, t->bytes, t->n, now, e, err);
    case TC_EVENT_SKIP:
        return tc_optimizer_skip(s->opt, t->round, t->reason, now, e, err);
    case TC_EVENT_FETCH:
        return tc_optimizer_fetch(s->opt, t->round, t->party, t->bytes, t->n, now, e, err);
    case TC_EVENT_MISS:
        return tc_optimizer_miss(s->opt, t->round, t->party, t->reason, now, e, err);
    default:
        return tc_optimizer_publish(s->opt, now, e, err);
    }
}

static tacit_status note_message(const step *t, const tc_event *e, tacit_error *err)
{
    t->message->len = 0;
    tc_text_add_bytes(t->message, e->bytes, e->n_bytes);
    *t->published = e->round;
    return t->message->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* Reads the journal, makes the event of the step, and appends it. Another process may have told a trial meanwhile, and
 * the step still holds. After any other event it is made again from there. Bytes that came from outside are tried
 * first: a coordinator that errs or lies must not leave a journal that nobody can read again. */
static tacit_status take_step(tc_study *s, const step *t, tacit_error *err)
{
    bool foreign = t->kind == TC_EVENT_ABSORB || t->kind == TC_EVENT_FETCH, journalled = false;
    tc_study_lock(s);
    tacit_status status = tc_study_catch_up(s, err);
    while (status == TACIT_OK && !journalled) {
        tc_event e;
        tc_study_stand before = tc_study_stands(s);
        status = compose_step(s, t, &e, err);
        if (status == TACIT_OK && t->message)
            status = note_message(t, &e, err);
        if (status == TACIT_OK)
            status = foreign ? tc_study_append_tried(s, &e, err)
                             : tc_study_append_here(s, &e, true, err);
        journalled = status == TACIT_OK;
        if (status == TACIT_E_CONFLICT)
            status = tc_study_move_on(s, before, err);
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

tacit_status tc_study_need(tc_study *s, tc_need *out, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s, &o, err));
    tacit_status status = tc_optimizer_need(o, out, err);
    tc_study_unlook(s);
    return status;
}

tacit_status tc_study_publish(tc_study *s, uint64_t *round, tc_text *bytes, tacit_error *err)
{
    return take_step(s, &(step){.kind = TC_EVENT_PUBLISH, .message = bytes, .published = round},
                     err);
}

tacit_status tc_study_absorb(tc_study *s, uint64_t round, const void *bytes, size_t n,
                             tacit_error *err)
{
    return take_step(s, &(step){.kind = TC_EVENT_ABSORB, .round = round, .bytes = bytes, .n = n},
                     err);
}

tacit_status tc_study_skip(tc_study *s, uint64_t round, const char *reason, tacit_error *err)
{
    return take_step(s, &(step){.kind = TC_EVENT_SKIP, .round = round, .reason = reason}, err);
}

tacit_status tc_study_fetch(tc_study *s, uint64_t round, uint64_t party, const void *bytes,
                            size_t n, tacit_error *err)
{
    return take_step(
        s, &(step){.kind = TC_EVENT_FETCH, .round = round, .party = party, .bytes = bytes, .n = n},
        err);
}

tacit_status tc_study_miss(tc_study *s, uint64_t round, uint64_t party, const char *reason,
                           tacit_error *err)
{
    return take_step(
        s, &(step){.kind = TC_EVENT_MISS, .round = round, .party = party, .reason = reason}, err);
}

/* ---- what was sent ---- */

typedef struct search {
    const tc_space *space;
    uint64_t *round;
    tc_text *out;
    bool found;
} search;

/* The last one wins. */
static tacit_status look_at(void *user, const tc_event_row *row, tacit_error *err)
{
    search *f = user;
    tc_arena scratch = {0};
    tc_event e = {.kind = row->kind};
    if (row->kind != TC_EVENT_PUBLISH)
        return TACIT_OK;
    tacit_status status = tc_event_decode(f->space, row->body, &scratch, &e, err);
    if (status == TACIT_OK) {
        f->out->len = 0;
        tc_text_add_bytes(f->out, e.bytes, e.n_bytes);
        *f->round = e.round;
        f->found = true;
    }
    tc_arena_fini(&scratch);
    return f->out->failed ? tc_fail_memory(err) : status;
}

tacit_status tc_study_published(tc_study *s, uint64_t *round, tc_text *bytes, tacit_error *err)
{
    uint64_t last = 0;
    search f = {.space = s->doc->space, .round = &last, .out = bytes};
    TC_TRY(tc_store_scan(s->store, s->id, 0, look_at, &f, err));
    if (!f.found)
        return tc_fail(err, TACIT_E_NOT_FOUND, "nothing was published yet");
    *round = last;
    return TACIT_OK;
}
