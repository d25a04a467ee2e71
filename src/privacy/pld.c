/* pld.c - the bracket of epsilon: which grid, which directions, how often to refine; see pld.h.
 *
 * A first grid is coarse. Its bracket, which shrinks with the square of the step, says how fine the
 * next one must be; every bracket is proved, so the best ends of all of them count. Work is
 * bounded: at most LEVELS grids, circles of at most 2^19 points, and fewer where there are many
 * different events. pld_int.h has the proof. Called by accountant_pld.c. */
#include "privacy/pld.h"

#include "base/error.h"
#include "privacy/pld_int.h"

#include <math.h>

#define LEVELS        5
#define LOG2_LARGEST  19
#define LOG2_WORK     21 /* circle points times different events */
#define FIRST_CELLS   400.0
#define MOST_CELLS    0x1p18 /* of all events together */
#define LEFT_OUT      2e-6   /* share of delta that truncated tails may take */
#define LEFT_OUT_HARD 2e-4   /* and where round-off or the size of the circle is a problem */
#define FLUSHED       1e-270 /* of a source, all masses too small for the grid together */
#define LARGEST_INDEX 0x1p52
#define GOOD          5e-5 /* width of the bracket over epsilon, or a part of the window */
#define BETTER        2e-6
#define LOG2_CHEAP    15

typedef struct problem {
    const tacit_dp_event *kind;
    tc_pld_source *source; /* of each kind, as the grid wants it */
    size_t n;
    double delta;
    double lost; /* all sources, all counts */
    bool symmetric;
    double largest; /* circle, in points */
    double snap;    /* a span that the step should divide, or 0 */
} problem;

/* What the grids so far have proved, by direction: 0 remove, 1 add. */
typedef struct state {
    tc_pld_range best[2];
    double window; /* width in loss, the larger one */
    double step;
    double left_out; /* share of delta */
} state;

/* ---- one grid */

/* Atoms of one event are a span apart: a step that divides it puts both on the grid. */
static double snapped(const problem *p, double h)
{
    double cells = round(p->snap / h);
    return cells >= 8 && cells < 0x1p30 ? p->snap / cells : h;
}

/* Sums of grid indices stay whole numbers of a double: each of n parts has its share of those. */
static tacit_status add_part(tc_pld_part *part, const tc_pld_source *s, const tc_pld_cells *c,
                             size_t n, tc_arena *arena, tacit_error *err)
{
    double farthest = fabs((double)c->first) + (double)c->n + 2;
    part->count = s->count;
    part->error = s->error;
    if ((double)s->count * farthest * (double)n > LARGEST_INDEX)
        return tc_fail(err, TACIT_E_NUMERIC,
                       "%g repetitions of one event are too many for a grid of losses",
                       (double)s->count);
    TC_TRY(tc_pld_above(&part->above, c, arena, err));
    return tc_pld_below(&part->below, c, arena, err);
}

/* A direction that is already known to be no worse than the other needs no finer grid. */
static bool matters(const state *s, int d)
{
    return !(s->best[d].upper <= s->best[1 - d].lower);
}

static tacit_status discretise_one(const problem *p, const state *s, size_t i,
                                   tc_pld_parts parts[2], tc_arena *arena, tc_arena *scratch,
                                   tacit_error *err)
{
    const tc_pld_source *source = &p->source[i];
    tc_pld_cells remove, add;
    TC_TRY(tc_pld_cells_fill(&remove, source, s->step, scratch, err));
    if (matters(s, 0) || source->symmetric)
        TC_TRY(add_part(&parts[0].part[i], source, &remove, p->n, arena, err));
    if (source->symmetric) {
        parts[1].part[i] = parts[0].part[i];
    } else if (matters(s, 1)) {
        TC_TRY(tc_pld_cells_swap(&add, &remove, scratch, err));
        TC_TRY(add_part(&parts[1].part[i], source, &add, p->n, arena, err));
    }
    return TACIT_OK;
}

/* The measures of all events, in the directions that matter. */
static tacit_status discretise(const problem *p, const state *s, tc_pld_parts parts[2],
                               tc_arena *arena, tacit_error *err)
{
    for (int d = 0; d < 2; d++) {
        parts[d] = (tc_pld_parts){.n = p->n, .h = s->step, .lost = p->lost};
        parts[d].part = TC_TAKE(arena, p->n, tc_pld_part);
        if (parts[d].part == NULL)
            return tc_fail_memory(err);
    }
    for (size_t i = 0; i < p->n; i++) {
        tc_arena scratch = {0};
        tacit_status status = discretise_one(p, s, i, parts, arena, &scratch, err);
        tc_arena_fini(&scratch);
        TC_TRY(status);
    }
    return TACIT_OK;
}

