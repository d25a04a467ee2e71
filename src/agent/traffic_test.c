/* traffic_test.c - vectors are read number by number, all else is left alone. */
#include "agent/traffic_int.h"
#include "base/text.h"

#include "support/test.h"

/* A header with the 32 bits `second`, round 7, then n words; little-endian by hand. */
static tc_text message(const char *magic, uint32_t second, const uint64_t *words, size_t n)
{
    tc_text t = {0};
    tc_text_add_bytes(&t, magic, 4);
    for (int i = 0; i < 4; i++)
        tc_text_add_bytes(&t, &(uint8_t){(uint8_t)(second >> (8 * i))}, 1);
    tc_text_add_bytes(&t, "\7\0\0\0\0\0\0\0", 8);
    for (size_t k = 0; k < n; k++)
        for (int i = 0; i < 8; i++)
            tc_text_add_bytes(&t, &(uint8_t){(uint8_t)(words[k] >> (8 * i))}, 1);
    return t;
}

/* Reads the numbers; *memory has them. */
static tacit_agent_round read(const tc_text *t, tc_arena *memory)
{
    tacit_agent_round r = {.message = (const uint8_t *)tc_text_get(t), .message_size = t->len};
    tc_message_numbers(&r, memory);
    assert_false(memory->failed);
    return r;
}

static void steps_have_the_size_that_the_header_says(void **state)
{
    (void)state;
    const uint64_t words[] = {3, UINT64_MAX, (uint64_t)INT64_MIN, 0};
    const double grid2[] = {0.75, -0.25, -0x1p61, 0}, grid_minus1[] = {6, -2, -0x1p64, 0};
    for (int grid = 2; grid >= -1; grid -= 3) {
        tc_arena memory = {0};
        tc_text t = message("TDE1", (uint32_t)grid, words, 4);
        tacit_agent_round r = read(&t, &memory);
        assert_int_equal(r.n_numbers, 4);
        for (size_t i = 0; i < r.n_numbers; i++)
            assert_same_bits(r.numbers[i], grid == 2 ? grid2[i] : grid_minus1[i]);
        tc_arena_fini(&memory);
        tc_text_fini(&t);
    }
}

static void reals_are_doubles(void **state)
{
    (void)state;
    static const char *const magics[] = {"TFT1", "TRG1", "TTA1"};
    const uint64_t words[] = {UINT64_C(0x3ff8000000000000), UINT64_C(0xbfb0000000000000)};
    for (size_t i = 0; i < 3; i++) {
        tc_arena memory = {0};
        tc_text t = message(magics[i], 2, words, 2);
        tacit_agent_round r = read(&t, &memory);
        assert_int_equal(r.n_numbers, 2);
        assert_same_bits(r.numbers[0], 1.5);
        assert_same_bits(r.numbers[1], -0.0625);
        tc_arena_fini(&memory);
        tc_text_fini(&t);
    }
}

static void is_no_vector(tc_text t)
{
    tc_arena memory = {0};
    tacit_agent_round r = read(&t, &memory);
    assert_null(r.numbers);
    assert_int_equal(r.n_numbers, 0);
    tc_arena_fini(&memory);
    tc_text_fini(&t);
}

static void what_is_no_vector_has_no_numbers(void **state)
{
    (void)state;
    const uint64_t word = 1;
    is_no_vector((tc_text){0});
    is_no_vector(message("TDE1", 2, &word, 0)); /* a header alone */
    is_no_vector(message("TXX1", 2, &word, 1));
    tc_text cut = message("TDE1", 2, &word, 1);
    cut.len--;
    is_no_vector(cut);
}

static void states_follow_from_payment_and_answer(void **state)
{
    (void)state;
    static const struct {
        bool paid, skipped, before;
        uint64_t heard;
        const char *name;
    } cases[] = {{false, false, false, 0, "ready"},  {false, true, false, 0, "withheld"},
                 {true, false, false, 0, "leaving"}, {true, true, false, 0, "sent"},
                 {true, false, false, 1, "sent"},    {false, false, false, 1, "ready"},
                 {true, false, true, 1, "before"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tacit_agent_round r = {.ledger = cases[i].paid ? "agent" : NULL,
                               .heard = cases[i].heard,
                               .skipped = cases[i].skipped ? "why" : NULL};
        assert_string_equal(tacit_message_state_name(tc_message_state(&r, cases[i].before)),
                            cases[i].name);
    }
    assert_null(tacit_message_state_name((tacit_message_state)0));
    assert_null(tacit_message_state_name((tacit_message_state)6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_the_size_that_the_header_says),
        cmocka_unit_test(reals_are_doubles),
        cmocka_unit_test(what_is_no_vector_has_no_numbers),
        cmocka_unit_test(states_follow_from_payment_and_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
