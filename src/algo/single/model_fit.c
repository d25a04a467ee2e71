/* model_fit.c - when to fit the shared model, and a fit as the JSON of an event.
 *
 * {"n": 12, "scale": [..], "variance": v, "noise": s2}: the numbers read back
 * exactly, so a replay never fits again. */
#include "algo/single/model.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* A likelihood costs O(n^3); beyond this many observations hyper-parameters are learned from as many
 * of them, evenly spaced in the order they came: the early ones that explored, the late ones that
 * refined. The posterior itself uses all. */
enum { MOST = 256 };

/* The first fit has no warm start worth the name. Later, one start beside the warm one does as well
 * as four in half the time: mean regret on hartmann6 0.072 (se 0.018) against 0.069 (0.018) over
 * 100 seeds, on branin 4.9e-8 (1.1e-8) against 6.3e-8 (1.7e-8) over 40. */
enum { FIRST_STARTS = 4, LATER_STARTS = 1, EVALS = 50 };

/* Fits pay most while few points are known: after every observation at first,
 * then each time the data have grown by a tenth. */
static size_t gap(const tc_model *m)
{
    return m->opts->refit > 0 ? (size_t)m->opts->refit : 1 + m->fit_n / 10;
}

bool tc_model_fit_due(const tc_model *m)
{
    return m->opts->fit && m->opts->kernel != TC_MODEL_GIVEN && tc_model_ready(m) &&
           (m->fit_n == 0 || m->env->history->n >= m->fit_n + gap(m));
}

static void write_fit(const tc_gp_hyper *h, size_t n, tc_text *out)
{
    tc_text_addf(out, "{\"n\":%zu,\"scale\":[", n);
    for (size_t d = 0; d < h->dim; d++) {
        tc_text_add(out, d ? "," : "");
        tc_text_add_double(out, h->scale[d]);
    }
    tc_text_add(out, "],\"variance\":");
    tc_text_add_double(out, h->variance);
    tc_text_add(out, ",\"noise\":");
    tc_text_add_double(out, h->noise);
    tc_text_add(out, "}");
}

static tacit_status fit_to(tc_model *m, tc_gp_hyper *h, size_t n, const double *X, size_t ldx,
                           const double *z, const double *known, tacit_error *err)
{
    tc_stream s;
    tc_stream_party(&s, &m->env->party_seed, m->env->party, TC_FOR_FIT, m->env->history->n);
    tc_gp_fit_opts opts = {.ard = m->opts->ard,
                           .starts = m->fit_n ? LATER_STARTS : FIRST_STARTS,
                           .max_evals = EVALS,
                           .noise_min = 1e-10,
                           .scale_min = 5e-3,
                           .scale_max = 50,
                           .known = known};
    return tc_gp_fit(h, &opts, n, X, ldx, z, &s, err);
}

static tacit_status fit_to_sample(tc_model *m, tc_gp_hyper *found, tacit_error *err)
{
    const tc_history *h = m->env->history;
    double *X = tc_alloc(MOST * (h->dim + 2), sizeof *X), *z = X + MOST * h->dim, *known = z + MOST;
    if (!X)
        return tc_fail_memory(err);
    for (size_t i = 0; i < MOST; i++) {
        size_t from = i * h->n / MOST;
        for (size_t d = 0; d < h->dim; d++)
            X[i + d * MOST] = h->U[from + d * h->ld];
        z[i] = m->z[from];
        known[i] = tc_model_noise(m, from);
    }
    tacit_status status = fit_to(m, found, MOST, X, MOST, z, known, err);
    tc_free(X);
    return status;
}

tacit_status tc_model_fit(tc_model *m, tc_text *out, tacit_error *err)
{
    const tc_history *h = m->env->history;
    tc_gp_hyper found = m->hyper;
    found.scale = m->x; /* scratch: the model changes only when the event comes back */
    memcpy(found.scale, m->scale, h->dim * sizeof *found.scale);
    TC_TRY(tc_model_standardise(m, err));
    tacit_status status =
        h->n > MOST ? fit_to_sample(m, &found, err)
                    : fit_to(m, &found, h->n, h->U, h->ld, m->z, m->noisy ? m->known : NULL, err);
    if (status == TACIT_E_NUMERIC) { /* those in force go on: an ask must not fail for ever */
        memcpy(found.scale, m->scale, h->dim * sizeof *found.scale);
        found.variance = m->hyper.variance;
        found.noise = m->hyper.noise;
        status = TACIT_OK;
    }
    TC_TRY(status);
    write_fit(&found, h->n, out);
    return TACIT_OK;
}

static bool positive(const json_t *j, double *out)
{
    *out = json_number_value(j);
    return json_is_number(j) && isfinite(*out) && *out > 0;
}

bool tc_model_read_fit(tc_model *m, const json_t *j, bool take)
{
    const json_t *n = json_object_get(j, "n"), *scale = json_object_get(j, "scale");
    double variance, noise;
    if (!json_is_integer(n) || json_array_size(scale) != m->hyper.dim ||
        !positive(json_object_get(j, "variance"), &variance) ||
        !positive(json_object_get(j, "noise"), &noise))
        return false;
    for (size_t d = 0; d < m->hyper.dim; d++)
        if (!positive(json_array_get(scale, d), &m->x[d]))
            return false;
    if (json_integer_value(n) < 1 || (size_t)json_integer_value(n) > m->env->history->n)
        return false;
    if (!take)
        return true;
    memcpy(m->scale, m->x, m->hyper.dim * sizeof *m->scale);
    m->hyper.variance = variance;
    m->hyper.noise = fmax(noise, TC_MODEL_LEAST_NOISE * variance);
    m->fit_n = (size_t)json_integer_value(n);
    m->fresh = true;
    return true;
}

static bool take_fit(void *m, const json_t *j)
{
    return tc_model_read_fit(m, j, true);
}

tacit_status tc_model_parse_fit(void *ctx, tc_take_fit *take, const char *body, tacit_error *err)
{
    json_t *j = NULL;
    tacit_status status = tc_json_parse(body, strlen(body), "a fit", &j, err);
    if (status == TACIT_E_MEMORY)
        return status;
    bool ok = status == TACIT_OK && take(ctx, j);
    json_decref(j);
    if (!ok)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the journal holds a fit that does not fit this study: %.200s", body);
    return TACIT_OK;
}

tacit_status tc_model_fitted(tc_model *m, const char *body, tacit_error *err)
{
    return tc_model_parse_fit(m, take_fit, body, err);
}
