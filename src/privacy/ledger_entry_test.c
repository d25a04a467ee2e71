/* ledger_entry_test.c - the bytes of an entry, against an encoder written here from the layout. */
#include "privacy/release_int.h"
#include "support/failing_ledger_store.h"

#include <sodium.h>
#include <stdlib.h>

static tc_ledger_entry sample(void)
{
    return (tc_ledger_entry){
        .seq = 3,
        .study = {{1, 2, 3}},
        .round = 258,
        .unit = TACIT_UNIT_USER,
        .subject = "caf\xc3\xa9",
        .event = {TACIT_DP_GAUSSIAN, 1.5, TACIT_DP_POISSON, 0.25, 7},
        .distance = 1e-12,
        .mechanism = "gaussian-rows",
        .adjacency = "one is replaced by zero",
        .is_private = true,
        .not_private = "",
        .rows = 1,
        .cols = 259,
        .offset = -0.5,
        .step = 0x1p-20,
        .release = {{9, 9}},
        .previous = {{8}},
    };
}

/* ---- the layout, written out */

static uint8_t made[8192];
static size_t made_size;

static void add(const void *p, size_t n)
{
    memcpy(made + made_size, p, n);
    made_size += n;
}

static void add_number(uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++, v /= 256)
        add(&(uint8_t){(uint8_t)(v % 256)}, 1);
}

static void add_double(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    add_number(bits, 8);
}

static void add_text(const char *s)
{
    add_number(strlen(s), 4);
    add(s, strlen(s) + 1);
}

static void make(const tc_ledger_entry *e)
{
    made_size = 0;
    add_number(e->seq, 8);
    add(e->study.bytes, 32);
    add_number(e->round, 8);
    add_number(e->unit, 1);
    add_text(e->subject);
    add_number(e->event.mechanism, 1);
    add_double(e->event.parameter);
    add_number(e->event.sampling, 1);
    add_double(e->event.sampling_rate);
    add_number(e->event.count, 8);
    add_double(e->distance);
    add_text(e->mechanism);
    add_text(e->adjacency);
    add_number(e->is_private, 1);
    add_text(e->not_private);
    add_number(e->rows, 8);
    add_number(e->cols, 8);
    add_double(e->offset);
    add_double(e->step);
    add(e->release.bytes, 32);
    add(e->previous.bytes, 32);
}

static void bytes_follow_the_layout(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_entry e = sample();
    uint8_t *bytes = NULL, hash[32];
    size_t size = 0;
    assert_ok(tc_ledger_entry_encode(&e, &bytes, &size, &err));
    make(&e);
    assert_int_equal(size, made_size);
    assert_memory_equal(bytes, made, size);
    static const char domain[] = "tacit ledger entry 2";
    uint8_t *both = malloc(sizeof domain + size);
    assert_non_null(both);
    memcpy(both, domain, sizeof domain);
    memcpy(both + sizeof domain, bytes, size);
    crypto_generichash(hash, 32, both, sizeof domain + size, NULL, 0);
    tacit_hash ours = tc_ledger_entry_hash(bytes, size);
    assert_memory_equal(ours.bytes, hash, 32);
    free(both);
    tc_free(bytes);
}

/* Fixed for ever: a changed layout would make every stored ledger unreadable. Made by
 * tests/golden/ledger.py. */
static void hashes_are_those_of_the_first_day(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_entry e = sample();
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_ok(tc_ledger_entry_encode(&e, &bytes, &size, &err));
    tacit_hash hashes[] = {tc_ledger_entry_hash(bytes, size), tc_ledger_genesis("main").hash,
                           tc_ledger_study_hash("{}"), tc_ledger_release_hash(bytes, 0)};
    static const char *const golden[] = {
        "d5cf13dca082c77be12da41e39cc3d34288fdfaf0e409db686fa8b093e977014",
        "72001750499173be51276365933053962e523a36f01b01d88968a8bed140f910",
        "3b650a9b77321604c84afd272c9c61c46292389d8a84bace3fc336e80b250edb",
        "e184520170c9c4b343cbe1008b6c3edb1048e0d2dbb19c57a30e4aeb29486ce3",
    };
    for (size_t i = 0; i < 4; i++) {
        char hex[65];
        sodium_bin2hex(hex, sizeof hex, hashes[i].bytes, 32);
        assert_string_equal(hex, golden[i]);
    }
    tc_free(bytes);
}

static void entries_survive_the_way_there_and_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const tacit_dp_event events[] = {
        {TACIT_DP_GAUSSIAN, 1e-3, TACIT_DP_ALL, 1, 1},
        {TACIT_DP_LAPLACE, 0.1, TACIT_DP_FIXED_SIZE, 1e-9, 0},
        {TACIT_DP_PURE, 64, TACIT_DP_POISSON, 0.5, 1000000000000000},
        {TACIT_DP_NONPRIVATE, 5, TACIT_DP_ALL, 1, 1},
    };
    for (size_t i = 0; i < 4; i++) {
        tc_ledger_entry e = sample(), back;
        uint8_t *bytes = NULL;
        size_t size = 0;
        e.event = events[i];
        e.is_private = i < 3;
        e.not_private = i < 3 ? "" : "because";
        e.subject = i == 1 ? "" : "x";
        assert_ok(tc_ledger_entry_encode(&e, &bytes, &size, &err));
        assert_ok(tc_ledger_entry_decode(&back, bytes, size, &err));
        assert_true(i == 3 || back.event.parameter == events[i].parameter);
        make(&back);
        assert_int_equal(made_size, size);
        assert_memory_equal(made, bytes, size);
        tc_free(bytes);
    }
}

