/* trustee_beside.c - see trustee_beside.h. The two parties share a process and nothing else: each has its storage. */
#include "federation/trustee_beside.h"

#include <inttypes.h>

void tc_trustee_say(bool quiet, const char *prefix, const tacit_trustee_event *e)
{
    switch (e->kind) {
    case TACIT_TRUSTEE_ROSTER:
        tc_note(quiet, "%sthe roster is %s: compare it with what the other parties print", prefix,
                e->text);
        break;
    case TACIT_TRUSTEE_DEALT:
        tc_note(quiet, "%sround %" PRIu64 ": noise dealt", prefix, e->round);
        break;
    case TACIT_TRUSTEE_ANSWERED:
        tc_note(quiet, "%sround %" PRIu64 ": answered for %" PRIu64 " agents; its key is erased",
                prefix, e->round, e->agents);
        break;
    case TACIT_TRUSTEE_REFUSED: /* what its operator must know is said even where it is to be quiet */
        tc_note(false, "%sround %" PRIu64 ": refused: %s", prefix, e->round, e->text);
        break;
    case TACIT_TRUSTEE_CONFLICT:
        tc_note(false,
                "%sround %" PRIu64 ": REFUSED, A SECOND SET: %s. The coordinator lies, or was "
                "restored from a backup; both sets are kept as evidence",
                prefix, e->round, e->text);
        break;
    default:
        tc_note(quiet, "%swaiting: %s", prefix, e->text);
    }
}

static bool stop(void *user)
{
    return atomic_load(&((tc_trustee_beside *)user)->stops) || tc_interrupted();
}

static void note(void *user, const char *text)
{
    tc_note(((tc_trustee_beside *)user)->quiet, "trustee: %s", text);
}

static void hear(void *user, const tacit_trustee_event *e)
{
    tc_trustee_say(((tc_trustee_beside *)user)->quiet, "trustee: ", e);
}

/* The agent may go on for days: that the others lack a trustee is said now, and once more at the end. */
static void *run(void *user)
{
    tc_trustee_beside *b = user;
    b->status = tacit_trustee_run(b->trustee, &b->err);
    if (b->status != TACIT_OK && !stop(b))
        tc_note(false, "trustee: it has ended, and the agent goes on without it: %s", b->err.msg);
    return NULL;
}

tacit_status tc_trustee_beside_start(tc_trustee_beside *b, const tacit_trustee_opts *opts,
                                     tacit_error *err)
{
    tacit_trustee_opts o = *opts;
    o.stop = stop;
    o.note = note;
    o.listen = hear;
    o.user = b;
    TC_TRY(tacit_trustee_join(&b->trustee, &o, err));
    tc_note(b->quiet, "trustee %" PRIu64 " of study %s, too", tacit_trustee_place(b->trustee),
            o.study);
    b->runs = pthread_create(&b->thread, NULL, run, b) == 0;
    return b->runs ? TACIT_OK : tc_fail(err, TACIT_E_IO, "a thread for the trustee was refused");
}

tacit_status tc_trustee_beside_end(tc_trustee_beside *b, bool now, tacit_error *err)
{
    const bool ran = b->runs;
    atomic_store(&b->stops, now);
    if (ran)
        pthread_join(b->thread, NULL);
    b->runs = false;
    tacit_trustee_close(b->trustee);
    b->trustee = NULL;
    if (!ran || now || b->status == TACIT_OK)
        return TACIT_OK;
    return tc_fail(err, b->status, "the trustee beside this agent: %s", b->err.msg);
}
