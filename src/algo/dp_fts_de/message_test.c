/* message_test.c - messages come back as they were, and nothing else is taken for one. */
#include "support/test.h"

#include "algo/dp_fts_de/dp_fts_de.h"

enum { M = 5, SIZE = TC_DP_FTS_DE_HEADER + 8 * M };

static const tc_dp_fts_de_form form = {.round = 7, .width = M, .grid = -3, .clip = 1000};
static const int64_t vector[M] = {0, 1, -1, 1000, -1000};

static void write_bytes(uint8_t out[SIZE], const tc_dp_fts_de_form *f, const int64_t *v)
{
    tc_text t = {0};
    tc_dp_fts_de_message_write(f, v, &t);
    assert_false(t.failed);
    assert_int_equal(t.len, SIZE);
    memcpy(out, tc_text_get(&t), SIZE);
    tc_text_fini(&t);
}

static void test_vectors_come_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    uint8_t bytes[SIZE];
    int64_t v[M];
    write_bytes(bytes, &form, vector);
    assert_ok(tc_dp_fts_de_message_read(&form, bytes, SIZE, v, &err));
    assert_memory_equal(v, vector, sizeof v);
    assert_ok(tc_dp_fts_de_message_read(&form, bytes, SIZE, NULL, &err));
}

/* The layout is a format that other programs may write. */
static void test_the_layout_is_fixed(void **state)
{
    (void)state;
    uint8_t bytes[SIZE];
    const uint8_t start[32] = {'T', 'D', 'E', '1', 0xfd, 0xff, 0xff, 0xff, 7, 0, 0, 0, 0, 0, 0, 0,
                               0,   0,   0,   0,   0,    0,    0,    0,    1, 0, 0, 0, 0, 0, 0, 0};
    write_bytes(bytes, &form, vector);
    assert_memory_equal(bytes, start, sizeof start);
}

static void test_wrong_lengths(void **state)
{
    (void)state;
    tacit_error err = {0};
    uint8_t bytes[SIZE + 8] = {0};
    write_bytes(bytes, &form, vector);
    for (size_t n = 0; n <= sizeof bytes; n++)
        if (n != SIZE)
            assert_fails(tc_dp_fts_de_message_read(&form, bytes, n, NULL, &err), TACIT_E_ARG,
                         "the message must have 56 bytes for 5 features, got");
    assert_fails(tc_dp_fts_de_message_read(&form, NULL, 0, NULL, &err), TACIT_E_ARG, "got 0");
}

static void test_wrong_headers(void **state)
{
    (void)state;
    tacit_error err = {0};
    uint8_t bytes[SIZE];
    tc_dp_fts_de_form other = form;
    other.round = 6;
    write_bytes(bytes, &other, vector);
    assert_fails(tc_dp_fts_de_message_read(&form, bytes, SIZE, NULL, &err), TACIT_E_ARG,
                 "the message is of round 6, and round 7 is open");
    other.round = 7;
    other.grid = 20;
    write_bytes(bytes, &other, vector);
    assert_fails(tc_dp_fts_de_message_read(&form, bytes, SIZE, NULL, &err), TACIT_E_ARG,
                 "the message is on grid 20, and round 7 is on grid -3");
    write_bytes(bytes, &form, vector);
    bytes[3] = '2';
    assert_fails(tc_dp_fts_de_message_read(&form, bytes, SIZE, NULL, &err), TACIT_E_ARG,
                 "it must begin with TDE1");
}

static void test_coordinates_out_of_range(void **state)
{
    (void)state;
    tacit_error err = {0};
    const int64_t beyond[] = {1001, -1001, INT64_MAX, INT64_MIN};
    for (size_t k = 0; k < 4; k++) {
        uint8_t bytes[SIZE];
        int64_t v[M] = {1, 2, beyond[k], 3, 4};
        write_bytes(bytes, &form, v);
        assert_fails(tc_dp_fts_de_message_read(&form, bytes, SIZE, NULL, &err), TACIT_E_ARG,
                     "coordinate 2 of the message is");
    }
}

/* More coordinates than are read at a time; the error names the right one. */
static void test_long_messages(void **state)
{
    (void)state;
    enum { LONG = 200 };
    tacit_error err = {0};
    tc_dp_fts_de_form f = {.round = 1, .width = LONG, .grid = 20, .clip = 1 << 26};
    int64_t v[LONG], back[LONG];
    for (int64_t i = 0; i < LONG; i++)
        v[i] = (i % 2 == 0 ? 1 : -1) * ((1 << 26) - i);
    tc_text t = {0};
    tc_dp_fts_de_message_write(&f, v, &t);
    assert_ok(tc_dp_fts_de_message_read(&f, tc_text_get(&t), t.len, back, &err));
    assert_memory_equal(v, back, sizeof v);
    tc_text_fini(&t);
    for (size_t at = 0; at < LONG; at++) {
        char expected[100];
        int64_t kept = v[at];
        v[at] = at % 3 == 0 ? INT64_MIN : -(1 << 26) - 1;
        snprintf(expected, sizeof expected, "coordinate %zu of the message is %lld steps, beyond",
                 at, (long long)v[at]);
        tc_dp_fts_de_message_write(&f, v, &t);
        assert_fails(tc_dp_fts_de_message_read(&f, tc_text_get(&t), t.len, back, &err), TACIT_E_ARG,
                     expected);
        assert_fails(tc_dp_fts_de_message_read(&f, tc_text_get(&t), t.len, NULL, &err), TACIT_E_ARG,
                     expected);
        tc_text_fini(&t);
        v[at] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors_come_back),
        cmocka_unit_test(test_the_layout_is_fixed),
        cmocka_unit_test(test_wrong_lengths),
        cmocka_unit_test(test_wrong_headers),
        cmocka_unit_test(test_coordinates_out_of_range),
        cmocka_unit_test(test_long_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
