/* objective.c - the list of objectives, their construction, shift and regret.
 *
 * An analytic objective is one tc_objective_kind (smooth.c, rough.c); gp-sample brings its own
 * state, others a table of values (rkhs.c); a file's table (value_table.c) is known by its prefix
 * and not in the list. Everything they share is done here once. Adding one is an entry and a word
 * in KIND_LIST. */
#include "objective/objective_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct tc_objective {
    const tc_objective_kind *kind;
    size_t dim;
    tc_space *space;
    tc_gp_sample *sample;  /* gp-sample only */
    tc_value_table *table; /* table:FILE.csv, and kinds that tabulate */
    bool maximize;
    double optimum;
    bool shifted;
    double shift[TC_OBJECTIVE_DIM];
    tc_observation_noise noise;
    double noise_scale;
};

#define KIND_LIST(X)                                                                               \
    X(branin)                                                                                      \
    X(hartmann6)                                                                                   \
    X(himmelblau)                                                                                  \
    X(ackley)                                                                                      \
    X(rastrigin)                                                                                   \
    X(garland)                                                                                     \
    X(doublesine)                                                                                  \
    X(tuning)                                                                                      \
    X(pipeline) X(branin_linear) X(hartmann6_linear) X(gp_sample) X(rkhs_se) X(rkhs_matern52)
#define KIND(name) &tc_objective_##name,
#define INFO(name) &tc_objective_##name.info,

static const tc_objective_kind *const kinds[] = {KIND_LIST(KIND)};
static const tc_objective_info *const infos[] = {KIND_LIST(INFO) NULL};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

#define ROW(type, owner, member, ...)                                                              \
    TC_OPTION_FIELD(type, offsetof(tc_objective_opts, member), __VA_ARGS__)
const tc_option tc_objective_options[] = {
    TACIT_OBJECTIVE_FIELDS(ROW, "none", "none|gaussian|uniform|student-t|pareto", "0.2", 0.001,
                           "gp-sample, rkhs-*: length-scale, as a fraction of the range",
                           "gp-sample, rkhs-*: candidates per axis; 0: its own")
        TACIT_TABLE_FIELDS(ROW){.name = NULL},
};

const tc_objective_info *const *tc_objectives(void)
{
    return infos;
}

static tacit_status unknown_name(const char *name, tacit_error *err)
{
    const char *names[KINDS + 1] = {NULL};
    for (size_t i = 0; i < KINDS; i++)
        names[i] = infos[i]->name;
    return tc_fail_unknown(err, TACIT_E_ARG, name, names, "Objectives",
                           "there is no objective \"%s\"", name);
}

static tacit_status find_kind(const tc_objective_kind **out, const char *name, tacit_error *err)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(infos[i]->name, name) == 0) {
            *out = kinds[i];
            return TACIT_OK;
        }
    return unknown_name(name, err);
}

static tacit_status choose_dim(const tc_objective_kind *kind, int64_t dim, size_t *out,
                               tacit_error *err)
{
    if (dim < 0 || (uint64_t)dim > kind->max_dim ||
        (dim && kind->dim == kind->max_dim && (uint64_t)dim != kind->dim)) {
        if (kind->dim == kind->max_dim)
            return tc_fail(err, TACIT_E_ARG,
                           "dim is %lld, but the objective %s has %zu dimension%s", (long long)dim,
                           kind->info.name, kind->dim, kind->dim == 1 ? "" : "s");
        return tc_fail(err, TACIT_E_ARG, "dim is %lld, but the objective %s takes 1 to %zu",
                       (long long)dim, kind->info.name, kind->max_dim);
    }
    *out = dim ? (size_t)dim : kind->dim;
    return TACIT_OK;
}

static tacit_status check_opts(const tc_objective_kind *kind, const tc_objective_opts *opts,
                               tacit_error *err)
{
    const char *name = kind->info.name, *who;
    if (!(opts->shift >= 0) || !isfinite(opts->shift))
        return tc_fail(err, TACIT_E_ARG, "shift must be a number >= 0, not %g", opts->shift);
    if (opts->grid && !tc_objective_takes(name, "grid", &who))
        return tc_fail(err, TACIT_E_ARG, "the objective %s takes no grid; only %s do", name, who);
    if ((opts->grid || kind->tabulate) && opts->shift > 0)
        return tc_fail(err, TACIT_E_ARG, "%s%s takes no shift: its candidates do not move", name,
                       kind->tabulate ? "" : " with a grid");
    if (kind->linear && opts->shift > 0)
        return tc_fail(err, TACIT_E_ARG, "%s takes no shift: its constraint does not move", name);
    return TACIT_OK;
}

