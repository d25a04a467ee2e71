/* pne_client.c - a client of pf-pne and fed-pne [Li, Honorio, Song 2024, algorithms 2 and 3].
 *
 * First stage, depths 1 to H_0: each node of K^h is pulled ceil(tau_h/M) times, the sums are sent,
 * and the broadcast says which nodes are left. fed-pne knows no other stage.
 *
 * Second stage, alone, from the root: K_m^h are the children of what was left of K_m^(h-1). A node
 * of K^h is kept whatever its value: it has the global mean and is not pulled. The others are
 * pulled until they have tau_h samples, those of the first stage counted, and
 *
 *     E_m^h = {i not in K^h : mean_i + b_i + nu rho^h < reference}
 *
 * is dropped. The paper's reference is the largest mean less its b. But the global mean of a kept
 * node may lie above the client's optimum f_m* by up to Delta, and then that rule drops the
 * optimum. The sound reference is the largest of mean_i - b_i - Delta [i in K^h], each of which is
 * below f_m*. */
#include "algo/tree/pne.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

static double own_mean(const tc_phase_node *v)
{
    return (double)v->sum / ((double)v->n * (double)TC_REWARD_ONE);
}

/* Passes over the nodes that need no (more) pulls. */
static void advance(tc_pne_client *c)
{
    while (c->at < c->nodes.n && (c->nodes.v[c->at].kept || c->nodes.v[c->at].n >= c->target))
        c->at++;
}

/* The children of c->nodes take their place. */
static tacit_status descend(tc_pne_client *c, tacit_error *err)
{
    TC_TRY(tc_phase_children(&c->nodes, c->law.k, &c->spare, err));
    tc_phase_nodes old = c->nodes;
    c->nodes = c->spare;
    c->spare = old;
    c->depth++;
    c->at = 0;
    return TACIT_OK;
}

/* No depth is left below: what remains of the budget goes to the best node. */
static void spend_rest_on_best(tc_pne_client *c)
{
    size_t best = 0;
    for (size_t i = 1; i < c->nodes.n; i++)
        if (c->nodes.v[i].mean > c->nodes.v[best].mean)
            best = i;
    c->at = best;
    c->target = TC_PNE_PULLS_MOST;
    c->nodes.v[best].kept = false;
}

/* ---- the second stage ---- */

/* What the first stage knows about the nodes of this depth. */
static void recall(tc_pne_client *c)
{
    if (c->depth > c->law.last)
        return;
    const tc_pne_shared *s = &c->shared[c->depth];
    for (size_t i = 0; i < c->nodes.n; i++) {
        tc_phase_node *v = &c->nodes.v[i];
        const tc_phase_node *kept = tc_phase_find(&s->kept, v->cell);
        const tc_phase_node *dropped = kept ? NULL : tc_phase_find(&s->dropped, v->cell);
        if (kept) {
            v->kept = true;
            v->mean = kept->mean;
        } else if (dropped) {
            v->n = dropped->n;
            v->sum = dropped->sum;
        }
    }
}

/* In a noisy sum an absent agent counts as 1/2. With a share p present, whose mean is f, the global mean
 * is within b of p f + (1 - p)/2. Where mean - b >= 1/2 so is f, and then mean - b <= f. Else it may be
 * above f, and is no lower bound of anything. */
static bool may_be_raised(const tc_pne_client *c, const tc_phase_node *v, double b)
{
    return v->kept && c->blur > 0 && v->mean - b < 0.5;
}

/* Largest lower bound of f_m* (sound), or the largest mean less its width (paper). */
static double reference(const tc_pne_client *c, double shared_width)
{
    double best = -INFINITY, ref = -INFINITY;
    for (size_t i = 0; i < c->nodes.n; i++) {
        const tc_phase_node *v = &c->nodes.v[i];
        double b = v->kept ? shared_width : tc_pne_width(&c->law, (double)v->n);
        if (c->law.rule == TC_PNE_SOUND && may_be_raised(c, v, b))
            continue;
        if (c->law.rule == TC_PNE_SOUND)
            ref = fmax(ref, v->mean - b - (v->kept ? c->law.gap : 0));
        else if (v->mean > best) {
            best = v->mean;
            ref = v->mean - b;
        }
    }
    return ref;
}

