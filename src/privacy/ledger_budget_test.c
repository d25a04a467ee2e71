/* ledger_budget_test.c - what units have spent over all studies, and refusals before spending. */
#include "privacy/release_int.h"
#include "support/failing_ledger_store.h"
#include "privacy/filter.h"
#include "privacy/mechanism.h"
#include "privacy/rdp.h"

#include <stdio.h>

static failing_ledger_store store, *const d = &store;
static tc_ledger *l;

/* Called by each test, not before it: cmocka would not report an assertion there. */
static void open_ledger(void)
{
    memset(&store, 0, sizeof store);
    l = fake_open(d);
}

static int close_ledger(void **state)
{
    (void)state;
    tc_ledger_close(l);
    l = NULL;
    return 0;
}

static tc_ledger_claim claim_of(const char *subject, const tc_accountant *a)
{
    tacit_error err = {0};
    tc_ledger_claim c;
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, subject, 1e-5, a, &c, &err));
    return c;
}

static double epsilon_of(const tc_accountant *a, const tacit_dp_event *events, size_t n,
                         double delta)
{
    tacit_error err = {0};
    tacit_guarantee g;
    assert_ok(tc_account(a, events, n, delta, &g, &err));
    return g.epsilon;
}

/* ---- composition */

static void budgets_compose_per_unit_over_studies(void **state)
{
    (void)state;
    open_ledger();
    const tc_accountant *a = &tc_accountant_rdp;
    tacit_dp_event all = gaussian_event(5), ana = gaussian_event(8), bob = gaussian_event(3);
    spend(l, "one", 1, NULL, all);
    spend(l, "one", 2, "ana", ana);
    spend(l, "two", 1, "bob", bob);
    spend(l, "two", 2, NULL, all);
    spend(l, "two", 3, "ana", ana);
    tacit_dp_event of_all[] = {all, all}, of_ana[] = {all, ana, all, ana},
                   of_bob[] = {all, bob, all};
    assert_close(claim_of("nobody", a).bound.epsilon, epsilon_of(a, of_all, 2, 1e-5), 1e-12);
    assert_close(claim_of("ana", a).bound.epsilon, epsilon_of(a, of_ana, 4, 1e-5), 1e-12);
    assert_close(claim_of("bob", a).bound.epsilon, epsilon_of(a, of_bob, 3, 1e-5), 1e-12);
    assert_int_equal(claim_of("ana", a).entries, 4);
    tc_ledger_claim worst = claim_of(NULL, a);
    assert_string_equal(worst.subject, "bob");
    assert_int_equal(worst.entries, 3);
    assert_true(worst.bound.epsilon == claim_of("bob", a).bound.epsilon);
    assert_true(worst.is_private && *worst.not_private == 0);
    assert_false(tc_ledger_has_unit(l, TACIT_UNIT_ROW));
}

/* ---- units within units */

static void spend_row(uint64_t round, tacit_dp_event event)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("rows", round, NULL);
    tc_release *r = forced_release(event, 1);
    r->view.unit = TACIT_UNIT_ROW;
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
}

static tc_ledger_claim claim_of_row(const tc_accountant *a)
{
    tacit_error err = {0};
    tc_ledger_claim c;
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_ROW, NULL, 1e-5, a, &c, &err));
    return c;
}

/* A row changes all that its agent contributes, whichever agent that is; sampling hides nothing of it. */
static void a_row_pays_for_its_agent(void **state)
{
    (void)state;
    open_ledger();
    const tc_accountant *a = &tc_accountant_rdp;
    tacit_dp_event sampled = {TACIT_DP_GAUSSIAN, 8, TACIT_DP_POISSON, 0.25, 1};
    spend(l, "one", 1, NULL, sampled);
    spend(l, "one", 2, "ana", gaussian_event(6));
    spend(l, "one", 3, "bob", tc_release_event(TACIT_DP_PURE, 0.1));
    double agents = claim_of(NULL, a).bound.epsilon;
    spend_row(1, gaussian_event(5));
    tacit_dp_event all[] = {gaussian_event(4), gaussian_event(3),
                            tc_release_event(TACIT_DP_PURE, 0.2), gaussian_event(5)};
    tc_ledger_claim row = claim_of_row(a);
    assert_close(row.bound.epsilon, epsilon_of(a, all, 4, 1e-5), 1e-12);
    assert_int_equal(row.entries, 4);
    assert_same_bits(claim_of(NULL, a).bound.epsilon, agents); /* not the other way round */
    tc_text t = {0};
    tc_ledger_statement(l, &row, &t);
    assert_non_null(strstr(tc_text_get(&t),
                           " 3 of the releases are about agents: in these, all that "
                           "the agent of such a row contributes may become anything "
                           "else. Not protected: "));
    t.len = 0;
    tc_ledger_claim agent = claim_of(NULL, a);
    tc_ledger_statement(l, &agent, &t);
    assert_non_null(
        strstr(tc_text_get(&t),
               " 1 more release of this ledger protects single rows, users or records: what such "
               "a release tells of an agent as a whole is not in this promise."));
    tc_text_fini(&t);
}

