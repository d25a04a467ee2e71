/* agreed.c - a process's clock of agreed time: its looks at the store, and what it says in between (agreed.h). */
#include "study/agreed_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS         INT64_C(1000000)
#define SECOND     (1000 * MS)
#define KEY        "clock"
#define STEP_LEAST (2 * SECOND) /* less is how looks differ */

struct tc_agreed {
    tc_store *store;
    tc_hands hands;
    pthread_mutex_t lock; /* everything below; never held while the store is asked */
    tc_outlook known;
    int64_t said_ms;  /* the last time that was given out */
    int64_t tried_ns; /* the last look began then */
    bool looking;     /* a thread looks at the store now */
    bool wrong;       /* the clock is, beyond all measure, and that has been said */
};

/* ---- the system's clocks ---- */

static int64_t read_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

/* BOOTTIME goes on while the machine sleeps. */
static void read_system(void *user, int64_t *wall_ns, int64_t *true_ns)
{
    (void)user;
    *wall_ns = read_ns(CLOCK_REALTIME);
    *true_ns = read_ns(CLOCK_BOOTTIME);
}

static void sleep_system(void *user, int64_t ms)
{
    (void)user;
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS}, NULL);
}

static int64_t read_true(const tc_agreed *c)
{
    int64_t wall_ns, true_ns;
    c->hands.read(c->hands.user, &wall_ns, &true_ns);
    return true_ns;
}

/* ---- the record ---- */

static tc_record anchor_record(void)
{
    return (tc_record){.kind = TC_RECORD_SERVER, .key = KEY, .key_size = strlen(KEY)};
}

bool tc_agreed_is_anchor(const tc_record *r)
{
    return r->study == 0 && r->kind == TC_RECORD_SERVER && r->key_size == strlen(KEY) &&
           memcmp(r->key, KEY, r->key_size) == 0;
}

/* Up to the year 2096, and as far to either side: sums of these do not overflow. A clock that says more is wrong, and
 * nobody writes what it says. */
#define MOST_MS INT64_C(4000000000000)

static bool read_ms(const json_t *j, const char *field, int64_t *out_ns)
{
    int64_t ms;
    if (!tc_json_whole(json_object_get(j, field), &ms) || llabs(ms) > MOST_MS)
        return false;
    *out_ns = ms * MS;
    return true;
}

static tacit_status parse_anchor(const tc_record *r, tc_anchor *out, tacit_error *err)
{
    tacit_error why;
    json_t *j = NULL;
    tacit_status status = tc_json_parse(r->value, r->size, "clock", &j, &why);
    if (status == TACIT_E_MEMORY)
        return tc_fail_memory(err);
    bool good = read_ms(j, "wall_ms", &out->wall_ns) && read_ms(j, "time_ms", &out->time_ns) &&
                read_ms(j, "jumps_ms", &out->jumps_ns);
    int64_t turn = 0;
    good = good && tc_json_whole(json_object_get(j, "turn"), &turn) && turn >= 0;
    out->turn = (uint64_t)turn;
    out->final = json_is_true(json_object_get(j, "final"));
    json_decref(j);
    return good ? TACIT_OK
                : tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: a record cannot be read");
}

static tacit_status find_anchor(tc_store *store, tc_sighting *s, tacit_error *err)
{
    tc_record which = anchor_record(), got;
    TC_TRY(tc_store_record_find(store, &which, &got, err));
    s->version = got.version;
    tacit_status status = got.version > 0 ? parse_anchor(&got, &s->anchor, err) : TACIT_OK;
    tc_free((void *)got.value);
    return status;
}

/* A damaged record is thrown away, for nothing is lost with it: processes that know of a jump write it again, and
 * for those that start later it counts as time that passed. */
static tacit_status read_anchor(tc_store *store, tc_sighting *s, tacit_error *err)
{
    tacit_error why = {0};
    *s = (tc_sighting){0};
    tacit_status status = find_anchor(store, s, &why);
    if (status != TACIT_E_CORRUPT)
        return tc_pass_on(err, status, &why);
    tc_log(TC_LOG_ERROR, "%s; the record of the storage's clock is made anew", why.msg);
    *s = (tc_sighting){0};
    return tc_store_record_drop(
        store,
        &(tc_record_range){.kind = TC_RECORD_SERVER, .prefix = KEY, .prefix_size = strlen(KEY)},
        err);
}

