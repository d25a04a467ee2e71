/* released_json_test.c - the files of an outsourced study: round trips, and every field gone wrong. */
#include "support/test.h"

#include "base/json.h"
#include "wire/released_json.h"
#include "wire/row_secret.h"

/* ---- released.json */

static tc_released sample(void)
{
    tacit_error err = {0};
    static char *columns[] = {"income", "rate"};
    static double values[] = {0.1, -1.0 / 3, 5e-324, 1e300, -0.0, 2};
    static const tc_row_column source[] = {{"income", 0, 200000, 10000}, {"rate", 0, 30, 1}};
    tc_released r = {.name = "loans",
                     .mode = "sound",
                     .maximize = true,
                     .is_private = true,
                     .epsilon = 2.7,
                     .statement = "every row: ...",
                     .input_sd = 0.74,
                     .ledger = "rows",
                     .head = {.seq = 3},
                     .n_source = 2,
                     .source = source,
                     .radius = 1.5,
                     .rows = 3,
                     .cols = 2,
                     .columns = columns,
                     .values = values};
    assert_ok(tc_released_hash(&r, &r.release, &err));
    memset(r.head.hash.bytes, 0x1f, sizeof r.head.hash.bytes);
    return r;
}

static void test_release_reads_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_released r = sample(), *again = NULL;
    char *text = NULL;
    assert_ok(tacit_released_text(&r, &text, &err));
    assert_ok(tacit_released_parse(&again, text, strlen(text), "r.json", &err));
    assert_string_equal(again->name, "loans");
    assert_string_equal(again->mode, "sound");
    assert_true(again->maximize && again->is_private);
    assert_null(again->not_private);
    assert_same_bits(again->epsilon, 2.7);
    assert_same_bits(again->input_sd, 0.74);
    assert_memory_equal(&again->release, &r.release, sizeof r.release);
    assert_memory_equal(&again->head.hash, &r.head.hash, sizeof r.head.hash);
    assert_int_equal(again->head.seq, 3);
    assert_string_equal(again->columns[1], "rate");
    assert_int_equal(again->rows, 3);
    assert_int_equal(again->n_source, 2);
    assert_string_equal(again->source[0].name, "income");
    assert_same_bits(again->source[0].high, 200000);
    assert_same_bits(again->source[0].unit, 10000);
    assert_same_bits(again->radius, 1.5);
    assert_memory_equal(again->values, r.values, 6 * sizeof(double));
    char *twice = NULL;
    assert_ok(tacit_released_text(again, &twice, &err));
    assert_string_equal(text, twice);
    tacit_released_free(again);
    tc_free(twice);
    tc_free(text);
}

static void test_what_is_not_private_has_no_epsilon(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_released r = sample(), *again = NULL;
    r.is_private = false;
    r.not_private = "a seed";
    char *text = NULL;
    assert_ok(tacit_released_text(&r, &text, &err));
    assert_null(strstr(text, "\"epsilon\""));
    assert_null(strstr(text, "\"delta\""));
    assert_ok(tacit_released_parse(&again, text, strlen(text), "r.json", &err));
    assert_string_equal(again->not_private, "a seed");
    tacit_released_free(again);
    tc_free(text);
}

static void test_rows_become_candidates(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_released r = sample();
    tc_domain *d = NULL;
    double plain[] = {1, 2, 3, 4.5, 5, -6};
    r.values = plain;
    assert_ok(tc_released_domain(&r, &d, &err));
    assert_int_equal(d->n, 3);
    assert_string_equal(d->names[0], "income");
    assert_same_bits(d->raw[1], 3);
    assert_same_bits(d->raw[2 + 3], -6);
    tc_domain_free(d);
}

/* key set to this text (NULL: removed); the refusal says `part`. */
typedef struct damage {
    const char *key, *value, *part;
} damage;

static char *damaged(char *text, const damage *d)
{
    tacit_error err = {0};
    json_t *j = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "text", &j, &err));
    json_t *value = d->value ? json_loads(d->value, JSON_DECODE_ANY, NULL) : NULL;
    if (value)
        assert_int_equal(json_object_set_new(j, d->key, value), 0);
    else
        json_object_del(j, d->key);
    char *made = tc_json_text(j);
    json_decref(j);
    assert_non_null(made);
    return made;
}

