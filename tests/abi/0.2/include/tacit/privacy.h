/* tacit/privacy.h - differential privacy, usable alone: what a plan costs, how much noise a promise
 * needs, exact discrete noise, and a filter for spending that adapts. Mechanisms and their releases
 * are in tacit/release.h, the record of what was released in tacit/ledger.h, attacks on all of it
 * in tacit/experimental/audit.h.
 *
 * A release is described by an event: a mechanism, its parameter, who takes part, how often. An
 * accountant turns events into a guarantee (epsilon, delta). Every epsilon reported is a proved
 * upper bound for the events as described: all rounding goes to the safe side. GAUSSIAN and LAPLACE
 * describe continuous noise; noise on a grid is not always as good, and the section about noise
 * says how to account for it.
 *
 * Events with Poisson sampling, or without sampling, speak of zero-out adjacency: one member's
 * contributions are replaced by zeros, and who the members are is public. They hold for adding or
 * removing a member, too, where parameters are those of that. Fixed-size sampling
 * speaks of substitution: one member's contributions are replaced by others, which may differ by
 * twice as much. Parameters are those of zero-out in both cases; the two kinds cannot be accounted
 * together. tacit_dp_event_replaced makes events of substitution from the others.
 *
 * Functions keep nothing between calls and may be called from any thread; a tacit_filter serves
 * one thread at a time. Pointers passed in are borrowed for the call. Nothing is written to an
 * output unless the call succeeds. `err` may be NULL; another pointer that is missing is E_ARG. Begin
 * every struct that has a `size` with its macro. */
#ifndef TACIT_PRIVACY_H
#define TACIT_PRIVACY_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tacit_dp_mechanism {
    TACIT_DP_GAUSSIAN = 0,   /* continuous; parameter: noise multiplier = sd / L2 sensitivity */
    TACIT_DP_LAPLACE = 1,    /* continuous; parameter: epsilon of one = L1 sensitivity / scale */
    TACIT_DP_PURE = 2,       /* parameter: epsilon; any pure mechanism, randomised response say */
    TACIT_DP_NONPRIVATE = 3, /* no guarantee: epsilon is infinite */
    /* Whatever has a Renyi divergence of at most `parameter` at one order, an integer in 2..1024: a search, of
     * which no other bound is known. sampling is TACIT_DP_ALL, and sampling_rate is 1 / order. */
    TACIT_DP_RENYI = 4
} tacit_dp_mechanism;

typedef enum tacit_dp_sampling {
    TACIT_DP_ALL = 0,        /* everybody takes part */
    TACIT_DP_POISSON = 1,    /* each one independently, with probability sampling_rate */
    TACIT_DP_FIXED_SIZE = 2, /* a fixed share sampling_rate, without replacement */
    /* As POISSON, charged for replacing a member: as a group of two, one that leaves and one that
     * comes. The parameter is that of adding or removing one. */
    TACIT_DP_POISSON_REPLACED = 3
} tacit_dp_sampling;

/* Without `size`: it is an element of arrays and a member of other structs. */
typedef struct tacit_dp_event {
    tacit_dp_mechanism mechanism;
    double parameter; /* in (0, 1e6] */
    tacit_dp_sampling sampling;
    double sampling_rate; /* in (0, 1]; 1 for TACIT_DP_ALL; 1 / order for TACIT_DP_RENYI */
    uint64_t count; /* repetitions, at most 1e15; their inputs may depend on earlier outputs */
} tacit_dp_event;

typedef struct tacit_guarantee {
    size_t size;            /* sizeof of this struct as the caller saw it */
    double epsilon;         /* the value to report: a proved upper bound; INFINITY: none */
    double lower;           /* a proved lower bound on the tight value; 0 where none is known */
    double delta;           /* as asked; 0 for "pure" */
    const char *accountant; /* whose bound this is; static text */
    double order;           /* "rdp", "moments": the order that gave it; else 0 */
} tacit_guarantee;
#define TACIT_GUARANTEE                                                                            \
    {                                                                                              \
        sizeof(tacit_guarantee), 0, 0, 0, NULL, 0                                                  \
    }

/* Whose data are protected: all that one agent contributes, one row of a data set that is itself
 * released, one reply, one record of the data on which an agent evaluates. */
