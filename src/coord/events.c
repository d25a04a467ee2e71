/* events.c - what listeners of /v1/events hear, and the ring that keeps the last of it.
 *
 * An event is JSON of the shapes in shape_table.c, as text/event-stream. The ring is the queue of all
 * listeners: each has only its place in it, and who is slower than a whole ring is dropped. An id is
 * this process and a number that grows; who comes back with one that the ring still has goes on from
 * there, all others are told to read anew ("reset").
 *
 * Other processes on the same store end rounds, too: so what was said of a study is remembered with its
 * open study, and the tick says what it finds beyond it (tc_emit_found). Nothing here is about single agents
 * (README.md). Called by handlers, closing.c and, for listeners, net/server_events.c. */
#include "coord/events.h"
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 1024, CATCH_UP_MOST = 64 };

typedef struct slot {
    char *text;    /* owned; NULL: there was no memory for it, or: */
    tacit_hash of; /* the study that it is about; names are used again */
    bool last;     /* of its study */
    bool erased;   /* with its study */
} slot;

struct tc_ring {
    pthread_mutex_t lock;
    uint64_t process; /* tells the ids of one process from those of another */
    uint64_t next;    /* number of the next event; the first is 1 */
    slot slots[SLOTS];
};

tacit_status tc_ring_new(struct tc_ring **out, tacit_error *err)
{
    struct tc_ring *r = tc_alloc(1, sizeof *r);
    if (!r)
        return tc_fail_memory(err);
    pthread_mutex_init(&r->lock, NULL);
    tc_party_seed fresh = tc_party_seed_fresh();
    memcpy(&r->process, fresh.bytes, sizeof r->process);
    r->next = 1;
    *out = r;
    return TACIT_OK;
}

static void slot_clear(slot *s)
{
    tc_free(s->text);
    *s = (slot){.text = NULL};
}

void tc_ring_free(struct tc_ring *r)
{
    for (size_t i = 0; r && i < SLOTS && i < r->next; i++) /* those that were ever used */
        slot_clear(&r->slots[i]);
    if (r)
        pthread_mutex_destroy(&r->lock);
    tc_free(r);
}

/* ---- saying ---- */

/* Takes nothing; an event without memory leaves an empty slot, which listeners do not get past. */
static void put(struct tc_ring *r, const tacit_hash *of, const char *name, const char *data,
                bool last)
{
    tc_text text = {0};
    pthread_mutex_lock(&r->lock);
    slot *s = &r->slots[r->next % SLOTS];
    slot_clear(s);
    tc_text_addf(&text, "id: %016" PRIx64 "-%" PRIu64 "\nevent: %s\ndata: %s\n\n", r->process,
                 r->next, name, data ? data : "");
    s->text = data ? tc_text_take(&text) : NULL;
    s->of = *of;
    s->last = last;
    r->next++;
    pthread_mutex_unlock(&r->lock);
    tc_text_fini(&text);
}

/* Erases the events of an erased study: they have values of its trials. */
static void erase(struct tc_ring *r, const tacit_hash *of)
{
    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < SLOTS; i++) {
        slot *s = &r->slots[i];
        if (s->text && tc_ledger_hash_same(&s->of, of)) {
            slot_clear(s);
            s->erased = true;
        }
    }
    pthread_mutex_unlock(&r->lock);
}

static void notify_of(tc_coord *c, const char *study, bool waited_for)
{
    pthread_mutex_lock(&c->lock);
    tc_coord_notify notify = c->notify;
    void *user = c->notify_user;
    pthread_mutex_unlock(&c->lock);
    if (notify)
        notify(user, study, waited_for);
}

void tc_emit_change(tc_coord *c, const tc_open_study *d)
{
    notify_of(c, d->name, true);
}

