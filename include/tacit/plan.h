/* tacit/plan.h - what a federated study plans, or one that protects records or takes private replies: its releases, what they cost, what it may gain. In libtacit.
 *
 * All of it follows from the document alone, as the coordinator and every agent find it by themselves: the noise
 * that keeps the promise, the rounds, the price of each. Nothing is spent, and nothing depends on data. Ask before a study is
 * created:
 *
 *     tacit_document_read(&document, "ward.json", &err);
 *     tacit_plan_new(&plan, document, &err);
 *     tacit_plan_cost(plan, &err);
 *     puts(tacit_plan_summarize(plan)->statement);
 *     tacit_plan_free(plan);
 *
 * A handle serves one thread at a time. Texts are the plan's own, and live as long as it does. `err` may be NULL. */
#ifndef TACIT_PLAN_H
#define TACIT_PLAN_H

#include <tacit/document.h>
#include <tacit/privacy.h>
#include <tacit/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_plan tacit_plan; /* end with tacit_plan_free */

/* The document is copied; noise that keeps its epsilon is found where it has none yet. E_ARG: it is neither one of a
 * federation nor one that protects records or takes replies, or its promise cannot be kept. */
TACIT_API tacit_status tacit_plan_new(tacit_plan **out, const tacit_document *document,
                                      tacit_error *err);
TACIT_API void tacit_plan_free(tacit_plan *p); /* NULL is allowed */

/* Accounts for all releases; of very many that may take seconds. E_ARG: the document's delta is 1/N or more for N
 * agents, or there are too many releases. E_UNSUPPORTED: the algorithm releases no sums. */
TACIT_API tacit_status tacit_plan_cost(tacit_plan *p, tacit_error *err);

/* The library makes it. */
typedef struct tacit_plan_summary {
    size_t size;
    const char *not_private; /* why what agents send is not private; "": it is */
    double delta;            /* of the document; where it has none, tacit_delta_default */
    /* The length-scale that is usual in the space, where none is given and agents do not vote on one, and a
     * sentence about it; else 0 and "". */
    double lengthscale;
    const char *lengthscale_sentence;
    /* What the study may gain at best over agents that work alone, if their functions are alike: a sentence, and
     * JSON {"gain", "reason", "left_open", "ratios": [{"iteration", "ratio", "low", "high"}], "sentence"}. NULL: the
     * algorithm has nothing to say. */
    const char *expect_sentence;
    const char *expect;

    /* After tacit_plan_cost. */
    uint64_t releases;
    tacit_unit unit; /* who pays */
    double epsilon; /* of all releases, or the dearest where each is about others: a proved bound */
    const char *accountant; /* whose bound that is; NULL: nothing is released */
    const char *statement;  /* all of it in sentences; NULL: before tacit_plan_cost */

    /* Who adds up what agents send and deals the noise, what a round can do without, and its bytes: sentences, and JSON
     * {"count", "degree", "colluding", "dealers", "absent", "noticed", "named", "noise", "bytes": {"agent_sends",
     * "agent_gets", "trustee_sends", "trustee_gets", "coordinator_sends", "coordinator_gets"}}. NULL: the coordinator. */
    const char *trustees_sentence;
    const char *trustees;
    /* Towards whom what agents send is protected, a sentence or more; NULL: it is not, or the noise is added before. */
    const char *trust;
} tacit_plan_summary;
TACIT_API const tacit_plan_summary *tacit_plan_summarize(const tacit_plan *p);

/* One release, in the order of rounds. The library makes it. */
typedef struct tacit_planned {
    size_t size;
    uint64_t round;
    const char *about;    /* what agents send in it; "": all are about the same */
    tacit_dp_event event; /* what an accountant is told */
    double epsilon;       /* of this one alone; NaN: there are too many to account for each */
    double epsilon_so_far;
    uint64_t message_bytes; /* of what an agent sends in it; 0: they are not all of one size */
} tacit_planned;
TACIT_API const tacit_planned *tacit_plan_get(const tacit_plan *p, size_t i); /* NULL: none */

#ifdef __cplusplus
}
#endif
#endif