/* Of a release. */
static const damage damages[] = {
    {"tacit", NULL, "tacit"},
    {"tacit", "\"row-answer\"", "a file of the kind \"row-answer\", not \"released-rows\""},
    {"version", "1", "version must be 2, got 1"},
    {"version", NULL, "version is missing"},
    {"name", "7", "name"},
    {"name", "\"../etc\"", "the name of a release must be"},
    {"mode", "\"loud\"", "mode must be \"sound\" or \"paper\", got \"loud\""},
    {"direction", "\"up\"", "direction must be \"minimize\" or \"maximize\", got \"up\""},
    {"private", NULL, "private is missing"},
    {"private", "false", "what is not private has no epsilon"},
    {"not_private", "\"x\"", "contradict"},
    {"epsilon", "-1", "epsilon must be a number >= 0, got -1"},
    {"epsilon", NULL, "epsilon"},
    {"delta", "\"x\"", "delta"},
    {"statement", NULL, "statement"},
    {"input_sd", "-0.5", "input_sd must be a number >= 0, got -0.5"},
    {"output_sd", NULL, "output_sd"},
    {"release", "\"abc\"", "release must be 64 hexadecimal digits, got \"abc\""},
    {"ledger", "[]", "ledger"},
    {"ledger", NULL, "ledger"},
    {"ledger", "{\"name\": \"rows\", \"entry\": 1}", "ledger.head"},
    {"ledger", "{\"name\": \"rows\", \"entry\": -1, \"head\": \"\"}", "ledger.entry"},
    {"columns", "[]", "columns must be a list of 1 to 256 names"},
    {"columns", "[1, 2]", "columns[0] must be a name"},
    {"columns", "[\"a\"]", "rows[0] must be a list of 1 numbers"},
    {"rows", "[]", "rows must be a list of 1 to"},
    {"rows", "[[1, 2], [3]]", "rows[1] must be a list of 2 numbers"},
    {"rows", "[[1, 2], [3, \"4\"]]", "rows[1][1] must be a number"},
    {"rows", "{}", "rows must be a list"},
    {"rows", "[[0.1, 3], [1, 2], [3, 4]]", "rows are not those that were released"},
    {"step", "1", "rows must be whole multiples of step = 1"},
    {"step", "-1", "step must be a number >= 0"},
    {"step", NULL, "step"},
    {"source", NULL, "source"},
    {"source", "{\"radius\": 0, \"columns\": []}", "source.radius must be > 0, got 0"},
    {"source", "{\"radius\": 1, \"columns\": []}", "source.columns must be a list"},
    {"source",
     "{\"radius\": 1, \"columns\": [{\"name\": \"a\", \"low\": 1, \"high\": 1, "
     "\"unit\": 1}]}",
     "must have low < high, unit > 0"},
    {"mode", "\"paper\"", "paper mode has no source"},
    {"colour", "1", "unknown field \"colour\""},
};

static void test_every_field_is_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_released r = sample(), *out = NULL;
    char *text = NULL;
    assert_ok(tacit_released_text(&r, &text, &err));
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *bad = damaged(text, &damages[i]);
        assert_fails(tacit_released_parse(&out, bad, strlen(bad), "r.json", &err), TACIT_E_ARG,
                     damages[i].part);
        assert_non_null(strstr(err.msg, "r.json"));
        assert_null(out);
        tc_free(bad);
    }
    assert_fails(tacit_released_parse(&out, "[1]", 3, "r.json", &err), TACIT_E_ARG, "r.json");
    assert_fails(tacit_released_read(&out, "/no/such/file", &err), TACIT_E_NOT_FOUND,
                 "/no/such/file");
    tc_free(text);
}

/* The hash is of the integers that the ledger has. */
static void test_rows_of_steps_have_the_hash_of_their_words(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_released r = sample(), *again = NULL;
    double values[] = {0.25, -0.5, 0, 3, 1e6, -1.25};
    const int64_t words[] = {1, -2, 0, 12, 4000000, -5};
    uint8_t bytes[48];
    for (size_t i = 0; i < 48; i++)
        bytes[i] = (uint8_t)((uint64_t)words[i / 8] >> 8 * (i % 8));
    tacit_hash slow = tc_ledger_release_hash(bytes, sizeof bytes);
    r.values = values;
    r.step = 0.25;
    assert_ok(tc_released_hash(&r, &r.release, &err));
    assert_true(tc_ledger_hash_same(&r.release, &slow));
    char *text = NULL;
    assert_ok(tacit_released_text(&r, &text, &err));
    assert_ok(tacit_released_parse(&again, text, strlen(text), "r.json", &err));
    assert_same_bits(again->step, 0.25);
    tacit_released_free(again);
    tc_free(text);
    values[5] = 0x1p52; /* 2^54 steps: a double would not tell it from 2^54 + 1 */
    assert_fails(tc_released_hash(&r, &slow, &err), TACIT_E_ARG, "below 2^53 of them");
    r.step = NAN;
    assert_ok(tacit_released_text(&r, &text, &err));
    assert_non_null(strstr(text, "\"step\":null"));
    assert_ok(tacit_released_parse(&again, text, strlen(text), "r.json", &err));
    assert_true(isnan(again->step));
    tacit_released_free(again);
    tc_free(text);
}

/* ---- answer.json */

static const tacit_row_answer an_answer = {
    .name = "loans", .row = 17, .value = -1.0 / 3, .sd = 0.5, .is_private = true};

