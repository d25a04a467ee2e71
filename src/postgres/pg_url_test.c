/* URLs of servers that are refused before a server is asked: this test has none. */
#include "support/test.h"

#include "study/store.h"

#define FORMS "postgresql://USER@HOST:PORT/DATABASE or postgresql:///DATABASE?host=FOLDER"
#define AMBIGUOUS                                                                                  \
    "the storage's URL is ambiguous: in a user's name or password, write @ as %40 and / as %2F"

static void bad_urls_are_refused_with_advice(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"postgresql:db", "the storage's URL cannot be read: write " FORMS},
        {"postgres://me:secret@x:y/db?secret", "the storage's URL cannot be read: write " FORMS},
        {"postgresql://me:se@cret@x/db", AMBIGUOUS},
        {"postgresql://me:se/cret@x/db", AMBIGUOUS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tc_store *s = NULL;
        tacit_error err = {0};
        assert_int_equal(tc_store_open(&s, cases[i][0], true, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, cases[i][1]);
        assert_null(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bad_urls_are_refused_with_advice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
