/* share_test.c - dealings against numbers that another program computed, what t and t + 1 shares say, and sums. */
#include "privacy/share_int.h"

#include "support/test.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/random.h"

#include <sodium.h>
#include <stdio.h>

enum { MOST_WORDS = 300, MOST_BYTES = TC_TRUSTEES_MOST * 8 * MOST_WORDS };

/* By the number of trustees; t is the least. */
static tc_trustees terms(uint32_t count)
{
    return tc_trustees_usual(count);
}

static void secret_of(uint64_t number, uint8_t out[TC_SHARE_SECRET])
{
    memset(out, 0, TC_SHARE_SECRET);
    tc_put_le(out, number, 8);
}

/* The words of all shares of a dealing. */
typedef struct shares {
    uint64_t word[TC_TRUSTEES_MOST][MOST_WORDS];
} shares;

static void add_dealing(const tc_trustees *t, const uint8_t *dealing, size_t n, shares *s)
{
    tacit_error err = {0};
    for (uint32_t k = 0; k < t->count; k++)
        assert_ok(tc_share_add(t, k, dealing + tc_share_offset(t, k, n), n, s->word[k], &err));
}

static void deal_and_add(const tc_trustees *t, uint64_t number, const int64_t *v, size_t n,
                         shares *s)
{
    static uint8_t dealing[MOST_BYTES];
    uint8_t secret[TC_SHARE_SECRET];
    secret_of(number, secret);
    tc_share_deal(t, secret, v, n, dealing);
    add_dealing(t, dealing, n, s);
}

/* Opens with the trustees of `set`. */
static tc_share_opening open_with(const tc_trustees *t, const shares *s, uint32_t set, size_t n,
                                  int64_t *out)
{
    const uint64_t *answers[TC_TRUSTEES_MOST] = {0};
    for (uint32_t k = 0; k < t->count; k++)
        answers[k] = set >> k & 1 ? s->word[k] : NULL;
    return tc_share_open(t, answers, n, out);
}

static unsigned members(uint32_t set)
{
    return (unsigned)__builtin_popcount(set);
}

/* ---- vectors of tests/golden/share.py */

static const int64_t vector[] = {
    0, 1, -1, 5, TC_FIELD_MOST, -TC_FIELD_MOST, 123456789012345678, -33554432};
static const int64_t other[] = {7, -1, 1, INT64_C(1) << 40, -5, 5, 1, 33554432};
enum { WORDS = sizeof vector / sizeof *vector };

static const struct golden {
    tc_trustees t;
    const char *seed, *hash;
    uint64_t share[WORDS], sum[WORDS]; /* of the last trustee */
} golden[] = {
    {{.count = 3, .degree = 2, .colluding = 1, .dealers = 3},
     "8f80767a443ec6882123a3cbb9a1b37cb0f19dd139fb7fff39c41a5848d4283e",
     "d826988e8ced204ecddf0754a6b63e6a40943f52fed9bf1f21ff72c7e7de0095",
     {16928215090859132, 2256304837060916362, 29238203156665168, 1094809889988973097,
      1850468533839278793, 248863447794424541, 1255821307340108470, 728324071149101480},
     {18086279801358982, 1467112341220198133, 1141901800734678598, 363063665093866393,
      972768134212466102, 789473521944164715, 740007976931401973, 2289457621541909540}},
    {{.count = 5, .degree = 3, .colluding = 1, .dealers = 3},
     "d157eab881bf0cacaf261dd4c79489566f9fc933cbec574d10f03aaa6165909b",
     "b934809dd4372a3d5e31a06fc20490d4b873e7aeddc08d1aebb3456b1db1c833",
     {1510943209077586062, 756077412148407731, 590478782889855947, 2290253814721946817,
      2268641410056241098, 1538778289994129502, 707267492849814132, 565508885743566176},
     {1228457473715510184, 1019858939489577787, 2076999152385243692, 572454634183507321,
      97700604963234442, 2026175203776055174, 615390821209554111, 1960057003619124137}},
    {{.count = 16, .degree = 8, .colluding = 1, .dealers = 3},
     "c49a3c15e3ea06990e0ac35e2068966273964d2378df05abd85eac6ffc153ac8",
     "dd6c3a683c7b8548e1dedc4cf3d7dff49b4a0acb430baef47c872d1b807c2dd4",
     {758388267576411901, 202927376460009961, 810486861074865656, 1200362551389557330,
      256912035622801935, 1592270353825707215, 2271824798665720443, 598339574505428103},
     {780879463586290121, 1816167577458579638, 1306487373294257096, 19648409143959194,
      1162827316248249078, 694889486630226650, 1030708767460673602, 1985676718608907427}},
};

static void assert_hex(const uint8_t *bytes, const char *expected)
{
    char hex[65];
    sodium_bin2hex(hex, sizeof hex, bytes, 32);
    assert_string_equal(hex, expected);
}

