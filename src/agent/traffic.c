/* traffic.c - an agent's journal and ledgers, put together round by round (traffic.h).
 *
 * The journal says what was made and heard, the ledgers what was paid for. All ledgers of the storage are
 * looked through: named the wrong one, a message that was sent would look as if it had not been. */
#include "agent/traffic.h"

#include "agent/agent.h"
#include "base/error.h"
#include "wire/event_json.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <string.h>

const char *tc_fate_name(tc_fate fate)
{
    static const char *const names[] = {"ready", "withheld", "leaving", "sent", "before"};
    return names[fate];
}

tc_fate tc_passage_fate(const tc_passage *p)
{
    bool ended = p->skipped || p->heard > 0;
    if (!p->paid)
        return p->skipped ? TC_FATE_WITHHELD : TC_FATE_READY;
    if (p->before)
        return TC_FATE_BEFORE;
    return ended ? TC_FATE_SENT : TC_FATE_LEAVING;
}

const tc_passage *tc_traffic_get(const tc_traffic *t, uint64_t round)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rounds[i].round == round)
            return &t->rounds[i];
    return NULL;
}

void tc_traffic_fini(tc_traffic *t)
{
    tc_free(t->rounds);
    tc_arena_fini(&t->memory);
    tc_text_fini(&t->message);
    *t = (tc_traffic){0};
}

/* ---- the journal ---- */

typedef struct reading {
    tc_traffic *t;
    const tc_space *space;
    uint64_t want;
} reading;

/* The place of a round: rounds are journalled in ascending order, or nearly so. NULL: no memory. */
static tc_passage *place(tc_traffic *t, uint64_t round)
{
    size_t i = t->n;
    while (i > 0 && t->rounds[i - 1].round > round)
        i--;
    if (i > 0 && t->rounds[i - 1].round == round)
        return &t->rounds[i - 1];
    if (!tc_grow((void **)&t->rounds, &t->cap, t->n + 1, sizeof *t->rounds))
        return NULL;
    memmove(&t->rounds[i + 1], &t->rounds[i], (t->n - i) * sizeof *t->rounds);
    t->rounds[i] = (tc_passage){.round = round};
    t->n++;
    return &t->rounds[i];
}

static void take_published(reading *r, tc_passage *p, const tc_event_row *row, const tc_event *e)
{
    p->published = true;
    p->published_ms = row->time_ms;
    p->bytes = e->n_bytes;
    crypto_generichash(p->hash.bytes, sizeof p->hash.bytes, e->bytes, e->n_bytes, NULL, 0);
    if (p->round == r->want) {
        r->t->message.len = 0;
        tc_text_add_bytes(&r->t->message, e->bytes, e->n_bytes);
    }
}

static void take_heard(tc_passage *p, const tc_event *e)
{
    p->answered = p->answered || e->kind == TC_EVENT_ABSORB;
    p->heard++;
    p->heard_bytes += e->n_bytes;
    p->heard_hash = tc_ledger_release_hash(e->bytes, e->n_bytes);
}

static tacit_status take(reading *r, const tc_event_row *row, const tc_event *e, tacit_error *err)
{
    tc_passage *p = place(r->t, e->round);
    if (!p)
        return tc_fail_memory(err);
    if (row->kind == TC_EVENT_PUBLISH)
        take_published(r, p, row, e);
    else if (row->kind == TC_EVENT_SKIP)
        p->skipped = tc_arena_strdup(&r->t->memory, e->reason ? e->reason : "");
    else
        take_heard(p, e);
    return r->t->memory.failed || r->t->message.failed ? tc_fail_memory(err) : TACIT_OK;
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
        status = take(r, row, &e, err);
    tc_arena_fini(&scratch);
    return status;
}

static tacit_status read_journal(tc_traffic *t, tc_store *store, const char *name, tc_study *study,
                                 uint64_t want, tacit_error *err)
{
    reading r = {.t = t, .space = tc_study_document(study)->space, .want = want};
    tc_study_row row;
    TC_TRY(tc_store_study_get(store, name, &row, err));
    int64_t id = row.id;
    tc_study_row_fini(&row);
    return tc_store_scan(store, id, 0, look_at, &r, err);
}

/* ---- the ledgers ---- */

typedef struct paying {
    tc_traffic *t;
    tc_store *store;
    const char *name; /* what the store calls the study */
    const tc_study_plan *plan;
} paying;

static tacit_status price(const tc_study_plan *plan, double distance, tc_passage *p,
                          tacit_error *err)
{
    tacit_guarantee g;
    p->epsilon = NAN;
    if (!(plan->doc->delta > 0))
        return TACIT_OK;
    /* The document has planned it once. What is paid for again needs the filter. */
    TC_TRY(tc_ledger_cost(p->times == 1 ? &tc_accountant_pld : NULL, &p->event, 1,
                          distance * (double)p->times, plan->doc->delta, &g, err));
    p->epsilon = g.epsilon;
    return TACIT_OK;
}

/* Of this study, the first time or once more? */
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
    tc_passage *p = place(y->t, e->round);
    if (!p)
        return tc_fail_memory(err);
    p->paid = true;
    p->before = strcmp(e->mechanism, TC_AGENT_LEFT) == 0;
    p->ledger = tc_arena_strdup(&y->t->memory, ledger);
    p->entry = e->seq;
    uint64_t before = p->times > 0 ? p->event.count : 0;
    p->event = e->event;
    p->event.count += before;
    p->times++;
    if (y->t->memory.failed)
        return tc_fail_memory(err);
    return price(y->plan, e->distance, p, err);
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

/* Messages are paid for before they are sent, and answers come after that. */
static tacit_status check_whole(const tc_traffic *t, tacit_error *err)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rounds[i].answered && !t->rounds[i].paid)
            return tc_fail(err, TACIT_E_CORRUPT,
                           "the storage is not whole: round %" PRIu64
                           " was answered, and no ledger has the price of its message",
                           t->rounds[i].round);
    return TACIT_OK;
}

tacit_status tc_traffic_read(tc_traffic *t, tc_store *store, const char *name, tc_study *study,
                             uint64_t want, tacit_error *err)
{
    paying y = {.t = t, .store = store, .name = name, .plan = tc_study_get_plan(study)};
    TC_TRY(read_journal(t, store, name, study, want, err));
    TC_TRY(tc_store_ledger_list(store, take_ledger, &y, err));
    return check_whole(t, err);
}
