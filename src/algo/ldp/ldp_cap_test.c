/* ldp_cap_test.c - the cap on a user's answers, and the terms on which a question was answered. */
#include "support/test.h"
#include "support/failing_ledger_store.h"

#include "algo/ldp/ldp_curator.h"

#include <stdio.h>

typedef struct fixture {
    failing_ledger_store store;
    tc_ledger *ledger;
    tc_noise noise;
    tc_entropy entropy;
} fixture;

static fixture *open_fixture(void)
{
    fixture *d = tc_alloc(1, sizeof *d);
    assert_non_null(d);
    d->ledger = fake_open(&d->store);
    tc_noise_init(&d->noise);
    d->entropy = tc_entropy_of(&d->noise);
    return d;
}

static void close_fixture(fixture *d)
{
    tc_ledger_close(d->ledger);
    tc_noise_fini(&d->noise);
    tc_free(d);
}

static tc_ldp_curator curator(fixture *d, tacit_reply_kind kind, double epsilon, double bound,
                              uint64_t answers)
{
    tacit_error err = {0};
    tc_ldp_curator c;
    tc_ldp_terms terms = {kind, epsilon, -bound, bound, answers};
    assert_ok(tc_ldp_curator_init(&c, d->ledger, &terms, &err));
    return c;
}

static tc_ldp_question question(uint64_t number)
{
    return (tc_ldp_question){tc_ledger_study_hash("{}"), "ann", number};
}

static tacit_status answer(fixture *d, tc_ldp_curator *c, uint64_t number, double *value,
                           tacit_error *err)
{
    tc_ldp_question q = question(number);
    tc_ldp_answer a = {0};
    TC_TRY(tc_ldp_curator_answer(c, &q, 0.5, &d->entropy, &a, err));
    if (value)
        *value = a.value;
    return TACIT_OK;
}

/* An answer is a number of steps, and how long a step is the bounds say: under others it would
 * be another number, and two of them differ by what nobody drew. */
static void other_bounds_are_a_conflict(void **state)
{
    (void)state;
    static const tacit_reply_kind kinds[] = {TACIT_REPLY_LAPLACE, TACIT_REPLY_ONE_BIT,
                                             TACIT_REPLY_PIECEWISE};
    static const double others[] = {0.5, 2, 100, 1 + 1e-15};
    for (size_t k = 0; k < 3; k++) {
        tacit_error err = {0};
        fixture *d = open_fixture();
        tc_ldp_curator c = curator(d, kinds[k], 1, 1, 5);
        double first = 0, again = 0, none = 7;
        assert_ok(answer(d, &c, 3, &first, &err));
        size_t stored = d->store.n;
        for (size_t i = 0; i < 4; i++) {
            c = curator(d, kinds[k], 1, others[i], 5);
            assert_fails(answer(d, &c, 3, &none, &err), TACIT_E_CONFLICT,
                         "question 3 to user \"ann\" was answered on other terms: ");
            assert_non_null(strstr(err.msg, "epsilon 1, other bounds"));
        }
        tc_ldp_terms moved = {kinds[k], 1, 0, 2, 5}; /* the same step, another offset */
        assert_ok(tc_ldp_curator_init(&c, d->ledger, &moved, &err));
        assert_fails(answer(d, &c, 3, &none, &err), TACIT_E_CONFLICT, "other bounds");
        c = curator(d, kinds[k], 1, 1, 5);
        assert_ok(answer(d, &c, 3, &again, &err));
        assert_same_bits(again, first);
        assert_close(none, 7, 0);
        assert_int_equal(d->store.n, stored);
        close_fixture(d);
    }
}

static void the_cap_counts_answers_of_any_price(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_ldp_curator cheap = curator(d, TACIT_REPLY_LAPLACE, 0.1, 1, 9);
    for (uint64_t i = 0; i < 9; i++)
        assert_ok(answer(d, &cheap, i, NULL, &err));
    tc_ldp_curator dear = curator(d, TACIT_REPLY_LAPLACE, 1, 1, 2);
    assert_fails(answer(d, &dear, 9, NULL, &err), TACIT_E_BUDGET,
                 "user \"ann\" may give 2 answers in all, has given 9 (epsilon 0.9");
    close_fixture(d);

    d = open_fixture();
    dear = curator(d, TACIT_REPLY_LAPLACE, 3, 1, 3);
    assert_ok(answer(d, &dear, 0, NULL, &err));
    cheap = curator(d, TACIT_REPLY_LAPLACE, 1, 1, 3);
    assert_ok(answer(d, &cheap, 1, NULL, &err));
    assert_ok(answer(d, &cheap, 2, NULL, &err));
    assert_fails(
        answer(d, &cheap, 3, NULL, &err), TACIT_E_BUDGET,
        "user \"ann\" may give 3 answers in all, has given 3 (epsilon 5) and is asked for 1 more");
    close_fixture(d);
}

