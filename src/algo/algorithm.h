/* algorithm.h - the contract every algorithm fulfils. Copy single/random.c to start one.
 *
 * Algorithms hold mathematics only. Everything common (trial numbers, states,
 * the history, direction, argument checks, journalling) is done once, by
 * optimizer.c, apply.c, compose.c, siblings.c and close_round.c, and only they call these members. An optimizer always
 * maximises; y has been sign-flipped for it where the study minimises.
 *
 * State is a function of events. `ask` and `fit` are pure: they read the state
 * and may use scratch memory, but what they find becomes part of the state
 * only when it comes back as an event. Every random draw is keyed by the trial
 * (or round) number through random.h; nothing keeps a generator. */
#ifndef TC_ALGO_ALGORITHM_H
#define TC_ALGO_ALGORITHM_H

#include "algo/event.h"
#include "base/options.h"
#include "base/pool.h"
#include "base/random.h"
#include "privacy/entropy.h"
#include "privacy/release.h"
#include "privacy/shared_sum.h"
#include "space/space.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known so far, in the order of the journal. Lent by optimizer.c.
 * Matrices are n x dim column-major: coordinate d of observation i is U[i + d*ld]. */
typedef struct tc_history {
    size_t dim;
    size_t n;      /* completed observations; a batch is one */
    size_t ld;     /* leading dimension of U: changes when it grows */
    double *U;     /* encoded points really run */
    double *y;     /* to be maximised */
    double *noise; /* variance of noise added to each on purpose; 0: none. NULL: all 0 */
    bool *early;   /* its trial was ended early, so it is not final. NULL: none was */
    size_t n_more; /* outcomes of each beside y; 0: none */
    /* n x n_more, a row for each: the other objectives, to be maximised, then what constraints bound. */
    double *more;
    size_t *point; /* finite spaces: the candidate of each observation */
    /* Points without a value: running, waiting, stale and failed trials. A parallel ask must
     * not repeat them, and a failed point is not worth another try. */
    size_t n_taken;
    size_t taken_ld;
    double *taken;         /* n_taken x dim column-major, encoded */
    size_t *taken_point;   /* finite spaces */
    uint64_t *taken_pulls; /* that may still be told of each; 0: it failed */
    size_t n_deleted;      /* trials that failed and were deleted: nothing of them is above */
    double *row;           /* dim: scratch of history.c */
} tc_history;

/* The variance of the noise that was added to observation i on purpose; 0: it is as it was measured. */
static inline double tc_history_noise(const tc_history *h, size_t i)
{
    return h->noise ? h->noise[i] : 0;
}

/* Was the trial of observation i ended early? Its value is learned, and its point is none to recommend: nobody knows what it
 * would have come to. */
static inline bool tc_history_early(const tc_history *h, size_t i)
{
    return h->early && h->early[i];
}

/* What a study wants of a trial beside one value. */
typedef struct tc_outcomes {
    size_t n_objectives;  /* from 1; the first is the value itself */
    const bool *maximize; /* n_objectives: the direction of each */
    size_t n_constraints; /* outcomes that must lie in bounds, which nobody knows before a trial */
    const double *low, *high; /* n_constraints; -INFINITY, INFINITY: no bound */
    /* Several objectives: from where on hypervolume counts, each in its own direction; NULL: nobody said */
    const double *reference;
} tc_outcomes;

/* What an optimizer takes. */
enum { TC_OBJECTIVES_MOST = 4, TC_CONSTRAINTS_MOST = 16 };

/* Outcomes of a trial beside its value. */
static inline size_t tc_outcomes_more(const tc_outcomes *o)
{
    return o ? o->n_objectives - 1 + o->n_constraints : 0;
}

/* Does an outcome keep to the bounds of constraint c? On a bound it does. */
static inline bool tc_outcomes_within(const tc_outcomes *o, size_t c, double v)
{
    return v >= o->low[c] && v <= o->high[c];
}
/* Do all bounded outcomes of a trial? more: what it came to beside its value. Here and below: outcomes.c. */
bool tc_outcomes_feasible(const tc_outcomes *o, const double *more);
/* How far they lie outside of the bounds: 0 if it is feasible; else the sum, over the bounds that it misses, of by how much, as
 * a share of the bound's own size (of a bound 0: as it is). The unit of an outcome does not matter. */
