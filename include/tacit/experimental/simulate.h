/* tacit/experimental/simulate.h - simulations with exact regret: plan in, curves out; read, write, compare.
 *
 * EXPERIMENTAL: no promise is made about this header. Functions and structs may change or go with any
 * version, also within one TACIT_ABI. Compile against the version that you run.
 *
 * A simulation runs algorithms on objectives with a known optimum, many runs, and measures regret:
 *
 *     tacit_simulation_plan plan = tacit_simulation_plan_default();
 *     tacit_simulation *s;
 *     plan.algorithm = "gp-ei";
 *     plan.objective = "branin";
 *     plan.trials = 30;
 *     if (tacit_simulate(&s, &plan, &err) != TACIT_OK)
 *         return fail(&err);
 *     const tacit_curves *c = tacit_simulation_get(s, 0)->curves;
 *     printf("%g +- %g\n", c->simple_mean[29], c->simple_se[29]);
 *     tacit_simulation_free(s);
 *
 * A plan is for one of three kinds. One party: each run is a study of its own in memory. A federation, where
 * anything is given that only a federation has: agents and a coordinator in one process, each agent with an
 * objective of its own out of a family. Bandits, where `pulls` is given: agents that pull arms, counted and not
 * journalled. Run r has its own seed and objective, both made from `seed` and r alone: algorithms that are
 * compared meet the same objectives, and the bits of a result depend neither on threads nor on having been
 * interrupted and resumed. Noise comes from the seed, so nothing is private; what is said of privacy is what a
 * deployment would promise.
 *
 * Regret is noise-free, and that of the true points. The cumulative regret sums the regrets of all points
 * queried so far, of a federation after the initial ones; the simple regret is the smallest of them,
 * initial ones included, and INFINITY before there is one. A run's regret is the mean over its agents, and
 * runs are the unit of all standard errors. Points are trials 1, 2, ... of one party; iterations 0, 1, ...
 * of a federation, where 0 is the state after the initial points; numbers of pulls of each agent of a
 * bandit. Functions keep nothing between calls and may be called from any thread. */
#ifndef TACIT_EXPERIMENTAL_SIMULATE_H
#define TACIT_EXPERIMENTAL_SIMULATE_H

#include <tacit/document.h>
#include <tacit/experimental/objective.h>
#include <tacit/privacy.h>
#include <tacit/release.h>
#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- curves */

/* What the agents of one run of a federation sent. */
typedef struct tacit_message_counts {
    uint64_t releases, refusals;     /* rounds: let out, and refused by the budget */
    uint64_t messages, bytes;        /* what agents sent */
    uint64_t broadcast_bytes;        /* of one release */
    uint64_t lost, rejected;         /* of the messages: did not arrive; malformed, not kept */
    uint64_t fetches, fetched_bytes; /* messages that a relay handed on */
    uint64_t misses;                 /* ... and those that it was asked for and did not have */
} tacit_message_counts;

/* What one run sent; zeros where nothing of the kind is sent. */
typedef struct tacit_run_counts {
    tacit_message_counts sent;         /* of a federation */
    uint64_t rounds, last_round_at;    /* of bandits; pulls of each agent at the last round */
    uint64_t numbers_up, numbers_down; /* of bandits: by all agents, and to all of them */
} tacit_run_counts;

/* A release that left a federation. Its noise came from the seed of the run, so nothing is private; a
 * deployment with the same options would pay for this event. */
typedef struct tacit_simulated_release {
    uint64_t round;
    uint64_t trials;      /* of each agent when it left; a warm start releases late */
    tacit_dp_event event; /* what it would cost in a deployment */
    double distance;      /* as in tacit/release.h */
    /* ROW: it is about the records of this round alone. Else about every unit, as all are. */
    tacit_unit unit;
} tacit_simulated_release;

/* Arrays of `points` numbers, and tables of runs x points, run by run. A file has means alone, or those of
 * every agent: what it does not have is NULL or 0. */
typedef struct tacit_curves {
    char *label; /* in a file: the algorithm's name where it has none */
    char *algorithm, *objective;
    uint64_t runs, agents, seed; /* agents: those that are measured */
    uint64_t initial;            /* trials of each agent at iteration 0 of a federation */
    bool by_pulls;               /* points are pulls of each agent, and there is no simple regret */
    size_t points;
    double *at;                      /* trial or iteration, or pulls of each agent */
    double *simple_mean, *simple_se; /* se: standard error; 0 for one run, or no finite mean */
    double *cumulative_mean, *cumulative_se;
    double *simple, *cumulative; /* runs x points: means over agents, for pairing and plots */
    double *agent_simple, *agent_cumulative; /* runs x agents x points; NULL unless asked for */
    tacit_run_counts *counts;                /* by run */
    tacit_simulated_release *releases;       /* of the first run: every run has the same */
    size_t n_releases;
    char *
        rejection; /* of the first run: why the first refused message was; NULL: none, or restored */
    bool relayed;  /* messages were handed on without any protection: NOT PRIVATE at all */
    uint64_t pulls; /* of all agents and runs, less those that were done before */
    double seconds;
} tacit_curves;
TACIT_API void tacit_curves_fini(tacit_curves *c); /* NULL is allowed */

