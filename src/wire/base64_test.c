/* base64_test.c - base64 against libsodium's, which takes one character at a time. */
#include "wire/base64.h"

#include "base/memory.h"
#include "base/random.h"
#include "support/test.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 };

/* What libsodium says of a text, but that 1.0.18 takes some bytes above 127 for letters. */
static bool reference(const char *text, uint8_t *out, size_t room, size_t *n)
{
    const char *end;
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] > 127)
            return false;
    return sodium_base642bin(out, room, text, len, NULL, n, &end, sodium_base64_VARIANT_ORIGINAL) ==
               0 &&
           end == text + len;
}

static void same_as_reference(const char *text, size_t room)
{
    uint8_t ours[MOST + 1] = {0}, theirs[MOST + 1] = {0};
    size_t n = 0, m = 0;
    ours[room] = 0xa5;
    bool good = reference(text, theirs, room, &m);
    assert_int_equal(tc_base64_decode(text, ours, room, &n), good);
    assert_int_equal(ours[room], 0xa5);
    if (good) {
        assert_int_equal(n, m);
        assert_memory_equal(ours, theirs, n);
    }
}

static void make_text(char *text, size_t n)
{
    uint8_t bytes[MOST];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(31 * i * i + 7 * n + 3);
    sodium_bin2base64(text, 4 * MOST, bytes, n, sodium_base64_VARIANT_ORIGINAL);
}

static void every_length_and_room(void **state)
{
    (void)state;
    for (size_t n = 0; n < 200; n++) {
        char text[4 * MOST];
        make_text(text, n);
        for (size_t room = n > 4 ? n - 4 : 0; room < n + 5; room++)
            same_as_reference(text, room);
        text[strlen(text) / 2] = 0; /* cut, also inside a group */
        same_as_reference(text, MOST);
    }
}

static void every_byte_at_every_place(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 46, 47, 48, 49, 50, 51, 96, 98};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char text[4 * MOST];
        make_text(text, sizes[k]);
        for (size_t at = 0; text[at]; at++) {
            char was = text[at];
            for (int c = 1; c < 256; c++) {
                text[at] = (char)c;
                same_as_reference(text, MOST);
            }
            text[at] = was;
        }
    }
}

static void bytes_come_back(void **state)
{
    tacit_error err;
    (void)state;
    for (size_t n = 0; n < 200; n++) {
        uint8_t bytes[200], *back;
        size_t m;
        tc_text text = {0};
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)(i * n + 5 * i);
        tc_base64_add(&text, bytes, n);
        assert_ok(tc_base64_bytes(tc_text_get(&text), "it", 200, &back, &m, &err));
        assert_int_equal(m, n);
        assert_memory_equal(back, bytes, n);
        tc_free(back);
        tc_text_fini(&text);
    }
}

static void failures_have_a_sentence(void **state)
{
    tacit_error err;
    uint8_t *out;
    size_t n;
    (void)state;
    assert_fails(tc_base64_bytes("QUJD*UJD", "message", 100, &out, &n, &err), TACIT_E_ARG,
                 "message must be base64");
    assert_fails(tc_base64_bytes("QUI=QUJD", "message", 100, &out, &n, &err), TACIT_E_ARG,
                 "message must be base64");
    assert_fails(tc_base64_bytes("QUJDQUJD", "message", 5, &out, &n, &err), TACIT_E_ARG,
                 "message is longer than 5 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_and_room),
        cmocka_unit_test(every_byte_at_every_place),
        cmocka_unit_test(bytes_come_back),
        cmocka_unit_test(failures_have_a_sentence),
    };
    tc_random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