/* E_CONFLICT: another process was faster. */
static tacit_status write_anchor(tc_store *store, uint64_t version, const tc_anchor *a,
                                 tacit_error *err)
{
    char text[192];
    tc_record which = anchor_record();
    if (llabs(a->time_ns / MS) > MOST_MS || llabs(a->jumps_ns / MS) > MOST_MS)
        return tc_fail(err, TACIT_E_STATE, "the storage's clock is wrong: it was set by %lld s",
                       (long long)(a->jumps_ns / SECOND));
    int n = snprintf(text, sizeof text,
                     "{\"wall_ms\": %lld, \"time_ms\": %lld, \"jumps_ms\": %lld, \"turn\": %llu, "
                     "\"final\": %s}",
                     (long long)(a->wall_ns / MS), (long long)(a->time_ns / MS),
                     (long long)(a->jumps_ns / MS), (unsigned long long)a->turn,
                     a->final ? "true" : "false");
    return tc_store_record_keep(store, &which, version, text, (size_t)n, err);
}

/* ---- looking ---- */

/* The record first (agreed_time.c says why). The wall clock was read at some moment of the question. */
static tacit_status look(const tc_agreed *c, tc_sighting *out, tacit_error *err)
{
    int64_t wall_ns, before_ns, after_ns;
    TC_TRY(read_anchor(c->store, out, err));
    c->hands.read(c->hands.user, &wall_ns, &before_ns);
    if (c->hands.read == read_system)
        TC_TRY(tc_store_wall(c->store, &wall_ns, err));
    if (llabs(wall_ns / MS) >= MOST_MS)
        return tc_fail(err, TACIT_E_STATE,
                       "the storage's clock is wrong: it says %lld s after 1970",
                       (long long)(wall_ns / SECOND));
    after_ns = read_true(c);
    out->wall_ns = wall_ns;
    out->true_ns = before_ns + (after_ns - before_ns) / 2;
    out->doubt_ns = (after_ns - before_ns) / 2;
    return TACIT_OK;
}

static const char *direction(int64_t ns, const char *up, const char *down)
{
    return ns > 0 ? up : down;
}

static void say_jump(int64_t ns)
{
    if (llabs(ns) >= SECOND)
        tc_log(TC_LOG_WARN,
               "the storage's clock was set %lld s %s; deadlines and leases follow it slowly",
               (long long)((llabs(ns) + SECOND / 2) / SECOND), direction(ns, "forward", "back"));
}

static void say_followed(int64_t ns)
{
    tc_log(TC_LOG_WARN,
           "the time of this process was %lld s %s that of the others on this storage; it takes "
           "theirs",
           (long long)((llabs(ns) + SECOND / 2) / SECOND), direction(ns, "ahead of", "behind"));
}

enum { ATTEMPTS = 8 };

/* Looks until the record and this process agree; a claim that another process forestalled is judged anew. */
static tacit_status agree_with_record(const tc_agreed *c, tc_outlook *known,
                                      tc_agreed_verdict *verdict, tacit_error *err)
{
    *verdict = TC_AGREES;
    for (int i = 0; i < ATTEMPTS; i++) {
        tc_sighting s;
        tc_anchor claim;
        TC_TRY(look(c, &s, err));
        tc_agreed_verdict found = tc_outlook_judge(known, &s, &claim);
        bool renews = found == TC_AGREES && tc_outlook_renews(known, &s, &claim);
        tacit_status status = found == TC_CLAIMS || renews
                                  ? write_anchor(c->store, s.version, &claim, err)
                                  : TACIT_OK;
        if (status != TACIT_OK && status != TACIT_E_CONFLICT)
            return status;
        if (found == TC_CLAIMS)
            continue;
        *verdict = found;
        return TACIT_OK;
    }
    return tc_fail(err, TACIT_E_BUSY, "the storage's clock is being set again and again");
}