void tc_emit_event(tc_coord *c, const char *study, const tacit_hash *of, json_t *event)
{
    const char *state = json_string_value(json_object_get(event, "state"));
    const char *name = json_string_value(json_object_get(event, "event"));
    bool waited_for = !name || strcmp(name, "trial") != 0;
    bool named = event && json_object_set_new(event, "study", json_string(study)) == 0;
    char *data = named ? tc_json_text(event) : NULL;
    bool erased = state && strcmp(state, "erased") == 0;
    if (erased)
        erase(c->ring, of);
    put(c->ring, of, name ? name : "", data, erased);
    tc_free(data);
    json_decref(event);
    notify_of(c, study, waited_for);
}

/* ---- once ---- */

/* Is it beyond what was said of this study? Then it is what was said. */
static bool tell_round(tc_open_study *d, const tc_round *r)
{
    pthread_mutex_lock(&d->quick);
    bool news = r->phase != TC_PHASE_NONE &&
                (!d->told || r->number > d->told_round ||
                 (r->number == d->told_round && (int)r->phase > d->told_phase));
    if (news) {
        d->told_round = r->number;
        d->told_phase = (int)r->phase;
        d->told = true;
    }
    pthread_mutex_unlock(&d->quick);
    return news;
}

void tc_emit_round(tc_coord *c, tc_open_study *d, const tc_round *r)
{
    if (tell_round(d, r))
        tc_emit_event(c, d->name, &d->hash,
                      json_pack("{s:s, s:I, s:s, s:I}", "event", "round", "round",
                                (json_int_t)r->number, "phase", tc_phase_name(r->phase),
                                "deadline_ms", (json_int_t)r->deadline_ms));
}

void tc_emit_state(tc_coord *c, tc_open_study *d, const char *state)
{
    pthread_mutex_lock(&d->quick);
    bool news = strcmp(d->told_state, state) != 0;
    snprintf(d->told_state, sizeof d->told_state, "%s", state);
    pthread_mutex_unlock(&d->quick);
    if (news)
        tc_emit_event(c, d->name, &d->hash,
                      json_pack("{s:s, s:s}", "event", "study", "state", state));
}

/* ---- what others have done ---- */

/* How rounds below the present one ended that were not said to have. */
static tacit_status emit_ended(tc_coord *c, tc_open_study *d, uint64_t from, uint64_t present,
                               tacit_error *err)
{
    uint64_t n = from;
    for (int i = 0; i < CATCH_UP_MOST && n < present; i++) {
        tc_round r;
        TC_TRY(tc_round_find(c, d->id, n, &r, err));
        tc_emit_round(c, d, &r);
        TC_TRY(tc_study_plan_next_round(d->plan, n + 1, &n, err));
    }
    return TACIT_OK;
}

/* A study that this process sees for the first time is no news. */
static bool is_first(tc_open_study *d, const tc_round *r, const char *state)
{
    pthread_mutex_lock(&d->quick);
    bool first = !d->told;
    if (first) {
        d->told = true;
        d->told_round = r->number;
        d->told_phase = (int)r->phase;
    }
    if (!*d->told_state)
        snprintf(d->told_state, sizeof d->told_state, "%s", state);
    pthread_mutex_unlock(&d->quick);
    return first;
}

tacit_status tc_emit_found(tc_coord *c, tc_open_study *d, const tc_round *r, tc_study_state state,
                           tacit_error *err)
{
    if (is_first(d, r, tc_state_name(state)))
        return TACIT_OK;
    pthread_mutex_lock(&d->quick);
    uint64_t from = d->told_round;
    pthread_mutex_unlock(&d->quick);
    if (r->phase != TC_PHASE_NONE && from < r->number)
        TC_TRY(emit_ended(c, d, from, r->number, err));
    tc_emit_round(c, d, r);
    tc_emit_state(c, d, tc_state_name(state));
    return TACIT_OK;
}

/* ---- listening ---- */

