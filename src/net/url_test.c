/* url_test.c - which URLs are taken, which of them stay on this machine, and what is refused. */
#include "support/test.h"

#include "net/url.h"

static void a_host_and_a_port_are_read(void **state)
{
    static const struct {
        const char *text;
        bool tls, loopback;
        const char *kept;
    } taken[] = {
        {"https://tacit.example:8443", true, false, "https://tacit.example:8443"},
        {"https://tacit.example", true, false, "https://tacit.example"},
        {"https://10.0.0.1:1/", true, false, "https://10.0.0.1:1"},
        {"https://[2001:db8::1]:8443", true, false, "https://[2001:db8::1]:8443"},
        {"http://127.0.0.1:8443/", false, true, "http://127.0.0.1:8443"},
        {"http://127.3.2.1", false, true, "http://127.3.2.1"},
        {"http://[::1]:65535", false, true, "http://[::1]:65535"},
        {"http://localhost:80", false, true, "http://localhost:80"},
        {"http://127.example.invalid:1", false, false, "http://127.example.invalid:1"},
        {"http://localhost.example", false, false, "http://localhost.example"},
        {"http://127.0.0.1.example", false, false, "http://127.0.0.1.example"},
        {"http://127.1:80", false, false, "http://127.1:80"}, /* what that means, others decide */
        {"http://[::]:80", false, false, "http://[::]:80"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        tacit_error err = {0};
        tc_url u;
        assert_ok(tc_url_parse(&u, taken[i].text, &err));
        assert_int_equal(u.tls, taken[i].tls);
        assert_int_equal(u.loopback, taken[i].loopback);
        assert_int_equal(u.n_bytes, strlen(taken[i].kept));
        assert_memory_equal(taken[i].text, taken[i].kept, u.n_bytes);
    }
}

static void anything_else_is_refused(void **state)
{
    static const char *const refused[] = {
        "http://127.0.0.1:x@localhost:29999",
        "http://user@127.0.0.1",
        "http://127.0.0.1:80/path",
        "http://127.0.0.1?x",
        "http://127.0.0.1#x",
        "http://127.0.0.1:0",
        "http://127.0.0.1:",
        "http://127.0.0.1:65536",
        "http://127.0.0.1:80:80",
        "http://",
        "http://[::1",
        "http://[::1]x",
        "http://[]:1",
        "http://127.0.0.1\\@x",
        "http://a b",
        "http://127.0.0.1//x",
        "http://127.0.0.1%00.x",
        "https://:8443",
    };
    tacit_error err;
    tc_url u;
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_fails(tc_url_parse(&u, refused[i], &err), TACIT_E_ARG, "the URL must be like");
    assert_fails(tc_url_parse(&u, "ftp://127.0.0.1", &err), TACIT_E_ARG,
                 "the URL must begin with https://, got \"ftp://127.0.0.1\"");
    assert_fails(tc_url_parse(&u, "HTTPS://x", &err), TACIT_E_ARG, "the URL must begin with");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_and_a_port_are_read),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
