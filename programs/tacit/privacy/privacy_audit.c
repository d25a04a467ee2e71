/* privacy_audit.c - `tacit privacy audit`: attacks on every mechanism, and on some that are
 * known to be broken. */
#include "privacy/privacy_cli.h"

#include "base/json.h"
#include "base/memory.h"

#include <tacit/experimental/audit.h>

#include <stddef.h>
#include <stdlib.h>

typedef struct audit_opts {
    int64_t runs;
    double confidence;
    char *seed;
} audit_opts;

static const tc_option options[] = {
    {"runs", TC_OPTION_INT, offsetof(audit_opts, runs), "200000", .min = TACIT_AUDIT_MIN_RUNS,
     .max = TACIT_AUDIT_MAX_RUNS,
     .help = "runs of every mechanism on each of two data sets; the least catches every control"},
    {"confidence", TC_OPTION_FLOAT, offsetof(audit_opts, confidence), "0.95", .min = 0.5,
     .max = 0.999999, .help = "that all lower bounds of the table hold at once"},
    {"seed", TC_OPTION_STRING, offsetof(audit_opts, seed), .value = "N",
     .help = "a repeatable audit, of noise that is NOT PRIVATE; without it, real entropy"},
    {.name = NULL}};

typedef struct report {
    tacit_audit_opts o;
    size_t n;
    tacit_audit_result *results;
} report;

static tacit_status read_options(const audit_opts *from, tacit_audit_opts *o, tacit_error *err)
{
    unsigned long long seed = 0;
    if (from->seed && (!tc_parse_u64(from->seed, &seed) || seed > INT64_MAX))
        return tc_fail(err, TACIT_E_ARG, "--seed must be a whole number from 0 to %lld, not \"%s\"",
                       (long long)INT64_MAX, from->seed);
    *o = (tacit_audit_opts){.runs = (uint64_t)from->runs,
                            .confidence = from->confidence,
                            .test_seed = from->seed ? (int64_t)seed : -1};
    return TACIT_OK;
}

static tacit_status run_all(report *r, bool quiet, tacit_error *err)
{
    tc_progress *p = tc_progress_start("audit", r->n, quiet);
    tacit_status status = TACIT_OK;
    tc_catch_interrupts();
    for (size_t i = 0; i < r->n && status == TACIT_OK; i++) {
        tc_progress_update(p, i, tacit_audit_name(i));
        status = tacit_audit_run(i, &r->o, &r->results[i], err);
        if (status == TACIT_OK && tc_interrupted())
            status =
                tc_fail(err, TACIT_E_CANCELLED, "interrupted after %zu of %zu cases", i + 1, r->n);
    }
    tc_progress_end(p);
    return status;
}

/* ---- output */

static const char *entropy_text(const report *r, char *buffer, size_t size)
{
    if (r->o.test_seed < 0)
        return "operating system";
    snprintf(buffer, size, "seed %lld: NOT PRIVATE", (long long)r->o.test_seed);
    return buffer;
}

static const char *const statement =
    "An audit can prove a claim wrong, never right: it shows what the strongest known attack on "
    "two worst-case neighbouring data sets achieves. Claims are for one release (4 where sampled, "
    "and of values), per agent, row, record or user as the mechanism states.";

