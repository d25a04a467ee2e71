/* digits_read.h - images of handwritten digits from text, as they are. For digits.c and digits_writers.c. */
#ifndef TC_PAPERS_DIGITS_READ_H
#define TC_PAPERS_DIGITS_READ_H

#include <tacit/status.h>

#include <stddef.h>
#include <stdint.h>

enum { TC_DIGIT_SIDE = 28, TC_DIGIT_PIXELS = TC_DIGIT_SIDE * TC_DIGIT_SIDE, TC_DIGIT_CLASSES = 10 };

typedef struct tc_digit_images {
    size_t n;
    uint8_t *pixel; /* n x TC_DIGIT_PIXELS, row by row; 0 is paper, 255 ink */
    uint8_t *label; /* n, 0 to 9 */
    size_t pixel_cap, label_cap;
} tc_digit_images;

/* text: CSV with the columns label (0 to 9) and 784 pixels (0 to 255). `d` is all zero before; end it also
 * after a failure. E_ARG names row and column. */
tacit_status tc_digit_images_read(tc_digit_images *d, const char *text, size_t len,
                                  tacit_error *err);
void tc_digit_images_fini(tc_digit_images *d);

#endif