/* A Laplace release may protect vectors that are close alone: of what a row changes it promises nothing. */
static void of_a_laplace_release_about_agents_rows_hear_nothing(void **state)
{
    (void)state;
    open_ledger();
    spend(l, "one", 1, NULL, tc_release_event(TACIT_DP_LAPLACE, 0.5));
    spend_row(1, gaussian_event(5));
    assert_false(claim_of_row(&tc_accountant_pld).bound.epsilon < 1e300);
    assert_true(claim_of(NULL, &tc_accountant_pld).bound.epsilon < 1);
}

/* Whichever comes second, a limit is held against both. */
static void a_limit_is_one_over_all_units(void **state)
{
    tacit_error err = {0};
    tc_ledger_budget b = {.epsilon = 4, .delta = 1e-5};
    const tc_accountant *by[] = {&tc_accountant_pld, NULL};
    tacit_dp_event strong = gaussian_event(2), weak = gaussian_event(20);
    (void)state;
    for (int i = 0; i < 2; i++) {
        b.accountant = by[i];
        open_ledger();
        spend_row(1, gaussian_event(2));
        assert_ok(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, NULL, &weak, 0, &err));
        assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, NULL, &strong, 0, &err),
                     TACIT_E_BUDGET, "every row");
        tc_ledger_close(l);
        open_ledger();
        spend(l, "one", 1, NULL, strong);
        assert_ok(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, NULL, &weak, 0, &err));
        assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_ROW, NULL, &weak, 0, &err), TACIT_E_BUDGET,
                     "every row");
        if (i == 0)
            tc_ledger_close(l);
    }
}

/* Against the slow way: every name by itself. */
static void the_worst_off_of_many_is_found(void **state)
{
    (void)state;
    open_ledger();
    tacit_dp_event kinds[] = {gaussian_event(4), gaussian_event(6),
                              tc_release_event(TACIT_DP_PURE, 0.3)};
    unsigned seed = 7;
    for (uint64_t i = 0; i < 60; i++) {
        char name[8];
        seed = seed * 1103515245u + 12345u;
        snprintf(name, sizeof name, "u%u", seed / 65536 % 9);
        spend(l, "s", i, seed / 65536 % 7 == 0 ? NULL : name, kinds[seed / 1048576 % 3]);
    }
    double worst = 0;
    for (unsigned i = 0; i < 10; i++) {
        char name[8];
        snprintf(name, sizeof name, "u%u", i);
        worst = fmax(worst, claim_of(name, &tc_accountant_rdp).bound.epsilon);
    }
    assert_same_bits(claim_of(NULL, &tc_accountant_rdp).bound.epsilon, worst);
}

/* ---- budgets */

static tacit_status try_release(const tc_ledger_budget *b, uint64_t round, const char *subject,
                                tacit_dp_event event, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("s", round, subject);
    tc_release *r = subject ? forced_single(event, 1) : forced_release(event, 1);
    tacit_status status = tc_ledger_release(l, b, &c, r, &receipt, err);
    tc_release_free(r);
    tc_ledger_receipt_fini(&receipt);
    return status;
}

