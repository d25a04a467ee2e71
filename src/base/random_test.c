/* random_test.c - streams keep their bits for ever, draws keep their
 * distributions, noise is never repeated.
 *
 * The golden numbers were computed by a separate implementation of the
 * construction in random.c (BLAKE2b and ChaCha20 written from their papers). */
#include "support/test.h"
#include "base/random.h"

#include <sys/wait.h>
#include <unistd.h>

static tc_stream public_stream(uint64_t seed, tc_purpose purpose, uint64_t step)
{
    tc_public_seed s = tc_public_seed_from(seed);
    tc_stream r;
    tc_stream_public(&r, &s, purpose, step);
    return r;
}

static tc_stream party_stream(uint64_t seed, uint64_t party, tc_purpose purpose, uint64_t step)
{
    tc_party_seed s = tc_party_seed_from(seed);
    tc_stream r;
    tc_stream_party(&r, &s, party, purpose, step);
    return r;
}

static uint64_t nth(tc_stream s, unsigned n)
{
    while (n-- > 0)
        tc_draw_u64(&s);
    return tc_draw_u64(&s);
}

/* ---- golden */

static void public_streams_keep_their_bits(void **state)
{
    (void)state;
    tc_stream s = public_stream(1, TC_FOR_DESIGN, 0);
    assert_true(nth(s, 0) == 0x045be064739c91d7);
    assert_true(nth(s, 1) == 0xf2cec988d60cb3d5);
    assert_true(nth(s, 2) == 0x70bd7758a93a3ecf);
    assert_true(nth(s, 99) == 0xf8cb18063176c9c9); /* beyond the first buffer */
}

static void party_streams_keep_their_bits(void **state)
{
    (void)state;
    tc_stream s = party_stream(7, 3, TC_FOR_DRAW, 42);
    assert_true(nth(s, 0) == 0x34629143edd815f4);
    assert_true(nth(s, 1) == 0x160cc799d14219c4);
    assert_true(nth(s, 2) == 0xe4e42d40791c7a01);
    assert_true(nth(s, 99) == 0x5cc632f64d689ff1);
}

static void numbers_keep_their_way_from_bits(void **state)
{
    (void)state;
    tc_stream s = party_stream(7, 3, TC_FOR_DRAW, 42), again = s;
    assert_same_bits(tc_draw_uniform(&s), 0.2046290198175884);
    assert_close(tc_draw_normal(&again), 0.5799794999244657, 1e-15); /* libm rounds the last bit */
    assert_close(tc_draw_normal(&again), 0.34859294676170066, 1e-15);

    static const size_t permutation[8] = {6, 5, 7, 0, 4, 1, 3, 2};
    static const uint64_t dice[8] = {3, 5, 5, 4, 2, 1, 4, 2};
    size_t p[8];
    s = again = public_stream(1, TC_FOR_DESIGN, 0);
    tc_draw_permutation(&s, 8, p);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(p[i], permutation[i]);
        assert_true(tc_draw_below(&again, 6) == dice[i]);
    }
}

/* ---- keys */

