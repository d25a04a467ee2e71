/* privacy_plan_study.c - `tacit privacy plan STUDY.json`: every release that a federated study plans, what it is
 * about, and what it costs (<tacit/plan.h>). */
#include "privacy/privacy_cli.h"

#include <tacit/plan.h>

#include <math.h>
#include <string.h>

/* People see no column about rounds that are all alike. */
static void add_row(tc_table *t, const tacit_plan_summary *s, const tacit_planned *one, bool people)
{
    size_t k = 0;
    tc_table_integer(t, k++, (int64_t)one->round);
    if (*one->about || !people)
        tc_table_text(t, k++, *one->about ? one->about : NULL);
    if (one->event.mechanism == TACIT_DP_GAUSSIAN)
        tc_table_number(t, k, one->event.parameter);
    tc_table_number(t, k + 1, one->event.sampling_rate);
    if (!isnan(one->epsilon))
        tc_privacy_cell(t, k + 2, one->epsilon, tacit_epsilon_text, people);
    if (!isnan(one->epsilon_so_far))
        tc_privacy_cell(t, k + 3, one->epsilon_so_far, tacit_epsilon_text, people);
    if (!people) {
        tc_table_number(t, k + 4, s->delta);
        tc_table_text(t, k + 5, s->statement);
        tc_table_text(t, k + 6, s->expect_sentence);
    }
    tc_table_end_row(t);
}

static tacit_status print_rows(const tacit_plan *p, tc_format format, tacit_error *err)
{
    static const char *const named[] = {"round",         "about",     "noise_multiplier",
                                        "sampling_rate", "epsilon",   "epsilon_so_far",
                                        "delta",         "statement", "expect"};
    static const char *const alike[] = {"round", "noise_multiplier", "sampling_rate", "epsilon",
                                        "epsilon_so_far"};
    const tacit_planned *one = tacit_plan_get(p, 0);
    const bool people = format == TC_FORMAT_TABLE, about = one && *one->about;
    tc_table *t =
        people ? tc_table_new(about ? 6 : 5, about ? named : alike) : tc_table_new(9, named);
    for (size_t i = 0; (one = tacit_plan_get(p, i)); i++)
        add_row(t, tacit_plan_summarize(p), one, people);
    return tc_table_print(t, format, stdout, err);
}

static json_t *row_json(const tacit_planned *one)
{
    bool gaussian = one->event.mechanism == TACIT_DP_GAUSSIAN;
    return json_pack("{s:I, s:o, s:o, s:f, s:o, s:o}", "round", (json_int_t)one->round, "about",
                     *one->about ? json_string(one->about) : json_null(), "noise_multiplier",
                     gaussian ? json_real(one->event.parameter) : json_null(), "sampling_rate",
                     one->event.sampling_rate, "epsilon", tc_privacy_number(one->epsilon),
                     "epsilon_so_far", tc_privacy_number(one->epsilon_so_far));
}

/* NULL: no memory. */
static json_t *rows_json(const tacit_plan *p)
{
    const tacit_planned *one;
    json_t *rows = json_array();
    for (size_t i = 0; rows && (one = tacit_plan_get(p, i)); i++)
        if (json_array_append_new(rows, row_json(one)) != 0) {
            json_decref(rows);
            return NULL;
        }
    return rows;
}

static tacit_status print_json(const tacit_plan *p, tacit_error *err)
{
    const tacit_plan_summary *s = tacit_plan_summarize(p);
    json_t *expect = NULL, *trustees = NULL;
    if (s->expect)
        TC_TRY(tc_json_parse(s->expect, strlen(s->expect), "expect", &expect, err));
    if (s->trustees &&
        tc_json_parse(s->trustees, strlen(s->trustees), "trustees", &trustees, err) != TACIT_OK) {
        json_decref(expect);
        return err->code;
    }
    json_t *j =
        json_pack("{s:o, s:f, s:s, s:o, s:o?}", "releases", rows_json(p), "delta", s->delta,
                  "statement", s->statement, "usual_lengthscale",
                  s->lengthscale > 0 ? json_real(s->lengthscale) : json_null(), "expect", expect);
    if (j && trustees)
        (void)json_object_set(j, "trustees", trustees);
    json_decref(trustees);
    return tc_privacy_print_json(j, false, err);
}

static void print_paragraphs(const tacit_plan_summary *s)
{
    printf("%s", s->releases > 0 ? "\n" : "");
    tc_privacy_paragraph(s->statement);
    if (s->trustees) {
        putchar('\n');
        tc_privacy_paragraph(s->trustees_sentence);
    }
    if (s->lengthscale > 0) {
        putchar('\n');
        tc_privacy_paragraph(s->lengthscale_sentence);
    }
    if (!s->expect)
        return;
    putchar('\n');
    tc_privacy_paragraph(s->expect_sentence);
}

static tacit_status print(const tacit_plan *p, tc_format format, tacit_error *err)
{
    if (format == TC_FORMAT_JSON)
        return print_json(p, err);
    if (tacit_plan_get(p, 0) || format != TC_FORMAT_TABLE)
        TC_TRY(print_rows(p, format, err));
    if (format == TC_FORMAT_TABLE)
        print_paragraphs(tacit_plan_summarize(p));
    return TACIT_OK;
}

tacit_status tc_privacy_plan_study(const tc_invocation *in, const char *file, tacit_error *err)
{
    tacit_document *document;
    tacit_plan *p = NULL;
    TC_TRY(tacit_document_read(&document, file, err));
    tacit_status status = tacit_plan_new(&p, document, err);
    if (status == TACIT_OK)
        status = tacit_plan_cost(p, err);
    if (status == TACIT_OK)
        tc_delta_warn(tacit_plan_summarize(p)->delta, tacit_document_agents(document), in->quiet);
    if (status == TACIT_OK)
        status = print(p, (tc_format)in->format, err);
    tacit_plan_free(p);
    tacit_document_free(document);
    return status;
}
