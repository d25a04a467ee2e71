/* fts_agent_test.c - federations of fts, against an agent written without any cleverness. */
#include "support/test.h"

#include "support/fts_reference.h"

#include <stdio.h>

static void test_three_agents_as_the_slow_one(void **state)
{
    (void)state;
    federation *f = fts(line(), 3, "{" BASE "}");
    run(f, INITIAL + 12);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(check_slowly(f, i), 2); /* both others, once each */
    disband(f);
}

static void test_stragglers_are_passed_over(void **state)
{
    (void)state;
    federation *f = fts(line(), 8, "{" BASE "}");
    size_t missed = 0;
    f->member[2]->silent = f->member[5]->silent = f->member[6]->silent = true;
    run(f, INITIAL + 20);
    for (size_t i = 0; i < 8; i++) {
        assert_true(check_slowly(f, i) <= 5);
        missed += count_events(f->member[i], TC_EVENT_MISS);
    }
    assert_true(missed > 5);
    disband(f);
    f = fts(line(), 4, "{" BASE "}");
    for (size_t i = 0; i < 4; i++)
        f->member[i]->silent = true;
    run(f, INITIAL + 8);
    for (size_t i = 0; i < 4; i++) /* nobody is left: Thompson sampling alone */
        assert_int_equal(check_slowly(f, i), 0);
    disband(f);
}

/* Never two messages for a trial; in one-shot mode never two of one agent. */
static void check_frugality(const member *m, bool once)
{
    bool read[MOST_MEMBERS] = {false};
    size_t since_ask = 0;
    for (size_t i = 0; i < m->n; i++) {
        const tc_event *e = &m->events[i];
        if (e->kind == TC_EVENT_ASK)
            since_ask = 0;
        if (e->kind != TC_EVENT_FETCH)
            continue;
        assert_int_equal(++since_ask, 1);
        assert_false(once && read[e->party]);
        read[e->party] = true;
    }
}

static void test_messages_are_read_once_and_one_for_a_trial(void **state)
{
    (void)state;
    static const char *modes[] = {
        "{" BASE ", \"choose\": \"uniform\"}",
        "{" BASE ", \"choose\": \"learned\"}",
        "{" BASE ", \"choose\": \"given\", \"given\": \"1,2,3,0,5,1e-30\"}",
        "{" BASE ", \"mode\": \"general\"}",
        "{" BASE ", \"mode\": \"general\", \"choose\": \"learned\", \"message\": \"mean\"}",
    };
    for (size_t k = 0; k < 5; k++) {
        federation *f = fts(line(), 6, modes[k]);
        size_t fetched = 0;
        f->member[1]->silent = true;
        run(f, INITIAL + 14);
        for (size_t i = 0; i < 6; i++) {
            check_frugality(f->member[i], k < 3);
            assert_int_equal(count_events(f->member[i], TC_EVENT_PUBLISH), k < 3 ? 1 : 14);
            fetched += count_events(f->member[i], TC_EVENT_FETCH);
        }
        assert_true(fetched > 8);
        disband(f);
    }
}

static void test_given_weights_are_kept_to(void **state)
{
    (void)state;
    federation *f = fts(line(), 4,
                        "{" BASE ", \"choose\": \"given\", \"given\": \"0,1,0,1e-9\","
                        " \"schedule\": \"constant\", \"follow\": 1}");
    run(f, INITIAL + 3);
    for (size_t i = 0; i < 4; i++) {
        const member *m = f->member[i];
        assert_int_equal(count_events(m, TC_EVENT_FETCH), i == 1 || i == 3 ? 1 : 2);
        for (size_t k = 0, first = 1; k < m->n; k++)
            if (m->events[k].kind == TC_EVENT_FETCH) {
                assert_int_equal(m->events[k].party, first == 1 && i != 1 ? 1 : 3);
                first = 0;
            }
    }
    disband(f);
}

/* In general mode the message of the present round is read; who was missed comes back. */
static void test_general_mode_reads_the_present_round(void **state)
{
    (void)state;
    federation *f = fts(line(), 3,
                        "{" BASE ", \"mode\": \"general\", \"schedule\": \"constant\","
                        " \"follow\": 1}");
    for (size_t t = 0; t < INITIAL + 10; t++) {
        f->member[2]->silent = t % 2 == 0;
        iterate(f);
    }
    const member *m = f->member[0];
    size_t fetched[3] = {0}, missed = 0, back = 0;
    for (size_t i = 0; i < m->n; i++) {
        const tc_event *e = &m->events[i];
        if (e->kind != TC_EVENT_FETCH && e->kind != TC_EVENT_MISS)
            continue;
        uint64_t round = 0;
        for (size_t k = 0; k < i; k++)
            round += m->events[k].kind == TC_EVENT_PUBLISH;
        assert_int_equal(e->round, round - 1);
        back += missed > 0 && e->kind == TC_EVENT_FETCH && e->party == 2;
        fetched[e->party] += e->kind == TC_EVENT_FETCH;
        missed += e->kind == TC_EVENT_MISS;
    }
    assert_int_equal(fetched[1] + fetched[2], 10); /* every iteration follows somebody */
    assert_true(fetched[1] > 0 && missed > 0 && back > 0);
    disband(f);
}