static void check_golden(const struct golden *g)
{
    static uint8_t dealing[MOST_BYTES];
    uint8_t secret[TC_SHARE_SECRET], hash[32];
    shares s = {0};
    int64_t opened[WORDS];
    const uint32_t last = g->t.count - 1;
    for (uint8_t i = 0; i < sizeof secret; i++)
        secret[i] = i;
    tc_share_deal(&g->t, secret, vector, WORDS, dealing);
    crypto_generichash(hash, sizeof hash, dealing, tc_share_offset(&g->t, g->t.count, WORDS), NULL,
                       0);
    assert_hex(dealing, g->seed);
    assert_hex(hash, g->hash);
    add_dealing(&g->t, dealing, WORDS, &s);
    assert_memory_equal(s.word[last], g->share, sizeof g->share);
    for (uint8_t i = 0; i < sizeof secret; i++)
        secret[i]++;
    tc_share_deal(&g->t, secret, other, WORDS, dealing);
    add_dealing(&g->t, dealing, WORDS, &s);
    assert_memory_equal(s.word[last], g->sum, sizeof g->sum);
    assert_int_equal(open_with(&g->t, &s, (UINT32_C(2) << last) - 1, WORDS, opened).finding,
                     TC_SHARE_CONSISTENT);
    for (size_t j = 0; j < WORDS; j++)
        assert_true(opened[j] == vector[j] + other[j]);
}

static void test_dealings_are_those_of_another_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        check_golden(&golden[i]);
}

/* ---- what shares say */

static void fill(int64_t *v, size_t n, uint64_t step, int64_t most)
{
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream_public(&s, &seed, TC_FOR_DRAW, step);
    for (size_t j = 0; j < n; j++)
        v[j] = (int64_t)tc_draw_below(&s, 2 * (uint64_t)most + 1) - most;
}

/* Also where a vector ends within a chunk of work, at its end, and one word later. */
static void test_any_t_plus_one_open_a_sum(void **state)
{
    (void)state;
    static const uint32_t counts[] = {3, 4, 5, 6, 8};
    static const size_t sizes[] = {1, TC_SHARE_CHUNK, TC_SHARE_CHUNK + 1, MOST_WORDS};
    int64_t v[MOST_WORDS], opened[MOST_WORDS];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const tc_trustees t = terms(counts[i]);
        const size_t n = sizes[i % 4];
        static shares s;
        memset(&s, 0, sizeof s);
        fill(v, n, i, TC_FIELD_MOST);
        deal_and_add(&t, i, v, n, &s);
        for (uint32_t set = 0; set < UINT32_C(1) << t.count; set++) {
            const tc_share_opening o = open_with(&t, &s, set, n, opened);
            if (members(set) <= t.degree) {
                assert_int_equal(o.finding, TC_SHARE_TOO_FEW);
                continue;
            }
            assert_int_equal(o.finding, TC_SHARE_CONSISTENT);
            assert_int_equal(o.spare, members(set) - t.degree - 1);
            assert_memory_equal(opened, v, n * sizeof *v);
            memset(opened, 0, sizeof opened);
        }
    }
}

static void test_sums_of_many_dealings(void **state)
{
    (void)state;
    enum { MANY = 200, N = 20 };
    const tc_trustees t = terms(5);
    static shares s;
    int64_t v[N], sum[N] = {0}, opened[N];
    for (uint64_t i = 0; i < MANY; i++) {
        fill(v, N, 100 + i, INT64_C(1) << 51);
        deal_and_add(&t, i, v, N, &s);
        for (size_t j = 0; j < N; j++)
            sum[j] += v[j];
    }
    assert_int_equal(open_with(&t, &s, 0x1e, N, opened).finding, TC_SHARE_CONSISTENT);
    assert_memory_equal(opened, sum, sizeof sum);
}

/* For any t shares and any other vector there is exactly one dealing of that vector with these shares: its polynomial is
 * interpolated here, and opens to the other vector with every t + 1. So t shares say nothing. */
static void check_any_vector_fits(const tc_trustees *t, uint32_t set, const shares *of, int64_t v)
{
    uint64_t points[TC_TRUSTEES_MOST] = {0}, values[TC_TRUSTEES_MOST] = {tc_field_from(v)};
    uint64_t weights[TC_TRUSTEES_MOST];
    const uint64_t *rows[TC_TRUSTEES_MOST];
    static shares s;
    int64_t opened;
    size_t n = 1;
    for (uint32_t k = 0; k < t->count; k++)
        if (set >> k & 1) {
            points[n] = k + 1;
            values[n++] = of->word[k][0];
        }
    assert_int_equal(n, t->degree + 1);
    for (size_t i = 0; i < n; i++)
        rows[i] = &values[i];
    for (uint32_t k = 0; k < t->count; k++) {
        tc_share_weights(points, n, k + 1, weights);
        s.word[k][0] = tc_share_combine(weights, rows, n, 0);
        if (set >> k & 1)
            assert_true(s.word[k][0] == of->word[k][0]);
    }
    assert_int_equal(open_with(t, &s, (UINT32_C(1) << t->count) - 1, 1, &opened).finding,
                     TC_SHARE_CONSISTENT);
    assert_true(opened == v);
}

