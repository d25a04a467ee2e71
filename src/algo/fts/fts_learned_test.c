/* fts_learned_test.c - agents of fts that learn whom to follow. */
#include "support/test.h"

#include "algo/fts/agent.h"
#include "support/fts_reference.h"
#include "algo/optimizer_int.h"

/* One whose messages were read and who then falls silent is passed over, round by round. */
static void test_a_kept_agent_that_falls_silent(void **state)
{
    (void)state;
    federation *f = fts(line(), 2,
                        "{" BASE ", \"mode\": \"general\", \"choose\": \"learned\","
                        " \"schedule\": \"constant\", \"follow\": 1}");
    for (size_t t = 0; t < INITIAL + 9; t++) {
        f->member[1]->silent = t % 3 == 2;
        iterate(f);
    }
    assert_int_equal(count_events(f->member[0], TC_EVENT_FETCH), 6);
    assert_int_equal(count_events(f->member[0], TC_EVENT_MISS), 3);
    disband(f);
}

static double against_zero(size_t who, const double *u, size_t dim)
{
    return (who == 0 ? -1 : 1) * waves(0, u, dim);
}

/* Two trials of one round follow one message: the second is its best point away from the first. */
static void test_a_kept_message_is_followed_again(void **state)
{
    (void)state;
    federation *f = fts(line(), 2,
                        "{" BASE ", \"choose\": \"learned\", \"schedule\": \"constant\","
                        " \"follow\": 1, \"mode\": \"general\", \"message\": \"mean\"}");
    double omega[M];
    slow a = {.f = f};
    slow_features(&a.features);
    run(f, INITIAL + 6);
    for (size_t i = 0; i < 2; i++)
        publish(f, i);
    settle(f, 0);
    size_t read = count_events(f->member[0], TC_EVENT_FETCH);
    for (; a.n < INITIAL + 6; a.n++)
        a.x[a.n] = tc_optimizer_trial(f->member[0]->o, a.n)->values[0] / (POINTS - 1);
    for (size_t i = 0; i < M; i++)
        omega[i] = double_at(f->member[1]->sent + TC_FTS_HEADER + 8 * i);
    for (size_t k = 0; k < 3; k++) {
        double c = tc_optimizer_trial(f->member[0]->o, ask(f->member[0]))->values[0];
        assert_int_equal(c, slow_argmax(&a, omega));
        for (size_t d = 0; d < POINTS; d++) /* what is too near may as well be known */
            if (fabs((double)d - c) / (POINTS - 1) < 0.075)
                a.x[a.n++] = (double)d / (POINTS - 1);
    }
    assert_int_equal(count_events(f->member[0], TC_EVENT_FETCH), read);
    tc_rff_fini(&a.features);
    disband(f);
}

/* One iteration of two agents that learn; was the first one's point that of the other's message? It
 * is that, or of the agent's own draw. */
static bool follows(federation *f, slow *a)
{
    double own[M], other[M];
    slow_draw(a, stream_of(a, TC_FOR_DRAW, a->n), own);
    for (size_t i = 0; i < 2; i++)
        if (need_of(f, i).may & TC_NEED_PUBLISH)
            publish(f, i);
    for (size_t i = 0; i < M; i++)
        other[i] = double_at(f->member[1]->sent + TC_FTS_HEADER + 8 * i);
    size_t by_own = slow_argmax(a, own), by_other = slow_argmax(a, other);
    iterate(f);
    const tc_trial *t = tc_optimizer_trial(f->member[0]->o, a->n);
    size_t point = (size_t)t->values[0];
    assert_true(point == by_own || point == by_other);
    a->x[a->n] = t->values[0] / (POINTS - 1);
    a->y[a->n++] = t->value;
    return point == by_other && point != by_own;
}