typedef enum tacit_unit {
    TACIT_UNIT_AGENT = 0,
    TACIT_UNIT_ROW = 1,
    TACIT_UNIT_USER = 2,
    TACIT_UNIT_RECORD = 3
} tacit_unit;
TACIT_API const char *tacit_unit_name(tacit_unit unit); /* "agent"; NULL: none */
/* E_ARG: there is no such unit, the rate is not in (0, 1], or the unit has no guarantee at it. That
 * sampling hides a member more than its noise does is proved where the member's absence and its
 * contribution of zeros are the same, so for agents alone: a row or a user that has a value in
 * either world is seen whenever it is sampled, however rarely. */
TACIT_API tacit_status tacit_unit_check(tacit_unit unit, double sampling_rate, tacit_error *err);

/* ---- which two data sets are neighbours */

/* What differs between two data sets that are hard to tell apart. A promise for one relation says
 * nothing of another: dp_accounting has 0.73 for Gaussian(5) at delta 1e-5 where a member comes or
 * goes, and 1.55 where another takes its place. */
typedef enum tacit_relation {
    TACIT_RELATION_USUAL = 0,       /* where a relation is given: that of the unit */
    TACIT_RELATION_ZERO_OUT = 1,    /* all that one member contributes becomes zeros */
    TACIT_RELATION_ADD_REMOVE = 2,  /* one member comes or goes; how many there are is secret */
    TACIT_RELATION_REPLACE_ONE = 3, /* another takes one member's place; their number is public */
    TACIT_RELATION_DISTANCE = 4     /* one member's values move by at most a stated distance */
} tacit_relation;
TACIT_API const char *tacit_relation_name(tacit_relation relation); /* "zero-out"; NULL: none */

/* What an event that was described for ADD_REMOVE costs for REPLACE_ONE: a group of two, one that
 * leaves and one that comes. Exact without sampling (half the noise multiplier, twice the epsilon). */
TACIT_API tacit_status tacit_dp_event_replaced(const tacit_dp_event *event, tacit_dp_event *out,
                                               tacit_error *err);

/* ---- which delta */

/* Delta is the probability of having no promise at all. At delta = 1/N one may publish everything
 * about one of N members who is drawn at random: a promise must stay below it, and should stay at
 * or below 1/N^2 (docs/privacy.md). */
TACIT_API double tacit_delta_default(uint64_t members); /* min(1e-5, 1/N^2), of N >= 1 members */
TACIT_API bool tacit_delta_is_large(double delta, uint64_t members); /* above 1/N^2? */
/* E_ARG: it is 1/N or more; `field` begins the sentence (NULL: "delta"). One member is all there are: any delta
 * below 1. */
TACIT_API tacit_status tacit_delta_check(const char *field, double delta, uint64_t members,
                                         tacit_error *err);

/* ---- accounting */

/* The names of the accountants, best first, NULL-terminated; static.
 *   "pld"       privacy loss distribution: nearly tight, with a lower bound; may report "rdp"
 *               where that is better, and "gaussian" where that is exact
 *   "rdp"       Renyi divergences
 *   "moments"   Abadi et al. 2016, for comparison with published numbers
 *   "gaussian"  closed form; Gaussians without sampling only
 *   "pure"      sum of epsilons; Laplace and pure mechanisms only */
TACIT_API const char *const *tacit_accountants(void);

/* What events[0..n) cost together at delta in (0,1). `accountant` NULL stands for "pld".
 * E_ARG: a field out of range, named. E_NOT_FOUND: no such accountant. E_UNSUPPORTED: it has no
 * formula for one of the events. */
TACIT_API tacit_status tacit_account(const char *accountant, const tacit_dp_event *events, size_t n,
                                     double delta, tacit_guarantee *out, tacit_error *err);

/* The smallest noise multiplier, to a relative 1e-6 and never too small, with which `rounds`
 * Gaussian releases stay within (epsilon, delta). E_NUMERIC: none up to 1e6 does. */
TACIT_API tacit_status tacit_calibrate(const char *accountant, double epsilon, double delta,
                                       tacit_dp_sampling sampling, double sampling_rate,
                                       uint64_t rounds, double *noise_multiplier, tacit_error *err);

