/* plan.h - how a plan becomes simulations: what the files plan*.c share. Nobody else includes it.
 *
 *   plan.c             the plan as a whole: which kind, its runs, and what was found (tacit_simulate)
 *   plan_check.c       options that would have no effect
 *   plan_single.c      one party; replies of private users in place of observations
 *   plan_curator.c     one party, outsourced: the curator who releases the rows
 *   plan_records.c     --unit record: noise in every value
 *   plan_federation.c  a federation: one algorithm, or several on the same runs
 *   plan_bandits.c       bandits by pulls, likewise
 *   plan_versus.c      who takes part: the first algorithm, and the list to compare it with */
#ifndef TC_SIM_PLAN_H
#define TC_SIM_PLAN_H

#include "sim/curve_file.h"
#include "sim/runs.h"
#include "wire/study_doc.h"

#include <stdarg.h>

/* "none", then the kinds in the order of tacit_reply_kind. */
enum { TC_PLAN_NO_REPLY };
enum { TC_PLAN_TELL_NONE, TC_PLAN_TELL_CONSTANTS };

/* One algorithm among those compared. */
typedef struct tc_contender {
    char *label;                   /* NULL of one party alone */
    const tc_algorithm *algorithm; /* or, by pulls, ... */
    const tc_bandit *bandit;
    json_t *given;          /* its options as given */
    json_t *options;        /* all of them, as in force */
    json_t *shown;          /* the same with values in place of "chosen" */
    char *theorem;          /* what one says about them; may be empty */
    json_t *expect;         /* what they may gain at best (tc_expect_json); NULL: unsaid */
    tc_shared_plan largest; /* where there are trustees: of their rounds; ... */
    json_t *terms;          /* ... and tc_trustees_json of it */
    double epsilon, delta;  /* the promise asked for; 0: none, and the default delta */
    tc_trustees trustees;   /* who adds up what its agents send; count 0: the coordinator */
    bool open;    /* beside others for records, this one promises nothing and has no noise */
    bool records; /* that promise is for records instead, of which ... */
    tc_record_noise noise; /* ... this is the noise */
    char *checkpoint;      /* or NULL */
    tc_simulation sim;
    tacit_curves curves;
    bool charged; /* cost is there: of a federation */
    tc_federated_cost cost;
    tacit_simulated found; /* what is shown of it; its texts: */
    char *texts[8];
    double *spent;
} tc_contender;

/* All of it: the plan, and then what was found. */
struct tacit_simulation {
    tacit_simulation_plan plan;
    const tacit_simulation_plan *o; /* the same */
    const tc_study_doc *doc;        /* or NULL */
    const tc_algorithm *algorithm;  /* the first contender's; by pulls NULL */
    uint64_t seed, agents;
    tc_pool *pool;
    const char *objective;
    tc_family *family;         /* of one agent, for its space; by pulls of the first run */
    json_t *objective_options; /* of the family, as used */
    size_t dim;                /* of an objective that takes any dim; else 0 */
    const tacit_known_trial *known;
    size_t n_known;
    tc_reply reply;
    tc_row_terms terms; /* of a curator, whose memory this is: */
    tc_arena memory;
    tc_contender contenders[TACIT_CONTENDERS_MOST];
    size_t n;
    tacit_contrast *contrasts;
};
typedef struct tacit_simulation tc_contest;

/* ---- plan.c */

/* Is the option given, be it with its default? */
bool tc_plan_given(const tc_contest *a, const char *option);
void tc_plan_note(const tc_contest *a, const char *fmt, ...) TACIT_PRINTF(2, 3);

/* ---- the kinds: each enlists and prepares its contenders */
tacit_status tc_plan_single(tc_contest *a, tacit_error *err);
tacit_status tc_plan_federation(tc_contest *a, tacit_error *err);
tacit_status tc_plan_bandits(tc_contest *a, tacit_error *err);

/* plan_federation.c: by which bound epsilon is shown. */
const tc_accountant *tc_plan_accountant(const tc_contest *a);

/* plan_federation.c: the trustees that the plan or its document asks for; count 0: none. And can they add up what agents of this
 * algorithm send? */
tc_trustees tc_plan_trustees(const tc_contest *a);
bool tc_plan_takes_trustees(const tc_algorithm *a);

/* ---- one party */

/* E_ARG: an option of a curator is given, and the algorithm sees no released rows. */
tacit_status tc_plan_curator_check(const tc_contest *a, tacit_error *err);
/* The terms on which a curator releases the rows of sim's objective, into a->terms and sim, if the plan asks
 * for one. E_ARG: they do not fit each other, the algorithm or the objective. */
tacit_status tc_plan_curator(tc_contest *a, tc_simulation *sim, tacit_error *err);

/* ---- records (plan_records.c) */

#define TC_RECORD_DELTA 1e-5 /* unless --delta is given */

/* E_ARG: options of --unit record that are missing, have no effect, or do not go with it. */
tacit_status tc_plan_check_records(const tc_contest *a, tacit_error *err);
/* The contender's options where messages cost nothing, as far as none are given. */
tacit_status tc_plan_records_options(tc_contender *c, tacit_error *err);
/* c->noise for so many evaluations of each agent, and c->sim with it. maximize: of the objective. Nothing where the
 * contender has none. */
tacit_status tc_plan_records_noise(const tc_contest *a, tc_contender *c, bool maximize,
                                   uint64_t evaluations, tacit_error *err);

/* ---- who takes part (plan_versus.c) */

/* The first contender: its options, from the document and from the plan. */
tacit_status tc_plan_first(tc_contest *a, tacit_error *err);
/* Its label, and all that it is compared with. */
tacit_status tc_plan_others(tc_contest *a, tacit_error *err);
/* Adds the items of a list. One of the same algorithm as the first has its options and promise unless it
 * says others. */
tacit_status tc_plan_versus(tc_contest *a, const char *list, tacit_error *err);
void tc_contender_fini(tc_contender *c);
/* Takes the noise out of its given options: a promise sets it. */
void tc_contender_drop_noise(tc_contender *c);

/* ---- options without effect (plan_check.c) */

/* E_ARG: an option of objectives is given that the objective does not look at. */
tacit_status tc_plan_check_objective(const tc_contest *a, tacit_error *err);
/* E_ARG: --delta or --accountant is given, and none of the contenders charges anything. */
tacit_status tc_plan_check_promise(const tc_contest *a, tacit_error *err);
/* Do its releases have noise, and so a delta? */
bool tc_plan_charges(const tc_algorithm *a);
#define TC_PLAN_CHARGING "dp-fts-de, dp-pf-pne"

#endif
