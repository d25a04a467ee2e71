/* ledger_filter_test.c - an operator who chooses the next release in view of the last one.
 *
 * The operator sees a Gaussian release, and then takes the continuation that tells most about what it saw, out of
 * all that the ledger allows at the limit epsilon 5, delta 1e-4. Its true delta(5) is computed from the
 * laws of the releases: an integral over the first of the best hockey-stick divergence of the second. */
#include "privacy/release_int.h"
#include "support/failing_ledger_store.h"
#include "privacy/ledger_int.h"

#include "base/memory.h"

#include <math.h>

#define EPSILON 5.0
#define DELTA   1e-4

static failing_ledger_store store, *const d = &store;
static tc_ledger *l;

static void open_ledger(void)
{
    memset(&store, 0, sizeof store);
    l = fake_open(d);
}

static int close_ledger(void **state)
{
    (void)state;
    tc_ledger_close(l);
    l = NULL;
    return 0;
}

static tacit_dp_event sampled(double q, double z)
{
    return q < 1 ? (tacit_dp_event){TACIT_DP_GAUSSIAN, z, TACIT_DP_POISSON, q, 1}
                 : gaussian_event(z);
}

/* ---- the truth */

static double upper_tail(double x)
{
    return erfc(x / M_SQRT2) / 2;
}

/* sup over events of P - e^epsilon Q, where P = (1-q) N(0, z^2) + q N(1, z^2) and Q = N(0, z^2). */
static double delta_with(double q, double z, double epsilon)
{
    double at = expm1(epsilon) + q;
    if (!(at > 0))
        return -expm1(epsilon);
    double x = z * z * log(at / q) + 0.5;
    double p = (1 - q) * upper_tail(x / z) + q * upper_tail((x - 1) / z);
    return fmax(p - exp(epsilon) * upper_tail(x / z), 0);
}

/* The same for Q - e^epsilon P. */
static double delta_without(double q, double z, double epsilon)
{
    double at = expm1(-epsilon) + q;
    if (!(at > 0))
        return 0; /* P is nowhere that small */
    double x = z * z * log(at / q) + 0.5;
    double p = (1 - q) * upper_tail(-x / z) + q * upper_tail((1 - x) / z);
    return fmax(upper_tail(-x / z) - exp(epsilon) * p, 0);
}

typedef struct choice {
    double q, z;
} choice;

static double best(const choice *c, size_t n, double epsilon, bool with)
{
    double most = fmax(-expm1(epsilon), 0); /* nothing more */
    for (size_t i = 0; i < n; i++)
        most = fmax(most, (with ? delta_with : delta_without)(c[i].q, c[i].z, epsilon));
    return most;
}

/* delta(5) of an operator who sees x of a first release (q, z) and then takes the best of c. */
static double true_delta_one_way(choice first, const choice *c, size_t n, bool with)
{
    double sum = 0, step = first.z / 400, q = first.q, z = first.z;
    for (double x = -12 * z; x <= 1 + 12 * z; x += step) {
        double none = exp(-x * x / (2 * z * z)), one = exp(-(x - 1) * (x - 1) / (2 * z * z));
        double p = (1 - q) * none + q * one, loss = log(p / none);
        sum += (with ? p : none) * best(c, n, EPSILON - (with ? loss : -loss), with) * step;
    }
    return sum / (z * sqrt(2 * M_PI));
}

static double true_delta(choice first, const choice *c, size_t n)
{
    return fmax(true_delta_one_way(first, c, n, true), true_delta_one_way(first, c, n, false));
}

/* ---- what a ledger allows */

static bool allows(const tc_ledger_budget *b, double q, double z)
{
    tacit_error err = {0};
    tacit_dp_event e = sampled(q, z);
    tc_ledger_document one = {
        .study = tc_ledger_study_hash("second"), .events = &e, .n = 1, .distance = 0};
    tc_ledger_budget with = *b;
    if (b->document)
        with.document = &one;
    tacit_status status = tc_ledger_would(l, &with, TACIT_UNIT_AGENT, NULL, &e, 0, &err);
    assert_true(status == TACIT_OK || status == TACIT_E_BUDGET);
    return status == TACIT_OK;
}

/* The least noise that is allowed at each rate. */
static size_t all_allowed(const tc_ledger_budget *b, choice *out)
{
    static const double rates[] = {1, 0.5, 0.2, 0.1, 0.03, 0.01, 0.001, 1e-4};
    size_t n = 0;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double low = 0.1, high = 64;
        if (!allows(b, rates[i], high))
            continue;
        while (high - low > 1e-4 * high) {
            double middle = sqrt(low * high);
            *(allows(b, rates[i], middle) ? &high : &low) = middle;
        }
        out[n++] = (choice){rates[i], high};
    }
    return n;
}

static const tc_ledger_document some_document; /* stands for the one that is asked for */
static const tc_ledger_budget limit = {EPSILON, DELTA, &tc_accountant_pld, false, &some_document};
static const tc_ledger_budget planned = {EPSILON, DELTA, &tc_accountant_pld, false, NULL};

