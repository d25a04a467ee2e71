/* widths_test.c - thresholds and widths against numbers worked out from the papers' formulas (in
 * Python), and the sentence about the theorems. B = R = 1, epsilon = 1, lambda = 2, delta = 0.1, T
 * = 10,000: L = 4, K = v = 34, c = 33. */
#include "support/test.h"

#include "algo/ldp/ldp_int.h"

static tc_ldp_options options_of(const tc_option *table)
{
    tacit_error err = {0};
    tc_ldp_options o = {0};
    assert_ok(tc_options_defaults(table, &o, &err));
    o.lambda = 2;
    return o;
}

static tc_law law_of(const tc_ldp_options *o)
{
    tacit_error err = {0};
    tc_env env = {.budget = 10000};
    tc_law l;
    assert_ok(tc_law_init(&l, o, &env, &err));
    return l;
}

static void moments_of_replies(void **state)
{
    (void)state;
    tc_ldp_options o = options_of(tc_ldp_ata_options);
    tc_law l = law_of(&o);
    assert_close(l.v, 34, 1e-6); /* the scale of a discrete reply is rounded up */
    assert_close(l.c, 33, 1e-6);
    o.reply = TACIT_REPLY_ONE_BIT;
    l = law_of(&o);
    assert_close(l.reach, 4.327906827477306, 1e-12);
    assert_close(l.v, 20.730777507324678, 1e-11);
    o.reply = TACIT_REPLY_PIECEWISE;
    l = law_of(&o);
    assert_close(l.reach, 8.165976330147192, 1e-9);
}

static void tgp(void **state)
{
    (void)state;
    tc_ldp_options o = options_of(tc_ldp_tgp_options);
    tc_law l = law_of(&o);
    assert_close(tc_tgp_cut(&l, 1), 2, 0);
    assert_close(tc_tgp_cut(&l, 50), 17.648092021712586, 1e-12);
    assert_close(tc_tgp_width(&l, 0, 0), 1, 0);
    assert_close(tc_tgp_width(&l, 50, 3.7), 96.61433756279646, 1e-6);
    o.scale = TC_SCALE_PRACTICAL;
    l = law_of(&o);
    assert_close(tc_tgp_width(&l, 0, 0), 1, 0);
    assert_close(tc_tgp_width(&l, 50, 3.7), 25.855630454334886, 1e-12);
}

/* Bounded replies are never cut, and cutting has no share in the width. */
static void tgp_of_bounded_replies(void **state)
{
    (void)state;
    tc_ldp_options o = options_of(tc_ldp_tgp_options);
    o.reply = TACIT_REPLY_ONE_BIT;
    tc_law l = law_of(&o);
    assert_true(isinf(tc_tgp_cut(&l, 3)));
    assert_close(tc_tgp_width(&l, 50, 3.7), 1 + 2 * 4.327906827477306 * sqrt(3.7 + log(10)), 1e-10);
}

static void tgp_of_heavy_tails(void **state)
{
    (void)state;
    tc_ldp_options o = options_of(tc_tgp_options);
    o.alpha = 0.9;
    o.reward_moment = 5;
    tc_law l = law_of(&o);
    assert_close(tc_tgp_cut(&l, 77), 7.316845375506185, 1e-12);
    assert_close(tc_tgp_width(&l, 77, 3.7), 43.98437517932341, 1e-11);
    o.tail = TC_TAIL_WEIBULL;
    o.tail_theta = 1.5;
    o.tail_a = 2;
    o.tail_b = 0.5;
    l = law_of(&o);
    assert_close(tc_tgp_cut(&l, 77), 32.97398668442666, 1e-11);
    /* theta 1, a 1, b 1/L is ldp-tgp but for R */
    o.tail_theta = 1;
    o.tail_a = 1;
    o.tail_b = 0.25;
    l = law_of(&o);
    assert_close(tc_tgp_cut(&l, 50), 17.648092021712586 - 1, 1e-12);
}

