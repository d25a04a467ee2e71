/* dp_event.c - checking events, and their JSON in the words of google's dp_accounting.
 *
 * An event is at most three objects deep: SelfComposed around a sampling around a mechanism; the
 * outer two are left out when they say nothing (one repetition, everybody takes part). Where
 * dp_accounting has a name we use it with its fields: Laplace has noise_multiplier = 1/epsilon,
 * and the exact epsilon stands beside it, because 1/(1/epsilon) is not always epsilon again. A
 * pure mechanism is RandomizedResponse on two buckets, which dominates every mechanism of its
 * epsilon: noise_parameter = 2/(1 + e^epsilon), again beside the exact epsilon. SampledWithoutReplacement carries the sampling
 * probability alone: an event does not know the sizes behind it. A PoissonSampled that is charged for
 * replacement has "group_size": 2, and RenyiBound, with order and divergence, is an event that is known by one order
 * alone: dp_accounting knows neither. */
#include "privacy/dp_event.h"

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_PARAMETER 1e6
#define MAX_COUNT     UINT64_C(1000000000000000) /* exact in a double */

static bool sampled(const tacit_dp_event *e)
{
    return e->sampling == TACIT_DP_POISSON || e->sampling == TACIT_DP_FIXED_SIZE ||
           e->sampling == TACIT_DP_POISSON_REPLACED;
}

static const char *parameter_name(tacit_dp_mechanism m)
{
    if (m == TACIT_DP_RENYI)
        return "divergence";
    return m == TACIT_DP_GAUSSIAN ? "noise_multiplier" : "epsilon";
}

/* ---- a divergence at one order */

tacit_dp_event tc_dp_event_renyi(int order, double divergence)
{
    return (tacit_dp_event){.mechanism = TACIT_DP_RENYI,
                            .parameter = divergence,
                            .sampling = TACIT_DP_ALL,
                            .sampling_rate = 1.0 / order,
                            .count = 1};
}

int tc_dp_event_order(const tacit_dp_event *e)
{
    return (int)lround(1 / e->sampling_rate);
}

double tc_dp_event_rate(const tacit_dp_event *e)
{
    return e->mechanism == TACIT_DP_RENYI ? 1 : e->sampling_rate;
}

/* One order has one rate, so that one event has one form. */
static tacit_status check_order(const tacit_dp_event *e, tacit_error *err)
{
    double order = round(1 / e->sampling_rate);
    if (e->sampling == TACIT_DP_ALL && order >= 2 && order <= TC_DP_EVENT_MAX_ORDER &&
        e->sampling_rate == 1 / order)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "the order of a divergence must be an integer in 2..%d, without sampling, got "
                   "1 / %g",
                   TC_DP_EVENT_MAX_ORDER, e->sampling_rate);
}

/* ---- checks */

static tacit_status check_sampling(const tacit_dp_event *e, tacit_error *err)
{
    if (e->sampling != TACIT_DP_ALL && !sampled(e))
        return tc_fail(err, TACIT_E_ARG, "sampling must be one of the four kinds, got %d",
                       (int)e->sampling);
    if (!(e->sampling_rate > 0 && e->sampling_rate <= 1))
        return tc_fail_range(err, "sampling_rate", "(0, 1]", e->sampling_rate);
    if (e->sampling == TACIT_DP_ALL && e->sampling_rate < 1) {
        char got[32];
        tc_double_text(got, e->sampling_rate);
        return tc_fail(err, TACIT_E_ARG,
                       "sampling_rate must be 1 where everybody takes part, got %s", got);
    }
    return TACIT_OK;
}

