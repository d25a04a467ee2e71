/* records_view_test.c - what leaves an agent that protects records depends on its noised values and on nothing else of its data.
 *
 * Worlds are seeded, so that the same noise is drawn: views (records_world.h) must then be equal, byte by byte, wherever
 * the released values are, and look alike elsewhere. And a raw value must not be found in any storage. */
#include "support/records_world.h"

#include "base/bytes.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const algorithms[] = {
    "\"name\": \"fts\", \"features\": 8, \"initial\": 3",
    "\"name\": \"fts\", \"features\": 8, \"initial\": 2, \"own\": \"features\", \"message\": "
    "\"draw\", "
    "\"lengthscale\": 0.2",
    "\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 3",
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* The same outcome at every trial of the first agent. */
static outcome always(const void *user, uint64_t agent, uint64_t trial)
{
    (void)trial;
    return agent == 0 ? *(const outcome *)user : (outcome){.value = 0.5};
}

static records_world run(const char *algorithm, const outcome *o)
{
    records_world w;
    records_setup setup = {
        .algorithm = algorithm, .sensitivity = 0.1, .seeded = true, .evaluate = always, .user = o};
    records_run(&w, &setup);
    return w;
}

static void assert_same_views(const char *algorithm, const outcome *a, const outcome *b)
{
    records_world one = run(algorithm, a), two = run(algorithm, b);
    assert_true(one.view.len > 1000);
    assert_string_equal(tc_text_get(&one.view), tc_text_get(&two.view));
    tc_text_fini(&one.view);
    tc_text_fini(&two.view);
}

/* ---- equal where released values are ---- */

static const outcome worst = {.value = 1}; /* of an error that is minimized */

static const outcome like_the_worst[] = {
    {.failed = true},
    {.failed = true, .reason = "ended with exit code 3"},
    {.failed = true, .reason = "took longer than 60 s", .value = 0.2},
    {.value = (double)NAN},
    {.value = (double)INFINITY},
    {.value = -(double)INFINITY},
    {.value = 1.5},
    {.value = 1e300},
};
enum { LIKE_THE_WORST = sizeof like_the_worst / sizeof *like_the_worst };

static void failures_leave_the_traces_of_the_worst_value(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++)
        for (int k = 0; k < LIKE_THE_WORST; k++)
            assert_same_views(algorithms[i], &worst, &like_the_worst[k]);
}

/* A second raw value after the release, another one or none at all, changes nothing. */
static void only_the_released_value_counts(void **state)
{
    static const outcome other[] = {{.value = 0.75, .released = true, .first = 0.25},
                                    {.failed = true, .released = true, .first = 0.25}};
    const outcome plain = {.value = 0.25};
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++)
        for (int k = 0; k < 2; k++)
            assert_same_views(algorithms[i], &plain, &other[k]);
}

/* The comparison sees a difference where there is one. */
static void other_values_leave_other_traces(void **state)
{
    const outcome near = {.value = 0.9};
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        records_world one = run(algorithms[i], &worst), two = run(algorithms[i], &near);
        assert_string_not_equal(tc_text_get(&one.view), tc_text_get(&two.view));
        tc_text_fini(&one.view);
        tc_text_fini(&two.view);
    }
}

/* ---- alike elsewhere ---- */

enum { CODED = 40 }; /* letters in a row are of base64 or hexadecimal from this length on */

static bool is_coded(char c)
{
    return isalnum((unsigned char)c) || c == '+' || c == '/' || c == '=';
}

static size_t coded_length(const char *s)
{
    size_t n = 0;
    while (is_coded(s[n]))
        n++;
    return n >= CODED ? n : 0;
}

/* Numbers become #, and what is coded becomes its length. */
static void add_shape(tc_text *out, const char *s)
{
    while (*s) {
        size_t n = coded_length(s);
        if (n > 0) {
            tc_text_addf(out, "<%zu>", n);
            s += n;
        } else if (isdigit((unsigned char)*s) || (*s == '-' && isdigit((unsigned char)s[1]))) {
            char *end;
            (void)strtod(s, &end);
            tc_text_add(out, "#");
            s = end;
        } else {
            tc_text_add_bytes(out, s++, 1);
        }
    }
}

