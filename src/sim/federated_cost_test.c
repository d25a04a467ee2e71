/* federated_cost_test.c - epsilon by round, beside the accountant asked directly. */
#include "sim/federated_cost.h"

#include "base/memory.h"
#include "support/test.h"

#define DELTA 1e-3

enum { ROUNDS = 12 };

/* A result that has released in these rounds. */
typedef struct made {
    tacit_simulated_release releases[1000];
    tacit_curves r;
} made;

static tacit_dp_event gaussian(double z, double q)
{
    return (tacit_dp_event){TACIT_DP_GAUSSIAN, z, q < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL, q, 1};
}

static void make(made *m, uint64_t rounds)
{
    memset(m, 0, sizeof *m);
    m->r.points = rounds + 1;
    m->r.agents = 20;
    m->r.releases = m->releases;
}

static void add(made *m, uint64_t round, tacit_dp_event e)
{
    m->releases[m->r.n_releases++] =
        (tacit_simulated_release){.round = round, .trials = m->r.initial + round, .event = e};
}

static tc_federated_cost cost_of(const made *m, const tc_accountant *a)
{
    tacit_error err = {0};
    tc_federated_cost c;
    assert_ok(tc_federated_cost_init(&c, &m->r, a, DELTA, &err));
    return c;
}

static double account(const tc_accountant *a, const tacit_dp_event *events, size_t n)
{
    tacit_error err = {0};
    tacit_guarantee g;
    assert_ok(tc_account(a, events, n, DELTA, &g, &err));
    return g.epsilon;
}

static void test_rounds_without_a_release_cost_nothing(void **state)
{
    (void)state;
    made m;
    make(&m, ROUNDS);
    add(&m, 2, gaussian(3, 1));
    add(&m, 3, gaussian(5, 1));
    add(&m, 7, gaussian(3, 1));
    tc_federated_cost c = cost_of(&m, &tc_accountant_pld);
    tacit_dp_event one = gaussian(3, 1), two[] = {gaussian(3, 1), gaussian(5, 1)};
    tacit_dp_event three[] = {gaussian(3, 1), gaussian(5, 1)};
    three[0].count = 2;
    double spent[] = {0, account(&tc_accountant_pld, &one, 1), account(&tc_accountant_pld, two, 2),
                      account(&tc_accountant_pld, three, 2)};
    static const int releases[ROUNDS] = {0, 0, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3};
    for (size_t r = 0; r < ROUNDS; r++)
        assert_same_bits(c.by_round[r], spent[releases[r]]);
    assert_null(c.none);
    assert_int_equal(c.releases, 3);
    assert_same_bits(c.bound.epsilon, spent[3]);
    assert_same_bits(tc_federated_cost_at(&c, 0), 0);
    assert_same_bits(tc_federated_cost_at(&c, 2), 0);
    assert_same_bits(tc_federated_cost_at(&c, 3), spent[1]); /* round 2 comes before it */
    assert_same_bits(tc_federated_cost_at(&c, ROUNDS), spent[3]);
    tc_federated_cost_fini(&c);
}

/* Releases about records of their own: the dearest of them is what any record pays. */
static void test_rounds_about_their_own_records(void **state)
{
    (void)state;
    made m;
    tc_text text = {0};
    make(&m, ROUNDS);
    const double epsilons[] = {0.5, 2, 1};
    for (size_t i = 0; i < 3; i++) {
        add(&m, 2 * i, (tacit_dp_event){TACIT_DP_LAPLACE, epsilons[i], TACIT_DP_ALL, 1, 1});
        m.releases[i].unit = TACIT_UNIT_ROW;
    }
    tc_federated_cost c = cost_of(&m, &tc_accountant_pure);
    static const double spent[6] = {0.5, 0.5, 2, 2, 2, 2};
    for (size_t r = 0; r < 6; r++)
        assert_close(c.by_round[r], spent[r], 1e-12);
    assert_close(c.bound.epsilon, 2, 1e-12);
    assert_int_equal(c.releases, 3);
    tc_federated_cost_statement(&c, &text);
    assert_non_null(strstr(tc_text_get(&text), "If deployed: every row: epsilon 2, delta "));
    assert_non_null(strstr(tc_text_get(&text), "over 3 releases. Neighbours: "));
    assert_non_null(strstr(tc_text_get(&text), "no reward is in two releases;"));
    tc_text_fini(&text);
    tc_federated_cost_fini(&c);
}

/* Agents that begin with more than the initial points are late: rounds 0 to 3 are due at once. */
static void test_late_rounds_count_when_they_leave(void **state)
{
    (void)state;
    enum { SHORT = 3, LATE = 3 };
    made m;
    make(&m, SHORT);
    m.r.initial = 13;
    for (uint64_t r = 0; r < SHORT + LATE; r++) {
        add(&m, r, gaussian(3, 1));
        m.releases[r].trials = r < LATE ? 13 : 10 + r;
    }
    tc_federated_cost c = cost_of(&m, &tc_accountant_pld);
    for (size_t t = 0; t < SHORT; t++) {
        tacit_dp_event e = gaussian(3, 1);
        e.count = LATE + t + 1;
        assert_same_bits(c.by_round[t], account(&tc_accountant_pld, &e, 1));
    }
    assert_same_bits(tc_federated_cost_at(&c, SHORT), c.bound.epsilon);
    tc_federated_cost_fini(&c);
}

