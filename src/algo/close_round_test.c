/* close_round_test.c - one release for one round: whatever fails on the way, whoever repeats it. The algorithm
 * is a plain sum of one number from each agent. */
#include "support/failing_ledger_store.h"

#include "algo/close_round.h"
#include "privacy/mechanism.h"

enum { AGENTS = 5, ROUND = 3 };

/* ---- an algorithm that sums */

static size_t opened; /* how often noise was drawn */

typedef struct adding {
    tc_sum *sum;
} adding;

static tc_sum_plan plan_of_sum(void)
{
    return (tc_sum_plan){.agents = AGENTS,
                         .blocks = 1,
                         .width = 1,
                         .grid = 20,
                         .clip = 1 << 20,
                         .multiplier = TC_SUM_ONE,
                         .rate = TC_SUM_ONE};
}

static tacit_status price(const tc_env *env, const void *opts, uint64_t round, tc_round_price *out,
                          tacit_error *err)
{
    tc_sum_plan plan = plan_of_sum();
    tc_sum_scale scale;
    (void)env, (void)opts, (void)round;
    TC_TRY(tc_sum_plan_scale(&plan, &scale, err));
    *out = (tc_round_price){scale.event, scale.distance, scale.adjacency};
    return TACIT_OK;
}

static tacit_status open_sum(void *st, const tc_env *env, const void *opts, uint64_t round,
                             tc_entropy *e, tacit_error *err)
{
    tc_sum_plan plan = plan_of_sum();
    (void)env, (void)opts, (void)round;
    opened++;
    return tc_sum_open(&((adding *)st)->sum, &plan, e, err);
}

/* 'a' to 'y' is a number, 'z' does not go with the others, '!' is a failure of this process. */
static tacit_status fold(void *st, uint64_t agent, const void *bytes, size_t n, tacit_error *err)
{
    const char *c = bytes;
    int64_t v = *c - 'a';
    assert_int_equal(n, 1);
    if (*c == 'z')
        return tc_fail(err, TACIT_E_ARG, "z is too much");
    if (*c == '!')
        return tc_fail_memory(err);
    return tc_sum_fold(((adding *)st)->sum, (size_t)agent, &v, err);
}

static tacit_status close_sum(void *st, tc_release **out, tacit_error *err)
{
    return tc_sum_close(((adding *)st)->sum, out, err);
}

static void fini(void *st)
{
    tc_sum_free(((adding *)st)->sum);
}

static const tc_aggregator_ops sums = {.state_size = sizeof(adding),
                                       .price = price,
                                       .open = open_sum,
                                       .fold = fold,
                                       .close = close_sum,
                                       .fini = fini};
static const tc_algorithm algorithm = {.name = "sums", .aggregator = &sums};

/* ---- a round of it */

typedef struct closing_world {
    failing_ledger_store store;
    tc_ledger *ledger;
    const char *messages; /* of agents 0, 1, ... */
    char left_out[AGENTS + 1];
    char why[64];
    tc_ledger_budget budget;
    uint64_t seed;
    tc_env env;
    tc_closing closing;
    tc_ledger_receipt rival; /* what another process was given */
} closing_world;

static tacit_status add_messages(void *user, tc_round_sum *sum, tacit_error *err)
{
    const closing_world *r = user;
    for (uint64_t i = 0; r->messages[i]; i++)
        TC_TRY(tc_round_add(sum, i, &r->messages[i], 1, err));
    return TACIT_OK;
}

static tacit_status note_left_out(void *user, uint64_t agent, const char *why, tacit_error *err)
{
    closing_world *r = user;
    (void)err;
    r->left_out[strlen(r->left_out)] = (char)('0' + agent);
    snprintf(r->why, sizeof r->why, "%s", why);
    return TACIT_OK;
}

static void set_up(closing_world *r, const char *messages)
{
    tacit_error err = {0};
    *r = (closing_world){.messages = messages, .seed = 9, .env = {.agents = AGENTS, .budget = 10}};
    r->ledger = fake_open(&r->store);
    r->closing = (tc_closing){.algorithm = &algorithm,
                              .env = &r->env,
                              .study = tc_ledger_study_hash("sums"),
                              .round = ROUND,
                              .charge = tc_round_charge_of(&algorithm, NULL, ROUND),
                              .ledger = r->ledger,
                              .test_seed = &r->seed,
                              .messages = add_messages,
                              .left_out = note_left_out,
                              .user = r};
    assert_ok(tc_round_price_of(&algorithm, &r->env, NULL, ROUND, &r->closing.price, &err));
    opened = 0;
}

static void tear_down(closing_world *r)
{
    tc_ledger_close(r->ledger);
}

static tc_ledger_receipt closed(closing_world *r)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    assert_ok(tc_close_round(&r->closing, &receipt, &err));
    assert_int_equal(receipt.head.seq, 1);
    assert_int_equal(receipt.size, 8);
    return receipt;
}

