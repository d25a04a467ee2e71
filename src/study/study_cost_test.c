/* study_cost_test.c - rounds about everybody add up, a record pays once, and what is paid is left out. */
#include "support/test.h"

#include "algo/charge.h"
#include "study/study.h"
#include "study/study_cost.h"

static const char everybody[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 7, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
    " \"releases\": \"all\"},"
    " \"federation\": {\"agents\": 40}, \"privacy\": {\"noise_multiplier\": 8}}";
static const char records[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 2000, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-pf-pne\", \"protect\": \"record\"},"
    " \"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";

static tc_study_plan *plan_of(const char *text)
{
    tacit_error err = {0};
    tc_study_doc *doc;
    tc_study_row row;
    tc_study_plan *p;
    assert_ok(tc_study_doc_restore(&doc, text, NULL, &err));
    assert_ok(tc_study_row_of(&row, doc, 5, &err));
    assert_ok(tc_study_plan_new(&p, &row, &err));
    tc_study_row_fini(&row);
    tc_study_doc_free(doc);
    return p;
}

/* All rounds, in order; at most `most`. */
static size_t rounds_of(const tc_study_plan *p, uint64_t *out, size_t most)
{
    tacit_error err = {0};
    size_t n = 0;
    uint64_t round;
    assert_ok(tc_study_plan_next_round(p, 0, &round, &err));
    while (round != TC_NO_ROUND && n < most) {
        out[n++] = round;
        assert_ok(tc_study_plan_next_round(p, round + 1, &round, &err));
    }
    return n;
}

static tc_ledger *open_ledger(tc_store **store)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_open(store, "memory:", true, &err));
    assert_ok(tc_store_ledger(*store, "mine", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "mine", &io, &err));
    return l;
}

static void pay(tc_ledger *l, const tc_study_plan *p, uint64_t round)
{
    tacit_error err = {0};
    tc_round_charge who = tc_round_charge_of(p->doc->algorithm, p->opts, round);
    tc_ledger_lost paid = {
        .charge = {.study = p->hash, .round = round, .subject = tc_round_charge_subject(&who)},
        .unit = who.unit,
        .adjacency = "any"};
    tc_round_price price;
    assert_ok(tc_study_plan_price(p, round, &price, &err));
    paid.event = price.event;
    paid.distance = price.distance;
    assert_ok(tc_ledger_charge_lost(l, &paid, &err));
}

static void rounds_about_everybody_add_up(void **state)
{
    (void)state;
    enum { MOST = 16, TWO = 2 };
    tacit_error err = {0};
    uint64_t rounds[MOST];
    tc_study_plan *p = plan_of(everybody);
    size_t n = rounds_of(p, rounds, MOST);
    tc_study_cost c = {0}, rest = {0};
    tacit_guarantee all, by_hand;
    tc_store *store;
    tc_ledger *l = open_ledger(&store);
    assert_true(n > TWO && n < MOST);
    assert_ok(tc_study_cost_add_unpaid(&c, p, NULL, &err));
    assert_int_equal(c.n, n);
    assert_int_equal(c.round, rounds[n - 1]);
    double distance = 0;
    for (size_t i = 0; i < n; i++) {
        tc_round_price one;
        assert_ok(tc_study_plan_price(p, rounds[i], &one, &err));
        assert_same_bits(c.events[i].parameter, one.event.parameter);
        distance += one.distance;
    }
    assert_true(distance > 0);
    assert_same_bits(c.distance, distance);
    assert_ok(tc_study_cost_at(p, 1e-5, &all, &err));
    assert_ok(tc_ledger_cost(&tc_accountant_pld, c.events, n, distance, 1e-5, &by_hand, &err));
    assert_same_bits(all.epsilon, by_hand.epsilon);
    assert_true(all.epsilon > 0);

    pay(l, p, rounds[0]);
    pay(l, p, rounds[TWO]);
    assert_ok(tc_study_cost_add_unpaid(&rest, p, l, &err));
    assert_int_equal(rest.n, n - 2);
    assert_true(rest.distance < distance);
    tc_study_cost_fini(&rest);
    tc_study_cost_fini(&c);
    tc_ledger_close(l);
    tc_store_close(store);
    tc_study_plan_free(p);
}

static void a_record_pays_once(void **state)
{
    (void)state;
    enum { MOST = 3 };
    tacit_error err = {0};
    uint64_t rounds[MOST];
    tc_study_plan *p = plan_of(records);
    tc_study_cost c = {0}, rest = {0};
    tc_store *store;
    tc_ledger *l = open_ledger(&store);
    assert_int_equal(rounds_of(p, rounds, MOST), MOST);
    assert_ok(tc_study_cost_add_unpaid(&c, p, NULL, &err));
    assert_int_equal(c.n, 1);
    assert_int_equal(c.round, rounds[0]);
    pay(l, p, rounds[0]);
    assert_ok(tc_study_cost_add_unpaid(&rest, p, l, &err));
    assert_int_equal(rest.n, 1);
    assert_int_equal(rest.round, rounds[1]);
    tc_study_cost_fini(&rest);
    tc_study_cost_fini(&c);
    tc_ledger_close(l);
    tc_store_close(store);
    tc_study_plan_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_about_everybody_add_up),
        cmocka_unit_test(a_record_pays_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