static size_t count_follows(const char *options,
                            double (*objective)(size_t, const double *, size_t), size_t *read)
{
    federation *f = fts(line(), 2, options);
    slow *a = tc_alloc(1, sizeof *a);
    size_t count = 0;
    assert_non_null(a);
    a->f = f;
    slow_features(&a->features);
    f->objective = objective;
    run(f, INITIAL);
    for (; a->n < INITIAL; a->n++) {
        const tc_trial *t = tc_optimizer_trial(f->member[0]->o, a->n);
        a->x[a->n] = t->values[0] / (POINTS - 1);
        a->y[a->n] = t->value;
    }
    for (size_t t = 0; t < 20; t++)
        count += follows(f, a);
    *read = count_events(f->member[0], TC_EVENT_FETCH);
    tc_rff_fini(&a->features);
    tc_free(a);
    disband(f);
    return count;
}

/* A friend's messages are followed, in one-shot mode once; those of one that contradicts what is
 * known are read and not followed. */
static void test_messages_are_followed_as_they_deserve(void **state)
{
    (void)state;
    static const char general[] =
        "{" BASE ", \"choose\": \"learned\", \"schedule\": \"constant\", \"follow\": 1, "
        "\"message\": \"mean\", \"mode\": \"general\"}";
    static const char one_shot[] =
        "{" BASE ", \"choose\": \"learned\", \"schedule\": \"constant\", \"follow\": 1, "
        "\"message\": \"mean\"}";
    size_t read;
    assert_true(count_follows(general, waves, &read) >= 14);
    assert_int_equal(read, 20);
    assert_true(count_follows(general, against_zero, &read) <= 5);
    assert_int_equal(read, 20);
    assert_true(count_follows(one_shot, waves, &read) <= 1);
    assert_int_equal(read, 1);
}

/* Whether a message is followed is a coin of its own: trials whose first coin was low, or that drew
 * a sender by a low number, trust no more often than others. */
static void test_trust_does_not_depend_on_what_led_to_it(void **state)
{
    (void)state;
    federation *f = fts(line(), 2, "{" BASE ", \"choose\": \"learned\"}");
    const tc_fts_agent_state *agent = f->member[0]->o->state;
    slow a = {.f = f};
    for (uint64_t choice = 0; choice < 4; choice++) {
        size_t low = 0, trusted = 0;
        for (uint64_t trial = 0; trial < 40000; trial++) {
            tc_stream s = stream_of(&a, TC_FOR_COIN, trial | choice << 40);
            if (tc_draw_uniform(&s) >= 0.1)
                continue;
            low++;
            trusted += tc_fts_trusts(agent, trial, 0.3);
        }
        assert_close((double)low / 40000, 0.1, 0.01);
        assert_close((double)trusted / (double)low, 0.3, 0.04); /* 0.0073 is its deviation */
    }
    disband(f);
}

static double opposed(size_t who, const double *u, size_t dim)
{
    return (who == 2 ? -1 : 1) * waves(0, u, dim);
}

/* Agent 2 wants the opposite of all others: whoever learns reads it seldom. */
static void test_an_adversary_loses_its_weight(void **state)
{
    (void)state;
    federation *f = fts(line(), 3,
                        "{" BASE ", \"choose\": \"learned\", \"mode\": \"general\","
                        " \"schedule\": \"constant\", \"follow\": 1}");
    f->objective = opposed;
    run(f, INITIAL + 30);
    for (size_t i = 0; i < 2; i++) {
        size_t friend = 0, foe = 0;
        for (size_t k = f->member[i]->n / 2; k < f->member[i]->n; k++) {
            const tc_event *e = &f->member[i]->events[k];
            friend += e->kind == TC_EVENT_FETCH && e->party == 1 - i;
            foe += e->kind == TC_EVENT_FETCH && e->party == 2;
        }
        assert_true(friend >= 12 && foe <= 2);
    }
    disband(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kept_agent_that_falls_silent),
        cmocka_unit_test(test_a_kept_message_is_followed_again),
        cmocka_unit_test(test_messages_are_followed_as_they_deserve),
        cmocka_unit_test(test_trust_does_not_depend_on_what_led_to_it),
        cmocka_unit_test(test_an_adversary_loses_its_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
