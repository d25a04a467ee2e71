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

tc_optioned tc_optioned_algorithm(const tc_algorithm *a)
{
    return (tc_optioned){a->name, a->options, a->options_size};
}

tc_optioned tc_optioned_bandit(const tc_bandit *b)
{
    return (tc_optioned){b->name, b->options, b->options_size};
}

void tc_optioned_free(const tc_optioned *of, void *opts)
{
    if (opts)
        tc_options_fini(of->options, opts);
    tc_free(opts);
}

tacit_status tc_optioned_new(const tc_optioned *of, const json_t *given, void **out,
                             tacit_error *err)
{
    void *opts = tc_alloc(1, of->size + 1);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = tc_options_defaults(of->options, opts, err);
    if (status == TACIT_OK && given)
        status = tc_options_set_json(of->options, opts, of->name, given, "name", err);
    if (status != TACIT_OK) {
        tc_optioned_free(of, opts);
        return status;
    }
    *out = opts;
    return TACIT_OK;
}

static tacit_status options_in(const tc_optioned *of, const tc_algorithm *begins, const tc_env *env,
                               const json_t *given, json_t **out, tacit_error *err)
{
    void *opts;
    TC_TRY(tc_optioned_new(of, given, &opts, err));
    if (begins && begins->begin)
        begins->begin(env, opts);
    json_t *j = tc_options_json(of->options, opts);
    tc_optioned_free(of, opts);
    if (!j)
        return tc_fail_memory(err);
    *out = j;
    return TACIT_OK;
}

tacit_status tc_optioned_in_force(const tc_optioned *of, const json_t *given, json_t **out,
                                  tacit_error *err)
{
    return options_in(of, NULL, NULL, given, out, err);
}

tacit_status tc_options_begun(const tc_algorithm *a, const json_t *given, const tc_env *env,
                              json_t **out, tacit_error *err)
{
    tc_optioned of = tc_optioned_algorithm(a);
    return options_in(&of, a, env, given, out, err);
}

tacit_status tc_optioned_take(const tc_optioned *of, json_t *given, size_t n,
                              const char *const *words, tacit_error *err)
{
    return tc_options_take_words(of->options, of->size, of->name, n, words, given, err);
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
