/* message.c - numbers of an agent as bytes.
 *
 *   0   4  what sends it: "TFT1" fts, "TRG1" rgpe, "TTA1" taf
 *   4   4  how many numbers
 *   8   8  round
 *  16  8W  the numbers, IEEE 754 doubles
 *
 * All little-endian. Nothing in it is needed to read it: a receiver knows the form from the study,
 * and refuses whatever differs, so that parties with other options are found at once. */
#include "algo/fts/fts.h"

#include "base/bytes.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 64 }; /* numbers that are written at a time */

void tc_fts_message_write(const tc_fts_form *f, const double *v, tc_text *out)
{
    uint8_t block[8 * BLOCK];
    memcpy(block, f->magic, 4);
    tc_put_le(block + 4, f->width, 4);
    tc_put_le(block + 8, f->round, 8);
    tc_text_add_bytes(out, block, TC_FTS_HEADER);
    for (size_t from = 0; from < f->width; from += BLOCK) {
        size_t n = f->width - from < BLOCK ? f->width - from : BLOCK;
        for (size_t i = 0; i < n; i++)
            tc_put_le_double(block + 8 * i, v[from + i]);
        tc_text_add_bytes(out, block, 8 * n);
    }
}

static tacit_status check_header(const tc_fts_form *f, const uint8_t *b, size_t n, tacit_error *err)
{
    size_t size = TC_FTS_HEADER + 8 * f->width;
    if (n != size)
        return tc_fail(err, TACIT_E_ARG, "the message must have %zu bytes for %zu numbers, got %zu",
                       size, f->width, n);
    if (memcmp(b, f->magic, 4) != 0)
        return tc_fail(err, TACIT_E_ARG, "this is not a message of %s: it must begin with %s",
                       f->algorithm, f->magic);
    uint64_t width = tc_get_le(b + 4, 4), round = tc_get_le(b + 8, 8);
    if (width != f->width)
        return tc_fail(err, TACIT_E_ARG,
                       "the message says that it has %" PRIu64 " numbers, and must have %zu", width,
                       f->width);
    if (round != f->round)
        return tc_fail(err, TACIT_E_ARG,
                       "the message is of round %" PRIu64 ", and round %" PRIu64 " is open", round,
                       f->round);
    return TACIT_OK;
}

tacit_status tc_fts_message_read(const tc_fts_form *f, const void *bytes, size_t n, double *v,
                                 tacit_error *err)
{
    const uint8_t *b = bytes;
    TC_TRY(check_header(f, b, n, err));
    for (size_t i = 0; i < f->width; i++) {
        double x = tc_get_le_double(b + TC_FTS_HEADER + 8 * i);
        if (!isfinite(x))
            return tc_fail(err, TACIT_E_ARG, "number %zu of the message must be finite, got %g", i,
                           x);
        if (v)
            v[i] = x;
    }
    return TACIT_OK;
}

tacit_status tc_fts_relayed_read(const tc_fts_form *f, uint64_t party, const void *bytes, size_t n,
                                 double *v, tacit_error *err)
{
    const uint8_t *b = bytes;
    if (n != 8 * f->width)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the message of agent %" PRIu64 " in round %" PRIu64
                       " must have %zu bytes, got %zu",
                       party, f->round, 8 * f->width, n);
    for (size_t i = 0; i < f->width; i++) {
        v[i] = tc_get_le_double(b + 8 * i);
        if (!isfinite(v[i]))
            return tc_fail(err, TACIT_E_CORRUPT,
                           "number %zu of the message of agent %" PRIu64 " in round %" PRIu64
                           " must be finite, got %g",
                           i, party, f->round, v[i]);
    }
    return TACIT_OK;
}
