/* family.c - the list of families, their construction and use (family.h).
 *
 * Two forms cover all of them: columns of values over a finite domain (family_gp.c,
 * family_table.c), and one objective seen through the shift of each agent (family_shifted.c). */
#include "objective/family_int.h"

#include "base/error.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define GP_FAMILY          "gp-family"
#define GP_LENGTHSCALE     0.03
#define SAMPLE_LENGTHSCALE 0.2 /* of gp-sample, as in its options */

static const tc_objective_info gp_info = {
    .name = GP_FAMILY,
    .summary = "similar agents: a shared draw from a Gaussian process plus 0.1 x one of their own",
    .source = "the synthetic experiments of FTS (2020) and DP-FTS-DE (2021)"};
static const tc_objective_info table_info = {
    .name = TC_TABLE_PREFIX "FILE.csv",
    .summary = "measurements: parameter columns, and a value column or one per agent",
    .source = "the file"};
static const tc_objective_info *const infos[] = {&gp_info, &table_info, NULL};

#define AT_FAMILY(member)             offsetof(tc_family_opts, member)
#define AT_OBJECTIVE(member)          offsetof(tc_family_opts, objective.member)
#define ROW(type, owner, member, ...) TC_OPTION_FIELD(type, AT_##owner(member), __VA_ARGS__)
const tc_option tc_family_options[] = {TACIT_FAMILY_FIELDS(ROW){.name = NULL}};

const tc_objective_info *const *tc_families(void)
{
    return infos;
}

/* -- construction -------------------------------------------------------------------------- */

#define NAMES_MAX 64

/* A family's name, or an objective's. */
static tacit_status check_name(const char *name, tacit_error *err)
{
    const char *names[NAMES_MAX + 1] = {NULL};
    size_t n = 0;
    for (size_t i = 0; infos[i]; i++)
        names[n++] = infos[i]->name;
    for (size_t i = 0; tc_objectives()[i] && n < NAMES_MAX; i++)
        names[n++] = tc_objectives()[i]->name;
    if (tc_value_table_named(name))
        return TACIT_OK;
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return TACIT_OK;
    return tc_fail_unknown(err, TACIT_E_ARG, name, names, "Families",
                           "there is no family of objectives \"%s\"", name);
}

static tacit_status check(const char *name, const tc_family_opts *o, size_t agents,
                          tacit_error *err)
{
    TC_TRY(check_name(name, err));
    if (agents == 0)
        return tc_fail(err, TACIT_E_ARG, "a family needs at least 1 agent, not 0");
    double scale = o->objective.noise_scale;
    if (!(scale >= 0) || !isfinite(scale))
        return tc_fail(err, TACIT_E_ARG, "noise-scale must be a number >= 0, not %g", scale);
    return TACIT_OK;
}

tc_family_opts tc_family_resolve_defaults(const char *name, const tc_family_opts *opts)
{
    tc_family_opts o = *opts;
    bool gp = strcmp(name, GP_FAMILY) == 0;
    if (o.objective.noise == TACIT_NOISE_OWN)
        o.objective.noise = gp ? TC_OBSERVE_GAUSSIAN : TC_OBSERVE_EXACT;
    if (o.objective.lengthscale == 0)
        o.objective.lengthscale = gp ? GP_LENGTHSCALE : SAMPLE_LENGTHSCALE;
    return o;
}

double tc_family_lengthscale(const char *name, const tc_family_opts *opts)
{
    const char *who;
    bool drawn = tc_objective_takes(name, "lengthscale", &who);
    return drawn ? tc_family_resolve_defaults(name, opts).objective.lengthscale : 0;
}

static tacit_status build(tc_family *f, const char *name, const tc_family_opts *opts,
                          const tc_public_seed *seed, tacit_error *err)
{
    tc_family_opts o = tc_family_resolve_defaults(name, opts);
    f->noise = (tc_observation_noise)o.objective.noise;
    f->noise_scale = o.objective.noise_scale;
    if (strcmp(name, GP_FAMILY) == 0)
        return tc_family_gp(f, &o, seed, err);
    if (tc_value_table_named(name))
        return tc_family_table(f, name, &o, err);
    return tc_family_shifted(f, name, &o, seed, err);
}

tacit_status tc_family_new(tc_family **out, const char *name, const tc_family_opts *opts,
                           size_t agents, tc_public_seed seed, tacit_error *err)
{
    TC_TRY(check(name, opts, agents, err));
    tc_family *f = tc_alloc(1, sizeof *f);
    if (!f)
        return tc_fail_memory(err);
    f->agents = agents;
    tacit_status status = build(f, name, opts, &seed, err);
    if (status != TACIT_OK) {
        tc_family_free(f);
        return status;
    }
    *out = f;
    return TACIT_OK;
}

void tc_family_free(tc_family *f)
{
    if (!f)
        return;
    tc_space_free(f->space);
    tc_value_table_free(f->table);
    tc_objective_free(f->base);
    tc_arena_fini(&f->memory);
    tc_free(f);
}

tacit_status tc_family_find_optima(tc_family *f, size_t columns, tacit_error *err)
{
    size_t n = f->space->domain->n;
    f->optima = TC_TAKE(&f->memory, columns, double);
    if (!f->optima)
        return tc_fail_memory(err);
    for (size_t c = 0; c < columns; c++)
        f->optima[c] = tc_best_value(n, f->values + c * n, f->maximize);
    return TACIT_OK;
}

/* -- use ----------------------------------------------------------------------------------- */

const tc_space *tc_family_space(const tc_family *f)
{
    return f->base ? tc_objective_space(f->base) : f->space;
}

/* A table has as many dimensions as its file has columns. */
bool tc_family_any_dim(const tc_family *f)
{
    return f->base ? tc_objective_any_dim(f->base) : !f->table;
}

bool tc_family_maximize(const tc_family *f)
{
    return f->maximize;
}

double tc_family_optimum(const tc_family *f, size_t agent)
{
    assert(agent < f->agents);
    return f->base ? tc_objective_optimum(f->base) : f->optima[f->own * agent];
}

double tc_family_value(const tc_family *f, size_t agent, const double *values)
{
    assert(agent < f->agents);
    if (!f->base)
        return f->values[f->own * agent * f->space->domain->n + (size_t)values[0]];
    if (!f->shifts)
        return tc_objective_value(f->base, values);
    return tc_objective_shifted_value(f->base, f->shifts + agent * tc_objective_dim(f->base),
                                      values);
}

double tc_family_observe(const tc_family *f, size_t agent, const double *values, tc_stream *s)
{
    bool replicates = f->table && f->table->means;
    double seen = replicates ? tc_value_table_draw(f->table, (size_t)values[0], s)
                             : tc_family_value(f, agent, values);
    return seen + tc_observation_noise_draw(f->noise, f->noise_scale, s);
}

double tc_family_regret(const tc_family *f, size_t agent, const double *values)
{
    double value = tc_family_value(f, agent, values), best = tc_family_optimum(f, agent);
    return fmax(f->maximize ? best - value : value - best, 0); /* rounding may say -1e-16 */
}
