/* trial_rows_test.c - lists of JSON on standard output: whole, or not there at all. */
#include "study/trial_rows.h"

#include "base/json.h"
#include "study/handle.h"

#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT                                                                                   \
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 9, "                               \
    "\"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}"

/* What is written, whatever the status is. */
typedef struct written {
    char *text; /* free */
    size_t len;
    FILE *file;
} written;

static void begin(written *w)
{
    *w = (written){.len = 0};
    w->file = open_memstream(&w->text, &w->len);
    assert_non_null(w->file);
}

static void end(written *w)
{
    assert_int_equal(fclose(w->file), 0);
}

static void is_a_list(written *w, size_t n)
{
    json_t *j = json_loads(w->text, 0, NULL);
    assert_non_null(j);
    assert_int_equal(json_array_size(j), n);
    json_decref(j);
    free(w->text);
}

static void is_empty(written *w)
{
    assert_int_equal(w->len, 0);
    free(w->text);
}

/* ---- tables ---- */

static void print_names(const char *second, tc_format format, tacit_status expected, written *w)
{
    static const char *const columns[] = {"name"};
    const char *const names[] = {"first", second, "third"};
    tacit_error err = {0};
    tc_table *t = tc_table_new(1, columns);
    for (size_t i = 0; i < 3; i++) {
        tc_table_text(t, 0, names[i]);
        tc_table_end_row(t);
    }
    begin(w);
    assert_int_equal(tc_table_print(t, format, w->file, &err), expected);
    end(w);
}

static void a_table_is_whole_or_not_there(void **state)
{
    written w;
    (void)state;
    print_names("second", TC_FORMAT_JSON, TACIT_OK, &w);
    assert_string_equal(
        w.text, "[{\"name\":\"first\"},\n {\"name\":\"second\"},\n {\"name\":\"third\"}]\n");
    is_a_list(&w, 3);
    print_names("\xff", TC_FORMAT_JSON, TACIT_E_MEMORY, &w); /* no text of JSON */
    is_empty(&w);
    print_names("\xff", TC_FORMAT_JSONL, TACIT_E_MEMORY, &w);
    is_empty(&w);
}

/* ---- trials ---- */

static double at[] = {0.25, 0.5, 0.75};

static void make(tacit_trials *l, tacit_trial list[3])
{
    *l = (tacit_trials){.list = list, .n = 3, .cap = 3};
    for (size_t i = 0; i < 3; i++)
        list[i] = (tacit_trial){.size = sizeof *list,
                                .number = i,
                                .state = TACIT_TRIAL_FAIL,
                                .values = &at[i],
                                .value = (double)NAN,
                                .pulls = 1,
                                .reason = "why"};
}

static void trials_are_whole_or_not_there(void **state)
{
    tacit_error err = {0};
    tacit_document *doc;
    tacit_trial list[3];
    tacit_trials l;
    written w;
    (void)state;
    assert_ok(tacit_document_parse(&doc, DOCUMENT, &err));
    make(&l, list);
    begin(&w);
    assert_ok(tc_trials_print(doc, &l, TC_FORMAT_JSON, w.file, &err));
    end(&w);
    is_a_list(&w, 3);
    list[1].reason = "\xff";
    begin(&w);
    assert_int_equal(tc_trials_print(doc, &l, TC_FORMAT_JSON, w.file, &err), TACIT_E_MEMORY);
    end(&w);
    is_empty(&w);
    tacit_document_free(doc);
}

static void what_was_asked_for_is_whole_or_not_there(void **state)
{
    tacit_error err = {0};
    tacit_document *doc;
    tacit_trial list[3];
    tacit_trials l;
    written w;
    double none = INFINITY;
    (void)state;
    assert_ok(tacit_document_parse(&doc, DOCUMENT, &err));
    make(&l, list);
    begin(&w);
    assert_ok(tc_asked_print(tacit_document_space(doc), &l, false, TC_FORMAT_JSON, w.file, &err));
    end(&w);
    is_a_list(&w, 3);
    list[2].values = &none; /* no number of JSON */
    begin(&w);
    assert_int_equal(
        tc_asked_print(tacit_document_space(doc), &l, false, TC_FORMAT_JSON, w.file, &err),
        TACIT_E_MEMORY);
    end(&w);
    is_empty(&w);
    tacit_document_free(doc);
}

int main(void)
{
    tc_json_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_whole_or_not_there),
        cmocka_unit_test(trials_are_whole_or_not_there),
        cmocka_unit_test(what_was_asked_for_is_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
