/* ldp_model_test.c - which arms the dictionary holds, and what the options refuse. */
#include "support/test.h"

#include "algo/ldp/ldp_int.h"

/* ---- the dictionary ---- */

static void arms_enter_with_the_probability_of_their_coins(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *space = NULL;
    tc_history h = {0};
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){4}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&space, d, &err));
    tc_env env = {.space = space, .history = &h, .party_seed = tc_party_seed_from(1)};
    tc_ldp_options o;
    assert_ok(tc_options_defaults(tc_ldp_ata_options, &o, &err));
    o.scale = TC_SCALE_PRACTICAL; /* q = ln(10000) / 0.01 */
    tc_ldp_model m = {0};
    assert_ok(tc_ldp_model_init(&m, &env, &o, 0, &err));
    const double p[4] = {0.2, 0.01, 1.5, 0.7}, plays[4] = {1, 30, 1, 0};
    size_t in[4] = {0}, steps = 4000;
    for (size_t step = 0; step < steps; step++) {
        for (size_t x = 0; x < 4; x++) {
            m.var[x] = p[x] / tc_dictionary_rate(&m.law);
            m.sketch.count[x] = plays[x] - (x == 1); /* arm 1 is the one that is being played */
        }
        m.sketch.count[3] = 0;
        assert_ok(tc_ldp_model_draw(&m, 1, step, &err));
        size_t listed = 0;
        for (size_t x = 0; x < 4; x++) {
            in[x] += m.listed[x];
            listed += m.listed[x];
        }
        assert_int_equal(m.sketch.m, listed);
    }
    assert_close((double)in[0] / (double)steps, 0.2, 0.03);
    assert_close((double)in[1] / (double)steps, 1 - pow(0.99, 30), 0.035);
    assert_int_equal(in[2], steps);
    assert_int_equal(in[3], 0);
    tc_ldp_model_fini(&m);
    tc_space_free(space);
}

/* ---- options ---- */

static void options_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ldp_options o = {0};
    assert_fails(tc_options_set(tc_ldp_moma_options, &o, "ldp-moma", "k", "0", &err), TACIT_E_ARG,
                 "k");
    assert_fails(tc_options_set(tc_ldp_tgp_options, &o, "ldp-tgp", "epsilon", "0", &err),
                 TACIT_E_ARG, "epsilon");
    assert_fails(tc_options_set(tc_tgp_options, &o, "tgp-ucb", "epsilon", "1", &err), TACIT_E_ARG,
                 "epsilon");
    assert_fails(tc_options_set(tc_ldp_ata_options, &o, "ldp-ata", "reply", "none", &err),
                 TACIT_E_ARG, "onebit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_enter_with_the_probability_of_their_coins),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