double tc_outcomes_violation(const tc_outcomes *o, const double *more);

typedef struct tc_env {
    const tc_space *space;
    const tc_history *history;
    tc_public_seed public_seed;
    tc_party_seed party_seed;
    uint64_t party;  /* number of this party on the roster; 0 where there is only one */
    uint64_t agents; /* of a federated study: the size of its roster, public; else 0 */
    uint64_t budget; /* planned trials T; 0 if unknown */
    tc_trustees
        trustees; /* of a federated study: who adds up its messages; no trustees: its coordinator */
    /* The version of the algorithm's behaviour that the study began with; 0: the newest, as in simulations. Read it
     * by tc_env_since. */
    uint64_t version;
    const tc_outcomes *outcomes; /* NULL: one objective, no constraints */
    tc_pool *pool;               /* may be NULL */
    /* During init: the state of another agent of this study in this process, or NULL. What is
     * public (features) may be shared with it; such agents are made and ended one at a time. */
    const void *sibling;
} tc_env;

/* Does the study behave as from this version of its algorithm on? */
static inline bool tc_env_since(const tc_env *env, uint64_t version)
{
    return env->version == 0 || env->version >= version;
}

/* What an optimizer of a federated study may do now, and what it waits for first. */
enum { TC_NEED_TRIAL = 1, TC_NEED_PUBLISH = 2, TC_NEED_ABSORB = 4, TC_NEED_FETCH = 8 };
typedef struct tc_need {
    unsigned may; /* TRIAL, PUBLISH */
    /* ABSORB: nothing goes on before the broadcast of `round`, or its skip. FETCH: nothing goes on
     * before the message of agent `party` in `round`, or its miss. */
    unsigned must;
    uint64_t round, party;
} tc_need;

/* Trials of many pulls (batch.h), for algorithms that would else fill a journal with them. All
 * members are given. A reward is a value put into [0,1] by public options. */
typedef struct tc_batch_ops {
    /* As ask, and how many pulls are wanted there, at least 1; the caller may take fewer. Pure. */
    tacit_status (*ask)(void *st, uint64_t trial, double *values, uint64_t *pulls,
                        tacit_error *err);
    /* In place of tell: the observation that was added to env->history is the mean of a batch. It
     * may come late, from another point, or be larger than what is wanted by now. */
    tacit_status (*tell)(void *st, const tc_batch *batch, tacit_error *err);
    /* The reward of a value to be maximised, in units of 2^-28: 0 to 2^28. And the value that has
     * this reward, in [0,1]. */
    int64_t (*reward)(const void *st, double y);
    double (*value)(const void *st, double reward);
} tc_batch_ops;

/* What is known of the noise in the values before anything is fitted. */
typedef enum tc_noise_word {
    TC_NOISE_UNKNOWN, /* what a fit found, if anything: tc_recommended.share */
    TC_NOISE_ADDED,   /* noise was added on purpose */
    TC_NOISE_EXPECTED /* the algorithm is for values with heavy tails */
} tc_noise_word;

/* Reasons for tc_recommended.none. */
#define TC_RECOMMEND_TOO_FEW       "has too few values for its model yet"
#define TC_RECOMMEND_FEATURES      "has own=features, whose model is of messages"
#define TC_RECOMMEND_FRONT         "has several objectives, which no single trial is best for"
#define TC_RECOMMEND_NONE_FEASIBLE "holds no point that was tried for feasible yet"
#define TC_RECOMMEND_NONE_WHOLE    "has no trial that ran to its end yet"

/* The observation at whose point the mean of the model is largest, of those whose trials ran to their end. */
typedef struct tc_recommended {
    const char *none; /* why not, to stand after the algorithm's name; NULL: there is one */
    size_t at;        /* its index in env->history; of equals the first */
    double mean, sd;  /* of the model there, in units of y; noise of single values is not in sd */
    tc_noise_word noise;
    double share; /* of the variance of y, or of a constraint: what the model takes for noise */
    bool passed;  /* the mean is larger still where a trial was ended early */
} tc_recommended;

/* Picks that observation. Begin with TC_PICK, offer each observation with its mean, end. */
typedef struct tc_pick {
    double top;       /* the largest mean where trials ran to their end, */
    double top_early; /* and where they did not */
    size_t at;
} tc_pick;
#define TC_PICK                                                                                    \
    {                                                                                              \
        -INFINITY, -INFINITY, SIZE_MAX                                                             \
    }
