/* partition_test.c - cells and regions against exact fractions kept in the test. */
#include "space/partition.h"

#include "base/random.h"
#include "support/test.h"

enum { DIM_MAX = 7 };

__extension__ typedef unsigned __int128 wide;

/* The slow, obvious tree: an exact box p/q per axis, split along the longest side. */
typedef struct box {
    uint64_t p[DIM_MAX], q[DIM_MAX];
} box;

static box root_box(void)
{
    box b;
    for (size_t d = 0; d < DIM_MAX; d++) {
        b.p[d] = 0;
        b.q[d] = 1;
    }
    return b;
}

static box child_box(box b, unsigned k, size_t dim, unsigned j)
{
    size_t longest = 0;
    for (size_t d = 1; d < dim; d++)
        if (b.q[d] < b.q[longest])
            longest = d;
    b.p[longest] = b.p[longest] * k + j;
    b.q[longest] *= k;
    return b;
}

/* |got - p/q| is at most half a unit in the last place of got: exact, in integers.
 * got = mantissa * 2^exponent, so compare |mantissa*q - p*2^-exponent| with q/2. */
static bool nearest_double(double got, uint64_t p, uint64_t q)
{
    if (p == 0)
        return got == 0;
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(got, &exponent), 53);
    exponent -= 53; /* -53 .. -115 */
    int shift = -exponent;
    if (shift > 63 + __builtin_clzll(p))
        return false; /* got is far too small */
    wide left = (wide)mantissa * q, right = (wide)p << shift;
    wide off = left > right ? left - right : right - left;
    return 2 * off <= q;
}

static void assert_box(tc_cell c, unsigned k, size_t dim, const box *b)
{
    double low[DIM_MAX], high[DIM_MAX], centre[DIM_MAX];
    tc_cell_box(c, k, dim, low, high);
    tc_cell_centre(c, k, dim, centre);
    for (size_t d = 0; d < dim; d++) {
        assert_true(nearest_double(low[d], b->p[d], b->q[d]));
        assert_true(nearest_double(high[d], b->p[d] + 1, b->q[d]));
        assert_true(nearest_double(centre[d], 2 * b->p[d] + 1, 2 * b->q[d]));
    }
}

static void max_depth_fits_a_signed_integer(void **state)
{
    (void)state;
    assert_int_equal(tc_cell_max_depth(2), 62);
    assert_int_equal(tc_cell_max_depth(3), 39);
    assert_int_equal(tc_cell_max_depth(5), 27);
    assert_int_equal(tc_cell_max_depth(4294967295u), 1);
}

static void a_child_is_named_after_its_parent(void **state)
{
    (void)state;
    tc_cell c = tc_cell_child(tc_cell_child((tc_cell){0, 0}, 3, 2), 3, 1);
    assert_int_equal(c.depth, 2);
    assert_int_equal(c.index, 7);
}

static void boxes_are_exact_to_the_last_depth(void **state)
{
    (void)state;
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream_public(&s, &seed, TC_FOR_REGIONS, 1);
    for (unsigned k = 2; k <= 7; k++)
        for (size_t dim = 1; dim <= DIM_MAX; dim++)
            for (int walk = 0; walk < 20; walk++) {
                box b = root_box();
                tc_cell c = {0, 0};
                while (c.depth < tc_cell_max_depth(k)) {
                    assert_box(c, k, dim, &b);
                    unsigned j = (unsigned)tc_draw_below(&s, k);
                    b = child_box(b, k, dim, j);
                    c = tc_cell_child(c, k, j);
                }
                assert_box(c, k, dim, &b);
            }
}

static void children_tile_their_parent(void **state)
{
    (void)state;
    for (unsigned k = 2; k <= 5; k++)
        for (uint64_t index = 0; index < 16; index++) {
            tc_cell parent = {4, index};
            double low[3], high[3], l[3], h[3], before[3];
            tc_cell_box(parent, k, 3, low, high);
            size_t axis = 4 % 3;
            for (unsigned j = 0; j < k; j++) {
                tc_cell_box(tc_cell_child(parent, k, j), k, 3, l, h);
                for (size_t d = 0; d < 3; d++)
                    if (d != axis) {
                        assert_same_bits(l[d], low[d]);
                        assert_same_bits(h[d], high[d]);
                    }
                assert_same_bits(l[axis], j == 0 ? low[axis] : before[axis]);
                before[axis] = h[axis];
            }
            assert_same_bits(before[axis], high[axis]);
        }
}

static void middle_child_keeps_the_centre(void **state)
{
    (void)state;
    for (unsigned k = 3; k <= 7; k += 2) {
        tc_cell c = {0, 0};
        while (c.depth < tc_cell_max_depth(k)) {
            tc_cell child = tc_cell_child(c, k, k / 2);
            double a[2], b[2];
            tc_cell_centre(c, k, 2, a);
            tc_cell_centre(child, k, 2, b);
            assert_same_bits(a[0], b[0]);
            assert_same_bits(a[1], b[1]);
            c = child;
        }
    }
}

