/* optimize_search.h - `tacit optimize --protect search`: its options, and what it does (<tacit/experimental/search.h>). */
#ifndef TC_PROGRAM_OPTIMIZE_SEARCH_H
#define TC_PROGRAM_OPTIMIZE_SEARCH_H

#include "privacy/privacy_cli.h"
#include "study/records_options.h"
#include "study/study_ref.h"

/* Of an option struct: `tc_search_options search`. */
typedef struct tc_search_options {
    int protect, distribution, mechanism, sampling, relation;
    double shape, noise_multiplier, release_epsilon, sampling_rate, score_noise;
    int64_t rounds;
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
        TC_CHOICE_OPTION("relation", TC_SEARCH_AT(type, relation), "add-remove",                   \
                         "add-remove|replace-one",                                                 \
                         "search: of which records the releases speak; replace-one is charged"),   \
        TC_FLOAT_OPTION("score-noise", TC_SEARCH_AT(type, score_noise), NULL, 0, TC_PRIVACY_MAX_Z, \
                        "search: noise on each score, added here, over its sensitivity; without "  \
                        "it the program's score must be private",                                  \
                        .min_open = true)

/* E_ARG: an option is given that is not for this kind of work. */
tacit_status tc_search_options_check(const tc_search_options *o, const tc_invocation *in,
                                     tacit_error *err);

/* The rest is the verb's own. */
typedef struct tc_search_work {
    const tc_where *where;
    const tc_records_words *records; /* that are scored: their ledger, and its limit */
    int64_t trials, jobs, timeout_ms;
} tc_search_work;
tacit_status tc_search_work_do(const tc_search_options *o, const tc_search_work *w,
                               const tc_invocation *in, tacit_error *err);

#endif
