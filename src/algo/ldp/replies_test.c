/* replies_test.c - sums up to a key against a plain loop. */
#include "support/test.h"

#include "algo/ldp/replies.h"

#include "base/memory.h"

enum { MOST = 1500 };

typedef struct box {
    tc_replies r;
    tc_keyed *scratch;
    size_t cap;
    double key[MOST], value[MOST];
} box;

static void add(box *b, double key, double value)
{
    tacit_error err = {0};
    b->key[b->r.n] = key;
    b->value[b->r.n] = value;
    assert_ok(tc_replies_add(&b->r, key, value, &b->scratch, &b->cap, &err));
}

static double slow_sum(const box *b, double most)
{
    double sum = 0;
    for (size_t i = 0; i < b->r.n; i++)
        if (b->key[i] <= most)
            sum += b->value[i];
    return sum;
}

static box *new_box(void)
{
    box *b = tc_alloc(1, sizeof *b);
    assert_non_null(b);
    return b;
}

static void end(box *b)
{
    tc_replies_fini(&b->r);
    tc_free(b->scratch);
    tc_free(b);
}

/* Keys repeat and values are whole, so that sums are exact in any order. */
static void sums_are_those_of_a_loop(void **state)
{
    (void)state;
    box *b = new_box();
    uint32_t random = 7;
    assert_close(tc_replies_sum(&b->r, 1e9), 0, 0);
    for (size_t i = 0; i < MOST; i++) {
        random = random * 1664525 + 1013904223;
        add(b, (double)(random >> 24), (double)((int)(random >> 8 & 255) - 128));
        size_t step = i < 70 ? 1 : 37;
        if (i % step == 0)
            for (double most = -1; most <= 257; most += i < 70 ? 1 : 8.5)
                assert_close(tc_replies_sum(&b->r, most), slow_sum(b, most), 0);
    }
    end(b);
}

static void runs_are_sorted_and_have_the_digits_of_n(void **state)
{
    (void)state;
    box *b = new_box();
    for (size_t i = 0; i < 1000; i++)
        add(b, (double)(i * 7919 % 1009), 1);
    size_t at = 0;
    for (size_t length = 512; length > 0; length /= 2) {
        if (!(b->r.n & length))
            continue;
        for (size_t i = 1; i < length; i++)
            assert_true(b->r.item[at + i - 1].key <= b->r.item[at + i].key);
        assert_close(b->r.item[at + length - 1].sum, (double)length, 0);
        at += length;
    }
    assert_int_equal(at, b->r.n);
    end(b);
}

/* One reply of 1e100 is cut away without a trace. */
static void a_huge_reply_spoils_no_other_sum(void **state)
{
    (void)state;
    box *b = new_box();
    for (size_t i = 0; i < 100; i++)
        add(b, i == 40 ? 1e100 : 0.5, i == 40 ? -1e100 : 0.5);
    assert_close(tc_replies_sum(&b->r, 1), 49.5, 0);
    assert_close(tc_replies_sum(&b->r, 0.4), 0, 0);
    end(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_a_loop),
        cmocka_unit_test(runs_are_sorted_and_have_the_digits_of_n),
        cmocka_unit_test(a_huge_reply_spoils_no_other_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