static inline void tc_pick_offer(tc_pick *p, const tc_history *h, size_t i, double mean)
{
    const bool early = tc_history_early(h, i);
    double *top = early ? &p->top_early : &p->top;
    if (!(mean > *top))
        return;
    *top = mean;
    if (!early)
        p->at = i;
}
/* Sets at and passed, or none: then the rest of out says nothing. */
static inline bool tc_pick_end(const tc_pick *p, tc_recommended *out)
{
    if (p->at == SIZE_MAX) {
        *out = (tc_recommended){.none = TC_RECOMMEND_NONE_WHOLE};
        return false;
    }
    out->at = p->at;
    out->passed = p->top_early > p->top;
    return true;
}

/* All members but init, fini and ask may be NULL: not supported. */
typedef struct tc_optimizer_ops {
    size_t state_size; /* allocated zeroed by optimizer.c */
    /* opts: the algorithm's option struct, filled and checked; it and env outlive the state.
     * E_ARG: the options do not fit the space. fini takes whatever init left, all-zero included. */
    tacit_status (*init)(void *st, const tc_env *env, const void *opts, tacit_error *err);
    void (*fini)(void *st);
    /* The next point for trial number `trial`, as values of env->space. */
    tacit_status (*ask)(void *st, uint64_t trial, double *values, tacit_error *err);
    /* n states of one study in this process, siblings of each other: the same bits as n calls of
     * ask, in less time. NULL: they are asked one by one. */
    tacit_status (*ask_many)(void *const *st, const uint64_t *trial, double *const *values,
                             size_t n, tacit_error *err);
    /* A completed observation was added to env->history (at index n-1). Needed only by
     * algorithms that cannot read the history when they ask. */
    tacit_status (*tell)(void *st, tacit_error *err);
    const tc_batch_ops *batch; /* NULL: every trial is one pull */
    /* Which of the points that were tried the model holds for best. Pure, as ask; history->n > 0. NULL: it has no
     * model of the values. */
    tacit_status (*recommend)(void *st, tc_recommended *out, tacit_error *err);
    /* Hyper-parameters. fit_due: would a fit be worth it now? fit writes what it found as
     * JSON; fitted takes that text back, from this process or from the journal. E_CORRUPT:
     * not something fit wrote. */
    bool (*fit_due)(const void *st);
    tacit_status (*fit)(void *st, tc_text *out, tacit_error *err);
    tacit_status (*fitted)(void *st, const char *body, tacit_error *err);
    /* Federated studies: need, publish, published, and then absorb and skip where an aggregator
     * makes one broadcast, fetched and missed where a relay hands on single messages. publish is
     * pure: the same state gives the same bytes; published: they are stored. absorb takes the
     * broadcast of a round; skip: there is none, go on alone. fetched takes the message that `need`
     * named, as the relay released it; missed: that agent sent none. */
    void (*need)(const void *st, tc_need *out);
    tacit_status (*publish)(const void *st, uint64_t round, tc_text *out, tacit_error *err);
    tacit_status (*published)(void *st, uint64_t round, tacit_error *err);
    tacit_status (*absorb)(void *st, uint64_t round, const void *bytes, size_t n, tacit_error *err);
    tacit_status (*skip)(void *st, uint64_t round, tacit_error *err);
    tacit_status (*fetched)(void *st, uint64_t round, uint64_t party, const void *bytes, size_t n,
                            tacit_error *err);
    tacit_status (*missed)(void *st, uint64_t round, uint64_t party, tacit_error *err);
} tc_optimizer_ops;

#define TC_NO_ROUND UINT64_MAX

/* The cost of a round, as its release will state it (privacy/release.h). */
typedef struct tc_round_price {
    tacit_dp_event event;
    double distance; /* what discrete noise adds; 0: nothing */
    const char *
        adjacency; /* who counts as neighbours: a constant. "": only the unit's usual ones are known */
} tc_round_price;

/* A release as agents hear it. */
typedef struct tc_broadcast {
    uint64_t round;
    const void *bytes;
    size_t size;
} tc_broadcast;