/* -- the shift ----------------------------------------------------------------------------- */

static void range_of(const tc_objective_kind *kind, size_t d, double *low, double *high)
{
    *low = kind->low[d > 0];
    *high = kind->high[d > 0];
}

/* Reflects x at both ends of [low, high] until it is inside. */
static double fold(double x, double low, double high)
{
    double range = high - low;
    double z = fabs(fmod(x - low, 2 * range)); /* reflection at low is |.| */
    if (z > range)
        z = 2 * range - z; /* and at high */
    return fmin(fmax(low + z, low), high);
}

/* Does some x in [low, high] have fold(x - s) = target? fold has slope 1 or -1 and period twice the
 * range, so the only candidates are target + s and its reflection 2 low - target + s. */
static bool reaches(double target, double s, double low, double high)
{
    double period = 2 * (high - low);
    double direct = fmod(target + s - low, period), mirror = fmod(low - target + s, period);
    direct += direct < 0 ? period : 0;
    mirror += mirror < 0 ? period : 0;
    return direct <= period / 2 || mirror <= period / 2;
}

void tc_objective_draw_shift(const tc_objective *o, double scale, const tc_public_seed *seed,
                             uint64_t step, double *shift)
{
    const double *optimiser = o->sample ? tc_gp_sample_optimiser(o->sample) : o->kind->optimiser;
    tc_stream s;
    tc_stream_public(&s, seed, TC_FOR_OBJECTIVE, step);
    for (size_t d = 0; d < o->dim; d++) {
        double low, high;
        range_of(o->kind, d, &low, &high);
        double by = scale * (high - low) * tc_draw_normal(&s);
        if (o->kind->whole && o->kind->whole[d])
            by = 0;
        shift[d] = reaches(optimiser ? optimiser[d] : 0, by, low, high) ? by : -by;
    }
}

/* -- construction -------------------------------------------------------------------------- */

static tacit_status make_box(tc_objective *o, tacit_error *err)
{
    TC_TRY(tc_space_new(&o->space, err));
    for (size_t d = 0; d < o->dim; d++) {
        char name[24];
        double low, high;
        range_of(o->kind, d, &low, &high);
        snprintf(name, sizeof name, "x%zu", d + 1);
        TC_TRY(tc_space_add_float(o->space, name, low, high, 0, false, err));
    }
    return o->kind->linear ? tc_space_add_linear(o->space, o->kind->linear, err) : TACIT_OK;
}

static tacit_status make_space(tc_objective *o, tacit_error *err)
{
    const tc_domain *finite = NULL;
    if (o->table)
        finite = o->table->domain;
    else if (o->sample)
        finite = tc_gp_sample_domain(o->sample);
    tc_domain *copy;
    if (!finite && o->kind->add_parameters) {
        TC_TRY(tc_space_new(&o->space, err));
        return o->kind->add_parameters(o->space, err);
    }
    if (!finite)
        return make_box(o, err);
    TC_TRY(tc_domain_copy(&copy, finite, err));
    return tc_space_from_domain(&o->space, copy, err);
}

static tacit_status build(tc_objective *o, const tc_objective_opts *opts,
                          const tc_public_seed *seed, tacit_error *err)
{
    o->maximize = o->kind->maximize;
    o->optimum = o->kind->optimum;
    if (!o->kind->value) {
        TC_TRY(tc_gp_sample_new(&o->sample, o->dim, opts, seed, err));
        o->optimum = tc_gp_sample_optimum(o->sample);
    }
    o->shifted = opts->shift > 0;
    tc_objective_draw_shift(o, opts->shift, seed, 0, o->shift);
    return make_space(o, err);
}

static tacit_status take_table(tc_objective *o, tacit_error *err)
{
    o->maximize = o->table->maximize;
    o->optimum = tc_best_value(o->table->domain->n, tc_value_table_values(o->table), o->maximize);
    return make_space(o, err);
}

