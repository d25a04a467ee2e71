/* trustee_api.c - <tacit/trustee.h>: a trustee with its storage, its way to the coordinator and its patience.
 *
 * What a trustee does is trustee/. Here is what surrounds it: that one process alone is the trustee, that a coordinator which
 * is silent is asked again, and the loop of tacit_trustee_run. */
#include <tacit/trustee.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/owner.h"
#include "net/pins.h"
#include "net/way.h"
#include "trustee/trustee.h"
#include "wire/study_doc.h"

#include <sodium.h>
#include <string.h>

enum { WAIT_S = 20 };

static TC_SIZED(sized_opts, tacit_trustee_opts, exchange, exchange);
static TC_SIZED(sized_summary, tacit_trustee_summary, roster, roster);

struct tacit_trustee {
    tacit_trustee_opts opts; /* its texts are in `texts` */
    tc_arena texts;
    char *token; /* erased at the end */
    tc_store *store;
    tc_name_lock *alone; /* no other process is this trustee */
    tc_net_way way;
    tc_trustee *trustee;
};

void tacit_trustee_close(tacit_trustee *t)
{
    if (!t)
        return;
    tc_trustee_close(t->trustee);
    tc_net_way_close(&t->way);
    tc_name_unlock(t->alone);
    tc_store_close(t->store);
    if (t->token)
        sodium_memzero(t->token, strlen(t->token));
    tc_free(t->token);
    tc_arena_fini(&t->texts);
    tc_free(t);
}

/* ---- options ---- */

static tc_net_way way_of(const tacit_trustee_opts *o)
{
    return (tc_net_way){.coordinator = o->coordinator,
                        .fingerprint = o->fingerprint,
                        .ca = o->ca,
                        .proxy = o->proxy,
                        .here = o->here,
                        .exchange = {o->exchange, o->user},
                        .patience_s = o->patience_s,
                        .stop = o->stop,
                        .note = o->note,
                        .user = o->user,
                        .who = "trustee"};
}

static tacit_status check(const tacit_trustee_opts *o, tacit_error *err)
{
    const tc_net_way way = way_of(o);
    if (!o->study)
        return tc_fail(err, TACIT_E_ARG, "opts.study is missing: of which study to be a trustee");
    TC_TRY(tc_study_name_check(o->study, err));
    if (!o->storage)
        return tc_fail(err, TACIT_E_ARG, "opts.storage is missing: the URL of the trustee's own");
    if (!(o->patience_s >= 0))
        return tc_fail(err, TACIT_E_ARG, "opts.patience_s must not be negative, got %g",
                       o->patience_s);
    TC_TRY(tc_pin_check_roster(o->roster, err));
    return tc_net_way_check(&way, err);
}

static const char *keep(tacit_trustee *t, const char *text)
{
    return text ? tc_arena_strdup(&t->texts, text) : NULL;
}

