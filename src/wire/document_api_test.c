/* document_api_test.c - include/tacit/document.h as a program uses it. */
#include "support/test.h"

#include <tacit/document.h>
#include <tacit/release.h>

#include <stdio.h>

static const char plain[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 7, \"seed\": 1,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}";

static tacit_document *parse(const char *text)
{
    tacit_error err = {0};
    tacit_document *d;
    assert_ok(tacit_document_parse(&d, text, &err));
    return d;
}

static void what_it_says(void **state)
{
    (void)state;
    double low, high;
    tacit_document *d = parse(plain);
    assert_string_equal(tacit_document_name(d), "s");
    assert_string_equal(tacit_document_algorithm(d), "gp-ei");
    assert_true(tacit_document_maximizes(d));
    assert_int_equal(tacit_document_trials(d), 7);
    assert_int_equal(tacit_document_agents(d), 0);
    assert_int_equal(tacit_space_params(tacit_document_space(d)), 1);
    tacit_document_range(d, &low, &high);
    assert_true(isinf(low) && low < 0 && isinf(high) && high > 0);
    tacit_document_free(d);
    tacit_document_free(NULL);
}

/* The range is in the study's own direction. */
static void a_public_range(void **state)
{
    (void)state;
    static const char text[] =
        "{\"name\": \"b\", \"direction\": \"%simize\", \"trials\": 9,"
        " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
        " \"algorithm\": {\"name\": \"blin\", \"low\": -4, \"high\": 1}}";
    char full[400];
    double low, high;
    snprintf(full, sizeof full, text, "max");
    tacit_document *d = parse(full);
    tacit_document_range(d, &low, &high);
    assert_true(low == -4 && high == 1);
    tacit_document_free(d);
    snprintf(full, sizeof full, text, "min");
    d = parse(full);
    tacit_document_range(d, &low, &high);
    assert_true(low == -1 && high == 4);
    tacit_document_free(d);
}

static void private_replies(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_document *d = parse(plain);
    assert_false(tacit_document_takes_replies(d));
    assert_ok(tacit_document_check_reply(d, 0.123, &err)); /* it takes any value */
    tacit_document_free(d);
    d = parse("{\"name\": \"l\", \"direction\": \"maximize\", \"trials\": 9,"
              " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
              " \"algorithm\": {\"name\": \"ldp-tgp\"}}");
    assert_true(tacit_document_takes_replies(d));
    assert_int_equal(tacit_document_check_reply(d, 0.1234567, &err), TACIT_E_ARG);
    tacit_document_free(d);
}

static void texts_are_restored(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_document *d = parse(plain), *again, *other;
    char *text;
    assert_ok(tacit_document_text(d, &text, &err));
    assert_ok(tacit_document_restore(&again, text, NULL, &err));
    assert_ok(tacit_document_same(again, d, &err));
    tacit_text_free(text);
    other = parse("{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 7, \"seed\": 1,"
                  " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}");
    assert_fails(tacit_document_same(again, other, &err), TACIT_E_STATE, "direction");
    tacit_document_free(d);
    tacit_document_free(again);
    tacit_document_free(other);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_document *d = NULL;
    assert_fails(tacit_document_parse(&d, "{\"name\": \"s\"", &err), TACIT_E_ARG,
                 "the study document");
    assert_fails(tacit_document_parse(&d, "{\"name\": \"s\", \"direction\": \"up\"}", &err),
                 TACIT_E_ARG, "direction must be");
    assert_int_equal(tacit_document_read(&d, "/nonexistent/s.json", &err), TACIT_E_NOT_FOUND);
    assert_null(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_says),       cmocka_unit_test(a_public_range),
        cmocka_unit_test(private_replies),    cmocka_unit_test(texts_are_restored),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