static void eliminate(tc_pne_client *c)
{
    for (size_t i = 0; i < c->nodes.n; i++)
        if (!c->nodes.v[i].kept)
            c->nodes.v[i].mean = own_mean(&c->nodes.v[i]);
    double ref = reference(c, c->depth <= c->law.last ? c->shared[c->depth].width : 0);
    double slack = tc_pne_slack(&c->law, c->depth);
    size_t left = 0;
    for (size_t i = 0; i < c->nodes.n; i++) {
        const tc_phase_node *v = &c->nodes.v[i];
        if (v->kept || !(v->mean + tc_pne_width(&c->law, (double)v->n) + slack < ref))
            c->nodes.v[left++] = *v;
    }
    c->nodes.n = left;
}

/* Goes down as long as every node of a depth has its samples already. */
static tacit_status go_on_alone(tc_pne_client *c, tacit_error *err)
{
    for (advance(c); c->at == c->nodes.n; advance(c)) {
        eliminate(c);
        if (c->depth == tc_cell_max_depth(c->law.k)) {
            spend_rest_on_best(c);
            return TACIT_OK;
        }
        TC_TRY(descend(c, err));
        recall(c);
        c->target = tc_pne_tau(&c->law, c->depth);
    }
    return TACIT_OK;
}

static tacit_status begin_alone(tc_pne_client *c, tacit_error *err)
{
    c->alone = true;
    c->depth = 0;
    c->nodes.n = c->at = 0;
    TC_TRY(tc_phase_add(&c->nodes, (tc_phase_node){.kept = true}, err));
    return go_on_alone(c, err);
}

/* ---- the first stage ---- */

static tacit_status begin_shared_depth(tc_pne_client *c, tacit_error *err)
{
    TC_TRY(descend(c, err));
    c->target = tc_pne_share(&c->law, c->depth);
    return TACIT_OK;
}

tacit_status tc_pne_client_publish(const void *st, tc_numbers *out, tacit_error *err)
{
    const tc_pne_client *c = st;
    if (c->alone || c->at < c->nodes.n)
        return tc_fail(err, TACIT_E_STATE, "nothing to publish at depth %" PRIu32, c->depth);
    for (size_t i = 0; i < c->nodes.n; i++) {
        TC_TRY(tc_numbers_add(out, (int64_t)c->nodes.v[i].cell, err));
        TC_TRY(tc_numbers_add(out, c->nodes.v[i].sum, err));
    }
    return TACIT_OK;
}

/* A broadcast of the right depth, whose cells are some of ours, in order. */
static tacit_status check(const tc_pne_client *c, const tc_numbers *m, tacit_error *err)
{
    bool good = !c->alone && m->n >= 4 && m->n % 2 == 0 && m->v[0] == (int64_t)c->depth &&
                m->v[1] >= 1 && (double)m->v[1] <= c->law.clients;
    for (size_t i = 2; good && i < m->n; i += 2)
        good = tc_phase_find(&c->nodes, (uint64_t)m->v[i]) && (i == 2 || m->v[i] > m->v[i - 2]);
    if (!good)
        return tc_fail(err, TACIT_E_CORRUPT, "the broadcast is not one of depth %" PRIu32,
                       c->depth);
    return TACIT_OK;
}

/* Moves the nodes of K^h to `kept` and the rest of them, with what this client saw, to `dropped`. */
static tacit_status part(tc_pne_client *c, const tc_numbers *m, tc_pne_shared *s, tacit_error *err)
{
    double samples = (double)m->v[1] * (double)tc_pne_share(&c->law, c->depth);
    size_t next = 2;
    s->width = tc_pne_width(&c->law, samples) + c->blur;
    for (size_t i = 0; i < c->nodes.n; i++) {
        tc_phase_node v = c->nodes.v[i];
        if (next < m->n && v.cell == (uint64_t)m->v[next]) {
            v.mean = (double)m->v[next + 1] / (samples * (double)TC_REWARD_ONE);
            TC_TRY(tc_phase_add(&s->kept, v, err));
            next += 2;
        } else if (c->law.personal) {
            TC_TRY(tc_phase_add(&s->dropped, v, err));
        }
    }
    return TACIT_OK;
}

