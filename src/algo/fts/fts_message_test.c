/* fts_message_test.c - messages, and a relay that looks at them. */
#include "support/test.h"

#include "algo/fts/fts.h"

enum { W = 70 }; /* more than one block */

static const tc_fts_form form = {.algorithm = "fts", .magic = "TFT1", .round = 7, .width = W};

static void fill(double *v)
{
    for (size_t i = 0; i < W; i++)
        v[i] = ldexp((double)i - 30, (int)i - 35);
    v[3] = -0.0;
    v[4] = 0x1p-1074;
}

/* A message of `form` as text; end with tc_text_fini. */
static tc_text written(void)
{
    double v[W];
    tc_text t = {0};
    fill(v);
    tc_fts_message_write(&form, v, &t);
    assert_false(t.failed);
    return t;
}

static void test_the_layout(void **state)
{
    (void)state;
    static const uint8_t header[] = {'T', 'F', 'T', '1', W, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0};
    tc_text t = written();
    assert_int_equal(t.len, TC_FTS_HEADER + 8 * W);
    assert_memory_equal(t.data, header, sizeof header);
    static const uint8_t sixteenth[] = {0, 0, 0, 0, 0, 0, 0xb0, 0x3f}; /* number 31: 2^-4 */
    assert_memory_equal(t.data + TC_FTS_HEADER + 8 * 31, sixteenth, sizeof sixteenth);
    tc_text_fini(&t);
}

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    double v[W], back[W];
    tc_text t = written();
    fill(v);
    assert_ok(tc_fts_message_read(&form, t.data, t.len, back, &err));
    for (size_t i = 0; i < W; i++)
        assert_same_bits(back[i], v[i]);
    assert_ok(tc_fts_message_read(&form, t.data, t.len, NULL, &err));
    assert_ok(tc_fts_relayed_read(&form, 2, t.data + TC_FTS_HEADER, 8 * W, back, &err));
    for (size_t i = 0; i < W; i++)
        assert_same_bits(back[i], v[i]);
    tc_text_fini(&t);
}

static tacit_status read_changed(size_t at, uint8_t to, tacit_error *err)
{
    tc_text t = written();
    t.data[at] = (char)to;
    tacit_status status = tc_fts_message_read(&form, t.data, t.len, NULL, err);
    tc_text_fini(&t);
    return status;
}

static void test_whatever_differs_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text t = written();
    assert_fails(tc_fts_message_read(&form, t.data, t.len - 1, NULL, &err), TACIT_E_ARG,
                 "the message must have 576 bytes for 70 numbers, got 575");
    assert_fails(tc_fts_message_read(&form, t.data, 0, NULL, &err), TACIT_E_ARG, "got 0");
    assert_fails(read_changed(3, '2', &err), TACIT_E_ARG,
                 "this is not a message of fts: it must begin with TFT1");
    assert_fails(read_changed(4, 71, &err), TACIT_E_ARG,
                 "the message says that it has 71 numbers, and must have 70");
    assert_fails(read_changed(8, 6, &err), TACIT_E_ARG,
                 "the message is of round 6, and round 7 is open");
    for (size_t i = 0; i < W; i++) {
        double bad[] = {NAN, INFINITY, -INFINITY}, v[W];
        tc_text u = {0};
        fill(v);
        v[i] = bad[i % 3];
        tc_fts_message_write(&form, v, &u);
        assert_fails(tc_fts_message_read(&form, u.data, u.len, NULL, &err), TACIT_E_ARG,
                     "of the message must be finite");
        tc_text_fini(&u);
    }
    tc_text_fini(&t);
}

/* ---- the relay ---- */

/* The default options of an algorithm. End with forget. */
static void *defaults(const tc_algorithm *a, const char *name, const char *value)
{
    tacit_error err = {0};
    void *opts = tc_alloc(1, a->options_size);
    assert_non_null(opts);
    assert_ok(tc_options_defaults(a->options, opts, &err));
    assert_ok(tc_options_set(a->options, opts, a->name, "features", "4", &err));
    if (name)
        assert_ok(tc_options_set(a->options, opts, a->name, name, value, &err));
    return opts;
}