/* That this test can fail: an accountant for plans allows both continuations, and the operator who chooses
 * between them has almost twice the delta. */
static void an_accountant_for_plans_lets_the_operator_win(void **state)
{
    static const choice both[] = {{1, 1.315}, {0.001, 0.264}};
    choice any[16];
    (void)state;
    open_ledger();
    spend(l, "first", 0, NULL, gaussian_event(1));
    for (size_t i = 0; i < 2; i++) {
        assert_true(allows(&planned, both[i].q, both[i].z));
        assert_true(true_delta((choice){1, 1}, &both[i], 1) <= DELTA);
    }
    assert_true(true_delta((choice){1, 1}, both, 2) > 1.85e-4);
    size_t n = all_allowed(&planned, any);
    assert_true(true_delta((choice){1, 1}, any, n) > 1.85e-4);
}

static void a_filter_lets_no_operator_win(void **state)
{
    static const choice both[] = {{1, 1.315}, {0.001, 0.264}};
    choice any[16];
    (void)state;
    open_ledger();
    spend(l, "first", 0, NULL, gaussian_event(1));
    assert_true(allows(&limit, both[0].q, both[0].z + 0.001));
    assert_false(allows(&limit, both[1].q, both[1].z));
    size_t n = all_allowed(&limit, any);
    assert_int_equal(n, 8);
    assert_true(true_delta((choice){1, 1}, any, n) <= DELTA);
    /* and not by refusing everything: without sampling nothing is lost. */
    assert_true(true_delta((choice){1, 1}, any, 1) > 0.99 * DELTA);
}

/* A ledger that begins with sampling is held by Renyi divergences, which gain from it. */
static void a_ledger_that_begins_with_sampling(void **state)
{
    static const choice firsts[] = {{0.3, 1}, {0.01, 0.6}, {0.9, 1.2}};
    (void)state;
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        choice any[16];
        open_ledger();
        spend(l, "first", 0, NULL, sampled(firsts[i].q, firsts[i].z));
        size_t n = all_allowed(&limit, any);
        assert_true(n > 0);
        assert_true(any[n - 1].z < 1); /* the rarer, the less noise */
        assert_true(true_delta(firsts[i], any, n) <= DELTA);
        tc_ledger_close(l);
        l = NULL;
    }
}

/* ---- a plan that only the accountant allows */

static void plan_of(const char *study, const tacit_dp_event *events, size_t n,
                    tc_ledger_document *doc, tc_ledger_budget *b)
{
    *doc = (tc_ledger_document){
        .study = tc_ledger_study_hash(study), .events = events, .n = n, .distance = 0};
    *b = limit;
    b->document = doc;
}

static tacit_status pay(const tc_ledger_budget *b, const char *study, uint64_t round,
                        tacit_dp_event event, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of(study, round, NULL);
    tc_release *r = forced_release(event, 1);
    tacit_status status = tc_ledger_release(l, b, &c, r, &receipt, err);
    if (status == TACIT_OK)
        tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
    return status;
}

/* Two rounds at rate 0.2 with the least noise that pld allows: too little for the filter. After the first round
 * the operator may go on with the plan. Nothing else is left to choose. */
static void a_plan_that_only_an_accountant_allows_has_the_ledger_alone(void **state)
{
    tacit_error err = {0};
    tc_ledger_document doc;
    tc_ledger_budget b;
    double z;
    choice any[16];
    (void)state;
    open_ledger();
    assert_ok(tc_calibrate(&tc_accountant_pld, EPSILON, DELTA, TACIT_DP_POISSON, 0.2, 2, &z, &err));
    tacit_dp_event rounds[] = {sampled(0.2, z), sampled(0.2, z)};
    plan_of("first", rounds, 2, &doc, &b);
    assert_ok(pay(&b, "first", 0, rounds[0], &err)); /* which the filter allows */
    assert_fails(pay(&b, "first", 1, rounds[1], &err), TACIT_E_BUDGET, "(rdp-filter)");
    tc_ledger_close(l);
    open_ledger();
    assert_ok(tc_ledger_keep_plan(l, &b, TACIT_UNIT_AGENT, &err));
    assert_int_equal(tc_ledger_get_head(l).seq, 1);
    assert_ok(pay(&b, "first", 0, rounds[0], &err));
    assert_int_equal(all_allowed(&limit, any), 0);
    assert_ok(tc_ledger_keep_plan(l, &b, TACIT_UNIT_AGENT, &err)); /* it is there already */
    assert_ok(pay(&b, "first", 1, rounds[1], &err));
    assert_int_equal(tc_ledger_get_head(l).seq, 3);
    assert_fails(pay(&b, "first", 2, rounds[1], &err), TACIT_E_BUDGET, "(rdp-filter)");
}

#define TEST(f) cmocka_unit_test_teardown(f, close_ledger)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_accountant_for_plans_lets_the_operator_win),
        TEST(a_filter_lets_no_operator_win),
        TEST(a_ledger_that_begins_with_sampling),
        TEST(a_plan_that_only_an_accountant_allows_has_the_ledger_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
