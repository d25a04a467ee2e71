/* row_curator_test.c - releases and answers through a ledger: order, memory, price, refusals. */
#include "support/test.h"
#include "support/failing_ledger_store.h"

#include "algo/outsourced/projection.h"
#include "algo/outsourced/row_curator.h"
#include "base/json.h"

enum { ROWS = 12, DIMS = 2 };

typedef struct fixture {
    failing_ledger_store store;
    tc_ledger *ledger;
    tc_noise noise;
    tc_entropy entropy;
    tc_row_column columns[DIMS];
    tc_row_terms terms;
    double x[ROWS * DIMS];
    size_t order[ROWS], kept; /* kept: how often */
    tacit_hash kept_hash;
    tacit_status keep_fails;
} fixture;

static fixture *open_fixture(void)
{
    fixture *d = tc_alloc(1, sizeof *d);
    assert_non_null(d);
    d->ledger = fake_open(&d->store);
    tc_noise_init(&d->noise);
    d->entropy = tc_entropy_of(&d->noise);
    d->columns[0] = (tc_row_column){"income", 0, 100, 10};
    d->columns[1] = (tc_row_column){"rate", -5, 5, 1};
    d->terms = (tc_row_terms){.name = "loans",
                              .rows = ROWS,
                              .dims = DIMS,
                              .columns = d->columns,
                              .epsilon = 1000,
                              .radius = 1,
                              .maximize = true};
    for (size_t i = 0; i < ROWS; i++) {
        d->x[i * DIMS] = 5 + 8 * (double)i;
        d->x[i * DIMS + 1] = -4 + 0.7 * (double)i;
    }
    return d;
}

static void close_fixture(fixture *d)
{
    tc_ledger_close(d->ledger);
    tc_noise_fini(&d->noise);
    tc_free(d);
}

static tacit_status keep(void *user, const size_t *order, size_t rows, const tacit_hash *hash,
                         tacit_error *err)
{
    fixture *d = user;
    assert_int_equal(rows, ROWS);
    memcpy(d->order, order, sizeof d->order);
    d->kept_hash = *hash;
    d->kept++;
    return d->keep_fails == TACIT_OK ? TACIT_OK : tc_fail(err, d->keep_fails, "no room");
}

static tacit_status release(fixture *d, const tc_ledger_budget *b, tc_row_release *out,
                            tacit_error *err)
{
    tc_row_keeper keeper = {keep, d};
    return tc_row_curator_release(d->ledger, b, &d->terms, d->x, &d->entropy, &keeper, out, err);
}

/* ---- releases */

/* With an enormous epsilon the rows are there to the eye, in units, in the order that was kept. */
static void test_rows_are_in_the_kept_order(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    assert_ok(release(d, NULL, &r, &err));
    assert_int_equal(d->kept, 1);
    assert_true(r.is_private && !r.again);
    assert_string_equal(r.not_private, "");
    assert_int_equal(r.rows * r.cols, ROWS * DIMS);
    assert_true(tc_ledger_hash_same(&r.hash, &d->kept_hash));
    assert_close(r.input_sd, sqrt(2.0 * DIMS) / 1000, 1e-8);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < DIMS; k++)
            assert_close(r.values[i * DIMS + k], d->x[d->order[i] * DIMS + k] / d->columns[k].unit,
                         0.1);
    tc_row_release_fini(&r);
    close_fixture(d);
}

static void test_rows_are_clamped_to_public_bounds(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    for (size_t i = 0; i < ROWS; i++)
        d->x[i * DIMS] = i % 2 ? 1e6 : -1e6;
    assert_ok(release(d, NULL, &r, &err));
    for (size_t i = 0; i < ROWS; i++)
        assert_close(r.values[i * DIMS], d->order[i] % 2 ? 10 : 0, 0.1);
    tc_row_release_fini(&r);
    close_fixture(d);
}

