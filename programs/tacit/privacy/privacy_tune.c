/* privacy_tune.c - `tacit privacy tune`: the epsilon of a search, the best of a random number of private runs. */
#include "privacy/privacy_cli.h"

#include "base/json.h"

#include <math.h>
#include <stddef.h>

#define DISTRIBUTIONS "poisson|negative-binomial" /* in the order of tacit_repeats_kind */
#define MECHANISMS    "gaussian|laplace|pure"     /* in the order of tacit_dp_mechanism */

typedef struct tune_opts {
    double noise_multiplier, epsilon, target_epsilon, sampling_rate, delta, trials, shape;
    int64_t rounds, agents;
    int mechanism, sampling, accountant, distribution;
} tune_opts;

static const tc_option options[] = {
    {"trials", TC_OPTION_FLOAT, offsetof(tune_opts, trials), .min = 1, .max = 1e9,
     .help = "mean of the random number of runs"},
    {"distribution", TC_OPTION_CHOICE, offsetof(tune_opts, distribution), "negative-binomial",
     .choices = DISTRIBUTIONS,
     .help = "of the number of runs; negative-binomial is truncated: >= 1"},
    {"shape", TC_OPTION_FLOAT, offsetof(tune_opts, shape), "1", .min = 0, .max = 1e3,
     .help = "of the negative binomial: 1 geometric, 0 logarithmic; smaller is cheaper, and spread "
             "wider"},
    {"noise-multiplier", TC_OPTION_FLOAT, offsetof(tune_opts, noise_multiplier), .min = 0,
     .max = TC_PRIVACY_MAX_Z, .min_open = true,
     .help = "Gaussian noise of one run: its standard deviation over the sensitivity"},
    {"target-epsilon", TC_OPTION_FLOAT, offsetof(tune_opts, target_epsilon), .min = 0,
     .max = TC_PRIVACY_MAX_Z, .min_open = true,
     .help = "instead of noise: finds the least noise multiplier that keeps the search within it"},
    {"sampling-rate", TC_OPTION_FLOAT, offsetof(tune_opts, sampling_rate), "1", .min = 0, .max = 1,
     .min_open = true, .help = "probability that a member takes part in a release of a run"},
    {"rounds", TC_OPTION_INT, offsetof(tune_opts, rounds), "1", .min = 0, .max = TC_PRIVACY_MAX_T,
     .help = "releases of one run: steps of training, and its private score"},
    TC_DELTA_OPTION(tune_opts),
    TC_AGENTS_OPTION(tune_opts),
    {"accountant", TC_OPTION_CHOICE, offsetof(tune_opts, accountant), "rdp", .choices = "rdp",
     .help = "by which bound: no other has a theorem for this"},
    {"mechanism", TC_OPTION_CHOICE, offsetof(tune_opts, mechanism), "gaussian",
     .choices = MECHANISMS, .help = "what each release adds; pure: any with a pure epsilon"},
    {"epsilon", TC_OPTION_FLOAT, offsetof(tune_opts, epsilon), .min = 0, .max = TC_PRIVACY_MAX_Z,
     .min_open = true, .help = "Laplace and pure mechanisms: epsilon of one release"},
    TC_SAMPLING_OPTION(tune_opts),
    {.name = NULL}};

typedef struct answer {
    tacit_repeats repeats;
    tacit_dp_event event;         /* of one run */
    tacit_guarantee run, best_of; /* what one run costs, and the best of all */
} answer;

/* What describes a run, and what must not be given with it. */
static tacit_status check_given(const tune_opts *o, tacit_error *err)
{
    bool gaussian = o->mechanism == 0;
    int given = (o->noise_multiplier > 0) + (o->target_epsilon > 0);
    if (o->trials == 0)
        return tc_fail(err, TACIT_E_ARG, "--trials is needed: the mean number of runs");
    if (gaussian && given != 1)
        return tc_fail(err, TACIT_E_ARG,
                       "give either --noise-multiplier or --target-epsilon, not %s",
                       given == 0 ? "neither" : "both");
    if (gaussian ? o->epsilon > 0 : given > 0 || o->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "%s",
                       gaussian ? "--epsilon does not describe a Gaussian release"
                                : "a Laplace or pure release is described by --epsilon alone");
    return TACIT_OK;
}

static tacit_status find_noise(const tune_opts *o, double delta, answer *a, tacit_error *err)
{
    if (o->target_epsilon == 0)
        return TACIT_OK;
    return tacit_calibrate_best_of(&a->repeats, o->target_epsilon, delta, a->event.sampling,
                                   a->event.sampling_rate, a->event.count, &a->event.parameter,
                                   err);
}

