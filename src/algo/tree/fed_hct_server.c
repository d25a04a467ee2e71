/* fed_hct_server.c - adds up the trees of all clients, and tells everybody (messages: fed_hct.h).
 *
 * All sums are whole numbers and do not depend on the order of messages. Messages are about everything
 * since the beginning, so that the server keeps nothing between rounds. What the sums mean is
 * judged in fed_hct_judge.c. */
#include "algo/tree/fed_hct.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

tacit_status tc_fed_hct_server_init(tc_fed_hct_server *s, const tc_bandit_env *env,
                                    const tc_fed_hct_options *o, tacit_error *err)
{
    TC_TRY(tc_fed_hct_check_size(env, err));
    s->o = o;
    s->clients = env->clients;
    s->most = env->budget ? (int64_t)env->budget : TC_FED_HCT_PULLS - 1;
    if (!env->budget && env->clients)
        s->most /= (int64_t)env->clients;
    return tc_tree_init(&s->tree, env->dim, (unsigned)o->hct.children, err);
}

void tc_fed_hct_server_fini(void *st)
{
    tc_fed_hct_server *s = st;
    tc_tree_fini(&s->tree);
    tc_numbers_fini(&s->marks);
    tc_free(s->tally);
}

/* ---- messages in ---- */

/* The node of a cell, which is made if need be. */
static tacit_status node_of(tc_tree *t, tc_cell c, size_t *out, tacit_error *err)
{
    uint64_t unit = 1; /* cells of depth c.depth below one of the depth that is reached */
    for (uint32_t d = 1; d < c.depth; d++)
        unit *= t->k;
    size_t node = 0;
    for (uint32_t d = 0; d < c.depth; d++, unit /= t->k) {
        if (t->nodes[node].child == 0)
            TC_TRY(tc_tree_split(t, node, err));
        node = t->nodes[node].child + (size_t)(c.index / unit % t->k);
    }
    *out = node;
    return TACIT_OK;
}

static tacit_status make_room(tc_fed_hct_server *s, tacit_error *err)
{
    void *tally = s->tally;
    if (!tc_grow(&tally, &s->tally_cap, s->tree.n, sizeof *s->tally))
        return tc_fail_memory(err);
    s->tally = tally;
    while (s->n_tally < s->tree.n)
        s->tally[s->n_tally++] = (tc_fed_hct_tally){0};
    return TACIT_OK;
}

/* Notes what this message has of a cell, before anything is added: it may yet be refused. */
static tacit_status note(tc_fed_hct_server *s, const int64_t *e, tacit_error *err)
{
    size_t node = 0;
    TC_TRY(node_of(&s->tree, (tc_cell){(uint32_t)e[0], (uint64_t)e[1]}, &node, err));
    TC_TRY(make_room(s, err));
    tc_fed_hct_tally *t = &s->tally[node];
    if (t->message == s->messages)
        return tc_fail(err, TACIT_E_ARG,
                       "a message with cell %" PRId64 " of depth %" PRId64 " twice", e[1], e[0]);
    t->message = s->messages;
    t->n = e[2];
    t->sum = e[3];
    return TACIT_OK;
}

static int64_t mark_of(const tc_numbers *m)
{
    uint64_t mark = 0;
    for (size_t i = 0; i < m->n; i++)
        mark = tc_fed_hct_mark(mark, m->v[i]);
    return tc_fed_hct_mark_end(mark);
}

static void add_cell(tc_fed_hct_server *s, size_t node)
{
    tc_fed_hct_tally *t = &s->tally[node];
    s->tree.nodes[node].n += (uint64_t)t->n;
    s->tree.nodes[node].sum += t->sum;
    t->clients++;
    t->parts += (int64_t)((wide)t->sum * t->sum / ((wide)t->n * TC_REWARD_ONE));
    t->n_squares += (tc_wide)t->n * (tc_wide)t->n;
}

static void count(tc_fed_hct_steps *steps, int64_t by, uint64_t errors)
{
    steps->n++;
    steps->squares += (tc_wide)((wide)by * by / TC_REWARD_ONE);
    steps->errors += errors;
}

/* The step to a cell from its parent, if this message has both. Nobody pulls the root. */
static void add_step(tc_fed_hct_server *s, size_t node)
{
    const tc_fed_hct_tally *to = &s->tally[node], *from = &s->tally[s->tree.nodes[node].parent];
    uint32_t depth = s->tree.nodes[node].depth;
    if (from->message != to->message)
        return;
    int64_t by = to->sum / to->n - from->sum / from->n;
    uint64_t errors = (uint64_t)(TC_REWARD_ONE / to->n + TC_REWARD_ONE / from->n);
    count(&s->steps[depth], by, errors);
    if (by > 0)
        count(&s->up[depth], by, errors);
}

