/* ledger_check_price_test.c - which price in the coordinator's ledger an agent takes for the one that it paid. */
#include "support/test.h"

#include "agent/agent_int.h"
#include "algo/charge.h"
#include "base/memory.h"
#include "study/study.h"

#include <math.h>

#define STUDY                                                                                      \
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 7, \"seed\": 7,"                   \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"federation\": {\"agents\": 3}, "

static const char private_study[] =
    STUDY "\"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": "
          "\"all\"}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";
static const char bare_study[] =
    STUDY "\"algorithm\": {\"name\": \"pf-pne\"}, \"privacy\": \"none\"}";

static tc_study_plan *plan_of(const char *text, bool carried)
{
    tacit_error err = {0};
    tc_study_doc *doc;
    tc_study_row row;
    tc_study_plan *p;
    assert_ok(tc_study_doc_restore(&doc, text, NULL, &err));
    if (carried)
        assert_ok(tc_study_calibrate(doc, &err));
    assert_ok(tc_study_row_of(&row, doc, 5, &err));
    assert_ok(tc_study_plan_new(&p, &row, &err));
    tc_study_row_fini(&row);
    tc_study_doc_free(doc);
    return p;
}

/* Round 0 at `times` the noise that this agent has pledged, plus `units` of the grid that noise is on. */
static tacit_status judge(const tc_study_plan *p, double times, int units, tacit_error *why)
{
    tacit_error err = {0};
    tc_round_price price;
    tc_round_charge who = tc_round_charge_of(p->doc->algorithm, p->opts, 0);
    assert_ok(tc_study_plan_price(p, 0, &price, &err));
    tc_ledger_entry e = {.unit = who.unit,
                         .subject = "",
                         .event = price.event,
                         .distance = price.distance,
                         .adjacency = price.adjacency};
    e.event.parameter = e.event.parameter * times + ldexp(units, -32);
    return tc_check_their_price(p, &e, 0, why);
}

#define OTHER "the coordinator's ledger has another price for round 0 than the study's document"

static void a_carried_price_is_one_number(void **state)
{
    tacit_error err = {0};
    tc_study_plan *p = plan_of(private_study, true);
    (void)state;
    assert_ok(judge(p, 1, 0, &err));
    assert_fails(judge(p, 1, 1, &err), TACIT_E_STATE, OTHER);
    assert_fails(judge(p, 1, -1, &err), TACIT_E_STATE, OTHER);
    tc_study_plan_free(p);
}

static void a_searched_price_may_have_more_noise_in_last_digits(void **state)
{
    tacit_error err = {0};
    tc_study_plan *p = plan_of(private_study, false);
    (void)state;
    assert_ok(judge(p, 1, 0, &err));
    assert_ok(judge(p, 1, 1, &err));
    assert_ok(judge(p, 1 + 1e-10, 0, &err));
    assert_fails(judge(p, 1 + 1e-6, 0, &err), TACIT_E_STATE, OTHER);
    assert_fails(judge(p, 1, -1, &err), TACIT_E_STATE, OTHER); /* dearer than what was paid */
    assert_fails(judge(p, 1 - 1e-6, 0, &err), TACIT_E_STATE, OTHER);
    tc_study_plan_free(p);
}

/* A ledger keeps no number with it (ledger_entry.c). */
static void what_is_not_private_has_no_noise_to_compare(void **state)
{
    tacit_error err = {0};
    tc_study_plan *p = plan_of(bare_study, false);
    (void)state;
    assert_ok(judge(p, 1, 0, &err));
    assert_ok(judge(p, 0, 0, &err));
    tc_study_plan_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_carried_price_is_one_number),
        cmocka_unit_test(a_searched_price_may_have_more_noise_in_last_digits),
        cmocka_unit_test(what_is_not_private_has_no_noise_to_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
