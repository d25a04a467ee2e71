/* plan_api.c - include/tacit/plan.h: every release that a federated study plans, every evaluation of a study that protects
 * records, or every reply that one user may give, what it is about and what it costs, and what the study may gain. From the document alone, as a coordinator and
 * its agents would find it. */
#include <tacit/plan.h>

#include "algo/charge.h"
#include "algo/expect.h"
#include "algo/ldp/ldp_curator.h"
#include "base/api.h"
#include "base/json.h"
#include "base/memory.h"
#include "privacy/statement.h"
#include "study/record_plan.h"
#include "study/study.h"
#include "study/study_plan.h"
#include "study/trustees_plan.h"

#include <math.h>

/* Bounds of many different releases take long: beyond this the total alone is found. */
enum { MOST_ROWS = 200, MOST_RELEASES = 100000 };

typedef struct priced {
    tacit_planned shown;
    double distance; /* of its noise, as in release.h */
} priced;

struct tacit_plan {
    tc_study_doc *doc;   /* with its noise */
    tc_study_plan *plan; /* of a federation; else NULL */
    tacit_plan_summary summary;
    tc_arena texts;
    priced *at;
    size_t n, cap;
};

void tacit_plan_free(tacit_plan *p)
{
    if (!p)
        return;
    tc_study_plan_free(p->plan);
    tc_study_doc_free(p->doc);
    tc_arena_fini(&p->texts);
    tc_free(p->at);
    tc_free(p);
}

const tacit_plan_summary *tacit_plan_summarize(const tacit_plan *p)
{
    return p ? &p->summary : NULL;
}

const tacit_planned *tacit_plan_get(const tacit_plan *p, size_t i)
{
    return p && i < p->n ? &p->at[i].shown : NULL;
}

/* Keeps a text that was made for this plan, and ends it. */
static tacit_status keep(tacit_plan *p, tc_text *text, const char **out, tacit_error *err)
{
    if (!text->failed)
        *out = tc_arena_strdup(&p->texts, tc_text_get(text));
    bool kept = !text->failed && *out;
    tc_text_fini(text);
    return kept ? TACIT_OK : tc_fail_memory(err);
}

/* ---- the length-scale ---- */

static const char lengthscale[] = "lengthscale";

/* The option in force after `resolve_defaults`, which changes the struct: opts is a zeroed one to be ended by the caller. */
static tacit_status find_resolved(const tc_study_plan *p, void *opts, double *out, tacit_error *err)
{
    const tc_algorithm *a = p->doc->algorithm;
    TC_TRY(tc_options_defaults(a->options, opts, err));
    TC_TRY(tc_options_set_json(a->options, opts, a->name, p->options, NULL, err));
    TC_TRY(a->resolve_defaults(&p->env, opts, err));
    json_t *resolved = tc_options_json(a->options, opts);
    if (!resolved)
        return tc_fail_memory(err);
    *out = json_number_value(json_object_get(resolved, lengthscale));
    json_decref(resolved);
    return TACIT_OK;
}

/* The usual one; 0: one is given, agents vote on it, or the algorithm has none. */
static tacit_status find_lengthscale(const tc_study_plan *p, double *out, tacit_error *err)
{
    const tc_algorithm *a = p->doc->algorithm;
    const json_t *said = json_object_get(p->options, lengthscale);
    *out = 0;
    if (!a->resolve_defaults || !json_is_number(said) || json_number_value(said) > 0)
        return TACIT_OK;
    void *opts = tc_alloc(1, a->options_size);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = find_resolved(p, opts, out, err);
    tc_options_fini(a->options, opts);
    tc_free(opts);
    return status;
}

static tacit_status state_lengthscale(tacit_plan *p, tacit_error *err)
{
    const size_t dim = p->plan->env.space->dim;
    tc_text text = {0};
    TC_TRY(find_lengthscale(p->plan, &p->summary.lengthscale, err));
    if (p->summary.lengthscale > 0)
        tc_text_addf(&text,
                     "The length-scale is the usual one in %zu dimension%s, %.3g: none is given, "
                     "and agents do not vote on it.",
                     dim, dim == 1 ? "" : "s", p->summary.lengthscale);
    return keep(p, &text, &p->summary.lengthscale_sentence, err);
}

/* ---- what it may gain ---- */