static void test_same_terms_same_bytes(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release first = {0}, second = {0}, other = {0};
    d->terms.epsilon = 1;
    assert_ok(release(d, NULL, &first, &err));
    assert_ok(release(d, NULL, &second, &err));
    assert_true(second.again);
    assert_int_equal(d->kept, 1);
    assert_int_equal(tc_ledger_get_head(d->ledger).seq, 1);
    assert_memory_equal(first.values, second.values, ROWS * DIMS * sizeof(double));
    d->terms.name = "again";
    assert_ok(release(d, NULL, &other, &err));
    assert_false(other.again);
    assert_int_equal(d->kept, 2);
    assert_int_equal(tc_ledger_get_head(d->ledger).seq, 2);
    assert_memory_not_equal(first.values, other.values, ROWS * DIMS * sizeof(double));
    tc_row_release_fini(&first);
    tc_row_release_fini(&second);
    tc_row_release_fini(&other);
    close_fixture(d);
}

/* An order that could not be put away: nothing is spent and nothing left. */
static void test_no_release_without_its_order(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    d->keep_fails = TACIT_E_IO;
    assert_fails(release(d, NULL, &r, &err), TACIT_E_IO, "no room");
    assert_null(r.values);
    assert_int_equal(tc_ledger_get_head(d->ledger).seq, 0);
    close_fixture(d);
}

static void test_budget_refuses_before_anything_is_kept(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    tc_ledger_budget b = {.epsilon = 2.5, .delta = 1e-9, .accountant = &tc_accountant_pure};
    d->terms.epsilon = 2;
    assert_ok(release(d, &b, &r, &err));
    tc_row_release_fini(&r);
    d->terms.name = "more";
    assert_fails(release(d, &b, &r, &err), TACIT_E_BUDGET, "");
    assert_int_equal(d->kept, 1);
    close_fixture(d);
}

static void test_paper_mode_is_stamped(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    tc_ledger_claim claim;
    d->terms.mode = TACIT_ROW_PAPER;
    d->terms.epsilon = 3;
    d->terms.delta = 1e-5;
    d->terms.rank = 5;
    assert_ok(release(d, NULL, &r, &err));
    assert_false(r.is_private);
    assert_non_null(strstr(r.not_private, "the printed theorem does not hold"));
    assert_int_equal(r.cols, 5);
    assert_close(r.input_sd, 0, 0);
    assert_true(r.transform.raise);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(d->order[i], i);
    assert_ok(tc_ledger_guarantee(d->ledger, TACIT_UNIT_ROW, NULL, 1e-5, &tc_accountant_pld, &claim,
                                  &err));
    assert_true(isinf(claim.bound.epsilon) && !claim.is_private);
    tc_row_release_fini(&r);
    close_fixture(d);
}

/* One direction of two columns: what leaves is the same combination of every row. */
static void test_public_projection(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    d->terms.rank = 1;
    d->terms.projection_seed = 3;
    assert_ok(release(d, NULL, &r, &err));
    assert_int_equal(r.cols, 1);
    assert_true(r.is_private);
    assert_close(r.input_sd, sqrt(2.0) / 1000, 1e-8);
    double low[DIMS] = {0, -5}, high[DIMS] = {10, 5};
    tc_projection p;
    assert_ok(tc_projection_init(&p, DIMS, 1, 3, low, high, 1, &err));
    for (size_t i = 0; i < ROWS; i++) {
        const double *row = d->x + d->order[i] * DIMS;
        assert_close(r.values[i], p.P[0] * row[0] / 10 + p.P[1] * row[1], 0.05);
    }
    tc_projection_fini(&p);
    tc_row_release_fini(&r);
    d->terms.rank = 2;
    assert_fails(release(d, NULL, &r, &err), TACIT_E_ARG,
                 "a projection must have fewer directions than the 2 columns, got 2");
    close_fixture(d);
}

