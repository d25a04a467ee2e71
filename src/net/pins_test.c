/* A coordinator changes its key under those who pin it: lists of fingerprints, announcements over TLS, and what is kept. */
#include "net/pins.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/audit.h"
#include "support/site.h"

#define OTHER "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define THIRD "sha256//BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="

static void lists_are_checked(void **state)
{
    static const char *const wrong[] = {
        "",        "sha256//",      OTHER ";",
        ";" OTHER, OTHER " " THIRD, OTHER ";sha256//AAAA",
        OTHER "A", "sha1//" OTHER,  "sha256//????????????????????????????????????????????"};
    tacit_error err = {0};
    (void)state;
    assert_ok(tc_pins_check(OTHER, &err));
    assert_ok(tc_pins_check(OTHER ";" THIRD, &err));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(tc_pins_check(wrong[i], &err), TACIT_E_ARG,
                     "a fingerprint is sha256// and 44 characters");
    assert_true(tc_pins_have(OTHER ";" THIRD, THIRD));
    assert_true(tc_pins_have(OTHER, OTHER));
    assert_false(tc_pins_have(OTHER, THIRD));
    assert_false(tc_pins_have(OTHER ";" THIRD, "sha256//"));
    tc_client *c;
    assert_fails(tc_client_new(&c, "https://127.0.0.1:1",
                               &(tc_client_opts){.fingerprint = OTHER ";x"}, &err),
                 TACIT_E_ARG, "got \"x\"");
}

static void what_was_followed_is_kept_for_those_who_gave_the_same(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    char *now, *next;
    (void)state;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    assert_ok(tc_pins_load(s, OTHER, &now, &next, &err));
    assert_null(now);
    assert_ok(tc_pins_store(s, OTHER, &(tc_pins){OTHER, THIRD}, &err));
    assert_ok(tc_pins_load(s, OTHER, &now, &next, &err));
    assert_string_equal(now, OTHER);
    assert_string_equal(next, THIRD);
    tc_free(now);
    tc_free(next);
    assert_ok(tc_pins_store(s, OTHER, &(tc_pins){THIRD, NULL}, &err));
    assert_ok(tc_pins_load(s, OTHER, &now, &next, &err));
    assert_string_equal(now, THIRD);
    assert_null(next);
    tc_free(now);
    assert_ok(tc_pins_load(s, THIRD, &now, &next, &err));
    assert_null(now);
    tc_store_close(s);
}

/* ---- keys of a coordinator ---- */

static tc_certificate step(tc_store *s, tc_key_step what)
{
    tacit_error err = {0};
    tc_certificate c;
    assert_ok(tc_certificate_step(s, "127.0.0.1", what, 1000, &c, &err));
    return c;
}

static tacit_status join_actions(void *user, const json_t *e, tacit_error *err)
{
    tc_text *t = user;
    (void)err;
    tc_text_addf(t, "%s %s\n", json_string_value(json_object_get(e, "action")),
                 json_string_value(json_object_get(e, "detail")));
    return TACIT_OK;
}

static void a_key_is_announced_and_then_changed(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    tc_text log = {0}, want = {0};
    (void)state;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    tc_certificate a = step(s, TC_KEY_STAYS), none;
    assert_string_equal(a.next, "");
    assert_fails(tc_certificate_step(s, "127.0.0.1", TC_KEY_CHANGE, 1, &none, &err), TACIT_E_STATE,
                 "no other key is announced: `tacit serve --announce-key` comes first");
    tc_certificate b = step(s, TC_KEY_ANNOUNCE), again = step(s, TC_KEY_ANNOUNCE),
                   stays = step(s, TC_KEY_STAYS);
    assert_string_equal(b.fingerprint, a.fingerprint);
    assert_true(tc_pin_is_one(b.next));
    assert_string_not_equal(b.next, a.fingerprint);
    assert_string_equal(again.next, b.next); /* made once */
    assert_string_equal(stays.next, b.next); /* and announced until it is changed to */
    tc_certificate c = step(s, TC_KEY_CHANGE), twice = step(s, TC_KEY_CHANGE);
    assert_string_equal(c.fingerprint, b.next);
    assert_string_equal(c.before, a.fingerprint);
    assert_string_equal(c.next, "");
    assert_string_equal(twice.fingerprint, c.fingerprint);
    assert_ok(tc_audit_scan(s, 0, 10, join_actions, &log, &err));
    tc_text_addf(&want, "key.announce %s\nkey.change %s replaced by %s\n", b.next, a.fingerprint,
                 b.next);
    assert_string_equal(tc_text_get(&log), tc_text_get(&want));
    tc_text_fini(&log);
    tc_text_fini(&want);
    tc_certificate *all[] = {&a, &b, &again, &stays, &c, &twice};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tc_certificate_fini(all[i]);
    tc_store_close(s);
}

/* ---- clients ---- */

static tacit_status ask(tc_client *c, tacit_error *err)
{
    int status = 0;
    tc_text body = {0};
    tacit_status result =
        tc_client_call(c, &(tc_call){.method = "GET", .path = "/healthz"}, &status, &body, err);
    if (result == TACIT_OK)
        assert_string_equal(tc_text_get(&body), "ok\n"); /* once, whichever key answered */
    tc_text_fini(&body);
    return result;
}