tacit_status tc_dp_event_check(const tacit_dp_event *e, tacit_error *err)
{
    if ((unsigned)e->mechanism > TACIT_DP_RENYI)
        return tc_fail(err, TACIT_E_ARG, "mechanism must be one of the five kinds, got %d",
                       (int)e->mechanism);
    if (e->mechanism != TACIT_DP_NONPRIVATE && !(e->parameter > 0 && e->parameter <= MAX_PARAMETER))
        return tc_fail_range(err, parameter_name(e->mechanism), "(0, 1e6]", e->parameter);
    TC_TRY(e->mechanism == TACIT_DP_RENYI ? check_order(e, err) : check_sampling(e, err));
    if (e->count > MAX_COUNT)
        return tc_fail(err, TACIT_E_ARG, "count must be at most 1e15, got %" PRIu64, e->count);
    return TACIT_OK;
}

bool tc_dp_event_same_kind(const tacit_dp_event *a, const tacit_dp_event *b)
{
    return a->mechanism == b->mechanism && a->sampling == b->sampling &&
           a->parameter == b->parameter && a->sampling_rate == b->sampling_rate;
}

/* A sum that one member moves by D when it comes or goes moves by 2 D when another takes its place. */
tacit_dp_event tc_dp_event_replaced(const tacit_dp_event *e)
{
    tacit_dp_event r = *e;
    bool poisson = r.sampling == TACIT_DP_POISSON || r.sampling == TACIT_DP_POISSON_REPLACED;
    if (r.mechanism == TACIT_DP_NONPRIVATE || r.sampling == TACIT_DP_FIXED_SIZE)
        return r;
    if (r.mechanism == TACIT_DP_RENYI) { /* one order does not say what two steps cost */
        r.mechanism = TACIT_DP_NONPRIVATE;
        return r;
    }
    if (poisson && r.sampling_rate < 1) {
        r.sampling = TACIT_DP_POISSON_REPLACED;
        return r;
    }
    r.sampling = TACIT_DP_ALL;
    r.parameter = r.mechanism == TACIT_DP_GAUSSIAN ? r.parameter / 2 : r.parameter * 2;
    if (tc_dp_event_check(&r, NULL) != TACIT_OK) /* beyond all that is counted */
        r.mechanism = TACIT_DP_NONPRIVATE;
    return r;
}

/* A coin that lies with probability p/2 has epsilon ln((2 - p)/p). */
static double response_noise(double epsilon)
{
    return 2 / (1 + exp(epsilon));
}

/* ---- writing */

static json_t *mechanism_json(const tacit_dp_event *e)
{
    switch (e->mechanism) {
    case TACIT_DP_GAUSSIAN:
        return json_pack("{s:s, s:f}", "dp_event", "Gaussian", "noise_multiplier", e->parameter);
    case TACIT_DP_LAPLACE:
        return json_pack("{s:s, s:f, s:f}", "dp_event", "Laplace", "noise_multiplier",
                         1 / e->parameter, "epsilon", e->parameter);
    case TACIT_DP_PURE:
        return json_pack("{s:s, s:f, s:i, s:f}", "dp_event", "RandomizedResponse",
                         "noise_parameter", response_noise(e->parameter), "num_buckets", 2,
                         "epsilon", e->parameter);
    case TACIT_DP_RENYI:
        return json_pack("{s:s, s:i, s:f}", "dp_event", "RenyiBound", "order", tc_dp_event_order(e),
                         "divergence", e->parameter);
    case TACIT_DP_NONPRIVATE:
        break;
    }
    return json_pack("{s:s}", "dp_event", "NonPrivate");
}

/* The wrappers take over `inner`, also when it is NULL: then they are NULL too. */
static json_t *sampling_json(const tacit_dp_event *e, json_t *inner)
{
    if (!inner || !sampled(e))
        return inner;
    const char *name =
        e->sampling == TACIT_DP_FIXED_SIZE ? "SampledWithoutReplacement" : "PoissonSampled";
    json_t *j = json_pack("{s:s, s:f, s:o}", "dp_event", name, "sampling_probability",
                          e->sampling_rate, "event", inner);
    if (e->sampling != TACIT_DP_POISSON_REPLACED ||
        json_object_set_new(j, "group_size", json_integer(2)) == 0)
        return j;
    json_decref(j);
    return NULL;
}

