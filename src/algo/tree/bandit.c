/* bandit.c - the list of bandits, messages, and what bandits over one tree have in common. See bandit.h. */
#include "algo/tree/bandit.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static const tc_bandit *const bandits[] = {
    &tc_bandit_hct,     &tc_bandit_hoo, &tc_bandit_blin, &tc_bandit_pf_pne, &tc_bandit_fed_pne,
    &tc_bandit_fed_hct, NULL,
};

const tc_bandit *const *tc_bandits(void)
{
    return bandits;
}

tacit_status tc_bandit_get(const tc_bandit **out, const char *name, tacit_error *err)
{
    const char *names[sizeof bandits / sizeof *bandits] = {NULL};
    for (size_t i = 0; bandits[i]; i++) {
        names[i] = bandits[i]->name;
        if (strcmp(names[i], name) == 0) {
            *out = bandits[i];
            return TACIT_OK;
        }
    }
    return tc_fail_unknown(err, TACIT_E_ARG, name, names, "Bandits", "there is no bandit \"%s\"",
                           name);
}

tacit_status tc_numbers_add(tc_numbers *m, int64_t v, tacit_error *err)
{
    void *p = m->v;
    if (!tc_grow(&p, &m->cap, m->n + 1, sizeof *m->v))
        return tc_fail_memory(err);
    m->v = p;
    m->v[m->n++] = v;
    return TACIT_OK;
}

void tc_numbers_fini(tc_numbers *m)
{
    tc_free(m->v);
    *m = (tc_numbers){0};
}

/* ---- clients that begin with a tree ---- */

void tc_tree_bandit_fini(void *c)
{
    tc_tree_fini(c);
}

tc_cell tc_tree_bandit_cell(const void *c, size_t arm, unsigned *k)
{
    const tc_tree *t = c;
    *k = t->k;
    return tc_tree_cell(t, arm);
}

void tc_tree_bandit_point(const void *c, size_t arm, double *u)
{
    const tc_tree *t = c;
    tc_cell_centre(tc_tree_cell(t, arm), t->k, t->dim, u);
}

size_t tc_tree_bandit_arms(const void *c)
{
    return ((const tc_tree *)c)->n;
}

size_t tc_tree_bandit_arm_of(const void *c, const double *u)
{
    return tc_tree_leaf_of(c, u);
}
