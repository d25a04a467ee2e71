/* ledger_release_api_test.c - the public ledger, releasing: who is charged for what each mechanism
 * makes, and how the bytes that were stored for it are read. */
#include <tacit/ledger.h>

#include "support/drawn_release.h"

#include <stdio.h>

/* ---- one release of every mechanism */

/* One number of one user. */
static tacit_release *draw_reply(double epsilon)
{
    tacit_error err = {0};
    tacit_reply *p = NULL;
    tacit_release *r = NULL;
    assert_ok(tacit_reply_new(&p, TACIT_REPLY_LAPLACE, epsilon, -3, 5, &err));
    assert_ok(tacit_reply_release(p, 0.5, &r, &err));
    tacit_reply_free(p);
    return r;
}

static tacit_release *draw_rows(size_t rows)
{
    tacit_error err = {0};
    static const double low[] = {0, 0}, high[] = {1, 1}, x[] = {0.1, 0.2, 0.3, 0.4};
    size_t order[2];
    tacit_release *r = NULL;
    tacit_rows_plan plan = TACIT_ROWS_PLAN;
    plan.rows = rows;
    plan.dims = 2;
    plan.low = low;
    plan.high = high;
    plan.radius = 0.1;
    plan.epsilon = 1;
    assert_ok(tacit_rows_release(&r, order, &plan, x, &err));
    return r;
}

static tacit_release *draw_vector(tacit_unit unit)
{
    tacit_error err = {0};
    static const double low[] = {0}, high[] = {1}, x[] = {0.5};
    tacit_release *r = NULL;
    tacit_laplace_plan plan = TACIT_LAPLACE_PLAN;
    plan.count = 1;
    plan.low = low;
    plan.high = high;
    plan.epsilon = 1;
    plan.unit = unit;
    assert_ok(tacit_laplace_release(&r, &plan, x, &err));
    return r;
}

static tacit_release *draw_none(size_t rows, tacit_unit unit)
{
    tacit_error err = {0};
    static const double x[] = {1, 2};
    tacit_release *r = NULL;
    assert_ok(tacit_none_release(&r, rows, 1, x, unit, "a test", &err));
    return r;
}

static tacit_charge charge_of(uint64_t round)
{
    tacit_charge c = TACIT_CHARGE;
    c.study = "a study";
    c.round = round;
    return c;
}

static tacit_ledger *open_new(void)
{
    tacit_error err = {0};
    tacit_ledger *l = NULL;
    assert_ok(tacit_ledger_create(&l, "memory:", "clinics", &err));
    return l;
}

static uint64_t entries_of(tacit_ledger *l)
{
    tacit_error err = {0};
    tacit_head head;
    assert_ok(tacit_ledger_head(l, &head, &err));
    return head.seq;
}

/* ---- who is charged */

/* Else fifty sums, each charged to another agent, would pass a budget for two. */
static void a_sum_is_charged_to_everybody(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_budget b = TACIT_BUDGET;
    b.epsilon = 2;
    b.delta = 1e-6;
    b.accountant = "pld";
    tacit_ledger *l = open_new();
    for (uint64_t round = 0; round < 5; round++) {
        char name[8];
        tacit_release *r = draw(4);
        tacit_receipt *x = NULL;
        tacit_charge c = charge_of(round);
        snprintf(name, sizeof name, "a%d", (int)round);
        c.subject = name;
        assert_fails(tacit_ledger_release(l, &b, &c, r, &x, &err), TACIT_E_ARG,
                     "subject must be NULL, got \"a");
        assert_fails(tacit_ledger_release(l, NULL, &c, r, &x, &err), TACIT_E_ARG,
                     "this release (gaussian-sum) concerns every agent");
        assert_null(x);
        tacit_release_free(r);
    }
    assert_int_equal(entries_of(l), 0);
    tacit_ledger_close(l);
}

