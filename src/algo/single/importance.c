/* importance.c - Sobol' indices of a surrogate, of its mean and of draws of it. See surrogate.h.
 *
 * The mean says how much each parameter matters by all that is known; draws of the posterior (num/path.h) say how well that
 * is known. Every draw has points of its own, so that ranges also cover what few points leave open. All is keyed by
 * the seed: the number of threads or earlier calls change nothing. */
#include "algo/single/surrogate_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/path.h"
#include "num/sobol_indices.h"

#include <stdlib.h>
#include <string.h>

/* Points of the mean, which is cheap and on which no range stands; and of each draw. */
enum { MEAN_POINTS = 4096, DRAW_POINTS = 1024, DRAWS = 64, FEATURES = 512 };
/* Of DRAWS in order: those that leave a twentieth of them outside on each side. */
enum { LOW = DRAWS / 20, HIGH = DRAWS - 1 - DRAWS / 20 };

typedef struct measurement {
    tc_surrogate *s;
    tc_path *path; /* of draws */
    size_t n_params;
    tc_arena arena;
    tc_sobol sobol;        /* 2 n_params: A and B */
    double *t;             /* 2 n_params: a Sobol' point */
    double *values;        /* n_params */
    double *X;             /* encoded points, n x dim */
    double *a, *b, *ab;    /* values of the function there */
    double *first, *total; /* of each parameter in each draw: n_params x DRAWS */
} measurement;

/* The function on n encoded points in m->X: the mean, or the present draw. */
static tacit_status evaluate(measurement *m, bool draw, size_t n, double *out, tacit_error *err)
{
    return draw ? tc_path_many(m->path, n, m->X, n, out, NULL, err)
                : tc_gp_predict_many(m->s->model.gp, n, m->X, n, out, NULL, err);
}

/* Fills m->X with n points: those of A (from 0), with parameter `swapped` of B if it is below n_params; or, from n_params, of B. */
static void fill(measurement *m, size_t n, size_t from, size_t swapped)
{
    for (size_t i = 0; i < n; i++) {
        tc_sobol_point(&m->sobol, i, m->t);
        if (swapped < m->n_params)
            m->t[swapped] = m->t[m->n_params + swapped];
        tc_design_values(m->s->env.space, m->t + from, m->values);
        tc_surrogate_encode(m->s, m->values, m->X, i, n);
    }
}

/* Indices of the mean or of the present draw, on n points that are keyed by `key`. */
static tacit_status measure(measurement *m, bool draw, uint64_t key, size_t n, double *first,
                            double *total, tacit_error *err)
{
    tc_stream stream;
    tc_sobol_pair pair;
    tc_stream_public(&stream, &m->s->env.public_seed, TC_FOR_DESIGN, key);
    tc_sobol_init(&m->sobol, 2 * m->n_params, &stream);
    fill(m, n, 0, m->n_params);
    TC_TRY(evaluate(m, draw, n, m->a, err));
    fill(m, n, m->n_params, m->n_params);
    TC_TRY(evaluate(m, draw, n, m->b, err));
    tc_sobol_pair_init(&pair, n, m->a, m->b);
    for (size_t k = 0; k < m->n_params; k++) {
        fill(m, n, 0, k);
        TC_TRY(evaluate(m, draw, n, m->ab, err));
        tc_sobol_pair_indices(&pair, m->ab, &first[k], &total[k]);
    }
    return TACIT_OK;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* of: an index of parameter k in each draw, n_params apart. */
static void take_range(measurement *m, const double *of, size_t k, double *low, double *high)
{
    double sorted[DRAWS];
    for (size_t d = 0; d < DRAWS; d++)
        sorted[d] = of[d * m->n_params + k];
    qsort(sorted, DRAWS, sizeof *sorted, rising);
    *low = sorted[LOW];
    *high = sorted[HIGH];
}

static tacit_status measure_draws(measurement *m, tacit_error *err)
{
    tc_stream stream;
    const tc_model *model = &m->s->model;
    for (uint64_t d = 0; d < DRAWS; d++) {
        tc_stream_public(&stream, &m->s->env.public_seed, TC_FOR_DRAW, d);
        TC_TRY(tc_path_draw(m->path, model->gp, model->z, &stream, err));
        TC_TRY(measure(m, true, d + 1, DRAW_POINTS, m->first + d * m->n_params,
                       m->total + d * m->n_params, err));
    }
    return TACIT_OK;
}

static tacit_status reserve(measurement *m, tacit_error *err)
{
    const tc_space *space = m->s->env.space;
    m->n_params = space->n_params;
    m->t = TC_TAKE(&m->arena, 2 * m->n_params, double);
    m->values = TC_TAKE(&m->arena, m->n_params, double);
    m->X = TC_TAKE(&m->arena, MEAN_POINTS * space->dim, double);
    m->a = TC_TAKE(&m->arena, MEAN_POINTS, double);
    m->b = TC_TAKE(&m->arena, MEAN_POINTS, double);
    m->ab = TC_TAKE(&m->arena, MEAN_POINTS, double);
    m->first = TC_TAKE(&m->arena, DRAWS * m->n_params, double);
    m->total = TC_TAKE(&m->arena, DRAWS * m->n_params, double);
    return m->arena.failed ? tc_fail_memory(err) : tc_path_new(&m->path, FEATURES, space->dim, err);
}

/* The mean comes last: what it leaves in `first` and `total` is the first draw's place, which was read by then. */
static tacit_status measure_all(measurement *m, tc_importance *out, tacit_error *err)
{
    TC_TRY(reserve(m, err));
    TC_TRY(measure_draws(m, err));
    for (size_t k = 0; k < m->n_params; k++) {
        take_range(m, m->first, k, &out[k].first_low, &out[k].first_high);
        take_range(m, m->total, k, &out[k].total_low, &out[k].total_high);
    }
    TC_TRY(measure(m, false, 0, MEAN_POINTS, m->first, m->total, err));
    for (size_t k = 0; k < m->n_params; k++) {
        out[k].first = m->first[k];
        out[k].total = m->total[k];
    }
    return TACIT_OK;
}

tacit_status tc_surrogate_importances(tc_surrogate *s, tc_importance *out, tacit_error *err)
{
    if (s->env.space->domain)
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "importances are of parameters that vary by themselves, and the candidates of a "
            "file do not let them");
    measurement m = {.s = s};
    tacit_status status = measure_all(&m, out, err);
    tc_path_free(m.path);
    tc_arena_fini(&m.arena);
    return status;
}
