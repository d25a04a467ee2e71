/* ldp_curator_test.c - answers: their law, their memory, their cap, and what their bits tell. */
#include "support/test.h"
#include "support/failing_ledger_store.h"

#include "algo/ldp/ldp.h"
#include "algo/ldp/ldp_curator.h"
#include "algo/ldp/ldp_int.h"

#include <stdio.h>

typedef struct fixture {
    failing_ledger_store store;
    tc_ledger *ledger;
    tc_ldp_curator curator;
    tc_noise noise;
    tc_entropy entropy;
    tc_ldp_question question;
} fixture;

static fixture *open_fixture(tacit_reply_kind kind, double epsilon, uint64_t answers)
{
    tacit_error err = {0};
    fixture *d = tc_alloc(1, sizeof *d);
    assert_non_null(d);
    d->ledger = fake_open(&d->store);
    tc_ldp_terms terms = {kind, epsilon, -2, 2, answers};
    assert_ok(tc_ldp_curator_init(&d->curator, d->ledger, &terms, &err));
    tc_noise_init(&d->noise);
    d->entropy = tc_entropy_of(&d->noise);
    d->question = (tc_ldp_question){tc_ledger_study_hash("{}"), "ann", 0};
    return d;
}

static void close_fixture(fixture *d)
{
    tc_ledger_close(d->ledger);
    tc_noise_fini(&d->noise);
    tc_free(d);
}

static tc_ldp_answer ask(fixture *d, const char *user, uint64_t number, double y)
{
    tacit_error err = {0};
    tc_ldp_answer a = {0};
    d->question.user = user;
    d->question.number = number;
    assert_ok(tc_ldp_curator_answer(&d->curator, &d->question, y, &d->entropy, &a, &err));
    return a;
}

static double spent(const fixture *d, const char *user, uint64_t *entries)
{
    tacit_error err = {0};
    tc_ledger_claim claim;
    assert_ok(tc_ledger_guarantee(d->ledger, TACIT_UNIT_USER, user, 1e-9, &tc_accountant_pure,
                                  &claim, &err));
    *entries = claim.entries;
    return claim.bound.epsilon;
}

/* ---- memory and cap ---- */

static void the_same_question_has_the_same_answer(void **state)
{
    (void)state;
    static const tacit_reply_kind kinds[] = {TACIT_REPLY_LAPLACE, TACIT_REPLY_ONE_BIT,
                                             TACIT_REPLY_PIECEWISE};
    for (size_t k = 0; k < 3; k++) {
        fixture *d = open_fixture(kinds[k], 0.5, 4);
        uint64_t entries;
        tc_ldp_answer first = ask(d, "ann", 7, 1.5);
        assert_false(first.again);
        assert_true(first.is_private);
        for (int i = 0; i < 20; i++) { /* another reward, and none at all: the answer stands */
            tc_ldp_answer again = ask(d, "ann", 7, i % 2 ? -2 : (double)NAN);
            assert_true(again.again);
            assert_same_bits(again.value, first.value);
            assert_int_equal(again.head.seq, first.head.seq);
        }
        assert_close(spent(d, "ann", &entries), 0.5, 0);
        assert_int_equal(entries, 1);
        close_fixture(d);
    }
}

/* What is remembered is in the ledger, not in the process. */
static void answers_outlive_the_curator(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture(TACIT_REPLY_LAPLACE, 1, 2);
    tc_ldp_answer first = ask(d, "ann", 7, 1.5), again = {0};
    tc_ledger_close(d->ledger);
    d->ledger = fake_open(&d->store);
    tc_ldp_terms terms = {TACIT_REPLY_LAPLACE, 1, -2, 2, 2};
    assert_ok(tc_ldp_curator_init(&d->curator, d->ledger, &terms, &err));
    again = ask(d, "ann", 7, -1);
    assert_true(again.again);
    assert_same_bits(again.value, first.value);
    close_fixture(d);
}