/* ---- files */

typedef struct tacit_curve_set {
    size_t n, cap;
    tacit_curves *items;
} tacit_curve_set;

/* Adds all curves of a file that tacit simulate wrote, with --out or --by-agent: JSON if its name ends in .json,
 * else CSV. Files of earlier versions are read, too. Points without a regret are left out. E_ARG: not such a
 * file; the message says what is missing. Begin *out with {0}; end it with tacit_curve_set_fini, also after a
 * failure. */
TACIT_API tacit_status tacit_curves_read(tacit_curve_set *out, const char *file, tacit_error *err);
TACIT_API void tacit_curve_set_fini(tacit_curve_set *s); /* NULL is allowed */

/* ---- comparisons */

/* There is no interval, low and high are NaN, where one would be a guess: below TACIT_INTERVAL_RUNS runs,
 * where a mean is not positive, and where so few runs have any regret, or so many are alike, that
 * drawing runs anew often finds nothing to go by. */
#define TACIT_INTERVAL_RUNS 5
typedef struct tacit_ratio {
    double ratio;     /* of means, a / b; 1 where nobody has any regret */
    double low, high; /* its 95 % interval: bootstrap-t over runs, from a fixed public seed */
    double
        p; /* two-sided, of the paired differences: sign-flip permutation test, exact up to 13 runs */
} tacit_ratio;

/* Two simulations of the same runs, paired by run, at one point: of simple regrets, of bandits of cumulative
 * ones. E_ARG: not the same runs, curves without runs, or a regret that is not finite. */
TACIT_API tacit_status tacit_curves_compare(const tacit_curves *a, const tacit_curves *b,
                                            size_t point, tacit_ratio *out, tacit_error *err);

/* ---- plans */

/* Algorithms are told A y + B in place of y, or its negative; regret stays that of y. scale 0 stands for 1. */
typedef struct tacit_value_units {
    double scale, shift;
    bool negate;
} tacit_value_units;

/* A curator who releases the candidates of an objective as rows, to an algorithm that sees released rows
 * (po-gp-ucb); `epsilon` of the plan is the price. 0: not given. */
typedef struct tacit_curator_plan {
    int mode;                            /* 0 sound, 1 as in the paper, NOT PRIVATE */
    int noise;                           /* tacit_rows_noise */
    double radius, unit;                 /* of neighbours; what counts as a distance of 1 */
    double output_epsilon, output_bound; /* of private answers */
    int64_t rank, project, projection_seed;
    const char *bounds_file; /* named in messages; read by `bounds` of the plan */
} tacit_curator_plan;

/* The public bounds of a column. All 0: there are none. */
typedef struct tacit_column_bounds {
    double low, high, unit;
} tacit_column_bounds;

/* A trial of an agent that exists before the first run begins. */
typedef struct tacit_known_trial {
    uint64_t agent;
    const double *values; /* one for each parameter */
    double value;
} tacit_known_trial;

/* fields.h has the type, default, range and meaning of each. 0 and NULL: not given. Everything that
 * a plan points to is borrowed until the simulation is freed. */
typedef struct tacit_simulation_plan {
    const tacit_document *document; /* algorithm, its options, trials, seed, federation, privacy */
    const char *algorithm;          /* wins over the document */
    const char *const *sets;        /* its options, "name=value" */
    size_t n_sets;
    const char
        *versus; /* "NAME,OPTION=VALUE,...; NAME; ...": compare with these on the same runs */
    const char *objective;
    tacit_family_options family;
    tacit_value_units units;
    int64_t runs;
    uint64_t seed;
    bool seeded;     /* seed wins over the document's */
    int64_t threads; /* 0: one for each CPU */
    const char *
        checkpoint; /* a file that keeps finished runs of a federation or of bandits; and FILE.2, ... */
    /* Names of options that would be without effect where they have their default, as given; or NULL. */
    const char *const *given;
    /* One party. */
    int64_t trials;
    int reply; /* none|auto|onebit|piecewise|laplace: told in place of observations */
    double reply_epsilon, reply_bound;
    tacit_curator_plan curator;
    double epsilon, delta; /* of a curator's release, and of federations */
    /* A federation. */
    int64_t agents, acting, rounds, past;
    double drop;
    int tell;       /* none|constants */
    int accountant; /* pld|rdp|moments|gaussian */
    bool by_agent;  /* keep the curves of every agent */
    /* Bandits. */
    int64_t pulls;
    double reward_low, reward_high;
    double checkpoint_every; /* seconds between two snapshots of a run at least */

    /* Calls back, each with `user`; any may be NULL. */
    void *user;
    void (*note)(void *user, const char *sentence); /* something that its caller should know */
    void (*begin)(void *user, const char *label, uint64_t steps); /* one algorithm's runs */
    bool (*progress)(void *user, uint64_t done); /* from any thread; false: E_CANCELLED */
    bool (*stopped)(void *user);                 /* the same, asked within steps */
    /* Trials that exist before, of agents of this space; *out lives until the simulation ends. */
    tacit_status (*known)(void *user, const tacit_space *space, uint64_t agents,
                          const tacit_known_trial **out, size_t *n, tacit_error *err);
    /* Public bounds of n columns. */
    tacit_status (*bounds)(void *user, size_t n, const char *const *names, tacit_column_bounds *out,
                           tacit_error *err);

    /* TACIT_PLAN_UNIT_RECORD: epsilon and delta protect single validation records. Noise goes into every value
     * that an algorithm is told, which then knows its variance, and into nothing else. */
    int unit;
    const char *
        records; /* validation records of each agent: "1000", or a list taken in turn, "300,5000" */
    const char *range; /* "0:1": public bounds of each record's loss, in the units that are told */
    int64_t trustees;  /* of a federation: so many add up what agents send, on the usual terms */
} tacit_simulation_plan;

