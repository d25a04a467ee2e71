/* phase.c - lists of nodes of one depth. See phase.h. */
#include "algo/tree/phase.h"

#include "base/error.h"
#include "base/memory.h"

tacit_status tc_phase_add(tc_phase_nodes *s, tc_phase_node node, tacit_error *err)
{
    void *v = s->v;
    if (!tc_grow(&v, &s->cap, s->n + 1, sizeof *s->v))
        return tc_fail_memory(err);
    s->v = v;
    s->v[s->n++] = node;
    return TACIT_OK;
}

tc_phase_node *tc_phase_find(const tc_phase_nodes *s, uint64_t cell)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->v[mid].cell < cell)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->n && s->v[low].cell == cell ? &s->v[low] : NULL;
}

tacit_status tc_phase_children(const tc_phase_nodes *from, unsigned k, tc_phase_nodes *to,
                               tacit_error *err)
{
    void *v = to->v;
    if (from->n > SIZE_MAX / k || !tc_grow(&v, &to->cap, from->n * k, sizeof *to->v))
        return tc_fail_memory(err);
    to->v = v;
    to->n = 0;
    for (size_t i = 0; i < from->n; i++)
        for (unsigned j = 0; j < k; j++)
            to->v[to->n++] = (tc_phase_node){.cell = from->v[i].cell * k + j};
    return TACIT_OK;
}

void tc_phase_fini(tc_phase_nodes *s)
{
    tc_free(s->v);
    *s = (tc_phase_nodes){0};
}
