/* digits_hand_test.c - slant and width of drawn strokes, and the cut beside a slow one. */
#include "papers/data/digits_hand.h"

#include "base/random.h"
#include "support/test.h"

#include <math.h>

enum { SIDE = TC_DIGIT_SIDE, IMAGES = 257 };

/* From row 4 to 23; `lean` columns to the right for every row up. */
static void stroke(uint8_t *pixel, double lean, size_t breadth)
{
    memset(pixel, 0, TC_DIGIT_PIXELS);
    for (size_t r = 4; r < 24; r++)
        for (size_t b = 0; b < breadth; b++)
            pixel[r * SIDE + (size_t)(12 + lean * (13.5 - (double)r)) + b] = 255;
}

static void a_stroke_has_its_slant(void **state)
{
    (void)state;
    uint8_t pixel[TC_DIGIT_PIXELS];
    static const double leans[] = {-0.75, -0.5, 0, 0.25, 0.5, 1};
    for (size_t i = 0; i < sizeof leans / sizeof *leans; i++) {
        stroke(pixel, leans[i], 3);
        assert_close(tc_hand_of(pixel).slant, leans[i], 0.02);
    }
}

/* Of a bar of length l and breadth w: 2 l w / (2 l + 2 w), but for its corners. */
static void a_stroke_has_its_width(void **state)
{
    (void)state;
    uint8_t pixel[TC_DIGIT_PIXELS];
    for (size_t w = 1; w < 7; w++) {
        stroke(pixel, 0, w);
        double expected = 20.0 * (double)w / (20 + (double)w);
        assert_close(tc_hand_of(pixel).width, expected, 0.03 * expected);
    }
}

static void fainter_ink_is_the_same_hand(void **state)
{
    (void)state;
    uint8_t pixel[TC_DIGIT_PIXELS];
    stroke(pixel, 0.5, 3);
    tc_hand dark = tc_hand_of(pixel);
    for (size_t i = 0; i < TC_DIGIT_PIXELS; i++)
        pixel[i] /= 3;
    tc_hand faint = tc_hand_of(pixel);
    assert_close(faint.slant, dark.slant, 1e-12);
    assert_close(faint.width, dark.width, 1e-12);
}

static void no_ink_is_no_hand(void **state)
{
    (void)state;
    uint8_t pixel[TC_DIGIT_PIXELS] = {0};
    assert_close(tc_hand_of(pixel).slant, 0, 0);
    assert_close(tc_hand_of(pixel).width, 0, 0);
    pixel[40] = 255; /* one row: no height to lean over */
    assert_close(tc_hand_of(pixel).slant, 0, 0);
    assert_true(tc_hand_of(pixel).width > 0);
}

/* How many items of the same class come before i. */
static size_t rank_of(size_t i, size_t n, const size_t *class, const double *key, size_t *size)
{
    size_t rank = 0;
    *size = 0;
    for (size_t k = 0; k < n; k++)
        if (class[k] == class[i]) {
            ++*size;
            rank += key[k] < key[i] || (!(key[k] > key[i]) && k < i);
        }
    return rank;
}

static void the_cut_is_by_ranks(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { SLANTS = 4, WIDTHS = 3 };
    uint8_t label[IMAGES];
    tc_hand hand[IMAGES];
    size_t whose[IMAGES], class[IMAGES], group[IMAGES], size;
    double slant[IMAGES], width[IMAGES];
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    for (size_t i = 0; i < IMAGES; i++) {
        class[i] = label[i] = (uint8_t)tc_draw_below(&s, 5);
        hand[i].slant = slant[i] = (double)tc_draw_below(&s, 20); /* some are level */
        hand[i].width = width[i] = (double)tc_draw_below(&s, 6);
    }
    tc_digit_images d = {.n = IMAGES, .label = label};
    assert_ok(tc_hand_cut(&d, hand, SLANTS, WIDTHS, whose, &err));
    for (size_t i = 0; i < IMAGES; i++) {
        size_t rank = rank_of(i, IMAGES, class, slant, &size);
        group[i] = class[i] * SLANTS + rank * SLANTS / size;
    }
    for (size_t i = 0; i < IMAGES; i++) {
        size_t rank = rank_of(i, IMAGES, group, width, &size);
        assert_int_equal(whose[i], group[i] % SLANTS * WIDTHS + rank * WIDTHS / size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stroke_has_its_slant),       cmocka_unit_test(a_stroke_has_its_width),
        cmocka_unit_test(fainter_ink_is_the_same_hand), cmocka_unit_test(no_ink_is_no_hand),
        cmocka_unit_test(the_cut_is_by_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
