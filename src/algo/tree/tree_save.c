/* tree_save.c - trees and lists of nodes as whole numbers. See tree_save.h. */
#include "algo/tree/tree_save.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* ---- writing ---- */

tacit_status tc_save_double(tc_numbers *out, double v, tacit_error *err)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return tc_numbers_add(out, bits, err);
}

/* Children stand side by side in the order of the splits, so the parents tell the shape. */
tacit_status tc_save_tree(tc_numbers *out, const tc_tree *t, tacit_error *err)
{
    TC_TRY(tc_numbers_add(out, (int64_t)((t->n - 1) / t->k), err));
    for (size_t i = 1; i < t->n; i += t->k)
        TC_TRY(tc_numbers_add(out, t->nodes[i].parent, err));
    for (size_t i = 0; i < t->n; i++) {
        TC_TRY(tc_numbers_add(out, (int64_t)t->nodes[i].n, err));
        TC_TRY(tc_numbers_add(out, t->nodes[i].sum, err));
    }
    return TACIT_OK;
}

tacit_status tc_save_phase(tc_numbers *out, const tc_phase_nodes *s, tacit_error *err)
{
    TC_TRY(tc_numbers_add(out, (int64_t)s->n, err));
    for (size_t i = 0; i < s->n; i++) {
        const tc_phase_node *v = &s->v[i];
        TC_TRY(tc_numbers_add(out, (int64_t)v->cell, err));
        TC_TRY(tc_numbers_add(out, (int64_t)v->n, err));
        TC_TRY(tc_numbers_add(out, v->sum, err));
        TC_TRY(tc_numbers_add(out, v->kept, err));
        TC_TRY(tc_save_double(out, v->mean, err));
    }
    return TACIT_OK;
}

/* ---- reading ---- */

tc_saved tc_saved_begin(const tc_numbers *saved, int64_t version)
{
    tc_saved s = {saved->v, saved->n, false};
    (void)tc_saved_take(&s, version, version);
    return s;
}

int64_t tc_saved_take(tc_saved *s, int64_t low, int64_t high)
{
    if (s->left == 0 || *s->v < low || *s->v > high)
        s->bad = true;
    if (s->bad)
        return low;
    s->left--;
    return *s->v++;
}

double tc_saved_double(tc_saved *s)
{
    double v;
    int64_t bits = tc_saved_take(s, INT64_MIN, INT64_MAX);
    memcpy(&v, &bits, sizeof v);
    s->bad |= isnan(v);
    return s->bad ? 0 : v;
}

void tc_saved_samples(tc_saved *s, uint64_t *n, int64_t *sum)
{
    int64_t samples = tc_saved_take(s, 0, TC_SAMPLES_MOST), most = 2 * samples * TC_REWARD_ONE;
    *n = (uint64_t)samples;
    *sum = tc_saved_take(s, -most, most);
}

/* So many that the rest of the state can hold them, each in `width` numbers or more. */
static size_t take_count(tc_saved *s, size_t width)
{
    return (size_t)tc_saved_take(s, 0, (int64_t)(s->left / width));
}

tacit_status tc_saved_tree(tc_saved *s, tc_tree *t, tacit_error *err)
{
    t->n = 1;
    t->nodes[0] = (tc_node){.upper = INFINITY, .bound = INFINITY};
    size_t splits = take_count(s, 1);
    for (size_t i = 0; i < splits; i++) {
        size_t node = (size_t)tc_saved_take(s, 0, (int64_t)t->n - 1);
        const tc_node *v = &t->nodes[node];
        s->bad |= v->child != 0 || v->depth >= t->max_depth;
        if (s->bad)
            return TACIT_OK;
        TC_TRY(tc_tree_split(t, node, err));
    }
    for (size_t i = 0; i < t->n && !s->bad; i++)
        tc_saved_samples(s, &t->nodes[i].n, &t->nodes[i].sum);
    return TACIT_OK;
}

static int64_t last_cell(unsigned k, uint32_t depth)
{
    int64_t cells = 1;
    for (uint32_t d = 0; d < depth; d++)
        cells *= k;
    return cells - 1;
}

tacit_status tc_saved_phase(tc_saved *s, unsigned k, uint32_t depth, tc_phase_nodes *out,
                            tacit_error *err)
{
    int64_t next = 0, last = last_cell(k, depth);
    size_t n = take_count(s, 5);
    out->n = 0;
    for (size_t i = 0; i < n && !s->bad; i++) {
        tc_phase_node v = {.cell = (uint64_t)tc_saved_take(s, next, last)};
        tc_saved_samples(s, &v.n, &v.sum);
        v.kept = tc_saved_take(s, 0, 1) != 0;
        v.mean = tc_saved_double(s);
        next = (int64_t)v.cell + 1;
        TC_TRY(tc_phase_add(out, v, err));
    }
    return TACIT_OK;
}

tacit_status tc_saved_end(const tc_saved *s, const char *bandit, tacit_error *err)
{
    if (s->bad || s->left > 0)
        return tc_fail(err, TACIT_E_CORRUPT, "the numbers are not a saved state of %s", bandit);
    return TACIT_OK;
}
