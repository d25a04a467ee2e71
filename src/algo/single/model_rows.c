/* model_rows.c - the factor of a finite domain when candidates are observed again and again.
 *
 * c observations of one candidate are one of their mean, with noise s2/c; where one has noise of a known variance v
 * beside s2, it counts for s2/(s2 + v) of one. So rows of the factor may
 * be merged, and then their number is bounded by that of the candidates, whatever the number of
 * observations. A merge builds the factor again, O(n d^2) for d candidates observed; it is due when
 * there are twice as many rows as candidates observed and some more, so that an observation costs
 * O(n d) on average. Whether one is due depends on the observations in their order alone: a
 * replay merges where the first run did. Called by model.c alone. */
#include "algo/single/model.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Few rows are cheap, and a study that hardly repeats itself is left alone. */
enum { FREE_ROWS = 64 };

tacit_status tc_model_rows_init(tc_model *m, tacit_error *err)
{
    m->rows.first = tc_alloc(m->env->space->domain->n, sizeof *m->rows.first);
    return m->rows.first ? TACIT_OK : tc_fail_memory(err);
}

void tc_model_rows_fini(tc_model *m)
{
    tc_model_rows *r = &m->rows;
    tc_free(r->of);
    tc_free(r->at);
    tc_free(r->first);
    tc_free(r->count);
    tc_free(r->mean);
}

static tacit_status reserve(tc_model_rows *r, size_t observations, size_t rows, tacit_error *err)
{
    if (!tc_grow((void **)&r->of, &r->of_cap, observations, sizeof *r->of) ||
        !tc_grow((void **)&r->at, &r->at_cap, rows, sizeof *r->at) ||
        !tc_grow((void **)&r->count, &r->count_cap, rows, sizeof *r->count) ||
        !tc_grow((void **)&r->mean, &r->mean_cap, rows, sizeof *r->mean))
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* How much observation i counts beside one without noise of its own: 1, unless it has some. */
static double weight(const tc_model *m, size_t i)
{
    const double known = tc_model_noise(m, i);
    return known > 0 ? m->hyper.noise / (m->hyper.noise + known) : 1;
}

/* Puts observation i into a new row. */
static void add_row(tc_model_rows *r, size_t i, size_t candidate, double count)
{
    r->distinct += r->first[candidate] == 0;
    if (r->first[candidate] == 0)
        r->first[candidate] = r->n + 1;
    r->of[i] = r->n;
    r->at[r->n] = candidate;
    r->count[r->n++] = count;
}

static void forget_rows(tc_model *m)
{
    m->rows.n = m->rows.distinct = 0;
    memset(m->rows.first, 0, m->env->space->domain->n * sizeof *m->rows.first);
}

/* One row for each candidate among the first n observations, in the order they were met. */
static void share_rows(tc_model *m, size_t n)
{
    tc_model_rows *r = &m->rows;
    const size_t *point = m->env->history->point;
    forget_rows(m);
    for (size_t i = 0; i < n; i++) {
        size_t row = r->first[point[i]];
        if (row == 0) {
            add_row(r, i, point[i], weight(m, i));
        } else {
            r->of[i] = row - 1;
            r->count[row - 1] += weight(m, i);
        }
    }
}

void tc_model_rows_targets(tc_model *m, size_t n, const double *z)
{
    tc_model_rows *r = &m->rows;
    for (size_t k = 0; k < r->n; k++)
        r->mean[k] = 0;
    for (size_t i = 0; i < n; i++)
        r->mean[r->of[i]] += weight(m, i) * z[i];
    for (size_t k = 0; k < r->n; k++)
        r->mean[k] /= r->count[k];
    tc_fgp_targets(m->fgp, r->mean);
}

/* The first n observations in merged rows, of which there are `distinct`. */
static tacit_status merge(tc_model *m, size_t n, size_t distinct, tacit_error *err)
{
    tc_model_rows *r = &m->rows;
    TC_TRY(reserve(r, n, distinct, err));
    m->fresh = true; /* until all is done: after a failure everything is built again */
    share_rows(m, n);
    TC_TRY(tc_fgp_reset(m->fgp, &m->hyper, err));
    for (size_t k = 0; k < r->n; k++)
        TC_TRY(m->noisy ? tc_fgp_push_noise(m->fgp, r->at[k], m->hyper.noise / r->count[k], err)
                        : tc_fgp_push_many(m->fgp, r->at[k], r->count[k], err));
    if (!m->opts->standardize) /* else all targets are set anew when all observations are in */
        tc_model_rows_targets(m, n, m->env->history->y);
    m->fresh = false;
    return TACIT_OK;
}

static bool crowded(size_t rows, size_t distinct)
{
    return rows > 2 * distinct + FREE_ROWS;
}

/* How many candidates the first n observations are of. */
static size_t count_distinct(tc_model *m, size_t n)
{
    const size_t *point = m->env->history->point;
    size_t distinct = 0;
    forget_rows(m);
    for (size_t i = 0; i < n; i++)
        distinct += m->rows.first[point[i]]++ == 0;
    forget_rows(m);
    return distinct;
}

tacit_status tc_model_rows_restart(tc_model *m, size_t n, tacit_error *err)
{
    size_t distinct = count_distinct(m, n);
    m->n = crowded(n, distinct) ? n : 0;
    return m->n > 0 ? merge(m, m->n, distinct, err) : tc_fgp_reset(m->fgp, &m->hyper, err);
}

/* Without standardisation old targets never change, and one pass over the candidates takes in
 * point and value together. */
static tacit_status push_row(tc_model *m, size_t i, tacit_error *err)
{
    const tc_history *h = m->env->history;
    if (tc_model_noise(m, i) > 0)
        return tc_fgp_push_noise(m->fgp, h->point[i], m->hyper.noise + m->known[i], err);
    return m->opts->standardize ? tc_fgp_push(m->fgp, h->point[i], err)
                                : tc_fgp_observe(m->fgp, h->point[i], h->y[i], err);
}

tacit_status tc_model_rows_observe(tc_model *m, size_t i, tacit_error *err)
{
    const tc_history *h = m->env->history;
    tc_model_rows *r = &m->rows;
    TC_TRY(reserve(r, i + 1, r->n + 1, err));
    TC_TRY(push_row(m, i, err));
    add_row(r, i, h->point[i], weight(m, i));
    return crowded(r->n, r->distinct) ? merge(m, i + 1, r->distinct, err) : TACIT_OK;
}
