/* optimize_search.h - `tacit optimize --protect search`: its options, and what it does (<tacit/experimental/search.h>). */
#ifndef TC_PROGRAM_OPTIMIZE_SEARCH_H
#define TC_PROGRAM_OPTIMIZE_SEARCH_H

#include "privacy/privacy_cli.h"
#include "study/study_ref.h"

/* Of an option struct: `tc_search_options search`. */
typedef struct tc_search_options {
    int protect, distribution, mechanism, sampling, neighbours;
    double shape, noise_multiplier, release_epsilon, sampling_rate, score_noise, sensitivity;
    double epsilon, delta;
    int64_t rounds, records;
    char *range, *ledger;
} tc_search_options;

#define TC_SEARCH_AT(type, member) offsetof(type, search.member)
#define TC_SEARCH_OPTIONS(type)                                                                    \
    TC_CHOICE_OPTION("protect", TC_SEARCH_AT(type, protect), "nothing", "nothing|search",          \
                     "search: random search by a private trainer; only its winner is kept"),       \
        TC_CHOICE_OPTION("distribution", TC_SEARCH_AT(type, distribution), "negative-binomial",    \
                         "poisson|negative-binomial",                                              \
                         "search: of the number of runs, whose mean is --trials"),                 \
        TC_FLOAT_OPTION("shape", TC_SEARCH_AT(type, shape), "1", 0, 1e3,                           \
                        "search: of the negative binomial: 1 geometric, 0 logarithmic"),           \
        TC_FLOAT_OPTION("noise-multiplier", TC_SEARCH_AT(type, noise_multiplier), NULL, 0,         \
                        TC_PRIVACY_MAX_Z,                                                          \
                        "search: Gaussian noise of a run: standard deviation over sensitivity",    \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("sampling-rate", TC_SEARCH_AT(type, sampling_rate), "1", 0, 1,             \
                        "search: probability that a record takes part in a release of a run",      \
                        .min_open = true),                                                         \
        TC_CHOICE_OPTION("sampling", TC_SEARCH_AT(type, sampling), "poisson",                      \
                         TC_PRIVACY_SAMPLINGS,                                                     \
                         "search: how records are sampled where the rate is below 1"),             \
        TC_INT_OPTION("rounds", TC_SEARCH_AT(type, rounds), "1", 1, TC_PRIVACY_MAX_T,              \
                      "search: releases of one run: steps of training, and its private score"),    \
        TC_CHOICE_OPTION("mechanism", TC_SEARCH_AT(type, mechanism), "gaussian",                   \
                         "gaussian|laplace|pure",                                                  \
                         "search: what each release adds; pure: any with a pure epsilon"),         \
        TC_FLOAT_OPTION(                                                                           \
            "release-epsilon", TC_SEARCH_AT(type, release_epsilon), NULL, 0, TC_PRIVACY_MAX_Z,     \
            "search: Laplace and pure mechanisms: epsilon of one release", .min_open = true),      \
        TC_CHOICE_OPTION("neighbours", TC_SEARCH_AT(type, neighbours), "add-remove",               \
                         "add-remove|replace-one",                                                 \
                         "search: of which records the releases speak; replace-one is charged"),   \
        TC_FLOAT_OPTION("score-noise", TC_SEARCH_AT(type, score_noise), NULL, 0, TC_PRIVACY_MAX_Z, \
                        "search: noise on each score, added here, over its sensitivity; without "  \
                        "it the program's score must be private",                                  \
                        .min_open = true),                                                         \
        TC_STRING_OPTION("range", TC_SEARCH_AT(type, range), NULL,                                 \
                         "search: LOW:HIGH, to which the program clips each record's loss",        \
                         .value = "A:B"),                                                          \
        TC_INT_OPTION("records", TC_SEARCH_AT(type, records), NULL, 1, 1e15,                       \
                      "search: records N that are scored: one moves the score by range / N"),      \
        TC_FLOAT_OPTION("sensitivity", TC_SEARCH_AT(type, sensitivity), NULL, 0, 1e15,             \
                        "search: instead of --records: by how much one record moves the score",    \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("epsilon", TC_SEARCH_AT(type, epsilon), NULL, 0, TC_PRIVACY_MAX_Z,         \
                        "search: what a record may spend over the whole ledger",                   \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("delta", TC_SEARCH_AT(type, delta), NULL, 0, 0.999999,                     \
                        "search: the delta of that; without it, that of --records",                \
                        .min_open = true),                                                         \
        TC_STRING_OPTION("ledger", TC_SEARCH_AT(type, ledger), "records",                          \
                         "search: the ledger of these records in the storage", .value = "NAME")

/* E_ARG: an option is given that is not for this kind of work. */
tacit_status tc_search_options_check(const tc_search_options *o, const tc_invocation *in,
                                     tacit_error *err);

/* The rest is the verb's own. */
typedef struct tc_search_work {
    const tc_where *where;
    int64_t trials, jobs, timeout_ms;
} tc_search_work;
tacit_status tc_search_work_do(const tc_search_options *o, const tc_search_work *w,
                               const tc_invocation *in, tacit_error *err);

#endif
