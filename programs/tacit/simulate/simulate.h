/* simulate.h - what the files of `tacit simulate` share.
 *
 *   simulate.c            the verb and its options: one party or a federation?
 *   simulate_files.c      are all files that the command names different ones?
 *   simulate_options.c    options of an algorithm, from the document and from --set
 *   simulate_check.c      options that would have no effect
 *   simulate_single.c     one party: plan, run, output
 *   simulate_reply.c      one party: replies of private users in place of observations
 *   simulate_curated.c    one party, outsourced: the curator who releases the rows
 *   simulate_federated.c  a federation: plan and run, of one algorithm or of several
 *   simulate_versus.c     the list of --versus
 *   simulate_warm.c       trials that exist before, from --warm
 *   simulate_pulls.c      bandits by pulls: plan and run
 *   simulate_pulls_report.c  what their runs have shown
 *   simulate_report.c     what a federation's runs have shown, for people and as files */
#ifndef TC_PROGRAM_SIMULATE_H
#define TC_PROGRAM_SIMULATE_H

#include "sim/curve_file.h"
#include "sim/runs.h"
#include "study/storage.h"
#include "wire/study_doc.h"

/* The curator's, named as in `tacit curate release` where they can be; 0 and NULL: not given. */
enum { TC_CONTENDERS_MOST = 26 }; /* of one comparison: a letter each */

typedef struct tc_curator_opts {
    int mode, noise; /* tacit_row_mode, tacit_rows_noise */
    double radius, unit, output_epsilon, output_bound;
    int64_t rank, project, projection_seed;
    char *bounds_file;
} tc_curator_opts;

typedef struct tc_simulate_opts {
    char *algorithm, *objective, *seed, *out;
    int64_t trials, runs, threads;
    tc_family_opts family;
    tc_value_units units;
    /* Of one party. */
    int reply; /* TC_SIMULATE_REPLIES */
    double reply_epsilon, reply_bound;
    tc_curator_opts curator;
    double epsilon, delta; /* of a curator's release, and of federations */
    /* Of federations; 0 and NULL: not given. */
    int64_t agents, acting, rounds, past;
    double drop;
    int tell; /* TC_SIMULATE_TELLS */
    int accountant;
    char *versus, *by_agent, *checkpoint, *warm;
    /* Of bandits by pulls; 0: not given. */
    int64_t pulls;
    double reward_low, reward_high, checkpoint_every;
} tc_simulate_opts;

/* "none", then the kinds in the order of tacit_reply_kind. */
#define TC_SIMULATE_REPLIES "none|auto|onebit|piecewise|laplace"
enum { TC_SIMULATE_NO_REPLY };

#define TC_SIMULATE_TELLS "none|constants"
enum { TC_SIMULATE_TELL_NONE, TC_SIMULATE_TELL_CONSTANTS };

/* What both ways begin with. */
typedef struct tc_simulate_plan {
    const tc_invocation *in;
    const tc_simulate_opts *o;
    tc_study_doc *doc;             /* or NULL */
    const tc_algorithm *algorithm; /* of --algorithm, else the document's, else the default */
    uint64_t seed;
    tc_pool *pool;
} tc_simulate_plan;

tacit_status tc_simulate_single(const tc_simulate_plan *p, tacit_error *err);
tacit_status tc_simulate_federation(const tc_simulate_plan *p, tacit_error *err);
tacit_status tc_simulate_pulls(const tc_simulate_plan *p, tacit_error *err);

/* simulate_files.c. E_ARG: a file would be written that another option writes or reads. */
tacit_status tc_simulate_files(const tc_simulate_plan *p, tacit_error *err);

/* ---- options (simulate_options.c) */

/* What the author of the document says about the plan's algorithm; the caller decrefs. What tacit chose is
 * chosen again, by what the command line says too. */
tacit_status tc_simulate_given(const tc_simulate_plan *p, json_t **out, tacit_error *err);
/* Adds words name=value to `given`, checked and typed by the algorithm's table. */
tacit_status tc_simulate_take(const tc_algorithm *a, json_t *given, size_t n, char *const *words,
                              tacit_error *err);
/* The same for whatever has a table of options. */
tacit_status tc_simulate_take_words(const tc_optioned *a, json_t *given, size_t n,
                                    char *const *words, tacit_error *err);

/* ---- private users (simulate_reply.c) */

/* The reply that --reply asks for; *given: does it? E_ARG: its options do not fit each other or
 * the algorithm. */
tacit_status tc_simulate_reply(const tc_simulate_plan *p, tc_reply *out, bool *given,
                               tacit_error *err);
/* Adds to `given` the scales of the algorithm's model, if it has one, that follow from the reply
 * and its bound; says so unless quiet. Leaves a model alone of which one of them is given. */
tacit_status tc_simulate_reply_model(const tc_algorithm *a, const tc_reply *reply, json_t *given,
                                     bool quiet, tacit_error *err);
/* Whether a theorem is about this simulation, in one sentence; adds nothing where there is none. */
tacit_status tc_simulate_theorem(const tc_simulation *sim, tc_text *out, tacit_error *err);
/* That, and what a deployment would promise; nothing where nothing would be hidden. */
tacit_status tc_simulate_print_privacy(const tc_simulation *sim, tacit_error *err);

/* ---- a curator (simulate_curated.c) */

typedef struct tc_curator_terms {
    bool given; /* there is a curator */
    tc_row_terms terms;
    tc_arena memory;
} tc_curator_terms;