json_t *tc_dp_event_json(const tacit_dp_event *e)
{
    tc_json_start();
    json_t *inner = sampling_json(e, mechanism_json(e));
    if (!inner || e->count == 1)
        return inner;
    return json_pack("{s:s, s:I, s:o}", "dp_event", "SelfComposed", "count", (json_int_t)e->count,
                     "event", inner);
}

/* ---- reading */

static const char *const no_fields[] = {"dp_event", NULL};
static const char *const gaussian_fields[] = {"dp_event", "noise_multiplier", NULL};
static const char *const laplace_fields[] = {"dp_event", "noise_multiplier", "epsilon", NULL};
static const char *const pure_fields[] = {"dp_event", "noise_parameter", "num_buckets", "epsilon",
                                          NULL};
static const char *const renyi_fields[] = {"dp_event", "order", "divergence", NULL};
static const char *const sampled_fields[] = {"dp_event", "sampling_probability", "event",
                                             "group_size", NULL};
static const char *const composed_fields[] = {"dp_event", "count", "event", NULL};

static tacit_status read_gaussian(tacit_dp_event *e, const json_t *j, const char *path,
                                  tacit_error *err)
{
    e->mechanism = TACIT_DP_GAUSSIAN;
    TC_TRY(tc_json_only(j, path, gaussian_fields, err));
    return tc_json_number(j, path, "noise_multiplier", &e->parameter, err);
}

static tacit_status read_laplace(tacit_dp_event *e, const json_t *j, const char *path,
                                 tacit_error *err)
{
    e->mechanism = TACIT_DP_LAPLACE;
    double b;
    TC_TRY(tc_json_only(j, path, laplace_fields, err));
    TC_TRY(tc_json_number(j, path, "noise_multiplier", &b, err));
    if (!(b > 0))
        return tc_fail(err, TACIT_E_ARG, "noise_multiplier must be > 0, got %g", b);
    /* Without the exact epsilon, round to the larger one. */
    e->parameter = nextafter(1 / b, INFINITY);
    TC_TRY(tc_json_number_or(j, path, "epsilon", &e->parameter, err));
    if (!(fabs(e->parameter * b - 1) <= 1e-9))
        return tc_fail(err, TACIT_E_ARG,
                       "epsilon must be 1/noise_multiplier, got %g and noise_multiplier %g",
                       e->parameter, b);
    return TACIT_OK;
}

static tacit_status read_pure(tacit_dp_event *e, const json_t *j, const char *path,
                              tacit_error *err)
{
    e->mechanism = TACIT_DP_PURE;
    double p, buckets;
    TC_TRY(tc_json_only(j, path, pure_fields, err));
    TC_TRY(tc_json_number(j, path, "noise_parameter", &p, err));
    TC_TRY(tc_json_number(j, path, "num_buckets", &buckets, err));
    TC_TRY(tc_json_number(j, path, "epsilon", &e->parameter, err));
    double expected = response_noise(e->parameter);
    if (buckets != 2 || !(fabs(p - expected) <= 1e-9 * expected))
        return tc_fail(err, TACIT_E_ARG,
                       "RandomizedResponse must have 2 buckets and the noise_parameter %g of "
                       "epsilon %g, got %g and %g",
                       expected, e->parameter, buckets, p);
    return TACIT_OK;
}

static tacit_status read_nonprivate(tacit_dp_event *e, const json_t *j, const char *path,
                                    tacit_error *err)
{
    e->mechanism = TACIT_DP_NONPRIVATE;
    return tc_json_only(j, path, no_fields, err);
}

