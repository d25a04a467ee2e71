/* cover.c - Sobol' points that satisfy the linear constraints of a space. See cover.h. */
#include "algo/single/cover.h"

#include "algo/single/design.h"

enum { SPARE = 64, FOR_EACH = 16 /* points that are looked at for one that is taken */ };

void tc_cover_init(tc_cover *c, const tc_space *s, const tc_stream *stream)
{
    c->space = s;
    c->next = c->found = 0;
    c->walks = false;
    c->stream = stream;
    tc_sobol_init(&c->sobol, s->n_params, stream);
}

static bool next_of_sequence(tc_cover *c, double *values)
{
    while (c->next < SPARE + FOR_EACH * (c->found + 1)) {
        tc_sobol_point(&c->sobol, c->next++, values);
        tc_design_box(c->space, values, values);
        if (tc_linear_holds(c->space, values)) {
            c->found++;
            return true;
        }
    }
    return false;
}

void tc_cover_next(tc_cover *c, double *values)
{
    if (!c->walks && next_of_sequence(c, values))
        return;
    if (!c->walks)
        tc_walk_init(&c->walk, c->space, c->stream);
    c->walks = true;
    tc_walk_next(&c->walk, values);
}

static void excess_of(const void *space, const double *u, double *excess, double *slopes)
{
    tc_linear_excess(space, u, excess, slopes);
}

_Static_assert((int)TC_LINEAR_MAX <= (int)TC_BOXMAX_LIMITS, "each constraint is a limit");

void tc_cover_limit(tc_boxmax *p, const tc_space *s)
{
    p->limits = s->room ? s->n_linear : 0;
    p->limit = excess_of;
    p->limit_ctx = s;
}
