/* ready.c - can the store be used? /readyz, which anybody may ask as often as they like.
 *
 * A probe reads a record and, now and then, writes one: a store on a full disk can still be read. It may hang as
 * long as the store does. So there is one at a time, all who ask share what it found for a second, and while it
 * takes too long the answer is known without it: not ready. Called by the server's thread for probes
 * (net/server_probe.c), and by the handler itself where nobody else does it. */
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum {
    FRESH_MS = 1000,  /* so long what a probe found holds */
    HANGS_MS = 2000,  /* a probe that takes longer hangs */
    WRITE_MS = 10000, /* between writes, as long as they succeed */
};
#define ROOM_LEAST ((uint64_t)16 << 20) /* bytes that must be free where the store can tell */

static uint64_t since_ms(uint64_t then_ns)
{
    return (tc_clock_ns() - then_ns) / 1000000;
}

/* ---- the probe ---- */

/* The same record each time. That another process was faster shows as well that the store takes writes. */
static tacit_status try_write(tc_store *store, tacit_error *err)
{
    tc_key key = tc_key_word("probe");
    tc_record which = tc_record_of(0, TC_RECORD_SERVER, &key), found;
    char text[64];
    TC_TRY(tc_store_record_find(store, &which, &found, err));
    tc_free((void *)found.value);
    int n = snprintf(text, sizeof text, "{\"probed_ms\": %lld}", (long long)tc_clock_unix_ms());
    tacit_status status = tc_store_record_keep(store, &which, found.version, text, (size_t)n, err);
    return status == TACIT_E_CONFLICT ? TACIT_OK : status;
}

static tacit_status check_room(tc_store *store, tacit_error *err)
{
    uint64_t room;
    TC_TRY(tc_store_room(store, &room, err));
    return room >= ROOM_LEAST
               ? TACIT_OK
               : tc_fail(err, TACIT_E_IO, "the disk of the storage is full: %llu bytes are free",
                         (unsigned long long)room);
}

static tacit_status probe(tc_store *store, bool writes, tacit_error *err)
{
    tc_record_range one = {
        .kind = TC_RECORD_SERVER, .prefix = "probe", .prefix_size = sizeof "probe" - 1};
    uint64_t n;
    TC_TRY(tc_store_record_count(store, &one, &n, err));
    TC_TRY(check_room(store, err));
    return writes ? try_write(store, err) : TACIT_OK;
}

/* False: somebody else is at it. */
static bool begin(tc_readiness *r, bool *writes, bool *was_ok)
{
    pthread_mutex_lock(&r->lock);
    bool mine = !r->running;
    if (mine) {
        *was_ok = r->ok || r->done_ns == 0;
        r->running = true;
        r->since_ns = tc_clock_ns();
        *writes = !r->ok || r->wrote_ns == 0 || since_ms(r->wrote_ns) >= WRITE_MS;
    }
    pthread_mutex_unlock(&r->lock);
    return mine;
}

static void end(tc_readiness *r, bool ok, bool wrote)
{
    pthread_mutex_lock(&r->lock);
    r->running = false;
    r->ok = ok;
    r->done_ns = tc_clock_ns();
    if (wrote)
        r->wrote_ns = r->done_ns;
    pthread_mutex_unlock(&r->lock);
}

void tc_coord_probe(tc_coord *c)
{
    bool writes = false, was_ok = false;
    tacit_error why = {0};
    if (!begin(&c->ready, &writes, &was_ok))
        return;
    bool ok = probe(c->cfg.store, writes, &why) == TACIT_OK;
    if (!ok && was_ok)
        tc_log(TC_LOG_ERROR, "not ready: %s", why.msg);
    end(&c->ready, ok, ok && writes);
}

/* ---- what is known ---- */

/* last: what the last probe found, however long ago. */
static tc_ready look(tc_readiness *r, bool last)
{
    tc_ready known = TC_READY_UNKNOWN;
    pthread_mutex_lock(&r->lock);
    if (r->running && since_ms(r->since_ns) >= HANGS_MS)
        known = TC_READY_HANGS;
    else if (r->done_ns > 0 && (last || since_ms(r->done_ns) < FRESH_MS))
        known = r->ok ? TC_READY_YES : TC_READY_NO;
    pthread_mutex_unlock(&r->lock);
    return known;
}

tc_ready tc_coord_ready(tc_coord *c)
{
    return look(&c->ready, false);
}

tacit_status tc_health_ready(tc_request_context *a, tacit_error *err)
{
    if (!a->q->at_once && tc_coord_ready(a->coord) == TC_READY_UNKNOWN)
        tc_coord_probe(a->coord);
    tc_ready known = look(&a->coord->ready, true);
    if (known == TC_READY_YES)
        return tc_answer_text(a, "ready\n", err);
    return tc_refuse(a, 503, TACIT_E_IO, err, "%s",
                     known == TC_READY_NO ? "the storage cannot be used; the log says why"
                                          : "the storage does not answer");
}