/* E_ARG: an option of a curator is given, and the algorithm sees no released rows. */
tacit_status tc_simulate_curator_check(const tc_simulate_plan *p, tacit_error *err);
/* The terms on which a curator releases the rows of sim's objective, if the options ask for one.
 * E_ARG: they do not fit each other, the algorithm or the objective. End with tc_arena_fini of the
 * memory, also after a failure. */
tacit_status tc_simulate_curator(const tc_simulate_plan *p, const tc_simulation *sim,
                                 tc_curator_terms *out, tacit_error *err);

/* ---- one algorithm among those compared */

typedef struct tc_contender {
    char *label;
    const tc_algorithm *algorithm;
    json_t *given;                   /* its options as given */
    json_t *options;                 /* all of them, as in force */
    json_t *shown;                   /* the same with values in place of "chosen" */
    const json_t *objective_options; /* as used; borrowed */
    size_t dim;                      /* of an objective that takes any --dim; else 0 */
    char *theorem;                   /* what one says about them; may be empty */
    json_t *expect;                  /* what they may gain at best (tc_expect_json); NULL: unsaid */
    double epsilon, delta;           /* the promise asked for; 0: none, and the default delta */
    char *checkpoint;                /* or NULL */
    tc_simulation f;
    tc_curves result;
    tc_federated_cost cost;
} tc_contender;

/* simulate_versus.c: an item of --versus, cut into words in a copy of its text. */
enum { TC_VERSUS_WORDS = 64 };
typedef struct tc_versus_item {
    char *text;
    const char *name;
    char *words[TC_VERSUS_WORDS];
    size_t n;
} tc_versus_item;
typedef tacit_status (*tc_versus_take)(void *user, const char *label, tc_versus_item *it,
                                       tacit_error *err);
/* Hands the items of `list` on in turn, at most `most`. */
tacit_status tc_versus_each(const char *list, size_t most, tc_versus_take take, void *user,
                            tacit_error *err);

/* simulate_versus.c: reads `list` into out[0..*n), at most `most`. A contender of the same
 * algorithm as `first` has its options and promise unless it says others. End each with
 * tc_contender_fini, also after a failure. */
tacit_status tc_simulate_versus(const char *list, const tc_contender *first, tc_contender *out,
                                size_t most, size_t *n, tacit_error *err);
void tc_contender_fini(tc_contender *c);
/* Takes the noise out of its given options: a promise sets it. */
void tc_contender_drop_noise(tc_contender *c);

/* ---- options without effect (simulate_check.c) */

/* E_ARG: an option of objectives is given that `objective` does not look at. */
tacit_status tc_simulate_check_objective(const tc_simulate_plan *p, const char *objective,
                                         tacit_error *err);
/* E_ARG: --delta or --accountant is given, and none of the n > 0 contenders charges anything. */
tacit_status tc_simulate_check_promise(const tc_simulate_plan *p, const tc_contender *c, size_t n,
                                       tacit_error *err);
/* Do its releases have noise, and so a delta? */
bool tc_simulate_charges(const tc_algorithm *a);
#define TC_SIMULATE_CHARGING "dp-fts-de, dp-pf-pne"

/* simulate_warm.c: trials from a CSV file with the columns agent, value and the parameters. */
typedef struct tc_warm {
    tc_known_trial *known;
    size_t n, cap;
    double *values; /* of all, one after another */
    size_t values_cap;
} tc_warm;
tacit_status tc_warm_read(tc_warm *w, const char *file, const tc_space *space, uint64_t agents,
                          tacit_error *err);
void tc_warm_fini(tc_warm *w);

/* ---- one bandit among those compared */

typedef struct tc_pull_contender {
    char *label;
    const tc_bandit *bandit;
    json_t *given;    /* its options as given */
    json_t *options;  /* all of them, as in force */
    char *checkpoint; /* or NULL */
    tc_simulation p;
    tc_curves result;
} tc_pull_contender;

/* simulate_pulls_report.c */
tacit_status tc_simulate_pulls_report(const tc_pull_contender *c, size_t n,
                                      const tc_simulate_plan *p, tacit_error *err);

/* ---- output (simulate_report.c, simulate_single.c) */

/* The file of contender i: FILE, FILE.2, FILE.3, ...; NULL where there is no checkpoint. */
tacit_status tc_simulate_checkpoint(const char *file, size_t i, char **out, tacit_error *err);
/* "regions 4" or "releases 0,1,...,39": the value of an option. */
void tc_simulate_add_value(tc_text *out, const json_t *v);
/* Parts after ", ", in lines of 80 columns of which `indent` are empty. */
void tc_simulate_print_wrapped(const char *text, int indent);

tacit_status tc_simulate_report(const tc_contender *c, size_t n, const tc_simulate_plan *p,
                                tacit_error *err);
/* "B / A", where, the ratio, its interval and its p: a row of five columns. */
void tc_simulate_ratio_row(tc_table *t, size_t of, uint64_t at, const tc_ratio *ratio);
/* Under a table with rows that have no interval: why. */
void tc_simulate_ratio_note(uint64_t runs);
/* Is iteration i shown in a table: 0, 1, 2, 5, 10, 20, 50, ... and the last. */
bool tc_simulate_milestone(uint64_t i, uint64_t last);
/* JSON if the name ends in .json. */
bool tc_simulate_is_json(const char *file);

#endif