static void streams_differ_in_every_part_of_the_key(void **state)
{
    (void)state;
    tc_public_seed u;
    tc_party_seed p = tc_party_seed_from(1);
    memcpy(u.bytes, p.bytes, sizeof u.bytes); /* the same bytes in the other role */
    tc_stream other_role;
    tc_stream_public(&other_role, &u, TC_FOR_DRAW, 5);
    const tc_stream s[] = {
        party_stream(1, 0, TC_FOR_DRAW, 5),   party_stream(2, 0, TC_FOR_DRAW, 5),
        party_stream(1, 1, TC_FOR_DRAW, 5),   party_stream(1, 0, TC_FOR_COIN, 5),
        party_stream(1, 0, TC_FOR_DRAW, 6),   public_stream(1, TC_FOR_DRAW, 5),
        party_stream(1, 256, TC_FOR_DRAW, 5), other_role,
    };
    for (size_t i = 0; i < sizeof s / sizeof s[0]; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(nth(s[i], 0) != nth(s[k], 0));
}

static void a_copy_of_a_stream_goes_on_alike(void **state)
{
    (void)state;
    tc_stream a = public_stream(3, TC_FOR_FIT, 1);
    for (int i = 0; i < 77; i++)
        tc_draw_normal(&a);
    tc_stream b = a;
    for (int i = 0; i < 200; i++)
        assert_same_bits(tc_draw_normal(&a), tc_draw_normal(&b));
}

static void many_normals_are_single_normals(void **state)
{
    (void)state;
    tc_stream a = public_stream(4, TC_FOR_FEATURES, 0), b = a;
    double z[101];
    tc_draw_normal(&a);
    tc_draw_normal(&b);
    tc_draw_normals(&a, 101, z);
    for (size_t i = 0; i < 101; i++)
        assert_same_bits(z[i], tc_draw_normal(&b));
}

static void fresh_seeds_are_fresh(void **state)
{
    (void)state;
    tc_party_seed a = tc_party_seed_fresh(), b = tc_party_seed_fresh();
    assert_memory_not_equal(&a, &b, sizeof a);
    tc_public_seed c = tc_public_seed_fresh(), d = tc_public_seed_fresh();
    assert_memory_not_equal(&c, &d, sizeof c);
}

/* ---- distributions; seeds are fixed, bounds are at five standard errors */

static void uniforms_fill_the_unit_interval(void **state)
{
    (void)state;
    enum { N = 200000 };
    tc_stream s = public_stream(11, TC_FOR_DESIGN, 0);
    double sum = 0, squares = 0, low = 1, high = 0;
    for (int i = 0; i < N; i++) {
        double u = tc_draw_uniform(&s);
        sum += u;
        squares += u * u;
        low = fmin(low, u);
        high = fmax(high, u);
    }
    assert_true(low >= 0 && low < 1e-4 && high < 1 && high > 1 - 1e-4);
    assert_close(sum / N, 0.5, 5 * sqrt(1.0 / 12 / N));
    assert_close(squares / N, 1.0 / 3, 5 * sqrt(4.0 / 45 / N));
}

static void normals_have_their_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    tc_stream s = public_stream(12, TC_FOR_DRAW, 0);
    double m[5] = {0}, neighbours = 0, previous = 0;
    for (int i = 0; i < N; i++) {
        double z = tc_draw_normal(&s), power = 1;
        for (int k = 1; k <= 4; k++)
            m[k] += power *= z;
        neighbours += z * previous; /* both halves of a pair: uncorrelated */
        previous = z;
    }
    assert_close(m[1] / N, 0, 5 * sqrt(1.0 / N));
    assert_close(m[2] / N, 1, 5 * sqrt(2.0 / N));
    assert_close(m[3] / N, 0, 5 * sqrt(15.0 / N));
    assert_close(m[4] / N, 3, 5 * sqrt(96.0 / N));
    assert_close(neighbours / N, 0, 5 * sqrt(1.0 / N));
}

/* The largest distance between the normal distribution and what was drawn. */
static void normals_have_their_distribution(void **state)
{
    (void)state;
    enum { N = 100000, BINS = 1600 };
    static unsigned count[BINS];
    tc_stream s = public_stream(13, TC_FOR_DRAW, 0);
    for (int i = 0; i < N; i++) {
        double bin = floor((tc_draw_normal(&s) + 8) * 100);
        count[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (size_t)bin]++;
    }
    unsigned below = 0;
    double distance = 0;
    for (int i = 0; i + 1 < BINS; i++) {
        below += count[i];
        double z = (i + 1) / 100.0 - 8;
        distance = fmax(distance, fabs((double)below / N - erfc(-z / sqrt(2)) / 2));
    }
    assert_true(distance < 1.95 / sqrt(N)); /* Kolmogorov: exceeded once in a thousand seeds */
}

