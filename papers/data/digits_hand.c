/* digits_hand.c - see digits_hand.h. */
#include "papers/data/digits_hand.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = TC_DIGIT_SIDE };

/* ---- one image */

static double ink(const uint8_t *pixel, size_t row, size_t column)
{
    return row < SIDE && column < SIDE ? pixel[row * SIDE + column] / 255.0 : 0;
}

static double slant_of(const uint8_t *pixel, double area)
{
    double x = 0, y = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < TC_DIGIT_PIXELS; i++) {
        x += pixel[i] / 255.0 * (double)(i % SIDE) / area;
        y += pixel[i] / 255.0 * (double)(i / SIDE) / area;
    }
    for (size_t i = 0; i < TC_DIGIT_PIXELS; i++) {
        double up = y - (double)(i / SIDE), v = pixel[i] / 255.0;
        xy += v * ((double)(i % SIDE) - x) * up;
        yy += v * up * up;
    }
    return yy > 0 ? xy / yy : 0;
}

static double boundary_of(const uint8_t *pixel)
{
    double sum = 0;
    for (size_t r = 0; r < SIDE; r++)
        for (size_t c = 0; c < SIDE; c++) {
            double v = ink(pixel, r, c), across = ink(pixel, r, c + 1) - v,
                   down = ink(pixel, r + 1, c) - v;
            sum += sqrt(across * across + down * down);
        }
    return sum;
}

tc_hand tc_hand_of(const uint8_t pixel[TC_DIGIT_PIXELS])
{
    double area = 0;
    for (size_t i = 0; i < TC_DIGIT_PIXELS; i++)
        area += pixel[i] / 255.0;
    if (!(area > 0))
        return (tc_hand){0};
    return (tc_hand){slant_of(pixel, area), 2 * area / boundary_of(pixel)};
}

/* ---- the cut */

typedef struct item {
    size_t block; /* items of one block are cut together */
    double key;
    size_t row;
} item;

static int in_order(const void *p, const void *q)
{
    const item *a = p, *b = q;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->key < b->key || a->key > b->key)
        return a->key < b->key ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Each block becomes `parts` blocks of one size, give or take one, by the key. */
static void cut(item *it, size_t n, size_t parts)
{
    qsort(it, n, sizeof *it, in_order);
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = begin;
        while (end < n && it[end].block == it[begin].block)
            end++;
        size_t block = it[begin].block * parts;
        for (size_t k = begin; k < end; k++)
            it[k].block = block + (k - begin) * parts / (end - begin);
    }
}

tacit_status tc_hand_cut(const tc_digit_images *d, const tc_hand *hand, size_t slants,
                         size_t widths, size_t *whose, tacit_error *err)
{
    item *it = tc_alloc(d->n, sizeof *it);
    if (!it)
        return tc_fail_memory(err);
    for (size_t i = 0; i < d->n; i++)
        it[i] = (item){d->label[i], hand[i].slant, i};
    cut(it, d->n, slants);
    for (size_t i = 0; i < d->n; i++)
        it[i].key = hand[it[i].row].width;
    cut(it, d->n, widths);
    for (size_t i = 0; i < d->n; i++)
        whose[it[i].row] = it[i].block % (slants * widths);
    tc_free(it);
    return TACIT_OK;
}
