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

tacit_status tc_fed_hct_server_init(tc_fed_hct_server *s, const tc_bandit_env *env,
                                    const tc_fed_hct_options *o, tacit_error *err)
{
    s->o = o;
    s->clients = env->clients;
    s->budget = env->budget;
    return tc_tree_init(&s->tree, env->dim, (unsigned)o->hct.children, err);
}

void tc_fed_hct_server_fini(tc_fed_hct_server *s)
{
    tc_tree_fini(&s->tree);
    tc_free(s->tally);
}

/* ---- messages in ---- */

static bool is_cell(const tc_tree *t, int64_t depth, int64_t cell)
{
    if (depth < 1 || depth > (int64_t)t->max_depth || cell < 0)
        return false;
    int64_t cells = 1;
    for (int64_t d = 0; d < depth; d++)
        cells *= t->k;
    return cell < cells;
}

/* No sum of such rewards is larger (tc_reward_of). */
static bool is_sum(const tc_fed_hct_server *s, int64_t n, int64_t sum)
{
    int64_t most = s->budget ? (int64_t)s->budget : INT64_MAX / (4 * TC_REWARD_ONE);
    return n >= 1 && n <= most && sum <= 2 * n * TC_REWARD_ONE && sum >= -2 * n * TC_REWARD_ONE;
}

static tacit_status check(const tc_fed_hct_server *s, const tc_numbers *m, tacit_error *err)
{
    if (s->folded == s->clients)
        return tc_fail(err, TACIT_E_ARG, "more than %" PRIu64 " messages in a round", s->clients);
    if (m->n % TC_FED_HCT_SENT != 1)
        return tc_fail(err, TACIT_E_ARG,
                       "a message of %zu numbers; fed-hct has one, and 4 for each cell", m->n);
    for (const int64_t *e = m->v + 1; e < m->v + m->n; e += TC_FED_HCT_SENT)
        if (!is_cell(&s->tree, e[0], e[1]) || !is_sum(s, e[2], e[3]))
            return tc_fail(err, TACIT_E_ARG,
                           "a message with %" PRId64 " samples of sum %" PRId64 " in cell %" PRId64
                           " of depth %" PRId64,
                           e[2], e[3], e[1], e[0]);
    return TACIT_OK;
}

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

__extension__ typedef __int128 wide;

static tacit_status add_cell(tc_fed_hct_server *s, const int64_t *e, tacit_error *err)
{
    size_t node = 0;
    int64_t n = e[2], sum = e[3];
    TC_TRY(node_of(&s->tree, (tc_cell){(uint32_t)e[0], (uint64_t)e[1]}, &node, err));
    TC_TRY(make_room(s, err));
    s->tree.nodes[node].n += (uint64_t)n;
    s->tree.nodes[node].sum += sum;
    s->tally[node].clients++;
    s->tally[node].parts += (int64_t)((wide)sum * sum / ((wide)n * TC_REWARD_ONE));
    s->tally[node].n_squares += (tc_wide)n * (tc_wide)n;
    s->tally[node].message = s->folded + 1;
    s->tally[node].n = n;
    s->tally[node].sum = sum;
    return TACIT_OK;
}

/* The step to a cell from its parent, if this message has both. Nobody pulls the root. */
static void add_step(tc_fed_hct_server *s, size_t node)
{
    const tc_fed_hct_tally *to = &s->tally[node], *from = &s->tally[s->tree.nodes[node].parent];
    tc_fed_hct_steps *steps = &s->steps[s->tree.nodes[node].depth];
    if (from->message != to->message)
        return;
    int64_t by = to->sum / to->n - from->sum / from->n;
    steps->n++;
    steps->squares += (int64_t)((wide)by * by / TC_REWARD_ONE);
    steps->errors += TC_REWARD_ONE / to->n + TC_REWARD_ONE / from->n;
}

tacit_status tc_fed_hct_server_fold(tc_fed_hct_server *s, const tc_numbers *m, tacit_error *err)
{
    TC_TRY(check(s, m, err));
    for (const int64_t *e = m->v + 1; e < m->v + m->n; e += TC_FED_HCT_SENT)
        TC_TRY(add_cell(s, e, err));
    for (const int64_t *e = m->v + 1; e < m->v + m->n; e += TC_FED_HCT_SENT) {
        size_t node = 0;
        TC_TRY(node_of(&s->tree, (tc_cell){(uint32_t)e[0], (uint64_t)e[1]}, &node, err));
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

static tacit_status cast_head(const tc_fed_hct_verdict *v, tc_numbers *out, tacit_error *err)
{
    int64_t known = 0; /* the deepest step */
    for (int64_t d = 1; d <= TC_DEPTH_MAX; d++)
        known = v->step[d] > 0 ? d : known;
    TC_TRY(tc_numbers_add(out, whole(v->variance), err));
    TC_TRY(tc_numbers_add(out, known, err));
    for (int64_t d = 1; d <= known; d++)
        TC_TRY(tc_numbers_add(out, whole(v->step[d]), err));
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
        s->steps[d] = (tc_fed_hct_steps){0};
    s->squares = 0;
    s->folded = 0;
}

tacit_status tc_fed_hct_server_close(tc_fed_hct_server *s, tc_numbers *broadcast, tacit_error *err)
{
    tc_fed_hct_verdict v;
    if (s->folded == 0)
        return tc_fail(err, TACIT_E_STATE, "there is no message in this round");
    tc_fed_hct_judge(s, &v);
    TC_TRY(cast_head(&v, broadcast, err));
    for (uint32_t d = 1; d <= v.deepest; d++)
        TC_TRY(cast_depth(s, &v, 0, d, broadcast, err));
    clear(s);
    return TACIT_OK;
}
