/* digits_hand.h - the hand that wrote a digit: slant and stroke width of an image, and images cut into hands.
 *
 * Writers differ in slant and pen, and both can be read off one image:
 *
 *     slant   m_xy / m_yy, moments about the centre of the ink: columns to the right for every row up
 *     width   2 x area / boundary, the breadth of a long stroke; the boundary of grey ink is the sum of the
 *             lengths of its gradients
 *
 * The cut: images of each label are sorted by slant into `slants` groups of one size, each group by width
 * into `widths`. So every hand writes all digits, about as often as the others, and hands differ in nothing
 * but how. No image is changed, no number is drawn. For digits_writers.c. */
#ifndef TC_PAPERS_DIGITS_HAND_H
#define TC_PAPERS_DIGITS_HAND_H

#include "papers/data/digits_read.h"

typedef struct tc_hand {
    double slant, width; /* an image without ink has 0 and 0 */
} tc_hand;

tc_hand tc_hand_of(const uint8_t pixel[TC_DIGIT_PIXELS]);

/* whose[i]: the hand of image i, s * widths + w for the s-th slant and the w-th width, from 0. Of two images
 * that are level the earlier one is first. */
tacit_status tc_hand_cut(const tc_digit_images *d, const tc_hand *hand, size_t slants,
                         size_t widths, size_t *whose, tacit_error *err);

#endif