static void answers_are_charged_and_capped(void **state)
{
    (void)state;
    static const double epsilons[] = {0.1, 1, 0.3333333333333333, 7.7};
    for (size_t k = 0; k < 4; k++)
        for (uint64_t cap = 1; cap <= 7; cap += 2) {
            tacit_error err = {0};
            fixture *d = open_fixture(TACIT_REPLY_LAPLACE, epsilons[k], cap);
            uint64_t entries;
            tc_ldp_answer out = {.value = 5};
            for (uint64_t i = 0; i < cap; i++) {
                ask(d, "ann", i, 0.1);
                double now = spent(d, "ann", &entries);
                assert_close(now, (double)(i + 1) * epsilons[k], 1e-12);
                assert_int_equal(entries, i + 1);
            }
            d->question.number = cap;
            size_t appends = d->store.appends;
            assert_fails(
                tc_ldp_curator_answer(&d->curator, &d->question, 0, &d->entropy, &out, &err),
                TACIT_E_BUDGET, "user \"ann\" may give");
            assert_int_equal(d->store.appends, appends);
            assert_close(out.value, 5, 0);
            spent(d, "ann", &entries);
            assert_int_equal(entries, cap);
            ask(d, "ann", 0, 0); /* an old question is still answered */
            ask(d, "bob", 0, 0); /* and so is another user */
            close_fixture(d);
        }
}

static void the_cap_counts_over_studies(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture(TACIT_REPLY_ONE_BIT, 1, 2);
    tc_ldp_answer out;
    double first = ask(d, "ann", 3, 2).value;
    d->question.study = tc_ledger_study_hash("{\"another\": true}");
    ask(d, "ann", 3, 2); /* the same number in another study is another question */
    assert_fails(
        tc_ldp_curator_answer(&d->curator,
                              &(tc_ldp_question){tc_ledger_study_hash("{\"third\": 1}"), "ann", 3},
                              0, &d->entropy, &out, &err),
        TACIT_E_BUDGET,
        "user \"ann\" may give 2 answers in all, has given 2 (epsilon 2) and is asked for 1 more");
    d->question.study = tc_ledger_study_hash("{}");
    assert_same_bits(ask(d, "ann", 3, 2).value, first);
    close_fixture(d);
}

/* Users share a ledger and a number, not an answer. */
static void users_have_answers_of_their_own(void **state)
{
    (void)state;
    fixture *d = open_fixture(TACIT_REPLY_PIECEWISE, 1, 1);
    uint64_t entries;
    double value[40];
    size_t differ = 0;
    for (size_t i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "user-%zu", i);
        value[i] = ask(d, name, 11, 1).value;
        differ += i > 0 && value[i] != value[i - 1];
    }
    for (size_t i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "user-%zu", i);
        assert_same_bits(ask(d, name, 11, -1).value, value[i]);
        assert_close(spent(d, name, &entries), 1, 0);
    }
    assert_int_equal(differ, 39);
    close_fixture(d);
}

/* ---- races ---- */

/* A store through which another process answers the same question, just before call number `at`. */
typedef struct raced {
    failing_ledger_store *store;
    fixture *other;
    size_t calls, at;
    double reply; /* of the other process */
} raced;

static tc_ledger_io pass(raced *r)
{
    if (++r->calls == r->at)
        r->reply = ask(r->other, "ann", 7, -2).value;
    return fake_io(r->store);
}

static tacit_status raced_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                 tacit_error *err)
{
    tc_ledger_io real = pass(io->store);
    return real.append(&real, r, err);
}

static tacit_status raced_head(const tc_ledger_io *io, tacit_head *out, tacit_error *err)
{
    tc_ledger_io real = pass(io->store);
    return real.head(&real, out, err);
}

static tacit_status raced_scan(const tc_ledger_io *io, uint64_t after, tc_ledger_visit visit,
                               void *user, tacit_error *err)
{
    tc_ledger_io real = pass(io->store);
    return real.scan(&real, after, visit, user, err);
}

static tacit_status raced_find(const tc_ledger_io *io, const tacit_hash *study, uint64_t round,
                               uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err)
{
    tc_ledger_io real = pass(io->store);
    return real.find(&real, study, round, seq, release, size, err);
}

