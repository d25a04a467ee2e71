/* replies.c - sorted runs of doubling size (Bentley and Saxe 1980). See replies.h.
 *
 * A new reply is a run of one; as long as the run before it is as long, the two become one. Sums
 * are added up anew in each merged run, so a huge reply spoils no sum that it is not part of. */
#include "algo/ldp/replies.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void tc_replies_fini(tc_replies *r)
{
    tc_free(r->item);
    *r = (tc_replies){0};
}

/* Two neighbouring runs of `half` become one. Equal keys: the earlier run first. */
static void merge(tc_keyed *run, size_t half, tc_keyed *scratch)
{
    const tc_keyed *left = scratch, *right = run + half;
    size_t i = 0, j = 0;
    memcpy(scratch, run, half * sizeof *run);
    for (size_t k = 0; i < half; k++) {
        bool take = j == half || left[i].key <= right[j].key;
        run[k] = take ? left[i++] : right[j++];
    }
}

static void add_up(tc_keyed *run, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        run[i].sum = sum += run[i].value;
}

tacit_status tc_replies_add(tc_replies *r, double key, double value, tc_keyed **scratch,
                            size_t *scratch_cap, tacit_error *err)
{
    size_t length = 1;
    if (!tc_grow((void **)&r->item, &r->cap, r->n + 1, sizeof *r->item) ||
        !tc_grow((void **)scratch, scratch_cap, r->n + 1, sizeof **scratch))
        return tc_fail_memory(err);
    r->item[r->n++] = (tc_keyed){.key = key, .value = value};
    for (; r->n % (2 * length) == 0; length *= 2)
        merge(r->item + r->n - 2 * length, length, *scratch);
    add_up(r->item + r->n - length, length);
    r->largest = fmax(r->largest, key);
    r->total += value;
    return TACIT_OK;
}

static double sum_of_run(const tc_keyed *run, size_t n, double most)
{
    size_t low = 0, high = n; /* those before `low` are in, those from `high` on are not */
    if (run[n - 1].key <= most)
        return run[n - 1].sum;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run[middle].key <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? 0 : run[low - 1].sum;
}

/* The first run has the highest binary digit of n. */
static size_t first_run(size_t n)
{
    size_t length = 1;
    while (length <= n / 2)
        length *= 2;
    return length;
}

double tc_replies_sum(const tc_replies *r, double most)
{
    double sum = 0;
    if (r->largest <= most)
        return r->total;
    for (size_t at = 0, length; at < r->n; at += length) {
        length = first_run(r->n - at);
        sum += sum_of_run(r->item + at, length, most);
    }
    return sum;
}
