/* activity_grids.c - see activity_grids.h. */
#include "papers/experiments/activity_grids.h"

#include "base/error.h"
#include "base/memory.h"
#include "papers/data/dataset.h"

const char *const tc_activity_files[] = {"motionsense_windows.csv", NULL};

typedef struct making {
    const tc_setup *setup;
    char *text;
    size_t len, parts;
    bool wide;
} making;

static tc_model_grid grid_of(const making *m)
{
    static const size_t full[] = {8, 6, 4}, quick[] = {3, 2, 2};
    tc_model_grid g = {.low = {0.01, 1e-6, 20}, .high = {0.1, 1, 60}};
    if (m->wide)
        g = (tc_model_grid){.low = {1e-4, 1e-6, 8}, .high = {10, 10, 128}, .log = true};
    for (size_t k = 0; k < TC_MODEL_AXES; k++)
        g.points[k] = m->setup->quick ? quick[k] : full[k];
    return g;
}

static tacit_status make(void *user, tc_text *out, tacit_error *err)
{
    const making *m = user;
    tc_model_grid g = grid_of(m);
    tc_activity *a;
    TC_TRY(tc_activity_new(&a, m->text, m->len, m->parts, err));
    g.pool = m->setup->pool;
    g.proceed = m->setup->proceed;
    g.user = m->setup->user;
    tc_activity_fill(a, &g);
    tacit_status status = tc_model_grid_table(&g, out, err);
    tc_activity_free(a);
    return status;
}

static tacit_status cached(making *m, char **objective, tacit_error *err)
{
    char digest[TC_DIGEST + 1];
    tc_text key = {0};
    tc_digest(m->text, m->len, digest);
    tc_model_grid g = grid_of(m);
    tc_text_addf(&key, "activity 2 parts %zu data %s ", m->parts, digest);
    tc_model_grid_key(&g, &key);
    return tc_cache_table(m->setup, m->wide ? "activity-wide" : "activity", &key, make, m,
                          objective, err);
}

tacit_status tc_activity_grid(const tc_setup *s, bool wide, size_t parts, char **objective,
                              tacit_error *err)
{
    making m = {.setup = s, .parts = parts, .wide = wide};
    TC_TRY(tc_dataset_read(s->data, "motionsense", tc_activity_files[0], &m.text, &m.len, err));
    tacit_status status = cached(&m, objective, err);
    tc_free(m.text);
    return status;
}

/* ---- both ranges */

void tc_activity_finish(void *prepared)
{
    tc_activity_grids *g = prepared;
    tc_free(g->narrow);
    tc_free(g->wide);
    tc_free(g);
}

tacit_status tc_activity_prepare(const tc_setup *s, void **out, tacit_error *err)
{
    tc_activity_grids *g = tc_alloc(1, sizeof *g);
    if (!g)
        return tc_fail_memory(err);
    tacit_status status = tc_activity_grid(s, false, 1, &g->narrow, err);
    if (status == TACIT_OK)
        status = tc_activity_grid(s, true, 1, &g->wide, err);
    if (status != TACIT_OK) {
        tc_activity_finish(g);
        return status;
    }
    *out = g;
    return TACIT_OK;
}

tc_federated_task tc_activity_task(const tc_arm_run *c)
{
    const tc_activity_grids *g = c->prepared;
    return (tc_federated_task){.objective = c->arm->mode == TC_ARM_PAPER ? g->narrow : g->wide,
                               .words = TC_ACTIVITY_GOAL,
                               .agents = TC_ACTIVITY_SUBJECTS};
}