/* Time also steps where this process has not looked for long, and others have forgotten an old jump since. */
static void take(tc_agreed *c, const tc_outlook *now, tc_agreed_verdict verdict)
{
    pthread_mutex_lock(&c->lock);
    tc_outlook was = c->known;
    int64_t ahead = tc_outlook_time(&was, now->true_ns) - tc_outlook_time(now, now->true_ns);
    bool stepped = verdict == TC_FOLLOWS || llabs(ahead) > STEP_LEAST;
    c->known = *now;
    if (stepped)
        c->said_ms = INT64_MIN;
    pthread_mutex_unlock(&c->lock);
    if (!was.begun)
        return;
    if (stepped)
        say_followed(ahead);
    else if (now->version != was.version)
        say_jump(now->anchor.jumps_ns - was.anchor.jumps_ns);
}

/* One thread at a time, and not sooner than after_ms after the last. */
static tacit_status look_now(tc_agreed *c, int64_t after_ms, tacit_error *err)
{
    int64_t now_ns = read_true(c);
    tc_agreed_verdict verdict;
    pthread_mutex_lock(&c->lock);
    bool due = !c->looking && now_ns - c->tried_ns >= after_ms * MS;
    if (due) {
        c->looking = true;
        c->tried_ns = now_ns;
    }
    tc_outlook known = c->known;
    pthread_mutex_unlock(&c->lock);
    if (!due)
        return TACIT_OK;
    tacit_status status = agree_with_record(c, &known, &verdict, err);
    if (status == TACIT_OK)
        take(c, &known, verdict);
    pthread_mutex_lock(&c->lock);
    c->looking = false;
    bool says = status == TACIT_E_STATE && !c->wrong;
    c->wrong = status == TACIT_E_STATE;
    pthread_mutex_unlock(&c->lock);
    if (says) /* nobody else would: failures of a store are noticed by all who use it */
        tc_log(TC_LOG_ERROR,
               "%s; time goes on as before, and a new process ends no round and no lease",
               err->msg);
    return status;
}

void tc_agreed_sync(tc_agreed *c)
{
    tacit_error why = {0};
    (void)look_now(c, TC_AGREED_SYNC_MS / 2, &why);
}

/* ---- birth and end ---- */

/* Where no other process can use the store there is nobody to compare with. */
tacit_status tc_agreed_new(tc_agreed **out, tc_store *store, const tc_hands *hands,
                           tacit_error *err)
{
    tacit_error why = {0};
    tc_agreed *c = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    c->store = store;
    c->hands = hands ? *hands : (tc_hands){.read = read_system, .sleep = sleep_system};
    c->said_ms = INT64_MIN;
    pthread_mutex_init(&c->lock, NULL);
    c->hands.read(c->hands.user, &c->known.steady_ns, &c->known.true_ns);
    c->tried_ns = c->known.true_ns;
    (void)look_now(c, 0, &why);
    c->known.sure = tc_store_is_private(store);
    *out = c;
    return TACIT_OK;
}

void tc_agreed_free(tc_agreed *c)
{
    if (!c)
        return;
    pthread_mutex_destroy(&c->lock);
    tc_free(c);
}

/* ---- reading ---- */

int64_t tc_agreed_unix_ms(tc_agreed *c)
{
    int64_t true_ns = read_true(c);
    pthread_mutex_lock(&c->lock);
    int64_t now_ms = tc_outlook_time(&c->known, true_ns) / MS;
    if (now_ms > c->said_ms)
        c->said_ms = now_ms;
    now_ms = c->said_ms;
    pthread_mutex_unlock(&c->lock);
    return now_ms;
}

bool tc_agreed_is_sure(tc_agreed *c)
{
    pthread_mutex_lock(&c->lock);
    bool sure = c->known.sure;
    pthread_mutex_unlock(&c->lock);
    return sure;
}

static int64_t left_ms(tc_agreed *c)
{
    enum { LEAST = 20 };
    int64_t now_ns = read_true(c);
    pthread_mutex_lock(&c->lock);
    int64_t left = TC_AGREED_WATCH_MS - (now_ns - c->known.since_ns) / MS;
    pthread_mutex_unlock(&c->lock);
    return left > LEAST ? left : LEAST;
}

tacit_status tc_agreed_await(tc_agreed *c, tacit_error *err)
{
    enum { NAPS = 100 };
    for (int i = 0; i < NAPS; i++) {
        TC_TRY(look_now(c, 0, err));
        if (tc_agreed_is_sure(c))
            return TACIT_OK;
        c->hands.sleep(c->hands.user, left_ms(c));
    }
    return tc_fail(err, TACIT_E_BUSY,
                   "the storage's clock and that of this machine do not go together; try again");
}