/* The other process answers before call number `at` of the store; false: there were fewer calls. */
static bool race(size_t at)
{
    tacit_error err = {0};
    fixture *d = open_fixture(TACIT_REPLY_LAPLACE, 1, 1);
    raced r = {.store = &d->store, .other = d};
    tc_ledger_io io = {.store = &r,
                       .append = raced_append,
                       .head = raced_head,
                       .scan = raced_scan,
                       .find = raced_find};
    tc_ledger *l = NULL;
    tc_ldp_curator c;
    tc_ldp_answer got = {0};
    uint64_t entries;
    tc_ldp_terms terms = {TACIT_REPLY_LAPLACE, 1, -2, 2, 1};
    tc_ldp_question q = {tc_ledger_study_hash("{}"), "ann", 7};
    assert_ok(tc_ledger_open(&l, "test", &io, &err));
    assert_ok(tc_ldp_curator_init(&c, l, &terms, &err));
    r.calls = 0;
    r.at = at;
    assert_ok(tc_ldp_curator_answer(&c, &q, 2, &d->entropy, &got, &err));
    bool met = r.calls >= at;
    if (met)
        assert_same_bits(got.value, r.reply);
    assert_same_bits(ask(d, "ann", 7, 0).value, got.value);
    assert_close(spent(d, "ann", &entries), 1, 0);
    assert_int_equal(entries, 1);
    tc_ledger_close(l);
    close_fixture(d);
    return met;
}

/* Whenever the other one comes, both have the one reply, and the last answer of the cap pays for it. */
static void a_question_that_another_process_answers_is_answered(void **state)
{
    (void)state;
    size_t at = 1;
    while (race(at))
        at++;
    assert_true(at > 8);
}

/* ---- refusals ---- */

static void terms_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ldp_curator c = {.answers = 99};
    tc_ldp_terms none = {TACIT_REPLY_LAPLACE, 1, -1, 1, 0};
    tc_ldp_terms epsilon = {TACIT_REPLY_LAPLACE, 0, -1, 1, 1};
    tc_ldp_terms bounds = {TACIT_REPLY_LAPLACE, 1, 1, 1, 1};
    assert_fails(tc_ldp_curator_init(&c, NULL, &none, &err), TACIT_E_ARG,
                 "a user must be allowed at least 1 answer, got 0");
    assert_fails(tc_ldp_curator_init(&c, NULL, &epsilon, &err), TACIT_E_ARG, "epsilon");
    assert_fails(tc_ldp_curator_init(&c, NULL, &bounds, &err), TACIT_E_ARG, "bound");
    assert_int_equal(c.answers, 99);
}

static void users_need_a_name(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture(TACIT_REPLY_LAPLACE, 1, 1);
    tc_ldp_answer out;
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    long_name[299] = 0;
    d->question.user = "";
    assert_fails(tc_ldp_curator_answer(&d->curator, &d->question, 0, &d->entropy, &out, &err),
                 TACIT_E_ARG, "the name of a user has 1 to 255 bytes, got 0");
    d->question.user = long_name;
    assert_fails(tc_ldp_curator_answer(&d->curator, &d->question, 0, &d->entropy, &out, &err),
                 TACIT_E_ARG, "got 299");
    assert_int_equal(d->store.n, 0);
    close_fixture(d);
}

static void other_terms_are_a_conflict(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture(TACIT_REPLY_LAPLACE, 1, 3);
    tc_ldp_answer out;
    ask(d, "ann", 7, 1.5);
    tc_ldp_terms other = {TACIT_REPLY_LAPLACE, 0.5, -2, 2, 9};
    assert_ok(tc_ldp_curator_init(&d->curator, d->ledger, &other, &err));
    assert_fails(
        tc_ldp_curator_answer(&d->curator, &d->question, 0, &d->entropy, &out, &err),
        TACIT_E_CONFLICT,
        "question 7 to user \"ann\" was answered on other terms: laplace-reply, epsilon 1");
    other = (tc_ldp_terms){TACIT_REPLY_ONE_BIT, 1, -2, 2, 9};
    assert_ok(tc_ldp_curator_init(&d->curator, d->ledger, &other, &err));
    assert_fails(tc_ldp_curator_answer(&d->curator, &d->question, 0, &d->entropy, &out, &err),
                 TACIT_E_CONFLICT, "was answered on other terms");
    close_fixture(d);
}

/* A store that breaks down lets nothing out; what it had stored is what comes out later. */
static void a_broken_store_is_asked_again(void **state)
{
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        tacit_error err = {0};
        fixture *d = open_fixture(TACIT_REPLY_LAPLACE, 1, 2);
        tc_ldp_answer out = {.value = 5};
        ask(d, "ann", 9, 0); /* and the cap */
        d->question.number = 0;
        d->store.fail_append = TACIT_E_IO;
        d->store.append_anyway = stored;
        d->store.fail_find = TACIT_E_IO;
        assert_fails(tc_ldp_curator_answer(&d->curator, &d->question, 1, &d->entropy, &out, &err),
                     TACIT_E_IO, "");
        assert_close(out.value, 5, 0);
        d->store.fail_find = TACIT_OK;
        tc_ldp_answer a = ask(d, "ann", 0, 1);
        assert_int_equal(a.again, stored);
        assert_int_equal(d->store.n, 3);
        close_fixture(d);
    }
}

