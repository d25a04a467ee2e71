/* way.c - see way.h. */
#include "net/way.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/coordinator_api.h"
#include "net/pins.h"

#include <string.h>
#include <time.h>

/* A question that was not held but answered "not yet" at once is asked again after WAIT_FIRST_MS. */
enum { PAUSE_FIRST_MS = 250, WAIT_FIRST_MS = 1000, PAUSE_MOST_MS = 15000, SLICE_MS = 50 };

/* ---- finding it ---- */

tacit_status tc_net_way_check(const tc_net_way *w, tacit_error *err)
{
    bool dialled = w->coordinator || w->fingerprint || w->ca || w->proxy;
    if (w->exchange.exchange && (w->here || dialled))
        return tc_fail(err, TACIT_E_ARG,
                       "opts.exchange is the way to the coordinator: coordinator, fingerprint, ca, "
                       "proxy and here stay unset");
    if (w->exchange.exchange)
        return TACIT_OK;
    if (w->here && dialled)
        return tc_fail(err, TACIT_E_ARG,
                       "opts.here is a coordinator of this process: it has no URL, fingerprint, ca "
                       "or proxy");
    if (!w->here && !w->coordinator)
        return tc_fail(err, TACIT_E_ARG, "opts.coordinator is missing: its URL");
    return TACIT_OK;
}

/* A call has no more time than is left of our patience: an answer that drips is none. */
static void limit_calls(tc_net_way *w)
{
    uint64_t silent_ns = w->silent_since > 0 ? tc_clock_ns() - w->silent_since : 0;
    if (w->client && w->patience_s > 0)
        tc_client_set_patience(w->client, w->patience_s - (double)silent_ns / 1e9);
}

tacit_status tc_net_way_open(tc_net_way *w, tacit_error *err)
{
    if (w->exchange.exchange)
        return TACIT_OK;
    if (w->here) {
        w->local = (tc_here){tc_coordinator_get(w->here), w->stop, w->user};
        return TACIT_OK;
    }
    const tc_client_opts way = {.fingerprint = w->fingerprint, .ca = w->ca, .proxy = w->proxy};
    TC_TRY(tc_client_new(&w->client, w->coordinator, &way, err));
    if (w->stop)
        tc_client_stop_at(w->client, w->stop, w->user);
    limit_calls(w);
    return TACIT_OK;
}

/* Before the storage is made there is no place for it (keep_early). */
static tacit_status keep_pins(void *user, const tc_pins *pins, tacit_error *err)
{
    tc_net_way *w = user;
    tc_text text = {0};
    if (!w->store)
        return TACIT_OK;
    TC_TRY(tc_pins_store(w->store, w->fingerprint, pins, err));
    if (pins->next)
        tc_text_addf(&text,
                     "the coordinator announces another key, %s: this %s will follow by itself",
                     pins->next, w->who);
    else
        tc_text_addf(&text, "the coordinator has changed its key, as announced: %s", pins->now);
    if (w->note)
        w->note(w->user, tc_text_get(&text));
    tc_text_fini(&text);
    return TACIT_OK;
}

/* The store may know more of the coordinator's keys than what the party was started with. */
tacit_status tc_net_way_follow_keys(tc_net_way *w, tacit_error *err)
{
    char *now = NULL, *next = NULL;
    if (!w->client || !w->fingerprint)
        return TACIT_OK;
    if (w->store)
        TC_TRY(tc_pins_load(w->store, w->fingerprint, &now, &next, err));
    const tc_pins pins = {now, next};
    tacit_status status = tc_client_believe(w->client, now ? &pins : NULL, keep_pins, w, err);
    tc_free(now);
    tc_free(next);
    return status;
}

/* What was heard before there was a storage. */
tacit_status tc_net_way_keep_early(tc_net_way *w, tacit_error *err)
{
    const tc_pins now = w->client ? tc_client_pins(w->client) : (tc_pins){0};
    bool heard = now.now && w->fingerprint && (now.next || strcmp(now.now, w->fingerprint) != 0);
    return heard ? keep_pins(w, &now, err) : TACIT_OK;
}

