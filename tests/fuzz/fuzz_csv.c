/* fuzz_csv.c - any bytes as a file of candidates.
 *
 * What is accepted must be the same domain, to the last bit, after it was
 * written and read again. */
#include "fuzz.h"

#include "space/domain.h"

#include <string.h>

static void check_grid(const tc_domain *d)
{
    size_t n = 1;
    for (size_t axis = 0; d->axes && axis < d->dim; axis++)
        n *= d->axes[axis];
    REQUIRE(!d->axes || n == d->n);
}

static void check_same(const tc_domain *a, const tc_domain *b)
{
    size_t bytes = a->n * a->dim * sizeof *a->raw;
    REQUIRE(a->n == b->n && a->dim == b->dim);
    REQUIRE(memcmp(a->raw, b->raw, bytes) == 0 && memcmp(a->u, b->u, bytes) == 0);
    REQUIRE((a->axes == NULL) == (b->axes == NULL));
    for (size_t i = 0; i < a->n * a->dim; i++)
        REQUIRE(a->u[i] >= 0 && a->u[i] <= 1);
}

FUZZ_TARGET(csv)
{
    tc_domain *d = NULL, *again = NULL;
    if (tc_domain_from_csv(&d, (const char *)data, size, "input", NULL) != TACIT_OK)
        return 0;
    char *csv = tc_domain_csv(d);
    REQUIRE(csv && tc_domain_from_csv(&again, csv, strlen(csv), "again", NULL) == TACIT_OK);
    check_grid(d);
    check_same(d, again);
    tc_free(csv);
    tc_domain_free(d);
    tc_domain_free(again);
    return 0;
}
