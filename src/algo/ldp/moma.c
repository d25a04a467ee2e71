/* moma.c - "ldp-moma" and "moma-gp-ucb": the median of k estimates.
 *
 * Zhou and Tan (2021), Algorithm 3. An arm is played k times, which is one epoch; the j-th plays of
 * all epochs make the j-th least-squares estimate, z_j = L^-1 Phi'y_j; the one is taken whose
 * median distance to the others, in the norm of V, is smallest. That norm of two estimates'
 * difference is |z_i - z_j|.
 *
 * An epoch of an arm is over when k rewards of it are in, and an arm that has begun is asked for
 * before a new one. So trials that run side by side fill the epochs of several arms. */
#include "algo/ldp/ldp_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

typedef struct state {
    tc_ldp_model m;
    size_t k;
    uint64_t epochs;
    double *pending;   /* n x k by rows: rewards of the open epoch of each arm */
    size_t *have;      /* n: how many */
    uint64_t *begun;   /* n: number of the play that began it */
    double *distances; /* k x k */
} state;

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    state *s = st;
    s->k = (size_t)((const tc_ldp_options *)opts)->k;
    TC_TRY(tc_ldp_model_init(&s->m, env, opts, s->k, err));
    s->pending = tc_alloc(s->m.arms.n * s->k, sizeof *s->pending);
    s->have = tc_alloc(s->m.arms.n, sizeof *s->have);
    s->begun = tc_alloc(s->m.arms.n, sizeof *s->begun);
    s->distances = tc_alloc(s->k * s->k, sizeof *s->distances);
    if (!s->pending || !s->have || !s->begun || !s->distances)
        return tc_fail_memory(err);
    return TACIT_OK;
}

static void fini(void *st)
{
    state *s = st;
    tc_free(s->pending);
    tc_free(s->have);
    tc_free(s->begun);
    tc_free(s->distances);
    tc_ldp_model_fini(&s->m);
}

/* ---- the median of the estimates ---- */

static void find_distances(const state *s)
{
    const tc_sketch *f = &s->m.sketch;
    size_t stride, k = s->k;
    const double *z = tc_sketch_weights(f, 0, &stride);
    memset(s->distances, 0, k * k * sizeof *s->distances);
    for (size_t i = 0; i < f->m; i++)
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < a; b++) {
                double gap = z[i * stride + a] - z[i * stride + b];
                s->distances[a * k + b] += gap * gap;
            }
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < a; b++)
            s->distances[b * k + a] = s->distances[a * k + b];
}

/* The median of the k - 1 squared distances of estimate j; its own 0 is sorted to the front. For an even
 * number, the upper of the two. */
static double median_distance(const state *s, size_t j)
{
    double *row = s->distances + j * s->k;
    tc_sort_doubles(row, s->k);
    return s->k == 1 ? 0 : row[1 + (s->k - 1) / 2];
}

static size_t middle_estimate(const state *s)
{
    size_t best = 0;
    double least = INFINITY;
    find_distances(s);
    for (size_t j = 0; j < s->k; j++) {
        double distance = median_distance(s, j);
        if (distance < least) {
            least = distance;
            best = j;
        }
    }
    return best;
}

/* ---- the contract ---- */

static tacit_status end_epoch(state *s, size_t arm, tacit_error *err)
{
    size_t stride;
    TC_TRY(tc_ldp_model_draw(&s->m, arm, s->epochs, err));
    tc_sketch_observe(&s->m.sketch, arm, s->pending + arm * s->k);
    s->have[arm] = 0;
    s->epochs++;
    const double *z = tc_sketch_weights(&s->m.sketch, middle_estimate(s), &stride);
    tc_sketch_mean(&s->m.sketch, z, stride, s->m.mean);
    tc_sketch_variance(&s->m.sketch, s->m.var);
    return TACIT_OK;
}

static tacit_status tell(void *st, tacit_error *err)
{
    state *s = st;
    size_t arm;
    double y = tc_ldp_model_told(&s->m, &arm);
    if (s->have[arm] == 0)
        s->begun[arm] = s->m.env->history->n;
    s->pending[arm * s->k + s->have[arm]++] = y;
    return s->have[arm] == s->k ? end_epoch(s, arm, err) : TACIT_OK;
}

/* The arm whose epoch was begun first and is open, or n. */
static size_t unfinished(const state *s)
{
    const unsigned char *closed = tc_arms_close(&s->m.arms);
    size_t first = s->m.arms.n;
    for (size_t x = 0; x < s->m.arms.n; x++)
        if (s->have[x] > 0 && !closed[x] && (first == s->m.arms.n || s->begun[x] < s->begun[first]))
            first = x;
    return first;
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    (void)err;
    state *s = st;
    size_t arm = unfinished(s);
    if (arm == s->m.arms.n && s->epochs == 0)
        arm = tc_arms_any(&s->m.arms, trial);
    if (arm == s->m.arms.n) {
        double formula = tc_moma_width(&s->m.law, (double)s->epochs, s->m.sketch.m);
        arm = tc_ldp_model_best(&s->m, tc_ldp_model_width(&s->m, formula));
    }
    tc_arms_values(&s->m.arms, arm, values);
    return TACIT_OK;
}

/* The estimate is that of the last epoch that ended. */
static tacit_status recommend(void *st, tc_recommended *out, tacit_error *err)
{
    (void)err;
    tc_ldp_model_recommend(&((const state *)st)->m, out);
    return TACIT_OK;
}

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(state),
    .init = init,
    .fini = fini,
    .ask = ask,
    .tell = tell,
    .recommend = recommend,
};

const tc_algorithm tc_algorithm_ldp_moma = {
    .name = "ldp-moma",
    .summary = "private replies: the median of k estimates",
    .source = "Zhou, Tan (2021), Algorithm 3",
    .options = tc_ldp_moma_options,
    .options_size = sizeof(tc_ldp_options),
    .optimizer = &optimizer,
    .curator = &tc_ldp_curator_ops,
    .promise = tc_ldp_promise,
};

const tc_algorithm tc_algorithm_moma_gp_ucb = {
    .name = "moma-gp-ucb",
    .summary = "heavy tails: the median of k estimates",
    .source = "Zhou, Tan (2021), Algorithm 3",
    .options = tc_moma_options,
    .options_size = sizeof(tc_ldp_options),
    .optimizer = &optimizer,
};
