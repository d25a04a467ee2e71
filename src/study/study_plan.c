/* study_plan.c - from a document to the plan of a federated study (study_plan.h). */
#include "study/study_plan_int.h"

#include "algo/charge.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "privacy/mechanism.h"
#include "study/study.h"
#include "study/trustees_plan.h"
#include "wire/signature.h"

#include <endian.h>
#include <string.h>

/* ---- options ---- */

/* "privacy": {"noise_multiplier": z} is another way to write the option. Where values are private already, messages need no
 * noise. */
static tacit_status given_options(const tc_study_doc *d, json_t **out, tacit_error *err)
{
    json_t *given = d->options ? json_copy(d->options) : json_object();
    bool has = tc_options_find(d->algorithm->options, "noise_multiplier") != NULL;
    bool noise = d->promise == TC_PROMISE_NOISE || (d->promise == TC_PROMISE_RECORDS && has);
    bool ok = given != NULL;
    if (ok && noise && !has) {
        json_decref(given);
        return tc_fail(err, TACIT_E_ARG, "the algorithm %s adds no noise: privacy must be \"none\"",
                       d->algorithm->name);
    }
    if (ok && noise)
        ok = json_object_set_new(given, "noise_multiplier", json_real(d->noise_multiplier)) == 0;
    if (!ok) {
        json_decref(given);
        return tc_fail_memory(err);
    }
    *out = given;
    return TACIT_OK;
}

static tacit_status keep_promise(tc_study_plan *p, tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    if (d->promise != TC_PROMISE_EPSILON)
        return TACIT_OK;
    if (!d->algorithm->promise)
        return tc_fail(err, TACIT_E_ARG,
                       "the algorithm %s promises nothing: privacy must be "
                       "\"none\"",
                       d->algorithm->name);
    return d->calibrated ? tc_study_plan_carried(p, err)
                         : d->algorithm->promise(&p->env, p->opts, d->epsilon, d->delta, err);
}

tacit_status tc_study_plan_given(const tc_study_doc *d, void *opts, tacit_error *err)
{
    const tc_algorithm *a = d->algorithm;
    json_t *given;
    TC_TRY(given_options(d, &given, err));
    tacit_status status = tc_options_defaults_of(a->options, opts, d->older, err);
    if (status == TACIT_OK)
        status = tc_options_set_json(a->options, opts, a->name, given, NULL, err);
    if (status == TACIT_OK && a->begin)
        a->begin(&(tc_env){.agents = d->agents,
                           .budget = d->trials,
                           .trustees = d->trustees,
                           .version = d->version},
                 opts);
    json_decref(given);
    return status;
}

static tacit_status resolve_defaults(tc_study_plan *p, tacit_error *err)
{
    TC_TRY(tc_study_plan_given(p->doc, p->opts, err));
    TC_TRY(keep_promise(p, err));
    p->options = tc_options_json(p->doc->algorithm->options, p->opts);
    return p->options ? TACIT_OK : tc_fail_memory(err);
}

/* ---- rounds ---- */

/* A round has a trial before it, its own or an initial one: there are no more rounds than trials. */
tacit_status tc_study_plan_next_round(const tc_study_plan *p, uint64_t from, uint64_t *out,
                                      tacit_error *err)
{
    const tc_aggregator_ops *ops = p->doc->algorithm->aggregator;
    *out = from;
    if (ops && ops->next_round)
        TC_TRY(ops->next_round(&p->env, p->opts, from, out, err));
    if (p->env.budget > 0 && *out >= p->env.budget)
        *out = TC_NO_ROUND;
    return TACIT_OK;
}

tacit_status tc_study_plan_count_rounds(const tc_study_plan *p, uint64_t most, uint64_t *out,
                                        tacit_error *err)
{
    uint64_t round, n = 0;
    TC_TRY(tc_study_plan_next_round(p, 0, &round, err));
    for (; round != TC_NO_ROUND && n <= most; n++)
        TC_TRY(tc_study_plan_next_round(p, round + 1, &round, err));
    if (n > most)
        return tc_fail(err, TACIT_E_ARG,
                       "a study with trustees has at most %llu rounds, and \"%s\" has more",
                       (unsigned long long)most, p->doc->name);
    *out = n;
    return TACIT_OK;
}

const char *tc_study_plan_about(const tc_study_plan *p, uint64_t round)
{
    const tc_aggregator_ops *ops = p->doc->algorithm->aggregator;
    const char *about = ops && ops->about ? ops->about(p->opts, round) : NULL;
    return about ? about : "";
}

/* ---- what may be spent ---- */

const char *tc_study_doc_not_private(const tc_study_doc *d)
{
    if (d->promise == TC_PROMISE_RECORDS)
        return "";
    if (!d->algorithm->aggregator)
        return "messages are handed on without noise";
    return d->promise == TC_PROMISE_NONE ? "its document promises nothing" : "";
}

const char *tc_study_plan_not_private(const tc_study_plan *p)
{
    return tc_study_doc_not_private(p->doc);
}

tc_round_charge tc_study_plan_charge(const tc_study_plan *p, uint64_t round)
{
    return p->doc->promise == TC_PROMISE_RECORDS
               ? (tc_round_charge){.unit = TACIT_UNIT_RECORD, .everybody = true}
               : tc_round_charge_of(p->doc->algorithm, p->opts, round);
}

tacit_status tc_study_plan_price(const tc_study_plan *p, uint64_t round, tc_round_price *out,
                                 tacit_error *err)
{
    *out = (tc_round_price){.event = tc_dp_event_none(), .adjacency = ""};
    if (p->doc->promise == TC_PROMISE_RECORDS) {
        *out = (tc_round_price){.event = tc_event_processed(), .adjacency = TC_PROCESSED_ADJACENCY};
        return TACIT_OK;
    }
    return p->doc->algorithm->aggregator
               ? tc_round_price_of(p->doc->algorithm, &p->env, p->opts, round, out, err)
               : TACIT_OK;
}