static void assert_alike(const records_world *one, const records_world *two)
{
    tc_text a = {0}, b = {0};
    add_shape(&a, tc_text_get(&one->view));
    add_shape(&b, tc_text_get(&two->view));
    assert_string_equal(tc_text_get(&a), tc_text_get(&b));
    tc_text_fini(&a);
    tc_text_fini(&b);
}

/* No reason, no other state, no event more or less, no other size. */
static void failures_look_like_values(void **state)
{
    static const outcome good = {.value = 0.25};
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        records_world one = run(algorithms[i], &good);
        assert_null(strstr(tc_text_get(&one.view), "reason"));
        for (int k = 0; k < LIKE_THE_WORST; k++) {
            records_world two = run(algorithms[i], &like_the_worst[k]);
            assert_string_not_equal(tc_text_get(&one.view), tc_text_get(&two.view));
            assert_alike(&one, &two);
            tc_text_fini(&two.view);
        }
        tc_text_fini(&one.view);
    }
}

/* ---- raw values are nowhere ---- */

#define RAW      0.2512345678901234
#define RAW_TEXT "2512345678901234"

static bool has(const tc_text *where, const void *bytes, size_t n)
{
    return memmem(tc_text_get(where), where->len, bytes, n) != NULL;
}

/* As the eight bytes of a word, in either order. */
static bool has_word(const tc_text *where, uint64_t word)
{
    uint8_t le[8], be[8];
    tc_put_le(le, word, 8);
    for (int i = 0; i < 8; i++)
        be[i] = le[7 - i];
    return has(where, le, 8) || has(where, be, 8);
}

/* As a double, and as steps of the grid that values are released on. */
static bool has_value(const tc_text *where, double y, double step)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    return has_word(where, bits) || has_word(where, (uint64_t)(int64_t)nearbyint(y / step));
}

static void add_file(tc_text *out, const char *name)
{
    char piece[4096];
    size_t n;
    FILE *f = fopen(name, "rb");
    if (!f)
        return; /* a journal of SQLite that is not there now */
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        tc_text_add_bytes(out, piece, n);
    fclose(f);
}

static void read_storage(tc_text *out, const char *name)
{
    static const char *const ends[] = {"", "-wal", "-journal", "-shm"};
    char path[64];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", name, ends[i]);
        add_file(out, path);
    }
}

static void assert_no_raw_value(const records_world *w, const tc_text *where)
{
    assert_true(where->len > 1000);
    assert_false(has(where, RAW_TEXT, strlen(RAW_TEXT)));
    assert_false(has_value(where, RAW, w->step));
}

static void look_for_raw_values(records_world *w)
{
    tc_text own = {0}, theirs = {0};
    read_storage(&own, "agent.db");
    read_storage(&theirs, "coordinator.db");
    assert_no_raw_value(w, &own);
    assert_no_raw_value(w, &theirs);
    assert_no_raw_value(w, &w->view);
    for (int t = 0; t < RECORDS_TRIALS; t++) /* what is released would be found */
        assert_true(has_value(&own, w->values[t], w->step));
    tc_text_fini(&own);
    tc_text_fini(&theirs);
}

static void raw_values_are_nowhere(void **state)
{
    static const outcome raw = {.value = RAW};
    char folder[] = "/tmp/records_view.XXXXXX", command[sizeof folder + 16];
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        records_world w;
        records_setup setup = {.algorithm = algorithms[i],
                               .storage = "sqlite:///agent.db",
                               .coordinator_storage = "sqlite:///coordinator.db",
                               .look = look_for_raw_values,
                               .sensitivity = 0.1,
                               .evaluate = always,
                               .user = &raw};
        memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
        assert_non_null(mkdtemp(folder));
        assert_int_equal(chdir(folder), 0);
        records_run(&w, &setup);
        look_for_raw_values(&w); /* once more, of what is left when all is closed */
        tc_text_fini(&w.view);
        snprintf(command, sizeof command, "rm -rf %s", folder);
        assert_int_equal(chdir("/") + system(command), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_leave_the_traces_of_the_worst_value),
        cmocka_unit_test(only_the_released_value_counts),
        cmocka_unit_test(other_values_leave_other_traces),
        cmocka_unit_test(failures_look_like_values),
        cmocka_unit_test(raw_values_are_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