static tacit_status find_answer(const tune_opts *o, bool quiet, answer *a, tacit_error *err)
{
    double delta = 0;
    tacit_dp_sampling sampling = TACIT_DP_ALL;
    tacit_guarantee empty = TACIT_GUARANTEE;
    TC_TRY(check_given(o, err));
    TC_TRY(tc_privacy_sampling(o->sampling_rate, o->sampling, TACIT_UNIT_AGENT, 0, &sampling, err));
    TC_TRY(tc_privacy_delta(o->delta, o->agents, quiet, &delta, err));
    a->repeats = (tacit_repeats){sizeof a->repeats, (tacit_repeats_kind)o->distribution, o->trials,
                                 o->distribution == TACIT_REPEATS_POISSON ? 0 : o->shape};
    a->event = (tacit_dp_event){(tacit_dp_mechanism)o->mechanism,
                                o->mechanism == 0 ? o->noise_multiplier : o->epsilon, sampling,
                                o->sampling_rate, (uint64_t)o->rounds};
    a->run = a->best_of = empty;
    TC_TRY(find_noise(o, delta, a, err));
    TC_TRY(tacit_account("rdp", &a->event, 1, delta, &a->run, err));
    return tacit_account_best_of(&a->repeats, &a->event, 1, delta, &a->best_of, err);
}

/* ---- output */

static json_t *answer_json(const answer *a, const char *statement)
{
    json_t *run = tc_privacy_event_json(&a->event);
    bool poisson = a->repeats.kind == TACIT_REPEATS_POISSON;
    return json_pack(
        "{s:s, s:o, s:f, s:o, s:o, s:o, s:s, s:{s:s, s:f, s:o, s:o}}", "accountant", "rdp",
        "epsilon", tc_privacy_number(a->best_of.epsilon), "delta", a->best_of.delta, "order",
        a->best_of.order > 0 ? json_real(a->best_of.order) : json_null(), "epsilon_of_one_run",
        tc_privacy_number(a->run.epsilon), "noise_multiplier",
        a->event.mechanism == TACIT_DP_GAUSSIAN ? json_real(a->event.parameter) : json_null(),
        "statement", statement, "event", "dp_event", "RepeatAndSelect", "mean", a->repeats.mean,
        "shape", poisson ? json_null() : json_real(a->repeats.shape), "event", run);
}

static tacit_status print_table(const answer *a, const char *statement, tc_format format,
                                tacit_error *err)
{
    static const char *const names[] = {"trials", "epsilon_of_one_run", "epsilon",  "delta",
                                        "order",  "noise_multiplier",   "statement"};
    static const char *const heads[] = {"trials", "one run", "epsilon", "delta", "order", "noise"};
    bool people = format == TC_FORMAT_TABLE;
    tc_table *t = tc_table_new(people ? 6 : 7, people ? heads : names);
    tc_table_number(t, 0, a->repeats.mean);
    tc_privacy_cell(t, 1, a->run.epsilon, tacit_epsilon_text, people);
    tc_privacy_cell(t, 2, a->best_of.epsilon, tacit_epsilon_text, people);
    tc_privacy_cell(t, 3, a->best_of.delta, tacit_delta_text, people);
    if (a->best_of.order > 0)
        tc_table_number(t, 4, a->best_of.order);
    if (a->event.mechanism == TACIT_DP_GAUSSIAN)
        tc_privacy_cell(t, 5, a->event.parameter, tacit_epsilon_text, people);
    if (!people)
        tc_table_text(t, 6, statement);
    tc_table_end_row(t);
    TC_TRY(tc_table_print(t, format, stdout, err));
    if (people) {
        putchar('\n');
        tc_privacy_paragraph(statement);
    }
    return TACIT_OK;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    answer a;
    char *statement;
    TC_TRY(find_answer(in->opts, in->quiet, &a, err));
    TC_TRY(tacit_statement_best_of(&a.best_of, &a.repeats, &statement, err));
    tacit_status status = in->format == TC_FORMAT_TABLE || in->format == TC_FORMAT_CSV
                              ? print_table(&a, statement, (tc_format)in->format, err)
                              : tc_privacy_print_json(answer_json(&a, statement), false, err);
    tacit_text_free(statement);
    return status;
}

const tc_verb tc_verb_privacy_tune = {
    .name = "privacy tune",
    .usage = "--trials MEAN --noise-multiplier Z [options]",
    .summary = "the epsilon of a search: the best of a random number of private runs",
    .details =
        "A search trains several models privately and keeps the best: which one is best also\n"
        "tells something about the data. This verb says what the winner costs, where the number\n"
        "of runs K is random (Papernot and Steinke, ICLR 2022). One run makes --rounds releases\n"
        "with noise of --noise-multiplier times the sensitivity: the options describe it as\n"
        "those of `tacit privacy account` do. --target-epsilon goes the other way round.\n"
        "\n"
        "The statement that is printed names what must hold, above all: K stays secret, runs that\n"
        "fail are not repeated, and nothing but the winner leaves. Bayesian optimization is not\n"
        "such a search, since its runs depend on each other.\n"
        "\n"
        "  tacit privacy tune --trials 10 --noise-multiplier 1.1 --sampling-rate 0.01 \\\n"
        "      --rounds 1000 --delta 1e-5\n"
        "  tacit privacy tune --trials 10 --distribution poisson --target-epsilon 2 \\\n"
        "      --sampling-rate 0.01 --rounds 1000 --delta 1e-5",
    .options = options,
    .options_size = sizeof(tune_opts),
    .run = run,
};