static void test_seeded_releases_are_stamped(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    tc_test_noise seeded;
    tc_test_noise_init(&seeded, 1, 0);
    d->entropy = tc_entropy_of_test(&seeded);
    assert_ok(release(d, NULL, &r, &err));
    assert_false(r.is_private);
    tc_row_release_fini(&r);
    close_fixture(d);
}

/* ---- terms */

static void test_terms_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_terms good = d->terms;
    assert_ok(tc_row_terms_check(&good, &err));
    d->columns[1].high = -5;
    assert_fails(tc_row_terms_check(&good, &err), TACIT_E_ARG,
                 "column \"rate\" needs finite bounds low < high, got -5 and -5");
    d->columns[1].high = INFINITY;
    assert_fails(tc_row_terms_check(&good, &err), TACIT_E_ARG, "got -5 and inf");
    d->columns[1].high = 5;
    d->columns[0].unit = 0;
    assert_fails(tc_row_terms_check(&good, &err), TACIT_E_ARG,
                 "the unit of column \"income\" must be > 0, got 0");
    d->columns[0].unit = 1;
    good.output_epsilon = 1;
    assert_fails(tc_row_terms_check(&good, &err), TACIT_E_ARG,
                 "private outputs need a public bound > 0 on their size, got 0");
    good.output_epsilon = -1;
    assert_fails(tc_row_terms_check(&good, &err), TACIT_E_ARG, "output epsilon must be >= 0");
    good.output_epsilon = 0;
    good.rows = 0;
    assert_fails(tc_row_terms_check(&good, &err), TACIT_E_ARG, "got 0 rows of 2");
    good.rows = 1;
    good.name = "";
    assert_fails(tc_row_terms_check(&good, &err), TACIT_E_ARG,
                 "the name of a release must be 1 to 64 letters");
    for (size_t i = 0; i < 5; i++) {
        good.name = (const char *const[]){"a b", "-a", ".a", "a.json", "a/b"}[i];
        assert_fails(tc_row_terms_check(&good, &err), TACIT_E_ARG, good.name);
    }
    close_fixture(d);
}

static void test_terms_read_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_arena memory = {0};
    tc_row_terms again;
    tacit_hash a, b;
    d->terms.delta = 1e-5;
    d->terms.noise = TACIT_ROWS_GAUSSIAN;
    d->terms.output_epsilon = 0.1;
    d->terms.output_bound = 3.5;
    json_t *j = tc_row_terms_json(&d->terms);
    assert_ok(tc_row_terms_from_json(&again, j, &memory, &err));
    assert_ok(tc_row_terms_hash(&d->terms, &a, &err));
    assert_ok(tc_row_terms_hash(&again, &b, &err));
    assert_true(tc_ledger_hash_same(&a, &b));
    d->columns[1].unit = 2; /* every term is part of the hash */
    assert_ok(tc_row_terms_hash(&d->terms, &b, &err));
    assert_false(tc_ledger_hash_same(&a, &b));
    json_object_set_new(j, "mode", json_string("other"));
    assert_fails(tc_row_terms_from_json(&again, j, &memory, &err), TACIT_E_ARG,
                 "terms.mode is \"other\"");
    json_object_set_new(j, "colour", json_string("red"));
    assert_fails(tc_row_terms_from_json(&again, j, &memory, &err), TACIT_E_ARG, "terms.colour");
    json_decref(j);
    tc_arena_fini(&memory);
    close_fixture(d);
}

/* ---- answers */

static tacit_status answer(fixture *d, const tc_ledger_budget *b, uint64_t row, double y,
                           tc_row_answer *out, tacit_error *err)
{
    tacit_hash hash = d->kept_hash;
    return tc_row_curator_answer(d->ledger, b, &d->terms, &hash, row, y, &d->entropy, out, err);
}

static tacit_status recall(fixture *d, uint64_t row, tc_row_answer *out, tacit_error *err)
{
    tacit_hash hash = d->kept_hash;
    return tc_row_curator_recall(d->ledger, &d->terms, &hash, row, out, err);
}