static void chi_squares_have_their_moments(void **state)
{
    (void)state;
    enum { N = 40000 };
    tc_stream s = public_stream(14, TC_FOR_FEATURES, 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        double x = tc_draw_chi2(&s, 5);
        assert_true(x > 0);
        sum += x;
        squares += (x - 5) * (x - 5);
    }
    assert_close(sum / N, 5, 5 * sqrt(10.0 / N));
    assert_close(squares / N, 10, 5 * sqrt((12.0 * 5 * 9 - 100) / N));
    assert_true(tc_draw_chi2(&s, 0) == 0);
}

static double chi_square(size_t bins, const unsigned *count, double expected)
{
    double x = 0;
    for (size_t i = 0; i < bins; i++)
        x += (count[i] - expected) * (count[i] - expected) / expected;
    return x;
}

static void below_is_even(void **state)
{
    (void)state;
    enum { N = 70000, BINS = 7 };
    unsigned count[BINS] = {0};
    tc_stream s = public_stream(15, TC_FOR_COIN, 0);
    for (int i = 0; i < N; i++)
        count[tc_draw_below(&s, BINS)]++;
    assert_true(chi_square(BINS, count, (double)N / BINS) < 22.5); /* 6 dof, 0.1 % */
    assert_true(tc_draw_below(&s, 1) == 0);
}

/* With n = 3 * 2^62 a plain remainder would hit the lowest third twice as often. */
static void below_is_unbiased_for_large_n(void **state)
{
    (void)state;
    enum { N = 30000 };
    const uint64_t third = (uint64_t)1 << 62;
    unsigned count[3] = {0};
    tc_stream s = public_stream(16, TC_FOR_COIN, 0);
    for (int i = 0; i < N; i++) {
        uint64_t v = tc_draw_below(&s, 3 * third);
        assert_true(v < 3 * third);
        count[v / third]++;
    }
    assert_true(chi_square(3, count, N / 3.0) < 13.8); /* 2 dof, 0.1 % */
}

static void permutations_are_permutations(void **state)
{
    (void)state;
    tc_stream s = public_stream(17, TC_FOR_REGIONS, 0);
    for (size_t n = 0; n < 60; n++) {
        size_t p[60];
        bool seen[60] = {false};
        tc_draw_permutation(&s, n, p);
        for (size_t i = 0; i < n; i++) {
            assert_true(p[i] < n && !seen[p[i]]);
            seen[p[i]] = true;
        }
    }
}

static void permutations_are_even(void **state)
{
    (void)state;
    enum { N = 24000 };
    unsigned count[24] = {0};
    tc_stream s = public_stream(18, TC_FOR_REGIONS, 0);
    for (int k = 0; k < N; k++) {
        size_t p[4], rank = 0;
        tc_draw_permutation(&s, 4, p);
        for (size_t i = 0; i < 4; i++) { /* rank by counting what is smaller to the right */
            size_t smaller = 0;
            for (size_t j = i + 1; j < 4; j++)
                smaller += p[j] < p[i];
            rank = rank * (4 - i) + smaller;
        }
        count[rank]++;
    }
    assert_true(chi_square(24, count, N / 24.0) < 49.8); /* 23 dof, 0.1 % */
}

/* ---- noise */