tc_transport tc_net_way_transport(tc_net_way *w)
{
    return w->exchange.exchange ? tc_exchange_transport(&w->exchange)
           : w->client          ? tc_client_transport(w->client)
                                : tc_here_transport(&w->local);
}

void tc_net_way_close(tc_net_way *w)
{
    tc_client_free(w->client);
    w->client = NULL;
}

/* ---- a coordinator that does not answer ---- */

bool tc_net_way_is_stopped(const tc_net_way *w)
{
    return w->stop && w->stop(w->user);
}

/* In slices, so that a stop is seen soon. */
static void nap(const tc_net_way *w, int64_t ms)
{
    for (; ms > 0 && !tc_net_way_is_stopped(w); ms -= SLICE_MS)
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * SLICE_MS}, NULL);
}

tacit_status tc_net_way_stopped(tacit_error *err)
{
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted; the same command goes on where it stopped");
}

static long retry_after_s(const tc_net_way *w)
{
    return w->client ? tc_client_retry_after_s(w->client) : 0;
}

/* As long as the coordinator asks for, and no longer than patience lasts. */
static int64_t pause_now(const tc_net_way *w, uint64_t silent_ns)
{
    int64_t asked_ms = 1000 * (int64_t)retry_after_s(w);
    double left_ms = w->patience_s * 1e3 - (double)silent_ns / 1e6;
    int64_t ms = asked_ms > w->pause_ms ? asked_ms : w->pause_ms;
    return (double)ms > left_ms ? (int64_t)left_ms + 1 : ms;
}

/* It has answered. */
void tc_net_way_is_there(tc_net_way *w)
{
    w->silent_since = 0;
    limit_calls(w);
}

static void begin_silence(tc_net_way *w, uint64_t now, const char *why)
{
    uint64_t due = w->client ? tc_client_due_ns(w->client) : now;
    tc_text text = {0};
    w->silent_since = due < now ? due : now;
    w->pause_ms = PAUSE_FIRST_MS;
    tc_text_addf(&text, "%s; trying again", why);
    if (w->note)
        w->note(w->user, tc_text_get(&text));
    tc_text_fini(&text);
}

/* Waits, longer each time; the failure itself once patience is at its end. */
tacit_status tc_net_way_endure(tc_net_way *w, tacit_status status, const tacit_error *why,
                               tacit_error *err)
{
    uint64_t now = tc_clock_ns();
    if (status == TACIT_E_IO && tc_net_way_is_stopped(w))
        return tc_net_way_stopped(err);
    if (status != TACIT_E_IO)
        return tc_pass_on(err, status, why);
    if (w->silent_since == 0)
        begin_silence(w, now, why->msg);
    if ((double)(now - w->silent_since) > w->patience_s * 1e9)
        return tc_fail(err, status, "%s; gave up after %g s", why->msg, w->patience_s);
    nap(w, pause_now(w, now - w->silent_since));
    limit_calls(w);
    w->pause_ms = w->pause_ms * 2 < PAUSE_MOST_MS ? w->pause_ms * 2 : PAUSE_MOST_MS;
    return TACIT_OK;
}

void tc_net_way_pace(tc_net_way *w, uint64_t asked, bool waits)
{
    bool at_once = tc_clock_ns() - asked < UINT64_C(1000000) * WAIT_FIRST_MS;
    if (!waits || !at_once) {
        w->wait_ms = 0;
        return;
    }
    w->wait_ms = w->wait_ms == 0 ? WAIT_FIRST_MS : 2 * w->wait_ms;
    if (w->wait_ms > PAUSE_MOST_MS)
        w->wait_ms = PAUSE_MOST_MS;
    nap(w, w->wait_ms);
}
