/* share_decode_test.c - every set of trustees that answer wrongly, and what c of them can do together. */
#include "privacy/share_int.h"

#include "support/test.h"
#include "base/bytes.h"
#include "base/random.h"

enum { N = 150 }; /* more than one chunk of a combination */

/* The sums of two dealings, as trustees hold them. */
typedef struct committee {
    tc_trustees t;
    int64_t sum[N];
    uint64_t word[TC_TRUSTEES_MOST][N];
} committee;

static void add_vector(committee *c, uint64_t number)
{
    static uint8_t dealing[TC_TRUSTEES_MOST * 8 * N];
    tacit_error err = {0};
    uint8_t secret[TC_SHARE_SECRET] = {(uint8_t)number};
    int64_t v[N];
    for (size_t j = 0; j < N; j++) {
        v[j] = (int64_t)(number * 1000 + j) - 1100;
        c->sum[j] += v[j];
    }
    tc_share_deal(&c->t, secret, v, N, dealing);
    for (uint32_t k = 0; k < c->t.count; k++)
        assert_ok(
            tc_share_add(&c->t, k, dealing + tc_share_offset(&c->t, k, N), N, c->word[k], &err));
}

static void init(committee *c, tc_trustees t)
{
    memset(c, 0, sizeof *c);
    c->t = t;
    add_vector(c, 1);
    add_vector(c, 2);
}

static unsigned members(uint32_t set)
{
    return (unsigned)__builtin_popcount(set);
}

static tc_share_opening open_with(const committee *c, uint32_t answering, int64_t *out)
{
    const uint64_t *answers[TC_TRUSTEES_MOST] = {0};
    for (uint32_t k = 0; k < c->t.count; k++)
        answers[k] = answering >> k & 1 ? c->word[k] : NULL;
    return tc_share_open(&c->t, answers, N, out);
}

/* Trustees of `lying` are off in one coordinate, each in another: a little, by any number, or by one in the last. */
static void lie(committee *c, uint32_t lying, uint64_t how)
{
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(how);
    tc_stream_public(&s, &seed, TC_FOR_DRAW, lying);
    for (uint32_t k = 0; k < c->t.count; k++) {
        if (!(lying >> k & 1))
            continue;
        uint64_t *word = &c->word[k][how % 3 == 2 ? N - 1 : (7 * k) % N];
        *word = tc_field_add(*word, how % 3 == 0 ? 1 + k : 1 + tc_draw_below(&s, TC_FIELD_P - 1));
    }
}

/* Of m answers so many are wrong, which do not lie together: noticed, named, or neither. */
static void check_lies(const committee *honest, uint32_t answering, uint32_t lying, uint64_t how)
{
    static committee c;
    int64_t opened[N];
    const uint32_t m = members(answering), wrong = members(answering & lying);
    memset(opened, 0x55, sizeof opened);
    c = *honest;
    lie(&c, lying, how);
    const tc_share_opening o = open_with(&c, answering, opened);
    assert_int_equal(o.answers, answering);
    if (m <= c.t.degree) {
        assert_int_equal(o.finding, TC_SHARE_TOO_FEW);
    } else if (wrong == 0) {
        assert_int_equal(o.finding, TC_SHARE_CONSISTENT);
    } else if (wrong <= tc_trustees_named(&c.t, m)) {
        assert_int_equal(o.finding, TC_SHARE_LIARS);
        assert_int_equal(o.liars, answering & lying);
    } else if (wrong <= tc_trustees_noticed(&c.t, m)) {
        assert_int_equal(o.finding, TC_SHARE_INCONSISTENT);
        assert_int_equal(o.liars, 0);
    } else {
        return; /* nothing is promised */
    }
    const bool sums = o.finding == TC_SHARE_CONSISTENT || o.finding == TC_SHARE_LIARS;
    if (sums)
        assert_memory_equal(opened, c.sum, sizeof c.sum);
    for (size_t j = 0; !sums && j < N; j++)
        assert_true(opened[j] == 0x5555555555555555);
}

static void check_all_lies(tc_trustees t)
{
    static committee c;
    const uint32_t all = (UINT32_C(1) << t.count) - 1;
    init(&c, t);
    for (uint32_t lying = 0; lying <= all; lying++)
        for (uint64_t how = 0; how < 3; how++)
            check_lies(&c, all, lying, how);
    for (uint32_t answering = 0; answering <= all; answering++)
        for (uint32_t lying = 0; lying <= all; lying++)
            if (members(lying) <= 2)
                check_lies(&c, answering, lying, answering);
}

