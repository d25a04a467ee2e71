/* study_https_test.c - the suite of study handles at a coordinator over HTTPS, which is a part of this process; and what
 * only a coordinator can refuse. */
#include "conformance/study_suite.h"
#include "support/test.h"

#include <tacit/net.h>

#include "base/clock.h"
#include "net/server.h"

#include <stdio.h>

static tc_store *store;
static tc_coord *coord;
static tc_certificate certificate;
static tc_server *server;
static char url[64];
static tc_text token;

static int64_t now_ms(void *user)
{
    (void)user;
    return tc_clock_unix_ms();
}

static void stop(void)
{
    tc_server_stop(server);
    tc_coord_free(coord);
    tc_certificate_fini(&certificate);
    tc_store_close(store);
    tc_text_fini(&token);
    server = NULL;
    coord = NULL;
    store = NULL;
}

static void start(void)
{
    tacit_error err = {0};
    bool made;
    stop();
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_coord_config c = {.store = store, .now_ms = now_ms};
    assert_ok(tc_coord_new(&coord, &c, &err));
    assert_ok(tc_coord_operator_token(coord, &token, &made, &err));
    assert_ok(tc_certificate_get(store, "127.0.0.1", &certificate, &err));
    tc_server_config s = {
        .coord = coord, .listen = "127.0.0.1:0", .tls = &certificate, .threads = 4};
    assert_ok(tc_server_start(&server, &s, &err));
    snprintf(url, sizeof url, "https://127.0.0.1:%u", (unsigned)tc_server_port(server));
}

static tacit_storage_opts options(void)
{
    tacit_storage_opts opts = TACIT_STORAGE_OPTS;
    opts.token = tc_text_get(&token);
    opts.fingerprint = certificate.fingerprint;
    return opts;
}

static tacit_storage *open_again(void)
{
    tacit_error err = {0};
    tacit_storage *st = NULL;
    tacit_storage_opts opts = options();
    if (tacit_storage_open(&st, url, &opts, &err) != TACIT_OK)
        print_error("%s\n", err.msg);
    return st;
}

static tacit_storage *open_fresh(void)
{
    start();
    return open_again();
}

static void a_token_is_needed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_storage *st = NULL;
    tacit_studies *list;
    start();
    tacit_storage_opts opts = options();
    opts.token = NULL;
    assert_fails(tacit_storage_open(&st, url, &opts, &err), TACIT_E_ARG,
                 "a coordinator wants a token");
    opts.token = "wrong";
    assert_ok(tacit_storage_open(&st, url, &opts, &err));
    assert_fails(tacit_storage_list(st, TACIT_LIST_NAMES, &list, &err), TACIT_E_ARG,
                 "the coordinator says 401");
    assert_fails(tacit_storage_backup(st, "backup.db", NULL, &err), TACIT_E_UNSUPPORTED,
                 "backed up where it is");
    tacit_storage_close(st);
}

static void another_key_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = NULL;
    start();
    tacit_storage_opts opts = options();
    opts.fingerprint = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    assert_int_equal(tacit_study_open(&s, url, "s", &opts, &err), TACIT_E_STATE);
    opts.fingerprint = NULL;
    assert_int_equal(tacit_study_open(&s, url, "s", &opts, &err), TACIT_E_ARG);
    assert_null(s);
}

/* How often it was waited, and whether the first time it was said why. */
typedef struct pauses {
    int n;
    bool said;
} pauses;

static bool wait_twice(void *user, int64_t pause_ms, const char *why)
{
    pauses *p = user;
    assert_true(pause_ms > 0);
    p->said |= p->n == 0 && why && strstr(why, "does not answer");
    return ++p->n < 2;
}

static void silence_is_waited_for(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = NULL;
    uint64_t trial;
    double v;
    pauses p = {0};
    start();
    tacit_storage_opts opts = options();
    opts.wait = wait_twice;
    opts.user = &p;
    assert_ok(
        tacit_study_create(&s, url,
                           "{\"name\": \"t\", \"direction\": \"minimize\", \"seed\": 1,"
                           " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}",
                           &opts, &err));
    assert_ok(tacit_study_ask(s, &trial, &v, &err));
    assert_false(tacit_study_is_away(s));
    tc_server_stop(server);
    server = NULL;
    assert_int_equal(tacit_study_tell(s, trial, 1, &err), TACIT_E_IO);
    assert_true(p.n == 2 && p.said && tacit_study_is_away(s));
    tacit_study_set_patience(s, -1, 1);
    assert_int_equal(tacit_study_tell(s, trial, 1, &err), TACIT_E_IO);
    assert_int_equal(p.n, 2); /* sent once */
    tacit_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_needed),
        cmocka_unit_test(another_key_is_refused),
        cmocka_unit_test(silence_is_waited_for),
    };
    const study_place https = {"studies of a coordinator", open_fresh, open_again, true};
    tacit_net_register();
    tacit_net_register(); /* again does nothing */
    int failed = study_suite_run(&https);
    failed += cmocka_run_group_tests_name("a coordinator", tests, NULL, NULL);
    stop();
    return failed;
}
