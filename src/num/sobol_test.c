/* sobol_test.c - the published sequence, its balance, and what the shift and the rest must keep. */
#include "support/test.h"

#include "num/sobol.h"

static tc_sobol sequence(size_t dim, uint64_t seed)
{
    const tc_public_seed public = tc_public_seed_from(seed);
    tc_stream s;
    tc_sobol q;
    tc_stream_public(&s, &public, TC_FOR_DESIGN, 0);
    tc_sobol_init(&q, dim, &s);
    return q;
}

static tc_sobol unshifted(size_t dim)
{
    tc_sobol q = sequence(dim, 1);
    memset(q.shift, 0, sizeof q.shift);
    return q;
}

/* As scipy.stats.qmc.Sobol(64, scramble=False, bits=52) has them. */
static void points_are_joe_and_kuos(void **state)
{
    static const size_t at[] = {0, 1, 2, 3, 10, 40, 63};
    static const struct {
        uint64_t i;
        double u[7];
    } known[] = {
        {0, {0, 0, 0, 0, 0, 0, 0}},
        {1, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
        {2, {0.75, 0.25, 0.25, 0.25, 0.75, 0.25, 0.75}},
        {5, {0.875, 0.875, 0.125, 0.375, 0.375, 0.375, 0.625}},
        {1000,
         {0.2197265625, 0.0966796875, 0.5185546875, 0.6767578125, 0.0849609375, 0.9130859375,
          0.4462890625}},
        {1023,
         {0.0009765625, 0.7529296875, 0.6123046875, 0.1455078125, 0.6787109375, 0.6318359375,
          0.0400390625}},
    };
    const tc_sobol q = unshifted(64);
    double u[64];
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        tc_sobol_point(&q, known[k].i, u);
        for (size_t d = 0; d < 7; d++)
            assert_same_bits(u[at[d]], known[k].u[d]);
    }
}

/* Of 2^k points each of 2^k equal intervals of every coordinate holds exactly one; a digital shift
 * keeps that. */
static void every_coordinate_is_balanced(void **state)
{
    enum { K = 256 };
    static unsigned char hit[TC_SOBOL_DIM][K];
    const tc_sobol q = sequence(TC_SOBOL_DIM, 9);
    double u[TC_SOBOL_DIM];
    (void)state;
    memset(hit, 0, sizeof hit);
    for (uint64_t i = 0; i < K; i++) {
        tc_sobol_point(&q, i, u);
        for (size_t d = 0; d < TC_SOBOL_DIM; d++) {
            assert_true(u[d] >= 0 && u[d] < 1);
            hit[d][(size_t)(u[d] * K)]++;
        }
    }
    for (size_t d = 0; d < TC_SOBOL_DIM; d++)
        for (size_t k = 0; k < K; k++)
            assert_int_equal(hit[d][k], 1);
}

/* The first two coordinates are a (0,2)-net: also all 16 x 16 boxes hold one of 256 points. */
static void the_first_plane_is_a_net(void **state)
{
    unsigned char hit[16][16] = {{0}};
    const tc_sobol q = sequence(2, 10);
    double u[2];
    (void)state;
    for (uint64_t i = 0; i < 256; i++) {
        tc_sobol_point(&q, i, u);
        hit[(size_t)(u[0] * 16)][(size_t)(u[1] * 16)]++;
    }
    for (size_t a = 0; a < 16; a++)
        for (size_t b = 0; b < 16; b++)
            assert_int_equal(hit[a][b], 1);
}

static void seeds_differ_and_repeat(void **state)
{
    const tc_sobol a = sequence(3, 1), b = sequence(3, 1), c = sequence(3, 2);
    double u[3], v[3], w[3];
    (void)state;
    tc_sobol_point(&a, 77, u);
    tc_sobol_point(&b, 77, v);
    tc_sobol_point(&c, 77, w);
    for (size_t d = 0; d < 3; d++) {
        assert_same_bits(u[d], v[d]);
        assert_true(u[d] != w[d]);
    }
}

static void coordinates_do_not_depend_on_the_others(void **state)
{
    const tc_sobol narrow = sequence(3, 4), wide = sequence(70, 4);
    double u[3], v[70];
    (void)state;
    tc_sobol_point(&narrow, 12345, u);
    tc_sobol_point(&wide, 12345, v);
    for (size_t d = 0; d < 3; d++)
        assert_same_bits(u[d], v[d]);
}

static void coordinates_above_the_table_are_uniform(void **state)
{
    enum { DIM = TC_SOBOL_DIM + 9, COUNT = 4000 };
    const tc_sobol q = sequence(DIM, 5);
    double u[DIM], last[DIM] = {0}, sum[DIM] = {0}, squares[DIM] = {0};
    (void)state;
    for (uint64_t i = 0; i < COUNT; i++) {
        tc_sobol_point(&q, i, u);
        for (size_t d = TC_SOBOL_DIM; d < DIM; d++) {
            assert_true(u[d] >= 0 && u[d] < 1 && u[d] != last[d]);
            assert_true(d == TC_SOBOL_DIM || u[d] != u[d - 1]);
            last[d] = u[d];
            sum[d] += u[d];
            squares[d] += u[d] * u[d];
        }
    }
    for (size_t d = TC_SOBOL_DIM; d < DIM; d++) { /* five standard deviations */
        assert_close(sum[d] / COUNT, 0.5, 5 * sqrt(1.0 / 12 / COUNT));
        assert_close(squares[d] / COUNT, 1.0 / 3, 5 * sqrt(4.0 / 45 / COUNT));
    }
    tc_sobol_point(&q, COUNT - 1, u); /* out of order: the same point */
    for (size_t d = TC_SOBOL_DIM; d < DIM; d++)
        assert_same_bits(u[d], last[d]);
}

static void late_points_use_all_bits(void **state)
{
    const tc_sobol q = unshifted(2);
    double u[2];
    (void)state;
    tc_sobol_point(&q, (UINT64_C(1) << 52) - 1, u); /* gray code 2^51: the last direction alone */
    assert_same_bits(u[0], 0x1p-52);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_joe_and_kuos),
        cmocka_unit_test(every_coordinate_is_balanced),
        cmocka_unit_test(the_first_plane_is_a_net),
        cmocka_unit_test(seeds_differ_and_repeat),
        cmocka_unit_test(coordinates_do_not_depend_on_the_others),
        cmocka_unit_test(coordinates_above_the_table_are_uniform),
        cmocka_unit_test(late_points_use_all_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