/* Whom epsilon protects. OWN: as the algorithm has it, agents or rows. */
enum { TACIT_PLAN_UNIT_OWN = 0, TACIT_PLAN_UNIT_RECORD = 1 };

/* Begin a plan with these. */
TACIT_API tacit_simulation_plan tacit_simulation_plan_default(void);

#define TACIT_CONTENDERS_MOST 26 /* of one comparison */

/* ---- results */

/* One algorithm's part. Texts and arrays live as long as the simulation. */
typedef struct tacit_simulated {
    const char *label; /* "dp-fts-de,regions=1"; NULL of one party alone */
    const tacit_curves *curves;
    uint64_t agents, acting,
        trials; /* as planned; acting 0: all; trials after the initial points */
    bool sends; /* an algorithm of a federation, whose agents send messages */
    size_t dim; /* of an objective that takes any dimension; else 0 */
    /* JSON objects: options in force, the same with what the algorithm chose in their place, and those of
     * them that were given. */
    const char *options, *shown, *given;
    const char *theorem; /* whether one is about these options, in a sentence; may be empty */
    const char *expect;  /* what a study with these options may gain at best, JSON; NULL: unsaid */
    /* What a deployment would promise; behind the statement of a federation alone. */
    const char *statement; /* all of it in words; empty where nothing would be hidden */
    const char *scope;     /* of a federation: who are neighbours, and what is not protected */
    const char *none;      /* why it would promise nothing, as a clause; NULL: it would */
    tacit_guarantee bound; /* of all releases together */
    uint64_t releases;
    tacit_unit unit;
    const double *spent; /* epsilon when a point is over; NULL: nothing is released */
    double noise_sd;     /* of unit RECORD: of the noise in a value, the largest of all agents */
    /* Who would add up messages and deal the noise, what they can do without, and the bytes of a round, in sentences;
     * and as JSON {"count", "degree", "colluding", "dealers", "absent", "noticed", "named", "noise", "bytes": {...}}. NULL:
     * the coordinator. */
    const char *trustees_sentence, *trustees;
} tacit_simulated;

typedef struct tacit_simulation tacit_simulation; /* end with tacit_simulation_free */

/* Runs all of it. Everything that can be wrong is found before the first run. E_ARG: which member does not
 * fit, named as an option (--agents). E_CANCELLED: a callback said so. */
TACIT_API tacit_status tacit_simulate(tacit_simulation **out, const tacit_simulation_plan *plan,
                                      tacit_error *err);
TACIT_API void tacit_simulation_free(tacit_simulation *s);          /* NULL is allowed */
TACIT_API size_t tacit_simulation_count(const tacit_simulation *s); /* algorithms */
TACIT_API const tacit_simulated *tacit_simulation_get(const tacit_simulation *s, size_t i);
/* How bandits talked, means over runs. */
typedef struct tacit_talk {
    double rounds, last_round_at, numbers_up, numbers_down;
} tacit_talk;
TACIT_API tacit_talk tacit_curves_talk(const tacit_curves *c);

/* Algorithm `of` over the first one, at one point of the curves. */
typedef struct tacit_contrast {
    size_t of, point;
    tacit_ratio ratio;
} tacit_contrast;
/* Rows for all algorithms but the first, at iterations 1, 5, 10, 20 and the last; by pulls at a tenth of
 * them, at half and at the end. None where there is a single run. *rows ends with the simulation. */
TACIT_API tacit_status tacit_simulation_contrasts(tacit_simulation *s, const tacit_contrast **rows,
                                                  size_t *n, tacit_error *err);

typedef enum tacit_curve_form {
    TACIT_CURVES_CSV = 0,
    TACIT_CURVES_JSON = 1,
    TACIT_CURVES_BY_AGENT = 2 /* CSV; only where the plan has by_agent */
} tacit_curve_form;
/* What tacit_curves_read reads. End *out with tacit_text_free. */
TACIT_API tacit_status tacit_simulation_text(const tacit_simulation *s, tacit_curve_form form,
                                             char **out, tacit_error *err);
/* The checkpoint of algorithm i: FILE, FILE.2, FILE.3, ... End with tacit_text_free. */
TACIT_API tacit_status tacit_simulation_checkpoint(const char *file, size_t i, char **out,
                                                   tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