static void forget(const tc_algorithm *a, void *opts)
{
    tc_options_fini(a->options, opts);
    tc_free(opts);
}

static void check_relay(const tc_algorithm *a, const char *magic, size_t width, void *opts)
{
    tacit_error err = {0};
    tc_env env = {.agents = 3};
    tc_fts_form f = {.algorithm = a->name, .magic = magic, .width = width};
    double v[32];
    uint8_t bytes[8 * 32];
    tc_text t = {0};
    tc_release *r = NULL;
    for (size_t i = 0; i < width; i++)
        v[i] = (double)i / 3;
    tc_fts_message_write(&f, v, &t);
    assert_ok(a->relay->check(&env, opts, 0, 2, t.data, t.len, &err));
    assert_ok(a->relay->release(&env, opts, 0, 2, t.data, t.len, &r, &err));
    const tc_release_view *view = tc_release_get(r);
    assert_false(view->is_private);
    assert_string_equal(view->mechanism, "none");
    assert_int_equal(view->unit, TACIT_UNIT_AGENT);
    assert_string_equal(view->not_private,
                        "an agent's weights are handed on as they are: whoever knows where it "
                        "evaluated its function can read the values from them");
    assert_int_equal(tc_release_size(r), 8 * width);
    tc_release_encode(r, bytes);
    assert_memory_equal(bytes, t.data + TC_FTS_HEADER, 8 * width);
    tc_release_free(r);
    r = NULL;
    assert_fails(a->relay->check(&env, opts, 0, 3, t.data, t.len, &err), TACIT_E_ARG,
                 "agent 3 is not on the roster of 3 agents");
    assert_fails(a->relay->release(&env, opts, 0, 3, t.data, t.len, &r, &err), TACIT_E_ARG,
                 "agent 3 is not on the roster of 3 agents");
    assert_fails(a->relay->check(&env, opts, 1, 0, t.data, t.len, &err), TACIT_E_ARG, "round");
    t.data[0] = 'X';
    assert_fails(a->relay->release(&env, opts, 0, 0, t.data, t.len, &r, &err), TACIT_E_ARG,
                 "it must begin with");
    assert_null(r);
    tc_text_fini(&t);
}

static void test_relays(void **state)
{
    (void)state;
    const tc_algorithm *fts = &tc_algorithm_fts, *rgpe = &tc_algorithm_rgpe,
                       *taf = &tc_algorithm_taf;
    void *opts = defaults(fts, NULL, NULL);
    check_relay(fts, "TFT1", 4, opts);
    forget(fts, opts);
    opts = defaults(fts, "mode", "general");
    check_relay(fts, "TFT1", 4, opts);
    forget(fts, opts);
    opts = defaults(rgpe, NULL, NULL);
    check_relay(rgpe, "TRG1", 14, opts);
    forget(rgpe, opts);
    opts = defaults(taf, NULL, NULL);
    check_relay(taf, "TTA1", 15, opts);
    forget(taf, opts);
    opts = defaults(taf, "improvement", "mean");
    check_relay(taf, "TTA1", 5, opts);
    forget(taf, opts);
}

static void test_rounds_of_the_relay(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_algorithm *a[] = {&tc_algorithm_fts, &tc_algorithm_rgpe, &tc_algorithm_taf};
    const char *said[] = {"with mode=one-shot agents publish in round 0 alone, got round 2",
                          "agents of rgpe publish in round 0 alone, got round 2",
                          "agents of taf publish in round 0 alone, got round 2"};
    tc_env env = {.agents = 3};
    for (size_t i = 0; i < 3; i++) {
        void *opts = defaults(a[i], NULL, NULL);
        assert_fails(a[i]->relay->check(&env, opts, 2, 0, "", 0, &err), TACIT_E_ARG, said[i]);
        forget(a[i], opts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_layout),
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_whatever_differs_is_refused),
        cmocka_unit_test(test_relays),
        cmocka_unit_test(test_rounds_of_the_relay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
