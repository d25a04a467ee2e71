/* modeler_fit.c - what the modeler learns, from released rows and answers alone, as an event.
 *
 * {"n": 12, "scale": [..], "variance": v, "noise": s2}: of the rows themselves, in their units. The
 * numbers read back exactly, so a replay never fits again. */
#include "algo/outsourced/modeler.h"

#include "algo/outsourced/blur.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* A likelihood costs O(n^3): beyond this many rows, as many of them, evenly spaced. */
enum { MOST = 256 };
enum { FIRST_STARTS = 4, LATER_STARTS = 1, EVALS = 50 };

bool tc_modeler_fit_due(const void *st)
{
    const tc_modeler *m = st;
    size_t gap = 1 + m->fit_n / 10;
    return m->opts->fit && tc_modeler_ready(m) && (m->fit_n == 0 || m->told_n >= m->fit_n + gap);
}

/* Numbers of the observations to learn from: the first of every row. Returns how many. */
static size_t choose(const tc_modeler *m, size_t *which)
{
    unsigned char *seen = m->arms.closed;
    size_t n = 0;
    memset(seen, 0, m->arms.n);
    for (size_t i = 0; i < m->told_n; i++)
        if (!seen[m->told[i]]) {
            seen[m->told[i]] = 1;
            which[n++] = i;
        }
    for (size_t i = 0; n > MOST && i < MOST; i++)
        which[i] = which[i * n / MOST];
    return n > MOST ? MOST : n;
}

/* Fits in units of the spread, because the priors are about a unit cube. */
static tacit_status fit_to(tc_modeler *m, tc_gp_hyper *h, size_t n, const double *X,
                           const double *z, tacit_error *err)
{
    double floor = m->opts->output_sd / m->sd, spread = m->spread;
    tc_stream s;
    tc_stream_party(&s, &m->env->party_seed, m->env->party, TC_FOR_FIT, m->told_n);
    tc_gp_fit_opts o = {.ard = m->opts->ard,
                        .starts = m->fit_n ? LATER_STARTS : FIRST_STARTS,
                        .max_evals = EVALS,
                        .noise_min = fmin(fmax(1e-10, floor * floor), 1e6),
                        .scale_min = 5e-3,
                        .scale_max = 50};
    for (size_t d = 0; d < h->dim; d++)
        h->scale[d] /= spread;
    TC_TRY(tc_blur_fit(h, &o, m->opts->input_sd / spread, n, X, n, z, &s, err));
    for (size_t d = 0; d < h->dim; d++)
        h->scale[d] *= spread;
    return TACIT_OK;
}

static tacit_status gather(tc_modeler *m, tc_gp_hyper *h, tacit_error *err)
{
    size_t dim = m->arms.dim, *which = tc_alloc(m->told_n, sizeof *which);
    double *X = tc_alloc((m->told_n < MOST ? m->told_n : MOST) * (dim + 1), sizeof *X);
    tacit_status status = which && X ? tc_modeler_standardise(m, err) : tc_fail_memory(err);
    if (status == TACIT_OK) {
        size_t n = choose(m, which);
        double *z = X + n * dim;
        for (size_t i = 0; i < n; i++) {
            for (size_t d = 0; d < dim; d++)
                X[i + d * n] = m->X[m->told[which[i]] + d * m->arms.n] / m->spread;
            z[i] = m->z[which[i]];
        }
        status = fit_to(m, h, n, X, z, err);
    }
    tc_free(which);
    tc_free(X);
    return status;
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

tacit_status tc_modeler_fit(void *st, tc_text *out, tacit_error *err)
{
    tc_modeler *m = st;
    size_t size = m->arms.dim * sizeof(double);
    tc_gp_hyper found = m->hyper;
    found.scale = m->blurred; /* scratch: the model changes only when the event comes back */
    memcpy(found.scale, m->scale, size);
    tacit_status status = gather(m, &found, err);
    if (status == TACIT_E_NUMERIC) { /* those in force go on: an ask must not fail for ever */
        found = m->hyper;
        status = TACIT_OK;
    }
    TC_TRY(status);
    write_fit(&found, m->told_n, out);
    return TACIT_OK;
}

/* ---- taking it back */

static bool positive(const json_t *j, double *out)
{
    *out = json_number_value(j);
    return json_is_number(j) && isfinite(*out) && *out > 0;
}

static bool read_fit(const json_t *j, tc_modeler *m)
{
    const json_t *scale = json_object_get(j, "scale");
    double variance, noise, *read = m->blurred;
    int64_t n;
    if (!tc_json_whole(json_object_get(j, "n"), &n) || n < 1 || (uint64_t)n > m->told_n ||
        json_array_size(scale) != m->arms.dim ||
        !positive(json_object_get(j, "variance"), &variance) ||
        !positive(json_object_get(j, "noise"), &noise))
        return false;
    for (size_t d = 0; d < m->arms.dim; d++)
        if (!positive(json_array_get(scale, d), &read[d]))
            return false;
    memcpy(m->scale, read, m->arms.dim * sizeof *read);
    m->hyper.variance = variance;
    m->hyper.noise = fmax(noise, 1e-12 * variance);
    m->fit_n = (size_t)n;
    m->fresh = true;
    return true;
}

tacit_status tc_modeler_fitted(void *st, const char *body, tacit_error *err)
{
    json_t *j = NULL;
    tacit_status status = tc_json_parse(body, strlen(body), "a fit", &j, err);
    if (status == TACIT_E_MEMORY)
        return status;
    bool ok = status == TACIT_OK && read_fit(j, st);
    json_decref(j);
    if (!ok)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the journal holds a fit that does not fit this study: %.200s", body);
    return TACIT_OK;
}
