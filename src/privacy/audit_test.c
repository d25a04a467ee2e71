/* audit_test.c - the audit passes what is sound, fails what is broken, and its bounds are bounds.
 *
 * Seeded, so that a verdict here never depends on luck. */
#include "privacy/audit_int.h"

#include "privacy/accountant.h"
#include "privacy/sampler.h"

#include "base/error.h"

#include "support/test.h"

static const tacit_audit_opts few = {.runs = 20000, .confidence = 0.95, .test_seed = 1};

static void every_case_is_as_expected(void **state)
{
    (void)state;
    tacit_error err = {0};
    size_t controls = 0;
    for (size_t i = 0; i < tacit_audit_count(); i++) {
        tacit_audit_result r;
        assert_ok(tacit_audit_run(i, &few, &r, &err));
        if (!r.as_expected)
            fail_msg("%s: at least %g, claimed %g", r.name, r.lower, r.epsilon);
        assert_string_equal(r.name, tacit_audit_name(i));
        assert_true(r.pass == (r.lower <= r.epsilon));
        assert_true(r.epsilon > 0 || strcmp(r.name, "rows-order") == 0);
        assert_true(r.epsilon < 10 && r.delta >= 0 && r.delta < 0.02);
        assert_true(r.runs >= 2000 && r.runs <= few.runs);
        controls += r.control;
    }
    assert_int_equal(controls, 7);
    assert_int_equal(tacit_audit_count() - controls, 15);
}

/* Where the attack is tight, so must be the bound: an audit that sees nothing passes everything. */
static void pure_mechanisms_are_seen_through(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t i = 0; i < tacit_audit_count(); i++) {
        tacit_audit_result r;
        if (strstr(tacit_audit_name(i), "-reply") == NULL &&
            strcmp(tacit_audit_name(i), "laplace-sum") != 0)
            continue;
        assert_ok(tacit_audit_run(i, &few, &r, &err));
        assert_close(r.delta, 0, 0);
        assert_close(r.epsilon, 1, 1e-9);
        assert_true(r.lower > 0.85);
    }
}

static void a_seed_repeats_an_audit(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_audit_opts o = few;
    tacit_audit_result a, b, c;
    assert_ok(tacit_audit_run(0, &o, &a, &err));
    assert_ok(tacit_audit_run(0, &o, &b, &err));
    o.test_seed = 2;
    assert_ok(tacit_audit_run(0, &o, &c, &err));
    assert_same_bits(a.lower, b.lower);
    assert_true(a.lower != c.lower);
    o.test_seed = -1;
    assert_ok(tacit_audit_run(0, &o, &a, &err));
    assert_ok(tacit_audit_run(0, &o, &b, &err));
    assert_true(a.lower != b.lower);
}