static void test_t_shares_fit_every_vector(void **state)
{
    (void)state;
    static const uint32_t counts[] = {3, 4, 5, 6, 8};
    static const int64_t vectors[] = {0, 1, -1, TC_FIELD_MOST, -TC_FIELD_MOST, 987654321};
    const int64_t dealt = 42;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const tc_trustees t = terms(counts[i]);
        static shares s;
        memset(&s, 0, sizeof s);
        deal_and_add(&t, i, &dealt, 1, &s);
        for (uint32_t set = 0; set < UINT32_C(1) << t.count; set++)
            for (size_t j = 0; members(set) == t.degree && j < 6; j++)
                check_any_vector_fits(&t, set, &s, vectors[j]);
    }
}

/* Two shares of (3, 2) together, by the highest two bits and the lowest two of each: 16 cells of 256. */
static double chi_square(int64_t v, uint32_t a, uint32_t b, unsigned bit)
{
    enum { DEALINGS = 4096, CELLS = 16 };
    const tc_trustees t = terms(3);
    double count[CELLS] = {0}, sum = 0;
    for (uint64_t i = 0; i < DEALINGS; i++) {
        static shares s;
        memset(&s, 0, sizeof s);
        deal_and_add(&t, i, &v, 1, &s);
        count[(s.word[a][0] >> bit & 3) << 2 | (s.word[b][0] >> bit & 3)]++;
    }
    for (size_t c = 0; c < CELLS; c++)
        sum += (count[c] - DEALINGS / CELLS) * (count[c] - DEALINGS / CELLS) / (DEALINGS / CELLS);
    return sum;
}

/* 15 degrees of freedom: above 44.3 once in 10^4. The draws are fixed, so it does not flake. */
static void test_t_shares_are_uniform_whatever_the_vector(void **state)
{
    (void)state;
    static const int64_t vectors[] = {0, TC_FIELD_MOST, -1};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t a = 0; a < 3; a++)
            for (unsigned bit = 0; bit <= 59; bit += 59)
                assert_true(chi_square(vectors[i], a, (a + 1) % 3, bit) < 44.3);
}

/* ---- a dealing as bytes */

static void test_a_dealing_repeats_itself_and_no_other(void **state)
{
    (void)state;
    enum { N = 10 };
    const tc_trustees t = terms(5);
    uint8_t a[MOST_BYTES], b[MOST_BYTES], secret[TC_SHARE_SECRET];
    int64_t v[N];
    const size_t size = tc_share_offset(&t, 5, N);
    assert_int_equal(size, 3 * 32 + 2 * 8 * N);
    assert_int_equal(tc_share_size(&t, 2, N), 32);
    assert_int_equal(tc_share_size(&t, 3, N), 8 * N);
    fill(v, N, 1, 1000);
    secret_of(1, secret);
    tc_share_deal(&t, secret, v, N, a);
    tc_share_deal(&t, secret, v, N, b);
    assert_memory_equal(a, b, size);
    v[N - 1]++; /* with the same secret: no seed is the same */
    tc_share_deal(&t, secret, v, N, b);
    for (uint32_t k = 0; k < 3; k++)
        assert_memory_not_equal(a + tc_share_offset(&t, k, N), b + tc_share_offset(&t, k, N), 32);
}

static void test_a_word_that_is_none_of_the_field_is_refused(void **state)
{
    (void)state;
    static const uint64_t words[] = {TC_FIELD_P,
                                     TC_FIELD_P + 1,
                                     UINT64_C(1) << 61,
                                     UINT64_C(1) << 63,
                                     (UINT64_C(1) << 63) + TC_FIELD_P - 1,
                                     (UINT64_C(1) << 63) + TC_FIELD_P,
                                     UINT64_MAX};
    const tc_trustees t = terms(5);
    tacit_error err = {0};
    uint64_t sums[2] = {3, 4};
    uint8_t share[16];
    tc_put_le(share, TC_FIELD_P - 1, 8);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        tc_put_le(share + 8, words[i], 8);
        assert_fails(tc_share_add(&t, 4, share, 2, sums, &err), TACIT_E_ARG,
                     "the share for trustee 4 has a word that is not below 2^61 - 1");
        assert_true(sums[0] == 3 && sums[1] == 4);
    }
    tc_put_le(share + 8, 0, 8);
    assert_ok(tc_share_add(&t, 4, share, 2, sums, &err));
    assert_true(sums[0] == 2 && sums[1] == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dealings_are_those_of_another_program),
        cmocka_unit_test(test_any_t_plus_one_open_a_sum),
        cmocka_unit_test(test_sums_of_many_dealings),
        cmocka_unit_test(test_t_shares_fit_every_vector),
        cmocka_unit_test(test_t_shares_are_uniform_whatever_the_vector),
        cmocka_unit_test(test_a_dealing_repeats_itself_and_no_other),
        cmocka_unit_test(test_a_word_that_is_none_of_the_field_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