/* One configuration for all agents together. */
typedef struct tc_common {
    double *values;    /* n_params, of the caller */
    double mean;       /* of what was released, at the point: to be maximised */
    double noise_sd;   /* of the noise that the releases carry, at the point */
    uint64_t releases; /* that it is made of */
} tc_common;

/* The coordinator's half of a federated algorithm: folds the contributions of one round into
 * one release. It holds nothing that is not in the store: a state lives from open to close. Of env
 * it knows space, public_seed, agents, budget and pool. */
typedef struct tc_aggregator_ops {
    size_t state_size; /* allocated zeroed for each round */
    /* Whose data a release is about. NULL: agents, each in every round. ROW: single records of
     * agents, each of which is in one round at most: a round is charged to its own records. */
    tacit_unit (*unit)(const void *opts);
    /* The first round >= from that there is, from public constants; TC_NO_ROUND: none. NULL: every
     * number is a round, one for each trial at most. */
    tacit_status (*next_round)(const tc_env *env, const void *opts, uint64_t from, uint64_t *out,
                               tacit_error *err);
    /* For reports: what agents send in this round, in a few words. NULL, and where it returns NULL: all rounds are
     * about the same. */
    const char *(*about)(const void *opts, uint64_t round);
    /* What closing this round will cost: from public constants alone, before anything is drawn or read. */
    tacit_status (*price)(const tc_env *env, const void *opts, uint64_t round, tc_round_price *out,
                          tacit_error *err);
    /* Would this contribution be accepted? Pure, and before it is stored. E_ARG: malformed, of
     * another round, or from nobody on the roster. */
    tacit_status (*check)(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                          const void *bytes, size_t n, tacit_error *err);
    /* Draws all noise: e is not used after it returns. Whatever it left, fini ends. */
    tacit_status (*open)(void *st, const tc_env *env, const void *opts, uint64_t round,
                         tc_entropy *e, tacit_error *err);
    /* Takes one contribution, in the order of agents. A refusal (E_ARG, E_STATE) leaves the round as it was, and
     * the contribution out; the sum of those that were taken does not depend on their order. */
    tacit_status (*fold)(void *st, uint64_t agent, const void *bytes, size_t n, tacit_error *err);
    /* Once. The broadcast is the release as it is encoded, after the ledger has it. */
    tacit_status (*close)(void *st, tc_release **out, tacit_error *err);
    void (*fini)(void *st); /* also of an all-zero state */
    /* Where the mean of all agents is largest by what was released: post-processing, which costs nothing. `heard` ascends
     * in rounds. NULL: releases are no function of the space. E_STATE: nothing was released that says so. */
    tacit_status (*recommend)(const tc_env *env, const void *opts, const tc_broadcast *heard,
                              size_t n, tc_common *out, tacit_error *err);
    /* For reports: the bytes of a contribution to this round. NULL: they are not all of one size. */
    tacit_status (*message_bytes)(const tc_env *env, const void *opts, uint64_t round,
                                  uint64_t *out, tacit_error *err);
    /* Where a study has trustees (env->trustees): the sum that they add up in this round, in the place of open, fold and
     * close. A broadcast is then the sums of groups. NULL: it cannot be shared. */
    tacit_status (*shared)(const tc_env *env, const void *opts, uint64_t round, tc_shared_plan *out,
                           tacit_error *err);
    /* What an agent shares of a message that `check` accepts: as many integers as the plan's width, of norm `clip` at most. */
    tacit_status (*vector)(const tc_env *env, const void *opts, uint64_t round, const void *bytes,
                           size_t n, int64_t *v, tacit_error *err);
} tc_aggregator_ops;

/* The coordinator's half where agents read each other's messages one by one. It keeps the last
 * message of every agent, hands on the ones that are asked for, and has no state. */
typedef struct tc_relay_ops {
    /* E_ARG: options that contradict each other. For whoever creates a study. */
    tacit_status (*agree)(const void *opts, tacit_error *err);
    /* As in tc_aggregator_ops. */
    tacit_status (*check)(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                          const void *bytes, size_t n, tacit_error *err);
    /* What leaves of a message that check let pass, through the mechanism `none`: NOT PRIVATE. */
    tacit_status (*release)(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                            const void *bytes, size_t n, tc_release **out, tacit_error *err);
} tc_relay_ops;

/* The client's half of a served private algorithm: what leaves the client is what it returns. A data
 * set is released by another party, with terms of its own: outsourced/row_curator.h. */
