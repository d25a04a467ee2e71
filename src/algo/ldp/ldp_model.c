/* ldp_model.c - arms, features and dictionary, as the three estimators share them.
 *
 * The dictionary (Calandriello et al. 2019): every play of an arm tosses a coin with probability
 * min(1, q var / lambda), and an arm is in if one of its coins was. So an arm of c plays is in with
 * probability 1 - (1 - p)^c; one draw decides that, keyed by the step. Where no arm leaves, the
 * features grow by a row; where one does, they are built again. */
#include "algo/ldp/ldp_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

tacit_status tc_ldp_model_init(tc_ldp_model *m, const tc_env *env, const tc_ldp_options *o,
                               size_t targets, tacit_error *err)
{
    m->env = env;
    m->opts = o;
    TC_TRY(tc_law_init(&m->law, o, env, err));
    TC_TRY(tc_arms_init(&m->arms, env, o->kernel, o->lengthscale, (size_t)o->arms, err));
    size_t n = m->arms.n;
    m->listed = tc_alloc(n, sizeof *m->listed);
    m->mean = tc_alloc(n, sizeof *m->mean);
    m->var = tc_alloc(n, sizeof *m->var);
    m->row = tc_alloc(n, sizeof *m->row);
    if (!m->listed || !m->mean || !m->var || !m->row)
        return tc_fail_memory(err);
    for (size_t x = 0; x < n; x++)
        m->row[x] = m->var[x] = tc_arms_prior(&m->arms, x);
    return tc_sketch_init(&m->sketch, n, targets, m->law.lambda, m->row, err);
}

void tc_ldp_model_fini(tc_ldp_model *m)
{
    tc_arms_fini(&m->arms);
    tc_sketch_fini(&m->sketch);
    tc_free(m->listed);
    tc_free(m->mean);
    tc_free(m->var);
    tc_free(m->row);
}

double tc_ldp_model_told(const tc_ldp_model *m, size_t *arm)
{
    const tc_history *h = m->env->history;
    *arm = tc_arms_told(&m->arms);
    return fmin(fmax(h->y[h->n - 1], -TC_REWARD_MOST), TC_REWARD_MOST);
}

/* ---- the dictionary ---- */

tacit_status tc_ldp_model_list(tc_ldp_model *m, size_t a, tacit_error *err)
{
    if (m->listed[a])
        return TACIT_OK;
    m->listed[a] = true;
    tc_arms_row(&m->arms, a, m->row);
    return tc_sketch_add(&m->sketch, a, m->row, err);
}

/* Is an arm of this variance in, after so many plays? A coin is tossed only where it decides. */
static bool tossed_in(const tc_ldp_model *m, double var, double plays, tc_stream *s)
{
    double p = tc_dictionary_rate(&m->law) * var / m->law.lambda;
    if (p >= 1)
        return true;
    double out = exp(plays * log1p(-p));
    return tc_draw_uniform(s) >= out;
}

/* Tosses for every played arm; wins[x] says how it went. True if an arm that is listed lost. */
static bool toss(tc_ldp_model *m, size_t a, uint64_t step, double *wins)
{
    bool lost = false;
    tc_stream s;
    tc_stream_party(&s, &m->env->party_seed, m->env->party, TC_FOR_COIN, step);
    for (size_t x = 0; x < m->arms.n; x++) {
        double plays = m->sketch.count[x] + (x == a);
        bool in = plays > 0 && tossed_in(m, m->var[x], plays, &s);
        wins[x] = in;
        lost = lost || (m->listed[x] && !in);
    }
    return lost;
}

tacit_status tc_ldp_model_draw(tc_ldp_model *m, size_t a, uint64_t step, tacit_error *err)
{
    double *wins = m->mean; /* stale until the next estimate */
    if (toss(m, a, step, wins)) {
        tc_sketch_clear(&m->sketch);
        for (size_t x = 0; x < m->arms.n; x++)
            m->listed[x] = false;
    }
    for (size_t x = 0; x < m->arms.n; x++)
        if (wins[x] > 0)
            TC_TRY(tc_ldp_model_list(m, x, err));
    return TACIT_OK;
}

/* ---- the choice ---- */

size_t tc_ldp_model_best(const tc_ldp_model *m, double width)
{
    const unsigned char *closed = tc_arms_close(&m->arms);
    size_t best = 0;
    double top = -INFINITY;
    for (size_t x = 0; x < m->arms.n; x++) {
        double score = m->mean[x] + width * sqrt(m->var[x]);
        if (!closed[x] && score > top) {
            top = score;
            best = x;
        }
    }
    return best;
}

double tc_ldp_model_width(const tc_ldp_model *m, double formula)
{
    return m->opts->width > 0 ? m->opts->width : formula;
}