static void test_plain_answers_are_remembered(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_answer a;
    assert_fails(recall(d, 3, &a, &err), TACIT_E_NOT_FOUND, "row 3 has not been answered before");
    assert_ok(answer(d, NULL, 3, 0.1 + 0.2, &a, &err));
    assert_same_bits(a.value, 0.1 + 0.2);
    assert_true(!a.is_private && !a.again && a.sd == 0);
    assert_ok(answer(d, NULL, 3, 7, &a, &err)); /* measured again, answered as before */
    assert_same_bits(a.value, 0.1 + 0.2);
    assert_true(a.again);
    assert_ok(recall(d, 3, &a, &err));
    assert_same_bits(a.value, 0.1 + 0.2);
    assert_fails(answer(d, NULL, ROWS, 1, &a, &err), TACIT_E_ARG,
                 "row 12 does not exist; the release has 0 to 11");
    assert_fails(recall(d, ROWS, &a, &err), TACIT_E_ARG, "row 12 does not exist");
    close_fixture(d);
}

/* Other terms would read another value, or claim other noise, in the same bytes. */
static void test_an_answer_is_recalled_under_its_own_terms(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_answer a;
    d->terms.output_epsilon = 0.5;
    d->terms.output_bound = 2;
    assert_ok(answer(d, NULL, 3, 1, &a, &err));
    d->terms.output_epsilon = 1;
    assert_fails(recall(d, 3, &a, &err), TACIT_E_CONFLICT,
                 "row 3 was answered under other terms (ledger entry 1)");
    d->terms.output_epsilon = 0.5;
    d->terms.output_bound = 64;
    assert_fails(recall(d, 3, &a, &err), TACIT_E_CONFLICT, "under other terms");
    d->terms.output_epsilon = 0;
    assert_fails(recall(d, 3, &a, &err), TACIT_E_CONFLICT, "under other terms");
    d->terms.output_epsilon = 0.5;
    d->terms.output_bound = 2;
    assert_ok(recall(d, 3, &a, &err));
    close_fixture(d);
}

/* That a row has no value is an answer, and is remembered, too. */
static void test_a_row_without_a_value_is_answered(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_answer a;
    assert_ok(answer(d, NULL, 3, INFINITY, &a, &err));
    assert_true(isnan(a.value) && !a.is_private && a.sd == 0);
    assert_ok(answer(d, NULL, 3, 7, &a, &err));
    assert_true(isnan(a.value) && a.again);
    close_fixture(d);
}

/* Nobody sees which rows have no value: their answers are those of rows with the middle one. */
static void test_private_answers_hide_what_is_missing(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { MANY = 100 };
    double sum = 0;
    for (int k = 0; k < MANY; k++) {
        fixture *d = open_fixture();
        tc_row_answer a;
        d->terms.output_epsilon = 2;
        d->terms.output_bound = 1;
        for (uint64_t row = 0; row < ROWS; row++) {
            assert_ok(answer(d, NULL, row, NAN, &a, &err));
            assert_true(isfinite(a.value) && a.is_private && a.sd > 0);
            sum += a.value / (MANY * ROWS);
        }
        close_fixture(d);
    }
    assert_close(sum, 0, 5 * sqrt(2) / sqrt(MANY * ROWS));
}