typedef struct tc_curator_ops {
    /* What may be told in place of the reward y (NaN: there is none), once a ledger has it. The
     * options are public; a stateful curator over a user's ledger: ldp/ldp_curator.h. */
    tacit_status (*reply)(const void *opts, double y, tc_entropy *e, tc_release **out,
                          tacit_error *err);
} tc_curator_ops;

struct tc_expect;

typedef struct tc_algorithm {
    const char *name;    /* what users write: "gp-ei" */
    const char *summary; /* one line for `tacit algorithms` */
    const char *source;  /* the paper it follows */
    /* The version of its behaviour: 1, 2, ...; 0 is 1. A change that would give a running study other bits makes another
     * version, unless it is the default of an option, which stays in tc_option.before. The former behaviour is kept where
     * !tc_env_since(env, version): a study keeps the version that it began with (wire/study_options.c). */
    uint64_t version;
    const tc_option *options; /* ends with a NULL name */
    size_t options_size;
    bool outcomes; /* takes several objectives and outcome constraints */
    const tc_optimizer_ops *optimizer;
    const tc_aggregator_ops *aggregator; /* federated studies: this ... */
    const tc_relay_ops *relay;           /* ... or this; else both NULL */
    const tc_curator_ops *curator;       /* served private studies; else NULL */
    /* Puts numbers and words in the place of options that are left to be chosen by env->agents and
     * env->budget. Before promise; a second call changes nothing. A study document says what was chosen, so
     * that it stays when the study is extended. NULL: no option is left open. */
    void (*begin)(const tc_env *env, void *opts);
    /* Sets the members of *opts that keep a study of env->agents and env->budget trials within
     * (epsilon, delta): noise, and which rounds release. NULL: the algorithm promises nothing.
     * E_ARG: it cannot be kept, or what is given already contradicts it. Pointers in opts are
     * tc_alloc'ed. */
    tacit_status (*promise)(const tc_env *env, void *opts, double epsilon, double delta,
                            tacit_error *err);
    /* For reports: puts the value in force in place of one that means "chosen", after begin and promise.
     * NULL: no option does. Pointers in opts are tc_alloc'ed. */
    tacit_status (*resolve_defaults)(const tc_env *env, void *opts, tacit_error *err);
    /* For reports: adds one sentence, whether a theorem is about `rounds` queries of these options
     * on env->space. NULL, and nothing added: none says. */
    void (*theorem)(const tc_env *env, const void *opts, uint64_t rounds, tc_text *out);
    /* For reports: what a federated study of these options may gain at best (expect.h), after begin and promise,
     * from space, agents and budget of env. NULL: nobody has simulated it. */
    tacit_status (*expect)(const tc_env *env, const void *opts, struct tc_expect *out,
                           tacit_error *err);
    /* Options "name=value" that suit a study whose values carry the noise already, so that its messages cost nothing
     * (unit "record"), wherever they are not given. Ends with NULL; NULL: none. */
    const char *const *free_messages;
} tc_algorithm;

/* The newest version of its behaviour. */
static inline uint64_t tc_algorithm_version(const tc_algorithm *a)
{
    return a->version > 0 ? a->version : 1;
}

/* Does it need other agents? */
static inline bool tc_algorithm_federated(const tc_algorithm *a)
{
    return a->aggregator || a->relay;
}

/* Is it told private replies in place of values? */
static inline bool tc_algorithm_takes_replies(const tc_algorithm *a)
{
    return a->curator && a->curator->reply;
}

/* free_messages.c: adds those of a->free_messages to `into` that `given` leaves open; both may be the same object. */
tacit_status tc_algorithm_free_messages(const tc_algorithm *a, const json_t *given, json_t *into,
                                        tacit_error *err);

/* registry.c: every algorithm, one line each. */
const tc_algorithm *tc_algorithm_find(const char *name); /* NULL: none */
const tc_algorithm *const *tc_algorithms(void);          /* NULL-terminated */
/* E_ARG with the nearest name and the list. */
tacit_status tc_algorithm_get(const tc_algorithm **out, const char *name, tacit_error *err);
/* The same for a study of one party: E_ARG also if the algorithm is for federations. */
tacit_status tc_algorithm_get_single(const tc_algorithm **out, const char *name, tacit_error *err);

#endif