static void test_discrete_noise_costs_more(void **state)
{
    (void)state;
    made m;
    make(&m, ROUNDS);
    add(&m, 0, gaussian(1, 1));
    tc_federated_cost plain = cost_of(&m, &tc_accountant_pld);
    m.releases[0].distance = 1e-5;
    tc_federated_cost discrete = cost_of(&m, &tc_accountant_pld);
    double rest = DELTA - (1 + exp(discrete.bound.epsilon)) * 1e-5;
    assert_true(discrete.bound.epsilon > plain.bound.epsilon);
    assert_close(discrete.bound.epsilon, tc_gaussian_epsilon(1, rest), 1e-6);
    assert_same_bits(discrete.bound.delta, DELTA);
    tc_federated_cost_fini(&plain);
    tc_federated_cost_fini(&discrete);
}

/* A sample of the bounds; every number is one, and none falls below the truth. */
static void test_very_many_releases(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    static made m;
    make(&m, MANY);
    for (uint64_t r = 0; r < MANY; r++)
        add(&m, r, gaussian(40, 1));
    tc_federated_cost c = cost_of(&m, &tc_accountant_rdp);
    for (size_t r = 0; r < MANY; r++) {
        tacit_dp_event e = gaussian(40, 1);
        e.count = r + 1;
        double exact = account(&tc_accountant_rdp, &e, 1);
        assert_true(c.by_round[r] >= exact);
        assert_true(r == 0 || c.by_round[r] >= c.by_round[r - 1]);
        if (r == MANY - 1)
            assert_same_bits(c.by_round[r], exact);
    }
    tc_federated_cost_fini(&c);
}

static void check_statement(const tc_federated_cost *c, const char *start, const char *part)
{
    tc_text text = {0};
    tc_federated_cost_statement(c, &text);
    assert_int_equal(strncmp(tc_text_get(&text), start, strlen(start)), 0);
    assert_non_null(strstr(tc_text_get(&text), part));
    tc_text_fini(&text);
}

static void test_no_guarantee(void **state)
{
    (void)state;
    made m;
    make(&m, ROUNDS);
    add(&m, 1, (tacit_dp_event){TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 1});
    tc_federated_cost c = cost_of(&m, &tc_accountant_pld);
    assert_string_equal(c.none, "no noise is added to what is released");
    check_statement(
        &c, "NOT PRIVATE: seeded. If deployed, there would be no guarantee either: ", "no noise");
    tc_federated_cost_fini(&c);
    make(&m, ROUNDS);
    m.r.relayed = true;
    c = cost_of(&m, &tc_accountant_pld);
    assert_string_equal(c.none, "messages are handed on as they are, without noise");
    tc_federated_cost_fini(&c);
}

static void test_statements(void **state)
{
    (void)state;
    made m;
    make(&m, ROUNDS);
    tc_federated_cost c = cost_of(&m, &tc_accountant_pld);
    assert_same_bits(c.bound.epsilon, 0);
    check_statement(&c, "NOT PRIVATE: seeded. If deployed: nothing was released, ",
                    "so nothing was spent.");
    tc_federated_cost_fini(&c);
    add(&m, 0, gaussian(2, 0.5));
    c = cost_of(&m, &tc_accountant_moments);
    check_statement(&c, "NOT PRIVATE: seeded. If deployed: every agent: epsilon ",
                    "(moments) over 1 release. Neighbours: all that one agent contributes is "
                    "replaced by zeros");
    tc_federated_cost_fini(&c);
}

static void test_an_accountant_may_lack_a_formula(void **state)
{
    (void)state;
    tacit_error err = {0};
    made m;
    make(&m, ROUNDS);
    add(&m, 0, gaussian(2, 0.5));
    tc_federated_cost c;
    assert_fails(tc_federated_cost_init(&c, &m.r, &tc_accountant_gaussian, DELTA, &err),
                 TACIT_E_UNSUPPORTED, "gaussian");
    assert_fails(tc_federated_cost_init(&c, &m.r, &tc_accountant_pld, 2, &err), TACIT_E_ARG,
                 "delta");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_without_a_release_cost_nothing),
        cmocka_unit_test(test_rounds_about_their_own_records),
        cmocka_unit_test(test_late_rounds_count_when_they_leave),
        cmocka_unit_test(test_discrete_noise_costs_more),
        cmocka_unit_test(test_very_many_releases),
        cmocka_unit_test(test_no_guarantee),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_an_accountant_may_lack_a_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
