/* fed_hct_message.c - what a message and a broadcast of fed-hct may say. Called by fed_hct_server.c,
 * fed_hct.c and fed_hct_save.c; the formats are in fed_hct.h.
 *
 * A reward is in [-2, 2] (tc_reward_of). So n of them have a sum of at most 2n and squares of at most
 * 4n, and the squares are at least those of the means. As all clients together have less than 2^33
 * pulls, no sum of theirs leaves 63 bits. */
#include "algo/tree/fed_hct.h"

#include "base/error.h"

#include <inttypes.h>

__extension__ typedef __int128 wide;

tacit_status tc_fed_hct_check_size(const tc_bandit_env *env, tacit_error *err)
{
    if (env->clients && env->budget > (TC_FED_HCT_PULLS - 1) / env->clients)
        return tc_fail(err, TACIT_E_ARG,
                       "%" PRIu64 " clients with %" PRIu64
                       " pulls each; fed-hct adds up less than 2^33 pulls",
                       env->clients, env->budget);
    return TACIT_OK;
}

static bool is_cell(const tc_tree *t, int64_t depth, int64_t cell)
{
    if (depth < 1 || depth > (int64_t)t->max_depth || cell < 0)
        return false;
    int64_t cells = 1;
    for (int64_t d = 0; d < depth; d++)
        cells *= t->k;
    return cell < cells;
}

/* Can `most` pulls or less have these samples of a cell? */
static bool is_entry(const tc_tree *t, const int64_t *e, int64_t most)
{
    return is_cell(t, e[0], e[1]) && e[2] >= 1 && e[2] <= most &&
           e[3] <= 2 * e[2] * TC_REWARD_ONE && e[3] >= -2 * e[2] * TC_REWARD_ONE;
}

/* ---- messages ---- */

/* The squares of means, in the unit of the squares, which have been rounded down n times. */
static bool is_squares(int64_t squares, wide of_means, int64_t n)
{
    return squares >= 0 && squares <= 4 * n * TC_REWARD_ONE && squares >= of_means - n;
}

tacit_status tc_fed_hct_check_message(const tc_numbers *m, const tc_tree *t, int64_t most,
                                      tacit_error *err)
{
    int64_t n = 0;
    wide of_means = 0;
    if (m->n % TC_FED_HCT_SENT != 1)
        return tc_fail(err, TACIT_E_ARG,
                       "a message of %zu numbers; fed-hct has one, and 4 for each cell", m->n);
    for (const int64_t *e = m->v + 1; e < m->v + m->n; e += TC_FED_HCT_SENT) {
        if (!is_entry(t, e, most))
            return tc_fail(err, TACIT_E_ARG,
                           "a message with %" PRId64 " samples of sum %" PRId64 " in cell %" PRId64
                           " of depth %" PRId64,
                           e[2], e[3], e[1], e[0]);
        if (e[2] > most - n)
            return tc_fail(err, TACIT_E_ARG,
                           "a message of more than %" PRId64 " samples, which a client has at most",
                           most);
        n += e[2];
        of_means += (wide)e[3] * e[3] / ((wide)e[2] * TC_REWARD_ONE);
    }
    if (!is_squares(m->v[0], of_means, n))
        return tc_fail(err, TACIT_E_ARG,
                       "a message whose squares have the sum %" PRId64 ", which its %" PRId64
                       " samples cannot have",
                       m->v[0], n);
    return TACIT_OK;
}

/* ---- marks ---- */

uint64_t tc_fed_hct_mark(uint64_t mark, int64_t number)
{
    mark = (mark ^ (uint64_t)number) * UINT64_C(0x9e3779b97f4a7c15);
    return mark ^ mark >> 29;
}

int64_t tc_fed_hct_mark_end(uint64_t mark)
{
    return (int64_t)(mark >> 12);
}

/* ---- broadcasts ---- */

tc_fed_hct_parts tc_fed_hct_parts_of(const tc_numbers *b)
{
    size_t steps = 2 * (size_t)b->v[1], marks = (size_t)b->v[2];
    const int64_t *cells = b->v + TC_FED_HCT_HEAD + steps + marks;
    return (tc_fed_hct_parts){.steps = b->v + TC_FED_HCT_HEAD,
                              .marks = b->v + TC_FED_HCT_HEAD + steps,
                              .cells = cells,
                              .depths = (size_t)b->v[1],
                              .n_marks = marks,
                              .n_cells = (size_t)(b->v + b->n - cells) / TC_FED_HCT_CAST};
}

static bool has_its_length(const tc_numbers *b)
{
    if (b->n < TC_FED_HCT_HEAD || b->v[0] < 1 || b->v[1] < 0 || b->v[1] > TC_DEPTH_MAX ||
        b->v[2] < 1)
        return false;
    size_t left = b->n - TC_FED_HCT_HEAD, steps = 2 * (size_t)b->v[1], marks = (size_t)b->v[2];
    return steps <= left && marks <= left - steps && (left - steps - marks) % TC_FED_HCT_CAST == 0;
}

static bool is_after(const int64_t *e, const int64_t *before)
{
    return e[0] > before[0] || (e[0] == before[0] && e[1] > before[1]);
}

/* By depth and cell, each once, with possible sums: clients search here. */
static tacit_status check_cells(const tc_fed_hct_parts *p, const tc_tree *t, tacit_error *err)
{
    const int64_t *e = p->cells;
    for (size_t i = 0; i < p->n_cells; i++, e += TC_FED_HCT_CAST) {
        if (!is_entry(t, e, TC_FED_HCT_PULLS - 1))
            return tc_fail(err, TACIT_E_CORRUPT,
                           "a broadcast with %" PRId64 " samples of sum %" PRId64
                           " in cell %" PRId64 " of depth %" PRId64,
                           e[2], e[3], e[1], e[0]);
        if (i && !is_after(e, e - TC_FED_HCT_CAST))
            return tc_fail(err, TACIT_E_CORRUPT,
                           "a broadcast with cell %" PRId64 " of depth %" PRId64 " out of order",
                           e[1], e[0]);
        if (e[4] < 0)
            return tc_fail(err, TACIT_E_CORRUPT, "a broadcast with a variance below 0");
    }
    return TACIT_OK;
}

tacit_status tc_fed_hct_check(const tc_numbers *b, const tc_tree *t, tacit_error *err)
{
    if (!has_its_length(b))
        return tc_fail(
            err, TACIT_E_CORRUPT,
            "a broadcast of %zu numbers; fed-hct has the variance, numbers of depths and "
            "messages, 2 for each depth, 1 for each message and 5 for each cell",
            b->n);
    tc_fed_hct_parts p = tc_fed_hct_parts_of(b);
    for (size_t i = 0; i < 2 * p.depths; i++)
        if (p.steps[i] < 0)
            return tc_fail(err, TACIT_E_CORRUPT, "a broadcast with a variance below 0");
    for (size_t i = 1; i < p.n_marks; i++)
        if (p.marks[i] < p.marks[i - 1])
            return tc_fail(err, TACIT_E_CORRUPT, "a broadcast with marks out of order");
    return check_cells(&p, t, err);
}
