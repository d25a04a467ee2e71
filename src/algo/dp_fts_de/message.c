/* message.c - an agent's vector as bytes.
 *
 *   0   4  "TDE1"
 *   4   4  grid k, signed: a step is 2^-k
 *   8   8  round
 *  16  8M  the coordinates in steps
 *
 * All little-endian. Nothing in it is needed to read it: a receiver knows the form from the study,
 * and refuses whatever differs, so that parties with other options are found at once. */
#include "algo/dp_fts_de/dp_fts_de.h"

#include "base/bytes.h"
#include "base/error.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

enum { BLOCK = 64 }; /* coordinates that are written at a time */

static const char magic[] = "TDE1";

int64_t tc_dp_fts_de_int64(const void *little_endian)
{
    uint64_t word;
    memcpy(&word, little_endian, 8);
    return (int64_t)le64toh(word);
}

void tc_dp_fts_de_numbers_read(const void *bytes, size_t n, double unit, double *restrict omega)
{
    for (size_t i = 0; i < n; i++)
        omega[i] = unit * (double)tc_dp_fts_de_int64((const char *)bytes + 8 * i);
}

void tc_dp_fts_de_message_write(const tc_dp_fts_de_form *f, const int64_t *v, tc_text *out)
{
    uint8_t header[TC_DP_FTS_DE_HEADER];
    uint64_t block[BLOCK];
    memcpy(header, magic, 4);
    tc_put_le(header + 4, (uint32_t)f->grid, 4);
    tc_put_le(header + 8, f->round, 8);
    tc_text_add_bytes(out, header, TC_DP_FTS_DE_HEADER);
    for (size_t from = 0; from < f->width; from += BLOCK) {
        size_t n = f->width - from < BLOCK ? f->width - from : BLOCK;
        for (size_t i = 0; i < n; i++)
            block[i] = htole64((uint64_t)v[from + i]);
        tc_text_add_bytes(out, block, 8 * n);
    }
}

static tacit_status check_header(const tc_dp_fts_de_form *f, const uint8_t *b, size_t n,
                                 tacit_error *err)
{
    size_t size = TC_DP_FTS_DE_HEADER + 8 * f->width;
    if (n != size)
        return tc_fail(err, TACIT_E_ARG,
                       "the message must have %zu bytes for %zu features, got %zu", size, f->width,
                       n);
    if (memcmp(b, magic, 4) != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "this is not a message of dp-fts-de: it must begin with %s", magic);
    uint64_t round = tc_get_le(b + 8, 8);
    if (round != f->round)
        return tc_fail(err, TACIT_E_ARG,
                       "the message is of round %" PRIu64 ", and round %" PRIu64 " is open", round,
                       f->round);
    int32_t grid = (int32_t)tc_get_le(b + 4, 4);
    if (grid != f->grid)
        return tc_fail(err, TACIT_E_ARG,
                       "the message is on grid %" PRId32 ", and round %" PRIu64 " is on grid %d",
                       grid, f->round, f->grid);
    return TACIT_OK;
}

/* The first coordinate beyond the limit, if there is one. */
static tacit_status check_range(const int64_t *v, size_t n, size_t from, int64_t limit,
                                tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] > limit || v[i] < -limit)
            return tc_fail(err, TACIT_E_ARG,
                           "coordinate %zu of the message is %" PRId64
                           " steps, beyond the clip norm of %" PRId64,
                           from + i, v[i], limit);
    return TACIT_OK;
}

/* Reads n coordinates; false if one is beyond the limit: then limit - x or limit + x is negative.
 * Without a branch in the loop, which compilers turn into vector instructions. */
static bool read_block(const uint8_t *b, size_t n, uint64_t limit, int64_t *restrict v)
{
    uint64_t beyond = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = (uint64_t)tc_dp_fts_de_int64(b + 8 * i);
        v[i] = (int64_t)x;
        beyond |= (limit - x) | (limit + x);
    }
    return beyond >> 63 == 0;
}

tacit_status tc_dp_fts_de_message_read(const tc_dp_fts_de_form *f, const void *bytes, size_t n,
                                       int64_t *v, tacit_error *err)
{
    const uint8_t *b = bytes;
    int64_t block[BLOCK];
    TC_TRY(check_header(f, b, n, err));
    for (size_t from = 0; from < f->width; from += BLOCK) {
        size_t count = f->width - from < BLOCK ? f->width - from : BLOCK;
        int64_t *out = v ? v + from : block;
        if (!read_block(b + TC_DP_FTS_DE_HEADER + 8 * from, count, f->clip, out))
            return check_range(out, count, from, (int64_t)f->clip, err);
    }
    return TACIT_OK;
}