static void assert_same_release(const tc_ledger_receipt *a, const tc_ledger_receipt *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
}

/* ---- tests */

static void a_round_is_released_once(void **state)
{
    closing_world r;
    (void)state;
    set_up(&r, "abcde");
    tc_ledger_receipt first = closed(&r);
    r.messages = "yyyyy"; /* nobody asks for them again */
    tc_ledger_receipt again = closed(&r);
    assert_same_release(&first, &again);
    assert_false(first.again);
    assert_true(again.again);
    assert_int_equal(opened, 1);
    assert_int_equal(r.store.n, 1);
    tc_ledger_receipt_fini(&first);
    tc_ledger_receipt_fini(&again);
    tear_down(&r);
}

/* The entry costs what the price said, and names the round. */
static void what_is_released_costs_its_price(void **state)
{
    closing_world r;
    (void)state;
    set_up(&r, "abcde");
    tc_ledger_receipt receipt = closed(&r);
    const tc_ledger_entry *e = tc_ledger_get(r.ledger, 1, NULL);
    assert_int_equal(e->round, ROUND);
    assert_string_equal(e->subject, "");
    assert_int_equal(e->event.mechanism, r.closing.price.event.mechanism);
    assert_same_bits(e->event.parameter, r.closing.price.event.parameter);
    assert_same_bits(e->distance, r.closing.price.distance);
    assert_string_equal(e->adjacency, r.closing.price.adjacency);
    assert_false(e->is_private); /* its noise has a seed */
    tc_ledger_receipt_fini(&receipt);
    tear_down(&r);
}

static void noise_is_secret_without_a_seed(void **state)
{
    closing_world r;
    (void)state;
    set_up(&r, "abcde");
    r.closing.test_seed = NULL;
    tc_ledger_receipt receipt = closed(&r);
    assert_true(tc_ledger_get(r.ledger, 1, NULL)->is_private);
    tc_ledger_receipt_fini(&receipt);
    tear_down(&r);
}

static void a_message_that_does_not_fit_is_left_out(void **state)
{
    closing_world with, without;
    (void)state;
    set_up(&with, "abzde");
    tc_ledger_receipt a = closed(&with);
    assert_string_equal(with.left_out, "2");
    assert_string_equal(with.why, "z is too much");
    set_up(&without, "abade"); /* 'a' adds nothing */
    tc_ledger_receipt b = closed(&without);
    assert_same_release(&a, &b);
    tc_ledger_receipt_fini(&a);
    tc_ledger_receipt_fini(&b);
    tear_down(&with);
    tear_down(&without);
}

/* The round is as it was, and may be closed once there is memory. */
static void a_failure_of_the_process_releases_nothing(void **state)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    closing_world r;
    (void)state;
    set_up(&r, "ab!de");
    assert_fails(tc_close_round(&r.closing, &receipt, &err), TACIT_E_MEMORY, "memory");
    assert_int_equal(r.store.appends, 0);
    assert_string_equal(r.left_out, "");
    r.messages = "abcde";
    receipt = closed(&r);
    tc_ledger_receipt_fini(&receipt);
    tear_down(&r);
}

static void the_budget_is_asked_before_noise_is_drawn(void **state)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    closing_world r;
    (void)state;
    set_up(&r, "abcde");
    r.budget = (tc_ledger_budget){.epsilon = 0.5, .delta = 1e-5};
    r.closing.limit = &r.budget;
    assert_fails(tc_close_round(&r.closing, &receipt, &err), TACIT_E_BUDGET, "0.5");
    assert_int_equal(opened, 0);
    assert_int_equal(r.store.appends, 0);
    r.budget.epsilon = 10;
    receipt = closed(&r);
    tc_ledger_receipt_fini(&receipt);
    tear_down(&r);
}

/* The store says that it failed, and has the release all the same: that one leaves, now and later. */
static void an_append_in_doubt_is_read_back(void **state)
{
    closing_world r;
    (void)state;
    set_up(&r, "abcde");
    r.store.fail_append = TACIT_E_IO;
    r.store.append_anyway = true;
    tc_ledger_receipt first = closed(&r);
    tc_ledger_receipt again = closed(&r);
    assert_same_release(&first, &again);
    assert_int_equal(opened, 1);
    tc_ledger_receipt_fini(&first);
    tc_ledger_receipt_fini(&again);
    tear_down(&r);
}

/* Another process releases the round while this one adds its messages up, with noise of its own. */
static tacit_status add_messages_late(void *user, tc_round_sum *sum, tacit_error *err)
{
    closing_world *r = user;
    const uint64_t other = r->seed + 1;
    tc_closing rival = r->closing;
    rival.ledger = fake_open(&r->store);
    rival.test_seed = &other;
    rival.messages = add_messages;
    TC_TRY(tc_close_round(&rival, &r->rival, err));
    tc_ledger_close(rival.ledger);
    return add_messages(user, sum, err);
}

