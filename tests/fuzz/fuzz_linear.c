/* fuzz_linear.c - any lines as linear constraints of a space with every type of parameter.
 *
 * Each line is one constraint. What is accepted has a canonical text that reads as itself, leaves a point, and whatever is
 * decoded in the space satisfies it; the rest leaves the space as it was. */
#include "fuzz.h"

#include "space/linear.h"

#include <string.h>

static tc_space *make_space(void)
{
    tc_space *s = NULL;
    REQUIRE(tc_space_new(&s, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_float(s, "x", -1, 2, 0, false, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_float(s, "y", 0, 1e6, 0, false, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_float(s, "l", 1e-6, 1, 0, true, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_float(s, "s", 0, 1, 0.1, false, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_int(s, "n", 1, 9, 1, false, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_int(s, "m", 1, 4096, 1, true, NULL) == TACIT_OK);
    REQUIRE(tc_space_add_bool(s, "b", NULL) == TACIT_OK);
    REQUIRE(tc_space_add_choice(s, "x-y", 2, (const char *[]){"a", "b"}, NULL) == TACIT_OK);
    return s;
}

/* A few hundred points of the cube. */
static void check_points(const tc_space *s)
{
    for (unsigned k = 0; k < 64; k++) {
        double u[9], values[8], again[9];
        for (unsigned d = 0; d < 9; d++)
            u[d] = (double)((k * (2 * d + 3) * 37 + d * 11) % 256) / 255;
        tc_space_decode(s, u, values);
        REQUIRE(tc_space_check(s, values, NULL) == TACIT_OK);
        tc_space_encode(s, values, again);
        tc_space_round(s, u);
        REQUIRE(memcmp(u, again, sizeof u) == 0);
    }
}

static void check_texts(const tc_space *s)
{
    tc_space *again = make_space();
    for (size_t k = 0; k < s->n_linear; k++) {
        REQUIRE(tc_space_add_linear(again, s->linear[k].text, NULL) == TACIT_OK);
        REQUIRE(strcmp(again->linear[k].text, s->linear[k].text) == 0);
    }
    tc_space_free(again);
}

FUZZ_TARGET(linear)
{
    char *text = tc_strndup((const char *)data, size), *rest = text;
    REQUIRE(text);
    tc_space *s = make_space();
    for (char *line; (line = strsep(&rest, "\n"));) {
        const size_t before = s->n_linear;
        tacit_status status = tc_space_add_linear(s, line, NULL);
        REQUIRE(s->n_linear == before + (status == TACIT_OK));
    }
    check_points(s);
    check_texts(s);
    tc_space_free(s);
    tc_free(text);
    return 0;
}