static void a_budget_refuses_before_it_is_spent(void **state)
{
    (void)state;
    open_ledger();
    tacit_error err = {0};
    tc_ledger_budget b = {1, 1e-5, &tc_accountant_pure};
    tacit_dp_event third = tc_release_event(TACIT_DP_PURE, 0.375);
    assert_ok(try_release(&b, 1, NULL, third, &err));
    assert_ok(try_release(&b, 2, NULL, third, &err));
    assert_fails(try_release(&b, 3, NULL, third, &err), TACIT_E_BUDGET,
                 "the privacy budget of every agent (epsilon 1, delta 1e-05) does not allow this "
                 "release: spent 0.75, asked 0.375, remaining 0.25 (pure)");
    assert_int_equal(d->n, 2);
    assert_int_equal(d->appends, 2);
    assert_ok(try_release(&b, 3, NULL, tc_release_event(TACIT_DP_PURE, 0.2), &err));
    assert_ok(try_release(&b, 1, NULL, third, &err)); /* again: costs nothing */
    assert_fails(try_release(&b, 4, NULL, tc_release_event(TACIT_DP_NONPRIVATE, 1), &err),
                 TACIT_E_BUDGET, "asked infinite, remaining 0.0499999 (");
}

/* A release to everybody must fit the unit that has the least left. */
static void everybody_includes_those_who_spent_more(void **state)
{
    (void)state;
    open_ledger();
    tacit_error err = {0};
    tc_ledger_budget b = {1, 1e-5, &tc_accountant_pure};
    spend(l, "other", 1, "ana", tc_release_event(TACIT_DP_PURE, 0.75));
    tacit_dp_event half = tc_release_event(TACIT_DP_PURE, 0.5);
    assert_fails(try_release(&b, 1, NULL, half, &err), TACIT_E_BUDGET,
                 "the privacy budget of agent \"ana\" (epsilon 1, delta 1e-05)");
    assert_ok(try_release(&b, 1, "bob", half, &err));
    assert_fails(try_release(&b, 2, "ana", half, &err), TACIT_E_BUDGET, "remaining 0.25");
}

/* Fifty sums, each charged to another name, would cost every agent fifty times what is stated. */
static void what_concerns_all_is_charged_to_all(void **state)
{
    (void)state;
    open_ledger();
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("s", 1, "a0");
    tc_release *sum = forced_release(gaussian_event(4), 1);
    assert_int_equal(tc_ledger_release(l, NULL, &c, sum, &receipt, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, "subject must be NULL, got \"a0\": this release (gaussian-sum) "
                                 "concerns every agent");
    assert_int_equal(d->appends, 0);
    c.subject = NULL;
    assert_ok(tc_ledger_release(l, NULL, &c, sum, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    c.subject = "a0"; /* and asking again does not get it either */
    assert_fails(tc_ledger_release(l, NULL, &c, sum, &receipt, &err), TACIT_E_ARG, "every agent");
    assert_null(receipt.bytes);
    tc_release_free(sum);
}

static void subjects_that_are_no_names_are_refused(void **state)
{
    (void)state;
    open_ledger();
    static char longer[10001];
    memset(longer, 'x', sizeof longer - 1);
    tacit_error err = {0};
    tacit_dp_event e = gaussian_event(4);
    tc_ledger_budget b = {10, 1e-5, &tc_accountant_rdp};
    assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, "", &e, 0, &err), TACIT_E_ARG,
                 "subject must not be empty");
    assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, longer, &e, 0, &err), TACIT_E_ARG,
                 "subject must have at most 255 bytes, got 10000");
    assert_ok(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, "ana", &e, 0, &err));
}

static void budgets_see_what_other_processes_spend(void **state)
{
    (void)state;
    open_ledger();
    tacit_error err = {0};
    tc_ledger_budget b = {1, 1e-5, &tc_accountant_pure};
    tc_ledger *other = fake_open(d);
    spend(other, "other", 1, NULL, tc_release_event(TACIT_DP_PURE, 0.75));
    tc_ledger_close(other);
    assert_fails(try_release(&b, 1, NULL, tc_release_event(TACIT_DP_PURE, 0.5), &err),
                 TACIT_E_BUDGET, "spent 0.75");
}

/* A ledger that begins with a pure epsilon is held by the Renyi filter, one that begins with a plain
 * Gaussian by the sum of mu^2, which is exact. */