/* The smallest standard deviation for one Gaussian release of sensitivity 1 (Balle, Wang 2018). */
TACIT_API tacit_status tacit_analytic_gaussian(double epsilon, double delta, double *sd,
                                               tacit_error *err);

/* The event as JSON, with the names of google's dp_accounting: {"dp_event": "Gaussian",
 * "noise_multiplier": 1}. E_ARG: a field out of range, named. End *json with tacit_text_free. */
TACIT_API tacit_status tacit_dp_event_json(const tacit_dp_event *event, char **json,
                                           tacit_error *err);

/* The events that a private trainer reports, in dp_accounting's names: Gaussian, Laplace, NoOp, NonPrivate,
 * PoissonSampled, SelfComposed and Composed, of any depth, each also with its ending DpEvent. The
 * different ones with their counts go into events[0..room). E_ARG: what is unknown, by its path. */
TACIT_API tacit_status tacit_dp_event_parse(const char *json, tacit_dp_event *events, size_t room,
                                            size_t *n, tacit_error *err);
/* Is what was reported within what was declared before, so that what holds for the cap holds for it?
 * Each event needs one of the cap with the same mechanism, no more noise and no lower sampling rate,
 * as often. A report must not decide what is charged, since it was made in view of data: charge the cap, and refuse a
 * report that is not within it. E_BUDGET names the event. */
TACIT_API tacit_status tacit_dp_event_within(const tacit_dp_event *reported, size_t n,
                                             const tacit_dp_event *cap, size_t caps,
                                             tacit_error *err);

/* ---- saying it */

/* Nobody should see an epsilon without these sentences: whose data, epsilon, delta, by which
 * accountant, over how many releases; then which two data sets are hard to tell apart, what is not
 * protected and, where another party draws the noise, that it is trusted. g NULL: all but the first
 * sentence. End *text with tacit_text_free. */
TACIT_API tacit_status tacit_statement(const tacit_guarantee *g, uint64_t releases, tacit_unit unit,
                                       tacit_dp_sampling sampling, char **text, tacit_error *err);
/* The same for a relation that the caller states; TACIT_RELATION_USUAL: that of the unit. */
TACIT_API tacit_status tacit_statement_of(const tacit_guarantee *g, uint64_t releases,
                                          tacit_unit unit, tacit_relation relation, char **text,
                                          tacit_error *err);
/* Towards whom the guarantee of a sum over agents holds, and who is trusted with it, without its full stop:
 * who adds up sees everything. */
TACIT_API const char *tacit_statement_trust(void);

/* Six significant digits for the reader, rounded to the safe side: the text, read back, is no less
 * than an epsilon or a delta, and no more than a lower bound ("at least ..."). */
TACIT_API void tacit_epsilon_text(char out[32], double epsilon); /* "infinite": not a number */
TACIT_API void tacit_delta_text(char out[32], double delta);
TACIT_API void tacit_lower_text(char out[32], double bound);

/* ---- the best of several runs */

/* A search runs a private mechanism several times, with other hyper-parameters each time, and keeps
 * the best: the choice itself tells something. Papernot and Steinke (ICLR 2022) bound it where the
 * number of runs K is random. What they ask for, and nothing here can check:
 *   - all runs have the same distribution: a run draws its hyper-parameters itself, trains, and scores
 *     itself privately, all within `events`; a run that fails counts as worst and is not done again;
 *   - K is drawn without looking at data or results and never leaves: it is not shown, capped, drawn
 *     again, or to be seen from a running time or a log; with Poisson, K = 0 yields nothing;
 *   - the winner leaves, and nothing about the others.
 * A search whose next point depends on earlier results is not covered. */
typedef enum tacit_repeats_kind {
    TACIT_REPEATS_POISSON = 0,
    TACIT_REPEATS_NEGATIVE_BINOMIAL = 1 /* truncated: K >= 1; heavier tails for smaller shapes */
} tacit_repeats_kind;

typedef struct tacit_repeats {
    size_t size; /* sizeof of this struct as the caller saw it */
    tacit_repeats_kind kind;
    double mean;  /* of K, in [1, 1e9] */
    double shape; /* negative binomial: in [0, 1e3], 0 logarithmic, 1 geometric; Poisson: 0 */
} tacit_repeats;
#define TACIT_REPEATS                                                                              \
    {                                                                                              \
        sizeof(tacit_repeats), TACIT_REPEATS_NEGATIVE_BINOMIAL, 1, 1                               \
    }

