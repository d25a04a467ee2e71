/* client_pin_test.c - a call without its safety: whatever libcurl refuses to set that keeps a call private,
 * the call is not made. libcurl's curl_easy_setopt is replaced here by one that refuses. */
#include "support/test.h"

#include "net/client.h"

#include <dlfcn.h>
#include <stdarg.h>

/* Their numbers in libcurl never change. */
enum {
    OUT_OF_MEMORY = 27,
    FOLLOWLOCATION = 52,
    HEADEROPT = 229,
    VERIFYPEER = 64,
    VERIFYHOST = 81,
    PROXY = 10004,
    NOPROXY = 10177,
    PINNEDPUBLICKEY = 10230,
    PROTOCOLS_STR = 10318
};

static int refused;                /* the option that cannot be set; 0: none */
static bool pinned, pinned_before; /* the pin is set; it was when checks were switched off */

int curl_easy_setopt(void *handle, int option, ...);

/* Every value is as wide as a pointer. */
int curl_easy_setopt(void *handle, int option, ...)
{
    static int (*real)(void *, int, ...);
    va_list args;
    va_start(args, option);
    void *value = va_arg(args, void *);
    va_end(args);
    if (option == refused)
        return OUT_OF_MEMORY;
    pinned |= option == PINNEDPUBLICKEY;
    if (option == VERIFYPEER || option == VERIFYHOST)
        pinned_before &= pinned;
    if (!real) {
        void *found = dlsym(RTLD_NEXT, "curl_easy_setopt");
        assert_non_null(found);
        memcpy(&real, &found, sizeof real);
    }
    return real(handle, option, value);
}

static tacit_status ask(tacit_error *why)
{
    tacit_error err = {0};
    tc_client *c;
    tc_text body = {0};
    int status = 0;
    assert_ok(tc_client_new(
        &c, "https://127.0.0.1:1",
        &(tc_client_opts){.fingerprint = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
        &err));
    pinned = false;
    pinned_before = true;
    tc_call call = {.method = "GET", .path = "/healthz", .bearer = "secret"};
    tacit_status result = tc_client_call(c, &call, &status, &body, why);
    tc_client_free(c);
    tc_text_fini(&body);
    return result;
}

static void a_call_without_its_pin_is_not_made(void **state)
{
    static const int needed[] = {PINNEDPUBLICKEY, PROTOCOLS_STR, PROXY,      NOPROXY,
                                 FOLLOWLOCATION,  VERIFYPEER,    VERIFYHOST, HEADEROPT};
    tacit_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        refused = needed[i];
        assert_fails(ask(&err), TACIT_E_UNSUPPORTED,
                     "https://127.0.0.1:1 cannot be asked safely: Out of memory");
    }
    refused = 0;
    assert_fails(ask(&err), TACIT_E_IO, "does not answer"); /* nobody is there */
    assert_true(pinned && pinned_before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_call_without_its_pin_is_not_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
