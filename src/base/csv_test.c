/* csv_test.c - RFC 4180 text, and every way in which text is not that. */
#include "base/csv.h"

#include "base/memory.h"
#include "base/text.h"
#include "support/test.h"

/* All records as "a|b;c|d;", or the failure. */
static tacit_status read_all(const char *text, size_t len, tc_text *out, tacit_error *err)
{
    tc_csv c;
    tc_csv_init(&c, text, len, "t.csv");
    tacit_status status;
    while ((status = tc_csv_next(&c, err)) == TACIT_OK && c.n > 0) {
        for (size_t i = 0; i < c.n; i++)
            tc_text_addf(out, "%s%s", i ? "|" : "", c.field[i]);
        tc_text_add(out, ";");
    }
    tc_csv_fini(&c);
    return status;
}

static void assert_reads(const char *text, const char *expected)
{
    tacit_error err = {0};
    tc_text got = {0};
    assert_ok(read_all(text, strlen(text), &got, &err));
    assert_string_equal(tc_text_get(&got), expected);
    tc_text_fini(&got);
}

static void assert_refused(const char *text, const char *message)
{
    tacit_error err = {0};
    tc_text got = {0};
    assert_int_equal(read_all(text, strlen(text), &got, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, message);
    tc_text_fini(&got);
}

static void plain_records(void **state)
{
    (void)state;
    assert_reads("", "");
    assert_reads("a", "a;");
    assert_reads("a,b\n1,2\n", "a|b;1|2;");
    assert_reads("a,b\r\n1,2\r\n", "a|b;1|2;");
    assert_reads("a,b\n1,2", "a|b;1|2;");
    assert_reads("a,b\n,\n", "a|b;|;");
    assert_reads(" a , b \n", " a | b ;"); /* spaces are part of a field */
    assert_reads("\n\n", ";;");            /* one empty field each */
    assert_reads("a,\n", "a|;");
    assert_reads("a,", "a|;");
}

static void quoted_fields(void **state)
{
    (void)state;
    assert_reads("\"a\",\"b\"\n", "a|b;");
    assert_reads("\"a,b\",c\n", "a,b|c;");
    assert_reads("\"a\"\"b\"", "a\"b;");
    assert_reads("\"\"\"\"\n", "\";");
    assert_reads("\"\",\"\"\n", "|;");
    assert_reads("\"a\r\nb\",c\r\n1,2\r\n", "a\r\nb|c;1|2;");
    assert_reads("\"a\rb\"\n", "a\rb;");
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    assert_reads("\xEF\xBB\xBF\"a\",b\n", "a|b;");
    assert_reads("\xEF\xBB\xBF", "");
}

static void refusals_name_row_and_column(void **state)
{
    (void)state;
    assert_refused("a,b\n1\n", "t.csv: row 2: the row has 1 field, the first row has 2");
    assert_refused("a\n1,2,3\n", "t.csv: row 2: the row has 3 fields, the first row has 1");
    assert_refused("a,b\n\n", "t.csv: row 2: the row has 1 field, the first row has 2");
    assert_refused("a,b\n1,x\"y\n",
                   "t.csv: row 2, column 2: a field with a quote in it must be quoted as a whole");
    assert_refused("a,b\n\"1\n,2\n", "t.csv: row 2, column 1: the closing quote is missing");
    assert_refused("a,\"b\"x\n",
                   "t.csv: row 1, column 2: nothing may follow a closing quote but a comma");
    assert_refused("a,\"b\" \n",
                   "t.csv: row 1, column 2: nothing may follow a closing quote but a comma");
    assert_refused("a\rb\n",
                   "t.csv: row 1, column 1: a carriage return must be followed by a line feed");
    assert_refused("a,b\r",
                   "t.csv: row 1, column 2: a carriage return must be followed by a line feed");
    assert_refused("\"", "t.csv: row 1, column 1: the closing quote is missing");
}

static void a_zero_byte_is_refused(void **state)
{
    (void)state;
    static const char plain[] = "a,b\0c\n", quoted[] = "a\n\"\0\"\n";
    tacit_error err = {0};
    tc_text got = {0};
    assert_fails(read_all(plain, sizeof plain - 1, &got, &err), TACIT_E_ARG,
                 "t.csv: row 1, column 2: a zero byte is not text");
    assert_fails(read_all(quoted, sizeof quoted - 1, &got, &err), TACIT_E_ARG,
                 "t.csv: row 2, column 1: a zero byte is not text");
    tc_text_fini(&got);
}

/* What the writer of base/text.h quotes, the reader gives back. */
static void writer_and_reader_agree(void **state)
{
    (void)state;
    static const char *const fields[] = {"plain", "",     "a,b",     "say \"x\"",  "two\nlines",
                                         "\r\n",  "\"\"", " blank ", "caf\xC3\xA9"};
    enum { N = sizeof fields / sizeof *fields };
    tc_text text = {0};
    for (int row = 0; row < 3; row++)
        for (size_t i = 0; i < N; i++) {
            tc_text_add_csv(&text, fields[(i + (size_t)row) % N]);
            tc_text_add(&text, i + 1 < N ? "," : "\n");
        }
    tc_csv c;
    tacit_error err = {0};
    tc_csv_init(&c, tc_text_get(&text), text.len, "t.csv");
    for (size_t row = 0; row < 3; row++) {
        assert_ok(tc_csv_next(&c, &err));
        assert_int_equal(c.n, N);
        assert_int_equal(c.row, row + 1);
        for (size_t i = 0; i < N; i++)
            assert_string_equal(c.field[i], fields[(i + row) % N]);
    }
    assert_ok(tc_csv_next(&c, &err));
    assert_int_equal(c.n, 0);
    tc_csv_fini(&c);
    tc_text_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_records),
        cmocka_unit_test(quoted_fields),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(refusals_name_row_and_column),
        cmocka_unit_test(a_zero_byte_is_refused),
        cmocka_unit_test(writer_and_reader_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