static void ata(void **state)
{
    (void)state;
    tc_ldp_options o = options_of(tc_ldp_ata_options);
    tc_law l = law_of(&o);
    assert_close(tc_ata_cut(&l, 500, 12), 1.48663049678529, 1e-7);
    assert_close(tc_ata_width(&l, 500, 12), 226.13842671636968, 1e-5);
    o.scale = TC_SCALE_PRACTICAL;
    l = law_of(&o);
    assert_close(tc_ata_cut(&l, 500, 12), 1.6992358326087027, 1e-7);
    assert_close(tc_ata_width(&l, 500, 12), 50.01182617292784, 1e-5);
    o = options_of(tc_ata_options);
    o.alpha = 0.9;
    o.reward_moment = 5;
    l = law_of(&o);
    assert_close(tc_ata_cut(&l, 77, 12), 0.6205092537665492, 1e-12);
    assert_close(tc_ata_width(&l, 77, 12), 95.58533873253128, 1e-11);
}

static void moma(void **state)
{
    (void)state;
    tc_ldp_options o = options_of(tc_ldp_moma_options);
    tc_law l = law_of(&o);
    assert_close(tc_moma_width(&l, 500, 12), 128.69531806862207, 1e-5);
    o.scale = TC_SCALE_PRACTICAL;
    l = law_of(&o);
    assert_close(tc_moma_width(&l, 500, 12), 15.071247279470288, 1e-6);
    o = options_of(tc_moma_options);
    o.alpha = 0.9;
    o.noise_moment = 4;
    l = law_of(&o);
    assert_close(tc_moma_width(&l, 77, 12), 60.043338098825586, 1e-11);
    assert_close(tc_moma_plays(&l), 334, 0);
    l.T = 1000;
    assert_close(tc_moma_plays(&l), 279, 0);
    l.T = 100000;
    assert_close(tc_moma_plays(&l), 389, 0);
}

static void dictionaries(void **state)
{
    (void)state;
    tc_ldp_options o = options_of(tc_ldp_ata_options);
    tc_law l = law_of(&o);
    assert_close(tc_dictionary_rate(&l), 9459.427872466087, 1e-8);
    l.practical = true;
    assert_close(tc_dictionary_rate(&l), 921.0340371976182, 1e-9);
}

static void horizons(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ldp_options o = options_of(tc_tgp_options);
    tc_env known = {.budget = 321}, unknown = {0};
    tc_law l;
    assert_ok(tc_law_init(&l, &o, &known, &err));
    assert_close(l.T, 321, 0);
    assert_ok(tc_law_init(&l, &o, &unknown, &err));
    assert_close(l.T, 10000, 0);
    o.horizon = 77;
    assert_ok(tc_law_init(&l, &o, &known, &err));
    assert_close(l.T, 77, 0);
}

/* ---- theorems ---- */

static tc_space *grid_space(void)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){4}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static void assert_verdict(const tc_algorithm *a, const tc_env *env, const tc_ldp_options *o,
                           bool holds, const char *sentence)
{
    tc_text text = {0};
    assert_int_equal(tc_ldp_theorem(a, env, o, NULL, &text), holds);
    assert_string_equal(tc_text_get(&text), sentence);
    tc_text_fini(&text);
}

static void reports_say_whether_the_theorem_applies(void **state)
{
    (void)state;
    tc_space *s = grid_space();
    tc_env env = {.space = s, .budget = 10000};
    tc_ldp_options o = options_of(tc_ldp_tgp_options);
    assert_verdict(&tc_algorithm_ldp_tgp, &env, &o, true,
                   "Theorem 3 of Zhou and Tan (2021) applies if the objective's norm is within "
                   "bound and the noise within noise_bound.");
    o.scale = TC_SCALE_PRACTICAL;
    assert_verdict(&tc_algorithm_ldp_tgp, &env, &o, false,
                   "Theorem 3 of Zhou and Tan (2021) does not apply: scale=practical has smaller "
                   "constants.");
    o = options_of(tc_moma_options);
    assert_verdict(&tc_algorithm_moma_gp_ucb, &env, &o, false,
                   "Theorem 4 of Zhou and Tan (2021) does not apply: k is 5 and the proof needs "
                   "334.");
    o.width = 2;
    assert_verdict(
        &tc_algorithm_moma_gp_ucb, &env, &o, false,
        "Theorem 4 of Zhou and Tan (2021) does not apply: the width is given; k is 5 and "
        "the proof needs 334.");
    o.width = 0;
    o.k = 334;
    assert_verdict(&tc_algorithm_moma_gp_ucb, &env, &o, true,
                   "Theorem 4 of Zhou and Tan (2021) applies if the objective's norm is within "
                   "bound and the moments are as given.");
    o.horizon = 9999; /* k is large enough for it, and the study is larger */
    assert_verdict(&tc_algorithm_moma_gp_ucb, &env, &o, false,
                   "Theorem 4 of Zhou and Tan (2021) does not apply: horizon is 9999 and 10000 "
                   "trials are planned.");
    tc_text text = {0};
    tc_algorithm stranger = {.name = "stranger"};
    assert_false(tc_ldp_theorem(&stranger, &env, &o, NULL, &text));
    assert_string_equal(tc_text_get(&text), "");
    tc_space_free(s);
}