static tacit_status set_limit(tc_study_plan *p, tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    p->limited = d->promise == TC_PROMISE_EPSILON;
    if (!p->limited)
        return TACIT_OK;
    TC_TRY(tc_round_budget(d->algorithm, &p->env, p->opts, d->epsilon, d->delta, &p->limit, err));
    p->document = (tc_ledger_document){.study = p->hash};
    p->limit.document = &p->document;
    return TACIT_OK;
}

/* ---- */

static bool takes_trustees(const tc_algorithm *a)
{
    return a->aggregator && a->aggregator->shared;
}

/* Those of which `which` is true, with commas. */
static void add_names(bool (*which)(const tc_algorithm *), tc_text *out)
{
    for (const tc_algorithm *const *a = tc_algorithms(); *a; a++)
        if (which(*a))
            tc_text_addf(out, "%s%s", out->len > 0 ? ", " : "", (*a)->name);
}

/* The sentence is `before`, the algorithm's name, `after`, and the names of those that are taken. */
static tacit_status refuse(const char *before, const char *name, const char *after,
                           bool (*which)(const tc_algorithm *), tacit_error *err)
{
    tc_text names = {0};
    add_names(which, &names);
    tacit_status status = names.failed ? tc_fail_memory(err)
                                       : tc_fail(err, TACIT_E_ARG, "%s%s%s%s", before, name, after,
                                                 tc_text_get(&names));
    tc_text_fini(&names);
    return status;
}

static tacit_status refuse_single(const char *name, tacit_error *err)
{
    return refuse("algorithm ", name, " is for one party: a study with a federation takes one of ",
                  tc_algorithm_federated, err);
}

static tacit_status refuse_trustees(const char *name, tacit_error *err)
{
    return refuse("federation.trustees: ", name,
                  " has no sums that trustees could add up; a study with trustees takes one of ",
                  takes_trustees, err);
}

/* A study that releases without noise says so on purpose. */
static tacit_status check(const tc_study_doc *d, tacit_error *err)
{
    if (d->agents == 0)
        return tc_fail(err, TACIT_E_ARG, "study \"%s\" is not one of a federation", d->name);
    if (!tc_algorithm_federated(d->algorithm))
        return refuse_single(d->algorithm->name, err);
    if (d->trustees.count && !takes_trustees(d->algorithm))
        return refuse_trustees(d->algorithm->name, err);
    if (d->trustees.count && d->promise == TC_PROMISE_RECORDS)
        return tc_fail(err, TACIT_E_ARG,
                       "federation.trustees: with privacy.unit \"record\" values have their noise "
                       "before anything is sent, and need no trustees");
    if (d->promise == TC_PROMISE_UNSAID)
        return tc_fail(err, TACIT_E_ARG,
                       "privacy is missing: say {\"epsilon\": ..., \"delta\": ...}, or \"none\"");
    return TACIT_OK;
}

/* Trustees can add up every round that there will be. */
static tacit_status check_shared(const tc_study_plan *p, tacit_error *err)
{
    tc_shared_plan largest;
    if (p->env.trustees.count == 0)
        return TACIT_OK;
    return tc_trustees_largest_round(p->doc->algorithm, &p->env, p->opts, &largest, err);
}

/* Fixed widths, so that no two studies have the same bytes. */
tacit_hash tc_study_hash(const tc_study_row *row)
{
    struct {
        tacit_hash document;
        tc_public_seed seed;
        uint64_t created_ms;
    } bytes;
    _Static_assert(sizeof bytes == TC_LEDGER_HASH_BYTES + sizeof(tc_public_seed) + 8, "no padding");
    bytes.document = tc_ledger_study_hash(row->document);
    bytes.seed = row->public_seed;
    bytes.created_ms = htole64((uint64_t)row->created_ms);
    return tc_hash_bytes(&bytes, sizeof bytes);
}

static tacit_status make(tc_study_plan *p, const tc_study_row *row, tacit_error *err)
{
    TC_TRY(tc_study_doc_restore(&p->doc, row->document, row->points_csv, err));
    TC_TRY(check(p->doc, err));
    p->hash = tc_study_hash(row);
    p->env = (tc_env){.space = p->doc->space,
                      .public_seed = row->public_seed,
                      .agents = p->doc->agents,
                      .trustees = p->doc->trustees,
                      .budget = p->doc->trials,
                      .version = p->doc->version};
    p->opts = tc_alloc(1, p->doc->algorithm->options_size);
    if (!p->opts)
        return tc_fail_memory(err);
    TC_TRY(resolve_defaults(p, err));
    TC_TRY(check_shared(p, err));
    return set_limit(p, err);
}

tacit_status tc_study_plan_new(tc_study_plan **out, const tc_study_row *row, tacit_error *err)
{
    tc_study_plan *p = tc_alloc(1, sizeof *p);
    if (!p)
        return tc_fail_memory(err);
    tacit_status status = make(p, row, err);
    if (status != TACIT_OK) {
        tc_study_plan_free(p);
        return tc_study_row_fault(row, status, err);
    }
    *out = p;
    return TACIT_OK;
}

void tc_study_plan_free(tc_study_plan *p)
{
    if (!p)
        return;
    if (p->opts)
        tc_options_fini(p->doc->algorithm->options, p->opts);
    tc_free(p->opts);
    json_decref(p->options);
    tc_study_doc_free(p->doc);
    tc_free(p);
}
