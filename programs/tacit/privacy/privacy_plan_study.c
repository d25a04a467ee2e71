/* privacy_plan_study.c - `tacit privacy plan STUDY.json`: every release that a federated study plans, what it is
 * about, and what it costs. From the document alone, as a coordinator and its agents would find it. */
#include "federation/expectation.h"
#include "privacy/plan_lengthscale.h"
#include "privacy/privacy_cli.h"

#include "algo/charge.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/federated_cost.h"
#include "study/study.h"
#include "study/study_plan.h"

#include <inttypes.h>
#include <math.h>

/* Bounds of many different releases take long: beyond this the total alone is found. */
enum { MOST_ROWS = 200, MOST_RELEASES = 100000 };

typedef struct release {
    uint64_t round;
    const char *about;
    tacit_dp_event event;
    double distance;
    double alone, so_far; /* epsilon; NaN: not found */
} release;

typedef struct releases {
    release *at;
    size_t n, cap;
    tacit_guarantee total;
    tacit_unit unit;
    double delta;
    json_t *expect;      /* what the study may gain at best; NULL: nobody knows */
    double usual;        /* tc_plan_lengthscale */
    tc_text lengthscale; /* the sentence about it, or empty */
} releases;

/* ---- finding */

static tacit_status list(const tc_study_plan *p, releases *r, tacit_error *err)
{
    uint64_t round;
    TC_TRY(tc_study_plan_next_round(p, 0, &round, err));
    while (round != TC_NO_ROUND) {
        if (r->n == MOST_RELEASES)
            return tc_fail(err, TACIT_E_ARG, "study \"%s\" plans more than %d releases",
                           p->doc->name, MOST_RELEASES);
        if (!tc_grow((void **)&r->at, &r->cap, r->n + 1, sizeof *r->at))
            return tc_fail_memory(err);
        release *one = &r->at[r->n++];
        *one = (release){
            .round = round, .about = tc_study_plan_about(p, round), .alone = NAN, .so_far = NAN};
        TC_TRY(tc_study_plan_price(p, round, &one->event, &one->distance, err));
        TC_TRY(tc_study_plan_next_round(p, round + 1, &round, err));
    }
    return TACIT_OK;
}

static tacit_status cost(const releases *r, const tacit_dp_event *events, size_t n, double distance,
                         tacit_guarantee *out, tacit_error *err)
{
    return tc_ledger_cost(&tc_accountant_pld, events, n, distance, r->delta, out, err);
}

/* A single record is in one release only, and pays for the dearest at most. */
static tacit_status account(const tc_study_plan *p, releases *r, tacit_dp_event *events,
                            tacit_error *err)
{
    const bool apart = !tc_round_charge_of(p->doc->algorithm, p->opts, 0).everybody;
    double distance = 0;
    for (size_t i = 0; i < r->n; i++) {
        release *one = &r->at[i];
        tacit_guarantee g;
        events[i] = one->event;
        distance += one->distance;
        if (r->n > MOST_ROWS && !apart)
            continue;
        TC_TRY(cost(r, &one->event, 1, one->distance, &g, err));
        one->alone = g.epsilon;
        if (!apart)
            TC_TRY(cost(r, events, i + 1, distance, &g, err));
        one->so_far = apart ? fmax(g.epsilon, i > 0 ? r->at[i - 1].so_far : 0) : g.epsilon;
        if (i == 0 || g.epsilon > r->total.epsilon)
            r->total = g;
    }
    return r->n > MOST_ROWS && !apart ? cost(r, events, r->n, distance, &r->total, err) : TACIT_OK;
}

static tacit_status find(const tc_study_plan *p, bool quiet, releases *r, tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    TC_TRY(tc_privacy_delta(d->delta, (int64_t)d->agents, quiet, &r->delta, err));
    r->unit = tc_round_charge_of(d->algorithm, p->opts, 0).unit;
    TC_TRY(list(p, r, err));
    TC_TRY(tc_expectation_of_plan(p, &r->expect, err));
    TC_TRY(tc_plan_lengthscale(p, &r->usual, err));
    if (r->usual > 0)
        tc_plan_lengthscale_add(&r->lengthscale, p, r->usual);
    if (r->lengthscale.failed)
        return tc_fail_memory(err);
    tacit_dp_event *events = tc_alloc(r->n + 1, sizeof *events);
    tacit_status status = events ? account(p, r, events, err) : tc_fail_memory(err);
    tc_free(events);
    return status;
}

/* ---- output */

static void add_words(const releases *r, const char *not_private, tc_text *out)
{
    if (r->n == 0) {
        tc_text_add(out, "This study releases nothing.");
        return;
    }
    if (*not_private)
        tc_text_addf(out, "NOT PRIVATE: %s. ", not_private);
    tc_text_addf(out, "Nothing is spent yet. %sPlanned: ",
                 r->n > MOST_ROWS ? "There are too many releases to account for each. " : "");
    tc_statement_add_bound(out, &r->total, r->n, r->unit);
    tc_federated_cost_scope(r->unit, r->at[0].event.sampling, out);
}