/* Centres the window in the circle that it needs; false: too large. */
static bool fit_circle(const problem *p, tc_pld_tilt *t, unsigned *log2_n)
{
    if (!(t->size <= p->largest))
        return false;
    unsigned k = 4;
    while (ldexp(1, (int)k) < t->size)
        k++;
    t->start -= (int64_t)((ldexp(1, (int)k) - t->size) / 2);
    *log2_n = k;
    return true;
}

static void keep_best(tc_pld_range *best, const tc_pld_range *r)
{
    if (r->upper < best->upper) {
        best->upper = r->upper;
        best->roundoff = r->roundoff;
    }
    best->lower = fmax(best->lower, r->lower);
}

/* Where epsilon is thought to be: 0 where there is no more than an upper bound. */
static double hint_of(const tc_pld_range *r)
{
    return r->lower > 0.02 * r->upper ? 0.5 * (r->lower + r->upper) : 0;
}

/* One direction on one grid. *fits is false where the window is too wide for this step. */
static tacit_status run_direction(const problem *p, const tc_pld_parts *parts, state *s, int d,
                                  bool *fits, tacit_error *err)
{
    tc_pld_tilt tilt;
    unsigned log2_n;
    tc_pld_plan(parts, p->delta, hint_of(&s->best[d]), &tilt);
    s->window = fmax(s->window, tilt.size * parts->h);
    *fits = fit_circle(p, &tilt, &log2_n);
    if (!*fits)
        return TACIT_OK;
    tc_pld_sum sum;
    tc_arena arena = {0};
    tacit_status status = tc_pld_compose(&sum, parts, &tilt, log2_n, &arena, err);
    if (status == TACIT_OK) {
        tc_pld_range r = tc_pld_epsilon(parts, &tilt, &sum, p->delta);
        keep_best(&s->best[d], &r);
    }
    tc_arena_fini(&arena);
    return status;
}

static tacit_status run_grid(const problem *p, state *s, bool *fits, tc_arena *arena,
                             tacit_error *err)
{
    tc_pld_parts parts[2];
    TC_TRY(discretise(p, s, parts, arena, err));
    bool wanted[2] = {matters(s, 0), matters(s, 1) && !p->symmetric};
    s->window = 0;
    *fits = true;
    for (int d = 0; d < 2 && *fits; d++)
        if (wanted[d])
            TC_TRY(run_direction(p, &parts[d], s, d, fits, err));
    if (p->symmetric)
        s->best[1] = s->best[0];
    return TACIT_OK;
}

/* ---- all grids */

/* The bracket of the maximum of both directions, with the round-off of its upper end. */
static tc_pld_range worse(const state *s)
{
    const tc_pld_range *a = &s->best[0], *b = &s->best[1];
    tc_pld_range r = a->upper >= b->upper ? *a : *b;
    r.lower = fmax(a->lower, b->lower);
    return r;
}

/* The largest range of losses of one application. */
static double widest(const problem *p)
{
    double most = 0;
    for (size_t i = 0; i < p->n; i++)
        most = fmax(most, p->source[i].most - p->source[i].least);
    return most;
}

/* The finest step for which both the circle and the cells stay within bounds. */
static double finest(const problem *p, const state *s)
{
    double cells = 0;
    for (size_t i = 0; i < p->n; i++)
        cells += p->source[i].most - p->source[i].least;
    return fmax(1.02 * s->window / p->largest, cells / fmin(p->largest, MOST_CELLS));
}

/* How much finer the next grid must be for a bracket of this relative width. */
static double shrink_for(const state *s, double tolerance)
{
    tc_pld_range r = worse(s);
    double goal = tolerance * fmax(r.lower, s->window / 64), width = r.upper - r.lower;
    return isfinite(width) ? sqrt(goal / width) : 0.125;
}

/* A step near the wanted one with which the window fills a circle. */
static double fill_circle(double window, double wanted)
{
    return 1.02 * window / exp2(ceil(log2(window / wanted) - 0.5));
}

/* The next step, or 0 where the bracket is good or cannot get better. A circle that costs little is
 * used to the full. */