static void test_answers_read_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_answer a = an_answer, again;
    char *text = NULL;
    assert_ok(tacit_row_answer_text(&a, &text, &err));
    assert_ok(tacit_row_answer_parse(&again, text, strlen(text), "a.json", &err));
    assert_same_bits(again.value, a.value);
    assert_same_bits(again.sd, 0.5);
    assert_int_equal(again.row, 17);
    assert_true(again.is_private);
    assert_string_equal(again.name, "loans");
    tc_free(text);
    a.value = NAN; /* the row has none */
    assert_ok(tacit_row_answer_text(&a, &text, &err));
    assert_non_null(strstr(text, "\"value\":null"));
    assert_ok(tacit_row_answer_parse(&again, text, strlen(text), "a.json", &err));
    assert_true(isnan(again.value));
    tc_free(text);
}

static void test_every_field_of_an_answer_is_checked(void **state)
{
    (void)state;
    static const damage cases[] = {
        {"tacit", "\"x\"", "a file of the kind \"x\", not \"row-answer\""},
        {"version", "0", "version must be 2, got 0"},
        {"row", "-1", "row"},
        {"row", NULL, "row is missing"},
        {"row", "1.5", "row"},
        {"value", "\"1\"", "value"},
        {"sd", "-1", "sd >= 0"},
        {"private", "1", "private"},
        {"release", NULL, "release"},
        {"name", "\"0123456789012345678901234567890123456789012345678901234567890123456789\"",
         "name has at most 64 bytes, got 70"},
        {"extra", "1", "unknown field"},
    };
    tacit_error err = {0};
    tacit_row_answer again = {.row = 4};
    char *text = NULL;
    assert_ok(tacit_row_answer_text(&an_answer, &text, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *bad = damaged(text, &cases[i]);
        assert_fails(tacit_row_answer_parse(&again, bad, strlen(bad), "a.json", &err), TACIT_E_ARG,
                     cases[i].part);
        tc_free(bad);
    }
    assert_int_equal(again.row, 4); /* it is as it was */
    tc_free(text);
}

/* ---- the secret */

static const tc_row_column secret_column = {"income", 0, 1, 1};
static size_t secret_order[] = {2, 0, 1};

static char *a_secret(void)
{
    tc_row_secret s = {.ledger = "rows",
                       .value_column = "profit",
                       .terms = {.name = "loans",
                                 .rows = 3,
                                 .dims = 1,
                                 .columns = &secret_column,
                                 .epsilon = 1,
                                 .radius = 1},
                       .order = secret_order};
    char *text = tc_row_secret_encode(&s);
    assert_non_null(text);
    return text;
}

static void test_secrets_read_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_row_secret again;
    tc_arena memory = {0};
    char *text = a_secret();
    assert_ok(tc_row_secret_decode(&again, text, strlen(text), "s", &memory, &err));
    assert_memory_equal(again.order, secret_order, sizeof secret_order);
    assert_string_equal(again.terms.columns[0].name, "income");
    assert_string_equal(again.ledger, "rows");
    assert_string_equal(again.value_column, "profit");
    tc_arena_fini(&memory);
    tc_free(text);
}

static void test_every_field_of_a_secret_is_checked(void **state)
{
    (void)state;
    static const damage cases[] = {
        {"order", "[0, 1]", "order must be a list of 3 rows"},
        {"order", "[0, 1, 1]", "order must have each of 3 rows once"},
        {"order", "[0, 1, 3]", "order must have each of 3 rows once"},
        {"order", "[0, 1, -2]", "order must have each of 3 rows once"},
        {"order", "[0, 1, 2.0]", "order must have each of 3 rows once"},
        {"terms", NULL, "terms"},
        {"data", "\"zz\"", "data must be 64 hexadecimal digits"},
        {"ledger", NULL, "ledger"},
        {"tacit", "\"released-rows\"", "a file of the kind \"released-rows\", not \"row-secret\""},
        {"tacit", NULL, "this is no file of the kind \"row-secret\""},
        {"order", "[0, 2, 1]", "order does not match check: the file was changed"},
        {"check", NULL, "check"},
        {"storage", "7", "storage"},
        {"value_column", "7", "value_column"},
    };
    tacit_error err = {0};
    tc_row_secret again;
    tc_arena memory = {0};
    char *text = a_secret();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *bad = damaged(text, &cases[i]);
        assert_fails(tc_row_secret_decode(&again, bad, strlen(bad), "s", &memory, &err),
                     TACIT_E_ARG, cases[i].part);
        tc_free(bad);
    }
    tc_arena_fini(&memory);
    tc_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_release_reads_back),
        cmocka_unit_test(test_what_is_not_private_has_no_epsilon),
        cmocka_unit_test(test_rows_become_candidates),
        cmocka_unit_test(test_every_field_is_checked),
        cmocka_unit_test(test_rows_of_steps_have_the_hash_of_their_words),
        cmocka_unit_test(test_answers_read_back),
        cmocka_unit_test(test_every_field_of_an_answer_is_checked),
        cmocka_unit_test(test_secrets_read_back),
        cmocka_unit_test(test_every_field_of_a_secret_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