/* The messages of a member are draws from what it knew then, each of normals of its own round. */
static void check_messages(federation *f, size_t who)
{
    const member *m = f->member[who];
    slow a = {.f = f, .who = who};
    uint64_t round = 0;
    slow_features(&a.features);
    for (size_t i = 0; i < m->n; i++) {
        const tc_event *e = &m->events[i];
        if (e->kind == TC_EVENT_PUBLISH) {
            double omega[M];
            slow_draw(&a, stream_of(&a, TC_FOR_MESSAGE, round++), omega);
            for (size_t k = 0; k < M; k++)
                assert_close(double_at(m->bytes[i] + TC_FTS_HEADER + 8 * k), omega[k], 1e-7);
        } else if (e->kind == TC_EVENT_ASK) {
            a.x[a.n] = e->values[0] / (POINTS - 1);
            a.y[a.n++] = m->events[++i].value;
        }
    }
    assert_int_equal(round, 8);
    tc_rff_fini(&a.features);
}

static void test_every_message_is_a_draw_of_its_own(void **state)
{
    (void)state;
    federation *f = fts(line(), 3, "{" BASE ", \"mode\": \"general\"}");
    run(f, INITIAL + 8);
    for (size_t i = 0; i < 3; i++)
        check_messages(f, i);
    disband(f);
}

static void test_replay_gives_the_same_bits(void **state)
{
    (void)state;
    static const char *options[] = {
        "{" BASE "}",
        "{" BASE ", \"choose\": \"learned\", \"schedule\": \"inverse\"}",
        "{" BASE ", \"mode\": \"general\", \"schedule\": \"square\", \"p1\": 0.1}",
        "{" BASE ", \"mode\": \"general\", \"choose\": \"learned\", \"unit\": true}",
    };
    for (size_t k = 0; k < 8; k++) {
        federation *f = fts(k % 2 ? square() : line(), 5, options[k / 2]);
        f->member[3]->silent = true;
        run(f, INITIAL + (k % 2 ? 4 : 10));
        for (size_t i = 0; i < 5; i++)
            if (need_of(f, i).may & TC_NEED_PUBLISH)
                publish(f, i);
        for (size_t i = 0; i < 5; i++)
            check_replay(f, i);
        disband(f);
    }
}

/* Trials that run at the same time: each has its own coin and its own message. */
static void test_parallel_trials(void **state)
{
    (void)state;
    federation *f = fts(line(), 8, "{" BASE ", \"schedule\": \"constant\", \"follow\": 1}");
    for (size_t i = 0; i < INITIAL; i++)
        iterate(f);
    for (size_t i = 0; i < 8; i++)
        publish(f, i);
    settle(f, 0);
    uint64_t a = ask(f->member[0]);
    settle(f, 0);
    uint64_t b = ask(f->member[0]);
    assert_int_equal(b, a + 1);
    tell(f, 0, a);
    settle(f, 0);
    ask(f->member[0]);
    tell(f, 0, b);
    assert_int_equal(count_events(f->member[0], TC_EVENT_FETCH), 3);
    check_frugality(f->member[0], true);
    check_replay(f, 0);
    disband(f);
}

static void test_alone_it_never_waits(void **state)
{
    (void)state;
    federation *f = fts(line(), 1, "{" BASE "}");
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(need_of(f, 0).may, TC_NEED_TRIAL);
        assert_int_equal(need_of(f, 0).must, 0);
        run_trial(f, 0);
    }
    check_slowly(f, 0);
    disband(f);
}

/* ---- what is refused ---- */

