/* model_grid.c - training all models of a grid in parallel, and writing the table. See model_grid.h. */
#include "papers/data/model_grid.h"

#include "base/error.h"
#include "base/memory.h"
#include "sim/runs.h"

#include <math.h>
#include <stdatomic.h>

typedef struct filling {
    const tc_model_grid *g;
    double *value;       /* points x agents */
    tacit_error *errors; /* of each */
    atomic_bool stop;
} filling;

/* As the table has it; the last axis runs first. */
static double coordinate(const tc_model_grid *g, size_t axis, size_t point)
{
    for (size_t k = TC_MODEL_AXES - 1; k > axis; k--)
        point /= g->points[k];
    double share = (double)(point % g->points[axis]) / (double)(g->points[axis] - 1);
    double low = g->low[axis], high = g->high[axis];
    return g->log ? log10(low) + (log10(high) - log10(low)) * share : low + (high - low) * share;
}

static bool stopped(filling *f)
{
    const tc_model_grid *g = f->g;
    if (!atomic_load(&f->stop) && g->proceed && !g->proceed(g->user))
        atomic_store(&f->stop, true);
    return atomic_load(&f->stop);
}

static void train_one(void *ctx, size_t i)
{
    filling *f = ctx;
    const tc_model_grid *g = f->g;
    double x[TC_MODEL_AXES];
    if (stopped(f)) {
        (void)tc_fail(&f->errors[i], TACIT_E_CANCELLED, "interrupted");
        return;
    }
    for (size_t axis = 0; axis < TC_MODEL_AXES; axis++) {
        double v = coordinate(g, axis, i / g->agents);
        x[axis] = g->log ? pow(10, v) : v;
    }
    if (g->error(g->data, i % g->agents, x, &f->value[i], &f->errors[i]) != TACIT_OK)
        atomic_store(&f->stop, true);
}

static void write_table(const filling *f, size_t points, tc_text *out)
{
    const tc_model_grid *g = f->g;
    for (size_t axis = 0; axis < TC_MODEL_AXES; axis++)
        tc_text_addf(out, "%s%s%s", axis ? "," : "", g->log ? "log10_" : "", g->names[axis]);
    for (size_t a = 1; a <= g->agents; a++)
        tc_text_addf(out, ",value_%zu", a);
    for (size_t i = 0; i < points; i++) {
        for (size_t axis = 0; axis < TC_MODEL_AXES; axis++)
            tc_text_addf(out, "%s%.6f", axis ? "," : "\n", coordinate(g, axis, i));
        for (size_t a = 0; a < g->agents; a++)
            tc_text_addf(out, ",%.6f", f->value[i * g->agents + a]);
    }
    tc_text_add(out, "\n");
}

void tc_model_grid_key(const tc_model_grid *g, tc_text *out)
{
    tc_text_add(out, g->log ? "log" : "plain");
    for (size_t k = 0; k < TC_MODEL_AXES; k++)
        tc_text_addf(out, " %zu in [%.17g, %.17g]", g->points[k], g->low[k], g->high[k]);
}

tacit_status tc_model_grid_table(const tc_model_grid *g, tc_text *out, tacit_error *err)
{
    size_t points = g->points[0] * g->points[1] * g->points[2], n = points * g->agents;
    filling f = {
        .g = g, .value = tc_alloc(n, sizeof(double)), .errors = tc_alloc(n, sizeof(tacit_error))};
    tacit_status status = f.value && f.errors ? TACIT_OK : tc_fail_memory(err);
    if (status == TACIT_OK) {
        tc_pool_for(g->pool, n, train_one, &f);
        status = tc_runs_failure(f.errors, n, err);
    }
    if (status == TACIT_OK)
        write_table(&f, points, out);
    tc_free(f.value);
    tc_free(f.errors);
    return status == TACIT_OK && out->failed ? tc_fail_memory(err) : status;
}