static tc_client *client(const site *s, const char *pins)
{
    tacit_error err = {0};
    tc_client *c;
    assert_ok(tc_client_new(&c, s->url, &(tc_client_opts){.fingerprint = pins}, &err));
    return c;
}

/* The same storage, port aside, with another step of its key. */
static void serve_again(site *s, tc_key_step what)
{
    tacit_error err = {0};
    site_stop(s);
    tc_certificate_fini(&s->tls);
    s->tls = step(s->store, what);
    tc_server_config cfg = {
        .coord = s->coord, .listen = strrchr(s->url, '/') + 1, .tls = &s->tls, .threads = 2};
    assert_ok(tc_server_start(&s->server, &cfg, &err));
}

typedef struct kept {
    tacit_status status; /* what keeping ends with */
    char text[256];
} kept;

static tacit_status keep(void *user, const tc_pins *pins, tacit_error *err)
{
    kept *k = user;
    size_t n = strlen(k->text);
    if (k->status != TACIT_OK)
        return tc_fail(err, k->status, "the disk is full");
    snprintf(k->text + n, sizeof k->text - n, "%s>%s ", pins->now, pins->next ? pins->next : "");
    return TACIT_OK;
}

static void two_fingerprints_are_both_believed(void **state)
{
    site s;
    tacit_error err = {0};
    tc_text both = {0};
    (void)state;
    site_open(&s, (tc_server_config){0}, true);
    tc_text_addf(&both, OTHER ";%s", s.tls.fingerprint);
    tc_client *c = client(&s, tc_text_get(&both)), *d = client(&s, OTHER ";" THIRD);
    assert_ok(ask(c, &err));
    assert_fails(ask(d, &err), TACIT_E_STATE,
                 "is not the coordinator with that fingerprint; if its key was changed, its "
                 "operator has the new one");
    tc_client_free(c);
    tc_client_free(d);
    tc_text_fini(&both);
    site_close(&s);
}

static void an_announced_key_is_followed_and_the_old_one_dropped(void **state)
{
    site s;
    tacit_error err = {0};
    kept k = {0};
    char first[TC_FINGERPRINT], want[256];
    (void)state;
    site_open(&s, (tc_server_config){0}, true);
    snprintf(first, sizeof first, "%s", s.tls.fingerprint);
    tc_client *c = client(&s, first), *away = client(&s, first);
    assert_ok(tc_client_believe(c, NULL, keep, &k, &err));
    assert_ok(ask(c, &err));
    assert_string_equal(k.text, ""); /* nothing is announced */
    serve_again(&s, TC_KEY_ANNOUNCE);
    snprintf(want, sizeof want, "%s>%s ", first, s.tls.next);
    k.status = TACIT_E_IO;
    assert_fails(ask(c, &err), TACIT_E_IO, "the disk is full"); /* not kept: not believed */
    k.status = TACIT_OK;
    assert_ok(ask(c, &err));
    assert_ok(ask(c, &err)); /* it is told once */
    assert_string_equal(k.text, want);
    serve_again(&s, TC_KEY_CHANGE);
    k.text[0] = 0;
    snprintf(want, sizeof want, "%s> ", s.tls.fingerprint);
    assert_ok(ask(c, &err));
    assert_ok(ask(c, &err));
    assert_string_equal(k.text, want);
    assert_fails(ask(away, &err), TACIT_E_STATE, "if its key was changed");
    tc_client_free(away);
    tc_client_free(c);
    site_close(&s);
}

/* The key of before may be in other hands: whoever has followed does not believe it any more. */
static void the_key_of_before_is_refused_after_the_change(void **state)
{
    site s;
    tacit_error err = {0};
    (void)state;
    site_open(&s, (tc_server_config){0}, true);
    tc_client *c = client(&s, s.tls.fingerprint), *d;
    tc_certificate before = step(s.store, TC_KEY_STAYS);
    serve_again(&s, TC_KEY_ANNOUNCE);
    assert_ok(ask(c, &err));
    serve_again(&s, TC_KEY_CHANGE);
    assert_ok(ask(c, &err));
    tc_certificate after = s.tls;
    site_stop(&s);
    s.tls = before; /* as after a restore */
    tc_server_config cfg = {
        .coord = s.coord, .listen = strrchr(s.url, '/') + 1, .tls = &s.tls, .threads = 2};
    assert_ok(tc_server_start(&s.server, &cfg, &err));
    assert_fails(ask(c, &err), TACIT_E_STATE,
                 "if it was restored from a backup of before, ask its operator, and give both");
    tc_text both = {0};
    tc_text_addf(&both, "%s;%s", before.fingerprint, after.fingerprint);
    d = client(&s, tc_text_get(&both));
    assert_ok(ask(d, &err));
    tc_text_fini(&both);
    tc_client_free(c);
    tc_client_free(d);
    tc_certificate_fini(&after);
    site_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_checked),
        cmocka_unit_test(what_was_followed_is_kept_for_those_who_gave_the_same),
        cmocka_unit_test(a_key_is_announced_and_then_changed),
        cmocka_unit_test(two_fingerprints_are_both_believed),
        cmocka_unit_test(an_announced_key_is_followed_and_the_old_one_dropped),
        cmocka_unit_test(the_key_of_before_is_refused_after_the_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