static void seeded_answers_are_not_private(void **state)
{
    (void)state;
    fixture *d = open_fixture(TACIT_REPLY_LAPLACE, 1, 1);
    tc_test_noise seeded;
    tc_test_noise_init(&seeded, 1, 1);
    d->entropy = tc_entropy_of_test(&seeded);
    assert_false(ask(d, "ann", 0, 1).is_private);
    d->entropy = tc_entropy_of(&d->noise);
    assert_false(ask(d, "ann", 0, 1).is_private); /* the stamp stays */
    close_fixture(d);
}

/* ---- the law of a reply, through the contract of an algorithm ---- */

enum { DRAWS = 20000 };

static tc_ldp_options options_with(int reply, double epsilon)
{
    tacit_error err = {0};
    tc_ldp_options o;
    assert_ok(tc_options_defaults(tc_ldp_tgp_options, &o, &err));
    o.reply = reply;
    o.epsilon = epsilon;
    return o;
}

static double reply_to(const tc_ldp_options *o, double y, tc_entropy *e)
{
    tacit_error err = {0};
    tc_release *r = NULL;
    assert_ok(tc_algorithm_ldp_tgp.curator->reply(o, y, e, &r, &err));
    double value = tc_release_value(r, 0);
    tc_release_free(r);
    return value;
}

/* Mean and variance within five standard errors; seeded, so that it never fails by chance. */
static void assert_law(int reply, double epsilon, double y, double mean, double var)
{
    tc_ldp_options o = options_with(reply, epsilon);
    tc_test_noise seeded;
    tc_test_noise_init(&seeded, 5, (uint64_t)(100 * epsilon));
    tc_entropy e = tc_entropy_of_test(&seeded);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        double value = reply_to(&o, y, &e) - mean;
        sum += value;
        squares += value * value;
    }
    assert_close(sum / DRAWS, 0, 5 * sqrt(var / DRAWS));
    assert_close(squares / DRAWS, var, 0.08 * var);
}

/* Bounds are -2 and 2. Laplace: variance 2 (4/epsilon)^2; one bit: c^2 - y^2 with c = 2 (e^epsilon
 * + 1)/(e^epsilon - 1). What lies beyond the bounds counts as the bound, and what is no number as
 * the middle. */
static void replies_have_the_stated_law(void **state)
{
    (void)state;
    double c = 2 * (exp(1) + 1) / (exp(1) - 1);
    assert_law(TACIT_REPLY_LAPLACE, 1, 0.5, 0.5, 32);
    assert_law(TACIT_REPLY_LAPLACE, 4, 100, 2, 2);
    assert_law(TACIT_REPLY_LAPLACE, 4, -INFINITY, 0, 2);
    assert_law(TACIT_REPLY_LAPLACE, 2, (double)NAN, 0, 8);
    assert_law(TACIT_REPLY_ONE_BIT, 1, 1, 1, c * c - 1);
    assert_law(TACIT_REPLY_ONE_BIT, 1, -3, -2, c * c - 4);
    assert_law(TACIT_REPLY_ONE_BIT, 1, (double)NAN, 0, c * c);
}

/* One bit: the share of + is 1/2 + (y/2) (e^epsilon - 1)/(2 (e^epsilon + 1)), and there are two
 * values. */
static void one_bit_replies_have_two_values(void **state)
{
    (void)state;
    tc_ldp_options o = options_with(TACIT_REPLY_AUTO, 0.8);
    tc_test_noise seeded;
    tc_test_noise_init(&seeded, 5, 9);
    tc_entropy e = tc_entropy_of_test(&seeded);
    double c = 2 * (exp(0.8) + 1) / (exp(0.8) - 1), plus = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        double value = reply_to(&o, 1, &e);
        assert_close(fabs(value), c, 1e-12);
        plus += value > 0;
    }
    assert_close(plus / DRAWS, 0.5 + 0.5 * (exp(0.8) - 1) / (2 * (exp(0.8) + 1)), 0.018);
}

/* ---- what the last bits tell (Mironov 2012) ---- */

/* The textbook's sampler: y - s ln U in floating point. */
static double naive(double y, double s, uint64_t word)
{
    double noise = -s * log((double)((word >> 11) + 1) * 0x1p-53);
    return word & 1 ? y - noise : y + noise;
}

