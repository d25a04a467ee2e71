/* fuzz_released.c - any text as one of the files of an outsourced study.
 *
 * The first byte chooses which. What is accepted must come out of encode and decode unchanged. */
#include "fuzz.h"

#include "base/memory.h"
#include "wire/released_json.h"
#include "wire/row_secret.h"

#include <string.h>

static void check_released(const char *text, size_t len)
{
    tc_released *r = NULL, *again = NULL;
    if (tacit_released_parse(&r, text, len, "text", NULL) != TACIT_OK)
        return;
    char *encoded = NULL;
    REQUIRE(tacit_released_text(r, &encoded, NULL) == TACIT_OK);
    REQUIRE(tacit_released_parse(&again, encoded, strlen(encoded), "again", NULL) == TACIT_OK);
    REQUIRE(again->rows == r->rows && again->cols == r->cols);
    REQUIRE(memcmp(r->values, again->values, r->rows * r->cols * sizeof *r->values) == 0);
    tc_domain *d = NULL;
    if (tc_released_domain(r, &d, NULL) == TACIT_OK)
        REQUIRE(d->n == r->rows);
    tc_domain_free(d);
    tacit_released_free(again);
    tacit_released_free(r);
    tc_free(encoded);
}

static void check_answer(const char *text, size_t len)
{
    tacit_row_answer a, again;
    if (tacit_row_answer_parse(&a, text, len, "text", NULL) != TACIT_OK)
        return;
    char *encoded = NULL;
    REQUIRE(tacit_row_answer_text(&a, &encoded, NULL) == TACIT_OK);
    REQUIRE(tacit_row_answer_parse(&again, encoded, strlen(encoded), "again", NULL) == TACIT_OK);
    REQUIRE(a.row == again.row && memcmp(&a.value, &again.value, sizeof a.value) == 0);
    tc_free(encoded);
}

static void check_secret(const char *text, size_t len)
{
    tc_row_secret s, again;
    tc_arena memory = {0};
    if (tc_row_secret_decode(&s, text, len, "text", &memory, NULL) != TACIT_OK) {
        tc_arena_fini(&memory);
        return;
    }
    char *encoded = tc_row_secret_encode(&s);
    REQUIRE(encoded);
    REQUIRE(tc_row_secret_decode(&again, encoded, strlen(encoded), "again", &memory, NULL) ==
            TACIT_OK);
    REQUIRE(memcmp(s.order, again.order, s.terms.rows * sizeof *s.order) == 0);
    tc_arena_fini(&memory);
    tc_free(encoded);
}

FUZZ_TARGET(released)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    if (data[0] % 3 == 0)
        check_released(text, size - 1);
    else if (data[0] % 3 == 1)
        check_answer(text, size - 1);
    else
        check_secret(text, size - 1);
    return 0;
}