/* c->nodes becomes K^h. */
static tacit_status keep(tc_pne_client *c, const tc_pne_shared *s, tacit_error *err)
{
    c->nodes.n = 0;
    for (size_t i = 0; i < s->kept.n; i++)
        TC_TRY(tc_phase_add(&c->nodes, s->kept.v[i], err));
    return TACIT_OK;
}

static void forget(tc_pne_shared *s)
{
    tc_phase_fini(&s->kept);
    tc_phase_fini(&s->dropped);
}

/* fed-pne never comes back to a depth and remembers none. */
static tacit_status take_in(tc_pne_client *c, const tc_numbers *m, tacit_error *err)
{
    tc_pne_shared passing = {0}, *s = c->law.personal ? &c->shared[c->depth] : &passing;
    tacit_status status = part(c, m, s, err);
    if (status == TACIT_OK)
        status = keep(c, s, err);
    forget(&passing);
    return status;
}

tacit_status tc_pne_client_absorb(void *st, const tc_numbers *broadcast, tacit_error *err)
{
    tc_pne_client *c = st;
    TC_TRY(check(c, broadcast, err));
    TC_TRY(take_in(c, broadcast, err));
    if (c->depth < c->law.last)
        return begin_shared_depth(c, err);
    if (c->law.personal)
        return begin_alone(c, err);
    c->alone = true;
    spend_rest_on_best(c);
    return TACIT_OK;
}

/* The depths before this one are all that is shared. */
tacit_status tc_pne_client_skip(void *st, tacit_error *err)
{
    tc_pne_client *c = st;
    if (c->law.personal) {
        c->law.last = c->depth - 1;
        return begin_alone(c, err);
    }
    for (size_t i = 0; i < c->nodes.n; i++)
        c->nodes.v[i].mean = own_mean(&c->nodes.v[i]);
    c->alone = true;
    spend_rest_on_best(c);
    return TACIT_OK;
}

/* ---- both ---- */

tacit_status tc_pne_client_init(tc_pne_client *c, const tc_bandit_env *env, const tc_pne_options *o,
                                bool personal, tacit_error *err)
{
    c->law = tc_pne_law_of(env, o, personal);
    c->shared = tc_alloc(personal ? c->law.last + 1 : 1, sizeof *c->shared);
    if (!c->shared)
        return tc_fail_memory(err);
    c->n_shared = personal ? c->law.last + 1 : 1;
    TC_TRY(tc_phase_add(&c->nodes, (tc_phase_node){0}, err));
    return c->law.last == 0 ? begin_alone(c, err) : begin_shared_depth(c, err);
}

void tc_pne_client_fini(void *st)
{
    tc_pne_client *c = st;
    for (size_t h = 0; h < c->n_shared; h++)
        forget(&c->shared[h]);
    tc_free(c->shared);
    tc_phase_fini(&c->nodes);
    tc_phase_fini(&c->spare);
}

void tc_pne_client_ask(const void *st, tc_pulls *out)
{
    const tc_pne_client *c = st;
    *out = (tc_pulls){0};
    if (c->at < c->nodes.n)
        *out = (tc_pulls){c->at, c->target - c->nodes.v[c->at].n};
}

/* At the last depth only the best node is pulled. */
void tc_pne_client_next(const void *st, tc_pulls *p)
{
    const tc_pne_client *c = st;
    tc_pulls none = {0};
    for (size_t i = p->arm + 1; c->target < TC_PNE_PULLS_MOST && i < c->nodes.n; i++)
        if (!c->nodes.v[i].kept && c->nodes.v[i].n < c->target) {
            *p = (tc_pulls){i, c->target - c->nodes.v[i].n};
            return;
        }
    *p = none;
}

size_t tc_pne_client_arm_of(const void *st, const double *u)
{
    const tc_pne_client *c = st;
    tc_cell at = tc_cell_of(u, c->depth, c->law.k, c->law.dim);
    const tc_phase_node *v = tc_phase_find(&c->nodes, at.index);
    return v && !v->kept && v->n < c->target ? (size_t)(v - c->nodes.v) : TC_NO_ARM;
}

tacit_status tc_pne_client_tell(void *st, const tc_pulled *p, tacit_error *err)
{
    tc_pne_client *c = st;
    c->nodes.v[p->arm].n += p->n;
    c->nodes.v[p->arm].sum += p->sum;
    advance(c);
    return c->alone ? go_on_alone(c, err) : TACIT_OK;
}
