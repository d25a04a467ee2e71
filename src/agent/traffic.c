/* traffic.c - what left this machine: an agent's journal and ledgers, put together round by round (<tacit/agent.h>).
 *
 * The journal says what was made and heard, the ledgers what was paid for. All ledgers of the storage are
 * looked through: named the wrong one, a message that was sent would look as if it had not been. */
#include "agent/traffic_int.h"

#include "agent/agent.h"
#include "base/api.h"
#include "privacy/shared_sum.h"
#include "wire/dealing.h"
#include "wire/event_json.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <string.h>

typedef struct passage {
    tacit_agent_round shown;
    bool answered; /* its broadcast was heard */
    bool before;   /* paid for what left before a restore: the message here has not */
} passage;

struct tacit_traffic {
    passage *rounds; /* ascending */
    size_t n, cap;
    tc_arena memory; /* of texts, messages and their numbers */
};

const char *tacit_message_state_name(tacit_message_state state)
{
    static const char *const names[] = {"ready", "withheld", "leaving", "sent", "before"};
    bool known = state >= TACIT_MESSAGE_READY && state <= TACIT_MESSAGE_BEFORE;
    return known ? names[state - TACIT_MESSAGE_READY] : NULL;
}

tacit_message_state tc_message_state(const tacit_agent_round *r, bool before)
{
    bool ended = r->skipped || r->heard > 0;
    if (!r->ledger)
        return r->skipped ? TACIT_MESSAGE_WITHHELD : TACIT_MESSAGE_READY;
    if (before)
        return TACIT_MESSAGE_BEFORE;
    return ended ? TACIT_MESSAGE_SENT : TACIT_MESSAGE_LEAVING;
}

size_t tacit_traffic_count(const tacit_traffic *t)
{
    return t ? t->n : 0;
}

const tacit_agent_round *tacit_traffic_get(const tacit_traffic *t, size_t i)
{
    return t && i < t->n ? &t->rounds[i].shown : NULL;
}

void tacit_traffic_free(tacit_traffic *t)
{
    if (!t)
        return;
    tc_free(t->rounds);
    tc_arena_fini(&t->memory);
    tc_free(t);
}

/* The place of a round: rounds are journalled in ascending order, or nearly so. NULL: no memory. */
static passage *place(tacit_traffic *t, uint64_t round)
{
    size_t i = t->n;
    while (i > 0 && t->rounds[i - 1].shown.round > round)
        i--;
    if (i > 0 && t->rounds[i - 1].shown.round == round)
        return &t->rounds[i - 1];
    if (!tc_grow((void **)&t->rounds, &t->cap, t->n + 1, sizeof *t->rounds))
        return NULL;
    memmove(&t->rounds[i + 1], &t->rounds[i], (t->n - i) * sizeof *t->rounds);
    t->rounds[i] =
        (passage){.shown = {.size = sizeof(tacit_agent_round), .round = round, .epsilon = NAN}};
    t->n++;
    return &t->rounds[i];
}

/* ---- the journal ---- */

typedef struct reading {
    tacit_traffic *t;
    const tc_space *space;
} reading;

static void take_message(tc_arena *memory, tacit_agent_round *r, const tc_event_row *row,
                         const tc_event *e)
{
    uint8_t *copy = TC_TAKE(memory, e->n_bytes, uint8_t);
    if (copy && e->n_bytes > 0)
        memcpy(copy, e->bytes, e->n_bytes);
    r->message = copy;
    r->message_size = e->n_bytes;
    r->made_ms = row->time_ms;
    crypto_generichash(r->hash.bytes, sizeof r->hash.bytes, e->bytes, e->n_bytes, NULL, 0);
}

static void take_heard(passage *p, const tc_event *e)
{
    p->answered = p->answered || e->kind == TC_EVENT_ABSORB;
    p->shown.heard++;
    p->shown.heard_bytes += e->n_bytes;
    p->shown.heard_hash = tc_ledger_release_hash(e->bytes, e->n_bytes);
}