static void only_laplace_replies_have_a_theorem(void **state)
{
    (void)state;
    tc_space *s = grid_space();
    tc_env env = {.space = s, .budget = 200};
    tc_ldp_options o = options_of(tc_ldp_tgp_options);
    for (o.reply = TACIT_REPLY_AUTO; o.reply < TACIT_REPLY_LAPLACE; o.reply++)
        assert_verdict(&tc_algorithm_ldp_tgp, &env, &o, false,
                       "Theorem 3 of Zhou and Tan (2021) does not apply: it is about Laplace "
                       "replies.");
    o = options_of(tc_ldp_ata_options);
    o.horizon = 10;
    assert_verdict(&tc_algorithm_ldp_ata, &env, &o, false,
                   "Theorem 2 of Zhou and Tan (2021) does not apply: horizon is 10 and 200 trials "
                   "are planned.");
    o = options_of(tc_tgp_options);
    o.tail = TC_TAIL_WEIBULL;
    o.alpha = 0.5;
    assert_verdict(
        &tc_algorithm_tgp_ucb, &env, &o, false,
        "the bound of Chowdhury and Gopalan (2019) for TGP-UCB does not apply: it is not "
        "about tail=weibull.");
    tc_space_free(s);
}

static void assert_noise(const tc_algorithm *a, const tc_ldp_options *o, tc_known_noise noise,
                         const char *why)
{
    tc_space *s = grid_space();
    tc_env env = {.space = s, .budget = 200};
    tc_text text = {0};
    assert_int_equal(tc_ldp_theorem(a, &env, o, &noise, &text), why == NULL);
    assert_non_null(strstr(tc_text_get(&text), why ? why : " applies if "));
    tc_text_fini(&text);
    tc_space_free(s);
}

/* A simulation knows its noise, and then nothing is supposed of it. */
static void noise_that_is_known_is_checked(void **state)
{
    (void)state;
    tc_ldp_options o = options_of(tc_ldp_tgp_options);
    assert_noise(&tc_algorithm_ldp_tgp, &o, (tc_known_noise){1, INFINITY}, NULL);
    assert_noise(&tc_algorithm_ldp_tgp, &o, (tc_known_noise){3, INFINITY},
                 "does not apply: the noise reaches 3 and noise_bound is 1.");
    assert_noise(&tc_algorithm_ldp_tgp, &o, (tc_known_noise){INFINITY, 3},
                 "does not apply: the noise is unbounded and noise_bound is 1.");
    o = options_of(tc_tgp_options);
    assert_noise(&tc_algorithm_tgp_ucb, &o, (tc_known_noise){INFINITY, 3}, NULL);
    assert_noise(&tc_algorithm_tgp_ucb, &o, (tc_known_noise){INFINITY, 2},
                 "does not apply: the noise has no moment of order 2.");
    o.alpha = 0.9;
    assert_noise(&tc_algorithm_tgp_ucb, &o, (tc_known_noise){INFINITY, 2}, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_replies),
        cmocka_unit_test(tgp),
        cmocka_unit_test(tgp_of_bounded_replies),
        cmocka_unit_test(tgp_of_heavy_tails),
        cmocka_unit_test(ata),
        cmocka_unit_test(moma),
        cmocka_unit_test(dictionaries),
        cmocka_unit_test(horizons),
        cmocka_unit_test(reports_say_whether_the_theorem_applies),
        cmocka_unit_test(only_laplace_replies_have_a_theorem),
        cmocka_unit_test(noise_that_is_known_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
