/* constant_time.c - what may not depend on a secret, run under valgrind by tools/check-constant-time.
 *
 * Secrets are marked as memory that was never written. Memcheck then reports each branch and each address that depends on one, in our
 * code and in libsodium. Built and run by the script alone: `constant_time` must be silent, and `constant_time control`, which
 * branches on a secret, must not be.
 *
 * Whether all words of a share are below p comes out of tc_share_add, and is no secret, but memcheck cannot know that: so shares of
 * words are in the open here, and the sums that they are added to are hidden. */
#include "privacy/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

enum { WORDS = 300 };

static const tc_trustees all_terms[] = {{3, 2, 1, 3}, {5, 3, 1, 4}, {8, 5, 2, 6}, {16, 9, 2, 10}};

static void hide(void *p, size_t n)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, n);
}

static void show(void *p, size_t n)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(p, n);
}

static void deal(const tc_trustees *t, uint8_t *out)
{
    uint8_t secret[TC_SHARE_SECRET];
    int64_t values[WORDS];
    memset(secret, 7, sizeof secret);
    for (size_t j = 0; j < WORDS; j++)
        values[j] = j % 2 ? (int64_t)j : -(int64_t)j;
    hide(secret, sizeof secret);
    hide(values, sizeof values);
    tc_share_deal(t, secret, values, WORDS, out);
    show(secret, sizeof secret);
    show(values, sizeof values);
}

static void add(const tc_trustees *t, uint32_t k, uint8_t *share)
{
    uint64_t sums[WORDS] = {0};
    if (k < t->degree)
        hide(share, TC_SHARE_SEED);
    hide(sums, sizeof sums);
    if (tc_share_add(t, k, share, WORDS, sums, NULL) != TACIT_OK)
        puts("a share was refused");
    show(sums, sizeof sums);
}

static void field(void)
{
    uint64_t a[2] = {123456789, TC_FIELD_P - 5}, sink[5];
    int64_t back;
    hide(a, sizeof a);
    sink[0] = tc_field_add(a[0], a[1]);
    sink[1] = tc_field_sub(a[0], a[1]);
    sink[2] = tc_field_mul(a[0], a[1]);
    sink[3] = tc_field_inverse(a[0]);
    sink[4] = tc_field_from((int64_t)a[0]);
    back = tc_field_signed(a[1]);
    show(sink, sizeof sink);
    show(&back, sizeof back);
    if (back != -5 || tc_field_mul(sink[3], 123456789) != 1 || sink[4] != 123456789)
        puts("the field is wrong");
}

int main(int argc, char **argv)
{
    static uint8_t dealing[TC_TRUSTEES_MOST * 8 * WORDS];
    if (argc > 1 && strcmp(argv[1], "control") == 0) {
        deal(&all_terms[0], dealing);
        puts(dealing[0] & 1 ? "odd" : "even");
        return 0;
    }
    field();
    for (size_t i = 0; i < sizeof all_terms / sizeof *all_terms; i++) {
        const tc_trustees *t = &all_terms[i];
        deal(t, dealing);
        show(dealing, sizeof dealing);
        for (uint32_t k = 0; k < t->count; k++)
            add(t, k, dealing + tc_share_offset(t, k, WORDS));
    }
    return 0;
}
