/* relay.c - the coordinator's half: looks at a message and hands its numbers on as they are.
 *
 * There is no noise in them, so the release is stamped NOT PRIVATE, with the reason. */
#include "algo/fts/fts.h"

#include "base/error.h"
#include "privacy/mechanism.h"

#include <inttypes.h>

static const char why[] = "an agent's weights are handed on as they are: whoever knows where it "
                          "evaluated its function can read the values from them";

tacit_status tc_fts_relay_check(const tc_fts_form *f, const tc_env *env, uint64_t agent,
                                const void *bytes, size_t n, tacit_error *err)
{
    uint64_t roster = env->agents > 0 ? env->agents : 1;
    if (agent >= roster)
        return tc_fail(err, TACIT_E_ARG,
                       "agent %" PRIu64 " is not on the roster of %" PRIu64 " agents", agent,
                       roster);
    return tc_fts_message_read(f, bytes, n, NULL, err);
}

tacit_status tc_fts_relay_release(const tc_fts_form *f, const void *bytes, size_t n,
                                  tc_release **out, tacit_error *err)
{
    double *v = tc_alloc(f->width, sizeof *v);
    if (!v)
        return tc_fail_memory(err);
    tacit_status status = tc_fts_message_read(f, bytes, n, v, err);
    if (status == TACIT_OK)
        status = tc_none_release(out, 1, f->width, v, TACIT_UNIT_AGENT, why, err);
    tc_free(v);
    return status;
}

static tacit_status check(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                          const void *bytes, size_t n, tacit_error *err)
{
    const tc_fts_options *o = opts;
    tc_fts_form f = tc_fts_form_of(o, env->space, round);
    if (o->mode == TC_FTS_ONE_SHOT && round != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "with mode=one-shot agents publish in round 0 alone, got round %" PRIu64,
                       round);
    return tc_fts_relay_check(&f, env, agent, bytes, n, err);
}

static tacit_status release(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                            const void *bytes, size_t n, tc_release **out, tacit_error *err)
{
    tc_fts_form f = tc_fts_form_of(opts, env->space, round);
    TC_TRY(check(env, opts, round, agent, bytes, n, err));
    return tc_fts_relay_release(&f, bytes, n, out, err);
}

const tc_relay_ops tc_fts_relay = {.agree = tc_fts_check, .check = check, .release = release};
