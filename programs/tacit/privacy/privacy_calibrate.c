/* privacy_calibrate.c - `tacit privacy calibrate`: the noise that a promise needs. */
#include "privacy/privacy_cli.h"

#include "base/json.h"

#include <stddef.h>

#define ACCOUNTANTS "pld|rdp|moments|gaussian"

typedef struct calibrate_opts {
    double epsilon, delta, sampling_rate;
    int64_t rounds, agents;
    int accountant, sampling, unit, relation;
} calibrate_opts;

static const tc_option options[] = {
    {"epsilon", TC_OPTION_FLOAT, offsetof(calibrate_opts, epsilon), .min = 0,
     .max = TC_PRIVACY_MAX_Z, .min_open = true, .help = "the epsilon to stay within"},
    TC_DELTA_OPTION(calibrate_opts),
    TC_AGENTS_OPTION(calibrate_opts),
    {"rounds", TC_OPTION_INT, offsetof(calibrate_opts, rounds), "1", .min = 1,
     .max = TC_PRIVACY_MAX_T, .help = "releases"},
    {"sampling-rate", TC_OPTION_FLOAT, offsetof(calibrate_opts, sampling_rate), "1", .min = 0,
     .max = 1, .min_open = true, .help = "probability that a member takes part in a release"},
    {"accountant", TC_OPTION_CHOICE, offsetof(calibrate_opts, accountant), "pld",
     .choices = ACCOUNTANTS, .help = "by which bound"},
    TC_SAMPLING_OPTION(calibrate_opts),
    TC_UNIT_OPTION(calibrate_opts),
    TC_RELATION_OPTION(calibrate_opts),
    {.name = NULL}};

typedef struct result {
    const calibrate_opts *o;
    const char *accountant;
    tacit_dp_event event;
    tacit_guarantee bound; /* at that noise */
} result;

static tacit_status calibrate(const calibrate_opts *o, bool quiet, result *r, tacit_error *err)
{
    const char *a = tacit_accountants()[o->accountant]; /* in the order of the option's choices */
    tacit_dp_sampling sampling = TACIT_DP_ALL;
    double delta = 0, z = 0;
    if (o->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--epsilon is needed: there is no default");
    TC_TRY(
        tc_privacy_sampling(o->sampling_rate, o->sampling, o->unit, o->relation, &sampling, err));
    if (tc_privacy_relation(o->relation) == TACIT_RELATION_REPLACE_ONE && o->sampling == 0)
        sampling = TACIT_DP_POISSON_REPLACED;
    TC_TRY(tc_privacy_delta(o->delta, o->agents, quiet, &delta, err));
    TC_TRY(tacit_calibrate(a, o->epsilon, delta, sampling, o->sampling_rate, (uint64_t)o->rounds,
                           &z, err));
    *r = (result){.o = o,
                  .accountant = a,
                  .event = {TACIT_DP_GAUSSIAN, z, sampling, o->sampling_rate, (uint64_t)o->rounds},
                  .bound = TACIT_GUARANTEE};
    return tacit_account(a, &r->event, 1, delta, &r->bound, err);
}

static json_t *result_json(const result *r)
{
    json_t *j = json_object();
    if (j && json_object_set_new(j, "noise_multiplier", json_real(r->event.parameter)) == 0 &&
        json_object_set_new(j, "rounds", json_integer(r->o->rounds)) == 0 &&
        json_object_set_new(j, "sampling_rate", json_real(r->event.sampling_rate)) == 0 &&
        tc_privacy_guarantee_json(j, r->accountant, &r->bound, r->event.count,
                                  (tacit_unit)r->o->unit, r->o->relation, r->event.sampling))
        return j;
    json_decref(j);
    return NULL;
}

static tacit_status print_table(const result *r, tc_format format, tacit_error *err)
{
    static const char *const names[] = {
        "noise_multiplier", "rounds", "sampling_rate", "epsilon", "delta", "bound", "statement"};
    bool people = format == TC_FORMAT_TABLE;
    char *statement;
    TC_TRY(tc_privacy_statement(&r->bound, r->event.count, (tacit_unit)r->o->unit, r->o->relation,
                                r->event.sampling, &statement, err));
    tc_table *t = tc_table_new(people ? 6 : 7, names);
    tc_privacy_cell(t, 0, r->event.parameter, tacit_epsilon_text, people); /* less is not enough */
    tc_table_integer(t, 1, r->o->rounds);
    tc_table_number(t, 2, r->event.sampling_rate);
    tc_privacy_cell(t, 3, r->bound.epsilon, tacit_epsilon_text, people);
    tc_privacy_cell(t, 4, r->bound.delta, tacit_delta_text, people);
    tc_table_text(t, 5, r->bound.accountant);
    if (!people)
        tc_table_text(t, 6, statement);
    tc_table_end_row(t);
    tacit_status status = tc_table_print(t, format, stdout, err);
    if (status == TACIT_OK && people) {
        putchar('\n');
        tc_privacy_paragraph(statement);
    }
    tacit_text_free(statement);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    result r;
    TC_TRY(calibrate(in->opts, in->quiet, &r, err));
    if (in->format == TC_FORMAT_TABLE || in->format == TC_FORMAT_CSV)
        return print_table(&r, (tc_format)in->format, err);
    return tc_privacy_print_json(result_json(&r), false, err);
}

const tc_verb tc_verb_privacy_calibrate = {
    .name = "privacy calibrate",
    .usage = "--epsilon E [options]",
    .summary = "the least noise that keeps releases within an epsilon",
    .details =
        "Finds the smallest noise multiplier (standard deviation over sensitivity), to a\n"
        "relative 1e-6 and never too small, with which --rounds Gaussian releases stay\n"
        "within --epsilon at delta. Exit code 6 if none up to 1e6 does, 8 if the\n"
        "accountant has no formula for the sampling. A rate below 1 needs --unit agent, or a\n"
        "--relation: the multiplier is then what a private trainer (Opacus) is told.\n"
        "\n"
        "  tacit privacy calibrate --epsilon 1 --delta 1e-5 --rounds 40\n"
        "  tacit privacy calibrate --epsilon 4 --agents 29 --rounds 60 --sampling-rate 0.35",
    .options = options,
    .options_size = sizeof(calibrate_opts),
    .run = run,
};