static void test_every_set_of_liars(void **state)
{
    (void)state;
    static const uint32_t counts[] = {3, 4, 5, 6, 8};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        check_all_lies(tc_trustees_usual(counts[i]));
}

/* Two of nine and three of sixteen are named where the terms leave enough to spare. */
static void test_larger_committees_name_liars(void **state)
{
    (void)state;
    static committee c;
    init(&c, (tc_trustees){.count = 16, .degree = 8, .colluding = 1, .dealers = 9});
    assert_int_equal(tc_trustees_named(&c.t, 16), 3);
    for (uint32_t a = 0; a < 16; a++)
        for (uint32_t b = a; b < 16; b += 5)
            check_lies(&c, 0xffff, UINT32_C(1) << a | UINT32_C(1) << b | UINT32_C(1) << 15, a);
    init(&c, (tc_trustees){.count = 9, .degree = 5, .colluding = 2, .dealers = 6});
    for (uint32_t a = 0; a < 9; a++)
        check_lies(&c, 0x1ff, UINT32_C(1) << a, a);
}

/* Trustees of `lying` move their answers along a polynomial of degree t that is zero at the first t others: with these they
 * lie on one polynomial, which opens to another sum. Only the rest is off. */
static void lie_together(committee *c, uint32_t lying, uint32_t *honest_off)
{
    uint32_t zeros = 0;
    for (uint32_t k = 0; k < c->t.count && members(zeros) < c->t.degree; k++)
        zeros |= lying >> k & 1 ? 0 : UINT32_C(1) << k;
    *honest_off = ((UINT32_C(1) << c->t.count) - 1) & ~(lying | zeros);
    for (uint32_t k = 0; k < c->t.count; k++) {
        uint64_t move = lying >> k & 1;
        for (uint32_t z = 0; z < c->t.count; z++)
            move = zeros >> z & 1 ? tc_field_mul(move, tc_field_sub(k + 1, z + 1)) : move;
        c->word[k][3] = tc_field_add(c->word[k][3], move);
    }
}

/* c of them can never have another one named, nor a wrong sum taken for one that was checked: where they could, as two of
 * eight if one wrong answer were located, nobody is named. */
static void check_conspiracies(tc_trustees t, bool floor_would_err)
{
    static committee c;
    int64_t opened[N];
    const uint32_t all = (UINT32_C(1) << t.count) - 1;
    bool could = false;
    for (uint32_t lying = 0; lying <= all; lying++) {
        uint32_t off;
        if (members(lying) != t.colluding)
            continue;
        init(&c, t);
        lie_together(&c, lying, &off);
        could = could || members(off) <= tc_trustees_noticed(&t, t.count) / 2;
        const tc_share_opening o = open_with(&c, all, opened);
        assert_true(o.finding == TC_SHARE_INCONSISTENT ||
                    (o.finding == TC_SHARE_LIARS && o.liars == lying));
        if (o.finding == TC_SHARE_LIARS)
            assert_memory_equal(opened, c.sum, sizeof c.sum);
    }
    assert_true(could == floor_would_err);
}

static void test_colluding_trustees_frame_nobody(void **state)
{
    (void)state;
    check_conspiracies(tc_trustees_usual(6), false);
    check_conspiracies(tc_trustees_usual(8), true);
    check_conspiracies((tc_trustees){.count = 9, .degree = 5, .colluding = 2, .dealers = 6}, false);
}

/* One liar more than there are to spare, all together, are not noticed: why at most c are assumed. */
static void test_what_too_many_can_do(void **state)
{
    (void)state;
    static committee c;
    int64_t opened[N];
    uint32_t off;
    init(&c, tc_trustees_usual(4));
    lie_together(&c, 0xc, &off);
    assert_int_equal(off, 0);
    assert_int_equal(open_with(&c, 0xf, opened).finding, TC_SHARE_CONSISTENT);
    assert_memory_not_equal(opened, c.sum, sizeof opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_set_of_liars),
        cmocka_unit_test(test_larger_committees_name_liars),
        cmocka_unit_test(test_colluding_trustees_frame_nobody),
        cmocka_unit_test(test_what_too_many_can_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