static void noise_is_not_repeated(void **state)
{
    (void)state;
    tc_noise a, b;
    tc_noise_init(&a);
    tc_noise_init(&b);
    uint64_t seen[300];
    for (size_t i = 0; i < 300; i++) {
        seen[i] = i % 2 ? tc_noise_u64(&a) : tc_noise_u64(&b);
        for (size_t k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
    }
    tc_noise_fini(&a);
    tc_noise_fini(&b);
}

static void noise_bits_are_even(void **state)
{
    (void)state;
    enum { N = 4000 };
    tc_noise n;
    tc_noise_init(&n);
    unsigned ones[64] = {0};
    for (int i = 0; i < N; i++) {
        uint64_t v = tc_noise_u64(&n);
        for (int bit = 0; bit < 64; bit++)
            ones[bit] += (unsigned)(v >> bit) & 1;
    }
    for (int bit = 0; bit < 64; bit++) /* unseeded: eight standard errors never happen */
        assert_close((double)ones[bit] / N, 0.5, 8 * 0.5 / sqrt(N));
    tc_noise_fini(&n);
}

static void noise_is_erased(void **state)
{
    (void)state;
    tc_noise n;
    tc_noise_init(&n);
    uint64_t v = tc_noise_u64(&n);
    assert_true(v != 0);
    for (size_t i = 0; i + 8 <= sizeof n.buf; i += 8) /* what was handed out is gone */
        assert_memory_not_equal(n.buf + i, &v, 8);
    tc_noise_fini(&n);
    const tc_noise zero = {0};
    assert_memory_equal(n.key, zero.key, sizeof n.key);
    assert_memory_equal(n.buf, zero.buf, sizeof n.buf);
}

static void a_forked_child_draws_other_noise(void **state)
{
    (void)state;
    tc_noise n;
    tc_noise_init(&n);
    tc_noise_u64(&n);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        uint64_t v = tc_noise_u64(&n);
        _exit(write(ends[1], &v, sizeof v) == sizeof v ? 0 : 1);
    }
    uint64_t theirs = 0, ours = tc_noise_u64(&n);
    assert_int_equal(read(ends[0], &theirs, sizeof theirs), sizeof theirs);
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    assert_true(theirs != ours);
    close(ends[0]);
    close(ends[1]);
    tc_noise_fini(&n);
}

static void a_key_makes_the_streams_of_its_party(void **state)
{
    (void)state;
    tc_party_seed seed = tc_party_seed_from(11);
    tc_party_key key = tc_party_key_of(&seed, 5, TC_FOR_COIN);
    for (uint64_t step = 0; step < 3; step++) {
        tc_stream a, b;
        tc_stream_party(&a, &seed, 5, TC_FOR_COIN, step);
        tc_stream_keyed(&b, &key, step);
        for (int i = 0; i < 200; i++)
            assert_true(tc_draw_u64(&a) == tc_draw_u64(&b));
    }
}

/* However many are drawn at a time, and in between others. */
static void many_words_are_single_words(void **state)
{
    (void)state;
    tc_party_seed seed = tc_party_seed_from(12);
    uint64_t words[150];
    for (size_t first = 0; first < 20; first++)
        for (size_t n = 0; n <= 150; n += 7) {
            tc_stream a, b;
            tc_stream_party(&a, &seed, 0, TC_FOR_DRAW, n);
            b = a;
            for (size_t i = 0; i < first; i++)
                assert_true(tc_draw_u64(&a) == tc_draw_u64(&b));
            tc_draw_words(&a, n, words);
            for (size_t i = 0; i < n; i++)
                assert_true(words[i] == tc_draw_u64(&b));
            for (size_t i = 0; i < 100; i++)
                assert_true(tc_draw_u64(&a) == tc_draw_u64(&b));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_streams_keep_their_bits),
        cmocka_unit_test(party_streams_keep_their_bits),
        cmocka_unit_test(numbers_keep_their_way_from_bits),
        cmocka_unit_test(streams_differ_in_every_part_of_the_key),
        cmocka_unit_test(a_copy_of_a_stream_goes_on_alike),
        cmocka_unit_test(a_key_makes_the_streams_of_its_party),
        cmocka_unit_test(many_words_are_single_words),
        cmocka_unit_test(many_normals_are_single_normals),
        cmocka_unit_test(fresh_seeds_are_fresh),
        cmocka_unit_test(uniforms_fill_the_unit_interval),
        cmocka_unit_test(normals_have_their_moments),
        cmocka_unit_test(normals_have_their_distribution),
        cmocka_unit_test(chi_squares_have_their_moments),
        cmocka_unit_test(below_is_even),
        cmocka_unit_test(below_is_unbiased_for_large_n),
        cmocka_unit_test(permutations_are_permutations),
        cmocka_unit_test(permutations_are_even),
        cmocka_unit_test(noise_is_not_repeated),
        cmocka_unit_test(noise_bits_are_even),
        cmocka_unit_test(noise_is_erased),
        cmocka_unit_test(a_forked_child_draws_other_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