/* What the best of K runs costs, where events[0..n) are those of one run. By "rdp", the accountant
 * that has a theorem. Errors as tacit_account. */
TACIT_API tacit_status tacit_account_best_of(const tacit_repeats *repeats,
                                             const tacit_dp_event *events, size_t n, double delta,
                                             tacit_guarantee *out, tacit_error *err);

/* The smallest noise multiplier with which the best of K runs stays within (epsilon, delta), where
 * one run makes `rounds` Gaussian releases. To a relative 1e-6 and never too small. */
TACIT_API tacit_status tacit_calibrate_best_of(const tacit_repeats *repeats, double epsilon,
                                               double delta, tacit_dp_sampling sampling,
                                               double sampling_rate, uint64_t rounds,
                                               double *noise_multiplier, tacit_error *err);

/* Nobody should see the epsilon of a search without these sentences: epsilon, delta, by which accountant, how K is
 * distributed, and what has to hold. g is what tacit_account_best_of has found for these repeats. E_ARG: a field
 * out of range, named. End *text with tacit_text_free. */
TACIT_API tacit_status tacit_statement_best_of(const tacit_guarantee *g,
                                               const tacit_repeats *repeats, char **text,
                                               tacit_error *err);

/* ---- noise */

/* n independent draws of P(x) ~ exp(-x^2 / (2 sd^2)) or exp(-|x| / scale) on the integers, exact,
 * from fresh entropy of the operating system. Scale your data to integers first, with sd or scale
 * in steps of that grid. E_ARG: sd not in [1, 2^24], scale not in [1, 2^40].
 *
 * The time depends on the draws. Draw before data are read: then it tells nothing about them. It
 * tells about the noise all the same, so let what you release leave at a moment that does not
 * depend on how long the draw took.
 *
 * The mechanisms of tacit/release.h know what their noise costs. For draws of your own, let one
 * member move n values by D steps together, D in L1 norm for Laplace and L2 for Gaussian noise:
 *
 *   Laplace   TACIT_DP_PURE with epsilon D / scale; or TACIT_DP_LAPLACE, which composes better,
 *             with D / scale + n / (4 scale^2). D / scale alone is too small for the latter.
 *   Gaussian  TACIT_DP_GAUSSIAN with sd / D. By "moments" and by a filter that holds as it is:
 *             Renyi divergences of integer order are no larger on a grid. For the others take
 *             sd >= 2^10 and add (1 + e^epsilon) 0.0202 n / sd^2 to delta for each release. */
TACIT_API tacit_status tacit_sample_discrete_gaussian(uint64_t sd, size_t n, int64_t *out,
                                                      tacit_error *err);
TACIT_API tacit_status tacit_sample_discrete_laplace(uint64_t scale, size_t n, int64_t *out,
                                                     tacit_error *err);

/* ---- spending that adapts */

/* Accounting above supposes that the events were fixed beforehand. Where the next parameter is
 * chosen in view of earlier releases, ask a filter before each: whatever it lets pass is
 * (epsilon, delta)-DP together. */
typedef struct tacit_filter tacit_filter; /* end with tacit_filter_free */

TACIT_API tacit_status tacit_filter_new(tacit_filter **out, double epsilon, double delta,
                                        tacit_error *err);
TACIT_API void tacit_filter_free(tacit_filter *f); /* NULL is allowed */

/* Would it fit? Changes nothing. *remaining, if not NULL, is the share of the budget that would be
 * left. E_BUDGET: no; the sentence has what is spent, asked and remaining. */
TACIT_API tacit_status tacit_filter_would(const tacit_filter *f, const tacit_dp_event *event,
                                          double *remaining, tacit_error *err);
/* Spends, before the release is made; a refusal spends nothing. */
TACIT_API tacit_status tacit_filter_spend(tacit_filter *f, const tacit_dp_event *event,
                                          tacit_error *err);
TACIT_API double tacit_filter_remaining(const tacit_filter *f); /* a share, in [0,1]; 0 of NULL */

#ifdef __cplusplus
}
#endif
#endif