static void a_filter_holds_the_budget_too(void **state)
{
    (void)state;
    open_ledger();
    tacit_error err = {0};
    tc_ledger_budget b = {2, 1e-5, NULL};
    tc_filter f;
    tacit_dp_event pure = tc_release_event(TACIT_DP_PURE, 0.1);
    uint64_t round = 1;
    assert_ok(tc_filter_init(&f, 2, 1e-5, &err));
    assert_ok(tc_filter_spend(&f, &pure, &err));
    assert_ok(try_release(&b, 0, "ana", pure, &err));
    for (;; round++) {
        tacit_dp_event e = {TACIT_DP_GAUSSIAN, 8 + (double)(round % 3), TACIT_DP_ALL, 1, 1};
        if (tc_filter_spend(&f, &e, NULL) != TACIT_OK)
            break;
        assert_ok(try_release(&b, round, "ana", e, &err));
    }
    assert_true(round > 3);
    assert_fails(try_release(&b, round, "ana", gaussian_event(8 + (double)(round % 3)), &err),
                 TACIT_E_BUDGET,
                 "the privacy budget of agent \"ana\" (epsilon 2, delta 1e-05) does not allow");
    assert_int_equal(d->n, round);
    assert_true(claim_of("ana", &tc_accountant_rdp).bound.epsilon <= 2);
    assert_true(claim_of("ana", NULL).bound.epsilon <= 2 * (1 + 1e-6));
    for (round = 0; try_release(&b, 1000 + round, "bob", gaussian_event(8), &err) == TACIT_OK;)
        round++;
    tacit_dp_event fits = {TACIT_DP_GAUSSIAN, 8, TACIT_DP_ALL, 1, round}, more = fits;
    more.count++;
    assert_true(epsilon_of(&tc_accountant_gaussian, &fits, 1, 1e-5) <= 2);
    assert_true(epsilon_of(&tc_accountant_gaussian, &more, 1, 1e-5) > 2);
}

/* Sampling says nothing about a row that is there in either world. */
static void sampled_rows_have_no_price(void **state)
{
    (void)state;
    open_ledger();
    tacit_error err = {0};
    tc_ledger_budget b = {1000, 1e-5, &tc_accountant_rdp};
    tacit_dp_event e = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_POISSON, 0.01, 1};
    assert_ok(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, NULL, &e, 0, &err));
    assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_ROW, NULL, &e, 0, &err), TACIT_E_ARG,
                 "accounted for agents only, got rate 0.01 for unit row");
    assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_USER, NULL, &e, 0, &err), TACIT_E_ARG,
                 "unit user");
}

static void bad_budgets_are_refused(void **state)
{
    (void)state;
    open_ledger();
    tacit_error err = {0};
    tacit_dp_event e = gaussian_event(1);
    tc_ledger_budget b = {NAN, 1e-5, &tc_accountant_rdp};
    assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, NULL, &e, 0, &err), TACIT_E_ARG,
                 "the epsilon of a budget must be > 0, got nan");
    b = (tc_ledger_budget){1, 1, &tc_accountant_rdp};
    assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, NULL, &e, 0, &err), TACIT_E_ARG,
                 "delta must be in (0, 1), got 1");
    b = (tc_ledger_budget){100, 1e-5, &tc_accountant_rdp};
    e.parameter = 0;
    assert_fails(tc_ledger_would(l, &b, TACIT_UNIT_AGENT, NULL, &e, 0, &err), TACIT_E_ARG,
                 "noise_multiplier must be in (0, 1e6], got 0");
    assert_fails(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, "a", 0, &tc_accountant_rdp,
                                     &(tc_ledger_claim){0}, &err),
                 TACIT_E_ARG, "delta must be in (0, 1), got 0");
}

/* ---- discrete noise */

static void spend_distance(uint64_t round, double z, double distance)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("s", round, NULL);
    tc_release *r = forced_release(gaussian_event(z), 1);
    r->view.distance = distance;
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
}

/* The reported epsilon is right for the delta that the slack leaves, and no larger than needed. */
static void discrete_noise_costs_some_delta(void **state)
{
    (void)state;
    open_ledger();
    const tc_accountant *a = &tc_accountant_gaussian;
    tacit_dp_event all = {TACIT_DP_GAUSSIAN, 3, TACIT_DP_ALL, 1, 4};
    for (uint64_t i = 0; i < 4; i++)
        spend_distance(i, 3, 2e-8);
    tc_ledger_claim c = claim_of(NULL, a);
    double rest = 1e-5 - (1 + exp(c.bound.epsilon)) * 8e-8;
    assert_true(rest > 0 && rest < 0.9e-5);
    assert_true(c.bound.epsilon >= epsilon_of(a, &all, 1, rest));
    assert_close(c.bound.epsilon, epsilon_of(a, &all, 1, rest), 1e-4);
    assert_true(c.bound.delta == 1e-5 && c.bound.lower == 0);
    assert_string_equal(c.bound.accountant, "gaussian");
}