/* A row spends epsilon for the release and output epsilon for its answer, once. */
static void test_private_answers_are_charged_to_their_row(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    tc_row_answer a, again;
    tc_ledger_claim claim;
    double sd;
    d->terms.epsilon = 1;
    d->terms.output_epsilon = 0.5;
    d->terms.output_bound = 2;
    assert_ok(release(d, NULL, &r, &err));
    tc_row_release_fini(&r);
    assert_ok(answer(d, NULL, 4, 1e9, &a, &err));
    assert_ok(recall(d, 4, &again, &err));
    assert_true(a.is_private && again.again);
    assert_same_bits(a.value, again.value);
    assert_ok(tc_row_output_sd(&d->terms, &sd, &err));
    assert_close(a.sd, sd, 0);
    assert_close(sd, sqrt(2) * 4 / 0.5, 1e-6);
    assert_ok(tc_ledger_guarantee(d->ledger, TACIT_UNIT_ROW, "loans/4", 1e-9, &tc_accountant_pure,
                                  &claim, &err));
    assert_close(claim.bound.epsilon, 1.5, 1e-9);
    assert_ok(tc_ledger_guarantee(d->ledger, TACIT_UNIT_ROW, "loans/5", 1e-9, &tc_accountant_pure,
                                  &claim, &err));
    assert_close(claim.bound.epsilon, 1, 1e-9);
    close_fixture(d);
}

static void test_answers_keep_a_budget(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    tc_row_answer a;
    tc_ledger_budget b = {.epsilon = 1.2, .delta = 1e-9, .accountant = &tc_accountant_pure};
    d->terms.epsilon = 1;
    d->terms.output_epsilon = 0.5;
    d->terms.output_bound = 2;
    assert_ok(release(d, &b, &r, &err));
    tc_row_release_fini(&r);
    assert_fails(answer(d, &b, 4, 0, &a, &err), TACIT_E_BUDGET, "");
    assert_int_equal(tc_ledger_get_head(d->ledger).seq, 1);
    close_fixture(d);
}

/* Row 4 of one release may be row 9 of another: no budget of a row could be kept. */
static void test_answers_of_two_releases_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release r = {0};
    tc_row_answer a;
    d->terms.output_epsilon = 0.5;
    d->terms.output_bound = 2;
    assert_ok(release(d, NULL, &r, &err));
    tc_row_release_fini(&r);
    assert_ok(answer(d, NULL, 4, 0, &a, &err));
    d->terms.radius = 2;
    assert_ok(release(d, NULL, &r, &err));
    tc_row_release_fini(&r);
    assert_fails(answer(d, NULL, 4, 0, &a, &err), TACIT_E_STATE,
                 "ledger \"test\" has answers about another release (loans/4)");
    close_fixture(d);
}

/* The mean of many answers about rows of one value is that value, clamped. */
static void test_answers_are_unbiased_and_clamped(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { MANY = 100 };
    double sum = 0;
    for (int k = 0; k < MANY; k++) {
        fixture *d = open_fixture();
        tc_row_answer a;
        d->terms.output_epsilon = 2;
        d->terms.output_bound = 1;
        for (uint64_t row = 0; row < ROWS; row++) {
            assert_ok(answer(d, NULL, row, 50, &a, &err));
            sum += a.value / (MANY * ROWS);
        }
        close_fixture(d);
    }
    assert_close(sum, 1, 5 * sqrt(2) / sqrt(MANY * ROWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_in_the_kept_order),
        cmocka_unit_test(test_rows_are_clamped_to_public_bounds),
        cmocka_unit_test(test_same_terms_same_bytes),
        cmocka_unit_test(test_no_release_without_its_order),
        cmocka_unit_test(test_budget_refuses_before_anything_is_kept),
        cmocka_unit_test(test_paper_mode_is_stamped),
        cmocka_unit_test(test_public_projection),
        cmocka_unit_test(test_seeded_releases_are_stamped),
        cmocka_unit_test(test_terms_are_checked),
        cmocka_unit_test(test_terms_read_back),
        cmocka_unit_test(test_plain_answers_are_remembered),
        cmocka_unit_test(test_an_answer_is_recalled_under_its_own_terms),
        cmocka_unit_test(test_a_row_without_a_value_is_answered),
        cmocka_unit_test(test_private_answers_hide_what_is_missing),
        cmocka_unit_test(test_private_answers_are_charged_to_their_row),
        cmocka_unit_test(test_answers_keep_a_budget),
        cmocka_unit_test(test_answers_of_two_releases_are_refused),
        cmocka_unit_test(test_answers_are_unbiased_and_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