static tacit_status keep_opts(tacit_trustee *t, const tacit_trustee_opts *o, tacit_error *err)
{
    t->opts = *o;
    t->opts.study = keep(t, o->study);
    t->opts.storage = keep(t, o->storage);
    t->opts.fingerprint = keep(t, o->fingerprint);
    t->opts.roster = keep(t, o->roster);
    t->token = o->join_token ? tc_strdup(o->join_token) : NULL;
    t->opts.join_token = t->token;
    t->way = way_of(&t->opts);
    return t->texts.failed || (o->join_token && !t->token) ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- joining ---- */

/* A second process would answer, too: the same bytes, or the store refuses; but nobody needs to find out. */
static tacit_status open_storage(tacit_trustee *t, bool create, tacit_error *err)
{
    tacit_error why = {0};
    tc_text name = {0};
    TC_TRY(tc_store_open(&t->store, t->opts.storage, create, err));
    t->way.store = t->store;
    TC_TRY(tc_owner_trustee(t->store, err));
    tc_text_addf(&name, "trustee of study %s", t->opts.study);
    tacit_status status = name.failed
                              ? tc_fail_memory(&why)
                              : tc_store_lock_name(t->store, tc_text_get(&name), &t->alone, &why);
    tc_text_fini(&name);
    if (status == TACIT_E_BUSY)
        return tc_fail(err, status,
                       "a trustee of study \"%s\" is at work on this storage already: wait for it "
                       "or end it",
                       t->opts.study);
    return tc_pass_on(err, status, &why);
}

static tc_trustee_config config_of(tacit_trustee *t)
{
    const tacit_trustee_opts *o = &t->opts;
    return (tc_trustee_config){.store = t->store,
                               .transport = tc_net_way_transport(&t->way),
                               .study = o->study,
                               .join_token = t->token,
                               .roster = o->roster,
                               .seeded = o->test_seed >= 0,
                               .seed = (uint64_t)o->test_seed,
                               .key_salt = o->test_key,
                               .listen = o->listen,
                               .listener = o->user};
}

/* A storage that does not exist is made once the study is known: a refusal leaves no trace. */
static tacit_status open_or_make(tacit_trustee *t, tacit_error *err)
{
    const tc_trustee_config cfg = config_of(t);
    tacit_error why = {0};
    tacit_status status = open_storage(t, false, &why);
    if (status != TACIT_E_NOT_FOUND || t->store)
        return tc_pass_on(err, status, &why);
    do {
        status = tc_trustee_preview(&cfg, &why);
        if (status != TACIT_OK)
            TC_TRY(tc_net_way_endure(&t->way, status, &why, err));
    } while (status != TACIT_OK);
    tc_net_way_is_there(&t->way);
    TC_TRY(open_storage(t, true, err));
    return tc_net_way_keep_early(&t->way, err);
}

static tacit_status join(tacit_trustee *t, const tacit_trustee_opts *o, tacit_error *err)
{
    TC_TRY(keep_opts(t, o, err));
    TC_TRY(tc_net_way_open(&t->way, err));
    TC_TRY(open_or_make(t, err));
    TC_TRY(tc_net_way_follow_keys(&t->way, err));
    const tc_trustee_config cfg = config_of(t);
    while (!t->trustee) {
        tacit_error why = {0};
        tacit_status status = tc_trustee_open(&t->trustee, &cfg, &why);
        if (status != TACIT_OK)
            TC_TRY(tc_net_way_endure(&t->way, status, &why, err));
    }
    tc_net_way_is_there(&t->way);
    return TACIT_OK;
}

tacit_status tacit_trustee_join(tacit_trustee **out, const tacit_trustee_opts *opts,
                                tacit_error *err)
{
    tacit_trustee_opts o;
    TC_GIVEN(out);
    TC_TRY(tc_sized_take(&sized_opts, &o, opts, "opts", err));
    TC_TRY(check(&o, err));
    tacit_trustee *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    tacit_status status = join(t, &o, err);
    if (status == TACIT_OK)
        *out = t;
    else
        tacit_trustee_close(t);
    return status;
}

/* ---- working ---- */

uint64_t tacit_trustee_place(const tacit_trustee *t)
{
    return t ? tc_trustee_place(t->trustee) : 0;
}

tacit_status tacit_trustee_step(tacit_trustee *t, double wait_s, bool *done, tacit_error *err)
{
    tc_trustee_next next = TC_TRUSTEE_AGAIN;
    TC_GIVEN(t);
    TC_GIVEN(done);
    if (!(wait_s >= 0 && wait_s <= TC_CALL_S))
        return tc_fail(err, TACIT_E_ARG, "wait_s must be in [0, %d], got %g", TC_CALL_S, wait_s);
    while (next == TC_TRUSTEE_AGAIN) {
        tacit_error why = {0};
        const uint64_t asked = tc_clock_ns();
        if (tc_net_way_is_stopped(&t->way))
            return tc_net_way_stopped(err);
        tacit_status status = tc_trustee_step(t->trustee, (long)wait_s, &next, &why);
        if (status != TACIT_OK) {
            TC_TRY(tc_net_way_endure(&t->way, status, &why, err));
            next = TC_TRUSTEE_WAIT;
            break;
        }
        tc_net_way_is_there(&t->way);
        if (wait_s > 0)
            tc_net_way_pace(&t->way, asked, next == TC_TRUSTEE_WAIT);
    }
    *done = next == TC_TRUSTEE_DONE;
    return TACIT_OK;
}

tacit_status tacit_trustee_run(tacit_trustee *t, tacit_error *err)
{
    bool done = false;
    TC_GIVEN(t);
    while (!done)
        TC_TRY(tacit_trustee_step(t, WAIT_S, &done, err));
    return TACIT_OK;
}

tacit_status tacit_trustee_summarize(tacit_trustee *t, tacit_trustee_summary *out, tacit_error *err)
{
    tc_trustee_done done;
    TC_GIVEN(t);
    TC_TRY(tc_sized_check(&sized_summary, out, "out", err));
    TC_TRY(tc_trustee_count(t->trustee, &done, err));
    const tacit_trustee_summary now = {.rounds = done.rounds,
                                       .answered = done.answered,
                                       .conflicts = done.conflicts,
                                       .roster = tc_trustee_roster(t->trustee)};
    tc_sized_give(&sized_summary, out, &now);
    return TACIT_OK;
}
