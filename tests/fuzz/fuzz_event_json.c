/* fuzz_event_json.c - any text as the body of an event of a stored journal.
 *
 * The first byte chooses the kind and the space. What is accepted must come
 * out of encode and decode unchanged, bit for bit. */
#include "fuzz.h"

#include "wire/event_json.h"

#include <math.h>
#include <string.h>

static tc_space *mixed_space(void)
{
    static const char *const choices[] = {"adam", "sgd", "caf\xC3\xA9"};
    tc_space *s = NULL;
    REQUIRE(tc_space_new(&s, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_float(s, "x", -1e300, 1e300, 0, false, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_float(s, "d", 0, 1, 0.1, false, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_int(s, "n", 1, 1000, 1, true, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_choice(s, "o", 3, choices, NULL) == TACIT_OK);
    return s;
}

static tc_space *conditional_space(void)
{
    static const char *const choices[] = {"a", "b"};
    static const double numbers[] = {16, 0.1, -3};
    tc_space *s = NULL;
    REQUIRE(tc_space_new(&s, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_float(s, "x", 0, 1, 0, false, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_choice(s, "k", 2, choices, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_numbers(s, "n", 3, numbers, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_bool(s, "t", NULL) == TACIT_OK);
    REQUIRE(tc_space_set_when(s, "x", "k", 1, &(size_t){1}, NULL) == TACIT_OK);
    REQUIRE(tc_space_set_when(s, "n", "t", 1, &(size_t){0}, NULL) == TACIT_OK);
    return s;
}

static tc_space *finite_space(void)
{
    static const char csv[] = "a,b\n0,0.1\n1,0.2\n2,0.3\n";
    tc_domain *d = NULL;
    tc_space *s = NULL;
    REQUIRE(tc_domain_from_csv(&d, csv, sizeof csv - 1, "csv", NULL) == TACIT_OK);
    REQUIRE(tc_space_from_domain(&s, d, NULL) == TACIT_OK);
    return s;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_same(const tc_space *s, const tc_event *a, const tc_event *b)
{
    REQUIRE(a->kind == b->kind && a->state == b->state && a->lease_ms == b->lease_ms);
    REQUIRE(a->pulls == b->pulls && a->batch.n == b->batch.n);
    REQUIRE(a->step == b->step && a->step <= TC_STEP_MOST);
    REQUIRE(a->batch.sum == b->batch.sum && a->batch.squares == b->batch.squares);
    REQUIRE(memcmp(&a->value, &b->value, sizeof a->value) == 0 && isfinite(a->value));
    REQUIRE(a->n_more == b->n_more);
    REQUIRE(a->n_more == 0 || memcmp(a->more, b->more, a->n_more * sizeof *a->more) == 0);
    REQUIRE(same_text(a->worker, b->worker) && same_text(a->reason, b->reason));
    REQUIRE(same_text(a->body, b->body) && !a->values == !b->values);
    REQUIRE(a->round == b->round && a->n_bytes == b->n_bytes);
    REQUIRE(a->n_bytes == 0 || memcmp(a->bytes, b->bytes, a->n_bytes) == 0);
    REQUIRE(!a->values || memcmp(a->values, b->values, s->n_params * sizeof *a->values) == 0);
    REQUIRE(!a->values || tc_space_check(s, a->values, NULL) == TACIT_OK);
}

static void check_body(const tc_space *s, tc_event_kind kind, const char *text, tc_arena *a)
{
    tc_event e = {.seq = 1, .kind = kind}, again = e;
    if (tc_event_decode(s, text, a, &e, NULL) != TACIT_OK)
        return;
    char *encoded = tc_event_encode(s, &e);
    REQUIRE(encoded && tc_event_decode(s, encoded, a, &again, NULL) == TACIT_OK);
    check_same(s, &e, &again);
    tc_free(encoded);
}

FUZZ_TARGET(event_json)
{
    if (size == 0)
        return 0;
    char *text = tc_strndup((const char *)data + 1, size - 1);
    tc_space *s = data[0] & 16   ? finite_space()
                  : data[0] & 32 ? conditional_space()
                                 : mixed_space();
    tc_arena a = {0};
    REQUIRE(text);
    check_body(s, (tc_event_kind)(data[0] & 15), text, &a);
    tc_arena_fini(&a);
    tc_space_free(s);
    tc_free(text);
    return 0;
}
