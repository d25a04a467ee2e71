/* audit_api_test.c - the public audit runs the cases of the inner one. */
#include <tacit/experimental/audit.h>

#include "privacy/audit.h"

#include "support/test.h"

static size_t find(const char *name)
{
    size_t i = 0;
    while (tacit_audit_name(i) && strcmp(tacit_audit_name(i), name) != 0)
        i++;
    assert_non_null(tacit_audit_name(i));
    return i;
}

static void knows_every_case(void **state)
{
    (void)state;
    assert_int_equal(tacit_audit_count(), tc_audit_count());
    for (size_t i = 0; i < tacit_audit_count(); i++)
        assert_string_equal(tacit_audit_name(i), tc_audit_name(i));
    assert_null(tacit_audit_name(tacit_audit_count()));
    assert_null(tacit_audit_name(SIZE_MAX));
}

static void passes_a_mechanism_and_catches_a_control(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_audit_opts opts = TACIT_AUDIT_OPTS;
    tacit_audit_result r = TACIT_AUDIT_RESULT;
    opts.runs = TACIT_AUDIT_MIN_RUNS;
    opts.confidence = 0.999999; /* a sound mechanism fails this test once in a million */
    assert_ok(tacit_audit_run(find("one-bit-reply"), &opts, &r, &err));
    assert_string_equal(r.name, "one-bit-reply");
    assert_true(!r.control && r.pass && r.as_expected);
    assert_int_equal(r.runs, TACIT_AUDIT_MIN_RUNS);
    assert_close(r.epsilon, 1, 0);
    assert_true(r.lower > 0.8 && r.lower <= r.epsilon);
    assert_true(strlen(r.attack) > 0);
    assert_ok(tacit_audit_run(find("un-noised-empty-sample"), &opts, &r, &err));
    assert_true(r.control && !r.pass && r.as_expected && r.lower > r.epsilon);
}

static void refuses_bad_questions(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_audit_opts opts = TACIT_AUDIT_OPTS;
    tacit_audit_result r = TACIT_AUDIT_RESULT;
    assert_fails(tacit_audit_run(0, &opts, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_audit_run(99, NULL, &r, &err), TACIT_E_ARG, "the audit has cases 0 to");
    opts.runs = 19999;
    assert_fails(tacit_audit_run(0, &opts, &r, &err), TACIT_E_ARG,
                 "an audit needs 20000 to 10000000 runs, got 19999");
    opts.runs = 20000;
    opts.confidence = 1;
    assert_fails(tacit_audit_run(0, &opts, &r, &err), TACIT_E_ARG,
                 "the confidence must be in [0.5, 1), got 1");
    opts.size = 2;
    assert_fails(tacit_audit_run(0, &opts, &r, &err), TACIT_E_ARG,
                 "opts.size must be sizeof(tacit_audit_opts), at least ");
    r.size = 0;
    assert_fails(tacit_audit_run(0, NULL, &r, &err), TACIT_E_ARG,
                 "out.size must be sizeof(tacit_audit_result), at least ");
    assert_null(r.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_every_case),
        cmocka_unit_test(passes_a_mechanism_and_catches_a_control),
        cmocka_unit_test(refuses_bad_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
