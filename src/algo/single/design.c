/* design.c - uniform and Sobol' designs over any space. See design.h. */
#include "algo/single/design.h"

#include "algo/single/walk.h"
#include "space/partition.h"

#include <math.h>

/* One of `levels` at fraction t, in equal shares. */
static double level_at(double t, double levels)
{
    double k = floor(t * levels);
    return k < levels ? k : levels - 1;
}

/* Levels of a linear scale get equal shares. On a log scale a level gets what rounds to it, and a
 * continuous parameter has nothing to share. */
static double number_at(const tc_param *p, double t)
{
    double levels = (double)p->levels;
    if (levels == 0 || p->log)
        return tc_param_value(p, t);
    return tc_param_value(p, levels > 1 ? level_at(t, levels) / (levels - 1) : 0);
}

static double value_at(const tc_space *s, const tc_param *p, double t)
{
    if (p->type == TC_PARAM_CHOICE)
        return level_at(t, (double)p->n_choices);
    if (p->type == TC_PARAM_POINT)
        return level_at(t, (double)s->domain->n);
    return number_at(p, t);
}

void tc_design_box(const tc_space *s, const double *t, double *values)
{
    for (size_t i = 0; i < s->n_params; i++)
        values[i] = value_at(s, &s->params[i], t[i]);
    tc_space_make_canonical(s, values);
}

void tc_design_values(const tc_space *s, const double *t, double *values)
{
    tc_design_box(s, t, values);
    tc_linear_repair(s, values);
}

/* ---- points that are not handed out already ---- */

enum { TRIES = 64, COUNTABLE = 10000, REGION_TRIES = 4096 };

/* Points of the sequence that are looked at for one that satisfies the constraints, and at most. */
enum { FOR_EACH = 16, LOOKED_AT = 131072 };

/* Can another point be this one? Only where no active parameter is continuous. */
static bool may_coincide(const tc_space *s, const double *values)
{
    for (size_t i = 0; i < s->n_params && !s->domain; i++)
        if (tc_space_continuous(s, s->params[i].at) && tc_space_active(s, values, i))
            return false;
    return true;
}

static bool is_taken(const tc_env *env, const double *values)
{
    const tc_history *h = env->history;
    if (h->n_taken == 0 || !may_coincide(env->space, values))
        return false;
    tc_space_encode(env->space, values, h->row);
    return tc_among(h->row, h->n_taken, h->dim, h->taken, h->taken_ld);
}

bool tc_among(const double *u, size_t n, size_t dim, const double *U, size_t ld)
{
    for (size_t i = 0; i < n; i++) {
        size_t d = 0;
        while (d < dim && U[i + d * ld] == u[d])
            d++;
        if (d == dim)
            return true;
    }
    return false;
}

static size_t choices_of(const tc_space *s, const tc_param *p)
{
    return p->type == TC_PARAM_CHOICE  ? p->n_choices
           : p->type == TC_PARAM_POINT ? s->domain->n
                                       : p->levels;
}

/* How many points a discrete space has; more than COUNTABLE are not told apart. */
static size_t count_points(const tc_space *s)
{
    size_t count = 1;
    for (size_t p = 0; p < s->n_params && count <= COUNTABLE; p++)
        count *= choices_of(s, &s->params[p]);
    return count;
}

/* Point k of a discrete space in the order of its levels, the first parameter fastest. */
static void point_number(const tc_space *s, size_t k, double *values)
{
    for (size_t p = 0; p < s->n_params; p++) {
        size_t n = choices_of(s, &s->params[p]);
        double place = s->params[p].log && s->params[p].levels > 1
                           ? (double)(k % n) / (double)(n - 1) /* near enough: levels may repeat */
                           : ((double)(k % n) + 0.5) / (double)n;
        values[p] = value_at(s, &s->params[p], place);
        k /= n;
    }
    tc_space_make_canonical(s, values);
}

typedef bool passed_over(const tc_env *env, const double *values);

/* When luck has found nothing: the first point from number i on that is not passed over. If all are,
 * one of them again. */
static void look_through(const tc_env *env, uint64_t i, passed_over *known, double *values)
{
    size_t count = count_points(env->space);
    if (count > COUNTABLE)
        return;
    for (size_t k = 0; k < count; k++) {
        point_number(env->space, (size_t)((i + k) % count), values);
        if (tc_linear_holds(env->space, values) && !known(env, values))
            return;
    }
    tc_linear_repair(env->space, values);
}

static void uniform_values(const tc_space *s, tc_stream *stream, double *values)
{
    for (size_t p = 0; p < s->n_params; p++)
        values[p] = value_at(s, &s->params[p], tc_draw_uniform(stream));
    tc_space_make_canonical(s, values);
}

