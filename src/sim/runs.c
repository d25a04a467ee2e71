/* runs.c - seeds, means and failures of the runs of a simulation. See runs.h. */
#include "sim/runs.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#define SEED_BITS  53
#define TABLE      "table:"
#define MOST_TABLE ((size_t)1 << 30)

tc_run_seeds tc_run_seeds_of(uint64_t seed, uint64_t run)
{
    tc_public_seed root = tc_public_seed_from(seed);
    tc_stream s;
    tc_run_seeds out;
    tc_stream_public(&s, &root, TC_FOR_RUN, run);
    out.study = tc_draw_u64(&s) >> (64 - SEED_BITS);
    out.objective = tc_public_seed_from(tc_draw_u64(&s));
    return out;
}

static tacit_status options_in(const tc_algorithm *a, const json_t *options, const tc_env *env,
                               void *opts, json_t **out, tacit_error *err)
{
    TC_TRY(tc_options_defaults(a->options, opts, err));
    if (options)
        TC_TRY(tc_options_set_json(a->options, opts, a->name, options, "name", err));
    if (env && a->begin)
        a->begin(env, opts);
    json_t *j = tc_options_json(a->options, opts);
    if (!j)
        return tc_fail_memory(err);
    *out = j;
    return TACIT_OK;
}

tacit_status tc_options_in_force(const tc_algorithm *a, const json_t *options, json_t **out,
                                 tacit_error *err)
{
    return tc_options_begun(a, options, NULL, out, err);
}

tacit_status tc_options_begun(const tc_algorithm *a, const json_t *options, const tc_env *env,
                              json_t **out, tacit_error *err)
{
    void *opts = tc_alloc(1, a->options_size ? a->options_size : 1);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = options_in(a, options, env, opts, out, err);
    tc_options_fini(a->options, opts);
    tc_free(opts);
    return status;
}

void tc_runs_moments(const double *rows, size_t n, size_t width, size_t t, double *mean, double *se)
{
    double sum = 0, squares = 0;
    for (size_t r = 0; r < n; r++)
        sum += rows[r * width + t];
    *mean = sum / (double)n;
    for (size_t r = 0; r < n; r++) {
        double d = rows[r * width + t] - *mean;
        squares += d * d;
    }
    *se = n > 1 && isfinite(*mean) ? sqrt(squares / (double)(n - 1) / (double)n) : 0;
}

tacit_status tc_runs_failure(const tacit_error *errors, size_t n, tacit_error *err)
{
    const tacit_error *found = NULL;
    for (size_t i = 0; i < n; i++) {
        const tacit_error *e = &errors[i];
        if (e->code != TACIT_OK && (!found || found->code == TACIT_E_CANCELLED))
            found = e;
    }
    if (!found)
        return TACIT_OK;
    return tc_fail(err, found->code, "%s", found->msg);
}

tacit_status tc_runs_add_table(tc_text *out, const char *objective, tacit_error *err)
{
    uint8_t hash[32];
    char hex[2 * sizeof hash + 1], *text;
    size_t len;
    if (strncmp(objective, TABLE, strlen(TABLE)) != 0)
        return TACIT_OK;
    TC_TRY(tc_file_read(objective + strlen(TABLE), MOST_TABLE, &text, &len, err));
    (void)crypto_generichash(hash, sizeof hash, (const unsigned char *)text, len, NULL, 0);
    tc_free(text);
    tc_text_add(out, sodium_bin2hex(hex, sizeof hex, hash, sizeof hash));
    return TACIT_OK;
}