static void the_noise_of_the_slower_process_never_leaves(void **state)
{
    closing_world r;
    (void)state;
    set_up(&r, "abcde");
    r.closing.messages = add_messages_late;
    tc_ledger_receipt late = closed(&r);
    assert_int_equal(opened, 2);
    assert_int_equal(r.store.n, 1);
    assert_same_release(&r.rival, &late);
    assert_true(late.again);
    tc_ledger_receipt_fini(&r.rival);
    tc_ledger_receipt_fini(&late);
    tear_down(&r);
}

/* Its bytes left before a backup was restored: nobody can have them again. */
static void a_lost_release_is_refused_for_good(void **state)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    closing_world r;
    (void)state;
    set_up(&r, "abcde");
    tc_ledger_lost lost = {.charge = {.study = r.closing.study, .round = ROUND},
                           .unit = r.closing.charge.unit,
                           .event = r.closing.price.event,
                           .distance = r.closing.price.distance,
                           .adjacency = r.closing.price.adjacency};
    assert_ok(tc_ledger_charge_lost(r.ledger, &lost, &err));
    assert_fails(tc_close_round(&r.closing, &receipt, &err), TACIT_E_STATE,
                 "round 3 may have been released before");
    assert_int_equal(opened, 0);
    tear_down(&r);
}

/* ---- a sum that others opened */

typedef struct elsewhere {
    closing_world world;
    tacit_status fails; /* and how */
    size_t calls;
} elsewhere;

static tacit_status opened_by_others(void *user, tc_release **out, tacit_error *err)
{
    const double x = 7;
    elsewhere *e = user;
    e->calls++;
    if (e->fails)
        return tc_fail(err, e->fails, "the answers do not fit");
    return tc_none_release(out, 1, 1, &x, TACIT_UNIT_AGENT, "a test", err);
}

static void set_up_elsewhere(elsewhere *e)
{
    *e = (elsewhere){.fails = TACIT_OK};
    set_up(&e->world, "abcde");
    e->world.closing.release = opened_by_others;
    e->world.closing.messages = NULL; /* nobody asks for them */
    e->world.closing.left_out = NULL;
    e->world.closing.user = e;
}

static void a_sum_that_others_opened_is_released_once(void **state)
{
    elsewhere e;
    double value;
    (void)state;
    set_up_elsewhere(&e);
    tc_ledger_receipt first = closed(&e.world), again = closed(&e.world);
    memcpy(&value, first.bytes, sizeof value);
    assert_true(value == 7);
    assert_same_release(&first, &again);
    assert_int_equal(e.calls, 1);
    assert_int_equal(opened, 0);
    assert_int_equal(e.world.store.n, 1);
    tc_ledger_receipt_fini(&first);
    tc_ledger_receipt_fini(&again);
    tear_down(&e.world);
}

static void the_budget_is_asked_before_a_sum_is_opened(void **state)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    elsewhere e;
    (void)state;
    set_up_elsewhere(&e);
    e.world.budget = (tc_ledger_budget){.epsilon = 0.5, .delta = 1e-5};
    e.world.closing.limit = &e.world.budget;
    assert_fails(tc_close_round(&e.world.closing, &receipt, &err), TACIT_E_BUDGET, "0.5");
    assert_int_equal(e.calls, 0);
    tear_down(&e.world);
}

static void what_others_cannot_open_is_refused_for_good(void **state)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    elsewhere e;
    (void)state;
    set_up_elsewhere(&e);
    e.fails = TACIT_E_STATE;
    assert_fails(tc_close_round(&e.world.closing, &receipt, &err), TACIT_E_STATE, "do not fit");
    e.fails = TACIT_E_ARG;
    assert_fails(tc_close_round(&e.world.closing, &receipt, &err), TACIT_E_STATE, "do not fit");
    e.fails = TACIT_E_IO; /* this process may try again */
    assert_fails(tc_close_round(&e.world.closing, &receipt, &err), TACIT_E_IO, "do not fit");
    assert_int_equal(e.world.store.n, 0);
    tear_down(&e.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_is_released_once),
        cmocka_unit_test(what_is_released_costs_its_price),
        cmocka_unit_test(noise_is_secret_without_a_seed),
        cmocka_unit_test(a_message_that_does_not_fit_is_left_out),
        cmocka_unit_test(a_failure_of_the_process_releases_nothing),
        cmocka_unit_test(the_budget_is_asked_before_noise_is_drawn),
        cmocka_unit_test(an_append_in_doubt_is_read_back),
        cmocka_unit_test(the_noise_of_the_slower_process_never_leaves),
        cmocka_unit_test(a_lost_release_is_refused_for_good),
        cmocka_unit_test(a_sum_that_others_opened_is_released_once),
        cmocka_unit_test(the_budget_is_asked_before_a_sum_is_opened),
        cmocka_unit_test(what_others_cannot_open_is_refused_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