static void the_first_cap_is_never_lifted(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_ldp_standing s;
    tc_ldp_curator first = curator(d, TACIT_REPLY_ONE_BIT, 1, 1, 3);
    tc_ldp_curator larger = curator(d, TACIT_REPLY_ONE_BIT, 1, 1, 100);
    tc_ldp_curator smaller = curator(d, TACIT_REPLY_ONE_BIT, 1, 1, 1);
    assert_ok(answer(d, &first, 0, NULL, &err));
    assert_fails(answer(d, &smaller, 1, NULL, &err), TACIT_E_BUDGET,
                 "may give 1 answers in all, has");
    assert_ok(answer(d, &larger, 1, NULL, &err));
    tc_ledger_close(d->ledger); /* the cap is in the store, not in the process */
    d->ledger = fake_open(&d->store);
    larger.ledger = d->ledger;
    assert_ok(answer(d, &larger, 2, NULL, &err));
    assert_fails(answer(d, &larger, 3, NULL, &err), TACIT_E_BUDGET,
                 "user \"ann\" may give 3 answers in all, the cap of the first one, has given 3 "
                 "(epsilon 3) and is asked for 1 more");
    assert_ok(tc_ldp_curator_look(&larger, "ann", &s, &err));
    assert_int_equal(s.given, 3);
    assert_int_equal(s.cap, 3);
    assert_close(s.spent, 3, 0);
    assert_ok(tc_ldp_curator_look(&larger, "bob", &s, &err)); /* who has none of his own yet */
    assert_int_equal(s.given, 0);
    assert_int_equal(s.cap, 100);
    assert_close(s.spent, 0, 0);
    close_fixture(d);
}

/* A cap is no release, and whoever counts releases does not count it. */
static void a_cap_costs_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_ledger_claim claim;
    tc_ldp_curator c = curator(d, TACIT_REPLY_LAPLACE, 1, 1, 3);
    assert_ok(answer(d, &c, 0, NULL, &err));
    assert_int_equal(d->store.n, 2);
    assert_ok(tc_ledger_guarantee(d->ledger, TACIT_UNIT_USER, NULL, 1e-9, &tc_accountant_pure,
                                  &claim, &err));
    assert_string_equal(claim.subject, "ann");
    assert_int_equal(claim.entries, 1);
    assert_close(claim.bound.epsilon, 1, 0);
    assert_true(claim.is_private);
    tc_text statement = {0};
    tc_ledger_statement(d->ledger, &claim, &statement);
    assert_non_null(strstr(tc_text_get(&statement), "epsilon 1, delta 0 (pure) over 1 release."));
    assert_null(strstr(tc_text_get(&statement), "and also"));
    tc_text_fini(&statement);
    close_fixture(d);
}

static void several_are_allowed_together_or_not_at_all(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_ldp_curator c = curator(d, TACIT_REPLY_LAPLACE, 0.5, 1, 4);
    tc_ldp_question from = question(0);
    assert_ok(tc_ldp_curator_allow(&c, &from, 4, &err));
    assert_fails(tc_ldp_curator_allow(&c, &from, 5, &err), TACIT_E_BUDGET,
                 "user \"ann\" may give 4 answers in all, has given 0 (epsilon 0) and is asked for "
                 "5 more");
    assert_int_equal(d->store.n, 0);
    assert_ok(answer(d, &c, 1, NULL, &err));
    assert_ok(answer(d, &c, 2, NULL, &err));
    assert_ok(tc_ldp_curator_allow(&c, &from, 4, &err)); /* 1 and 2 are old: 0 and 3 are asked */
    assert_fails(tc_ldp_curator_allow(&c, &from, 5, &err), TACIT_E_BUDGET, "asked for 3 more");
    from.user = "";
    assert_fails(tc_ldp_curator_allow(&c, &from, 1, &err), TACIT_E_ARG, "the name of a user");
    close_fixture(d);
}

/* ---- two processes ---- */