tacit_status tc_fed_hct_server_fold(void *st, const tc_numbers *m, tacit_error *err)
{
    tc_fed_hct_server *s = st;
    if (s->folded == s->clients)
        return tc_fail(err, TACIT_E_ARG, "more than %" PRIu64 " messages in a round", s->clients);
    TC_TRY(tc_fed_hct_check_message(m, &s->tree, s->most, err));
    s->messages++;
    for (const int64_t *e = m->v + 1; e < m->v + m->n; e += TC_FED_HCT_SENT)
        TC_TRY(note(s, e, err));
    TC_TRY(tc_numbers_add(&s->marks, mark_of(m), err));
    for (const int64_t *e = m->v + 1; e < m->v + m->n; e += TC_FED_HCT_SENT) {
        size_t node = 0; /* it is there: this cannot fail any more */
        TC_TRY(node_of(&s->tree, (tc_cell){(uint32_t)e[0], (uint64_t)e[1]}, &node, err));
        add_cell(s, node);
        add_step(s, node);
    }
    s->squares += m->v[0];
    s->folded++;
    return TACIT_OK;
}

/* ---- the broadcast ---- */

/* A variance as a whole number: rounded up, so that it is never 0 by rounding; at most 2^60. */
static int64_t whole(double variance)
{
    return (int64_t)ceil(fmin(variance / TC_FED_HCT_UNIT, 0x1p60));
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static tacit_status cast_head(const tc_fed_hct_server *s, const tc_fed_hct_verdict *v,
                              tc_numbers *out, tacit_error *err)
{
    int64_t known = 0; /* the deepest step */
    for (int64_t d = 1; d <= TC_DEPTH_MAX; d++)
        known = v->step[d] > 0 || v->up[d] > 0 ? d : known;
    TC_TRY(tc_numbers_add(out, whole(v->variance), err));
    TC_TRY(tc_numbers_add(out, known, err));
    TC_TRY(tc_numbers_add(out, (int64_t)s->marks.n, err));
    for (int64_t d = 1; d <= known; d++) {
        TC_TRY(tc_numbers_add(out, whole(v->step[d]), err));
        TC_TRY(tc_numbers_add(out, whole(v->up[d]), err));
    }
    qsort(s->marks.v, s->marks.n, sizeof *s->marks.v, by_value);
    for (size_t i = 0; i < s->marks.n; i++)
        TC_TRY(tc_numbers_add(out, s->marks.v[i], err));
    return TACIT_OK;
}

static tacit_status cast(const tc_fed_hct_server *s, const tc_fed_hct_verdict *v, size_t node,
                         tc_numbers *out, tacit_error *err)
{
    const tc_node *n = &s->tree.nodes[node];
    if (n->n == 0)
        return TACIT_OK;
    TC_TRY(tc_numbers_add(out, n->depth, err));
    TC_TRY(tc_numbers_add(out, (int64_t)n->cell, err));
    TC_TRY(tc_numbers_add(out, (int64_t)n->n, err));
    TC_TRY(tc_numbers_add(out, n->sum, err));
    return tc_numbers_add(out, whole(tc_fed_hct_difference(s, v, node)), err);
}

/* The cells of one depth below a node, in order. */
static tacit_status cast_depth(const tc_fed_hct_server *s, const tc_fed_hct_verdict *v, size_t node,
                               uint32_t depth, tc_numbers *out, tacit_error *err)
{
    const tc_node *n = &s->tree.nodes[node];
    if (n->depth == depth)
        return cast(s, v, node, out, err);
    for (size_t j = 0; n->child && j < s->tree.k; j++)
        TC_TRY(cast_depth(s, v, n->child + j, depth, out, err));
    return TACIT_OK;
}

static void clear(tc_fed_hct_server *s)
{
    for (size_t i = 0; i < s->tree.n; i++) {
        s->tree.nodes[i].n = 0;
        s->tree.nodes[i].sum = 0;
    }
    for (size_t i = 0; i < s->n_tally; i++)
        s->tally[i] = (tc_fed_hct_tally){0};
    for (size_t d = 0; d <= TC_DEPTH_MAX; d++)
        s->steps[d] = s->up[d] = (tc_fed_hct_steps){0};
    s->marks.n = 0;
    s->squares = 0;
    s->folded = 0;
}

tacit_status tc_fed_hct_server_close(void *st, tc_numbers *broadcast, tacit_error *err)
{
    tc_fed_hct_server *s = st;
    tc_fed_hct_verdict v;
    if (s->folded == 0)
        return tc_fail(err, TACIT_E_STATE, "there is no message in this round");
    tc_fed_hct_judge(s, &v);
    TC_TRY(cast_head(s, &v, broadcast, err));
    for (uint32_t d = 1; d <= v.deepest; d++)
        TC_TRY(cast_depth(s, &v, 0, d, broadcast, err));
    clear(s);
    return TACIT_OK;
}