/* Every mechanism, with a subject: what is about one unit passes, all else is refused. */
static void only_what_is_about_one_unit_has_a_subject(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new();
    struct {
        tacit_release *r;
        const char *why; /* NULL: passes */
    } cases[] = {
        {draw_reply(1), NULL},
        {draw_rows(1), NULL},
        {draw_none(1, TACIT_UNIT_ROW), NULL},
        {draw_none(1, TACIT_UNIT_USER), NULL},
        {draw(4), "(gaussian-sum) concerns every agent"},
        {draw_rows(2), "(laplace-rows) concerns every row"},
        {draw_vector(TACIT_UNIT_AGENT), "(laplace-vector) concerns every agent"},
        {draw_vector(TACIT_UNIT_USER), "(laplace-vector) concerns every user"},
        {draw_none(1, TACIT_UNIT_AGENT), "(none) concerns every agent"},
        {draw_none(2, TACIT_UNIT_ROW), "(none) concerns every row"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tacit_receipt *x = NULL;
        tacit_charge c = charge_of(i);
        c.subject = "ana";
        if (cases[i].why)
            assert_fails(tacit_ledger_release(l, NULL, &c, cases[i].r, &x, &err), TACIT_E_ARG,
                         cases[i].why);
        else
            assert_ok(tacit_ledger_release(l, NULL, &c, cases[i].r, &x, &err));
        tacit_receipt_free(x);
        x = NULL;
        c = charge_of(100 + i); /* and everybody may be charged for anything */
        assert_ok(tacit_ledger_release(l, NULL, &c, cases[i].r, &x, &err));
        tacit_receipt_free(x);
        tacit_release_free(cases[i].r);
    }
    assert_int_equal(entries_of(l), 14);
    tacit_ledger_close(l);
}

/* ---- how its bytes are read */

/* The bytes of a round are read with the step that they were released with, or not at all. */
static void another_clip_norm_does_not_get_the_bytes(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new();
    tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
    tacit_sum_plan plan = plan_of(4);
    tacit_sum *sum = NULL;
    tacit_release *r = NULL;
    tacit_receipt *first = NULL, *none = NULL;
    tacit_charge c = charge_of(1);
    tacit_release *unit_clip = draw(4);
    assert_ok(tacit_ledger_release(l, NULL, &c, unit_clip, &first, &err));
    plan.clip_norm = 1000;
    assert_ok(tacit_sum_open(&sum, &plan, &err));
    assert_ok(tacit_sum_close(sum, &r, &err));
    assert_fails(tacit_ledger_release(l, NULL, &c, r, &none, &err), TACIT_E_CONFLICT,
                 "round 1 of this study was released as ledger entry 1 with another step; another "
                 "release needs another round");
    assert_null(none);
    assert_ok(tacit_ledger_get(l, 1, &e, &err));
    assert_true(e.step != tacit_release_step(r));
    assert_same_bits(e.step, tacit_release_step(unit_clip));
    tacit_release_free(unit_clip);
    tacit_release_free(r);
    tacit_sum_free(sum);
    tacit_receipt_free(first);
    tacit_ledger_close(l);
}

static double value_of(const tacit_ledger_entry *e, const uint8_t *word)
{
    uint64_t bits = 0;
    for (size_t k = 8; k-- > 0;)
        bits = bits << 8 | word[k];
    int64_t steps;
    memcpy(&steps, &bits, sizeof steps);
    return e->offset + e->step * (double)steps;
}

/* A stranger has the bytes and the exported ledger, and no plan. */
static void strangers_can_read_the_bytes(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new(), *read = NULL;
    tacit_release *made[] = {draw(4), draw_reply(0.7), draw_rows(2)};
    char *json = NULL;
    uint8_t bytes[3][32];
    for (uint64_t i = 0; i < 3; i++) {
        tacit_receipt *x = NULL;
        tacit_charge c = charge_of(i);
        assert_ok(tacit_ledger_release(l, NULL, &c, made[i], &x, &err));
        memcpy(bytes[i], tacit_receipt_bytes(x), tacit_receipt_size(x));
        tacit_receipt_free(x);
    }
    assert_ok(tacit_ledger_export(l, &json, &err));
    assert_ok(tacit_ledger_import(&read, json, &err));
    for (uint64_t i = 0; i < 3; i++) {
        tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
        assert_ok(tacit_ledger_get(read, i + 1, &e, &err));
        assert_int_equal(e.rows, tacit_release_rows(made[i]));
        assert_int_equal(e.cols, tacit_release_cols(made[i]));
        for (size_t k = 0; k < e.rows * e.cols; k++)
            assert_same_bits(value_of(&e, bytes[i] + 8 * k),
                             tacit_release_value(made[i], k / e.cols, k % e.cols));
        tacit_release_free(made[i]);
    }
    tacit_text_free(json);
    tacit_ledger_close(read);
    tacit_ledger_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_charged_to_everybody),
        cmocka_unit_test(only_what_is_about_one_unit_has_a_subject),
        cmocka_unit_test(another_clip_norm_does_not_get_the_bytes),
        cmocka_unit_test(strangers_can_read_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