static tacit_status state_expectation(tacit_plan *p, tacit_error *err)
{
    const tc_study_doc *d = p->plan->doc;
    tc_expect e;
    bool known;
    TC_TRY(tc_expect_find(d->algorithm, &p->plan->env, p->plan->opts, &e, &known, err));
    if (!known)
        return TACIT_OK;
    json_t *j = tc_expect_json(&e, d->agents, d->epsilon);
    char *text = tc_json_text(j);
    if (text) {
        p->summary.expect = tc_arena_strdup(&p->texts, text);
        p->summary.expect_sentence =
            tc_arena_strdup(&p->texts, json_string_value(json_object_get(j, "sentence")));
    }
    bool ok = text && !p->texts.failed;
    tc_free(text);
    json_decref(j);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* ---- who is trusted ---- */

static tacit_status state_trustees(tacit_plan *p, tacit_error *err)
{
    const tc_trustees *t = &p->plan->env.trustees;
    tc_shared_plan largest;
    tc_text text = {0};
    if (t->count == 0)
        return TACIT_OK;
    TC_TRY(
        tc_trustees_largest_round(p->doc->algorithm, &p->plan->env, p->plan->opts, &largest, err));
    tc_trustees_describe(t, &largest, &text);
    TC_TRY(keep(p, &text, &p->summary.trustees_sentence, err));
    json_t *j = tc_trustees_json(t, &largest);
    char *json = tc_json_text(j);
    if (json)
        p->summary.trustees = tc_arena_strdup(&p->texts, json);
    bool ok = json && p->summary.trustees;
    tc_free(json);
    json_decref(j);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status state_trust(tacit_plan *p, tacit_error *err)
{
    tc_text text = {0};
    if (*p->summary.not_private || p->doc->promise == TC_PROMISE_RECORDS)
        return TACIT_OK;
    tc_statement_add_trust(&text, &p->doc->trustees);
    return keep(p, &text, &p->summary.trust, err);
}

/* ---- from a document ---- */

static bool protects_records(const tacit_plan *p)
{
    return p->doc->promise == TC_PROMISE_RECORDS;
}

static bool takes_replies(const tacit_plan *p)
{
    return tacit_document_takes_replies(p->doc);
}

/* A row of the document with the noise that it needs, which is then written into it. */
static tacit_status calibrated_row(const tacit_document *given, tc_study_row *out, tacit_error *err)
{
    tc_study_row row;
    tc_study_doc *copy;
    TC_TRY(tc_study_row_of(&row, given, 0, err));
    tacit_status status = tc_study_doc_restore(&copy, row.document, row.points_csv, err);
    tc_study_row_fini(&row);
    TC_TRY(status);
    status = tc_study_calibrate(copy, err);
    if (status == TACIT_OK)
        status = tc_study_row_of(out, copy, 0, err);
    tc_study_doc_free(copy);
    return status;
}

/* What it may gain was simulated for studies that protect agents. */
static tacit_status describe_rounds(tacit_plan *p, const tc_study_row *row, tacit_error *err)
{
    TC_TRY(tc_study_plan_new(&p->plan, row, err));
    p->summary.not_private = tc_study_plan_not_private(p->plan);
    p->summary.unit = tc_study_plan_charge(p->plan, 0).unit;
    TC_TRY(state_lengthscale(p, err));
    TC_TRY(state_trustees(p, err));
    TC_TRY(state_trust(p, err));
    return protects_records(p) ? TACIT_OK : state_expectation(p, err);
}

static tacit_status fill(tacit_plan *p, const tacit_document *document, tacit_error *err)
{
    tc_study_row row;
    TC_TRY(calibrated_row(document, &row, err));
    tacit_status status = tc_study_doc_restore(&p->doc, row.document, row.points_csv, err);
    if (status == TACIT_OK) {
        p->summary = (tacit_plan_summary){
            .size = sizeof p->summary,
            .not_private = "",
            .delta = p->doc->delta > 0 ? p->doc->delta : tacit_delta_default(p->doc->agents),
            .lengthscale_sentence = "",
            .unit = TACIT_UNIT_RECORD,
        };
        if (takes_replies(p)) {
            p->summary.unit = TACIT_UNIT_USER;
            p->summary.delta = 0;
        } else if (p->doc->agents > 0 || !protects_records(p))
            status = describe_rounds(p, &row, err);
    }
    tc_study_row_fini(&row);
    return status;
}

tacit_status tacit_plan_new(tacit_plan **out, const tacit_document *document, tacit_error *err)
{
    tacit_error unwanted;
    err = err ? err : &unwanted;
    TC_GIVEN(out);
    TC_GIVEN(document);
    tacit_plan *p = tc_alloc(1, sizeof *p);
    if (!p)
        return tc_fail_memory(err);
    tacit_status status = fill(p, document, err);
    if (status == TACIT_OK)
        *out = p;
    else
        tacit_plan_free(p);
    return status;
}

/* ---- what it costs ---- */

static tacit_status add_release(tacit_plan *p, uint64_t round, const char *about,
                                const tc_round_price *price, tacit_error *err)
{
    if (p->n == MOST_RELEASES)
        return tc_fail(err, TACIT_E_ARG, "study \"%s\" plans more than %d releases", p->doc->name,
                       MOST_RELEASES);
    if (!tc_grow((void **)&p->at, &p->cap, p->n + 1, sizeof *p->at))
        return tc_fail_memory(err);
    priced *one = &p->at[p->n++];
    *one = (priced){.shown = {.size = sizeof one->shown,
                              .round = round,
                              .about = about,
                              .event = price->event,
                              .epsilon = NAN,
                              .epsilon_so_far = NAN},
                    .distance = price->distance};
    return TACIT_OK;
}

static tacit_status find_bytes(const tacit_plan *p, uint64_t round, uint64_t *out, tacit_error *err)
{
    const tc_aggregator_ops *ops = p->doc->algorithm->aggregator;
    tc_shared_plan shared;
    if (p->plan->env.trustees.count > 0) {
        TC_TRY(ops->shared(&p->plan->env, p->plan->opts, round, &shared, err));
        *out = tc_trustees_bytes(&shared).agent_sends;
        return TACIT_OK;
    }
    return ops->message_bytes ? ops->message_bytes(&p->plan->env, p->plan->opts, round, out, err)
                              : TACIT_OK;
}

static tacit_status list_rounds(tacit_plan *p, tacit_error *err)
{
    uint64_t round;
    TC_TRY(tc_study_plan_next_round(p->plan, 0, &round, err));
    while (round != TC_NO_ROUND) {
        tc_round_price price;
        TC_TRY(tc_study_plan_price(p->plan, round, &price, err));
        TC_TRY(add_release(p, round, tc_study_plan_about(p->plan, round), &price, err));
        TC_TRY(find_bytes(p, round, &p->at[p->n - 1].shown.message_bytes, err));
        TC_TRY(tc_study_plan_next_round(p->plan, round + 1, &round, err));
    }
    return TACIT_OK;
}

/* Lists the evaluations of any party: the cost of one does not depend on its records. */
static tacit_status list_evaluations(tacit_plan *p, tacit_error *err)
{
    tc_value_plan any = {.high = 1, .sensitivity = 1};
    tc_value_scale scale;
    TC_TRY(tc_record_plan_noise(p->doc, &any.z, err));
    TC_TRY(tc_value_plan_scale(&any, &scale, err));
    tc_round_price price = {.event = scale.event, .distance = scale.distance};
    for (uint64_t i = 0; i < p->doc->trials; i++)
        TC_TRY(add_release(p, i, "an evaluation", &price, err));
    return TACIT_OK;
}

/* Those of one user, whoever it is: as many as the document lets one give. */
static tacit_status list_replies(tacit_plan *p, tacit_error *err)
{
    tc_ldp_terms t;
    tc_reply reply;
    TC_TRY(tc_ldp_terms_read(&t, p->doc->algorithm, p->doc->options, err));
    TC_TRY(tc_reply_init(&reply, t.reply, t.epsilon, t.low, t.high, err));
    const tc_round_price price = {.event = tc_reply_event(&reply)};
    for (uint64_t i = 0; i < t.answers; i++)
        TC_TRY(add_release(p, i, "a reply", &price, err));
    return TACIT_OK;
}

static tacit_status list_releases(tacit_plan *p, tacit_error *err)
{
    p->n = 0;
    if (takes_replies(p))
        return list_replies(p, err);
    return protects_records(p) ? list_evaluations(p, err) : list_rounds(p, err);
}

static tacit_status cost(const tacit_plan *p, const tacit_dp_event *events, size_t n,
                         double distance, tacit_guarantee *out, tacit_error *err)
{
    const double any = 0.5; /* "pure" wants one, and says 0 */
    if (takes_replies(p))
        return tc_ledger_cost(&tc_accountant_pure, events, n, distance, any, out, err);
    return tc_ledger_cost(&tc_accountant_pld, events, n, distance, p->summary.delta, out, err);
}

/* A single record is in one release only, and pays for the dearest at most. */
static tacit_status account(tacit_plan *p, tacit_dp_event *events, tacit_guarantee *total,
                            tacit_error *err)
{
    const bool apart =
        !takes_replies(p) && !protects_records(p) && !tc_study_plan_charge(p->plan, 0).everybody;
    double distance = 0;
    for (size_t i = 0; i < p->n; i++) {
        tacit_planned *one = &p->at[i].shown;
        tacit_guarantee g;
        events[i] = one->event;
        distance += p->at[i].distance;
        if (p->n > MOST_ROWS && !apart)
            continue;
        TC_TRY(cost(p, &one->event, 1, p->at[i].distance, &g, err));
        one->epsilon = g.epsilon;
        if (!apart)
            TC_TRY(cost(p, events, i + 1, distance, &g, err));
        one->epsilon_so_far =
            apart ? fmax(g.epsilon, i > 0 ? p->at[i - 1].shown.epsilon_so_far : 0) : g.epsilon;
        if (i == 0 || g.epsilon > total->epsilon)
            *total = g;
    }
    return p->n > MOST_ROWS && !apart ? cost(p, events, p->n, distance, total, err) : TACIT_OK;
}

static void add_noise_sentence(tc_text *text, const tacit_plan *p)
{
    double z = p->at[0].shown.event.parameter, width = p->doc->high - p->doc->low;
    tc_text_addf(
        text, " Each value gets noise with a standard deviation of %.4g times its sensitivity", z);
    if (p->doc->metric->rule == TC_METRIC_MEAN)
        tc_text_addf(text, ", which is %.4g / records: %.3g with 300 records, %.3g with 3000",
                     width, z * width / 300, z * width / 3000);
    tc_text_add(text, ".");
}

/* What all of it costs where more trustees collude than the document counts on: the noise of fewer dealers is left, which
 * is farther from a Gaussian in proportion (shared_sum.c). */
static tacit_status cost_left(const tacit_plan *p, uint32_t colluding, double left,
                              tacit_guarantee *out, tacit_error *err)
{
    const tc_trustees *t = &p->doc->trustees;
    const double fewer = (double)(t->dealers - t->colluding) / (double)(t->dealers - colluding);
    double distance = 0;
    tacit_dp_event *events = tc_alloc(p->n, sizeof *events);
    if (!events)
        return tc_fail_memory(err);
    for (size_t i = 0; i < p->n; i++) {
        events[i] = p->at[i].shown.event;
        events[i].parameter *= left * (1 - 0x1p-40);
        distance += p->at[i].distance * fewer;
    }
    tacit_status status = cost(p, events, p->n, distance, out, err);
    tc_free(events);
    return status;
}

static tacit_status add_left(const tacit_plan *p, tc_text *text, tacit_error *err)
{
    const tc_trustees *t = &p->doc->trustees;
    double left;
    for (uint32_t c = t->colluding + 1; *p->summary.not_private == '\0'; c++) {
        tacit_guarantee g = TACIT_GUARANTEE;
        char epsilon[32], delta[32];
        if (t->count == 0 || (left = tc_trustees_left(t, c)) == 0)
            return TACIT_OK;
        TC_TRY(cost_left(p, c, left, &g, err));
        tacit_epsilon_text(epsilon, g.epsilon);
        tacit_delta_text(delta, g.delta);
        tc_text_addf(text, " Towards a coordinator and %u trustees: epsilon %s, delta %s (%s).",
                     (unsigned)c, epsilon, delta, g.accountant);
    }
    return TACIT_OK;
}

static tacit_status state_cost(tacit_plan *p, const tacit_guarantee *total, tacit_error *err)
{
    tacit_plan_summary *s = &p->summary;
    tc_text text = {0};
    if (p->n == 0) {
        tc_text_add(&text, "This study releases nothing.");
        return keep(p, &text, &s->statement, err);
    }
    s->releases = p->n;
    s->epsilon = total->epsilon;
    s->accountant = total->accountant;
    if (*s->not_private)
        tc_text_addf(&text, "NOT PRIVATE: %s. ", s->not_private);
    tc_text_addf(&text, "Nothing is spent yet. %sPlanned: ",
                 p->n > MOST_ROWS ? "There are too many releases to account for each. " : "");
    tc_statement_add_bound(&text, total, p->n, s->unit);
    tc_statement_add_round_scope(&text, s->unit, p->at[0].shown.event.sampling, &p->doc->trustees);
    if (protects_records(p))
        add_noise_sentence(&text, p);
    tacit_status status = add_left(p, &text, err);
    if (status != TACIT_OK) {
        tc_text_fini(&text);
        return status;
    }
    return keep(p, &text, &s->statement, err);
}

tacit_status tacit_plan_cost(tacit_plan *p, tacit_error *err)
{
    tacit_error unwanted;
    tacit_guarantee total = TACIT_GUARANTEE;
    err = err ? err : &unwanted;
    TC_GIVEN(p);
    const tc_study_doc *d = p->doc;
    if (!takes_replies(p) && !protects_records(p) && !d->algorithm->aggregator)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "%s releases no sums: %s", d->algorithm->name,
                       p->summary.not_private);
    if (!takes_replies(p) && !protects_records(p))
        TC_TRY(tacit_delta_check("delta", p->summary.delta, d->agents, err));
    TC_TRY(list_releases(p, err));
    tacit_dp_event *events = tc_alloc(p->n + 1, sizeof *events);
    tacit_status status = events ? account(p, events, &total, err) : tc_fail_memory(err);
    tc_free(events);
    TC_TRY(status);
    return state_cost(p, &total, err);
}