static void other_bytes_are_not_an_entry(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_entry e = sample(), out;
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_ok(tc_ledger_entry_encode(&e, &bytes, &size, &err));
    for (size_t n = 0; n < size; n++) {
        uint8_t *cut = malloc(n + 1); /* so that a sanitizer sees one byte too many */
        assert_non_null(cut);
        memcpy(cut, bytes, n);
        assert_fails(tc_ledger_entry_decode(&out, cut, n, &err), TACIT_E_CORRUPT,
                     "it is not an entry");
        free(cut);
    }
    make(&e);
    add_number(0, 1);
    assert_fails(tc_ledger_entry_decode(&out, made, made_size, &err), TACIT_E_CORRUPT,
                 "it is not an entry");
    made[48] = 4; /* the unit */
    assert_fails(tc_ledger_entry_decode(&out, made, made_size - 1, &err), TACIT_E_CORRUPT,
                 "unit must be agent, row, user or record");
    e.rows = 2; /* and a subject */
    make(&e);
    assert_fails(tc_ledger_entry_decode(&out, made, made_size, &err), TACIT_E_CORRUPT,
                 "subject must be empty");
    e = sample();
    e.offset = -0.0; /* a second zero would be a second encoding */
    make(&e);
    assert_fails(tc_ledger_entry_decode(&out, made, made_size, &err), TACIT_E_CORRUPT,
                 "it is not an entry");
    tc_free(bytes);
}

/* Any flipped bit is refused, or is another entry with the same bytes as its encoding. */
static void every_encoding_is_canonical(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_entry e = sample(), out;
    make(&e);
    for (size_t bit = 0; bit < 8 * made_size; bit++) {
        uint8_t *again = NULL;
        size_t size = 0;
        made[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (tc_ledger_entry_decode(&out, made, made_size, &err) == TACIT_OK) {
            assert_ok(tc_ledger_entry_encode(&out, &again, &size, &err));
            assert_int_equal(size, made_size);
            assert_memory_equal(again, made, size);
            tc_free(again);
        }
        made[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void check_bad(tc_ledger_entry e, const char *why)
{
    tacit_error err = {0};
    uint8_t *bytes = NULL;
    size_t size;
    assert_fails(tc_ledger_entry_encode(&e, &bytes, &size, &err), TACIT_E_ARG, why);
    assert_null(bytes);
}

static void entries_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static char longer[TC_LEDGER_MAX_TEXT + 2];
    memset(longer, 'x', sizeof longer - 1);
    tc_ledger_entry e = sample();
    e.seq = 0;
    check_bad(e, "seq must be in 1..2^63-1");
    e = sample();
    e.round = UINT64_MAX;
    check_bad(e, "round must be below 2^63");
    e = sample();
    e.event.sampling_rate = 0;
    check_bad(e, "sampling_rate must be in (0, 1], got 0");
    e = sample();
    e.event.mechanism = TACIT_DP_NONPRIVATE;
    check_bad(e, "the event NonPrivate cannot be stamped private");
    e = sample();
    e.distance = NAN;
    check_bad(e, "distance must be finite and >= 0");
    e = sample();
    e.subject = "\xff";
    check_bad(e, "subject must be UTF-8 without control characters");
    e = sample();
    e.rows = 2;
    check_bad(
        e, "subject must be empty, got \"caf\xc3\xa9\": gaussian-rows of 2 x 259 values concerns "
           "every user");
    e = sample();
    e.mechanism = "gaussian-sum";
    check_bad(e, "gaussian-sum of 1 x 259 values concerns every user");
    e = sample();
    e.rows = UINT64_C(1) << 32;
    e.cols = (UINT64_C(1) << 28) + 1;
    check_bad(e, "rows x cols must be at most 2^60");
    e = sample();
    e.offset = INFINITY;
    check_bad(e, "offset must be finite, got inf");
    e = sample();
    e.step = 0;
    check_bad(e, "step must be finite and > 0, got 0");
    e = sample();
    e.mechanism = "";
    check_bad(e, "mechanism must not be empty");
    e = sample();
    e.adjacency = longer;
    check_bad(e, "adjacency must have at most 4096 bytes, got 4097");
    e = sample();
    e.is_private = false;
    check_bad(e, "not_private must say why if, and only if, the release is not private");
    e = sample();
    e.not_private = "why?";
    check_bad(e, "not_private must say why if, and only if, the release is not private");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_follow_the_layout),
        cmocka_unit_test(hashes_are_those_of_the_first_day),
        cmocka_unit_test(entries_survive_the_way_there_and_back),
        cmocka_unit_test(other_bytes_are_not_an_entry),
        cmocka_unit_test(every_encoding_is_canonical),
        cmocka_unit_test(entries_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
