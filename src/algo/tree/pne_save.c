/* pne_save.c - a client of pf-pne or fed-pne as whole numbers, and back. See tree_save.h.
 *
 * The law is that of options and environment, except that H_0 moves up when a broadcast does not
 * come (tc_pne_client_skip). Of the first stage a client of pf-pne remembers every depth. */
#include "algo/tree/pne.h"
#include "algo/tree/tree_save.h"

#include "base/error.h"

enum { VERSION = 1 };

static tacit_status save_shared(const tc_pne_shared *s, tc_numbers *out, tacit_error *err)
{
    TC_TRY(tc_save_phase(out, &s->kept, err));
    TC_TRY(tc_save_phase(out, &s->dropped, err));
    return tc_save_double(out, s->width, err);
}

tacit_status tc_pne_client_save(const void *st, tc_numbers *out, tacit_error *err)
{
    const tc_pne_client *c = st;
    TC_TRY(tc_numbers_add(out, VERSION, err));
    TC_TRY(tc_numbers_add(out, c->law.last, err));
    TC_TRY(tc_numbers_add(out, c->alone, err));
    TC_TRY(tc_numbers_add(out, c->depth, err));
    TC_TRY(tc_numbers_add(out, (int64_t)c->at, err));
    TC_TRY(tc_numbers_add(out, (int64_t)c->target, err));
    TC_TRY(tc_save_double(out, c->blur, err));
    TC_TRY(tc_save_phase(out, &c->nodes, err));
    for (size_t h = 0; h < c->n_shared; h++)
        TC_TRY(save_shared(&c->shared[h], out, err));
    return TACIT_OK;
}

static tacit_status load_shared(tc_saved *s, unsigned k, uint32_t depth, tc_pne_shared *out,
                                tacit_error *err)
{
    TC_TRY(tc_saved_phase(s, k, depth, &out->kept, err));
    TC_TRY(tc_saved_phase(s, k, depth, &out->dropped, err));
    out->width = tc_saved_double(s);
    return TACIT_OK;
}

/* In the first stage a client may stand behind its last node, and waits; alone it never does. */
static bool stands(const tc_pne_client *c)
{
    if (c->at == c->nodes.n)
        return !c->alone && c->nodes.n > 0;
    return c->at < c->nodes.n && !c->nodes.v[c->at].kept && c->nodes.v[c->at].n < c->target;
}

/* Samples that each node needs are a function of stage and depth, until a client has settled. */
static bool aims_well(const tc_pne_client *c)
{
    if (c->alone && c->target == TC_PNE_PULLS_MOST)
        return true;
    return c->alone ? c->law.personal && c->target == tc_pne_tau(&c->law, c->depth)
                    : c->target == tc_pne_share(&c->law, c->depth) && c->depth <= c->law.last;
}

tacit_status tc_pne_client_load(void *st, const tc_numbers *saved, const tc_numbers *broadcast,
                                tacit_error *err)
{
    (void)broadcast; /* what it said is in the state */
    tc_pne_client *c = st;
    tc_saved s = tc_saved_begin(saved, VERSION);
    c->law.last = (uint32_t)tc_saved_take(&s, 0, c->law.last);
    c->alone = tc_saved_take(&s, 0, 1) != 0;
    c->depth = (uint32_t)tc_saved_take(&s, 1, tc_cell_max_depth(c->law.k));
    c->at = (size_t)tc_saved_take(&s, 0, INT64_MAX);
    c->target = (uint64_t)tc_saved_take(&s, 1, (int64_t)TC_PNE_PULLS_MOST);
    c->blur = tc_saved_double(&s);
    TC_TRY(tc_saved_phase(&s, c->law.k, c->depth, &c->nodes, err));
    for (size_t h = 0; h < c->n_shared && !s.bad; h++)
        TC_TRY(load_shared(&s, c->law.k, (uint32_t)h, &c->shared[h], err));
    s.bad = s.bad || !stands(c) || !aims_well(c);
    return tc_saved_end(&s, c->law.personal ? "pf-pne" : "fed-pne", err);
}
