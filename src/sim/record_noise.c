/* record_noise.c - noise for single records in a simulation. See record_noise.h.
 *
 * T evaluations with Gaussian noise of the multiplier z compose to one of z/sqrt(T), so z follows from the promise in
 * closed form. Noise is discrete, which takes a little of delta: that is set aside first. */
#include "sim/record_noise.h"

#include "base/error.h"
#include "base/options.h"
#include "privacy/ledger.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS_MOST 1e15

/* ---- what is given ---- */

static size_t count_items(const char *text)
{
    size_t n = 1;
    for (; *text; text++)
        n += *text == ',';
    return n;
}

static tacit_status read_records(tc_record_noise *r, const char *text, tacit_error *err)
{
    const char *at = text;
    r->n = count_items(text);
    r->records = TC_TAKE(&r->memory, r->n, uint64_t);
    r->noise_sd = TC_TAKE(&r->memory, r->n, double);
    if (r->memory.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < r->n; i++, at++) {
        char *end = NULL;
        r->records[i] = isdigit((unsigned char)*at) ? strtoull(at, &end, 10) : 0;
        bool ends = end && *end == (i + 1 < r->n ? ',' : '\0');
        if (!ends || r->records[i] < 1 || (double)r->records[i] > RECORDS_MOST)
            return tc_fail(
                err, TACIT_E_ARG,
                "--records must be whole numbers from 1 to 1e15, as in 1000 or 300,5000, "
                "not \"%s\"",
                text);
        at = end;
    }
    return TACIT_OK;
}

static tacit_status read_range(tc_record_noise *r, const char *text, tacit_error *err)
{
    const char *colon = strchr(text, ':');
    char *low = colon ? tc_strndup(text, (size_t)(colon - text)) : NULL;
    if (colon && !low)
        return tc_fail_memory(err);
    bool good = colon && tc_parse_double(low, &r->plan.low) &&
                tc_parse_double(colon + 1, &r->plan.high) && isfinite(r->plan.low) &&
                isfinite(r->plan.high) && r->plan.low < r->plan.high;
    tc_free(low);
    if (!good)
        return tc_fail(err, TACIT_E_ARG,
                       "--range must be LOW:HIGH with LOW below HIGH, as in 0:1, not \"%s\"", text);
    return TACIT_OK;
}

static tacit_status check_delta(const tc_record_noise *r, tacit_error *err)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->delta * (double)r->records[i] >= 1)
            return tc_fail(err, TACIT_E_ARG,
                           "--delta must be below 1/N for %" PRIu64
                           " records, got %g: such a delta "
                           "allows to publish one of them",
                           r->records[i], r->delta);
    return TACIT_OK;
}

/* ---- how much noise ---- */

static tc_value_plan plan_of(const tc_record_noise *r, size_t i)
{
    tc_value_plan p = r->plan;
    p.sensitivity = (p.high - p.low) / (double)r->records[i];
    return p;
}

/* For the z in force: the noise of each, and the largest distance. */
static tacit_status scale(tc_record_noise *r, tacit_error *err)
{
    r->distance = 0;
    for (size_t i = 0; i < r->n; i++) {
        const tc_value_plan p = plan_of(r, i);
        tc_value_scale s;
        TC_TRY(tc_value_plan_scale(&p, &s, err));
        r->noise_sd[i] = s.noise_sd;
        r->distance = fmax(r->distance, s.distance);
    }
    return TACIT_OK;
}

tacit_status tc_record_noise_init(tc_record_noise *r, const tc_record_terms *t, tacit_error *err)
{
    *r = (tc_record_noise){.evaluations = t->evaluations, .delta = t->delta};
    TC_TRY(read_records(r, t->records, err));
    TC_TRY(read_range(r, t->range, err));
    TC_TRY(check_delta(r, err));
    r->plan.failed = t->maximize ? r->plan.low : r->plan.high;
    TC_TRY(tc_value_calibrate(t->epsilon, t->delta, t->evaluations, &r->plan.z, err));
    return scale(r, err);
}

void tc_record_noise_fini(tc_record_noise *r)
{
    tc_arena_fini(&r->memory);
    *r = (tc_record_noise){0};
}

tacit_status tc_record_noise_cost(const tc_record_noise *r, const tc_accountant *a,
                                  uint64_t evaluations, tacit_guarantee *out, tacit_error *err)
{
    const tacit_dp_event event = {TACIT_DP_GAUSSIAN, r->plan.z, TACIT_DP_ALL, 1, evaluations};
    return tc_ledger_cost(a, &event, evaluations > 0, r->distance * (double)evaluations, r->delta,
                          out, err);
}

/* ---- values ---- */

double tc_record_noise_sd(const tc_record_noise *r, uint64_t agent)
{
    return r->noise_sd[agent % r->n];
}

tacit_status tc_record_noise_add(const tc_record_noise *r, uint64_t seed, uint64_t agent,
                                 uint64_t trial, double *y, tacit_error *err)
{
    const tc_value_plan p = plan_of(r, (size_t)(agent % r->n));
    tc_release *release;
    tc_test_noise noise;
    tc_test_noise_init(&noise, seed, agent << 32 | trial);
    tc_entropy entropy = tc_entropy_of_test(&noise);
    TC_TRY(tc_value_release(&release, &p, *y, &entropy, err));
    *y = tc_release_value(release, 0);
    tc_release_free(release);
    return TACIT_OK;
}

/* ---- words ---- */

void tc_record_noise_identify(const tc_record_noise *r, tc_text *out)
{
    tc_text_addf(out, "records z %a from %a to %a failed %a of", r->plan.z, r->plan.low,
                 r->plan.high, r->plan.failed);
    for (size_t i = 0; i < r->n; i++)
        tc_text_addf(out, " %" PRIu64, r->records[i]);
    tc_text_add(out, "\n");
}

static void add_list(const tc_record_noise *r, tc_text *out)
{
    double least = r->noise_sd[0], most = least;
    for (size_t i = 0; i < r->n; i++) {
        tc_text_addf(out, "%s%" PRIu64, i ? ", " : "", r->records[i]);
        least = fmin(least, r->noise_sd[i]);
        most = fmax(most, r->noise_sd[i]);
    }
    tc_text_addf(out, " validation records gets noise of standard deviation %.4g", least);
    if (most > least)
        tc_text_addf(out, " to %.4g", most);
}

void tc_record_noise_describe(const tc_record_noise *r, tc_text *out)
{
    tc_text_add(out, "Each evaluation on ");
    add_list(r, out);
    tc_text_addf(
        out,
        ", which is %.4g times what one record may move (%g to %g, over their number), and "
        "the models know it; messages are made of such values and get no more. ",
        r->plan.z, r->plan.low, r->plan.high);
}
