/* mine_grids.c - grids of machines from the landmine data. See mine_grids.h. */
#include "papers/experiments/mine_grids.h"

#include "base/error.h"
#include "base/memory.h"
#include "objective/family.h"
#include "papers/data/dataset.h"
#include "papers/frame/drive.h"

enum { GRID = 20, QUICK_GRID = 5, QUICK_PLATT = 3 };

const char *const tc_mine_files[] = {"landmine.csv", NULL};

/* ---- the grids */

void tc_mine_finish(void *prepared)
{
    tc_mine_grids *g = prepared;
    tc_free(g->linear);
    tc_free(g->log);
    tc_free(g);
}

typedef struct making {
    const tc_setup *setup;
    const char *text;
    size_t len;
    bool log, platt;
} making;

/* A value by Platt's probabilities takes six machines. */
static size_t side_of(const making *m)
{
    if (!m->setup->quick)
        return GRID;
    return m->platt ? QUICK_PLATT : QUICK_GRID;
}

static tacit_status make(void *user, tc_text *out, tacit_error *err)
{
    const making *m = user;
    tc_landmine *l;
    TC_TRY(tc_landmine_new(&l, m->text, m->len, err));
    tc_landmine_grid g = {.points = side_of(m),
                          .log = m->log,
                          .platt = m->platt,
                          .pool = m->setup->pool,
                          .proceed = m->setup->proceed,
                          .user = m->setup->user};
    tacit_status status = tc_landmine_table(l, &g, out, err);
    tc_landmine_free(l);
    return status;
}

static tacit_status get_grid(making *m, bool log, char **objective, tacit_error *err)
{
    char digest[TC_DIGEST + 1];
    tc_text key = {0};
    tc_digest(m->text, m->len, digest);
    m->log = log;
    tc_text_addf(&key, "landmine 1 %s %d log %d data %s", m->platt ? "platt" : "auc",
                 (int)side_of(m), log, digest);
    const char *file = m->platt ? "landmine-platt" : log ? "landmine-log" : "landmine";
    return tc_cache_table(m->setup, file, &key, make, m, objective, err);
}

static tacit_status get_grids(making *m, tc_mine_grids *g, tacit_error *err)
{
    TC_TRY(get_grid(m, false, &g->linear, err));
    return m->platt ? TACIT_OK : get_grid(m, true, &g->log, err);
}

static tacit_status prepare(const tc_setup *s, bool platt, void **out, tacit_error *err)
{
    making m = {.setup = s, .platt = platt};
    char *text;
    TC_TRY(tc_dataset_read(s->data, "landmine", tc_mine_files[0], &text, &m.len, err));
    m.text = text;
    tc_mine_grids *g = tc_alloc(1, sizeof *g);
    tacit_status status = g ? get_grids(&m, g, err) : tc_fail_memory(err);
    tc_free(text);
    if (status != TACIT_OK) {
        if (g)
            tc_mine_finish(g);
        return status;
    }
    *out = g;
    return TACIT_OK;
}

tacit_status tc_mine_prepare(const tc_setup *s, void **out, tacit_error *err)
{
    return prepare(s, false, out, err);
}

tacit_status tc_mine_prepare_platt(const tc_setup *s, void **out, tacit_error *err)
{
    return prepare(s, true, out, err);
}

const char *tc_mine_grid(const tc_arm_run *c)
{
    const tc_mine_grids *g = c->prepared;
    return c->arm->mode == TC_ARM_DEFAULT ? g->log : g->linear;
}

/* ---- 1 - AUC from regret */

tacit_status tc_mine_add_best(const tc_arm_run *c, uint64_t targets, tacit_error *err)
{
    tc_family_opts opts = {0};
    tc_family *f = NULL;
    double best = 0;
    tacit_status status = tc_words_read(tc_family_options, &opts, "table", NULL, err);
    if (status == TACIT_OK)
        status = tc_family_new(&f, tc_mine_grid(c), &opts, TC_LANDMINE_FIELDS,
                               tc_public_seed_from(0), err);
    tc_options_fini(tc_family_options, &opts);
    TC_TRY(status);
    for (uint64_t a = 0; a < targets; a++)
        best += tc_family_optimum(f, a) / (double)targets;
    tc_family_free(f);
    for (size_t i = 0; i < c->n; i++)
        c->y[i] += 1 - best;
    return TACIT_OK;
}