static tacit_status build_kind(tc_objective *o, const char *name, const tc_objective_opts *opts,
                               const tc_public_seed *seed, tacit_error *err)
{
    TC_TRY(find_kind(&o->kind, name, err));
    TC_TRY(choose_dim(o->kind, opts->dim, &o->dim, err));
    TC_TRY(check_opts(o->kind, opts, err));
    if (!o->kind->tabulate)
        return build(o, opts, seed, err);
    TC_TRY(o->kind->tabulate(&o->table, opts, seed, err));
    return take_table(o, err);
}

static tacit_status build_table(tc_objective *o, const char *name, const tc_objective_opts *opts,
                                tacit_error *err)
{
    TC_TRY(tc_value_table_new(&o->table, name, opts, err));
    return take_table(o, err);
}

tacit_status tc_objective_new(tc_objective **out, const char *name, const tc_objective_opts *opts,
                              tc_public_seed seed, tacit_error *err)
{
    if (!(opts->noise_scale >= 0) || !isfinite(opts->noise_scale))
        return tc_fail(err, TACIT_E_ARG, "noise-scale must be a number >= 0, not %g",
                       opts->noise_scale);
    tc_objective *o = tc_alloc(1, sizeof *o);
    if (!o)
        return tc_fail_memory(err);
    o->noise = (tc_observation_noise)opts->noise;
    o->noise_scale = opts->noise_scale;
    tacit_status status = tc_value_table_named(name) ? build_table(o, name, opts, err)
                                                     : build_kind(o, name, opts, &seed, err);
    if (status != TACIT_OK) {
        tc_objective_free(o);
        return status;
    }
    *out = o;
    return TACIT_OK;
}

void tc_objective_free(tc_objective *o)
{
    if (!o)
        return;
    tc_space_free(o->space);
    tc_gp_sample_free(o->sample);
    tc_value_table_free(o->table);
    tc_free(o);
}

/* -- use ----------------------------------------------------------------------------------- */

const tc_space *tc_objective_space(const tc_objective *o)
{
    return o->space;
}

bool tc_objective_maximize(const tc_objective *o)
{
    return o->maximize;
}

bool tc_objective_any_dim(const tc_objective *o)
{
    return o->kind && o->kind->dim != o->kind->max_dim;
}

double tc_objective_optimum(const tc_objective *o)
{
    return o->optimum;
}

size_t tc_objective_dim(const tc_objective *o)
{
    return o->dim;
}

double tc_objective_shifted_value(const tc_objective *o, const double *shift, const double *values)
{
    double plain[TC_OBJECTIVE_DIM], moved[TC_OBJECTIVE_DIM];
    const double *x = values;
    if (o->kind->coordinates) {
        o->kind->coordinates(values, plain);
        x = plain;
    }
    for (size_t d = 0; shift && d < o->dim; d++) {
        double low, high;
        range_of(o->kind, d, &low, &high);
        moved[d] = fold(x[d] - shift[d], low, high);
    }
    if (shift)
        x = moved;
    return o->sample ? tc_gp_sample_value(o->sample, x) : o->kind->value(o->dim, x);
}

double tc_objective_value(const tc_objective *o, const double *values)
{
    if (o->table)
        return tc_value_table_values(o->table)[(size_t)values[0]];
    return tc_objective_shifted_value(o, o->shifted ? o->shift : NULL, values);
}

double tc_objective_observe(const tc_objective *o, const double *values, tc_stream *s)
{
    bool replicates = o->table && o->table->means;
    double seen = replicates ? tc_value_table_draw(o->table, (size_t)values[0], s)
                             : tc_objective_value(o, values);
    return seen + tc_observation_noise_draw(o->noise, o->noise_scale, s);
}

double tc_objective_regret(const tc_objective *o, const double *values)
{
    double value = tc_objective_value(o, values);
    double regret = o->maximize ? o->optimum - value : value - o->optimum;
    return fmax(regret, 0); /* rounding at the optimiser may say -1e-16 */
}

double tc_best_value(size_t n, const double *values, bool maximize)
{
    double best = values[0];
    for (size_t i = 1; i < n; i++)
        if (maximize ? values[i] > best : values[i] < best)
            best = values[i];
    return best;
}