static void points_are_found_in_their_cell(void **state)
{
    (void)state;
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(2);
    tc_stream_public(&s, &seed, TC_FOR_REGIONS, 2);
    static const uint32_t depths[] = {0, 1, 2, 5, 17, 27};
    for (unsigned k = 2; k <= 5; k++)
        for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
            for (int n = 0; n < 200; n++) {
                double u[3], low[3], high[3];
                for (size_t d = 0; d < 3; d++)
                    u[d] = tc_draw_uniform(&s);
                tc_cell c = tc_cell_of(u, depths[i], k, 3);
                assert_int_equal(c.depth, depths[i]);
                tc_cell_box(c, k, 3, low, high);
                for (size_t d = 0; d < 3; d++)
                    assert_true(low[d] <= u[d] && u[d] < high[d]);
                if (depths[i] > 0)
                    assert_int_equal(c.index / k, tc_cell_of(u, depths[i] - 1, k, 3).index);
            }
}

static void borders_belong_to_the_higher_part(void **state)
{
    (void)state;
    for (unsigned k = 2; k <= 5; k++) {
        uint32_t depth = 4;
        uint64_t cells = (uint64_t)k * k * k * k;
        for (uint64_t i = 0; i < cells; i++) {
            double low[2], high[2], one[2] = {1, 1};
            tc_cell_box((tc_cell){depth, i}, k, 2, low, high);
            assert_int_equal(tc_cell_of(low, depth, k, 2).index, i);
            assert_int_equal(tc_cell_of(one, depth, k, 2).index, cells - 1);
        }
    }
}

static void centre_lies_in_its_cell_at_any_depth(void **state)
{
    (void)state;
    for (unsigned k = 2; k <= 5; k++) {
        uint32_t depth = tc_cell_max_depth(k);
        tc_cell c = {depth, 0};
        for (uint32_t t = 0; t < depth; t++)
            c.index = c.index * k + t % k;
        double u[4];
        tc_cell_centre(c, k, 4, u);
        assert_int_equal(tc_cell_of(u, depth, k, 4).index, c.index);
    }
}

static void regions_tile_the_cube(void **state)
{
    (void)state;
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream_public(&s, &seed, TC_FOR_REGIONS, 3);
    for (size_t P = 1; P <= 64; P++)
        for (size_t dim = 1; dim <= 4; dim++)
            for (int n = 0; n < 50; n++) {
                double u[4], low[4], high[4];
                for (size_t d = 0; d < dim; d++)
                    u[d] = tc_draw_uniform(&s);
                size_t inside = 0, found = tc_region_of(u, P, dim), at = P;
                for (size_t r = 0; r < P; r++) {
                    bool in = true;
                    tc_region_box(r, P, dim, low, high);
                    for (size_t d = 0; d < dim; d++)
                        in = in && low[d] <= u[d] && u[d] <= high[d];
                    inside += in;
                    at = in && at == P ? r : at;
                }
                assert_int_equal(found, at);
                assert_int_equal(inside, 1); /* a random point is on no border */
            }
}

static void regions_have_equal_volume(void **state)
{
    (void)state;
    for (size_t P = 1; P <= 97; P++)
        for (size_t dim = 1; dim <= 4; dim++)
            for (size_t r = 0; r < P; r++) {
                double low[4], high[4], volume = 1;
                tc_region_box(r, P, dim, low, high);
                for (size_t d = 0; d < dim; d++)
                    volume *= high[d] - low[d];
                assert_close(volume, 1.0 / (double)P, 1e-13);
            }
}

static void axes_are_cut_in_turn(void **state)
{
    (void)state;
    double low[2], high[2];
    tc_region_box(0, 4, 2, low, high);
    assert_true(high[0] == 0.5 && high[1] == 0.5);
    tc_region_box(0, 6, 2, low, high); /* 2 along the first axis, 3 along the second */
    assert_same_bits(high[0], 0.5);
    assert_same_bits(high[1], 1.0 / 3);
    tc_region_box(1, 6, 2, low, high); /* the last axis counts first */
    assert_same_bits(low[0], 0);
    assert_same_bits(low[1], 1.0 / 3);
    tc_region_box(0, 8, 2, low, high); /* 2, 2, 2: the first axis twice */
    assert_true(high[0] == 0.25 && high[1] == 0.5);
}

static void a_region_border_belongs_to_the_lowest_index(void **state)
{
    (void)state;
    for (size_t P = 2; P <= 40; P++)
        for (size_t r = 0; r < P; r++) {
            double low[1], high[1];
            tc_region_box(r, P, 1, low, high);
            assert_int_equal(tc_region_of(high, P, 1), r);
            assert_int_equal(tc_region_of(low, P, 1), r == 0 ? 0 : r - 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(max_depth_fits_a_signed_integer),
        cmocka_unit_test(a_child_is_named_after_its_parent),
        cmocka_unit_test(boxes_are_exact_to_the_last_depth),
        cmocka_unit_test(children_tile_their_parent),
        cmocka_unit_test(middle_child_keeps_the_centre),
        cmocka_unit_test(points_are_found_in_their_cell),
        cmocka_unit_test(borders_belong_to_the_higher_part),
        cmocka_unit_test(centre_lies_in_its_cell_at_any_depth),
        cmocka_unit_test(regions_tile_the_cube),
        cmocka_unit_test(regions_have_equal_volume),
        cmocka_unit_test(axes_are_cut_in_turn),
        cmocka_unit_test(a_region_border_belongs_to_the_lowest_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