/* Where the slack alone exceeds delta, integer Renyi orders are left; they need none. */
static void coarse_noise_falls_back_to_integer_orders(void **state)
{
    (void)state;
    open_ledger();
    tacit_dp_event e = gaussian_event(0.2);
    spend_distance(1, 0.2, 1e-9);
    tc_ledger_claim c = claim_of(NULL, &tc_accountant_gaussian);
    assert_string_equal(c.bound.accountant, "rdp");
    assert_true(c.bound.order == floor(c.bound.order));
    double best = INFINITY;
    for (int order = 2; order <= 64; order++)
        best = fmin(best, tc_rdp_epsilon(tc_rdp_of(&e, order), order, 1e-5));
    assert_close(c.bound.epsilon, best, 1e-9);
    assert_true(c.bound.epsilon >= epsilon_of(&tc_accountant_gaussian, &e, 1, 1e-5));
}

/* ---- stamps and statements */

static void test_noise_marks_the_claim(void **state)
{
    (void)state;
    open_ledger();
    tacit_error err = {0};
    tc_ledger_charge c = charge_of("s", 9, "ana");
    tc_ledger_receipt receipt = {0};
    tc_entropy seeded = {.secret = false};
    tc_release *r = NULL, *plain = forced_release(gaussian_event(2), 1);
    assert_ok(tc_release_new(&r, 1, 1, &seeded, &err));
    r->view.event = gaussian_event(2);
    r->view.mechanism = "laplace-reply";
    r->view.single = true;
    r->view.adjacency = plain->view.adjacency;
    tc_release_free(plain);
    spend(l, "s", 1, NULL, gaussian_event(2));
    assert_true(claim_of(NULL, &tc_accountant_gaussian).is_private);
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
    assert_false(claim_of(NULL, &tc_accountant_gaussian).is_private);
    assert_true(claim_of("bob", &tc_accountant_gaussian).is_private);
    tc_ledger_claim ana = claim_of("ana", &tc_accountant_gaussian);
    tc_text t = {0};
    tc_ledger_statement(l, &ana, &t);
    assert_string_equal(
        tc_text_get(&t),
        "NOT PRIVATE: the noise was drawn from a seed (test mode). agent \"ana\": epsilon 2.94323, "
        "delta 1e-05 (gaussian) over 2 releases. Neighbours: all vectors of one agent are replaced "
        "by zero. Not protected: being on the roster, being online, when an agent answers, and "
        "whatever leaves by another way than these releases. Towards everybody but the "
        "coordinator, "
        "which sees the vectors and is trusted to sample and to draw the noise as the document "
        "says, once a round.");
    tc_text_fini(&t);
}

static const char *statement_of(const tc_ledger_claim *c, tc_text *t)
{
    tc_text_fini(t);
    *t = (tc_text){0};
    tc_ledger_statement(l, c, t);
    return tc_text_get(t);
}

/* What is read off a statement is no less than what was proved. */
static void printed_numbers_are_bounds(void **state)
{
    (void)state;
    open_ledger();
    tc_text t = {0};
    for (int i = 1; i < 2000; i++) {
        double epsilon = 1e-3 * i * i / 7.0, delta = 1e-3 / (3.0 * i), shown = 0, shown_delta = 0;
        tc_ledger_claim c = {.bound = {.epsilon = epsilon, .delta = delta, .accountant = "rdp"},
                             .subject = "",
                             .entries = 1,
                             .is_private = true};
        const char *text = statement_of(&c, &t);
        assert_int_equal(
            sscanf(text, "every agent: epsilon %lf, delta %lf (", &shown, &shown_delta), 2);
        assert_true(shown >= epsilon && shown <= epsilon * 1.00002);
        assert_true(shown_delta >= delta && shown_delta <= delta * 1.00002);
    }
    tc_text_fini(&t);
}