static tacit_status take_event(tacit_traffic *t, const tc_event_row *row, const tc_event *e,
                               tacit_error *err)
{
    passage *p = place(t, e->round);
    if (!p)
        return tc_fail_memory(err);
    if (row->kind == TC_EVENT_PUBLISH)
        take_message(&t->memory, &p->shown, row, e);
    else if (row->kind == TC_EVENT_SKIP)
        p->shown.skipped = tc_arena_strdup(&t->memory, e->reason ? e->reason : "");
    else
        take_heard(p, e);
    return t->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

static bool is_of_a_round(tc_event_kind kind)
{
    return kind == TC_EVENT_PUBLISH || kind == TC_EVENT_ABSORB || kind == TC_EVENT_SKIP ||
           kind == TC_EVENT_FETCH;
}

static tacit_status look_at(void *user, const tc_event_row *row, tacit_error *err)
{
    reading *r = user;
    tc_arena scratch = {0};
    tc_event e = {.kind = row->kind};
    if (!is_of_a_round(row->kind))
        return TACIT_OK;
    tacit_status status = tc_event_decode(r->space, row->body, &scratch, &e, err);
    if (status == TACIT_OK)
        status = take_event(r->t, row, &e, err);
    tc_arena_fini(&scratch);
    return status;
}

static tacit_status read_journal(tacit_traffic *t, tc_store *store, const char *name,
                                 tc_study *study, tacit_error *err)
{
    reading r = {.t = t, .space = tc_study_document(study)->space};
    tc_study_row row;
    TC_TRY(tc_store_study_get(store, name, &row, err));
    int64_t id = row.id;
    tc_study_row_fini(&row);
    return tc_store_scan(store, id, 0, look_at, &r, err);
}

/* ---- the ledgers ---- */

typedef struct paying {
    tacit_traffic *t;
    tc_store *store;
    const char *name; /* what the store calls the study */
    const tc_study_plan *plan;
} paying;

static tacit_status find_price(const tc_study_plan *plan, double distance, tacit_agent_round *r,
                               tacit_error *err)
{
    tacit_guarantee g;
    if (!(plan->doc->delta > 0))
        return TACIT_OK;
    /* The document has planned it once. What is paid for again needs the filter. */
    TC_TRY(tc_ledger_cost(r->times == 1 ? &tc_accountant_pld : NULL, &r->event, 1,
                          distance * (double)r->times, plan->doc->delta, &g, err));
    r->epsilon = g.epsilon;
    return TACIT_OK;
}

/* Is this entry the price of a round of this study, paid for the first time or again? */
static tacit_status is_price(const paying *y, const tc_ledger_entry *e, bool *out, tacit_error *err)
{
    *out = false;
    if (strcmp(e->mechanism, "pledge") != 0 && strcmp(e->mechanism, TC_AGENT_LEFT) != 0)
        return TACIT_OK;
    *out = tc_ledger_hash_same(&e->study, &y->plan->hash);
    return *out ? TACIT_OK
                : tc_agent_paid_again(y->store, y->name, &y->plan->hash, &e->study, out, err);
}

static tacit_status take_entry(paying *y, const char *ledger, const tc_ledger_entry *e,
                               tacit_error *err)
{
    bool ours;
    TC_TRY(is_price(y, e, &ours, err));
    if (!ours)
        return TACIT_OK;
    passage *p = place(y->t, e->round);
    if (!p)
        return tc_fail_memory(err);
    tacit_agent_round *r = &p->shown;
    uint64_t before = r->event.count; /* 0 of what was not paid for yet */
    p->before = strcmp(e->mechanism, TC_AGENT_LEFT) == 0;
    r->ledger = tc_arena_strdup(&y->t->memory, ledger);
    r->entry = e->seq;
    r->event = e->event;
    r->event.count += before;
    r->times++;
    return y->t->memory.failed ? tc_fail_memory(err) : find_price(y->plan, e->distance, r, err);
}

static tacit_status take_ledger(void *user, const char *name, tacit_error *err)
{
    paying *y = user;
    tc_ledger_io io;
    tc_ledger *l;
    TC_TRY(tc_store_ledger(y->store, name, false, &io, err));
    TC_TRY(tc_ledger_open(&l, name, &io, err));
    tacit_status status = TACIT_OK;
    uint64_t n = tc_ledger_get_head(l).seq;
    for (uint64_t seq = 1; seq <= n && status == TACIT_OK; seq++)
        status = take_entry(y, name, tc_ledger_get(l, seq, NULL), err);
    tc_ledger_close(l);
    return status;
}

/* ---- all of it ---- */

/* Where it leaves as shares: for whom, and how many of them can read it. */
static tacit_status take_shares(const tc_study_plan *p, tacit_agent_round *r, tacit_error *err)
{
    const tc_trustees *t = &p->env.trustees;
    tc_shared_plan shared = {.width = 0};
    if (t->count == 0)
        return TACIT_OK;
    TC_TRY(p->doc->algorithm->aggregator->shared(&p->env, p->opts, r->round, &shared, err));
    r->trustees = t->count;
    r->readers = t->degree + 1;
    r->share_bytes = tc_dealing_size(t, shared.width);
    return TACIT_OK;
}

/* Messages are paid for before they are sent, and answers come after that. */
static tacit_status finish(tacit_traffic *t, const tc_study_plan *plan, tacit_error *err)
{
    const char *not_private = tc_arena_strdup(&t->memory, tc_study_plan_not_private(plan));
    for (size_t i = 0; i < t->n; i++) {
        passage *p = &t->rounds[i];
        tacit_agent_round *r = &p->shown;
        if (p->answered && !r->ledger)
            return tc_fail(err, TACIT_E_CORRUPT,
                           "the storage is not whole: round %" PRIu64
                           " was answered, and no ledger has the price of its message",
                           r->round);
        r->state = tc_message_state(r, p->before);
        if (p->before) {
            r->message = NULL;
            r->message_size = 0;
        }
        r->about = tc_arena_strdup(&t->memory, tc_study_plan_about(plan, r->round));
        r->delta = plan->doc->delta;
        r->not_private = not_private;
        TC_TRY(take_shares(plan, r, err));
        tc_message_numbers(r, &t->memory);
    }
    return t->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status read_all(tacit_traffic *t, tc_store *store, const char *name, tc_study *study,
                             tacit_error *err)
{
    paying y = {.t = t, .store = store, .name = name, .plan = tc_study_get_plan(study)};
    if (!y.plan)
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" is of one party: nothing of it is ever sent", name);
    TC_TRY(read_journal(t, store, name, study, err));
    TC_TRY(tc_store_ledger_list(store, take_ledger, &y, err));
    return finish(t, y.plan, err);
}

tacit_status tacit_agent_inspect(tacit_traffic **out, const char *storage, const char *study,
                                 tacit_error *err)
{
    tacit_error unwanted;
    tc_store *store = NULL;
    tc_study *opened = NULL;
    err = err ? err : &unwanted;
    TC_GIVEN(out);
    TC_GIVEN(storage);
    TC_GIVEN(study);
    tacit_traffic *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    tacit_status status = tc_store_open(&store, storage, false, err);
    if (status == TACIT_OK)
        status = tc_study_open(&opened, store, study, NULL, err);
    if (status == TACIT_OK)
        status = read_all(t, store, study, opened, err);
    if (opened)
        tc_study_close(opened);
    tc_store_close(store);
    if (status == TACIT_OK)
        *out = t;
    else
        tacit_traffic_free(t);
    return status;
}