static tacit_status read_renyi(tacit_dp_event *e, const json_t *j, const char *path,
                               tacit_error *err)
{
    double order;
    TC_TRY(tc_json_only(j, path, renyi_fields, err));
    TC_TRY(tc_json_number(j, path, "order", &order, err));
    if (!(order >= 2 && order <= TC_DP_EVENT_MAX_ORDER && order == floor(order)))
        return tc_fail(err, TACIT_E_ARG, "order must be an integer in 2..%d, got %g",
                       TC_DP_EVENT_MAX_ORDER, order);
    if (e->sampling != TACIT_DP_ALL)
        return tc_fail(err, TACIT_E_ARG, "RenyiBound must not be sampled");
    uint64_t count = e->count;
    *e = tc_dp_event_renyi((int)order, 0);
    e->count = count;
    return tc_json_number(j, path, "divergence", &e->parameter, err);
}

static tacit_status read_mechanism(tacit_dp_event *e, const json_t *j, const char *path,
                                   tacit_error *err)
{
    static const char *const names[] = {"Gaussian",   "Laplace",    "RandomizedResponse",
                                        "NonPrivate", "RenyiBound", NULL};
    const char *name;
    TC_TRY(tc_json_string(j, path, "dp_event", &name, err));
    if (strcmp(name, "Gaussian") == 0)
        return read_gaussian(e, j, path, err);
    if (strcmp(name, "Laplace") == 0)
        return read_laplace(e, j, path, err);
    if (strcmp(name, "RandomizedResponse") == 0)
        return read_pure(e, j, path, err);
    if (strcmp(name, "NonPrivate") == 0)
        return read_nonprivate(e, j, path, err);
    if (strcmp(name, "RenyiBound") == 0)
        return read_renyi(e, j, path, err);
    return tc_fail_unknown(err, TACIT_E_ARG, name, names, "Mechanisms",
                           "there is no mechanism \"%s\" here", name);
}

static tacit_status read_sampled(tacit_dp_event *e, const json_t *j, const char *path,
                                 const char *inner, tacit_error *err)
{
    const char *name;
    TC_TRY(tc_json_string(j, path, "dp_event", &name, err));
    bool poisson = strcmp(name, "PoissonSampled") == 0;
    if (!poisson && strcmp(name, "SampledWithoutReplacement") != 0)
        return read_mechanism(e, j, path, err);
    int64_t group = 1;
    TC_TRY(tc_json_only(j, path, sampled_fields, err));
    TC_TRY(tc_json_int_or(j, path, "group_size", 1, poisson ? 2 : 1, &group, err));
    e->sampling = !poisson     ? TACIT_DP_FIXED_SIZE
                  : group == 2 ? TACIT_DP_POISSON_REPLACED
                               : TACIT_DP_POISSON;
    TC_TRY(tc_json_number(j, path, "sampling_probability", &e->sampling_rate, err));
    return read_mechanism(e, json_object_get(j, "event"), inner, err);
}

static tacit_status read_composed(tacit_dp_event *e, const json_t *j, tacit_error *err)
{
    const char *name;
    TC_TRY(tc_json_string(j, "", "dp_event", &name, err));
    if (strcmp(name, "SelfComposed") != 0)
        return read_sampled(e, j, "", "event", err);
    int64_t count = -1;
    TC_TRY(tc_json_only(j, "", composed_fields, err));
    TC_TRY(tc_json_int_or(j, "", "count", 0, (int64_t)MAX_COUNT, &count, err));
    if (count < 0)
        return tc_fail(err, TACIT_E_ARG, "count is missing; it must be a whole number");
    e->count = (uint64_t)count;
    return read_sampled(e, json_object_get(j, "event"), "event", "event.event", err);
}

tacit_status tc_dp_event_from_json(tacit_dp_event *out, const json_t *j, tacit_error *err)
{
    tacit_dp_event e = {.sampling = TACIT_DP_ALL, .sampling_rate = 1, .count = 1};
    TC_TRY(read_composed(&e, j, err));
    TC_TRY(tc_dp_event_check(&e, err));
    *out = e;
    return TACIT_OK;
}