static double next_step(const problem *p, state *s, bool fits)
{
    double least = finest(p, s), cheap = s->window / ldexp(1, LOG2_CHEAP);
    if (!fits)
        return fmax(1.25 * s->step, least);
    double good = s->step * shrink_for(s, GOOD), better = s->step * shrink_for(s, BETTER);
    double wanted = fmax(better, fmin(good, cheap));
    bool hard = good < cheap / 4 || worse(s).roundoff > LEFT_OUT * p->delta;
    s->left_out = hard ? LEFT_OUT_HARD : LEFT_OUT;
    if (!p->symmetric && matters(s, 0) && matters(s, 1))
        wanted = fmax(wanted, s->step / 8); /* a middling grid may rule a direction out */
    wanted = fmax(fill_circle(s->window, wanted), least);
    return wanted < 0.75 * s->step ? wanted : 0;
}

/* The sources with tails cut where they hold that share of delta, all counts together. */
static tacit_status prepare(problem *p, double left_out, tacit_error *err)
{
    double applications = 0, most = 0;
    for (size_t i = 0; i < p->n; i++)
        applications += (double)p->kind[i].count;
    p->lost = applications * FLUSHED;
    p->symmetric = true;
    for (size_t i = 0; i < p->n; i++) {
        tc_pld_source *s = &p->source[i];
        TC_TRY(tc_pld_source_of(s, &p->kind[i], left_out * p->delta / applications, err));
        p->symmetric = p->symmetric && s->symmetric;
        p->lost += (double)s->count * s->lost;
        if (s->atoms == 2 && (double)s->count > most) {
            most = (double)s->count;
            p->snap = s->most - s->least;
        }
    }
    return TACIT_OK;
}

static tacit_status refine(problem *p, state *s, tacit_error *err)
{
    TC_TRY(prepare(p, s->left_out, err));
    s->step = widest(p) / FIRST_CELLS;
    for (int level = 0; level < LEVELS && s->step > 0; level++) {
        tc_arena arena = {0};
        bool fits;
        TC_TRY(prepare(p, s->left_out, err));
        s->step = snapped(p, s->step);
        tacit_status status = run_grid(p, s, &fits, &arena, err);
        tc_arena_fini(&arena);
        TC_TRY(status);
        s->step = next_step(p, s, fits);
    }
    return TACIT_OK;
}

static tacit_status bracket_of_kinds(const tacit_dp_event *kinds, size_t n, double delta,
                                     tc_pld_bracket *out, tacit_error *err)
{
    problem p = {.kind = kinds, .n = n, .delta = delta, .largest = ldexp(1, LOG2_LARGEST)};
    while (p.largest * (double)n > ldexp(1, LOG2_WORK))
        p.largest /= 2;
    p.source = tc_alloc(n, sizeof *p.source);
    if (p.source == NULL)
        return tc_fail_memory(err);
    state s = {.best = {{0, INFINITY, 0}, {0, INFINITY, 0}}, .left_out = LEFT_OUT};
    tacit_status status = refine(&p, &s, err);
    tc_free(p.source);
    TC_TRY(status);
    tc_pld_range r = worse(&s);
    if (!(isfinite(r.upper) && r.roundoff <= delta / 100))
        return tc_fail(err, TACIT_E_NUMERIC,
                       "the privacy loss distribution has no bracket at delta %g within its limits",
                       delta);
    *out = (tc_pld_bracket){.lower = r.lower, .upper = r.upper, .roundoff = r.roundoff};
    return TACIT_OK;
}

tacit_status tc_pld_bracket_of(const tacit_dp_event *events, size_t n, double delta,
                               tc_pld_bracket *out, tacit_error *err)
{
    if (!(delta > 0 && delta < 1))
        return tc_fail_range(err, "delta", "(0, 1)", delta);
    tc_pld_kinds kinds;
    TC_TRY(tc_pld_gather(&kinds, events, n, err));
    if (kinds.nonprivate || kinds.n == 0) {
        double epsilon = kinds.nonprivate ? INFINITY : 0;
        *out = (tc_pld_bracket){.lower = epsilon, .upper = epsilon};
        return TACIT_OK;
    }
    tc_pld_bracket bracket = {0, 0, 0};
    TC_TRY(bracket_of_kinds(kinds.event, kinds.n, delta, &bracket, err));
    *out = (tc_pld_bracket){.lower = fmax(0, bracket.lower - kinds.pad),
                            .upper = bracket.upper + kinds.pad,
                            .roundoff = bracket.roundoff};
    return TACIT_OK;
}