typedef struct rival {
    failing_ledger_store store; /* first: the io's store */
    fixture *fixture;
    tc_ldp_curator curator;
    int countdown; /* looks at the store until the rival answers; below 0: never */
    bool answered;
} rival;

/* A look at the store, before which the other process may have been there. */
static tacit_status head_after_rival(const tc_ledger_io *io, tacit_head *out, tacit_error *err)
{
    rival *r = io->store;
    if (r->countdown-- == 0)
        r->answered = answer(r->fixture, &r->curator, 1, NULL, err) == TACIT_OK;
    return fake_head(io, out, err);
}

/* Wherever the other comes in between, one answer is one answer. */
static void processes_share_a_cap(void **state)
{
    (void)state;
    size_t by_rival = 0, by_us = 0;
    for (int at = 0; at < 24; at++) {
        tacit_error err = {0};
        rival *r = tc_alloc(1, sizeof *r);
        fixture *d = tc_alloc(1, sizeof *d), *theirs = tc_alloc(1, sizeof *theirs);
        assert_true(r && d && theirs);
        tc_noise_init(&d->noise);
        tc_noise_init(&theirs->noise);
        d->entropy = tc_entropy_of(&d->noise);
        theirs->entropy = tc_entropy_of(&theirs->noise);
        r->countdown = -1;
        theirs->ledger = fake_open(&r->store);
        tc_ledger_io io = fake_io(&r->store);
        io.head = head_after_rival;
        assert_ok(tc_ledger_open(&d->ledger, "test", &io, &err));
        tc_ldp_curator c = curator(d, TACIT_REPLY_LAPLACE, 1, 1, 1);
        r->fixture = theirs;
        r->curator = curator(theirs, TACIT_REPLY_LAPLACE, 1, 1, 1);
        r->countdown = at;
        bool ours = answer(d, &c, 0, NULL, &err) == TACIT_OK;
        tc_ldp_standing s;
        assert_ok(tc_ldp_curator_look(&c, "ann", &s, &err));
        assert_int_equal(s.given, 1);
        assert_int_equal(ours + r->answered, 1);
        by_us += ours;
        by_rival += r->answered;
        close_fixture(d);
        close_fixture(theirs);
        tc_free(r);
    }
    assert_true(by_us > 0 && by_rival > 3);
}

/* ---- values that cannot be answers ---- */

static void answers_are_told_from_most_rewards(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    for (int kind = TACIT_REPLY_ONE_BIT; kind <= TACIT_REPLY_LAPLACE; kind++) {
        tc_ldp_curator c = curator(d, (tacit_reply_kind)kind, 0.7, 1.3, 100);
        for (uint64_t i = 0; i < 8; i++) {
            double value = 0;
            assert_ok(answer(d, &c, 8 * (uint64_t)kind + i, &value, &err));
            assert_true(tc_ldp_curator_could_answer(&c, value));
            if (kind != TACIT_REPLY_PIECEWISE) /* whose lattice is as fine as numbers are */
                assert_false(tc_ldp_curator_could_answer(&c, value * (1 + 1e-10) + 1e-10));
        }
        if (kind != TACIT_REPLY_PIECEWISE)
            assert_false(tc_ldp_curator_could_answer(&c, 0.5));
        assert_false(tc_ldp_curator_could_answer(&c, (double)NAN));
        assert_false(tc_ldp_curator_could_answer(&c, (double)INFINITY));
        assert_false(tc_ldp_curator_could_answer(&c, 1e300));
    }
    tc_ldp_curator piecewise = curator(d, TACIT_REPLY_PIECEWISE, 2, 1, 100);
    assert_false(tc_ldp_curator_could_answer(&piecewise, 2.2)); /* (e + 1)/(e - 1) is 2.16 */
    tc_ldp_curator bit = curator(d, TACIT_REPLY_ONE_BIT, 1, 1, 100);
    assert_true(tc_ldp_curator_could_answer(&bit, -bit.reply.step));
    assert_false(tc_ldp_curator_could_answer(&bit, 2 * bit.reply.step));
    assert_false(tc_ldp_curator_could_answer(&bit, 0));
    close_fixture(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_bounds_are_a_conflict),
        cmocka_unit_test(the_cap_counts_answers_of_any_price),
        cmocka_unit_test(the_first_cap_is_never_lifted),
        cmocka_unit_test(a_cap_costs_nothing),
        cmocka_unit_test(several_are_allowed_together_or_not_at_all),
        cmocka_unit_test(processes_share_a_cap),
        cmocka_unit_test(answers_are_told_from_most_rewards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