static void test_options_that_do_not_fit(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    federation f = {.algorithm = &tc_algorithm_fts, .space = line(), .agents = 3};
    f.options = "{\"choose\": \"given\"}";
    assert_fails(make(&o, &f, 0, NULL, &err), TACIT_E_ARG,
                 "choose=given needs the option given: a weight for each agent");
    f.options = "{\"given\": \"1,2,3\"}";
    assert_fails(make(&o, &f, 0, NULL, &err), TACIT_E_ARG, "given is for choose=given alone");
    static const char *bad[] = {"1,2", "1,2,3,4", "0,0,0", "1,-1,1", "1,x,1", "1,,1", ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char options[100], message[200];
        snprintf(options, sizeof options, "{\"choose\": \"given\", \"given\": \"%s\"}", bad[i]);
        snprintf(message, sizeof message,
                 "given must be 3 weights, one for each agent, none below 0 and not all 0, "
                 "separated by commas; got \"%s\"",
                 bad[i]);
        f.options = options;
        assert_fails(make(&o, &f, 0, NULL, &err), TACIT_E_ARG, message);
    }
    f.options = "{}";
    assert_fails(make(&o, &f, 3, NULL, &err), TACIT_E_ARG,
                 "party 3 is not on the roster of 3 agents");
    static const char *ranges[][2] = {
        {"{\"follow\": 1.5}", "follow"},          {"{\"p1\": -1}", "p1"},
        {"{\"schedule\": \"fast\"}", "schedule"}, {"{\"mode\": \"one\"}", "mode"},
        {"{\"choose\": \"me\"}", "choose"},       {"{\"message\": \"all\"}", "message"},
        {"{\"features\": 0}", "features"},        {"{\"noise\": 0}", "noise"},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        f.options = ranges[i][0];
        assert_fails(make(&o, &f, 0, NULL, &err), TACIT_E_ARG, ranges[i][1]);
    }
    assert_null(o);
    tc_space_free(f.space);
}

static tacit_status apply_message(federation *f, tc_event_kind kind, uint64_t round, uint64_t party,
                                  const void *bytes, size_t n, tacit_error *err)
{
    tc_event e = {.kind = kind, .round = round, .party = party, .bytes = bytes, .n_bytes = n};
    return tc_optimizer_apply(f->member[0]->o, &e, err);
}

/* A message that is refused changes nothing: the agent waits for the same one, and then goes on. */
static void test_refused_messages_change_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    federation *f = fts(line(), 3, "{" BASE ", \"schedule\": \"constant\", \"follow\": 1}");
    run(f, INITIAL);
    double numbers[M] = {0};
    tc_event_kind get = TC_EVENT_FETCH;
    assert_fails(apply_message(f, get, 0, 1, numbers, sizeof numbers, &err), TACIT_E_CORRUPT,
                 "is not the message that was asked for");
    for (size_t i = 0; i < 3; i++)
        publish(f, i);
    tc_need need = need_of(f, 0);
    assert_int_equal(need.must, TC_NEED_FETCH);
    uint64_t who = need.party;
    char part[100];
    snprintf(part, sizeof part, "the message of agent %d in round 0 must have 96 bytes, got 88",
             (int)who);
    assert_fails(apply_message(f, get, 0, who, numbers, 88, &err), TACIT_E_CORRUPT, part);
    numbers[7] = NAN;
    snprintf(part, sizeof part, "number 7 of the message of agent %d in round 0 must be finite",
             (int)who);
    assert_fails(apply_message(f, get, 0, who, numbers, sizeof numbers, &err), TACIT_E_CORRUPT,
                 part);
    numbers[7] = 0;
    assert_fails(apply_message(f, get, 1, who, numbers, sizeof numbers, &err), TACIT_E_CORRUPT,
                 "is not the message that was asked for");
    assert_fails(apply_message(f, get, 0, 3 - who, numbers, sizeof numbers, &err), TACIT_E_CORRUPT,
                 "is not the message that was asked for");
    assert_fails(apply_message(f, TC_EVENT_MISS, 0, 3 - who, NULL, 0, &err), TACIT_E_CORRUPT,
                 "is not the message that was asked for");
    assert_fails(apply_message(f, TC_EVENT_ABSORB, 0, 0, numbers, sizeof numbers, &err),
                 TACIT_E_CORRUPT, "this algorithm has a relay instead");
    assert_fails(apply_message(f, TC_EVENT_PUBLISH, 0, 0, numbers, sizeof numbers, &err),
                 TACIT_E_CORRUPT, "round 0 is not the one that this agent may publish in");
    need = need_of(f, 0);
    assert_int_equal(need.must, TC_NEED_FETCH);
    assert_int_equal(need.party, who);
    fetch(f, 0);
    check_replay(f, 0); /* of a journal without the refused ones */
    disband(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_agents_as_the_slow_one),
        cmocka_unit_test(test_stragglers_are_passed_over),
        cmocka_unit_test(test_messages_are_read_once_and_one_for_a_trial),
        cmocka_unit_test(test_given_weights_are_kept_to),
        cmocka_unit_test(test_general_mode_reads_the_present_round),
        cmocka_unit_test(test_every_message_is_a_draw_of_its_own),
        cmocka_unit_test(test_replay_gives_the_same_bits),
        cmocka_unit_test(test_parallel_trials),
        cmocka_unit_test(test_alone_it_never_waits),
        cmocka_unit_test(test_options_that_do_not_fit),
        cmocka_unit_test(test_refused_messages_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