static void refuses_bad_options(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_audit_result r;
    tacit_audit_opts o = few;
    assert_null(tacit_audit_name(tacit_audit_count()));
    assert_null(tacit_audit_name(SIZE_MAX));
    assert_fails(tacit_audit_run(0, &o, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_audit_run(99, NULL, &r, &err), TACIT_E_ARG, "cases 0 to 21, got 99");
    o.runs = 10;
    assert_fails(tacit_audit_run(0, &o, &r, &err), TACIT_E_ARG,
                 "needs 20000 to 10000000 runs, got 10");
    o = few;
    o.confidence = 1;
    assert_fails(tacit_audit_run(0, &o, &r, &err), TACIT_E_ARG, "must be in [0.5, 1), got 1");
}

/* ---- mechanisms that are a little broken: noise divided by a factor, the claim as before */

typedef struct broken {
    tacit_dp_event claim;
    uint64_t scale; /* of the noise, where the sensitivity is UNIT */
    bool same;      /* noise in both of two coordinates */
} broken;

enum { UNIT = 1 << 22 };

typedef struct broken_state {
    broken b;
} broken_state;

static tacit_status broken_open(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                                tacit_error *err)
{
    (void)e;
    broken_state *s = p;
    s->b = *(const broken *)setting;
    return tc_audit_claim_event(&s->b.claim, TC_AUDIT_DELTA, claim, err);
}

static tacit_status broken_run(void *p, int world, tc_entropy *e, tc_audit_look *look,
                               tacit_error *err)
{
    (void)err;
    const broken *b = &((const broken_state *)p)->b;
    int64_t noise = b->claim.mechanism == TACIT_DP_GAUSSIAN ? tc_sample_gaussian(e, b->scale)
                                                            : tc_sample_laplace(e, b->scale);
    int64_t y = noise + world * UNIT;
    look->score = b->claim.mechanism == TACIT_DP_GAUSSIAN
                      ? (double)y
                      : fabs((double)y) - fabs((double)y - UNIT);
    return TACIT_OK;
}

static tacit_audit_result audit_noise(tacit_dp_mechanism mechanism, double factor)
{
    tacit_error err = {0};
    broken b = {{mechanism, 1, TACIT_DP_ALL, 1, 1}, (uint64_t)(UNIT * factor)};
    tc_audit_case c = {.name = "noise",
                       .attack = "",
                       .state_size = sizeof(broken_state),
                       .setting = &b,
                       .open = broken_open,
                       .run = broken_run};
    tacit_audit_result r;
    assert_ok(tc_audit_case_run(&c, &few, 0.05, 0, &r, &err));
    return r;
}

static void too_little_noise_is_caught(void **state)
{
    (void)state;
    assert_true(audit_noise(TACIT_DP_GAUSSIAN, 1).pass);
    assert_false(audit_noise(TACIT_DP_GAUSSIAN, 0.5).pass);
    assert_true(audit_noise(TACIT_DP_LAPLACE, 1).pass);
    assert_false(audit_noise(TACIT_DP_LAPLACE, 0.5).pass);
    assert_false(audit_noise(TACIT_DP_LAPLACE, 0.85).pass); /* 15 % too little */
}

/* ---- a distinguisher that is learned */

/* Two coordinates move by UNIT and UNIT / 2. With the same noise in both, their difference shows the
 * world, and the sum along the move does not. */
static tacit_status twin_run(void *p, int world, tc_entropy *e, tc_audit_look *look,
                             tacit_error *err)
{
    (void)err;
    const broken *b = &((const broken_state *)p)->b;
    double first = (double)tc_sample_gaussian(e, b->scale);
    double second = b->same ? first : (double)tc_sample_gaussian(e, b->scale);
    look->x[0] = first + world * UNIT;
    look->x[1] = second + world * UNIT / 2.0;
    look->score = look->x[0] + look->x[1] / 2;
    return TACIT_OK;
}

static tacit_audit_result audit_twins(bool same, size_t features)
{
    tacit_error err = {0};
    broken b = {{TACIT_DP_GAUSSIAN, 1, TACIT_DP_ALL, 1, 1}, (uint64_t)(1.2 * UNIT), same};
    tc_audit_case c = {.name = "twins",
                       .attack = "",
                       .features = features,
                       .state_size = sizeof(broken_state),
                       .setting = &b,
                       .open = broken_open,
                       .run = twin_run};
    tacit_audit_result r;
    assert_ok(tc_audit_case_run(&c, &few, 0.05, 0, &r, &err));
    return r;
}

static void noise_in_one_direction_alone_is_caught(void **state)
{
    (void)state;
    assert_true(audit_twins(false, 2).pass);
    assert_false(audit_twins(true, 2).pass);
    assert_true(audit_twins(true, 0).pass); /* which the score along the move cannot do */
}

/* Fisher's discriminant of four points in each world, by hand: S = diag(2, 1/2), difference (2, 1). */
static void learning_whitens_by_the_covariance(void **state)
{
    (void)state;
    static const double at[4][2] = {{2, 0}, {-2, 0}, {0, 1}, {0, -1}};
    tc_audit_learner l = {.features = 2};
    for (int world = 0; world < 2; world++)
        for (size_t i = 0; i < 4; i++)
            tc_audit_learn_add(&l, world, (double[]){at[i][0] + 2 * world, at[i][1] + world});
    tc_audit_learn_end(&l);
    assert_close(l.weight[0], 2 / 2.0, 1e-8);
    assert_close(l.weight[1], 1 / 0.5, 1e-8);
    assert_close(tc_audit_learn_score(&l, (double[]){3, -1}), 1, 1e-7);
}

static tacit_status nan_run(void *p, int world, tc_entropy *e, tc_audit_look *look,
                            tacit_error *err)
{
    (void)p;
    (void)world;
    (void)e;
    (void)err;
    look->score = NAN;
    return TACIT_OK;
}

static void a_score_must_be_a_number(void **state)
{
    (void)state;
    tacit_error err = {0};
    broken b = {{TACIT_DP_GAUSSIAN, 1, TACIT_DP_ALL, 1, 1}, UNIT};
    tc_audit_case c = {.name = "nothing",
                       .state_size = sizeof(broken_state),
                       .setting = &b,
                       .open = broken_open,
                       .run = nan_run};
    tacit_audit_result r;
    assert_fails(tc_audit_case_run(&c, &few, 0.05, 0, &r, &err), TACIT_E_NUMERIC,
                 "audit of nothing: a run gave a score that is no number");
}

/* ---- the bound itself */

/* Two coins with P1 = e P0: the bound exceeds the truth no more often than alpha says. */
static void bounds_are_rarely_wrong(void **state)
{
    (void)state;
    enum { TRIALS = 400, N = 2000 };
    const double p0 = 0.25, p1 = p0 * exp(1), alpha = 0.05;
    static double a[N], b[N];
    const tc_audit_scores scores = {{a, b}};
    tc_test_noise noise;
    tc_test_noise_init(&noise, 5, 0);
    size_t wrong = 0, useful = 0;
    for (size_t t = 0; t < TRIALS; t++) {
        for (size_t i = 0; i < N; i++) {
            a[i] = tc_draw_uniform(&noise.stream) < p0;
            b[i] = tc_draw_uniform(&noise.stream) < p1;
        }
        double lower = tc_audit_bound(&scores, 1, N, 0, alpha);
        wrong += lower > 1;
        useful += lower > 0.6;
    }
    assert_true((double)wrong <= TRIALS * alpha);
    assert_true(useful >= TRIALS * 9 / 10);
}

static void the_bound_finds_either_direction(void **state)
{
    (void)state;
    enum { N = 1000 };
    static double a[N], b[N];
    const tc_audit_scores scores = {{a, b}}, swapped = {{b, a}};
    for (size_t i = 0; i < N; i++) {
        a[i] = 0;
        b[i] = i % 2 == 0 ? 1 : 0;
    }
    /* 250 of the 500 measured in one world, none in the other. */
    double p = 0.4553, none = 1 - pow(0.025, 1.0 / 500);
    assert_close(tc_audit_bound(&scores, 1, N, 0, 0.05), log(p / none), 0.001);
    for (size_t i = 0; i < N; i++) {
        a[i] = -INFINITY;
        b[i] = i % 2 == 0 ? INFINITY : -INFINITY;
    }
    assert_close(tc_audit_bound(&scores, 1, N, 0, 0.05), log(p / none), 0.001);
    assert_close(tc_audit_bound(&scores, 1, N, 0.1, 0.05), log((p - 0.1) / none), 0.001);
    assert_close(tc_audit_bound(&scores, 1, N, 0.9, 0.05), 0, 0);
    assert_close(tc_audit_bound(&swapped, 1, N, 0, 0.05), 0,
                 0); /* the score points the wrong way */
    for (size_t i = 0; i < N; i++) {
        a[i] = -a[i];
        b[i] = -b[i];
    }
    assert_close(tc_audit_bound(&swapped, 1, N, 0, 0.05), log(p / none), 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_as_expected),
        cmocka_unit_test(pure_mechanisms_are_seen_through),
        cmocka_unit_test(a_seed_repeats_an_audit),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(too_little_noise_is_caught),
        cmocka_unit_test(noise_in_one_direction_alone_is_caught),
        cmocka_unit_test(learning_whitens_by_the_covariance),
        cmocka_unit_test(a_score_must_be_a_number),
        cmocka_unit_test(bounds_are_rarely_wrong),
        cmocka_unit_test(the_bound_finds_either_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
