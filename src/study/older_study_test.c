/* older_study_test.c - a study that was stored when defaults were others goes on as it began.
 *
 * The documents are the texts that tacit stored before own, init, initial and lengthscale of dp-fts-de, fts, rgpe and taf
 * had other defaults. The points and the message are what an agent of that version asked for and sent. */
#include "support/test.h"

#include "study/study.h"

#include <endian.h>

enum { INITIAL = 10, FEATURES = 6, REGIONS = 2, HEADER = 16, BROADCAST = 8 * FEATURES * REGIONS };

#define BEGIN                                                                                      \
    "{\"name\":\"s\",\"direction\":\"maximize\",\"trials\":16,\"seed\":7,"                         \
    "\"space\":{\"x\":{\"type\":\"float\",\"low\":0.0,\"high\":1.0}},"                             \
    "\"algorithm\":{\"name\":\"dp-fts-de\",\"features\":6,\"regions\":2"
#define END                                                                                        \
    "},\"federation\":{\"agents\":3,\"deadline_s\":600.0},\"privacy\":{\"epsilon\":5.0,"           \
    "\"delta\":0.01,\"calibrated\":{\"noise_multiplier\":0.569379379971091,"                       \
    "\"releases\":\"first\"}}}"

static const char older[] = BEGIN END;
static const char in_full[] = BEGIN ",\"own\":\"features\",\"init\":\"region\",\"initial\":10,"
                                    "\"lengthscale\":0.2" END;

/* What an agent has done by the time that it has heard the broadcast. */
typedef struct course {
    double points[INITIAL + 2]; /* the initial ones, and two more */
    double message[FEATURES];   /* steps of the grid */
} course;

static tc_study *join(tc_store *store, const char *document)
{
    tacit_error err = {0};
    tc_study *s;
    const tc_study_offer offer = {
        .document = document, .public_seed = tc_public_seed_from(7), .created_ms = 5, .party = 1};
    const tc_party_seed seed = tc_party_seed_from(3);
    assert_ok(tc_study_join(&s, store, &offer, &seed, NULL, &err));
    return s;
}

static double run_trial(tc_study *s)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
    assert_ok(tc_study_tell(s, trial, NULL, sin(5 * x), &err));
    return x;
}

static void send(tc_study *s, course *c)
{
    tacit_error err = {0};
    tc_text message = {0};
    uint64_t round;
    assert_ok(tc_study_publish(s, &round, &message, &err));
    assert_int_equal(round, 0);
    assert_int_equal(message.len, HEADER + 8 * FEATURES);
    for (size_t i = 0; i < FEATURES; i++) {
        uint64_t word;
        memcpy(&word, tc_text_get(&message) + HEADER + 8 * i, sizeof word);
        c->message[i] = (double)(int64_t)le64toh(word);
    }
    tc_text_fini(&message);
}

static void hear(tc_study *s)
{
    tacit_error err = {0};
    uint8_t bytes[BROADCAST] = {0};
    for (size_t i = 0; i < BROADCAST; i += 8)
        bytes[i + 5] = (uint8_t)(i + 1);
    assert_ok(tc_study_absorb(s, 0, bytes, sizeof bytes, &err));
}

/* In the middle the study is closed and opened again. */
static course play(const char *document)
{
    tacit_error err = {0};
    tc_store *store;
    course c = {0};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_study *s = join(store, document);
    for (size_t i = 0; i < INITIAL; i++) {
        if (i == INITIAL / 2) {
            tc_study_close(s);
            assert_ok(tc_study_open(&s, store, "s", NULL, &err));
        }
        c.points[i] = run_trial(s);
    }
    send(s, &c);
    hear(s);
    for (size_t i = 0; i < 2; i++)
        c.points[INITIAL + i] = run_trial(s);
    tc_study_close(s);
    tc_store_close(store);
    return c;
}

static void it_goes_on_as_it_began(void **state)
{
    (void)state;
    const course a = play(older), b = play(in_full);
    for (size_t i = 0; i < INITIAL + 2; i++)
        assert_same_bits(a.points[i], b.points[i]);
    for (size_t i = 0; i < FEATURES; i++)
        assert_same_bits(a.message[i], b.message[i]);
}

/* Draws are the same everywhere; what is computed from them may differ in its last digits. */
static void it_is_what_the_version_of_its_time_did(void **state)
{
    static const double points[INITIAL] = {
        0.81010216565501136, 0.90730689438239387, 0.63517908295724246, 0.51649073731577366,
        0.51085021565123645, 0.89135066242407157, 0.686501209026666,   0.58884604744462177,
        0.68471169965477863, 0.74243915598965637};
    static const double message[FEATURES] = {6744288,  -7146394, 6767028,
                                             16878222, -1182802, -6476313};
    (void)state;
    const course c = play(older);
    for (size_t i = 0; i < INITIAL; i++)
        assert_close(c.points[i], points[i], 1e-15);
    for (size_t i = 0; i < FEATURES; i++)
        assert_close(c.message[i], message[i], 10);
}

/* ---- where a relay hands messages on ---- */

#define RELAY_BEGIN                                                                                \
    "{\"name\":\"s\",\"direction\":\"maximize\",\"trials\":16,\"seed\":7,"                         \
    "\"space\":{\"x\":{\"type\":\"float\",\"low\":0.0,\"high\":1.0}},"                             \
    "\"algorithm\":{\"name\":\"%s\",\"features\":6"
#define RELAY_END "},\"federation\":{\"agents\":3,\"deadline_s\":600.0},\"privacy\":\"none\"}"

/* Up to its message, whose text is returned; end with tc_text_fini. */
static tc_text play_relay(const char *document, double *points)
{
    tacit_error err = {0};
    tc_store *store;
    tc_text message = {0};
    uint64_t round;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_study *s = join(store, document);
    for (size_t i = 0; i < INITIAL; i++) {
        if (i == INITIAL / 2) {
            tc_study_close(s);
            assert_ok(tc_study_open(&s, store, "s", NULL, &err));
        }
        points[i] = run_trial(s);
    }
    assert_ok(tc_study_publish(s, &round, &message, &err));
    assert_int_equal(round, 0);
    tc_study_close(s);
    tc_store_close(store);
    return message;
}

/* The first points of that time are uniform, and the same for all three. */
static void relays_go_on_as_they_began(void **state)
{
    static const char *const names[] = {"fts", "rgpe", "taf"};
    static const double first[] = {0.62020433131002262, 0.81461378876478774};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char older_text[500], full_text[500];
        double a[INITIAL], b[INITIAL];
        snprintf(older_text, sizeof older_text, RELAY_BEGIN RELAY_END, names[k]);
        snprintf(full_text, sizeof full_text,
                 RELAY_BEGIN ",\"own\":\"features\",\"initial\":10,\"lengthscale\":0.2" RELAY_END,
                 names[k]);
        tc_text of_older = play_relay(older_text, a), of_full = play_relay(full_text, b);
        for (size_t i = 0; i < INITIAL; i++)
            assert_same_bits(a[i], b[i]);
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            assert_close(a[i], first[i], 1e-15);
        assert_int_equal(of_older.len, of_full.len);
        assert_memory_equal(tc_text_get(&of_older), tc_text_get(&of_full), of_full.len);
        tc_text_fini(&of_older);
        tc_text_fini(&of_full);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_on_as_it_began),
        cmocka_unit_test(it_is_what_the_version_of_its_time_did),
        cmocka_unit_test(relays_go_on_as_they_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