static json_t *result_json(const tacit_audit_result *a)
{
    json_t *j = json_object();
    if (j && json_object_set_new(j, "name", json_string(a->name)) == 0 &&
        json_object_set_new(j, "attack", json_string(a->attack)) == 0 &&
        json_object_set_new(j, "claimed_epsilon", tc_privacy_number(a->epsilon)) == 0 &&
        json_object_set_new(j, "delta", json_real(a->delta)) == 0 &&
        json_object_set_new(j, "empirical_epsilon_lower", tc_privacy_number(a->lower)) == 0 &&
        json_object_set_new(j, "runs", json_integer((json_int_t)a->runs)) == 0 &&
        json_object_set_new(j, "pass", json_boolean(a->pass)) == 0)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *list_json(const report *r, bool controls)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n && list; i++)
        if (r->results[i].control == controls &&
            json_array_append_new(list, result_json(&r->results[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static bool as_expected(const report *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->results[i].as_expected)
            return false;
    return true;
}

static json_t *report_json(const report *r)
{
    char buffer[64];
    json_t *j = json_object();
    if (j && json_object_set_new(j, "mechanisms", list_json(r, false)) == 0 &&
        json_object_set_new(j, "controls", list_json(r, true)) == 0 &&
        json_object_set_new(j, "as_expected", json_boolean(as_expected(r))) == 0 &&
        json_object_set_new(j, "confidence", json_real(r->o.confidence)) == 0 &&
        json_object_set_new(j, "entropy", json_string(entropy_text(r, buffer, sizeof buffer))) ==
            0 &&
        json_object_set_new(j, "statement", json_string(statement)) == 0)
        return j;
    json_decref(j);
    return NULL;
}

static const char *verdict_text(const tacit_audit_result *a, bool people)
{
    if (!people || !a->control)
        return a->pass ? "pass" : "FAIL";
    return a->pass ? "PASSES, must fail" : "fails, as it must";
}

static tacit_status print_table(const report *r, tc_format format, tacit_error *err)
{
    static const char *const names[] = {"kind",   "name", "claimed_epsilon", "empirical_lower",
                                        "delta",  "runs", "verdict",         "attack",
                                        "entropy"};
    bool people = format == TC_FORMAT_TABLE;
    char buffer[64];
    tc_table *t = tc_table_new(people ? 7 : 9, names);
    for (size_t i = 0; i < r->n; i++) {
        const tacit_audit_result *a = &r->results[i];
        tc_table_text(t, 0, a->control ? "control" : "mechanism");
        tc_table_text(t, 1, a->name);
        tc_privacy_cell(t, 2, a->epsilon, tacit_epsilon_text, people);
        tc_privacy_cell(t, 3, a->lower, tacit_lower_text, people);
        tc_privacy_cell(t, 4, a->delta, tacit_delta_text, people);
        tc_table_integer(t, 5, (int64_t)a->runs);
        tc_table_text(t, 6, verdict_text(a, people));
        if (!people) {
            tc_table_text(t, 7, a->attack);
            tc_table_text(t, 8, entropy_text(r, buffer, sizeof buffer));
        }
        tc_table_end_row(t);
    }
    return tc_table_print(t, format, stdout, err);
}

static tacit_status print_report(const report *r, int format, tacit_error *err)
{
    char buffer[64];
    if (format == TC_FORMAT_JSON)
        return tc_privacy_print_json(report_json(r), false, err);
    TC_TRY(print_table(r, (tc_format)format, err));
    if (format != TC_FORMAT_TABLE)
        return TACIT_OK;
    printf("\nEntropy: %s. Confidence of the whole table: %g %%.\n",
           entropy_text(r, buffer, sizeof buffer), 100 * r->o.confidence);
    tc_privacy_paragraph(statement);
    return TACIT_OK;
}

/* The first surprise, in one sentence. */
static tacit_status verdict(const report *r, tacit_error *err)
{
    for (size_t i = 0; i < r->n; i++) {
        const tacit_audit_result *a = &r->results[i];
        char lower[32], claim[32];
        tacit_lower_text(lower, a->lower);
        tacit_epsilon_text(claim, a->epsilon);
        if (!a->control && !a->pass)
            return tc_fail(err, TACIT_E_STATE,
                           "the audit failed: %s has epsilon at least %s and claims %s", a->name,
                           lower, claim);
        if (a->control && a->pass)
            return tc_fail(err, TACIT_E_STATE,
                           "the audit is not sharp enough: it did not catch %s; try more --runs",
                           a->name);
    }
    return TACIT_OK;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    report r = {.n = tacit_audit_count()};
    TC_TRY(read_options(in->opts, &r.o, err));
    r.results = tc_alloc(r.n, sizeof *r.results);
    if (!r.results)
        return tc_fail_memory(err);
    tacit_status status = run_all(&r, in->quiet, err);
    if (status == TACIT_OK)
        status = print_report(&r, in->format, err);
    if (status == TACIT_OK)
        status = verdict(&r, err);
    tc_free(r.results);
    return status;
}

const tc_verb tc_verb_privacy_audit = {
    .name = "privacy audit",
    .usage = "[options]",
    .summary = "attacks every mechanism, and controls that must be caught",
    .details =
        "Runs the strongest known distinguisher between two worst-case neighbouring data sets\n"
        "against each mechanism, many times, and prints a lower bound on epsilon (exact, by\n"
        "Clopper and Pearson) beside the claim. A mechanism passes if the bound is not above\n"
        "its claim. The controls are broken on purpose: if the audit does not catch one of\n"
        "them, it is the audit that is broken. Exit code 0 only if every mechanism passes and\n"
        "every control fails, else 4.\n"
        "\n"
        "  tacit privacy audit\n"
        "  tacit privacy audit --runs 1000000 --format json",
    .options = options,
    .options_size = sizeof(audit_opts),
    .run = run,
};
