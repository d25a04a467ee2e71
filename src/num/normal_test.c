/* normal_test.c - the same numbers as Box and Muller with the C library's functions, to rounding;
 * and their distribution. */
#include "support/test.h"

#include "num/normal.h"

enum { MANY = 200000 };

static tc_stream stream(uint64_t step)
{
    tc_party_seed seed = tc_party_seed_from(5);
    tc_stream s;
    tc_stream_party(&s, &seed, 0, TC_FOR_DRAW, step);
    return s;
}

/* One number of a batch of n <= 128, from its two words. */
static double reference(const uint64_t *words, size_t n, size_t i)
{
    size_t h = (n + 1) / 2, k = i < h ? i : i - h;
    double u = 1 - (double)(words[k] >> 12) * 0x1p-52;
    double angle = 2 * M_PI * ((double)(words[h + k] >> 12) * 0x1p-52);
    return sqrt(-2 * log(u)) * (i < h ? cos(angle) : sin(angle));
}

static void they_are_box_and_muller(void **state)
{
    uint64_t words[128];
    double x[128];
    (void)state;
    for (size_t n = 1; n <= 128; n++) {
        tc_stream a = stream(n), b = a;
        tc_normals(&a, n, x);
        tc_draw_words(&b, n + n % 2, words);
        for (size_t i = 0; i < n; i++)
            assert_close(x[i], reference(words, n, i), 2e-14);
    }
}

/* Long vectors are batches of 128, one after the other; nothing is written beyond the end. */
static void long_vectors_are_batches(void **state)
{
    double x[301], y[128];
    (void)state;
    for (size_t n = 129; n <= 300; n += 19) {
        tc_stream a = stream(n), b = a;
        x[n] = 7;
        tc_normals(&a, n, x);
        assert_same_bits(x[n], 7);
        for (size_t from = 0; from < n; from += 128) {
            size_t left = n - from < 128 ? n - from : 128;
            tc_normals(&b, left, y);
            for (size_t i = 0; i < left; i++)
                assert_same_bits(x[from + i], y[i]);
        }
    }
}

static void none_draw_nothing(void **state)
{
    tc_stream a = stream(1), b = a;
    (void)state;
    tc_normals(&a, 0, NULL);
    assert_true(tc_draw_u64(&a) == tc_draw_u64(&b));
}

/* Kolmogorov and Smirnov: the largest gap times sqrt(n) is beyond 1.95 once in a thousand. */
static void they_are_normal(void **state)
{
    static double x[MANY];
    static unsigned below[800];
    double mean = 0, square = 0, fourth = 0, gap = 0, sum = 0;
    tc_stream s = stream(0);
    (void)state;
    tc_normals(&s, MANY, x);
    for (size_t i = 0; i < MANY; i++) {
        mean += x[i] / MANY;
        square += x[i] * x[i] / MANY;
        fourth += x[i] * x[i] * x[i] * x[i] / MANY;
        double place = fmin(fmax((x[i] + 4) * 100, 0), 799);
        below[(size_t)place]++;
    }
    assert_close(mean, 0, 4 / sqrt(MANY));
    assert_close(square, 1, 4 * sqrt(2.0 / MANY));
    assert_close(fourth, 3, 4 * sqrt(96.0 / MANY));
    for (size_t i = 0; i < 799; i++) {
        sum += below[i];
        gap = fmax(gap, fabs(sum / MANY - erfc(-((double)(i + 1) / 100 - 4) / sqrt(2)) / 2));
    }
    assert_true(gap * sqrt(MANY) < 1.95);
}

/* Known bits: the same from every compiler and instruction set. */
static void bits_are_fixed(void **state)
{
    static const double known[] = {-0x1.ebc3142075cccp-2, -0x1.79a1b549f0251p-3,
                                   -0x1.18231289fd713p-2, 0x1.f8ca17ae00ba4p-5,
                                   0x1.edc7d24c6b91bp+0};
    double x[5];
    tc_stream s = stream(3);
    (void)state;
    tc_normals(&s, 5, x);
    for (size_t i = 0; i < 5; i++)
        assert_same_bits(x[i], known[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_box_and_muller), cmocka_unit_test(long_vectors_are_batches),
        cmocka_unit_test(none_draw_nothing),       cmocka_unit_test(they_are_normal),
        cmocka_unit_test(bits_are_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
