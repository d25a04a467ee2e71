/* metric_test.c - no pair of neighbours moves a metric by more than its sensitivity: the bound for AUC against all small data
 * sets; and what is missing or contradicts itself. */
#include "privacy/metric.h"

#include "support/test.h"

static double delta_of(const char *metric, tc_metric_terms t)
{
    tacit_error err = {0};
    double delta;
    assert_ok(tc_metric_sensitivity(tc_metric_find(metric), &t, &delta, &err));
    return delta;
}

static void means_move_by_range_over_n(void **state)
{
    (void)state;
    tc_metric_terms t = {.low = -1, .high = 3, .records = 1000};
    assert_close(delta_of("mean", t), 0.004, 1e-15);
    t.per_person = 5;
    assert_close(delta_of("mean", t), 0.02, 1e-15);
    t = (tc_metric_terms){.sensitivity = 0.5};
    assert_same_bits(delta_of("f1", t), 0.5);
    assert_same_bits(delta_of("mean", t), 0.5);
}

/* Ranks of n records with labels in the bits of `positive`; a pair is ordered rightly if the positive one has the higher
 * rank, and counts one half where ranks are equal. */
static double auc(const int *rank, unsigned positive, int n)
{
    double sum = 0;
    int p = 0;
    for (int i = 0; i < n; i++) {
        p += (int)(positive >> i & 1);
        for (int k = 0; (positive >> i & 1) && k < n; k++)
            if (!(positive >> k & 1))
                sum += rank[i] > rank[k] ? 1 : rank[i] == rank[k] ? 0.5 : 0;
    }
    return sum / (p * (n - p));
}

enum { N = 6 };

static int ones(unsigned x)
{
    return __builtin_popcount(x);
}

/* Record 0 is replaced; the others have ranks 1, 3, 5, 7, 9 so that it may lie between, on, below or above them. The bound is
 * reached. */
static void auc_moves_by_one_over_the_floor(void **state)
{
    (void)state;
    double most[N] = {0};
    for (unsigned labels = 0; labels < 1u << N; labels++)
        for (int a = 0; a < 11; a++)
            for (int b = 0; b < 22; b++) {
                int rank[N] = {a, 1, 3, 5, 7, 9}, other[N] = {b / 2, 1, 3, 5, 7, 9};
                unsigned relabelled = (labels & ~1u) | (unsigned)(b % 2);
                int floor = N;
                int counts[4] = {ones(labels), N - ones(labels), ones(relabelled),
                                 N - ones(relabelled)};
                for (int i = 0; i < 4; i++)
                    floor = counts[i] < floor ? counts[i] : floor;
                if (floor == 0)
                    continue;
                double moved = fabs(auc(rank, labels, N) - auc(other, relabelled, N));
                assert_true(moved <= 1.0 / floor + 1e-12);
                most[floor] = fmax(most[floor], moved);
            }
    assert_close(most[1], 1, 1e-12);
    assert_close(most[2], 0.5, 1e-12);
    assert_close(delta_of("auc", (tc_metric_terms){.high = 1, .class_floor = 2}), 0.5, 1e-15);
}

static void refusals_name_what_is_missing(void **state)
{
    (void)state;
    tacit_error err = {0};
    double out;
    const tc_metric *mean = tc_metric_find("mean"), *area = tc_metric_find("auc");
    static const char *const unbounded[] = {"f1", "rmse", "cross-validation", "early-stopping",
                                            "preprocessing"};
    tc_metric_terms t = {.high = 1};
    assert_fails(tc_metric_sensitivity(mean, &t, &out, &err), TACIT_E_ARG, "records is missing");
    assert_fails(tc_metric_sensitivity(area, &t, &out, &err), TACIT_E_ARG,
                 "class_floor is missing");
    t.records = 10;
    t.class_floor = 6;
    assert_fails(tc_metric_sensitivity(area, &t, &out, &err), TACIT_E_ARG,
                 "class_floor must be at most half of the 10 records, got 6");
    assert_fails(tc_metric_sensitivity(mean, &t, &out, &err), TACIT_E_ARG, "auc alone");
    t = (tc_metric_terms){.high = 1, .records = 10, .per_person = 11};
    assert_fails(tc_metric_sensitivity(mean, &t, &out, &err), TACIT_E_ARG,
                 "per_person must be at most the 10 records, got 11");
    t = (tc_metric_terms){.high = 1, .sensitivity = -1};
    assert_fails(tc_metric_sensitivity(mean, &t, &out, &err), TACIT_E_ARG, "got -1");
    t.sensitivity = (double)INFINITY;
    assert_fails(tc_metric_sensitivity(mean, &t, &out, &err), TACIT_E_ARG, "got inf");
    for (size_t i = 0; i < sizeof unbounded / sizeof *unbounded; i++) {
        t = (tc_metric_terms){.high = 1, .records = 10};
        assert_fails(tc_metric_sensitivity(tc_metric_find(unbounded[i]), &t, &out, &err),
                     TACIT_E_ARG, unbounded[i]);
    }
    assert_null(tc_metric_find("errors"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_move_by_range_over_n),
        cmocka_unit_test(auc_moves_by_one_over_the_floor),
        cmocka_unit_test(refusals_name_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
