/* ldp_terms_test.c - the terms of a private study from its options, and what can be a reply on them. */
#include "support/test.h"

#include "algo/ldp/ldp.h"
#include "algo/ldp/ldp_curator.h"

#include "base/json.h"

static json_t *options(const char *text)
{
    tacit_error err = {0};
    json_t *j;
    assert_ok(tc_json_parse(text, strlen(text), "options", &j, &err));
    return j;
}

static void terms_are_those_of_the_document(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ldp_terms t;
    json_t *j = options("{\"epsilon\": 2, \"bound\": 3, \"noise_bound\": 0.5, \"answers\": 7}");
    assert_ok(tc_ldp_terms_read(&t, &tc_algorithm_ldp_tgp, j, &err));
    json_decref(j);
    assert_same_bits(t.epsilon, 2);
    assert_same_bits(t.low, -3.5);
    assert_same_bits(t.high, 3.5);
    assert_int_equal(t.answers, 7);
    assert_int_equal(t.reply, TACIT_REPLY_LAPLACE);
    assert_ok(tc_ldp_terms_read(&t, &tc_algorithm_ldp_tgp, NULL, &err)); /* the defaults */
    assert_same_bits(t.epsilon, 1);
    j = options("{\"epsylon\": 2}");
    assert_fails(tc_ldp_terms_read(&t, &tc_algorithm_ldp_tgp, j, &err), TACIT_E_ARG, "epsylon");
    json_decref(j);
}

/* A reply is on the mechanism's grid; of one bit there are two. */
static void what_is_no_reply_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ldp_terms t;
    tc_ldp_curator c;
    json_t *j = options("{\"epsilon\": 1, \"reply\": \"onebit\"}");
    const tc_algorithm *a = &tc_algorithm_ldp_ata;
    assert_ok(tc_ldp_terms_read(&t, a, j, &err));
    assert_ok(tc_ldp_curator_init(&c, NULL, &t, &err));
    double up = c.reply.offset + c.reply.step, down = c.reply.offset - c.reply.step;
    assert_ok(tc_ldp_check_reply(a, j, "doses", up, &err));
    assert_ok(tc_ldp_check_reply(a, j, "doses", down, &err));
    assert_fails(tc_ldp_check_reply(a, j, "doses", 0.5, &err), TACIT_E_ARG,
                 "0.5 is no reply of study doses (");
    assert_fails(tc_ldp_check_reply(a, j, "doses", nextafter(up, 9), &err), TACIT_E_ARG,
                 "was it perturbed on these terms?");
    assert_fails(tc_ldp_check_reply(a, j, "doses", c.reply.offset, &err), TACIT_E_ARG, "");
    json_decref(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_those_of_the_document),
        cmocka_unit_test(what_is_no_reply_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