/* "3f..-17" as 17, if it is of this process and the ring goes on from there. */
static bool read_id(const struct tc_ring *r, const char *text, uint64_t *next)
{
    char process[24];
    unsigned long long n;
    int len = snprintf(process, sizeof process, "%016" PRIx64 "-", r->process);
    if (strncmp(text, process, (size_t)len) != 0 || !tc_parse_u64(text + len, &n) || n >= r->next ||
        r->next - n > SLOTS)
        return false;
    *next = n + 1;
    return true;
}

tacit_status tc_events_get(tc_request_context *a, tacit_error *err)
{
    struct tc_ring *r = a->coord->ring;
    tc_listener *l = &a->out->listener;
    tc_open_study *d;
    TC_TRY(tc_query_text(a->q->query, "study", a->words[0], sizeof a->words[0], err));
    if (*a->words[0]) {
        TC_TRY(tc_request_study(a, &d, err));
        snprintf(l->study, sizeof l->study, "%s", d->name);
        l->of = d->hash;
    } else if (a->caller.study != 0) {
        return tc_fail(err, TACIT_E_ARG, "study is missing: the token is for one study");
    }
    l->token = a->caller.token;
    pthread_mutex_lock(&r->lock);
    l->next = r->next;
    l->reset = a->q->last_event && !read_id(r, a->q->last_event, &l->next);
    pthread_mutex_unlock(&r->lock);
    a->out->listens = true;
    a->out->status = 200;
    a->out->content_type = "text/event-stream";
    return TACIT_OK;
}

/* The id comes first, so that a listener that hears nothing can still say where it was. */
static size_t begin(const struct tc_ring *r, tc_listener *l, char *out, size_t size)
{
    static const char reset[] = "event: reset\ndata: {\"event\": \"reset\"}\n";
    int n = snprintf(out, size, "retry: 2000\nid: %016" PRIx64 "-%" PRIu64 "\n%s\n", r->process,
                     l->next - 1, l->reset ? reset : "");
    l->begun = n > 0 && (size_t)n < size;
    return l->begun ? (size_t)n : 0;
}

static size_t write_next(const struct tc_ring *r, tc_listener *l, char *out, size_t size)
{
    const slot *s = &r->slots[l->next % SLOTS];
    bool lost = r->next - l->next > SLOTS || (!s->text && !s->erased);
    bool mine = !lost && !s->erased && (!*l->study || tc_ledger_hash_same(&l->of, &s->of));
    size_t n = mine ? strlen(s->text) : 0;
    if (lost || n > size) {
        l->ended = lost;
        return 0;
    }
    if (mine)
        memcpy(out, s->text, n);
    l->ended = mine && *l->study && s->last;
    l->next++;
    return n;
}

size_t tc_coord_events(tc_coord *c, tc_listener *l, char *out, size_t size)
{
    struct tc_ring *r = c->ring;
    size_t n = 0;
    pthread_mutex_lock(&r->lock);
    if (!l->begun) {
        n = begin(r, l, out, size);
        l->ended = !l->begun;
    }
    for (uint64_t before = 0; !l->ended && l->next < r->next && l->next != before;) {
        before = l->next;
        n += write_next(r, l, out + n, size - n);
    }
    l->ended |= n == 0 && l->next < r->next; /* an event that no buffer takes */
    pthread_mutex_unlock(&r->lock);
    return n;
}

void tc_coord_events_check(tc_coord *c, tc_listener *l)
{
    tc_key key = tc_key_hash(&l->token);
    tacit_error why;
    json_t *j = NULL;
    uint64_t version;
    int64_t until = 0;
    if (tc_record_read(c->cfg.store, 0, TC_RECORD_TOKEN, &key, &j, &version, &why) != TACIT_OK)
        return; /* a store that is busy ends nobody */
    (void)tc_json_whole(json_object_get(j, "expires_ms"), &until);
    bool replaced = json_is_true(json_object_get(j, "ended")); /* token.c */
    l->ended |= !j || replaced || (until > 0 && tc_coord_is_past(c, until));
    json_decref(j);
}