/* People see no column about rounds that are all alike. */
static void add_row(tc_table *t, const releases *r, const release *one, const char *words,
                    bool people)
{
    size_t k = 0;
    tc_table_integer(t, k++, (int64_t)one->round);
    if (*one->about || !people)
        tc_table_text(t, k++, *one->about ? one->about : NULL);
    if (one->event.mechanism == TACIT_DP_GAUSSIAN)
        tc_table_number(t, k, one->event.parameter);
    tc_table_number(t, k + 1, one->event.sampling_rate);
    if (!isnan(one->alone))
        tc_privacy_cell(t, k + 2, one->alone, tc_epsilon_text, people);
    if (!isnan(one->so_far))
        tc_privacy_cell(t, k + 3, one->so_far, tc_epsilon_text, people);
    if (!people) {
        tc_table_number(t, k + 4, r->delta);
        tc_table_text(t, k + 5, words);
        tc_table_text(t, k + 6, tc_expectation_sentence(r->expect));
    }
    tc_table_end_row(t);
}

static tacit_status print_rows(const releases *r, const char *words, tc_format format,
                               tacit_error *err)
{
    static const char *const named[] = {"round",         "about",     "noise_multiplier",
                                        "sampling_rate", "epsilon",   "epsilon_so_far",
                                        "delta",         "statement", "expect"};
    static const char *const alike[] = {"round", "noise_multiplier", "sampling_rate", "epsilon",
                                        "epsilon_so_far"};
    const bool people = format == TC_FORMAT_TABLE, about = r->n > 0 && *r->at[0].about;
    tc_table *t =
        people ? tc_table_new(about ? 6 : 5, about ? named : alike) : tc_table_new(9, named);
    for (size_t i = 0; i < r->n; i++)
        add_row(t, r, &r->at[i], words, people);
    return tc_table_print(t, format, stdout, err);
}

static json_t *row_json(const release *one)
{
    bool gaussian = one->event.mechanism == TACIT_DP_GAUSSIAN;
    return json_pack("{s:I, s:o, s:o, s:f, s:o, s:o}", "round", (json_int_t)one->round, "about",
                     *one->about ? json_string(one->about) : json_null(), "noise_multiplier",
                     gaussian ? json_real(one->event.parameter) : json_null(), "sampling_rate",
                     one->event.sampling_rate, "epsilon", tc_privacy_number(one->alone),
                     "epsilon_so_far", tc_privacy_number(one->so_far));
}

/* NULL: no memory. */
static json_t *plan_json(const releases *r, const char *words)
{
    json_t *rows = json_array();
    for (size_t i = 0; rows && i < r->n; i++)
        if (json_array_append_new(rows, row_json(&r->at[i])) != 0) {
            json_decref(rows);
            rows = NULL;
        }
    return json_pack("{s:o, s:f, s:s, s:o, s:O?}", "releases", rows, "delta", r->delta, "statement",
                     words, "usual_lengthscale", r->usual > 0 ? json_real(r->usual) : json_null(),
                     "expect", r->expect);
}

static void print_paragraphs(const releases *r, const char *words)
{
    printf("%s", r->n > 0 ? "\n" : "");
    tc_privacy_paragraph(words);
    if (r->usual > 0) {
        putchar('\n');
        tc_privacy_paragraph(tc_text_get(&r->lengthscale));
    }
    if (!r->expect)
        return;
    putchar('\n');
    tc_privacy_paragraph(tc_expectation_sentence(r->expect));
}

static tacit_status print(const releases *r, const char *not_private, tc_format format,
                          tacit_error *err)
{
    tc_text words = {0};
    add_words(r, not_private, &words);
    const char *text = tc_text_get(&words);
    tacit_status status = words.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK && format == TC_FORMAT_JSON)
        status = tc_privacy_print_json(plan_json(r, text), false, err);
    else if (status == TACIT_OK && (r->n > 0 || format != TC_FORMAT_TABLE))
        status = print_rows(r, text, format, err);
    if (status == TACIT_OK && format == TC_FORMAT_TABLE)
        print_paragraphs(r, text);
    tc_text_fini(&words);
    return status;
}

static tacit_status show(const tc_study_doc *doc, const tc_invocation *in, tacit_error *err)
{
    tc_study_row row;
    tc_study_plan *p;
    releases r = {.n = 0};
    TC_TRY(tc_study_row_of(&row, doc, 0, err));
    tacit_status status = tc_study_plan_new(&p, &row, err);
    tc_study_row_fini(&row);
    TC_TRY(status);
    if (!doc->algorithm->aggregator)
        status = tc_fail(err, TACIT_E_UNSUPPORTED, "%s releases no sums: %s", doc->algorithm->name,
                         tc_study_plan_not_private(p));
    if (status == TACIT_OK)
        status = find(p, in->quiet, &r, err);
    if (status == TACIT_OK)
        status = print(&r, tc_study_plan_not_private(p), (tc_format)in->format, err);
    tc_free(r.at);
    json_decref(r.expect);
    tc_text_fini(&r.lengthscale);
    tc_study_plan_free(p);
    return status;
}

tacit_status tc_privacy_plan_study(const tc_invocation *in, const char *file, tacit_error *err)
{
    tc_study_doc *doc;
    TC_TRY(tc_study_doc_read(&doc, file, err));
    tacit_status status = tc_study_calibrate(doc, err);
    if (status == TACIT_OK)
        status = show(doc, in, err);
    tc_study_doc_free(doc);
    return status;
}