/* A coordinator's releases of values that agents made private: they were released, and this ledger does not say at what cost. */
static void what_was_private_before_is_not_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_receipt receipt;
    tc_release *r;
    const double y = 0.5;
    const tc_ledger_charge charge = charge_of("s", 0, NULL);
    open_ledger();
    assert_ok(tc_none_release(&r, 1, 1, &y, TACIT_UNIT_RECORD, "", &err));
    tc_release_set_processed(r);
    assert_ok(tc_ledger_release(l, NULL, &charge, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
    tc_text t = {0};
    tc_ledger_claim c;
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_RECORD, NULL, 1e-5, &tc_accountant_pld, &c, &err));
    assert_non_null(
        strstr(statement_of(&c, &t), "what those cost is in the ledgers of the agents"));
    tc_text_fini(&t);
}

/* No entry, no neighbours: an epsilon of 0 would be a promise about nothing. */
static void a_unit_without_entries_has_no_epsilon(void **state)
{
    (void)state;
    open_ledger();
    tc_text t = {0};
    tc_ledger_claim c = claim_of(NULL, &tc_accountant_pure);
    assert_string_equal(statement_of(&c, &t), "Nothing was released about any agent.");
    spend(l, "s", 1, "ana", tc_release_event(TACIT_DP_PURE, 0.5));
    c = claim_of("bob", &tc_accountant_pure);
    assert_string_equal(statement_of(&c, &t), "agent \"bob\": nothing was released about it.");
    c = claim_of("ana", &tc_accountant_pure);
    assert_non_null(strstr(statement_of(&c, &t), "agent \"ana\": epsilon 0.5"));
    tc_text_fini(&t);
}

/* Whose epsilon is 0 although something was released is worse off than who has no entry. */
static void nothing_spent_is_not_nothing_released(void **state)
{
    (void)state;
    open_ledger();
    tc_text t = {0};
    tacit_dp_event never = tc_release_event(TACIT_DP_PURE, 0.5);
    never.count = 0;
    spend(l, "s", 1, "ana", never);
    tc_ledger_claim c = claim_of(NULL, &tc_accountant_pure);
    assert_non_null(strstr(statement_of(&c, &t), "agent \"ana\": epsilon 0, "));
    tc_text_fini(&t);
}

static void spend_near(uint64_t round, const char *adjacency)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("s", round, NULL);
    tc_release *r = forced_release(gaussian_event(3), 1);
    r->view.adjacency = adjacency;
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
}

/* Two radii make a promise about the smaller one, not about either. */
static void several_kinds_of_neighbours_hold_at_once(void **state)
{
    (void)state;
    open_ledger();
    tc_text t = {0};
    spend_near(1, "a row moves by at most 2");
    tc_ledger_claim c = claim_of(NULL, &tc_accountant_gaussian);
    assert_non_null(strstr(statement_of(&c, &t), " Neighbours: a row moves by at most 2. Not "));
    spend_near(2, "a row moves by at most 0.5");
    spend_near(3, "a row moves by at most 2");
    c = claim_of(NULL, &tc_accountant_gaussian);
    assert_non_null(strstr(statement_of(&c, &t),
                           " Neighbours: a row moves by at most 2; and also (2) a row moves by at "
                           "most 0.5. The promise is for neighbours in all 2 of these senses at "
                           "once. Not protected: "));
    tc_text_fini(&t);
}

#define TEST(f) cmocka_unit_test_teardown(f, close_ledger)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(budgets_compose_per_unit_over_studies),
        TEST(a_row_pays_for_its_agent),
        TEST(of_a_laplace_release_about_agents_rows_hear_nothing),
        TEST(a_limit_is_one_over_all_units),
        TEST(the_worst_off_of_many_is_found),
        TEST(a_budget_refuses_before_it_is_spent),
        TEST(everybody_includes_those_who_spent_more),
        TEST(budgets_see_what_other_processes_spend),
        TEST(a_filter_holds_the_budget_too),
        TEST(sampled_rows_have_no_price),
        TEST(bad_budgets_are_refused),
        TEST(discrete_noise_costs_some_delta),
        TEST(coarse_noise_falls_back_to_integer_orders),
        TEST(test_noise_marks_the_claim),
        TEST(printed_numbers_are_bounds),
        TEST(what_was_private_before_is_not_nothing),
        TEST(a_unit_without_entries_has_no_epsilon),
        TEST(nothing_spent_is_not_nothing_released),
        TEST(what_concerns_all_is_charged_to_all),
        TEST(subjects_that_are_no_names_are_refused),
        TEST(several_kinds_of_neighbours_hold_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