/* The same where the constraints are satisfied. */
static void uniform_inside(const tc_space *s, tc_stream *stream, double *values)
{
    for (int tries = 0; tries < TRIES; tries++) {
        uniform_values(s, stream, values);
        if (tc_linear_holds(s, values))
            return;
    }
    tc_walk walk;
    tc_walk_init(&walk, s, stream);
    tc_walk_next(&walk, values);
}

void tc_design_uniform(const tc_env *env, uint64_t i, double *values)
{
    const tc_space *s = env->space;
    tc_stream stream;
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_DESIGN, i);
    for (int tries = 0; tries < TRIES; tries++) {
        uniform_inside(s, &stream, values);
        if (!is_taken(env, values))
            return;
    }
    look_through(env, i, is_taken, values);
}

/* A region that holds no candidate of a finite space, or nothing that satisfies the constraints, stands for the whole
 * of it. */
void tc_design_region(const tc_env *env, size_t P, uint64_t i, double *values)
{
    const tc_space *s = env->space;
    tc_stream stream;
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_REGIONS, 0);
    size_t region = (size_t)tc_draw_below(&stream, P);
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_DESIGN, i);
    for (int tries = 0; tries < REGION_TRIES; tries++) {
        uniform_values(s, &stream, values);
        tc_space_encode(s, values, env->history->row);
        if (tc_region_of(env->history->row, P, s->dim) == region && tc_linear_holds(s, values))
            return;
    }
    if (s->room)
        uniform_inside(s, &stream, values);
}

/* ---- Sobol' ---- */

static bool is_grid(const tc_space *s)
{
    return s->domain && s->domain->axes;
}

static void init_design(tc_design *d, const tc_env *env, const tc_stream *stream)
{
    const tc_space *s = env->space;
    d->env = env;
    tc_sobol_init(&d->sobol, is_grid(s) ? s->domain->dim : s->n_params, stream);
}

void tc_design_init(tc_design *d, const tc_env *env)
{
    tc_stream stream;
    tc_stream_public(&stream, &env->public_seed, TC_FOR_DESIGN, 0);
    init_design(d, env, &stream);
}

void tc_design_init_party(tc_design *d, const tc_env *env)
{
    tc_stream stream;
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_DESIGN, 0);
    init_design(d, env, &stream);
}

/* The number of the candidate at the fractions t of a grid's axes, the first of which is slowest. */
static double candidate_at(const tc_domain *grid, const double *t)
{
    double number = 0;
    for (size_t a = 0; a < grid->dim; a++)
        number = number * (double)grid->axes[a] + level_at(t[a], (double)grid->axes[a]);
    return number;
}

static void sobol_values(const tc_design *d, uint64_t i, double *values)
{
    const tc_space *s = d->env->space;
    if (is_grid(s)) {
        double *t = d->env->history->row;
        tc_sobol_point(&d->sobol, i, t);
        values[0] = candidate_at(s->domain, t);
        return;
    }
    tc_sobol_point(&d->sobol, i, values);
    tc_design_box(s, values, values);
}

static bool among_numbers(size_t number, const size_t *numbers, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += numbers[i] == number;
    return found > 0;
}

/* On a finite space the sequence may repeat candidates. Those that already have a value are skipped. */
static bool is_asked(const tc_env *env, const double *values)
{
    const tc_history *h = env->history;
    if (!env->space->domain)
        return is_taken(env, values);
    return among_numbers((size_t)values[0], h->point, h->n) ||
           among_numbers((size_t)values[0], h->taken_point, h->n_taken);
}

static bool any_continuous(const tc_space *s)
{
    for (size_t i = 0; i < s->n_params && !s->domain; i++)
        if (tc_space_continuous(s, s->params[i].at))
            return true;
    return false;
}

/* Point number i of those of the sequence that satisfy the constraints; false: it does not come soon. */
static bool sequence_inside(const tc_design *d, uint64_t i, double *values)
{
    uint64_t found = 0, most = TRIES + FOR_EACH * (i + 1);
    for (uint64_t k = 0; k < most && k < LOOKED_AT; k++) {
        sobol_values(d, k, values);
        if (tc_linear_holds(d->env->space, values) && found++ == i)
            return true;
    }
    return false;
}

static void point_inside(const tc_design *d, uint64_t i, double *values)
{
    if (i < LOOKED_AT && sequence_inside(d, i, values) && !is_asked(d->env, values))
        return;
    tc_design_uniform(d->env, i, values);
}

/* A point that was asked is passed over for one far ahead in the sequence; those have the same choices, so beside
 * a branch without continuous parameters that is asked already, another one is found by chance. */
void tc_design_point(const tc_design *d, uint64_t i, double *values)
{
    if (d->env->space->room) {
        point_inside(d, i, values);
        return;
    }
    for (uint64_t tries = 0; tries < TRIES; tries++) {
        sobol_values(d, i + (tries << 32), values);
        if (!is_asked(d->env, values))
            return;
    }
    if (any_continuous(d->env->space))
        tc_design_uniform(d->env, i, values);
    else
        look_through(d->env, i, is_asked, values);
}