/* Could it have made `out` from y? The attacker tries the uniforms nearby. */
static bool naive_reaches(double y, double s, double out)
{
    double guess = exp(-fabs(out - y) / s) * 0x1p53;
    for (int64_t k = (int64_t)guess - 64; k <= (int64_t)guess + 64; k++) {
        double noise = -s * log((double)k * 0x1p-53);
        if (k >= 1 && k <= INT64_C(1) << 53 && (y + noise == out || y - noise == out))
            return true;
    }
    return false;
}

/* Could the curator have made `out` from y? From every y it reaches every point of one lattice: is
 * `out` on it? */
static bool curator_reaches(const tc_reply *r, double y, double out)
{
    double position = round((fmin(fmax(y, r->low), r->high) - r->offset) /
                            ((r->high - r->low) / 2) * (double)r->reach);
    double noise = round((out - r->offset) / r->step) - position;
    return r->offset + r->step * (position + noise) == out;
}

static void no_reply_identifies_its_input(void **state)
{
    (void)state;
    static const double pairs[][2] = {{0, 1}, {-1, 1}, {0.3, 0.7}};
    for (size_t p = 0; p < 3; p++) {
        tc_ldp_options o = options_with(TACIT_REPLY_LAPLACE, 2);
        tc_reply r;
        tacit_error err = {0};
        tc_test_noise seeded;
        size_t caught = 0, told = 0, tries = 2000;
        assert_ok(tc_ldp_reply(&o, &r, &err));
        tc_test_noise_init(&seeded, 6, p);
        tc_entropy e = tc_entropy_of_test(&seeded);
        for (size_t i = 0; i < tries; i++) {
            double bad = naive(pairs[p][0], 2, e.u64(e.ctx));
            caught += !naive_reaches(pairs[p][1], 2, bad);
            double good = reply_to(&o, pairs[p][0], &e);
            assert_true(curator_reaches(&r, pairs[p][0], good));
            told += !curator_reaches(&r, pairs[p][1], good);
        }
        assert_true(caught > tries / 2 && caught < 7 * tries / 10);
        assert_int_equal(told, 0);
    }
}

/* ---- the promise ---- */

static void a_promise_is_shared_by_all_answers(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_env env = {0};
    tc_ldp_options o = options_with(TACIT_REPLY_LAPLACE, 1);
    o.answers = 3;
    assert_ok(tc_algorithm_ldp_tgp.promise(&env, &o, 0.7, 1e-5, &err));
    assert_true(3 * o.epsilon <= 0.7);
    assert_close(o.epsilon, 0.7 / 3, 1e-15);
    o.answers = 1000000;
    assert_fails(tc_algorithm_ldp_tgp.promise(&env, &o, 0.7, 1e-5, &err), TACIT_E_ARG,
                 "1000000 answers within epsilon 0.7: ");
    o = options_with(TACIT_REPLY_ONE_BIT, 0.4);
    o.answers = 6;
    o.bound = 3;
    tc_ldp_terms t = tc_ldp_terms_of(&o);
    assert_int_equal(t.reply, TACIT_REPLY_ONE_BIT);
    assert_int_equal(t.answers, 6);
    assert_close(t.epsilon, 0.4, 0);
    assert_close(t.low, -4, 0);
    assert_close(t.high, 4, 0);
    assert_null(tc_algorithm_tgp_ucb.promise);
    assert_null(tc_algorithm_tgp_ucb.curator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_question_has_the_same_answer),
        cmocka_unit_test(answers_outlive_the_curator),
        cmocka_unit_test(answers_are_charged_and_capped),
        cmocka_unit_test(the_cap_counts_over_studies),
        cmocka_unit_test(users_have_answers_of_their_own),
        cmocka_unit_test(a_question_that_another_process_answers_is_answered),
        cmocka_unit_test(terms_are_checked),
        cmocka_unit_test(users_need_a_name),
        cmocka_unit_test(other_terms_are_a_conflict),
        cmocka_unit_test(a_broken_store_is_asked_again),
        cmocka_unit_test(seeded_answers_are_not_private),
        cmocka_unit_test(replies_have_the_stated_law),
        cmocka_unit_test(one_bit_replies_have_two_values),
        cmocka_unit_test(no_reply_identifies_its_input),
        cmocka_unit_test(a_promise_is_shared_by_all_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
