/* pne_server.c - the server of pf-pne and fed-pne [Li, Honorio, Song 2024, algorithm 1].
 *
 * Round r is about depth h = r + 1: every client sends, for each node of K^h by rising cell, the
 * cell and the sum of its ceil(tau_h/M) rewards; that number is public, so the sums are the means.
 * The server adds up the sums of the C messages that came and drops
 *
 *     E^h = {i : mean_i + b + nu rho^h < max mean - b},   b with C ceil(tau_h/M) samples
 *
 * It broadcasts the depth, C, and for every node that is left its cell and its sum. The children of
 * those are the next K^h, of all clients. As printed the depths are one off and the loop never
 * ends; this is the reading that the proof needs. */
#include "algo/tree/pne.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>

tacit_status tc_pne_server_init(tc_pne_server *s, const tc_bandit_env *env, const tc_pne_options *o,
                                bool personal, uint64_t round, tacit_error *err)
{
    s->law = tc_pne_law_of(env, o, personal);
    s->clients = env->clients;
    if (round > 0 && round >= s->law.last)
        return tc_fail(err, TACIT_E_ARG, "round %" PRIu64 " comes after the last of %" PRIu32,
                       round, s->law.last);
    s->depth = (uint32_t)round + 1;
    return TACIT_OK;
}

void tc_pne_server_fini(void *st)
{
    tc_pne_server *s = st;
    tc_phase_fini(&s->nodes);
}

/* Pairs of a cell of this depth and a possible sum, by rising cell. */
static bool well_formed(const tc_pne_server *s, const tc_numbers *m)
{
    int64_t cells = 1, share = (int64_t)tc_pne_share(&s->law, s->depth);
    for (uint32_t d = 0; d < s->depth; d++)
        cells *= s->law.k;
    int64_t most = 2 * share * TC_REWARD_ONE; /* see tc_reward_of; of shared depths M of them fit */
    bool good = m->n >= 2 && m->n % 2 == 0;
    for (size_t i = 0; good && i < m->n; i += 2)
        good = m->v[i] > (i ? m->v[i - 2] : -1) && m->v[i] < cells && m->v[i + 1] <= most &&
               m->v[i + 1] >= -most;
    return good;
}

/* The first message says which nodes there are, and all others are about the same. */
static bool same_nodes(const tc_pne_server *s, const tc_numbers *m)
{
    bool same = s->folded == 0 || m->n == 2 * s->nodes.n;
    for (size_t i = 0; same && s->folded && i < s->nodes.n; i++)
        same = (uint64_t)m->v[2 * i] == s->nodes.v[i].cell;
    return same;
}

static tacit_status check(const tc_pne_server *s, const tc_numbers *m, tacit_error *err)
{
    if (s->folded == s->clients)
        return tc_fail(err, TACIT_E_ARG, "more than %" PRIu64 " messages at depth %" PRIu32,
                       s->clients, s->depth);
    if (s->depth > s->law.last || !well_formed(s, m))
        return tc_fail(err, TACIT_E_ARG,
                       "the message is not a list of shared cells of depth %" PRIu32
                       " and their sums",
                       s->depth);
    if (!same_nodes(s, m))
        return tc_fail(err, TACIT_E_ARG,
                       "the message is about other cells of depth %" PRIu32 " than the first",
                       s->depth);
    return TACIT_OK;
}

tacit_status tc_pne_server_fold(void *st, const tc_numbers *m, tacit_error *err)
{
    tc_pne_server *s = st;
    TC_TRY(check(s, m, err));
    for (size_t i = 0; s->folded == 0 && i < m->n; i += 2)
        TC_TRY(tc_phase_add(&s->nodes, (tc_phase_node){.cell = (uint64_t)m->v[i]}, err));
    for (size_t i = 0; i < s->nodes.n; i++)
        s->nodes.v[i].sum += m->v[2 * i + 1];
    s->folded++;
    return TACIT_OK;
}

/* Leaves in s->nodes what is not eliminated. */
static void eliminate(tc_pne_server *s)
{
    double samples = (double)s->folded * (double)tc_pne_share(&s->law, s->depth);
    double b = tc_pne_width(&s->law, samples), best = -INFINITY;
    double slack = tc_pne_slack(&s->law, s->depth);
    for (size_t i = 0; i < s->nodes.n; i++) {
        tc_phase_node *v = &s->nodes.v[i];
        v->mean = (double)v->sum / (samples * (double)TC_REWARD_ONE);
        best = fmax(best, v->mean);
    }
    size_t left = 0;
    for (size_t i = 0; i < s->nodes.n; i++)
        if (!(s->nodes.v[i].mean + b + slack < best - b))
            s->nodes.v[left++] = s->nodes.v[i];
    s->nodes.n = left;
}

static tacit_status write_broadcast(const tc_pne_server *s, tc_numbers *out, tacit_error *err)
{
    TC_TRY(tc_numbers_add(out, s->depth, err));
    TC_TRY(tc_numbers_add(out, (int64_t)s->folded, err));
    for (size_t i = 0; i < s->nodes.n; i++) {
        TC_TRY(tc_numbers_add(out, (int64_t)s->nodes.v[i].cell, err));
        TC_TRY(tc_numbers_add(out, s->nodes.v[i].sum, err));
    }
    return TACIT_OK;
}

tacit_status tc_pne_server_close(void *st, tc_numbers *broadcast, tacit_error *err)
{
    tc_pne_server *s = st;
    if (s->folded == 0)
        return tc_fail(err, TACIT_E_STATE, "there is no message about depth %" PRIu32, s->depth);
    eliminate(s);
    TC_TRY(write_broadcast(s, broadcast, err));
    s->depth++;
    s->folded = 0;
    s->nodes.n = 0;
    return TACIT_OK;
}
